//! DDR5 at command level: sub-channels of RDIMMs and MRDIMMs behind a memory controller.
//!
//! A [`SubChannel`] takes requests with their arrival times and says through an [`Observer`] which commands it
//! issued and when every request was served. It jumps from event to event; what it decides is what a controller that
//! looks at every clock would decide, by the rules of `DESIGN.md`.
//!
//! Times in a sub-channel are clocks of its DRAM. Whoever joins several domains converts once a request, with
//! [`Clock`].

pub mod checker;
mod command;
mod config;
pub mod energy;
mod engine;
pub mod log;
mod mapping;
mod observer;
mod request;
pub mod sheet;
pub mod statistics;
mod timing;

pub mod system;

pub use command::{Command, Issued};
pub use config::{
    Clock, ConfigError, CoreConfig, Geometry, PagePolicy, Policy, Refresh, RefreshStagger,
    SubChannelConfig, SystemConfig,
};
pub use energy::{Currents, EnergyBreakdown, EnergyCounts, EnergyMeter, EnergyPart, Rail, energy};
pub use engine::{PushError, SubChannel};
pub use mapping::{AddressError, AddressMap, Digit, Field, Mapping, Place};
pub use observer::{CAUSES, Cause, Observer, Outcome, Served};
pub use request::{Kind, Location, Request};
pub use statistics::{BusAccount, ClockHistogram, Statistics, Summary};
pub use timing::Timing;
