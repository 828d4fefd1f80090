//! Bands over the draws that a machine which was measured allows.

use std::fs;

use wordline_catalog::Catalog;
use wordline_core::{Axis, Band, DramTest, Metric, Mix, ResultSet};
use wordline_lab::{Control, run};

use super::support::{bandwidth, dram};

const RDIMM: &str = "rdimm-6400-2rx4-64g@measured-1ch";
const MRDIMM: &str = "mrdimm-8800-2rx4-64g@measured-1ch";

/// A band of reads on a system of one channel and its cores, which is else as xeon6-1s and was measured at so much.
fn judged(measured: &str, within: &str, targets: [&str; 2]) -> ResultSet {
    let embedded = Catalog::load(&[]).expect("the embedded sheets are sound");
    let system = embedded.system("xeon6-1s").expect("it exists");
    let mut text = system.header.text.to_string();
    for (old, new) in [
        ("system = \"xeon6-1s\"", "system = \"measured-1ch\""),
        ("channels = { value = 12,", "channels = { value = 1,"),
        ("cores = { value = 128,", "cores = { value = 12,"),
        ("typ = \"563 GB/s\"", &format!("typ = \"{measured}\"")),
        ("within = \"4 %\"", &format!("within = \"{within}\"")),
    ] {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
    }
    let folder = tempfile::tempdir().expect("a place for files");
    fs::write(folder.path().join("measured-1ch.toml"), text).expect("it can be written");
    let catalog = Catalog::load(&[folder.path().to_owned()]).expect("the sheet is sound");
    let mut experiment = bandwidth(&[Mix::Reads], Band::Reads);
    experiment.targets = targets.map(str::to_owned).into();
    let dram = dram(&mut experiment);
    dram.measure_ps = 2_000_000;
    dram.settings.clear();
    if let DramTest::Bandwidth(test) = &mut dram.test {
        test.draws = 12;
    }
    let document = run(&catalog, &experiment, &Control::default()).expect("it runs");
    assert_eq!(document.check(), Ok(()));
    document
}

/// A value of the rows that compare with the first target.
fn compared(document: &ResultSet, metric: Metric, estimate: Option<&str>) -> Option<f64> {
    let mut rows = document.of(metric);
    let row =
        rows.find(|row| row.axes.contains_key(&Axis::Over) && row.text(Axis::Estimate) == estimate);
    row?.value
}

/// The spread of what was measured is no wider than it may be, and the document says which draws that leaves.
#[test]
fn draws_that_do_not_give_what_was_measured_are_set_aside() {
    let document = judged("44 GB/s", "10 %", [RDIMM, MRDIMM]);
    let kept = compared(&document, Metric::DrawCount, None).expect("a count");
    let drawn = compared(&document, Metric::DrawCount, Some("drawn")).expect("a count");
    assert!(
        (8.0..drawn).contains(&kept) && drawn <= 48.0,
        "{kept} of {drawn}"
    );
    for end in ["drawn_p5", "drawn_median", "drawn_p95"] {
        let mut rows = document.of(Metric::ThroughputMean);
        let row = rows.find(|row| row.target == RDIMM && row.text(Axis::Estimate) == Some(end));
        let value = row.and_then(|row| row.value).expect("a number");
        assert!((39.6e9..=48.4e9).contains(&value), "{end}: {value}");
    }
    let measured = document.of(Metric::ThroughputMeasured).next();
    let measured = measured.expect("it is stated");
    assert_eq!(measured.text(Axis::MeasuredModule), Some(RDIMM));
    assert_eq!(measured.value, Some(44e9));
    let said = document
        .warnings
        .iter()
        .filter(|one| one.advice.contains("the band is theirs"));
    assert_eq!(said.count(), 1, "{:?}", document.warnings);
}

/// What no draw gives sets nothing aside, and a warning says so.
#[test]
fn a_measurement_that_no_draw_gives_decides_nothing() {
    let document = judged(
        "20 GB/s",
        "1 %",
        [MRDIMM, "mrdimm-8800-2rx4-128g@measured-1ch"],
    );
    assert_eq!(compared(&document, Metric::DrawCount, None), Some(12.0));
    assert_eq!(compared(&document, Metric::DrawCount, Some("drawn")), None);
    assert_eq!(document.of(Metric::ThroughputMeasured).count(), 0);
    // What was measured is no target.
    assert!(document.rows.iter().all(|row| row.target != RDIMM));
    let said = document
        .warnings
        .iter()
        .filter(|one| one.advice.contains("whatever they give"));
    assert_eq!(said.count(), 1, "{:?}", document.warnings);
}
