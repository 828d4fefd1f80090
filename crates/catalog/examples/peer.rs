//! One sub-channel on the requests that `scripts/compare-dram-simulators` gives other simulators:
//! `cargo run --release -p wordline-catalog --example peer -- MODULE WORK REQUESTS RANKS CHOICE=SETTING...`
//!
//! Requests come one by one, as queues take them, as the others' drivers send them. It prints requests a second of
//! processor time, bytes a clock, and mean clocks from the acceptance of a read to the end of its data.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use wordline_catalog::Catalog;
use wordline_dram::sheet::Settings;
use wordline_dram::{
    EnergyMeter, Location, Observer, Request, RequestKind, ServedRequest, Statistics, SubChannel,
    SubChannelConfig,
};

/// What the requests are like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Random,
    RandomMix,
    Stream,
    StreamMix,
    Sparse,
    SparseStream,
    Conflict,
    Unloaded,
}

impl Work {
    const ALL: [(&'static str, Self); 8] = [
        ("random", Self::Random),
        ("random-mix", Self::RandomMix),
        ("stream", Self::Stream),
        ("stream-mix", Self::StreamMix),
        ("sparse", Self::Sparse),
        ("sparse-stream", Self::SparseStream),
        ("conflict", Self::Conflict),
        ("unloaded", Self::Unloaded),
    ];

    fn named(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(other, _)| *other == name);
        let names = Self::ALL.map(|(name, _)| name).join(", ");
        found
            .map(|(_, work)| *work)
            .ok_or_else(|| format!("unknown work {name}; allowed: {names}"))
    }
}

/// Requests in order, the same as those of `crates/dram/peers/traffic.h`.
struct Traffic {
    work: Work,
    shape: wordline_dram::ChannelGeometry,
    sent: u64,
    next: u64,
    state: u64,
}

impl Traffic {
    fn random(&mut self) -> Location {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        let draw = self.state;
        let part = |shift: u32, count: u64| draw.wrapping_shr(shift) % count;
        Location {
            pseudo_channel: 0,
            rank: part(0, self.shape.ranks.into()) as u8,
            group: part(2, self.shape.groups.into()) as u8,
            bank: part(6, self.shape.banks.into()) as u8,
            row: part(9, self.shape.rows.into()) as u32,
            column: part(26, self.shape.columns.into()) as u16,
        }
    }

    /// Line by line over bank groups, then along the row.
    fn line(&self, mut number: u64) -> Location {
        let mut digit = |radix: u64| {
            let digit = number % radix;
            number /= radix;
            digit
        };
        let shape = &self.shape;
        Location {
            pseudo_channel: 0,
            group: digit(shape.groups.into()) as u8,
            column: digit(shape.columns.into()) as u16,
            bank: digit(shape.banks.into()) as u8,
            rank: digit(shape.ranks.into()) as u8,
            row: digit(shape.rows.into()) as u32,
        }
    }

    fn kind(&self) -> RequestKind {
        let mixed = matches!(self.work, Work::RandomMix | Work::StreamMix);
        match mixed && self.sent % 3 == 2 {
            true => RequestKind::Write,
            false => RequestKind::Read,
        }
    }

    fn place(&mut self) -> Location {
        let sent = self.sent;
        match self.work {
            Work::Stream | Work::SparseStream => self.line(sent),
            Work::StreamMix if sent % 3 == 2 => self.line(sent / 3 + (1 << 20)),
            Work::StreamMix => self.line(sent / 3 * 2 + sent % 3),
            Work::Conflict => Location {
                row: (sent % u64::from(self.shape.rows)) as u32,
                ..Location::default()
            },
            _ => self.random(),
        }
    }

    fn accepted(&mut self, clock: u64) {
        self.sent += 1;
        match self.work {
            Work::Sparse | Work::SparseStream => self.next += 200,
            // Longer than any command and its recovery.
            Work::Unloaded => self.next = clock + 1000,
            _ => {}
        }
    }
}

/// What is in the queues, and how long reads took.
#[derive(Default)]
struct Watch {
    queued: [u64; 2],
    reads: u64,
    latencies: u64,
}

const fn index(kind: RequestKind) -> usize {
    matches!(kind, RequestKind::Write) as usize
}

impl Observer for Watch {
    fn served(&mut self, served: &ServedRequest) {
        self.queued[index(served.kind)] -= 1;
        if served.kind == RequestKind::Read {
            self.reads += 1;
            self.latencies += served.finish - served.arrival;
        }
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn run(config: &SubChannelConfig, work: Work, requests: u64) -> Result<(), Box<dyn Error>> {
    let observer = (
        Watch::default(),
        (Statistics::new(config), EnergyMeter::new(config)),
    );
    let mut channel = SubChannel::new(config, observer)?;
    let mut traffic = Traffic {
        work,
        shape: config.geometry.clone(),
        sent: 0,
        next: 0,
        state: 88_172_645_463_325_252,
    };
    let room = [config.policy.read_queue, config.policy.write_queue].map(u64::from);
    let begin = processor_time();
    let mut clock = 0;
    while traffic.sent < requests || channel.waiting() > 0 {
        while traffic.sent < requests && clock >= traffic.next {
            let kind = traffic.kind();
            let queued = channel.observer().0.queued;
            if queued[index(kind)] >= room[index(kind)] {
                break;
            }
            if work == Work::Unloaded && queued[0] > 0 {
                break;
            }
            let location = traffic.place();
            channel.push(Request {
                id: traffic.sent,
                kind,
                location,
                arrival: clock,
            })?;
            channel.observer_mut().0.queued[index(kind)] += 1;
            traffic.accepted(clock);
        }
        clock += 1;
        // Nothing can come before.
        if channel.waiting() == 0 || traffic.next > clock && work != Work::Unloaded {
            clock = clock.max(traffic.next);
        }
        channel.run(clock);
        if traffic.sent == requests && work != Work::Unloaded {
            // The others count up to the last read or accepted write.
            while channel.observer().0.queued[0] > 0 {
                clock += 1;
                channel.run(clock);
            }
            break;
        }
    }
    let spent = (processor_time() - begin).as_secs_f64();
    let watch = &channel.observer().0;
    println!(
        "{:.0} {:.4} {:.2}",
        requests as f64 / spent,
        requests as f64 * 64.0 / clock as f64,
        watch.latencies as f64 / watch.reads.max(1) as f64
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, work, requests, ranks, choices @ ..] = &arguments[..] else {
        return Err("use: peer MODULE WORK REQUESTS RANKS CHOICE=SETTING...".into());
    };
    let catalog = Catalog::load(&[])?;
    let target = catalog.module_in_system(module)?;
    let mut settings = Settings::new();
    for choice in choices {
        let (name, setting) = choice
            .split_once('=')
            .ok_or_else(|| format!("{choice} is no CHOICE=SETTING"))?;
        settings.insert(name.to_owned(), setting.to_owned());
    }
    let mut config = target.connect(&settings)?.config.sub_channel;
    config.geometry.ranks = ranks.parse()?;
    let ranks = u32::from(config.geometry.ranks);
    let interval = config.timing.refi;
    config.policy.refresh_phase = (1..=ranks).map(|rank| interval * rank / ranks).collect();
    run(&config, Work::named(work)?, requests.parse()?)
}
