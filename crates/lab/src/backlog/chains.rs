//! The chains of a block: where sequences may start in it, and where they may end.

use super::accumulator::BLOCK;
use super::hull::{HullPoint, Side, TailNode, push_lower, push_upper};

/// Room for a chain, so that it seldom grows.
const ROOM: usize = 48;
/// A point is compared with its neighbours at these distances.
const STRIDES: [usize; 4] = [1, 2, 5, 16];
const EDGE: usize = 16;

/// The part of a block whose own envelope is not needed, with both sides. `total` is that of the
/// block; both its totals are below 2⁵³, so that doubles hold all differences exactly.
///
/// A point of a chain lies outside the segment between any two others, so that the slopes to its
/// neighbours turn the same way at every distance. That is tested at a few distances for all points,
/// without a branch; some tenth is left for the chains.
pub(super) fn chains(durations: &[u64], sizes: &[u64], total: HullPoint) -> TailNode {
    let count = durations.len();
    let mut points = [HullPoint::new(0, 0); BLOCK + 1];
    let (mut times, mut bytes) = ([0.0; BLOCK + 1], [0.0; BLOCK + 2]);
    let mut at = HullPoint::new(0, 0);
    for (index, (&duration, &size)) in durations.iter().zip(sizes).enumerate() {
        at = HullPoint::new(at.a + duration, at.c + size);
        points[index + 1] = at;
        times[index + 1] = at.a as i64 as f64;
        bytes[index + 2] = at.c as i64 as f64;
    }
    let mut starts = Vec::with_capacity(ROOM);
    let (mut ends, mut emptied) = (Vec::with_capacity(ROOM), Vec::with_capacity(ROOM));
    let mut push = |index: usize, start: bool, end: bool, empty: bool| {
        if start && index < count {
            push_upper(&mut starts, points[index]);
        }
        if end && index > 0 {
            push_lower(
                &mut ends,
                HullPoint::new(points[index].a, points[index - 1].c),
            );
        }
        if empty && index > 0 {
            push_lower(&mut emptied, points[index]);
        }
    };
    // Two products and their difference round by less than twice the precision of their sum. While
    // they are exact, a share below zero leaves out what lies on a straight line; points that
    // coincide turn by nothing of nothing, and stay.
    let exact = total.a as f64 * (total.c as f64) < (1u64 << 53) as f64;
    let share = if exact { -1e-18 } else { 2.0 * f64::EPSILON };
    let (from, to) = (EDGE + 1, count.saturating_sub(EDGE + 1).max(EDGE + 1));
    for index in 0..from.min(count + 1) {
        push(index, true, true, true);
    }
    for first in (from..to).step_by(64) {
        let stretch = (first, (to - first).min(64));
        // Ends carry the bytes of the point before, which stand one place earlier here.
        let (mut early, mut empty) = turns(&times, &bytes[1..], stretch, share);
        let (_, mut late) = turns(&times, &bytes, stretch, share);
        while early | late | empty != 0 {
            let bit = (early | late | empty).trailing_zeros();
            let is = |mask: u64| mask >> bit & 1 != 0;
            push(first + bit as usize, is(early), is(late), is(empty));
            early &= !(1 << bit);
            late &= !(1 << bit);
            empty &= !(1 << bit);
        }
    }
    for index in to..=count {
        push(index, true, true, true);
    }
    let side = |ends| Side {
        ends,
        peaks: Vec::new(),
    };
    TailNode {
        total,
        starts,
        sides: vec![side(ends), side(emptied)],
    }
}

/// Which of up to 64 points from `first` on may be in an upper-left chain, and which in a
/// lower-right one. A turn that rounding could hide counts as both; `share` says how much of the two
/// products that is.
fn turns(times: &[f64], bytes: &[f64], (first, count): (usize, usize), share: f64) -> (u64, u64) {
    let (mut least, mut most) = ([f64::INFINITY; 64], [f64::NEG_INFINITY; 64]);
    let (time, byte) = (&times[first..][..count], &bytes[first..][..count]);
    for stride in STRIDES {
        let (time_before, time_after) = (
            &times[first - stride..][..count],
            &times[first + stride..][..count],
        );
        let (byte_before, byte_after) = (
            &bytes[first - stride..][..count],
            &bytes[first + stride..][..count],
        );
        for index in 0..count {
            let rising = (time[index] - time_before[index]) * (byte_after[index] - byte[index]);
            let falling = (time_after[index] - time[index]) * (byte[index] - byte_before[index]);
            let (turn, margin) = (rising - falling, (rising + falling) * share);
            let (low, high) = (turn + margin, turn - margin);
            least[index] = if low < least[index] {
                low
            } else {
                least[index]
            };
            most[index] = if high > most[index] {
                high
            } else {
                most[index]
            };
        }
    }
    let (mut upper, mut lower) = (0, 0);
    for (index, (least, most)) in least.into_iter().zip(most).enumerate().take(count) {
        // Lower-right: every turn is upward. Upper-left: every turn is downward.
        lower |= u64::from(least >= 0.0) << index;
        upper |= u64::from(most <= 0.0) << index;
    }
    (upper, lower)
}

/// The same for accesses of one unit each, whose total time is below 2⁶², with the first side alone.
/// With equal steps in bytes the turn is the second difference of time.
pub(super) fn even_chains(durations: &[u64], total: HullPoint) -> TailNode {
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
            push_upper(&mut starts, HullPoint::new(sums[index], index as u64));
        }
        if end && index > 0 {
            push_lower(&mut ends, HullPoint::new(sums[index], index as u64 - 1));
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
    TailNode {
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
