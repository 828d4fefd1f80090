//! The traffic of ext4, on any memory of sectors: **an emulation, and no ext4**.
//!
//! Linux keeps written pages in RAM and writes them at a sync, with a journal of its metadata. What that comes to was
//! recorded on a loop device (`scripts/record-ext4`), case by case; [`TrafficPattern`] has the rules that follow. Here the
//! data lie in extents, metadata and the journal have the places that ext4 gives them, and each sync makes the requests of
//! its rule. The metadata that are written are not read again: a table of this emulation's own has the files, and is stored
//! when the file system is unmounted.
//!
//! What its users should know:
//! - Nothing survives a power cut: what was not unmounted is refused. Verdicts on power cuts are refused, too.
//! - No clock runs here. What Linux writes after some seconds is written by the next sync, by [`Ext4Options::dirty_bytes`],
//!   or at the unmount. The write that exceeds `dirty_bytes` waits for all of it; Linux's flusher writes in the background.
//! - A journal that is three quarters full is emptied at once: one long stall. jbd2 checkpoints its oldest transactions until
//!   there is room.
//! - Pages stay in RAM once they were read or written, [`Ext4Options::held_bytes`] at most; there is no readahead.
//! - The image is no ext4: Linux does not mount it.

mod alloc;
mod journal;
mod mounted;
mod pages;
mod pattern;
mod table;
mod volume;

use std::sync::Arc;

pub use mounted::{Ext4, Ext4Options};
pub use pattern::{FileChange, MetadataKind, PatternCase, TrafficPattern};

use crate::{
    Contract, Engine, FileSystem, FileSystemEngine, FsError, FsOptions, Needs, Promise, option,
};

/// The traffic of ext4 by name.
pub(crate) struct Ext4Engine;

impl Engine for Ext4Engine {
    type Offer = dyn FileSystem + Send;

    fn name(&self) -> &'static str {
        "ext4"
    }

    fn title(&self) -> &'static str {
        "ext4 (recorded traffic)"
    }

    fn promise(&self) -> Promise {
        Promise::NONE
    }

    fn needs(&self) -> Needs {
        Needs::Sectors
    }

    fn format(&self, memory: Contract, options: &FsOptions) -> Result<(), FsError> {
        chosen(options)?;
        Ext4::format(memory.sectors()?)
    }

    fn open(&self, memory: Contract, options: &FsOptions) -> Result<Box<Self::Offer>, FsError> {
        Ok(Box::new(Ext4::mount(memory.sectors()?, chosen(options)?)?))
    }
}

/// The options by name.
fn chosen(options: &FsOptions) -> Result<Ext4Options, FsError> {
    let usual = Ext4Options::default();
    let pattern = options.files.get("pattern");
    let pattern = pattern.map(|file| TrafficPattern::read(&file.text).map(Arc::new));
    Ok(Ext4Options {
        pattern: pattern.transpose()?.unwrap_or(usual.pattern),
        dirty_bytes: option("ext4", options, "dirty")?.unwrap_or(usual.dirty_bytes),
        held_bytes: usual.held_bytes,
    })
}

impl FileSystemEngine for Ext4Engine {
    fn options(&self) -> &'static [&'static str] {
        &["dirty", "pattern"]
    }

    fn file_options(&self) -> &'static [&'static str] {
        &["pattern"]
    }

    fn is_emulated(&self) -> bool {
        true
    }
}
