//! Tests of the catalogue as a whole: every sheet's bounds, conformance, ageing, modules.

mod ageing;
mod bounds;
mod cards;
mod conformance;
mod dram;
mod dram_checker;
mod dram_faults;
mod dram_limits;
mod dumps;
mod in_turn;
mod supply;
