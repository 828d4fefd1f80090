//! The Basic Flash Parameter Table: what every SFDP page has. DWORDs 1 to 9 are those of the first
//! JESD216, 10 to 16 of revision A, 17 to 20 of revision C.

use wordline_core::quantity::Time;

use super::fields::{Bits, SfdpTable, bits};
use super::modes::{self, FAST_READS, FastRead};
use super::size;
use crate::import::toml::Skeleton;
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

/// A typical time, and the maximum that the table's multiplier makes of it.
#[derive(Clone, Copy)]
pub(super) struct Times {
    typ: Time,
    max: Time,
}

impl Times {
    fn columns(self) -> [(&'static str, String); 2] {
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
    opcode: u32,
    times: Option<Times>,
}

impl SfdpErase {
    /// Where size and opcode stand.
    fn place(number: usize) -> (Bits, Bits) {
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
    table: &'a SfdpTable,
    bytes: u64,
    pub(super) capacity: String,
    pub(super) erases: Vec<SfdpErase>,
}

/// Reads the table and adds its fields in order.
pub(super) fn read<'a>(
    table: &'a SfdpTable,
    fields: &mut Vec<Field>,
) -> Result<Basic<'a>, ImportError> {
    let bytes = density(table)?;
    let mut basic = Basic {
        table,
        bytes,
        capacity: size(bytes),
        erases: Vec::new(),
    };
    for number in 1..=4 {
        basic.erases.extend(basic.erase(number)?);
    }
    basic.check_page()?;
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
    for word in 21..=table.words.len() {
        let meaning = "reads at double data rate of JESD216E and later, not decoded";
        fields.push(table.field(bits(word, 31, 0), "further parameters", meaning));
    }
    Ok(basic)
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

    fn page_bytes(&self) -> u64 {
        1 << self.table.get(bits(11, 7, 4))
    }

    fn check_page(&self) -> Result<(), ImportError> {
        if !self.table.has(11) || self.page_bytes() <= self.bytes {
            return Ok(());
        }
        let at = bits(11, 7, 4);
        let fault = "page size (BFPT DWORD 11 bits 7:4)";
        let found = size(self.page_bytes());
        let allowed = format!("up to the chip's {}", self.capacity);
        Err(ImportError::new(
            self.table.offset(at),
            fault,
            found,
            allowed,
        ))
    }

    fn page_program(&self) -> Times {
        let unit = [8 * US, 64 * US][self.table.get(bits(11, 13, 13)) as usize];
        self.program_times(self.table.get(bits(11, 12, 8)), unit)
    }

    fn byte_program(&self, low: u32) -> Times {
        let unit = [US, 8 * US][self.table.get(bits(11, low + 4, low + 4)) as usize];
        self.program_times(self.table.get(bits(11, low + 3, low)), unit)
    }

    fn chip_erase(&self) -> Times {
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

    fn suspends(&self) -> bool {
        self.table.has(13) && !self.table.is_set(12, 31)
    }

    /// Latency of a suspend: count and unit in seven bits.
    fn latency(&self, low: u32) -> Time {
        let unit = LATENCY_UNITS[self.table.get(bits(12, low + 6, low + 5)) as usize];
        Time::from_ps((u64::from(self.table.get(bits(12, low + 4, low))) + 1) * unit)
    }

    /// Interval between resume and the next suspend.
    fn interval(&self, low: u32) -> Time {
        Time::from_ps((u64::from(self.table.get(bits(12, low + 3, low))) + 1) * 64 * US)
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

    fn powers_down(&self) -> bool {
        self.table.has(14) && !self.table.is_set(14, 31)
    }

    fn wake_up(&self) -> Time {
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

    /// The figures of the table, for a sheet.
    pub(super) fn sheet(&self, sheet: &mut Skeleton) {
        let table = self.table;
        let source = |words: &str| table.source(words);
        sheet.table("[nor]");
        sheet.figure("capacity", &[("typ", self.capacity.clone())], &source("2"));
        if table.has(11) {
            let page = size(self.page_bytes());
            sheet.figure("page_bytes", &[("typ", page)], &source("11"));
            sheet.figure(
                "page_program",
                &self.page_program().columns(),
                &source("11"),
            );
            let first = self.byte_program(14).columns();
            sheet.figure("byte_program_first", &first, &source("11"));
            let next = self.byte_program(19).columns();
            sheet.figure("byte_program_next", &next, &source("11"));
        }
        if self.powers_down() {
            let columns = [("min", self.wake_up().to_string())];
            sheet.figure("wake_up", &columns, &source("14"));
        }
        if self.suspends() {
            let latency = |low| [("max", self.latency(low).to_string())];
            let interval = |low| [("typ", self.interval(low).to_string())];
            let source = source("12");
            sheet.table("[nor.suspend]");
            sheet.figure("program_latency", &latency(13), &source);
            sheet.figure("erase_latency", &latency(24), &source);
            sheet.figure("program_progress", &interval(9), &source);
            sheet.figure("erase_progress", &interval(20), &source);
        }
        for erase in &self.erases {
            erase.sheet(table, sheet);
        }
        if table.has(11) {
            sheet.prose("");
            sheet.prose("SFDP states no opcode of the chip erase; C7h and 60h are usual.");
            sheet.table("[[nor.erase]]");
            sheet.key("name", "\"Chip Erase\"");
            sheet.key("code", "0xc7");
            sheet.figure("bytes", &[("typ", self.capacity.clone())], &source("2"));
            let columns = self.chip_erase().columns();
            sheet.figure("duration", &columns, &source("10 and 11"));
        }
        let reads = FAST_READS.iter().filter(|read| read.is_supported(table));
        sheet.prose("");
        sheet.prose("Opcodes. SFDP states no clock for them: add clock = { max = ... }, and the opcodes that");
        sheet.prose("it leaves out: read 03h, program 02h, write enable 06h, status 05h.");
        for read in reads {
            read.sheet(table, self.address_bytes(), sheet);
        }
        self.commands(sheet);
    }

    /// Address bytes after power-up.
    fn address_bytes(&self) -> u64 {
        if self.table.get(bits(1, 18, 17)) == 2 {
            4
        } else {
            3
        }
    }

    fn commands(&self, sheet: &mut Skeleton) {
        let table = self.table;
        for erase in &self.erases {
            let opcode = SfdpOpcode {
                code: erase.opcode,
                name: &erase.name(),
                action: "erase",
                mode: "1S-1S-1S",
                address_bytes: self.address_bytes(),
                dummy_cycles: 0,
            };
            opcode.sheet(&erase.source(table), sheet);
        }
        let mut commands = Vec::new();
        if self.suspends() {
            commands.push((bits(13, 31, 24), "Suspend", "suspend"));
            commands.push((bits(13, 23, 16), "Resume", "resume"));
        }
        if self.powers_down() {
            commands.push((bits(14, 30, 23), "Deep Power-Down", "power-down"));
            commands.push((bits(14, 22, 15), "Release from Deep Power-Down", "wake-up"));
        }
        for (at, name, action) in commands {
            let opcode = SfdpOpcode {
                code: table.get(at),
                name,
                action,
                mode: "1S-1S-1S",
                address_bytes: 0,
                dummy_cycles: 0,
            };
            opcode.sheet(&table.source(&at.word.to_string()), sheet);
        }
    }
}

impl SfdpErase {
    /// What a sheet calls it.
    fn name(&self) -> String {
        format!("Erase {}", size(self.bytes))
    }

    fn source(&self, table: &SfdpTable) -> String {
        table.source(&Self::place(self.number).0.word.to_string())
    }

    fn sheet(&self, table: &SfdpTable, sheet: &mut Skeleton) {
        let source = self.source(table);
        sheet.table("[[nor.erase]]");
        sheet.key("name", &format!("\"{}\"", self.name()));
        sheet.key("code", &format!("0x{:02x}", self.opcode));
        sheet.figure("bytes", &[("typ", size(self.bytes))], &source);
        if let Some(times) = self.times {
            sheet.figure("duration", &times.columns(), &table.source("10"));
        }
    }
}

/// An opcode as a sheet lists it.
pub(super) struct SfdpOpcode<'a> {
    pub(super) code: u32,
    pub(super) name: &'a str,
    pub(super) action: &'a str,
    pub(super) mode: &'a str,
    pub(super) address_bytes: u64,
    pub(super) dummy_cycles: u32,
}

impl SfdpOpcode<'_> {
    pub(super) fn sheet(&self, source: &str, sheet: &mut Skeleton) {
        sheet.table("[[nor.opcode]]");
        sheet.key("code", &format!("0x{:02x}", self.code));
        sheet.key("name", &format!("\"{}\"", self.name));
        sheet.key("action", &format!("\"{}\"", self.action));
        // A chip in another protocol has been switched to it, and a sheet names which.
        let lines = self.mode.split('-').next();
        let protocol = match lines {
            Some("1S") => Some("extended-spi"),
            Some("8D") => Some("octal-dtr"),
            _ => None,
        };
        if let Some(protocol) = protocol {
            sheet.key("protocol", &format!("\"{protocol}\""));
        }
        sheet.key("mode", &format!("\"{}\"", self.mode));
        sheet.key("address_bytes", &self.address_bytes.to_string());
        sheet.key("dummy_cycles", &self.dummy_cycles.to_string());
        sheet.key("source", &format!("\"{source}\""));
    }
}

impl FastRead {
    fn sheet(&self, table: &SfdpTable, address_bytes: u64, sheet: &mut Skeleton) {
        let settings = self.settings(table);
        let opcode = SfdpOpcode {
            code: settings.opcode,
            name: &format!("Fast Read {}", self.mode),
            action: "read",
            mode: self.mode,
            address_bytes,
            dummy_cycles: settings.dummy_cycles(),
        };
        opcode.sheet(&table.source(&self.word.to_string()), sheet);
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
