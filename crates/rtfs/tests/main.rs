//! The layer against a plain map, and against power cuts.

mod model;
mod power_cuts;
mod rules;
mod runs;
