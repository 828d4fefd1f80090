//! Random calls agree with a plain map, and the room is what its files leave.

use std::collections::BTreeMap;

use proptest::prelude::*;
use wordline_flat::{FlatError, FlatFile, FlatFiles, FlatOpen, FlatShape, FlatUse, format};
use wordline_memory::{OutOfRange, RamMemory};

const BYTES: usize = 16 << 10;
type ModelFiles = FlatFiles<RamMemory<BYTES>, Vec<u32>>;
type FlatResult<T> = Result<T, FlatError<OutOfRange>>;

const PATHS: [&str; 6] = [
    "/a",
    "/b",
    "/d",
    "/d/x",
    "/d/a name of which the head of a record has not room beside more than a few extents of its file",
    "/d/e",
];

/// A shape that is full and fragmented soon.
const SHAPE: FlatShape = FlatShape {
    bytes: BYTES as u64,
    unit_bytes: 64,
    records: 24,
    extents: 6,
};

const USE: FlatUse = FlatUse {
    open_files: 3,
    reserve_bytes: 512,
};

#[derive(Clone, Debug)]
enum ModelCall {
    Open(usize, FlatOpen),
    Write(usize, u8, u8, u16),
    Truncate(usize, u16),
    Close(usize),
    Directory(usize),
    Remove(usize),
    Rename(usize, usize),
    Remount,
}

fn call() -> impl Strategy<Value = ModelCall> {
    let path = || 0..PATHS.len();
    let how = prop_oneof![
        1 => Just(FlatOpen::Existing),
        5 => Just(FlatOpen::Create),
        1 => Just(FlatOpen::Replace)
    ];
    prop_oneof![
        6 => (path(), how).prop_map(|(path, how)| ModelCall::Open(path, how)),
        12 => (path(), any::<u8>(), any::<u8>(), 0..1500_u16)
            .prop_map(|(path, at, fill, bytes)| ModelCall::Write(path, at, fill, bytes)),
        3 => (path(), 0..3000_u16).prop_map(|(path, bytes)| ModelCall::Truncate(path, bytes)),
        3 => path().prop_map(ModelCall::Close),
        2 => path().prop_map(ModelCall::Directory),
        3 => path().prop_map(ModelCall::Remove),
        3 => (path(), path()).prop_map(|(from, to)| ModelCall::Rename(from, to)),
        1 => Just(ModelCall::Remount),
    ]
}

/// The plain map: bytes of a file, nothing of a directory.
#[derive(Default)]
struct PlainMap {
    nodes: BTreeMap<String, Option<Vec<u8>>>,
    open: BTreeMap<usize, FlatFile>,
}

fn above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(above, _)| above)
}

impl PlainMap {
    fn has_above(&self, path: &str) -> bool {
        above(path).is_empty() || self.nodes.get(above(path)) == Some(&None)
    }

    fn is_empty(&self, dir: &str) -> bool {
        !self.nodes.keys().any(|path| above(path) == dir)
    }

    /// Units that files take.
    fn units(&self) -> u64 {
        let files = self.nodes.values().flatten();
        files.map(|bytes| bytes.len().div_ceil(64) as u64).sum()
    }

    fn opens(&self, path: usize, how: FlatOpen) -> bool {
        let is_there = match self.nodes.get(PATHS[path]) {
            Some(node) => node.is_some(),
            None => how != FlatOpen::Existing && self.has_above(PATHS[path]),
        };
        is_there && !self.open.contains_key(&path) && self.open.len() < 3
    }

    fn removes(&self, path: usize) -> bool {
        self.nodes.contains_key(PATHS[path])
            && self.is_empty(PATHS[path])
            && !self.open.contains_key(&path)
    }

    fn renames(&self, from: usize, to: usize) -> bool {
        let (source, target) = (PATHS[from], PATHS[to]);
        let Some(node) = self.nodes.get(source) else {
            return false;
        };
        let into_itself = target.starts_with(&format!("{source}/"));
        let replaces = match self.nodes.get(target) {
            _ if from == to => true,
            None => true,
            Some(other) => {
                node.is_none() == other.is_none()
                    && self.is_empty(target)
                    && !self.open.contains_key(&to)
            }
        };
        self.has_above(target) && !into_itself && replaces
    }
}

fn mounted(memory: RamMemory<BYTES>) -> ModelFiles {
    let ram = vec![0; SHAPE.ram_words(&USE) as usize];
    FlatFiles::mount(memory, &USE, ram).expect("formatted")
}

/// Whether a change of length could be made; it may fail only where the units do not suffice, or lie in too many pieces.
fn grown(done: FlatResult<()>, free_units: u64, more_units: u64) -> bool {
    match done {
        Ok(()) => true,
        Err(FlatError::NoSpace) => {
            assert!(more_units > free_units, "{more_units} of {free_units}");
            false
        }
        Err(FlatError::Fragmented { .. }) => {
            assert!(more_units <= free_units);
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// Compares what every path holds, and the room.
fn compare(files: &mut ModelFiles, map: &PlainMap) {
    for (path, node) in &map.nodes {
        let entry = files.entry(path).expect("it is there");
        assert_eq!(entry.is_directory, node.is_none(), "{path}");
        let bytes = node.as_ref().map_or(0, Vec::len);
        assert_eq!(entry.bytes as usize, bytes, "{path}");
    }
    for path in PATHS {
        let mut found = Vec::new();
        if let Ok(mut directory) = files.open_directory(path) {
            let mut name = [0; 255];
            while let Some((name, _)) = files.next_entry(&mut directory, &mut name).expect("sound")
            {
                found.push(format!("{path}/{name}"));
            }
        }
        found.sort();
        let expected = map.nodes.keys().filter(|inside| above(inside) == path);
        assert_eq!(found, expected.cloned().collect::<Vec<_>>());
    }
    let room = files.room();
    assert_eq!(room.free, room.total - 64 * map.units());
}

fn read(files: &mut ModelFiles, file: FlatFile, bytes: usize) -> Vec<u8> {
    let mut out = vec![0; bytes + 10];
    let read = files.read(file, 0, &mut out).expect("sound");
    out.truncate(read);
    out
}

fn run(calls: &[ModelCall]) {
    let mut memory = RamMemory::<BYTES>::new();
    format(&mut memory, &SHAPE).expect("it suits");
    let (mut files, mut map) = (mounted(memory), PlainMap::default());
    for call in calls {
        let room = files.room().free / 64;
        match *call {
            ModelCall::Open(path, how) => {
                let done = files.open(PATHS[path], how);
                assert_eq!(done.is_ok(), map.opens(path, how), "{call:?}: {done:?}");
                if let Ok(file) = done {
                    map.open.insert(path, file);
                    let node = map.nodes.entry(PATHS[path].to_owned());
                    let node = node.or_insert_with(|| Some(Vec::new()));
                    if how == FlatOpen::Replace {
                        *node = Some(Vec::new());
                    }
                }
            }
            ModelCall::Write(path, at, fill, bytes) => {
                let Some(file) = map.open.get(&path).copied() else {
                    continue;
                };
                let held = map.nodes.get_mut(PATHS[path]);
                let held = held.and_then(Option::as_mut).expect("it is open");
                // The end as often as all other places.
                let at = match at {
                    0..128 => held.len() * usize::from(at) / 128,
                    _ => held.len(),
                };
                let data: Vec<u8> = (0..bytes)
                    .map(|byte| fill.wrapping_add(byte as u8))
                    .collect();
                let end = at + data.len();
                let more = end.div_ceil(64).saturating_sub(held.len().div_ceil(64)) as u64;
                if grown(files.write(file, at as u64, &data), room, more) {
                    held.resize(held.len().max(end), 0);
                    held[at..end].copy_from_slice(&data);
                }
                assert_eq!(&read(&mut files, file, held.len()), held);
            }
            ModelCall::Truncate(path, bytes) => {
                let Some(file) = map.open.get(&path).copied() else {
                    continue;
                };
                let held = map.nodes.get_mut(PATHS[path]);
                let held = held.and_then(Option::as_mut).expect("it is open");
                let bytes = usize::from(bytes);
                let more = bytes.div_ceil(64).saturating_sub(held.len().div_ceil(64)) as u64;
                if grown(files.truncate(file, bytes as u64), room, more) {
                    held.resize(bytes, 0);
                }
                assert_eq!(&read(&mut files, file, held.len()), held);
            }
            ModelCall::Close(path) => {
                if let Some(file) = map.open.remove(&path) {
                    files.close(file).expect("it is open");
                    assert_eq!(files.close(file), Err(FlatError::NotOpen));
                }
            }
            ModelCall::Directory(path) => {
                let done = files.make_directory(PATHS[path]);
                let free = !map.nodes.contains_key(PATHS[path]) && map.has_above(PATHS[path]);
                assert_eq!(done.is_ok(), free, "{call:?}: {done:?}");
                if free {
                    map.nodes.insert(PATHS[path].to_owned(), None);
                }
            }
            ModelCall::Remove(path) => {
                let done = files.remove(PATHS[path]);
                assert_eq!(done.is_ok(), map.removes(path), "{call:?}: {done:?}");
                if done.is_ok() {
                    map.nodes.remove(PATHS[path]);
                }
            }
            ModelCall::Rename(from, to) => {
                // A directory with what is open would move it to paths that the map does not know.
                let below = format!("{}/", PATHS[from]);
                if map.nodes.keys().any(|path| path.starts_with(&below)) {
                    continue;
                }
                let done = files.rename(PATHS[from], PATHS[to]);
                assert_eq!(done.is_ok(), map.renames(from, to), "{call:?}: {done:?}");
                if done.is_ok() && from != to {
                    let node = map.nodes.remove(PATHS[from]).expect("it was there");
                    map.nodes.insert(PATHS[to].to_owned(), node);
                    if let Some(file) = map.open.remove(&from) {
                        map.open.insert(to, file);
                    }
                }
            }
            ModelCall::Remount => {
                files = mounted(files.into_memory());
                map.open.clear();
            }
        }
        compare(&mut files, &map);
    }
    // Everything that is not open is read once more, after a mount that finds space from the records.
    let mut files = mounted(files.into_memory());
    compare(&mut files, &map);
    for (path, node) in &map.nodes {
        if let Some(held) = node {
            let file = files.open(path, FlatOpen::Existing).expect("it is there");
            assert_eq!(&read(&mut files, file, held.len()), held, "{path}");
            files.close(file).expect("it is open");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_calls_agree_with_a_plain_map(calls in proptest::collection::vec(call(), 1..120)) {
        run(&calls);
    }
}
