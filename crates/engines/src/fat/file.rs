//! Open files of rust-fatfs: places, lengths and ends.

use std::io::{self, Seek, SeekFrom, Write};

use super::volume::{FatFault, Fs, OpenFile, find};
use crate::{FsError, FsErrorKind, Open};

/// Bytes of a file at most, as FAT counts them in 32 bits.
const FILE_MAX: u64 = u32::MAX as u64;

/// Opens a file.
pub(super) fn open<'a>(fs: &'a Fs, path: &str, how: Open) -> Result<OpenFile<'a>, FatFault> {
    let mut open = if matches!(how, Open::Read | Open::Write) {
        let found = find(fs, path)?;
        if found.is_dir() {
            return Err(FsErrorKind::IsDir.into());
        }
        OpenFile {
            file: found.to_file(),
            bytes: found.len(),
            changed: false,
        }
    } else {
        let mut file = fs.root_dir().create_file(path)?;
        OpenFile {
            bytes: match how {
                Open::Replace => 0,
                _ => file.seek(SeekFrom::End(0))?,
            },
            file,
            changed: true,
        }
    };
    if how == Open::Replace {
        open.file.truncate()?;
    }
    Ok(open)
}

/// Goes to a place within a file.
pub(super) fn seek(open: &mut OpenFile<'_>, at: u64) -> Result<(), FatFault> {
    if open.file.seek(SeekFrom::Start(at))? == at {
        Ok(())
    } else {
        let why = "the chain of clusters ends before the file";
        Err(FsError::new(FsErrorKind::Corrupt, why).into())
    }
}

/// Writes to a place within a file, or at its end.
pub(super) fn write(open: &mut OpenFile<'_>, at: u64, data: &[u8]) -> Result<(), FatFault> {
    if at > open.bytes {
        let why = format_args!("byte {at} of a file of {} bytes", open.bytes);
        return Err(FsError::new(FsErrorKind::Invalid, why).into());
    }
    if at + data.len() as u64 > FILE_MAX {
        let why = "a file of FAT takes 4 GiB less a byte";
        return Err(FsError::new(FsErrorKind::Full, why).into());
    }
    if data.is_empty() {
        return Ok(());
    }
    seek(open, at)?;
    open.changed = true;
    let done = write_all(&mut open.file, data);
    // Where there was no room, a part of it is in the file.
    let (Ok(written) | Err((written, _))) = &done;
    open.bytes = open.bytes.max(at + *written as u64);
    done.map(drop).map_err(|(_, error)| error.into())
}

/// Writes all of it, or says how much was written and what went wrong.
fn write_all(file: &mut impl Write, data: &[u8]) -> Result<usize, (usize, io::Error)> {
    let mut done = 0;
    while done < data.len() {
        match file.write(&data[done..]) {
            Ok(0) => return Err((done, io::ErrorKind::WriteZero.into())),
            Ok(count) => done += count,
            Err(error) => return Err((done, error)),
        }
    }
    Ok(done)
}

/// Appends zeros.
pub(super) fn extend(open: &mut OpenFile<'_>, bytes: u64) -> Result<(), FatFault> {
    if bytes > FILE_MAX {
        return Err(FsErrorKind::Full.into());
    }
    let zeros = [0; 4096];
    while open.bytes < bytes {
        let count = (bytes - open.bytes).min(zeros.len() as u64) as usize;
        write(open, open.bytes, &zeros[..count])?;
    }
    Ok(())
}
