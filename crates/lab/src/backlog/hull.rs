//! Convex chains of points, and what two neighbouring parts of a log have in common.
//!
//! A point is a pair of totals: picoseconds and units of bytes. All arithmetic is exact: products
//! of two `u64` in `u128`, which is one instruction on a 64-bit processor.

/// A pair of totals since the start of a part of the log; or, as a line of the curve, a sequence
/// of accesses with its total time and the bytes of all but its last access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HullPoint {
    /// Picoseconds.
    pub(super) a: u64,
    /// Units of bytes.
    pub(super) c: u64,
}

impl HullPoint {
    pub(super) const fn new(a: u64, c: u64) -> Self {
        Self { a, c }
    }

    const fn plus(self, origin: Self) -> Self {
        Self::new(self.a + origin.a, self.c + origin.c)
    }
}

/// Whether the slope from `one` to `two` is less than that from `three` to `four`. Both pairs
/// ascend in both totals.
fn flatter(one: HullPoint, two: HullPoint, three: HullPoint, four: HullPoint) -> bool {
    let left = u128::from(two.c - one.c) * u128::from(four.a - three.a);
    let right = u128::from(four.c - three.c) * u128::from(two.a - one.a);
    left < right
}

/// Adds a point to a lower-right chain: the points that maximise `w·a − c` for some `w > 0`, by
/// ascending `a`, with rising slopes. Points come by ascending `a`.
pub(super) fn push_lower(chain: &mut Vec<HullPoint>, point: HullPoint) {
    while let [.., last] = chain[..] {
        if last.c < point.c {
            if last.a == point.a {
                return;
            }
            match chain[..] {
                [.., before, last] if !flatter(before, last, last, point) => {}
                _ => break,
            }
        }
        chain.pop();
    }
    chain.push(point);
}

/// Adds a point to an upper-left chain: the points that maximise `c − w·a` for some `w > 0`, by
/// ascending `a`, with falling slopes. Points come by ascending `a` and ascending `c`.
pub(super) fn push_upper(chain: &mut Vec<HullPoint>, point: HullPoint) {
    while let [.., last] = chain[..] {
        if point.c <= last.c {
            return;
        }
        if last.a < point.a {
            match chain[..] {
                [.., before, last] if !flatter(last, point, before, last) => {}
                _ => break,
            }
        }
        chain.pop();
    }
    chain.push(point);
}

/// The upper envelope of two envelopes of lines, as a lower-right chain.
pub(super) fn merge(one: &[HullPoint], two: &[HullPoint]) -> Vec<HullPoint> {
    let mut chain = Vec::with_capacity(one.len() + two.len());
    let (mut one, mut two) = (one.iter().peekable(), two.iter().peekable());
    loop {
        let next = match (one.peek(), two.peek()) {
            (Some(left), Some(right)) if left <= right => one.next(),
            (_, Some(_)) => two.next(),
            (Some(_), None) => one.next(),
            (None, None) => return chain,
        };
        if let Some(&point) = next {
            push_lower(&mut chain, point);
        }
    }
}

/// The best line from a start in one part of the log to an end in the part after it, at every
/// rate: a Minkowski sum. `origin` is the total of the first part.
fn across(starts: &[HullPoint], ends: &[HullPoint], origin: HullPoint) -> Vec<HullPoint> {
    let (Some(mut start), mut end) = (starts.len().checked_sub(1), 0) else {
        return Vec::new();
    };
    let mut lines = Vec::with_capacity(starts.len() + ends.len());
    while end < ends.len() {
        let (from, to) = (starts[start], ends[end].plus(origin));
        push_lower(&mut lines, HullPoint::new(to.a - from.a, to.c - from.c));
        // With a rising rate the best end moves to later ones, the best start to earlier ones.
        match (start.checked_sub(1), ends.get(end + 1)) {
            (None, _) => end += 1,
            (Some(earlier), None) => start = earlier,
            (Some(earlier), Some(&later)) => {
                if flatter(ends[end], later, starts[earlier], from) {
                    end += 1;
                } else {
                    start = earlier;
                }
            }
        }
    }
    lines
}

/// What a part of the log can contribute to sequences that end in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Side {
    /// Where a sequence may end: a lower-right chain of totals since the start of the part.
    pub(super) ends: Vec<HullPoint>,
    /// The envelope of the sequences inside the part, without those known to lie below others.
    pub(super) peaks: Vec<HullPoint>,
}

/// A part of the log: any number of accesses in a row.
#[derive(Clone, Debug)]
pub(super) struct TailNode {
    /// The totals of the part.
    pub(super) total: HullPoint,
    /// Where a sequence may start: an upper-left chain of totals since the start of the part.
    pub(super) starts: Vec<HullPoint>,
    /// Bytes in flight, ends counted without the bytes of the last access; and, once sizes vary,
    /// bytes waiting, ends counted with them.
    pub(super) sides: Vec<Side>,
}

impl TailNode {
    /// A single access of `a` picoseconds and `c` units of bytes.
    pub(super) fn single(a: u64, c: u64, sides: usize) -> Self {
        let side = |c| Side {
            ends: vec![HullPoint::new(a, c)],
            peaks: vec![HullPoint::new(a, c)],
        };
        Self {
            total: HullPoint::new(a, c),
            starts: vec![HullPoint::new(0, 0)],
            sides: [side(0), side(c)][..sides].to_vec(),
        }
    }

    /// This part and the one after it. `None` when the totals leave `u64`.
    pub(super) fn then(mut self, next: Self) -> Option<Self> {
        let total = HullPoint::new(
            self.total.a.checked_add(next.total.a)?,
            self.total.c.checked_add(next.total.c)?,
        );
        for (side, after) in self.sides.iter_mut().zip(next.sides) {
            let crossing = across(&self.starts, &after.ends, self.total);
            for end in after.ends {
                push_lower(&mut side.ends, end.plus(self.total));
            }
            let peaks = match (side.peaks.is_empty(), after.peaks.is_empty()) {
                (_, true) => std::mem::take(&mut side.peaks),
                (true, false) => after.peaks,
                (false, false) => merge(&side.peaks, &after.peaks),
            };
            side.peaks = merge(&peaks, &crossing);
        }
        for start in next.starts {
            push_upper(&mut self.starts, start.plus(self.total));
        }
        Some(Self { total, ..self })
    }

    /// Counts bytes in units smaller by `factor`. `None` when a total leaves `u64`.
    pub(super) fn rescale(&mut self, factor: u64) -> Option<()> {
        self.total.c = self.total.c.checked_mul(factor)?;
        let sides = self.sides.iter_mut();
        let chains = sides.flat_map(|side| [&mut side.ends, &mut side.peaks]);
        for point in chains.chain([&mut self.starts]).flatten() {
            point.c = point.c.checked_mul(factor)?;
        }
        Some(())
    }

    /// Adds the side of waiting bytes to a part whose accesses are all of `size` units.
    pub(super) fn add_waiting(&mut self, size: u64) {
        let Some(mut waiting) = self.sides.first().cloned() else {
            return;
        };
        for point in waiting.ends.iter_mut().chain(&mut waiting.peaks) {
            point.c += size;
        }
        self.sides.push(waiting);
    }
}
