//! A file system on a candidate's memory: the work is done in a file, and every record is synced.
//!
//! The file system has the first blocks of the chip, and the file takes of its room what the data to keep take of a whole
//! chip's, so that it cleans as it would there. Capacity, RAM and proven bounds are those of the whole chip.

use std::sync::{Arc, OnceLock};

use wordline_core::{
    CompareWorkload, EngineName, Experiment, FtlMapping, Pattern, Timing, TranslationLayer,
    WorkKind,
};
use wordline_engines::{FileSystemEngine, FsErrorKind, Needs};
use wordline_nvm::{Conditions, Device, MemoryClass};

use super::candidate::{Candidate, Unfit};
use crate::error::LabError;
use crate::fs::check;
use crate::fs::engine::{file_system, needs_layer, takes_records};
use crate::fs::file_device::{FileDevice, FileSetup, NoFile, WholeChip};
use crate::fs::share_of_memory;
use crate::list::distinct;
use crate::work::Plan;

/// The file system of a candidate.
#[derive(Clone, Debug)]
pub(super) struct OnFiles {
    pub(super) name: EngineName,
    /// The translation layer below it.
    pub(super) layer: Option<TranslationLayer>,
    /// What it makes of a whole chip, once that is known.
    whole: Arc<OnceLock<WholeChip>>,
}

/// What an account has to know of a file system.
#[derive(Clone, Copy, Debug)]
pub(super) struct FilesShare {
    pub(super) chip: WholeChip,
    /// Whether it, or the layer below it, writes data to other blocks each time, so that all of them wear.
    pub(super) levels: bool,
}

/// Every candidate of flash under each of the study's file systems that it suits, behind the candidates themselves.
pub(super) fn with_files<'a>(
    candidates: Vec<Candidate<'a>>,
    study: &CompareWorkload,
    experiment: &Experiment,
) -> Result<Vec<Candidate<'a>>, LabError> {
    let names = &study.file_systems;
    if !names.is_empty() {
        distinct("on", names.iter().map(ToString::to_string))?;
    }
    let engines = names.iter().map(file_system);
    let engines: Vec<&dyn FileSystemEngine> = engines.collect::<Result<_, _>>()?;
    let targets: Vec<_> = candidates.iter().map(|one| one.target.clone()).collect();
    // A layer may be of the bare candidates alone.
    check::choices(&engines, &targets, &study.settings, None)?;
    let mapping = experiment
        .ftl
        .map_or(FtlMapping::Page, |layer| layer.mapping);
    let layer = experiment.ftl.unwrap_or(TranslationLayer::of(mapping));
    let mut all = Vec::new();
    for candidate in candidates {
        let model = &candidate.target.part.model;
        let on = names.iter().zip(&engines).filter(|(_, engine)| {
            let suits = match engine.needs() {
                Needs::SpareFlash => takes_records(&candidate.target),
                Needs::Bytes => false,
                Needs::Blocks | Needs::Sectors => true,
            };
            suits && !candidate.in_turn && model.class() == MemoryClass::RawFlash
        });
        let on = on.map(|(name, engine)| OnFiles {
            name: name.clone(),
            layer: Some(layer).filter(|_| needs_layer(*engine, &candidate.target, mapping)),
            whole: Arc::default(),
        });
        let on: Vec<_> = on.collect();
        all.push(candidate.clone());
        all.extend(on.into_iter().map(|on| Candidate {
            on: Some(on),
            ..candidate.clone()
        }));
    }
    Ok(all)
}

/// Why a candidate has no such file.
fn unfit(error: NoFile) -> Unfit {
    match error {
        NoFile::Setup(LabError::Device { source, .. }) => Unfit::Limit("fit", source.to_string()),
        NoFile::Setup(error) => Unfit::Study(error),
        NoFile::Engine(error) if error.kind == FsErrorKind::Unsuitable => {
            Unfit::Limit("fit", format!("it does not suit the file system: {error}"))
        }
        NoFile::Engine(error) => {
            Unfit::Limit("fit", format!("the file system cannot go on: {error}"))
        }
    }
}

impl Candidate<'_> {
    /// How its file system is set up for the work.
    fn file_setup(
        &self,
        on: &OnFiles,
        study: &CompareWorkload,
        experiment: &Experiment,
    ) -> Result<FileSetup, Unfit> {
        Ok(FileSetup {
            target: Arc::new(self.target.varied([])),
            kind: file_system(&on.name).map_err(Unfit::Study)?,
            settings: Arc::new((*study.settings).clone()),
            ftl: experiment.ftl,
            in_order: study.work.kind == WorkKind::Log,
            record_bytes: study.work.record.bytes(),
        })
    }

    /// Bytes of the chip that the file system has in a run.
    pub(super) fn volume_bytes(&self) -> u64 {
        share_of_memory(&self.target.part.model, None, 0)
    }

    /// What the file system makes of a whole chip; `None` without one.
    pub(super) fn files_share(
        &self,
        study: &CompareWorkload,
        experiment: &Experiment,
    ) -> Result<Option<FilesShare>, Unfit> {
        let Some(on) = &self.on else {
            return Ok(None);
        };
        let setup = self.file_setup(on, study, experiment)?;
        let kind = setup.kind;
        let chip = match on.whole.get() {
            Some(chip) => *chip,
            None => {
                let conditions = Conditions {
                    timing: Timing::Typ,
                    age: experiment.age,
                    seed: experiment.seed,
                };
                let chip = setup.whole(conditions).map_err(unfit)?;
                *on.whole.get_or_init(|| chip)
            }
        };
        Ok(Some(FilesShare {
            chip,
            levels: on.layer.is_some() || kind.needs() != Needs::Sectors,
        }))
    }

    /// The file of the work.
    pub(super) fn file(
        &self,
        on: &OnFiles,
        study: &CompareWorkload,
        experiment: &Experiment,
        timing: Timing,
    ) -> Result<FileDevice, Unfit> {
        let conditions = Conditions {
            timing,
            age: experiment.age,
            seed: experiment.seed,
        };
        let work = &study.work;
        let share = self.files_share(study, experiment)?;
        let chip = share.map_or(0.0, |share| share.chip.data_bytes as f64);
        let needed = work.keep().bytes(work.rate) / work.utilization();
        let chips = (needed / chip).ceil().max(1.0);
        let share = work.keep().bytes(work.rate) / (chips * chip);
        let setup = self.file_setup(on, study, experiment)?;
        let file = setup.file(conditions, self.volume_bytes(), share);
        file.map_err(unfit)
    }
}

/// The records of a study in a file.
pub(super) fn file_plan(study: &CompareWorkload, file: &dyn Device, seed: u64) -> Plan {
    let work = &study.work;
    Plan {
        record_bytes: work.record.bytes(),
        wrap_bytes: file.len(),
        pattern: match work.kind {
            WorkKind::Overwrite => Pattern::Random,
            _ => Pattern::Sequential,
        },
        reads: work.reads(),
        seed,
    }
}
