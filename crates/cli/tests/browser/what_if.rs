//! The page of a comparison: its size, its first screen, and its sliders, held against the command.

use std::collections::BTreeMap;
use std::process::Command;

use wordline_core::ResultSet;

use super::chromium::{Browser, SKIPPED, Window, report};
use super::look;

const ASK: &str = include_str!("ask.js");

const WINDOW: Window = Window {
    width: 1280,
    height: 800,
    is_dark: false,
};

/// The question: options and their values.
const QUESTION: [(&str, &str); 6] = [
    ("--record", "4KiB"),
    ("--duty", "10%"),
    ("--rate", "500KB/s"),
    ("--keep", "1h"),
    ("--max-ram", "16KiB"),
    ("--min-life", "10y"),
];

/// Each slider with its option and the unit of its values.
const SLIDERS: [(&str, &str, &str); 4] = [
    ("rate", "--rate", "B/s"),
    ("keep", "--keep", "s"),
    ("ram", "--max-ram", "B"),
    ("life", "--min-life", "s"),
];

/// The command with the question, one option of which has another value, or is left out.
fn command(option: &str, value: Option<&str>, more: &[&str]) -> Vec<String> {
    let mut words = vec!["compare".to_owned()];
    for (name, usual) in QUESTION {
        let value = if name == option { value } else { Some(usual) };
        words.extend(value.map(|value| format!("{name}={value}")));
    }
    words.extend(more.iter().map(|&word| word.to_owned()));
    words
}

/// The page of the question as it is.
fn page_of(browser: &Browser, more: &[&str]) -> String {
    let words = command("", None, more);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    report(browser.folder.path(), &words)
}

/// Verdicts by target and column of the data sheet.
type Verdicts = BTreeMap<String, Vec<bool>>;

/// What the command says where an option has another value.
fn said_by_the_command(option: &str, value: Option<&str>, more: &[&str]) -> Verdicts {
    let output = Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args(command(option, value, more))
        .args(["--format", "json", "--quiet"])
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

/// Moves a slider of a page through some of its places, and asks the command the same.
fn compare(browser: &Browser, page: &str, slider: usize, steps: usize, more: &[&str]) -> Compared {
    let (name, option, unit) = SLIDERS[slider];
    let script = format!("const SLIDER = \"{name}\"; const STEPS = {steps};\n{ASK}");
    let asked = browser.ask(page, WINDOW, &script);
    let mut compared = Compared::default();
    for one in asked.as_array().expect("a list") {
        let value = one["value"].as_str().expect("a number");
        let value = (value != "null").then(|| format!("{value}{unit}"));
        let expected = said_by_the_command(option, value.as_deref(), more);
        let shown = one["verdicts"].as_object().expect("verdicts");
        assert_eq!(shown.len(), expected.len(), "{value:?}");
        for (target, passes) in expected {
            let cells = shown[&target].as_array().expect("cells");
            assert_eq!(cells.len(), passes.len(), "{value:?}: {target}");
            for (cell, pass) in cells.iter().zip(passes) {
                let words = cell[1].as_str().expect("words");
                match cell[0].as_str() {
                    Some("undefined") => compared.open += 1,
                    Some(said) if said == pass.to_string() => compared.same += 1,
                    _ if words.starts_with('≈') => compared.estimates_off += 1,
                    _ => compared.wrong.push(format!(
                        "{target} at {option} {value:?}: {words}, and the command: {pass}"
                    )),
                }
            }
        }
    }
    compared
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
    let page = page_of(&browser, &FEW);
    for (slider, steps) in [(0, 5), (1, 4), (2, 4), (3, 4)] {
        let compared = compare(&browser, &page, slider, steps, &FEW);
        println!("{}: {compared:?}", SLIDERS[slider].0);
        assert_eq!(compared.wrong, [""; 0]);
        // Every candidate was run, so that the page has an answer to each of the questions.
        assert_eq!(compared.open, 0, "{compared:?}");
        assert!(compared.same >= 8 * steps, "{compared:?}");
    }
}

/// The whole catalogue, at twenty rates and some places of the other sliders: it takes minutes.
#[test]
#[ignore = "runs the whole catalogue for thirty questions"]
fn sliders_say_what_the_command_says_of_the_whole_catalogue() {
    let Some(browser) = Browser::find() else {
        println!("{SKIPPED}");
        return;
    };
    let page = page_of(&browser, &[]);
    for (slider, steps) in [(1, 4), (2, 4), (3, 3), (0, 20)] {
        let compared = compare(&browser, &page, slider, steps, &[]);
        println!("{}: {compared:?}", SLIDERS[slider].0);
        assert_eq!(compared.wrong, [""; 0]);
        assert!(compared.same > compared.open, "{compared:?}");
    }
}

/// The page of the whole catalogue: its size in bytes, its first screen at each width, and paper.
#[test]
fn a_comparison_of_the_catalogue_answers_on_its_first_screen() {
    const BYTES_MAX: usize = 900 * 1000;
    let Some(browser) = Browser::find() else {
        println!("{SKIPPED}");
        return;
    };
    let page = page_of(&browser, &[]);
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
