//! Who uses a device: mounts, swap, other devices of the kernel that stand on it, and processes that hold it open.
//!
//! Raw flash ([`crate::mtd`]) and block devices ([`crate::storage`]) are looked up by the same code. Each says under
//! which names it goes ([`DeviceFaces`]).

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// File systems in which the kernel describes its devices.
#[derive(Clone, Debug)]
pub(crate) struct KernelPaths {
    pub(crate) sys: PathBuf,
    pub(crate) proc: PathBuf,
}

impl Default for KernelPaths {
    fn default() -> Self {
        Self {
            sys: PathBuf::from("/sys"),
            proc: PathBuf::from("/proc"),
        }
    }
}

/// A file of the kernel that cannot be read.
#[derive(Debug)]
pub(crate) struct UnreadableTable {
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}

/// The names of one device.
#[derive(Clone, Debug)]
pub(crate) struct DeviceFaces {
    /// Its number as a block device, `MAJOR:MINOR`.
    pub(crate) numbers: String,
    /// The name of its block device, such as `sda1`.
    pub(crate) block: String,
    /// What a mount of it may call its source.
    pub(crate) sources: Vec<String>,
    /// Paths by which processes open it.
    pub(crate) paths: Vec<PathBuf>,
    /// Its numbers as a character device, each `MAJOR:MINOR`; raw flash has two.
    pub(crate) characters: Vec<String>,
}

impl DeviceFaces {
    /// Whether a path leads to the device by its number: a node of it may have any name.
    fn is_node(&self, path: &Path) -> bool {
        match node_numbers(path) {
            Some((true, numbers)) => numbers == self.numbers,
            Some((false, numbers)) => self.characters.contains(&numbers),
            None => false,
        }
    }
}

/// The number of the device at a path, and whether it is a block device. No server of a network is asked for it.
#[cfg(target_os = "linux")]
fn node_numbers(path: &Path) -> Option<(bool, String)> {
    use rustix::fs::{AtFlags, FileType, StatxFlags};
    let about = rustix::fs::statx(
        rustix::fs::CWD,
        path,
        AtFlags::STATX_DONT_SYNC,
        StatxFlags::TYPE,
    );
    let about = about.ok()?;
    let numbers = format!("{}:{}", about.stx_rdev_major, about.stx_rdev_minor);
    match FileType::from_raw_mode(u32::from(about.stx_mode)) {
        FileType::BlockDevice => Some((true, numbers)),
        FileType::CharacterDevice => Some((false, numbers)),
        _ => None,
    }
}

#[cfg(not(target_os = "linux"))]
fn node_numbers(_: &Path) -> Option<(bool, String)> {
    None
}

/// The kernel's tables of mounts and of swap.
#[derive(Debug)]
pub(crate) struct UseTables {
    mounts: String,
    swaps: String,
}

impl UseTables {
    /// Reads both: the mounts that this process sees, and those of every other whose table may be read. Containers have
    /// their own.
    pub(crate) fn read(places: &KernelPaths) -> Result<Self, UnreadableTable> {
        let path = places.proc.join("self/mountinfo");
        let mut mounts =
            fs::read_to_string(&path).map_err(|source| UnreadableTable { path, source })?;
        for process in fs::read_dir(&places.proc).into_iter().flatten().flatten() {
            if numbered(&process.file_name(), "").is_some() {
                let table = fs::read_to_string(process.path().join("mountinfo"));
                let table = table.unwrap_or_default();
                // Most processes see the same.
                if !mounts.contains(&table) {
                    mounts += &table;
                }
            }
        }
        // Where there is no swapping there is no such file.
        let swaps = read_kernel(&places.proc.join("swaps"))?;
        Ok(Self { mounts, swaps })
    }

    /// Where a device is mounted (proc(5): device numbers third, place fifth, source behind the dash).
    pub(crate) fn mounted(&self, faces: &DeviceFaces) -> Option<String> {
        self.mounts.lines().find_map(|line| {
            let (before, behind) = line.split_once(" - ")?;
            let mut before = before.split(' ').skip(2);
            let (numbers, at) = (before.next()?, before.nth(1)?);
            let source = behind.split(' ').nth(1)?;
            let is_it =
                numbers == faces.numbers || faces.sources.iter().any(|one| one.as_str() == source);
            is_it.then(|| at.replace("\\040", " "))
        })
    }

    /// Whether the kernel swaps to a device.
    pub(crate) fn swapped(&self, faces: &DeviceFaces) -> bool {
        let mut lines = self.swaps.lines().skip(1);
        lines.any(|line| {
            let place = line.split_whitespace().next().map(Path::new);
            place.is_some_and(|place| {
                faces.paths.iter().any(|path| path == place) || faces.is_node(place)
            })
        })
    }
}

/// The block device of the kernel that stands on a device: device mapper, RAID, loops.
pub(crate) fn holder(places: &KernelPaths, faces: &DeviceFaces) -> Option<String> {
    let named = |by: &OsStr| by.to_string_lossy().into_owned();
    for folder in [
        places.sys.join("block").join(&faces.block).join("holders"),
        places
            .sys
            .join("class/block")
            .join(&faces.block)
            .join("holders"),
    ] {
        let mut holders = fs::read_dir(folder).into_iter().flatten().flatten();
        if let Some(holder) = holders.next() {
            return Some(named(&holder.file_name()));
        }
    }
    let node = PathBuf::from(format!("/dev/{}", faces.block));
    let devices = fs::read_dir(places.sys.join("block"));
    devices.into_iter().flatten().flatten().find_map(|device| {
        let file = fs::read_to_string(device.path().join("loop/backing_file")).ok()?;
        (Path::new(file.trim()) == node).then(|| named(&device.file_name()))
    })
}

/// The loop device that a regular file backs, however its path is written: what the device holds is what the file holds.
pub(crate) fn loop_on(places: &KernelPaths, file: &fs::Metadata) -> Option<String> {
    let devices = fs::read_dir(places.sys.join("block"));
    devices.into_iter().flatten().flatten().find_map(|device| {
        let named = fs::read_to_string(device.path().join("loop/backing_file")).ok()?;
        // The kernel ends the line, and names may have blanks at their end.
        let named = named.strip_suffix('\n').unwrap_or(&named);
        let backing = fs::metadata(named).ok()?;
        let same = (backing.dev(), backing.ino()) == (file.dev(), file.ino());
        same.then(|| device.file_name().to_string_lossy().into_owned())
    })
}

/// The process that holds a device open, among those that may be looked at; this one is not counted.
pub(crate) fn opener(places: &KernelPaths, faces: &DeviceFaces) -> Option<String> {
    let processes = fs::read_dir(&places.proc).ok()?;
    for process in processes.flatten() {
        let id = numbered(&process.file_name(), "");
        if id.is_none_or(|id| id == std::process::id()) {
            continue;
        }
        // Only the owner and root see the open files of a process.
        let Ok(files) = fs::read_dir(process.path().join("fd")) else {
            continue;
        };
        let mut links = files.flatten().map(|file| file.path());
        let is_it = |file: PathBuf| {
            fs::read_link(&file).is_ok_and(|link| faces.paths.contains(&link))
                || faces.is_node(&file)
        };
        if links.any(is_it) {
            let id = process.file_name().to_string_lossy().into_owned();
            let command = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            return Some(match command.trim() {
                "" => id,
                name => format!("{id} ({name})"),
            });
        }
    }
    None
}

/// What a file of the kernel holds; nothing where there is none.
pub(crate) fn read_kernel(path: &Path) -> Result<String, UnreadableTable> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        text => text.map_err(|source| UnreadableTable {
            path: path.to_owned(),
            source,
        }),
    }
}

/// A number behind a name: 3 of `mtd3`.
pub(crate) fn numbered(name: &OsStr, prefix: &str) -> Option<u32> {
    name.to_str()?.strip_prefix(prefix)?.parse().ok()
}
