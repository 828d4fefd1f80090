//! Captures of the recorder for firmware.
#![no_main]

#[path = "../checks/recorder.rs"]
mod recorder;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    recorder::check(data);
});
