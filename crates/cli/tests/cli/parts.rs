//! `wordline part list`, `find`, `similar` and `compare`, and lists of prices.

use serde_json::Value;

use crate::cli::support::{FORMATS, Folder, wordline};

fn list() -> Vec<Value> {
    let list = wordline(&["part", "list", "--format", "json"])
        .done()
        .json();
    list.as_array().expect("a list").clone()
}

#[test]
fn the_list_folds_parts_for_people_and_keeps_all_for_programs() {
    let folded = wordline(&["part", "list"]).done().stdout;
    assert!(folded.lines().count() < 80, "{folded}");
    for words in [
        "nor",
        "Winbond",
        " more",
        "wordline part list --all",
        "board",
    ] {
        assert!(folded.contains(words), "{words}: {folded}");
    }
    let all = wordline(&["part", "list", "--all"]).done().stdout;
    let list = list();
    let is_part = |line: &&Value| {
        !["board", "die", "module", "system", "counters"]
            .contains(&line["kind"].as_str().unwrap_or(""))
    };
    let parts: Vec<_> = list.iter().filter(is_part).collect();
    for part in &parts {
        let id = part["id"].as_str().expect("an id");
        assert!(all.contains(id), "{id}");
        for key in ["bus", "lifecycle"] {
            assert!(
                part[key].as_str().is_some_and(|text| !text.is_empty()),
                "{key}: {part}"
            );
        }
        for key in ["capacity_bytes", "figures_sourced", "figures_assumed"] {
            assert!(part[key].is_u64(), "{key}: {part}");
        }
        let price = part["cost"].as_str().expect("a price, or nothing");
        let euros = price.strip_suffix(" EUR").map(str::parse::<f64>);
        assert_eq!(
            part["cost_eur"].as_f64(),
            euros.and_then(Result::ok),
            "{part}"
        );
    }
    // What the README and the changelog say of the catalogue.
    let dumps = parts.iter().filter(|part| part["dump"] != "").count();
    assert!(
        parts.len() >= 150 && dumps >= 80,
        "{} parts, {dumps} from dumps",
        parts.len()
    );
}

#[test]
fn parts_are_found_by_what_they_must_be() {
    let asked = [
        "part",
        "find",
        "--kind",
        "nor",
        "--min-capacity",
        "16MiB",
        "--bus",
        "octal",
        "--max-standby",
        "200uA",
    ];
    let document = wordline(&[&asked[..], &["--format", "json"]].concat())
        .done()
        .json();
    let found = document["parts"].as_array().expect("parts");
    assert!(!found.is_empty());
    for part in found {
        assert_eq!(
            (&part["kind"], &part["bus"]),
            (&"nor".into(), &"octal".into())
        );
        assert!(part["capacity_bytes"].as_u64() >= Some(16 << 20), "{part}");
        // What is estimated, assumed or not stated does not meet a condition for certain, and is named.
        let standby = &part["figures"]["standby"];
        let sourced = !["estimated", "assumed"].contains(&standby["basis"].as_str().unwrap_or(""));
        let most = standby["max"].as_f64().filter(|_| sourced);
        let certain = most.is_some_and(|amperes| amperes <= 200e-6);
        assert_eq!(part["certain"], certain, "{part}");
        let named = part["depends_on"]
            .as_str()
            .is_some_and(|on| on.starts_with("standby ("));
        assert_eq!(named, !certain, "{part}");
    }
    for format in FORMATS {
        let ran = wordline(&[&asked[..], &["--format", format]].concat()).done();
        let id = found[0]["id"].as_str().expect("an id");
        assert!(ran.stdout.contains(id), "{format}: {ran:?}");
    }
    let none = wordline(&["part", "find", "--kind", "nor", "--min-capacity", "64GiB"]);
    assert!(
        none.code == Some(1) && none.stdout.contains("no part"),
        "{none:?}"
    );
    let contradicts = [
        "part",
        "find",
        "--min-capacity",
        "64MiB",
        "--max-capacity",
        "1MiB",
    ];
    wordline(&contradicts).refused(&["no part has both"]);
    wordline(&["part", "find", "--maker", ""]).refused(&["maker is empty"]);
    wordline(&["part", "similar", "w25q64jv", "--limit", "0"]).refused(&["--limit"]);
    wordline(&["part", "find", "--kind", "norr"]).refused(&["--kind", "\"norr\"", "nor"]);
    wordline(&["part", "find", "--bus", "wide"]).refused(&["--bus", "quad", "octal"]);
    wordline(&["part", "find", "--max-standby", "20 kg"]).refused(&["--max-standby", "20 kg"]);
}

#[test]
fn parts_that_resemble_one_are_ranked() {
    let document = wordline(&[
        "part", "similar", "w25q64jv", "--limit", "3", "--format", "json",
    ])
    .done()
    .json();
    let similar = document["similar"].as_array().expect("parts");
    assert_eq!(similar.len(), 3);
    let factors: Vec<_> = similar
        .iter()
        .filter_map(|part| part["factor"].as_f64())
        .collect();
    assert!(
        factors.windows(2).all(|pair| pair[0] <= pair[1]),
        "{factors:?}"
    );
    assert!(similar.iter().all(|part| part["id"] != "w25q64jv"));
    let table = wordline(&["part", "similar", "w25q64jv"]).done().stdout;
    assert!(
        table
            .lines()
            .next()
            .is_some_and(|head| head.contains("factor")),
        "{table}"
    );
    wordline(&["part", "similar", "w25q64jx"]).refused(&["unknown part", "w25q64jv"]);
}

#[test]
fn parts_stand_side_by_side_with_their_sources() {
    let ran = wordline(&["part", "compare", "w25q64jv", "mx25r6435f"]).done();
    for words in [
        "page_program",
        "704 us",
        "896 us",
        "are the same in all",
        "--sources",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    let sources = wordline(&["part", "compare", "w25q64jv", "mx25r6435f", "--sources"])
        .done()
        .stdout;
    assert!(
        sources.contains("SFDP, basic table 1.5, 11th word"),
        "{sources}"
    );
    let document = wordline(&[
        "part",
        "compare",
        "em064lx",
        "cy15b104q",
        "--format",
        "json",
    ])
    .done()
    .json();
    let rows = document["figures"].as_array().expect("figures");
    let standby = rows
        .iter()
        .find(|row| row["figure"] == "standby")
        .expect("both have one");
    // One name for one thing, though their tables differ.
    assert_eq!(standby["parts"].as_array().map(Vec::len), Some(2));
    assert!(
        standby["parts"]
            .as_array()
            .expect("two")
            .iter()
            .all(|one| !one.is_null()),
        "{standby}"
    );
    assert_eq!(standby["differs"], true);
    wordline(&["part", "compare", "em064lx"]).refused(&["2"]);
    wordline(&["part", "compare", "em064lx", "nothing"]).refused(&["unknown part"]);
}

const PRICES: &str = "part,quantity,price,currency,date\n\
                      em064lx,1,31.50,EUR,2026-11-02\n\
                      em064lx,1000,22,EUR,2026-11-02\n\
                      mr4a16b,10,35,EUR,2026-11-02\n";

#[test]
fn prices_of_lists_decide_and_nothing_is_guessed() {
    let folder = Folder::new().with("list.csv", PRICES);
    let list = folder.file("list.csv");
    let priced = |more: &[&str]| {
        let asked = [
            "part",
            "find",
            "--kind",
            "mram",
            "--max-price",
            "30 EUR",
            "--format",
            "json",
            "--prices",
            &list,
        ];
        wordline(&[&asked[..], more].concat())
    };
    let has = |document: &Value, id: &str| {
        let parts = document["parts"].as_array().expect("parts");
        parts
            .iter()
            .any(|part| part["id"] == id && part["certain"] == true)
    };
    assert!(!has(&priced(&[]).done().json(), "em064lx"));
    assert!(has(
        &priced(&["--quantity", "1000"]).done().json(),
        "em064lx"
    ));
    // One that cannot be bought in that quantity is named.
    let ran = priced(&[]).done();
    assert!(ran.stderr.contains("mr4a16b has no price for 1"), "{ran:?}");
    let compare = [
        "compare",
        "--rate=100KB/s",
        "--record=4KiB",
        "--keep=1MiB",
        "--max-cost=30 EUR",
        "--format=json",
    ];
    let of = |more: &[&str]| {
        let target = ["--target=em064lx", "--prices", &list, "--quiet"];
        let ran = wordline(&[&compare[..], &target, more].concat());
        let document = ran.json();
        document["verdicts"][0]["pass"]
            .as_bool()
            .expect("a verdict")
    };
    assert!(!of(&[]));
    assert!(of(&["--quantity=1000"]));
    for (name, text, words) in [
        (
            "unknown.csv",
            "part,quantity,price,currency,date\nem065lx,1,3,EUR,2026-11-02\n",
            "em064lx",
        ),
        (
            "currency.csv",
            "part,quantity,price,currency,date\nem064lx,1,3,XYZ,2026-11-02\n",
            "exchange",
        ),
        (
            "cut.csv",
            "part,quantity,price,currency,date\nem064lx,1,3\n",
            "cut.csv:2",
        ),
        ("head.csv", "id,eur\nem064lx,3\n", "head.csv:1"),
        (
            "bytes.csv",
            "part,quantity,price,currency,date\nem064lx,1,\u{0},EUR,2026-11-02\n",
            "bytes.csv:2",
        ),
    ] {
        let folder = Folder::new().with(name, text);
        wordline(&["part", "list", "--prices", &folder.file(name)]).refused(&[words]);
    }
    wordline(&["part", "list", "--prices", "nowhere.csv"]).refused(&["nowhere.csv"]);
    wordline(&["part", "list", "--quantity", "0"]).refused(&["--quantity"]);
}
