//! What is known of a block's latencies.

use super::predict::{OperationBaseline, trend};
use super::trend::{Channel, median, smoothed};

/// A latency in a block's life. It holds until the next of the same operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrendSample {
    /// The cycle from which on it holds, from 1.
    pub cycle: u64,
    /// How long the operation took, in seconds.
    pub latency_s: f64,
    /// Lines of a log that say so, 1 at least: as much as it weighs.
    pub lines: f64,
}

/// The latencies of a block, in the order of its cycles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatencyHistory {
    /// Of programs of a page; neighbours differ.
    pub programs: Vec<TrendSample>,
    /// Of erases of the block; neighbours differ.
    pub erases: Vec<TrendSample>,
    /// The last cycle that is known of.
    pub cycles: u64,
    /// Whether an operation of the last cycle failed.
    pub failed: bool,
}

impl LatencyHistory {
    /// The latencies of an operation.
    #[must_use]
    pub const fn of(&self, channel: Channel) -> &Vec<TrendSample> {
        match channel {
            Channel::Program => &self.programs,
            Channel::Erase => &self.erases,
        }
    }

    pub(super) const fn of_mut(&mut self, channel: Channel) -> &mut Vec<TrendSample> {
        match channel {
            Channel::Program => &mut self.programs,
            Channel::Erase => &mut self.erases,
        }
    }

    /// The latencies of an operation up to a cycle, without single outliers.
    pub(super) fn until(&self, channel: Channel, cycle: u64) -> Vec<TrendSample> {
        let all = self.of(channel);
        smoothed(&all[..all.partition_point(|sample| sample.cycle <= cycle)])
    }

    /// The latency of the fresh block, in seconds, by which its own excess counts; `None` where it begins too late.
    #[must_use]
    pub fn fresh_s(&self, channel: Channel) -> Option<f64> {
        channel.fresh_s(&self.until(channel, self.cycles))
    }

    /// The excess at which the block failed, where it has, and its latencies show it: what its last two operations took
    /// at least, or that of its trend where that is higher. A leap just before the end is no outlier.
    #[must_use]
    pub fn end(&self, channel: Channel, known: &OperationBaseline) -> Option<f64> {
        if !self.failed {
            return None;
        }
        let trend = trend(self, channel, self.cycles, known).ok()?;
        let fresh_s = self.fresh_s(channel).or(known.fresh_s)?;
        let lines = self.of(channel).iter().flat_map(|sample| {
            let excess = channel.excess(sample.latency_s, fresh_s);
            std::iter::repeat_n(excess, sample.lines.min(2.0) as usize)
        });
        let lines: Vec<f64> = lines.collect();
        let last = lines[lines.len().saturating_sub(2)..].iter().copied();
        let least = last.reduce(f64::min).unwrap_or(0.0);
        Some(libm::exp(trend.level).max(least))
    }
}

/// The median fresh latency of the blocks of a chip, in seconds; `None` where all of them begin too late.
pub(super) fn fresh_of_chip<'a>(
    channel: Channel,
    chip: impl Iterator<Item = &'a LatencyHistory>,
) -> Option<f64> {
    let fresh = median(chip.filter_map(|history| history.fresh_s(channel)));
    Some(fresh).filter(|latency| latency.is_finite())
}
