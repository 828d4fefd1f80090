//! What holds of every trace.

use proptest::prelude::*;
use wordline_core::Operation;
use wordline_core::quantity::Frequency;

use super::{DramFormat, DramRequest, DramTraceError, DramTraceOptions, open};

const MEMORY: u64 = 3 << 30;
const HZ: u64 = 2_200_000_000;

fn options() -> DramTraceOptions {
    DramTraceOptions {
        clock: Some(Frequency::from_hz(HZ)),
        ..DramTraceOptions::new(MEMORY)
    }
}

/// Operation, address, cycles since the one in front.
fn requests() -> impl Strategy<Value = Vec<(bool, u64, u64)>> {
    let one = (
        any::<bool>(),
        0..MEMORY / 64,
        prop_oneof![Just(0), 0u64..1 << 30],
    );
    let one = one.prop_map(|(is_write, line, wait)| (is_write, line * 64, wait));
    proptest::collection::vec(one, 1..50)
}

/// Formats whose lines are requests.
fn formats() -> impl Iterator<Item = DramFormat> {
    let all = DramFormat::ALL.into_iter();
    all.filter(|format| !format.is_program())
}

fn text(format: DramFormat, requests: &[(bool, u64, u64)]) -> String {
    let mut text = String::new();
    if format == DramFormat::Csv {
        text.push_str("address,cycle,operation\n");
    }
    let mut cycle = 12_345;
    for &(is_write, address, wait) in requests {
        cycle += wait;
        let name = |names: [&'static str; 2]| names[usize::from(is_write)];
        text.push_str(&match format {
            DramFormat::Dramsim3 => format!("{address:#x} {} {cycle}\n", name(["READ", "WRITE"])),
            DramFormat::Ramulator => format!("{address:#x} {}\n", name(["R", "W"])),
            DramFormat::Ramulator2 => format!("{} {address}\n", name(["LD", "ST"])),
            DramFormat::Csv => format!("{address},{cycle},{}\n", name(["read", "write"])),
            DramFormat::RamulatorCpu => format!("{wait} {address}\n"),
            DramFormat::Lackey => format!("I 1000,4\n {} {address:x},8\n", name(["L", "S"])),
            DramFormat::Drmemtrace => format!(
                "1 1: 7 ifetch 4 byte(s) @ 0x1000 00 00 00 00 nop\n2 1: 7 {} 8 byte(s) @ 0x{address:x} by PC 0x1000\n",
                name(["read", "write"])
            ),
        });
    }
    text
}

proptest! {
    #[test]
    fn every_format_tells_what_was_written(requests in requests()) {
        for format in formats() {
            let text = text(format, &requests);
            let trace = open(text.as_bytes(), &options()).expect("sound");
            let read: Vec<DramRequest> = trace.collect::<Result<_, _>>().expect("sound");
            prop_assert_eq!(read.len(), requests.len());
            let mut cycles = 0u128;
            for (at, (read, &(is_write, address, wait))) in read.iter().zip(&requests).enumerate() {
                if at > 0 {
                    cycles += u128::from(wait);
                }
                prop_assert_eq!(read.operation == Operation::Write, is_write);
                prop_assert_eq!(read.address, address);
                let ps = read.at.map(|at| u128::from(at.ps()));
                let timed = matches!(format, DramFormat::Dramsim3 | DramFormat::Csv);
                prop_assert_eq!(ps.is_some(), timed);
                if let Some(ps) = ps {
                    // Half a picosecond at most, however far in.
                    let exact = cycles * 1_000_000_000_000;
                    prop_assert!((ps * u128::from(HZ)).abs_diff(exact) * 2 <= u128::from(HZ));
                }
            }
        }
    }

    /// A trace that is cut at any byte is refused, or lacks whole lines.
    #[test]
    fn a_cut_is_seen(requests in requests(), cut in any::<prop::sample::Index>()) {
        for format in formats() {
            let text = text(format, &requests);
            let cut = &text[..cut.index(text.len())];
            let trace = open(cut.as_bytes(), &options());
            let read = trace.and_then(|trace| trace.collect::<Result<Vec<_>, _>>());
            match read {
                Ok(read) => prop_assert!(cut.ends_with('\n') && !read.is_empty()),
                Err(DramTraceError::Empty) => prop_assert!(cut.is_empty() || format == DramFormat::Csv),
                Err(DramTraceError::Truncated { line }) => {
                    prop_assert!(!cut.ends_with('\n'));
                    prop_assert_eq!(line, cut.lines().count() as u64);
                }
                Err(other) => prop_assert!(false, "{}", other),
            }
        }
    }

    /// One byte changed: a fault is reported at its line, or a request is read that the limits allow.
    #[test]
    fn a_changed_byte_stays_at_its_line(
        requests in requests(),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        for format in formats() {
            let mut bytes = text(format, &requests).into_bytes();
            let place = place.index(bytes.len());
            bytes[place] = byte;
            let line = bytes[..place].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
            let Ok(trace) = open(&bytes[..], &options()) else { continue };
            let mut before = None;
            for request in trace {
                match request {
                    Ok(request) => {
                        prop_assert!(request.address % 64 == 0 && request.address < MEMORY);
                        prop_assert!(request.at >= before);
                        before = request.at;
                    }
                    Err(error) => {
                        // A later time, or a line end that is gone, shows in the line behind it.
                        let at = error.line().expect("told");
                        prop_assert!((line..=line + 1).contains(&at), "{} at {}", error, line);
                    }
                }
            }
        }
    }
}
