//! From batches of accesses to counts.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::cache::CacheSettingError;
use super::core_model::{CoreModel, CoreShape, LineTouch};
use super::hierarchy::{AccessSide, LastCache, LastOperation, OwnCaches, RecordedCaches};
use super::operation::MicroOperation;
use super::predictor::BranchHistory;
use super::recording::{
    AccessCounts, ProgramRecording, RecordingFault, RecordingSample, RecordingWindows, SampleCycles,
};
use super::samples::{SAMPLES_KEPT, SampleClock, SamplePlan, SampleStage, SampleTurn};
use super::space::LineSpace;
use super::streams::MissStreams;
use super::windows::LineWindows;

/// Operations of the last cache whose sets are fetched at once.
const AHEAD: usize = 128;

/// Parts of an access of 32 bytes, the widest that there is.
const PARTS: u32 = 4;

/// Instructions within which misses are counted together.
const CROWD: u64 = 512;

/// A block of instructions that run one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceBlock {
    /// Address of its first instruction.
    pub start: u64,
    /// Address of its last instruction.
    pub last: u64,
    /// Address behind its last instruction.
    pub end: u64,
    /// Its instructions; none where they cannot be decoded.
    pub operations: Vec<MicroOperation>,
}

/// A block that begins, or an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRecord(u64);

impl TraceRecord {
    const BLOCK: u64 = 1 << 63;
    const STORE: u64 = 1 << 57;
    const ADDRESS: u64 = (1 << 48) - 1;

    /// A block begins; `name` is below 2⁴⁸ and chosen by whoever records.
    #[must_use]
    pub const fn block(name: u64) -> Self {
        Self(Self::BLOCK | name)
    }

    /// An access of `1 << shift` bytes by the instruction with this index in its block.
    #[inline]
    #[must_use]
    pub const fn access(address: u64, index: u32, shift: u32, store: bool) -> Self {
        let of = (index as u64 & 511) << 48 | (shift as u64 & 7) << 58 | (store as u64) << 57;
        Self(address & Self::ADDRESS | of)
    }

    const fn name(self) -> Option<u64> {
        match self.0 & Self::BLOCK {
            0 => None,
            _ => Some(self.0 & Self::ADDRESS),
        }
    }

    const fn address(self) -> u64 {
        self.0 & Self::ADDRESS
    }

    const fn index(self) -> usize {
        (self.0 >> 48 & 511) as usize
    }

    const fn bytes(self) -> u64 {
        1 << (self.0 >> 58 & 7)
    }

    /// Whether another record may be the rest of the same access: QEMU takes eight bytes at a time.
    const fn is_before(self, other: Self) -> bool {
        let same = (Self::STORE | 0xFF << 48 | 1 << 56 | 7 << 58) & !Self::BLOCK;
        self.bytes() == 8 && (self.0 ^ other.0) & same == 0 && other.address() == self.address() + 8
    }

    const fn side(self) -> AccessSide {
        match self.0 & Self::STORE {
            0 => AccessSide::Load,
            _ => AccessSide::Store,
        }
    }
}

/// What a thread records next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRegime {
    /// Blocks, beside accesses.
    pub blocks: bool,
    /// Every access; without it those of [kinds](SharedTrace::kind) that are [followed](SharedTrace::followed).
    pub all: bool,
}

/// What threads share: the last cache and what memory does.
#[derive(Debug)]
pub struct SharedTrace {
    caches: RecordedCaches,
    core: CoreShape,
    /// A bit for each of 64 sets that is followed.
    followed: u64,
    space: LineSpace,
    memory: Mutex<MemorySide>,
    /// The last cache of samples, where not all sets are followed.
    sample_last: Option<Mutex<LastCache>>,
    ended: Mutex<ThreadSums>,
}

#[derive(Debug)]
struct MemorySide {
    last: LastCache,
    read: u64,
    written: u64,
    streams: MissStreams,
    windows: LineWindows,
    /// Instructions of the thread that is ahead.
    ahead: u64,
}

/// What is left of threads and samples.
#[derive(Debug, Default)]
struct ThreadSums {
    instructions: Vec<u64>,
    counts: AccessCounts,
    samples: Vec<RecordingSample>,
    spacing: u32,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts the lowest bits of a line through those above them, so that strides spread over the sets that are followed.
#[inline]
const fn folded(line: u32) -> u32 {
    line ^ ((line >> 6 ^ line >> 12 ^ line >> 18) & 63)
}

/// Sets that are followed of 64, spread.
const fn followed_sets(of_64: u32) -> u64 {
    match of_64 {
        0..=2 => 0x0000_0200_0000_0010,
        3..=4 => 0x0040_0200_0800_0010,
        5..=8 => 0x1040_0204_0820_0110,
        9..=16 => 0x9048_2214_2924_0912,
        _ => u64::MAX,
    }
}

impl SharedTrace {
    /// A run that has not begun. `sets_of_64` of 64 sets are followed: 2, 4, 8, 16, or 64 for all.
    ///
    /// # Errors
    /// When no such caches can be.
    pub fn new(
        caches: RecordedCaches,
        core: CoreShape,
        sets_of_64: u32,
    ) -> Result<Self, CacheSettingError> {
        let followed = followed_sets(sets_of_64);
        let last = LastCache::new(caches.last)?;
        let is_whole = followed == u64::MAX;
        Ok(Self {
            caches,
            core,
            followed,
            space: LineSpace::default(),
            sample_last: (!is_whole).then(|| Mutex::new(last.clone())),
            memory: Mutex::new(MemorySide {
                last,
                read: 0,
                written: 0,
                streams: MissStreams::default(),
                windows: LineWindows::default(),
                ahead: 0,
            }),
            ended: Mutex::new(ThreadSums::default()),
        })
    }

    /// Kind of the line at an address, below 64: lines of some kinds are followed.
    #[inline]
    #[must_use]
    pub const fn kind(address: u64) -> u32 {
        folded((address >> 6) as u32) & 63
    }

    /// A bit for each kind of lines that the caches see.
    #[must_use]
    pub const fn followed(&self) -> u64 {
        self.followed
    }

    fn is_whole(&self) -> bool {
        self.followed == u64::MAX
    }

    /// What was counted of threads that have ended. `fault` says what ended the program early.
    #[must_use]
    pub fn recording(
        &self,
        processor: &str,
        decoded: bool,
        fault: Option<RecordingFault>,
    ) -> ProgramRecording {
        let ended = locked(&self.ended);
        let memory = locked(&self.memory);
        let followed = self.followed.count_ones();
        let whole = |count: u64| count * 64 / u64::from(followed);
        let of = ended.counts;
        ProgramRecording {
            schema: ProgramRecording::SCHEMA,
            processor: processor.to_owned(),
            caches: self.caches,
            sets_of_64: followed,
            core: self.core,
            thread_instructions: ended.instructions.clone(),
            counts: AccessCounts {
                loads: whole(of.loads),
                stores: whole(of.stores),
                first_load_misses: whole(of.first_load_misses),
                first_store_misses: whole(of.first_store_misses),
                second_misses: whole(of.second_misses),
                last_load_misses: whole(of.last_load_misses),
                last_store_misses: whole(of.last_store_misses),
            },
            lines_read: whole(memory.read),
            lines_written: whole(memory.written),
            lines_shown: memory.streams.lines,
            lines_followed: memory.streams.followed,
            windows: RecordingWindows {
                instructions: memory.windows.instructions,
                lines: memory
                    .windows
                    .lines
                    .iter()
                    .map(|lines| whole(*lines))
                    .collect(),
            },
            samples: ended.samples.clone(),
            decoded,
            crowded: self.space.is_crowded(),
            fault,
        }
    }
}

/// The trace of one thread.
#[derive(Debug)]
pub struct CoreTrace {
    own: OwnCaches,
    /// The caches of samples, where not all sets are followed.
    sample_own: Option<OwnCaches>,
    counts: AccessCounts,
    /// Instructions so far, and those of the thread that was ahead when this one last waited.
    instructions: u64,
    waited: u64,
    clock: SampleClock,
    predictor: BranchHistory,
    models: Option<Box<Models>>,
    levels: Vec<u8>,
    operations: Vec<LastOperation>,
    sample_operations: Vec<LastOperation>,
    touches: Vec<LineTouch>,
}

/// Core models under several assumptions, and what the sample at hand has counted.
#[derive(Debug)]
struct Models {
    usual: CoreModel,
    no_memory: CoreModel,
    no_prefetch: CoreModel,
    foreseen: CoreModel,
    foreseen_no_memory: CoreModel,
    sample: RecordingSample,
    before: SampleCycles,
    prefetched_before: u64,
    in_crowd: u64,
    crowd_lines: u64,
}

impl Models {
    fn new(core: CoreShape) -> Self {
        let of = |memory, prefetch, foresees| {
            CoreModel::new(CoreShape {
                memory,
                prefetch,
                foresees,
                ..core
            })
        };
        Self {
            usual: of(core.memory, core.prefetch, core.foresees),
            no_memory: of(0, core.prefetch, core.foresees),
            no_prefetch: of(core.memory, false, core.foresees),
            foreseen: of(core.memory, core.prefetch, true),
            foreseen_no_memory: of(0, core.prefetch, true),
            sample: RecordingSample::default(),
            before: SampleCycles::default(),
            prefetched_before: 0,
            in_crowd: 0,
            crowd_lines: 0,
        }
    }

    fn cycles(&self) -> SampleCycles {
        SampleCycles {
            usual: self.usual.cycles(),
            no_memory: self.no_memory.cycles(),
            no_prefetch: self.no_prefetch.cycles(),
            foreseen: self.foreseen.cycles(),
            foreseen_no_memory: self.foreseen_no_memory.cycles(),
        }
    }

    fn begin(&mut self) {
        self.sample = RecordingSample::default();
        self.before = self.cycles();
        self.prefetched_before = self.usual.prefetched();
        (self.in_crowd, self.crowd_lines) = (0, 0);
    }

    fn execute(&mut self, operation: &MicroOperation, touches: &[LineTouch], foreseen: bool) {
        self.usual.execute(operation, touches, foreseen);
        self.no_memory.execute(operation, touches, foreseen);
        self.no_prefetch.execute(operation, touches, foreseen);
        self.foreseen.execute(operation, touches, foreseen);
        self.foreseen_no_memory
            .execute(operation, touches, foreseen);
        let sample = &mut self.sample;
        let lines = touches.iter().filter(|touch| touch.level == 4).count() as u64;
        sample.instructions += 1;
        sample.lines += lines;
        sample.wrong_branches += u64::from(!foreseen);
        self.crowd_lines += lines;
        self.in_crowd += 1;
        if self.in_crowd == CROWD {
            if self.crowd_lines > 0 {
                sample.crowds += 1;
                sample.crowd_lines += self.crowd_lines;
            }
            (self.in_crowd, self.crowd_lines) = (0, 0);
        }
    }

    fn end(&mut self, weight: u64) -> RecordingSample {
        let (now, before) = (self.cycles(), self.before);
        self.sample.weight = weight;
        self.sample.prefetched = self.usual.prefetched() - self.prefetched_before;
        self.sample.cycles = SampleCycles {
            usual: now.usual - before.usual,
            no_memory: now.no_memory - before.no_memory,
            no_prefetch: now.no_prefetch - before.no_prefetch,
            foreseen: now.foreseen - before.foreseen,
            foreseen_no_memory: now.foreseen_no_memory - before.foreseen_no_memory,
        };
        self.sample
    }
}

impl CoreTrace {
    /// A thread that begins, of a run with these shared parts.
    ///
    /// # Errors
    /// When no such caches can be.
    pub fn new(shared: &SharedTrace, plan: SamplePlan) -> Result<Self, CacheSettingError> {
        let own = OwnCaches::new(&shared.caches)?;
        let waited = locked(&shared.memory).ahead;
        Ok(Self {
            sample_own: (!shared.is_whole()).then(|| own.clone()),
            own,
            counts: AccessCounts::default(),
            instructions: 0,
            waited,
            clock: SampleClock::new(plan),
            predictor: BranchHistory::default(),
            models: None,
            levels: Vec::new(),
            operations: Vec::new(),
            sample_operations: Vec::new(),
            touches: Vec::new(),
        })
    }

    /// What this thread records from its beginning on.
    #[must_use]
    pub fn regime(&self, shared: &SharedTrace) -> TraceRegime {
        let stage = self.clock.stage;
        TraceRegime {
            blocks: matches!(stage, SampleStage::Warm | SampleStage::Counted),
            all: shared.is_whole() || stage != SampleStage::Between,
        }
    }

    /// The thread waited for others, so that it is not behind them any more.
    pub fn waited(&mut self, shared: &SharedTrace) {
        let ahead = locked(&shared.memory).ahead;
        self.waited = self.waited.max(ahead.saturating_sub(self.instructions));
    }

    /// Takes what a thread recorded while it executed some instructions. `next` is the address of the block that comes after
    /// it, and `block` finds a block by its name. Returns what to record from now on.
    pub fn take<'a>(
        &mut self,
        shared: &SharedTrace,
        records: &[TraceRecord],
        instructions: u64,
        next: u64,
        block: &dyn Fn(u64) -> &'a TraceBlock,
    ) -> TraceRegime {
        self.filter(shared, records);
        self.share(shared);
        if shared.is_whole() {
            self.tally(records);
        }
        if matches!(self.clock.stage, SampleStage::Warm | SampleStage::Counted) {
            self.model(shared, records, next, block);
        }
        self.instructions += instructions;
        self.advance(shared);
        self.regime(shared)
    }

    /// Passes accesses through the caches of the core.
    fn filter(&mut self, shared: &SharedTrace, records: &[TraceRecord]) {
        self.levels.clear();
        self.levels.resize(records.len(), 0);
        self.operations.clear();
        self.sample_operations.clear();
        match shared.is_whole() {
            true => self.filter_all(shared, records),
            false => self.filter_followed(shared, records),
        }
    }

    fn filter_all(&mut self, shared: &SharedTrace, records: &[TraceRecord]) {
        for (at, record) in records.iter().enumerate() {
            if record.name().is_some() {
                continue;
            }
            let (address, side) = (record.address(), record.side());
            let line = shared.space.line(address);
            let mut level = self.own.access(line, side, at as u32, &mut self.operations);
            let last = address + record.bytes() - 1;
            if (address ^ last) >> 6 != 0 {
                let line = shared.space.line(last);
                let second = self.own.access(line, side, at as u32, &mut self.operations);
                level = level.max(second);
            }
            self.levels[at] = level;
        }
    }

    /// Counts accesses by the farthest level that they needed. QEMU makes several of a wide one, which count as one.
    fn tally(&mut self, records: &[TraceRecord]) {
        let (mut level, mut parts, mut before) = (0, 0, None::<TraceRecord>);
        for (record, here) in records.iter().zip(&self.levels) {
            if record.name().is_some() {
                continue;
            }
            match before {
                Some(before) if parts < PARTS && before.is_before(*record) => {
                    level = level.max(*here);
                    parts += 1;
                }
                _ => {
                    if let Some(before) = before {
                        count(&mut self.counts, before.side(), level);
                    }
                    (level, parts) = (*here, 1);
                }
            }
            before = Some(*record);
        }
        if let Some(before) = before {
            count(&mut self.counts, before.side(), level);
        }
    }

    fn filter_followed(&mut self, shared: &SharedTrace, records: &[TraceRecord]) {
        let is_sampling = self.clock.stage != SampleStage::Between;
        for (at, record) in records.iter().enumerate() {
            if record.name().is_some() {
                continue;
            }
            let (address, side) = (record.address(), record.side());
            let last = address + record.bytes() - 1;
            let mut each = |address: u64| {
                let line = folded(shared.space.line(address));
                if shared.followed >> (line & 63) & 1 == 1 {
                    let level = self.own.access(line, side, at as u32, &mut self.operations);
                    count(&mut self.counts, side, level);
                }
                if let (true, Some(own)) = (is_sampling, &mut self.sample_own) {
                    let level = own.access(line, side, at as u32, &mut self.sample_operations);
                    self.levels[at] = self.levels[at].max(level);
                }
            };
            each(address);
            if (address ^ last) >> 6 != 0 {
                each(last);
            }
        }
    }

    /// Passes what the core's caches lack through the last cache.
    fn share(&mut self, shared: &SharedTrace) {
        let is_whole = shared.is_whole();
        let time = self.waited + self.instructions;
        if let (false, Some(last)) = (self.sample_operations.is_empty(), &shared.sample_last) {
            let mut last = locked(last);
            let mut seen = (self.clock.stage == SampleStage::Counted).then(Vec::new);
            for some in self.sample_operations.chunks(AHEAD) {
                std::hint::black_box(last.touch(some));
                for operation in some {
                    let answer = last.apply(operation);
                    if let (true, Some((at, _))) = (answer.read, operation.at) {
                        self.levels[at as usize] = 4;
                        if let Some(seen) = &mut seen {
                            // Folding is its own inverse: the fold reads only bits that it leaves as they are.
                            seen.push(folded(operation.line));
                        }
                    }
                }
            }
            if let Some(seen) = seen {
                let mut memory = locked(&shared.memory);
                seen.into_iter().for_each(|line| memory.streams.show(line));
            }
        }
        let mut memory = locked(&shared.memory);
        let memory = &mut *memory;
        memory.ahead = memory.ahead.max(time);
        let (mut read, mut written) = (0, 0);
        for some in self.operations.chunks(AHEAD) {
            std::hint::black_box(memory.last.touch(some));
            for operation in some {
                let answer = memory.last.apply(operation);
                written += u64::from(answer.written);
                let (true, Some((at, side))) = (answer.read, operation.at) else {
                    continue;
                };
                read += 1;
                if is_whole {
                    self.levels[at as usize] = 4;
                    memory.streams.show(operation.line);
                } else {
                    count_last(&mut self.counts, side);
                }
            }
        }
        memory.read += read;
        memory.written += written;
        if read + written > 0 {
            memory.windows.add(time, read + written);
        }
    }

    /// Executes the blocks of a batch on the core models.
    fn model<'a>(
        &mut self,
        shared: &SharedTrace,
        records: &[TraceRecord],
        next: u64,
        block: &dyn Fn(u64) -> &'a TraceBlock,
    ) {
        let mut models = self
            .models
            .take()
            .unwrap_or_else(|| Box::new(Models::new(shared.core)));
        let mut at = records
            .iter()
            .position(|record| record.name().is_some())
            .unwrap_or(records.len());
        while let Some(name) = records.get(at).and_then(|record| record.name()) {
            let rest = &records[at + 1..];
            let length = rest.iter().position(|record| record.name().is_some());
            let end = at + 1 + length.unwrap_or(rest.len());
            let here = block(name);
            let to = match records.get(end).and_then(|record| record.name()) {
                Some(name) => block(name).start,
                None => next,
            };
            self.run_block(shared, &mut models, here, &records[at + 1..end], at + 1, to);
            at = end;
        }
        self.models = Some(models);
    }

    fn run_block(
        &mut self,
        shared: &SharedTrace,
        models: &mut Models,
        block: &TraceBlock,
        accesses: &[TraceRecord],
        first: usize,
        to: u64,
    ) {
        let mut at = 0;
        for (index, operation) in block.operations.iter().enumerate() {
            self.touches.clear();
            while let Some(record) = accesses.get(at).filter(|record| record.index() <= index) {
                self.touches.push(LineTouch {
                    line: shared.space.line(record.address()),
                    word: (record.address() >> 3) as u32,
                    level: self.levels[first + at],
                    store: record.side() == AccessSide::Store,
                });
                at += 1;
            }
            let is_last = index + 1 == block.operations.len();
            let foreseen = !is_last
                || self
                    .predictor
                    .resolve(operation.branch, block.last, block.end, to);
            models.execute(operation, &self.touches, foreseen);
        }
    }

    fn advance(&mut self, shared: &SharedTrace) {
        let turn = self.clock.advance(self.instructions);
        let Some(models) = &mut self.models else {
            return;
        };
        match turn {
            SampleTurn::None => {}
            SampleTurn::Began => models.begin(),
            SampleTurn::Ended(weight) => {
                let sample = models.end(weight);
                let mut ended = locked(&shared.ended);
                if sample.instructions > 0 {
                    ended.samples.push(sample);
                }
                if ended.samples.len() >= SAMPLES_KEPT {
                    thin(&mut ended.samples);
                    ended.spacing += 1;
                }
                self.clock.spacing = ended.spacing;
            }
        }
    }

    /// The thread has ended.
    pub fn end(&mut self, shared: &SharedTrace) {
        let mut ended = locked(&shared.ended);
        ended.instructions.push(self.instructions);
        let (sum, own) = (&mut ended.counts, &self.counts);
        sum.loads += own.loads;
        sum.stores += own.stores;
        sum.first_load_misses += own.first_load_misses;
        sum.first_store_misses += own.first_store_misses;
        sum.second_misses += own.second_misses;
        sum.last_load_misses += own.last_load_misses;
        sum.last_store_misses += own.last_store_misses;
        self.counts = AccessCounts::default();
        self.instructions = 0;
    }
}

/// Joins neighbours: the first of two stands for both.
fn thin(samples: &mut Vec<RecordingSample>) {
    let joined = samples.chunks(2).map(|two| RecordingSample {
        weight: two.iter().map(|sample| sample.weight).sum(),
        ..two[0]
    });
    *samples = joined.collect();
}

#[inline]
fn count(counts: &mut AccessCounts, side: AccessSide, level: u8) {
    let missed = u64::from(level > 1);
    match side {
        AccessSide::Load => {
            counts.loads += 1;
            counts.first_load_misses += missed;
        }
        AccessSide::Store => {
            counts.stores += 1;
            counts.first_store_misses += missed;
        }
    }
    counts.second_misses += u64::from(level > 2);
    if level > 3 {
        count_last(counts, side);
    }
}

fn count_last(counts: &mut AccessCounts, side: AccessSide) {
    match side {
        AccessSide::Load => counts.last_load_misses += 1,
        AccessSide::Store => counts.last_store_misses += 1,
    }
}
