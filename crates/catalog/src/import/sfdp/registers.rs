//! Tables about registers: the Status, Control and Configuration Register Map, the command sequences that change a
//! chip to 8D-8D-8D, and what vendor tables say of the supply.

use wordline_core::quantity::Voltage;

use super::Reading;
use super::fields::{SfdpTable, bits};

/// What the DWORDs of the register map are about, from the fifth.
const BITS: [&str; 24] = [
    "write in progress",
    "write enable latch",
    "program error",
    "erase error",
    "dummy cycles, volatile",
    "dummy cycles, non-volatile",
    "patterns of 22 to 30 dummy cycles",
    "patterns of 12 to 20 dummy cycles",
    "patterns of 2 to 10 dummy cycles",
    "4S-4S-4S enable, volatile",
    "4S-4S-4S enable, non-volatile",
    "octal enable, volatile",
    "octal enable, non-volatile",
    "single or double rate, volatile",
    "single or double rate, non-volatile",
    "8S-8S-8S enable, volatile",
    "8S-8S-8S enable, non-volatile",
    "8D-8D-8D enable, volatile",
    "8D-8D-8D enable, non-volatile",
    "deep power-down status",
    "ultra deep power-down status",
    "drive strength, volatile",
    "drive strength, non-volatile",
    "patterns of the drive strength",
];

/// DWORDs of the map that list bit patterns rather than the place of a bit.
const PATTERNS: [usize; 4] = [11, 12, 13, 28];

/// The register map.
pub(super) fn map(table: &SfdpTable, reading: &mut Reading) {
    for (word, name) in [(1, "volatile registers"), (2, "non-volatile registers")] {
        if table.has(word) {
            let at = bits(word, 31, 0);
            let meaning = format!("offset of their addresses {:X}h", table.get(at));
            reading.fields.push(table.field(at, name, meaning));
        }
    }
    for (word, name) in [(3, "volatile registers"), (4, "non-volatile registers")] {
        if table.has(word) {
            let access = match table.get(bits(word, 31, 30)) {
                0 => "no generic commands",
                1 => "generic write command",
                2 => "generic read command",
                _ => "generic read and write commands",
            };
            let field = table.field(bits(word, 31, 30), name, access);
            reading.fields.push(field);
        }
    }
    for (word, name) in (5..).zip(BITS) {
        if !table.has(word) {
            break;
        }
        let at = bits(word, 31, 0);
        let meaning = if PATTERNS.contains(&word) {
            "bit patterns, not decoded".to_owned()
        } else if table.is_set(word, 31) {
            register_bit(table, word)
        } else {
            "not available".to_owned()
        };
        reading.fields.push(table.field(at, name, meaning));
    }
}

/// Where a bit stands and how it is reached.
fn register_bit(table: &SfdpTable, word: usize) -> String {
    let bit = table.get(bits(word, 26, 24));
    let read = table.get(bits(word, 15, 8));
    let write = table.get(bits(word, 7, 0));
    let place = if table.is_set(word, 28) {
        format!("at address {:02X}h", table.get(bits(word, 23, 16)))
    } else {
        "of a register with its own command".to_owned()
    };
    format!("bit {bit} {place}, read {read:02X}h, write {write:02X}h")
}

/// The command sequences that change a chip to 8D-8D-8D: up to seven bytes each.
pub(super) fn sequences(table: &SfdpTable, reading: &mut Reading) {
    for (index, word) in (1..table.words.len()).step_by(2).enumerate() {
        let length = table.get(bits(word, 31, 24)) as usize;
        let bytes = [23, 15, 7].map(|high| bits(word, high, high - 7));
        let more = [31, 23, 15, 7].map(|high| bits(word + 1, high, high - 7));
        let bytes = bytes.into_iter().chain(more).take(length.min(7));
        let bytes: Vec<_> = bytes.map(|at| format!("{:02X}h", table.get(at))).collect();
        let meaning = match length {
            0 => "none".to_owned(),
            1..=7 => bytes.join(" "),
            _ => "reserved length".to_owned(),
        };
        let name = format!("sequence {} to 8D-8D-8D", index + 1);
        let at = bits(word, 31, 24);
        reading.fields.push(table.field(at, &name, meaning));
    }
}

/// The supply range of a vendor table in the form that Macronix documents in its data sheets, and that other
/// makers share: highest and lowest millivolts in the first DWORD, a decimal digit in each four bits.
pub(super) fn vendor_supply(table: &SfdpTable, reading: &mut Reading) -> Option<[Voltage; 2]> {
    let [high, low] = [bits(1, 15, 0), bits(1, 31, 16)];
    let millivolts = |at| {
        let digits = format!("{:04X}", table.get(at));
        digits
            .parse::<u64>()
            .ok()
            .filter(|value| (1_000..=6_000).contains(value))
    };
    let (max, min) = (millivolts(high)?, millivolts(low)?);
    if min > max {
        return None;
    }
    let volts = |millivolts: u64| format!("{millivolts} mV").parse::<Voltage>().ok();
    let (min, max) = (volts(min)?, volts(max)?);
    for (at, name, volts) in [(high, "highest supply", max), (low, "lowest supply", min)] {
        reading
            .fields
            .push(table.field(at, name, volts.to_string()));
    }
    Some([min, max])
}
