//! Damaged content: an error or the right bytes, and never a panic or a call without end.

use wordline_engines::{FileSystem, FsError, FsErrorKind, Open, Shared};
use wordline_memory::ByteMemory;

use crate::engines::memories::{Bytes, bytes, with_room};

/// xorshift64, by Marsaglia ("Xorshift RNGs", 2003).
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn survives_damage<F: FileSystem>(
    format: impl Fn(Shared<Bytes>) -> Result<(), FsError>,
    mount: impl Fn(Shared<Bytes>) -> Result<F, FsError>,
) {
    let memory = Shared::new(bytes());
    format(memory.clone()).expect("room");
    let mut fs = mount(memory.clone()).expect("formatted");
    fs.create_dir("/d").expect("room");
    for name in ["/a", "/d/b", "/d/a longer name.txt"] {
        let file = fs.open(name, Open::Create).expect("room");
        fs.write(file, 0, &[0x5A; 2500]).expect("room");
        fs.close(file).expect("room");
    }
    fs.unmount().expect("sound");
    drop(fs);
    let sound = memory.borrow().clone();

    let (mut refused, mut told, mut served) = (0, 0, 0);
    for seed in 1..=400 {
        let mut state = u64::wrapping_mul(seed, 0x9E37_79B9_7F4A_7C15);
        let mut memory = sound.clone();
        for _ in 0..1 << (next(&mut state) % 8) {
            // Most of what matters lies at the front.
            let at = next(&mut state) % [1 << 9, 1 << 12, 16 << 10][(seed % 3) as usize];
            memory.write(at, &[next(&mut state) as u8]).expect("inside");
        }
        match mount(Shared::new(memory)) {
            Ok(mut fs) => match use_all(&mut fs) {
                Ok(()) => served += 1,
                Err(_) => told += 1,
            },
            Err(error) => {
                assert_ne!(error.kind, FsErrorKind::Device, "seed {seed}");
                refused += 1;
            }
        }
    }
    // littlefs looks at all of its metadata when it mounts, and tells of all of its damage there.
    assert!(refused > 0 && served > 0, "{refused}, {told}, {served}");
}

/// Reads and changes all that there is.
fn use_all(fs: &mut impl FileSystem) -> Result<(), FsError> {
    let mut dirs = vec![String::new()];
    let mut met = 0;
    while let Some(dir) = dirs.pop() {
        let path = if dir.is_empty() { "/" } else { &dir };
        for entry in fs.list(path)? {
            let path = format!("{dir}/{}", entry.name);
            met += 1;
            if met > 100 || path.len() > 1000 {
                // A directory that leads to one above it.
                return Err(FsErrorKind::Corrupt.into());
            }
            if entry.is_dir {
                dirs.push(path);
                continue;
            }
            let file = fs.open(&path, Open::Write)?;
            let mut out = vec![0; 10_000];
            fs.read(file, 0, &mut out)?;
            fs.write(file, 0, &[1; 700])?;
            fs.close(file)?;
            fs.rename(&path, &format!("{dir}/new"))?;
            fs.remove(&format!("{dir}/new"))?;
        }
    }
    let file = fs.open("/new", Open::Create)?;
    fs.write(file, 0, &[2; 9000])?;
    fs.close(file)?;
    fs.space()?;
    fs.unmount()
}

#[cfg(feature = "fat")]
#[test]
fn fat_survives_damage() {
    use wordline_engines::{Fat, FatOptions, Sectors};
    with_room(|| {
        survives_damage(
            |memory| Fat::format(Sectors::new(memory), &FatOptions::default()),
            |memory| Fat::mount(Sectors::new(memory)),
        );
    });
}

#[cfg(feature = "littlefs")]
#[test]
fn littlefs_survives_damage() {
    use wordline_engines::{ByteBlocks, LittleFs, LittleFsOptions};
    let options = LittleFsOptions::default();
    with_room(move || {
        survives_damage(
            |memory| LittleFs::format(ByteBlocks::new(memory)?, &options),
            |memory| LittleFs::mount(ByteBlocks::new(memory)?, &options),
        );
    });
}
