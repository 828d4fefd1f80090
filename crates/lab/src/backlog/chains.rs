//! The chains of a block: where sequences may start in it, and where they may end.

use super::accumulator::BLOCK;
use super::hull::{Node, Point, Side, push_lower, push_upper};

/// Room for a chain, so that it seldom grows.
const ROOM: usize = 48;
/// A point is compared with its neighbours at these distances.
const STRIDES: [usize; 4] = [1, 2, 5, 16];
const EDGE: usize = 16;

/// The part of a block whose own envelope is not needed. `total` is that of the block.
pub(super) fn chains(durations: &[u64], sizes: &[u64], total: Point, varying: bool) -> Node {
    let mut starts = Vec::with_capacity(ROOM);
    let mut sides = vec![Side::default(); 1 + usize::from(varying)];
    let mut at = Point::new(0, 0);
    for (&duration, &size) in durations.iter().zip(sizes) {
        push_upper(&mut starts, at);
        at.a += duration;
        push_lower(&mut sides[0].ends, at);
        at.c += size;
        if let [_, waiting] = &mut sides[..] {
            push_lower(&mut waiting.ends, at);
        }
    }
    Node {
        total,
        starts,
        sides,
    }
}

/// The same for accesses of one unit each, whose total time is below 2⁶².
///
/// A point of a chain lies outside the segment between any two others, so that with equal steps in
/// bytes the second difference of time has one sign at every distance. That is tested at a few
/// distances for all points, without a branch; about one in eight is left for the chains.
pub(super) fn even_chains(durations: &[u64], total: Point) -> Node {
    let mut sums = [0u64; BLOCK + 1];
    let mut sum = 0;
    for (sums, &duration) in sums[1..].iter_mut().zip(durations) {
        sum += duration;
        *sums = sum;
    }
    let sums = &sums[..=durations.len()];
    let mut starts = Vec::with_capacity(ROOM);
    let mut ends = Vec::with_capacity(ROOM);
    // Point `index` is a start before access `index`, and an end after access `index - 1`.
    let last = durations.len();
    let mut push = |index: usize, start: bool, end: bool| {
        if start && index < last {
            push_upper(&mut starts, Point::new(sums[index], index as u64));
        }
        if end && index > 0 {
            push_lower(&mut ends, Point::new(sums[index], index as u64 - 1));
        }
    };
    let (from, to) = (EDGE + 1, last.saturating_sub(EDGE + 1).max(EDGE + 1));
    for index in 0..from.min(last + 1) {
        push(index, true, true);
    }
    for first in (from..to).step_by(64) {
        let (mut early, mut late) = candidates(sums, first, (to - first).min(64));
        while early | late != 0 {
            let bit = (early | late).trailing_zeros();
            push(
                first + bit as usize,
                early >> bit & 1 != 0,
                late >> bit & 1 != 0,
            );
            early &= !(1 << bit);
            late &= !(1 << bit);
        }
    }
    for index in to..=last {
        push(index, true, true);
    }
    Node {
        total,
        starts,
        sides: vec![Side {
            ends,
            peaks: Vec::new(),
        }],
    }
}

/// Which of up to 64 points from `first` on may be starts, and which may be ends.
fn candidates(sums: &[u64], first: usize, count: usize) -> (u64, u64) {
    let mut bends = [[0i64; 64]; 2];
    let here = &sums[first..first + count];
    for (which, &stride) in STRIDES.iter().enumerate() {
        let before = &sums[first - stride..][..count];
        let after = &sums[first + stride..][..count];
        let [all, any] = &mut bends;
        for index in 0..count {
            // Positive where time so far runs ahead of its neighbours: a good end.
            let bend = (here[index] - before[index]) as i64 - (after[index] - here[index]) as i64;
            (all[index], any[index]) = match which {
                0 => (bend, bend - 1),
                _ => (all[index] & bend, any[index] | (bend - 1)),
            };
        }
    }
    let (mut early, mut late) = (0, 0);
    let [all, any] = bends;
    for (index, (all, any)) in all.into_iter().zip(any).enumerate().take(count) {
        early |= (all as u64 >> 63) << index;
        late |= (!any as u64 >> 63) << index;
    }
    (early, late)
}
