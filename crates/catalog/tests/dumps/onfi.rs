//! Dumps of ONFI parameter pages beside the sheets of their parts.

use std::fs;
use std::path::PathBuf;

use wordline_catalog::import::batch::{BatchItem, DumpOutcome, ImportBatch};
use wordline_catalog::import::{DumpIndex, IndexEntry};

use super::root;

fn folder() -> PathBuf {
    root().join("tests/data/onfi")
}

/// The sheet that the catalogue has of a part.
fn sheet(part: &str) -> Option<String> {
    fs::read_to_string(root().join(format!("parts/nand/{part}.toml"))).ok()
}

fn entries() -> Vec<IndexEntry> {
    let text = fs::read_to_string(folder().join("INDEX.tsv")).expect("it is checked in");
    let index: DumpIndex = text.parse().expect("a sound index");
    index.entries
}

/// Each dump beside the sheet of its part, by itself.
fn items() -> Vec<BatchItem> {
    let item = |entry: &IndexEntry| {
        let part = entry.claims.part.clone().expect("each has one");
        let known = sheet(&part).map(|text| (part, text));
        let file = fs::read(folder().join(&entry.file)).expect("it is checked in");
        ImportBatch::against(known).add(entry, &file)
    };
    entries().iter().map(item).collect()
}

/// Sheets of NAND parts are written by hand, as their pages leave more to say; they say nothing against them.
#[test]
fn pages_agree_with_the_sheets_of_their_parts_but_for_what_is_known() {
    for item in items() {
        let differences = item.disagreements.iter();
        let differences: Vec<_> = differences
            .map(|one| (one.figure.as_str(), one.page.as_str(), one.sheet.as_str()))
            .collect();
        match item.file.as_str() {
            "w25n01gv.hex" => {
                let DumpOutcome::Refused(reasons) = &item.outcome else {
                    panic!("{item:?}");
                };
                let reason = reasons[0].to_string();
                assert!(reason.contains("ends after 254 bytes"), "{reason}");
            }
            // The page states the read without its ECC, the sheet the read with it.
            "w25n01gv-crc-computed.hex" => {
                assert_eq!(differences, [("nand.page_read.max", "50 us", "60 us")]);
            }
            _ => assert_eq!(differences, [], "{}", item.file),
        }
    }
}

#[test]
fn pages_make_the_lines_of_their_sheets() {
    let item = items().pop().expect("four");
    let DumpOutcome::Made { part, sheet: made } = &item.outcome else {
        panic!("{item:?}");
    };
    let kept = sheet(part).expect("in the catalogue");
    let header = ["revision", "description"];
    for line in made.lines() {
        let of_header = header.iter().any(|key| line.starts_with(key));
        assert!(of_header || kept.contains(line), "{part}: {line}");
    }
}
