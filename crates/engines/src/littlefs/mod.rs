//! littlefs 2.9 in C, unmodified (`LFS_VERSION` 0x00020009, its format on the memory 2.1), on flash or a byte memory.
//!
//! What its users should know:
//! - It is safe against power cuts: a file is as it was last synced or closed, and a change of a directory is done or
//!   not.
//! - A rename replaces a file, or an empty directory by a directory.
//! - It works around blocks that fail to be erased or programmed, and keeps no list of them. Blocks 0 and 1 must be
//!   good when it is formatted.
//! - A panic of the memory goes through to the caller. Every later call is an error of the device: drop it, and mount
//!   again.
//! - Data of files carries no checksum: bits that flip where the memory does not notice are read as they are.

#[cfg(feature = "littlefs")]
mod link;
#[cfg(feature = "littlefs")]
mod mounted;
#[cfg(feature = "littlefs")]
mod options;
#[cfg(feature = "littlefs")]
mod raw;
#[cfg(feature = "littlefs")]
mod words;

#[cfg(feature = "littlefs")]
pub use mounted::LittleFs;
#[cfg(feature = "littlefs")]
pub use options::LittleFsOptions;

#[cfg(feature = "littlefs")]
use crate::{Contract, FsError, FsOptions, option};
use crate::{Engine, FileSystem, FileSystemEngine, Needs, Promise};

/// littlefs by name.
pub(crate) struct LittleFsEngine;

impl Engine for LittleFsEngine {
    type Offer = dyn FileSystem + Send;

    fn name(&self) -> &'static str {
        "littlefs"
    }

    fn title(&self) -> &'static str {
        "littlefs"
    }

    /// It moves metadata off a block that was erased often, within the call that erases it. It reads a page once, and
    /// takes a torn one that the ECC happens to correct for whole.
    fn promise(&self) -> Promise {
        Promise {
            survives_power_cuts: true,
            defers_work: true,
            copies_behind: true,
            fixed_blocks: 2,
            ..Promise::NONE
        }
    }

    fn needs(&self) -> Needs {
        Needs::Blocks
    }

    fn is_built_in(&self) -> bool {
        cfg!(feature = "littlefs")
    }

    #[cfg(feature = "littlefs")]
    fn format(&self, memory: Contract, options: &FsOptions) -> Result<(), FsError> {
        LittleFs::format(memory.blocks()?, &chosen(options)?)
    }

    #[cfg(feature = "littlefs")]
    fn open(&self, memory: Contract, options: &FsOptions) -> Result<Box<Self::Offer>, FsError> {
        let mounted = LittleFs::mount(memory.blocks()?, &chosen(options)?)?;
        Ok(Box::new(mounted))
    }
}

impl FileSystemEngine for LittleFsEngine {
    fn options(&self) -> &'static [&'static str] {
        &[
            "block",
            "read",
            "prog",
            "cache",
            "lookahead",
            "cycles",
            "inline",
            "metadata",
        ]
    }

    fn block_option(&self) -> Option<&'static str> {
        Some("block")
    }

    /// Short blocks are copied in less time, and long ones hold more of a file's list; granules and caches suit them.
    fn speed_options(&self) -> &'static [(&'static str, &'static [i64])] {
        &[
            ("block", &[128, 256, 512, 1024, 4096, 32768, 65536]),
            ("cache", &[64, 128, 256, 512, 1024, 2048, 4096]),
            ("read", &[4, 16, 64, 256]),
            ("prog", &[4, 16, 64, 256]),
            ("lookahead", &[64, 256, 512]),
            ("metadata", &[512, 1024, 4096, 16384]),
        ]
    }

    /// The fewest cycles after which a block of metadata moves.
    fn eager_options(&self) -> &'static [(&'static str, i64)] {
        &[("cycles", 1)]
    }
}

/// The options by name; cycles of -1 keep blocks of metadata where they are, as littlefs spells it.
#[cfg(feature = "littlefs")]
fn chosen(options: &FsOptions) -> Result<LittleFsOptions, FsError> {
    let bytes = |name: &str| option("littlefs", options, name);
    let usual = LittleFsOptions::default();
    Ok(LittleFsOptions {
        read_bytes: bytes("read")?,
        program_bytes: bytes("prog")?,
        cache_bytes: bytes("cache")?,
        lookahead_bytes: bytes("lookahead")?,
        block_cycles: match options.get("cycles") {
            None => usual.block_cycles,
            Some(-1) => None,
            Some(_) => bytes("cycles")?,
        },
        inline_bytes: bytes("inline")?,
        metadata_bytes: bytes("metadata")?,
    })
}
