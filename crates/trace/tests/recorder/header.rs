//! The C header: what it sends, bit for bit.

use std::fmt::Write;
use std::process::Command;

use proptest::prelude::*;
use wordline_trace::Oddity;

use crate::recorder::compiled::{compile, run};
use crate::recorder::encoder::{Access, Encoder};
use crate::recorder::{decoded, logged};

/// Scripts for the driver, and beside it what the recorder should tell.
struct Script {
    text: String,
    expected: Encoder,
    accesses: Vec<Access>,
    start: u64,
    mask: u64,
}

impl Script {
    /// The counter stands at `start` when the recorder reads it first.
    fn new(words: u32, hz: u32, bits: u8, start: u64) -> Self {
        Self {
            text: format!("init {words} {hz} {bits}\nt {start}\n"),
            expected: Encoder::new(hz, bits),
            accesses: Vec::new(),
            start,
            mask: if bits == 64 {
                u64::MAX
            } else {
                (1 << bits) - 1
            },
        }
    }

    fn raw(&self, cycles: u64) -> u64 {
        self.start.wrapping_add(cycles) & self.mask
    }

    fn access(&mut self, access: Access) {
        let (begin, end) = (self.raw(access.end - access.duration), self.raw(access.end));
        let Access {
            is_write, bytes, ..
        } = access;
        let op = u8::from(is_write);
        writeln!(self.text, "b 0 {begin}").expect("text");
        match access.offset {
            None => writeln!(self.text, "e 0 {end} {op} {bytes}"),
            Some(offset) => writeln!(self.text, "E 0 {end} {op} {bytes} {offset}"),
        }
        .expect("text");
        self.expected.access(access);
        self.accesses.push(access);
    }

    /// Runs it and checks the bytes and what is decoded of them.
    fn check(mut self) {
        self.text.push_str("drain 64\n");
        let ran = run(&self.text);
        assert!(ran.stream == self.expected.bytes, "{}", self.text);
        let (accesses, summary) = decoded(&ran.stream).expect("a sound stream");
        let hz = self.expected.hz;
        let lines = accesses.iter().map(|access| access.line);
        let expected = self.accesses.iter().zip(lines);
        let expected: Vec<_> = expected
            .map(|(&access, line)| logged(access, line, hz))
            .collect();
        assert_eq!(accesses, expected, "{}", self.text);
        assert_eq!(summary.oddities, [], "{}", self.text);
    }
}

fn access(end: u64, duration: u64) -> Access {
    Access {
        is_write: end % 2 == 1,
        end,
        duration,
        bytes: 256,
        offset: None,
    }
}

#[test]
fn the_header_is_strict_c_and_c_plus_plus() {
    for standard in ["-std=c99", "-std=c11"] {
        for optimized in ["-O0", "-O3"] {
            for file in ["driver.c", "example_host.c"] {
                compile("cc", file, &[standard, optimized]).expect("strict C");
            }
        }
    }
    if Command::new("c++").arg("--version").output().is_ok() {
        for standard in ["-std=c++11", "-std=c++17"] {
            compile("c++", "driver.c", &["-x", "c++", standard]).expect("strict C++");
        }
    }
}

#[test]
fn a_recorded_access_is_told_bit_for_bit() {
    let mut script = Script::new(64, 480_000_000, 32, 1000);
    script.access(access(300, 200));
    script.access(Access {
        offset: Some(0x12_3456),
        ..access(5_001, 4_000)
    });
    script.check();
}

#[test]
fn values_of_every_width_pass() {
    let mut script = Script::new(256, 1_000_000_007, 64, 77);
    let mut end = 0;
    for shift in 0..40 {
        end += (1 << shift) + 1;
        for offset in [None, Some(0), Some(1 << shift), Some(u64::MAX)] {
            end += (1 << shift) + 3;
            script.access(Access {
                bytes: (1 << (shift % 32)) | 1,
                offset,
                ..access(end, 1 << shift)
            });
        }
        script.text.push_str("drain 48\n");
    }
    script.check();
}

#[test]
fn a_counter_of_any_width_may_wrap_between_readings() {
    for bits in [8, 16, 24, 31, 32, 33, 48, 63] {
        let wrap = 1_u64 << bits;
        let mut script = Script::new(1024, 168_000_000, bits, wrap - 5);
        let mut end = 0;
        for step in [3, wrap - 1, wrap / 2, 7, wrap - 1, 1, 4] {
            if end + step > 1 << 62 {
                break;
            }
            end += step;
            script.access(access(end, step.min(end)));
        }
        script.check();
    }
}

#[test]
fn a_counter_of_64_bits_that_goes_backwards_stands_still() {
    let ran = run("init 64 1000000 64\nb 0 500\ne 0 400 0 8\nb 0 600\ne 0 700 0 8\ndrain 64\n");
    let mut expected = Encoder::new(1_000_000, 64);
    for (end, duration) in [(0, 0), (200, 100)] {
        let plain = access(end, duration);
        expected.access(Access {
            is_write: false,
            bytes: 8,
            ..plain
        });
    }
    assert_eq!(ran.stream, expected.bytes);
}

#[test]
fn accesses_may_be_nested() {
    let ran = run("init 64 1000000 32\nb 0 10\nb 1 20\ne 1 30 0 4\ne 0 50 1 8\ndrain 64\n");
    let (accesses, _) = decoded(&ran.stream).expect("sound");
    let told: Vec<_> = accesses
        .iter()
        .map(|a| (a.end.map(|t| t.ps()), a.duration.ps()))
        .collect();
    assert_eq!(
        told,
        [
            (Some(20_000_000), 10_000_000),
            (Some(40_000_000), 40_000_000)
        ]
    );
}

#[test]
fn missed_wraps_are_found_beside_a_coarse_clock_and_told() {
    // 8 bits at 1 kHz wrap every 256 ms. Between the checks 1000 ms pass, of which the counter shows 232 and the coarse clock 997.
    let ran = run(
        "init 64 1000 8\nT 0 0\nb 0 0\ne 0 10 0 1\nT 232 997\nb 0 232\ne 0 240 0 1\ndrain 64\n",
    );
    let mut expected = Encoder::new(1000, 8);
    let plain = Access {
        is_write: false,
        bytes: 1,
        ..access(10, 10)
    };
    expected.access(plain);
    expected.gap(3);
    expected.access(Access {
        end: 1008,
        duration: 8,
        ..plain
    });
    assert_eq!(ran.stream, expected.bytes);
    let (accesses, summary) = decoded(&ran.stream).expect("sound");
    assert_eq!(accesses[1].end.map(|end| end.ps()), Some(1_008_000_000_000));
    assert_eq!(summary.oddities, [Oddity::ClockGap { line: 2, wraps: 3 }]);
}

#[test]
fn a_coarse_clock_that_agrees_says_nothing() {
    let mut script = Script::new(64, 480_000_000, 32, 0);
    // 5 s apart, and 3 ms off: no wrap of 8.9 s was missed.
    script
        .text
        .push_str("T 0 4294967000\nT 2400000000 4704\nT 505032704 9707\n");
    script.access(access(4_800_000_100, 50));
    script.check();
}

#[test]
fn a_full_ring_loses_the_newest_and_tells_how_many() {
    for words in [16, 17, 18, 19, 20, 31, 64] {
        let mut text = format!("init {words} 1000000 32\nt 0\n");
        let mut end = 0;
        for round in 0..40 {
            for _ in 0..12 {
                end += 10;
                writeln!(text, "b 0 {}\ne 0 {end} 0 {round}", end - 4).expect("text");
            }
            // Some are drained in pieces, so that the ring is full at every place.
            writeln!(text, "piece {}", 20 + round).expect("text");
        }
        text.push_str("drain 64\n");
        let ran = run(&text);
        let stored: Vec<u64> = (1..)
            .zip(&ran.stored)
            .filter(|(_, stored)| **stored)
            .map(|(at, _)| at * 10)
            .collect();
        let lost = ran.stored.len() - stored.len();
        assert!(lost > 100, "{words} words lose {lost}");
        let (accesses, summary) = decoded(&ran.stream).expect("sound");
        let ends: Vec<_> = accesses
            .iter()
            .filter_map(|access| Some(access.end?.ps() / 1_000_000))
            .collect();
        assert_eq!(ends, stored, "{words} words");
        match summary.oddities[..] {
            [Oddity::Lost { count, .. }] => assert_eq!(count, lost as u64, "{words} words"),
            ref other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_loss_is_stored_once_and_takes_no_room_afterwards() {
    // 16 words hold 5 records. Behind the loss they hold its note of 2 words and 4 records.
    let burst = |count: u64| "b 0 0\ne 0 0 0 1\n".repeat(count as usize);
    let text = format!(
        "init 16 1000 32\n{}drain 64\n{}drain 64\n{}",
        burst(7),
        burst(6),
        burst(5)
    );
    let stored: Vec<u8> = run(&text).stored.into_iter().map(u8::from).collect();
    assert_eq!(
        stored,
        [1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0]
    );
}

#[test]
fn losses_that_no_record_follows_are_told() {
    let mut text = "init 16 1000000 32\n".to_owned();
    for at in 0..9 {
        writeln!(text, "b 0 {}\ne 0 {} 1 4", at * 10, at * 10 + 5).expect("text");
    }
    let ran = run(&format!("{text}drain 64\n"));
    let mut expected = Encoder::new(1_000_000, 32);
    for at in 0..5 {
        let plain = access(at * 10 + 5, 5);
        expected.access(Access {
            is_write: true,
            bytes: 4,
            ..plain
        });
    }
    expected.lost(4);
    assert_eq!(ran.stream, expected.bytes);
}

#[test]
fn pieces_of_any_size_make_the_same_stream() {
    let mut text = "init 512 1000000 32\n".to_owned();
    for at in 0..100_u64 {
        writeln!(text, "b 0 {}\nE 0 {} 1 4 {at}", at * 10, at * 10 + at % 7).expect("text");
    }
    let whole = run(&format!("{text}drain 100000\n")).stream;
    for piece in [1, 2, 3, 7, 47, 48, 49, 255] {
        assert_eq!(
            run(&format!("{text}drain {piece}\n")).stream,
            whole,
            "{piece}"
        );
        let puts = format!("put {piece}\n").repeat(whole.len() / piece + 1);
        assert_eq!(run(&format!("{text}{puts}")).stream, whole, "put {piece}");
    }
}

#[test]
fn what_cannot_be_used_is_refused_and_records_nothing() {
    for init in [
        "init 15 1000 32",
        "init 64 0 32",
        "init 64 1000 7",
        "init 64 1000 65",
    ] {
        let ran = run(&format!(
            "{init}\nb 0 1\ne 0 2 0 3\nt 4\ndrain 64\nput 9\nannounce\ndrain 1\n"
        ));
        assert!(ran.stream.is_empty(), "{init}");
        assert_eq!(ran.stored, [false, false], "{init}");
    }
}

#[test]
fn an_announced_header_comes_next() {
    let ran = run("init 64 1000 32\nb 0 1\ne 0 2 0 3\ndrain 64\nannounce\ndrain 64\n");
    let mut expected = Encoder::new(1000, 32);
    expected.access(Access {
        is_write: false,
        bytes: 3,
        ..access(1, 1)
    });
    expected.header();
    assert_eq!(ran.stream, expected.bytes);
}

#[test]
fn the_example_sends_what_can_be_decoded() {
    let example = compile("cc", "example_host.c", &["-std=c99", "-O2"]).expect("compiles");
    let output = Command::new(example).output().expect("runs");
    let (accesses, summary) = decoded(&output.stdout).expect("sound");
    assert_eq!(accesses.len(), 40);
    assert_eq!(summary.oddities, []);
    assert_eq!(
        summary.format,
        "firmware recorder, counter of 32 bits at 480 MHz"
    );
    let page = include_str!("../../../../docs/reference/recorder-format.md");
    for frame in output
        .stdout
        .split_inclusive(|&byte| byte == 0)
        .collect::<Vec<_>>()
        .chunks(2)
        .take(2)
    {
        let hex: Vec<_> = frame
            .concat()
            .iter()
            .map(|byte| format!("{byte:02X}"))
            .collect();
        let hex = hex.join(" ");
        assert!(
            page.contains(&hex),
            "the page shows another frame than {hex}"
        );
    }
    let longest = accesses.iter().map(|access| access.duration).max();
    assert_eq!(
        longest.map(|time| time.to_string()).as_deref(),
        Some("400 us")
    );
}

#[test]
fn one_thread_may_record_while_another_drains() {
    let plain = ["-std=c99", "-O2", "-pthread"];
    let checked = ["-std=c99", "-O1", "-pthread", "-fsanitize=thread"];
    let built = std::iter::once(compile("cc", "two_threads.c", &plain).expect("compiles"));
    for program in built.chain(compile("cc", "two_threads.c", &checked)) {
        let output = Command::new(&program).output().expect("runs");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}");
        let (accesses, summary) = decoded(&output.stdout).expect("sound");
        for access in &accesses {
            let cycles = access.duration.ps() / 10_000;
            assert_eq!(access.offset, Some(cycles), "{access:?}");
        }
        let lost = summary.oddities.iter().map(|oddity| match oddity {
            Oddity::Lost { count, .. } => *count,
            other => panic!("{other:?}"),
        });
        assert_eq!(accesses.len() as u64 + lost.sum::<u64>(), 200_000);
    }
}

fn any_width() -> impl Strategy<Value = u64> {
    (0_u32..40, any::<u64>()).prop_map(|(shift, value)| value & ((1 << shift) - 1))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_accesses_are_told_bit_for_bit(
        hz in 1_000_000_u32..=u32::MAX,
        start in any::<u64>(),
        accesses in prop::collection::vec(
            (any_width(), any_width(), any::<bool>(), any::<u32>(), prop::option::of(any_width())), 1..200),
    ) {
        let mut script = Script::new(2048, hz, 48, start & ((1 << 48) - 1));
        let mut end = 0;
        for (apart, duration, is_write, bytes, offset) in accesses {
            let duration = duration.min(apart);
            end += apart;
            script.access(Access { is_write, end, duration, bytes: u64::from(bytes), offset });
        }
        script.check();
    }
}
