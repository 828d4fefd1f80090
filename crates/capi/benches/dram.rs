//! Requests that the library serves in a second of processor time, statistics and energy on: what `c/dram.c`, which has
//! the same requests, is compared with by `scripts/bench-dram`.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a program that prints a figure"
)]

use rustix::time::{ClockId, clock_gettime};
use wordline_catalog::Catalog;
use wordline_dram::sheet::Settings;
use wordline_dram::system::MemorySystem;
use wordline_dram::{EnergyMeter, RequestKind, Statistics};

/// Requests that wait for each sub-channel, in its queues and in front of it.
const WAITING: usize = 512;
/// Clocks from one look at that to the next.
const CLOCKS: f64 = 2000.0;

fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// As in `c/dram.c`.
struct Load {
    random: u64,
    lines: u64,
    work: String,
    next: u64,
}

impl Load {
    fn next(&mut self) -> (u64, RequestKind, u64) {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let id = self.next;
        self.next += 1;
        let is_write = self.work == "mixed" && id % 3 == 2;
        let kind = if is_write {
            RequestKind::Write
        } else {
            RequestKind::Read
        };
        let line = if self.work == "stream" {
            id
        } else {
            self.random >> 8
        };
        (id, kind, line % self.lines * 64)
    }
}

/// One figure for the words TARGET WORK REQUESTS, as `c/dram.c` has it; without words, those of a module.
fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words = words.iter().filter(|word| !word.starts_with("--"));
    if let [target, work, requests] = words.collect::<Vec<_>>()[..] {
        let requests = requests.parse().expect("a number of requests");
        println!("{:.0}", measure(target, work, requests));
        return;
    }
    for work in ["random", "mixed", "stream"] {
        let rate = measure("rdimm-6400-2rx8-32g@bench-1ch", work, 1_000_000);
        println!("{work}: {:.2} M requests per CPU second", rate * 1e-6);
    }
}

fn measure(target: &str, work: &str, requests: u64) -> f64 {
    let catalog = Catalog::load(&[]).expect("embedded");
    let connected = catalog.module_in_system(target).expect("known");
    let config = connected.connect(&Settings::new()).expect("fits").config;
    let watch = |_, _| {
        let of = &config.sub_channel;
        (Statistics::new(of), EnergyMeter::new(of))
    };
    let mut memory = MemorySystem::new(&config, watch).expect("sound");
    let parts = config.channels as usize * config.sub_channels as usize;
    let step_ps = CLOCKS * 2e6 / f64::from(config.sub_channel.clock.data_rate_mts);
    let mut load = Load {
        random: 88_172_645_463_325_252,
        lines: config.bytes() / 64,
        work: work.to_owned(),
        next: 0,
    };
    let (mut now_ps, mut done) = (0, 0);
    let begin = cpu_s();
    while done < requests {
        while memory.waiting() < WAITING * parts {
            let (id, kind, address) = load.next();
            memory.push(id, kind, address, now_ps).expect("a line");
        }
        now_ps += step_ps as u64;
        memory.run(now_ps);
        done += memory.completed().count() as u64;
    }
    done as f64 / (cpu_s() - begin)
}
