//! Headers, written and read.

use wordline_memory::Flash;

use super::{BegunGroup, PacedLayer, SetupResult};
use crate::error::PacedSetupError;
use crate::header::{Fixed, Layout, get_part, put_part};
use crate::pages::Found;
use crate::record::{PacedRecord, PageUse};
use crate::rule::PacedRule;
use crate::shape::GROUP_PAGES;
use crate::tables::{get_number, put_number};

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedLayer<F, M> {
    /// Programs the header of the head.
    pub(super) fn write_header(&mut self, mounted: bool) -> core::result::Result<(), F::Error> {
        let shape = *self.shape();
        let layout = Layout::of(&shape);
        let fixed = Fixed {
            log_entries: self.tables.log_len(),
            group: if self.rules.keep(PacedRule::GroupInHeader) {
                self.group.len as u8
            } else {
                0
            },
            mounted,
            previous: self.previous,
        };
        let page_bytes = shape.geometry.page_bytes as usize;
        let erases = self.tables.erases(self.head);
        for part in 0..shape.header_pages {
            let start = part as usize * page_bytes;
            let group = self.group;
            let width = shape.width;
            self.tables.with_image(|main, tables| {
                main.fill(0);
                if part == 0 {
                    fixed.encode(&shape, main);
                }
                let mut pair = [0; 8];
                for (index, (logical, page)) in group.pages().iter().enumerate() {
                    put_number(&mut pair[..width], *logical);
                    put_number(&mut pair[width..2 * width], *page);
                    let at = layout.group + index * 2 * width;
                    put_part(main, start, at, &pair[..2 * width]);
                }
                put_part(main, start, layout.map, tables.map);
                put_part(main, start, layout.log, tables.log);
                put_part(main, start, layout.gone, tables.gone);
            });
            for block in 0..shape.geometry.blocks {
                let at = layout.bad + block as usize / 8;
                if (start..start + page_bytes).contains(&at) && self.tables.is_bad(block) {
                    self.tables.main()[at - start] |= 1 << (block % 8);
                }
            }
            let record = PacedRecord {
                page_use: PageUse::Header,
                moved: false,
                first: part == 0,
                last: part + 1 == shape.header_pages,
                logical: erases,
                sequence: self.sequence,
                part: part as u16,
            };
            let page = self.head * shape.geometry.pages_per_block + part;
            self.pages.program(page, self.tables.image(), &record)?;
            self.work.headers += 1;
        }
        Ok(())
    }

    /// Reads the header of a block, and says whether a mount opened it; `None` where the header is not whole. `begun` becomes the greatest number of an opening whose header was at least begun.
    pub(super) fn read_header(
        &mut self,
        block: u32,
        sequence: u32,
        begun: &mut u32,
    ) -> SetupResult<Option<bool>, F::Error> {
        let shape = *self.shape();
        let layout = Layout::of(&shape);
        let page_bytes = shape.geometry.page_bytes as usize;
        let first = block * shape.geometry.pages_per_block;
        let width = shape.width;
        let mut fixed = None;
        self.group = BegunGroup::default();
        for part in 0..shape.header_pages {
            let found = self.pages.read(first + part, self.tables.image())?;
            let is_part = |record: &PacedRecord| {
                record.page_use == PageUse::Header
                    && record.sequence == sequence
                    && u32::from(record.part) == part
            };
            match found {
                Found::Whole { record, .. } if is_part(&record) => {}
                _ => return Ok(None),
            }
            if part == 0 {
                *begun = sequence.max(*begun);
                let front = Fixed::decode(&shape, self.tables.main())?;
                let fits = front.log_entries <= shape.config.log_entries
                    && usize::from(front.group) <= GROUP_PAGES;
                if !fits {
                    return Err(PacedSetupError::NotFormatted);
                }
                self.group.len = front.group.into();
                fixed = Some(front);
            }
            let start = part as usize * page_bytes;
            let mut pairs = [0; GROUP_PAGES * 8];
            self.tables.with_image(|main, tables| {
                get_part(main, start, layout.map, tables.map);
                get_part(main, start, layout.log, tables.log);
                get_part(main, start, layout.gone, tables.gone);
                get_part(
                    main,
                    start,
                    layout.group,
                    &mut pairs[..GROUP_PAGES * 2 * width],
                );
            });
            for (index, pair) in self.group.pages.iter_mut().enumerate() {
                let at = layout.group + index * 2 * width;
                if (start..start + page_bytes).contains(&at) {
                    let bytes = &pairs[index * 2 * width..][..2 * width];
                    *pair = (get_number(&bytes[..width]), get_number(&bytes[width..]));
                }
            }
            for block in 0..shape.geometry.blocks {
                let at = layout.bad + block as usize / 8;
                if (start..start + page_bytes).contains(&at)
                    && self.tables.main()[at - start] >> (block % 8) & 1 == 1
                {
                    self.tables.set_bad(block);
                }
            }
        }
        let Some(fixed) = fixed else {
            return Ok(None);
        };
        self.tables.set_log_len(fixed.log_entries);
        let in_range = |(logical, page): &(u32, u32)| {
            *logical < shape.config.logical_pages && u64::from(*page) < shape.geometry.pages()
        };
        if !self.tables.are_sound() || !self.group.pages().iter().all(in_range) {
            return Err(PacedSetupError::NotFormatted);
        }
        self.previous = fixed.previous;
        self.sequence = sequence;
        self.head = block;
        Ok(Some(fixed.mounted))
    }
}
