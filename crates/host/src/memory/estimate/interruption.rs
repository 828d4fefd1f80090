//! Batches during which another program had the core, and the cold ones after them.
//!
//! Removal is one-sided: only what is slow is removed, because an interruption can only add time. What memory itself
//! does, however rare, must stay: refresh adds 0.3 to 0.6 µs to a batch, page walks up to five times its length.

use super::defences::Defences;
use super::input::{CheckedTimings, Timed};
use super::quantile::ranked;
use super::warmth::{AgedBatch, Warmth, warmth};
use crate::memory::ledger::LedgerReading;

/// Least excess of an interrupted batch: above what refresh or page walks add to a batch of 64 loads (6 µs), below what a
/// scheduler or hypervisor takes (50 µs to 30 ms). Interrupts that are shorter stay, as rare slow batches.
pub(in crate::memory) const LEAST_EXCESS_PS: f64 = 10e6;
/// An interrupted batch takes more than so many times the upper quartile. The quartile and not the median, so that a
/// slow mode of a quarter of the batches or more is measured by itself.
pub(in crate::memory) const TIMES_UPPER_QUARTILE: f64 = 4.0;
/// Beyond this share of batches, slowness that the ledger cannot explain is a mode of the memory.
const MODE_SHARE: f64 = 0.05;
/// No memory takes so much longer: an excess of this length is an interruption, however many there are.
const LONGEST_OF_MODE_PS: f64 = 1e9;
/// The ledger counts in ticks: so much lost time it may miss.
const LEDGER_DOUBT: f64 = 0.02;

/// A batch that is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeptTiming {
    /// Its place among all of its run.
    pub place: usize,
    /// Picoseconds a load or byte, without what cold caches added.
    pub value: f64,
    /// What cold caches added, in the same.
    pub taken_off: f64,
    /// Variance by chance of what they added.
    pub chance: f64,
    /// Loads or bytes since the last interruption; infinite before the first.
    pub age: f64,
    /// The episode between two interruptions.
    pub episode: usize,
}

/// What is left, and what was removed.
pub(super) struct Screening {
    /// Batches that are left, in the order of time.
    pub kept: Vec<KeptTiming>,
    /// Batches with an interruption inside.
    pub hit: usize,
    /// Batches removed because caches were cold after one.
    pub cold: usize,
    /// Share of the run that interruptions took, inside batches and between them.
    pub lost_share: f64,
    /// How long batches were cold, and what was taken off.
    pub warmth: Warmth,
}

/// Removes interrupted and cold batches.
pub(super) fn screen(
    run: &CheckedTimings,
    ledger: &LedgerReading,
    defences: &Defences,
) -> Screening {
    let timed = &run.timed;
    let mut per_unit: Vec<f64> = timed.iter().map(Timed::per_unit).collect();
    let place = per_unit.len() * 3 / 4;
    let upper = ranked(&mut per_unit, place).max(0.0);
    let excess = |batch: &Timed| {
        let excess = batch.net_ps - upper * batch.units;
        let fence = (TIMES_UPPER_QUARTILE - 1.0) * upper * batch.units;
        (excess > fence.max(LEAST_EXCESS_PS)).then_some(excess)
    };
    let of_a_mode = |batch: &Timed| excess(batch).filter(|excess| *excess < LONGEST_OF_MODE_PS);
    let mut hit: Vec<bool> = timed.iter().map(|batch| excess(batch).is_some()).collect();
    let gaps = gaps(run);
    let first = timed.first().map_or(0, |batch| batch.at_ps);
    let span = timed.last().map_or(0, |batch| batch.end_ps) - first;
    let span = span.saturating_sub(run.own_ps(first, first + span));
    let of_span = |ps: f64| if span == 0 { 0.0 } else { ps / span as f64 };
    let in_long = of_span(
        timed
            .iter()
            .filter_map(excess)
            .filter(|ps| *ps >= LONGEST_OF_MODE_PS)
            .sum(),
    );
    let in_short = of_span(timed.iter().filter_map(of_a_mode).sum());
    let in_gaps = of_span(gaps.iter().filter_map(|gap| gap.lost_ps).sum::<u64>() as f64);

    let short = timed
        .iter()
        .filter(|batch| of_a_mode(batch).is_some())
        .count();
    let many = short as f64 > MODE_SHARE * timed.len() as f64;
    let lost_share = in_long + in_short + in_gaps;
    let a_mode = many && unexplained(lost_share, ledger) && defences.keep_slow_modes;
    if a_mode {
        for (hit, batch) in hit.iter_mut().zip(timed) {
            *hit &= of_a_mode(batch).is_none();
        }
    }
    let lost_share = if a_mode {
        lost_share - in_short
    } else {
        lost_share
    };
    if !defences.remove_hits {
        hit.fill(false);
    }

    let ages = ages(timed, &hit, &gaps);
    let aged = |place: usize| {
        let (episode, age) = ages[place];
        let value = timed[place].per_unit();
        let units = timed[place].units;
        AgedBatch {
            episode,
            age,
            value,
            units,
        }
    };
    let calm = (0..timed.len()).filter(|place| !hit[*place]);
    let calm: Vec<(usize, AgedBatch)> = calm.map(|place| (place, aged(place))).collect();
    let warmth = match defences.remove_cold {
        true => {
            let batches: Vec<AgedBatch> = calm.iter().map(|(_, batch)| *batch).collect();
            warmth(&batches, run.refill_units, defences)
        }
        false => Warmth::default(),
    };
    let old = calm
        .iter()
        .filter(|(_, batch)| batch.age >= warmth.from_age);
    let kept: Vec<KeptTiming> = old
        .map(|(place, batch)| {
            let taken_off = warmth.taken_off(batch.age);
            KeptTiming {
                place: *place,
                value: batch.value - taken_off,
                taken_off,
                chance: warmth.chance(batch.age, batch.units),
                age: batch.age,
                episode: batch.episode,
            }
        })
        .collect();
    Screening {
        hit: timed.len() - calm.len(),
        cold: calm.len() - kept.len(),
        kept,
        lost_share,
        warmth,
    }
}

/// Whether the ledger shows less than half of what the batches lost. One that shows nothing cannot say.
fn unexplained(lost_share: f64, ledger: &LedgerReading) -> bool {
    let shown = lost_share_of(ledger).map(|lost| lost + ledger.steal_share + LEDGER_DOUBT);
    shown.is_some_and(|shown| shown < lost_share / 2.0)
}

/// Share of the time without a processor; `None` where nothing was read.
pub(super) fn lost_share_of(ledger: &LedgerReading) -> Option<f64> {
    let read = ledger.elapsed_s > 0.0 && ledger.processor_s > 0.0;
    read.then(|| (1.0 - ledger.processor_s / ledger.elapsed_s).max(0.0))
}

/// What lies between a batch and the one before it.
#[derive(Clone, Copy, Debug, Default)]
struct BatchGap {
    /// Its length, where it is an interruption.
    lost_ps: Option<u64>,
    /// Whether the driver did something else there, which starts an episode.
    is_own: bool,
}

/// Gaps before each batch. What the driver did in them is no part of them. A gap is an interruption beyond what the driver
/// does between two batches as a habit, by the upper quartile of gaps.
fn gaps(run: &CheckedTimings) -> Vec<BatchGap> {
    let timed = &run.timed;
    let mut own = run.own.iter().peekable();
    let mut found = Vec::with_capacity(timed.len());
    let mut lengths = Vec::with_capacity(timed.len());
    let mut before: Option<&Timed> = None;
    for batch in timed {
        let from = before.map_or(0, |before| before.end_ps);
        let (mut own_ps, mut is_own) = (0, false);
        while let Some(pause) = own.next_if(|pause| pause.at_ps <= batch.at_ps) {
            let end = pause.end_ps.min(batch.at_ps);
            own_ps += end.saturating_sub(pause.at_ps.max(from));
            is_own = true;
        }
        let length = batch.at_ps.saturating_sub(from).saturating_sub(own_ps);
        found.push((before.is_some().then_some(length), is_own));
        lengths.extend(before.is_some().then_some(length as f64));
        before = Some(batch);
    }
    let habit = match lengths.len() {
        0 => 0.0,
        count => ranked(&mut lengths, count * 3 / 4),
    };
    let fence = LEAST_EXCESS_PS + TIMES_UPPER_QUARTILE * habit;
    let gap = |(length, is_own): (Option<u64>, bool)| BatchGap {
        lost_ps: length.filter(|length| *length as f64 > fence),
        is_own,
    };
    found.into_iter().map(gap).collect()
}

/// The episode of each batch, and the loads or bytes since it began, to the middle of the batch.
fn ages(timed: &[Timed], hit: &[bool], gaps: &[BatchGap]) -> Vec<(usize, f64)> {
    let (mut episode, mut since) = (0, f64::INFINITY);
    let each = timed.iter().zip(hit).zip(gaps);
    let each = each.map(|((batch, hit), gap)| {
        if gap.lost_ps.is_some() || gap.is_own {
            episode += 1;
            since = 0.0;
        }
        let age = (episode, since + batch.units / 2.0);
        since += batch.units;
        if *hit {
            episode += 1;
            since = 0.0;
        }
        age
    });
    each.collect()
}
