//! A scheduler of one's own: `cargo run -p wordline-dram --example own_scheduler`.
//!
//! One sender reads 16 lines of a row at once, which FR-FCFS serves all together; another one wants another row of that
//! bank at the same time. `Fair` keeps a sender back that had too many requests served in a row, in the manner of BLISS (Subramanian
//! and others 2014).

use std::error::Error;

use wordline_dram::scheduler::{FrFcfs, Scheduler, WaitingRequest};
use wordline_dram::{
    Location, Observer, Request, RequestKind, ServedRequest, SubChannel, SubChannelConfig,
};

/// The sender's number stands in the upper half of a request's name.
const SENDER_BIT: u32 = 32;
/// Requests of one sender in a row that make it wait for the others.
const ROW_MAX: u32 = 4;
/// Clocks after which all is forgiven.
const PERIOD: u64 = 10_000;

/// Senders that had many requests served in a row come after the others; else FR-FCFS.
#[derive(Clone, Debug, Default)]
struct Fair {
    last: u64,
    in_a_row: u32,
    /// A bit for each sender.
    kept_back: u64,
    forgiven: u64,
}

impl Scheduler for Fair {
    fn order(&self, request: &WaitingRequest, opens_row: bool) -> u64 {
        let waits = self.kept_back >> (request.id >> SENDER_BIT) & 1;
        waits << 40 | u64::from(opens_row) << 39 | request.age
    }

    fn served(&mut self, request: &WaitingRequest, at: u64) -> bool {
        let before = self.kept_back;
        if at >= self.forgiven + PERIOD {
            (self.kept_back, self.forgiven) = (0, at);
        }
        let sender = request.id >> SENDER_BIT;
        self.in_a_row = if sender == self.last {
            self.in_a_row + 1
        } else {
            1
        };
        self.last = sender;
        if self.in_a_row >= ROW_MAX {
            self.kept_back |= 1 << sender;
        }
        self.kept_back != before
    }
}

/// Clocks that the reads of each sender took, summed up.
#[derive(Default)]
struct Latencies([u64; 2]);

impl Observer for Latencies {
    fn served(&mut self, served: &ServedRequest) {
        self.0[(served.id >> SENDER_BIT) as usize] += served.finish - served.arrival;
    }
}

/// Mean clocks of a read, of the sender that stays in its row and of the one that does not.
fn mean_latencies(scheduler: impl Scheduler) -> Result<[f64; 2], Box<dyn Error>> {
    const ROUNDS: u64 = 1_000;
    const LINES: u64 = 16;
    let config = SubChannelConfig::ddr5_6400();
    let mut memory = SubChannel::with_scheduler(&config, Latencies::default(), scheduler)?;
    for round in 0..ROUNDS {
        let mut read = |id, row, column| {
            memory.push(Request {
                id,
                kind: RequestKind::Read,
                location: Location {
                    row,
                    column,
                    ..Location::default()
                },
                arrival: round * 1_000,
            })
        };
        for line in 0..LINES {
            read(round * LINES + line, round as u32, line as u16)?;
        }
        read(1 << SENDER_BIT | round, 10_000 + round as u32, 0)?;
    }
    memory.flush();
    let [stream, elsewhere] = memory.into_observer().0;
    let mean = |clocks: u64, reads: u64| clocks as f64 / reads as f64;
    Ok([mean(stream, ROUNDS * LINES), mean(elsewhere, ROUNDS)])
}

fn answer() -> Result<[String; 2], Box<dyn Error>> {
    let line = |name: &str, [stream, elsewhere]: [f64; 2]| {
        format!("{name}: {stream:.0} clocks a read of the stream, {elsewhere:.0} of the other")
    };
    Ok([
        line("FR-FCFS", mean_latencies(FrFcfs)?),
        line("fair", mean_latencies(Fair::default())?),
    ])
}

#[allow(clippy::print_stdout, reason = "this is a program")]
fn main() -> Result<(), Box<dyn Error>> {
    for line in answer()? {
        println!("{line}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line of Rust in the guide stands here, and what it quotes of the answer is the answer.
    #[test]
    fn the_guide_shows_this_program() {
        let guide = include_str!("../../../docs/guides/own-scheduler.md");
        let program = include_str!("own_scheduler.rs");
        let blocks: Vec<_> = guide.split("```rust\n").skip(1).collect();
        assert!(blocks.len() > 1);
        for block in blocks {
            let (code, _) = block.split_once("```").expect("a block ends");
            for line in code.lines().map(str::trim) {
                assert!(program.contains(line), "{line}");
            }
        }
        for line in answer().expect("sound") {
            assert!(guide.contains(&line), "{line}");
        }
    }

    #[test]
    fn who_is_passed_less_waits_less() {
        let (plain, fair) = (
            mean_latencies(FrFcfs).expect("sound"),
            mean_latencies(Fair::default()).expect("sound"),
        );
        // The other one is passed by 4 reads instead of 16, at 16 clocks each, and the stream pays for it.
        assert!(fair[1] < plain[1] - 150.0, "{plain:?} {fair:?}");
        assert!(fair[0] > plain[0], "{plain:?} {fair:?}");
    }
}
