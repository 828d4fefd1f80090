//! What the observers say of real runs, held against plain references that look at every clock, and the energies of
//! runs that can be reckoned by hand.

mod currents;
mod energy;
mod energy_meter;
mod loops;
mod plain;
mod runs;
mod statistics;
mod waits;
