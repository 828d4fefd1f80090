//! Files, pipes and devices to write to, so that an interrupt works while no process reads a pipe.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use wordline_host::{InodeAccess, InodeError, InodeHandle, LinkRule, NameEntry};

use crate::interrupt;

/// How long a pipe without a reader is waited for between two looks at the flag.
const WAIT: Duration = Duration::from_millis(100);

/// How long a full pipe is waited for between two looks at the flag, and once more after an interrupt: what was finished
/// is still for a reader who is there.
const FULL: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// Something to write to.
#[derive(Debug)]
pub(crate) struct Sink {
    file: File,
    /// What ends a wait; `None` of what never waits for a reader.
    stop: Option<Arc<AtomicBool>>,
}

impl Sink {
    /// Opens what is there and no ordinary file, such as a pipe or a terminal: what was looked at, whatever its name leads
    /// to by then. Of a named pipe it waits for the reader. `None` of an ordinary file, and of nothing.
    pub(crate) fn of_special(place: &Path) -> io::Result<Option<Self>> {
        let Some(found) = special(place)? else {
            return Ok(None);
        };
        if !found.file_type().is_fifo() {
            let opened = found.open(WRITES).map_err(failed)?;
            return Ok(Some(Self::from(opened.into_file())));
        }
        let stop = interrupt::listen();
        let access = InodeAccess {
            nonblocking: true,
            ..WRITES
        };
        loop {
            match found.open_again(access) {
                Ok(opened) => {
                    return Ok(Some(Self {
                        file: opened,
                        stop: Some(stop),
                    }));
                }
                Err(InodeError::Io(error)) if Errno::from_io_error(&error) == Some(Errno::NXIO) => {
                    if stop.load(Ordering::Relaxed) {
                        return Err(io::Error::other(
                            "the run was interrupted, and this pipe has no reader",
                        ));
                    }
                    thread::sleep(WAIT);
                }
                Err(error) => return Err(failed(error)),
            }
        }
    }
}

/// For writes alone.
const WRITES: InodeAccess = InodeAccess {
    writes: true,
    reads: false,
    direct: false,
    exclusive: false,
    nonblocking: false,
};

/// What is there and no ordinary file. A disk is no place for a report: it is refused.
pub(crate) fn special(place: &Path) -> io::Result<Option<InodeHandle>> {
    let found = match NameEntry::of(place, LinkRule::DevicesOnly) {
        Ok(NameEntry::Inode(found)) => found,
        Ok(NameEntry::Vacant(_)) => return Ok(None),
        Err(InodeError::Io(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if found.file_type().is_block_device() {
        return Err(io::Error::other(
            "it is a block device, whose contents would be lost; allowed: a file, a pipe or a character device",
        ));
    }
    Ok((!found.metadata().is_file()).then_some(found))
}

fn failed(error: InodeError) -> io::Error {
    match error {
        InodeError::Io(error) => error,
        error => io::Error::other(error.to_string()),
    }
}

impl From<File> for Sink {
    /// A file that is open, and whose writing never waits.
    fn from(file: File) -> Self {
        Self { file, stop: None }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(stop) = &self.stop else {
            return self.file.write(bytes);
        };
        loop {
            // Before the wait: one that begins after an interrupt is the last one.
            let last = stop.load(Ordering::Relaxed);
            let mut waiting = [PollFd::new(&self.file, PollFlags::OUT)];
            match poll(&mut waiting, Some(&FULL)) {
                Ok(0) if last => {
                    return Err(io::Error::other(
                        "the run was interrupted, and the pipe's reader takes no more",
                    ));
                }
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            match self.file.write(bytes) {
                // Somebody else who writes to the pipe was faster.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return done,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A sink whose errors name its file.
pub(crate) struct NamedFile {
    sink: Sink,
    /// As the user named it.
    name: PathBuf,
}

impl NamedFile {
    pub(crate) fn new(sink: Sink, name: PathBuf) -> Self {
        Self { sink, name }
    }
}

impl Write for NamedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.sink.write(bytes);
        written.map_err(|error| named(&self.name, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.sink.flush();
        flushed.map_err(|error| named(&self.name, &error))
    }
}

/// An error of the same kind that names the file.
pub(crate) fn named(name: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", name.display()))
}
