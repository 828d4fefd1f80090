use super::*;
use crate::{AccessStream, AskedAccess, LoggedAccess, MAX_LINE, Oddity, TraceError};
use wordline_core::Operation;

/// A disk with a write that is merged, a read, a flush, a discard and a message, as blkparse prints them.
const TRACE: &str = "\
Input file sda.blktrace.0 added
  8,0    3        1     0.000000000   697  A   W 223490 + 8 <- (8,1) 223427
  8,0    3        2     0.000001000   697  Q   W 223490 + 8 [kjournald]
  8,0    3        3     0.000002500   697  G   W 223490 + 8 [kjournald]
  8,0    3        4     0.000003000   697  P   N [kjournald]
  8,0    3        5     0.000004000   697  Q  WS 223498 + 8 [kjournald]
  8,0    3        6     0.000005000   697  M  WS 223498 + 8 [kjournald]
  8,0    3        0     0.000005500     0  m   N cfq697 sl_used=1 disp=1 charge=1
  8,0    3        7     0.000006000   697  I   W 223490 + 16 [kjournald]
  8,0    3        8     0.000006500   697  U   N [kjournald] 1
  8,0    3        9     0.000007000   697  D   W 223490 + 16 [kjournald]
  8,0    1        1     0.000020000   812  Q  RA 1000 + 256 [my prog] x]
  8,0    1        2     0.000021000   812  D  RA 1000 + 256 [my prog] x]
  8,0    3       10     0.000100000     0  C   W 223490 + 16 [0]
  8,0    1        3     0.000121000     0  C  RA 1000 + 256 [0]
  8,0    1        4     0.000200000   812  Q FWS [fsync]
  8,0    1        5     0.000210000   812  D  FN [fsync]
  8,0    1        6     0.000300000     0  C  FN 0 [0]
  8,0    1        7     0.000400000   812  Q   D 4096 + 2048 [fstrim]
  8,0    1        8     0.000410000   812  D   R 36 (12 00 00 00 24 00 ..) [smartctl]
CPU1 (8,0):
 Reads Queued:           1,      128KiB\t Writes Queued:           2,        8KiB
 Read depth:             1        \t Write depth:             1
 IO unplugs:             0        \t Timer unplugs:           0

Total (sda):
 Reads Queued:           1,      128KiB\t Writes Queued:           2,        8KiB

Throughput (R/W): 0KiB/s / 0KiB/s
Events (sda): 19 entries
Skips: 0 forward (0 -   0.0%)
";

fn asked(
    text: &str,
    asked: AskEvent,
    device: Option<BlockDeviceId>,
) -> Result<(Vec<AskedAccess>, Vec<Oddity>), TraceError> {
    let mut reader = AccessStream::new(BlkparseWorkload::new(text.as_bytes(), asked, device));
    let accesses = reader.by_ref().collect::<Result<Vec<_>, _>>()?;
    assert!(reader.next().is_none());
    Ok((accesses, reader.summary().oddities))
}

fn logged(text: &str, span: LatencySpan) -> Result<(Vec<LoggedAccess>, Vec<Oddity>), TraceError> {
    let mut reader = AccessStream::new(BlkparseLatencies::new(text.as_bytes(), span, None));
    let accesses = reader.by_ref().collect::<Result<Vec<_>, _>>()?;
    assert!(reader.next().is_none());
    Ok((accesses, reader.summary().oddities))
}

fn ns(ns: u64) -> Time {
    Time::from_ps(ns * 1000)
}

fn skipped(line: u64, count: u64, what: &'static str) -> Oddity {
    Oddity::Skipped { line, count, what }
}

#[test]
fn q_events_are_a_workload() {
    let (accesses, oddities) = asked(TRACE, AskEvent::Auto, None).expect("sound");
    let of = |operation, sector: u64, sectors: u64, at, line| AskedAccess {
        operation,
        bytes: sectors * 512,
        offset: sector * 512,
        at: Some(ns(at)),
        line,
    };
    assert_eq!(
        accesses,
        [
            of(Operation::Write, 223_490, 8, 0, 3),
            of(Operation::Write, 223_498, 8, 3000, 6),
            of(Operation::Read, 1000, 256, 19_000, 12),
        ]
    );
    let expected = [
        skipped(16, 1, "flushes and commands without data"),
        skipped(19, 1, "discards"),
    ];
    assert_eq!(oddities, expected);
}

#[test]
fn d_events_are_a_workload_where_there_is_no_q() {
    let without_q: String = TRACE
        .lines()
        .filter(|line| !line.contains(" Q "))
        .map(|line| format!("{line}\n"))
        .collect();
    for (text, choice) in [
        (without_q.as_str(), AskEvent::Auto),
        (TRACE, AskEvent::Issued),
    ] {
        let (accesses, _) = asked(text, choice, None).expect("sound");
        let told: Vec<_> = accesses
            .iter()
            .map(|access| (access.bytes, access.at))
            .collect();
        assert_eq!(told, [(8192, Some(ns(0))), (131_072, Some(ns(14_000)))]);
    }
    assert!(matches!(
        asked(&without_q, AskEvent::Queued, None),
        Err(TraceError::Empty)
    ));
}

#[test]
fn a_q_behind_thousands_of_d_is_refused_unless_chosen() {
    let mut text = "8,0 0 1 0.000000000 1 D R 8 + 8 [x]\n".repeat(4096);
    text.push_str("8,0 0 1 0.000000000 1 Q R 8 + 8 [x]\n");
    let error = asked(&text, AskEvent::Auto, None)
        .expect_err("ambiguous")
        .to_string();
    assert!(
        error.starts_with("line 4097: ") && error.contains("choose Q or D"),
        "{error}"
    );
    assert_eq!(
        asked(&text, AskEvent::Queued, None).expect("sound").0.len(),
        1
    );
    assert_eq!(
        asked(&text, AskEvent::Issued, None).expect("sound").0.len(),
        4096
    );
    // One D fewer, and they were only requests from before the trace.
    let fewer = text.split_once('\n').expect("lines").1;
    assert_eq!(
        asked(fewer, AskEvent::Auto, None).expect("sound").0.len(),
        1
    );
}

#[test]
fn latencies_go_from_d_to_c() {
    let (accesses, oddities) = logged(TRACE, LatencySpan::IssuedToCompleted).expect("sound");
    let told: Vec<_> = accesses
        .iter()
        .map(|a| (a.operation, a.bytes, a.duration, a.end, a.line))
        .collect();
    assert_eq!(
        told,
        [
            (Operation::Write, 8192, ns(93_000), Some(ns(100_000)), 14),
            (Operation::Read, 131_072, ns(100_000), Some(ns(121_000)), 15),
        ]
    );
    assert_eq!(
        oddities,
        [skipped(17, 2, "flushes and commands without data")]
    );
}

#[test]
fn latencies_from_q_end_with_the_request_that_took_them_in() {
    let (accesses, oddities) = logged(TRACE, LatencySpan::QueuedToCompleted).expect("sound");
    let told: Vec<_> = accesses
        .iter()
        .map(|a| (a.bytes, a.offset, a.duration))
        .collect();
    assert_eq!(
        told,
        [
            (4096, Some(223_490 * 512), ns(99_000)),
            (4096, Some(223_498 * 512), ns(96_000)),
            (131_072, Some(512_000), ns(101_000)),
        ]
    );
    assert!(
        !oddities
            .iter()
            .any(|oddity| matches!(oddity, Oddity::Unmatched { .. }))
    );
}

#[test]
fn requeued_failed_and_unmatched_accesses_are_told_apart() {
    let text = "\
8,0 0 1 0.000000100 1 D R 8 + 8 [x]
8,0 0 2 0.000000200 1 R R 8 + 8 [0]
8,0 0 3 0.000000300 1 D R 8 + 8 [x]
8,0 0 4 0.000000400 1 C R 8 + 8 [0]
8,0 0 5 0.000000500 1 D R 16 + 8 [x]
8,0 0 6 0.000000600 1 C R 16 + 8 [-5]
8,0 0 7 0.000000700 1 C W 24 + 8 [0]
8,0 0 8 0.000000800 1 D R 32 + 8 [x]
8,0 0 9 0.000000700 1 D R 8 + 8 (     123) [x]
8,0 0 9 0.000000900 1 D R 8 + 8 [x]
8,0 0 9 0.000000950 1 C R 8 + 8 (     123) [0]
";
    let (accesses, oddities) = logged(text, LatencySpan::IssuedToCompleted).expect("sound");
    let told: Vec<_> = accesses
        .iter()
        .map(|access| (access.duration, access.line))
        .collect();
    // Of two that are under way the older one ends first.
    assert_eq!(
        told,
        [
            (ns(0).plus(Time::from_ps(100_000)), 4),
            (Time::from_ps(250_000), 11)
        ]
    );
    assert_eq!(
        oddities,
        [
            Oddity::BackwardsTime {
                line: 9,
                count: 1,
                most: Time::from_ps(100_000)
            },
            skipped(6, 1, "failed accesses"),
            Oddity::Unmatched {
                line: 8,
                count: 2,
                what: "D without their C"
            },
            Oddity::Unmatched {
                line: 7,
                count: 1,
                what: "C without their D"
            },
        ]
    );
}

#[test]
fn completions_alone_are_of_no_use() {
    let text = "8,0 0 4 0.000000400 1 C R 8 + 8 [0]\n";
    let error = logged(text, LatencySpan::IssuedToCompleted)
        .expect_err("useless")
        .to_string();
    assert!(
        error.starts_with("line 1: 0 accesses were issued (D) and 1 completed (C)"),
        "{error}"
    );
}

#[test]
fn a_second_device_is_refused_unless_one_is_chosen() {
    let text = "8,0 0 1 0.000000000 1 Q R 8 + 8 [x]\n8,16 0 1 0.000001000 1 Q R 9 + 8 [x]\n";
    let error = asked(text, AskEvent::Auto, None)
        .expect_err("two")
        .to_string();
    assert!(
        error.starts_with("line 2: an event of device 8,16, behind events of 8,0"),
        "{error}"
    );
    let chosen = "8,16".parse().expect("a device");
    let (accesses, oddities) = asked(text, AskEvent::Auto, Some(chosen)).expect("sound");
    assert_eq!(accesses[0].offset, 9 * 512);
    assert_eq!(oddities, [skipped(1, 1, "events of other devices")]);
}

#[test]
fn a_last_line_that_is_cut_is_left_out() {
    let whole = "8,0 0 1 0.000000000 1 Q R 8 + 80 [x]\n8,0 0 1 0.000001000 1 Q R 9 + 80 [x]";
    assert_eq!(
        asked(whole, AskEvent::Auto, None).expect("sound").0.len(),
        2
    );
    let start = whole.find('\n').expect("two lines") + 1;
    for end in start + 1..whole.len() {
        let (accesses, oddities) = asked(&whole[..end], AskEvent::Auto, None).expect("sound");
        assert_eq!(accesses.len(), 1, "{:?}", &whole[..end]);
        assert_eq!(
            oddities,
            [Oddity::TruncatedEnd { line: 2 }],
            "{:?}",
            &whole[..end]
        );
    }
}

#[test]
fn lines_that_are_no_default_output_are_refused_with_what_is_expected() {
    let event = "8,0 0 1 0.000000000 1 Q R 8 + 8 [x]";
    for (text, told) in [
        ("0.000000000 8 8 R", "run blkparse without -f and -F"),
        ("kernel panic", "run blkparse without -f and -F"),
        (&event.replace("8,0 0", "8,0 x"), "is not the CPU"),
        (
            &event.replace(" 1 0.", " one 0."),
            "is not the sequence number",
        ),
        (&event.replace("0.000000000", "0.0"), "is no time"),
        (
            &event.replace("0.000000000", "99999999.000000000"),
            "beyond 213 days",
        ),
        (&event.replace("1 Q", "-f Q"), "number of a process"),
        (
            &event.replace(" Q ", " Z "),
            "is no action; allowed are A B C",
        ),
        (&event.replace(" R ", " RX "), "is no RWBS"),
        (&event.replace(" R ", " F "), "is no RWBS"),
        (&event.replace("+ 8", "- 8"), "expected the first sector"),
        (&event.replace("+ 8", "+ 0"), "allowed are 1 sector"),
        (
            &event.replace(" 8 +", " 18446744073709551615 +"),
            "end below 2^64",
        ),
        (&event.replace("[x]", "[x"), "does not end with […]"),
        (&event.replace(" Q ", " C "), "ends with its error"),
        ("8,0 0 1", "ends where the time should stand"),
    ] {
        let error = asked(&format!("{event}\n{text}\n"), AskEvent::Auto, None)
            .expect_err(text)
            .to_string();
        assert!(
            error.starts_with("line 2: ") && error.contains(told),
            "{text}: {error}"
        );
    }
    let joined = format!("{event}\nSkips: 0 forward (0 - 0.0%)\n\n{event}\n");
    let error = asked(&joined, AskEvent::Auto, None)
        .expect_err("joined")
        .to_string();
    assert!(
        error.starts_with("line 4: an event behind the summary"),
        "{error}"
    );
    let long = format!("{event}\n{}\n", "x".repeat(MAX_LINE));
    let error = asked(&long, AskEvent::Auto, None)
        .expect_err("long")
        .to_string();
    assert!(
        error.starts_with("line 2: longer than 65536 bytes"),
        "{error}"
    );
}

#[test]
fn statistics_of_programs_are_skipped() {
    let text = "8,0 0 1 0.000000000 1 Q R 8 + 8 [x]\nmy prog (697, ...)\n Reads Queued: 1, 4KiB\t Writes Queued: 0\n \
                Allocation wait: 0\t Allocation wait: 1\nx (1)\n";
    assert_eq!(asked(text, AskEvent::Auto, None).expect("sound").0.len(), 1);
}

#[test]
fn a_beginning_whose_completion_never_comes_is_given_up() {
    let mut text = String::new();
    for at in 0..70_000 {
        text.push_str(&format!(
            "8,0 0 1 {at}.000000000 1 D R {} + 8 [x]\n",
            at * 8
        ));
    }
    text.push_str(
        "8,0 0 1 70000.000000000 1 C R 8 + 8 [0]\n8,0 0 1 70001.000000000 1 C R 559992 + 8 [0]\n",
    );
    let (accesses, oddities) = logged(&text, LatencySpan::IssuedToCompleted).expect("sound");
    assert_eq!(accesses.len(), 1);
    assert_eq!(
        oddities,
        [
            Oddity::Unmatched {
                line: 1,
                count: 69_999,
                what: "D without their C"
            },
            Oddity::Unmatched {
                line: 70_001,
                count: 1,
                what: "C without their D"
            },
        ]
    );
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "([ -~]|\n|8,0 0 1 0.0000000[0-9]0 1 [QDC] [RWN] 8 \\+ 8 \\[0\\]\n){0,40}") {
        let _ = asked(&text, AskEvent::Auto, None);
        let _ = logged(&text, LatencySpan::QueuedToCompleted);
    }
}
