//! Batches during which another program had the core, and the cold ones after them.
//!
//! Removal is one-sided: only what is slow is removed, because an interruption can only add time. What memory itself
//! does, however rare, must stay: refresh adds 0.3 to 0.6 µs to a batch, page walks up to five times its length.

use super::defences::Defences;
use super::input::Timed;
use super::quantile::ranked;
use crate::memory::ledger::LedgerReading;

/// Least excess of an interrupted batch: above what refresh or page walks add to a batch of 64 loads (6 µs), below what a
/// scheduler or hypervisor takes (50 µs to 30 ms). Interrupts that are shorter stay, as rare slow batches.
const LEAST_EXCESS_PS: f64 = 10e6;
/// An interrupted batch takes more than so many times the upper quartile. The quartile and not the median, so that a
/// slow mode of a quarter of the batches or more is measured by itself.
const TIMES_UPPER_QUARTILE: f64 = 4.0;
/// Beyond this share of batches, slowness that the ledger cannot explain is a mode of the memory.
const MODE_SHARE: f64 = 0.05;
/// The ledger counts in ticks: so much lost time it may miss.
const LEDGER_DOUBT: f64 = 0.02;
/// Times after an interruption at which warmth is judged. The last is as long as a cache of 1 MiB takes to fill by single
/// loads of 100 ns.
const WARMTH_PS: [u64; 7] = [
    25_000_000,
    50_000_000,
    100_000_000,
    200_000_000,
    400_000_000,
    800_000_000,
    1_600_000_000,
];
/// A batch is cold while its like are slower than later ones by this share.
const COLD_SHARE: f64 = 0.02;
/// Standard errors of the mean that are no accident.
const ERRORS_OF_MEAN: f64 = 2.0;
/// Episodes between interruptions that a judgement needs.
const LEAST_EPISODES: usize = 4;
/// Later batches of an episode that a judgement needs.
const LEAST_OLDER: usize = 4;

/// What is left, and what was removed.
pub(super) struct Screening {
    /// Places of the batches that are left.
    pub kept: Vec<usize>,
    /// Batches with an interruption inside.
    pub hit: usize,
    /// Batches removed because caches were cold after one.
    pub cold: usize,
    /// Share of the run that interruptions took, inside batches and between them.
    pub lost_share: f64,
}

/// Removes interrupted and cold batches.
pub(super) fn screen(timed: &[Timed], ledger: &LedgerReading, defences: &Defences) -> Screening {
    let mut per_unit: Vec<f64> = timed.iter().map(Timed::per_unit).collect();
    let place = per_unit.len() * 3 / 4;
    let upper = ranked(&mut per_unit, place).max(0.0);
    let excess = |batch: &Timed| {
        let excess = batch.net_ps - upper * batch.units;
        let fence = (TIMES_UPPER_QUARTILE - 1.0) * upper * batch.units;
        (excess > fence.max(LEAST_EXCESS_PS)).then_some(excess)
    };
    let mut hit: Vec<bool> = timed.iter().map(|batch| excess(batch).is_some()).collect();
    let gaps = gaps(timed);
    let first = timed.first().map_or(0, |batch| batch.at_ps);
    let span = timed.last().map_or(0, |batch| batch.end_ps) - first;
    let of_span = |ps: f64| if span == 0 { 0.0 } else { ps / span as f64 };
    let in_batches = of_span(timed.iter().filter_map(excess).sum());
    let in_gaps = of_span(gaps.iter().flatten().sum::<u64>() as f64);

    let hits = hit.iter().filter(|hit| **hit).count();
    let many = hits as f64 > MODE_SHARE * timed.len() as f64;
    let a_mode = many && unexplained(in_batches + in_gaps, ledger) && defences.keep_slow_modes;
    if a_mode {
        hit.fill(false);
    }
    let lost_share = if a_mode { 0.0 } else { in_batches } + in_gaps;

    let warm_after = if defences.remove_cold {
        let since = since_interruption(timed, &hit, &gaps);
        let horizon = cold_until(timed, &hit, &since);
        since.into_iter().map(|since| since >= horizon).collect()
    } else {
        vec![true; timed.len()]
    };
    let removed = |place: usize| hit[place] && defences.remove_hits;
    let places = 0..timed.len();
    let kept = places.filter(|place| !removed(*place) && (warm_after[*place] || hit[*place]));
    let kept: Vec<usize> = kept.collect();
    let hit = (0..timed.len()).filter(|place| removed(*place)).count();
    Screening {
        hit,
        cold: timed.len() - kept.len() - hit,
        kept,
        lost_share,
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

/// Time before each batch, where it is an interruption.
fn gaps(timed: &[Timed]) -> Vec<Option<u64>> {
    let gap = |pair: &[Timed]| pair[1].at_ps.saturating_sub(pair[0].end_ps);
    let mut ordered: Vec<f64> = timed.windows(2).map(|pair| gap(pair) as f64).collect();
    let place = ordered.len() * 3 / 4;
    // The driver itself pauses between batches; what is far beyond its habit is not the driver.
    let habit = if ordered.is_empty() {
        0.0
    } else {
        ranked(&mut ordered, place)
    };
    let fence = LEAST_EXCESS_PS + TIMES_UPPER_QUARTILE * habit;
    let beyond = |pair: &[Timed]| Some(gap(pair)).filter(|gap| *gap as f64 > fence);
    std::iter::once(None)
        .chain(timed.windows(2).map(beyond))
        .collect()
}

/// Picoseconds since the last interruption, at the start of each batch; the greatest number before the first.
fn since_interruption(timed: &[Timed], hit: &[bool], gaps: &[Option<u64>]) -> Vec<u64> {
    let mut last = None;
    let each = timed.iter().zip(hit).zip(gaps);
    let each = each.map(|((batch, hit), gap)| {
        if gap.is_some() {
            last = Some(batch.at_ps);
        }
        let since = last.map_or(u64::MAX, |last: u64| batch.at_ps.saturating_sub(last));
        if *hit {
            last = Some(batch.end_ps);
        }
        since
    });
    each.collect()
}

/// How long after an interruption batches are cold.
///
/// All batches of the same age are judged together and removed together, slow or not. To remove the slow ones alone
/// would make the rest too fast. Young ones are compared with older ones of the *same* episode, because episodes that
/// last long are those of a quieter machine.
fn cold_until(timed: &[Timed], hit: &[bool], since: &[u64]) -> u64 {
    let aged: Vec<(u64, f64)> = timed
        .iter()
        .zip(since)
        .map(|(batch, since)| (*since, batch.per_unit()))
        .collect();
    let mut episodes: Vec<Vec<(u64, f64)>> = Vec::new();
    let mut last = u64::MAX;
    for (batch, hit) in aged.into_iter().zip(hit) {
        if *hit || batch.0 == u64::MAX {
            last = u64::MAX;
            continue;
        }
        match episodes.last_mut() {
            Some(episode) if batch.0 >= last => episode.push(batch),
            _ => episodes.push(vec![batch]),
        }
        last = batch.0;
    }
    let mut horizon = 0;
    for until in WARMTH_PS {
        let slower = |episode: &Vec<(u64, f64)>| slower(episode, horizon, until);
        let each: Vec<f64> = episodes.iter().filter_map(slower).collect();
        if each.len() < LEAST_EPISODES {
            continue;
        }
        let count = each.len() as f64;
        let mean = each.iter().sum::<f64>() / count;
        let squares: f64 = each.iter().map(|slower| (slower - mean).powi(2)).sum();
        let chance = ERRORS_OF_MEAN * (squares / (count - 1.0) / count).sqrt();
        if mean <= chance.max(COLD_SHARE) {
            break;
        }
        horizon = until;
    }
    horizon
}

/// By which share batches of an age are slower than later ones of their episode. Means, because an age at which half of the
/// batches are cold has a median that is warm.
fn slower(episode: &[(u64, f64)], from: u64, until: u64) -> Option<f64> {
    let start = episode.partition_point(|(age, _)| *age < from);
    let end = episode.partition_point(|(age, _)| *age < until);
    let (young, older) = (&episode[start..end], &episode[end..]);
    if young.is_empty() || older.len() < LEAST_OLDER {
        return None;
    }
    let mean =
        |aged: &[(u64, f64)]| aged.iter().map(|(_, value)| value).sum::<f64>() / aged.len() as f64;
    let older = mean(older);
    (older > 0.0).then(|| mean(young) / older - 1.0)
}
