//! What the reader of a result should know before trusting its rows: every warning with its words, in one table.

use std::fmt::{self, Display};

use wordline_core::quantity::Time;
use wordline_core::results::{Warning, WarningCode};

use crate::error::problems;

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
        "{file}: accesses are so slow that 4096 of them exceed 2.5 hours; the longest sequences are not reported";
    SeveralSizes SeveralSizes { file, largest }
        "{file}: accesses have several sizes, up to {largest}; rates for whole records rest on the fluid curve and \
         the largest record, which is safe and not exact; a rate that is asked for is exact";
    Pauses Paced { file, percent }
        "{file}: the durations cover {percent:.0} % of the log's time, and the rest is taken to be pauses of the \
         host, as was said; whatever else happened in it, such as a flush, is missing";
    PausesAndOthers Paced { file, percent, count, others }
        "{file}: the durations cover {percent:.0} % of the log's time, and {count} accesses of the other kind {others:.0} %. \
         Those are no pauses of the host: input goes on meanwhile, and the RAM for it is missing here. --durations \
         start-to-start counts their time. The rest is taken to be pauses, as was said";
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
    Extrapolated Extrapolated { target, times, percent }
        "{target}: the RAM to provision and the longest access to expect look up to {times:.0} times as far as the \
         accesses, by a distribution that was fitted to the largest values of their stretches; they hold with \
         {percent:.0} % confidence if what comes is like what came";
    NotExtrapolated FewSamples { target, percent, holds, stretches, length, next }
        "{target}: the largest values of its stretches are too much alike, in steps, or of several kinds, and no \
         distribution fits them; nothing is extrapolated. With {percent:.0} % confidence the next {holds:.0} accesses \
         need no more than was seen: of {stretches} stretches of {length} accesses none did, and the next one does \
         with a probability of at most {next:.2} %";
    ShortForHorizon FewSamples { target, asked, percent, holds, needed }
        "{target}: {asked} of such work were asked for, and {holds} are supported with {percent:.0} % confidence; \
         record {needed} of such work or more";
    NeedsTranslation NeedsTranslation { name, block }
        "{name}: this memory overwrites whole blocks of {block}; random writes that are no multiple of it need a \
         translation layer: give --ftl page or --ftl log-block";
    RunFailed RunFailed { name, failure } "{name}: {failure}";
    OpenLoopFailed RunFailed { target, failure } "{target}, open loop: {failure}";
    NoBound RunFailed { target, failure } "{target}: no proven bound: {failure}";
    TraceFailed RunFailed { target, failure }
        "{target}: {failure}; a memory that erases blocks takes a trace that overwrites only behind a translation \
         layer";
    OwnTimesFailed RunFailed { target, failure } "{target}, at its own times: {failure}";
    OutsideAccesses FoldedAddresses { target, count, file }
        "{target}: {count} accesses of {file} lie outside the memory and were folded into it";
    CutAccesses FoldedAddresses { target, count, file }
        "{target}: {count} accesses of {file} are larger than the memory or 16 MiB and were cut to that";
    OrderRestsOnAssumed AssumedOrder { first, second, metric, targets }
        "{first} ranks before {second} by {metric}, which rests on assumed figures of {targets}: other values may change \
         the order (--prefer)";
    StatusFail Caution
        "rows of the estimate status-fail are until the chip reports a failure, without retention: by a model that \
         was calibrated with published measurements, and is not a lifetime that a maker promises";
    KeepDefault Default "what comes in an hour of work is kept, as nothing else was said (--keep)";
    DutyDefault Default "the work never pauses, as nothing else was said (--duty)";
    Shortlist Default { left_out }
        "{left_out} parts of the catalogue were not compared: no source says that they are made for new designs, or they \
         forget; --all-parts compares them";
    NotSimulated Default { count }
        "{count} candidates were not simulated: a bound of their sheets excludes them; --target NAME simulates one";
    PartsDefault Default { most } "a candidate may consist of {most} chips, as nothing else was said (--max-parts)";
    FillUnused Caution
        "no candidate is behind a translation layer, so the data that lie on it before (--fill) change nothing: add --ftl, \
         or leave it out";
    LossAboveRisk Caution { loss, risk }
        "a cache may hold {loss} between flushes (--max-loss), more than the {risk} that may be at risk in all \
         (--max-bytes-at-risk): a memory with a cache fails by that; flush more often, or leave --max-loss out";
    SettingUnfit RunFailed { target, choice, setting, error }
        "{target}: {choice} = {setting} does not fit, so the band is without it: {error}";
    FewRefreshes FewSamples { target, interval, owed, least }
        "{target}: so short a run leaves to chance how many refreshes it has: one falls due every {interval}, and a \
         busy rank may put off {owed}; measure {least} or longer (--measure)";
    BandDrawn Default { draws, choices, channels, of, redrawn }
        "band: {draws} joint draws of {choices} undisclosed choices ran on {channels} of {of} channels, with cores in \
         proportion. Every setting counts as much as any other; {redrawn} draws swapped settings that did not fit each other";
    BandMeasured Default { draws, kept, rate, module, percent, mix }
        "band: of {draws} draws {kept} give the {rate} that a machine with {module} was measured at ({mix}), within {percent} %; \
         the band is theirs";
    BandDrawnOn Default { first, enough }
        "band: fewer than {enough} of the first {first} draws give what was measured, so that more were drawn";
    BandUnmeasured Default { draws, kept, rate, module, percent, first, least }
        "band: of {draws} draws only {kept} give the {rate} that a machine with {module} was measured at, within {percent} %. A band \
         rests on {least} at least; this one is that of the first {first} draws, whatever they give there";
    BandOfAnother Default { names }
        "band: {names} is set otherwise than in the machine that was measured, so that no draw is set aside";
    FewSamples FewSamples { asked, beyond, enough }
        "{asked} samples a point may be few: confidence intervals rest on short batches, and {beyond} of them lie \
         beyond p99.9; ask for {enough} (--samples)";
    AlignedRequests FoldedAddresses { file, target, count }
        "{file} on {target}: {count} addresses lay within a line, which was taken for them";
    OutsideRequests FoldedAddresses { file, target, count }
        "{file} on {target}: {count} addresses lay beyond the memory and were taken modulo its size";
    SurfaceSimulated Default { target }
        "{target}: no surface comes along, so that it was simulated on the way, as far as the profile asks for it; wordline \
         dram surface --surface FILE keeps one, and --surface FILE takes it";
    ProfileCaution Profile { what }
        "{what}";
    PriceUnused Default { modules }
        "no projection uses the price of {modules}";
    PriceMissing Default { modules }
        "no price is stated for {modules}: cost is compared among the others alone";
    EnergyUndetermined Undetermined { why }
        "{why}";
    SurfaceMisled Default { target, phase, percent, simulated, low, high }
        "{target}: simulated whole the program is {simulated} times as fast, outside of the band of {low} to {high}. The surfaces          misled most in the phase {phase}, where they differ from its windows by {percent} %";
    SettingUnused Default { target, why }
        "{target}: {why}";
    SurfaceUnread Default { key, why }
        "the surface that is kept as {key} was not taken, but simulated again: {why}";
    SurfaceUnsure FewSamples { target, count, wanted, longest }
        "{target}: {count} points are less sure than {wanted} of their latency, though each was simulated for {longest}";
    IdleGaps Default { file, target, count, skipped }
        "{file} on {target}: {skipped} of {count} gaps were not simulated but counted, refresh round by refresh round, \
         each like the one before it";
    NoTimes Default { file }
        "{file}: it records no times, so requests come as fast as the cores' outstanding misses let them";
    ProgramPace Default { file, caches, rate, clock, lines }
        "{file}: accesses of a program pass {caches}; what is left in them is not written back. It is one core's: {rate} \
         instructions a cycle of {clock} while no miss stops it (--ipc, --clock), and {lines} lines under way";
    MeasuredCurve Default { file, points, percent, mix }
        "{file}: its curve of {percent} % reads, {points} points, stands beside {mix}; measured latencies lie on straight \
         lines between its points";
    CurveBends Default { file, count }
        "{file}: {count} points were left out, which carry no more than others with less load";
    Imported Caution { file, tool, counting }
        "{file}: measured by {tool}, which states one number for each row: no interval and no grade; {counting}";
    ImportNote Caution { file, note } "{file}: {note}";
    ImportOdd OddLog { file, note } "{file}: {note}";
    ImportCut TruncatedLog { file, note } "{file}: {note}";
    ImportRepeated Default { file, count }
        "{file}: up to {count} runs have the same settings; each such row is their median";
    ImportMix OddLog { file, line, kind } "{file}: line {line}: left out: {kind}; no mix has a name for it";
    ImportCaches OddLog { file, count }
        "{file}: {count} latencies from cache to cache were left out: the tool states sockets or nodes, no cores";
    ImportNoIdle Caution { file }
        "{file}: no latency without load is in it, so stage 1 is relative to that of the least load";
    PowerRefused Advice { why }
        "power was not measured: {why}; RAPL is readable by root alone (sudo chmod a+r \
         /sys/class/powercap/*/energy_uj)";
    PowerFew FewSamples { domains, least }
        "power of {domains} has no row: these sensors state it at an instant, and a mean takes {least} readings or more, which a \
         longer run has";
    IdleOfLeastLoad NotFitted { file }
        "{file}: it has no latency without load; that of the least load stands in for it, so the path on the chip may be too \
         long";
    NoCurveToFit NotFitted { file, base }
        "{file}: it has no latency under load of reads, so the misses of a core are those of {base}; measure it \
         (wordline host loaded)";
    MissesOutOfRange NotFitted { file, found }
        "{file}: throughput and latency at saturation give {found} misses a core, which no core has: check --cores";
    LossOutOfRange NotFitted { file, measured, whole, base }
        "{file}: reads carry {measured}, less than half of the {whole} of the fitted system, which no loss of a bus explains: the \
         loss stays that of {base}; check --channels";
    SystemMisfit NotFitted { id, name, ratio }
        "{id}: {name} is {ratio} times what was measured; other figures of the base do not fit this machine (see the \
         residuals)";
    OwnDie Advice { name, die }
        "{name}: {die} is a sheet of your own; the independent table knows the DDR5 dies on the market. A faster die \
         breaks its rules, and a slower one is not held to its own";
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
        "{file}: its last count is {last} cycles, and times are predicted up to {farthest}, {times} times as far: their bands hold \
         if the law goes on as it began, and say nothing of a block that fails before";
    ExponentOpen NotFitted { file, operation, why, least, most }
        "{file}: the exponent of {operation} times may be {least} to {most} (90 %), because {why}; more digits, or counts \
         later in life, would show it";
    ExponentsDiffer OddLog { file, operation, typical, most }
        "{file}: typical and maximum {operation} times contradict one exponent and have one each, {typical} and {most}: the \
         maxima may be guard-banded rather than measured; the sheet follows the typical ones";
    OffTheLaw OddLog { file, operation, percent, column, cycles }
        "{file}: {operation} times lie up to {percent} % off the nearest power law ({column} at {cycles} cycles): they \
         may be of several technologies or conditions, or rise in steps; the bands take it for chance";
    CutLine TruncatedLog { file, line } "{file}: line {line}, the last, is cut off and was left out";
    SlowHost NotFitted { file, longer, each, done, board, least, most }
        "{file}: bus and host take {longer} longer for {each} that is {done} than {board} does, 95 % interval \
         {least} to {most}: a part's sheet cannot hold that";
    FigureDisturbed Disturbed { test, which, place, reason, advice }
        "{test}: {which} below grade A for this, the worst of {place}: {reason}; {advice}";
    FigureShort FewSamples { test, which, place, reason, advice }
        "{test}: {which} below grade A for this, the worst of {place}: {reason}; {advice}";
    FigureCoarse CoarseTime { test, which, place, reason, advice }
        "{test}: {which} below grade A for this, the worst of {place}: {reason}; {advice}";
    FigureRefused Refused { test, which, place, reason, advice }
        "{test}: {which} refused, the first of {place}: {reason}; {advice}";
    NoEstimate Refused { test, which, place, reason }
        "{test}: {which} be made, the first of {place}: {reason}";
    PagesShort NotObtained { test, pages, percent }
        "{test}: only {percent:.1} % of the memory lie in pages of {pages}, as the rows state: wait for free memory, or reserve          pages (wordline doctor)";
    NodeShort NotObtained { test, percent }
        "{test}: only {percent:.1} % of the memory lie on the node that was asked for; free memory there, or name another";
    PagesRefused NotObtained { pages, why }
        "pages of {pages} were left out: {why}";
    ArrayInCaches Caution { found, least }
        "bandwidth: {found} stay in the caches in part, so that these rates are of caches too, and no bytes on the bus are stated: \
         memory takes {least} or more, four times the last caches (--size)";
    BusDerived Caution
        "bandwidth: what the memory moves of copy and triad with plain stores is derived and holds at most: it counts a read of \
         each stored line, which processors of Arm (write streaming) and Intel (SpecI2M) leave out at times";
    SetInCaches Caution { test, found, least }
        "{test}: the largest working set is {found}, of which the caches hold a part: no figure of it is one of the memory, which \
         takes {least} or more, four times the last cache (--size)";
    SweepShort Default { found, wanted }
        "latency: working sets end at {found}, half of what is free, instead of {wanted}: free memory, or state --size";
    UnequalCores Caution { kinds, cpu, kind }
        "cores of this machine are unequal: {kinds}; CPU {cpu} measures, which is {kind}; figures of others differ (--cpu)";
    FarMemory Caution { cpu, node }
        "CPU {cpu}, which measures, is not of node {node}, whose memory was asked for: the way there is part of each figure";
    CutByBudget CutByBudget { test, cut, all }
        "{test}: the time limit cut the samples of {cut} of {all} points; sizes and mixes are complete (--budget)";
    OneCore Default { test }
        "{test}: this process may run on one core alone, so that there is no time of a line from core to core (taskset and \
         cpusets limit it)";
    PairsSampled Default { some, all }
        "lines were handed over between {some} of the {all} processors, evenly spread: all pairs of more would take too long";
    StoresLeftOut Default { kernel }
        "{kernel}: it has no stores past the caches, so that plain ones alone were measured (--kernel)";
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
        "{file}: it records no addresses; they are drawn from all of {target}, and --range SIZE says otherwise";
    AddressesFolded FoldedAddresses { file, asked, target }
        "{file}: addresses reach up to {asked}, beyond the end of {target}; those were folded into it";
    NothingFitted NotFitted { base }
        "the log determines no figure better than {base} has it: the sheet is that of the base";
    FreshFileSystem FreshMemory { name, steps, bytes }
        "{name}, {steps}: less was stored than the {bytes} of flash hold, so that little or nothing had to be \
         cleaned up; a memory in use is slower: give a longer --file beside --fill, or a smaller --capacity";
    FreshReplay FreshMemory { name, bytes }
        "{name}: less was stored than the {bytes} of flash hold, so that little or nothing had to be cleaned up; a \
         memory in use is slower: give a smaller --capacity";
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
    NoScan Advice { name } "{name}: it scans keys in their order, which no table is asked for here";
    OneSize Advice { name } "{name}: its records have many sizes, and this table has one for all";
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
    UncountedWork Caution { name, board }
        "{name}: what it computes on the processor of {board} was not counted: its rates are those of the memory and \
         its driver alone, and too high beside those of tables whose work is counted";
    InstructionsAlone Advice { board }
        "{board}: its sheet has no table [cpu], so that what the program and the file system compute is given in \
         instructions, without a time";
    InstructionsRecorded Default { name }
        "{name}: instructions of the program are those that its trace states, at the cycles an instruction of the board; \
         what file system and kernel compute is not counted, and rows without build are of the memory and its driver alone";
    InstructionsPredicted Default { name, engine, file_system }
        "what SQLite and {name} compute is predicted from counts of their work, with the instructions of an optimised \
         build for a Cortex-M7: at most {engine} and {file_system} off for workloads that were not used to fit; \
         latency_* are those of the memory and its driver alone";
    InstructionsUnknown Advice { name }
        "{name}: how many instructions it takes has not been counted; what SQLite alone computes is given";
    WholeMemoryForTables Advice { target, has, asked }
        "{target}: it has {has} and not {asked}: its tables get all of it";
    MeasuredFile Caution { name }
        "{name}: measured with the clock of this machine, in repeats of which the medians count. Each access asks the \
         system for the file's length first, and a persist waits for msync and its disk, which writes whole pages. \
         Bytes moved are those that the table reads and writes";
    MeasuredRam Caution { name }
        "{name}: measured with the clock of this machine, in repeats of which the medians count; caches hold what they can, \
         and nothing waits for the memory to keep anything";
    Disturbed Disturbed { name, lost, spread, repeats, outliers, replaced }
        "{name}: its repeats disagree or lost the processor, and its figures may not be those of the memory. The rate \
         varies by {spread:.0} % over {repeats} repeats with {outliers} outliers, and the processor was away for {lost:.1} % of \
         the time; repeats that lost more and do not count: {replaced}. Measure again when machine and disk are idle";
    Unoptimised Caution { name }
        "{name}: this build of wordline is not optimised, and its tables are slow: build with --release";
    PoolOpen Default { work, open } "workload {work}: {open}";
    NoPipeline NoPipeline { target, what } "{target}: this memory has no {what}; it runs as without it";
    OnePlaneCurrents ExtrapolatedCurrent { target }
        "{target}: the sheet states currents of one plane at work; energy of several is understated";
    NotMapped NotMapped { target }
        "{target}: this memory is not mapped into the address space; reads go by the driver";
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
        "no block of this part was cycled until it failed, so virtual chips show how far its latency goes; real ones \
         may be far from them. Log one block of the part until it fails, in the same log, with its chips named PART#1, \
         PART#2 where they are several ({blocks})";
    FailedBlocksKnown Default
        "how far latency goes until a block fails is taken from the failed blocks of its part in this log. How far \
         blocks of a part differ in it is assumed where the log does not show it. That latency grows by a power of \
         the cycles is how virtual chips behave";
    BeyondVirtualChips Extrapolated { blocks }
        "{blocks}: takes longer than half of the virtual chips ever did, which failed before; without a failed \
         block of its part its band means little, and the less the longer it takes";
    EarlyLife FewSamples { blocks }
        "{blocks}: has used less than a tenth of its life, by its latency; how much less, and how many cycles are \
         left, is unknown that early";
    NoCycles FewSamples { blocks } "{blocks} has neither erases nor programs";
    LateCycles FewSamples { blocks }
        "{blocks} is logged too late to show how long a fresh one took; a log should begin with the first cycles of \
         one block of each chip at least";
    SteadyLatency FewSamples { blocks }
        "{blocks} takes as long as when it was fresh, or the log is too short to show a change: latency says nothing of what \
         is left";
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
         covers {percent:.0} % of them, and records them in steps of {step}, so that each start may be off by one: what \
         lies between is reported as the least and the most";
    TruncatedLog TruncatedLog { file, oddity } "{file}, {oddity}";
    BackwardsTime BackwardsTime { file, oddity } "{file}, {oddity}";
    LostRecords LostRecords { file, oddity } "{file}, {oddity}";
    UnitTaken Default { file, oddity } "{file}, {oddity}";
    BufferedLog PageCache { file, oddity } "{file}, {oddity}";
    FasterThanStorage PageCache { file, median, least }
        "{file}: half of the accesses take {median} or less, and no storage device answers an operating system within \
         {least}: these are durations of the page cache or of a RAM disk, and nothing here holds for a memory. Record \
         with direct=1 and sync=1 (fio: --direct=1 --sync=1)";
    FasterThanLinks PageCache { file, rate, most }
        "{file}: accesses move {rate} on average, and no link of a storage device carries more than {most}: these are \
         durations of the page cache or of a RAM disk, or their unit is another one (--unit, --log-unit). Record with \
         direct=1 and sync=1 (fio: --direct=1 --sync=1)";
    FasterThanBuses PageCache { file, median, rate, most }
        "{file}: half of the accesses take {median} or less, and they move {rate} on average; no bus of a memory that \
         keeps its data carries more than {most}: these are durations of the page cache or of a RAM disk, or their unit is \
         another one (--unit, --log-unit). Record with direct=1 and sync=1 (fio: --direct=1 --sync=1)";
    SupplyEnergy Caution { file, covered, accesses, percent }
        "{file}: it covers {covered} of {accesses} accesses ({percent:.1} %), of which the energy is told: that of \
         everything on the measured supply, idle draw included";
    SameClock Default { file }
        "{file}: its clock is taken to be that of the log; --current-offset says at which of its times the first access \
         starts";
    CurrentGaps OddLog { file, line, count, longest }
        "{file}, line {line}: {count} gaps of up to {longest} between samples; accesses in them have no energy";
    CoarseCurrent CoarseTime { file, step, mean }
        "{file}: times are known in steps of {step}, and an access takes {mean} on average: what it draws is mixed with \
         what happens before and after it";
    NoRing Default { target, why }
        "{target}: {why}; accesses went through pread and pwrite, several under way each on a thread of its own, whose \
         handover of some microseconds their durations hold";
    CachedStorage PageCache { target }
        "{target}: the page cache was asked first (--buffered), so durations are those of RAM where it has the data, and \
         of writes until they are in it; leave --buffered out for the device";
    QuickStorage PageCache { target, median, least }
        "{target}: half of the accesses take {median} or less, and no storage device answers an operating system within \
         {least}: these are durations of a cache or of a RAM disk, and say nothing of a memory";
    StorageInUse Disturbed { target, by }
        "{target}: {by}; it was only read, and what others did meanwhile is in the durations";
    StorageRemoved Caution { target }
        "{target}: the file was removed or replaced during the run; what was measured is the one that was opened";
    StorageStalls Disturbed { target, count, time }
        "{target}: the loop waited {count} times, {time} in all, for its accesses to be added up; the pauses are in no \
         duration, and the memory had them";
    Overlapping Default { target, depth }
        "{target}: up to {depth} accesses were under way at a time, so that their durations overlap and add up to no time: \
         there is no RAM curve; --depth 1 gives it";
    MixedAccesses Default { target }
        "{target}: reads and writes took turns, and a log of one kind leaves out the time of the other: there is no RAM \
         curve; --reads 0% or 100% gives it";
    NoCurve Caution { problem } "no RAM curve: {problem}";
    RateMissed Caution { target, rate, asked }
        "{target}: the storage takes {rate} of the {asked} that were asked for, so accesses begin later and later: latencies \
         from the intended start grow with the length of the run";
    RunCut CutByBudget { target, done, asked }
        "{target}: the time limit ended the run after {done} of {asked} accesses";
    OddLog OddLog { file, oddity } "{file}, {oddity}";
    NoBackground NoBackground { target, work }
        "{target}: this memory has no {work} that a read could come during in the model";
    NoSuspend NoSuspend { target, work, reason }
        "{target}: no {work} is suspended: {reason}; reads wait for its end";
    FileSystemSetup Default { place, title, ground, settings } "{place}: {title} {ground}{settings}";
    FilesUnsuitable Unsuitable { name, operation, failure, why } "{name}, {operation}: {failure}{why}";
    FilesFailed RunFailed { name, operation, failure, why } "{name}, {operation}: {failure}{why}";
    PromiseBroken PowerCut { target, engine, kinds, why }
        "{target}, {engine}: power cuts break the promise: {kinds}{why}";
    PairedPages Caution { target, engine }
        "{target}: its pages are paired, and a power cut within a program harms an earlier page as well, which may \
         have been synced long before; {engine} programs as if only the page under way were at risk: use a memory of \
         one bit a cell, or a layer that knows of pairs";
    SumsOfErases Caution { target }
        "{target}: its own layer reports erases as sums since it was made: what the calls took of a block, and how \
         evenly, is not known";
    SettingsNotRun Caution { target, engine, count, all, first, failure }
        "{target}, {engine}: {count} of {all} settings that the search tried do not run, first {first}: {failure}";
    TableFailed RunFailed { name, operation, failure } "{name}, {operation}: {failure}";
    TableFull RunFailed { name, operation, failure }
        "{name}, {operation}: {failure}; give a lower --load or a larger --capacity";
}

// Reasons that warnings give.

problems! {
    /// Why nothing shows how much of its time a log accounts for.
    pub(crate) UnknownCoverage;

    NoEnds "the log does not record when accesses ended";
    LogInSteps { elapsed: String, step: Time } "the log lasts {elapsed} and records times in steps of {step}";
    NoTime "the histogram does not record in what time its accesses happened";
    HistogramInSteps { elapsed: Time, step: Time } "the histogram lasts {elapsed} and records its time in steps of {step}";
    WideBins { least: f64, most: f64 }
        "its bins are so wide that they cover anything from {least:.0} % to {most:.0} % of its time";
}

problems! {
    /// Why a fit leaves a figure of flash as the base has it.
    #[derive(Clone, PartialEq)]
    pub(crate) LeftOpen;

    NoEraseStep "no step explains the durations of erases as its multiples";
    FewFailed { found: usize, least: usize }
        "{found} blocks failed, and the last loop shows in those alone; {least} are needed";
    NoProgramStep "no step explains the durations of single programs as its multiples";
    NoLaw "the law that separates late pulses from early ones is not known";
    FewLives { found: usize, least: usize } "how long a block lives shows in {found} blocks, and {least} are needed";
    FlatLikelihood
        "their likelihood has no top: too many blocks were given up before they showed their strength";
    NoPulsesAndLoops "pulses of single programs beside loops of erases would show it";
    NoneWeak { of: usize, percent: f64 }
        "none of {of} blocks is weak, so that their share is below {percent:.1} % (95 %)";
    NoWeakBlock "no block is weak";
    FewChips { found: usize, least: usize }
        "the log has {found} chips, and {least} are needed; the interval of endurance takes the base's spread as given";
    NoOtherConditions "one temperature and one dwell show nothing of others";
    NoBitErrors "durations show nothing of wrong bits";
    FlatLaw "the loops of erases do not determine their law";
    ProgrammedPageLast
        "in no block the programmed page failed first, so how many pulses wear saves in all is unknown";
    NoEarlyPulse "no pulse was saved early";
    NotInSizes "the sizes of the sweep do not separate it from what else an access takes";
    AgeingOfSweep "a sweep shows nothing of wear; a cycling log does";
    AgeingOfTimes "a table of times shows neither when blocks fail, nor how they differ, nor wrong bits";
    NoTimesOf(&'static str) "the table has no {0}s";
    NoTypicalTimes "the table has no typical times";
    FlatGrowth "the times grow too little for the digits that are printed";
    ScatteredGrowth "the times scatter about the law";
    ProgramsDoNotGrow "programs of the model do not slow down with the cycles: the rows show what the table does";
}

problems! {
    /// What a file system lies on.
    pub(crate) FileSystemGround;

    EraseBlocks "on the flash itself, in its erase blocks";
    Bytes "on bytes that can be overwritten";
    RewrittenBlocks
        "on erase blocks that are rewritten in place, as simple products do; a power cut within a rewrite loses a sector";
    Layer(String) "over a translation layer (mapping {0})";
    Sectors "on sectors of 512 B";
    SpareFlash "on the flash itself, with a record beside each page";
}

problems! {
    /// Why a file system fails on a memory that is empty, or after some power cuts.
    pub(crate) FileSystemFailure;

    BadStart { block: u32, title: &'static str, fixed: String }
        "block {block} came bad from the factory, and {title} cannot do without blocks {fixed}: another --seed is \
         another chip";
    NoPromise(&'static str) "{0} promises nothing of the kind";
    StartCut { images: u64, title: &'static str, fixed: String }
        "in {images} of them the cut left block {fixed} so that it takes no erase, and {title} cannot do without: it \
         says that there is no room, and nothing is lost";
    PairedPage(&'static str)
        "a cut within a program harms an earlier page of the pair as well, which {0} does not know of";
    UnstablePage(&'static str)
        "the ECC on the chip may correct a page that a cut left half-programmed in one read and give it up in \
         another: {0} asks once, takes the page for whole or for erased, and goes on behind it \
         (docs/evidence/fs-power-cuts.md)";
}

problems! {
    /// What follows from a column of a sheet that stands in for another.
    pub(crate) ColumnConsequence;

    Optimistic "so what rests on it is optimistic";
    NoBound "so what rests on it is no bound";
    Pessimistic "so what rests on it is pessimistic";
    Fixed "so it does not vary";
}
