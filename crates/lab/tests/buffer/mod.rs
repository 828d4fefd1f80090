//! `wordline buffer` as a caller of the laboratory sees it: every row against a plain reference, the proven
//! bound against every run, logs and traces that must be refused.

mod bound;
mod currents;
mod provision;
mod recursion;
mod refusals;
mod runs;
mod support;
mod traces;
mod worked_example;
