//! What the rows of `wordline dram bandwidth` say, in plain words.

use wordline_core::{Axis, Metric};

use super::{DRAM, MISSES, Mixes, alone, bound, estimates, ratio_band, screened};
use crate::answer::IN_WORDS;
use crate::cause;
use crate::pivot::{Pivot, PivotLine};
use crate::text;
use crate::views::dram::{gain, greatest, points, ratio, targets, time};

/// The least part of a gain that is put in words.
const LEAST: f64 = 0.002;

pub(in crate::views::dram) fn sentences(pivot: &Pivot<'_>) -> Vec<String> {
    let mut sentences = Vec::new();
    for mixes in &Mixes::all_of(pivot) {
        let first = mixes.mixes.first();
        let targets = targets(pivot).into_iter().take(IN_WORDS);
        let lines = targets.enumerate().filter_map(|(index, target)| {
            let line = mixes.line(target, first?)?;
            Some((index, line))
        });
        let lines: Vec<_> = lines.collect();
        for (index, line) in &lines {
            sentences.extend(carried(pivot, mixes, line));
            if *index > 0 {
                sentences.extend(explained(pivot, line));
                sentences.extend(banded(pivot, line));
            }
        }
        sentences.extend(lines.iter().filter_map(|(_, line)| little(pivot, line)));
    }
    sentences
}

/// What a mix is in a sentence.
fn in_words(mix: &str) -> String {
    match mix {
        "1:0" => "reads".to_owned(),
        "triad" => "stream triad".to_owned(),
        ratio => format!("reads and writes at {ratio}"),
    }
}

/// "B carries 815 GB/s of reads. That is +37.9 % over A, between +36.0 % and +41.2 % over all undisclosed choices."
fn carried(pivot: &Pivot<'_>, mixes: &Mixes<'_, '_>, line: &PivotLine<'_>) -> Option<String> {
    let mut sentence = format!(
        "{} carries {} of {}{}",
        line.head().target,
        text::rate(line.number(Metric::ThroughputMean)?),
        in_words(super::mix(line)),
        mixes.suffix
    );
    if let Some(data) = line.number(Metric::BusUtilization) {
        sentence += &format!(
            ", {} of what its buses can",
            text::percent(data, text::DIGITS)
        );
    }
    if let Some(ratio) = ratio(line) {
        sentence += &format!(". That is {} over {}", gain(ratio), pivot.first());
        if let Some((low, high)) = ratio_band(line) {
            sentence += &format!(
                ", between {} and {} over all undisclosed choices",
                gain(low),
                gain(high)
            );
        }
    }
    Some(sentence + ".")
}

/// "The gain of B comes from: faster bus +37.5 %, refresh -0.4 %."
fn explained(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<String> {
    let who = pivot.short(line.head());
    Some(format!("The gain of {who} comes from: {}.", parts(line)?))
}

/// The greatest parts of a gain.
pub(in crate::views::dram) fn parts(line: &PivotLine<'_>) -> Option<String> {
    let told = greatest(line.parts(Metric::ThroughputRatioPart), LEAST);
    let told: Vec<_> = told
        .iter()
        .map(|(part, value)| format!("{} {}", cause::name(part), points(*value)))
        .collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// Which choices make the ends of the band.
fn banded(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<String> {
    let end = |name: &str, word: &str| {
        let row = *estimates(line, name).first()?;
        let (choice, setting) = (row.text(Axis::Choice)?, row.text(Axis::Setting)?);
        Some(format!(
            "{word} {} with {choice} = {setting}",
            gain(row.value?)
        ))
    };
    let ends = [end("band_low", "least"), end("band_high", "most")];
    let ends: Vec<_> = ends.into_iter().flatten().collect();
    let chance = chance(line).map(|most| {
        let most = text::tenths(most);
        let runs = screened(line).map_or("", |_| " of a short run");
        format!(". Chance alone, by other seeds, moves it by up to {most}{runs}")
    });
    let (who, chance) = (pivot.short(line.head()), chance.unwrap_or_default());
    (!ends.is_empty()).then(|| format!("The gain of {who} is {}{chance}.", ends.join(", ")))
}

/// How far other seeds move a gain.
fn chance(line: &PivotLine<'_>) -> Option<f64> {
    let full = || Some((ratio(line)?, estimates(line, "sensitivity")));
    let (plain, mut rows) = screened(line).or_else(full)?;
    rows.retain(|row| row.text(Axis::Choice) == Some("seed"));
    let off = rows
        .iter()
        .filter_map(|row| Some((row.value? - plain).abs()));
    off.max_by(f64::total_cmp)
}

/// Little's law: what bounds the throughput.
fn little(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<String> {
    let (mean, most) = (
        line.number(Metric::OutstandingMean)?,
        line.number(Metric::OutstandingMax)?,
    );
    let takes = line.number(Metric::LatencyMean)?;
    let bound = match bound(line)? {
        DRAM => "the DRAM is the bound",
        MISSES => "the lines that the cores can have under way are the bound",
        _ => "the cores ask for no more",
    };
    let against = alone(line).map(|alone| format!(" instead of {} without any wait", time(alone)));
    Some(format!(
        "{}: {mean:.0} of at most {most:.0} lines are under way (Little's law): {bound}. A read takes {}{}.",
        pivot.short(line.head()),
        time(takes),
        against.unwrap_or_default()
    ))
}
