//! Tests of the hash table: against a model, on simulated memories, its format, traffic and failing memories.

mod failing;
mod flips;
mod format;
mod model;
mod simulated;
mod support;
mod traffic;
