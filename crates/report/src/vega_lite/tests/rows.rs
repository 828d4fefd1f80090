//! A mark shows the number of its own row: what its name says is what the row says.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use wordline_core::results::Row;

use super::*;
use crate::{cause, text};

/// A number that a chart shows.
#[derive(Clone, Debug)]
struct DrawnMark<'a> {
    /// The names that stand at it.
    label: String,
    /// Where it stands along an axis of numbers, and that axis's unit.
    place: Option<(f64, &'a str)>,
    value: (f64, &'a str),
}

/// Every mark of a chart but those whose numbers lie between rows, or follow from several of them.
fn marks<'a>(plot: &str, chart: &'a VegaLiteChart) -> Vec<DrawnMark<'a>> {
    let mut marks = Vec::new();
    let axis =
        |layer: &'a Value, channel: &str| in_rows(unit(&layer["encoding"][channel]["title"]));
    let text = |at: &Value, fields: &[&str]| {
        let names = fields.iter().filter_map(|field| at[field].as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    for layer in layers(&chart.spec) {
        for at in values(layer) {
            let label = text(at, &["curve", "bar", "cause", "row", "series", "column"]);
            let is_between =
                plot == "plot-ram" && (label.ends_with("record") || label.ends_with("fluid"));
            if is_between {
                continue;
            }
            let mark = if at["y"].is_number() {
                DrawnMark {
                    label,
                    place: Some((number(&at["x"]), axis(layer, "x"))),
                    value: (number(&at["y"]), axis(layer, "y")),
                }
            } else if at["value"].is_number() {
                let color = &chart.spec["layer"][0]["encoding"]["color"];
                let unit = match color["type"] == "quantitative" {
                    true => in_rows(unit(&color["title"])),
                    false => axis(layer, "x"),
                };
                DrawnMark {
                    label,
                    place: None,
                    value: (number(&at["value"]), unit),
                }
            } else {
                continue;
            };
            marks.push(mark);
        }
    }
    marks
}

/// What a row is about, each with the ways to write it.
fn words(row: &Row) -> Vec<Written> {
    let mut words = vec![
        ("target", vec![row.target.clone()]),
        ("part", vec![row.part.clone()]),
        ("board", vec![row.board.clone()]),
        ("operation", vec![row.operation.to_string()]),
        ("timing", vec![row.timing.name().to_owned()]),
    ];
    for (axis, value) in &row.axes {
        let written = text::coordinate(*axis, value);
        let other = OTHER_WORDS.iter().find(|(name, _)| *name == written);
        let mut all = vec![text::words(&written), written];
        all.extend(other.map(|(_, other)| (*other).to_owned()));
        if *axis == Axis::Cause {
            all.push(cause::name(&all[1]));
        }
        words.push((axis.name(), all));
    }
    words
}

/// Names of the vocabulary that charts write in other words.
const OTHER_WORDS: [(&str, &str); 6] = [
    ("cycles-of-fleet", "fleet's median known"),
    ("cycles-of-part", "part's median known"),
    ("cycles-of-fleet-survivors", "fleet's survivors known"),
    ("cycles-of-part-survivors", "part's survivors known"),
    ("4KiB", "4 KiB pages"),
    ("2MiB", "2 MiB pages"),
];

/// Whether a label has a word, whole.
fn has_word(label: &str, word: &str) -> bool {
    let is_of_word = |one: char| one.is_alphanumeric() || "-_.@:".contains(one);
    !word.is_empty()
        && label.match_indices(word).any(|(at, _)| {
            !label[..at].ends_with(is_of_word) && !label[at + word.len()..].starts_with(is_of_word)
        })
}

/// A thing that a row is about, and the ways to write it.
type Written = (&'static str, Vec<String>);

/// The rows of a document, by what labels say of them.
struct LabelledRows<'a> {
    document: &'a ResultSet,
    words: Vec<Vec<Written>>,
    /// What was found out: of a label and a metric the things that the label names, of which rows of the metric have one.
    named: RefCell<BTreeMap<(String, Metric), BTreeSet<&'static str>>>,
    /// Of a label and a row the things of which the label says something else than the row.
    unfit: RefCell<BTreeMap<(String, usize), Vec<&'static str>>>,
}

impl<'a> LabelledRows<'a> {
    fn new(document: &'a ResultSet) -> Self {
        Self {
            document,
            words: document.rows.iter().map(words).collect(),
            named: RefCell::default(),
            unfit: RefCell::default(),
        }
    }

    fn named(&self, label: &str, metric: Metric) -> BTreeSet<&'static str> {
        let mut known = self.named.borrow_mut();
        let find = || {
            let rows = self.document.rows.iter().zip(&self.words);
            let peers = rows.filter(|(row, _)| row.metric == metric);
            let words = peers.flat_map(|(_, words)| words);
            let named = words.filter(|(_, written)| has_one(label, written));
            named.map(|(thing, _)| *thing).collect()
        };
        let key = (label.to_owned(), metric);
        known.entry(key).or_insert_with(find).clone()
    }

    fn unfit(&self, label: &str, index: usize) -> Vec<&'static str> {
        let mut known = self.unfit.borrow_mut();
        let find = || {
            let named = self.named(label, self.document.rows[index].metric);
            let unfit = named.into_iter().filter(|thing| {
                let own = self.words[index].iter().find(|(name, _)| name == thing);
                !own.is_some_and(|(_, written)| has_one(label, written))
            });
            unfit.collect()
        };
        let key = (label.to_owned(), index);
        known.entry(key).or_insert_with(find).clone()
    }

    /// Whether a row has every word of a mark's label. The axis that a curve goes along is not in its label.
    fn fits(&self, mark: &DrawnMark<'_>, index: usize) -> bool {
        let row = &self.document.rows[index];
        let along = |thing: &str| {
            row.axes.iter().any(|(axis, value)| {
                axis.name() == thing && mark.place.is_some_and(|place| is_at(*axis, value, place))
            })
        };
        let unfit = self.unfit(&mark.label, index);
        unfit.into_iter().all(along)
    }

    /// Rows that fit a mark's label, have a value, and are as wanted.
    fn of(
        &self,
        mark: &DrawnMark<'_>,
        (value, unit): (f64, &str),
        is: &dyn Fn(&Row) -> bool,
    ) -> Vec<&'a Row> {
        let rows = self.document.rows.iter().enumerate();
        let rows = rows.filter(|(index, row)| {
            in_rows(&row.unit) == unit
                && row.value.is_some_and(|own| near(own, value))
                && is(row)
                && self.fits(mark, *index)
        });
        rows.map(|(_, row)| row).collect()
    }
}

/// Whether a label has one of some words.
fn has_one(label: &str, words: &[String]) -> bool {
    words.iter().any(|word| has_word(label, word))
}

/// Whether a row lies at a place.
fn lies_at(row: &Row, (place, unit): (f64, &str)) -> bool {
    row.axes
        .iter()
        .any(|(axis, value)| is_at(*axis, value, (place, unit)))
}

fn is_at(axis: Axis, value: &AxisValue, (place, unit): (f64, &str)) -> bool {
    in_rows(axis.unit()) == unit && text::numeric(value).is_some_and(|number| near(number, place))
}

/// Whether two rows are about one thing.
fn are_of_one_run(one: &Row, other: &Row) -> bool {
    one.target == other.target && one.timing == other.timing && one.axes == other.axes
}

/// Metrics of which a row that fits a mark's label says what the mark shows, where that lies. A verdict counts as one.
fn metrics(rows: &LabelledRows<'_>, plot: &str, mark: &DrawnMark<'_>) -> BTreeSet<Metric> {
    let (value, unit) = mark.value;
    let of_rows = |value: f64, is: &dyn Fn(&Row) -> bool| -> BTreeSet<Metric> {
        let rows = rows.of(mark, (value, unit), is);
        rows.into_iter().map(|row| row.metric).collect()
    };
    match (plot, mark.place) {
        ("plot-speed-up", _) => of_rows(value + 1.0, &|_| true),
        ("plot-margin", _) => {
            let mut verdicts = rows.document.verdicts.iter();
            let shown = verdicts.any(|verdict| {
                let outcome = if verdict.pass { "pass" } else { "fail" };
                [&*verdict.target, text::part_of(&verdict.target)]
                    .iter()
                    .any(|name| has_word(&mark.label, name))
                    && has_word(&mark.label.to_lowercase(), outcome)
                    && verdict.margin.unwrap_or(0.0).clamp(-1.0, 1.0) == value
            });
            shown.then_some(Metric::PartsNeeded).into_iter().collect()
        }
        (_, None) => of_rows(value, &|_| true),
        ("plot-wear", Some((place, along))) => {
            of_rows(value, &|row| lies_at(row, (place - 1.0, along)))
        }
        // So many accesses take so many times their mean.
        ("plot-sequences", Some((count, _))) if mark.label.ends_with("mean") => {
            of_rows(value / count, &|row| row.metric == Metric::LatencyMean)
        }
        (_, Some(place)) => {
            let across = rows.of(mark, place, &|_| true);
            let mut metrics = of_rows(value, &|row| {
                lies_at(row, place) || across.iter().any(|other| are_of_one_run(row, other))
            });
            let across = across.iter().filter(|row| lies_at(row, mark.value));
            metrics.extend(across.map(|row| row.metric));
            metrics
        }
    }
}

/// The metrics that every mark of a name shows, and marks that show none.
fn metrics_of_names<'a>(
    rows: &LabelledRows<'_>,
    plot: &str,
    marks: &'a [DrawnMark<'a>],
) -> (BTreeMap<&'a str, BTreeSet<Metric>>, Vec<&'a DrawnMark<'a>>) {
    let mut of_names = BTreeMap::<&str, BTreeSet<Metric>>::new();
    let mut strange = Vec::new();
    for mark in marks {
        let own = metrics(rows, plot, mark);
        let all = of_names
            .entry(&mark.label)
            .and_modify(|all| all.retain(|metric| own.contains(metric)))
            .or_insert(own);
        if all.is_empty() {
            strange.push(mark);
        }
    }
    (of_names, strange)
}

/// Shares of a peak, of moved bytes and of all accesses follow from several rows: `follows` has their rules.
const OF_SEVERAL: [&str; 3] = ["plot-buses", "plot-kv-floor", "plot-histogram"];

fn plot_of(chart: &VegaLiteChart) -> &str {
    chart
        .id
        .trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '-')
}

/// The charts of a document in which each mark shows one row.
fn of_single_rows(document: &ResultSet) -> impl Iterator<Item = VegaLiteChart> {
    drawn(document)
        .into_iter()
        .map(|(_, chart)| chart)
        .filter(|chart| !OF_SEVERAL.contains(&plot_of(chart)))
}

#[test]
fn a_mark_shows_the_number_of_its_row() {
    let mut strange = Vec::new();
    for (name, document) in fixture::ALL {
        let document = document();
        let rows = LabelledRows::new(&document);
        for chart in of_single_rows(&document) {
            let plot = plot_of(&chart);
            let marks = marks(plot, &chart);
            let (_, odd) = metrics_of_names(&rows, plot, &marks);
            let odd = odd
                .iter()
                .map(|mark| format!("{name}: {}: {mark:?}", chart.id));
            strange.extend(odd);
        }
    }
    assert!(
        strange.is_empty(),
        "{}\n{}",
        strange.join("\n"),
        strange.len()
    );
}

/// Two marks of a chart with each other's numbers are found: the test above can fail.
#[test]
fn two_numbers_that_change_places_are_found() {
    let (mut tried, mut hidden) = (0, Vec::new());
    for (name, document) in fixture::ALL {
        let document = document();
        let rows = LabelledRows::new(&document);
        for chart in of_single_rows(&document) {
            let plot = plot_of(&chart);
            let marks = marks(plot, &chart);
            let (of_names, _) = metrics_of_names(&rows, plot, &marks);
            for (index, one) in marks.iter().enumerate() {
                let mut after = marks[index + 1..].iter();
                // The next one that says another thing.
                let other = after.find(|other| {
                    other.value.0 != one.value.0
                        && (&other.label, other.place) != (&one.label, one.place)
                });
                let Some(other) = other else {
                    continue;
                };
                tried += 1;
                let with = |mark: &DrawnMark<'_>, value| {
                    let mark = DrawnMark {
                        value: (value, mark.value.1),
                        ..mark.clone()
                    };
                    let shown = metrics(&rows, plot, &mark);
                    !shown.is_disjoint(&of_names[&*mark.label])
                };
                if with(one, other.value.0) && with(other, one.value.0) {
                    hidden.push(format!("{name}: {}: {one:?} {other:?}", chart.id));
                }
            }
        }
    }
    assert!(
        hidden.is_empty(),
        "{}\n{} of {tried}",
        hidden.join("\n"),
        hidden.len()
    );
    assert!(tried > 500, "{tried}");
}
