//! Non-volatile memories for storage software: what is behind `wordline_memory.h`.
//!
//! A `MemoryDevice` is a memory with its power, its counts and its trace; its `Cells` are what it holds, with blocks that go
//! bad and blocks that a power cut left in doubt. `cut` derives what a cut leaves, by the crash images of
//! `wordline_crash`; `image` is the file that a memory is saved to.

pub(crate) mod abi;
pub(crate) mod ageing;
mod background;
mod block_faults;
mod cells;
pub(crate) mod commands;
mod control;
mod cut;
mod cut_flash;
mod device;
mod fault;
mod forgetting;
pub(crate) mod functions;
mod handle;
pub(crate) mod health;
mod ideal;
mod image;
mod image_faults;
pub(crate) mod injection;
mod look;
mod op;
pub(crate) mod operations;
mod pages;
pub(crate) mod rust_flash;
mod trace;

#[cfg(test)]
mod tests;

#[cfg(test)]
mod cost_tests;
