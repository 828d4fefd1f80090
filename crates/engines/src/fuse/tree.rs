//! The numbers that the kernel has for files, and the paths that a file system has.

use std::collections::BTreeMap;

use crate::open_files::is_within;
use crate::{ChangeKeeper, Entry, FileSystem, FsError, FsErrorKind, Handle, Open, Space};

/// The number of the root.
pub(super) const ROOT: u64 = 1;

/// Names of files that were removed while they were open; they go when they are closed.
const REMOVED: &str = ".wordline-removed-";

/// What the kernel has met.
struct TreeNode {
    /// Where it is; `None` when it was removed.
    path: Option<String>,
    /// How often its number was handed to the kernel.
    told: u64,
    /// The handle, and how often it is open.
    open: Option<(Handle, u64)>,
    /// Whether it goes when it is closed.
    removed: bool,
    /// Whether it was changed since the last sync that succeeded.
    unsynced: bool,
}

/// A file system by numbers.
pub(super) struct Tree {
    fs: Box<dyn FileSystem + Send>,
    /// Keeps what each call of the kernel changes.
    keeper: Option<Box<dyn ChangeKeeper + Send>>,
    /// The first failure that was no program's fault: the kernel passes on a number alone.
    failure: Option<FsError>,
    nodes: BTreeMap<u64, TreeNode>,
    numbers: BTreeMap<String, u64>,
    last: u64,
    /// Open directories: what was in them when they were opened.
    lists: BTreeMap<u64, Vec<(u64, Entry)>>,
}

/// The number of what the kernel has not met, as libfuse has it (`FUSE_UNKNOWN_INO`).
const UNKNOWN: u64 = 0xFFFF_FFFF;

impl Tree {
    pub(super) fn new(
        fs: Box<dyn FileSystem + Send>,
        keeper: Option<Box<dyn ChangeKeeper + Send>>,
    ) -> Self {
        let root = TreeNode {
            path: Some("/".into()),
            told: 1,
            open: None,
            removed: false,
            unsynced: false,
        };
        Self {
            fs,
            keeper,
            failure: None,
            nodes: BTreeMap::from([(ROOT, root)]),
            numbers: BTreeMap::from([("/".into(), ROOT)]),
            last: ROOT,
            lists: BTreeMap::new(),
        }
    }

    /// Closes what is open, and unmounts the file system.
    pub(super) fn finish(&mut self) -> Result<(), FsError> {
        let open: Vec<u64> = self.nodes.keys().copied().collect();
        let mut done = Ok(());
        for number in open {
            while self
                .nodes
                .get(&number)
                .is_some_and(|node| node.open.is_some())
            {
                done = done.and(self.close(number));
            }
        }
        let done = done.and(self.fs.unmount());
        done.and(self.keep(true))
    }

    /// Remembers a failure of the memory or of the keeper.
    pub(super) fn note_failure(&mut self, error: &FsError) {
        let of_memory = matches!(error.kind, FsErrorKind::Device | FsErrorKind::Corrupt);
        let has_words = !error.detail.is_empty() && (of_memory || error.kind == FsErrorKind::Full);
        if has_words && self.failure.is_none() {
            self.failure = Some(error.clone());
        }
    }

    /// The first failure that was no program's fault.
    pub(super) const fn failure(&self) -> Option<&FsError> {
        self.failure.as_ref()
    }

    /// Whether the next call may change something.
    pub(super) fn ready(&mut self) -> Result<(), FsError> {
        self.keeper.as_mut().map_or(Ok(()), |keeper| keeper.ready())
    }

    /// Keeps what a call changed.
    pub(super) fn keep(&mut self, durable: bool) -> Result<(), FsError> {
        let keeper = self.keeper.as_mut();
        keeper.map_or(Ok(()), |keeper| keeper.keep(durable))
    }

    fn path(&self, number: u64) -> Result<&str, FsError> {
        let path = self
            .nodes
            .get(&number)
            .and_then(|node| node.path.as_deref());
        path.ok_or_else(|| FsErrorKind::NotFound.into())
    }

    fn below(&self, parent: u64, name: &str) -> Result<String, FsError> {
        Ok(match self.path(parent)? {
            "/" => format!("/{name}"),
            path => format!("{path}/{name}"),
        })
    }

    /// Returns the number of what is at a path.
    fn tell(&mut self, parent: u64, entry: &Entry) -> Result<u64, FsError> {
        // The file system may have another name for it than was asked for, in other letters.
        let path = self.below(parent, &entry.name)?;
        if let Some(number) = self.numbers.get(&path) {
            if let Some(node) = self.nodes.get_mut(number) {
                node.told += 1;
            }
            return Ok(*number);
        }
        self.last += 1;
        let node = TreeNode {
            path: Some(path.clone()),
            told: 1,
            open: None,
            removed: false,
            unsynced: false,
        };
        self.nodes.insert(self.last, node);
        self.numbers.insert(path, self.last);
        Ok(self.last)
    }

    /// What has a name in a directory, and its number.
    pub(super) fn look_up(&mut self, parent: u64, name: &str) -> Result<(u64, Entry), FsError> {
        if parent == ROOT && name.starts_with(REMOVED) {
            return Err(FsErrorKind::NotFound.into());
        }
        let path = self.below(parent, name)?;
        let entry = self.fs.entry(&path)?;
        Ok((self.tell(parent, &entry)?, entry))
    }

    /// Takes back so many hand-outs of a number.
    pub(super) fn forget(&mut self, number: u64, times: u64) {
        let Some(node) = self.nodes.get_mut(&number) else {
            return;
        };
        node.told = node.told.saturating_sub(times);
        let is_done = node.told == 0 && node.open.is_none() && number != ROOT;
        let node = is_done.then(|| self.nodes.remove(&number)).flatten();
        if let Some(path) = node.and_then(|node| node.path) {
            self.numbers.remove(&path);
        }
    }

    pub(super) fn entry(&mut self, number: u64) -> Result<Entry, FsError> {
        let path = self.path(number)?.to_owned();
        self.fs.entry(&path)
    }

    pub(super) fn space(&mut self) -> Result<Space, FsError> {
        self.fs.space()
    }

    pub(super) fn create_dir(&mut self, parent: u64, name: &str) -> Result<(u64, Entry), FsError> {
        let path = self.below(parent, name)?;
        self.fs.create_dir(&path)?;
        self.look_up(parent, name)
    }

    /// Makes a file, and opens it.
    pub(super) fn create(&mut self, parent: u64, name: &str) -> Result<(u64, Entry), FsError> {
        let path = self.below(parent, name)?;
        let is_open = |node: &TreeNode| node.open.is_some();
        let number = self.numbers.get(&path);
        if number
            .and_then(|number| self.nodes.get(number))
            .is_some_and(is_open)
        {
            let (number, entry) = self.look_up(parent, name)?;
            self.open(number)?;
            return Ok((number, entry));
        }
        let handle = self.fs.open(&path, Open::Create)?;
        match self.look_up(parent, name) {
            Ok((number, entry)) => {
                if let Some(node) = self.nodes.get_mut(&number) {
                    node.open = Some((handle, 1));
                    node.unsynced = true;
                }
                Ok((number, entry))
            }
            Err(error) => self.fs.close(handle).and(Err(error)),
        }
    }

    /// Opens a file, once more where it is open.
    pub(super) fn open(&mut self, number: u64) -> Result<(), FsError> {
        let path = self.path(number)?.to_owned();
        let node = self.nodes.get_mut(&number).ok_or(FsErrorKind::NotFound)?;
        match &mut node.open {
            Some((_, times)) => *times += 1,
            closed => *closed = Some((self.fs.open(&path, Open::Write)?, 1)),
        }
        Ok(())
    }

    /// Closes a file where it is open for the last time.
    pub(super) fn close(&mut self, number: u64) -> Result<(), FsError> {
        let node = self.nodes.get_mut(&number).ok_or(FsErrorKind::Invalid)?;
        match &mut node.open {
            None => return Err(FsErrorKind::Invalid.into()),
            Some((_, times)) if *times > 1 => {
                *times -= 1;
                return Ok(());
            }
            Some(_) => {}
        }
        let done = node
            .open
            .take()
            .map_or(Ok(()), |(handle, _)| self.fs.close(handle));
        node.unsynced = false;
        let removed = node.removed.then(|| node.path.take()).flatten();
        let gone = match removed {
            None => Ok(()),
            Some(path) => {
                self.numbers.remove(&path);
                self.fs.remove(&path)
            }
        };
        self.forget(number, 0);
        done.and(gone)
    }

    fn handle(&self, number: u64) -> Result<Handle, FsError> {
        let open = self.nodes.get(&number).and_then(|node| node.open);
        Ok(open.ok_or(FsErrorKind::Invalid)?.0)
    }

    pub(super) fn read(&mut self, number: u64, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        let handle = self.handle(number)?;
        self.fs.read(handle, at, out)
    }

    /// Writes, and fills what is left out with zeros.
    pub(super) fn write(&mut self, number: u64, at: u64, data: &[u8]) -> Result<(), FsError> {
        let handle = self.handle(number)?;
        self.set_unsynced(number, true);
        match self.fs.write(handle, at, data) {
            Err(error) if error.kind == FsErrorKind::Invalid && at > self.entry(number)?.bytes => {
                self.fs.truncate(handle, at)?;
                self.fs.write(handle, at, data)
            }
            done => done,
        }
    }

    pub(super) fn truncate(&mut self, number: u64, bytes: u64) -> Result<(), FsError> {
        self.open(number)?;
        self.set_unsynced(number, true);
        let handle = self.handle(number)?;
        let done = self.fs.truncate(handle, bytes);
        done.and(self.close(number))
    }

    pub(super) fn sync(&mut self, number: u64) -> Result<(), FsError> {
        let handle = self.handle(number)?;
        self.fs.sync(handle)?;
        self.set_unsynced(number, false);
        Ok(())
    }

    pub(super) fn sync_data(&mut self, number: u64) -> Result<(), FsError> {
        let handle = self.handle(number)?;
        self.fs.sync_data(handle)
    }

    /// Whether a file was changed since the last sync that succeeded.
    pub(super) fn is_unsynced(&self, number: u64) -> bool {
        self.nodes.get(&number).is_some_and(|node| node.unsynced)
    }

    fn set_unsynced(&mut self, number: u64, unsynced: bool) {
        if let Some(node) = self.nodes.get_mut(&number) {
            node.unsynced = unsynced;
        }
    }

    /// Says which thread makes the next calls.
    pub(super) fn called_by(&mut self, thread: u32) {
        self.fs.called_by(thread);
    }

    /// Removes what has a name. A file that is open stays, without its name, until it is closed.
    pub(super) fn remove(&mut self, parent: u64, name: &str) -> Result<(), FsError> {
        let (number, entry) = self.look_up(parent, name)?;
        self.forget(number, 1);
        let path = self.below(parent, &entry.name)?;
        if self.handle(number).is_ok() {
            self.move_to(&path, &format!("/{REMOVED}{number}"))?;
            if let Some(node) = self.nodes.get_mut(&number) {
                node.removed = true;
            }
            return Ok(());
        }
        self.fs.remove(&path)?;
        self.unname(&path);
        Ok(())
    }

    /// Forgets a path.
    fn unname(&mut self, path: &str) {
        let number = self.numbers.remove(path);
        if let Some(node) = number.and_then(|number| self.nodes.get_mut(&number)) {
            node.path = None;
        }
    }

    /// Moves something, and replaces what has its new name unless that is to stay.
    ///
    /// Where the file system replaces nothing, what has the name is removed first: a power cut between the two loses it.
    pub(super) fn rename(
        &mut self,
        (parent, name): (u64, &str),
        (new_parent, new_name): (u64, &str),
        replace: bool,
    ) -> Result<(), FsError> {
        let (source, source_entry) = self.look_up(parent, name)?;
        self.forget(source, 1);
        let from = self.below(parent, &source_entry.name)?;
        let to = self.below(new_parent, new_name)?;
        if from == to {
            return Ok(());
        }
        let target = match self.look_up(new_parent, new_name) {
            Err(error) if error.kind == FsErrorKind::NotFound => return self.move_to(&from, &to),
            target => target?,
        };
        self.forget(target.0, 1);
        if target.0 == source {
            // Another spelling of one name.
            return self.move_to(&from, &to);
        }
        match (source_entry.is_dir, target.1.is_dir) {
            _ if !replace => return Err(FsErrorKind::Exists.into()),
            (true, false) => return Err(FsErrorKind::NotDir.into()),
            (false, true) => return Err(FsErrorKind::IsDir.into()),
            _ => {}
        }
        if self.handle(target.0).is_ok() {
            self.remove(new_parent, new_name)?;
            return self.move_to(&from, &to);
        }
        match self.move_to(&from, &to) {
            Err(error) if error.kind == FsErrorKind::Exists => {
                self.remove(new_parent, new_name)?;
                self.move_to(&from, &to)
            }
            done => done,
        }
    }

    /// Moves something. What is open in it is closed for that time: file systems move nothing that is open.
    fn move_to(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        let moving: Vec<u64> = self
            .numbers
            .range(from.to_owned()..)
            .take_while(|(path, _)| path.starts_with(from))
            .filter(|(path, _)| is_within(path, from))
            .map(|(_, number)| *number)
            .collect();
        let mut moved = Ok(());
        for number in &moving {
            if let Ok(handle) = self.handle(*number) {
                moved = moved.and(self.fs.close(handle));
            }
        }
        let moved = moved.and_then(|()| self.fs.rename(from, to));
        if moved.is_ok() {
            self.unname(to);
        }
        for number in moving {
            let Some(node) = self.nodes.get_mut(&number) else {
                continue;
            };
            if let (Some(path), Ok(())) = (&mut node.path, &moved) {
                self.numbers.remove(path);
                path.replace_range(..from.len(), to);
                self.numbers.insert(path.clone(), number);
            }
            if let (Some(path), Some((_, times))) = (&node.path, node.open) {
                // What cannot be opened again fails from then on.
                let handle = self.fs.open(path, Open::Write);
                node.open = handle.ok().map(|handle| (handle, times));
            }
        }
        moved
    }

    /// Opens a directory, which keeps what is in it now.
    pub(super) fn open_dir(&mut self, number: u64) -> Result<u64, FsError> {
        let path = self.path(number)?.to_owned();
        let mut entries = self.fs.list(&path)?;
        entries.retain(|entry| number != ROOT || !entry.name.starts_with(REMOVED));
        let mut list = Vec::with_capacity(entries.len());
        for entry in entries {
            let known = self.numbers.get(&self.below(number, &entry.name)?);
            list.push((known.copied().unwrap_or(UNKNOWN), entry));
        }
        self.last += 1;
        self.lists.insert(self.last, list);
        Ok(self.last)
    }

    /// What was in an open directory.
    pub(super) fn list(&self, dir: u64) -> Result<&[(u64, Entry)], FsError> {
        let list = self.lists.get(&dir).map(Vec::as_slice);
        list.ok_or_else(|| FsErrorKind::Invalid.into())
    }

    pub(super) fn close_dir(&mut self, dir: u64) {
        self.lists.remove(&dir);
    }
}
