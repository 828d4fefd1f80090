//! A file system as software under test.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use wordline_crash::harness::{Medium, Outcome, Recorded, Subject};
use wordline_crash::{ByteTearing, FlashTearing};
use wordline_memory::{ByteMemory as _, Flash as _};

use super::{FileCall, FileNode, FileTree, StoredBytes};
use crate::{Contract, FileSystem, FileSystemEngine, FsError, FsErrorKind, FsOptions, Open};

/// No file of a workload is longer, in bytes: a damaged length must not fill the host's memory.
const FILE_MAX: u64 = 64 << 10;

/// Entries of a workload, and the directories that one of them may lie in, at most.
const ENTRIES_MAX: usize = 200;
const DEPTH_MAX: usize = 4;

/// A class of memories that file systems are cut on.
pub trait CutMemory: Medium {
    /// Bytes that a power cut leaves whole where they are overwritten in place; 1 where nothing can be.
    fn atom(memory: &Recorded<Self>) -> usize;

    /// Whether one of the first blocks takes no erase any more. The memory is not used afterwards.
    fn lacks_start(memory: Recorded<Self>, blocks: u32) -> bool;
}

impl CutMemory for FlashTearing {
    fn atom(_: &Recorded<Self>) -> usize {
        1
    }

    fn lacks_start(mut memory: Recorded<Self>, blocks: u32) -> bool {
        (0..blocks).any(|block| memory.erase(block).is_err())
    }
}

impl CutMemory for ByteTearing {
    fn atom(memory: &Recorded<Self>) -> usize {
        memory.atom()
    }

    fn lacks_start(_: Recorded<Self>, _: u32) -> bool {
        false
    }
}

/// The contract that a file system gets of a memory, which is to be formatted where the flag says so.
pub type ContractOf<'a, M> = Box<dyn Fn(Recorded<M>, bool) -> Result<Contract, FsError> + 'a>;

/// What is done with an empty file system before the workload.
pub type VolumePreparation<'a, M> =
    Box<dyn Fn(&mut dyn FileSystem, &Recorded<M>) -> Outcome<()> + 'a>;

/// A file system as software under test.
pub struct FileSubject<'a, M: CutMemory> {
    /// The file system.
    pub engine: &'a dyn FileSystemEngine,
    /// How it is set up.
    pub options: FsOptions,
    /// What it gets of a memory.
    pub contract: ContractOf<'a, M>,
    /// Prepares an empty file system for the workload.
    pub prepare: VolumePreparation<'a, M>,
    /// Whether the memory comes formatted and prepared.
    pub is_ready: Cell<bool>,
    /// The memory's [`atom`](CutMemory::atom).
    pub atom: Cell<usize>,
    /// Bytes of a file that are looked at; all of one without such a limit.
    pub head_bytes: fn(path: &str) -> Option<u64>,
    /// [`Subject::after`].
    pub after: Vec<FileCall>,
    /// [`Subject::stopped`].
    pub stopped: &'a dyn Fn() -> bool,
    /// Calls that were refused because a [block](crate::Promise::fixed_blocks) that cannot be replaced went bad.
    pub refusals: Cell<u64>,
    /// Calls that failed for another reason, or after which another mount finds something else.
    pub unexcused: RefCell<Vec<String>>,
}

/// An open file system, another handle of its memory, and what it ought to hold.
pub struct OpenedVolume<M: Medium> {
    fs: Box<dyn FileSystem + Send>,
    memory: Recorded<M>,
    tree: FileTree,
}

impl dyn FileSystemEngine {
    /// The subject of the crash harness: `contract` makes of a memory what the file system needs, to be formatted or
    /// opened.
    pub fn subject<'a, M: CutMemory>(
        &'a self,
        options: FsOptions,
        contract: impl Fn(Recorded<M>, bool) -> Result<Contract, FsError> + 'a,
    ) -> FileSubject<'a, M> {
        FileSubject {
            engine: self,
            options,
            contract: Box::new(contract),
            prepare: Box::new(|_, _| Ok(())),
            is_ready: Cell::new(false),
            atom: Cell::new(1),
            head_bytes: |_| None,
            after: Vec::new(),
            stopped: &|| false,
            refusals: Cell::new(0),
            unexcused: RefCell::default(),
        }
    }

    /// Calls of which each is done or not after a power cut, on a memory with pages of some bytes. Where the file system
    /// lets each write last when it returns, a call of several writes is as many calls.
    #[must_use]
    pub fn single_changes(&self, calls: Vec<FileCall>, page_bytes: u32) -> Vec<FileCall> {
        match self.promise().lasting_pages {
            None if self.promise().overwrites_in_place => calls
                .into_iter()
                .flat_map(|call| call.single_changes(usize::MAX))
                .collect(),
            None => calls,
            Some(pages) => {
                // Wherever they begin in a page.
                let bytes = pages.saturating_sub(1).max(1) * page_bytes;
                let calls = calls.into_iter();
                calls
                    .flat_map(|call| call.single_changes(bytes as usize))
                    .collect()
            }
        }
    }
}

impl<M: CutMemory> FileSubject<'_, M> {
    fn mount(&self, memory: Recorded<M>) -> Result<Box<dyn FileSystem + Send>, FsError> {
        self.atom.set(M::atom(&memory));
        let contract = (self.contract)(memory, false)?;
        self.engine.open(contract, &self.options)
    }

    fn walk(&self, fs: &mut dyn FileSystem, dir: &str, tree: &mut FileTree) -> Outcome<()> {
        for entry in fs.list(dir)? {
            let path = format!("{}/{}", dir.trim_end_matches('/'), entry.name);
            if path.matches('/').count() > DEPTH_MAX || tree.len() > ENTRIES_MAX {
                return Err(format!("no such tree was made: {path}").into());
            }
            if entry.is_dir {
                tree.insert(path.clone(), FileNode::Dir);
                self.walk(fs, &path, tree)?;
                continue;
            }
            let most = (self.head_bytes)(&path);
            if most.is_none() && entry.bytes > FILE_MAX {
                return Err(format!("{path} has {} bytes", entry.bytes).into());
            }
            let mut bytes = vec![0; most.unwrap_or(entry.bytes) as usize];
            let file = fs.open(&path, Open::Read)?;
            let read = fs.read(file, 0, &mut bytes)?;
            bytes.truncate(read);
            fs.close(file)?;
            tree.insert(path, FileNode::File(StoredBytes(bytes)));
        }
        Ok(())
    }

    /// Counts a call that failed, by whether it has an excuse.
    fn note_failed(&self, store: &OpenedVolume<M>, call: &FileCall, error: &FsError) {
        let mut tree = FileTree::new();
        let found = self.mount(store.memory.clone());
        let found = found.map_err(Into::into);
        let found = found.and_then(|mut fs| self.walk(&mut *fs, "/", &mut tree));
        let fixed = self.engine.promise().fixed_blocks;
        let refused =
            error.kind == FsErrorKind::Full && M::lacks_start(store.memory.clone(), fixed);
        self.refusals.update(|count| count + u64::from(refused));
        let why = match found {
            Err(why) => format!("it cannot be read after {error}: {why}"),
            Ok(()) if tree != store.tree && tree != call.next(&store.tree) => {
                format!("after {error} it holds {tree:?}")
            }
            Ok(()) if refused => return,
            Ok(()) => error.to_string(),
        };
        self.unexcused.borrow_mut().push(format!("{call:?}: {why}"));
    }
}

impl<M: CutMemory> Subject for FileSubject<'_, M> {
    type Medium = M;
    type Store = OpenedVolume<M>;
    type Call = FileCall;
    type State = FileTree;

    fn prepare(&self, memory: Recorded<M>) -> Outcome<()> {
        if self.is_ready.get() {
            return Ok(());
        }
        let contract = (self.contract)(memory.clone(), true)?;
        self.engine.format(contract, &self.options)?;
        let mut opened = self.open(memory)?;
        (self.prepare)(&mut *opened.fs, &opened.memory)
    }

    fn stopped(&self) -> bool {
        (self.stopped)()
    }

    fn open(&self, memory: Recorded<M>) -> Outcome<OpenedVolume<M>> {
        Ok(OpenedVolume {
            fs: self.mount(memory.clone())?,
            memory,
            tree: FileTree::new(),
        })
    }

    fn apply(&self, store: &mut OpenedVolume<M>, call: &FileCall) -> Outcome<()> {
        if let Err(error) = call.run(&mut *store.fs) {
            self.note_failed(store, call, &error);
            return Err(error.into());
        }
        store.tree = call.next(&store.tree);
        Ok(())
    }

    fn read(&self, store: &mut OpenedVolume<M>) -> Outcome<FileTree> {
        let mut tree = FileTree::new();
        self.walk(&mut *store.fs, "/", &mut tree)?;
        store.tree.clone_from(&tree);
        Ok(tree)
    }

    fn next(&self, tree: &FileTree, call: &FileCall) -> FileTree {
        call.next(tree)
    }

    fn after(&self) -> Vec<FileCall> {
        self.after.clone()
    }

    fn simpler(&self, call: &FileCall) -> Vec<FileCall> {
        call.simpler()
    }

    fn judge(&self, found: &FileTree, allowed: &[FileTree]) -> Result<(), String> {
        let in_place = self.engine.promise().overwrites_in_place;
        judge_files(found, allowed, in_place.then(|| self.atom.get()))
    }
}

/// The oracle of file systems: the files as they are in one of the states. Where writes change files in place, each atom of
/// so many bytes is that of one of two states that follow each other, if both have the same files of the same lengths. For
/// use as [`Subject::judge`].
///
/// # Errors
/// What is wrong, in words that are the same for failures of the same kind.
pub fn judge_files(
    found: &FileTree,
    allowed: &[FileTree],
    in_place: Option<usize>,
) -> Result<(), String> {
    if allowed.contains(found) {
        return Ok(());
    }
    let is_torn = |atom| {
        let mut pairs = allowed.windows(2);
        pairs.any(|pair| is_between(found, [&pair[0], &pair[1]], atom))
    };
    if in_place.is_some_and(is_torn) {
        return Ok(());
    }
    // What every state that may be found agrees on was synced.
    let trees = allowed.iter().chain([found]);
    let paths: BTreeSet<&String> = trees.flat_map(FileTree::keys).collect();
    let agreed = |path: &&String| {
        let mut states = allowed.iter().map(|tree| tree.get(*path));
        let first = states.next();
        states.all(|state| Some(state) == first)
    };
    let synced =
        |path: &&String| allowed.first().and_then(|tree| tree.get(*path)) == found.get(*path);
    Err(if paths.iter().filter(|path| agreed(path)).all(synced) {
        "what a call was changing is neither old nor new"
    } else {
        "what was synced is lost or changed"
    }
    .to_owned())
}

/// Whether files have each atom from one of two states, which differ in nothing but bytes within their lengths.
fn is_between(found: &FileTree, states: [&FileTree; 2], atom: usize) -> bool {
    let fits = |(path, node): (&String, &FileNode)| match (node, states.map(|tree| tree.get(path)))
    {
        (FileNode::Dir, nodes) => nodes == [Some(&FileNode::Dir); 2],
        (FileNode::File(found), [Some(FileNode::File(old)), Some(FileNode::File(new))]) => {
            let (found, old, new) = (&found.0, &old.0, &new.0);
            let atoms = old.chunks(atom).zip(new.chunks(atom));
            let mut atoms = found.chunks(atom).zip(atoms);
            found.len() == old.len()
                && found.len() == new.len()
                && atoms.all(|(found, (old, new))| found == old || found == new)
        }
        _ => false,
    };
    states.iter().all(|state| state.len() == found.len()) && found.iter().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(nodes: &[(&str, &[u8])]) -> FileTree {
        let node = |(path, bytes): &(&str, &[u8])| {
            let file = FileNode::File(StoredBytes(bytes.to_vec()));
            ((*path).to_owned(), file)
        };
        nodes.iter().map(node).collect()
    }

    #[test]
    fn a_torn_overwrite_is_judged_by_atoms_and_everything_else_as_a_whole() {
        let old = files(&[("/a", b"aaaabbbb"), ("/b", b"1234")]);
        let new = files(&[("/a", b"AAAABBBB"), ("/b", b"1234")]);
        let allowed = [old, new];
        let torn = files(&[("/a", b"AAaaBBBB"), ("/b", b"1234")]);
        let judge = |found: &FileTree, atom| judge_files(found, &allowed, atom).is_ok();
        assert!(judge(&torn, Some(2)) && judge(&torn, Some(1)));
        assert!(!judge(&torn, Some(4)), "an atom is torn");
        assert!(!judge(&torn, None), "nothing may be torn");
        for wrong in [
            files(&[("/a", b"AAaaBBBB"), ("/b", b"1235")]),
            files(&[("/a", b"AAaaBBB"), ("/b", b"1234")]),
            files(&[("/a", b"AAaaBBBB")]),
            files(&[("/a", b"AAaaBBBB"), ("/b", b"1234"), ("/c", b"")]),
        ] {
            assert!(!judge(&wrong, Some(2)), "{wrong:?}");
        }
        // Bytes behind the old length are there with the new one or not at all.
        let grown = [files(&[("/a", b"aa")]), files(&[("/a", b"aabb")])];
        let found = files(&[("/a", b"aab\0")]);
        assert!(judge_files(&found, &grown, Some(1)).is_err());
    }
}
