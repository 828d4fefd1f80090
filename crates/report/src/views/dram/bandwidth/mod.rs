//! What modules carry, mix by mix, why one carries more than another, and how sure that is.

mod words;

use wordline_core::results::Row;
use wordline_core::{Axis, Metric};

use super::{ANY, MODULE, OVER, Of, by_mix, gain, mix, of_test, ratio, targets, time};
use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, PivotLine, each, together};
use crate::tabulate::Tabulation;
use crate::text;
use crate::view::FigureOf::{At, Made, Parts, Words};
use crate::view::{Key, LineTable, PartColumns, figure};

pub(super) use words::{kept, narrowing, part_error, parts, sentences};

const TEST: &str = "bandwidth";

/// Names of bounds.
const DRAM: &str = "DRAM";
const MISSES: &str = "misses under way";
const CORES: &str = "what the cores ask for";

/// The lines of one order of addresses, mix by mix.
pub(super) struct Mixes<'a, 'p> {
    pub(super) lines: Vec<&'p PivotLine<'a>>,
    /// In the order of the document.
    pub(super) mixes: Vec<&'a str>,
    /// `, random addresses` in a title where it is not the usual order.
    pub(super) suffix: String,
}

impl<'a, 'p> Mixes<'a, 'p> {
    pub(super) fn all_of(pivot: &'p Pivot<'a>) -> Vec<Self> {
        let pattern = |line: &PivotLine<'a>| line.head().text(Axis::Pattern);
        let mut lines = of_test(pivot, TEST);
        lines.retain(|line| line.at(Metric::ThroughputMean, &[]).is_some());
        let patterns = together(lines, |line| pattern(line)).into_iter();
        let all = patterns.map(|lines| Self {
            suffix: match pattern(lines[0]) {
                None | Some("sequential") => String::new(),
                Some(pattern) => format!(", {pattern} addresses"),
            },
            mixes: each(&lines, |line| mix(line)),
            lines: by_mix(lines),
        });
        all.collect()
    }

    /// What was found for a target and a mix.
    pub(super) fn line(&self, target: &str, of_mix: &str) -> Option<&'p PivotLine<'a>> {
        let mut lines = self.lines.iter().copied();
        lines.find(|line| line.head().target == target && mix(line) == of_mix)
    }
}

/// An estimate of a metric that compares with the first target.
pub(super) fn estimated(line: &PivotLine<'_>, metric: Metric, estimate: &str) -> Option<f64> {
    let at = [(Of(Axis::Estimate), estimate), (Of(Axis::Over), ANY)];
    line.at(metric, &at)?.value
}

/// The value of such a metric itself.
pub(super) fn over_first(line: &PivotLine<'_>, metric: Metric) -> Option<f64> {
    line.at(metric, OVER)?.value
}

/// The band of a gain: 5 % of the draws of all undisclosed choices lie below, and 5 % above.
pub(super) fn ratio_band(line: &PivotLine<'_>) -> Option<(f64, f64)> {
    let end = |name| estimated(line, Metric::ThroughputRatio, name);
    Some((end("drawn_p5")?, end("drawn_p95")?))
}

/// What a choice explains of the variance of a gain.
pub(super) struct ExplainedVariance<'a> {
    pub(super) choice: &'a str,
    pub(super) share: f64,
    /// Half the width of its 95 % interval.
    half: f64,
    /// What a choice without effect reaches once in a hundred times.
    luck: f64,
}

impl ExplainedVariance<'_> {
    /// Whether it is more than luck.
    pub(super) fn is_sure(&self) -> bool {
        self.share > self.luck
    }
}

/// What every choice explains, and chance (`seed`), the greatest share first.
pub(super) fn explained<'a>(line: &PivotLine<'a>) -> Vec<ExplainedVariance<'a>> {
    let rows = line.rows().iter().copied();
    let shares = rows
        .clone()
        .filter(|row| row.metric == Metric::VarianceShare);
    let estimate = |choice: &str, estimate: &str| {
        let mut rows = shares.clone().filter(|row| {
            row.text(Axis::Choice) == Some(choice) && row.text(Axis::Estimate) == Some(estimate)
        });
        rows.next()?.value
    };
    let plain = shares
        .clone()
        .filter(|row| !row.axes.contains_key(&Axis::Estimate));
    let mut all: Vec<_> = plain
        .filter_map(|row| {
            let (choice, share) = (row.text(Axis::Choice)?, row.value?);
            Some(ExplainedVariance {
                choice,
                share,
                half: estimate(choice, "confidence_high")? - share,
                luck: estimate(choice, "luck")?,
            })
        })
        .collect();
    all.sort_by(|a, b| b.share.total_cmp(&a.share));
    all
}

const KEYS: &[Key] = &[Key::Words("mix", |_, line| mix(line).to_owned()), MODULE];

/// Tables with a line for each mix and module, of one order of addresses, which titles call `{order}`.
const TABLES: [LineTable; 5] = [
    LineTable {
        title: "The gain over {first} explained{order}{place}",
        keys: KEYS,
        figures: super::GAIN,
        ..LineTable::EMPTY
    },
    LineTable {
        title: "Where the time of the data buses went{order}{place}",
        keys: KEYS,
        figures: &[figure("", Parts(PartColumns::shares(Metric::BusShare)))],
        ..LineTable::EMPTY
    },
    LineTable {
        title: "Rows, and lines under way{place}{order}",
        keys: KEYS,
        figures: &[
            figure("row hits", At(Metric::RowHitRate, &[])),
            figure("misses", At(Metric::RowMissRate, &[])),
            figure("conflicts", At(Metric::RowConflictRate, &[])),
            figure(
                "lines under way",
                Made(|_, line| line.number(Metric::OutstandingMean).map(text::count)),
            ),
            figure(
                "of",
                Made(|_, line| line.number(Metric::OutstandingMax).map(text::count)),
            ),
            figure("read takes", At(Metric::LatencyMean, &[])),
            figure("without waits", Made(|_, line| alone(line).map(time))),
            figure("bound by", Words(|_, line| bound(line).map(str::to_owned))),
        ],
        ..LineTable::EMPTY
    },
    LineTable {
        title: "What requests waited for{order}{place}",
        keys: KEYS,
        figures: super::WAITS,
        ..LineTable::EMPTY
    },
    LineTable {
        title: "Power of the modules{place}{order}",
        keys: KEYS,
        figures: super::POWER,
        ..LineTable::EMPTY
    },
];

pub(super) fn tables(pivot: &Pivot<'_>, _: Option<u16>) -> Vec<Grid> {
    let mut grids = Vec::new();
    for mixes in &Mixes::all_of(pivot) {
        grids.extend(throughputs(pivot, mixes));
        for (index, table) in TABLES.iter().enumerate() {
            let title = table.title.replace("{order}", &mixes.suffix);
            let mut lines = mixes.lines.clone();
            lines.retain(|line| index > 0 || ratio(line).is_some());
            grids.extend(table.grid(pivot, title, &lines));
        }
        grids.extend(variances(pivot, mixes));
    }
    grids
}

/// A row for each mix, a column for each target, and one for each gain.
pub(super) fn throughputs(pivot: &Pivot<'_>, mixes: &Mixes<'_, '_>) -> Option<Grid> {
    let title = format!(
        "Bandwidth by mix of reads and writes{}{}",
        pivot.on_board(),
        mixes.suffix
    );
    let targets = targets(pivot);
    let named = |target: &str| {
        let line = mixes.lines.iter().find(|line| line.head().target == target);
        line.map_or("", |line| pivot.short(line.head())).to_owned()
    };
    let mut table = Tabulation::new(title).key(Column::left("mix"), |mix: &&str| (*mix).to_owned());
    for target in &targets {
        table = table.figure(named(target), |mix| {
            let line = mixes.line(target, mix)?;
            Some(line.told(Metric::ThroughputMean)? + &sureness(line).unwrap_or_default())
        });
    }
    let others = &targets[1.min(targets.len())..];
    for target in others {
        let name = match others.len() {
            1 => "gain".to_owned(),
            _ => format!("gain of {}", named(target)),
        };
        table = table.figure(name, |mix| ratio(mixes.line(target, mix)?).map(gain));
    }
    for target in others {
        table = table.figure("5 to 95 %", |mix| {
            let (low, high) = ratio_band(mixes.line(target, mix)?)?;
            Some(format!("{} to {}", gain(low), gain(high)))
        });
    }
    table.lines(&mixes.mixes)
}

/// " ± 0.3 %": half the width of the 95 % confidence interval of a throughput.
fn sureness(line: &PivotLine<'_>) -> Option<String> {
    let rate = line.number(Metric::ThroughputMean)?;
    let half = line.number(Metric::ThroughputConfidence)?;
    Some(format!(" ± {}", text::tenths(half / rate)))
}

/// What a read of the same target takes that waits for nothing, by the sum of its times: less than the mean of a core
/// that is alone, which waits for refreshes and clock edges.
pub(super) fn alone(line: &PivotLine<'_>) -> Option<f64> {
    let formula = [(Of(Axis::Estimate), "formula")];
    line.at(Metric::LatencyMean, &formula)?.value
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

/// What each choice explains of a band, the greatest share first, and the mean gain with each of its settings.
fn variances(pivot: &Pivot<'_>, mixes: &Mixes<'_, '_>) -> Vec<Grid> {
    let by_target = together(mixes.lines.clone(), |line| line.head().target.as_str());
    let lines = by_target.iter().skip(1).flatten();
    let grids = lines.filter_map(|line| {
        let (low, high) = ratio_band(line)?;
        let title = format!(
            "What explains the gain of {} at {}: {} to {} over {} draws of all choices",
            pivot.short(line.head()),
            mix(line),
            gain(low),
            gain(high),
            text::count(over_first(line, Metric::DrawCount)?)
        );
        let table = Tabulation::new(title)
            .key(
                Column::left("choice"),
                |one: &ExplainedVariance<'_>| match one.choice {
                    SEED => "chance".to_owned(),
                    choice => choice.to_owned(),
                },
            )
            .figure("of the variance", |one| Some(text::tenths(one.share)))
            .figure("± (95 %)", |one| Some(text::tenths(one.half)))
            .figure("by luck below", |one| {
                (one.choice != SEED).then(|| text::tenths(one.luck))
            })
            .figure("least on average", |one| given(line, one.choice).pop())
            .figure("most on average", |one| {
                given(line, one.choice).into_iter().next()
            });
        table.lines(&explained(line))
    });
    grids.collect()
}

/// What the choice of a seed is called.
pub(super) const SEED: &str = "seed";

/// "same-bank +35.1 %": the mean gain over the draws with each setting of a choice, the greatest first.
fn given(line: &PivotLine<'_>, choice: &str) -> Vec<String> {
    let rows = line.rows().iter().copied().filter(|row| {
        row.metric == Metric::ThroughputRatio
            && row.text(Axis::Estimate) == Some("given")
            && row.text(Axis::Choice) == Some(choice)
    });
    let setting = |row: &Row| {
        let value = row.axes.get(&Axis::Setting);
        value.map_or_else(String::new, |value| text::coordinate(Axis::Setting, value))
    };
    let mut all: Vec<_> = rows
        .filter_map(|row| Some((row.value?, setting(row))))
        .collect();
    all.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    all.into_iter()
        .map(|(ratio, setting)| format!("{setting} {}", gain(ratio)))
        .collect()
}
