//! The Basic Flash Parameter Table: what every SFDP page has. DWORDs 1 to 9 are those of the first
//! JESD216, 10 to 16 of revision A, 17 to 20 of revision C, 21 to 23 of revision E.

use wordline_core::quantity::Time;

use super::fields::{Bits, SfdpTable, bits};
use super::modes::{self, FAST_READS};
use super::{Reading, size};
use crate::import::{Field, ImportError, set_bits};

/// DWORDs of the first JESD216.
pub(super) const WORDS_MIN: usize = 9;

const NS: u64 = 1_000;
const US: u64 = 1_000 * NS;
const MS: u64 = 1_000 * US;
const S: u64 = 1_000 * MS;

/// Units of the latencies of suspend and power-down.
const LATENCY_UNITS: [u64; 4] = [128 * NS, US, 8 * US, 64 * US];

/// The most that four address bytes reach: 2^35 bits.
const DENSITY_EXPONENT_MAX: u32 = 35;

/// What three address bytes reach.
pub(super) const REACH_OF_THREE_BYTES: u64 = 1 << 24;

/// A typical time, and the maximum that the table's multiplier makes of it.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub(super) typ: Time,
    max: Time,
}

impl Times {
    pub(super) fn columns(self) -> [(&'static str, String); 2] {
        [("typ", self.typ.to_string()), ("max", self.max.to_string())]
    }

    fn words(self) -> String {
        format!("typ {}, max {}", self.typ, self.max)
    }
}

/// An erase type that the chip has.
pub(super) struct SfdpErase {
    /// 1 to 4.
    pub(super) number: usize,
    pub(super) bytes: u64,
    pub(super) opcode: u32,
    pub(super) times: Option<Times>,
}

impl SfdpErase {
    /// Where size and opcode stand.
    pub(super) fn place(number: usize) -> (Bits, Bits) {
        let word = 8 + (number - 1) / 2;
        let low = 16 * ((number - 1) % 2) as u32;
        (bits(word, low + 7, low), bits(word, low + 15, low + 8))
    }

    /// Where its typical time stands: count and unit.
    fn time_place(number: usize) -> Bits {
        let low = 4 + 7 * (number as u32 - 1);
        bits(10, low + 6, low)
    }
}

/// What other tables and the sheet need of the basic table.
pub(super) struct Basic<'a> {
    pub(super) table: &'a SfdpTable,
    pub(super) bytes: u64,
    pub(super) capacity: String,
    pub(super) erases: Vec<SfdpErase>,
}

/// Reads the table and adds its fields in order. Without a density there is nothing to compare the rest with.
pub(super) fn read<'a>(table: &'a SfdpTable, reading: &mut Reading) -> Option<Basic<'a>> {
    let bytes = density(table)
        .map_err(|fault| reading.faults.push(fault))
        .ok()?;
    let mut basic = Basic {
        table,
        bytes,
        capacity: size(bytes),
        erases: Vec::new(),
    };
    for number in 1..=4 {
        match basic.erase(number) {
            Ok(erase) => basic.erases.extend(erase),
            Err(fault) => reading.faults.push(fault),
        }
    }
    reading.faults.extend(basic.check_page());
    reading.faults.extend(basic.check_addresses());
    basic.contradict(&mut reading.contradictions);
    let fields = &mut reading.fields;
    basic.first_words(fields);
    basic.erase_types(fields);
    if table.has(11) {
        basic.times(fields);
    }
    if table.has(13) {
        basic.suspend(fields);
    }
    if table.has(16) {
        basic.power_down(fields);
        modes::quad(table, fields);
        modes::addresses_and_reset(table, fields);
    }
    modes::octal(table, fields);
    modes::double_rate(table, fields);
    for word in 24..=table.words.len() {
        let meaning = "later than JESD216F, not decoded";
        fields.push(table.field(bits(word, 31, 0), "further parameters", meaning));
    }
    Some(basic)
}

/// The chip's size in bytes.
fn density(table: &SfdpTable) -> Result<u64, ImportError> {
    let word = bits(2, 31, 0);
    let value = table.get(word);
    let fault = |found: String, allowed: String| {
        let fault = "density (BFPT DWORD 2)";
        Err(ImportError::new(table.offset(word), fault, found, allowed))
    };
    if value >> 31 == 1 {
        let exponent = value & 0x7FFF_FFFF;
        if !(32..=DENSITY_EXPONENT_MAX).contains(&exponent) {
            let allowed =
                format!("2^32 to 2^{DENSITY_EXPONENT_MAX} bits, which four bytes address");
            return fault(format!("{value:08X}h, 2^{exponent} bits"), allowed);
        }
        return Ok(1 << (exponent - 3));
    }
    let count = u64::from(value) + 1;
    if !count.is_multiple_of(8 * 1024) {
        let allowed = "a multiple of 8 Kibit, less one".to_owned();
        return fault(format!("{value:08X}h, {count} bits"), allowed);
    }
    Ok(count / 8)
}

impl Basic<'_> {
    /// An erase type, if the chip has it.
    fn erase(&self, number: usize) -> Result<Option<SfdpErase>, ImportError> {
        let table = self.table;
        let (size_at, opcode_at) = SfdpErase::place(number);
        let exponent = table.get(size_at);
        if exponent == 0 {
            return Ok(None);
        }
        if exponent >= 64 || 1 << exponent > self.bytes {
            let fault = format!("size of erase type {number} ({})", table.place(size_at));
            let found = format!("2^{exponent} bytes");
            let allowed = format!("0 (no such type), or up to the chip's {}", self.capacity);
            return Err(ImportError::new(
                table.offset(size_at),
                fault,
                found,
                allowed,
            ));
        }
        let times = table.has(10).then(|| {
            let time = table.get(SfdpErase::time_place(number));
            let unit = [MS, 16 * MS, 128 * MS, S][time as usize >> 5 & 3];
            self.erase_times(u64::from(time & 0x1F) + 1, unit)
        });
        Ok(Some(SfdpErase {
            number,
            bytes: 1 << exponent,
            opcode: table.get(opcode_at),
            times,
        }))
    }

    /// The multiplier of DWORD 10 holds for erase types and for the whole chip.
    fn erase_times(&self, count: u64, unit_ps: u64) -> Times {
        times(count, unit_ps, self.table.get(bits(10, 3, 0)))
    }

    fn program_times(&self, count: u32, unit_ps: u64) -> Times {
        let multiplier = self.table.get(bits(11, 3, 0));
        times(u64::from(count) + 1, unit_ps, multiplier)
    }

    pub(super) fn page_bytes(&self) -> u64 {
        1 << self.table.get(bits(11, 7, 4))
    }

    fn check_page(&self) -> Option<ImportError> {
        if !self.table.has(11) || self.page_bytes() <= self.bytes {
            return None;
        }
        let at = bits(11, 7, 4);
        let fault = "page size (BFPT DWORD 11 bits 7:4)";
        let found = size(self.page_bytes());
        let allowed = format!("up to the chip's {}", self.capacity);
        let at = self.table.offset(at);
        Some(ImportError::new(at, fault, found, allowed))
    }

    /// The chip's last byte has an address.
    fn check_addresses(&self) -> Option<ImportError> {
        if self.bytes <= REACH_OF_THREE_BYTES || self.takes_four_bytes() {
            return None;
        }
        let at = bits(1, 18, 17);
        let fault = "address bytes (BFPT DWORD 1 bits 18:17)";
        let found = format!("3, and no way to 4, with {}", self.capacity);
        let allowed = "4 address bytes above 16 MiB";
        Some(ImportError::new(
            self.table.offset(at),
            fault,
            found,
            allowed,
        ))
    }

    /// What contradicts itself, and is left out of a sheet.
    fn contradict(&self, found: &mut Vec<ImportError>) {
        let table = self.table;
        let mut add = |at: Bits, fault: String, found_: String, allowed: &str| {
            let fault = format!("{fault} ({})", table.place(at));
            found.push(ImportError::new(table.offset(at), fault, found_, allowed));
        };
        for read in FAST_READS.iter().filter(|read| read.is_flagged(table)) {
            if !read.is_supported(table) {
                let fault = format!("fast read {} is supported, and has no opcode", read.mode);
                let code = format!("opcode {:02X}h", read.settings(table).opcode);
                add(read.place(), fault, code, "an opcode from 01h to FEh");
            }
        }
        for erase in &self.erases {
            let (_, at) = SfdpErase::place(erase.number);
            if matches!(erase.opcode, 0 | 0xFF) {
                let fault = format!("erase type {} has no opcode", erase.number);
                let code = format!("opcode {:02X}h", erase.opcode);
                add(at, fault, code, "an opcode from 01h to FEh");
            }
        }
        let reach = bits(1, 18, 17);
        match table.get(reach) {
            3 => add(
                reach,
                "address bytes".to_owned(),
                "11b".to_owned(),
                "00b, 01b or 10b",
            ),
            0 if self.bytes > REACH_OF_THREE_BYTES => {
                let fault = format!("3 address bytes do not reach {}", self.capacity);
                add(
                    reach,
                    fault,
                    "00b, 3 address bytes".to_owned(),
                    "01b or 10b",
                );
            }
            _ => {}
        }
        let first = bits(11, 18, 14);
        if table.has(11) && self.byte_program(14).typ > self.page_program().typ {
            let fault = "a program of one byte takes longer than a page".to_owned();
            let allowed = format!("at most {}", self.page_program().typ);
            add(
                first,
                fault,
                self.byte_program(14).typ.to_string(),
                &allowed,
            );
        }
    }

    /// The time of one byte, and of each byte more, where they agree with the time of a page.
    pub(super) fn byte_programs(&self) -> Option<[Times; 2]> {
        let first = self.byte_program(14);
        let stated = self.table.has(11) && first.typ <= self.page_program().typ;
        stated.then(|| [first, self.byte_program(19)])
    }

    pub(super) fn page_program(&self) -> Times {
        let unit = [8 * US, 64 * US][self.table.get(bits(11, 13, 13)) as usize];
        self.program_times(self.table.get(bits(11, 12, 8)), unit)
    }

    fn byte_program(&self, low: u32) -> Times {
        let unit = [US, 8 * US][self.table.get(bits(11, low + 4, low + 4)) as usize];
        self.program_times(self.table.get(bits(11, low + 3, low)), unit)
    }

    pub(super) fn chip_erase(&self) -> Times {
        let units = [16 * MS, 256 * MS, 4 * S, 64 * S];
        let unit = units[self.table.get(bits(11, 30, 29)) as usize];
        let count = self.table.get(bits(11, 28, 24));
        self.erase_times(u64::from(count) + 1, unit)
    }

    fn first_words(&self, fields: &mut Vec<Field>) {
        let table = self.table;
        let mut add = |at: Bits, name: &str, meaning: String| {
            fields.push(table.field(at, name, meaning));
        };
        let uniform = match table.get(bits(1, 1, 0)) {
            1 => "4 KiB everywhere",
            3 => "not everywhere",
            _ => "reserved value",
        };
        add(bits(1, 1, 0), "4 KiB erase", uniform.to_owned());
        let granularity = ["less than 64 bytes", "64 bytes or more"];
        let granularity = granularity[table.get(bits(1, 2, 2)) as usize];
        add(bits(1, 2, 2), "write granularity", granularity.to_owned());
        let opcode = match table.get(bits(1, 15, 8)) {
            0xFF => "none".to_owned(),
            code => format!("opcode {code:02X}h"),
        };
        add(bits(1, 15, 8), "4 KiB erase opcode", opcode);
        add(
            bits(1, 18, 17),
            "address bytes",
            self.address_words().to_owned(),
        );
        let dtr = ["not supported", "supported"][table.get(bits(1, 19, 19)) as usize];
        add(bits(1, 19, 19), "double transfer rate", dtr.to_owned());
        let density = format!("{} ({} bits)", self.capacity, 8 * u128::from(self.bytes));
        add(bits(2, 31, 0), "density", density);
        for read in FAST_READS.iter().filter(|read| read.word < 17) {
            fields.push(read.field(table));
        }
    }

    /// Whether the chip takes four address bytes in all its opcodes: always, or once it has been switched (DWORDs 1
    /// and 16).
    fn takes_four_bytes(&self) -> bool {
        let switched = self.table.has(16) && self.table.get(bits(16, 31, 24)) & 0b1101_1111 != 0;
        matches!(self.table.get(bits(1, 18, 17)), 1 | 2) || switched
    }

    /// Whether every opcode has four address bytes from power-up on.
    pub(super) fn has_only_four_bytes(&self) -> bool {
        self.table.get(bits(1, 18, 17)) == 2
    }

    /// Whether the table is of JESD216C or later, which know octal modes.
    pub(super) fn knows_octal(&self) -> bool {
        self.table.has(17)
    }

    fn address_words(&self) -> &'static str {
        match self.table.get(bits(1, 18, 17)) {
            0 => "3",
            1 => "3, or 4 after it has been switched",
            2 => "4",
            _ => "reserved value",
        }
    }

    fn erase_types(&self, fields: &mut Vec<Field>) {
        let table = self.table;
        for number in 1..=4 {
            let (size_at, opcode_at) = SfdpErase::place(number);
            let whole = bits(size_at.word, opcode_at.high, size_at.low);
            let erase = self.erases.iter().find(|erase| erase.number == number);
            let meaning = erase.map_or_else(
                || "none".to_owned(),
                |erase| format!("{}, opcode {:02X}h", size(erase.bytes), erase.opcode),
            );
            fields.push(table.field(whole, &format!("erase type {number}"), meaning));
        }
        if !table.has(10) {
            return;
        }
        let multiplier = 2 * (table.get(bits(10, 3, 0)) + 1);
        let meaning = format!("maximum = {multiplier} x typical");
        fields.push(table.field(bits(10, 3, 0), "erase multiplier", meaning));
        for erase in &self.erases {
            let name = format!("erase type {} time", erase.number);
            let at = SfdpErase::time_place(erase.number);
            let words = erase.times.map_or_else(String::new, Times::words);
            fields.push(table.field(at, &name, words));
        }
    }

    fn times(&self, fields: &mut Vec<Field>) {
        let table = self.table;
        let multiplier = 2 * (table.get(bits(11, 3, 0)) + 1);
        let mut add = |at: Bits, name: &str, meaning: String| {
            fields.push(table.field(at, name, meaning));
        };
        add(
            bits(11, 3, 0),
            "program multiplier",
            format!("maximum = {multiplier} x typical"),
        );
        add(bits(11, 7, 4), "page size", size(self.page_bytes()));
        add(
            bits(11, 13, 8),
            "page program time",
            self.page_program().words(),
        );
        let first = self.byte_program(14).words();
        add(bits(11, 18, 14), "byte program time, first byte", first);
        let further = self.byte_program(19).words();
        add(
            bits(11, 23, 19),
            "byte program time, each further byte",
            further,
        );
        add(
            bits(11, 30, 24),
            "chip erase time",
            self.chip_erase().words(),
        );
    }

    pub(super) fn suspends(&self) -> bool {
        self.table.has(13) && !self.table.is_set(12, 31)
    }

    /// Latency of a suspend: count and unit in seven bits.
    pub(super) fn latency(&self, low: u32) -> Time {
        let unit = LATENCY_UNITS[self.table.get(bits(12, low + 6, low + 5)) as usize];
        Time::from_ps((u64::from(self.table.get(bits(12, low + 4, low))) + 1) * unit)
    }

    /// Interval between resume and the next suspend.
    pub(super) fn interval(&self, low: u32) -> Time {
        Time::from_ps((u64::from(self.table.get(bits(12, low + 3, low))) + 1) * 64 * US)
    }

    /// Whether a page outside the suspended sector can be programmed while an erase is suspended.
    pub(super) fn programs_during_erase(&self) -> bool {
        self.table.is_set(12, 5)
    }

    fn suspend(&self, fields: &mut Vec<Field>) {
        let table = self.table;
        let supported = ["not supported", "supported"][usize::from(self.suspends())];
        fields.push(table.field(bits(12, 31, 31), "suspend and resume", supported));
        if !self.suspends() {
            return;
        }
        let mut add = |at: Bits, name: &str, meaning: String| {
            fields.push(table.field(at, name, meaning));
        };
        let program = [
            [
                "no erase anywhere",
                "no erase of the suspended page's sector size",
            ],
            [
                "no program anywhere",
                "no program of the suspended page size",
            ],
            [
                "reads as the data sheet says",
                "no read of the suspended page",
            ],
            ["further restrictions", "no further restriction"],
        ];
        let erase = [
            ["no erase anywhere", "no erase of the suspended sector size"],
            ["no program anywhere", "no program in the suspended sector"],
            [
                "reads as the data sheet says",
                "no read in the suspended sector",
            ],
            ["further restrictions", "no further restriction"],
        ];
        for (low, name, words) in [
            (0, "prohibited while a program is suspended", program),
            (4, "prohibited while an erase is suspended", erase),
        ] {
            let value = table.get(bits(12, low + 3, low));
            let words: Vec<_> = (0..4)
                .map(|bit| words[bit][(value >> bit & 1) as usize])
                .collect();
            add(bits(12, low + 3, low), name, words.join("; "));
        }
        let interval = |low| format!("typ {}", self.interval(low));
        let latency = |low| format!("max {}", self.latency(low));
        add(bits(12, 12, 9), "program resume to suspend", interval(9));
        add(bits(12, 19, 13), "program suspend latency", latency(13));
        add(bits(12, 23, 20), "erase resume to suspend", interval(20));
        add(bits(12, 30, 24), "erase suspend latency", latency(24));
        for (low, name) in [
            (0, "program resume opcode"),
            (8, "program suspend opcode"),
            (16, "resume opcode"),
            (24, "suspend opcode"),
        ] {
            let at = bits(13, low + 7, low);
            add(at, name, format!("opcode {:02X}h", table.get(at)));
        }
    }

    pub(super) fn powers_down(&self) -> bool {
        self.table.has(14) && !self.table.is_set(14, 31)
    }

    pub(super) fn wake_up(&self) -> Time {
        let unit = LATENCY_UNITS[self.table.get(bits(14, 14, 13)) as usize];
        Time::from_ps((u64::from(self.table.get(bits(14, 12, 8))) + 1) * unit)
    }

    fn power_down(&self, fields: &mut Vec<Field>) {
        let table = self.table;
        // The reserved bits of this field are ones.
        let polling = set_bits(
            table.get(bits(14, 3, 2)),
            &[
                "status register, opcode 05h, bit 0: 1 busy",
                "flag status register, opcode 70h, bit 7: 0 busy",
            ],
        );
        fields.push(table.field(bits(14, 3, 2), "busy polling", polling));
        let supported = ["not supported", "supported"][usize::from(self.powers_down())];
        fields.push(table.field(bits(14, 31, 31), "deep power-down", supported));
        if !self.powers_down() {
            return;
        }
        let delay = self.wake_up().to_string();
        fields.push(table.field(bits(14, 14, 8), "deep power-down exit delay", delay));
        for (at, name) in [
            (bits(14, 22, 15), "deep power-down exit opcode"),
            (bits(14, 30, 23), "deep power-down enter opcode"),
        ] {
            fields.push(table.field(at, name, format!("opcode {:02X}h", table.get(at))));
        }
    }
}

/// A typical time of `count` units, and the maximum of JESD216: typical · 2 · (multiplier + 1).
fn times(count: u64, unit_ps: u64, multiplier: u32) -> Times {
    let typ = count * unit_ps;
    Times {
        typ: Time::from_ps(typ),
        max: Time::from_ps(typ * 2 * (u64::from(multiplier) + 1)),
    }
}
