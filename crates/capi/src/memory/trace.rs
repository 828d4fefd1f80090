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
    /// Listeners that there were: what one did not hear of is not for the next, nor for one that has ended.
    turn: u64,
    /// Operations not yet reported.
    heard: Vec<Operation>,
}

/// Operations to be reported to a listener.
pub(super) struct HeardOperations {
    pub(super) listener: Listener,
    pub(super) user: User,
    turn: u64,
    pub(super) operations: Vec<Operation>,
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

    /// Begins another file, or none, and ends the one before, which goes on where the new one cannot be made.
    pub(super) fn write_to(&mut self, path: Option<PathBuf>) -> Result<(), MemoryFault> {
        // Both may be one file: what is to stand in the earlier one is there before the new one empties it.
        if let Some(file) = &mut self.file {
            file.flush();
        }
        let next = path.map(TraceFile::create).transpose()?;
        let ended = std::mem::replace(&mut self.file, next);
        ended.map_or(Ok(()), TraceFile::end)
    }

    pub(super) fn tell(&mut self, listener: Option<(Listener, User)>) {
        self.listener = listener;
        self.turn += 1;
        self.heard.clear();
    }

    /// The operations to report.
    pub(super) fn take_heard(&mut self) -> Option<HeardOperations> {
        let (listener, user) = self.listener?;
        let operations = std::mem::take(&mut self.heard);
        (!operations.is_empty()).then_some(HeardOperations {
            listener,
            user,
            turn: self.turn,
            operations,
        })
    }

    /// Whether those operations still have their listener.
    pub(super) const fn is_turn_of(&self, heard: &HeardOperations) -> bool {
        self.turn == heard.turn
    }
}

impl TraceFile {
    fn create(path: PathBuf) -> Result<Self, MemoryFault> {
        let began = File::create(&path).and_then(|file| {
            let mut out = BufWriter::new(file);
            out.write_all(COLUMNS.as_bytes())?;
            Ok(out)
        });
        match began {
            Ok(out) => Ok(Self {
                path,
                out,
                failed: None,
            }),
            Err(why) => Err(FaultReason::File {
                path: path.into(),
                why,
            }
            .into()),
        }
    }

    fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.out.flush().err();
        }
    }

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
        self.flush();
        let path = std::mem::take(&mut self.path).into();
        match self.failed.take() {
            Some(why) => Err(FaultReason::File { path, why }.into()),
            None => Ok(()),
        }
    }
}
