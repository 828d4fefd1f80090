use super::*;
use crate::{AccessStream, Oddity};

fn read(
    text: &str,
    file: Option<&str>,
    waits: Waits,
) -> Result<(Vec<AskedAccess>, Vec<Oddity>), TraceError> {
    let reader = IologWorkload::new(text.as_bytes(), file.map(str::to_owned), waits);
    let mut reader = AccessStream::new(reader);
    let accesses = reader.by_ref().collect::<Result<Vec<_>, _>>()?;
    assert!(reader.next().is_none());
    Ok((accesses, reader.summary().oddities))
}

const TWO: &str = "\
fio version 2 iolog
/dev/sda add
/dev/sda open
/dev/sda read 0 4096
/dev/sda wait 1500 0
/dev/sda write 8192 512
/dev/sda wait 99 0
/dev/sda sync 0 0
/dev/sda datasync 0 0
/dev/sda trim 0 4096
/dev/sda wait 2000 0
/dev/sda read 4096 1

/dev/sda close
";

const THREE: &str = "\
fio version 3 iolog
0 /tmp/a add
3 /tmp/a open
100 /tmp/a read 0 4096
250 /tmp/a write 8192 512
240 /tmp/a read 4096 1
260 /tmp/a wait 1 0
300 /tmp/a close
";

fn us(us: u64) -> Option<Time> {
    Some(Time::from_ps(us * PS_PER_US))
}

#[test]
fn version_2_is_read_without_times() {
    let (accesses, oddities) = read(TWO, None, Waits::Ignored).expect("sound");
    let of = |operation, offset, bytes, line| AskedAccess {
        operation,
        bytes,
        offset,
        at: None,
        line,
    };
    assert_eq!(
        accesses,
        [
            of(Operation::Read, 0, 4096, 4),
            of(Operation::Write, 8192, 512, 6),
            of(Operation::Read, 4096, 1, 12),
        ]
    );
    let skipped = |line, count, what| Oddity::Skipped { line, count, what };
    assert_eq!(
        oddities,
        [
            skipped(5, 3, "waits"),
            skipped(8, 2, "syncs"),
            skipped(10, 1, "trims")
        ]
    );
}

#[test]
fn waits_of_version_2_mean_what_was_chosen() {
    let times = |waits| -> Vec<_> {
        let (accesses, oddities) = read(TWO, None, waits).expect("sound");
        assert_eq!(oddities.len(), 2);
        accesses.iter().map(|access| access.at).collect()
    };
    assert_eq!(
        times(Waits::MillisecondsSinceStart),
        [us(0), us(1_500_000), us(2_000_000)]
    );
    assert_eq!(times(Waits::Microseconds), [us(0), us(1500), us(3500)]);
}

#[test]
fn version_3_has_times_in_microseconds() {
    let (accesses, oddities) = read(THREE, None, Waits::Microseconds).expect("sound");
    let times: Vec<_> = accesses.iter().map(|access| access.at).collect();
    assert_eq!(times, [us(0), us(150), us(140)]);
    assert_eq!(
        oddities,
        [
            Oddity::BackwardsTime {
                line: 6,
                count: 1,
                most: us(10).expect("some")
            },
            Oddity::Skipped {
                line: 7,
                count: 1,
                what: "waits"
            },
        ]
    );
}

#[test]
fn a_second_file_is_refused_unless_one_is_chosen() {
    let text =
        "fio version 2 iolog\na add\nb add\na open\nb open\na read 0 1\nb sync 0 0\nb write 7 2\n";
    let error = read(text, None, Waits::Ignored)
        .expect_err("two files")
        .to_string();
    assert!(
        error.starts_with("line 8: an access to \"b\", behind accesses to \"a\""),
        "{error}"
    );
    let (accesses, oddities) = read(text, Some("b"), Waits::Ignored).expect("sound");
    assert_eq!((accesses.len(), accesses[0].offset), (1, 7));
    let others = Oddity::Skipped {
        line: 6,
        count: 1,
        what: "accesses of other files",
    };
    assert!(oddities.contains(&others), "{oddities:?}");
    assert!(matches!(
        read(text, Some("c"), Waits::Ignored),
        Err(TraceError::Empty)
    ));
}

#[test]
fn a_last_line_without_its_end_is_left_out() {
    let (accesses, oddities) = read(
        "fio version 2 iolog\na read 0 1\na read 0 40",
        None,
        Waits::Ignored,
    )
    .expect("sound");
    assert_eq!(accesses.len(), 1);
    assert_eq!(oddities, [Oddity::TruncatedEnd { line: 3 }]);
}

#[test]
fn what_is_no_log_is_refused_with_what_is_allowed() {
    for first in [
        "",
        "\n",
        "fio version 1 iolog\n",
        "rw, 0, 1\n",
        "fio version 22 iolog\n",
    ] {
        let error = read(first, None, Waits::Ignored)
            .expect_err(first)
            .to_string();
        assert!(
            error.contains("\"fio version 2 iolog\" or \"fio version 3 iolog\""),
            "{first:?}: {error}"
        );
    }
    for (line, told) in [
        ("a", "expected FILE ACTION"),
        ("a read 1", "expected FILE ACTION"),
        ("a read 1 2 3", "expected FILE ACTION"),
        ("a b c d e f g h", "expected FILE ACTION"),
        ("a read 1 2x", "\"2x\" is not a number of bytes"),
        ("a read -1 2", "\"-1\" is not a number of bytes"),
        ("a read 1 0", "0 bytes from 1 on; allowed are 1 byte"),
        ("a read 18446744073709551615 1", "end below 2^64"),
        ("a rename", "without offset and length: add, open"),
        ("a read", "without offset and length: add, open"),
        ("a erase 1 2", "with offset and length: read, write"),
        ("a add 1 2", "with offset and length: read, write"),
        ("a wait 18446744073709551615 0", "beyond 213 days"),
    ] {
        for waits in [Waits::Microseconds, Waits::MillisecondsSinceStart] {
            let text = format!("fio version 2 iolog\na read 0 1\n{line}\n");
            let error = read(&text, None, waits).expect_err(line).to_string();
            assert!(
                error.starts_with("line 3: ") && error.contains(told),
                "{line}: {error}"
            );
        }
    }
    for (line, told) in [
        ("a read 0 1", "\"a\" is not a time in microseconds"),
        ("1", "expected TIME FILE ACTION"),
        ("1 a read 0", "expected TIME FILE ACTION"),
        ("18446744073709551615 a read 0 1", "beyond 213 days"),
    ] {
        let error = read(
            &format!("fio version 3 iolog\n{line}\n"),
            None,
            Waits::Ignored,
        )
        .expect_err(line)
        .to_string();
        assert!(
            error.starts_with("line 2: ") && error.contains(told),
            "{line}: {error}"
        );
    }
    assert!(matches!(
        read("fio version 2 iolog\na add\n", None, Waits::Ignored),
        Err(TraceError::Empty)
    ));
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(
        version in 2..4,
        text in "([ -~]|\n|[0-9]{1,3} a (read|write|wait|sync) [0-9]{1,20} [0-9]{1,5}\n){0,40}",
    ) {
        let _ = read(&format!("fio version {version} iolog\n{text}"), None, Waits::Microseconds);
    }
}
