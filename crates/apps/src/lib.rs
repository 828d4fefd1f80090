//! What another memory does to a program.
//!
//! A [`Profile`] says what a program asks of its memory: lines read and written, how long its cores wait for them, how many
//! misses a core has under way, how all that varies over time. Each number has a basis, and what is not known is a range.
//! A profile is imported from counters, recorded from a binary, fitted to probes, or given by hand.
//!
//! ```
//! use wordline_apps::Profile;
//!
//! let text = r#"{
//!     "schema": 1, "name": "solver", "baseline": "rdimm-6400@xeon6-1s", "cores": 128,
//!     "phases": [{
//!         "name": "all", "seconds": {"value": 60, "basis": "measured"},
//!         "lines_read": {"value": 328e9, "basis": "measured"},
//!         "lines_written": {"value": 82e9, "basis": "measured"},
//!         "stall_share": {"value": 0.55, "range": [0.5, 0.6], "basis": "assumed"}
//!     }]
//! }"#;
//! let profile = Profile::from_json(text).expect("it is a profile");
//! let read = profile.phases[0].read_rate();
//! assert!((read - 350e9).abs() < 1e9);
//! ```

#![forbid(unsafe_code)]

pub mod band;
pub mod capacity;
pub mod core;
pub mod curve;
pub mod energy;
pub mod import;
pub mod kernels;
pub mod levels;
pub mod overlap;
pub mod probe;
pub mod profile;
pub mod project;
pub mod record;
pub mod surface;

pub use band::{BandRequest, ProjectionBand};
pub use curve::{CurvePlace, LatencySurface, MemoryCurve, SurfaceTable};
pub use energy::{MeasuredTask, PowerError, ServerPower, TaskEnergy};
pub use profile::{LoadLevels, Profile, ProfileError, ProfilePhase, ProfileValue};
pub use project::{
    MemoryUse, PlainEstimates, ProgramBound, ProjectedMemory, Projection, ProjectionCaution,
    ProjectionError, TimeShares, project,
};
pub use surface::{Surface, SurfaceAnswer, SurfaceCurve, SurfaceError, SurfacePlace, SurfacePoint};
