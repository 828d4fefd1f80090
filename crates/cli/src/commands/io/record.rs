//! `wordline io record`: the file calls of a program, in a trace.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use wordline_core::quantity::ByteCount;
use wordline_engines::{
    FileRecorder, FuseMount, FuseOptions, RecordedFiles, Shared, VolatileFiles,
};
use wordline_report::{Column, Grid, printable};
use wordline_trace::files::{
    FileAction, FileTraceError, FileTraceForm, FileTraceReader, TEXT_BYTES_MAX,
};

use crate::args::{FileRecording, Global};
use crate::failure::{self, Failure};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output;

/// Interval between checks that the program still runs.
const LOOK: Duration = Duration::from_millis(10);

/// Why a program may have failed here alone.
const MAPPING: &str =
    "hint: programs that map files for sharing, as SQLite's write-ahead log does, need --cached";

/// What stands for the directory in an argument.
const PLACE: &str = "{}";

pub(super) fn run(record: &FileRecording, global: &Global) -> Result<Outcome, Failure> {
    let trace = &record.output;
    output::folder_of("--output", trace)?;
    let out = File::create_new(trace).map_err(|error| at_flag("--output", trace, &error))?;
    let ran = recorded(record, out, global);
    if ran.is_err() {
        // What holds no trace is not left behind.
        let _ = fs::remove_file(trace);
    }
    let status = ran?;
    let found = summary(trace).map_err(|error| super::refused(trace, error))?;
    output::data(&found.render(global.format.into(), &output::style()))?;
    if !global.quiet {
        output::note(&printable(&format!("wrote {}", trace.display())));
    }
    match status.success() {
        true => Ok(Outcome::Done),
        false if interrupt::heard() => Ok(Outcome::Interrupted),
        false => {
            output::note(&printable(&format!(
                "{}: {status}",
                record.program[0].to_string_lossy()
            )));
            if !record.cached {
                output::note(MAPPING);
            }
            Ok(Outcome::CheckFailed)
        }
    }
}

/// Runs the program and writes its calls.
fn recorded(record: &FileRecording, out: File, global: &Global) -> Result<ExitStatus, Failure> {
    let dir = RecordedDir::new(record)?;
    let form = match record.text {
        true => FileTraceForm::Text,
        false => FileTraceForm::Binary,
    };
    let mut files = VolatileFiles::new(record.size.bytes());
    let unwritten = |error: io::Error| at_flag("--output", &record.output, &error);
    let recorder = FileRecorder::new(&mut files, BufWriter::new(out), form, &note(record));
    let recorder = Shared::new(recorder.map_err(unwritten)?);
    let options = FuseOptions {
        name: "a recording".to_owned(),
        cached: record.cached,
        recording: true,
    };
    // From here on the first signal ends it in order.
    let stop = interrupt::listen();
    let refused = |error: wordline_engines::FuseError| failure::message(error.to_string());
    let fs = Box::new(RecordedFiles::new(files, recorder.clone()));
    let mut mount = FuseMount::new(fs, &dir.path, &options).map_err(refused)?;
    let mut program = started(record, &dir.path)?;
    let status = loop {
        if stop.load(Ordering::Relaxed) {
            // A program that has ended already needs no signal.
            let _ = program.kill();
        }
        let ended = program.try_wait();
        match ended.map_err(|error| failure::message(format!("the program is lost: {error}")))? {
            Some(status) => break status,
            None => thread::sleep(LOOK),
        }
    };
    mount.detach().map_err(refused)?;
    thread::sleep(LOOK);
    if mount.is_served() && !global.quiet {
        let place = printable(&dir.path.display().to_string());
        output::note(&format!(
            "waiting for programs that have files open at {place}"
        ));
    }
    mount.unmount().map_err(refused)?;
    dir.remove();
    let Ok(recorder) = recorder.into_inner() else {
        unreachable!("the mount, which had the other handle, is gone");
    };
    recorder.finish().map_err(unwritten)?;
    Ok(status)
}

/// What is said of the recording in its trace: the program as it was called.
fn note(record: &FileRecording) -> String {
    let words = record.program.iter().map(|word| word.to_string_lossy());
    let mut note = words.collect::<Vec<_>>().join(" ");
    while note.len() > TEXT_BYTES_MAX {
        note.pop();
    }
    note
}

/// Starts the program in the directory, or with its name where an argument asks for it.
fn started(record: &FileRecording, dir: &Path) -> Result<Child, Failure> {
    let [program, arguments @ ..] = record.program.as_slice() else {
        unreachable!("the program is required");
    };
    let unstarted = |error: io::Error| {
        failure::message(printable(&format!(
            "{}: cannot be started: {error}",
            program.to_string_lossy()
        )))
    };
    // A path of the program is one from here, wherever it runs.
    let path = match Path::new(program).components().count() {
        0 | 1 => PathBuf::from(program),
        _ => fs::canonicalize(program).map_err(unstarted)?,
    };
    let names_dir = |word: &OsString| word.to_string_lossy().contains(PLACE);
    let mut command = Command::new(path);
    command.args(arguments.iter().map(|word| with_dir(word, dir)));
    if !arguments.iter().any(names_dir) {
        command.current_dir(dir);
    }
    let stderr = io::stderr().as_fd().try_clone_to_owned();
    command.stdout(Stdio::from(stderr.map_err(unstarted)?));
    command.spawn().map_err(unstarted)
}

/// An argument with the directory in its place.
fn with_dir(word: &OsStr, dir: &Path) -> OsString {
    match word.to_str() {
        Some(text) if text.contains(PLACE) => {
            let mut pieces = text.split(PLACE);
            let mut whole = OsString::from(pieces.next().unwrap_or_default());
            for piece in pieces {
                whole.push(dir);
                whole.push(piece);
            }
            whole
        }
        _ => word.to_owned(),
    }
}

/// Where the program has its files.
struct RecordedDir {
    path: PathBuf,
    /// Whether it was made for the recording.
    is_own: bool,
}

impl RecordedDir {
    fn new(record: &FileRecording) -> Result<Self, Failure> {
        let (path, is_own) = match &record.dir {
            Some(dir) => (dir.clone(), false),
            None => {
                let mut beside = record.output.clone().into_os_string();
                beside.push(".files");
                let beside = PathBuf::from(beside);
                fs::create_dir(&beside).map_err(|error| at_flag("--dir", &beside, &error))?;
                (beside, true)
            }
        };
        let whole = fs::canonicalize(&path).map_err(|error| at_flag("--dir", &path, &error));
        Ok(Self {
            path: whole?,
            is_own,
        })
    }

    fn remove(self) {
        drop(self);
    }
}

impl Drop for RecordedDir {
    fn drop(&mut self) {
        if self.is_own {
            // It is empty, unless it is mounted still.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

fn at_flag(flag: &str, path: &Path, error: &io::Error) -> Failure {
    failure::message(printable(&format!("{flag} {}: {error}", path.display())))
}

/// What a trace holds: calls and bytes of each kind.
fn summary(trace: &Path) -> Result<Grid, FileTraceError> {
    let opened = File::open(trace).map_err(|source| FileTraceError::Unreadable {
        place: wordline_trace::files::FileTracePlace::Byte(0),
        source,
    })?;
    let mut kinds: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for call in FileTraceReader::open(BufReader::new(opened))? {
        let (name, bytes) = match call?.action {
            FileAction::Open { .. } => ("open", 0),
            FileAction::Close { .. } => ("close", 0),
            FileAction::Read { found, .. } => ("read", found),
            FileAction::Write { bytes, .. } => ("write", bytes),
            FileAction::Truncate { .. } => ("truncate", 0),
            FileAction::Sync { .. } => ("sync", 0),
            FileAction::Rename { .. } => ("rename", 0),
            FileAction::Remove { .. } => ("remove", 0),
            FileAction::CreateDir { .. } => ("create-dir", 0),
            FileAction::Entry { .. } => ("entry", 0),
            FileAction::List { .. } => ("list", 0),
            FileAction::SyncDir { .. } => ("sync-dir", 0),
            FileAction::Mark { .. } => ("mark", 0),
        };
        let (calls, sum) = kinds.entry(name).or_default();
        *calls += 1;
        *sum += bytes;
    }
    let columns = vec![
        Column::left("call"),
        Column::right("calls"),
        Column::right("bytes"),
    ];
    let mut grid = Grid::new("", columns);
    for (name, (calls, bytes)) in kinds {
        let bytes = match bytes {
            0 => String::new(),
            bytes => ByteCount::from_bytes(bytes).bytes().to_string(),
        };
        grid.push([name.to_owned(), calls.to_string(), bytes]);
    }
    Ok(grid)
}
