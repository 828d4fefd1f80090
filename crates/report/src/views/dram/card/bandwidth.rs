//! Modules by what they carry, with the choices whose disclosure would narrow the gain.

use wordline_core::results::{CardPoint, CardSubject};
use wordline_core::{Basis, Metric};

use super::{ModuleRanking, energy, gains, point, runner_up, share, target, why};
use crate::card::FirstScreen;
use crate::pivot::{Pivot, PivotLine};
use crate::text;
use crate::views::dram::bandwidth::{
    Mixes, alone, estimated, kept, narrowing, over_first, part_error, ratio_band, throughputs,
};
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
    let gain_of_best = against.map(|second| WinnersGain::of(pivot, line, second.line));
    let band = gain_of_best
        .as_ref()
        .filter(|gain| gain.is_over_second)
        .and_then(WinnersGain::band);
    let sentence = match (against, ranking.lead()) {
        (Some(second), Some(_)) if ranking.is_even() => format!(
            "{} and {} are alike: {verb} {rate}.",
            target(line),
            pivot.short(second.line.head())
        ),
        (Some(second), Some(lead)) => {
            let band = band.map_or_else(String::new, |(low, high)| {
                format!(" (5-95 %: {})", gains(low, high))
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
    points.extend(gain_of_best.and_then(|gain| weakest(&gain)));
    ranking.card(pivot, sentence, points, table, None)
}

/// The gain of the module that wins, from ratios that are all over the first target.
struct WinnersGain<'a, 'p> {
    /// The line that has the ratios.
    line: &'p PivotLine<'a>,
    /// Where the first target wins: they are those of the other one over it.
    is_turned: bool,
    /// Whether it is the gain over the module that comes second.
    is_over_second: bool,
    /// What it is over.
    over: &'a str,
}

impl<'a, 'p> WinnersGain<'a, 'p> {
    fn of(pivot: &Pivot<'a>, best: &'p PivotLine<'a>, second: &'p PivotLine<'a>) -> Self {
        let first = pivot.lines.first().map(target);
        let is_turned = Some(target(best)) == first;
        Self {
            line: if is_turned { second } else { best },
            is_turned,
            is_over_second: is_turned || Some(target(second)) == first,
            over: match is_turned {
                true => pivot.short(second.head()),
                false => pivot.first(),
            },
        }
    }

    fn ratio(&self, ratio: f64) -> f64 {
        if self.is_turned { 1.0 / ratio } else { ratio }
    }

    /// 5 % of the draws lie below, and 5 % above.
    fn band(&self) -> Option<(f64, f64)> {
        let (low, high) = ratio_band(self.line)?;
        Some(match self.is_turned {
            true => (self.ratio(high), self.ratio(low)),
            false => (low, high),
        })
    }

    fn median(&self) -> Option<f64> {
        let median = estimated(self.line, Metric::ThroughputRatio, "drawn_median")?;
        Some(self.ratio(median))
    }
}

/// How wide the gain is over what makers do not disclose, and what would narrow it.
fn weakest(of_best: &WinnersGain<'_, '_>) -> Option<CardPoint> {
    let line = of_best.line;
    let draws = text::count(over_first(line, Metric::DrawCount)?);
    let (median, (low, high)) = (of_best.median()?, of_best.band()?);
    let over = match of_best.is_over_second {
        true => String::new(),
        false => format!(" over {} ({})", of_best.over, gains(low, high)),
    };
    let turns = match low < 1.0 {
        true => ", and may be a loss",
        false => "",
    };
    let narrow = narrowing(line).map_or_else(String::new, |shares| {
        format!(". What would narrow it: {shares}")
    });
    // What it is off by is that of the ratios as the document has them.
    let off = part_error(line).filter(|_| !of_best.is_turned);
    let off = off.map_or_else(String::new, |off| {
        format!(". They ran on a part of the system, which is off by {off}")
    });
    let kept = kept(line).map_or_else(String::new, |words| format!(". Of {words}"));
    let words = format!(
        "the gain{over} is {} at the median of {draws} draws of undisclosed choices{turns}{kept}{narrow}{off}",
        gain(median)
    );
    Some(CardPoint::of_value(
        CardSubject::Weakest,
        words,
        Metric::ThroughputRatio,
        Some(low),
        Basis::Simulated,
    ))
}
