//! Every axis that a result row can have: one registry, and nowhere else.

use crate::names::named;

use crate::metric::Property;
use Property::Share;

/// What the registry says of an axis.
#[derive(Clone, Copy, Debug)]
pub struct AxisInfo {
    /// The axis itself.
    pub axis: Axis,
    /// As result rows spell it; the unit is in the name.
    pub name: &'static str,
    /// Unit of its coordinates, `1` for a pure number, empty for names.
    pub unit: &'static str,
    /// How its coordinates are shown.
    pub properties: &'static [Property],
    /// What it means, in a sentence.
    pub meaning: &'static str,
}

macro_rules! axes {
    ($($variant:ident $name:literal $(was $old:literal)? $unit:literal $([$($property:expr),+])? $meaning:literal;)*) => {
        named! {
            /// A coordinate that distinguishes rows. [`AXES`] holds unit and meaning of each. The order is that of the
            /// names, which rows keep.
            pub enum Axis { $(#[doc = $meaning] $variant = $name $(was $old)?,)* }
        }

        /// The registry, in the order of [`Axis`].
        pub const AXES: &[AxisInfo] = &[
            $(AxisInfo {
                axis: Axis::$variant,
                name: $name,
                unit: $unit,
                properties: &[$($($property),+)?],
                meaning: $meaning,
            },)*
        ];
    };
}

axes! {
    AccessBytes "access_bytes" "B" "Bytes of an access or of a record.";
    Accesses "accesses" "1" "Consecutive accesses that the value is of.";
    AfterCycles "after_cycles" "cycles" "Cycles before the operation.";
    AfterYears "after_years" "years" "Time of work before the moment that the value is of.";
    Arrival "arrival" "" "Whether data arrive as whole records (`record`) or as a steady stream of bytes (`fluid`).";
    AtS "at_s" "s" "Moment of the run, from its start.";
    Block "block" "1" "Block of the memory.";
    Build "build" "" "How a table came to its load, or the build of the software that the processor runs.";
    Cache "cache" "" "Level of the caches between a program and its memory.";
    CapacityBytes "capacity_bytes" "B" "Size of the memory, or of the part of it that a file system has.";
    CapacityShare "capacity_share" "1" [Share] "Share of the memory's pages that can hold data.";
    Cause "cause" "" "What the part of a metric is due to.";
    CheckpointPages "checkpoint_pages" "1" "Pages of a write-ahead log that start a checkpoint.";
    Chip "chip" "" "Chip of the log that the block is in.";
    Choice "choice" "" "Choice that a sheet or a system leaves open, and that was varied.";
    DelayCycles "delay_cycles" "cycles" "Processor cycles that each core waits between two accesses.";
    Depth "depth" "1" "Accesses of storage that are under way at a time.";
    DeviceOperation "device_operation" "" "Operation of the memory that a metric counts.";
    Directory "directory" "" "Where a table keeps its directory.";
    During "during" "" "What the memory does by itself meanwhile, or a translation layer beside the access.";
    DwellS "dwell_s" "s" "Time between two cycles of a block.";
    Estimate "estimate" "" "How a value was estimated, where it is no plain result of the run.";
    Fill "fill" "1" [Share] "Share of the memory that held data before the run.";
    FromCpu "from_cpu" "1" "Processor that a line comes from.";
    FromNode "from_node" "1" "NUMA node whose processor asks.";
    Fs "fs" "" "File system.";
    FsSettings "fs_settings" "" "Choices of a file system that are not its defaults, where a search varied them.";
    Ftl "ftl" "" "Translation layer of raw flash.";
    GapS "gap_s" "s" "Pause between two accesses.";
    Half "half" "" "Half of a log: the one that a part was fitted to (`first`), or the one that was held out (`second`).";
    HorizonS "horizon_s" "s" "Time that an extrapolation reaches over.";
    Imbalance "imbalance" "1" "Load of the busiest channel over the mean.";
    Journal "journal" "" "How a database keeps transactions whole.";
    Kernel "kernel" "" "Instructions that move lines.";
    KeyBytes "key_bytes" "B" "Bytes of a key.";
    LatencyFrom "latency_from" "" "Instant that a latency of a loop at a rate counts from: the `intended` start; without it the start itself.";
    LifeShare "life_share" "1" [Share] "Share of its life that a block had used when its rest was predicted.";
    Load "load" "" "Share of a table's places in use; of memory modules the throughput at which two are compared.";
    Locality "locality" "1" [Share] "Share of the lines that follow the line before them; the others are random.";
    Log "log" "" "What becomes of the file of a database's log after a checkpoint.";
    LogFs "log_fs" "" "File system of a database's log or journal, where they lie on another memory.";
    LogTarget "log_target" "" "Memory of a database's log or journal, where it is another one.";
    MeasuredModule "measured_module" "" "Module in its system that a machine was measured with, which draws of undisclosed choices have to give.";
    Memory "memory" "" "Which of two memories of a database: that of its `tables`, or that of its `log` or journal.";
    Mix "mix" "" "Reads to writes.";
    Offload "offload" "" "What leaves the processor: copies to a DMA (`dma`), checksums to a unit (`checks`), or `both`.";
    OnConflict "on_conflict" "" "What a memory does with an access that finds it busy by itself.";
    Order "order" "" "Order in which blocks are worn, where it is not their own.";
    Over "over" "" "Target that a ratio divides by.";
    PageBytes "page_bytes" "B" "Bytes of a page of a database.";
    Pages "pages" "" "Size of pages that was asked for; `pages_obtained` says how much of it there was.";
    Path "path" "" "How reads reach the memory, where that was asked: `mapped` through the address space, or by a `driver`.";
    Pattern "pattern" "" "Order of addresses.";
    Phase "phase" "" "Phase of a program.";
    Point "point" "1" "Place of a point on its curve, least load first, where nothing states its pause.";
    Population "population" was "of" "" "What survives: the whole memory, its first block, or a block.";
    Predictor "predictor" "" "Rule that predicts the rest of a block's life.";
    RamBytes "ram_bytes" "B" "RAM of the buffer.";
    RateBytesPerS "rate_bytes_per_s" "B/s" "Rate at which data come in.";
    Sample "sample" "1" "Which of several drawn memories.";
    Setting "setting" "" "What a varied choice was set to.";
    Statistic "statistic" "" "Which statistic of several samples the value is; `low` and `high` are the ends of the 95 % interval of a median.";
    Stores "stores" "" "How lines are stored: `plain` into the caches, which read them first, or `non-temporal` past them.";
    Streams "streams" "1" "Sequential streams that are written in turn.";
    Survivors "survivors" "1" "Share that still works.";
    Sync "sync" "" "When data are made durable.";
    Table "table" "" "Key-value table.";
    TemperatureCelsius "temperature_celsius" "°C" "Temperature of the memory.";
    Test "test" "" "Test of memory modules, or of this machine.";
    Threads "threads" "1" "Threads, each on a processor of its own.";
    ToCpu "to_cpu" "1" "Processor that a line goes to.";
    ToNode "to_node" "1" "NUMA node whose memory answers.";
    Told "told" "" "Guarantees of the file system that the VFS reports to the database.";
    TransactionRows "transaction_rows" "1" "Rows of a transaction.";
    Usage "usage" "" "What is done to the blocks in each cycle.";
    ValueBytes "value_bytes" "B" "Bytes of a value.";
    Verdict "verdict" "" "What the log shows of the block's life.";
    WithinS "within_s" "s" "Longest duration of the accesses that a share counts, or that a capacity was asked for.";
    Work "work" "" "Mix of operations of a table, or what is done with a database.";
    WorkingSetBytes "working_set_bytes" "B" "Bytes that loads go over.";
    WriteShare "write_share" "1" [Share] "Share of the lines that are written.";
}

impl Axis {
    /// What the registry says of this axis.
    #[must_use]
    pub const fn info(self) -> &'static AxisInfo {
        &AXES[self as usize]
    }

    /// Unit of its coordinates.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        self.info().unit
    }

    /// Whether the registry gives this axis a property.
    #[must_use]
    pub fn has(self, property: Property) -> bool {
        self.info().properties.contains(&property)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_in_the_order_of_the_names() {
        assert!(AXES.is_sorted_by(|one, next| one.name < next.name));
    }
}
