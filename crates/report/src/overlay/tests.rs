//! Several documents together: which curves are shared, how they are named, and what is said where there is none.

use wordline_core::results::{AxisValue, ResultSet};
use wordline_core::{Axis, Basis, Metric};

use super::*;
use crate::fixture;
use crate::format::Detail;
use crate::html::tests::{opened, readable};

fn named(name: &str, document: ResultSet) -> NamedDocument {
    let name = name.to_owned();
    NamedDocument { name, document }
}

/// A simulated document as if a machine had measured it: one target, in the workload `host`, a little slower.
fn as_measured(mut document: ResultSet) -> ResultSet {
    let first = document.rows[0].target.clone();
    document.rows.retain(|row| row.target == first);
    for row in &mut document.rows {
        row.target = "ram@host".to_owned();
        row.part = "ram".to_owned();
        row.board = "host".to_owned();
        row.workload = "host".to_owned();
        row.basis = Basis::Measured;
        row.axes.remove(&Axis::Over);
        let slower = matches!(row.metric, Metric::LatencyMean | Metric::LatencyKnee);
        row.value = row
            .value
            .map(|value| if slower { 1.1 * value } else { value });
    }
    document.experiment.targets = vec!["ram@host".to_owned()];
    document
}

fn loaded() -> [NamedDocument; 2] {
    let simulated = fixture::dram_loaded();
    [
        named("quiet.json", as_measured(simulated.clone())),
        named("dram.json", simulated),
    ]
}

fn rendered(documents: &[NamedDocument], format: Format, detail: Detail) -> String {
    let overlay = Overlay::of(documents).expect("something in common");
    let style = Style {
        width: Some(100),
        detail,
        ..Style::default()
    };
    overlay.render(format, &style, "wordline report quiet.json dram.json")
}

#[test]
fn the_first_screen_compares_where_all_curves_reach() {
    let documents = loaded();
    let text = rendered(&documents, Format::Table, Detail::Answer);
    assert!(text.lines().count() <= 24, "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    insta::assert_snapshot!(text);
}

#[test]
fn everything_ends_with_each_document_by_itself() {
    let documents = loaded();
    insta::assert_snapshot!(rendered(&documents, Format::Table, Detail::All));
    insta::assert_snapshot!(rendered(&documents, Format::Markdown, Detail::All));
}

#[test]
fn curves_in_characters_name_their_basis_by_a_letter() {
    let documents = loaded();
    let overlay = Overlay::of(&documents).expect("something in common");
    let style = Style {
        width: Some(100),
        detail: Detail::Answer,
        plots: true,
        ..Style::default()
    };
    let text = overlay.render(Format::Table, &style, "");
    assert!(text.contains(" M ram@host"), "{text}");
    assert!(text.contains(" S mrdimm-8800"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_page_tells_measured_from_simulated_without_colour() {
    let documents = loaded();
    let page = rendered(&documents, Format::Html, Detail::All);
    let open = opened(&page);
    assert!(
        open.contains(r#""shape":{"signed":{"is_hollow":false,"symbol":0}}"#),
        "{open}"
    );
    assert!(
        open.contains(r#""shape":{"signed":{"is_hollow":true,"symbol":1}}"#),
        "{open}"
    );
    assert!(
        open.contains(r#""dash":[1,0,1,0],"name":"ram@host, measured""#),
        "{open}"
    );
    assert!(
        open.contains(r#""dash":[7,4,7,4],"name":"rdimm-6400-2rx4-128g@xeon6-1s, simulated""#),
        "{open}"
    );
    insta::assert_snapshot!(
        readable(&page)
            .split_once("</style>")
            .expect("a style")
            .1
            .to_owned()
    );
}

#[test]
fn bars_of_what_was_measured_are_filled() {
    let simulated = fixture::dram_bandwidth();
    let documents = [
        named("m.json", as_measured(simulated.clone())),
        named("s.json", simulated),
    ];
    let open = opened(&rendered(&documents, Format::Html, Detail::All));
    assert!(open.contains(r#""hollow":[1,2]"#), "{open}");
    insta::assert_snapshot!(rendered(&documents, Format::Table, Detail::Answer));
}

#[test]
fn every_kind_that_two_documents_share_is_shown() {
    let idle = fixture::dram_idle();
    let mut both = fixture::dram_bandwidth();
    both.rows.extend(idle.rows.clone());
    let documents = [
        named("both.json", both),
        named("measured.json", as_measured(idle)),
        named("b.json", fixture::dram_bandwidth()),
    ];
    let overlay = Overlay::of(&documents).expect("two kinds");
    let kinds: Vec<&str> = overlay.shared.iter().map(|one| one.kind.id).collect();
    assert_eq!(kinds, ["bandwidth", "idle"]);
    let text = rendered(&documents, Format::Table, Detail::Answer);
    for said in [
        "measured.json has no bandwidth by mix",
        "b.json has no latency without load",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn buffers_of_a_log_and_of_a_target_share_their_curve() {
    let documents = [
        named("log.json", fixture::log(&[2e6])),
        named("sim.json", fixture::buffer(&[2e6])),
    ];
    insta::assert_snapshot!(rendered(&documents, Format::Table, Detail::Answer));
}

#[test]
fn raw_memories_share_throughput_over_size() {
    let documents = [
        named("mram.json", fixture::mram()),
        named("nand.json", fixture::document(&[fixture::NAND])),
    ];
    insta::assert_snapshot!(rendered(&documents, Format::Table, Detail::Answer));
}

#[test]
fn a_measured_curve_beside_a_simulation_is_a_curve_of_its_own() {
    let mut simulated = fixture::dram_loaded();
    let points: Vec<_> = simulated
        .rows
        .iter()
        .filter(|row| {
            let is_point =
                row.axes.contains_key(&Axis::DelayCycles) && !row.axes.contains_key(&Axis::Over);
            is_point && row.metric == Metric::LatencyMean
        })
        .cloned()
        .collect();
    for mut row in points {
        row.axes
            .insert(Axis::Estimate, AxisValue::Text("measured".into()));
        row.basis = Basis::Measured;
        row.value = row.value.map(|value| 1.2 * value);
        simulated.rows.push(row);
    }
    let documents = [
        named("against.json", simulated),
        named("other.json", fixture::dram_loaded()),
    ];
    let overlay = Overlay::of(&documents).expect("loaded curves");
    let bases: Vec<Basis> = overlay.shared[0]
        .curves
        .iter()
        .map(|one| one.basis)
        .collect();
    let (simulated, measured) = (Basis::Simulated, Basis::Measured);
    assert_eq!(
        bases,
        [
            simulated, measured, simulated, measured, simulated, simulated
        ]
    );
    // The one target is in two documents, so that names tell which.
    let label = overlay.shared[0].label(&overlay, &overlay.shared[0].curves[4]);
    assert_eq!(label, "rdimm-6400-2rx4-128g in other.json");
}

#[test]
fn nothing_in_common_says_what_there_is() {
    let documents = [
        named("idle.json", fixture::dram_idle()),
        named("loaded.json", fixture::dram_loaded()),
        named("life.json", fixture::wear()),
    ];
    let error = Overlay::of(&documents)
        .expect_err("nothing shared")
        .to_string();
    for said in [
        "idle.json has latency without load",
        "loaded.json has latency under load",
        "life.json (wordline wear) has no curve",
        "`wordline diff` compares two results of one command",
    ] {
        assert!(error.contains(said), "{said}: {error}");
    }
}

#[test]
fn one_document_alone_shares_nothing_with_itself() {
    let documents = [named("a.json", fixture::dram_loaded())];
    assert!(Overlay::of(&documents).is_err());
}

#[test]
fn copies_and_incomplete_documents_are_named() {
    let mut cut = fixture::dram_loaded();
    cut.complete = false;
    let documents = [
        named("a.json", fixture::dram_loaded()),
        named("b.json", cut),
    ];
    let text = rendered(&documents, Format::Table, Detail::Answer);
    assert!(
        text.starts_with("b.json: Incomplete: the run was interrupted"),
        "{text}"
    );
    assert!(
        text.contains("b.json holds the same rows as a.json: their curves coincide"),
        "{text}"
    );
}

#[test]
fn a_hundred_documents_fit_the_first_screen_and_are_all_in_the_table() {
    let document = fixture::dram_idle();
    let documents: Vec<_> = (0..100)
        .map(|index| {
            let mut own = document.clone();
            for row in own
                .rows
                .iter_mut()
                .filter(|row| row.metric == Metric::LatencyMean)
            {
                row.value = row
                    .value
                    .map(|value| value * (1.0 + f64::from(index) / 1000.0));
            }
            own.complete = index % 2 == 0;
            named(&format!("run-{index:02}.json"), own)
        })
        .collect();
    let text = rendered(&documents, Format::Table, Detail::Answer);
    assert!(text.lines().count() <= 24, "{text}");
    assert!(text.contains("over 200 curves"), "{text}");
    let all = rendered(&documents, Format::Table, Detail::All);
    assert!(all.contains("run-99.json"));
    let page = opened(&rendered(&documents, Format::Html, Detail::All));
    assert!(
        page.contains("The first 16 of 200; the tables hold the others."),
        "the caption"
    );
}

#[test]
fn data_formats_name_the_document_of_each_row() {
    let documents = loaded();
    let rows: usize = documents.iter().map(|one| one.document.rows.len()).sum();
    let csv = rendered(&documents, Format::Csv, Detail::All);
    assert!(csv.starts_with("document,target,part,"), "{}", &csv[..80]);
    assert_eq!(csv.lines().count(), rows + 1);
    let json: serde_json::Value =
        serde_json::from_str(&rendered(&documents, Format::Json, Detail::All)).expect("JSON");
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(rows));
    assert_eq!(json["rows"][0]["document"], "quiet.json");
    assert_eq!(json["rows"][0]["basis"], "measured");
    assert_eq!(json["curves"][0]["kind"], "loaded");
    assert_eq!(json["documents"][1]["complete"], true);
    assert!(
        json["answer"]["sentence"]
            .as_str()
            .is_some_and(|text| text.contains("ram@host")),
        "{json}"
    );
}

#[test]
fn hostile_names_and_rows_stay_text() {
    let mut hostile = fixture::dram_loaded();
    for row in &mut hostile.rows {
        row.target = row.target.replace("rdimm", fixture::HOSTILE);
    }
    let documents = [
        named(fixture::HOSTILE, hostile.clone()),
        named("b.json", hostile),
    ];
    let page = rendered(&documents, Format::Html, Detail::All);
    for forbidden in ["<script>alert", "<img", "\u{1b}", "\u{2028}"] {
        assert!(!page.contains(forbidden), "{forbidden:?}");
    }
    for format in [Format::Table, Format::Markdown, Format::Csv] {
        let text = rendered(&documents, format, Detail::All);
        assert!(!text.contains(['\u{1b}', '\u{2028}']), "{format}");
    }
}

#[test]
fn sentences_are_short() {
    let simulated = fixture::dram_bandwidth();
    let sets = [
        loaded().to_vec(),
        vec![
            named("m.json", as_measured(simulated.clone())),
            named("s.json", simulated),
        ],
        vec![
            named("log.json", fixture::log(&[2e6])),
            named("sim.json", fixture::buffer(&[2e6])),
        ],
    ];
    for documents in sets {
        let overlay = Overlay::of(&documents).expect("something in common");
        for shared in &overlay.shared {
            let sentence = shared.sentence(&overlay);
            assert!(sentence.split_whitespace().count() <= 25, "{sentence}");
        }
    }
}
