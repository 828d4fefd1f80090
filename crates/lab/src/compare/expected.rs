//! Whether a verdict on a log holds for what the log did not show.
//!
//! The log lets expect so much RAM and so long an access within the time that the study asks for, with 95 % confidence
//! ([`extremes`](crate::buffer::extremes)), or it supports less time than that. A verdict holds for certain where it is
//! the same at both ends: as seen, and as expected. RAM is judged as expected, for that is what a product must provide;
//! the longest access as seen.

use wordline_core::quantity::{Period, Quantity, human};
use wordline_core::results::{Certainty, DecidingFigure, NoValue, Verdict};
use wordline_core::{Basis, Limits, Metric};

use crate::buffer::analysis::BufferFindings;
use crate::buffer::extremes::{CONFIDENCE, LevelOutlook, Support};
use crate::buffer::provision::{Provision, ProvisionSpan, period, whole_records};
use crate::buffer::rows::limit;

/// What may come of a log.
pub(super) struct Prospect {
    /// The RAM to provide over the time that the study asks for.
    pub(super) ram: Result<Provision, NoValue>,
    /// The longest of so many further accesses.
    pub(super) longest: LevelOutlook,
    /// How many come in that time.
    pub(super) further: f64,
    /// Energy, where a current was measured.
    pub(super) energy: Option<EnergyOfDay>,
}

/// Energy of a day.
pub(super) struct EnergyOfDay {
    /// Of the accesses, in joules.
    pub(super) accesses_j: f64,
    /// The rest of the day, in seconds.
    pub(super) idle_s: f64,
    /// Power in it, in watts, where pauses show it.
    pub(super) standby_w: Option<f64>,
}

impl EnergyOfDay {
    /// Of accesses and standby, in joules; of accesses alone where nothing shows the standby.
    pub(super) fn joules(&self) -> f64 {
        self.accesses_j + self.standby_w.unwrap_or(0.0) * self.idle_s
    }

    /// Whether a part of the day counts for nothing.
    pub(super) fn leaves_out_standby(&self) -> bool {
        // Rounded times make up to a hundredth of a day.
        self.standby_w.is_none() && self.idle_s > 864.0
    }
}

/// What leaves a verdict open.
pub(super) enum OpenPoint {
    /// Something that has no value.
    Name(String),
    /// A figure.
    Figure(OpenFigure),
}

impl OpenPoint {
    /// Adds it to a verdict.
    pub(super) fn settle(self, verdict: &mut Verdict) {
        let file = verdict.target.trim_start_matches("log:");
        let name = match &self {
            Self::Name(name) => name,
            Self::Figure(one) => one.figure,
        };
        verdict.deciding_figure = Some(format!("{file}: {name}"));
        verdict.certainty = Certainty::Depends;
        if let Self::Figure(one) = self {
            verdict.flips_at = Some(one.flips_at);
            verdict.deciding = Some(one.deciding());
        }
    }
}

/// A figure that decides whether a verdict holds.
pub(super) struct OpenFigure {
    figure: &'static str,
    kind: &'static str,
    basis: Basis,
    limit: &'static str,
    unit: &'static str,
    /// In the log.
    seen: f64,
    /// As the verdict takes it.
    value: f64,
    low: f64,
    high: f64,
    flips_at: f64,
}

impl OpenFigure {
    /// How much of its range it can go before the verdict turns; without a range, of its value.
    fn room(&self) -> f64 {
        let range = if self.high > self.low {
            self.high - self.low
        } else {
            self.value
        };
        (self.flips_at - self.seen).abs() / range
    }

    fn deciding(&self) -> DecidingFigure {
        DecidingFigure {
            kind: self.kind.to_owned(),
            basis: self.basis,
            sample: None,
            value: self.value,
            low: self.low,
            high: self.high,
            unit: self.unit.to_owned(),
            limit: self.limit.to_owned(),
            together_with: Vec::new(),
        }
    }
}

impl Prospect {
    /// What a verdict says besides.
    pub(super) fn notes(&self) -> Vec<String> {
        let percent = 100.0 * CONFIDENCE;
        let ram = self.ram.ok().map(|ram| {
            let bytes = |value| human(value, "B", 3);
            let (all, seen) = (bytes(ram.bytes), bytes(ram.seen()));
            let needs = ram.shortage().map_or_else(String::new, |(_, asked, needed)| {
                let (asked, needed) = (period(asked), period(needed));
                format!(", and {asked} need a log of {needed} of such work")
            });
            match ram.span {
                ProvisionSpan::Seconds(holds) if ram.basis == Basis::Assumed => format!(
                    "its RAM suffices for {} of such work with {percent} % confidence (the log alone needed {seen}){needs}",
                    period(holds)
                ),
                ProvisionSpan::Seconds(holds) => format!(
                    "the log needed {all} of RAM, which it supports for {} of such work with {percent} % confidence{needs}",
                    period(holds)
                ),
                _ => format!("the log needed {all} of RAM, and is too short to support more than itself{needs}"),
            }
        });
        let energy = self
            .energy
            .as_ref()
            .filter(|energy| energy.leaves_out_standby());
        let energy = energy.map(|_| {
            "energy a day is that of its accesses, without the standby between them, which a log at this rate shows \
             (--durations paced)"
                .to_owned()
        });
        ram.into_iter().chain(energy).collect()
    }

    /// The figure that leaves a verdict open, from the limits that the log fails.
    pub(super) fn open(
        &self,
        failing: &[&'static str],
        rate: f64,
        limits: &Limits,
        findings: &BufferFindings,
    ) -> Option<OpenFigure> {
        match failing {
            [] => {
                let open = [
                    open_rate(rate, findings),
                    self.open_ram(rate, limits, findings),
                    self.open_latency(limits, findings),
                    self.open_energy(limits),
                ];
                let open = open.into_iter().flatten();
                open.min_by(|one, other| one.room().total_cmp(&other.room()))
            }
            ["rate"] => open_rate(rate, findings),
            ["ram"] => self.open_ram(rate, limits, findings),
            // What else fails in the log has happened.
            _ => None,
        }
    }

    /// RAM: it fails as expected and passes as seen, or passes for less time than is asked for, or what comes during the
    /// longest access to expect has no room.
    fn open_ram(
        &self,
        rate: f64,
        limits: &Limits,
        findings: &BufferFindings,
    ) -> Option<OpenFigure> {
        let (allowed, ram) = limits.ram.map(Quantity::si).zip(self.ram.ok())?;
        let meanwhile = whole_records(rate * self.longest.level, ram.gathered);
        let fails = ram.bytes.max(meanwhile + ram.gathered) > allowed;
        if ram.seen() > allowed || (!fails && ram.is_supported()) {
            return None;
        }
        // Another record is gathered meanwhile.
        let left = allowed - ram.gathered;
        let flips_at = match findings.curve.record() {
            Some(_) => (left / ram.gathered).floor() * ram.gathered + ram.gathered,
            None => left,
        };
        Some(OpenFigure {
            figure: "RAM in flight",
            kind: "extrapolated RAM",
            basis: ram.basis,
            limit: "ram",
            unit: Metric::RamPeakInFlight.unit(),
            seen: ram.seen_in_flight,
            value: ram.in_flight,
            // What it supports passes; beyond that it has no range.
            low: match fails {
                true => ram.seen_in_flight,
                false => ram.in_flight,
            },
            high: match fails {
                true => ram.in_flight.max(meanwhile),
                false => ram.in_flight,
            },
            flips_at,
        })
    }

    /// The longest access: it may exceed what is allowed, or stays below for less time than is asked for.
    fn open_latency(&self, limits: &Limits, findings: &BufferFindings) -> Option<OpenFigure> {
        let (allowed, seen) = limits.latency.zip(findings.latency.max())?;
        let (allowed, seen) = (Period::si(allowed), seen.si());
        let outlook = &self.longest;
        let is_supported = outlook.support != Support::None && outlook.holds >= self.further;
        (outlook.level > allowed || !is_supported).then(|| OpenFigure {
            figure: "longest access",
            kind: "extrapolated latency",
            basis: Basis::Measured,
            limit: "latency",
            unit: Metric::LatencyMax.unit(),
            seen,
            value: seen,
            low: seen,
            high: match outlook.level > allowed {
                true => outlook.level,
                false => seen,
            },
            flips_at: allowed,
        })
    }

    /// Energy: the standby that is left out has room for so much power.
    fn open_energy(&self, limits: &Limits) -> Option<OpenFigure> {
        let (allowed, energy) = limits.energy_per_day.zip(self.energy.as_ref())?;
        energy.leaves_out_standby().then(|| OpenFigure {
            figure: "standby power",
            kind: "standby power",
            basis: Basis::Assumed,
            limit: "energy",
            unit: Metric::PowerMean.unit(),
            seen: 0.0,
            value: 0.0,
            low: 0.0,
            high: 0.0,
            flips_at: (allowed.si() - energy.joules()) / energy.idle_s,
        })
    }
}

/// The mean rate of a longer log may lie on the other side of the rate that is asked for.
fn open_rate(rate: f64, findings: &BufferFindings) -> Option<OpenFigure> {
    let value = limit(&findings.curve).ok()?;
    let factor = findings.pace.factor()?;
    let (low, high) = (value / factor, value * factor);
    let is_open = if value >= rate {
        low < rate
    } else {
        high >= rate
    };
    is_open.then(|| OpenFigure {
        figure: "mean rate",
        kind: "mean rate",
        basis: Basis::Measured,
        limit: "rate",
        unit: Metric::ThroughputMean.unit(),
        seen: value,
        value,
        low,
        high,
        flips_at: rate,
    })
}
