//! The one serialisable object behind every run.
//!
//! Command line, study file and bindings all build an [`Experiment`]; the laboratory runs it; the
//! result set carries it, so that a saved result says how to make it again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quantity::{ByteCount, Time};
use crate::timing::Timing;

/// Targets, a workload and the conditions of a run. Inputs and seed give the run, bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// What is run: `PART@BOARD`, or `PART` where the part names a default board.
    pub targets: Vec<String>,
    /// What the targets do.
    pub workload: Workload,
    /// Which of the data sheets' columns apply.
    pub timing: Timing,
    /// Fraction of rated life already used, 0 to 1.
    pub age: f64,
    /// Seed of everything that is drawn.
    pub seed: u64,
}

/// What the targets do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Workload {
    /// A raw memory over access sizes.
    Raw(RawWorkload),
}

/// Reads and writes of several sizes, in order or at random, within a part of the memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawWorkload {
    /// Operations, each run by itself.
    pub operations: Vec<Operation>,
    /// Orders of the addresses, each run by itself.
    #[serde(default = "in_order")]
    pub patterns: Vec<Pattern>,
    /// Whether NAND chips load the next page while the one before it is moved to the host.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cache_read: bool,
    /// Whether NAND chips take the next page while the one before it is programmed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cache_program: bool,
    /// Whether the planes of a NAND chip work at the same time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multi_plane: bool,
    /// Work of the memory during which reads come, each run by itself and beside the runs on an idle
    /// memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub during: Vec<BackgroundWork>,
    /// Longest pause between two such reads in picoseconds; each is drawn evenly from 0 to it. Without
    /// it, it is what a piece of the work takes, so that reads come at any moment of the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_ps: Option<u64>,
    /// Sizes of one access in bytes, each run by itself.
    pub access_bytes: Vec<u64>,
    /// Bytes that one run moves. A run moves whole accesses: as many as fit.
    pub total_bytes: u64,
    /// Address in bytes at which a run starts over at 0, and below which random accesses lie. An
    /// access that would cross it starts over instead.
    pub wrap_bytes: u64,
}

impl Default for RawWorkload {
    /// The benchmark of `mram-vs-flash-benchmark`: 2 to 64 KiB, 64 MiB each, wrapping at 8 MiB.
    fn default() -> Self {
        Self {
            operations: vec![Operation::Read, Operation::Write],
            patterns: in_order(),
            cache_read: false,
            cache_program: false,
            multi_plane: false,
            during: Vec::new(),
            pause_ps: None,
            access_bytes: (1..=6).map(|power| 1024 << power).collect(),
            total_bytes: 64 << 20,
            wrap_bytes: 8 << 20,
        }
    }
}

fn in_order() -> Vec<Pattern> {
    vec![Pattern::Sequential]
}

/// The order of addresses.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Pattern {
    /// One after the other, starting over at the wrap address.
    Sequential,
    /// Drawn from the seed, aligned to the access size, each place as likely as any other.
    Random,
}

impl Pattern {
    /// As the command line and the result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Random => "random",
        }
    }
}

/// What an access does.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// From the memory to the host.
    Read,
    /// From the host to the memory.
    Write,
}

impl Operation {
    /// As the command line and the result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// What a memory does by itself while the host does something else.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum BackgroundWork {
    /// It erases one block after the other.
    Erase,
    /// It programs one page after the other.
    Program,
}

impl BackgroundWork {
    /// As the command line and the result rows spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Erase => "erase",
            Self::Program => "program",
        }
    }
}

impl Workload {
    /// As the result rows spell it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Raw(_) => "raw",
        }
    }
}

impl Experiment {
    /// The command that makes the same result again, every setting spelled out.
    #[must_use]
    pub fn command_line(&self) -> String {
        let Workload::Raw(raw) = &self.workload;
        let compact = |bytes: u64| ByteCount::from_bytes(bytes).to_string().replace(' ', "");
        let sizes: Vec<_> = raw.access_bytes.iter().copied().map(compact).collect();
        let operations: Vec<_> = raw.operations.iter().map(|one| one.name()).collect();
        let patterns: Vec<_> = raw.patterns.iter().map(|one| one.name()).collect();
        let pipelines = [
            (raw.cache_read, " --cache-read"),
            (raw.cache_program, " --cache-program"),
            (raw.multi_plane, " --multi-plane"),
        ];
        let pipelines = pipelines.map(|(on, flag)| if on { flag } else { "" });
        let during: Vec<_> = raw.during.iter().map(|one| one.name()).collect();
        let during = match during.as_slice() {
            [] => String::new(),
            some => format!(" --during {}", some.join(",")),
        };
        let pause = raw.pause_ps.map_or_else(String::new, |ps| {
            format!(
                " --pause {}",
                Time::from_ps(ps).to_string().replace(' ', "")
            )
        });
        format!(
            "wordline raw --target {} --operation {} --pattern {}{}{during}{pause} --size {} --total {} --wrap {} \
             --timing {} --age {} --seed {}",
            quoted(&self.targets.join(",")),
            operations.join(","),
            patterns.join(","),
            pipelines.concat(),
            sizes.join(","),
            compact(raw.total_bytes),
            compact(raw.wrap_bytes),
            self.timing,
            self.age,
            self.seed,
        )
    }
}

/// A word as a POSIX shell takes it literally.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@.,:/_+-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_survives_json_and_names_its_command() {
        let experiment = Experiment {
            targets: vec!["em064lx@stm32h755-qspi".into()],
            workload: Workload::Raw(RawWorkload::default()),
            timing: Timing::Typ,
            age: 0.0,
            seed: 0,
        };
        let json = serde_json::to_string(&experiment).expect("plain data");
        assert_eq!(
            serde_json::from_str::<Experiment>(&json).ok(),
            Some(experiment.clone())
        );
        assert_eq!(
            experiment.command_line(),
            "wordline raw --target em064lx@stm32h755-qspi --operation read,write --pattern sequential \
             --size 2KiB,4KiB,8KiB,16KiB,32KiB,64KiB --total 64MiB --wrap 8MiB --timing typ --age 0 --seed 0"
        );
    }

    #[test]
    fn work_in_the_background_is_named_where_there_is_any() {
        let mut experiment = Experiment {
            targets: vec!["mt25ql128".into()],
            workload: Workload::Raw(RawWorkload::default()),
            timing: Timing::Typ,
            age: 0.0,
            seed: 0,
        };
        let json = serde_json::to_string(&experiment).expect("plain data");
        assert!(!json.contains("during"), "{json}");
        let Workload::Raw(raw) = &mut experiment.workload;
        raw.during = vec![BackgroundWork::Program, BackgroundWork::Erase];
        raw.pause_ps = Some(1_500_000);
        let command = experiment.command_line();
        assert!(
            command.contains(" --during program,erase --pause 1.5us --size "),
            "{command}"
        );
        let json = serde_json::to_string(&experiment).expect("plain data");
        assert_eq!(serde_json::from_str(&json).ok(), Some(experiment));
    }

    #[test]
    fn a_hostile_target_is_quoted() {
        assert_eq!(quoted("p@b"), "p@b");
        assert_eq!(quoted("x$(id);y"), "'x$(id);y'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_misspelt_key_is_refused_by_name() {
        let error = serde_json::from_str::<Experiment>(r#"{"targets":[],"sed":1}"#);
        let message = error.expect_err("misspelt").to_string();
        assert!(message.contains("unknown field `sed`"), "{message}");
    }
}
