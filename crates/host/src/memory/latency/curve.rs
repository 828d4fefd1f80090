//! A curve of latency over working sets: which sizes it lacks, and where it leaves a cache.

/// Bytes of a working set, and the median latency of a load in picoseconds.
pub type CurvePlace = (u64, f64);

/// Neighbours of which one is slower by more have a size between them.
const JUMP: f64 = 1.2;

/// Neighbours closer than this, as a ratio of sizes, are close enough.
const CLOSE: f64 = 1.2;

/// Most points of a curve.
const POINTS_MAX: usize = 40;

/// A level is left where a load takes so much longer than in it.
const LEFT: f64 = 1.25;

/// Up to so much a doubling of the size, a rise is the slope of a level rather than the end of one.
const SLOPE: f64 = 1.15;

/// The end of a level of the memory hierarchy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelKnee {
    /// The largest working set of the level.
    pub bytes: u64,
    /// The smallest one that is beyond it: the level ends between both.
    pub beyond_bytes: u64,
    /// Latency in the level in picoseconds.
    pub latency_ps: f64,
}

/// Sizes to begin with: doubled from a page on to the greatest, which is one of them.
#[must_use]
pub fn sizes(most: u64) -> Vec<u64> {
    let doubled = std::iter::successors(Some(super::PAGE_BYTES), |size| size.checked_mul(2));
    let mut sizes: Vec<u64> = doubled.take_while(|size| *size < most).collect();
    sizes.push(most.max(super::PAGE_BYTES));
    sizes
}

/// The sizes that a curve lacks, ascending: between neighbours that differ, the largest jumps first.
#[must_use]
pub fn lacking(places: &[CurvePlace]) -> Vec<u64> {
    let room = POINTS_MAX.saturating_sub(places.len());
    let mut gaps: Vec<(f64, u64)> = places
        .windows(2)
        .filter_map(|pair| {
            let [(small, fast), (large, slow)] = [pair[0], pair[1]];
            let jump = slow / fast;
            let between = between(small, large)?;
            (jump > JUMP && large as f64 > CLOSE * small as f64).then_some((jump, between))
        })
        .collect();
    gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut sizes: Vec<u64> = gaps.iter().take(room).map(|gap| gap.1).collect();
    sizes.sort_unstable();
    sizes
}

/// The geometric mean of two sizes in whole pages; `None` where there is none between.
fn between(small: u64, large: u64) -> Option<u64> {
    let page = super::PAGE_BYTES;
    let mean = (small as f64 * large as f64).sqrt() as u64 / page * page;
    let mean = if mean <= small { small + page } else { mean };
    (mean < large).then_some(mean)
}

/// Where levels end: each is a stretch in which latency rises by little, and the next begins where it does so again.
/// What lies between is a rise. Two levels of which the second is hardly slower are one.
#[must_use]
pub fn knees(places: &[CurvePlace]) -> Vec<LevelKnee> {
    let levels = levels(places);
    let ends = levels.windows(2).map(|pair| {
        let (first, last) = pair[0];
        let within = &places[first..=last];
        let mut latencies: Vec<f64> = within.iter().map(|place| place.1).collect();
        latencies.sort_by(f64::total_cmp);
        LevelKnee {
            bytes: places[last].0,
            beyond_bytes: places[last + 1].0,
            latency_ps: latencies[latencies.len() / 2],
        }
    });
    ends.collect()
}

/// First and last point of each level.
fn levels(places: &[CurvePlace]) -> Vec<(usize, usize)> {
    let mut levels: Vec<(usize, usize)> = Vec::new();
    for index in 0..places.len() {
        let (bytes, latency) = places[index];
        let joins = levels.last().is_some_and(|&(first, last)| {
            last + 1 == index && {
                let (before, fast) = places[last];
                let doublings = (bytes as f64 / before as f64).log2();
                latency <= fast * SLOPE.powf(doublings.max(0.2))
                    && latency <= places[first].1 * LEFT * SLOPE
            }
        });
        match levels.last_mut() {
            Some(level) if joins => level.1 = index,
            _ => levels.push((index, index)),
        }
    }
    // A point between two levels that belongs to neither is part of the rise, except at the ends of the curve.
    let count = levels.len();
    let mut kept: Vec<(usize, usize)> = Vec::new();
    for (number, level) in levels.into_iter().enumerate() {
        let is_end = number == 0 || number + 1 == count;
        if level.0 == level.1 && !is_end {
            continue;
        }
        let slower = kept
            .last()
            .is_none_or(|last| places[level.0].1 > LEFT * places[last.1].1);
        match kept.last_mut() {
            Some(last) if !slower => last.1 = level.1,
            _ => kept.push(level),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1024;
    const MIB: u64 = 1024 * KIB;

    /// A machine with three caches, of which the last shares its sets, so that its end is a slope.
    fn latency(bytes: u64) -> f64 {
        match bytes {
            0..=32_768 => 1_000.0,
            32_769..=1_048_576 => 3_500.0 + 0.2 * (bytes as f64 / 1_000.0),
            1_048_577..=25_165_824 => 14_000.0 + bytes as f64 / 10_000.0,
            _ => {
                let share = 25_165_824.0 / bytes as f64;
                100_000.0 - 70_000.0 * share * share
            }
        }
    }

    fn refined(most: u64, latency: impl Fn(u64) -> f64) -> Vec<CurvePlace> {
        let mut places: Vec<CurvePlace> = sizes(most)
            .into_iter()
            .map(|size| (size, latency(size)))
            .collect();
        loop {
            let more = lacking(&places);
            if more.is_empty() {
                return places;
            }
            places.extend(more.into_iter().map(|size| (size, latency(size))));
            places.sort_by_key(|place| place.0);
            let twice = places.windows(2).any(|pair| pair[0].0 == pair[1].0);
            assert!(!twice && places.len() <= POINTS_MAX, "{places:?}");
        }
    }

    #[test]
    fn caches_end_where_the_curve_jumps() {
        let places = refined(128 * MIB, latency);
        let found = knees(&places);
        assert_eq!(found.len(), 3, "{found:?} in {places:?}");
        for (knee, size) in found.iter().zip([32 * KIB, MIB, 24 * MIB]) {
            assert!(
                knee.bytes <= size && size < knee.beyond_bytes,
                "{size}: {knee:?}"
            );
            let width = knee.beyond_bytes as f64 / knee.bytes as f64;
            assert!(width < 1.5, "{knee:?}");
        }
        assert!((found[0].latency_ps - 1_000.0).abs() < 1.0);
    }

    #[test]
    fn a_flat_curve_has_no_knee_and_needs_no_more_sizes() {
        let flat: Vec<CurvePlace> = sizes(64 * MIB)
            .into_iter()
            .map(|size| (size, 5.0))
            .collect();
        assert_eq!(lacking(&flat), [0; 0]);
        assert_eq!(knees(&flat), []);
        assert_eq!(knees(&[]), []);
    }

    /// Noise of a few percent makes no level, and a slow rise of translation buffers none either.
    #[test]
    fn noise_and_slopes_are_no_knees() {
        let noisy = |bytes: u64| {
            let noise = 1.0 + 0.03 * ((bytes / 4096 * 7919 % 13) as f64 / 6.5 - 1.0);
            latency(bytes) * noise
        };
        let found = knees(&refined(128 * MIB, noisy));
        assert_eq!(found.len(), 3, "{found:?}");
        let slope = |bytes: u64| 10.0 * (bytes as f64).powf(0.1);
        assert_eq!(knees(&refined(128 * MIB, slope)), []);
    }

    #[test]
    fn sizes_double_and_end_with_the_greatest() {
        assert_eq!(sizes(20 * KIB), [4 * KIB, 8 * KIB, 16 * KIB, 20 * KIB]);
        assert_eq!(sizes(4 * KIB), [4 * KIB]);
        assert_eq!(between(4 * KIB, 8 * KIB), None);
        assert_eq!(between(4 * KIB, 16 * KIB), Some(8 * KIB));
    }
}
