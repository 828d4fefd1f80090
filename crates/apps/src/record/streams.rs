//! Lines that follow the line before them.

/// Streams that are followed at once.
const STREAMS: usize = 32;

/// Counts the lines that memory reads behind one that it read shortly before.
#[derive(Clone, Debug)]
pub struct MissStreams {
    recent: [u32; STREAMS],
    next: usize,
    /// Lines that were shown.
    pub lines: u64,
    /// Those whose neighbour was among the last ones.
    pub followed: u64,
}

impl Default for MissStreams {
    fn default() -> Self {
        Self {
            recent: [u32::MAX; STREAMS],
            next: 0,
            lines: 0,
            followed: 0,
        }
    }
}

impl MissStreams {
    /// Shows a line that memory reads.
    #[inline]
    pub fn show(&mut self, line: u32) {
        self.lines += 1;
        let neighbour = |of: &u32| *of == line.wrapping_sub(1) || *of == line.wrapping_add(1);
        if let Some(slot) = self.recent.iter_mut().find(|of| neighbour(of)) {
            *slot = line;
            self.followed += 1;
        } else {
            self.recent[self.next] = line;
            self.next = (self.next + 1) % STREAMS;
        }
    }
}
