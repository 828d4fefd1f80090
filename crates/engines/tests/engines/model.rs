//! Random calls agree with a plain map.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use wordline_engines::{FsError, FsErrorKind, Handle, Open};

use crate::engines::cases::{Case, Mounted, all};
use crate::engines::memories::with_room;

const PATHS: [&str; 7] = [
    "/a",
    "/bee.txt",
    "/d",
    "/d/x",
    "/d/a name that needs several entries.log",
    "/e",
    "/e/ä",
];

/// A call, whose paths are numbers in [`PATHS`].
#[derive(Clone, Debug)]
enum Call {
    Open(usize, Open),
    Write(usize, u8, Vec<u8>),
    Truncate(usize, u16),
    Sync(usize),
    Close(usize),
    CreateDir(usize),
    Remove(usize),
    Rename(usize, usize),
    Unmount,
    /// Syncs what is open, and cuts the power.
    Cut,
}

fn call() -> impl Strategy<Value = Call> {
    let path = 0..PATHS.len();
    let how = prop_oneof![
        1 => Just(Open::Read),
        1 => Just(Open::Write),
        4 => Just(Open::Create),
        1 => Just(Open::Replace)
    ];
    let data = (any::<u8>(), 0..3000_usize)
        .prop_map(|(first, bytes)| (0..bytes).map(|i| first.wrapping_add(i as u8)).collect());
    prop_oneof![
        6 => (path.clone(), how).prop_map(|(path, how)| Call::Open(path, how)),
        8 => (path.clone(), any::<u8>(), data).prop_map(|(path, at, data)| Call::Write(path, at, data)),
        2 => (path.clone(), 0..4000_u16).prop_map(|(path, bytes)| Call::Truncate(path, bytes)),
        2 => path.clone().prop_map(Call::Sync),
        4 => path.clone().prop_map(Call::Close),
        3 => path.clone().prop_map(Call::CreateDir),
        2 => path.clone().prop_map(Call::Remove),
        3 => (path.clone(), path).prop_map(|(from, to)| Call::Rename(from, to)),
        1 => Just(Call::Unmount),
        1 => Just(Call::Cut),
    ]
}

/// What is at a path: a directory, or a file with its bytes.
type Node = Option<Vec<u8>>;

/// The plain map.
#[derive(Default)]
struct Model {
    nodes: BTreeMap<String, Node>,
    open: BTreeMap<usize, (Handle, bool)>,
    replaces: bool,
}

impl Model {
    fn check_above(&self, path: &str) -> Result<(), FsErrorKind> {
        let above = path.rsplit_once('/').map_or("", |(above, _)| above);
        match self.nodes.get(above) {
            _ if above.is_empty() => Ok(()),
            None => Err(FsErrorKind::NotFound),
            Some(Some(_)) => Err(FsErrorKind::NotDir),
            Some(None) => Ok(()),
        }
    }

    fn is_busy(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let mut open = self.open.keys().map(|path| PATHS[*path]);
        open.any(|open| open == path || open.starts_with(&below))
    }

    fn is_empty(&self, dir: &str) -> bool {
        let below = format!("{dir}/");
        !self.nodes.keys().any(|path| path.starts_with(&below))
    }

    fn open(&self, path: usize, how: Open) -> Result<(), FsErrorKind> {
        self.check_above(PATHS[path])?;
        match (self.nodes.get(PATHS[path]), how) {
            _ if self.open.contains_key(&path) => Err(FsErrorKind::Busy),
            (Some(None), _) => Err(FsErrorKind::IsDir),
            (None, Open::Read | Open::Write) => Err(FsErrorKind::NotFound),
            _ => Ok(()),
        }
    }

    fn remove(&self, path: &str) -> Result<(), FsErrorKind> {
        self.check_above(path)?;
        match self.nodes.get(path) {
            _ if self.is_busy(path) => Err(FsErrorKind::Busy),
            None => Err(FsErrorKind::NotFound),
            Some(None) if !self.is_empty(path) => Err(FsErrorKind::NotEmpty),
            Some(_) => Ok(()),
        }
    }

    /// What a rename gives; where both paths are wrong, either may be told.
    fn rename(&self, from: &str, to: &str) -> Vec<Result<(), FsErrorKind>> {
        let source = self.check_above(from);
        let target = self.check_above(to);
        match (self.rename_of(from, to), source, target) {
            (Err(FsErrorKind::Invalid | FsErrorKind::Busy), ..) | (_, Ok(()), Ok(())) => {
                vec![self.rename_of(from, to)]
            }
            (result, source, target) => vec![result, source, target]
                .into_iter()
                .filter(Result::is_err)
                .collect(),
        }
    }

    fn rename_of(&self, from: &str, to: &str) -> Result<(), FsErrorKind> {
        if to.starts_with(&format!("{from}/")) {
            return Err(FsErrorKind::Invalid);
        }
        if self.is_busy(from) || self.is_busy(to) {
            return Err(FsErrorKind::Busy);
        }
        self.check_above(from)?;
        let source = self.nodes.get(from).ok_or(FsErrorKind::NotFound)?;
        self.check_above(to)?;
        match (source, self.nodes.get(to)) {
            (_, None) => Ok(()),
            _ if from == to => Ok(()),
            _ if !self.replaces => Err(FsErrorKind::Exists),
            (None, Some(Some(_))) => Err(FsErrorKind::NotDir),
            (Some(_), Some(None)) => Err(FsErrorKind::IsDir),
            (None, Some(None)) if !self.is_empty(to) => Err(FsErrorKind::NotEmpty),
            _ => Ok(()),
        }
    }

    fn renamed(&mut self, from: &str, to: &str) {
        let below = format!("{from}/");
        let moved = |path: &str| path == from || path.starts_with(&below);
        let old = std::mem::take(&mut self.nodes);
        let (moving, mut kept): (BTreeMap<_, _>, BTreeMap<_, _>) =
            old.into_iter().partition(|(path, _)| moved(path));
        for (path, node) in moving {
            kept.insert(format!("{to}{}", &path[from.len()..]), node);
        }
        self.nodes = kept;
    }

    fn file(&mut self, path: usize) -> &mut Vec<u8> {
        let node = self.nodes.get_mut(PATHS[path]).expect("open");
        node.as_mut().expect("a file")
    }
}

fn kind<T>(result: Result<T, FsError>) -> Result<T, FsErrorKind> {
    result.map_err(|error| error.kind)
}

fn step(case: &Case, fs: &mut Mounted, model: &mut Model, call: &Call) {
    match call {
        Call::Open(path, how) => {
            let expected = model.open(*path, *how);
            let got = kind(fs.open(PATHS[*path], *how));
            assert_eq!(got.map(drop), expected);
            if let Ok(handle) = got {
                model.open.insert(*path, (handle, *how != Open::Read));
                let node = model.nodes.entry(PATHS[*path].into());
                let node = node.or_insert_with(|| Some(Vec::new()));
                if *how == Open::Replace {
                    *node = Some(Vec::new());
                }
            }
        }
        Call::Write(path, at, data) => {
            let (handle, writable) = model
                .open
                .get(path)
                .copied()
                .unwrap_or((Handle(77_777), false));
            let bytes = if writable { model.file(*path).len() } else { 0 };
            let at = bytes * usize::from(*at) / 255;
            let expected = if writable {
                Ok(())
            } else {
                Err(FsErrorKind::Invalid)
            };
            assert_eq!(kind(fs.write(handle, at as u64, data)), expected);
            if writable {
                let file = model.file(*path);
                file.resize(file.len().max(at + data.len()), 0);
                file[at..at + data.len()].copy_from_slice(data);
            }
        }
        Call::Truncate(path, bytes) => {
            if let Some((handle, true)) = model.open.get(path).copied() {
                assert_eq!(kind(fs.truncate(handle, u64::from(*bytes))), Ok(()));
                model.file(*path).resize(usize::from(*bytes), 0);
            }
        }
        Call::Sync(path) => {
            if let Some((handle, _)) = model.open.get(path) {
                assert_eq!(kind(fs.sync(*handle)), Ok(()));
            }
        }
        Call::Close(path) => {
            if let Some((handle, _)) = model.open.remove(path) {
                assert_eq!(kind(fs.close(handle)), Ok(()));
                assert_eq!(kind(fs.close(handle)), Err(FsErrorKind::Invalid));
            }
        }
        Call::CreateDir(path) => {
            let path = PATHS[*path];
            let above = model.check_above(path);
            let taken = model.nodes.contains_key(path);
            let expected = above.and(if taken {
                Err(FsErrorKind::Exists)
            } else {
                Ok(())
            });
            assert_eq!(kind(fs.create_dir(path)), expected);
            if expected.is_ok() {
                model.nodes.insert(path.into(), None);
            }
        }
        Call::Remove(path) => {
            let expected = model.remove(PATHS[*path]);
            assert_eq!(kind(fs.remove(PATHS[*path])), expected);
            if expected.is_ok() {
                model.nodes.remove(PATHS[*path]);
            }
        }
        Call::Rename(from, to) => {
            let (from, to) = (PATHS[*from], PATHS[*to]);
            let expected = model.rename(from, to);
            let got = kind(fs.rename(from, to));
            assert!(expected.contains(&got), "{got:?}, {expected:?}");
            if got.is_ok() {
                model.renamed(from, to);
            }
        }
        Call::Unmount => {
            assert_eq!(kind(fs.unmount()), Ok(()));
            assert_eq!(kind(fs.list("/")), Err(FsErrorKind::Invalid));
            *fs = case.again();
            model.open.clear();
        }
        Call::Cut => {
            for (handle, _) in model.open.values() {
                assert_eq!(kind(fs.sync(*handle)), Ok(()));
            }
            *fs = case.again();
            model.open.clear();
        }
    }
}

/// Compares all that there is.
fn compare(fs: &mut Mounted, model: &Model) {
    let mut found = BTreeMap::new();
    let mut dirs = vec![String::new()];
    while let Some(dir) = dirs.pop() {
        let path = if dir.is_empty() { "/" } else { &dir };
        for entry in fs.list(path).expect("a directory") {
            let path = format!("{dir}/{}", entry.name);
            if entry.is_dir {
                found.insert(path.clone(), None);
                dirs.push(path);
                continue;
            }
            assert_eq!(fs.entry(&path).map(|entry| entry.is_dir), Ok(false));
            let open = model.open.iter().find(|(at, _)| PATHS[**at] == path);
            let handle = match open {
                Some((_, (handle, _))) => *handle,
                None => fs.open(&path, Open::Read).expect("a file"),
            };
            found.insert(path, Some(read(fs, handle)));
            if open.is_none() {
                fs.close(handle).expect("open");
            }
        }
    }
    assert!(found == model.nodes, "{:?}", found.keys());
}

/// All of a file, in pieces.
pub(crate) fn read(fs: &mut Mounted, handle: Handle) -> Vec<u8> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 700]);
    loop {
        match fs.read(handle, bytes.len() as u64, &mut piece) {
            Ok(0) => return bytes,
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn random_calls_agree_with_a_plain_map() {
    with_room(|| {
        for case in all() {
            let mut runner = TestRunner::new(ProptestConfig {
                failure_persistence: None,
                ..ProptestConfig::with_cases(24)
            });
            let calls = prop::collection::vec(call(), 1..60);
            let done = runner.run(&calls, |calls| {
                let mut fs = case.fresh();
                let mut model = Model {
                    replaces: case.replaces,
                    ..Model::default()
                };
                for call in &calls {
                    step(&case, &mut fs, &mut model, call);
                    compare(&mut fs, &model);
                }
                Ok(())
            });
            done.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        }
    });
}
