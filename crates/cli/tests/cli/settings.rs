//! Defaults of the working folder, and the command that asks.

use crate::cli::support::{Folder, Ran, command};

fn within(settings: &str, arguments: &[&str]) -> Ran {
    let folder = Folder::new().with("wordline.toml", settings).with(
        "prices.csv",
        "part,quantity,price,currency,date\nem064lx,1,40,USD,2026-11-02\n",
    );
    Ran::of(command(arguments).current_dir(folder.path()))
}

const COMPARE: [&str; 5] = [
    "compare",
    "--rate=5KB/s",
    "--keep=1MiB",
    "--target=em064lx,mt25ql128",
    "--format=json",
];

#[test]
fn the_working_folder_gives_defaults_that_flags_come_before() {
    let settings = "quiet = false\nprices = [\"prices.csv\"]\nexchange = \"USD=0.5\"\n\n\
                    [compare]\nprefer = \"life\"\nmin-life = \"10y\"\n";
    let ran = within(settings, &COMPARE).done();
    let document = ran.json();
    assert_eq!(
        document["experiment"]["workload"]["prefer"], "life",
        "{}",
        document["experiment"]
    );
    assert!(
        ran.stderr.contains("note: wordline.toml adds"),
        "{}",
        ran.stderr
    );
    let verdicts = document["verdicts"].as_array().expect("verdicts");
    assert_eq!(verdicts.len(), 4);
    let rows = document["rows"].as_array().expect("rows");
    let cost = |row: &&serde_json::Value| row["metric"] == "cost" && row["part"] == "em064lx";
    let cost = rows.iter().find(cost).expect("a cost");
    assert_eq!(cost["value"], 20.0);
    let flagged = within(settings, &[&COMPARE[..], &["--prefer=ram"]].concat()).done();
    assert_eq!(flagged.json()["experiment"]["workload"]["prefer"], "ram");
    let aside = within(settings, &[&COMPARE[..], &["--no-settings"]].concat()).done();
    assert!(aside.json()["experiment"]["workload"]["prefer"].is_null());
    // A table of another command changes nothing here.
    within(
        "[compare]\nprefer = \"life\"\n",
        &["part", "show", "em064lx"],
    )
    .done();
}

#[test]
fn half_written_settings_are_refused_with_their_place() {
    let refused = |settings: &str, words: &[&str]| within(settings, &COMPARE).refused(words);
    refused("quiet = tru", &["wordline.toml, line 1"]);
    refused("a = 1\n\n[compare]\nprefer = ", &["wordline.toml, line 4"]);
    refused("colour = true", &["wordline.toml", "colour", "catalog"]);
    refused(
        "[compare]\npreffer = \"life\"",
        &["compare.preffer", "did you mean prefer"],
    );
    refused(
        "[comparre]\nprefer = \"life\"",
        &["comparre", "did you mean compare"],
    );
    refused("[compare]\nprefer = \"speed\"", &["wordline.toml", "speed"]);
    refused("quiet = \"yes\"", &["quiet is true or false"]);
    refused("quantity = true", &["quantity is a text, a number"]);
    refused("[compare.prefer]\nx = 1", &["compare.prefer is a text"]);
    refused("exchange = \"USD\"", &["--exchange", "USD=0.92"]);
    // What is written or destroyed stands on the command line.
    for settings in [
        "[compare]\nexport = \"wordline.html\"",
        "[compare]\nbaseline = \"x.json\"",
        "[compare]\nlog = [\"x.log\"]",
    ] {
        refused(settings, &["names a file", "on the command line"]);
    }
    let bench = ["kv", "bench", "--target=file:table.bin"];
    within("[kv.bench]\ndestroy = \"table.bin\"", &bench)
        .refused(&["kv.bench.destroy", "names a file"]);
    refused(
        "[fs.bnech]\nfs = \"fat\"",
        &["fs.bnech", "did you mean bench"],
    );
    refused("[dram]\nband = \"none\"", &["dram.band"]);
    refused("help = true", &["help"]);
}

fn asked(answers: &str) -> Ran {
    Ran::of(command(&["ask"]).write_stdin(answers))
}

#[test]
fn four_answers_become_a_command_that_runs() {
    let ran = asked("log\n500KB/s\n10y\n5 EUR\n").done();
    let words = "wordline compare --work log --rate 500KB/s --min-life 10y --max-cost '5 EUR'\n";
    assert_eq!(ran.stdout, words);
    assert!(ran.stderr.contains("What do you write?"), "{}", ran.stderr);
    let usual = asked("").done();
    assert_eq!(usual.stdout, "wordline compare --work log --rate 100KB/s\n");
    asked("log\nfast\n").refused(&["fast"]);
    asked("tape\n").refused(&["tape", "--work"]);
    let long = "x".repeat(100_000);
    asked(&long).refused(&["fewer than"]);
    // Where no part has a price, the question says so, and Enter skips it.
    assert!(
        usual.stderr.contains("has a price without --prices"),
        "{}",
        usual.stderr
    );
    let folder = Folder::new();
    let prices = folder.file("prices.csv");
    std::fs::write(
        &prices,
        "part,quantity,price,currency,date\nem064lx,1,9.9,EUR,2026-01-01\n",
    )
    .expect("it is written");
    let arguments = ["ask", "--prices", &prices];
    let priced = Ran::of(command(&arguments).write_stdin("")).done();
    let words = format!("wordline compare --prices {prices} --work log --rate 100KB/s\n");
    assert_eq!(priced.stdout, words);
    assert!(
        !priced.stderr.contains("without --prices"),
        "{}",
        priced.stderr
    );
    // A bare command in a pipe shows its help, and asks nothing.
    let bare = Ran::of(&mut command(&[]));
    assert_eq!(bare.code, Some(2));
    assert!(!bare.stderr.contains("What do you write?"), "{bare:?}");
}
