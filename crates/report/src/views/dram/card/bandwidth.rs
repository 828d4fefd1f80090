//! Modules by what they carry, with the undisclosed choice that takes most of the gain.

use wordline_core::results::{CardPoint, CardSubject};
use wordline_core::{Axis, Metric};

use super::{ModuleRanking, energy, gains, point, runner_up, share, target, why};
use crate::card::FirstScreen;
use crate::pivot::{Pivot, PivotLine};
use crate::text;
use crate::views::dram::bandwidth::{Mixes, alone, estimates, ratio_band, screened, throughputs};
use crate::views::dram::{gain, mix, points as signed, time};

/// What is done with a mix of reads and writes.
fn verb(mix: &str) -> String {
    match mix {
        "1:0" => "reads".to_owned(),
        "triad" => "carries in stream triad".to_owned(),
        ratio => format!("carries at {ratio} reads to writes"),
    }
}

pub(super) fn card(pivot: &Pivot<'_>, mixes: &Mixes<'_, '_>) -> FirstScreen {
    let first_mix = mixes.mixes.first().copied().unwrap_or_default();
    let of_mix = |wanted: &str| {
        let lines = mixes
            .lines
            .iter()
            .copied()
            .filter(|line| mix(line) == wanted);
        ModuleRanking::of(
            lines.collect::<Vec<_>>().into_iter(),
            Metric::ThroughputMean,
        )
    };
    let ranking = of_mix(first_mix);
    let table = throughputs(pivot, mixes);
    let Some(best) = ranking.first() else {
        let sentence = "No module has a bandwidth; the table has what was found.".to_owned();
        return ranking.card(pivot, sentence, Vec::new(), table, None);
    };
    let line = best.line;
    let rate = text::rate(best.value.unwrap_or_default());
    let verb = verb(first_mix) + &mixes.suffix.replace(", ", " at ");
    let against = ranking.second();
    let band = against
        .filter(|second| pivot.short(second.line.head()) == pivot.first())
        .and_then(|_| ratio_band(line));
    let sentence = match (against, ranking.lead()) {
        (Some(second), Some(_)) if ranking.is_even() => format!(
            "{} and {} are alike: {verb} {rate}.",
            target(line),
            pivot.short(second.line.head())
        ),
        (Some(second), Some(lead)) => {
            let band = band.map_or_else(String::new, |(low, high)| {
                format!(" ({} over what makers do not disclose)", gains(low, high))
            });
            format!(
                "Take {}: it {verb} {rate}, {} more than {}{band}.",
                target(line),
                share(lead),
                pivot.short(second.line.head())
            )
        }
        _ => format!("{} {verb} {rate}.", target(line)),
    };
    let mut points = Vec::new();
    let others = mixes.mixes.iter().skip(1).filter_map(|mix| {
        let ranking = of_mix(mix);
        let first = ranking.first()?;
        let rate = text::rate(first.value?);
        let who = match target(first.line) == target(line) {
            true => String::new(),
            false => format!(" by {}", pivot.short(first.line.head())),
        };
        let lead = ranking.lead();
        let lead = lead.map_or_else(String::new, |lead| format!(" ({})", signed(lead)));
        Some(format!("{mix} {rate}{who}{lead}"))
    });
    let others: Vec<_> = others.collect();
    if !others.is_empty() {
        let words = others.join(", ");
        points.push(point(
            CardSubject::Speed,
            words,
            line,
            Metric::ThroughputMean,
        ));
    }
    points.extend(why(pivot, line));
    if let Some(takes) = line.number(Metric::LatencyMean) {
        let alone = alone(line).map_or_else(String::new, |alone| {
            format!("; {} without any wait", time(alone))
        });
        let words = format!("a read takes {} at that load{alone}", time(takes));
        points.push(point(
            CardSubject::WorstCase,
            words,
            line,
            Metric::LatencyMean,
        ));
    }
    points.extend(energy(pivot, &ranking));
    if let Some(second) = against {
        let of_buses = second.line.number(Metric::BusUtilization);
        let of_buses = of_buses.map_or_else(String::new, |share| {
            format!(
                ", {} of its buses' peak",
                text::percent(share, text::DIGITS)
            )
        });
        let words = format!("{}{of_buses}", text::rate(second.value.unwrap_or_default()));
        points.push(runner_up(pivot, second, &words, Metric::ThroughputMean));
    }
    // The ratios of the document are over its first target.
    let first = pivot.lines.first().map(target);
    let over_first = against.is_some_and(|second| Some(target(second.line)) == first);
    points.extend(weakest(line).filter(|_| over_first));
    ranking.card(pivot, sentence, points, table, None)
}

/// The undisclosed choice that takes most of the gain.
fn weakest(line: &PivotLine<'_>) -> Option<CardPoint> {
    let end = |name: &str| {
        let row = *estimates(line, name).first()?;
        let (choice, setting) = (row.text(Axis::Choice)?, row.text(Axis::Setting)?);
        let gain = gain(row.value?);
        Some((row, format!("{gain} with {choice} = {setting}")))
    };
    let (row, low) = end("band_low")?;
    let high = end("band_high").map_or_else(String::new, |(_, high)| format!(", {high}"));
    let turns = match row.value.is_some_and(|ratio| ratio < 1.0) {
        true => "; the first would turn the answer",
        false => "; no single choice turns it",
    };
    let subject = CardSubject::Weakest;
    let left_out = screened(line).map_or_else(String::new, |(_, mut rows)| {
        rows.retain(|row| row.text(Axis::Choice) != Some("seed"));
        let full = estimates(line, "sensitivity").len();
        format!(
            "; {} of {} alternatives by short runs only (--thorough: all in full)",
            rows.len().saturating_sub(full),
            rows.len()
        )
    });
    let words = format!("what makers do not disclose: {low}{high}{turns}{left_out}");
    Some(CardPoint::of_value(
        subject,
        words,
        Metric::ThroughputRatio,
        row.value,
        row.basis,
    ))
}
