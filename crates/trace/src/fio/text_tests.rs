use proptest::prelude::*;

use super::*;
use crate::{Log, Oddity, open};

fn read_with(
    text: &[u8],
    options: &LogOptions,
) -> Result<(Vec<LoggedAccess>, LogSummary), TraceError> {
    let Log::Accesses(mut accesses) = open(text, options)? else {
        panic!("accesses in their order");
    };
    let all = accesses.by_ref().collect::<Result<_, _>>()?;
    assert!(accesses.next().is_none(), "nothing follows the end");
    Ok((all, accesses.summary()))
}

fn read(text: &str) -> Result<(Vec<LoggedAccess>, LogSummary), TraceError> {
    read_with(text.as_bytes(), &LogOptions::default())
}

fn refused(text: &str) -> String {
    read(text).expect_err("refused").to_string()
}

fn named(name: &str) -> LogOptions {
    LogOptions {
        name: Some(name.to_owned()),
        ..LogOptions::default()
    }
}

const THREE: &str = "0, 313, 1, 4096, 0, 0\n1, 105, 0, 512, 4096, 0\n1, 66, 2, 4096, 8192, 0\n";

#[test]
fn a_line_is_an_access() {
    let (all, summary) = read(THREE).expect("sound");
    assert_eq!(
        all[1],
        LoggedAccess {
            operation: Operation::Read,
            duration: Time::from_ps(105_000),
            bytes: 512,
            offset: Some(4096),
            end: Some(Time::from_ps(1_000_000_000)),
            line: 2,
        }
    );
    assert_eq!(all.len(), 2);
    assert_eq!(summary.resolution, Some(Time::from_ps(1_000_000_000)));
    assert_eq!(
        summary.oddities,
        [Oddity::Skipped {
            line: 3,
            count: 1,
            what: "trims"
        }]
    );
}

#[test]
fn white_space_line_ends_comments_and_byte_order_marks_do_not_matter() {
    let (plain, _) = read(THREE).expect("sound");
    for text in [
        THREE.replace('\n', "\r\n"),
        THREE.replace(", ", ","),
        THREE.replace(", ", " ,\t"),
        format!("\u{FEFF}{THREE}"),
        THREE.replace(", 0\n", ", 0x0000\n"),
    ] {
        assert_eq!(read(&text).expect("sound").0, plain, "{text:?}");
    }
    let (all, _) = read(&format!("# a comment\n\n{THREE}")).expect("sound");
    assert_eq!((all[0].line, all[1].line), (3, 4));
}

#[test]
fn the_unit_is_said_or_told_by_the_columns_or_assumed() {
    let old = "0, 313, 1, 4096\n";
    let (all, summary) = read(old).expect("sound");
    assert_eq!(all[0].duration, Time::from_ps(313_000));
    assert_eq!(summary.oddities, [Oddity::UnitAssumed]);
    let options = LogOptions {
        unit: Some(LatencyUnit::Microseconds),
        ..LogOptions::default()
    };
    let (all, summary) = read_with(old.as_bytes(), &options).expect("sound");
    assert_eq!(all[0].duration, Time::from_ps(313_000_000));
    assert!(summary.oddities.is_empty());
    assert!(
        read("0, 313, 1, 4096, 0\n")
            .expect("sound")
            .1
            .oddities
            .is_empty()
    );
}

#[test]
fn issue_times_say_exactly_when_an_access_ended() {
    let text = "5, 313, 1, 4096, 8192, 0, 4999000\n5, 400, 1, 4096, 0, 0, 5000000\n";
    let ends = |options: &LogOptions| -> Vec<u64> {
        let (all, _) = read_with(text.as_bytes(), options).expect("sound");
        all.iter()
            .filter_map(|each| each.end)
            .map(Time::ps)
            .collect()
    };
    assert_eq!(ends(&LogOptions::default()), [5_000_000_000; 2]);
    assert_eq!(ends(&named("x_clat.1.log")), [4_999_313_000, 5_000_400_000]);
    assert_eq!(ends(&named("x_slat.1.log")), [4_999_000_000, 5_000_000_000]);
}

#[test]
fn averages_bandwidths_and_counts_are_refused_with_the_way_out() {
    for text in [
        "1000, 313, 1, 0\n",
        "1000, 313, 1, 0, 0\n",
        "1000, 313, 1, 0, 0, 0\n",
        "1000, 313, 414, 1, 0, 0\n",
        "1000, 313, 414, 1, 0, 0, 0, 0\n",
    ] {
        let error = refused(text);
        assert!(error.starts_with("line 1: the block size is 0"), "{error}");
        assert!(error.contains("log_avg_msec=0"), "{error}");
    }
    let later = format!("{THREE}1000, 313, 1, 0, 0, 0\n");
    assert!(refused(&later).starts_with("line 4: the block size is 0"));
    assert!(refused(&"0, 1, 0, 4096, 0, 0\n".repeat(9)).contains("operations counted"));
    for name in ["x_bw.1.log", "x_iops.log"] {
        let error = read_with(THREE.as_bytes(), &named(name)).expect_err("refused");
        assert!(matches!(error, TraceError::Useless { line: 1, .. }));
        assert!(error.to_string().contains("write_lat_log"), "{error}");
    }
}

#[test]
fn times_that_run_backwards_are_counted() {
    let text = "5, 3, 1, 512, 0, 0\n5, 3, 1, 512, 0, 0\n4, 3, 1, 512, 0, 0\n9, 3, 1, 512, 0, 0\n1, 3, 1, 512, 0, 0\n";
    let (all, summary) = read(text).expect("sound");
    assert_eq!(all.len(), 5);
    let most = Time::from_ps(8_000_000_000);
    let backwards = Oddity::BackwardsTime {
        line: 3,
        count: 2,
        most,
    };
    assert_eq!(summary.oddities, [backwards]);
}

#[test]
fn a_last_line_without_end_is_left_out() {
    for end in ["1, 66", "1, 66, 1, 4096, 8192, 0", "1, 6x", "\0\0"] {
        let (all, summary) = read(&format!("{THREE}{end}")).expect("sound");
        assert_eq!(all.len(), 2);
        assert!(
            summary.oddities.contains(&Oddity::TruncatedEnd { line: 4 }),
            "{end:?}"
        );
    }
    assert!(refused("1, 66, 1, 4096").contains("has no line end"));
}

#[test]
fn lines_that_make_no_sense_are_refused_with_their_column() {
    let line = |line: &str| refused(&format!("{THREE}{line}\n{THREE}"));
    for (text, problem) in [
        ("1, 66, 1, 4096", "4 columns, where the lines before have 6"),
        (
            "1, 66, 1, 4096, 0, 0, 0, 0, 0",
            "9 columns, where the lines before have 6",
        ),
        (
            "1, 6x, 1, 4096, 0, 0",
            "column 2 (value) is \"6x\": it is no number; a whole number belongs there",
        ),
        (
            "1, -6, 1, 4096, 0, 0",
            "column 2 (value) is \"-6\": it is below zero; a whole number belongs there",
        ),
        (
            "1, , 1, 4096, 0, 0",
            "column 2 (value) is \"\": there is nothing; a whole number belongs there",
        ),
        (
            "1, 6, 3, 4096, 0, 0",
            "direction 3; there are 0 (read), 1 (write) and 2 (trim)",
        ),
        (
            "1, 6, 1, 0x1000, 0, 0",
            "column 4 (block size) is hexadecimal; a decimal number belongs there",
        ),
        (
            "1, 18446744073709552, 1, 1, 0, 0",
            "a latency of 18446744073709552 is longer than 213 days",
        ),
        (
            "99999999999, 6, 1, 1, 0, 0",
            "the time 99999999999 ms is months away from the first in the log",
        ),
        (
            "1, 6, \0\0, 1, 0, 0",
            "column 3 holds a NUL byte: what should stand here never reached the disk",
        ),
    ] {
        assert_eq!(line(text), format!("line 4: {problem}"));
    }
    let too_large = line("1, 99999999999999999999, 1, 1, 0, 0");
    assert!(too_large.contains("it is too large"), "{too_large}");
    let long = line(&"7".repeat(crate::MAX_LINE));
    assert!(long.starts_with("line 4: longer than"), "{long}");
}

#[test]
fn logs_that_say_nothing_are_empty() {
    for text in ["", "\n\n", "# a comment\n", "0, 3, 2, 4096, 0, 0\n"] {
        assert!(matches!(read(text), Err(TraceError::Empty)), "{text:?}");
    }
}

#[test]
fn times_since_1970_are_counted_from_an_instant_of_the_log() {
    let text = "1795163993006, 3, 1, 512, 0, 0\n1795163993008, 3, 1, 512, 0, 0\n";
    let (all, _) = read(text).expect("sound");
    let ends: Vec<u64> = all
        .iter()
        .filter_map(|each| each.end)
        .map(Time::ps)
        .collect();
    assert_eq!(ends[1] - ends[0], 2_000_000_000);
}

/// Reads in steps of a few bytes, so that every line is split somewhere.
#[test]
fn small_buffers_give_the_same_accesses() {
    let text = THREE.repeat(50);
    let (whole, summary) = read(&text).expect("sound");
    for capacity in [1, 7, 16, 40, 100] {
        let reader = std::io::BufReader::with_capacity(capacity, text.as_bytes());
        let Ok(Log::Accesses(mut accesses)) = open(reader, &LogOptions::default()) else {
            panic!("accesses in their order");
        };
        let all: Vec<_> = accesses.by_ref().map(|each| each.expect("sound")).collect();
        assert_eq!(all, whole);
        assert_eq!(accesses.summary(), summary);
    }
}

/// An access as the layouts write it: value, direction, size, offset, priority, issue time.
type Written = (u64, bool, u64, u64, u16, u64);

fn written() -> impl Strategy<Value = Vec<Written>> {
    let one = (
        2u64..10_000_000_000,
        any::<bool>(),
        (0u64..4096).prop_map(|sectors| 512 + 512 * sectors),
        prop_oneof![0u64..4, any::<u64>()],
        any::<u16>(),
        2u64..10_000_000_000_000,
    );
    proptest::collection::vec(one, 1..40)
}

fn line(at: usize, access: &Written, layout: [bool; 4], hex: bool) -> String {
    let [largest, offset, priority, issue] = layout;
    let (value, write, size, place, class, issued) = *access;
    let mut fields = vec![at.to_string(), value.to_string()];
    if largest {
        fields.push("0".to_owned());
    }
    fields.push(u8::from(write).to_string());
    fields.push(size.to_string());
    if offset {
        fields.push(place.to_string());
    }
    if priority {
        fields.push(if hex {
            format!("{class:#06x}")
        } else {
            (class & 1).to_string()
        });
    }
    if issue {
        fields.push(issued.to_string());
    }
    fields.join(", ") + "\n"
}

proptest! {
    #[test]
    fn what_is_written_in_any_layout_comes_back(
        accesses in written(),
        [largest, offset, priority, issue] in any::<[bool; 4]>(),
        hex in any::<bool>(),
    ) {
        // The later columns came with versions that always write the priority.
        let priority = priority || largest || issue;
        let mut accesses = accesses;
        if largest {
            // Sizes that vary would look like the offsets of accesses of one byte.
            let size = accesses[0].2;
            accesses.iter_mut().for_each(|access| access.2 = size);
        }
        let text: String = accesses
            .iter()
            .enumerate()
            .map(|(at, access)| line(at, access, [largest, offset, priority, issue], hex))
            .collect();
        let (all, summary) = read(&text).expect("sound");
        prop_assert_eq!(all.len(), accesses.len());
        let moves = accesses.iter().any(|access| access.3 > 0xFFFF);
        for (at, (read, access)) in all.iter().zip(&accesses).enumerate() {
            prop_assert_eq!(read.duration, Time::from_ps(access.0 * 1_000));
            prop_assert_eq!(read.operation == Operation::Write, access.1);
            prop_assert_eq!(read.bytes, access.2);
            if !offset {
                prop_assert_eq!(read.offset, None);
            } else if moves {
                prop_assert_eq!(read.offset, Some(access.3));
            } else {
                prop_assert!(read.offset.is_none_or(|told| told == access.3));
            }
            prop_assert_eq!(read.end, Some(Time::from_ps(at as u64 * 1_000_000_000)));
            prop_assert_eq!(read.line, at as u64 + 1);
        }
        if priority {
            prop_assert!(!summary.oddities.contains(&Oddity::UnitAssumed));
        }
    }

    #[test]
    fn no_bytes_bring_it_down(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let options = LogOptions { format: Some(crate::LogFormat::FioLog), ..LogOptions::default() };
        let _ = read_with(&bytes, &options);
        let _ = read_with(&[THREE.as_bytes(), &bytes].concat(), &LogOptions::default());
    }
}
