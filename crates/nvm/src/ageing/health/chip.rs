//! The blocks of a chip that is in use. What they show of each other is kept as it changes: an answer looks at the
//! blocks that were used since the last one, not at all of them.

use std::collections::{BTreeMap, BTreeSet};

use wordline_core::quantity::Time;

use super::history::LatencyHistory;
use super::predict::{Kin, OperationBaseline};
use super::recorder::LatencyRecorder;
use super::running_median::RunningMedian;
use super::trend::Channel;

/// Why a program or an erase failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureOrigin {
    /// The block has worn out.
    Worn,
    /// A fault was injected. It says nothing of wear.
    Injected,
    /// A power cut left the block so. It says nothing of wear either.
    PowerCut,
}

/// Failures of a block that wear did not cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnwornFailures {
    /// Those of [`FailureOrigin::Injected`].
    pub injected: u64,
    /// Those of [`FailureOrigin::PowerCut`].
    pub power_cut: u64,
}

/// The latencies of the blocks of a chip, from which [`Kin`] follows at any time.
#[derive(Clone, Debug, Default)]
pub struct ChipLatencies {
    blocks: BTreeMap<u32, BlockInUse>,
    /// Blocks whose latencies have changed since the sums were brought up to date, each once.
    changed: Vec<u32>,
    erase: ChannelSums,
    program: ChannelSums,
    kin: Kin,
    /// Blocks that were looked at to bring the sums up to date.
    looks: u64,
}

#[derive(Clone, Debug, Default)]
struct BlockInUse {
    recorder: LatencyRecorder,
    unworn: UnwornFailures,
    is_changed: bool,
}

/// What the blocks of a chip show of one operation.
#[derive(Clone, Debug, Default)]
struct ChannelSums {
    /// Latencies of fresh blocks, which blocks that were watched too late do not show.
    fresh: BTreeMap<u32, f64>,
    median: RunningMedian,
    /// The excess at which blocks failed.
    ends: BTreeMap<u32, f64>,
    /// Blocks that failed and do not show their own fresh latency: their end rests on the median.
    late: BTreeSet<u32>,
}

impl ChannelSums {
    /// Takes out what a block showed.
    fn remove(&mut self, block: u32) {
        if let Some(fresh) = self.fresh.remove(&block) {
            self.median.remove(fresh, block);
        }
        self.ends.remove(&block);
        self.late.remove(&block);
    }

    /// Puts in what a block shows.
    fn set_fresh(&mut self, block: u32, fresh: Option<f64>) {
        let was = self.fresh.get(&block).copied();
        if was.map(f64::to_bits) == fresh.map(f64::to_bits) {
            return;
        }
        if let Some(was) = was {
            self.fresh.remove(&block);
            self.median.remove(was, block);
        }
        if let Some(fresh) = fresh {
            self.fresh.insert(block, fresh);
            self.median.add(fresh, block);
        }
    }

    fn set_end(&mut self, block: u32, end: Option<f64>) {
        match end {
            Some(end) => self.ends.insert(block, end),
            None => self.ends.remove(&block),
        };
    }
}

impl ChipLatencies {
    /// A whole page of a block was programmed.
    pub fn programmed(&mut self, block: u32, took: Time) {
        self.changed(block).recorder.programmed(took);
    }

    /// A block was erased, which was the end of a cycle, counted from 1. `is_drawn` says that durations are drawn.
    pub fn erased(&mut self, block: u32, cycle: u64, took: Time, is_drawn: bool) {
        let recorder = &mut self.changed(block).recorder;
        recorder.erased(cycle, took, is_drawn);
    }

    /// A program or an erase of a block failed, which counts so many cycles. What did not fail from wear is counted, and
    /// shows nothing of how far latency goes.
    pub fn failed(&mut self, block: u32, cycles: u64, origin: FailureOrigin) {
        let of_block = self.changed(block);
        let count = match origin {
            FailureOrigin::Worn => return of_block.recorder.failed(cycles),
            FailureOrigin::Injected => &mut of_block.unworn.injected,
            FailureOrigin::PowerCut => &mut of_block.unworn.power_cut,
        };
        *count = count.saturating_add(1);
    }

    /// Forgets the latencies of a block, whose cycles are no longer those that were seen.
    pub fn forget(&mut self, block: u32) {
        let unworn = self.unworn_failures(block);
        self.blocks.remove(&block);
        if unworn != UnwornFailures::default() {
            self.blocks.entry(block).or_default().unworn = unworn;
        }
        for channel in [Channel::Erase, Channel::Program] {
            self.sums_mut(channel).remove(block);
            self.update(channel);
        }
    }

    /// The latencies of a block that has seen so many cycles.
    #[must_use]
    pub fn history(&self, block: u32, cycles: u64) -> LatencyHistory {
        let recorder = self.blocks.get(&block).map(|of_block| &of_block.recorder);
        recorder.map_or_else(
            || LatencyHistory {
                cycles,
                ..LatencyHistory::default()
            },
            |recorder| recorder.history(cycles),
        )
    }

    /// Failures of a block that wear did not cause.
    #[must_use]
    pub fn unworn_failures(&self, block: u32) -> UnwornFailures {
        let of_block = self.blocks.get(&block);
        of_block.map_or_else(UnwornFailures::default, |of_block| of_block.unworn)
    }

    /// What the blocks show of each other: as [`Kin::of_chip`] of the histories of all of them, in ascending order.
    pub fn kin(&mut self) -> &Kin {
        self.bring_up_to_date();
        &self.kin
    }

    fn changed(&mut self, block: u32) -> &mut BlockInUse {
        let of_block = self.blocks.entry(block).or_default();
        if !std::mem::replace(&mut of_block.is_changed, true) {
            self.changed.push(block);
        }
        of_block
    }

    const fn sums_mut(&mut self, channel: Channel) -> &mut ChannelSums {
        match channel {
            Channel::Erase => &mut self.erase,
            Channel::Program => &mut self.program,
        }
    }

    fn bring_up_to_date(&mut self) {
        let changed = std::mem::take(&mut self.changed);
        if changed.is_empty() {
            return;
        }
        let mut failed = Vec::new();
        for block in changed {
            let Some(of_block) = self.blocks.get_mut(&block) else {
                // It was forgotten.
                continue;
            };
            if !std::mem::take(&mut of_block.is_changed) {
                continue;
            }
            // Cycles that no operation of it was timed in change nothing that other blocks see.
            let history = of_block.recorder.history(0);
            self.looks += 1;
            for channel in [Channel::Erase, Channel::Program] {
                let fresh = history.fresh_s(channel);
                self.sums_mut(channel).set_fresh(block, fresh);
            }
            if history.failed {
                failed.push((block, history));
            }
        }
        for channel in [Channel::Erase, Channel::Program] {
            let known = OperationBaseline {
                fresh_s: self.median_of(channel),
                ends: Vec::new(),
            };
            let sums = self.sums_mut(channel);
            for (block, history) in &failed {
                sums.set_end(*block, history.end(channel, &known));
                if !sums.fresh.contains_key(block) {
                    sums.late.insert(*block);
                }
            }
            self.update(channel);
        }
    }

    /// The median of fresh blocks; `None` without any.
    fn median_of(&mut self, channel: Channel) -> Option<f64> {
        let median = self.sums_mut(channel).median.median();
        median.filter(|latency| latency.is_finite())
    }

    /// Lets what is stated be what the sums say.
    fn update(&mut self, channel: Channel) {
        let fresh_s = self.median_of(channel);
        if self.kin.of(channel).fresh_s != fresh_s {
            let known = OperationBaseline {
                fresh_s,
                ends: Vec::new(),
            };
            for block in self.sums_mut(channel).late.clone() {
                let end = self.history(block, 0).end(channel, &known);
                self.looks += 1;
                self.sums_mut(channel).set_end(block, end);
            }
        }
        let ends = self.sums_mut(channel).ends.values().copied().collect();
        *self.kin.of_mut(channel) = OperationBaseline { fresh_s, ends };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_core::draw::{Purpose, draw};

    /// Kept beside the sums: what [`Kin::of_chip`] makes of all histories.
    fn summed(chip: &ChipLatencies) -> Kin {
        let all = chip.blocks.values();
        let histories: Vec<_> = all.map(|of_block| of_block.recorder.history(0)).collect();
        Kin::of_chip(&histories.iter().collect::<Vec<_>>())
    }

    /// A cycle of a block that wears: erases take longer, programs less.
    fn cycle(chip: &mut ChipLatencies, block: u32, cycle: u64) {
        let own = 1_000_000 + 1000 * u64::from(block % 7);
        let wear = cycle * cycle / 40;
        chip.programmed(block, Time::from_ps(own.saturating_sub(20 * cycle)));
        chip.erased(block, cycle, Time::from_ps(4 * own + 50 * wear), false);
    }

    #[test]
    fn sums_that_are_kept_are_those_of_all_histories() {
        let mut chip = ChipLatencies::default();
        let mut cycles: BTreeMap<u32, u64> = BTreeMap::new();
        let mut ended = 0;
        for step in 0..4000_u64 {
            let random = |what| draw(29, step, what, Purpose::Address);
            let block = (random(0) % 24) as u32;
            // Some are watched too late to show a fresh latency.
            let first = if block.is_multiple_of(3) { 3000 } else { 1 };
            let at = cycles.entry(block).or_insert(first);
            match random(1) % 200 {
                0..150 => {
                    for _ in 0..random(2) % 40 {
                        *at += 1;
                        cycle(&mut chip, block, *at);
                    }
                }
                150..153 => chip.failed(block, *at, FailureOrigin::Worn),
                153..170 => chip.failed(block, *at, FailureOrigin::Injected),
                170..173 => {
                    chip.forget(block);
                    cycles.remove(&block);
                }
                _ => {
                    let expected = summed(&chip);
                    assert_eq!(*chip.kin(), expected, "step {step}");
                    ended = ended.max(expected.erase.ends.len());
                }
            }
        }
        assert!(ended > 3, "{ended} blocks failed at once");
        assert!(!chip.erase.late.is_empty(), "none was watched too late");
    }

    /// However many blocks there are, an answer looks at those that were used since the last.
    #[test]
    fn an_answer_looks_at_the_blocks_that_were_used() {
        let mut chip = ChipLatencies::default();
        for block in 0..4096 {
            cycle(&mut chip, block, 1);
        }
        chip.kin();
        assert_eq!(chip.looks, 4096);
        for round in 0..100 {
            chip.kin();
            cycle(&mut chip, 7, 2 + round);
            cycle(&mut chip, 9, 2 + round);
            chip.kin();
        }
        assert_eq!(chip.looks, 4096 + 200);
    }

    #[test]
    fn what_was_made_to_fail_teaches_nothing() {
        let worn = |origin| {
            let mut chip = ChipLatencies::default();
            for number in 1..2500 {
                cycle(&mut chip, 1, number);
                cycle(&mut chip, 2, number);
            }
            chip.failed(1, 2500, origin);
            chip
        };
        let mut taught = worn(FailureOrigin::Worn);
        assert_eq!(taught.kin().erase.ends.len(), 1);
        assert!(taught.history(1, 2500).failed);
        assert_eq!(taught.unworn_failures(1), UnwornFailures::default());
        for origin in [FailureOrigin::Injected, FailureOrigin::PowerCut] {
            let mut chip = worn(origin);
            assert!(chip.kin().erase.ends.is_empty(), "{origin:?}");
            assert!(!chip.history(1, 2500).failed, "{origin:?}");
            let counted = chip.unworn_failures(1);
            assert_eq!(counted.injected + counted.power_cut, 1, "{origin:?}");
            assert_eq!(chip.unworn_failures(2), UnwornFailures::default());
        }
    }
}
