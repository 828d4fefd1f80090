//! What is refused, what is planned, how the kernel's answers are read, and one arena of this machine.

use super::obtained::{mapped_nodes, page_sizes};
use super::*;
use crate::memory::topology::{
    CpuPlace, HugePages, HugePool, MemoryLimits, NodeMemory, TransparentMode,
};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn node(node: u32, free_bytes: u64) -> NodeMemory {
    NodeMemory {
        node,
        cpus: vec![node],
        free_bytes,
        total_bytes: 16 * GIB,
    }
}

fn pool(page_bytes: u64, node: Option<u32>, free: u64) -> HugePool {
    HugePool {
        page_bytes,
        node,
        total: 64,
        free,
        surplus: 0,
    }
}

/// Two nodes with 8 GiB free each, 16 GiB available, and pools of 10 pages of 2 MiB and 1 page of 1 GiB.
fn machine() -> Topology {
    let place = |cpu| CpuPlace {
        cpu,
        node: cpu,
        core: cpu,
        socket: 0,
        smt: 0,
    };
    Topology {
        cpus: vec![place(0), place(1)],
        nodes: vec![node(0, 8 * GIB), node(1, 8 * GIB)],
        core_kinds: Vec::new(),
        caches: Vec::new(),
        limits: MemoryLimits {
            available_bytes: 16 * GIB,
            cgroup_bytes: None,
        },
        huge_pages: HugePages {
            pools: vec![
                pool(2 * MIB, None, 10),
                pool(GIB, None, 1),
                pool(2 * MIB, Some(0), 10),
                pool(GIB, Some(1), 1),
            ],
            transparent: Some(TransparentMode::Madvise),
            transparent_bytes: 2 * MIB,
        },
    }
}

fn planned_below(
    root: &std::path::Path,
    topology: &Topology,
    bytes: u64,
    pages: PageSize,
    node: Option<u32>,
) -> Result<ArenaPlan, ArenaError> {
    let request = ArenaRequest { bytes, pages, node };
    plan::plan(&request, topology, &LinuxFiles::below(root))
}

fn planned(
    topology: &Topology,
    bytes: u64,
    pages: PageSize,
    node: Option<u32>,
) -> Result<ArenaPlan, ArenaError> {
    planned_below(
        std::path::Path::new("/nowhere"),
        topology,
        bytes,
        pages,
        node,
    )
}

/// The words of a refusal.
fn refused(plan: Result<ArenaPlan, ArenaError>, words: &[&str]) {
    let error = plan.expect_err("it cannot be had").to_string();
    for word in words {
        assert!(error.contains(word), "no {word:?} in: {error}");
    }
}

#[test]
fn what_there_is_no_room_for_is_refused_with_what_fits() {
    let mut machine = machine();
    let base = |machine: &Topology, bytes| planned(machine, bytes, PageSize::Base, None);
    let plan = base(&machine, 5000).expect("it fits");
    assert_eq!(
        (plan.source, plan.bytes % plan.page_bytes),
        (ArenaPages::Base, 0)
    );
    assert!(plan.bytes >= 5000);
    assert!(base(&machine, 15 * GIB).is_ok());
    let words = [
        "16384 MiB cannot be mapped",
        "the machine has 16384 MiB left",
        "at most 15360 MiB",
    ];
    refused(base(&machine, 16 * GIB), &words);
    refused(base(&machine, 15 * GIB + 1), &["at most 15360 MiB"]);
    refused(base(&machine, u64::MAX), &["at most 15360 MiB"]);
    refused(base(&machine, u64::MAX / 2), &["at most 15360 MiB"]);
    refused(base(&machine, 0), &["0 bytes"]);
    machine.limits.cgroup_bytes = Some(GIB);
    let words = [
        "control group leaves 1024 MiB",
        "at most 960 MiB",
        "memory.max",
    ];
    refused(base(&machine, 2 * GIB), &words);
    assert!(base(&machine, 960 * MIB).is_ok());
    machine.limits.cgroup_bytes = Some(0);
    refused(base(&machine, 1), &["at most 0 KiB"]);
}

#[test]
fn a_node_bounds_what_is_on_it() {
    let machine = machine();
    let on = |node| planned(&machine, 10 * GIB, PageSize::Base, node);
    assert!(on(None).is_ok());
    refused(
        on(Some(1)),
        &["node 1 has 8192 MiB", "at most 7680 MiB", "another node"],
    );
    refused(on(Some(7)), &["node 7", "[0, 1]"]);
}

#[test]
fn a_kernel_that_promises_no_more_than_it_has_is_asked_how_much() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, text).expect("a file");
    };
    write("proc/sys/vm/overcommit_memory", "2\n");
    write(
        "proc/meminfo",
        "CommitLimit: 3145728 kB\nCommitted_AS: 1048576 kB\n",
    );
    let ask = |bytes| planned_below(folder.path(), &machine(), bytes, PageSize::Base, None);
    assert!(ask(GIB).is_ok());
    refused(
        ask(2 * GIB),
        &["vm.overcommit_memory=2 leaves 2048 MiB", "sysctl"],
    );
    write("proc/sys/vm/overcommit_memory", "1\n");
    assert!(ask(2 * GIB).is_ok());
}

#[test]
fn the_pool_comes_before_transparent_pages_and_only_where_it_suffices() {
    let mut machine = machine();
    let source = |machine: &Topology, bytes, node| {
        let plan = planned(machine, bytes, PageSize::Huge2M, node);
        plan.map(|plan| (plan.source, plan.bytes as u64))
    };
    let is = |found: Result<(ArenaPages, u64), ArenaError>, expected| {
        assert_eq!(found.expect("it can be had"), expected);
    };
    is(
        source(&machine, 20 * MIB, None),
        (ArenaPages::Pool, 20 * MIB),
    );
    is(
        source(&machine, 20 * MIB - 1, Some(0)),
        (ArenaPages::Pool, 20 * MIB),
    );
    is(
        source(&machine, 20 * MIB + 1, None),
        (ArenaPages::Transparent, 22 * MIB),
    );
    // The node has none, though the machine does.
    is(
        source(&machine, 2 * MIB, Some(1)),
        (ArenaPages::Transparent, 2 * MIB),
    );
    machine.huge_pages.pools[0].surplus = 1;
    is(
        source(&machine, 22 * MIB, None),
        (ArenaPages::Pool, 22 * MIB),
    );
    // Pages of the pool are none of the memory that is free.
    machine.limits.available_bytes = 0;
    is(
        source(&machine, 20 * MIB, None),
        (ArenaPages::Pool, 20 * MIB),
    );
    refused(
        planned(&machine, 24 * MIB, PageSize::Huge2M, None),
        &["at most 0 KiB"],
    );
    machine.limits.available_bytes = 16 * GIB;
    machine.huge_pages.transparent = None;
    let words = [
        "no 2 MiB pages",
        "10 of 64",
        "(absent)",
        "sysctl vm.nr_hugepages=20",
    ];
    refused(planned(&machine, 40 * MIB, PageSize::Huge2M, None), &words);
}

#[test]
fn pages_of_a_gibibyte_are_those_of_the_pool_or_none() {
    let mut machine = machine();
    let huge = |machine: &Topology, bytes, node| planned(machine, bytes, PageSize::Huge1G, node);
    let plan = huge(&machine, 3, None).expect("one page");
    assert_eq!((plan.source, plan.bytes as u64), (ArenaPages::Pool, GIB));
    let words = [
        "no 1 GiB pages for 2048 MiB",
        "1 of 64 pages of the pool are free",
        "echo 2 > /sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages",
    ];
    refused(huge(&machine, 2 * GIB, None), &words);
    let words = [
        "0 of them on node 0",
        "node/node0/hugepages/hugepages-1048576kB",
    ];
    refused(huge(&machine, GIB, Some(0)), &words);
    assert!(huge(&machine, GIB, Some(1)).is_ok());
    machine.huge_pages.pools.clear();
    refused(huge(&machine, GIB, None), &["no pool of them"]);
}

#[test]
fn transparent_pages_of_other_sizes_count_when_they_are_no_smaller() {
    let mut machine = machine();
    machine.huge_pages.pools.clear();
    let mut page_bytes = |transparent| {
        machine.huge_pages.transparent_bytes = transparent;
        let plan = planned(&machine, MIB, PageSize::Huge2M, None);
        plan.ok().map(|plan| plan.page_bytes as u64)
    };
    assert_eq!(page_bytes(32 * MIB), Some(32 * MIB));
    assert_eq!(page_bytes(512 * MIB), Some(2 * MIB));
    assert_eq!(page_bytes(MIB), None);
}

const SMAPS: &str = "\
1000-200000 rw-p 00000000 00:00 0 \nSize: 2044 kB\nKernelPageSize:        4 kB\nAnonHugePages:      2044 kB\nVmFlags: rd wr\n\
200000-800000 rw-p 00000000 00:00 0 [anon: arena]\nSize: 6144 kB\nKernelPageSize:        4 kB\nMMUPageSize: 4 kB\nRss: 6144 kB\nAnonHugePages:      4096 kB\nVmFlags: rd wr mr\n\
800000-c00000 rw-p 00000000 00:10 123 /anon_hugepage (deleted)\nSize: 4096 kB\nKernelPageSize:     2048 kB\nAnonHugePages: 0 kB\n";

#[test]
fn the_sizes_of_pages_are_those_of_the_areas_of_the_range() {
    let of = |first, bytes| page_sizes(SMAPS, first, bytes, 4096, 2 * MIB);
    assert_eq!(
        of(0x20_0000, 6 * MIB),
        Some(vec![(4096, 2 * MIB), (2 * MIB, 4 * MIB)])
    );
    assert_eq!(of(0x80_0000, 4 * MIB), Some(vec![(2 * MIB, 4 * MIB)]));
    assert_eq!(
        of(0x20_0000, 10 * MIB),
        Some(vec![(4096, 2 * MIB), (2 * MIB, 8 * MIB)])
    );
    // Not all of it is shown: no answer.
    assert_eq!(of(0x80_0000, 8 * MIB), None);
    assert_eq!(of(u64::MAX, 2), None);
    assert_eq!(page_sizes("", 0, 1, 4096, 2 * MIB), None);
}

#[test]
fn the_map_of_nodes_stands_in_where_the_call_is_forbidden() {
    let text = "\
1000 default anon=1 dirty=1 N0=1 kernelpagesize_kB=4
200000 prefer:1 anon=4 dirty=4 N0=1 N1=3 kernelpagesize_kB=4
900000 default anon=1 N0=8
";
    assert_eq!(mapped_nodes(text, 0x20_0000, MIB), [(0, 0.25), (1, 0.75)]);
    assert!(mapped_nodes(text, 0x1_0000_0000, MIB).is_empty());
    assert!(mapped_nodes("200000 N0=0 Nx=3 N=", 0x20_0000, MIB).is_empty());
}

#[test]
fn an_arena_of_base_pages_is_mapped_written_and_on_a_node() {
    let request = ArenaRequest {
        bytes: 8 * MIB - 5,
        pages: PageSize::Base,
        node: None,
    };
    let mut arena = Arena::map(&request).expect("8 MiB");
    let obtained = arena.obtained().clone();
    assert_eq!(obtained.page_bytes, PageSize::Base.bytes());
    assert_eq!(obtained.huge_share, 1.0);
    assert_eq!(obtained.node_share, None);
    let shares: f64 = obtained.nodes.iter().map(|one| one.1).sum();
    assert!(
        obtained.nodes.is_empty() || (shares - 1.0).abs() < 1e-9,
        "{obtained:?}"
    );
    assert_eq!(arena.bytes().len() as u64, request.bytes);
    // Each page holds something, and each something else.
    let page = PageSize::Base.bytes() as usize;
    let firsts = |arena: &Arena| -> std::collections::BTreeSet<Vec<u8>> {
        arena
            .bytes()
            .chunks(page)
            .map(|page| page[..8].to_vec())
            .collect()
    };
    let found = firsts(&arena);
    assert_eq!(found.len(), arena.bytes().len().div_ceil(page));
    assert!(!found.contains(&[0; 8][..]));
    let last = arena.bytes().len() - 1;
    arena.bytes_mut()[last] = 7;
    assert_eq!(arena.bytes()[last], 7);
    // What smaps says itself: every page of the range is there.
    let files = LinuxFiles::of_this_machine();
    let text = files.text("proc/self/smaps").unwrap_or_default();
    let first = arena.as_ptr().addr() as u64;
    assert!(first.is_multiple_of(PageSize::Base.bytes()));
    if !text.is_empty() {
        let start = format!("{first:x}-");
        let mut lines = text.lines().skip_while(|line| !line.starts_with(&start));
        let line = lines.find(|line| line.starts_with("Rss:"));
        let resident = line.and_then(|line| crate::linux_files::kibibytes(line, "Rss"));
        assert_eq!(resident, Some(8 * MIB));
    }
}

/// Two that lie side by side are counted each for itself.
#[test]
fn neighbours_are_kept_apart() {
    let request = ArenaRequest {
        bytes: 4 * MIB,
        pages: PageSize::Base,
        node: None,
    };
    let arenas: Vec<Arena> = (0..3)
        .map(|_| Arena::map(&request).expect("4 MiB"))
        .collect();
    let text = LinuxFiles::of_this_machine()
        .text("proc/self/smaps")
        .unwrap_or_default();
    for arena in &arenas {
        let first = arena.as_ptr().addr() as u64;
        let header = format!("{first:x}-{:x} ", first + 4 * MIB);
        assert!(text.is_empty() || text.contains(&header), "{header}");
    }
}

/// Whether they can be had depends on the machine; what is said of them does not.
#[test]
fn huge_pages_are_obtained_or_refused_by_name() {
    let request = ArenaRequest {
        bytes: 8 * MIB,
        pages: PageSize::Huge2M,
        node: None,
    };
    match Arena::map(&request) {
        Ok(arena) => {
            let obtained = arena.obtained();
            assert!(
                obtained.huge_share > 0.0 && obtained.huge_share <= 1.0,
                "{obtained:?}"
            );
            assert!(arena.as_ptr().addr().is_multiple_of(2 << 20));
        }
        Err(error) => assert!(error.to_string().contains("2 MiB pages"), "{error}"),
    }
    let request = ArenaRequest {
        pages: PageSize::Huge1G,
        bytes: 1 << 50,
        node: None,
    };
    let error = Arena::map(&request).expect_err("a pebibyte").to_string();
    assert!(
        error.contains("no 1 GiB pages") && error.contains("nr_hugepages"),
        "{error}"
    );
}

#[test]
fn the_only_node_of_a_machine_can_be_asked_for_and_others_not() {
    let topology = Topology::of_this_machine().expect("a machine");
    let node = topology.nodes[0].node;
    let request = |node| ArenaRequest {
        bytes: MIB,
        pages: PageSize::Base,
        node: Some(node),
    };
    let arena = Arena::map(&request(node)).expect("a MiB on the first node");
    assert!(arena.obtained().node_share.is_none_or(|share| share > 0.9));
    let error = Arena::map(&request(4_000_000_000))
        .expect_err("no such node")
        .to_string();
    assert!(error.contains("node 4000000000"), "{error}");
}

/// Run by hand: what a mapping of each kind takes, and what it obtains.
#[test]
#[ignore = "prints times, which no test asserts"]
fn what_an_arena_costs() {
    for pages in PageSize::ALL {
        for bytes in [8 * MIB, 512 * MIB, GIB] {
            let request = ArenaRequest {
                bytes,
                pages,
                node: Some(0),
            };
            let start = std::time::Instant::now();
            match Arena::map(&request) {
                Ok(arena) => eprintln!(
                    "{pages:?} {bytes}: {:?}, {:?}",
                    start.elapsed(),
                    arena.obtained()
                ),
                Err(error) => eprintln!("{pages:?} {bytes}: {error}"),
            }
        }
    }
    let request = ArenaRequest {
        bytes: 1 << 45,
        pages: PageSize::Base,
        node: None,
    };
    eprintln!("{}", Arena::map(&request).expect_err("32 TiB"));
}
