//! `wordline ask`: four questions, and the command that answers them.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};
use std::path::PathBuf;

use crate::args::{Global, program};
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::output;

/// A question, and the flag that its answer is for.
struct Prompt {
    text: &'static str,
    /// What an answer looks like, or which there are.
    answers: &'static str,
    flag: &'static str,
    /// What an empty answer stands for; none where it leaves the flag out.
    default: Option<&'static str>,
}

const QUESTIONS: [Prompt; 4] = [
    Prompt {
        text: "What do you write?",
        answers: "log: records in order; overwrite: anywhere; read: a boot image; read-mostly; mixed",
        flag: "--work",
        default: Some("log"),
    },
    Prompt {
        text: "How fast does it come?",
        answers: "bytes a second, such as 500KB/s or 20MB/s",
        flag: "--rate",
        default: Some("100KB/s"),
    },
    Prompt {
        text: "How long must it last?",
        answers: "such as 10y; empty: no limit",
        flag: "--min-life",
        default: None,
    },
    COST,
];

/// The question about cost where prices were given.
const COST: Prompt = Prompt {
    text: "What may the memory cost?",
    answers: "euros, such as \"5 EUR\"; empty: no limit",
    flag: "--max-cost",
    default: None,
};

/// What it says where none were given: nearly every candidate would be open by cost.
const COST_WITHOUT_PRICES: &str = "hardly a part has a price without --prices FILE: a limit leaves the others open; empty: no limit";

/// Answers that are refused before one gives up.
const TRIES: usize = 3;

pub(crate) fn run(global: Option<&Global>) -> Result<Outcome, Failure> {
    let mut command = vec!["compare".to_owned()];
    let has_prices = global.map_or(Ok(false), |global| {
        command.extend(catalogue_flags(global));
        super::price_files(global).map(|files| !files.is_empty())
    })?;
    let is_talk = io::stdin().is_terminal();
    let say = |text: &str| {
        let mut stderr = io::stderr().lock();
        // A failure here cannot be reported.
        let _ = write!(stderr, "{text}").and_then(|()| stderr.flush());
    };
    for question in &QUESTIONS {
        let Prompt {
            text,
            answers,
            flag,
            default,
        } = question;
        let answers = match *flag == COST.flag && !has_prices {
            true => COST_WITHOUT_PRICES,
            false => answers,
        };
        let usual = default.map_or_else(String::new, |default| format!(" [{default}]"));
        let mut tries = 0;
        loop {
            say(&format!("{text} ({answers}){usual} "));
            // The end of the input answers all that is left with its default.
            let answer = line()?.unwrap_or_default();
            if !is_talk {
                say("\n");
            }
            let answer = answer.trim();
            let Some(value) = Some(answer).filter(|text| !text.is_empty()).or(*default) else {
                break;
            };
            let words = [*flag, value].map(str::to_owned);
            // The flags of the command say what is allowed.
            let tried = ["wordline".to_owned()].into_iter().chain(command.clone());
            let tried = program().try_get_matches_from(tried.chain(words.clone()));
            let Err(error) = tried else {
                command.extend(words);
                break;
            };
            let error = error.to_string();
            let fault = error.lines().next().unwrap_or_default();
            tries += 1;
            if tries == TRIES || !is_talk {
                return Err(crate::failure::message(fault.trim_start_matches("error: ")));
            }
            say(&format!("{fault}\n"));
        }
    }
    let shown: Vec<String> = command.iter().map(|word| quoted(word)).collect();
    output::data(&format!("wordline {}\n", shown.join(" ")))?;
    if !is_talk {
        return Ok(Outcome::Done);
    }
    say("Run it now? [Y/n] ");
    let answer = line()?.unwrap_or_else(|| "n".to_owned());
    if !matches!(
        answer.trim().to_ascii_lowercase().as_str(),
        "" | "y" | "yes"
    ) {
        return Ok(Outcome::Done);
    }
    let words = ["wordline".to_owned()].into_iter().chain(command);
    let matches = program()
        .try_get_matches_from(words)
        .map_err(crate::failure::flags)?;
    super::run(&matches)
}

/// The flags of parts and prices, which the command takes as well.
fn catalogue_flags(global: &Global) -> Vec<String> {
    let paths = |flag: &str, paths: &[PathBuf]| {
        let words = paths
            .iter()
            .flat_map(|path| [flag.to_owned(), path.display().to_string()]);
        words.collect::<Vec<_>>()
    };
    let mut words = paths("--catalog", &global.catalog);
    words.extend(paths("--prices", &global.prices));
    let rates = global.exchange.iter();
    words.extend(rates.flat_map(|rate| ["--exchange".to_owned(), rate.clone()]));
    if global.quantity != 1 {
        words.extend(["--quantity".to_owned(), global.quantity.to_string()]);
    }
    words
}

/// The longest answer in bytes.
const ANSWER_MAX: u64 = 256;

/// The next line of the input; `None` at its end.
fn line() -> Result<Option<String>, Failure> {
    let mut bytes = Vec::new();
    let mut input = io::stdin().lock().take(ANSWER_MAX);
    let read = input.read_until(b'\n', &mut bytes);
    let read = read
        .map_err(|error| crate::failure::message(format!("the answer cannot be read: {error}")))?;
    if read as u64 == ANSWER_MAX {
        let text = format!("an answer has fewer than {ANSWER_MAX} bytes");
        return Err(crate::failure::message(text));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| crate::failure::message("the answer is not a text in UTF-8"))?;
    Ok((read > 0).then_some(text))
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    match word.contains(|c: char| c.is_whitespace() || "'\"\\$&|;<>()*?[]#~`!".contains(c)) {
        true => format!("'{}'", word.replace('\'', "'\\''")),
        false => word.to_owned(),
    }
}
