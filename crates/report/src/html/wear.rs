//! The plots of `wordline wear`: latency over life.

use wordline_core::results::ResultSet;

use super::chart::{Axis, Chart, Curve, Shape};
use super::plot::{DASHES, PALETTE, Plot};
use crate::wear::{Run, keys_that_differ};

/// The most runs that are drawn; the tables hold the others.
const RUNS: usize = 8;

pub(super) fn plots(document: &ResultSet) -> Vec<Plot> {
    let runs = Run::all_of(document);
    let keys = keys_that_differ(&runs);
    let mut curves = Vec::new();
    for (index, run) in runs.iter().take(RUNS).enumerate() {
        for (operation, dash) in [("program", DASHES[0]), ("erase", DASHES[1])] {
            let points = run.over_life(operation).into_iter();
            curves.push(Curve {
                name: name(run, &keys, operation),
                color: PALETTE[index % PALETTE.len()],
                dash,
                shape: Shape::Line,
                // The axis is logarithmic: cycles count from the first on.
                points: points
                    .filter_map(|(after, row)| Some((after + 1.0, row.value?)))
                    .collect(),
            });
        }
    }
    let more = match runs.len().checked_sub(RUNS) {
        Some(more) if more > 0 => format!(" The first {RUNS} of {} runs.", runs.len()),
        _ => String::new(),
    };
    let chart = Chart {
        id: "plot-wear".to_owned(),
        heading: "Latency over life".to_owned(),
        caption: format!(
            "Mean duration of a program (solid) and of an erase (dashed) in each cycle, over the blocks that live.{more}"
        ),
        x: Axis {
            unit: "cycles",
            title: "cycle",
            logarithmic: true,
        },
        y: Axis {
            unit: "s",
            title: "latency",
            logarithmic: true,
        },
        curves,
        rules: Vec::new(),
    };
    chart.plot().into_iter().collect()
}

/// "nand08gw3b2c@b, first-page, program".
fn name(run: &Run<'_>, keys: &[&str], operation: &str) -> String {
    let shown = run
        .keys()
        .into_iter()
        .filter(|(name, _)| keys.contains(name));
    let mut parts = vec![run.head().target.clone()];
    parts.extend(
        shown
            .map(|(_, value)| value)
            .filter(|value| !value.is_empty()),
    );
    parts.push(operation.to_owned());
    parts.join(", ")
}
