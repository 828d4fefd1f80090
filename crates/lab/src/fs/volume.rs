//! A file system on a simulated memory, for callers outside: `wordline fs mount`.

use std::collections::BTreeMap;

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::Time;
use wordline_core::{EngineName, TranslationLayer};
use wordline_engines::{FileSystem, FsError};
use wordline_memory::Flash as _;
use wordline_nvm::{Conditions, Memory, OperationKind, Wear};

use super::check;
use super::engine::{FileSystemSetup, file_system};
use super::part::FileSystemMedium;
use crate::error::LabError;
use crate::instrument::Activity;
use crate::instrument::meter::KINDS;
use crate::instrument::reading::AccountsReading;

/// A file system on the whole of a target's memory, set up as `wordline fs bench` sets it up.
///
/// ```no_run
/// # use std::collections::BTreeMap;
/// # use wordline_catalog::Catalog;
/// # use wordline_core::Timing;
/// # use wordline_engines::Open;
/// # use wordline_lab::Volume;
/// # use wordline_nvm::Conditions;
/// let catalog = Catalog::load(&[])?;
/// let target = catalog.part_on_board("mt25ql128")?;
/// let conditions = Conditions { timing: Timing::Typ, age: 0.0, seed: 0 };
/// let volume = Volume::new(&"littlefs".parse()?, &target, conditions, &BTreeMap::new(), None)?;
/// volume.format()?;
/// let mut fs = volume.mount()?;
/// let before = volume.reading();
/// let file = fs.open("/log", Open::Create)?;
/// fs.write(file, 0, b"one")?;
/// fs.close(file)?;
/// println!("{}", volume.since(&before).time);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Volume<'a> {
    engine: FileSystemSetup<'a>,
    medium: FileSystemMedium,
}

/// What the accounts of a [`Volume`] said at some time.
#[derive(Clone, Debug)]
pub struct VolumeReading {
    accounts: AccountsReading,
    activity: Activity,
}

/// What a [`Volume`]'s memory did in some stretch of time.
#[derive(Clone, Debug)]
pub struct Spent {
    /// Simulated time.
    pub time: Time,
    /// Operations of the memory, and the bytes that they moved or erased, of the kinds that occurred.
    pub operations: Vec<(OperationKind, u64, u64)>,
    /// Energy in joules, where the sheets state it.
    pub energy_j: Option<f64>,
    /// Wear at its end, since the memory was made.
    pub wear: Wear,
}

impl<'a> Volume<'a> {
    /// A file system on a target, not yet formatted. `settings` are choices of the file system by `FS.NAME`, and `ftl`
    /// is what FAT is to run over on NAND where it is not the usual layer, page-mapped.
    ///
    /// # Errors
    /// When the file system is not built in, a choice is none of it, a layer is chosen where there is none, or the part
    /// does not work on its board.
    pub fn new(
        name: &EngineName,
        target: &'a PartOnBoard<'a>,
        conditions: Conditions,
        settings: &BTreeMap<String, String>,
        ftl: Option<TranslationLayer>,
    ) -> Result<Self, LabError> {
        let kind = file_system(name)?;
        check::choices(
            &[kind],
            std::slice::from_ref(target),
            settings,
            ftl.as_ref(),
        )?;
        let engine = FileSystemSetup::new(kind, target, settings, ftl)?;
        let memory = engine.memory(conditions)?;
        let medium = FileSystemMedium::new(memory, u64::MAX);
        Ok(Self { engine, medium })
    }

    /// The file system as people read it.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.engine.kind.title()
    }

    /// Whether it, or a translation layer below it, keeps records in the spare areas of the memory.
    #[must_use]
    pub fn uses_spare_areas(&self) -> bool {
        let keeps_records = self.engine.cleans();
        keeps_records
            && match &self.medium {
                FileSystemMedium::Flash(flash) => flash.geometry().spare_bytes > 0,
                FileSystemMedium::Bytes(_) => false,
            }
    }

    /// The same file system on another memory of the kind, such as a [fork](Self::fork) that was loaded.
    #[must_use]
    pub fn on(self, memory: Memory) -> Self {
        Self {
            medium: FileSystemMedium::new(memory, u64::MAX),
            ..self
        }
    }

    /// An independent copy of the memory as it is.
    #[must_use]
    pub fn fork(&self) -> Memory {
        self.medium.fork()
    }

    /// Makes an empty file system.
    ///
    /// # Errors
    /// When the memory or a choice does not suit the file system, or the memory fails.
    pub fn format(&self) -> Result<(), FsError> {
        self.engine.format(&self.medium)
    }

    /// Mounts the file system that the memory holds.
    ///
    /// # Errors
    /// When there is none, or as [`format`](Self::format).
    pub fn mount(&self) -> Result<Box<dyn FileSystem + Send>, FsError> {
        Ok(self.engine.mount(&self.medium)?.mounted.engine)
    }

    /// What the accounts say now.
    #[must_use]
    pub fn reading(&self) -> VolumeReading {
        self.medium.with(|medium| VolumeReading {
            accounts: medium.reading(),
            activity: medium.total(),
        })
    }

    /// What the memory did since a reading.
    #[must_use]
    pub fn since(&self, before: &VolumeReading) -> Spent {
        let now = self.reading();
        let operations = KINDS.iter().filter_map(|&kind| {
            let (then, now) = (before.activity.of(kind), now.activity.of(kind));
            let count = now.count - then.count;
            (count > 0).then(|| (kind, count, now.bytes - then.bytes))
        });
        let Some(wear) = now.accounts.wear else {
            unreachable!("a simulated memory wears")
        };
        let usage = now.accounts.since(&before.accounts);
        Spent {
            time: usage.elapsed,
            operations: operations.collect(),
            energy_j: usage.energy_j,
            wear,
        }
    }
}

impl std::fmt::Debug for Volume<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Volume")
            .field("fs", &self.engine.kind.name())
            .field("target", &self.engine.target.name)
            .finish_non_exhaustive()
    }
}
