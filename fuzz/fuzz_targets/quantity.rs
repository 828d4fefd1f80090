//! Quantities and bus modes.
#![no_main]

#[path = "../checks/quantity.rs"]
mod quantity;

libfuzzer_sys::fuzz_target!(|data: &[u8]| quantity::check(data));
