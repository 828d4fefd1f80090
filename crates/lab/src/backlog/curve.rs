//! The peak as a function of the input rate.

use wordline_core::quantity::{ByteCount, Time};

use super::BacklogError;
use super::fraction::{Amount, Rate};
use super::hull::{HullPoint, TailNode};
use super::peaks::{Arrivals, Counted, Fluid, Peaks, Records, StartUp};

/// The exact peak of a log at every input rate; made by an
/// [`Accumulator`](super::Accumulator).
///
/// A finite log's curve is that of the log alone. Above the [throughput limit](Self::limit) the log
/// itself still has a peak, which [`Self::at`] gives, but a log that repeats without end has none:
/// [`Self::demand`] says so.
#[derive(Clone, Debug)]
pub struct Curve {
    in_flight: Vec<Line>,
    waiting: Vec<Line>,
    start: StartUp,
    /// The size of all records, when they have one size; zero when there are none.
    record: Option<u64>,
    largest: u64,
    accesses: u64,
    total: HullPoint,
    /// The throughput limit, of accesses that stand for more of them.
    sustained: Option<Rate>,
}

/// The fill that a sequence of accesses in a row leaves, as a line in the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// Total time of the sequence: the slope.
    pub duration: Time,
    /// Bytes that left while it lasted: the fill is `rate · duration - left`. Negative by the
    /// initial backlog, for a sequence that begins with the start-up.
    pub left: i64,
}

impl Line {
    /// The fill at `rate`, or zero where that would be negative.
    #[must_use]
    pub fn at(self, rate: Rate) -> Amount {
        rate.over(self.duration.ps()).less(self.left.into())
    }

    /// The rate at which this line and a longer one meet.
    fn meets(self, longer: Self) -> Rate {
        // Ascending in both, and less than 2⁶³ bytes in all.
        Rate::reduced(
            longer.left.abs_diff(self.left),
            longer.duration.since(self.duration).ps().into(),
        )
    }

    /// The highest rate that keeps the line at or below `fill`, or `None` when every rate does.
    /// An error when no rate does.
    fn reaches(self, fill: u64) -> Result<Option<Rate>, NoRate> {
        let bytes = i128::from(fill) + i128::from(self.left);
        let bytes = u64::try_from(bytes).map_err(|_| NoRate)?;
        match (bytes, self.duration.ps()) {
            (_, 0) => Ok(None),
            (0, _) => Err(NoRate),
            (bytes, ps) => Ok(Some(Rate::reduced(bytes, ps.into()))),
        }
    }
}

/// No rate is low enough.
struct NoRate;

/// A rate at which the curve bends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// The rate.
    pub rate: Rate,
    /// The fluid peak there, the record being written included.
    pub in_flight: Amount,
    /// The line that holds up to this rate.
    pub below: Line,
    /// The line that holds from this rate on.
    pub above: Line,
}

/// What an endless repetition of the log demands at one rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Demand {
    /// The peaks of one passage of the log, at a rate at or below the throughput limit.
    Bounded(Peaks),
    /// The rate exceeds the throughput limit, so the backlog grows with every passage.
    Unbounded {
        /// By how much the input exceeds what the log carries away, in bytes per second.
        growth_rate: f64,
        /// The peaks of one passage.
        once: Peaks,
    },
}

impl Curve {
    pub(super) fn new(
        whole: Option<TailNode>,
        start: StartUp,
        record: Option<u64>,
        largest: u64,
        accesses: u64,
    ) -> Result<Self, BacklogError> {
        let total = whole
            .as_ref()
            .map_or(HullPoint::new(0, 0), |whole| whole.total);
        let (time, backlog) = (start.time.ps(), start.backlog.bytes());
        let all = total.c.checked_add(backlog).filter(|all| all >> 62 == 0);
        if all.is_none() || total.a.checked_add(time).is_none() {
            return Err(BacklogError::TooMuch);
        }
        let line = |point: &HullPoint| Line {
            duration: Time::from_ps(point.a),
            left: point.c as i64,
        };
        // The start-up begins a sequence with every end, and is one by itself.
        let begun = |point: &HullPoint| Line {
            duration: Time::from_ps(point.a + time),
            left: point.c as i64 - backlog as i64,
        };
        let mut sides = whole.iter().flat_map(|whole| &whole.sides).map(|side| {
            let lines = side.peaks.iter().map(line);
            envelope(
                lines
                    .chain(side.ends.iter().map(begun))
                    .chain([begun(&HullPoint::new(0, 0))]),
            )
        });
        let alone = || envelope([begun(&HullPoint::new(0, 0))].into_iter());
        let in_flight = sides.next().unwrap_or_else(alone);
        let waiting = sides.next().unwrap_or_else(alone);
        Ok(Self {
            in_flight,
            waiting,
            start,
            record,
            largest,
            accesses,
            total,
            sustained: None,
        })
    }

    /// The same of accesses that go on without end behind these, no faster than at this rate and with no higher peak.
    pub(crate) fn sustaining(self, rate: Rate) -> Self {
        Self {
            sustained: Some(rate),
            ..self
        }
    }

    /// Number of accesses.
    #[must_use]
    pub const fn accesses(&self) -> u64 {
        self.accesses
    }

    /// Bytes of all accesses.
    #[must_use]
    pub const fn bytes(&self) -> ByteCount {
        ByteCount::from_bytes(self.total.c)
    }

    /// Time of all accesses, without the start-up.
    #[must_use]
    pub const fn duration(&self) -> Time {
        Time::from_ps(self.total.a)
    }

    /// The size of every record, or `None` when sizes vary or there is no access.
    #[must_use]
    pub fn record(&self) -> Option<ByteCount> {
        let record = self.record.filter(|_| self.accesses > 0);
        record.map(ByteCount::from_bytes)
    }

    /// The largest record. Whole records in a buffer are less than this above the fluid fill, which
    /// bounds them where sizes vary.
    #[must_use]
    pub const fn largest_record(&self) -> ByteCount {
        ByteCount::from_bytes(self.largest)
    }

    /// The lines of the fluid peak in flight, by rising rate.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.in_flight
    }

    /// The lines of the fluid peak waiting, by rising rate, the peak being zero where they are
    /// negative.
    #[must_use]
    pub fn waiting_lines(&self) -> &[Line] {
        &self.waiting
    }

    /// The rates at which the fluid peak in flight bends, rising, with the peak there.
    pub fn breakpoints(&self) -> impl ExactSizeIterator<Item = Breakpoint> + '_ {
        self.in_flight.windows(2).map(|pair| {
            let rate = pair[0].meets(pair[1]);
            Breakpoint {
                rate,
                in_flight: pair[0].at(rate),
                below: pair[0],
                above: pair[1],
            }
        })
    }

    /// The throughput of the log: all bytes over all durations. At this very rate the log still
    /// keeps up, also when it repeats without end. `None` when it has no limit, because nothing
    /// takes time, or when nothing is carried away.
    #[must_use]
    pub fn limit(&self) -> Option<Rate> {
        let whole = || Rate::reduced(self.total.c, self.total.a.into());
        (self.total.a > 0 && self.total.c > 0).then(|| self.sustained.unwrap_or_else(whole))
    }

    /// The peaks of the log at `rate`, exactly; also above the throughput limit.
    #[must_use]
    pub fn at(&self, rate: Rate) -> Peaks {
        let in_flight = highest(&self.in_flight, rate);
        let waiting = highest(&self.waiting, rate);
        self.in_records(rate, Fluid { in_flight, waiting })
    }

    /// The peaks of the log whose fluid ones at `rate` are known: whole records where all are of one size.
    pub(crate) fn in_records(&self, rate: Rate, fluid: Fluid) -> Peaks {
        let records = self.record.map(|record| {
            let in_flight = fluid.in_flight.in_records(record);
            Records {
                in_flight,
                waiting: (in_flight.saturating_sub(record.into()))
                    .max(self.at_start(rate).in_records(record)),
            }
        });
        Peaks { fluid, records }
    }

    /// What waits when the first access begins.
    fn at_start(&self, rate: Rate) -> Amount {
        self.before_first().at(rate)
    }

    fn before_first(&self) -> Line {
        Line {
            duration: self.start.time,
            left: -(self.start.backlog.bytes() as i64),
        }
    }

    /// The peaks at `rate`, and whether an endless repetition of the log stays bounded.
    #[must_use]
    pub fn demand(&self, rate: Rate) -> Demand {
        let once = self.at(rate);
        let unbounded = match self.limit() {
            Some(limit) => rate > limit,
            None => self.total.a > 0,
        };
        if !unbounded {
            return Demand::Bounded(once);
        }
        let limit = self.limit().map_or(0.0, Rate::bytes_per_second);
        Demand::Unbounded {
            growth_rate: rate.bytes_per_second() - limit,
            once,
        }
    }

    /// The highest rate, up to the throughput limit, at which `ram` is enough: the peak at this
    /// rate is at most `ram`, and at every higher rate it is more, or the limit is exceeded. `None`
    /// for the rate when there is no highest one, because nothing takes time.
    ///
    /// # Errors
    /// [`BacklogError::NoRate`] when no rate is low enough; [`BacklogError::Varying`] for whole
    /// records whose sizes vary. Such records need less than [`Self::largest_record`] beyond the
    /// fluid fill, so the fluid answer for that much less RAM is safe.
    pub fn highest_rate(
        &self,
        ram: ByteCount,
        arrivals: Arrivals,
        counted: Counted,
    ) -> Result<Option<Rate>, BacklogError> {
        let bytes = ram.bytes().min(i64::MAX as u64);
        let answers = match arrivals {
            Arrivals::Fluid => {
                let lines = match counted {
                    Counted::InFlight => &self.in_flight,
                    Counted::Waiting => &self.waiting,
                };
                [lowest(lines, bytes), Ok(None)]
            }
            Arrivals::Records => {
                let record = match self.record {
                    None if self.accesses > 0 => return Err(BacklogError::Varying),
                    None | Some(0) => 1,
                    Some(record) => record,
                };
                // A fill rounds up to at most `ram` exactly when it is at most this.
                let whole = bytes / record * record;
                let beside = match (counted, self.accesses) {
                    (Counted::InFlight, _) | (_, 0) => 0,
                    (Counted::Waiting, _) => self.record.unwrap_or(0),
                };
                [
                    lowest(&self.in_flight, whole.saturating_add(beside)),
                    self.before_first().reaches(whole),
                ]
            }
        };
        let limit = match self.limit() {
            None if self.total.a > 0 => return Err(BacklogError::NoRate(ram)),
            limit => limit,
        };
        let mut least = limit;
        for answer in answers {
            let rate = answer.map_err(|NoRate| BacklogError::NoRate(ram))?;
            least = match (least, rate) {
                (Some(one), Some(two)) => Some(one.min(two)),
                (one, two) => one.or(two),
            };
        }
        Ok(least)
    }
}

/// The lines that are highest at some rate above zero, by rising duration.
fn envelope(lines: impl Iterator<Item = Line>) -> Vec<Line> {
    let mut lines: Vec<Line> = lines.collect();
    lines.sort_unstable();
    let mut chain: Vec<Line> = Vec::new();
    for line in lines {
        while let [.., last] = chain[..] {
            if last.left < line.left {
                if last.duration == line.duration {
                    break;
                }
                match chain[..] {
                    [.., before, last] if before.meets(last) >= last.meets(line) => {}
                    _ => break,
                }
            }
            chain.pop();
        }
        if chain
            .last()
            .is_none_or(|last| last.duration < line.duration)
        {
            chain.push(line);
        }
    }
    chain
}

/// The highest of the lines at `rate`, or zero.
fn highest(lines: &[Line], rate: Rate) -> Amount {
    active(lines, |line, longer| line.meets(longer) < rate)
        .map_or(Amount::ZERO, |line| line.at(rate))
}

/// The highest rate at which no line exceeds `fill`.
fn lowest(lines: &[Line], fill: u64) -> Result<Option<Rate>, NoRate> {
    let within = |line: Line, longer| line.at(line.meets(longer)).ceil() <= fill.into();
    active(lines, within).map_or(Ok(None), |line| line.reaches(fill))
}

/// The first line whose meeting with the next does not satisfy `passed`, or the last line.
fn active(lines: &[Line], passed: impl Fn(Line, Line) -> bool) -> Option<Line> {
    let (mut low, mut high) = (0, lines.len().checked_sub(1)?);
    while low < high {
        let middle = low.midpoint(high);
        if passed(lines[middle], lines[middle + 1]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Some(lines[low])
}
