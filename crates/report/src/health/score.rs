//! The score of the predictor.

use wordline_core::Metric;
use wordline_core::results::{ResultSet, Row};

use super::row;
use crate::grid::{Column, Grid};
use crate::text;

const SHARE: &str = "life_share";

/// How the names of those begin that know cycles alone, by what else they know. The others are held against the best.
const RIVALS: [&str; 2] = ["cycles-of-fleet", "cycles-of-part"];

/// A predictor of the document, in words.
pub(crate) fn predictor(name: &str) -> &str {
    match name {
        "cycles-of-fleet" => "cycles, fleet's median known",
        "cycles-of-part" => "cycles, part's median known",
        "cycles-of-fleet-survivors" => "cycles, fleet's survivors known",
        "cycles-of-part-survivors" => "cycles, part's survivors known",
        "latency" => "latency alone",
        "latency-rough-log" => "latency alone, rough log",
        "latency-of-programs" => "program latency alone",
        "latency-one-failed" => "latency, one failed block known",
        "latency-rough-one-failed" => "the same, rough log",
        other => other,
    }
}

/// A predictor with its rows on one kind of families.
pub(crate) struct Scored<'a> {
    pub(crate) families: &'a str,
    pub(crate) predictor: &'a str,
    rows: Vec<&'a Row>,
}

impl<'a> Scored<'a> {
    pub(crate) fn all_of(document: &'a ResultSet) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for row in &document.rows {
            let predictor = row.text("predictor").unwrap_or_default();
            // Rows of a predictor follow each other.
            match all
                .last_mut()
                .filter(|one| one.families == row.part && one.predictor == predictor)
            {
                Some(one) => one.rows.push(row),
                None => all.push(Self {
                    families: &row.part,
                    predictor,
                    rows: vec![row],
                }),
            }
        }
        all
    }

    /// Over all shares of life.
    fn whole(&self, metric: Metric) -> Option<f64> {
        let rows: Vec<&Row> = self
            .rows
            .iter()
            .copied()
            .filter(|row| !has_share(row))
            .collect();
        row(&rows, metric, None)?.value
    }

    /// The error after each share of life, ascending.
    pub(crate) fn over_life(&self) -> Vec<(f64, f64)> {
        let rows = self.rows.iter();
        let errors = rows.filter(|row| row.metric == Metric::PredictionError);
        let mut points: Vec<(f64, f64)> = errors
            .filter_map(|row| Some((text::numeric(row.axes.get(SHARE)?)?, row.value?)))
            .collect();
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        points
    }

    fn is_rival(&self) -> bool {
        RIVALS.iter().any(|rival| self.predictor.starts_with(rival))
    }
}

fn has_share(row: &Row) -> bool {
    row.axes.contains_key(SHARE)
}

/// How many times better than the best of the rivals that know the same, on the same families.
fn gain(all: &[Scored<'_>], one: &Scored<'_>, rival: &str, metric: Metric) -> Option<f64> {
    let rivals = all
        .iter()
        .filter(|other| other.families == one.families && other.predictor.starts_with(rival));
    let best = rivals
        .filter_map(|rival| rival.whole(metric))
        .reduce(f64::min)?;
    Some(best / one.whole(metric)?)
}

fn shown(value: Option<f64>, how: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| super::NOTHING.to_owned(), how)
}

pub(super) fn tables(document: &ResultSet) -> Vec<Grid> {
    let all = Scored::all_of(document);
    vec![whole(&all), over_life(&all)]
}

fn whole(all: &[Scored<'_>]) -> Grid {
    let mut columns = ["families", "predictor"].map(Column::left).to_vec();
    columns.extend(
        [
            "error",
            "of life",
            "band holds",
            "told",
            "better than fleet",
            "better than part",
        ]
        .map(Column::right),
    );
    let title = "Median error of the remaining cycles, of themselves and of the whole life";
    let mut grid = Grid::new(title, columns).with_keys(2);
    let percent = |value: f64| text::percent(value, text::DIGITS);
    for one in all {
        let mut cells = vec![one.families.to_owned(), predictor(one.predictor).to_owned()];
        for metric in [
            Metric::PredictionError,
            Metric::PredictionErrorOfLife,
            Metric::BandCoverage,
            Metric::BandTold,
        ] {
            cells.push(shown(one.whole(metric), percent));
        }
        for rival in RIVALS {
            let gain = gain(all, one, rival, Metric::PredictionError);
            let gain = gain.filter(|_| !one.is_rival());
            cells.push(shown(gain, text::factor));
        }
        grid.push(cells);
    }
    grid
}

fn over_life(all: &[Scored<'_>]) -> Grid {
    let shares: Vec<f64> = all
        .first()
        .map(|one| {
            one.over_life()
                .into_iter()
                .map(|(share, _)| share)
                .collect()
        })
        .unwrap_or_default();
    let mut columns = ["families", "predictor"].map(Column::left).to_vec();
    columns.extend(
        shares
            .iter()
            .map(|share| Column::right(text::percent(*share, 2))),
    );
    let title = "Median error of the remaining cycles, after shares of life";
    let mut grid = Grid::new(title, columns).with_keys(2);
    for one in all {
        let points = one.over_life();
        let mut cells = vec![one.families.to_owned(), predictor(one.predictor).to_owned()];
        cells.extend(shares.iter().map(|share| {
            let error = points.iter().find(|(at, _)| at == share);
            shown(error.map(|(_, error)| *error), |error| {
                format!("{:.0} %", error * 100.0)
            })
        }));
        grid.push(cells);
    }
    grid
}

pub(super) fn sentences(document: &ResultSet) -> Vec<String> {
    let all = Scored::all_of(document);
    let told = all.iter().filter(|one| !one.is_rival());
    let told = told.filter(|one| ["latency", "latency-one-failed"].contains(&one.predictor));
    told.filter_map(|one| {
        let percent = |metric| Some(text::percent(one.whole(metric)?, text::DIGITS));
        let factor = |rival| Some(text::factor(gain(&all, one, rival, Metric::PredictionError)?));
        Some(format!(
            "On {}, {}: the remaining life is off by {} (median), {} better than the best from cycles that knows the \
             fleet's endurance, {} than with the part's; the 90 % band holds {}.",
            one.families,
            predictor(one.predictor),
            percent(Metric::PredictionError)?,
            factor(RIVALS[0])?,
            factor(RIVALS[1])?,
            percent(Metric::BandCoverage)?,
        ))
    })
    .collect()
}
