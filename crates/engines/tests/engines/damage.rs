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

/// Changes some bytes of what a memory holds, most of them where `seed` says that they matter.
trait Damage: Clone {
    fn hurt(&mut self, seed: u64, state: &mut u64);
}

impl Damage for Bytes {
    fn hurt(&mut self, seed: u64, state: &mut u64) {
        // Most of what matters lies at the front.
        let at = next(state) % [1 << 9, 1 << 12, 16 << 10][(seed % 3) as usize];
        self.write(at, &[next(state) as u8]).expect("inside");
    }
}

fn survives_damage<D: Damage, F: FileSystem>(
    memory: D,
    format: impl Fn(Shared<D>) -> Result<(), FsError>,
    mount: impl Fn(Shared<D>) -> Result<F, FsError>,
) {
    let memory = Shared::new(memory);
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
            memory.hurt(seed, &mut state);
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

#[test]
fn flat_survives_damage() {
    use wordline_engines::{ByteBox, Flat, FlatOptions};
    let options = FlatOptions::default();
    with_room(move || {
        survives_damage(
            bytes(),
            |memory| Flat::format(ByteBox::new(memory), &options),
            |memory| Flat::mount(ByteBox::new(memory), &options),
        );
    });
}

#[cfg(feature = "fat")]
#[test]
fn fat_survives_damage() {
    use wordline_engines::{Fat, FatOptions, Sectors};
    with_room(|| {
        survives_damage(
            bytes(),
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
            bytes(),
            |memory| LittleFs::format(ByteBlocks::new(memory)?, &options),
            |memory| LittleFs::mount(ByteBlocks::new(memory)?, &options),
        );
    });
}

mod rtfs {
    use std::collections::BTreeMap;

    use wordline_engines::{Rtfs, RtfsOptions};
    use wordline_memory::{Ecc, Flash, FlashErrorKind, Geometry};

    use super::*;
    use crate::engines::memories::{PagedNand, paged_nand, spare_flash};

    /// A flash some of whose bytes read as others, and whose ECC does not notice.
    #[derive(Clone)]
    struct Decayed {
        flash: PagedNand,
        /// By page and column; an erase heals its block.
        bytes: BTreeMap<(u32, u32), u8>,
    }

    impl Damage for Decayed {
        fn hurt(&mut self, seed: u64, state: &mut u64) {
            let geometry = self.flash.geometry();
            let pages = [4, 64, geometry.pages()][(seed % 3) as usize];
            let column = next(state) % geometry.columns();
            let place = ((next(state) % pages) as u32, column as u32);
            self.bytes.insert(place, next(state) as u8);
        }
    }

    impl Flash for Decayed {
        type Error = FlashErrorKind;

        fn geometry(&self) -> Geometry {
            self.flash.geometry()
        }

        fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, FlashErrorKind> {
            let read = self.flash.read(page, column, out)?;
            let end = column + out.len() as u32;
            for ((_, at), byte) in self.bytes.range((page, column)..(page, end)) {
                out[(at - column) as usize] = *byte;
            }
            Ok(read)
        }

        fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), FlashErrorKind> {
            self.flash.program(page, column, data)
        }

        fn erase(&mut self, block: u32) -> Result<(), FlashErrorKind> {
            let geometry = self.geometry();
            self.bytes
                .retain(|(page, _), _| geometry.block_of(*page) != block);
            self.flash.erase(block)
        }

        fn is_bad(&mut self, block: u32) -> Result<bool, FlashErrorKind> {
            self.flash.is_bad(block)
        }

        fn mark_bad(&mut self, block: u32) -> Result<(), FlashErrorKind> {
            self.flash.mark_bad(block)
        }
    }

    #[test]
    fn rtfs_survives_damage() {
        let options = RtfsOptions {
            spare_percent: 60,
            ..RtfsOptions::default()
        };
        with_room(move || {
            let memory = Decayed {
                flash: paged_nand(),
                bytes: BTreeMap::new(),
            };
            survives_damage(
                memory,
                |memory| Rtfs::format(spare_flash(memory), &options),
                |memory| Rtfs::mount(spare_flash(memory), &options),
            );
        });
    }
}
