//! Requests per CPU second of cores and sub-channels together, on one thread: 12 channels, 128 cores, waits, statistics
//! and energy on.
//!
//! CPU time of both together; what the sub-channels take by themselves is the other bench's. `SAMPLES` sets the latency
//! samples of a run: the confidence in its latency, and how long it takes.

#![allow(clippy::print_stdout)]

#[path = "../src/system/sample.rs"]
mod sample;

use rustix::time::{ClockId, clock_gettime};
use sample::{mrdimm_8800, rdimm_6400};
use wordline_dram as dram;
use wordline_dram::SystemConfig;
use wordline_dram::system::{Mix, Pattern, RunLength, Traffic, simulate};

fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn measure(name: &str, config: &SystemConfig, traffic: &Traffic, samples: u64) {
    let length = RunLength {
        warm_up_ps: 20_000_000,
        measure_ps: 50_000_000,
        probe_samples: samples,
        episodes: 1,
        settle_ps: 0,
    };
    let begin = cpu_s();
    let run = simulate(config, traffic, &length, &|_| true);
    let run = run.expect("a sound configuration").expect("not stopped");
    let taken = cpu_s() - begin;
    let share = 1.0 + length.warm_up_ps as f64 / run.duration_ps as f64;
    let requests = (run.bytes_read + run.bytes_written) as f64 / 64.0 * share;
    let probe = run.probe.as_ref().expect("probes");
    println!(
        "| {name} | {} | {:?} | {} | {:.1} | {:.1} ± {:.1} | {:.2} | {taken:.2} | {:.0} |",
        traffic.mix.name(),
        traffic.pattern,
        traffic.delay_cycles,
        run.bytes_per_s() / 1e9,
        probe.mean_ps / 1e3,
        probe.confidence_ps / 1e3,
        requests * 1e-6,
        taken / requests * 1e9,
    );
}

fn main() {
    let samples = std::env::var("SAMPLES").ok();
    let samples: u64 = samples
        .and_then(|samples| samples.parse().ok())
        .unwrap_or(5_000);
    println!(
        "| module | mix | pattern | delay | GB/s | latency ns | M requests | CPU s | ns a request |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, config) in [("RDIMM-6400", rdimm_6400()), ("MRDIMM-8800", mrdimm_8800())] {
        for (mix, pattern, delay_cycles) in [
            (Mix::Reads, Pattern::Sequential, 0),
            (Mix::Reads, Pattern::Sequential, 50),
            (Mix::Reads, Pattern::Sequential, 200),
            (Mix::Reads, Pattern::Sequential, 20_000),
            (Mix::TwoToOne, Pattern::Sequential, 0),
            (Mix::Triad, Pattern::Sequential, 0),
            (Mix::Reads, Pattern::Random, 0),
            (Mix::TwoToOne, Pattern::Random, 0),
        ] {
            let traffic = Traffic {
                mix,
                pattern,
                delay_cycles,
                load_cores: 120,
                probes: 8,
                seed: 1,
            };
            measure(name, &config, &traffic, samples);
        }
    }
}
