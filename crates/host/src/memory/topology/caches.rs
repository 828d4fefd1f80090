//! Caches for data.

use crate::linux_files::{LinuxFiles, number_list, short_size};

/// A cache that holds data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheLevel {
    /// 1 is next to the core.
    pub level: u8,
    /// Its bytes.
    pub bytes: u64,
    /// Places that a line may take; 0 where the system does not say.
    pub ways: u32,
    /// Bytes of a line; 64 where the system does not say.
    pub line_bytes: u32,
    /// Numbers of the processors that share it.
    pub shared_by: Vec<u32>,
}

pub(super) fn read(files: &LinuxFiles, allowed: &[u32]) -> Vec<CacheLevel> {
    let mut found: Vec<CacheLevel> = Vec::new();
    for cpu in allowed {
        let folder = format!("sys/devices/system/cpu/cpu{cpu}/cache");
        for index in files.numbered(&folder, "index") {
            let text = |name| files.text(&format!("{folder}/index{index}/{name}"));
            let number = |name| text(name).and_then(|text| text.parse::<u32>().ok());
            if !matches!(text("type").as_deref(), Some("Data" | "Unified")) {
                continue;
            }
            let level = text("level").and_then(|level| level.parse().ok());
            let bytes = text("size").and_then(|size| short_size(&size));
            let (Some(level), Some(bytes @ 1..)) = (level, bytes) else {
                continue;
            };
            let mut shared_by = number_list(&text("shared_cpu_list").unwrap_or_default());
            if !shared_by.contains(cpu) {
                shared_by = vec![*cpu];
            }
            let cache = CacheLevel {
                level,
                bytes,
                ways: number("ways_of_associativity").unwrap_or_default(),
                line_bytes: number("coherency_line_size")
                    .filter(|line| *line > 0)
                    .unwrap_or(64),
                shared_by,
            };
            if !found.contains(&cache) {
                found.push(cache);
            }
        }
    }
    found.sort_by_key(|cache| (cache.level, cache.shared_by.first().copied()));
    found
}
