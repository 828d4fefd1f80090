//! Calls of a file system whose effect lasts when they return, and what they make of its files.

use std::collections::BTreeMap;

use super::StoredBytes;
use crate::{FileSystem, FsError, Handle, Open};

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileNode {
    /// A directory.
    Dir,
    /// A file, with its bytes.
    File(StoredBytes),
}

/// What a file system holds, by path.
pub type FileTree = BTreeMap<String, FileNode>;

/// One call, whose effect lasts when it returns.
#[derive(Clone, Debug)]
pub enum FileCall {
    /// Makes an empty file.
    Create(&'static str),
    /// Makes a directory.
    CreateDir(&'static str),
    /// Puts bytes in the place of what a file holds.
    Replace(&'static str, StoredBytes),
    /// Appends bytes to a file, a write for each piece, and one sync.
    Append(&'static str, Vec<StoredBytes>),
    /// Overwrites bytes of a file from a place on.
    Overwrite(&'static str, u64, StoredBytes),
    /// Cuts a file to a length.
    Truncate(&'static str, u64),
    /// Gives a file or directory another name.
    Rename(&'static str, &'static str),
    /// Removes a file or an empty directory.
    Remove(&'static str),
}

impl FileCall {
    /// Runs the call.
    pub(super) fn run(&self, fs: &mut dyn FileSystem) -> Result<(), FsError> {
        match self {
            Self::Create(path) => {
                let file = fs.open(path, Open::Create)?;
                finish(fs, file)
            }
            Self::CreateDir(path) => fs.create_dir(path),
            Self::Replace(path, data) => {
                let file = fs.open(path, Open::Replace)?;
                fs.write(file, 0, &data.0)?;
                finish(fs, file)
            }
            Self::Append(path, pieces) => {
                let mut at = fs.entry(path)?.bytes;
                let file = fs.open(path, Open::Write)?;
                for piece in pieces {
                    fs.write(file, at, &piece.0)?;
                    at += piece.0.len() as u64;
                }
                finish(fs, file)
            }
            Self::Overwrite(path, at, data) => {
                let file = fs.open(path, Open::Write)?;
                fs.write(file, *at, &data.0)?;
                finish(fs, file)
            }
            Self::Truncate(path, bytes) => {
                let file = fs.open(path, Open::Write)?;
                fs.truncate(file, *bytes)?;
                finish(fs, file)
            }
            Self::Rename(from, to) => fs.rename(from, to),
            Self::Remove(path) => fs.remove(path),
        }
    }

    /// What the call makes of the files.
    #[must_use]
    pub fn next(&self, tree: &FileTree) -> FileTree {
        let mut tree = tree.clone();
        let file = |path: &str| match tree.get(path) {
            Some(FileNode::File(bytes)) => bytes.0.clone(),
            _ => Vec::new(),
        };
        let (path, bytes) = match self {
            Self::Create(path) => (path, file(path)),
            Self::Replace(path, data) => (path, data.0.clone()),
            Self::Append(path, pieces) => {
                let pieces = pieces.iter().flat_map(|piece| &piece.0);
                (
                    path,
                    file(path).into_iter().chain(pieces.copied()).collect(),
                )
            }
            Self::Overwrite(path, at, data) => {
                let (mut bytes, at) = (file(path), *at as usize);
                let end = at + data.0.len();
                bytes.resize(bytes.len().max(end), 0);
                bytes[at..end].copy_from_slice(&data.0);
                (path, bytes)
            }
            Self::Truncate(path, length) => {
                let mut bytes = file(path);
                bytes.resize(*length as usize, 0);
                (path, bytes)
            }
            Self::CreateDir(path) => {
                tree.insert((*path).to_owned(), FileNode::Dir);
                return tree;
            }
            Self::Rename(from, to) => {
                // What lies in a directory moves with it.
                let moved = |path: &str| match path.strip_prefix(from) {
                    Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{to}{rest}"),
                    _ => path.to_owned(),
                };
                if from != to {
                    tree.remove(*to);
                }
                return tree
                    .into_iter()
                    .map(|(path, node)| (moved(&path), node))
                    .collect();
            }
            Self::Remove(path) => {
                tree.remove(*path);
                return tree;
            }
        };
        tree.insert((*path).to_owned(), FileNode::File(StoredBytes(bytes)));
        tree
    }

    /// The same in calls that store at most so many bytes each and change a file once each.
    pub(super) fn single_changes(self, bytes: usize) -> Vec<Self> {
        let append = |path, pieces: Vec<StoredBytes>| {
            let pieces = pieces.into_iter();
            let parts = pieces.flat_map(move |piece| piece.parts(bytes));
            parts.map(move |(_, part)| Self::Append(path, vec![part]))
        };
        match self {
            Self::Replace(path, data) => [Self::Truncate(path, 0)]
                .into_iter()
                .chain(append(path, vec![data]))
                .collect(),
            Self::Append(path, pieces) => append(path, pieces).collect(),
            Self::Overwrite(path, at, data) => data
                .parts(bytes)
                .map(|(first, part)| Self::Overwrite(path, at + first, part))
                .collect(),
            other => vec![other],
        }
    }

    /// The call with a single byte of its data.
    pub(super) fn simpler(&self) -> Vec<Self> {
        let short = |bytes: &StoredBytes| StoredBytes(bytes.0[..1].to_vec());
        match self {
            Self::Replace(path, data) if data.0.len() > 1 => vec![Self::Replace(path, short(data))],
            Self::Append(path, pieces) => {
                let piece = pieces.iter().find(|piece| piece.0.len() > 1);
                let simpler = |piece| Self::Append(path, vec![short(piece)]);
                piece.map(simpler).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Ends a file: everything that was written to it lasts from here on.
fn finish(fs: &mut dyn FileSystem, file: Handle) -> Result<(), FsError> {
    fs.sync(file)?;
    fs.close(file)
}
