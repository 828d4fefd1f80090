//! The law of wear, from where blocks take their steps.
//!
//! A block's loops and pulses change at shares of its strength that are the same in all blocks ([`late_shares`]). Its
//! strength is known where it failed, and cancels elsewhere: least squares over all blocks, in which each block's
//! strength is a linear unknown, give the shape of the law, and with it the strength of blocks that did not fail.

use wordline_nvm::ageing::{early_shares, late_shares};

use super::pulses::PulseChange;
use super::statistics::{inverse, student};

/// Share of the blocks that take a step together, if it is one of the traps that a fresh oxide has.
const TOGETHER: f64 = 0.8;

/// Standard error, in logarithms, beyond which a figure of the law is not determined.
const LOOSE: f64 = 0.5;

/// Steps of the search at most.
const ROUNDS: u32 = 60;

/// Damping at which no step helps.
const STUCK: f64 = 1e12;

/// How far a figure moves in a round at most, in logarithms.
const FAR: f64 = 0.5;

/// Cycles within which a step may be taken before or after where its block is said to.
const WITHIN: f64 = 0.5;

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LawInterval {
    pub(super) value: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

/// Share of traps at the interface, their exponent, and that of traps in the bulk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WearLaw {
    pub(super) share: f64,
    pub(super) interface: f64,
    pub(super) bulk: f64,
}

impl WearLaw {
    /// Used shares of the strength at which `count` steps are taken.
    pub(super) fn late(&self, count: u32) -> Vec<f64> {
        late_shares(self.share, self.interface, self.bulk, count)
    }

    fn free(&self) -> [f64; 3] {
        let share = self.share.clamp(1e-3, 1.0 - 1e-3);
        [
            libm::log(share / (1.0 - share)),
            libm::log(self.interface),
            libm::log(self.bulk),
        ]
    }

    fn of([share, interface, bulk]: [f64; 3]) -> Self {
        let exponent = |free: f64| libm::exp(free.clamp(-4.6, 1.38));
        Self {
            share: 1.0 / (1.0 + libm::exp(-share)),
            interface: exponent(interface),
            bulk: exponent(bulk),
        }
    }
}

/// What a block shows of its strength, in cycles.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LawSample<'a> {
    /// Its late steps.
    pub(super) changes: &'a [PulseChange],
    /// Where it failed.
    pub(super) failed: Option<f64>,
}

/// A strength in cycles, with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Strength {
    pub(super) cycles: f64,
    pub(super) error: f64,
}

impl LawSample<'_> {
    /// Positions in cycles with the share of the strength at which they lie, and their variance.
    fn points<'a>(
        &'a self,
        shares: &'a [f64],
        shift: f64,
    ) -> impl Iterator<Item = (f64, f64, f64)> + 'a {
        let steps = self.changes.iter().zip(shares);
        let steps = steps.filter(|(change, _)| change.is_narrow());
        let steps =
            steps.map(move |(change, share)| (change.middle() + shift, *share, change.variance()));
        steps.chain(self.failed.map(|cycles| (cycles, 1.0, 0.25)))
    }

    /// The strength that fits best; `None` where nothing determines it.
    pub(super) fn strength(&self, shares: &[f64]) -> Option<Strength> {
        self.strength_at(shares, 0.0)
    }

    fn strength_at(&self, shares: &[f64], shift: f64) -> Option<Strength> {
        let (mut product, mut square) = (0.0, 0.0);
        for (cycles, share, variance) in self.points(shares, shift) {
            product += share * cycles / variance;
            square += share * share / variance;
        }
        (square > 0.0).then(|| Strength {
            cycles: product / square,
            error: (1.0 / square).sqrt(),
        })
    }

    /// Differences from where the steps should be, in standard deviations.
    fn residuals(&self, shares: &[f64], shift: f64, out: &mut Vec<f64>) {
        if let Some(strength) = self.strength_at(shares, shift) {
            let points = self.points(shares, shift);
            out.extend(points.map(|(cycles, share, variance)| {
                (cycles - share * strength.cycles) / variance.sqrt()
            }));
        }
    }
}

/// The law with its intervals: share, exponent at the interface, exponent in the bulk.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FittedLaw {
    pub(super) law: WearLaw,
    pub(super) intervals: [LawInterval; 3],
}

/// Fits the law to what blocks show, from `start`; `None` where they do not determine it.
pub(super) fn fit(start: WearLaw, blocks: &[LawSample<'_>], count: u32) -> Option<FittedLaw> {
    let problem = LawProblem {
        blocks,
        count,
        shift: 0.0,
    };
    let best = problem.solve(start.free())?;
    let points: usize = blocks
        .iter()
        .map(|block| block.points(&vec![1.0; count as usize], 0.0).count())
        .sum();
    let freedom = points
        .checked_sub(blocks.len() + 3)
        .filter(|freedom| *freedom > 0)? as f64;
    // Blocks that keep the law less well than their brackets say widen the intervals.
    let scatter = (best.sum / freedom).max(1.0).sqrt();
    let covariance = inverse(&best.normal)?;
    let reach = student(freedom) * scatter;
    // When within its cycle a step is taken depends on which page takes it. What that could change does not average out.
    let shifted = LawProblem {
        shift: WITHIN,
        ..problem
    };
    let shifted = shifted.solve(best.free)?;
    let error = |place: usize| {
        reach * covariance[place][place].sqrt() + (shifted.free[place] - best.free[place]).abs()
    };
    if !(0..3).all(|place| error(place) < LOOSE) {
        return None;
    }
    let law = WearLaw::of(best.free);
    let interval = |place: usize, of: fn(&WearLaw) -> f64| {
        let end = |sign: f64| {
            let mut far = best.free;
            far[place] += sign * error(place);
            of(&WearLaw::of(far))
        };
        LawInterval {
            value: of(&law),
            least: end(-1.0),
            most: end(1.0),
        }
    };
    Some(FittedLaw {
        law,
        intervals: [
            interval(0, |law| law.share),
            interval(1, |law| law.interface),
            interval(2, |law| law.bulk),
        ],
    })
}

/// Least squares over the steps of all blocks.
#[derive(Clone, Copy)]
struct LawProblem<'a> {
    blocks: &'a [LawSample<'a>],
    count: u32,
    /// Cycles that all steps are moved by.
    shift: f64,
}

/// The least sum of squares.
struct Solved {
    free: [f64; 3],
    sum: f64,
    normal: Vec<Vec<f64>>,
}

impl LawProblem<'_> {
    fn residuals(&self, free: [f64; 3]) -> Vec<f64> {
        let shares = WearLaw::of(free).late(self.count);
        let mut out = Vec::new();
        let blocks = self.blocks.iter();
        blocks.for_each(|block| block.residuals(&shares, self.shift, &mut out));
        out
    }

    /// By Levenberg's and Marquardt's method.
    fn solve(&self, start: [f64; 3]) -> Option<Solved> {
        let sum = |residuals: &[f64]| dot(residuals, residuals);
        let (mut free, mut at) = (start, self.residuals(start));
        let mut damping = 1e-3;
        for _ in 0..ROUNDS {
            let (gradient, normal) = self.normal(free, &at);
            let before = sum(&at);
            while damping < STUCK {
                let mut damped = normal.clone();
                (0..3).for_each(|place| damped[place][place] *= 1.0 + damping);
                let inverse = inverse(&damped)?;
                let mut next = free;
                (0..3).for_each(|row| {
                    next[row] -= dot(&inverse[row], &gradient).clamp(-FAR, FAR);
                });
                let there = self.residuals(next);
                if sum(&there) <= before {
                    (free, at) = (next, there);
                    damping *= 0.1;
                    break;
                }
                damping *= 10.0;
            }
            if before - sum(&at) <= 1e-9 * (1.0 + before) {
                break;
            }
        }
        let (_, normal) = self.normal(free, &at);
        Some(Solved {
            free,
            sum: sum(&at),
            normal,
        })
    }

    /// Half the gradient of the sum of squares, and the normal matrix.
    fn normal(&self, free: [f64; 3], at: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let slopes = slopes(&|free| self.residuals(free), free);
        let gradient = slopes.iter().map(|slope| dot(slope, at)).collect();
        let row = |one: &Vec<f64>| slopes.iter().map(|other| dot(one, other)).collect();
        (gradient, slopes.iter().map(row).collect())
    }
}

fn slopes(residuals: &impl Fn([f64; 3]) -> Vec<f64>, free: [f64; 3]) -> [Vec<f64>; 3] {
    const STEP: f64 = 1e-4;
    [0, 1, 2].map(|place| {
        let at = |sign: f64| {
            let mut moved = free;
            moved[place] += sign * STEP;
            residuals(moved)
        };
        let (low, high) = (at(-1.0), at(1.0));
        let both = low.iter().zip(&high);
        both.map(|(low, high)| (high - low) / (2.0 * STEP))
            .collect()
    })
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The steps that blocks take together while the traps of a fresh oxide fill up.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Early {
    pub(super) count: u32,
    /// Cycles in which all but a part 1/e of the traps fill up; `None` where there is no such step.
    pub(super) cycles: Option<LawInterval>,
}

impl Early {
    /// From the steps of all blocks. Those taken together are removed from them.
    pub(super) fn take(blocks: &mut [Vec<PulseChange>]) -> Self {
        let needed = TOGETHER * blocks.len() as f64;
        let mut together = Vec::new();
        while let Some(step) = shared(blocks).filter(|(count, _)| *count as f64 >= needed) {
            let (_, at) = step;
            let mut found = PulseChange {
                after: 0.0,
                by: f64::INFINITY,
            };
            // One stress for all: it lies in every bracket.
            for steps in blocks.iter_mut() {
                if let Some(place) = steps.iter().position(|step| step.holds(at)) {
                    let step = steps.remove(place);
                    found.after = found.after.max(step.after);
                    found.by = found.by.min(step.by);
                }
            }
            together.push(found);
        }
        together.sort_by(|one: &PulseChange, other| one.by.total_cmp(&other.by));
        Self {
            count: together.len() as u32,
            cycles: time(&together),
        }
    }
}

/// Where most blocks take a step, and how many do. The order in which a block takes its steps says nothing: late ones
/// come among the early ones of a weak block.
fn shared(blocks: &[Vec<PulseChange>]) -> Option<(usize, f64)> {
    let mut places: Vec<f64> = blocks.iter().flatten().map(|step| step.by).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let take = |at: f64| {
        let has = |steps: &&Vec<PulseChange>| steps.iter().any(|step| step.holds(at));
        (blocks.iter().filter(has).count(), at)
    };
    places.into_iter().map(take).max_by_key(|(count, _)| *count)
}

/// The time constant that puts every step into its bracket; where none does, the mean with the scatter of the steps.
fn time(steps: &[PulseChange]) -> Option<LawInterval> {
    let shares = early_shares(steps.len() as u32);
    let pairs = || steps.iter().zip(&shares);
    let least = pairs()
        .map(|(step, share)| step.after / share)
        .fold(0.0, f64::max);
    let most = pairs()
        .map(|(step, share)| step.by / share)
        .fold(f64::INFINITY, f64::min);
    if steps.is_empty() {
        return None;
    }
    if least < most {
        return Some(LawInterval {
            value: f64::midpoint(least, most),
            least,
            most,
        });
    }
    let each: Vec<f64> = pairs().map(|(step, share)| step.middle() / share).collect();
    let (mean, error) = super::statistics::mean(&each);
    let reach = student((each.len() - 1).max(1) as f64) * error;
    Some(LawInterval {
        value: mean,
        least: (mean - reach).max(0.0),
        most: mean + reach,
    })
}
