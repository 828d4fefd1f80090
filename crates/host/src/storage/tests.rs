//! Jobs on files of the machine that runs the tests, and devices of made-up machines.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::ops::ControlFlow;
use std::os::unix::fs::{FileExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::content::{AccessPlan, WordStream, stamp};
use super::device::{self, DeviceNumbers};
use super::*;
use crate::in_use::KernelPaths;

const SIZE: u64 = 4096;
const RANGE: u64 = 64 * SIZE;

fn job() -> StorageJob {
    StorageJob {
        access_bytes: SIZE,
        range_bytes: RANGE,
        order: AddressOrder::Random,
        read_share: 0.0,
        depth: 1,
        pace: AccessPace::Closed,
        flush: None,
        calls: None,
        accesses_max: Some(500),
        time_max_ns: None,
        seed: 7,
    }
}

fn request(writes: bool) -> PlaceRequest {
    PlaceRequest {
        writes,
        direct: false,
        may_destroy: false,
        access_bytes: SIZE,
        range_bytes: Some(RANGE),
        new_file_bytes: 0,
        seed: 7,
    }
}

fn open(path: &Path, request: &PlaceRequest) -> Result<StoragePlace, StorageError> {
    StoragePlace::open(path, request, &AtomicBool::new(false), &mut |_, _| {})
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a place for files")
}

/// A file that was written in full.
fn written(folder: &tempfile::TempDir, bytes: u64) -> PathBuf {
    let path = folder.path().join("written");
    fs::write(&path, vec![0xa5; bytes as usize]).expect("room");
    File::open(&path)
        .and_then(|file| file.sync_all())
        .expect("the disk takes it");
    path
}

fn run(place: &StoragePlace, job: &StorageJob) -> (StorageRun, Vec<StorageAccess>) {
    let mut all = Vec::new();
    let stop = AtomicBool::new(false);
    let run = measure(place, job, &stop, &mut |chunk| {
        all.extend_from_slice(chunk);
        ControlFlow::Continue(())
    });
    (run.expect("the job runs"), all)
}

/// Every way to make accesses here; a machine without io_uring has the others.
fn all_calls() -> Vec<StorageCalls> {
    let folder = folder();
    let place = open(&folder.path().join("probe"), &request(true)).expect("a file");
    let job = StorageJob {
        accesses_max: Some(1),
        ..job()
    };
    match run(&place, &job).0.calls {
        StorageCalls::Uring => vec![StorageCalls::Uring, StorageCalls::Pread],
        StorageCalls::Pread => vec![StorageCalls::Pread],
    }
}

#[test]
fn accesses_of_every_kind_come_in_the_order_of_their_ends() {
    let folder = folder();
    for calls in all_calls() {
        for depth in [1, 8] {
            for read_share in [0.0, 0.5, 1.0] {
                let place = open(&folder.path().join("new"), &request(true)).expect("a file");
                let job = StorageJob {
                    calls: Some(calls),
                    depth,
                    read_share,
                    ..job()
                };
                let (run, all) = run(&place, &job);
                assert_eq!((run.calls, run.accesses), (calls, 500));
                assert_eq!(all.len(), 500);
                assert!(all.is_sorted_by_key(|one| one.end_ns));
                assert!(all.iter().all(|one| one.start_ns <= one.end_ns
                    && one.intended_ns == one.start_ns
                    && one.offset.is_multiple_of(SIZE)
                    && one.offset < RANGE));
                let reads = all
                    .iter()
                    .filter(|one| one.operation == StorageOperation::Read)
                    .count();
                let expected = match read_share {
                    0.0 => 0..=0,
                    1.0 => 500..=500,
                    _ => 180..=320,
                };
                assert!(expected.contains(&reads), "{reads} reads");
                assert_eq!(run.elapsed_ns, all.last().expect("some").end_ns);
                if depth == 1 {
                    // One after the other without a gap but for handovers: what counts as duration is the time.
                    assert!(all.windows(2).all(|two| two[1].start_ns >= two[0].end_ns));
                    assert_eq!(all[0].start_ns, all[0].intended_ns);
                }
            }
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_accesses_whatever_makes_them() {
    let folder = folder();
    let mut of_first: Option<Vec<(StorageOperation, u64)>> = None;
    for calls in all_calls() {
        let place = open(&folder.path().join("new"), &request(true)).expect("a file");
        let job = StorageJob {
            calls: Some(calls),
            read_share: 0.3,
            ..job()
        };
        let (_, all) = run(&place, &job);
        let made: Vec<_> = all.iter().map(|one| (one.operation, one.offset)).collect();
        let first = of_first.get_or_insert_with(|| made.clone());
        assert_eq!(&made, first);
    }
}

#[test]
fn writes_reach_the_file_and_no_two_sectors_are_alike() {
    let folder = folder();
    for calls in all_calls() {
        let path = written(&folder, RANGE);
        let request = PlaceRequest {
            may_destroy: true,
            ..request(true)
        };
        let place = open(&path, &request).expect("its owner gave it up");
        let job = StorageJob {
            order: AddressOrder::Sequential,
            depth: 4,
            accesses_max: Some(64),
            calls: Some(calls),
            ..job()
        };
        let (_, all) = run(&place, &job);
        let offsets: HashSet<u64> = all.iter().map(|one| one.offset).collect();
        assert_eq!(offsets.len(), 64);
        let bytes = fs::read(&path).expect("it is there");
        assert_eq!(bytes.len() as u64, RANGE);
        let sectors: HashSet<&[u8]> = bytes.chunks(512).collect();
        assert_eq!(sectors.len(), bytes.len() / 512);
        // Random bytes: each value about as often as any other.
        let mut counts = [0_u32; 256];
        for byte in &bytes {
            counts[usize::from(*byte)] += 1;
        }
        let mean = bytes.len() as u32 / 256;
        assert!(counts.iter().all(|count| count.abs_diff(mean) < mean / 4));
    }
}

#[test]
fn a_flush_belongs_to_the_write_before_it() {
    let folder = folder();
    for calls in all_calls() {
        for depth in [1, 4] {
            let place = open(&folder.path().join("new"), &request(true)).expect("a file");
            let job = StorageJob {
                flush: Some((5, FlushCall::DataSync)),
                accesses_max: Some(50),
                calls: Some(calls),
                depth,
                ..job()
            };
            let (run, all) = run(&place, &job);
            assert_eq!(run.accesses, 50);
            let syncs: Vec<usize> = (0..all.len())
                .filter(|index| all[*index].operation == StorageOperation::Sync)
                .collect();
            assert_eq!(syncs.len(), 10);
            for index in syncs {
                let write = all[index + 1];
                assert_eq!(write.operation, StorageOperation::Write);
                assert_eq!(write.end_ns, all[index].end_ns);
                assert!(write.start_ns <= all[index].start_ns);
            }
        }
    }
}

#[test]
fn an_open_loop_counts_from_the_intended_start() {
    let folder = folder();
    for calls in all_calls() {
        for depth in [1, 4] {
            let place = open(&folder.path().join("new"), &request(true)).expect("a file");
            let interval_ns = 200_000.5;
            let job = StorageJob {
                pace: AccessPace::Open { interval_ns },
                accesses_max: Some(100),
                calls: Some(calls),
                depth,
                ..job()
            };
            let (run, mut all) = run(&place, &job);
            assert_eq!(run.accesses, 100);
            all.sort_by_key(|one| one.intended_ns);
            for (index, one) in all.iter().enumerate() {
                assert_eq!(one.intended_ns, (index as f64 * interval_ns) as u64);
                assert!(one.start_ns >= one.intended_ns);
            }
            // It did not run ahead of its rate.
            assert!(run.elapsed_ns >= (99.0 * interval_ns) as u64);
        }
    }
}

#[test]
fn a_slow_access_delays_those_behind_it_and_they_say_so() {
    let folder = folder();
    // A rate that no storage has: intended starts lie in front of the starts by ever more.
    let place = open(&folder.path().join("new"), &request(true)).expect("a file");
    let job = StorageJob {
        pace: AccessPace::Open { interval_ns: 10.0 },
        flush: Some((1, FlushCall::DataSync)),
        accesses_max: Some(30),
        ..job()
    };
    let (_, all) = run(&place, &job);
    let late = |one: &StorageAccess| one.start_ns - one.intended_ns;
    let writes: Vec<u64> = all
        .iter()
        .filter(|one| one.operation == StorageOperation::Write)
        .map(late)
        .collect();
    assert!(
        writes.is_sorted() && writes[29] > writes[0] + 29_000,
        "{writes:?}"
    );
}

#[test]
fn a_time_and_a_stop_end_a_run() {
    let folder = folder();
    let place = open(&folder.path().join("new"), &request(true)).expect("a file");
    let timed = StorageJob {
        accesses_max: None,
        time_max_ns: Some(20_000_000),
        ..job()
    };
    let (ran, all) = run(&place, &timed);
    assert!(ran.accesses as usize == all.len() && !all.is_empty());
    assert!(all.iter().all(|one| one.start_ns < 20_000_000));
    let stop = AtomicBool::new(false);
    let endless = StorageJob {
        accesses_max: None,
        time_max_ns: Some(3_600_000_000_000),
        ..job()
    };
    let mut taken = 0;
    let ran = measure(&place, &endless, &stop, &mut |chunk| {
        taken += chunk.len();
        stop.store(true, Ordering::Relaxed);
        ControlFlow::Continue(())
    });
    let ran = ran.expect("what was done stays");
    assert!(ran.is_stopped && ran.accesses as usize == taken);
    let mut chunks = 0;
    let broken = measure(&place, &endless, &AtomicBool::new(false), &mut |_| {
        chunks += 1;
        ControlFlow::Break(())
    });
    assert!(chunks >= 1 && broken.is_ok_and(|run| run.is_stopped));
    let stopped = measure(&place, &endless, &stop, &mut |_| ControlFlow::Continue(()));
    assert!(matches!(stopped, Err(StorageError::Stopped)));
}

#[test]
fn a_new_file_has_no_name_while_it_is_measured_and_is_written_in_full() {
    let folder = folder();
    let path = folder.path().join("new");
    let mut steps = Vec::new();
    let place = StoragePlace::open(
        &path,
        &request(true),
        &AtomicBool::new(false),
        &mut |done, all| steps.push((done, all)),
    )
    .expect("a file");
    assert!(!path.exists() && place.facts().is_made);
    assert_eq!(steps.last(), Some(&(RANGE, RANGE)));
    let mut bytes = Vec::new();
    place
        .file
        .try_clone()
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .expect("readable");
    assert_eq!(bytes.len() as u64, RANGE);
    assert!(
        bytes
            .chunks(512)
            .all(|sector| sector.iter().any(|byte| *byte != 0))
    );
    assert!(!place.is_removed());
    // Another stop while it is written leaves nothing.
    let stopped = StoragePlace::open(
        &path,
        &request(true),
        &AtomicBool::new(true),
        &mut |_, _| {},
    );
    assert!(matches!(stopped, Err(StorageError::Stopped)));
    assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0);
}

#[test]
fn what_exists_is_written_only_where_its_owner_says_so() {
    let folder = folder();
    let path = written(&folder, RANGE);
    let before = fs::read(&path).expect("it is there");
    let refused = open(&path, &request(true)).expect_err("refused");
    assert!(refused.to_string().contains("--destroy"), "{refused}");
    let place = open(&path, &request(false)).expect("reads destroy nothing");
    let job = StorageJob {
        read_share: 1.0,
        ..job()
    };
    run(&place, &job);
    drop(place);
    assert_eq!(fs::read(&path).expect("it is there"), before);
    fs::remove_file(&path).expect("ours");
}

#[test]
fn a_file_that_is_removed_meanwhile_is_noticed() {
    let folder = folder();
    let path = written(&folder, RANGE);
    let place = open(&path, &request(false)).expect("readable");
    assert!(!place.is_removed());
    fs::remove_file(&path).expect("ours");
    assert!(place.is_removed());
    fs::write(&path, b"another").expect("room");
    assert!(place.is_removed());
}

#[test]
fn a_file_that_is_cut_meanwhile_names_the_access() {
    let folder = folder();
    for calls in all_calls() {
        let path = written(&folder, RANGE);
        let place = open(&path, &request(false)).expect("readable");
        let file = File::options().write(true).open(&path).expect("ours");
        file.set_len(10 * SIZE + 100).expect("shorter");
        let job = StorageJob {
            read_share: 1.0,
            order: AddressOrder::Sequential,
            calls: Some(calls),
            depth: 4,
            ..job()
        };
        let mut taken = 0;
        let cut = measure(&place, &job, &AtomicBool::new(false), &mut |chunk| {
            taken += chunk.len();
            ControlFlow::Continue(())
        });
        let message = cut.expect_err("it is too short").to_string();
        assert!(message.contains("shortened meanwhile"), "{message}");
        // Threads may end in another order.
        assert!((7..14).contains(&taken), "{taken}");
    }
}

#[test]
fn reads_of_holes_are_refused_and_writes_fill_them_before() {
    let folder = folder();
    let path = folder.path().join("holes");
    let file = File::create(&path).expect("room");
    file.write_all_at(&[1; SIZE as usize], 0).expect("room");
    file.set_len(RANGE).expect("room");
    if rustix::fs::seek(&file, rustix::fs::SeekFrom::Hole(0)) == Ok(RANGE) {
        // A file system without holes.
        return;
    }
    let refused = open(&path, &request(false));
    let Err(StorageError::Hole { at, .. }) = refused else {
        panic!("not refused: {refused:?}");
    };
    assert_eq!(at, SIZE);
    let request = PlaceRequest {
        may_destroy: true,
        ..request(true)
    };
    drop(open(&path, &request).expect("its owner gave it up"));
    let bytes = fs::read(&path).expect("it is there");
    assert!(
        bytes
            .chunks(512)
            .all(|sector| sector.iter().any(|byte| *byte != 0))
    );
}

#[test]
fn what_is_no_storage_is_refused_by_name() {
    let folder = folder();
    let message =
        |path: &Path, request: &PlaceRequest| open(path, request).expect_err("refused").to_string();
    assert!(message(folder.path(), &request(false)).contains("a folder"));
    assert!(message(Path::new("/dev/null"), &request(false)).contains("character device"));
    let pipe = folder.path().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .expect("a pipe");
    assert!(message(&pipe, &request(false)).contains("a pipe"));
    assert!(message(&folder.path().join("no/such"), &request(true)).contains("opened"));
    symlink("nowhere", folder.path().join("link")).expect("a link");
    assert!(message(&folder.path().join("link"), &request(true)).contains("opened"));
    if Path::new("/proc/self/comm").exists() {
        assert!(message(Path::new("/proc/self/comm"), &request(false)).contains("stores nothing"));
    }
    let short = written(&folder, RANGE - SIZE);
    assert!(message(&short, &request(false)).contains("up to 258048 B"));
    let huge = PlaceRequest {
        range_bytes: Some(1 << 60),
        ..request(true)
    };
    let full = message(&folder.path().join("huge"), &huge);
    assert!(full.contains("B free"), "{full}");
    assert!(!folder.path().join("huge").exists());
}

#[test]
fn direct_accesses_need_a_disk_below_and_whole_sectors() {
    let folder = folder();
    let direct = |request: PlaceRequest| PlaceRequest {
        direct: true,
        ..request
    };
    let path = folder.path().join("new");
    match open(&path, &direct(request(true))) {
        Ok(place) => {
            assert!(place.facts().alignment_bytes >= 512);
            run(&place, &job());
            drop(place);
            let odd = PlaceRequest {
                access_bytes: 1000,
                ..direct(request(true))
            };
            let message = open(&path, &odd).expect_err("unaligned").to_string();
            assert!(message.contains("multiples of"), "{message}");
            assert!(!path.exists());
        }
        // Where temporary files lie in RAM.
        Err(error) => assert!(matches!(error, StorageError::NoDirect { .. }), "{error}"),
    }
    let in_ram = Path::new("/dev/shm");
    if in_ram.is_dir() {
        let name = format!("wordline-direct-{}", std::process::id());
        let message = open(&in_ram.join(&name), &direct(request(true)));
        let message = message.expect_err("RAM").to_string();
        assert!(message.contains("tmpfs has no direct I/O"), "{message}");
        assert!(message.contains("--buffered"), "{message}");
        assert!(!in_ram.join(name).exists());
    }
}

#[test]
fn jobs_that_cannot_be_are_refused_with_what_is_allowed() {
    let refused = |job: StorageJob| job.check().expect_err("refused").to_string();
    assert!(
        refused(StorageJob {
            access_bytes: 0,
            ..job()
        })
        .contains("allowed: 1 B to")
    );
    assert!(refused(StorageJob { depth: 0, ..job() }).contains("allowed: 1 to 4096"));
    assert!(
        refused(StorageJob {
            depth: 4097,
            ..job()
        })
        .contains("allowed: 1 to 4096")
    );
    let large = StorageJob {
        access_bytes: 1 << 20,
        range_bytes: 1 << 30,
        depth: 4096,
        ..job()
    };
    assert!(refused(large).contains("allowed: 1 to 1024"));
    assert!(
        refused(StorageJob {
            range_bytes: SIZE - 1,
            ..job()
        })
        .contains("at least one access")
    );
    assert!(
        refused(StorageJob {
            read_share: 1.5,
            ..job()
        })
        .contains("0 to 1")
    );
    assert!(
        refused(StorageJob {
            flush: Some((0, FlushCall::Sync)),
            ..job()
        })
        .contains("1 and more")
    );
    assert!(
        refused(StorageJob {
            accesses_max: None,
            ..job()
        })
        .contains("a time or a total")
    );
    assert!(
        refused(StorageJob {
            accesses_max: Some(0),
            ..job()
        })
        .contains("at least one")
    );
    assert!(
        refused(StorageJob {
            time_max_ns: Some(0),
            ..job()
        })
        .contains("above 0 s")
    );
    for interval_ns in [0.0, f64::INFINITY, f64::NAN, -1.0, 1e20] {
        let pace = AccessPace::Open { interval_ns };
        assert!(refused(StorageJob { pace, ..job() }).contains("1 ns to 1 h"));
    }
}

#[test]
fn addresses_are_as_likely_as_any_other_and_follow_the_seed() {
    let job = job();
    let mut plan = AccessPlan::of(&job);
    let mut counts = [0_u32; 64];
    for _ in 0..64_000 {
        counts[(plan.next().1 / SIZE) as usize] += 1;
    }
    assert!(
        counts.iter().all(|count| (800..1200).contains(count)),
        "{counts:?}"
    );
    let other = StorageJob {
        seed: 8,
        ..job.clone()
    };
    let first = |job: &StorageJob| {
        let mut plan = AccessPlan::of(job);
        (0..20).map(|_| plan.next().1).collect::<Vec<_>>()
    };
    assert_ne!(first(&job), first(&other));
    let mut words = WordStream::of(1, 1);
    let mut odd = [0; 1003];
    words.fill(&mut odd);
    stamp(&mut odd, &mut words);
    assert!(odd.iter().filter(|byte| **byte == 0).count() < 30);
}

#[test]
fn a_kernel_without_rings_says_why() {
    let why = |errno: rustix::io::Errno| calls::no_uring(&errno.into());
    assert_eq!(why(rustix::io::Errno::NOSYS), NoUring::Missing);
    assert!(matches!(
        why(rustix::io::Errno::PERM),
        NoUring::Forbidden | NoUring::Disabled(1..)
    ));
    let other = why(rustix::io::Errno::NOMEM).to_string();
    assert!(other.contains("cannot be set up"), "{other}");
}

/// A machine that is a folder.
struct MadeUpMachine {
    _folder: tempfile::TempDir,
    places: KernelPaths,
    numbers: DeviceNumbers,
}

impl MadeUpMachine {
    /// A disk with two partitions, of which the second is asked for.
    fn new() -> Self {
        let folder = folder();
        let places = KernelPaths {
            sys: folder.path().join("sys"),
            proc: folder.path().join("proc"),
        };
        let machine = Self {
            places,
            numbers: DeviceNumbers { major: 8, minor: 2 },
            _folder: folder,
        };
        let disk = machine.places.sys.join("devices/virtual/sda");
        for (name, dev, is_part) in [
            ("", "8:0", false),
            ("sda1", "8:1", true),
            ("sda2", "8:2", true),
        ] {
            let at = disk.join(name);
            fs::create_dir_all(at.join("holders")).expect("room");
            fs::write(at.join("dev"), format!("{dev}\n")).expect("room");
            if is_part {
                fs::write(at.join("partition"), "1\n").expect("room");
            }
            for (class, link) in [
                ("class/block", at.file_name().expect("named").to_owned()),
                ("dev/block", dev.into()),
            ] {
                let class = machine.places.sys.join(class);
                fs::create_dir_all(&class).expect("room");
                symlink(&at, class.join(link)).expect("a link");
            }
        }
        fs::create_dir_all(machine.places.sys.join("block")).expect("room");
        machine.proc("self/mountinfo", "22 1 0:21 / /proc rw - proc proc rw\n");
        machine
    }

    fn proc(&self, name: &str, text: &str) {
        let path = self.places.proc.join(name);
        fs::create_dir_all(path.parent().expect("inside")).expect("room");
        fs::write(path, text).expect("room");
    }

    fn user(&self) -> Option<BlockDeviceUse> {
        let device = Path::new("/dev/sda2");
        device::user(&self.places, device, self.numbers).expect("readable")
    }
}

#[test]
fn a_device_in_use_is_found_by_whatever_uses_it() {
    let machine = MadeUpMachine::new();
    assert_eq!(machine.user(), None);
    // By its numbers, whatever the mount calls it; a neighbouring partition is another's.
    machine.proc(
        "self/mountinfo",
        "30 1 8:2 / /data\\040x rw - ext4 /dev/root rw\n",
    );
    assert_eq!(
        machine.user(),
        Some(BlockDeviceUse::Mounted {
            device: "sda2".to_owned(),
            at: "/data x".to_owned()
        })
    );
    machine.proc(
        "self/mountinfo",
        "30 1 8:1 / /boot rw - ext4 /dev/sda1 rw\n",
    );
    assert_eq!(machine.user(), None);
    // In a mount namespace of another process, and by the name alone, as of btrfs.
    machine.proc(
        "77/mountinfo",
        "31 1 0:44 / /inside rw - btrfs /dev/sda2 rw\n",
    );
    assert!(matches!(
        machine.user(),
        Some(BlockDeviceUse::Mounted { .. })
    ));
    machine.proc("77/mountinfo", "");
    // The whole disk is used: so is its partition.
    machine.proc("self/mountinfo", "30 1 8:0 / /all rw - xfs /dev/sda rw\n");
    assert_eq!(
        machine.user(),
        Some(BlockDeviceUse::Mounted {
            device: "sda".to_owned(),
            at: "/all".to_owned()
        })
    );
    machine.proc("self/mountinfo", "");
    machine.proc("swaps", "Filename Type\n/dev/sda2 partition 1 0 -2\n");
    assert!(matches!(machine.user(), Some(BlockDeviceUse::Swap { .. })));
    machine.proc("swaps", "Filename Type\n/dev/sda22 partition 1 0 -2\n");
    assert_eq!(machine.user(), None);
    let holder = machine.places.sys.join("class/block/sda2/holders/md0");
    fs::write(&holder, "").expect("room");
    assert_eq!(
        machine.user(),
        Some(BlockDeviceUse::Held {
            device: "sda2".to_owned(),
            by: "md0".to_owned()
        })
    );
    fs::remove_file(holder).expect("ours");
    fs::create_dir_all(machine.places.proc.join("88/fd")).expect("room");
    machine.proc("88/comm", "dd\n");
    symlink("/dev/sda2", machine.places.proc.join("88/fd/3")).expect("a link");
    assert_eq!(
        machine.user(),
        Some(BlockDeviceUse::Open {
            device: "sda2".to_owned(),
            process: "88 (dd)".to_owned()
        })
    );
}

#[test]
fn a_disk_is_in_use_where_a_partition_of_it_is() {
    let mut machine = MadeUpMachine::new();
    machine.numbers = DeviceNumbers { major: 8, minor: 0 };
    assert_eq!(machine.user(), None);
    machine.proc(
        "self/mountinfo",
        "30 1 8:1 / /boot rw - ext4 /dev/sda1 rw\n",
    );
    assert_eq!(
        machine.user(),
        Some(BlockDeviceUse::Mounted {
            device: "sda1".to_owned(),
            at: "/boot".to_owned()
        })
    );
    fs::write(
        machine.places.sys.join("devices/virtual/sda/size"),
        "2048\n",
    )
    .expect("room");
    assert_eq!(
        DeviceNumbers { major: 8, minor: 1 }.attribute(&machine.places, "size"),
        Some("2048".to_owned())
    );
}

/// What a mounted loop device holds is lost with the file behind it, by whichever name the file is given.
#[test]
fn a_file_behind_a_loop_device_is_in_use() {
    use super::place::backs;

    let machine = MadeUpMachine::new();
    let folder = tempfile::tempdir().expect("room");
    let (image, other) = (folder.path().join("disk.img"), folder.path().join("other"));
    fs::write(&image, "x").expect("room");
    fs::write(&other, "x").expect("room");
    let link = folder.path().join("link");
    fs::hard_link(&image, &link).expect("one file system");
    let device = machine.places.sys.join("block/loop3/loop");
    fs::create_dir_all(&device).expect("room");
    let named = format!("{}\n", image.display());
    fs::write(device.join("backing_file"), named).expect("room");
    let of = |path: &Path| {
        let found = fs::metadata(path).expect("it is there");
        backs(&machine.places, path, &found)
    };
    for path in [&image, &link] {
        let by = of(path).expect("it is in use").to_string();
        assert!(by.ends_with("is what loop3 stands on"), "{by}");
    }
    assert_eq!(of(&other), None);
    // A file that was removed meanwhile has no name that leads to it.
    let gone = format!("{} (deleted)\n", image.display());
    fs::write(device.join("backing_file"), gone).expect("room");
    assert_eq!(of(&image), None);
}
