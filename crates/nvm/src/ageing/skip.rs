//! Cycling a block, one cycle at a time or many at once.

use wordline_memory::{Flash, FlashError as _, FlashErrorKind, Geometry};

/// One cycle of a block: some of its first pages are programmed, and it is erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle<'a> {
    /// The block.
    pub block: u32,
    /// Pages that are programmed, from the block's first on: 0 for erases alone.
    pub pages: u32,
    /// What each of them is programmed with, from its first byte on.
    pub data: &'a [u8],
}

impl Cycle<'_> {
    /// The pages that it programs.
    #[must_use]
    pub const fn programs(&self, geometry: &Geometry) -> std::ops::Range<u32> {
        let first = self.block * geometry.pages_per_block;
        first..first + self.pages
    }

    /// Goes through the cycle.
    ///
    /// # Errors
    /// As those of the operations.
    pub fn step<F: Flash + ?Sized>(&self, flash: &mut F) -> Result<(), F::Error> {
        for page in self.programs(&flash.geometry()) {
            flash.program(page, 0, self.data)?;
        }
        flash.erase(self.block)
    }
}

/// A flash memory that can go through many cycles at once. The defaults take one after the other.
pub trait SkipAhead: Flash {
    /// How many cycles from now on, up to `most`, take as long as the next one and do not fail; 0 when the next one
    /// fails.
    fn alike(&mut self, _: &Cycle<'_>, most: u64) -> u64 {
        most.min(1)
    }

    /// Goes through cycles as if each had been [stepped](Cycle::step): at most as many as are
    /// [alike](Self::alike).
    ///
    /// # Errors
    /// As those of the operations.
    fn skip(&mut self, cycle: &Cycle<'_>, cycles: u64) -> Result<(), Self::Error> {
        (0..cycles).try_for_each(|_| cycle.step(self))
    }
}

/// Takes a block through `cycles` cycles, fewer where it fails; returns how many it did, the failed one included, and
/// whether it failed.
///
/// # Errors
/// As those of the operations, but for a program or an erase that fails.
pub fn cycle_block<F: SkipAhead + ?Sized>(
    flash: &mut F,
    cycle: &Cycle<'_>,
    cycles: u64,
) -> Result<(u64, bool), F::Error> {
    let mut done = 0;
    while done < cycles {
        let alike = flash.alike(cycle, cycles - done);
        if alike > 1 {
            flash.skip(cycle, alike)?;
            done += alike;
            continue;
        }
        let stepped = cycle.step(flash);
        done += 1;
        match stepped {
            Err(error) if failed(error.kind()) => return Ok((done, true)),
            other => other?,
        }
    }
    Ok((done, false))
}

const fn failed(kind: FlashErrorKind) -> bool {
    matches!(
        kind,
        FlashErrorKind::ProgramFailed | FlashErrorKind::EraseFailed
    )
}
