//! What measures: the memory that a workload runs on, what is asked of it, what its operations add up to, and the rows
//! of the document that follow.
//!
//! A workload runs on a [`MeteredMemory`], adds what each of its operations took to a [`OperationTally`], and names the registered metrics
//! that it reports to [`rows::add`]. Wear, energy, amplification, causes and percentiles are computed here alone.

pub(crate) mod case;
pub(crate) mod medium;
pub(crate) mod meter;
pub(crate) mod reading;
pub(crate) mod rows;
pub(crate) mod tally;

pub(crate) use medium::{Instrumented, MeteredMemory};
pub(crate) use meter::Activity;
pub(crate) use tally::{OperationSample, OperationTally};
