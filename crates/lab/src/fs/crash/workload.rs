//! The calls that are cut, and what is done before them.

use wordline_core::draw::{Purpose, draw};
use wordline_engines::crash::{FileCall, StoredBytes};
use wordline_engines::{FileSystem, FsError, Handle, Open};

use crate::payload::Payload;

/// Bytes of each file that filled the memory before: those that are looked at.
const OLD_HEAD: u64 = 512;

/// The directory of the files that filled the memory.
const OLD_DIR: &str = "/old";

/// Bytes of a call that fills it.
const OLD_PIECE: u64 = 4096;

/// The workload: a log, a configuration that is replaced as programs do, a file written in place, and one removed.
pub(super) fn workload(payload: &Payload) -> Vec<FileCall> {
    let append = |path, version, at, bytes| {
        FileCall::Append(path, vec![content(payload, version, at, bytes)])
    };
    let mut calls = vec![FileCall::Create("/log")];
    calls.extend((1..=6).map(|round| append("/log", round, 300 * (round - 1), 300)));
    calls.extend([
        FileCall::Create("/data"),
        append("/data", 0x40, 0, 6000),
        FileCall::Overwrite("/data", 0, content(payload, 0x41, 0, 3000)),
        FileCall::Create("/new"),
        append("/new", 0x50, 0, 120),
        FileCall::Rename("/new", "/config"),
        append("/log", 7, 1800, 700),
        FileCall::Remove("/data"),
        append("/log", 8, 2500, 50),
    ]);
    calls
}

/// Calls on a file system that was mounted after a cut: it can be used again.
pub(super) fn after(payload: &Payload) -> Vec<FileCall> {
    vec![
        FileCall::Create("/after"),
        FileCall::Append("/after", vec![content(payload, 0x60, 0, 90)]),
    ]
}

/// Bytes of a file that are looked at, where that is not all of it.
pub(super) fn head_bytes(path: &str) -> Option<u64> {
    let is_old = path
        .strip_prefix(OLD_DIR)
        .is_some_and(|rest| rest.starts_with('/'));
    is_old.then_some(OLD_HEAD)
}

/// Fills a file system until a fifth of its room is left, and at least what the workload needs; `file_bytes` a file.
pub(super) fn fill(
    fs: &mut dyn FileSystem,
    file_bytes: u64,
    workload_bytes: u64,
    payload: &Payload,
) -> Result<(), FsError> {
    fs.create_dir(OLD_DIR)?;
    for number in 0.. {
        let space = fs.space()?;
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
pub(super) fn refill(
    fs: &mut dyn FileSystem,
    file_bytes: u64,
    payload: &Payload,
) -> Result<(), FsError> {
    let files = fs.list(OLD_DIR)?.len() as u64;
    (0..files.div_ceil(2)).try_for_each(|number| old_file(fs, number, file_bytes, payload))
}

/// Overwrites pieces of what filled it at places that are drawn, `bytes` in all: blocks keep pages that move before the
/// block is erased.
pub(super) fn scatter(
    fs: &mut dyn FileSystem,
    file_bytes: u64,
    bytes: u64,
    seed: u64,
    payload: &Payload,
) -> Result<(), FsError> {
    let files = fs.list(OLD_DIR)?.len() as u64;
    let of_file = (file_bytes / OLD_PIECE).max(1);
    let places = (files * of_file).max(1);
    let mut piece = vec![0; OLD_PIECE.min(file_bytes) as usize];
    for number in 0..bytes / OLD_PIECE {
        let place = draw(seed, places, number, Purpose::Address) % places;
        let at = place % of_file * OLD_PIECE;
        let file = fs.open(&format!("{OLD_DIR}/{}", place / of_file), Open::Write)?;
        payload.fill(at, number, &mut piece);
        fs.write(file, at, &piece)?;
        finish(fs, file)?;
    }
    Ok(())
}

fn old_file(
    fs: &mut dyn FileSystem,
    number: u64,
    bytes: u64,
    payload: &Payload,
) -> Result<(), FsError> {
    let file = fs.open(&format!("{OLD_DIR}/{number}"), Open::Create)?;
    for at in (0..bytes).step_by(OLD_PIECE as usize) {
        let mut piece = vec![0; (bytes - at).min(OLD_PIECE) as usize];
        payload.fill(at, number, &mut piece);
        fs.write(file, at, &piece)?;
    }
    finish(fs, file)
}

/// Makes a file and removes it: two changes of a directory, and nothing is left.
pub(super) fn churn(fs: &mut dyn FileSystem) -> Result<(), FsError> {
    let file = fs.open("/churn", Open::Create)?;
    finish(fs, file)?;
    fs.remove("/churn")
}

/// Ends a file: everything that was written to it lasts from here on.
fn finish(fs: &mut dyn FileSystem, file: Handle) -> Result<(), FsError> {
    fs.sync(file)?;
    fs.close(file)
}

/// What a version stores at some place of a file: no two sectors hold the same.
fn content(payload: &Payload, version: u64, at: u64, bytes: usize) -> StoredBytes {
    let mut data = vec![0; bytes];
    payload.fill(at, version, &mut data);
    StoredBytes(data)
}

#[cfg(test)]
mod tests {
    use wordline_engines::crash::{FileNode, FileTree};

    use super::*;

    #[test]
    fn the_workload_leaves_what_it_should() {
        let calls = workload(&Payload::new(1));
        let start = FileTree::new();
        let end = calls.iter().fold(start, |tree, call| call.next(&tree));
        let lengths: Vec<_> = end
            .iter()
            .map(|(path, node)| match node {
                FileNode::File(bytes) => (path.as_str(), bytes.0.len()),
                FileNode::Dir => (path.as_str(), 0),
            })
            .collect();
        assert_eq!(lengths, [("/config", 120), ("/log", 6 * 300 + 700 + 50)]);
    }
}
