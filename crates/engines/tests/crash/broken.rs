//! Drivers below littlefs that break one promise each.

use wordline_engines::{BlockFault, BlockShape, Blocks};

/// What a driver does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A sync returns while the last programs are still in the driver's buffer.
    AcknowledgesSync,
    /// The same, and what waits reaches the memory newest first, four programs at a time.
    Reorders,
    /// A block that fails is not reported. littlefs reads back what it programs, and does not need the report.
    HidesFailures,
    /// One program in so many never leaves the driver's buffer.
    Forgets(u32),
}

pub(crate) const FAULTS: [(Fault, &str); 3] = [
    (
        Fault::AcknowledgesSync,
        "a sync is acknowledged while programs wait in the driver",
    ),
    (
        Fault::Reorders,
        "the same, and what waits reaches the memory newest first",
    ),
    (
        Fault::Forgets(50),
        "one program in fifty never leaves the driver's buffer",
    ),
];

/// Programs that the driver may hold back.
const HELD_MAX: usize = 3;

/// A driver of blocks.
pub(crate) struct Broken<B> {
    blocks: B,
    fault: Option<Fault>,
    /// Programs that were acknowledged, oldest first.
    held: Vec<(u32, u32, Vec<u8>)>,
    /// Programs that were asked for.
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

    /// Lets the memory have what waits, except what the driver keeps back.
    fn let_go(&mut self) -> Result<(), BlockFault> {
        let keep = match self.fault {
            Some(Fault::AcknowledgesSync) => HELD_MAX,
            Some(Fault::Forgets(_)) => usize::MAX,
            Some(Fault::Reorders) if self.held.len() <= HELD_MAX => HELD_MAX,
            Some(Fault::Reorders) => {
                self.held.reverse();
                0
            }
            _ => 0,
        };
        while self.held.len() > keep {
            let (block, at, data) = self.held.remove(0);
            self.blocks.program(block, at, &data)?;
        }
        Ok(())
    }
}

impl<B: Blocks> Blocks for Broken<B> {
    fn shape(&self) -> BlockShape {
        self.blocks.shape()
    }

    fn read(&mut self, block: u32, at: u32, out: &mut [u8]) -> Result<(), BlockFault> {
        self.blocks.read(block, at, out)?;
        // The newest program of a byte is the last.
        for (_, from, data) in self.held.iter().filter(|(held, _, _)| *held == block) {
            let end = at + out.len() as u32;
            let (first, last) = (at.max(*from), end.min(from + data.len() as u32));
            if first < last {
                let waiting = &data[(first - from) as usize..(last - from) as usize];
                out[(first - at) as usize..(last - at) as usize].copy_from_slice(waiting);
            }
        }
        Ok(())
    }

    fn program(&mut self, block: u32, at: u32, data: &[u8]) -> Result<(), BlockFault> {
        self.programs += 1;
        match self.fault {
            Some(Fault::Forgets(every)) if self.programs.is_multiple_of(every) => {
                self.held.push((block, at, data.to_vec()));
                Ok(())
            }
            Some(Fault::AcknowledgesSync | Fault::Reorders) => {
                self.held.push((block, at, data.to_vec()));
                self.let_go()
            }
            _ => {
                let result = self.blocks.program(block, at, data);
                self.reported(result)
            }
        }
    }

    fn erase(&mut self, block: u32) -> Result<(), BlockFault> {
        // What waits for this block would be erased with it.
        self.held.retain(|(held, _, _)| *held != block);
        let result = self.blocks.erase(block);
        self.reported(result)
    }

    fn sync(&mut self) -> Result<(), BlockFault> {
        self.let_go()?;
        self.blocks.sync()
    }
}
