//! What the DRAM's work costs in joules.
//!
//! Two steps, so that one run gives the energies of several sets of currents and thereby their band: [`EnergyMeter`]
//! watches a sub-channel and counts what energy depends on ([`EnergyCounts`]: commands, and clocks in every state of a
//! rank); [`energy`] multiplies the counts with one set of [`Currents`]. How a data sheet's currents become joules of
//! one command is described in `loops.rs`.

mod breakdown;
mod counts;
mod currents;
mod loops;
mod meter;

pub use breakdown::{ENERGY_PARTS, EnergyBreakdown, EnergyPart, energy};
pub use counts::EnergyCounts;
pub use currents::{Currents, RailCurrents};
pub use meter::EnergyMeter;
