//! What lies in the caller's storage.

use wordline_c_abi::{CallerBuffer, CallerMemory, CallerStorage, stored};
use wordline_kv::{AnyDirectory, Table};

use crate::abi::{Status, WlKv};

/// A table with its directory in RAM or in the memory.
pub(crate) type Kept = Table<CallerMemory, AnyDirectory<CallerBuffer<u64>>, CallerBuffer<u8>>;

/// What a `wl_kv` holds, once a table was opened in it.
#[derive(Debug)]
pub struct Opened {
    /// What the last damage was about.
    pub(crate) damaged: u32,
    pub(crate) table: Kept,
}

impl CallerStorage for WlKv {
    type Content = Opened;
    const MARK: u64 = 0x574C_6B76_6F70_656E;
}

/// The table in storage.
///
/// # Safety
/// The pointer is NULL, or that of a `wl_kv` that was opened or set to zeros, and that is not used elsewhere meanwhile.
pub(crate) unsafe fn opened<'a>(table: *mut WlKv) -> Result<&'a mut Opened, Status> {
    // SAFETY: the caller promises it.
    unsafe { stored(table) }?.ok_or(Status::BadArgument)
}

/// The mark of a table that was not opened because a slot is damaged; the slot is in the next word.
const REFUSED: u64 = 0x574C_6B76_6261_6421;

/// Keeps which slot is damaged, where no table was opened.
///
/// # Safety
/// The pointer is NULL, or that of a `wl_kv` that is not used elsewhere meanwhile.
pub(crate) unsafe fn keep_refusal(table: *mut WlKv, slot: u32) {
    if !table.is_null() && table.is_aligned() {
        // SAFETY: it is neither NULL nor misaligned, and the caller promises the rest.
        let words = unsafe { &mut (*table).words };
        (words[0], words[1]) = (REFUSED, slot.into());
    }
}

/// The slot that kept a table from being opened.
///
/// # Safety
/// As of [`opened`].
pub(crate) unsafe fn refusal(table: *const WlKv) -> Option<u32> {
    if table.is_null() || !table.is_aligned() {
        return None;
    }
    // SAFETY: it is neither NULL nor misaligned, and its words are set, as the caller promises.
    let words = unsafe { &(*table).words };
    (words[0] == REFUSED).then_some(words[1] as u32)
}
