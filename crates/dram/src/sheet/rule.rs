//! One timing rule of a die: the greater of a count of clocks and a time.

use serde::Deserialize;
use wordline_core::Basis;
use wordline_core::Provenance;
use wordline_core::quantity::Time;

use super::problem::DramSheetProblems;
use super::rounding::Standard;

/// No rule takes more clocks.
const CLOCKS_MAX: u32 = 50_000;

/// No rule takes longer.
const TIME_MAX: Time = Time::from_ps(10_000_000);

/// A least distance between commands: `max(nck, ns)`, as the standards write it, with where it comes from. In TOML:
///
/// ```toml
/// trtp = { nck = 12, ns = "7.5 ns", source = "my data sheet, table 2" }
/// ```
///
/// Rates at which the standard has another value are listed under `at`, each with its source:
/// `at = [{ rate_mts = 4400, nck = 32, ns = "14.545 ns", source = "…" }]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawRule")]
pub struct TimingRule {
    bound: MinimumDelay,
    provenance: Provenance,
    at: Vec<Exception>,
}

/// The greater of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MinimumDelay {
    nck: Option<u32>,
    time: Option<Time>,
}

/// What holds at one data rate instead.
#[derive(Clone, Debug, PartialEq)]
struct Exception {
    rate_mts: u32,
    bound: MinimumDelay,
}

#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a rule: a table such as { nck = 12, ns = \"7.5 ns\", source = \"my data sheet, table 2\" }"
)]
struct RawRule {
    nck: Option<u32>,
    ns: Option<Time>,
    #[serde(default)]
    at: Vec<RawException>,
    source: Option<String>,
    basis: Option<Basis>,
    #[serde(default)]
    assumed: bool,
    reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawException {
    rate_mts: u32,
    nck: Option<u32>,
    ns: Option<Time>,
    source: Option<String>,
    basis: Option<Basis>,
    #[serde(default)]
    assumed: bool,
    reason: Option<String>,
}

impl MinimumDelay {
    fn new(nck: Option<u32>, time: Option<Time>) -> Result<Self, &'static str> {
        match (nck, time) {
            (None, None) => Err("a rule needs nck (clocks), ns (a time), or both"),
            _ => Ok(Self { nck, time }),
        }
    }

    fn clocks(self, standard: Standard, rate_mts: u32) -> u32 {
        let of_time = self.time.map_or(0, |time| standard.clocks(time, rate_mts));
        self.nck.unwrap_or(0).max(of_time)
    }
}

impl TryFrom<RawRule> for TimingRule {
    type Error = &'static str;

    fn try_from(raw: RawRule) -> Result<Self, Self::Error> {
        let exception = |raw: RawException| {
            Provenance::from_keys(raw.source, raw.basis, raw.assumed, raw.reason)?;
            Ok(Exception {
                rate_mts: raw.rate_mts,
                bound: MinimumDelay::new(raw.nck, raw.ns)?,
            })
        };
        Ok(Self {
            bound: MinimumDelay::new(raw.nck, raw.ns)?,
            provenance: Provenance::from_keys(raw.source, raw.basis, raw.assumed, raw.reason)?,
            at: raw
                .at
                .into_iter()
                .map(exception)
                .collect::<Result<_, Self::Error>>()?,
        })
    }
}

impl TimingRule {
    /// The rule as whole clocks of a DRAM at a data rate in MT/s.
    #[must_use]
    pub fn clocks(&self, standard: Standard, rate_mts: u32) -> u32 {
        let exception = self.at.iter().find(|other| other.rate_mts == rate_mts);
        let bound = exception.map_or(self.bound, |other| other.bound);
        bound.clocks(standard, rate_mts)
    }

    /// The time of the rule, where it has one.
    #[must_use]
    pub const fn time(&self) -> Option<Time> {
        self.bound.time
    }

    /// Where the rule comes from.
    #[must_use]
    pub const fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// What no DRAM can have.
    pub(super) fn check(&self, path: &str, problems: &mut DramSheetProblems) {
        let bounds = self.at.iter().map(|other| other.bound);
        for bound in bounds.chain([self.bound]) {
            if bound.nck.is_some_and(|nck| nck > CLOCKS_MAX) {
                problems.add(path, format!("allowed: up to {CLOCKS_MAX} clocks"));
            }
            if bound.time.is_some_and(|time| time > TIME_MAX) {
                problems.add(path, format!("allowed: up to {TIME_MAX}"));
            }
            if bound.nck.unwrap_or(0) == 0 && bound.time.unwrap_or(Time::ZERO) == Time::ZERO {
                problems.add(path, "the rule must be above zero");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct RuleSheet {
        rule: TimingRule,
    }

    fn parse(rule: &str) -> Result<TimingRule, String> {
        toml::from_str::<RuleSheet>(&format!("rule = {rule}"))
            .map(|sheet| sheet.rule)
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn the_greater_of_clocks_and_time_holds() {
        let rule = parse(r#"{ nck = 12, ns = "7.5 ns", source = "x" }"#).expect("a rule");
        assert_eq!(rule.clocks(Standard::Ddr5, 6400), 24);
        assert_eq!(rule.clocks(Standard::Ddr5, 3000), 12);
    }

    #[test]
    fn a_rate_can_have_a_rule_of_its_own() {
        let rule = parse(
            r#"{ nck = 32, ns = "10 ns", source = "x", at = [{ rate_mts = 4400, ns = "20 ns", source = "y" }] }"#,
        )
        .expect("a rule");
        assert_eq!(rule.clocks(Standard::Ddr5, 4400), 44);
        assert_eq!(rule.clocks(Standard::Ddr5, 6400), 32);
    }

    #[test]
    fn a_rule_says_what_it_is_and_where_it_comes_from() {
        let cases = [
            (r#"{ source = "x" }"#, "a rule needs nck"),
            (r#"{ nck = 1 }"#, "the source is missing"),
            (r#"{ nck = 1, assumed = true }"#, "needs a reason"),
            (
                r#"{ nck = 1, source = "x", at = [{ rate_mts = 1, nck = 1 }] }"#,
                "the source is missing",
            ),
            (
                r#"{ nck = 1, typ = "1 ns", source = "x" }"#,
                "unknown field",
            ),
        ];
        for (text, expected) in cases {
            let error = parse(text).expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
