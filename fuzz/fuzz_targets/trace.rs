//! Output of blkparse and replay logs of fio.
#![no_main]

#[path = "../checks/trace.rs"]
mod trace;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trace::check(data);
});
