//! Pages in the order of their last use, and how many were used since.
//!
//! Each page has the moment of its last use, and a binary indexed tree counts the moments that are some page's last
//! (Bennett and Kruskal, "LRU Stack Processing", 1975). Moments are renumbered when they run out, so that room and time
//! depend on the pages alone: a touch takes the logarithm of their number.

use std::collections::HashMap;

/// Least room for moments.
const ROOM_MIN: usize = 1 << 10;

/// What is kept of a page.
#[derive(Clone, Copy, Debug)]
struct StackPage {
    /// Moment of its last use, from 1.
    moment: usize,
    /// The least capacity, in pages, in which what was written to it last has not gone out; none where it is clean
    /// everywhere.
    dirty_from: Option<f64>,
}

/// What a page was when it was touched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PageTouch {
    /// Pages that were used since: 0 where it was used last.
    pub(super) since: u64,
    pub(super) dirty_from: Option<f64>,
}

/// The pages.
#[derive(Debug)]
pub(super) struct UseStack {
    pages: HashMap<u64, StackPage>,
    /// Counts of the binary indexed tree, from 1.
    tree: Vec<u32>,
    now: usize,
}

impl Default for UseStack {
    fn default() -> Self {
        Self {
            pages: HashMap::new(),
            tree: vec![0; ROOM_MIN + 1],
            now: 0,
        }
    }
}

impl UseStack {
    pub(super) fn len(&self) -> usize {
        self.pages.len()
    }

    /// Uses a page; none where it is new.
    pub(super) fn touch(&mut self, page: u64) -> Option<PageTouch> {
        if self.now + 1 == self.tree.len() {
            self.renumber();
        }
        self.now += 1;
        let now = self.now;
        let new = StackPage {
            moment: now,
            dirty_from: None,
        };
        let old = self.pages.insert(page, new);
        let touched = old.map(|old| {
            let since = self.pages.len() as u64 - self.count_to(old.moment);
            self.add(old.moment, false);
            PageTouch {
                since,
                dirty_from: old.dirty_from,
            }
        });
        self.add(now, true);
        touched
    }

    /// Says from which capacity on the page is dirty.
    pub(super) fn set_dirty(&mut self, page: u64, from: Option<f64>) {
        if let Some(page) = self.pages.get_mut(&page) {
            page.dirty_from = from;
        }
    }

    /// Forgets a page; what it was.
    pub(super) fn remove(&mut self, page: u64) -> Option<PageTouch> {
        let old = self.pages.remove(&page)?;
        let since = self.pages.len() as u64 + 1 - self.count_to(old.moment);
        self.add(old.moment, false);
        Some(PageTouch {
            since,
            dirty_from: old.dirty_from,
        })
    }

    /// All pages, that used last first: how many were used after each, and where it is dirty.
    pub(super) fn all(&self) -> impl Iterator<Item = PageTouch> {
        let mut pages: Vec<_> = self.pages.values().copied().collect();
        pages.sort_unstable_by_key(|page| std::cmp::Reverse(page.moment));
        pages.into_iter().zip(0..).map(|(page, since)| PageTouch {
            since,
            dirty_from: page.dirty_from,
        })
    }

    /// Last uses up to a moment.
    fn count_to(&self, moment: usize) -> u64 {
        let (mut at, mut count) = (moment, 0);
        while at > 0 {
            count += u64::from(self.tree[at]);
            at &= at - 1;
        }
        count
    }

    fn add(&mut self, moment: usize, is_one_more: bool) {
        let mut at = moment;
        while at < self.tree.len() {
            let count = &mut self.tree[at];
            *count = if is_one_more { *count + 1 } else { *count - 1 };
            at += at & at.wrapping_neg();
        }
    }

    /// Moments from 1 again, with room for as many as there are pages once more.
    fn renumber(&mut self) {
        let mut order: Vec<(usize, u64)> = self
            .pages
            .iter()
            .map(|(page, of)| (of.moment, *page))
            .collect();
        order.sort_unstable();
        let room = (2 * order.len()).max(ROOM_MIN);
        self.tree = vec![0; room + 1];
        self.now = order.len();
        for (moment, (_, page)) in (1..).zip(order) {
            if let Some(of) = self.pages.get_mut(&page) {
                of.moment = moment;
            }
            self.add(moment, true);
        }
    }
}
