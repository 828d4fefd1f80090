//! SQLite under power cuts, with flipped bits, and with files that somebody damaged.

mod damage;
mod evidence;
mod fixtures;
mod mutants;
mod setups;
mod workload;
