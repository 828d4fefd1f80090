//! Headers and library are in step, and programs in C that use them find what the headers promise. A machine without a C
//! compiler named cc checks the prototypes alone, and says so.

#[macro_use]
mod cc;
mod abi;
mod adapters;
mod ageing;
mod dram;
mod embedded;
mod guide;
mod health;
mod memory;
mod prototypes;
mod replay;
mod simulators;
mod version;
