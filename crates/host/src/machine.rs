//! What a measurement was made on, as the operating system names it.

use std::fs;

/// The processor's name; `None` where the system does not report it.
#[must_use]
pub fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let mut named = lines.filter(|(key, _)| key.trim() == "model name");
    Some(named.next()?.1.trim().to_owned())
}

/// Operating system, its release where it reports one, and architecture.
#[must_use]
pub fn system() -> String {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let words = [std::env::consts::OS, release.trim(), std::env::consts::ARCH];
    let words = words.into_iter().filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
