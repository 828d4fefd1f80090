//! Logical pages that hold nothing any more.

use wordline_memory::Flash;

use super::{PacedLayer, Result};
use crate::rule::PacedRule;
use crate::tables::{LOST_PAGE, NO_PAGE};

impl<F: Flash, M: AsRef<[u8]> + AsMut<[u8]>> PacedLayer<F, M> {
    /// Does what a write of one page does, with a store of the map in the place of its page.
    fn make_room_to_discard(&mut self) -> Result<(), F::Error> {
        self.coming = 1;
        if self.make_room(1)? == 0 {
            self.pay_page()?;
        }
        if self.tables.log_room() == 0 {
            self.store_most_changed()?;
        }
        self.coming = 0;
        Ok(())
    }

    /// Forgets what a logical page holds: it reads as never written. Until its page of the map is stored, a mount brings
    /// it back; so its page is kept until then. It costs at most what a write of one page does.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::PacedError::OutOfRange), [`WornOut`](crate::PacedError::WornOut), or the flash fails.
    pub fn discard(&mut self, logical: u32) -> Result<(), F::Error> {
        self.check(logical)?;
        self.check_writable()?;
        if self.tables.log_room() == 0 {
            let done = self.make_room_to_discard();
            self.broken |= done.is_err();
            done?;
        }
        if !self.rules.keep(PacedRule::DiscardKept) {
            self.note_change(logical, NO_PAGE, false);
            return Ok(());
        }
        if self.tables.change_of(logical).is_none() {
            let page = self.find_stored(logical)?;
            if page == NO_PAGE {
                return Ok(());
            }
            if page == LOST_PAGE {
                self.note_change(logical, NO_PAGE, false);
                return Ok(());
            }
            // From now on the change names what the stored map does.
            self.tables.change(logical, page, true);
        }
        self.tables.set_discarded(logical);
        Ok(())
    }
}
