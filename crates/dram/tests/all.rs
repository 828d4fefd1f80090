//! Tests of DDR5 sub-channels: against the oracle, closed-form limits, the checker and its mutants, observers.

mod against_oracle;
mod checker;
mod limits;
mod observers;
mod oracle;
mod own_scheduler;
mod support;
mod turns;
