//! The limits of a comparison as rules, each stated once: the lab judges by them, and a page carries them as data.

use super::Limits;
use crate::quantity::Quantity;
use crate::{Better, Metric};

/// What a limit is about, what it allows, and where it applies. A value that meets it is no worse than what is allowed; one
/// without end meets a limit where more is better, and no other. An unknown value meets none.
#[derive(Clone, Copy, Debug)]
pub struct LimitRule {
    /// As documents spell it.
    pub name: &'static str,
    /// The metric that it is about.
    pub metric: Metric,
    /// Whether it applies only where the input rate is sustained: elsewhere no RAM is enough, and the rate says by how
    /// much.
    pub needs_rate: bool,
    /// What is allowed of a known value where a study states nothing, in the SI unit of the metric.
    pub default: Option<f64>,
    stated: fn(f64, &Limits) -> Option<f64>,
}

impl LimitRule {
    /// What a study with an input rate in bytes per second allows, in the SI unit of the metric; `None` where it states
    /// nothing.
    #[must_use]
    pub fn stated(&self, rate: f64, limits: &Limits) -> Option<f64> {
        (self.stated)(rate, limits)
    }

    /// Whether more is better.
    #[must_use]
    pub fn at_least(&self) -> bool {
        self.metric.info().better == Better::Higher
    }
}

macro_rules! limit_rules {
    ($($name:literal $metric:ident $needs_rate:literal $default:expr, $stated:expr;)*) => {
        /// Every limit that is a number. What does not fit at all fails by a name of its own.
        pub const LIMIT_RULES: [LimitRule; [$($name),*].len()] = [$(LimitRule {
            name: $name,
            metric: Metric::$metric,
            needs_rate: $needs_rate,
            default: $default,
            stated: $stated,
        },)*];
    };
}

limit_rules! {
    "rate" ThroughputMean false None, |rate, _| Some(rate);
    "ram" RamProvision true None, |_, limits| limits.ram.map(Quantity::si);
    "latency" LatencyMax false None, |_, limits| limits.latency.map(Quantity::si);
    "lifetime" Lifetime false None, |_, limits| limits.life.map(Quantity::si);
    "energy" EnergyPerDay false None, |_, limits| limits.energy_per_day.map(Quantity::si);
    "risk" BytesAtRisk true None, |_, limits| limits.bytes_at_risk.map(Quantity::si);
    "holdup" HoldupCapacitance true None, |_, limits| limits.holdup.map(Quantity::si);
    "cost" Cost false None, |_, limits| limits.cost.map(Quantity::si);
    "capacity" PartsNeeded false Some(Limits::PARTS_MAX as f64), |_, limits| limits.parts.map(|parts| parts as f64);
}
