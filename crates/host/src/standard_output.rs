//! Whether this program was started with a standard output.
//!
//! Before `main`, Rust opens `/dev/null` where a standard stream is closed, so that a file never gets its number: what is
//! printed vanishes then, and looks as if it were written. What the caller left closed can only be seen before that.

use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Looks at the descriptor before the runtime of Rust does.
#[cfg(target_os = "linux")]
extern "C" fn look() {
    // SAFETY: it asks about a descriptor by its number and takes no pointer. Its one error is that none is open.
    let found = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    CLOSED.store(found == -1, Ordering::Relaxed);
}

// SAFETY: the C library calls what stands in this section once, before `main`, and `look` has the type that it calls. It
// makes a system call and stores a value, and needs nothing of Rust's runtime.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

/// Whether standard output was closed when this program was started, as by `>&-` of a shell; not known outside Linux.
#[must_use]
pub fn stdout_was_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}
