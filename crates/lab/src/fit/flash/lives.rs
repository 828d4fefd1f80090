//! How strong blocks are and how that spreads: maximum likelihood.
//!
//! The strength of a page is Weibull distributed within a block, its scale log-normal from block to block
//! (`crates/nvm/AGEING.md`). What a block shows are hazards: the first page's own strength s, from its pulses, and the
//! life t that the others would have had, from failure and loops; each is a density where it was seen and a survival
//! where it was not. With x the logarithm of the block's scale, all of them have the form
//! d·k·(ln t − x) − c·(t/eˣ)ᵏ, so that a block's likelihood is one integral over the normal x, done by the trapezoidal
//! rule, which converges exponentially for it.
//!
//! A chip has a scale of its own, an unknown that is profiled out, with the adjustment of Cox and Reid (1987): else each
//! chip that is fitted makes its blocks look more alike than they are. Intervals of what all chips share are those of
//! this profile likelihood, so that they are lopsided where it is.

use super::law::LawInterval;
use super::statistics::{fall, inverse};

/// Which pages fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LifePages {
    /// The first page, which alone is programmed.
    First,
    /// The others, which are erased alone.
    Others,
    /// Whichever is the weakest.
    All,
}

/// What is known of a failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hazard {
    pub(super) pages: LifePages,
    /// Whether it came at that life; else it came later.
    pub(super) seen: bool,
    /// Natural logarithm of the life in cycles.
    pub(super) ln_life: f64,
}

/// A block.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) chip: usize,
    /// Whether it is one of the weak ones.
    pub(super) weak: bool,
    pub(super) hazards: Vec<Hazard>,
}

/// How blocks are made and used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Usage {
    /// Pages of a block that wear by themselves.
    pub(super) pages: f64,
    /// Those that a cycle programs: none, one, or all.
    pub(super) programmed: f64,
    /// Blocks that are erased together, of which the first to fail counts.
    pub(super) together: f64,
}

/// What all chips share, as logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SharedLives {
    /// Spread from block to block.
    pub(super) spread: f64,
    /// Weibull shape.
    pub(super) shape: f64,
    /// Share of the stress that an erase does.
    pub(super) erase: f64,
    /// Strength of a weak block.
    pub(super) weak: f64,
}

impl SharedLives {
    pub(super) const fn get(&self, place: usize) -> f64 {
        [self.spread, self.shape, self.erase, self.weak][place]
    }

    const fn set(mut self, place: usize, value: f64) -> Self {
        match place {
            0 => self.spread = value,
            1 => self.shape = value,
            2 => self.erase = value,
            _ => self.weak = value,
        }
        self
    }
}

/// Those of them that say where lives lie, the others how they scatter.
const LOCATIONS: [usize; 2] = [2, 3];

/// Logarithm of a spread that is as good as none.
pub(super) const NO_SPREAD: f64 = -6.0;

/// Bounds of each, in logarithms.
const BOUNDS: [(f64, f64); 4] = [(NO_SPREAD, 1.0), (-0.6, 3.9), (-4.6, 0.0), (-13.0, 0.0)];

/// Lives of the blocks of some chips.
pub(super) struct Lives<'a> {
    pub(super) usage: Usage,
    pub(super) blocks: &'a [Block],
    pub(super) chips: usize,
    /// Which of what chips share is fitted; the others are held.
    pub(super) free: Vec<usize>,
}

/// A point of the likelihood.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LifePoint {
    pub(super) shared: SharedLives,
    /// Of each chip: logarithm of the endurance of its median block.
    pub(super) chips: Vec<f64>,
    /// Curvature of the log likelihood in each of them.
    curvature: Vec<f64>,
    pub(super) likelihood: f64,
}

impl LifePoint {
    /// Mean of the chips' logarithms.
    pub(super) fn mean(&self) -> f64 {
        self.chips.iter().sum::<f64>() / self.chips.len().max(1) as f64
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LifeFit {
    pub(super) best: LifePoint,
    /// Interval of the logarithm of each free figure, in the order of [`Lives::free`].
    pub(super) intervals: Vec<LawInterval>,
    /// The points at the ends of these intervals, where all other figures are as likely as they can be.
    pub(super) ends: Vec<LifePoint>,
    /// Variance of each chip's logarithm that is its own.
    pub(super) own: Vec<f64>,
    /// How far the mean of these logarithms moves down and up within the intervals of what chips share.
    pub(super) common: [f64; 2],
}

/// A logarithm with its first two derivatives by the logarithm of the scale.
#[derive(Clone, Copy, Default)]
struct Jet(f64, f64, f64);

impl Jet {
    fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1, self.2 + other.2)
    }

    fn times(self, factor: f64) -> Self {
        Self(self.0 * factor, self.1 * factor, self.2 * factor)
    }
}

impl Lives<'_> {
    /// The best point from a start on, with intervals.
    pub(super) fn fit(&self, shared: SharedLives, chips: Vec<f64>) -> Option<LifeFit> {
        let start = self.at(shared, &chips);
        let best = self.climb(start, &self.free);
        if !best.likelihood.is_finite() || best.curvature.iter().any(|one| *one >= 0.0) {
            return None;
        }
        let most = self.fall();
        let (mut intervals, mut all_ends) = (Vec::new(), Vec::new());
        let mut common = [0.0_f64; 2];
        for place in &self.free {
            let ends = [BOUNDS[*place].0, BOUNDS[*place].1]
                .map(|bound| self.end(&best, *place, bound, most));
            for end in &ends {
                let moved = end.mean() - best.mean();
                let side = usize::from(moved > 0.0);
                common[side] = libm::hypot(common[side], moved);
            }
            intervals.push(LawInterval {
                value: best.shared.get(*place),
                least: ends[0].shared.get(*place),
                most: ends[1].shared.get(*place),
            });
            all_ends.extend(ends);
        }
        Some(LifeFit {
            own: best.curvature.iter().map(|one| -1.0 / one).collect(),
            best,
            intervals,
            ends: all_ends,
            common,
        })
    }

    /// The likelihood at what chips share, each chip's scale chosen as well as possible.
    fn at(&self, shared: SharedLives, near: &[f64]) -> LifePoint {
        let mut point = LifePoint {
            shared,
            chips: near.to_vec(),
            curvature: vec![0.0; self.chips],
            likelihood: 0.0,
        };
        for (chip, &near) in near.iter().enumerate() {
            let mut at = near;
            let mut jet = self.chip(shared, chip, at);
            for _ in 0..30 {
                let step = if jet.2 < 0.0 {
                    -jet.1 / jet.2
                } else {
                    jet.1.signum()
                };
                let mut step = step.clamp(-1.0, 1.0);
                let mut next = self.chip(shared, chip, at + step);
                // A step that overshoots is halved.
                for _ in 0..20 {
                    if next.0 >= jet.0 || step.abs() < 1e-9 {
                        break;
                    }
                    step *= 0.5;
                    next = self.chip(shared, chip, at + step);
                }
                (at, jet) = (at + step, next);
                if step.abs() < 1e-7 {
                    break;
                }
            }
            point.chips[chip] = at;
            point.curvature[chip] = jet.2;
            point.likelihood += jet.0 - 0.5 * libm::log((-jet.2).max(1e-12));
        }
        point
    }

    /// Climbs by Newton's steps, damped as Levenberg and Marquardt do.
    fn climb(&self, start: LifePoint, free: &[usize]) -> LifePoint {
        let mut best = start;
        let mut damping = 1e-3;
        for _ in 0..40 {
            let (gradient, hessian) = self.curvature(&best, free);
            let before = best.likelihood;
            while damping < 1e9 {
                let step = downhill(&gradient, &hessian, damping);
                let mut shared = best.shared;
                for (place, step) in free.iter().zip(&step) {
                    let (least, most) = BOUNDS[*place];
                    let value = (shared.get(*place) + step.clamp(-1.0, 1.0)).clamp(least, most);
                    shared = shared.set(*place, value);
                }
                let next = self.at(shared, &best.chips);
                if next.likelihood > best.likelihood {
                    best = next;
                    damping = (damping * 0.1).max(1e-9);
                    break;
                }
                damping *= 10.0;
            }
            if best.likelihood - before < 1e-6 {
                break;
            }
        }
        best
    }

    /// Gradient and curvature of the profile over the chips' scales, by differences.
    fn curvature(&self, at: &LifePoint, free: &[usize]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let value = |moves: &[(usize, f64)]| {
            let mut shared = at.shared;
            for (place, by) in moves {
                shared = shared.set(*place, shared.get(*place) + by * STEP);
            }
            self.at(shared, &at.chips).likelihood
        };
        let sides: Vec<[f64; 2]> = free
            .iter()
            .map(|place| [value(&[(*place, -1.0)]), value(&[(*place, 1.0)])])
            .collect();
        let gradient = sides.iter().map(|[low, high]| (high - low) / (2.0 * STEP));
        let mut hessian = vec![vec![0.0; free.len()]; free.len()];
        for row in 0..free.len() {
            let [low, high] = sides[row];
            hessian[row][row] = (high - 2.0 * at.likelihood + low) / (STEP * STEP);
            for column in 0..row {
                let both = value(&[(free[row], 1.0), (free[column], 1.0)]);
                let other = value(&[(free[row], -1.0), (free[column], -1.0)]);
                let [low_of, high_of] = sides[column];
                let mixed = (both + other + 2.0 * at.likelihood - low - high - low_of - high_of)
                    / (2.0 * STEP * STEP);
                hessian[row][column] = mixed;
                hessian[column][row] = mixed;
            }
        }
        (gradient.collect(), hessian)
    }

    /// By how much the profile likelihood falls to the ends of an interval.
    fn fall(&self) -> f64 {
        let hazards = self.blocks.iter().flat_map(|block| &block.hazards);
        let seen = hazards.filter(|hazard| hazard.seen).count();
        let others = LOCATIONS.iter().filter(|one| self.free.contains(one));
        let lives = seen.saturating_sub(self.chips);
        fall(lives, lives.saturating_sub(others.count()))
    }

    /// Where the profile likelihood of a figure, on the way to a bound, has fallen by so much.
    fn end(&self, best: &LifePoint, place: usize, bound: f64, most: f64) -> LifePoint {
        let others: Vec<usize> = self
            .free
            .iter()
            .copied()
            .filter(|one| *one != place)
            .collect();
        let middle = best.shared.get(place);
        let mut near = best.clone();
        let mut fall = |value: f64| {
            let start = self.at(near.shared.set(place, value), &near.chips);
            near = self.climb(start, &others);
            (best.likelihood - near.likelihood, near.clone())
        };
        // Away from the best by doubling, then between the last two by the secant of the root of the fall, which is
        // nearly straight.
        let (mut inside, mut inside_fall, mut at) = (middle, 0.0_f64, best.clone());
        let mut step = 0.05;
        let (mut outside, mut outside_fall) = loop {
            if inside == bound {
                return at;
            }
            let value = if bound > middle {
                (middle + step).min(bound)
            } else {
                (middle - step).max(bound)
            };
            let (found, there) = fall(value);
            if found > most {
                break (value, found);
            }
            (inside, inside_fall, at) = (value, found.max(0.0), there);
            step *= 2.0;
        };
        for _ in 0..12 {
            let (low, high) = (inside_fall.sqrt(), outside_fall.sqrt());
            let part = ((most.sqrt() - low) / (high - low)).clamp(0.05, 0.95);
            let value = inside + part * (outside - inside);
            let (found, there) = fall(value);
            at = there;
            if (found - most).abs() < 0.01 {
                break;
            }
            if found > most {
                (outside, outside_fall) = (value, found);
            } else {
                (inside, inside_fall) = (value, found.max(0.0));
            }
        }
        at
    }

    /// Log likelihood of a chip's blocks with its derivatives by the logarithm of its endurance.
    fn chip(&self, shared: SharedLives, chip: usize, ln_endurance: f64) -> Jet {
        let form = LifeForm::new(shared, self.usage, ln_endurance);
        let blocks = self.blocks.iter().filter(|block| block.chip == chip);
        blocks
            .map(|block| form.block(block))
            .fold(Jet::default(), Jet::plus)
    }
}

/// Step of the differences, in logarithms.
const STEP: f64 = 1e-3;

/// A damped step of Newton's towards the top.
fn downhill(gradient: &[f64], hessian: &[Vec<f64>], damping: f64) -> Vec<f64> {
    let n = gradient.len();
    let mut damping = damping;
    loop {
        let mut matrix: Vec<Vec<f64>> = hessian
            .iter()
            .map(|row| row.iter().map(|one| -one).collect())
            .collect();
        for (place, row) in matrix.iter_mut().enumerate() {
            row[place] += damping * (1.0 + row[place].abs());
        }
        if let Some(inverse) = inverse(&matrix) {
            let of = |row: &Vec<f64>| row.iter().zip(gradient).map(|(a, b)| a * b).sum();
            return inverse.iter().map(of).collect();
        }
        if damping > 1e6 {
            return vec![0.0; n];
        }
        damping *= 10.0;
    }
}

/// Logarithm of what multiplies the endurance of one programmed page to give a page's scale.
pub(super) fn ln_scale(shape: f64, erase: f64, pages: f64) -> f64 {
    let others = others(shape, erase, pages);
    (libm::log1p(others) - libm::log(std::f64::consts::LN_2)) / shape
}

/// Hazard of the pages that are erased alone, beside that of the one that is programmed as well.
fn others(shape: f64, erase: f64, pages: f64) -> f64 {
    (pages - 1.0) * libm::pow(erase, shape)
}

/// The likelihood of blocks at some figures.
struct LifeForm {
    shape: f64,
    /// Logarithm of the scale of a page's strength.
    ln_scale: f64,
    ln_weak: f64,
    together: f64,
    ln_others: f64,
    ln_all: f64,
    /// Where the integral over blocks is summed up, and how far apart.
    nodes: Vec<LifeNode>,
    step: f64,
}

/// A value of the standard normal z.
struct LifeNode {
    half_square: f64,
    /// κz, with κ the product of shape and spread.
    ln_strength: f64,
    /// e^(−κz)
    weakness: f64,
}

impl LifeNode {
    fn exponent(&self, seen: f64, hazard: f64) -> f64 {
        -seen * self.ln_strength - hazard * self.weakness - self.half_square
    }
}

/// Nodes for a product of shape and spread, and their distance: fine enough for the narrowest likelihood of a block,
/// that of two strengths seen.
fn nodes(kappa: f64) -> (Vec<LifeNode>, f64) {
    let step = 0.8 / (1.0 + 2.0 * kappa * kappa).sqrt();
    let count = ((7.0 + 2.0 * kappa) / step).ceil() as i32;
    let node = |place: i32| {
        let z = f64::from(place) * step;
        LifeNode {
            half_square: 0.5 * z * z,
            ln_strength: kappa * z,
            weakness: libm::exp(-kappa * z),
        }
    };
    ((-count..=count).map(node).collect(), step)
}

impl LifeForm {
    fn new(shared: SharedLives, usage: Usage, ln_endurance: f64) -> Self {
        let (shape, erase) = (libm::exp(shared.shape), libm::exp(shared.erase));
        let others = others(shape, erase, usage.pages);
        let part = libm::pow(erase, shape);
        let all = usage.programmed + (usage.pages - usage.programmed) * part;
        let (nodes, step) = nodes(shape * libm::exp(shared.spread));
        Self {
            shape,
            ln_scale: ln_endurance + ln_scale(shape, erase, usage.pages),
            ln_weak: shared.weak,
            nodes,
            step,
            together: usage.together,
            ln_others: libm::log(others),
            ln_all: libm::log(all),
        }
    }

    fn block(&self, block: &Block) -> Jet {
        let scale = self.ln_scale + if block.weak { self.ln_weak } else { 0.0 };
        let (mut seen, mut constant, mut hazard) = (0.0, 0.0, 0.0);
        for one in &block.hazards {
            let coefficient = match one.pages {
                LifePages::First => 0.0,
                LifePages::Others => self.ln_others,
                LifePages::All => self.ln_all,
            };
            let ln_hazard = coefficient + self.shape * (one.ln_life - scale);
            hazard += libm::exp(ln_hazard);
            if one.seen {
                seen += 1.0;
                constant += libm::log(self.shape) + ln_hazard - one.ln_life;
            }
        }
        let one = self.integral(seen, hazard);
        let mut jet = Jet(one.0 + constant, one.1 - seen * self.shape, one.2);
        if self.together > 1.0 {
            // Of the blocks that are erased together, all stood at least as long.
            let survival = self.integral(0.0, hazard).times(self.together - seen);
            jet = if seen > 0.0 {
                jet.plus(survival)
            } else {
                survival
            };
        }
        jet
    }

    /// Logarithm of the mean of exp(−seen·κz − hazard·e^(−κz)) over the standard normal z, where κ is shape times
    /// spread, with its derivatives by the logarithm of the scale, on which `hazard` hangs as its power −shape.
    fn integral(&self, seen: f64, hazard: f64) -> Jet {
        let mut top = f64::NEG_INFINITY;
        for node in &self.nodes {
            top = top.max(node.exponent(seen, hazard));
        }
        let mut sums = [0.0; 3];
        for node in &self.nodes {
            let exponent = node.exponent(seen, hazard) - top;
            // What is left out is below the precision of the sum.
            if exponent < -40.0 {
                continue;
            }
            let (weight, hazard) = (libm::exp(exponent), hazard * node.weakness);
            sums[0] += weight;
            sums[1] += weight * hazard;
            sums[2] += weight * hazard * hazard;
        }
        let mean = sums[1] / sums[0];
        let variance = sums[2] / sums[0] - mean * mean;
        Jet(
            top + libm::log(sums[0] * self.step) - 0.5 * libm::log(std::f64::consts::TAU),
            self.shape * mean,
            self.shape * self.shape * (variance - mean),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_core::draw::{Purpose, draw, standard_normal, unit_interval};

    /// Pairs of strengths of blocks: of the programmed page, and of the weakest of the others.
    fn blocks(chips: usize, each: usize, spread: f64, shape: f64, erase: f64) -> Vec<Block> {
        let usage = FIRST_PAGE;
        let scale = libm::log(1e6) + ln_scale(shape, erase, usage.pages);
        let ln_others = libm::log(others(shape, erase, usage.pages)) / shape;
        let block = |chip: usize, place: usize| {
            let drawn = |what| draw(3, (chip * 10_000 + place) as u64, what, Purpose::Oxide);
            let weibull = |what| libm::log(-libm::log(unit_interval(drawn(what)))) / shape;
            let scale = scale + spread * standard_normal(drawn(1));
            let (own, other) = (scale + weibull(2), scale - ln_others + weibull(3));
            let hazard = |pages, ln_life: f64| Hazard {
                pages,
                seen: ln_life <= own.min(other) || pages == LifePages::First,
                ln_life,
            };
            Block {
                chip,
                weak: false,
                hazards: vec![
                    hazard(LifePages::First, own),
                    hazard(LifePages::Others, own.min(other)),
                ]
                .into_iter()
                .map(|one| match one.pages {
                    LifePages::Others => Hazard {
                        seen: other < own,
                        ..one
                    },
                    _ => one,
                })
                .collect(),
            }
        };
        let all = (0..chips).flat_map(|chip| (0..each).map(move |place| (chip, place)));
        all.map(|(chip, place)| block(chip, place)).collect()
    }

    const FIRST_PAGE: Usage = Usage {
        pages: 64.0,
        programmed: 1.0,
        together: 1.0,
    };

    #[test]
    fn many_blocks_give_the_figures_back() {
        let blocks = blocks(1, 400, 0.22, 6.0, 0.4);
        let lives = Lives {
            usage: FIRST_PAGE,
            blocks: &blocks,
            chips: 1,
            free: vec![0, 1, 2],
        };
        let start = SharedLives {
            spread: libm::log(0.3),
            shape: libm::log(4.0),
            erase: libm::log(0.5),
            weak: libm::log(0.02),
        };
        let found = lives.fit(start, vec![libm::log(8e5)]).expect("a top");
        let truth = [0.22, 6.0, 0.4];
        for (interval, truth) in found.intervals.iter().zip(truth) {
            let truth = libm::log(truth);
            assert!((interval.value - truth).abs() < 0.2, "{found:?}");
            assert!(interval.least < truth && truth < interval.most, "{found:?}");
            assert!(interval.most - interval.least < 0.6, "{found:?}");
        }
        assert!(
            (found.best.chips[0] - libm::log(1e6)).abs() < 0.05,
            "{found:?}"
        );
    }
}
