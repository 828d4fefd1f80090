//! The formats whose lines are words: DRAMsim3, Ramulator, Ramulator 2.

use wordline_core::Operation;

use super::request::{DramRecord, Stamp};
use super::{DramFormat, DramTraceError};
use crate::lines::shown;
use crate::number::{NumberFault, whole, whole_or_hex};

/// Most words that a line can have and still be looked at, and one more.
const WORDS: usize = 4;

/// The words of a line, and how many of [`WORDS`] there are.
fn words(text: &[u8]) -> ([&[u8]; WORDS], usize) {
    let mut words: [&[u8]; WORDS] = [&[]; WORDS];
    let mut count = 0;
    let found = text
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    for (slot, word) in words.iter_mut().zip(found) {
        *slot = word;
        count += 1;
    }
    (words, count)
}

/// What the first line is, if it is of one of these formats. Faults of addresses and cycles do not hide the format.
pub(super) fn looks_like(text: &[u8]) -> Option<DramFormat> {
    let (words, count) = words(text);
    match &words[..count] {
        [_, operation, _] if dramsim3(operation).is_some() => Some(DramFormat::Dramsim3),
        [_, operation] if ramulator(operation).is_some() => Some(DramFormat::Ramulator),
        [operation, address] if ramulator2(operation).is_some() && !address.contains(&b',') => {
            Some(DramFormat::Ramulator2)
        }
        _ => None,
    }
}

/// What is often met beside them, and why it is not read.
pub(super) fn known_otherwise(text: &[u8]) -> Option<&'static str> {
    let (words, count) = words(text);
    match &words[..count] {
        [b"R" | b"W", address] if address.contains(&b',') => Some(
            "of Ramulator 2's read-write traces, whose addresses are channel, rank, bank, row and column of its own \
             memory",
        ),
        _ => None,
    }
}

/// Takes a line apart.
pub(super) fn read(
    format: DramFormat,
    line: u64,
    text: &[u8],
) -> Result<DramRecord, DramTraceError> {
    let (words, count) = words(text);
    let (operation, allowed, told, address, cycle) = match (format, &words[..count]) {
        (DramFormat::Dramsim3, [address, told, cycle]) => {
            let cycle = cycles(line, cycle)?;
            let address = hexadecimal(address);
            (
                dramsim3(told),
                DRAMSIM3,
                told,
                (address, words[0]),
                Some(cycle),
            )
        }
        (DramFormat::Ramulator, [address, told]) => {
            let address = hexadecimal(address);
            (ramulator(told), RAMULATOR, told, (address, words[0]), None)
        }
        (DramFormat::Ramulator2, [told, address]) => {
            let address = whole_or_hex(address);
            (
                ramulator2(told),
                RAMULATOR2,
                told,
                (address, words[1]),
                None,
            )
        }
        _ => {
            return Err(DramTraceError::NoRequest {
                line,
                found: shown(text),
                format,
                expected: format!("lines such as {}", format.example()),
            });
        }
    };
    let operation = operation.ok_or_else(|| DramTraceError::UnknownOperation {
        line,
        found: shown(told),
        allowed,
    })?;
    let (address, found) = address;
    let address = address.map_err(|fault| bad_address(line, found, fault))?;
    Ok(DramRecord {
        operation,
        address,
        stamp: cycle.map(Stamp::Cycles),
        instructions: 0,
    })
}

/// DRAMsim3 and DRAMSim2's k6 traces.
const DRAMSIM3: &str =
    "READ, WRITE, read, write, P_MEM_RD, P_FETCH (reads), P_MEM_WR, BOFF (writes)";
const RAMULATOR: &str = "R, W";
const RAMULATOR2: &str = "LD, ST";

fn dramsim3(word: &[u8]) -> Option<Operation> {
    match word {
        b"READ" | b"read" | b"P_MEM_RD" | b"P_FETCH" => Some(Operation::Read),
        b"WRITE" | b"write" | b"P_MEM_WR" | b"BOFF" => Some(Operation::Write),
        _ => None,
    }
}

fn ramulator(word: &[u8]) -> Option<Operation> {
    match word {
        b"R" => Some(Operation::Read),
        b"W" => Some(Operation::Write),
        _ => None,
    }
}

fn ramulator2(word: &[u8]) -> Option<Operation> {
    match word {
        b"LD" => Some(Operation::Read),
        b"ST" => Some(Operation::Write),
        _ => None,
    }
}

/// An address of DRAMsim3 or Ramulator: hexadecimal, whether `0x` stands in front or not.
pub(super) fn hexadecimal(word: &[u8]) -> Result<u64, NumberFault> {
    let digits = word
        .strip_prefix(b"0x")
        .or_else(|| word.strip_prefix(b"0X"))
        .unwrap_or(word);
    match digits {
        [] => Err(NumberFault::Empty),
        [b'-', ..] => Err(NumberFault::Negative),
        _ => digits.iter().try_fold(0u64, |value, byte| {
            let digit = char::from(*byte)
                .to_digit(16)
                .ok_or(NumberFault::NotANumber)?;
            match value >> 60 {
                0 => Ok(value << 4 | u64::from(digit)),
                _ => Err(NumberFault::TooLarge),
            }
        }),
    }
}

pub(super) fn cycles(line: u64, word: &[u8]) -> Result<u64, DramTraceError> {
    whole(word).map_err(|fault| DramTraceError::Number {
        line,
        what: "the cycle",
        found: shown(word),
        problem: fault.words(),
        expected: "a whole number below 2^64",
    })
}

pub(super) fn bad_address(line: u64, word: &[u8], fault: NumberFault) -> DramTraceError {
    DramTraceError::Number {
        line,
        what: "the address",
        found: shown(word),
        problem: fault.words(),
        expected: "a number below 2^64 such as 0x12345680",
    }
}
