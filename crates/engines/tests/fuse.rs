//! Programs use a file system through the kernel.

#![cfg(target_os = "linux")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use wordline_engines::{
    Fat, FatOptions, FileSystem, FuseError, FuseMount, FuseOptions, Open, Sectors, Shared,
};
use wordline_memory::RamMemory;

type Memory = Shared<RamMemory<{ 256 << 10 }>>;
type Mounted = Box<dyn FileSystem + Send>;

fn fat(memory: &Memory) -> Mounted {
    Box::new(Fat::mount(Sectors::new(memory.clone())).expect("formatted"))
}

#[cfg(feature = "littlefs")]
fn littlefs(memory: &Memory) -> Mounted {
    use wordline_engines::{ByteBlocks, LittleFs, LittleFsOptions};
    let blocks = ByteBlocks::new(memory.clone()).expect("blocks");
    Box::new(LittleFs::mount(blocks, &LittleFsOptions::default()).expect("formatted"))
}

/// Mounts it, or says why nothing is tested: mounting is not allowed here.
fn serve(fs: Mounted, dir: &Path) -> Option<FuseMount> {
    if !Path::new("/dev/fuse").exists() {
        skip("there is no /dev/fuse");
        return None;
    }
    let options = FuseOptions {
        name: "a test".into(),
        cached: false,
        recording: false,
    };
    match FuseMount::new(fs, dir, &options) {
        Ok(mount) => Some(mount),
        Err(FuseError::Kernel { error, .. }) if is_refusal(&error) => {
            skip(&format!("this user may not mount: {error}"));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Whether the host forbids mounting, for all or for this user.
fn is_refusal(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound
    )
}

#[allow(clippy::print_stderr, reason = "who reads the results should know")]
fn skip(why: &str) {
    eprintln!("nothing tested: {why}");
}

fn programs_find_what_they_stored(memory: &Memory, mounted: fn(&Memory) -> Mounted) {
    let place = tempfile::tempdir().expect("a directory");
    let dir = place.path().join("mnt");
    fs::create_dir(&dir).expect("room");
    let Some(mount) = serve(mounted(memory), &dir) else {
        return;
    };
    assert!(mount.is_served());
    use_files(&dir);
    use_open_files(&dir);
    mount.unmount().expect("nobody has anything open");
    assert_eq!(fs::read_dir(&dir).expect("a directory").count(), 0);

    // All of it is on the memory.
    let mut fs = mounted(memory);
    let mut names: Vec<String> = fs
        .list("/")
        .expect("sound")
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    names.sort();
    assert_eq!(names, ["kept.txt", "sub"]);
    let file = fs.open("/kept.txt", Open::Read).expect("a file");
    let mut out = [0; 32];
    let count = fs.read(file, 0, &mut out).expect("sound");
    assert_eq!(&out[..count], b"the second one, longer");
}

fn use_files(dir: &Path) {
    fs::create_dir(dir.join("sub")).expect("room");
    assert!(fs::create_dir(dir.join("sub")).is_err());
    fs::write(dir.join("kept.txt"), b"the first").expect("room");
    fs::write(dir.join("sub/new"), b"the second one").expect("room");
    // A rename replaces, as programs expect.
    fs::rename(dir.join("sub/new"), dir.join("kept.txt")).expect("there");
    let mut file = OpenOptions::new()
        .append(true)
        .open(dir.join("kept.txt"))
        .expect("there");
    file.write_all(b", longer").expect("room");
    file.sync_all().expect("room");
    drop(file);
    assert_eq!(
        fs::read(dir.join("kept.txt")).expect("there"),
        b"the second one, longer"
    );
    assert_eq!(fs::metadata(dir.join("kept.txt")).expect("there").len(), 22);

    for number in 0..50 {
        fs::write(dir.join(format!("sub/{number}")), [number; 100]).expect("room");
    }
    assert_eq!(fs::read_dir(dir.join("sub")).expect("there").count(), 50);
    assert!(fs::remove_dir(dir.join("sub")).is_err(), "not empty");
    for number in 0..50 {
        fs::remove_file(dir.join(format!("sub/{number}"))).expect("there");
    }
    assert!(fs::read(dir.join("sub/3")).is_err());
    let space = rustix::fs::statvfs(dir).expect("mounted");
    assert!(space.f_bfree > 0 && space.f_bfree < space.f_blocks);
}

fn use_open_files(dir: &Path) {
    // What is removed while it is open stays until it is closed.
    let mut file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(dir.join("gone"))
        .expect("room");
    file.write_all(b"still here").expect("room");
    fs::remove_file(dir.join("gone")).expect("there");
    assert!(!dir.join("gone").exists());
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).expect("a file");
    file.read_to_string(&mut text).expect("open");
    assert_eq!(text, "still here");
    drop(file);

    // What is renamed while it is open can still be written, and what is left out reads as zeros.
    let file = File::create(dir.join("sub/a")).expect("room");
    let other = File::open(dir.join("sub/a")).expect("open twice");
    fs::rename(dir.join("sub"), dir.join("moved")).expect("there");
    file.write_all_at(b"end", 1000).expect("room");
    drop((file, other));
    let bytes = fs::read(dir.join("moved/a")).expect("there");
    assert_eq!((bytes.len(), &bytes[1000..]), (1003, &b"end"[..]));
    assert!(bytes[..1000].iter().all(|byte| *byte == 0));
    let file = File::options()
        .write(true)
        .open(dir.join("moved/a"))
        .expect("there");
    file.set_len(5).expect("room");
    drop(file);
    assert_eq!(fs::read(dir.join("moved/a")).expect("there"), [0; 5]);
    fs::remove_file(dir.join("moved/a")).expect("there");
    fs::rename(dir.join("moved"), dir.join("sub")).expect("there");
}

#[test]
fn programs_use_fat() {
    let memory = Shared::new(RamMemory::new());
    Fat::format(Sectors::new(memory.clone()), &FatOptions::default()).expect("room");
    programs_find_what_they_stored(&memory, fat);
}

#[cfg(feature = "littlefs")]
#[test]
fn programs_use_littlefs() {
    use wordline_engines::{ByteBlocks, LittleFs, LittleFsOptions};
    let memory: Memory = Shared::new(RamMemory::new());
    let blocks = ByteBlocks::new(memory.clone()).expect("blocks");
    LittleFs::format(blocks, &LittleFsOptions::default()).expect("room");
    programs_find_what_they_stored(&memory, littlefs);
}

/// Memory that a program shares with a file: what SQLite keeps beside its write-ahead log.
#[test]
fn files_are_mapped_for_sharing_although_nothing_is_cached() {
    let memory = Shared::new(RamMemory::new());
    Fat::format(Sectors::new(memory.clone()), &FatOptions::default()).expect("room");
    let place = tempfile::tempdir().expect("a directory");
    let Some(mount) = serve(fat(&memory), place.path()) else {
        return;
    };
    let file = place.path().join("shared");
    fs::write(&file, [7; 8192]).expect("room");
    let script = "import mmap, os, sys\n\
        file = open(sys.argv[1], 'r+b')\n\
        shared = mmap.mmap(file.fileno(), 8192, mmap.MAP_SHARED)\n\
        assert shared[100] == 7\n\
        shared[100] = 9\n\
        shared.flush()\n\
        os.fsync(file.fileno())\n";
    let ran = std::process::Command::new("python3")
        .args(["-c", script])
        .arg(&file)
        .output();
    match ran {
        Err(_) => skip("there is no python3"),
        Ok(ran) if !ran.status.success() && !maps_uncached() => {
            skip("this kernel is older than 6.6")
        }
        Ok(ran) => {
            assert!(
                ran.status.success(),
                "{}",
                String::from_utf8_lossy(&ran.stderr)
            );
            let bytes = fs::read(&file).expect("there");
            assert_eq!((bytes[99], bytes[100], bytes[101]), (7, 9, 7));
        }
    }
    mount.unmount().expect("nobody has anything open");
}

/// Whether the kernel is Linux 6.6 or later.
fn maps_uncached() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release
        .split(['.', '-'])
        .map_while(|part| part.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(6), Some(6))
}

/// What a keeper was asked, and whether it has room.
#[derive(Clone, Default)]
struct NotedKeeper(std::sync::Arc<std::sync::Mutex<(Vec<bool>, bool)>>);

impl wordline_engines::ChangeKeeper for NotedKeeper {
    fn ready(&mut self) -> Result<(), wordline_engines::FsError> {
        let is_full = self.0.lock().expect("no panic").1;
        match is_full {
            true => Err(wordline_engines::FsErrorKind::Full.into()),
            false => Ok(()),
        }
    }

    fn keep(&mut self, durable: bool) -> Result<(), wordline_engines::FsError> {
        self.0.lock().expect("no panic").0.push(durable);
        self.ready()
    }
}

#[test]
fn a_keeper_has_every_change_before_the_program_goes_on_and_a_full_one_stops_changes_alone() {
    let memory = Shared::new(RamMemory::new());
    Fat::format(Sectors::new(memory.clone()), &FatOptions::default()).expect("room");
    let place = tempfile::tempdir().expect("a directory");
    let keeper = NotedKeeper::default();
    let options = FuseOptions::default();
    let kept = Some(Box::new(keeper.clone()) as Box<_>);
    let mount = match FuseMount::kept(fat(&memory), kept, place.path(), &options) {
        Ok(mount) => mount,
        Err(FuseError::Kernel { error, .. }) if is_refusal(&error) => {
            return skip(&format!("this user may not mount: {error}"));
        }
        Err(error) => panic!("{error}"),
    };
    let asked = |since: usize| keeper.0.lock().expect("no panic").0[since..].to_vec();
    let file = File::create(place.path().join("one")).expect("room");
    let before = asked(0).len();
    file.write_all_at(b"x", 0).expect("room");
    assert!(asked(before).contains(&false) && !asked(before).contains(&true));
    let before = asked(0).len();
    file.sync_all().expect("room");
    assert!(asked(before).contains(&true));
    let before = asked(0).len();
    File::open(place.path())
        .expect("there")
        .sync_all()
        .expect("room");
    assert!(asked(before).contains(&true), "a directory as well");

    keeper.0.lock().expect("no panic").1 = true;
    let full = |result: io::Result<()>| {
        let error = result.expect_err("it cannot be kept");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    };
    full(file.write_all_at(b"y", 0));
    full(file.sync_all());
    full(fs::create_dir(place.path().join("dir")));
    full(fs::remove_file(place.path().join("one")));
    assert_eq!(
        fs::read(place.path().join("one")).expect("reads go on"),
        b"x"
    );
    keeper.0.lock().expect("no panic").1 = false;
    file.write_all_at(b"z", 0).expect("there is room again");
    drop(file);
    assert_eq!(fs::read(place.path().join("one")).expect("there"), b"z");
    mount.unmount().expect("nobody has anything open");
}

#[test]
fn a_directory_with_something_in_it_is_refused() {
    let memory: Memory = Shared::new(RamMemory::new());
    Fat::format(Sectors::new(memory.clone()), &FatOptions::default()).expect("room");
    let place = tempfile::tempdir().expect("a directory");
    fs::write(place.path().join("file"), b"x").expect("room");
    for bad in [
        place.path().to_owned(),
        place.path().join("file"),
        place.path().join("none"),
    ] {
        let mount = FuseMount::new(fat(&memory), &bad, &FuseOptions::default());
        assert!(
            matches!(mount, Err(FuseError::Directory(_))),
            "{}",
            bad.display()
        );
    }
}
