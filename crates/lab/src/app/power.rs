//! The powers of a server beside its modules: stated by flags, or found from runs whose energy was measured.

use std::io::Read as _;

use csv::StringRecord;
use wordline_apps::project::PhaseInputs;
use wordline_apps::{MeasuredTask, PowerError, Profile, ServerPower, TimeShares};
use wordline_core::quantity::Quantity as _;
use wordline_core::{AppWorkload, Basis, PowerRun};

use super::memory::ProgramMemory;
use crate::control::Control;
use crate::error::{LabError, SettingProblem};

/// No file of runs is larger.
const BYTES_MAX: u64 = 1 << 20;

/// Columns of a file of runs.
const COLUMNS: [&str; 7] = [
    "seconds",
    "cores",
    "stall_share",
    "outside_share",
    "energy_j",
    "modules_j",
    "bytes_per_s",
];

/// Columns that every run fills.
const NEEDED: [&str; 4] = ["seconds", "cores", "stall_share", "energy_j"];

/// What is known of the powers.
pub(super) enum KnownPower {
    /// Nothing was said.
    Unasked,
    /// Runs were given, and do not determine them.
    Undetermined(PowerError),
    /// All three, as flags state them.
    Stated(ServerPower),
    /// All three, found from measured runs.
    Found(ServerPower),
}

/// The runs of a document, or of the file that the user named.
pub(super) fn runs(
    workload: &AppWorkload,
    control: &Control<'_>,
) -> Result<Vec<PowerRun>, LabError> {
    let Some(file) = workload
        .power_file
        .as_ref()
        .filter(|_| workload.power_runs.is_empty())
    else {
        return Ok(workload.power_runs.clone());
    };
    let mut text = String::new();
    let read = control
        .open(file)?
        .take(BYTES_MAX + 1)
        .read_to_string(&mut text);
    read.map_err(|source| LabError::Unreadable {
        file: file.clone(),
        source,
    })?;
    let runs = match text.len() as u64 > BYTES_MAX {
        true => Err("larger than 1 MiB; a list of runs is smaller".to_owned()),
        false => parsed(&text),
    };
    runs.map_err(|problem| SettingProblem::Unread(format!("{file}, {problem}")).of("power-runs"))
}

impl KnownPower {
    /// The powers, and what they rest on; `None` where they are not known.
    pub(super) const fn known(&self) -> Option<(ServerPower, Basis)> {
        match self {
            Self::Stated(power) => Some((*power, Basis::Assumed)),
            Self::Found(power) => Some((*power, Basis::Calibrated)),
            Self::Unasked | Self::Undetermined(_) => None,
        }
    }
}

/// Runs of a CSV text, or what is wrong with it and where. Cells may stand in quotes, and a byte order mark may come first, as
/// spreadsheets write both.
fn parsed(text: &str) -> Result<Vec<PowerRun>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().enumerate();
    let mut lines = lines.filter_map(|(number, line)| {
        let line = line.trim();
        (!line.is_empty() && !line.starts_with('#')).then_some((number + 1, line))
    });
    let allowed = COLUMNS.join(", ");
    let Some((number, heads)) = lines.next() else {
        return Err(format!("line 1: there is no header; allowed: {allowed}"));
    };
    let heads = cells(heads).map_err(|problem| format!("line {number}: {problem}"))?;
    for (place, head) in heads.iter().enumerate() {
        if !COLUMNS.contains(&head) {
            return Err(format!(
                "line {number}: there is no column {head:?}; allowed: {allowed}"
            ));
        }
        if heads.iter().take(place).any(|other| other == head) {
            return Err(format!(
                "line {number}: the column {head} is there twice; allowed: once"
            ));
        }
    }
    if let Some(missing) = NEEDED
        .iter()
        .find(|needed| !heads.iter().any(|head| head == **needed))
    {
        return Err(format!(
            "line {number}: the column {missing} is missing; needed: {}, and one of modules_j and bytes_per_s",
            NEEDED.join(", ")
        ));
    }
    lines
        .map(|(number, line)| {
            let run = cells(line).and_then(|cells| run(&heads, &cells));
            run.map_err(|problem| format!("line {number}: {problem}"))
        })
        .collect()
}

/// The cells of a line. Numbers have no feeds in them, so that a line is a record, and faults have its number.
fn cells(line: &str) -> Result<StringRecord, String> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(csv::Trim::All)
        .from_reader(line.as_bytes());
    let record = reader.records().next();
    let record = record.transpose().map_err(|fault| fault.to_string())?;
    Ok(record.unwrap_or_default())
}

/// A line of such a text.
fn run(heads: &StringRecord, cells: &StringRecord) -> Result<PowerRun, String> {
    if cells.len() != heads.len() {
        return Err(format!(
            "{} values; the header has {} columns",
            cells.len(),
            heads.len()
        ));
    }
    let value = |name: &str| -> Result<Option<f64>, String> {
        let cell = heads.iter().position(|head| head == name);
        let cell = cell.and_then(|at| cells.get(at));
        let Some(cell) = cell.filter(|cell| !cell.is_empty()) else {
            return Ok(None);
        };
        cell.parse()
            .map(Some)
            .map_err(|_| format!("{name} is {cell:?}; allowed: a number with a decimal point"))
    };
    let needed = |name: &str| value(name)?.ok_or_else(|| format!("{name} is empty"));
    let run = PowerRun {
        seconds: needed("seconds")?,
        cores: needed("cores")?,
        stall_share: needed("stall_share")?,
        outside_share: value("outside_share")?.unwrap_or(0.0),
        energy_j: needed("energy_j")?,
        modules_j: value("modules_j")?,
        bytes_per_s: value("bytes_per_s")?,
    };
    check(&run).map(|()| run)
}

/// What no run can have.
fn check(run: &PowerRun) -> Result<(), String> {
    let positive = |value: f64| value > 0.0 && value.is_finite();
    let share = |value: f64| (0.0..=1.0).contains(&value);
    let not_less = |value: Option<f64>| value.is_none_or(|value| value >= 0.0 && value.is_finite());
    let found = [
        ("seconds", run.seconds, positive(run.seconds), "above 0"),
        ("cores", run.cores, positive(run.cores), "above 0"),
        (
            "stall_share",
            run.stall_share,
            share(run.stall_share),
            "0 to 1",
        ),
        (
            "outside_share",
            run.outside_share,
            share(run.outside_share),
            "0 to 1",
        ),
        ("energy_j", run.energy_j, positive(run.energy_j), "above 0"),
        (
            "modules_j",
            run.modules_j.unwrap_or(0.0),
            not_less(run.modules_j),
            "0 or more",
        ),
        (
            "bytes_per_s",
            run.bytes_per_s.unwrap_or(0.0),
            not_less(run.bytes_per_s),
            "0 or more",
        ),
    ];
    if let Some((what, value, _, allowed)) = found.into_iter().find(|(_, _, good, _)| !good) {
        return Err(format!("{what} is {value}; allowed: {allowed}"));
    }
    if run.modules_j.is_none() && run.bytes_per_s.is_none() {
        return Err(
            "neither modules_j nor bytes_per_s is there; one of them says what the modules took"
                .to_owned(),
        );
    }
    Ok(())
}

/// The powers that flags state or that runs determine. Runs that say nothing of their modules' energy get that of the
/// baseline's surface.
pub(super) fn known(
    workload: &AppWorkload,
    runs: &[PowerRun],
    profile: &Profile,
    baseline: &ProgramMemory<'_>,
) -> Result<KnownPower, LabError> {
    let stated = [
        workload.platform_power,
        workload.active_power,
        workload.stalled_power,
    ];
    let [platform, active, stalled] = stated.map(|power| power.map(|power| power.si()));
    if !runs.is_empty() && stated.iter().any(Option::is_some) {
        return Err(SettingProblem::PowersAndRuns.of("power-runs"));
    }
    match (platform, active, stalled) {
        (None, None, None) if runs.is_empty() && workload.power_file.is_none() => {
            Ok(KnownPower::Unasked)
        }
        (None, None, None) => {
            let tasks = tasks(runs, profile, baseline)
                .map_err(|problem| SettingProblem::Unread(problem).of("power-runs"))?;
            Ok(match ServerPower::of_runs(&tasks) {
                Ok(power) => KnownPower::Found(power),
                Err(error) => KnownPower::Undetermined(error),
            })
        }
        (Some(platform_w), Some(active_core_w), Some(stalled_core_w)) => {
            Ok(KnownPower::Stated(ServerPower {
                platform_w,
                active_core_w,
                stalled_core_w,
            }))
        }
        _ => Err(SettingProblem::PowersTogether.of("platform-power")),
    }
}

fn tasks(
    runs: &[PowerRun],
    profile: &Profile,
    baseline: &ProgramMemory<'_>,
) -> Result<Vec<MeasuredTask>, String> {
    // The mix of the longest phase stands for the whole run.
    let longest = profile
        .phases
        .iter()
        .max_by(|a, b| a.seconds.value.total_cmp(&b.seconds.value));
    let place = longest.map(|phase| PhaseInputs::likeliest(phase).place);
    let memory = baseline.projected();
    let curve = place.map(|place| memory.surface.curve(place));
    let mut tasks = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        // A document may have been written by hand.
        check(run).map_err(|problem| format!("run {}: {problem}", number + 1))?;
        let most = run.cores * memory.misses_per_core;
        let modules = |bytes_per_s: f64| {
            let lines_per_ns = bytes_per_s / wordline_apps::profile::LINE_BYTES * 1e-9;
            let power = curve
                .as_ref()
                .map(|curve| curve.power_w(curve.outstanding_at(lines_per_ns, most)));
            power.unwrap_or(0.0) * run.seconds
        };
        let ran = 1.0 - run.outside_share;
        tasks.push(MeasuredTask {
            seconds: run.seconds,
            cores: run.cores,
            shares: TimeShares {
                compute: ran * (1.0 - run.stall_share),
                latency: ran * run.stall_share,
                queue: 0.0,
                outside: run.outside_share,
            },
            dram_j: run
                .modules_j
                .or_else(|| run.bytes_per_s.map(modules))
                .unwrap_or(0.0),
            energy_j: run.energy_j,
        });
    }
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_read_with_what_they_state() {
        let text = "# of a solver\nseconds,cores,stall_share,energy_j,modules_j,bytes_per_s\n\n10,128,0.7,3000,,350e9\n15, 64, 0.3, 4000, 900,\n";
        let runs = parsed(text).expect("it is sound");
        assert_eq!(runs.len(), 2);
        assert_eq!(
            (runs[0].modules_j, runs[0].bytes_per_s),
            (None, Some(350e9))
        );
        assert_eq!((runs[1].cores, runs[1].modules_j), (64.0, Some(900.0)));
    }

    /// As spreadsheets save it: a byte order mark, quotes, returns before the feeds.
    #[test]
    fn what_spreadsheets_write_is_read() {
        let text = "\u{feff}\"seconds\",\"cores\",\"stall_share\",\"energy_j\",\"modules_j\"\r\n\"10\",\"128\",\"0.7\",\"3000\",\"600\"\r\n";
        let runs = parsed(text).expect("it is sound");
        assert_eq!((runs[0].seconds, runs[0].cores), (10.0, 128.0));
        assert_eq!((runs[0].stall_share, runs[0].modules_j), (0.7, Some(600.0)));
        let wrong = parsed(&text.replace("\"0.7\"", "\"0,7\"")).expect_err("no number");
        assert_eq!(
            wrong,
            "line 2: stall_share is \"0,7\"; allowed: a number with a decimal point"
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let head = "seconds,cores,stall_share,energy_j,modules_j\n";
        for (text, problem) in [
            (String::new(), "line 1: there is no header"),
            (
                "seconds,watts\n".to_owned(),
                "line 1: there is no column \"watts\"",
            ),
            (
                "cores,cores\n".to_owned(),
                "line 1: the column cores is there twice",
            ),
            (
                "cores,seconds\n".to_owned(),
                "line 1: the column stall_share is missing",
            ),
            (
                format!("{head}1,2,3\n"),
                "line 2: 3 values; the header has 5 columns",
            ),
            (
                format!("{head}1,2,x,4,5\n"),
                "line 2: stall_share is \"x\"; allowed: a number",
            ),
            (
                format!("{head}1,2,7,4,5\n"),
                "line 2: stall_share is 7; allowed: 0 to 1",
            ),
            (
                format!("{head}#\n0,2,0.5,4,5\n"),
                "line 3: seconds is 0; allowed: above 0",
            ),
            (
                format!("{head}1,2,0.5,4,\n"),
                "line 2: neither modules_j nor bytes_per_s",
            ),
            (format!("{head}1,2,0.5,NaN,5\n"), "line 2: energy_j is NaN"),
        ] {
            let error = parsed(&text).expect_err(problem);
            assert!(error.starts_with(problem), "{error}");
        }
    }
}
