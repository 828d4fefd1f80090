//! Quantities, figures and results: the vocabulary that every other crate of Wordline speaks.
//! Nothing here reads files, clocks or global randomness.
//!
//! ```
//! use wordline_core::quantity::{ByteCount, Frequency, Time};
//!
//! let clock: Frequency = "120 MHz".parse()?;
//! let access: ByteCount = "2 KiB".parse()?;
//! // Four data lines move one byte in two clock cycles.
//! let bus_time = clock.duration_of(2 * access.bytes());
//! assert_eq!(bus_time, Time::from_ps(34_133_333));
//! assert_eq!(bus_time.to_string(), "34.133333 us");
//! # Ok::<(), wordline_core::quantity::QuantityError>(())
//! ```

pub mod draw;
pub mod experiment;
pub mod explore;
pub mod quantity;
pub mod results;
pub mod sweep;

mod axis;
mod basis;
mod clock;
mod figure;
mod histogram;
mod lifecycle;
mod metric;
mod names;
mod nearest;
mod operation;
mod timing;

pub use axis::{AXES, Axis, AxisInfo};
pub use basis::Basis;
pub use clock::SimClock;
pub use experiment::{
    AccessSource, AppWorkload, Arrival, BackgroundWork, Band, BandwidthTest, BoundWorkload,
    BufferWorkload, ChainOrder, ColumnUnit, CompareWorkload, DramTest, DramTraceTest, DramWorkload,
    Durations, EngineName, Experiment, FitWorkload, FsTest, FsWorkload, FtlMapping, HealthWorkload,
    HostAccess, HostAllTest, HostBandwidthTest, HostImportTest, HostLatencyTest, HostLoadedTest,
    HostMatrixTest, HostMix, HostPages, HostStorageTest, HostTest, HostWorkload, IdleTest,
    InputFile, IoWorkload, KernelName, KvBench, KvBuild, KvCrash, KvDirectory, KvSizes, KvTest,
    KvWork, KvWorkload, LIMIT_RULES, LifeBy, LimitRule, Limits, LoadedTest, LogSource, Mix,
    ModulePrices, NamedValues, Operation, Pattern, PowerRun, Preference, Prices, RawWorkload,
    ShareOrSize, ShareOrSizeError, SizeOrPeriod, SizeOrPeriodError, SqlJournal, SqlLog, SqlSync,
    SqlTest, SqlTold, SqlWork, SqlWorkload, StorageEngine, StorageSync, StoreKind, StreamSource,
    SurfaceTest, TraceSource, TranslationLayer, WearUsage, WearWorkload, Work, WorkKind, Workload,
    WriteSync,
};
#[cfg(feature = "cli")]
pub use experiment::{COMMANDS, ExperimentCommand, is_given};
pub use figure::{Fallback, Figure, Provenance, Readings, Resolver, SheetColumn, Sourced, Spread};
pub use histogram::{Bucket, LatencyHistogram};
pub use lifecycle::{Lifecycle, LifecycleStatus};
pub use metric::{Better, METRICS, Metric, MetricInfo, Property};
pub use nearest::nearest;
pub use operation::RowOperation;
pub use results::ResultSet;
pub use timing::Timing;
