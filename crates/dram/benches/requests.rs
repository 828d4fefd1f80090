//! Requests per CPU second of one sub-channel on one thread, everything on: waits, statistics, energy.
//!
//! DDR5-6400, two ranks of x8 devices of 16 Gb, open pages, 32 read and 64 write entries, REFab. CPU time rather than
//! wall-clock time, as other simulators' figures are quoted.

#![allow(clippy::print_stdout)]

use rustix::time::{ClockId, clock_gettime};
use wordline_dram::{
    EnergyMeter, Location, Observer, Request, RequestKind, Statistics, SubChannel, SubChannelConfig,
};

/// A pseudo-random sequence: what is measured is the simulator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn location(&mut self) -> Location {
        let draw = self.next();
        Location {
            pseudo_channel: 0,
            rank: (draw & 1) as u8,
            group: (draw >> 1 & 7) as u8,
            bank: (draw >> 4 & 3) as u8,
            row: (draw >> 6 & 0xFFFF) as u32,
            column: (draw >> 22 & 63) as u16,
        }
    }
}

/// Line by line over bank groups, then along the row.
fn line(number: u64) -> Location {
    Location {
        pseudo_channel: 0,
        group: (number & 7) as u8,
        column: (number >> 3 & 63) as u16,
        bank: (number >> 9 & 3) as u8,
        rank: (number >> 11 & 1) as u8,
        row: (number >> 12 & 0xFFFF) as u32,
    }
}

fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// What the requests are like.
#[derive(Clone, Copy)]
enum Work {
    Random,
    RandomMixed,
    Stream,
    StreamMixed,
    Sparse,
    SparseStream,
}

fn request(work: Work, id: u64, random: &mut Random) -> (RequestKind, Location) {
    let write = id % 3 == 2;
    match work {
        Work::Random | Work::Sparse => (RequestKind::Read, random.location()),
        Work::RandomMixed if write => (RequestKind::Write, random.location()),
        Work::RandomMixed => (RequestKind::Read, random.location()),
        Work::Stream | Work::SparseStream => (RequestKind::Read, line(id)),
        Work::StreamMixed if write => (RequestKind::Write, line(id / 3 + (1 << 20))),
        Work::StreamMixed => (RequestKind::Read, line(id / 3 * 2 + id % 3)),
    }
}

fn measure<O: Observer>(work: Work, requests: u64, observer: O) -> (f64, f64) {
    let config = SubChannelConfig::ddr5_6400();
    let mut channel = SubChannel::new(&config, observer).expect("a sound configuration");
    let mut random = Random(88_172_645_463_325_252);
    let begin = cpu_s();
    let (mut id, mut now) = (0, 0);
    while id < requests {
        match work {
            Work::Sparse | Work::SparseStream => {
                for _ in 0..256 {
                    let (kind, location) = request(work, id, &mut random);
                    let arrival = now;
                    now += 200;
                    channel
                        .push(Request {
                            id,
                            kind,
                            location,
                            arrival,
                        })
                        .expect("in range");
                    id += 1;
                }
            }
            _ => {
                while channel.waiting() < 512 {
                    let (kind, location) = request(work, id, &mut random);
                    let arrival = now;
                    channel
                        .push(Request {
                            id,
                            kind,
                            location,
                            arrival,
                        })
                        .expect("in range");
                    id += 1;
                }
                now += 2000;
            }
        }
        channel.run(now);
    }
    let served = id - channel.waiting() as u64;
    let share = served as f64 * f64::from(config.timing.burst) / channel.now() as f64;
    (served as f64 / (cpu_s() - begin), share)
}

fn main() {
    let scale = std::env::var("SCALE")
        .ok()
        .and_then(|scale| scale.parse().ok());
    let scale: f64 = scale.unwrap_or(1.0);
    let only = std::env::var("ONLY").ok();
    println!(
        "| DDR5-6400, 2 ranks | requests per CPU second, all on | statistics off | share of the bus peak |"
    );
    println!("|---|---|---|---|");
    for (name, work, requests) in [
        ("random reads, saturated", Work::Random, 4e6),
        ("2:1 read:write, random", Work::RandomMixed, 4e6),
        ("streaming reads", Work::Stream, 2e7),
        ("2:1 read:write, streaming", Work::StreamMixed, 1e7),
        (
            "a stream, one request per 200 cycles",
            Work::SparseStream,
            1e7,
        ),
        ("random, one request per 200 cycles", Work::Sparse, 1e7),
    ] {
        if only.as_deref().is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let requests = (requests * scale) as u64;
        let (bare, _) = measure(work, requests, ());
        let config = SubChannelConfig::ddr5_6400();
        let watch = (Statistics::new(&config), EnergyMeter::new(&config));
        let (rate, share) = measure(work, requests, watch);
        println!(
            "| {name} | {:.2} M | {:.2} M | {:.1} % |",
            rate * 1e-6,
            bare * 1e-6,
            share * 100.0
        );
    }
}
