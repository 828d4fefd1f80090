from m5.objects.AbstractMemory import AbstractMemory
from m5.params import *


# A memory of wordline_dram.h. `range` must not exceed what the module and the system have.
class WordlineMemory(AbstractMemory):
    type = "WordlineMemory"
    cxx_header = "mem/wordline_memory.hh"
    cxx_class = "gem5::memory::WordlineMemory"

    port = ResponsePort("where requests come from")
    target = Param.String("mrdimm-8800-2rx4-64g@xeon6-1s", "MODULE@SYSTEM of `wordline part list`")
    settings = Param.String("", "NAME=VALUE, separated by commas, of `wordline part show TARGET`")
