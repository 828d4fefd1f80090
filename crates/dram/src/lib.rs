//! DDR5 at command level: sub-channels of RDIMMs and MRDIMMs behind a memory controller.
//!
//! A [`SubChannel`] takes requests with their arrival times and says through an [`Observer`] which commands it
//! issued and when every request was served. It jumps from event to event; what it decides is what a controller that
//! looks at every clock would decide, by the rules of `DESIGN.md`.
//!
//! ```
//! use wordline_dram::{RequestKind, Location, Observer, Request, ServedRequest, SubChannel, SubChannelConfig};
//!
//! /// Clocks from arrival to the last beat.
//! #[derive(Default)]
//! struct Latencies(Vec<u64>);
//!
//! impl Observer for Latencies {
//!     fn served(&mut self, served: &ServedRequest) {
//!         self.0.push(served.finish - served.arrival);
//!     }
//! }
//!
//! let mut channel = SubChannel::new(&SubChannelConfig::ddr5_6400(), Latencies::default())?;
//! for (id, column) in [(0, 0), (1, 1)] {
//!     let location = Location { row: 5, column, ..Location::default() };
//!     channel.push(Request { id, kind: RequestKind::Read, location, arrival: 1000 * (id + 1) })?;
//! }
//! channel.flush();
//! // The first read opens its row (tRCD 52, CL 52, burst 8); the second one finds it open.
//! assert_eq!(channel.observer().0, [52 + 52 + 8, 52 + 8]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Times in a sub-channel are clocks of its DRAM. Whoever joins several domains converts once a request, with
//! [`ClockDomain`].

pub mod checker;
mod command;
mod config;
pub mod energy;
mod engine;
mod example;
pub mod log;
mod mapping;
mod observer;
mod request;
pub mod scheduler;
pub mod sheet;
pub mod statistics;
mod timing;

pub mod system;

pub use command::{Command, Issued};
pub use config::{
    ChannelGeometry, ClockDomain, ConfigError, CoreConfig, LinkConfig, PagePolicy, Policy, Refresh,
    RefreshManagement, RefreshStagger, SameBankOrder, SubChannelConfig, SystemConfig, Topology,
};
pub use energy::{
    Currents, EnergyBreakdown, EnergyCounts, EnergyMeter, EnergyPart, RailCurrents, energy,
};
pub use engine::{PushError, ScheduledSubChannel, SubChannel};
pub use mapping::{
    AddressError, AddressField, AddressHash, AddressMap, AddressMapping, DecodedAddress, Digit,
    HashBit, HashRule, HashTextError,
};
pub use observer::{CAUSES, Observer, RowOutcome, ServedRequest, WaitCause};
pub use request::{Location, Request, RequestKind};
pub use statistics::{BusAccount, ClockHistogram, Statistics, TrafficSummary};
pub use timing::Timing;
