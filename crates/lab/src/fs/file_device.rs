//! A file of a file system, as a device: what is written to it has lasted when the call returns.
//!
//! The file system gets the first blocks of a memory, as in `wordline fs bench`, so that a run comes to write all of them.
//! Where an overwrite copies what lies behind it, a log is a row of files, each of which is emptied when its turn comes.

use std::collections::BTreeMap;
use std::sync::Arc;

use wordline_catalog::ranges::VariedTarget;
use wordline_core::SimClock;
use wordline_core::TranslationLayer;
use wordline_core::quantity::Time;
use wordline_engines::{FileSystemEngine, FsError, FsErrorKind, Handle, Needs, Open, RtfsOptions};
use wordline_memory::ByteMemory;
use wordline_nvm::power::{PowerDraw, Residence};
use wordline_nvm::{
    AccessCost, Accounts, Cause, Conditions, Device, Notes, NvmError, PacedChip, Wear, WriteTotals,
};
use wordline_rtfs::{GROUP_PAGES, PacedCall, PacedCounts, PacedFilesBound, PacedGround};

use super::calls::Mounted;
use super::engine::FileSystemSetup;
use super::part::FileSystemMedium;
use crate::error::LabError;

/// Share of a file system's room that a file may take.
pub(crate) const ROOM: f64 = 7.0 / 8.0;

/// The same of a file whose overwrites copy what lies behind them: the copy lies beside the file for a time.
const ROOM_FOR_COPY: f64 = ROOM / 2.0;

/// Files of a log that is a row of them.
const ROW_FILES: u64 = 8;

/// A file system that is to be used for work of a kind, on a target.
#[derive(Clone)]
pub(crate) struct FileSetup {
    pub(crate) target: Arc<VariedTarget>,
    pub(crate) kind: &'static dyn FileSystemEngine,
    pub(crate) settings: Arc<BTreeMap<String, String>>,
    pub(crate) ftl: Option<TranslationLayer>,
    /// Whether records follow each other in the file, and go on at its start.
    pub(crate) in_order: bool,
    /// Bytes of a record.
    pub(crate) record_bytes: u64,
}

/// Why there is no such file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoFile {
    #[error(transparent)]
    Setup(#[from] LabError),
    #[error(transparent)]
    Engine(#[from] FsError),
}

/// An empty file system.
struct EmptyVolume {
    medium: FileSystemMedium,
    mounted: Mounted,
    layer_ram: u64,
    /// Bytes that files may take of it.
    room: u64,
}

impl FileSetup {
    /// Runs with the set-up of the file system.
    fn with<T>(
        &self,
        run: impl FnOnce(&FileSystemSetup<'_>) -> Result<T, NoFile>,
    ) -> Result<T, NoFile> {
        let target = self.target.target();
        let setup = FileSystemSetup::new(self.kind, &target, &self.settings, self.ftl)?;
        run(&setup)
    }

    /// Whether a log is a row of files.
    fn rotates(&self) -> bool {
        self.in_order && self.kind.promise().copies_behind
    }

    /// The file system on the first bytes of the memory, empty.
    fn empty(&self, conditions: Conditions, bytes: u64) -> Result<EmptyVolume, NoFile> {
        self.with(|setup| {
            let medium = FileSystemMedium::new(setup.memory(conditions)?, bytes);
            setup.format(&medium)?;
            let mut ready = setup.mount(&medium)?;
            let space = ready.mounted.engine.space()?;
            let share = match self.kind.promise().copies_behind && !self.rotates() {
                true => ROOM_FOR_COPY,
                false => ROOM,
            };
            Ok(EmptyVolume {
                room: (space.free.min(space.total) as f64 * share) as u64,
                layer_ram: ready.layer_ram.iter().map(|(_, bytes)| bytes).sum(),
                mounted: ready.mounted,
                medium,
            })
        })
    }

    /// Bytes of data that a chip holds with the file system on all of it, and RAM that it takes with a file open.
    pub(crate) fn whole(&self, conditions: Conditions) -> Result<WholeChip, NoFile> {
        let mut volume = self.empty(conditions, u64::MAX)?;
        let file = volume.mounted.open("/data", Open::Create)?;
        volume.mounted.finish(file)?;
        let parts = volume.mounted.ram().iter().map(|part| part.bytes);
        Ok(WholeChip {
            data_bytes: volume.room,
            ram_bytes: parts.sum::<u64>() + volume.layer_ram,
        })
    }

    /// A file on the first bytes of the memory, of a share of what files may take there.
    pub(crate) fn file(
        self,
        conditions: Conditions,
        bytes: u64,
        share: f64,
    ) -> Result<FileDevice, NoFile> {
        let EmptyVolume {
            medium,
            mounted,
            room,
            ..
        } = self.empty(conditions, bytes)?;
        let record = self.record_bytes;
        let bytes = (room as f64 * share.min(1.0)) as u64;
        let bytes = (bytes / record).max(1) * record;
        let bound = FileBound::of(&self, conditions)?;
        Ok(FileDevice {
            row_bytes: match self.rotates() {
                true => (bytes / record).div_ceil(ROW_FILES).max(1) * record,
                false => u64::MAX,
            },
            setup: self,
            mounted: Ok(mounted),
            open: None,
            bytes,
            bound: bound.map(Arc::new),
            accounts: Arc::new(FixedAccounts::of(&medium)),
            clock: medium.accounts(|accounts| accounts.clock().clone()),
            medium,
            last: AccessCost::NONE,
        })
    }
}

/// What a file system makes of a whole chip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WholeChip {
    /// Bytes of data that it holds.
    pub(crate) data_bytes: u64,
    /// Bytes of RAM that the file system takes, a layer below included.
    pub(crate) ram_bytes: u64,
}

/// What is proven of the real-time file system's calls, on the whole chip.
struct FileBound {
    chip: PacedChip,
    files: PacedFilesBound,
}

impl FileBound {
    /// Of a file system that has one.
    fn of(setup: &FileSetup, conditions: Conditions) -> Result<Option<Self>, NoFile> {
        let target = setup.target.target();
        let failed = |source| LabError::Device {
            target: target.name.clone(),
            source,
        };
        let chip = target.paced_chip(conditions).map_err(failed)?;
        let Some(chip) = chip.filter(|_| setup.kind.needs() == Needs::SpareFlash) else {
            return Ok(None);
        };
        let ground = PacedGround {
            geometry: chip.geometry,
            bad_blocks: chip.bad_blocks,
        };
        let config = setup.with(|set_up| {
            let options = RtfsOptions::of(set_up.options())?;
            Ok(options.config(&ground, &chip.geometry))
        })?;
        let files = config.files_bound(&chip.geometry).ok();
        Ok(files.map(|files| Self {
            files: files.with_erases(chip.times.erase_mode),
            chip,
        }))
    }

    /// The longest of the calls that overwrite bytes which touch so many pages.
    fn overwrite(&self, pages: u64) -> Result<Time, NvmError> {
        let times = &self.chip.times;
        times.time(&times.longest(self.counts(pages)))
    }

    /// The same for calls in a row, which write a group each; `None` of larger ones.
    fn totals(&self, pages: u64) -> Result<Option<WriteTotals>, NvmError> {
        if pages > GROUP_PAGES as u64 {
            return Ok(None);
        }
        let [counts, _] = self.counts(pages);
        let times = &self.chip.times;
        let totals = times.write_totals(self.files.layer(), pages, counts.reads);
        totals.map(Some)
    }

    /// The bytes of all pages but one touch so many, wherever they begin.
    fn counts(&self, pages: u64) -> [PacedCounts; 2] {
        let bytes = (pages - 1) * u64::from(self.chip.geometry.page_bytes);
        self.files.counts(PacedCall::Overwrite { bytes }, 1)
    }

    /// Pages that bytes from a place on touch.
    fn pages(&self, at: u64, bytes: u64) -> u64 {
        let page = u64::from(self.chip.geometry.page_bytes);
        ((at + bytes).div_ceil(page) - at / page).max(1)
    }
}

/// What the accounts of a memory say that no access changes.
struct FixedAccounts {
    causes: &'static [Cause],
    draw: PowerDraw,
    notes: Notes,
}

impl FixedAccounts {
    fn of(medium: &FileSystemMedium) -> Self {
        medium.accounts(|accounts| Self {
            causes: accounts.causes(),
            draw: *accounts.power_draw(),
            notes: accounts.notes().clone(),
        })
    }
}

/// A file, or a row of them, of a file system on a memory.
pub(crate) struct FileDevice {
    setup: FileSetup,
    medium: FileSystemMedium,
    /// The file system, or why a fork has none.
    mounted: Result<Mounted, FsError>,
    /// The file of the row that is open, by its number.
    open: Option<(u64, Handle)>,
    bytes: u64,
    /// Bytes of a file of the row.
    row_bytes: u64,
    bound: Option<Arc<FileBound>>,
    accounts: Arc<FixedAccounts>,
    clock: SimClock,
    last: AccessCost,
}

impl FileDevice {
    /// Calls the file of a place, with where the place is in it.
    fn call<T>(
        &mut self,
        at: u64,
        empties: bool,
        call: impl FnOnce(&mut Mounted, Handle, u64) -> Result<T, FsError>,
    ) -> Result<T, NvmError> {
        let (number, place) = (at / self.row_bytes, at % self.row_bytes);
        let done = match &mut self.mounted {
            Ok(mounted) => {
                let how = match empties && place == 0 && self.row_bytes < u64::MAX {
                    true => Open::Replace,
                    false => Open::Create,
                };
                let is_open = self
                    .open
                    .filter(|(open, _)| *open == number && how == Open::Create);
                let opened = match is_open {
                    Some((_, file)) => Ok(file),
                    None => {
                        let closed = self.open.take().map(|(_, file)| mounted.engine.close(file));
                        let closed = closed.unwrap_or(Ok(()));
                        closed.and_then(|()| mounted.open(&format!("/data{number}"), how))
                    }
                };
                opened.and_then(|file| {
                    self.open = Some((number, file));
                    call(mounted, file, place)
                })
            }
            Err(error) => Err(error.clone()),
        };
        self.last = self.medium.with(|medium| medium.take_call().cost);
        done.map_err(|error| NvmError::Files(error.to_string().into()))
    }

    /// Stores bytes, which last when it returns.
    fn store(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.call(at, true, |mounted, file, place| {
            mounted.engine.write(file, place, data)?;
            mounted.engine.sync(file)
        })
    }
}

impl ByteMemory for FileDevice {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.bytes
    }

    fn atom(&self) -> usize {
        1
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.call(at, false, |mounted, file, place| {
            mounted.engine.read(file, place, out).map(drop)
        })
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.store(at, data)
    }

    /// Nothing: a write that returned lasts.
    fn persist(&mut self) -> Result<(), NvmError> {
        self.last = AccessCost::NONE;
        Ok(())
    }
}

impl Accounts for FileDevice {
    fn clock(&self) -> &SimClock {
        &self.clock
    }

    fn causes(&self) -> &'static [Cause] {
        self.accounts.causes
    }

    fn last_cost(&self) -> &AccessCost {
        &self.last
    }

    fn residence(&self) -> Residence {
        self.medium.accounts(|accounts| accounts.residence())
    }

    fn power_draw(&self) -> &PowerDraw {
        &self.accounts.draw
    }

    fn wear(&self) -> Wear {
        self.medium.accounts(|accounts| accounts.wear())
    }

    fn notes(&self) -> &Notes {
        &self.accounts.notes
    }
}

impl Device for FileDevice {
    fn overwrite_bytes(&self) -> u64 {
        1
    }

    /// Of a file that has these pages.
    fn write_bound(&self, at: u64, bytes: u64) -> Result<Time, NvmError> {
        match &self.bound {
            Some(bound) => bound.overwrite(bound.pages(at, bytes)),
            None => Err(NvmError::Files("its calls have no bound".into())),
        }
    }

    fn write_totals(&self, bytes: u64) -> Result<Option<WriteTotals>, NvmError> {
        let Some(bound) = &self.bound else {
            return Ok(None);
        };
        let page = u64::from(bound.chip.geometry.page_bytes);
        // Records that neither fill pages nor divide one may touch one more.
        let aligned = bytes.is_multiple_of(page) || page.is_multiple_of(bytes.max(1));
        bound.totals(bound.pages(0, bytes) + u64::from(!aligned))
    }

    fn read_bound(&self, _: u64, _: u64) -> Result<Time, NvmError> {
        Err(NvmError::Files("its reads have no bound".into()))
    }

    /// Of the memory that the file system is on.
    fn cycles_at(&self, at: u64) -> Option<u64> {
        self.medium.cycles_at(at)
    }

    /// The file system stores the bytes, which takes time, energy and wear before the run.
    fn preload(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        let mut done = 0;
        while done < data.len() {
            let at = at + done as u64;
            let left = self.row_bytes - at % self.row_bytes;
            let length = left.min((data.len() - done) as u64) as usize;
            self.store(at, &data[done..done + length])?;
            done += length;
        }
        Ok(())
    }

    /// The memory's copy is mounted anew, and the file opened.
    fn fork_device(&self) -> Box<dyn Device> {
        let medium = FileSystemMedium::new(self.medium.fork(), self.medium.bytes());
        let mounted = self.setup.with(|setup| Ok(setup.mount(&medium)?.mounted));
        let mut mounted = mounted.map_err(|error| match error {
            NoFile::Engine(error) => error,
            NoFile::Setup(error) => FsError::new(FsErrorKind::Device, error),
        });
        let mut open = None;
        if let (Some((number, _)), Ok(fork)) = (self.open, &mut mounted) {
            match fork.open(&format!("/data{number}"), Open::Write) {
                Ok(file) => open = Some((number, file)),
                Err(error) => mounted = Err(error),
            }
        }
        medium.with(|medium| medium.take_call());
        Box::new(Self {
            setup: self.setup.clone(),
            clock: medium.accounts(|accounts| accounts.clock().clone()),
            medium,
            mounted,
            open,
            bytes: self.bytes,
            row_bytes: self.row_bytes,
            bound: self.bound.clone(),
            accounts: Arc::clone(&self.accounts),
            last: self.last,
        })
    }
}
