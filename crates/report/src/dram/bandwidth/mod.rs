//! What modules carry, mix by mix, why one carries more than another, and how sure that is.

mod words;

use wordline_core::Metric;

use super::{NOTHING, View, between, cell, gain, points, shares, waits};
use crate::grid::{Column, Grid};
use crate::pivot::Line;
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
    lines: Vec<&'p Line<'a>>,
    ratios: Vec<&'p Line<'a>>,
    bands: Vec<&'p Line<'a>>,
}

impl<'a, 'p> Mixes<'a, 'p> {
    pub(crate) fn all_of(view: &View<'a, 'p>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for line in view.plain(TEST) {
            let pattern = line.head().text("pattern");
            let place = all.iter().position(|one| one.pattern == pattern);
            let place = place.unwrap_or_else(|| {
                all.push(Self::empty(view, pattern));
                all.len() - 1
            });
            let mix = line.head().text("mix").unwrap_or_default();
            if !all[place].mixes.contains(&mix) {
                all[place].mixes.push(mix);
            }
            all[place].lines.push(line);
        }
        all
    }

    fn empty(view: &View<'a, 'p>, pattern: Option<&'a str>) -> Self {
        let of = |line: &&'p Line<'a>| line.head().text("pattern") == pattern;
        let plain_bands = view.special(TEST, &["estimate", "over"]);
        let bands = plain_bands.chain(view.special(TEST, &["choice", "estimate", "over"]));
        Self {
            pattern,
            mixes: Vec::new(),
            lines: Vec::new(),
            ratios: view.special(TEST, &["over"]).filter(of).collect(),
            bands: bands.filter(of).collect(),
        }
    }

    fn find(lines: &[&'p Line<'a>], target: &str, mix: &str) -> Option<&'p Line<'a>> {
        let mut lines = lines.iter().copied();
        lines.find(|line| {
            let head = line.head();
            head.target == target && head.text("mix").unwrap_or_default() == mix
        })
    }

    /// What was found for a target and a mix.
    pub(crate) fn line(&self, target: &str, mix: &str) -> Option<&'p Line<'a>> {
        Self::find(&self.lines, target, mix)
    }

    /// How a target compares with the first.
    pub(crate) fn ratio(&self, target: &str, mix: &str) -> Option<&'p Line<'a>> {
        Self::find(&self.ratios, target, mix)
    }

    /// One end of the band of that, `band_low` or `band_high`.
    fn end(&self, target: &str, mix: &str, end: &str) -> Option<&'p Line<'a>> {
        let ends = self.bands.iter().copied();
        let ends: Vec<_> = ends
            .filter(|line| line.head().text("estimate") == Some(end))
            .collect();
        Self::find(&ends, target, mix)
    }

    /// The gain of a target with one choice changed, or with another seed.
    fn variations(&self, target: &str, mix: &str) -> impl Iterator<Item = &'p Line<'a>> {
        let of = |line: &&&'p Line<'a>| {
            let head = line.head();
            let estimate = head.text("estimate") == Some("sensitivity");
            estimate && head.target == target && head.text("mix").unwrap_or_default() == mix
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
    fn named(&self, view: &View<'a, 'p>, of: &[&'p Line<'a>]) -> Vec<(Vec<String>, &'p Line<'a>)> {
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

pub(super) fn tables(view: &View<'_, '_>) -> Vec<Grid> {
    let mut grids = Vec::new();
    for mixes in &Mixes::all_of(view) {
        let suffix = mixes.suffix();
        let lines = mixes.named(view, &mixes.lines);
        let ratios = mixes.named(view, &mixes.ratios);
        let keys = ["mix", "module"];
        let title = |title: &str| format!("{title}{suffix}");
        grids.push(throughputs(view, mixes));
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
        grids.push(under_way(view, &suffix, &lines));
        grids.extend(waits(
            view,
            &title("What requests waited for"),
            &keys,
            &lines,
        ));
        grids.extend(energy(view, &suffix, mixes, &lines));
        grids.extend(sensitivity(view, mixes));
    }
    grids
}

/// A row for each mix, a column for each target, and one for each gain.
fn throughputs(view: &View<'_, '_>, mixes: &Mixes<'_, '_>) -> Grid {
    let mut columns = vec![Column::left("mix")];
    columns.extend(
        view.targets
            .iter()
            .map(|target| Column::right(view.short(target))),
    );
    let others: Vec<&str> = view.targets.iter().skip(1).copied().collect();
    let heading = |target: &&str| match others.len() {
        1 => "gain".to_owned(),
        _ => format!("gain of {}", target.split('@').next().unwrap_or(target)),
    };
    columns.extend(others.iter().map(|target| Column::right(heading(target))));
    let banded = mixes
        .mixes
        .iter()
        .any(|mix| others.iter().any(|one| mixes.band(one, mix).is_some()));
    if banded {
        columns.extend(others.iter().map(|_| Column::right("band")));
    }
    let title = format!(
        "Bandwidth by mix of reads and writes{}{}",
        view.place(),
        mixes.suffix()
    );
    let mut grid = Grid::new(title, columns);
    for mix in &mixes.mixes {
        let mut cells = vec![(*mix).to_owned()];
        let lines = view.targets.iter().map(|target| mixes.line(target, mix));
        cells.extend(lines.map(|line| {
            let sure = line.and_then(sureness);
            cell(line, Metric::ThroughputMean) + &sure.unwrap_or_default()
        }));
        cells.extend(others.iter().map(|target| {
            let ratio = mixes
                .ratio(target, mix)
                .and_then(|line| line.number(Metric::ThroughputRatio));
            ratio.map_or_else(|| NOTHING.to_owned(), gain)
        }));
        if banded {
            cells.extend(others.iter().map(|target| {
                let band = mixes.band(target, mix);
                band.map_or_else(|| NOTHING.to_owned(), |(low, high)| interval(low, high))
            }));
        }
        grid.push(cells);
    }
    grid
}

/// "+36.0 % to +41.2 %".
fn interval(low: f64, high: f64) -> String {
    format!("{} to {}", gain(low), gain(high))
}

/// Rows, lines under way, and what bounds the throughput.
fn under_way(view: &View<'_, '_>, suffix: &str, lines: &[(Vec<String>, &Line<'_>)]) -> Grid {
    let mut columns = vec![Column::left("mix"), Column::left("module")];
    let headings = [
        "row hits",
        "misses",
        "conflicts",
        "lines under way",
        "of",
        "read takes",
        "alone",
    ];
    columns.extend(headings.map(Column::right));
    columns.push(Column::left("bound by"));
    let title = format!("Rows, and lines under way{}{suffix}", view.place());
    let mut grid = Grid::new(title, columns).with_keys(2);
    for (names, line) in lines {
        let count = |metric| {
            let count = line.number(metric);
            count.map_or_else(|| NOTHING.to_owned(), |count| format!("{count:.0}"))
        };
        let rates = [
            Metric::RowHitRate,
            Metric::RowMissRate,
            Metric::RowConflictRate,
        ];
        let mut cells = names.clone();
        cells.extend(rates.map(|metric| cell(Some(line), metric)));
        cells.extend([Metric::OutstandingMean, Metric::OutstandingMax].map(count));
        cells.push(cell(Some(line), Metric::LatencyMean));
        let alone = alone(view, line);
        let alone = alone.map(|seconds| text::number(Metric::LatencyMean, seconds, text::DIGITS));
        cells.push(alone.unwrap_or_else(|| NOTHING.to_owned()));
        cells.push(bound(line).unwrap_or(NOTHING).to_owned());
        grid.push(cells);
    }
    grid
}

/// " ± 0.3 %": half the width of the 95 % confidence interval of a throughput.
fn sureness(line: &Line<'_>) -> Option<String> {
    let rate = line.number(Metric::ThroughputMean)?;
    let half = line.number(Metric::ThroughputConfidence)?;
    Some(format!(" ± {}", text::tenths(half / rate)))
}

/// What a read of the same target takes that waits for nothing.
fn alone(view: &View<'_, '_>, line: &Line<'_>) -> Option<f64> {
    let head = line.head();
    let mut formulas = view.special(TEST, &["estimate"]);
    let same = |other: &&Line<'_>| {
        let (one, other) = (head, other.head());
        let axes = ["mix", "pattern"]
            .iter()
            .all(|axis| one.axes.get(*axis) == other.axes.get(*axis));
        one.target == other.target && axes && other.text("estimate") == Some("formula")
    };
    formulas.find(same)?.number(Metric::LatencyMean)
}

/// What keeps the throughput where it is.
fn bound(line: &Line<'_>) -> Option<&'static str> {
    match line.number(Metric::ThroughputBound)? {
        1.0 => Some(MISSES),
        2.0 => Some(DRAM),
        _ => Some(CORES),
    }
}

/// Whether the cores are the bound: they ask for no more.
pub(super) fn cores_bind(line: &Line<'_>) -> bool {
    bound(line) == Some(CORES)
}

fn energy(
    view: &View<'_, '_>,
    suffix: &str,
    mixes: &Mixes<'_, '_>,
    lines: &[(Vec<String>, &Line<'_>)],
) -> Option<Grid> {
    let title = format!("Power of the modules{}{suffix}", view.place());
    let estimates: Vec<_> = view.special(TEST, &["estimate"]).collect();
    let of_pattern = |line: &&&Line<'_>| line.head().text("pattern") == mixes.pattern;
    let estimates: Vec<_> = estimates.iter().filter(of_pattern).copied().collect();
    power(
        &title,
        &["mix", "module"],
        lines,
        &|line, metric, estimate| {
            let same = |other: &&&Line<'_>| {
                let (one, other) = (line.head(), other.head());
                let mix = one.text("mix") == other.text("mix");
                one.target == other.target && mix && other.text("estimate") == Some(estimate)
            };
            estimates.iter().find(same)?.number(metric)
        },
    )
}

/// Power by part, and the energy of a byte, each with the band between sets of currents.
pub(super) fn power(
    title: &str,
    keys: &[&str],
    lines: &[(Vec<String>, &Line<'_>)],
    band: &dyn Fn(&Line<'_>, Metric, &str) -> Option<f64>,
) -> Option<Grid> {
    let mut parts: Vec<&str> = Vec::new();
    for (part, watts) in lines
        .iter()
        .flat_map(|(_, line)| line.parts(Metric::PowerMeanPart))
    {
        if watts != 0.0 && !parts.contains(&part) {
            parts.push(part);
        }
    }
    let any = lines
        .iter()
        .any(|(_, line)| line.row(Metric::PowerMean, None).is_some());
    if !any {
        return None;
    }
    let mut columns: Vec<_> = keys.iter().map(|key| Column::left(*key)).collect();
    columns.extend(["power", "band", "a byte", "band"].map(Column::right));
    columns.extend(parts.iter().map(|part| Column::right(power_part(part))));
    let mut grid = Grid::new(title, columns).with_keys(keys.len());
    for (names, line) in lines {
        let mut cells = names.clone();
        for metric in [Metric::PowerMean, Metric::EnergyPerByte] {
            cells.push(cell(Some(line), metric));
            let ends = ["band_low", "band_high"].map(|end| band(line, metric, end));
            cells.push(match ends {
                [Some(low), Some(high)] => between(metric, low, high),
                _ => NOTHING.to_owned(),
            });
        }
        cells.extend(parts.iter().map(|part| {
            let row = line.row(Metric::PowerMeanPart, Some(part));
            row.map_or_else(|| NOTHING.to_owned(), |row| text::value(row, text::DIGITS))
        }));
        grid.push(cells);
    }
    Some(grid)
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
fn sensitivity(view: &View<'_, '_>, mixes: &Mixes<'_, '_>) -> Vec<Grid> {
    let mut grids = Vec::new();
    for target in view.targets.iter().skip(1) {
        for mix in &mixes.mixes {
            let mut lines: Vec<&Line<'_>> = mixes.variations(target, mix).collect();
            let plain = mixes.ratio(target, mix);
            let Some(plain) = plain.and_then(|line| line.number(Metric::ThroughputRatio)) else {
                continue;
            };
            if lines.is_empty() {
                continue;
            }
            let off = |line: &Line<'_>| {
                (line.number(Metric::ThroughputRatio).unwrap_or(plain) - plain).abs()
            };
            lines.sort_by(|a, b| off(b).total_cmp(&off(a)));
            let columns = vec![
                Column::left("choice"),
                Column::left("set to"),
                Column::right("gain"),
                Column::right("off by"),
            ];
            let title = format!(
                "The gain of {} at {mix} with one choice changed at a time ({} as chosen)",
                view.short(target),
                gain(plain)
            );
            let mut grid = Grid::new(title, columns).with_keys(2);
            for line in lines {
                let ratio = line.number(Metric::ThroughputRatio);
                let word = |axis: &str| line.head().text(axis).unwrap_or(NOTHING).to_owned();
                let told = |value: Option<String>| value.unwrap_or_else(|| NOTHING.to_owned());
                grid.push([
                    word("choice"),
                    word("setting"),
                    told(ratio.map(gain)),
                    told(ratio.map(|ratio| points(ratio - plain))),
                ]);
            }
            grids.push(grid);
        }
    }
    grids
}
