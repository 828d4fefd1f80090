//! A plain tree of files and directories, to compare with.

use std::collections::BTreeMap;

use wordline_memory::Flash;
use wordline_nvm::NvmError;
use wordline_rtfs::{PacedError, PacedFiles, PacedOpen};

/// What a path names: a directory, or the bytes of a file.
pub(crate) type Node = Option<Vec<u8>>;

/// Files and directories by path. The directory `/` is the empty path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) nodes: BTreeMap<String, Node>,
}

/// What is done to a file system.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    MakeDirectory(String),
    Create(String),
    Write(String, u64, Vec<u8>),
    Append(String, Vec<u8>),
    Truncate(String, u64),
    DiscardFront(String, u64),
    Remove(String),
    Rename(String, String),
    Work,
}

/// How a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Done,
    NotFound,
    Exists,
    NotADirectory,
    IsADirectory,
    NotEmpty,
    IntoItself,
    NoSpace,
}

impl Ending {
    pub(crate) fn of<T, E: std::fmt::Debug>(done: &Result<T, PacedError<E>>) -> Self {
        match done {
            Ok(_) => Self::Done,
            Err(PacedError::NotFound) => Self::NotFound,
            Err(PacedError::Exists) => Self::Exists,
            Err(PacedError::NotADirectory) => Self::NotADirectory,
            Err(PacedError::IsADirectory) => Self::IsADirectory,
            Err(PacedError::NotEmpty) => Self::NotEmpty,
            Err(PacedError::IntoItself) => Self::IntoItself,
            Err(PacedError::NoSpace) => Self::NoSpace,
            Err(error) => panic!("{error:?}"),
        }
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

impl Tree {
    pub(crate) fn new() -> Self {
        Self {
            nodes: BTreeMap::from([(String::new(), None)]),
        }
    }

    /// Whether the directory of a path is there.
    fn check_parent(&self, path: &str) -> Result<(), Ending> {
        let mut above = String::new();
        let parts: Vec<_> = path.split('/').filter(|name| !name.is_empty()).collect();
        for name in &parts[..parts.len() - 1] {
            above = format!("{above}/{name}");
            match self.nodes.get(&above) {
                None => return Err(Ending::NotFound),
                Some(Some(_)) => return Err(Ending::NotADirectory),
                Some(None) => {}
            }
        }
        Ok(())
    }

    fn is_empty(&self, path: &str) -> bool {
        !self
            .nodes
            .keys()
            .any(|other| parent(other) == path && !other.is_empty())
    }

    fn file(&mut self, path: &str) -> Result<&mut Vec<u8>, Ending> {
        self.check_parent(path)?;
        match self.nodes.get_mut(path) {
            None => Err(Ending::NotFound),
            Some(None) => Err(Ending::IsADirectory),
            Some(Some(bytes)) => Ok(bytes),
        }
    }

    /// Does a call; pages are of so many bytes, and a file is of pages, or short.
    pub(crate) fn apply(&mut self, call: &Call, page: u64, is_paged: bool) -> Ending {
        self.try_apply(call, page, is_paged)
            .err()
            .unwrap_or(Ending::Done)
    }

    fn try_apply(&mut self, call: &Call, page: u64, is_paged: bool) -> Result<(), Ending> {
        match call {
            Call::MakeDirectory(path) => {
                self.check_parent(path)?;
                if self.nodes.contains_key(path) {
                    return Err(Ending::Exists);
                }
                self.nodes.insert(path.clone(), None);
            }
            Call::Create(path) => {
                self.check_parent(path)?;
                match self.nodes.get(path) {
                    Some(None) => return Err(Ending::IsADirectory),
                    Some(Some(_)) => return Err(Ending::Exists),
                    None => {}
                }
                self.nodes.insert(path.clone(), Some(Vec::new()));
            }
            Call::Write(path, at, data) => {
                let bytes = self.file(path)?;
                let end = *at as usize + data.len();
                if !data.is_empty() && bytes.len() < end {
                    bytes.resize(end, 0);
                }
                bytes[*at as usize..end].copy_from_slice(data);
            }
            Call::Append(path, data) => self.file(path)?.extend_from_slice(data),
            Call::Truncate(path, bytes) => self.file(path)?.resize(*bytes as usize, 0),
            Call::DiscardFront(path, bytes) => {
                let file = self.file(path)?;
                if is_paged {
                    let most = (file.len() as u64).div_ceil(page).saturating_sub(1);
                    let pages = (bytes / page).min(most);
                    file.drain(..(pages * page) as usize);
                }
            }
            Call::Remove(path) => {
                self.check_parent(path)?;
                match self.nodes.get(path) {
                    None => return Err(Ending::NotFound),
                    Some(None) if !self.is_empty(path) => return Err(Ending::NotEmpty),
                    Some(_) => {}
                }
                self.nodes.remove(path);
            }
            Call::Rename(from, to) => {
                self.check_parent(from)?;
                let Some(node) = self.nodes.get(from).cloned() else {
                    return Err(Ending::NotFound);
                };
                if node.is_none() && to.starts_with(&format!("{from}/")) {
                    return Err(Ending::IntoItself);
                }
                self.check_parent(to)?;
                if from == to {
                    return Ok(());
                }
                match (&node, self.nodes.get(to)) {
                    (Some(_), Some(None)) => return Err(Ending::IsADirectory),
                    (None, Some(Some(_))) => return Err(Ending::NotADirectory),
                    (None, Some(None)) if !self.is_empty(to) => return Err(Ending::NotEmpty),
                    _ => {}
                }
                let inside = format!("{from}/");
                let moved: Vec<_> = self
                    .nodes
                    .keys()
                    .filter(|path| *path == from || path.starts_with(&inside))
                    .cloned()
                    .collect();
                for path in moved {
                    if let Some(node) = self.nodes.remove(&path) {
                        self.nodes
                            .insert(format!("{to}{}", &path[from.len()..]), node);
                    }
                }
            }
            Call::Work => {}
        }
        Ok(())
    }
}

/// Does a call to files.
pub(crate) fn perform<F, M>(
    files: &mut PacedFiles<F, M>,
    call: &Call,
) -> Result<(), PacedError<NvmError>>
where
    F: Flash<Error = NvmError>,
    M: AsRef<[u8]> + AsMut<[u8]>,
{
    match call {
        Call::MakeDirectory(path) => files.make_directory(path),
        Call::Create(path) => {
            let how = PacedOpen {
                exclusive: true,
                ..PacedOpen::CREATE
            };
            files.open(path, how).map(|_| ())
        }
        Call::Write(path, at, data) => {
            let mut file = files.open(path, PacedOpen::READ)?;
            files.write(&mut file, *at, data)
        }
        Call::Append(path, data) => {
            let mut file = files.open(path, PacedOpen::READ)?;
            files.append(&mut file, data).map(|_| ())
        }
        Call::Truncate(path, bytes) => {
            let mut file = files.open(path, PacedOpen::READ)?;
            files.truncate(&mut file, *bytes)
        }
        Call::DiscardFront(path, bytes) => {
            let mut file = files.open(path, PacedOpen::READ)?;
            files.discard_front(&mut file, *bytes).map(|_| ())
        }
        Call::Remove(path) => files.remove(path),
        Call::Rename(from, to) => files.rename(from, to),
        Call::Work => files.work_ahead(true).map(|_| ()),
    }
}

/// The bytes of a file.
pub(crate) fn content<F, M>(
    files: &mut PacedFiles<F, M>,
    path: &str,
) -> Result<Vec<u8>, PacedError<NvmError>>
where
    F: Flash<Error = NvmError>,
    M: AsRef<[u8]> + AsMut<[u8]>,
{
    let mut file = files.open(path, PacedOpen::READ)?;
    let length = files.length(&mut file)?;
    let mut bytes = vec![0xEE; length as usize + 1];
    let read = files.read(&mut file, 0, &mut bytes)?;
    assert_eq!(read as u64, length, "{path}");
    bytes.truncate(read);
    Ok(bytes)
}

/// Everything that files hold.
pub(crate) fn found<F, M>(files: &mut PacedFiles<F, M>) -> Tree
where
    F: Flash<Error = NvmError>,
    M: AsRef<[u8]> + AsMut<[u8]>,
{
    let mut tree = Tree::new();
    let mut rest = vec![String::new()];
    while let Some(above) = rest.pop() {
        let mut directory = files.open_directory(&above).expect("a directory");
        let mut name = [0; 255];
        let mut before = None;
        while let Some((name, entry)) = files
            .next_entry(&mut directory, &mut name)
            .expect("an entry")
        {
            assert_ne!(before.as_deref(), Some(name), "the same entry again");
            before = Some(name.to_string());
            let path = format!("{above}/{name}");
            let node = if entry.is_directory {
                rest.push(path.clone());
                None
            } else {
                let bytes = content(files, &path).expect("a file");
                assert_eq!(bytes.len() as u64, entry.bytes, "{path}");
                Some(bytes)
            };
            assert!(tree.nodes.insert(path, node).is_none(), "an entry twice");
        }
    }
    tree
}

/// Each page that is in use is used once, and all others are free.
pub(crate) fn audit<F, M>(files: &mut PacedFiles<F, M>)
where
    F: Flash<Error = NvmError>,
    M: AsRef<[u8]> + AsMut<[u8]>,
{
    let pages = files.layer().logical_pages();
    let mut used = vec![0u32; pages as usize];
    files
        .visit_pages(&mut |page| used[page as usize] += 1)
        .expect("everything can be read");
    let twice: Vec<_> = (0..pages).filter(|page| used[*page as usize] > 1).collect();
    assert!(twice.is_empty(), "pages in use twice: {twice:?}");
    let count = used.iter().sum::<u32>();
    assert_eq!(
        count + files.room().free,
        pages,
        "pages in use and free ones"
    );
}
