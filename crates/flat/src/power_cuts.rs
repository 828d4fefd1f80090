//! Power cuts and flipped bits: every boundary of a fixed workload, cuts within the mount and the calls after it, and files
//! that lack one barrier after the other.

use std::borrow::ToOwned;
use std::error::Error;
use std::string::String;
use std::vec::Vec;
use std::{format, vec};

use wordline_crash::harness::{Again, Failure, Harness, Outcome, Recorded, Subject, Verdict};
use wordline_crash::{ByteTearing, Content, Mode};
use wordline_engines::crash::{FileCall, FileNode, FileTree, StoredBytes, judge_files};

use wordline_memory::{ByteMemory, RamMemory};

use crate::barrier::FlatBarrier;
use crate::{FlatError, FlatFiles, FlatOpen, FlatShape, FlatUse, format};

type CutBytes = Recorded<ByteTearing>;
type MountedFlat<M> = FlatFiles<M, Vec<u32>>;

/// Small enough that units and slots are used again and again.
const BYTES: usize = 64 + 20 * 128 + 24 * 64;
const SHAPE: FlatShape = FlatShape {
    bytes: BYTES as u64,
    unit_bytes: 64,
    records: 20,
    extents: 8,
};

/// Room for all: 24 units.
const USE: FlatUse = FlatUse {
    open_files: 3,
    reserve_bytes: 256,
};

struct FlatSubject {
    atom: usize,
    lacking: Option<FlatBarrier>,
}

/// A call, with a sync or without one.
#[derive(Clone, Debug)]
enum FlatCall {
    Synced(FileCall),
    Unsynced(FileCall),
}

impl FlatCall {
    const fn call(&self) -> &FileCall {
        match self {
            Self::Synced(call) | Self::Unsynced(call) => call,
        }
    }
}

fn content(fill: u8, bytes: usize) -> StoredBytes {
    let byte = |at: usize| fill.wrapping_add((at as u8).wrapping_mul(29)) | 1;
    StoredBytes((0..bytes).map(byte).collect())
}

fn append(path: &'static str, fill: u8, bytes: usize) -> FileCall {
    FileCall::Append(path, vec![content(fill, bytes)])
}

/// MountedFlat that grow side by side, are overwritten, cut, extended, replaced and removed, in directories that move; one name
/// takes two slots.
fn workload() -> Vec<FlatCall> {
    const LONG: &str =
        "/a name of more than the forty bytes that a head has left beside two extents";
    let mut calls = vec![
        FileCall::Create("/log"),
        append("/log", 1, 40),
        append("/log", 2, 40),
        FileCall::CreateDir("/d"),
        FileCall::Create("/d/x"),
        append("/d/x", 3, 100),
        append("/log", 4, 90),
        FileCall::Overwrite("/log", 30, content(5, 70)),
        FileCall::Truncate("/log", 50),
        FileCall::Truncate("/log", 300),
        FileCall::Rename("/d", "/e"),
        append("/e/x", 6, 200),
        FileCall::Create("/new"),
        append("/new", 7, 130),
        FileCall::Rename("/new", "/log"),
        append("/log", 8, 20),
        FileCall::Create(LONG),
        append(LONG, 9, 60),
        FileCall::Remove("/e/x"),
        FileCall::Remove("/e"),
        append(LONG, 10, 150),
        FileCall::Create("/log2"),
        append("/log2", 11, 333),
        FileCall::Remove(LONG),
    ];
    for round in 0..4 {
        calls.push(append("/log", 20 + round, 33));
        calls.push(append("/log2", 30 + round, 97));
        calls.push(FileCall::Truncate("/log2", 64 * u64::from(round)));
        calls.push(FileCall::Create("/x"));
        calls.push(append("/x", 40 + round, 170));
        calls.push(FileCall::Overwrite("/log", 10, content(50 + round, 25)));
        calls.push(FileCall::Rename("/x", "/log2"));
    }
    let mut calls: Vec<_> = calls.into_iter().map(FlatCall::Synced).collect();
    for round in 0..6 {
        let fill = 60 + 2 * round;
        calls.push(FlatCall::Unsynced(append("/log", fill, 7)));
        calls.push(FlatCall::Unsynced(append("/log", fill + 1, 9)));
        // A shorter length lasts by itself.
        calls.push(FlatCall::Unsynced(FileCall::Truncate("/log", 30)));
        calls.push(FlatCall::Synced(append("/log2", 80 + round, 11)));
    }
    calls
}

/// One call.
fn apply<M>(files: &mut MountedFlat<M>, call: &FlatCall) -> Outcome<()>
where
    M: ByteMemory<Error: Error + 'static>,
{
    let finish = |files: &mut MountedFlat<M>, file| {
        if matches!(call, FlatCall::Synced(_)) {
            files.sync(file)?;
        }
        Outcome::Ok(files.close(file)?)
    };
    match call.call() {
        FileCall::Create(path) => {
            let file = files.open(path, FlatOpen::Create)?;
            finish(files, file)
        }
        FileCall::CreateDir(path) => Ok(files.make_directory(path)?),
        FileCall::Append(path, pieces) => {
            let file = files.open(path, FlatOpen::Existing)?;
            for piece in pieces {
                let at = files.length(file)?;
                files.write(file, u64::from(at), &piece.0)?;
            }
            finish(files, file)
        }
        FileCall::Overwrite(path, at, data) => {
            let file = files.open(path, FlatOpen::Existing)?;
            files.write(file, *at, &data.0)?;
            finish(files, file)
        }
        FileCall::Truncate(path, bytes) => {
            let file = files.open(path, FlatOpen::Existing)?;
            files.truncate(file, *bytes)?;
            finish(files, file)
        }
        FileCall::Rename(from, to) => Ok(files.rename(from, to)?),
        FileCall::Remove(path) => Ok(files.remove(path)?),
        FileCall::Replace(..) => Err("a replacement is a cut and an append".into()),
    }
}

fn walk<M>(files: &mut MountedFlat<M>, dir: &str, tree: &mut FileTree) -> Outcome<()>
where
    M: ByteMemory<Error: Error + 'static>,
{
    let mut directory = files.open_directory(if dir.is_empty() { "/" } else { dir })?;
    let mut name = [0; 255];
    while let Some((name, entry)) = files.next_entry(&mut directory, &mut name)? {
        let path = format!("{dir}/{name}");
        if tree.len() > 30 || path.matches('/').count() > 4 {
            return Err("no such tree was made".into());
        }
        let node = if entry.is_directory {
            FileNode::Dir
        } else {
            let file = files.open(&path, FlatOpen::Existing)?;
            let mut bytes = vec![0; entry.bytes as usize];
            let read = files.read(file, 0, &mut bytes)?;
            files.close(file)?;
            bytes.truncate(read);
            FileNode::File(StoredBytes(bytes))
        };
        if tree.insert(path.clone(), node).is_some() {
            tree.insert(format!("{path} twice"), FileNode::Dir);
        }
        if entry.is_directory {
            walk(files, &path, tree)?;
        }
    }
    Ok(())
}

impl Subject for FlatSubject {
    type Medium = ByteTearing;
    type Store = MountedFlat<CutBytes>;
    type Call = FlatCall;
    type State = FileTree;

    fn prepare(&self, mut memory: CutBytes) -> Outcome<()> {
        Ok(format(&mut memory, &SHAPE)?)
    }

    fn open(&self, memory: CutBytes) -> Outcome<MountedFlat<CutBytes>> {
        Ok(mounted(memory, self.lacking)?)
    }

    fn apply(&self, files: &mut MountedFlat<CutBytes>, call: &FlatCall) -> Outcome<()> {
        apply(files, call)
    }

    /// All files, and whether exactly their units and slots are in use.
    fn read(&self, files: &mut MountedFlat<CutBytes>) -> Outcome<FileTree> {
        let mut tree = FileTree::new();
        walk(files, "", &mut tree)?;
        let (mut units, mut slots) = (0, 0);
        for (path, node) in &tree {
            slots += 1;
            if let FileNode::File(bytes) = node {
                units += bytes.0.len().div_ceil(64) as u64;
            }
            slots += u32::from(path.len() > 57);
        }
        let room = files.room();
        if room.free != room.total - 64 * units || room.free_records != SHAPE.records - slots {
            tree.insert(format!("leaked: {room:?}"), FileNode::Dir);
        }
        Ok(tree)
    }

    fn next(&self, tree: &FileTree, call: &FlatCall) -> FileTree {
        call.call().next(tree)
    }

    fn lasts(&self, call: &FlatCall) -> bool {
        !matches!(call, FlatCall::Unsynced(FileCall::Append(..)))
    }

    fn after(&self) -> Vec<FlatCall> {
        let calls = [
            FileCall::Create("/after"),
            append("/after", 90, 70),
            append("/after", 91, 100),
            FileCall::Remove("/after"),
        ];
        calls.map(FlatCall::Synced).to_vec()
    }

    fn judge(&self, found: &FileTree, allowed: &[FileTree]) -> Result<(), String> {
        if found.keys().any(|path| path.starts_with("leaked")) {
            return Err("units or slots are in use that no file has, or in use twice".to_owned());
        }
        judge_files(found, allowed, Some(self.atom))
    }
}

/// Images of a memory that stores in any order, of which there are millions.
const SAMPLE: usize = 40_000;

const SAMPLED: ByteTearing = ByteTearing {
    samples: 60,
    ..ByteTearing::contract()
};

/// A class of memories: its name, its atom in bytes, and what a cut does.
type CutClass = (&'static str, usize, ByteTearing);

const MEMORIES: [CutClass; 7] = [
    ("a bus of 16 bits, atom 2 B", 2, ByteTearing::bus(2)),
    ("a serial bus, atom 1 B", 1, ByteTearing::bus(1)),
    ("any order until a persist, atom 1 B", 1, SAMPLED),
    ("any order until a persist, atom 2 B", 2, SAMPLED),
    ("any order until a persist, atom 4 B", 4, SAMPLED),
    ("any order until a persist, atom 8 B", 8, SAMPLED),
    ("any order until a persist, atom 32 B", 32, SAMPLED),
];

fn harness(memory: &CutClass) -> Harness<ByteTearing> {
    let mut harness = Harness::new(Content::zeros(SHAPE.bytes, memory.1), memory.2);
    harness.accesses = 20_000;
    if memory.2.buffered {
        harness.mode = Mode::Sample(SAMPLE);
    }
    let every = if memory.2.buffered { 64 } else { 4 };
    harness.again = Some(Again {
        every,
        mode: Mode::Sample(30),
    });
    harness
}

fn cut(memory: &CutClass, lacking: Option<FlatBarrier>, failures_max: u64) -> Verdict {
    let mut harness = harness(memory);
    harness.failures_max = failures_max;
    let atom = memory.1;
    harness.check(&FlatSubject { atom, lacking }, &workload())
}

#[test]
fn every_image_of_every_cut_holds_what_it_may() {
    for memory in &MEMORIES {
        let verdict = cut(memory, None, 1);
        let first = verdict.first.as_ref();
        assert_eq!(verdict.failures, 0, "{}: {first:?}", memory.0);
        assert!(verdict.images > 1000 && verdict.images_again > 300);
        std::println!(
            "{}: {} images, {} within the mount and calls after it, {} distinct",
            memory.0,
            verdict.images,
            verdict.images_again,
            verdict.distinct
        );
    }
}

/// `make nightly`: each image of memories that store in any order, of which a cut has all subsets of up to 12 stores that
/// are pending, else all prefixes, all pairs and 60 drawn subsets.
#[test]
#[ignore = "takes minutes; `make nightly` runs it"]
fn millions_of_images_hold_what_they_may() {
    for memory in &MEMORIES[2..] {
        let harness = Harness {
            mode: Mode::Exhaustive,
            ..harness(memory)
        };
        let subject = FlatSubject {
            atom: memory.1,
            lacking: None,
        };
        let verdict = harness.check(&subject, &workload());
        assert_eq!(verdict.failures, 0, "{}: {:?}", memory.0, verdict.first);
        std::println!("{}: {} images", memory.0, verdict.images);
    }
}

/// What shows that a barrier is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Noticed {
    /// Cuts of a memory that stores in order.
    OnTheBus,
    /// Cuts of a memory that stores in any order.
    InAnyOrder,
    /// The same, where an atom holds a length.
    InLargeAtoms,
}

const CUT_MUTANTS: [(FlatBarrier, Noticed); 20] = [
    (FlatBarrier::PersistRecord, Noticed::InAnyOrder),
    (FlatBarrier::CommitLast, Noticed::OnTheBus),
    (FlatBarrier::PersistCommit, Noticed::InAnyOrder),
    (FlatBarrier::NewBeforeOld, Noticed::OnTheBus),
    (FlatBarrier::PersistDeath, Noticed::InAnyOrder),
    (FlatBarrier::KillReplaced, Noticed::OnTheBus),
    (FlatBarrier::ReplaceTarget, Noticed::OnTheBus),
    (FlatBarrier::DataBeforeLength, Noticed::OnTheBus),
    (FlatBarrier::PersistBeforeLength, Noticed::InAnyOrder),
    (FlatBarrier::PersistBeforeLength, Noticed::InLargeAtoms),
    (FlatBarrier::IdleLength, Noticed::OnTheBus),
    (FlatBarrier::PersistLength, Noticed::InAnyOrder),
    (FlatBarrier::PersistShrink, Noticed::InAnyOrder),
    (FlatBarrier::PersistShrink, Noticed::InLargeAtoms),
    (FlatBarrier::ZeroExtension, Noticed::OnTheBus),
    (FlatBarrier::ClipAtMount, Noticed::OnTheBus),
    (FlatBarrier::RetakeFree, Noticed::OnTheBus),
    (FlatBarrier::TakeContinuations, Noticed::OnTheBus),
    (FlatBarrier::Sync, Noticed::InAnyOrder),
    (FlatBarrier::Sync, Noticed::InLargeAtoms),
];

#[test]
fn files_without_one_of_their_barriers_are_caught() {
    let mut missed = Vec::new();
    for (barrier, noticed) in CUT_MUTANTS {
        let memory = match noticed {
            Noticed::OnTheBus => &MEMORIES[0],
            Noticed::InAnyOrder => &MEMORIES[3],
            Noticed::InLargeAtoms => &MEMORIES[5],
        };
        match cut(memory, Some(barrier), 1).first {
            Some(Failure { case, violation }) => {
                std::println!("{barrier:?}: {case}: {}", violation.headline());
            }
            None => missed.push((barrier, noticed)),
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}

/// What the files hold after so many calls of the workload, in a memory that lands whole.
fn image(calls: usize) -> (RamMemory<BYTES>, FileTree) {
    let mut memory = RamMemory::<BYTES>::new();
    format(&mut memory, &SHAPE).expect("the shape suits");
    let mut files = mounted(memory, None).expect("formatted");
    let mut tree = FileTree::new();
    for call in &workload()[..calls] {
        apply(&mut files, call).expect("room");
        tree = call.call().next(&tree);
    }
    (files.into_memory(), tree)
}

fn mounted<M: ByteMemory>(
    memory: M,
    lacking: Option<FlatBarrier>,
) -> Result<MountedFlat<M>, FlatError<M::Error>> {
    let ram = vec![0; SHAPE.ram_words(&USE) as usize];
    MountedFlat::mount_lacking(memory, &USE, ram, lacking)
}

/// Everything that a damaged memory holds, and then some calls: whatever they find, they return.
fn found(memory: RamMemory<BYTES>, lacking: Option<FlatBarrier>) -> Outcome<FileTree> {
    let mut files = mounted(memory, lacking)?;
    let mut tree = FileTree::new();
    walk(&mut files, "", &mut tree)?;
    for call in [
        FileCall::Create("/after"),
        append("/after", 90, 70),
        FileCall::Rename("/after", "/log"),
        append("/log", 91, 100),
    ] {
        let _ = apply(&mut files, &FlatCall::Synced(call));
    }
    Ok(tree)
}

/// Every bit of header and records, one at a time: how many give an error, and how many a wrong answer.
fn flipped(calls: usize, lacking: Option<FlatBarrier>) -> (u32, u32) {
    let (memory, tree) = image(calls);
    let (mut told, mut wrong) = (0, 0);
    for bit in 0..8 * SHAPE.data_at() {
        let mut memory = memory.clone();
        let mut byte = [0];
        memory.read(bit / 8, &mut byte).expect("inside");
        byte[0] ^= 1 << (bit % 8);
        memory.write(bit / 8, &byte).expect("inside");
        match found(memory, lacking) {
            Ok(found) => wrong += u32::from(found != tree),
            Err(_) => told += 1,
        }
    }
    (told, wrong)
}

/// In the bytes of a file a flipped bit is left to the ECC of the memory.
#[test]
fn a_flipped_bit_of_a_record_or_the_header_is_an_error_or_harmless() {
    for calls in [0, 7, 18, 24, 52] {
        let (told, wrong) = flipped(calls, None);
        assert_eq!(wrong, 0, "after {calls} calls");
        // Every bit of the header but those that are spare is in its CRC.
        assert!(told >= 8 * 64, "after {calls} calls: {told}");
    }
}

#[test]
fn files_without_one_of_their_checks_are_caught() {
    for barrier in [
        FlatBarrier::CheckRecord,
        FlatBarrier::CheckLength,
        FlatBarrier::CheckHeader,
    ] {
        let (_, wrong) = flipped(18, Some(barrier));
        assert!(wrong > 0, "{barrier:?}");
    }
}

/// xorshift64, by Marsaglia ("Xorshift RNGs", 2003).
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Images that somebody made up, with checks that fit: every call returns, within accesses that the harness counts for all
/// others.
#[test]
fn forged_images_are_an_error_or_served_and_every_call_returns() {
    let (memory, _) = image(18);
    let mut state = 0x9E37_79B9_7F4A_7C15;
    let (mut told, mut served) = (0, 0);
    for _ in 0..20_000 {
        let mut memory = memory.clone();
        for _ in 0..1 + next(&mut state) % 4 {
            let at = next(&mut state) % SHAPE.data_at();
            memory
                .write(at, &[(next(&mut state) % 24) as u8])
                .expect("inside");
        }
        // Without a look at the checks everything is believed that they would have refused.
        let lacking = match next(&mut state) % 3 {
            0 => FlatBarrier::CheckRecord,
            1 => FlatBarrier::CheckLength,
            _ => FlatBarrier::CheckHeader,
        };
        match found(memory, Some(lacking)) {
            Ok(_) => served += 1,
            Err(_) => told += 1,
        }
    }
    assert!(told > 1000 && served > 1000, "{told}, {served}");
}
