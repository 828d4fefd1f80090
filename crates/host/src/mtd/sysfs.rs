//! What the kernel reports of a raw flash device, under `/sys/class/mtd` (Linux, Documentation/ABI/testing/sysfs-class-mtd).

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::{KernelPaths, MtdError, numbered};

/// What kind of flash a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MtdKind {
    /// NOR flash.
    Nor,
    /// NAND flash with one bit a cell.
    Nand,
    /// NAND flash with more bits a cell.
    MlcNand,
}

impl MtdKind {
    /// As the kernel spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nor => "nor",
            Self::Nand => "nand",
            Self::MlcNand => "mlc-nand",
        }
    }

    fn named(name: &str) -> Option<Self> {
        let mut all = [Self::Nor, Self::Nand, Self::MlcNand].into_iter();
        all.find(|kind| kind.name() == name)
    }
}

/// What the kernel reports of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Its number: 3 of `/dev/mtd3`.
    pub number: u32,
    /// The name that the board gave it.
    pub name: String,
    /// What kind of flash it is.
    pub kind: MtdKind,
    /// Bytes of the device.
    pub bytes: u64,
    /// Bytes that are erased together.
    pub erase_bytes: u32,
    /// Bytes that are programmed together: a page of NAND flash, 1 of most NOR flash.
    pub write_bytes: u32,
}

/// The device can be written (`MTD_WRITEABLE` of mtd-abi.h).
const WRITABLE: u64 = 0x400;
/// The device is never erased (`MTD_NO_ERASE`).
const NO_ERASE: u64 = 0x1000;

impl Description {
    /// Reads the description of a device.
    pub(super) fn read(places: &KernelPaths, device: &Path, number: u32) -> Result<Self, MtdError> {
        let folder = folder(places, number);
        let unfit = |problem: String| MtdError::Unfit {
            device: device.to_owned(),
            problem,
        };
        let kind = text(&folder.join("type"))?;
        let Some(kind) = MtdKind::named(&kind) else {
            return Err(unfit(format!(
                "is a memory of the type {kind:?}; allowed: nor, nand, mlc-nand"
            )));
        };
        let flags = whole(&folder.join("flags"))?;
        if flags & WRITABLE == 0 || flags & NO_ERASE != 0 {
            let problem = "cannot be written and erased: its driver has locked it";
            return Err(unfit(problem.to_owned()));
        }
        if whole(&folder.join("numeraseregions"))? > 0 {
            let problem = "has blocks of several sizes; allowed: blocks of one size";
            return Err(unfit(problem.to_owned()));
        }
        let size = |name: &str| {
            let path = folder.join(name);
            let bytes = whole(&path)?;
            let fits = u32::try_from(bytes).ok().filter(|bytes| *bytes > 0);
            fits.ok_or_else(|| MtdError::Told {
                path,
                found: bytes.to_string(),
                what: "size in bytes",
            })
        };
        Ok(Self {
            number,
            name: text(&folder.join("name"))?,
            kind,
            bytes: whole(&folder.join("size"))?,
            erase_bytes: size("erasesize")?,
            write_bytes: size("writesize")?,
        })
    }
}

/// Where a device's bytes lie: on which root device, from where on, and how many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MtdExtent {
    root: PathBuf,
    start: u64,
    bytes: u64,
}

impl MtdExtent {
    /// Reads it. Partitions stand on a device or on another partition.
    pub(super) fn read(places: &KernelPaths, number: u32) -> Result<Self, MtdError> {
        let (mut at, mut start) = (number, 0_u64);
        let bytes = whole(&folder(places, number).join("size"))?;
        // Partitions of partitions are a few; a ring of links would be a broken kernel.
        for _ in 0..16 {
            let folder = folder(places, at);
            let offset = match whole(&folder.join("offset")) {
                Ok(offset) => offset,
                Err(MtdError::Unreadable { source, .. })
                    if source.kind() == io::ErrorKind::NotFound =>
                {
                    0
                }
                Err(error) => return Err(error),
            };
            start = start.saturating_add(offset);
            // A device of its own without one, such as a module's, shares its bytes with its own partitions alone.
            let link = folder.join("device");
            let Ok(parent) = fs::canonicalize(&link) else {
                let root = fs::canonicalize(&folder).unwrap_or(folder);
                return Ok(Self { root, start, bytes });
            };
            match parent.file_name().and_then(|name| numbered(name, "mtd")) {
                Some(next) if next != at => at = next,
                _ => {
                    return Ok(Self {
                        root: parent,
                        start,
                        bytes,
                    });
                }
            }
        }
        Err(MtdError::Told {
            path: folder(places, number),
            found: "a ring of parents".to_owned(),
            what: "device",
        })
    }

    /// Whether they share bytes.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let end = |one: &Self| one.start.saturating_add(one.bytes);
        self.root == other.root && self.start < end(other) && other.start < end(self)
    }
}

/// The numbers of all devices.
pub(super) fn all(places: &KernelPaths) -> Result<Vec<u32>, MtdError> {
    let path = places.sys.join("class/mtd");
    let unreadable = |source| MtdError::Unreadable {
        path: path.clone(),
        source,
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(&path).map_err(unreadable)? {
        // Beside each stands its read-only face, mtd3ro, which is no number.
        found.extend(numbered(&entry.map_err(unreadable)?.file_name(), "mtd"));
    }
    found.sort_unstable();
    Ok(found)
}

fn folder(places: &KernelPaths, number: u32) -> PathBuf {
    places.sys.join(format!("class/mtd/mtd{number}"))
}

fn text(path: &Path) -> Result<String, MtdError> {
    let text = fs::read_to_string(path).map_err(|source| MtdError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    Ok(text.trim().to_owned())
}

/// A number, decimal or hexadecimal behind `0x`.
fn whole(path: &Path) -> Result<u64, MtdError> {
    let found = text(path)?;
    let value = match found.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => found.parse(),
    };
    value.map_err(|_| MtdError::Told {
        path: path.to_owned(),
        found,
        what: "whole number",
    })
}
