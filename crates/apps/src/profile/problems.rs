//! What makes a profile impossible.

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
    #[error("phase {phase}, {field}: {value} is not {allowed}")]
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

const COUNT: &str = "a number from 0 on";
const POSITIVE: &str = "a number above 0";
const SHARE: &str = "a share from 0 to 1";
const FROM_ONE: &str = "a number from 1 on";
const INSIDE: &str = "inside its range, whose ends are in order";

fn allowed(value: f64, allowed: &'static str) -> bool {
    value.is_finite()
        && match allowed {
            COUNT => value >= 0.0,
            POSITIVE => value > 0.0,
            SHARE => (0.0..=1.0).contains(&value),
            _ => value >= 1.0,
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
        self.phases.iter().try_for_each(ProfilePhase::check)
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
        let good =
            |[share, multiple]: &[f64; 2]| allowed(*share, SHARE) && allowed(*multiple, COUNT);
        let sum: f64 = load.levels.iter().map(|[share, _]| share).sum();
        let mean: f64 = load
            .levels
            .iter()
            .map(|[share, multiple]| share * multiple)
            .sum();
        let near = |value: f64| (value - 1.0).abs() < 1e-3;
        if load.levels.iter().all(good)
            && near(sum)
            && near(mean)
            && allowed(load.window_s, POSITIVE)
        {
            return Ok(());
        }
        Err(ProfileError::Content(format!(
            "phase {}, load: shares must add up to 1 (they add up to {sum}), the mean multiple must be 1 (it is {mean}), \
             and the window longer than 0 s",
            self.name
        )))
    }
}
