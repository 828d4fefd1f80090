//! Block devices: what the kernel says of one, and who uses it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{BlockDeviceUse, StorageError};
use crate::in_use::{DeviceFaces, KernelPaths, UnreadableTable, UseTables, holder, opener};

/// The number of a block device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeviceNumbers {
    pub(super) major: u32,
    pub(super) minor: u32,
}

impl DeviceNumbers {
    pub(super) fn of(device: u64) -> Self {
        Self {
            major: rustix::fs::major(device),
            minor: rustix::fs::minor(device),
        }
    }

    /// Where the kernel describes it; the link leads to the folder of the disk or of the partition.
    fn folder(self, places: &KernelPaths) -> PathBuf {
        let name = format!("dev/block/{self}");
        let link = places.sys.join(name);
        link.canonicalize().unwrap_or(link)
    }

    /// What the kernel says of the disk: a partition has it from its disk.
    pub(super) fn attribute(self, places: &KernelPaths, name: &str) -> Option<String> {
        let folder = self.folder(places);
        let of = |folder: &Path| fs::read_to_string(folder.join(name)).ok();
        let text = of(&folder).or_else(|| of(folder.parent()?))?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

impl std::fmt::Display for DeviceNumbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

/// Finds a user of a device, of its disk or of one of its partitions: they share bytes.
pub(super) fn user(
    places: &KernelPaths,
    device: &Path,
    numbers: DeviceNumbers,
) -> Result<Option<BlockDeviceUse>, StorageError> {
    let tables = UseTables::read(places)?;
    for faces in sharing(places, device, numbers) {
        let named = || faces.block.clone();
        let used = tables
            .mounted(&faces)
            .map(|at| BlockDeviceUse::Mounted {
                device: named(),
                at,
            })
            .or_else(|| {
                tables
                    .swapped(&faces)
                    .then(|| BlockDeviceUse::Swap { device: named() })
            })
            .or_else(|| {
                let by = holder(places, &faces)?;
                Some(BlockDeviceUse::Held {
                    device: named(),
                    by,
                })
            })
            .or_else(|| {
                let process = opener(places, &faces)?;
                Some(BlockDeviceUse::Open {
                    device: named(),
                    process,
                })
            });
        if used.is_some() {
            return Ok(used);
        }
    }
    Ok(None)
}

impl From<UnreadableTable> for StorageError {
    fn from(table: UnreadableTable) -> Self {
        Self::Io {
            path: table.path,
            what: "read",
            source: table.source,
        }
    }
}

/// The device, the disk that it is a partition of, and the partitions that it has.
fn sharing(places: &KernelPaths, device: &Path, numbers: DeviceNumbers) -> Vec<DeviceFaces> {
    let folder = numbers.folder(places);
    let mut folders = vec![folder.clone()];
    if folder.join("partition").exists() {
        folders.extend(folder.parent().map(Path::to_owned));
    } else {
        let inside = fs::read_dir(&folder).into_iter().flatten().flatten();
        let inside = inside.map(|entry| entry.path());
        let partitions: BTreeSet<PathBuf> = inside
            .filter(|one| one.join("partition").exists())
            .collect();
        folders.extend(partitions);
    }
    let mut all: Vec<DeviceFaces> = folders
        .iter()
        .enumerate()
        .map(|(index, folder)| {
            let number = fs::read_to_string(folder.join("dev")).unwrap_or_default();
            let number = match number.trim() {
                "" if index == 0 => numbers.to_string(),
                number => number.to_owned(),
            };
            faces(folder, number)
        })
        .collect();
    if let Some(own) = all.first_mut() {
        own.paths.push(device.to_owned());
        own.paths.extend(device.canonicalize());
        own.sources.push(device.to_string_lossy().into_owned());
        own.paths.dedup();
    }
    all
}

/// The names of the device that a folder of the kernel describes.
fn faces(folder: &Path, numbers: String) -> DeviceFaces {
    let block = folder.file_name().unwrap_or_default();
    let block = block.to_string_lossy().into_owned();
    let mut paths = vec![PathBuf::from(format!("/dev/{block}"))];
    // Device mapper has names of its own.
    if let Ok(name) = fs::read_to_string(folder.join("dm/name")) {
        paths.push(Path::new("/dev/mapper").join(name.trim()));
    }
    DeviceFaces {
        numbers,
        sources: paths
            .iter()
            .map(|path| path.to_string_lossy().into_owned())
            .collect(),
        block,
        paths,
        characters: Vec::new(),
    }
}
