//! Memories that fail, and memories that hold something else.

use wordline_engines::{FsErrorKind, Open};

use crate::cases::all;
use crate::memories::{Fails, with_room};

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

fn work(case: &crate::cases::Case) -> Result<(), FsErrorKind> {
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
