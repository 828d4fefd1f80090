//! The prediction for one block: share of life used and cycles left, from what a log holds up to a cycle.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::history::{LatencyHistory, fresh_of_chip};
use super::law::{Ends, LatencyLaw, LawBand};
use super::trend::{Channel, NoTrend, Trend, median};

/// What the training found; `trained.toml` holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trained {
    /// Of erases.
    pub erase: LatencyLaw,
    /// Of programs.
    pub program: LatencyLaw,
}

impl Trained {
    /// As it stands in the file that comes with the library.
    #[must_use]
    pub fn stored() -> &'static Self {
        static STORED: LazyLock<Trained> =
            LazyLock::new(|| match toml::from_str(include_str!("trained.toml")) {
                Ok(trained) => trained,
                Err(error) => unreachable!("the file comes with the program: {error}"),
            });
        &STORED
    }

    /// The law of an operation.
    #[must_use]
    pub const fn law(&self, channel: Channel) -> &LatencyLaw {
        match channel {
            Channel::Erase => &self.erase,
            Channel::Program => &self.program,
        }
    }
}

/// What is known of an operation besides a block's own latency.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperationBaseline {
    /// Latency of a fresh block, in seconds, for blocks whose log begins too late.
    pub fresh_s: Option<f64>,
    /// The excess at which blocks of the same kind failed.
    pub ends: Vec<f64>,
}

impl OperationBaseline {
    /// The median fresh latency of the blocks of a chip.
    #[must_use]
    pub fn fresh(channel: Channel, chip: &[&LatencyHistory]) -> Self {
        Self {
            fresh_s: fresh_of_chip(channel, chip.iter().copied()),
            ends: Vec::new(),
        }
    }
}

/// The same of both operations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kin {
    /// Of erases.
    pub erase: OperationBaseline,
    /// Of programs.
    pub program: OperationBaseline,
}

impl Kin {
    /// What the blocks of one chip show of each other: fresh ones their latency, failed ones how far it went.
    #[must_use]
    pub fn of_chip(chip: &[&LatencyHistory]) -> Self {
        let mut kin = Self::default();
        for channel in [Channel::Erase, Channel::Program] {
            let known = OperationBaseline::fresh(channel, chip);
            let ends = chip
                .iter()
                .filter_map(|history| history.end(channel, &known));
            kin.of_mut(channel).ends = ends.collect();
            kin.of_mut(channel).fresh_s = known.fresh_s;
        }
        kin
    }

    /// What is known of an operation.
    #[must_use]
    pub const fn of(&self, channel: Channel) -> &OperationBaseline {
        match channel {
            Channel::Erase => &self.erase,
            Channel::Program => &self.program,
        }
    }

    /// The same, to be filled.
    pub const fn of_mut(&mut self, channel: Channel) -> &mut OperationBaseline {
        match channel {
            Channel::Erase => &mut self.erase,
            Channel::Program => &mut self.program,
        }
    }
}

/// What latency says of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The operation that it rests on.
    pub channel: Channel,
    /// Its latency, divided by that of the fresh block.
    pub ratio: f64,
    /// Share of life used.
    pub share: LawBand,
    /// Whether it rests on blocks of the same kind that have failed.
    pub anchored: bool,
    /// Whether the latency lies beyond the end of half of the blocks that it is held against, which failed before they
    /// came so far: what is left then rests on few.
    pub beyond: bool,
}

impl Prediction {
    /// Cycles that are left after `cycles` of them, where a share of life is used.
    #[must_use]
    pub fn left(cycles: u64, share: f64) -> f64 {
        cycles as f64 * (1.0 / share - 1.0)
    }
}

/// The trend of an operation of a block up to a cycle.
///
/// # Errors
/// Why there is none.
pub fn trend(
    history: &LatencyHistory,
    channel: Channel,
    until: u64,
    known: &OperationBaseline,
) -> Result<Trend, NoTrend> {
    let points = history.until(channel, until);
    let fresh_s = channel.fresh_s(&points).or(known.fresh_s);
    Trend::of(channel, &points, until, fresh_s)
}

/// What latency says of a block after `until` cycles: erases, and programs where a log has no erases that show it.
///
/// # Errors
/// Why its latency says nothing.
pub fn predict(
    trained: &Trained,
    history: &LatencyHistory,
    until: u64,
    kin: &Kin,
) -> Result<Prediction, NoTrend> {
    let of = |channel: Channel| {
        let known = kin.of(channel);
        let law = trained.law(channel);
        let trend = trend(history, channel, until, known)?;
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
