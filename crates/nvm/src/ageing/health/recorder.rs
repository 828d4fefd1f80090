//! Latencies of a block gathered while it is used, as `wordline wear --log` writes them: a stretch of cycles that go
//! alike is one entry.

use wordline_core::quantity::{Quantity as _, Time};

use super::history::{LatencyHistory, TrendSample};
use super::trend::Channel;

/// Where durations are drawn no two cycles go alike: then a stretch holds up to this part of those before it, with the
/// means of all, so that a life of a million cycles is some hundred entries.
const GATHERED_PART: u64 = 64;

/// Durations of an operation within a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct LatencySum {
    count: u64,
    sum: Time,
}

impl LatencySum {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.sum = self.sum.plus(other.sum);
    }

    fn mean(self) -> Option<Time> {
        self.sum.ps().checked_div(self.count).map(Time::from_ps)
    }
}

/// Cycles in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct LatencyStretch {
    /// Its first cycle, from 1.
    first: u64,
    cycles: u64,
    programs: LatencySum,
    erases: LatencySum,
}

impl LatencyStretch {
    fn goes_like(&self, other: &Self) -> bool {
        self.programs.mean() == other.programs.mean() && self.erases.mean() == other.erases.mean()
    }
}

/// The latencies of a block that is in use.
#[derive(Clone, Debug, Default)]
pub struct LatencyRecorder {
    done: LatencyHistory,
    /// The stretch that may still grow.
    open: Option<LatencyStretch>,
    /// Programs since the last erase.
    programs: LatencySum,
    failed: Option<u64>,
}

impl LatencyRecorder {
    /// A page was programmed.
    pub fn programmed(&mut self, took: Time) {
        self.programs.add(LatencySum {
            count: 1,
            sum: took,
        });
    }

    /// The block was erased, which was the end of a cycle, counted from 1. `is_drawn` says that durations are drawn.
    pub fn erased(&mut self, cycle: u64, took: Time, is_drawn: bool) {
        let one = LatencyStretch {
            first: cycle,
            cycles: 1,
            programs: std::mem::take(&mut self.programs),
            erases: LatencySum {
                count: 1,
                sum: took,
            },
        };
        match &mut self.open {
            Some(open) if open.goes_like(&one) => open.cycles += 1,
            Some(open) if is_drawn && open.cycles < (open.first / GATHERED_PART).max(1) => {
                open.cycles += 1;
                open.programs.add(one.programs);
                open.erases.add(one.erases);
            }
            _ => {
                if let Some(open) = self.open.replace(one) {
                    add_stretch(&mut self.done, &open);
                }
            }
        }
        self.done.cycles = self.done.cycles.max(cycle);
    }

    /// An operation failed by the chip's own report, of a block that counts so many cycles: the failed one may be among
    /// them or not.
    pub fn failed(&mut self, cycles: u64) {
        let cycle = cycles.max(self.done.cycles + 1);
        self.failed.get_or_insert(cycle);
    }

    /// What it has gathered, for a block that has seen so many cycles.
    #[must_use]
    pub fn history(&self, cycles: u64) -> LatencyHistory {
        let mut history = self.done.clone();
        if let Some(open) = &self.open {
            add_stretch(&mut history, open);
            // The last cycle, so that it shows how many there were.
            if self.failed.is_none()
                && let Some(took) = open.erases.mean()
            {
                add(&mut history, Channel::Erase, open.first, took);
            }
        }
        history.cycles = self.failed.unwrap_or(history.cycles.max(cycles));
        history.failed = self.failed.is_some();
        history
    }
}

fn add_stretch(history: &mut LatencyHistory, stretch: &LatencyStretch) {
    for (channel, sum) in [
        (Channel::Program, stretch.programs),
        (Channel::Erase, stretch.erases),
    ] {
        if let Some(took) = sum.mean() {
            add(history, channel, stretch.first, took);
        }
    }
}

/// A latency that holds from a cycle on; equal ones in a row are one.
fn add(history: &mut LatencyHistory, channel: Channel, cycle: u64, took: Time) {
    let all = history.of_mut(channel);
    match all.last_mut() {
        Some(last) if last.latency_s == took.si() => last.lines += 1.0,
        _ => all.push(TrendSample {
            cycle,
            latency_s: took.si(),
            lines: 1.0,
        }),
    }
}
