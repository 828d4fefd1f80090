//! Pages that are written as a group.

use crate::shape::GROUP_PAGES;

/// The pages of a group that has not ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BegunGroup {
    pub(super) pages: [(u32, u32); GROUP_PAGES],
    pub(super) len: usize,
}

impl BegunGroup {
    pub(super) fn push(&mut self, logical: u32, page: u32) {
        self.pages[self.len] = (logical, page);
        self.len += 1;
    }

    pub(super) fn pages(&self) -> &[(u32, u32)] {
        &self.pages[..self.len]
    }
}

/// A page of a group that is written.
#[derive(Clone, Copy)]
pub(crate) struct EditedPage<'a> {
    pub(crate) logical: u32,
    /// The logical page from which it starts; from zeros without one.
    pub(crate) from: Option<u32>,
    pub(crate) edit: PageEdit<'a>,
    /// What its record says beside.
    pub(crate) note: u16,
    /// It holds nothing until now.
    pub(crate) fresh: bool,
}

/// What is changed in a page. It may be done more than once, where a program fails.
#[derive(Clone, Copy)]
pub(crate) enum PageEdit<'a> {
    /// Bytes, from one on.
    Bytes { first: usize, data: &'a [u8] },
    /// What a function does to its main area.
    With(PageFill<'a>),
}

/// A function that changes the main area of a page.
pub(crate) type PageFill<'a> = &'a dyn Fn(&mut [u8]);

impl Default for EditedPage<'_> {
    fn default() -> Self {
        Self {
            logical: 0,
            from: None,
            edit: PageEdit::Bytes {
                first: 0,
                data: &[],
            },
            note: 0,
            fresh: false,
        }
    }
}
