//! A file system in RAM that keeps nothing: what programs are recorded on, and what others are compared with.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use crate::open_files::{is_within, not_open};
use crate::{Entry, FileSystem, FsError, FsErrorKind, Handle, Open, RamUse, Space, check_path};
use wordline_trace::files::TEXT_BYTES_MAX;

/// A file system in RAM, without a memory below it. A rename replaces what has the name, as POSIX has it. Paths are as long
/// as file traces allow, [`TEXT_BYTES_MAX`].
///
/// ```
/// use wordline_engines::{FileSystem, Open, VolatileFiles};
///
/// let mut fs = VolatileFiles::new(1 << 20);
/// let file = fs.open("/log", Open::Create)?;
/// fs.write(file, 0, b"one")?;
/// assert_eq!(fs.entry("/log")?.bytes, 3);
/// # Ok::<(), wordline_engines::FsError>(())
/// ```
#[derive(Debug)]
pub struct VolatileFiles {
    /// What is at each path. The bytes of a file that is open are with its handle.
    tree: BTreeMap<Arc<str>, VolatileNode>,
    open: HashMap<Handle, OpenVolatileFile>,
    last: u32,
    capacity: u64,
    used: u64,
}

#[derive(Debug)]
enum VolatileNode {
    Dir,
    Closed(Vec<u8>),
    Open(Handle),
}

#[derive(Debug)]
struct OpenVolatileFile {
    path: Arc<str>,
    data: Vec<u8>,
    writable: bool,
}

impl VolatileFiles {
    /// An empty one, whose files take at most so many bytes together.
    #[must_use]
    pub fn new(capacity: u64) -> Self {
        Self {
            tree: BTreeMap::from([("/".into(), VolatileNode::Dir)]),
            open: HashMap::new(),
            last: 0,
            capacity,
            used: 0,
        }
    }

    fn entry_of(&self, path: &str, node: &VolatileNode) -> Entry {
        let bytes = match node {
            VolatileNode::Dir => 0,
            VolatileNode::Closed(data) => data.len() as u64,
            VolatileNode::Open(handle) => self
                .open
                .get(handle)
                .map_or(0, |file| file.data.len() as u64),
        };
        Entry {
            name: path
                .rsplit_once('/')
                .map_or(path, |(_, name)| name)
                .to_owned(),
            is_dir: matches!(node, VolatileNode::Dir),
            bytes,
        }
    }

    /// Checks that something can be made at a path.
    fn check_vacant(&self, path: &str) -> Result<(), FsError> {
        if self.tree.contains_key(path) {
            return Err(FsErrorKind::Exists.into());
        }
        let above = match path.rsplit_once('/') {
            None | Some(("", _)) => "/",
            Some((above, _)) => above,
        };
        match self.tree.get(above) {
            Some(VolatileNode::Dir) => Ok(()),
            Some(_) => Err(FsErrorKind::NotDir.into()),
            None => Err(FsErrorKind::NotFound.into()),
        }
    }

    /// What is at a path and below it, by path.
    fn within(&self, path: &str) -> Vec<Arc<str>> {
        let all = self
            .tree
            .range::<str, _>((Bound::Included(path), Bound::Unbounded));
        all.take_while(|(other, _)| other.starts_with(path))
            .filter(|(other, _)| is_within(other, path))
            .map(|(other, _)| Arc::clone(other))
            .collect()
    }

    /// The same of what can be removed or moved.
    fn movable(&self, path: &str) -> Result<Vec<Arc<str>>, FsError> {
        check(path)?;
        if path == "/" {
            return Err(FsError::new(FsErrorKind::Invalid, "it is the root"));
        }
        let all = self.within(path);
        let is_open =
            |path: &&Arc<str>| matches!(self.tree.get(*path), Some(VolatileNode::Open(_)));
        match all.iter().find(is_open) {
            Some(open) => Err(FsError::new(FsErrorKind::Busy, format_args!("`{open}`"))),
            None => Ok(all),
        }
    }

    fn drop_node(&mut self, path: &str) {
        if let Some(VolatileNode::Closed(data)) = self.tree.remove(path) {
            self.used -= data.len() as u64;
        }
    }

    /// A file that is open for writing, with room for it to have so many bytes.
    fn grown(&mut self, file: Handle, bytes: u64) -> Result<&mut Vec<u8>, FsError> {
        let open = self.open.get_mut(&file).ok_or_else(not_open)?;
        if !open.writable {
            let why = "the file is open for reading alone";
            return Err(FsError::new(FsErrorKind::Invalid, why));
        }
        let more = bytes.saturating_sub(open.data.len() as u64);
        if more > self.capacity - self.used {
            return Err(FsErrorKind::Full.into());
        }
        // What the host has no room for is no reason to end.
        let room = usize::try_from(more)
            .ok()
            .map(|more| open.data.try_reserve(more));
        if !matches!(room, Some(Ok(()))) {
            return Err(FsError::new(
                FsErrorKind::Full,
                "the host has not so much memory",
            ));
        }
        self.used += more;
        Ok(&mut open.data)
    }
}

impl FileSystem for VolatileFiles {
    fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        check(path)?;
        let path = match self.tree.get_key_value(path) {
            Some((_, VolatileNode::Dir)) => return Err(FsErrorKind::IsDir.into()),
            Some((path, VolatileNode::Open(_))) => {
                return Err(FsError::new(FsErrorKind::Busy, format_args!("`{path}`")));
            }
            Some((path, VolatileNode::Closed(_))) => Arc::clone(path),
            None if matches!(how, Open::Create | Open::Replace) => {
                self.check_vacant(path)?;
                path.into()
            }
            None => return Err(FsErrorKind::NotFound.into()),
        };
        loop {
            self.last = self.last.wrapping_add(1);
            if !self.open.contains_key(&Handle(self.last)) {
                break;
            }
        }
        let handle = Handle(self.last);
        let data = match self
            .tree
            .insert(Arc::clone(&path), VolatileNode::Open(handle))
        {
            Some(VolatileNode::Closed(data)) if how == Open::Replace => {
                self.used -= data.len() as u64;
                Vec::new()
            }
            Some(VolatileNode::Closed(data)) => data,
            _ => Vec::new(),
        };
        let writable = how != Open::Read;
        let file = OpenVolatileFile {
            path,
            data,
            writable,
        };
        self.open.insert(handle, file);
        Ok(handle)
    }

    fn read(&mut self, file: Handle, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        let data = &self.open.get(&file).ok_or_else(not_open)?.data;
        let from = data.len().min(usize::try_from(at).unwrap_or(usize::MAX));
        let count = out.len().min(data.len() - from);
        out[..count].copy_from_slice(&data[from..from + count]);
        Ok(count)
    }

    fn write(&mut self, file: Handle, at: u64, data: &[u8]) -> Result<(), FsError> {
        let length = self.open.get(&file).ok_or_else(not_open)?.data.len();
        let from = usize::try_from(at).ok().filter(|at| *at <= length);
        let Some(from) = from else {
            let why = format_args!("byte {at} of a file of {length} bytes");
            return Err(FsError::new(FsErrorKind::Invalid, why));
        };
        let stored = self.grown(file, at + data.len() as u64)?;
        let over = data.len().min(length - from);
        stored[from..from + over].copy_from_slice(&data[..over]);
        stored.extend_from_slice(&data[over..]);
        Ok(())
    }

    fn truncate(&mut self, file: Handle, bytes: u64) -> Result<(), FsError> {
        let stored = self.grown(file, bytes)?;
        let less = (stored.len() as u64).saturating_sub(bytes);
        stored.resize(bytes as usize, 0);
        self.used -= less;
        Ok(())
    }

    /// Nothing: nothing here survives.
    fn sync(&mut self, file: Handle) -> Result<(), FsError> {
        self.open.get(&file).map(drop).ok_or_else(not_open)
    }

    fn close(&mut self, file: Handle) -> Result<(), FsError> {
        let OpenVolatileFile { path, data, .. } = self.open.remove(&file).ok_or_else(not_open)?;
        self.tree.insert(path, VolatileNode::Closed(data));
        Ok(())
    }

    fn create_dir(&mut self, path: &str) -> Result<(), FsError> {
        check(path)?;
        self.check_vacant(path)?;
        self.tree.insert(path.into(), VolatileNode::Dir);
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<(), FsError> {
        match self.movable(path)?.len() {
            0 => Err(FsErrorKind::NotFound.into()),
            1 => {
                self.drop_node(path);
                Ok(())
            }
            _ => Err(FsErrorKind::NotEmpty.into()),
        }
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        let moving = self.movable(from)?;
        let replaced = self.movable(to)?;
        if moving.is_empty() {
            return Err(FsErrorKind::NotFound.into());
        }
        if from == to {
            return Ok(());
        }
        if is_within(to, from) {
            let why = "a directory cannot be moved into itself";
            return Err(FsError::new(FsErrorKind::Invalid, why));
        }
        let longest = moving.iter().map(|path| path.len()).max();
        check_length(longest.unwrap_or(0) - from.len() + to.len())?;
        let is_dir = |path: &str| matches!(self.tree.get(path), Some(VolatileNode::Dir));
        match replaced.len() {
            0 => self.check_vacant(to)?,
            _ if is_dir(from) != is_dir(to) => {
                let kind = if is_dir(to) {
                    FsErrorKind::IsDir
                } else {
                    FsErrorKind::NotDir
                };
                return Err(kind.into());
            }
            1 => self.drop_node(to),
            _ => return Err(FsErrorKind::NotEmpty.into()),
        }
        for path in moving {
            if let Some(node) = self.tree.remove(&path) {
                let path = format!("{to}{}", &path[from.len()..]);
                self.tree.insert(path.into(), node);
            }
        }
        Ok(())
    }

    fn entry(&mut self, path: &str) -> Result<Entry, FsError> {
        check(path)?;
        let node = self.tree.get(path).ok_or(FsErrorKind::NotFound)?;
        Ok(self.entry_of(path, node))
    }

    fn list(&mut self, path: &str) -> Result<Vec<Entry>, FsError> {
        if !self.entry(path)?.is_dir {
            return Err(FsErrorKind::NotDir.into());
        }
        let prefix = if path == "/" {
            "/"
        } else {
            &format!("{path}/")
        };
        let below = self
            .tree
            .range::<str, _>((Bound::Included(prefix), Bound::Unbounded));
        let below = below.take_while(|(other, _)| other.starts_with(prefix));
        let own = below.filter(|(other, _)| {
            let name = &other[prefix.len()..];
            !name.is_empty() && !name.contains('/')
        });
        Ok(own.map(|(path, node)| self.entry_of(path, node)).collect())
    }

    fn space(&mut self) -> Result<Space, FsError> {
        Ok(Space {
            total: self.capacity,
            free: self.capacity - self.used,
        })
    }

    fn ram(&self) -> RamUse {
        RamUse {
            buffers: self.used,
            structures: 0,
        }
    }

    /// Closes what is open; nothing else is left to do.
    fn unmount(&mut self) -> Result<(), FsError> {
        let open: Vec<Handle> = self.open.keys().copied().collect();
        open.into_iter().try_for_each(|file| self.close(file))
    }
}

/// Checks a path and its length.
fn check(path: &str) -> Result<(), FsError> {
    check_path(path)?;
    check_length(path.len())
}

fn check_length(bytes: usize) -> Result<(), FsError> {
    match bytes <= TEXT_BYTES_MAX {
        true => Ok(()),
        false => {
            let why = format_args!("{bytes} bytes; allowed: {TEXT_BYTES_MAX}");
            Err(FsError::new(FsErrorKind::PathLength, why))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind<T>(result: Result<T, FsError>) -> Option<FsErrorKind> {
        result.err().map(|error| error.kind)
    }

    #[test]
    fn files_hold_what_was_written_and_room_is_counted() {
        let mut fs = VolatileFiles::new(100);
        let file = fs.open("/a", Open::Create).expect("room");
        fs.write(file, 0, b"hello").expect("room");
        fs.write(file, 3, b"p me").expect("room");
        assert_eq!(kind(fs.write(file, 8, b"x")), Some(FsErrorKind::Invalid));
        let mut out = [0; 9];
        assert_eq!(fs.read(file, 1, &mut out).expect("open"), 6);
        assert_eq!(&out[..6], b"elp me");
        assert_eq!(kind(fs.truncate(file, 101)), Some(FsErrorKind::Full));
        fs.truncate(file, 90).expect("room");
        assert_eq!(fs.space().expect("space").free, 10);
        fs.truncate(file, 2).expect("shorter");
        assert_eq!(kind(fs.open("/a", Open::Read)), Some(FsErrorKind::Busy));
        fs.close(file).expect("open");
        let file = fs.open("/a", Open::Read).expect("there");
        assert_eq!(kind(fs.write(file, 0, b"x")), Some(FsErrorKind::Invalid));
        fs.close(file).expect("open");
        fs.remove("/a").expect("there");
        assert_eq!(fs.space().expect("space").free, 100);
    }

    #[test]
    fn names_move_and_replace_as_posix_has_it() {
        let mut fs = VolatileFiles::new(100);
        for dir in ["/d", "/e", "/d-x"] {
            fs.create_dir(dir).expect("room");
        }
        for path in ["/d/f", "/g"] {
            let file = fs.open(path, Open::Replace).expect("room");
            fs.write(file, 0, path.as_bytes()).expect("room");
            fs.close(file).expect("open");
        }
        assert_eq!(kind(fs.remove("/d")), Some(FsErrorKind::NotEmpty));
        assert_eq!(kind(fs.rename("/d", "/d/x")), Some(FsErrorKind::Invalid));
        assert_eq!(kind(fs.rename("/g", "/e")), Some(FsErrorKind::IsDir));
        assert_eq!(kind(fs.rename("/e", "/d")), Some(FsErrorKind::NotEmpty));
        fs.rename("/d", "/e")
            .expect("an empty directory is replaced");
        fs.rename("/g", "/e/f").expect("a file is replaced");
        let names = |entries: Vec<Entry>| -> Vec<_> {
            entries
                .into_iter()
                .map(|entry| (entry.name, entry.bytes))
                .collect()
        };
        assert_eq!(names(fs.list("/e").expect("there")), [("f".to_owned(), 2)]);
        let root: Vec<_> = names(fs.list("/").expect("there"));
        assert_eq!(root, [("d-x".to_owned(), 0), ("e".to_owned(), 0)]);
        assert_eq!(fs.space().expect("space").free, 98);
    }

    #[test]
    fn no_path_becomes_longer_than_a_trace_can_have_it() {
        let mut fs = VolatileFiles::new(100);
        let mut path = String::new();
        while path.len() + 2 <= TEXT_BYTES_MAX {
            path.push_str("/d");
            fs.create_dir(&path).expect("it is short");
        }
        let below = format!("{path}/d");
        assert_eq!(kind(fs.create_dir(&below)), Some(FsErrorKind::PathLength));
        assert_eq!(
            kind(fs.open(&below, Open::Create)),
            Some(FsErrorKind::PathLength)
        );
        assert_eq!(kind(fs.entry(&below)), Some(FsErrorKind::PathLength));
        // What is below grows with it.
        assert_eq!(kind(fs.rename("/d", "/dd")), Some(FsErrorKind::PathLength));
        assert!(fs.entry(&path).expect("it stayed").is_dir);
        fs.rename("/d", "/e").expect("as long as before");
    }

    #[test]
    fn a_file_that_the_host_has_no_memory_for_is_too_large() {
        let mut fs = VolatileFiles::new(u64::MAX);
        let file = fs.open("/a", Open::Create).expect("room");
        assert_eq!(kind(fs.truncate(file, 1 << 62)), Some(FsErrorKind::Full));
        fs.truncate(file, 10).expect("room");
        assert_eq!(fs.space().expect("space").free, u64::MAX - 10);
    }
}
