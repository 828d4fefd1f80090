//! `wordline kv`.

use crate::support::wordline;

const BENCH: [&str; 10] = [
    "kv",
    "bench",
    "--target",
    "as3004316",
    "--size",
    "4B,8B/2B",
    "--capacity",
    "4KiB",
    "--quiet",
    "--format",
];

#[test]
fn a_bench_is_the_same_twice_and_names_its_floor() {
    let first = wordline(&[&BENCH[..], &["json"]].concat()).done().stdout;
    assert_eq!(
        first,
        wordline(&[&BENCH[..], &["json"]].concat()).done().stdout
    );
    let table = wordline(&[&BENCH[..], &["table"]].concat()).done().stdout;
    assert!(
        table.contains("as3004316@stm32h743-fmc16: insert"),
        "{table}"
    );
    assert!(
        table.contains("8 B / 2 B") && table.contains("floor"),
        "{table}"
    );
}

#[test]
fn a_required_table_that_loses_something_fails_the_command() {
    let crash = [
        "kv",
        "crash",
        "--target",
        "as3004316",
        "--images",
        "40",
        "--quiet",
        "--table",
    ];
    let lost = wordline(&[&crash[..], &["lpht", "--require", "lpht", "--size", "32B"]].concat());
    assert_eq!(lost.code, Some(1), "{}", lost.stderr);
    let kept = wordline(&[&crash[..], &["own", "--require", "own"]].concat());
    assert_eq!(kept.code, Some(0), "{}", kept.stderr);
    assert!(kept.stdout.contains("Power cuts"), "{}", kept.stdout);
    let absent = wordline(&[&crash[..], &["own", "--require", "clht"]].concat());
    assert_eq!(absent.code, Some(2));
    assert!(
        absent.stderr.contains("not among the tables"),
        "{}",
        absent.stderr
    );
}

#[test]
fn what_cannot_run_is_refused_by_name() {
    for (words, said) in [
        (&["bench", "--target", "mt25ql128"][..], "one by one"),
        (
            &["bench", "--target", "as3004316", "--size", "1KiB"],
            "1 B to 256 B",
        ),
        (
            &["bench", "--target", "as3004316", "--size", "0B/4B"],
            "1 B to 256 B",
        ),
        (
            &["bench", "--target", "as3004316", "--table", "btree"],
            "lpht, clht, own",
        ),
        (&["bench", "--target", "ram@fpga-stddr4"], "does not say"),
        (&["crash", "--target", "ram"], "keeps nothing without power"),
        (&["dump", "no-such-image.bin"], "cannot be read"),
        (&["dump", "Cargo.toml"], "holds no table"),
    ] {
        wordline(&[&["kv"], words].concat()).refused(&[said]);
    }
}
