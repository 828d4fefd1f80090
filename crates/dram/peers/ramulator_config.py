# One DDR5-6400 channel of Ramulator 2.1: RANKS=2 REFRESH=1 python3 -m ramulator export ramulator_config.py
#
# The preset's tRRD_S of 16, tFAW of 64 and tWTR_S of 5 clocks are put right: 8, 32 and 8. Ranks are refreshed as far apart
# as ours are.
import os

import ramulator

RANKS, REFRESH = int(os.environ["RANKS"]), os.environ["REFRESH"] == "1"
dram = ramulator.dram.DDR5(
    org_preset="DDR5_16Gb_x8", timing_preset="DDR5_6400AN", rank=RANKS,
    nRRDS=8, nFAW=32, nWTRS=8, nCCDL_WR=32, nRFC=944, nREFI=12480,
    nCL=52, nRCD=52, nRP=52, nRC=155, nCWL=50,
)
refresh = ramulator.refresh_manager
controller = ramulator.controller.GenericDDR(
    dram=dram, scheduler=ramulator.scheduler.FRFCFS(),
    refresh_manager=refresh.AllBank(scatter_interval=12480 // RANKS) if REFRESH else refresh.NoRefresh(),
    row_policy=ramulator.row_policy.Open(), addr_mapper=ramulator.addr_mapper.RoBaRaCoCh(),
    write_buffer_size=64, wr_low_watermark=0.25, wr_high_watermark=0.75,
)
memory = ramulator.memory_system.GenericDRAM(
    clock_ratio=1, controllers=[controller],
    channel_mapper=ramulator.channel_mapper.CacheLineInterleave(),
)
ramulator.Simulation(ramulator.frontend.External(clock_ratio=1), memory)
