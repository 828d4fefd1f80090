//! Records RocksDB: puts of `key, key`, then a get of each, on a file system in RAM. `scripts/record-rocksdb` runs it, twice for
//! a trace:
//!
//!     valgrind --tool=callgrind … record_rocksdb run BYTES COUNT sync|nosync NUMBERED
//!     record_rocksdb count NUMBERED DUMPS TRACE
//!
//! The first writes a trace which has numbers of calls in the place of instructions; the second puts in their place what
//! Callgrind counted before each call. Without Callgrind, `run` writes a trace without instructions.

use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::process::ExitCode;

use wordline_engines::{FileRecorder, RecordedFiles, Shared, VolatileFiles};
use wordline_rocksdb::{RocksOptions, RocksStore, version};
use wordline_trace::files::{FileTraceForm, FileTraceReader, FileTraceWriter};

/// Bytes of the file system.
const ROOM: u64 = 256 << 20;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["run", bytes, count, sync @ ("sync" | "nosync"), to] => {
            run(bytes, count, sync == "sync", to)
        }
        ["count", numbered, dumps, to] => count(numbered, dumps, to),
        _ => Err("usage: record_rocksdb run BYTES COUNT sync|nosync NUMBERED, or count NUMBERED DUMPS TRACE".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "it is a program")]
            {
                eprintln!("record_rocksdb: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

/// A key of some bytes: no other number below 65 536 has the same one.
fn key(number: u16, bytes: usize) -> Vec<u8> {
    // An odd factor permutes the numbers, so that keys come in no order.
    let head = number.wrapping_mul(0x9E37).to_be_bytes();
    let rest = (1..).map(|place: u32| {
        u32::from(number)
            .wrapping_mul(0x85EB_CA6B)
            .rotate_left(place) as u8
    });
    head.into_iter().chain(rest).take(bytes).collect()
}

/// Makes the puts and gets, and writes their trace.
fn run(bytes: &str, count: &str, sync: bool, to: &str) -> Result<(), Box<dyn Error>> {
    let (bytes, count): (usize, u16) = (bytes.parse()?, count.parse()?);
    if bytes < 2 {
        return Err("a key has at least 2 bytes".into());
    }
    let keys: Vec<_> = (0..count).map(|number| key(number, bytes)).collect();
    let (major, minor, patch) = version();
    let asked = if sync { "with" } else { "without" };
    let note = format!(
        "RocksDB {major}.{minor}.{patch}, defaults: {count} puts of {bytes} B and {bytes} B {asked} sync, then {count} gets"
    );
    let mut files = VolatileFiles::new(ROOM);
    let form = FileTraceForm::Binary;
    let to = BufWriter::new(File::create(to)?);
    let recorder = Shared::new(FileRecorder::new(&mut files, to, form, &note)?);
    let files = RecordedFiles::new(files, recorder.clone());
    let options = RocksOptions {
        sync,
        ..RocksOptions::default()
    };
    let observer = Some(Box::new(recorder.clone()) as _);
    let mut store = RocksStore::open(Box::new(files), &options, observer)?;
    store.ended("open");
    for key in &keys {
        store.put(key, key)?;
        store.ended("put");
    }
    for key in &keys {
        if store.get(key, |value| value == &key[..])? != Some(true) {
            return Err("a get found another value".into());
        }
        store.ended("get");
    }
    drop(store.close()?);
    let Ok(recorder) = recorder.into_inner() else {
        return Err("the database still has its files".into());
    };
    recorder.finish()?;
    Ok(())
}

/// Writes the trace again, with instructions instead of numbers of calls.
fn count(numbered: &str, dumps: &str, to: &str) -> Result<(), Box<dyn Error>> {
    let counts = counts(dumps)?;
    let mut reader = FileTraceReader::open(BufReader::new(File::open(numbered)?))?;
    let to = BufWriter::new(File::create(to)?);
    let mut writer = FileTraceWriter::new(to, FileTraceForm::Binary, reader.preamble())?;
    // Calls that failed are not in the trace, and what was executed before them belongs to the thread's next one.
    let mut last = HashMap::new();
    for call in reader.by_ref() {
        let mut call = call?;
        let number = call
            .instructions
            .ok_or("the trace has no numbers: it was not run by Callgrind")?;
        let (thread, _) = counts
            .get(&number)
            .copied()
            .ok_or(format!("there is no dump of call {number}"))?;
        let from = last.insert(call.thread, number).unwrap_or(0) + 1;
        let own = (from..=number).filter_map(|number| counts.get(&number));
        call.instructions = Some(
            own.filter(|(by, _)| *by == thread)
                .map(|(_, count)| count)
                .sum(),
        );
        writer.call(&call)?;
    }
    writer.finish()?;
    Ok(())
}

/// Of each call the thread and the instructions before it, from Callgrind's dumps in a directory.
fn counts(dumps: &str) -> Result<HashMap<u64, (u32, u64)>, Box<dyn Error>> {
    let mut counts = HashMap::new();
    for entry in fs::read_dir(dumps)? {
        let path = entry?.path();
        let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        // The dump at the end of the program is of no call.
        let Some(call) = field("desc: Trigger: Client Request: call ") else {
            continue;
        };
        let thread = field("thread: ").unwrap_or("1").parse()?;
        let total = field("totals: ")
            .or_else(|| field("summary: "))
            .unwrap_or("0");
        counts.insert(call.trim().parse()?, (thread, total.trim().parse()?));
    }
    Ok(counts)
}
