//! Latency without load over working sets: the memory, the caches before it, and what page walks add.

use wordline_core::results::{AxisValue, Row};
use wordline_core::{Axis, Metric};

use super::trust::{grade, interval_words, refusal, sureness};
use super::{of_test, pages, time};
use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, PivotLine, ascending, each, together};
use crate::tabulate::Tabulation;
use crate::text;

pub(super) const TEST: &str = "latency";
const SET: Axis = Axis::WorkingSetBytes;

/// Orders of the lines, from that of data and page walks together to that of page walks alone.
const ORDERS: [(&str, &str); 3] = [
    ("random", "random"),
    ("in-page", "in page"),
    ("per-page", "one line a page"),
];

/// Latency over the working set with pages of one size, in one order.
pub(crate) struct WorkingSetCurve<'a, 'p> {
    /// As `pages` words it.
    pub(crate) pages: String,
    pub(crate) order: &'a str,
    /// Ascending in the working set.
    pub(crate) points: Vec<(f64, &'p PivotLine<'a>)>,
}

impl WorkingSetCurve<'_, '_> {
    /// "2 MiB pages, random"; empty where nothing says it.
    pub(crate) fn name(&self) -> String {
        let words = [self.pages.as_str(), self.order];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        words.join(", ")
    }

    /// Whether its lines follow at random, as programs' do.
    pub(crate) fn is_random(&self) -> bool {
        matches!(self.order, "random" | "")
    }

    pub(super) fn at(&self, set: f64) -> Option<&PivotLine<'_>> {
        self.points
            .iter()
            .find(|(bytes, _)| *bytes == set)
            .map(|(_, line)| *line)
    }
}

/// The curves of a document, in its order.
pub(crate) fn working_set_curves<'a, 'p>(pivot: &'p Pivot<'a>) -> Vec<WorkingSetCurve<'a, 'p>> {
    let mut lines = of_test(pivot, TEST);
    // Page-walk times and knees are lines of their own.
    lines.retain(|line| latency(line).is_some() && line.coordinate(SET).is_some());
    let order = |line: &PivotLine<'a>| line.head().text(Axis::Pattern).unwrap_or_default();
    let groups = together(lines, |line| {
        (line.head().target.as_str(), pages(line), order(line))
    });
    let curves = groups.into_iter().map(|own| {
        let points = own
            .iter()
            .filter_map(|line| Some((line.coordinate(SET)?, *line)));
        let mut points: Vec<_> = points.collect();
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        WorkingSetCurve {
            pages: pages(own[0]),
            order: order(own[0]),
            points,
        }
    });
    curves.collect()
}

/// What a load takes: the median, or the mean of a tool that states no median.
pub(crate) fn latency(line: &PivotLine<'_>) -> Option<f64> {
    let own = line.number(Metric::LatencyP50);
    own.or_else(|| line.number(Metric::LatencyMean))
}

/// The metric that [`latency`] is of.
pub(super) fn metric(line: &PivotLine<'_>) -> Metric {
    match line.number(Metric::LatencyP50) {
        Some(_) => Metric::LatencyP50,
        None => Metric::LatencyMean,
    }
}

/// The line that stands for the memory: the largest working set, in random order, with the pages that cost the fewest page
/// walks.
pub(crate) fn memory_line<'p, 'a>(lines: Vec<&'p PivotLine<'a>>) -> Option<&'p PivotLine<'a>> {
    let set = |line: &PivotLine<'_>| line.coordinate(SET).unwrap_or(0.0);
    let random =
        |line: &PivotLine<'_>| matches!(line.head().text(Axis::Pattern), None | Some("random"));
    let known = lines.into_iter().filter(|line| latency(line).is_some());
    let least = |line: &PivotLine<'_>| -latency(line).unwrap_or(f64::INFINITY);
    known.max_by(|a, b| {
        let order = random(a).cmp(&random(b));
        order
            .then(set(a).total_cmp(&set(b)))
            .then(least(a).total_cmp(&least(b)))
    })
}

/// The line that stands for the memory of a document.
pub(super) fn memory<'p, 'a>(pivot: &'p Pivot<'a>) -> Option<&'p PivotLine<'a>> {
    memory_line(of_test(pivot, TEST))
}

pub(super) fn tables(pivot: &Pivot<'_>, _: Option<u16>) -> Vec<Grid> {
    let curves = working_set_curves(pivot);
    let mut grids: Vec<Grid> = Vec::new();
    grids.extend(beside(pivot, &curves));
    grids.extend(orders(pivot, &curves));
    grids.extend(quantiles(pivot));
    grids.extend(knees(pivot));
    grids
}

/// "4.75 MiB" rather than "4868 KiB": sizes of a column share their unit as far as they can.
pub(super) fn set_words(bytes: f64) -> String {
    const MIB: f64 = 1_048_576.0;
    let mib = bytes / MIB;
    if !(1.0..1024.0).contains(&mib) {
        return text::coordinate(SET, &AxisValue::Number(bytes));
    }
    let decimals = match mib {
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    let number = format!("{mib:.decimals$}");
    let number = match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => &number,
    };
    format!("{number} MiB")
}

fn sets<'c>(curves: impl Iterator<Item = &'c WorkingSetCurve<'c, 'c>>) -> Vec<f64> {
    ascending(curves.flat_map(|curve| curve.points.iter().map(|(bytes, _)| *bytes)))
}

/// A row for each working set, a column for each size of pages: what random loads take.
pub(super) fn beside(_: &Pivot<'_>, curves: &[WorkingSetCurve<'_, '_>]) -> Option<Grid> {
    let random: Vec<&WorkingSetCurve<'_, '_>> =
        curves.iter().filter(|curve| curve.is_random()).collect();
    let places = ascending(
        random
            .iter()
            .flat_map(|curve| curve.points.iter().map(|(bytes, _)| *bytes)),
    );
    let table = Tabulation::new("Latency over the working set")
        .key(Column::right("working set"), |bytes: &f64| {
            set_words(*bytes)
        });
    let table = random.iter().fold(table, |table, curve| {
        let name = match curve.pages.as_str() {
            "" => "a load takes",
            pages => pages,
        };
        table
            .figure(name, |bytes: &f64| {
                curve.at(*bytes).and_then(latency).map(time)
            })
            .figure("95 %", |bytes: &f64| {
                let line = curve.at(*bytes)?;
                interval_words(line, metric(line))
            })
            .words("grade", |bytes: &f64| {
                Some(grade(curve.at(*bytes)?)?.0.to_string())
            })
    });
    table.lines(&places)
}

/// What the order of the lines changes, and what a page walk takes.
fn orders(pivot: &Pivot<'_>, curves: &[WorkingSetCurve<'_, '_>]) -> Vec<Grid> {
    let walks = of_test(pivot, TEST);
    let grids = each(curves, |curve| curve.pages.clone())
        .into_iter()
        .filter_map(|size| {
            let own: Vec<_> = curves.iter().filter(|curve| curve.pages == size).collect();
            if own.len() < 2 {
                return None;
            }
            let places = ascending(
                own.iter()
                    .flat_map(|curve| curve.points.iter().map(|(bytes, _)| *bytes)),
            );
            let title = match size.as_str() {
                "" => "Order of the lines, and what page walks add at most".to_owned(),
                size => format!("Order of the lines, and what page walks add at most, {size}"),
            };
            let table = Tabulation::new(title).key(Column::right("working set"), |bytes: &f64| {
                set_words(*bytes)
            });
            let table = ORDERS.iter().fold(table, |table, (order, name)| {
                let curve = own.iter().find(|curve| curve.order == *order);
                table.figure(*name, move |bytes: &f64| {
                    curve?.at(*bytes).and_then(latency).map(time)
                })
            });
            let walk = |bytes: &f64| {
                let mut lines = walks
                    .iter()
                    .filter(|line| pages(line) == size && line.coordinate(SET) == Some(*bytes));
                lines
                    .find_map(|line| line.number(Metric::PageWalkTime))
                    .map(time)
            };
            table.figure("page walk at most", walk).lines(&places)
        });
    grids.collect()
}

/// How loads of each line are spread.
fn quantiles(pivot: &Pivot<'_>) -> Option<Grid> {
    let mut lines = of_test(pivot, TEST);
    lines.retain(|line| {
        line.coordinate(SET).is_some() && line.at(Metric::LatencyP50, &[]).is_some()
    });
    lines.sort_by(|a, b| {
        a.coordinate(SET)
            .unwrap_or(0.0)
            .total_cmp(&b.coordinate(SET).unwrap_or(0.0))
    });
    let table = Tabulation::new("How loads are spread")
        .key(Column::right("working set"), |line: &&PivotLine<'_>| {
            line.coordinate(SET).map_or_else(String::new, set_words)
        })
        .key_if_varying(Column::left("pages"), |line| pages(line))
        .key_if_varying(Column::left("order"), |line| line.field(Axis::Pattern));
    let metrics = [
        (Metric::LatencyP5, "5 %"),
        (Metric::LatencyP25, "25 %"),
        (Metric::LatencyP50, "median"),
        (Metric::LatencyP75, "75 %"),
        (Metric::LatencyP99, "99 %"),
        (Metric::LatencyMean, "mean"),
    ];
    let table = metrics.into_iter().fold(table, |table, (metric, name)| {
        table.figure(name, move |line| line.told(metric))
    });
    table.lines(&lines)
}

/// Rows of ends of caches and translation buffers, the smallest first.
pub(super) fn knee_rows<'a>(pivot: &Pivot<'a>) -> Vec<&'a Row> {
    let rows = pivot.document.rows.iter();
    let mut rows: Vec<&Row> = rows
        .filter(|row| row.metric == Metric::CacheKnee && row.value.is_some())
        .filter(|row| !row.axes.contains_key(&Axis::Estimate))
        .collect();
    rows.sort_by(|a, b| a.value.unwrap_or(0.0).total_cmp(&b.value.unwrap_or(0.0)));
    rows
}

fn knees(pivot: &Pivot<'_>) -> Option<Grid> {
    let rows = knee_rows(pivot);
    let axis = |axis: Axis| {
        move |row: &&Row| {
            let value = row.axes.get(&axis);
            value.map_or_else(String::new, |value| text::coordinate(axis, value))
        }
    };
    Tabulation::new("Where caches and translation buffers end")
        .key_if_varying(Column::left("cache"), axis(Axis::Cache))
        .key_if_varying(Column::left("pages"), axis(Axis::Pages))
        .key_if_varying(Column::left("order"), axis(Axis::Pattern))
        .figure("ends at", |row| row.value.map(set_words))
        .lines(&rows)
}

/// " over 24 KiB, which caches hold in part"; nothing where the working set is memory, or nothing tells how large a cache is.
fn cached(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<String> {
    /// Working sets are memory from so many last caches on.
    const CACHES: f64 = 4.0;
    let environment = pivot.document.environment.as_ref()?;
    let cache: f64 = environment.get("last_cache_bytes")?.parse().ok()?;
    let bytes = line
        .coordinate(SET)
        .filter(|bytes| *bytes < CACHES * cache)?;
    Some(format!(
        " over {}, which caches hold in part",
        set_words(bytes)
    ))
}

/// "A read takes 96.4 ns (95 %: 96.1–96.8 ns; grade A: quiet machine)."; of a refused one its reason.
pub(super) fn sentence(pivot: &Pivot<'_>) -> Option<String> {
    if let Some(line) = memory(pivot) {
        let (own, metric) = (latency(line)?, metric(line));
        return Some(format!(
            "A read takes {}{}{}.",
            time(own),
            cached(pivot, line).unwrap_or_default(),
            sureness(line, metric)
        ));
    }
    let refused = of_test(pivot, TEST)
        .iter()
        .any(|line| line.at(Metric::LatencyP50, &[]).is_some());
    let reason = refusal(pivot, TEST).map_or_else(String::new, |reason| format!(" {reason}"));
    refused.then(|| format!("The latency was refused.{reason}"))
}

/// What a page walk takes over the largest working set, for each size of pages.
pub(super) fn walk_sentence(pivot: &Pivot<'_>) -> Option<String> {
    let lines = of_test(pivot, TEST);
    let known = lines.iter().filter_map(|line| {
        Some((
            line.coordinate(SET)?,
            line.number(Metric::PageWalkTime)?,
            pages(line),
        ))
    });
    let known: Vec<_> = known.collect();
    let largest = known
        .iter()
        .map(|(bytes, ..)| *bytes)
        .max_by(f64::total_cmp)?;
    let walks = known.iter().filter(|(bytes, ..)| *bytes == largest);
    let walks: Vec<String> = walks
        .map(|(_, walk, pages)| {
            format!("{} with {pages}", time(*walk))
                .trim_end_matches(" with ")
                .to_owned()
        })
        .collect();
    // Loads of one page have other advantages too, so that the difference is an upper bound.
    Some(format!(
        "Page walks add at most {} over {}.",
        text::list(&walks),
        set_words(largest)
    ))
}

/// "Loads take longer from 48 KiB, 2 MiB and 32 MiB on."
pub(super) fn knee_sentence(pivot: &Pivot<'_>) -> Option<String> {
    let rows = knee_rows(pivot);
    let places = each(&rows, |row| set_words(row.value.unwrap_or(0.0)));
    (!places.is_empty()).then(|| {
        let places: Vec<String> = places.into_iter().take(6).collect();
        format!(
            "Loads take longer from {} on: there a cache or a translation buffer ends.",
            text::list(&places)
        )
    })
}

pub(super) fn sentences(pivot: &Pivot<'_>) -> Vec<String> {
    let all = [sentence(pivot), walk_sentence(pivot), knee_sentence(pivot)];
    all.into_iter().flatten().collect()
}

/// Working sets of some curves: what a plot in characters is drawn over.
pub(super) fn has_course(curves: &[WorkingSetCurve<'_, '_>]) -> bool {
    sets(curves.iter()).len() > 2
}
