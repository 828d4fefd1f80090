//! Whether any process uses a device, or another that shares bytes with it.

use std::path::Path;
use std::{fs, io};

use super::sysfs::{self, MtdExtent};
use super::{InUse, KernelPaths, MTD_BLOCK, MtdError, numbered};

/// Finds a user of a device.
pub(super) fn user(places: &KernelPaths, number: u32) -> Result<Option<InUse>, MtdError> {
    let asked = MtdExtent::read(places, number)?;
    let mut sharing = Vec::new();
    for other in sysfs::all(places)? {
        if other == number || MtdExtent::read(places, other)?.overlaps(&asked) {
            sharing.push(other);
        }
    }
    let mounts = mounts(places)?;
    // Where there is no swapping there is no such file.
    let swaps = read_kernel(&places.proc.join("swaps"))?;
    for number in sharing {
        let name = name_of(places, number);
        let used = mounted(&mounts, number, &name)
            .or_else(|| swapped(&swaps, number))
            .or_else(|| held(places, number));
        let used = match used {
            None => attached(places, number)?.or_else(|| open(places, number)),
            used => used,
        };
        if used.is_some() {
            return Ok(used);
        }
    }
    Ok(None)
}

/// What a file holds; nothing where there is none.
fn read_kernel(path: &Path) -> Result<String, MtdError> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        text => text.map_err(|source| MtdError::Unreadable {
            path: path.to_owned(),
            source,
        }),
    }
}

/// The mounts that this process sees, and those of every other whose table may be read: containers have their own.
fn mounts(places: &KernelPaths) -> Result<String, MtdError> {
    let path = places.proc.join("self/mountinfo");
    let mut all =
        fs::read_to_string(&path).map_err(|source| MtdError::Unreadable { path, source })?;
    for process in fs::read_dir(&places.proc).into_iter().flatten().flatten() {
        if numbered(&process.file_name(), "").is_some() {
            let table = fs::read_to_string(process.path().join("mountinfo"));
            let table = table.unwrap_or_default();
            // Most processes see the same.
            if !all.contains(&table) {
                all += &table;
            }
        }
    }
    Ok(all)
}

/// Looks for block devices of the kernel that stand on the device's own: device mapper, loops.
fn held(places: &KernelPaths, number: u32) -> Option<InUse> {
    let block = format!("mtdblock{number}");
    let holders = fs::read_dir(places.sys.join(format!("block/{block}/holders")));
    let mut holders = holders.into_iter().flatten().flatten();
    let held = |by: &std::ffi::OsStr| InUse::Held {
        number,
        by: by.to_string_lossy().into_owned(),
    };
    if let Some(holder) = holders.next() {
        return Some(held(&holder.file_name()));
    }
    let devices = fs::read_dir(places.sys.join("block"));
    devices.into_iter().flatten().flatten().find_map(|device| {
        let file = fs::read_to_string(device.path().join("loop/backing_file")).ok()?;
        let is_it = file.trim() == format!("/dev/{block}");
        is_it.then(|| held(&device.file_name()))
    })
}

fn name_of(places: &KernelPaths, number: u32) -> String {
    let path = places.sys.join(format!("class/mtd/mtd{number}/name"));
    fs::read_to_string(path)
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// Looks for a mount in the kernel's table (proc(5): device numbers third, place fifth, source behind the dash).
fn mounted(mounts: &str, number: u32, name: &str) -> Option<InUse> {
    let device = format!("{MTD_BLOCK}:{number}");
    let sources = [
        format!("mtd{number}"),
        format!("/dev/mtd{number}"),
        format!("mtdblock{number}"),
        format!("/dev/mtdblock{number}"),
        format!("mtd:{name}"),
        format!("mtd:{}", name.replace(' ', "\\040")),
    ];
    mounts.lines().find_map(|line| {
        let (before, behind) = line.split_once(" - ")?;
        let mut before = before.split(' ').skip(2);
        let (numbers, at) = (before.next()?, before.nth(1)?);
        let source = behind.split(' ').nth(1)?;
        let is_it = numbers == device || sources.iter().any(|one| one == source);
        is_it.then(|| InUse::Mounted {
            number,
            at: at.replace("\\040", " "),
        })
    })
}

fn swapped(swaps: &str, number: u32) -> Option<InUse> {
    let place = format!("/dev/mtdblock{number}");
    let mut lines = swaps.lines().skip(1);
    let is_it = lines.any(|line| line.split_whitespace().next() == Some(&place));
    is_it.then_some(InUse::Swap { number })
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

/// Looks at the open files of every process that may be looked at.
fn open(places: &KernelPaths, number: u32) -> Option<InUse> {
    let faces = [
        format!("/dev/mtd{number}"),
        format!("/dev/mtd{number}ro"),
        format!("/dev/mtdblock{number}"),
    ];
    let processes = fs::read_dir(&places.proc).ok()?;
    for process in processes.flatten() {
        // This one is kept out by its lock.
        let id = numbered(&process.file_name(), "");
        if id.is_none_or(|id| id == std::process::id()) {
            continue;
        }
        // Only the owner and root see the open files of a process.
        let Ok(files) = fs::read_dir(process.path().join("fd")) else {
            continue;
        };
        let mut links = files
            .flatten()
            .filter_map(|file| fs::read_link(file.path()).ok());
        if links.any(|link| faces.iter().any(|face| link == Path::new(face))) {
            let id = process.file_name().to_string_lossy().into_owned();
            let command = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            let process = match command.trim() {
                "" => id,
                name => format!("{id} ({name})"),
            };
            return Some(InUse::Open { number, process });
        }
    }
    None
}
