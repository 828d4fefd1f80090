//! Pages that are larger than the base page.

use crate::linux_files::{LinuxFiles, chosen, value_of};

/// Which larger pages the kernel gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HugePages {
    /// Pools of reserved pages, from the smallest pages on; a pool of a node has its number.
    pub pools: Vec<HugePool>,
    /// When the kernel makes huge pages of ordinary memory by itself; `None` where it cannot.
    pub transparent: Option<TransparentMode>,
    /// Bytes of such a page: 2 MiB on x86-64, and on aarch64 with a base page of 4 KiB.
    pub transparent_bytes: u64,
}

/// Reserved pages of one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HugePool {
    /// Bytes of a page.
    pub page_bytes: u64,
    /// The node that they lie on; `None` for those of the whole machine, which are the same pages.
    pub node: Option<u32>,
    /// Pages of the pool.
    pub total: u64,
    /// Pages that nobody has or was promised.
    pub free: u64,
    /// Pages that the kernel may add when the pool is empty, if it finds them.
    pub surplus: u64,
}

/// When the kernel makes huge pages of ordinary memory by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransparentMode {
    /// Wherever it can.
    Always,
    /// Where a program asks for it.
    Madvise,
    /// Nowhere; a program may still have pages collapsed since Linux 6.1.
    Never,
}

impl TransparentMode {
    /// As the kernel spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Madvise => "madvise",
            Self::Never => "never",
        }
    }
}

impl HugePages {
    /// Pages of a size that are free in the pool of a node, or of the machine; 0 without such a pool.
    #[must_use]
    pub fn free_in_pool(&self, page_bytes: u64, node: Option<u32>) -> u64 {
        let mut pools = self.pools.iter();
        let pool = pools.find(|pool| pool.page_bytes == page_bytes && pool.node == node);
        pool.map_or(0, |pool| pool.free)
    }
}

const MACHINE: &str = "sys/kernel/mm/hugepages";
const TRANSPARENT: &str = "sys/kernel/mm/transparent_hugepage";

pub(super) fn read(files: &LinuxFiles) -> HugePages {
    let mut pools = pools(files, MACHINE, None);
    for node in super::nodes::numbers(files) {
        let folder = format!("sys/devices/system/node/node{node}/hugepages");
        pools.extend(self::pools(files, &folder, Some(node)));
    }
    if pools.is_empty() {
        pools.extend(default_pool(files));
    }
    let transparent = files.text(&format!("{TRANSPARENT}/enabled"));
    let transparent = transparent.and_then(|text| {
        let all = [
            TransparentMode::Always,
            TransparentMode::Madvise,
            TransparentMode::Never,
        ];
        let name = chosen(&text)?;
        all.into_iter().find(|mode| mode.name() == name)
    });
    let bytes = files.number(&format!("{TRANSPARENT}/hpage_pmd_size"));
    HugePages {
        pools,
        transparent,
        transparent_bytes: bytes
            .filter(|bytes| bytes.is_power_of_two())
            .unwrap_or(2 << 20),
    }
}

/// Pools of a folder, whose entries are named as `hugepages-2048kB`.
fn pools(files: &LinuxFiles, folder: &str, node: Option<u32>) -> Vec<HugePool> {
    let mut found = Vec::new();
    for name in files.names(folder) {
        let size = name
            .strip_prefix("hugepages-")
            .and_then(|name| name.strip_suffix("kB"));
        let Some(kib) = size.and_then(|kib| kib.parse::<u64>().ok()) else {
            continue;
        };
        let Some(page_bytes) = kib
            .checked_mul(1024)
            .filter(|bytes| bytes.is_power_of_two())
        else {
            continue;
        };
        let number = |what: &str| {
            files
                .number(&format!("{folder}/{name}/{what}"))
                .unwrap_or(0)
        };
        let free = number("free_hugepages");
        let (added, most) = (
            number("surplus_hugepages"),
            number("nr_overcommit_hugepages"),
        );
        found.push(HugePool {
            page_bytes,
            node,
            total: number("nr_hugepages"),
            // Reserved pages are free, but promised to somebody. Nodes do not count promises.
            free: free.saturating_sub(number("resv_hugepages")),
            surplus: most.saturating_sub(added),
        });
    }
    found.sort_by_key(|pool| pool.page_bytes);
    found
}

/// The pool that `/proc/meminfo` counts, where `/sys` is absent.
fn default_pool(files: &LinuxFiles) -> Option<HugePool> {
    let memory = files.text("proc/meminfo")?;
    let count = |key| value_of(&memory, key).and_then(|value| value.parse::<u64>().ok());
    Some(HugePool {
        page_bytes: crate::linux_files::kibibytes(&memory, "Hugepagesize")
            .filter(|bytes| bytes.is_power_of_two())?,
        node: None,
        total: count("HugePages_Total")?,
        free: count("HugePages_Free")?.saturating_sub(count("HugePages_Rsvd").unwrap_or(0)),
        surplus: 0,
    })
}
