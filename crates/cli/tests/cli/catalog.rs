//! `wordline part list`, `wordline part show` and `wordline doctor` in every format.

use serde_json::Value;

use crate::cli::support::{BOARD, FORMATS, Folder, OCTAL_BOARD, PART, wordline};

#[test]
fn the_list_names_every_part_and_board_in_every_format() {
    for format in FORMATS {
        let ran = wordline(&["part", "list", "--all", "--format", format]).done();
        for id in [PART, BOARD, OCTAL_BOARD] {
            assert!(ran.stdout.contains(id), "{format}: {ran:?}");
        }
        assert_eq!(ran.stderr, "");
    }
    let list = wordline(&["part", "list", "--format", "json"])
        .done()
        .json();
    let part = list
        .as_array()
        .and_then(|list| list.iter().find(|line| line["id"] == PART));
    let part = part.expect("the part is listed");
    assert_eq!(part["kind"], "mram");
    assert_eq!(part["default board"], BOARD);
}

#[test]
fn dram_is_listed_by_kind_and_shown_with_its_clocks_and_choices() {
    let list = wordline(&["part", "list", "--format", "json"])
        .done()
        .json();
    let kind = |id: &str| {
        let list = list.as_array().expect("a list");
        let line = list.iter().find(|line| line["id"] == id);
        line.unwrap_or_else(|| panic!("{id} is listed"))["kind"].clone()
    };
    assert_eq!(kind("ddr5-32gb"), "die");
    assert_eq!(kind("mrdimm-8800-2rx4-128g"), "module");
    assert_eq!(kind("xeon6-1s"), "system");
    let show = |id| {
        wordline(&["part", "show", id, "--format", "json"])
            .done()
            .json()
    };
    let module = show("rdimm-6400-2rx4-128g");
    let timing = &module["dram"]["timing"];
    assert_eq!(
        (&timing["A"]["nck"]["CL"], &timing["B"]["nck"]["CL"]),
        (&46.into(), &52.into())
    );
    assert!(
        timing["B"]["nck"]["RD-WR"].is_null(),
        "the system decides that"
    );
    let target = show("mrdimm-8800-2rx4-128g@xeon6-1s");
    assert_eq!(target["dram"]["timing"]["B"]["nck"]["tFAW"], 32);
    assert_eq!(target["dram"]["timing"]["B"]["nck"]["pair RD-WR"], 21);
    let choices = target["dram"]["choices"].as_array().expect("choices");
    let beats = choices
        .iter()
        .find(|choice| choice["name"] == "beat_return");
    assert_eq!(
        beats.expect("a choice")["alternatives"],
        serde_json::json!(["sequential"])
    );
    for id in [
        "ddr5-24gb",
        "xeon6-1s",
        "rdimm-6400-2rx4-128g",
        "mrdimm-8800-2rx4-128g@xeon6-1s",
    ] {
        for format in FORMATS {
            let ran = wordline(&["part", "show", id, "--format", format]).done();
            assert!(ran.stdout.lines().count() > 15, "{id} {format}: {ran:?}");
        }
    }
    wordline(&["part", "show", "rdimm-6400-2rx4-128g@nowhere"])
        .refused(&["unknown system", "wordline part list"]);
}

#[test]
fn a_users_folder_joins_the_list() {
    let sheets = Folder::new().with_sheet(PART, "mine", &[]);
    let catalog = sheets.argument();
    let ran = wordline(&["part", "list", "--catalog", &catalog, "--format", "csv"]).done();
    assert!(ran.stdout.contains("\nmine,mram,"), "{ran:?}");
    wordline(&["part", "show", "mine", "--catalog", &catalog]).done();
}

#[test]
fn a_sheet_is_shown_with_the_source_of_every_figure_in_every_format() {
    for id in [PART, BOARD, OCTAL_BOARD, "em064lx@stm32h7s78-xspi"] {
        for format in FORMATS {
            let ran = wordline(&["part", "show", id, "--format", format]).done();
            assert!(ran.stdout.lines().count() > 7, "{id} {format}: {ran:?}");
            assert_eq!(ran.stderr, "");
        }
        let page = wordline(&["part", "show", id, "--format", "json"])
            .done()
            .json();
        let figures = page["figures"].as_array().expect("figures");
        assert!(!figures.is_empty());
        for figure in figures {
            for key in ["figure", "value", "basis", "source"] {
                let text = figure[key].as_str();
                assert!(text.is_some_and(|text| !text.is_empty()), "{id}: {figure}");
            }
        }
    }
}

#[test]
fn a_part_is_shown_as_it_works_on_its_board() {
    let show = |id| {
        wordline(&["part", "show", id, "--format", "json"])
            .done()
            .json()
    };
    let link = |page: &Value, key: &str| page["link"]["commands"][1][key].clone();
    let default = show(PART);
    assert_eq!(default["link"]["board"], BOARD);
    assert_eq!(link(&default, "mode"), "1S-4S-4S");
    assert_eq!(link(&default, "data_rate_bytes_per_s"), 60e6);
    let octal = show("em064lx@stm32h7s78-xspi");
    assert_eq!(link(&octal, "mode"), "8D-8D-8D");
    assert_eq!(link(&octal, "data_rate_bytes_per_s"), 400e6);
    assert_eq!(show(BOARD)["link"], Value::Null);
}

#[test]
fn unknown_ids_are_answered_with_the_nearest_of_any_kind() {
    let words = ["unknown name \"em064l\"; did you mean em064lx?"];
    wordline(&["part", "show", "em064l"]).refused(&words);
    let words = ["unknown name \"xeon6-3s\"; did you mean xeon6-1s or xeon6-2s?"];
    wordline(&["part", "show", "xeon6-3s"]).refused(&words);
    let words = ["unknown board \"nowhere\"", "wordline part list names all"];
    wordline(&["part", "show", "em064lx@nowhere"]).refused(&words);
    wordline(&["part", "show"]).refused(&["<ID>"]);
}

#[test]
fn the_doctor_answers_in_every_format() {
    for format in FORMATS {
        let ran = wordline(&["doctor", "--format", format]).done();
        assert!(!ran.stdout.is_empty());
    }
    let findings = wordline(&["doctor", "--format", "json"]).done().json();
    assert!(findings.as_array().is_some_and(|list| !list.is_empty()));
}

#[test]
fn help_and_version_go_to_stdout() {
    for arguments in [
        &["--help"][..],
        &["raw", "--help"],
        &["sql", "bench", "--help"],
        &["sql", "tune", "-h"],
        &["part", "check", "-h"],
        &["--version"],
    ] {
        let ran = wordline(arguments).done();
        assert!(!ran.stdout.is_empty() && ran.stderr.is_empty(), "{ran:?}");
    }
}
