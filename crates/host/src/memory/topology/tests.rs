//! Machines that exist and odd ones, as folders.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// This machine with so many cores of so many hardware threads; the second threads have the numbers after all first ones.
pub(in crate::memory) fn machine(cores: u32, smt: u32) -> Topology {
    let place = |cpu| CpuPlace {
        cpu,
        node: 0,
        core: cpu % cores,
        socket: 0,
        smt: cpu / cores,
    };
    Topology {
        cpus: (0..cores * smt).map(place).collect(),
        ..Topology::of_this_machine().expect("it can be read")
    }
}

/// A machine of files.
struct FakeMachine(TempDir);

impl FakeMachine {
    /// Two processors, 8 GiB of memory, and nothing else.
    fn plain() -> Self {
        Self(TempDir::new().expect("a folder"))
            .with("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-1\n")
            .with("sys/devices/system/cpu/online", "0-1\n")
            .with(
                "proc/meminfo",
                "MemTotal: 8388608 kB\nMemFree: 4194304 kB\nMemAvailable: 6291456 kB\n",
            )
    }

    fn with(self, path: &str, text: &str) -> Self {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("a file");
        self
    }

    fn without(self, path: &str) -> Self {
        fs::remove_file(self.0.path().join(path)).expect("it was there");
        self
    }

    /// A control group of the first or second version at a place of the mount.
    fn group(self, place: &str, files: &[(&str, &str)]) -> Self {
        let with = |machine: Self, (name, text): &(&str, &str)| {
            machine.with(&format!("{place}/{name}"), text)
        };
        files.iter().fold(self, with)
    }

    fn v2(self, path: &str) -> Self {
        self.with("proc/self/cgroup", &format!("0::{path}\n")).with(
            "proc/self/mountinfo",
            "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
        )
    }

    fn read(&self) -> Topology {
        Topology::below(self.0.path()).expect("a machine")
    }

    fn left(&self) -> Option<u64> {
        self.read().limits.cgroup_bytes
    }
}

const GIB: u64 = 1 << 30;

#[test]
fn a_machine_without_folders_of_nodes_and_caches_is_one_node() {
    let machine = FakeMachine::plain().read();
    let numbers: Vec<u32> = machine.cpus.iter().map(|place| place.cpu).collect();
    assert_eq!(numbers, [0, 1]);
    let places: Vec<_> = machine.cpus.iter().map(|one| (one.core, one.smt)).collect();
    assert_eq!(places, [(0, 0), (1, 0)]);
    assert_eq!(machine.nodes.len(), 1);
    assert_eq!(machine.nodes[0].cpus, [0, 1]);
    assert_eq!(machine.nodes[0].total_bytes, 8 * GIB);
    assert_eq!(machine.last_level_bytes(), None);
    assert_eq!(machine.all_last_level_bytes(), None);
    assert_eq!(machine.limits.available_bytes, 6 * GIB);
    assert_eq!(machine.limits.cgroup_bytes, None);
    assert_eq!(machine.usable_bytes(), 6 * GIB - 6 * GIB / 16);
    assert_eq!(machine.huge_pages.transparent, None);
    assert!(machine.huge_pages.pools.is_empty());
}

#[test]
fn processors_that_are_off_or_not_allowed_are_left_out() {
    let machine = FakeMachine::plain()
        .with("proc/self/status", "Cpus_allowed_list:\t1-3,8\n")
        .with("sys/devices/system/cpu/online", "0-2,8\n");
    let numbers = |machine: &FakeMachine| -> Vec<u32> {
        machine.read().cpus.iter().map(|place| place.cpu).collect()
    };
    assert_eq!(numbers(&machine), [1, 2, 8]);
    // Without the list of those that are on, each says so for itself; the first often cannot be switched off.
    let machine = machine
        .without("sys/devices/system/cpu/online")
        .with("sys/devices/system/cpu/cpu1/uevent", "")
        .with("sys/devices/system/cpu/cpu2/online", "0\n")
        .with("sys/devices/system/cpu/cpu3/online", "1\n")
        .with("sys/devices/system/cpu/cpufreq/boost", "1\n");
    assert_eq!(numbers(&machine), [1, 3]);
    let machine = machine.without("proc/self/status");
    assert_eq!(numbers(&machine), [1, 3]);
}

#[test]
fn a_folder_that_describes_nothing_is_an_error_that_names_the_files() {
    let empty = TempDir::new().expect("a folder");
    let error = Topology::below(empty.path())
        .expect_err("no processors")
        .to_string();
    for word in ["cpu/online", "proc/self/status", "mounted?"] {
        assert!(error.contains(word), "{error}");
    }
    let machine = FakeMachine::plain().with("proc/meminfo", "MemTotal: many\n");
    let error = Topology::below(machine.0.path())
        .expect_err("no memory")
        .to_string();
    assert!(error.contains("proc/meminfo"), "{error}");
}

/// Two sockets of two cores with two threads each, as Intel numbers them: siblings are four apart.
fn two_sockets() -> FakeMachine {
    let mut machine = FakeMachine::plain()
        .with(
            "proc/self/status",
            "Cpus_allowed_list:\t0-7\nMems_allowed_list:\t0-3\n",
        )
        .with("sys/devices/system/cpu/online", "0-7\n");
    for cpu in 0..8_u32 {
        let (core, socket) = (cpu % 4, cpu % 4 / 2);
        let folder = format!("sys/devices/system/cpu/cpu{cpu}");
        let (siblings, neighbours) = (
            format!("{core},{}\n", core + 4),
            format!(
                "{}-{},{}-{}\n",
                socket * 2,
                socket * 2 + 1,
                socket * 2 + 4,
                socket * 2 + 5
            ),
        );
        machine = machine
            .with(
                &format!("{folder}/topology/physical_package_id"),
                &format!("{socket}\n"),
            )
            .with(
                &format!("{folder}/topology/thread_siblings_list"),
                &siblings,
            );
        let caches = [
            (0, "1", "Data", "48K", &siblings),
            (1, "1", "Instruction", "32K", &siblings),
            (2, "2", "Unified", "2048K", &siblings),
            (3, "3", "Unified", "32768K", &neighbours),
        ];
        for (index, level, kind, size, shared) in caches {
            let index = format!("{folder}/cache/index{index}");
            machine = machine
                .with(&format!("{index}/level"), level)
                .with(&format!("{index}/type"), kind)
                .with(&format!("{index}/size"), size)
                .with(&format!("{index}/ways_of_associativity"), "16")
                .with(&format!("{index}/coherency_line_size"), "64")
                .with(&format!("{index}/shared_cpu_list"), shared);
        }
    }
    for (node, cpus, total) in [
        (0, "0-1,4-5", 4096),
        (1, "2-3,6-7", 4096),
        (2, "", 1024),
        (3, "", 0),
    ] {
        let folder = format!("sys/devices/system/node/node{node}");
        let memory = format!(
            "Node {node} MemTotal: {total} kB\nNode {node} MemFree: 256 kB\nNode {node} Inactive(file): 512 kB\n"
        );
        machine = machine
            .with(&format!("{folder}/cpulist"), &format!("{cpus}\n"))
            .with(&format!("{folder}/meminfo"), &memory);
    }
    machine
}

#[test]
fn siblings_sockets_nodes_and_caches_are_told_apart() {
    let machine = two_sockets().read();
    let six = machine.cpus[6];
    assert_eq!(
        (six.cpu, six.core, six.smt, six.socket, six.node),
        (6, 2, 1, 1, 1)
    );
    assert_eq!(machine.one_cpu_a_core(), [0, 1, 2, 3]);
    // Four first levels, four second, two third; none for instructions.
    let levels: Vec<u8> = machine.caches.iter().map(|cache| cache.level).collect();
    assert_eq!(levels, [1, 1, 1, 1, 2, 2, 2, 2, 3, 3]);
    assert_eq!(machine.caches[0].bytes, 48 << 10);
    assert_eq!(machine.caches[9].shared_by, [2, 3, 6, 7]);
    assert_eq!(machine.last_level_bytes(), Some(32 << 20));
    assert_eq!(machine.all_last_level_bytes(), Some(64 << 20));
    // The node of memory alone is one; that without memory is none.
    let nodes: Vec<u32> = machine.nodes.iter().map(|one| one.node).collect();
    assert_eq!(nodes, [0, 1, 2]);
    assert!(machine.nodes[2].cpus.is_empty());
    assert_eq!(machine.nodes[1].cpus, [2, 3, 6, 7]);
    assert_eq!(machine.nodes[1].free_bytes, 512 << 10);
}

#[test]
fn a_cpuset_hides_nodes_and_siblings() {
    let machine = two_sockets()
        .with(
            "proc/self/status",
            "Cpus_allowed_list:\t5-7\nMems_allowed_list:\t1\n",
        )
        .read();
    assert_eq!(machine.one_cpu_a_core(), [5, 6, 7]);
    assert_eq!((machine.cpus[0].core, machine.cpus[0].smt), (1, 1));
    assert_eq!(machine.nodes.len(), 1);
    assert_eq!(
        (machine.nodes[0].node, machine.nodes[0].cpus.as_slice()),
        (1, &[6, 7][..])
    );
}

#[test]
fn the_tightest_limit_up_the_tree_counts() {
    let top = "sys/fs/cgroup";
    let outer = "sys/fs/cgroup/user.slice";
    let inner = "sys/fs/cgroup/user.slice/job";
    let machine = FakeMachine::plain().v2("/user.slice/job");
    assert_eq!(machine.left(), None);
    let machine = machine
        .group(top, &[("memory.stat", "anon 1\n")])
        .group(
            outer,
            &[("memory.max", "max\n"), ("memory.current", "77\n")],
        )
        .group(inner, &[("memory.max", "max\n"), ("memory.high", "max\n")]);
    assert_eq!(machine.left(), None);
    let machine = machine.group(
        inner,
        &[
            ("memory.max", "4294967296\n"),
            ("memory.current", "1073741824\n"),
            (
                "memory.stat",
                "anon 536870912\ninactive_file 536870912\nactive_file 4096\n",
            ),
        ],
    );
    // A limit of 4 GiB, of which half a GiB is in use and another half can be dropped.
    assert_eq!(machine.left(), Some(4 * GIB - GIB / 2));
    let machine = machine.group(inner, &[("memory.high", "2147483648\n")]);
    assert_eq!(machine.left(), Some(2 * GIB - GIB / 2));
    let machine = machine.group(outer, &[("memory.max", "1073741824\n")]);
    assert_eq!(machine.left(), Some(GIB - 77));
    assert_eq!(machine.read().usable_bytes(), GIB - 77 - (64 << 20));
    // More in use than allowed, as after a limit was lowered.
    let machine = machine.group(
        outer,
        &[("memory.max", "4096\n"), ("memory.current", "9999\n")],
    );
    assert_eq!(machine.left(), Some(0));
    assert_eq!(machine.read().usable_bytes(), 0);
}

#[test]
fn groups_of_the_first_version_have_their_own_words() {
    let machine = FakeMachine::plain()
        .with(
            "proc/self/cgroup",
            "4:memory:/docker/7/a\n3:cpuset:/\n2:cpu,cpuacct:/docker/7\n0::/\n",
        )
        .with(
            "proc/self/mountinfo",
            "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n\
             35 31 0:32 /docker/7 /sys/fs/cgroup/mem\\040ory rw - cgroup cgroup rw,memory\n\
             36 31 0:33 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
        )
        .group(
            "sys/fs/cgroup/mem ory",
            &[
                ("memory.limit_in_bytes", "3221225472\n"),
                ("memory.usage_in_bytes", "1073741824\n"),
            ],
        )
        .group(
            "sys/fs/cgroup/mem ory/a",
            &[
                ("memory.limit_in_bytes", "9223372036854771712\n"),
                ("memory.usage_in_bytes", "1\n"),
            ],
        )
        .group(
            "sys/fs/cgroup/cpu/docker/7",
            &[
                ("cpu.cfs_quota_us", "150000\n"),
                ("cpu.cfs_period_us", "100000\n"),
            ],
        );
    assert_eq!(machine.left(), Some(2 * GIB));
    assert_eq!(processor_quota(machine.0.path()), Some(1.5));
    let machine = machine.group(
        "sys/fs/cgroup/mem ory",
        &[("memory.stat", "total_inactive_file 1024\n")],
    );
    assert_eq!(machine.left(), Some(2 * GIB + 1024));
    let machine = machine.group(
        "sys/fs/cgroup/cpu/docker/7",
        &[("cpu.cfs_quota_us", "-1\n")],
    );
    assert_eq!(processor_quota(machine.0.path()), None);
}

/// The largest number of pages that a register holds stands for no limit.
#[test]
fn a_group_of_the_first_version_without_a_limit_has_none() {
    let machine = FakeMachine::plain()
        .with("proc/self/cgroup", "4:memory:/\n")
        .with(
            "proc/self/mountinfo",
            "35 31 0:32 / /sys/fs/cgroup rw - cgroup cgroup rw,memory\n",
        )
        .group(
            "sys/fs/cgroup",
            &[("memory.limit_in_bytes", "9223372036854771712\n")],
        );
    assert_eq!(machine.left(), None);
}

/// A container that does not see the path of the host takes the mount for its group.
#[test]
fn a_group_that_cannot_be_found_is_that_of_the_mount() {
    for path in ["/docker/7", "/../../system.slice", "/..", ""] {
        let machine = FakeMachine::plain().v2(path).group(
            "sys/fs/cgroup",
            &[
                ("memory.max", "1073741824\n"),
                ("memory.current", "1\n"),
                ("cpu.max", "50000 100000\n"),
            ],
        );
        assert_eq!(machine.left(), Some(GIB - 1), "{path}");
        assert_eq!(processor_quota(machine.0.path()), Some(0.5));
        let folder = pressure_folder(&LinuxFiles::below(machine.0.path()));
        assert_eq!(folder.as_deref(), Some("sys/fs/cgroup"));
    }
    let machine = FakeMachine::plain()
        .v2("/")
        .group("sys/fs/cgroup", &[("cpu.max", "max 100000\n")]);
    assert_eq!(processor_quota(machine.0.path()), None);
}

#[test]
fn pools_of_every_size_and_node_are_read() {
    let pool = |machine: FakeMachine, folder: &str, total: &str, free: &str| {
        machine
            .with(&format!("{folder}/nr_hugepages"), total)
            .with(&format!("{folder}/free_hugepages"), free)
    };
    let machines = "sys/kernel/mm/hugepages";
    let machine = pool(
        FakeMachine::plain(),
        &format!("{machines}/hugepages-1048576kB"),
        "3\n",
        "2\n",
    );
    let machine = pool(
        machine,
        &format!("{machines}/hugepages-2048kB"),
        "64\n",
        "32\n",
    )
    .with(
        &format!("{machines}/hugepages-2048kB/resv_hugepages"),
        "8\n",
    )
    .with(
        &format!("{machines}/hugepages-2048kB/nr_overcommit_hugepages"),
        "4\n",
    )
    .with(
        &format!("{machines}/hugepages-2048kB/surplus_hugepages"),
        "1\n",
    )
    .with(&format!("{machines}/hugepages-xkB/free_hugepages"), "8\n")
    .with(&format!("{machines}/hugepages-3kB/free_hugepages"), "8\n");
    let node = "sys/devices/system/node/node0";
    let machine = pool(
        machine,
        &format!("{node}/hugepages/hugepages-2048kB"),
        "16",
        "12",
    )
    .with(
        "sys/kernel/mm/transparent_hugepage/enabled",
        "always madvise [never]\n",
    )
    .with(
        "sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
        "33554432\n",
    );
    let pages = machine.read().huge_pages;
    let sizes: Vec<_> = pages
        .pools
        .iter()
        .map(|pool| (pool.page_bytes, pool.node))
        .collect();
    assert_eq!(sizes, [(2 << 20, None), (GIB, None), (2 << 20, Some(0))]);
    assert_eq!(pages.free_in_pool(2 << 20, None), 24);
    assert_eq!(pages.pools[0].surplus, 3);
    assert_eq!(pages.free_in_pool(2 << 20, Some(0)), 12);
    assert_eq!(pages.free_in_pool(GIB, None), 2);
    assert_eq!(pages.free_in_pool(GIB, Some(0)), 0);
    assert_eq!(pages.transparent, Some(TransparentMode::Never));
    assert_eq!(pages.transparent_bytes, 32 << 20);
    for (text, mode) in [
        ("[always] madvise never", Some(TransparentMode::Always)),
        ("always [madvise] never", Some(TransparentMode::Madvise)),
        ("[sometimes]", None),
    ] {
        let machine = FakeMachine::plain().with("sys/kernel/mm/transparent_hugepage/enabled", text);
        assert_eq!(machine.read().huge_pages.transparent, mode, "{text}");
    }
}

#[test]
fn the_pool_of_meminfo_stands_in_for_a_missing_folder() {
    let memory = "MemTotal: 8 kB\nMemAvailable: 4 kB\nHugePages_Total: 9\nHugePages_Free: 7\nHugePages_Rsvd: 2\nHugepagesize: 2048 kB\n";
    let machine = FakeMachine::plain().with("proc/meminfo", memory);
    assert_eq!(machine.read().huge_pages.free_in_pool(2 << 20, None), 5);
}

#[test]
fn a_small_machine_keeps_a_quarter_and_a_large_one_a_sixteenth() {
    assert_eq!(headroom(0), 0);
    assert_eq!(headroom(100 << 20), 25 << 20);
    assert_eq!(headroom(512 << 20), 64 << 20);
    assert_eq!(headroom(64 * GIB), 4 * GIB);
    for free in [1, 3, 4097, u64::MAX] {
        assert!(headroom(free) < free);
    }
}

#[test]
fn this_machine_is_described_and_a_thread_can_be_bound() {
    let machine = Topology::of_this_machine().expect("a machine");
    assert!(machine.usable_bytes() > 0);
    let cpu = machine.cpus.last().expect("a processor").cpu;
    let bound = std::thread::spawn(move || {
        pin_to(cpu).expect("it is allowed");
        system::affinity().expect("a set")
    });
    assert_eq!(bound.join().expect("it ends"), [cpu]);
    for absent in [8_191, 65_535, 65_536, u32::MAX] {
        let error = pin_to(absent).expect_err("it is not there").to_string();
        assert!(
            error.contains(&absent.to_string()) && error.contains("allowed:"),
            "{error}"
        );
    }
}

/// The files that are read, each of which may hold anything.
const FILES: [&str; 26] = [
    "proc/meminfo",
    "proc/self/status",
    "proc/self/cgroup",
    "proc/self/mountinfo",
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/cpu0/topology/core_cpus_list",
    "sys/devices/system/cpu/cpu0/topology/physical_package_id",
    "sys/devices/system/cpu/cpu0/cache/index0/type",
    "sys/devices/system/cpu/cpu0/cache/index0/level",
    "sys/devices/system/cpu/cpu0/cache/index0/size",
    "sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list",
    "sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size",
    "sys/devices/system/node/node0/meminfo",
    "sys/devices/system/node/node0/cpulist",
    "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages",
    "sys/kernel/mm/hugepages/hugepages-2048kB/resv_hugepages",
    "sys/kernel/mm/transparent_hugepage/enabled",
    "sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
    "sys/fs/cgroup/memory.max",
    "sys/fs/cgroup/memory.current",
    "sys/fs/cgroup/memory.stat",
    "sys/fs/cgroup/cpu.max",
    "sys/fs/cgroup/memory.limit_in_bytes",
    "proc/stat",
    "proc/thread-self/stat",
    "proc/pressure/cpu",
];

/// Pieces of such files, so that random ones go deep.
fn odd_text() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&'static [u8]> = vec![
        b"MemTotal:",
        b"MemAvailable:",
        b"MemFree:",
        b"Node 0 ",
        b" kB\n",
        b"\n",
        b" ",
        b"0",
        b"18446744073709551615",
        b"-1",
        b"0-4294967295",
        b"0-1",
        b",",
        b"max",
        b"[always]",
        b"Cpus_allowed_list:",
        b"Mems_allowed_list:",
        b"0::/",
        b"4:memory:/a/..",
        b"1 2 0:3 / /sys/fs/cgroup rw - cgroup2 x rw\n",
        b"1 2 0:3 / \\057\\999 rw - cgroup x memory\n",
        b"Data",
        b"Unified",
        b"999999999999K",
        b"G",
        b"inactive_file ",
        b"cpu0 ",
        b"cpu ",
        b"some total=",
        b")",
        b"\xff\xfe",
        b"\0",
        "\u{e4}".as_bytes(),
        b"HugePages_Total: 1\nHugepagesize: 9007199254740992 kB\n",
    ];
    let piece = proptest::sample::select(pieces).prop_map(<[u8]>::to_vec);
    let noise = proptest::collection::vec(any::<u8>(), 0..12);
    proptest::collection::vec(prop_oneof![6 => piece, 1 => noise], 0..10)
        .prop_map(|all| all.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_text_of_a_file_is_a_panic(texts in proptest::collection::vec(odd_text(), FILES.len())) {
        let folder = TempDir::new().expect("a folder");
        for (path, text) in FILES.iter().zip(&texts) {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("folders");
            fs::write(path, text).expect("a file");
        }
        if let Ok(topology) = Topology::below(folder.path()) {
            prop_assert!(!topology.cpus.is_empty() && !topology.nodes.is_empty());
            prop_assert!(topology.usable_bytes() <= topology.limits.free_bytes());
            prop_assert!(topology.last_level_bytes() <= topology.all_last_level_bytes());
        }
        let _ = processor_quota(folder.path());
        let ledger = crate::memory::ledger::Ledger::below(folder.path());
        let reading = ledger.end();
        for share in [reading.steal_share, reading.other_cpu_share] {
            prop_assert!((0.0..=1.0).contains(&share), "{reading:?}");
        }
    }
}

#[test]
fn unequal_cores_have_their_kinds_and_equal_ones_none() {
    let plain = FakeMachine::plain();
    assert_eq!(plain.read().core_kinds, []);
    let hybrid = plain
        .with("sys/devices/cpu_core/cpus", "0\n")
        .with("sys/devices/cpu_atom/cpus", "1-3\n");
    let read = hybrid.read();
    let kinds: Vec<_> = read
        .core_kinds
        .iter()
        .map(|kind| (kind.name.as_str(), &kind.cpus[..]))
        .collect();
    // Those that may not be used are left out.
    assert_eq!(kinds, [("cpu_core", &[0][..]), ("cpu_atom", &[1])]);
    assert_eq!(
        read.kind_of(1).map(|kind| kind.name.as_str()),
        Some("cpu_atom")
    );
    let capacity = |cpu| format!("sys/devices/system/cpu/cpu{cpu}/cpu_capacity");
    let arm = |one, other| {
        let machine = FakeMachine::plain().with(&capacity(0), one);
        machine.with(&capacity(1), other).read().core_kinds
    };
    assert_eq!(arm("1024\n", "1024\n"), []);
    let kinds = arm("512\n", "1024\n");
    assert_eq!(kinds[0].name, "capacity 1024");
    assert_eq!(
        (&kinds[0].cpus[..], &kinds[1].cpus[..]),
        (&[1][..], &[0][..])
    );
}

#[test]
fn memory_begins_at_four_times_what_the_threads_caches_hold() {
    let mut topology = FakeMachine::plain().read();
    assert_eq!(topology.beyond_caches_bytes(1), None);
    let cache = |shared_by| CacheLevel {
        level: 3,
        bytes: 32 << 20,
        ways: 16,
        line_bytes: 64,
        shared_by,
    };
    topology.caches = vec![cache(vec![0]), cache(vec![1])];
    let of = |threads| {
        topology
            .beyond_caches_bytes(threads)
            .map(|bytes| bytes >> 20)
    };
    assert_eq!([0, 1, 2, 64].map(of), [128, 128, 256, 256].map(Some));
}
