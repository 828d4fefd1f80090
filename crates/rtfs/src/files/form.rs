//! What the pages of files and directories hold. `SPEC.md` has the same in words.

use crate::tables::{get_number, put_number};

/// The first byte of a page.
pub(crate) mod kind {
    /// The page that the others are found by.
    pub(crate) const SUPER: u8 = 1;
    /// Entries of a directory.
    pub(crate) const BUCKET: u8 = 2;
    /// Where the entries of a directory are, by their hash.
    pub(crate) const NODE: u8 = 3;
    /// Where the pages of a file are.
    pub(crate) const ROOT: u8 = 4;
    /// Where further pages of a file are.
    pub(crate) const CHILD: u8 = 5;
    /// Where pages are that are to be freed.
    pub(crate) const ORPHAN: u8 = 6;
}

/// The page that the others are found by.
pub(crate) const SUPER_PAGE: u32 = 0;
/// The directory `/`.
pub(crate) const ROOT_DIRECTORY: u32 = 1;
/// No page: a pointer to the first one is never needed.
pub(crate) const NONE: u32 = 0;

pub(crate) fn word(main: &[u8], at: usize) -> u32 {
    get_number(&main[at..at + 4])
}

pub(crate) fn set_word(main: &mut [u8], at: usize, value: u32) {
    put_number(&mut main[at..at + 4], value);
}

pub(crate) fn half(main: &[u8], at: usize) -> u32 {
    get_number(&main[at..at + 2])
}

pub(crate) fn set_half(main: &mut [u8], at: usize, value: u32) {
    put_number(&mut main[at..at + 2], value);
}

pub(crate) fn id_at(main: &[u8], at: usize) -> u64 {
    u64::from(word(main, at)) | u64::from(word(main, at + 4)) << 32
}

pub(crate) fn set_id(main: &mut [u8], at: usize, id: u64) {
    set_word(main, at, id as u32);
    set_word(main, at + 4, (id >> 32) as u32);
}

// Sizes.

/// Bytes in front of the entries of a bucket, and of the pointers of a node.
pub(crate) const BUCKET_HEADER: usize = 16;
/// Bytes in front of the pointers of a file, and of the numbers in the super page.
pub(crate) const INDEX_HEADER: usize = 32;
/// Bytes of an entry in front of its name.
pub(crate) const ENTRY_HEADER: usize = 20;
/// Bytes that a name may have.
pub(crate) const NAME_MAX: usize = 255;
/// Bytes of a file that its entry may hold, where pages are large enough.
pub(crate) const INLINE_MAX: usize = 256;
/// Single pages that wait to be freed, at most.
const WAITING_MAX: usize = 64;

/// Sizes that follow from those of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileShape {
    /// Bytes of a page.
    pub(crate) page: usize,
    /// Bytes of a pointer.
    pub(crate) width: usize,
    /// Bits of a hash that a node looks at.
    pub(crate) node_bits: u32,
    /// Nodes above a bucket, at most.
    pub(crate) levels: u32,
    /// Bytes that an entry may have.
    pub(crate) entry_max: usize,
    /// Bytes of a file that its entry may hold.
    pub(crate) inline_max: usize,
    /// Pointers of a page of a file.
    pub(crate) pointers: u32,
    /// Pointers of a file's root to pages of the file; the others point to further pages of pointers.
    pub(crate) direct: u32,
    /// Places of pages in a file.
    pub(crate) slots: u32,
    /// Single pages that wait to be freed, at most.
    pub(crate) waiting: u32,
}

impl FileShape {
    /// The sizes for pages of at least 128 bytes.
    pub(crate) fn new(page: usize, width: usize, logical_pages: u32) -> Self {
        let room = page - BUCKET_HEADER;
        let node_bits = (room / width).ilog2().min(16);
        let entry_max = (room / 2).min(ENTRY_HEADER + NAME_MAX + INLINE_MAX);
        let pointers = ((page - INDEX_HEADER) / width) as u32;
        // One more than the pages need, so that both ends of a file are never in one of them.
        let children = logical_pages
            .saturating_sub(pointers)
            .div_ceil(pointers - 1)
            + 1;
        let children = children.min(pointers / 2);
        let direct = pointers - children;
        Self {
            page,
            width,
            node_bits,
            levels: 32 / node_bits,
            entry_max,
            inline_max: INLINE_MAX.min(page / 8),
            pointers,
            direct,
            slots: direct + children * pointers,
            waiting: ((page - INDEX_HEADER) / width).min(WAITING_MAX) as u32,
        }
    }

    /// Bytes that a name may have.
    pub(crate) fn name_max(&self) -> usize {
        NAME_MAX.min(self.entry_max - ENTRY_HEADER)
    }

    /// Whether the longest file that an entry may hold fits beside the longest name.
    pub(crate) fn has_room_for_all(&self) -> bool {
        self.fits_entry(self.name_max(), self.inline_max as u64)
    }

    /// Whether the bytes of a file fit its entry.
    pub(crate) fn fits_entry(&self, name: usize, bytes: u64) -> bool {
        bytes <= self.inline_max as u64 && ENTRY_HEADER + name + bytes as usize <= self.entry_max
    }

    /// Pages that a file may have.
    pub(crate) const fn file_pages(&self) -> u32 {
        self.slots - self.pointers
    }

    /// Slots of a node.
    pub(crate) const fn node_slots(&self) -> u32 {
        1 << self.node_bits
    }

    /// The slot of a hash in a node below so many others.
    pub(crate) const fn node_slot(&self, hash: u32, level: u32) -> u32 {
        hash >> (32 - self.node_bits * (level + 1)) & (self.node_slots() - 1)
    }

    pub(crate) fn node_pointer(&self, main: &[u8], slot: u32) -> u32 {
        let at = BUCKET_HEADER + slot as usize * self.width;
        get_number(&main[at..at + self.width])
    }

    pub(crate) fn set_node_pointer(&self, main: &mut [u8], slot: u32, page: u32) {
        let at = BUCKET_HEADER + slot as usize * self.width;
        put_number(&mut main[at..at + self.width], page);
    }

    /// A pointer of a page of a file, or a number of the super page.
    pub(crate) fn pointer(&self, main: &[u8], index: u32) -> u32 {
        let at = INDEX_HEADER + index as usize * self.width;
        get_number(&main[at..at + self.width])
    }

    pub(crate) fn set_pointer(&self, main: &mut [u8], index: u32, page: u32) {
        let at = INDEX_HEADER + index as usize * self.width;
        put_number(&mut main[at..at + self.width], page);
    }

    /// Where the pointer of a slot is.
    pub(crate) const fn place(&self, slot: u32) -> SlotPlace {
        if slot < self.direct {
            SlotPlace {
                child: None,
                index: slot,
            }
        } else {
            SlotPlace {
                child: Some((slot - self.direct) / self.pointers),
                index: (slot - self.direct) % self.pointers,
            }
        }
    }
}

/// Where a pointer of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotPlace {
    /// Which child of the root has it; the root itself without one.
    pub(crate) child: Option<u32>,
    /// Its number there.
    pub(crate) index: u32,
}

// The super page.

pub(crate) const SUPER_VERSION: usize = 1;
pub(crate) const SUPER_SEED: usize = 4;
/// The first page of pointers that wait to be freed.
pub(crate) const SUPER_CHAIN: usize = 8;
/// Single pages that wait to be freed.
pub(crate) const SUPER_WAITING: usize = 12;

// Pages of a file.

/// Bytes of the last page of a file, where it was never written.
pub(crate) const ROOT_TAIL: usize = 2;
/// Pages of a file; of a child the pointers up to the last one in use.
pub(crate) const INDEX_PAGES: usize = 4;
/// The slot of the first page of a file.
pub(crate) const ROOT_BASE: usize = 8;
/// The next page of pointers that wait to be freed.
pub(crate) const ROOT_NEXT: usize = 12;
/// The file.
pub(crate) const ROOT_ID: usize = 16;

// Buckets.

const BUCKET_ENTRIES: usize = 2;
const BUCKET_END: usize = 4;

/// What an entry of a directory names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A file that its entry holds.
    Short,
    /// A file of pages.
    Paged,
    /// A directory.
    Directory,
}

/// An entry of a directory, without its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryHead {
    pub(crate) hash: u32,
    pub(crate) id: u64,
    pub(crate) kind: EntryKind,
    /// The root of a file of pages or a directory.
    pub(crate) page: u32,
    pub(crate) name_bytes: usize,
    pub(crate) inline_bytes: usize,
}

impl EntryHead {
    pub(crate) const fn bytes(&self) -> usize {
        ENTRY_HEADER + self.name_bytes + self.inline_bytes
    }
}

/// An entry with its name and what it holds of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewEntry<'a> {
    pub(crate) hash: u32,
    pub(crate) id: u64,
    pub(crate) kind: EntryKind,
    pub(crate) page: u32,
    pub(crate) name: &'a [u8],
    pub(crate) inline: &'a [u8],
}

impl NewEntry<'_> {
    pub(crate) const fn bytes(&self) -> usize {
        ENTRY_HEADER + self.name.len() + self.inline.len()
    }
}

pub(crate) fn init_bucket(main: &mut [u8]) {
    main.fill(0);
    main[0] = kind::BUCKET;
    set_half(main, BUCKET_END, BUCKET_HEADER as u32);
}

pub(crate) fn entries_of(main: &[u8]) -> u32 {
    half(main, BUCKET_ENTRIES)
}

/// Bytes of a bucket that are in use, its header included.
pub(crate) fn bucket_end(main: &[u8]) -> usize {
    (half(main, BUCKET_END) as usize).clamp(BUCKET_HEADER, main.len())
}

/// The entry at a byte of a bucket; `None` where no whole one is.
fn entry_at(main: &[u8], at: usize) -> Option<EntryHead> {
    let end = bucket_end(main);
    let bytes = main.get(at..end)?;
    if bytes.len() < ENTRY_HEADER {
        return None;
    }
    let head = EntryHead {
        hash: word(bytes, 0),
        id: id_at(bytes, 4),
        kind: match bytes[12] {
            0 => EntryKind::Short,
            1 => EntryKind::Paged,
            2 => EntryKind::Directory,
            _ => return None,
        },
        page: word(bytes, 16),
        name_bytes: bytes[13].into(),
        inline_bytes: half(bytes, 14) as usize,
    };
    (head.bytes() <= bytes.len()).then_some(head)
}

/// The entries of a bucket, with the byte where each begins.
pub(crate) fn bucket_entries(main: &[u8]) -> impl Iterator<Item = (usize, EntryHead)> + '_ {
    let mut at = BUCKET_HEADER;
    core::iter::from_fn(move || {
        let head = entry_at(main, at)?;
        let start = at;
        at += head.bytes();
        Some((start, head))
    })
}

pub(crate) fn name_at<'a>(main: &'a [u8], at: usize, head: &EntryHead) -> &'a [u8] {
    let start = at + ENTRY_HEADER;
    &main[start..start + head.name_bytes]
}

pub(crate) fn inline_at<'a>(main: &'a [u8], at: usize, head: &EntryHead) -> &'a [u8] {
    let start = at + ENTRY_HEADER + head.name_bytes;
    &main[start..start + head.inline_bytes]
}

/// Keeps the entries of a bucket for which `keep` holds.
pub(crate) fn retain_entries(main: &mut [u8], keep: impl Fn(&EntryHead) -> bool) {
    let (mut from, mut to, mut entries) = (BUCKET_HEADER, BUCKET_HEADER, 0);
    while let Some(head) = entry_at(main, from) {
        if keep(&head) {
            main.copy_within(from..from + head.bytes(), to);
            to += head.bytes();
            entries += 1;
        }
        from += head.bytes();
    }
    let end = bucket_end(main);
    main[to..end].fill(0);
    set_half(main, BUCKET_ENTRIES, entries);
    set_half(main, BUCKET_END, to as u32);
}

/// Adds an entry to a bucket that has room for it.
pub(crate) fn append_entry(main: &mut [u8], entry: &NewEntry<'_>) {
    let at = bucket_end(main);
    let bytes = &mut main[at..at + entry.bytes()];
    set_word(bytes, 0, entry.hash);
    set_id(bytes, 4, entry.id);
    bytes[12] = entry.kind as u8;
    bytes[13] = entry.name.len() as u8;
    set_half(bytes, 14, entry.inline.len() as u32);
    set_word(bytes, 16, entry.page);
    let (name, inline) = bytes[ENTRY_HEADER..].split_at_mut(entry.name.len());
    name.copy_from_slice(entry.name);
    inline.copy_from_slice(entry.inline);
    let entries = entries_of(main) + 1;
    set_half(main, BUCKET_ENTRIES, entries);
    set_half(main, BUCKET_END, (at + entry.bytes()) as u32);
}
