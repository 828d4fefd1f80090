//! Copy-on-write storage in two levels, so that a device of 1 Gbit forks in microseconds.
//!
//! A store is a root of nodes of pages, each behind an [`Arc`]. A clone copies one pointer; the
//! first write to a page after a clone copies the root's pointers, one node's pointers and that
//! page. Pages that were never written take no memory.

use std::ops::Range;
use std::sync::Arc;

/// Pages of one node.
const NODE_PAGES: usize = 64;

/// An array, because a vector would cost each access one more jump through memory.
type Node<P> = [Option<Arc<P>>; NODE_PAGES];

/// A copy-on-write array of pages.
#[derive(Clone, Debug)]
pub struct Pages<P> {
    root: Arc<Vec<Option<Arc<Node<P>>>>>,
}

impl<P: Clone + Default> Pages<P> {
    /// A store of `pages` pages, none of them written.
    #[must_use]
    pub fn new(pages: usize) -> Self {
        Self {
            root: Arc::new(vec![None; pages.div_ceil(NODE_PAGES)]),
        }
    }

    /// The page at `index`; `None` while it was never written.
    #[must_use]
    #[inline]
    pub fn get(&self, index: usize) -> Option<&P> {
        let node = self.root.get(index / NODE_PAGES)?.as_ref()?;
        node.get(index % NODE_PAGES)?.as_deref()
    }

    /// The page at `index`, made from its default value when it was never written.
    ///
    /// # Panics
    /// When `index` lies outside the store.
    #[track_caller]
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> &mut P {
        let node = Arc::make_mut(&mut self.root)[index / NODE_PAGES]
            .get_or_insert_with(|| Arc::new([const { None }; NODE_PAGES]));
        let page = Arc::make_mut(node)[index % NODE_PAGES].get_or_insert_with(Arc::default);
        Arc::make_mut(page)
    }

    /// The page at `index`, where it was written and no other store shares it.
    #[must_use]
    pub fn get_unshared(&mut self, index: usize) -> Option<&mut P> {
        let root = Arc::get_mut(&mut self.root)?;
        let node = root.get_mut(index / NODE_PAGES)?.as_mut()?;
        let page = Arc::get_mut(node)?.get_mut(index % NODE_PAGES)?.as_mut()?;
        Arc::get_mut(page)
    }

    /// Forgets the page at `index`, as if it had never been written.
    pub fn remove(&mut self, index: usize) {
        if self.get(index).is_none() {
            return;
        }
        if let Some(node) = &mut Arc::make_mut(&mut self.root)[index / NODE_PAGES] {
            Arc::make_mut(node)[index % NODE_PAGES] = None;
        }
    }

    /// Every page that was written, ascending.
    pub fn written(&self) -> impl Iterator<Item = &P> {
        self.root
            .iter()
            .flatten()
            .flat_map(|node| node.iter().flatten().map(|page| &**page))
    }
}

/// Page of an access that lies in one, and its first byte there; `None` for one that crosses pages. The common case, without
/// the bookkeeping of [`spans`].
#[inline(always)]
pub(crate) fn within_page(at: u64, bytes: usize, page_bytes: usize) -> Option<(usize, usize)> {
    let inside = (at % page_bytes as u64) as usize;
    (bytes <= page_bytes - inside).then_some(((at / page_bytes as u64) as usize, inside))
}

/// Splits an access at page boundaries: page, range inside the page, range inside the data.
pub fn spans(
    at: u64,
    bytes: usize,
    page_bytes: usize,
) -> impl Iterator<Item = (usize, Range<usize>, Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == bytes {
            return None;
        }
        // In 64 bits: a large chip has more bytes than a small processor has addresses.
        let address = at + done as u64;
        let inside = (address % page_bytes as u64) as usize;
        let length = (page_bytes - inside).min(bytes - done);
        let part = done..done + length;
        done += length;
        let page = (address / page_bytes as u64) as usize;
        Some((page, inside..inside + length, part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_clone_shares_until_one_side_writes() {
        let mut first = Pages::<[u8; 4]>::new(200);
        first.get_mut(130)[0] = 7;
        first.get_mut(131)[0] = 8;
        let mut second = first.clone();
        second.get_mut(130)[0] = 9;
        assert_eq!(first.get(130), Some(&[7, 0, 0, 0]));
        assert_eq!(second.get(130), Some(&[9, 0, 0, 0]));
        let shared = |pages: &Pages<[u8; 4]>| pages.get(131).map(std::ptr::from_ref);
        assert_eq!(shared(&first), shared(&second));
        assert_eq!(first.get(0), None);
        assert_eq!(first.get(10_000), None);
        assert_eq!(first.written().count(), 2);
    }

    #[test]
    fn a_removed_page_is_as_if_never_written() {
        let mut first = Pages::<[u8; 4]>::new(200);
        first.get_mut(130)[0] = 7;
        let second = first.clone();
        first.remove(130);
        first.remove(10_000);
        assert_eq!(first.get(130), None);
        assert_eq!(second.get(130), Some(&[7, 0, 0, 0]));
    }

    proptest! {
        /// The plain reference: an array of arrays, copied whole at every clone.
        #[test]
        fn it_agrees_with_plain_copies(steps in prop::collection::vec((0usize..3, 0usize..300, any::<u8>(), any::<bool>()), 1..200)) {
            let mut stores = vec![Pages::<[u8; 2]>::new(300); 3];
            let mut plain = vec![vec![[0u8; 2]; 300]; 3];
            for (which, page, value, fork) in steps {
                if fork {
                    stores[(which + 1) % 3] = stores[which].clone();
                    plain[(which + 1) % 3] = plain[which].clone();
                }
                stores[which].get_mut(page)[1] = value;
                plain[which][page][1] = value;
            }
            for (store, plain) in stores.iter().zip(&plain) {
                for (index, page) in plain.iter().enumerate() {
                    prop_assert_eq!(store.get(index).copied().unwrap_or_default(), *page);
                }
            }
        }
    }
}
