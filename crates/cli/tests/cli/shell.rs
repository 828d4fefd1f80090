//! What shells and `man` read is generated from the table that `--help` is generated from.

use std::process::Command;

use crate::cli::support::{Folder, commands, wordline};

#[test]
fn completions_of_every_shell_offer_the_flags_and_values_of_workloads() {
    for shell in ["bash", "zsh", "fish"] {
        let script = wordline(&["completions", shell]).done().stdout;
        for word in [
            "cache-read",
            "page-loss",
            "littlefs",
            "zippydb",
            "log-block",
            "sampled",
            "health",
        ] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    wordline(&["completions", "csh"]).refused(&["csh", "bash", "zsh", "fish"]);
}

/// Asks bash itself what it offers, where there is one.
#[test]
fn bash_takes_its_completions_and_offers_values() {
    let script = wordline(&["completions", "bash"]).done().stdout;
    let folder = Folder::new().with("wordline.bash", &script);
    let file = folder.file("wordline.bash");
    let Ok(checked) = Command::new("bash").args(["-n", &file]).output() else {
        eprintln!("there is no bash here: its completions are not run");
        return;
    };
    assert!(checked.status.success(), "{checked:?}");
    let offered = |words: &str, at: u32| {
        let ask = format!(
            "source '{file}'; COMP_WORDS=({words}); COMP_CWORD={at}; \
             _wordline wordline \"${{COMP_WORDS[at]}}\" \"${{COMP_WORDS[$(({at} - 1))]}}\"; echo \"${{COMPREPLY[@]}}\""
        )
        .replace("COMP_WORDS[at]", &format!("COMP_WORDS[{at}]"));
        let output = Command::new("bash").args(["-c", &ask]).output();
        String::from_utf8(output.expect("bash runs").stdout).expect("text")
    };
    assert_eq!(offered("wordline raw --operation ''", 3), "read write\n");
    assert_eq!(offered("wordline raw --cache-p", 2), "--cache-program\n");
    assert_eq!(offered("wordline fs bench --fs l", 4), "littlefs\n");
}

#[test]
fn every_command_has_a_man_page() {
    let folder = Folder::new();
    wordline(&["man", &folder.argument()]).done();
    let commands = commands();
    for command in &commands {
        let name = ["wordline", &command.join("-")].join("-");
        let page = folder.read(&format!("{}.1", name.trim_end_matches('-')));
        assert!(page.contains(".SH SYNOPSIS"), "{name}: {page}");
    }
    let pages = std::fs::read_dir(folder.path()).expect("readable").count();
    assert_eq!(pages, commands.len());
    let missing = folder.file("missing");
    wordline(&["man", &missing]).refused(&[&missing, "cannot be written"]);
}
