//! What is said of raw memories.

use wordline_core::Axis;
use wordline_core::results::{FigureUse, NoValue, SheetUse};
use wordline_core::{Basis, Metric, RowOperation};

use crate::html::tests::opened;
use crate::{Format, Style, answer, fixture, render};

#[test]
fn each_target_and_operation_gets_a_sentence() {
    let sentences = answer(&fixture::document(&[fixture::MRAM, fixture::NAND]));
    assert_eq!(
        sentences[1],
        "em064lx@stm32h755-qspi writes 39.4 MB/s in accesses of 2 KiB, each taking 52.0 us. \
         It reaches 59.0 MB/s in accesses of 64 KiB, each taking 1.11 ms. The memory alone spends 1.77 nJ \
         on a byte. Without pause, rated cycles last 450000 years spread over 8 MiB."
    );
    assert!(sentences[2].starts_with("mt29f1g01@stm32h755-qspi reads 7.53 MB/s in"));
    assert!(
        sentences[4].starts_with(
            "Against em064lx@stm32h755-qspi, mt29f1g01@stm32h755-qspi runs its reads at 0.19 \
             times the speed in accesses of 2 KiB and"
        ),
        "{}",
        sentences[4]
    );
    assert_eq!(sentences.len(), 6);
}

/// Many targets are ranked instead of described one by one, and no sheet gets a sentence of its own.
#[test]
fn many_targets_are_ranked() {
    let slow = |name, array_s| fixture::Target {
        name,
        array_s,
        ..fixture::NAND
    };
    let targets = [
        slow("slow@b", 9e-3),
        fixture::MRAM,
        slow("b@b", 5e-3),
        fixture::NAND,
    ];
    let sentences = answer(&fixture::document(&targets));
    let order = "em064lx@stm32h755-qspi 59.0 MB/s, mt29f1g01@stm32h755-qspi ";
    let first = format!("Read, 64 KiB, fastest first: {order}");
    assert!(sentences[0].starts_with(&first), "{}", sentences[0]);
    assert!(sentences[0].contains(", b@b ") && sentences[0].contains(", slow@b "));
    let slowest = "Read, 64 KiB, slowest access: em064lx@stm32h755-qspi 1.11 ms, ";
    assert!(sentences[1].starts_with(slowest), "{}", sentences[1]);
    assert_eq!(
        sentences.len(),
        5,
        "two for each operation, and what they rest on"
    );
}

#[test]
fn figures_that_are_no_data_sheet_figures_are_named() {
    let mut document = fixture::mram();
    let figure = |figure: &str, basis| FigureUse {
        sheet: "board".into(),
        figure: figure.into(),
        value: "typ 1 s".into(),
        basis,
        source: "s".into(),
    };
    document.sheets = vec![SheetUse {
        id: "board".into(),
        name: "B".into(),
        manufacturer: "M".into(),
        revision: "r".into(),
        embedded: true,
    }];
    document.figures = vec![
        figure("a", Basis::Assumed),
        figure("b", Basis::Datasheet),
        figure("c", Basis::Calibrated),
        figure("d", Basis::Assumed),
    ];
    let sentences = answer(&document);
    let expected = [
        "In the sheet of board, c is calibrated.",
        "In the sheet of board, a and d are assumed.",
    ];
    assert_eq!(sentences[sentences.len() - 2..], expected);
}

#[test]
fn missing_values_are_words() {
    let cases = [
        (
            Metric::ThroughputMean,
            NoValue::Failed,
            "em064lx@stm32h755-qspi, write: throughput failed.",
        ),
        (
            Metric::Lifetime,
            NoValue::Unbounded,
            "em064lx@stm32h755-qspi, write: it does not wear out.",
        ),
        (
            Metric::Cost,
            NoValue::NotApplicable,
            "em064lx@stm32h755-qspi, write: see the table.",
        ),
    ];
    for (metric, reason, expected) in cases {
        let mut document = fixture::mram();
        document.rows = vec![fixture::without_value(RowOperation::Write, metric, reason)];
        assert_eq!(answer(&document), [expected]);
    }
}

#[test]
fn a_single_size_and_other_operations_read_well() {
    let mut document = fixture::mram();
    document
        .rows
        .retain(|row| row.count(Axis::AccessBytes) == Some(4096));
    for row in &mut document.rows {
        row.operation = match row.operation {
            RowOperation::Read => RowOperation::RandomRead,
            _ => RowOperation::RandomWrite,
        };
    }
    assert_eq!(
        answer(&document)[0],
        "em064lx@stm32h755-qspi, random-read: 47.6 MB/s in accesses of 4 KiB, each taking \
         86.1 us. The memory alone spends 1.77 nJ \
         on a byte."
    );
}

#[test]
fn reads_during_an_erase_are_told_by_their_spread() {
    let sentences = answer(&fixture::during());
    assert!(
        sentences[0].contains("reads 39.4 MB/s in accesses of 2 KiB"),
        "{}",
        sentences[0]
    );
    assert_eq!(
        sentences[1],
        "em064lx@stm32h755-qspi, read, during erase, on conflict wait: half of the accesses of 2 KiB \
         take up to 75.1 ms, the slowest 150 ms. Half of the accesses of 64 KiB take up to 76.1 ms, \
         the slowest 151 ms. The work in the background takes 150 ms, undisturbed."
    );
    let suspend = &sentences[2];
    let doing = "takes up to 150 ms, 93.0 us of it for the reads.";
    assert!(suspend.ends_with(doing), "{suspend}");
}

#[test]
fn what_varies_is_named() {
    let mut document = fixture::mram();
    let mut worn = document.rows.clone();
    for row in &mut worn {
        row.age = 0.5;
    }
    document.rows.extend(worn);
    let sentences = answer(&document);
    assert_eq!(sentences.len(), 4);
    let expected = "em064lx@stm32h755-qspi (age 0.5) writes 39.4 MB/s";
    assert!(sentences[3].starts_with(expected), "{}", sentences[3]);
}

/// A new workload needs no file here to be shown: a sentence, a table with its axes, and plots.
#[test]
fn a_workload_without_a_view_is_shown_line_by_line() {
    let mut document = fixture::mram();
    for row in &mut document.rows {
        row.workload = "toy".into();
    }
    assert!(answer(&document)[0].contains("reads 39.4 MB/s in accesses of 2 KiB"));
    let table = render(&document, Format::Table, &Style::default());
    assert!(
        table.contains("em064lx@stm32h755-qspi: toy, typ timing"),
        "{table}"
    );
    let page = opened(&render(&document, Format::Html, &Style::default()));
    assert!(page.contains("<title>wordline toy: em064lx@stm32h755-qspi</title>"));
    assert!(page.contains("plot-throughput"));
}
