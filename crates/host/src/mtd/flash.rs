//! A device behind the contract of flash.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use rustix::io::Errno;
use wordline_memory::{Ecc, Flash, FlashErrorKind, Geometry};

use super::{
    Calls, Description, InUse, KernelCalls, KernelPaths, MtdError, MtdKind, in_use, number_of,
};
use crate::inode::{InodeAccess, InodeError, LinkRule, NameEntry};

/// A raw flash device of the host.
///
/// The kernel hands out what its ECC could not correct like any other data, and counts it. So the counts are asked for
/// before and after each read, which takes two more calls, and a read that made them grow is
/// [`Uncorrectable`](FlashErrorKind::Uncorrectable). Others that read at the same time would be counted, too. Bits are
/// counted over a whole read, not by the codeword: [`Ecc::Corrected`] holds that count, and never advises to move data.
#[derive(Debug)]
pub struct Mtd<C = KernelCalls> {
    pub(super) calls: C,
    device: PathBuf,
    description: Description,
    geometry: Geometry,
}

impl Mtd {
    /// Opens a device, such as `/dev/mtd3`, for programs and erases, after a look at who uses it.
    ///
    /// # Errors
    /// When it is no raw flash, cannot be written, has no geometry that the contract knows, or a process uses it or a
    /// device that shares its bytes.
    pub fn open(device: &Path) -> Result<Self, MtdError> {
        if !cfg!(target_os = "linux") {
            return Err(MtdError::NoLinux);
        }
        let places = KernelPaths::default();
        let unreadable = |source| MtdError::Unreadable {
            path: device.to_owned(),
            source,
        };
        let refused = |error| match error {
            InodeError::Io(source) => unreadable(source),
            error => MtdError::Inode {
                device: device.to_owned(),
                error,
            },
        };
        let found = match NameEntry::of(device, LinkRule::DevicesOnly).map_err(refused)? {
            NameEntry::Inode(found) => found,
            NameEntry::Vacant(_) => return Err(unreadable(Errno::NOENT.into())),
        };
        let number = number_of(device, found.metadata())?;
        let description = Description::read(&places, device, number)?;
        let unused = || match in_use::user(&places, number)? {
            None => Ok(()),
            Some(by) => Err(MtdError::InUse {
                device: device.to_owned(),
                by,
            }),
        };
        unused()?;
        let file = found.open(InodeAccess::READ_WRITE).map_err(refused)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                return Err(MtdError::InUse {
                    device: device.to_owned(),
                    by: InUse::Locked { number },
                });
            }
            Err(errno) => return Err(unreadable(errno.into())),
        }
        // Whoever came in between is seen now, or finds it open.
        unused()?;
        Self::with(KernelCalls::new(file), device, description)
    }
}

impl<C: Calls> Mtd<C> {
    /// A device whose driver is at hand.
    ///
    /// # Errors
    /// When the description makes no geometry that the contract knows.
    pub fn with(calls: C, device: &Path, description: Description) -> Result<Self, MtdError> {
        let geometry = geometry(&description).ok_or_else(|| MtdError::Unfit {
            device: device.to_owned(),
            problem: format!(
                "its sizes make no flash: {} bytes in blocks of {} bytes, written by {} bytes",
                description.bytes, description.erase_bytes, description.write_bytes
            ),
        })?;
        Ok(Self {
            calls,
            device: device.to_owned(),
            description,
            geometry,
        })
    }

    /// What the kernel reports of it.
    #[must_use]
    pub const fn description(&self) -> &Description {
        &self.description
    }

    fn failed(
        &self,
        operation: &'static str,
        at: u64,
        kind: FlashErrorKind,
        source: io::Error,
    ) -> MtdError {
        MtdError::Failed {
            device: self.device.clone(),
            operation,
            at,
            kind,
            source,
        }
    }

    fn position(&self, page: u32, column: u32, bytes: usize) -> Result<u64, MtdError> {
        let within = u64::from(column) + bytes as u64 <= u64::from(self.geometry.page_bytes);
        if !within || u64::from(page) >= self.geometry.pages() {
            return Err(MtdError::Misuse(format!(
                "{bytes} bytes from column {column} of page {page} leave the memory: it has {} pages of {} bytes",
                self.geometry.pages(),
                self.geometry.page_bytes
            )));
        }
        Ok(u64::from(page) * u64::from(self.geometry.page_bytes) + u64::from(column))
    }

    fn block(&self, block: u32) -> Result<u64, MtdError> {
        if block >= self.geometry.blocks {
            return Err(MtdError::Misuse(format!(
                "there is no block {block}: the memory has {}",
                self.geometry.blocks
            )));
        }
        Ok(u64::from(block) * self.geometry.block_bytes())
    }

    fn refuse_bad(&mut self, block: u32, operation: &'static str) -> Result<(), MtdError> {
        if self.is_bad(block)? {
            let at = self.block(block)?;
            let source = io::Error::other("the block is marked bad");
            return Err(self.failed(operation, at, FlashErrorKind::BadBlock, source));
        }
        Ok(())
    }
}

/// The page of NOR flash, which is written by the byte: what serial chips program at once.
const NOR_PAGE_BYTES: u32 = 256;

fn geometry(description: &Description) -> Option<Geometry> {
    let is_nand = description.kind != MtdKind::Nor;
    let page_bytes = match description.write_bytes {
        small @ ..NOR_PAGE_BYTES if !is_nand => {
            let whole = NOR_PAGE_BYTES.is_multiple_of(small);
            if !whole {
                return None;
            }
            NOR_PAGE_BYTES.min(description.erase_bytes)
        }
        bytes => bytes,
    };
    let block = description.erase_bytes;
    let sound = block.is_multiple_of(page_bytes)
        && description.bytes.is_multiple_of(u64::from(block))
        && description.bytes > 0;
    let geometry = Geometry {
        page_bytes,
        // The kernel keeps its ECC there.
        spare_bytes: 0,
        pages_per_block: block / page_bytes,
        blocks: u32::try_from(description.bytes / u64::from(block)).ok()?,
        program_bytes: description.write_bytes.min(page_bytes),
        programs_per_page: is_nand.then_some(1),
        once_bytes: None,
        in_order: is_nand,
    };
    (sound && geometry.is_valid()).then_some(geometry)
}

impl<C: Calls> Flash for Mtd<C> {
    type Error = MtdError;

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, MtdError> {
        let at = self.position(page, column, out.len())?;
        // Drivers without ECC keep no counts.
        let before = self.calls.ecc().unwrap_or_default();
        self.calls
            .read(at, out)
            .map_err(|error| self.failed("a read", at, FlashErrorKind::Other, error))?;
        let after = self.calls.ecc().unwrap_or_default();
        if after.failed != before.failed {
            let source = io::Error::other("the ECC could not correct what it read");
            return Err(self.failed("a read", at, FlashErrorKind::Uncorrectable, source));
        }
        Ok(match after.corrected.wrapping_sub(before.corrected) {
            0 => Ecc::Clean,
            bits => Ecc::Corrected {
                bits: u8::try_from(bits).unwrap_or(u8::MAX),
                refresh: false,
            },
        })
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), MtdError> {
        let at = self.position(page, column, data.len())?;
        let unit = self.geometry.program_bytes;
        let aligned = column.is_multiple_of(unit) && data.len().is_multiple_of(unit as usize);
        if !aligned {
            return Err(MtdError::Misuse(format!(
                "{} bytes from column {column} are no whole units of {unit} bytes",
                data.len()
            )));
        }
        if data.is_empty() {
            return Ok(());
        }
        match self.calls.write(at, data) {
            Ok(()) => Ok(()),
            Err(error) => {
                self.refuse_bad(self.geometry.block_of(page), "a program")?;
                let kind = reported(&error, FlashErrorKind::ProgramFailed);
                Err(self.failed("a program", at, kind, error))
            }
        }
    }

    fn erase(&mut self, block: u32) -> Result<(), MtdError> {
        let at = self.block(block)?;
        match self.calls.erase(at, self.geometry.block_bytes()) {
            Ok(()) => Ok(()),
            // Drivers refuse to erase what is marked bad with the same error as that of a failure.
            Err(error) => {
                self.refuse_bad(block, "an erase")?;
                let kind = reported(&error, FlashErrorKind::EraseFailed);
                Err(self.failed("an erase", at, kind, error))
            }
        }
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, MtdError> {
        let at = self.block(block)?;
        match self.calls.is_bad(at) {
            Ok(bad) => Ok(bad),
            Err(error) if Errno::from_io_error(&error) == Some(Errno::OPNOTSUPP) => Ok(false),
            Err(error) => Err(self.failed("a look at a mark", at, FlashErrorKind::Other, error)),
        }
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), MtdError> {
        let at = self.block(block)?;
        match self.calls.mark_bad(at) {
            Ok(()) => Ok(()),
            Err(error) if Errno::from_io_error(&error) == Some(Errno::OPNOTSUPP) => {
                Err(self.failed("a mark", at, FlashErrorKind::Misuse, error))
            }
            Err(error) => Err(self.failed("a mark", at, FlashErrorKind::Other, error)),
        }
    }
}

/// What an error of a program or an erase means: the chip's own report is an I/O error, everything else is the host's.
fn reported(error: &io::Error, failure: FlashErrorKind) -> FlashErrorKind {
    match Errno::from_io_error(error) {
        Some(Errno::IO) => failure,
        _ => FlashErrorKind::Other,
    }
}
