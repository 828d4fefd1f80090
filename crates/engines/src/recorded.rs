//! The calls of whoever uses a file system, in a trace.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use wordline_trace::files::{
    ExistingEntry, FileAction, FileOpening, FileTraceForm, FileTracePreamble, FileTraceWriter,
    SyncKind, TracedFileCall, WrittenContent,
};

use crate::{
    Entry, FileSystem, FsError, FsErrorKind, Handle, Open, RamPart, RamUse, Shared, Space,
};

/// A file system whose calls go into a trace, which its [`FileRecorder`] writes.
///
/// A call that succeeds is recorded, and a question for an entry that is not there. Other calls that fail changed nothing,
/// and are left out.
///
/// ```
/// use wordline_engines::{FileRecorder, FileSystem, Open, VolatileFiles, RecordedFiles, Shared};
/// use wordline_trace::files::{FileTraceForm, FileTraceReader};
///
/// let mut fs = VolatileFiles::new(1 << 20);
/// let recorder = FileRecorder::new(&mut fs, Vec::new(), FileTraceForm::Binary, "an example")?;
/// let recorder = Shared::new(recorder);
/// let mut fs = RecordedFiles::new(fs, recorder.clone());
/// let file = fs.open("/log", Open::Create)?;
/// fs.write(file, 0, b"one")?;
/// fs.sync(file)?;
/// drop(fs);
/// let Ok(recorder) = recorder.into_inner() else {
///     unreachable!("it is the last handle");
/// };
/// let trace = recorder.finish()?;
/// assert_eq!(FileTraceReader::open(&*trace)?.count(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RecordedFiles<F, W> {
    fs: F,
    recorder: Shared<FileRecorder<W>>,
}

/// Writes the calls of a [`RecordedFiles`] into a trace.
#[derive(Debug)]
pub struct FileRecorder<W> {
    writer: FileTraceWriter<W>,
    /// Why nothing is written any more.
    failed: Option<io::Error>,
    /// Numbers of the threads that called, in the order of their first calls.
    threads: HashMap<u32, u32>,
    thread: u32,
    /// Instructions of a thread since its last call, where the caller counts them.
    instructions: Option<u64>,
    calls: u64,
}

impl<W: Write> FileRecorder<W> {
    /// Begins a trace of a file system, with what is in it now. `note` says what is recorded.
    ///
    /// # Errors
    /// When the file system cannot be listed, or the trace cannot be written.
    pub fn new(
        fs: &mut dyn FileSystem,
        to: W,
        form: FileTraceForm,
        note: &str,
    ) -> io::Result<Self> {
        let preamble = FileTracePreamble {
            note: note.to_owned(),
            existing: existing(fs).map_err(io::Error::other)?,
        };
        Ok(Self {
            writer: FileTraceWriter::new(to, form, &preamble)?,
            failed: None,
            threads: HashMap::new(),
            thread: 0,
            instructions: None,
            calls: 0,
        })
    }

    /// Says which thread makes the next calls, by any number that is its own.
    pub fn called_by(&mut self, thread: u32) {
        let next = self.threads.len() as u32;
        self.thread = *self.threads.entry(thread).or_insert(next);
    }

    /// Says how many instructions the thread executed between its last call and the next.
    pub const fn executed(&mut self, instructions: u64) {
        self.instructions = Some(instructions);
    }

    /// Says that the thread has ended an operation of the program's own.
    pub fn ended(&mut self, operation: &str) {
        let operation = operation.into();
        self.record(FileAction::Mark { operation });
    }

    /// Calls that were recorded.
    #[must_use]
    pub const fn calls(&self) -> u64 {
        self.calls
    }

    fn record(&mut self, action: FileAction) {
        if self.failed.is_some() {
            return;
        }
        let call = TracedFileCall {
            thread: self.thread,
            instructions: self.instructions.take(),
            action,
        };
        match self.writer.call(&call) {
            Ok(()) => self.calls += 1,
            Err(error) => self.failed = Some(error),
        }
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// When it, or a call before, could not be written.
    pub fn finish(self) -> io::Result<W> {
        match self.failed {
            Some(error) => Err(error),
            None => self.writer.finish(),
        }
    }
}

/// Everything in a file system, directories before what is in them.
fn existing(fs: &mut dyn FileSystem) -> Result<Vec<ExistingEntry>, FsError> {
    let mut found = Vec::new();
    let mut dirs = vec![String::new()];
    while let Some(dir) = dirs.pop() {
        let path = if dir.is_empty() { "/" } else { &dir };
        for Entry {
            name,
            is_dir,
            bytes,
        } in fs.list(path)?
        {
            let path = format!("{dir}/{name}");
            let bytes = (!is_dir).then_some(bytes);
            found.push(ExistingEntry {
                path: path.as_str().into(),
                bytes,
            });
            if is_dir {
                dirs.push(path);
            }
        }
    }
    Ok(found)
}

impl<F: FileSystem, W: Write> RecordedFiles<F, W> {
    /// Records the calls of a file system from now on.
    pub const fn new(fs: F, recorder: Shared<FileRecorder<W>>) -> Self {
        Self { fs, recorder }
    }

    fn record(&self, action: FileAction) {
        self.recorder.borrow().record(action);
    }
}

impl<F: FileSystem, W: Write> FileSystem for RecordedFiles<F, W> {
    fn called_by(&mut self, thread: u32) {
        self.recorder.borrow().called_by(thread);
        self.fs.called_by(thread);
    }

    fn open(&mut self, path: &str, how: Open) -> Result<Handle, FsError> {
        let handle = self.fs.open(path, how)?;
        self.record(FileAction::Open {
            file: handle.0,
            how: match how {
                Open::Read => FileOpening::Read,
                Open::Write => FileOpening::Write,
                Open::Create => FileOpening::Create,
                Open::Replace => FileOpening::Replace,
            },
            path: path.into(),
        });
        Ok(handle)
    }

    fn read(&mut self, file: Handle, at: u64, out: &mut [u8]) -> Result<usize, FsError> {
        let found = self.fs.read(file, at, out)?;
        self.record(FileAction::Read {
            file: file.0,
            at,
            bytes: out.len() as u64,
            found: found as u64,
        });
        Ok(found)
    }

    fn write(&mut self, file: Handle, at: u64, data: &[u8]) -> Result<(), FsError> {
        self.fs.write(file, at, data)?;
        self.record(FileAction::Write {
            file: file.0,
            at,
            bytes: data.len() as u64,
            content: WrittenContent::of(data),
        });
        Ok(())
    }

    fn truncate(&mut self, file: Handle, bytes: u64) -> Result<(), FsError> {
        self.fs.truncate(file, bytes)?;
        let file = file.0;
        self.record(FileAction::Truncate { file, bytes });
        Ok(())
    }

    fn sync(&mut self, file: Handle) -> Result<(), FsError> {
        self.fs.sync(file)?;
        let (file, kind) = (file.0, SyncKind::All);
        self.record(FileAction::Sync { file, kind });
        Ok(())
    }

    fn sync_data(&mut self, file: Handle) -> Result<(), FsError> {
        self.fs.sync_data(file)?;
        let (file, kind) = (file.0, SyncKind::Data);
        self.record(FileAction::Sync { file, kind });
        Ok(())
    }

    fn sync_dir(&mut self, path: &str) -> Result<(), FsError> {
        self.fs.sync_dir(path)?;
        let path = path.into();
        self.record(FileAction::SyncDir { path });
        Ok(())
    }

    fn close(&mut self, file: Handle) -> Result<(), FsError> {
        let closed = self.fs.close(file);
        // The handle is gone, unless there was none.
        let is_gone = |error: &FsError| error.kind != FsErrorKind::Invalid;
        if closed.as_ref().err().is_none_or(is_gone) {
            self.record(FileAction::Close { file: file.0 });
        }
        closed
    }

    fn create_dir(&mut self, path: &str) -> Result<(), FsError> {
        self.fs.create_dir(path)?;
        let path = path.into();
        self.record(FileAction::CreateDir { path });
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<(), FsError> {
        self.fs.remove(path)?;
        let path = path.into();
        self.record(FileAction::Remove { path });
        Ok(())
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        self.fs.rename(from, to)?;
        let (from, to) = (from.into(), to.into());
        self.record(FileAction::Rename { from, to });
        Ok(())
    }

    fn entry(&mut self, path: &str) -> Result<Entry, FsError> {
        let found = self.fs.entry(path);
        let is_absent = |error: &FsError| error.kind == FsErrorKind::NotFound;
        if found.as_ref().err().is_none_or(is_absent) {
            self.record(FileAction::Entry {
                path: Arc::from(path),
                found: found.is_ok(),
            });
        }
        found
    }

    fn list(&mut self, path: &str) -> Result<Vec<Entry>, FsError> {
        let found = self.fs.list(path)?;
        let path = path.into();
        self.record(FileAction::List { path });
        Ok(found)
    }

    /// Not recorded: a file system of another size would answer otherwise.
    fn space(&mut self) -> Result<Space, FsError> {
        self.fs.space()
    }

    fn ram(&self) -> RamUse {
        self.fs.ram()
    }

    fn ram_parts(&self) -> Vec<RamPart> {
        self.fs.ram_parts()
    }

    fn unmount(&mut self) -> Result<(), FsError> {
        self.fs.unmount()
    }
}

#[cfg(test)]
mod tests {
    use wordline_trace::files::FileTraceReader;

    use super::*;
    use crate::VolatileFiles;

    /// What a recorder wrote of some calls, as text.
    fn recorded(fs: VolatileFiles, calls: impl FnOnce(&mut dyn FileSystem)) -> String {
        let mut fs = fs;
        let recorder = FileRecorder::new(&mut fs, Vec::new(), FileTraceForm::Text, "");
        let recorder = Shared::new(recorder.expect("into memory"));
        let mut fs = RecordedFiles::new(fs, recorder.clone());
        calls(&mut fs);
        drop(fs);
        let recorder = recorder.into_inner().expect("the last handle");
        let trace = recorder.finish().expect("into memory");
        let reader = FileTraceReader::open(&*trace).expect("a trace");
        let calls = reader.collect::<Result<Vec<_>, _>>().expect("a trace");
        let lines: Vec<_> = calls.iter().map(ToString::to_string).collect();
        lines.join("\n")
    }

    #[test]
    fn calls_that_succeed_are_recorded_with_their_threads() {
        let text = recorded(VolatileFiles::new(1000), |fs| {
            fs.called_by(4711);
            assert!(fs.entry("/a").is_err());
            assert!(fs.open("/a", Open::Read).is_err());
            let file = fs.open("/a", Open::Create).expect("room");
            fs.write(file, 0, b"a").expect("room");
            fs.called_by(42);
            fs.write(file, 1, &[0; 9]).expect("room");
            fs.sync_data(file).expect("open");
            let mut out = [0; 100];
            fs.read(file, 5, &mut out).expect("open");
            assert!(fs.write(file, 11, b"hole").is_err());
            assert!(fs.truncate(file, 5000).is_err());
            fs.called_by(4711);
            fs.close(file).expect("open");
            assert!(fs.close(file).is_err());
            fs.rename("/a", "/b").expect("there");
        });
        assert_eq!(
            text,
            "0 entry absent /a\n0 open 1 create /a\n0 write 1 0 1 e40c292c\n1 write 1 1 9 zeros\n1 sync 1 data\n\
             1 read 1 5 100 5\n0 close 1\n0 rename /a /b"
        );
    }

    #[test]
    fn what_was_there_before_is_known() {
        let mut fs = VolatileFiles::new(1000);
        fs.create_dir("/d").expect("room");
        let file = fs.open("/d/old", Open::Create).expect("room");
        fs.write(file, 0, b"some").expect("room");
        fs.close(file).expect("open");
        let text = recorded(fs, |fs| {
            let file = fs.open("/d/old", Open::Read).expect("there");
            fs.read(file, 0, &mut [0; 9]).expect("open");
        });
        assert_eq!(text, "0 open 2 read /d/old\n0 read 2 0 9 4");
    }

    /// A place that has no room.
    #[derive(Debug)]
    struct FullDisk(usize);

    impl Write for FullDisk {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            self.0 = (self.0.checked_sub(data.len()))
                .ok_or_else(|| io::Error::from(io::ErrorKind::StorageFull))?;
            Ok(data.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_trace_that_cannot_be_written_fails_at_its_end_and_not_the_program() {
        let mut fs = VolatileFiles::new(1000);
        let recorder = FileRecorder::new(&mut fs, FullDisk(30), FileTraceForm::Binary, "");
        let recorder = Shared::new(recorder.expect("room for the title"));
        let mut fs = RecordedFiles::new(fs, recorder.clone());
        for number in 0..9 {
            fs.create_dir(&format!("/{number}"))
                .expect("the file system has room");
        }
        drop(fs);
        let error = recorder.into_inner().expect("the last handle").finish();
        let error = error.expect_err("no room");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
