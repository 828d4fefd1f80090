//! Reads what the user named: a file, or standard input for `-`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::failure::{self, Failure};

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
