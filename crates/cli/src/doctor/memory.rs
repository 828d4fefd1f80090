//! What measurements of memory need of the host, and the command that provides what is missing.
//!
//! Everything is read below a root folder, so that tests build hosts of their own.

use std::fs;
use std::path::Path;

use wordline_host::memory::ledger::steal_since_start;
use wordline_host::memory::topology::{Topology, TransparentMode, processor_quota};

use super::linux::{fact, judged, unknown};
use super::{DoctorState, Finding};

/// Everything that is looked at.
pub(super) fn findings(root: &Path) -> Vec<Finding> {
    let host = HostDescription { root };
    let topology = match root == Path::new("/") {
        true => Topology::of_this_machine(),
        false => Topology::below(root),
    };
    let mut findings = Vec::new();
    match topology {
        Ok(topology) => {
            findings.push(usable(&topology));
            findings.push(huge_pages(&topology));
            findings.push(last_cache(&topology));
            findings.push(cores(&topology));
            findings.extend(host.numa(&topology));
        }
        Err(error) => findings.push(Finding {
            found: error.to_string(),
            ..unknown("memory", "processors and memory")
        }),
    }
    findings.extend(quota(root));
    findings.extend(host.siblings());
    findings.extend(host.turbo());
    findings.push(stolen(root));
    findings.push(host.pressure());
    findings.push(host.swap());
    findings.push(host.locked());
    findings.push(host.io_uring());
    findings.push(host.power());
    findings
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    match bytes as f64 / f64::from(1 << 30) {
        gibibytes if gibibytes >= 1.0 => format!("{gibibytes:.1} GiB"),
        gibibytes => format!("{:.0} MiB", gibibytes * 1024.0),
    }
}

fn usable(topology: &Topology) -> Finding {
    let limits = &topology.limits;
    let group = limits
        .cgroup_bytes
        .filter(|left| *left < limits.available_bytes);
    let of = group.map_or_else(
        || format!("of {} available", size(limits.available_bytes)),
        |left| format!("of {} that the control group has left", size(left)),
    );
    judged(
        "memory",
        "usable memory",
        group.is_none(),
        format!("{} {of}", size(topology.usable_bytes())),
        "raise the group's limit: memory.max, or memory.limit_in_bytes in version 1",
    )
}

fn huge_pages(topology: &Topology) -> Finding {
    let pages = &topology.huge_pages;
    let free = |bytes| pages.free_in_pool(bytes, None);
    let (two, giga) = (free(2 << 20), free(1 << 30));
    let transparent = pages.transparent;
    let can = transparent.is_some_and(|mode| mode != TransparentMode::Never);
    judged(
        "memory",
        "huge pages",
        can || two > 0,
        format!(
            "reserved and free: {two} of 2 MiB, {giga} of 1 GiB; transparent: {}",
            transparent.map_or("absent", TransparentMode::name)
        ),
        "latency will include TLB misses; as root: sysctl vm.nr_hugepages=512",
    )
}

fn last_cache(topology: &Topology) -> Finding {
    let one = topology.last_level_bytes().map(size);
    let all = topology.all_last_level_bytes().map(size);
    let found = one.zip(all).map(|(one, all)| match one == all {
        true => one,
        false => format!("{one}, {all} in all"),
    });
    fact("memory", "last-level cache", found)
}

fn cores(topology: &Topology) -> Finding {
    let (cores, cpus) = (topology.one_cpu_a_core().len(), topology.cpus.len());
    judged(
        "memory",
        "cores",
        cores > 1,
        format!("{cores} usable, with {cpus} hardware threads"),
        "latency under load needs two: widen the cpuset or affinity, or give the machine more",
    )
}

fn quota(root: &Path) -> Option<Finding> {
    let quota = processor_quota(root)?;
    Some(judged(
        "memory",
        "processor quota",
        false,
        format!("{quota:.2} processors"),
        "beyond it all threads stand still: raise cpu.max (version 1: cpu.cfs_quota_us)",
    ))
}

fn stolen(root: &Path) -> Finding {
    let Some(share) = steal_since_start(root) else {
        return unknown("timing", "stolen time");
    };
    judged(
        "timing",
        "stolen time",
        share < 0.01,
        format!("{:.2} % since the start", share * 100.0),
        "other guests take processor time: measure at another hour, or on dedicated cores",
    )
}

/// The files of a host.
struct HostDescription<'a> {
    root: &'a Path,
}

impl HostDescription<'_> {
    fn text(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.root.join(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    fn numa(&self, topology: &Topology) -> Option<Finding> {
        let moves = self.text("proc/sys/kernel/numa_balancing")?;
        let several = topology.nodes.len() > 1;
        Some(judged(
            "memory",
            "NUMA balancing",
            moves == "0" || !several,
            match (moves.as_str(), several) {
                ("0", _) => "off",
                (_, true) => "on",
                (_, false) => "on, with one node",
            }
            .to_owned(),
            "the kernel moves pages between nodes; as root: sysctl kernel.numa_balancing=0",
        ))
    }

    fn siblings(&self) -> Option<Finding> {
        let active = self.text("sys/devices/system/cpu/smt/active")?;
        Some(judged(
            "timing",
            "SMT",
            active != "1",
            if active == "1" { "on" } else { "off" }.to_owned(),
            "siblings share caches; as root: echo off > /sys/devices/system/cpu/smt/control",
        ))
    }

    fn turbo(&self) -> Option<Finding> {
        let folder = "sys/devices/system/cpu";
        let forbidden = self.text(&format!("{folder}/intel_pstate/no_turbo"));
        let allowed = self.text(&format!("{folder}/cpufreq/boost"));
        let (on, advice) = match (forbidden, allowed) {
            (Some(forbidden), _) => (
                forbidden == "0",
                "clocks change with heat; as root: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo",
            ),
            (None, Some(allowed)) => (
                allowed == "1",
                "clocks change with heat; as root: echo 0 > /sys/devices/system/cpu/cpufreq/boost",
            ),
            (None, None) => return None,
        };
        let found = if on { "on" } else { "off" }.to_owned();
        Some(judged("timing", "turbo", !on, found, advice))
    }

    fn pressure(&self) -> Finding {
        let there = self.text("proc/pressure/memory").is_some();
        Finding {
            area: "timing",
            check: "pressure accounts",
            state: match there {
                true => DoctorState::Good,
                false => DoctorState::Missing,
            },
            found: if there { "kept" } else { "none" }.to_owned(),
            advice: match there {
                true => "",
                false => "grades go without them; boot with psi=1 (Linux 4.20 and later)",
            },
        }
    }

    fn swap(&self) -> Finding {
        let Some(table) = self.text("proc/swaps") else {
            return unknown("memory", "swap");
        };
        let count = table.lines().skip(1).count();
        judged(
            "memory",
            "swap",
            count == 0,
            match count {
                0 => "none".to_owned(),
                count => format!("{count} in use"),
            },
            "pages may leave the memory while it is measured; as root: swapoff -a",
        )
    }

    /// The soft limit of `/proc/self/limits`: `Max locked memory  8388608  8388608  bytes`.
    fn locked(&self) -> Finding {
        const ENOUGH: u64 = 8 << 20;
        let limits = self.text("proc/self/limits").unwrap_or_default();
        let mut lines = limits.lines();
        let soft = lines.find_map(|line| line.strip_prefix("Max locked memory"));
        let Some(soft) = soft.and_then(|line| line.split_whitespace().next()) else {
            return unknown("storage", "locked memory");
        };
        let bytes: Option<u64> = soft.parse().ok();
        judged(
            "storage",
            "locked memory",
            soft == "unlimited" || bytes.is_some_and(|bytes| bytes >= ENOUGH),
            bytes.map_or_else(|| soft.to_owned(), size),
            "io_uring registers buffers within it (Linux before 5.12 its rings too): ulimit -l unlimited",
        )
    }

    /// `io_uring_disabled` is there since Linux 6.6.
    fn io_uring(&self) -> Finding {
        let Some(disabled) = self.text("proc/sys/kernel/io_uring_disabled") else {
            return fact(
                "storage",
                "io_uring",
                Some("not stated before Linux 6.6".to_owned()),
            );
        };
        judged(
            "storage",
            "io_uring",
            disabled == "0",
            match disabled.as_str() {
                "0" => "allowed",
                "1" => "allowed to one group",
                _ => "disabled",
            }
            .to_owned(),
            "storage falls back to pread; as root: sysctl kernel.io_uring_disabled=0",
        )
    }

    /// Counters of energy: RAPL, which Intel and AMD have under one name.
    fn power(&self) -> Finding {
        let folder = self.root.join("sys/class/powercap");
        let zones = fs::read_dir(folder).into_iter().flatten();
        let counters = zones.filter_map(|zone| {
            let path = zone.ok()?.path().join("energy_uj");
            path.exists().then_some(path)
        });
        let counters: Vec<_> = counters.collect();
        let readable = counters
            .iter()
            .filter(|path| fs::read(path).is_ok())
            .count();
        if counters.is_empty() {
            return Finding {
                area: "power",
                check: "energy counters (RAPL)",
                state: DoctorState::Missing,
                found: "none".to_owned(),
                advice: "",
            };
        }
        judged(
            "power",
            "energy counters (RAPL)",
            readable > 0,
            format!("{readable} of {} readable", counters.len()),
            "as root: chmod a+r /sys/class/powercap/*/energy_uj",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host of files, on which nothing limits anything.
    fn quiet() -> Vec<(&'static str, &'static str)> {
        vec![
            ("proc/self/status", "Cpus_allowed_list:\t0-1\n"),
            ("sys/devices/system/cpu/online", "0-1\n"),
            (
                "proc/meminfo",
                "MemTotal: 8388608 kB\nMemAvailable: 6291456 kB\n",
            ),
            (
                "sys/kernel/mm/transparent_hugepage/enabled",
                "always [madvise] never\n",
            ),
            ("proc/sys/kernel/numa_balancing", "1\n"),
            ("sys/devices/system/cpu/smt/active", "0\n"),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"),
            ("proc/stat", "cpu  100 0 0 100 0 0 0 1 0 0\n"),
            ("proc/pressure/memory", "some total=0\n"),
            ("proc/swaps", "Filename Type Size Used Priority\n"),
            (
                "proc/self/limits",
                "Max locked memory         unlimited            unlimited            bytes\n",
            ),
            ("proc/sys/kernel/io_uring_disabled", "0\n"),
            ("sys/class/powercap/intel-rapl:0/energy_uj", "17\n"),
        ]
    }

    fn found(files: &[(&str, &str)]) -> Vec<Finding> {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, text).expect("a file");
        }
        findings(folder.path())
    }

    fn limits(findings: &[Finding]) -> Vec<&'static str> {
        let limits =
            |one: &&Finding| one.state != DoctorState::Good && one.state != DoctorState::Fact;
        let mut names: Vec<_> = findings
            .iter()
            .filter(limits)
            .map(|one| one.check)
            .collect();
        names.retain(|name| *name != "last-level cache");
        names
    }

    #[test]
    fn a_quiet_host_has_no_limits_and_each_odd_file_is_one() {
        assert!(
            limits(&found(&quiet())).is_empty(),
            "{:?}",
            limits(&found(&quiet()))
        );
        let cases = [
            (
                "huge pages",
                "sys/kernel/mm/transparent_hugepage/enabled",
                "always madvise [never]\n",
                "sysctl vm.nr_hugepages",
            ),
            (
                "cores",
                "proc/self/status",
                "Cpus_allowed_list:\t1\n",
                "two",
            ),
            (
                "SMT",
                "sys/devices/system/cpu/smt/active",
                "1\n",
                "smt/control",
            ),
            (
                "turbo",
                "sys/devices/system/cpu/intel_pstate/no_turbo",
                "0\n",
                "no_turbo",
            ),
            (
                "stolen time",
                "proc/stat",
                "cpu  50 0 0 40 0 0 0 10 0 0\n",
                "guests",
            ),
            (
                "swap",
                "proc/swaps",
                "Filename Type\n/dev/sda2 partition 1 0 -2\n",
                "swapoff",
            ),
            (
                "locked memory",
                "proc/self/limits",
                "Max locked memory  65536  65536  bytes\n",
                "ulimit -l",
            ),
            (
                "io_uring",
                "proc/sys/kernel/io_uring_disabled",
                "2\n",
                "sysctl kernel.io_uring_disabled=0",
            ),
        ];
        for (check, path, text, advice) in cases {
            let mut files = quiet();
            files.push((path, text));
            let findings = found(&files);
            assert_eq!(limits(&findings), [check]);
            let one = findings
                .iter()
                .find(|one| one.check == check)
                .expect("it is there");
            assert!(one.advice.contains(advice), "{}", one.advice);
        }
    }

    #[test]
    fn groups_and_nodes_limit_a_host() {
        let mut files = quiet();
        files.extend([
            ("proc/self/cgroup", "0::/\n"),
            (
                "proc/self/mountinfo",
                "1 2 0:3 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            ),
            ("sys/fs/cgroup/memory.max", "1073741824\n"),
            ("sys/fs/cgroup/cpu.max", "50000 100000\n"),
            (
                "sys/devices/system/node/node0/meminfo",
                "Node 0 MemTotal: 4 kB\n",
            ),
            (
                "sys/devices/system/node/node1/meminfo",
                "Node 1 MemTotal: 4 kB\n",
            ),
        ]);
        let findings = found(&files);
        assert_eq!(
            limits(&findings),
            ["usable memory", "NUMA balancing", "processor quota"]
        );
        assert_eq!(
            findings[0].found,
            "960 MiB of 1.0 GiB that the control group has left"
        );
    }

    #[test]
    fn an_empty_host_is_described_without_a_panic() {
        let findings = found(&[("proc/x", "")]);
        assert!(limits(&findings).contains(&"pressure accounts"));
        assert!(findings.iter().any(|one| one.found.contains("mounted?")));
        let findings = found(&[
            ("proc/self/limits", "Max locked memory"),
            ("proc/swaps", ""),
        ]);
        assert!(findings.len() > 5);
    }
}
