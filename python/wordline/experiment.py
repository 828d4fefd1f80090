"""Experiments as typed classes. Generated from the JSON Schema of results by ``python/generate.py``; do not edit.

A field that is not given is as the command has it without its flag. Lists take any sequence.

>>> from wordline.experiment import Experiment, RawWorkload
>>> experiment = Experiment(
...     targets=["em064lx@stm32h755-qspi"],
...     workload=RawWorkload(operations=["write"], access_bytes=[2048], total_bytes=1 << 20),
... )
>>> experiment.to_dict()["workload"]["kind"]
'raw'
>>> Experiment.from_dict({"targets": [], "sed": 1})
Traceback (most recent call last):
    ...
wordline._errors.ExperimentError: Experiment has no field 'sed'; did you mean seed?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

from wordline._model import Model

__all__ = [
    "AccessSource",
    "AppWorkload",
    "BackgroundWork",
    "Band",
    "BoundWorkload",
    "BufferWorkload",
    "ChainOrder",
    "CompareWorkload",
    "DramBandwidthTest",
    "DramIdleTest",
    "DramLoadedTest",
    "DramSurfaceTest",
    "DramTest",
    "DramTraceTest",
    "DramWorkload",
    "Durations",
    "Experiment",
    "FitWorkload",
    "FsTest",
    "FsWorkload",
    "FtlMapping",
    "HealthScoreWorkload",
    "HealthTraceWorkload",
    "HostAccess",
    "HostAllTest",
    "HostBandwidthTest",
    "HostImportTest",
    "HostLatencyTest",
    "HostLoadedTest",
    "HostMatrixTest",
    "HostMix",
    "HostPages",
    "HostStorageTest",
    "HostTest",
    "HostWorkload",
    "IoWorkload",
    "KernelName",
    "KvBench",
    "KvBenchTest",
    "KvBuild",
    "KvCrash",
    "KvCrashTest",
    "KvDirectory",
    "KvTest",
    "KvWork",
    "KvWorkload",
    "LifeBy",
    "Limits",
    "LogAccess",
    "LogSource",
    "Mix",
    "ModulePrices",
    "Operation",
    "Pattern",
    "PowerRun",
    "Preference",
    "Prices",
    "RawWorkload",
    "SqlJournal",
    "SqlLog",
    "SqlSync",
    "SqlTest",
    "SqlTold",
    "SqlWork",
    "SqlWorkload",
    "StorageEngine",
    "StorageSync",
    "StoreKind",
    "StreamAccess",
    "Timing",
    "TraceAccess",
    "TranslationLayer",
    "WearUsage",
    "WearWorkload",
    "Work",
    "WorkKind",
    "Workload",
    "WriteSync",
]

FtlMapping = Literal["page", "log-block", "real-time"]
"""How the logical pages of a translation layer find their places.

- ``page``: Every page anywhere: fast, with a table of all pages in RAM.
- ``log-block``: Blocks at whole places, and a few log blocks that are merged with them: a small table.
- ``real-time``: Every page anywhere, and every write within a bound that is known beforehand; 16 KiB of
  RAM for 1 Gb.
"""
Timing = Literal["typ", "max", "sampled"]
"""Which of a data sheet's columns a simulation uses.

- ``typ``: Typical figures.
- ``max``: The data sheet's worst case.
- ``sampled``: Drawn between the two, from the seed.
"""
BackgroundWork = Literal["erase", "program"]
"""What a memory does by itself while the host does something else.

- ``erase``: It erases one block after the other.
- ``program``: It programs one page after the other.
"""
Operation = Literal["read", "write"]
"""What an access does.

- ``read``: From the memory to the host.
- ``write``: From the host to the memory.
"""
Pattern = Literal["sequential", "random"]
"""The order of addresses.

- ``sequential``: One after the other, starting over at the wrap address.
- ``random``: Drawn from the seed, aligned to the access size, each place as likely as any other.
"""
WriteSync = Literal["flush", "reliable"]
"""How each write is made safe from a power cut before it ends.

- ``flush``: By a flush behind it, which is part of the access.
- ``reliable``: By the reliable write of an eMMC.
"""
Durations = Literal["latency", "start-to-start", "paced"]
"""What counts as the duration of an access of a log.

- ``latency``: What the log says that it took.
- ``start-to-start``: The time from its start to the start of the next, whatever the host did in between.
- ``paced``: What the log says that it took, of a log whose host paused between accesses of its own will.
"""
LifeBy = Literal["rated", "status-fail"]
"""What ends the life of a memory. Data that no longer keep end it in any case.

- ``rated``: The cycles that its sheet rates it for.
- ``status-fail``: Failures that the chip itself reports, of programs and erases, until its spare blocks
  are used up.
"""
Preference = Literal["energy", "cost", "life", "area", "ram"]
"""What ranks candidates that pass alike.

- ``energy``: The least energy in a day.
- ``cost``: The lowest price.
- ``life``: The longest life.
- ``area``: The smallest packages.
- ``ram``: The least RAM to provision.
"""
WorkKind = Literal["log", "overwrite", "read", "read-mostly", "mixed", "replay"]
"""What the accesses of a piece of work are.

- ``log``: Records are written one after the other, over the oldest ones in the end.
- ``overwrite``: Records are written over each other, anywhere in the data to keep.
- ``read``: Records are read in order, as a boot image is.
- ``read-mostly``: Reads anywhere in the data, and writes in order: nine of ten accesses read.
- ``mixed``: As read-mostly, with as many writes as reads.
- ``replay``: What a trace asked for.
"""
Band = Literal["reads", "all", "none"]
"""Which mixes have a band over undisclosed choices.

- ``reads``: For reads.
- ``all``: For every mix.
- ``none``: For none.
"""
Mix = Literal["1:0", "3:1", "2:1", "1:1", "triad"]
"""How many lines are read for each that is written.

- ``1:0``: Reads alone.
- ``3:1``: Three reads for each write.
- ``2:1``: Two reads for each write.
- ``1:1``: As many reads as writes.
- ``triad``: Stream triad with non-temporal stores: two streams are read, a third is written.
"""
WearUsage = Literal["first-page", "whole-block", "erase-only"]
"""What is programmed before each erase.

- ``first-page``: The first page of the block.
- ``whole-block``: All of its pages.
- ``erase-only``: None.
"""
FsTest = Literal["sequential", "overwrite", "overwrite-sync", "random", "append", "small-files"]
"""What is done with a file system.

- ``sequential``: A file is written from its start to its end, and read.
- ``overwrite``: A file that is there is written again from its start to its end.
- ``overwrite-sync``: A file that is there is written at random places, each write synced: a table that is
  updated in place.
- ``random``: A file that is there is written and read at random places.
- ``append``: Records are appended to a file, each synced: a log.
- ``small-files``: Small files are created, looked up, appended to, renamed and deleted.
"""
KernelName = Literal["portable", "sse2", "avx2", "avx512", "neon"]
"""Instructions that move lines.

- ``portable``: What the compiler makes of a plain loop.
- ``sse2``: 16 bytes at a time, x86.
- ``avx2``: 32 bytes at a time, x86.
- ``avx512``: 64 bytes at a time, x86.
- ``neon``: 16 bytes at a time, Arm.
"""
ChainOrder = Literal["random", "in-page", "per-page"]
"""Order in which a chain of pointers goes through its lines.

- ``random``: At random over all lines: data and page walks together.
- ``in-page``: At random within a page, page after page: a page walk for several loads, 4 of a 4 KiB page,
  2048 of one of 2 MiB.
- ``per-page``: One line of each page, pages at random: a page walk with each load.
"""
HostPages = Literal["base", "2MiB", "1GiB"]
"""Size of pages.

- ``base``: The smallest that the system has: 4 KiB on x86.
- ``2MiB``: 2 MiB.
- ``1GiB``: 1 GiB.
"""
HostMix = Literal["1:0", "3:1", "2:1", "1:1", "copy", "triad"]
"""Lines that are read for each that is written. Ratios are those on the bus, as those of `wordline dram` are.

- ``1:0``: Reads alone.
- ``3:1``: Three reads for each write.
- ``2:1``: Two reads for each write.
- ``1:1``: As many reads as writes.
- ``copy``: One stream is read, another is written.
- ``triad``: Stream triad: two streams are read, a third is written.
"""
StoreKind = Literal["plain", "non-temporal"]
"""How a kernel stores lines.

- ``plain``: Into the caches, which read the line first.
- ``non-temporal``: Past the caches.
"""
StorageEngine = Literal["io_uring", "pread"]
"""How the system is asked for accesses of storage.

- ``io_uring``: Through rings that are shared with the kernel.
- ``pread``: A call for each access, and a thread for each that is under way.
"""
StorageSync = Literal["fdatasync", "fsync"]
"""The call that makes written data durable.

- ``fdatasync``: The data, and what is needed to find them.
- ``fsync``: The same and the rest that the file system keeps of the file.
"""
KvDirectory = Literal["ram", "resident"]
"""Where a table keeps what it knows of its slots.

- ``ram``: In RAM: searches read nothing of the memory.
- ``resident``: In the table's memory: it takes next to no RAM.
"""
KvBuild = Literal["published", "optimized", "none"]
"""What the time of a table's own work on the processor is that of.

- ``published``: A build like the published one, with which the board's figure was calibrated where there
  is one.
- ``optimized``: An optimised build that runs from caches: assumed.
- ``none``: None: the time of the memory and its driver alone.
"""
KvWork = Literal[
    "sweep", "ycsb-a", "ycsb-b", "ycsb-c", "ycsb-d", "ycsb-e", "ycsb-f", "etc", "usr", "udb", "zippydb",
    "up2x"
]
"""What is done with a table.

- ``sweep``: Inserts, hits, misses, updates and deletes, each kind by itself.
- ``ycsb-a``: YCSB A: half reads, half updates, zipfian.
- ``ycsb-b``: YCSB B: 95 % reads, 5 % updates, zipfian.
- ``ycsb-c``: YCSB C: reads, zipfian.
- ``ycsb-d``: YCSB D: 95 % reads of the newest records, 5 % inserts.
- ``ycsb-e``: YCSB E: scans, which a hash table cannot do.
- ``ycsb-f``: YCSB F: half reads, half read-modify-writes, zipfian.
- ``etc``: A general pool of a production cache: records of many sizes, 30 gets for each set.
- ``usr``: A pool of a production cache for the status of users: keys of 16 and 21 bytes, values of 2,
  next to no sets.
- ``udb``: The store below a database of a social graph: 27 bytes of key and 127 of value in the mean,
  four gets for each put.
- ``zippydb``: A distributed store, here of where objects lie: keys of 48 bytes, short values, six gets
  for each put.
- ``up2x``: A store of counters for machine learning: 10 bytes of key and 47 of value in the mean, nearly
  all read-modify-writes.
"""
SqlJournal = Literal["delete", "truncate", "persist", "wal", "memory", "off"]
"""How SQLite keeps transactions whole: its `journal_mode`.

- ``delete``: A rollback journal, which is removed when a transaction ends.
- ``truncate``: A rollback journal, which is cut to nothing.
- ``persist``: A rollback journal, whose header is overwritten.
- ``wal``: A write-ahead log.
- ``memory``: A rollback journal in RAM: a power cut may destroy the database.
- ``off``: No journal: a power cut or a rollback may destroy the database.
"""
SqlLog = Literal["keep", "cut"]
"""What becomes of the file of a write-ahead log after a checkpoint: its `journal_size_limit`.

- ``keep``: It keeps its length and is overwritten from its start, as by default.
- ``cut``: The next transaction cuts it to what that transaction writes (a limit of 0).
"""
SqlSync = Literal["off", "normal", "full", "extra"]
"""When SQLite syncs: its `synchronous`.

- ``off``: Never: a power cut may destroy the database.
- ``normal``: Less often; with a write-ahead log the last transactions may be lost, and the rest stays
  whole.
- ``full``: So that a transaction that returned lasts.
- ``extra``: The same, and the directory once more.
"""
SqlTest = Literal["bench", "tune"]
"""What is made of the combinations of settings.

- ``bench``: Each is run.
- ``tune``: A search runs some, for the fastest that survives power cuts.
"""
SqlTold = Literal["promise", "together", "nothing"]
"""Guarantees of the file system that the VFS reports (`xDeviceCharacteristics`), so that SQLite can leave out
work.

- ``promise``: What the file system promises: what a power cut leaves of a write lies within it, and a
  file's length follows its bytes.
- ``together``: The same, and that several writes become valid together, where the file system has such
  writes: a transaction that fits in one needs no rollback journal. With a write-ahead log the same as
  promise.
- ``nothing``: Nothing, as by simple VFSes: SQLite writes a log in whole sectors and pads it.
"""
SqlWork = Literal["insert", "read", "read-as-published", "tpc-b", "speedtest"]
"""What is done with a database.

- ``insert``: Rows of a sensor are inserted, several in each transaction, in the schema of the edge-
  database paper.
- ``read``: Such rows are read by their time, as many as a transaction inserted.
- ``read-as-published``: The same query as the paper's authors wrote it, which compares a truth value: it
  returns every row.
- ``tpc-b``: Bookings between accounts, tellers and branches, as TPC-B has them.
- ``speedtest``: Inserts, look-ups, ranges, updates, an index and deletes of an indexed table, as
  speedtest1 has them.
"""


class TranslationLayer(Model):
    """A flash translation layer between the workload and raw flash: sectors that can be overwritten.

    - ``mapping``: Run raw NAND behind a translation layer that maps pages, blocks with a log, or pages with a
      bound for each write, and raw NOR behind the last of them: sectors can be overwritten in any order.
    - ``spare``: Share of the blocks that the layer keeps to itself; of a real-time layer 30 % where nothing
      else is asked for.
    - A whole document states mapping, spare.
    """

    __slots__ = (
        "mapping", "spare",
    )
    _fields = __slots__

    def __init__(
        self,
        *,
        mapping: FtlMapping | None = None,
        spare: str | None = None,
    ) -> None:
        self.mapping = mapping
        self.spare = spare


class PowerRun(Model):
    """A run whose energy was measured, from which the powers of a server are found.

    - ``bytes_per_s``: Bytes read and written per second.
    - ``cores``: Cores that ran.
    - ``energy_j``: Energy of the server in joules.
    - ``modules_j``: Energy of its modules in joules; without it, that of the baseline's surface at
      `bytes_per_s`.
    - ``outside_share``: Share of the time outside of computing and memory; from 0 to 1.
    - ``seconds``: Time of the run in seconds.
    - ``stall_share``: Share of their time, while they ran, in which they waited for memory; from 0 to 1.
    - A whole document states seconds, cores, stall_share, energy_j.
    """

    __slots__ = (
        "bytes_per_s", "cores", "energy_j", "modules_j", "outside_share", "seconds", "stall_share",
    )
    _fields = __slots__

    def __init__(
        self,
        *,
        bytes_per_s: float | None = None,
        cores: float | None = None,
        energy_j: float | None = None,
        modules_j: float | None = None,
        outside_share: float | None = None,
        seconds: float | None = None,
        stall_share: float | None = None,
    ) -> None:
        self.bytes_per_s = bytes_per_s
        self.cores = cores
        self.energy_j = energy_j
        self.modules_j = modules_j
        self.outside_share = outside_share
        self.seconds = seconds
        self.stall_share = stall_share


class ModulePrices(Model):
    """Prices of modules, which no sheet knows.

    - ``parts``: By the module's id.
    """

    __slots__ = (
        "parts",
    )
    _fields = __slots__

    def __init__(
        self,
        *,
        parts: Mapping[str, str] | None = None,
    ) -> None:
        self.parts = parts


class AppWorkload(Model):
    """A program on other memories.

    - ``active_power``: Power of a core that computes.
    - ``cosimulate``: Simulate windows of the program whole, at each level of its load, and say where the
      surfaces misled.
    - ``draws``: Draws of everything that is not known, for the band.
    - ``file``: Profile of the program (JSON); - for standard input. Without it --cores, --read, --stall and
      --on say what is known.
    - ``imbalance``: Load of the busiest channel over the mean of all, such as 1.1 [default: unknown, 1 to
      1.2].
    - ``locality``: Share of the lines that follow the line before them, as streams do [default: unknown, 0%
      to 100%].
    - ``on``: Memory that these figures are of.
    - ``outside``: Share of the time that the program waits for disks, networks or locks [default: 0%].
    - ``platform_power``: Power of the server without cores and modules.
    - ``power_file``: Measured runs of one workload that these powers are found from (CSV), instead of stating
      them; - for standard input.
    - ``power_runs``: The runs themselves, as the file gave them, so that a document repeats itself.
    - ``prices``: Prices of modules.
    - ``profile``: The profile itself, as the file or the flags gave it, so that a document repeats itself.
    - ``program_cores``: Cores that run the program.
    - ``read_bytes_per_s``: What the program reads from memory, such as 350GB/s.
    - ``stall``: Share of the cores' time in which they wait for memory.
    - ``stalled_power``: Power of a core that waits for memory.
    - ``surfaces``: Surface of a memory, as wordline dram surface wrote it, instead of the one that comes
      along; repeatable and comma-separated.
    - ``variation``: How load varies over time: its standard deviation over its mean, such as 0.5 [default:
      unknown, 0.2 to 0.8].
    - ``written``: Share of the lines moved that are written [default: 0%].
    - A whole document states draws.
    """

    __slots__ = (
        "active_power", "cosimulate", "draws", "file", "imbalance", "locality", "on", "outside",
        "platform_power", "power_file", "power_runs", "prices", "profile", "program_cores",
        "read_bytes_per_s", "stall", "stalled_power", "surfaces", "variation", "written",
    )
    _fields = __slots__
    _constants = {"kind": "app"}
    _nested = {"power_runs": "PowerRun", "prices": "ModulePrices"}

    def __init__(
        self,
        *,
        active_power: str | None = None,
        cosimulate: bool | None = None,
        draws: int | None = None,
        file: str | None = None,
        imbalance: float | None = None,
        locality: str | None = None,
        on: str | None = None,
        outside: str | None = None,
        platform_power: str | None = None,
        power_file: str | None = None,
        power_runs: Sequence[PowerRun] | None = None,
        prices: ModulePrices | None = None,
        profile: Any | None = None,
        program_cores: int | None = None,
        read_bytes_per_s: float | None = None,
        stall: str | None = None,
        stalled_power: str | None = None,
        surfaces: Sequence[str] | None = None,
        variation: float | None = None,
        written: str | None = None,
    ) -> None:
        self.active_power = active_power
        self.cosimulate = cosimulate
        self.draws = draws
        self.file = file
        self.imbalance = imbalance
        self.locality = locality
        self.on = on
        self.outside = outside
        self.platform_power = platform_power
        self.power_file = power_file
        self.power_runs = power_runs
        self.prices = prices
        self.profile = profile
        self.program_cores = program_cores
        self.read_bytes_per_s = read_bytes_per_s
        self.stall = stall
        self.stalled_power = stalled_power
        self.surfaces = surfaces
        self.variation = variation
        self.written = written


class BoundWorkload(Model):
    """Proven bounds of the real-time layer.

    - ``capacity``: Data that the layer holds: a share of the chip's pages, or a size; repeatable and comma-
      separated.
    - ``log_entries``: Changed places that RAM holds until the map on flash has them: fewer take less RAM and
      more steps [default: 20 for each page of the map].
    - ``max_latency_ps``: Answer as well for the largest capacity whose synced overwrites of 4 KiB end within
      this time.
    - ``rates_bytes_per_s``: Input rate whose RAM is answered for overwrites of 4 KiB; repeatable and comma-
      separated.
    - A whole document states capacity.
    """

    __slots__ = (
        "capacity", "log_entries", "max_latency_ps", "rates_bytes_per_s",
    )
    _fields = __slots__
    _constants = {"kind": "bound"}

    def __init__(
        self,
        *,
        capacity: Sequence[str] | None = None,
        log_entries: int | None = None,
        max_latency_ps: int | None = None,
        rates_bytes_per_s: Sequence[float] | None = None,
    ) -> None:
        self.capacity = capacity
        self.log_entries = log_entries
        self.max_latency_ps = max_latency_ps
        self.rates_bytes_per_s = rates_bytes_per_s


class RawWorkload(Model):
    """A raw memory over access sizes.

    - ``access_bytes``: Size of one access; repeatable and comma-separated. Those that fit neither --wrap nor
      --total are left out of the default.
    - ``cache_program``: Let NAND chips take the next page while the one before it is programmed.
    - ``cache_read``: Let NAND chips load the next page while the one before it is moved to the host.
    - ``during``: Read also while the chip erases or programs: once waiting for it, once suspending it.
    - ``fill``: Share of the memory that holds data in order before each run: 0% fresh, 100% full; repeatable
      and comma-separated [default: only what is read].
    - ``gaps_ps``: Time that the host leaves the memory alone between two accesses; repeatable and comma-
      separated.
    - ``mapped``: Read through the address space of the processor, in lines of its cache and without a driver,
      where the board maps the memory.
    - ``multi_plane``: Let the planes of a NAND chip work at the same time: pages alternate between them.
    - ``operations``: What the accesses do, each run by itself.
    - ``patterns``: Order of the addresses, each run by itself; random ones are drawn from the seed.
    - ``pause_ps``: Longest pause between two reads of --during; each is drawn evenly from 0 to it [default:
      as long as the work].
    - ``streams``: Write or read so many equal parts of the range in turn, as with files that grow side by
      side; repeatable and comma-separated [default: 1].
    - ``sync``: Make each write safe from a power cut before it ends.
    - ``total_bytes``: Data moved for each operation and size, in whole accesses.
    - ``warm_up_bytes``: Data moved by the same accesses before anything counts.
    - ``wrap_bytes``: Address at which a run starts over at 0, and below which random accesses lie; by default
      at most the smallest part's end.
    - A whole document states operations, access_bytes, total_bytes, wrap_bytes.
    """

    __slots__ = (
        "access_bytes", "cache_program", "cache_read", "during", "fill", "gaps_ps", "mapped", "multi_plane",
        "operations", "patterns", "pause_ps", "streams", "sync", "total_bytes", "warm_up_bytes",
        "wrap_bytes",
    )
    _fields = __slots__
    _constants = {"kind": "raw"}

    def __init__(
        self,
        *,
        access_bytes: Sequence[int] | None = None,
        cache_program: bool | None = None,
        cache_read: bool | None = None,
        during: Sequence[BackgroundWork] | None = None,
        fill: Sequence[str] | None = None,
        gaps_ps: Sequence[int] | None = None,
        mapped: bool | None = None,
        multi_plane: bool | None = None,
        operations: Sequence[Operation] | None = None,
        patterns: Sequence[Pattern] | None = None,
        pause_ps: int | None = None,
        streams: Sequence[int] | None = None,
        sync: WriteSync | None = None,
        total_bytes: int | None = None,
        warm_up_bytes: int | None = None,
        wrap_bytes: int | None = None,
    ) -> None:
        self.access_bytes = access_bytes
        self.cache_program = cache_program
        self.cache_read = cache_read
        self.during = during
        self.fill = fill
        self.gaps_ps = gaps_ps
        self.mapped = mapped
        self.multi_plane = multi_plane
        self.operations = operations
        self.patterns = patterns
        self.pause_ps = pause_ps
        self.streams = streams
        self.sync = sync
        self.total_bytes = total_bytes
        self.warm_up_bytes = warm_up_bytes
        self.wrap_bytes = wrap_bytes


class StreamAccess(Model):
    """Each target runs a stream of records.

    - ``operation``: What the input waits for; of a log, by default what it holds.
    - ``pattern``: Order of the addresses on a target.
    - ``record_bytes``: Bytes of a record, which is one access; of a log, by default what it says.
    - ``total_bytes``: Data moved on a target, in whole records.
    - ``wrap_bytes``: Address at which a target's records start over at 0; by default at most the smallest
      part's end.
    - A whole document states operation, pattern, record_bytes, total_bytes, wrap_bytes.
    """

    __slots__ = (
        "operation", "pattern", "record_bytes", "total_bytes", "wrap_bytes",
    )
    _fields = __slots__
    _constants = {"kind": "stream"}

    def __init__(
        self,
        *,
        operation: Operation | None = None,
        pattern: Pattern | None = None,
        record_bytes: int | None = None,
        total_bytes: int | None = None,
        wrap_bytes: int | None = None,
    ) -> None:
        self.operation = operation
        self.pattern = pattern
        self.record_bytes = record_bytes
        self.total_bytes = total_bytes
        self.wrap_bytes = wrap_bytes


class LogAccess(Model):
    """A log of measured accesses.

    - ``durations``: What counts as the duration of an access of a log.
    - ``file``: The file, or `-` for standard input.
    - ``format``: Format of the log or trace, where its content does not show it.
    - ``job``: Which of several: job of fio's JSON, file of a replay log, device of blkparse's output.
    - ``operation``: The accesses that count; all of a log that has only one kind.
    - ``record_bytes``: Bytes of each access, where the log does not record them.
    - ``unit``: Unit of the values of a fio log: ns (fio 3), us (fio 2); of a table of times by cycles also
      ms, s.
    - ``units``: Units of columns of a CSV by the column, which count more than what the column's name says.
    - A whole document states file.
    """

    __slots__ = (
        "durations", "file", "format", "job", "operation", "record_bytes", "unit", "units",
    )
    _fields = __slots__
    _constants = {"kind": "log"}

    def __init__(
        self,
        *,
        durations: Durations | None = None,
        file: str | None = None,
        format: str | None = None,
        job: str | None = None,
        operation: Operation | None = None,
        record_bytes: int | None = None,
        unit: str | None = None,
        units: Mapping[str, str] | None = None,
    ) -> None:
        self.durations = durations
        self.file = file
        self.format = format
        self.job = job
        self.operation = operation
        self.record_bytes = record_bytes
        self.unit = unit
        self.units = units


class TraceAccess(Model):
    """Each target runs what a trace asked for.

    - ``file``: The file, or `-` for standard input.
    - ``format``: Its format, where its content does not show it.
    - ``job``: The file of a replay log, or the device of blkparse's output, where it has several.
    - ``operation``: The accesses that count for the buffer; the others take their time all the same.
    - A whole document states file, operation.
    """

    __slots__ = (
        "file", "format", "job", "operation",
    )
    _fields = __slots__
    _constants = {"kind": "trace"}

    def __init__(
        self,
        *,
        file: str | None = None,
        format: str | None = None,
        job: str | None = None,
        operation: Operation | None = None,
    ) -> None:
        self.file = file
        self.format = format
        self.job = job
        self.operation = operation


AccessSource = Union[StreamAccess, LogAccess, TraceAccess]


class BufferWorkload(Model):
    """RAM for a fixed input rate.

    - ``backlog_bytes``: Bytes that wait already before the first access.
    - ``current``: Current over time that was measured beside the log, as a PPK2 or a Joulescope exports it:
      tells the energy of an access.
    - ``current_offset_ps``: Time on the clock of --current at which the first access of the log starts
      [default: both clocks are one].
    - ``fill``: Share of a target's memory that holds data in order before: 0% fresh, 100% full.
    - ``horizon_s``: How long the RAM must suffice, of work at the rate: what a log did not show and may still
      come [default: ten times as long as its accesses take to come; at most a thousand times are supported].
    - ``power_up``: Input comes from power-up on: count the power-up time of the part's sheet.
    - ``ram_bytes``: RAM whose highest safe rate to answer directly, besides powers of two; repeatable and
      comma-separated.
    - ``rates_bytes_per_s``: Input rate to answer directly, besides those of the curve; repeatable and comma-
      separated.
    - ``source``: Where the durations of the accesses come from.
    - ``startup_ps``: Time before the first access in which input already comes, such as that of a mount.
    - ``sync``: Make each write safe from a power cut before it ends.
    - ``voltage``: Voltage of the supply, where the file of --current does not tell it.
    - ``warm_up_bytes``: Data moved by the same records before anything counts.
    - ``window``: Answer at each rate also for so many accesses in a row alone: those of the run that take
      longest together.
    - A whole document states source.
    """

    __slots__ = (
        "backlog_bytes", "current", "current_offset_ps", "fill", "horizon_s", "power_up", "ram_bytes",
        "rates_bytes_per_s", "source", "startup_ps", "sync", "voltage", "warm_up_bytes", "window",
    )
    _fields = __slots__
    _constants = {"kind": "buffer"}
    _nested = {"source": "AccessSource"}

    def __init__(
        self,
        *,
        backlog_bytes: int | None = None,
        current: str | None = None,
        current_offset_ps: int | None = None,
        fill: str | None = None,
        horizon_s: float | None = None,
        power_up: bool | None = None,
        ram_bytes: Sequence[int] | None = None,
        rates_bytes_per_s: Sequence[float] | None = None,
        source: AccessSource | None = None,
        startup_ps: int | None = None,
        sync: WriteSync | None = None,
        voltage: str | None = None,
        warm_up_bytes: int | None = None,
        window: int | None = None,
    ) -> None:
        self.backlog_bytes = backlog_bytes
        self.current = current
        self.current_offset_ps = current_offset_ps
        self.fill = fill
        self.horizon_s = horizon_s
        self.power_up = power_up
        self.ram_bytes = ram_bytes
        self.rates_bytes_per_s = rates_bytes_per_s
        self.source = source
        self.startup_ps = startup_ps
        self.sync = sync
        self.voltage = voltage
        self.warm_up_bytes = warm_up_bytes
        self.window = window


class Limits(Model):
    """What a candidate must meet; a limit that is not stated is met by all.

    - ``bytes_at_risk``: Most bytes that a power cut may lose, in RAM and in the memory's own cache.
    - ``cost``: Highest price of memory, RAM and level shifter.
    - ``energy_per_day``: Most energy in a day, of memory and host.
    - ``holdup``: Largest hold-up capacitor that saves what is in RAM.
    - ``latency``: Longest access.
    - ``life``: Least life.
    - ``life_by``: What ends a life: the rated cycles, or failures that the chip reports [default: rated].
    - ``loss``: Most data that a power cut may take from the memory's own cache, a size or a time at the rate:
      the work flushes as often as this asks [default: one record of a log].
    - ``page_loss``: Most probable loss of a page that is kept, with which a life ends [default: 0.001%].
    - ``parts``: Most chips of one candidate [default: 16].
    - ``ram``: Most RAM to provision: the record being gathered, those that wait, and the one being written.
    """

    __slots__ = (
        "bytes_at_risk", "cost", "energy_per_day", "holdup", "latency", "life", "life_by", "loss",
        "page_loss", "parts", "ram",
    )
    _fields = __slots__

    def __init__(
        self,
        *,
        bytes_at_risk: str | None = None,
        cost: str | None = None,
        energy_per_day: str | None = None,
        holdup: str | None = None,
        latency: str | None = None,
        life: str | None = None,
        life_by: LifeBy | None = None,
        loss: str | None = None,
        page_loss: str | None = None,
        parts: int | None = None,
        ram: str | None = None,
    ) -> None:
        self.bytes_at_risk = bytes_at_risk
        self.cost = cost
        self.energy_per_day = energy_per_day
        self.holdup = holdup
        self.latency = latency
        self.life = life
        self.life_by = life_by
        self.loss = loss
        self.page_loss = page_loss
        self.parts = parts
        self.ram = ram


class Prices(Model):
    """Prices that the sheets do not know.

    - ``level_shifter``: Price of a level shifter for one chip.
    - ``parts``: Of parts, by their id.
    - ``ram_per_kib``: Price of a KiB of RAM.
    """

    __slots__ = (
        "level_shifter", "parts", "ram_per_kib",
    )
    _fields = __slots__

    def __init__(
        self,
        *,
        level_shifter: str | None = None,
        parts: Mapping[str, str] | None = None,
        ram_per_kib: str | None = None,
    ) -> None:
        self.level_shifter = level_shifter
        self.parts = parts
        self.ram_per_kib = ram_per_kib


class Work(Model):
    """Work that a memory has to do.

    - ``during``: What the memory does while it is read, of the kind read: a read suspends it where part and
      board can, and waits for its end elsewhere.
    - ``duty``: Share of the time in which the work goes on [default: 100%].
    - ``fill``: Share of a memory behind a translation layer that holds data before [default: all of a card,
      and of raw flash the data to keep].
    - ``keep``: Data to keep: a size, or a time at the rate [default: 1h].
    - ``kind``: What the accesses are.
    - ``mapped``: Read through the address space of the processor, of the kind read: in lines of its cache and
      without a driver, where the board maps the memory.
    - ``rate``: Bytes a second that come while the work goes on.
    - ``reads``: Share of the accesses that read, of read-mostly (default 90%) and mixed (default 50%).
    - ``record``: Bytes of one access.
    - ``retain``: How long what was written must keep, even at the end of life [default: until it is
      overwritten].
    - ``temperature_celsius``: Temperature of the memory in degrees Celsius, -40 to 125 [default: 25].
    - ``trace``: Trace to replay, from blkparse or fio --write_iolog.
    - ``utilization``: Share of the memory that the data to keep may fill [default: 100%].
    - A whole document states kind, rate, record.
    """

    __slots__ = (
        "during", "duty", "fill", "keep", "kind", "mapped", "rate", "reads", "record", "retain",
        "temperature_celsius", "trace", "utilization",
    )
    _fields = __slots__

    def __init__(
        self,
        *,
        during: BackgroundWork | None = None,
        duty: str | None = None,
        fill: str | None = None,
        keep: str | None = None,
        kind: WorkKind | None = None,
        mapped: bool | None = None,
        rate: str | None = None,
        reads: str | None = None,
        record: str | None = None,
        retain: str | None = None,
        temperature_celsius: float | None = None,
        trace: str | None = None,
        utilization: str | None = None,
    ) -> None:
        self.during = during
        self.duty = duty
        self.fill = fill
        self.keep = keep
        self.kind = kind
        self.mapped = mapped
        self.rate = rate
        self.reads = reads
        self.record = record
        self.retain = retain
        self.temperature_celsius = temperature_celsius
        self.trace = trace
        self.utilization = utilization


class CompareWorkload(Model):
    """Candidates side by side, and a verdict for each.

    - ``all_parts``: Parts that rest on estimates are candidates as well, and those that are no longer made.
    - ``current_offsets_ps``: Time on the clock of each --current at which the first access of its log starts
      [default: both clocks are one].
    - ``currents``: Current over time that was measured beside a log: the first belongs to the first --log,
      the second to the second. Tells the energy of the log; repeatable and comma-separated.
    - ``durations``: What counts as the duration of an access of the logs [default: latency].
    - ``file_systems``: File systems that every flash candidate is judged with as well, each as a candidate of
      its own; repeatable and comma-separated.
    - ``in_turn``: Two chips in turn, one written while the other erases, are candidates as well.
    - ``limits``: What a candidate must meet.
    - ``log_flushed``: Each access of the logs waited until its data were safe: it was synchronous, or the
      memory has no cache of its own.
    - ``log_format``: Format of the logs, where their content does not show it.
    - ``log_unit``: Unit of the values of fio logs: ns (fio 3), us (fio 2).
    - ``logs``: Log of measured accesses of a memory of your own, a candidate as measured; repeatable and
      comma-separated.
    - ``prefer``: What ranks candidates that pass alike [default: cost where all prices are known, else
      energy].
    - ``prices``: What the sheets do not know of prices.
    - ``settings``: Choices of a file system that are not its defaults, by `FS.NAME`.
    - ``title``: What the study is about.
    - ``units``: Units of columns of CSV logs by the column, which count more than what the column's name
      says.
    - ``voltages``: Voltage of the supply: one for every --current whose file does not state it, or one for
      each --current.
    - ``work``: The work.
    - A whole document states work.
    """

    __slots__ = (
        "all_parts", "current_offsets_ps", "currents", "durations", "file_systems", "in_turn", "limits",
        "log_flushed", "log_format", "log_unit", "logs", "prefer", "prices", "settings", "title", "units",
        "voltages", "work",
    )
    _fields = __slots__
    _constants = {"kind": "compare"}
    _nested = {"limits": "Limits", "prices": "Prices", "work": "Work"}

    def __init__(
        self,
        *,
        all_parts: bool | None = None,
        current_offsets_ps: Sequence[int] | None = None,
        currents: Sequence[str] | None = None,
        durations: Durations | None = None,
        file_systems: Sequence[str] | None = None,
        in_turn: bool | None = None,
        limits: Limits | None = None,
        log_flushed: bool | None = None,
        log_format: str | None = None,
        log_unit: str | None = None,
        logs: Sequence[str] | None = None,
        prefer: Preference | None = None,
        prices: Prices | None = None,
        settings: Mapping[str, str] | None = None,
        title: str | None = None,
        units: Mapping[str, str] | None = None,
        voltages: Sequence[str] | None = None,
        work: Work | None = None,
    ) -> None:
        self.all_parts = all_parts
        self.current_offsets_ps = current_offsets_ps
        self.currents = currents
        self.durations = durations
        self.file_systems = file_systems
        self.in_turn = in_turn
        self.limits = limits
        self.log_flushed = log_flushed
        self.log_format = log_format
        self.log_unit = log_unit
        self.logs = logs
        self.prefer = prefer
        self.prices = prices
        self.settings = settings
        self.title = title
        self.units = units
        self.voltages = voltages
        self.work = work


class DramIdleTest(Model):
    """One core follows a chain of pointers, and nothing else happens.

    - ``samples``: Reads whose latency is taken, at least.
    - A whole document states samples.
    """

    __slots__ = (
        "samples",
    )
    _fields = __slots__
    _constants = {"kind": "idle"}

    def __init__(
        self,
        *,
        samples: int | None = None,
    ) -> None:
        self.samples = samples


class DramBandwidthTest(Model):
    """All cores move as much as they can.

    - ``band``: Mixes whose bandwidth and gain over the first target get a band: all undisclosed choices are
      drawn at once.
    - ``draws``: Draws of the undisclosed choices that a band rests on.
    - ``mixes``: Reads for each write; triad reads two streams and stores a third past the caches.
    - ``patterns``: Order of the addresses.
    - A whole document states mixes, patterns, band.
    """

    __slots__ = (
        "band", "draws", "mixes", "patterns",
    )
    _fields = __slots__
    _constants = {"kind": "bandwidth"}

    def __init__(
        self,
        *,
        band: Band | None = None,
        draws: int | None = None,
        mixes: Sequence[Mix] | None = None,
        patterns: Sequence[Pattern] | None = None,
    ) -> None:
        self.band = band
        self.draws = draws
        self.mixes = mixes
        self.patterns = patterns


class DramLoadedTest(Model):
    """Some cores follow chains of pointers while the others load the memory, less and less.

    - ``against``: A measured curve, laid beside the simulated ones: of Mess, of MLC and other tools, or a
      document of wordline host.
    - ``against_rising``: Of a measured curve that bends back, take the points that carry more than all with
      less load.
    - ``delays_cycles``: Pauses of the loading cores in cycles, ascending; without them they are placed where
      the curve bends.
    - ``mix``: Reads for each write of the loading cores.
    - ``pattern``: Order of their addresses.
    - ``probes``: Cores that follow chains of pointers; all others load the memory.
    - ``samples``: Reads whose latency is taken at every pause, at least.
    - ``within_ps``: Times for which the share of the reads is shown that take no longer; repeatable and
      comma-separated.
    - A whole document states mix, pattern, samples, probes.
    """

    __slots__ = (
        "against", "against_rising", "delays_cycles", "mix", "pattern", "probes", "samples", "within_ps",
    )
    _fields = __slots__
    _constants = {"kind": "loaded"}

    def __init__(
        self,
        *,
        against: str | None = None,
        against_rising: bool | None = None,
        delays_cycles: Sequence[int] | None = None,
        mix: Mix | None = None,
        pattern: Pattern | None = None,
        probes: int | None = None,
        samples: int | None = None,
        within_ps: Sequence[int] | None = None,
    ) -> None:
        self.against = against
        self.against_rising = against_rising
        self.delays_cycles = delays_cycles
        self.mix = mix
        self.pattern = pattern
        self.probes = probes
        self.samples = samples
        self.within_ps = within_ps


class DramSurfaceTest(Model):
    """Cores load the memory as programs do, for any lines outstanding.

    - ``confidence``: Half the width of the 95 % interval of each mean latency, as a share of it: runs are
      lengthened until it is so narrow.
    - ``imbalances``: Loads of the busiest channel over the mean, ascending from 1.
    - ``localities``: Shares of the lines that follow the line before them, ascending; the others are random.
    - ``write_shares``: Shares of the lines that are written, ascending.
    - A whole document states write_shares, localities, imbalances, confidence.
    """

    __slots__ = (
        "confidence", "imbalances", "localities", "write_shares",
    )
    _fields = __slots__
    _constants = {"kind": "surface"}

    def __init__(
        self,
        *,
        confidence: str | None = None,
        imbalances: Sequence[float] | None = None,
        localities: Sequence[str] | None = None,
        write_shares: Sequence[str] | None = None,
    ) -> None:
        self.confidence = confidence
        self.imbalances = imbalances
        self.localities = localities
        self.write_shares = write_shares


class DramTraceTest(Model):
    """A program's trace is replayed.

    - ``align``: Take an address within a line of 64 bytes for the line.
    - ``cache_line_bytes``: Bytes of a line of all caches, a power of two from 64 [default: 64 B].
    - ``check``: Hold every command against an independent table of DDR5's rules; a violation fails.
    - ``clock_hz``: The clock that its cycles are counted in; of a program's trace that of its core, by
      default of the system's.
    - ``file``: The trace; - for standard input.
    - ``fold``: Take addresses beyond the memory modulo its size.
    - ``format``: Its format, where its content does not show it.
    - ``instructions_per_cycle``: Instructions of a program that the core ends each cycle while no miss stops
      it [default: 4].
    - ``l1_bytes``: Size of the first cache that a program's accesses pass; 0B leaves it out [default: 48 KiB,
      none for ramulator-cpu].
    - ``l1_ways``: Lines of a set of the first cache [default: 12].
    - ``l2_bytes``: Size of the second cache; 0B leaves it out [default: 2 MiB, none for ramulator-cpu].
    - ``l2_ways``: Lines of a set of the second cache [default: 16].
    - ``l3_bytes``: Size of the third cache, or of the core's share of it; 0B leaves it out [default: 4 MiB].
    - ``l3_ways``: Lines of a set of the third cache [default: 16].
    - A whole document states file.
    """

    __slots__ = (
        "align", "cache_line_bytes", "check", "clock_hz", "file", "fold", "format",
        "instructions_per_cycle", "l1_bytes", "l1_ways", "l2_bytes", "l2_ways", "l3_bytes", "l3_ways",
    )
    _fields = __slots__
    _constants = {"kind": "trace"}

    def __init__(
        self,
        *,
        align: bool | None = None,
        cache_line_bytes: int | None = None,
        check: bool | None = None,
        clock_hz: int | None = None,
        file: str | None = None,
        fold: bool | None = None,
        format: str | None = None,
        instructions_per_cycle: float | None = None,
        l1_bytes: int | None = None,
        l1_ways: int | None = None,
        l2_bytes: int | None = None,
        l2_ways: int | None = None,
        l3_bytes: int | None = None,
        l3_ways: int | None = None,
    ) -> None:
        self.align = align
        self.cache_line_bytes = cache_line_bytes
        self.check = check
        self.clock_hz = clock_hz
        self.file = file
        self.fold = fold
        self.format = format
        self.instructions_per_cycle = instructions_per_cycle
        self.l1_bytes = l1_bytes
        self.l1_ways = l1_ways
        self.l2_bytes = l2_bytes
        self.l2_ways = l2_ways
        self.l3_bytes = l3_bytes
        self.l3_ways = l3_ways


DramTest = Union[DramIdleTest, DramBandwidthTest, DramLoadedTest, DramSurfaceTest, DramTraceTest]


class DramWorkload(Model):
    """DDR5 modules in a server.

    - ``measure_ps``: Simulated time that counts, at least.
    - ``settings``: Choices that no maker discloses and that are not at their defaults, by name; of every
      target that has them.
    - ``test``: What is run.
    - ``warm_up_ps``: Simulated time before anything counts; longer where a memory takes longer to settle: as
      many refresh intervals as it may put off, and two.
    - A whole document states test, warm_up_ps, measure_ps.
    """

    __slots__ = (
        "measure_ps", "settings", "test", "warm_up_ps",
    )
    _fields = __slots__
    _constants = {"kind": "dram"}
    _nested = {"test": "DramTest"}

    def __init__(
        self,
        *,
        measure_ps: int | None = None,
        settings: Mapping[str, str] | None = None,
        test: DramTest | None = None,
        warm_up_ps: int | None = None,
    ) -> None:
        self.measure_ps = measure_ps
        self.settings = settings
        self.test = test
        self.warm_up_ps = warm_up_ps


class LogSource(Model):
    """A log of measured accesses.

    - ``durations``: What counts as the duration of an access of a log.
    - ``file``: The file, or `-` for standard input.
    - ``format``: Format of the log or trace, where its content does not show it.
    - ``job``: Which of several: job of fio's JSON, file of a replay log, device of blkparse's output.
    - ``operation``: The accesses that count; all of a log that has only one kind.
    - ``record_bytes``: Bytes of each access, where the log does not record them.
    - ``unit``: Unit of the values of a fio log: ns (fio 3), us (fio 2); of a table of times by cycles also
      ms, s.
    - ``units``: Units of columns of a CSV by the column, which count more than what the column's name says.
    - A whole document states file.
    """

    __slots__ = (
        "durations", "file", "format", "job", "operation", "record_bytes", "unit", "units",
    )
    _fields = __slots__

    def __init__(
        self,
        *,
        durations: Durations | None = None,
        file: str | None = None,
        format: str | None = None,
        job: str | None = None,
        operation: Operation | None = None,
        record_bytes: int | None = None,
        unit: str | None = None,
        units: Mapping[str, str] | None = None,
    ) -> None:
        self.durations = durations
        self.file = file
        self.format = format
        self.job = job
        self.operation = operation
        self.record_bytes = record_bytes
        self.unit = unit
        self.units = units


class FitWorkload(Model):
    """A part's sheet from a log of a real one.

    - ``channels``: Channels of a system, each with a module, of one socket where the base has several: never
      guessed.
    - ``cores``: Cores of a system, of one socket where the base has several [default: what the document
      states].
    - ``fill``: Share of the card that held data before [default: what was written to, or all of it, whichever
      is nearer].
    - ``id``: Id of the new sheet [default: from the name of the log].
    - ``pattern``: Order of the addresses, where the log does not record them.
    - ``per_socket``: Says that --channels and --cores are those of one socket, of a base with several.
    - ``predict``: Cycle counts at which a table's erase and program times are predicted; repeatable and
      comma-separated [default: 2, 5 and 10 times its last].
    - ``range_bytes``: Bytes from address 0 on that were written to, where the log does not record addresses.
    - ``simulations``: The most simulations of the search, each as long as half the log.
    - ``source``: The log.
    - ``template``: What is fitted.
    - ``usage``: What each cycle of a cycling log programmed [default: first-page].
    - ``warm_up_bytes``: Data written likewise before the log began.
    - A whole document states source, template, id, simulations.
    """

    __slots__ = (
        "channels", "cores", "fill", "id", "pattern", "per_socket", "predict", "range_bytes", "simulations",
        "source", "template", "usage", "warm_up_bytes",
    )
    _fields = __slots__
    _constants = {"kind": "fit"}
    _nested = {"source": "LogSource"}

    def __init__(
        self,
        *,
        channels: int | None = None,
        cores: int | None = None,
        fill: str | None = None,
        id: str | None = None,
        pattern: Pattern | None = None,
        per_socket: bool | None = None,
        predict: Sequence[int] | None = None,
        range_bytes: int | None = None,
        simulations: int | None = None,
        source: LogSource | None = None,
        template: str | None = None,
        usage: WearUsage | None = None,
        warm_up_bytes: int | None = None,
    ) -> None:
        self.channels = channels
        self.cores = cores
        self.fill = fill
        self.id = id
        self.pattern = pattern
        self.per_socket = per_socket
        self.predict = predict
        self.range_bytes = range_bytes
        self.simulations = simulations
        self.source = source
        self.template = template
        self.usage = usage
        self.warm_up_bytes = warm_up_bytes


class FsWorkload(Model):
    """File systems on memories.

    - ``access_bytes``: Bytes of a call that writes or reads it; by default at most the file.
    - ``capacity_bytes``: Bytes of each memory, from its first on, that a file system gets, all of a smaller
      one [default: of each memory 4MiB, 64 blocks of a NAND or 16KiB for each small file, whichever is most;
      the mount and the RAM are then reported for all of it as well].
    - ``crash_images``: Images of interrupted runs that are sampled for the verdict on power cuts, some of
      whose mounts are cut again; 0 for no verdict.
    - ``file_bytes``: Length of the file that is written and read; by default at most an eighth of a small
      memory.
    - ``file_systems``: File systems, each run by itself; repeatable and comma-separated.
    - ``files``: Small files; by default 750 where small-files is all that is run, as users of littlefs
      report.
    - ``fill``: Share of the file system's room that holds other files before a run; repeatable and comma-
      separated.
    - ``rates_bytes_per_s``: Input rate whose RAM is answered for the calls that write; repeatable and comma-
      separated.
    - ``record_bytes``: Bytes that are appended and synced at a time; by default at most the file.
    - ``settings``: Choices of a file system that are not its defaults, by `FS.NAME`.
    - ``small_bytes``: Bytes of a small file, and of what is appended to it.
    - ``tests``: What is done, each on a memory that was formatted and filled for it; repeatable and comma-
      separated.
    - A whole document states file_systems, tests, file_bytes, access_bytes, record_bytes, files, small_bytes,
      fill.
    """

    __slots__ = (
        "access_bytes", "capacity_bytes", "crash_images", "file_bytes", "file_systems", "files", "fill",
        "rates_bytes_per_s", "record_bytes", "settings", "small_bytes", "tests",
    )
    _fields = __slots__
    _constants = {"kind": "fs"}

    def __init__(
        self,
        *,
        access_bytes: int | None = None,
        capacity_bytes: int | None = None,
        crash_images: int | None = None,
        file_bytes: int | None = None,
        file_systems: Sequence[str] | None = None,
        files: int | None = None,
        fill: Sequence[str] | None = None,
        rates_bytes_per_s: Sequence[float] | None = None,
        record_bytes: int | None = None,
        settings: Mapping[str, str] | None = None,
        small_bytes: int | None = None,
        tests: Sequence[FsTest] | None = None,
    ) -> None:
        self.access_bytes = access_bytes
        self.capacity_bytes = capacity_bytes
        self.crash_images = crash_images
        self.file_bytes = file_bytes
        self.file_systems = file_systems
        self.files = files
        self.fill = fill
        self.rates_bytes_per_s = rates_bytes_per_s
        self.record_bytes = record_bytes
        self.settings = settings
        self.small_bytes = small_bytes
        self.tests = tests


class HealthTraceWorkload(Model):
    """The blocks of a cycling log.

    - ``file``: The log's last name.
    - A whole document states file.
    """

    __slots__ = (
        "file",
    )
    _fields = __slots__
    _constants = {"kind": "health", "of": "trace"}

    def __init__(
        self,
        *,
        file: str | None = None,
    ) -> None:
        self.file = file


class HealthScoreWorkload(Model):
    """Virtual chips of families that the predictor was not trained on: how well it predicts.

    - ``families``: Families of each kind, drawn from the seed.
    - A whole document states families.
    """

    __slots__ = (
        "families",
    )
    _fields = __slots__
    _constants = {"kind": "health", "of": "score"}

    def __init__(
        self,
        *,
        families: int | None = None,
    ) -> None:
        self.families = families


class HostAccess(Model):
    """How memory is reached.

    - ``cpu``: Processor that measures: of latency, of the first probe under load, of the first thread of
      bandwidth [default: the last one, of the node where --node names it].
    - ``kernel``: Instructions that move lines [default: avx2, which lowers no clock, else the widest that the
      processor has].
    - ``node``: NUMA node that the memory is asked of, and the core that measures, unless --cpu names another
      [default: that of the measuring core].
    """

    __slots__ = (
        "cpu", "kernel", "node",
    )
    _fields = __slots__

    def __init__(
        self,
        *,
        cpu: int | None = None,
        kernel: KernelName | None = None,
        node: int | None = None,
    ) -> None:
        self.cpu = cpu
        self.kernel = kernel
        self.node = node


class HostLatencyTest(Model):
    """Idle latency over working sets.

    - ``access``: How memory is reached.
    - ``orders``: Orders of the lines, so that time in memory and time of page walks are told apart.
    - ``pages``: Sizes of pages that are asked for; rows say what was obtained.
    - ``samples``: Loads at each working set, at most; fewer where the median is known to 1 %.
    - ``size_bytes``: Working sets; repeatable and comma-separated [default: from 4KiB to 16 times the last
      cache, at least 512MiB, closer where the curve bends].
    - A whole document states pages, orders, samples.
    """

    __slots__ = (
        "access", "orders", "pages", "samples", "size_bytes",
    )
    _fields = __slots__
    _constants = {"kind": "latency"}
    _nested = {"access": "HostAccess"}

    def __init__(
        self,
        *,
        access: HostAccess | None = None,
        orders: Sequence[ChainOrder] | None = None,
        pages: Sequence[HostPages] | None = None,
        samples: int | None = None,
        size_bytes: Sequence[int] | None = None,
    ) -> None:
        self.access = access
        self.orders = orders
        self.pages = pages
        self.samples = samples
        self.size_bytes = size_bytes


class HostMatrixTest(Model):
    """Latency from node to node, and of a line handed from core to core.

    - ``samples``: Loads from node to node, and handovers of a line from core to core, for each pair at most.
    - A whole document states samples.
    """

    __slots__ = (
        "samples",
    )
    _fields = __slots__
    _constants = {"kind": "matrix"}

    def __init__(
        self,
        *,
        samples: int | None = None,
    ) -> None:
        self.samples = samples


class HostBandwidthTest(Model):
    """Throughput by threads and mix.

    - ``access``: How memory is reached.
    - ``mixes``: Lines read for each that is written, on the bus; copy and triad as a program writes them.
    - ``pages``: Size of pages that is asked for; rows say what was obtained.
    - ``passes``: Passes over the memory for each line of the result.
    - ``size_bytes``: Bytes that all threads walk together [default: four times the last cache, at least 256
      MiB].
    - ``stores``: How lines are stored; plain stores read a line first.
    - ``threads``: Threads, each on a core of its own; repeatable and comma-separated [default: 1, 2, 4 and so
      on, and all].
    - A whole document states mixes, stores, pages, passes.
    """

    __slots__ = (
        "access", "mixes", "pages", "passes", "size_bytes", "stores", "threads",
    )
    _fields = __slots__
    _constants = {"kind": "bandwidth"}
    _nested = {"access": "HostAccess"}

    def __init__(
        self,
        *,
        access: HostAccess | None = None,
        mixes: Sequence[HostMix] | None = None,
        pages: HostPages | None = None,
        passes: int | None = None,
        size_bytes: int | None = None,
        stores: Sequence[StoreKind] | None = None,
        threads: Sequence[int] | None = None,
    ) -> None:
        self.access = access
        self.mixes = mixes
        self.pages = pages
        self.passes = passes
        self.size_bytes = size_bytes
        self.stores = stores
        self.threads = threads


class HostLoadedTest(Model):
    """Some cores follow chains of pointers while the others load the memory, less and less.

    - ``access``: How memory is reached.
    - ``delays_cycles``: Pauses of the loading cores in cycles, ascending; without them they are placed where
      the curve bends.
    - ``mix``: Lines that the loading cores read for each that they write, on the bus.
    - ``pages``: Size of pages that is asked for; rows say what was obtained.
    - ``probes``: Cores that follow chains of pointers; all others load the memory.
    - ``samples``: Reads whose latency is taken at every pause, at least.
    - ``size_bytes``: Bytes of each chain, and of what each loading core walks [default: four times the last
      cache, at least 64 MiB].
    - ``stores``: How they store lines.
    - ``within_ps``: Times for which the share of the reads is shown that take no longer; repeatable and
      comma-separated.
    - A whole document states mix, stores, samples, probes, pages.
    """

    __slots__ = (
        "access", "delays_cycles", "mix", "pages", "probes", "samples", "size_bytes", "stores", "within_ps",
    )
    _fields = __slots__
    _constants = {"kind": "loaded"}
    _nested = {"access": "HostAccess"}

    def __init__(
        self,
        *,
        access: HostAccess | None = None,
        delays_cycles: Sequence[int] | None = None,
        mix: HostMix | None = None,
        pages: HostPages | None = None,
        probes: int | None = None,
        samples: int | None = None,
        size_bytes: int | None = None,
        stores: StoreKind | None = None,
        within_ps: Sequence[int] | None = None,
    ) -> None:
        self.access = access
        self.delays_cycles = delays_cycles
        self.mix = mix
        self.pages = pages
        self.probes = probes
        self.samples = samples
        self.size_bytes = size_bytes
        self.stores = stores
        self.within_ps = within_ps


class HostAllTest(Model):
    """All four tests of memory with their defaults.

    - ``access``: How memory is reached.
    """

    __slots__ = (
        "access",
    )
    _fields = __slots__
    _constants = {"kind": "all"}
    _nested = {"access": "HostAccess"}

    def __init__(
        self,
        *,
        access: HostAccess | None = None,
    ) -> None:
        self.access = access


class HostStorageTest(Model):
    """A file or a block device.

    - ``buffered``: Go through the page cache; without it accesses reach the device.
    - ``depth``: Accesses under way at a time, of a closed loop; at most so many at a rate.
    - ``engine``: How the system is asked [default: io_uring where the system lets it, pread and pwrite
      elsewhere].
    - ``file``: The file, which is made if it is not there, or the device.
    - ``pattern``: Order of the addresses.
    - ``rate_bytes_per_s``: Rate at which accesses begin, whether or not earlier ones are done [default: the
      next begins when one ends].
    - ``read_share``: Share of the accesses that read; the others write.
    - ``record_bytes``: Size of an access.
    - ``size_bytes``: Bytes that accesses lie within, from the start [default: all of what is there, 256MiB of
      a new file].
    - ``sync_call``: The call that makes data durable.
    - ``sync_every``: Make data durable after every so many writes; 0 for never. The write before lasts until
      they are.
    - ``time_s``: Time after which no access begins any more.
    - ``total_bytes``: Bytes moved, in whole accesses [default: 64MiB, or as many as --time lets].
    - A whole document states file, read_share, pattern, record_bytes, depth.
    """

    __slots__ = (
        "buffered", "depth", "engine", "file", "pattern", "rate_bytes_per_s", "read_share", "record_bytes",
        "size_bytes", "sync_call", "sync_every", "time_s", "total_bytes",
    )
    _fields = __slots__
    _constants = {"kind": "storage"}

    def __init__(
        self,
        *,
        buffered: bool | None = None,
        depth: int | None = None,
        engine: StorageEngine | None = None,
        file: str | None = None,
        pattern: Pattern | None = None,
        rate_bytes_per_s: float | None = None,
        read_share: str | None = None,
        record_bytes: int | None = None,
        size_bytes: int | None = None,
        sync_call: StorageSync | None = None,
        sync_every: int | None = None,
        time_s: float | None = None,
        total_bytes: int | None = None,
    ) -> None:
        self.buffered = buffered
        self.depth = depth
        self.engine = engine
        self.file = file
        self.pattern = pattern
        self.rate_bytes_per_s = rate_bytes_per_s
        self.read_share = read_share
        self.record_bytes = record_bytes
        self.size_bytes = size_bytes
        self.sync_call = sync_call
        self.sync_every = sync_every
        self.time_s = time_s
        self.total_bytes = total_bytes


class HostImportTest(Model):
    """What another tool measured.

    - ``file``: What the tool printed; - for standard input.
    - ``format``: The tool, where the content does not show it.
    - A whole document states file.
    """

    __slots__ = (
        "file", "format",
    )
    _fields = __slots__
    _constants = {"kind": "import"}

    def __init__(
        self,
        *,
        file: str | None = None,
        format: str | None = None,
    ) -> None:
        self.file = file
        self.format = format


HostTest = Union[
    HostLatencyTest, HostMatrixTest, HostBandwidthTest, HostLoadedTest, HostAllTest, HostStorageTest,
    HostImportTest
]


class HostWorkload(Model):
    """The memory and the storage of this machine.

    - ``label``: Name of the machine in the results, so that those of several machines can be told apart.
    - ``test``: What is measured.
    - A whole document states test, label.
    """

    __slots__ = (
        "label", "test",
    )
    _fields = __slots__
    _constants = {"kind": "host"}
    _nested = {"test": "HostTest"}

    def __init__(
        self,
        *,
        label: str | None = None,
        test: HostTest | None = None,
    ) -> None:
        self.label = label
        self.test = test


class IoWorkload(Model):
    """The file calls of a recorded program.

    - ``capacity_bytes``: Bytes of each memory, from its first on, that a file system gets, all of a smaller
      one [default: all].
    - ``file``: The trace, which wordline io record wrote, or its text form; - for standard input.
    - ``file_systems``: File systems, each run by itself; repeatable and comma-separated.
    - ``settings``: Choices of a file system that are not its defaults, by `FS.NAME`.
    - A whole document states file, file_systems.
    """

    __slots__ = (
        "capacity_bytes", "file", "file_systems", "settings",
    )
    _fields = __slots__
    _constants = {"kind": "io"}

    def __init__(
        self,
        *,
        capacity_bytes: int | None = None,
        file: str | None = None,
        file_systems: Sequence[str] | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.capacity_bytes = capacity_bytes
        self.file = file
        self.file_systems = file_systems
        self.settings = settings


class KvBench(Model):
    """Operations in simulated time: the table is filled to a load, and then used.

    - ``builds``: What a table's own work takes on a simulated processor; repeatable and comma-separated.
    - ``capacity_bytes``: Bytes of each memory, from its first on, that a table gets: all of a smaller one; a
      file has as many.
    - ``loads``: Share of a table's places that is taken before it is read; repeatable and comma-separated.
    - ``operations``: The most operations that are timed once a table is filled, of the sweep of each kind,
      and in a file of its inserts as well [default: as many as it holds records, and 10000 of a mix; on the
      host 2000 in each repeat; in a file 20, and 200 of a mix].
    - ``repeat``: Repeats of each measurement on this machine, 1 to 100: medians count, from 6 repeats on with
      a 95 % interval [default: 9].
    - ``sizes``: Bytes in keys and values, KEY/VALUE or one size for both; repeatable and comma-separated.
    - ``works``: What is done with a table, each on one of its own; repeatable and comma-separated.
    - A whole document states works, capacity_bytes, sizes, loads, builds.
    """

    __slots__ = (
        "builds", "capacity_bytes", "loads", "operations", "repeat", "sizes", "works",
    )
    _fields = __slots__

    def __init__(
        self,
        *,
        builds: Sequence[KvBuild] | None = None,
        capacity_bytes: int | None = None,
        loads: Sequence[str] | None = None,
        operations: int | None = None,
        repeat: int | None = None,
        sizes: Sequence[str] | None = None,
        works: Sequence[KvWork] | None = None,
    ) -> None:
        self.builds = builds
        self.capacity_bytes = capacity_bytes
        self.loads = loads
        self.operations = operations
        self.repeat = repeat
        self.sizes = sizes
        self.works = works


class KvBenchTest(Model):
    """Operations in simulated time.

    - ``bench``:
    - A whole document states bench.
    """

    __slots__ = (
        "bench",
    )
    _fields = __slots__
    _nested = {"bench": "KvBench"}

    def __init__(
        self,
        *,
        bench: KvBench | None = None,
    ) -> None:
        self.bench = bench


class KvCrash(Model):
    """Power cuts within a fixed workload of inserts, updates and, where the table can, removes.

    - ``images``: Images that are sampled [default: every one; of redb sixteen of each access].
    - ``sizes``: Bytes in keys and values, KEY/VALUE or one size for both; repeatable and comma-separated.
    - A whole document states sizes.
    """

    __slots__ = (
        "images", "sizes",
    )
    _fields = __slots__

    def __init__(
        self,
        *,
        images: int | None = None,
        sizes: Sequence[str] | None = None,
    ) -> None:
        self.images = images
        self.sizes = sizes


class KvCrashTest(Model):
    """Power cuts.

    - ``crash``:
    - A whole document states crash.
    """

    __slots__ = (
        "crash",
    )
    _fields = __slots__
    _nested = {"crash": "KvCrash"}

    def __init__(
        self,
        *,
        crash: KvCrash | None = None,
    ) -> None:
        self.crash = crash


KvTest = Union[KvBenchTest, KvCrashTest]


class KvWorkload(Model):
    """Hash tables on byte-addressable memories.

    - ``directories``: Where the project's table keeps its directory: in RAM, or in the memory, which takes
      next to no RAM; repeatable and comma-separated.
    - ``tables``: Tables, each run by itself; repeatable and comma-separated.
    - ``test``: What is done.
    - A whole document states tables, directories, test.
    """

    __slots__ = (
        "directories", "tables", "test",
    )
    _fields = __slots__
    _constants = {"kind": "kv"}
    _nested = {"test": "KvTest"}

    def __init__(
        self,
        *,
        directories: Sequence[KvDirectory] | None = None,
        tables: Sequence[str] | None = None,
        test: KvTest | None = None,
    ) -> None:
        self.directories = directories
        self.tables = tables
        self.test = test


class SqlWorkload(Model):
    """SQLite on file systems on memories.

    - ``cache_bytes``: RAM of SQLite's page cache (PRAGMA cache_size).
    - ``capacity_bytes``: Bytes of each memory, from its first on, that a file system gets, all of a smaller
      one [default: of each memory 4MiB or 64 blocks of a NAND, whichever is more].
    - ``check_unit``: Also says what processor and a unit for checksums take where these leave the processor.
    - ``checkpoint_pages``: Pages of the write-ahead log that start a checkpoint (PRAGMA wal_autocheckpoint),
      0 for none; repeatable and comma-separated. `bench` takes fewer where 1000 fill more than an eighth of
      the smallest memory.
    - ``crash_images``: Images of interrupted runs that are sampled for the verdict on power cuts; 0 for no
      verdict.
    - ``dma_bytes``: Also says what processor and DMA take where copies of at least so many bytes in the mean
      leave the processor.
    - ``file_systems``: File systems that hold the database, each run by itself; repeatable and comma-
      separated.
    - ``journals``: How SQLite keeps transactions whole (PRAGMA journal_mode); repeatable and comma-separated.
    - ``log_file_system``: File system on that part [default: flat].
    - ``log_target``: Part on the board of each target, or PART@BOARD, that holds the write-ahead log or the
      journal [default: they lie beside the database].
    - ``logs``: What becomes of the log's file after a checkpoint (PRAGMA journal_size_limit); repeatable and
      comma-separated.
    - ``page_bytes``: Bytes of a page of the database (PRAGMA page_size), a power of two from 512 B to 64KiB;
      repeatable and comma-separated.
    - ``rows``: Rows of a transaction, of the workloads that insert or read them; repeatable and comma-
      separated.
    - ``script``: SQL to run in place of the workloads: each statement is timed.
    - ``settings``: Choices of a file system that are not its defaults, by `FS.NAME`.
    - ``syncs``: When SQLite syncs (PRAGMA synchronous); repeatable and comma-separated.
    - ``test``: What is made of the combinations.
    - ``told``: Guarantees of the file system that the VFS reports to SQLite; repeatable and comma-separated.
    - ``transactions``: Transactions that are timed of each workload [default: as many as 5000 rows make, at
      most 2500; of a search at least three times the most pages of a checkpoint].
    - ``works``: What is done, each on a database of its own; repeatable and comma-separated.
    - A whole document states file_systems, journals, syncs, page_bytes, checkpoint_pages, logs, told, works,
      rows, cache_bytes.
    """

    __slots__ = (
        "cache_bytes", "capacity_bytes", "check_unit", "checkpoint_pages", "crash_images", "dma_bytes",
        "file_systems", "journals", "log_file_system", "log_target", "logs", "page_bytes", "rows", "script",
        "settings", "syncs", "test", "told", "transactions", "works",
    )
    _fields = __slots__
    _constants = {"kind": "sql"}

    def __init__(
        self,
        *,
        cache_bytes: int | None = None,
        capacity_bytes: int | None = None,
        check_unit: bool | None = None,
        checkpoint_pages: Sequence[int] | None = None,
        crash_images: int | None = None,
        dma_bytes: int | None = None,
        file_systems: Sequence[str] | None = None,
        journals: Sequence[SqlJournal] | None = None,
        log_file_system: str | None = None,
        log_target: str | None = None,
        logs: Sequence[SqlLog] | None = None,
        page_bytes: Sequence[int] | None = None,
        rows: Sequence[int] | None = None,
        script: str | None = None,
        settings: Mapping[str, str] | None = None,
        syncs: Sequence[SqlSync] | None = None,
        test: SqlTest | None = None,
        told: Sequence[SqlTold] | None = None,
        transactions: int | None = None,
        works: Sequence[SqlWork] | None = None,
    ) -> None:
        self.cache_bytes = cache_bytes
        self.capacity_bytes = capacity_bytes
        self.check_unit = check_unit
        self.checkpoint_pages = checkpoint_pages
        self.crash_images = crash_images
        self.dma_bytes = dma_bytes
        self.file_systems = file_systems
        self.journals = journals
        self.log_file_system = log_file_system
        self.log_target = log_target
        self.logs = logs
        self.page_bytes = page_bytes
        self.rows = rows
        self.script = script
        self.settings = settings
        self.syncs = syncs
        self.test = test
        self.told = told
        self.transactions = transactions
        self.works = works


class WearWorkload(Model):
    """Endurance, and latency over life.

    - ``blocks``: Blocks of each chip, the first good ones.
    - ``dwells_s``: Time that a programmed block keeps its charge before it is erased; repeatable and comma-
      separated.
    - ``most_cycles``: Cycles after which a block that has not failed is given up.
    - ``order``: Order of the cycles across blocks: each block until it fails, or drawn from the seed.
    - ``samples``: Chips of each target, each drawn by itself.
    - ``temperatures_celsius``: Temperature of the chip in degrees Celsius, -40 to 125; repeatable and comma-
      separated.
    - ``usages``: What is programmed before each erase; repeatable and comma-separated.
    - A whole document states blocks, samples, usages, order, temperatures_celsius, dwells_s, most_cycles.
    """

    __slots__ = (
        "blocks", "dwells_s", "most_cycles", "order", "samples", "temperatures_celsius", "usages",
    )
    _fields = __slots__
    _constants = {"kind": "wear"}

    def __init__(
        self,
        *,
        blocks: int | None = None,
        dwells_s: Sequence[float] | None = None,
        most_cycles: int | None = None,
        order: Pattern | None = None,
        samples: int | None = None,
        temperatures_celsius: Sequence[float] | None = None,
        usages: Sequence[WearUsage] | None = None,
    ) -> None:
        self.blocks = blocks
        self.dwells_s = dwells_s
        self.most_cycles = most_cycles
        self.order = order
        self.samples = samples
        self.temperatures_celsius = temperatures_celsius
        self.usages = usages


Workload = Union[
    AppWorkload, BoundWorkload, RawWorkload, BufferWorkload, CompareWorkload, DramWorkload, FitWorkload,
    FsWorkload, HealthTraceWorkload, HealthScoreWorkload, HostWorkload, IoWorkload, KvWorkload,
    SqlWorkload, WearWorkload
]


class Experiment(Model):
    """Targets, a workload and the conditions of a run. Inputs and seed give the run, bit for bit.

    - ``age``: Fraction of rated life already used, 0 to 1.
    - ``ftl``: The translation layer that raw flash is run behind, where there is one.
    - ``seed``: Seed of everything that is drawn.
    - ``targets``: What is run: `PART@BOARD`, or `PART` where the part names a default board.
    - ``timing``: Which of the data sheets' columns apply, each run by itself. A single one is written without
      its list.
    - ``workload``: What the targets do.
    - A whole document states targets, workload, timing, age, seed.
    """

    __slots__ = (
        "age", "ftl", "seed", "targets", "timing", "workload",
    )
    _fields = __slots__
    _nested = {"ftl": "TranslationLayer", "workload": "Workload"}

    def __init__(
        self,
        *,
        age: float | None = None,
        ftl: TranslationLayer | None = None,
        seed: int | None = None,
        targets: Sequence[str] | None = None,
        timing: Timing | Sequence[Timing] | None = None,
        workload: Workload | None = None,
    ) -> None:
        self.age = age
        self.ftl = ftl
        self.seed = seed
        self.targets = targets
        self.timing = timing
        self.workload = workload


Model._registry.update({
    "TranslationLayer": TranslationLayer,
    "PowerRun": PowerRun,
    "ModulePrices": ModulePrices,
    "AccessSource": ("kind", {
        "stream": StreamAccess,
        "log": LogAccess,
        "trace": TraceAccess,
    }),
    "Limits": Limits,
    "Prices": Prices,
    "Work": Work,
    "DramTest": ("kind", {
        "idle": DramIdleTest,
        "bandwidth": DramBandwidthTest,
        "loaded": DramLoadedTest,
        "surface": DramSurfaceTest,
        "trace": DramTraceTest,
    }),
    "LogSource": LogSource,
    "HostAccess": HostAccess,
    "HostTest": ("kind", {
        "latency": HostLatencyTest,
        "matrix": HostMatrixTest,
        "bandwidth": HostBandwidthTest,
        "loaded": HostLoadedTest,
        "all": HostAllTest,
        "storage": HostStorageTest,
        "import": HostImportTest,
    }),
    "KvBench": KvBench,
    "KvCrash": KvCrash,
    "KvTest": ("", {
        "bench": KvBenchTest,
        "crash": KvCrashTest,
    }),
    "Workload": ("kind", {
        "app": AppWorkload,
        "bound": BoundWorkload,
        "raw": RawWorkload,
        "buffer": BufferWorkload,
        "compare": CompareWorkload,
        "dram": DramWorkload,
        "fit": FitWorkload,
        "fs": FsWorkload,
        "health": ("of", {"trace": HealthTraceWorkload, "score": HealthScoreWorkload}),
        "host": HostWorkload,
        "io": IoWorkload,
        "kv": KvWorkload,
        "sql": SqlWorkload,
        "wear": WearWorkload,
    }),
    "Experiment": Experiment,
})
