//! Whether a block of accesses can add to the curve at all.
//!
//! The envelope of the sequences inside a block is convex in the rate `w`, zero at `w = 0`, and
//! nowhere steeper than the block's total time. So it lies below a known envelope when it does at
//! that envelope's breakpoints, up to the first line as long as the block. Between breakpoints it
//! lies below its own chord, so that a few rates are enough when the known envelope is far above.
//! A plain recursion at these rates decides; [`LANES`] of them run beside each other.

use super::accumulator::BLOCK;
use super::hull::{HullPoint, merge};

/// Rates tried at once.
const LANES: usize = 8;
/// Lines kept; more than that are thinned, which keeps the test sound and makes it weaker.
const LINES: usize = 512;
/// Doubles hold integers up to here exactly.
const EXACT: f64 = (1u64 << 53) as f64;

/// Lines that are known to belong under the envelope, to hold blocks against.
#[derive(Clone, Debug, Default)]
pub(super) struct Floor {
    lines: Vec<HullPoint>,
    /// Where line `i` and line `i + 1` meet.
    meets: Vec<Meet>,
    /// Whether the bytes of each access count as gone when it ends. The fill is then held at zero
    /// or above, which is a line of its own.
    waiting: bool,
}

/// The rate `p / q` units of bytes a picosecond at which two lines meet.
#[derive(Clone, Copy, Debug, Default)]
struct Meet {
    p: f64,
    q: f64,
    /// The value of both lines there, times `q`, rounded down unless exact below 2⁵³.
    value: f64,
}

impl Meet {
    fn new(one: HullPoint, two: HullPoint) -> Self {
        let (p, q) = (two.c - one.c, two.a - one.a);
        let divisor = gcd(p, q);
        let (p, q) = (p / divisor, q / divisor);
        let value = u128::from(p) * u128::from(one.a) - u128::from(q) * u128::from(one.c);
        // Three roundings at most, each by less than 2⁻⁵² of the value.
        let value = match value as f64 {
            value if value <= EXACT => value,
            value => value * (1.0 - 4.0 * f64::EPSILON),
        };
        Self {
            p: p as f64,
            q: q as f64,
            value,
        }
    }
}

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Floor {
    /// For bytes waiting.
    pub(super) fn of_waiting() -> Self {
        Self {
            lines: vec![HullPoint::new(0, 0)],
            meets: Vec::new(),
            waiting: true,
        }
    }

    /// Adds lines that an exact envelope has found.
    pub(super) fn raise(&mut self, lines: &[HullPoint]) {
        let mut merged = merge(&self.lines, lines);
        if merged == self.lines {
            return;
        }
        while merged.len() > LINES {
            let last = merged.len() - 1;
            let mut index = 0;
            merged.retain(|_| {
                index += 1;
                (index - 1) % 2 == 0 || index - 1 == last
            });
        }
        self.meets = merged
            .windows(2)
            .map(|pair| Meet::new(pair[0], pair[1]))
            .collect();
        self.lines = merged;
    }

    /// Multiplies the bytes of all lines.
    pub(super) fn rescale(&mut self, factor: u64) {
        let lines = std::mem::take(&mut self.lines);
        // A line that leaves the range is dropped: the floor may be lower than it could be.
        let scaled = lines.iter().filter_map(|line| {
            let c = line.c.checked_mul(factor)?;
            Some(HullPoint::new(line.a, c))
        });
        self.raise(&scaled.collect::<Vec<_>>());
    }

    /// Whether every sequence inside the block lies under the floor at every rate. A `false` says
    /// nothing. `sizes` gives the units of bytes of each access.
    pub(super) fn covers(
        &self,
        total: HullPoint,
        accesses: impl Iterator<Item = (u64, f64)> + Clone,
    ) -> bool {
        let shorter = self.lines.partition_point(|line| line.a < total.a);
        if shorter == self.lines.len() || total.a >= 1 << 53 || total.c >= 1 << 53 {
            return false;
        }
        if shorter == 0 {
            return true;
        }
        // Lines 0 … shorter-1 are shorter than the block, so meets 0 … shorter-1 are to be tried.
        let meets = &self.meets[..shorter];
        let mut tried = [0; LANES];
        for (lane, index) in tried.iter_mut().enumerate() {
            // The first, where bytes begin to wait, and the last are always among them, the others
            // evenly between; all of them when there are few.
            *index = (lane * (shorter - 1)).div_ceil(LANES - 1);
        }
        let lanes = tried.map(|index| meets[index]);
        let peaks = if self.waiting {
            recursion::<true>(&lanes, accesses)
        } else {
            recursion::<false>(&lanes, accesses)
        };
        let mut passed = (0.0, 0.0);
        let mut next = 0;
        for (lane, &index) in tried.iter().enumerate() {
            let meet = lanes[lane];
            let most = meet.p * total.a as f64;
            let peak = if most < EXACT && meet.q * (total.c as f64) < EXACT {
                peaks[lane]
            } else {
                // Each access rounds a handful of times, each by 2⁻⁵³ of at most `most`.
                peaks[lane] + most * (8.0 * f64::EPSILON * BLOCK as f64)
            };
            if peak > meet.value {
                return false;
            }
            let here = (meet.p / meet.q, peak / meet.q);
            if !under(&meets[next..index.max(next)], passed, here) {
                return false;
            }
            (passed, next) = (here, index + 1);
        }
        true
    }
}

/// Whether the chord from one rate and value to another lies under the values of the meets
/// between them.
fn under(meets: &[Meet], (from, low): (f64, f64), (to, high): (f64, f64)) -> bool {
    let slope = (high - low) / (to - from);
    meets.iter().all(|meet| {
        let chord = low + (meet.p / meet.q - from) * slope;
        chord * (1.0 + 1e-9) < meet.value / meet.q
    })
}

/// The plain recursion at several rates, everything times `q`.
#[inline(always)]
fn recursion<const WAITING: bool>(
    lanes: &[Meet; LANES],
    accesses: impl Iterator<Item = (u64, f64)>,
) -> [f64; LANES] {
    let p = lanes.map(|lane| lane.p);
    let q = lanes.map(|lane| lane.q);
    let mut after = [0.0f64; LANES];
    let mut peak = [0.0f64; LANES];
    for (duration, size) in accesses {
        // Below 2⁵³, as the block's total is.
        let duration = duration as i64 as f64;
        for lane in 0..LANES {
            let fill = after[lane] + p[lane] * duration;
            let left = fill - q[lane] * size;
            after[lane] = if left > 0.0 { left } else { 0.0 };
            let fill = if WAITING { after[lane] } else { fill };
            peak[lane] = if fill > peak[lane] { fill } else { peak[lane] };
        }
    }
    peak
}
