//! Latency under load: curves over throughput, their knees and stages, and how latencies are spread.

use wordline_core::Metric;
use wordline_core::quantity::human;

use super::{NOTHING, View, cell, waits};
use crate::answer::IN_WORDS;
use crate::grid::{Column, Grid};
use crate::pivot::Line;
use crate::text;

pub(super) const TEST: &str = "loaded";
pub(super) const DELAY: &str = "delay_cycles";

/// The points that stand for the load, in their order.
pub(crate) const LANDMARKS: [&str; 3] = ["least load", "at the knee", "greatest load"];

/// A target under less and less load.
pub(crate) struct Curve<'a, 'p> {
    pub(crate) target: &'a str,
    pub(crate) mix: &'a str,
    pub(crate) pattern: &'a str,
    /// Latency of one core that has the memory to itself.
    pub(crate) idle: Option<f64>,
    /// Least load first.
    pub(crate) points: Vec<Point<'a, 'p>>,
    /// Throughput and latency at the knee.
    pub(crate) knee: Option<(f64, f64)>,
}

/// A point of a curve.
#[derive(Clone, Copy)]
pub(crate) struct Point<'a, 'p> {
    pub(crate) delay: f64,
    pub(crate) line: &'p Line<'a>,
}

impl Point<'_, '_> {
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

    fn stage_name(&self) -> &'static str {
        match self.stage() {
            Some(1.0) => "constant",
            Some(2.0) => "linear",
            Some(3.0) => "saturated",
            _ => NOTHING,
        }
    }
}

impl<'a, 'p> Curve<'a, 'p> {
    /// What tells it from others of the same target.
    fn conditions(&self) -> String {
        match self.pattern {
            "" | "sequential" => self.mix.to_owned(),
            pattern => format!("{}, {pattern}", self.mix),
        }
    }

    /// The points that stand for the load: the least, the one at the knee, and the greatest.
    pub(crate) fn landmarks(&self) -> Vec<(&'static str, Point<'a, 'p>)> {
        let all = [
            self.points.first(),
            self.knee.and_then(|(knee, _)| self.nearest(knee)),
            self.points.last(),
        ];
        let mut marks: Vec<(&'static str, Point<'a, 'p>)> = Vec::new();
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
    fn nearest(&self, throughput: f64) -> Option<&Point<'a, 'p>> {
        let off = |point: &Point<'_, '_>| Some((point.throughput()? - throughput).abs());
        let known = self
            .points
            .iter()
            .filter_map(|point| Some((off(point)?, point)));
        let nearest = known.min_by(|(a, _), (b, _)| a.total_cmp(b));
        nearest.map(|(_, point)| point)
    }
}

/// The curves of a document, in its order.
pub(crate) fn curves<'a, 'p>(view: &View<'a, 'p>) -> Vec<Curve<'a, 'p>> {
    let mut curves: Vec<Curve<'a, 'p>> = Vec::new();
    for line in view.plain(TEST) {
        let head = line.head();
        let word = |axis: &str| head.text(axis).unwrap_or_default();
        let (target, mix, pattern) = (head.target.as_str(), word("mix"), word("pattern"));
        let same = |curve: &Curve<'_, '_>| {
            curve.target == target && curve.mix == mix && curve.pattern == pattern
        };
        let place = curves.iter().position(same).unwrap_or_else(|| {
            curves.push(Curve {
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
            Some(delay) => curves[place].points.push(Point { delay, line }),
            None => {
                let at = |metric| line.number(metric);
                let knee = at(Metric::ThroughputKnee).zip(at(Metric::LatencyKnee));
                curves[place].knee = knee.or(curves[place].knee);
            }
        }
    }
    for curve in &mut curves {
        curve.points.sort_by(|a, b| b.delay.total_cmp(&a.delay));
        let idle = view.special(TEST, &["estimate"]).find(|line| {
            let head = line.head();
            let word = |axis: &str| head.text(axis).unwrap_or_default();
            let same = head.target == curve.target && word("mix") == curve.mix;
            same && word("pattern") == curve.pattern && word("estimate") == "idle"
        });
        curve.idle = idle.and_then(|line| line.number(Metric::LatencyMean));
    }
    curves.retain(|curve| !curve.points.is_empty());
    curves
}

pub(super) fn tables(view: &View<'_, '_>) -> Vec<Grid> {
    let curves = curves(view);
    if curves.is_empty() {
        return Vec::new();
    }
    let mut grids = vec![sweep(view, &curves), knees(view, &curves)];
    grids.extend(super::carried::table(view));
    grids.extend(at_equal_throughput(view));
    grids.extend(within(view, &curves));
    let mut lines = Vec::new();
    for curve in &curves {
        for (load, point) in curve.landmarks() {
            lines.push((
                vec![view.short(curve.target).to_owned(), load.to_owned()],
                point.line,
            ));
        }
    }
    grids.extend(waits(
        view,
        "What requests waited for",
        &["module", "load"],
        &lines,
    ));
    let title = format!("Power of the modules{}", view.place());
    grids.extend(super::bandwidth::power(
        &title,
        &["module", "load"],
        &lines,
        &|line, metric, estimate| {
            let delay = line.coordinate(DELAY)?;
            let mut estimates = view.special(TEST, &["estimate"]);
            let same = |other: &&Line<'_>| {
                let head = other.head();
                head.target == line.head().target
                    && other.coordinate(DELAY) == Some(delay)
                    && head.text("estimate") == Some(estimate)
            };
            estimates.find(same)?.number(metric)
        },
    ));
    grids
}

/// A row for each delay; throughput, latency and stage of each target side by side.
fn sweep(view: &View<'_, '_>, curves: &[Curve<'_, '_>]) -> Grid {
    let mut columns = vec![Column::right("delay")];
    for curve in curves {
        let who = view.short(curve.target);
        columns.push(Column::right(format!("{who} carries")));
        columns.extend(["latency", "p99"].map(Column::right));
        columns.push(Column::left("stage"));
    }
    let mut delays: Vec<f64> = curves
        .iter()
        .flat_map(|curve| &curve.points)
        .map(|one| one.delay)
        .collect();
    delays.sort_by(f64::total_cmp);
    delays.dedup();
    let conditions = curves.first().map(Curve::conditions).unwrap_or_default();
    let title = format!("Latency under load, {conditions}{}", view.place());
    let mut grid = Grid::new(title, columns);
    for delay in delays {
        let mut cells = vec![format!("{delay}")];
        for curve in curves {
            let point = curve.points.iter().find(|point| point.delay == delay);
            let line = point.map(|point| point.line);
            let metrics = [
                Metric::ThroughputMean,
                Metric::LatencyMean,
                Metric::LatencyP99,
            ];
            cells.extend(metrics.map(|metric| cell(line, metric)));
            cells.push(point.map_or(NOTHING, Point::stage_name).to_owned());
        }
        grid.push(cells);
    }
    grid
}

fn knees(view: &View<'_, '_>, curves: &[Curve<'_, '_>]) -> Grid {
    let mut columns = vec![Column::left("module")];
    let headings = [
        "idle",
        "least load",
        "of it probes",
        "latency there",
        "constant up to",
        "knee at",
        "latency there",
        "carries at most",
        "latency there",
    ];
    columns.extend(headings.map(Column::right));
    let title = format!("Knees of the curves{}", view.place());
    let mut grid = Grid::new(title, columns);
    let time = |seconds: Option<f64>| {
        seconds.map_or_else(
            || NOTHING.to_owned(),
            |s| text::number(Metric::LatencyMean, s, text::DIGITS),
        )
    };
    let rate = |rate: Option<f64>| rate.map_or_else(|| NOTHING.to_owned(), text::rate);
    for curve in curves {
        let most = most(curve);
        grid.push([
            view.short(curve.target).to_owned(),
            time(curve.idle),
            rate(curve.points.first().and_then(Point::throughput)),
            rate(
                curve
                    .points
                    .first()
                    .and_then(|point| point.line.number(Metric::ThroughputProbes)),
            ),
            time(curve.points.first().and_then(Point::latency)),
            rate(constant(curve)),
            rate(curve.knee.map(|(throughput, _)| throughput)),
            time(curve.knee.map(|(_, latency)| latency)),
            rate(most.and_then(|point| point.throughput())),
            time(most.and_then(|point| point.latency())),
        ]);
    }
    grid
}

/// The point that carries most.
fn most<'a, 'p>(curve: &Curve<'a, 'p>) -> Option<Point<'a, 'p>> {
    let known = curve
        .points
        .iter()
        .filter_map(|point| Some((point.throughput()?, *point)));
    known
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, point)| point)
}

/// The greatest throughput of the first stage.
fn constant(curve: &Curve<'_, '_>) -> Option<f64> {
    let points = curve
        .points
        .iter()
        .take_while(|point| point.stage() == Some(1.0));
    points.filter_map(Point::throughput).max_by(f64::total_cmp)
}

/// Latencies of all targets at the throughputs at which the first takes a multiple of what it takes alone.
fn at_equal_throughput(view: &View<'_, '_>) -> Option<Grid> {
    let lines: Vec<_> = view.special(TEST, &["estimate", "load", "over"]).collect();
    let mut loads: Vec<f64> = lines
        .iter()
        .filter_map(|line| line.coordinate("load"))
        .collect();
    loads.retain(|load| load.is_finite());
    loads.sort_by(f64::total_cmp);
    loads.dedup();
    let first = view.targets.first()?;
    let mut columns = vec![
        Column::left(format!("{} takes", view.short(first))),
        Column::right("at"),
    ];
    for target in view.targets.iter().skip(1) {
        columns.push(Column::right(format!("{} takes", view.short(target))));
        columns.push(Column::right("difference"));
    }
    if loads.is_empty() || columns.len() == 2 {
        return None;
    }
    let title = format!("Latency at equal throughput{}", view.place());
    let mut grid = Grid::new(title, columns);
    for load in loads {
        let at: Vec<&Line<'_>> = lines
            .iter()
            .filter(|line| line.coordinate("load") == Some(load))
            .copied()
            .collect();
        let rate = at
            .iter()
            .find_map(|line| line.coordinate("rate_bytes_per_s"));
        let mut cells = vec![
            format!("{} times as long as alone", human(load, "1", 2)),
            rate.map_or_else(|| NOTHING.to_owned(), text::rate),
        ];
        for target in view.targets.iter().skip(1) {
            let line = View::of_target(&at, target);
            cells.push(cell(line, Metric::LatencyMean));
            let ratio = line.and_then(|line| line.number(Metric::LatencyRatio));
            cells.push(ratio.map_or_else(|| NOTHING.to_owned(), super::gain));
        }
        grid.push(cells);
    }
    Some(grid)
}

/// Shares of the samples that took no longer than the times that were asked for.
fn within(view: &View<'_, '_>, curves: &[Curve<'_, '_>]) -> Option<Grid> {
    let lines: Vec<_> = view.special(TEST, &["within_s"]).collect();
    let mut times: Vec<f64> = lines
        .iter()
        .filter_map(|line| line.coordinate("within_s"))
        .collect();
    times.retain(|time| time.is_finite());
    times.sort_by(f64::total_cmp);
    times.dedup();
    if times.is_empty() {
        return None;
    }
    let mut columns = vec![Column::left("module"), Column::left("load")];
    let heading = |time: &f64| format!("within {}", human(*time, "s", 4));
    columns.extend(times.iter().map(|time| Column::right(heading(time))));
    let title = format!("Reads that took no longer{}", view.place());
    let mut grid = Grid::new(title, columns).with_keys(2);
    for curve in curves {
        for (load, point) in curve.landmarks() {
            let mut cells = vec![view.short(curve.target).to_owned(), load.to_owned()];
            cells.extend(times.iter().map(|time| {
                let line = lines.iter().find(|line| {
                    line.head().target == curve.target
                        && line.coordinate("within_s") == Some(*time)
                        && line.coordinate(DELAY) == Some(point.delay)
                });
                cell(line.copied(), Metric::LatencyShare)
            }));
            grid.push(cells);
        }
    }
    Some(grid)
}

pub(super) fn sentences(view: &View<'_, '_>) -> Vec<String> {
    let curves = curves(view);
    let mut sentences: Vec<String> = curves.iter().take(IN_WORDS).filter_map(course).collect();
    sentences.extend(super::carried::sentences(view));
    sentences.extend(compared(view));
    sentences
}

/// "a@s: a read takes 105 ns alone, about as long up to 310 GB/s; …".
fn course(curve: &Curve<'_, '_>) -> Option<String> {
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
fn compared(view: &View<'_, '_>) -> Vec<String> {
    let Some(first) = view.targets.first() else {
        return Vec::new();
    };
    let lines: Vec<_> = view.special(TEST, &["estimate", "load", "over"]).collect();
    let others = view.targets.iter().skip(1).take(IN_WORDS);
    let sentence = |target: &&str| {
        let clauses = lines
            .iter()
            .filter(|line| line.head().target == **target)
            .filter_map(|line| {
                let ratio = line.number(Metric::LatencyRatio)?;
                let (load, rate) = (
                    line.coordinate("load")?,
                    line.coordinate("rate_bytes_per_s")?,
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
