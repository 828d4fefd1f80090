//! Latency under load: curves over throughput, their knees and stages, and how latencies are spread.

use wordline_core::quantity::human;
use wordline_core::{Axis, Metric};

use super::{ModuleLines, NamedLine, by_name, shares};
use crate::answer::IN_WORDS;
use crate::grid::{Column, Grid};
use crate::pivot::PivotLine;
use crate::tabulate::Tabulation;
use crate::text;

pub(super) const TEST: &str = "loaded";
pub(super) const DELAY: Axis = Axis::DelayCycles;

/// The points that stand for the load, in their order.
pub(crate) const LANDMARKS: [&str; 3] = ["least load", "at the knee", "greatest load"];

/// A target under less and less load.
pub(crate) struct LoadCurve<'a, 'p> {
    pub(crate) target: &'a str,
    pub(crate) mix: &'a str,
    pub(crate) pattern: &'a str,
    /// Latency of one core that has the memory to itself.
    pub(crate) idle: Option<f64>,
    /// Least load first.
    pub(crate) points: Vec<LoadPoint<'a, 'p>>,
    /// Throughput and latency at the knee.
    pub(crate) knee: Option<(f64, f64)>,
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
    /// What tells it from others of the same target.
    fn conditions(&self) -> String {
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

/// The curves of a document, in its order.
pub(crate) fn curves<'a, 'p>(view: &ModuleLines<'a, 'p>) -> Vec<LoadCurve<'a, 'p>> {
    let mut curves: Vec<LoadCurve<'a, 'p>> = Vec::new();
    for line in view.plain(TEST) {
        let head = line.head();
        let word = |axis: Axis| head.text(axis).unwrap_or_default();
        let (target, mix, pattern) = (head.target.as_str(), word(Axis::Mix), word(Axis::Pattern));
        let same = |curve: &LoadCurve<'_, '_>| {
            curve.target == target && curve.mix == mix && curve.pattern == pattern
        };
        let place = curves.iter().position(same).unwrap_or_else(|| {
            curves.push(LoadCurve {
                target,
                mix,
                pattern,
                idle: None,
                points: Vec::new(),
                knee: None,
            });
            curves.len() - 1
        });
        match line.coordinate(DELAY).filter(|delay| delay.is_finite()) {
            Some(delay) => curves[place].points.push(LoadPoint { delay, line }),
            None => {
                let at = |metric| line.number(metric);
                let knee = at(Metric::ThroughputKnee).zip(at(Metric::LatencyKnee));
                curves[place].knee = knee.or(curves[place].knee);
            }
        }
    }
    for curve in &mut curves {
        curve.points.sort_by(|a, b| b.delay.total_cmp(&a.delay));
        let idle = view.special(TEST, &[Axis::Estimate]).find(|line| {
            let head = line.head();
            let word = |axis: Axis| head.text(axis).unwrap_or_default();
            let same = head.target == curve.target && word(Axis::Mix) == curve.mix;
            same && word(Axis::Pattern) == curve.pattern && word(Axis::Estimate) == "idle"
        });
        curve.idle = idle.and_then(|line| line.number(Metric::LatencyMean));
    }
    curves.retain(|curve| !curve.points.is_empty());
    curves
}

pub(super) fn tables(view: &ModuleLines<'_, '_>) -> Vec<Grid> {
    let curves = curves(view);
    if curves.is_empty() {
        return Vec::new();
    }
    let landmarks = curves.iter().flat_map(|curve| {
        let marks = curve.landmarks().into_iter();
        marks.map(|(load, point)| {
            (
                vec![view.short(curve.target).to_owned(), load.to_owned()],
                point.line,
            )
        })
    });
    let lines: Vec<NamedLine<'_, '_>> = landmarks.collect();
    let mut grids: Vec<Grid> = sweep(view, &curves).into_iter().collect();
    grids.extend(knees(view, &curves));
    grids.extend(super::carried::table(view));
    grids.extend(at_equal_throughput(view));
    grids.extend(within(view, &lines));
    let waits = "What requests waited for";
    grids.extend(shares(
        view,
        waits,
        &["module", "load"],
        &lines,
        Metric::WaitShare,
    ));
    let title = format!("Power of the modules{}", view.place());
    grids.extend(super::bandwidth::power(
        &title,
        &["module", "load"],
        &lines,
        &|line, metric, estimate| {
            let delay = line.coordinate(DELAY)?;
            let mut estimates = view.special(TEST, &[Axis::Estimate]);
            let same = |other: &&PivotLine<'_>| {
                let head = other.head();
                head.target == line.head().target
                    && other.coordinate(DELAY) == Some(delay)
                    && head.text(Axis::Estimate) == Some(estimate)
            };
            estimates.find(same)?.number(metric)
        },
    ));
    grids
}

/// A row for each delay; throughput, latency and stage of each target side by side.
fn sweep(view: &ModuleLines<'_, '_>, curves: &[LoadCurve<'_, '_>]) -> Option<Grid> {
    let points = curves.iter().flat_map(|curve| &curve.points);
    let mut delays: Vec<f64> = points.map(|one| one.delay).collect();
    delays.sort_by(f64::total_cmp);
    delays.dedup();
    let conditions = curves
        .first()
        .map(LoadCurve::conditions)
        .unwrap_or_default();
    let title = format!("Latency under load, {conditions}{}", view.place());
    let mut table = Tabulation::new(title).key(Column::right("delay"), f64::to_string);
    for curve in curves {
        let at = |delay: &f64| curve.points.iter().find(|point| point.delay == *delay);
        let carries = format!("{} carries", view.short(curve.target));
        for (name, metric) in [
            (carries.as_str(), Metric::ThroughputMean),
            ("latency", Metric::LatencyMean),
            ("p99", Metric::LatencyP99),
        ] {
            table = table.figure(name, move |delay| at(delay)?.line.told(metric));
        }
        table = table.words("stage", move |delay| {
            at(delay)?.stage_name().map(str::to_owned)
        });
    }
    table.lines(&delays)
}

fn knees(view: &ModuleLines<'_, '_>, curves: &[LoadCurve<'_, '_>]) -> Option<Grid> {
    type OfCurve = fn(&LoadCurve<'_, '_>) -> Option<f64>;
    let time = |seconds| text::number(Metric::LatencyMean, seconds, text::DIGITS);
    let figures: [(&str, OfCurve, bool); 9] = [
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
        ("latency there", |curve| Some(curve.knee?.1), true),
        ("carries at most", |curve| most(curve)?.throughput(), false),
        ("latency there", |curve| most(curve)?.latency(), true),
    ];
    let title = format!("Knees of the curves{}", view.place());
    let table = Tabulation::new(title).key(Column::left("module"), |curve: &&LoadCurve<'_, '_>| {
        view.short(curve.target).to_owned()
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

/// The point that carries most.
fn most<'a, 'p>(curve: &LoadCurve<'a, 'p>) -> Option<LoadPoint<'a, 'p>> {
    let known = curve
        .points
        .iter()
        .filter_map(|point| Some((point.throughput()?, *point)));
    known
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, point)| point)
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

/// Latencies of all targets at the throughputs at which the first takes a multiple of what it takes alone.
fn at_equal_throughput(view: &ModuleLines<'_, '_>) -> Option<Grid> {
    let lines: Vec<_> = view
        .special(TEST, &[Axis::Estimate, Axis::Load, Axis::Over])
        .collect();
    let mut loads: Vec<f64> = lines
        .iter()
        .filter_map(|line| line.coordinate(Axis::Load))
        .collect();
    loads.retain(|load| load.is_finite());
    loads.sort_by(f64::total_cmp);
    loads.dedup();
    let (first, others) = view.targets.split_first()?;
    let lines = &lines;
    let at = |load: &f64| {
        let load = *load;
        let lines = lines.iter();
        lines.filter(move |line| line.coordinate(Axis::Load) == Some(load))
    };
    let title = format!("Latency at equal throughput{}", view.place());
    let mut table = Tabulation::new(title)
        .key(
            Column::left(format!("{} takes", view.short(first))),
            |load: &f64| format!("{} times as long as alone", human(*load, "1", 2)),
        )
        .key(Column::right("at"), |load| {
            let rate = at(load).find_map(|line| line.coordinate(Axis::RateBytesPerS));
            rate.map_or_else(String::new, text::rate)
        });
    for target in others {
        let of = move |load: &f64| at(load).find(|line| line.head().target == *target);
        table = table
            .figure(format!("{} takes", view.short(target)), move |load| {
                of(load)?.told(Metric::LatencyMean)
            })
            .figure("difference", move |load| {
                of(load)?.number(Metric::LatencyRatio).map(super::gain)
            });
    }
    table.lines(&loads)
}

/// Shares of the samples that took no longer than the times that were asked for.
fn within(view: &ModuleLines<'_, '_>, landmarks: &[NamedLine<'_, '_>]) -> Option<Grid> {
    let lines: Vec<_> = view.special(TEST, &[Axis::WithinS]).collect();
    let mut times: Vec<f64> = lines
        .iter()
        .filter_map(|line| line.coordinate(Axis::WithinS))
        .collect();
    times.retain(|time| time.is_finite());
    times.sort_by(f64::total_cmp);
    times.dedup();
    let title = format!("Reads that took no longer{}", view.place());
    let table = by_name(title, &["module", "load"]);
    let table = times.into_iter().fold(table, |table, time| {
        let lines = &lines;
        table.figure(
            format!("within {}", human(time, "s", 4)),
            move |(_, point)| {
                let line = lines.iter().find(|line| {
                    line.head().target == point.head().target
                        && line.coordinate(Axis::WithinS) == Some(time)
                        && line.coordinate(DELAY) == point.coordinate(DELAY)
                });
                line?.told(Metric::LatencyShare)
            },
        )
    });
    table.lines(landmarks)
}

pub(super) fn sentences(view: &ModuleLines<'_, '_>) -> Vec<String> {
    let curves = curves(view);
    let mut sentences: Vec<String> = curves.iter().take(IN_WORDS).filter_map(course).collect();
    sentences.extend(super::carried::sentences(view));
    sentences.extend(compared(view));
    sentences
}

/// "a@s: a read takes 105 ns alone, about as long up to 310 GB/s; …".
fn course(curve: &LoadCurve<'_, '_>) -> Option<String> {
    let time = |seconds| text::number(Metric::LatencyMean, seconds, text::DIGITS);
    let mut clauses = vec![match curve.idle {
        Some(idle) => format!("a read takes {} alone", time(idle)),
        None => {
            let least = curve.points.first()?.latency()?;
            format!("a read takes {} under the least load", time(least))
        }
    }];
    if let Some(constant) = constant(curve) {
        clauses.push(format!("about as long up to {}", text::rate(constant)));
    }
    if let Some((throughput, latency)) = curve.knee {
        clauses.push(format!(
            "{} at the knee of {}",
            time(latency),
            text::rate(throughput)
        ));
    }
    if let Some(most) = most(curve)
        && let (Some(throughput), Some(latency)) = (most.throughput(), most.latency())
    {
        clauses.push(format!(
            "{} at {}, the most that it carries",
            time(latency),
            text::rate(throughput)
        ));
    }
    Some(format!(
        "{} ({}): {}.",
        curve.target,
        curve.conditions(),
        clauses.join(", ")
    ))
}

/// How the others compare where the first takes a multiple of what it takes alone.
fn compared(view: &ModuleLines<'_, '_>) -> Vec<String> {
    let Some(first) = view.targets.first() else {
        return Vec::new();
    };
    let lines: Vec<_> = view
        .special(TEST, &[Axis::Estimate, Axis::Load, Axis::Over])
        .collect();
    let others = view.targets.iter().skip(1).take(IN_WORDS);
    let sentence = |target: &&str| {
        let clauses = lines
            .iter()
            .filter(|line| line.head().target == **target)
            .filter_map(|line| {
                let ratio = line.number(Metric::LatencyRatio)?;
                let (load, rate) = (
                    line.coordinate(Axis::Load)?,
                    line.coordinate(Axis::RateBytesPerS)?,
                );
                let times = human(load, "1", 2);
                Some(format!(
                    "{} where that takes {times} times as long as alone ({})",
                    super::gain(ratio),
                    text::rate(rate)
                ))
            });
        let clauses: Vec<_> = clauses.collect();
        let (who, first) = (view.short(target), view.short(first));
        (!clauses.is_empty()).then(|| {
            format!(
                "At equal throughput the latency of {who} against {first} is {}.",
                clauses.join(", ")
            )
        })
    };
    others.filter_map(sentence).collect()
}
