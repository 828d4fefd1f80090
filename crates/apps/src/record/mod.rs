//! Profiles of programs that were recorded instruction by instruction.
//!
//! Whoever runs the program hands its accesses to [`CoreTrace`], which keeps the caches of the target system: two levels of
//! each core and one that all share. Of some windows a [`CoreModel`] also executes every instruction out of order. It says
//! which misses wait for others, and so how many a core has under way, which a count of misses in a window overstates.
//! [`ProgramRecording`] is what was counted, and [`RecordingAssumptions`] turn it into a [`Profile`](crate::Profile).

mod assumptions;
mod cache;
mod core_model;
mod hierarchy;
mod operation;
mod predictor;
mod recording;
mod samples;
mod space;
mod streams;
#[cfg(test)]
mod tests;
mod trace;
mod windows;

pub use assumptions::{BaselineCurve, RecordingAssumptions, RecordingError};
pub use cache::{CacheSetting, CacheSettingError, LineCache};
pub use core_model::{CoreModel, CoreShape, LineTouch};
pub use hierarchy::{AccessSide, LastCache, LastOperation, OwnCaches, RecordedCaches};
pub use operation::{Branch, MicroOperation};
pub use predictor::BranchHistory;
pub use recording::{
    AccessCounts, ProgramRecording, RecordingFault, RecordingSample, RecordingWindows, SampleCycles,
};
pub use samples::SamplePlan;
pub use space::LineSpace;
pub use streams::MissStreams;
pub use trace::{CoreTrace, SharedTrace, TraceBlock, TraceRecord, TraceRegime};
