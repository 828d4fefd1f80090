//! What the calls so far left, and whether the next one fits.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::call::{ExistingEntry, FileAction, FileOpening};
use super::{CALL_BYTES_MAX, FILE_BYTES_MAX, TEXT_BYTES_MAX, is_path};

/// Files and directories as the calls so far left them.
#[derive(Debug)]
pub(super) struct FileTraceState {
    tree: BTreeMap<Arc<str>, StateNode>,
    open: HashMap<u32, OpenState>,
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StateNode {
    Dir,
    /// A file; the length of one that is open stands with its number.
    File {
        bytes: u64,
        open: bool,
    },
}

/// A file that is open.
#[derive(Debug)]
struct OpenState {
    path: Arc<str>,
    bytes: u64,
    writable: bool,
}

impl FileTraceState {
    pub(super) fn new() -> Self {
        Self {
            tree: BTreeMap::from([("/".into(), StateNode::Dir)]),
            open: HashMap::new(),
        }
    }

    /// Adds what was there before the first call.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn add(&mut self, entry: &ExistingEntry) -> Result<(), String> {
        self.vacant(&entry.path)?;
        let node = match entry.bytes {
            None => StateNode::Dir,
            Some(bytes) => {
                in_range("length", bytes, FILE_BYTES_MAX)?;
                StateNode::File { bytes, open: false }
            }
        };
        self.tree.insert(Arc::clone(&entry.path), node);
        Ok(())
    }

    /// Makes a call.
    ///
    /// # Errors
    /// Why it could not have been made.
    pub(super) fn call(&mut self, action: &FileAction) -> Result<(), String> {
        match action {
            FileAction::Open { file, how, path } => self.open(*file, *how, path),
            FileAction::Close { file } => {
                let OpenState { path, bytes, .. } =
                    self.open.remove(file).ok_or_else(|| not_open(*file))?;
                let node = StateNode::File { bytes, open: false };
                self.tree.insert(path, node);
                Ok(())
            }
            FileAction::Read {
                file,
                at,
                bytes,
                found,
            } => {
                in_range("bytes", *bytes, CALL_BYTES_MAX)?;
                let open = self.file(*file)?;
                let there = open.bytes.saturating_sub(*at).min(*bytes);
                match found.cmp(&there) {
                    std::cmp::Ordering::Equal => Ok(()),
                    std::cmp::Ordering::Greater => Err(format!(
                        "it reads what nothing wrote: {} has {} bytes here, of which {there} from byte {at} on",
                        open.path, open.bytes
                    )),
                    std::cmp::Ordering::Less => Err(format!(
                        "it reads {found} bytes where {} has {there}",
                        open.path
                    )),
                }
            }
            FileAction::Write {
                file, at, bytes, ..
            } => {
                in_range("bytes", *bytes, CALL_BYTES_MAX)?;
                let open = self.writable(*file)?;
                if *at > open.bytes {
                    return Err(format!(
                        "it writes from byte {at} on, and {} has {} bytes: truncate extends a file",
                        open.path, open.bytes
                    ));
                }
                open.bytes = open.bytes.max(at + bytes);
                in_range("length", open.bytes, FILE_BYTES_MAX)
            }
            FileAction::Truncate { file, bytes } => {
                in_range("length", *bytes, FILE_BYTES_MAX)?;
                self.writable(*file)?.bytes = *bytes;
                Ok(())
            }
            FileAction::Sync { file, .. } => self.file(*file).map(drop),
            FileAction::Rename { from, to } => self.rename(from, to),
            FileAction::Remove { path } => self.remove(path),
            FileAction::CreateDir { path } => {
                self.vacant(path)?;
                self.tree.insert(Arc::clone(path), StateNode::Dir);
                Ok(())
            }
            FileAction::Entry { path, found } => {
                good_path(path)?;
                match (self.tree.contains_key(path), found) {
                    (true, false) => Err(format!("it finds nothing at {path}, which is there")),
                    (false, true) => Err(absent(path)),
                    _ => Ok(()),
                }
            }
            FileAction::Mark { operation } => match operation.len() {
                1..=TEXT_BYTES_MAX => Ok(()),
                bytes => Err(format!(
                    "an operation of {bytes} bytes; allowed: 1 to {TEXT_BYTES_MAX}"
                )),
            },
            FileAction::List { path } | FileAction::SyncDir { path } => {
                good_path(path)?;
                match self.tree.get(path) {
                    Some(StateNode::Dir) => Ok(()),
                    Some(StateNode::File { .. }) => Err(format!("{path} is no directory")),
                    None => Err(absent(path)),
                }
            }
        }
    }

    /// The path of an open file.
    pub(super) fn path(&self, file: u32) -> Option<&Arc<str>> {
        Some(&self.open.get(&file)?.path)
    }

    fn file(&mut self, file: u32) -> Result<&mut OpenState, String> {
        self.open.get_mut(&file).ok_or_else(|| not_open(file))
    }

    fn writable(&mut self, file: u32) -> Result<&mut OpenState, String> {
        let open = self.file(file)?;
        match open.writable {
            true => Ok(open),
            false => Err(format!("{} is open for reading alone", open.path)),
        }
    }

    fn open(&mut self, file: u32, how: FileOpening, path: &Arc<str>) -> Result<(), String> {
        good_path(path)?;
        if let Some(other) = self.path(file) {
            return Err(format!("file {file} is open already, at {other}"));
        }
        let creates = matches!(how, FileOpening::Create | FileOpening::Replace);
        let bytes = match self.tree.get(path) {
            None if creates => {
                self.vacant(path)?;
                0
            }
            None => return Err(absent(path)),
            Some(StateNode::Dir) => return Err(format!("{path} is a directory")),
            Some(StateNode::File { open: true, .. }) => {
                return Err(format!(
                    "{path} is open already: a file is open once at a time"
                ));
            }
            Some(StateNode::File { .. }) if how == FileOpening::Replace => 0,
            Some(StateNode::File { bytes, .. }) => *bytes,
        };
        let node = StateNode::File { bytes, open: true };
        self.tree.insert(Arc::clone(path), node);
        let open = OpenState {
            path: Arc::clone(path),
            bytes,
            writable: how != FileOpening::Read,
        };
        self.open.insert(file, open);
        Ok(())
    }

    /// Checks that something can be made at a path.
    fn vacant(&self, path: &str) -> Result<(), String> {
        good_path(path)?;
        if self.tree.contains_key(path) {
            return Err(format!("{path} is there already"));
        }
        let above = match path.rsplit_once('/') {
            None | Some(("", _)) => "/",
            Some((above, _)) => above,
        };
        match self.tree.get(above) {
            Some(StateNode::Dir) => Ok(()),
            Some(StateNode::File { .. }) => Err(format!("{above} is no directory")),
            None => Err(absent(above)),
        }
    }

    /// What is at a path and below it.
    fn within(&self, path: &str) -> Vec<(Arc<str>, StateNode)> {
        let is_within = |other: &str| {
            let rest = other.strip_prefix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let from: Arc<str> = path.into();
        let all = self.tree.range(from..);
        all.take_while(|(other, _)| other.starts_with(path))
            .filter(|(other, _)| is_within(other))
            .map(|(other, node)| (Arc::clone(other), *node))
            .collect()
    }

    /// What is at a path and below it, none of which is open; the root stays.
    fn movable(&self, path: &str) -> Result<Vec<(Arc<str>, StateNode)>, String> {
        good_path(path)?;
        if path == "/" {
            return Err("the root can be neither removed nor moved".to_owned());
        }
        let all = self.within(path);
        let is_open = |node: &StateNode| matches!(node, StateNode::File { open: true, .. });
        match all.iter().find(|(_, node)| is_open(node)) {
            Some((open, _)) => Err(format!("{open} is open")),
            None => Ok(all),
        }
    }

    fn remove(&mut self, path: &str) -> Result<(), String> {
        match self.movable(path)?.as_slice() {
            [] => Err(absent(path)),
            [_] => {
                self.tree.remove(path);
                Ok(())
            }
            _ => Err(format!("{path} is not empty")),
        }
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), String> {
        let moving = self.movable(from)?;
        let Some((_, source)) = moving.first() else {
            return Err(absent(from));
        };
        if from == to {
            return Ok(());
        }
        if to
            .strip_prefix(from)
            .is_some_and(|rest| rest.starts_with('/'))
        {
            return Err("a directory cannot be moved into itself".to_owned());
        }
        let replaced = self.movable(to)?;
        match (replaced.as_slice(), source) {
            ([], _) => self.vacant(to)?,
            ([(_, StateNode::Dir)], StateNode::Dir)
            | ([(_, StateNode::File { .. })], StateNode::File { .. }) => {}
            ([_], _) => return Err(format!("{to} is of another kind")),
            _ => return Err(format!("{to} is not empty")),
        }
        for (path, node) in moving {
            self.tree.remove(&path);
            let path = format!("{to}{}", &path[from.len()..]);
            in_range("bytes of a path", path.len() as u64, TEXT_BYTES_MAX as u64)?;
            self.tree.insert(path.into(), node);
        }
        Ok(())
    }
}

fn good_path(path: &str) -> Result<(), String> {
    match is_path(path) {
        true => Ok(()),
        false => Err(format!(
            "the path {path:?}; allowed: absolute paths without empty parts, \".\" and \"..\""
        )),
    }
}

fn not_open(file: u32) -> String {
    format!("file {file} is not open")
}

fn absent(path: &str) -> String {
    format!("{path} is not there: neither the trace's list of what existed nor a call made it")
}

fn in_range(what: &str, found: u64, most: u64) -> Result<(), String> {
    match found <= most {
        true => Ok(()),
        false => Err(format!("{what} {found}; allowed: 0 to {most}")),
    }
}
