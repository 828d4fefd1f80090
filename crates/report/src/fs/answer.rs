//! What the rows say, in plain words.

use wordline_core::Metric;
use wordline_core::results::ResultSet;

use super::Run;
use crate::answer::{IN_WORDS, Told};
use crate::text;

pub(crate) fn told(document: &ResultSet) -> Told {
    let runs = Run::all_of(document);
    let mut systems: Vec<(&str, String)> = Vec::new();
    for run in &runs {
        let system = (run.head().target.as_str(), run.system());
        if !systems.contains(&system) {
            systems.push(system);
        }
    }
    let mut sentences: Vec<String> = systems
        .iter()
        .take(IN_WORDS)
        .flat_map(|(target, system)| {
            let own = runs
                .iter()
                .filter(|run| run.head().target == *target && run.system() == *system);
            let own: Vec<_> = own.collect();
            [slowest(&own), power_cuts(&own)]
        })
        .flatten()
        .collect();
    if runs.iter().any(|run| run.row(Metric::LatencyMax).is_some()) {
        sentences.push(
            "Times are those of the memory and its driver; what the file system computes is not counted."
                .to_owned(),
        );
    }
    Told {
        sentences,
        singly: false,
    }
}

/// "On mt25ql128@b the slowest call of littlefs is append-small at 50 % fill: 12.3 s, of 3300 reads 8.40 s, 2 erases
/// 90.0 ms; half of such calls take up to 300 ms."
fn slowest(runs: &[&Run<'_>]) -> Option<String> {
    let calls = runs.iter().filter(|run| run.head().operation != "mount");
    let timed = calls.filter_map(|run| Some((run.number(Metric::LatencyMax)?, run)));
    let (latency, run) = timed.reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    let time = |seconds| text::number(Metric::LatencyMax, seconds, text::DIGITS);
    let consisted = match run.slowest() {
        none if none.is_empty() => String::new(),
        operations => format!(", of {operations}"),
    };
    let fill = match run.axis("fill") {
        none if none.is_empty() => String::new(),
        fill => format!(" at {fill} fill"),
    };
    let half = run.number(Metric::LatencyP50);
    let half = half.filter(|half| *half < latency).map(|half| {
        let half = time(half);
        format!("; half of such calls take up to {half}")
    });
    Some(format!(
        "On {} the slowest call of {} is {}{fill}: {}{consisted}{}.",
        run.head().target,
        run.system(),
        run.head().operation,
        time(latency),
        half.unwrap_or_default()
    ))
}

/// "Of 200 images that power cuts left of littlefs on mt25ql128@b, none breaks the promise."
fn power_cuts(runs: &[&Run<'_>]) -> Option<String> {
    let run = runs
        .iter()
        .find(|run| run.number(Metric::CrashImages).is_some())?;
    let images = run.number(Metric::CrashImages)?;
    let failures = match run.number(Metric::CrashFailures)? {
        0.0 => "none breaks".to_owned(),
        1.0 => "1 breaks".to_owned(),
        several => format!("{several:.0} break"),
    };
    Some(format!(
        "Of {images:.0} images that power cuts leave of {} on {}, {failures} the promise: old or new content and \
         nothing else, and what was synced is there.",
        run.system(),
        run.head().target
    ))
}
