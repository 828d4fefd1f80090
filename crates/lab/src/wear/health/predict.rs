//! The prediction for one block: share of life used and cycles left, from what a log holds up to a cycle.

use serde::{Deserialize, Serialize};
use wordline_core::quantity::Quantity as _;
use wordline_trace::cycling::BlockLife;

use super::law::{Ends, LatencyLaw, LawBand};
use super::trend::{Channel, NoTrend, Trend, TrendSample, median, smoothed};

/// What the training found; `trained.toml` holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trained {
    /// Of erases.
    pub(crate) erase: LatencyLaw,
    /// Of programs.
    pub(crate) program: LatencyLaw,
}

impl Trained {
    /// As it stands in the file.
    pub(crate) fn stored() -> Self {
        match toml::from_str(include_str!("trained.toml")) {
            Ok(trained) => trained,
            Err(error) => unreachable!("the file comes with the program: {error}"),
        }
    }

    pub(crate) const fn law(&self, channel: Channel) -> &LatencyLaw {
        match channel {
            Channel::Erase => &self.erase,
            Channel::Program => &self.program,
        }
    }
}

/// What is known of an operation besides a block's own latency.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OperationBaseline {
    /// Latency of a fresh block, in seconds, for blocks whose log begins too late.
    pub(crate) fresh_s: Option<f64>,
    /// The excess at which blocks of the same kind failed.
    pub(crate) ends: Vec<f64>,
}

/// The same of both operations.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Kin {
    pub(crate) erase: OperationBaseline,
    pub(crate) program: OperationBaseline,
}

impl Kin {
    pub(crate) const fn of(&self, channel: Channel) -> &OperationBaseline {
        match channel {
            Channel::Erase => &self.erase,
            Channel::Program => &self.program,
        }
    }

    pub(crate) const fn of_mut(&mut self, channel: Channel) -> &mut OperationBaseline {
        match channel {
            Channel::Erase => &mut self.erase,
            Channel::Program => &mut self.program,
        }
    }
}

/// What latency says of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prediction {
    /// The operation that it rests on.
    pub(crate) channel: Channel,
    /// Its latency, divided by that of the fresh block.
    pub(crate) ratio: f64,
    /// Share of life used.
    pub(crate) share: LawBand,
    /// Whether it rests on blocks of the same kind that have failed.
    pub(crate) anchored: bool,
    /// Whether the latency lies beyond the end of half of the blocks that it is held against, which failed before they
    /// came so far: what is left then rests on few.
    pub(crate) beyond: bool,
}

impl Prediction {
    /// Cycles that are left after `cycles` of them, where a share of life is used.
    pub(crate) fn left(cycles: u64, share: f64) -> f64 {
        cycles as f64 * (1.0 / share - 1.0)
    }
}

/// Operations of a block up to a cycle, without single outliers.
pub(crate) fn points(life: &BlockLife, channel: Channel, until: u64) -> Vec<TrendSample> {
    let told = life.of(channel.operation());
    let told = told.take_while(|point| point.cycle <= until);
    let told = told.map(|point| TrendSample {
        cycle: point.cycle,
        latency_s: point.duration.si(),
        lines: point.lines as f64,
    });
    smoothed(&told.collect::<Vec<_>>())
}

/// The trend of an operation of a block up to a cycle.
pub(crate) fn trend(
    life: &BlockLife,
    channel: Channel,
    until: u64,
    known: &OperationBaseline,
) -> Result<Trend, NoTrend> {
    let points = points(life, channel, until);
    let fresh_s = channel.fresh_s(&points).or(known.fresh_s);
    Trend::of(channel, &points, until, fresh_s)
}

/// The excess at which a block failed, where it has, and its log shows it: what its last two operations took at least,
/// or that of its trend where that is higher. A leap just before the end is no outlier.
pub(crate) fn end(life: &BlockLife, channel: Channel, known: &OperationBaseline) -> Option<f64> {
    life.failed?;
    let trend = trend(life, channel, life.cycles, known).ok()?;
    let told = points(life, channel, life.cycles);
    let fresh_s = channel.fresh_s(&told).or(known.fresh_s)?;
    let lines = life.of(channel.operation()).flat_map(|point| {
        let excess = channel.excess(point.duration.si(), fresh_s);
        std::iter::repeat_n(excess, point.lines.min(2) as usize)
    });
    let lines: Vec<f64> = lines.collect();
    let last = lines[lines.len().saturating_sub(2)..].iter().copied();
    let least = last.reduce(f64::min).unwrap_or(0.0);
    Some(libm::exp(trend.level).max(least))
}

/// What latency says of a block after `until` cycles: erases, and programs where a log has no erases that show it.
pub(crate) fn predict(
    trained: &Trained,
    life: &BlockLife,
    until: u64,
    kin: &Kin,
) -> Result<Prediction, NoTrend> {
    let of = |channel: Channel| {
        let known = kin.of(channel);
        let law = trained.law(channel);
        let trend = trend(life, channel, until, known)?;
        let anchored = !known.ends.is_empty();
        let ends = if anchored {
            Ends::OfKin(&known.ends)
        } else {
            Ends::OfTraining
        };
        Ok(Prediction {
            channel,
            ratio: trend.ratio,
            share: law.share(&trend, &ends),
            anchored,
            beyond: !anchored && trend.level > libm::log(median(law.ends.iter().copied())),
        })
    };
    match of(Channel::Erase) {
        Err(NoTrend::Missing) => of(Channel::Program),
        Err(NoTrend::Late) => of(Channel::Program).map_err(|_| NoTrend::Late),
        told => told,
    }
}
