//! Drivers below littlefs that break one promise each.

use std::collections::BTreeMap;

use wordline_engines::{BlockFault, BlockShape, Blocks};

/// What a driver does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A sync returns while the last programs are still in the driver's buffer.
    AcknowledgesSync,
    /// Programs since the last sync reach the memory in reverse order.
    Reorders,
    /// An erase does nothing where the block reads as erased.
    TrustsErased,
    /// An erase is done when the block is next programmed or the driver syncs, and after the program before it.
    ErasesLate,
    /// An erase is put before the programs that were asked for earlier.
    ErasesEarly,
    /// A block that fails is not reported.
    HidesFailures,
    /// One program in so many is dropped: its block is left as it was.
    Drops(u32),
}

pub(crate) const FAULTS: [(Fault, &str); 6] = [
    (Fault::AcknowledgesSync, "a sync is acknowledged while programs wait in the driver"),
    (Fault::Reorders, "programs between two syncs reach the memory in reverse order"),
    (Fault::ErasesEarly, "an erase overtakes the programs before it"),
    (Fault::TrustsErased, "a block that reads as erased is not erased"),
    (Fault::HidesFailures, "failed programs and erases are acknowledged"),
    (Fault::Drops(50), "one program in fifty is dropped"),
];

/// Programs that the driver may hold back.
const HELD_MAX: usize = 3;

/// A driver of blocks.
pub(crate) struct Broken<B> {
    blocks: B,
    fault: Option<Fault>,
    /// Programs that were acknowledged, oldest first.
    held: Vec<(u32, u32, Vec<u8>)>,
    /// Bytes of blocks that reads must see meanwhile.
    programs: u32,
}

impl<B: Blocks> Broken<B> {
    pub(crate) fn new(blocks: B, fault: Option<Fault>) -> Self {
        Self {
            blocks,
            fault,
            held: Vec::new(),
            programs: 0,
        }
    }

    fn reported(&self, result: Result<(), BlockFault>) -> Result<(), BlockFault> {
        match result {
            Err(BlockFault::Block(_)) if self.fault == Some(Fault::HidesFailures) => Ok(()),
            result => result,
        }
    }

    fn let_go(&mut self, all_but: usize) -> Result<(), BlockFault> {
        if self.fault == Some(Fault::Reorders) {
            self.held.reverse();
        }
        while self.held.len() > all_but {
            let (block, at, data) = self.held.remove(0);
            self.blocks.program(block, at, &data)?;
        }
        Ok(())
    }

    fn is_erased(&mut self, block: u32) -> Result<bool, BlockFault> {
        let mut bytes = vec![0; self.blocks.shape().block_bytes as usize];
        self.blocks.read(block, 0, &mut bytes)?;
        Ok(bytes.iter().all(|byte| *byte == 0xFF))
    }
}

impl<B: Blocks> Blocks for Broken<B> {
    fn shape(&self) -> BlockShape {
        self.blocks.shape()
    }

    fn read(&mut self, block: u32, at: u32, out: &mut [u8]) -> Result<(), BlockFault> {
        self.blocks.read(block, at, out)?;
        let waiting: BTreeMap<u32, u8> = self
            .held
            .iter()
            .filter(|(held, _, _)| *held == block)
            .flat_map(|(_, from, data)| (*from..).zip(data.iter().copied()))
            .collect();
        for (place, byte) in (at..).zip(out) {
            if let Some(held) = waiting.get(&place) {
                *byte = *held;
            }
        }
        Ok(())
    }

    fn program(&mut self, block: u32, at: u32, data: &[u8]) -> Result<(), BlockFault> {
        self.programs += 1;
        match self.fault {
            Some(Fault::Drops(every)) if self.programs.is_multiple_of(every) => Ok(()),
            Some(Fault::AcknowledgesSync | Fault::Reorders | Fault::ErasesEarly) => {
                self.held.push((block, at, data.to_vec()));
                let keep = match self.fault {
                    Some(Fault::AcknowledgesSync) => HELD_MAX,
                    _ => usize::MAX,
                };
                self.let_go(keep)
            }
            _ => {
                let result = self.blocks.program(block, at, data);
                self.reported(result)
            }
        }
    }

    fn erase(&mut self, block: u32) -> Result<(), BlockFault> {
        if self.fault == Some(Fault::TrustsErased) && self.is_erased(block)? {
            return Ok(());
        }
        // What waits for this block would be erased with it.
        self.held.retain(|(held, _, _)| *held != block);
        let result = self.blocks.erase(block);
        self.reported(result)
    }

    fn sync(&mut self) -> Result<(), BlockFault> {
        if self.fault != Some(Fault::AcknowledgesSync) {
            self.let_go(0)?;
        }
        self.blocks.sync()
    }
}
