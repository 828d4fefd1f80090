//! Tables beside the basic one: opcodes with four address bytes, and xSPI Profile 1.0.

use super::basic::{Basic, SfdpOpcode};
use super::fields::{SfdpTable, bits};
use crate::import::toml::Skeleton;
use crate::import::{Field, ImportError};

/// A bit of the 4-byte table: an opcode and what it does.
struct FourByte {
    bit: u32,
    code: u32,
    name: &'static str,
    action: &'static str,
    mode: &'static str,
}

const fn entry(
    bit: u32,
    code: u32,
    name: &'static str,
    action: &'static str,
    mode: &'static str,
) -> FourByte {
    FourByte {
        bit,
        code,
        name,
        action,
        mode,
    }
}

/// Bits of the 4-byte table from here on came with JESD216C.
const FIRST_OCTAL_BIT: u32 = 20;

const FOUR_BYTE: [FourByte; 20] = [
    entry(0, 0x13, "Read", "read", "1S-1S-1S"),
    entry(1, 0x0C, "Fast Read", "read", "1S-1S-1S"),
    entry(2, 0x3C, "Fast Read", "read", "1S-1S-2S"),
    entry(3, 0xBC, "Fast Read", "read", "1S-2S-2S"),
    entry(4, 0x6C, "Fast Read", "read", "1S-1S-4S"),
    entry(5, 0xEC, "Fast Read", "read", "1S-4S-4S"),
    entry(6, 0x12, "Page Program", "write", "1S-1S-1S"),
    entry(7, 0x34, "Page Program", "write", "1S-1S-4S"),
    entry(8, 0x3E, "Page Program", "write", "1S-4S-4S"),
    entry(13, 0x0E, "Fast Read", "read", "1S-1D-1D"),
    entry(14, 0xBE, "Fast Read", "read", "1S-2D-2D"),
    entry(15, 0xEE, "Fast Read", "read", "1S-4D-4D"),
    entry(16, 0xE0, "Volatile Sector Lock Read", "lock", "1S-1S-1S"),
    entry(17, 0xE1, "Volatile Sector Lock Write", "lock", "1S-1S-1S"),
    entry(
        18,
        0xE2,
        "Non-Volatile Sector Lock Read",
        "lock",
        "1S-1S-1S",
    ),
    entry(
        19,
        0xE3,
        "Non-Volatile Sector Lock Write",
        "lock",
        "1S-1S-1S",
    ),
    entry(20, 0x7C, "Fast Read", "read", "1S-1S-8S"),
    entry(21, 0xCC, "Fast Read", "read", "1S-8S-8S"),
    entry(23, 0x84, "Page Program", "write", "1S-1S-8S"),
    entry(24, 0x8E, "Page Program", "write", "1S-8S-8S"),
];

/// The 4-Byte Address Instruction Table.
pub(super) fn four_byte(
    table: &SfdpTable,
    basic: &Basic<'_>,
    fields: &mut Vec<Field>,
    sheet: &mut Skeleton,
) -> Result<(), ImportError> {
    need(table, 2)?;
    sheet.prose("");
    sheet.prose(
        "Opcodes with four address bytes. The table states neither dummy cycles nor clocks;",
    );
    sheet.prose("reads wait as long as their opcodes with three address bytes.");
    for entry in &FOUR_BYTE {
        // Before octal modes were known, their bits were reserved, and ones in some pages.
        let known = entry.bit < FIRST_OCTAL_BIT || basic.knows_octal();
        if !known || !table.is_set(1, entry.bit) {
            continue;
        }
        let FourByte {
            bit,
            code,
            name,
            mode,
            ..
        } = *entry;
        let meaning = format!("opcode {code:02X}h");
        fields.push(table.field(bits(1, bit, bit), &format!("{name} {mode}"), meaning));
        if entry.action == "write" {
            let opcode = SfdpOpcode {
                code,
                name: &format!("{name} {mode}, 4 address bytes"),
                action: entry.action,
                mode,
                address_bytes: 4,
                dummy_cycles: 0,
            };
            opcode.sheet(&table.source("1"), sheet);
        }
    }
    for number in 1..=4 {
        let low = 8 * (number - 1);
        let erase = basic
            .erases
            .iter()
            .find(|erase| erase.number == number as usize);
        if let Some(erase) = erase
            && table.is_set(1, 8 + number)
        {
            let at = bits(2, low + 7, low);
            let name = format!("erase type {number} with 4 address bytes");
            let meaning = format!(
                "{}, opcode {:02X}h",
                super::size(erase.bytes),
                table.get(at)
            );
            fields.push(table.field(at, &name, meaning));
        }
    }
    Ok(())
}

/// xSPI Profile 1.0: reads in 8D-8D-8D, and how long they wait at which clock.
pub(super) fn profile_1(
    table: &SfdpTable,
    fields: &mut Vec<Field>,
    sheet: &mut Skeleton,
) -> Result<(), ImportError> {
    need(table, 5)?;
    let code = table.get(bits(1, 15, 8));
    let read = bits(1, 15, 8);
    fields.push(table.field(read, "fast read 8D-8D-8D", format!("opcode {code:02X}h")));
    let status = [bits(1, 28, 28), bits(1, 29, 29)];
    let dummy = ["4 dummy cycles", "8 dummy cycles"][table.get(status[0]) as usize];
    fields.push(table.field(status[0], "status read 8D-8D-8D", dummy));
    let address = ["no address bytes", "4 address bytes"][table.get(status[1]) as usize];
    fields.push(table.field(status[1], "status read 8D-8D-8D", address));
    sheet.prose("");
    sheet.prose("Reads in 8D-8D-8D, by clock.");
    for (at, clock) in [
        (bits(4, 11, 7), "200 MHz"),
        (bits(5, 31, 27), "166 MHz"),
        (bits(5, 21, 17), "133 MHz"),
        (bits(5, 11, 7), "100 MHz"),
    ] {
        let cycles = table.get(at);
        let name = format!("8D-8D-8D read at {clock}");
        if cycles == 0 {
            fields.push(table.field(at, &name, "not supported"));
            continue;
        }
        fields.push(table.field(at, &name, format!("{cycles} dummy cycles")));
        let opcode = SfdpOpcode {
            code,
            name: "Fast Read 8D-8D-8D",
            action: "read",
            mode: "8D-8D-8D",
            address_bytes: 4,
            dummy_cycles: cycles,
        };
        let source = table.source(&format!("1 and {}", at.word));
        opcode.sheet(&source, sheet);
        sheet.figure("clock", &[("max", clock.to_owned())], &source);
    }
    Ok(())
}

fn need(table: &SfdpTable, words: usize) -> Result<(), ImportError> {
    if table.has(words) {
        return Ok(());
    }
    let fault = format!("length of the {} table", table.name);
    let found = format!("{} DWORDs", table.words.len());
    let allowed = format!("at least {words} DWORDs");
    Err(ImportError::new(table.offset, fault, found, allowed))
}
