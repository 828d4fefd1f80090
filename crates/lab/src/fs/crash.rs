//! What power cuts leave of a file system: a fixed workload, cut at operations that are drawn, mounted again and read.
//!
//! The promise is the strictest that a caller can hope for: after a cut every file is as before or after the call that
//! was cut, nothing else is there, and whatever a call that returned had synced is there.

use std::collections::BTreeMap;

use wordline_catalog::Model;
use wordline_engines::{FsError, Open};
use wordline_memory::Geometry;
use wordline_nvm::Memory;
use wordline_nvm::crash::harness::{
    Case, Harness, Medium, Outcome, Recorded, Subject, Verdict, Violation,
};
use wordline_nvm::crash::{ByteTearing, Content, FlashContent, FlashTearing, Mode};

use super::calls::Mounted;
use super::engine::{Engine, Ready};
use crate::control::Control;
use crate::payload::Payload;

/// Blocks that the workload has: enough for a translation layer with its spare ones.
const BLOCKS: u32 = 64;

/// Bytes that it has of a memory without blocks.
const BYTES: u64 = 64 << 10;

/// Accesses of the memory that a call may take, mount included.
const ACCESSES: u64 = 1 << 22;

/// The most that a file of the workload holds, for one read of it.
const FILE_MAX: usize = 16 << 10;

/// One call. What it stores is synced when it returns.
#[derive(Clone, Debug)]
pub(super) enum Call {
    /// Makes an empty file.
    Make(&'static str),
    /// Appends bytes of a version to a file.
    Append(&'static str, u8, usize),
    /// Stores bytes of a version over the beginning of a file.
    Overwrite(&'static str, u8, usize),
    /// Gives a file another name.
    Rename(&'static str, &'static str),
    /// Removes a file.
    Remove(&'static str),
}

/// The workload: a log, a configuration that is replaced as programs do, a file written in place, and one removed.
fn workload() -> Vec<Call> {
    let mut calls = vec![Call::Make("/log")];
    calls.extend((1..=6).map(|round| Call::Append("/log", round, 300)));
    calls.extend([
        Call::Make("/data"),
        Call::Append("/data", 0x40, 6000),
        Call::Overwrite("/data", 0x41, 3000),
        Call::Make("/new"),
        Call::Append("/new", 0x50, 120),
        Call::Rename("/new", "/config"),
        Call::Append("/log", 7, 700),
        Call::Remove("/data"),
        Call::Append("/log", 8, 50),
    ]);
    calls
}

/// Cuts the workload of an engine on a memory like a target's, `images` times. A caller who wants to stop gets a verdict
/// that says nothing.
pub(super) fn check(
    engine: &Engine<'_>,
    memory: &Memory,
    images: u64,
    seed: u64,
    control: &Control<'_>,
) -> Verdict {
    match memory {
        Memory::Flash(flash) => {
            let whole = flash.geometry();
            let geometry = Geometry {
                blocks: whole.blocks.min(BLOCKS),
                ..whole
            };
            let tearing = match &engine.target.part.model {
                Model::Nand(sheet) => FlashTearing::of(sheet),
                _ => FlashTearing::raw(),
            };
            cut(
                engine,
                FlashContent::erased(geometry),
                tearing,
                (images, seed),
                control,
            )
        }
        Memory::Bytes(device) => {
            let content = Content::zeros(device.len().min(BYTES), device.atom());
            cut(
                engine,
                content,
                ByteTearing::contract(),
                (images, seed),
                control,
            )
        }
    }
}

/// What went wrong in the run that no cut ended, which says nothing of power cuts.
pub(super) fn uncut_failure(verdict: &Verdict) -> Option<&Violation> {
    let first = verdict.first.as_ref()?;
    (first.case == Case::default()).then_some(&first.violation)
}

fn cut<T: Place>(
    engine: &Engine<'_>,
    start: T::Content,
    tearing: T,
    (images, seed): (u64, u64),
    control: &Control<'_>,
) -> Verdict {
    let harness = Harness {
        mode: Mode::Sample(usize::try_from(images).unwrap_or(usize::MAX)),
        seed,
        again: None,
        accesses: ACCESSES,
        ..Harness::new(start, tearing)
    };
    let volume = Volume {
        engine,
        control,
        payload: Payload::new(seed),
        place: std::marker::PhantomData,
    };
    harness.check(&volume, &workload())
}

/// A class of memories that engines are set up on.
trait Place: Medium {
    fn format(engine: &Engine<'_>, memory: Recorded<Self>) -> Result<(), FsError>;
    fn mount(engine: &Engine<'_>, memory: Recorded<Self>) -> Result<Ready, FsError>;
}

impl Place for FlashTearing {
    fn format(engine: &Engine<'_>, memory: Recorded<Self>) -> Result<(), FsError> {
        engine.format_flash(memory)
    }

    fn mount(engine: &Engine<'_>, memory: Recorded<Self>) -> Result<Ready, FsError> {
        engine.mount_flash(memory)
    }
}

impl Place for ByteTearing {
    fn format(engine: &Engine<'_>, memory: Recorded<Self>) -> Result<(), FsError> {
        engine.format_bytes(memory)
    }

    fn mount(engine: &Engine<'_>, memory: Recorded<Self>) -> Result<Ready, FsError> {
        engine.mount_bytes(memory)
    }
}

/// A file system as software under test.
struct Volume<'a, T> {
    engine: &'a Engine<'a>,
    control: &'a Control<'a>,
    payload: Payload,
    place: std::marker::PhantomData<T>,
}

impl<T: Place> Subject for Volume<'_, T> {
    type Medium = T;
    type Store = Mounted;
    type Call = Call;
    type State = BTreeMap<String, Vec<u8>>;

    fn prepare(&self, memory: Recorded<T>) -> Outcome<()> {
        Ok(T::format(self.engine, memory)?)
    }

    fn open(&self, memory: Recorded<T>) -> Outcome<Mounted> {
        if self.control.stopped() {
            return Err("the caller stopped it".into());
        }
        Ok(T::mount(self.engine, memory)?.mounted)
    }

    fn apply(&self, fs: &mut Mounted, call: &Call) -> Outcome<()> {
        Ok(apply(fs, call, &self.payload)?)
    }

    fn read(&self, fs: &mut Mounted) -> Outcome<Self::State> {
        let mut files = BTreeMap::new();
        for entry in fs.engine.list("/")? {
            let path = format!("/{}", entry.name);
            let mut bytes = vec![0; FILE_MAX];
            let file = fs.engine.open(&path, Open::Read)?;
            let length = fs.engine.read(file, 0, &mut bytes)?;
            fs.engine.close(file)?;
            bytes.truncate(length);
            files.insert(path, bytes);
        }
        Ok(files)
    }

    fn next(&self, state: &Self::State, call: &Call) -> Self::State {
        next(state, call, &self.payload)
    }
}

/// What a version stores at some place of a file: no two sectors hold the same.
fn content(payload: &Payload, version: u8, at: u64, bytes: usize) -> Vec<u8> {
    let mut data = vec![0; bytes];
    payload.fill(at, version.into(), &mut data);
    data
}

fn apply(fs: &mut Mounted, call: &Call, payload: &Payload) -> Result<(), FsError> {
    match *call {
        Call::Make(path) => {
            let file = fs.engine.open(path, Open::Create)?;
            fs.finish(file)
        }
        Call::Append(path, version, bytes) => {
            let at = fs.engine.entry(path)?.bytes;
            store(fs, path, at, &content(payload, version, at, bytes))
        }
        Call::Overwrite(path, version, bytes) => {
            store(fs, path, 0, &content(payload, version, 0, bytes))
        }
        Call::Rename(from, to) => fs.engine.rename(from, to),
        Call::Remove(path) => fs.engine.remove(path),
    }
}

fn store(fs: &mut Mounted, path: &str, at: u64, data: &[u8]) -> Result<(), FsError> {
    let file = fs.engine.open(path, Open::Write)?;
    fs.engine.write(file, at, data)?;
    fs.finish(file)
}

fn next(
    state: &BTreeMap<String, Vec<u8>>,
    call: &Call,
    payload: &Payload,
) -> BTreeMap<String, Vec<u8>> {
    let mut state = state.clone();
    match *call {
        Call::Make(path) => {
            state.entry(path.to_owned()).or_default();
        }
        Call::Append(path, version, bytes) => {
            let file = state.entry(path.to_owned()).or_default();
            let data = content(payload, version, file.len() as u64, bytes);
            file.extend(data);
        }
        Call::Overwrite(path, version, bytes) => {
            let file = state.entry(path.to_owned()).or_default();
            let bytes = bytes.min(file.len());
            file[..bytes].copy_from_slice(&content(payload, version, 0, bytes));
        }
        Call::Rename(from, to) => {
            if let Some(file) = state.remove(from) {
                state.insert(to.to_owned(), file);
            }
        }
        Call::Remove(path) => {
            state.remove(path);
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workload_leaves_what_it_should() {
        let (calls, payload) = (workload(), Payload::new(1));
        let end = calls
            .iter()
            .fold(BTreeMap::new(), |state, call| next(&state, call, &payload));
        let lengths: Vec<_> = end
            .iter()
            .map(|(path, file)| (path.as_str(), file.len()))
            .collect();
        assert_eq!(lengths, [("/config", 120), ("/log", 6 * 300 + 700 + 50)]);
    }

    /// A driver that answers some reads with the sector beside.
    #[cfg(feature = "littlefs")]
    struct Beside<'a>(Volume<'a, ByteTearing>);

    #[cfg(feature = "littlefs")]
    impl Subject for Beside<'_> {
        type Medium = ByteTearing;
        type Store = Mounted;
        type Call = Call;
        type State = BTreeMap<String, Vec<u8>>;

        fn prepare(&self, memory: Recorded<ByteTearing>) -> Outcome<()> {
            self.0.prepare(memory)
        }

        fn open(&self, memory: Recorded<ByteTearing>) -> Outcome<Mounted> {
            self.0.open(memory)
        }

        fn apply(&self, fs: &mut Mounted, call: &Call) -> Outcome<()> {
            self.0.apply(fs, call)
        }

        fn read(&self, fs: &mut Mounted) -> Outcome<Self::State> {
            let mut files = self.0.read(fs)?;
            if let Some(data) = files.get_mut("/data").filter(|data| data.len() >= 1024) {
                let (first, second) = data.split_at_mut(512);
                first.swap_with_slice(&mut second[..512]);
            }
            Ok(files)
        }

        fn next(&self, state: &Self::State, call: &Call) -> Self::State {
            self.0.next(state, call)
        }
    }

    #[test]
    #[cfg(feature = "littlefs")]
    fn two_sectors_in_each_others_place_are_found_out() {
        let catalog = wordline_catalog::Catalog::load(&[]).expect("the embedded sheets");
        let target = catalog.target("em064lx").expect("it is embedded");
        let kind = wordline_core::FsKind::Littlefs;
        let engine = Engine::new(kind, &target, &BTreeMap::new(), None).expect("it is built in");
        let control = Control::default();
        let volume = || Volume {
            engine: &engine,
            control: &control,
            payload: Payload::new(5),
            place: std::marker::PhantomData,
        };
        let harness = Harness {
            mode: Mode::Sample(10),
            again: None,
            ..Harness::new(Content::zeros(BYTES, 1), ByteTearing::contract())
        };
        assert_eq!(harness.check(&volume(), &self::workload()).failures, 0);
        let found = harness.check(&Beside(volume()), &self::workload());
        assert_ne!(found.failures, 0);
    }
}
