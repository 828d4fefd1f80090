//! The memory that the software under test works on.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use wordline_memory::{ByteMemory, Ecc, EraseMode, Flash, Geometry};

use super::medium::{Medium, MediumRecorder};
use crate::{ByteTearing, FlashTearing, PairTearing, Recording};
use wordline_nvm::NvmError;

/// A handle of a memory that starts from an image and is recorded. It meets the contract of its class; once the
/// harness has switched it off, every access fails.
#[derive(Debug)]
pub struct Recorded<T: Medium> {
    recorder: Arc<dyn SharedRecorder<T>>,
    /// Accesses until the memory goes off by itself.
    left: Arc<AtomicU64>,
}

impl<T: Medium> Clone for Recorded<T> {
    fn clone(&self) -> Self {
        Self {
            recorder: Arc::clone(&self.recorder),
            left: Arc::clone(&self.left),
        }
    }
}

/// A recorder of which there are several handles.
trait SharedRecorder<T: Medium>: Debug + Send + Sync {
    fn with(&self, run: &mut dyn FnMut(&mut T::Recorder));
}

impl<T: Medium> SharedRecorder<T> for Mutex<T::Recorder> {
    fn with(&self, run: &mut dyn FnMut(&mut T::Recorder)) {
        // A panic of the software under test leaves the memory as a power cut does.
        run(&mut self.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// The first of two memories.
#[derive(Debug)]
struct FirstRecorder<A: Medium, B: Medium>(Arc<dyn SharedRecorder<PairTearing<A, B>>>);

impl<A: Medium, B: Medium> SharedRecorder<A> for FirstRecorder<A, B> {
    fn with(&self, run: &mut dyn FnMut(&mut A::Recorder)) {
        self.0.with(&mut |pair| pair.on_first(run));
    }
}

/// The second.
#[derive(Debug)]
struct SecondRecorder<A: Medium, B: Medium>(Arc<dyn SharedRecorder<PairTearing<A, B>>>);

impl<A: Medium, B: Medium> SharedRecorder<B> for SecondRecorder<A, B> {
    fn with(&self, run: &mut dyn FnMut(&mut B::Recorder)) {
        self.0.with(&mut |pair| pair.on_second(run));
    }
}

impl<A: Medium, B: Medium> Recorded<PairTearing<A, B>> {
    /// The two memories, each as a handle of its own. Their accesses count together.
    #[must_use]
    pub fn halves(&self) -> (Recorded<A>, Recorded<B>) {
        let first = FirstRecorder(Arc::clone(&self.recorder));
        let second = SecondRecorder(Arc::clone(&self.recorder));
        let first = Recorded {
            recorder: Arc::new(first),
            left: Arc::clone(&self.left),
        };
        let second = Recorded {
            recorder: Arc::new(second),
            left: Arc::clone(&self.left),
        };
        (first, second)
    }
}

impl<T: Medium> Recorded<T> {
    pub(super) fn new(image: T::Image, tearing: T, accesses: u64) -> Self {
        Self {
            recorder: Arc::new(Mutex::new(T::Recorder::of(image, tearing))),
            left: Arc::new(AtomicU64::new(accesses)),
        }
    }

    /// How many operations were recorded so far.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.with(|recorder| recorder.operations())
    }

    /// Allows so many accesses from now on.
    pub(super) fn allow(&self, accesses: u64) {
        self.left.store(accesses, Ordering::Relaxed);
    }

    /// Whether the accesses that were allowed are used up.
    pub(super) fn is_off(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    /// What the memory holds: where a [`Harness`](super::Harness) of its own may start.
    #[must_use]
    pub fn content(&self) -> T::Content {
        self.with(|recorder| recorder.content())
    }

    /// Switches the power off: what the software does from now on, such as when it is dropped, does nothing.
    pub(super) fn switch_off(&self) -> Recording<T> {
        self.allow(0);
        self.with(MediumRecorder::take_recording)
    }

    fn with<V>(&self, run: impl FnOnce(&mut T::Recorder) -> V) -> V {
        let (mut run, mut value) = (Some(run), None);
        self.recorder.with(&mut |recorder| {
            value = run.take().map(|run| run(recorder));
        });
        value.expect("a recorder runs what it is given")
    }

    /// One access.
    fn access<V>(
        &self,
        run: impl FnOnce(&mut T::Recorder) -> Result<V, NvmError>,
    ) -> Result<V, NvmError> {
        self.with(|recorder| {
            let left = self.left.load(Ordering::Relaxed).checked_sub(1);
            self.left
                .store(left.ok_or(NvmError::PowerLost)?, Ordering::Relaxed);
            run(recorder)
        })
    }
}

impl Flash for Recorded<FlashTearing> {
    type Error = NvmError;

    fn geometry(&self) -> Geometry {
        self.with(|flash| flash.geometry())
    }

    fn read(&mut self, page: u32, column: u32, out: &mut [u8]) -> Result<Ecc, NvmError> {
        self.access(|flash| flash.read(page, column, out))
    }

    fn program(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), NvmError> {
        self.access(|flash| flash.program(page, column, data))
    }

    fn erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.access(|flash| flash.erase(block))
    }

    fn erase_mode(&self) -> EraseMode {
        self.with(|flash| flash.erase_mode())
    }

    fn begin_erase(&mut self, block: u32) -> Result<(), NvmError> {
        self.access(|flash| flash.begin_erase(block))
    }

    fn advance_erase(&mut self, parts: u32, of: u32) -> Result<bool, NvmError> {
        self.access(|flash| flash.advance_erase(parts, of))
    }

    fn is_bad(&mut self, block: u32) -> Result<bool, NvmError> {
        self.access(|flash| flash.is_bad(block))
    }

    fn mark_bad(&mut self, block: u32) -> Result<(), NvmError> {
        self.access(|flash| flash.mark_bad(block))
    }
}

impl ByteMemory for Recorded<ByteTearing> {
    type Error = NvmError;

    fn len(&self) -> u64 {
        self.with(|memory| memory.len())
    }

    fn atom(&self) -> usize {
        self.with(|memory| memory.atom())
    }

    fn read(&mut self, at: u64, out: &mut [u8]) -> Result<(), NvmError> {
        self.access(|memory| Ok(memory.read(at, out)?))
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<(), NvmError> {
        self.access(|memory| Ok(memory.write(at, data)?))
    }

    fn persist(&mut self) -> Result<(), NvmError> {
        self.access(|memory| Ok(memory.persist()?))
    }
}
