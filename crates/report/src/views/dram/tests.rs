//! What people see of documents about memory modules.

use wordline_core::{Axis, Metric};

use super::points;
use crate::answer::answer;
use crate::format::Format;
use crate::view::Shown;
use crate::{Style, fixture, render};

fn titles(document: &wordline_core::ResultSet) -> Vec<String> {
    Shown::of(document)
        .tables(None)
        .iter()
        .map(|grid| grid.title().to_owned())
        .collect()
}

#[test]
fn bandwidth_is_told_with_its_gain_its_band_and_its_reasons() {
    insta::assert_snapshot!(render(
        &fixture::dram_bandwidth(),
        Format::Table,
        &Style::default()
    ));
}

#[test]
fn a_loaded_memory_is_told_by_its_curve() {
    insta::assert_snapshot!(render(
        &fixture::dram_loaded(),
        Format::Table,
        &Style::default()
    ));
}

#[test]
fn latency_without_load_is_told_by_its_parts() {
    insta::assert_snapshot!(render(
        &fixture::dram_idle(),
        Format::Table,
        &Style::default()
    ));
}

#[test]
fn a_replayed_trace_is_told_side_by_side() {
    insta::assert_snapshot!(render(
        &fixture::dram_trace(),
        Format::Table,
        &Style::default()
    ));
}

/// The parts of a gain add up to it, as the registry promises; the page must not show another sum.
#[test]
fn parts_of_the_gain_add_up() {
    let document = fixture::dram_bandwidth();
    let ratios = document
        .of(Metric::ThroughputRatio)
        .filter(|row| !row.axes.contains_key(&Axis::Estimate));
    for row in ratios {
        let mix = row.text(Axis::Mix);
        let parts = document
            .of(Metric::ThroughputRatioPart)
            .filter(|part| part.text(Axis::Mix) == mix);
        let sum: f64 = parts.filter_map(|part| part.value).sum();
        let gain = row.value.expect("a number") - 1.0;
        assert!((sum - gain).abs() < 1e-12, "{mix:?}: {sum} against {gain}");
    }
}

#[test]
fn a_single_module_is_compared_with_nothing() {
    let mut document = fixture::dram_bandwidth();
    document
        .rows
        .retain(|row| row.part.starts_with("rdimm") && !row.axes.contains_key(&Axis::Over));
    let titles = titles(&document);
    assert!(
        !titles.iter().any(|title| title.contains("gain")),
        "{titles:?}"
    );
    let told = answer(&document).join("\n");
    assert!(
        told.contains("rdimm-6400-2rx4-128g@xeon6-1s carries 565 GB/s of reads, 92.0 % of what"),
        "{told}"
    );
    assert!(!told.contains(" over "), "{told}");
}

#[test]
fn modules_on_several_systems_keep_their_full_names() {
    let mut document = fixture::dram_bandwidth();
    for row in &mut document.rows {
        if row.part.starts_with("mrdimm") {
            row.target = row.target.replace("xeon6-1s", "next");
            row.board = "next".into();
        }
    }
    let columns: Vec<_> = Shown::of(&document).tables(None)[0]
        .columns()
        .iter()
        .map(|column| column.name.clone())
        .collect();
    assert_eq!(
        columns[1..3],
        [
            "rdimm-6400-2rx4-128g@xeon6-1s",
            "mrdimm-8800-2rx4-128g@next"
        ]
    );
}

/// Few lines under way, little waiting: the cores are the bound, and the buffers a reason.
#[test]
fn what_binds_is_told() {
    let mut document = fixture::dram_bandwidth();
    for row in &mut document.rows {
        if row.metric == Metric::ThroughputBound {
            row.value = Some(1.0);
        }
        if row.metric == Metric::ThroughputRatioPart && row.text(Axis::Cause) == Some("bus_rate") {
            row.axes.insert(Axis::Cause, "buffer".into());
        }
    }
    let told = answer(&document).join("\n");
    let bound = "(Little's law): the lines that the cores can have under way are the bound.";
    assert!(told.contains(bound), "{told}");
    assert!(
        told.contains("comes from: register and buffers +37.5 %"),
        "{told}"
    );
    assert!(!told.contains("the DRAM is the bound"), "{told}");
}

/// Where the cores pause, no memory is the reason.
#[test]
fn what_the_cores_do_not_ask_for_is_told_of_the_greatest_load() {
    let mut document = fixture::dram_loaded();
    let rows = &mut document.rows;
    rows.retain(|row| row.metric != Metric::ThroughputRatioPart);
    for row in rows.iter_mut() {
        if row.metric == Metric::ThroughputBound {
            row.value = Some(3.0);
        }
    }
    let told = answer(&document).join("\n");
    let both = "The cores ask no more of rdimm-6400-2rx4-128g and mrdimm-8800-2rx4-128g.";
    assert!(told.contains(both), "{told}");
    document
        .rows
        .retain(|row| row.metric != Metric::ThroughputBound || row.part.starts_with("mrdimm"));
    let told = answer(&document).join("\n");
    assert!(told.contains("no more of mrdimm-8800-2rx4-128g."), "{told}");
}

#[test]
fn points_have_a_sign_and_no_negative_zero() {
    assert_eq!(points(0.381), "+38.1 %");
    assert_eq!(points(-0.005), "-0.5 %");
    assert_eq!(points(-1e-9), "+0.0 %");
}

/// The throughput of a knee may be reckoned otherwise than that of its point.
#[test]
fn the_point_at_the_knee_is_found_whatever_its_last_digits() {
    let mut document = fixture::dram_loaded();
    for row in &mut document.rows {
        if row.metric == Metric::ThroughputKnee {
            row.value = row.value.map(|knee| knee * (1.0 + f64::EPSILON));
        }
    }
    let grids = Shown::of(&document).tables(None);
    let of = |title: &str| grids.iter().find(|grid| grid.title().starts_with(title));
    for title in ["What requests waited for", "Reads that took no longer"] {
        let rows = of(title).expect("a table").rows();
        let loads: Vec<&str> = rows.iter().map(|row| row[1].as_str()).collect();
        let all = ["least load", "at the knee", "greatest load"];
        assert_eq!(loads, [all, all].concat(), "{title}");
    }
}
