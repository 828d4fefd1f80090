//! Whether anybody uses a device, or another that shares bytes with it.

use std::fs;
use std::path::Path;

use super::sysfs::{self, Extent};
use super::{InUse, MTD_BLOCK, MtdError, Places, numbered};

/// Looks for somebody who uses a device.
pub(super) fn user(places: &Places, number: u32) -> Result<Option<InUse>, MtdError> {
    let asked = Extent::read(places, number)?;
    let mut sharing = Vec::new();
    for other in sysfs::all(places)? {
        if other == number || Extent::read(places, other)?.overlaps(&asked) {
            sharing.push(other);
        }
    }
    let mounts = places.proc.join("self/mountinfo");
    let mounts = fs::read_to_string(&mounts).map_err(|source| MtdError::Unreadable {
        path: mounts,
        source,
    })?;
    // Where there is no swapping there is no such file.
    let swaps = fs::read_to_string(places.proc.join("swaps")).unwrap_or_default();
    for number in sharing {
        let name = name_of(places, number);
        let used = mounted(&mounts, number, &name)
            .or_else(|| swapped(&swaps, number))
            .or_else(|| attached(places, number))
            .or_else(|| open(places, number));
        if used.is_some() {
            return Ok(used);
        }
    }
    Ok(None)
}

fn name_of(places: &Places, number: u32) -> String {
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

fn attached(places: &Places, number: u32) -> Option<InUse> {
    let entries = fs::read_dir(places.sys.join("class/ubi")).ok()?;
    entries.flatten().find_map(|entry| {
        let told = fs::read_to_string(entry.path().join("mtd_num")).ok()?;
        let ubi = entry.file_name().to_string_lossy().into_owned();
        (told.trim() == number.to_string()).then_some(InUse::Attached { number, ubi })
    })
}

/// Looks at the open files of every process that may be looked at.
fn open(places: &Places, number: u32) -> Option<InUse> {
    let faces = [
        format!("/dev/mtd{number}"),
        format!("/dev/mtd{number}ro"),
        format!("/dev/mtdblock{number}"),
    ];
    let processes = fs::read_dir(&places.proc).ok()?;
    for process in processes.flatten() {
        if numbered(&process.file_name(), "").is_none() {
            continue;
        }
        // Those of others are hidden from whoever is not their owner or root.
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
