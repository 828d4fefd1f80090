//! File systems on the memories that suit them: what stands between the two, and how they are set up.

use std::collections::BTreeMap;
use std::fmt::Display;

use wordline_catalog::PartOnBoard;
use wordline_core::quantity::ByteCount;
use wordline_core::{EngineName, FtlMapping, ResultSet, TranslationLayer};
use wordline_engines::{
    Contract, FILE_SYSTEMS, FileSystemEngine, FlashBox, FsError, FsErrorKind, FsOptions, Needs,
    SectorBox, SpareFlash, named,
};
use wordline_memory::{ByteMemory, Flash, Geometry};
use wordline_nvm::ftl::{FlashMedia, Ftl, FtlConfig, FtlError, Media as _, MountError, Shape};
use wordline_nvm::{
    Conditions, FlashModel, Memory, MemoryClass, NvmError, paced_config, paced_ground,
};
use wordline_rtfs::{
    NOR_PAGE_BYTES, NorPages, PacedDisk, PacedGround, PacedSetupError, RECORD_BYTES,
};

use super::calls::Mounted;
use super::layer_ram;
use super::part::FileSystemMedium;
use super::settings::Settings;
use crate::error::{LabError, SettingProblem};
use crate::warning::{FileSystemFailure, FileSystemGround, LabWarning};

/// RAM in bytes of a translation layer, in parts by name.
pub(crate) type LayerRam = Vec<(&'static str, u64)>;

/// The file system of a name.
///
/// # Errors
/// When there is none, with the names that are allowed, or when this program was built without it.
pub(crate) fn file_system(name: &EngineName) -> Result<&'static dyn FileSystemEngine, LabError> {
    let engine = named(FILE_SYSTEMS, name.name()).map_err(|allowed| {
        let name = name.to_string();
        SettingProblem::UnknownEngine { name, allowed }.of("fs")
    })?;
    match engine.is_built_in() {
        true => Ok(engine),
        false => Err(SettingProblem::NotBuiltIn(name.to_string()).of("fs")),
    }
}

/// A file system on a target: how it is formatted and mounted.
#[derive(Clone)]
pub(crate) struct FileSystemSetup<'a> {
    pub(crate) kind: &'static dyn FileSystemEngine,
    pub(crate) target: &'a PartOnBoard<'a>,
    /// What stands between it and NAND.
    pub(crate) layer: Option<TranslationLayer>,
    settings: Settings,
}

/// What was mounted, with the RAM in bytes of a translation layer below, in parts by name.
pub(crate) struct Ready {
    pub(crate) mounted: Mounted,
    pub(crate) layer_ram: LayerRam,
}

impl<'a> FileSystemSetup<'a> {
    /// With what was chosen for it among the choices for all, and what is to stand between it and NAND.
    ///
    /// # Errors
    /// When a setting is none.
    pub(crate) fn new(
        kind: &'static dyn FileSystemEngine,
        target: &'a PartOnBoard<'a>,
        chosen: &BTreeMap<String, String>,
        ftl: Option<TranslationLayer>,
    ) -> Result<Self, LabError> {
        let layer = ftl.unwrap_or(TranslationLayer::of(FtlMapping::Page));
        let layer = Some(layer).filter(|layer| needs_layer(kind, target, layer.mapping));
        Ok(Self {
            kind,
            target,
            layer,
            settings: Settings::of(kind, chosen)?,
        })
    }

    /// The memory of the target, in the erase blocks that the file system is to have.
    ///
    /// # Errors
    /// When the part does not work on its board, or has no erase of the size that the user chose.
    pub(crate) fn memory(&self, conditions: Conditions) -> Result<Memory, LabError> {
        let target = self.target;
        let failed = |source| LabError::Device {
            target: target.name.clone(),
            source,
        };
        let mapping = self.layer.map(|layer| layer.mapping);
        let is_paced =
            self.kind.needs() == Needs::SpareFlash || mapping == Some(FtlMapping::RealTime);
        let erase_bytes = match is_paced {
            true => {
                let chip = target.paced_chip(conditions).map_err(failed)?;
                chip.map(|chip| chip.erase_bytes)
            }
            false => self.erase_bytes(),
        };
        let memory = match erase_bytes {
            None => target.memory(conditions).map(Some),
            Some(bytes) => target.memory_in_blocks(conditions, bytes),
        };
        let memory = memory.map_err(failed)?;
        memory.ok_or_else(|| {
            SettingProblem::NoErase {
                engine: self.kind.name(),
                option: self.kind.block_option().unwrap_or_default(),
                part: target.part.header.id.clone(),
            }
            .of("set")
        })
    }

    /// What the reader should know of how the file system was set up.
    pub(crate) fn warn_of_setup(&self, capacity: u64, document: &mut ResultSet) {
        let all = self.target.part.model.capacity_bytes();
        let part = if capacity < all {
            format!("the first {} of ", ByteCount::from_bytes(capacity))
        } else {
            String::new()
        };
        let ground = match (self.kind.needs(), self.target.part.model.class()) {
            (Needs::Blocks, MemoryClass::RawFlash) => FileSystemGround::EraseBlocks,
            (Needs::Blocks | Needs::Bytes, _) => FileSystemGround::Bytes,
            (Needs::Sectors, MemoryClass::RawFlash) => match &self.layer {
                None => FileSystemGround::RewrittenBlocks,
                Some(layer) => FileSystemGround::Layer(layer.to_string()),
            },
            (Needs::Sectors, _) => FileSystemGround::Sectors,
            (Needs::SpareFlash, _) => FileSystemGround::SpareFlash,
        };
        document.warn(LabWarning::FileSystemSetup {
            place: &format_args!("{part}{}", self.target.name),
            title: &self.kind.title(),
            ground: &ground,
            settings: &self.settings,
        });
    }

    /// What the memory can do to the file system that the reader has to know.
    pub(crate) fn warn(&self, document: &mut ResultSet) {
        let target = &self.target.name;
        let on_pages = self.layer.is_none() && !self.kind.promise().handles_paired_pages;
        let model = &self.target.part.model;
        let pairing = model.flash().and_then(FlashModel::pairing);
        match model.class() {
            _ if pairing.is_some() && on_pages => document.warn(LabWarning::PairedPages {
                target,
                engine: &self.kind.title(),
            }),
            MemoryClass::ManagedFlash => document.warn(LabWarning::SumsOfErases { target }),
            _ => {}
        }
    }

    /// Whether the first bytes of a memory suit the file system.
    ///
    /// # Errors
    /// When they do, but for what the user chose.
    pub(crate) fn suits(&self, memory: &Memory, bytes: u64) -> Result<bool, LabError> {
        let refusal = |engine: &Self| {
            let refused = engine
                .format(&FileSystemMedium::new(memory.fork(), bytes))
                .err();
            refused.filter(|error| error.kind == FsErrorKind::Unsuitable)
        };
        let Some(error) = refusal(self) else {
            return Ok(true);
        };
        let usual = Self {
            settings: Settings::default(),
            ..*self
        };
        if self.settings.is_empty() || refusal(&usual).is_some() {
            return Ok(false);
        }
        Err(SettingProblem::Unsuitable {
            engine: self.kind.title(),
            target: self.target.name.clone(),
            why: error.detail,
        }
        .of("set"))
    }

    /// The blocks that it cannot replace, in words.
    fn fixed_blocks(&self, between: &str) -> String {
        let blocks = 0..self.kind.promise().fixed_blocks;
        let blocks: Vec<_> = blocks.map(|block| block.to_string()).collect();
        blocks.join(between)
    }

    /// Why there may be no room on a memory that is empty: a block that the file system cannot replace is bad.
    pub(crate) fn bad_start(&self, memory: &Memory) -> Option<FileSystemFailure> {
        let Memory::Flash(mut flash) = memory.fork() else {
            return None;
        };
        let is_bad = |block: &u32| flash.is_bad(*block).unwrap_or(false);
        let block = (0..self.kind.promise().fixed_blocks).find(is_bad)?;
        Some(FileSystemFailure::BadStart {
            block,
            title: self.kind.title(),
            fixed: self.fixed_blocks(" and "),
        })
    }

    /// Why power cuts leave some images that break the promise, of which so many are a refusal to work without a block
    /// that the file system cannot replace.
    pub(crate) fn why(&self, failures: u64, without_start: u64) -> Vec<FileSystemFailure> {
        let (promise, title) = (self.kind.promise(), self.kind.title());
        if !promise.survives_power_cuts {
            return vec![FileSystemFailure::NoPromise(title)];
        }
        let mut all = Vec::new();
        if without_start > 0 {
            all.push(FileSystemFailure::StartCut {
                images: without_start,
                title,
                fixed: self.fixed_blocks(" or "),
            });
        }
        let flash = self.target.part.model.flash();
        let has_ecc = flash.is_some_and(|flash| flash.ecc().is_some());
        let has_pairs = flash.is_some_and(|flash| flash.pairing().is_some());
        if failures > without_start && has_pairs && !promise.handles_paired_pages {
            all.push(FileSystemFailure::PairedPage(title));
        }
        if failures > without_start && has_ecc && !promise.handles_unstable_pages {
            all.push(FileSystemFailure::UnstablePage(title));
        }
        all
    }

    /// Makes an empty file system.
    pub(crate) fn format(&self, medium: &FileSystemMedium) -> Result<(), FsError> {
        let (memory, _) = self.contract(medium, true)?;
        self.kind.format(memory, self.settings.options())
    }

    /// Mounts it.
    pub(crate) fn mount(&self, medium: &FileSystemMedium) -> Result<Ready, FsError> {
        let (memory, layer_ram) = self.contract(medium, false)?;
        let mounted = self.kind.open(memory, self.settings.options())?;
        Ok(Ready {
            mounted: Mounted::new(mounted),
            layer_ram,
        })
    }

    /// A memory as the contract that the file system needs, to be formatted or mounted, with the RAM of a layer between
    /// the two.
    fn contract(
        &self,
        medium: &FileSystemMedium,
        formats: bool,
    ) -> Result<(Contract, LayerRam), FsError> {
        match medium {
            FileSystemMedium::Flash(part) => self.on_flash(part.clone(), formats),
            FileSystemMedium::Bytes(part) => Ok((self.on_bytes(part.clone())?, Vec::new())),
        }
    }

    /// Flash as the contract that the file system needs, with the RAM of a layer, which is formatted or mounted.
    pub(crate) fn on_flash(
        &self,
        flash: impl Flash<Error = NvmError> + Send + 'static,
        formats: bool,
    ) -> Result<(Contract, LayerRam), FsError> {
        let model = self.target.part.model.flash();
        if let (Some(model), Needs::SpareFlash) = (model, self.kind.needs()) {
            let flash = spare_flash(flash, model, self.target)?;
            return Ok((Contract::SpareFlash(flash), Vec::new()));
        }
        let (Some(model), Some(layer)) = (model, &self.layer) else {
            return Ok((self.kind.on_flash(flash)?, Vec::new()));
        };
        let (disk, ram) = match FtlConfig::of_layer(layer) {
            Some(config) => on_ftl(flash, model, config, formats)?,
            None if flash.geometry().spare_bytes == 0 => {
                let flash = NorPages::new(flash, NOR_PAGE_BYTES).map_err(unsuitable)?;
                on_paced(flash, NorPages::COLUMNS, model, layer, formats)?
            }
            None => {
                let columns = *model.spare_layout().map_err(unsuitable)?.columns();
                on_paced(flash, columns, model, layer, formats)?
            }
        };
        Ok((Contract::Sectors(disk), ram))
    }

    /// Bytes as the contract that the file system needs.
    pub(crate) fn on_bytes(
        &self,
        memory: impl ByteMemory<Error = NvmError> + Send + 'static,
    ) -> Result<Contract, FsError> {
        self.kind.on_bytes(memory, self.settings.options())
    }

    /// What was chosen.
    pub(crate) const fn options(&self) -> &FsOptions {
        self.settings.options()
    }

    /// The erase that is to be a block, where the flash has several and the user chose one.
    fn erase_bytes(&self) -> Option<u64> {
        let flash = self.target.part.model.flash();
        let has_sizes = flash.is_some_and(|flash| flash.geometry().is_none());
        let block = self.kind.block_option().filter(|_| has_sizes);
        let chosen = block.and_then(|name| self.settings.get(name));
        chosen.map(|bytes| u64::try_from(bytes).unwrap_or(0))
    }

    /// Whether it, or the layer below it, puts off work that then comes at once: a directory that is compacted, a layer
    /// that cleans.
    pub(crate) fn puts_off(&self) -> bool {
        self.cleans() || self.kind.promise().defers_work
    }

    /// Whether it, or the layer below it, writes pages elsewhere and erases the blocks that they leave: from when every
    /// block was written once.
    pub(crate) fn cleans(&self) -> bool {
        self.layer.is_some() || self.kind.needs() == Needs::SpareFlash
    }

    /// The same with options under which what it puts off falls within a short workload, where the user left them open.
    pub(crate) fn eager(&self) -> Self {
        let mut other = self.clone();
        for &(name, value) in self.kind.eager_options() {
            other.settings.or_else(name, value);
        }
        other
    }
}

/// Whether a translation layer stands between a file system and a target.
pub(crate) fn needs_layer(
    engine: &dyn FileSystemEngine,
    target: &PartOnBoard<'_>,
    mapping: FtlMapping,
) -> bool {
    engine.needs() == Needs::Sectors && target.part.model.no_translation(mapping).is_none()
}

/// Whether a file system that keeps records in spare areas can run on a target.
pub(crate) fn takes_records(target: &PartOnBoard<'_>) -> bool {
    let model = &target.part.model;
    model.flash().is_some() && model.no_translation(FtlMapping::RealTime).is_none()
}

/// Flash of a target with room for records: NAND with what its data sheet leaves of the spare areas, and NOR in pages that
/// have some.
fn spare_flash<F>(
    flash: F,
    model: &dyn FlashModel,
    target: &PartOnBoard<'_>,
) -> Result<SpareFlash, FsError>
where
    F: Flash<Error = NvmError> + Send + 'static,
{
    let chip = flash.geometry();
    if chip.spare_bytes == 0 {
        let flash = NorPages::new(flash, NOR_PAGE_BYTES).map_err(unsuitable)?;
        let blocks = target.part.model.capacity_bytes() / chip.block_bytes();
        let geometry = Geometry {
            blocks: u32::try_from(blocks).map_err(unsuitable)?,
            ..flash.geometry()
        };
        return Ok(SpareFlash {
            columns: NorPages::COLUMNS,
            ground: PacedGround {
                geometry,
                bad_blocks: 0,
            },
            flash: FlashBox::new(flash),
        });
    }
    Ok(SpareFlash {
        columns: *model.spare_layout().map_err(unsuitable)?.columns(),
        ground: paced_ground(&chip, model),
        flash: FlashBox::new(flash),
    })
}

/// Formats or mounts a layer that maps pages, or blocks with a log, with its RAM.
fn on_ftl<F: Flash<Error = NvmError> + Send + 'static>(
    flash: F,
    model: &dyn FlashModel,
    config: impl FnOnce(Shape) -> FtlConfig,
    formats: bool,
) -> Result<(SectorBox, LayerRam), FsError> {
    let geometry = flash.geometry();
    let media = FlashMedia::of(flash, model).map_err(unsuitable)?;
    let config = config(media.shape());
    let disk = match formats {
        true => Ftl::format(media, config),
        false => Ftl::mount(media, config),
    };
    let disk = disk.map_err(|error| match error {
        MountError::Media(_) | MountError::Layer(FtlError::Config(_)) => unsuitable(error),
        other => FsError::new(FsErrorKind::Device, other),
    })?;
    let found = disk.layer();
    let (mapping, shape) = (found.mapping_bytes(), found.media().shape());
    let ram = layer_ram::parts(mapping, found.config(), shape, &geometry);
    Ok((disk.into(), ram.to_vec()))
}

/// Formats or mounts the real-time layer, with its RAM.
fn on_paced<F: Flash<Error = NvmError> + Send + 'static>(
    flash: F,
    columns: [u32; RECORD_BYTES],
    model: &dyn FlashModel,
    layer: &TranslationLayer,
    formats: bool,
) -> Result<(SectorBox, LayerRam), FsError> {
    let geometry = flash.geometry();
    let config = paced_config(layer, &geometry, model);
    let bytes = PacedDisk::<F, Vec<u8>>::memory_bytes(&config, &geometry).map_err(unsuitable)?;
    let memory = vec![0; bytes];
    let disk = match formats {
        true => PacedDisk::format(flash, columns, config, memory),
        false => PacedDisk::mount(flash, columns, config, memory),
    };
    let disk = disk.map_err(|error| match error {
        PacedSetupError::Unsuitable(_) => unsuitable(error),
        other => FsError::new(FsErrorKind::Device, other),
    })?;
    let ram = layer_ram::paced_parts(disk.layer().ram());
    Ok((disk.into(), ram.to_vec()))
}

fn unsuitable(why: impl Display) -> FsError {
    FsError::new(FsErrorKind::Unsuitable, why)
}

#[cfg(all(test, feature = "littlefs"))]
mod tests {
    use wordline_catalog::Catalog;
    use wordline_core::{Experiment, RawWorkload, Timing, Workload};

    use super::*;

    fn engine<'a>(name: &str, target: &'a PartOnBoard<'a>) -> FileSystemSetup<'a> {
        let kind = named(FILE_SYSTEMS, name).expect("it is in the list");
        FileSystemSetup::new(kind, target, &BTreeMap::new(), None).expect("it is built in")
    }

    #[test]
    fn a_bad_block_where_littlefs_begins_is_named() {
        let catalog = Catalog::load(&[]).expect("the embedded sheets");
        let target = catalog.part_on_board("mt29f1g01").expect("it is embedded");
        let conditions = Conditions {
            timing: Timing::Typ,
            age: 0.0,
            seed: 0,
        };
        let littlefs = engine("littlefs", &target);
        let mut memory = target.memory(conditions).expect("a chip on its board");
        assert!(littlefs.bad_start(&memory).is_none());
        let Memory::Flash(flash) = &mut memory else {
            panic!("NAND is flash");
        };
        flash.mark_bad(1).expect("there is such a block");
        let why = littlefs.bad_start(&memory).expect("block 1 is bad");
        assert!(why.to_string().contains("block 1"), "{why}");
        #[cfg(feature = "fat")]
        assert!(engine("fat", &target).bad_start(&memory).is_none());
    }

    #[test]
    fn paired_pages_are_cautioned_against() {
        let catalog = Catalog::load(&[]).expect("the embedded sheets");
        for (part, is_paired) in [("mt29f8g08maawc", true), ("mt29f1g01", false)] {
            let target = catalog.part_on_board(part).expect("it is embedded");
            let mut document = ResultSet::new(Experiment {
                targets: Vec::new(),
                workload: Workload::Raw(RawWorkload::default()),
                timings: Vec::new(),
                age: 0.0,
                seed: 0,
                ftl: None,
            });
            engine("littlefs", &target).warn(&mut document);
            assert_eq!(!document.warnings.is_empty(), is_paired, "{part}");
        }
    }
}
