//! The program of `docs/guides/your-c-driver.md`.

use std::fs;
use std::process::Command;

use crate::c_api::cc::{SANITIZERS, compiled_file, here, run, scratch};

/// The blocks of a language in a page, joined.
fn blocks(page: &str, language: &str) -> String {
    let opening = format!("```{language}\n");
    let parts = page.split(opening.as_str()).skip(1);
    let block = |part: &str| part.split_once("```").expect("blocks end").0.to_owned();
    parts.map(block).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_guide_prints_what_it_says() {
    let page = here("../../docs/guides/your-c-driver.md");
    let page = fs::read_to_string(page).expect("readable");
    let source = scratch("your_c_driver.c");
    let code = blocks(&page, "c");
    fs::write(&source, &code).expect("written");
    if let Some(program) = compiled_file(&source, &["-std=c99"], true) {
        assert_eq!(run(&program), blocks(&page, "text"));
        if let Some(program) = compiled_file(&source, &SANITIZERS, false) {
            run(&program);
        }
        // The check that the guide says cannot be left out.
        let blind = code.replacen("record->check == ~record->value && ", "", 1);
        assert_ne!(blind, code);
        let source = scratch("your_blind_c_driver.c");
        fs::write(&source, blind).expect("written");
        let program = compiled_file(&source, &["-std=c99"], true).expect("as above");
        let ran = Command::new(program).output().expect("runs");
        let told = String::from_utf8_lossy(&ran.stdout);
        assert!(
            !ran.status.success() && told.contains("is neither old nor new"),
            "{told}"
        );
    }
}
