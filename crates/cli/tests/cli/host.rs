//! `wordline host` from end to end: what does not depend on the machine.

use crate::cli::support::{Folder, wordline};

const SMALL: [&str; 8] = [
    "host",
    "loaded",
    "--delay",
    "0,1000",
    "--samples",
    "2000",
    "--size",
    "8MiB",
];

#[test]
fn a_measured_curve_is_saved_in_the_form_of_mess() {
    let folder = Folder::new();
    let file = folder.file("curves.csv");
    let ran = wordline(&[&SMALL[..], &["--pages", "base", "--quiet", "--mess", &file]].concat());
    // One core neither loads nor measures.
    if ran.stderr.contains("needs 2 processors") {
        return;
    }
    // 1: a busy machine may make figures that are refused.
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    let text = folder.read("curves.csv");
    assert!(
        text.starts_with("read_pct_rounded,pause,bandwidth_mean,"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 3, "{text}");
    wordline(&[&SMALL[..], &["--mess", "curves.xls"]].concat())
        .refused(&["the extension says another form; allowed: csv, txt"]);
}

#[test]
fn a_processor_that_is_not_there_is_named() {
    for test in ["latency", "bandwidth"] {
        wordline(&["host", test, "--size", "1MiB", "--cpu", "60000"])
            .refused(&["this process may not run on CPU 60000"]);
    }
}
