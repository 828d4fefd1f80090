//! FAT: on sectors of a card or of bytes, on NOR sectors that are rewritten, on a translation layer.

use std::fmt::Display;

use wordline_catalog::{Model, ftl_config};
use wordline_engines::{
    Fat, FatOptions, FileSystem, FsError, FsErrorKind, RewrittenSectors, Sectors, Shared,
};
use wordline_memory::BlockDevice;
use wordline_nvm::ftl::{FlashMedia, Ftl, Media as _, MountError};
use wordline_nvm::{NandSheet, NvmError};

use super::calls::Mounted;
use super::engine::{Engine, Ready};
use super::part::{FlashPart, Ground, Medium};

pub(super) fn format(engine: &Engine<'_>, medium: &Medium) -> Result<(), FsError> {
    let options = options(engine)?;
    match &medium.ground {
        Ground::Bytes(part) => Fat::format(Sectors::new(part.clone()), &options),
        Ground::Flash(part) => match nand(engine) {
            None => Fat::format(RewrittenSectors::new(part.clone())?, &options),
            Some(sheet) => {
                let layer = on_layer(engine, part, sheet, Ftl::format)?;
                Fat::format(layer, &options)
            }
        },
    }
}

pub(super) fn mount(engine: &Engine<'_>, medium: &Medium) -> Result<Ready, FsError> {
    match &medium.ground {
        Ground::Bytes(part) => ready(Sectors::new(part.clone()), None),
        Ground::Flash(part) => match nand(engine) {
            None => ready(RewrittenSectors::new(part.clone())?, None),
            Some(sheet) => {
                let layer = on_layer(engine, part, sheet, Ftl::mount)?;
                let mapping = layer.layer().mapping_bytes();
                ready(layer, Some(mapping))
            }
        },
    }
}

fn ready<D>(device: D, layer_bytes: Option<u64>) -> Result<Ready, FsError>
where
    D: BlockDevice<Error: Display> + Send + 'static,
{
    let engine: Box<dyn FileSystem> = Box::new(Fat::mount(device)?);
    Ok(Ready {
        mounted: Mounted::new(engine),
        layer_bytes,
    })
}

fn nand<'a>(engine: &Engine<'a>) -> Option<&'a NandSheet> {
    match &engine.target.part.model {
        Model::Nand(sheet) => Some(sheet),
        _ => None,
    }
}

type Layered = Ftl<Shared<FlashPart>>;

/// Formats or mounts the translation layer.
fn on_layer(
    engine: &Engine<'_>,
    part: &Shared<FlashPart>,
    sheet: &NandSheet,
    begin: impl FnOnce(
        FlashMedia<Shared<FlashPart>>,
        wordline_nvm::ftl::FtlConfig,
    ) -> Result<Layered, MountError<NvmError>>,
) -> Result<Layered, FsError> {
    let unsuitable = |why: &dyn Display| FsError::new(FsErrorKind::Unsuitable, why);
    let media = FlashMedia::of(part.clone(), sheet).map_err(|error| unsuitable(&error))?;
    let Some(layer) = &engine.layer else {
        unreachable!("FAT on NAND has a layer");
    };
    let config = ftl_config(layer, media.shape());
    begin(media, config).map_err(|error| match error {
        MountError::Media(_) => unsuitable(&error),
        MountError::Layer(wordline_nvm::ftl::FtlError::Config(_)) => unsuitable(&error),
        other => FsError::new(FsErrorKind::Device, other),
    })
}

fn options(engine: &Engine<'_>) -> Result<FatOptions, FsError> {
    let odd = |name: &str, value: i64| {
        let why = format_args!("fat.{name}={value} cannot be");
        FsError::new(FsErrorKind::Unsuitable, why)
    };
    let settings = engine.settings();
    let mut options = FatOptions::default();
    if let Some(bytes) = settings.get("cluster") {
        let bytes = u32::try_from(bytes).map_err(|_| odd("cluster", bytes))?;
        options.cluster_bytes = Some(bytes);
    }
    if let Some(tables) = settings.get("tables") {
        options.tables = u8::try_from(tables).map_err(|_| odd("tables", tables))?;
    }
    Ok(options)
}
