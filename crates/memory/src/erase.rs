//! Erases that are begun and left running.

/// What becomes of an erase that is [begun](crate::Flash::begin_erase), while its caller does something else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EraseMode {
    /// It has ended when the call that begins it returns.
    #[default]
    Awaited,
    /// It runs on, and the next access to the memory waits for its end, as on NAND.
    Runs,
    /// It runs on until the next access suspends it, as on NOR, and resumes when it is
    /// [advanced](crate::Flash::advance_erase).
    Suspends,
}

/// An erase that has not ended, for memories without a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EraseProgress {
    /// The block.
    pub block: u32,
    /// What is left of it, in parts of [`WHOLE`](Self::WHOLE).
    left: u64,
}

impl EraseProgress {
    const WHOLE: u64 = 1 << 32;

    /// An erase that begins.
    #[must_use]
    pub const fn new(block: u32) -> Self {
        Self {
            block,
            left: Self::WHOLE,
        }
    }

    /// Lets `parts` of `of` equal parts of it pass, and says whether it has ended.
    pub const fn advance(&mut self, parts: u32, of: u32) -> bool {
        let of = if of == 0 { 1 } else { of as u64 };
        let passed = (Self::WHOLE * parts as u64).div_ceil(of);
        self.left = self.left.saturating_sub(passed);
        self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_ends_an_erase() {
        for of in 1..100 {
            let mut erase = EraseProgress::new(0);
            for part in 1..=of {
                assert_eq!(erase.advance(1, of), part == of, "{part} of {of}");
            }
        }
        assert!(EraseProgress::new(0).advance(3, 2));
        assert!(EraseProgress::new(0).advance(1, 0));
    }
}
