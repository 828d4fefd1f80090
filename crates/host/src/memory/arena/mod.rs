//! Memory to measure: a mapping whose pages have the size and the node that were asked for, or say what they have instead.
//!
//! Every page is mapped and holds something before [`Arena::map`] returns, so that no measurement pays for it. What was
//! obtained is read back from the kernel, never taken for granted. Whatever cannot be had is refused before a page is
//! touched, because a page that the kernel cannot give ends the process with a signal.

mod error;
mod mapping;
mod obtained;
mod plan;
#[cfg(test)]
mod tests;

use std::ptr::NonNull;

pub use error::{ArenaError, MemoryBound};
use mapping::ArenaMapping;
use plan::{ArenaPages, ArenaPlan};

use super::system;
use super::topology::{Topology, pin_to};
use crate::linux_files::LinuxFiles;

/// Pages of a mapping, by what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageSize {
    /// The smallest of the processor: 4 KiB, or 16 or 64 KiB on some aarch64 kernels. Larger ones are kept off.
    Base,
    /// 2 MiB, of the pool or transparent; larger ones count as well.
    Huge2M,
    /// 1 GiB, of the pool alone.
    Huge1G,
}

impl PageSize {
    /// Every size.
    pub const ALL: [Self; 3] = [Self::Base, Self::Huge2M, Self::Huge1G];

    /// Bytes of a page.
    #[must_use]
    pub fn bytes(self) -> u64 {
        match self {
            Self::Base => rustix::param::page_size() as u64,
            Self::Huge2M => 2 << 20,
            Self::Huge1G => 1 << 30,
        }
    }
}

/// What an arena shall be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArenaRequest {
    /// Bytes, at least 1.
    pub bytes: u64,
    /// Size of its pages.
    pub pages: PageSize,
    /// The node of its memory; `None` leaves it to the kernel, which takes that of the thread that maps it.
    pub node: Option<u32>,
}

/// What an arena came to be, of the kernel's own accounts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArenaObtained {
    /// Share of the bytes, 0 to 1, in pages of the size asked for: or larger for huge pages, no larger for base pages.
    pub huge_share: f64,
    /// Bytes of the pages that most of it is in.
    pub page_bytes: u64,
    /// Share of the bytes, 0 to 1, on the node asked for. `None` when none was, or the kernel does not say.
    pub node_share: Option<f64>,
    /// Nodes with their shares of the bytes, by number; empty when the kernel does not say. Of a large arena some thousand
    /// pages are asked for.
    pub nodes: Vec<(u32, f64)>,
}

/// Anonymous memory of this process, every page of which is mapped.
#[derive(Debug)]
pub struct Arena {
    mapping: ArenaMapping,
    /// Bytes that were asked for; the mapping may have more.
    bytes: usize,
    obtained: ArenaObtained,
}

// SAFETY: nothing but the arena points into its mapping, and access goes by its own borrows.
unsafe impl Send for Arena {}
// SAFETY: a shared arena can only be read.
unsafe impl Sync for Arena {}

impl Arena {
    /// Maps one. The kernel clears every page, which takes a second or so a GiB.
    ///
    /// # Errors
    /// When memory, a control group's limit, the pool of pages or the node does not allow it, with what would.
    pub fn map(request: &ArenaRequest) -> Result<Self, ArenaError> {
        let topology = Topology::of_this_machine()?;
        let files = LinuxFiles::of_this_machine();
        let plan = plan::plan(request, &topology, &files)?;
        let place = NodePlacement::of(request, &topology);
        let pool = match plan.source {
            ArenaPages::Pool => Some(mapped(&plan, request, place)),
            ArenaPages::Base | ArenaPages::Transparent => None,
        };
        let (plan, mapping) = match pool {
            Some(Ok(mapping)) => (plan, mapping),
            // The pool was emptied meanwhile, or a limit of its own keeps the pages back.
            Some(Err(source)) => {
                let Some(plan) = plan::without_pool(request, &topology, &files)? else {
                    return Err(plan::pool_refused(request, &topology, source));
                };
                let mapping = mapped(&plan, request, place)?;
                (plan, mapping)
            }
            None => (plan, mapped(&plan, request, place)?),
        };
        let transparent = topology.huge_pages.transparent_bytes;
        let mut obtained = obtained::read(&files, &mapping, request, transparent)?;
        if plan.source == ArenaPages::Transparent && obtained.huge_share < 1.0 {
            // Since Linux 6.1 pages can be made huge that were not so when they were first touched.
            mapping.collapse();
            obtained = obtained::read(&files, &mapping, request, transparent)?;
        }
        if plan.source != ArenaPages::Base && obtained.huge_share <= 0.0 {
            return Err(plan::unavailable(request, &topology));
        }
        Ok(Self {
            mapping,
            // It was compared with what the machine has.
            bytes: request.bytes as usize,
            obtained,
        })
    }

    /// Its bytes. They hold something from the start, not zeros.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping is at least as long, initialised by the kernel, and lives as long as the borrow.
        unsafe { std::slice::from_raw_parts(self.mapping.start().as_ptr(), self.bytes) }
    }

    /// Its bytes, for writing.
    #[must_use]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the borrow is the only one.
        unsafe { std::slice::from_raw_parts_mut(self.mapping.start().as_ptr(), self.bytes) }
    }

    /// Where its bytes begin: on a border of its pages.
    #[must_use]
    pub const fn as_ptr(&self) -> *const u8 {
        self.mapping.start().as_ptr().cast_const()
    }

    /// Where its bytes begin, for writing.
    #[must_use]
    pub const fn as_mut_ptr(&mut self) -> *mut u8 {
        self.mapping.start().as_ptr()
    }

    /// What it came to be.
    #[must_use]
    pub const fn obtained(&self) -> &ArenaObtained {
        &self.obtained
    }
}

/// How pages come to lie on a node.
#[derive(Clone, Copy, Debug)]
struct NodePlacement {
    node: u32,
    /// A processor beside it.
    cpu: Option<u32>,
}

impl NodePlacement {
    /// `None` when there is nothing to choose.
    fn of(request: &ArenaRequest, topology: &Topology) -> Option<Self> {
        let node = request.node.filter(|_| topology.nodes.len() > 1)?;
        let cpus = topology.node(node).map(|node| node.cpus.first().copied());
        Some(Self {
            node,
            cpu: cpus.flatten(),
        })
    }
}

/// Maps what was planned and fills it.
fn mapped(
    plan: &ArenaPlan,
    request: &ArenaRequest,
    place: Option<NodePlacement>,
) -> Result<ArenaMapping, ArenaError> {
    let failed = |source| ArenaError::Map {
        bytes: request.bytes,
        source,
    };
    let mapping = match plan.source {
        ArenaPages::Base => ArenaMapping::of_base_pages(plan.bytes),
        ArenaPages::Transparent => ArenaMapping::of_transparent_pages(plan.bytes, plan.page_bytes),
        ArenaPages::Pool => ArenaMapping::of_pool(plan.bytes, plan.page_bytes),
    };
    let mapping = mapping.map_err(failed)?;
    let base = PageSize::Base.bytes() as usize;
    let Some(place) = place else {
        mapping.fill(base).map_err(failed)?;
        return Ok(mapping);
    };
    match system::prefer_node(mapping.start(), mapping.bytes(), place.node) {
        Ok(()) => mapping.fill(base).map_err(failed)?,
        // Containers often forbid the call. A page then comes from the node of the thread that touches it first.
        Err(source) => {
            let refused = |source| ArenaError::NodeRefused {
                node: place.node,
                source,
            };
            let Some(cpu) = place.cpu else {
                return Err(refused(source));
            };
            let filled = std::thread::scope(|scope| {
                let beside = scope.spawn(|| {
                    pin_to(cpu)?;
                    mapping.fill(base).map_err(failed)
                });
                beside.join()
            });
            filled.map_err(|_| refused(source))??;
        }
    }
    Ok(mapping)
}

/// Some pages of a mapping, evenly spread: all of a small one.
fn sampled_pages(mapping: &ArenaMapping, step_bytes: usize, most: usize) -> Vec<NonNull<u8>> {
    let pages = mapping.bytes().div_ceil(step_bytes);
    let stride = pages.div_ceil(most).max(1);
    (0..pages)
        .step_by(stride)
        // SAFETY: every page begins within the mapping.
        .map(|page| unsafe { mapping.start().add(page * step_bytes) })
        .collect()
}
