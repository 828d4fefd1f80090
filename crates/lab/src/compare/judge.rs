//! From what a candidate does to a verdict: each limit with its margin, and the one that decides.

use wordline_core::results::{Certainty, NoValue, UnprovenLimit, Verdict};
use wordline_core::{LIMIT_RULES, LimitRule, Limits, Metric, Timing};

use super::excluded::Exclusion;

/// What a candidate does, as far as limits ask for it. A figure is a number or the reason for none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JudgedFigures {
    /// Highest rate that any RAM can carry, in bytes per second.
    pub(super) throughput: f64,
    pub(super) ram_provision: Result<f64, NoValue>,
    pub(super) latency_max: Result<f64, NoValue>,
    pub(super) lifetime: Result<f64, NoValue>,
    pub(super) energy_per_day: Result<f64, NoValue>,
    pub(super) bytes_at_risk: Result<f64, NoValue>,
    pub(super) holdup: Result<f64, NoValue>,
    pub(super) cost: Result<f64, NoValue>,
    pub(super) parts: Result<f64, NoValue>,
    /// Why a figure is unknown.
    pub(super) unknown: &'static str,
    /// What is proven of metrics: that they are no worse where every access takes the longest that it can.
    pub(super) proven: Vec<(Metric, Result<f64, NoValue>)>,
}

/// One limit and what the candidate reaches of it.
#[derive(Clone, Debug, PartialEq)]
struct Judged {
    limit: &'static str,
    metric: Metric,
    value: Result<f64, NoValue>,
    allowed: f64,
    /// Whether more is better.
    at_least: bool,
    /// The bound of the value, where one is proven.
    proven: Option<Result<f64, NoValue>>,
}

impl Judged {
    /// Share of the limit that is left, so that half of it is 0.5 whichever way it points; `None` where the value has no
    /// end or is unknown.
    fn margin(&self) -> Option<f64> {
        let value = self.value.ok().filter(|value| value.is_finite())?;
        let (used, limit) = if self.at_least {
            (self.allowed, value)
        } else {
            (value, self.allowed)
        };
        match (used > 0.0, limit > 0.0) {
            (_, true) => Some(1.0 - used / limit).filter(|margin| margin.is_finite()),
            // Nothing is allowed, and nothing is what is needed.
            (false, false) => Some(0.0),
            (true, false) => Some(-1.0),
        }
    }

    fn pass(&self) -> bool {
        self.meets(self.value)
    }

    /// What passes as simulated, and by its proven bound does not.
    fn unproven(&self) -> Option<UnprovenLimit> {
        let bound = self
            .proven
            .filter(|bound| self.pass() && !self.meets(*bound))?;
        Some(UnprovenLimit {
            limit: self.limit.to_owned(),
            metric: self.metric,
            bound: bound.ok().filter(|bound| bound.is_finite()),
        })
    }

    fn meets(&self, value: Result<f64, NoValue>) -> bool {
        match (value, self.at_least) {
            (Ok(value), true) => value >= self.allowed,
            (Ok(value), false) => value <= self.allowed,
            // A life without end.
            (Err(NoValue::Unbounded), true) => true,
            (Err(_), _) => false,
        }
    }

    /// Whether nothing is known of what it is about.
    fn is_unknown(&self) -> bool {
        self.value == Err(NoValue::NotApplicable)
    }

    /// What decides comes first: failures before what is unknown, that before passes, and the smaller margin before the
    /// larger one.
    fn rank(&self) -> (bool, bool, f64) {
        let pass = self.pass();
        let without = if pass {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        };
        (pass, self.is_unknown(), self.margin().unwrap_or(without))
    }
}

impl JudgedFigures {
    /// The figure that a limit is about.
    fn value(&self, metric: Metric) -> Result<f64, NoValue> {
        match metric {
            Metric::ThroughputMean => Ok(self.throughput),
            Metric::RamProvision => self.ram_provision,
            Metric::LatencyMax => self.latency_max,
            Metric::Lifetime => self.lifetime,
            Metric::EnergyPerDay => self.energy_per_day,
            Metric::BytesAtRisk => self.bytes_at_risk,
            Metric::HoldupCapacitance => self.holdup,
            Metric::Cost => self.cost,
            Metric::PartsNeeded => self.parts,
            _ => Err(NoValue::NotApplicable),
        }
    }

    /// Every limit that the study states or that holds by default, the one that decides first.
    fn judged(&self, rate: f64, limits: &Limits) -> Vec<Judged> {
        // Where the rate cannot be sustained no RAM is enough, and the rate says by how much.
        let sustained = self.throughput >= rate;
        let judged = |rule: &LimitRule| {
            let value = self.value(rule.metric);
            // A default does not apply to what is unknown.
            let default = rule.default.filter(|_| value.is_ok());
            let allowed = rule.stated(rate, limits).or(default);
            let mut proven = self.proven.iter();
            let proven = proven.find(|(of, _)| *of == rule.metric);
            allowed
                .filter(|_| sustained || !rule.needs_rate)
                .map(|allowed| Judged {
                    limit: rule.name,
                    metric: rule.metric,
                    value,
                    allowed,
                    at_least: rule.at_least(),
                    proven: proven.map(|(_, bound)| *bound),
                })
        };
        let mut all: Vec<Judged> = LIMIT_RULES.iter().filter_map(judged).collect();
        all.sort_by(|one, other| {
            let (pass, unknown, margin) = one.rank();
            let (other_pass, other_unknown, other_margin) = other.rank();
            (pass, unknown)
                .cmp(&(other_pass, other_unknown))
                .then(margin.total_cmp(&other_margin))
        });
        all
    }

    /// The limits that it fails, the one that decides first.
    pub(super) fn failing(&self, rate: f64, limits: &Limits) -> Vec<&'static str> {
        let all = self.judged(rate, limits).into_iter();
        all.filter(|one| !one.pass()).map(|one| one.limit).collect()
    }

    /// The limits that it passes by what is proven, whatever the model that simulates it assumes.
    pub(super) fn proven_limits(&self, rate: f64, limits: &Limits) -> Vec<&'static str> {
        let all = self.judged(rate, limits).into_iter();
        let proven = all.filter(|one| one.proven.is_some_and(|bound| one.meets(bound)));
        proven.map(|one| one.limit).collect()
    }

    /// How much of a limit is left, in the unit of its metric; `None` where the limit is not stated or nothing is known.
    pub(super) fn left(&self, limit: &str, rate: f64, limits: &Limits) -> Option<f64> {
        let mut all = self.judged(rate, limits).into_iter();
        let one = all.find(|one| one.limit == limit)?;
        Some(one.allowed - one.value.ok()?)
    }

    /// The limits that it fails because nothing is known of what they are about, with the metrics of that.
    pub(super) fn unknown_limits(&self, rate: f64, limits: &Limits) -> Vec<(&'static str, Metric)> {
        let all = self.judged(rate, limits).into_iter();
        let unknown = all.filter(Judged::is_unknown);
        unknown.map(|one| (one.limit, one.metric)).collect()
    }

    /// The verdict: pass, and the limit that leaves the least room.
    pub(super) fn judge(
        &self,
        target: &str,
        timing: Timing,
        rate: f64,
        limits: &Limits,
    ) -> Verdict {
        let all = self.judged(rate, limits);
        let pass = all.iter().all(Judged::pass);
        let (unknown, known): (Vec<&Judged>, Vec<&Judged>) =
            all.iter().partition(|one| one.is_unknown());
        let failed = known.into_iter().filter(|one| !one.pass());
        let failed: Vec<&str> = failed.map(|one| one.limit).collect();
        let decides = &all[0];
        let mut notes = Vec::new();
        if decides.value == Err(NoValue::Unbounded) && !decides.at_least {
            notes.push("no amount is enough".to_owned());
        }
        if failed.len() > 1 {
            notes.push(format!("also fails by {}", failed[1..].join(", ")));
        }
        let unknown = unknown.iter();
        notes.extend(unknown.map(|one| format!("{} is unknown: {}", one.metric, self.unknown)));
        let unproven = all.iter().filter_map(Judged::unproven);
        Verdict {
            target: target.to_owned(),
            timing,
            pass,
            limit: decides.limit.to_owned(),
            metric: decides.metric,
            value: decides.value.ok().filter(|value| value.is_finite()),
            allowed: decides.allowed,
            margin: decides.margin(),
            certainty: Certainty::Certain,
            deciding_figure: None,
            flips_at: None,
            deciding: None,
            bound: decides
                .proven
                .and_then(Result::ok)
                .filter(|bound| bound.is_finite()),
            // What fails has no more to prove.
            unproven: unproven.filter(|_| pass).collect(),
            note: (!notes.is_empty()).then(|| notes.join("; ")),
        }
    }
}

/// The verdict on a candidate that a bound excludes.
pub(super) fn excluded(target: &str, timing: Timing, exclusion: &Exclusion) -> Verdict {
    let judged = Judged {
        limit: exclusion.limit,
        metric: exclusion.metric,
        value: Ok(exclusion.value),
        allowed: exclusion.allowed,
        at_least: exclusion.at_least,
        proven: None,
    };
    Verdict {
        metric: judged.metric,
        value: Some(exclusion.value),
        margin: judged.margin(),
        ..unfit(
            target,
            timing,
            exclusion.allowed,
            exclusion.limit,
            format!("not simulated: {}", exclusion.why),
        )
    }
}

/// The verdict on a candidate that could not be run at all.
pub(super) fn unfit(
    target: &str,
    timing: Timing,
    rate: f64,
    limit: &'static str,
    why: String,
) -> Verdict {
    Verdict {
        target: target.to_owned(),
        timing,
        pass: false,
        limit: limit.to_owned(),
        metric: Metric::ThroughputMean,
        value: None,
        allowed: rate,
        margin: None,
        certainty: Certainty::Certain,
        deciding_figure: None,
        flips_at: None,
        deciding: None,
        bound: None,
        unproven: Vec::new(),
        note: Some(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_core::quantity::{ByteCount, Period, Quantity as _};

    fn figures() -> JudgedFigures {
        JudgedFigures {
            throughput: 6e6,
            ram_provision: Ok(8192.0),
            latency_max: Ok(2.6e-3),
            lifetime: Ok(3e8),
            energy_per_day: Err(NoValue::NotApplicable),
            bytes_at_risk: Ok(12_288.0),
            holdup: Err(NoValue::NotApplicable),
            cost: Err(NoValue::NotApplicable),
            parts: Ok(2.0),
            unknown: "no sheet says it",
            proven: Vec::new(),
        }
    }

    fn judge(figures: &JudgedFigures, limits: &Limits) -> Verdict {
        figures.judge("p@b", Timing::Typ, 5e5, limits)
    }

    #[test]
    fn the_least_margin_decides() {
        let limits = Limits {
            ram: Some(ByteCount::from_bytes(16_384)),
            life: Some(Period::from_si(2.9e8)),
            ..Limits::default()
        };
        let verdict = judge(&figures(), &limits);
        assert!(verdict.pass);
        assert_eq!(
            (verdict.limit.as_str(), verdict.metric),
            ("lifetime", Metric::Lifetime)
        );
        let margin = verdict.margin.expect("finite");
        assert!((margin - 0.1 / 3.0).abs() < 1e-9, "{margin}");
    }

    #[test]
    fn failures_come_before_passes_and_all_are_named() {
        let limits = Limits {
            ram: Some(ByteCount::from_bytes(4096)),
            life: Some(Period::from_si(1e9)),
            ..Limits::default()
        };
        let verdict = judge(&figures(), &limits);
        assert!(!verdict.pass);
        assert_eq!(
            (verdict.limit.as_str(), verdict.value),
            ("lifetime", Some(3e8))
        );
        let margin = verdict.margin.expect("finite");
        assert!((margin - (1.0 - 1e9 / 3e8)).abs() < 1e-9, "{margin}");
        assert_eq!(verdict.note.as_deref(), Some("also fails by ram"));
    }

    #[test]
    fn a_rate_that_is_too_high_is_the_reason_and_not_the_ram() {
        let figures = JudgedFigures {
            throughput: 4e5,
            ram_provision: Err(NoValue::Unbounded),
            ..figures()
        };
        let limits = Limits {
            ram: Some(ByteCount::from_bytes(16_384)),
            ..Limits::default()
        };
        let verdict = judge(&figures, &limits);
        assert_eq!((verdict.pass, verdict.limit.as_str()), (false, "rate"));
        assert!((verdict.margin.expect("known") + 0.25).abs() < 1e-12);
    }

    /// The bound of the limit that decides stands beside its value; every limit that passes in simulation alone is named, of
    /// a candidate that passes.
    #[test]
    fn what_passes_in_simulation_alone_is_named() {
        let limits = Limits {
            ram: Some(ByteCount::from_bytes(16_384)),
            latency: Some(Period::from_si(3e-3)),
            ..Limits::default()
        };
        let proven = |latency, ram, rate| JudgedFigures {
            proven: vec![
                (Metric::LatencyMax, Ok(latency)),
                (Metric::RamProvision, ram),
                (Metric::ThroughputMean, Ok(rate)),
            ],
            ..figures()
        };
        let names = |verdict: &Verdict| -> Vec<(String, Option<f64>)> {
            let unproven = verdict.unproven.iter();
            unproven.map(|one| (one.limit.clone(), one.bound)).collect()
        };
        let verdict = judge(&proven(2.9e-3, Ok(16_384.0), 5e5), &limits);
        assert_eq!(
            (verdict.limit.as_str(), verdict.bound),
            ("latency", Some(2.9e-3))
        );
        assert_eq!(names(&verdict), []);
        let verdict = judge(&proven(2.0, Err(NoValue::Unbounded), 1.6e4), &limits);
        assert!(verdict.pass);
        assert_eq!((verdict.value, verdict.bound), (Some(2.6e-3), Some(2.0)));
        let mut found = names(&verdict);
        found.sort_by(|one, other| one.0.cmp(&other.0));
        let named = |limit: &str, bound| (limit.to_owned(), bound);
        assert_eq!(
            found,
            [
                named("latency", Some(2.0)),
                named("ram", None),
                named("rate", Some(1.6e4))
            ]
        );
        let hard = Limits {
            latency: Some(Period::from_si(1e-3)),
            ..limits
        };
        let verdict = judge(&proven(2.0, Err(NoValue::Unbounded), 1.6e4), &hard);
        assert_eq!((verdict.pass, verdict.bound), (false, Some(2.0)));
        assert_eq!(names(&verdict), []);
        assert_eq!(judge(&figures(), &limits).bound, None);
    }

    #[test]
    fn what_nobody_knows_cannot_pass_and_a_life_without_end_does() {
        let limits = Limits {
            energy_per_day: Some(wordline_core::quantity::Energy::from_si(1.0)),
            ..Limits::default()
        };
        let verdict = judge(&figures(), &limits);
        assert_eq!(
            (verdict.pass, verdict.limit.as_str(), verdict.value),
            (false, "energy", None)
        );
        assert!(verdict.note.expect("a note").contains("unknown"));
        let endless = JudgedFigures {
            lifetime: Err(NoValue::Unbounded),
            ..figures()
        };
        let limits = Limits {
            life: Some(Period::from_si(1e9)),
            ..Limits::default()
        };
        assert!(judge(&endless, &limits).pass);
    }
}
