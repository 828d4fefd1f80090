//! What the reader of a result should know before trusting its rows: every warning with its words, in one table.

use std::fmt::{self, Display};

use wordline_core::results::{Warning, WarningCode};

macro_rules! warnings {
    ($($variant:ident $code:ident $({ $($field:ident),+ })? $words:literal;)*) => {
        /// A warning with what its words show.
        #[derive(Clone, Copy)]
        pub(crate) enum LabWarning<'a> {
            $(#[doc = $words] $variant $({ $($field: &'a dyn Display),+ })?,)*
        }

        impl LabWarning<'_> {
            const fn code(&self) -> WarningCode {
                match self {
                    $(Self::$variant { .. } => WarningCode::$code,)*
                }
            }
        }

        impl Display for LabWarning<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant $({ $($field),+ })? => write!(f, $words),)*
                }
            }
        }
    };
}

impl From<LabWarning<'_>> for Warning {
    fn from(warning: LabWarning<'_>) -> Self {
        Self {
            code: warning.code().name().to_owned(),
            advice: warning.to_string(),
        }
    }
}

// The name, the code that documents spell, what the words show, and the words.
warnings! {
    UnknownCoverage UnknownCoverage { file, why }
        "{file}: {why}, so nothing shows whether it leaves out time between accesses; such time fills the buffer as \
         well";
    EndlessBin OddLog { file }
        "{file}: accesses fell into the last bin, which has no upper end: how much RAM suffices is unknown";
    LostOrder LostOrder { file }
        "{file}: a histogram has lost the order of the accesses, and with it how many long ones followed each \
         other: RAM lies between the least and the most that any order needs; a latency log gives the exact figure \
         (fio: --write_lat_log=NAME)";
    SlowAccesses OddLog { file }
        "{file}: accesses are so slow that 4096 of them exceed 2.5 hours; the longest sequences are not told";
    SeveralSizes SeveralSizes { file, largest }
        "{file}: accesses have several sizes, up to {largest}; rates for whole records rest on the fluid curve and \
         the largest record, which is safe and not exact; a rate that is asked for is exact";
    Pauses Paced { file, percent }
        "{file}: the durations cover {percent:.0} % of the log's time, and the rest is taken to be pauses of the \
         host, as was said; whatever else happened in it, such as a flush, is missing";
    FewAccesses FewSamples { file, accesses, least }
        "{file}: {accesses} accesses are few; rare long ones decide about RAM, and a log of at least {least} has to \
         be long enough to show them";
    BenchmarkLog ClosedLoop { file }
        "{file}: accesses of a benchmark follow each other at once; a memory that gets pauses, as at a fixed rate, \
         may take other times: shorter ones where it cleans up when idle, longer ones where it falls asleep. Record \
         at the rate in question (fio: --rate), and give that log with --durations paced, where that matters";
    RecordExceedsRam RecordExceedsRam { target, ram, record }
        "{target}: {ram} of RAM hold no record of {record}: no record may wait, and none can be gathered; ask for \
         {record} or more, or for smaller records";
    ReturnLevels Extrapolated { target, horizon, times, percent }
        "{target}: return levels look {horizon} ahead, {times:.0} times as far as the accesses, by a distribution \
         that was fitted to them, with an interval of {percent:.0} %; they hold if what comes is like what came";
    NeedsTranslation NeedsTranslation { name, why } "{name}: {why}";
    RunFailed RunFailed { name, failure } "{name}: {failure}";
    OpenLoopFailed RunFailed { target, failure } "{target}, open loop: {failure}";
    NoBound RunFailed { target, failure } "{target}: no proven bound: {failure}";
    TraceFailed RunFailed { target, failure }
        "{target}: {failure}; a memory that erases blocks takes a trace that overwrites only behind a translation \
         layer";
    OwnTimesFailed RunFailed { target, failure } "{target}, at its own times: {failure}";
    FoldedAccesses FoldedAddresses { target, count, file, what } "{target}: {count} accesses of {file} {what}";
    StatusFail Caution
        "rows of the estimate status-fail are until the chip reports a failure, without retention: by a model that \
         was calibrated with published measurements, and is not a lifetime that a maker promises";
    KeepDefault Default "what comes in an hour of work is kept, as nothing else was said (--keep)";
    DutyDefault Default "the work never pauses, as nothing else was said (--duty)";
    PartsDefault Default { most } "a candidate may consist of {most} chips, as nothing else was said (--max-parts)";
    SettingUnfit RunFailed { target, choice, setting, error }
        "{target}: {choice} = {setting} does not fit, so the band is without it: {error}";
    FewRefreshes FewSamples { target, interval, owed, least }
        "{target}: so short a run leaves to chance how many refreshes it has: one falls due every {interval}, and a \
         busy rank may put off {owed}; measure {least} or longer (--measure)";
    FewSamples FewSamples { asked, tail, enough }
        "{asked} samples a point may be few: confidence intervals rest on short batches, and {tail}; ask for \
         {enough} (--samples)";
    FoldedRequests FoldedAddresses { file, target, count, what } "{file} on {target}: {count} {what}";
    NoTimes Default { file }
        "{file}: it tells no times, so requests come as fast as the cores' outstanding misses let them";
    OwnDie Advice { name, die }
        "{name}: {die} is a sheet of your own; the independent table knows the DDR5 dies on the market, so that a \
         die that is faster breaks its rules, and one that is slower is not held to its own";
    RulesKept Advice { name, commands } "{name}: {commands} commands keep every rule of an independent table";
    RulesBroken RunFailed { name, violations, commands }
        "{name}: {violations} of {commands} commands break a rule; please report this defect";
    Violation RunFailed { name, violation } "{name}: {violation}";
    NoStalls NotFitted { file, times }
        "{file}: no access of its first half takes {times} times the ordinary one, so nothing shows how the card \
         cleans: the body is fitted, and the tail, and with it the RAM at high rates, is that of the base; record \
         for longer, on a card that was written full";
    FewStalls FewSamples { file, stalls, percent }
        "{file}: its first half has {stalls} stalls; how long and how often they come is known to about \
         {percent:.0} %, and the longest is still to come";
    NoPauses ClosedLoop { file }
        "{file}: accesses follow each other at once, so nothing shows what the card does when it is idle: those \
         figures are of the base; a log at a fixed rate shows it (fio: --rate, then --durations paced)";
    LevelMissing NotFitted { level, id }
        "the log has {level}, and {id} has none such: no figures that were tried give it any";
    LevelAdded NotFitted { id, level } "{id} has {level}, and the log has none such: take its tail there with care";
    FlashMisfit NotFitted { id, noun, fitted, halves }
        "{id} misses the half of the {noun} that it was fitted to by {fitted}, where the halves differ by {halves}: \
         do not rely on it; another base (--base), or what each cycle programmed (--usage), may come nearer";
    LeftOpen NotFitted { file, names, why } "{file} leaves open, and the base's stay: {names}: {why}";
    BeyondTheTable Extrapolated { file, last, farthest, times }
        "{file}: its last count is {last} cycles, and times are told up to {farthest}, {times} times as far: their bands hold \
         if the law goes on as it began, and say nothing of a block that fails before";
    ExponentOpen NotFitted { file, operation, least, most }
        "{file}: {operation} times grow too little for the digits that are printed: the exponent may be {least} to {most} \
         (90 %); more digits, or counts later in life, would tell it";
    ExponentsDiffer OddLog { file, operation, typical, most }
        "{file}: typical and maximum {operation} times contradict one exponent and have one each, {typical} and {most}: the \
         maxima may be guard-banded rather than measured; the sheet follows the typical ones";
    OffTheLaw OddLog { file, operation, percent }
        "{file}: {operation} times lie about {percent} % off any power law: they may be of several technologies or \
         conditions, or rise in steps; the bands take it for chance";
    CutLine TruncatedLog { file, line } "{file}: line {line}, the last, is cut off and was left out";
    SlowHost NotFitted { file, longer, each, done, board, least, most }
        "{file}: bus and host take {longer} longer for {each} that is {done} than {board} does, 95 % interval \
         {least} to {most}: a part's sheet cannot hold that";
    LogTooLong FewSamples { file, most, more }
        "{file}: the first {most} accesses are used, and {more} behind them are not";
    PausesUnknown UnknownCoverage { file }
        "{file}: nothing shows whether the host paused between accesses; they are taken to follow each other at \
         once, and a card that cleans in pauses would be fitted as one that cleans more slowly";
    SearchUnfinished FewSamples { simulations }
        "the search used up its {simulations} simulations before it came to rest; more may fit better \
         (--simulations)";
    CardMisfit NotFitted { id, fitted, halves }
        "{id} misses the half of the log that it was fitted to by {fitted}, where the halves differ by {halves}: do \
         not rely on it; a longer search (--simulations) or another base (--base) may come nearer";
    TakenAsFull Default { file, target }
        "{file}: its stalls are more like those of {target} when that is full; it is taken to have been full \
         before, and --fill SHARE says otherwise";
    NoAddresses Default { file, target }
        "{file}: it tells no addresses; they are drawn from all of {target}, and --range SIZE says otherwise";
    AddressesFolded FoldedAddresses { file, asked, target }
        "{file}: addresses reach up to {asked}, beyond the end of {target}; those were folded into it";
    NothingFitted NotFitted { base }
        "the log determines no figure better than {base} has it: the sheet is that of the base";
    FreshFileSystem FreshMemory { name, steps, bytes }
        "{name}, {steps}: less was stored than the {bytes} below the translation layer hold, which had little or \
         nothing to clean up; a memory in use is slower: give a longer --file beside --fill, or a smaller --capacity";
    IdleCalls Advice { name }
        "{name}: no call asked the memory for anything, so that they took no time and have no rate";
    UncutFailure RunFailed { target, engine, violation }
        "{target}, {engine}: the workload that was to be cut does not run without a cut: {violation}";
    CutsSampled Default { target, engine, images, operations, calls, images_again, distinct }
        "{target}, {engine}: power cuts are a sample: {images} images of the {operations} operations that {calls} \
         calls consist of, on a memory that is nearly full, and {images_again} of mounts after them; {distinct} \
         differ";
    WholeMemoryForFiles Advice { target, has, asked }
        "{target}: it has {has} and not {asked}: its file systems get all of it";
    NoTable Advice { name, why } "{name}: {why}";
    FewKeys FewSamples { name, key_bytes, count, wanted }
        "{name}: keys of {key_bytes} B name {count} records, so that the table holds these and not {wanted}";
    IdleTable Advice { name, operation }
        "{name}, {operation}: no operation asked the memory for anything, and the processor is not counted, so that \
         they took no time and have no rate";
    UncutTableFailure RunFailed { name, violation }
        "{name}: the workload that was to be cut does not run without a cut: {violation}";
    TablePromiseBroken PowerCut { name, kinds } "{name}: power cuts break the promise: {kinds}";
    NoProcessor Advice { board }
        "{board}: its sheet has no table [cpu], so that what the tables compute takes no time: rates are those of \
         the memory and its driver alone";
    ProcessorCounted Default { board }
        "{board}: what the tables compute is counted in instructions of their algorithms, at the cycles an \
         instruction that one published figure was calibrated with; --build optimized takes the assumed figure of an \
         optimised build, and --build none the memory and its driver alone";
    WholeMemoryForTables Advice { target, has, asked }
        "{target}: it has {has} and not {asked}: its tables get all of it";
    MeasuredHere Caution { name, what }
        "{name}: measured with the clock of this machine, whatever else it did meanwhile; {what}";
    Unoptimised Caution { name }
        "{name}: this build of wordline is not optimised, and its tables are slow: build with --release";
    PoolOpen Default { work, open } "workload {work}: {open}";
    NoPipeline NoPipeline { target, what } "{target}: this memory has no {what}; it runs as without it";
    OnePlaneCurrents ExtrapolatedCurrent { target }
        "{target}: the sheet states currents of one plane at work; energy of several is understated";
    NoPlaneCache NoPipeline { target } "{target}: reads of several planes do not use the cache read";
    LifeUsedUpByRun LifeUsedUp { name, endurance }
        "{name}: this run alone took a unit beyond its {endurance} rated cycles";
    Caution Caution { name, caution } "{name}: {caution}";
    AgeWearOnly AgeWearOnly { target }
        "{target}: age changes what is left of the rated cycles alone; times, energy and bit errors are those of a \
         fresh chip";
    LifeUsedUp LifeUsedUp { target, endurance }
        "{target}: at this age every unit has used its {endurance} rated cycles; the sheet promises nothing from \
         here on";
    UnknownCurrent UnknownCurrent { target, states }
        "{target}: the sheet states no current on this bus for {states}, so energy that needs it is unknown; add it \
         to a sheet of your own if you know it";
    CurrentTooLow ExtrapolatedCurrent { target, figure, clock }
        "{target}: {figure} is the highest that the sheet states, but the bus runs at {clock}, so energy is \
         understated";
    FreshMemory FreshMemory { name, written, memory }
        "{name}: {written} were written to a memory of {memory}, which had nothing to clean up yet; a memory in use \
         is slower: give --fill, --warm-up and a --wrap of what is in use";
    NoFailedBlock Caution { blocks }
        "no block of this part was cycled until it failed, so that how far its latency goes is taken from virtual \
         chips, which real ones may be far from: log one block of the part until it fails, in the same log, with its \
         chips named PART#1, PART#2 where they are several ({blocks})";
    FailedBlocksKnown Default
        "how far latency goes until a block fails is taken from the failed blocks of its part in this log; how far \
         the blocks of a part differ in that is assumed, as far as the log does not show it, and that latency grows \
         by a power of the cycles is what virtual chips do";
    BeyondVirtualChips Extrapolated { blocks }
        "{blocks}: takes longer than half of the virtual chips ever did, which failed before; without a failed \
         block of its part its band means little, and the less the longer it takes";
    EarlyLife FewSamples { blocks }
        "{blocks}: has used less than a tenth of its life, by its latency; how much less, and how many cycles are \
         left, cannot be told that early";
    FewCyclesLogged FewSamples { blocks, what } "{blocks} {what}";
    CutLastLine TruncatedLog { line } "line {line}, the last, is cut off and left out";
    ColumnsPassedOver OddLog { columns } "columns passed over: {columns}";
    WithoutRetention Caution
        "endurance is counted until a chip reports a failure, without the limits of an ECC and without retention: \
         no lifetime that a maker promises, which is what compare goes by";
    ColdExtrapolated Extrapolated "below 5 degrees Celsius stress is extrapolated from two temperatures";
    DwellAssumed Caution
        "what a dwell between program and erase does to endurance is assumed: it was not measured for these chips";
    NotMarkedBad Caution { target, block, error } "{target}: failed block {block} could not be marked bad: {error}";
    EarlyFailure Caution { target }
        "{target}: a block that fails within its first cycles is not taken for worn out, nor marked: is the device \
         protected from writes, or its bus at fault?";
    DriverDurations Caution { target }
        "{target}: durations are those of the driver's calls, with what the bus, the driver and the kernel add to \
         the chip's own; the temperature is what was stated, not measured";
    WearRunFailed RunFailed { name, usage, sample, failure } "{name}, {usage}, chip {sample}: {failure}";
    MissingColumn MissingColumn { sheet, figure, wanted, used, consequence }
        "{sheet}: {figure} has no {wanted} column, {used} stands in for it, {consequence}; state {wanted} in the \
         sheet if you know it";
    StartToStart StartToStart { file, percent }
        "{file}: times from the start of an access to the start of the next stand for durations; the log itself \
         covers {percent:.0} % of them";
    StartToStartInSteps StartToStart { file, percent, step }
        "{file}: times from the start of an access to the start of the next stand for durations; the log itself \
         covers {percent:.0} % of them, and tells them in steps of {step}, so that each start may be off by one: what \
         lies between is told as the least and the most";
    TruncatedLog TruncatedLog { file, oddity } "{file}, {oddity}";
    BackwardsTime BackwardsTime { file, oddity } "{file}, {oddity}";
    LostRecords LostRecords { file, oddity } "{file}, {oddity}";
    OddLog OddLog { file, oddity } "{file}, {oddity}";
    NoBackground NoBackground { target, work }
        "{target}: this memory has no {work} that a read could come during in the model";
    NoSuspend NoSuspend { target, work, reason }
        "{target}: no {work} is suspended: {reason}; reads wait for its end";
    FileSystemSetup Default { setup } "{setup}";
    FilesUnsuitable Unsuitable { name, operation, failure, why } "{name}, {operation}: {failure}{why}";
    FilesFailed RunFailed { name, operation, failure, why } "{name}, {operation}: {failure}{why}";
    PromiseBroken PowerCut { target, engine, kinds, why }
        "{target}, {engine}: power cuts break the promise: {kinds}{why}";
    PairedPages Caution { target, engine }
        "{target}: its pages are paired, and a power cut within a program harms an earlier page as well, which may \
         have been synced long before; {engine} programs as if only the page under way were at risk: use a memory of \
         one bit a cell, or a layer that knows of pairs";
    SumsOfErases Caution { target }
        "{target}: its own layer tells erases as sums since it was made: what the calls took of a block, and how \
         evenly, is not known";
    TableFailed RunFailed { name, operation, failure } "{name}, {operation}: {failure}";
    TableFull RunFailed { name, operation, failure }
        "{name}, {operation}: {failure}; give a lower --load or a larger --capacity";
}
