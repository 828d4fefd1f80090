//! What power cuts leave of a file system: a fixed workload, cut at operations that are drawn, mounted again, read and
//! used.
//!
//! The promise is the strictest that a caller can hope for: after a cut every file is as before or after the call that
//! was cut, nothing else is there, and whatever a call that returned had synced is there. The memory is nearly full when
//! the workload begins, and whatever the file system or the layer below it puts off is due: littlefs compacts and moves
//! a directory, a translation layer cleans. Some mounts and the calls after them are cut again.

mod workload;

use std::cell::RefCell;
use std::rc::Rc;

use wordline_crash::harness::{Again, Harness, Outcome, Recorded, Verdict};
use wordline_crash::{ByteTearing, Content, FlashContent, FlashTearing, Mode, Tearing};
use wordline_engines::FileSystem;
use wordline_engines::crash::{CutMemory, FileCall, FileSubject};
use wordline_memory::Geometry;
use wordline_nvm::Memory;

use self::workload::{after, churn, fill, head_bytes, refill, scatter, workload};
use super::engine::FileSystemSetup;
use crate::control::Control;
use crate::payload::Payload;
use crate::power_cuts::violation_kinds;

/// Blocks that the workload has: enough for a translation layer with its spare ones.
const BLOCKS: u32 = 64;

/// Bytes that it has of a memory without blocks.
const BYTES: u64 = 256 << 10;

/// A sector of such a memory.
const SECTOR_BYTES: u32 = 512;

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

/// What power cuts left, and why some of it is as it is.
pub(super) struct CrashFindings {
    pub(super) verdict: Verdict,
    /// Calls of the workload.
    pub(super) calls: usize,
    /// Failures that are a refusal to work without a block that cannot be replaced, which a cut erase left bad.
    pub(super) without_start: u64,
    /// Each kind of failure with its first image.
    pub(super) kinds: Vec<String>,
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
    let stopped = || control.stopped();
    match memory {
        Memory::Flash(flash) => {
            let whole = flash.geometry();
            let geometry = Geometry {
                blocks: whole.blocks.min(BLOCKS),
                ..whole
            };
            let model = engine.target.part.model.flash();
            let tearing = model.map_or(FlashTearing::raw(), FlashTearing::of);
            let mut subject = flash_subject(engine);
            subject.stopped = &stopped;
            let bytes = geometry.capacity_bytes();
            let volume = CrashVolume::new(engine, subject, seed, (bytes, geometry.page_bytes));
            volume.cut(FlashContent::erased(geometry), tearing, images)
        }
        Memory::Bytes(device) => {
            let content = Content::zeros(device.len().min(BYTES), device.atom());
            let mut subject = engine.kind.subject(engine.options().clone(), |memory, _| {
                engine.on_bytes(memory)
            });
            subject.stopped = &stopped;
            let volume = CrashVolume::new(engine, subject, seed, (content.len(), SECTOR_BYTES));
            volume.cut(content, ByteTearing::contract(), images)
        }
    }
}

/// A file system on flash as software under test, over its layer where it has one.
fn flash_subject<'a>(engine: &'a FileSystemSetup<'a>) -> FileSubject<'a, FlashTearing> {
    engine
        .kind
        .subject(engine.options().clone(), |memory, formats| {
            Ok(engine.on_flash(memory, formats)?.0)
        })
}

/// What a memory held at some time, and how many operations were behind it.
type WornIn<T> = (<T as Tearing>::Content, usize);

/// A file system that is cut.
struct CrashVolume<'a, T: CutMemory> {
    subject: FileSubject<'a, T>,
    calls: Vec<FileCall>,
    seed: u64,
    /// What the memory held before each round of changes and after the last.
    worn_in: Rc<RefCell<Vec<WornIn<T>>>>,
}

impl<'a, T: CutMemory + 'a> CrashVolume<'a, T> {
    /// On a memory of so many bytes in pages of so many, which is filled and whose directory changes before the workload
    /// begins.
    fn new(
        engine: &'a FileSystemSetup<'a>,
        mut subject: FileSubject<'a, T>,
        seed: u64,
        (bytes, page_bytes): (u64, u32),
    ) -> Self {
        let (payload, old_bytes) = (Payload::new(seed), (bytes / 32).max(1));
        let worn_in = Rc::new(RefCell::new(Vec::new()));
        let (noted, stored) = (Rc::clone(&worn_in), payload.clone());
        let wear_in = move |fs: &mut dyn FileSystem, memory: &Recorded<T>| -> Outcome<()> {
            fill(fs, old_bytes, ROOM, &stored)?;
            if engine.layer.is_some() {
                refill(fs, old_bytes, &stored)?;
            } else if engine.cleans() {
                scatter(fs, old_bytes, bytes, seed, &stored)?;
            }
            let note = || {
                let now = (memory.content(), memory.operations());
                noted.borrow_mut().push(now);
            };
            note();
            if engine.puts_off() {
                for _ in 0..ROUNDS {
                    churn(fs)?;
                    note();
                }
            }
            Ok(())
        };
        subject.prepare = Box::new(wear_in);
        subject.head_bytes = head_bytes;
        let single_changes = |calls| engine.kind.single_changes(calls, page_bytes);
        subject.after = single_changes(after(&payload));
        Self {
            subject,
            calls: single_changes(workload(&payload)),
            seed,
            worn_in,
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
        let calls = &self.calls;
        let (harness, verdict) = match self.due(&harness) {
            Ok(start) => {
                let harness = Harness { start, ..harness };
                let verdict = harness.check(&self.subject, calls);
                (harness, verdict)
            }
            Err(verdict) => (harness, *verdict),
        };
        CrashFindings {
            without_start: self.subject.refusals.get(),
            kinds: violation_kinds(&harness, &self.subject, calls, &verdict),
            calls: calls.len(),
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
        let verdict = nothing_cut.check(&self.subject, &[]);
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
        self.subject.is_ready.set(start.is_some());
        start.map(|(content, _)| content).ok_or(Box::new(verdict))
    }
}

#[cfg(all(test, feature = "littlefs"))]
mod tests;
