//! What goes wrong in a NAND: factory bad blocks, programs and erases that fail, bits that flip.
//! Everything is drawn without state, so that a fork sees the same faults as the chip it came from.

use wordline_core::draw::{Purpose, draw, unit_interval};

/// How often things go wrong. The default is never: data sheets state no rates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// Probability that the program of a page fails, and its block with it.
    pub program_failure: f64,
    /// Probability that an erase fails, and the block with it.
    pub erase_failure: f64,
    /// Share of the bits of a program that are wrong from then on (raw bit error rate).
    pub bit_errors: f64,
}

/// The blocks that are bad when the chip leaves the factory, ascending: any number up to `most`
/// with equal chance, anywhere after the `good` first blocks. A sheet states both limits and no
/// distribution: this one is assumed.
pub(super) fn factory_bad(key: u64, blocks: u32, good: u32, most: u32) -> Vec<u32> {
    let candidates = blocks.saturating_sub(good);
    let most = u64::from(most.min(candidates));
    let count = draw(key, 0, 0, Purpose::BadBlock) % (most + 1);
    let Some(last) = count.checked_sub(1) else {
        return Vec::new();
    };
    let lot = |block: u32| draw(key, u64::from(block), 1, Purpose::BadBlock);
    let mut lots: Vec<(u64, u32)> = (good..blocks).map(|block| (lot(block), block)).collect();
    // The lowest lots: their order among themselves and that of the others is nothing to anybody.
    lots.select_nth_unstable(last as usize);
    let mut bad: Vec<u32> = lots.iter().take(count as usize).map(|lot| lot.1).collect();
    bad.sort_unstable();
    bad
}

/// Whether an event of some probability happens at a place in its cycle.
pub(super) fn happens(
    probability: f64,
    key: u64,
    place: u32,
    cycle: u64,
    purpose: Purpose,
) -> bool {
    probability > 0.0 && unit_interval(draw(key, u64::from(place), cycle, purpose)) < probability
}

/// The bits that a program of `bits` bits leaves wrong, each with probability `rate`. They are found
/// by the gaps between them, which are geometric, so that a low rate costs one draw a page.
pub(super) fn wrong_bits(rate: f64, key: u64, page: u32, cycle: u64, bits: u32) -> Vec<u32> {
    let mut wrong = Vec::new();
    if rate <= 0.0 {
        return wrong;
    }
    let scale = if rate < 1.0 {
        libm::log1p(-rate)
    } else {
        f64::NEG_INFINITY
    };
    let mut next = 0u64;
    for error in 0.. {
        let key = draw(key, error, 0, Purpose::BitError);
        let chance = unit_interval(draw(key, u64::from(page), cycle, Purpose::BitError));
        let gap = libm::log(chance) / scale;
        // A gap beyond the page ends the search, however large.
        next = next.saturating_add(gap as u64);
        if next >= u64::from(bits) {
            break;
        }
        wrong.push(next as u32);
        next += 1;
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_blocks_keep_to_the_sheet_and_reach_both_ends() {
        let (mut fewest, mut most) = (usize::MAX, 0);
        for key in 0..300 {
            let bad = factory_bad(key, 1024, 8, 20);
            assert!(bad.len() <= 20 && bad.iter().all(|block| (8..1024).contains(block)));
            assert!(bad.is_sorted_by(|one, next| one < next));
            assert_eq!(bad, factory_bad(key, 1024, 8, 20));
            fewest = fewest.min(bad.len());
            most = most.max(bad.len());
        }
        assert_eq!((fewest, most), (0, 20));
        // Those with the lowest lots, as if all were put in order.
        for key in 0..50 {
            let mut all: Vec<u32> = (8..1024).collect();
            all.sort_by_cached_key(|block| draw(key, u64::from(*block), 1, Purpose::BadBlock));
            let bad = factory_bad(key, 1024, 8, 20);
            all.truncate(bad.len());
            all.sort_unstable();
            assert_eq!(bad, all);
        }
        assert!(factory_bad(1, 4, 4, 2).is_empty());
    }

    #[test]
    fn wrong_bits_come_at_their_rate_anywhere_in_the_page() {
        let mut halves = [0u32; 2];
        for page in 0..1000 {
            for bit in wrong_bits(1e-3, 7, page, 0, 10_000) {
                halves[(bit / 5_000) as usize] += 1;
            }
        }
        // 5000 expected in each half, with a standard deviation of 71.
        assert!(
            halves.iter().all(|count| (4700..5300).contains(count)),
            "{halves:?}"
        );
        assert_eq!(wrong_bits(1.0, 7, 0, 0, 5), [0, 1, 2, 3, 4]);
        assert!(wrong_bits(0.0, 7, 0, 0, 5).is_empty());
        assert!(wrong_bits(f64::MIN_POSITIVE, 7, 0, 0, 5).is_empty());
    }
}
