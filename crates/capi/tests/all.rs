//! Tests of the C interface: compiled C programs, and replayed calls of the fuzzer.

mod c_api;
mod calls;
mod commands;
mod corpus;
