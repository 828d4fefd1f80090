//! Files: opened, read, written, cut.

use wordline_memory::Flash;

use super::entries::NO_ID;
use super::form::{
    ENTRY_HEADER, EntryHead, EntryKind, FileShape, INLINE_MAX, NAME_MAX, NONE, NewEntry, inline_at,
    name_at,
};
use super::index::{FileIndex, init_root, tail_note};
use super::{PacedFiles, RESERVED_PAGES, Result, SuperChange, fresh};
use crate::error::PacedError;
use crate::layer::{EditedPage, PageEdit, PageFill};

/// Pages of a file that are written with the entry that makes it one of pages.
const FIRST_PAGES: usize = 3;

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacedOpen {
    /// Make it where it is not there.
    pub create: bool,
    /// It must not be there: [`PacedError::Exists`].
    pub exclusive: bool,
    /// Make it empty.
    pub truncate: bool,
}

impl PacedOpen {
    /// A file that is there.
    pub const READ: Self = Self {
        create: false,
        exclusive: false,
        truncate: false,
    };
    /// A file that is there, or is made.
    pub const CREATE: Self = Self {
        create: true,
        exclusive: false,
        truncate: false,
    };
    /// A file that is made, or made empty.
    pub const REPLACE: Self = Self {
        create: true,
        exclusive: false,
        truncate: true,
    };
}

/// A file that was opened. It holds nothing of the file system: drop it to close the file.
///
/// Several handles of one file may be in use. One of a file that was removed gives [`PacedError::Stale`], and so does one
/// of a short file that was renamed.
#[derive(Clone, Debug)]
pub struct PacedFile {
    directory: u32,
    hash: u32,
    pub(super) id: u64,
    /// Changes of files that the handle knows of.
    seen: u32,
    /// Bytes of a file that its entry holds.
    short_bytes: u32,
    /// Where the pages of a file are; `None` of a file that its entry holds.
    pub(super) index: Option<FileIndex>,
}

/// The entry of a short file, copied.
struct ShortEntry {
    name: [u8; NAME_MAX],
    name_bytes: usize,
    inline: [u8; INLINE_MAX],
    inline_bytes: usize,
}

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedFiles<F, M> {
    /// Opens a file.
    ///
    /// # Errors
    /// [`PacedError::NotFound`], [`PacedError::Exists`], [`PacedError::IsADirectory`],
    /// [`PacedError::NotADirectory`] or [`PacedError::BadName`] by the path, [`PacedError::NoSpace`], or the
    /// layer fails.
    pub fn open(&mut self, path: &str, how: PacedOpen) -> Result<PacedFile, F::Error> {
        let end = self.follow(path, NONE)?;
        if end.name.is_empty() {
            return Err(PacedError::IsADirectory);
        }
        let found = self.find_entry(end.directory, end.name)?;
        let head = match found {
            Some((_, head)) if head.kind == EntryKind::Directory => {
                return Err(PacedError::IsADirectory);
            }
            Some(_) if how.create && how.exclusive => return Err(PacedError::Exists),
            Some((_, head)) => head,
            None if !how.create => return Err(PacedError::NotFound),
            None => {
                let entry = NewEntry {
                    hash: self.hash(end.name),
                    id: self.new_id(),
                    kind: EntryKind::Short,
                    page: NONE,
                    name: end.name,
                    inline: &[],
                };
                let removed = [NO_ID; 2];
                let room = self.room_for(end.directory, entry.hash, entry.bytes(), removed)?;
                let change = SuperChange::default();
                self.put_entry(end.directory, &room, Some(&entry), removed, &[], change)?;
                EntryHead {
                    hash: entry.hash,
                    id: entry.id,
                    kind: entry.kind,
                    page: entry.page,
                    name_bytes: entry.name.len(),
                    inline_bytes: 0,
                }
            }
        };
        let mut file = PacedFile {
            directory: end.directory,
            hash: head.hash,
            id: head.id,
            seen: self.changes.count,
            short_bytes: 0,
            index: None,
        };
        self.take_head(&mut file, &head)?;
        if how.truncate && file.bytes(&self.form) > 0 {
            self.truncate(&mut file, 0)?;
        }
        Ok(file)
    }

    fn take_head(&mut self, file: &mut PacedFile, head: &EntryHead) -> Result<(), F::Error> {
        file.seen = self.changes.count;
        file.short_bytes = head.inline_bytes as u32;
        file.index = match head.kind {
            EntryKind::Short => None,
            EntryKind::Paged => Some(self.read_index(head.page, head.id)?),
            EntryKind::Directory => return Err(PacedError::Stale),
        };
        Ok(())
    }

    /// Looks at a file again that changed since the handle knows it.
    pub(super) fn refresh(&mut self, file: &mut PacedFile) -> Result<(), F::Error> {
        if self.changes.is_since(file.seen, file.id) {
            file.seen = self.changes.count;
            return Ok(());
        }
        if let Some(index) = &file.index {
            file.index = Some(self.read_index(index.root, file.id)?);
            file.seen = self.changes.count;
            return Ok(());
        }
        let head = self.find_id(file.directory, file.hash, file.id)?;
        let (_, head) = head.ok_or(PacedError::Stale)?;
        self.take_head(file, &head)
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// [`PacedError::Stale`], or the layer fails.
    pub fn length(&mut self, file: &mut PacedFile) -> Result<u64, F::Error> {
        self.refresh(file)?;
        Ok(file.bytes(&self.form))
    }

    /// Fills `out` with the bytes of a file from `at` on, and returns how many there were before its end.
    ///
    /// # Errors
    /// [`PacedError::Stale`], or the layer fails.
    pub fn read(
        &mut self,
        file: &mut PacedFile,
        at: u64,
        out: &mut [u8],
    ) -> Result<usize, F::Error> {
        self.refresh(file)?;
        let rest = file.bytes(&self.form).saturating_sub(at);
        let bytes = usize::try_from(rest).map_or(out.len(), |rest| rest.min(out.len()));
        let out = &mut out[..bytes];
        if bytes == 0 {
            return Ok(0);
        }
        if file.index.is_none() {
            let entry = self.find_id(file.directory, file.hash, file.id)?;
            let (start, head) = entry.ok_or(PacedError::Stale)?;
            let inline = inline_at(self.layer.loaded(), start, &head);
            let at = at as usize;
            let inline = inline.get(at..at + bytes);
            let page = file.directory;
            out.copy_from_slice(inline.ok_or(PacedError::Damaged { page })?);
            return Ok(bytes);
        }
        let page = self.form.page as u64;
        let mut done = 0;
        while done < bytes {
            let number = ((at + done as u64) / page) as u32;
            let first = ((at + done as u64) % page) as usize;
            let part = (self.form.page - first).min(bytes - done);
            let out = &mut out[done..done + part];
            match self.pointer_of(file, number)? {
                NONE => out.fill(0),
                logical => {
                    self.layer.read_part(logical, first, out)?;
                }
            }
            done += part;
        }
        Ok(bytes)
    }

    /// Stores bytes in a file from `at` on; what lies between its end and `at` reads as zeros. When this returns, they
    /// survive a power cut. Up to four pages of them become valid together, three with the first write of a file that its entry
    /// held; a write that crosses from one page of pointers to the next is two. Where there is no room for all, the first
    /// ones may be there.
    ///
    /// # Errors
    /// [`PacedError::Stale`], [`PacedError::TooLong`], [`PacedError::NoSpace`], or the layer fails.
    pub fn write(&mut self, file: &mut PacedFile, at: u64, data: &[u8]) -> Result<(), F::Error> {
        self.refresh(file)?;
        let most = self.longest_file();
        if at > most || data.len() as u64 > most - at {
            return Err(self.too_long());
        }
        let mut done = 0;
        if file.index.is_none() && !data.is_empty() {
            done = self.write_short(file, at, data)?;
        }
        while done < data.len() {
            done += self.write_pages(file, at + done as u64, &data[done..])?;
        }
        Ok(())
    }

    /// Stores bytes at the end of a file, as [`write`](Self::write) does, and returns where.
    ///
    /// # Errors
    /// As there.
    pub fn append(&mut self, file: &mut PacedFile, data: &[u8]) -> Result<u64, F::Error> {
        let at = self.length(file)?;
        self.write(file, at, data)?;
        Ok(at)
    }

    /// The entry of a short file.
    fn short_entry(&mut self, file: &PacedFile) -> Result<ShortEntry, F::Error> {
        let entry = self.find_id(file.directory, file.hash, file.id)?;
        let (start, head) = entry.ok_or(PacedError::Stale)?;
        let main = self.layer.loaded();
        let mut entry = ShortEntry {
            name: [0; NAME_MAX],
            name_bytes: head.name_bytes,
            inline: [0; INLINE_MAX],
            inline_bytes: head.inline_bytes,
        };
        let (name, inline) = (name_at(main, start, &head), inline_at(main, start, &head));
        if inline.len() > INLINE_MAX || head.kind != EntryKind::Short {
            let page = file.directory;
            return Err(PacedError::Damaged { page });
        }
        entry.name[..name.len()].copy_from_slice(name);
        entry.inline[..inline.len()].copy_from_slice(inline);
        Ok(entry)
    }

    /// Writes the entry of a short file anew, which has room for its bytes.
    fn put_short(&mut self, file: &mut PacedFile, short: &ShortEntry) -> Result<(), F::Error> {
        let entry = NewEntry {
            hash: file.hash,
            id: file.id,
            kind: EntryKind::Short,
            page: NONE,
            name: &short.name[..short.name_bytes],
            inline: &short.inline[..short.inline_bytes],
        };
        let removed = [file.id, NO_ID];
        let room = self.room_for(file.directory, file.hash, entry.bytes(), removed)?;
        let change = SuperChange::default();
        self.put_entry(file.directory, &room, Some(&entry), removed, &[], change)?;
        file.short_bytes = short.inline_bytes as u32;
        self.changed(file);
        Ok(())
    }

    /// A file changed in a way that its handle knows.
    pub(super) fn changed(&mut self, file: &mut PacedFile) {
        self.note_changed(file.id);
        file.seen = self.changes.count;
    }

    /// Writes to a short file, which may become one of pages, and returns how many of the bytes are written.
    fn write_short(
        &mut self,
        file: &mut PacedFile,
        at: u64,
        data: &[u8],
    ) -> Result<usize, F::Error> {
        let mut short = self.short_entry(file)?;
        let end = at + data.len() as u64;
        let bytes = end.max(short.inline_bytes as u64);
        if self.form.fits_entry(short.name_bytes, bytes) {
            let at = at as usize;
            short.inline[at..at + data.len()].copy_from_slice(data);
            short.inline_bytes = bytes as usize;
            self.put_short(file, &short)?;
            return Ok(data.len());
        }
        self.turn_into_pages(file, &short, at, data)
    }

    /// Makes a file one of pages, if it is not.
    pub(super) fn make_paged(&mut self, file: &mut PacedFile) -> Result<(), F::Error> {
        if file.index.is_none() {
            let short = self.short_entry(file)?;
            self.turn_into_pages(file, &short, 0, &[])?;
        }
        Ok(())
    }

    /// Makes a short file one of pages, with its first ones where data lies in them, and returns how many of the data's
    /// bytes are written.
    fn turn_into_pages(
        &mut self,
        file: &mut PacedFile,
        short: &ShortEntry,
        at: u64,
        data: &[u8],
    ) -> Result<usize, F::Error> {
        let form = self.form;
        let page = form.page as u64;
        let inline = &short.inline[..short.inline_bytes];
        let in_first = at < page && !data.is_empty();
        let done = if in_first {
            let most = FIRST_PAGES as u64 * page - at;
            usize::try_from(most).map_or(data.len(), |most| most.min(data.len()))
        } else {
            0
        };
        let data = &data[..done];
        let bytes = inline
            .len()
            .max(if in_first { at as usize + done } else { 0 });
        let count = bytes.div_ceil(form.page);
        let removed = [file.id, NO_ID];
        let entry_bytes = ENTRY_HEADER + short.name_bytes;
        let room = self.room_for(file.directory, file.hash, entry_bytes, removed)?;
        let mut numbers = [NONE; 1 + FIRST_PAGES];
        self.take_pages(&mut numbers[..1 + count], RESERVED_PAGES)?;
        let (root, pages) = (numbers[0], &numbers[1..1 + count]);
        let tail = (bytes - count.saturating_sub(1) * form.page) as u32;
        let start = at as usize;
        let in_page = |first_page: usize, main: &mut [u8]| {
            let from = first_page * form.page;
            overlay(main, from, 0, inline);
            overlay(main, from, start, data);
        };
        let fills: [PageFill<'_>; FIRST_PAGES] = [
            &|main: &mut [u8]| in_page(0, main),
            &|main: &mut [u8]| in_page(1, main),
            &|main: &mut [u8]| in_page(2, main),
        ];
        let id = file.id;
        let in_root = |main: &mut [u8]| {
            init_root(main, id, count as u32, tail);
            for (index, page) in pages.iter().enumerate() {
                form.set_pointer(main, index as u32, *page);
            }
        };
        let mut others = [EditedPage::default(); 1 + FIRST_PAGES];
        others[0] = fresh(root, None, &in_root);
        for (index, number) in pages.iter().enumerate() {
            others[1 + index] = EditedPage {
                logical: *number,
                note: tail_note(if index + 1 == count {
                    tail
                } else {
                    form.page as u32
                }),
                ..fresh(*number, None, fills[index])
            };
        }
        let entry = NewEntry {
            hash: file.hash,
            id,
            kind: EntryKind::Paged,
            page: root,
            name: &short.name[..short.name_bytes],
            inline: &[],
        };
        let others = &others[..1 + count];
        let change = SuperChange::default();
        self.put_entry(file.directory, &room, Some(&entry), removed, others, change)?;
        file.index = Some(FileIndex::new(root, count as u32, tail, pages));
        self.changed(file);
        Ok(done)
    }

    /// Cuts a file to `bytes` bytes, or extends it with zeros. What is cut off becomes free later.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn truncate(&mut self, file: &mut PacedFile, bytes: u64) -> Result<(), F::Error> {
        self.refresh(file)?;
        let most = self.longest_file();
        if bytes > most {
            return Err(self.too_long());
        }
        let now = file.bytes(&self.form);
        if bytes == now {
            return Ok(());
        }
        if file.index.is_none() {
            let mut short = self.short_entry(file)?;
            if self.form.fits_entry(short.name_bytes, bytes) {
                let (from, to) = (short.inline_bytes, bytes as usize);
                short.inline[from.min(to)..].fill(0);
                short.inline_bytes = to;
                return self.put_short(file, &short);
            }
            self.turn_into_pages(file, &short, 0, &[])?;
        }
        let page = self.form.page as u64;
        let pages = bytes.div_ceil(page) as u32;
        let tail = (bytes - u64::from(pages.saturating_sub(1)) * page) as u32;
        if file.index.is_some_and(|index| pages < index.pages) {
            self.cut_end(file, pages, tail)
        } else {
            self.extend(file, pages, tail)
        }
    }

    /// Drops the oldest part of a log: as many whole pages from the start of a file as `bytes` cover, but not its last one.
    /// What follows them moves to the front. Returns the bytes that are gone.
    ///
    /// # Errors
    /// [`PacedError::Stale`], or the layer fails.
    pub fn discard_front(&mut self, file: &mut PacedFile, bytes: u64) -> Result<u64, F::Error> {
        self.refresh(file)?;
        let Some(index) = &file.index else {
            return Ok(0);
        };
        let page = self.form.page as u64;
        let most = u64::from(index.pages.saturating_sub(1));
        let pages = (bytes / page).min(most) as u32;
        if pages > 0 {
            self.cut_front(file, pages)?;
        }
        Ok(u64::from(pages) * page)
    }

    /// The bytes of a file of pages.
    pub(super) fn length_of_pages(&mut self, root: u32, id: u64) -> Result<u64, F::Error> {
        let index = self.read_index(root, id)?;
        Ok(index.bytes(&self.form))
    }
}

impl PacedFile {
    pub(super) fn bytes(&self, form: &FileShape) -> u64 {
        match &self.index {
            None => self.short_bytes.into(),
            Some(index) => index.bytes(form),
        }
    }
}

/// Puts the part of `bytes`, which begin at byte `start` of a file, into a page that begins at byte `from`.
fn overlay(main: &mut [u8], from: usize, start: usize, bytes: &[u8]) {
    let end = (start + bytes.len()).min(from + main.len());
    let first = start.max(from);
    if first < end {
        main[first - from..end - from].copy_from_slice(&bytes[first - start..end - start]);
    }
}

/// What a page of a file is written from.
pub(super) fn data_page<'a>(
    logical: u32,
    from: Option<u32>,
    first: usize,
    data: &'a [u8],
    note: u16,
) -> EditedPage<'a> {
    EditedPage {
        logical,
        from,
        edit: PageEdit::Bytes { first, data },
        note,
        fresh: false,
    }
}
