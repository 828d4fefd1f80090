//! What was removed becomes free, some pages at a time.
//!
//! A removed file is a page of pointers in a chain, in any number; single pages stand in the super page. A piece of this
//! work takes pointers to pages that one page of the map has, and stores that page of the map without them, in one group
//! with the page that named them. So each page is named or free, at every instant.

use wordline_memory::Flash;

use super::form::{self, NONE, SUPER_PAGE, kind};
use super::{PacedFiles, PageGroup, Result, SuperChange, changed};
use crate::error::PacedError;

/// Pages that one piece of work frees at most.
pub(super) const FREED_MAX: usize = 64;

/// Pages to be freed, of one page of the map.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreedPages {
    pages: [u32; FREED_MAX],
    len: usize,
}

impl FreedPages {
    pub(super) const fn new() -> Self {
        Self {
            pages: [0; FREED_MAX],
            len: 0,
        }
    }

    pub(super) fn pages(&self) -> &[u32] {
        &self.pages[..self.len]
    }

    /// Adds a page where there is room for it, and says so.
    pub(super) fn push(&mut self, page: u32) -> bool {
        if self.len == FREED_MAX {
            return false;
        }
        self.pages[self.len] = page;
        self.len += 1;
        true
    }
}

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedFiles<F, M> {
    /// Whether pages wait to be freed.
    pub(super) const fn has_freeing(&self) -> bool {
        self.chain != NONE || self.waiting > 0
    }

    /// Makes room for single pages in the super page.
    pub(super) fn make_waiting_room(&mut self, pages: usize) -> Result<(), F::Error> {
        while self.waiting + pages as u32 > self.form.waiting {
            self.free_waiting()?;
        }
        Ok(())
    }

    /// Frees some of the pages that wait for it, and says whether there were any.
    pub(super) fn free_some(&mut self) -> Result<bool, F::Error> {
        if self.waiting > 0 && (self.chain == NONE || 2 * self.waiting >= self.form.waiting) {
            self.free_waiting()?;
        } else if self.chain != NONE {
            self.free_chain()?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Those of the pointers `from` to `to` of the page in the image that are in the page of the map of the first one that
    /// is there.
    fn pointers_of_one_map_page(&self, from: u32, to: u32) -> Result<FreedPages, F::Error> {
        let main = self.layer.loaded();
        let mut freed = FreedPages::new();
        let mut map_page = None;
        for index in from..to {
            let page = self.form.pointer(main, index);
            if page == NONE {
                continue;
            }
            if page >= self.layer.logical_pages() {
                return Err(PacedError::Damaged { page });
            }
            let number = self.layer.map_of(page);
            if *map_page.get_or_insert(number) == number && !freed.push(page) {
                break;
            }
        }
        Ok(freed)
    }

    /// Frees single pages.
    fn free_waiting(&mut self) -> Result<(), F::Error> {
        self.work.freeings += 1;
        self.load_kind(SUPER_PAGE, &[kind::SUPER])?;
        let freed = self.pointers_of_one_map_page(0, self.waiting)?;
        let (form, pages) = (self.form, freed.pages());
        if pages.is_empty() {
            return Err(PacedError::Damaged { page: SUPER_PAGE });
        }
        let drop = |main: &mut [u8]| {
            let waiting = form::word(main, form::SUPER_WAITING).min(form.waiting);
            let mut left = 0;
            for index in 0..waiting {
                let page = form.pointer(main, index);
                if !pages.contains(&page) {
                    form.set_pointer(main, left, page);
                    left += 1;
                }
            }
            for index in left..waiting {
                form.set_pointer(main, index, NONE);
            }
            form::set_word(main, form::SUPER_WAITING, left);
        };
        let mut group = PageGroup::default();
        group.push(changed(SUPER_PAGE, &drop));
        self.write_group(&group, pages, &SuperChange::default())?;
        self.waiting -= pages.len() as u32;
        Ok(())
    }

    /// Frees pages of the first removed file.
    fn free_chain(&mut self) -> Result<(), F::Error> {
        self.work.freeings += 1;
        let form = self.form;
        let orphan = self.chain;
        match self.load_kind(orphan, &[kind::ORPHAN]) {
            // What it names, and what comes behind it, is not known any more: those pages stay in use.
            Err(PacedError::Lost { .. }) => {
                let end = SuperChange {
                    chain: Some(NONE),
                    ..SuperChange::default()
                };
                return self.write_group(&PageGroup::default(), &[], &end);
            }
            found => found?,
        };
        let next = form::word(self.layer.loaded(), form::ROOT_NEXT);
        if next >= self.layer.logical_pages() {
            return Err(PacedError::Damaged { page: orphan });
        }
        let mut holder = orphan;
        let mut freed = self.pointers_of_one_map_page(0, form.direct)?;
        if freed.len == 0 {
            let main = self.layer.loaded();
            let mut children = form.direct..form.pointers;
            if let Some(index) = children.find(|index| form.pointer(main, *index) != NONE) {
                let child = form.pointer(main, index);
                match self.load_kind(child, &[kind::CHILD]) {
                    Err(PacedError::Lost { .. }) => {}
                    found => {
                        found?;
                        freed = self.pointers_of_one_map_page(0, form.pointers)?;
                    }
                }
                if freed.len == 0 {
                    freed.push(child);
                } else {
                    holder = child;
                }
            }
        }
        let mut group = PageGroup::default();
        let mut change = SuperChange::default();
        if freed.len == 0 {
            freed.push(orphan);
            change.chain = Some(next);
            return self.write_group(&group, freed.pages(), &change);
        }
        let pages = freed.pages();
        let drop = |main: &mut [u8]| {
            for index in 0..form.pointers {
                let page = form.pointer(main, index);
                if page != NONE && pages.contains(&page) {
                    form.set_pointer(main, index, NONE);
                }
            }
        };
        group.push(changed(holder, &drop));
        self.write_group(&group, pages, &change)
    }
}
