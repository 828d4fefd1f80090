//! `wordline io record` and `io show`; `io replay` is an experiment like others.

#[cfg(all(feature = "fuse", target_os = "linux"))]
mod record;

use std::io::{BufReader, Write as _};
use std::path::Path;
use std::sync::Arc;

use wordline_report::printable;
use wordline_trace::files::FileTraceReader;
use wordline_trace::unpacked;

use crate::args::{Global, Io, ShowTrace};
use crate::failure::{self, Failure};
use crate::outcome::Outcome;
use crate::output;
use crate::source::Source;

#[cfg_attr(
    not(all(feature = "fuse", target_os = "linux")),
    allow(unused_variables, reason = "only a recording uses them")
)]
pub(crate) fn run(io: &Io, global: &Global) -> Result<Outcome, Failure> {
    match io {
        #[cfg(all(feature = "fuse", target_os = "linux"))]
        Io::Record(record) => record::run(record, global),
        #[cfg(not(all(feature = "fuse", target_os = "linux")))]
        Io::Record(_) => Err(failure::message(
            "io record: it needs Linux, and the feature `fuse`",
        )),
        Io::Show(show) => self::show(show),
    }
}

/// What is wrong with a trace, with its name.
fn refused(path: &Path, why: impl std::fmt::Display) -> Failure {
    failure::message(printable(&format!("{}, {why}", path.display())))
}

fn show(ShowTrace { trace, limit }: &ShowTrace) -> Result<Outcome, Failure> {
    let source = Source::open(trace, &Arc::default());
    let source = source.map_err(|error| refused(trace, format_args!("cannot be read: {error}")))?;
    let mut reader = FileTraceReader::open(unpacked(Box::new(BufReader::new(source))));
    let reader = reader.as_mut().map_err(|error| refused(trace, error))?;
    output::data(&reader.preamble().to_string())?;
    let mut text = Vec::new();
    let mut shown = 0;
    for call in reader.by_ref() {
        let call = call.map_err(|error| refused(trace, error))?;
        if limit.is_none_or(|limit| shown < limit) {
            shown += 1;
            // Into memory.
            let _ = writeln!(text, "{call}");
        }
        if text.len() > 1 << 16 {
            output::data(&String::from_utf8_lossy(&text))?;
            text.clear();
        }
    }
    let left = reader.calls() - shown;
    if left > 0 {
        let _ = writeln!(text, "# {left} more calls");
    }
    let _ = writeln!(text, "end");
    output::data(&String::from_utf8_lossy(&text))?;
    Ok(Outcome::Done)
}
