//! Bandwidth of several threads at once.
//!
//! The sum of what each thread reaches is too much where threads do not all run: the others leave it their share of the
//! bus. So the total is taken over the time in which all of them run, and the sum serves as an upper bound.

use super::TimerCost;
use super::bandwidth::{
    BandwidthEstimate, PS_PER_S, ScreenedBandwidth, TimedWindow, best_pass, screened,
};
use super::defences::Defences;
use super::grade::{Grade, GradeReason};
use super::input::{EstimateError, LEAST_KEPT, Timed};
use super::interval::{half_ranks, rank_bounds};
use super::quantile::{Ordered, middle};
use crate::memory::ledger::LedgerReading;

/// A pause of a thread that does not count as one: what lies between two windows of a loop, and short interrupts.
const PAUSE_PS: u64 = 10_000_000;
/// Instants at which the total is taken, at most.
const MOST_INSTANTS: u64 = 1 << 20;

/// What a total rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AggregateBasis {
    /// Windows during which all threads ran. Its error is the stated interval.
    Together,
    /// Too few such windows: the total of all threads lies between these bounds, in bytes a second.
    Bounds {
        /// Threads that ran together often enough.
        threads: usize,
        /// The middle total of so many threads: more threads move no less.
        at_least: f64,
        /// The sum of each thread's middle: each had the bus more to itself than with all others.
        at_most: f64,
    },
}

/// Bandwidth of all threads together, in bytes a second.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateBandwidth {
    /// 10 % of the time is slower.
    pub p10: f64,
    /// The middle; of bounds, their geometric mean.
    pub p50: f64,
    /// 10 % of the time is faster.
    pub p90: f64,
    /// Lower end of the 95 % interval of the middle, or the lower bound.
    pub low: f64,
    /// Upper end of that interval, or the upper bound.
    pub high: f64,
    /// Best whole pass of all threads, as STREAM counts it; `None` without passes.
    pub best_pass: Option<f64>,
    /// What the total rests on.
    pub basis: AggregateBasis,
    /// Share of the run in which all threads ran.
    pub overlap_share: f64,
    /// Each thread by itself, in the order given.
    pub threads: Vec<BandwidthEstimate>,
    /// How far the middle can be trusted: no further than any thread's.
    pub grade: Grade,
    /// Why no further: reasons of the threads, each kind once and the worst of it, and of the overlap.
    pub reasons: Vec<GradeReason>,
}

/// Estimates what several threads move together. All times are of one clock with one start.
///
/// `passes` are whole passes of all threads, from the first start to the last end. The ledger is that of the set of threads.
///
/// # Errors
/// No thread, or one that [`bandwidth()`](super::bandwidth()) refuses.
pub fn aggregate(
    windows: &[Vec<TimedWindow>],
    passes: &[TimedWindow],
    timer: &TimerCost,
    ledger: &LedgerReading,
) -> Result<AggregateBandwidth, EstimateError> {
    if windows.is_empty() {
        return Err(EstimateError::NoThreads);
    }
    let each = windows.iter();
    let each = each.map(|windows| screened(windows, &[], timer, ledger, &Defences::ALL));
    let threads = each.collect::<Result<Vec<_>, _>>()?;
    let mut reasons = worst_of_each_kind(&threads);
    let at_most: f64 = threads.iter().map(|thread| thread.estimate.p50).sum();
    let totals = Totals::of(&threads);
    let overlap_share = totals.overlap_share;

    let (basis, [p10, p50, p90, low, high]) = match totals.together() {
        Some(figures) => (AggregateBasis::Together, figures),
        None => {
            let (running, at_least) = totals.of_most(&threads);
            let at_least = at_least.min(at_most);
            let basis = AggregateBasis::Bounds {
                threads: running,
                at_least,
                at_most,
            };
            let p50 = (at_least * at_most).sqrt();
            (basis, [at_least, p50, at_most, at_least, at_most])
        }
    };
    let bounds = match basis {
        AggregateBasis::Together => 1.0,
        AggregateBasis::Bounds { .. } => high / low,
    };
    let apart = GradeReason::Apart {
        overlap: overlap_share,
        bounds,
    };
    reasons.extend(Some(apart).filter(|reason| reason.grade() > Grade::A));
    Ok(AggregateBandwidth {
        p10,
        p50,
        p90,
        low,
        high,
        best_pass: best_pass(passes, timer),
        basis,
        overlap_share,
        grade: Grade::of(&reasons),
        reasons,
        threads: threads.into_iter().map(|thread| thread.estimate).collect(),
    })
}

fn worst_of_each_kind(threads: &[ScreenedBandwidth]) -> Vec<GradeReason> {
    let mut worst: Vec<GradeReason> = Vec::new();
    for reason in threads.iter().flat_map(|thread| &thread.estimate.reasons) {
        match worst.iter_mut().find(|known| known.name() == reason.name()) {
            Some(known) if known.grade() < reason.grade() => *known = reason.clone(),
            Some(_) => {}
            None => worst.push(reason.clone()),
        }
    }
    worst
}

/// Windows of one thread that were not interrupted, and the spans of time that they fill.
struct RunningThread {
    windows: Vec<Timed>,
    spans: Vec<(u64, u64)>,
}

impl RunningThread {
    fn of(thread: &ScreenedBandwidth) -> Self {
        let kept = thread.screening.kept.iter();
        let windows: Vec<Timed> = kept.map(|kept| thread.timed[kept.place]).collect();
        let mut spans: Vec<(u64, u64)> = Vec::new();
        for window in &windows {
            match spans.last_mut() {
                Some((_, end)) if window.at_ps.saturating_sub(*end) <= PAUSE_PS => {
                    *end = window.end_ps.max(*end);
                }
                _ => spans.push((window.at_ps, window.end_ps)),
            }
        }
        Self { windows, spans }
    }

    /// The span that holds an instant.
    fn span(&self, at_ps: u64) -> Option<(u64, u64)> {
        let next = self.spans.partition_point(|(start, _)| *start <= at_ps);
        let span = *self.spans.get(next.checked_sub(1)?)?;
        (at_ps < span.1).then_some(span)
    }

    /// Bytes a picosecond of the last window that starts by an instant, where it lies within a span.
    fn rate(&self, at_ps: u64, within: (u64, u64)) -> Option<f64> {
        let next = self.windows.partition_point(|window| window.at_ps <= at_ps);
        let window = self.windows.get(next.checked_sub(1)?)?;
        let inside = window.at_ps >= within.0 && window.end_ps <= within.1;
        (inside && window.net_ps > 0.0).then(|| window.units / window.net_ps)
    }
}

/// Totals at instants spread evenly over the run.
struct Totals {
    overlap_share: f64,
    /// Picoseconds a byte while all threads ran, in order of time.
    all: Vec<f64>,
    /// Bytes a picosecond while so many threads ran, by their number.
    some: Vec<Vec<f64>>,
}

impl Totals {
    fn of(threads: &[ScreenedBandwidth]) -> Self {
        let running: Vec<RunningThread> = threads.iter().map(RunningThread::of).collect();
        let windows = || running.iter().flat_map(|thread| &thread.windows);
        let start = windows().map(|window| window.at_ps).min().unwrap_or(0);
        let end = windows().map(|window| window.end_ps).max().unwrap_or(0);
        let mut durations: Vec<f64> = windows().map(|w| (w.end_ps - w.at_ps) as f64).collect();
        let step = middle(&mut durations) as u64;
        let step = step.max((end - start) / MOST_INSTANTS).max(1);
        let mut totals = Self {
            overlap_share: 0.0,
            all: Vec::new(),
            some: vec![Vec::new(); running.len() + 1],
        };
        let instants = (end - start) / step;
        let mut together = 0_u64;
        for instant in 0..instants {
            together += u64::from(totals.take(&running, start + instant * step + step / 2));
        }
        totals.overlap_share = together as f64 / instants.max(1) as f64;
        totals
    }

    /// Takes the total at an instant; whether all threads ran.
    fn take(&mut self, running: &[RunningThread], at_ps: u64) -> bool {
        let spans = running.iter().map(|thread| thread.span(at_ps));
        let spans: Vec<Option<(u64, u64)>> = spans.collect();
        let all = spans.iter().copied().collect::<Option<Vec<_>>>();
        if let Some(spans) = &all {
            // A window that began before another thread ran had the bus more to itself.
            let within = spans
                .iter()
                .fold((0, u64::MAX), |(from, to), (start, end)| {
                    (from.max(*start), to.min(*end))
                });
            let rates = running.iter().map(|thread| thread.rate(at_ps, within));
            if let Some(total) = rates.sum::<Option<f64>>() {
                self.all.push(1.0 / total);
            }
            return true;
        }
        let some = running.iter().zip(&spans);
        let rates = some.filter_map(|(thread, span)| thread.rate(at_ps, (*span)?));
        let rates: Vec<f64> = rates.collect();
        self.some[rates.len()].push(rates.iter().sum());
        false
    }

    /// p10, p50, p90 and the interval of the middle while all threads ran, in bytes a second.
    fn together(&self) -> Option<[f64; 5]> {
        if self.all.len() < LEAST_KEPT {
            return None;
        }
        let ordered = Ordered::new(self.all.iter().map(|value| (*value, 0.0)).collect());
        let half = half_ranks(&self.all, ordered.at(0.5), &[], true);
        let (low, high) = rank_bounds(self.all.len(), half);
        let last = (self.all.len() - 1) as f64;
        let shares = [0.9, 0.5, 0.1, high as f64 / last, low as f64 / last];
        Some(shares.map(|share| PS_PER_S / ordered.at(share)))
    }

    /// The greatest number of threads that ran together often enough, and their middle total in bytes a second.
    fn of_most(&self, threads: &[ScreenedBandwidth]) -> (usize, f64) {
        let most = self.some.iter().enumerate().rev();
        let mut most = most.filter(|(count, totals)| *count > 0 && totals.len() >= LEAST_KEPT);
        if let Some((count, totals)) = most.next() {
            return (count, middle(&mut totals.clone()) * PS_PER_S);
        }
        let best = threads.iter().map(|thread| thread.estimate.p50);
        (1, best.fold(0.0, f64::max))
    }
}
