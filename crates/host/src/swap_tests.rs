//! Names that are swapped while something opens them to write: nothing but the file that was named is written.

use std::fs;
use std::io;
use std::os::unix::fs::{FileExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};
use tempfile::TempDir;
use wordline_memory::ByteMemory as _;

use crate::mtd::Mtd;
use crate::storage::{PlaceRequest, StoragePlace};
use crate::{
    InodeAccess, InodeError, LinkRule, NameEntry, ScratchFile, ScratchFileError, inode::InodeFile,
};

const BYTES: u64 = 8192;

/// Openings of each kind in each run of a test.
const TRIES: u32 = 300;
const NIGHTLY_TRIES: u32 = 10_000;

/// What a file holds that is not to be written.
fn kept() -> Vec<u8> {
    (0..BYTES).map(|at| at as u8 | 1).collect()
}

/// A loop device, where this user can have one.
struct LoopDevice(PathBuf);

impl LoopDevice {
    fn over(file: &Path) -> Option<Self> {
        let made = Command::new("losetup")
            .args(["--show", "-f"])
            .arg(file)
            .output()
            .ok()?;
        let name = String::from_utf8(made.stdout).ok()?;
        let is_made = made.status.success() && name.starts_with("/dev/");
        is_made.then(|| Self(PathBuf::from(name.trim())))
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.0).status();
    }
}

/// Ends swaps when it is dropped.
struct StopsSwaps<'a>(&'a AtomicBool);

impl Drop for StopsSwaps<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A name, and what it is swapped for.
struct SwapFolder {
    folder: TempDir,
    device: Option<LoopDevice>,
    /// Names that are exchanged with the name in turn.
    decoys: Vec<PathBuf>,
}

impl SwapFolder {
    /// Links of both kinds to a file that is to be kept, a pipe, a folder, and a link to a device.
    fn new() -> Self {
        // In RAM, where there is such a place: a journal would slow the swaps down.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.expect("a place for files");
        let place = |name: &str| folder.path().join(name);
        fs::write(place("victim"), kept()).expect("room");
        fs::write(place("disk"), kept()).expect("room");
        fs::write(place("file"), vec![0; BYTES as usize]).expect("room");
        let device = LoopDevice::over(&place("disk"));
        symlink(place("victim"), place("link")).expect("a link");
        fs::hard_link(place("victim"), place("second")).expect("a link");
        fs::create_dir(place("folder")).expect("room");
        let mode = Mode::RUSR | Mode::WUSR;
        mknodat(CWD, place("pipe"), FileType::Fifo, mode, 0).expect("a pipe");
        let mut decoys = vec![
            place("link"),
            place("pipe"),
            place("second"),
            place("folder"),
        ];
        if let Some(LoopDevice(device)) = &device {
            symlink(device, place("device")).expect("a link");
            decoys.push(place("device"));
        }
        Self {
            folder,
            device,
            decoys,
        }
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a decoy in the place of the name, or back.
    fn swap(&self, decoy: &Path) -> io::Result<()> {
        let name = self.place("file");
        Ok(renameat_with(CWD, decoy, CWD, name, RenameFlags::EXCHANGE)?)
    }

    /// Calls `open` while the name is swapped as fast as it can be; back come the calls that opened something.
    fn race(&self, tries: u32, mut open: impl FnMut(&Path) -> bool) -> u32 {
        let stop = AtomicBool::new(false);
        let name = self.place("file");
        let opened = thread::scope(|scope| {
            scope.spawn(|| {
                for decoy in self.decoys.iter().cycle() {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    self.swap(decoy).expect("both are there");
                    self.swap(decoy).expect("both are there");
                }
            });
            // The scope waits for the swaps, also where an opening panics.
            let _stops = StopsSwaps(&stop);
            (0..tries).map(|_| u32::from(open(&name))).sum()
        });
        self.check("after the race");
        opened
    }

    /// Nothing but the file was written.
    fn check(&self, when: &str) {
        let same = |path: &Path, what: &str| {
            let held = fs::read(path).expect("readable");
            assert!(held == kept(), "{what} was written, {when}");
        };
        same(&self.place("victim"), "another file");
        same(&self.place("disk"), "a device");
        if let Some(LoopDevice(device)) = &self.device {
            same(device, "a device");
        }
    }
}

fn request() -> PlaceRequest {
    PlaceRequest {
        writes: true,
        direct: false,
        may_destroy: true,
        access_bytes: 512,
        range_bytes: None,
        new_file_bytes: BYTES,
        seed: 7,
    }
}

/// Opens the name as the file of a table, and writes it.
fn scratch(path: &Path) -> bool {
    match ScratchFile::open(path, BYTES, true) {
        Ok(file) => {
            let mut memory = file.map().expect("it can be mapped");
            memory.write(0, b"a record").expect("room");
            memory.persist().expect("the disk takes it");
            true
        }
        // A program that another test starts has the lock of the opening before, from its fork to its first instruction.
        Err(
            ScratchFileError::NoFile(_)
            | ScratchFileError::Inode(_)
            | ScratchFileError::Length { .. }
            | ScratchFileError::Locked,
        ) => false,
        Err(error) => panic!("{error}"),
    }
}

/// Opens the name as storage to measure, and writes it.
fn storage(path: &Path) -> bool {
    let go_on = AtomicBool::new(false);
    match StoragePlace::open(path, &request(), &go_on, &mut |_, _| {}) {
        Ok(place) => {
            let data = [0x5A; 512];
            place.file.file().write_all_at(&data, 0).expect("room");
            true
        }
        Err(_) => false,
    }
}

#[allow(clippy::print_stderr, reason = "the counts are evidence")]
fn races(tries: u32) {
    for open in [scratch, storage] {
        let swapped = SwapFolder::new();
        let opened = swapped.race(tries, open);
        assert!(opened > 0, "no opening of {tries} met the file itself");
        eprintln!(
            "{tries} openings of a name that is swapped: {opened} opened the file, {} were refused; {}",
            tries - opened,
            match &swapped.device {
                Some(LoopDevice(device)) => device.display().to_string(),
                None => "no loop device here".to_owned(),
            }
        );
    }
}

#[test]
fn nothing_but_the_named_file_is_written_while_its_name_is_swapped() {
    races(TRIES);
}

#[test]
#[ignore = "takes minutes; `make nightly` runs it"]
fn swaps_ten_thousand_times() {
    races(NIGHTLY_TRIES);
}

#[test]
fn what_was_looked_up_is_opened_whatever_has_its_name_by_then() {
    let swapped = SwapFolder::new();
    for decoy in swapped.decoys.clone() {
        let found = match NameEntry::of(&swapped.place("file"), LinkRule::DevicesOnly) {
            Ok(NameEntry::Inode(found)) => found,
            other => panic!("{other:?}"),
        };
        swapped.swap(&decoy).expect("both are there");
        let opened = found.open(InodeAccess::READ_WRITE).expect("it is there");
        let data = decoy.as_os_str().as_encoded_bytes();
        opened.file().write_all_at(data, 0).expect("room");
        assert!(!opened.is_named() && !opened.remove_name());
        swapped.swap(&decoy).expect("both are there");
        let held = fs::read(swapped.place("file")).expect("it is there");
        assert!(held.starts_with(data), "{}", decoy.display());
        assert!(opened.is_named());
        swapped.check("after one swap");
    }
}

#[test]
fn a_name_that_appears_meanwhile_is_not_written() {
    let folder = tempfile::tempdir().expect("a place for files");
    let (name, victim) = (folder.path().join("new"), folder.path().join("victim"));
    fs::write(&victim, kept()).expect("room");
    let vacant = || match NameEntry::of(&name, LinkRule::DevicesOnly) {
        Ok(NameEntry::Vacant(vacant)) => vacant,
        other => panic!("{other:?}"),
    };
    let access = InodeAccess::READ_WRITE;
    for to in [victim.as_path(), Path::new("nowhere")] {
        let before = vacant();
        symlink(to, &name).expect("a link");
        let refused = before.create(access).expect_err("something has the name");
        assert!(matches!(refused, InodeError::Swapped), "{refused}");
        fs::remove_file(&name).expect("ours");
    }
    assert!(!folder.path().join("nowhere").exists());
    // What has no name needs none.
    let before = vacant();
    symlink(&victim, &name).expect("a link");
    if let Some(unnamed) = before.unnamed(access).expect("room") {
        unnamed.file().write_all_at(b"data", 0).expect("room");
        assert!(!unnamed.is_named() && !unnamed.remove_name());
    }
    assert_eq!(fs::read(&victim).expect("it is there"), kept());
    // Nor is another's file removed in the place of ours.
    fs::remove_file(&name).expect("ours");
    let made: InodeFile = vacant().create(access).expect("room");
    fs::rename(&victim, &name).expect("ours");
    assert!(!made.remove_name());
    assert_eq!(fs::read(&name).expect("it is there"), kept());
}

#[test]
fn the_folder_of_a_name_is_looked_up_once() {
    let folder = tempfile::tempdir().expect("a place for files");
    let place = |name: &str| folder.path().join(name);
    for name in ["one", "two"] {
        fs::create_dir(place(name)).expect("room");
    }
    fs::write(place("one/file"), [0; 8]).expect("room");
    fs::write(place("two/file"), [7; 8]).expect("room");
    let look = |name: &str| NameEntry::of(&place(name), LinkRule::DevicesOnly).expect("a folder");
    let (NameEntry::Inode(found), NameEntry::Vacant(vacant)) = (look("one/file"), look("one/new"))
    else {
        panic!("one is there, one is not");
    };
    fs::rename(place("one"), place("old")).expect("ours");
    symlink("two", place("one")).expect("a link");
    let opened = found.open(InodeAccess::READ_WRITE).expect("it is there");
    opened.file().write_all_at(b"data", 0).expect("room");
    assert!(
        vacant
            .create(InodeAccess::READ_WRITE)
            .is_ok_and(|made| made.is_named())
    );
    assert_eq!(fs::read(place("two/file")).expect("it is there"), [7; 8]);
    assert!(place("old/new").exists() && !place("two/new").exists());
}

#[test]
fn links_are_followed_where_only_the_system_makes_them() {
    let folder = tempfile::tempdir().expect("a place for files");
    let link = folder.path().join("null");
    symlink("/dev/null", &link).expect("a link");
    let written = NameEntry::of(&link, LinkRule::DevicesOnly).expect_err("refused");
    let message = written.to_string();
    assert!(
        message.starts_with("it is a link to /dev/null; allowed:"),
        "{message}"
    );
    assert!(NameEntry::of(&link, LinkRule::Follow).is_ok());
    // What containers have as well.
    let own = Path::new("/dev/stdin");
    if own.is_symlink() {
        let within = NameEntry::of(own, LinkRule::DevicesOnly);
        assert!(
            !matches!(within, Err(InodeError::Link { .. })),
            "{within:?}"
        );
    }
}

#[test]
fn a_file_of_two_names_is_not_destroyed() {
    let swapped = SwapFolder::new();
    let two = swapped.place("second");
    let refused = ScratchFile::open(&two, BYTES, true).expect_err("refused");
    assert!(refused.to_string().contains("it has 2 names"), "{refused}");
    let go_on = AtomicBool::new(false);
    let refused = StoragePlace::open(&two, &request(), &go_on, &mut |_, _| {});
    let refused = refused.expect_err("refused").to_string();
    assert!(refused.contains("it has 2 names"), "{refused}");
    swapped.check("by a refused opening");
}

/// The node of a raw flash device that has no driver: root makes it, and no opening succeeds.
#[test]
fn raw_flash_is_the_device_that_was_looked_up() {
    let swapped = SwapFolder::new();
    let node = swapped.place("node");
    let device = rustix::fs::makedev(90, 0);
    let mode = Mode::RUSR | Mode::WUSR;
    if mknodat(CWD, &node, FileType::CharacterDevice, mode, device).is_err() {
        eprintln!("this user makes no device nodes: not tested");
        return;
    }
    swapped.swap(&node).expect("both are there");
    let found = match NameEntry::of(&swapped.place("file"), LinkRule::DevicesOnly) {
        Ok(NameEntry::Inode(found)) => found,
        other => panic!("{other:?}"),
    };
    swapped
        .swap(&swapped.place("link"))
        .expect("both are there");
    // Of the device, not of the file that the link leads to.
    match found.open(InodeAccess::READ_WRITE) {
        Ok(opened) => assert!(!opened.metadata().is_file()),
        Err(InodeError::Io(error)) => assert!(error.raw_os_error().is_some(), "{error}"),
        Err(error) => panic!("{error}"),
    }
    swapped
        .swap(&swapped.place("link"))
        .expect("both are there");
    let opened = swapped.race(TRIES, |path| Mtd::open(path).is_ok());
    assert_eq!(opened, 0);
}
