//! The repository holds together: documents name paths that exist and read in short sentences, every file of tests is
//! run, and type names have one meaning.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("it is in the repository")
}

/// Files and folders of the repository relative to its root, without build outputs.
pub(crate) fn paths() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder of the repository") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().to_string_lossy().into_owned();
            if matches!(name.as_str(), "target" | ".git" | "out") {
                continue;
            }
            let path = match folder.as_str() {
                "" => name,
                folder => format!("{folder}/{name}"),
            };
            if entry.file_type().expect("its type").is_dir() {
                folders.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}

/// `a/{b,c}.rs` as `a/b.rs` and `a/c.rs`.
fn expanded(token: &str) -> Vec<String> {
    let Some((before, rest)) = token.split_once('{') else {
        return vec![token.to_owned()];
    };
    let (alternatives, after) = rest.split_once('}').expect("a closing brace");
    let all = alternatives.split(',');
    all.flat_map(|one| expanded(&format!("{before}{one}{after}")))
        .collect()
}

/// What a document has in backticks and looks like a path: it has a slash, or ends as a file does.
fn named_paths(document: &str) -> Vec<String> {
    let is_path = |token: &&str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-/{},".contains(c);
        let ends = [".rs", ".toml", ".md", ".h"];
        token.chars().all(plain)
            && token.contains(|c: char| c.is_ascii_lowercase())
            && (token.trim_end_matches('/').contains('/')
                || ends.iter().any(|end| token.ends_with(end)))
    };
    let tokens = document.split('`').skip(1).step_by(2);
    let tokens = tokens.filter(is_path).flat_map(expanded);
    tokens
        .map(|token| token.trim_end_matches('/').to_owned())
        .collect()
}

#[test]
fn documents_for_engineers_name_paths_that_exist() {
    let paths = paths();
    let mut missing = Vec::new();
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let named = named_paths(&text(document));
        assert!(named.len() > 20, "{document} names {named:?}");
        for token in named {
            let end = format!("/{token}");
            let exists = |path: &String| *path == token || path.ends_with(&end);
            if !paths.iter().any(exists) {
                missing.push(format!("{document}: {token}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Crates with one test binary say so, and a file that its `all.rs` does not name would never run.
#[test]
fn every_file_of_tests_is_run() {
    for krate in fs::read_dir(root().join("crates")).expect("the crates") {
        let krate = krate.expect("a crate").path();
        let manifest = fs::read_to_string(krate.join("Cargo.toml")).expect("a manifest");
        if !manifest.contains("autotests = false") {
            continue;
        }
        let all = fs::read_to_string(krate.join("tests/all.rs")).expect("its modules");
        for entry in fs::read_dir(krate.join("tests")).expect("its tests") {
            let path = entry.expect("an entry").path();
            let stem = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            let is_module =
                path.extension().is_some_and(|end| end == "rs") || path.join("mod.rs").is_file();
            assert!(
                !path.join("main.rs").exists(),
                "{}: a folder of tests is a module of all.rs: name its first file mod.rs",
                path.display()
            );
            if is_module && stem != "all" {
                assert!(
                    all.contains(&format!("mod {stem};")),
                    "{}: tests/all.rs does not name it, so it is never run",
                    path.display()
                );
            }
        }
    }
}

/// Type names that have a meaning in more than one crate, and why neither of them is another word.
const SHARED_NAMES: [(&str, &str); 18] = [
    (
        "Board",
        "the sheet of one, and what a driver needs of it: the same thing at two ends of the catalogue",
    ),
    (
        "CacheLevel",
        "of the filter that a trace passes, and of the machine at hand: the same thing, simulated and found",
    ),
    (
        "Case",
        "of the runner, and the private case of a workload, which each file names for itself",
    ),
    (
        "Command",
        "of DDR5 in its standard, and of the command line",
    ),
    (
        "Entry",
        "of a directory of files, and of the directory of a hash table",
    ),
    (
        "Geometry",
        "of a flash memory, and of a hash table: each is its field's word",
    ),
    (
        "Guide",
        "documentation alone: guides that are compiled so that their examples run",
    ),
    (
        "Ledger",
        "time that a card's controller owes, private to it, and what disturbs a measurement",
    ),
    (
        "Options",
        "of the C interface, of a table, and of `reproduce`: each is the options of its own module",
    ),
    (
        "PageSize",
        "of virtual memory, in the sheet of a system and of the machine at hand: the same thing",
    ),
    (
        "Part",
        "a sheet of the catalogue, and the subcommand `part`",
    ),
    ("Plan", "of accesses, and of a wear test: both private"),
    (
        "Report",
        "of the crash harness, and the subcommand `report`",
    ),
    (
        "Sequence",
        "of a published table, and of values in a search: both private",
    ),
    (
        "Subject",
        "what a crash harness tests, and the columns that rows of a run share: both private to their crates",
    ),
    (
        "Timing",
        "a class of a sheet's figures, and the rules of a DRAM channel in clocks",
    ),
    (
        "Topology",
        "which cores reach which channels of a system, and what the machine at hand is made of",
    ),
    (
        "Verdict",
        "of limits, of a crash check, and of a published value",
    ),
];

/// Types of the product, without tests: where each name is defined at the margin of a file, or as a public enum of a
/// macro's.
fn type_definitions() -> std::collections::BTreeMap<String, Vec<String>> {
    let mut found = std::collections::BTreeMap::<String, Vec<String>>::new();
    for path in paths() {
        let is_test = |part: &str| {
            matches!(
                part,
                "tests" | "fixture" | "fixture.rs" | "fixtures" | "power_cuts"
            ) || part == "tests.rs"
                || part.ends_with("_tests.rs")
        };
        let is_product =
            path.starts_with("crates/") && path.contains("/src/") && path.ends_with(".rs");
        if !is_product || path.split('/').any(is_test) {
            continue;
        }
        for line in text(&path).lines() {
            // The lists of names of `named!` stand indented.
            let line = match line.strip_prefix("    ") {
                Some(inner) if inner.starts_with("pub enum ") => inner,
                _ => line,
            };
            let public = line
                .strip_prefix("pub")
                .map(|rest| match rest.strip_prefix('(') {
                    Some(scope) => scope.split_once(')').map_or("", |(_, rest)| rest),
                    None => rest,
                });
            let line = public.map_or(line, str::trim_start);
            let kinds = ["struct ", "enum ", "trait ", "union "];
            let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) else {
                continue;
            };
            let end = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            found
                .entry(rest[..end].to_owned())
                .or_default()
                .push(path.clone());
        }
    }
    found
}

#[test]
fn a_type_name_has_one_meaning() {
    let definitions = type_definitions();
    assert!(definitions.len() > 500, "{} types found", definitions.len());
    let shared = definitions.iter().filter(|(_, places)| places.len() > 1);
    let shared: Vec<&str> = shared.map(|(name, _)| name.as_str()).collect();
    let allowed: Vec<&str> = SHARED_NAMES.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        shared,
        allowed,
        "rename the newcomer, or say above why it shares its name: {:#?}",
        shared
            .iter()
            .map(|name| &definitions[*name])
            .collect::<Vec<_>>()
    );
}

/// Words that a sentence of the documents has at most. Writers aim at 25.
const WORDS_MAX: usize = 40;

/// The sentences of a page's prose: without code blocks, headings, tables and pictures. Code and quotations of what a
/// command says, `*"like this"*`, stand for one word each.
fn sentences(page: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let (mut is_fenced, mut is_indented) = (false, false);
    for line in page.lines() {
        let text = line.trim();
        let is_item = ["- ", "* "].iter().any(|mark| text.starts_with(mark))
            || text
                .split_once(". ")
                .is_some_and(|(number, _)| number.parse::<u8>().is_ok());
        let is_fence = text.starts_with("```");
        is_fenced ^= is_fence;
        let is_open = paragraphs
            .last()
            .is_some_and(|paragraph| !paragraph.is_empty());
        is_indented = line.starts_with("    ") && !is_item && (is_indented || !is_open);
        let is_prose = !text.is_empty()
            && !is_fenced
            && !is_indented
            && !is_fence
            && !text.starts_with(['|', '#', '<', '>']);
        if is_item || !is_prose {
            paragraphs.push(String::new());
        }
        if is_prose && let Some(paragraph) = paragraphs.last_mut() {
            *paragraph += text;
            paragraph.push(' ');
        }
    }
    let said = |paragraph: &String| {
        let parts = paragraph.split('`').enumerate();
        let text: String = parts
            .map(|(index, part)| if index % 2 == 0 { part } else { "CODE" })
            .collect();
        let parts = text
            .split("*\"")
            .flat_map(|part| part.split("\"*"))
            .enumerate();
        let parts = parts.map(|(index, part)| if index % 2 == 0 { part } else { "QUOTATION" });
        parts.collect::<String>()
    };
    let mut found = Vec::new();
    for paragraph in paragraphs.iter().map(said) {
        let mut sentence: Vec<&str> = Vec::new();
        for word in paragraph.split_whitespace() {
            let starts = !word
                .trim_start_matches(['*', '(', '[', '_'])
                .starts_with(char::is_lowercase);
            let ends = sentence.last().is_some_and(|last| {
                last.trim_end_matches(['*', ')', '"', '_', ':', ']'])
                    .ends_with(['.', '!', '?'])
            });
            if starts && ends {
                found.push(sentence.join(" "));
                sentence.clear();
            }
            sentence.push(word);
        }
        found.push(sentence.join(" "));
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// Words with a letter or a digit. The address of a link belongs to its last word.
fn words(sentence: &str) -> usize {
    let words = sentence.split_whitespace();
    words
        .filter(|word| word.contains(char::is_alphanumeric))
        .count()
}

#[test]
fn sentences_of_the_documents_are_short() {
    let is_page = |path: &String| path == "README.md" || path.starts_with("docs/");
    // Tests write these, and hold them against what they found.
    let is_written = |path: &String| {
        let written = [
            "ddr5-checker.md",
            "fs-power-cuts.md",
            "kv-power-cuts.md",
            "sql-power-cuts.md",
        ];
        written.iter().any(|end| path.ends_with(end))
    };
    let pages = paths()
        .into_iter()
        .filter(|path| is_page(path) && path.ends_with(".md") && !is_written(path));
    let (mut count, mut long) = (0, Vec::new());
    for page in pages {
        for sentence in sentences(&text(&page)) {
            count += 1;
            let words = words(&sentence);
            if words > WORDS_MAX {
                long.push(format!("{page}: {words} words: {sentence}"));
            }
        }
    }
    assert!(count > 3000, "{count} sentences found");
    assert!(
        long.is_empty(),
        "{} sentences have more than {WORDS_MAX} words; split them: {long:#?}",
        long.len()
    );
}

#[test]
fn sentences_are_found() {
    let page = "# A heading. Of two\n\nOne `a b. C` here,\nand on. 2 is *a number.* Then [a link](x/y.md).\n\n    code. Code\n\n\
                - an item, of 0.5 s\n  goes on\n- *\"Quoted. Twice\"* is one\n\n```text\nA fence.\n```\n| a | b |\n";
    let expected = [
        "One CODE here, and on.",
        "2 is *a number.*",
        "Then [a link](x/y.md).",
        "- an item, of 0.5 s goes on",
        "- QUOTATION is one",
    ];
    assert_eq!(sentences(page), expected);
    assert_eq!(
        sentences(page)
            .iter()
            .map(|one| words(one))
            .collect::<Vec<_>>(),
        [5, 4, 3, 7, 3]
    );
}
