//! Cores that are not equal: performance and efficiency cores of one processor.

use crate::linux_files::{LinuxFiles, number_list};

/// Cores of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreKind {
    /// The system's word: `cpu_core` and `cpu_atom` on x86, `capacity 1024` on Arm.
    pub name: String,
    /// Processors of the kind that may be used, ascending.
    pub cpus: Vec<u32>,
}

/// Event sources of the kernel, of which each has the processors of a kind of core (Intel's hybrids).
const SOURCES: [&str; 3] = ["cpu_core", "cpu_atom", "cpu_lowpower"];

/// The kinds, where there are several.
pub(super) fn read(files: &LinuxFiles, allowed: &[u32]) -> Vec<CoreKind> {
    let by_source = SOURCES.iter().map(|name| {
        let list = files.text(&format!("sys/devices/{name}/cpus"));
        let mut cpus = number_list(&list.unwrap_or_default());
        cpus.retain(|cpu| allowed.contains(cpu));
        let name = (*name).to_owned();
        CoreKind { name, cpus }
    });
    let mut kinds: Vec<CoreKind> = by_source.filter(|kind| !kind.cpus.is_empty()).collect();
    if kinds.is_empty() {
        kinds = by_capacity(files, allowed);
    }
    match kinds.len() {
        0 | 1 => Vec::new(),
        _ => kinds,
    }
}

/// By the capacity that the scheduler of Arm systems works with, the greatest first.
fn by_capacity(files: &LinuxFiles, allowed: &[u32]) -> Vec<CoreKind> {
    let mut kinds: Vec<(u64, Vec<u32>)> = Vec::new();
    for &cpu in allowed {
        let path = format!("sys/devices/system/cpu/cpu{cpu}/cpu_capacity");
        let Some(capacity) = files.number(&path) else {
            return Vec::new();
        };
        match kinds.iter_mut().find(|kind| kind.0 == capacity) {
            Some(kind) => kind.1.push(cpu),
            None => kinds.push((capacity, vec![cpu])),
        }
    }
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.0));
    let kinds = kinds.into_iter().map(|(capacity, cpus)| CoreKind {
        name: format!("capacity {capacity}"),
        cpus,
    });
    kinds.collect()
}
