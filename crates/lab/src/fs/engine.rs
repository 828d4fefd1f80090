//! File systems on the memories that suit them: what stands between the two, and how they are set up.

use std::collections::BTreeMap;

use wordline_catalog::{Model, Target};
use wordline_core::quantity::ByteCount;
use wordline_core::{FsKind, FtlMapping, TranslationLayer};
use wordline_engines::{FileSystem, FsError, FsErrorKind};
use wordline_memory::{ByteMemory, Flash};
use wordline_nvm::{Conditions, Memory, NvmError};

use super::calls::Mounted;
use super::part::{Ground, Medium};
use super::settings::Settings;
use crate::error::LabError;

/// Flash that an engine takes: a part of a simulated memory, or an image of one.
pub(super) trait AnyFlash: Flash<Error = NvmError> + Send + 'static {}

impl<F: Flash<Error = NvmError> + Send + 'static> AnyFlash for F {}

/// Bytes that an engine takes.
pub(super) trait AnyBytes: ByteMemory<Error = NvmError> + Send + 'static {}

impl<M: ByteMemory<Error = NvmError> + Send + 'static> AnyBytes for M {}

/// A file system on a target: how it is formatted and mounted.
#[derive(Clone)]
pub(super) struct Engine<'a> {
    pub(super) kind: FsKind,
    pub(super) target: &'a Target<'a>,
    /// What stands between it and NAND.
    pub(super) layer: Option<TranslationLayer>,
    settings: Settings,
}

/// What was mounted, with the RAM in bytes of a translation layer below, in parts by name.
pub(super) struct Ready {
    pub(super) mounted: Mounted,
    pub(super) layer_ram: Vec<(&'static str, u64)>,
}

impl Ready {
    pub(super) fn new(engine: impl FileSystem + Send + 'static) -> Self {
        Self {
            mounted: Mounted::new(Box::new(engine)),
            layer_ram: Vec::new(),
        }
    }
}

impl<'a> Engine<'a> {
    /// With what was chosen for it among the choices for all, and what is to stand between it and NAND.
    ///
    /// # Errors
    /// When this program was built without the file system, or a setting is none.
    pub(super) fn new(
        kind: FsKind,
        target: &'a Target<'a>,
        chosen: &BTreeMap<String, String>,
        ftl: Option<TranslationLayer>,
    ) -> Result<Self, LabError> {
        let built = match kind {
            FsKind::Littlefs => cfg!(feature = "littlefs"),
            FsKind::Fat => cfg!(feature = "fat"),
        };
        if !built {
            return Err(LabError::List {
                what: "fs",
                problem: format!(
                    "names {}, and this program was built without it",
                    kind.name()
                ),
            });
        }
        let over_layer = kind == FsKind::Fat && matches!(target.part.model, Model::Nand(_));
        let layer = over_layer.then(|| {
            let usual = TranslationLayer::of(FtlMapping::Page);
            ftl.unwrap_or(usual)
        });
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
    pub(super) fn memory(&self, conditions: Conditions) -> Result<Memory, LabError> {
        let target = self.target;
        let memory = match self.erase_bytes() {
            None => target.memory(conditions).map(Some),
            Some(bytes) => target.memory_in_blocks(conditions, bytes),
        };
        let memory = memory.map_err(|source| LabError::Device {
            target: target.name.clone(),
            source,
        })?;
        memory.ok_or_else(|| LabError::List {
            what: "set",
            problem: format!(
                "littlefs.block is the size of no erase of {} that its board drives",
                target.part.header.id
            ),
        })
    }

    /// What the reader should know of how the file system was set up.
    pub(super) fn note(&self, capacity: u64) -> String {
        let title = self.kind.title();
        let all = self.target.part.model.capacity_bytes();
        let part = if capacity < all {
            format!("the first {} of ", ByteCount::from_bytes(capacity))
        } else {
            String::new()
        };
        let place = match (self.kind, &self.target.part.model) {
            (FsKind::Littlefs, Model::Nand(_) | Model::Nor(_)) => {
                "on the flash itself, in its erase blocks".to_owned()
            }
            (FsKind::Littlefs, _) => "on bytes that can be overwritten".to_owned(),
            (FsKind::Fat, Model::Nor(_)) => {
                "on erase blocks that are rewritten in place, as simple products do; a power cut within a rewrite \
                 loses a sector"
                    .to_owned()
            }
            (FsKind::Fat, Model::Nand(_)) => {
                let layer = self.layer.as_ref().map(ToString::to_string);
                format!(
                    "over a translation layer (mapping {})",
                    layer.unwrap_or_default()
                )
            }
            (FsKind::Fat, _) => "on sectors of 512 B".to_owned(),
        };
        format!(
            "{part}{}: {title} {place}{}",
            self.target.name, self.settings
        )
    }

    /// What the memory can do to the file system that the reader has to know.
    pub(super) fn caution(&self) -> Option<String> {
        match (self.kind, &self.target.part.model) {
            (FsKind::Littlefs, Model::Nand(sheet)) if sheet.pairing.is_some() => Some(format!(
                "{}: its pages are paired, and a power cut within a program harms an earlier page as well, which may \
                 have been synced long before; littlefs programs as if only the page under way were at risk: use a \
                 memory of one bit a cell, or a layer that knows of pairs",
                self.target.name
            )),
            (_, Model::Card(_)) => Some(format!(
                "{}: its own layer tells erases as sums since it was made: what the calls took of a block, and how \
                 evenly, is not known",
                self.target.name
            )),
            _ => None,
        }
    }

    /// Whether the first bytes of a memory suit the file system.
    ///
    /// # Errors
    /// When they do, but for what the user chose.
    pub(super) fn suits(&self, memory: &Memory, bytes: u64) -> Result<bool, LabError> {
        let refusal = |engine: &Self| {
            let refused = engine.format(&Medium::new(memory.fork(), bytes)).err();
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
        Err(LabError::List {
            what: "set",
            problem: format!(
                "does not suit {} on {}: {}",
                self.kind.title(),
                self.target.name,
                error.detail
            ),
        })
    }

    /// Why there may be no room on a memory that is empty: littlefs begins in its first two blocks.
    pub(super) fn bad_start(&self, memory: &Memory) -> Option<String> {
        let (FsKind::Littlefs, Memory::Flash(mut flash)) = (self.kind, memory.fork()) else {
            return None;
        };
        let is_bad = |block: &u32| flash.is_bad(*block).unwrap_or(false);
        let block = (0..2).find(is_bad)?;
        Some(format!(
            "block {block} came bad from the factory, and littlefs cannot do without blocks 0 and 1: another --seed is \
             another chip"
        ))
    }

    /// Why power cuts leave some images that break the promise, of which so many are a refusal to work without block 0
    /// or 1.
    pub(super) fn why(&self, failures: u64, without_start: u64) -> Vec<String> {
        if !self.kind.survives_power_cuts() {
            return vec![format!(
                "{} promises nothing of the kind",
                self.kind.title()
            )];
        }
        let mut all = Vec::new();
        if without_start > 0 {
            all.push(format!(
                "in {without_start} of them the cut left block 0 or 1 so that it takes no erase, and littlefs cannot \
                 do without: it says that there is no room, and nothing is lost"
            ));
        }
        let (has_ecc, has_pairs) = match &self.target.part.model {
            Model::Nand(sheet) => (sheet.ecc.is_some(), sheet.pairing.is_some()),
            _ => (false, false),
        };
        if failures > without_start && has_pairs {
            all.push(
                "a cut within a program harms an earlier page of the pair as well, which littlefs does not know of"
                    .to_owned(),
            );
        }
        if failures > without_start && has_ecc {
            all.push(
                "the ECC on the chip may correct a page that a cut left half-programmed in one read and give it up in \
                 another: littlefs asks once, takes the page for whole or for erased, and goes on behind it \
                 (docs/evidence/fs-power-cuts.md)"
                    .to_owned(),
            );
        }
        all
    }

    /// Makes an empty file system.
    pub(super) fn format(&self, medium: &Medium) -> Result<(), FsError> {
        match &medium.ground {
            Ground::Flash(part) => self.format_flash(part.clone()),
            Ground::Bytes(part) => self.format_bytes(part.clone()),
        }
    }

    /// Mounts it.
    pub(super) fn mount(&self, medium: &Medium) -> Result<Ready, FsError> {
        match &medium.ground {
            Ground::Flash(part) => self.mount_flash(part.clone()),
            Ground::Bytes(part) => self.mount_bytes(part.clone()),
        }
    }

    pub(super) fn format_flash<F: AnyFlash>(&self, flash: F) -> Result<(), FsError> {
        match self.kind {
            #[cfg(feature = "fat")]
            FsKind::Fat => super::fat::format_flash(self, flash),
            #[cfg(feature = "littlefs")]
            FsKind::Littlefs => super::littlefs::format_flash(self, flash),
            #[allow(unreachable_patterns, reason = "every file system may be built in")]
            other => unreachable!("{} is not built in", other.name()),
        }
    }

    pub(super) fn mount_flash<F: AnyFlash>(&self, flash: F) -> Result<Ready, FsError> {
        match self.kind {
            #[cfg(feature = "fat")]
            FsKind::Fat => super::fat::mount_flash(self, flash),
            #[cfg(feature = "littlefs")]
            FsKind::Littlefs => super::littlefs::mount_flash(self, flash),
            #[allow(unreachable_patterns, reason = "every file system may be built in")]
            other => unreachable!("{} is not built in", other.name()),
        }
    }

    pub(super) fn format_bytes<M: AnyBytes>(&self, memory: M) -> Result<(), FsError> {
        match self.kind {
            #[cfg(feature = "fat")]
            FsKind::Fat => super::fat::format_bytes(self, memory),
            #[cfg(feature = "littlefs")]
            FsKind::Littlefs => super::littlefs::format_bytes(self, memory),
            #[allow(unreachable_patterns, reason = "every file system may be built in")]
            other => unreachable!("{} is not built in", other.name()),
        }
    }

    pub(super) fn mount_bytes<M: AnyBytes>(&self, memory: M) -> Result<Ready, FsError> {
        match self.kind {
            #[cfg(feature = "fat")]
            FsKind::Fat => super::fat::mount_bytes(memory),
            #[cfg(feature = "littlefs")]
            FsKind::Littlefs => super::littlefs::mount_bytes(self, memory),
            #[allow(unreachable_patterns, reason = "every file system may be built in")]
            other => unreachable!("{} is not built in", other.name()),
        }
    }

    /// The erase of NOR that is to be a block, where the user chose one.
    fn erase_bytes(&self) -> Option<u64> {
        let is_nor = matches!(self.target.part.model, Model::Nor(_));
        let chosen = self.settings.get("block").filter(|_| is_nor);
        chosen.map(|bytes| u64::try_from(bytes).unwrap_or(0))
    }

    /// Whether it, or the layer below it, puts off work that then comes at once: a directory of littlefs that is
    /// compacted, a layer that cleans.
    pub(super) const fn puts_off(&self) -> bool {
        self.layer.is_some() || matches!(self.kind, FsKind::Littlefs)
    }

    /// The same with a choice of a file system where the user left it open.
    pub(super) fn with_choice(&self, kind: FsKind, name: &'static str, value: i64) -> Self {
        let mut other = self.clone();
        if self.kind == kind {
            other.settings.or_else(name, value);
        }
        other
    }

    pub(super) const fn settings(&self) -> &Settings {
        &self.settings
    }
}

#[cfg(all(test, feature = "littlefs"))]
mod tests {
    use wordline_catalog::Catalog;
    use wordline_core::Timing;

    use super::*;

    fn engine<'a>(kind: FsKind, target: &'a Target<'a>) -> Engine<'a> {
        Engine::new(kind, target, &BTreeMap::new(), None).expect("it is built in")
    }

    #[test]
    fn a_bad_block_where_littlefs_begins_is_named() {
        let catalog = Catalog::load(&[]).expect("the embedded sheets");
        let target = catalog.target("mt29f1g01").expect("it is embedded");
        let conditions = Conditions {
            timing: Timing::Typ,
            age: 0.0,
            seed: 0,
        };
        let littlefs = engine(FsKind::Littlefs, &target);
        let mut memory = target.memory(conditions).expect("a chip on its board");
        assert_eq!(littlefs.bad_start(&memory), None);
        let Memory::Flash(flash) = &mut memory else {
            panic!("NAND is flash");
        };
        flash.mark_bad(1).expect("there is such a block");
        let why = littlefs.bad_start(&memory).expect("block 1 is bad");
        assert!(why.contains("block 1"), "{why}");
        #[cfg(feature = "fat")]
        assert_eq!(engine(FsKind::Fat, &target).bad_start(&memory), None);
    }

    #[test]
    fn paired_pages_are_cautioned_against() {
        let catalog = Catalog::load(&[]).expect("the embedded sheets");
        for (part, is_paired) in [("mt29f8g08maawc", true), ("mt29f1g01", false)] {
            let target = catalog.target(part).expect("it is embedded");
            let caution = engine(FsKind::Littlefs, &target).caution();
            assert_eq!(caution.is_some(), is_paired, "{part}");
        }
    }
}
