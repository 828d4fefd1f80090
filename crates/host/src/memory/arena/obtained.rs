//! What the kernel says of the pages that it gave.

use super::super::system;
use super::mapping::ArenaMapping;
use super::{ArenaError, ArenaObtained, ArenaRequest, PageSize, sampled_pages};
use crate::linux_files::{LinuxFiles, kibibytes};

/// Pages whose node is asked for at most.
const SAMPLES: usize = 4096;
const SMAPS: &str = "proc/self/smaps";

pub(super) fn read(
    files: &LinuxFiles,
    mapping: &ArenaMapping,
    request: &ArenaRequest,
    transparent: u64,
) -> Result<ArenaObtained, ArenaError> {
    let base = PageSize::Base.bytes();
    let (first, bytes) = (mapping.start().addr().get() as u64, mapping.bytes() as u64);
    let text = files.text(SMAPS).unwrap_or_default();
    let sizes = match page_sizes(&text, first, bytes, base, transparent) {
        Some(sizes) => sizes,
        // Kernels can be built without the file. Pages of the pool, and base pages after the advice, are what they are.
        None if mapping.is_pool() => vec![(request.pages.bytes(), bytes)],
        None if request.pages == PageSize::Base => vec![(base, bytes)],
        None => {
            return Err(ArenaError::Unknown {
                path: "/proc/self/smaps",
            });
        }
    };
    let size = request.pages.bytes();
    let fits = |page: u64| match request.pages {
        PageSize::Base => page == size,
        PageSize::Huge2M | PageSize::Huge1G => page >= size,
    };
    let sum: u64 = sizes
        .iter()
        .filter(|one| fits(one.0))
        .map(|one| one.1)
        .sum();
    let most = sizes.iter().max_by_key(|one| one.1);
    let mut nodes = node_shares(mapping, base as usize);
    if nodes.is_empty() {
        // Containers often forbid the call. The file counts every page.
        let text = files.text("proc/self/numa_maps").unwrap_or_default();
        nodes = mapped_nodes(&text, first, bytes);
    }
    Ok(ArenaObtained {
        huge_share: (sum as f64 / bytes as f64).min(1.0),
        page_bytes: most.map_or(base, |one| one.0),
        node_share: request.node.filter(|_| !nodes.is_empty()).map(|node| {
            let mut shares = nodes.iter();
            shares.find(|one| one.0 == node).map_or(0.0, |one| one.1)
        }),
        nodes,
    })
}

/// Sizes of pages with the bytes in each, of `/proc/self/smaps`: proc_pid_smaps(5). `None` when it does not show the range.
///
/// Several areas may make up the range; each is taken for as much as it shares with it.
pub(super) fn page_sizes(
    text: &str,
    first: u64,
    bytes: u64,
    base: u64,
    transparent: u64,
) -> Option<Vec<(u64, u64)>> {
    let end = first.checked_add(bytes)?;
    let mut sizes = std::collections::BTreeMap::<u64, u64>::new();
    let mut covered = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((from, to)) = area(line) else {
            continue;
        };
        let mut facts = String::new();
        while let Some(fact) = lines.next_if(|line| area(line).is_none()) {
            facts += fact;
            facts.push('\n');
        }
        let shared = to.min(end).saturating_sub(from.max(first));
        if shared == 0 {
            continue;
        }
        covered += shared;
        let page = kibibytes(&facts, "KernelPageSize").unwrap_or(base);
        let huge = kibibytes(&facts, "AnonHugePages")
            .unwrap_or_default()
            .min(shared);
        if page == base {
            *sizes.entry(transparent).or_default() += huge;
            *sizes.entry(base).or_default() += shared - huge;
        } else {
            *sizes.entry(page).or_default() += shared;
        }
    }
    (covered == bytes).then(|| sizes.into_iter().filter(|one| one.1 > 0).collect())
}

/// The ends of an area, of a line such as `55a79e261000-55a79e263000 r--p 00000000 fe:00 247278`.
fn area(line: &str) -> Option<(u64, u64)> {
    let (ends, _) = line.split_once(' ')?;
    let (from, to) = ends.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    Some((number(from)?, number(to)?))
}

/// Nodes with their shares of the pages asked for; empty when the kernel does not say.
fn node_shares(mapping: &ArenaMapping, base_bytes: usize) -> Vec<(u32, f64)> {
    let pages = sampled_pages(mapping, base_bytes, SAMPLES);
    let Ok(nodes) = system::nodes_of(&pages) else {
        return Vec::new();
    };
    shares(nodes.into_iter().flatten().map(|node| (node, 1)))
}

/// The same of `/proc/self/numa_maps`, where an area is a line such as `7f0000000000 prefer:1 anon=9 N0=2 N1=7
/// kernelpagesize_kB=4`: numa(7).
pub(super) fn mapped_nodes(text: &str, first: u64, bytes: u64) -> Vec<(u32, f64)> {
    let is_within = |at: u64| at.checked_sub(first).is_some_and(|offset| offset < bytes);
    let areas = text.lines().filter(|line| {
        let at = line
            .split(' ')
            .next()
            .and_then(|at| u64::from_str_radix(at, 16).ok());
        at.is_some_and(is_within)
    });
    shares(areas.flat_map(str::split_whitespace).filter_map(|word| {
        let (node, pages) = word.strip_prefix('N')?.split_once('=')?;
        Some((node.parse().ok()?, pages.parse().ok()?))
    }))
}

fn shares(pages: impl Iterator<Item = (u32, u64)>) -> Vec<(u32, f64)> {
    let mut counts = std::collections::BTreeMap::<u32, f64>::new();
    for (node, pages) in pages {
        *counts.entry(node).or_default() += pages as f64;
    }
    counts.retain(|_, count| *count > 0.0);
    let sum: f64 = counts.values().sum();
    let shares = counts.into_iter();
    shares.map(|(node, count)| (node, count / sum)).collect()
}
