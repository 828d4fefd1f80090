//! From the trend of a latency to the share of life that is used.
//!
//! The excess grows as a power of the cycles, y ∝ cᵐ, and the block fails when it has come to its end R. Both parts of
//! that are seen of every virtual chip, and neither asks how the chip makes its pulses: with the slope m between now and
//! the end, the share of life used is x = (y/R)^(1/m). The slope is the block's own, and a little steeper towards the
//! end (`bend`). The end is what a block does not show before it comes: it is that of the chips of the training, or of
//! blocks of the same part that have failed, which differ among themselves, too. A block that works has not come to its end, and before its latency is seen
//! every share of life is as probable as another.

use serde::{Deserialize, Serialize};

use super::trend::Trend;

/// What the training found of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatencyLaw {
    /// Slope of a block that does not show its own.
    pub slope: f64,
    /// Standard deviation of slopes.
    pub slope_spread: f64,
    /// What the slope from now to the end has over the present one.
    pub bend: f64,
    /// How that spreads: standard deviation.
    pub bend_spread: f64,
    /// How far the ends of other families may lie from those of the training: standard deviation of the logarithm.
    pub end_spread: f64,
    /// The excess at which blocks failed, one of each family, ascending.
    pub ends: Vec<f64>,
}

/// A share of life used, 0 to 1: its median, and the 90 % of the probability around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawBand {
    /// 5 % of the probability lie below.
    pub low: f64,
    /// The median.
    pub median: f64,
    /// 5 % of the probability lie above.
    pub high: f64,
}

/// The excess at which blocks fail.
#[derive(Clone, Copy, Debug)]
pub enum Ends<'a> {
    /// Nobody knows of this part: as those of the training, and as far again beyond them.
    OfTraining,
    /// As blocks of the same part did.
    OfKin(&'a [f64]),
}

/// Middles of five equal parts of a standard normal distribution.
const FIFTHS: [f64; 5] = [-1.2816, -0.5244, 0.0, 0.5244, 1.2816];

/// How far the ends of blocks of one part lie apart, as a share of how far those of different parts do. Assumed: blocks
/// of a part share its design and its limit, but not their cells, and how far that takes them is not published.
const WITHIN_PART: f64 = 0.5;

/// The least slope: a latency that stood still would put the end out of reach.
const SLOPE_LEAST: f64 = 0.05;

impl LatencyLaw {
    /// The slope of a trend: its own, held against those of the training where it is uncertain.
    #[must_use]
    pub fn slope_of(&self, trend: &Trend) -> f64 {
        let Some((own, error)) = trend.slope else {
            return self.slope;
        };
        let (known, unknown) = (self.slope_spread.powi(2), error.powi(2));
        let trust = known / (known + unknown).max(f64::MIN_POSITIVE);
        trust * own + (1.0 - trust) * self.slope
    }

    /// The share of life used, where blocks fail at one of `ends`.
    #[must_use]
    pub fn share(&self, trend: &Trend, ends: &Ends<'_>) -> LawBand {
        let slope = self.slope_of(trend) + self.bend;
        let (ends, end_spread) = match ends {
            Ends::OfTraining => (
                self.ends.iter().copied().map(libm::log).collect(),
                self.end_spread,
            ),
            Ends::OfKin(ends) => {
                let (end, spread) = self.of_part(ends);
                // They were found like the present level, with the same error.
                (vec![end], libm::hypot(spread, trend.level_error))
            }
        };
        let spread = libm::hypot(trend.level_error, end_spread);
        let mut shares: Vec<f64> = Vec::new();
        for end in &ends {
            for bend in FIFTHS {
                for off in FIFTHS {
                    let left = end - trend.level + spread * off;
                    let slope = (slope + self.bend_spread * bend).max(SLOPE_LEAST);
                    // One at its end would have failed.
                    if left > 0.0 {
                        shares.push(libm::exp(-left / slope));
                    }
                }
            }
        }
        shares.sort_by(f64::total_cmp);
        let all: f64 = shares.iter().sum();
        if all <= 0.0 {
            // Beyond every end that was seen: it may fail at any moment.
            let low = libm::exp(-2.0 * spread / slope.max(SLOPE_LEAST));
            return LawBand {
                low,
                median: 1.0,
                high: 1.0,
            };
        }
        // Each share counts as much as it is: that is what evenly probable shares become where the latency is known.
        let quantile = |part: f64| {
            let mut sum = 0.0;
            let reached = shares.iter().find(|share| {
                sum += **share;
                sum >= part * all
            });
            reached.copied().unwrap_or(1.0)
        };
        LawBand {
            low: quantile(0.05),
            median: quantile(0.5),
            high: quantile(0.95),
        }
    }

    /// Where the next block of a part fails whose blocks failed at `ends`, one at least, and how uncertain that is: both
    /// of the logarithm. Few blocks hardly show how far they lie apart, so that what is assumed counts as one more.
    fn of_part(&self, ends: &[f64]) -> (f64, f64) {
        let count = ends.len() as f64;
        let end = ends.iter().copied().map(libm::log).sum::<f64>() / count;
        let own: f64 = ends.iter().map(|one| (libm::log(*one) - end).powi(2)).sum();
        let assumed = (WITHIN_PART * self.end_spread).powi(2);
        (end, ((assumed + own) / count * (1.0 + 1.0 / count)).sqrt())
    }
}
