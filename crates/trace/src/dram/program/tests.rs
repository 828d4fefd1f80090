use proptest::prelude::*;
use wordline_core::Operation::{self, Read, Write};

use crate::dram::{
    CacheChoices, CacheFilter, DramFormat, DramSummary, DramTraceError, DramTraceOptions, open,
};

/// Without caches: every access is seen.
fn bare() -> DramTraceOptions {
    DramTraceOptions {
        caches: CacheChoices {
            bytes: [Some(0); 3],
            ..CacheChoices::default()
        },
        ..DramTraceOptions::new(1 << 40)
    }
}

type SeenRequest = (Operation, u64, u64, u64);

/// Operation, address, instructions in front, and line of each request.
fn read(
    text: &str,
    options: &DramTraceOptions,
) -> Result<(Vec<SeenRequest>, DramSummary), DramTraceError> {
    let mut trace = open(text.as_bytes(), options)?;
    let mut seen = Vec::new();
    for request in trace.by_ref() {
        let request = request?;
        assert_eq!(request.at, None);
        seen.push((
            request.operation,
            request.address,
            request.instructions,
            request.line,
        ));
    }
    Ok((seen, trace.summary()))
}

#[test]
fn lackey_counts_instructions_and_touches_every_line() {
    let text = "==9== Lackey, an example Valgrind tool\n--9-- a warning\n\nI  00401000,3\nI  00401003,2\n L 1ffefff7e0,8\n \
                S 0000003c,8\nI  401005,1\n M 80,4\n==9== Exit code:       0\n";
    let (seen, summary) = read(text, &bare()).expect("sound");
    let expected = [
        (Read, 0x1f_feff_f7c0, 2, 6),
        (Write, 0, 0, 7),
        (Write, 64, 0, 7),
        (Read, 128, 1, 9),
        (Write, 128, 0, 9),
    ];
    assert_eq!(seen, expected);
    let program = summary.program.expect("it is of a program");
    assert_eq!((program.instructions, program.accesses), (3, 5));
    assert_eq!(program.levels, [None; 3]);
}

/// As the tool prints: its frame, markers, an encoding over two lines, a prefetch, and accesses with their program counters.
#[test]
fn drmemtraces_view_counts_instructions_and_accesses() {
    let text = "Output format:\n<--record#-> <--instr#->: <---tid---> <record details>\n\
        ------------------------------------------------------------\n           \
        1           0:      296231 <marker: version 6>\n          \
        87           1:      296231 ifetch       2 byte(s) @ 0x0000000000401026 0f 05                syscall  -> %rcx %r11\n          \
        88           2:      296231 ifetch       8 byte(s) @ 0x0000000000401012 48 8d 34 25 00 20 40 lea    0x00402000 -> %rsi\n          \
        88           2:      296231                                             00\n          \
        89           2:      296231 read         8 byte(s) @ 0x000000007c5b5bfc by PC 0x0000000000401012\n          \
        90           2:      296231 pref-r       0 byte(s) @ 0x00007ffd7c5b5c00 by PC 0x0000000000401012\n          \
        91           3:      296231 ifetch       1 byte(s) @ 0x000000000040101a 55                   push   %rbp\n          \
        92           3:      296231 write        8 byte(s) @ 0x0000000000000048 by PC 0x000000000040101a\n          \
        93           3:      296231 <thread 296231 exited>\n\
        View tool results:\n              3 : total instructions\n";
    let (seen, summary) = read(text, &bare()).expect("sound");
    let expected = [
        (Read, 0x7c5b_5bc0, 2, 8),
        (Read, 0x7c5b_5c00, 0, 8),
        (Write, 0x40, 1, 11),
    ];
    assert_eq!(seen, expected);
    let program = summary.program.expect("it is of a program");
    assert_eq!((program.instructions, program.accesses), (3, 3));
}

#[test]
fn what_drmemtraces_view_cannot_print_is_named() {
    for (record, problem) in [
        ("1 1: 7 jump 2 byte(s) @ 0x10", "line 2"),
        ("1 1: 7 read 8 bytes at 0x10", "line 2"),
        ("1 1: 7 read 0 byte(s) @ 0x10 by PC 0x20", "the size"),
        ("1 1: 7 read 8 byte(s) @ 0xzz by PC 0x20", "0xzz"),
        (
            "1 1: 7 write 8 byte(s) @ 0xffffffffffffffff by PC 0x20",
            "the size",
        ),
        ("some words of the program", "line 2"),
    ] {
        let text = format!("Output format:\n{record}\n");
        let error = read(&text, &bare()).expect_err(record).to_string();
        assert!(error.contains(problem) && error.contains('2'), "{error}");
    }
}

#[test]
fn ramulators_instructions_come_before_the_load_and_count_it() {
    let text = "3 20734016\n0 0x40 20841280\n# a comment\n7 64\n";
    let (seen, summary) = read(text, &bare()).expect("sound");
    let expected = [
        (Read, 20_734_016, 4, 1),
        (Read, 64, 1, 2),
        (Write, 20_841_280, 0, 2),
        (Read, 64, 8, 4),
    ];
    assert_eq!(seen, expected);
    assert_eq!(
        summary.program.expect("it is of a program").instructions,
        13
    );

    let usual = DramTraceOptions::new(1 << 40);
    let (seen, summary) = read(text, &usual).expect("sound");
    assert_eq!(
        seen,
        [(Read, 20_734_016, 4, 1), (Read, 64, 1, 2)],
        "the rest hits"
    );
    let levels = summary.program.expect("it is of a program").levels;
    let last = levels[2].expect("the last level filters");
    assert_eq!(
        (levels[0], levels[1], last.accesses, last.misses),
        (None, None, 3, 2)
    );
}

#[test]
fn a_program_that_stays_in_its_caches_is_no_trace_of_a_memory() {
    assert!(matches!(
        read("I  40,3\n", &bare()),
        Err(DramTraceError::Empty)
    ));
    assert!(matches!(
        read("==1== Lackey\n", &bare()),
        Err(DramTraceError::Empty)
    ));
}

#[test]
fn odd_columns_are_refused_at_their_line() {
    let refused = |text: &str, line: u64, words: &[&str]| {
        let error = read(text, &bare()).expect_err(text);
        assert_eq!(error.line(), Some(line), "{error}");
        for word in words {
            assert!(
                error.to_string().contains(word),
                "{word} is not in: {error}"
            );
        }
    };
    refused(" L 40,8\n L 40\n", 2, &["lackey", "L 1ffefff7e0,8"]);
    refused(" L 40,8\n L 40,8 9\n", 2, &["lackey"]);
    refused(" L 40,8\nL\n", 2, &["lackey"]);
    refused(" L 40,8\n X 40,8\n", 2, &["\"X\"", "I, L, S, M"]);
    refused(" L 40,8\n L 4g,8\n", 2, &["the address", "no number"]);
    refused(" L 40,8\n L ,8\n", 2, &["the address", "there is nothing"]);
    refused(" L 40,8\n L 10000000000000000,8\n", 2, &["too large"]);
    for size in ["0", "65537", "", "-1", "8,8", "x"] {
        refused(
            &format!(" L 40,8\n S 40,{size}\n"),
            2,
            &["the size", "1 to 65536"],
        );
    }
    refused(" L 40,8\n L ffffffffffffffff,2\n", 2, &["the size"]);
    refused(" L 40,8\nhello from the program\n", 2, &["hello"]);

    refused("3 64\n3\n", 2, &["ramulator-cpu", "3 20734016 20841280"]);
    refused("3 64\n3 64 64 64\n", 2, &["ramulator-cpu"]);
    refused("3 64\n3 64 64 64 64\n", 2, &["ramulator-cpu"]);
    refused(
        "3 64\n-1 64\n",
        2,
        &["the count of instructions", "below zero"],
    );
    refused(
        "3 64\n4294967296 64\n",
        2,
        &["the count of instructions", "2^32"],
    );
    refused("3 64\n1 R\n", 2, &["the address"]);
    refused("3 64\n1 64 -1\n", 2, &["the address", "below zero"]);
    refused("3 64\n1 64", 2, &["no line end"]);
    refused("3 1099511627776\n", 1, &["out of range", "fold"]);
}

#[test]
fn caches_are_for_programs_alone() {
    let error = read("0x40 R\n", &bare()).expect_err("refused");
    assert!(matches!(
        error,
        DramTraceError::NoProgram {
            line: 1,
            format: DramFormat::Ramulator
        }
    ));
    let mut odd = bare();
    odd.caches.line_bytes = Some(63);
    assert!(matches!(
        read("3 64\n", &odd),
        Err(DramTraceError::Caches(_))
    ));
}

proptest! {
    /// What a trace makes is what its accesses make, with every instruction counted once.
    #[test]
    fn a_trace_is_its_accesses_filtered(
        steps in proptest::collection::vec((0u64..4, 0u64..4, 0u64..1 << 20, 1u64..65), 1..200),
    ) {
        let choices = CacheChoices { bytes: [Some(768), Some(2048), Some(8192)], ..CacheChoices::default() };
        let options = DramTraceOptions { caches: choices, ..bare() };
        let options = DramTraceOptions {
            caches: CacheChoices { ways: [Some(2), Some(4), Some(8)], ..options.caches },
            ..options
        };
        let mut filter = CacheFilter::new(&options.caches.caches(DramFormat::Lackey).expect("sound"));
        let (mut text, mut expected) = (String::new(), Vec::new());
        for (fetches, kind, address, size) in steps {
            for _ in 0..fetches {
                text += "I  400,4\n";
            }
            filter.instructions(fetches);
            let (word, operations): (_, &[Operation]) = match kind {
                0 => ("S", &[Write]),
                1 => ("M", &[Read, Write]),
                _ => ("L", &[Read]),
            };
            text += &format!(" {word} {address:08x},{size}\n");
            for operation in operations {
                filter.access(*operation, address, size);
            }
            expected.extend(std::iter::from_fn(|| filter.request()));
        }
        let (seen, summary) = read(&text, &options).expect("sound");
        let found: Vec<_> = seen.iter().map(|request| (request.0, request.1)).collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(summary.program, Some(filter.counts()));
        let counted: u64 = seen.iter().map(|request| request.2).sum();
        prop_assert!(counted <= filter.counts().instructions);
    }
}
