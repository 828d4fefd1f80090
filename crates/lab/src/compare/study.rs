//! Study files: a comparison in TOML, checked, with the place of every fault.

use serde::{Deserialize, Serialize};
use wordline_catalog::SheetError;
use wordline_core::quantity::{ByteCount, Quantity, Time, Voltage};
use wordline_core::{
    ColumnUnit, CompareWorkload, Durations, EngineName, Experiment, Limits, NamedValues,
    Preference, Prices, Timing, TranslationLayer, Work, WorkKind, Workload,
};
use wordline_nvm::ageing::Environment;

use super::measured;
use crate::error::{LabError, SettingProblem};
use crate::prices;

/// The studies that come with the program: name and text.
pub const STUDIES: [(&str, &str); 8] = [
    (
        "data-logger",
        include_str!("../../studies/data-logger.toml"),
    ),
    ("boot-image", include_str!("../../studies/boot-image.toml")),
    (
        "sensor-node-battery",
        include_str!("../../studies/sensor-node-battery.toml"),
    ),
    ("xip-boot", include_str!("../../studies/xip-boot.toml")),
    (
        "camera-20MBps",
        include_str!("../../studies/camera-20MBps.toml"),
    ),
    ("ota-update", include_str!("../../studies/ota-update.toml")),
    ("black-box", include_str!("../../studies/black-box.toml")),
    (
        "trace-replay",
        include_str!("../../studies/trace-replay.toml"),
    ),
];

/// The trace that comes with the studies: file and contents.
pub(crate) const TRACES: [(&str, &[u8]); 1] = [(
    "trace-replay.iolog",
    include_bytes!("../../studies/trace-replay.iolog"),
)];

/// A study file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StudyFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    targets: Vec<String>,
    #[serde(default)]
    in_turn: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    all_parts: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    on: Vec<EngineName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prefer: Option<Preference>,
    #[serde(default = "both", skip_serializing_if = "Vec::is_empty")]
    timing: Vec<Timing>,
    #[serde(default)]
    age: f64,
    #[serde(default)]
    seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ftl: Option<TranslationLayer>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    logs: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    log_format: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    log_unit: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    log_flushed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    durations: Option<Durations>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    currents: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    voltages: Vec<Voltage>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    current_offsets: Vec<Time>,
    work: Work,
    #[serde(default)]
    limits: Limits,
    #[serde(default, skip_serializing_if = "Prices::is_empty")]
    prices: Prices,
    #[serde(default, skip_serializing_if = "NamedValues::is_empty")]
    units: NamedValues<ColumnUnit>,
    #[serde(default, skip_serializing_if = "NamedValues::is_empty")]
    set: NamedValues<String>,
}

/// Verdicts are given for both unless a study says otherwise.
fn both() -> Vec<Timing> {
    vec![Timing::Typ, Timing::Max]
}

/// Reads a study. Its targets are those of the experiment; none stands for the whole catalogue.
///
/// # Errors
/// With the place of the first fault, and what is allowed there.
pub fn read_study(file: &str, text: &str) -> Result<Experiment, Box<SheetError>> {
    let study: StudyFile = toml::from_str(text).map_err(|error| {
        Box::new(SheetError {
            file: file.to_owned(),
            text: text.into(),
            span: error.span().unwrap_or(0..0),
            message: error.message().to_owned(),
        })
    })?;
    let at = |path, error: LabError| {
        let message = error.to_string();
        Err(Box::new(SheetError::at(file, text, path, message)))
    };
    if !(0.0..=1.0).contains(&study.age) {
        return at("age", LabError::Age(study.age));
    }
    let twice = |(index, one): (usize, &Timing)| study.timing[..index].contains(one);
    if study.timing.is_empty() || study.timing.iter().enumerate().any(twice) {
        return at("timing", SettingProblem::Columns.of("timing"));
    }
    let experiment = Experiment {
        targets: study.targets,
        workload: Workload::Compare(Box::new(CompareWorkload {
            title: study.title,
            work: study.work,
            limits: study.limits,
            prices: study.prices,
            in_turn: study.in_turn,
            all_parts: study.all_parts,
            file_systems: study.on,
            settings: study.set,
            prefer: study.prefer,
            logs: study.logs,
            log_format: study.log_format,
            log_unit: study.log_unit,
            log_flushed: study.log_flushed,
            durations: study.durations,
            units: study.units,
            currents: study.currents,
            voltages: study.voltages,
            current_offsets_ps: study.current_offsets.into_iter().map(Time::ps).collect(),
        })),
        timings: study.timing,
        age: study.age,
        seed: study.seed,
        ftl: study.ftl,
    };
    if let Workload::Compare(compare) = &experiment.workload
        && let Some((path, problem)) = problem(compare)
    {
        return at(path, problem.of(path));
    }
    Ok(experiment)
}

/// Writes a comparison as a study file; `None` for other experiments.
#[must_use]
pub fn write_study(experiment: &Experiment) -> Option<String> {
    let Workload::Compare(compare) = &experiment.workload else {
        return None;
    };
    let study = StudyFile {
        title: compare.title.clone(),
        targets: experiment.targets.clone(),
        in_turn: compare.in_turn,
        all_parts: compare.all_parts,
        on: compare.file_systems.clone(),
        set: compare.settings.clone(),
        prefer: compare.prefer,
        timing: experiment.timings.clone(),
        age: experiment.age,
        seed: experiment.seed,
        ftl: experiment.ftl,
        work: compare.work.clone(),
        limits: compare.limits,
        prices: compare.prices.clone(),
        logs: compare.logs.clone(),
        log_format: compare.log_format.clone(),
        log_unit: compare.log_unit.clone(),
        log_flushed: compare.log_flushed,
        durations: compare.durations,
        units: compare.units.clone(),
        currents: compare.currents.clone(),
        voltages: compare.voltages.clone(),
        current_offsets: compare
            .current_offsets_ps
            .iter()
            .copied()
            .map(Time::from_ps)
            .collect(),
    };
    match toml::to_string(&study) {
        Ok(text) => Some(format!(
            "# A study of `wordline compare`; docs/reference/studies.md describes every key.\n{text}"
        )),
        Err(error) => unreachable!("quantities, text and numbers can be written: {error}"),
    }
}

/// What is wrong with a comparison: the dotted path of the setting, and what is allowed.
pub(super) fn problem(compare: &CompareWorkload) -> Option<(&'static str, SettingProblem)> {
    let (work, limits) = (&compare.work, &compare.limits);
    let record = work.record;
    let share = |value: f64| value > 0.0 && value <= 1.0;
    let beyond = |path, problem| Some((path, problem));
    if work.rate.si() <= 0.0 {
        let (found, zero) = (work.rate.to_string(), "0 B/s".to_owned());
        return beyond("work.rate", SettingProblem::NotPositive { found, zero });
    }
    if record.bytes() == 0 || record.bytes() > RECORD_MAX {
        let [least, most] = [1, RECORD_MAX].map(ByteCount::from_bytes);
        let problem = SettingProblem::out_of_range(record, least, most);
        return beyond("work.record", problem);
    }
    if !share(work.duty()) {
        return beyond("work.duty", SettingProblem::PositiveShare(work.duty()));
    }
    if !share(work.utilization()) {
        let found = work.utilization();
        return beyond("work.utilization", SettingProblem::PositiveShare(found));
    }
    if let Some(fill) = work
        .fill
        .map(Quantity::si)
        .filter(|fill| !(0.0..=1.0).contains(fill))
    {
        return beyond("work.fill", SettingProblem::Share(fill));
    }
    if !(0.0..=1.0).contains(&work.reads()) {
        return beyond("work.reads", SettingProblem::Share(work.reads()));
    }
    let mixes = matches!(work.kind, WorkKind::ReadMostly | WorkKind::Mixed);
    if work.reads.is_some() && !mixes {
        let kind = work.kind.name();
        return beyond("work.reads", SettingProblem::ReadsOfWork(kind));
    }
    if work.during.is_some() && work.kind != WorkKind::Read {
        let kind = work.kind.name();
        return beyond("work.during", SettingProblem::WorkThatReads(kind));
    }
    if work.mapped && work.kind != WorkKind::Read {
        let kind = work.kind.name();
        return beyond("work.mapped", SettingProblem::WorkThatReads(kind));
    }
    let keep = work.keep().bytes(work.rate);
    if keep < record.si() || keep > KEEP_MAX {
        let problem = SettingProblem::Keep {
            found: work.keep().to_string(),
            bytes: keep,
            record,
        };
        return beyond("work.keep", problem);
    }
    let environment = Environment {
        celsius: work.celsius(),
        ..Environment::default()
    };
    if environment.check().is_err() {
        let found = work.celsius();
        let problem = SettingProblem::Temperature(found);
        return beyond("work.temperature_celsius", problem);
    }
    match (work.kind, &work.trace) {
        (WorkKind::Replay, None) => {
            return beyond("work.trace", SettingProblem::NoTrace);
        }
        (kind, Some(_)) if kind != WorkKind::Replay => {
            return beyond("work.trace", SettingProblem::TraceOfWork(kind.name()));
        }
        _ => {}
    }
    let prices = &compare.prices;
    let others = [
        ("prices.ram_per_kib", &prices.ram_per_kib),
        ("prices.level_shifter", &prices.level_shifter),
    ];
    for (path, price) in others {
        if let Some(problem) = prices::problem(price) {
            return beyond(path, problem);
        }
    }
    if let Some(problem) = prices::problem(prices.parts.values()) {
        return beyond("prices.parts", problem);
    }
    measured::problem(compare).or_else(|| contradiction(limits, work))
}

/// The largest record, because its bytes are held in RAM.
const RECORD_MAX: u64 = 16 << 20;

/// More than any study keeps, in bytes.
const KEEP_MAX: f64 = 1e15;

/// A limit that no memory can meet, whatever it is.
fn contradiction(limits: &Limits, work: &Work) -> Option<(&'static str, SettingProblem)> {
    let record = work.record;
    if let Some(risk) = limits.bytes_at_risk
        && risk.si() < 2.0 * record.si()
        && work.reads() < 1.0
    {
        return Some((
            "limits.bytes_at_risk",
            SettingProblem::RiskBelowRecords {
                found: risk,
                record,
            },
        ));
    }
    if let Some(latency) = limits.latency
        && latency.si() <= 0.0
    {
        return Some((
            "limits.latency",
            SettingProblem::NotPositive {
                found: latency.to_string(),
                zero: "0 s".to_owned(),
            },
        ));
    }
    if let Some(ram) = limits.ram
        && ram.si() < 2.0 * record.si()
    {
        return Some((
            "limits.ram",
            SettingProblem::RamBelowRecords { found: ram, record },
        ));
    }
    if limits.loss.is_some() && work.reads() >= 1.0 {
        let kind = work.kind.name();
        return Some(("limits.loss", SettingProblem::LossOfReads(kind)));
    }
    if let Some(loss) = limits.loss
        && loss.bytes(work.rate) < record.si()
    {
        return Some((
            "limits.loss",
            SettingProblem::LossBelowRecord {
                found: loss,
                record,
            },
        ));
    }
    if let Some(loss) = limits.page_loss
        && !(loss.si() > 0.0 && loss.si() < 1.0)
    {
        return Some(("limits.page_loss", SettingProblem::OpenShare(loss.si())));
    }
    if limits.parts == Some(0) {
        return Some(("limits.parts", SettingProblem::NoParts));
    }
    for (path, zero) in [
        (
            "limits.life",
            limits.life.is_some_and(|life| life.si() <= 0.0),
        ),
        (
            "limits.cost",
            limits.cost.is_some_and(|cost| cost.si() <= 0.0),
        ),
        (
            "limits.energy_per_day",
            limits
                .energy_per_day
                .is_some_and(|energy| energy.si() <= 0.0),
        ),
        (
            "limits.holdup",
            limits.holdup.is_some_and(|holdup| holdup.si() <= 0.0),
        ),
    ] {
        if zero {
            return Some((path, SettingProblem::ZeroLimit));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_studies_that_come_along_are_sound_and_survive_writing() {
        for (name, text) in STUDIES {
            let study = read_study(name, text).unwrap_or_else(|error| panic!("{error}"));
            let written = write_study(&study).expect("a comparison");
            assert_eq!(
                read_study(name, &written).ok().as_ref(),
                Some(&study),
                "{written}"
            );
        }
    }

    #[test]
    fn every_fault_is_shown_in_its_line() {
        let sound = "[work]\nkind = \"log\"\nrate = \"500 KB/s\"\nrecord = \"4 KiB\"\n";
        assert!(read_study("s", sound).is_ok());
        for (text, expected) in [
            (
                sound.replace("500 KB/s", "0 B/s"),
                "s:3: work.rate 0 B/s is out of range",
            ),
            (
                sound.replace("4 KiB", "0 B"),
                "s:4: work.record 0 B is out of range",
            ),
            (
                sound.replace("\"log\"", "\"lgo\""),
                "s:2: unknown variant `lgo`",
            ),
            (
                sound.replace("500 KB/s", "fast"),
                "s:3: \"fast\" is not a data rate",
            ),
            (
                format!("{sound}duty = \"0 %\"\n"),
                "s:5: work.duty 0 is out of range",
            ),
            (
                format!("{sound}dty = \"1 %\"\n"),
                "s:5: unknown field `dty`",
            ),
            (
                format!("{sound}reads = \"10 %\"\n"),
                "s:5: work.reads goes with",
            ),
            (
                format!("{sound}keep = \"1 B\"\n"),
                "s:5: work.keep of 1 B is 1 B; allowed",
            ),
            (
                format!("{sound}mapped = true\n"),
                "s:5: work.mapped goes with the kind read, not with log",
            ),
            (
                format!("{sound}trace = \"x\"\n"),
                "s:5: work.trace goes with",
            ),
            (
                format!("{sound}[limits]\nbytes_at_risk = \"1 KiB\"\n"),
                "s:6: limits.bytes_at_risk of 1 KiB is below",
            ),
            (
                format!("{sound}[limits]\nram = \"2 KiB\"\n"),
                "s:6: limits.ram of 2 KiB is below two records",
            ),
            (
                format!("{sound}[limits]\nparts = 0\n"),
                "s:6: limits.parts 0 is out of range",
            ),
            (
                format!("{sound}[limits]\nlife = \"0 y\"\n"),
                "s:6: limits.life is zero",
            ),
            (
                format!("{sound}temperature_celsius = 126\n"),
                "s:5: work.temperature_celsius 126 is out of range",
            ),
            (
                format!("{sound}[limits]\npage_loss = \"0 %\"\n"),
                "s:6: limits.page_loss 0 is out of range",
            ),
            (
                format!("{sound}[limits]\nloss = \"1 MiB\"\n").replace("\"log\"", "\"read\""),
                "s:6: limits.loss goes with work that writes, not with read",
            ),
            (
                format!("{sound}[limits]\nlife_by = \"luck\"\n"),
                "s:6: unknown variant `luck`",
            ),
            (
                sound.replace("\"log\"", "\"replay\""),
                "s:1: work.trace is missing",
            ),
        ] {
            let error = read_study("s", &text).expect_err(expected).to_string();
            assert!(error.starts_with(expected), "{error}\nexpected {expected}");
        }
    }
}
