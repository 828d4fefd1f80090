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
