//! What a power cut leaves, by the crash images of `wordline_crash`.
//!
//! A cut interrupts one operation, so that only its block is in doubt: a flash image of that block alone is derived, and
//! lives on until the block is erased. Of a byte memory, the images are those of the writes that are pending.

use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::Time;
use wordline_crash::{
    ByteTearing, Content, FlashContent, FlashImage, FlashTear, FlashTearing, ImageId, Recording,
    Tearing,
};
use wordline_memory::{ByteMemory, Ecc, Flash, Geometry};
use wordline_nvm::{BlockContent, NvmError};

use super::abi::Cut;
use super::cells::{Cells, count_as_erased, erased_page, place};
use super::device::Op;
use super::fault::{FaultReason, MemoryFault};

/// What a cut leaves of the operation that it interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tear {
    Clean,
    Torn,
    Reordered,
}

/// A write that a cut can still take.
#[derive(Clone, Debug)]
struct PendingCut {
    at: u64,
    old: Vec<u8>,
    new: Vec<u8>,
}

/// A power cut that is due.
#[derive(Clone, Debug)]
pub(super) struct Due {
    /// Changes until then, the interrupted one included.
    changes: Option<u64>,
    time: Option<Time>,
    tear: Tear,
    seed: u64,
    pending: Vec<PendingCut>,
    /// The longest that an operation of up to [`SHORT`] bytes takes; `None` where that is not known.
    longest: Option<Time>,
}

/// Operations of no more bytes have a bound that is computed once a cut.
pub(super) const SHORT: u64 = 1 << 15;

impl Due {
    /// A cut as C asks for it.
    pub(super) fn of(cut: &Cut) -> Result<Self, MemoryFault> {
        let tear = match cut.tear {
            0 => Tear::Clean,
            1 => Tear::Torn,
            2 => Tear::Reordered,
            found => {
                return Err(FaultReason::Value {
                    what: "tear",
                    found,
                    allowed: "WL_MEMORY_CUT_CLEAN, _TORN or _REORDERED, 0 to 2",
                }
                .into());
            }
        };
        Ok(Self {
            changes: (cut.operations > 0).then_some(cut.operations),
            time: (cut.time_ps > 0).then_some(Time::from_ps(cut.time_ps)),
            tear,
            seed: cut.seed,
            pending: Vec::new(),
            longest: None,
        })
    }

    /// Sets the longest time of a short operation, which a cut by time is compared with.
    pub(super) fn expect_within(&mut self, longest: Option<Time>) {
        self.longest = longest.filter(|_| self.time.is_some());
    }

    /// Whether so many operations like one, begun now, may meet the cut, or have to be noted for it: then they need the
    /// state before them. The others only count.
    #[inline(always)]
    pub(super) fn concerns(&self, op: &Op<'_>, operations: u64, now: Time) -> bool {
        if self.tear == Tear::Reordered && matches!(op, Op::Write { .. } | Op::Sync) {
            return true;
        }
        if op.is_change() && self.changes.is_some_and(|changes| changes <= operations) {
            return true;
        }
        let Some(time) = self.time else {
            return false;
        };
        let longest = self.longest.filter(|_| op.bytes() <= SHORT);
        let all = longest.and_then(|longest| longest.ps().checked_mul(operations));
        let end = all.and_then(|all| now.checked_plus(Time::from_ps(all)));
        end.is_none_or(|end| end >= time)
    }

    /// Counts operations that the cut does not [concern](Self::concerns), those alone that took time.
    #[inline(always)]
    pub(super) fn pass(&mut self, op: &Op<'_>, operations: u64, took_time: bool) {
        if let Some(changes) = &mut self.changes
            && op.is_change()
            && took_time
        {
            *changes -= operations;
        }
    }

    /// Whether it is to come at once.
    pub(super) const fn is_at_once(&self) -> bool {
        self.changes.is_none() && self.time.is_none()
    }

    /// Takes the place of an earlier cut, with the writes that one could have taken.
    pub(super) fn take_over(&mut self, earlier: &mut Self) {
        if (self.tear, earlier.tear) == (Tear::Reordered, Tear::Reordered) {
            self.pending = std::mem::take(&mut earlier.pending);
        }
    }

    /// When the power goes, if that is not after `end`.
    pub(super) fn in_pause(&self, end: Time) -> Option<Time> {
        self.time.filter(|time| *time <= end)
    }

    /// When the power goes within an operation, if it does. The operation counts if it changes the memory and took time.
    pub(super) fn within(&mut self, op: &Op<'_>, start: Time, end: Time) -> Option<Time> {
        let by_time = self.time.filter(|time| *time < end || *time <= start);
        let by_time = by_time.map(|time| time.later(start));
        let mut by_number = None;
        if let Some(changes) = &mut self.changes
            && op.is_change()
            && end > start
        {
            *changes -= 1;
            let half = Time::from_ps(end.since(start).ps() / 2);
            by_number = (*changes == 0).then(|| start.plus(half));
        }
        [by_time, by_number].into_iter().flatten().min()
    }

    /// Notes a write. `before` is what was there before it.
    pub(super) fn note(&mut self, op: &Op<'_>, before: &Cells) -> Result<(), MemoryFault> {
        if let Op::Write { at, data } = op {
            if self.tear != Tear::Reordered {
                self.pending.clear();
            }
            let mut old = vec![0; data.len()];
            before.fork().bytes()?.read(*at, &mut old)?;
            self.pending.push(PendingCut {
                at: *at,
                old,
                new: data.to_vec(),
            });
        }
        Ok(())
    }

    /// Notes that all that was written lasts: a sync has returned.
    pub(super) fn settle(&mut self) {
        self.pending.clear();
    }

    /// Lets `left`, which is as before the operation, hold what a cut within it leaves. `done` is as after it.
    pub(super) fn tear(
        &self,
        left: &mut Cells,
        done: &mut Cells,
        op: &Op<'_>,
        tearing: FlashTearing,
    ) -> Result<(), MemoryFault> {
        match (op, self.tear) {
            (_, Tear::Clean) => Ok(()),
            (Op::Program { .. } | Op::Erase { .. }, _) => {
                tear_block(left, done, op, tearing, self.seed)
            }
            (Op::Write { .. }, _) => self.tear_writes(left),
            _ => self.take_pending(left),
        }
    }

    /// Lets `left` hold what a cut between two operations leaves, or one within an operation that changes nothing.
    pub(super) fn take_pending(&self, left: &mut Cells) -> Result<(), MemoryFault> {
        if self.tear == Tear::Reordered && !self.pending.is_empty() {
            return self.tear_writes(left);
        }
        Ok(())
    }

    fn tear_writes(&self, left: &mut Cells) -> Result<(), MemoryFault> {
        let reordered = self.tear == Tear::Reordered;
        let tearing = ByteTearing {
            buffered: reordered,
            ordered: !reordered,
            ..ByteTearing::contract()
        };
        let device = left.bytes()?;
        let mut before = Content::zeros(device.len(), device.atom());
        for pending in self.pending.iter().rev() {
            before
                .write(pending.at, &pending.old)
                .map_err(NvmError::from)?;
        }
        let mut recorder = first(&Recording::new(before, tearing), self.seed)?.record(tearing);
        for pending in &self.pending {
            recorder
                .write(pending.at, &pending.new)
                .map_err(NvmError::from)?;
        }
        let recording = recorder.finish().1;
        let last = recording.operations().len().saturating_sub(1);
        let image = drawn(&recording, last, self.seed)?;
        for pending in &self.pending {
            let mut bytes = vec![0; pending.new.len()];
            image
                .content()
                .read(pending.at, &mut bytes)
                .map_err(NvmError::from)?;
            device.preload(pending.at, &bytes)?;
        }
        Ok(())
    }
}

/// The image of a recording's start.
fn first<T: Tearing>(recording: &Recording<T>, seed: u64) -> Result<T::Image, MemoryFault> {
    let id = ImageId {
        operation: 0,
        variant: 0,
        seed,
    };
    Ok(recording.image(id).ok_or(FaultReason::Internal)?)
}

/// One of the images of a cut within an operation, each with equal chance.
fn drawn<T: Tearing>(
    recording: &Recording<T>,
    operation: usize,
    seed: u64,
) -> Result<T::Image, MemoryFault> {
    let id = |variant| ImageId {
        operation,
        variant,
        seed,
    };
    let exists = |variant: u64| recording.image(id(variant)).is_some();
    // Variants are numbered from 0 without gaps: their number lies between what exists and what does not.
    let mut missing = 1;
    while exists(missing) {
        missing *= 2;
    }
    let mut known = missing / 2;
    while missing - known > 1 {
        let middle = known + (missing - known) / 2;
        if exists(middle) {
            known = middle;
        } else {
            missing = middle;
        }
    }
    let variant = draw(seed, operation as u64, 0, Purpose::Tear) % (known + 1);
    Ok(recording.image(id(variant)).ok_or(FaultReason::Internal)?)
}

/// Leaves a block as a cut within its program or erase does.
fn tear_block(
    left: &mut Cells,
    done: &mut Cells,
    op: &Op<'_>,
    tearing: FlashTearing,
    seed: u64,
) -> Result<(), MemoryFault> {
    let geometry = left.flash()?.geometry();
    let (block, erases) = match *op {
        Op::Erase { block } => (block, true),
        Op::Program { page, .. } => (place(geometry, page).0, false),
        _ => return Ok(()),
    };
    if left.faults.contains_key(&block) {
        // What fails or does nothing leaves the cells as they are.
        return Ok(());
    }
    let image = match left.torn.get(&block) {
        Some(image) => image.clone(),
        None => {
            let mut alone = Alone::new(geometry, left.flash()?.content(block)?);
            let content = FlashContent::of(&mut alone)?;
            first(&Recording::new(content, tearing), seed)?
        }
    };
    let mut recorder = image.record(tearing);
    // An operation that the memory refuses is not recorded, and leaves nothing.
    let _ = match *op {
        Op::Program { page, column, data } => {
            recorder.program(place(geometry, page).1, column, data)
        }
        _ => recorder.erase(0),
    };
    let recording = recorder.finish().1;
    if recording.operations().is_empty() {
        return Ok(());
    }
    let mut image = drawn(&recording, 0, seed)?;
    if image.tear() == FlashTear::Nothing {
        return Ok(());
    }
    let mut content = done.flash()?.content(block)?;
    if erases {
        count_as_erased(&mut content);
        let cycles = done.flash()?.cycles(block)?;
        left.flash()?.set_cycles(block, cycles)?;
    }
    one_reading(&mut content, &mut image, geometry);
    left.flash()?.set_content(block, &content)?;
    left.torn.insert(block, image);
    Ok(())
}

/// Lets a block hold one reading of what a cut left.
fn one_reading(content: &mut BlockContent, image: &mut FlashImage, geometry: Geometry) {
    for page in 0..geometry.pages_per_block {
        let bytes = image.content().page_bytes(page);
        if bytes.iter().all(|byte| *byte == 0xFF) && !content.pages.contains_key(&page) {
            continue;
        }
        let mut again = vec![0; bytes.len()];
        let given_up = image.read(page, 0, &mut again).is_err();
        let held = content
            .pages
            .entry(page)
            .or_insert_with(|| erased_page(geometry));
        held.bytes = if given_up { bytes } else { again };
        held.given_up = given_up;
        held.wrong.clear();
    }
}

/// One block as a memory of its own, to be looked at.
struct Alone {
    geometry: Geometry,
    content: BlockContent,
}

impl Alone {
    const fn new(mut geometry: Geometry, content: BlockContent) -> Self {
        geometry.blocks = 1;
        Self { geometry, content }
    }
}

impl Flash for Alone {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        self.geometry.check_read(page, column, out.len() as u64)?;
        match self.content.pages.get(&page) {
            Some(page) => out.copy_from_slice(&page.bytes[column as usize..][..out.len()]),
            None => out.fill(0xFF),
        }
        Ok(Ecc::Clean)
    }

    fn program(&mut self, page: u32, _: u32, _: &[u8]) -> Result<(), NvmError> {
        Err(NvmError::ProgramFailed { page })
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        Err(NvmError::EraseFailed { block })
    }

    /// An operation that a cut interrupts was not refused: its block is marked good.
    fn is_bad(&mut self, _: u32) -> Result<bool, NvmError> {
        Ok(false)
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        Err(NvmError::EraseFailed { block })
    }
}
