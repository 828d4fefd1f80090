//! Parts of files that become valid together.

use wordline_memory::Flash;

use super::file::{PacedFile, data_page};
use super::form::NONE;
use super::index::tail_note;
use super::{PacedFiles, PageGroup, Result, SuperChange};
use crate::error::PacedError;
use crate::shape::GROUP_PAGES;

/// Bytes in several places, of one file or several, which become valid together: after a power cut all of them are there or
/// none. They lie in pages that the files have, up to [`GROUP_PAGES`] of them, and none is touched twice.
///
/// Nothing is stored before [`write`](Self::write).
///
/// ```
/// # use wordline_memory::{Geometry, RamFlash};
/// # use wordline_rtfs::{PacedConfig, PacedFiles, PacedOpen};
/// # let geometry = Geometry {
/// #     page_bytes: 128, spare_bytes: 16, pages_per_block: 32, blocks: 24, program_bytes: 1,
/// #     programs_per_page: Some(1), once_bytes: None, in_order: true,
/// # };
/// # let mut flash = RamFlash::<144, 32, 24>::new(geometry).expect("the sizes fit");
/// # let config = PacedConfig { logical_pages: 128, bad_blocks: 1, log_entries: 32 };
/// # let columns = core::array::from_fn(|byte| 1 + byte as u32);
/// # let mut files = PacedFiles::format(&mut flash, columns, config, 7, [0; 1024])?;
/// let mut table = files.open("/table", PacedOpen::CREATE)?;
/// files.write(&mut table, 0, &[0; 512])?;
///
/// // A record, and the count of records at the front.
/// let mut together = files.together();
/// together.part(&mut table, 384, b"22.5 C")?;
/// together.part(&mut table, 0, &[1])?;
/// together.write()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PacedTogether<'f, 'd, F, M> {
    files: &'f mut PacedFiles<F, M>,
    group: PageGroup<'d>,
}

impl<F, M> PacedFiles<F, M> {
    /// Begins a write of parts that become valid together.
    pub fn together<'d>(&mut self) -> PacedTogether<'_, 'd, F, M> {
        PacedTogether {
            files: self,
            group: PageGroup::default(),
        }
    }
}

impl<'d, F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedTogether<'_, 'd, F, M> {
    /// Adds bytes that are to be stored in a file from byte `at` on.
    ///
    /// # Errors
    /// [`PacedError::TooMany`], [`PacedError::Unwritten`], [`PacedError::Stale`], or the layer fails. What was added before
    /// stays.
    pub fn part(&mut self, file: &mut PacedFile, at: u64, data: &'d [u8]) -> Result<(), F::Error> {
        let files = &mut *self.files;
        files.refresh(file)?;
        let page = files.form.page;
        let bytes = file.bytes(&files.form);
        let rest = bytes.checked_sub(at);
        if rest.is_none_or(|rest| rest < data.len() as u64) || file.index.is_none() {
            return Err(PacedError::Unwritten);
        }
        let last = (bytes.saturating_sub(1) / page as u64) as u32;
        let mut group = self.group;
        let mut done = 0;
        while done < data.len() {
            let at = at + done as u64;
            let (number, first) = ((at / page as u64) as u32, (at % page as u64) as usize);
            let end = (done + page - first).min(data.len());
            let data = &data[done..end];
            let logical = files.pointer_of(file, number)?;
            if logical == NONE {
                return Err(PacedError::Unwritten);
            }
            let twice = group.pages().iter().any(|page| page.logical == logical);
            if twice || group.pages().len() == GROUP_PAGES {
                return Err(PacedError::TooMany { most: GROUP_PAGES });
            }
            let valid = if number == last {
                (bytes - u64::from(last) * page as u64) as u32
            } else {
                page as u32
            };
            group.push(data_page(
                logical,
                (data.len() < page).then_some(logical),
                first,
                data,
                tail_note(valid),
            ));
            done = end;
        }
        self.group = group;
        Ok(())
    }

    /// Stores all parts. When this returns, they survive a power cut.
    ///
    /// # Errors
    /// When the layer fails.
    pub fn write(self) -> Result<(), F::Error> {
        if self.group.pages().is_empty() {
            return Ok(());
        }
        self.files.commit(&self.group, &[], &SuperChange::default())
    }
}
