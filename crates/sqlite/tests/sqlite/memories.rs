//! Memories in RAM.

use std::collections::BTreeMap;
use std::convert::Infallible;

use wordline_engines::{
    ByteBlocks, ByteBox, Entry, Fat, FatOptions, FileSystem, FlashBox, Flat, FlatOptions, FsError,
    FsErrorKind, Handle, HostFiles, LittleFs, LittleFsOptions, Open, RamUse, Rtfs, RtfsOptions,
    Sectors, Shared, Space, SpareFlash,
};
use wordline_memory::{ByteMemory, Geometry, RamFlash};
use wordline_rtfs::PacedGround;

/// Bytes on the heap.
pub(crate) struct Bytes(Vec<u8>);

impl Bytes {
    pub(crate) fn shared(bytes: usize) -> Shared<Self> {
        Self::of(vec![0; bytes])
    }

    pub(crate) fn of(bytes: Vec<u8>) -> Shared<Self> {
        Shared::new(Self(bytes))
    }

    pub(crate) fn copy(&self) -> Vec<u8> {
        self.0.clone()
    }
}

impl ByteMemory for Bytes {
    type Error = Infallible;

    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn atom(&self) -> usize {
        8
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), Infallible> {
        out.copy_from_slice(&self.0[at as usize..][..out.len()]);
        Ok(())
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), Infallible> {
        self.0[at as usize..][..data.len()].copy_from_slice(data);
        Ok(())
    }

    fn persist(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// A file system in RAM, or in a directory of the host.
pub(crate) type Mounted = Box<dyn FileSystem + Send>;

/// File systems, each freshly made.
pub(crate) fn file_systems() -> Vec<(&'static str, Mounted, Option<tempfile::TempDir>)> {
    let host = tempfile::tempdir().expect("a directory");
    let on_host = HostFiles::new(host.path()).expect("a directory");
    vec![
        ("ram", Box::new(RamFiles::default()), None),
        ("littlefs", littlefs(1 << 20), None),
        ("flat", flat(1 << 20, 4096), None),
        ("fat", fat(1 << 20), None),
        ("rtfs", rtfs(), None),
        ("host", Box::new(on_host), Some(host)),
    ]
}

/// Files that are vectors, without directories: as little as a file system can cost.
#[derive(Default)]
pub(crate) struct RamFiles {
    files: BTreeMap<String, Vec<u8>>,
    open: BTreeMap<Handle, String>,
    last: u32,
}

impl RamFiles {
    fn file(&mut self, file: Handle) -> Result<&mut Vec<u8>, FsError> {
        let path = self.open.get(&file).ok_or(FsErrorKind::Invalid)?;
        Ok(self.files.get_mut(path).ok_or(FsErrorKind::Invalid)?)
    }
}

impl FileSystem for RamFiles {
    fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        let makes = matches!(how, Open::Create | Open::Replace);
        match self.files.get_mut(path) {
            Some(file) if how == Open::Replace => file.clear(),
            Some(_) => {}
            None if makes => drop(self.files.insert(path.to_owned(), Vec::new())),
            None => return Err(FsErrorKind::NotFound.into()),
        }
        self.last += 1;
        self.open.insert(Handle(self.last), path.to_owned());
        Ok(Handle(self.last))
    }

    fn read(&mut self, file: Handle, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        let there = self.file(file)?.get(at as usize..).unwrap_or_default();
        let read = there.len().min(out.len());
        out[..read].copy_from_slice(&there[..read]);
        Ok(read)
    }

    fn write(&mut self, file: Handle, at: u64, data: &[u8]) -> Result<(), FsError> {
        let (file, at) = (self.file(file)?, at as usize);
        if at > file.len() {
            return Err(FsErrorKind::Invalid.into());
        }
        file.resize(file.len().max(at + data.len()), 0);
        file[at..][..data.len()].copy_from_slice(data);
        Ok(())
    }

    fn truncate(&mut self, file: Handle, bytes: u64) -> Result<(), FsError> {
        self.file(file)?.resize(bytes as usize, 0);
        Ok(())
    }

    fn sync(&mut self, file: Handle) -> Result<(), FsError> {
        self.file(file).map(drop)
    }

    fn close(&mut self, file: Handle) -> Result<(), FsError> {
        let closed = self.open.remove(&file);
        Ok(closed.map(drop).ok_or(FsErrorKind::Invalid)?)
    }

    fn create_dir(&mut self, _: &str) -> Result<(), FsError> {
        Err(FsErrorKind::Unsuitable.into())
    }

    fn remove(&mut self, path: &str) -> Result<(), FsError> {
        let removed = self.files.remove(path);
        Ok(removed.map(drop).ok_or(FsErrorKind::NotFound)?)
    }

    fn rename(&mut self, _: &str, _: &str) -> Result<(), FsError> {
        Err(FsErrorKind::Unsuitable.into())
    }

    fn entry(&mut self, path: &str) -> Result<Entry, FsError> {
        let file = self.files.get(path).ok_or(FsErrorKind::NotFound)?;
        Ok(Entry {
            name: path.to_owned(),
            is_dir: false,
            bytes: file.len() as u64,
        })
    }

    fn list(&mut self, _: &str) -> Result<Vec<Entry>, FsError> {
        let paths: Vec<_> = self.files.keys().cloned().collect();
        paths.iter().map(|path| self.entry(path)).collect()
    }

    fn space(&mut self) -> Result<Space, FsError> {
        Err(FsErrorKind::Unsuitable.into())
    }

    fn ram(&self) -> RamUse {
        RamUse::default()
    }

    fn unmount(&mut self) -> Result<(), FsError> {
        self.open.clear();
        Ok(())
    }
}

/// littlefs in so many bytes of RAM.
pub(crate) fn littlefs(bytes: usize) -> Mounted {
    on_littlefs(Bytes::shared(bytes))
}

/// littlefs on a memory.
pub(crate) fn on_littlefs<M>(memory: Shared<M>) -> Mounted
where
    M: ByteMemory<Error: std::fmt::Display> + Send + 'static,
{
    let blocks = || ByteBlocks::of_bytes(memory.clone(), 1024).expect("it divides the memory");
    let options = LittleFsOptions::default();
    LittleFs::format(blocks(), &options).expect("it suits");
    Box::new(LittleFs::mount(blocks(), &options).expect("formatted"))
}

/// flat in so many bytes of RAM, with so many in reserve for a file that grows.
pub(crate) fn flat(bytes: usize, reserve_bytes: u32) -> Mounted {
    let memory = Bytes::shared(bytes);
    let options = FlatOptions {
        reserve_bytes: Some(reserve_bytes),
        ..FlatOptions::default()
    };
    Flat::format(ByteBox::new(memory.clone()), &options).expect("it suits");
    Box::new(Flat::mount(ByteBox::new(memory), &options).expect("formatted"))
}

/// FAT in so many bytes of RAM.
pub(crate) fn fat(bytes: usize) -> Mounted {
    let sectors = Sectors::new(Bytes::shared(bytes));
    let sectors = Shared::new(sectors);
    Fat::format(sectors.clone(), &FatOptions::default()).expect("it suits");
    Box::new(Fat::mount(sectors).expect("formatted"))
}

/// rtfs on NAND with pages of 1 KiB.
pub(crate) fn rtfs() -> Mounted {
    let geometry = Geometry {
        page_bytes: 1024,
        spare_bytes: 32,
        pages_per_block: 64,
        blocks: 48,
        program_bytes: 1,
        programs_per_page: Some(1),
        once_bytes: None,
        in_order: true,
    };
    let flash = RamFlash::<1056, 64, 48>::new(geometry).expect("sizes");
    let flash = Shared::new(flash);
    let memory = || SpareFlash {
        flash: FlashBox::new(flash.clone()),
        columns: std::array::from_fn(|byte| 1 + byte as u32),
        ground: PacedGround {
            geometry,
            bad_blocks: 2,
        },
    };
    let options = RtfsOptions {
        spare_percent: 60,
        ..RtfsOptions::default()
    };
    Rtfs::format(memory(), &options).expect("it suits");
    Box::new(Rtfs::mount(memory(), &options).expect("formatted"))
}

/// Runs a test where large memories may lie on the stack.
pub(crate) fn with_room(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let done = thread.spawn(test).expect("a thread").join();
    if let Err(panic) = done {
        std::panic::resume_unwind(panic);
    }
}
