//! Parameter pages that flash chips carry themselves: JESD216 SFDP of NOR chips and the ONFI
//! parameter page of NAND chips, read from a dump, binary or hex.
//!
//! [`dump_bytes`] turns a file into bytes, [`import`] decodes them. The [`Page`] lists every field with its
//! offset, its raw value and its meaning, and makes a [sheet](Page::sheet) that states what the page states and no
//! more. A page that breaks its standard is refused with the offset of everything that is wrong: a chip is not
//! described by a page with a flipped bit. What contradicts itself, and leaves the rest sound, is said and left out.
//! [`ChipClaims`] are what a user knows of the chip; a page of another chip is refused by them. [`batch`] does it
//! for a folder.
//!
//! The layout of the fields is that of JESD216 (revisions A to F add DWORDs at the end of a table) and
//! of ONFI 1.0 to 4.0.

pub mod batch;
mod claims;
mod compare;
mod hex;
mod ids;
mod index;
mod onfi;
mod sfdp;
mod sheet;

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use claims::{ChipClaims, ClaimCheck, ClaimedFigure, JedecId};
pub use compare::{Disagreement, disagreements};
pub use hex::dump_bytes;
pub use index::{DumpIndex, IndexEntry};

use sheet::SheetDraft;

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
    /// What the page says against itself. A sheet leaves it out.
    pub contradictions: Vec<ImportError>,
    /// Makers whose own tables the page has: where their headers stand, and their codes of JEDEC.
    vendors: Vec<(usize, u8)>,
    draft: SheetDraft,
}

impl Page {
    /// The sheet of the chip: what the page states, each figure with its source, and what the user states beside it.
    /// What neither states is left out.
    #[must_use]
    pub fn sheet(&self, claims: &ChipClaims) -> String {
        self.draft.text(claims, false)
    }

    /// The same with comments that say what a data sheet can add.
    #[must_use]
    pub fn sheet_with_advice(&self, claims: &ChipClaims) -> String {
        self.draft.text(claims, true)
    }

    /// The id that the page's own name makes; none where the page does not name its part.
    #[must_use]
    pub fn own_id(&self) -> Option<&str> {
        Some(self.draft.id.as_str()).filter(|id| !id.is_empty())
    }

    /// What a sheet may state and neither the page nor the user does.
    #[must_use]
    pub fn missing(&self, claims: &ChipClaims) -> Vec<String> {
        self.draft.missing(claims)
    }
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

/// Everything that is wrong with a dump, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportErrors(pub Vec<ImportError>);

impl From<ImportError> for ImportErrors {
    fn from(error: ImportError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for ImportErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&errors.join("\n"))
    }
}

impl std::error::Error for ImportErrors {}

/// Decodes the bytes of a dump. Without a kind, the page's signature states which standard it follows.
///
/// # Errors
/// When the bytes are no such page, end too early, or hold values that the standard excludes.
pub fn import(bytes: &[u8], kind: Option<DumpFormat>) -> Result<Page, ImportErrors> {
    match kind.map_or_else(|| detect(bytes), Ok)? {
        DumpFormat::Sfdp => sfdp::read(bytes),
        DumpFormat::Onfi => Ok(onfi::read(bytes)?),
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
