//! The checker of command traces: held to numbers written down by hand, then let loose on the engine, then on an engine
//! with every rule spoilt in turn.

mod directed;
mod duties;
mod engine;
mod evidence;
mod guards;
mod memories;
mod modules;
mod mutants;
mod setups;
mod states;
mod traffic;
