//! A mounted FAT volume.

use std::io::{Read, Write};
use std::mem::size_of;

use fatfs::{FormatVolumeOptions, FsOptions};

use super::disk::Disk;
use super::file::{extend, open, seek, write};
use super::name::check_name;
use super::volume::{FatFault, FatVolume, Files, Fs, OpenFile, find, folded, guarded};
use crate::open_files::{OpenFiles, is_within, not_open};
use crate::{
    Entry, FileSystem, FsError, FsErrorKind, Handle, Open, RamUse, SectorBox, Shared, Space,
    check_path,
};

/// Bytes in the buffer of a long name: 20 entries of 13 characters of 2 bytes.
const LONG_NAME_BYTES: u64 = 20 * 13 * 2;

/// How a volume is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatOptions {
    /// Bytes in a cluster, a power of two of at least a sector; rust-fatfs chooses by the capacity where it is `None`.
    pub cluster_bytes: Option<u32>,
    /// Copies of the table, 1 or 2. Every change of the table is written to each.
    pub tables: u8,
}

impl Default for FatOptions {
    /// What rust-fatfs takes: two tables, and clusters of 512 B to 32 KiB.
    fn default() -> Self {
        Self {
            cluster_bytes: None,
            tables: 2,
        }
    }
}

/// A mounted FAT volume. A file is open at most once.
///
/// Dropping it leaves the memory as a power cut does; [`unmount`](FileSystem::unmount) writes what is left.
pub struct Fat {
    disk: Shared<Disk>,
    volume: Option<FatVolume>,
    open: OpenFiles,
}

impl Fat {
    /// Makes an empty volume.
    ///
    /// Its sectors are those of the device, and at least 512 and at most 4096 bytes.
    ///
    /// # Errors
    /// [`FsErrorKind::Unsuitable`] where the device or the options cannot be, and when the device fails.
    pub fn format(device: impl Into<SectorBox>, options: &FatOptions) -> Result<(), FsError> {
        let device = device.into();
        let sector_bytes = sector_bytes(device.sector_bytes())?;
        let mut format = FormatVolumeOptions::new().bytes_per_sector(sector_bytes);
        if let Some(bytes) = options.cluster_bytes {
            if !bytes.is_power_of_two() || bytes < sector_bytes.into() || bytes > 64 << 10 {
                let why = format_args!("clusters of {bytes} B with sectors of {sector_bytes} B");
                return Err(FsError::new(FsErrorKind::Unsuitable, why));
            }
            format = format.bytes_per_cluster(bytes);
        }
        if !(1..=2).contains(&options.tables) {
            let why = format_args!(
                "{} copies of the table, and there are 1 or 2",
                options.tables
            );
            return Err(FsError::new(FsErrorKind::Unsuitable, why));
        }
        let disk = Shared::new(Disk::new(device));
        let run = || {
            // All of the table is written.
            disk.borrow().allow_everything();
            fatfs::format_volume(disk.clone(), format.fats(options.tables))?;
            disk.borrow().sync()?;
            Ok(())
        };
        guarded(&disk, 0, run).map_err(|error| match error.kind {
            FsErrorKind::Device => error,
            _ => FsError::new(FsErrorKind::Unsuitable, error.detail),
        })
    }

    /// Mounts a volume.
    ///
    /// # Errors
    /// [`FsErrorKind::Corrupt`] where there is none, and when the device fails.
    pub fn mount(device: impl Into<SectorBox>) -> Result<Self, FsError> {
        let device = device.into();
        sector_bytes(device.sector_bytes())?;
        let disk = Shared::new(Disk::new(device));
        let mounted = guarded(&disk, 0, || Ok(Fs::new(disk.clone(), FsOptions::new())?))?;
        Ok(Self {
            disk,
            volume: Some(FatVolume::new(mounted, |_| Files::new())),
            open: OpenFiles::default(),
        })
    }

    /// Runs something that moves `data` bytes of a file.
    fn call<R>(
        &mut self,
        data: usize,
        run: impl for<'a> FnOnce(&'a Fs, &mut Files<'a>) -> Result<R, FatFault>,
    ) -> Result<R, FsError> {
        let volume = self.volume.as_mut().ok_or_else(not_mounted)?;
        guarded(&self.disk, data, || volume.with_dependent_mut(run))
    }

    /// Changes directories, and returns when the change survives a power cut: as FatFs does.
    fn change(&mut self, run: impl FnOnce(&Fs) -> Result<(), FatFault>) -> Result<(), FsError> {
        let disk = self.disk.clone();
        self.call(0, |fs, _| {
            run(fs)?;
            Ok(disk.borrow().sync()?)
        })
    }

    /// A path as open files are compared by. A short name stands for another, and all that are made have a `~`.
    fn key(&mut self, path: &str) -> Result<String, FsError> {
        check_path(path)?;
        if path.contains('~') {
            self.call(0, |fs, _| long_path(fs, path))
        } else {
            Ok(folded(path))
        }
    }

    /// Does something with an open file.
    fn with_file<R>(
        &mut self,
        file: Handle,
        data: usize,
        run: impl FnOnce(&mut OpenFile<'_>) -> Result<R, FatFault>,
    ) -> Result<R, FsError> {
        self.call(data, |_, files| {
            run(files.get_mut(&file).ok_or_else(not_open)?)
        })
    }
}

impl Drop for Fat {
    fn drop(&mut self) {
        // rust-fatfs writes when it is dropped.
        self.disk.borrow().unplug();
    }
}

impl std::fmt::Debug for Fat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fat")
            .field("mounted", &self.volume.is_some())
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

impl FileSystem for Fat {
    fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        let key = self.key(path)?;
        if path == "/" {
            return Err(FsErrorKind::IsDir.into());
        }
        self.open.check_file(&key)?;
        if matches!(how, Open::Create | Open::Replace) {
            check_name(path)?;
        }
        let handle = self.open.add(key, how != Open::Read);
        let opened = self.call(0, |fs, files| {
            files.insert(handle, open(fs, path, how)?);
            Ok(())
        });
        if opened.is_err() {
            self.open.remove(handle)?;
        }
        opened.map(|()| handle)
    }

    fn read(&mut self, file: Handle, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        self.with_file(file, out.len(), |open| {
            if at >= open.bytes {
                return Ok(0);
            }
            seek(open, at)?;
            let mut done = 0;
            while done < out.len() {
                match open.file.read(&mut out[done..])? {
                    0 if at + (done as u64) < open.bytes => {
                        let why = "the chain of clusters ends before the file";
                        return Err(FsError::new(FsErrorKind::Corrupt, why).into());
                    }
                    0 => break,
                    count => done += count,
                }
            }
            Ok(done)
        })
    }

    fn write(&mut self, file: Handle, at: u64, data: &[u8]) -> Result<(), FsError> {
        self.open.check_writable(file)?;
        self.with_file(file, data.len(), |open| write(open, at, data))
    }

    fn truncate(&mut self, file: Handle, bytes: u64) -> Result<(), FsError> {
        self.open.check_writable(file)?;
        let data = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.with_file(file, data, |open| {
            if bytes >= open.bytes {
                return extend(open, bytes);
            }
            seek(open, bytes)?;
            open.changed = true;
            open.file.truncate()?;
            open.bytes = bytes;
            Ok(())
        })
    }

    fn sync(&mut self, file: Handle) -> Result<(), FsError> {
        let disk = self.disk.clone();
        self.with_file(file, 0, |open| {
            if open.changed {
                open.file.flush()?;
                disk.borrow().sync()?;
                open.changed = false;
            }
            Ok(())
        })
    }

    fn close(&mut self, file: Handle) -> Result<(), FsError> {
        if self.volume.is_none() {
            return Err(not_mounted());
        }
        self.open.remove(file)?;
        let disk = self.disk.clone();
        self.call(0, |_, files| {
            let open = files.remove(&file).ok_or_else(not_open)?;
            let changed = open.changed;
            // It flushes its entry; what goes wrong then, the disk knows.
            drop(open);
            if changed {
                disk.borrow().sync()?;
            }
            Ok(())
        })
    }

    fn create_dir(&mut self, path: &str) -> Result<(), FsError> {
        check_path(path)?;
        if path == "/" {
            return Err(FsErrorKind::Exists.into());
        }
        check_name(path)?;
        self.change(|fs| match find(fs, path).map_err(FsError::from) {
            Ok(_) => Err(FsErrorKind::Exists.into()),
            Err(error) if error.kind == FsErrorKind::NotFound => {
                fs.root_dir().create_dir(path)?;
                Ok(())
            }
            Err(error) => Err(error.into()),
        })
    }

    fn remove(&mut self, path: &str) -> Result<(), FsError> {
        let key = self.key(path)?;
        if path == "/" {
            return Err(FsError::new(FsErrorKind::Invalid, "it is the root"));
        }
        self.open.check_closed(&key)?;
        self.change(|fs| Ok(fs.root_dir().remove(path)?))
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        let (old, new) = (self.key(from)?, self.key(to)?);
        if from == "/" || to == "/" {
            return Err(FsError::new(FsErrorKind::Invalid, "it is the root"));
        }
        check_name(to)?;
        if old != new && is_within(&new, &old) {
            let why = "a directory cannot be moved into itself";
            return Err(FsError::new(FsErrorKind::Invalid, why));
        }
        self.open.check_closed(&old)?;
        self.open.check_closed(&new)?;
        // rust-fatfs takes the first `/` here for a part of the name.
        let (from, to) = (&from[1..], &to[1..]);
        self.change(|fs| {
            let root = fs.root_dir();
            Ok(root.rename(from, &root, to)?)
        })
    }

    fn entry(&mut self, path: &str) -> Result<Entry, FsError> {
        let key = self.key(path)?;
        if path == "/" {
            return self.call(0, |_, _| {
                Ok(Entry {
                    name: String::new(),
                    is_dir: true,
                    bytes: 0,
                })
            });
        }
        // The length of an open file is not in its directory yet.
        let open = self.open.at(&key);
        self.call(0, |fs, files| {
            let found = find(fs, path)?;
            let open = open.and_then(|handle| files.get(&handle));
            Ok(Entry {
                name: found.file_name(),
                is_dir: found.is_dir(),
                bytes: open.map_or(found.len(), |open| open.bytes),
            })
        })
    }

    fn list(&mut self, path: &str) -> Result<Vec<Entry>, FsError> {
        check_path(path)?;
        self.call(0, |fs, _| {
            let dir = match path {
                "/" => fs.root_dir(),
                path => fs.root_dir().open_dir(path)?,
            };
            let mut entries = Vec::new();
            for entry in dir.iter() {
                let entry = entry?;
                if !matches!(entry.short_file_name_as_bytes(), b"." | b"..") {
                    entries.push(Entry {
                        name: entry.file_name(),
                        is_dir: entry.is_dir(),
                        bytes: if entry.is_dir() { 0 } else { entry.len() },
                    });
                }
            }
            Ok(entries)
        })
    }

    fn space(&mut self) -> Result<Space, FsError> {
        self.call(0, |fs, _| {
            let stats = fs.stats()?;
            let bytes = |clusters: u32| u64::from(clusters) * u64::from(stats.cluster_size());
            Ok(Space {
                total: bytes(stats.total_clusters()),
                free: bytes(stats.free_clusters()),
            })
        })
    }

    /// rust-fatfs has some three words in its volume that are shorter on a microcontroller, and one in each file.
    fn ram(&self) -> RamUse {
        let files = self.open.count() * size_of::<OpenFile<'_>>();
        RamUse {
            buffers: self.disk.borrow().sector_bytes() as u64 + LONG_NAME_BYTES,
            structures: (size_of::<Fs>() + size_of::<Disk>() + files) as u64,
        }
    }

    fn unmount(&mut self) -> Result<(), FsError> {
        let volume = self.volume.take().ok_or_else(not_mounted)?;
        let disk = self.disk.clone();
        let done = guarded(&self.disk, 0, || {
            // The open files are dropped with it, and flush their entries.
            volume.into_owner().unmount()?;
            Ok(disk.borrow().sync()?)
        });
        self.disk.borrow().unplug();
        self.open = OpenFiles::default();
        done
    }
}

fn not_mounted() -> FsError {
    FsError::new(FsErrorKind::Invalid, "it is not mounted")
}

/// Bytes in a sector of the volume on a device with sectors of some bytes.
fn sector_bytes(device: usize) -> Result<u16, FsError> {
    if device == 0 {
        return Err(FsError::new(
            FsErrorKind::Unsuitable,
            "its sectors have no bytes",
        ));
    }
    // Sectors of the device that are larger or odd are changed in parts.
    let fits = device.is_power_of_two() && (512..=4096).contains(&device);
    Ok(match fits {
        true => device as u16,
        false if device > 4096 => 4096,
        false => 512,
    })
}

/// A path with the long names of what there is.
fn long_path(fs: &Fs, path: &str) -> Result<String, FatFault> {
    let mut long = String::new();
    for part in path.split('/').skip(1) {
        let found = find(fs, &format!("{long}/{part}")).map_err(FsError::from);
        long.push('/');
        match found {
            Ok(entry) => long.push_str(&entry.file_name()),
            Err(error) if matches!(error.kind, FsErrorKind::NotFound | FsErrorKind::NotDir) => {
                long.push_str(part);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(folded(&long))
}
