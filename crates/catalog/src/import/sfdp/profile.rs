//! xSPI Profile 1.0: which commands a chip has in 8D-8D-8D, and how long its reads wait at which clock; and the
//! head of Profile 2.0.

use super::fields::{Bits, SfdpTable, bits};
use super::{Reading, need};

/// Clocks for which dummy cycles are stated, in megahertz, from the highest.
const CLOCKS: [(u64, Bits); 4] = [
    (200, bits(4, 11, 7)),
    (166, bits(5, 31, 27)),
    (133, bits(5, 21, 17)),
    (100, bits(5, 11, 7)),
];

/// Commands of DWORD 3 that a chip may have in 8D-8D-8D, from bit 10.
const COMMANDS: [&str; 22] = [
    "enter default protocol",
    "soft reset and enter default protocol",
    "reset enable",
    "soft reset",
    "exit deep power-down",
    "enter deep power-down",
    "write non-volatile register",
    "write volatile register",
    "write register",
    "clear flag status register",
    "write status and configuration register",
    "read non-volatile register",
    "read volatile register",
    "read register",
    "read flag status register",
    "read configuration register",
    "erase chip",
    "erase 32 KiB",
    "erase 4 KiB",
    "set up read wrap",
    "read fast wrap",
    "read SFDP",
];
/// Bits of DWORD 3 that a sheet asks for.
const ENTER_POWER_DOWN: u32 = 15;
const EXIT_POWER_DOWN: u32 = 14;
const ERASE_CHIP: u32 = 26;

/// What the table says of a chip in 8D-8D-8D.
pub(super) struct OctalProfile {
    /// Opcode of the read.
    pub(super) read: u32,
    /// Clocks in megahertz from the highest, and the dummy cycles of a read.
    pub(super) dummy_cycles: Vec<(u64, u32)>,
    pub(super) status_address_bytes: u64,
    pub(super) status_dummy_cycles: u64,
    pub(super) erases_chip: bool,
    pub(super) powers_down: bool,
    /// How sheets cite the DWORDs of the read and of the status.
    pub(super) source: String,
    read_sources: Vec<String>,
}

impl OctalProfile {
    pub(super) fn read(table: &SfdpTable, reading: &mut Reading) -> Option<Self> {
        need(table, 5, reading)?;
        let mut add = |at: Bits, name: &str, meaning: String| {
            reading.fields.push(table.field(at, name, meaning));
        };
        let either = |at: Bits, words: [&str; 2]| words[table.get(at) as usize].to_owned();
        let code = |at: Bits| match table.get(at) {
            0 => "not supported".to_owned(),
            code => format!("opcode {code:02X}h"),
        };
        let read = bits(1, 15, 8);
        add(
            bits(1, 7, 0),
            "fast read wrap 8D-8D-8D",
            code(bits(1, 7, 0)),
        );
        add(read, "fast read 8D-8D-8D", code(read));
        let status = [bits(1, 28, 28), bits(1, 29, 29)];
        let dummy = either(status[0], ["4 dummy cycles", "8 dummy cycles"]);
        add(status[0], "status read 8D-8D-8D", dummy);
        let address = either(status[1], ["no address bytes", "4 address bytes"]);
        add(status[1], "status read 8D-8D-8D", address);
        let dummy = either(bits(1, 30, 30), ["8 dummy cycles", "20 dummy cycles"]);
        add(bits(1, 30, 30), "SFDP read 8D-8D-8D", dummy);
        let address = either(bits(1, 31, 31), ["4 address bytes", "3 address bytes"]);
        add(bits(1, 31, 31), "SFDP read 8D-8D-8D", address);
        for (low, name) in [
            (0, "write non-volatile register 8D-8D-8D"),
            (8, "write volatile register 8D-8D-8D"),
            (16, "read non-volatile register 8D-8D-8D"),
            (24, "read volatile register 8D-8D-8D"),
        ] {
            let at = bits(2, low + 7, low);
            add(at, name, code(at));
        }
        let supported = bits(3, 31, 10);
        let commands = super::super::set_bits(table.get(supported), &COMMANDS);
        add(supported, "commands in 8D-8D-8D", commands);
        let mut dummy_cycles = Vec::new();
        let mut read_sources = Vec::new();
        for (clock, at) in CLOCKS {
            let cycles = table.get(at);
            let name = format!("8D-8D-8D read at {clock} MHz");
            if cycles == 0 {
                add(at, &name, "not supported".to_owned());
                continue;
            }
            add(at, &name, format!("{cycles} dummy cycles"));
            dummy_cycles.push((clock, cycles));
            read_sources.push(table.source(&[1, at.word]));
        }
        if table.has(6) {
            let at = bits(6, 4, 0);
            let meaning = format!("{} dummy cycles", table.get(at));
            add(at, "8D-8D-8D read after power-up", meaning);
        }
        Some(Self {
            read: table.get(read),
            dummy_cycles,
            status_address_bytes: 4 * u64::from(table.get(status[1])),
            status_dummy_cycles: 4 + 4 * u64::from(table.get(status[0])),
            erases_chip: table.is_set(3, ERASE_CHIP),
            powers_down: table.is_set(3, ENTER_POWER_DOWN) && table.is_set(3, EXIT_POWER_DOWN),
            source: table.source(&[1]),
            read_sources,
        })
    }

    /// The highest clock up to `limit_mhz`, the dummy cycles of a read at it, and how a sheet cites them.
    pub(super) fn fastest(&self, limit_mhz: Option<u64>) -> Option<(u64, u32, &str)> {
        let rows = self.dummy_cycles.iter().zip(&self.read_sources);
        let mut fits = rows.filter(|((clock, _), _)| limit_mhz.is_none_or(|limit| *clock <= limit));
        fits.next()
            .map(|((clock, cycles), source)| (*clock, *cycles, source.as_str()))
    }
}

/// The DWORDs of xSPI Profile 2.0, HyperBus, as they stand: a sheet has no model of that bus.
pub(super) fn profile_2(table: &SfdpTable, reading: &mut Reading) {
    let words = 1..=table.words.len();
    let fields = words.map(|word| {
        table.field(
            bits(word, 31, 0),
            "xSPI Profile 2.0",
            "named only: no model has its bus",
        )
    });
    reading.fields.extend(fields);
}
