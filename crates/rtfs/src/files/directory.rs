//! Files and directories are made, removed and renamed.

use wordline_memory::Flash;

use super::entries::NO_ID;
use super::form::{
    self, ENTRY_HEADER, EntryHead, EntryKind, INLINE_MAX, NONE, NewEntry, init_bucket, inline_at,
    kind,
};
use super::{PacedFiles, Result, RootLink, SuperChange, changed, fresh};
use crate::error::PacedError;

/// Single pages that a call leaves to be freed, at most: a bucket, the nodes above it, and the root of a directory.
pub(super) const LEFT_MAX: usize = 10;

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedFiles<F, M> {
    /// A number that no entry had before.
    pub(super) fn new_id(&self) -> u64 {
        self.layer.log_end()
    }

    /// Makes a directory.
    ///
    /// # Errors
    /// [`PacedError::Exists`], [`PacedError::NotFound`] where the directory above is not there,
    /// [`PacedError::NoSpace`], or the layer fails.
    pub fn make_directory(&mut self, path: &str) -> Result<(), F::Error> {
        let end = self.follow(path, NONE)?;
        if end.name.is_empty() || self.find_entry(end.directory, end.name)?.is_some() {
            return Err(PacedError::Exists);
        }
        let (hash, removed) = (self.hash(end.name), [NO_ID; 2]);
        let bytes = ENTRY_HEADER + end.name.len();
        let room = self.room_for(end.directory, hash, bytes, removed)?;
        let mut numbers = [NONE; 1];
        self.take_pages(&mut numbers, super::RESERVED_PAGES)?;
        let entry = NewEntry {
            hash,
            id: self.new_id(),
            kind: EntryKind::Directory,
            page: numbers[0],
            name: end.name,
            inline: &[],
        };
        let root = [fresh(entry.page, None, &init_bucket)];
        let change = SuperChange::default();
        self.put_entry(end.directory, &room, Some(&entry), removed, &root, change)
    }

    /// Removes a file, or a directory that is empty. The pages of a file become free later, some at a time.
    ///
    /// # Errors
    /// [`PacedError::NotFound`], [`PacedError::NotEmpty`], or the layer fails.
    pub fn remove(&mut self, path: &str) -> Result<(), F::Error> {
        let end = self.follow(path, NONE)?;
        if end.name.is_empty() {
            return Err(PacedError::NotEmpty);
        }
        let head = self.find_entry(end.directory, end.name)?;
        let (_, head) = head.ok_or(PacedError::NotFound)?;
        if head.kind == EntryKind::Directory {
            self.clear_directory(head.page)?;
        }
        self.make_waiting_room(LEFT_MAX)?;
        let change = self.leave(&head)?;
        self.take_entry(end.directory, &head, &[], change)?;
        self.note_changed(head.id);
        Ok(())
    }

    /// What becomes of the pages of an entry that goes: a root that is to be linked to those that wait, and what the super
    /// page says.
    fn leave(&mut self, head: &EntryHead) -> Result<SuperChange, F::Error> {
        let mut change = SuperChange::default();
        match head.kind {
            EntryKind::Short => {}
            EntryKind::Directory => change.push(head.page),
            EntryKind::Paged => {
                change.chain = Some(head.page);
                change.link = Some(match self.load_root(head.page, head.id) {
                    Ok(()) => RootLink::Whole,
                    // What it names is lost with it; the name becomes free.
                    Err(PacedError::Lost { .. }) => RootLink::Lost,
                    Err(PacedError::Stale) => {
                        return Err(PacedError::Damaged { page: head.page });
                    }
                    Err(error) => return Err(error),
                });
            }
        }
        Ok(change)
    }

    /// Gives a file or a directory another name. A file of that name is replaced, and so is an empty directory by a
    /// directory: after a power cut either the old one or the new one has the name, as a whole.
    ///
    /// # Errors
    /// [`PacedError::NotFound`], [`PacedError::IntoItself`], [`PacedError::IsADirectory`] or
    /// [`PacedError::NotADirectory`] where what is there is of the other kind, [`PacedError::NotEmpty`],
    /// [`PacedError::NoSpace`], or the layer fails.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), F::Error> {
        let source = self.follow(from, NONE)?;
        if source.name.is_empty() {
            return Err(PacedError::IntoItself);
        }
        let head = self.find_entry(source.directory, source.name)?;
        let (at, head) = head.ok_or(PacedError::NotFound)?;
        let mut inline = [0; INLINE_MAX];
        let stored = inline_at(self.layer.loaded(), at, &head);
        let inline = inline
            .get_mut(..stored.len())
            .ok_or(PacedError::Damaged { page: head.page })?;
        inline.copy_from_slice(stored);
        let but = if head.kind == EntryKind::Directory {
            head.page
        } else {
            NONE
        };
        let target = self.follow(to, but)?;
        if target.name.is_empty() {
            return Err(PacedError::IsADirectory);
        }
        let replaced = self.find_entry(target.directory, target.name)?;
        let replaced = replaced.map(|(_, replaced)| replaced);
        if let Some(replaced) = replaced {
            if replaced.id == head.id {
                return Ok(());
            }
            let [source_is, target_is] =
                [head.kind, replaced.kind].map(|kind| kind == EntryKind::Directory);
            match (source_is, target_is) {
                (false, true) => return Err(PacedError::IsADirectory),
                (true, false) => return Err(PacedError::NotADirectory),
                (true, true) => self.clear_directory(replaced.page)?,
                (false, false) => {}
            }
        }
        let entry = NewEntry {
            hash: self.hash(target.name),
            id: head.id,
            kind: head.kind,
            page: head.page,
            name: target.name,
            inline,
        };
        if entry.bytes() > self.form.entry_max {
            // A short file whose entry grows beyond its room with the longer name becomes one of pages.
            return self.rename_as_pages(from, to);
        }
        let removed = [head.id, replaced.map_or(NO_ID, |replaced| replaced.id)];
        self.make_waiting_room(LEFT_MAX)?;
        let room = self.room_for(target.directory, entry.hash, entry.bytes(), removed)?;
        // Making room may have moved the entry.
        let place = self.find_bucket(source.directory, head.hash)?;
        let bucket = place.bucket.ok_or(PacedError::NotFound)?;
        let change = match &replaced {
            Some(replaced) => self.leave(replaced)?,
            None => SuperChange::default(),
        };
        let id = head.id;
        let without = |main: &mut [u8]| form::retain_entries(main, |head| head.id != id);
        let before = [changed(bucket, &without)];
        let others = match Self::fits_in(&room) {
            Some(fits) if fits == bucket => &[],
            _ => &before[..],
        };
        self.put_entry(
            target.directory,
            &room,
            Some(&entry),
            removed,
            others,
            change,
        )?;
        self.note_changed(head.id);
        if let Some(replaced) = replaced {
            self.note_changed(replaced.id);
        }
        Ok(())
    }

    /// Makes a short file one of pages, and renames it.
    fn rename_as_pages(&mut self, from: &str, to: &str) -> Result<(), F::Error> {
        let mut file = self.open(from, super::PacedOpen::READ)?;
        self.make_paged(&mut file)?;
        self.rename(from, to)
    }
}

/// Makes the root of a file a page of pointers that wait to be freed.
pub(super) fn orphan_root(main: &mut [u8], next: u32) {
    main[0] = kind::ORPHAN;
    form::set_word(main, form::ROOT_NEXT, next);
}
