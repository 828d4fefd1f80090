//! Runs the command, and makes the folders that it is run with.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;
use wordline_catalog::EMBEDDED;

pub(crate) const PART: &str = "em064lx";
pub(crate) const BOARD: &str = "stm32h755-qspi";
pub(crate) const OCTAL_BOARD: &str = "stm32h7s78-xspi";
pub(crate) const TARGET: &str = "em064lx@stm32h755-qspi";
pub(crate) const FORMATS: [&str; 4] = ["table", "json", "csv", "markdown"];

/// A run that takes a moment: two sizes, both operations.
pub(crate) const SMALL: [&str; 7] = [
    "raw",
    "--target",
    TARGET,
    "--size",
    "2KiB,4KiB",
    "--total",
    "64KiB",
];

/// What one call of the command left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wordline"));
    command.args(arguments);
    command
}

pub(crate) fn wordline(arguments: &[&str]) -> Ran {
    Ran::of(&mut command(arguments))
}

/// The same with every table and sentence on stdout.
pub(crate) fn everything(arguments: &[&str]) -> Ran {
    wordline(&[arguments, &["--all"]].concat())
}

impl Ran {
    /// Runs a command. Whatever it does, it must not panic, nor dress its text for a terminal.
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().expect("the command starts");
        let text = |bytes| String::from_utf8(bytes).expect("output is text");
        let ran = Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
        for text in [&ran.stdout, &ran.stderr] {
            let control = text
                .chars()
                .find(|c| c.is_control() && !"\n\r".contains(*c));
            assert_eq!(control, None, "{ran:?}");
        }
        ran
    }

    /// Everything was done.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Could not run: nothing on stdout, and a message with all of these words.
    #[track_caller]
    pub(crate) fn refused(self, words: &[&str]) {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        self.says(words);
    }

    /// Words of stderr, wherever its lines were wrapped.
    #[track_caller]
    pub(crate) fn says(&self, words: &[&str]) {
        let said = squeezed(&self.stderr);
        for word in words {
            assert!(
                said.contains(&squeezed(word)),
                "{word:?} is missing: {}",
                self.stderr
            );
        }
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Text without white space and the frame that messages are drawn with.
fn squeezed(text: &str) -> String {
    let framed = |c: &char| !c.is_whitespace() && !"│×".contains(*c);
    text.chars().filter(framed).collect()
}

/// What `--help` prints of a command, without spaces at line ends.
pub(crate) fn help(command: &[String]) -> String {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let text = wordline(&[&words[..], &["--help"]].concat()).done().stdout;
    let lines = text.lines().map(|line| line.trim_end().to_owned() + "\n");
    lines.collect()
}

/// Every command in the order of `--help`, the one without words first.
pub(crate) fn commands() -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let mut at = 0;
    while at < found.len() {
        let command = found[at].clone();
        at += 1;
        let help = help(&command);
        let list = help
            .split_once("\nCommands:\n")
            .map_or("", |(_, rest)| rest);
        let lines = list.lines().take_while(|line| !line.is_empty());
        let names = lines.filter_map(|line| line.strip_prefix("  ")?.split_once("  "));
        let names = names
            .map(|(name, _)| name)
            .filter(|name| !name.is_empty() && !name.starts_with(' '));
        let below = names.map(|name| [command.as_slice(), &[name.to_owned()]].concat());
        let below: Vec<_> = below.collect();
        found.splice(at..at, below);
    }
    found
}

/// The rows of one metric.
pub(crate) fn rows<'a>(document: &'a Value, metric: &str) -> Vec<&'a Value> {
    let rows = document["rows"].as_array().expect("a document has rows");
    rows.iter().filter(|row| row["metric"] == metric).collect()
}

/// The text of an embedded sheet.
pub(crate) fn sheet_text(id: &str) -> &'static str {
    let end = format!("/{id}.toml");
    let found = EMBEDDED.iter().find(|(file, _)| file.ends_with(&end));
    found.expect("an embedded sheet").1
}

/// Line, from 1, of the first occurrence of `needle`.
pub(crate) fn line_of(text: &str, needle: &str) -> usize {
    let at = text.find(needle).expect("the text has it");
    text[..at].matches('\n').count() + 1
}

/// A temporary folder of files.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        fs::write(self.0.path().join(name), content).expect("the folder is writable");
        self
    }

    /// A copy of an embedded sheet with another id and with changes, each of which must apply.
    pub(crate) fn with_sheet(self, original: &str, id: &str, changes: &[(&str, &str)]) -> Self {
        let quoted = |id: &str| format!("\"{id}\"");
        let mut text = sheet_text(original).replacen(&quoted(original), &quoted(id), 1);
        for (from, to) in changes {
            assert!(text.contains(from), "{original} has no {from}");
            text = text.replace(from, to);
        }
        self.with(&format!("{id}.toml"), text)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Path of a file in the folder, as an argument.
    pub(crate) fn file(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    pub(crate) fn argument(&self) -> String {
        self.0.path().display().to_string()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).expect("the file is there")
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.path().join(name).exists()
    }
}

/// Exports the result of a quiet command in every format, as `a.json` and so on in a folder. Nothing is said
/// on the way, and each file holds the word and does not name the folder. Returns the files.
#[track_caller]
pub(crate) fn exported(arguments: &[&str], folder: &Folder, word: &str) -> [String; 5] {
    let names = ["a.json", "a.csv", "a.md", "a.html", "a.txt"];
    let files = names.map(|name| folder.file(name));
    let mut arguments = arguments.to_vec();
    arguments.push("--quiet");
    for file in &files {
        arguments.extend(["--export", file]);
    }
    let ran = wordline(&arguments).done();
    assert_eq!(ran.stderr, "");
    for name in names {
        let text = folder.read(name);
        assert!(
            !text.contains(&folder.argument()),
            "{name} holds the folder"
        );
        assert!(text.contains(word), "{name}");
    }
    files
}
