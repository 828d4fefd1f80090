//! What multichase prints: one time in ns for a run, alone or behind its options and samples (`-v`).
//!
//! Runs may stand one after the other. The options of a run are taken from a line of the shell in front of it
//! (`multichase -m 1g -s 256`), or from what `-v` prints; without either they are unknown. The time is the best of the
//! samples, or their mean with `-a`.

use super::text::{RunLine, RunText, suffixed};
use super::{
    MeasuredError, MeasuredNote, MeasuredPoint, MeasuredRun, MeasuredTest, MeasuredTool, PointOrder,
};

/// What it does without options, as its README states.
const MEMORY_BYTES: u64 = 256 << 20;

/// Settings that `-v` prints.
const SETTINGS: [&str; 8] = [
    "nr_mixer_indices",
    "base_object_size",
    "nr_threads",
    "page_size",
    "total_memory",
    "stride",
    "tlb_locality",
    "chase",
];

/// Options that no value follows.
const FLAGS: [&str; 10] = ["-a", "-N", "-o", "-H", "-L", "-M", "-X", "-y", "-v", "-h"];

/// What is known of the run whose time comes next.
#[derive(Clone, Default)]
struct ChaseSettings {
    bytes: Option<u64>,
    threads: Option<u32>,
    order: Option<PointOrder>,
    words: Option<String>,
    is_mean: bool,
}

/// Whether a text has lines of one number, or lines that only multichase prints.
pub(super) fn looks_like(text: &RunText) -> bool {
    let is_sure = |line: &RunLine| {
        options(&line.text).is_some() || line.text.starts_with("samples (one column per thread")
    };
    let is_number = |line: &RunLine| line.text.parse::<f64>().is_ok();
    let mut told = text.lines.iter().filter(|line| !line.text.starts_with('#'));
    text.lines.iter().any(is_sure) || told.next().is_some_and(is_number)
}

/// The options of a line of the shell that runs it.
fn options(text: &str) -> Option<impl Iterator<Item = &str>> {
    let mut words = text.split_whitespace();
    // Whatever stands in front: a prompt, sudo, taskset, numactl.
    let program = words.by_ref().find(|word| {
        let name = word.rsplit('/').next().unwrap_or_default();
        name == "multichase"
    });
    program.map(|_| words)
}

pub(super) fn read(text: &RunText) -> Result<MeasuredRun, MeasuredError> {
    let mut run = MeasuredRun::new(MeasuredTool::Multichase);
    let mut settings = ChaseSettings::default();
    let mut are_best = false;
    let mut in_samples = None;
    let mut without_result = None;
    for line in &text.lines {
        if line.text.starts_with('#') || line.text.starts_with("timed out:") {
            continue;
        }
        if let Some(words) = options(&line.text) {
            settings = command(line, words)?;
            without_result = Some(line.number);
            run.command = settings.words.clone();
        } else if line.text.starts_with("samples (one column per thread") {
            in_samples = Some(line.number);
        } else if line.text.contains("avg=") && in_samples.is_some() {
            // A sample: the result stands alone behind the last one.
        } else if let Some((name, value)) = line.text.split_once(" = ")
            && SETTINGS.contains(&name)
        {
            setting(line, name, value, &mut settings)?;
        } else if line.text == "malloc allocation" {
        } else if let Some(latency) = result(line)? {
            are_best |= !settings.is_mean;
            in_samples = None;
            without_result = None;
            run.points.push(MeasuredPoint {
                latency: Some(latency),
                buffer_bytes: settings.bytes,
                threads: settings.threads,
                order: settings.order,
                words: settings.words.clone(),
                ..MeasuredPoint::new(line.number, MeasuredTest::Latency)
            });
        } else {
            return Err(MeasuredError::Line {
                line: line.number,
                tool: MeasuredTool::Multichase,
                found: crate::lines::shown(&line.text),
                expected: "one time in ns, its options or its samples",
            });
        }
    }
    if let Some(line) = in_samples {
        return Err(MeasuredError::Cut {
            line,
            what: "a list of samples",
            lacking: "no result follows",
        });
    }
    text.check_end(&mut run)?;
    if let Some(line) = without_result {
        run.note(MeasuredNote::NoResult { line });
    }
    run.note(MeasuredNote::NoVersion);
    if are_best {
        run.note(MeasuredNote::BestOf { samples: None });
    }
    Ok(run)
}

/// The time of a run in seconds, perhaps behind a time stamp (`-y`); none for a line that is no number.
fn result(line: &RunLine) -> Result<Option<f64>, MeasuredError> {
    /// Seconds since 1970 of 2001, which no latency in ns is.
    const STAMP_MIN: f64 = 1e9;
    let words: Vec<&str> = line.words().collect();
    let word = match words.as_slice() {
        [word] => word,
        [stamp, word] if stamp.parse::<f64>().is_ok_and(|stamp| stamp > STAMP_MIN) => word,
        _ => return Ok(None),
    };
    if word.parse::<f64>().is_err() {
        return Ok(None);
    }
    Ok(Some(line.positive("the latency", word)? * 1e-9))
}

/// The options of a line of the shell.
fn command<'a>(
    line: &RunLine,
    words: impl Iterator<Item = &'a str>,
) -> Result<ChaseSettings, MeasuredError> {
    let mut settings = ChaseSettings {
        bytes: Some(MEMORY_BYTES),
        threads: Some(1),
        order: Some(PointOrder::Random),
        ..ChaseSettings::default()
    };
    // What the shell does behind is none of its options.
    let words: Vec<&str> = words
        .take_while(|word| !matches!(*word, "|" | ">" | ">>" | ";" | "&&" | "2>&1"))
        .collect();
    let mut rest = words.iter();
    while let Some(&word) = rest.next() {
        if word == "-o" {
            settings.order = Some(PointOrder::Sequential);
        }
        settings.is_mean |= word == "-a";
        if FLAGS.contains(&word) || !word.starts_with('-') {
            continue;
        }
        // The value may touch its option.
        let (option, value) = match word.char_indices().nth(2) {
            Some((at, _)) => word.split_at(at),
            None => (word, rest.next().copied().unwrap_or_default()),
        };
        match option {
            "-m" => {
                let bytes = suffixed(value);
                let bytes = bytes.ok_or_else(|| {
                    line.number_error("the size of -m", value, "a whole number with k, m or g")
                })?;
                settings.bytes = Some(bytes);
            }
            "-t" => settings.threads = Some(line.whole("the number of threads of -t", value)?),
            _ => {}
        }
    }
    settings.words = Some(words.join(" ")).filter(|words| !words.is_empty());
    Ok(settings)
}

/// A setting that `-v` prints.
fn setting(
    line: &RunLine,
    name: &str,
    value: &str,
    settings: &mut ChaseSettings,
) -> Result<(), MeasuredError> {
    let first = value.split_whitespace().next().unwrap_or_default();
    match name {
        "total_memory" => settings.bytes = Some(line.whole("the size of the memory", first)?),
        "nr_threads" => settings.threads = Some(line.whole("the number of threads", first)?),
        "chase" if settings.words.is_none() => settings.words = Some(format!("-c {value}")),
        _ => {}
    }
    Ok(())
}
