//! How much memory can be had: what the machine has free, and what control groups allow.
//!
//! A group's limit holds for everything below it, so each group from that of this process up to the mount counts. Both
//! versions of control groups are read, side by side where a system mixes them. A container may see its own group as the
//! root of the mount, or the path of the host that leads nowhere: then the mount itself is its group.

use std::path::{Component, Path};

use super::TopologyError;
use crate::linux_files::{LinuxFiles, kibibytes, word_pair};

/// How much memory can be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Bytes that the machine gives without swapping.
    pub available_bytes: u64,
    /// Bytes that are left of the tightest limit of a control group; `None` without a limit. Pages of files that a group
    /// can drop count as left.
    pub cgroup_bytes: Option<u64>,
}

impl MemoryLimits {
    /// The lesser of both.
    #[must_use]
    pub fn free_bytes(&self) -> u64 {
        self.available_bytes
            .min(self.cgroup_bytes.unwrap_or(u64::MAX))
    }
}

const MEMORY: &str = "proc/meminfo";

/// Bytes of memory that this machine can give now; `None` where it does not say so.
#[must_use]
pub fn free_memory() -> Option<u64> {
    let limits = read(&LinuxFiles::below(Path::new("/"))).ok()?;
    Some(limits.free_bytes())
}

pub(super) fn read(files: &LinuxFiles) -> Result<MemoryLimits, TopologyError> {
    let memory = files.text(MEMORY).unwrap_or_default();
    let of = |key| kibibytes(&memory, key);
    // Kernels before 3.14 do not estimate what is available.
    let available = of("MemAvailable").or_else(|| of("MemFree"));
    let Some(available_bytes) = available else {
        return Err(TopologyError::NoMemory {
            path: files.path(MEMORY),
        });
    };
    let groups = groups(files);
    let left = groups.iter().flat_map(|group| match group.version {
        GroupVersion::V1 => left_v1(files, &group.folder),
        GroupVersion::V2 => left_v2(files, &group.folder),
    });
    Ok(MemoryLimits {
        available_bytes,
        cgroup_bytes: left.min(),
    })
}

/// Processors' worth of time that the tightest quota of a control group allows this process; `None` without a quota.
///
/// A process beyond its quota stands still for the rest of each period, which no account of stolen time shows.
#[must_use]
pub fn processor_quota(root: &Path) -> Option<f64> {
    let files = LinuxFiles::below(root);
    let quotas = groups(&files).into_iter().filter_map(|group| {
        let number = |name: &str| {
            let text = files.text(&format!("{}/{name}", group.folder))?;
            text.parse::<f64>().ok()
        };
        let (quota, period) = match group.version {
            GroupVersion::V1 => (number("cpu.cfs_quota_us")?, number("cpu.cfs_period_us")?),
            GroupVersion::V2 => {
                let text = files.text(&format!("{}/cpu.max", group.folder))?;
                let (quota, period) = text.split_once(' ')?;
                (quota.parse().ok()?, period.trim().parse().ok()?)
            }
        };
        // -1 is no quota.
        (quota > 0.0 && period > 0.0).then_some(quota / period)
    });
    quotas.min_by(f64::total_cmp)
}

/// Folder of the group of this process in the second version, where it has one of its own or sees the root of all.
pub(in crate::memory) fn pressure_folder(files: &LinuxFiles) -> Option<String> {
    let groups = groups(files);
    let mut own = groups
        .into_iter()
        .filter(|group| group.version == GroupVersion::V2);
    own.next().map(|group| group.folder)
}

/// A version of control groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupVersion {
    V1,
    V2,
}

/// A group that holds for this process.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ControlGroup {
    version: GroupVersion,
    /// Its folder below the root of the files.
    folder: String,
}

/// Every group that holds for this process, of the controllers for memory and processors, innermost first in each mount.
fn groups(files: &LinuxFiles) -> Vec<ControlGroup> {
    let own = files.text("proc/self/cgroup").unwrap_or_default();
    let mounts = files.text("proc/self/mountinfo").unwrap_or_default();
    let mut found = Vec::new();
    for mount in mounts.lines().filter_map(GroupMount::of) {
        let Some(path) = mount.path_of(&own) else {
            continue;
        };
        for folder in folders(files, &mount, &path) {
            let group = ControlGroup {
                version: mount.version,
                folder,
            };
            if !found.contains(&group) {
                found.push(group);
            }
        }
    }
    found
}

/// A mounted tree of control groups.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GroupMount {
    version: GroupVersion,
    /// Controllers of the first version.
    controllers: Vec<String>,
    /// The group that stands at its top.
    root: String,
    /// Where it is mounted, without the slash in front.
    place: String,
}

impl GroupMount {
    /// A line of `/proc/self/mountinfo`: proc_pid_mountinfo(5). `None` when it is another file system, or has neither the
    /// controller of memory nor that of processors.
    fn of(line: &str) -> Option<Self> {
        let (before, behind) = line.split_once(" - ")?;
        let mut before = before.split(' ').skip(3);
        let (root, place) = (before.next()?, before.next()?);
        let mut behind = behind.split(' ');
        let (kind, options) = (behind.next()?, behind.nth(1)?);
        let version = match kind {
            "cgroup" => GroupVersion::V1,
            "cgroup2" => GroupVersion::V2,
            _ => return None,
        };
        let controllers = options
            .split(',')
            .filter(|one| ["memory", "cpu"].contains(one));
        let controllers: Vec<String> = controllers.map(str::to_owned).collect();
        if version == GroupVersion::V1 && controllers.is_empty() {
            return None;
        }
        Some(Self {
            version,
            controllers,
            root: unescaped(root),
            place: unescaped(place).trim_start_matches('/').to_owned(),
        })
    }

    /// The group of this process in this tree, of `/proc/self/cgroup`: lines of `number:controllers:path`.
    fn path_of(&self, own: &str) -> Option<String> {
        own.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':');
            let (number, names, path) = (parts.next()?, parts.next()?, parts.next()?);
            let is_this = match self.version {
                GroupVersion::V1 => names
                    .split(',')
                    .any(|name| self.controllers.iter().any(|one| one == name)),
                GroupVersion::V2 => number == "0" && names.is_empty(),
            };
            is_this.then(|| path.to_owned())
        })
    }
}

/// Folders of a group and those above it, up to the mount.
fn folders(files: &LinuxFiles, mount: &GroupMount, path: &str) -> Vec<String> {
    // Below a mount whose top is /docker/7 the group /docker/7/a is a.
    let inner = Path::new(path).strip_prefix(&mount.root).ok();
    // A group outside the namespace is named with `..`, and cannot be looked at.
    let is_plain = |part: Component| matches!(part, Component::Normal(_) | Component::RootDir);
    let inner = inner.filter(|inner| inner.components().all(is_plain));
    let mut found = Vec::new();
    let mut next = inner.filter(|inner| files.path(&mount.place).join(inner).is_dir());
    while let Some(inner) = next {
        if inner.as_os_str().is_empty() {
            break;
        }
        found.push(format!("{}/{}", mount.place, inner.to_string_lossy()));
        next = inner.parent();
    }
    found.push(mount.place.clone());
    found
}

/// A path of the mount table, where blanks and the like stand as `\040`.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind
            .get(..3)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match (first, code) {
            (b'\\', Some(code)) => {
                bytes.push(code);
                rest = &behind[3..];
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What is left in a group of the first version. The largest number of pages stands for no limit.
fn left_v1(files: &LinuxFiles, folder: &str) -> Option<u64> {
    const UNLIMITED: u64 = 1 << 60;
    let limit = files.number(&format!("{folder}/memory.limit_in_bytes"));
    let limit = limit.filter(|limit| *limit < UNLIMITED)?;
    let used = files.number(&format!("{folder}/memory.usage_in_bytes"));
    Some(left(files, folder, limit, used, "total_inactive_file"))
}

/// What is left in a group of the second version. Beyond `high` a process is slowed down, beyond `max` it is killed.
fn left_v2(files: &LinuxFiles, folder: &str) -> Option<u64> {
    let limits = ["memory.max", "memory.high"].into_iter();
    // `max` is no number, and no limit.
    let limits = limits.filter_map(|name| files.number(&format!("{folder}/{name}")));
    let limit = limits.min()?;
    let used = files.number(&format!("{folder}/memory.current"));
    Some(left(files, folder, limit, used, "inactive_file"))
}

fn left(files: &LinuxFiles, folder: &str, limit: u64, used: Option<u64>, droppable: &str) -> u64 {
    let counts = files
        .text(&format!("{folder}/memory.stat"))
        .unwrap_or_default();
    let droppable = word_pair(&counts, droppable).unwrap_or_default();
    let used = used.unwrap_or_default().saturating_sub(droppable);
    limit.saturating_sub(used)
}
