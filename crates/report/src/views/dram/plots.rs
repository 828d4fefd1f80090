//! The plots of `wordline dram`: bars of what modules carry and of where their buses' time goes, what latency
//! consists of, and under load latency over throughput and its spread.

use std::borrow::Cow;

use wordline_core::Metric;
use wordline_core::results::HistogramBucket;

use super::bandwidth::{Mixes, ratio_band};
use super::{LANDMARKS, LoadPoint, curves, mix, of_test, targets};
use crate::cause::{self, CauseMeaning};
use crate::html::bars::{BarPiece, BarScale, PlotRow, RowMark, RowSpec, StackedBars};
use crate::html::chart::{
    Chart, ChartAxis, ChartCurve, ChartRule, CurveShape, RuleAxis, needs_logarithm,
};
use crate::html::plot::{DASHES, PALETTE, Plot, PlotSpec};
use crate::html::why;
use crate::pivot::{Pivot, PivotLine, each, together};
use crate::text;

/// More targets than a plot can distinguish.
const TARGETS: usize = 8;

/// Share of the slowest target's samples that a histogram shows; the tail beyond stands in the tables.
const SHOWN: f64 = 0.999;

pub(crate) fn plots(pivot: &Pivot<'_>) -> Vec<Plot> {
    let mut plots = Vec::new();
    for (index, mixes) in Mixes::all_of(pivot).iter().enumerate() {
        plots.extend(throughputs(pivot, mixes, index + 1));
    }
    plots.extend(latency_over_throughput(pivot));
    plots.extend(histograms(pivot));
    plots.extend(replayed(pivot));
    plots
}

/// Where latency without load and the time of the buses go, with what each cause means.
pub(crate) fn why(pivot: &Pivot<'_>) -> why::TimeBreakdown {
    let mut section = why::TimeBreakdown::default();
    let mut all = idle_pieces(pivot);
    section.plots.extend(idle(&all));
    for (index, mixes) in Mixes::all_of(pivot).iter().enumerate() {
        let pieces = bus_pieces(pivot, mixes);
        section.plots.extend(buses(&pieces, mixes, index + 1));
        all.extend(pieces);
    }
    section.causes = causes(&all);
    section
}

/// The causes that some pieces have, in their order.
fn causes(pieces: &[BarPiece]) -> Vec<CauseMeaning> {
    let mut causes = each(pieces, |piece| piece.cause.clone());
    causes.sort_by_key(|cause| cause::place(cause));
    let causes = causes.iter();
    causes
        .map(|cause| CauseMeaning::of(cause, 0, false))
        .collect()
}

/// The name of a target and its look: colours and dashes stay with it from plot to plot.
fn look(index: usize) -> (&'static str, [u8; 4]) {
    (PALETTE[index % PALETTE.len()], DASHES[index % DASHES.len()])
}

/// Pieces of a bar, causes in their order; those that take nothing are left out.
fn pieces<'a>(
    bar: &str,
    parts: impl Iterator<Item = (&'a str, f64)>,
    told: impl Fn(f64) -> String,
) -> Vec<BarPiece> {
    let parts = parts.filter(|(_, value)| *value > 0.0);
    let pieces = parts.map(|(cause, value)| BarPiece {
        bar: bar.to_owned(),
        cause: cause::name(cause),
        order: cause::place(cause),
        value,
        text: told(value),
    });
    pieces.collect()
}

/// The names of causes with their colours.
fn colors(pieces: &[BarPiece]) -> Vec<(String, &'static str)> {
    let causes = causes(pieces).into_iter();
    causes.map(|cause| (cause.name, cause.color)).collect()
}

fn idle_pieces(pivot: &Pivot<'_>) -> Vec<BarPiece> {
    let time = |seconds| text::number(Metric::LatencyMean, seconds, text::DIGITS);
    let lines = of_test(pivot, "idle").into_iter().take(TARGETS);
    let pieces = lines.flat_map(|line| {
        let bar = pivot.short(line.head());
        pieces(bar, line.parts(Metric::LatencyMeanPart), time)
    });
    pieces.collect()
}

fn idle(pieces: &[BarPiece]) -> Option<Plot> {
    let caption = "Mean duration of a read of one core that follows a chain of pointers; the parts add up to it.";
    let stack = StackedBars {
        id: "plot-idle".to_owned(),
        heading: "What latency without load consists of".to_owned(),
        caption: caption.to_owned(),
        title: "latency",
        scale: BarScale::Of("s"),
        colors: colors(pieces),
        pieces: pieces.to_vec(),
    };
    stack.plot()
}

/// Grouped bars: mixes from top to bottom, targets side by side, the band of a gain as a line over its bar.
fn throughputs(pivot: &Pivot<'_>, mixes: &Mixes<'_, '_>, number: usize) -> Option<Plot> {
    let mut by_target = together(mixes.lines.clone(), |line| line.head().target.as_str());
    by_target.truncate(TARGETS);
    let throughput = |line: &PivotLine<'_>| line.number(Metric::ThroughputMean);
    let first = by_target.first().map(|own| &own[0].head().target);
    let mark = |(series, own): (usize, &Vec<&PivotLine<'_>>), of: &str| {
        let line = own.iter().find(|line| mix(line) == of)?;
        let value = throughput(line)?;
        let first = first.and_then(|first| throughput(mixes.line(first, of)?));
        let band = first.zip(ratio_band(line));
        Some(RowMark {
            series,
            value,
            text: text::rate(value),
            label: Some(text::rate(value)),
            band: band.map(|(first, (low, high))| (first * low, first * high)),
        })
    };
    let rows = mixes.mixes.iter().map(|of| PlotRow {
        name: text::printable(of),
        marks: by_target
            .iter()
            .enumerate()
            .filter_map(|own| mark(own, of))
            .collect(),
        words: None,
    });
    let rows: Vec<PlotRow> = rows.filter(|row| !row.marks.is_empty()).collect();
    if rows.is_empty() {
        return None;
    }
    let has_band = |row: &PlotRow| row.marks.iter().any(|mark| mark.band.is_some());
    let band = if rows.iter().any(has_band) {
        " A thin line is the gain over the first module from 5 to 95 %, with all undisclosed choices drawn at once."
    } else {
        ""
    };
    let names = by_target.iter().enumerate().map(|(index, own)| {
        let name = text::printable(pivot.short(own[0].head()));
        (name, look(index).0)
    });
    let spec = RowSpec {
        hollow: Vec::new(),
        title: "throughput",
        unit: "B/s",
        logarithmic: false,
        ends: None,
        points: false,
        series: names.collect(),
        rows,
        rule: None,
    };
    let caption = format!("Reads and writes together, by mix; longer is better.{band}");
    let heading = format!("Bandwidth by mix{}", mixes.suffix);
    Some(Plot::new(
        format!("plot-bandwidth-{number}"),
        heading,
        caption,
        PlotSpec::Rows(spec),
    ))
}

/// What the buses could carry, split into what they carry and what is lost to each cause.
fn bus_pieces(pivot: &Pivot<'_>, mixes: &Mixes<'_, '_>) -> Vec<BarPiece> {
    let targets = targets(pivot);
    let shown = &targets[..targets.len().min(TARGETS)];
    let lines = mixes.lines.iter();
    let lines = lines.filter(|line| shown.contains(&line.head().target.as_str()));
    let pieces = lines.filter_map(|line| {
        let peak = peak(line)?;
        let bar = format!("{} {}", mix(line), pivot.short(line.head()));
        let parts = line.parts(Metric::BusShare);
        let parts = parts.map(|(cause, share)| (cause, share * peak));
        Some(pieces(&bar, parts, text::rate))
    });
    pieces.flatten().collect()
}

fn buses(pieces: &[BarPiece], mixes: &Mixes<'_, '_>, number: usize) -> Option<Plot> {
    let caption = "A bar is the peak of all data buses: what they carry, and what is lost to each cause. Where two \
                   bars differ, their modules do.";
    let stack = StackedBars {
        id: format!("plot-buses-{number}"),
        heading: format!("The difference explained{}", mixes.suffix),
        caption: caption.to_owned(),
        title: "what the buses can carry",
        scale: BarScale::Of("B/s"),
        colors: colors(pieces),
        pieces: pieces.to_vec(),
    };
    stack.plot()
}

/// What all data buses together can carry.
fn peak(line: &PivotLine<'_>) -> Option<f64> {
    let data = line.row(Metric::BusShare, Some("data"))?.value?;
    let peak = line.number(Metric::ThroughputMean)? / data;
    (peak.is_finite() && peak > 0.0).then_some(peak)
}

pub(crate) fn latency_over_throughput(pivot: &Pivot<'_>) -> Option<Plot> {
    let (mut drawn, mut rules) = (Vec::new(), Vec::new());
    for (index, curve) in curves(pivot).iter().take(TARGETS).enumerate() {
        let (color, dash) = look(index);
        let place = |point: &LoadPoint<'_, '_>| Some((point.throughput()?, point.latency()?));
        drawn.push(ChartCurve {
            name: curve.module.to_owned(),
            color,
            dash,
            shape: CurveShape::Path,
            points: curve.points.iter().filter_map(place).collect(),
        });
        rules.extend(curve.knee.map(|(throughput, _)| ChartRule {
            axis: RuleAxis::X,
            at: throughput,
            label: format!("knee: {}", text::rate(throughput)),
            color,
            dash,
        }));
    }
    let logarithmic = needs_logarithm(&drawn);
    Chart {
        id: "plot-loaded".to_owned(),
        heading: "Latency over throughput".to_owned(),
        caption: "Mean duration of a read while other cores load the memory with ever shorter pauses; down and to \
                  the right is better. At the knee the curve turns from linear to saturated."
            .to_owned(),
        x: ChartAxis::linear("B/s", "throughput"),
        y: ChartAxis {
            unit: "s",
            title: Cow::Borrowed("mean latency"),
            logarithmic,
        },
        curves: drawn,
        rules,
    }
    .plot()
}

/// How latencies are spread under the least load, at the knee and under the greatest load.
pub(crate) fn histograms(pivot: &Pivot<'_>) -> Vec<Plot> {
    let mut drawn: Vec<(&str, ChartCurve)> = Vec::new();
    for (index, curve) in curves(pivot).iter().take(TARGETS).enumerate() {
        for (load, point) in curve.landmarks() {
            let row = point.line.row(Metric::LatencyMean, None);
            let name = row.and_then(|row| row.distribution.as_ref());
            let Some(buckets) = name.and_then(|name| pivot.document.histograms.get(name)) else {
                continue;
            };
            let (color, dash) = look(index);
            let throughput = point
                .throughput()
                .map(|rate| format!(" at {}", text::rate(rate)));
            let curve = ChartCurve {
                name: format!("{}{}", curve.module, throughput.unwrap_or_default()),
                color,
                dash,
                shape: CurveShape::Filled,
                points: steps(buckets),
            };
            drawn.push((load, curve));
        }
    }
    let mut charts = together(drawn, |(load, _)| *load);
    charts.sort_by_key(|own| LANDMARKS.iter().position(|mark| *mark == own[0].0));
    let plots = charts.into_iter().enumerate().filter_map(|(index, own)| {
        let chart = Chart {
            id: format!("plot-histogram-{}", index + 1),
            heading: format!("How long reads take: {}", own[0].0),
            caption:
                "Share of the reads in each bin; the slowest one in a thousand lie further right."
                    .to_owned(),
            x: ChartAxis::linear("s", "latency"),
            y: ChartAxis::linear("1", "share of the reads"),
            curves: own.into_iter().map(|(_, curve)| curve).collect(),
            rules: Vec::new(),
        };
        chart.plot()
    });
    plots.collect()
}

/// How long the reads of a replayed trace take: the share that is done in time, for any time.
fn replayed(pivot: &Pivot<'_>) -> Option<Plot> {
    let lines = of_test(pivot, "trace")
        .into_iter()
        .take(TARGETS)
        .enumerate();
    let drawn = lines.filter_map(|(index, line)| {
        let row = line.row(Metric::LatencyMean, None)?;
        let buckets = pivot.document.histograms.get(row.distribution.as_ref()?)?;
        let (color, dash) = look(index);
        Some(ChartCurve {
            name: pivot.short(line.head()).to_owned(),
            color,
            dash,
            shape: CurveShape::StepAfter,
            points: cumulated(buckets),
        })
    });
    Chart {
        id: "plot-trace".to_owned(),
        heading: "How long reads take".to_owned(),
        caption: "Share of the reads that take no longer; up and to the left is better. The slowest one in a thousand \
                  lie further right."
            .to_owned(),
        x: ChartAxis::linear("s", "latency"),
        y: ChartAxis::linear("1", "share of the reads"),
        curves: drawn.collect(),
        rules: Vec::new(),
    }
    .plot()
}

/// The share of the samples up to the end of each bin, in steps of a thousandth at least.
fn cumulated(buckets: &[HistogramBucket]) -> Vec<(f64, f64)> {
    let all: f64 = buckets.iter().map(|bucket| bucket.count as f64).sum();
    let (mut seen, mut told) = (0.0, 0.0);
    let mut points = vec![(0.0, 0.0)];
    for bucket in buckets {
        seen += bucket.count as f64 / all;
        if seen - told >= 1.0 - SHOWN {
            points.push((bucket.upper_s, seen));
            told = seen;
        }
        if seen >= SHOWN {
            break;
        }
    }
    points
}

/// The share of the samples in each bin from its beginning on, empty bins between included.
fn steps(buckets: &[HistogramBucket]) -> Vec<(f64, f64)> {
    let all: f64 = buckets.iter().map(|bucket| bucket.count as f64).sum();
    let width = bin_width(buckets);
    let mut points: Vec<(f64, f64)> = Vec::new();
    let (mut seen, mut end) = (0.0, None);
    for bucket in buckets {
        let begin = bucket.upper_s - width;
        // The bin before was followed by empty ones.
        if let Some(end) = end
            && begin > end + 0.5 * width
        {
            points.push((end, 0.0));
        }
        points.push((begin.max(0.0), bucket.count as f64 / all));
        end = Some(bucket.upper_s);
        seen += bucket.count as f64;
        if seen >= SHOWN * all {
            break;
        }
    }
    points.extend(end.map(|end| (end, 0.0)));
    points
}

/// Width of a bin: the least distance of two.
fn bin_width(buckets: &[HistogramBucket]) -> f64 {
    let pairs = buckets
        .windows(2)
        .map(|pair| pair[1].upper_s - pair[0].upper_s);
    let least = pairs
        .filter(|width| *width > 0.0)
        .fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 0.0 }
}
