//! The state that a memory is in before a run: how much of it holds data. A memory that is all written
//! behaves unlike a fresh one where it cleans up behind its user.

use wordline_core::quantity::ByteCount;
use wordline_nvm::{Device, NvmError};

use crate::control::Control;
use crate::error::{LabError, SettingProblem};
use crate::payload::{Payload, SECTOR};

/// The most host memory that the bytes of one device may take.
pub(crate) const FOOTPRINT_MAX: u64 = 4 << 30;

/// The most that a run moves, in capacities of the memory: as often as NOR and SLC NAND flash is rated for.
pub(crate) const PASSES_MAX: u64 = 100_000;

/// Bytes that are stored at a time.
const PIECE: u64 = 1 << 20;

/// The pass of old data, which differs from every pass of a run: writing over it changes the bytes.
pub(crate) const OLD: u64 = 1 << 40;

/// Bytes that a share of a memory is, in whole sectors.
pub(crate) fn share_bytes(device: &dyn Device, share: f64) -> u64 {
    let bytes = (device.len() as f64 * share).round() as u64;
    if bytes >= device.len() {
        device.len()
    } else {
        bytes / SECTOR * SECTOR
    }
}

/// Stores data in the first `bytes` bytes, in order, without time or wear. Stops early when the caller stops the run.
///
/// # Errors
/// When the range leaves the memory.
pub(crate) fn fill(
    device: &mut dyn Device,
    bytes: u64,
    payload: &Payload,
    pass: u64,
    control: &Control<'_>,
) -> Result<(), NvmError> {
    let mut piece = Vec::new();
    let mut words = Vec::new();
    let mut at = 0;
    while at < bytes && !control.stopped() {
        let length = PIECE.min(bytes - at);
        let sectors = payload.sector_words(at, pass, length);
        if let Some(sectors) = sectors.filter(|_| device.holds_words()) {
            words.clear();
            words.extend(sectors);
            device.preload_words(at / SECTOR, &words)?;
            at += length;
            continue;
        }
        piece.resize(PIECE.min(bytes) as usize, 0);
        let piece = &mut piece[..length as usize];
        payload.fill(at, pass, piece);
        device.preload(at, piece)?;
        at += length;
    }
    Ok(())
}

/// Checks that a share is one.
pub(crate) fn check_fill(share: f64) -> Result<(), LabError> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    Err(SettingProblem::Share(share).of("fill"))
}

/// Checks that the host can hold a share of a memory.
pub(crate) fn check_held(
    payload: &Payload,
    device: &dyn Device,
    share: f64,
) -> Result<(), LabError> {
    let bytes = share_bytes(device, share);
    if payload.held_bytes(bytes) <= FOOTPRINT_MAX {
        return Ok(());
    }
    Err(SettingProblem::LargeFill {
        found: share,
        bytes: ByteCount::from_bytes(bytes),
        most: ByteCount::from_bytes(FOOTPRINT_MAX),
    }
    .of("fill"))
}
