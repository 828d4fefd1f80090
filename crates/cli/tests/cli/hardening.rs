//! Hostile surroundings: names that reach a file twice, links that loop, lines without end.

use std::fs;
use std::os::unix::fs::symlink;

use crate::cli::support::{Folder, sheet_text, wordline};

const SMALL: [&str; 6] = [
    "raw",
    "--target",
    "em064lx",
    "--total",
    "64KiB",
    "--size=2KiB",
];

#[test]
fn two_exports_to_one_file_are_refused() {
    let folder = Folder::new().with("one.json", "old");
    symlink(folder.file("one.json"), folder.file("link.csv")).expect("a link");
    for other in ["one.json", "./one.json", "link.csv"] {
        let (one, other) = (folder.file("one.json"), folder.file(other));
        let mut arguments = SMALL.to_vec();
        arguments.extend(["--export", &one, "--export", &other]);
        wordline(&arguments).refused(&["another --export names the same file"]);
        assert_eq!(folder.read("one.json"), "old");
    }
}

#[test]
fn an_export_replaces_its_file_and_leaves_no_neighbours() {
    let folder = Folder::new().with("result.json", "old");
    let mut arguments = SMALL.to_vec();
    let name = folder.file("result.json");
    arguments.extend(["--export", &name]);
    wordline(&arguments).done();
    let entries = fs::read_dir(folder.path()).expect("a folder");
    let names: Vec<_> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    assert_eq!(names, ["result.json"]);
    assert!(folder.read("result.json").starts_with('{'));
}

#[test]
fn a_folder_that_links_to_itself_is_searched_once() {
    let folder = Folder::new().with_sheet("em064lx", "mine", &[]);
    for link in ["a", "b", "c", "d"] {
        symlink(folder.path(), folder.file(link)).expect("a link");
    }
    let ran = wordline(&["part", "check", &folder.argument()]).done();
    assert!(
        ran.stdout.starts_with("sheets checked: 1, faults: 0\n"),
        "{ran:?}"
    );
}

#[test]
fn the_sheet_of_a_part_is_printed_to_the_letter() {
    let ran = wordline(&["part", "show", "em064lx", "--sheet"]).done();
    assert_eq!(ran.stdout, sheet_text("em064lx"));
}

/// The fault lies far out on one line, between characters that move a terminal's cursor.
#[test]
fn a_fault_on_an_endless_line_is_shown_in_a_few() {
    let line = format!("part = \"{}\" oops = \u{202e}\u{9b}\n", "x".repeat(200_000));
    let cut = format!("{{\"schema_version\":1,\"x\":\"{}", "y".repeat(100_000));
    let folder = Folder::new().with("line.toml", line).with("cut.json", cut);
    let ran = wordline(&["part", "check", &folder.file("line.toml")]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.len() < 3000, "{} bytes", ran.stderr.len());
    assert!(!ran.stderr.contains(['\u{202e}', '\u{9b}']));
    let ran = wordline(&["report", &folder.file("cut.json")]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.len() < 3000, "{} bytes", ran.stderr.len());
}

/// The command that a document prints makes the document again.
#[test]
fn the_printed_command_makes_the_same_document() {
    let run = |format| {
        let mut arguments = SMALL.to_vec();
        arguments.extend([
            "--age=-0",
            "--timing=sampled",
            "--seed=9",
            "--format",
            format,
        ]);
        wordline(&arguments).done().stdout
    };
    let markdown = run("markdown");
    let command = markdown
        .lines()
        .find_map(|line| line.strip_prefix("wordline raw "));
    let mut again = vec!["raw", "--format", "json"];
    again.extend(command.expect("the command").split(' '));
    let same = wordline(&again).done().stdout == run("json");
    assert!(same, "{again:?} makes another document");
}
