//! A comparison as the page moves it: the question, what is allowed, and what each candidate does.

use wordline_core::quantity::Quantity as _;
use wordline_core::results::{ResultSet, Row};
use wordline_core::{Axis, Better, Limits, Metric, SizeOrPeriod, Timing, WorkKind, Workload};

use super::{Limit, RankedCandidate, margin};
use crate::grid::{Column, Grid};
use crate::html::explore::{
    AllowedFigures, AskedWork, Exploration, ExploredCandidate, ExploredFigure, ExploredTiming,
    PlottedFigure,
};
use crate::pivot::{LineField, Pivot, PivotLine};
use crate::tabulate::NOTHING;
use crate::text::{self, TargetKind};

/// Figures that candidates are plotted by, in the order in which they are offered: key, metric and name.
const FIGURES: [(&str, Metric, &str); 6] = [
    ("cost", Metric::Cost, "cost"),
    ("energy", Metric::EnergyPerDay, "energy a day"),
    ("ram", Metric::RamProvision, "RAM"),
    ("life", Metric::Lifetime, "lifetime"),
    ("latency", Metric::LatencyMax, "worst access"),
    ("parts", Metric::PartsNeeded, "chips"),
];

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
    let replays = work.kind == WorkKind::Replay;
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
        allowed: AllowedFigures {
            ram: limits.ram.map(|one| one.si()),
            latency: limits.latency.map(|one| one.si()),
            life: limits.life.map(|one| one.si()),
            energy: limits.energy_per_day.map(|one| one.si()),
            risk: limits.bytes_at_risk.map(|one| one.si()),
            holdup: limits.holdup.map(|one| one.si()),
            cost: limits.cost.map(|one| one.si()),
            parts: limits.parts.unwrap_or(Limits::PARTS_MAX) as f64,
            parts_stated: limits.parts.is_some(),
        },
        figures: figures.collect(),
        candidates: candidates
            .iter()
            .map(|one| candidate(one, replays))
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

fn candidate(one: &RankedCandidate<'_, '_>, replays: bool) -> ExploredCandidate {
    let in_turn = text::without_kind(one.target, TargetKind::InTurn).is_some();
    let rows = one.line.map_or(&[][..], PivotLine::rows);
    let is_layered = rows
        .iter()
        .any(|row| row.metric == Metric::WriteAmplification);
    let timings: Vec<ExploredTiming> = one
        .timings
        .iter()
        .filter_map(|timing| of_timing(one, *timing))
        .collect();
    ExploredCandidate {
        target: text::printable(one.target),
        chips: if in_turn { 2.0 } else { 1.0 },
        is_fixed: replays || one.is_measured(),
        is_paced: is_layered || in_turn,
        timings,
    }
}

fn of_timing(one: &RankedCandidate<'_, '_>, timing: Timing) -> Option<ExploredTiming> {
    let verdict = one.verdict(timing)?;
    let figure = |metric| number(one.figure(timing, metric));
    let at = [(LineField::Timing, timing.name())];
    let standby = one.line.and_then(|line| {
        let at = [at[0], (Axis::Cause.into(), "standby")];
        line.at(Metric::EnergyPerDay, &at)
    });
    let chips = one.line.and_then(|line| {
        let mut rows = line.rows().iter();
        rows.find_map(|row| chip(row, timing))
    });
    let throughput = figure(Metric::ThroughputMean);
    Some(ExploredTiming {
        timing: timing.name(),
        word: super::word(verdict),
        pass: verdict.pass,
        depends: super::depends_on(verdict),
        limit: verdict.limit.clone(),
        value: verdict.value,
        margin: verdict.margin,
        is_excluded: chips.is_some()
            && verdict.value.is_some()
            && !matches!(throughput, ExploredFigure::Number(_)),
        chip: chips,
        parts: figure(Metric::PartsNeeded),
        throughput,
        ram: figure(Metric::RamProvision),
        staircase: one.staircase(timing),
        latency: figure(Metric::LatencyMax),
        life: figure(Metric::Lifetime),
        energy: figure(Metric::EnergyPerDay),
        standby: number(standby),
        risk: figure(Metric::BytesAtRisk),
        holdup: figure(Metric::HoldupCapacitance),
        cost: figure(Metric::Cost),
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
