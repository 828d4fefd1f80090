//! Whatever is given as a trace of file calls, it is refused in words, or read as calls that either form holds again; and a
//! file system in RAM can do all of them.

use std::collections::HashMap;
use std::io::BufReader;

use wordline_engines::{FileSystem, FsError, Handle, Open, VolatileFiles};
use wordline_trace::files::{
    ExistingEntry, FileAction, FileOpening, FileTraceError, FileTraceForm, FileTracePreamble,
    FileTraceReader, FileTraceWriter, TracedFileCall,
};

/// What stands before the first call of a small trace of either form, so that its records are looked at, too.
const STARTS: [&[u8]; 3] = [
    b"WLFILES\x02\x00\x02\x00\x02/d\x00\x01\x04/d/a\x80\x02",
    b"WLFILES\x01\x00\x02\x00\x02/d\x00\x01\x04/d/a\x80\x02",
    b"wordline file trace 1\nhas-dir /d\nhas-file 300 /d/a\n",
];

/// Room of the file system in RAM.
const ROOM: u64 = 1 << 20;

/// Panics when a promise is broken. Returns whether a trace was read.
pub(crate) fn check(data: &[u8]) -> bool {
    for start in STARTS {
        read(&[start, data].concat());
    }
    read(data)
}

type CheckedTrace = (FileTracePreamble, Vec<TracedFileCall>);

fn trace(from: impl std::io::BufRead) -> Result<CheckedTrace, FileTraceError> {
    let mut reader = FileTraceReader::open(from)?;
    let calls = reader.by_ref().collect::<Result<Vec<_>, _>>()?;
    assert_eq!(reader.calls(), calls.len() as u64);
    Ok((reader.preamble().clone(), calls))
}

fn read(data: &[u8]) -> bool {
    let whole = trace(data);
    let in_pieces = trace(BufReader::with_capacity(32, data));
    let found = match (whole, in_pieces) {
        (Ok(one), Ok(other)) => {
            assert_eq!(one, other);
            one
        }
        (Err(one), Err(other)) => {
            assert_eq!(one.to_string(), other.to_string());
            return false;
        }
        (one, other) => panic!("{one:?} in one, {other:?} in pieces"),
    };
    for form in [FileTraceForm::Binary, FileTraceForm::Text] {
        let (preamble, calls) = &found;
        let mut writer = FileTraceWriter::new(Vec::new(), form, preamble).expect("into memory");
        for call in calls {
            writer.call(call).expect("into memory");
        }
        let again = trace(&*writer.finish().expect("into memory"));
        assert_eq!(again.expect("what was read can be written"), found);
    }
    play(&found);
    true
}

/// Makes the calls on a file system, as far as it has room.
fn play((preamble, calls): &CheckedTrace) {
    let mut fs = VolatileFiles::new(ROOM);
    for ExistingEntry { path, bytes } in &preamble.existing {
        let Some(bytes) = bytes else {
            fs.create_dir(path).expect("the trace was checked");
            continue;
        };
        let file = fs.open(path, Open::Create).expect("the trace was checked");
        if fs.truncate(file, *bytes).is_err() {
            return;
        }
        fs.close(file).expect("it is open");
    }
    let mut open = HashMap::new();
    for call in calls {
        match make(&mut fs, &mut open, &call.action) {
            Ok(()) => {}
            Err(error) if error.kind == wordline_engines::FsErrorKind::Full => return,
            Err(error) => panic!("{call}: {error}"),
        }
    }
}

fn make(
    fs: &mut VolatileFiles,
    open: &mut HashMap<u32, Handle>,
    action: &FileAction,
) -> Result<(), FsError> {
    match action {
        FileAction::Open { file, how, path } => {
            let how = match how {
                FileOpening::Read => Open::Read,
                FileOpening::Write => Open::Write,
                FileOpening::Create => Open::Create,
                FileOpening::Replace => Open::Replace,
            };
            open.insert(*file, fs.open(path, how)?);
        }
        FileAction::Close { file } => {
            fs.close(open.remove(file).expect("the trace was checked"))?;
        }
        FileAction::Read {
            file,
            at,
            bytes,
            found,
        } => {
            let mut out = vec![0; (*bytes).min(ROOM + 1) as usize];
            assert_eq!(fs.read(open[file], *at, &mut out)? as u64, *found);
        }
        FileAction::Write {
            file, at, bytes, ..
        } => {
            let data = vec![1; (*bytes).min(ROOM + 1) as usize];
            fs.write(open[file], *at, &data)?;
        }
        FileAction::Truncate { file, bytes } => fs.truncate(open[file], *bytes)?,
        FileAction::Sync { file, .. } => fs.sync(open[file])?,
        FileAction::Rename { from, to } => fs.rename(from, to)?,
        FileAction::Remove { path } => fs.remove(path)?,
        FileAction::CreateDir { path } => fs.create_dir(path)?,
        FileAction::Entry { path, found } => assert_eq!(fs.entry(path).is_ok(), *found),
        FileAction::List { path } => drop(fs.list(path)?),
        FileAction::SyncDir { path } => fs.sync_dir(path)?,
        FileAction::Mark { .. } => {}
    }
    Ok(())
}
