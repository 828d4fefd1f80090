//! Guides say what to type: every command of a guide runs as it stands there.

use std::path::Path;

use crate::cli::support::wordline;

/// The commands of a guide: indented or fenced lines that begin with the program's name, with what continues them.
fn commands(guide: &str) -> Vec<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("../../docs/guides").join(guide);
    let text = std::fs::read_to_string(&file).expect("the guide is there");
    let text = text.replace("\\\n", " ");
    let lines = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("wordline "));
    lines
        // A mount waits for programs, and has tests of its own.
        .filter(|line| !line.starts_with("fs mount"))
        // Few machines have raw flash, and none to spare.
        .filter(|line| !line.contains(" mtd:"))
        // The log is the reader's own; reading one has tests of its own.
        .filter(|line| !line.starts_with("wear health"))
        .map(|line| line.split_whitespace().map(str::to_owned).collect())
        .collect()
}

#[test]
fn every_command_about_cards_runs() {
    every_command_runs("sd-card-or-nand.md", 8);
}

#[test]
fn every_command_about_layers_runs() {
    every_command_runs("fat-on-nand.md", 3);
}

#[test]
fn every_command_about_file_systems_runs() {
    every_command_runs("file-systems.md", 3);
}

#[test]
fn every_command_about_wear_runs() {
    every_command_runs("how-long-flash-lasts.md", 5);
}

/// Runs the commands of a guide, which are so many at least.
fn every_command_runs(guide: &str, least: usize) {
    let commands = commands(guide);
    assert!(commands.len() >= least, "{commands:?}");
    for command in commands {
        let mut words: Vec<&str> = command.iter().map(String::as_str).collect();
        words.extend(["--quiet", "--format", "json"]);
        let ran = wordline(&words);
        assert_eq!(ran.code, Some(0), "{command:?}: {}", ran.stderr);
        let document: serde_json::Value = serde_json::from_str(&ran.stdout).expect("a document");
        let rows = document["rows"].as_array().expect("rows");
        assert!(!rows.is_empty(), "{command:?}");
        let failed = |row: &serde_json::Value| row["no_value"] == "failed";
        assert!(!rows.iter().any(failed), "{command:?}: a run failed");
    }
}
