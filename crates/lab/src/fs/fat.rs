//! FAT: on sectors of a card or of bytes, on NOR sectors that are rewritten, on a translation layer.

use std::fmt::Display;

use wordline_catalog::{Model, ftl_config};
use wordline_engines::{Fat, FatOptions, FsError, FsErrorKind, RewrittenSectors, Sectors};
use wordline_nvm::ftl::{FlashMedia, Ftl, FtlConfig, FtlError, Media as _, MountError};
use wordline_nvm::{NandSheet, NvmError};

use super::engine::{AnyBytes, AnyFlash, Engine, Ready};
use super::layer_ram;

pub(super) fn format_bytes<M: AnyBytes>(engine: &Engine<'_>, memory: M) -> Result<(), FsError> {
    Fat::format(Sectors::new(memory), &options(engine)?)
}

pub(super) fn mount_bytes<M: AnyBytes>(memory: M) -> Result<Ready, FsError> {
    Ok(Ready::new(Fat::mount(Sectors::new(memory))?))
}

pub(super) fn format_flash<F: AnyFlash>(engine: &Engine<'_>, flash: F) -> Result<(), FsError> {
    let options = options(engine)?;
    match nand(engine) {
        None => Fat::format(RewrittenSectors::new(flash)?, &options),
        Some(sheet) => Fat::format(on_layer(engine, flash, sheet, Ftl::format)?, &options),
    }
}

pub(super) fn mount_flash<F: AnyFlash>(engine: &Engine<'_>, flash: F) -> Result<Ready, FsError> {
    match nand(engine) {
        None => Ok(Ready::new(Fat::mount(RewrittenSectors::new(flash)?)?)),
        Some(sheet) => {
            let geometry = flash.geometry();
            let disk = on_layer(engine, flash, sheet, Ftl::mount)?;
            let layer = disk.layer();
            let (mapping, shape) = (layer.mapping_bytes(), layer.media().shape());
            let layer_ram = layer_ram::parts(mapping, layer.config(), shape, &geometry).to_vec();
            Ok(Ready {
                layer_ram,
                ..Ready::new(Fat::mount(disk)?)
            })
        }
    }
}

fn nand<'a>(engine: &Engine<'a>) -> Option<&'a NandSheet> {
    match &engine.target.part.model {
        Model::Nand(sheet) => Some(sheet),
        _ => None,
    }
}

/// Formats or mounts the translation layer.
fn on_layer<F: AnyFlash>(
    engine: &Engine<'_>,
    flash: F,
    sheet: &NandSheet,
    begin: impl FnOnce(FlashMedia<F>, FtlConfig) -> Result<Ftl<F>, MountError<NvmError>>,
) -> Result<Ftl<F>, FsError> {
    let unsuitable = |why: &dyn Display| FsError::new(FsErrorKind::Unsuitable, why);
    let media = FlashMedia::of(flash, sheet).map_err(|error| unsuitable(&error))?;
    let Some(layer) = &engine.layer else {
        unreachable!("FAT on NAND has a layer");
    };
    let config = ftl_config(layer, media.shape());
    begin(media, config).map_err(|error| match error {
        MountError::Media(_) => unsuitable(&error),
        MountError::Layer(FtlError::Config(_)) => unsuitable(&error),
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
