//! The plots of `wordline kv bench`: rates, and what moved over the floor, along the size of keys.

use wordline_core::Metric;
use wordline_core::results::ResultSet;

use super::chart::{Axis, Chart, Curve, Shape};
use super::plot::{DASHES, PALETTE, Plot};
use crate::answer::IN_WORDS;
use crate::kv::{Run, each};

/// The kinds of operation that are drawn; the tables hold the others.
const DRAWN: [&str; 2] = ["insert", "hit"];

/// What a plot holds still; the tables have the others.
const STILL: [&str; 2] = ["load", "build"];

pub(super) fn plots(document: &ResultSet) -> Vec<Plot> {
    let runs = Run::all_of(document);
    let sweeps = runs.iter().filter(|run| run.is_sweep() && run.can());
    let sweeps: Vec<_> = sweeps.collect();
    let targets = each(&sweeps, |run| run.head().target.clone());
    let of_targets = targets.iter().take(IN_WORDS).enumerate();
    of_targets
        .flat_map(|(number, target)| of_target(number, target, &sweeps))
        .collect()
}

/// Rates and traffic on one memory, at the first load, build and timing that there is of it.
fn of_target(number: usize, target: &str, sweeps: &[&Run<'_>]) -> Vec<Plot> {
    let here = sweeps.iter().filter(|run| run.head().target == target);
    let here: Vec<_> = here.copied().collect();
    let Some(first) = here.first() else {
        return Vec::new();
    };
    let still = |run: &Run<'_>| (STILL.map(|axis| run.axis(axis)), run.head().timing);
    let drawn = here.iter().filter(|run| still(run) == still(first));
    let drawn: Vec<_> = drawn.copied().collect();
    let mut at = format!("load {}", first.axis("load"));
    if here
        .iter()
        .any(|run| run.axis("build") != first.axis("build"))
    {
        at += &format!(", build {}", first.axis("build"));
    }
    if here
        .iter()
        .any(|run| run.head().timing != first.head().timing)
    {
        at += &format!(", {} timing", first.head().timing);
    }
    let rates = chart(
        &drawn,
        format!("plot-kv-rate-{number}"),
        format!("Operations in a second: {target}"),
        format!("Inserts (solid) and hits (dashed) by the size of a key, at {at}; up is better."),
        ("1/s", "rate"),
        |run| run.number(Metric::OpsRate),
    );
    let traffic = chart(
        &drawn,
        format!("plot-kv-floor-{number}"),
        format!("Bytes moved over the floor: {target}"),
        format!(
            "Inserts (solid) and hits (dashed) at {at}: what an operation moved, over the least that any durable table \
             moves; down is better, and 1 is the floor."
        ),
        ("1", "times the floor"),
        |run| run.over_floor(),
    );
    rates.into_iter().chain(traffic).collect()
}

fn chart(
    runs: &[&Run<'_>],
    id: String,
    heading: String,
    caption: String,
    (unit, title): (&'static str, &'static str),
    of: impl Fn(&Run<'_>) -> Option<f64>,
) -> Option<Plot> {
    let mut curves = Vec::new();
    for (index, table) in each(runs, |run| run.table()).into_iter().enumerate() {
        for (operation, dash) in DRAWN.into_iter().zip(DASHES) {
            let of_series = runs
                .iter()
                .filter(|run| run.table() == table && run.head().operation == operation);
            let points = of_series.filter_map(|run| Some((run.key_bytes()?, of(run)?)));
            curves.push(Curve {
                name: format!("{table}, {operation}"),
                color: PALETTE[index % PALETTE.len()],
                dash,
                shape: Shape::Line,
                points: points.collect(),
            });
        }
    }
    let chart = Chart {
        id,
        heading,
        caption,
        x: Axis {
            unit: "B",
            title: "key",
            logarithmic: true,
        },
        y: Axis {
            unit,
            title,
            logarithmic: true,
        },
        curves,
        rules: Vec::new(),
    };
    chart.plot()
}
