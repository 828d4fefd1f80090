//! The parts of the basic table about bus modes: fast reads, quad and octal modes, address length.

use super::fields::{Bits, SfdpTable, bits};
use crate::import::{Field, set_bits};

/// A fast read: its lines, the bit that says whether the chip has it, and where its settings begin.
pub(super) struct FastRead {
    pub(super) mode: &'static str,
    supported: Option<(usize, u32)>,
    pub(super) word: usize,
    low: u32,
}

const fn read(
    mode: &'static str,
    supported: Option<(usize, u32)>,
    word: usize,
    low: u32,
) -> FastRead {
    FastRead {
        mode,
        supported,
        word,
        low,
    }
}

/// Every fast read of the basic table.
pub(super) const FAST_READS: [FastRead; 12] = [
    read("1S-4S-4S", Some((1, 21)), 3, 0),
    read("1S-1S-4S", Some((1, 22)), 3, 16),
    read("1S-1S-2S", Some((1, 16)), 4, 0),
    read("1S-2S-2S", Some((1, 20)), 4, 16),
    read("2S-2S-2S", Some((5, 0)), 6, 16),
    read("4S-4S-4S", Some((5, 4)), 7, 16),
    // These two have no bit of their own: opcode 00h or FFh says that there is none.
    read("1S-8S-8S", None, 17, 0),
    read("1S-1S-8S", None, 17, 16),
    read("1S-1D-1D", Some((21, 0)), 22, 0),
    read("1S-2D-2D", Some((21, 1)), 22, 16),
    read("1S-4D-4D", Some((21, 2)), 23, 0),
    read("4S-4D-4D", Some((21, 3)), 23, 16),
];

/// Opcode and waiting clocks of a fast read.
pub(super) struct ModeSettings {
    pub(super) opcode: u32,
    mode_clocks: u32,
    wait_states: u32,
}

impl ModeSettings {
    /// Clocks between address and data.
    pub(super) const fn dummy_cycles(&self) -> u32 {
        self.mode_clocks + self.wait_states
    }
}

impl FastRead {
    /// Whether its bit says that the chip has it.
    pub(super) fn is_flagged(&self, table: &SfdpTable) -> bool {
        let flagged = |(word, bit)| table.is_set(word, bit);
        table.has(self.word) && self.supported.is_some_and(flagged)
    }

    /// Whether the chip has it: its bit says so, where there is one, and it has an opcode.
    pub(super) fn is_supported(&self, table: &SfdpTable) -> bool {
        let flagged = self.supported.is_none() || self.is_flagged(table);
        table.has(self.word) && flagged && !matches!(self.settings(table).opcode, 0 | 0xFF)
    }

    /// Where its settings stand.
    pub(super) const fn place(&self) -> Bits {
        bits(self.word, self.low + 15, self.low)
    }

    pub(super) fn settings(&self, table: &SfdpTable) -> ModeSettings {
        let low = self.low;
        ModeSettings {
            opcode: table.get(bits(self.word, low + 15, low + 8)),
            mode_clocks: table.get(bits(self.word, low + 7, low + 5)),
            wait_states: table.get(bits(self.word, low + 4, low)),
        }
    }

    pub(super) fn field(&self, table: &SfdpTable) -> Field {
        let meaning = if self.is_supported(table) {
            let settings = self.settings(table);
            format!(
                "opcode {:02X}h, {} mode clocks + {} wait states = {} dummy cycles",
                settings.opcode,
                settings.mode_clocks,
                settings.wait_states,
                settings.dummy_cycles()
            )
        } else {
            "not supported".to_owned()
        };
        let at = self.place();
        table.field(at, &format!("fast read {}", self.mode), meaning)
    }
}

/// DWORD 15: how quad modes are entered.
pub(super) fn quad(table: &SfdpTable, fields: &mut Vec<Field>) {
    let mut add = |at: Bits, name: &str, meaning: String| {
        fields.push(table.field(at, name, meaning));
    };
    let leave = [
        "opcode FFh",
        "opcode F5h",
        "clear bit 6 of the register at 800003h (65h, 71h)",
        "soft reset, 66h then 99h",
    ];
    add(
        bits(15, 3, 0),
        "4S-4S-4S disable",
        set_bits(table.get(bits(15, 3, 0)), &leave),
    );
    let enter = [
        "set quad enable, then opcode 38h",
        "opcode 38h",
        "opcode 35h",
        "set bit 6 of the register at 800003h (65h, 71h)",
        "clear bit 7 of the enhanced configuration register (65h, 61h)",
    ];
    add(
        bits(15, 8, 4),
        "4S-4S-4S enable",
        set_bits(table.get(bits(15, 8, 4)), &enter),
    );
    let continuous = ["not supported", "supported"][table.get(bits(15, 9, 9)) as usize];
    add(
        bits(15, 9, 9),
        "0S-4S-4S (continuous read)",
        continuous.to_owned(),
    );
    let quad_enable = [
        "no quad enable bit",
        "bit 1 of status register 2, written with 01h and two bytes; one byte clears it",
        "bit 6 of status register 1, written with 01h and one byte",
        "bit 7 of status register 2, written with 3Eh, read with 3Fh",
        "bit 1 of status register 2, written with 01h and two bytes; one byte keeps it",
        "bit 1 of status register 2, read with 35h, written with 01h and two bytes",
        "bit 1 of status register 2, read with 35h, written with 31h",
        "reserved value",
    ];
    let quad_enable = quad_enable[table.get(bits(15, 22, 20)) as usize];
    add(bits(15, 22, 20), "quad enable", quad_enable.to_owned());
    let hold = ["cannot be disabled", "can be disabled"][table.get(bits(15, 23, 23)) as usize];
    add(bits(15, 23, 23), "HOLD or RESET pin", hold.to_owned());
}

/// DWORD 16: status register 1, soft reset, and four address bytes.
pub(super) fn addresses_and_reset(table: &SfdpTable, fields: &mut Vec<Field>) {
    let mut add = |at: Bits, name: &str, names: &[&str]| {
        fields.push(table.field(at, name, set_bits(table.get(at), names)));
    };
    let status = [
        "non-volatile, write enable 06h",
        "volatile, write enable 06h",
        "volatile, write enable 50h",
        "non-volatile with 06h, volatile with 50h",
        "volatile and non-volatile bits, write enable 06h",
    ];
    add(bits(16, 6, 0), "status register 1", &status);
    let reset = [
        "4 data lines high for 8 clocks",
        "4 data lines high for 10 clocks with 4 address bytes",
        "4 data lines high for 16 clocks",
        "opcode F0h",
        "opcodes 66h, 99h",
        "continuous read must be left first",
    ];
    add(bits(16, 13, 8), "soft reset", &reset);
    let leave = [
        "opcode E9h",
        "opcodes 06h, E9h",
        "extended address register, C5h",
        "bank register, 17h",
        "non-volatile configuration register, B1h",
        "hardware reset",
        "software reset",
        "power cycle",
    ];
    add(bits(16, 23, 14), "leave 4 address bytes", &leave);
    let enter = [
        "opcode B7h",
        "opcodes 06h, B7h",
        "extended address register, C5h",
        "bank register, 17h",
        "non-volatile configuration register, B1h",
        "own opcodes for 4 address bytes",
        "always 4 address bytes",
    ];
    add(bits(16, 31, 24), "enter 4 address bytes", &enter);
}

/// DWORDs 17 to 20: octal modes and clocks.
pub(super) fn octal(table: &SfdpTable, fields: &mut Vec<Field>) {
    if table.has(17) {
        let reads = FAST_READS.iter().filter(|read| read.word == 17);
        fields.extend(reads.map(|read| read.field(table)));
    }
    let mut add = |at: Bits, name: &str, meaning: &str| {
        if table.has(at.word) {
            fields.push(table.field(at, name, meaning));
        }
    };
    let either = |at: Bits| ["no", "yes"][table.get(at) as usize];
    let in_band = bits(18, 23, 23);
    add(in_band, "reset by JEDEC SPI protocol", either(in_band));
    add(
        bits(18, 26, 26),
        "data strobe in 4S-4S-4S",
        either(bits(18, 26, 26)),
    );
    add(
        bits(18, 27, 27),
        "data strobe in 4S-4D-4D",
        either(bits(18, 27, 27)),
    );
    let extension = [
        "opcode repeated",
        "opcode inverted",
        "reserved value",
        "opcode of 16 bits",
    ];
    let extension = extension[table.get(bits(18, 30, 29)) as usize];
    add(bits(18, 30, 29), "8D-8D-8D opcode extension", extension);
    let order = ["as in 1S-1S-1S", "bytes of a word swapped"];
    let order = order[table.get(bits(18, 31, 31)) as usize];
    add(bits(18, 31, 31), "8D-8D-8D byte order", order);
    let enable = match table.get(bits(19, 22, 20)) {
        0 => "no octal enable bit",
        1 => "bit 3 of status register 2, written with 31h",
        _ => "reserved value",
    };
    add(bits(19, 22, 20), "octal enable", enable);
    for (low, name) in [
        (0, "4S-4S-4S clock, no strobe"),
        (4, "4S-4S-4S clock, with strobe"),
        (8, "4S-4D-4D clock, no strobe"),
        (12, "4S-4D-4D clock, with strobe"),
        (16, "8S-8S-8S clock, no strobe"),
        (20, "8S-8S-8S clock, with strobe"),
        (24, "8D-8D-8D clock, no strobe"),
        (28, "8D-8D-8D clock, with strobe"),
    ] {
        let at = bits(20, low + 3, low);
        add(at, name, &clock(table.get(at)));
    }
}

/// DWORDs 21 to 23: reads at double rate.
pub(super) fn double_rate(table: &SfdpTable, fields: &mut Vec<Field>) {
    if table.has(23) {
        let reads = FAST_READS.iter().filter(|read| read.word > 17);
        fields.extend(reads.map(|read| read.field(table)));
    }
}

/// Megahertz of the codes of a maximum clock, from code 1.
const CLOCKS: [u64; 12] = [33, 50, 66, 80, 100, 133, 166, 200, 250, 266, 333, 400];

/// The code of a maximum clock.
fn clock(code: u32) -> String {
    match code {
        1..=12 => format!("max {} MHz", CLOCKS[code as usize - 1]),
        14 => "not characterised".to_owned(),
        15 => "not supported".to_owned(),
        _ => "reserved value".to_owned(),
    }
}

/// The highest clock in 8D-8D-8D, in megahertz: with the data strobe, or without it where it has none.
pub(super) fn octal_clock_mhz(table: &SfdpTable) -> Option<u64> {
    let codes = [table.get(bits(20, 31, 28)), table.get(bits(20, 27, 24))];
    let stated = codes.into_iter().filter(|code| (1..=12).contains(code));
    stated.map(|code| CLOCKS[code as usize - 1]).max()
}
