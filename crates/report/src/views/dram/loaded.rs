//! Latency under load: curves over throughput, their knees and stages, and how latencies are spread.

use wordline_core::quantity::human;
use wordline_core::results::Row;
use wordline_core::{Axis, DramTest, LoadedTest, Metric, Workload};

use super::{MODULE, Of, carried, mix, of_test, time};
use crate::answer::IN_WORDS;
use crate::grid::{Column, Grid};
use crate::pivot::{Pivot, PivotLine, ascending, together};
use crate::tabulate::Tabulation;
use crate::text;
use crate::view::{FigureOf, Key, LineTable, figure};

pub(super) const TEST: &str = "loaded";
pub(super) const DELAY: Axis = Axis::DelayCycles;

/// The points that stand for the load, in their order.
pub(crate) const LANDMARKS: [&str; 3] = ["least load", "at the knee", "greatest load"];

/// A target under less and less load.
pub(crate) struct LoadCurve<'a, 'p> {
    pub(crate) target: &'a str,
    pub(crate) module: &'a str,
    pub(crate) mix: &'a str,
    pub(crate) pattern: &'a str,
    /// Mean latency of one core that has the memory to itself: what "alone" means.
    pub(crate) idle: Option<f64>,
    /// Least load first.
    pub(crate) points: Vec<LoadPoint<'a, 'p>>,
    /// Throughput and latency at the knee.
    pub(crate) knee: Option<(f64, f64)>,
    /// Between which throughputs the knee lies.
    knee_between: Option<(f64, f64)>,
    /// Threads that load a machine, each on a core of its own; of simulated systems all cores do.
    pub(crate) load_threads: Option<f64>,
}

/// A point of a curve.
#[derive(Clone, Copy)]
pub(crate) struct LoadPoint<'a, 'p> {
    pub(crate) delay: f64,
    pub(crate) line: &'p PivotLine<'a>,
}

impl LoadPoint<'_, '_> {
    pub(crate) fn throughput(&self) -> Option<f64> {
        self.line.number(Metric::ThroughputMean)
    }

    pub(crate) fn latency(&self) -> Option<f64> {
        self.line.number(Metric::LatencyMean)
    }

    /// 1, 2 or 3.
    fn stage(&self) -> Option<f64> {
        self.line.number(Metric::LoadStage)
    }

    fn stage_name(&self) -> Option<&'static str> {
        match self.stage()? {
            1.0 => Some("constant"),
            2.0 => Some("linear"),
            3.0 => Some("saturated"),
            _ => None,
        }
    }
}

impl<'a, 'p> LoadCurve<'a, 'p> {
    /// What distinguishes it from others of the same target.
    pub(crate) fn conditions(&self) -> String {
        match self.pattern {
            "" | "sequential" => self.mix.to_owned(),
            pattern => format!("{}, {pattern}", self.mix),
        }
    }

    /// The points that stand for the load: the least, the one at the knee, and the greatest.
    pub(crate) fn landmarks(&self) -> Vec<(&'static str, LoadPoint<'a, 'p>)> {
        let all = [
            self.points.first(),
            self.knee.and_then(|(knee, _)| self.nearest(knee)),
            self.points.last(),
        ];
        let mut marks: Vec<(&'static str, LoadPoint<'a, 'p>)> = Vec::new();
        for (name, point) in LANDMARKS.into_iter().zip(all) {
            if let Some(point) = point
                && !marks.iter().any(|(_, other)| other.delay == point.delay)
            {
                marks.push((name, *point));
            }
        }
        marks
    }

    /// The point that carries most.
    pub(crate) fn most(&self) -> Option<LoadPoint<'a, 'p>> {
        let points = self.points.iter();
        let known = points.filter_map(|point| Some((point.throughput()?, *point)));
        let most = known.max_by(|(a, _), (b, _)| a.total_cmp(b));
        most.map(|(_, point)| point)
    }

    /// Whether the memory was seen to give no more: the curve has a knee, beyond which reads take half as long again as alone, or
    /// longer. Without that the greatest load says what the cores asked for, and not what the memory carries.
    pub(crate) fn is_saturated(&self) -> bool {
        /// Times what a read takes alone.
        const SATURATED: f64 = 1.5;
        let least = self.points.first().and_then(LoadPoint::latency);
        let slowest = self.slowest().and_then(|point| point.latency());
        let rises = self.idle.or(least).zip(slowest);
        self.knee.is_some() && rises.is_some_and(|(alone, slow)| slow >= SATURATED * alone)
    }

    /// " by 3 cores"; empty where nothing says it.
    pub(crate) fn loaded_by(&self) -> String {
        match self.load_threads {
            None => String::new(),
            Some(1.0) => " by 1 core".to_owned(),
            Some(cores) => format!(" by {cores} cores"),
        }
    }

    /// The point at which a read takes longest.
    pub(crate) fn slowest(&self) -> Option<LoadPoint<'a, 'p>> {
        let known = self.points.iter();
        let known =
            known.filter_map(|point| Some((point.line.number(Metric::LatencyMean)?, *point)));
        known
            .max_by(|(a, _), (b, _)| a.total_cmp(b))
            .map(|(_, point)| point)
    }

    /// The point that carries about so much. The last digits of a knee may differ from those of its point.
    fn nearest(&self, throughput: f64) -> Option<&LoadPoint<'a, 'p>> {
        let off = |point: &LoadPoint<'_, '_>| Some((point.throughput()? - throughput).abs());
        let known = self
            .points
            .iter()
            .filter_map(|point| Some((off(point)?, point)));
        let nearest = known.min_by(|(a, _), (b, _)| a.total_cmp(b));
        nearest.map(|(_, point)| point)
    }
}

/// What the things under load are called in tables and sentences.
fn noun(pivot: &Pivot<'_>) -> &'static str {
    let is_host = |line: &PivotLine<'_>| line.head().workload == "host";
    match pivot.lines.iter().all(is_host) {
        true => "memory",
        false => "module",
    }
}

/// The pause of a point. Points of other tools that state none are counted from the least load on.
fn place(line: &PivotLine<'_>) -> Option<f64> {
    let counted = || "point".parse().ok().and_then(|axis| line.coordinate(axis));
    line.coordinate(DELAY)
        .or_else(|| counted().map(|count: f64| -count))
}

/// The curves of a document, in its order.
pub(crate) fn curves<'a, 'p>(pivot: &'p Pivot<'a>) -> Vec<LoadCurve<'a, 'p>> {
    let pattern = |line: &PivotLine<'a>| line.head().text(Axis::Pattern).unwrap_or_default();
    let of = |line: &PivotLine<'a>| (line.head().target.as_str(), mix(line), pattern(line));
    let groups = together(of_test(pivot, TEST), |line| of(line)).into_iter();
    let curves = groups.filter_map(|lines| {
        let points = lines.iter().filter_map(|line| {
            let delay = place(line).filter(|delay| delay.is_finite())?;
            Some(LoadPoint { delay, line })
        });
        let mut points: Vec<_> = points.collect();
        points.sort_by(|a, b| b.delay.total_cmp(&a.delay));
        // What is no point is of the whole curve.
        let mut whole = lines.iter().filter(|line| place(line).is_none());
        let knee = whole.clone().find_map(|line| {
            let knee = line.number(Metric::ThroughputKnee);
            knee.zip(line.number(Metric::LatencyKnee))
        });
        let end = |end| {
            let end = [(Of(Axis::Estimate), end)];
            let mut whole = whole.clone();
            whole.find_map(|line| line.at(Metric::ThroughputKnee, &end)?.value)
        };
        let knee_between = end("confidence_low").zip(end("confidence_high"));
        let idle = [(Of(Axis::Estimate), "idle")];
        (!points.is_empty()).then(|| LoadCurve {
            target: &lines[0].head().target,
            module: pivot.short(lines[0].head()),
            mix: mix(lines[0]),
            pattern: pattern(lines[0]),
            load_threads: whole
                .clone()
                .find_map(|line| line.number(Metric::LoadThreads)),
            idle: whole.find_map(|line| line.at(Metric::LatencyMean, &idle)?.value),
            points,
            knee,
            knee_between,
        })
    });
    curves.collect()
}

/// The lines of the points that stand for the load.
fn landmarks<'p, 'a>(pivot: &'p Pivot<'a>) -> Vec<&'p PivotLine<'a>> {
    let curves = curves(pivot).into_iter();
    let marks = curves.flat_map(|curve| curve.landmarks());
    marks.map(|(_, point)| point.line).collect()
}

const KEYS: &[Key] = &[MODULE, LOAD];

/// Which of the points that stand for the load a line is.
pub(crate) const LOAD: Key = Key::Words("load", |pivot, line| {
    let curves = curves(pivot).into_iter();
    let mut marks = curves.flat_map(|curve| curve.landmarks());
    let mark = marks.find(|(_, point)| std::ptr::eq(point.line, line));
    mark.map_or("", |(name, _)| name).to_owned()
});

/// Shares of the samples that took no longer than the times that were asked for.
pub(crate) const WITHIN: LineTable = LineTable {
    title: "Reads that took no longer{place}",
    lines: landmarks,
    keys: KEYS,
    figures: &[figure(
        "within {}",
        FigureOf::Along(Metric::LatencyShare, Axis::WithinS, &[]),
    )],
    ..LineTable::EMPTY
};

pub(super) const WAITS: LineTable = LineTable {
    title: "What requests waited for{place}",
    figures: super::WAITS,
    ..WITHIN
};

pub(super) const POWER: LineTable = LineTable {
    title: "Power of the modules{place}",
    figures: super::POWER,
    ..WITHIN
};

/// The curves and their knees.
pub(crate) fn curve_tables(pivot: &Pivot<'_>, _: Option<u16>) -> Vec<Grid> {
    let curves = curves(pivot);
    let grids = [sweep(pivot, &curves), knees(pivot, &curves)];
    grids.into_iter().flatten().collect()
}

/// A row for each delay; throughput, latency and stage of each target side by side.
fn sweep(pivot: &Pivot<'_>, curves: &[LoadCurve<'_, '_>]) -> Option<Grid> {
    let points = curves.iter().flat_map(|curve| &curve.points);
    let delays = ascending(points.map(|one| one.delay));
    let conditions = curves
        .first()
        .map(LoadCurve::conditions)
        .unwrap_or_default();
    let title = format!("Latency under load, {conditions}{}", pivot.on_board());
    let mut table = Tabulation::new(title).key(Column::right("delay"), f64::to_string);
    for curve in curves {
        let at = |delay: &f64| curve.points.iter().find(|point| point.delay == *delay);
        let carries = format!("{} moves", curve.module);
        for (name, metric) in [
            (carries.as_str(), Metric::ThroughputMean),
            ("latency", Metric::LatencyMean),
            ("p99", Metric::LatencyP99),
        ] {
            table = table.figure(name, move |delay| at(delay)?.line.told(metric));
        }
        let beside = &[(Of(Axis::Estimate), "measured")];
        let told = move |delay: &f64, metric| at(delay)?.line.at(metric, beside);
        if delays
            .iter()
            .any(|delay| told(delay, Metric::LatencyMean).is_some())
        {
            table = table
                .figure("measured", move |delay| {
                    Some(text::value(told(delay, Metric::LatencyMean)?, text::DIGITS))
                })
                .figure("off", move |delay| {
                    told(delay, Metric::LatencyRatio)?.value.map(super::gain)
                });
        }
        table = table.words("stage", move |delay| {
            at(delay)?.stage_name().map(str::to_owned)
        });
    }
    table.lines(&delays)
}

fn knees(pivot: &Pivot<'_>, curves: &[LoadCurve<'_, '_>]) -> Option<Grid> {
    type OfCurve = fn(&LoadCurve<'_, '_>) -> Option<f64>;
    let figures: [(&str, OfCurve, bool); 11] = [
        ("idle", |curve| curve.idle, true),
        (
            "least load",
            |curve| curve.points.first()?.throughput(),
            false,
        ),
        (
            "of it probes",
            |curve| curve.points.first()?.line.number(Metric::ThroughputProbes),
            false,
        ),
        (
            "latency there",
            |curve| curve.points.first()?.latency(),
            true,
        ),
        ("constant up to", constant, false),
        ("knee at", |curve| Some(curve.knee?.0), false),
        ("not below", |curve| Some(curve.knee_between?.0), false),
        ("not above", |curve| Some(curve.knee_between?.1), false),
        ("latency there", |curve| Some(curve.knee?.1), true),
        ("greatest load", |curve| curve.most()?.throughput(), false),
        ("latency there", |curve| curve.most()?.latency(), true),
    ];
    let title = format!("Knees of the curves{}", pivot.on_board());
    let table = Tabulation::new(title)
        .key(Column::left(noun(pivot)), |curve: &&LoadCurve<'_, '_>| {
            curve.module.to_owned()
        });
    let table = figures
        .into_iter()
        .fold(table, |table, (name, of, is_time)| {
            table.figure(name, move |curve: &&LoadCurve<'_, '_>| {
                Some(if is_time {
                    time(of(curve)?)
                } else {
                    text::rate(of(curve)?)
                })
            })
        });
    table.lines(&curves.iter().collect::<Vec<_>>())
}

/// The greatest throughput of the first stage.
fn constant(curve: &LoadCurve<'_, '_>) -> Option<f64> {
    let points = curve
        .points
        .iter()
        .take_while(|point| point.stage() == Some(1.0));
    points
        .filter_map(LoadPoint::throughput)
        .max_by(f64::total_cmp)
}

/// Rows of where the first target takes a multiple of what it takes alone, with the multiple.
pub(super) fn at_loads<'a>(pivot: &Pivot<'a>) -> Vec<(f64, &'a Row)> {
    let lines = of_test(pivot, TEST).into_iter();
    let rows = lines.flat_map(|line| line.rows().to_vec());
    let rows = rows.filter_map(|row| Some((text::numeric(row.axes.get(&Axis::Load)?)?, row)));
    rows.collect()
}

/// Latencies of all targets at the throughputs at which the first takes a multiple of what it takes alone.
pub(super) fn at_equal_throughput(pivot: &Pivot<'_>, _: Option<u16>) -> Vec<Grid> {
    let rows = &at_loads(pivot);
    let loads = ascending(rows.iter().map(|(load, _)| *load));
    let at = |load: &f64| {
        let load = *load;
        let rows = rows.iter().filter(move |(other, _)| *other == load);
        rows.map(|(_, row)| *row)
    };
    let title = format!("Latency at equal throughput{}", pivot.on_board());
    let own = pivot.lines.first().map(|line| &line.head().target);
    let others = rows.iter().map(|(_, row)| *row);
    let others = others.filter(|row| Some(&row.target) != own).collect();
    let others = together(others, |row| &row.target);
    let mut table = Tabulation::new(title)
        .key(
            Column::left(format!("{} takes", pivot.first())),
            |load: &f64| format!("{} times as long as alone", human(*load, "1", 2)),
        )
        .key(Column::right("at"), |load| {
            let rate = at(load).find_map(|row| text::numeric(row.axes.get(&Axis::RateBytesPerS)?));
            rate.map_or_else(String::new, text::rate)
        });
    for other in &others {
        let of = move |load: &f64, metric| {
            let mut own = at(load).filter(|row| row.target == other[0].target);
            own.find(|row| row.metric == metric)
        };
        table = table
            .figure(format!("{} takes", pivot.short(other[0])), move |load| {
                Some(text::value(of(load, Metric::LatencyMean)?, text::DIGITS))
            })
            .figure("difference", move |load| {
                of(load, Metric::LatencyRatio)?.value.map(super::gain)
            });
    }
    table.lines(&loads).into_iter().collect()
}

pub(crate) fn sentences(pivot: &Pivot<'_>) -> Vec<String> {
    let curves = curves(pivot);
    let noun = noun(pivot);
    let courses = curves.iter().take(IN_WORDS);
    let mut sentences: Vec<String> = courses.filter_map(|curve| course(curve, noun)).collect();
    sentences.extend(carried::sentences(pivot));
    sentences.extend(curves.iter().take(IN_WORDS).filter_map(beside));
    sentences.extend(sampled(pivot));
    sentences.extend(compared(pivot));
    sentences
}

/// "a@s (1:0): a read takes 105 ns alone, about as long up to 310 GB/s. …".
fn course(curve: &LoadCurve<'_, '_>, noun: &str) -> Option<String> {
    let alone = match curve.idle {
        Some(idle) => format!("a read takes {} alone", time(idle)),
        None => {
            let least = curve.points.first()?.latency()?;
            format!("a read takes {} under the least load", time(least))
        }
    };
    let constant = constant(curve).map_or_else(String::new, |constant| {
        format!(", about as long up to {}", text::rate(constant))
    });
    let (target, conditions) = (curve.target, curve.conditions());
    let mut sentences = vec![format!("{target} ({conditions}): {alone}{constant}.")];
    sentences.extend(curve.knee.map(|(throughput, latency)| {
        let rate = text::rate(throughput);
        let between = curve.knee_between.map_or_else(String::new, |(low, high)| {
            format!(" ({} to {})", text::rate(low), text::rate(high))
        });
        format!("At the knee of {rate}{between} it takes {}.", time(latency))
    }));
    if let Some(most) = curve.most()
        && let (Some(throughput), Some(latency)) = (most.throughput(), most.latency())
    {
        let rate = text::rate(throughput);
        let latency = time(latency);
        sentences.push(match curve.is_saturated() {
            true => format!("The {noun} carries at most {rate}, where a read takes {latency}."),
            false => format!(
                "Loaded up to {rate}{} a read takes {latency}: the {noun} was not saturated, and may carry more.",
                curve.loaded_by()
            ),
        });
    }
    Some(sentences.join(" "))
}

/// "Beside the measured curve, a read on a@s takes -3.1 % to +12.0 % at 14 of 19 loads."
fn beside(curve: &LoadCurve<'_, '_>) -> Option<String> {
    let estimate = &[(Of(Axis::Estimate), "measured")];
    let rows = curve.points.iter();
    let rows: Vec<_> = rows
        .filter_map(|point| point.line.at(Metric::LatencyRatio, estimate))
        .collect();
    let ratios: Vec<f64> = rows.iter().filter_map(|row| row.value).collect();
    let least = ratios.iter().copied().min_by(f64::total_cmp);
    let most = ratios.iter().copied().max_by(f64::total_cmp);
    if rows.is_empty() {
        return None;
    }
    let (target, all) = (curve.target, rows.len());
    Some(match least.zip(most) {
        Some((least, most)) => format!(
            "Beside the measured curve, a read on {target} takes {} to {} at {} of {all} loads.",
            super::gain(least),
            super::gain(most),
            ratios.len()
        ),
        None => format!("Every load of {target} carries more than was measured."),
    })
}

/// "Each point has 10,000 samples or more, 10 of them beyond p99.9; --thorough takes 100,000." Nothing where it has as many.
fn sampled(pivot: &Pivot<'_>) -> Option<String> {
    let Workload::Dram(dram) = &pivot.document.experiment.workload else {
        return None;
    };
    let DramTest::Loaded(test) = &dram.test else {
        return None;
    };
    (test.samples < LoadedTest::SAMPLES).then(|| {
        format!(
            "Each point has {} samples or more, {} of them beyond p99.9; --thorough takes {}.",
            text::count(test.samples as f64),
            text::count((test.samples / 1000) as f64),
            text::count(LoadedTest::SAMPLES as f64)
        )
    })
}

/// How the others compare where the first takes a multiple of what it takes alone.
fn compared(pivot: &Pivot<'_>) -> Vec<String> {
    let mut rows = at_loads(pivot);
    rows.retain(|(_, row)| row.metric == Metric::LatencyRatio);
    let others = together(rows, |(_, row)| &row.target);
    let sentences = others.iter().take(IN_WORDS).filter_map(|own| {
        let (mut loads, mut clauses) = (Vec::new(), Vec::new());
        for (load, row) in own {
            let rate = text::numeric(row.axes.get(&Axis::RateBytesPerS)?)?;
            clauses.push(format!(
                "{} at {}",
                super::gain(row.value?),
                text::rate(rate)
            ));
            loads.push(human(*load, "1", 2));
        }
        let (who, first) = (pivot.short(own[0].1), pivot.first());
        let head = format!("At equal throughput the latency of {who} against {first} is");
        (!clauses.is_empty()).then(|| {
            let sentence = text::within_a_sentence(&head, &clauses, ", ");
            let loads = text::list(&loads);
            format!("{sentence} There {first} takes {loads} times as long as alone.")
        })
    });
    sentences.collect()
}
