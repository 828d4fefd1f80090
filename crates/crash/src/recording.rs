//! One recorded run, and the images that derive from it, whatever the class of the device.

use std::fmt::{self, Debug};
use std::str::FromStr;

use wordline_core::SimClock;
use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::Time;

/// A class of devices: what its operations do, and what a power cut leaves of them.
pub trait Tearing: Clone + Debug {
    /// One operation that changes the memory, or makes earlier changes last.
    type Operation: Clone + Debug;
    /// What a memory holds.
    type Content: Clone + Debug;
    /// What a memory holds between two operations, with what a cut could still take from it.
    type State: Clone + Debug;
    /// What a power cut leaves; it meets the memory's contract.
    type Image;

    /// The state before the first operation.
    fn begin(&self, content: &Self::Content) -> Self::State;

    /// Lets an operation begin: the state that a cut within it interrupts.
    fn start(&self, state: &mut Self::State, operation: &Self::Operation);

    /// Lets the operation that began last come to its end.
    fn finish(&self, state: &mut Self::State, operation: &Self::Operation);

    /// How many images a cut within the operation can leave; at least 1. `None` stands for a cut
    /// after the last operation.
    fn variants(&self, state: &Self::State, operation: Option<&Self::Operation>) -> u64;

    /// One of these images. Variant 0 has every earlier operation whole and nothing of this one.
    fn image(
        &self,
        state: &Self::State,
        operation: Option<&Self::Operation>,
        id: ImageId,
    ) -> Self::Image;
}

/// Which image of a recording: the same id, tearing and recording give the same image.
///
/// ```
/// use wordline_crash::ImageId;
/// let id = ImageId { operation: 17, variant: 3, seed: 42 };
/// assert_eq!(id.to_string(), "17.3@42");
/// assert_eq!("17.3@42".parse(), Ok(id));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageId {
    /// The operation that the power cut interrupts, counted from 0: all before it had returned. The
    /// number of operations stands for a cut after the last.
    pub operation: usize,
    /// Which of the operation's images; 0 is the cut just before it.
    pub variant: u64,
    /// Seed of everything that the image draws.
    pub seed: u64,
}

impl fmt::Display for ImageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}@{}", self.operation, self.variant, self.seed)
    }
}

/// A text that is no [`ImageId`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` names no crash image; expected OPERATION.VARIANT@SEED, such as 17.3@42")]
pub struct ParseImageIdError {
    text: String,
}

impl FromStr for ImageId {
    type Err = ParseImageIdError;

    fn from_str(text: &str) -> Result<Self, ParseImageIdError> {
        let parse = || {
            let (place, seed) = text.split_once('@')?;
            let (operation, variant) = place.split_once('.')?;
            Some(Self {
                operation: operation.parse().ok()?,
                variant: variant.parse().ok()?,
                seed: seed.parse().ok()?,
            })
        };
        parse().ok_or_else(|| ParseImageIdError {
            text: text.to_owned(),
        })
    }
}

/// Which images of a recording to derive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Every variant of every operation.
    Exhaustive,
    /// The cuts between two operations alone.
    Linear,
    /// So many of each operation: the cut before it, and others drawn from its variants, of which one may come twice.
    Each(u64),
    /// This many, each from an operation and one of its variants drawn with equal chance. They come
    /// in the order of the operations, and one may come twice.
    Sample(usize),
}

/// An operation with the simulated time that it took.
#[derive(Clone, Debug)]
pub struct TimedOperation<O> {
    /// The operation.
    pub operation: O,
    /// When it began; zero where the recorder watched no clock.
    pub start: Time,
    /// When it returned; zero where the recorder watched no clock.
    pub end: Time,
}

/// A run: what the memory held before it, and every operation.
#[derive(Clone, Debug)]
pub struct Recording<T: Tearing> {
    tearing: T,
    start: T::Content,
    operations: Vec<TimedOperation<T::Operation>>,
}

impl<O> TimedOperation<O> {
    pub(super) fn map<P>(self, of: impl FnOnce(O) -> P) -> TimedOperation<P> {
        TimedOperation {
            operation: of(self.operation),
            start: self.start,
            end: self.end,
        }
    }
}

impl<T: Tearing> Recording<T> {
    /// A recording without operations.
    #[must_use]
    pub const fn new(start: T::Content, tearing: T) -> Self {
        Self {
            tearing,
            start,
            operations: Vec::new(),
        }
    }

    /// The operations, in order.
    #[must_use]
    pub fn operations(&self) -> &[TimedOperation<T::Operation>] {
        &self.operations
    }

    /// What the memory held before the first operation.
    #[must_use]
    pub const fn start(&self) -> &T::Content {
        &self.start
    }

    /// What a power cut does to the operations.
    #[must_use]
    pub const fn tearing(&self) -> &T {
        &self.tearing
    }

    pub(super) fn into_operations(self) -> Vec<TimedOperation<T::Operation>> {
        self.operations
    }

    /// Adds operations that came next.
    pub(super) fn extend(&mut self, next: impl IntoIterator<Item = TimedOperation<T::Operation>>) {
        self.operations.extend(next);
    }

    /// The same run on a device that tears otherwise.
    #[must_use]
    pub fn with_tearing(self, tearing: T) -> Self {
        Self { tearing, ..self }
    }

    /// The operation that a power cut at an instant interrupts, or the first that had not begun;
    /// the number of operations where all had returned. Needs a recorder that watched a clock.
    #[must_use]
    pub fn operation_at(&self, instant: Time) -> usize {
        self.operations
            .partition_point(|timed| timed.end <= instant)
    }

    /// Derives images, in the order of the operations.
    #[must_use]
    pub fn images(&self, mode: Mode, seed: u64) -> Images<'_, T> {
        let cuts = self.operations.len() as u64 + 1;
        let mut drawn = match mode {
            Mode::Sample(count) => (0..count as u64)
                .map(|image| (draw(seed, image, 0, Purpose::Tear) % cuts) as usize)
                .collect(),
            Mode::Exhaustive | Mode::Linear | Mode::Each(_) => Vec::new(),
        };
        drawn.sort_unstable_by(|one, next| next.cmp(one));
        let mut images = Images {
            recording: self,
            state: self.tearing.begin(&self.start),
            mode,
            seed,
            operation: 0,
            variant: 0,
            variants: 0,
            drawn,
        };
        images.enter();
        images
    }

    /// The image with an id, or `None` where the recording has none such.
    #[must_use]
    pub fn image(&self, id: ImageId) -> Option<T::Image> {
        if id.operation > self.operations.len() {
            return None;
        }
        let mut state = self.tearing.begin(&self.start);
        for timed in &self.operations[..id.operation] {
            self.tearing.start(&mut state, &timed.operation);
            self.tearing.finish(&mut state, &timed.operation);
        }
        let operation = self.operation(id.operation);
        if let Some(operation) = operation {
            self.tearing.start(&mut state, operation);
        }
        let exists = id.variant < self.tearing.variants(&state, operation);
        exists.then(|| self.tearing.image(&state, operation, id))
    }

    fn operation(&self, index: usize) -> Option<&T::Operation> {
        self.operations.get(index).map(|timed| &timed.operation)
    }
}

/// Images of a recording, derived one by one.
#[derive(Clone, Debug)]
pub struct Images<'a, T: Tearing> {
    recording: &'a Recording<T>,
    state: T::State,
    mode: Mode,
    seed: u64,
    operation: usize,
    /// Images that the operation has given so far.
    variant: u64,
    variants: u64,
    /// The operations drawn for a sample that are still to come, the next one last.
    drawn: Vec<usize>,
}

impl<T: Tearing> Images<'_, T> {
    /// Lets the operation at hand begin.
    fn enter(&mut self) {
        let tearing = &self.recording.tearing;
        let operation = self.recording.operation(self.operation);
        if let Some(operation) = operation {
            tearing.start(&mut self.state, operation);
        }
        self.variant = 0;
        self.variants = tearing.variants(&self.state, operation);
    }

    /// A variant of the operation at hand by chance.
    fn drawn_variant(&self) -> u64 {
        let (place, cycle) = (self.operation as u64, self.variant + 1);
        draw(self.seed, place, cycle, Purpose::Tear) % self.variants
    }

    /// The variant to derive next, of the operation at hand or of a later one.
    fn next_variant(&mut self) -> Option<u64> {
        loop {
            let variant = match self.mode {
                Mode::Exhaustive => Some(self.variant).filter(|next| *next < self.variants),
                Mode::Linear => Some(self.variant).filter(|next| *next == 0),
                Mode::Each(count) => (self.variant < count).then(|| match self.variant {
                    0 => 0,
                    _ => self.drawn_variant(),
                }),
                Mode::Sample(_) => {
                    let here = self.drawn.pop_if(|drawn| *drawn == self.operation);
                    here.map(|_| self.drawn_variant())
                }
            };
            if variant.is_some() {
                self.variant += 1;
                return variant;
            }
            let operation = self.recording.operation(self.operation)?;
            self.recording.tearing.finish(&mut self.state, operation);
            self.operation += 1;
            self.enter();
        }
    }
}

impl<T: Tearing> Iterator for Images<'_, T> {
    type Item = T::Image;

    fn next(&mut self) -> Option<T::Image> {
        let variant = self.next_variant()?;
        let id = ImageId {
            operation: self.operation,
            variant,
            seed: self.seed,
        };
        let operation = self.recording.operation(self.operation);
        let tearing = &self.recording.tearing;
        Some(tearing.image(&self.state, operation, id))
    }
}

/// A memory that keeps a record of what is done to it. It meets the contract that the memory
/// inside it meets; what changes nothing is not recorded.
#[derive(Clone, Debug)]
pub struct Recorder<D, T: Tearing> {
    pub(super) device: D,
    recording: Recording<T>,
    clock: Option<SimClock>,
}

impl<D, T: Tearing> Recorder<D, T> {
    /// Records what is done to a device that holds `content` now.
    #[must_use]
    pub const fn new(device: D, content: T::Content, tearing: T) -> Self {
        Self {
            device,
            recording: Recording::new(content, tearing),
            clock: None,
        }
    }

    /// Takes the time of each operation from a handle of the device's clock.
    #[must_use]
    pub fn watching(self, clock: SimClock) -> Self {
        Self {
            clock: Some(clock),
            ..self
        }
    }

    /// How many operations were recorded so far. What the code under test promised by now must hold
    /// in every image whose [`operation`](ImageId::operation) is not below this number.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.recording.operations.len()
    }

    /// The operations that were recorded so far.
    pub(super) fn recorded(&self) -> &[TimedOperation<T::Operation>] {
        &self.recording.operations
    }

    /// The memory.
    #[must_use]
    pub const fn device(&self) -> &D {
        &self.device
    }

    /// The recording so far; what comes now is recorded anew.
    pub(super) fn take_recording(&mut self) -> Recording<T> {
        let next = Recording::new(self.recording.start.clone(), self.recording.tearing.clone());
        std::mem::replace(&mut self.recording, next)
    }

    /// Ends the recording.
    #[must_use]
    pub fn finish(self) -> (D, Recording<T>) {
        (self.device, self.recording)
    }

    /// Runs one operation, and records what it did to the memory, if anything.
    pub(super) fn record<E>(
        &mut self,
        run: impl FnOnce(&mut D) -> Result<(), E>,
        operation: impl FnOnce(&Result<(), E>) -> Option<T::Operation>,
    ) -> Result<(), E> {
        let now = |clock: &Option<SimClock>| clock.as_ref().map_or(Time::ZERO, SimClock::now);
        let start = now(&self.clock);
        let result = run(&mut self.device);
        if let Some(operation) = operation(&result) {
            self.recording.operations.push(TimedOperation {
                operation,
                start,
                end: now(&self.clock),
            });
        }
        result
    }
}
