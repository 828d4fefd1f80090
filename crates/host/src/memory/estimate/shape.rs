//! The middle of what is left, its spread and what that says of contention for memory.

use super::TimerCost;
use super::defences::Defences;
use super::grade::GradeReason;
use super::input::{CheckedTimings, EstimateError, LEAST_KEPT, plausible, too_few};
use super::interruption::{KeptTiming, Screening, lost_share_of, screen};
use super::interval::{burst_factor, drift, half_ranks, rank_bounds};
use super::quantile::{Ordered, middle, ranked};
use crate::memory::ledger::LedgerReading;

/// Median above p5, and quartiles apart, from which a run counts as contended by its shape alone.
///
/// Batches of 16 or more loads average what single loads scatter: 25 ns of 90 become 5, and p5 lies 9 % below the median.
const CONTENDED: f64 = 0.25;
/// The same where the ledger shows others at work elsewhere.
const CONTENDED_BESIDE_OTHERS: f64 = 0.15;
/// Variance of blocks, against that of independent batches, from which load comes and goes.
const BURSTS: f64 = 4.0;
/// Share of the range from p5 to p95 that a fortieth of the batches spans between two modes.
const BETWEEN_MODES: f64 = 0.4;
/// Share of the time of another processor from which others count as at work.
const OTHERS_AT_WORK: f64 = 0.05;
/// The same for time that tasks wait for memory.
const OTHERS_TAKE: f64 = 0.01;
/// Ages between one and twice it that are told apart: what cold caches add changes by a few percent between two.
const AGES_OF_OCTAVE: f64 = 4.0;
/// Standard deviations of a normal distribution from p5 to the median, and from quartile to quartile.
const P5_BELOW: f64 = 1.645;
const QUARTILES_APART: f64 = 1.349;
/// Batches and episodes of an age that say how far batches of an age lie apart.
const LEAST_OF_AGE: (usize, usize) = (64, 4);

/// Figures of what was timed, in picoseconds a load or byte.
pub(super) struct TimingShape {
    pub quantiles: Ordered,
    pub median: f64,
    pub low: f64,
    pub high: f64,
    pub mean: f64,
    /// Sum of the loads or bytes that are left.
    pub units: f64,
    /// What is left of each run.
    pub screenings: Vec<Screening>,
    /// How many batches are left, interrupted, and removed as cold.
    pub kept: usize,
    pub hit: usize,
    pub cold: usize,
    /// Share of the runs that interruptions took.
    pub lost_share: f64,
    /// What was taken off for cold caches, as a share of the middle.
    pub corrected: f64,
    /// Whether the middle is no better known than by bounds.
    pub is_bound: bool,
    /// Stretches between interruptions that have batches left.
    pub episodes: usize,
    pub timed: usize,
    pub reasons: Vec<GradeReason>,
}

/// What is left of all runs, one behind the other.
struct PooledTimings {
    kept: Vec<KeptTiming>,
    values: Vec<f64>,
    /// The clock's step in each.
    steps: Vec<f64>,
    /// Where an episode or a run begins.
    starts: Vec<usize>,
    /// Sum of loads or bytes, and of their time.
    units: f64,
    net_ps: f64,
}

impl PooledTimings {
    fn of(runs: &[CheckedTimings], screenings: &[Screening], timer: &TimerCost) -> Self {
        let mut pooled = Self {
            kept: Vec::new(),
            values: Vec::new(),
            steps: Vec::new(),
            starts: Vec::new(),
            units: 0.0,
            net_ps: 0.0,
        };
        let mut episodes = 0;
        for (run, screening) in runs.iter().zip(screenings) {
            let first = episodes;
            let mut last = None;
            for kept in &screening.kept {
                if last != Some(kept.episode) {
                    pooled.starts.push(pooled.kept.len());
                    last = Some(kept.episode);
                }
                let units = run.timed[kept.place].units;
                // Episodes of several runs are different ones.
                let episode = first + kept.episode;
                episodes = episodes.max(episode + 1);
                pooled.kept.push(KeptTiming { episode, ..*kept });
                pooled.values.push(kept.value);
                pooled.steps.push(timer.quantum_ps / units);
                pooled.units += units;
                pooled.net_ps += kept.value * units;
            }
        }
        pooled
    }
}

/// Screens each run by its own ledger and finds the middle of all, its interval and reasons for doubt. `ledger` is that of all
/// runs together.
pub(super) fn shape(
    runs: &[CheckedTimings],
    timer: &TimerCost,
    ledgers: &[LedgerReading],
    ledger: &LedgerReading,
    defences: &Defences,
) -> Result<TimingShape, EstimateError> {
    for ledger in ledgers.iter().chain([ledger]) {
        plausible(timer, ledger)?;
    }
    let each = runs.iter().zip(ledgers);
    let screenings: Vec<Screening> = each
        .map(|(run, ledger)| screen(run, ledger, defences))
        .collect();
    let timed = runs.iter().map(|run| run.timed.len()).sum();
    let pooled = PooledTimings::of(runs, &screenings, timer);
    let (values, steps, units) = (&pooled.values, &pooled.steps, pooled.units);
    let kept = values.len();
    if kept < LEAST_KEPT {
        return Err(too_few(timed, kept));
    }
    let quantiles = Ordered::new(values.iter().copied().zip(steps.iter().copied()).collect());
    let mean = pooled.net_ps / units;
    let middle = if defences.median {
        quantiles.at(0.5)
    } else {
        mean
    };
    if middle <= 0.0 {
        return Err(EstimateError::BelowTimer {
            duration_ps: middle * units / kept as f64,
            cost_ps: timer.cost_ps,
        });
    }

    let half = half_ranks(values, quantiles.at(0.5), &pooled.starts, defences.blocks);
    let (low, high) = rank_bounds(kept, half);
    let bound = |rank: usize, sign: f64| {
        let sign = if defences.widen_by_quantum { sign } else { 0.0 };
        // Each value is wrong by less than its step, so the ranked bounds bound the ranked true values.
        let each = values.iter().zip(steps);
        let mut bounds: Vec<f64> = each.map(|(value, step)| value + sign * step).collect();
        ranked(&mut bounds, rank)
    };
    let (mut low, mut high) = (bound(low, -1.0), bound(high, 1.0));
    if !defences.median {
        let shift = mean - quantiles.at(0.5);
        (low, high) = (low + shift, high + shift);
    }
    // What cold caches added is known within its own error, for each run.
    let share = |screening: &Screening| screening.kept.len() as f64 / kept as f64;
    let doubts = screenings.iter().map(|one| (share(one), one.warmth.doubt));
    for (share, (below, above)) in doubts {
        low -= share * below;
        high += share * above;
    }
    let taken: f64 = pooled.kept.iter().map(|kept| kept.taken_off).sum();

    let sum = |of: fn(&Screening) -> usize| screenings.iter().map(of).sum();
    let mut shape = TimingShape {
        median: middle,
        low: low.clamp(0.0, middle),
        high: high.max(middle),
        mean: mean.max(0.0),
        units,
        kept,
        hit: sum(|one| one.hit),
        cold: sum(|one| one.cold),
        lost_share: screenings.iter().map(|one| one.lost_share).sum::<f64>() / runs.len() as f64,
        corrected: taken / kept as f64 / middle,
        is_bound: screenings.iter().any(|one| one.warmth.is_bound),
        episodes: pooled.starts.len(),
        timed,
        reasons: Vec::new(),
        screenings,
        quantiles,
    };
    let step = timer.quantum_ps * kept as f64 / units / middle;
    let cost = timer.cost_ps * kept as f64 / (units * middle);
    shape.reasons = GradeReason::of_run(&shape, step, cost, ledger, defences);
    if defences.check_drift
        && let Some(change) = drift(values)
    {
        shape.reasons.extend(GradeReason::drift(change, step));
    }
    if defences.name_contention {
        let reason = contention(&shape, &pooled, step, ledger, defences);
        shape.reasons.extend(reason);
    }
    Ok(shape)
}

/// Contention for memory.
///
/// A rival for the *core* hits single batches, which are removed, and leaves caches cold, which makes young batches slower
/// than old ones. A rival for the *memory* delays loads in every batch: among batches *of an age* the middle rises above p5,
/// which keeps the quiet value because rivals pause, or speed comes and goes. Two modes that alternate from batch to batch
/// are the memory's own (refresh, page walks), and what a coarse clock scatters is no rise.
fn contention(
    shape: &TimingShape,
    pooled: &PooledTimings,
    step: f64,
    ledger: &LedgerReading,
    defences: &Defences,
) -> Option<GradeReason> {
    let (rise, spread) = rise_and_spread(shape, pooled, defences)?;
    let bursts = burst_factor(&pooled.values, shape.quantiles.at(0.5)) > BURSTS;
    let others_at_work = others_at_work(ledger, defences);
    let least = if others_at_work {
        CONTENDED_BESIDE_OTHERS
    } else {
        CONTENDED
    } + 2.0 * step;
    let own_modes = two_modes(&shape.quantiles) && !bursts;
    let contended = (rise > least && !own_modes) || (spread > least && bursts);
    // Where nobody else runs, on this machine or beside it, nobody loads the memory.
    let is_alone =
        !others_at_work && !ledger.has_hypervisor && ledger.elsewhere_cpu_share.is_some();
    contended.then_some(match is_alone {
        true => GradeReason::UnexplainedSpread { rise, spread },
        false => GradeReason::MemoryContention {
            rise,
            spread,
            others_at_work,
        },
    })
}

/// Median above p5, and quartiles apart, as shares of p5: the middle of what batches of equal age show, or of all batches where
/// no age has enough of them.
fn rise_and_spread(
    shape: &TimingShape,
    pooled: &PooledTimings,
    defences: &Defences,
) -> Option<(f64, f64)> {
    // What cold caches add scatters as well: distances are shares of what was timed, without what chance makes of them.
    let of = |quantiles: &Ordered, (taken, chance): (f64, f64)| {
        let at = |share: f64| quantiles.at(share);
        let quiet = at(0.05) + taken;
        let beyond = |low: f64, high: f64, deviations: f64| {
            let (distance, chance) = (at(high) - at(low), deviations * deviations * chance);
            (distance * distance - chance).max(0.0).sqrt() / quiet
        };
        let shares = || {
            (
                beyond(0.05, 0.5, P5_BELOW),
                beyond(0.25, 0.75, QUARTILES_APART),
            )
        };
        (at(0.05) > 0.0).then(shares)
    };
    let mut by_age: std::collections::BTreeMap<i32, Vec<usize>> = std::collections::BTreeMap::new();
    if defences.rise_at_equal_age && shape.episodes > 1 {
        for (place, kept) in pooled.kept.iter().enumerate() {
            let age = (AGES_OF_OCTAVE * kept.age.max(1.0).log2()).min(1e3) as i32;
            by_age.entry(age).or_default().push(place);
        }
    }
    let enough = |places: &&Vec<usize>| {
        let mut episodes: Vec<usize> = places
            .iter()
            .map(|place| pooled.kept[*place].episode)
            .collect();
        episodes.dedup();
        places.len() >= LEAST_OF_AGE.0 && episodes.len() >= LEAST_OF_AGE.1
    };
    let of_places = |places: &Vec<usize>| {
        let pairs = places
            .iter()
            .map(|place| (pooled.values[*place], pooled.steps[*place]));
        let kept = places.iter().map(|place| &pooled.kept[*place]);
        of(&Ordered::new(pairs.collect()), cold_of(kept))
    };
    let each: Vec<(f64, f64)> = by_age
        .values()
        .filter(enough)
        .filter_map(of_places)
        .collect();
    if each.is_empty() {
        return of(&shape.quantiles, cold_of(pooled.kept.iter()));
    }
    let (mut rises, mut spreads): (Vec<f64>, Vec<f64>) = each.into_iter().unzip();
    Some((middle(&mut rises), middle(&mut spreads)))
}

/// What cold caches added to these batches on the mean, and its variance by chance.
fn cold_of<'k>(kept: impl Iterator<Item = &'k KeptTiming>) -> (f64, f64) {
    let sums = kept.fold((0.0, 0.0, 0.0), |(count, taken, chance), one| {
        (count + 1.0, taken + one.taken_off, chance + one.chance)
    });
    let count = f64::max(sums.0, 1.0);
    (sums.1 / count, sums.2 / count)
}

/// Whether others are at work where they may load the memory: on other processors, or so that tasks wait for memory. Who takes
/// turns with us on our own processor does not run while we do.
fn others_at_work(ledger: &LedgerReading, defences: &Defences) -> bool {
    let beyond = |share: Option<f64>, least: f64| share.is_some_and(|share| share > least);
    let on_our_core = || {
        ledger.other_cpu_share > OTHERS_AT_WORK
            || lost_share_of(ledger).is_some_and(|lost| lost > OTHERS_AT_WORK)
            || beyond(ledger.cpu_pressure, OTHERS_AT_WORK)
    };
    beyond(ledger.elsewhere_cpu_share, OTHERS_AT_WORK)
        || beyond(ledger.memory_pressure, OTHERS_TAKE)
        || (!defences.elsewhere_alone && on_our_core())
}

/// Whether the values lie in two heaps with next to nothing between them.
fn two_modes(quantiles: &Ordered) -> bool {
    let grid: Vec<f64> = (2..=38)
        .map(|step| quantiles.at(f64::from(step) / 40.0))
        .collect();
    let range = grid[grid.len() - 1] - grid[0];
    let widest = grid
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .fold(0.0, f64::max);
    widest > BETWEEN_MODES * range
}
