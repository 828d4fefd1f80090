//! Raw flash, from logs of how long its operations took.
//!
//! A **cycling log** ([`wordline_trace::cycling`]) follows blocks from their first cycle to their failure. What it
//! shows has a closed form, so that nothing is searched for by simulation:
//!
//! 1. [`pulses`] reads durations as whole multiples of one step, and where each block's count changes.
//! 2. [`law`] gets the law of wear from where these changes lie in a block's life, and from it the strength of blocks
//!    that were given up.
//! 3. [`lives`] is the likelihood of strengths within blocks, between blocks and between chips.
//! 4. [`estimate`] turns these into figures of the table `aging` with 95 % intervals, and says which the log leaves
//!    open.
//! 5. [`timing`] scales the typical columns such that the model's first operations take as long as the log's.
//! 6. [`score`] holds the fitted part against the half of the blocks that was fitted and the half that was not.
//!
//! A **table** of times by cycles ([`wordline_trace::growth`]), as data sheets print it, tells how erases slow down:
//! [`growth`] fits a power law to few rounded times, and [`growth_task`] turns it into rows, predictions and a sheet. A
//! cycling log without failures is fitted by the same law.
//!
//! A **sweep** ([`wordline_trace::sweep`]) has mean access times by size, in which the times of the array are
//! [linear](sweep).

mod estimate;
mod figures;
mod growth;
mod growth_task;
mod law;
mod lives;
mod part;
mod pulses;
mod score;
mod statistics;
mod sweep;
mod sweep_task;
mod task;
mod timing;

use wordline_catalog::PartOnBoard;
use wordline_core::{Durations, Experiment, FitWorkload, ResultSet};
use wordline_trace::cycling::CyclingLog;
use wordline_trace::growth::{GrowthTable, GrowthUnit, is_growth};
use wordline_trace::sweep::{is_sweep, read_sweep};

use super::{Estimate, Fitted};
use crate::control::Control;
use crate::error::{LabError, LogProblem, SettingProblem};
use crate::warning::LabWarning;
use growth_task::GrowthTask;
use sweep_task::SweepTask;
use task::FlashTask;

/// A kind of raw flash that can be fitted.
pub(super) struct FlashTemplate {
    /// As `--template` spells it, which is the model's table as well.
    pub(super) name: &'static str,
    /// The default base.
    pub(super) base: &'static str,
}

/// Every kind of raw flash.
pub(super) const TEMPLATES: &[FlashTemplate] = &[
    FlashTemplate {
        name: "nand",
        base: "nand08gw3b2c",
    },
    FlashTemplate {
        name: "nor",
        base: "mt25ql128",
    },
];

/// Blocks that a log needs at least: half of them are fitted.
const BLOCKS_MIN: usize = 4;

/// What a log of raw flash holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FlashLogKind {
    /// Times by cycles, as data sheets print them.
    Table,
    /// Mean access times by size.
    Sweep,
    /// Blocks from cycle to cycle.
    Cycling,
}

impl FlashLogKind {
    /// By its line of names.
    fn of(names: &[u8]) -> Self {
        if is_growth(names) {
            Self::Table
        } else if is_sweep(names) {
            Self::Sweep
        } else {
            Self::Cycling
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Table => "a table of times by cycles",
            Self::Sweep => "a sweep",
            Self::Cycling => "a cycling log",
        }
    }

    /// Refuses settings that such a log does not take.
    fn check(self, workload: &FitWorkload) -> Result<(), LabError> {
        let source = &workload.source;
        let of_card = [
            ("log_format", source.format.is_some()),
            ("log_unit", source.unit.is_some() && self != Self::Table),
            ("job", source.job.is_some()),
            ("operation", source.operation.is_some()),
            ("record", source.record_bytes.is_some()),
            ("durations", source.durations != Durations::default()),
            ("unit", !source.units.is_empty()),
            ("pattern", workload.pattern.is_some()),
            ("range", workload.range_bytes.is_some()),
            ("fill", workload.fill.is_some()),
            ("warm_up", workload.warm_up_bytes > 0),
            (
                "simulations",
                workload.simulations != FitWorkload::SIMULATIONS,
            ),
        ];
        if let Some((setting, _)) = of_card.into_iter().find(|(_, stated)| *stated) {
            return Err(SettingProblem::CardLogAlone(self.name()).of(setting));
        }
        if workload.usage.is_some() && self != Self::Cycling {
            return Err(SettingProblem::CyclingLogAlone(self.name()).of("usage"));
        }
        if !workload.predict.is_empty() && self != Self::Table {
            return Err(SettingProblem::NoTable.of("predict"));
        }
        Ok(())
    }
}

/// Fits a part to a cycling log, a sweep or a table.
pub(super) fn fit(
    template: &FlashTemplate,
    target: &PartOnBoard<'_>,
    experiment: &Experiment,
    workload: &FitWorkload,
    control: &Control<'_>,
) -> Result<Fitted, LabError> {
    let refuse = |why| {
        let part = target.part.header.id.clone();
        SettingProblem::Base { part, why }.of("base")
    };
    let part =
        part::FlashPart::of(target, workload.usage.unwrap_or(task::USAGE)).map_err(refuse)?;
    if part.model != template.name {
        return Err(SettingProblem::OtherModel {
            part: target.part.header.id.clone(),
            found: part.model,
            template: template.name,
            model: template.name,
        }
        .of("base"));
    }
    let mut document = ResultSet::new(Experiment {
        targets: vec![target.name.clone()],
        ..experiment.clone()
    });
    let file = &workload.source.file;
    let trace = |source| LabError::Trace {
        file: file.clone(),
        source,
    };
    let mut reader = control.open(file)?;
    let names = reader.fill_buf().map_err(|source| LabError::Unreadable {
        file: file.clone(),
        source,
    })?;
    let kind = FlashLogKind::of(names);
    kind.check(workload)?;
    if kind == FlashLogKind::Table {
        let unit = workload.source.unit.as_deref().map(|found| {
            let unknown = || SettingProblem::TimeUnit(found.to_owned()).of("log unit");
            found.parse::<GrowthUnit>().map_err(|()| unknown())
        });
        let table = GrowthTable::read(reader, unit.transpose()?).map_err(trace)?;
        let task = GrowthTask {
            target,
            part: &part,
            workload,
            experiment,
            table: &table,
        };
        let found = task.run(&mut document)?;
        return Ok(fitted(document, Some(found)));
    }
    if kind == FlashLogKind::Sweep {
        let points = read_sweep(reader).map_err(trace)?;
        let task = SweepTask {
            target,
            part: &part,
            workload,
            experiment,
            points: &points,
            control,
        };
        let found = task.run(&mut document)?;
        return Ok(fitted(document, found));
    }
    let read = CyclingLog::read(reader);
    if control.stopped() {
        return Ok(fitted(document, None));
    }
    let log = read.map_err(trace)?;
    if log.blocks.len() < BLOCKS_MIN {
        let (found, least) = (log.blocks.len(), BLOCKS_MIN);
        return Err(LogProblem::FewBlocks { found, least }.of(file));
    }
    if let Some(line) = log.cut_off {
        document.warn(LabWarning::CutLine {
            file: &file,
            line: &line,
        });
    }
    let task = FlashTask {
        target,
        part: &part,
        workload,
        experiment,
        log: &log,
        control,
    };
    let found = task.run(&mut document)?;
    Ok(fitted(document, found))
}

/// A document with the sheet and its figures; without them where the caller stopped the run.
fn fitted(mut document: ResultSet, found: Option<(String, Vec<Estimate>)>) -> Fitted {
    document.complete = found.is_some();
    let (sheet, estimates) = found.unzip();
    Fitted {
        document,
        sheet,
        estimates: estimates.unwrap_or_default(),
    }
}
