//! Lines that came lately, and the streams among them.

use wordline_trace::dram::LINE_BYTES;

/// Lines that are remembered; each has one place.
const PLACES: usize = 4096;

/// A stream is one if its line before came within so many misses: the manual states that Intel's streamer follows 32 of
/// them, one a page.
const APART: u32 = 64;

/// Lines of a page, which no prefetcher leaves.
const PAGE_LINES: u64 = 4096 / LINE_BYTES;

/// A line that missed.
#[derive(Clone, Copy, Debug)]
struct StreamLine {
    line: u64,
    /// Number of the window, and of the event in it.
    window: u64,
    event: u32,
    /// Lines of its stream in front of it, on its page.
    run: u32,
}

/// Lines that missed lately.
#[derive(Clone, Debug)]
pub(super) struct StreamTable {
    places: Vec<StreamLine>,
}

/// What a line is to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StreamPlace {
    /// Whether it follows the line before it.
    pub(super) follows: bool,
    /// The event whose line lets a prefetcher ask for this one.
    pub(super) trigger: Option<u32>,
}

impl Default for StreamTable {
    fn default() -> Self {
        let none = StreamLine {
            line: u64::MAX,
            window: u64::MAX,
            event: 0,
            run: 0,
        };
        Self {
            places: vec![none; PLACES],
        }
    }
}

impl StreamTable {
    fn find(&self, line: u64, window: u64) -> Option<&StreamLine> {
        let place = &self.places[line as usize % PLACES];
        (place.line == line && place.window == window).then_some(place)
    }

    /// The event that a line came by in a window.
    #[inline]
    pub(super) fn event(&self, line: u64, window: u64) -> Option<u32> {
        self.find(line, window).map(|line| line.event)
    }

    /// Takes a line that missed.
    pub(super) fn note(&mut self, line: u64, event: u32, window: u64, ahead: u64) -> StreamPlace {
        let neighbour = |near: u64| {
            let found = self.find(near, window)?;
            (event - found.event <= APART).then_some(*found)
        };
        let below = line.checked_sub(1).and_then(neighbour);
        let is_rising = below.is_some();
        let before = below.or_else(|| neighbour(line + 1));
        let on_page = before.filter(|before| before.line / PAGE_LINES == line / PAGE_LINES);
        let run = on_page.map_or(0, |before| before.run + 1);
        let trigger = on_page.filter(|_| run >= 2 && ahead > 0).map(|before| {
            // At the beginning of a page the prefetcher has not come so far ahead.
            let steps = ahead.min(u64::from(run) - 1);
            let from = if is_rising {
                line - steps
            } else {
                line + steps
            };
            self.find(from, window)
                .map_or(before.event, |found| found.event)
        });
        self.places[line as usize % PLACES] = StreamLine {
            line,
            window,
            event,
            run,
        };
        StreamPlace {
            follows: before.is_some(),
            trigger,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_followed_from_their_third_line_within_a_page() {
        let mut table = StreamTable::default();
        // Two streams that take turns, one of them down.
        let mut found = Vec::new();
        for step in 0..70u64 {
            let event = 2 * step as u32;
            found.push(table.note(640 + step, event, 0, 16));
            table.note(64 * 1000 - step, event + 1, 0, 16);
        }
        let place = |follows, trigger| StreamPlace { follows, trigger };
        assert_eq!(found[0], place(false, None));
        assert_eq!(found[1], place(true, None));
        assert_eq!(found[2], place(true, Some(2)));
        assert_eq!(found[5], place(true, Some(2)));
        assert_eq!(found[40], place(true, Some(48)));
        assert_eq!(found[64], place(true, None), "another page");
        // What came long before, or in another window, is no stream.
        assert_eq!(table.note(710, 138 + 65, 0, 16), place(false, None));
        assert_eq!(table.note(711, 204, 1, 16), place(false, None));
    }
}
