//! What QEMU calls.

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::io::Write as _;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use wordline_apps::record::{
    CoreTrace, MicroOperation, RecordingFault, SamplePlan, SharedTrace, TraceBlock, TraceRecord,
    TraceRegime,
};

use crate::abi::{
    LOADS_AND_STORES, NO_REGISTERS, PluginId, QemuFunctions, QemuInfo, TranslatedBlock, symbol,
};
use crate::decode::BlockDecoder;
use crate::settings::PluginSettings;

/// Version of the interface that this plugin is for: the oldest that the QEMU at hand still takes, set before QEMU reads it.
#[unsafe(no_mangle)]
#[allow(
    non_upper_case_globals,
    unreachable_pub,
    reason = "QEMU looks it up by this name"
)]
pub static qemu_plugin_version: AtomicI32 = AtomicI32::new(1);

/// Sets the version when the plugin is loaded.
#[used]
#[unsafe(link_section = ".init_array")]
static CHOOSE_VERSION: extern "C" fn() = choose_version;

extern "C" fn choose_version() {
    // Version 2 took version 1 away, and brought this function.
    if !symbol(c"qemu_plugin_scoreboard_new").is_null() {
        qemu_plugin_version.store(2, Ordering::Relaxed);
    }
}

/// Records after which a batch is taken at the next block.
const BATCH: usize = 1024;

/// Records that a batch has room for: a block, or an instruction that repeats, may bring many.
const ROOM: usize = 2048;

/// Instructions after which a batch is taken whatever it has.
const BATCH_INSTRUCTIONS: u64 = 1 << 14;

/// Threads that are told apart.
const THREADS: usize = 4096;

/// Kinds of accesses whose size and direction are remembered.
const KINDS: usize = 64;

/// What all callbacks share.
struct RecordingPlugin {
    qemu: QemuFunctions,
    version: c_int,
    settings: PluginSettings,
    shared: SharedTrace,
    plan: SamplePlan,
    /// Process that records; one that it forks does not.
    process: u32,
    processor: String,
    translation: Mutex<BlockTable>,
}

/// Blocks that have been translated.
struct BlockTable {
    decoder: Option<BlockDecoder>,
    known: HashMap<(u64, Vec<u8>), &'static RecordedBlock>,
    fault: Option<RecordingFault>,
}

/// A block, which stays for as long as the process.
struct RecordedBlock {
    block: TraceBlock,
    instructions: u64,
}

/// A thread of the program. Only the thread that runs it uses it.
struct Thread {
    /// A bit for each of 64 kinds of lines whose accesses are recorded.
    followed: u64,
    instructions: u64,
    /// Instructions from which on the next block has more to do than to be counted.
    due: u64,
    filled: usize,
    blocks: bool,
    kinds: [(u32, u32, bool); KINDS],
    records: [TraceRecord; ROOM],
    trace: CoreTrace,
}

impl Thread {
    fn set(&mut self, plugin: &RecordingPlugin, regime: TraceRegime) {
        self.filled = 0;
        self.instructions = 0;
        self.followed = match regime.all {
            true => u64::MAX,
            false => plugin.shared.followed(),
        };
        self.blocks = regime.blocks;
        self.due = match regime.blocks {
            true => 0,
            false => BATCH_INSTRUCTIONS,
        };
    }
}

static PLUGIN: OnceLock<RecordingPlugin> = OnceLock::new();

static RUNNING: [AtomicPtr<Thread>; THREADS] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; THREADS];

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says something on the error stream, which is QEMU's as well.
fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "wordline: {message}");
}

/// The state of a thread; `None` of one beyond those that are told apart.
#[inline]
fn thread(index: c_uint) -> Option<&'static mut Thread> {
    let slot = RUNNING.get(index as usize)?;
    // SAFETY: QEMU calls back on the thread that runs this processor, one call at a time, and `end` takes the pointer away
    // only after that thread, or all of them, have stopped.
    unsafe { slot.load(Ordering::Relaxed).as_mut() }
}

/// Loads the plugin.
///
/// # Safety
/// QEMU calls it, once, with its own structures: `info` is valid, and `arguments` has `count` texts.
#[unsafe(no_mangle)]
#[allow(unreachable_pub, reason = "QEMU looks it up by this name")]
pub unsafe extern "C" fn qemu_plugin_install(
    id: u64,
    info: *const c_void,
    count: c_int,
    arguments: *const *const c_char,
) -> c_int {
    // SAFETY: as this function asks.
    let info = unsafe { &*info.cast::<QemuInfo>() };
    let text = |at: *const c_char| {
        // SAFETY: the texts of QEMU end with a zero.
        unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned()
    };
    let each = (0..count.max(0) as usize).map(|at| {
        // SAFETY: there are `count` of them.
        text(unsafe { *arguments.add(at) })
    });
    let arguments: Vec<String> = each.collect();
    match install(id, info, &text(info.target_name), &arguments) {
        Ok(()) => 0,
        Err(problem) => {
            say(&problem);
            1
        }
    }
}

fn install(
    id: PluginId,
    info: &QemuInfo,
    target: &str,
    arguments: &[String],
) -> Result<(), String> {
    if info.system_emulation {
        return Err("programs are recorded in QEMU's user mode, not whole systems".into());
    }
    let qemu = QemuFunctions::find()
        .map_err(|name| format!("this QEMU has no function {}", name.to_string_lossy()))?;
    let settings = PluginSettings::from_arguments(arguments.iter().map(String::as_str))
        .map_err(|error| error.to_string())?;
    let shared = SharedTrace::new(settings.caches, settings.core, settings.sets_of_64)
        .map_err(|error| error.to_string())?;
    let decoder = match target {
        "x86_64" => Some(BlockDecoder::new(64)),
        "i386" => Some(BlockDecoder::new(32)),
        _ => None,
    };
    let plugin = RecordingPlugin {
        qemu,
        version: info.version_cur,
        plan: match settings.sets_of_64 {
            64 => SamplePlan::WHOLE,
            _ => SamplePlan::SETS,
        },
        settings,
        shared,
        process: std::process::id(),
        processor: target.to_owned(),
        translation: Mutex::new(BlockTable {
            decoder,
            known: HashMap::new(),
            fault: None,
        }),
    };
    if PLUGIN.set(plugin).is_err() {
        return Err("the plugin is loaded twice".into());
    }
    (qemu.on_vcpu_init)(id, begun);
    (qemu.on_vcpu_exit)(id, ended);
    (qemu.on_translation)(id, translated);
    (qemu.on_system_call_return)(id, returned);
    (qemu.on_end)(id, finished, std::ptr::null_mut());
    Ok(())
}

extern "C" fn begun(_: PluginId, index: c_uint) {
    let (Some(plugin), Some(slot)) = (PLUGIN.get(), RUNNING.get(index as usize)) else {
        return;
    };
    // The caches were checked when the plugin was loaded.
    let Ok(trace) = CoreTrace::new(&plugin.shared, plugin.plan) else {
        return;
    };
    let regime = trace.regime(&plugin.shared);
    let mut thread = Box::new(Thread {
        followed: 0,
        instructions: 0,
        due: 0,
        filled: 0,
        blocks: false,
        kinds: [(u32::MAX, 0, false); KINDS],
        records: [TraceRecord::block(0); ROOM],
        trace,
    });
    thread.set(plugin, regime);
    slot.store(Box::into_raw(thread), Ordering::Relaxed);
}

extern "C" fn ended(_: PluginId, index: c_uint) {
    if let Some(plugin) = PLUGIN.get() {
        end(plugin, index as usize);
    }
}

/// Takes what a thread has left, and the thread away.
fn end(plugin: &RecordingPlugin, index: usize) {
    let Some(slot) = RUNNING.get(index) else {
        return;
    };
    let left = slot.swap(std::ptr::null_mut(), Ordering::Relaxed);
    if left.is_null() {
        return;
    }
    // SAFETY: it comes from a box, and whoever finds it here is the only one.
    let mut thread = unsafe { Box::from_raw(left) };
    take(plugin, &mut thread, 0);
    thread.trace.end(&plugin.shared);
}

/// Passes a batch on.
#[cold]
fn take(plugin: &RecordingPlugin, thread: &mut Thread, next: u64) {
    let block = |name: u64| {
        // SAFETY: names of blocks are the addresses of blocks, which stay.
        &unsafe { &*(name as *const RecordedBlock) }.block
    };
    let records = &thread.records[..thread.filled];
    let regime = thread
        .trace
        .take(&plugin.shared, records, thread.instructions, next, &block);
    thread.set(plugin, regime);
}

extern "C" fn executed(index: c_uint, block: *mut c_void) {
    let Some(thread) = thread(index) else {
        return;
    };
    // SAFETY: it was handed to QEMU in `translated`, and stays.
    let recorded = unsafe { &*block.cast::<RecordedBlock>() };
    thread.instructions += recorded.instructions;
    if thread.instructions >= thread.due {
        begin_block(thread, recorded);
    }
}

/// What a block has to do besides being counted.
#[cold]
fn begin_block(thread: &mut Thread, recorded: &RecordedBlock) {
    if (thread.filled >= BATCH || thread.instructions >= BATCH_INSTRUCTIONS)
        && let Some(plugin) = PLUGIN.get()
    {
        take(plugin, thread, recorded.block.start);
    }
    if thread.blocks {
        let place: *const RecordedBlock = recorded;
        put(thread, TraceRecord::block(place as u64));
    }
}

#[inline]
fn put(thread: &mut Thread, record: TraceRecord) {
    thread.records[thread.filled % ROOM] = record;
    thread.filled += 1;
    if thread.filled >= BATCH {
        filled(thread);
    }
}

/// A batch is full: the next block passes it on, unless no block comes for long.
#[cold]
fn filled(thread: &mut Thread) {
    thread.due = 0;
    if thread.filled == ROOM
        && let Some(plugin) = PLUGIN.get()
    {
        take(plugin, thread, 0);
    }
}

extern "C" fn accessed(index: c_uint, info: u32, address: u64, place: *mut c_void) {
    let Some(thread) = thread(index) else {
        return;
    };
    if thread.followed >> SharedTrace::kind(address) & 1 == 0 {
        return;
    }
    let slot = (info.wrapping_mul(0x9E37_79B1) >> 26) as usize % KINDS;
    let (kind, shift, store) = thread.kinds[slot];
    if kind == info {
        put(
            thread,
            TraceRecord::access(address, place as usize as u32, shift, store),
        );
    } else {
        access_of_kind(thread, info, address, place, slot);
    }
}

/// The first access of its size and direction, or one after another kind in its slot.
#[cold]
fn access_of_kind(thread: &mut Thread, info: u32, address: u64, place: *mut c_void, slot: usize) {
    if let Some(plugin) = PLUGIN.get() {
        let shift = (plugin.qemu.size_shift)(info);
        let store = (plugin.qemu.is_store)(info);
        thread.kinds[slot] = (info, shift, store);
        put(
            thread,
            TraceRecord::access(address, place as usize as u32, shift, store),
        );
    }
}

extern "C" fn returned(_: PluginId, index: c_uint, _: i64, _: i64) {
    if let (Some(plugin), Some(thread)) = (PLUGIN.get(), thread(index)) {
        thread.trace.waited(&plugin.shared);
    }
}

extern "C" fn translated(_: PluginId, block: TranslatedBlock) {
    let Some(plugin) = PLUGIN.get() else {
        return;
    };
    let recorded = recorded_block(plugin, block);
    let place: *const RecordedBlock = recorded;
    (plugin.qemu.on_block)(block, executed, NO_REGISTERS, place.cast_mut().cast());
    for at in 0..recorded.instructions as usize {
        let instruction = (plugin.qemu.instruction)(block, at);
        let place = at as *mut c_void;
        (plugin.qemu.on_memory)(instruction, accessed, NO_REGISTERS, LOADS_AND_STORES, place);
    }
}

/// What is known of a block. One that is translated again is the same.
fn recorded_block(plugin: &RecordingPlugin, block: TranslatedBlock) -> &'static RecordedBlock {
    let qemu = &plugin.qemu;
    let count = (qemu.instructions_of)(block);
    let (mut bytes, mut places) = (Vec::new(), Vec::new());
    for at in 0..count {
        let instruction = (qemu.instruction)(block, at);
        let mut buffer = [0; 16];
        let length = qemu.bytes(instruction, plugin.version, &mut buffer);
        places.push(((qemu.address)(instruction), length));
        bytes.extend_from_slice(&buffer[..length]);
    }
    let start = places.first().map_or(0, |(address, _)| *address);
    let mut translation = locked(&plugin.translation);
    let translation = &mut *translation;
    if let Some(known) = translation.known.get(&(start, bytes.clone())) {
        return known;
    }
    let (last, end) = places
        .last()
        .map_or((0, 0), |&(at, length)| (at, at + length as u64));
    let mut found = TraceBlock {
        start,
        last,
        end,
        operations: Vec::new(),
    };
    if let Some(decoder) = &mut translation.decoder {
        let mut at = 0;
        for &(address, length) in &places {
            let own = &bytes[at..at + length];
            at += length;
            match decoder.decode(own, address) {
                Ok(operation) => found.operations.push(operation),
                Err(None) => found.operations.push(MicroOperation::default()),
                Err(Some(unknown)) => {
                    found.operations.push(MicroOperation::default());
                    let fault = RecordingFault {
                        address,
                        bytes: own.to_vec(),
                        name: unknown.name,
                    };
                    // The program may not live long enough to say so at its end.
                    write(plugin, Some(&fault));
                    translation.fault = Some(fault);
                }
            }
        }
    }
    let recorded: &'static RecordedBlock = Box::leak(Box::new(RecordedBlock {
        block: found,
        instructions: count as u64,
    }));
    translation.known.insert((start, bytes), recorded);
    recorded
}

extern "C" fn finished(_: PluginId, _: *mut c_void) {
    let Some(plugin) = PLUGIN.get() else {
        return;
    };
    // Nobody calls back any more: QEMU has seen to that before.
    for index in 0..THREADS {
        end(plugin, index);
    }
    let fault = locked(&plugin.translation).fault.clone();
    write(plugin, fault.as_ref());
}

/// Writes what was counted so far.
fn write(plugin: &RecordingPlugin, fault: Option<&RecordingFault>) {
    if std::process::id() != plugin.process {
        return;
    }
    let decoded = matches!(plugin.processor.as_str(), "x86_64" | "i386");
    let recording = plugin
        .shared
        .recording(&plugin.processor, decoded, fault.cloned());
    let written = serde_json::to_vec(&recording).map_err(std::io::Error::other);
    let written = written.and_then(|text| std::fs::write(&plugin.settings.out, text));
    if let Err(error) = written {
        say(&format!("{}: {error}", plugin.settings.out));
    }
}
