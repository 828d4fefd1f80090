use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use rustix::io::Errno;
use tempfile::TempDir;
use wordline_memory::{Ecc, Flash, FlashError as _, FlashErrorKind};

use super::sysfs::MtdExtent;
use super::*;

/// What `/sys` and `/proc` would say of a machine.
struct Machine {
    root: TempDir,
    places: KernelPaths,
}

impl Machine {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a folder can be made");
        let places = KernelPaths {
            sys: root.path().join("sys"),
            proc: root.path().join("proc"),
        };
        let machine = Self { root, places };
        machine.tell(
            "proc/self/mountinfo",
            "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n",
        );
        machine.tell("sys/devices/spi0/uevent", "");
        machine.tell("sys/devices/spi1/uevent", "");
        machine
    }

    fn tell(&self, path: &str, text: &str) {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().expect("it stands in a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }

    /// A device of 1 MiB in blocks of 64 KiB.
    fn flash(&self, number: u32, kind: &str, parent: &str, offset: Option<u64>) {
        let folder = format!("sys/class/mtd/mtd{number}");
        for (name, text) in [
            ("type", kind),
            ("name", "data log"),
            ("flags", "0x400"),
            ("numeraseregions", "0"),
            ("size", "1048576"),
            ("erasesize", "65536"),
            ("writesize", if kind == "nor" { "1" } else { "2048" }),
        ] {
            self.tell(&format!("{folder}/{name}"), &format!("{text}\n"));
        }
        if let Some(offset) = offset {
            self.tell(&format!("{folder}/offset"), &offset.to_string());
        }
        let parent = self.places.sys.join(parent);
        let link = self.root.path().join(folder).join("device");
        std::os::unix::fs::symlink(parent, link).expect("it can be linked");
    }

    fn described(&self, number: u32) -> Result<Description, MtdError> {
        Description::read(&self.places, Path::new("/dev/mtd0"), number)
    }

    fn user(&self, number: u32) -> Option<InUse> {
        in_use::user(&self.places, number).expect("the machine can be read")
    }
}

#[test]
fn a_device_is_described_as_the_kernel_tells_it() {
    let machine = Machine::new();
    machine.flash(0, "nand", "devices/spi0", None);
    let found = machine.described(0).expect("it is raw flash");
    assert_eq!(
        (found.kind, found.name.as_str()),
        (MtdKind::Nand, "data log")
    );
    assert_eq!(
        (found.bytes, found.erase_bytes, found.write_bytes),
        (1 << 20, 65_536, 2048)
    );
}

#[test]
fn what_is_no_flash_to_wear_is_refused_with_its_reason() {
    for (file, text, message) in [
        (
            "type",
            "ram",
            "is a memory of the type \"ram\"; allowed: nor, nand, mlc-nand",
        ),
        ("flags", "0x0", "cannot be written and erased"),
        ("flags", "0x1400", "cannot be written and erased"),
        ("numeraseregions", "2", "has blocks of several sizes"),
        ("erasesize", "0", "\"0\" is no size in bytes"),
        ("size", "many", "\"many\" is no whole number"),
    ] {
        let machine = Machine::new();
        machine.flash(0, "nor", "devices/spi0", None);
        machine.tell(&format!("sys/class/mtd/mtd0/{file}"), text);
        let error = machine.described(0).expect_err("it is refused").to_string();
        assert!(error.contains(message), "{error}");
    }
    let missing = Machine::new().described(7).expect_err("there is none");
    assert!(
        missing.to_string().contains("class/mtd/mtd7/type"),
        "{missing}"
    );
}

#[test]
fn paths_that_are_no_raw_flash_are_refused() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("mtd0");
    fs::write(&file, "").expect("it can be written");
    for (path, message) in [
        (
            folder.path(),
            "is a folder; allowed: raw flash, /dev/mtd0 and so on",
        ),
        (&file, "is a file; allowed: raw flash"),
        (Path::new("/dev/null"), "is another character device, 1:3"),
        (Path::new("/dev/mtd999"), "/dev/mtd999: "),
    ] {
        let error = Mtd::open(path).expect_err("it is refused").to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn a_device_in_use_is_found_by_whatever_uses_it() {
    let machine = Machine::new();
    machine.flash(3, "nand", "devices/spi0", None);
    assert_eq!(machine.user(3), None);
    for (source, at) in [
        ("jffs2 mtd3 rw", "/data"),
        ("jffs2 /dev/mtdblock3 rw", "/data"),
        ("ext4 mtd:data\\040log rw", "/a b"),
    ] {
        let place = at.replace(' ', "\\040");
        machine.tell(
            "proc/self/mountinfo",
            &format!("30 22 0:9 / {place} rw,noatime shared:1 - {source}\n"),
        );
        let expected = InUse::Mounted {
            number: 3,
            at: at.to_owned(),
        };
        assert_eq!(machine.user(3), Some(expected), "{source}");
    }
    machine.tell(
        "proc/self/mountinfo",
        "30 22 31:3 / /old rw - ext2 /dev/root rw\n",
    );
    assert!(
        matches!(machine.user(3), Some(InUse::Mounted { .. })),
        "by its device numbers"
    );
    machine.tell(
        "proc/self/mountinfo",
        "30 22 31:30 / /old rw - ext2 mtd30 rw\n",
    );
    assert_eq!(machine.user(3), None, "another one is mounted");

    machine.tell(
        "proc/swaps",
        "Filename Type Size Used Priority\n/dev/mtdblock3 partition 1 0 -2\n",
    );
    assert_eq!(machine.user(3), Some(InUse::Swap { number: 3 }));
    machine.tell("proc/swaps", "Filename Type Size Used Priority\n");

    machine.tell("sys/class/ubi/ubi0/mtd_num", "3\n");
    assert_eq!(
        machine.user(3),
        Some(InUse::Attached {
            number: 3,
            ubi: "ubi0".to_owned()
        })
    );
    machine.tell("sys/class/ubi/ubi0/mtd_num", "4\n");
    assert_eq!(machine.user(3), None);

    machine.tell("sys/block/mtdblock3/holders/dm-0", "");
    let held = |by: &str| {
        Some(InUse::Held {
            number: 3,
            by: by.to_owned(),
        })
    };
    assert_eq!(machine.user(3), held("dm-0"));
    std::fs::remove_file(machine.places.sys.join("block/mtdblock3/holders/dm-0")).expect("it goes");
    machine.tell("sys/block/loop1/loop/backing_file", "/dev/mtdblock3\n");
    assert_eq!(machine.user(3), held("loop1"));
    machine.tell("sys/block/loop1/loop/backing_file", "/dev/mtdblock30\n");
    assert_eq!(machine.user(3), None);

    machine.tell(
        "proc/76/mountinfo",
        "9 8 0:9 / /in-a-container rw - jffs2 mtd3 rw\n",
    );
    let at = "/in-a-container".to_owned();
    assert_eq!(machine.user(3), Some(InUse::Mounted { number: 3, at }));
    machine.tell("proc/76/mountinfo", "");

    machine.tell("proc/77/comm", "logger\n");
    machine.tell("proc/77/fd/x", "");
    let link = machine.places.proc.join("77/fd/5");
    std::os::unix::fs::symlink("/dev/mtd3ro", link).expect("it can be linked");
    let by = machine.user(3).expect("it is open");
    assert_eq!(by.to_string(), "mtd3 is held open by process 77 (logger)");
}

#[test]
fn devices_that_share_bytes_are_in_use_together() {
    let machine = Machine::new();
    // A whole chip and two partitions of it; another chip.
    machine.flash(0, "nor", "devices/spi0", None);
    machine.flash(1, "nor", "class/mtd/mtd0", Some(0));
    machine.flash(2, "nor", "class/mtd/mtd0", Some(1 << 20));
    machine.tell("sys/class/mtd/mtd0/size", "4194304");
    machine.flash(4, "nor", "devices/spi1", None);
    let extent = |number| MtdExtent::read(&machine.places, number).expect("sysfs states it");
    assert!(extent(0).overlaps(&extent(1)) && extent(2).overlaps(&extent(0)));
    assert!(!extent(1).overlaps(&extent(2)) && !extent(4).overlaps(&extent(0)));
    machine.tell(
        "proc/self/mountinfo",
        "30 22 31:2 / /data rw - jffs2 /dev/mtdblock2 rw\n",
    );
    for (number, used) in [(0, true), (1, false), (2, true), (4, false)] {
        assert_eq!(machine.user(number).is_some(), used, "mtd{number}");
    }
}

/// A driver over bytes.
struct Fake {
    bytes: Vec<u8>,
    bad: BTreeSet<u64>,
    ecc: EccCounts,
    /// Whether the next read cannot be corrected.
    lost: bool,
    /// What the next call fails with.
    fails: Option<Errno>,
}

impl Fake {
    fn check(&mut self) -> io::Result<()> {
        self.fails.take().map_or(Ok(()), |errno| Err(errno.into()))
    }
}

impl Calls for Fake {
    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.check()?;
        let at = at as usize;
        out.copy_from_slice(&self.bytes[at..at + out.len()]);
        self.ecc.corrected += 2;
        // As Linux does it: the data come, and a count grows.
        self.ecc.failed += u32::from(std::mem::take(&mut self.lost));
        Ok(())
    }

    fn write(&mut self, at: u64, data: &[u8]) -> io::Result<()> {
        self.check()?;
        for (byte, new) in self.bytes[at as usize..].iter_mut().zip(data) {
            *byte &= new;
        }
        Ok(())
    }

    fn erase(&mut self, at: u64, bytes: u64) -> io::Result<()> {
        self.check()?;
        self.bytes[at as usize..(at + bytes) as usize].fill(0xFF);
        Ok(())
    }

    fn is_bad(&mut self, at: u64) -> io::Result<bool> {
        Ok(self.bad.contains(&at))
    }

    fn mark_bad(&mut self, at: u64) -> io::Result<()> {
        self.check()?;
        self.bad.insert(at);
        Ok(())
    }

    fn ecc(&mut self) -> io::Result<EccCounts> {
        Ok(self.ecc)
    }
}

fn fake(kind: MtdKind) -> Mtd<Fake> {
    let description = Description {
        number: 0,
        name: "test".to_owned(),
        kind,
        bytes: 1 << 20,
        erase_bytes: 65_536,
        write_bytes: if kind == MtdKind::Nor { 1 } else { 2048 },
    };
    let calls = Fake {
        bytes: vec![0xFF; 1 << 20],
        bad: BTreeSet::new(),
        ecc: EccCounts::default(),
        lost: false,
        fails: None,
    };
    Mtd::with(calls, Path::new("/dev/mtd0"), description).expect("its sizes are sound")
}

#[test]
fn it_meets_the_contract_of_flash() {
    for kind in [MtdKind::Nor, MtdKind::Nand] {
        let mut flash = fake(kind);
        let geometry = flash.geometry();
        assert!(geometry.is_valid());
        assert_eq!(
            geometry.page_bytes,
            if kind == MtdKind::Nor { 256 } else { 2048 }
        );
        let page = geometry.pages_per_block + 1;
        let data = vec![0x5A; geometry.page_bytes as usize];
        flash.program(page, 0, &data).expect("the driver takes it");
        let mut out = vec![0; data.len()];
        let ecc = flash.read(page, 0, &mut out).expect("the driver gives it");
        assert_eq!(
            (out, ecc),
            (
                data,
                Ecc::Corrected {
                    bits: 2,
                    refresh: false
                }
            )
        );
        flash.erase(1).expect("the driver takes it");
        let mut out = [0; 16];
        flash.read(page, 16, &mut out).expect("the driver gives it");
        assert_eq!(out, [0xFF; 16]);
        let kind = |result: Result<(), MtdError>| result.expect_err("it is refused").kind();
        assert_eq!(kind(flash.erase(16)), FlashErrorKind::Misuse);
        let beyond = geometry.page_bytes;
        assert_eq!(kind(flash.program(0, beyond, &[0])), FlashErrorKind::Misuse);
        assert_eq!(
            kind(flash.program(u32::MAX, 0, &[0])),
            FlashErrorKind::Misuse
        );
    }
}

#[test]
fn errors_of_the_driver_mean_what_the_chip_said() {
    let mut flash = fake(MtdKind::Nand);
    let page = vec![0; 2048];
    let kind = |result: Result<(), MtdError>| result.expect_err("it fails").kind();
    flash.calls.fails = Some(Errno::IO);
    assert_eq!(
        kind(flash.program(0, 0, &page)),
        FlashErrorKind::ProgramFailed
    );
    flash.calls.fails = Some(Errno::IO);
    assert_eq!(kind(flash.erase(0)), FlashErrorKind::EraseFailed);
    flash.calls.fails = Some(Errno::NODEV);
    assert_eq!(
        kind(flash.erase(0)),
        FlashErrorKind::Other,
        "it was pulled out"
    );
    flash.calls.lost = true;
    let read = flash.read(0, 0, &mut [0; 4]).expect_err("it fails");
    assert_eq!(read.kind(), FlashErrorKind::Uncorrectable);
    assert_eq!(
        kind(flash.program(0, 1, &page[..2047])),
        FlashErrorKind::Misuse
    );

    flash.mark_bad(3).expect("it takes the mark");
    assert!(flash.is_bad(3).expect("it tells"));
    flash.calls.fails = Some(Errno::IO);
    assert_eq!(
        kind(flash.erase(3)),
        FlashErrorKind::BadBlock,
        "no wear failure"
    );
    flash.calls.fails = Some(Errno::OPNOTSUPP);
    assert_eq!(
        kind(flash.mark_bad(4)),
        FlashErrorKind::Misuse,
        "it keeps no marks"
    );
}

#[test]
fn sizes_that_make_no_flash_are_refused() {
    for (bytes, erase_bytes, write_bytes) in [
        (0, 65_536, 1),
        (1 << 20, 60_000, 2048),
        (1 << 20, 65_536, 3),
        (100, 64, 1),
    ] {
        let description = Description {
            number: 0,
            name: "test".to_owned(),
            kind: MtdKind::Nor,
            bytes,
            erase_bytes,
            write_bytes,
        };
        let calls = Fake {
            bytes: Vec::new(),
            bad: BTreeSet::new(),
            ecc: EccCounts::default(),
            lost: false,
            fails: None,
        };
        let error = Mtd::with(calls, Path::new("/dev/mtd0"), description).map(|_| ());
        let error = error.expect_err("it is refused").to_string();
        assert!(error.contains("its sizes make no flash"), "{error}");
    }
}
