//! `wordline raw`, and every workload without a view of its own: a line for each thing that was run.

mod card;

use wordline_core::quantity::ByteCount;
use wordline_core::results::{NoValue, Row};
use wordline_core::{Axis, Metric, ResultSet, Workload};

use super::{headline, layer};
use crate::answer::{Answer, IN_WORDS};
use crate::html::chart::{Chart, ChartAxis, ChartCurve, CurveShape, MOST_CURVES, needs_logarithm};
use crate::html::plot::{DASHES, PALETTE, Plot};
use crate::html::why;
use crate::pivot::{Pivot, PivotLine, Series, each, together};
use crate::text;
use crate::view::{PlotView, TableView, View};

pub(crate) const VIEW: View = View {
    workload: "raw",
    tables: &[TableView::Made(|pivot, _| {
        headline::grid(pivot).into_iter().collect()
    })],
    plots: &[PlotView::Made(plots)],
    by_series: true,
    why: Some(why::section),
    answer,
    card: Some(card::card),
    ..View::EMPTY
};

/// A few sentences for each target and operation: how fast it is at the smallest and the largest
/// access, how long the slowest access takes, what a byte costs in energy, and how long rated cycles
/// last. Then the targets compared with each other.
fn answer(pivot: &Pivot<'_>) -> Answer {
    let series = pivot.series();
    if series.len() > IN_WORDS {
        return Answer::of_all(rankings(pivot, &series));
    }
    let region = region(pivot.document);
    let series_each = series.iter();
    let mut sentences: Vec<_> = series_each
        .map(|one| sentence(pivot, one, &region))
        .collect();
    sentences.extend(comparisons(pivot, &series));
    Answer::of_each(sentences)
}

/// Over what the accesses are spread, as a clause of its own; empty where the experiment does not say.
fn region(document: &ResultSet) -> String {
    match &document.experiment.workload {
        Workload::Raw(raw) => {
            format!(" spread over {}", ByteCount::from_bytes(raw.wrap_bytes))
        }
        // Rows of raw runs may stand in documents of other workloads.
        _ => String::new(),
    }
}

/// For each operation, all targets from the fastest to the slowest at the largest access: "Write,
/// 64 KiB, fastest first: em064lx@a 59.0 MB/s, mr4a16b@b 40.0 MB/s."
fn rankings(pivot: &Pivot<'_>, series: &[Series<'_, '_>]) -> Vec<String> {
    let mut sentences = Vec::new();
    for same in together(series.iter().collect(), |one| &one.name_on_target) {
        let name = same[0].name_on_target.as_str();
        let ends = same
            .iter()
            .filter_map(|one| Some((one, *one.lines.last()?)));
        let ends: Vec<_> = ends.collect();
        let ranked = |metric: Metric, faster: fn(&f64, &f64) -> std::cmp::Ordering| {
            let values = ends
                .iter()
                .filter_map(|(one, line)| Some((one.head().target.as_str(), line.number(metric)?)));
            let mut values: Vec<_> = values.collect();
            values.sort_by(|(_, a), (_, b)| faster(a, b));
            let words = values.iter().map(|(target, value)| {
                format!("{target} {}", text::number(metric, *value, text::DIGITS))
            });
            let words: Vec<_> = words.collect();
            (!words.is_empty()).then_some(words)
        };
        let place = ends.first().map(|(_, line)| pivot.place(line));
        let place = place.filter(|place| !place.is_empty());
        let place = place.map_or(String::new(), |place| format!(", {place}"));
        let subject = text::capital(&text::words(name));
        if let Some(list) = ranked(Metric::ThroughputMean, |a, b| b.total_cmp(a)) {
            let head = format!("{subject}{place}, fastest first:");
            sentences.push(text::within_a_sentence(&head, &list, ", "));
        }
        if let Some(list) = ranked(Metric::LatencyMax, f64::total_cmp) {
            let head = format!("{subject}{place}, slowest access:");
            sentences.push(text::within_a_sentence(&head, &list, ", "));
        }
    }
    sentences
}

/// For each operation, every further target against the first: "em064lx@b writes 4.2 times as fast
/// as em064lx@a in accesses of 2 KiB and 6.5 times as fast in accesses of 64 KiB".
fn comparisons(pivot: &Pivot<'_>, series: &[Series<'_, '_>]) -> Vec<String> {
    let groups = together(series.iter().collect(), |one| &one.name_on_target).into_iter();
    let sentences = groups.flat_map(|same| {
        let others = same.iter().skip(1);
        let sentences = others.filter_map(|other| comparison(pivot, same[0], other));
        sentences.collect::<Vec<_>>()
    });
    sentences.collect()
}

fn comparison(pivot: &Pivot<'_>, first: &Series<'_, '_>, other: &Series<'_, '_>) -> Option<String> {
    let places = other.lines.iter().filter_map(|line| {
        let place = pivot.place(line);
        let same = first.lines.iter().find(|one| pivot.place(one) == place)?;
        let ratio = |metric| Some(line.number(metric)? / same.number(metric)?);
        let speed = ratio(Metric::ThroughputMean).filter(|ratio| ratio.is_finite())?;
        Some((place, speed, ratio(Metric::EnergyPerByte)))
    });
    let places: Vec<_> = places.collect();
    let (place, speed, _) = places.first()?;
    let times = |ratio: f64| text::factor(ratio);
    let mut sentence = format!(
        "Against {}, {} runs its {}s at {} the speed in accesses of {place}",
        first.head().target,
        other.head().target,
        text::words(&first.name_on_target),
        times(*speed),
    );
    let (last, last_speed, energy) = places.last()?;
    if places.len() > 1 {
        sentence += &format!(" and {} of {last}", times(*last_speed));
    }
    if let Some(energy) = energy.filter(|energy| energy.is_finite()) {
        sentence += &format!(". A byte takes {} the energy", times(energy));
    }
    Some(sentence + ".")
}

fn sentence(pivot: &Pivot<'_>, series: &Series<'_, '_>, region: &str) -> String {
    let ends = match series.lines.as_slice() {
        [only] => vec![*only],
        [first, .., last] => vec![*first, *last],
        [] => vec![],
    };
    let known = |line: &&&PivotLine<'_>| line.number(Metric::ThroughputMean).is_some();
    let speeds: Vec<_> = ends
        .iter()
        .filter(known)
        .map(|line| speed(pivot, line))
        .collect();
    let mut clauses = Vec::new();
    if !speeds.is_empty() {
        let rest = speeds
            .iter()
            .skip(1)
            .map(|speed| format!("it reaches {speed}"));
        clauses.extend(speeds.iter().take(1).cloned().chain(rest));
    } else if ends.iter().any(|line| half(line).is_some()) {
        clauses.extend(ends.iter().filter_map(|line| tail(pivot, line)));
        clauses.extend(delay(series));
    } else if let Some(latency) = ends.iter().find_map(|line| line.number(Metric::LatencyMax)) {
        let latency = text::number(Metric::LatencyMax, latency, text::DIGITS);
        clauses.push(format!("the slowest access takes {latency}"));
    } else if let Some(reason) = ends.iter().find_map(|line| missing(line)) {
        clauses.push(reason);
    }
    clauses.extend(moved(series));
    clauses.extend(energy(series));
    clauses.extend(lifetime(series, region));
    if clauses.is_empty() {
        clauses.push("see the table".to_owned());
    }
    let subject = subject(pivot, series, !speeds.is_empty());
    let rest = clauses[1..]
        .iter()
        .map(|clause| format!(" {}.", text::capital(clause)));
    format!("{subject} {}.{}", clauses[0], rest.collect::<String>())
}

/// Who does what: `TARGET writes` where a rate follows, else `TARGET, write:`.
fn subject(pivot: &Pivot<'_>, series: &Series<'_, '_>, rate_follows: bool) -> String {
    let Row {
        target, operation, ..
    } = series.head();
    let conditions = series
        .name_on_target
        .split_once(&format!("{}, ", text::words(operation.name())));
    match (operation.name(), rate_follows, pivot.varying.workload) {
        ("read" | "write", true, false) => match conditions {
            Some((_, conditions)) => format!("{target} ({conditions}) {operation}s"),
            None => format!("{target} {operation}s"),
        },
        _ => format!("{target}, {}:", series.name_on_target),
    }
}

/// Rate and slowest access at one end of a curve.
fn speed(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> String {
    let number = |metric| {
        let value = line.number(metric)?;
        Some(text::number(metric, value, text::DIGITS))
    };
    let mut clause = number(Metric::ThroughputMean).unwrap_or_default();
    clause += &at_place(pivot, line, "in accesses of");
    if let Some(latency) = number(Metric::LatencyMax) {
        let all_alike = line.number(Metric::LatencyP50) == line.number(Metric::LatencyMax);
        let which = if all_alike { "each" } else { "the slowest" };
        clause += &format!(", {which} taking {latency}");
    }
    clause
}

/// Where on a curve a line is, a size behind the words for it: " of 2 KiB"; empty where there is none.
fn at_place(pivot: &Pivot<'_>, line: &PivotLine<'_>, of_size: &str) -> String {
    let place = pivot.place(line);
    match pivot.along {
        Some(Axis::AccessBytes) if !place.is_empty() => format!(" {of_size} {place}"),
        Some(axis) if !place.is_empty() => format!(" at {} {place}", text::axis_label(axis)),
        _ => String::new(),
    }
}

/// The duration that half of the accesses do not exceed.
fn half(line: &PivotLine<'_>) -> Option<f64> {
    line.number(Metric::LatencyP50)
}

/// How accesses are spread whose rate says nothing: the middle one and the slowest at one end of a
/// curve.
fn tail(pivot: &Pivot<'_>, line: &PivotLine<'_>) -> Option<String> {
    let number = |value| text::number(Metric::LatencyMax, value, text::DIGITS);
    let (half, slowest) = (half(line)?, line.number(Metric::LatencyMax)?);
    let of = at_place(pivot, line, "of");
    Some(format!(
        "half of the accesses{of} take up to {}, the slowest {}",
        number(half),
        number(slowest)
    ))
}

/// What accesses cost the work that they meet.
fn delay(series: &Series<'_, '_>) -> Option<String> {
    let delays = series.lines.iter().filter_map(|line| {
        let delay = line.number(Metric::BackgroundDelayMean)?;
        Some((delay, line.number(Metric::BackgroundDurationMean)?))
    });
    let (delay, duration) = delays.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    let number = |value| text::number(Metric::BackgroundDurationMean, value, text::DIGITS);
    let duration = number(duration);
    Some(if delay > 0.0 {
        let delay = number(delay);
        format!("the work in the background takes up to {duration}, {delay} of it for the reads")
    } else {
        format!("the work in the background takes {duration}, undisturbed")
    })
}

/// What a translation layer costs, at the access that it costs most of the time of.
fn moved(series: &Series<'_, '_>) -> Option<String> {
    let lines = series.lines.iter().copied().filter(|line| layer::has(line));
    let most = lines.max_by(|a, b| layer::share_of_all(a).total_cmp(&layer::share_of_all(b)))?;
    Some(format!("of its time {}", layer::sentence(most)?))
}

/// Why there is no value, in words.
fn missing(line: &PivotLine<'_>) -> Option<String> {
    let names = [
        (Metric::ThroughputMean, "throughput"),
        (Metric::LatencyMax, "latency"),
    ];
    names.into_iter().find_map(|(metric, name)| {
        let reason = line.row(metric, None)?.no_value?;
        Some(format!("{name} {}", text::reason_word(reason)))
    })
}

/// What a byte costs, as a range where the access size matters.
fn energy(series: &Series<'_, '_>) -> Option<String> {
    let lines = series.lines.iter();
    let values = lines.filter_map(|line| line.number(Metric::EnergyPerByte));
    let (low, high) = values.fold(None, |range: Option<(f64, f64)>, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })?;
    let joules = |value| wordline_core::quantity::human(value, "J", text::DIGITS);
    let (low, high) = (joules(low), joules(high));
    Some(if low == high {
        format!("the memory alone spends {low} on a byte")
    } else {
        format!("the memory alone spends {low} to {high} on a byte")
    })
}

/// How long the rated cycles last: spread as this workload spreads its writes, and all in one place.
fn lifetime(series: &Series<'_, '_>, region: &str) -> Option<String> {
    let shortest = |metric| {
        let values = series.lines.iter().filter_map(|line| line.number(metric));
        let seconds = values.min_by(f64::total_cmp)?;
        Some(text::number(metric, seconds, text::DIGITS))
    };
    let rows = || {
        series
            .lines
            .iter()
            .filter_map(|line| line.row(Metric::Lifetime, None))
    };
    let levelled = series.lines.iter().any(|line| layer::has(line));
    let region = if levelled {
        " spread over all blocks"
    } else {
        region
    };
    let pace = if series.head().axes.contains_key(&Axis::GapS) {
        "at this pace"
    } else {
        "without pause"
    };
    let clause = match (
        shortest(Metric::Lifetime),
        shortest(Metric::LifetimeHotSpot),
    ) {
        (Some(spread), Some(one_place)) => {
            format!("{pace}, rated cycles last {spread}{region} and {one_place} in one place")
        }
        (Some(spread), None) => {
            format!("{pace}, rated cycles last {spread}{region}")
        }
        (None, Some(one_place)) => {
            format!("{pace}, rated cycles last {one_place} in one place")
        }
        (None, None) if rows().any(|row| row.no_value == Some(NoValue::Unbounded)) => {
            "it does not wear out".to_owned()
        }
        (None, None) => return None,
    };
    Some(clause)
}

/// A plot of a metric along the axis of the series.
struct MetricPlot {
    metric: Metric,
    id: &'static str,
    heading: &'static str,
    caption: &'static str,
    logarithmic: bool,
}

const PLOTS: [MetricPlot; 3] = [
    MetricPlot {
        metric: Metric::ThroughputMean,
        id: "plot-throughput",
        heading: "Throughput",
        caption: "Mean over the run; up is better.",
        logarithmic: false,
    },
    MetricPlot {
        metric: Metric::LatencyMax,
        id: "plot-slowest",
        heading: "Slowest access",
        caption: "Duration of the slowest access of the run; down is better.",
        logarithmic: true,
    },
    MetricPlot {
        metric: Metric::EnergyPerByte,
        id: "plot-energy",
        heading: "Energy per byte",
        caption: "Energy of the memory alone, the host excluded, divided by the bytes moved; down is \
                  better.",
        logarithmic: false,
    },
];

/// A plot for each of the main metrics that the rows hold; none without an axis to draw along.
fn plots(pivot: &Pivot<'_>) -> Vec<Plot> {
    let Some(along) = pivot.along else {
        return Vec::new();
    };
    let series = pivot.series();
    let plots = PLOTS
        .iter()
        .filter_map(|plot| plot.chart(along, &series).plot());
    plots.collect()
}

impl MetricPlot {
    fn chart(&self, along: Axis, series: &[Series<'_, '_>]) -> Chart {
        let unit = text::named_unit(along).map_or("1", |(_, unit)| unit);
        let axis = match along {
            Axis::AccessBytes => "access size".to_owned(),
            _ => text::axis_label(along),
        };
        let drawn = &series[..series.len().min(MOST_CURVES)];
        let curves = curves(drawn, |line| {
            Some((line.coordinate(along)?, line.number(self.metric)?))
        });
        let y_logarithmic = self.logarithmic || needs_logarithm(&curves);
        let axes = match y_logarithmic {
            true => " Both axes are logarithmic.",
            false => "",
        };
        let coinciding = match coinciding(&curves).as_slice() {
            [] => String::new(),
            [(one, other)] => format!(" The curves of {other} and {one} coincide."),
            _ => " Several curves coincide.".to_owned(),
        };
        Chart {
            id: self.id.to_owned(),
            heading: format!("{} against {axis}", self.heading),
            caption: format!("{}{axes}{coinciding}", self.caption)
                + &text::first_of(MOST_CURVES, series.len(), "first"),
            x: ChartAxis {
                unit,
                title: axis.into(),
                // Sizes double from point to point; other axes are drawn as they are.
                logarithmic: unit == "B",
            },
            y: ChartAxis {
                unit: self.metric.unit(),
                title: self.heading.to_lowercase().into(),
                logarithmic: y_logarithmic,
            },
            curves,
            rules: Vec::new(),
        }
    }
}

/// The series as curves. With several targets the colour shows the target and the dash the operation; with one, both
/// show the operation. A target's later curves are thinner, so that they lie on the first one without hiding it.
fn curves(
    series: &[Series<'_, '_>],
    point: impl Fn(&PivotLine<'_>) -> Option<(f64, f64)>,
) -> Vec<ChartCurve> {
    let targets = each(series, |one| one.head().target.clone());
    let names = each(series, |one| one.name_on_target.clone());
    let place = |all: &[String], name: &str| all.iter().position(|one| *one == name).unwrap_or(0);
    let curves = series.iter().enumerate().map(|(index, one)| {
        let target = place(&targets, &one.head().target);
        let name = place(&names, &one.name_on_target);
        let color = if targets.len() > 1 { target } else { name };
        let before = series[..index].iter();
        let alike = before
            .clone()
            .filter(|other| other.name == one.name)
            .count();
        ChartCurve {
            // Two names that print alike are numbered.
            name: match alike {
                0 => one.name.clone(),
                count => format!("{} ({})", one.name, count + 1),
            },
            color: PALETTE[color % PALETTE.len()],
            dash: DASHES[name % DASHES.len()],
            shape: CurveShape::Marked {
                symbol: index,
                is_later: before
                    .clone()
                    .any(|other| other.head().target == one.head().target),
            },
            points: one.lines.iter().filter_map(|line| point(line)).collect(),
        }
    });
    curves.collect()
}

/// Curves that lie on an earlier one to the eye, each with the earlier one.
fn coinciding(curves: &[ChartCurve]) -> Vec<(&str, &str)> {
    let near = |a: f64, b: f64| (a - b).abs() <= 0.005 * a.abs().max(b.abs());
    let same = |a: &ChartCurve, b: &ChartCurve| {
        let mut pairs = a.points.iter().zip(&b.points);
        a.points.len() == b.points.len() && pairs.all(|(a, b)| a.0 == b.0 && near(a.1, b.1))
    };
    let found = curves.iter().enumerate().filter_map(|(index, curve)| {
        let mut earlier = curves[..index]
            .iter()
            .filter(|other| !other.points.is_empty());
        Some((
            curve.name.as_str(),
            earlier.find(|other| same(curve, other))?.name.as_str(),
        ))
    });
    found.collect()
}
