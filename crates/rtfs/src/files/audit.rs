//! What the pages are used for, for tests.

use wordline_memory::Flash;

use super::form::{self, EntryKind, NONE, ROOT_DIRECTORY, SUPER_PAGE, kind};
use super::{PacedFiles, Result};
use crate::error::PacedError;

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedFiles<F, M> {
    /// Visits each logical page that is in use, by what uses it; a page that is named twice is visited twice.
    ///
    /// # Errors
    /// [`PacedError::Damaged`], or the layer fails.
    #[doc(hidden)]
    pub fn visit_pages(&mut self, visit: &mut dyn FnMut(u32)) -> Result<(), F::Error> {
        visit(SUPER_PAGE);
        for index in 0..self.waiting {
            self.load_kind(SUPER_PAGE, &[kind::SUPER])?;
            visit(self.form.pointer(self.layer.loaded(), index));
        }
        let mut orphan = self.chain;
        while orphan != NONE {
            self.visit_index(orphan, kind::ORPHAN, visit)?;
            self.load_kind(orphan, &[kind::ORPHAN])?;
            orphan = form::word(self.layer.loaded(), form::ROOT_NEXT);
        }
        self.visit_directory(ROOT_DIRECTORY, visit)
    }

    fn visit_index(
        &mut self,
        root: u32,
        of: u8,
        visit: &mut dyn FnMut(u32),
    ) -> Result<(), F::Error> {
        visit(root);
        for index in 0..self.form.pointers {
            self.load_kind(root, &[of])?;
            let page = self.form.pointer(self.layer.loaded(), index);
            if page == NONE {
                continue;
            }
            visit(page);
            if index < self.form.direct {
                continue;
            }
            self.load_kind(page, &[kind::CHILD])?;
            let main = self.layer.loaded();
            for index in 0..self.form.pointers {
                let page = self.form.pointer(main, index);
                if page != NONE {
                    visit(page);
                }
            }
        }
        Ok(())
    }

    fn visit_directory(&mut self, page: u32, visit: &mut dyn FnMut(u32)) -> Result<(), F::Error> {
        visit(page);
        if self.load_kind(page, &[kind::NODE, kind::BUCKET])? == kind::NODE {
            let mut before = NONE;
            for slot in 0..self.form.node_slots() {
                self.load_kind(page, &[kind::NODE])?;
                let next = self.form.node_pointer(self.layer.loaded(), slot);
                if next != NONE && next != before {
                    self.visit_directory(next, visit)?;
                }
                before = next;
            }
            return Ok(());
        }
        let mut index = 0;
        loop {
            self.load_kind(page, &[kind::BUCKET])?;
            let Some((_, head)) = form::bucket_entries(self.layer.loaded()).nth(index) else {
                break;
            };
            index += 1;
            match head.kind {
                EntryKind::Short => {}
                EntryKind::Paged => self.visit_index(head.page, kind::ROOT, visit)?,
                EntryKind::Directory => self.visit_directory(head.page, visit)?,
            }
        }
        self.load_kind(page, &[kind::BUCKET])?;
        let main = self.layer.loaded();
        if index as u32 == form::entries_of(main) {
            Ok(())
        } else {
            Err(PacedError::Damaged { page })
        }
    }
}
