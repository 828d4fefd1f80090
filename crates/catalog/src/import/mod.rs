//! Parameter pages that flash chips carry themselves: JESD216 SFDP of NOR chips and the ONFI
//! parameter page of NAND chips, read from a dump, binary or hex.
//!
//! [`dump_bytes`] turns a file into bytes, [`import`] decodes them. The answer lists every field with
//! its offset, its raw value and its meaning, and holds a skeleton in TOML to begin a part's sheet
//! with. A page that contradicts itself, or its standard, is refused with the offset of what is wrong:
//! a chip is not described by a page with a flipped bit.
//!
//! The layout of the fields is that of JESD216 (revisions A to F add DWORDs at the end of a table) and
//! of ONFI 1.0 to 4.0.

mod hex;
mod onfi;
mod sfdp;
mod toml;

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use hex::dump_bytes;

/// The largest dump that is read, in bytes: pages are of kilobytes.
pub const DUMP_BYTES_MAX: usize = 1 << 20;

/// Which standard a page follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpFormat {
    /// Serial Flash Discoverable Parameters, JESD216: NOR with a serial bus.
    Sfdp,
    /// The parameter page of the Open NAND Flash Interface.
    Onfi,
}

impl DumpFormat {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Sfdp, Self::Onfi];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sfdp => "sfdp",
            Self::Onfi => "onfi",
        }
    }
}

impl FromStr for DumpFormat {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| "allowed: sfdp, onfi".to_owned())
    }
}

/// One decoded field of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Byte of the dump at which the field begins.
    pub offset: usize,
    /// Where the standard puts it: a table's DWORD and bits, or bytes of the page.
    pub place: String,
    /// What it is called.
    pub name: String,
    /// The value as stored.
    pub raw: String,
    /// The value as the standard means it, with its unit.
    pub meaning: String,
}

/// A page that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its standard.
    pub kind: DumpFormat,
    /// What the page describes, in a few words.
    pub title: String,
    /// What a reader should know about the page as a whole.
    pub notes: Vec<String>,
    /// Every decoded field, in the order of the page.
    pub fields: Vec<Field>,
    /// Valid TOML to begin a sheet with: the header keys, and every figure of the page commented out.
    pub sheet: String,
}

/// Why a dump cannot be read: where, what was found, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// Byte of the dump, or of the hex text, that is at fault.
    pub offset: usize,
    /// What is wrong.
    pub fault: String,
    /// What stands there.
    pub found: String,
    /// What may stand there.
    pub allowed: String,
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            offset,
            fault,
            found,
            allowed,
        } = self;
        write!(
            f,
            "byte 0x{offset:X}: {fault}: found {found}; allowed: {allowed}"
        )
    }
}

impl std::error::Error for ImportError {}

impl ImportError {
    fn new(
        offset: usize,
        fault: impl Into<String>,
        found: impl Into<String>,
        allowed: impl Into<String>,
    ) -> Self {
        Self {
            offset,
            fault: fault.into(),
            found: found.into(),
            allowed: allowed.into(),
        }
    }
}

/// Decodes the bytes of a dump. Without a kind, the page's signature states which standard it follows.
///
/// # Errors
/// When the bytes are no such page, end too early, or hold values that the standard excludes.
pub fn import(bytes: &[u8], kind: Option<DumpFormat>) -> Result<Page, ImportError> {
    match kind.map_or_else(|| detect(bytes), Ok)? {
        DumpFormat::Sfdp => sfdp::read(bytes),
        DumpFormat::Onfi => onfi::read(bytes),
    }
}

fn detect(bytes: &[u8]) -> Result<DumpFormat, ImportError> {
    if bytes.starts_with(sfdp::SIGNATURE) {
        Ok(DumpFormat::Sfdp)
    } else if onfi::looks_like(bytes) {
        Ok(DumpFormat::Onfi)
    } else {
        Err(ImportError::new(
            0,
            "neither an SFDP nor an ONFI page begins here",
            beginning(bytes),
            "\"SFDP\" (53 46 44 50) or \"ONFI\" (4F 4E 46 49) in the first four bytes",
        ))
    }
}

/// The first bytes of a dump, for messages.
fn beginning(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "an empty dump".to_owned();
    }
    let first: Vec<_> = bytes.iter().take(4).map(|b| format!("{b:02X}")).collect();
    first.join(" ")
}

/// The names of the bits that are set, lowest first; a bit without a name is numbered.
fn set_bits(value: u32, names: &[&str]) -> String {
    let set = (0..32).filter(|bit| value >> bit & 1 == 1);
    let names: Vec<_> = set
        .map(|bit| match names.get(bit) {
            Some(name) if !name.is_empty() => (*name).to_owned(),
            _ => format!("reserved bit {bit}"),
        })
        .collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join("; ")
    }
}
