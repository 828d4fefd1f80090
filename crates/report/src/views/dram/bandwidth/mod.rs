//! What modules carry, mix by mix, why one carries more than another, and how sure that is.

mod words;

use wordline_core::{Axis, Metric};

use super::{ModuleLines, NamedLine, between, by_name, gain, points, shares};
use crate::grid::{Column, Grid};
use crate::pivot::{PivotLine, each};
use crate::tabulate::Tabulation;
use crate::text;

pub(super) use words::{parts, sentences};

const TEST: &str = "bandwidth";

/// Names of bounds.
const DRAM: &str = "DRAM";
const MISSES: &str = "misses under way";
const CORES: &str = "what the cores ask for";

/// The mixes of one order of addresses.
pub(crate) struct Mixes<'a, 'p> {
    pub(crate) pattern: Option<&'a str>,
    /// In the order of the document.
    pub(crate) mixes: Vec<&'a str>,
    lines: Vec<&'p PivotLine<'a>>,
    ratios: Vec<&'p PivotLine<'a>>,
    bands: Vec<&'p PivotLine<'a>>,
}

impl<'a, 'p> Mixes<'a, 'p> {
    pub(crate) fn all_of(view: &ModuleLines<'a, 'p>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for line in view.plain(TEST) {
            let pattern = line.head().text(Axis::Pattern);
            let place = all.iter().position(|one| one.pattern == pattern);
            let place = place.unwrap_or_else(|| {
                all.push(Self::empty(view, pattern));
                all.len() - 1
            });
            let mix = line.head().text(Axis::Mix).unwrap_or_default();
            if !all[place].mixes.contains(&mix) {
                all[place].mixes.push(mix);
            }
            all[place].lines.push(line);
        }
        all
    }

    fn empty(view: &ModuleLines<'a, 'p>, pattern: Option<&'a str>) -> Self {
        let of = |line: &&'p PivotLine<'a>| line.head().text(Axis::Pattern) == pattern;
        let plain_bands = view.special(TEST, &[Axis::Estimate, Axis::Over]);
        let bands =
            plain_bands.chain(view.special(TEST, &[Axis::Choice, Axis::Estimate, Axis::Over]));
        Self {
            pattern,
            mixes: Vec::new(),
            lines: Vec::new(),
            ratios: view.special(TEST, &[Axis::Over]).filter(of).collect(),
            bands: bands.filter(of).collect(),
        }
    }

    fn find(lines: &[&'p PivotLine<'a>], target: &str, mix: &str) -> Option<&'p PivotLine<'a>> {
        let mut lines = lines.iter().copied();
        lines.find(|line| {
            let head = line.head();
            head.target == target && head.text(Axis::Mix).unwrap_or_default() == mix
        })
    }

    /// What was found for a target and a mix.
    pub(crate) fn line(&self, target: &str, mix: &str) -> Option<&'p PivotLine<'a>> {
        Self::find(&self.lines, target, mix)
    }

    /// How a target compares with the first.
    pub(crate) fn ratio(&self, target: &str, mix: &str) -> Option<&'p PivotLine<'a>> {
        Self::find(&self.ratios, target, mix)
    }

    /// One end of the band of that, `band_low` or `band_high`.
    fn end(&self, target: &str, mix: &str, end: &str) -> Option<&'p PivotLine<'a>> {
        let ends = self.bands.iter().copied();
        let ends: Vec<_> = ends
            .filter(|line| line.head().text(Axis::Estimate) == Some(end))
            .collect();
        Self::find(&ends, target, mix)
    }

    /// The gain of a target with one choice changed, or with another seed.
    fn variations(&self, target: &str, mix: &str) -> impl Iterator<Item = &'p PivotLine<'a>> {
        let of = |line: &&&'p PivotLine<'a>| {
            let head = line.head();
            let estimate = head.text(Axis::Estimate) == Some("sensitivity");
            estimate && head.target == target && head.text(Axis::Mix).unwrap_or_default() == mix
        };
        let found: Vec<_> = self.bands.iter().filter(of).copied().collect();
        found.into_iter()
    }

    /// Both ends.
    pub(crate) fn band(&self, target: &str, mix: &str) -> Option<(f64, f64)> {
        let end = |end| self.end(target, mix, end)?.number(Metric::ThroughputRatio);
        Some((end("band_low")?, end("band_high")?))
    }

    /// `: random` in a title where it is not the usual order.
    pub(crate) fn suffix(&self) -> String {
        match self.pattern {
            None | Some("sequential") => String::new(),
            Some(pattern) => format!(", {pattern} addresses"),
        }
    }

    /// Every line with the names of its mix and target.
    fn named(
        &self,
        view: &ModuleLines<'a, 'p>,
        of: &[&'p PivotLine<'a>],
    ) -> Vec<(Vec<String>, &'p PivotLine<'a>)> {
        let mut named = Vec::new();
        for mix in &self.mixes {
            for target in &view.targets {
                let names = || vec![(*mix).to_owned(), view.short(target).to_owned()];
                named.extend(Self::find(of, target, mix).map(|line| (names(), line)));
            }
        }
        named
    }
}

pub(super) fn tables(view: &ModuleLines<'_, '_>) -> Vec<Grid> {
    let mut grids = Vec::new();
    for mixes in &Mixes::all_of(view) {
        let suffix = mixes.suffix();
        let lines = mixes.named(view, &mixes.lines);
        let ratios = mixes.named(view, &mixes.ratios);
        let keys = ["mix", "module"];
        let title = |title: &str| format!("{title}{suffix}");
        grids.extend(throughputs(view, mixes));
        let first = view.targets.first().map_or("", |first| view.short(first));
        let why = title(&format!("The gain over {first} explained"));
        grids.extend(shares(
            view,
            &why,
            &keys,
            &ratios,
            Metric::ThroughputRatioPart,
        ));
        let bus = title("Where the time of the data buses went");
        grids.extend(shares(view, &bus, &keys, &lines, Metric::BusShare));
        grids.extend(under_way(view, &suffix, &lines));
        let waits = title("What requests waited for");
        grids.extend(shares(view, &waits, &keys, &lines, Metric::WaitShare));
        grids.extend(energy(view, &suffix, mixes, &lines));
        grids.extend(sensitivity(view, mixes));
    }
    grids
}

/// A row for each mix, a column for each target, and one for each gain.
fn throughputs(view: &ModuleLines<'_, '_>, mixes: &Mixes<'_, '_>) -> Option<Grid> {
    let title = format!(
        "Bandwidth by mix of reads and writes{}{}",
        view.place(),
        mixes.suffix()
    );
    let mut table = Tabulation::new(title).key(Column::left("mix"), |mix: &&str| (*mix).to_owned());
    for target in &view.targets {
        table = table.figure(view.short(target), |mix| {
            let line = mixes.line(target, mix)?;
            Some(line.told(Metric::ThroughputMean)? + &sureness(line).unwrap_or_default())
        });
    }
    let others = &view.targets[1.min(view.targets.len())..];
    for target in others {
        let name = match others.len() {
            1 => "gain".to_owned(),
            _ => format!("gain of {}", target.split('@').next().unwrap_or(target)),
        };
        table = table.figure(name, |mix| {
            mixes
                .ratio(target, mix)?
                .number(Metric::ThroughputRatio)
                .map(gain)
        });
    }
    for target in others {
        table = table.figure("band", |mix| {
            let (low, high) = mixes.band(target, mix)?;
            Some(interval(low, high))
        });
    }
    table.lines(&mixes.mixes)
}

/// "+36.0 % to +41.2 %".
fn interval(low: f64, high: f64) -> String {
    format!("{} to {}", gain(low), gain(high))
}

/// Rows, lines under way, and what bounds the throughput.
fn under_way(
    view: &ModuleLines<'_, '_>,
    suffix: &str,
    lines: &[NamedLine<'_, '_>],
) -> Option<Grid> {
    let title = format!("Rows, and lines under way{}{suffix}", view.place());
    let figures = [
        (Metric::RowHitRate, "row hits"),
        (Metric::RowMissRate, "misses"),
        (Metric::RowConflictRate, "conflicts"),
        (Metric::OutstandingMean, "lines under way"),
        (Metric::OutstandingMax, "of"),
        (Metric::LatencyMean, "read takes"),
    ];
    let table = by_name(title, &["mix", "module"]);
    let table = figures.into_iter().fold(table, |table, (metric, name)| {
        table.figure(name, move |(_, line)| match metric {
            Metric::OutstandingMean | Metric::OutstandingMax => {
                line.number(metric).map(text::count)
            }
            _ => line.told(metric),
        })
    });
    let table = table.figure("alone", |(_, line)| {
        Some(text::number(
            Metric::LatencyMean,
            alone(view, line)?,
            text::DIGITS,
        ))
    });
    let table = table.words("bound by", |(_, line)| bound(line).map(str::to_owned));
    table.lines(lines)
}

/// " ± 0.3 %": half the width of the 95 % confidence interval of a throughput.
fn sureness(line: &PivotLine<'_>) -> Option<String> {
    let rate = line.number(Metric::ThroughputMean)?;
    let half = line.number(Metric::ThroughputConfidence)?;
    Some(format!(" ± {}", text::tenths(half / rate)))
}

/// What a read of the same target takes that waits for nothing.
fn alone(view: &ModuleLines<'_, '_>, line: &PivotLine<'_>) -> Option<f64> {
    let head = line.head();
    let mut formulas = view.special(TEST, &[Axis::Estimate]);
    let same = |other: &&PivotLine<'_>| {
        let (one, other) = (head, other.head());
        let axes = [Axis::Mix, Axis::Pattern]
            .iter()
            .all(|axis| one.axes.get(axis) == other.axes.get(axis));
        one.target == other.target && axes && other.text(Axis::Estimate) == Some("formula")
    };
    formulas.find(same)?.number(Metric::LatencyMean)
}

/// What keeps the throughput where it is.
fn bound(line: &PivotLine<'_>) -> Option<&'static str> {
    match line.number(Metric::ThroughputBound)? {
        1.0 => Some(MISSES),
        2.0 => Some(DRAM),
        _ => Some(CORES),
    }
}

/// Whether the cores are the bound: they ask for no more.
pub(super) fn cores_bind(line: &PivotLine<'_>) -> bool {
    bound(line) == Some(CORES)
}

fn energy(
    view: &ModuleLines<'_, '_>,
    suffix: &str,
    mixes: &Mixes<'_, '_>,
    lines: &[NamedLine<'_, '_>],
) -> Option<Grid> {
    let title = format!("Power of the modules{}{suffix}", view.place());
    let estimates: Vec<_> = view.special(TEST, &[Axis::Estimate]).collect();
    let of_pattern = |line: &&&PivotLine<'_>| line.head().text(Axis::Pattern) == mixes.pattern;
    let estimates: Vec<_> = estimates.iter().filter(of_pattern).copied().collect();
    power(
        &title,
        &["mix", "module"],
        lines,
        &|line, metric, estimate| {
            let same = |other: &&&PivotLine<'_>| {
                let (one, other) = (line.head(), other.head());
                let mix = one.text(Axis::Mix) == other.text(Axis::Mix);
                one.target == other.target && mix && other.text(Axis::Estimate) == Some(estimate)
            };
            estimates.iter().find(same)?.number(metric)
        },
    )
}

/// Power by part, and the energy of a byte, each with the band between sets of currents.
pub(super) fn power(
    title: &str,
    keys: &[&'static str],
    lines: &[NamedLine<'_, '_>],
    band: &dyn Fn(&PivotLine<'_>, Metric, &str) -> Option<f64>,
) -> Option<Grid> {
    let parts = lines
        .iter()
        .flat_map(|(_, line)| line.parts(Metric::PowerMeanPart));
    let parts: Vec<_> = parts.filter(|(_, watts)| *watts != 0.0).collect();
    let mut table = by_name(title.to_owned(), keys);
    for (metric, name) in [
        (Metric::PowerMean, "power"),
        (Metric::EnergyPerByte, "a byte"),
    ] {
        table = table
            .figure(name, move |(_, line)| line.told(metric))
            .figure("band", move |(_, line)| {
                let (low, high) = (
                    band(line, metric, "band_low")?,
                    band(line, metric, "band_high")?,
                );
                Some(between(metric, low, high))
            });
    }
    for part in each(&parts, |(part, _)| *part) {
        table = table.figure(power_part(part), move |(_, line)| {
            let row = line.row(Metric::PowerMeanPart, Some(part))?;
            Some(text::value(row, text::DIGITS))
        });
    }
    let any = lines
        .iter()
        .any(|(_, line)| line.row(Metric::PowerMean, None).is_some());
    table.lines(lines).filter(|_| any)
}

/// A part of the power as people read it.
fn power_part(part: &str) -> String {
    match part {
        "io" => "I/O".to_owned(),
        "pmic_loss" => "PMIC loss".to_owned(),
        other => text::words(other),
    }
}

/// The gain with each alternative of each undisclosed choice, the furthest from the plain one first.
fn sensitivity(view: &ModuleLines<'_, '_>, mixes: &Mixes<'_, '_>) -> Vec<Grid> {
    let mut grids = Vec::new();
    for target in view.targets.iter().skip(1) {
        for mix in &mixes.mixes {
            let mut lines: Vec<&PivotLine<'_>> = mixes.variations(target, mix).collect();
            let plain = mixes.ratio(target, mix);
            let Some(plain) = plain.and_then(|line| line.number(Metric::ThroughputRatio)) else {
                continue;
            };
            if lines.is_empty() {
                continue;
            }
            let off = |line: &PivotLine<'_>| {
                (line.number(Metric::ThroughputRatio).unwrap_or(plain) - plain).abs()
            };
            lines.sort_by(|a, b| off(b).total_cmp(&off(a)));
            let title = format!(
                "The gain of {} at {mix} with one choice changed at a time ({} as chosen)",
                view.short(target),
                gain(plain)
            );
            let word = |axis: Axis| move |line: &&PivotLine<'_>| line.field(axis);
            let ratio = |line: &PivotLine<'_>| line.number(Metric::ThroughputRatio);
            let table = Tabulation::new(title)
                .key(Column::left("choice"), word(Axis::Choice))
                .key(Column::left("set to"), word(Axis::Setting))
                .figure("gain", |line| ratio(line).map(gain))
                .figure("off by", |line| Some(points(ratio(line)? - plain)));
            grids.extend(table.lines(&lines));
        }
    }
    grids
}
