//! The plot of `wordline wear health --score`: the error of predictions over life.

use wordline_core::results::ResultSet;

use super::chart::{Axis, Chart, Curve, Shape};
use super::plot::{DASHES, PALETTE, Plot};
use crate::health::{Scored, predictor};

pub(super) fn plots(document: &ResultSet) -> Vec<Plot> {
    let all = Scored::all_of(document);
    let mut predictors: Vec<&str> = Vec::new();
    let mut families: Vec<&str> = Vec::new();
    for one in &all {
        if !predictors.contains(&one.predictor) {
            predictors.push(one.predictor);
        }
        if !families.contains(&one.families) {
            families.push(one.families);
        }
    }
    let place = |names: &[&str], name: &str| names.iter().position(|one| *one == name).unwrap_or(0);
    let curves = all.iter().map(|one| Curve {
        name: format!("{}, {}", one.families, predictor(one.predictor)),
        color: PALETTE[place(&predictors, one.predictor) % PALETTE.len()],
        dash: DASHES[place(&families, one.families) % DASHES.len()],
        shape: Shape::Line,
        points: one.over_life(),
    });
    let chart = Chart {
        id: "plot-health".to_owned(),
        heading: "Error of predictions over life".to_owned(),
        caption: "Median difference between predicted and actual remaining cycles, divided by the actual ones, after \
                  shares of the blocks' lives."
            .to_owned(),
        x: Axis {
            unit: "1",
            title: "share of life used",
            logarithmic: false,
        },
        y: Axis {
            unit: "1",
            title: "error / remaining cycles",
            logarithmic: true,
        },
        curves: curves.collect(),
        rules: Vec::new(),
    };
    chart.plot().into_iter().collect()
}
