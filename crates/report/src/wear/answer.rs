//! What the rows say, in plain words.

use wordline_core::Metric;
use wordline_core::results::ResultSet;

use super::{Run, keys_that_differ};
use crate::answer::{IN_WORDS, Told};
use crate::text;

pub(crate) fn told(document: &ResultSet) -> Told {
    let runs = Run::all_of(document);
    let keys = keys_that_differ(&runs);
    let told = runs.iter().take(IN_WORDS);
    let mut sentences: Vec<String> = told
        .flat_map(|run| [endurance(run, &keys), latency(run)])
        .flatten()
        .collect();
    if !sentences.is_empty() {
        sentences.push(
            "Until a chip reports a failure says nothing of how long data keep: a lifetime is what the sheet rates."
                .to_owned(),
        );
    }
    Told {
        sentences,
        singly: false,
    }
}

/// "On nand08gw3b2c@b, first-page: half of 100 blocks stand 3780000 cycles, from 1210000 cycles to 9900000 cycles; the
/// sheet rates 100000 cycles."
fn endurance(run: &Run<'_>, keys: &[&str]) -> Option<String> {
    let value = |row| text::value(row, text::DIGITS);
    let median = run.statistic("median")?;
    let blocks = run.blocks();
    let shown = run
        .keys()
        .into_iter()
        .filter(|(name, _)| keys.contains(name));
    let shown: Vec<_> = shown
        .map(|(_, value)| value)
        .filter(|value| !value.is_empty())
        .collect();
    let spread = match (run.statistic("least"), run.statistic("most")) {
        (Some(least), Some(most)) => format!(", from {} to {}", value(least), value(most)),
        _ => String::new(),
    };
    let rated = run.specified("cycle", Metric::Endurance);
    let rated = rated.map_or_else(String::new, |row| {
        format!("; the sheet rates {}", value(row))
    });
    let (target, shown) = (&run.head().target, shown.join(", "));
    Some(match median.value {
        Some(_) => format!(
            "On {target}, {shown}: half of {blocks} blocks stand {}{spread}{rated}.",
            value(median)
        ),
        None => format!("On {target}, {shown}: half of {blocks} blocks did not fail{rated}."),
    })
}

/// "Programs take 268 us when fresh and 117 us at last; erases 1.20 ms and 6.00 ms, 4.0 times the mean of the first
/// 10,000."
fn latency(run: &Run<'_>) -> Option<String> {
    let time = |operation, metric| {
        let seconds = run.number(operation, metric)?;
        Some(text::number(metric, seconds, text::DIGITS))
    };
    let programs = match (
        time("program", Metric::LatencyMax),
        time("program", Metric::LatencyMin),
    ) {
        (Some(fresh), Some(last)) => {
            format!("Programs take {fresh} when they are slowest and {last} at last; erases ")
        }
        _ => "Erases take ".to_owned(),
    };
    let (fresh, last) = (
        time("erase", Metric::LatencyMin)?,
        time("erase", Metric::LatencyMax)?,
    );
    let ratio = run.number("erase", Metric::LatencyOverLife);
    let ratio = ratio.map_or_else(String::new, |ratio| {
        format!(", {} the mean of the first 10,000", text::factor(ratio))
    });
    Some(format!(
        "{programs}{fresh} at first and up to {last}{ratio}."
    ))
}
