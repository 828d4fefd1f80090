//! What each call does at its edges.

use wordline_engines::{FILE_SYSTEMS, FsErrorKind, Handle, Open, named};

use crate::engines::cases::{Case, Mounted, all};
use crate::engines::memories::with_room;
use crate::engines::model::read;

fn each(test: fn(&Case, Mounted)) {
    with_room(move || {
        for case in all() {
            test(&case, case.fresh());
        }
    });
}

fn store(fs: &mut Mounted, path: &str, data: &[u8]) {
    let file = fs.open(path, Open::Replace).expect("room");
    fs.write(file, 0, data).expect("room");
    fs.close(file).expect("room");
}

fn load(fs: &mut Mounted, path: &str) -> Vec<u8> {
    let file = fs.open(path, Open::Read).expect("a file");
    let bytes = read(fs, file);
    fs.close(file).expect("open");
    bytes
}

#[test]
fn the_root_is_a_directory_that_stays() {
    each(|_, mut fs| {
        let root = fs.entry("/").expect("the root");
        assert!(root.is_dir && root.name.is_empty() && root.bytes == 0);
        assert_eq!(fs.list("/"), Ok(Vec::new()));
        assert_eq!(
            fs.create_dir("/").map_err(|e| e.kind),
            Err(FsErrorKind::Exists)
        );
        assert_eq!(
            fs.remove("/").map_err(|e| e.kind),
            Err(FsErrorKind::Invalid)
        );
        assert_eq!(
            fs.rename("/", "/a").map_err(|e| e.kind),
            Err(FsErrorKind::Invalid)
        );
        assert_eq!(
            fs.open("/", Open::Create).map_err(|e| e.kind),
            Err(FsErrorKind::IsDir)
        );
    });
}

#[test]
fn names_that_cannot_be_held_are_refused_and_change_nothing() {
    each(|_, mut fs| {
        store(&mut fs, "/a", b"kept");
        let long = format!("/{}", "n".repeat(300));
        for bad in ["", "a", "/a/../b", "/x\0y", "//a", &long] {
            let mut kinds = Vec::from([
                fs.open(bad, Open::Create).map(drop),
                fs.create_dir(bad),
                fs.rename("/a", bad),
            ]);
            kinds.extend(
                [fs.list(bad).map(drop), fs.entry(bad).map(drop)]
                    .into_iter()
                    .filter(|_| bad != long),
            );
            for result in kinds {
                assert_eq!(
                    result.map_err(|e| e.kind),
                    Err(FsErrorKind::Name),
                    "{bad:?}"
                );
            }
        }
        assert_eq!(load(&mut fs, "/a"), b"kept");
        assert_eq!(fs.list("/").expect("the root").len(), 1);
    });
}

#[test]
fn handles_that_are_not_open_and_places_beyond_a_file_are_refused() {
    each(|_, mut fs| {
        let stale = Handle(12_345);
        assert_eq!(
            fs.read(stale, 0, &mut [0]).map_err(|e| e.kind),
            Err(FsErrorKind::Invalid)
        );
        assert_eq!(
            fs.write(stale, 0, &[0]).map_err(|e| e.kind),
            Err(FsErrorKind::Invalid)
        );
        assert_eq!(
            fs.truncate(stale, 0).map_err(|e| e.kind),
            Err(FsErrorKind::Invalid)
        );
        assert_eq!(
            fs.sync(stale).map_err(|e| e.kind),
            Err(FsErrorKind::Invalid)
        );
        assert_eq!(
            fs.close(stale).map_err(|e| e.kind),
            Err(FsErrorKind::Invalid)
        );

        let file = fs.open("/a", Open::Create).expect("room");
        fs.write(file, 0, b"four").expect("room");
        assert_eq!(
            fs.write(file, 5, b"x").map_err(|e| e.kind),
            Err(FsErrorKind::Invalid)
        );
        assert_eq!(fs.read(file, 4, &mut [0]), Ok(0));
        assert_eq!(fs.read(file, u64::MAX, &mut [0]), Ok(0));
        let mut out = [0; 9];
        assert_eq!(fs.read(file, 1, &mut out), Ok(3));
        assert_eq!(&out[..3], b"our");
        fs.close(file).expect("open");

        let file = fs.open("/a", Open::Read).expect("a file");
        assert_eq!(
            fs.write(file, 0, b"x").map_err(|e| e.kind),
            Err(FsErrorKind::Invalid)
        );
        assert_eq!(
            fs.truncate(file, 1).map_err(|e| e.kind),
            Err(FsErrorKind::Invalid)
        );
        fs.close(file).expect("open");
        assert_eq!(load(&mut fs, "/a"), b"four");
    });
}

#[test]
fn files_and_directories_are_told_apart() {
    each(|_, mut fs| {
        store(&mut fs, "/file", b"x");
        fs.create_dir("/dir").expect("room");
        store(&mut fs, "/dir/in", b"y");
        assert_eq!(
            fs.list("/file").map_err(|e| e.kind),
            Err(FsErrorKind::NotDir)
        );
        assert_eq!(
            fs.list("/none").map_err(|e| e.kind),
            Err(FsErrorKind::NotFound)
        );
        assert_eq!(
            fs.entry("/file/x").map_err(|e| e.kind),
            Err(FsErrorKind::NotDir)
        );
        assert_eq!(
            fs.open("/dir", Open::Read).map_err(|e| e.kind),
            Err(FsErrorKind::IsDir)
        );
        assert_eq!(
            fs.remove("/dir").map_err(|e| e.kind),
            Err(FsErrorKind::NotEmpty)
        );
        assert_eq!(
            fs.rename("/dir", "/dir/sub").map_err(|e| e.kind),
            Err(FsErrorKind::Invalid)
        );
        assert_eq!(
            fs.create_dir("/file").map_err(|e| e.kind),
            Err(FsErrorKind::Exists)
        );
        fs.remove("/dir/in").expect("there");
        fs.remove("/dir").expect("empty");
    });
}

#[test]
fn what_is_open_stays_where_it_is() {
    each(|_, mut fs| {
        fs.create_dir("/d").expect("room");
        let file = fs.open("/d/a", Open::Create).expect("room");
        for busy in [
            fs.open("/d/a", Open::Read).map(drop),
            fs.remove("/d/a"),
            fs.rename("/d/a", "/d/b"),
            fs.rename("/d", "/e"),
        ] {
            assert_eq!(busy.map_err(|e| e.kind), Err(FsErrorKind::Busy));
        }
        fs.write(file, 0, b"still").expect("room");
        fs.close(file).expect("open");
        fs.rename("/d", "/e").expect("closed");
        assert_eq!(load(&mut fs, "/e/a"), b"still");
    });
}

#[test]
fn several_files_grow_side_by_side() {
    each(|case, mut fs| {
        let paths = ["/one", "/two", "/three"];
        let files = paths.map(|path| fs.open(path, Open::Create).expect("room"));
        for round in 0..40_u8 {
            for (file, number) in files.into_iter().zip(1..) {
                let data = [round * number; 100];
                fs.write(file, u64::from(round) * 100, &data).expect("room");
            }
        }
        for file in files {
            fs.sync(file).expect("room");
        }
        // Dropped as it is.
        drop(fs);
        let mut fs = case.again();
        for (path, number) in paths.into_iter().zip(1..) {
            let expected: Vec<u8> = (0..40_u8).flat_map(|round| [round * number; 100]).collect();
            assert!(load(&mut fs, path) == expected, "{path}");
        }
    });
}

#[test]
fn a_full_memory_says_so_and_serves_again_when_there_is_room() {
    each(|case, mut fs| {
        store(&mut fs, "/kept", &[7; 3000]);
        let before = fs.space().expect("sound");
        assert!(
            before.free <= before.total && before.free > before.total / 2,
            "{before:?}"
        );
        let full = (0..1000).find_map(|number| {
            let path = format!("/fill{number}");
            let file = match fs.open(&path, Open::Create) {
                Ok(file) => file,
                Err(error) => return Some(error.kind),
            };
            let written = fs.write(file, 0, &[number as u8; 5000]);
            let closed = fs.close(file);
            written.and(closed).err().map(|error| error.kind)
        });
        assert_eq!(full, Some(FsErrorKind::Full));
        assert_eq!(load(&mut fs, "/kept"), [7; 3000]);
        assert!(fs.space().expect("sound").free < before.free / 2);
        for number in 0..1000 {
            match fs.remove(&format!("/fill{number}")) {
                Ok(()) => {}
                Err(error) => {
                    assert_eq!(error.kind, FsErrorKind::NotFound);
                    break;
                }
            }
        }
        store(&mut fs, "/after", &[9; 20_000]);
        fs.unmount().expect("room");
        let mut fs = case.again();
        assert_eq!(load(&mut fs, "/kept"), [7; 3000]);
        assert!(load(&mut fs, "/after") == [9; 20_000]);
    });
}

#[test]
fn reads_and_mounts_leave_the_memory_alone_and_a_sync_costs_once() {
    each(|case, mut fs| {
        store(&mut fs, "/a", &[1; 2000]);
        let file = fs.open("/a", Open::Write).expect("a file");
        let before = (case.accesses)();
        fs.sync(file).expect("nothing to do");
        assert_eq!((case.accesses)(), before, "nothing was written");
        fs.write(file, 0, &[2; 100]).expect("room");
        fs.sync(file).expect("room");
        let synced = (case.accesses)();
        assert!(synced > before);
        fs.sync(file).expect("nothing to do");
        assert_eq!((case.accesses)(), synced);
    });
}

#[test]
fn ram_grows_with_open_files_and_falls_again() {
    each(|_, mut fs| {
        let idle = fs.ram();
        let file = fs.open("/a", Open::Create).expect("room");
        let open = fs.ram();
        assert!(open.structures > idle.structures && open.buffers >= idle.buffers);
        fs.close(file).expect("open");
        assert_eq!(fs.ram(), idle);
        assert!(idle.buffers > 0);
    });
}

#[test]
fn parts_become_valid_together_where_the_file_system_says_so() {
    each(|case, mut fs| {
        store(&mut fs, "/a", &[1; 6000]);
        let together = |fs: &mut Mounted, how, parts: &[(u64, &[u8])]| {
            let file = fs.open("/a", how).expect("a file");
            let done = fs.write_together(file, parts);
            fs.close(file).expect("open");
            done.map_err(|error| error.kind)
        };
        let parts: [(u64, &[u8]); 3] = [(4000, &[2; 700]), (10, &[3; 4]), (4700, &[4; 30])];
        let done = together(&mut fs, Open::Write, &parts);
        let engine = case.name.split(' ').next().expect("a name");
        let engine = named(FILE_SYSTEMS, engine).expect("a file system");
        let Some(pages) = engine.promise().together_pages else {
            assert_eq!(done, Err(FsErrorKind::Unsuitable), "{}", case.name);
            assert_eq!(load(&mut fs, "/a"), [1; 6000], "{}", case.name);
            return;
        };
        assert_eq!(done, Ok(()), "{}", case.name);
        let mut expected = vec![1; 6000];
        for (at, data) in parts {
            expected[at as usize..][..data.len()].copy_from_slice(data);
        }
        assert_eq!(load(&mut fs, "/a"), expected, "{}", case.name);
        let read_only = together(&mut fs, Open::Read, &parts);
        assert_eq!(read_only, Err(FsErrorKind::Invalid), "{}", case.name);
        // Beyond the end, and in more pages than fit.
        let many: Vec<(u64, &[u8])> = (0..=u64::from(pages))
            .map(|page| (page * 600, &[9][..]))
            .collect();
        for parts in [&[(5999, &[5; 2][..])][..], &many] {
            let refused = together(&mut fs, Open::Write, parts);
            assert_eq!(refused, Err(FsErrorKind::Unsuitable), "{}", case.name);
        }
        assert_eq!(load(&mut fs, "/a"), expected, "{}", case.name);
    });
}
