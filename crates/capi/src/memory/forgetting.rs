//! What becomes of SRAM and PSRAM when their supply goes: cells without charge or feedback settle either way.

use wordline_core::draw::{Purpose, draw};

use super::cells::Cells;
use super::fault::MemoryFault;

/// A memory that needs its supply to keep what it holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forgetting {
    seed: u64,
    /// How often the power went: cells settle anew each time.
    losses: u64,
}

/// Bytes that are drawn before they are stored: a multiple of a word.
const CHUNK: usize = 1 << 16;
const WORD: usize = size_of::<u64>();

impl Forgetting {
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed, losses: 0 }
    }

    /// Lets cells hold what they settle to after their supply went.
    pub(super) fn lose(&mut self, cells: &mut Cells) -> Result<(), MemoryFault> {
        self.losses += 1;
        let device = cells.bytes()?;
        let length = device.len();
        let mut drawn = vec![0; CHUNK.min(usize::try_from(length).unwrap_or(CHUNK))];
        let mut at = 0;
        while at < length {
            let part = drawn.len().min((length - at) as usize);
            for (index, word) in drawn[..part].chunks_mut(WORD).enumerate() {
                let place = at / WORD as u64 + index as u64;
                let bits = draw(self.seed, place, self.losses, Purpose::SupplyLoss);
                word.copy_from_slice(&bits.to_le_bytes()[..word.len()]);
            }
            device.preload(at, &drawn[..part])?;
            at += part as u64;
        }
        Ok(())
    }
}
