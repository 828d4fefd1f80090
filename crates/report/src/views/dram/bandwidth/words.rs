//! What the rows of `wordline dram bandwidth` say, in plain words.

use wordline_core::{Axis, Metric};

use super::{DRAM, MISSES, Mixes, alone, bound};
use crate::answer::IN_WORDS;
use crate::cause;
use crate::pivot::PivotLine;
use crate::text;
use crate::views::dram::{ModuleLines, gain, greatest, points};

/// The least part of a gain that is told in words.
const LEAST: f64 = 0.002;

pub(in crate::views::dram) fn sentences(view: &ModuleLines<'_, '_>) -> Vec<String> {
    let mut sentences = Vec::new();
    for mixes in &Mixes::all_of(view) {
        let Some(mix) = mixes.mixes.first() else {
            continue;
        };
        let targets = view.targets.iter().take(IN_WORDS);
        for (index, target) in targets.clone().enumerate() {
            let Some(line) = mixes.line(target, mix) else {
                continue;
            };
            sentences.extend(carried(view, mixes, target, mix, line));
            if index > 0 {
                sentences.extend(explained(view, mixes, target, mix));
                sentences.extend(banded(view, mixes, target, mix));
            }
        }
        for target in targets {
            let line = mixes.line(target, mix);
            sentences.extend(line.and_then(|line| little(view, target, line)));
        }
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

/// "B carries 815 GB/s of reads, +37.9 % over the 591 GB/s of A (band +36.0 % to +41.2 %)."
fn carried<'a>(
    view: &ModuleLines<'a, '_>,
    mixes: &Mixes<'a, '_>,
    target: &'a str,
    mix: &str,
    line: &PivotLine<'_>,
) -> Option<String> {
    let throughput = line.number(Metric::ThroughputMean)?;
    let rate = text::rate(throughput);
    let mut sentence = format!(
        "{target} carries {rate} of {}{}",
        in_words(mix),
        mixes.suffix()
    );
    if let Some(data) = line.number(Metric::BusUtilization) {
        sentence += &format!(
            ", {} of what its buses can",
            text::percent(data, text::DIGITS)
        );
    }
    let ratio = mixes
        .ratio(target, mix)
        .and_then(|line| line.number(Metric::ThroughputRatio));
    if let (Some(ratio), Some(first)) = (ratio, view.targets.first()) {
        sentence += &format!(": {} over {}", gain(ratio), view.short(first));
        if let Some((low, high)) = mixes.band(target, mix) {
            sentence += &format!(
                ", between {} and {} over all undisclosed choices",
                gain(low),
                gain(high)
            );
        }
    }
    Some(sentence + ".")
}

/// "Where the difference of B comes from: faster bus +37.5 %, refresh -0.4 %."
fn explained<'a>(
    view: &ModuleLines<'a, '_>,
    mixes: &Mixes<'a, '_>,
    target: &'a str,
    mix: &str,
) -> Option<String> {
    let parts = parts(mixes.ratio(target, mix)?)?;
    let who = view.short(target);
    Some(format!(
        "Where the difference of {who} comes from: {parts}."
    ))
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
fn banded<'a>(
    view: &ModuleLines<'a, '_>,
    mixes: &Mixes<'a, '_>,
    target: &'a str,
    mix: &str,
) -> Option<String> {
    let end = |name: &str, word: &str| {
        let line = mixes.end(target, mix, name)?;
        let (choice, setting) = (
            line.head().text(Axis::Choice)?,
            line.head().text(Axis::Setting)?,
        );
        let ratio = line.number(Metric::ThroughputRatio)?;
        Some(format!("{word} {} with {choice} = {setting}", gain(ratio)))
    };
    let ends: Vec<_> = [end("band_low", "least"), end("band_high", "most")]
        .into_iter()
        .flatten()
        .collect();
    if ends.is_empty() {
        return None;
    }
    let chance = chance(mixes, target, mix).map(|most| {
        let most = text::tenths(most);
        format!("; chance alone, by other seeds, moves it by up to {most}")
    });
    let (who, ends) = (view.short(target), ends.join(", "));
    Some(format!(
        "The gain of {who} is {ends}{}.",
        chance.unwrap_or_default()
    ))
}

/// How far other seeds move a gain.
fn chance(mixes: &Mixes<'_, '_>, target: &str, mix: &str) -> Option<f64> {
    let plain = mixes.ratio(target, mix)?.number(Metric::ThroughputRatio)?;
    let seeds = mixes
        .variations(target, mix)
        .filter(|line| line.head().text(Axis::Choice) == Some("seed"));
    let off = seeds.filter_map(|line| Some((line.number(Metric::ThroughputRatio)? - plain).abs()));
    off.max_by(f64::total_cmp)
}

/// Little's law: what bounds the throughput.
fn little<'a>(view: &ModuleLines<'a, '_>, target: &'a str, line: &PivotLine<'_>) -> Option<String> {
    let (mean, most) = (
        line.number(Metric::OutstandingMean)?,
        line.number(Metric::OutstandingMax)?,
    );
    let takes = line.number(Metric::LatencyMean)?;
    let time = |seconds| text::number(Metric::LatencyMean, seconds, text::DIGITS);
    let bound = match bound(line)? {
        DRAM => "the DRAM is the bound",
        MISSES => "the lines that the cores can have under way are the bound",
        _ => "the cores ask for no more",
    };
    let against = alone(view, line).map(|alone| format!(" instead of {} alone", time(alone)));
    Some(format!(
        "{}: {mean:.0} of at most {most:.0} lines are under way, and a read takes {}{} (Little's law): {bound}.",
        view.short(target),
        time(takes),
        against.unwrap_or_default()
    ))
}
