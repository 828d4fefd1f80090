//! Cycling logs of flash blocks.
#![no_main]

#[path = "../checks/cycling.rs"]
mod cycling;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    cycling::check(data);
});
