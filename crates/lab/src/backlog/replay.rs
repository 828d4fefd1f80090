//! The recursion itself, at one input rate: the reference for everything else here.

use std::collections::VecDeque;

use wordline_core::quantity::{ByteCount, Time};

use super::BacklogError;
use super::fraction::{Amount, Rate};
use super::peaks::{Fluid, Peaks, Records, StartUp};

/// A log played against one input rate, access by access.
///
/// Everything is exact. One access takes a few nanoseconds, and about a microsecond more when
/// records of later accesses have to be waited for, because the backlog holds more than one. Memory
/// grows with the number of records in the backlog and not with the log, as long as the log keeps
/// up with the input.
///
/// ```
/// use wordline_core::quantity::{ByteCount, Time};
/// use wordline_lab::backlog::{Backlog, Rate};
/// let rate = Rate::from_bytes_per_second(1_000_000.0)?;
/// let mut backlog = Backlog::at(rate);
/// let fill = backlog.push(Time::from_ps(2_500_000_000), ByteCount::from_bytes(1000))?;
/// assert_eq!(fill.in_flight().ceil(), 2500);
/// assert_eq!(fill.waiting().ceil(), 1500);
/// let records = backlog.finish().records.expect("always known here");
/// assert_eq!((records.waiting, records.in_flight), (2000, 3000));
/// # Ok::<(), wordline_lab::backlog::BacklogError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Backlog {
    rate: Rate,
    /// Bytes times the rate's denominator: F of the last access, less its bytes. As
    /// `F ≤ backlog at start + w·(time so far)`, it cannot leave 128 bits while the time fits 64.
    after: u128,
    most_in_flight: u128,
    most_waiting: u128,
    time: u64,
    bytes: u64,
    last_size: u64,
    counts: VecDeque<Count>,
    records: Records,
    /// Whether the records were too many to be counted.
    is_lost: bool,
}

/// The most records of a backlog that are counted whole, so that a log that does not keep up takes no more
/// memory than another.
const COUNTS_MAX: usize = 1 << 18;

/// Whole records to be counted, once the sizes of those that come later are known.
#[derive(Clone, Copy, Debug)]
struct Count {
    /// Bytes of all records before the first one counted.
    before: u64,
    /// The count ends with the first record that brings all bytes to this.
    to: u64,
    /// Bytes of the record that is being written.
    writing: u64,
}

/// The fill of the buffer just before the bytes of one access leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    scaled: u128,
    ps: u128,
    size: u64,
}

impl Fill {
    /// The fluid backlog, the record being written included.
    #[must_use]
    pub fn in_flight(self) -> Amount {
        Amount::new(self.scaled, self.ps)
    }

    /// The fluid backlog, the record being written excluded: what is left when it is gone.
    #[must_use]
    pub fn waiting(self) -> Amount {
        self.in_flight().less(self.size.into())
    }
}

impl Backlog {
    /// Begins at `rate`, with no start-up.
    #[must_use]
    pub fn at(rate: Rate) -> Self {
        Self {
            rate,
            after: 0,
            most_in_flight: 0,
            most_waiting: 0,
            time: 0,
            bytes: 0,
            last_size: 0,
            counts: VecDeque::new(),
            is_lost: false,
            records: Records {
                in_flight: 0,
                waiting: 0,
            },
        }
    }

    /// Begins at `rate`, after a start-up.
    ///
    /// # Errors
    /// [`BacklogError::TooMuch`] when the bytes of the start-up leave the range of exact numbers.
    pub fn after_start(rate: Rate, start: StartUp) -> Result<Self, BacklogError> {
        let mut backlog = Self::at(rate);
        let there = u128::from(start.backlog.bytes()).checked_mul(rate.ps());
        let came = u128::from(rate.bytes()) * u128::from(start.time.ps());
        let fill = there
            .and_then(|there| there.checked_add(came))
            .filter(|fill| fill >> 127 == 0)
            .ok_or(BacklogError::TooMuch)?;
        backlog.after = fill;
        backlog.time = start.time.ps();
        backlog.most_in_flight = fill;
        backlog.most_waiting = fill;
        backlog.count(fill, 0)?;
        Ok(backlog)
    }

    /// Adds an access that lasted `duration` and wrote `size` bytes, and says how full the buffer
    /// was just before its bytes left.
    ///
    /// # Errors
    /// [`BacklogError::TooMuch`] when the log exceeds 213 days or 2⁶⁴ bytes.
    pub fn push(&mut self, duration: Time, size: ByteCount) -> Result<Fill, BacklogError> {
        let (duration, size) = (duration.ps(), size.bytes());
        let came = u128::from(self.rate.bytes()) * u128::from(duration);
        // A product beyond 128 bits exceeds every fill, so that holding it there is exact.
        let leaves = u128::from(size).saturating_mul(self.rate.ps());
        let time = self.time.checked_add(duration);
        self.time = time.ok_or(BacklogError::TooMuch)?;
        let bytes = self.bytes.checked_add(size).ok_or(BacklogError::TooMuch)?;
        let fill = self.after.checked_add(came).ok_or(BacklogError::TooMuch)?;
        self.after = fill.saturating_sub(leaves);
        self.most_in_flight = self.most_in_flight.max(fill);
        self.most_waiting = self.most_waiting.max(self.after);
        if fill > leaves {
            self.count(fill, size)?;
        } else if fill > 0 {
            self.records.in_flight = self.records.in_flight.max(size.into());
        }
        self.bytes = bytes;
        self.last_size = size;
        while let Some(&count) = self.counts.front()
            && count.to <= bytes
        {
            self.counts.pop_front();
            self.note(count, bytes.into());
        }
        Ok(Fill {
            scaled: fill,
            ps: self.rate.ps(),
            size,
        })
    }

    /// The most that was in flight so far, as fluid: whole records are no less.
    pub(crate) fn most_in_flight(&self) -> Amount {
        Amount::new(self.most_in_flight, self.rate.ps())
    }

    /// Asks for the whole records in a fill, from the next record on.
    fn count(&mut self, fill: u128, writing: u64) -> Result<(), BacklogError> {
        if fill == 0 {
            return Ok(());
        }
        let to = u64::try_from(fill.div_ceil(self.rate.ps()))
            .ok()
            .and_then(|bytes| bytes.checked_add(self.bytes))
            .ok_or(BacklogError::TooMuch)?;
        if self.counts.len() == COUNTS_MAX {
            // The log does not keep up with the input. Its records are not counted any further.
            self.is_lost = true;
        }
        if self.is_lost {
            self.counts.clear();
            return Ok(());
        }
        self.counts.push_back(Count {
            before: self.bytes,
            to,
            writing,
        });
        Ok(())
    }

    fn note(&mut self, count: Count, bytes: u128) {
        let in_flight = bytes - u128::from(count.before);
        let waiting = in_flight - u128::from(count.writing);
        self.records.in_flight = self.records.in_flight.max(in_flight);
        self.records.waiting = self.records.waiting.max(waiting);
    }

    /// The peaks of the log. Whole records are not given for a backlog that held more than 2¹⁸ of them. Records
    /// beyond its end are taken to be as large as its last one, or,
    /// when that one has no bytes, as single bytes.
    #[must_use]
    pub fn finish(mut self) -> Peaks {
        let record = u128::from(self.last_size.max(1));
        let bytes = u128::from(self.bytes);
        while let Some(count) = self.counts.pop_front() {
            let missing = u128::from(count.to) - bytes;
            self.note(count, bytes + missing.div_ceil(record) * record);
        }
        Peaks {
            fluid: Fluid {
                in_flight: Amount::new(self.most_in_flight, self.rate.ps()),
                waiting: Amount::new(self.most_waiting, self.rate.ps()),
            },
            records: (!self.is_lost).then_some(self.records),
        }
    }
}
