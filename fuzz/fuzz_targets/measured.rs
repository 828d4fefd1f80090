//! What other tools print of a memory that they measured.
#![no_main]

#[path = "../checks/measured.rs"]
mod measured;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    measured::check(data);
});
