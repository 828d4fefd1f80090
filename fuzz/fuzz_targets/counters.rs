//! Counters as perf stat, toplev, PerfSpect, likwid-perfctr and pcm write them.
#![no_main]

#[path = "../checks/counters.rs"]
mod counters;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    counters::check(data);
});
