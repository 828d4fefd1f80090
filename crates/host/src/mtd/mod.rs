//! Raw flash as Linux shows it: the character devices `/dev/mtd0`, `/dev/mtd1` and so on.
//!
//! The kernel's driver does the commands, the ECC and the bad-block marks; [`Mtd`] puts its calls behind the contract
//! [`Flash`](wordline_memory::Flash). What a block device is made of (`/dev/mtdblock0`, `/dev/mmcblk0`) is no raw flash, and is refused.
//!
//! Opening one is the dangerous part, so [`Mtd::open`] looks first ([`InUse`]): whether it or a device that shares its
//! bytes is mounted, attached to UBI, swapped to, or held open by a process. What is opened is the device that was looked
//! at, whatever its name leads to by then ([`InodeHandle`](crate::InodeHandle)). It then locks the device against others
//! of its kind. Nothing is written by opening.

mod calls;
mod error;
mod flash;
mod in_use;
mod sysfs;

#[cfg(test)]
mod tests;

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

pub use calls::{Calls, EccCounts, KernelCalls};
pub use error::{InUse, MtdError};
pub use flash::Mtd;
pub use sysfs::{Description, MtdKind};

use crate::in_use::{KernelPaths, numbered};

/// The major numbers of the character devices and of the block devices over them (Linux, devices.txt).
const MTD_CHAR: u32 = 90;
const MTD_BLOCK: u32 = 31;

/// The number of the device that a path led to.
fn number_of(device: &Path, metadata: &Metadata) -> Result<u32, MtdError> {
    let is_char = metadata.file_type().is_char_device();
    let is_block = metadata.file_type().is_block_device();
    let (major, minor) = (
        rustix::fs::major(metadata.rdev()),
        rustix::fs::minor(metadata.rdev()),
    );
    let number = match (is_char, is_block, major) {
        // Odd ones can only be read.
        (true, _, MTD_CHAR) if minor.is_multiple_of(2) => return Ok(minor / 2),
        (true, _, MTD_CHAR) => Some(minor / 2),
        (_, true, MTD_BLOCK) => Some(minor),
        _ => None,
    };
    Err(MtdError::NotRawFlash {
        device: device.to_owned(),
        found: match (is_char, is_block, number) {
            (true, _, Some(_)) => "is the read-only face of raw flash".to_owned(),
            (_, true, Some(_)) => "is a block device over raw flash".to_owned(),
            (true, ..) => format!("is another character device, {major}:{minor}"),
            (_, true, _) => {
                format!("is a block device, {major}:{minor}, whose controller hides its flash")
            }
            _ if metadata.is_dir() => "is a folder".to_owned(),
            _ => "is a file".to_owned(),
        },
        instead: number.map(|number| format!("/dev/mtd{number}")),
    })
}
