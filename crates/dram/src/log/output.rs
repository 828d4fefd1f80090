//! Where logs are written to, and who shares it.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that are collected before they are written.
const ENOUGH: usize = 64 << 10;

/// Collects bytes, writes them in large pieces, and remembers the first fault.
#[derive(Debug)]
pub(super) struct Output<W> {
    writer: W,
    buffer: Vec<u8>,
    fault: Option<io::Error>,
}

impl<W: Write> Output<W> {
    pub(super) fn new(writer: W) -> Self {
        Self {
            writer,
            buffer: Vec::with_capacity(ENOUGH + 1024),
            fault: None,
        }
    }

    /// Adds a piece that must not be torn, such as a line.
    pub(super) fn piece(&mut self, add: impl FnOnce(&mut Vec<u8>)) {
        if self.fault.is_some() {
            return;
        }
        add(&mut self.buffer);
        if self.buffer.len() >= ENOUGH {
            self.write_out();
        }
    }

    fn write_out(&mut self) {
        if let Err(fault) = self.writer.write_all(&self.buffer) {
            self.fault.get_or_insert(fault);
        }
        self.buffer.clear();
    }

    pub(super) const fn failed(&self) -> bool {
        self.fault.is_some()
    }

    /// Writes what is left, and returns the writer or the first fault.
    pub(super) fn finish(mut self) -> io::Result<W> {
        if self.fault.is_none() {
            self.write_out();
        }
        match self.fault {
            Some(fault) => Err(fault),
            None => {
                self.writer.flush()?;
                Ok(self.writer)
            }
        }
    }
}

/// What the observers of one log share, until the log is finished.
#[derive(Debug)]
pub(super) struct SharedOutput<T>(Arc<Mutex<Option<T>>>);

impl<T> SharedOutput<T> {
    pub(super) fn new(what: T) -> Self {
        Self(Arc::new(Mutex::new(Some(what))))
    }

    /// Does something with it; none when the log is finished. Nothing here panics while it holds the lock, so that
    /// what a panic elsewhere left behind is whole.
    pub(super) fn with<R>(&self, act: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        guard.as_mut().map(act)
    }

    /// Ends the log.
    pub(super) fn take(&self) -> Option<T> {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        guard.take()
    }
}

impl<T> Clone for SharedOutput<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// What `finish` says where someone else has finished already, which a log that is consumed by it rules out.
pub(super) fn finished() -> io::Error {
    io::Error::other("the log is finished already")
}

/// Adds a decimal number.
pub(super) fn number(out: &mut Vec<u8>, value: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = value;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}
