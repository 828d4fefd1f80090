//! Pages say what to type: every command of the tutorials, the guides and the front pages runs as it is printed in the
//! repository's root, and what a page quotes of the answer stands there.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;
use tempfile::TempDir;

use crate::house::{paths, root, text};

/// A command of a page.
#[derive(Debug, PartialEq)]
struct Step {
    command: String,
    /// Whether the page says that it takes minutes, so that no test runs it: `# all of them: about three minutes`.
    takes_minutes: bool,
    /// What the page quotes of the answer, in order, without white space between words; `...` leaves something out.
    quotes: Vec<String>,
}

/// The commands of a page, with what continues them: indented or fenced lines that begin with the program's name, or
/// with that of what makes a folder or changes a file for it. Behind a `$` the lines that follow quote the answer.
fn steps(page: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut quoted: Option<Vec<&str>> = None;
    let page = page.replace("\\\n", " ");
    let mut is_fenced = false;
    for line in page.lines().chain(["end"]) {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        let code = match line.strip_prefix("    ") {
            _ if is_fence => None,
            _ if is_fenced => Some(line),
            indented => indented.or_else(|| line.is_empty().then_some(line)),
        };
        let prompt = code.and_then(|code| code.strip_prefix("$ "));
        if let Some(lines) = &mut quoted {
            match code.filter(|_| prompt.is_none()) {
                Some(code) => lines.push(code),
                None => {
                    let lines = squeezed(&quoted.take().unwrap_or_default().join("\n"));
                    let parts = lines
                        .split("...")
                        .map(str::trim)
                        .filter(|part| !part.is_empty());
                    let step: &mut Step = steps.last_mut().expect("a quote follows its command");
                    step.quotes = parts.map(str::to_owned).collect();
                }
            }
        }
        let Some(command) = prompt.or(code.filter(|_| quoted.is_none())) else {
            continue;
        };
        if ["wordline ", "mkdir ", "sed "]
            .iter()
            .any(|word| command.starts_with(word))
        {
            quoted = prompt.map(|_| Vec::new());
            let (command, remark) = command.split_once(" #").unwrap_or((command, ""));
            steps.push(Step {
                command: squeezed(command),
                takes_minutes: remark.contains(" minutes"),
                quotes: Vec::new(),
            });
        }
    }
    steps
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Why a command of a page runs nowhere, if so.
fn needs(command: &str) -> Option<&'static str> {
    let reasons = [
        (
            "fs mount",
            "a mount waits for programs, and has tests of its own",
        ),
        (
            "io record",
            "few machines let every user mount, and a recording has tests of its own",
        ),
        (
            "scratch",
            "temporary files may lie in RAM, and storage has tests of its own",
        ),
        ("mtd:", "few machines have raw flash, and none to spare"),
        ("/sys/bus/", "few machines have such a chip"),
        ("<", "the reader fills in what is in angle brackets"),
    ];
    let found = reasons.iter().find(|(part, _)| command.contains(part));
    found.map(|(_, reason)| *reason)
}

/// Whether a command takes more than some seconds in a debug build, so that only the test that is left to `make nightly`
/// runs it.
fn is_slow(command: &str) -> bool {
    let parts = [
        "wordline reproduce",
        "wordline dram loaded --target rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s --export",
        "wordline dram loaded --target rdimm-6400-2rx4-128g@xeon6-1s,mrdimm-8800-2rx4-128g@xeon6-1s --within",
        "wordline kv bench",
        "--crash 1000",
        "--transactions 500 --told promise,together --crash 100",
        "--log-target em064lx --journal wal --checkpoint 100 --rows 10 --workload insert --transactions 500 --crash 100",
        "--target mt29f1g01 --on littlefs,fat,rtfs",
        "--fill 100% --wrap 4GiB --rate 100KB/s",
    ];
    let is_ranking = command.starts_with("wordline compare") && !command.contains("--target");
    // The page that is about it needs no answer of it.
    let is_long = command == "wordline host latency";
    let has_band = command.contains("dram bandwidth") && !command.contains("--band none");
    is_ranking && !command.contains("--print-study")
        || has_band
        || is_long
        || parts.iter().any(|part| command.contains(part))
}

/// What is measured or simulated, whose document is checked as well.
fn is_run(command: &str) -> bool {
    let runs = [
        "app project",
        "raw",
        "buffer",
        "compare",
        "wear",
        "fs bench",
        "io replay",
        "kv bench",
        "sql",
        "dram",
    ];
    runs.iter()
        .any(|run| command.starts_with(&format!("wordline {run} ")))
        && !["--print-study", "--print-experiment", "health"]
            .iter()
            .any(|part| command.contains(part))
}

/// A folder that looks like the repository's root, so that what commands write does not stay there.
fn workplace() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    for path in paths().iter().filter(|path| !path.contains('/')) {
        let from = root().canonicalize().expect("the root").join(path);
        std::os::unix::fs::symlink(from, folder.path().join(path)).expect("the folder is writable");
    }
    folder
}

/// Runs the commands of a page that take no longer than the test may.
#[allow(
    clippy::print_stdout,
    reason = "who runs the slow commands reads which of them take long"
)]
fn run_page(page: &str, with_slow: bool) {
    let folder = workplace();
    let program = Path::new(env!("CARGO_BIN_EXE_wordline"));
    let program = program.parent().expect("its folder").to_string_lossy();
    let path = format!("{program}:{}", std::env::var("PATH").unwrap_or_default());
    let steps = steps(&text(page));
    assert!(!steps.is_empty(), "{page} has no command");
    for step in steps {
        let Step {
            command,
            takes_minutes,
            quotes,
        } = step;
        if takes_minutes || needs(&command).is_some() || !with_slow && is_slow(&command) {
            continue;
        }
        let began = Instant::now();
        let checked = match is_run(&command) {
            true => format!("{command} --export check.json"),
            false => command.clone(),
        };
        let ran = Command::new("sh")
            .args(["-c", &checked])
            .env("PATH", &path)
            .current_dir(folder.path())
            .output()
            .expect("a shell");
        if with_slow {
            println!("{:6.1} s  {page}: {command}", began.elapsed().as_secs_f64());
        }
        let said = String::from_utf8_lossy(&ran.stderr);
        // A comparison of which nothing passes has the code 1, and its document is checked. A busy machine makes figures
        // that are refused.
        let may_fail = ["compare", "host"].iter();
        let may_fail = may_fail.map(|word| format!("wordline {word} "));
        let is_verdict = may_fail
            .into_iter()
            .any(|start| command.starts_with(&start))
            && ran.status.code() == Some(1);
        assert!(
            ran.status.success() || is_verdict,
            "{page}: {command}: {said}"
        );
        let answer = squeezed(&String::from_utf8_lossy(&ran.stdout));
        let mut rest = answer.as_str();
        for quote in &quotes {
            let at = rest.find(quote.as_str());
            let at = at.unwrap_or_else(|| panic!("{page}: {command}: no {quote:?} in {answer}"));
            rest = &rest[at + quote.len()..];
        }
        if is_run(&command) {
            let document = fs::read_to_string(folder.path().join("check.json"));
            let document: Value =
                serde_json::from_str(&document.expect("exported")).expect("a document");
            let rows = document["rows"].as_array().expect("rows");
            assert!(!rows.is_empty(), "{page}: {command}");
            let failed = |row: &Value| row["no_value"] == "failed";
            assert!(!rows.iter().any(failed), "{page}: {command}: a run failed");
        }
    }
}

/// A test of each page, so that they run beside each other, and the list of all.
macro_rules! pages {
    ($($(#[$attribute:meta])* $name:ident: $page:literal,)*) => {
        const PAGES: &[&str] = &[$($page),*];

        $(#[test]
        $(#[$attribute])*
        fn $name() {
            run_page($page, false);
        })*
    };
}

pages! {
    readme: "README.md",
    front_page: "docs/README.md",
    tutorial_of_a_logger: "docs/tutorials/logger.md",
    tutorial_of_file_systems: "docs/tutorials/file-system.md",
    #[ignore = "takes most of a minute; `make nightly` runs it"]
    tutorial_of_servers: "docs/tutorials/server.md",
    add_your_chip: "docs/guides/add-your-chip.md",
    what_would_another_memory_do: "docs/guides/what-would-another-memory-do.md",
    compare_two_results: "docs/guides/compare-two-results.md",
    databases: "docs/guides/databases.md",
    edge_database_studies: "docs/guides/edge-database-studies.md",
    execute_in_place: "docs/guides/execute-in-place.md",
    fat_on_nand: "docs/guides/fat-on-nand.md",
    file_systems: "docs/guides/file-systems.md",
    file_traces: "docs/guides/file-traces.md",
    find_a_part: "docs/guides/find-a-part.md",
    first_report: "docs/guides/first-report.md",
    fit_raw_flash: "docs/guides/fit-raw-flash.md",
    hash_tables: "docs/guides/hash-tables.md",
    #[ignore = "measures this machine for half a minute; `make nightly` runs it"]
    how_fast_is_my_memory: "docs/guides/how-fast-is-my-memory.md",
    how_long_flash_lasts: "docs/guides/how-long-flash-lasts.md",
    how_much_ram: "docs/guides/how-much-ram.md",
    kernels: "docs/guides/kernels.md",
    own_part: "docs/guides/own-part.md",
    own_scheduler: "docs/guides/own-scheduler.md",
    profiles_from_counters: "docs/guides/profiles-from-counters.md",
    program_traces: "docs/guides/program-traces.md",
    #[ignore = "takes most of a minute; `make nightly` runs it"]
    rdimm_or_mrdimm: "docs/guides/rdimm-or-mrdimm.md",
    #[ignore = "takes most of a minute; `make nightly` runs it"]
    other_memories: "docs/guides/other-memories.md",
    reproduce: "docs/guides/reproduce.md",
    sd_card_or_nand: "docs/guides/sd-card-or-nand.md",
    real_time: "docs/guides/real-time.md",
    which_memory: "docs/guides/which-memory.md",
    buffers: "docs/concepts/buffers.md",
    cards: "docs/concepts/cards.md",
    import: "docs/reference/import.md",
    logs: "docs/reference/logs.md",
    prices: "docs/reference/prices.md",
    results: "docs/reference/results.md",
    settings: "docs/reference/settings.md",
}

#[test]
fn every_page_with_commands_is_run() {
    let folders = [
        "docs/tutorials/",
        "docs/guides/",
        "docs/concepts/",
        "docs/reference/",
    ];
    let is_page = |path: &String| folders.iter().any(|folder| path.starts_with(folder));
    // Lines of usage are no commands, nor is the head of a trace as text; the log of a card is the reader's own, and its fit takes minutes.
    let is_left_out = |path: &String| {
        [
            "/command-line.md",
            "/fit-a-card.md",
            "reference/file-traces.md",
            // They need QEMU, or minutes.
            "/record-a-program.md",
            "concepts/surfaces.md",
            // The sweep is the reader's own.
            "reference/sweeps.md",
        ]
        .iter()
        .any(|end| path.ends_with(end))
    };
    let pages = paths()
        .into_iter()
        .filter(|path| is_page(path) && !is_left_out(path));
    let left: Vec<_> = pages
        .filter(|page| page.ends_with(".md") && !PAGES.contains(&page.as_str()))
        .filter(|page| !steps(&text(page)).is_empty())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
#[ignore = "takes minutes; `make nightly` runs it"]
fn slow_commands_run_as_well() {
    for page in PAGES {
        let all = steps(&text(page));
        if all.iter().any(|step| is_slow(&step.command)) {
            run_page(page, true);
        }
    }
}

#[test]
fn commands_and_quotes_are_found() {
    let page = "Run `wordline a`.\n\n    wordline b \\\n      --c   # why: five minutes\n    text\n\n```text\n$ wordline d\none ... two\n\n  three\n...\n\
                $ mkdir e\n```\n\nwordline f\n";
    let step = |command: &str, quotes: &[&str]| Step {
        command: command.to_owned(),
        takes_minutes: command == "wordline b --c",
        quotes: quotes.iter().map(|quote| (*quote).to_owned()).collect(),
    };
    let expected = [
        step("wordline b --c", &[]),
        step("wordline d", &["one", "two three"]),
        step("mkdir e", &[]),
    ];
    assert_eq!(steps(page), expected);
}
