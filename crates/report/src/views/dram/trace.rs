//! A trace that was replayed.

use wordline_core::{Axis, Metric};

use super::{LATENCY_PARTS, MODULE, greatest, idle, of_test, time};
use crate::answer::IN_WORDS;
use crate::cause;
use crate::pivot::LineField::Of;
use crate::pivot::{At as Place, Pivot, PivotLine};
use crate::text;
use crate::view::FigureOf::{At, Count};
use crate::view::{LineTable, figure};

/// The least part of a difference that is put in words, as a share of it.
const LEAST: f64 = 0.02;

pub(super) const FIGURES: LineTable = LineTable {
    title: "The trace replayed{place}",
    lines: |pivot| of_test(pivot, "trace"),
    keys: &[MODULE],
    figures: &[
        figure("reads", Count(Metric::AccessCount, &[])),
        figure("bytes moved", At(Metric::BytesMoved, &[])),
        figure("bytes read", At(Metric::ReadShare, &[])),
        figure("throughput", At(Metric::ThroughputMean, &[])),
        figure("a read takes", At(Metric::LatencyMean, &[])),
        figure("half take up to", At(Metric::LatencyP50, &[])),
        figure("99 % take up to", At(Metric::LatencyP99, &[])),
        figure("slowest", At(Metric::LatencyMax, &[])),
        figure("lines under way", At(Metric::OutstandingMean, &[])),
        figure("row hits", At(Metric::RowHitRate, &[])),
        figure("row misses", At(Metric::RowMissRate, &[])),
        figure("row conflicts", At(Metric::RowConflictRate, &[])),
        figure("bus use", At(Metric::BusUtilization, &[])),
        figure("power of the modules", At(Metric::PowerMean, &[])),
        figure("energy of a byte", At(Metric::EnergyPerByte, &[])),
        idle::LATENCY.figures[7],
        idle::LATENCY.figures[8],
    ],
    across: Some("what"),
    ..LineTable::EMPTY
};

pub(super) const PARTS: LineTable = LineTable {
    title: "What the mean read consists of{place}",
    figures: LATENCY_PARTS,
    across: Some("part"),
    ..FIGURES
};

pub(super) const WAITS: LineTable = LineTable {
    title: "What requests waited for{place}",
    figures: super::WAITS,
    across: None,
    ..FIGURES
};

const L1: &Place = &[(Of(Axis::Cache), "l1")];
const L2: &Place = &[(Of(Axis::Cache), "l2")];
const L3: &Place = &[(Of(Axis::Cache), "l3")];

/// What the caches of a program did with its accesses.
pub(super) const CACHES: LineTable = LineTable {
    title: "The program and its caches{place}",
    figures: &[
        figure("instructions", Count(Metric::InstructionCount, &[])),
        figure("lines asked of L1", Count(Metric::CacheAccesses, L1)),
        figure("misses", Count(Metric::CacheMisses, L1)),
        figure("misses in 1000 instructions", At(Metric::CacheMpki, L1)),
        figure("lines asked of L2", Count(Metric::CacheAccesses, L2)),
        figure("misses", Count(Metric::CacheMisses, L2)),
        figure("misses in 1000 instructions", At(Metric::CacheMpki, L2)),
        figure("lines asked of L3", Count(Metric::CacheAccesses, L3)),
        figure("misses", Count(Metric::CacheMisses, L3)),
        figure("misses in 1000 instructions", At(Metric::CacheMpki, L3)),
    ],
    ..FIGURES
};

/// "a@s: 1234 reads, each taking 130 ns on average and 1.20 us at most; the trace moves 3.1 GB/s."
pub(super) fn sentences(pivot: &Pivot<'_>) -> Vec<String> {
    let sentence = |line: &PivotLine<'_>| {
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
    let lines = of_test(pivot, "trace");
    let mut sentences: Vec<String> = lines.iter().filter_map(|line| sentence(line)).collect();
    if let Some((first, others)) = lines.split_first() {
        let others = others.iter().take(IN_WORDS);
        sentences.extend(others.filter_map(|other| compared(pivot, first, other)));
    }
    sentences
}

/// "A read takes 11.8 ns less on b than on a: bank busy -9.10 ns, refresh +1.20 ns."
fn compared<'a>(pivot: &Pivot<'a>, first: &PivotLine<'a>, other: &PivotLine<'a>) -> Option<String> {
    let mean = |line: &PivotLine<'_>| line.number(Metric::LatencyMean);
    let off = mean(other)? - mean(first)?;
    let part = |line: &PivotLine<'_>, cause| {
        let row = line.row(Metric::LatencyMeanPart, Some(cause));
        row.and_then(|row| row.value).unwrap_or(0.0)
    };
    let parts = other.parts(Metric::LatencyMeanPart);
    let parts = parts.map(|(cause, seconds)| (cause, seconds - part(first, cause)));
    let told: Vec<_> = greatest(parts, LEAST * off.abs())
        .iter()
        .map(|(cause, seconds)| {
            let sign = if *seconds < 0.0 { '-' } else { '+' };
            format!("{} {sign}{}", cause::name(cause), time(seconds.abs()))
        })
        .collect();
    let than = if off < 0.0 { "less" } else { "more" };
    (!told.is_empty() && off.is_finite()).then(|| {
        format!(
            "A read takes {} {than} on {} than on {}: {}.",
            time(off.abs()),
            pivot.short(other.head()),
            pivot.short(first.head()),
            told.join(", ")
        )
    })
}
