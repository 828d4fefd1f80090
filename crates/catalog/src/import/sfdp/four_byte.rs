//! The 4-Byte Address Instruction Table: opcodes that have four address bytes in every state of the chip.

use super::basic::Basic;
use super::fields::{SfdpTable, bits};
use super::{Reading, need, size};

/// A bit of the table: an opcode and what it does.
pub(super) struct FourByte {
    bit: u32,
    pub(super) code: u32,
    pub(super) name: &'static str,
    pub(super) action: &'static str,
    pub(super) mode: &'static str,
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

/// Bits of the table from here on came with JESD216C.
const FIRST_OCTAL_BIT: u32 = 20;

const FOUR_BYTE: [FourByte; 21] = [
    entry(0, 0x13, "Read", "slow read", "1S-1S-1S"),
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
    entry(22, 0xFD, "Fast Read", "read", "1S-8D-8D"),
    entry(23, 0x84, "Page Program", "write", "1S-1S-8S"),
    entry(24, 0x8E, "Page Program", "write", "1S-8S-8S"),
];

/// What the table says.
pub(super) struct FourByteTable {
    /// How sheets cite its first and second DWORD.
    pub(super) sources: [String; 2],
    /// The opcodes that the chip has.
    pub(super) opcodes: Vec<&'static FourByte>,
    /// Numbers and opcodes of the erase types that the chip has with four address bytes.
    pub(super) erases: Vec<(usize, u32)>,
}

impl FourByteTable {
    pub(super) fn read(
        table: &SfdpTable,
        basic: &Basic<'_>,
        reading: &mut Reading,
    ) -> Option<Self> {
        need(table, 2, reading)?;
        let mut found = Self {
            sources: [table.source(&[1]), table.source(&[2])],
            opcodes: Vec::new(),
            erases: Vec::new(),
        };
        for entry in &FOUR_BYTE {
            // Before octal modes were known, their bits were reserved, and ones in some pages.
            let known = entry.bit < FIRST_OCTAL_BIT || basic.knows_octal();
            if !known || !table.is_set(1, entry.bit) {
                continue;
            }
            let meaning = format!("opcode {:02X}h", entry.code);
            let name = format!("{} {}", entry.name, entry.mode);
            let at = bits(1, entry.bit, entry.bit);
            reading.fields.push(table.field(at, &name, meaning));
            found.opcodes.push(entry);
        }
        for erase in &basic.erases {
            let number = erase.number as u32;
            if !table.is_set(1, 8 + number) {
                continue;
            }
            let at = bits(2, 8 * number - 1, 8 * (number - 1));
            let code = table.get(at);
            let name = format!("erase type {number} with 4 address bytes");
            let meaning = format!("{}, opcode {code:02X}h", size(erase.bytes));
            reading.fields.push(table.field(at, &name, meaning));
            if !matches!(code, 0 | 0xFF) {
                found.erases.push((erase.number, code));
            }
        }
        Some(found)
    }

    /// The opcode of an erase type.
    pub(super) fn erase(&self, number: usize) -> Option<u32> {
        let found = self.erases.iter().find(|(known, _)| *known == number);
        found.map(|(_, code)| *code)
    }

    /// The opcode of a read or a program in a mode.
    pub(super) fn opcode(&self, action: &str, mode: &str) -> Option<&'static FourByte> {
        let fits = |entry: &&&FourByte| entry.action == action && entry.mode == mode;
        self.opcodes.iter().find(fits).copied()
    }
}
