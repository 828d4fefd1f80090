//! Files, pipes and devices to write to, so that an interrupt works while no process reads a pipe.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

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
    /// Opens what is there and no ordinary file, such as a device; of a named pipe, waits for its reader.
    pub(crate) fn open(place: &Path) -> io::Result<Self> {
        if !fs::metadata(place).is_ok_and(|found| found.file_type().is_fifo()) {
            return File::create(place).map(Self::from);
        }
        let stop = interrupt::listen();
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        loop {
            match rustix::fs::open(place, flags, Mode::empty()) {
                Ok(opened) => {
                    return Ok(Self {
                        file: File::from(opened),
                        stop: Some(stop),
                    });
                }
                Err(Errno::NXIO) if stop.load(Ordering::Relaxed) => {
                    return Err(io::Error::other(
                        "the run was interrupted, and nobody reads this pipe",
                    ));
                }
                Err(Errno::NXIO) => thread::sleep(WAIT),
                Err(error) => return Err(error.into()),
            }
        }
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
