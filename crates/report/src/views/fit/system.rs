//! A fit to what was measured of a system: measured beside simulated, point by point.

use wordline_core::results::{ResultSet, Row};
use wordline_core::{Axis, Basis, Metric};

use crate::grid::{Column, Grid};
use crate::tabulate::Tabulation;
use crate::text;

/// The tests, as rows spell them, and what a line of each is called.
const TESTS: [(&str, &str); 3] = [
    ("idle", "idle latency"),
    ("loaded", "under load"),
    ("bandwidth", "bandwidth"),
];

/// A measured figure and the simulated one.
struct SystemResidual<'a> {
    name: String,
    measured: &'a Row,
    simulated: Option<&'a Row>,
}

impl SystemResidual<'_> {
    /// Simulated over measured.
    fn ratio(&self) -> Option<f64> {
        let measured = self.measured.value?;
        (measured > 0.0).then_some(self.simulated?.value? / measured)
    }

    fn is(&self) -> &'static str {
        match self.simulated.map(|row| (row.basis, row.value)) {
            Some((_, None)) => "beyond what it carries",
            Some((Basis::Calibrated, _)) => "fitted",
            Some(_) => "predicted",
            None => "",
        }
    }
}

fn residuals(document: &ResultSet) -> Vec<SystemResidual<'_>> {
    let of = |test: &'static str| {
        let rows = document.rows.iter();
        rows.filter(move |row| row.text(Axis::Test) == Some(test))
    };
    let mut lines = Vec::new();
    for (test, name) in TESTS {
        for measured in of(test).filter(|row| row.basis == Basis::Measured) {
            let simulated = of(test).find(|row| {
                row.basis != Basis::Measured
                    && row.metric == measured.metric
                    && row.axes == measured.axes
            });
            let is_curve = measured.axes.contains_key(&Axis::Point);
            // Throughputs of the curve stand in the names of its lines.
            if is_curve && measured.metric != Metric::LatencyMean {
                continue;
            }
            let mix = measured.text(Axis::Mix).unwrap_or_default();
            let name = match (test, is_curve) {
                ("loaded", true) => {
                    let carried = of(test).find(|row| {
                        row.basis == Basis::Measured
                            && row.metric == Metric::ThroughputMean
                            && row.axes == measured.axes
                    });
                    let carried = carried.and_then(|row| row.value).unwrap_or(0.0);
                    format!("latency at {}", text::rate(carried))
                }
                ("loaded", false) => format!("most {name}, {mix}"),
                ("bandwidth", _) => format!("{name}, {mix}"),
                _ => name.to_owned(),
            };
            lines.push(SystemResidual {
                name,
                measured,
                simulated,
            });
        }
    }
    lines
}

/// The table; none of a fit to something else.
pub(super) fn table(document: &ResultSet) -> Option<Grid> {
    let lines = residuals(document);
    let value = |row: Option<&Row>| Some(text::value(row?, text::DIGITS));
    type Line<'a> = SystemResidual<'a>;
    Tabulation::new("Measured beside the fitted system")
        .key(Column::left(""), |line: &Line<'_>| line.name.clone())
        .figure("measured", |line| value(Some(line.measured)))
        .figure("simulated", |line| value(line.simulated))
        .figure("ratio", |line| line.ratio().map(super::ratio))
        .words("is", |line| Some(line.is().to_owned()))
        .lines(&lines)
}

/// How well it predicts; none of a fit to something else.
pub(super) fn sentences(document: &ResultSet) -> Vec<String> {
    let lines = residuals(document);
    let target = document
        .rows
        .iter()
        .find(|row| row.basis != Basis::Measured);
    let (Some(target), Some(first)) = (target, lines.first()) else {
        return Vec::new();
    };
    let predicted = lines.iter().filter(|line| line.is() == "predicted");
    let predicted: Vec<(f64, &str)> = predicted
        .filter_map(|line| Some((line.ratio()?, line.name.as_str())))
        .filter(|(ratio, _)| *ratio > 0.0)
        .collect();
    let far = |ratio: f64| ratio.ln().abs();
    let worst = predicted
        .iter()
        .max_by(|one, next| far(one.0).total_cmp(&far(next.0)));
    let Some((ratio, name)) = worst else {
        return vec![format!(
            "{} was fitted to {}; nothing else was measured that it could predict.",
            target.target, first.measured.target
        )];
    };
    let mean = predicted.iter().map(|(ratio, _)| far(*ratio)).sum::<f64>() / predicted.len() as f64;
    vec![
        format!(
            "{}, fitted to {}, predicts {} other measured figures within {} on average.",
            target.target,
            first.measured.target,
            predicted.len(),
            super::percent(mean)
        ),
        format!(
            "At worst it gives {} what was measured: {name}.",
            text::factor(*ratio)
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Style, answer, render};

    /// An idle latency that was fitted, and a bandwidth that is predicted at so many times what was measured.
    fn document(times: f64) -> ResultSet {
        let mut document = crate::fixture::fit(1.0);
        let model = document.rows[0].clone();
        document.rows.clear();
        for (test, metric, value, basis) in [
            ("idle", Metric::LatencyMean, 115e-9, Basis::Calibrated),
            ("bandwidth", Metric::ThroughputMean, 500e9, Basis::Simulated),
        ] {
            for (target, basis, value) in [
                ("ram@lab7", Basis::Measured, value),
                ("module@mine", basis, value * times),
            ] {
                let mut row = model.clone();
                row.axes.clear();
                row.axes.insert(Axis::Test, test.into());
                if test == "bandwidth" {
                    row.axes.insert(Axis::Mix, "3:1".into());
                }
                (row.target, row.basis) = (target.to_owned(), basis);
                (row.metric, row.value) = (metric, Some(value));
                metric.unit().clone_into(&mut row.unit);
                document.rows.push(row);
            }
        }
        document
    }

    #[test]
    fn what_was_fitted_counts_for_no_prediction() {
        let told = answer(&document(0.9)).join(" ");
        assert!(
            told.contains("predicts 1 other measured figures within 11 %"),
            "{told}"
        );
        assert!(
            told.contains("At worst it gives 0.90 times what was measured: bandwidth, 3:1"),
            "{told}"
        );
        let table = render(&document(0.9), Format::Markdown, &Style::default());
        for words in ["fitted", "predicted", "0.900", "bandwidth, 3:1"] {
            assert!(table.contains(words), "{words} is missing: {table}");
        }
        let mut fitted = document(1.0);
        fitted.rows.truncate(2);
        assert!(
            answer(&fitted)
                .join(" ")
                .contains("nothing else was measured")
        );
    }
}
