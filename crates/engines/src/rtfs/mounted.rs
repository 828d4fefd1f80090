//! A mounted rtfs.

use std::collections::BTreeMap;

use wordline_memory::Flash as _;
use wordline_rtfs::{
    PacedConfig, PacedEntry, PacedError, PacedFile, PacedFiles, PacedOpen, PacedRam,
    PacedSetupError,
};

use super::RtfsOptions;
use crate::open_files::{OpenFiles, not_open};
use crate::{
    Entry, FileSystem, FlashBox, FlashFault, FsError, FsErrorKind, Handle, Open, RamPart, RamUse,
    Space, SpareFlash, check_path,
};

/// Pages that no file takes: the one that the file system begins with, and the root.
const FIXED_PAGES: u32 = 2;

/// A mounted rtfs.
pub struct Rtfs {
    files: Option<PacedFiles<FlashBox, Vec<u8>>>,
    open: OpenFiles,
    handles: BTreeMap<Handle, PacedFile>,
}

impl Rtfs {
    /// Writes an empty file system.
    ///
    /// # Errors
    /// When flash or options do not suit it, or the flash fails.
    pub fn format(memory: SpareFlash, options: &RtfsOptions) -> Result<(), FsError> {
        let (config, ram) = sizes(&memory, options)?;
        let SpareFlash { flash, columns, .. } = memory;
        // Names that come from strangers would want another seed for each volume.
        let done = PacedFiles::format(flash, columns, config, 0, ram);
        done.map(drop).map_err(not_set_up)
    }

    /// Mounts the file system that a flash holds.
    ///
    /// # Errors
    /// When it holds none, or as [`format`](Self::format).
    pub fn mount(memory: SpareFlash, options: &RtfsOptions) -> Result<Self, FsError> {
        let (config, ram) = sizes(&memory, options)?;
        let SpareFlash { flash, columns, .. } = memory;
        let files = PacedFiles::mount(flash, columns, config, ram).map_err(not_set_up)?;
        Ok(Self {
            files: Some(files),
            open: OpenFiles::default(),
            handles: BTreeMap::new(),
        })
    }

    fn mounted(&mut self) -> Result<&mut PacedFiles<FlashBox, Vec<u8>>, FsError> {
        self.files.as_mut().ok_or_else(not_mounted)
    }

    /// RAM by what it is for: the layer's memory, and the structures.
    fn parts(&self) -> [RamPart; 6] {
        let ram = self.files.as_ref().map(|files| files.layer().ram());
        let of = |part: fn(PacedRam) -> usize| ram.map_or(0, part);
        let files = self.open.count() * size_of::<PacedFile>();
        [
            ("page-map", of(|ram| ram.map)),
            ("changed-places", of(|ram| ram.changes)),
            ("live-pages", of(|ram| ram.live_pages)),
            ("block-wear", of(|ram| ram.blocks)),
            ("page-buffer", of(|ram| ram.page)),
            ("structures", size_of::<PacedFiles<(), [u32; 2]>>() + files),
        ]
        .map(|(name, bytes)| RamPart {
            name,
            bytes: bytes as u64,
        })
    }

    /// The file system and an open file.
    fn file(
        &mut self,
        file: Handle,
    ) -> Result<(&mut PacedFiles<FlashBox, Vec<u8>>, &mut PacedFile), FsError> {
        let files = self.files.as_mut().ok_or_else(not_mounted)?;
        let file = self.handles.get_mut(&file).ok_or_else(not_open)?;
        Ok((files, file))
    }
}

/// What the layer is formatted with, and the RAM that it gets.
fn sizes(memory: &SpareFlash, options: &RtfsOptions) -> Result<(PacedConfig, Vec<u8>), FsError> {
    let geometry = memory.flash.geometry();
    let config = options.config(&memory.ground, &geometry);
    let bytes = PacedFiles::<FlashBox, Vec<u8>>::memory_bytes(&config, &geometry);
    let bytes = bytes.map_err(|error| {
        let most = match options.log_entries {
            Some(_) => config.largest(&geometry, u32::MAX),
            None => PacedConfig::largest_usual(&geometry, config.bad_blocks, u32::MAX),
        };
        let fits = |spare: &u32| {
            let spare_percent = *spare;
            let other = RtfsOptions {
                spare_percent,
                ..*options
            };
            most.is_some_and(|most| other.share()(geometry.pages()) <= most)
        };
        match (1..=99).find(fits) {
            Some(least) if least > options.spare_percent => {
                let (found, pages) = (options.spare_percent, geometry.pages());
                let why = format_args!(
                    "rtfs.spare={found}; allowed: {least} to 99, in percent of {pages} pages"
                );
                FsError::new(FsErrorKind::Unsuitable, why)
            }
            _ => FsError::new(FsErrorKind::Unsuitable, error),
        }
    });
    Ok((config, vec![0; bytes?]))
}

impl std::fmt::Debug for Rtfs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rtfs")
            .field("mounted", &self.files.is_some())
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

impl FileSystem for Rtfs {
    fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        check_path(path)?;
        self.open.check_file(path)?;
        let open = match how {
            Open::Read | Open::Write => PacedOpen::READ,
            Open::Create => PacedOpen::CREATE,
            Open::Replace => PacedOpen::REPLACE,
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
        let len = files.length(file).map_err(failed)?;
        if at > len {
            let why = format_args!("byte {at} of a file of {len} bytes");
            return Err(FsError::new(FsErrorKind::Invalid, why));
        }
        files.write(file, at, data).map_err(failed)
    }

    /// As [`PacedFiles::together`]: parts lie in pages that the file has. Neighbouring parts count as one.
    fn write_together(&mut self, file: Handle, parts: &[(u64, &[u8])]) -> Result<(), FsError> {
        self.open.check_writable(file)?;
        let (files, file) = self.file(file)?;
        let mut runs: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut sorted = parts.to_vec();
        sorted.sort_by_key(|(at, _)| *at);
        for (at, data) in sorted {
            match runs.last_mut() {
                Some((first, run)) if *first + run.len() as u64 == at => run.extend(data),
                _ => runs.push((at, data.to_vec())),
            }
        }
        let mut together = files.together();
        let mut parts = runs.iter();
        let added = parts.try_for_each(|(at, data)| together.part(file, *at, data));
        let written = added.and_then(|()| together.write());
        written.map_err(|error| match error {
            PacedError::TooMany { .. } | PacedError::Unwritten => {
                FsError::new(FsErrorKind::Unsuitable, error)
            }
            other => failed(other),
        })
    }

    fn truncate(&mut self, file: Handle, bytes: u64) -> Result<(), FsError> {
        self.open.check_writable(file)?;
        let (files, file) = self.file(file)?;
        files.truncate(file, bytes).map_err(failed)
    }

    /// Nothing: what a write returned from is on the flash.
    fn sync(&mut self, file: Handle) -> Result<(), FsError> {
        self.file(file).map(drop)
    }

    fn close(&mut self, file: Handle) -> Result<(), FsError> {
        self.mounted()?;
        self.open.remove(file)?;
        self.handles.remove(&file).map(drop).ok_or_else(not_open)
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
        let (mut entries, mut name) = (Vec::new(), [0; 255]);
        while let Some((name, found)) = files
            .next_entry(&mut directory, &mut name)
            .map_err(failed)?
        {
            entries.push(entry(name, found));
        }
        Ok(entries)
    }

    fn space(&mut self) -> Result<Space, FsError> {
        let files = self.mounted()?;
        let (room, page) = (files.room(), files.layer().page_bytes());
        let bytes = |pages: u32| u64::from(pages) * u64::from(page);
        Ok(Space {
            total: bytes(room.pages.saturating_sub(FIXED_PAGES)),
            free: bytes(room.free),
        })
    }

    /// The memory that the layer is given, and the structures: as on a microcontroller but for a few words.
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
        self.files.take().ok_or_else(not_mounted)?;
        self.open = OpenFiles::default();
        self.handles.clear();
        Ok(())
    }
}

fn entry(name: &str, found: PacedEntry) -> Entry {
    Entry {
        name: name.to_owned(),
        is_dir: found.is_directory,
        bytes: found.bytes,
    }
}

fn not_mounted() -> FsError {
    FsError::new(FsErrorKind::Invalid, "it is not mounted")
}

/// What an error means to the caller.
fn failed(error: PacedError<FlashFault>) -> FsError {
    let kind = match &error {
        PacedError::NotFound => FsErrorKind::NotFound,
        PacedError::Exists => FsErrorKind::Exists,
        PacedError::NotADirectory => FsErrorKind::NotDir,
        PacedError::IsADirectory => FsErrorKind::IsDir,
        PacedError::NotEmpty => FsErrorKind::NotEmpty,
        PacedError::BadName { .. } => FsErrorKind::Name,
        PacedError::IntoItself => FsErrorKind::Invalid,
        PacedError::NoSpace | PacedError::TooLong { .. } | PacedError::DirectoryFull => {
            FsErrorKind::Full
        }
        PacedError::Stale
        | PacedError::Damaged { .. }
        | PacedError::OutOfRange { .. }
        | PacedError::Group { .. }
        | PacedError::Lost { .. } => FsErrorKind::Corrupt,
        _ => FsErrorKind::Device,
    };
    FsError::new(kind, error)
}

/// What an error of a format or a mount means to the caller.
fn not_set_up(error: PacedSetupError<FlashFault>) -> FsError {
    let kind = match error {
        PacedSetupError::NotFormatted
        | PacedSetupError::Version { .. }
        | PacedSetupError::NoFiles
        | PacedSetupError::FileVersion { .. } => FsErrorKind::Corrupt,
        PacedSetupError::Differs { .. }
        | PacedSetupError::Unsuitable { .. }
        | PacedSetupError::Memory { .. } => FsErrorKind::Unsuitable,
        PacedSetupError::Call(error) => return failed(error),
        _ => FsErrorKind::Device,
    };
    FsError::new(kind, error)
}
