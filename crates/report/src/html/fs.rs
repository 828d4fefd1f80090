//! The plot of `wordline fs bench`: what the slowest calls consisted of.

use std::collections::BTreeSet;

use wordline_core::Metric;
use wordline_core::results::ResultSet;

use super::plot::Plot;
use super::stack::{self, Piece, Scale};
use crate::fs::{DEVICE_OPERATION, KINDS, Run};
use crate::text;

/// More bars than this do not fit a plot; the tables hold the others.
const BARS: usize = 24;

/// Colours of the kinds of operation, as the causes of other pages have them.
const COLORS: [&str; KINDS.len()] = ["#3B3B98", "#B3261E", "#A84A00", "#0072B2", "#555555"];

pub(super) fn plots(document: &ResultSet) -> Vec<Plot> {
    slowest(document).into_iter().collect()
}

/// A bar for each of the slowest calls, of the operations of the memory within it.
fn slowest(document: &ResultSet) -> Option<Plot> {
    let runs = Run::all_of(document);
    let all = runs
        .iter()
        .filter_map(|run| Some((run.number(Metric::LatencyMax)?, run)));
    let mut all: Vec<_> = all.collect();
    all.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let shown: Vec<_> = all.iter().map(|(_, run)| *run).collect();
    let names = Names::of(&shown);
    let mut pieces = Vec::new();
    for (_, run) in all.iter().take(BARS) {
        let parts = run.parts(Metric::LatencyMaxOperationTime, DEVICE_OPERATION);
        for (order, (kind, several)) in KINDS.iter().enumerate() {
            let part = parts.iter().find(|(name, _)| name == kind);
            pieces.extend(part.map(|(_, value)| Piece {
                bar: names.of_run(run),
                cause: (*several).to_owned(),
                order,
                value: *value,
                text: text::number(Metric::LatencyMax, *value, text::DIGITS),
            }));
        }
    }
    if pieces.is_empty() {
        return None;
    }
    let colors: Vec<(String, &str)> = KINDS
        .iter()
        .zip(COLORS)
        .filter(|((_, several), _)| pieces.iter().any(|piece| piece.cause == *several))
        .map(|((_, several), color)| ((*several).to_owned(), color))
        .collect();
    let more = match all.len().checked_sub(BARS) {
        Some(more) if more > 0 => format!(" The {BARS} longest of {}.", all.len()),
        _ => String::new(),
    };
    let spec = stack::spec("latency", Scale::Of("s"), &colors, &pieces);
    let caption = format!(
        "The slowest call of each operation, and what the memory did in it; the parts add up to its duration.{more}"
    );
    let heading = "What the slowest calls consisted of".to_owned();
    Some(Plot::new("plot-calls".to_owned(), heading, caption, spec))
}

/// What bars are called: no more than tells them apart, because a label has little room.
struct Names {
    /// Whether a part is on several boards.
    boards: bool,
    timings: bool,
}

impl Names {
    fn of(runs: &[&Run<'_>]) -> Self {
        let count = |text: &dyn Fn(&Run<'_>) -> String| {
            let all: BTreeSet<_> = runs.iter().map(|run| text(run)).collect();
            all.len()
        };
        let targets = count(&|run| run.head().target.clone());
        Self {
            boards: targets > count(&|run| run.head().part.clone()),
            timings: count(&|run| run.head().timing.to_string()) > 1,
        }
    }

    /// What a bar is about: "em064lx, littlefs, append-sync, 50 %".
    fn of_run(&self, run: &Run<'_>) -> String {
        let head = run.head();
        let mut parts = vec![
            if self.boards {
                &head.target
            } else {
                &head.part
            }
            .clone(),
            run.axis("fs"),
            head.operation.clone(),
            run.axis("fill"),
        ];
        // The mount is told of the whole memory as well.
        parts.extend((head.operation == "mount").then(|| run.axis("capacity_bytes")));
        parts.extend(self.timings.then(|| head.timing.to_string()));
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    }
}
