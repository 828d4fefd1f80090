//! Files that are refused: each fault names its line and what would suffice.

use super::tests::{PLAIN, XEON, imported};
use super::{CounterContext, CounterFault};

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../../../fuzz/corpus/counters/", $name)).as_slice()
    };
}

fn refused(
    file: &[u8],
    cpu: Option<&str>,
    context: &CounterContext<'_>,
    words: &[&str],
) -> CounterFault {
    let fault = imported(&[file], cpu, context).expect_err(words[0]);
    let text = fault.to_string();
    for words in words {
        assert!(text.contains(words), "{words}: {text}");
    }
    fault
}

#[test]
fn faults_name_line_and_remedy() {
    let gnr = Some("granite-rapids");
    refused(
        file!("perf-locale.csv"),
        None,
        &XEON,
        &["line 1", "decimal commas", "LC_ALL=C"],
    );
    refused(
        file!("perf-locale.json"),
        None,
        &XEON,
        &["line 1", "decimal commas"],
    );
    refused(
        file!("toplev-locale.csv"),
        None,
        &XEON,
        &["line 2", "decimal commas"],
    );
    refused(
        file!("perfspect-locale.csv"),
        None,
        &XEON,
        &["line 2", "decimal commas"],
    );
    let fault = refused(
        file!("perf-duplicate.csv"),
        gnr,
        &XEON,
        &["line 15", "\"cycles\"", "line 6"],
    );
    assert_eq!(fault.line(), Some(15));
    refused(
        file!("perf-other-core.csv"),
        gnr,
        &XEON,
        &["line 15", "umc_cas_cmd.rd", "is of zen4", "with --cpu"],
    );
    refused(
        file!("perf-other-core.csv"),
        None,
        &XEON,
        &[
            "line 15",
            "is of zen4",
            "is of granite-rapids",
            "one machine",
        ],
    );
    refused(
        file!("perf-whole.csv"),
        Some("zen4"),
        &XEON,
        &["is of emerald-rapids, granite-rapids or sapphire-rapids, not of zen4"],
    );
    refused(
        file!("toplev-other.csv"),
        gnr,
        &XEON,
        &["line 1", "is of zen4, not of granite-rapids"],
    );
    refused(
        file!("likwid.csv"),
        gnr,
        &XEON,
        &["line 3", "not of granite-rapids"],
    );
    refused(
        file!("perf-back.csv"),
        gnr,
        &XEON,
        &["line 31", "follow each other"],
    );
    refused(
        file!("perfspect-back.csv"),
        None,
        &XEON,
        &["line 5", "follow each other"],
    );
    refused(
        file!("pcm-overlap.csv"),
        None,
        &XEON,
        &["line 5", "follow each other"],
    );
    refused(file!("perf-cut.csv"), gnr, &XEON, &["the file ends here"]);
    refused(file!("perf-cut.json"), None, &XEON, &["the file ends here"]);
    refused(
        file!("likwid-cut.csv"),
        None,
        &XEON,
        &["the file ends here"],
    );
    refused(file!("pcm-cut.csv"), None, &XEON, &["the file ends here"]);
    refused(
        file!("perf-human.txt"),
        None,
        &XEON,
        &["line 4", "for people", "-x, or -j"],
    );
    refused(
        file!("likwid-tables.txt"),
        None,
        &XEON,
        &["line 2", "for people", "-O"],
    );
    refused(
        file!("toplev-columns.csv"),
        None,
        &XEON,
        &["line 1", "--columns"],
    );
    refused(
        file!("pcm-no-memory.csv"),
        None,
        &XEON,
        &["line 2", "columns of memory are missing"],
    );
    refused(
        file!("perf-odd-unit.csv"),
        None,
        &XEON,
        &["line 1", "\"Joules\"", "allowed"],
    );
    refused(
        file!("foreign.csv"),
        None,
        &XEON,
        &["line 1", "of no tool", "likwid-perfctr -O"],
    );
    refused(file!("no-text"), None, &XEON, &["line 1", "UTF-8"]);
    for empty in [file!("empty"), file!("comments")] {
        assert_eq!(
            imported(&[empty], None, &XEON).err(),
            Some(CounterFault::Empty)
        );
    }
}

#[test]
fn what_cannot_be_is_refused_and_what_is_missing_is_named() {
    refused(
        file!("perf-half.csv"),
        None,
        &XEON,
        &[
            "lines read from memory cannot be found",
            "unc_m_cas_count_sch1.rd is not among the events",
            "wordline app events --cpu granite-rapids",
        ],
    );
    refused(
        file!("perf-not-counted.csv"),
        None,
        &XEON,
        &["line 11: unc_m_cas_count_sch0.rd was not counted"],
    );
    // Three times the reads, 1,050 GB/s, over a bus of 614 GB/s.
    refused(
        file!("perf-fast.csv"),
        None,
        &XEON,
        &["1137.5 GB/s", "614.4 GB/s", "--on"],
    );
    // 984 lines under way, and 30 cores with 26 each.
    let few = CounterContext {
        cores: Some(30),
        ..XEON
    };
    refused(
        file!("perf-whole.csv"),
        None,
        &few,
        &["984 lines under way", "30 cores have 780", "--cores"],
    );
    // The same counts on one core, stalls of a thousand times the cycles, and memory that delivered nothing.
    let one = CounterContext {
        cores: Some(1),
        ..PLAIN
    };
    refused(
        file!("perf-whole.csv"),
        None,
        &one,
        &["128.0 processors were busy", "1 cores ran it", "--cores"],
    );
    let whole = std::str::from_utf8(file!("perf-whole.csv")).expect("text");
    let with = |event: &str, count: &str| -> Vec<u8> {
        let lines = whole.lines().map(|line| match line.contains(event) {
            true => {
                let (_, rest) = line.split_once(',').expect("a count");
                format!("{count},{rest}\n")
            }
            false => format!("{line}\n"),
        });
        lines.collect::<String>().into_bytes()
    };
    refused(
        &with("stalls_l3_miss", "99999999999999999"),
        None,
        &XEON,
        &["cores would have waited", "contradict"],
    );
    refused(
        &with("unc_m_cas_count", "0"),
        None,
        &XEON,
        &["cores asked memory for", "it delivered 0"],
    );
    let more = whole.replacen("100.00", "200.00", 1);
    refused(more.as_bytes(), None, &XEON, &["200 %", "0 to 100 %"]);
    let cores = imported(&[file!("perfspect.csv")], None, &PLAIN).expect_err("no cores");
    assert!(cores.to_string().contains("--cores N"), "{cores}");
    refused(
        file!("perf-metric-only.json"),
        None,
        &XEON,
        &["lines read from memory cannot be found"],
    );
    let huge = imported(&[file!("huge.csv")], None, &XEON);
    assert!(huge.is_err(), "{huge:?}");
}

#[test]
fn what_the_machine_cannot_count_is_a_reason() {
    let text = b"<not supported>,,cycles,0,100.00,,\n5.0,msec,task-clock,5000000,100.00,0.5,CPUs utilized\n";
    let context = CounterContext {
        cores: Some(2),
        ..PLAIN
    };
    let words = [
        "line 1: cycles is not supported on this machine",
        "--cpu CORE prints",
    ];
    refused(text, None, &context, &words);
}

/// A sound file in which each of some texts stands once, and is another one.
fn changed(file: &[u8], changes: &[(&str, &str)]) -> Vec<u8> {
    let mut text = String::from_utf8(file.to_vec()).expect("text");
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    text.into_bytes()
}

const FOUR: CounterContext<'static> = CounterContext {
    cores: Some(4),
    ..PLAIN
};

#[test]
fn counts_that_no_core_can_have_contradict_each_other() {
    let likwid = file!("likwid.csv");
    let retired = [(
        "INSTR_RETIRED_ANY,FIXC0,16500000000",
        "INSTR_RETIRED_ANY,FIXC0,16500000000000000",
    )];
    refused(
        &changed(likwid, &retired),
        None,
        &FOUR,
        &["instructions were retired in", "the same run"],
    );
    let idle = [("1600000.00,msec,task-clock", "0.00,msec,task-clock")];
    refused(
        &changed(file!("perf-whole.csv"), &idle),
        None,
        &XEON,
        &["no processor was busy", "task-clock"],
    );
}

#[test]
fn a_bandwidth_that_was_not_counted_is_missing_and_not_zero() {
    let lost = [
        (
            "Memory read bandwidth [MBytes/s],120500.0000,0,0,0",
            "Memory read bandwidth [MBytes/s],nan,0,0,0",
        ),
        (
            "Memory read data volume [GBytes]",
            "Memory read data volume [lost]",
        ),
    ];
    refused(
        &changed(file!("likwid.csv"), &lost),
        None,
        &FOUR,
        &["lines read from memory"],
    );
}
