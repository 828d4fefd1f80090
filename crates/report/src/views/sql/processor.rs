//! What SQLite and the file system compute for a transaction, and whether processor or memory bounds it.

use wordline_core::{Axis, Metric};

use super::{KEYS, transactions};
use crate::pivot::PivotLine;
use crate::text;
use crate::view::FigureOf::{At, Words};
use crate::view::{LineTable, figure};

/// Where the time of a transaction goes: memory with its driver, and the processor in either build.
pub(super) const PROCESSOR: LineTable = LineTable {
    title: "{target}: what the processor computes for a transaction, beside the memory, in the mean",
    lines: |pivot| {
        let mut lines = transactions(pivot);
        lines.retain(|line| computed(line).is_some());
        lines
    },
    keys: KEYS,
    figures: &[
        figure("memory and driver", At(Metric::LatencyMean, &[])),
        figure(
            "SQLite computes",
            Words(|_, line| instructions(line, ENGINE)),
        ),
        figure(
            "file system computes",
            Words(|_, line| instructions(line, FILE_SYSTEM)),
        ),
        figure("on the processor", Words(|_, line| band(line))),
        figure("its share", Words(|_, line| processor_share(line))),
        figure("all", Words(|_, line| sum(line))),
        figure(
            "rows/J",
            Words(|_, line| of_builds(line, Metric::RowsPerJoule)),
        ),
        figure(
            "rows/s/EUR",
            Words(|_, line| of_builds(line, Metric::RowsPerEuro)),
        ),
    ],
    ..LineTable::EMPTY
};

/// The time of a transaction where units beside the processor take work over.
pub(super) const OFFLOADED: LineTable = LineTable {
    title: "{target}: a transaction in the mean, where copies or checksums leave the processor",
    lines: |pivot| {
        let mut lines = transactions(pivot);
        lines.retain(|line| {
            let all = ["dma", "checks"];
            all.into_iter().any(|what| offloaded(line, what).is_some())
        });
        lines
    },
    keys: KEYS,
    figures: &[
        figure("as it is", Words(|_, line| sum(line))),
        figure("with a DMA", Words(|_, line| offloaded(line, "dma"))),
        figure(
            "with a checksum unit",
            Words(|_, line| offloaded(line, "checks")),
        ),
        figure("with both", Words(|_, line| offloaded(line, "both"))),
    ],
    ..LineTable::EMPTY
};

/// Causes of what the processor computes.
const ENGINE: &str = "cpu_engine";
const FILE_SYSTEM: &str = "cpu_file_system";

/// The builds of a processor's time, the faster first.
const BUILDS: [&str; 2] = ["optimized", "published"];

/// Instructions of SQLite and the file system in the mean of a transaction.
fn computed(line: &PivotLine<'_>) -> Option<(f64, Option<f64>)> {
    let of = |cause| line.row(Metric::Instructions, Some(cause))?.value;
    Some((of(ENGINE)?, of(FILE_SYSTEM)))
}

/// "22.1 k instructions", "10.3 M instructions".
fn instructions(line: &PivotLine<'_>, cause: &str) -> Option<String> {
    let count = line.row(Metric::Instructions, Some(cause))?.value?;
    Some(match count {
        millions if millions >= 1e6 => format!("{:.1} M instructions", millions / 1e6),
        thousands => format!("{:.1} k instructions", thousands / 1e3),
    })
}

/// The processor's time in each build; `None` where it is not known of every layer.
fn processor_s(line: &PivotLine<'_>) -> Option<[f64; 2]> {
    let of = |build: &'static str| {
        let parts = [ENGINE, FILE_SYSTEM].map(|cause| {
            let at = [(Axis::Cause.into(), cause), (Axis::Build.into(), build)];
            line.at(Metric::ProcessorTime, &at)?.value
        });
        Some(parts[0]? + parts[1]?)
    };
    Some([of(BUILDS[0])?, of(BUILDS[1])?])
}

/// "6.2 ms to 41 ms": from an optimised build to one as published.
fn between(times: [f64; 2]) -> String {
    let [low, high] = times.map(|time| text::number(Metric::LatencyMean, time, text::DIGITS));
    match low == high {
        true => low,
        false => format!("{low} to {high}"),
    }
}

fn band(line: &PivotLine<'_>) -> Option<String> {
    processor_s(line).map(between)
}

/// Memory and processor together, one after the other.
fn sum(line: &PivotLine<'_>) -> Option<String> {
    let memory = line.number(Metric::LatencyMean)?;
    Some(between(processor_s(line)?.map(|time| memory + time)))
}

/// The same where work leaves the processor, and processor and unit take their time one after the other.
fn offloaded(line: &PivotLine<'_>, what: &'static str) -> Option<String> {
    let memory = line.number(Metric::LatencyMean)?;
    let of = |build: &'static str| {
        let parts = ["cpu", "unit"].map(|cause| {
            let at = [
                (Axis::Cause.into(), cause),
                (Axis::Build.into(), build),
                (Axis::Offload.into(), what),
            ];
            line.at(Metric::ProcessorTime, &at)?.value
        });
        Some(memory + parts[0]? + parts[1]?)
    };
    Some(between([of(BUILDS[0])?, of(BUILDS[1])?]))
}

/// A figure of the board in either build, the greater first.
fn of_builds(line: &PivotLine<'_>, metric: Metric) -> Option<String> {
    let of = |build: &'static str| line.at(metric, &[(Axis::Build.into(), build)])?.value;
    match (of(BUILDS[0]), of(BUILDS[1])) {
        (Some(high), Some(low)) => Some(format!("{high:.0} to {low:.0}")),
        _ => None,
    }
}

/// The processor's share of that time, from the faster build to the slower.
fn shares(line: &PivotLine<'_>) -> Option<[f64; 2]> {
    let of = |build: &'static str| {
        line.at(Metric::ProcessorShare, &[(Axis::Build.into(), build)])?
            .value
    };
    Some([of(BUILDS[0])?, of(BUILDS[1])?])
}

fn processor_share(line: &PivotLine<'_>) -> Option<String> {
    let [low, high] = shares(line)?.map(|share| format!("{:.0} %", share * 100.0));
    Some(match low == high {
        true => low,
        false => format!("{low} to {high}"),
    })
}

/// What bounds a transaction: "the processor (67 % to 93 % of the time)".
pub(super) fn bound_by(line: &PivotLine<'_>) -> Option<String> {
    let [low, high] = shares(line)?;
    let who = match (low > 0.5, high > 0.5) {
        (true, _) => "the processor is the bound",
        (_, false) => "the memory is the bound",
        _ => "the build decides whether processor or memory is the bound",
    };
    Some(format!(
        "{who}: the processor has {} of the time",
        processor_share(line)?
    ))
}
