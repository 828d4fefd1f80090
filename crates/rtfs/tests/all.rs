//! The layer against a plain map, and against power cuts.

mod disk;
mod faults;
mod files;
mod model;
mod mutants;
mod power_cuts;
mod rules;
mod runs;
mod scenes;
