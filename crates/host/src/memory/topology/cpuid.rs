//! Caches as an x86 processor states them itself, for virtual machines whose kernel lists none.

use super::{CacheLevel, CpuPlace};

/// Caches of the processor that runs this, as if all of the machine were alike; empty on other architectures.
///
/// The instruction says how many processors may share a cache, not which. Neighbours by number are taken.
#[cfg(target_arch = "x86_64")]
pub(super) fn caches(cpus: &[CpuPlace]) -> Vec<CacheLevel> {
    use std::arch::x86_64::__cpuid_count;

    let leaf = |leaf, index| {
        let answer = __cpuid_count(leaf, index);
        [answer.eax, answer.ebx, answer.ecx, answer.edx]
    };
    // Leaf 4 is Intel's. AMD has the same columns in leaf 8000_001Dh, and says in 8000_0001h, ECX bit 22, whether it has.
    let has_extended = leaf(0x8000_0000, 0)[0] >= 0x8000_001D;
    let amd = has_extended && leaf(0x8000_0001, 0)[2] & (1 << 22) != 0;
    let list = match (amd, leaf(0, 0)[0] >= 4) {
        (true, _) => 0x8000_001D,
        (false, true) => 4,
        (false, false) => return Vec::new(),
    };
    // No processor has more than a few; a hypervisor that answers without end is cut off.
    let answers = (0..16).map(|index| leaf(list, index));
    let mut found = Vec::new();
    for answer in answers.take_while(|answer| answer[0] & 0x1f != 0) {
        let Some((cache, sharers)) = decoded(answer) else {
            continue;
        };
        for group in cpus.chunk_by(|a, b| a.cpu / sharers == b.cpu / sharers) {
            let shared_by = group.iter().map(|place| place.cpu).collect();
            found.push(CacheLevel {
                shared_by,
                ..cache.clone()
            });
        }
    }
    found
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn caches(_cpus: &[CpuPlace]) -> Vec<CacheLevel> {
    Vec::new()
}

/// A cache and how many processors share it at most, of the registers EAX, EBX, ECX and EDX. `None` when it holds
/// instructions alone. Columns: Intel 64 and IA-32 manual, volume 2A, CPUID leaf 04H.
#[cfg(any(test, target_arch = "x86_64"))]
fn decoded([eax, ebx, ecx, _]: [u32; 4]) -> Option<(CacheLevel, u32)> {
    const DATA: u32 = 1;
    const UNIFIED: u32 = 3;
    if ![DATA, UNIFIED].contains(&(eax & 0x1f)) {
        return None;
    }
    let line_bytes = (ebx & 0xfff) + 1;
    let partitions = ((ebx >> 12) & 0x3ff) + 1;
    let ways = (ebx >> 22) + 1;
    let parts = [line_bytes, partitions, ways].map(u64::from);
    let bytes = parts
        .iter()
        .product::<u64>()
        .checked_mul(u64::from(ecx) + 1)?;
    let cache = CacheLevel {
        level: ((eax >> 5) & 7) as u8,
        bytes,
        ways,
        line_bytes,
        shared_by: Vec::new(),
    };
    Some((cache, ((eax >> 14) & 0xfff) + 1))
}

#[cfg(test)]
mod tests {
    use super::decoded;

    /// The registers of an EPYC 9004: 32 KiB of first level in 8 ways, 32 MiB of third level in 16 ways for 16 threads.
    #[test]
    fn the_registers_give_size_ways_and_sharers() {
        let (first, sharers) = decoded([0x0000_4121, 0x01c0_003f, 0x3f, 0]).expect("a data cache");
        assert_eq!((first.level, first.bytes, first.ways), (1, 32 << 10, 8));
        assert_eq!((first.line_bytes, sharers), (64, 2));
        let (third, sharers) = decoded([0x0003_c163, 0x03c0_003f, 0x7fff, 1]).expect("a cache");
        assert_eq!((third.level, third.bytes, sharers), (3, 32 << 20, 16));
        assert_eq!(decoded([0x0000_4122, 0x01c0_003f, 0x3f, 0]), None);
        assert_eq!(decoded([0, 0, 0, 0]), None);
        assert!(decoded([0xffff_ffe3; 4]).is_some());
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn every_processor_of_this_machine_has_a_first_level() {
        let topology = super::super::Topology::of_this_machine().expect("a machine");
        let caches = super::caches(&topology.cpus);
        // A hypervisor may hide them all.
        for place in caches.first().map(|_| &topology.cpus).into_iter().flatten() {
            let is_first = |cache: &&super::CacheLevel| cache.level == 1;
            let mut first = caches.iter().filter(is_first);
            assert!(
                first.any(|cache| cache.shared_by.contains(&place.cpu)),
                "{place:?}"
            );
        }
    }
}
