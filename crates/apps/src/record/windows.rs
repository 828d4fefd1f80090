//! Lines over instructions.

/// Windows that are kept; of more, neighbours are joined.
const KEPT: usize = 4096;

/// Instructions of a window at first.
const FIRST: u64 = 1 << 16;

/// Lines that memory read and wrote, by instructions executed.
#[derive(Clone, Debug)]
pub(super) struct LineWindows {
    /// Instructions of a window.
    pub(super) instructions: u64,
    pub(super) lines: Vec<u64>,
}

impl Default for LineWindows {
    fn default() -> Self {
        Self {
            instructions: FIRST,
            lines: Vec::new(),
        }
    }
}

impl LineWindows {
    /// Counts lines after so many instructions.
    pub(super) fn add(&mut self, after: u64, lines: u64) {
        while after / self.instructions >= KEPT as u64 {
            self.lines = self.lines.chunks(2).map(|two| two.iter().sum()).collect();
            self.instructions *= 2;
        }
        let at = (after / self.instructions) as usize;
        if self.lines.len() <= at {
            self.lines.resize(at + 1, 0);
        }
        self.lines[at] += lines;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_joined_and_lose_no_line() {
        let mut windows = LineWindows::default();
        let end = FIRST * KEPT as u64 * 5;
        for after in (0..end).step_by(FIRST as usize / 2) {
            windows.add(after, 3);
        }
        assert_eq!(windows.lines.iter().sum::<u64>(), KEPT as u64 * 5 * 2 * 3);
        assert!(windows.lines.len() <= KEPT);
        assert_eq!(windows.instructions, FIRST * 8);
    }
}
