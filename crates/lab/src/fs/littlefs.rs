//! littlefs: on flash in its erase blocks, or on bytes that can be overwritten.

use wordline_engines::{ByteBlocks, FlashBlocks, FsError, FsErrorKind, LittleFs, LittleFsOptions};

use super::engine::{AnyBytes, AnyFlash, Engine, Ready};

pub(super) fn format_bytes<M: AnyBytes>(engine: &Engine<'_>, memory: M) -> Result<(), FsError> {
    LittleFs::format(ByteBlocks::new(memory)?, &options(engine)?)
}

pub(super) fn mount_bytes<M: AnyBytes>(engine: &Engine<'_>, memory: M) -> Result<Ready, FsError> {
    let mounted = LittleFs::mount(ByteBlocks::new(memory)?, &options(engine)?)?;
    Ok(Ready::new(mounted, None))
}

pub(super) fn format_flash<F: AnyFlash>(engine: &Engine<'_>, flash: F) -> Result<(), FsError> {
    LittleFs::format(FlashBlocks::new(flash)?, &options(engine)?)
}

pub(super) fn mount_flash<F: AnyFlash>(engine: &Engine<'_>, flash: F) -> Result<Ready, FsError> {
    let mounted = LittleFs::mount(FlashBlocks::new(flash)?, &options(engine)?)?;
    Ok(Ready::new(mounted, None))
}

/// What the user chose; cycles of -1 let blocks of metadata stay for good, as littlefs spells it.
fn options(engine: &Engine<'_>) -> Result<LittleFsOptions, FsError> {
    let settings = engine.settings();
    let bytes = |name: &str| {
        let value = settings.get(name);
        let bytes = value.map(|value| {
            u32::try_from(value).map_err(|_| {
                let why = format_args!("littlefs.{name}={value} cannot be");
                FsError::new(FsErrorKind::Unsuitable, why)
            })
        });
        bytes.transpose()
    };
    let usual = LittleFsOptions::default();
    Ok(LittleFsOptions {
        read_bytes: bytes("read")?,
        program_bytes: bytes("prog")?,
        cache_bytes: bytes("cache")?,
        lookahead_bytes: bytes("lookahead")?,
        block_cycles: match settings.get("cycles") {
            None => usual.block_cycles,
            Some(-1) => None,
            Some(_) => bytes("cycles")?,
        },
        inline_bytes: bytes("inline")?,
        metadata_bytes: bytes("metadata")?,
    })
}
