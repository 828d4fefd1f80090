//! The plots of `wordline kv bench`: rates, and what moved over the floor, along the size of keys.

use wordline_core::Metric;
use wordline_core::results::ResultSet;

use super::chart::{Axis, Chart, Curve, Shape};
use super::plot::{DASHES, PALETTE, Plot};
use crate::kv::{Run, each};

/// The kinds of operation that are drawn; the tables hold the others.
const DRAWN: [&str; 2] = ["insert", "hit"];

pub(super) fn plots(document: &ResultSet) -> Vec<Plot> {
    let rates = chart(
        document,
        "plot-kv-rate",
        "Operations in a second",
        "Inserts (solid) and hits (dashed) by the size of a key; up is better.",
        ("1/s", "rate"),
        |run| run.number(Metric::OpsRate),
    );
    let traffic = chart(
        document,
        "plot-kv-floor",
        "Bytes moved over the floor",
        "Inserts (solid) and hits (dashed): what an operation moved, over the least that any durable table moves; down is \
         better, and 1 is the floor.",
        ("1", "times the floor"),
        Run::over_floor,
    );
    rates.into_iter().chain(traffic).collect()
}

fn chart<'a>(
    document: &'a ResultSet,
    id: &str,
    heading: &str,
    caption: &str,
    (unit, title): (&'static str, &'static str),
    of: impl Fn(&Run<'a>) -> Option<f64>,
) -> Option<Plot> {
    let runs = Run::all_of(document);
    let all: Vec<_> = runs.iter().collect();
    let targets = each(&all, |run| run.head().target.clone()).len() > 1;
    let loads = each(&all, |run| run.axis("load")).len() > 1;
    let builds = each(&all, |run| run.axis("build")).len() > 1;
    let timings = each(&all, |run| run.head().timing).len() > 1;
    let name = |run: &Run<'_>| {
        let mut parts = vec![run.table()];
        parts.extend(targets.then(|| run.head().target.clone()));
        parts.extend(loads.then(|| format!("load {}", run.axis("load"))));
        parts.extend(builds.then(|| run.axis("build")));
        parts.extend(timings.then(|| run.head().timing.to_string()));
        parts.join(", ")
    };
    let mut curves = Vec::new();
    for (index, series) in each(&all, name).into_iter().enumerate() {
        for (operation, dash) in DRAWN.into_iter().zip(DASHES) {
            let of_series = all
                .iter()
                .filter(|run| name(run) == series && run.head().operation == operation)
                .filter(|run| run.is_sweep());
            let points = of_series.filter_map(|run| Some((run.key_bytes()?, of(run)?)));
            curves.push(Curve {
                name: format!("{series}, {operation}"),
                color: PALETTE[index % PALETTE.len()],
                dash,
                shape: Shape::Line,
                points: points.collect(),
            });
        }
    }
    let chart = Chart {
        id: id.to_owned(),
        heading: heading.to_owned(),
        caption: caption.to_owned(),
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
