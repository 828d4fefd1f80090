//! Memories that fail, and memories that hold something else.

use std::panic::{AssertUnwindSafe, catch_unwind};

use wordline_engines::{FsErrorKind, Open};

use crate::engines::cases::all;
use crate::engines::memories::{Fails, with_room};

#[test]
fn a_memory_that_fails_anywhere_gives_an_error_and_never_a_panic() {
    with_room(|| {
        for case in all() {
            // How many accesses all of it takes where nothing fails.
            (case.fail)(Fails::Nothing);
            let before = (case.accesses)();
            assert_eq!(work(&case), Ok(()), "{}", case.name);
            let all = (case.accesses)() - before;
            let mut failed = 0;
            for after in (0..all).step_by((all as usize / 50).max(1)) {
                (case.fail)(Fails::Everything(after));
                let kind = work(&case);
                // A file system may take a block that fails for a damaged one, and look for another.
                assert!(
                    matches!(kind, Err(FsErrorKind::Device | FsErrorKind::Corrupt)),
                    "{}, after {after}: {kind:?}",
                    case.name
                );
                failed += u32::from(kind == Err(FsErrorKind::Device));
            }
            assert!(failed > 20, "{}: {failed}", case.name);
        }
    });
}

fn work(case: &crate::engines::cases::Case) -> Result<(), FsErrorKind> {
    let run = || {
        (case.format)()?;
        let mut fs = (case.mount)()?;
        fs.create_dir("/d")?;
        let file = fs.open("/d/a", Open::Create)?;
        fs.write(file, 0, &[5; 6000])?;
        fs.sync(file)?;
        fs.truncate(file, 700)?;
        fs.close(file)?;
        fs.rename("/d/a", "/b")?;
        fs.entry("/b")?;
        fs.space()?;
        fs.remove("/b")?;
        fs.unmount()
    };
    run().map_err(|error: wordline_engines::FsError| error.kind)
}

#[test]
fn a_panic_of_the_memory_reaches_the_caller_and_spares_the_file_system() {
    with_room(|| {
        for case in all() {
            let mut fs = case.fresh();
            (case.fail)(Fails::Panic(0));
            let panic = catch_unwind(AssertUnwindSafe(|| fs.create_dir("/d")));
            let panic = panic.expect_err("the memory panics");
            let said = panic.downcast_ref::<&str>().copied();
            assert_eq!(said, Some("the memory's own panic"), "{}", case.name);
            (case.fail)(Fails::Nothing);
            drop(fs);
            case.again().create_dir("/e").expect("room");
        }
    });
}

#[test]
fn what_was_stored_is_there_after_the_memory_recovers() {
    with_room(|| {
        for case in all() {
            (case.fail)(Fails::Nothing);
            let mut fs = case.fresh();
            let file = fs.open("/a", Open::Create).expect("room");
            fs.write(file, 0, &[3; 3000]).expect("room");
            fs.sync(file).expect("room");
            (case.fail)(Fails::Everything(0));
            let error = fs.write(file, 0, &[4; 3000]).and_then(|()| fs.sync(file));
            assert_eq!(
                error.map_err(|e| e.kind),
                Err(FsErrorKind::Device),
                "{}",
                case.name
            );
            drop(fs);
            (case.fail)(Fails::Nothing);
            let mut fs = case.again();
            let file = fs.open("/a", Open::Read).expect("synced");
            let mut out = [0; 3000];
            assert_eq!(fs.read(file, 0, &mut out), Ok(3000));
            assert_eq!(out, [3; 3000]);
        }
    });
}

#[test]
fn a_memory_that_was_never_formatted_is_no_file_system() {
    with_room(|| {
        for case in all() {
            let error = (case.mount)().err().map(|error| error.kind);
            assert_eq!(error, Some(FsErrorKind::Corrupt), "{}", case.name);
        }
    });
}

#[cfg(feature = "littlefs")]
mod blocks {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use wordline_engines::{
        FileSystem, FlashBlocks, FsError, FsErrorKind, LittleFs, LittleFsOptions, Open, Shared,
    };
    use wordline_memory::Flash;

    use crate::engines::memories::{Failing, Fails, Nor, nand, nor, with_room};

    /// Stores files on flash that fails as it says, and reads them after another mount.
    fn store<D>(flash: Failing<D>, fails: Fails)
    where
        Failing<D>: Flash + Send + 'static,
    {
        let options = LittleFsOptions::default();
        let flash = Shared::new(flash);
        let mount = || {
            let blocks = FlashBlocks::new(flash.clone()).expect("valid");
            LittleFs::mount(blocks, &options).expect("sound")
        };
        let blocks = FlashBlocks::new(flash.clone()).expect("valid");
        LittleFs::format(blocks, &options).expect("sound");
        let mut fs = mount();
        flash.borrow().fails = fails;
        let paths = ["/one", "/two", "/d/three"];
        fs.create_dir("/d").expect("room");
        for round in 0..8 {
            for path in paths {
                let file = fs.open(path, Open::Replace).expect("room");
                fs.write(file, 0, &[round; 5000]).expect("room");
                fs.close(file).expect("room");
            }
        }
        drop(fs);
        let mut fs = mount();
        for path in paths {
            let file = fs.open(path, Open::Read).expect("a file");
            let mut out = vec![0; 5001];
            assert_eq!(fs.read(file, 0, &mut out), Ok(5000), "{fails:?}");
            assert!(out[..5000] == [7; 5000], "{fails:?}: {path}");
        }
    }

    #[test]
    fn blocks_that_fail_are_worked_around() {
        with_room(|| {
            for block in 2..24 {
                store(nand(), Fails::Block(block));
                store(nor(), Fails::Block(block));
            }
            for after in (0..200).step_by(7) {
                store(nand(), Fails::Program(after));
                store(nor(), Fails::Program(after));
            }
        });
    }

    /// A flash with more files than a block of metadata has room for.
    fn used() -> Nor {
        let options = LittleFsOptions::default();
        let flash = Shared::new(nor());
        let blocks = || FlashBlocks::new(flash.clone()).expect("valid");
        LittleFs::format(blocks(), &options).expect("sound");
        let mut fs = LittleFs::mount(blocks(), &options).expect("sound");
        let small = (0..60).map(|number| (format!("/f{number}"), 100));
        for (path, bytes) in small.chain([("/big".to_owned(), 9000)]) {
            let file = fs.open(&path, Open::Create).expect("room");
            fs.write(file, 0, &vec![7; bytes]).expect("room");
            fs.close(file).expect("room");
        }
        drop(fs);
        flash.borrow().clone()
    }

    /// littlefs in C keeps pointers to what a call has lent it, which a panic would leave behind.
    #[test]
    fn after_a_panic_of_the_memory_every_call_is_an_error() {
        type Call = fn(&mut LittleFs, wordline_engines::Handle) -> Result<(), FsError>;
        let calls: [(&str, Call); 4] = [
            ("list", |fs, _| fs.list("/").map(drop)),
            ("open", |fs, _| fs.open("/f0", Open::Read).map(drop)),
            ("read", |fs, file| {
                fs.read(file, 0, &mut [0; 9000]).map(drop)
            }),
            ("close", |fs, file| {
                fs.write(file, 0, &[1; 2000])?;
                fs.close(file)
            }),
        ];
        with_room(move || {
            let used = used();
            for (name, call) in calls {
                let mut panics = 0;
                for after in 0.. {
                    let flash = Shared::new(used.clone());
                    let options = LittleFsOptions::default();
                    let blocks = || FlashBlocks::new(flash.clone()).expect("valid");
                    let mut fs = LittleFs::mount(blocks(), &options).expect("sound");
                    let file = fs.open("/big", Open::Write).expect("a file");
                    flash.borrow().fails = Fails::Panic(after);
                    if catch_unwind(AssertUnwindSafe(|| call(&mut fs, file))).is_ok() {
                        break;
                    }
                    panics += 1;
                    flash.borrow().fails = Fails::Nothing;
                    let device = |result: Result<(), FsError>| {
                        let kind = result.map_err(|error| error.kind);
                        assert_eq!(kind, Err(FsErrorKind::Device), "{name} {after}");
                    };
                    device(fs.list("/").map(drop));
                    device(fs.open("/new", Open::Create).map(drop));
                    device(fs.create_dir("/d"));
                    device(fs.space().map(drop));
                    device(fs.unmount());
                    let mut fs = LittleFs::mount(blocks(), &options).expect("sound");
                    assert_eq!(fs.list("/").expect("sound").len(), 61, "{name} {after}");
                }
                assert!(panics > 1, "{name}: {panics}");
            }
        });
    }

    #[test]
    fn a_flash_whose_first_blocks_are_bad_cannot_be_formatted() {
        with_room(|| {
            let mut flash = nand();
            for block in 0..2 {
                flash.memory.mark_bad(block).expect("a block");
            }
            let blocks = FlashBlocks::new(flash).expect("valid");
            let error = LittleFs::format(blocks, &LittleFsOptions::default()).expect_err("bad");
            assert!(
                matches!(error.kind, FsErrorKind::Full | FsErrorKind::Corrupt),
                "{error}"
            );
        });
    }

    #[test]
    fn data_that_the_ecc_gives_up_is_an_error() {
        with_room(|| {
            let flash = Shared::new(nand());
            let options = LittleFsOptions::default();
            let blocks = || FlashBlocks::new(flash.clone()).expect("valid");
            LittleFs::format(blocks(), &options).expect("sound");
            let mut fs = LittleFs::mount(blocks(), &options).expect("sound");
            let file = fs.open("/a", Open::Create).expect("room");
            fs.write(file, 0, &[9; 30_000]).expect("room");
            fs.close(file).expect("room");
            let mut lost = 0;
            for block in 2..24 {
                flash.borrow().fails = Fails::Reads(block);
                let file = fs.open("/a", Open::Read).expect("its entry");
                let mut out = vec![0; 30_000];
                match fs.read(file, 0, &mut out) {
                    Ok(count) => assert!(count == 30_000 && out == [9; 30_000]),
                    Err(error) => {
                        assert_eq!(error.kind, FsErrorKind::Corrupt);
                        lost += 1;
                    }
                }
                fs.close(file).expect("open");
            }
            assert!(lost >= 3, "{lost}");
        });
    }
}

mod rtfs {
    use wordline_engines::{FileSystem, FsErrorKind, Open, Rtfs, RtfsOptions, Shared};

    use crate::engines::memories::{Fails, paged_nand, spare_flash, with_room};

    const OPTIONS: RtfsOptions = RtfsOptions {
        spare_percent: 60,
        log_entries: None,
    };

    #[test]
    fn blocks_that_fail_are_replaced() {
        with_room(|| {
            let blocks = (0..40).map(Fails::Block);
            for fails in blocks.chain((0..600).step_by(23).map(Fails::Program)) {
                let flash = Shared::new(paged_nand());
                let mount = || Rtfs::mount(spare_flash(flash.clone()), &OPTIONS).expect("sound");
                Rtfs::format(spare_flash(flash.clone()), &OPTIONS).expect("sound");
                let mut fs = mount();
                flash.borrow().fails = fails;
                let paths = ["/one", "/two", "/d/three"];
                fs.create_dir("/d").expect("room");
                for round in 0..40 {
                    for path in paths {
                        let file = fs.open(path, Open::Replace).expect("room");
                        let written = fs.write(file, 0, &[round; 5000]);
                        written.unwrap_or_else(|error| panic!("{fails:?}, {round}: {error}"));
                        fs.close(file).expect("room");
                    }
                }
                drop(fs);
                let mut fs = mount();
                for path in paths {
                    let file = fs.open(path, Open::Read).expect("a file");
                    let mut out = vec![0; 5001];
                    assert_eq!(fs.read(file, 0, &mut out), Ok(5000), "{fails:?}");
                    assert!(out[..5000] == [39; 5000], "{fails:?}: {path}");
                }
            }
        });
    }

    #[test]
    fn pages_that_the_ecc_gives_up_are_an_error() {
        with_room(|| {
            let flash = Shared::new(paged_nand());
            Rtfs::format(spare_flash(flash.clone()), &OPTIONS).expect("sound");
            let mut fs = Rtfs::mount(spare_flash(flash.clone()), &OPTIONS).expect("sound");
            let file = fs.open("/a", Open::Create).expect("room");
            fs.write(file, 0, &[9; 60_000]).expect("room");
            let mut lost = 0;
            for block in 0..40 {
                flash.borrow().fails = Fails::Reads(block);
                let mut out = vec![0; 60_000];
                match fs.read(file, 0, &mut out) {
                    Ok(count) => assert!(count == 60_000 && out == [9; 60_000]),
                    Err(error) => {
                        assert_eq!(error.kind, FsErrorKind::Corrupt, "{error}");
                        lost += 1;
                    }
                }
            }
            assert!(lost >= 3, "{lost}");
        });
    }

    #[test]
    fn a_share_that_the_layer_cannot_leave_is_refused_with_the_least() {
        with_room(|| {
            let made = |spare_percent| {
                let options = RtfsOptions {
                    spare_percent,
                    ..OPTIONS
                };
                Rtfs::format(spare_flash(paged_nand()), &options)
            };
            let least = (1..100).find(|spare| made(*spare).is_ok()).expect("some");
            assert!(least > 30, "{least}");
            for spare in [1, 30, least - 1] {
                let error = made(spare).expect_err("too little");
                assert_eq!(error.kind, FsErrorKind::Unsuitable);
                let allowed = format!("rtfs.spare={spare}; allowed: {least} to 99");
                assert!(error.to_string().contains(&allowed), "{error}");
            }
        });
    }
}
