//! A file system as the crash harness takes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use wordline_engines::{FileSystem, FsError, Open};
use wordline_nvm::crash::harness::{Medium, Outcome, Recorded, Subject};

use crate::workload::Call;

/// A file system, and what it stands on.
pub(crate) trait Setup {
    type Medium: Medium;
    type Fs: FileSystem;

    fn format(&self, memory: Recorded<Self::Medium>) -> Result<(), FsError>;
    fn mount(&self, memory: Recorded<Self::Medium>) -> Result<Self::Fs, FsError>;
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
pub(crate) struct Files<S>(pub(crate) S);

impl<S: Setup> Subject for Files<S> {
    type Medium = S::Medium;
    type Store = S::Fs;
    type Call = Call;
    type State = Tree;

    fn prepare(&self, memory: Recorded<S::Medium>) -> Outcome<()> {
        Ok(self.0.format(memory)?)
    }

    fn open(&self, memory: Recorded<S::Medium>) -> Outcome<S::Fs> {
        Ok(self.0.mount(memory)?)
    }

    fn apply(&self, fs: &mut S::Fs, call: &Call) -> Outcome<()> {
        Ok(call.run(fs)?)
    }

    fn read(&self, fs: &mut S::Fs) -> Outcome<Tree> {
        let mut tree = Tree::new();
        walk(fs, "/", &mut tree)?;
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

fn walk<F: FileSystem>(fs: &mut F, dir: &str, tree: &mut Tree) -> Outcome<()> {
    for entry in fs.list(dir)? {
        let path = format!("{}/{}", dir.trim_end_matches('/'), entry.name);
        if path.matches('/').count() > 4 || tree.len() > 200 {
            return Err(format!("no such tree was made: {path}").into());
        }
        if entry.is_dir {
            tree.insert(path.clone(), Node::Dir);
            walk(fs, &path, tree)?;
            continue;
        }
        if entry.bytes > FILE_MAX {
            return Err(format!("{path} has {} bytes", entry.bytes).into());
        }
        let mut bytes = vec![0; entry.bytes as usize];
        let file = fs.open(&path, Open::Read)?;
        let read = fs.read(file, 0, &mut bytes)?;
        bytes.truncate(read);
        fs.close(file)?;
        tree.insert(path, Node::File(bytes));
    }
    Ok(())
}
