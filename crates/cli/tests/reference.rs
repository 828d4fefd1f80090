//! The generated page of the command line says what `--help` says. `make reference` writes it again.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

const COMMANDS: [&[&str]; 24] = [
    &[],
    &["raw"],
    &["wear"],
    &["wear", "health"],
    &["fs"],
    &["fs", "bench"],
    &["fs", "mount"],
    &["kv"],
    &["kv", "bench"],
    &["kv", "crash"],
    &["kv", "dump"],
    &["dram"],
    &["dram", "idle"],
    &["dram", "bandwidth"],
    &["dram", "loaded"],
    &["dram", "trace"],
    &["part"],
    &["part", "list"],
    &["part", "show"],
    &["part", "import"],
    &["part", "fit"],
    &["part", "check"],
    &["reproduce"],
    &["report"],
];

fn help(command: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_wordline"))
        .args(command)
        .arg("--help")
        .output()
        .expect("the command runs");
    assert!(output.status.success(), "{command:?}");
    let text = String::from_utf8(output.stdout).expect("help is text");
    text.lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

#[test]
fn the_published_help_is_fresh() {
    let mut page = String::from("# Command line\n\nWhat `--help` prints of each command.\n");
    for command in COMMANDS.iter().chain([&["doctor"] as &[&str]].iter()) {
        let name = [&["wordline"], *command].concat().join(" ");
        write!(page, "\n## {name}\n\n```text\n{}```\n", help(command)).expect("a String");
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
