//! Every operation of a memory, written to a file or passed to a function of the caller.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use wordline_nvm::OperationKind;

use super::abi::{Listener, Operation};
use super::fault::{FaultReason, MemoryFault};
use crate::boundary::User;

/// The listener of operations.
#[derive(Default)]
pub(super) struct OperationTrace {
    file: Option<TraceFile>,
    listener: Option<(Listener, User)>,
    /// Operations not yet reported.
    heard: Vec<Operation>,
}

struct TraceFile {
    path: PathBuf,
    out: BufWriter<File>,
    /// What went wrong first; nothing is written after it.
    failed: Option<std::io::Error>,
}

/// The columns, as `wordline buffer --log` knows them. Erases and syncs are trims to it, which it counts and leaves out.
const COLUMNS: &str = "operation,bytes,offset,start_ps,end_ps,device_operation,failed\n";

impl OperationTrace {
    /// Whether there is a listener.
    pub(super) const fn is_heard(&self) -> bool {
        self.file.is_some() || self.listener.is_some()
    }

    /// Whether operations are pending for a listener.
    pub(super) const fn is_told(&self) -> bool {
        !self.heard.is_empty()
    }

    pub(super) fn hear(&mut self, kind: OperationKind, operation: Operation) {
        if let Some(file) = &mut self.file {
            file.write(kind, &operation);
        }
        if self.listener.is_some() {
            self.heard.push(operation);
        }
    }

    /// Begins another file, or none, and ends the one before.
    pub(super) fn write_to(&mut self, path: Option<PathBuf>) -> Result<(), MemoryFault> {
        let ended = self.file.take().map_or(Ok(()), TraceFile::end);
        if let Some(path) = path {
            let began = File::create(&path).and_then(|file| {
                let mut out = BufWriter::new(file);
                out.write_all(COLUMNS.as_bytes())?;
                Ok(out)
            });
            let out = began.map_err(|why| FaultReason::File {
                path: path.as_path().into(),
                why,
            })?;
            let failed = None;
            self.file = Some(TraceFile { path, out, failed });
        }
        ended
    }

    pub(super) fn tell(&mut self, listener: Option<(Listener, User)>) {
        self.listener = listener;
        self.heard.clear();
    }

    /// The listener, and the operations to report.
    pub(super) fn take_heard(&mut self) -> Option<(Listener, User, Vec<Operation>)> {
        let (listener, user) = self.listener?;
        let heard = std::mem::take(&mut self.heard);
        (!heard.is_empty()).then_some((listener, user, heard))
    }
}

impl TraceFile {
    fn write(&mut self, kind: OperationKind, operation: &Operation) {
        if self.failed.is_some() {
            return;
        }
        let class = match kind {
            OperationKind::Read => "read",
            OperationKind::Write | OperationKind::Program => "write",
            OperationKind::Persist | OperationKind::Erase => "trim",
        };
        let (start, end) = (
            operation.start_ps,
            operation.start_ps + operation.duration_ps,
        );
        let wrote = writeln!(
            self.out,
            "{class},{},{},{start},{end},{},{}",
            operation.bytes,
            operation.at,
            kind.name(),
            operation.failed
        );
        self.failed = wrote.err();
    }

    fn end(mut self) -> Result<(), MemoryFault> {
        let path = std::mem::take(&mut self.path);
        let ended = match self.failed.take() {
            Some(why) => Err(why),
            None => self.out.flush(),
        };
        ended.map_err(|why| FaultReason::File {
            path: path.into(),
            why,
        })?;
        Ok(())
    }
}
