//! Tests of projections against simulated and published truth.

mod programs;
