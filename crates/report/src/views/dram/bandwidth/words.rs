//! What the rows of `wordline dram bandwidth` say, in plain words.

use wordline_core::{Axis, Metric};

use super::{
    DRAM, MISSES, Mixes, SEED, alone, bound, estimated, explained, over_first, ratio_band,
};
use crate::answer::IN_WORDS;
use crate::cause;
use crate::pivot::LineField::Of;
use crate::pivot::{ANY, At, Pivot, PivotLine};
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
                sentences.extend(gained(pivot, line));
                sentences.extend(banded(pivot, line));
                sentences.extend(kept(line).map(|words| format!("Of {words}.")));
                sentences.extend(narrowed(line));
                sentences.extend(reduced(line));
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

/// "B carries 815 GB/s of reads. That is +37.9 % over A."
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
    }
    Some(sentence + ".")
}

/// "The gain of B comes from: faster bus +37.5 %, refresh -0.4 %."
fn gained(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<String> {
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

/// "B gains +12.0 % to +38.0 % (5 to 95 % of 64 joint draws of undisclosed choices), +31.0 % at the median."
fn banded(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<String> {
    let (low, high) = ratio_band(line)?;
    Some(format!(
        "{} gains {} to {} (5 to 95 % of {} joint draws of undisclosed choices), {} at the median.",
        pivot.short(line.head()),
        gain(low),
        gain(high),
        text::count(over_first(line, Metric::DrawCount)?),
        gain(estimated(line, Metric::ThroughputRatio, "drawn_median")?)
    ))
}

/// "64 draws 41 give the 563 GB/s that a machine with A was measured at, within 4 %; the band is theirs": which draws count.
pub(in crate::views::dram) fn kept(line: &PivotLine<'_>) -> Option<String> {
    let drawn = estimated(line, Metric::DrawCount, "drawn")?;
    let kept = over_first(line, Metric::DrawCount)?;
    let at = |metric| line.all_at(metric, MEASURED);
    let given = at(Metric::ThroughputMeasured).zip(at(Metric::MeasuredTolerance));
    let given = given.filter_map(|(rate, within)| {
        let target = rate.text(Axis::MeasuredModule)?;
        Some(format!(
            "the {} that a machine with {} was measured at, within {}",
            text::rate(rate.value?),
            target.split('@').next()?,
            text::percent(within.value?, 2)
        ))
    });
    let given: Vec<_> = given.collect();
    (!given.is_empty()).then(|| {
        format!(
            "{} draws {} give {}; the band is theirs",
            text::count(drawn),
            text::count(kept),
            given.join(" and ")
        )
    })
}

/// "What would narrow that: refresh explains 41 % of the variance, hash 12 %, chance 9 %."
fn narrowed(line: &PivotLine<'_>) -> Option<String> {
    Some(format!("What would narrow that: {}.", narrowing(line)?))
}

/// Where what was measured stands.
const MEASURED: &At = &[(Of(Axis::MeasuredModule), ANY), (Of(Axis::Over), ANY)];

/// Choices that are put in words.
const CHOICES: usize = 3;

/// "refresh explains 41 % of the variance, hash 12 %, chance 9 %": the choices that explain most of a band, and chance.
pub(in crate::views::dram) fn narrowing(line: &PivotLine<'_>) -> Option<String> {
    let all = explained(line);
    if all.is_empty() {
        return None;
    }
    let percent = |share: f64| text::percent(share, 2);
    let mut sure = all
        .iter()
        .filter(|one| one.choice != SEED && one.is_sure())
        .take(CHOICES);
    let mut words = match sure.next() {
        Some(one) => format!(
            "{} explains {} of the variance",
            one.choice,
            percent(one.share)
        ),
        None => "no choice explains much by itself".to_owned(),
    };
    for one in sure {
        words += &format!(", {} {}", one.choice, percent(one.share));
    }
    if let Some(chance) = all.iter().find(|one| one.choice == SEED) {
        words += &format!(", chance {}", percent(chance.share));
    }
    Some(words)
}

/// "Draws run on a part of the system, which is off by -0.1 % ± 0.8 %; the band is corrected by that."
fn reduced(line: &PivotLine<'_>) -> Option<String> {
    Some(format!(
        "Draws run on a part of the system, whose gain is off by {}; the band is corrected by that.",
        part_error(line)?
    ))
}

/// "-0.1 % ± 0.8 %": how far the ratio on the part lies from that on the whole.
pub(in crate::views::dram) fn part_error(line: &PivotLine<'_>) -> Option<String> {
    let off = over_first(line, Metric::ReductionError)?;
    let high = estimated(line, Metric::ReductionError, "confidence_high")?;
    Some(format!("{} ± {}", points(off), text::tenths(high - off)))
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
