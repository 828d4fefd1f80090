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
use crate::buffer::provision::{Provision, ProvisionSpan, period};

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

/// A figure that decides whether a verdict holds.
struct OpenFigure {
    figure: &'static str,
    kind: &'static str,
    basis: Basis,
    limit: &'static str,
    unit: &'static str,
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
        (self.flips_at - self.low) / range
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

    /// Adds to a verdict whether it holds, from the limits that the log fails.
    pub(super) fn settle(
        &self,
        verdict: &mut Verdict,
        failing: &[&'static str],
        limits: &Limits,
        findings: &BufferFindings,
    ) {
        let open = match failing {
            [] => {
                let open = [
                    self.open_ram(limits, findings),
                    self.open_latency(limits, findings),
                    self.open_energy(limits),
                ];
                let open = open.into_iter().flatten();
                open.min_by(|one, other| one.room().total_cmp(&other.room()))
            }
            ["ram"] => self.open_ram(limits, findings),
            // What else fails in the log has happened.
            _ => None,
        };
        let Some(one) = open else {
            return;
        };
        let file = verdict.target.trim_start_matches("log:");
        verdict.deciding_figure = Some(format!("{file}: {}", one.figure));
        verdict.certainty = Certainty::Depends;
        verdict.flips_at = Some(one.flips_at);
        verdict.deciding = Some(DecidingFigure {
            kind: one.kind.to_owned(),
            basis: one.basis,
            sample: None,
            value: one.value,
            low: one.low,
            high: one.high,
            unit: one.unit.to_owned(),
            limit: one.limit.to_owned(),
            together_with: Vec::new(),
        });
    }

    /// RAM: it fails as expected and passes as seen, or passes for less time than is asked for.
    fn open_ram(&self, limits: &Limits, findings: &BufferFindings) -> Option<OpenFigure> {
        let (allowed, ram) = limits.ram.map(Quantity::si).zip(self.ram.ok())?;
        let fails = ram.bytes > allowed;
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
            value: ram.in_flight,
            // What it supports passes; beyond that it has no range.
            low: match fails {
                true => ram.seen_in_flight,
                false => ram.in_flight,
            },
            high: ram.in_flight,
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
            value: 0.0,
            low: 0.0,
            high: 0.0,
            flips_at: (allowed.si() - energy.joules()) / energy.idle_s,
        })
    }
}
