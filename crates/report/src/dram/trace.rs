//! A trace that was replayed.

use wordline_core::Metric;

use super::{View, bands, by_target, waits};
use crate::grid::Grid;
use crate::text;

const TEST: &str = "trace";

const FIGURES: [(Metric, &str); 15] = [
    (Metric::AccessCount, "reads"),
    (Metric::BytesMoved, "bytes moved"),
    (Metric::ReadShare, "bytes read"),
    (Metric::ThroughputMean, "throughput"),
    (Metric::LatencyMean, "a read takes"),
    (Metric::LatencyP50, "half take up to"),
    (Metric::LatencyP99, "99 % take up to"),
    (Metric::LatencyMax, "slowest"),
    (Metric::OutstandingMean, "lines under way"),
    (Metric::RowHitRate, "row hits"),
    (Metric::RowMissRate, "row misses"),
    (Metric::RowConflictRate, "row conflicts"),
    (Metric::BusUtilization, "bus use"),
    (Metric::PowerMean, "power of the modules"),
    (Metric::EnergyPerByte, "energy of a byte"),
];

pub(super) fn tables(view: &View<'_, '_>) -> Vec<Grid> {
    let lines: Vec<_> = view.plain(TEST).collect();
    let on = |target: &str| View::of_target(&lines, target);
    let figures = FIGURES.iter().map(|(metric, name)| {
        let cell = |target: &&str| {
            let line = on(target)?;
            match metric {
                Metric::AccessCount => line.number(*metric).map(|count| format!("{count:.0}")),
                _ => Some(text::value(line.row(*metric, None)?, text::DIGITS)),
            }
        };
        ((*name).to_owned(), view.targets.iter().map(cell).collect())
    });
    let figures = figures.chain(bands(view, TEST));
    let title = format!("The trace replayed{}", view.place());
    let mut grids: Vec<Grid> = by_target(view, title, "what", figures)
        .into_iter()
        .collect();
    let named: Vec<_> = lines
        .iter()
        .map(|line| (vec![view.short(&line.head().target).to_owned()], *line))
        .collect();
    grids.extend(waits(view, "What requests waited for", &["module"], &named));
    grids
}

/// "a@s: 1234 reads, each taking 130 ns on average and 1.20 us at most; the trace moves 3.1 GB/s."
pub(super) fn sentences(view: &View<'_, '_>) -> Vec<String> {
    let sentence = |line: &crate::pivot::Line<'_>| {
        let number = |metric| Some(text::number(metric, line.number(metric)?, text::DIGITS));
        let reads = line.number(Metric::AccessCount)?;
        let mut text = format!("{}: {reads:.0} reads", line.head().target);
        if let (Some(mean), Some(most)) = (number(Metric::LatencyMean), number(Metric::LatencyMax))
        {
            text += &format!(", each taking {mean} on average and {most} at most");
        }
        if let Some(rate) = number(Metric::ThroughputMean) {
            text += &format!("; the trace moves {rate}");
        }
        Some(text + ".")
    };
    view.plain(TEST).filter_map(sentence).collect()
}
