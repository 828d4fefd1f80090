//! What is learnt from accesses as they come by, whether they were measured or simulated: the exact curve, the
//! longest sequences, the latencies, and the course of the buffer at the rates that the user asked for.

use wordline_core::LatencyHistogram;
use wordline_core::quantity::{ByteCount, Quantity, Time};

use super::course::FillCourse;
use super::extremes::StretchMaxima;
use super::grid;
use super::pace::StretchSums;
use super::window::Window;
use crate::backlog::{
    Accumulator, Backlog, BacklogError, Curve, Longest, Peaks, Rate, Sequence, StartUp,
};

/// Numbers of consecutive accesses whose longest duration is reported.
const LENGTHS: usize = 64;

/// The most consecutive accesses that are looked at.
const LENGTH_MAX: u64 = 1 << 16;

/// Rates whose course over time is followed.
const COURSES_MAX: usize = 8;

/// Adds accesses up.
pub(crate) struct Analysis {
    curve: Accumulator,
    /// `None` where limits alone are asked.
    longest: Option<Longest>,
    accesses: u64,
    latency: LatencyHistogram,
    latency_course: FillCourse,
    latency_maxima: StretchMaxima,
    pace: StretchSums,
    rates: Vec<AtRate>,
    now: Time,
    smallest: u64,
    window: Option<Window>,
    /// Whether the course over time is followed, and how extremes spread.
    courses: bool,
}

/// The course of the buffer at one rate.
struct AtRate {
    rate: Rate,
    backlog: Backlog,
    fill: FillCourse,
    maxima: StretchMaxima,
    /// Whether what waited at the start has been stored.
    is_started: bool,
}

/// What was learnt.
pub(crate) struct BufferFindings {
    pub(crate) curve: Curve,
    /// The longest that so many consecutive accesses took together.
    pub(crate) longest: Vec<Sequence>,
    pub(crate) latency: LatencyHistogram,
    pub(crate) latency_course: FillCourse,
    pub(crate) latency_maxima: StretchMaxima,
    /// How well its mean rate is known.
    pub(crate) pace: StretchSums,
    pub(crate) rates: Vec<RateFindings>,
    /// Bytes of the smallest access.
    pub(crate) smallest: u64,
    /// The accesses in a row that took longest together, where that was asked.
    pub(crate) window: Option<Window>,
}

/// What was learnt at a rate that the user asked for.
pub(crate) struct RateFindings {
    pub(crate) rate: Rate,
    /// Whole records, whatever their sizes, and fluid.
    pub(crate) peaks: Peaks,
    pub(crate) fill: FillCourse,
    pub(crate) maxima: StretchMaxima,
}

impl Analysis {
    /// Begins with a start-up, and plays the accesses at some rates.
    pub(crate) fn new(start: StartUp, rates: &[Rate]) -> Result<Self, BacklogError> {
        let at_rate = |rate: &Rate| {
            Ok(AtRate {
                rate: *rate,
                backlog: Backlog::after_start(*rate, start)?,
                fill: FillCourse::new(),
                maxima: StretchMaxima::new(),
                is_started: start == StartUp::default(),
            })
        };
        Ok(Self {
            curve: Accumulator::after_start(start),
            longest: Some(Longest::within(
                &grid::lengths(LENGTH_MAX, LENGTHS),
                2 * LENGTH_MAX,
            )),
            accesses: 0,
            latency: LatencyHistogram::new(),
            latency_course: FillCourse::new(),
            latency_maxima: StretchMaxima::new(),
            pace: StretchSums::new(),
            rates: rates
                .iter()
                .map(at_rate)
                .collect::<Result<_, BacklogError>>()?,
            now: start.time,
            smallest: u64::MAX,
            window: None,
            courses: true,
        })
    }

    /// The same, and looks for the accesses in a row of a number that take longest together.
    pub(crate) fn with_window(mut self, accesses: Option<u64>) -> Self {
        self.window = accesses.map(Window::of);
        self
    }

    /// The same without the course over time and how extremes spread, which then are empty.
    pub(crate) fn without_courses(mut self) -> Self {
        self.courses = false;
        self
    }

    /// The same for limits of rate, RAM and latency alone, before the first access and without a start-up: without the
    /// longest sequences and the peaks of the curve, and of the latencies with none but those that were the longest so far.
    pub(crate) fn for_limits(mut self) -> Self {
        self.curve = Accumulator::of_sums();
        self.longest = None;
        self
    }

    /// Adds an access that took `duration` and moved `bytes` bytes.
    pub(crate) fn push(&mut self, duration: Time, bytes: u64) -> Result<(), BacklogError> {
        let size = ByteCount::from_bytes(bytes);
        self.now = self
            .now
            .checked_plus(duration)
            .ok_or(BacklogError::TooMuch)?;
        self.smallest = self.smallest.min(bytes);
        self.curve.push(duration, size);
        if let Some(window) = &mut self.window {
            window.push(duration, size);
        }
        self.accesses += 1;
        if let Some(longest) = &mut self.longest {
            longest.push(duration);
            self.latency.record(duration);
        } else if self.latency.max() < Some(duration) {
            self.latency.record(duration);
        }
        if self.courses {
            self.latency_course.note(self.now, duration.si());
            self.latency_maxima.push(duration.si());
            self.pace.push(duration.si(), bytes);
        }
        for (index, one) in self.rates.iter_mut().enumerate() {
            let level = one.backlog.push(duration, size)?;
            if !self.courses {
                continue;
            }
            let fill = level.in_flight().bytes();
            if index < COURSES_MAX {
                one.fill.note(self.now, fill);
            }
            // A start comes once: it says nothing of how the fill spreads.
            if one.is_started {
                one.maxima.push(fill);
            }
            one.is_started |= level.waiting().bytes() == 0.0;
        }
        Ok(())
    }

    pub(crate) const fn accesses(&self) -> u64 {
        self.accesses
    }

    /// How long accesses took.
    pub(crate) const fn latency(&self) -> &LatencyHistogram {
        &self.latency
    }

    /// How long all accesses took together so far, a start-up included.
    pub(crate) const fn elapsed(&self) -> Time {
        self.now
    }

    /// The longest access so far.
    pub(crate) fn longest_access(&self) -> Option<Time> {
        self.latency.max()
    }

    /// The most bytes that were in flight so far at the first of the rates, as fluid.
    pub(crate) fn most_in_flight(&self) -> Option<f64> {
        let first = self.rates.first();
        first.map(|one| one.backlog.most_in_flight().bytes())
    }

    /// What half of the accesses take at most.
    pub(crate) fn median(&self) -> Option<Time> {
        self.latency.quantile(0.5)
    }

    /// Ends the run.
    pub(crate) fn finish(self) -> Result<BufferFindings, BacklogError> {
        let curve = self.curve.finish()?;
        let peaks = |rate: Rate, backlog: Backlog| {
            let played = backlog.finish();
            match played.records {
                Some(_) => played,
                // More records waited than are counted one by one; of one size, the fluid peak says how many.
                None => curve.in_records(rate, played.fluid),
            }
        };
        let rates = self.rates.into_iter().map(|one| RateFindings {
            rate: one.rate,
            peaks: peaks(one.rate, one.backlog),
            fill: one.fill,
            maxima: one.maxima,
        });
        let rates = rates.collect();
        Ok(BufferFindings {
            curve,
            // A side table: its limits must not cost the answer.
            longest: self
                .longest
                .and_then(|longest| longest.finish().ok())
                .unwrap_or_default(),
            latency: self.latency,
            latency_course: self.latency_course,
            latency_maxima: self.latency_maxima,
            pace: self.pace,
            smallest: self.smallest,
            rates,
            window: self.window,
        })
    }
}
