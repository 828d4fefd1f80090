//! Serial Flash Discoverable Parameters, JESD216: the header, the parameter headers, and which table
//! of the page describes what.

mod basic;
mod fields;
mod modes;
mod others;

use super::toml::{Skeleton, SkeletonHeader};
use super::{DumpFormat, Field, ImportError, Page, beginning};
use fields::{SfdpTable, hex};
use wordline_core::quantity::ByteCount;

/// The first four bytes.
pub(super) const SIGNATURE: &[u8] = b"SFDP";

const HEADER_BYTES: usize = 8;

/// Tables of JEDEC that have a name here; others are listed by their number.
const TABLES: [(u16, &str); 10] = [
    (BASIC, "Basic Flash Parameter Table"),
    (0xFF03, "Replay Protected Monotonic Counters"),
    (PROFILE_1, "xSPI Profile 1.0 (8D-8D-8D)"),
    (0xFF06, "xSPI Profile 2.0 (8D-8D-8D, HyperBus)"),
    (0xFF09, "Register Map of xSPI Profile 2.0"),
    (0xFF0A, "Command Sequences to Change to Octal DDR"),
    (0xFF81, "Sector Map"),
    (FOUR_BYTE, "4-Byte Address Instruction Table"),
    (0xFF87, "Status, Control and Configuration Register Map"),
    (0xFF88, "Register Map Offsets for Multi-Chip Devices"),
];
const BASIC: u16 = 0xFF00;
const PROFILE_1: u16 = 0xFF05;
const FOUR_BYTE: u16 = 0xFF84;
const UNUSED: u16 = 0xFFFF;

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

pub(super) fn read(bytes: &[u8]) -> Result<Page, ImportError> {
    if !bytes.starts_with(SIGNATURE) {
        let allowed = "\"SFDP\" (53 46 44 50)";
        let fault = "the signature of SFDP is missing";
        return Err(ImportError::new(0, fault, beginning(bytes), allowed));
    }
    let header = window(bytes, 0, HEADER_BYTES, "the SFDP header")?;
    let [minor, major, last, access] = [header[4], header[5], header[6], header[7]];
    if major != 1 {
        let fault = "major revision of SFDP";
        return Err(ImportError::new(5, fault, major.to_string(), "1"));
    }
    let count = usize::from(last) + 1;
    let what = format!("the {count} parameter headers");
    window(bytes, HEADER_BYTES, count * HEADER_BYTES, &what)?;
    let parameters: Vec<_> = (1..=count)
        .map(|index| Parameter::new(bytes, index * HEADER_BYTES))
        .collect();
    for parameter in &parameters {
        parameter.check(bytes)?;
    }
    let basic = basic_table(&parameters)?;

    let mut fields = vec![
        header_field(
            0,
            "bytes 3:0",
            "signature",
            "53 46 44 50".into(),
            "SFDP".into(),
        ),
        header_field(
            4,
            "bytes 5:4",
            "revision",
            format!("{:02X}{:02X}h", major, minor),
            revision(major, minor),
        ),
        header_field(
            6,
            "byte 6",
            "parameter headers",
            hex(last.into(), 8),
            count.to_string(),
        ),
        header_field(
            7,
            "byte 7",
            "access protocol",
            hex(access.into(), 8),
            access_protocol(access),
        ),
    ];
    fields.extend(parameters.iter().map(Parameter::field));

    let table = basic.table(bytes, "BFPT");
    let decoded = basic::read(&table, &mut fields)?;
    let mut skeleton = Skeleton::new(
        "an SFDP dump",
        &SkeletonHeader {
            id: "my-part".to_owned(),
            name: "my part",
            manufacturer: "",
            revision: format!(
                "SFDP {major}.{minor}, basic table {}.{} of {} DWORDs",
                basic.major, basic.minor, basic.words
            ),
            description: format!("{} serial NOR flash", decoded.capacity),
        },
    );
    decoded.sheet(&mut skeleton);
    for parameter in &parameters {
        match parameter.id {
            FOUR_BYTE => {
                let table = parameter.table(bytes, "4BAIT");
                others::four_byte(&table, &decoded, &mut fields, &mut skeleton)?;
            }
            PROFILE_1 => {
                let table = parameter.table(bytes, "xSPI Profile 1.0");
                others::profile_1(&table, &mut fields, &mut skeleton)?;
            }
            _ => {}
        }
    }
    Ok(Page {
        kind: DumpFormat::Sfdp,
        title: format!(
            "SFDP {}: {} serial NOR flash",
            revision(major, minor),
            decoded.capacity
        ),
        notes: notes(&parameters, basic),
        fields,
        sheet: skeleton.finish(),
    })
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

    /// The table lies inside the dump, at a whole DWORD.
    fn check(&self, bytes: &[u8]) -> Result<(), ImportError> {
        if self.id == UNUSED {
            return Ok(());
        }
        let name = self.name();
        if self.words == 0 {
            let fault = format!("length of the {name}");
            return Err(ImportError::new(
                self.offset + 3,
                fault,
                "0 DWORDs",
                "1 to 255 DWORDs",
            ));
        }
        if !self.pointer.is_multiple_of(4) {
            let fault = format!("pointer to the {name}");
            let found = format!("0x{:X}", self.pointer);
            let allowed = "a multiple of 4";
            return Err(ImportError::new(self.offset + 4, fault, found, allowed));
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
            return Err(ImportError::new(self.offset + 4, fault, found, allowed));
        }
        Ok(())
    }

    fn name(&self) -> String {
        let known = TABLES.iter().find(|(id, _)| *id == self.id);
        let [bank, maker] = self.id.to_be_bytes();
        match known {
            Some((_, name)) => (*name).to_owned(),
            None if self.id == UNUSED => "unused header".to_owned(),
            // JEDEC gives manufacturers numbers of odd parity, and its own tables even ones.
            None if bank == 0xFF && maker.count_ones() % 2 == 0 => {
                format!("JEDEC table {:04X}h", self.id)
            }
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

    fn table(&self, bytes: &[u8], name: &'static str) -> SfdpTable {
        let words = bytes[self.pointer..][..4 * self.words].chunks_exact(4);
        SfdpTable {
            name,
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
    let skipped: Vec<_> = parameters
        .iter()
        .filter(|parameter| ![BASIC, FOUR_BYTE, PROFILE_1, UNUSED].contains(&parameter.id))
        .map(Parameter::name)
        .collect();
    if !skipped.is_empty() {
        notes.push(format!("present, but not decoded: {}", skipped.join("; ")));
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

fn header_field(offset: usize, place: &str, name: &str, raw: String, meaning: String) -> Field {
    Field {
        offset,
        place: format!("header {place}"),
        name: name.to_owned(),
        raw,
        meaning,
    }
}

/// The revision and the letter of JESD216 that introduced it.
fn revision(major: u8, minor: u8) -> String {
    let letter = match minor {
        0 => " (JESD216)",
        5 => " (JESD216A)",
        6 => " (JESD216B)",
        7 => " (JESD216C)",
        8 => " (JESD216D)",
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
