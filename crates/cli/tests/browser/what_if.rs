//! The page of a comparison: its size, its first screen, and its sliders, held against the command.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;
use wordline_core::ResultSet;

use super::chromium::{Browser, SKIPPED, Window, report};
use super::look;

const ASK: &str = include_str!("ask.js");

const WINDOW: Window = Window {
    width: 1280,
    height: 800,
    is_dark: false,
};

/// The question but for its rate.
const QUESTION: [&str; 11] = [
    "compare",
    "--record",
    "4KiB",
    "--keep",
    "1h",
    "--duty",
    "10%",
    "--max-ram",
    "16KiB",
    "--min-life",
    "10y",
];

/// Verdicts by target and column of the data sheet.
type Verdicts = BTreeMap<String, Vec<bool>>;

/// What the command says at a rate.
fn said_by_the_command(rate: &str, more: &[&str]) -> Verdicts {
    let output = Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args(QUESTION)
        .args(["--rate", rate, "--format", "json", "--quiet"])
        .args(more)
        .output()
        .expect("the command runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let document = ResultSet::from_json(&text).expect("a document");
    let mut verdicts = Verdicts::new();
    for verdict in &document.verdicts {
        verdicts
            .entry(verdict.target.clone())
            .or_default()
            .push(verdict.pass);
    }
    verdicts
}

/// How a page's verdicts at some rates compare with those of the command.
#[derive(Debug, Default)]
struct Compared {
    same: usize,
    /// Where the page says that only a run can tell.
    open: usize,
    /// Of memories with firmware, which the page marks as estimates.
    estimates_off: usize,
    wrong: Vec<String>,
}

fn compare(asked: &Value, more: &[&str]) -> Compared {
    let mut compared = Compared::default();
    for one in asked.as_array().expect("a list") {
        let rate = one["value"].as_str().expect("a number");
        let expected = said_by_the_command(&format!("{rate}B/s"), more);
        let shown = one["verdicts"].as_object().expect("verdicts");
        assert_eq!(shown.len(), expected.len(), "{rate}");
        for (target, passes) in expected {
            let cells = shown[&target].as_array().expect("cells");
            assert_eq!(cells.len(), passes.len(), "{rate}: {target}");
            for (cell, pass) in cells.iter().zip(passes) {
                let words = cell[1].as_str().expect("words");
                match cell[0].as_str() {
                    Some("undefined") => compared.open += 1,
                    Some(said) if said == pass.to_string() => compared.same += 1,
                    _ if words.starts_with('≈') => compared.estimates_off += 1,
                    _ => compared.wrong.push(format!(
                        "{target} at {rate} B/s: {words}, and the command: {pass}"
                    )),
                }
            }
        }
    }
    compared
}

fn moved(browser: &Browser, page: &str, steps: usize) -> Value {
    let script = format!("const SLIDER = \"rate\"; const STEPS = {steps};\n{ASK}");
    browser.ask(page, WINDOW, &script)
}

/// Flash whose RAM is by the rate, memories without an erase, a chip that is too small, and a card.
const FEW: [&str; 2] = [
    "--target",
    "w25n01gv,mt29f2g01abagd,w25q01jv,cy15b104q,kingston-sdc4-4g",
];

#[test]
fn sliders_say_what_the_command_says() {
    let Some(browser) = Browser::find() else {
        println!("{SKIPPED}");
        return;
    };
    let base = [&QUESTION[..], &["--rate", "500KB/s"], &FEW].concat();
    let page = report(browser.folder.path(), &base);
    let compared = compare(&moved(&browser, &page, 5), &FEW);
    assert_eq!(compared.wrong, [""; 0]);
    // Every candidate was run, so that the page has an answer at each of the rates.
    assert_eq!(compared.open, 0, "{compared:?}");
    assert!(compared.same >= 40, "{compared:?}");
}

/// The whole catalogue, at twenty rates: it takes minutes.
#[test]
#[ignore = "runs the whole catalogue at twenty rates"]
fn sliders_say_what_the_command_says_of_the_whole_catalogue() {
    let Some(browser) = Browser::find() else {
        println!("{SKIPPED}");
        return;
    };
    let base = [&QUESTION[..], &["--rate", "500KB/s"]].concat();
    let page = report(browser.folder.path(), &base);
    let compared = compare(&moved(&browser, &page, 20), &[]);
    println!("{compared:?}");
    assert_eq!(compared.wrong, [""; 0]);
    assert!(compared.same > 4 * compared.open, "{compared:?}");
}

/// The page of the whole catalogue: its size in bytes, its first screen at each width, and paper.
#[test]
fn a_comparison_of_the_catalogue_answers_on_its_first_screen() {
    const BYTES_MAX: usize = 900 * 1000;
    let Some(browser) = Browser::find() else {
        println!("{SKIPPED}");
        return;
    };
    let base = [&QUESTION[..], &["--rate", "500KB/s"]].concat();
    let page = report(browser.folder.path(), &base);
    assert!(page.len() <= BYTES_MAX, "{} bytes", page.len());
    let seen = browser.open(&page, "#tab=curves&rate=300000&ram=none");
    assert!(seen.console.is_empty(), "{:?}", seen.console);
    assert!(seen.dom.contains("--rate 300KB/s without --max-ram"));
    let said = look(&browser, &page, 4);
    println!("{} bytes, ready in {} ms", page.len(), said["ready_ms"]);
    let pages = browser.printed(&page);
    println!("{pages} pages of paper");
    assert!(pages <= 4, "{pages} pages");
}
