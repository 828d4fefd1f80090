//! Every metric that a result row can hold: one registry, and nowhere else.

use crate::names::named;

/// Which direction of a metric a user wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither: the metric explains rather than ranks.
    Neither,
}

/// What the registry says of a metric.
#[derive(Clone, Copy, Debug)]
pub struct MetricInfo {
    /// The metric itself.
    pub metric: Metric,
    /// As result rows spell it.
    pub name: &'static str,
    /// SI base unit of its values; `1` for a pure number.
    pub unit: &'static str,
    /// Which direction is better.
    pub better: Better,
    /// How its values are shown and checked.
    pub properties: &'static [Property],
    /// What it means, in a sentence.
    pub meaning: &'static str,
}

/// A column of the registry that only some metrics have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// A share of a whole, 0 to 1; people read it as a percentage.
    Share,
    /// An amount of RAM; people read it with a binary prefix, rounded up.
    Ram,
    /// It needs currents, prices or sizes: where a sheet lacks one, there is a value, but it is unknown.
    NeedsFigure,
    /// A count: its values are whole.
    Whole,
    /// A column of the table of results: its place from the left, the cause where the column is of one part, and its
    /// heading.
    Headline(u8, Option<&'static str>, &'static str),
}

use Property::{Headline, NeedsFigure, Ram, Share, Whole};

macro_rules! metrics {
    ($(
        $variant:ident $name:literal $(was $old:literal)? $unit:literal $better:ident $([$($property:expr),+])?
        $meaning:literal;
    )*) => {
        named! {
            /// What a row's value is. [`METRICS`] holds unit, direction and meaning of each.
            pub enum Metric { $(#[doc = $meaning] $variant = $name $(was $old)?,)* }
        }

        /// The registry, in the order of [`Metric`].
        pub const METRICS: &[MetricInfo] = &[
            $(MetricInfo {
                metric: Metric::$variant,
                name: $name,
                unit: $unit,
                better: Better::$better,
                properties: &[$($($property),+)?],
                meaning: $meaning,
            },)*
        ];
    };
}

metrics! {
    ThroughputMean "throughput_mean" "B/s" Higher [Headline(1, None, "throughput")]
        "Bytes moved, divided by the time from the first access to the end of the last.";
    OpsRate "ops_rate" "1/s" Higher
        "Accesses finished, divided by the time from the first access to the end of the last.";
    LatencyMean "latency_mean" "s" Lower [Headline(3, None, "latency mean")] "Mean duration of an access.";
    LatencyP50 "latency_p50" "s" Lower [Headline(4, None, "latency p50")] "Duration that half of the accesses do not exceed.";
    LatencyP5 "latency_p5" "s" Lower "Duration that 5 % of the accesses do not exceed.";
    LatencyP25 "latency_p25" "s" Lower "Duration that 25 % of the accesses do not exceed.";
    LatencyP75 "latency_p75" "s" Lower "Duration that 75 % of the accesses do not exceed.";
    LatencyP90 "latency_p90" "s" Lower "Duration that 90 % of the accesses do not exceed.";
    LatencyP99 "latency_p99" "s" Lower [Headline(5, None, "latency p99")] "Duration that 99 % of the accesses do not exceed.";
    LatencyP999 "latency_p999" "s" Lower "Duration that 99.9 % of the accesses do not exceed.";
    LatencyMax "latency_max" "s" Lower [Headline(6, None, "latency max")] "Duration of the slowest access, exact.";
    LatencyMin "latency_min" "s" Lower "Duration of the fastest access, exact.";
    DurationTotal "duration_total" "s" Lower "Duration of all accesses of the line together.";
    LatencyFloor "latency_floor" "s" Neither
        "Longest duration of an access that no file system on the memory can promise to stay below: its programs, and an \
         erase.";
    LatencyMaxPart "latency_max_part" "s" Lower
        "What one cause contributed to the slowest access; the column `cause` names it, and the \
         parts add up to latency_max.";
    TimeShare "time_share" "1" Neither [Share, Headline(9, Some("driver"), "driver share"), Headline(13, Some("cleaning"), "cleaning share"), Headline(14, Some("merging"), "merging share"), Headline(15, Some("folding"), "folding share")]
        "Share of the run that one cause took; the column `cause` names it, and the shares add up \
         to 1.";
    EnergyPerByte "energy_per_byte" "J/B" Lower [NeedsFigure, Headline(11, None, "energy")] "Energy of the run, divided by the bytes moved. Energies are of the memory alone.";
    HostEnergyPerByte "host_energy_per_byte" "J/B" Lower
        "Energy of the host while it drives the memory, divided by the bytes moved: its run current \
         while it works and polls, its sleep current while data move without it. Only where the \
         board states them.";
    EnergyPerOp "energy_per_op" "J" Lower [NeedsFigure] "Energy of the run, divided by the accesses.";
    EnergyTotal "energy_total" "J" Lower [NeedsFigure]
        "Energy of the run: time in each power state times current times voltage, summed.";
    PowerMean "power_mean" "W" Lower [NeedsFigure]
        "Energy of the run, divided by its duration; with the cause `standby` in a comparison, what all chips \
         together take while they stand by.";
    RamPeak "ram_peak" "B" Lower [Ram, Headline(10, None, "RAM peak")]
        "Peak RAM for whole records that wait, the record being written excluded.";
    RamPeakInFlight "ram_peak_in_flight" "B" Lower [Ram]
        "Peak RAM for whole records that wait, the record being written included.";
    RamProvision "ram_provision" "B" Lower [Ram]
        "RAM to provision for records that arrive whole: the record being gathered, those that wait, and the one being \
         written. Of what was seen it is ram_peak_in_flight and one record; beyond that it covers what may come within \
         provision_horizon.";
    ProvisionHorizon "provision_horizon" "s" Higher
        "Time of such work for which ram_provision suffices with provision_confidence, if what comes is like what came: as \
         long as was asked for, or as the accesses that were seen support. Unbounded where a bound is proven.";
    ProvisionConfidence "provision_confidence" "1" Higher [Share]
        "Probability with which ram_provision suffices for provision_horizon.";
    RateMax "rate_max" "B/s" Higher [Headline(2, None, "rate max")] "Highest input rate at which nothing is lost.";
    GrowthRate "growth_rate" "B/s" Lower
        "How fast the buffer grows where the input rate cannot be sustained.";
    SequenceDurationMax "sequence_duration_max" "s" Lower
        "Longest total duration of a number of consecutive accesses.";
    AccessCount "access_count" "1" Neither "Accesses that the other values of the line rest on.";
    Coverage "coverage" "1" Neither [Share]
        "Durations of the accesses of a log, summed, divided by the time from the start of the first to \
         the end of the last: the share of the time that the log accounts for.";
    BufferFillMax "buffer_fill_max" "B" Lower [Ram]
        "Highest fill of the buffer within a stretch of the run, the bytes being written included.";
    BytesAtRisk "bytes_at_risk" "B" Lower [Ram] "Bytes that a power cut can lose: those in RAM, the record being gathered included, and those in the memory's own cache.";
    WriteAmplification "write_amplification" "1" Lower [Headline(12, None, "write amp.")]
        "Bytes written to the memory, divided by the bytes that the user wrote.";
    PagesMoved "pages_moved" "1" Lower
        "Pages that a translation layer moved or wrote besides those that the user wrote; the column `cause` \
         names why.";
    MappingRam "mapping_ram" "B" Lower [Ram, Headline(16, None, "mapping RAM")]
        "RAM that a translation layer keeps its mapping in.";
    LayerReadOnly "layer_read_only" "1" Lower [Whole]
        "1 of a translation layer that refused the last write, for the reason in the column `cause`; what was written can be \
         read.";
    LayerSpareBlocks "layer_spare_blocks" "1" Higher [Whole]
        "Blocks of a translation layer that refuses writes that may still go bad.";
    LayerBadBlocks "layer_bad_blocks" "1" Lower [Whole]
        "Bad blocks of a translation layer that refuses writes, those from the factory included.";
    LayerGrownBad "layer_grown_bad" "1" Lower [Whole]
        "Those among them that went bad since the layer was formatted or mounted.";
    LayerErasesMax "layer_erases_max" "1" Lower [Whole]
        "Erases of the most worn good block of such a layer.";
    LayerLostPages "layer_lost_pages" "1" Lower [Whole]
        "Logical pages of such a layer whose content is lost, until they are written or trimmed.";
    Endurance "endurance" "cycles" Higher "Write or erase cycles until a unit fails.";
    BlocksFailed "blocks_failed" "1" Lower
        "Blocks that failed; the column `cause` names the operation that reported it.";
    LatencyOverLife "latency_over_life" "1" Neither
        "Duration of an operation in the last cycle of a block that did not fail, divided by the mean of its first \
         10,000 or fewer; of several blocks the median.";
    CyclesLogged "cycles_logged" was "cycles_seen" "cycles" Neither
        "Cycles that a log records of a block.";
    LatencyVsFresh "latency_vs_fresh" was "latency_to_fresh" "1" Neither
        "Duration of an operation of a block at the end of a log, smoothed, divided by that of the fresh block.";
    GrowthExponent "growth_exponent" "1" Neither
        "Exponent of the cycles in the growth of an operation's time, fitted; the column `statistic` names median, p5 and \
         p95 of what is probable.";
    LifeUsed "life_used" "1" Lower [Share]
        "Share of its life that a block has used, from its latency; the column `statistic` names median, p5 and p95 of \
         what is probable.";
    CyclesLeft "cycles_left" "cycles" Higher
        "Cycles that a block stands from here on: those that it has seen, divided by the share of its life that they used, \
         less themselves; the column `statistic` as of life_used.";
    PredictionError "prediction_error" "1" Lower [Share]
        "Difference between predicted and actual remaining cycles, divided by the actual ones; the median over blocks \
         and moments.";
    PredictionErrorOfLife "prediction_error_of_life" "1" Lower [Share]
        "Difference between predicted and actual remaining cycles, divided by the block's endurance; the median over \
         blocks and moments.";
    IntervalCoverage "interval_coverage" was "band_coverage" "1" Higher [Share]
        "Share of predictions whose 90 % interval holds the actual remaining cycles.";
    IntervalAvailability "interval_availability" was "band_told" "1" Higher [Share]
        "Share of blocks and moments for which a predictor states an interval. Where it cannot, its prediction is as many \
         cycles as the block has seen.";
    Lifetime "lifetime" "s" Higher [Headline(17, None, "lifetime")]
        "Time until the most-written unit reaches its rated cycles, if this workload ran on and on; of `compare` \
         until then, or until what must keep no longer does, whatever comes first.";
    LifetimeHotSpot "lifetime_hot_spot" was "lifetime_one_place" "s" Higher [Headline(18, None, "in one place")]
        "Time until one unit reaches its rated cycles, if every access of this size went to the same \
         place, on and on: the worst that a workload can do to an unlevelled memory.";
    SurvivalProbability "survival_probability" "1" Higher [Share, Headline(19, None, "survival")]
        "Probability that the memory still works after a given time.";
    WearSpread "wear_spread" "1" Lower
        "Cycles of the most-written unit, divided by the mean over the units that the workload uses; \
         of a file system, over all that it has.";
    CyclesMax "cycles_max" "cycles" Lower
        "Cycles that the calls took of the unit that they wrote or erased the most.";
    BytesMoved "bytes_moved" "B" Lower "Bytes that crossed the bus, in whole words of it; of a key-value table the mean of an operation.";
    BusCycles "bus_cycles" "cycles" Lower "Words that crossed a parallel bus, one a cycle, in the mean of an operation. A \
         byte that software loads by itself takes a cycle as well.";
    BytesFloor "bytes_floor" "B" Neither "Fewest bytes that could have done the same: of a durable put key, value and one commit atom, of a get key \
         and value.";
    CrashImages "crash_images" "1" Higher [Whole, Headline(20, None, "crash images")] "Distinct images of interrupted runs that were checked.";
    CrashFailures "crash_failures" "1" Lower [Whole, Headline(21, None, "crash failures")] "Images of interrupted runs that broke the promise.";
    CrashBoundaries "crash_boundaries" "1" Neither [Whole]
        "Operations of the workload that the images were drawn from: a power cut can fall within each.";
    BusUtilization "bus_utilization" "1" Neither [Share]
        "Share of the run in which the bus carried commands, addresses, dummy cycles or data; of DRAM, \
         share of the time of all data buses in which they carried data.";
    BusShare "bus_share" "1" Neither [Share]
        "Share of the time of all data buses of a memory that went to one cause: to data, to nothing \
         being asked for (`empty`), or to what the next request waited for. The column `cause` names \
         it, and the shares add up to 1.";
    RowHitRate "row_hit_rate" "1" Higher [Share] "Share of accesses that found their row open.";
    RowMissRate "row_miss_rate" "1" Neither [Share] "Share of accesses that found their bank closed.";
    RowConflictRate "row_conflict_rate" "1" Lower [Share]
        "Share of accesses that found another row of their bank open.";
    WaitShare "wait_share" "1" Lower [Share]
        "Share of requests' waiting time that one cause accounts for; the column `cause` names it.";
    LatencyMeanPart "latency_mean_part" "s" Lower
        "What one cause contributes to the mean duration; the column `cause` names it, and the parts \
         add up to latency_mean.";
    LatencyShare "latency_share" "1" Higher [Share]
        "Share of the accesses that took no longer than the time in the column `within_s`.";
    OutstandingMean "outstanding_mean" "1" Neither
        "Lines under way at a time, on average: reads until their data have come, writes until the \
         controller has accepted them. By Little's law their rate times their mean duration.";
    OutstandingMax "outstanding_max" "1" Neither
        "Lines that all cores together can have under way, reads and writes.";
    LineLatencyMean "line_latency_mean" "s" Lower
        "Mean time of a line from core to core: of a read until its data have come, of a write until the controller has \
         accepted it. By Little's law this times the rate of lines is outstanding_mean.";
    ThroughputBound "throughput_bound" "1" Neither
        "What keeps the throughput where it is, by Little's law: 1 the lines that the cores can have \
         under way, where all are and wait for little; 2 the memory, where all are and wait; 3 the \
         cores, which ask for no more.";
    ThroughputConfidence "throughput_confidence" "B/s" Lower
        "Half the width of the 95 % confidence interval of throughput_mean, by batch means.";
    ThroughputProbes "throughput_probes" "B/s" Neither
        "The part of throughput_mean that the cores ask for whose latency is taken.";
    LoadThreads "load_threads" "1" Neither [Whole] "Threads that load the memory beside those that are timed.";
    ThroughputP10 "throughput_p10" "B/s" Higher
        "Throughput that is reached for 90 % of the time, by windows of 1 MiB; of several threads, of all together.";
    ThroughputP50 "throughput_p50" "B/s" Higher
        "Throughput that is reached for half of the time, by windows of 1 MiB; of several threads, of all together.";
    ThroughputP90 "throughput_p90" "B/s" Higher
        "Throughput that is reached for 10 % of the time, by windows of 1 MiB; of several threads, of all together.";
    ThroughputBest "throughput_best" "B/s" Higher
        "Bytes of a whole pass over the memory, divided by the time of the fastest pass but the first: what STREAM reports.";
    BusThroughput "bus_throughput" "B/s" Higher
        "Bytes that the memory moves at most, divided by the time: beside the bytes of the program those of lines that plain \
         stores read first, which some processors leave out. The column `estimate` says of which figure.";
    PageWalkTime "page_walk_time" "s" Lower
        "What a load takes longer where it is the only one of its page than where its neighbours follow: page walks at most, \
         because neighbours also find rows of the memory open and lines that were fetched along.";
    CacheKnee "cache_knee" "B" Neither
        "Working set from which on loads take longer: where a cache or a translation buffer ends.";
    HandoverTime "handover_time" "s" Lower
        "Time that a line takes from one core to another, half of the way there and back.";
    PagesObtained "pages_obtained" "1" Higher [Share]
        "Share of the memory that lies in pages of the size that was asked for, or larger ones.";
    NodeObtained "node_obtained" "1" Higher [Share]
        "Share of the memory that lies on the NUMA node that was asked for.";
    TrustGrade "trust_grade" "1" Lower [Whole]
        "How far a measured figure can be trusted: 1 (A) quiet, 2 (B) disturbed and corrected, 3 (C) the order of magnitude. A \
         refused one has no value.";
    BatchesHit "batches_hit" "1" Lower [Share]
        "Share of the measured batches that other programs or other guests interrupted; they are left out.";
    BatchesCold "batches_cold" "1" Lower [Share]
        "Share of the measured batches that brought back what an interruption had displaced; they are left out.";
    ColdLoads "cold_loads" "1" Lower [Whole]
        "Loads after an interruption until all but 2 % of what it had displaced was back; 0 where nothing was missing.";
    ColdCorrection "cold_correction" "1" Lower [Share]
        "What loads still lacked after an interruption and was taken off, as a share of the median.";
    StealShare "steal_share" "1" Lower [Share]
        "Share of the time that the hypervisor kept the measuring processors from running.";
    CpuPressure "cpu_pressure" "1" Lower [Share]
        "Share of the time in which some program waited for a processor, as the system accounts for it.";
    MemoryPressure "memory_pressure" "1" Lower [Share]
        "Share of the time in which some program waited for memory, as the system accounts for it.";
    ClockChange "clock_change" "1" Lower [Share]
        "Greatest relative change of the measuring core's clock during the measurement.";
    OtherProcessorShare "other_processor_share" "1" Lower [Share]
        "Share of the measuring processors' time that other programs had.";
    ProcessorPerOp "processor_per_op" "s" Lower
        "Processor time of the measuring program for each access of storage.";
    StartLateness "start_lateness" "s" Lower
        "How much later than intended accesses at a rate began.";
    ReadShare "read_share" "1" Neither [Share] "Share of the bytes moved that were read.";
    LoadStage "load_stage" "1" Neither
        "Stage of a memory under load: 1 constant, where latency is at most 10 % above that of an \
         idle memory; 2 linear, up to the knee; 3 saturated, beyond it.";
    ThroughputKnee "throughput_knee" "B/s" Higher
        "Throughput at the knee of a curve of latency over throughput: the point that lies farthest \
         below the straight line between the least and the greatest load.";
    LatencyKnee "latency_knee" "s" Lower "Mean duration of an access at the knee.";
    ThroughputRatio "throughput_ratio" "1" Higher
        "Throughput, divided by that of the target in the column `over`.";
    ThroughputRatioPart "throughput_ratio_part" "1" Neither
        "What one cause contributes to throughput_ratio: where the memories are the bound, the faster \
         bus, or the share of the buses' time that a cause costs less or more; where the lines under way \
         are, or the throughputs are nearly the same, the time that a cause costs a line less or more. \
         Where the cores ask for no more there are none. The column `cause` names it, and the parts add \
         up to throughput_ratio minus 1.";
    VarianceShare "variance_share" "1" Neither
        "First-order share of the variance of throughput_ratio over all draws of the undisclosed choices that the choice in the \
         column `choice` explains by itself; of `seed`, what chance explains. It is corrected for the number of \
         draws, so that a choice without effect is 0 on average and may fall below; the `estimate` `luck` is what one \
         reaches once in a hundred times.";
    DrawCount "draw_count" "1" Neither [Whole]
        "Joint draws of the undisclosed choices that a band rests on. The `estimate` `drawn` is how many were drawn, where those \
         that do not give what a machine was measured at are set aside.";
    ThroughputMeasured "throughput_measured" "B/s" Neither
        "Throughput that a machine was measured at with the module in the column `measured_module`, as the system's sheet has it. Draws \
         that do not give it are set aside.";
    MeasuredTolerance "measured_tolerance" "1" Neither
        "How far a draw may lie from throughput_measured, relative to it, and count.";
    ReductionError "reduction_error" "1" Neither
        "Relative difference of a reduced system from the whole one, both with the choices as they stand: fewer channels and \
         cores in proportion. Bands of values are corrected by it.";
    LatencyRatio "latency_ratio" "1" Lower
        "Mean duration at a throughput, divided by that of the target in the column `over` at the \
         same throughput.";
    SpeedUp "speed_up" "1" Higher
        "Time of a program on the memory that its profile is of, divided by its time on the target. The `estimate` says \
         where it lies when all that is not known is drawn (`band_low`, `median`, `band_high`), which simpler rule it is \
         (`always`, `roofline`, `steady`), or that windows of the program were simulated whole (`cosimulated`).";
    ProgramTime "program_time" "s" Lower
        "Time of a program's run, or of the phase in the column `phase`. The `estimate` `cosimulated` says that windows of it \
         were simulated whole.";
    SurfaceDifference "surface_difference" "1" Neither
        "Time of a program's windows when they are simulated whole, over what the surface of the memory says of them, less 1: \
         above 0 the surface was too fast.";
    CoreTimeShare "core_time_share" "1" Neither [Share]
        "Share of the time of a program's cores that one cause takes; the column `cause` names it: `compute`, \
         `unloaded_latency` for waits that a memory without load would ask for, `memory_load` for what they take longer \
         under load, and `outside` for disks, networks and locks. They add up to 1.";
    ProgramBound "program_bound" "1" Neither [Whole]
        "What takes most of a program's time: 1 computing, 2 or 3 waiting for memory, most of it the latency of a memory without \
         load (2) or its load (3), 4 what is outside of computing and memory, such as I/O and locks.";
    GainOfBandwidth "gain_of_bandwidth" "1" Neither
        "What one percent more bandwidth of the target would add to speed_up, relative to it.";
    GainOfLatency "gain_of_latency" "1" Neither
        "What one nanosecond less latency of the target would add to speed_up, relative to it.";
    LinesWaitedFor "lines_waited_for" "1" Neither
        "Lines that a core of the program has under way while it waits, in the mean.";
    TaskEnergy "task_energy" "J" Lower [NeedsFigure]
        "Energy of the server for a program's run: platform, cores that compute, cores that wait, modules. Not applicable \
         where the first three are undetermined.";
    ServerPower "server_power" "W" Neither
        "Power of the server that the energy of a task is reckoned with; the column `cause` names whose: `platform` for all but \
         cores and modules, `active_core` for one core that computes, `stalled_core` for one that waits. Assumed where it \
         was stated, calibrated where it was found from measured runs.";
    TaskEnergyRatio "task_energy_ratio" "1" Lower [NeedsFigure]
        "task_energy divided by that of the target in the column `over`. Without powers of the server it has the ends `least` \
         and `greatest` as `estimate`: no powers, as long as none is below 0, take it beyond them.";
    TaskEnergyPart "task_energy_part" "J" Lower [NeedsFigure]
        "What one part of the server takes of task_energy; the column `cause` names it: `platform`, `active_cores`, \
         `stalled_cores` or `modules`.";
    CommandViolations "command_violations" "1" Lower
        "Commands of a replay that break a rule of an independent table; failed where there are any.";
    InstructionCount "instruction_count" "1" Neither [Whole]
        "Instructions of the program whose trace was replayed.";
    CacheAccesses "cache_accesses" "1" Neither [Whole]
        "Lines that loads and stores of a program ask for at a level of its caches.";
    CacheMisses "cache_misses" "1" Lower [Whole]
        "Those of them that the level does not have.";
    CacheMpki "cache_mpki" "1" Lower
        "Misses of a level of the caches in a thousand instructions of the program.";
    PowerMeanPart "power_mean_part" "W" Lower
        "What one cause contributes to the power; the column `cause` names it, and the parts add up to \
         power_mean.";
    EnergyPerDay "energy_per_day" "J" Lower [NeedsFigure]
        "Energy of a day of the work, of memory and host together; of the memory alone where the board \
         does not state what the host draws. Rows with a `cause` split it into the work and the standby of \
         each chip in the rest of the time, and add up to it.";
    HoldupTime "holdup_time" "s" Lower [NeedsFigure]
        "Time for which the supply must hold after a power cut so that everything in RAM is still written.";
    HoldupCapacitance "holdup_capacitance" "F" Lower [NeedsFigure]
        "Capacitance that carries memory and host over the hold-up time while the supply falls from its \
         nominal voltage to the lowest that the memory works at.";
    PartsNeeded "parts_needed" "1" Lower "Chips that together hold the data to keep.";
    Cost "cost" "EUR" Lower [NeedsFigure, Headline(22, None, "cost")]
        "Price of what the work needs: the memory, the RAM and a level shifter where one is needed.";
    Area "area" "m^2" Lower [NeedsFigure] "Board area of the memory's packages.";
    BackgroundDurationMean "background_duration_mean" "s" Lower [Headline(7, None, "work takes")]
        "Mean time that a program or an erase in the background takes from its command to its end, \
         what it was suspended for included. Those count that ended during the run.";
    BackgroundDelayMean "background_delay_mean" "s" Lower [Headline(8, None, "delayed by")]
        "Mean time by which reads lengthened a program or an erase in the background: what it was \
         suspended for, and what it did not get done while it came to a stand.";
    LatencyMaxOperations "latency_max_operations" "1" Lower [Whole]
        "Operations of the memory within the slowest call; the column `device_operation` names their kind.";
    LatencyMaxOperationTime "latency_max_operation_time" "s" Lower
        "What the memory's operations of one kind took of the slowest call; the column `device_operation` \
         names the kind, and they add up to latency_max.";
    DeviceOperations "device_operations" "1" Lower [Whole]
        "Operations of the memory in all calls; the column `device_operation` names their kind.";
    FileSystemRam "file_system_ram" "B" Lower [Ram]
        "RAM that a mounted file system needs on a microcontroller of 32 bits with the files of the run open: its \
         buffers and tables, its structures, and what the translation layer below needs.";
    FileSystemRamPart "file_system_ram_part" "B" Lower [Ram]
        "What `buffers`, `structures` or parts of the translation layer below (`translation-…`) contribute to \
         file_system_ram; the column `cause` names it, and the parts add up.";
    TableRam "table_ram" "B" Lower [Ram]
        "RAM that an opened key-value table needs: its directory, where that lies in RAM, and its scratch buffer.";
    EngineWrites "engine_writes" "1" Lower
        "Writes that a database asked of its file system, in the mean of an operation.";
    EngineBytesWritten "engine_bytes_written" "B" Lower
        "Bytes that a database wrote to its files, in the mean of an operation.";
    EngineBytesRead "engine_bytes_read" "B" Lower
        "Bytes that a database read from its files, in the mean of an operation.";
    EngineSyncs "engine_syncs" "1" Lower
        "Syncs that a database asked of its file system, in the mean of an operation.";
    BytesStored "bytes_stored" "B" Lower
        "Bytes that the memory programmed or wrote, in the mean of an operation.";
    DatabaseRam "database_ram" "B" Lower [Ram]
        "The most RAM that a database allocated in a run, its page cache included, as compiled for this host.";
    Instructions "instructions" "1" Lower
        "Instructions that the processor executes for an operation, in the mean: predicted from counts of the work, or \
         stated by a recorded trace; the column `cause` names who computes: `cpu_engine` the database, \
         `cpu_file_system` the file system below it.";
    ProcessorTime "processor_time" "s" Lower
        "Time that the board's processor takes for these instructions, beside that of the memory and its driver; the \
         column `cause` names who computes, and `build` the build.";
    ProcessorShare "processor_share" "1" Neither [Share]
        "Share that the processor has in an operation whose time is that of these instructions and of the memory with \
         its driver, one after the other; the column `build` names the build.";
    RowsPerJoule "rows_per_joule" "1/J" Higher [NeedsFigure]
        "Rows of transactions for a joule of the board's processor, which runs but for transfers in which it sleeps; the \
         memory is left out, and the column `build` names the build.";
    RowsPerEuro "rows_per_euro" "1/EUR" Higher [NeedsFigure]
        "Rows of transactions in a second for a euro of the board, one transaction after the other; the column `build` names \
         the build.";
    Repeats "repeats" "1" Neither [Whole]
        "Repeats of a measurement that count. Rates and durations of the line are their medians, and latency_max is \
         the longest of all; counts are those of one repeat.";
    RepeatsReplaced "repeats_replaced" "1" Lower [Whole]
        "Repeats that do not count: they were without the processor for more than 5 % of their time, and others were \
         measured in their place.";
    RepeatOutliers "repeat_outliers" "1" Lower [Whole]
        "Repeats that count and whose rate lies more than 1.5 interquartile ranges outside the quartiles.";
    ProcessorLost "processor_lost" "1" Lower [Share]
        "Share of the time in which the measuring thread was without a processor: other programs or, on a virtual \
         machine, other guests had it. Where it waits for a disk, other guests alone count.";
    Interruptions "interruptions" "1" Lower
        "Times that the operating system interrupted the measuring thread; the column `cause` names it: `preemption`, \
         where another program got the processor, `minor_fault`, where a page was mapped, and `major_fault`, where it \
         was read from a disk.";
    Disturbance "disturbance" "1" Lower [Whole]
        "Why the values of a repeated measurement may not be those of the memory: 0 nothing shows; 1 processor_lost \
         exceeds 5 %; 2 the interval of the rate is wider than a quarter of it; 3 both.";
}

impl Metric {
    /// Whether a run of a file system can have this value: nothing is below zero, and what is counted is whole. Other
    /// runs have parts that are differences.
    pub(crate) fn allows_of_files(self, value: f64) -> bool {
        let least = match self {
            // Rounding may take something from a mean.
            Self::WearSpread => 1.0 - 1e-9,
            _ => 0.0,
        };
        value >= least && (!self.has(Whole) || value.fract() == 0.0)
    }

    /// Whether there can be such a value at all. Rates and latencies are not below 0; other quantities may be, as differences of
    /// two that were measured.
    pub(crate) fn allows(self, value: f64) -> bool {
        /// More than any value: 10²² years in seconds, and more bytes than there are.
        const MOST: f64 = 1e30;
        let is_size = self.unit() == "B/s" || self.name().starts_with("latency_");
        value.abs() <= MOST && (!is_size || value >= 0.0)
    }

    /// What the registry says of this metric.
    #[must_use]
    pub const fn info(self) -> &'static MetricInfo {
        &METRICS[self as usize]
    }

    /// Whether the registry states a property of this metric.
    #[must_use]
    pub fn has(self, property: Property) -> bool {
        self.info().properties.contains(&property)
    }

    /// SI base unit of its values.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        self.info().unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_latencies_are_not_below_zero() {
        use Metric::{GainOfLatency, LatencyMean, PageWalkTime, ThroughputMean};
        for (metric, value, allowed) in [
            (LatencyMean, 1e-7, true),
            (LatencyMean, -1.0, false),
            (LatencyMean, 1e308, false),
            (ThroughputMean, 0.0, true),
            (ThroughputMean, -1.0, false),
            (PageWalkTime, -1e-9, true),
            (GainOfLatency, -0.01, true),
        ] {
            assert_eq!(metric.allows(value), allowed, "{metric} {value}");
        }
    }

    #[test]
    fn names_are_unique() {
        for info in METRICS {
            let same = METRICS.iter().filter(|other| other.name == info.name);
            assert_eq!(same.count(), 1, "{}", info.name);
        }
    }

    #[test]
    fn headlines_have_places_of_their_own() {
        let properties = METRICS.iter().flat_map(|info| info.properties);
        let mut places: Vec<u8> = properties
            .filter_map(|property| match property {
                Headline(place, ..) => Some(*place),
                _ => None,
            })
            .collect();
        places.sort_unstable();
        assert!(places.is_sorted_by(|one, next| one < next), "{places:?}");
    }
}
