//! The page that runs experiments, opened from its folder with the network off: its answers are those of the command, byte
//! for byte, and whatever is wrong is named. `scripts/playground` makes the page.

use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::{Value, json};

use super::chromium::{Browser, SKIPPED};
use super::devtools::OpenPage;
use crate::cli::run::{COMMANDS, examples};
use crate::cli::support::{Folder, Ran, command};
use crate::house::root;

/// The page, and a browser that may open it; none where either is missing and `WORDLINE_REQUIRE_BROWSER` is not set.
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn opened() -> Option<(OpenPage, String)> {
    let Some(browser) = Browser::find() else {
        println!("{SKIPPED}");
        return None;
    };
    let built = env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
    let page = built.join("playground/index.html");
    if !page.is_file() {
        assert!(
            env::var_os("WORDLINE_REQUIRE_BROWSER").is_none(),
            "{} is missing: scripts/playground makes it",
            page.display()
        );
        println!("skipped: scripts/playground makes the page");
        return None;
    }
    let page = fs::canonicalize(page).expect("it is there");
    Some((
        OpenPage::new(&browser.program),
        format!("file://{}", page.display()),
    ))
}

/// Waits until the page rests, and returns what it came to: `ready`, `done`, `failed` or `stopped`.
fn rested(page: &mut OpenPage) -> String {
    let script = "new Promise((done) => { const look = () => { const { state } = document.documentElement.dataset; \
                  ['starting', 'running'].includes(state) ? setTimeout(look, 20) : done(state); }; setTimeout(look, 20); })";
    page.evaluate(script).as_str().expect("a state").to_owned()
}

/// Opens an address of the page anew, and waits until it rests.
fn at(page: &mut OpenPage, address: &str, hash: &str) -> String {
    page.go("about:blank");
    page.go(&format!("{address}#{hash}"));
    rested(page)
}

/// What the page answered: the experiment, and the result as JSON.
fn answer(page: &mut OpenPage) -> (String, String) {
    let said = page.evaluate("[playground.experiment, playground.json]");
    let text = |index: usize| said[index].as_str().expect("a text").to_owned();
    (text(0), text(1))
}

/// What the command makes of the same experiment, beside the files that it names.
fn by_command(folder: &Path, experiment: &str) -> String {
    fs::write(folder.join("experiment.json"), experiment).expect("it is written");
    let mut command = command(&["run", "experiment.json", "--format", "json", "--quiet"]);
    let ran = Ran::of(command.current_dir(folder));
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    ran.stdout
}

/// The report that is shown drew all that it opened with, and its console and the page's are clean.
fn is_shown(page: &mut OpenPage) {
    let script = "new Promise((done) => { const look = () => { const { dataset } = document.getElementById('report').contentDocument.documentElement; \
                  dataset.ready ? done({...dataset}) : setTimeout(look, 20); }; look(); })";
    let said = page.evaluate(script);
    assert_eq!(said["plotsFailed"], Value::Null, "{said}");
    assert_ne!(said["plots"], "0", "{said}");
    assert!(page.console.is_empty(), "{:#?}", page.console);
}

/// What the page says is wrong.
fn problem(page: &mut OpenPage) -> String {
    let said = page.evaluate("document.getElementById('problem').textContent");
    said.as_str().expect("a text").to_owned()
}

/// Runs an experiment in the form for any.
fn run(page: &mut OpenPage, experiment: &str) -> String {
    page.evaluate(&ask(experiment));
    rested(page)
}

#[test]
#[ignore = "needs the page of scripts/playground, and a minute"]
fn its_three_demos_answer_as_the_command_does() {
    let Some((mut page, address)) = opened() else {
        return;
    };
    let folder = Folder::new();
    let log = fs::read(root().join("examples/fio_lat.1.log")).expect("an example");
    fs::write(folder.path().join("fio_lat.1.log"), log).expect("it is written");
    for hash in [
        "demo=logger&rate=500+KB%2Fs&record=4+KiB&duty=10+%25&keep=1+h&ram=16+KiB&life=10+y",
        "demo=modules&targets=rdimm-6400-2rx4-128g%40xeon6-1s%2C+mrdimm-8800-2rx4-128g%40xeon6-1s&delays=0%2C+100%2C+400",
    ] {
        // A link is an answer.
        assert_eq!(
            at(&mut page, &address, hash),
            "done",
            "{}",
            problem(&mut page)
        );
        is_shown(&mut page);
        let (experiment, result) = answer(&mut page);
        assert!(
            by_command(folder.path(), &experiment) == result,
            "{hash} is another document"
        );
        let link = page.evaluate("document.getElementById('link').value");
        assert_eq!(link, format!("{address}#{hash}"));
    }
    // The log of a link stays with its owner.
    let hash = "demo=log&rate=40+KB%2Fs&durations=latency&file=fio_lat.1.log";
    assert_eq!(at(&mut page, &address, hash), "ready");
    assert!(problem(&mut page).contains("fio_lat.1.log"));
    page.choose(
        "#log input[type=file]",
        &folder.path().join("fio_lat.1.log"),
    );
    page.evaluate("document.getElementById('log').requestSubmit()");
    assert_eq!(rested(&mut page), "done", "{}", problem(&mut page));
    is_shown(&mut page);
    let (experiment, result) = answer(&mut page);
    assert!(by_command(folder.path(), &experiment) == result);
    // The sample is the same log.
    page.evaluate("document.getElementById('sample').click()");
    page.evaluate("new Promise((done) => setTimeout(done, 300))");
    page.evaluate("document.getElementById('log').requestSubmit()");
    assert_eq!(rested(&mut page), "done");
    assert!(answer(&mut page).1 == result);
    assert!(page.console.is_empty(), "{:#?}", page.console);
}

#[test]
#[ignore = "needs the page of scripts/playground, and a minute"]
fn every_kind_of_experiment_gives_the_bytes_of_its_command() {
    let Some((mut page, address)) = opened() else {
        return;
    };
    assert_eq!(at(&mut page, &address, "demo=experiment"), "ready");
    let folder = examples();
    for words in COMMANDS {
        // File systems in C are not in the page.
        let on: &[&str] = match words[0] {
            "io" => &["--on", "flat"],
            _ => &[],
        };
        let mut printing = command(&[words, on, &["--print-experiment"]].concat());
        let experiment = Ran::of(printing.current_dir(folder.path())).done().stdout;
        for file in words
            .iter()
            .filter(|word| folder.path().join(word).is_file())
        {
            page.choose("#experiment input[type=file]", &folder.path().join(file));
        }
        assert_eq!(
            run(&mut page, &experiment),
            "done",
            "{words:?}: {}",
            problem(&mut page)
        );
        let result = answer(&mut page).1;
        assert!(
            by_command(folder.path(), &experiment) == result,
            "{words:?} is another document"
        );
    }
    assert!(page.console.is_empty(), "{:#?}", page.console);
}

#[test]
#[ignore = "needs the page of scripts/playground"]
fn what_is_wrong_is_named_and_the_page_goes_on() {
    let Some((mut page, address)) = opened() else {
        return;
    };
    // Of a form, at its field.
    for (hash, said) in [
        (
            "demo=logger&rate=5+furlongs",
            "Data rate: \"5 furlongs\" is not a data rate",
        ),
        ("demo=logger&rate=", "Data rate:"),
        ("demo=log&rate=40+KB%2Fs", "there is no log yet; allowed:"),
        (
            "demo=modules&delays=0%2C-4",
            "\"-4\" is no whole number of cycles; allowed:",
        ),
        ("demo=modules&delays=100%2C0", "ascending"),
        ("demo=modules&targets=rdimm-6400%40xeon6-1s", "rdimm-6400"),
        (
            "demo=experiment&json=%25%25",
            "The link is cut off or changed",
        ),
    ] {
        assert_ne!(at(&mut page, &address, hash), "done", "{hash}");
        let found = problem(&mut page);
        assert!(found.contains(said), "{hash}: {found}");
    }
    // Of an experiment, with line and column, and what would do.
    let raw = |targets: &str, more: &str| {
        format!(
            "{{\"targets\": [{targets}], \"workload\": {{\"kind\": \"raw\"{more}}}, \"timing\": \"typ\", \"age\": 0, \"seed\": 0}}"
        )
    };
    let kv = |target: &str, capacity: &str| {
        let printed = command(&[
            "kv",
            "bench",
            "--target",
            target,
            "--capacity",
            capacity,
            "--print-experiment",
        ])
        .output()
        .expect("it runs");
        String::from_utf8(printed.stdout).expect("a text")
    };
    let host = Ran::of(&mut command(&["host", "latency", "--print-experiment"]))
        .done()
        .stdout;
    assert_eq!(at(&mut page, &address, "demo=experiment"), "ready");
    for (experiment, said) in [
        (String::new(), "line 1, column 0"),
        ("[1, 2".to_owned(), "line 1"),
        (
            raw("\"em064lx\"", ", \"operation\": []"),
            "did you mean `operations`?",
        ),
        (raw("\"em064l\"", ""), "em064lx"),
        (raw("", ""), "no target is named; allowed:"),
        (host, "use the command wordline"),
        (kv("ram@host", "1MiB"), "use the command wordline"),
        ("[".repeat(100_000), "line 1"),
    ] {
        assert_eq!(run(&mut page, &experiment), "failed", "{experiment:.300}");
        let found = problem(&mut page);
        assert!(found.contains(said), "{experiment:.300}: {found}");
    }
    // A run that is stopped leaves a page that runs.
    page.evaluate("location.hash = 'demo=logger&rate=500+KB%2Fs&record=4+KiB'");
    page.evaluate("new Promise((done) => { const look = () => document.documentElement.dataset.state === 'running' ? done() : setTimeout(look, 5); look(); })");
    page.evaluate("document.getElementById('stop').click()");
    assert_eq!(rested(&mut page), "stopped");
    assert!(problem(&mut page).contains("Stopped"));
    page.evaluate("location.hash = 'demo=experiment'");
    assert_eq!(
        run(&mut page, &raw("\"em064lx\"", "")),
        "done",
        "{}",
        problem(&mut page)
    );
    assert!(page.console.is_empty(), "{:#?}", page.console);
}

/// Asks in the form for any experiment, without waiting.
fn ask(experiment: &str) -> String {
    let text = json!(experiment);
    format!(
        "{{ const form = document.getElementById('experiment'); form.elements.text.value = {text}; form.requestSubmit(); }}"
    )
}

/// Asks what takes seconds, and waits until the worker is at it.
fn begin_long(page: &mut OpenPage, experiment: &str) {
    page.evaluate(&ask(experiment));
    page.evaluate(
        "new Promise((done) => { const look = () => /%: /.test(document.getElementById('step').textContent) ? done() : setTimeout(look, 5); look(); })",
    );
    let state = page.evaluate("document.documentElement.dataset.state");
    assert_eq!(state, "running");
}

/// An experiment that takes moments.
fn short(part: &str) -> String {
    let words = [
        "raw",
        "--target",
        part,
        "--total",
        "64KiB",
        "--print-experiment",
    ];
    Ran::of(&mut command(&words)).done().stdout
}

/// The page rests on the answer to an experiment, as the command gives it, and its address is that of this answer.
fn is_answer_to(page: &mut OpenPage, experiment: &str, when: &str) {
    let state = rested(page);
    assert_eq!(state, "done", "{when}: {}", problem(page));
    let (asked, result) = answer(page);
    let folder = Folder::new();
    let whole = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    assert_eq!(whole(&asked), whole(experiment), "{when}");
    assert!(by_command(folder.path(), experiment) == result, "{when}");
    let shown = page.evaluate(
        "[document.getElementById('answer').hidden, document.getElementById('running').hidden, document.getElementById('problem').hidden, \
         location.hash.startsWith('#demo=experiment&json='), document.getElementById('link').value === location.href]",
    );
    assert_eq!(shown, json!([false, true, true, true, true]), "{when}");
}

#[test]
#[ignore = "needs the page of scripts/playground, and a minute"]
fn what_was_asked_last_is_what_is_answered() {
    let Some((mut page, address)) = opened() else {
        return;
    };
    let [mram, nor] = ["em064lx", "mt25ql128"].map(short);
    let ranking = ["compare", "data-logger", "--print-experiment"];
    let long = Ran::of(&mut command(&ranking)).done().stdout;
    assert_eq!(at(&mut page, &address, "demo=experiment"), "ready");
    let links = [&mram, &nor].map(|experiment| {
        assert_eq!(run(&mut page, experiment), "done");
        let hash = page.evaluate("location.hash");
        hash.as_str().expect("a text").to_owned()
    });
    let [of_mram, of_nor] = &links;
    // Run in the task of Stop, and ever later: the next worker is not yet there, or just about to start.
    let stop = "document.getElementById('stop').click();";
    begin_long(&mut page, &long);
    page.evaluate(&format!("{stop} {}", ask(&nor)));
    is_answer_to(&mut page, &nor, "a run with a stop");
    for wait_ms in [0, 1, 5, 20, 60, 200] {
        begin_long(&mut page, &long);
        page.evaluate(&format!(
            "{stop} new Promise((done) => setTimeout(() => {{ {} done(); }}, {wait_ms}))",
            ask(&nor)
        ));
        is_answer_to(&mut page, &nor, &format!("a run {wait_ms} ms after a stop"));
    }
    // Another question while the first goes on, and links, one and several.
    begin_long(&mut page, &long);
    page.evaluate(&ask(&nor));
    is_answer_to(&mut page, &nor, "a run during a run");
    for links in [
        vec![of_nor],
        vec![of_mram, of_nor],
        vec![of_nor, of_mram, of_nor],
    ] {
        begin_long(&mut page, &long);
        for link in &links {
            page.evaluate(&format!("location.hash = {}", json!(link)));
        }
        let when = format!("{} links during a run", links.len());
        is_answer_to(&mut page, &nor, &when);
    }
    // A link to a form alone: there is no answer to show.
    begin_long(&mut page, &long);
    page.evaluate("location.hash = 'demo=modules'");
    page.evaluate("new Promise((done) => setTimeout(done, 50))");
    assert_eq!(rested(&mut page), "ready");
    let shown = page.evaluate(
        "[document.getElementById('answer').hidden, document.getElementById('running').hidden, location.hash]",
    );
    assert_eq!(shown, json!([true, true, "#demo=modules"]));
    assert!(page.console.is_empty(), "{:#?}", page.console);
}

/// The page with another line in its worker, as a file of a folder.
fn altered(address: &str, folder: &Folder, line: &str, other: &str) -> String {
    let path = address.strip_prefix("file://").expect("a file");
    let sound = fs::read_to_string(path).expect("a text");
    let altered = sound.replacen(line, other, 1);
    assert_ne!(altered, sound, "the worker has no such line");
    let file = folder.path().join("altered.html");
    fs::write(&file, altered).expect("it is written");
    format!("file://{}", file.display())
}

/// The worker of this page sends before each answer one to an earlier question, as one does that is ended too late.
#[test]
#[ignore = "needs the page of scripts/playground"]
fn messages_about_an_earlier_question_are_dropped() {
    let Some((mut page, address)) = opened() else {
        return;
    };
    let folder = Folder::new();
    let address = altered(
        &address,
        &folder,
        "postMessage({ number, answer: await answer(data) });",
        "const late = { answer: { experiment: '{}', json: '{}', html: 'late', choices: { version: 'late', modules: [], systems: [] } } }; \
         const now = await answer(data); postMessage(late); postMessage({ number: number - 1, ...late }); \
         postMessage({ number: number - 1, broken: 'late' }); postMessage({ number, answer: now });",
    );
    assert_eq!(at(&mut page, &address, "demo=experiment"), "ready");
    let version = page.evaluate("document.getElementById('version').textContent");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    let experiment = short("em064lx");
    for _ in 0..2 {
        page.evaluate(&ask(&experiment));
        is_answer_to(&mut page, &experiment, "with late messages");
    }
}

#[test]
#[ignore = "needs the page of scripts/playground"]
fn a_panic_is_shown_and_the_laboratory_starts_again() {
    let Some((mut page, address)) = opened() else {
        return;
    };
    let folder = Folder::new();
    // No experiment is known that panics; this page asks for more memory than there can be.
    let address = altered(
        &address,
        &folder,
        "const whole = call(\"run\", asked);",
        "const whole = asked === \"panic\" ? engine.wordline_input(-1) : call(\"run\", asked);",
    );
    assert_eq!(at(&mut page, &address, "demo=experiment"), "ready");
    assert_eq!(run(&mut page, "panic"), "failed");
    let found = problem(&mut page);
    assert!(
        found.contains("capacity overflow") && found.contains("started again"),
        "{found}"
    );
    assert_eq!(
        run(&mut page, &short("em064lx")),
        "done",
        "{}",
        problem(&mut page)
    );
    assert!(page.console.is_empty(), "{:#?}", page.console);
}
