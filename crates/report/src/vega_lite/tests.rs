//! Charts hold the numbers of the rows, in the unit that stands at the axis, and what the page draws.

use wordline_core::results::AxisValue;
use wordline_core::{Axis, Metric};

use super::*;
use crate::fixture;

mod rows;

/// Data values of a specification, at any depth.
fn points(value: &Value) -> usize {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| match (name.as_str(), value) {
                ("values", Value::Array(all)) => all.len(),
                _ => points(value),
            })
            .sum(),
        Value::Array(all) => all.iter().map(points).sum(),
        _ => 0,
    }
}

#[test]
fn every_plot_of_every_view_is_a_chart_with_all_of_its_points() {
    let mut kinds = [0; 4];
    for (name, document) in fixture::ALL {
        let document = document();
        let shown = Shown::of(&document);
        let plots: Vec<Plot> = shown.plots().into_iter().chain(shown.why().plots).collect();
        let charts = vega_lite(&document);
        assert_eq!(charts.len(), plots.len(), "{name}");
        for (plot, chart) in plots.iter().zip(&charts) {
            let (kind, least) = match plot.spec() {
                PlotSpec::Curves(spec) => (0, spec.curves.iter().map(|one| one.points.len()).sum()),
                PlotSpec::Stack(spec) => (1, spec.pieces.len()),
                PlotSpec::Rows(spec) => (
                    2,
                    spec.rows.iter().map(|row| row.marks.len()).sum::<usize>(),
                ),
                PlotSpec::Heat(spec) => (3, spec.cells.len()),
            };
            kinds[kind] += 1;
            assert!(
                least > 0 && points(&chart.spec) >= least,
                "{name}: {}",
                chart.id
            );
            assert_eq!(chart.spec["title"], chart.heading);
        }
    }
    assert!(kinds.iter().all(|count| *count > 0), "{kinds:?}");
}

/// A chart as the page draws it, and its specification.
fn drawn(document: &ResultSet) -> Vec<(Plot, VegaLiteChart)> {
    let shown = Shown::of(document);
    let plots = shown.plots().into_iter().chain(shown.why().plots);
    plots.zip(vega_lite(document)).collect()
}

/// The layers that bring data; a chart without layers is one itself.
fn layers(spec: &Value) -> Vec<&Value> {
    let all = spec["layer"].as_array();
    let all = all.map_or_else(|| vec![spec], |layers| layers.iter().collect());
    let own = all
        .into_iter()
        .filter(|one| one["data"]["values"][0] != json!({}) && one["data"].is_object());
    let own: Vec<&Value> = own.collect();
    if own.is_empty() { vec![spec] } else { own }
}

fn values(layer: &Value) -> &Vec<Value> {
    layer["data"]["values"].as_array().expect("its data")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// The unit that a title ends in; nothing where it has none.
fn unit(title: &Value) -> &str {
    let title = title.as_str().expect("a title");
    let bracket = title
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once(" ("));
    bracket.map_or("", |(_, unit)| unit)
}

/// What a title has of a unit: plain numbers have none.
fn titled_unit(unit: &str) -> &str {
    if unit == "1" { "" } else { unit }
}

/// The page and the chart say the same, number by number.
#[test]
fn a_chart_holds_what_the_page_draws() {
    for (name, document) in fixture::ALL {
        for (plot, chart) in drawn(&document()) {
            let page = serde_json::to_value(plot.spec()).expect("plain data");
            let place = format!("{name}: {}", chart.id);
            let layers = layers(&chart.spec);
            match plot.spec() {
                PlotSpec::Curves(_) => {
                    let curves = page["curves"].as_array().expect("curves");
                    assert_eq!(curves.len(), layers.len(), "{place}");
                    for (curve, layer) in curves.iter().zip(layers) {
                        let points = values(layer).iter();
                        let points: Vec<Value> =
                            points.map(|at| json!([at["x"], at["y"]])).collect();
                        assert_eq!(curve["points"], Value::from(points), "{place}");
                        for axis in ["x", "y"] {
                            let title = &layer["encoding"][axis]["title"];
                            let shown = page[axis]["unit"].as_str().expect("a unit");
                            assert_eq!(unit(title), titled_unit(shown), "{place}");
                        }
                    }
                }
                PlotSpec::Stack(_) => {
                    let named = |all: &Value, at: &Value| {
                        all[at.as_u64().expect("a place") as usize].clone()
                    };
                    let pieces = page["pieces"].as_array().expect("pieces").iter();
                    let pieces: Vec<Value> = pieces
                        .map(|one| {
                            json!([
                                named(&page["bars"], &one[0]),
                                named(&page["series"], &one[1])[0],
                                one[2]
                            ])
                        })
                        .collect();
                    let shown = values(layers[0]).iter();
                    let shown: Vec<Value> = shown
                        .map(|at| json!([at["bar"], at["cause"], at["value"]]))
                        .collect();
                    assert_eq!(pieces, shown, "{place}");
                    assert_eq!(
                        unit(&chart.spec["encoding"]["x"]["title"]),
                        page["unit"],
                        "{place}"
                    );
                }
                PlotSpec::Rows(spec) => {
                    let marks = spec.rows.iter().flat_map(|row| {
                        row.marks.iter().map(|mark| {
                            json!([
                                row.name,
                                spec.series[mark.series].0,
                                mark.value,
                                mark.band.map(|band| band.0),
                                mark.band.map(|band| band.1)
                            ])
                        })
                    });
                    let shown = values(layers[0]).iter();
                    let shown: Vec<Value> = shown
                        .map(|at| {
                            json!([at["row"], at["series"], at["value"], at["low"], at["high"]])
                        })
                        .collect();
                    assert_eq!(marks.collect::<Vec<_>>(), shown, "{place}");
                    let title = &layers[0]["encoding"]["x"]["title"];
                    assert_eq!(unit(title), titled_unit(spec.unit), "{place}");
                }
                PlotSpec::Heat(spec) => {
                    let cells = spec.cells.iter();
                    let cells: Vec<Value> = cells
                        .map(|cell| {
                            json!([spec.rows[cell.0], spec.columns[cell.1], cell.2, cell.3])
                        })
                        .collect();
                    let shown = values(&chart.spec).iter();
                    let shown: Vec<Value> = shown
                        .map(|at| json!([at["row"], at["column"], at["value"], at["number"]]))
                        .collect();
                    assert_eq!(cells, shown, "{place}");
                    let title = &chart.spec["layer"][0]["encoding"]["color"]["title"];
                    assert_eq!(unit(title), spec.unit, "{place}");
                }
            }
        }
    }
}

/// Marks without data of their own are drawn once: Vega-Lite draws none where a layer has no row.
#[test]
fn rules_of_the_page_are_drawn_in_charts() {
    let mut seen = [0; 2];
    for (name, document) in fixture::ALL {
        for (plot, chart) in drawn(&document()) {
            let wanted: Vec<(&str, f64, &str)> = match plot.spec() {
                PlotSpec::Curves(spec) => {
                    seen[0] += spec.rules.len();
                    let rules = spec.rules.iter();
                    let rules = rules.map(|rule| match rule.axis {
                        RuleAxis::X => ("x", rule.at, rule.label.as_str()),
                        RuleAxis::Y => ("y", rule.at, rule.label.as_str()),
                    });
                    rules.collect()
                }
                PlotSpec::Rows(spec) => {
                    seen[1] += usize::from(spec.rule.is_some());
                    let rule = spec.rule.iter();
                    rule.map(|(at, label)| ("x", *at, label.as_str())).collect()
                }
                _ => Vec::new(),
            };
            let all = chart.spec["layer"].as_array();
            let mut found = all
                .into_iter()
                .flatten()
                .filter(|layer| layer["data"] == once());
            for (channel, at, label) in wanted {
                let (rule, text) = (found.next().expect(label), found.next().expect(label));
                let place = format!("{name}: {}", chart.id);
                assert_eq!(rule["encoding"][channel]["datum"], at, "{place}");
                assert_eq!(rule["mark"]["type"], "rule", "{place}");
                assert_eq!(text["mark"]["text"], label, "{place}");
            }
            assert!(found.next().is_none(), "{name}: {}", chart.id);
            // Without data of its own a layer takes the chart's.
            let all = chart.spec["layer"].as_array().into_iter().flatten();
            for layer in all {
                let has = layer["data"].is_object() || chart.spec["data"].is_object();
                assert!(has, "{name}: {} draws nothing", chart.id);
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

/// Vega-Lite adds up bars that share a place, unless it is told not to, and draws them over each other then.
#[test]
fn bars_stand_side_by_side() {
    let mut seen = 0;
    for (name, document) in fixture::ALL {
        for (plot, chart) in drawn(&document()) {
            let PlotSpec::Rows(spec) = plot.spec() else {
                continue;
            };
            let layer = layers(&chart.spec)[0];
            let encoding = &layer["encoding"];
            assert_eq!(encoding["x"]["stack"], Value::Null, "{name}: {}", chart.id);
            assert!(encoding["x"].get("stack").is_some(), "{name}: {}", chart.id);
            if spec.points {
                continue;
            }
            let beside = encoding["yOffset"]["field"].as_str();
            let places = values(layer)
                .iter()
                .map(|at| (&at["row"], beside.map(|field| &at[field])));
            let places: Vec<_> = places.collect();
            for (index, place) in places.iter().enumerate() {
                assert!(
                    !places[..index].contains(place),
                    "{name}: {}: {place:?}",
                    chart.id
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 10, "{seen}");
}

/// Units of counts and shares are words at an axis, and 1 in the rows.
fn in_rows(unit: &str) -> &str {
    match unit {
        "" | "%" | "accesses" | "cycles" => "1",
        unit => unit,
    }
}

/// Numbers of a document with the units that they have there: values of rows, their coordinates, and ends of bins.
fn known(document: &ResultSet) -> Vec<(f64, &str)> {
    let mut known = Vec::new();
    for row in &document.rows {
        known.extend(row.value.map(|value| (value, in_rows(&row.unit))));
        for (axis, value) in &row.axes {
            match value {
                AxisValue::Count(count) => known.push((*count as f64, in_rows(axis.unit()))),
                AxisValue::Number(number) => known.push((*number, in_rows(axis.unit()))),
                AxisValue::Text(_) => {}
            }
        }
    }
    let ends = document.histograms.values().flatten();
    known.extend(ends.map(|bucket| (bucket.upper_s, "s")));
    known
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Whether a number follows from the rows by the rule that its plot states.
fn follows(
    document: &ResultSet,
    known: &[(f64, &str)],
    chart: &str,
    field: &str,
    number: f64,
) -> bool {
    let is_known = |number: f64, unit: &str| {
        known
            .iter()
            .any(|(one, own)| *own == unit && near(*one, number))
    };
    let of = |metric: Metric| {
        let rows = document.rows.iter().filter(move |row| row.metric == metric);
        rows.filter_map(|row| row.value)
    };
    let plot = chart.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '-');
    match (plot, field) {
        // How much faster than the baseline.
        ("plot-speed-up", "value") => is_known(number + 1.0, "1"),
        // Cycles count from the first on.
        ("plot-wear", "x") => is_known(number - 1.0, "1"),
        ("plot-kv-floor", "y") => of(Metric::BytesMoved)
            .any(|moved| of(Metric::BytesFloor).any(|floor| near(moved / floor, number))),
        // Cut at what the scale shows.
        ("plot-margin", "value") => document
            .verdicts
            .iter()
            .any(|verdict| verdict.margin.unwrap_or(0.0).clamp(-1.0, 1.0) == number),
        // A share of the peak, which is what was carried over the share of the data.
        ("plot-buses", "value") => of(Metric::ThroughputMean).any(|carried| {
            let shares = || of(Metric::BusShare).filter(|share| *share > 0.0);
            shares().any(|data| shares().any(|share| near(share * carried / data, number)))
        }),
        ("plot-histogram", "y") => document.histograms.values().any(|buckets| {
            let all: u64 = buckets.iter().map(|bucket| bucket.count).sum();
            number == 0.0
                || buckets
                    .iter()
                    .any(|bucket| near(bucket.count as f64 / all as f64, number))
        }),
        // The beginning of a bin is the end of the one before, or as far below its own end.
        ("plot-histogram", "x") => document.histograms.values().any(|buckets| {
            let widths = buckets
                .windows(2)
                .map(|pair| pair[1].upper_s - pair[0].upper_s);
            let width = widths.fold(f64::INFINITY, f64::min);
            buckets.iter().any(|bucket| {
                (bucket.upper_s - width - number).abs() < 1e-6 * width || number == 0.0
            })
        }),
        _ => false,
    }
}

/// Each number that a chart shows is one of the rows', and has its unit at the axis.
#[test]
fn numbers_of_charts_are_those_of_rows_in_the_unit_of_the_axis() {
    let mut strange = Vec::new();
    let mut seen = 0;
    for (name, document) in fixture::ALL {
        let document = document();
        let known = known(&document);
        for (_, chart) in drawn(&document) {
            let layers = layers(&chart.spec);
            let has_curve = |layer: &Value| values(layer)[0]["curve"].is_string();
            // Between the rates of the rows; the next test looks at them.
            let between = |layer: &Value| {
                let curve = values(layer)[0]["curve"].as_str().unwrap_or_default();
                chart.id.starts_with("plot-ram-")
                    && ["record", "fluid"].iter().any(|end| curve.ends_with(end))
            };
            for layer in layers
                .iter()
                .filter(|layer| !(has_curve(layer) && between(layer)))
            {
                for (field, channel) in [("x", "x"), ("y", "y"), ("value", "x")] {
                    let encoding = &layer["encoding"][channel];
                    if encoding["field"] != field {
                        continue;
                    }
                    let unit = in_rows(unit(&encoding["title"]));
                    for at in values(layer) {
                        let number = number(&at[field]);
                        seen += 1;
                        if !known.contains(&(number, unit))
                            && !follows(&document, &known, &chart.id, field, number)
                        {
                            strange.push(format!(
                                "{name}: {}, {}: {field} is {number} {unit}",
                                chart.id, at["curve"]
                            ));
                        }
                    }
                }
            }
            if let Some(color) = chart.spec["layer"][0]["encoding"]
                .get("color")
                .filter(|color| color["type"] == "quantitative")
            {
                let unit = in_rows(unit(&color["title"]));
                for at in values(&chart.spec) {
                    seen += 1;
                    if !known.contains(&(number(&at["value"]), unit)) {
                        strange.push(format!("{name}: {}: {} {unit}", chart.id, at["value"]));
                    }
                }
            }
        }
    }
    assert!(strange.is_empty(), "{}", strange.join("\n"));
    assert!(seen > 1000, "{seen}");
}

/// The curve of RAM for single bytes passes through every rate that has a row. That for whole records follows from it, of which the
/// made-up rows here know nothing; the package for Python looks at one that was run.
#[test]
fn curves_of_ram_pass_through_their_rows() {
    let mut seen = 0;
    for (name, document) in fixture::ALL {
        let document = document();
        for (_, chart) in drawn(&document)
            .iter()
            .filter(|(_, chart)| chart.id == "plot-ram-1")
        {
            for layer in layers(&chart.spec) {
                let curve = values(layer)[0]["curve"].as_str().expect("a name");
                let words: Vec<&str> = curve.split(' ').collect();
                if words.last() != Some(&"fluid") {
                    continue;
                }
                let target = &document.rows[0].target;
                let wanted = document.rows.iter().filter(|row| {
                    let timing = words.len() < 2 || row.timing.name() == words[0];
                    let kind = row.text(Axis::Arrival) == Some("fluid")
                        && row.text(Axis::Estimate).is_none();
                    timing && kind && row.metric == Metric::RamPeakInFlight && row.target == *target
                });
                for row in wanted {
                    let Some(value) = row.value.filter(|value| *value > 0.0) else {
                        continue;
                    };
                    let Some(AxisValue::Number(rate)) = row.axes.get(&Axis::RateBytesPerS) else {
                        continue;
                    };
                    let points = values(layer)
                        .iter()
                        .map(|at| (number(&at["x"]), number(&at["y"])));
                    // A step before: the value holds for what lies below its point.
                    let mut above = points.filter(|(x, _)| *x >= *rate * (1.0 - 1e-12));
                    let Some((_, shown)) = above.next() else {
                        continue;
                    };
                    seen += 1;
                    assert!(
                        near(shown, value),
                        "{name}: {curve} at {rate} B/s: {shown} is not {value}"
                    );
                }
            }
        }
    }
    assert!(seen > 50, "{seen}");
}
