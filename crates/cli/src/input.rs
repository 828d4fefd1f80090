//! Reads what the user named: a file, or standard input for `-`.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use wordline_report::printable;

use crate::failure::{self, Failure};
use crate::progress::{Bar, Meter};

/// Bytes of standard input that are kept, where it is read several times.
const STDIN_MAX: u64 = 256 << 20;

/// Bytes that are read from a log at once.
const CHUNK: usize = 256 << 10;

/// The files that an experiment names, which knows them by their last names: documents hold no paths.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    file: Option<(String, PathBuf)>,
    /// Whether the file is read more than once, so that standard input has to be kept.
    again: bool,
    stdin_taken: Cell<bool>,
    stdin: RefCell<Option<Rc<[u8]>>>,
}

impl Inputs {
    /// The name that an experiment gives a file. Documents show it as it stands, CSV among them, so it must
    /// not be able to move the cursor of a terminal.
    pub(crate) fn add(&mut self, path: &Path) -> String {
        let name = path.file_name().unwrap_or(path.as_os_str());
        let name = printable(&name.to_string_lossy());
        self.file = Some((name.clone(), path.to_owned()));
        name
    }

    /// The same of a file that is read once for each target and timing class.
    pub(crate) fn add_repeated(&mut self, path: &Path) -> String {
        self.again = true;
        self.add(path)
    }

    /// The file, where there is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(_, path)| path.as_path())
    }

    /// Standard input from its beginning, however often it is asked for.
    fn kept_stdin(&self) -> io::Result<Box<dyn BufRead>> {
        let mut kept = self.stdin.borrow_mut();
        let bytes = match &*kept {
            Some(bytes) => Rc::clone(bytes),
            None => {
                let mut bytes = Vec::new();
                io::stdin().take(STDIN_MAX + 1).read_to_end(&mut bytes)?;
                if bytes.len() as u64 > STDIN_MAX {
                    return Err(io::Error::other(
                        "standard input is larger than 256 MiB, and a trace is read several times; name a file",
                    ));
                }
                Rc::clone(kept.insert(bytes.into()))
            }
        };
        Ok(Box::new(Cursor::new(bytes)))
    }

    /// Opens a file by the name that an experiment gives it; the bar shows how far it has been read.
    pub(crate) fn open(&self, name: &str, bar: &Bar) -> io::Result<Box<dyn BufRead>> {
        let Some((_, path)) = self.file.as_ref().filter(|(known, _)| known == name) else {
            return Err(io::Error::other("the command line names no such file"));
        };
        if path == Path::new("-") {
            if self.again {
                return self.kept_stdin();
            }
            if self.stdin_taken.replace(true) {
                return Err(io::Error::other("standard input can be read once"));
            }
            return Ok(Box::new(BufReader::with_capacity(CHUNK, io::stdin())));
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::other("this is a folder"));
        }
        let metered = Metered {
            file,
            meter: bar.meter(name, metadata.len()),
        };
        Ok(Box::new(BufReader::with_capacity(CHUNK, metered)))
    }
}

/// A file whose reading a progress bar follows.
struct Metered {
    file: File,
    meter: Meter,
}

impl Read for Metered {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(out)?;
        self.meter.advance(read as u64);
        Ok(read)
    }
}

/// The bytes of a file, and no more than one beyond `most`, which shows that there are more.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let unreadable =
        |error: io::Error| failure::message(format!("{} cannot be read: {error}", path.display()));
    let mut source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(unreadable)?)
    };
    let mut bytes = Vec::new();
    source
        .by_ref()
        .take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    Ok(bytes)
}
