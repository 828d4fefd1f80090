//! How a caller watches, stops and feeds a run.

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::compare::TRACES;
use crate::error::LabError;
use crate::published::ROCKSDB;

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// What is being run.
    pub step: &'a str,
    /// Bytes moved so far, over all steps; of a comparison, its runs; of memory modules, points.
    pub done_bytes: u64,
    /// What all steps together come to, in the same; 0 where that is unknown.
    pub total_bytes: u64,
}

/// Opens a file that an experiment names; several threads may ask at once.
pub type Open<'a> = dyn Fn(&str) -> io::Result<Box<dyn BufRead>> + Sync + 'a;

/// The form of command traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandForm {
    /// Text, a command a line.
    Text,
    /// Slices on a time line, in the JSON form of Chrome's trace events, for Perfetto.
    Chrome,
}

/// Where the commands of a replayed trace go.
#[derive(Clone, Copy)]
pub struct Commands<'a> {
    /// Their form.
    pub form: CommandForm,
    /// Opens what the commands of a target are written to, by the target's name.
    pub create: &'a dyn Fn(&str) -> io::Result<Box<dyn Write>>,
}

/// Where surfaces that were simulated before are kept, by the keys of what they depend on.
#[derive(Clone, Copy)]
pub struct SurfaceShelf<'a> {
    /// The text that is kept under a key, if there is one.
    pub read: &'a dyn Fn(&str) -> io::Result<Option<String>>,
    /// Keeps a text under a key.
    pub write: &'a dyn Fn(&str, &str) -> io::Result<()>,
}

/// Takes the surface of a target, by the target's name and as JSON.
pub type TakeSurface<'a> = dyn Fn(&str, &str) -> io::Result<()> + 'a;

/// How a caller watches, stops and feeds a run. The default does none of these.
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// Opens the logs and traces that the experiment names. Without it, an experiment that needs one is
    /// refused.
    pub open: Option<&'a Open<'a>>,
    /// Set by the caller, from a signal handler for instance, to stop the run.
    pub stop: Option<&'a AtomicBool>,
    /// Called now and then, on the thread that started the run.
    pub progress: Option<&'a dyn Fn(Progress<'_>)>,
    /// Threads for independent cases; 0: as many as `RAYON_NUM_THREADS` says, or as the machine has. No result depends
    /// on it. With more than one, finished cases of an interrupted run need not be the first ones.
    pub threads: usize,
    /// After how long the caller stops the run. Independent cases then begin with the cheapest, so that as many as possible
    /// end; otherwise the most expensive begin first, so that none is left over at the end. Tests of this machine take
    /// fewer samples, so that all of them end in time.
    pub budget: Option<Duration>,
    /// Takes the commands of replayed memory traces.
    pub commands: Option<&'a Commands<'a>>,
    /// Takes the surfaces of memory modules.
    pub surface: Option<&'a TakeSurface<'a>>,
    /// Has those that were simulated before, and keeps new ones.
    pub surfaces: Option<&'a SurfaceShelf<'a>>,
    /// Opens what the operations of worn blocks are written to, as a [cycling log](wordline_trace::cycling).
    pub cycling_log: Option<&'a dyn Fn() -> io::Result<Box<dyn Write>>>,
    /// The file or block device that a test of storage measures, which its experiment names by its last name alone.
    pub storage: Option<&'a Path>,
    /// Opens what the accesses of that test are written to, as a latency log of fio.
    pub access_log: Option<&'a dyn Fn() -> io::Result<Box<dyn Write>>>,
    /// Whether verdicts of a comparison are taken as they come, without asking what would turn them: for a first look at many
    /// candidates.
    pub is_rough: bool,
    /// Devices and files of the host whose contents may be destroyed. An experiment that names one is not enough: whoever
    /// runs it names it here again.
    pub destroy: &'a [String],
}

impl Control<'_> {
    /// Whether the caller wants the run to stop.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Opens a file that the experiment names, expanded where it is compressed. A trace that comes along with a study or a published document
    /// stands in where there is no such file.
    pub(crate) fn open(&self, file: &str) -> Result<Box<dyn BufRead>, LabError> {
        let opened = match self.open {
            Some(open) => open(file),
            None => Err(io::ErrorKind::NotFound.into()),
        };
        match opened {
            Ok(reader) => Ok(wordline_trace::unpacked(reader)),
            Err(source) => match TRACES
                .iter()
                .chain(&ROCKSDB)
                .find(|(name, _)| *name == file)
            {
                Some((_, trace)) if source.kind() == io::ErrorKind::NotFound => {
                    Ok(Box::new(*trace))
                }
                _ => Err(LabError::Unreadable {
                    file: file.to_owned(),
                    source,
                }),
            },
        }
    }

    /// Reports to the caller how far the run is.
    pub fn report(&self, progress: Progress<'_>) {
        if let Some(listener) = self.progress {
            listener(progress);
        }
    }
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control")
            .field("open", &self.open.is_some())
            .field("stop", &self.stop)
            .field("progress", &self.progress.is_some())
            .field("threads", &self.threads)
            .finish()
    }
}
