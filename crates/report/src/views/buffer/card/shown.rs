//! The table and the curves of the card: cases side by side, or one by its rates.

use wordline_core::{Basis, Metric, Timing};

use super::{CURVES, NeedyCase, ROWS, ram, short};
use crate::curve::{TerminalAxis, TerminalCurve, TerminalPlot};
use crate::grid::{Column, Grid};
use crate::tabulate::Tabulation;
use crate::text;
use crate::views::buffer::stairs::stairs;
use crate::views::buffer::tables::rates;
use crate::views::buffer::{
    BufferCase, Curve, MOST, RATE, arriving, at, estimated, sustained, thinned, told_value,
};

/// A line for each case.
pub(super) fn by_case(needy: &[NeedyCase<'_, '_, '_>]) -> Option<Grid> {
    type Of<'n, 'c, 'a, 'p> = &'n NeedyCase<'c, 'a, 'p>;
    let timings = [Timing::Typ, Timing::Max, Timing::Sampled];
    let mut table = Tabulation::new(String::new())
        .key(Column::left("target"), |one: &Of<'_, '_, '_, '_>| {
            one.case.head.target.clone()
        })
        .key_if_varying(Column::left("operation"), |one| {
            text::words(one.case.head.operation.name())
        })
        .key_if_varying(Column::right("record"), |one| one.case.record());
    for timing in timings {
        table = table.figure(format!("RAM, {timing}"), move |one| {
            let mut needs = one.needs.iter();
            let need = needs.find(|need| need.timing == timing)?;
            Some(need.bytes.map_or_else(|| "unbounded".to_owned(), ram))
        });
    }
    let run = |one: &Of<'_, '_, '_, '_>, timing: Timing| {
        let mut runs = one.case.timings.iter().copied();
        runs.find(|run| run.head().timing == timing)
            .map(|run| (sustained(run), run.number(Metric::LatencyMax)))
    };
    for timing in timings {
        table = table.figure(format!("highest rate, {timing}"), move |one| {
            Some(text::rate(run(one, timing)?.0?))
        });
    }
    for timing in timings {
        table = table.figure(format!("slowest, {timing}"), move |one| {
            Some(text::number(
                Metric::LatencyMax,
                run(one, timing)?.1?,
                text::DIGITS,
            ))
        });
    }
    table.lines(&needy.iter().collect::<Vec<_>>())
}

/// RAM by the rate: the record that is gathered, those that wait, and the one in flight. What a log needed is less than what
/// is to be provided, which looks beyond it.
pub(super) fn by_rate(case: &BufferCase<'_, '_>, asked: &[f64]) -> Option<Grid> {
    let all = rates(case, asked);
    // A card shows the first of them; the rates that were asked for are among these.
    let (mut shown, others): (Vec<f64>, Vec<f64>) =
        all.into_iter().partition(|rate| asked.contains(rate));
    let room = ROWS.saturating_sub(shown.len());
    shown.extend(thinned(&others, room).into_iter().take(room));
    shown.sort_by(f64::total_cmp);
    let mut table = Tabulation::new(String::new()).key(Column::right("rate"), |rate: &f64| {
        match asked.contains(rate) {
            true => format!("asked {}", text::rate(*rate)),
            false => text::rate(*rate),
        }
    });
    for run in &case.timings {
        // What was measured has no column of a data sheet.
        let timing = match run.head().basis {
            Basis::Measured => String::new(),
            _ => case.heading(run),
        };
        let metric = Metric::RamPeakInFlight;
        let records = arriving(run, metric, RATE, "record");
        // Single bytes are gathered into nothing.
        let (curve, gathered) = match records.is_empty() {
            false => (records, case.record_bytes()),
            true => (arriving(run, metric, RATE, "fluid"), None),
        };
        let proven = estimated(run, metric, RATE, "record", "bound");
        let most = estimated(run, metric, RATE, "record", MOST);
        let seen = match case.is_log() {
            true => "RAM needed in the log",
            false => "RAM needed",
        };
        let own = case.record_bytes();
        for (name, curve, gathered) in [
            (seen, curve, gathered),
            ("at most", most, own),
            ("proven", proven, own),
        ] {
            table = table.figure(format!("{timing}{name}"), move |rate| {
                let row = at(&curve, *rate)?;
                match (row.value, gathered) {
                    (Some(bytes), Some(record)) => Some(ram(bytes + record)),
                    _ => told_value(Some(row)),
                }
            });
        }
    }
    table.lines(&shown)
}

/// RAM with the record in flight against the rate, for each column of the data sheet, or for the first cases.
pub(super) fn plot(needy: &[NeedyCase<'_, '_, '_>]) -> Option<TerminalPlot> {
    let metric = Metric::RamPeakInFlight;
    let several = needy.len() > 1;
    let runs = needy.iter().flat_map(|one| {
        let runs = one.case.timings.iter();
        let runs = runs.take(if several { 1 } else { CURVES });
        runs.map(|run| (one.case, *run))
    });
    let curves = runs.take(CURVES).map(|(case, run)| {
        let points = |curve: Curve<'_>| -> Vec<(f64, f64)> {
            let points = curve.iter();
            points
                .filter_map(|(rate, row)| Some((*rate, row.value?)))
                .collect()
        };
        let fluid = points(arriving(run, metric, RATE, "fluid"));
        let mut steps = match case.record_bytes() {
            Some(bytes) if !fluid.is_empty() => stairs(&fluid, bytes),
            _ => points(arriving(run, metric, RATE, "record")),
        };
        if steps.is_empty() {
            steps = points(estimated(run, metric, RATE, "record", MOST));
        }
        let name = match several {
            true => short(case).to_owned(),
            false => match case.heading(run).trim_end() {
                "" => "in use".to_owned(),
                timing => timing.to_owned(),
            },
        };
        // A value holds for the rates below its point.
        let rises = steps.windows(2).map(|pair| (pair[0].0, pair[1].1));
        let rises: Vec<_> = rises.collect();
        let first = steps.first().copied();
        let rest = rises.into_iter().zip(steps.iter().skip(1).copied());
        let points = first
            .into_iter()
            .chain(rest.flat_map(|(rise, end)| [rise, end]));
        TerminalCurve {
            is_dashed: false,
            name,
            points: points.collect(),
        }
    });
    Some(TerminalPlot {
        x: TerminalAxis {
            title: "input rate",
            told: text::rate,
        },
        y: TerminalAxis {
            title: "RAM",
            told: ram,
        },
        curves: curves.collect(),
    })
}
