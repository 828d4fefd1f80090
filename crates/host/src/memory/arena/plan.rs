//! Which pages an arena will be made of, or why it cannot be: decided of what the machine says of itself, before anything
//! is mapped.

use super::super::topology::{HugePages, Topology, TransparentMode, headroom};
use super::{ArenaError, ArenaRequest, MemoryBound, PageSize};
use crate::linux_files::{LinuxFiles, kibibytes};

/// Where pages come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArenaPages {
    /// Base pages of ordinary memory.
    Base,
    /// Huge pages that the kernel makes of ordinary memory.
    Transparent,
    /// Huge pages of a reserved pool.
    Pool,
}

/// What will be mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ArenaPlan {
    pub(super) source: ArenaPages,
    /// Bytes of a page.
    pub(super) page_bytes: usize,
    /// Bytes of the mapping: whole pages.
    pub(super) bytes: usize,
}

/// Huge pages beyond this size are not worth rounding an arena up for: 512 MiB, of kernels with a base page of 64 KiB.
const TRANSPARENT_MAX: u64 = 32 << 20;

pub(super) fn plan(
    request: &ArenaRequest,
    topology: &Topology,
    files: &LinuxFiles,
) -> Result<ArenaPlan, ArenaError> {
    if request.bytes == 0 {
        return Err(ArenaError::Empty);
    }
    if let Some(node) = request.node
        && topology.node(node).is_none()
    {
        return Err(ArenaError::NoNode {
            node,
            nodes: topology.nodes.iter().map(|one| one.node).collect(),
        });
    }
    let page_bytes = request.pages.bytes();
    if request.pages == PageSize::Base {
        return ordinary(request, ArenaPages::Base, page_bytes, topology, files);
    }
    let needed = request.bytes.div_ceil(page_bytes);
    if needed <= in_pool(request, topology) {
        return whole(request, ArenaPages::Pool, page_bytes)
            .ok_or_else(|| too_large(request, topology));
    }
    let other = without_pool(request, topology, files)?;
    other.ok_or_else(|| unavailable(request, topology))
}

/// Without the pool: transparent pages, where the kernel has them and they are of the size; `None` where not.
pub(super) fn without_pool(
    request: &ArenaRequest,
    topology: &Topology,
    files: &LinuxFiles,
) -> Result<Option<ArenaPlan>, ArenaError> {
    let pages = &topology.huge_pages;
    let can = request.pages == PageSize::Huge2M && pages.transparent.is_some();
    if !can || pages.transparent_bytes < request.pages.bytes() {
        return Ok(None);
    }
    let page_bytes = match pages.transparent_bytes {
        bytes if bytes > TRANSPARENT_MAX => request.pages.bytes(),
        bytes => bytes,
    };
    ordinary(
        request,
        ArenaPages::Transparent,
        page_bytes,
        topology,
        files,
    )
    .map(Some)
}

/// Pages that the pool can give: those of the node asked for, or those that are free in all and those that the kernel may
/// add.
fn in_pool(request: &ArenaRequest, topology: &Topology) -> u64 {
    let pages: &HugePages = &topology.huge_pages;
    let size = request.pages.bytes();
    let mut pools = pages.pools.iter();
    let pool = pools.find(|pool| pool.page_bytes == size && pool.node.is_none());
    let all = pool.map_or(0, |pool| pool.free.saturating_add(pool.surplus));
    let node = request.node.filter(|_| topology.nodes.len() > 1);
    node.map_or(all, |node| all.min(pages.free_in_pool(size, Some(node))))
}

/// Whole pages; `None` when they are more than a pointer reaches.
fn whole(request: &ArenaRequest, source: ArenaPages, page_bytes: u64) -> Option<ArenaPlan> {
    let bytes = request.bytes.checked_next_multiple_of(page_bytes)?;
    let bytes = isize::try_from(bytes).ok()?;
    Some(ArenaPlan {
        source,
        page_bytes: usize::try_from(page_bytes).ok()?,
        bytes: bytes.unsigned_abs(),
    })
}

fn too_large(request: &ArenaRequest, topology: &Topology) -> ArenaError {
    ArenaError::BeyondMemory {
        asked: request.bytes,
        bound: MemoryBound::Machine,
        free: topology.limits.free_bytes(),
        largest: topology.usable_bytes(),
    }
}

/// A plan of ordinary memory, compared with everything that bounds it.
fn ordinary(
    request: &ArenaRequest,
    source: ArenaPages,
    page_bytes: u64,
    topology: &Topology,
    files: &LinuxFiles,
) -> Result<ArenaPlan, ArenaError> {
    let plan = whole(request, source, page_bytes).ok_or_else(|| too_large(request, topology))?;
    let limits = &topology.limits;
    let mut bounds = vec![(MemoryBound::Machine, limits.available_bytes)];
    bounds.extend(
        limits
            .cgroup_bytes
            .map(|left| (MemoryBound::ControlGroup, left)),
    );
    bounds.extend(commitment_left(files).map(|left| (MemoryBound::Commitment, left)));
    let node = request.node.and_then(|node| topology.node(node));
    bounds.extend(node.map(|node| (MemoryBound::Node(node.node), node.free_bytes)));
    let usable = |(_, free): &(MemoryBound, u64)| free - headroom(*free);
    let Some(tightest) = bounds.iter().min_by_key(|one| usable(one)) else {
        return Ok(plan);
    };
    let largest = usable(tightest) / page_bytes * page_bytes;
    if plan.bytes as u64 > largest {
        return Err(ArenaError::BeyondMemory {
            asked: request.bytes,
            bound: tightest.0,
            free: tightest.1,
            largest,
        });
    }
    Ok(plan)
}

/// Bytes that the kernel still promises, where it promises no more than it has.
fn commitment_left(files: &LinuxFiles) -> Option<u64> {
    if files.number("proc/sys/vm/overcommit_memory") != Some(2) {
        return None;
    }
    let memory = files.text("proc/meminfo")?;
    let limit = kibibytes(&memory, "CommitLimit")?;
    Some(limit.saturating_sub(kibibytes(&memory, "Committed_AS").unwrap_or_default()))
}

/// The refusal of pages that are not there.
pub(super) fn unavailable(request: &ArenaRequest, topology: &Topology) -> ArenaError {
    let size = request.pages.bytes();
    let pages = &topology.huge_pages;
    let mut pools = pages.pools.iter();
    let pool = pools.find(|pool| pool.page_bytes == size && pool.node.is_none());
    let mut found = pool.map_or_else(
        || "the kernel has no pool of them".to_owned(),
        |pool| format!("{} of {} pages of the pool are free", pool.free, pool.total),
    );
    if let Some(node) = request.node.filter(|_| topology.nodes.len() > 1) {
        let free = pages.free_in_pool(size, Some(node));
        found += &format!(", {free} of them on node {node}");
    }
    if request.pages == PageSize::Huge2M {
        let mode = pages.transparent.map_or("absent", TransparentMode::name);
        found += &format!(", and transparent huge pages ({mode}) gave none");
    }
    ArenaError::Pages {
        pages: name(request.pages),
        asked: request.bytes,
        found,
        way: way(request, topology),
    }
}

/// The refusal of pages that the kernel counted as free and kept back.
pub(super) fn pool_refused(
    request: &ArenaRequest,
    topology: &Topology,
    source: ArenaError,
) -> ArenaError {
    ArenaError::Pages {
        pages: name(request.pages),
        asked: request.bytes,
        found: format!("the pool refuses them, maybe by a limit of the control group ({source})"),
        way: way(request, topology),
    }
}

const fn name(pages: PageSize) -> &'static str {
    match pages {
        PageSize::Base => "base",
        PageSize::Huge2M => "2 MiB",
        PageSize::Huge1G => "1 GiB",
    }
}

/// The command that reserves pages.
fn way(request: &ArenaRequest, topology: &Topology) -> String {
    let (size, needed) = (
        request.pages.bytes(),
        request.bytes.div_ceil(request.pages.bytes()),
    );
    let kib = size / 1024;
    match request.node.filter(|_| topology.nodes.len() > 1) {
        Some(node) => format!(
            "echo {needed} > /sys/devices/system/node/node{node}/hugepages/hugepages-{kib}kB/nr_hugepages"
        ),
        None if request.pages == PageSize::Huge2M => format!("sysctl vm.nr_hugepages={needed}"),
        None => format!("echo {needed} > /sys/kernel/mm/hugepages/hugepages-{kib}kB/nr_hugepages"),
    }
}
