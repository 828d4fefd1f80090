//! Whether any process uses a device, or another that shares bytes with it.

use std::path::PathBuf;
use std::{fs, io};

use super::sysfs::{self, MtdExtent};
use super::{InUse, MTD_BLOCK, MTD_CHAR, MtdError};
use crate::in_use::{
    DeviceFaces, KernelPaths, UnreadableTable, UseTables, holder, opener, read_kernel,
};

impl From<UnreadableTable> for MtdError {
    fn from(table: UnreadableTable) -> Self {
        Self::Unreadable {
            path: table.path,
            source: table.source,
        }
    }
}

/// Finds a user of a device.
pub(super) fn user(places: &KernelPaths, number: u32) -> Result<Option<InUse>, MtdError> {
    let asked = MtdExtent::read(places, number)?;
    let mut sharing = Vec::new();
    for other in sysfs::all(places)? {
        if other == number || MtdExtent::read(places, other)?.overlaps(&asked) {
            sharing.push(other);
        }
    }
    let tables = UseTables::read(places)?;
    for number in sharing {
        let faces = faces(places, number);
        let mounted = tables.mounted(&faces);
        let used = mounted
            .map(|at| InUse::Mounted { number, at })
            .or_else(|| tables.swapped(&faces).then_some(InUse::Swap { number }))
            .or_else(|| holder(places, &faces).map(|by| InUse::Held { number, by }));
        let used = match used {
            None => attached(places, number)?.or_else(|| {
                let process = opener(places, &faces)?;
                Some(InUse::Open { number, process })
            }),
            used => used,
        };
        if used.is_some() {
            return Ok(used);
        }
    }
    Ok(None)
}

/// The names of raw flash: its character devices and the block device over it.
fn faces(places: &KernelPaths, number: u32) -> DeviceFaces {
    let name = name_of(places, number);
    let block = format!("mtdblock{number}");
    DeviceFaces {
        numbers: format!("{MTD_BLOCK}:{number}"),
        sources: vec![
            format!("mtd{number}"),
            format!("/dev/mtd{number}"),
            block.clone(),
            format!("/dev/{block}"),
            format!("mtd:{name}"),
            format!("mtd:{}", name.replace(' ', "\\040")),
        ],
        paths: [
            format!("/dev/mtd{number}"),
            format!("/dev/mtd{number}ro"),
            format!("/dev/{block}"),
        ]
        .map(PathBuf::from)
        .to_vec(),
        // The second is the read-only face.
        characters: [2 * number, 2 * number + 1]
            .map(|minor| format!("{MTD_CHAR}:{minor}"))
            .to_vec(),
        block,
    }
}

fn name_of(places: &KernelPaths, number: u32) -> String {
    let path = places.sys.join(format!("class/mtd/mtd{number}/name"));
    fs::read_to_string(path)
        .unwrap_or_default()
        .trim()
        .to_owned()
}

fn attached(places: &KernelPaths, number: u32) -> Result<Option<InUse>, MtdError> {
    let path = places.sys.join("class/ubi");
    let entries = match fs::read_dir(&path) {
        Ok(entries) => entries,
        // There is no UBI.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(MtdError::Unreadable { path, source }),
    };
    for entry in entries.flatten() {
        // Volumes stand beside the devices, and have none.
        if read_kernel(&entry.path().join("mtd_num"))?.trim() == number.to_string() {
            let ubi = entry.file_name().to_string_lossy().into_owned();
            return Ok(Some(InUse::Attached { number, ubi }));
        }
    }
    Ok(None)
}
