//! What a person typed into a form of the page, and the experiment that it asks for.

use std::fmt::Display;
use std::str::FromStr;

use serde::Deserialize;
use wordline_core::quantity::{DataRate, Quantity};
use wordline_core::{
    AccessSource, BufferWorkload, CompareWorkload, DramTest, DramWorkload, Durations, Experiment,
    Limits, LogSource, Timing, Work, Workload,
};

use crate::note::PlaygroundError;

/// A form of the page; every field is the text that stands in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "demo", rename_all = "lowercase")]
pub enum AskedForm {
    /// Which memory a data logger should take.
    Logger(LoggerForm),
    /// How much RAM a measured memory needs.
    Log(LogForm),
    /// Memory modules beside each other under load.
    Modules(ModulesForm),
}

/// Which memory a data logger should take. An empty field leaves its limit or setting open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoggerForm {
    rate: String,
    record: String,
    #[serde(default)]
    duty: String,
    #[serde(default)]
    keep: String,
    #[serde(default)]
    ram: String,
    #[serde(default)]
    life: String,
}

/// How much RAM a measured memory needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogForm {
    file: String,
    rate: String,
    #[serde(default)]
    durations: String,
}

/// Memory modules beside each other under load.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModulesForm {
    targets: String,
    delays: String,
}

impl AskedForm {
    /// The experiment that it asks for.
    ///
    /// # Errors
    /// When a field holds something else than it should.
    pub fn experiment(&self) -> Result<Experiment, PlaygroundError> {
        let (targets, workload, timings) = match self {
            Self::Logger(form) => (
                Vec::new(),
                Workload::Compare(Box::new(form.study()?)),
                vec![Timing::Typ, Timing::Max],
            ),
            Self::Log(form) => (
                Vec::new(),
                Workload::Buffer(form.question()?),
                vec![Timing::Typ],
            ),
            Self::Modules(form) => (
                words(&form.targets).map(str::to_owned).collect(),
                Workload::Dram(form.test()?),
                vec![Timing::Max],
            ),
        };
        Ok(Experiment {
            targets,
            workload,
            timings,
            age: 0.0,
            seed: 0,
            ftl: None,
        })
    }
}

impl LoggerForm {
    fn study(&self) -> Result<CompareWorkload, PlaygroundError> {
        let work = Work {
            duty: optional("duty", &self.duty)?,
            keep: optional("keep", &self.keep)?,
            ..Work::log(parsed("rate", &self.rate)?, parsed("record", &self.record)?)
        };
        Ok(CompareWorkload {
            limits: Limits {
                ram: optional("ram", &self.ram)?,
                life: optional("life", &self.life)?,
                ..Limits::default()
            },
            in_turn: true,
            ..CompareWorkload::of(work)
        })
    }
}

impl LogForm {
    fn question(&self) -> Result<BufferWorkload, PlaygroundError> {
        let rate: DataRate = parsed("rate", &self.rate)?;
        let durations: Option<Durations> = optional("durations", &self.durations)?;
        if self.file.is_empty() {
            return Err(PlaygroundError::Field {
                field: "file",
                message: "there is no log yet; allowed: a latency log of fio, a CSV file, a trace of blkparse, or one of \
                          the recorder"
                    .to_owned(),
            });
        }
        let source = LogSource {
            file: self.file.clone(),
            format: None,
            unit: None,
            job: None,
            operation: None,
            record_bytes: None,
            durations: durations.unwrap_or_default(),
            units: Default::default(),
        };
        Ok(BufferWorkload {
            rates_bytes_per_s: vec![rate.si()],
            ..BufferWorkload::of(AccessSource::Log(source))
        })
    }
}

impl ModulesForm {
    fn test(&self) -> Result<DramWorkload, PlaygroundError> {
        let delays: Result<Vec<u64>, _> = words(&self.delays)
            .map(|word| match word.parse() {
                Ok(delay) => Ok(delay),
                Err(_) => Err(PlaygroundError::Field {
                    field: "delays",
                    message: format!(
                        "{word:?} is no whole number of cycles; allowed: numbers from 0 on, ascending, such as 0, 100, 400"
                    ),
                }),
            })
            .collect();
        let usual = Workload::usual("dram", Some("loaded"));
        let mut workload = match usual {
            Some(Workload::Dram(workload)) => workload,
            _ => unreachable!("a test of memory modules has its usual settings"),
        };
        if let DramTest::Loaded(test) = &mut workload.test {
            test.delays_cycles = delays?;
        }
        Ok(workload)
    }
}

/// Words between commas and spaces.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|one: char| one == ',' || one.is_whitespace());
    words.filter(|word| !word.is_empty())
}

/// What a field holds.
fn parsed<T: FromStr<Err: Display>>(field: &'static str, text: &str) -> Result<T, PlaygroundError> {
    text.trim()
        .parse()
        .map_err(|error: T::Err| PlaygroundError::Field {
            field,
            message: error.to_string(),
        })
}

/// The same of a field that may be left empty.
fn optional<T: FromStr<Err: Display>>(
    field: &'static str,
    text: &str,
) -> Result<Option<T>, PlaygroundError> {
    match text.trim() {
        "" => Ok(None),
        text => parsed(field, text).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(form: &str) -> Result<Experiment, PlaygroundError> {
        let form: AskedForm = serde_json::from_str(form).map_err(PlaygroundError::Form)?;
        form.experiment()
    }

    /// What forms leave open is as a command has it: the text that a page runs is read as a file of an experiment is.
    #[test]
    fn forms_are_experiments_that_read_back() {
        for form in [
            r#"{"demo": "logger", "rate": " 500 KB/s", "record": "4 KiB", "duty": "", "life": "10 y"}"#,
            r#"{"demo": "log", "file": "my.log", "rate": "2 MB/s", "durations": "start-to-start"}"#,
            r#"{"demo": "modules", "targets": "a@x, b@x", "delays": "0 100,400"}"#,
        ] {
            let experiment = asked(form).expect("it is sound");
            let back = Experiment::from_json(&experiment.to_json());
            assert_eq!(back.as_ref(), Ok(&experiment), "{form}");
        }
        let modules = asked(r#"{"demo": "modules", "targets": "a@x, b@x", "delays": "0 100,400"}"#);
        let modules = modules.expect("it is sound");
        assert_eq!(modules.targets, ["a@x", "b@x"]);
        let Workload::Dram(workload) = modules.workload else {
            panic!("{:?}", modules.workload);
        };
        let DramTest::Loaded(test) = workload.test else {
            panic!("{:?}", workload.test);
        };
        assert_eq!(test.delays_cycles, [0, 100, 400]);
    }

    #[test]
    fn a_field_is_named_with_what_it_allows() {
        for (form, place, said, allowed) in [
            (
                r#"{"demo": "logger", "rate": "5 furlongs", "record": "4 KiB"}"#,
                "rate",
                "unknown unit \"furlongs\"",
                "B/s",
            ),
            (
                r#"{"demo": "logger", "rate": "5 KB/s", "record": "4 KiB", "life": "-1 y"}"#,
                "life",
                "below zero",
                "",
            ),
            (
                r#"{"demo": "log", "file": "", "rate": "5 KB/s"}"#,
                "file",
                "there is no log yet",
                "a latency log of fio",
            ),
            (
                r#"{"demo": "log", "file": "a", "rate": "5 KB/s", "durations": "never"}"#,
                "durations",
                "never",
                "",
            ),
            (
                r#"{"demo": "modules", "targets": "a@x", "delays": "0, x"}"#,
                "delays",
                "\"x\" is no whole number",
                "numbers from 0 on",
            ),
            (r#"{"demo": "logger"}"#, "", "missing field `rate`", ""),
            (
                r#"{"demo": "oracle"}"#,
                "line 1, column 17",
                "oracle",
                "logger",
            ),
        ] {
            let note = asked(form).expect_err(form).note();
            assert_eq!(note.place.as_deref().unwrap_or_default(), place, "{note:?}");
            assert!(note.message.contains(said), "{note:?}");
            let found = note.allowed.unwrap_or_default();
            assert!(found.contains(allowed), "{found:?} of {:?}", note.message);
        }
    }
}
