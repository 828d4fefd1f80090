//! Serial Flash Discoverable Parameters, JESD216: the header, the parameter headers, and which table
//! of the page describes what.

mod basic;
mod draft;
mod fields;
mod four_byte;
mod modes;
mod profile;
mod registers;
mod sector_map;

use super::{DumpFormat, Field, ImportError, ImportErrors, Page, beginning};
use draft::Tables;
use fields::{SfdpTable, hex};
use four_byte::FourByteTable;
use profile::OctalProfile;
use sector_map::SectorMap;
use wordline_core::quantity::ByteCount;

/// The first four bytes.
pub(super) const SIGNATURE: &[u8] = b"SFDP";

const HEADER_BYTES: usize = 8;

/// Tables of JEDEC that have a name here; others are listed by their number.
const TABLES: [(u16, &str); 10] = [
    (BASIC, "Basic Flash Parameter Table"),
    (0xFF03, "Replay Protected Monotonic Counters"),
    (PROFILE_1, "xSPI Profile 1.0 (8D-8D-8D)"),
    (PROFILE_2, "xSPI Profile 2.0 (8D-8D-8D, HyperBus)"),
    (0xFF09, "Register Map of xSPI Profile 2.0"),
    (SEQUENCES, "Command Sequences to Change to Octal DDR"),
    (SECTOR_MAP, "Sector Map"),
    (FOUR_BYTE, "4-Byte Address Instruction Table"),
    (
        REGISTER_MAP,
        "Status, Control and Configuration Register Map",
    ),
    (0xFF88, "Register Map Offsets for Multi-Chip Devices"),
];
const BASIC: u16 = 0xFF00;
const PROFILE_1: u16 = 0xFF05;
const PROFILE_2: u16 = 0xFF06;
const SEQUENCES: u16 = 0xFF0A;
const SECTOR_MAP: u16 = 0xFF81;
const FOUR_BYTE: u16 = 0xFF84;
const REGISTER_MAP: u16 = 0xFF87;
const UNUSED: u16 = 0xFFFF;

/// Letters in a row that no table covers, from which on they are a text that somebody wrote.
const TEXT_MIN: usize = 6;

/// A parameter header, and the table that it points at.
struct Parameter {
    /// Where the header stands.
    offset: usize,
    id: u16,
    major: u8,
    minor: u8,
    words: usize,
    pointer: usize,
}

/// What is gathered while the tables of a page are read.
#[derive(Default)]
struct Reading {
    fields: Vec<Field>,
    /// What makes the page unusable.
    faults: Vec<ImportError>,
    /// What contradicts itself or another table, and is left out of a sheet.
    contradictions: Vec<ImportError>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Page, ImportErrors> {
    let parameters = parameters(bytes)?;
    let [minor, major, last, access] = [bytes[4], bytes[5], bytes[6], bytes[7]];
    let mut reading = Reading::default();
    for parameter in &parameters {
        reading.faults.extend(parameter.fault(bytes));
    }
    let basic = match basic_table(&parameters) {
        Ok(basic) if basic.fault(bytes).is_none() => basic,
        Ok(_) => return Err(ImportErrors(reading.faults)),
        Err(fault) => {
            // What was found of a header already says more than that its table cannot be used.
            if !reading
                .faults
                .iter()
                .any(|found| found.offset == fault.offset)
            {
                reading.faults.push(fault);
            }
            return Err(ImportErrors(reading.faults));
        }
    };
    for (offset, place, name, raw, meaning) in [
        (
            0,
            "bytes 3:0",
            "signature",
            "53 46 44 50".to_owned(),
            "SFDP".to_owned(),
        ),
        (
            4,
            "bytes 5:4",
            "revision",
            format!("{major:02X}{minor:02X}h"),
            revision(major, minor),
        ),
        (
            6,
            "byte 6",
            "parameter headers",
            hex(last.into(), 8),
            parameters.len().to_string(),
        ),
        (
            7,
            "byte 7",
            "access protocol",
            hex(access.into(), 8),
            access_protocol(access),
        ),
    ] {
        reading.fields.push(Field {
            offset,
            place: format!("header {place}"),
            name: name.to_owned(),
            raw,
            meaning,
        });
    }
    reading
        .fields
        .extend(parameters.iter().map(Parameter::field));
    let table = basic.table(bytes, "BFPT", "basic table");
    let Some(decoded) = basic::read(&table, &mut reading) else {
        return Err(ImportErrors(reading.faults));
    };
    let mut tables = Tables {
        basic: &decoded,
        four_byte: None,
        profile: None,
        sector_map: None,
        supply: None,
    };
    let mut vendors = Vec::new();
    let sound = |parameter: &&Parameter| parameter.id != UNUSED && parameter.fault(bytes).is_none();
    for parameter in parameters.iter().filter(sound) {
        parameter.read(bytes, &mut tables, &mut vendors, &mut reading);
    }
    reading
        .contradictions
        .extend(foreign_text(bytes, &parameters));
    if !reading.faults.is_empty() {
        return Err(ImportErrors(reading.faults));
    }
    let sheet = format!(
        "SFDP {major}.{minor}, basic table {}.{} of {} DWORDs",
        basic.major, basic.minor, basic.words
    );
    Ok(Page {
        kind: DumpFormat::Sfdp,
        title: format!(
            "SFDP {}: {} serial NOR flash",
            revision(major, minor),
            decoded.capacity
        ),
        notes: notes(&parameters, basic),
        fields: reading.fields,
        contradictions: reading.contradictions,
        vendors,
        draft: tables.draft(sheet),
    })
}

/// The parameter headers of a page, whose own header is checked.
fn parameters(bytes: &[u8]) -> Result<Vec<Parameter>, ImportErrors> {
    if !bytes.starts_with(SIGNATURE) {
        let allowed = "\"SFDP\" (53 46 44 50)";
        let fault = "the signature of SFDP is missing";
        return Err(ImportError::new(0, fault, beginning(bytes), allowed).into());
    }
    let header = window(bytes, 0, HEADER_BYTES, "the SFDP header")?;
    let [major, last] = [header[5], header[6]];
    if major != 1 {
        let fault = "major revision of SFDP";
        return Err(ImportError::new(5, fault, major.to_string(), "1").into());
    }
    let count = usize::from(last) + 1;
    let what = format!("the {count} parameter headers");
    window(bytes, HEADER_BYTES, count * HEADER_BYTES, &what)?;
    let headers = (1..=count).map(|index| Parameter::new(bytes, index * HEADER_BYTES));
    Ok(headers.collect())
}

/// A text in bytes that belong to no table: a chip whose page can be written, and was.
fn foreign_text(bytes: &[u8], parameters: &[Parameter]) -> Option<ImportError> {
    let headers = 0..HEADER_BYTES * (1 + parameters.len());
    let tables = parameters.iter().filter(|parameter| parameter.id != UNUSED);
    let covered: Vec<_> = std::iter::once(headers)
        .chain(tables.map(|table| table.pointer..table.pointer + 4 * table.words))
        .collect();
    let is_text = |at: usize| {
        let letter = bytes[at].is_ascii_graphic() || bytes[at] == b' ';
        letter && !covered.iter().any(|range| range.contains(&at))
    };
    let mut at = 0;
    while at < bytes.len() {
        let length = (at..bytes.len()).take_while(|at| is_text(*at)).count();
        if length >= TEXT_MIN {
            let text = String::from_utf8_lossy(&bytes[at..at + length.min(40)]);
            let fault = "a text stands where no table does: somebody wrote into the page, tables may be damaged";
            let allowed = "FFh between the tables";
            return Some(ImportError::new(at, fault, format!("{text:?}"), allowed));
        }
        at += length.max(1);
    }
    None
}

impl Parameter {
    /// The header at an offset that lies inside the dump.
    fn new(bytes: &[u8], offset: usize) -> Self {
        let byte = |at: usize| bytes[offset + at];
        Self {
            offset,
            id: u16::from_le_bytes([byte(0), byte(7)]),
            minor: byte(1),
            major: byte(2),
            words: byte(3).into(),
            pointer: u32::from_le_bytes([byte(4), byte(5), byte(6), 0]) as usize,
        }
    }

    /// What keeps the table from lying inside the dump, at a whole DWORD.
    fn fault(&self, bytes: &[u8]) -> Option<ImportError> {
        if self.id == UNUSED {
            return None;
        }
        let name = self.name();
        if self.words == 0 {
            let fault = format!("length of the {name}");
            let (found, allowed) = ("0 DWORDs", "1 to 255 DWORDs");
            return Some(ImportError::new(self.offset + 3, fault, found, allowed));
        }
        if !self.pointer.is_multiple_of(4) {
            let fault = format!("pointer to the {name}");
            let found = format!("0x{:X}", self.pointer);
            let allowed = "a multiple of 4";
            return Some(ImportError::new(self.offset + 4, fault, found, allowed));
        }
        let end = self.pointer + 4 * self.words;
        if end > bytes.len() {
            let fault = format!("pointer to the {name}");
            let found = format!(
                "0x{:X}, whose {} DWORDs end at 0x{end:X}",
                self.pointer, self.words
            );
            let allowed = format!(
                "a table inside the dump, which ends at 0x{:X} (dump the whole SFDP area)",
                bytes.len()
            );
            return Some(ImportError::new(self.offset + 4, fault, found, allowed));
        }
        None
    }

    /// Reads the table into what a sheet draws on.
    fn read(
        &self,
        bytes: &[u8],
        tables: &mut Tables<'_>,
        vendors: &mut Vec<(usize, u8)>,
        reading: &mut Reading,
    ) {
        let basic = tables.basic;
        match self.id {
            FOUR_BYTE => {
                let table = self.table(bytes, "4BAIT", "4-byte table");
                tables.four_byte = FourByteTable::read(&table, basic, reading);
            }
            PROFILE_1 => {
                let table = self.table(bytes, "xSPI Profile 1.0", "xSPI Profile 1.0 table");
                tables.profile = OctalProfile::read(&table, reading);
            }
            PROFILE_2 => {
                let table = self.table(bytes, "xSPI Profile 2.0", "xSPI Profile 2.0 table");
                profile::profile_2(&table, reading);
            }
            SECTOR_MAP => {
                let table = self.table(bytes, "sector map", "sector map");
                tables.sector_map = SectorMap::read(&table, basic, reading);
            }
            REGISTER_MAP => {
                let table = self.table(bytes, "SCCR map", "register map");
                registers::map(&table, reading);
            }
            SEQUENCES => {
                let table = self.table(bytes, "octal DDR sequences", "octal DDR sequences");
                registers::sequences(&table, reading);
            }
            _ => {
                let Some(vendor) = self.vendor() else {
                    return;
                };
                vendors.push((self.offset, vendor));
                let name = format!("table of maker {vendor:02X}h, revision");
                let table = self.table(bytes, "vendor table", &name);
                if let Some(supply) = registers::vendor_supply(&table, reading) {
                    tables.supply = Some((supply, table.source(&[1])));
                }
            }
        }
    }

    /// The code of the maker whose own table it is. JEDEC gives makers numbers of odd parity, and its own tables
    /// even ones in the bank FFh.
    fn vendor(&self) -> Option<u8> {
        let [bank, maker] = self.id.to_be_bytes();
        let of_jedec = bank == 0xFF && maker.count_ones().is_multiple_of(2);
        (!of_jedec).then_some(maker)
    }

    fn name(&self) -> String {
        let known = TABLES.iter().find(|(id, _)| *id == self.id);
        let [bank, maker] = self.id.to_be_bytes();
        match known {
            Some((_, name)) => (*name).to_owned(),
            None if self.id == UNUSED => "unused header".to_owned(),
            None if self.vendor().is_none() => format!("JEDEC table {:04X}h", self.id),
            None if bank == 0xFF => format!("vendor table of manufacturer {maker:02X}h"),
            None => format!("vendor table of manufacturer {maker:02X}h, bank {bank}"),
        }
    }

    fn field(&self) -> Field {
        let meaning = if self.id == UNUSED {
            String::new()
        } else {
            format!(
                "revision {}.{}, {} DWORDs at 0x{:X}",
                self.major, self.minor, self.words, self.pointer
            )
        };
        Field {
            offset: self.offset,
            place: format!("parameter header {}", self.offset / HEADER_BYTES),
            name: self.name(),
            raw: format!("{:04X}h", self.id),
            meaning,
        }
    }

    /// The table, whose header has no fault: its name in places, and in what sheets cite.
    fn table(&self, bytes: &[u8], name: &'static str, title: &str) -> SfdpTable {
        let words = bytes[self.pointer..][..4 * self.words].chunks_exact(4);
        SfdpTable {
            name,
            title: format!("{title} {}.{}", self.major, self.minor),
            offset: self.pointer,
            words: words
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect(),
        }
    }
}

/// The newest basic table of major revision 1: a chip may carry an older one first, for old readers.
fn basic_table(parameters: &[Parameter]) -> Result<&Parameter, ImportError> {
    let first = &parameters[0];
    if first.id != BASIC {
        let fault = "id of the first parameter header";
        let found = format!("{:04X}h", first.id);
        let allowed = "FF00h, the Basic Flash Parameter Table";
        return Err(ImportError::new(first.offset, fault, found, allowed));
    }
    let known = parameters
        .iter()
        .filter(|parameter| parameter.id == BASIC && parameter.major == 1);
    let Some(basic) = known.max_by_key(|parameter| (parameter.minor, parameter.words)) else {
        let fault = "major revision of the Basic Flash Parameter Table";
        return Err(ImportError::new(
            first.offset + 2,
            fault,
            first.major.to_string(),
            "1",
        ));
    };
    if basic.words < basic::WORDS_MIN {
        let fault = "length of the Basic Flash Parameter Table";
        let found = format!("{} DWORDs", basic.words);
        let allowed = format!("at least {} DWORDs", basic::WORDS_MIN);
        return Err(ImportError::new(basic.offset + 3, fault, found, allowed));
    }
    Ok(basic)
}

fn notes(parameters: &[Parameter], basic: &Parameter) -> Vec<String> {
    let mut notes = Vec::new();
    if basic.words < 16 {
        notes.push(format!(
            "the basic table has {} DWORDs, as in the first JESD216: it states no times, no page size, \
             and neither suspend nor power-down",
            basic.words
        ));
    }
    let decoded = [
        BASIC,
        FOUR_BYTE,
        PROFILE_1,
        SECTOR_MAP,
        REGISTER_MAP,
        SEQUENCES,
        UNUSED,
    ];
    let skipped = parameters
        .iter()
        .filter(|parameter| !decoded.contains(&parameter.id));
    let skipped: Vec<_> = skipped.map(Parameter::name).collect();
    if !skipped.is_empty() {
        notes.push(format!("named only: {}", skipped.join("; ")));
    }
    notes
}

/// The bytes of a part of the page that must be there.
fn window<'a>(
    bytes: &'a [u8],
    from: usize,
    length: usize,
    what: &str,
) -> Result<&'a [u8], ImportError> {
    let window = bytes.get(from..).and_then(|rest| rest.get(..length));
    window.ok_or_else(|| {
        let fault = format!("the dump ends within {what}");
        let found = format!("{} bytes", bytes.len());
        let allowed = format!("at least {} bytes", from + length);
        ImportError::new(bytes.len(), fault, found, allowed)
    })
}

/// Whether a table is long enough to be read; otherwise a fault.
fn need(table: &SfdpTable, words: usize, reading: &mut Reading) -> Option<()> {
    if table.has(words) {
        return Some(());
    }
    let fault = format!("length of the {} table", table.name);
    let found = format!("{} DWORDs", table.words.len());
    let allowed = format!("at least {words} DWORDs");
    let error = ImportError::new(table.offset, fault, found, allowed);
    reading.faults.push(error);
    None
}

/// The revision and the letter of JESD216 that introduced it.
fn revision(major: u8, minor: u8) -> String {
    let letter = match minor {
        0 => " (JESD216)",
        5 => " (JESD216A)",
        6 => " (JESD216B)",
        7 => " (JESD216C)",
        8 => " (JESD216D)",
        9 => " (JESD216E)",
        10 => " (JESD216F)",
        _ => "",
    };
    format!("{major}.{minor}{letter}")
}

fn access_protocol(code: u8) -> String {
    match code {
        0xFF => "1S-1S-1S, 3 address bytes, 8 wait states".to_owned(),
        other => format!("code {other:02X}h of JESD216C and later"),
    }
}

/// A size as people read it.
fn size(bytes: u64) -> String {
    ByteCount::from_bytes(bytes).to_string()
}
