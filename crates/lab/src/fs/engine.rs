//! File systems on the memories that suit them: what stands between the two, and how they are set up.

use wordline_catalog::{Model, Target};
use wordline_core::quantity::ByteCount;
use wordline_core::{Experiment, FsKind, FsWorkload, FtlMapping, TranslationLayer};
use wordline_engines::{FileSystem, FsError};
use wordline_memory::{ByteMemory, Flash};
use wordline_nvm::NvmError;

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
pub(super) struct Engine<'a> {
    pub(super) kind: FsKind,
    pub(super) target: &'a Target<'a>,
    /// What stands between it and NAND.
    pub(super) layer: Option<TranslationLayer>,
    settings: Settings,
}

/// What was mounted, with the RAM in bytes of a translation layer below.
pub(super) struct Ready {
    pub(super) mounted: Mounted,
    pub(super) layer_bytes: Option<u64>,
}

impl Ready {
    pub(super) fn new(engine: impl FileSystem + 'static, layer_bytes: Option<u64>) -> Self {
        Self {
            mounted: Mounted::new(Box::new(engine)),
            layer_bytes,
        }
    }
}

impl<'a> Engine<'a> {
    /// # Errors
    /// When this program was built without the file system, or a setting is none.
    pub(super) fn new(
        kind: FsKind,
        target: &'a Target<'a>,
        workload: &FsWorkload,
        experiment: &Experiment,
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
            experiment.ftl.unwrap_or(usual)
        });
        Ok(Self {
            kind,
            target,
            layer,
            settings: Settings::of(kind, &workload.settings)?,
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
    pub(super) fn erase_bytes(&self) -> Option<u64> {
        let is_nor = matches!(self.target.part.model, Model::Nor(_));
        let chosen = self.settings.get("block").filter(|_| is_nor);
        chosen.map(|bytes| u64::try_from(bytes).unwrap_or(0))
    }

    pub(super) const fn settings(&self) -> &Settings {
        &self.settings
    }
}
