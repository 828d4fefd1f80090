//! What main memory does on the machine at hand: how it is walked, and what that takes.

pub mod kernels;
