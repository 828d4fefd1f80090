//! The calls that are cut.

use wordline_core::draw::{Purpose, draw};
use wordline_engines::{FileSystem, FsError, Open};

use crate::crash::files::{Node, Tree};

/// One step of an application, whose effect lasts when it returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// An empty file is made.
    Create(&'static str),
    /// So many bytes take the place of what a file holds.
    Replace(&'static str, usize),
    /// A file grows by so many bytes, in two writes and one sync.
    Append(&'static str, usize),
    /// Bytes in the middle of a file are overwritten.
    Overwrite(&'static str, u64, usize),
    /// A file is cut to a length.
    Truncate(&'static str, u64),
    Rename(&'static str, &'static str),
    Remove(&'static str),
    CreateDir(&'static str),
}

/// Bytes that tell where they belong: no two places, files or versions of a file, which differ in `count`, are alike.
fn bytes(path: &str, from: u64, count: usize) -> Vec<u8> {
    let name = path.bytes().fold(7u64, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    let version = count as u64;
    (from..from + version)
        .map(|at| draw(name, version, at, Purpose::Payload) as u8)
        .collect()
}

impl Call {
    pub(crate) fn run(&self, fs: &mut impl FileSystem) -> Result<(), FsError> {
        match *self {
            Self::Create(path) => {
                let file = fs.open(path, Open::Create)?;
                fs.close(file)
            }
            Self::Replace(path, count) => {
                let file = fs.open(path, Open::Replace)?;
                fs.write(file, 0, &bytes(path, 0, count))?;
                fs.sync(file)?;
                fs.close(file)
            }
            Self::Append(path, count) => {
                let file = fs.open(path, Open::Write)?;
                let length = fs.entry(path)?.bytes;
                let data = bytes(path, length, count);
                let (one, other) = data.split_at(count / 2);
                fs.write(file, length, one)?;
                fs.write(file, length + one.len() as u64, other)?;
                fs.sync(file)?;
                fs.close(file)
            }
            Self::Overwrite(path, at, count) => {
                let file = fs.open(path, Open::Write)?;
                fs.write(file, at, &bytes(path, at + 1, count))?;
                fs.sync(file)?;
                fs.close(file)
            }
            Self::Truncate(path, length) => {
                let file = fs.open(path, Open::Write)?;
                fs.truncate(file, length)?;
                fs.sync(file)?;
                fs.close(file)
            }
            Self::Rename(from, to) => fs.rename(from, to),
            Self::Remove(path) => fs.remove(path),
            Self::CreateDir(path) => fs.create_dir(path),
        }
    }

    /// What the call does to a tree.
    pub(crate) fn model(&self, tree: &mut Tree) {
        let file = |tree: &Tree, path: &str| match tree.get(path) {
            Some(Node::File(bytes)) => bytes.clone(),
            _ => Vec::new(),
        };
        let (path, node) = match *self {
            Self::Create(path) => (path, Node::File(Vec::new())),
            Self::Replace(path, count) => (path, Node::File(bytes(path, 0, count))),
            Self::Append(path, count) => {
                let mut content = file(tree, path);
                content.extend(bytes(path, content.len() as u64, count));
                (path, Node::File(content))
            }
            Self::Overwrite(path, at, count) => {
                let mut content = file(tree, path);
                let at = at as usize;
                content.resize(content.len().max(at + count), 0);
                content[at..at + count].copy_from_slice(&bytes(path, at as u64 + 1, count));
                (path, Node::File(content))
            }
            Self::Truncate(path, length) => {
                let mut content = file(tree, path);
                content.resize(length as usize, 0);
                (path, Node::File(content))
            }
            Self::Rename(from, to) => match tree.remove(from) {
                Some(node) => (to, node),
                None => return,
            },
            Self::Remove(path) => {
                tree.remove(path);
                return;
            }
            Self::CreateDir(path) => (path, Node::Dir),
        };
        tree.insert(path.to_owned(), node);
    }
}

/// A bit of everything: small files that live in their directory, files of several blocks, a log that grows, a
/// configuration that is replaced by a rename, directories that come and go. Sizes are in bytes. Files are made before
/// they are written, because a file that is opened for the first time may be found empty.
pub(crate) fn workload() -> Vec<Call> {
    use Call::*;
    let mut calls = vec![
        Create("/config"),
        Replace("/config", 60),
        CreateDir("/logs"),
        Create("/logs/a"),
        Append("/logs/a", 30),
        Create("/image"),
        Replace("/image", 1500),
        Append("/logs/a", 200),
        Create("/config.new"),
        Replace("/config.new", 64),
        Rename("/config.new", "/config2"),
        Overwrite("/image", 700, 90),
        Append("/logs/a", 500),
        CreateDir("/tmp"),
        Create("/tmp/x"),
        Replace("/tmp/x", 10),
        Create("/tmp/y"),
        Replace("/tmp/y", 900),
        Remove("/tmp/x"),
        Truncate("/image", 400),
        Rename("/tmp/y", "/logs/y"),
        Remove("/tmp"),
        Replace("/config", 61),
        Remove("/logs/y"),
        Create("/logs/b"),
    ];
    for step in 0..6 {
        calls.push(Append("/logs/b", 40 + step));
        calls.push(Replace("/config", 50 + step));
    }
    calls.push(Remove("/logs/a"));
    calls.push(Remove("/image"));
    calls
}
