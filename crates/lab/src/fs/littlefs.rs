//! littlefs: on flash in its erase blocks, or on bytes that can be overwritten.

use wordline_engines::{ByteBlocks, FlashBlocks, FsError, FsErrorKind, LittleFs, LittleFsOptions};

use super::engine::{AnyBytes, AnyFlash, Engine, Ready};

pub(super) fn format_bytes<M: AnyBytes>(engine: &Engine<'_>, memory: M) -> Result<(), FsError> {
    LittleFs::format(blocks(engine, memory)?, &options(engine)?)
}

pub(super) fn mount_bytes<M: AnyBytes>(engine: &Engine<'_>, memory: M) -> Result<Ready, FsError> {
    let mounted = LittleFs::mount(blocks(engine, memory)?, &options(engine)?)?;
    Ok(Ready::new(mounted))
}

pub(super) fn format_flash<F: AnyFlash>(engine: &Engine<'_>, flash: F) -> Result<(), FsError> {
    LittleFs::format(FlashBlocks::new(flash)?, &options(engine)?)
}

pub(super) fn mount_flash<F: AnyFlash>(engine: &Engine<'_>, flash: F) -> Result<Ready, FsError> {
    let mounted = LittleFs::mount(FlashBlocks::new(flash)?, &options(engine)?)?;
    Ok(Ready::new(mounted))
}

/// Bytes in blocks of the size that the user chose, if any.
fn blocks<M: AnyBytes>(engine: &Engine<'_>, memory: M) -> Result<ByteBlocks<M>, FsError> {
    match bytes(engine, "block")? {
        None => ByteBlocks::new(memory),
        Some(bytes) => ByteBlocks::of_bytes(memory, bytes),
    }
}

/// A size that the user chose.
fn bytes(engine: &Engine<'_>, name: &str) -> Result<Option<u32>, FsError> {
    let value = engine.settings().get(name);
    let bytes = value.map(|value| {
        u32::try_from(value).map_err(|_| {
            let why = format_args!("littlefs.{name}={value} cannot be");
            FsError::new(FsErrorKind::Unsuitable, why)
        })
    });
    bytes.transpose()
}

/// What the user chose; cycles of -1 let blocks of metadata stay for good, as littlefs spells it.
fn options(engine: &Engine<'_>) -> Result<LittleFsOptions, FsError> {
    let bytes = |name: &str| bytes(engine, name);
    let usual = LittleFsOptions::default();
    Ok(LittleFsOptions {
        read_bytes: bytes("read")?,
        program_bytes: bytes("prog")?,
        cache_bytes: bytes("cache")?,
        lookahead_bytes: bytes("lookahead")?,
        block_cycles: match engine.settings().get("cycles") {
            None => usual.block_cycles,
            Some(-1) => None,
            Some(_) => bytes("cycles")?,
        },
        inline_bytes: bytes("inline")?,
        metadata_bytes: bytes("metadata")?,
    })
}
