//! What the repeats of a measurement say, of any workload: its interval, its longest access, and whether it was disturbed.

use wordline_core::{Axis, Metric};

use crate::pivot::LineField::{self, Of};
use crate::pivot::{Pivot, PivotLine, ascending};
use crate::text;

/// A value of a metric that is a statistic of the repeats.
fn of(line: &PivotLine<'_>, metric: Metric, statistic: &str) -> Option<f64> {
    let at: [(LineField, &str); 1] = [(Of(Axis::Statistic), statistic)];
    line.at(metric, &at)?.value
}

fn is_disturbed(line: &PivotLine<'_>) -> bool {
    line.number(Metric::Disturbance)
        .is_some_and(|code| code > 0.0)
}

/// What follows a figure that the machine disturbed; nothing elsewhere.
pub(super) fn mark(line: &PivotLine<'_>) -> &'static str {
    match is_disturbed(line) {
        true => " ?",
        false => "",
    }
}

/// A value, and of repeats how far the farther end of its interval lies from it: "5.72 M/s ±1.4 %".
pub(super) fn median(line: &PivotLine<'_>, metric: Metric) -> Option<String> {
    let told = line.told(metric)?;
    let end = |statistic| of(line, metric, statistic);
    let ends = line.number(metric).zip(end("low").zip(end("high")));
    let reach = ends.map(|(median, (low, high))| {
        let farther = (high - median).max(median - low);
        format!(" ±{}", text::percent(farther / median, 2))
    });
    Some(told + &reach.unwrap_or_default() + mark(line))
}

/// The longest access, and in brackets the median of the longest of each repeat: "4.1 ms (2.3 µs)".
pub(super) fn longest(line: &PivotLine<'_>) -> Option<String> {
    let told = line.told(Metric::LatencyMax)?;
    let median = of(line, Metric::LatencyMax, "median");
    let median = median.map(|median| {
        let median = text::number(Metric::LatencyMax, median, text::DIGITS);
        format!(" ({median})")
    });
    Some(told + &median.unwrap_or_default())
}

/// What the signs in tables and sentences mean, where something was repeated, with a metric for how fast it is.
pub(super) fn legend(pivot: &Pivot<'_>, rate: Metric) -> Vec<String> {
    let measured = pivot.select(|line| line.number(Metric::Repeats).is_some());
    let counts = measured
        .iter()
        .filter_map(|line| line.number(Metric::Repeats));
    let counts = ascending(counts);
    let (Some(least), Some(most)) = (counts.first(), counts.last()) else {
        return Vec::new();
    };
    let count = match least == most {
        true => format!("{most:.0}"),
        false => format!("{least:.0} to {most:.0}"),
    };
    let has_interval = |line: &&PivotLine<'_>| of(line, rate, "low").is_some();
    let interval = match measured.iter().any(has_interval) {
        true => ", ± their 95 % interval",
        false => "",
    };
    let mut sentences = vec![format!(
        "Measured rates are medians of {count} repeats{interval}. Max is the longest operation of all, in brackets the \
         median of each repeat's longest."
    )];
    let disturbed = measured.iter().filter(|line| is_disturbed(line)).count();
    if disturbed > 0 {
        sentences.push(format!(
            "Of {} measurements {disturbed} are marked ?: their repeats disagree or lost the processor. Do not take \
             them for figures of the memory.",
            measured.len()
        ));
    }
    sentences
}
