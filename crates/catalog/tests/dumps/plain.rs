//! The words of each dump, decoded once more by arithmetic on its bytes alone, and the sheet beside them.

use toml::{Table, Value};
use wordline_core::quantity::{ByteCount, Time};

use super::{dumps, sheet_path};

/// The DWORDs of the basic table, from 1.
fn words(bytes: &[u8]) -> Vec<u32> {
    // Of several basic tables, none of these dumps has more than one.
    let at = usize::from(bytes[12]) + 256 * usize::from(bytes[13]) + 65536 * usize::from(bytes[14]);
    let count = usize::from(bytes[11]);
    let word = |index: usize| {
        let bytes = &bytes[at + 4 * index..][..4];
        bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word * 256 + u32::from(*byte))
    };
    std::iter::once(0).chain((0..count).map(word)).collect()
}

/// Bits of a DWORD, from the lowest one and as many as `count`.
fn field(word: u32, low: u32, count: u32) -> u64 {
    u64::from(word / 2_u32.pow(low)) % 2_u64.pow(count)
}

fn time(figure: &Value, column: &str) -> u64 {
    let text = figure[column].as_str().expect("a quantity");
    text.parse::<Time>().expect("a time").ps()
}

fn bytes(figure: &Value) -> u64 {
    let text = figure["typ"].as_str().expect("a quantity");
    text.parse::<ByteCount>().expect("a size").bytes()
}

/// A typical time in picoseconds and its maximum, beside those of a figure.
fn check(what: &str, figure: &Value, typ_ps: u64, times: u64) {
    assert_eq!(time(figure, "typ"), typ_ps, "{what}");
    assert_eq!(time(figure, "max"), typ_ps * times, "{what}");
}

const US: u64 = 1_000_000;
const MS: u64 = 1_000 * US;

/// The sheets of the dumps that make one: name, DWORDs and model table.
fn sheets() -> Vec<(String, Vec<u32>, Value)> {
    let mut found: Vec<(String, Vec<u32>, Value)> = Vec::new();
    for (entry, bytes) in dumps() {
        let part = entry.claims.part.expect("each has one");
        let Ok(text) = std::fs::read_to_string(sheet_path(&part)) else {
            continue;
        };
        if found.iter().any(|(known, ..)| *known == part) {
            continue;
        }
        let mut sheet: Table = text.parse().expect("TOML");
        let nor = sheet.remove("nor").expect("a NOR flash");
        found.push((part, words(&bytes), nor));
    }
    assert!(found.len() >= 80, "{}", found.len());
    found
}

#[test]
fn capacity_and_erases_are_those_of_the_words() {
    for (part, words, nor) in sheets() {
        let capacity = match words[2] >= 1 << 31 {
            true => 2_u64.pow(words[2] - (1 << 31)) / 8,
            false => (u64::from(words[2]) + 1) / 8,
        };
        assert_eq!(bytes(&nor["capacity"]), capacity, "{part}");
        let erases = nor["erase"].as_array().expect("erases");
        let mut matched = 0;
        for erase in erases {
            let size = bytes(&erase["bytes"]);
            // Four types of 16 bits: the size as a power of two, and the opcode.
            let number = (0..4).find(|number| {
                let word = words[8 + number / 2];
                let power = field(word, 16 * (*number as u32 % 2), 8);
                power > 0 && 2_u64.pow(power as u32) == size
            });
            match number {
                Some(number) if words.len() > 10 => {
                    matched += 1;
                    let at = 4 + 7 * number as u32;
                    let unit = [1, 16, 128, 1000][field(words[10], at + 5, 2) as usize] * MS;
                    let typ = (field(words[10], at, 5) + 1) * unit;
                    let times = 2 * (field(words[10], 0, 4) + 1);
                    check(&format!("{part}: {size}"), &erase["duration"], typ, times);
                }
                // The first JESD216 has no times: whoever states one is not the dump.
                Some(_) => {
                    let source = erase.get("duration").and_then(|it| it.get("source"));
                    assert!(source.is_none(), "{part}: {size}");
                }
                None => {
                    assert_eq!(size, capacity, "{part}");
                    let unit = [16, 256, 4_000, 64_000][field(words[11], 29, 2) as usize] * MS;
                    let typ = (field(words[11], 24, 5) + 1) * unit;
                    let times = 2 * (field(words[10], 0, 4) + 1);
                    check(&format!("{part}: chip"), &erase["duration"], typ, times);
                }
            }
        }
        assert!(words.len() <= 10 || matched > 0, "{part}");
    }
}

#[test]
fn programs_are_those_of_the_words() {
    let mut stated = 0;
    for (part, words, nor) in sheets() {
        if words.len() <= 11 {
            assert!(nor.get("page_program").is_none(), "{part}");
            continue;
        }
        stated += 1;
        let word = words[11];
        let times = 2 * (field(word, 0, 4) + 1);
        assert_eq!(
            bytes(&nor["page_bytes"]),
            2_u64.pow(field(word, 4, 4) as u32),
            "{part}"
        );
        let typ = (field(word, 8, 5) + 1) * [8, 64][field(word, 13, 1) as usize] * US;
        check(&part, &nor["page_program"], typ, times);
        for (key, low) in [("byte_program_first", 14), ("byte_program_next", 19)] {
            let typ = (field(word, low, 4) + 1) * [1, 8][field(word, low + 4, 1) as usize] * US;
            check(&format!("{part}: {key}"), &nor[key], typ, times);
        }
    }
    assert!(stated >= 60, "{stated}");
}

#[test]
fn reads_wait_as_the_words_say() {
    // Mode, its bit of DWORD 1, and the DWORD and lowest bit of its settings.
    const READS: [(&str, u32, usize, u32); 4] = [
        ("1S-1S-2S", 16, 4, 0),
        ("1S-2S-2S", 20, 4, 16),
        ("1S-4S-4S", 21, 3, 0),
        ("1S-1S-4S", 22, 3, 16),
    ];
    let mut checked = 0;
    for (part, words, nor) in sheets() {
        let opcodes = nor["opcode"].as_array().expect("opcodes");
        for (mode, bit, word, low) in READS {
            let reads = |opcode: &&Value| {
                opcode["mode"].as_str() == Some(mode) && opcode["action"].as_str() == Some("read")
            };
            let read = opcodes.iter().find(reads);
            let supported = field(words[1], bit, 1) == 1;
            assert_eq!(read.is_some(), supported, "{part}: {mode}");
            let Some(read) = read else {
                continue;
            };
            checked += 1;
            let waits = field(words[word], low, 5) + field(words[word], low + 5, 3);
            assert_eq!(
                read["dummy_cycles"].as_integer(),
                Some(waits as i64),
                "{part}: {mode}"
            );
            if read["address_bytes"].as_integer() == Some(3) {
                let code = field(words[word], low + 8, 8) as i64;
                assert_eq!(read["code"].as_integer(), Some(code), "{part}: {mode}");
            }
        }
    }
    assert!(checked > 200, "{checked}");
}
