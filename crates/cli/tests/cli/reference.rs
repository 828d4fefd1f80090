//! The generated page of the command line says what `--help` says. `make reference` writes it again.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use crate::cli::support::{commands, help};

#[test]
fn the_published_help_is_fresh() {
    let mut page = String::from("# Command line\n\nWhat `--help` prints of each command.\n");
    for command in commands() {
        let name = [&["wordline".to_owned()], command.as_slice()].concat();
        let help = help(&command);
        unwrapped(&help);
        write!(page, "\n## {}\n\n```text\n{help}```\n", name.join(" ")).expect("a String");
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("../../docs/reference/command-line.md");
    if env::var_os("UPDATE_REFERENCE").is_some() {
        fs::write(&file, &page).expect("the docs folder is writable");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == page,
        "docs/reference/command-line.md is stale; run: make reference"
    );
}

/// Examples can be copied: a line that is continued ends with a backslash, and no other is broken.
fn unwrapped(help: &str) {
    let examples = help
        .lines()
        .skip_while(|line| *line != "Examples:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let mut is_continued = false;
    for line in examples {
        let begins = line.starts_with("  ") && !line.starts_with("   ");
        let is_command = begins && !line.trim_start().starts_with('-');
        assert!(
            is_command || is_continued,
            "an example is broken without a backslash: {line:?}"
        );
        is_continued = line.ends_with('\\');
    }
}
