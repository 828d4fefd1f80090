//! Files, pipes and standard input, read so that an interrupt works while a pipe is silent.

use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// How long a silent pipe is waited for between two looks at the flag. A signal ends a wait at once, unless it came
/// just before it.
const WAIT: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// Something to read, and what may end it. Ordinary files answer at once and are read to their end, where standard
/// input is one from where it stands; it stands there still for the next reader.
pub(crate) struct Source {
    file: File,
    /// Of an ordinary file: where the next byte is.
    next: u64,
    /// What there is to read of an ordinary file, in bytes; `None` of what can be read only once, such as a pipe.
    pub(crate) bytes: Option<u64>,
    stop: Arc<AtomicBool>,
}

impl Source {
    /// Opens a file, or standard input for `-`. When `stop` is set, reading from a pipe fails.
    pub(crate) fn open(path: &Path, stop: &Arc<AtomicBool>) -> io::Result<Self> {
        let mut file = if path == Path::new("-") {
            File::from(io::stdin().as_fd().try_clone_to_owned()?)
        } else {
            // A named pipe without a writer must not keep us here: its first bytes are waited for below.
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
            File::from(rustix::fs::open(path, flags, Mode::empty())?)
        };
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::other("this is a folder"));
        }
        let (next, bytes) = if metadata.is_file() {
            let next = file.stream_position()?;
            (next, Some(metadata.len().saturating_sub(next)))
        } else {
            (0, None)
        };
        Ok(Self {
            file,
            next,
            bytes,
            stop: Arc::clone(stop),
        })
    }

    /// Waits until there is something to read, or its end.
    fn wait(&self) -> io::Result<()> {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(io::Error::other("the run was interrupted"));
            }
            let mut waiting = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut waiting, Some(&WAIT)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.bytes.is_some() {
            let read = self.file.read_at(out, self.next)?;
            self.next += read as u64;
            return Ok(read);
        }
        loop {
            self.wait()?;
            match self.file.read(out) {
                // Somebody else who reads the pipe was faster.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return done,
            }
        }
    }
}
