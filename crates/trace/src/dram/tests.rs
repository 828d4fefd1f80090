use wordline_core::Operation;
use wordline_core::quantity::Frequency;

use super::{DramFormat, DramRequest, DramSummary, DramTraceError, DramTraceOptions, open};

/// 16 MiB, cycles of 312.5 ps.
fn options() -> DramTraceOptions {
    DramTraceOptions {
        clock: Some(Frequency::from_hz(3_200_000_000)),
        ..DramTraceOptions::new(16 << 20)
    }
}

fn read_with(
    text: impl AsRef<[u8]>,
    options: &DramTraceOptions,
) -> Result<(Vec<DramRequest>, DramSummary), DramTraceError> {
    let mut trace = open(text.as_ref(), options)?;
    let requests = trace.by_ref().collect::<Result<Vec<_>, _>>()?;
    Ok((requests, trace.summary()))
}

fn told(text: impl AsRef<[u8]>) -> Vec<(Operation, u64, Option<u64>)> {
    let (requests, _) = read_with(text, &options()).expect("sound");
    let told = |request: DramRequest| {
        let ps = request.at.map(|at| at.ps());
        (request.operation, request.address, ps)
    };
    requests.into_iter().map(told).collect()
}

fn refused(text: impl AsRef<[u8]>) -> DramTraceError {
    read_with(text, &options()).expect_err("refused")
}

/// Whether the error names the line, and says all of these.
fn says(error: &DramTraceError, line: u64, parts: &[&str]) {
    let message = error.to_string();
    assert_eq!(error.line(), Some(line), "{message}");
    assert!(message.starts_with(&format!("line {line}: ")), "{message}");
    for part in parts {
        assert!(message.contains(part), "{part} is not in: {message}");
    }
}

use Operation::{Read, Write};

#[test]
fn dramsim3_counts_cycles_from_the_first_request() {
    let text =
        "# a comment\n\n0x1000 READ 100\r\n 40\tWRITE  116 \n0x80 P_MEM_RD 116\n0Xc0 BOFF 119\n";
    let expected = [
        (Read, 0x1000, Some(0)),
        (Write, 0x40, Some(5_000)),
        (Read, 0x80, Some(5_000)),
        // 19 cycles are 5 937.5 ps, and are rounded once.
        (Write, 0xC0, Some(5_938)),
    ];
    assert_eq!(told(text), expected);
    let (requests, summary) = read_with(text, &options()).expect("sound");
    assert_eq!(
        requests
            .iter()
            .map(|request| request.line)
            .collect::<Vec<_>>(),
        [3, 4, 5, 6]
    );
    assert_eq!(summary.format, Some(DramFormat::Dramsim3));
    assert_eq!((summary.reads, summary.writes), (2, 2));
    assert_eq!(summary.last.map(|at| at.ps()), Some(5_938));
}

#[test]
fn ramulators_have_no_times() {
    let expected = [(Read, 0x1000, None), (Write, 0x40, None)];
    assert_eq!(told("0x1000 R\n40 W\n"), expected, "hexadecimal without 0x");
    assert_eq!(told("LD 0x1000\nST 64\n"), expected, "decimal without 0x");
    let without_clock = DramTraceOptions::new(1 << 20);
    assert!(
        read_with("LD 0x1000\n", &without_clock).is_ok(),
        "none is needed"
    );
}

#[test]
fn columns_may_stand_in_any_order_with_any_separator() {
    let expected = [(Read, 4096, Some(0)), (Write, 64, Some(1_500))];
    for text in [
        "time_ns,address,operation\n7,4096,read\n8.5,0x40,write\n",
        "op;note;time_us;addr\nR;x;0,007;4096\nW;;0,0085;64\n",
        "\"Address\"\t\"RW\"\t\"arrival_ps\"\n4096\tLD\t7000\n64\tst\t8500\n",
        "\u{FEFF}# a comment\ntime_s,address,type\n7e-9,4096,rd\n8.5e-9,64,wr\n",
        "time_ns,address,operation\n1700000000000000000,4096,r\n1700000000000000001.5,64,w\n",
    ] {
        assert_eq!(told(text), expected, "{text}");
    }
    let cycles = told("cycle,address,operation\n10,0,r\n26,64,w\n");
    assert_eq!(cycles, [(Read, 0, Some(0)), (Write, 64, Some(5_000))]);
}

#[test]
fn formats_are_known_by_the_first_line_and_by_name() {
    for (text, format) in [
        ("0x40 READ 0\n", DramFormat::Dramsim3),
        ("0x40 R\n", DramFormat::Ramulator),
        ("LD 64\n", DramFormat::Ramulator2),
        ("cycle,address,operation\n0,64,r\n", DramFormat::Csv),
        ("3 128\n", DramFormat::RamulatorCpu),
        ("0 128 0x40\n", DramFormat::RamulatorCpu),
        (" L 40,8\n", DramFormat::Lackey),
        (
            "15 2: 9 write 8 byte(s) @ 0x40 by PC 0x10\n",
            DramFormat::Drmemtrace,
        ),
        (
            "==12== Lackey, an example\nI  40,3\n M 40,8\n",
            DramFormat::Lackey,
        ),
    ] {
        let (_, summary) = read_with(text, &options()).expect(text);
        assert_eq!(summary.format, Some(format));
        assert_eq!(format.to_string().parse(), Ok(format));
        for named in DramFormat::ALL {
            let options = DramTraceOptions {
                format: Some(named),
                ..options()
            };
            assert_eq!(
                read_with(text, &options).is_ok(),
                named == format,
                "{text} as {named}"
            );
        }
    }
    let error = "ramulator3".parse::<DramFormat>().expect_err("unknown");
    assert_eq!(
        error.to_string(),
        "unknown format \"ramulator3\"; there are dramsim3, ramulator, ramulator2, csv, ramulator-cpu, lackey, drmemtrace"
    );
}

#[test]
fn what_is_of_no_format_is_refused_with_those_that_are() {
    let error = refused("\nhello world\n");
    says(
        &error,
        2,
        &[
            "\"hello world\" is of no known format",
            "dramsim3",
            "ramulator2",
            "time_ns",
        ],
    );
    says(
        &refused("R 0,0,1,2,3,4\n"),
        1,
        &["read-write traces", "rank, bank"],
    );
    says(&refused([0x1F, 0x8B, 8, 0, b'\n']), 1, &["gzip", "zcat"]);
    says(&refused(b"\xFF\xFE0\0x\0\n\0"), 1, &["UTF-16"]);
    assert!(matches!(refused(""), DramTraceError::Empty));
    assert!(matches!(refused("# nothing\n\n"), DramTraceError::Empty));
    assert!(matches!(
        refused("cycle,address,op\n"),
        DramTraceError::Empty
    ));
}

#[test]
fn addresses_are_aligned_and_in_range_or_it_is_asked_for() {
    let error = refused("0x40 R\n0x41 R\n");
    assert!(matches!(
        error,
        DramTraceError::Unaligned {
            line: 2,
            address: 0x41
        }
    ));
    says(&error, 2, &["0x41", "multiple of 64", "align"]);
    let error = refused("0xffffc0 R\n0x1000000 R\n");
    assert!(matches!(
        error,
        DramTraceError::OutOfRange {
            line: 2,
            address: 0x100_0000,
            ..
        }
    ));
    says(
        &error,
        2,
        &["0x1000000", "0xffffc0", "16777216 bytes", "fold"],
    );
    assert!(matches!(
        refused("0xffffffffffffffc0 R\n"),
        DramTraceError::OutOfRange { .. }
    ));

    let lenient = DramTraceOptions {
        align: true,
        fold: true,
        ..options()
    };
    let (requests, summary) = read_with("0x7f R\n0x1000041 W\n0x80 R\n", &lenient).expect("asked");
    let addresses: Vec<u64> = requests.iter().map(|request| request.address).collect();
    assert_eq!(addresses, [0x40, 0x40, 0x80]);
    assert_eq!((summary.aligned, summary.folded), (2, 1));

    let only_aligned = DramTraceOptions {
        align: true,
        ..options()
    };
    assert!(matches!(
        read_with("0x100003f R\n", &only_aligned),
        Err(DramTraceError::OutOfRange { line: 1, .. })
    ));
    let tiny = DramTraceOptions::new(63);
    assert!(matches!(
        read_with("0x0 R\n", &tiny),
        Err(DramTraceError::NoMemory { .. })
    ));
}

#[test]
fn times_that_run_backwards_are_refused() {
    let error = refused("0x40 READ 9\n0x40 READ 9\n0x40 READ 8\n");
    assert!(matches!(error, DramTraceError::Backwards { line: 3, .. }));
    says(&error, 3, &["from cycle 9 to cycle 8"]);
    let error = refused("time_ns,address,op\n5,0,r\n4.999,0,r\n");
    says(&error, 3, &["from 5000 ps to 4999 ps"]);
}

#[test]
fn times_that_nothing_holds_are_refused() {
    says(
        &refused("0x0 READ 0\n0x0 READ 18446744073709551615\n"),
        2,
        &["213 days"],
    );
    says(
        &refused("time_s,address,op\n0,0,r\n18446745,0,r\n"),
        3,
        &["213 days"],
    );
    says(&refused("time_s,address,op\n1e40,0,r\n"), 2, &["too large"]);
}

#[test]
fn cycles_need_a_clock() {
    for clock in [None, Some(Frequency::from_hz(0))] {
        let options = DramTraceOptions { clock, ..options() };
        for text in ["\n0x0 READ 0\n", "cycle,address,op\n0,0,r\n"] {
            let error = read_with(text, &options).expect_err("no clock");
            assert!(matches!(error, DramTraceError::NoClock { line: 2 }));
            says(&error, 2, &["3.2 GHz"]);
        }
    }
}

#[test]
fn operations_and_numbers_are_refused_with_what_is_allowed() {
    says(
        &refused("0x0 READ 0\n0x0 FLUSH 1\n"),
        2,
        &["\"FLUSH\"", "READ, WRITE"],
    );
    says(&refused("0x0 R\n0x0 r\n"), 2, &["\"r\"", "allowed: R, W"]);
    says(&refused("LD 0\nSTORE 0\n"), 2, &["\"STORE\"", "LD, ST"]);
    says(
        &refused("cycle,address,op\n0,0,trim\n"),
        2,
        &["\"trim\"", "read, r"],
    );
    says(
        &refused("0x0 R\n0x1ffffffffffffffff R\n"),
        2,
        &["the address", "too large", "2^64"],
    );
    says(&refused("0x0 R\n0xfg R\n"), 2, &["no number"]);
    says(&refused("0x0 R\n0x R\n"), 2, &["there is nothing"]);
    says(&refused("LD 0\nLD -64\n"), 2, &["below zero"]);
    says(
        &refused("0x0 READ 18446744073709551616\n"),
        1,
        &["the cycle", "too large"],
    );
    says(
        &refused("0x0 READ 1.5\n"),
        1,
        &["the cycle", "whole number"],
    );
    says(
        &refused("time_ns,address,op\n-1,0,r\n"),
        2,
        &["the time", "below zero"],
    );
}

#[test]
fn lines_of_another_shape_are_refused_with_theirs() {
    says(
        &refused("0x0 READ 0\n0x0 READ\n"),
        2,
        &["0x12345680 READ 16"],
    );
    says(&refused("0x0 R\n0x0 R 5\n"), 2, &["\"0x12345680 R\""]);
    says(&refused("LD 0\nLD\n"), 2, &["\"LD 0x12345680\""]);
    says(
        &refused("cycle,address,op\n0,0\n"),
        2,
        &["3 columns", "not 2"],
    );
    says(
        &refused("cycle,address,op\n0,\"0,r\n"),
        2,
        &["quotes that close"],
    );
}

#[test]
fn columns_that_lack_something_are_refused() {
    says(
        &refused("time,address,op\n0,0,r\n"),
        1,
        &["\"time\" needs a unit", "time_ns"],
    );
    says(
        &refused("time_min,address,op\n0,0,r\n"),
        1,
        &["\"time_min\" needs a unit", "ps, ns, us"],
    );
    says(&refused("address,op\n0,r\n"), 1, &["when a request comes"]);
    says(&refused("cycle,op\n0,r\n"), 1, &["its address"]);
    says(&refused("cycle,address\n0,0\n"), 1, &["what it does"]);
    says(
        &refused("cycle,time_ns,address,op\n"),
        1,
        &["\"time_ns\" says what another"],
    );
}

#[test]
fn damaged_files_are_refused_where_the_damage_is() {
    for text in [
        "0x0 READ 0\n0x0 READ 12",
        "0x0 R\n0x0 R",
        "LD 0\nL",
        "cycle,address,op\n0,0,r",
    ] {
        let error = refused(text);
        assert!(
            matches!(error, DramTraceError::Truncated { line: 2 }),
            "{error}"
        );
    }
    assert!(matches!(
        refused("LD 0"),
        DramTraceError::Truncated { line: 1 }
    ));
    assert!(matches!(
        refused("0x0 R\n0x0\0 R\n"),
        DramTraceError::Nul { line: 2 }
    ));
    assert!(matches!(refused([0; 100]), DramTraceError::Nul { line: 1 }));
    let long = format!("0x0 R\n0x0 R{}\n", " ".repeat(crate::MAX_LINE));
    let error = refused(long);
    assert!(
        matches!(error, DramTraceError::TooLong { line: 2 }),
        "{error}"
    );
    says(&error, 2, &["65536 bytes"]);
}

#[test]
fn an_unreadable_trace_says_so_and_nothing_follows() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk is gone"))
        }
    }
    let reader = std::io::BufReader::new(std::io::Read::chain(&b"LD 0\n"[..], Broken));
    let mut trace = open(reader, &options()).expect("the first line is there");
    assert!(trace.next().is_some_and(|request| request.is_ok()));
    let error = trace.next().expect("an item").expect_err("broken");
    says(&error, 2, &["the disk is gone"]);
    assert!(trace.next().is_none());
}
