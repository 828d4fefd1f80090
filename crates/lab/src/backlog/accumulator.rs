//! The curve from a stream of accesses.

use wordline_core::quantity::{ByteCount, Time};

use super::BacklogError;
use super::chains::{chains, even_chains};
use super::curve::Curve;
use super::floor::Floor;
use super::fraction::gcd;
use super::hull::{HullPoint, TailNode};
use super::peaks::StartUp;

/// Accesses in a block: what is looked at together.
pub(super) const BLOCK: usize = 512;

/// Blocks in a part whose envelope is worth adding to the floor.
const RAISE: u64 = 4;

/// Takes accesses one by one and gives their [`Curve`].
///
/// It keeps one block of accesses, and for every power of two at most one part of the log with its
/// chains of points: a few dozen points each on measured logs.
///
/// ```
/// use wordline_core::quantity::{ByteCount, Time};
/// use wordline_lab::backlog::{Accumulator, Rate};
/// let mut log = Accumulator::new();
/// for ms in [1, 1, 5, 1] {
///     log.push(Time::from_ps(ms * 1_000_000_000), ByteCount::from_bytes(1000));
/// }
/// let curve = log.finish()?;
/// let peaks = curve.at(Rate::from_bytes_per_second(400_000.0)?);
/// assert_eq!(peaks.fluid.in_flight.ceil(), 2000);
/// # Ok::<(), wordline_lab::backlog::BacklogError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Accumulator {
    start: StartUp,
    block: usize,
    /// The greatest common divisor of all sizes so far, in bytes; zero before the first.
    unit: u64,
    /// The size of the access before, in bytes.
    size: u64,
    /// The same in units.
    units: u64,
    varying: bool,
    largest: u64,
    accesses: u64,
    durations: Vec<u64>,
    /// Sizes in units; empty until they vary.
    sizes: Vec<u64>,
    /// Parts of the log in order, with the number of blocks in each: falling powers of two.
    parts: Vec<(u64, TailNode)>,
    /// One for the bytes in flight, one for those waiting.
    floors: [Floor; 2],
    too_much: bool,
    /// Picoseconds and bytes of all accesses, where nothing else is wanted.
    sums: Option<HullPoint>,
}

impl Default for Accumulator {
    fn default() -> Self {
        Self::new()
    }
}

impl Accumulator {
    /// An empty log without start-up.
    #[must_use]
    pub fn new() -> Self {
        Self::after_start(StartUp::default())
    }

    /// An empty log after a start-up.
    #[must_use]
    pub fn after_start(start: StartUp) -> Self {
        Self {
            start,
            block: BLOCK,
            unit: 0,
            size: 0,
            units: 0,
            varying: false,
            largest: 0,
            accesses: 0,
            durations: Vec::with_capacity(BLOCK),
            sizes: Vec::new(),
            parts: Vec::new(),
            floors: [Floor::default(), Floor::of_waiting()],
            too_much: false,
            sums: None,
        }
    }

    /// An empty log of which the sums are enough: its curve has a limit and the sizes of records, and no peaks.
    pub(crate) fn of_sums() -> Self {
        Self {
            sums: Some(HullPoint::new(0, 0)),
            ..Self::new()
        }
    }

    /// With blocks of another size, for tests.
    #[cfg(test)]
    pub(super) fn with_block(mut self, block: usize) -> Self {
        assert!((1..=BLOCK).contains(&block));
        self.block = block;
        self
    }

    /// Adds an access that lasted `duration` and wrote `size` bytes.
    #[inline]
    pub fn push(&mut self, duration: Time, size: ByteCount) {
        if size.bytes() != self.size || self.accesses == 0 {
            self.resize(size.bytes());
        }
        self.accesses += 1;
        if let Some(sums) = &mut self.sums {
            let (a, c) = (
                sums.a.checked_add(duration.ps()),
                sums.c.checked_add(size.bytes()),
            );
            match (a, c) {
                (Some(a), Some(c)) => *sums = HullPoint::new(a, c),
                _ => self.too_much = true,
            }
            return;
        }
        self.durations.push(duration.ps());
        if self.varying {
            self.sizes.push(self.units);
        }
        if self.durations.len() == self.block {
            self.close();
        }
    }

    /// Meets a size other than the one before.
    #[cold]
    fn resize(&mut self, size: u64) {
        let first = self.accesses == 0;
        self.size = size;
        self.largest = self.largest.max(size);
        if first {
            self.unit = size;
            return;
        }
        if !self.varying {
            self.close();
            self.varying = true;
            // All accesses so far are of one unit, or of no bytes.
            let units = u64::from(self.unit > 0);
            for (_, part) in &mut self.parts {
                part.add_waiting(units);
                raise(&mut self.floors, part);
            }
        }
        let unit = gcd(self.unit.into(), size.into()) as u64;
        if unit != self.unit {
            self.close();
            if self.unit > 0 {
                let factor = self.unit / unit;
                let parts = self.parts.iter_mut();
                let scaled = parts.map(|(_, part)| part.rescale(factor)).collect();
                self.too_much |= Option::<()>::is_none(&scaled);
                for floor in &mut self.floors {
                    floor.rescale(factor);
                }
            }
            self.unit = unit;
        }
        self.units = size / unit.max(1);
    }

    /// Turns the block into a part, and joins parts of equal size.
    fn close(&mut self) {
        if self.durations.is_empty() || self.too_much {
            self.durations.clear();
            self.sizes.clear();
            return;
        }
        let node = if self.varying {
            let sizes = std::mem::take(&mut self.sizes);
            let node = self.part(&sizes);
            self.sizes = sizes;
            self.sizes.clear();
            node
        } else if self.unit == 0 {
            self.part(&[0; BLOCK])
        } else {
            self.part(&[1; BLOCK])
        };
        self.durations.clear();
        let Some(node) = node else {
            self.too_much = true;
            return;
        };
        self.parts.push((1, node));
        while let [.., (earlier, _), (later, _)] = self.parts[..] {
            if earlier > later {
                break;
            }
            self.join();
        }
    }

    /// Joins the last two parts.
    fn join(&mut self) {
        if let (Some((later, last)), Some((earlier, before))) = (self.parts.pop(), self.parts.pop())
        {
            match before.then(last) {
                Some(node) => {
                    // Longer sequences change slowly; the floor need not follow every pair of blocks.
                    if earlier + later >= RAISE {
                        raise(&mut self.floors, &node);
                    }
                    self.parts.push((earlier + later, node));
                }
                None => self.too_much = true,
            }
        }
    }

    /// The block as a part: its chains, and its envelope unless that lies under the floor.
    fn part(&mut self, sizes: &[u64]) -> Option<TailNode> {
        let mut total = HullPoint::new(0, 0);
        for (&duration, &size) in self.durations.iter().zip(sizes) {
            total.a = total.a.checked_add(duration)?;
            total.c = total.c.checked_add(size)?;
        }
        let sides = 1 + usize::from(self.varying);
        let covered = self.floors[..sides].iter().all(|floor| {
            let durations = self.durations.iter();
            if !self.varying && self.unit > 0 {
                floor.covers(total, durations.map(|&duration| (duration, 1.0)))
            } else {
                let accesses = durations.zip(sizes);
                floor.covers(total, accesses.map(|(&d, &size)| (d, size as f64)))
            }
        });
        if covered {
            // Being covered, the block lasts less than 2⁵³ ps.
            return Some(if !self.varying && self.unit > 0 {
                even_chains(&self.durations, total)
            } else {
                let mut node = chains(&self.durations, sizes, total);
                node.sides.truncate(sides);
                node
            });
        }
        let node = exact(&self.durations, sizes, sides)?;
        raise(&mut self.floors, &node);
        Some(node)
    }

    /// The curve of all accesses.
    ///
    /// # Errors
    /// [`BacklogError::TooMuch`] when the log and its start-up exceed 213 days or 2⁶² bytes.
    pub fn finish(mut self) -> Result<Curve, BacklogError> {
        self.close();
        while self.parts.len() > 1 && !self.too_much {
            self.join();
        }
        if self.too_much {
            return Err(BacklogError::TooMuch);
        }
        let record = (!self.varying).then_some(self.size);
        if let Some(total) = self.sums {
            let (starts, sides) = (Vec::new(), Vec::new());
            let whole = TailNode {
                total,
                starts,
                sides,
            };
            return Curve::new(Some(whole), self.start, record, self.largest, self.accesses);
        }
        let mut whole = self.parts.pop().map(|(_, whole)| whole);
        if let Some(whole) = &mut whole {
            whole
                .rescale(self.unit.max(1))
                .ok_or(BacklogError::TooMuch)?;
            if let Some(size) = record {
                whole.add_waiting(size);
            }
        }
        Curve::new(whole, self.start, record, self.largest, self.accesses)
    }
}

/// Adds the envelopes of a part to what blocks are held against.
fn raise(floors: &mut [Floor; 2], part: &TailNode) {
    for (floor, side) in floors.iter_mut().zip(&part.sides) {
        floor.raise(&side.peaks);
    }
}

/// The envelope of a stretch and its chains, by halves.
fn exact(durations: &[u64], sizes: &[u64], sides: usize) -> Option<TailNode> {
    match durations {
        [] => None,
        [duration] => Some(TailNode::single(*duration, sizes[0], sides)),
        _ => {
            let (left, right) = durations.split_at(durations.len() / 2);
            let later = &sizes[left.len()..];
            exact(left, sizes, sides)?.then(exact(right, later, sides)?)
        }
    }
}
