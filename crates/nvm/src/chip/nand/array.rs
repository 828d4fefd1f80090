//! The cells of a NAND: blocks of pages with the bits that went wrong in them.
//!
//! A page keeps the bytes that it should hold and, apart from them, the places where the cells
//! differ: what the error correction sees follows from a short list instead of from a code.

use std::borrow::Cow;
use std::sync::Arc;

use wordline_memory::Ecc;

use super::ecc::{Code, EccVerdict};
use crate::ageing::OxideWear;
use crate::content::{BlockContent, PageContent};
use crate::programming::{clear_bits, is_righted};
use crate::rules::{Rule, RuleSet};

/// A block of pages. Its default is erased and was never cycled.
#[derive(Clone, Debug, Default)]
pub(super) struct NandBlock {
    /// Erases since the chip was made.
    pub(super) erases: u64,
    /// Whether a program or an erase failed: then the next ones fail as well.
    pub(super) failed: bool,
    /// Whether the last erase failed: what the block holds is neither old nor erased.
    torn: bool,
    /// How its oxide has worn, in a chip that ages.
    pub(super) worn: Option<Box<OxideWear>>,
    /// The highest page that was programmed since the erase.
    pub(super) highest: Option<u32>,
    /// Pages up to the highest that holds anything.
    pages: Vec<Option<Arc<NandPage>>>,
}

/// Pages that were erased, and their bytes: what is loaded and programmed next takes their place, and the host need not find
/// room for it.
#[derive(Debug, Default)]
pub(super) struct Spares {
    bytes: Vec<Arc<[u8]>>,
    /// Each as a page that holds nothing.
    pages: Vec<Arc<NandPage>>,
}

impl Clone for Spares {
    /// None: those of two chips could be changed by neither.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Spares {
    /// How many are kept: a common block.
    const MOST: usize = 64;

    /// Keeps a page that has no other owner, and its bytes where they have none.
    fn keep(&mut self, mut page: Arc<NandPage>, erased: &Arc<[u8]>) {
        if self.pages.len() == Self::MOST {
            return;
        }
        let Some(cells) = Arc::get_mut(&mut page) else {
            return;
        };
        let mut bytes = std::mem::replace(&mut cells.bytes, Arc::clone(erased));
        cells.programs = 0;
        cells.sectors = 0;
        cells.torn = false;
        cells.wrong.clear();
        self.pages.push(page);
        if self.bytes.len() < Self::MOST && Arc::get_mut(&mut bytes).is_some() {
            self.bytes.push(bytes);
        }
    }

    /// A page that holds nothing.
    #[inline]
    fn erased_page(&mut self, erased: &Arc<[u8]>) -> Arc<NandPage> {
        let kept = self.pages.pop();
        kept.unwrap_or_else(|| Arc::new(NandPage::erased(erased)))
    }

    /// A page that holds `data` from `column` on, and is erased elsewhere.
    pub(super) fn page(&mut self, erased: &Arc<[u8]>, column: u32, data: &[u8]) -> Arc<[u8]> {
        let (start, end) = (column as usize, column as usize + data.len());
        let mut bytes = self.bytes.pop().unwrap_or_else(|| Arc::clone(erased));
        match Arc::get_mut(&mut bytes) {
            Some(page) => {
                page[..start].fill(0xff);
                page[start..end].copy_from_slice(data);
                page[end..].fill(0xff);
            }
            None => Arc::make_mut(&mut bytes)[start..end].copy_from_slice(data),
        }
        bytes
    }
}

/// A page that was programmed, preloaded or damaged since its block was erased.
#[derive(Clone, Debug)]
pub(super) struct NandPage {
    /// What it should hold: shared with the chip's register, until one of them changes.
    pub(super) bytes: Arc<[u8]>,
    /// Programs since the erase.
    pub(super) programs: u32,
    /// The sectors that were programmed, a bit each.
    pub(super) sectors: u64,
    /// Whether a program failed half-way.
    torn: bool,
    /// Bits that differ from `bytes`, as column · 8 + bit.
    wrong: Vec<u32>,
}

impl NandPage {
    fn erased(bytes: &Arc<[u8]>) -> Self {
        Self {
            bytes: Arc::clone(bytes),
            programs: 0,
            sectors: 0,
            torn: false,
            wrong: Vec::new(),
        }
    }

    /// Lets erased cells that had gone wrong hold what a program gives them: 0, which they hold already.
    pub(super) fn right_by_program(&mut self, column: u32, data: &[u8]) {
        let bytes = &self.bytes;
        self.wrong
            .retain(|bit| !is_righted(bytes, *bit, column, data));
    }

    /// Clears the bits that are 0 in `data`.
    pub(super) fn program(&mut self, column: u32, data: &[u8], rules: RuleSet) {
        if !rules.keep(Rule::ClearsOnly) {
            return self.replace(column, data);
        }
        clear_bits(&mut Arc::make_mut(&mut self.bytes)[column as usize..], data);
    }

    /// Lets an erased page hold what a register does, without a copy.
    pub(super) fn hold(&mut self, register: &Arc<[u8]>) {
        self.bytes = Arc::clone(register);
    }

    /// Leaves the page half programmed: what it holds cannot be corrected.
    pub(super) const fn tear(&mut self) {
        self.torn = true;
    }

    /// Replaces bytes, and whatever was wrong in them.
    pub(super) fn replace(&mut self, column: u32, data: &[u8]) {
        let end = column + data.len() as u32;
        Arc::make_mut(&mut self.bytes)[column as usize..end as usize].copy_from_slice(data);
        self.wrong.retain(|bit| !(column..end).contains(&(bit / 8)));
    }

    /// Flips a stored bit; flipping it again mends it.
    pub(super) fn flip(&mut self, place: u32) {
        match self.wrong.iter().position(|known| *known == place) {
            Some(index) => {
                self.wrong.swap_remove(index);
            }
            None => self.wrong.push(place),
        }
    }

    /// What a read of the page gives, and what the ECC says of it. Without a code the cells are given
    /// as they are. Bits that were `disturbed` are wrong as well.
    fn fetch(
        &self,
        code: Option<&Code>,
        disturbed: &[u32],
        rules: RuleSet,
    ) -> (Arc<[u8]>, EccVerdict) {
        let mut bytes = Arc::clone(&self.bytes);
        let mut all = Cow::from(&self.wrong);
        for bit in disturbed {
            if !all.contains(bit) {
                all.to_mut().push(*bit);
            }
        }
        let Some(code) = code else {
            all.iter().for_each(|bit| spoil(&mut bytes, *bit));
            return (bytes, EccVerdict::Good(Ecc::Clean));
        };
        if all.is_empty() && !self.torn {
            return (bytes, EccVerdict::Good(Ecc::Clean));
        }
        let wrong = code.count(&all);
        for bit in all.iter() {
            let mended = code
                .sector_of(bit / 8)
                .is_some_and(|sector| code.corrects(wrong[sector]) && rules.keep(Rule::Corrects));
            if !mended {
                spoil(&mut bytes, *bit);
            }
        }
        let worst = wrong.into_iter().max().unwrap_or(0);
        let verdict = match code.verdict(worst) {
            _ if self.torn => EccVerdict::Lost,
            EccVerdict::Lost if !rules.keep(Rule::GivesUp) => EccVerdict::Good(Ecc::Clean),
            verdict => verdict,
        };
        (bytes, verdict)
    }
}

fn spoil(bytes: &mut Arc<[u8]>, bit: u32) {
    Arc::make_mut(bytes)[bit as usize / 8] ^= 1 << (bit % 8);
}

impl NandBlock {
    /// A page, if it holds anything.
    pub(super) fn page(&self, index: u32) -> Option<&NandPage> {
        self.pages.get(index as usize)?.as_deref()
    }

    /// A page, made with the bytes of an erased one where it holds nothing.
    pub(super) fn page_mut(&mut self, index: u32, erased: &Arc<[u8]>) -> &mut NandPage {
        let index = index as usize;
        if self.pages.len() <= index {
            self.pages.resize(index + 1, None);
        }
        let page = self.pages[index].get_or_insert_with(|| Arc::new(NandPage::erased(erased)));
        Arc::make_mut(page)
    }

    /// The same with the page of a block that was erased, where one is kept.
    #[inline]
    pub(super) fn page_to_program(
        &mut self,
        index: u32,
        erased: &Arc<[u8]>,
        spares: &mut Spares,
    ) -> &mut NandPage {
        let index = index as usize;
        if self.pages.len() <= index {
            self.pages.resize(index + 1, None);
        }
        let page = self.pages[index].get_or_insert_with(|| spares.erased_page(erased));
        Arc::make_mut(page)
    }

    /// Notes that a page was programmed.
    pub(super) fn programmed(&mut self, index: u32) {
        self.highest = self.highest.max(Some(index));
    }

    /// What a read of a page gives where nothing went wrong in it; `erased` where it holds nothing.
    #[inline(always)]
    pub(super) fn intact<'a>(&'a self, index: u32, erased: &'a Arc<[u8]>) -> Option<&'a Arc<[u8]>> {
        match self.page(index) {
            _ if self.torn => None,
            None => Some(erased),
            Some(page) if page.wrong.is_empty() && !page.torn => Some(&page.bytes),
            Some(_) => None,
        }
    }

    /// What a read of a page gives; `erased` where it holds nothing.
    pub(super) fn fetch(
        &self,
        index: u32,
        erased: &Arc<[u8]>,
        code: Option<&Code>,
        disturbed: &[u32],
        rules: RuleSet,
    ) -> (Arc<[u8]>, EccVerdict) {
        let (bytes, verdict) = self.page(index).map_or_else(
            || (Arc::clone(erased), EccVerdict::Good(Ecc::Clean)),
            |page| page.fetch(code, disturbed, rules),
        );
        match code {
            Some(_) if self.torn => (bytes, EccVerdict::Lost),
            _ => (bytes, verdict),
        }
    }

    /// Erases the block, or fails to; either is a cycle.
    pub(super) fn erase(
        &mut self,
        fails: bool,
        rules: RuleSet,
        spares: &mut Spares,
        erased: &Arc<[u8]>,
    ) {
        self.erases += u64::from(rules.keep(Rule::Wear));
        if !rules.keep(Rule::EraseSets) {
            self.highest = None;
        } else if !rules.keep(Rule::EraseRenews) {
            for page in self.pages.iter_mut().flatten() {
                let page = Arc::make_mut(page);
                Arc::make_mut(&mut page.bytes).fill(0xff);
                page.wrong.clear();
            }
        } else if fails {
            self.failed = true;
            self.torn = true;
        } else {
            self.torn = false;
            self.highest = None;
            let pages = self.pages.drain(..).flatten();
            pages.for_each(|page| spares.keep(page, erased));
        }
    }

    /// What the block holds.
    pub(super) fn content(&self) -> BlockContent {
        let page = |index: u32| Some((index, self.page_content(index)?));
        BlockContent {
            pages: (0..self.pages.len() as u32).filter_map(page).collect(),
            charges: self
                .worn
                .iter()
                .map(|worn| worn.kept_charge(self.erases))
                .collect(),
        }
    }

    /// What a page holds, if anything.
    pub(super) fn page_content(&self, index: u32) -> Option<PageContent> {
        let page = self.page(index)?;
        Some(PageContent {
            bytes: page.bytes.to_vec(),
            programs: page.programs,
            units: page.sectors,
            wrong: page.wrong.clone(),
            given_up: page.torn || self.torn,
        })
    }

    /// Lets the block hold what another one held, as if it were programmed anew. Its cycles, and whether it fails, stay as
    /// they are.
    pub(super) fn restore(&mut self, content: &BlockContent, erased: &Arc<[u8]>) {
        self.torn = false;
        self.highest = None;
        self.pages.clear();
        if let Some(worn) = &mut self.worn {
            worn.forget();
        }
        for (&index, content) in &content.pages {
            self.hold(index, content, erased);
        }
    }

    /// Lets a page hold what another one held, or nothing.
    pub(super) fn restore_page(
        &mut self,
        index: u32,
        content: Option<&PageContent>,
        erased: &Arc<[u8]>,
    ) {
        // What a failed erase left is left of the other pages alone.
        if std::mem::take(&mut self.torn) {
            for page in self.pages.iter_mut().flatten() {
                Arc::make_mut(page).torn = true;
            }
        }
        if content.is_none()
            && let Some(worn) = &mut self.worn
        {
            worn.forget_page(index);
        }
        let is_programmed = content.is_some_and(|content| content.programs > 0);
        if self.highest == Some(index) && !is_programmed {
            let mut below = self.pages.iter().take(index as usize);
            let programmed =
                |page: &Option<Arc<NandPage>>| page.as_ref().is_some_and(|page| page.programs > 0);
            self.highest = below.rposition(programmed).map(|below| below as u32);
        }
        match content {
            Some(content) => self.hold(index, content, erased),
            None => {
                if let Some(page) = self.pages.get_mut(index as usize) {
                    *page = None;
                }
            }
        }
    }

    /// Lets leaked bits of a page be wrong, and its charge be new.
    pub(super) fn renew_charge(&mut self, index: u32, leaked: &[u32], erased: &Arc<[u8]>) {
        if !leaked.is_empty() {
            let page = self.page_mut(index, erased);
            for bit in leaked {
                if !page.wrong.contains(bit) {
                    page.wrong.push(*bit);
                }
            }
        }
        if let Some(worn) = &mut self.worn {
            worn.forget_page(index);
        }
    }

    fn hold(&mut self, index: u32, content: &PageContent, erased: &Arc<[u8]>) {
        if content.programs > 0 {
            self.programmed(index);
        }
        let page = self.page_mut(index, erased);
        page.bytes = content.bytes.as_slice().into();
        page.programs = content.programs;
        page.sectors = content.units;
        page.wrong.clone_from(&content.wrong);
        page.torn = content.given_up;
    }
}
