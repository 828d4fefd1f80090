//! Crash images of memories that are written byte by byte.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use wordline_core::draw::{Purpose, draw};
use wordline_memory::{ByteMemory, OutOfRange};

use super::content::Content;
use super::recording::{ImageId, Recorder, Tearing};

/// What a power cut does to the stores of a byte memory.
///
/// A write is split at multiples of the unit; each piece is a store, which is old or new. Stores
/// that can still be lost are *pending*: all since the last persist where the memory buffers, those
/// of the interrupted write where it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteTearing {
    /// Bytes that land whole; `None` for the [`atom`](ByteMemory::atom) that the memory promises.
    pub unit: Option<usize>,
    /// Whether a write that returned can be lost until the next persist.
    pub buffered: bool,
    /// Whether stores land in the order in which they were issued, rising within a write. Otherwise
    /// any of the pending ones may have landed without the others.
    pub ordered: bool,
    /// Bytes that a store in flight can spoil, its own and its neighbours: the word of the internal
    /// error correction. `None` where a store in flight is old or new.
    pub word: Option<usize>,
    /// The most pending stores of which all subsets are derived, at most 20. Of more, there are all
    /// prefixes, all pairs (landed alone, and missing alone) and a seeded sample.
    pub subsets_up_to: usize,
    /// Size of that sample at each cut.
    pub samples: u64,
}

impl ByteTearing {
    /// Everything that the contract of [`ByteMemory`] allows: nothing lasts before a persist, and
    /// atoms land in any order.
    #[must_use]
    pub const fn contract() -> Self {
        Self {
            unit: None,
            buffered: true,
            ordered: false,
            word: None,
            subsets_up_to: 12,
            samples: 10_000,
        }
    }

    /// A memory that stores each `unit` of bytes as it arrives on its bus, such as MRAM and FRAM.
    #[must_use]
    pub const fn bus(unit: usize) -> Self {
        Self {
            unit: Some(unit),
            buffered: false,
            ordered: true,
            ..Self::contract()
        }
    }

    /// The same, where a store in flight can spoil the whole `word` of bytes around it.
    #[must_use]
    pub const fn spoiling(self, word: usize) -> Self {
        Self {
            word: Some(word),
            ..self
        }
    }

    /// How many images of each kind a cut has.
    fn count(&self, pending: usize, fresh: usize) -> Counts {
        let p = pending as u64;
        let prefixes = p + u64::from(fresh == 0);
        let mut counts = Counts::default();
        if pending == 0 {
            counts.prefixes = 1;
        } else if self.ordered {
            counts.prefixes = prefixes;
        } else if pending <= self.subsets_up_to.min(20) {
            counts.masks = 1 << pending;
        } else {
            counts.prefixes = prefixes;
            counts.pairs = p * (p + 1) / 2;
            counts.samples = self.samples;
        }
        if self.word.is_some() {
            counts.spoilt = p * Spoilt::ALL.len() as u64;
        }
        counts
    }
}

/// How many variants of each kind a cut has, in the order in which they are numbered.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    prefixes: u64,
    masks: u64,
    /// Of each of two kinds.
    pairs: u64,
    samples: u64,
    spoilt: u64,
}

impl Counts {
    const fn total(self) -> u64 {
        self.prefixes + self.masks + 2 * self.pairs + self.samples + self.spoilt
    }

    /// What a variant stands for.
    fn cut(self, variant: u64, pending: usize, fresh: usize) -> Cut {
        let boundary = pending - fresh;
        let mut rest = variant;
        let mut take = |count: u64| {
            let found = (rest < count).then_some(rest);
            rest = rest.saturating_sub(count);
            found
        };
        if let Some(index) = take(self.prefixes) {
            // The boundary comes first, and is left out where it would come again.
            return Cut::Prefix(match index as usize {
                0 => boundary,
                next if next <= boundary => next - 1,
                next => next,
            });
        }
        if let Some(index) = take(self.masks) {
            // Flipping the boundary's bits brings the boundary to variant 0.
            return Cut::Subset(index ^ ((1 << boundary) - 1));
        }
        if let Some(index) = take(self.pairs) {
            let (one, other) = pair(index);
            return Cut::Only(one, other);
        }
        if let Some(index) = take(self.pairs) {
            let (one, other) = pair(index);
            return Cut::Without(one, other);
        }
        if take(self.samples).is_some() {
            return Cut::Sample;
        }
        let kinds = Spoilt::ALL.len() as u64;
        Cut::Spoilt {
            store: (rest / kinds) as usize,
            kind: Spoilt::ALL[(rest % kinds) as usize],
        }
    }
}

/// The pair with a number: (0, 0), (0, 1), (1, 1), (0, 2), …
fn pair(number: u64) -> (usize, usize) {
    // The root is taken in floating point and then corrected by at most one.
    let mut other = (((8 * number + 1) as f64).sqrt() as u64).saturating_sub(1) / 2;
    while (other + 1) * (other + 2) / 2 <= number {
        other += 1;
    }
    while other * (other + 1) / 2 > number {
        other -= 1;
    }
    ((number - other * (other + 1) / 2) as usize, other as usize)
}

/// Which of the pending stores a power cut left. Stores are counted from the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The first so many landed, and no other.
    Prefix(usize),
    /// Store `n` landed where bit `n` is 1.
    Subset(u64),
    /// These two landed, which may be one, and no other.
    Only(usize, usize),
    /// All landed but these two, which may be one.
    Without(usize, usize),
    /// A set that was drawn.
    Sample,
    /// All before the store landed, and the word around the store was spoilt.
    Spoilt {
        /// The store that was in flight.
        store: usize,
        /// What its word reads.
        kind: Spoilt,
    },
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prefix(count) => write!(f, "the first {count}"),
            Self::Subset(bits) => {
                let landed = (0..u64::BITS).filter(|bit| bits >> bit & 1 == 1);
                let landed: Vec<_> = landed.map(|store| store.to_string()).collect();
                match landed.is_empty() {
                    true => f.write_str("none"),
                    false => write!(f, "those numbered {}, from 0", landed.join(", ")),
                }
            }
            Self::Only(one, other) if one == other => write!(f, "number {one} alone, from 0"),
            Self::Only(one, other) => write!(f, "numbers {one} and {other} alone, from 0"),
            Self::Without(one, other) if one == other => write!(f, "all but number {one}, from 0"),
            Self::Without(one, other) => write!(f, "all but numbers {one} and {other}, from 0"),
            Self::Sample => f.write_str("some that were drawn"),
            Self::Spoilt { store, kind } => {
                let reads = match kind {
                    Spoilt::Zeros => "zeros",
                    Spoilt::Ones => "ones",
                    Spoilt::Noise => "noise",
                };
                write!(
                    f,
                    "all before number {store}, from 0, whose word reads as {reads}"
                )
            }
        }
    }
}

/// What a spoilt word reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spoilt {
    /// Every bit 0.
    Zeros,
    /// Every bit 1.
    Ones,
    /// Bits that were drawn.
    Noise,
}

impl Spoilt {
    const ALL: [Self; 3] = [Self::Zeros, Self::Ones, Self::Noise];
}

/// One operation on a byte memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ByteOperation {
    /// Bytes were stored.
    Write {
        /// Address of the first.
        at: u64,
        /// The bytes.
        data: Arc<[u8]>,
    },
    /// Everything before lasts.
    Persist,
}

/// One piece of a write that lands whole.
#[derive(Clone, Debug)]
struct PendingStore {
    at: u64,
    part: Range<usize>,
    data: Arc<[u8]>,
}

impl PendingStore {
    fn bytes(&self) -> &[u8] {
        &self.data[self.part.clone()]
    }
}

/// What a byte memory holds between two operations.
#[derive(Clone, Debug)]
pub struct ByteState {
    /// What no cut can take.
    lasting: Content,
    pending: Vec<PendingStore>,
    /// How many of the pending stores belong to the operation that began last.
    fresh: usize,
}

impl ByteState {
    fn settle(&mut self) {
        for store in self.pending.drain(..) {
            self.lasting.store(store.at, store.bytes());
        }
    }
}

impl Tearing for ByteTearing {
    type Operation = ByteOperation;
    type Content = Content;
    type State = ByteState;
    type Image = ByteImage;

    fn begin(&self, content: &Content) -> ByteState {
        ByteState {
            lasting: content.clone(),
            pending: Vec::new(),
            fresh: 0,
        }
    }

    fn start(&self, state: &mut ByteState, operation: &ByteOperation) {
        state.fresh = 0;
        let ByteOperation::Write { at, data } = operation else {
            return;
        };
        let unit = self.unit.unwrap_or(state.lasting.atom()).max(1);
        let mut done = 0;
        while done < data.len() {
            let address = at + done as u64;
            let left = unit - (address % unit as u64) as usize;
            let end = data.len().min(done + left);
            state.pending.push(PendingStore {
                at: address,
                part: done..end,
                data: Arc::clone(data),
            });
            state.fresh += 1;
            done = end;
        }
    }

    fn finish(&self, state: &mut ByteState, operation: &ByteOperation) {
        if !self.buffered || *operation == ByteOperation::Persist {
            state.settle();
        }
        state.fresh = 0;
    }

    fn variants(&self, state: &ByteState, operation: Option<&ByteOperation>) -> u64 {
        let fresh = operation.map_or(0, |_| state.fresh);
        self.count(state.pending.len(), fresh).total()
    }

    fn image(
        &self,
        state: &ByteState,
        operation: Option<&ByteOperation>,
        id: ImageId,
    ) -> ByteImage {
        let pending = &state.pending;
        let fresh = operation.map_or(0, |_| state.fresh);
        let counts = self.count(pending.len(), fresh);
        let cut = counts.cut(id.variant, pending.len(), fresh);
        let key = draw(id.seed, id.operation as u64, id.variant, Purpose::Tear);
        // Samples differ in how much landed, too.
        let share = draw(key, 0, 1, Purpose::Tear);
        let landed = |index: usize| match cut {
            Cut::Prefix(count) => index < count,
            Cut::Subset(mask) => mask >> index & 1 == 1,
            Cut::Only(one, other) => index == one || index == other,
            Cut::Without(one, other) => index != one && index != other,
            Cut::Sample => draw(key, index as u64, 0, Purpose::Tear) < share,
            Cut::Spoilt { store, .. } => index < store,
        };
        let mut content = state.lasting.clone();
        for (index, store) in pending.iter().enumerate() {
            if landed(index) {
                content.store(store.at, store.bytes());
            }
        }
        if let (Cut::Spoilt { store, kind }, Some(word)) = (cut, self.word) {
            spoil(&mut content, &pending[store], word.max(1) as u64, kind, key);
        }
        ByteImage { content, id, cut }
    }
}

/// Spoils the words that a store lies in.
fn spoil(content: &mut Content, store: &PendingStore, word: u64, kind: Spoilt, key: u64) {
    let end = store.at + store.part.len() as u64;
    let end = end.next_multiple_of(word).min(content.len());
    for at in store.at / word * word..end {
        content.store(
            at,
            &[match kind {
                Spoilt::Zeros => 0,
                Spoilt::Ones => 0xFF,
                Spoilt::Noise => draw(key, at, 2, Purpose::Tear) as u8,
            }],
        );
    }
}

/// What a power cut left in a byte memory. It meets the contract, so that recovery runs on it.
#[derive(Clone, Debug)]
pub struct ByteImage {
    content: Content,
    id: ImageId,
    cut: Cut,
}

impl ByteImage {
    /// Which image this is.
    #[must_use]
    pub const fn id(&self) -> ImageId {
        self.id
    }

    /// Which stores landed.
    #[must_use]
    pub const fn cut(&self) -> Cut {
        self.cut
    }

    /// A hash of the bytes: images of the same bytes share it.
    #[must_use]
    pub const fn hash(&self) -> u64 {
        self.content.hash()
    }

    /// The bytes.
    #[must_use]
    pub const fn content(&self) -> &Content {
        &self.content
    }

    /// Flips a stored bit; one outside the memory flips nothing.
    pub fn flip(&mut self, at: u64, bit: u8) {
        let mut byte = [0];
        if self.content.read(at, &mut byte).is_ok() {
            self.content.store(at, &[byte[0] ^ 1 << (bit % 8)]);
        }
    }

    /// Records what is done to the image, so that the power can fail again within recovery.
    #[must_use]
    pub fn record(self, tearing: ByteTearing) -> Recorder<Self, ByteTearing> {
        let content = self.content.clone();
        Recorder::new(self, content, tearing)
    }
}

impl ByteMemory for ByteImage {
    type Error = OutOfRange;

    fn len(&self) -> u64 {
        self.content.len()
    }

    fn atom(&self) -> usize {
        self.content.atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), OutOfRange> {
        self.content.read(at, out)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), OutOfRange> {
        self.content.write(at, data)
    }

    fn persist(&mut self) -> Result<(), OutOfRange> {
        Ok(())
    }
}

impl<M: ByteMemory> Recorder<M, ByteTearing> {
    /// Records what is done to a memory, whose content is first read through its contract. On a
    /// simulated device, time passes while it is read.
    ///
    /// # Errors
    /// When the memory fails.
    pub fn bytes(mut memory: M, tearing: ByteTearing) -> Result<Self, M::Error> {
        let content = Content::of(&mut memory)?;
        Ok(Self::new(memory, content, tearing))
    }
}

impl<M: ByteMemory> ByteMemory for Recorder<M, ByteTearing> {
    type Error = M::Error;

    fn len(&self) -> u64 {
        self.device.len()
    }

    fn atom(&self) -> usize {
        self.device.atom()
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), M::Error> {
        self.device.read(at, out)
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), M::Error> {
        self.record(
            |memory| memory.write(at, data),
            |result| {
                let stored = result.is_ok() && !data.is_empty();
                stored.then(|| ByteOperation::Write {
                    at,
                    data: data.into(),
                })
            },
        )
    }

    fn persist(&mut self) -> Result<(), M::Error> {
        self.record(M::persist, |result| {
            result.is_ok().then_some(ByteOperation::Persist)
        })
    }
}
