//! The memory below a file system, with everything that is asked of it counted.

use std::collections::BTreeMap;

use wordline_catalog::{Model, Target};
use wordline_core::FsKind;
use wordline_core::quantity::{Quantity as _, Time};
use wordline_engines::{FileSystem, FsError, FsErrorKind, Shared};
use wordline_memory::{ByteMemory, Flash};
use wordline_nvm::power::Residence;
use wordline_nvm::{
    Accounts, Device, DeviceOperation, FlashMemory, Memory, NvmError, OperationKind, Tap, Wear,
};
use wordline_report::{Column, Grid};

/// Operations of a kind, and the bytes that they moved.
type Counts = BTreeMap<OperationKind, (u64, u64)>;

type Ear = Box<dyn FnMut(&DeviceOperation) + Send>;

type Mounted = Box<dyn FileSystem + Send>;

/// The memory.
pub(super) struct Ground {
    memory: Kind,
    counts: Shared<Counts>,
}

enum Kind {
    Flash(Shared<Tap<Box<dyn FlashMemory>, Ear>>),
    Bytes(Shared<Tap<Box<dyn Device>, Ear>>),
}

/// What was so at some time.
pub(super) struct Reading {
    at: Time,
    residence: Residence,
    counts: Counts,
}

impl Ground {
    pub(super) fn new(memory: Memory) -> Self {
        let counts = Shared::new(Counts::new());
        let heard = counts.clone();
        let ear: Ear = Box::new(move |operation| {
            let mut counts = heard.borrow();
            let (times, bytes) = counts.entry(operation.kind).or_default();
            *times += 1;
            *bytes += operation.bytes;
        });
        let memory = match memory {
            Memory::Flash(flash) => Kind::Flash(Shared::new(Tap::new(flash, ear))),
            Memory::Bytes(bytes) => Kind::Bytes(Shared::new(Tap::new(bytes, ear))),
        };
        Self { memory, counts }
    }

    /// Makes an empty file system.
    pub(super) fn format(&self, fs: FsKind, target: &Target<'_>) -> Result<(), FsError> {
        match &self.memory {
            Kind::Flash(flash) => format_flash(fs, target, flash.clone()),
            Kind::Bytes(bytes) => format_bytes(fs, bytes.clone()),
        }
    }

    pub(super) fn mount(&self, fs: FsKind, target: &Target<'_>) -> Result<Mounted, FsError> {
        match &self.memory {
            Kind::Flash(flash) => mount_flash(fs, target, flash.clone()),
            Kind::Bytes(bytes) => mount_bytes(fs, bytes.clone()),
        }
    }

    /// An independent copy of the memory.
    pub(super) fn fork(&self) -> Memory {
        match &self.memory {
            Kind::Flash(flash) => Memory::Flash(flash.borrow().device().fork_memory()),
            Kind::Bytes(bytes) => Memory::Bytes(bytes.borrow().device().fork_device()),
        }
    }

    fn accounts<T>(&self, ask: impl FnOnce(&dyn Accounts) -> T) -> T {
        match &self.memory {
            Kind::Flash(flash) => ask(flash.borrow().device()),
            Kind::Bytes(bytes) => ask(bytes.borrow().device()),
        }
    }

    pub(super) fn reading(&self) -> Reading {
        let (at, residence) =
            self.accounts(|accounts| (accounts.clock().now(), accounts.residence()));
        Reading {
            at,
            residence,
            counts: self.counts.borrow().clone(),
        }
    }

    /// What happened since then; wear is since the memory was made.
    pub(super) fn rows(&self, since: &Reading) -> Grid {
        let now = self.reading();
        let columns = vec![
            Column::left("metric"),
            Column::right("value"),
            Column::left("unit"),
        ];
        let mut grid = Grid::new("", columns);
        let mut row = |metric: String, value: String, unit: &str| {
            grid.push([metric, value, unit.to_owned()]);
        };
        let took = now.at.si() - since.at.si();
        row("simulated_time".into(), format!("{took:.6}"), "s");
        for (kind, (times, bytes)) in &now.counts {
            let before = since.counts.get(kind).copied().unwrap_or_default();
            row(
                format!("operations_{}", kind.name()),
                (times - before.0).to_string(),
                "1",
            );
            row(
                format!("bytes_{}", kind.name()),
                (bytes - before.1).to_string(),
                "B",
            );
        }
        let (energy, wear) = self.accounts(|accounts| {
            let residence = now.residence.since(&since.residence);
            (residence.energy_j(accounts.power_draw()), accounts.wear())
        });
        let energy = energy.map_or_else(|| "unknown".to_owned(), |energy| format!("{energy:.9}"));
        row("energy_total".into(), energy, "J");
        row("wear_most".into(), wear.most.to_string(), "cycles");
        row("wear_mean".into(), format!("{:.3}", wear.mean), "cycles");
        row("wear_units".into(), wear.units.to_string(), "1");
        row("wear_unit_bytes".into(), wear.unit_bytes.to_string(), "B");
        if wear.endurance != Wear::UNLIMITED {
            row("endurance".into(), wear.endurance.to_string(), "cycles");
        }
        grid
    }
}

/// What this program was built without.
#[cfg(not(all(feature = "fat", feature = "littlefs")))]
fn absent<T>(fs: FsKind) -> Result<T, FsError> {
    let why = format_args!("this program was built without {}", fs.title());
    Err(FsError::new(FsErrorKind::Unsuitable, why))
}

fn format_flash<F>(fs: FsKind, target: &Target<'_>, flash: F) -> Result<(), FsError>
where
    F: Flash<Error = NvmError> + Send + 'static,
{
    match fs {
        #[cfg(feature = "littlefs")]
        FsKind::Littlefs => littlefs::format(wordline_engines::FlashBlocks::new(flash)?),
        #[cfg(feature = "fat")]
        FsKind::Fat => fat::format_flash(target, flash),
        #[cfg(not(all(feature = "fat", feature = "littlefs")))]
        other => absent(other),
    }
}

fn mount_flash<F>(fs: FsKind, target: &Target<'_>, flash: F) -> Result<Mounted, FsError>
where
    F: Flash<Error = NvmError> + Send + 'static,
{
    match fs {
        #[cfg(feature = "littlefs")]
        FsKind::Littlefs => littlefs::mount(wordline_engines::FlashBlocks::new(flash)?),
        #[cfg(feature = "fat")]
        FsKind::Fat => fat::mount_flash(target, flash),
        #[cfg(not(all(feature = "fat", feature = "littlefs")))]
        other => absent(other),
    }
}

fn format_bytes<M>(fs: FsKind, memory: M) -> Result<(), FsError>
where
    M: ByteMemory<Error = NvmError> + Send + 'static,
{
    match fs {
        #[cfg(feature = "littlefs")]
        FsKind::Littlefs => littlefs::format(wordline_engines::ByteBlocks::new(memory)?),
        #[cfg(feature = "fat")]
        FsKind::Fat => fat::format(wordline_engines::Sectors::new(memory)),
        #[cfg(not(all(feature = "fat", feature = "littlefs")))]
        other => absent(other),
    }
}

fn mount_bytes<M>(fs: FsKind, memory: M) -> Result<Mounted, FsError>
where
    M: ByteMemory<Error = NvmError> + Send + 'static,
{
    match fs {
        #[cfg(feature = "littlefs")]
        FsKind::Littlefs => littlefs::mount(wordline_engines::ByteBlocks::new(memory)?),
        #[cfg(feature = "fat")]
        FsKind::Fat => fat::mount(wordline_engines::Sectors::new(memory)),
        #[cfg(not(all(feature = "fat", feature = "littlefs")))]
        other => absent(other),
    }
}

#[cfg(feature = "littlefs")]
mod littlefs {
    use wordline_engines::{Blocks, FsError, LittleFs, LittleFsOptions};

    use super::Mounted;

    pub(super) fn format(blocks: impl Blocks + Send + 'static) -> Result<(), FsError> {
        LittleFs::format(blocks, &LittleFsOptions::default())
    }

    pub(super) fn mount(blocks: impl Blocks + Send + 'static) -> Result<Mounted, FsError> {
        Ok(Box::new(LittleFs::mount(
            blocks,
            &LittleFsOptions::default(),
        )?))
    }
}

#[cfg(feature = "fat")]
mod fat {
    use std::fmt::Display;

    use wordline_engines::{Fat, FatOptions, RewrittenSectors};
    use wordline_memory::BlockDevice;
    use wordline_nvm::NandSheet;
    use wordline_nvm::ftl::{FlashMedia, Ftl, FtlConfig, Media as _, MountError};

    use super::{Flash, FsError, FsErrorKind, Model, Mounted, NvmError, Target};

    pub(super) fn format<D>(device: D) -> Result<(), FsError>
    where
        D: BlockDevice<Error: Display> + Send + 'static,
    {
        Fat::format(device, &FatOptions::default())
    }

    pub(super) fn mount<D>(device: D) -> Result<Mounted, FsError>
    where
        D: BlockDevice<Error: Display> + Send + 'static,
    {
        Ok(Box::new(Fat::mount(device)?))
    }

    pub(super) fn format_flash<F>(target: &Target<'_>, flash: F) -> Result<(), FsError>
    where
        F: Flash<Error = NvmError> + Send + 'static,
    {
        match &target.part.model {
            Model::Nand(sheet) => format(layer(flash, sheet, Ftl::format)?),
            _ => format(RewrittenSectors::new(flash)?),
        }
    }

    pub(super) fn mount_flash<F>(target: &Target<'_>, flash: F) -> Result<Mounted, FsError>
    where
        F: Flash<Error = NvmError> + Send + 'static,
    {
        match &target.part.model {
            Model::Nand(sheet) => mount(layer(flash, sheet, Ftl::mount)?),
            _ => mount(RewrittenSectors::new(flash)?),
        }
    }

    /// The usual translation layer, formatted or mounted.
    fn layer<F: Flash<Error = NvmError>>(
        flash: F,
        sheet: &NandSheet,
        begin: impl FnOnce(FlashMedia<F>, FtlConfig) -> Result<Ftl<F>, MountError<NvmError>>,
    ) -> Result<Ftl<F>, FsError> {
        let unsuitable = |why: &dyn Display| FsError::new(FsErrorKind::Unsuitable, why);
        let media = FlashMedia::of(flash, sheet).map_err(|error| unsuitable(&error))?;
        let config = FtlConfig::page_mapped(media.shape());
        begin(media, config).map_err(|error| unsuitable(&error))
    }
}
