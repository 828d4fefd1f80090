//! Writing a cycling log.

use std::io::{self, Write};

use wordline_core::quantity::Time;

use super::CyclingOperation;

/// Writes a cycling log, a line an operation.
#[derive(Debug)]
pub struct CyclingWriter<W> {
    writer: W,
}

impl<W: Write> CyclingWriter<W> {
    /// Writes the line of names.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn new(mut writer: W) -> io::Result<Self> {
        writeln!(writer, "chip,block,cycle,operation,latency_us,status")?;
        Ok(Self { writer })
    }

    /// Goes on with a log whose line of names is written elsewhere.
    pub const fn resume(writer: W) -> Self {
        Self { writer }
    }

    /// Adds lines that another writer made with [`resume`](Self::resume).
    ///
    /// # Errors
    /// Those of the writer.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        self.writer.write_all(lines)
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.writer
    }

    /// Writes an operation of a cycle, which counts from 1; a failed one with the time until it was reported.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn operation(
        &mut self,
        chip: &str,
        block: u64,
        cycle: u64,
        operation: CyclingOperation,
        duration: Time,
        failed: bool,
    ) -> io::Result<()> {
        let (operation, status) = (operation.name(), if failed { "failed" } else { "ok" });
        let (us, ps) = (duration.ps() / 1_000_000, duration.ps() % 1_000_000);
        let quoted = quoted(chip);
        writeln!(
            self.writer,
            "{quoted},{block},{cycle},{operation},{us}.{ps:06},{status}"
        )
    }

    /// Hands what is buffered to the writer's end.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// A name as a field: in quotes where it holds what a field cannot. Ends of lines become spaces, because a line is a
/// record here, and one that begins with `#` is a comment; a carriage return within a name stays, as it is read.
fn quoted(name: &str) -> String {
    let name = name.replace('\n', " ");
    if name.contains([',', '"', '\r']) || name.starts_with('#') || name.trim() != name {
        return format!("\"{}\"", name.replace('"', "\"\""));
    }
    name
}
