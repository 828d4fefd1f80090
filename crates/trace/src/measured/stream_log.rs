//! What STREAM prints (McCalpin; version 5.10, and 5.9 with its other headings).
//!
//! Bandwidths are MB/s of 10⁶ bytes, of the best pass, and count the bytes that the program reads and stores: a line that a
//! store fetches first is not among them.

use super::text::{RunLine, RunText, leave_out, version_numbers};
use super::{
    MeasuredError, MeasuredNote, MeasuredPoint, MeasuredRun, MeasuredTest, MeasuredTool,
    MeasuredTraffic,
};

/// The kernels, in the order in which they are printed.
const KERNELS: [(&str, MeasuredTraffic); 4] = [
    ("Copy:", MeasuredTraffic::Copy),
    ("Scale:", MeasuredTraffic::Scale),
    ("Add:", MeasuredTraffic::Add),
    ("Triad:", MeasuredTraffic::Triad),
];

/// Where the version stands.
const VERSION: &str = "STREAM version $Revision:";

pub(super) fn is_mark(text: &str) -> bool {
    text.starts_with("STREAM version") || is_heading(text)
}

/// Whether a line holds the headings of the results.
fn is_heading(text: &str) -> bool {
    text.starts_with("Function") && text.contains("Rate") && text.contains("MB/s")
}

pub(super) fn read(text: &RunText) -> Result<MeasuredRun, MeasuredError> {
    let mut run = MeasuredRun::new(MeasuredTool::Stream);
    let (mut element, mut elements, mut passes) = (None, None, None);
    let mut threads = None;
    let mut heading = None;
    let mut is_valid = false;
    for line in &text.lines {
        if let Some(rest) = line.behind(VERSION) {
            version(line, rest.trim_end_matches('$').trim(), &mut run)?;
        } else if let Some(rest) = line.behind("This system uses") {
            element = first_whole(line, rest, "bytes of an element")?;
        } else if let Some(rest) = line.behind("Array size =") {
            elements = first_whole(line, rest, "elements of an array")?;
        } else if let Some(rest) = line.behind("Each kernel will be executed") {
            passes = first_whole(line, rest, "passes")?;
        } else if let Some(rest) = line.behind("Number of Threads") {
            let number = rest.rsplit('=').next().unwrap_or_default().trim();
            threads = Some(line.whole("the number of threads", number)?);
        } else if is_heading(&line.text) {
            heading = Some(line.number);
        } else if line.text.starts_with("Failed Validation") {
            return Err(MeasuredError::Failed {
                line: line.number,
                tool: MeasuredTool::Stream,
                found: crate::lines::shown(&line.text),
            });
        } else if line.text.starts_with("Solution Validates") {
            is_valid = true;
        } else if heading.is_some()
            && let Some((_, traffic)) = KERNELS
                .into_iter()
                .find(|(name, _)| line.text.starts_with(name))
        {
            let bandwidth = rate(line)?;
            let buffer = element.zip(elements);
            run.points.push(MeasuredPoint {
                traffic,
                bandwidth: Some(bandwidth),
                buffer_bytes: buffer.and_then(|(size, count): (u64, u64)| size.checked_mul(count)),
                threads,
                ..MeasuredPoint::new(line.number, MeasuredTest::Bandwidth)
            });
        }
    }
    let Some(heading) = heading else {
        return Err(MeasuredError::NoPoint {
            tool: MeasuredTool::Stream,
        });
    };
    let cut = |lacking| MeasuredError::Cut {
        line: heading,
        what: "the table of results",
        lacking,
    };
    if run.points.len() < KERNELS.len() {
        return Err(cut("lacks one of Copy, Scale, Add and Triad"));
    }
    text.check_end(&mut run)?;
    if !is_valid {
        return Err(cut("no line \"Solution Validates\" follows"));
    }
    if run.version.is_none() {
        run.note(MeasuredNote::NoVersion);
    }
    // The first pass does not count.
    let samples = passes.map(|passes: u64| passes.saturating_sub(1));
    run.note(MeasuredNote::BestOf { samples });
    Ok(run)
}

fn version(line: &RunLine, found: &str, run: &mut MeasuredRun) -> Result<(), MeasuredError> {
    if !matches!(version_numbers(found), Some((5, 9 | 10))) {
        return Err(MeasuredError::Version {
            line: line.number,
            tool: MeasuredTool::Stream,
            found: crate::lines::shown(found),
            allowed: "5.9 and 5.10",
        });
    }
    match &run.version {
        Some(known) if known != found => {
            leave_out(
                run,
                line.number,
                format!("the version {found} of a later run"),
            );
        }
        _ => run.version = Some(found.to_owned()),
    }
    Ok(())
}

fn first_whole(
    line: &RunLine,
    rest: &str,
    what: &'static str,
) -> Result<Option<u64>, MeasuredError> {
    let word = rest.split_whitespace().next().unwrap_or_default();
    line.whole(what, word).map(Some)
}

/// Bytes a second of a line of results: its name, the rate, and three times.
fn rate(line: &RunLine) -> Result<f64, MeasuredError> {
    // Rates above 10⁹ MB/s would touch the name.
    let (_, rest) = line.text.split_once(':').unwrap_or_default();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let &[rate, average, least, most] = words.as_slice() else {
        return Err(MeasuredError::Columns {
            line: line.number,
            what: "a kernel",
            found: words.len() + 1,
            expected: 5,
        });
    };
    for (what, word) in [
        ("the average time", average),
        ("the least time", least),
        ("the greatest time", most),
    ] {
        line.positive(what, word)?;
    }
    Ok(line.positive("the rate", rate)? * 1e6)
}
