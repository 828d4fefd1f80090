//! The files in which Linux describes the machine and its accounts, and the one parser of each.
//!
//! Everything is read below a root folder, so that tests build a `/proc` and a `/sys` of their own. A file that is
//! absent or odd gives `None`, never a panic.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// More than any file of the kernel that is read here has; what follows is ignored.
const BYTES_MAX: u64 = 16 << 20;

/// Linux numbers no processor beyond this one (`NR_CPUS` is at most 8192).
const CPU_MAX: u32 = 65_535;

/// A folder under which `proc` and `sys` lie.
#[derive(Clone, Debug)]
pub(crate) struct LinuxFiles {
    root: PathBuf,
}

impl LinuxFiles {
    /// Those of this machine.
    pub(crate) fn of_this_machine() -> Self {
        Self::below(Path::new("/"))
    }

    /// Those of a copy.
    pub(crate) fn below(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// Where a file lies; its path has no slash in front.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The text of a file without blanks around it.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        let file = File::open(self.path(path)).ok()?;
        let mut bytes = Vec::new();
        file.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    /// The number that is all that a file holds.
    pub(crate) fn number(&self, path: &str) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// Numbers of the entries of a folder whose names are a prefix and a number, in their order.
    pub(crate) fn numbered(&self, folder: &str, prefix: &str) -> Vec<u32> {
        let Ok(entries) = fs::read_dir(self.path(folder)) else {
            return Vec::new();
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut found: Vec<u32> = names
            .filter_map(|name| whole(name.strip_prefix(prefix)?))
            .collect();
        found.sort_unstable();
        found
    }

    /// Names of the entries of a folder, in their order.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(folder)) else {
            return Vec::new();
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut found: Vec<String> = names.collect();
        found.sort();
        found
    }
}

/// A number of digits alone: `parse` would take a sign as well.
fn whole(text: &str) -> Option<u32> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

/// Numbers of a list such as `0-3,8`, sorted. Parts that are no numbers are left out.
pub(crate) fn number_list(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for part in text.trim().split(',').map(str::trim) {
        // A stride, `0-6:1/2`, is written by people alone, never by the kernel.
        let ends = part.split_once('-').unwrap_or((part, part));
        if let (Some(first), Some(last)) = (whole(ends.0), whole(ends.1)) {
            found.extend(first..=last.min(CPU_MAX));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The value of a key in lines of `key: value`, such as those of `/proc/self/status`.
pub(crate) fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(name, _)| name.trim() == key)?;
    Some(value.trim())
}

/// Bytes of a line such as `MemTotal: 12 kB`, or `Node 0 MemTotal: 12 kB`.
pub(crate) fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(name, _)| name.split_whitespace().next_back() == Some(key))?;
    let mut words = value.split_whitespace();
    let number: u64 = words.next()?.parse().ok()?;
    match words.next() {
        Some("kB") => number.checked_mul(1024),
        _ => None,
    }
}

/// The number of a key in lines of `key value`, such as those of `memory.stat`.
pub(crate) fn word_pair(text: &str, key: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(name, _)| *name == key)?.1.trim().parse().ok()
}

/// Bytes of a size such as `32K`.
pub(crate) fn short_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, factor) = match text.chars().next_back()? {
        'K' => (&text[..text.len() - 1], 1 << 10),
        'M' => (&text[..text.len() - 1], 1 << 20),
        'G' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// The choice in brackets of a line such as `always [madvise] never`.
pub(crate) fn chosen(text: &str) -> Option<&str> {
    let mut words = text.split_whitespace();
    words.find_map(|word| word.strip_prefix('[')?.strip_suffix(']'))
}

// Columns of `/proc/thread-self/stat` behind the name of the program: proc_pid_stat(5), of which the first there is the
// third.
const MINOR_FAULTS: usize = 10 - 3;
const MAJOR_FAULTS: usize = 12 - 3;
const PROCESSOR: usize = 39 - 3;

/// What the file `stat` of a thread says of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StatColumns {
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    /// The processor that it is on.
    pub(crate) cpu: u32,
}

impl StatColumns {
    /// Reads the line. The program's name may itself hold blanks and brackets.
    pub(crate) fn of(text: &str) -> Self {
        let behind = text.rsplit_once(')').map_or("", |(_, behind)| behind);
        let columns: Vec<&str> = behind.split_whitespace().collect();
        let column = |place: usize| columns.get(place).and_then(|word| word.parse().ok());
        Self {
            minor_faults: column(MINOR_FAULTS).unwrap_or_default(),
            major_faults: column(MAJOR_FAULTS).unwrap_or_default(),
            cpu: column(PROCESSOR)
                .and_then(|cpu| cpu.try_into().ok())
                .unwrap_or_default(),
        }
    }
}

/// Ticks of a processor since the machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CpuTicks {
    /// Spent in programs, the kernel and interrupts.
    pub(crate) busy: u64,
    /// Kept back by the hypervisor.
    pub(crate) stolen: u64,
    /// Of all kinds.
    pub(crate) all: u64,
}

impl CpuTicks {
    /// Those of the numbers of a line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal.
    fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut columns = [0_u64; 8];
        for (column, word) in columns.iter_mut().zip(words) {
            *column = word.parse().unwrap_or_default();
        }
        let [user, nice, system, idle, iowait, irq, softirq, stolen] = columns;
        let sum = |parts: &[u64]| {
            parts
                .iter()
                .fold(0_u64, |sum, one| sum.saturating_add(*one))
        };
        let busy = sum(&[user, nice, system, irq, softirq]);
        Self {
            busy,
            stolen,
            all: sum(&[busy, idle, iowait, stolen]),
        }
    }
}

/// The line of all processors of `/proc/stat`.
pub(crate) fn ticks_of_all(text: &str) -> Option<CpuTicks> {
    let words = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    Some(CpuTicks::of(words.split_whitespace()))
}

/// The line of each processor of `/proc/stat`. One that is off has no line.
pub(crate) fn ticks_of_each(text: &str) -> BTreeMap<u32, CpuTicks> {
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let number = words.next().and_then(|name| name.strip_prefix("cpu"));
        if let Some(number) = number.and_then(whole) {
            found.insert(number, CpuTicks::of(words));
        }
    }
    found
}

/// Microseconds in which some task waited, of a file of pressure stall information.
pub(crate) fn stalled_us(text: &str) -> Option<u64> {
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    let mut words = some.split_whitespace();
    words
        .find_map(|word| word.strip_prefix("total="))?
        .parse()
        .ok()
}

/// Nanoseconds for which a thread was ready to run and had no processor: the second number of its `schedstat`.
pub(crate) fn run_delay_ns(text: &str) -> Option<u64> {
    let mut words = text.split_whitespace();
    // A kernel without these accounts has three zeros; a thread that reads them has run.
    let ran: u64 = words.next()?.parse().ok()?;
    let waited = words.next()?.parse().ok()?;
    (ran > 0).then_some(waited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_ranges_and_single_numbers() {
        assert_eq!(number_list("0-3,8\n"), [0, 1, 2, 3, 8]);
        assert_eq!(number_list(" 5 , 1-2,2"), [1, 2, 5]);
        for nothing in ["", "-", "a-b", "3-1", "-3", "+1", "0x3", "(null)"] {
            assert!(number_list(nothing).is_empty(), "{nothing}");
        }
        let wide = number_list("0-4294967295");
        assert_eq!(wide.len(), CPU_MAX as usize + 1);
    }

    #[test]
    fn sizes_and_values_have_their_units() {
        assert_eq!(short_size("32K"), Some(32 << 10));
        assert_eq!(short_size("32768K\n"), Some(32 << 20));
        assert_eq!(short_size("4M"), Some(4 << 20));
        assert_eq!(short_size("7"), Some(7));
        for odd in [
            "",
            "K",
            "1T",
            "ä",
            "99999999999999999999K",
            "-3K",
            "20000000000000000G",
        ] {
            assert_eq!(short_size(odd), None, "{odd}");
        }
        let text = "MemTotal:  12 kB\nNode 1 MemFree: 3 kB\nHugePages_Free:  7\nBad: x kB\n";
        assert_eq!(kibibytes(text, "MemTotal"), Some(12 << 10));
        assert_eq!(kibibytes(text, "MemFree"), Some(3 << 10));
        // Counts of pages are no bytes.
        assert_eq!(kibibytes(text, "HugePages_Free"), None);
        assert_eq!(value_of(text, "HugePages_Free"), Some("7"));
        assert_eq!(kibibytes(text, "Bad"), None);
        assert_eq!(
            word_pair("anon 3\ninactive_file 9\n", "inactive_file"),
            Some(9)
        );
        assert_eq!(chosen("always [madvise] never"), Some("madvise"));
        assert_eq!(chosen("always madvise"), None);
    }

    #[test]
    fn the_accounts_of_a_thread_are_read_by_their_columns() {
        let own = "7 (a ) b) R 1 2 3 0 -1 64 101 5 9 0 0 0 0 0 20 0 1 0 99 3 406 8 1 2 3 4 5 6 7 8 9 10 11 12 13 14 1 0";
        let columns = StatColumns::of(own);
        let expected = StatColumns {
            minor_faults: 101,
            major_faults: 9,
            cpu: 14,
        };
        assert_eq!(columns, expected);
        assert_eq!(StatColumns::of(""), StatColumns::default());
        assert_eq!(run_delay_ns("100935 17 1\n"), Some(17));
        assert_eq!(run_delay_ns("0 0 0\n"), None);
    }

    #[test]
    fn ticks_are_those_of_programs_and_those_of_the_hypervisor() {
        let text = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu2 1 2 3 4 5 6 7 40 0 0\ncpufreq 3\nintr 5\n";
        let ticks = ticks_of_each(text);
        assert_eq!(ticks.keys().copied().collect::<Vec<_>>(), [0, 2]);
        // 1 + 2 + 3 + 6 + 7: neither idle, nor waiting for a disk, nor guests, which user has already.
        assert_eq!(
            (ticks[&0].busy, ticks[&0].stolen, ticks[&0].all),
            (19, 8, 36)
        );
        assert_eq!(ticks[&2].stolen, 40);
        assert_eq!(ticks_of_all(text).map(|ticks| ticks.stolen), Some(9));
        assert!(ticks_of_each("cpu99999999999999 1\ncpu-1 2").is_empty());
    }

    #[test]
    fn stalls_are_those_of_some_task() {
        let text = "some avg10=7.42 avg60=4.69 avg300=2.76 total=19713240\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n";
        assert_eq!(stalled_us(text), Some(19_713_240));
        assert_eq!(stalled_us("full total=5"), None);
        assert_eq!(stalled_us("some total=x"), None);
    }
}
