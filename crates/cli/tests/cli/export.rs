//! `--export`: the format is that of the extension, and is settled before anything runs.

use crate::cli::support::{Folder, SMALL, everything, wordline};

#[test]
fn each_extension_has_its_format() {
    let folder = Folder::new();
    let names = ["a.json", "a.csv", "a.md", "a.html", "a.txt"];
    let files = names.map(|name| folder.file(name));
    let mut arguments = SMALL.to_vec();
    for file in &files {
        arguments.extend(["--export", file]);
    }
    let ran = wordline(&arguments).done();
    for file in &files {
        assert!(ran.stderr.contains(&format!("wrote {file}\n")), "{ran:?}");
    }
    for (name, format) in [
        ("a.json", "json"),
        ("a.csv", "csv"),
        ("a.md", "markdown"),
        ("a.txt", "table"),
    ] {
        let stdout = everything(&[&SMALL[..], &["--format", format]].concat())
            .done()
            .stdout;
        assert_eq!(folder.read(name), stdout, "{name}");
    }
    let page = folder.read("a.html");
    assert!(page.to_ascii_lowercase().starts_with("<!doctype html>"));
    for remote in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!page.contains(remote), "the page loads {remote}");
    }
}

#[test]
fn quiet_exports_say_nothing() {
    let folder = Folder::new();
    let file = folder.file("a.JSON");
    let ran = wordline(&[&SMALL[..], &["--quiet", "--export", &file]].concat()).done();
    assert_eq!(ran.stderr, "");
    assert!(folder.has("a.JSON"));
}

/// The good name beside each bad one must not be written.
#[test]
fn names_that_cannot_be_written_are_refused_before_running() {
    let folder = Folder::new();
    let good = folder.file("good.json");
    let bad = [
        ("a.xlsx", "allowed: json, csv, md, html, txt"),
        ("json", "allowed: json, csv, md, html, txt"),
        (".json", "allowed: json, csv, md, html, txt"),
        ("a.", "allowed: json, csv, md, html, txt"),
        ("missing/a.json", "there is no folder"),
    ];
    for (name, words) in bad {
        let file = folder.file(name);
        wordline(&[&SMALL[..], &["--export", &good, "--export", &file]].concat())
            .refused(&[&file, words]);
    }
    let itself = Folder::new();
    std::fs::create_dir(itself.path().join("a.json")).expect("writable");
    let file = itself.file("a.json");
    wordline(&[&SMALL[..], &["--export", &good, "--export", &file]].concat())
        .refused(&[&file, "this is a folder"]);
    assert!(!folder.has("good.json"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let folder = Folder::new();
    let full = folder.file("full.json");
    std::os::unix::fs::symlink("/dev/full", &full).expect("a link can be made");
    let after = folder.file("after.csv");
    let ran = wordline(&[&SMALL[..], &["--export", &full, "--export", &after]].concat());
    assert_eq!(ran.code, Some(2), "{ran:?}");
    ran.says(&[&full, "cannot be written"]);
    assert!(
        folder.has("after.csv"),
        "the other export is written all the same"
    );
}
