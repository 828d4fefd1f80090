//! `wordline run`: an experiment in JSON, or the one inside a result.

use std::path::{Path, PathBuf};

use serde_json::Value;
use wordline_catalog::Catalog;
use wordline_core::{Experiment, HostTest, Workload};
use wordline_lab::Control;

use super::compare;
use crate::args::{Global, RunSaved};
use crate::failure::{self, Failure};
use crate::input::Inputs;
use crate::outcome::Outcome;
use crate::output::{self, Exports};
use crate::saved;

pub(crate) fn run(asked: &RunSaved, global: &Global) -> Result<Outcome, Failure> {
    let mut exports = Exports::of_results(&asked.results)?;
    exports.spare(&asked.document)?;
    let budget = asked.execution.begin();
    let (mut experiment, text) = saved::read_experiment(&asked.document)?;
    exports.fits(&experiment)?;
    let catalog = super::catalog(global)?;
    let written = serde_json::from_str::<Value>(&text).unwrap_or_default();
    let stated = |field: &str| wordline_lab::states(&written, field);
    wordline_lab::complete(&mut experiment, &catalog, &stated).map_err(failure::lab)?;
    if asked.execution.print_experiment {
        output::data(&experiment.to_json())?;
        return Ok(Outcome::Done);
    }
    spare_targets(&experiment, &catalog, &asked.destroy, &mut exports)?;
    let mut places = InputPlaces::of(asked)?;
    let storage = places.storage(&experiment)?;
    let inputs = places.inputs(&mut experiment, &exports)?;
    places.all_used()?;
    let document = asked.surfaces.lend(|surfaces| {
        let control = Control {
            budget,
            surfaces,
            storage: storage.as_deref(),
            destroy: &asked.destroy,
            ..asked.threads.control()
        };
        super::run_with(&catalog, &experiment, &inputs, &control, global)
    });
    let document = document.map_err(|failure| places.explained(failure))?;
    let outcome = match &experiment.workload {
        Workload::Compare(_) => compare::outcome(&document, &[]),
        _ => super::outcome(&document),
    };
    exports.write(&document, global, outcome)
}

/// What is measured is named on the command line as well, and is not written over by results.
fn spare_targets(
    experiment: &Experiment,
    catalog: &Catalog,
    destroy: &[String],
    exports: &mut Exports,
) -> Result<(), Failure> {
    if !matches!(experiment.workload, Workload::Kv(_)) {
        return Ok(());
    }
    for name in &experiment.targets {
        let target = catalog.target(name).map_err(failure::catalog)?;
        if let Some(path) = target.path() {
            if !destroy.iter().any(|named| named == path) {
                return Err(failure::message(format!(
                    "the experiment writes into {path}; name it as well: --destroy {path}"
                )));
            }
            exports.apart("--destroy", path.as_ref())?;
        }
    }
    Ok(())
}

/// Where the files of an experiment lie.
struct InputPlaces {
    /// The folder of the document.
    folder: PathBuf,
    /// What `--input` says, and whether the experiment names it.
    named: Vec<(String, PathBuf, bool)>,
    /// Names without a file beside the document. Some of them may come along with a study.
    missing: Vec<String>,
}

impl InputPlaces {
    fn of(asked: &RunSaved) -> Result<Self, Failure> {
        let named = asked.input.iter().map(|text| match text.split_once('=') {
            Some((name, path)) if !name.is_empty() && !path.is_empty() => {
                Ok((name.to_owned(), PathBuf::from(path), false))
            }
            _ => Err(failure::message(format!(
                "--input {text}: expected NAME=PATH, such as my.log=/data/my.log"
            ))),
        });
        let named: Vec<(String, PathBuf, bool)> = named.collect::<Result<_, _>>()?;
        let twice = named
            .iter()
            .enumerate()
            .find(|(index, (name, ..))| named[..*index].iter().any(|(other, ..)| other == name));
        if let Some((_, (name, ..))) = twice {
            return Err(failure::message(format!("--input {name} is given twice")));
        }
        let folder = asked.document.parent().unwrap_or(Path::new("."));
        Ok(Self {
            folder: folder.to_owned(),
            named,
            missing: Vec::new(),
        })
    }

    fn given(&mut self, name: &str) -> Option<PathBuf> {
        let found = self.named.iter_mut().find(|(one, ..)| one == name)?;
        found.2 = true;
        Some(found.1.clone())
    }

    /// Where a file lies: where `--input` says, or beside the document. A document names no other folder.
    fn of_name(&mut self, name: &str) -> Result<PathBuf, Failure> {
        if let Some(path) = self.given(name) {
            return Ok(path);
        }
        if name == "-" || Path::new(name).file_name() != Some(name.as_ref()) {
            return Err(failure::message(format!(
                "the experiment reads {name}, which is no plain name of a file; say where it lies: --input {name}=PATH"
            )));
        }
        let path = self.folder.join(name);
        if !path.exists() {
            self.missing.push(name.to_owned());
        }
        Ok(path)
    }

    /// A failure, with what would help where a file was not beside the document.
    fn explained(&self, failure: Failure) -> Failure {
        let Some(name) = self.missing.first() else {
            return failure;
        };
        let hint =
            format!("{name} is not beside the experiment; say where it lies: --input {name}=PATH");
        failure::lines(&[failure.to_string(), hint])
    }

    /// The file or device that a test of storage measures: only the command line may name it.
    fn storage(&mut self, experiment: &Experiment) -> Result<Option<PathBuf>, Failure> {
        let Workload::Host(host) = &experiment.workload else {
            return Ok(None);
        };
        let HostTest::Storage(test) = &host.test else {
            return Ok(None);
        };
        let path = self.given(&test.file).ok_or_else(|| {
            let name = &test.file;
            failure::message(format!(
                "the experiment measures the file or device {name}; say where it lies: --input {name}=PATH"
            ))
        })?;
        Ok(Some(path))
    }

    /// The files that the experiment reads, each of which stays as it is.
    fn inputs(
        &mut self,
        experiment: &mut Experiment,
        exports: &Exports,
    ) -> Result<Inputs, Failure> {
        let mut inputs = Inputs::default();
        for input in experiment.workload.inputs_mut() {
            let path = self.of_name(input.name)?;
            exports.spare(&path)?;
            inputs.place(input.name, input.beside.is_some(), path);
        }
        Ok(inputs)
    }

    /// A name that the experiment does not have is a mistake.
    fn all_used(&self) -> Result<(), Failure> {
        let Some((name, ..)) = self.named.iter().find(|(.., is_used)| !is_used) else {
            return Ok(());
        };
        Err(failure::message(format!(
            "--input {name}: the experiment reads no file of that name"
        )))
    }
}
