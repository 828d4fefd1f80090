//! A DDR5 memory within a simulator of one's own: `cargo run -p wordline-dram --example embed`.
//!
//! First a single sub-channel, which counts in clocks and tells everything to an observer; then a whole memory behind
//! physical addresses and picoseconds, whose completions are taken away as they come.

#[path = "support/ddr5_6400.rs"]
mod ddr5_6400;

use std::error::Error;

use wordline_dram::system::MemorySystem;
use wordline_dram::{
    Command, Issued, Location, Observer, Request, RequestKind, RowOutcome, ServedRequest,
    SubChannel, SubChannelConfig,
};

/// Watches with two closures. A method that an observer leaves out costs nothing.
struct Watch<C, S> {
    on_command: C,
    on_served: S,
}

impl<C: FnMut(&Issued), S: FnMut(&ServedRequest)> Observer for Watch<C, S> {
    fn command(&mut self, issued: &Issued) {
        (self.on_command)(issued);
    }

    fn served(&mut self, served: &ServedRequest) {
        (self.on_served)(served);
    }
}

/// What a read found, and how long it took in clocks.
type Read = (RowOutcome, u64);

/// Reads two lines of one row, and one of another row of that bank. Returns the number of ACT commands, and the reads.
fn sub_channel() -> Result<(u64, Vec<Read>), Box<dyn Error>> {
    let mut activates = 0;
    let mut reads = Vec::new();
    let watch = Watch {
        on_command: |issued: &Issued| activates += u64::from(issued.command == Command::Act),
        on_served: |served: &ServedRequest| {
            reads.push((served.outcome, served.finish - served.arrival))
        },
    };
    let mut memory = SubChannel::new(&SubChannelConfig::ddr5_6400(), watch)?;
    for (id, row, column) in [(0, 5, 0), (1, 5, 1), (2, 9, 0)] {
        let location = Location {
            row,
            column,
            ..Location::default()
        };
        memory.push(Request {
            id,
            kind: RequestKind::Read,
            location,
            arrival: 1_000 * (id + 1),
        })?;
    }
    memory.flush();
    drop(memory);
    Ok((activates, reads))
}

/// Copies 1 MiB, 16 lines under way at most, and returns the time that it took in picoseconds.
fn copy() -> Result<u64, Box<dyn Error>> {
    const LINES: u64 = (1 << 20) / 64;
    const TO: u64 = 1 << 30;
    // Nobody watches; `log::CommandLog::sub_channel` would write the commands down.
    let mut memory = MemorySystem::new(&ddr5_6400::channel(), |_, _| ())?;
    let (mut next, mut under_way, mut now_ps) = (0, 0, 0);
    while next < LINES || under_way > 0 {
        while next < LINES && under_way < 16 {
            memory.push(next, RequestKind::Read, next * 64, now_ps)?;
            next += 1;
            under_way += 1;
        }
        now_ps += 1_000;
        memory.run(now_ps);
        let completed: Vec<_> = memory.completed().collect();
        for completion in completed {
            // What was read is written elsewhere; a write is done when the controller has it.
            match completion.kind {
                RequestKind::Read => {
                    memory.push(
                        completion.id,
                        RequestKind::Write,
                        TO + completion.id * 64,
                        now_ps,
                    )?;
                }
                RequestKind::Write => under_way -= 1,
            }
        }
    }
    Ok(memory.flush())
}

#[allow(clippy::print_stdout, reason = "this is a program")]
fn main() -> Result<(), Box<dyn Error>> {
    let (activates, reads) = sub_channel()?;
    println!("{activates} ACT commands");
    for (outcome, clocks) in reads {
        println!("a {outcome:?} took {clocks} clocks");
    }
    let ps = copy()?;
    println!("a copy of 1 MiB took {:.1} us", ps as f64 * 1e-6);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_take_what_the_rules_say() {
        let (activates, reads) = sub_channel().expect("sound");
        // tRCD + CL + burst; CL + burst; tRP in front.
        let expected = [
            (RowOutcome::Miss, 52 + 52 + 8),
            (RowOutcome::Hit, 52 + 8),
            (RowOutcome::Conflict, 52 + 52 + 52 + 8),
        ];
        assert_eq!((activates, reads), (2, expected.to_vec()));
    }

    #[test]
    fn a_copy_is_no_faster_than_the_bus() {
        let ps = copy().expect("sound");
        // Two buses carry a line in 8 clocks of 312.5 ps each.
        assert!(ps > 2 * (1 << 20) / 64 * 2_500 / 2, "{ps}");
        assert!(ps < 1_000_000_000, "{ps}");
    }
}
