//! A file system as the crash harness takes it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use wordline_crash::harness::{Medium, Outcome, Recorded, Subject};
use wordline_engines::{FileSystem, FsError, Handle, Open};

use crate::crash::workload::Call;

/// A file system, and what it stands on.
pub(crate) trait Setup {
    type Medium: Medium;
    type Fs: FileSystem;

    fn format(&self, memory: Recorded<Self::Medium>) -> Result<(), FsError>;
    fn mount(&self, memory: Recorded<Self::Medium>) -> Result<Self::Fs, FsError>;

    /// Reads an open file from its start.
    fn read(&self, fs: &mut Self::Fs, file: Handle, out: &mut [u8]) -> Result<usize, FsError> {
        fs.read(file, 0, out)
    }

    /// Whether an error of a call is right, for what has become of the memory. The memory is not used afterwards.
    fn excuses(&self, _: &FsError, _: Recorded<Self::Medium>) -> bool {
        false
    }
}

/// What is at a path: a directory, or a file with its bytes.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Dir,
    File(Vec<u8>),
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dir => f.write_str("dir"),
            Self::File(bytes) => {
                let sum = bytes.iter().fold(0u32, |sum, byte| {
                    sum.wrapping_mul(31).wrapping_add(u32::from(*byte))
                });
                write!(f, "{} B #{sum:08x}", bytes.len())
            }
        }
    }
}

pub(crate) type Tree = BTreeMap<String, Node>;

/// No file of the workloads is longer, in bytes: a damaged length must not fill the host's memory.
const FILE_MAX: u64 = 64 << 10;

/// A file system under test.
pub(crate) struct Files<S> {
    setup: S,
    /// Calls that failed without an excuse, or after which another mount finds something else.
    unexcused: RefCell<Vec<String>>,
}

/// A mounted file system, the memory that it is on, and what it ought to hold.
pub(crate) struct Mounted<S: Setup> {
    fs: S::Fs,
    memory: Recorded<S::Medium>,
    tree: Tree,
}

impl<S: Setup> Files<S> {
    pub(crate) fn new(setup: S) -> Self {
        Self {
            setup,
            unexcused: RefCell::default(),
        }
    }

    pub(crate) fn unexcused(&self) -> Vec<String> {
        self.unexcused.borrow().clone()
    }

    /// What is wrong with a call's error, if anything.
    fn accused(&self, store: &Mounted<S>, next: &Tree, error: &FsError) -> Option<String> {
        let memory = &store.memory;
        let mut tree = Tree::new();
        let found = self.setup.mount(memory.clone());
        let found = found.map_err(|error| error.to_string()).and_then(|mut fs| {
            let walked = walk(&self.setup, &mut fs, "/", &mut tree);
            walked.map_err(|error| error.to_string())
        });
        if let Err(why) = found {
            return Some(format!("it cannot be read after {error}: {why}"));
        }
        if tree != store.tree && tree != *next {
            return Some(format!("after {error} it holds {tree:?}"));
        }
        let excused = self.setup.excuses(error, memory.clone());
        (!excused).then(|| error.to_string())
    }
}

impl<S: Setup> Subject for Files<S> {
    type Medium = S::Medium;
    type Store = Mounted<S>;
    type Call = Call;
    type State = Tree;

    fn prepare(&self, memory: Recorded<S::Medium>) -> Outcome<()> {
        Ok(self.setup.format(memory)?)
    }

    fn open(&self, memory: Recorded<S::Medium>) -> Outcome<Mounted<S>> {
        Ok(Mounted {
            fs: self.setup.mount(memory.clone())?,
            memory,
            tree: Tree::new(),
        })
    }

    fn apply(&self, store: &mut Mounted<S>, call: &Call) -> Outcome<()> {
        let next = self.next(&store.tree, call);
        if let Err(error) = call.run(&mut store.fs) {
            if let Some(why) = self.accused(store, &next, &error) {
                self.unexcused.borrow_mut().push(format!("{call:?}: {why}"));
            }
            return Err(error.into());
        }
        store.tree = next;
        Ok(())
    }

    fn read(&self, store: &mut Mounted<S>) -> Outcome<Tree> {
        let mut tree = Tree::new();
        walk(&self.setup, &mut store.fs, "/", &mut tree)?;
        store.tree.clone_from(&tree);
        Ok(tree)
    }

    fn next(&self, tree: &Tree, call: &Call) -> Tree {
        let mut tree = tree.clone();
        call.model(&mut tree);
        tree
    }

    fn after(&self) -> Vec<Call> {
        vec![Call::Create("/after"), Call::Replace("/after", 40)]
    }

    fn simpler(&self, call: &Call) -> Vec<Call> {
        match call {
            Call::Replace(path, 2..) => vec![Call::Replace(path, 1)],
            Call::Append(path, 2..) => vec![Call::Append(path, 1)],
            _ => Vec::new(),
        }
    }

    fn judge(&self, found: &Tree, allowed: &[Tree]) -> Result<(), String> {
        if allowed.contains(found) {
            return Ok(());
        }
        // What every state that may be found agrees on was synced.
        let paths: BTreeSet<&String> = allowed.iter().chain([found]).flat_map(Tree::keys).collect();
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
}

fn walk<S: Setup>(setup: &S, fs: &mut S::Fs, dir: &str, tree: &mut Tree) -> Outcome<()> {
    for entry in fs.list(dir)? {
        let path = format!("{}/{}", dir.trim_end_matches('/'), entry.name);
        if path.matches('/').count() > 4 || tree.len() > 200 {
            return Err(format!("no such tree was made: {path}").into());
        }
        if entry.is_dir {
            tree.insert(path.clone(), Node::Dir);
            walk(setup, fs, &path, tree)?;
            continue;
        }
        if entry.bytes > FILE_MAX {
            return Err(format!("{path} has {} bytes", entry.bytes).into());
        }
        let mut bytes = vec![0; entry.bytes as usize];
        let file = fs.open(&path, Open::Read)?;
        let read = setup.read(fs, file, &mut bytes)?;
        bytes.truncate(read);
        fs.close(file)?;
        tree.insert(path, Node::File(bytes));
    }
    Ok(())
}
