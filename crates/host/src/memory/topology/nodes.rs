//! Nodes of memory.

use super::TopologyError;
use crate::linux_files::{LinuxFiles, kibibytes, number_list, value_of};

/// A node of memory that this process may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeMemory {
    /// Its number.
    pub node: u32,
    /// Processors beside it that this process may run on; a node of memory alone has none.
    pub cpus: Vec<u32>,
    /// Bytes that are free, with half of what holds files and can be dropped.
    pub free_bytes: u64,
    /// Bytes of the node.
    pub total_bytes: u64,
}

const FOLDER: &str = "sys/devices/system/node";
const MEMORY: &str = "proc/meminfo";

/// Numbers of the nodes that are on.
pub(super) fn numbers(files: &LinuxFiles) -> Vec<u32> {
    files.numbered(FOLDER, "node")
}

/// All processors of a node.
pub(super) fn cpus(files: &LinuxFiles, node: u32) -> Vec<u32> {
    number_list(
        &files
            .text(&format!("{FOLDER}/node{node}/cpulist"))
            .unwrap_or_default(),
    )
}

pub(super) fn read(files: &LinuxFiles, allowed: &[u32]) -> Result<Vec<NodeMemory>, TopologyError> {
    let status = files.text("proc/self/status").unwrap_or_default();
    let usable = number_list(value_of(&status, "Mems_allowed_list").unwrap_or_default());
    let mut found = Vec::new();
    for node in numbers(files) {
        let memory = files.text(&format!("{FOLDER}/node{node}/meminfo"));
        let memory = memory.unwrap_or_default();
        // A node of processors alone has no memory to measure.
        let Some(total_bytes) = kibibytes(&memory, "MemTotal").filter(|bytes| *bytes > 0) else {
            continue;
        };
        if !usable.is_empty() && usable.binary_search(&node).is_err() {
            continue;
        }
        let mut cpus = cpus(files, node);
        cpus.retain(|cpu| allowed.binary_search(cpu).is_ok());
        found.push(NodeMemory {
            node,
            cpus,
            free_bytes: free(&memory).min(total_bytes),
            total_bytes,
        });
    }
    if found.is_empty() {
        let memory = files.text(MEMORY).unwrap_or_default();
        let Some(total_bytes) = kibibytes(&memory, "MemTotal") else {
            return Err(TopologyError::NoMemory {
                path: files.path(MEMORY),
            });
        };
        found.push(NodeMemory {
            node: 0,
            cpus: allowed.to_vec(),
            free_bytes: free(&memory).min(total_bytes),
            total_bytes,
        });
    }
    Ok(found)
}

/// What the kernel would give without swapping: free pages, and half of those that hold files or caches of its own. The
/// other half is likely in use.
fn free(memory: &str) -> u64 {
    let of = |key| kibibytes(memory, key).unwrap_or_default();
    let files = of("Active(file)").saturating_add(of("Inactive(file)"));
    let caches = of("SReclaimable").saturating_add(files) / 2;
    of("MemFree").saturating_add(caches)
}
