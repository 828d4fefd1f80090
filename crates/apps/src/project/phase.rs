//! A phase of a profile with every value chosen: the likeliest, or one drawn from its range.

use super::{CoreLoop, CurvePlace, LoopTimes, MemoryCurve, PhaseProjection};
use crate::core::LoopCounters;
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
        let rate = self.rate();
        let idle = PhaseProjection {
            name: String::new(),
            speed_up: 1.0,
            seconds: [self.seconds; 2],
            outside_share: self.outside_share,
            times: [LoopTimes::default(); 2],
            parallel: f64::INFINITY,
        };
        // Cores that never ran, or asked for nothing, are as fast on any memory.
        if !(rate.is_finite() && rate > 0.0) {
            return idle;
        }
        let carried = curves[0].rate(cores * most[0]);
        let rate = rate.min(carried);
        let (levels, _) = flattened(&self.levels, carried / rate);
        let counters = LoopCounters {
            rate,
            stall_share: self.stall_share,
            levels,
            cores,
            misses_per_core: most[0],
        };
        let program = CoreLoop::of(&counters, curves[0]);
        let before = program.on(curves[0]);
        let after = match std::ptr::eq(curves[0], curves[1]) {
            true => before,
            false => program.with_misses(most[1]).on(curves[1]),
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
}
