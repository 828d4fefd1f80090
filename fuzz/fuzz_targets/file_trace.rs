//! Traces of file calls.
#![no_main]

#[path = "../checks/file_trace.rs"]
mod file_trace;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    file_trace::check(data);
});
