//! `wordline wear health` from end to end.

use std::fs;

use crate::cli::support::{Folder, everything, rows, wordline};

/// Lives of ten simulated blocks, as `wordline wear --log` writes them.
fn lives(folder: &Folder) -> String {
    let log = folder.file("life.csv");
    wordline(&["wear", "--target", "nand08gw3b2c", "--log", &log, "--quiet"]).done();
    log
}

#[test]
fn blocks_of_a_log_get_a_share_of_life_and_a_verdict() {
    let folder = Folder::new();
    let log = lives(&folder);
    // A million and a half cycles of all blocks, and the whole life of one.
    let text = fs::read_to_string(&log).expect("the log");
    let mut lines = text.lines();
    let names = lines.next().expect("names");
    let places: Vec<&str> = names.split(',').collect();
    let place = |name| {
        places
            .iter()
            .position(|one| *one == name)
            .expect("a column")
    };
    let (block, cycle) = (place("block"), place("cycle"));
    let first = lines
        .clone()
        .next()
        .expect("a line")
        .split(',')
        .nth(block)
        .expect("a block");
    let told = lines.filter(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let cycle: u64 = fields[cycle].parse().expect("a number");
        fields[block] == first || cycle < 1_500_000
    });
    let young: Vec<&str> = [names].into_iter().chain(told).collect();
    fs::write(&log, young.join("\n") + "\n").expect("the folder can be written");

    let ran = wordline(&["wear", "health", "--trace", &log, "--format", "json"]).done();
    let document = ran.json();
    let shares: Vec<_> = rows(&document, "life_used")
        .into_iter()
        .filter(|row| row["statistic"] == "median")
        .collect();
    assert_eq!(shares.len(), 10);
    let failed = shares.iter().filter(|row| row["verdict"] == "failed");
    assert_eq!(failed.count(), 1);
    let living = shares.iter().filter(|row| row["verdict"] != "failed");
    let mut told = 0;
    for row in living {
        assert_eq!(row["basis"], "calibrated", "{row}");
        // Latency does not tell how young a young block is.
        match row["value"].as_f64() {
            Some(used) => {
                assert!((0.1..1.0).contains(&used), "{row}");
                told += 1;
            }
            None => assert_eq!(row["no_value"], "beyond_range", "{row}"),
        }
    }
    assert!(told >= 6, "{told}");
    let ran = everything(&["wear", "health", "--trace", &log]).done();
    assert!(
        ran.stdout.starts_with("Of 10 blocks in life.csv: 1 failed"),
        "{}",
        ran.stdout
    );
    let widest = ran
        .stdout
        .lines()
        .filter(|line| line.contains(" %  "))
        .map(|line| line.chars().count());
    assert!(
        widest.max().is_some_and(|most| most <= 120),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_score_of_few_families_renders_in_every_format() {
    let folder = Folder::new();
    let (page, json) = (folder.file("score.html"), folder.file("score.json"));
    let ran = everything(&[
        "wear",
        "health",
        "--score",
        "--families",
        "2",
        "--export",
        &page,
        "--export",
        &json,
        "--quiet",
    ])
    .done();
    assert!(
        ran.stdout.contains("latency, one failed block known"),
        "{}",
        ran.stdout
    );
    let again = everything(&["report", &json]).done();
    assert_eq!(again.stdout, ran.stdout);
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = Folder::new();
    let log = folder.file("bad.csv");
    fs::write(&log, "block,cycle,operation,latency_us\n1,1,wipe,5\n")
        .expect("the folder can be written");
    wordline(&["wear", "health", "--trace", &log]).refused(&[
        "bad.csv",
        "line 2",
        "program, erase, read",
    ]);
    wordline(&["wear", "health"]).refused(&["--trace", "--score"]);
    wordline(&["wear", "health", "--trace", &log, "--score"]).refused(&["--score"]);
    wordline(&["wear", "health", "--score", "--families", "0"])
        .refused(&["families", "1 to 10000"]);
    wordline(&["wear"]).refused(&["--target"]);
}

/// Without a failed block of its part, a latency that hardly any virtual chip came to says little.
#[test]
fn a_latency_beyond_what_is_known_is_told() {
    let warned = |most: f64| {
        let mut text = "block,cycle,operation,latency_us\n".to_owned();
        for step in 0..60 {
            let cycle = 1.2_f64.powi(step).ceil();
            let excess = most * (cycle / 1.2_f64.powi(59)).powf(0.45);
            text += &format!("0,{cycle},erase,{:.1}\n", 1000.0 * (1.0 + excess));
        }
        let folder = Folder::new().with("life.csv", text);
        let log = folder.file("life.csv");
        let document = wordline(&["wear", "health", "--trace", &log, "--format", "json"]);
        let document = document.done().json();
        let warnings = document["warnings"].as_array().expect("a list").clone();
        warnings.iter().any(|one| one["code"] == "extrapolated")
    };
    assert!(warned(20.0));
    assert!(!warned(1.0));
}
