//! What a program asks of its memory.

mod problems;
mod schema;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_core::Basis;

pub use problems::ProfileError;

/// Bytes of a line.
pub const LINE_BYTES: f64 = 64.0;

/// A program on one machine: what it was measured on, and its phases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Version of this format: 1.
    pub schema: u32,
    /// The program, as results call it.
    pub name: String,
    /// How the profile was made: the command, the tool, the file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub made_by: String,
    /// Memory that it ran on, as `MODULE@SYSTEM`.
    pub baseline: String,
    /// Cores that ran it.
    pub cores: u32,
    /// One after the other.
    pub phases: Vec<ProfilePhase>,
}

/// A part of a run in which the program does one kind of work. Counts are those of all cores together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfilePhase {
    /// What the program does.
    pub name: String,
    /// Time that it took, in seconds.
    pub seconds: ProfileValue,
    /// Lines of 64 B that came from memory, prefetched ones among them.
    pub lines_read: ProfileValue,
    /// Lines of 64 B that went to memory.
    pub lines_written: ProfileValue,
    /// Share of the cores' time, while they ran, in which they waited for memory and did nothing else; from 0 to 1.
    pub stall_share: ProfileValue,
    /// Instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<ProfileValue>,
    /// Cycles of all cores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<ProfileValue>,
    /// Share of the lines read that a prefetcher asked for; from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefetched_share: Option<ProfileValue>,
    /// Lines that a core has under way while it waits. Little's law gives it from rate, latency and stalls; what is stated here is
    /// held against that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outstanding: Option<ProfileValue>,
    /// Mean time of a read from core to core in nanoseconds, where it was measured. It tells how far a baseline is saturated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<ProfileValue>,
    /// How load varies over time. Without it nothing is known, and the band says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadLevels>,
    /// How unequal channels are loaded: the load of the busiest over the mean, 1 or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imbalance: Option<ProfileValue>,
    /// Share of the lines that follow the line before them, as a stream's do; from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locality: Option<ProfileValue>,
    /// Share of the time in which cores neither computed nor waited for memory, but for a disk, a network or a lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside_share: Option<ProfileValue>,
}

/// A number, how far it may be off, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileValue {
    /// The likeliest value.
    pub value: f64,
    /// The least and the greatest that it may be; without it the value is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// Where it comes from.
    pub basis: Basis,
}

/// Load over the time in which cores ran, as levels: each lasts a share of it and has a multiple of its mean rate of lines. Time
/// in [`outside_share`](ProfilePhase::outside_share) does not count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadLevels {
    /// Share of the time and multiple of the mean rate; shares add up to 1, and so does their mean multiple.
    pub levels: Vec<[f64; 2]>,
    /// Time over which each rate is a mean, in seconds. Shorter bursts are not seen.
    pub window_s: f64,
    /// Where they come from.
    pub basis: Basis,
}

impl ProfileValue {
    /// An exact value.
    #[must_use]
    pub const fn exact(value: f64, basis: Basis) -> Self {
        Self {
            value,
            range: None,
            basis,
        }
    }

    /// A value between two others.
    #[must_use]
    pub const fn within(value: f64, least: f64, greatest: f64, basis: Basis) -> Self {
        Self {
            value,
            range: Some([least, greatest]),
            basis,
        }
    }

    /// The least and the greatest that it may be.
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        self.range.unwrap_or([self.value; 2])
    }
}

impl ProfilePhase {
    /// Bytes read per second.
    #[must_use]
    pub fn read_rate(&self) -> f64 {
        self.lines_read.value * LINE_BYTES / self.seconds.value
    }

    /// Share of the lines that are written.
    #[must_use]
    pub fn write_share(&self) -> f64 {
        let all = self.lines_read.value + self.lines_written.value;
        if all > 0.0 {
            self.lines_written.value / all
        } else {
            0.0
        }
    }
}

impl Profile {
    /// The version that this crate reads and writes.
    pub const SCHEMA: u32 = 1;

    /// Reads a profile and checks it.
    ///
    /// # Errors
    /// When the text is no profile, or a value contradicts itself or another one.
    pub fn from_json(text: &str) -> Result<Self, ProfileError> {
        let profile: Self = serde_json::from_str(text).map_err(|error| ProfileError::Syntax {
            line: error.line(),
            column: error.column(),
            problem: error.to_string(),
        })?;
        profile.check()?;
        Ok(profile)
    }

    /// The profile with one phase more behind the others.
    ///
    /// # Errors
    /// When it has a phase of that name, or is full.
    pub fn with(mut self, phase: ProfilePhase) -> Result<Self, ProfileError> {
        self.phases.push(phase);
        self.check()?;
        Ok(self)
    }

    /// The profile as text that [`from_json`](Self::from_json) reads.
    ///
    /// # Panics
    /// Never: all its parts have a form in JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and text only")
    }
}
