//! Sheets that lack figures: what the loader adds, where it stands, and what a user's file may say of it.

use toml::de::DeTable;
use wordline_core::Basis;

use super::*;
use crate::{Catalog, Part, Sheet, SheetError, parse};

/// The sheet of a part without the lines that begin with some keys, and with lines in front of the first table.
fn text(id: &str, without: &[&str], more: &str) -> String {
    let end = format!("/{id}.toml");
    let found = crate::EMBEDDED
        .iter()
        .find(|(file, _)| file.ends_with(&end));
    let (_, text) = found.expect("embedded");
    let is_kept = |line: &&str| {
        !without
            .iter()
            .any(|key| line.starts_with(&format!("{key} = ")))
    };
    let kept: Vec<_> = text.lines().filter(is_kept).collect();
    assert_eq!(text.lines().count() - kept.len(), without.len(), "{id}");
    format!("{more}{}\n", kept.join("\n"))
}

fn part(text: &str) -> Part {
    match parse("my-part.toml", text) {
        Ok(Sheet::Part(part)) => *part,
        Ok(other) => panic!("{other:?}"),
        Err(errors) => panic!("{}", errors[0]),
    }
}

fn errors(text: &str) -> Vec<SheetError> {
    parse("my-part.toml", text).map_or_else(|errors| errors, |_| Vec::new())
}

#[test]
fn what_a_sheet_lacks_has_a_sample_and_a_range() {
    let part = part(&text(
        "mt25ql128",
        &["page_program", "byte_program_first", "byte_program_next"],
        "",
    ));
    let found = part
        .figures
        .iter()
        .find(|figure| figure.figure == "nor.page_program");
    let found = found.expect("it is estimated");
    assert_eq!(found.basis, Basis::Estimated);
    assert!(
        found.value.starts_with("typ ") && found.value.contains("range "),
        "{}",
        found.value
    );
    let words = [
        "page program of ",
        " serial NOR parts: typ ",
        ", max ",
        " in nine of ten",
    ];
    assert!(
        words.iter().all(|words| found.source.contains(words)),
        "{}",
        found.source
    );
    // The completed text is a sheet that says the same, and to which nothing is added.
    let again = parse("my-part.toml", &part.header.text);
    let Ok(Sheet::Part(again)) = again else {
        panic!("{again:?}");
    };
    assert_eq!(again.header.text, part.header.text);
    assert_eq!(again.figures[..], part.figures[..]);
}

#[test]
fn a_family_comes_before_the_kind() {
    let lacks = [
        "family",
        "page_program",
        "byte_program_first",
        "byte_program_next",
    ];
    let of = |family: &str| {
        let part = part(&text(
            "mt25ql128",
            &lacks,
            &format!("family = {family:?}\n"),
        ));
        let figures = part.figures.iter();
        let source = figures.filter(|figure| figure.figure == "nor.page_program");
        source
            .map(|figure| figure.source.clone())
            .next()
            .expect("estimated")
    };
    assert!(
        of("W25Q-JV").contains(" parts of its family W25Q-JV and "),
        "{}",
        of("W25Q-JV")
    );
    // A family that the catalogue does not have is none.
    assert!(!of("X25Y").contains("family"), "{}", of("X25Y"));
}

#[test]
fn a_figure_keeps_the_order_of_its_columns() {
    let catalog = Catalog::load(&[]).expect("sound");
    let mut seen = 0;
    for part in catalog.parts() {
        let tree = tree(&part.header.text).expect("sound");
        let slots = slots(&tree);
        let columns = |table: &DeTable<'_>| {
            let si = |key: &str| {
                let text = table.get(key)?.get_ref().as_str()?.to_owned();
                text.parse::<wordline_core::quantity::Time>().ok()
            };
            si("typ").zip(si("max"))
        };
        for (typ, max) in slots.iter().filter_map(|slot| columns(slot.stated?)) {
            assert!(typ <= max, "{}", part.header.id);
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

/// What a largest value may be begins at the typical value, wherever the distribution of the column itself begins.
#[test]
fn the_range_of_an_estimated_maximum_reaches_no_lower_than_the_typical_value() {
    let catalog = Catalog::load(&[]).expect("sound");
    let mut at_typ = 0;
    for part in catalog.parts() {
        let tree = tree(&part.header.text).expect("sound");
        for slot in slots(&tree) {
            let Some(table) = slot.stated else {
                continue;
            };
            let least = table
                .get("max_range")
                .and_then(|range| range.get_ref().as_array()?.first()?.get_ref().as_str());
            let typ = table.get("typ").and_then(|typ| typ.get_ref().as_str());
            let (Some(least), Some(typ)) = (least, typ) else {
                continue;
            };
            at_typ += usize::from(least == typ);
            let time = |text: &str| text.parse::<wordline_core::quantity::Time>().ok();
            if let Some((least, typ)) = time(least).zip(time(typ)) {
                assert!(typ <= least, "{}: {}", part.header.id, slot.path);
            }
        }
    }
    assert!(at_typ > 0, "no distribution begins below a typical value");
}

/// Each mistake in a table `[estimated]` of a user's, the words of the message, and the text it points at.
#[test]
fn a_table_of_the_users_is_checked() {
    let figure = "{ typ = \"300 us\", basis = \"estimated\", source = \"s\" }";
    let cases = [
        (
            format!("\"nor.page_program\" = {figure}"),
            "nor.page_program: the sheet states it itself",
            "\"nor.page_program\"",
        ),
        (
            format!("\"nor.erase.0.duration\" = {figure}"),
            "nor.erase.0.duration: the sheet states it itself",
            "\"nor.erase.0",
        ),
        (
            format!("\"nor.erase.9.duration\" = {figure}"),
            "the sheet has no table nor.erase.9",
            "\"nor.erase.9",
        ),
        (
            format!("\"nand.page_program\" = {figure}"),
            "the sheet has no table nand",
            "\"nand.page",
        ),
        (
            format!("page_program = {figure}"),
            "allowed: the place of a figure",
            "page_program",
        ),
        (
            "\"nor.page_program\" = { typ = \"300 us\", source = \"s\" }".to_owned(),
            "allowed: a figure with basis = \"estimated\"",
            "{ typ",
        ),
        (
            format!("\"nor.page_porgram\" = {figure}"),
            "nor.page_porgram: not a figure that is estimated of this part; allowed: nor.",
            "\"nor.page_porgram\"",
        ),
        (
            format!("\"nor.capacity_limit\" = {figure}"),
            "nor.capacity_limit: not a figure that is estimated",
            "\"nor.capacity_limit\"",
        ),
    ];
    for (line, words, place) in cases {
        let errors = errors(&(text("mt25ql128", &[], "") + "[estimated]\n" + &line + "\n"));
        let error = errors.first().unwrap_or_else(|| panic!("{line} passes"));
        assert!(error.message.contains(words), "{line}: {}", error.message);
        let pointed = &error.text[error.span.clone()];
        assert!(pointed.starts_with(place), "{line}: points at {pointed:?}");
    }
    let errors = errors(&format!("estimated = 3\n{}", text("mt25ql128", &[], "")));
    assert!(
        errors[0]
            .message
            .contains("estimated is a table of figures"),
        "{}",
        errors[0]
    );
}

#[test]
fn what_has_too_few_relatives_is_asked_for() {
    let errors = errors(&text("mt28ew512", &["power_up", "endurance"], ""));
    let words = "missing field `power_up`, which too few parts of its family or kind state";
    // Endurance is estimated from all flash; the wait of a parallel chip has no sample.
    assert!(
        errors.iter().any(|error| error.message.contains(words)),
        "{errors:?}"
    );
}
