//! Traces of memory requests and of commands.
#![no_main]

#[path = "../checks/dram_trace.rs"]
mod dram_trace;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    dram_trace::check(data);
});
