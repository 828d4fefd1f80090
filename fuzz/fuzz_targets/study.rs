//! Studies of comparisons.
#![no_main]

#[path = "../checks/study.rs"]
mod study;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    study::check(data);
});
