//! The page of a comparison: its size, its first screen, and its sliders, held against the command.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use wordline_core::results::Certainty;
use wordline_core::{LIMIT_RULES, ResultSet};

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

/// A question with every limit that is a number, near to what some candidates reach: options and their values.
const EVERY_LIMIT: [(&str, &str); 12] = [
    ("--record", "4KiB"),
    ("--duty", "10%"),
    ("--rate", "500KB/s"),
    ("--keep", "1h"),
    ("--max-ram", "64KiB"),
    ("--min-life", "5y"),
    ("--max-latency", "30ms"),
    ("--max-energy-per-day", "1200J"),
    ("--max-bytes-at-risk", "12KiB"),
    ("--max-holdup", "3mF"),
    ("--max-cost", "40EUR"),
    ("--ram-price", "0.02EUR"),
];

/// The command with a question, one option of which has another value, or is left out.
fn command(
    question: &[(&str, &str)],
    option: &str,
    value: Option<&str>,
    more: &[&str],
) -> Vec<String> {
    let mut words = vec!["compare".to_owned()];
    for &(name, usual) in question {
        let value = if name == option { value } else { Some(usual) };
        words.extend(value.map(|value| format!("{name}={value}")));
    }
    words.extend(more.iter().map(|&word| word.to_owned()));
    words
}

/// The page of a question as it is.
fn page_of(browser: &Browser, question: &[(&str, &str)], more: &[&str]) -> String {
    let words = command(question, "", None, more);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    report(browser.folder.path(), &words)
}

/// Verdicts by target and column of the data sheet: whether it passes, whether for certain, and by which limit.
type Verdicts = BTreeMap<String, Vec<(bool, bool, String)>>;

/// What the command says where an option has another value.
fn said_by_the_command(words: &[String]) -> Verdicts {
    let output = Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args(words)
        .args(["--format", "json", "--quiet"])
        .output()
        .expect("the command runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let document = ResultSet::from_json(&text).expect("a document");
    let mut verdicts = Verdicts::new();
    for verdict in &document.verdicts {
        verdicts.entry(verdict.target.clone()).or_default().push((
            verdict.pass,
            verdict.certainty == Certainty::Certain,
            verdict.limit.clone(),
        ));
    }
    verdicts
}

/// How a page's verdicts at some places of a slider compare with those of the command.
#[derive(Debug, Default)]
struct Compared {
    same: usize,
    /// Where the page says that only a run can tell.
    open: usize,
    /// Of the same ones: those that the page calls nominal.
    nominal: usize,
    wrong: Vec<String>,
    /// Limits by which the command fails what the page fails.
    limits: BTreeSet<String>,
}

/// Moves a slider of a page through some of its places, and asks the command the same.
fn compare(
    browser: &Browser,
    page: &str,
    slider: usize,
    steps: usize,
    question: &[(&str, &str)],
    more: &[&str],
) -> Compared {
    let (name, option, unit) = SLIDERS[slider];
    let script = format!("const SLIDER = \"{name}\"; const STEPS = {steps};\n{ASK}");
    let asked = browser.ask(page, WINDOW, &script);
    let mut compared = Compared::default();
    for one in asked.as_array().expect("a list") {
        let value = one["value"].as_str().expect("a number");
        let value = (value != "null").then(|| format!("{value}{unit}"));
        let words = command(question, option, value.as_deref(), more);
        let expected = said_by_the_command(&words);
        let shown = one["verdicts"].as_object().expect("verdicts");
        assert_eq!(shown.len(), expected.len(), "{value:?}");
        for (target, verdicts) in expected {
            let cells = shown[&target].as_array().expect("cells");
            assert_eq!(cells.len(), verdicts.len(), "{value:?}: {target}");
            for (cell, (pass, certain, limit)) in cells.iter().zip(verdicts) {
                let words = cell["text"].as_str().expect("words");
                let is_nominal = words.ends_with("nominal");
                // The words that say pass or FAIL alone hold throughout the ranges of the figures.
                let claims = matches!(words, "pass" | "FAIL");
                match cell["pass"].as_str() {
                    Some("undefined") => compared.open += 1,
                    Some(said) if said == pass.to_string() && (certain || !claims) => {
                        compared.same += 1;
                        compared.nominal += usize::from(is_nominal);
                        compared.limits.extend((!pass).then_some(limit));
                    }
                    _ => compared.wrong.push(format!(
                        "{target} at {option} {value:?}: {words}, and the command: {pass} by {limit}, certain: {certain}"
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

/// Flash of two kinds, an MRAM, an FRAM and a card, with prices.
const PRICED: [&str; 8] = [
    "--target",
    "w25n01gv,mt29f2g01abagd,w25q01jv,em064lx,cy15b104q,kingston-sdc4-4g",
    "--price=w25n01gv=3EUR",
    "--price=mt29f2g01abagd=4EUR",
    "--price=w25q01jv=9EUR",
    "--price=em064lx=20EUR",
    "--price=cy15b104q=12EUR",
    "--price=kingston-sdc4-4g=7EUR",
];

#[test]
fn sliders_say_what_the_command_says() {
    let Some(browser) = Browser::find() else {
        println!("{SKIPPED}");
        return;
    };
    let page = page_of(&browser, &QUESTION, &FEW);
    for (slider, steps) in [(0, 5), (1, 4), (2, 4), (3, 4)] {
        let compared = compare(&browser, &page, slider, steps, &QUESTION, &FEW);
        println!("{}: {compared:?}", SLIDERS[slider].0);
        assert_eq!(compared.wrong, [""; 0]);
        // Every candidate was run, so that the page has an answer to each of the questions.
        assert_eq!(compared.open, 0, "{compared:?}");
        assert!(compared.same >= 8 * steps, "{compared:?}");
    }
}

/// Latency, energy, bytes at risk, hold-up and cost beside RAM, life and chips: at the run's own question, and at others.
#[test]
#[ignore = "takes most of a minute; `make nightly` runs it"]
fn sliders_keep_every_limit_of_the_document() {
    let Some(browser) = Browser::find() else {
        println!("{SKIPPED}");
        return;
    };
    let page = page_of(&browser, &EVERY_LIMIT, &PRICED);
    let mut limits = BTreeSet::new();
    for (slider, steps) in [(0, 7), (1, 4), (2, 3), (3, 3)] {
        let compared = compare(&browser, &page, slider, steps, &EVERY_LIMIT, &PRICED);
        println!("{}: {compared:?}", SLIDERS[slider].0);
        assert_eq!(compared.wrong, [""; 0]);
        assert!(compared.same > 4 * compared.open, "{compared:?}");
        limits.extend(compared.limits);
    }
    // Each of them by itself, so that it decides.
    for limit in [
        ("--max-latency", "1ms"),
        ("--max-energy-per-day", "1200J"),
        ("--max-bytes-at-risk", "8KiB"),
        ("--max-holdup", "600uF"),
        ("--max-cost", "40EUR"),
    ] {
        let question = [&EVERY_LIMIT[..4], &[limit, ("--ram-price", "0.02EUR")]].concat();
        let page = page_of(&browser, &question, &PRICED);
        let compared = compare(&browser, &page, 0, 4, &question, &PRICED);
        println!("{}: {compared:?}", limit.0);
        assert_eq!(compared.wrong, [""; 0]);
        limits.extend(compared.limits);
    }
    for rule in LIMIT_RULES {
        assert!(limits.contains(rule.name), "{}: {limits:?}", rule.name);
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
    let page = page_of(&browser, &QUESTION, &[]);
    for (slider, steps) in [(1, 4), (2, 4), (3, 3), (0, 20)] {
        let compared = compare(&browser, &page, slider, steps, &QUESTION, &[]);
        println!("{}: {compared:?}", SLIDERS[slider].0);
        assert_eq!(compared.wrong, [""; 0]);
        assert!(compared.same > compared.open, "{compared:?}");
    }
}

/// The page of the whole catalogue: its size in bytes, its first screen at each width, and paper.
#[test]
#[ignore = "takes most of a minute; `make nightly` runs it"]
fn a_comparison_of_the_catalogue_answers_on_its_first_screen() {
    const BYTES_MAX: usize = 900 * 1000;
    let Some(browser) = Browser::find() else {
        println!("{SKIPPED}");
        return;
    };
    let page = page_of(&browser, &QUESTION, &[]);
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
