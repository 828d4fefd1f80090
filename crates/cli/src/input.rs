//! Reads what the user named: a file, or standard input for `-`.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use wordline_report::printable;

use crate::failure::{self, Failure};
use crate::progress::{Bar, ProgressMeter};
use crate::source::Source;

/// Bytes of a pipe that are kept, where it is read several times.
const PIPE_MAX: u64 = 256 << 20;

/// Bytes that are read from a log at once.
const CHUNK: usize = 256 << 10;

/// The files that an experiment names, which knows them by their last names: documents hold no paths.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    file: Option<(String, PathBuf)>,
    /// What was measured: beside it, or instead of simulating.
    measured: Vec<(String, PathBuf)>,
    /// Whether the file is read more than once, so that a pipe has to be kept.
    again: bool,
    pipe: Mutex<PipeState>,
}

/// What became of a pipe.
#[derive(Debug, Default)]
struct PipeState {
    /// Whether it has been read.
    taken: bool,
    /// What it held, where it is read more than once.
    kept: Option<Arc<[u8]>>,
}

impl Inputs {
    /// Adds the file that an experiment is about, and returns the name that the experiment gives it.
    pub(crate) fn add(&mut self, path: &Path) -> String {
        let name = last_name(path);
        self.file = Some((name.clone(), path.to_owned()));
        name
    }

    /// The same of what was measured, beside the file or instead of simulating; there may be several, each read once.
    pub(crate) fn add_measured(&mut self, path: &Path) -> String {
        let name = last_name(path);
        self.measured.push((name.clone(), path.to_owned()));
        name
    }

    /// The same of a file that is read more than once, for each target or timing class.
    pub(crate) fn add_repeated(&mut self, path: &Path) -> String {
        self.again = true;
        self.add(path)
    }

    /// Adds a file by the name that an experiment has for it already: the one that it is about, or one beside.
    pub(crate) fn place(&mut self, name: &str, is_beside: bool, path: PathBuf) {
        let file = (name.to_owned(), path);
        match is_beside {
            true => self.measured.push(file),
            false => {
                self.again = true;
                self.file = Some(file);
            }
        }
    }

    /// Opens a file by the name that an experiment gives it; the bar shows how far it has been read. A pipe, standard
    /// input among them, has its bytes once: where it is read several times they are kept.
    pub(crate) fn open(
        &self,
        name: &str,
        bar: &Bar,
        stop: &Arc<AtomicBool>,
    ) -> io::Result<Box<dyn BufRead>> {
        let is_named = |file: &&(String, PathBuf)| file.0 == name;
        let mut all_measured = self.measured.iter().filter(is_named);
        let measured = all_measured.next();
        let other = all_measured.find(|(_, path)| measured.is_some_and(|(_, first)| first != path));
        if let (Some((_, first)), Some((_, other))) = (measured, other) {
            let of_one = format!(
                "{} and {} are files of one name, by which results tell files apart; rename one of them",
                first.display(),
                other.display()
            );
            return Err(io::Error::other(of_one));
        }
        let Some((_, path)) = self.file.as_ref().filter(is_named) else {
            let Some((_, path)) = measured else {
                return Err(io::Error::other("the command line names no such file"));
            };
            let source = Source::open(path, stop)?;
            return Ok(Box::new(BufReader::with_capacity(CHUNK, source)));
        };
        if let Some((_, other)) = measured {
            let of_one = format!(
                "{} and {} are files of one name, by which results tell files apart; rename one of them",
                path.display(),
                other.display()
            );
            return Err(io::Error::other(of_one));
        }
        let mut state = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = &state.kept {
            return Ok(Box::new(Cursor::new(Arc::clone(kept))));
        }
        if state.taken {
            return Err(io::Error::other("it is a pipe, which can be read once"));
        }
        let source = Source::open(path, stop)?;
        let pipe = source.bytes.is_none();
        state.taken = pipe;
        let metered = Metered {
            meter: bar.meter(name, source.bytes),
            source,
        };
        if pipe && self.again {
            let kept = state.kept.insert(keep(metered)?);
            return Ok(Box::new(Cursor::new(Arc::clone(kept))));
        }
        Ok(Box::new(BufReader::with_capacity(CHUNK, metered)))
    }
}

/// The last name of a file. Documents show it as it stands, CSV among them, so it must not be able to move the cursor of
/// a terminal.
pub(crate) fn last_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    printable(&name.to_string_lossy())
}

/// The bytes of a pipe.
fn keep(source: Metered) -> io::Result<Arc<[u8]>> {
    let mut bytes = Vec::new();
    source.take(PIPE_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > PIPE_MAX {
        return Err(io::Error::other(
            "not a regular file, which would be read several times, and larger than the 256 MiB that are kept of \
             a pipe; save it in a file",
        ));
    }
    Ok(bytes.into())
}

/// A source whose reading a progress bar follows.
struct Metered {
    source: Source,
    meter: ProgressMeter,
}

impl Read for Metered {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(out)?;
        self.meter.advance(read as u64);
        Ok(read)
    }
}

/// The bytes of a file, and no more than one beyond `most`, which shows that there are more. Nobody listens to
/// interrupts yet: they end the command.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let unreadable =
        |error: io::Error| failure::message(format!("{} cannot be read: {error}", path.display()));
    let source = Source::open(path, &Arc::default()).map_err(unreadable)?;
    let mut bytes = Vec::new();
    source
        .take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    Ok(bytes)
}
