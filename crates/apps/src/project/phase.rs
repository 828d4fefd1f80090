//! A phase of a profile with every value chosen: the likeliest, or one drawn from its range.

use std::borrow::Cow;

use super::caution::CARRIED_WRONG;
use super::{CoreLoop, CurvePlace, LoopTimes, MemoryCurve, PhaseProjection};
use crate::core::{LoopCounters, LoopWindow};
use crate::levels::{flattened, levels_of};
use crate::profile::{ProfilePhase, ProfileValue};

/// Coefficient of variation of a load of which nothing is known: the likeliest, the least, the greatest.
pub(crate) const VARIATION_UNKNOWN: [f64; 3] = [0.5, 0.2, 0.8];

/// The same of locality.
pub(crate) const LOCALITY_UNKNOWN: [f64; 3] = [0.5, 0.0, 1.0];

/// The same of imbalance.
pub(crate) const IMBALANCE_UNKNOWN: [f64; 3] = [1.0, 1.0, 1.2];

/// A phase with its values chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseInputs {
    /// Seconds on the baseline.
    pub seconds: f64,
    /// Lines read and written, of all cores.
    pub lines: f64,
    /// Where on a surface.
    pub place: CurvePlace,
    /// Share of the cores' time in which they waited for memory.
    pub stall_share: f64,
    /// Share of the time outside of computing and memory.
    pub outside_share: f64,
    /// Shares of the time and multiples of the mean rate.
    pub levels: Vec<[f64; 2]>,
    /// Mean time of a read on the baseline in nanoseconds, where it was measured.
    pub latency_ns: Option<f64>,
}

impl PhaseInputs {
    /// The likeliest values.
    #[must_use]
    pub fn likeliest(phase: &ProfilePhase) -> Self {
        Self::chosen(phase, &|_, value| value.value)
    }

    /// Values that a function chooses; it gets a name for each, and the value with its range.
    pub(crate) fn chosen(
        phase: &ProfilePhase,
        choose: &dyn Fn(&'static str, &ProfileValue) -> f64,
    ) -> Self {
        let unknown = |[value, least, greatest]: [f64; 3]| {
            ProfileValue::within(value, least, greatest, wordline_core::Basis::Assumed)
        };
        let or = |name, value: Option<ProfileValue>, otherwise| {
            choose(name, &value.unwrap_or_else(|| unknown(otherwise)))
        };
        let written = choose("lines_written", &phase.lines_written);
        let lines = choose("lines_read", &phase.lines_read) + written;
        let levels = match &phase.load {
            Some(load) => load.levels.clone(),
            None => levels_of(choose("load", &unknown(VARIATION_UNKNOWN))),
        };
        Self {
            seconds: choose("seconds", &phase.seconds),
            lines,
            place: CurvePlace {
                write_share: if lines > 0.0 { written / lines } else { 0.0 },
                locality: or("locality", phase.locality, LOCALITY_UNKNOWN),
                imbalance: or("imbalance", phase.imbalance, IMBALANCE_UNKNOWN),
            },
            stall_share: choose("stall_share", &phase.stall_share),
            outside_share: phase
                .outside_share
                .map_or(0.0, |share| choose("outside_share", &share)),
            levels,
            latency_ns: phase
                .latency_ns
                .map(|latency| choose("latency_ns", &latency)),
        }
    }

    /// The least and the greatest coordinates on a surface that a phase may lie at.
    #[must_use]
    pub fn ends(phase: &ProfilePhase) -> [CurvePlace; 2] {
        let end = |side: usize| {
            // Most writes come with the fewest reads.
            let choose = |name: &'static str, value: &ProfileValue| match name {
                "lines_read" => value.bounds()[1 - side],
                _ => value.bounds()[side],
            };
            Self::chosen(phase, &choose).place
        };
        [end(0), end(1)]
    }

    /// Lines a nanosecond in the mean over the time in which the cores ran.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.lines / (self.seconds * (1.0 - self.outside_share)) * 1e-9
    }

    /// The phase on both memories, without a name.
    pub(crate) fn times(
        &self,
        curves: [&MemoryCurve; 2],
        cores: f64,
        most: [f64; 2],
    ) -> PhaseProjection {
        let ran = self.seconds * (1.0 - self.outside_share);
        let outside = self.seconds - ran;
        let idle_w = curves.map(|curve| curve.power_w(0.0));
        let idle = |side: usize| LoopTimes {
            power_w: idle_w[side],
            ..LoopTimes::default()
        };
        let idle = PhaseProjection {
            name: String::new(),
            speed_up: 1.0,
            seconds: [self.seconds; 2],
            outside_share: self.outside_share,
            times: [idle(0), idle(1)],
            idle_w,
            parallel: f64::INFINITY,
        };
        let rate = self.rate();
        // Cores that never ran, or asked for nothing, are as fast on any memory.
        if !(rate.is_finite() && rate > 0.0) {
            return idle;
        }
        let is_same = std::ptr::eq(curves[0], curves[1]);
        let measured = self.as_measured(curves, cores * most[0]);
        let program = self.core_loop(&measured[0], cores, most[0]);
        let before = program.on(&measured[0]);
        let after = match is_same {
            true => before,
            false => program.with_misses(most[1]).on(&measured[1]),
        };
        let ratio = before.line_ns / after.line_ns;
        let seconds = [self.seconds, ran / ratio + outside];
        PhaseProjection {
            speed_up: seconds[0] / seconds[1],
            seconds,
            times: [before, after],
            parallel: program.parallel,
            ..idle
        }
    }

    /// The program as windows at each level of its load, with the time of a line and core in which it asks for nothing, in
    /// nanoseconds. A phase that asks for nothing has none.
    #[must_use]
    pub fn windows(
        &self,
        baseline: &MemoryCurve,
        cores: f64,
        misses_per_core: f64,
        simulated: u32,
    ) -> (Vec<LoopWindow>, f64) {
        let rate = self.rate();
        if !(rate.is_finite() && rate > 0.0) {
            return (Vec::new(), 0.0);
        }
        let [measured] = self.as_measured([baseline], cores * misses_per_core);
        let program = self.core_loop(&measured, cores, misses_per_core);
        let each = cores / f64::from(simulated.max(1));
        (
            program.windows(&measured, simulated),
            program.alone_ns() / each,
        )
    }

    /// The loop that has these counters on the baseline.
    fn core_loop(&self, baseline: &MemoryCurve, cores: f64, misses_per_core: f64) -> CoreLoop {
        let carried = baseline.rate(cores * misses_per_core);
        let rate = self.rate().min(carried);
        let (levels, _) = flattened(&self.levels, carried / rate);
        let counters = LoopCounters {
            rate,
            stall_share: self.stall_share,
            levels,
            cores,
            misses_per_core,
        };
        CoreLoop::of(&counters, baseline)
    }

    /// Curves, the baseline's first, with buses that carry what gives the measured latency.
    fn as_measured<'c, const COUNT: usize>(
        &self,
        curves: [&'c MemoryCurve; COUNT],
        most: f64,
    ) -> [Cow<'c, MemoryCurve>; COUNT] {
        let factor = self.bus_factor(curves[0], most);
        curves.map(|curve| match factor {
            1.0 => Cow::Borrowed(curve),
            factor => Cow::Owned(curve.faster(factor)),
        })
    }

    /// How much more or less the buses carry than the surface says, so that reads take as long as they were measured to take
    /// at the measured rate: near saturation a rate has many latencies, and a surface is known to some percent only. What
    /// the surface does not know of the program, such as the order of its misses, is the same on another memory, so that
    /// the factor belongs to both. 1 where latency was not measured.
    fn bus_factor(&self, baseline: &MemoryCurve, most: f64) -> f64 {
        /// Enough for a thousandth of the range.
        const HALVINGS: usize = 10;
        /// The least that groups of misses may leave of the buses.
        const SLOWEST: f64 = 0.3;
        let Some(measured) = self.latency_ns else {
            return 1.0;
        };
        let asked = self.rate();
        // Mean over lines of the time of a read on a baseline whose buses carry so many times as much; see
        // `MemoryCurve::faster`.
        let read_ns = |factor: f64| {
            let carried = factor * baseline.rate(most);
            let rate = asked.min(carried);
            let (levels, _) = flattened(&self.levels, carried / rate);
            let idle = baseline.read_ns(0.0);
            let of = levels.iter().map(|[share, multiple]| {
                let outstanding = baseline.outstanding_at(rate * multiple / factor, most);
                share * multiple * (idle + (baseline.read_ns(outstanding) - idle) / factor)
            });
            of.sum::<f64>()
        };
        // Misses that come in groups wait for each other at any load, as if the buses carried less; but they do carry what
        // was measured.
        let carries = (asked / baseline.rate(most)).clamp(SLOWEST, 1.0);
        let [mut low, mut high] = [carries * (1.0 - CARRIED_WRONG), 1.0 + CARRIED_WRONG];
        if measured >= read_ns(low) {
            return low;
        }
        if measured <= read_ns(high) {
            return high;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if read_ns(middle) > measured {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }
}
