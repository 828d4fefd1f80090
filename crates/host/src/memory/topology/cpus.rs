//! Processors that may be used, and where each one stands.

use super::TopologyError;
use crate::linux_files::{LinuxFiles, number_list, value_of};

/// A processor that this process may run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuPlace {
    /// Its number, as `taskset` takes it.
    pub cpu: u32,
    /// The node of its memory.
    pub node: u32,
    /// Its core: the lowest processor number of that core, so that it is unique in the machine.
    pub core: u32,
    /// Its socket.
    pub socket: u32,
    /// Its place among the hardware threads of its core, from 0 on.
    pub smt: u32,
}

const STATUS: &str = "proc/self/status";
const ONLINE: &str = "sys/devices/system/cpu/online";

/// Processors that are on and that affinity and cpuset of this process allow.
pub(super) fn allowed(files: &LinuxFiles) -> Result<Vec<u32>, TopologyError> {
    let status = files.text(STATUS).unwrap_or_default();
    // The kernel takes the cpuset off the affinity itself.
    let mut allowed = number_list(value_of(&status, "Cpus_allowed_list").unwrap_or_default());
    let mut online = number_list(&files.text(ONLINE).unwrap_or_default());
    if online.is_empty() {
        let folders = files.numbered("sys/devices/system/cpu", "cpu");
        let is_on = |cpu: &u32| {
            let path = format!("sys/devices/system/cpu/cpu{cpu}/online");
            files.text(&path).is_none_or(|text| text != "0")
        };
        online = folders.into_iter().filter(is_on).collect();
    }
    if allowed.is_empty() {
        allowed = online;
    } else if !online.is_empty() {
        // The affinity keeps processors that were switched off later.
        allowed.retain(|cpu| online.binary_search(cpu).is_ok());
    }
    if allowed.is_empty() {
        return Err(TopologyError::NoCpus {
            path: files.path(ONLINE),
            status: files.path(STATUS),
        });
    }
    Ok(allowed)
}

pub(super) fn read(files: &LinuxFiles, allowed: &[u32]) -> Vec<CpuPlace> {
    let node_lists: Vec<(u32, Vec<u32>)> = super::nodes::numbers(files)
        .into_iter()
        .map(|node| (node, super::nodes::cpus(files, node)))
        .collect();
    let place = |cpu: &u32| {
        let topology = format!("sys/devices/system/cpu/cpu{cpu}/topology");
        let list = |name| files.text(&format!("{topology}/{name}"));
        // The first name is that of Linux 5.3 and later.
        let siblings = list("core_cpus_list").or_else(|| list("thread_siblings_list"));
        let siblings = number_list(&siblings.unwrap_or_default());
        let place = siblings.binary_search(cpu).ok();
        let nodes = node_lists.iter();
        let mut nodes = nodes.filter(|(_, cpus)| cpus.binary_search(cpu).is_ok());
        let socket = files.number(&format!("{topology}/physical_package_id"));
        CpuPlace {
            cpu: *cpu,
            node: nodes.next().map_or(0, |(node, _)| *node),
            // A list without the processor itself says nothing of it.
            core: place.map_or(*cpu, |_| siblings[0]),
            // Machines without sockets say -1.
            socket: socket
                .and_then(|socket| socket.try_into().ok())
                .unwrap_or_default(),
            smt: place.unwrap_or_default() as u32,
        }
    };
    allowed.iter().map(place).collect()
}
