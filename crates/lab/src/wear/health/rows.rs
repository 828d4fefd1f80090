//! Rows and warnings for the blocks of a log.

use std::collections::HashMap;

use wordline_core::results::NoValue;
use wordline_core::{Axis, Basis, Metric, ResultSet, RowOperation, Timing};
use wordline_nvm::ageing::health::{
    BlockHealth, Channel, HealthVerdict, Kin, LatencyHistory, LawBand, NoTrend, OperationBaseline,
    Prediction, Trained,
};
use wordline_trace::cycling::{BlockLife, CyclingLog};

use super::history::{history, operation};
use crate::control::{Control, Progress};
use crate::subject::{Axes, Subject};
use crate::warning::LabWarning;

/// Names of blocks that a warning lists.
const NAMED: usize = 5;

/// Adds the rows of a log's blocks.
pub(super) fn add(file: &str, log: &CyclingLog, control: &Control<'_>, document: &mut ResultSet) {
    let trained = Trained::stored();
    let histories: Vec<LatencyHistory> = log.blocks.iter().map(history).collect();
    let kin = kin(log, &histories);
    let mut untold = Untold::default();
    for (number, (life, history)) in (1..).zip(log.blocks.iter().zip(&histories)) {
        if control.stopped() {
            document.complete = false;
            break;
        }
        control.report(Progress {
            step: "blocks",
            done_bytes: number,
            total_bytes: log.blocks.len() as u64,
        });
        let health = BlockHealth::of(trained, history, kin_of(&kin, life));
        let found = health.found;
        if let Err(why) = found
            && life.failed.is_none()
        {
            untold.note(why, life);
        }
        if health.is_young() && life.failed.is_none() {
            untold.young.push(life.name());
        }
        if found.is_ok_and(|found| found.beyond) && life.failed.is_none() {
            untold.beyond.push(life.name());
        }
        block(file, life, &health, document);
    }
    warn(log, &kin, &untold, document);
}

/// What the blocks of a log show of each other, by chip: those that failed of all chips of the part, and fresh ones of
/// those of the same chip.
struct Kins(HashMap<String, Kin>);

/// The part that a chip is one of: its name up to the last `#`, after which its number stands.
fn part(chip: &str) -> &str {
    chip.rsplit_once('#').map_or(chip, |(part, _)| part)
}

fn kin(log: &CyclingLog, histories: &[LatencyHistory]) -> Kins {
    let mut chips: HashMap<String, Kin> = HashMap::new();
    let mut of_chip: HashMap<&str, Vec<&LatencyHistory>> = HashMap::new();
    for (life, history) in log.blocks.iter().zip(histories) {
        of_chip.entry(&life.chip).or_default().push(history);
    }
    for channel in [Channel::Erase, Channel::Program] {
        let mut ends: HashMap<&str, Vec<f64>> = HashMap::new();
        let known: HashMap<&str, OperationBaseline> = of_chip
            .iter()
            .map(|(chip, histories)| (*chip, OperationBaseline::fresh(channel, histories)))
            .collect();
        for (life, history) in log.blocks.iter().zip(histories) {
            let known = &known[life.chip.as_str()];
            let ends = ends.entry(part(&life.chip)).or_default();
            ends.extend(history.end(channel, known));
            let kin = chips.entry(life.chip.clone()).or_default();
            *kin.of_mut(channel) = known.clone();
        }
        for (chip, kin) in &mut chips {
            kin.of_mut(channel).ends.clone_from(&ends[part(chip)]);
        }
    }
    Kins(chips)
}

fn kin_of<'a>(kins: &'a Kins, life: &BlockLife) -> &'a Kin {
    &kins.0[&life.chip]
}

fn block(file: &str, life: &BlockLife, health: &BlockHealth, document: &mut ResultSet) {
    let (verdict, found) = (health.verdict, health.found);
    let measured = subject(file, life, Basis::Measured);
    let mut add = |subject: &Subject, metric, value| {
        subject.add(metric, value, document);
    };
    add(&measured, Metric::CyclesLogged, Ok(life.cycles as f64));
    if let Ok(found) = &found {
        let mut ratio = measured.clone();
        ratio.operation = operation(found.channel).into();
        add(&ratio, Metric::LatencyVsFresh, Ok(found.ratio));
    }
    if verdict == HealthVerdict::Failed {
        let subject = measured.at(Axis::Verdict, verdict.name());
        let subject = subject.at(Axis::Statistic, "median");
        add(&subject, Metric::LifeUsed, Ok(1.0));
        add(&subject, Metric::CyclesLeft, Ok(0.0));
        return;
    }
    let basis = match &found {
        Ok(found) if found.anchored => Basis::Calibrated,
        _ => Basis::Simulated,
    };
    let subject = subject(file, life, basis).at(Axis::Verdict, verdict.name());
    let share = match found {
        Ok(_) if health.is_young() => Err(NoValue::BeyondRange),
        Ok(found) => Ok(found.share),
        Err(_) => Err(NoValue::NotApplicable),
    };
    for (name, of) in [
        ("median", (|band| band.median) as fn(LawBand) -> f64),
        // The least that is left belongs to the most that is used.
        ("p5", |band| band.low),
        ("p95", |band| band.high),
    ] {
        let subject = subject.at(Axis::Statistic, name);
        add(&subject, Metric::LifeUsed, share.map(of));
    }
    for (name, of) in [
        ("median", (|band| band.median) as fn(LawBand) -> f64),
        ("p5", |band| band.high),
        ("p95", |band| band.low),
    ] {
        let subject = subject.at(Axis::Statistic, name);
        let value = share.map(|band| Prediction::left(life.cycles, of(band)).round());
        add(&subject, Metric::CyclesLeft, value);
    }
}

fn subject(file: &str, life: &BlockLife, basis: Basis) -> Subject {
    let subject = Subject {
        target: format!("log:{file}"),
        part: file.to_owned(),
        board: String::new(),
        workload: "health",
        operation: RowOperation::Cycle,
        axes: Axes::new(),
        timing: Timing::Typ,
        age: 0.0,
        basis,
    };
    let subject = subject.at(Axis::Block, life.block);
    match life.chip.as_str() {
        "" => subject,
        chip => subject.at(Axis::Chip, chip),
    }
}

/// Blocks without an estimate, by reason.
#[derive(Default)]
struct Untold {
    missing: Vec<String>,
    late: Vec<String>,
    still: Vec<String>,
    /// Blocks whose latency lies beyond what the predictor knows.
    beyond: Vec<String>,
    /// Blocks that have used less than the predictor was scored with.
    young: Vec<String>,
}

impl Untold {
    fn note(&mut self, why: NoTrend, life: &BlockLife) {
        match why {
            NoTrend::Missing => &mut self.missing,
            NoTrend::Late => &mut self.late,
            NoTrend::Still => &mut self.still,
        }
        .push(life.name());
    }
}

fn warn(log: &CyclingLog, kins: &Kins, untold: &Untold, document: &mut ResultSet) {
    let is_known = |life: &&BlockLife| {
        let kin = kin_of(kins, life);
        !kin.erase.ends.is_empty() || !kin.program.ends.is_empty()
    };
    let working = || log.blocks.iter().filter(|life| life.failed.is_none());
    let known = working().filter(is_known).count();
    let guessed: Vec<String> = working()
        .filter(|life| !is_known(life))
        .map(BlockLife::name)
        .collect();
    if let Some(blocks) = names(&guessed) {
        document.warn(LabWarning::NoFailedBlock { blocks: &blocks });
    }
    if known > 0 {
        document.warn(LabWarning::FailedBlocksKnown);
    }
    if let Some(blocks) = names(&untold.beyond) {
        document.warn(LabWarning::BeyondVirtualChips { blocks: &blocks });
    }
    if let Some(blocks) = names(&untold.young) {
        document.warn(LabWarning::EarlyLife { blocks: &blocks });
    }
    if let Some(blocks) = names(&untold.missing) {
        document.warn(LabWarning::NoCycles { blocks: &blocks });
    }
    if let Some(blocks) = names(&untold.late) {
        document.warn(LabWarning::LateCycles { blocks: &blocks });
    }
    if let Some(blocks) = names(&untold.still) {
        document.warn(LabWarning::SteadyLatency { blocks: &blocks });
    }
    if let Some(line) = log.cut_off {
        document.warn(LabWarning::CutLastLine { line: &line });
    }
    if !log.passed_over.is_empty() {
        document.warn(LabWarning::ColumnsPassedOver {
            columns: &log.passed_over.join(", "),
        });
    }
}

/// "block 3, block 9 and 7 more".
fn names(blocks: &[String]) -> Option<String> {
    let shown = blocks.iter().take(NAMED).cloned().collect::<Vec<_>>();
    let more = blocks.len().checked_sub(NAMED).filter(|more| *more > 0);
    let more = more.map_or_else(String::new, |more| format!(" and {more} more"));
    (!shown.is_empty()).then(|| format!("{}{more}", shown.join(", ")))
}
