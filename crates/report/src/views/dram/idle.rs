//! Latency without load, and what it consists of.

use wordline_core::Metric;

use super::{LATENCY_PARTS, MODULE, band, of_test, time};
use crate::cause;
use crate::pivot::{Pivot, PivotLine};
use crate::text;
use crate::view::FigureOf::{Made, Precise};
use crate::view::{LineTable, figure};

pub(super) const LATENCY: LineTable = LineTable {
    title: "Latency without load{place}",
    lines: |pivot| of_test(pivot, "idle"),
    keys: &[MODULE],
    figures: &[
        figure("mean", Precise(Metric::LatencyMean, &[])),
        figure("half take up to", Precise(Metric::LatencyP50, &[])),
        figure("90 % take up to", Precise(Metric::LatencyP90, &[])),
        figure("99 % take up to", Precise(Metric::LatencyP99, &[])),
        figure("99.9 % take up to", Precise(Metric::LatencyP999, &[])),
        figure("slowest", Precise(Metric::LatencyMax, &[])),
        figure("power of the modules", Precise(Metric::PowerMean, &[])),
        figure(
            "power by currents and buffers",
            Made(|_, line| band(line, Metric::PowerMean)),
        ),
        figure(
            "energy of a byte between them",
            Made(|_, line| band(line, Metric::EnergyPerByte)),
        ),
    ],
    across: Some("a read"),
    ..LineTable::EMPTY
};

pub(super) const PARTS: LineTable = LineTable {
    title: "What latency without load consists of{place}",
    figures: LATENCY_PARTS,
    across: Some("part"),
    ..LATENCY
};

/// "rdimm: a read takes 102 ns without load. It consists of on-chip path 61.0 ns, …".
pub(super) fn sentences(pivot: &Pivot<'_>) -> Vec<String> {
    let sentence = |line: &PivotLine<'_>| {
        let mean = line.number(Metric::LatencyMean)?;
        let mut parts: Vec<(&str, f64)> = line.parts(Metric::LatencyMeanPart).collect();
        parts.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let told = parts.iter().filter(|(_, seconds)| *seconds >= 0.01 * mean);
        let told: Vec<_> = told
            .map(|(part, seconds)| format!("{} {}", cause::name(part), time(*seconds)))
            .collect();
        let target = &line.head().target;
        let sentence = format!("{target}: a read takes {} without load.", time(mean));
        Some(match told.is_empty() {
            true => sentence,
            false => {
                let parts = text::within_a_sentence("It consists of", &told, ", ");
                format!("{sentence} {parts}")
            }
        })
    };
    let lines = of_test(pivot, "idle").into_iter();
    lines.filter_map(sentence).collect()
}
