//! Where the message of a failed call waits to be read.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::fmt::Display;

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Keeps what went wrong for [`message`].
pub(crate) fn keep(fault: &impl Display) {
    let text: Vec<u8> = fault
        .to_string()
        .bytes()
        .filter(|byte| *byte != 0)
        .collect();
    MESSAGE.with(|message| *message.borrow_mut() = CString::new(text).unwrap_or_default());
}

/// The message kept last in this thread. It lasts until the next one is kept.
pub(crate) fn message() -> *const c_char {
    MESSAGE.with(|message| message.borrow().as_ptr())
}
