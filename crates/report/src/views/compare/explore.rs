//! A comparison as the page moves it: the question, what is allowed, and what each candidate does.

use std::collections::BTreeMap;

use wordline_core::quantity::Quantity as _;
use wordline_core::results::{ResultSet, Row};
use wordline_core::{
    Axis, Better, LIMIT_RULES, Limits, Metric, SizeOrPeriod, Timing, WorkKind, Workload,
};

use super::{Limit, RankedCandidate, margin};
use crate::grid::{Column, Grid};
use crate::html::explore::{
    AskedWork, Exploration, ExploredCandidate, ExploredFigure, ExploredRule, ExploredTiming,
    PlottedFigure,
};
use crate::pivot::{LineField, Pivot, PivotLine};
use crate::tabulate::NOTHING;
use crate::text::{self, TargetKind};

/// Seconds of a day.
const DAY_S: f64 = 86_400.0;

/// The figures that limits are about, as the page's script calls them.
const KEYS: [(Metric, &str); 9] = [
    (Metric::ThroughputMean, "throughput"),
    (Metric::RamProvision, "ram"),
    (Metric::LatencyMax, "latency"),
    (Metric::Lifetime, "life"),
    (Metric::EnergyPerDay, "energy"),
    (Metric::BytesAtRisk, "risk"),
    (Metric::HoldupCapacitance, "holdup"),
    (Metric::Cost, "cost"),
    (Metric::PartsNeeded, "parts"),
];

/// Figures that candidates are plotted by, in the order in which they are offered, with their names.
const FIGURES: [(&str, Metric, &str); 6] = [
    ("cost", Metric::Cost, "cost"),
    ("energy", Metric::EnergyPerDay, "energy a day"),
    ("ram", Metric::RamProvision, "RAM"),
    ("life", Metric::Lifetime, "lifetime"),
    ("latency", Metric::LatencyMax, "worst access"),
    ("parts", Metric::PartsNeeded, "chips"),
];

/// The estimate of rows that say what a candidate that was not simulated reaches at best.
const AT_BEST: (LineField, &str) = (LineField::Of(Axis::Estimate), "at-best");

/// Idle work of a card's controller, as its sheet calls it, and the value that says there is none.
const IDLE_WORK: (&str, &str) = ("card.controller.idle_until", "value 0");

/// The comparison; `None` for a document of another workload.
pub(crate) fn explore(pivot: &Pivot<'_>) -> Option<Exploration> {
    let Workload::Compare(study) = &pivot.document.experiment.workload else {
        return None;
    };
    let (work, limits) = (&study.work, &study.limits);
    let (keep, keeps_time) = match work.keep() {
        SizeOrPeriod::Bytes(bytes) => (bytes.si(), false),
        SizeOrPeriod::For(period) => (period.si(), true),
    };
    let candidates = RankedCandidate::all_of(pivot);
    if candidates.is_empty() {
        return None;
    }
    let timings = super::tables::timings(&candidates);
    let (table, columns) = table(&candidates, &timings);
    let figures = FIGURES.iter().map(|(key, metric, name)| PlottedFigure {
        key,
        name,
        unit: metric.unit(),
        more_is_better: metric.info().better == Better::Higher,
    });
    // What is flushed after a time at the rate is another work at each rate.
    let is_fixed =
        work.kind == WorkKind::Replay || matches!(limits.loss, Some(SizeOrPeriod::For(_)));
    let rules = LIMIT_RULES.iter().filter_map(|rule| {
        let (_, figure) = KEYS.iter().find(|(metric, _)| *metric == rule.metric)?;
        Some((rule, *figure, rule.stated(work.rate.si(), limits)))
    });
    let allowed = rules
        .clone()
        .map(|(rule, figure, stated)| (figure, stated.or(rule.default)));
    let rules = rules.clone().map(|(rule, figure, stated)| ExploredRule {
        name: rule.name,
        figure,
        more: rule.at_least(),
        needs_rate: rule.needs_rate,
        is_default: stated.is_none() && rule.default.is_some(),
    });
    Some(Exploration {
        words: words(pivot.document, limits),
        question: AskedWork {
            rate: work.rate.si(),
            record: work.record.si(),
            keep,
            keeps_time,
            utilization: work.utilization(),
            wears_kept: work.kind != WorkKind::Log,
            ram_price: study.prices.ram_per_kib.map(|price| price.si()),
        },
        rules: rules.collect(),
        allowed: allowed.collect(),
        figures: figures.collect(),
        candidates: candidates
            .iter()
            .map(|one| candidate(one, pivot.document, is_fixed))
            .collect(),
        limits: Limit::all().collect(),
        table,
        columns,
    })
}

/// The question in a sentence, with what is allowed.
fn words(document: &ResultSet, limits: &Limits) -> String {
    let figure = super::number;
    let mut allowed = Vec::new();
    let mut most = |name: &str, metric: Metric, value: Option<f64>| {
        allowed.extend(value.map(|value| format!("{name} at most {}", figure(metric, value))));
    };
    most("RAM", Metric::RamProvision, limits.ram.map(|one| one.si()));
    most(
        "access",
        Metric::LatencyMax,
        limits.latency.map(|one| one.si()),
    );
    most(
        "energy a day",
        Metric::EnergyPerDay,
        limits.energy_per_day.map(|one| one.si()),
    );
    most(
        "bytes at risk",
        Metric::BytesAtRisk,
        limits.bytes_at_risk.map(|one| one.si()),
    );
    most(
        "hold-up",
        Metric::HoldupCapacitance,
        limits.holdup.map(|one| one.si()),
    );
    most("cost", Metric::Cost, limits.cost.map(|one| one.si()));
    most(
        "chips",
        Metric::PartsNeeded,
        limits.parts.map(|parts| parts as f64),
    );
    let life = limits.life.map(|one| figure(Metric::Lifetime, one.si()));
    allowed.extend(life.map(|life| format!("life at least {life}")));
    let work = super::tables::work(document);
    let allowed = match allowed.is_empty() {
        true => String::new(),
        false => format!("Allowed: {}.", allowed.join(", ")),
    };
    text::printable(&(work + &allowed))
}

fn candidate(
    one: &RankedCandidate<'_, '_>,
    document: &ResultSet,
    is_fixed: bool,
) -> ExploredCandidate {
    let in_turn = text::without_kind(one.target, TargetKind::InTurn).is_some();
    let rows = one.line.map_or(&[][..], PivotLine::rows);
    let is_layered = rows
        .iter()
        .any(|row| row.metric == Metric::WriteAmplification);
    let rests = rows.first().is_some_and(|row| {
        let mut figures = document.figures.iter();
        figures.any(|one| one.sheet == row.part && (&*one.figure, &*one.value) == IDLE_WORK)
    });
    let timings: Vec<ExploredTiming> = one
        .timings
        .iter()
        .filter_map(|timing| of_timing(one, *timing))
        .collect();
    ExploredCandidate {
        target: text::printable(one.target),
        chips: if in_turn { 2.0 } else { 1.0 },
        is_fixed: is_fixed || one.is_measured(),
        // A file system, too, cleans by how much it holds; it does so within its calls.
        is_layered: is_layered || rows.iter().any(|row| row.axes.contains_key(&Axis::Fs)),
        works_in_pauses: in_turn || (is_layered && !rests),
        timings,
    }
}

fn of_timing(one: &RankedCandidate<'_, '_>, timing: Timing) -> Option<ExploredTiming> {
    let verdict = one.verdict(timing)?;
    let at = (LineField::Timing, timing.name());
    let of_standby = |metric| {
        one.line
            .and_then(|line| line.at(metric, &[at, (Axis::Cause.into(), "standby")]))
    };
    let part = |metric| number(of_standby(metric));
    // Documents of old have no such power: they count the whole day as standby.
    let all_day = of_standby(Metric::PowerMean).and_then(|row| Some(row.value? * DAY_S));
    let chip = one.line.and_then(|line| {
        let mut rows = line.rows().iter();
        rows.find_map(|row| chip(row, timing))
    });
    let figures = KEYS.map(|(metric, key)| (key, number(one.figure(timing, metric))));
    let figures = BTreeMap::from(figures);
    let ran = matches!(figures["throughput"], ExploredFigure::Number(_));
    let is_excluded = chip.is_some() && verdict.value.is_some() && !ran;
    Some(ExploredTiming {
        timing: timing.name(),
        word: super::word(verdict),
        pass: verdict.pass,
        depends: super::depends_on(verdict),
        limit: verdict.limit.clone(),
        margin: verdict.margin,
        at_best: is_excluded.then(|| {
            let own = (verdict.metric, verdict.value);
            let reached = |(metric, key): (Metric, &'static str)| {
                let row = one.line.and_then(|line| line.at(metric, &[at, AT_BEST]));
                // Documents of old say the bound of the verdict alone.
                let value = row.map_or_else(|| own.1.filter(|_| own.0 == metric), |row| row.value);
                Some((key, value?))
            };
            KEYS.into_iter().filter_map(reached).collect()
        }),
        chip,
        staircase: one.staircase(timing),
        amplification: number(one.figure(timing, Metric::WriteAmplification)),
        standby: all_day.map_or_else(|| part(Metric::EnergyPerDay), ExploredFigure::Number),
        figures,
    })
}

fn number(row: Option<&Row>) -> ExploredFigure {
    row.map_or(ExploredFigure::UNKNOWN, |row| {
        ExploredFigure::of(row.value, row.no_value)
    })
}

/// Bytes of a chip, as a row of a column of the data sheet says.
fn chip(row: &Row, timing: Timing) -> Option<f64> {
    let bytes = row.axes.get(&Axis::CapacityBytes)?;
    text::numeric(bytes).filter(|_| row.timing == timing)
}

/// The candidates, a line each: verdicts, what decides, and the figures at the last column of the data sheet.
fn table(candidates: &[RankedCandidate<'_, '_>], timings: &[Timing]) -> (Grid, Vec<&'static str>) {
    let worst = timings.last().copied();
    let known = FIGURES.iter().filter(|(_, metric, _)| {
        let of = |one: &RankedCandidate<'_, '_>| one.number(worst?, *metric);
        candidates.iter().any(|one| of(one).is_some())
    });
    let known: Vec<_> = known.collect();
    let depends = candidates
        .iter()
        .any(|one| one.depending().and_then(super::depends_on).is_some());
    let mut columns = vec![Column::left("candidate")];
    let mut keys = vec!["target"];
    for timing in timings {
        columns.push(Column::left(timing.name()));
        keys.push(timing.name());
    }
    columns.extend([Column::left("decided by"), Column::right("margin")]);
    keys.extend(["decides", "margin"]);
    for (key, _, name) in &known {
        columns.push(Column::right(*name));
        keys.push(*key);
    }
    if depends {
        columns.push(Column::left("depends on"));
        keys.push("depends");
    }
    let title = match worst {
        Some(worst) => format!(
            "Candidates, the best first; figures {}",
            text::at_timing(worst)
        ),
        None => "Candidates".to_owned(),
    };
    let mut grid = Grid::new(title, columns);
    for one in candidates {
        let measured = if one.is_measured() { " (measured)" } else { "" };
        let mut cells = vec![format!("{}{measured}", one.target)];
        for (index, timing) in timings.iter().enumerate() {
            let verdict = match one.is_measured() {
                true => one.decisive().filter(|_| index == 0),
                false => one.verdict(*timing),
            };
            cells.push(verdict.map_or(NOTHING, super::word).to_owned());
        }
        let decisive = one.decisive();
        cells.push(decisive.map_or_else(|| NOTHING.to_owned(), Limit::words));
        cells.push(
            decisive
                .and_then(margin)
                .unwrap_or_else(|| NOTHING.to_owned()),
        );
        let at = match one.is_measured() {
            true => one.timings.last().copied(),
            false => worst,
        };
        cells.extend(known.iter().map(|(_, metric, _)| {
            let told = at.and_then(|at| one.told(at, *metric));
            told.unwrap_or_else(|| NOTHING.to_owned())
        }));
        if depends {
            let told = one.depending().and_then(super::depends_on);
            cells.push(told.unwrap_or_else(|| NOTHING.to_owned()));
        }
        grid.push(cells);
    }
    (grid, keys)
}
