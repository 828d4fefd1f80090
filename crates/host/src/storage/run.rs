//! Runs a job: the loop that makes accesses, and the chunks in which it hands them over.

use std::io;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use rustix::thread::{clock_nanosleep_absolute, set_current_timer_slack};
use rustix::time::{ClockId, Timespec, clock_gettime};

use super::calls::{
    AccessCalls, BegunAccess, CallWait, EndedAccess, PreadCalls, StorageRing, ThreadCalls, flush,
};
use super::content::{AccessPlan, WordStream, stamp};
use super::job::{AccessPace, StorageCalls, StorageJob, StorageOperation};
use super::pool::BufferPool;
use super::{NoUring, StorageError, StoragePlace};

/// One access that ended. Times are nanoseconds since the run began, on a clock that never steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageAccess {
    /// What it did.
    pub operation: StorageOperation,
    /// First byte.
    pub offset: u64,
    /// When it should have started: at the rate of an open loop. In a closed loop its start.
    pub intended_ns: u64,
    /// When it was handed to the kernel.
    pub start_ns: u64,
    /// When it had ended; of a write that a flush followed, when that had ended.
    pub end_ns: u64,
}

/// What a run was, as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageRun {
    /// The calls that made the accesses.
    pub calls: StorageCalls,
    /// Why they are not io_uring, where nothing was asked.
    pub no_uring: Option<NoUring>,
    /// Whether io_uring had file and buffers registered.
    pub is_registered: bool,
    /// From the first start to the last end, in nanoseconds.
    pub elapsed_ns: u64,
    /// Accesses that ended, flushes not counted.
    pub accesses: u64,
    /// Processor time of the whole program meanwhile, in nanoseconds.
    pub processor_ns: u64,
    /// Times that the loop waited for whoever takes the accesses, and how long.
    pub stalls: (u64, u64),
    /// Whether the caller ended it.
    pub is_stopped: bool,
}

/// Accesses of a chunk.
const CHUNK: usize = 4096;

/// Chunks that may wait to be taken.
const CHUNKS: usize = 64;

/// Nanoseconds after which a chunk is handed over, full or not.
const HANDOVER_NS: u64 = 100_000_000;

/// Nanoseconds before an intended start that are spent looking at the clock: a sleep may end that much late.
const SPIN_NS: u64 = 60_000;

/// The longest wait without a look at the stop flag, in nanoseconds.
const NAP_NS: u64 = 100_000_000;

/// A suspension of the machine that is longer than this is an error, in nanoseconds.
const SUSPENSION_MAX_NS: u64 = 100_000_000;

fn clock_ns(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Runs a job on a place. `take` gets the accesses in the order of their ends, in chunks, on the calling thread. Once
/// `stop` is set or `take` breaks, no access starts any more; those under way still come.
///
/// # Errors
/// For a job that cannot be, and what ends it early: an access that fails or is cut, a machine that was suspended. What
/// `take` got before stays valid.
pub fn measure(
    place: &StoragePlace,
    job: &StorageJob,
    stop: &AtomicBool,
    take: &mut dyn FnMut(&[StorageAccess]) -> ControlFlow<()>,
) -> Result<StorageRun, StorageError> {
    job.check()?;
    if job.range_bytes > place.range_bytes() {
        return Err(StorageError::Short {
            path: place.path().to_owned(),
            found: place.range_bytes(),
            wanted: job.range_bytes,
        });
    }
    let (full, taken) = sync_channel::<Vec<StorageAccess>>(CHUNKS);
    let (back, empty) = sync_channel::<Vec<StorageAccess>>(CHUNKS + 2);
    let room = CHUNK + job.depth as usize + 4;
    for _ in 0..CHUNKS {
        // There is room for all of them.
        let _ = back.try_send(Vec::with_capacity(room));
    }
    let broken = AtomicBool::new(false);
    let stops = [stop, &broken];
    let processor = clock_ns(ClockId::ProcessCPUTime);
    let result = thread::scope(|scope| {
        let work = move || run(place, job, stops, Handover::new(full, empty));
        let worker = thread::Builder::new()
            .name("storage".to_owned())
            .spawn_scoped(scope, work)
            .map_err(|source| StorageError::Resources {
                what: "no thread for the accesses",
                source,
            })?;
        while let Ok(mut chunk) = taken.recv() {
            if take(&chunk).is_break() {
                broken.store(true, Ordering::Relaxed);
            }
            chunk.clear();
            let _ = back.try_send(chunk);
        }
        match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    result.map(|run| StorageRun {
        processor_ns: clock_ns(ClockId::ProcessCPUTime) - processor,
        ..run
    })
}

/// The chunks between the loop and whoever takes the accesses.
struct Handover {
    full: SyncSender<Vec<StorageAccess>>,
    empty: Receiver<Vec<StorageAccess>>,
    chunk: Vec<StorageAccess>,
    handed_ns: u64,
    stalls: (u64, u64),
}

impl Handover {
    fn new(full: SyncSender<Vec<StorageAccess>>, empty: Receiver<Vec<StorageAccess>>) -> Self {
        let chunk = empty.recv().unwrap_or_default();
        Self {
            full,
            empty,
            chunk,
            handed_ns: 0,
            stalls: (0, 0),
        }
    }

    #[inline]
    fn push(&mut self, access: StorageAccess) {
        self.chunk.push(access);
    }

    /// Whether it is time to hand over what is there.
    #[inline]
    fn is_due(&self, now_ns: u64) -> bool {
        self.chunk.len() >= CHUNK
            || (now_ns - self.handed_ns > HANDOVER_NS && !self.chunk.is_empty())
    }

    /// Hands over the chunk. Whoever takes them may be behind: then this waits.
    #[cold]
    fn hand_over(&mut self, begun_ns: u64) {
        let fresh = match self.empty.try_recv() {
            Ok(fresh) => fresh,
            Err(_) => {
                let before = clock_ns(ClockId::Monotonic);
                let fresh = self.empty.recv().unwrap_or_default();
                self.stalls.0 += 1;
                self.stalls.1 += clock_ns(ClockId::Monotonic) - before;
                fresh
            }
        };
        let chunk = std::mem::replace(&mut self.chunk, fresh);
        // The receiver stays until this end is dropped.
        let _ = self.full.send(chunk);
        self.handed_ns = clock_ns(ClockId::Monotonic) - begun_ns;
    }
}

/// The thread of the accesses.
fn run(
    place: &StoragePlace,
    job: &StorageJob,
    stop: [&AtomicBool; 2],
    handover: Handover,
) -> Result<StorageRun, StorageError> {
    // A timer of an open loop would otherwise fire up to 50 us late.
    let _ = set_current_timer_slack(NonZeroU64::new(1));
    let rounds = match job.writes() {
        true => BufferPool::rounds(job.depth, job.access_bytes),
        false => 1,
    };
    // Made before the ring, and so dropped after it.
    let mut pool = BufferPool::new(job.depth, job.access_bytes, rounds).map_err(|source| {
        StorageError::Resources {
            what: "no memory for buffers",
            source,
        }
    })?;
    WordStream::of(job.seed, 3).fill(pool.bytes_mut());
    let mut no_uring = None;
    if job.calls != Some(StorageCalls::Pread) {
        match StorageRing::new(place.file.file(), job.depth, job.access_bytes, &pool) {
            Ok(mut ring) => {
                let is_registered = ring.is_registered();
                let run = AccessLoop::new(place, job, stop, handover, ring.calls(), &mut pool);
                return Ok(StorageRun {
                    calls: StorageCalls::Uring,
                    is_registered,
                    ..run.run()?
                });
            }
            Err(why) if job.calls == Some(StorageCalls::Uring) => {
                return Err(StorageError::NoUring(why));
            }
            Err(why) => no_uring = Some(why),
        }
    }
    let run = match job.depth {
        1 => {
            let calls = PreadCalls::new(place.file.file());
            AccessLoop::new(place, job, stop, handover, calls, &mut pool).run()?
        }
        depth => {
            let calls = ThreadCalls::new(place.file.file(), depth);
            let calls = calls.map_err(|source| StorageError::Resources {
                what: "no thread for each access under way",
                source,
            })?;
            AccessLoop::new(place, job, stop, handover, calls, &mut pool).run()?
        }
    };
    Ok(StorageRun { no_uring, ..run })
}

/// Accesses cannot even be handed to the kernel.
fn unreachable(place: &StoragePlace, source: io::Error) -> StorageError {
    StorageError::Io {
        path: place.path().to_owned(),
        what: "reached through its ring",
        source,
    }
}

/// An access under way.
#[derive(Clone, Copy, Debug)]
struct AccessUnderWay {
    operation: StorageOperation,
    offset: u64,
    intended_ns: u64,
    start_ns: u64,
}

/// The loop of accesses.
struct AccessLoop<'a, C> {
    calls: C,
    /// It outlives whatever the calls hand to the kernel.
    pool: &'a mut BufferPool,
    place: &'a StoragePlace,
    job: &'a StorageJob,
    stop: [&'a AtomicBool; 2],
    handover: Handover,
    plan: AccessPlan,
    words: WordStream,
    slots: Vec<AccessUnderWay>,
    free: Vec<u32>,
    ended: Vec<EndedAccess>,
    begun_ns: u64,
    started: u64,
    done: u64,
    /// Writes since the last flush.
    unflushed: u64,
    last_end_ns: u64,
    /// The last write before a flush, which ends with it.
    held: Option<StorageAccess>,
}

impl<'a, C: AccessCalls> AccessLoop<'a, C> {
    fn new(
        place: &'a StoragePlace,
        job: &'a StorageJob,
        stop: [&'a AtomicBool; 2],
        handover: Handover,
        calls: C,
        pool: &'a mut BufferPool,
    ) -> Self {
        let depth = job.depth as usize;
        let idle = AccessUnderWay {
            operation: StorageOperation::Read,
            offset: 0,
            intended_ns: 0,
            start_ns: 0,
        };
        Self {
            calls,
            pool,
            place,
            job,
            stop,
            handover,
            plan: AccessPlan::of(job),
            words: WordStream::of(job.seed, 4),
            slots: vec![idle; depth],
            free: (0..job.depth).rev().collect(),
            ended: Vec::with_capacity(2 * depth),
            begun_ns: 0,
            started: 0,
            done: 0,
            unflushed: 0,
            last_end_ns: 0,
            held: None,
        }
    }

    #[inline]
    fn now(&self) -> u64 {
        clock_ns(ClockId::Monotonic) - self.begun_ns
    }

    fn run(mut self) -> Result<StorageRun, StorageError> {
        let suspended = || {
            let awake = clock_ns(ClockId::Monotonic);
            clock_ns(ClockId::Boottime).saturating_sub(awake)
        };
        let asleep = suspended();
        self.begun_ns = clock_ns(ClockId::Monotonic);
        let result = self.accesses();
        if result.is_err() {
            self.drain();
        }
        let elapsed_ns = self.last_end_ns;
        if let Some(held) = self.held.take() {
            self.handover.push(held);
        }
        self.handover.hand_over(self.begun_ns);
        result?;
        let slept = suspended().saturating_sub(asleep);
        if slept > SUSPENSION_MAX_NS {
            return Err(StorageError::Suspended {
                seconds: slept as f64 / 1e9,
            });
        }
        if self.done == 0 {
            return Err(StorageError::Stopped);
        }
        Ok(StorageRun {
            calls: StorageCalls::Pread,
            no_uring: None,
            is_registered: false,
            elapsed_ns,
            accesses: self.done,
            processor_ns: 0,
            stalls: self.handover.stalls,
            is_stopped: self.is_stopped(),
        })
    }

    #[inline]
    fn is_stopped(&self) -> bool {
        self.stop.iter().any(|stop| stop.load(Ordering::Relaxed))
    }

    /// Whether another access may start at this time.
    #[inline]
    fn goes_on(&self, now_ns: u64) -> bool {
        !self.is_stopped()
            && self.job.accesses_max.is_none_or(|most| self.started < most)
            && self.job.time_max_ns.is_none_or(|most| now_ns < most)
    }

    /// Whether the next to be done is a flush, which waits for what is under way.
    #[inline]
    fn flush_is_due(&self) -> bool {
        matches!(self.job.flush, Some((every, _)) if self.unflushed >= every)
    }

    fn accesses(&mut self) -> Result<(), StorageError> {
        let mut now = self.now();
        loop {
            let wait;
            match self.job.pace {
                AccessPace::Closed => {
                    // An end is taken when its slot can go on, so that as many are under way as the depth says.
                    wait = CallWait::Next;
                    let mut several = false;
                    while !self.free.is_empty() && !self.flush_is_due() && self.goes_on(now) {
                        // Each reaches the device at the time that it says: those in front do not wait for the rest.
                        if several {
                            self.calls
                                .submit()
                                .map_err(|source| unreachable(self.place, source))?;
                            now = self.now();
                        }
                        self.start(now, now)?;
                        several = true;
                    }
                }
                AccessPace::Open { interval_ns } => {
                    wait = self.start_due(&mut now, interval_ns)?;
                }
            }
            if self.free.len() == self.slots.len() {
                if self.flush_is_due() {
                    now = self.flush(now)?;
                    continue;
                }
                return Ok(());
            }
            self.calls
                .finish(wait, self.pool, &mut self.ended)
                .map_err(|source| unreachable(self.place, source))?;
            now = self.now();
            self.end_all(now)?;
            if self.handover.is_due(now) {
                self.handover.hand_over(self.begun_ns);
                now = self.now();
            }
        }
    }

    /// Starts the accesses of an open loop that are due, and says how to wait for the next event. Where nothing is under
    /// way it waits itself.
    fn start_due(&mut self, now: &mut u64, interval_ns: f64) -> Result<CallWait, StorageError> {
        loop {
            if self.flush_is_due() || !self.goes_on(*now) {
                return Ok(CallWait::One);
            }
            let intended = (self.started as f64 * interval_ns) as u64;
            if self.job.time_max_ns.is_some_and(|most| intended >= most) {
                // None is due before the end.
                return Ok(CallWait::One);
            }
            if intended <= *now {
                if self.free.is_empty() {
                    return Ok(CallWait::One);
                }
                self.start(intended, *now)?;
                continue;
            }
            let ahead = intended - *now;
            if self.free.len() < self.slots.len() {
                return Ok(match ahead.checked_sub(SPIN_NS) {
                    Some(time @ 1..) => CallWait::Within(time.min(NAP_NS)),
                    _ => CallWait::Look,
                });
            }
            if self.handover.is_due(*now) {
                self.handover.hand_over(self.begun_ns);
            }
            self.pause(ahead);
            *now = self.now();
        }
    }

    /// Lets time pass while nothing is under way: asleep, but for the last of it.
    fn pause(&self, time_ns: u64) {
        let Some(asleep) = time_ns.checked_sub(SPIN_NS).filter(|time| *time > 0) else {
            std::hint::spin_loop();
            return;
        };
        let until = clock_ns(ClockId::Monotonic) + asleep.min(NAP_NS);
        // An interrupt ends it early, and the caller looks at the clock again.
        let _ = clock_nanosleep_absolute(
            ClockId::Monotonic,
            &Timespec {
                tv_sec: (until / 1_000_000_000) as i64,
                tv_nsec: (until % 1_000_000_000) as _,
            },
        );
    }

    #[inline]
    fn start(&mut self, intended_ns: u64, start_ns: u64) -> Result<(), StorageError> {
        let Some(slot) = self.free.pop() else {
            return Ok(());
        };
        let (operation, offset) = self.plan.next();
        let round = self.started;
        if operation == StorageOperation::Write {
            stamp(self.pool.buffer_mut(slot, round), &mut self.words);
            self.unflushed += 1;
        }
        self.slots[slot as usize] = AccessUnderWay {
            operation,
            offset,
            intended_ns,
            start_ns,
        };
        self.started += 1;
        let access = BegunAccess {
            slot,
            operation,
            offset,
            round,
        };
        self.calls
            .begin(access, self.pool)
            .map_err(|source| StorageError::Access {
                path: self.place.path().to_owned(),
                operation: operation.name(),
                at: offset,
                bytes: self.job.access_bytes,
                source,
            })
    }

    /// Takes what ended at `now`.
    #[inline]
    fn end_all(&mut self, now: u64) -> Result<(), StorageError> {
        let mut result = Ok(());
        for index in 0..self.ended.len() {
            let EndedAccess {
                slot,
                result: moved,
            } = self.ended[index];
            self.free.push(slot);
            let access = self.slots[slot as usize];
            if i64::from(moved) != self.job.access_bytes as i64 {
                if result.is_ok() {
                    result = Err(self.failed(&access, moved));
                }
                continue;
            }
            self.done += 1;
            self.last_end_ns = now;
            let ended = StorageAccess {
                operation: access.operation,
                offset: access.offset,
                intended_ns: access.intended_ns,
                start_ns: access.start_ns,
                end_ns: now,
            };
            // The last write before a flush ends with it.
            if access.operation == StorageOperation::Write
                && self.flush_is_due()
                && self.free.len() == self.slots.len()
            {
                self.held = Some(ended);
            } else {
                self.handover.push(ended);
            }
        }
        self.ended.clear();
        result
    }

    /// Flushes while nothing is under way. Returns the time afterwards.
    fn flush(&mut self, now: u64) -> Result<u64, StorageError> {
        self.unflushed = 0;
        let Some((_, call)) = self.job.flush else {
            return Ok(now);
        };
        flush(self.place.file.file(), call).map_err(|source| StorageError::Io {
            path: self.place.path().to_owned(),
            what: "flushed",
            source,
        })?;
        let end_ns = self.now();
        self.last_end_ns = end_ns;
        self.handover.push(StorageAccess {
            operation: StorageOperation::Sync,
            offset: 0,
            intended_ns: now,
            start_ns: now,
            end_ns,
        });
        if let Some(held) = self.held.take() {
            self.handover.push(StorageAccess { end_ns, ..held });
        }
        Ok(end_ns)
    }

    /// Waits for what is under way, whatever comes of it: its buffers must not go before.
    fn drain(&mut self) {
        while self.free.len() < self.slots.len() {
            let mut ended = Vec::new();
            if self
                .calls
                .finish(CallWait::One, self.pool, &mut ended)
                .is_err()
            {
                return;
            }
            self.free.extend(ended.iter().map(|one| one.slot));
        }
    }

    #[cold]
    fn failed(&self, access: &AccessUnderWay, moved: i32) -> StorageError {
        let path = self.place.path().to_owned();
        let (operation, at) = (access.operation.name(), access.offset);
        let bytes = self.job.access_bytes;
        match u64::try_from(moved) {
            Ok(moved) => StorageError::Cut {
                path,
                operation,
                at,
                bytes,
                moved,
            },
            Err(_) => StorageError::Access {
                path,
                operation,
                at,
                bytes,
                source: io::Error::from_raw_os_error(-moved),
            },
        }
    }
}
