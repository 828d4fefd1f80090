//! `wordline diff` and `--baseline`: what changed, by how much, and whether beyond chance.

use crate::cli::support::{Folder, Ran, SMALL, command, wordline};

/// Random writes behind a translation layer, whose times depend on the seed.
fn random(target: &str, seed: &str) -> Vec<String> {
    let words = [
        "raw",
        "--target",
        target,
        "--ftl",
        "page",
        "--operation",
        "write",
        "--pattern",
        "random",
        "--size",
        "4KiB",
        "--total",
        "4MiB",
        "--seed",
        seed,
        "--format",
        "json",
    ];
    words.map(str::to_owned).into()
}

fn json(arguments: &[String]) -> String {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    wordline(&arguments).done().stdout
}

fn diff(folder: &Folder, before: &str, after: &str, more: &[&str]) -> Ran {
    let (before, after) = (folder.file(before), folder.file(after));
    wordline(&[&["diff", &before, &after], more].concat())
}

#[test]
fn two_seeds_differ_by_chance_and_two_parts_by_name() {
    let folder = Folder::new()
        .with("one.json", json(&random("mt29f1g01", "1")))
        .with("two.json", json(&random("mt29f1g01", "2")))
        .with("other.json", json(&random("w25n01gv", "1")));
    let seeds = diff(&folder, "one.json", "two.json", &[]).done();
    assert!(
        seeds.stdout.starts_with("No change beyond chance"),
        "{seeds:?}"
    );
    let same = diff(&folder, "one.json", "one.json", &["--any"]).done();
    assert!(same.stdout.starts_with("No change: all"), "{same:?}");
    let parts = diff(&folder, "one.json", "other.json", &["--any"]);
    assert_eq!(parts.code, Some(1), "{parts:?}");
    let first = parts.stdout.lines().next().expect("a sentence");
    for word in [
        "w25n01gv@stm32h755-qspi",
        "mt29f1g01@stm32h755-qspi",
        "beyond chance",
    ] {
        assert!(
            first.contains(word) || parts.stdout.contains(word),
            "{word}: {}",
            parts.stdout
        );
    }
    for word in ["throughput mean", "MB/s", "%"] {
        assert!(parts.stdout.contains(word), "{word}: {}", parts.stdout);
    }
    assert!(parts.stdout.lines().count() <= 24, "{}", parts.stdout);
    let document = diff(&folder, "one.json", "other.json", &["--format", "json"]).json();
    assert!(
        document["values"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
    );
    // What is better one way is worse the other way.
    let other_way = diff(&folder, "other.json", "one.json", &["--format", "json"]).json();
    let throughput = |document: &serde_json::Value| {
        let values = document["values"].as_array().expect("values");
        let mut of = values
            .iter()
            .filter(|one| one["metric"] == "throughput_mean");
        of.next()
            .map(|one| one["better"].clone())
            .expect("a throughput")
    };
    assert_ne!(throughput(&document), throughput(&other_way));
}

#[test]
fn a_baseline_fails_a_command_that_became_worse() {
    let folder = Folder::new();
    let fast = wordline(&[&SMALL[..], &["--format=json"]].concat())
        .done()
        .stdout;
    let folder = folder.with("fast.json", fast);
    let file = folder.file("fast.json");
    let same = wordline(&[&SMALL[..], &["--baseline", &file]].concat()).done();
    assert!(same.stdout.contains("No change: all"), "{same:?}");
    let worse = wordline(&[&SMALL[..], &["--timing=max", "--baseline", &file]].concat());
    // Values of another column of the data sheet are other values.
    assert!(worse.stdout.contains("no value in common"), "{worse:?}");
    let slower = wordline(
        &[
            &[
                "raw",
                "--target=mt25ql128",
                "--size=2KiB,4KiB",
                "--total=64KiB",
            ],
            &["--baseline", file.as_str()][..],
        ]
        .concat(),
    );
    assert_eq!(slower.code, Some(1), "{slower:?}");
    assert!(slower.stdout.contains("WORSE"), "{slower:?}");
}

#[test]
fn what_cannot_be_compared_is_refused_by_name() {
    let folder = Folder::new()
        .with(
            "raw.json",
            wordline(&[&SMALL[..], &["--format=json"]].concat())
                .done()
                .stdout,
        )
        .with("no.json", "{}");
    let raw = folder.file("raw.json");
    wordline(&["diff", &raw, "/nowhere.json"]).refused(&["/nowhere.json"]);
    wordline(&["diff", &raw, &folder.file("no.json")]).refused(&["no.json", "schema_version"]);
    wordline(&["diff", "-", "-"]).refused(&["standard input holds one result"]);
    wordline(&["diff", &raw, &raw, "--tolerance=5"]).refused(&["--tolerance"]);
    wordline(&["diff", &raw, &raw, "--export", &raw]).refused(&["what the command reads"]);
    let idle = command(&[
        "dram",
        "idle",
        "--target=rdimm-6400-2rx4-128g@xeon6-1s",
        "--format=json",
    ])
    .output()
    .expect("it runs");
    let idle = String::from_utf8(idle.stdout).expect("text");
    let folder = folder.with("idle.json", idle);
    wordline(&["diff", &raw, &folder.file("idle.json")]).refused(&["raw", "dram"]);
}
