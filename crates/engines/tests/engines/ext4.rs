//! The traffic of ext4: each recorded case gives the recorded requests, and files hold what was written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use wordline_engines::{
    Ext4, Ext4Options, FileChange, FileSystem, FsError, FsErrorKind, Handle, MetadataKind, Open,
    PatternCase, Shared, TrafficPattern, VolatileFiles,
};
use wordline_memory::BlockDevice;

const SECTOR: usize = 512;
const BLOCK: u64 = 4096;

/// Blocks of the journal on a device of 1 GiB.
const JOURNAL: std::ops::Range<u64> = 131_072..131_072 + 8192;

/// A disk that keeps what was written, and the requests.
#[derive(Default)]
struct RequestedDisk {
    sectors: BTreeMap<u64, Vec<u8>>,
    count: u64,
    /// First block and blocks; of a flush none.
    requests: Vec<Option<(u64, u64)>>,
}

impl RequestedDisk {
    fn new(bytes: u64) -> Shared<Self> {
        Shared::new(Self {
            count: bytes / SECTOR as u64,
            ..Self::default()
        })
    }
}

impl BlockDevice for RequestedDisk {
    type Error = String;

    fn sector_bytes(&self) -> usize {
        SECTOR
    }

    fn sectors(&self) -> u64 {
        self.count
    }

    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), String> {
        for (sector, out) in (sector..).zip(out.chunks_mut(SECTOR)) {
            match self.sectors.get(&sector) {
                Some(bytes) => out.copy_from_slice(bytes),
                None => out.fill(0xEE),
            }
        }
        Ok(())
    }

    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), String> {
        let end = sector + (data.len() / SECTOR) as u64;
        assert!(end <= self.count, "{sector} to {end} of {}", self.count);
        let place = sector * SECTOR as u64;
        self.requests
            .push(Some((place / BLOCK, data.len() as u64 / BLOCK)));
        for (sector, data) in (sector..).zip(data.chunks(SECTOR)) {
            self.sectors.insert(sector, data.to_vec());
        }
        Ok(())
    }

    fn trim(&mut self, _: u64, _: u64) -> Result<(), String> {
        Ok(())
    }

    fn flush(&mut self) -> Result<(), String> {
        self.requests.push(None);
        Ok(())
    }
}

fn fresh(bytes: u64) -> (Shared<RequestedDisk>, Ext4) {
    let disk = RequestedDisk::new(bytes);
    Ext4::format(disk.clone().into()).expect("room");
    let fs = Ext4::mount(disk.clone().into(), Ext4Options::default()).expect("it was formatted");
    (disk, fs)
}

/// Makes a call of the recording.
fn call(fs: &mut Ext4, open: &mut BTreeMap<String, Handle>, text: &str) {
    let words: Vec<&str> = text.split(' ').collect();
    let number = |at: usize| words[at].parse::<u64>().expect("a number");
    let path = words[1];
    let file = open.get(path).copied();
    let file = || file.expect("it is open");
    let done = match words[0] {
        "mkdir" => fs.create_dir(path),
        "create" => {
            let created = fs.open(path, Open::Create);
            created.map(|file| {
                open.insert(path.to_owned(), file);
            })
        }
        "write" => fs.write(file(), number(2), &vec![7; number(3) as usize]),
        "truncate" => fs.truncate(file(), number(2)),
        "sync-data" => fs.sync_data(file()),
        "sync-all" => fs.sync(file()),
        "sync-names" => fs.sync_dir(path),
        // Linux has these with open files.
        "rename" => fs.close(file()).and_then(|()| {
            fs.rename(path, words[2])?;
            open.insert(words[2].to_owned(), fs.open(words[2], Open::Write)?);
            Ok(())
        }),
        "remove" => fs.close(file()).and_then(|()| fs.remove(path)),
        other => panic!("no call {other}"),
    };
    done.unwrap_or_else(|error| panic!("{text}: {error}"));
}

/// The requests of a case, in the recording's words, and what its sync put into the journal.
fn replayed(case: &PatternCase) -> (Vec<String>, BTreeSet<MetadataKind>) {
    let (disk, mut fs) = fresh(1 << 30);
    let mut open = BTreeMap::new();
    for text in &case.setup {
        call(&mut fs, &mut open, text);
    }
    // What the journal has of the setup is written in place.
    fs.unmount().expect("room");
    let mut fs = Ext4::mount(disk.clone().into(), Ext4Options::default()).expect("unmounted");
    for (path, file) in &mut open {
        *file = fs.open(path, Open::Write).expect("it is there");
    }
    disk.borrow().requests.clear();
    for text in &case.calls {
        call(&mut fs, &mut open, text);
    }
    let mut after_journal = false;
    let words = |request: &Option<(u64, u64)>| {
        let Some((block, count)) = request else {
            return "flush".to_owned();
        };
        let is_journal = JOURNAL.contains(block);
        let kind = match is_journal {
            false => "data",
            true if after_journal => "commit",
            true => "journal",
        };
        after_journal |= is_journal;
        format!("{kind} {}", count * BLOCK)
    };
    let requests = std::mem::take(&mut disk.borrow().requests);
    let steps: Vec<_> = requests.iter().map(words).collect();
    // The unmount writes committed blocks to their places. Blocks that were not committed do not belong to the case.
    if !steps.iter().any(|step| step.starts_with("commit")) {
        return (steps, BTreeSet::new());
    }
    fs.unmount().expect("room");
    let requests = std::mem::take(&mut disk.borrow().requests);
    let written = requests.iter().flatten();
    let blocks = written.flat_map(|(first, count)| *first..first + count);
    let homes = blocks.filter(|block| *block < TABLE && !JOURNAL.contains(block));
    let kinds: Vec<_> = homes.map(kind_of).collect();
    let distinct: BTreeSet<_> = kinds.iter().copied().collect();
    assert_eq!(kinds.len(), distinct.len(), "{}: {kinds:?}", case.name);
    // The journal's super block says that it is empty, behind a flush.
    let emptied = requests
        .iter()
        .position(|request| *request == Some((JOURNAL.start, 1)));
    let emptied = emptied.expect("the journal is emptied");
    assert_eq!(requests[emptied - 1], None, "{requests:?}");
    (steps, distinct)
}

/// The table of the emulation, behind all data.
const TABLE: u64 = 262_144 - 4096;

/// What a block of a device of 1 GiB holds: 8 groups of 8192 inodes of 256 B each, and a directory `/d` that was made first,
/// with the twelfth inode and the first block of the data. Files with more than twenty before them have another block of inodes.
fn kind_of(block: u64) -> MetadataKind {
    match block {
        0 => MetadataKind::SuperBlock,
        1 => MetadataKind::GroupDescriptors,
        2..10 => MetadataKind::BlockBitmap,
        10..18 => MetadataKind::InodeBitmap,
        18 => MetadataKind::ParentInode,
        19..4114 => MetadataKind::Inode,
        4114 => MetadataKind::ParentDirectory,
        _ => MetadataKind::Directory,
    }
}

#[test]
fn every_recorded_sync_gives_its_requests() {
    let pattern = TrafficPattern::recorded();
    let synced = |case: &&PatternCase| case.calls.iter().any(|call| call.starts_with("sync"));
    let cases: Vec<_> = pattern.cases.iter().filter(synced).collect();
    assert!(cases.len() >= 25, "{}", cases.len());
    for case in cases {
        let (steps, journals) = replayed(case);
        assert_eq!(steps, case.steps, "{}", case.name);
        let recorded: BTreeSet<_> = case.journals.iter().copied().collect();
        assert_eq!(journals, recorded, "{}", case.name);
    }
}

const CHANGES: [FileChange; 10] = [
    FileChange::Nothing,
    FileChange::Overwrite,
    FileChange::Grow,
    FileChange::Allocate,
    FileChange::Truncate,
    FileChange::Create,
    FileChange::Rename,
    FileChange::Remove,
    FileChange::RemoveEmpty,
    FileChange::MakeDirectory,
];

/// Makes a change, the first or the second; returns the file that is synced then.
fn make(
    change: FileChange,
    number: usize,
    path: String,
    fs: &mut Ext4,
    open: &mut BTreeMap<String, Handle>,
) -> String {
    let bytes = fs.entry(&path).expect("it is there").bytes;
    let (text, then) = match change {
        FileChange::Nothing => return path,
        FileChange::Overwrite => (format!("write {path} 0 100"), path),
        FileChange::Grow => (format!("write {path} {bytes} 100"), path),
        FileChange::Allocate => (format!("write {path} {bytes} 8192"), path),
        FileChange::Truncate => (format!("truncate {path} {}", bytes / 2 + 3), path),
        FileChange::Create => (format!("create /d/new{number}"), format!("/d/new{number}")),
        FileChange::Rename => (format!("rename {path} {path}-"), format!("{path}-")),
        FileChange::Remove => (format!("remove /d/left{number}"), path),
        FileChange::RemoveEmpty => (format!("remove /d/empty{number}"), path),
        FileChange::MakeDirectory => (format!("mkdir /d/e{number}"), path),
    };
    call(fs, open, &text);
    then
}

/// A sync of any two changes writes data first, and its last request is a flush.
#[test]
fn a_sync_of_two_changes_writes_data_before_the_journal_and_ends_with_a_flush() {
    let syncs = ["sync-data", "sync-all"];
    for (first, second) in CHANGES
        .iter()
        .flat_map(|one| CHANGES.map(|two| (*one, two)))
    {
        for sync in syncs {
            let (disk, mut fs) = fresh(1 << 30);
            let mut open = BTreeMap::new();
            let setup = "mkdir /d;create /d/file;write /d/file 0 98304;create /d/empty0;create /d/empty1;\
                create /d/left0;write /d/left0 0 8192;create /d/left1;write /d/left1 0 8192";
            for text in setup.split(';') {
                call(&mut fs, &mut open, text);
            }
            for file in open.values() {
                fs.sync(*file).expect("room");
            }
            let path = make(first, 0, "/d/file".to_owned(), &mut fs, &mut open);
            let path = make(second, 1, path, &mut fs, &mut open);
            disk.borrow().requests.clear();
            call(&mut fs, &mut open, &format!("{sync} {path}"));
            let requests = std::mem::take(&mut disk.borrow().requests);
            let what = format!("{first:?}, {second:?}, {sync}: {requests:?}");
            assert_eq!(requests.last(), Some(&None), "{what}");
            let is_data = |request: &Option<(u64, u64)>| {
                request.is_some_and(|(block, _)| !JOURNAL.contains(&block))
            };
            let data = requests
                .iter()
                .take_while(|request| is_data(request))
                .count();
            assert!(!requests[data..].iter().any(is_data), "{what}");
            let writes = [
                FileChange::Overwrite,
                FileChange::Grow,
                FileChange::Allocate,
            ];
            assert!(data > 0 || !writes.contains(&second), "{what}");
            // Nothing is left for a second one.
            call(&mut fs, &mut open, &format!("{sync} {path}"));
            let is_written = disk.borrow().requests.iter().any(is_data);
            assert!(!is_written, "{what}");
        }
    }
}

/// What the recorder's own note says of databases: an append and `fdatasync`.
#[test]
fn an_append_within_a_block_is_three_writes_of_16_kib_and_two_flushes() {
    let pattern = TrafficPattern::recorded();
    let case = pattern.cases.iter().find(|case| case.name == "grow-data");
    let (steps, _) = replayed(case.expect("it was recorded"));
    let bytes = |step: &String| {
        step.split_once(' ')
            .and_then(|(_, bytes)| bytes.parse::<u64>().ok())
    };
    let written: Vec<u64> = steps.iter().filter_map(bytes).collect();
    assert_eq!((written.len(), written.iter().sum::<u64>()), (3, 16384));
    assert_eq!(steps.iter().filter(|step| *step == "flush").count(), 2);
}

#[test]
fn a_pattern_without_barriers_has_no_flushes() {
    let text = include_str!("../../data/ext4.toml")
        .replace(", \"flush\"", "")
        .replace("\"noatime\"", "\"noatime,nobarrier\"");
    let pattern = Arc::new(TrafficPattern::read(&text).expect("it is sound"));
    let disk = RequestedDisk::new(64 << 20);
    Ext4::format(disk.clone().into()).expect("room");
    let options = Ext4Options {
        pattern,
        ..Ext4Options::default()
    };
    let mut fs = Ext4::mount(disk.clone().into(), options).expect("it was formatted");
    let file = fs.open("/a", Open::Create).expect("room");
    fs.write(file, 0, &[1; 5000]).expect("room");
    disk.borrow().requests.clear();
    fs.sync_data(file).expect("room");
    let requests = std::mem::take(&mut disk.borrow().requests);
    assert_eq!(requests.len(), 3, "{requests:?}");
    assert!(requests.iter().all(Option::is_some), "{requests:?}");
}

#[test]
fn nothing_is_written_without_a_sync_until_dirty_pages_are_many() {
    let disk = RequestedDisk::new(64 << 20);
    Ext4::format(disk.clone().into()).expect("room");
    let options = Ext4Options {
        dirty_bytes: 16384,
        ..Ext4Options::default()
    };
    let mut fs = Ext4::mount(disk.clone().into(), options).expect("it was formatted");
    let file = fs.open("/a", Open::Create).expect("room");
    disk.borrow().requests.clear();
    for page in 0..4 {
        fs.write(file, page * BLOCK, &[1; BLOCK as usize])
            .expect("room");
    }
    assert!(disk.borrow().requests.is_empty());
    fs.write(file, 4 * BLOCK, &[1]).expect("room");
    let requests = std::mem::take(&mut disk.borrow().requests);
    assert!(matches!(requests[..], [Some((_, 5))]), "{requests:?}");
}

/// Pages in RAM have a limit, and pages that are gone do not count.
#[test]
fn what_would_not_fit_into_ram_is_refused() {
    let disk = RequestedDisk::new(64 << 20);
    Ext4::format(disk.clone().into()).expect("room");
    let options = || Ext4Options {
        held_bytes: 64 << 10,
        ..Ext4Options::default()
    };
    let mount = || Ext4::mount(disk.clone().into(), options()).expect("it was unmounted");
    let mut fs = mount();
    let refused = |done: Result<(), FsError>| {
        let error = done.expect_err("it is too much");
        assert_eq!(error.kind, FsErrorKind::Unsuitable, "{error}");
        assert!(error.to_string().contains("65536 B at most"), "{error}");
    };
    let (one, two) = (fs.open("/a", Open::Create), fs.open("/b", Open::Create));
    let (one, two) = (one.expect("room"), two.expect("room"));
    fs.write(one, 0, &[1; 40 << 10]).expect("room");
    refused(fs.write(two, 0, &[2; 28 << 10]));
    fs.write(two, 0, &[2; 24 << 10]).expect("room");
    assert_eq!(fs.ram().buffers, 64 << 10);
    fs.write(one, 4096, &[3; 30_000])
        .expect("these pages are there");
    fs.truncate(one, 5000).expect("it shrinks");
    fs.write(two, 24 << 10, &[2; 32 << 10]).expect("room");
    assert_eq!(fs.ram().buffers, 64 << 10);
    refused(fs.write(two, 56 << 10, &[2]));
    fs.close(one).expect("open");
    fs.remove("/a").expect("closed");
    fs.write(two, 56 << 10, &[2; 8 << 10]).expect("room");
    fs.close(two).expect("open");
    fs.unmount().expect("room");
    // What is on the device is not in RAM before it is read.
    let mut fs = mount();
    assert_eq!(fs.ram().buffers, 0);
    let (one, two) = (fs.open("/a", Open::Create), fs.open("/b", Open::Read));
    let (one, two) = (one.expect("room"), two.expect("it is there"));
    fs.write(one, 0, &[1]).expect("room");
    refused(fs.read(two, 0, &mut [0; 64 << 10]).map(|_| ()));
    assert_eq!(fs.read(two, 0, &mut [0; 60 << 10]), Ok(60 << 10));
}

/// A device of any size and a file of any length give no overflow.
#[test]
fn the_longest_device_and_file_have_limits_and_no_overflow() {
    let (disk, mut fs) = fresh(u64::MAX);
    let file = fs.open("/a", Open::Create).expect("room");
    fs.write(file, 0, &[1; 10_000]).expect("room");
    fs.sync(file).expect("room");
    let most = ((1 << 32) - 1) * BLOCK;
    for bytes in [most + 1, u64::MAX] {
        let error = fs.truncate(file, bytes).expect_err("it is too long");
        assert!(error.to_string().contains(&most.to_string()), "{error}");
    }
    fs.truncate(file, most).expect("a hole");
    let error = fs.write(file, most, &[1]).expect_err("it is too long");
    assert_eq!(error.kind, FsErrorKind::Invalid, "{error}");
    let mut read = [1; 100];
    assert_eq!(fs.read(file, most - 50, &mut read), Ok(50));
    assert_eq!((read[49], read[50]), (0, 1));
    fs.unmount().expect("room");
    Ext4::mount(disk.into(), Ext4Options::default()).expect("it was unmounted");
}

#[test]
fn what_was_not_unmounted_is_refused() {
    let (disk, mut fs) = fresh(8 << 20);
    let file = fs.open("/a", Open::Create).expect("room");
    fs.write(file, 0, b"hello").expect("room");
    fs.sync(file).expect("room");
    drop(fs);
    let again = || Ext4::mount(disk.clone().into(), Ext4Options::default());
    let error = again().expect_err("a power cut");
    assert_eq!(error.kind, FsErrorKind::Corrupt);
    assert!(error.to_string().contains("unmounted"), "{error}");
}

#[test]
fn a_journal_that_is_full_is_written_in_place() {
    let (disk, mut fs) = fresh(4 << 20);
    let file = fs.open("/a", Open::Create).expect("room");
    disk.borrow().requests.clear();
    for number in 0..400 {
        fs.write(file, number, b"x").expect("room");
        fs.sync_data(file).expect("room");
    }
    let requests = std::mem::take(&mut disk.borrow().requests);
    // The journal has 255 blocks, and is emptied when three quarters of them are used.
    let journal = 512..768;
    let in_journal =
        |request: &&Option<(u64, u64)>| request.is_some_and(|(block, _)| journal.contains(&block));
    let starts = requests
        .iter()
        .filter(|request| **request == Some((512, 1)));
    let blocks = requests.iter().filter(in_journal).flatten();
    let blocks: u64 = blocks.map(|(_, count)| count).sum();
    let emptied = starts.count() as u64;
    assert_eq!(emptied, (blocks - emptied) / 191, "{blocks}");
}

#[test]
fn a_damaged_table_is_an_error_and_no_panic() {
    let (disk, mut fs) = fresh(4 << 20);
    fs.create_dir("/d").expect("room");
    let file = fs.open("/d/a", Open::Create).expect("room");
    fs.write(file, 0, &[3; 20_000]).expect("room");
    fs.unmount().expect("room");
    let first = (1024 - 16) * BLOCK / SECTOR as u64;
    let sound = disk.borrow().sectors.clone();
    // The header but for its padding, and the two entries.
    let header = (0..9).chain(16..32).map(|byte| (first, byte));
    let entries = (0..102).map(|byte| (first + 8, byte));
    for (sector, byte) in header.chain(entries) {
        for bit in 0..8 {
            let mut damaged = sound.clone();
            damaged.get_mut(&sector).expect("it was written")[byte] ^= 1 << bit;
            disk.borrow().sectors = damaged;
            let error = Ext4::mount(disk.clone().into(), Ext4Options::default());
            let error = error.expect_err("it is damaged");
            assert_eq!(error.kind, FsErrorKind::Corrupt, "{sector} {byte} {bit}");
        }
    }
}

/// Files are what a file system in RAM has of the same calls, also after an unmount.
#[test]
fn files_hold_what_was_written() {
    for seed in 0..20_u64 {
        let disk = RequestedDisk::new(6 << 20);
        Ext4::format(disk.clone().into()).expect("room");
        let options = || Ext4Options {
            dirty_bytes: 64 << 10,
            ..Ext4Options::default()
        };
        let mount = || Ext4::mount(disk.clone().into(), options()).expect("it was unmounted");
        let (mut fs, mut model) = (mount(), VolatileFiles::new(u64::MAX));
        let mut state = seed;
        let mut draw = |below: u64| {
            state = state
                .wrapping_mul(0x5851_F42D_4C95_7F2D)
                .wrapping_add(0x1405_7B7E_F767_814F);
            (state >> 33) % below
        };
        for step in 0..400 {
            let path = format!("/f{}", draw(5));
            let other = format!("/f{}", draw(5));
            let (what, length) = (draw(8), draw(30_000));
            let same = |one: Result<(), FsError>, two: Result<(), FsError>| {
                let kind = |done: Result<(), FsError>| done.map_err(|error| error.kind);
                assert_eq!(kind(one), kind(two), "{seed} {step} {what} {path} {other}");
            };
            match what {
                0 => same(fs.remove(&path), model.remove(&path)),
                1 => same(fs.rename(&path, &other), model.rename(&path, &other)),
                2 => {
                    fs.unmount().expect("room");
                    fs = mount();
                }
                _ => {
                    let how = if what == 3 {
                        Open::Replace
                    } else {
                        Open::Create
                    };
                    let one = fs.open(&path, how).expect("closed");
                    let two = model.open(&path, how).expect("closed");
                    let bytes = model.entry(&path).expect("open").bytes;
                    match what {
                        4 => same(fs.truncate(one, length), model.truncate(two, length)),
                        5 => same(fs.sync(one), model.sync(two)),
                        _ => {
                            let at = draw(bytes + 1);
                            let data: Vec<u8> =
                                (0..length).map(|place| (place + step) as u8).collect();
                            same(fs.write(one, at, &data), model.write(two, at, &data));
                        }
                    }
                    let bytes = model.entry(&path).expect("open").bytes as usize;
                    let (mut found, mut expected) = (vec![1; bytes + 9], vec![2; bytes + 9]);
                    assert_eq!(fs.read(one, 0, &mut found), Ok(bytes));
                    assert_eq!(model.read(two, 0, &mut expected), Ok(bytes));
                    assert!(found[..bytes] == expected[..bytes], "{seed} {step} {what}");
                    fs.close(one).expect("open");
                    model.close(two).expect("open");
                }
            }
            assert_eq!(fs.list("/"), model.list("/"));
        }
        for number in 0..5 {
            let _ = fs.remove(&format!("/f{number}"));
        }
        let space = fs.space().expect("it is mounted");
        assert_eq!(space.free, space.total, "{seed}");
    }
}
