//! What power cuts leave of a file system: a fixed workload, cut at operations that are drawn, mounted again, read and
//! used.
//!
//! The promise is the strictest that a caller can hope for: after a cut every file is as before or after the call that
//! was cut, nothing else is there, and whatever a call that returned had synced is there. The memory is nearly full when
//! the workload begins, and whatever the file system or the layer below it puts off is due: littlefs compacts and moves
//! a directory, a translation layer cleans. Some mounts and the calls after them are cut again.

mod workload;

use std::cell::{Cell, RefCell};

use wordline_core::Metric;
use wordline_crash::harness::{
    Again, Case, Harness, Medium, Outcome, Recorded, Subject, Verdict, Violation,
};
use wordline_crash::{ByteTearing, Content, FlashContent, FlashTearing, Mode};
use wordline_engines::{FsError, FsErrorKind};
use wordline_memory::{Flash as _, Geometry};
use wordline_nvm::Memory;

use self::workload::{FileCall, Files, after, apply, churn, fill, next, read, refill, workload};
use super::calls::Mounted;
use super::engine::{FileSystemSetup, Ready};
use crate::control::Control;
use crate::payload::Payload;

/// Blocks that the workload has: enough for a translation layer with its spare ones.
const BLOCKS: u32 = 64;

/// Bytes that it has of a memory without blocks.
const BYTES: u64 = 256 << 10;

/// Accesses of the memory that a call may take, mount included.
const ACCESSES: u64 = 1 << 22;

/// Room that the workload needs, blocks that are copied on writing included.
const ROOM: u64 = 24 << 10;

/// Rounds of changes to a directory among which the costliest is looked for.
const ROUNDS: usize = 128;

/// Rounds before it at which the workload begins, which changes the directory as often within its first calls.
const LEAD: usize = 3;

/// One image in so many has its recovery cut as well.
const AGAIN_EVERY: u64 = 4;

/// Cuts that are drawn of such a recovery.
const AGAIN: usize = 2;

impl std::fmt::Display for ViolationClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (count, cuts) = (self.count, self.cuts.join("; then "));
        write!(
            f,
            "{} ({count}; first image {}: cut {cuts})",
            self.name, self.first
        )
    }
}

/// What a verdict tells: distinct images, those that fail, and operations of the workload.
pub(super) const METRICS: [Metric; 3] = [
    Metric::CrashImages,
    Metric::CrashFailures,
    Metric::CrashBoundaries,
];

/// What power cuts left, and why some of it is as it is.
pub(super) struct CrashFindings {
    pub(super) verdict: Verdict,
    /// Calls of the workload.
    pub(super) calls: usize,
    /// Failures that are a refusal to work without a block that cannot be replaced, which a cut erase left bad.
    pub(super) without_start: u64,
    /// Each kind of failure with its first image.
    pub(super) kinds: Vec<ViolationClass>,
}

/// Failures of one kind.
pub(super) struct ViolationClass {
    pub(super) name: String,
    pub(super) count: u64,
    /// The name of the first image.
    pub(super) first: String,
    /// What its cuts interrupted, and what they left.
    pub(super) cuts: Vec<String>,
}

impl CrashFindings {
    /// What went wrong in the run that no cut ended, which says nothing of power cuts.
    pub(super) fn uncut_failure(&self) -> Option<&Violation> {
        let first = self.verdict.first.as_ref()?;
        (first.case == Case::default()).then_some(&first.violation)
    }
}

/// Cuts the workload of an engine on a memory like a target's, `images` times. A caller who wants to stop gets a verdict
/// that says nothing.
pub(super) fn check(
    engine: &FileSystemSetup<'_>,
    memory: &Memory,
    images: u64,
    seed: u64,
    control: &Control<'_>,
) -> CrashFindings {
    let engine = &engine.eager();
    match memory {
        Memory::Flash(flash) => {
            let whole = flash.geometry();
            let geometry = Geometry {
                blocks: whole.blocks.min(BLOCKS),
                ..whole
            };
            let model = engine.target.part.model.flash();
            let tearing = model.map_or(FlashTearing::raw(), FlashTearing::of);
            let volume = CrashVolume::new(engine, control, seed, geometry.capacity_bytes());
            volume.cut(FlashContent::erased(geometry), tearing, images)
        }
        Memory::Bytes(device) => {
            let content = Content::zeros(device.len().min(BYTES), device.atom());
            let volume = CrashVolume::new(engine, control, seed, content.len());
            volume.cut(content, ByteTearing::contract(), images)
        }
    }
}

/// A class of memories that engines are set up on.
trait Place: Medium {
    fn format(engine: &FileSystemSetup<'_>, memory: Recorded<Self>) -> Result<(), FsError>;
    fn mount(engine: &FileSystemSetup<'_>, memory: Recorded<Self>) -> Result<Ready, FsError>;
    /// Whether one of the first blocks takes no erase any more.
    fn lacks_start(memory: Recorded<Self>, blocks: u32) -> bool;
}

impl Place for FlashTearing {
    fn format(engine: &FileSystemSetup<'_>, memory: Recorded<Self>) -> Result<(), FsError> {
        engine.format_flash(memory)
    }

    fn mount(engine: &FileSystemSetup<'_>, memory: Recorded<Self>) -> Result<Ready, FsError> {
        engine.mount_flash(memory)
    }

    fn lacks_start(mut memory: Recorded<Self>, blocks: u32) -> bool {
        (0..blocks).any(|block| memory.erase(block).is_err())
    }
}

impl Place for ByteTearing {
    fn format(engine: &FileSystemSetup<'_>, memory: Recorded<Self>) -> Result<(), FsError> {
        engine.format_bytes(memory)
    }

    fn mount(engine: &FileSystemSetup<'_>, memory: Recorded<Self>) -> Result<Ready, FsError> {
        engine.mount_bytes(memory)
    }

    fn lacks_start(_: Recorded<Self>, _: u32) -> bool {
        false
    }
}

/// A file system as software under test.
struct CrashVolume<'a, T: Place> {
    engine: &'a FileSystemSetup<'a>,
    control: &'a Control<'a>,
    payload: Payload,
    seed: u64,
    /// Bytes of a file that fills the memory.
    old_bytes: u64,
    /// What the memory held before each round of changes and after the last, with the operations that were behind it.
    worn_in: RefCell<Vec<(T::Content, usize)>>,
    /// Whether the memory comes as it is when the workload begins.
    is_ready: Cell<bool>,
    without_start: Cell<u64>,
    place: std::marker::PhantomData<T>,
}

/// What is mounted, with another handle of its memory.
struct OpenedImage<T: Place> {
    mounted: Mounted,
    memory: Recorded<T>,
}

impl<'a, T: Place> CrashVolume<'a, T> {
    fn new(
        engine: &'a FileSystemSetup<'a>,
        control: &'a Control<'a>,
        seed: u64,
        bytes: u64,
    ) -> Self {
        Self {
            engine,
            control,
            payload: Payload::new(seed),
            seed,
            old_bytes: (bytes / 32).max(1),
            worn_in: RefCell::new(Vec::new()),
            is_ready: Cell::new(false),
            without_start: Cell::new(0),
            place: std::marker::PhantomData,
        }
    }

    fn cut(&self, start: T::Content, tearing: T, images: u64) -> CrashFindings {
        let harness = Harness {
            mode: Mode::Sample(usize::try_from(images).unwrap_or(usize::MAX)),
            seed: self.seed,
            again: Some(Again {
                every: AGAIN_EVERY,
                mode: Mode::Sample(AGAIN),
            }),
            accesses: ACCESSES,
            ..Harness::new(start, tearing)
        };
        let calls = workload();
        let (harness, verdict) = match self.due(&harness) {
            Ok(start) => {
                let harness = Harness { start, ..harness };
                let verdict = harness.check(self, &calls);
                (harness, verdict)
            }
            Err(verdict) => (harness, *verdict),
        };
        let without_start = self.without_start.get();
        let kinds = verdict.examples.iter().map(|(name, first)| {
            let report = harness.report(self, &calls, first);
            ViolationClass {
                name: name.clone(),
                count: verdict.kinds.get(name).copied().unwrap_or(0),
                first: first.case.to_string(),
                cuts: report.cuts().map(str::to_owned).collect(),
            }
        });
        CrashFindings {
            kinds: kinds.collect(),
            calls: calls.len(),
            without_start,
            verdict,
        }
    }

    /// What the memory holds when the costliest round of changes is due, where file system or layer put work off; the
    /// verdict of the preparations where they fail.
    fn due(&self, harness: &Harness<T>) -> Result<T::Content, Box<Verdict>> {
        let nothing_cut = Harness {
            mode: Mode::Sample(0),
            ..harness.clone()
        };
        let verdict = nothing_cut.check(self, &[]);
        let worn_in = self.worn_in.take();
        let taken = worn_in.windows(2).map(|pair| pair[1].1 - pair[0].1);
        let taken: Vec<_> = taken.collect();
        let most = taken.iter().max();
        let costliest = taken.iter().position(|count| Some(count) == most);
        let begin = costliest.unwrap_or(0).saturating_sub(LEAD);
        let start = worn_in
            .into_iter()
            .nth(begin)
            .filter(|_| verdict.failures == 0);
        self.is_ready.set(start.is_some());
        start.map(|(content, _)| content).ok_or(Box::new(verdict))
    }

    /// Fills the memory and lets its directory change.
    fn wear_in(&self, fs: &mut Mounted, memory: &Recorded<T>) -> Outcome<()> {
        fill(fs, self.old_bytes, ROOM, &self.payload)?;
        if self.engine.layer.is_some() {
            refill(fs, self.old_bytes, &self.payload)?;
        }
        let note = || {
            let now = (memory.content(), memory.operations());
            self.worn_in.borrow_mut().push(now);
        };
        note();
        if self.engine.puts_off() {
            for _ in 0..ROUNDS {
                churn(fs)?;
                note();
            }
        }
        Ok(())
    }
}

impl<T: Place> Subject for CrashVolume<'_, T> {
    type Medium = T;
    type Store = OpenedImage<T>;
    type Call = FileCall;
    type State = Files;

    fn prepare(&self, memory: Recorded<T>) -> Outcome<()> {
        if self.is_ready.get() {
            return Ok(());
        }
        T::format(self.engine, memory.clone())?;
        let mut opened = self.open(memory)?;
        self.wear_in(&mut opened.mounted, &opened.memory)
    }

    fn open(&self, memory: Recorded<T>) -> Outcome<OpenedImage<T>> {
        if self.control.stopped() {
            return Err("the caller stopped it".into());
        }
        let mounted = T::mount(self.engine, memory.clone())?.mounted;
        Ok(OpenedImage { mounted, memory })
    }

    fn apply(&self, store: &mut OpenedImage<T>, call: &FileCall) -> Outcome<()> {
        let result = apply(&mut store.mounted, call, &self.payload);
        if let Err(error) = &result {
            let is_full = error.kind == FsErrorKind::Full;
            let fixed = self.engine.kind.promise().fixed_blocks;
            let refused = is_full && T::lacks_start(store.memory.clone(), fixed);
            self.without_start
                .update(|count| count + u64::from(refused));
        }
        Ok(result?)
    }

    fn read(&self, store: &mut OpenedImage<T>) -> Outcome<Files> {
        Ok(read(&mut store.mounted)?)
    }

    fn next(&self, files: &Files, call: &FileCall) -> Files {
        next(files, call, &self.payload)
    }

    fn after(&self) -> Vec<FileCall> {
        after()
    }
}

#[cfg(all(test, feature = "littlefs"))]
mod tests;
