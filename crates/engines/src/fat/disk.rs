//! What stands between sectors and a file system that moves bytes: one sector of RAM, as a product's driver has it.
//!
//! A part of a sector goes through the window, which is written back when another sector is needed or the disk is
//! synced; whole sectors go past it, as many in one transfer as are asked for. This is what FatFs, the FAT of most
//! microcontrollers, does with the `win` of its file system object (`move_window` and `sync_window` of its `ff.c`).

use std::io::{Error, Read, Result, Seek, SeekFrom, Write};

use wordline_memory::BlockDevice;

use crate::{FsError, FsErrorKind, SectorBox, Shared};

/// Why a disk has failed during a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DiskFailure {
    /// The device failed.
    Device(String),
    /// The call moved more bytes than any sound file system asks it to: a chain or a directory runs in a circle.
    Endless,
    /// The file system was dropped or unmounted.
    Unplugged,
}

impl From<DiskFailure> for FsError {
    fn from(failure: DiskFailure) -> Self {
        match failure {
            DiskFailure::Device(detail) => Self::new(FsErrorKind::Device, detail),
            DiskFailure::Endless => {
                Self::new(FsErrorKind::Corrupt, "a chain of clusters has no end")
            }
            DiskFailure::Unplugged => Self::new(FsErrorKind::Invalid, "it is not mounted"),
        }
    }
}

/// A block device as a stream of bytes.
///
/// Once it has failed it fails until the next call of the file system [begins](Self::begin): rust-fatfs takes some
/// failures for something else, and would go on.
pub(super) struct Disk {
    drive: SectorBox,
    sector_bytes: usize,
    /// Length in bytes.
    end: u64,
    /// Where the stream is, in bytes.
    at: u64,
    window: Vec<u8>,
    /// The sector in the window.
    held: Option<u64>,
    /// Whether the window is newer than the device.
    dirty: bool,
    failure: Option<DiskFailure>,
    /// Bytes that the call may still move.
    left: u64,
    /// Whether the device is at work: a panic is then its own.
    pub at_work: bool,
}

impl Disk {
    /// At the first byte of a device.
    pub(super) fn new(drive: SectorBox) -> Self {
        let sector_bytes = drive.sector_bytes();
        Self {
            end: drive.sectors() * sector_bytes as u64,
            drive,
            sector_bytes,
            at: 0,
            window: vec![0; sector_bytes],
            held: None,
            dirty: false,
            failure: None,
            left: u64::MAX,
            at_work: false,
        }
    }

    /// Bytes in a sector, which is what the window takes.
    pub(super) const fn sector_bytes(&self) -> usize {
        self.sector_bytes
    }

    /// Begins a call that moves `data` bytes of a file.
    pub(super) fn begin(&mut self, data: usize) {
        // A directory takes 2 MiB at most, a table of clusters 1/128 of the disk; each is walked a few times.
        let directories = 64 * self.end.min(2 << 20);
        self.left = directories + self.end / 8 + 16 * data as u64 + (1 << 20);
        if self.failure != Some(DiskFailure::Unplugged) {
            self.failure = None;
        }
    }

    /// Lets the call move any number of bytes.
    pub(super) fn allow_everything(&mut self) {
        self.left = u64::MAX;
    }

    /// How it has failed since the call began.
    pub(super) fn failure(&self) -> Option<DiskFailure> {
        self.failure.clone()
    }

    /// Takes the device away: every later access fails, and what the window holds is lost as in a power cut.
    pub(super) fn unplug(&mut self) {
        self.failure = Some(DiskFailure::Unplugged);
    }

    /// Writes the window back, and returns when all that was written survives a power cut.
    pub(super) fn sync(&mut self) -> Result<()> {
        self.write_back()?;
        self.run(|drive, _| drive.flush())
    }

    /// Runs something on the drive, unless it has failed already.
    fn run(
        &mut self,
        work: impl FnOnce(
            &mut dyn BlockDevice<Error = String>,
            &mut Vec<u8>,
        ) -> std::result::Result<(), String>,
    ) -> Result<()> {
        if self.failure.is_none() {
            self.at_work = true;
            let done = work(&mut *self.drive.0, &mut self.window);
            self.at_work = false;
            self.failure = done.err().map(DiskFailure::Device);
        }
        self.check()
    }

    fn check(&self) -> Result<()> {
        match &self.failure {
            None => Ok(()),
            Some(failure) => Err(Error::other(FsError::from(failure.clone()))),
        }
    }

    fn charge(&mut self, bytes: usize) -> Result<()> {
        match self.left.checked_sub(bytes as u64) {
            Some(left) => self.left = left,
            None => self.failure = self.failure.take().or(Some(DiskFailure::Endless)),
        }
        self.check()
    }

    fn write_back(&mut self) -> Result<()> {
        if let (true, Some(sector)) = (self.dirty, self.held) {
            self.run(|drive, window| drive.write(sector, window))?;
            self.dirty = false;
        }
        Ok(())
    }

    /// Gets a sector into the window.
    fn hold(&mut self, sector: u64) -> Result<()> {
        if self.held != Some(sector) {
            self.write_back()?;
            self.held = None;
            self.run(|drive, window| drive.read(sector, window))?;
            self.held = Some(sector);
        }
        Ok(())
    }

    /// The next piece of an access of `bytes` bytes, none at the end of the disk.
    fn piece(&self, bytes: usize) -> Option<SectorSpan> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let bytes = bytes.min(left);
        let sector = self.at / self.sector_bytes as u64;
        let first = (self.at % self.sector_bytes as u64) as usize;
        let whole = bytes - bytes % self.sector_bytes;
        if bytes == 0 {
            None
        } else if first == 0 && whole > 0 {
            Some(SectorSpan::Whole(sector, whole))
        } else {
            Some(SectorSpan::Part(
                sector,
                first,
                bytes.min(self.sector_bytes - first),
            ))
        }
    }

    /// The place of the window in a transfer of whole sectors, if it is one of them.
    fn window_in(&self, sector: u64, bytes: usize) -> Option<usize> {
        let place = self.held?.checked_sub(sector)? * self.sector_bytes as u64;
        (place < bytes as u64).then_some(place as usize)
    }

    fn read_whole(&mut self, sector: u64, out: &mut [u8]) -> Result<()> {
        self.run(|drive, _| drive.read(sector, out))?;
        if let Some(place) = self.window_in(sector, out.len()) {
            out[place..place + self.sector_bytes].copy_from_slice(&self.window);
        }
        Ok(())
    }

    fn write_whole(&mut self, sector: u64, data: &[u8]) -> Result<()> {
        self.run(|drive, _| drive.write(sector, data))?;
        if self.window_in(sector, data.len()).is_some() {
            self.held = None;
            self.dirty = false;
        }
        Ok(())
    }
}

/// Sectors that an access takes together.
enum SectorSpan {
    /// The first sector, and how many bytes of whole ones.
    Whole(u64, usize),
    /// A sector, the first byte in it, and how many.
    Part(u64, usize, usize),
}

impl Read for Disk {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        self.charge(out.len())?;
        let mut done = 0;
        while let Some(piece) = self.piece(out.len() - done) {
            let count = match piece {
                SectorSpan::Whole(sector, bytes) => {
                    self.read_whole(sector, &mut out[done..done + bytes])?;
                    bytes
                }
                SectorSpan::Part(sector, first, bytes) => {
                    self.hold(sector)?;
                    out[done..done + bytes].copy_from_slice(&self.window[first..first + bytes]);
                    bytes
                }
            };
            done += count;
            self.at += count as u64;
        }
        Ok(done)
    }
}

impl Write for Disk {
    fn write(&mut self, data: &[u8]) -> Result<usize> {
        self.charge(data.len())?;
        let mut done = 0;
        while let Some(piece) = self.piece(data.len() - done) {
            let count = match piece {
                SectorSpan::Whole(sector, bytes) => {
                    self.write_whole(sector, &data[done..done + bytes])?;
                    bytes
                }
                SectorSpan::Part(sector, first, bytes) => {
                    self.hold(sector)?;
                    self.window[first..first + bytes].copy_from_slice(&data[done..done + bytes]);
                    self.dirty = true;
                    bytes
                }
            };
            done += count;
            self.at += count as u64;
        }
        Ok(done)
    }

    /// Does nothing: rust-fatfs flushes whenever it drops a directory that it has looked into. What has to last is
    /// [synced](Disk::sync).
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Seek for Disk {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let (base, offset) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::Current(offset) => (self.at, offset),
            SeekFrom::End(offset) => (self.end, offset),
        };
        let at = base.checked_add_signed(offset);
        self.at = at.ok_or_else(|| Error::other("a seek before the first byte"))?;
        Ok(self.at)
    }
}

// The file system has one handle of its disk, and we another.
impl Read for Shared<Disk> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        self.borrow().read(out)
    }
}

impl Write for Shared<Disk> {
    fn write(&mut self, data: &[u8]) -> Result<usize> {
        self.borrow().write(data)
    }

    fn flush(&mut self) -> Result<()> {
        self.borrow().flush()
    }
}

impl Seek for Shared<Disk> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.borrow().seek(to)
    }
}
