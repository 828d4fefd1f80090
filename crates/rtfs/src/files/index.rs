//! Where the pages of a file are.
//!
//! The pages have slots in a ring, so that a log can lose its front for ever. The root has pointers to the pages of the
//! first slots, and to children with those of the others. How long a file is stands in its last page, in what its record
//! notes; so an append within a page writes that page alone.

use wordline_memory::Flash;

use super::file::{PacedFile, data_page};
use super::form::{
    self, FileShape, INDEX_PAGES, NONE, ROOT_BASE, ROOT_ID, ROOT_TAIL, SlotPlace, half, id_at,
    kind, set_half, set_id, set_word, word,
};
use super::reap::{FREED_MAX, FreedPages};
use super::{PacedFiles, PageGroup, RESERVED_PAGES, Result, SuperChange, changed, fresh};
use crate::error::PacedError;
use crate::layer::EditedPage;

/// Pages of a file that become valid together at most.
pub(super) const DATA_PAGES: usize = 4;

/// Pointers that a handle remembers.
const REMEMBERED: u32 = 8;

/// What a handle knows of where the pages of a file are.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileIndex {
    pub(super) root: u32,
    /// The slot of the first page.
    base: u32,
    pub(super) pages: u32,
    /// Bytes of the last page.
    tail: u32,
    /// Pages by the root.
    root_pages: u32,
    /// The child that was in use last, and its page.
    child: Option<(u32, u32)>,
    /// The first slot of the pointers that are remembered, a multiple of their number.
    first: Option<u32>,
    pointers: [u32; REMEMBERED as usize],
}

impl FileIndex {
    /// That of a file whose pages were just made.
    pub(super) fn new(root: u32, pages: u32, tail: u32, known: &[u32]) -> Self {
        let mut pointers = [NONE; REMEMBERED as usize];
        pointers[..known.len()].copy_from_slice(known);
        Self {
            root,
            base: 0,
            pages,
            tail,
            root_pages: pages,
            child: None,
            first: Some(0),
            pointers,
        }
    }

    pub(super) fn bytes(&self, form: &FileShape) -> u64 {
        match self.pages.checked_sub(1) {
            None => 0,
            Some(whole) => u64::from(whole) * form.page as u64 + u64::from(self.tail),
        }
    }

    const fn slot(&self, form: &FileShape, page: u32) -> u32 {
        (self.base + page) % form.slots
    }

    fn known(&self, slot: u32) -> Option<u32> {
        let first = self.first?;
        let place = slot.checked_sub(first)?;
        self.pointers.get(place as usize).copied()
    }

    fn set_known(&mut self, slot: u32, page: u32) {
        if let Some(first) = self.first
            && let Some(place) = slot.checked_sub(first)
            && let Some(pointer) = self.pointers.get_mut(place as usize)
        {
            *pointer = page;
        }
    }
}

/// What a page notes of how many of its bytes the file has.
pub(super) const fn tail_note(bytes: u32) -> u16 {
    bytes as u16
}

/// Makes a page the root of a file.
pub(super) fn init_root(main: &mut [u8], id: u64, pages: u32, tail: u32) {
    main.fill(0);
    main[0] = kind::ROOT;
    set_id(main, ROOT_ID, id);
    set_pages(main, pages, tail);
}

fn set_pages(main: &mut [u8], pages: u32, tail: u32) {
    set_word(main, INDEX_PAGES, pages);
    set_half(main, ROOT_TAIL, tail);
}

fn init_child(main: &mut [u8], id: u64) {
    main.fill(0);
    main[0] = kind::CHILD;
    set_id(main, ROOT_ID, id);
}

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedFiles<F, M> {
    /// Loads the root of a file.
    pub(super) fn load_root(&mut self, root: u32, id: u64) -> Result<(), F::Error> {
        match self.load_kind(root, &[kind::ROOT]) {
            Err(PacedError::Damaged { .. }) => return Err(PacedError::Stale),
            found => found?,
        };
        if id_at(self.layer.loaded(), ROOT_ID) == id {
            Ok(())
        } else {
            Err(PacedError::Stale)
        }
    }

    /// Reads where the pages of a file are, and how long it is.
    pub(super) fn read_index(&mut self, root: u32, id: u64) -> Result<FileIndex, F::Error> {
        let form = self.form;
        self.load_root(root, id)?;
        let main = self.layer.loaded();
        let mut index = FileIndex::new(root, word(main, INDEX_PAGES), half(main, ROOT_TAIL), &[]);
        index.first = None;
        index.base = word(main, ROOT_BASE);
        if index.pages > form.file_pages() || index.base >= form.slots {
            return Err(PacedError::Damaged { page: root });
        }
        let Some(last) = index.pages.checked_sub(1) else {
            return Ok(index);
        };
        // The child of the last page may know of later ones.
        let place = form.place(index.slot(&form, last));
        if let Some(child) = place.child {
            let number = form.pointer(main, form.direct + child);
            if number != NONE {
                self.load_kind(number, &[kind::CHILD])?;
                let used = word(self.layer.loaded(), INDEX_PAGES).min(form.pointers);
                let end = form.direct + child * form.pointers + used;
                let pages = (end + form.slots - index.base) % form.slots;
                if used > place.index && pages > index.pages && pages <= form.file_pages() {
                    index.pages = pages;
                }
                index.child = Some((child, number));
            }
        }
        let last = index.pages - 1;
        let logical = self.pointer_in(&mut index, last)?;
        if logical != NONE {
            index.tail = match self.layer.load(logical) {
                Ok(note) => note.unwrap_or(0).into(),
                // A read of it says so; the others can be read.
                Err(PacedError::Lost { .. }) => form.page as u32,
                Err(error) => return Err(error),
            };
        }
        let page = form.page as u32;
        if index.tail == 0 || index.tail > page {
            index.tail = page;
        }
        Ok(index)
    }

    /// The page of pointers that has a place, which is loaded; `None` where it is a child that is not there.
    fn load_pointers(
        &mut self,
        index: &mut FileIndex,
        place: SlotPlace,
    ) -> Result<Option<u32>, F::Error> {
        let Some(child) = place.child else {
            self.load_kind(index.root, &[kind::ROOT])?;
            return Ok(Some(index.root));
        };
        let number = match index.child {
            Some((known, number)) if known == child => number,
            _ => {
                self.load_kind(index.root, &[kind::ROOT])?;
                self.form
                    .pointer(self.layer.loaded(), self.form.direct + child)
            }
        };
        if number == NONE {
            return Ok(None);
        }
        self.load_kind(number, &[kind::CHILD])?;
        index.child = Some((child, number));
        Ok(Some(number))
    }

    /// The logical page of a page of a file; `NONE` where it was never written.
    fn pointer_in(&mut self, index: &mut FileIndex, page: u32) -> Result<u32, F::Error> {
        let form = self.form;
        let slot = index.slot(&form, page);
        if let Some(known) = index.known(slot) {
            return Ok(known);
        }
        let place = form.place(slot);
        let loaded = self.load_pointers(index, place)?;
        let first = slot - slot % REMEMBERED;
        let mut known = NONE;
        let mut is_one = true;
        if loaded.is_some() {
            let main = self.layer.loaded();
            known = form.pointer(main, place.index);
            for (beside, pointer) in (first..).zip(&mut index.pointers) {
                let there = form.place(beside);
                is_one &= beside < form.slots && there.child == place.child;
                *pointer = if is_one {
                    form.pointer(main, there.index)
                } else {
                    NONE
                };
            }
        } else {
            is_one = false;
        }
        // Slots of several pages of pointers are not remembered together.
        index.first = is_one.then_some(first);
        if known >= self.layer.logical_pages() {
            return Err(PacedError::Damaged { page: known });
        }
        Ok(known)
    }

    pub(super) fn pointer_of(&mut self, file: &mut PacedFile, page: u32) -> Result<u32, F::Error> {
        match &mut file.index {
            Some(index) => self.pointer_in(index, page),
            None => Ok(NONE),
        }
    }

    /// Writes pages of a file, from the one of a byte on, as many as become valid together, and returns how many of the
    /// bytes are written.
    pub(super) fn write_pages(
        &mut self,
        file: &mut PacedFile,
        at: u64,
        data: &[u8],
    ) -> Result<usize, F::Error> {
        let form = self.form;
        let Some(mut index) = file.index else {
            return Err(PacedError::Stale);
        };
        let page = form.page;
        let from = (at / page as u64) as u32;
        let first = (at % page as u64) as usize;
        let place = form.place(index.slot(&form, from));
        // Only pages whose pointers are in one page of them.
        let rest = match place.child {
            None => form.direct - place.index,
            Some(_) => form.pointers - place.index,
        };
        let count = (first + data.len()).div_ceil(page);
        let count = count.min(DATA_PAGES).min(rest as usize);
        let done = (count * page - first).min(data.len());
        let data = &data[..done];
        let now = index.bytes(&form);
        let bytes = now.max(at + done as u64);
        let pages = bytes.div_ceil(page as u64) as u32;
        let tail = (bytes - u64::from(pages - 1) * page as u64) as u32;
        let grows = pages > index.pages;

        let mut pointers = [NONE; DATA_PAGES];
        for (number, pointer) in (from..).zip(&mut pointers[..count]) {
            *pointer = self.pointer_in(&mut index, number)?;
        }
        let missing = pointers[..count].iter().filter(|page| **page == NONE);
        let missing = missing.count();
        let mut child = NONE;
        let mut makes_child = false;
        if place.child.is_some() && missing > 0 {
            let found = self.load_pointers(&mut index, place)?;
            makes_child = found.is_none();
            child = found.unwrap_or(NONE);
        }
        let mut numbers = [NONE; DATA_PAGES + 1];
        let numbers = &mut numbers[..missing + usize::from(makes_child)];
        self.take_pages(numbers, RESERVED_PAGES)?;
        let (new_child, mut new) = match (makes_child, &*numbers) {
            (true, [child, pages @ ..]) => (*child, pages),
            (_, pages) => (NONE, pages),
        };
        if makes_child {
            child = new_child;
        }

        let mut is_fresh = [false; DATA_PAGES];
        for (pointer, is_fresh) in pointers.iter_mut().zip(&mut is_fresh).take(count) {
            *is_fresh = *pointer == NONE;
            if *is_fresh && let [next, others @ ..] = new {
                *pointer = *next;
                new = others;
            }
        }

        let id = file.id;
        let pointers = &pointers[..count];
        let end = place.index + count as u32;
        let last = index.root_pages.checked_sub(1);
        let last_child = last.and_then(|last| form.place(index.slot(&form, last)).child);
        let in_child = |main: &mut [u8]| {
            if makes_child {
                init_child(main, id);
            }
            for (slot, page) in (place.index..).zip(pointers) {
                form.set_pointer(main, slot, *page);
            }
            if grows {
                set_word(main, INDEX_PAGES, end);
            }
        };
        let in_root = |main: &mut [u8]| {
            match place.child {
                None => {
                    for (slot, page) in (place.index..).zip(pointers) {
                        form.set_pointer(main, slot, *page);
                    }
                }
                Some(number) => form.set_pointer(main, form.direct + number, child),
            }
            if grows {
                set_pages(main, pages, tail);
            }
        };
        // The data comes last: the next append finds the page that it goes on with in RAM.
        let mut group = PageGroup::default();
        let mut in_root_too = false;
        if missing > 0 {
            if place.child.is_some() {
                group.push(if makes_child {
                    fresh(child, None, &in_child)
                } else {
                    changed(child, &in_child)
                });
            }
            in_root_too =
                place.child.is_none() || makes_child || grows && last_child != place.child;
            if in_root_too {
                group.push(changed(index.root, &in_root));
            }
        }
        for (place, (logical, is_fresh)) in pointers.iter().zip(is_fresh).enumerate() {
            let start = place * page;
            let (skip, begin) = if place == 0 {
                (first, 0)
            } else {
                (0, start - first)
            };
            let end = (start + page - first).min(data.len());
            let part = &data[begin..end];
            let is_last = from + place as u32 + 1 == pages;
            let valid = if is_last { tail as usize } else { page };
            let covers = skip == 0 && part.len() >= valid;
            let before = (!is_fresh && !covers).then_some(*logical);
            group.push(EditedPage {
                fresh: is_fresh,
                ..data_page(*logical, before, skip, part, tail_note(valid as u32))
            });
        }
        self.commit(&group, &[], &SuperChange::default())?;

        for (number, pointer) in (from..).zip(pointers) {
            let slot = index.slot(&form, number);
            index.set_known(slot, *pointer);
        }
        if let Some(number) = place.child
            && missing > 0
        {
            index.child = Some((number, child));
        }
        if grows && in_root_too {
            index.root_pages = pages;
        }
        let is_longer = bytes > now;
        (index.pages, index.tail) = (pages, tail);
        file.index = Some(index);
        if is_longer || missing > 0 {
            self.changed(file);
        }
        Ok(done)
    }

    /// Extends a file of pages with zeros.
    pub(super) fn extend(
        &mut self,
        file: &mut PacedFile,
        pages: u32,
        tail: u32,
    ) -> Result<(), F::Error> {
        let Some(mut index) = file.index else {
            return Err(PacedError::Stale);
        };
        let mut group = PageGroup::default();
        let last = if pages == index.pages {
            self.pointer_in(&mut index, pages - 1)?
        } else {
            NONE
        };
        let base = index.base;
        let clear = |main: &mut [u8]| main[tail as usize..].fill(0);
        let in_root = |main: &mut [u8]| {
            set_word(main, ROOT_BASE, base);
            set_pages(main, pages, tail);
        };
        if last == NONE {
            group.push(changed(index.root, &in_root));
            index.root_pages = pages;
        } else {
            group.push(EditedPage {
                note: tail_note(tail),
                ..changed(last, &clear)
            });
        }
        self.commit(&group, &[], &SuperChange::default())?;
        (index.pages, index.tail) = (pages, tail);
        file.index = Some(index);
        self.changed(file);
        Ok(())
    }

    /// Cuts a file of pages at its end.
    pub(super) fn cut_end(
        &mut self,
        file: &mut PacedFile,
        pages: u32,
        tail: u32,
    ) -> Result<(), F::Error> {
        let Some(mut index) = file.index else {
            return Err(PacedError::Stale);
        };
        let last = match pages {
            0 => NONE,
            pages => self.pointer_in(&mut index, pages - 1)?,
        };
        let clear = |main: &mut [u8]| main[tail as usize..].fill(0);
        let last = (last != NONE).then(|| EditedPage {
            note: tail_note(tail),
            ..changed(last, &clear)
        });
        let cut = FileCut {
            from: pages,
            to: index.pages,
            base: index.base,
            pages,
            tail,
        };
        self.cut(file, index, &cut, last)
    }

    /// Takes pages from the front of a file.
    pub(super) fn cut_front(&mut self, file: &mut PacedFile, pages: u32) -> Result<(), F::Error> {
        let Some(index) = file.index else {
            return Err(PacedError::Stale);
        };
        let cut = FileCut {
            from: 0,
            to: pages,
            base: index.slot(&self.form, pages),
            pages: index.pages - pages,
            tail: index.tail,
        };
        self.cut(file, index, &cut, None)
    }

    /// Takes pages out of a file. Few pages of one page of the map become free at once; others get a root of their own, and
    /// wait.
    fn cut(
        &mut self,
        file: &mut PacedFile,
        mut index: FileIndex,
        cut: &FileCut,
        last: Option<EditedPage<'_>>,
    ) -> Result<(), F::Error> {
        let form = self.form;
        let range = SlotRange {
            form,
            from: index.slot(&form, cut.from),
            len: cut.to - cut.from,
        };
        let now = *cut;
        let of_root = move |main: &mut [u8]| {
            set_word(main, ROOT_BASE, now.base);
            set_pages(main, now.pages, now.tail);
        };
        // The child that has the last page must not tell of later ones.
        let end = if cut.from > 0 {
            let place = form.place(index.slot(&form, cut.from - 1));
            place.child.map(|child| (child, place.index + 1))
        } else {
            None
        };
        let set_end = move |main: &mut [u8], child: u32| {
            if let Some((of, end)) = end
                && of == child
            {
                set_word(main, INDEX_PAGES, end);
            }
        };

        let mut group = PageGroup::default();
        if let Some(last) = last {
            group.push(last);
        }
        let SlotPlace {
            child,
            index: first,
        } = form.place(range.from);
        let ends_here = end.is_none_or(|(of, _)| Some(of) == child);
        // A child that is left without the last page tells of none.
        let last = index.slot(&form, index.pages - 1);
        let has_last = cut.to < index.pages && form.place(last).child == child;
        if ends_here && let Some((holder, freed)) = self.few_pages(&mut index, &range)? {
            let in_holder = |main: &mut [u8]| {
                range.clear(main, child, true);
                if !has_last {
                    let used = if cut.from == 0 { 0 } else { first };
                    set_word(main, INDEX_PAGES, used);
                }
            };
            let in_root = |main: &mut [u8]| {
                of_root(main);
                if child.is_none() {
                    range.clear(main, None, true);
                }
            };
            if let Some(holder) = holder {
                group.push(changed(holder, &in_holder));
            }
            group.push(changed(index.root, &in_root));
            self.commit(&group, freed.pages(), &SuperChange::default())?;
            self.set_cut(file, index, cut);
            return Ok(());
        }

        // Beyond the ends of a file a child holds nothing: one at an end of it is in the range as a whole.
        let range = range.to_ends_of_children(cut.from == 0, cut.to == index.pages);
        // So one child at most has pages of the range and others.
        let mut part = None;
        let mut before = None;
        self.load_kind(index.root, &[kind::ROOT])?;
        let main = self.layer.loaded();
        for child in 0..form.pointers - form.direct {
            let number = form.pointer(main, form.direct + child);
            if number == NONE {
                continue;
            }
            match range.share_of(child) {
                Share::Part => part = Some((child, number)),
                Share::None if end.is_some_and(|(of, _)| of == child) => {
                    before = Some((child, number));
                }
                _ => {}
            }
        }
        let mut numbers = [NONE; 2];
        self.take_pages(&mut numbers[..1 + usize::from(part.is_some())], 0)?;
        let [orphan, split] = numbers;
        let next = self.chain;
        let in_root = |main: &mut [u8]| {
            of_root(main);
            range.clear(main, None, true);
            range.clear_children(main, true);
        };
        let in_orphan = |main: &mut [u8]| {
            super::directory::orphan_root(main, next);
            range.clear(main, None, false);
            range.clear_children(main, false);
            if let Some((child, _)) = part {
                form.set_pointer(main, form.direct + child, split);
            }
        };
        let stays = |main: &mut [u8]| {
            if let Some((child, _)) = part.or(before) {
                range.clear(main, Some(child), true);
                set_end(main, child);
            }
        };
        let goes = |main: &mut [u8]| {
            if let Some((child, _)) = part {
                range.clear(main, Some(child), false);
            }
        };
        // New pages start from what the old ones hold before the group.
        if let Some((_, number)) = part {
            group.push(fresh(split, Some(number), &goes));
        }
        if let Some((_, number)) = part.or(before) {
            group.push(changed(number, &stays));
        }
        group.push(fresh(orphan, Some(index.root), &in_orphan));
        group.push(changed(index.root, &in_root));
        let change = SuperChange {
            chain: Some(orphan),
            ..SuperChange::default()
        };
        self.commit(&group, &[], &change)?;
        self.set_cut(file, index, cut);
        Ok(())
    }

    fn set_cut(&mut self, file: &mut PacedFile, mut index: FileIndex, cut: &FileCut) {
        (index.base, index.pages, index.tail) = (cut.base, cut.pages, cut.tail);
        index.root_pages = cut.pages;
        (index.first, index.child) = (None, None);
        file.index = Some(index);
        self.changed(file);
    }

    /// The pages of a range, where they are few, of one page of pointers, and of one page of the map; and that page of
    /// pointers, unless it is the root.
    fn few_pages(
        &mut self,
        index: &mut FileIndex,
        range: &SlotRange,
    ) -> Result<Option<(Option<u32>, FreedPages)>, F::Error> {
        let form = self.form;
        let (first, last) = (range.from, range.from + range.len - 1);
        let place = form.place(first);
        if range.len as usize > FREED_MAX
            || last >= form.slots
            || form.place(last).child != place.child
        {
            return Ok(None);
        }
        let mut freed = FreedPages::new();
        let Some(holder) = self.load_pointers(index, place)? else {
            return Ok(Some((None, freed)));
        };
        let main = self.layer.loaded();
        let mut map_page = None;
        for pointer in place.index..place.index + range.len {
            let page = form.pointer(main, pointer);
            if page == NONE {
                continue;
            }
            if page >= self.layer.logical_pages() {
                return Err(PacedError::Damaged { page });
            }
            let number = self.layer.map_of(page);
            if *map_page.get_or_insert(number) != number || !freed.push(page) {
                return Ok(None);
            }
        }
        let holder = place.child.map(|_| holder);
        Ok(Some((holder, freed)))
    }
}

/// Pages that are taken out of a file, and what it is after that.
#[derive(Clone, Copy, Debug)]
struct FileCut {
    from: u32,
    to: u32,
    base: u32,
    pages: u32,
    tail: u32,
}

/// How much of a child's slots a range has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    None,
    Part,
    All,
}

/// Slots in a row, in the ring of them.
#[derive(Clone, Copy, Debug)]
struct SlotRange {
    form: FileShape,
    from: u32,
    len: u32,
}

impl SlotRange {
    fn has(&self, slot: u32) -> bool {
        (slot + self.form.slots - self.from) % self.form.slots < self.len
    }

    /// With the other slots of the children in which a file begins, or ends.
    fn to_ends_of_children(mut self, at_front: bool, at_end: bool) -> Self {
        let last = self
            .form
            .place((self.from + self.len - 1) % self.form.slots);
        let first = self.form.place(self.from);
        if at_front && first.child.is_some() {
            self.from -= first.index;
            self.len += first.index;
        }
        if at_end && last.child.is_some() {
            self.len += self.form.pointers - 1 - last.index;
        }
        self
    }

    fn share_of(&self, child: u32) -> Share {
        let (slots, pointers) = (self.form.slots, self.form.pointers);
        let first = self.form.direct + child * pointers;
        // Both as parts of a ring that begins with the range.
        let start = (first + slots - self.from % slots) % slots;
        let before_end = self.len.saturating_sub(start).min(pointers);
        let around = (start + pointers).saturating_sub(slots).min(self.len);
        match before_end + around {
            0 => Share::None,
            all if all >= pointers => Share::All,
            _ => Share::Part,
        }
    }

    /// Clears the pointers to pages of a page of pointers that are in the range, or those that are not.
    fn clear(&self, main: &mut [u8], child: Option<u32>, inside: bool) {
        let form = &self.form;
        let (first, len) = match child {
            None => (0, form.direct),
            Some(child) => (form.direct + child * form.pointers, form.pointers),
        };
        for index in 0..len {
            if self.has(first + index) == inside {
                form.set_pointer(main, index, NONE);
            }
        }
    }

    /// Clears the pointers of a root to children that are in the range as a whole, or those to others.
    fn clear_children(&self, main: &mut [u8], inside: bool) {
        let form = &self.form;
        for child in 0..form.pointers - form.direct {
            if (self.share_of(child) == Share::All) == inside {
                form.set_pointer(main, form.direct + child, NONE);
            }
        }
    }
}

/// Bytes in front of the pointers are of the header.
const _: () = assert!(ROOT_ID + 8 <= form::INDEX_HEADER);
