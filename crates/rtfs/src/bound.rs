//! What a call can cost at most, counted in operations of the flash.

use wordline_memory::Geometry;

use crate::error::PacedError;
use crate::shape::{FREE_BLOCKS, MOUNT_PAGES, PacedConfig, Shape};

/// What calls cost at most, by count. `DESIGN.md` derives each term.
///
/// A call that writes p pages programs them, and does one erase in place of the steps for two of its pages where an
/// erase is due, and `steps_per_page` steps for each of the others. A step is a page read and programmed, or a page
/// programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedBound {
    /// Pages that a block takes behind its header.
    pub data_pages: u32,
    /// Pages of a block's header.
    pub header_pages: u32,
    /// Pages of the map.
    pub map_pages: u32,
    /// Live pages that the emptiest block has at most: the mean of all that are in use.
    pub victim_pages: u32,
    /// Map pages stored while one block is filled.
    pub stores: u32,
    /// Pages that the caller writes while one block is filled.
    pub user_pages: u32,
    /// Steps for each page that the caller writes.
    pub steps_per_page: u32,
    /// RAM that the caller gives, in bytes.
    pub ram_bytes: usize,
}

impl PacedConfig {
    /// What calls cost at most.
    ///
    /// # Errors
    /// [`PacedError::Unsuitable`] where the capacity leaves too little room: it names the most that works.
    pub fn bound<E>(&self, geometry: &Geometry) -> Result<PacedBound, PacedError<E>> {
        Shape::new(geometry, self)?.bound()
    }

    /// The most logical pages for which a page costs at most so many steps, with the other figures as they are; `None`
    /// where no capacity has so low a bound.
    #[must_use]
    pub fn largest(&self, geometry: &Geometry, steps_per_page: u32) -> Option<u32> {
        let suits = |logical_pages: u32| {
            let config = Self {
                logical_pages,
                ..*self
            };
            let shape = Shape::new::<()>(geometry, &config).ok();
            let bound = shape.and_then(|shape| shape.counts());
            bound.is_some_and(|bound| bound.steps_per_page <= steps_per_page)
        };
        let (mut good, mut bad) = (0, u32::try_from(geometry.pages()).ok()?.saturating_add(1));
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            if suits(middle) {
                good = middle;
            } else {
                bad = middle;
            }
        }
        (good > 0).then_some(good)
    }
}

impl Shape {
    /// Blocks among which the emptiest is chosen: neither the head, nor free, nor that in which a group was begun.
    fn candidates(&self) -> u64 {
        let good = self.geometry.blocks - self.config.bad_blocks;
        u64::from(good.saturating_sub(2 + FREE_BLOCKS))
    }

    /// Pages that can be live at once, those included that are known as dead when their map page is stored.
    fn live_pages(&self) -> u64 {
        u64::from(self.config.logical_pages)
            + u64::from(self.config.log_entries)
            + u64::from(self.map_pages)
    }

    pub(crate) fn bound<E>(&self) -> Result<PacedBound, PacedError<E>> {
        self.counts().ok_or_else(|| PacedError::Unsuitable {
            what: "logical pages",
            found: self.config.logical_pages.into(),
            least: 1,
            most: self
                .config
                .largest(&self.geometry, u32::MAX)
                .map_or(0, u64::from),
        })
    }

    /// The bound; `None` where the capacity leaves too little room.
    fn counts(&self) -> Option<PacedBound> {
        let candidates = self.candidates().max(1);
        let victim_pages = u32::try_from(self.live_pages() / candidates).ok()?;
        // The log may be at its threshold when the block is opened.
        let stores = self.stores(self.data_pages, 0);
        let work = victim_pages.checked_add(stores)?;
        let user_pages = self.data_pages.checked_sub(work)?;
        // The first page pays the header, and those of the call with the erase pay nothing.
        let paying = user_pages.checked_sub(1 + UNPAID_PAGES)?;
        // A mount frees a block before its own is full.
        if user_pages < MOUNT_PAGES {
            return None;
        }
        Some(PacedBound {
            data_pages: self.data_pages,
            header_pages: self.header_pages,
            map_pages: self.map_pages,
            victim_pages,
            stores,
            user_pages,
            steps_per_page: work.div_ceil(paying).max(self.header_pages),
            ram_bytes: self.places().bytes,
        })
    }
}

/// Pages of a call whose steps an erase takes the place of.
pub(crate) const UNPAID_PAGES: u32 = 2;
