//! Compressed files.
#![no_main]

#[path = "../checks/packed.rs"]
mod packed;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    packed::check(data);
});
