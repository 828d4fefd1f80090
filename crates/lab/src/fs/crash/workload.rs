//! The calls that are cut, and what they ought to leave.

use std::collections::BTreeMap;

use wordline_engines::{FsError, Open};

use super::super::calls::Mounted;
use crate::payload::Payload;

/// The most that a file of the workload holds, for one read of it.
const FILE_MAX: usize = 16 << 10;

/// Bytes of each file that filled the memory before: those that are looked at.
const OLD_HEAD: usize = 512;

/// The directory of the files that filled the memory.
const OLD_DIR: &str = "/old";

/// Bytes of a call that fills it.
const OLD_PIECE: u64 = 4096;

/// What a file system holds, by path.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// One call. What it stores is synced when it returns.
#[derive(Clone, Debug)]
pub(super) enum FileCall {
    /// Makes an empty file.
    Make(&'static str),
    /// Appends bytes of a version to a file.
    Append(&'static str, u8, usize),
    /// Stores bytes of a version over the beginning of a file.
    Overwrite(&'static str, u8, usize),
    /// Gives a file another name.
    Rename(&'static str, &'static str),
    /// Removes a file.
    Remove(&'static str),
}

/// The workload: a log, a configuration that is replaced as programs do, a file written in place, and one removed.
pub(super) fn workload() -> Vec<FileCall> {
    let mut calls = vec![FileCall::Make("/log")];
    calls.extend((1..=6).map(|round| FileCall::Append("/log", round, 300)));
    calls.extend([
        FileCall::Make("/data"),
        FileCall::Append("/data", 0x40, 6000),
        FileCall::Overwrite("/data", 0x41, 3000),
        FileCall::Make("/new"),
        FileCall::Append("/new", 0x50, 120),
        FileCall::Rename("/new", "/config"),
        FileCall::Append("/log", 7, 700),
        FileCall::Remove("/data"),
        FileCall::Append("/log", 8, 50),
    ]);
    calls
}

/// Calls on a file system that was mounted after a cut: it can be used again.
pub(super) fn after() -> Vec<FileCall> {
    vec![
        FileCall::Make("/after"),
        FileCall::Append("/after", 0x60, 90),
    ]
}

/// Runs a call.
pub(super) fn apply(fs: &mut Mounted, call: &FileCall, payload: &Payload) -> Result<(), FsError> {
    match *call {
        FileCall::Make(path) => {
            let file = fs.engine.open(path, Open::Create)?;
            fs.finish(file)
        }
        FileCall::Append(path, version, bytes) => {
            let at = fs.engine.entry(path)?.bytes;
            store(fs, path, at, &content(payload, version, at, bytes))
        }
        FileCall::Overwrite(path, version, bytes) => {
            store(fs, path, 0, &content(payload, version, 0, bytes))
        }
        FileCall::Rename(from, to) => fs.engine.rename(from, to),
        FileCall::Remove(path) => fs.engine.remove(path),
    }
}

/// What a call makes of the files.
pub(super) fn next(files: &Files, call: &FileCall, payload: &Payload) -> Files {
    let mut files = files.clone();
    match *call {
        FileCall::Make(path) => {
            files.entry(path.to_owned()).or_default();
        }
        FileCall::Append(path, version, bytes) => {
            let file = files.entry(path.to_owned()).or_default();
            let data = content(payload, version, file.len() as u64, bytes);
            file.extend(data);
        }
        FileCall::Overwrite(path, version, bytes) => {
            let file = files.entry(path.to_owned()).or_default();
            let bytes = bytes.min(file.len());
            file[..bytes].copy_from_slice(&content(payload, version, 0, bytes));
        }
        FileCall::Rename(from, to) => {
            if let Some(file) = files.remove(from) {
                files.insert(to.to_owned(), file);
            }
        }
        FileCall::Remove(path) => {
            files.remove(path);
        }
    }
    files
}

/// All files of the workload as they are, and the heads of those that filled the memory before.
pub(super) fn read(fs: &mut Mounted) -> Result<Files, FsError> {
    let mut files = Files::new();
    for (dir, most) in [("", FILE_MAX), (OLD_DIR, OLD_HEAD)] {
        let all = fs.engine.list(if dir.is_empty() { "/" } else { dir })?;
        for entry in all.into_iter().filter(|entry| !entry.is_dir) {
            let path = format!("{dir}/{}", entry.name);
            let mut bytes = vec![0; most];
            let file = fs.engine.open(&path, Open::Read)?;
            let length = fs.engine.read(file, 0, &mut bytes)?;
            fs.engine.close(file)?;
            bytes.truncate(length);
            files.insert(path, bytes);
        }
    }
    Ok(files)
}

/// Fills a file system until a fifth of its room is left, and at least what the workload needs; `file_bytes` a file.
pub(super) fn fill(
    fs: &mut Mounted,
    file_bytes: u64,
    workload_bytes: u64,
    payload: &Payload,
) -> Result<(), FsError> {
    fs.engine.create_dir(OLD_DIR)?;
    for number in 0.. {
        let space = fs.engine.space()?;
        let left = (space.total / 5).max(workload_bytes);
        if space.free < left + file_bytes {
            break;
        }
        old_file(fs, number, file_bytes, payload)?;
    }
    Ok(())
}

/// Writes half of what filled it once more: with it a layer below, which keeps an eighth to itself, has handed out every
/// block.
pub(super) fn refill(fs: &mut Mounted, file_bytes: u64, payload: &Payload) -> Result<(), FsError> {
    let files = fs.engine.list(OLD_DIR)?.len() as u64;
    (0..files.div_ceil(2)).try_for_each(|number| old_file(fs, number, file_bytes, payload))
}

fn old_file(fs: &mut Mounted, number: u64, bytes: u64, payload: &Payload) -> Result<(), FsError> {
    let file = fs
        .engine
        .open(&format!("{OLD_DIR}/{number}"), Open::Create)?;
    for at in (0..bytes).step_by(OLD_PIECE as usize) {
        let mut piece = vec![0; (bytes - at).min(OLD_PIECE) as usize];
        payload.fill(at, number, &mut piece);
        fs.engine.write(file, at, &piece)?;
    }
    fs.finish(file)
}

/// Makes a file and removes it: two changes of a directory, and nothing is left.
pub(super) fn churn(fs: &mut Mounted) -> Result<(), FsError> {
    let file = fs.engine.open("/churn", Open::Create)?;
    fs.finish(file)?;
    fs.engine.remove("/churn")
}

/// What a version stores at some place of a file: no two sectors hold the same.
fn content(payload: &Payload, version: u8, at: u64, bytes: usize) -> Vec<u8> {
    let mut data = vec![0; bytes];
    payload.fill(at, version.into(), &mut data);
    data
}

fn store(fs: &mut Mounted, path: &str, at: u64, data: &[u8]) -> Result<(), FsError> {
    let file = fs.engine.open(path, Open::Write)?;
    fs.engine.write(file, at, data)?;
    fs.finish(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workload_leaves_what_it_should() {
        let (calls, payload) = (workload(), Payload::new(1));
        let end = calls
            .iter()
            .fold(Files::new(), |files, call| next(&files, call, &payload));
        let lengths: Vec<_> = end
            .iter()
            .map(|(path, file)| (path.as_str(), file.len()))
            .collect();
        assert_eq!(lengths, [("/config", 120), ("/log", 6 * 300 + 700 + 50)]);
    }
}
