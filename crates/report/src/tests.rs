//! Documents made of extremes: every format shows them, harmlessly.

use proptest::prelude::*;
use wordline_core::results::{AxisValue, NoValue, ResultSet, Row, Verdict};
use wordline_core::{Axis, Metric, Timing};

use crate::fixture::NamedFixture;
use crate::html::tests::{opened, readable};
use crate::{Detail, Format, Style, fixture, render};

const PEOPLE: [Format; 3] = [Format::Table, Format::Markdown, Format::Html];

const FIRST_SCREEN: Style = Style {
    color: false,
    width: Some(80),
    detail: Detail::Answer,
    plots: true,
};

/// Each fixture by its number.
const FIXTURES: [NamedFixture; 35] = fixture::ALL;

fn documents() -> impl Iterator<Item = ResultSet> {
    FIXTURES.iter().map(|(_, fixture)| fixture())
}

/// Renders a document in every format for people, and checks what must hold of any text.
fn shown(document: &ResultSet) -> [String; 3] {
    let card = render(document, Format::Table, &FIRST_SCREEN);
    assert!(
        !card.contains(|c: char| c.is_control() && c != '\n'),
        "{card:?}"
    );
    PEOPLE.map(|format| {
        let style = Style {
            width: Some(80),
            ..Style::default()
        };
        let text = render(document, format, &style);
        if format != Format::Html {
            let control = |c: char| c.is_control() && c != '\n';
            assert!(!text.contains(control), "{format}: {text:?}");
        }
        text
    })
}

#[test]
fn hostile_names_stay_text_everywhere() {
    for document in documents() {
        let document = fixture::spoiled(document);
        assert_eq!(document.check(), Ok(()));
        let [table, markdown, html] = shown(&document);
        assert!(table.contains("\\u{1b}[31m"), "{table}");
        let outside_of_the_command = markdown.split("```").next().expect("a first part");
        assert!(!outside_of_the_command.contains(" <"), "{markdown}");
        assert!(!outside_of_the_command.contains("*_|"), "{markdown}");
        assert!(
            html.contains("{{ 7*7 }}"),
            "no template inside of a name runs"
        );
        let before_the_script = html.split("<script>").next().expect("a first part");
        for forbidden in ["<img", "\u{1b}", "\u{2028}"] {
            assert!(!before_the_script.contains(forbidden), "{forbidden:?}");
        }
        assert_eq!(html.matches("<script>").count(), 1);
    }
}

#[test]
fn documents_without_rows_or_with_a_single_one_are_shown() {
    for mut document in documents() {
        let rows = std::mem::take(&mut document.rows);
        shown(&document);
        document.verdicts.clear();
        for row in rows.iter().step_by(rows.len().div_ceil(30)) {
            document.rows = vec![row.clone()];
            shown(&document);
        }
    }
}

#[test]
fn rates_that_no_ram_can_carry_are_said_to_be_such() {
    let mut document = fixture::buffer(&[4.1e6]);
    document
        .rows
        .retain(|row| row.no_value == Some(NoValue::Unbounded));
    let [table, ..] = shown(&document);
    assert!(table.contains("unbounded"), "{table}");
}

#[test]
fn candidates_without_verdicts_are_not_judged() {
    let mut document = fixture::compare();
    document.verdicts.clear();
    let [table, markdown, _] = shown(&document);
    assert!(markdown.contains("| not judged |"), "{markdown}");
    assert!(table.contains("No candidate was judged."), "{table}");
}

#[test]
fn rows_of_several_workloads_are_lines_of_one_table() {
    let mut document = fixture::compare();
    document.rows.extend(fixture::mram().rows);
    let [table, ..] = shown(&document);
    assert!(table.contains("workload"), "{table}");
    assert!(
        table.contains("decides") || table.contains("Verdicts"),
        "{table}"
    );
}

#[test]
fn ten_thousand_rates_are_thinned() {
    let mut document = fixture::buffer(&[]);
    let wanted = |row: &&Row| row.axes.contains_key(&Axis::Arrival) && row.value.is_some();
    let pattern = document.rows.iter().find(wanted).expect("a line").clone();
    for index in 0..10_000 {
        let mut row = pattern.clone();
        let rate = f64::from(index) * 17.0 + 0.5;
        row.axes
            .insert(Axis::RateBytesPerS, AxisValue::Number(rate));
        let mut fill = row.clone();
        document.rows.push(row);
        fill.axes.remove(&Axis::Arrival);
        fill.axes.insert(Axis::AtS, AxisValue::Number(rate));
        fill.metric = Metric::BufferFillMax;
        document.rows.push(fill);
    }
    let table = render(&document, Format::Table, &Style::default());
    let html = opened(&render(&document, Format::Html, &Style::default()));
    assert!(table.lines().count() < 200, "{}", table.lines().count());
    assert!(html.contains("The first 2000 of"));
}

/// Values that a checked document may hold.
fn value() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        Just(None),
        Just(Some(0.0)),
        Just(Some(-1.0)),
        Just(Some(5e-324)),
        Just(Some(f64::MAX)),
        Just(Some(f64::MIN)),
        any::<f64>().prop_map(|value| Some(value).filter(|value| value.is_finite())),
    ]
}

/// What may be wrong with a row.
#[derive(Clone, Debug)]
enum Oddity {
    Gone,
    Value(Option<f64>),
    Axis(usize, AxisValue),
    NoAxis(usize),
    Other(Metric),
    Sampled,
}

fn oddity() -> impl Strategy<Value = Oddity> {
    let axis = prop_oneof![
        any::<u64>().prop_map(AxisValue::Count),
        any::<f64>().prop_map(AxisValue::Number),
        "\\PC{0,12}".prop_map(AxisValue::Text),
    ];
    prop_oneof![
        4 => Just(Oddity::Gone),
        4 => value().prop_map(Oddity::Value),
        1 => (any::<usize>(), axis).prop_map(|(index, value)| Oddity::Axis(index, value)),
        1 => any::<usize>().prop_map(Oddity::NoAxis),
        1 => Just(Oddity::Other(Metric::RamPeak)),
        1 => Just(Oddity::Other(Metric::WaitShare)),
        1 => Just(Oddity::Sampled),
    ]
}

fn spoil(row: &Row, oddity: &Oddity) -> Option<Row> {
    let mut row = row.clone();
    let name = |index: &usize| row.axes.keys().nth(index % row.axes.len().max(1)).copied();
    match oddity {
        Oddity::Gone => return None,
        Oddity::Value(value) => {
            row.value = *value;
            row.no_value = value.is_none().then_some(NoValue::BeyondRange);
        }
        Oddity::Axis(index, value) => {
            let name = name(index).unwrap_or(Axis::AccessBytes);
            row.axes.insert(name, value.clone());
        }
        Oddity::NoAxis(index) => {
            let name = name(index).unwrap_or(Axis::AccessBytes);
            row.axes.remove(&name);
        }
        Oddity::Other(metric) => {
            row.metric = *metric;
            row.unit = metric.unit().into();
        }
        Oddity::Sampled => row.timing = Timing::Sampled,
    }
    Some(row)
}

fn spoil_verdict(verdict: &mut Verdict, value: Option<f64>) {
    verdict.value = value;
    verdict.margin = value;
    verdict.allowed = value.unwrap_or(0.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn odd_documents_never_panic(
        which in 0..FIXTURES.len(),
        oddities in prop::collection::vec(oddity(), 1..40),
        every in 1..9_usize,
        verdict in value(),
    ) {
        let mut document = FIXTURES[which].1();
        let rows = std::mem::take(&mut document.rows);
        document.rows = rows
            .iter()
            .enumerate()
            .filter_map(|(index, row)| {
                if index % every == 0 {
                    spoil(row, &oddities[(index / every) % oddities.len()])
                } else {
                    Some(row.clone())
                }
            })
            .collect();
        for one in document.verdicts.iter_mut().step_by(every) {
            spoil_verdict(one, verdict);
        }
        shown(&document);
    }
}

/// The greatest numbers that a document can hold: what is computed from them must not overflow into words of the
/// machine.
#[test]
fn values_at_the_end_of_the_range_are_still_numbers() {
    let mut odd = Vec::new();
    for mut document in documents() {
        // What a source states stands as it does there.
        document.figures.clear();
        for huge in [1.7e308, -1.7e308, 5e-324] {
            for row in &mut document.rows {
                row.value = row.value.map(|_| huge);
            }
            let texts = PEOPLE.map(|format| {
                let text = render(&document, format, &Style::default());
                match format {
                    Format::Html => readable(&text),
                    _ => text,
                }
            });
            let mut texts = texts.to_vec();
            texts.push(render(&document, Format::Table, &FIRST_SCREEN));
            for text in texts {
                for line in text.lines() {
                    let mut words = line.split(|c: char| !c.is_alphanumeric());
                    if words.any(|word| ["inf", "NaN"].contains(&word))
                        || line.contains("00000000000")
                    {
                        odd.push(format!("{huge:e}: {line}"));
                    }
                }
            }
        }
    }
    assert!(odd.is_empty(), "{odd:#?}");
}
