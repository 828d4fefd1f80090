//! Ranges that are split at the borders of pages, blocks or chunks.

use std::ops::Range;

/// The parts of `length` places from `at` on, split at multiples of `unit`: the number of the unit, the first place in
/// it, and which of the caller's places these are.
pub(crate) fn parts(
    at: u64,
    length: usize,
    unit: usize,
) -> impl Iterator<Item = (u64, usize, Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == length {
            return None;
        }
        let place = at + done as u64;
        let first = (place % unit as u64) as usize;
        let range = done..length.min(done + unit - first);
        done = range.end;
        Some((place / unit as u64, first, range))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_split_at_borders() {
        let found: Vec<_> = parts(6, 13, 8).collect();
        assert_eq!(found, [(0, 6, 0..2), (1, 0, 2..10), (2, 0, 10..13)]);
        assert_eq!(parts(16, 8, 8).collect::<Vec<_>>(), [(2, 0, 0..8)]);
        assert_eq!(parts(5, 0, 8).count(), 0);
    }
}
