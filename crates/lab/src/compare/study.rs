//! Study files: a comparison in TOML, checked, with the place of every fault.

use serde::{Deserialize, Serialize};
use wordline_catalog::SheetError;
use wordline_core::quantity::Quantity;
use wordline_core::{
    CompareWorkload, Experiment, Limits, Preference, Prices, Timing, TranslationLayer, Work,
    WorkKind, Workload,
};
use wordline_nvm::ageing::Environment;

/// The studies that come with the program: name and text.
pub const STUDIES: [(&str, &str); 4] = [
    (
        "data-logger",
        include_str!("../../studies/data-logger.toml"),
    ),
    ("boot-image", include_str!("../../studies/boot-image.toml")),
    (
        "sensor-node-battery",
        include_str!("../../studies/sensor-node-battery.toml"),
    ),
    (
        "trace-replay",
        include_str!("../../studies/trace-replay.toml"),
    ),
];

/// The traces that come with the studies: file and text.
pub(crate) const TRACES: [(&str, &str); 1] = [(
    "trace-replay.iolog",
    include_str!("../../studies/trace-replay.iolog"),
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
    work: Work,
    #[serde(default)]
    limits: Limits,
    #[serde(default, skip_serializing_if = "Prices::is_empty")]
    prices: Prices,
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
    let at = |path, message| Err(Box::new(SheetError::at(file, text, path, message)));
    if !(0.0..=1.0).contains(&study.age) {
        let age = study.age;
        return at(
            "age",
            format!("age {age} is no fraction of rated life; allowed: 0 to 1"),
        );
    }
    let twice = |(index, one): (usize, &Timing)| study.timing[..index].contains(one);
    if study.timing.is_empty() || study.timing.iter().enumerate().any(twice) {
        return at(
            "timing",
            "timing names no column, or one twice; allowed: typ, max, sampled".to_owned(),
        );
    }
    let experiment = Experiment {
        targets: study.targets,
        workload: Workload::Compare(Box::new(CompareWorkload {
            title: study.title,
            work: study.work,
            limits: study.limits,
            prices: study.prices,
            in_turn: study.in_turn,
            prefer: study.prefer,
        })),
        timings: study.timing,
        age: study.age,
        seed: study.seed,
        ftl: study.ftl,
    };
    if let Workload::Compare(compare) = &experiment.workload
        && let Some((path, message)) = problem(compare)
    {
        let message = format!("{path} {message}");
        return Err(Box::new(SheetError::at(file, text, path, message)));
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
        prefer: compare.prefer,
        timing: experiment.timings.clone(),
        age: experiment.age,
        seed: experiment.seed,
        ftl: experiment.ftl,
        work: compare.work.clone(),
        limits: compare.limits,
        prices: compare.prices.clone(),
    };
    match toml::to_string(&study) {
        Ok(text) => Some(format!(
            "# A study of `wordline compare`; docs/reference/studies.md describes every key.\n{text}"
        )),
        Err(error) => unreachable!("quantities, text and numbers can be written: {error}"),
    }
}

/// What is wrong with a comparison: the dotted path of the setting, and what is allowed.
pub(super) fn problem(compare: &CompareWorkload) -> Option<(&'static str, String)> {
    let (work, limits) = (&compare.work, &compare.limits);
    let record = work.record;
    let share = |value: f64| value > 0.0 && value <= 1.0;
    let beyond = |path, text: String| Some((path, text));
    if work.rate.si() <= 0.0 {
        return beyond(
            "work.rate",
            format!("of {} is none; allowed: above 0 B/s", work.rate),
        );
    }
    if record.bytes() == 0 || record.bytes() > RECORD_MAX {
        return beyond(
            "work.record",
            format!("of {record} cannot be; allowed: 1 B to 16 MiB"),
        );
    }
    if !share(work.duty()) {
        return beyond(
            "work.duty",
            format!(
                "of {} is out of range; allowed: above 0 % to 100 %",
                work.duty()
            ),
        );
    }
    if !share(work.utilization()) {
        let found = work.utilization();
        return beyond(
            "work.utilization",
            format!("of {found} is out of range; allowed: above 0 % to 100 %"),
        );
    }
    if let Some(fill) = work
        .fill
        .map(Quantity::si)
        .filter(|fill| !(0.0..=1.0).contains(fill))
    {
        return beyond(
            "work.fill",
            format!("of {fill} is out of range; allowed: 0 % to 100 %"),
        );
    }
    if !(0.0..=1.0).contains(&work.reads()) {
        return beyond(
            "work.reads",
            format!("of {} is out of range; allowed: 0 % to 100 %", work.reads()),
        );
    }
    let mixes = matches!(work.kind, WorkKind::ReadMostly | WorkKind::Mixed);
    if work.reads.is_some() && !mixes {
        let kind = work.kind.name();
        return beyond(
            "work.reads",
            format!("goes with the kinds read-mostly and mixed, not with {kind}"),
        );
    }
    let keep = work.keep().bytes(work.rate);
    if keep < record.si() || keep > KEEP_MAX {
        return beyond(
            "work.keep",
            format!(
                "of {} is {keep} B; allowed: one record ({record}) to 1 PB",
                work.keep()
            ),
        );
    }
    let environment = Environment {
        celsius: work.celsius(),
        ..Environment::default()
    };
    if environment.check().is_err() {
        let found = work.celsius();
        return beyond(
            "work.temperature_celsius",
            format!("of {found} is none of a chip; allowed: -40 to 125"),
        );
    }
    match (work.kind, &work.trace) {
        (WorkKind::Replay, None) => {
            return beyond("work.trace", "is missing, and replay needs it".to_owned());
        }
        (kind, Some(_)) if kind != WorkKind::Replay => {
            return beyond(
                "work.trace",
                format!("goes with the kind replay, not with {}", kind.name()),
            );
        }
        _ => {}
    }
    contradiction(limits, work)
}

/// The largest record, because its bytes are held in RAM.
const RECORD_MAX: u64 = 16 << 20;

/// More than any study keeps, in bytes.
const KEEP_MAX: f64 = 1e15;

/// A limit that no memory can meet, whatever it is.
fn contradiction(limits: &Limits, work: &Work) -> Option<(&'static str, String)> {
    let record = work.record;
    if let Some(risk) = limits.bytes_at_risk
        && risk.si() < 2.0 * record.si()
        && work.reads() < 1.0
    {
        return Some((
            "limits.bytes_at_risk",
            format!(
                "of {risk} is below two records of {record}: one is gathered while another is written, and both are at \
                 risk"
            ),
        ));
    }
    if let Some(latency) = limits.latency
        && latency.si() <= 0.0
    {
        return Some((
            "limits.latency",
            format!("of {latency} is met by no access; allowed: above 0 s"),
        ));
    }
    if let Some(ram) = limits.ram
        && ram.si() < 2.0 * record.si()
    {
        return Some((
            "limits.ram",
            format!(
                "of {ram} is below two records of {record}: one is gathered while another is written; allow more, or \
                 choose smaller records"
            ),
        ));
    }
    if let Some(loss) = limits.loss
        && loss.bytes(work.rate) < record.si()
    {
        return Some((
            "limits.loss",
            format!(
                "of {loss} is below one record of {record}, the least that is written at a time"
            ),
        ));
    }
    if let Some(loss) = limits.page_loss
        && !(loss.si() > 0.0 && loss.si() < 1.0)
    {
        return Some((
            "limits.page_loss",
            format!("of {loss} is no probability to go by; allowed: above 0 % and below 100 %"),
        ));
    }
    if limits.parts == Some(0) {
        return Some((
            "limits.parts",
            "of 0 is met by no candidate; allowed: 1 and more".to_owned(),
        ));
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
            return Some((
                path,
                "is zero; allowed: above 0, or leave it out".to_owned(),
            ));
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
                "s:3: work.rate of 0 B/s is none",
            ),
            (
                sound.replace("4 KiB", "0 B"),
                "s:4: work.record of 0 B cannot be",
            ),
            (
                sound.replace("\"log\"", "\"lgo\""),
                "s:2: unknown variant `lgo`",
            ),
            (
                sound.replace("500 KB/s", "fast"),
                "s:3: \"fast\" is not a data rate",
            ),
            (format!("{sound}duty = \"0 %\"\n"), "s:5: work.duty of 0"),
            (
                format!("{sound}dty = \"1 %\"\n"),
                "s:5: unknown field `dty`",
            ),
            (
                format!("{sound}reads = \"10 %\"\n"),
                "s:5: work.reads goes with",
            ),
            (format!("{sound}keep = \"1 B\"\n"), "s:5: work.keep of 1 B"),
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
                "s:6: limits.parts of 0 is met by no candidate",
            ),
            (
                format!("{sound}[limits]\nlife = \"0 y\"\n"),
                "s:6: limits.life is zero",
            ),
            (
                format!("{sound}temperature_celsius = 126\n"),
                "s:5: work.temperature_celsius of 126 is none",
            ),
            (
                format!("{sound}[limits]\npage_loss = \"0 %\"\n"),
                "s:6: limits.page_loss of 0",
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
