//! flat, the project's own files for byte-addressable memory (`crates/flat`), on MRAM, FRAM and EEPROM.
//!
//! What its users should know:
//! - A write within a file's length stores its bytes in place, and nothing else. A power cut within it leaves each atom of
//!   the memory old or new: what a program cannot bear to be torn it journals itself, as databases do.
//! - What lies behind the length appears together with the new length, or not at all. What was synced lasts; a removal, a
//!   rename and a shorter length last when the call returns.
//! - A rename replaces a file, or an empty directory by a directory.
//! - Flash cannot take it.

use std::collections::BTreeMap;

use wordline_flat::{
    FlatEntry, FlatError, FlatFile, FlatFiles, FlatOpen, FlatShape, FlatUse, NAME_BYTES_MAX, format,
};
use wordline_memory::ByteMemory as _;

use crate::open_files::{OpenFiles, not_open};
use crate::{
    ByteBox, Contract, Engine, Entry, FileSystem, FileSystemEngine, FsError, FsErrorKind,
    FsOptions, Handle, Needs, Open, Promise, RamPart, RamUse, Space, check_path, option,
};

/// How flat is set up: its usual shape and use where nothing is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlatOptions {
    /// Bytes of a unit.
    pub unit_bytes: Option<u32>,
    /// Slots for records.
    pub records: Option<u32>,
    /// The most extents of a file.
    pub extents: Option<u32>,
    /// Files that can be open at a time.
    pub open_files: Option<u32>,
    /// Bytes that a growing file takes at least.
    pub reserve_bytes: Option<u32>,
}

impl FlatOptions {
    /// The shape of a memory of so many bytes.
    fn shape(&self, bytes: u64) -> FlatShape {
        let usual = FlatShape::usual(bytes);
        FlatShape {
            bytes,
            unit_bytes: self.unit_bytes.unwrap_or(usual.unit_bytes),
            records: self.records.unwrap_or(usual.records),
            extents: self.extents.unwrap_or(usual.extents),
        }
    }

    fn of_use(&self) -> FlatUse {
        let usual = FlatUse::default();
        FlatUse {
            open_files: self.open_files.unwrap_or(usual.open_files),
            reserve_bytes: self.reserve_bytes.unwrap_or(usual.reserve_bytes),
        }
    }
}

/// flat by name.
pub(crate) struct FlatEngine;

impl Engine for FlatEngine {
    type Offer = dyn FileSystem + Send;

    fn name(&self) -> &'static str {
        "flat"
    }

    fn title(&self) -> &'static str {
        "flat"
    }

    fn promise(&self) -> Promise {
        Promise {
            survives_power_cuts: true,
            overwrites_in_place: true,
            ..Promise::NONE
        }
    }

    fn needs(&self) -> Needs {
        Needs::Bytes
    }

    fn format(&self, memory: Contract, options: &FsOptions) -> Result<(), FsError> {
        Flat::format(memory.bytes()?, &chosen(options)?)
    }

    fn open(&self, memory: Contract, options: &FsOptions) -> Result<Box<Self::Offer>, FsError> {
        Ok(Box::new(Flat::mount(memory.bytes()?, &chosen(options)?)?))
    }
}

impl FileSystemEngine for FlatEngine {
    fn options(&self) -> &'static [&'static str] {
        &["unit", "records", "extents", "files", "reserve"]
    }

    /// A file that grows in longer steps changes its record less often.
    fn speed_options(&self) -> &'static [(&'static str, &'static [i64])] {
        &[("reserve", &[1024, 4096, 16384, 65536])]
    }
}

/// The options by name.
fn chosen(options: &FsOptions) -> Result<FlatOptions, FsError> {
    let of = |name| option("flat", options, name);
    Ok(FlatOptions {
        unit_bytes: of("unit")?,
        records: of("records")?,
        extents: of("extents")?,
        open_files: of("files")?,
        reserve_bytes: of("reserve")?,
    })
}

/// Mounted flat files.
pub struct Flat {
    files: Option<FlatFiles<ByteBox, Vec<u32>>>,
    of_use: FlatUse,
    open: OpenFiles,
    handles: BTreeMap<Handle, FlatFile>,
}

impl std::fmt::Debug for Flat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Flat")
            .field("files", &self.files)
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

impl Flat {
    /// Writes an empty file system.
    ///
    /// # Errors
    /// When memory or options do not suit it, or the memory fails.
    pub fn format(mut memory: ByteBox, options: &FlatOptions) -> Result<(), FsError> {
        let shape = options.shape(memory.len());
        format(&mut memory, &shape).map_err(failed)
    }

    /// Mounts the file system that a memory holds.
    ///
    /// # Errors
    /// When it holds none, or the memory fails.
    pub fn mount(mut memory: ByteBox, options: &FlatOptions) -> Result<Self, FsError> {
        let of_use = options.of_use();
        let shape = FlatShape::of(&mut memory).map_err(failed)?;
        let ram = vec![0; shape.ram_words(&of_use) as usize];
        Ok(Self {
            files: Some(FlatFiles::mount(memory, &of_use, ram).map_err(failed)?),
            of_use,
            open: OpenFiles::default(),
            handles: BTreeMap::new(),
        })
    }

    fn mounted(&mut self) -> Result<&mut FlatFiles<ByteBox, Vec<u32>>, FsError> {
        self.files.as_mut().ok_or_else(not_mounted)
    }

    /// The file system and an open file.
    fn file(
        &mut self,
        file: Handle,
    ) -> Result<(&mut FlatFiles<ByteBox, Vec<u32>>, FlatFile), FsError> {
        let files = self.files.as_mut().ok_or_else(not_mounted)?;
        let file = self.handles.get(&file).ok_or_else(not_open)?;
        Ok((files, *file))
    }

    /// RAM by what it is for: the words that the caller gives, and the structures.
    fn parts(&self) -> [RamPart; 4] {
        let shape = self.files.as_ref().map(|files| *files.shape());
        let words = |shape: FlatShape, open_files| {
            let of_use = FlatUse {
                open_files,
                ..self.of_use
            };
            shape.ram_words(&of_use)
        };
        let of = |part: &dyn Fn(FlatShape) -> u64| shape.map_or(0, part);
        let structures = size_of::<FlatFiles<(), [u32; 2]>>() + self.open.count() * 8;
        [
            (
                "unit-map",
                of(&|shape| 4 * u64::from(shape.units().div_ceil(32))),
            ),
            ("record-index", of(&|shape| 4 * u64::from(shape.records))),
            (
                "open-files",
                of(&|shape| 4 * (words(shape, self.of_use.open_files) - words(shape, 0))),
            ),
            ("structures", structures as u64),
        ]
        .map(|(name, bytes)| RamPart { name, bytes })
    }
}

impl FileSystem for Flat {
    fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        check_path(path)?;
        self.open.check_file(path)?;
        let open = match how {
            Open::Read | Open::Write => FlatOpen::Existing,
            Open::Create => FlatOpen::Create,
            Open::Replace => FlatOpen::Replace,
        };
        let file = self.mounted()?.open(path, open).map_err(failed)?;
        let handle = self.open.add(path.into(), how != Open::Read);
        self.handles.insert(handle, file);
        Ok(handle)
    }

    fn read(&mut self, file: Handle, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        let (files, file) = self.file(file)?;
        files.read(file, at, out).map_err(failed)
    }

    fn write(&mut self, file: Handle, at: u64, data: &[u8]) -> Result<(), FsError> {
        self.open.check_writable(file)?;
        let (files, file) = self.file(file)?;
        files.write(file, at, data).map_err(failed)
    }

    fn truncate(&mut self, file: Handle, bytes: u64) -> Result<(), FsError> {
        self.open.check_writable(file)?;
        let (files, file) = self.file(file)?;
        files.truncate(file, bytes).map_err(failed)
    }

    fn sync(&mut self, file: Handle) -> Result<(), FsError> {
        let (files, file) = self.file(file)?;
        files.sync(file).map_err(failed)
    }

    fn close(&mut self, file: Handle) -> Result<(), FsError> {
        self.mounted()?;
        self.open.remove(file)?;
        let file = self.handles.remove(&file).ok_or_else(not_open)?;
        let files = self.mounted()?;
        files.sync(file).and(files.close(file)).map_err(failed)
    }

    fn create_dir(&mut self, path: &str) -> Result<(), FsError> {
        check_path(path)?;
        self.mounted()?.make_directory(path).map_err(failed)
    }

    fn remove(&mut self, path: &str) -> Result<(), FsError> {
        self.open.check_remove(path)?;
        self.mounted()?.remove(path).map_err(failed)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        self.open.check_rename(from, to)?;
        self.mounted()?.rename(from, to).map_err(failed)
    }

    fn entry(&mut self, path: &str) -> Result<Entry, FsError> {
        check_path(path)?;
        let found = self.mounted()?.entry(path).map_err(failed)?;
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        Ok(entry(name, found))
    }

    fn list(&mut self, path: &str) -> Result<Vec<Entry>, FsError> {
        check_path(path)?;
        let files = self.mounted()?;
        let mut directory = files.open_directory(path).map_err(failed)?;
        let (mut entries, mut name) = (Vec::new(), [0; NAME_BYTES_MAX]);
        while let Some((name, found)) = files
            .next_entry(&mut directory, &mut name)
            .map_err(failed)?
        {
            entries.push(entry(name, found));
        }
        Ok(entries)
    }

    fn space(&mut self) -> Result<Space, FsError> {
        let room = self.mounted()?.room();
        Ok(Space {
            total: room.total,
            free: room.free,
        })
    }

    /// The words that the files are given, and the structures: as on a microcontroller but for a few words.
    fn ram(&self) -> RamUse {
        let [buffers @ .., structures] = self.parts();
        RamUse {
            buffers: buffers.iter().map(|part| part.bytes).sum(),
            structures: structures.bytes,
        }
    }

    fn ram_parts(&self) -> Vec<RamPart> {
        self.parts().to_vec()
    }

    fn unmount(&mut self) -> Result<(), FsError> {
        let files = self.files.take().ok_or_else(not_mounted)?;
        self.open = OpenFiles::default();
        self.handles.clear();
        let mut memory = files.into_memory();
        memory
            .persist()
            .map_err(|error| failed(FlatError::Memory(error)))
    }
}

fn entry(name: &str, found: FlatEntry) -> Entry {
    Entry {
        name: name.to_owned(),
        is_dir: found.is_directory,
        bytes: u64::from(found.bytes),
    }
}

fn not_mounted() -> FsError {
    FsError::new(FsErrorKind::Invalid, "it is not mounted")
}

/// What an error means to the caller.
fn failed(error: FlatError<String>) -> FsError {
    let kind = match &error {
        FlatError::NotFound => FsErrorKind::NotFound,
        FlatError::Exists => FsErrorKind::Exists,
        FlatError::NotADirectory => FsErrorKind::NotDir,
        FlatError::IsADirectory => FsErrorKind::IsDir,
        FlatError::NotEmpty => FsErrorKind::NotEmpty,
        FlatError::BadName => FsErrorKind::Name,
        FlatError::Busy => FsErrorKind::Busy,
        FlatError::IntoItself | FlatError::NotOpen | FlatError::PastEnd { .. } => {
            FsErrorKind::Invalid
        }
        FlatError::NoSpace
        | FlatError::NoRecords
        | FlatError::Fragmented { .. }
        | FlatError::TooManyOpen { .. }
        | FlatError::TooLong => FsErrorKind::Full,
        FlatError::Foreign
        | FlatError::Version { .. }
        | FlatError::Truncated { .. }
        | FlatError::DamagedHeader
        | FlatError::Corrupt { .. } => FsErrorKind::Corrupt,
        FlatError::Atom { .. }
        | FlatError::Shape { .. }
        | FlatError::Capacity { .. }
        | FlatError::Ram { .. } => FsErrorKind::Unsuitable,
        _ => FsErrorKind::Device,
    };
    FsError::new(kind, error)
}
