//! What a document says of the machine that measured.

use std::collections::BTreeMap;

use wordline_core::quantity::ByteCount;
use wordline_host::machine;
use wordline_host::memory::kernels::KernelSet;
use wordline_host::memory::topology::Topology;

/// Bytes of a last cache, as a plain number.
const LAST_CACHE: &str = "last_cache_bytes";

/// Processor, caches, nodes and pages, by name.
pub(super) fn of(topology: &Topology) -> BTreeMap<String, String> {
    let size = |bytes: u64| ByteCount::from_bytes(bytes).to_string();
    let caches = topology.caches.iter();
    let mut levels: Vec<(u8, u64, usize)> = Vec::new();
    for cache in caches {
        match levels
            .iter_mut()
            .find(|level| (level.0, level.1) == (cache.level, cache.bytes))
        {
            Some(level) => level.2 += 1,
            None => levels.push((cache.level, cache.bytes, 1)),
        }
    }
    let levels = levels.iter().map(|(level, bytes, count)| match count {
        1 => format!("L{level} {}", size(*bytes)),
        count => format!("L{level} {count} x {}", size(*bytes)),
    });
    let caches: Vec<String> = levels.collect();
    let nodes = topology.nodes.iter();
    let nodes = nodes.map(|node| format!("{}: {}", node.node, size(node.total_bytes)));
    let nodes: Vec<String> = nodes.collect();
    let cores = topology.one_cpu_a_core().len();
    let transparent = topology.huge_pages.transparent;
    let mut all = BTreeMap::from([
        ("system".to_owned(), machine::system()),
        (
            "cpus".to_owned(),
            format!("{} on {cores} cores", topology.cpus.len()),
        ),
        // As a plain number for whatever reads it, such as a fit of a system.
        ("cores".to_owned(), cores.to_string()),
        ("caches".to_owned(), caches.join(", ")),
        ("nodes".to_owned(), nodes.join(", ")),
        ("usable_memory".to_owned(), size(topology.usable_bytes())),
        ("kernel".to_owned(), KernelSet::best().name().to_owned()),
    ]);
    if let Some(processor) = machine::processor() {
        all.insert("processor".to_owned(), processor);
    }
    if let Some(bytes) = topology.last_level_bytes() {
        all.insert(LAST_CACHE.to_owned(), bytes.to_string());
    }
    if let Some(mode) = transparent {
        all.insert("transparent_huge_pages".to_owned(), mode.name().to_owned());
    }
    all
}
