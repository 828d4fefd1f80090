//! `wordline io replay`, `io show` and, where this host lets it, `io record`.

use std::path::Path;

use crate::cli::support::{Folder, Ran, command, rows, wordline};
use crate::house::root;

/// A trace that comes along.
fn example(name: &str) -> String {
    let path = root().join("examples").join(name);
    path.to_str().expect("text").to_owned()
}

#[test]
fn a_replayed_trace_is_answered_on_one_screen() {
    let trace = example("sqlite-wal.wft");
    let ran = wordline(&["io", "replay", &trace, "--target", "mt25ql128,em064lx"]).done();
    assert!(ran.stdout.starts_with("Take "), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("calls of sqlite-wal.wft take"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.lines().count() <= 24, "{}", ran.stdout);
    assert!(
        ran.stdout.lines().all(|line| line.chars().count() <= 100),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_text_of_a_trace_plays_as_the_trace_does() {
    let trace = example("sqlite-wal.wft");
    let text = wordline(&["io", "show", &trace]).done().stdout;
    let folder = Folder::new().with("sqlite-wal.wft", text);
    let copy = folder.file("sqlite-wal.wft");
    let played = |trace: &str| {
        let arguments = [
            "io", "replay", trace, "--target", "em064lx", "--on", "littlefs", "--format", "json",
        ];
        wordline(&arguments).done().stdout
    };
    assert_eq!(played(&trace), played(&copy));
    let short = wordline(&["io", "show", &trace, "--limit", "2"])
        .done()
        .stdout;
    assert!(
        short.contains("more calls") && short.ends_with("end\n"),
        "{short}"
    );
}

#[test]
fn traces_that_cannot_be_used_are_refused_with_their_place() {
    let whole = std::fs::read(example("git-commit.wft")).expect("it comes along");
    let folder = Folder::new()
        .with("cut.wft", &whole[..1000])
        .with("other.wft", "some text\n")
        .with(
            "wrong.txt",
            "wordline file trace 1\n1 open 0 create /a\n1 read 0 0 9 9\nend\n",
        );
    for (file, words) in [
        (
            "cut.wft",
            &["cut.wft, byte 1000: the trace is cut short"][..],
        ),
        (
            "other.wft",
            &[
                "other.wft, byte 0: this is no file trace",
                "wordline io record",
            ],
        ),
        (
            "wrong.txt",
            &["wrong.txt, line 3, call 2 (1 read 0 0 9 9): it reads what nothing wrote"],
        ),
        ("none.wft", &["none.wft", "No such file"]),
    ] {
        let file = folder.file(file);
        wordline(&["io", "replay", &file, "--target", "em064lx"]).refused(words);
        wordline(&["io", "show", &file, "--limit", "0"]).says(words);
    }
}

#[test]
fn a_trace_that_does_not_fit_exits_with_one() {
    let trace = example("sqlite-journal.wft");
    let arguments = [
        "io",
        "replay",
        &trace,
        "--target",
        "em064lx",
        "--on",
        "littlefs",
        "--capacity",
        "16KiB",
    ];
    let ran = wordline(&arguments);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stdout.contains("does not run on littlefs"),
        "{}",
        ran.stdout
    );
}

/// Records a program, where this host mounts.
#[cfg(target_os = "linux")]
fn recorded(arguments: &[&str]) -> Option<Ran> {
    let ran = Ran::of(&mut command(&[&["io", "record"], arguments].concat()));
    if ran.stderr.contains("the kernel mounts nothing") {
        return None;
    }
    Some(ran)
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_is_recorded_and_played() {
    if !Path::new("/dev/fuse").exists() {
        return;
    }
    let folder = Folder::new();
    let trace = folder.file("log.wft");
    let script = "mkdir d; printf 12345 > d/new; cat d/new; printf 678 >> d/new; sync d/new; mv d/new d/log; exit 0";
    let Some(ran) = recorded(&["--output", &trace, "--", "sh", "-c", script]) else {
        return;
    };
    let ran = ran.done();
    assert!(
        ran.stderr.contains("12345"),
        "what it prints is on stderr: {ran:?}"
    );
    assert!(ran.stdout.contains("create-dir"), "{ran:?}");
    assert!(!Path::new(&format!("{trace}.files")).exists());
    let text = wordline(&["io", "show", &trace]).done().stdout;
    for call in [
        "create-dir /d",
        "create /d/new",
        "write",
        "rename /d/new /d/log",
        " 0 5 ",
        " 5 3 ",
    ] {
        assert!(text.contains(call), "{call}: {text}");
    }
    let syncs = text
        .lines()
        .filter(|line| line.split(' ').nth(1) == Some("sync"));
    assert_eq!(syncs.count(), 1, "a close syncs nothing: {text}");
    let arguments = [
        "io",
        "replay",
        &trace,
        "--target",
        "mt25ql128",
        "--format",
        "json",
    ];
    let played = wordline(&arguments).done().json();
    for row in rows(&played, "access_count") {
        if row["operation"] == "sync" {
            assert_eq!(row["value"], 1.0, "{row}");
        }
    }
    // What is there is never written over.
    let again = recorded(&["--output", &trace, "--", "true"]).expect("it was mounted before");
    again.refused(&["--output", "log.wft", "File exists"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_fails_leaves_its_trace_and_one_that_is_not_there_leaves_none() {
    if !Path::new("/dev/fuse").exists() {
        return;
    }
    let folder = Folder::new();
    let trace = folder.file("a.wft");
    let Some(ran) = recorded(&[
        "--output",
        &trace,
        "--",
        "sh",
        "-c",
        "echo x > {}/f; exit 3",
    ]) else {
        return;
    };
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["exit status: 3", "hint", "--cached"]);
    wordline(&["io", "show", &trace]).done();
    let none = folder.file("b.wft");
    let ran =
        recorded(&["--output", &none, "--", "/no/such/program"]).expect("it was mounted before");
    ran.refused(&["/no/such/program", "cannot be started"]);
    assert!(!Path::new(&none).exists() && !Path::new(&format!("{none}.files")).exists());
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_recording_cannot_hold_is_refused_to_the_program() {
    if !Path::new("/dev/fuse").exists() {
        return;
    }
    let folder = Folder::new();
    let program = |name: &str, size: &str, script: &str| {
        let trace = folder.file(name);
        let ran = recorded(&["--output", &trace, "--size", size, "--", "sh", "-c", script])?;
        wordline(&["io", "show", &trace]).done();
        Some(ran)
    };
    // Each directory is made from the one above, so that only the recording sees how deep it is.
    let name = "d".repeat(100);
    let deep = format!("while mkdir {name} && cd -P {name}; do :; done; exit 4");
    let Some(ran) = program("deep.wft", "1MiB", &deep) else {
        return;
    };
    ran.says(&["File name too long", "exit status: 4"]);
    let sparse =
        program("sparse.wft", "1MiB", "truncate -s 100G f").expect("it was mounted before");
    sparse.says(&["No space left on device"]);
    let none = program("none.wft", "0B", "dd if=/dev/zero of=f bs=10 count=1")
        .expect("it was mounted before");
    none.says(&["No space left on device"]);
}
