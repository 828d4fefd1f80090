//! Profiles from the counters of a processor, as other tools write them: perf stat, toplev, PerfSpect, likwid-perfctr, pcm.
//!
//! Each format has a file of its own here, and the content of a file says which it is. All become counts and metrics of
//! intervals ([`CounterReadings`]), which need memory for one interval at a time. What an event means says a sheet of the
//! core ([`CounterSheet`]), which is data. Of one file or several, each a run of the same work, comes a
//! [`Profile`](crate::Profile): what is missing is a range, what contradicts itself is refused with its line, and
//! [`ImportedProfile`] says in words what was found.
//!
//! ```
//! use wordline_apps::import::{CounterContext, import_counters, read_counters};
//!
//! let text = "TS,SKT,CPU,CID,memory bandwidth read (MB/sec),memory bandwidth write (MB/sec),TMA_....DRAM_Bound(%)\n\
//!             1700000000,,,,350000,87500,55\n1700000005,,,,350000,87500,55\n";
//! let readings = read_counters(text.as_bytes(), &[], None)?;
//! let context = CounterContext { name: "reader".into(), cores: Some(128), ..CounterContext::default() };
//! let imported = import_counters(&[readings], &[], &context)?;
//! let phase = &imported.profile.phases[0];
//! assert!((phase.read_rate() - 350e9).abs() < 1e6);
//! assert!((phase.stall_share.value - 0.55).abs() < 1e-9);
//! # Ok::<(), wordline_apps::import::CounterFault>(())
//! ```

mod collect;
mod derive;
mod events;
mod fault;
mod findings;
mod format;
mod likwid;
mod note;
mod pcm;
mod perf_csv;
mod perf_event;
mod perf_json;
mod perfspect;
mod role;
mod role_value;
mod series;
mod sheet;
mod sums;
mod text;
mod toplev;

use std::io::BufRead;

pub use collect::NamedCounters;
use collect::{Collected, Collector};
pub use events::{EventsRequest, PlannedRun, planned_runs};
pub use fault::CounterFault;
pub use findings::{CounterFindings, ImportedProfile};
pub use format::CounterFormat;
pub use note::CounterNote;
pub use role::CounterRole;
use role_value::{FilePhase, PhaseFiles};
pub use series::{LOAD_INTERVALS_MIN, LOAD_LEVELS_MAX};
pub use sheet::{CounterEvent, CounterFactor, CounterSheet, CounterSheetProblem, CounterUnit};
use sums::{CounterKey, CounterSum, PhaseCounts};
pub use text::COUNTER_LINE_MAX;
use text::CounterLines;

use crate::profile::Profile;

/// What one file holds.
#[derive(Clone, Debug)]
pub struct CounterReadings {
    format: CounterFormat,
    collected: Collected,
}

impl CounterReadings {
    /// Whose output it is.
    #[must_use]
    pub const fn format(&self) -> CounterFormat {
        self.format
    }
}

/// What is known besides the counters.
#[derive(Clone, Copy, Debug, Default)]
pub struct CounterContext<'a> {
    /// Name of the program.
    pub name: &'a str,
    /// How the profile is made: the command.
    pub made_by: &'a str,
    /// The memory that it ran on, as `MODULE@SYSTEM`; empty where it is not known.
    pub baseline: &'a str,
    /// Cores that ran it, where the user says so.
    pub cores: Option<u32>,
    /// Seconds that it took, where the user says so.
    pub seconds: Option<f64>,
    /// What the bus of the memory carries, in bytes a second.
    pub bus_bytes_per_s: Option<f64>,
    /// Lines that a core can have under way.
    pub misses: Option<f64>,
    /// Cores that the system has.
    pub system_cores: Option<u32>,
    /// The core whose counters they are, as the user names it.
    pub cpu: Option<&'a str>,
}

impl CounterContext<'_> {
    fn suffices(&self, command: &str) -> String {
        format!(
            "{command} --cpu {} prints what to run",
            self.cpu.unwrap_or("CORE")
        )
    }
}

/// Reads one file of counters. The content says whose it is. `expected` is the core that the user named, by its place among
/// `sheets`.
///
/// # Errors
/// Where no tool writes such a file, where it is cut off or a line is not what the tool writes, where counters are of
/// another core, events stand twice or intervals overlap.
pub fn read_counters<R: BufRead>(
    reader: R,
    sheets: &[NamedCounters<'_>],
    expected: Option<usize>,
) -> Result<CounterReadings, CounterFault> {
    let mut lines = CounterLines::new(reader);
    let mut collector = Collector::new(sheets, expected);
    let format = loop {
        let Some((line, text, _)) = lines.next()? else {
            return Err(CounterFault::Empty);
        };
        if let Some(format) = CounterFormat::of(line, text)? {
            break format;
        }
        if let Some(comment) = text.trim().strip_prefix("# ")
            && !comment.starts_with("started on")
        {
            collector.processor(line, comment)?;
        }
    };
    lines.give_again();
    match format {
        CounterFormat::PerfCsv => perf_csv::read(&mut lines, &mut collector),
        CounterFormat::PerfJson => perf_json::read(&mut lines, &mut collector),
        CounterFormat::Toplev => toplev::read(&mut lines, &mut collector),
        CounterFormat::PerfSpect => perfspect::read(&mut lines, &mut collector),
        CounterFormat::Likwid => likwid::read(&mut lines, &mut collector),
        CounterFormat::Pcm => pcm::read(&mut lines, &mut collector),
    }?;
    let collected = collector.finish()?;
    Ok(CounterReadings { format, collected })
}

/// Makes a profile of what one file or several hold. Several are runs of the same work: what the first does not have is taken
/// from the next, by its rate.
///
/// # Errors
/// When lines read or cores cannot be found, when files are of two kinds of cores, or when counts are impossible: more bytes
/// than the bus carries, more lines under way than the cores can have.
pub fn import_counters(
    files: &[CounterReadings],
    sheets: &[NamedCounters<'_>],
    context: &CounterContext<'_>,
) -> Result<ImportedProfile, CounterFault> {
    let mut notes: Vec<CounterNote> = Vec::new();
    let mut add = |note: &CounterNote| {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    };
    files
        .iter()
        .flat_map(|file| &file.collected.notes)
        .for_each(&mut add);
    let is_unsupported = |note: &&CounterNote| matches!(note, CounterNote::NotSupported { .. });
    let all = files.iter().flat_map(|file| &file.collected.notes);
    let unsupported: Vec<&CounterNote> = all.filter(is_unsupported).collect();
    let (core, alike) = core_of(files, sheets)?;
    if let Some(note) = &alike {
        add(note);
    }
    let sheet = core.map(|index| sheets[index].sheet);
    let context = &CounterContext {
        cpu: context.cpu.or(core
            .filter(|_| alike.is_none())
            .map(|index| sheets[index].id)),
        ..*context
    };
    let mut names: Vec<&str> = Vec::new();
    for phase in files.iter().flat_map(|file| &file.collected.phases) {
        if !names.contains(&phase.name.as_str()) {
            names.push(&phase.name);
        }
    }
    if names.is_empty() {
        names.push("all");
    }
    let (mut phases, mut findings, mut cores) = (Vec::new(), Vec::new(), None);
    for name in names {
        let of_file = |file: &'_ CounterReadings| {
            file.collected
                .phases
                .iter()
                .position(|phase| phase.name == name)
        };
        let counts = files
            .iter()
            .filter_map(|file| Some(&file.collected.phases[of_file(file)?]));
        let timed: Vec<FilePhase<'_>> = counts
            .map(|counts| FilePhase {
                counts,
                seconds: seconds_of(counts, context).unwrap_or(0.0),
            })
            .collect();
        let files = phase_files(timed, sheet, &mut add);
        let of_phase = match cores {
            Some(cores) => cores,
            None => *cores.insert(cores_of(&files, context, &mut add)?),
        };
        let derived = derive::derive(name, &files, of_phase, context)
            .map_err(|fault| with_reasons(fault, &unsupported))?;
        derived.notes.iter().for_each(&mut add);
        phases.push(derived.phase);
        findings.push(derived.findings);
    }
    let profile = Profile {
        schema: Profile::SCHEMA,
        name: context.name.to_owned(),
        made_by: context.made_by.to_owned(),
        baseline: context.baseline.to_owned(),
        cores: cores.unwrap_or(1),
        phases,
    };
    // What is written can be read again.
    let profile = Profile::from_json(&profile.to_json())?;
    let mut formats: Vec<CounterFormat> = Vec::new();
    for file in files {
        if !formats.contains(&file.format) {
            formats.push(file.format);
        }
    }
    Ok(ImportedProfile {
        profile,
        formats,
        core: core.map(|index| sheets[index].id.to_owned()),
        findings,
        notes,
    })
}

/// Names what the machine could not count beside what is missing.
fn with_reasons(mut fault: CounterFault, unsupported: &[&CounterNote]) -> CounterFault {
    if let CounterFault::Missing { why, .. } = &mut fault {
        for note in unsupported.iter().take(4) {
            if let CounterNote::NotSupported { event, line } = note {
                why.push(format!(
                    "line {line}: {event} is not supported on this machine"
                ));
            }
        }
    }
    fault
}

/// The core that the events of all files can be of, and what to say where they can be of several.
fn core_of(
    files: &[CounterReadings],
    sheets: &[NamedCounters<'_>],
) -> Result<(Option<usize>, Option<CounterNote>), CounterFault> {
    let has_events = |file: &&CounterReadings| {
        let phases = &file.collected.phases;
        phases.iter().any(|phase| {
            phase
                .sums
                .keys()
                .any(|key| matches!(key, CounterKey::Event(_)))
        })
    };
    let mut fits: Option<Vec<usize>> = None;
    for file in files.iter().filter(has_events) {
        let own = &file.collected.fits;
        fits = Some(match fits {
            None => own.clone(),
            Some(fits) => {
                let both: Vec<usize> = fits
                    .iter()
                    .copied()
                    .filter(|index| own.contains(index))
                    .collect();
                if both.is_empty() {
                    let name =
                        |of: &[usize]| of.first().map_or("", |index| sheets[*index].id).to_owned();
                    return Err(CounterFault::Missing {
                        what: "one core whose counters all files are",
                        why: vec![format!(
                            "one file is of {}, another of {}",
                            name(&fits),
                            name(own)
                        )],
                        suffices: "give the files of one machine".to_owned(),
                    });
                }
                both
            }
        });
    }
    let fits = fits.unwrap_or_default();
    let Some((first, others)) = fits.split_first() else {
        return Ok((None, None));
    };
    let id = |index: &usize| sheets[*index].id.to_owned();
    let note = (!others.is_empty()).then(|| CounterNote::Alike {
        taken: id(first),
        others: others.iter().map(id).collect(),
    });
    Ok((Some(*first), note))
}

/// Seconds that a file's part of a phase took.
fn seconds_of(counts: &PhaseCounts, context: &CounterContext<'_>) -> Option<f64> {
    let clock = CounterKey::Event("duration_time".to_owned());
    let stated = [clock, CounterKey::Role(CounterRole::ElapsedTime)];
    let of_key = |key: &CounterKey| counts.sums.get(key).and_then(CounterSum::value);
    let all = (counts.seconds > 0.0).then_some(counts.seconds);
    let nanoseconds = || {
        stated
            .iter()
            .find_map(of_key)
            .filter(|nanoseconds| *nanoseconds > 0.0)
    };
    context
        .seconds
        .or(all)
        .or_else(|| Some(nanoseconds()? / 1e9))
}

/// The files of a phase, that of the profile first.
fn phase_files<'a>(
    mut timed: Vec<FilePhase<'a>>,
    sheet: Option<&'a CounterSheet>,
    add: &mut impl FnMut(&CounterNote),
) -> PhaseFiles<'a> {
    let known = timed
        .iter()
        .map(|file| file.seconds)
        .filter(|seconds| *seconds > 0.0);
    let (shortest, longest) = known.fold((f64::INFINITY, 0.0), |(least, most), seconds| {
        (seconds.min(least), seconds.max(most))
    });
    if longest <= 0.0 {
        add(&CounterNote::NoTime);
    } else if longest > 1.05 * shortest {
        add(&CounterNote::RunsDiffer { shortest, longest });
    }
    let taken = if longest > 0.0 { longest } else { 1.0 };
    for file in &mut timed {
        if file.seconds <= 0.0 {
            file.seconds = taken;
        }
    }
    let mut files = PhaseFiles {
        files: timed,
        sheet,
        seconds: taken,
    };
    // The run that has lines is the one that the profile is of; rather one that tells reads from writes.
    let has = |index: &usize, role: CounterRole| {
        let one = PhaseFiles {
            files: vec![files.files[*index]],
            sheet,
            seconds: taken,
        };
        one.role(role).is_some()
    };
    let with = |role: CounterRole| (0..files.files.len()).find(|index| has(index, role));
    let with_lines = with(CounterRole::LinesRead).or_else(|| with(CounterRole::LinesMoved));
    if let Some(index) = with_lines {
        files.files[..=index].rotate_right(1);
    }
    files.seconds = files.files.first().map_or(taken, |file| file.seconds);
    files
}

/// Cores that ran it.
fn cores_of(
    files: &PhaseFiles<'_>,
    context: &CounterContext<'_>,
    add: &mut impl FnMut(&CounterNote),
) -> Result<u32, CounterFault> {
    if let Some(cores) = context.cores {
        return Ok(cores);
    }
    let used = files
        .role(CounterRole::ProcessorTime)
        .map(|time| time.value / 1e9 / files.seconds);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // Cut to what processors there can be.
    let whole_number = |cores: f64| cores.clamp(1.0, 1e6) as u32;
    let taken = match (context.system_cores, used) {
        (_, Some(used)) if !files.is_whole_machine() => (
            whole_number((used - 0.05).ceil()),
            "which the processor time of the program comes to",
        ),
        (Some(cores), _) => (cores, "all of the system that --on names"),
        (None, Some(used)) => (
            whole_number(used.round()),
            "the processors that were counted",
        ),
        (None, None) => {
            return Err(CounterFault::Missing {
                what: "how many cores ran it",
                why: Vec::new(),
                suffices: "state --cores N, or the memory with --on MODULE@SYSTEM".to_owned(),
            });
        }
    };
    add(&CounterNote::CoresTaken {
        cores: taken.0,
        from: taken.1,
    });
    Ok(taken.0)
}

#[cfg(test)]
mod damage;
#[cfg(test)]
mod fault_tests;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;
