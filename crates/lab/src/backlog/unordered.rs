//! Durations whose order is not known: a histogram. What the peak may be in any order.

use wordline_core::quantity::{ByteCount, Time};

use super::BacklogError;
use super::curve::Curve;
use super::hull::{HullPoint, Side, TailNode, push_lower};
use super::peaks::StartUp;

/// A number of accesses whose durations are known to lie in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// No access of it is shorter.
    pub least: Time,
    /// No access of it is longer.
    pub most: Time,
    /// Number of accesses.
    pub count: u64,
}

/// Bounds of the peak of a log that is known without its order, for records of one size.
///
/// `most` is the log with all slow accesses in a row, each as slow as its interval allows: the sum
/// of any `m` consecutive accesses is at most that of the `m` longest, so no order needs more, and
/// this one needs it all.
///
/// `least` holds in every order: the longest access, as short as its interval allows, and the log
/// as a whole. It is nearly reached. Up to the throughput limit the record periods cover all
/// durations; put an access that is longer than the period whenever the sum of durations less
/// periods so far is not positive, a shorter one otherwise. The sum then never falls below minus one
/// period, so that the peak in flight exceeds that of the longest access by at most one record.
///
/// ```
/// use wordline_core::quantity::{ByteCount, Time};
/// use wordline_lab::backlog::{Interval, Rate, Unordered};
/// let ms = |ms: u64| Time::from_ps(ms * 1_000_000_000);
/// let intervals = [
///     Interval { least: ms(1), most: ms(1), count: 90 },
///     Interval { least: ms(8), most: ms(10), count: 10 },
/// ];
/// let bounds = Unordered::new(ByteCount::from_bytes(1000), &intervals)?;
/// let rate = Rate::from_bytes_per_second(500_000.0)?;
/// // One access of 8 ms at least; ten of 10 ms in a row at most, while nine records leave.
/// assert_eq!(bounds.least.at(rate).fluid.in_flight.ceil(), 4000);
/// assert_eq!(bounds.most.at(rate).fluid.in_flight.ceil(), 41_000);
/// # Ok::<(), wordline_lab::backlog::BacklogError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Unordered {
    /// Reached or exceeded in every order.
    pub least: Curve,
    /// Exceeded in no order.
    pub most: Curve,
}

impl Unordered {
    /// From the durations of accesses that each wrote a record of `size` bytes. Intervals come in
    /// any order, and may overlap.
    ///
    /// # Errors
    /// [`BacklogError::TooMuch`] when the totals exceed 213 days or 2⁶² bytes;
    /// [`BacklogError::Interval`] for an interval that ends before it begins.
    pub fn new(size: ByteCount, intervals: &[Interval]) -> Result<Self, BacklogError> {
        if let Some(&Interval { least, most, .. }) =
            intervals.iter().find(|one| one.least > one.most)
        {
            return Err(BacklogError::Interval { least, most });
        }
        let all = |bound: fn(&Interval) -> Time| {
            let filled = intervals.iter().filter(|interval| interval.count > 0);
            let mut all: Vec<_> = filled.map(|one| (bound(one).ps(), one.count)).collect();
            all.sort_unstable_by(|one, other| other.cmp(one));
            all
        };
        Ok(Self {
            least: bound(size.bytes(), &all(|one| one.least), false)?,
            most: bound(size.bytes(), &all(|one| one.most), true)?,
        })
    }
}

/// The curve of accesses in falling order, in a row or with nothing known of sequences between one
/// access and all.
fn bound(size: u64, falling: &[(u64, u64)], in_a_row: bool) -> Result<Curve, BacklogError> {
    let mut total = HullPoint::new(0, 0);
    let mut count = 0u64;
    let mut lines = Vec::new();
    for (index, &(duration, accesses)) in falling.iter().enumerate() {
        if index == 0 {
            push_lower(&mut lines, HullPoint::new(duration, 0));
        }
        // Within an interval the fill rises or falls evenly, so only its end can be a peak.
        total = longer(total, duration, size, accesses).ok_or(BacklogError::TooMuch)?;
        count = count.checked_add(accesses).ok_or(BacklogError::TooMuch)?;
        if in_a_row || index + 1 == falling.len() {
            push_lower(&mut lines, HullPoint::new(total.a, total.c - size));
        }
    }
    let whole = (count > 0).then(|| {
        let mut node = TailNode {
            total,
            starts: Vec::new(),
            sides: vec![Side {
                ends: Vec::new(),
                peaks: lines,
            }],
        };
        node.add_waiting(size);
        node
    });
    Curve::new(whole, StartUp::default(), Some(size), size, count)
}

fn longer(total: HullPoint, duration: u64, size: u64, count: u64) -> Option<HullPoint> {
    Some(HullPoint::new(
        total.a.checked_add(duration.checked_mul(count)?)?,
        total.c.checked_add(size.checked_mul(count)?)?,
    ))
}
