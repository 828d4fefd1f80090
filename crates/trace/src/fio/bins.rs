//! The bins of fio's histograms: values below 128 have a bin each, and from there every power of two is divided
//! into 64 bins of equal width. fio 3 has 29 groups of 64 bins, in nanoseconds; fio 2 had 19, in microseconds.
//! The last bin takes everything above as well.

/// Bins of a group.
pub(crate) const GROUP: usize = 64;

/// Binary digits of a value that a bin keeps behind the first.
const KEPT_BITS: u32 = 6;

/// Smallest and largest value of a bin, by its number from 0.
pub(crate) fn edges(bin: usize) -> (u64, u64) {
    let (group, place) = (bin / GROUP, (bin % GROUP) as u64);
    if group < 2 {
        return (bin as u64, bin as u64);
    }
    let dropped_bits = group as u32 - 1;
    let least = (GROUP as u64 + place) << dropped_bits;
    (least, least + ((1 << dropped_bits) - 1))
}

/// The bin of a value.
pub(crate) fn bin_of(value: u64) -> usize {
    if value < 2 * GROUP as u64 {
        return value as usize;
    }
    let dropped_bits = value.ilog2() - KEPT_BITS;
    let place = (value >> dropped_bits) as usize - GROUP;
    (dropped_bits as usize + 1) * GROUP + place
}

/// The value by which json+ names a bin: its middle, rounded up.
pub(crate) fn middle(bin: usize) -> u64 {
    let (least, most) = edges(bin);
    least + (most - least).div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bins_join_without_gap_or_overlap() {
        let mut next = 0;
        for bin in 0..29 * GROUP {
            let (least, most) = edges(bin);
            assert_eq!(least, next, "bin {bin}");
            for value in [least, middle(bin), most] {
                assert_eq!(bin_of(value), bin, "{value}");
            }
            next = most + 1;
        }
        assert_eq!(next, 1 << 34, "as the comments of fio's sources say");
    }

    #[test]
    fn bins_of_a_real_log_are_named_by_their_middle() {
        for name in [100, 171, 241, 1_800, 1_912, 8_256, 57_088, 59_648, 436_224] {
            assert_eq!(middle(bin_of(name)), name);
        }
    }
}
