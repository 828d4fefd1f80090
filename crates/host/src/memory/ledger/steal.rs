//! What a hypervisor kept back over a whole test, whose points are too short for ticks of 10 ms.

use crate::accounts::ThreadAccounts;
use crate::linux_files::LinuxFiles;

/// Counts what a hypervisor keeps back from some processors.
#[derive(Clone, Debug)]
pub(in crate::memory) struct StealWatch {
    files: LinuxFiles,
    cpus: Vec<u32>,
    start: ThreadAccounts,
}

impl StealWatch {
    /// From now on.
    pub(in crate::memory) fn begin(cpus: impl IntoIterator<Item = u32>) -> Self {
        Self::of(LinuxFiles::of_this_machine(), cpus.into_iter().collect())
    }

    fn of(files: LinuxFiles, cpus: Vec<u32>) -> Self {
        let start = ThreadAccounts::now(&files);
        Self { files, cpus, start }
    }

    /// Share of the processors' time until now that it kept back.
    pub(in crate::memory) fn share(&self) -> f64 {
        self.share_at(&ThreadAccounts::now(&self.files))
    }

    fn share_at(&self, now: &ThreadAccounts) -> f64 {
        let stolen = self.cpus.iter();
        let stolen = stolen.map(|cpu| now.ticked(&self.start, *cpu, |ticks| ticks.stolen));
        let stolen: f64 = stolen.map(|time| time.as_secs_f64()).sum();
        super::share(
            stolen,
            now.elapsed(&self.start).as_secs_f64() * self.cpus.len() as f64,
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Ticks of 10 ms: 21 stolen ones of a second, of which the first may have begun before, of one processor of two.
    #[test]
    fn stolen_ticks_of_all_processors_are_a_share_of_their_time() {
        let root = tempfile::tempdir().expect("a folder");
        let set = |stolen: u64| {
            std::fs::create_dir_all(root.path().join("proc")).expect("a folder");
            let text = format!("cpu0 0 0 0 0 0 0 0 {stolen} 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\n");
            std::fs::write(root.path().join("proc/stat"), text).expect("a file");
        };
        set(5);
        let watch = StealWatch::of(LinuxFiles::below(root.path()), vec![0, 1]);
        let rate = rustix::param::clock_ticks_per_second();
        set(5 + rate / 5 + 1);
        let mut now = ThreadAccounts::now(&watch.files);
        now.before.at = watch.start.after.at + Duration::from_secs(1);
        assert!((watch.share_at(&now) - 0.1).abs() < 1e-9);
        set(5);
        assert_eq!(watch.share(), 0.0);
    }
}
