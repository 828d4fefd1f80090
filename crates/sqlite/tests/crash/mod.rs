//! SQLite under power cuts, with flipped bits, and with files that somebody damaged.

mod evidence;
mod setups;
mod workload;
