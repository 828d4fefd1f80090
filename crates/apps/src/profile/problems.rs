//! What makes a profile impossible.

use std::collections::BTreeSet;

use super::{LoadLevels, Profile, ProfilePhase, ProfileValue};

/// Why a text is no profile.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProfileError {
    /// It is no JSON, or not of this form.
    #[error("line {line}, column {column}: {problem}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// What was found, and what is allowed.
        problem: String,
    },
    /// It is of another version.
    #[error("the profile has schema {0}; this version reads schema {expected}", expected = Profile::SCHEMA)]
    Version(u32),
    /// A value is outside of what is possible.
    #[error("phase {phase}, {field}: {} is not {allowed}", short(*.value))]
    Value {
        /// Name of the phase.
        phase: String,
        /// Name of the field.
        field: &'static str,
        /// What stands there.
        value: f64,
        /// What may stand there.
        allowed: &'static str,
    },
    /// Something is missing or doubled.
    #[error("{0}")]
    Content(String),
}

/// Phases of a profile at most.
const PHASES_MAX: usize = 1_000;

/// Levels of a phase's load at most.
const LEVELS_MAX: usize = 1_000;

/// Characters of a name at most.
const NAME_MAX: usize = 200;

const COUNT: &str = "a number from 0 to 1e21";
const POSITIVE: &str = "a number above 0, up to 1e12";
const SHARE: &str = "a share from 0 to 1 (0% to 100%)";
const FROM_ONE: &str = "a number from 1 to 1e3";
const INSIDE: &str = "inside its range, whose ends are in order";

fn allowed(value: f64, allowed: &'static str) -> bool {
    value.is_finite()
        && match allowed {
            COUNT => (0.0..=1e21).contains(&value),
            POSITIVE => value > 0.0 && value <= 1e12,
            SHARE => (0.0..=1.0).contains(&value),
            _ => (1.0..=1e3).contains(&value),
        }
}

impl Profile {
    pub(super) fn check(&self) -> Result<(), ProfileError> {
        if self.schema != Self::SCHEMA {
            return Err(ProfileError::Version(self.schema));
        }
        if self.cores == 0 || self.phases.is_empty() {
            let problem = "a profile has one core and one phase at least";
            return Err(ProfileError::Content(problem.into()));
        }
        for (what, name) in std::iter::once(("the profile", &self.name))
            .chain(self.phases.iter().map(|phase| ("a phase", &phase.name)))
        {
            let characters = name.chars().count();
            if name.trim().is_empty() || characters > NAME_MAX {
                return Err(ProfileError::Content(format!(
                    "the name of {what} has {characters} characters; allowed are 1 to {NAME_MAX}, not all of them blank"
                )));
            }
        }
        if self.phases.len() > PHASES_MAX {
            return Err(ProfileError::Content(format!(
                "the profile has {} phases; allowed are 1 to {PHASES_MAX}",
                self.phases.len()
            )));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = self.phases.iter().find(|phase| !seen.insert(&phase.name)) {
            return Err(ProfileError::Content(format!(
                "two phases are called {:?}; each has a name of its own",
                twice.name
            )));
        }
        self.phases.iter().try_for_each(ProfilePhase::check)
    }
}

/// A number in few characters.
fn short(value: f64) -> String {
    match value.abs() {
        most if most >= 1e7 || (most > 0.0 && most < 1e-4) => format!("{value:e}"),
        _ => format!("{value}"),
    }
}

impl ProfilePhase {
    fn check(&self) -> Result<(), ProfileError> {
        let fields = [
            ("seconds", Some(&self.seconds), POSITIVE),
            ("lines_read", Some(&self.lines_read), COUNT),
            ("lines_written", Some(&self.lines_written), COUNT),
            ("stall_share", Some(&self.stall_share), SHARE),
            ("instructions", self.instructions.as_ref(), COUNT),
            ("cycles", self.cycles.as_ref(), COUNT),
            ("prefetched_share", self.prefetched_share.as_ref(), SHARE),
            ("outstanding", self.outstanding.as_ref(), POSITIVE),
            ("latency_ns", self.latency_ns.as_ref(), POSITIVE),
            ("imbalance", self.imbalance.as_ref(), FROM_ONE),
            ("locality", self.locality.as_ref(), SHARE),
            ("outside_share", self.outside_share.as_ref(), SHARE),
        ];
        for (field, value, rule) in fields {
            if let Some(value) = value {
                self.check_value(field, value, rule)?;
            }
        }
        self.load
            .as_ref()
            .map_or(Ok(()), |load| self.check_load(load))
    }

    fn check_value(
        &self,
        field: &'static str,
        of: &ProfileValue,
        rule: &'static str,
    ) -> Result<(), ProfileError> {
        let refused = |value, allowed| ProfileError::Value {
            phase: self.name.clone(),
            field,
            value,
            allowed,
        };
        let [least, greatest] = of.bounds();
        for value in [of.value, least, greatest] {
            if !allowed(value, rule) {
                return Err(refused(value, rule));
            }
        }
        if least > of.value || of.value > greatest {
            return Err(refused(of.value, INSIDE));
        }
        Ok(())
    }

    fn check_load(&self, load: &LoadLevels) -> Result<(), ProfileError> {
        let refused = |problem: String| {
            ProfileError::Content(format!("phase {}, load: {problem}", self.name))
        };
        if load.levels.is_empty() || load.levels.len() > LEVELS_MAX {
            return Err(refused(format!(
                "{} levels; allowed are 1 to {LEVELS_MAX}",
                load.levels.len()
            )));
        }
        for (number, [share, multiple]) in load.levels.iter().enumerate() {
            if !(allowed(*share, SHARE) && allowed(*multiple, COUNT)) {
                return Err(refused(format!(
                    "level {} is [{}, {}]; allowed are {SHARE} and a multiple of the mean from 0 on",
                    number + 1,
                    short(*share),
                    short(*multiple)
                )));
            }
        }
        let sum: f64 = load.levels.iter().map(|[share, _]| share).sum();
        let lines = load.levels.iter().map(|[share, multiple]| share * multiple);
        for (what, found) in [("shares", sum), ("shares times multiples", lines.sum())] {
            if (found - 1.0).abs() > 1e-3 {
                return Err(refused(format!(
                    "{what} add up to {}, and must add up to 1",
                    short(found)
                )));
            }
        }
        if !allowed(load.window_s, POSITIVE) {
            return Err(refused(format!(
                "window_s: {} is not {POSITIVE}",
                short(load.window_s)
            )));
        }
        Ok(())
    }
}
