//! Storage engines by name: what each promises, needs and offers, and how it is set up on a memory.
//!
//! An engine is a value in [`FILE_SYSTEMS`](crate::FILE_SYSTEMS) or [`STORES`](crate::STORES), whether this program was
//! built with its code or not, so that saved results can always be read. To add one, write a file with its [`Engine`] and
//! either [`FileSystemEngine`] or [`StoreEngine`], and add its line to the list.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use wordline_memory::{ByteMemory, Flash};

use crate::{
    Blocks, ByteBlocks, ByteBox, FileSystem, FlashBlocks, FsError, FsErrorKind, RecordStore,
    RewrittenSectors, SectorBox, Sectors, SpareFlash, StoreError, StoreOptions, StoreWork,
};

/// What an engine guarantees to its user, and which faults of a memory it cannot handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// After a power cut each call is done or not done, and whatever was synced is there.
    pub survives_power_cuts: bool,
    /// Files or records can be removed.
    pub removes: bool,
    /// Work is put off, and then done within a single call: a compaction, a garbage collection.
    pub defers_work: bool,
    /// Blocks at the start of a flash memory that it cannot replace when they go bad.
    pub fixed_blocks: u32,
    /// A power cut within a program may damage an earlier page of the same cells.
    pub handles_paired_pages: bool,
    /// The ECC may correct a half-programmed page in one read and fail in the next.
    pub handles_unstable_pages: bool,
    /// A write lasts when it returns, and so many pages of it become valid together; `None` where a write lasts from the
    /// next sync on.
    pub lasting_pages: Option<u32>,
    /// So many pages of a file can become valid together in [one call](crate::FileSystem::write_together); `None` where each
    /// write is on its own.
    pub together_pages: Option<u32>,
    /// A write within a file's length changes it in place: a power cut leaves each atom of the memory old or new. What a
    /// write appends is there as a whole or not at all, by the next sync at the latest.
    pub overwrites_in_place: bool,
    /// A write within a file's length copies what lies behind it in the file.
    pub copies_behind: bool,
}

impl Promise {
    /// Nothing survives a power cut.
    pub const NONE: Self = Self {
        survives_power_cuts: false,
        removes: true,
        defers_work: false,
        fixed_blocks: 0,
        handles_paired_pages: false,
        handles_unstable_pages: false,
        lasting_pages: None,
        together_pages: None,
        overwrites_in_place: false,
        copies_behind: false,
    };
}

/// The contract of a memory that an engine is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Erase blocks: those of flash, or bytes that can be overwritten in blocks of any size. No translation layer.
    Blocks,
    /// Sectors that can be overwritten. NOR is rewritten in place, in erase blocks of 512 to 4096 B; NAND needs a
    /// translation layer.
    Sectors,
    /// Bytes that can be overwritten one by one.
    Bytes,
    /// Raw flash with room for records in its spare areas: NAND, or NOR in pages that have some. No translation layer.
    SpareFlash,
}

impl Needs {
    /// What the contract is of, in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blocks => "erase blocks",
            Self::Sectors => "sectors",
            Self::Bytes => "bytes",
            Self::SpareFlash => "flash with spare areas",
        }
    }
}

/// A memory as an engine gets it.
pub enum Contract {
    /// Of [`Needs::Blocks`].
    Blocks(Box<dyn Blocks + Send>),
    /// Of [`Needs::Sectors`].
    Sectors(SectorBox),
    /// Of [`Needs::Bytes`].
    Bytes(ByteBox),
    /// Of [`Needs::SpareFlash`].
    SpareFlash(SpareFlash),
}

impl Contract {
    const fn needs(&self) -> Needs {
        match self {
            Self::Blocks(_) => Needs::Blocks,
            Self::Sectors(_) => Needs::Sectors,
            Self::Bytes(_) => Needs::Bytes,
            Self::SpareFlash(_) => Needs::SpareFlash,
        }
    }

    /// The erase blocks.
    ///
    /// # Errors
    /// When it is another contract.
    pub fn blocks(self) -> Result<Box<dyn Blocks + Send>, EngineMismatch> {
        match self {
            Self::Blocks(blocks) => Ok(blocks),
            other => Err(EngineMismatch::Contract(Needs::Blocks, other.needs())),
        }
    }

    /// The sectors.
    ///
    /// # Errors
    /// When it is another contract.
    pub fn sectors(self) -> Result<SectorBox, EngineMismatch> {
        match self {
            Self::Sectors(sectors) => Ok(sectors),
            other => Err(EngineMismatch::Contract(Needs::Sectors, other.needs())),
        }
    }

    /// The bytes.
    ///
    /// # Errors
    /// When it is another contract.
    pub fn bytes(self) -> Result<ByteBox, EngineMismatch> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            other => Err(EngineMismatch::Contract(Needs::Bytes, other.needs())),
        }
    }

    /// The flash with spare areas.
    ///
    /// # Errors
    /// When it is another contract.
    pub fn spare_flash(self) -> Result<SpareFlash, EngineMismatch> {
        match self {
            Self::SpareFlash(flash) => Ok(flash),
            other => Err(EngineMismatch::Contract(Needs::SpareFlash, other.needs())),
        }
    }
}

/// Why an engine cannot be set up, whatever its memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineMismatch {
    /// Its code is not part of this program.
    #[error("this program was built without {0}")]
    NotBuiltIn(&'static str),
    /// It was given another contract than it needs.
    #[error("the engine needs {}, and was given {}", .0.name(), .1.name())]
    Contract(Needs, Needs),
}

impl From<EngineMismatch> for FsError {
    fn from(mismatch: EngineMismatch) -> Self {
        Self::new(FsErrorKind::Unsuitable, mismatch)
    }
}

/// What an open engine gives its user: a [`FileSystem`] or a [`RecordStore`].
pub trait Offer {
    /// How an engine of this kind is set up.
    type Options;
    /// What can go wrong.
    type Error: From<EngineMismatch> + std::error::Error + 'static;
}

impl Offer for dyn FileSystem + Send {
    type Options = FsOptions;
    type Error = FsError;
}

impl Offer for dyn RecordStore {
    type Options = StoreOptions;
    type Error = StoreError;
}

/// The choices of a file system that differ from its defaults, by name: sizes in bytes, and counts; and files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FsOptions {
    numbers: BTreeMap<&'static str, i64>,
    /// Texts of files that were chosen.
    pub files: BTreeMap<&'static str, OptionFile>,
}

/// A file that was chosen for a file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionFile {
    /// As the user named it.
    pub name: String,
    /// What it holds.
    pub text: Arc<str>,
}

impl OptionFile {
    /// Bytes of its text at most.
    pub const BYTES_MAX: u64 = 1 << 20;
}

impl FsOptions {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            numbers: BTreeMap::new(),
            files: BTreeMap::new(),
        }
    }
}

impl Deref for FsOptions {
    type Target = BTreeMap<&'static str, i64>;

    fn deref(&self) -> &Self::Target {
        &self.numbers
    }
}

impl DerefMut for FsOptions {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.numbers
    }
}

impl<const N: usize> From<[(&'static str, i64); N]> for FsOptions {
    fn from(numbers: [(&'static str, i64); N]) -> Self {
        Self {
            numbers: numbers.into(),
            files: BTreeMap::new(),
        }
    }
}

/// A storage engine.
pub trait Engine: Sync {
    /// What it gives its user.
    type Offer: Offer + ?Sized + 'static;

    /// As the command line and the rows of results spell it: lowercase letters, digits and hyphens.
    fn name(&self) -> &'static str;

    /// As people read it.
    fn title(&self) -> &'static str;

    /// What it guarantees.
    fn promise(&self) -> Promise;

    /// The contract that it is written for.
    fn needs(&self) -> Needs;

    /// Whether this program was built with its code.
    fn is_built_in(&self) -> bool {
        true
    }

    /// Writes an empty file system or store.
    ///
    /// # Errors
    /// When memory or options do not suit the engine, or the memory fails.
    fn format(
        &self,
        memory: Contract,
        options: &EngineOptions<Self>,
    ) -> Result<(), EngineError<Self>> {
        let _ = (memory, options);
        Err(EngineMismatch::NotBuiltIn(self.title()).into())
    }

    /// Opens what a memory holds, recovery included.
    ///
    /// # Errors
    /// When the memory holds nothing of the kind, or as [`format`](Self::format).
    fn open(
        &self,
        memory: Contract,
        options: &EngineOptions<Self>,
    ) -> Result<Box<Self::Offer>, EngineError<Self>> {
        let _ = (memory, options);
        Err(EngineMismatch::NotBuiltIn(self.title()).into())
    }
}

/// The options of an engine.
pub type EngineOptions<E> = <<E as Engine>::Offer as Offer>::Options;

/// The error of an engine.
pub type EngineError<E> = <<E as Engine>::Offer as Offer>::Error;

/// An engine that offers files.
pub trait FileSystemEngine: Engine<Offer = dyn FileSystem + Send> {
    /// The names of its options.
    fn options(&self) -> &'static [&'static str] {
        &[]
    }

    /// Those of them whose value is a file.
    fn file_options(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether it makes the traffic of a file system and is none: it runs where it is asked for, and has no verdicts on
    /// power cuts.
    fn is_emulated(&self) -> bool {
        false
    }

    /// The option that chooses the size of its blocks: the erase of NOR, or a size of a memory of bytes.
    fn block_option(&self) -> Option<&'static str> {
        None
    }

    /// Options that decide how fast it is, with values worth a try; where one does not suit a memory, it refuses it.
    fn speed_options(&self) -> &'static [(&'static str, &'static [i64])] {
        &[]
    }

    /// Options under which work that it [defers](Promise::defers_work) falls within a short workload.
    fn eager_options(&self) -> &'static [(&'static str, i64)] {
        &[]
    }
}

impl dyn FileSystemEngine {
    /// The contract that the file system needs of a flash memory, without a translation layer. Of flash with spare areas it
    /// is a [`SpareFlash`], which has to be made where its columns are known.
    ///
    /// # Errors
    /// When the flash does not suit it.
    pub fn on_flash<F>(&self, flash: F) -> Result<Contract, FsError>
    where
        F: Flash<Error: fmt::Display> + Send + 'static,
    {
        Ok(match self.needs() {
            Needs::Blocks => Contract::Blocks(Box::new(FlashBlocks::new(flash)?)),
            Needs::Sectors => Contract::Sectors(RewrittenSectors::new(flash)?.into()),
            Needs::Bytes => {
                let why = "bytes of flash cannot be overwritten one by one; it needs MRAM, FRAM or EEPROM";
                return Err(FsError::new(FsErrorKind::Unsuitable, why));
            }
            Needs::SpareFlash => {
                return Err(no_spare("the free bytes of its spare areas are not known"));
            }
        })
    }

    /// The contract that the file system needs of a memory of bytes, in blocks of the size that its options choose.
    ///
    /// # Errors
    /// When the memory or the size does not suit it.
    pub fn on_bytes<M>(&self, memory: M, options: &FsOptions) -> Result<Contract, FsError>
    where
        M: ByteMemory<Error: fmt::Display> + Send + 'static,
    {
        let block = self.block_option();
        let bytes = block.map_or(Ok(None), |name| option(self.name(), options, name));
        Ok(match (self.needs(), bytes?) {
            (Needs::Blocks, None) => Contract::Blocks(Box::new(ByteBlocks::new(memory)?)),
            (Needs::Blocks, Some(bytes)) => {
                Contract::Blocks(Box::new(ByteBlocks::of_bytes(memory, bytes)?))
            }
            (Needs::Sectors, _) => Contract::Sectors(Sectors::new(memory).into()),
            (Needs::Bytes, _) => Contract::Bytes(ByteBox::new(memory)),
            (Needs::SpareFlash, _) => return Err(no_spare("the memory has no spare areas")),
        })
    }
}

fn no_spare(why: &str) -> FsError {
    FsError::new(
        FsErrorKind::Unsuitable,
        format_args!("it needs raw flash: {why}"),
    )
}

/// An engine that offers records by key.
pub trait StoreEngine: Engine<Offer = dyn RecordStore> {
    /// Writes an empty store and opens it.
    ///
    /// # Errors
    /// As [`Engine::format`].
    fn create(
        &self,
        memory: Contract,
        options: &StoreOptions,
    ) -> Result<Box<dyn RecordStore>, StoreError>;

    /// The longest key and the longest value in bytes, and the shortest value.
    fn limits(&self) -> (u64, u64, u64);

    /// The most bytes of a key and its value together.
    fn record_bytes_max(&self) -> u64 {
        let (key, value, _) = self.limits();
        key + value
    }

    /// Whether each record has a size of its own; otherwise all have that of the options.
    fn has_mixed_sizes(&self) -> bool {
        false
    }

    /// Whether its directory can lie in RAM or in the memory.
    fn has_directory(&self) -> bool {
        false
    }

    /// Whether it writes whole pages, so that cuts within each of its accesses are too many to look at all of them.
    fn writes_pages(&self) -> bool {
        false
    }

    /// Records for which a memory of some bytes and some [atom](wordline_memory::ByteMemory::atom) has room; `None` where
    /// it has none.
    fn places(&self, options: &StoreOptions, bytes: u64, atom: usize) -> Option<u64>;

    /// Bytes of a memory that two dozen records fill to some two thirds.
    fn short_bytes(&self, options: &StoreOptions, atom: usize) -> u64;

    /// What an operation takes on a processor besides its accesses; `None` where that was not counted.
    fn work(&self) -> Option<StoreWork>;
}

/// An option of a file system as the type that it needs; `None` where it was not chosen.
///
/// # Errors
/// [`FsErrorKind::Unsuitable`] where the value does not fit the type.
pub fn option<N: TryFrom<i64>>(
    engine: &str,
    options: &FsOptions,
    name: &str,
) -> Result<Option<N>, FsError> {
    let value = options.get(name).map(|value| {
        N::try_from(*value).map_err(|_| {
            let why = format_args!("{engine}.{name}={value} cannot be");
            FsError::new(FsErrorKind::Unsuitable, why)
        })
    });
    value.transpose()
}

/// The names of engines, in the order of their list.
pub fn names<E: Engine + ?Sized>(engines: &[&E]) -> Vec<&'static str> {
    engines.iter().map(|engine| engine.name()).collect()
}

/// The engine of a name.
///
/// # Errors
/// The names that are allowed.
pub fn named<E: Engine + ?Sized>(engines: &[&'static E], name: &str) -> Result<&'static E, String> {
    let found = engines.iter().find(|engine| engine.name() == name).copied();
    found.ok_or_else(|| format!("allowed: {}", names(engines).join(", ")))
}

/// The title of the engine of a name, or the name where no such engine is known.
pub fn title<'a, E: Engine + ?Sized>(engines: &[&'static E], name: &'a str) -> &'a str {
    named(engines, name).map_or(name, |engine| engine.title())
}
