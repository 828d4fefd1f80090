//! Runs an experiment without the interpreter's lock.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use serde_json::Value;
use wordline_catalog::Catalog;
use wordline_core::{Experiment, HostTest, Workload};
use wordline_lab::store::Store;
use wordline_lab::{Control, LabError, Progress};

use crate::document::ResultDocument;
use crate::failure::{CallError, apart};

/// Time between two looks at the interpreter: signals, the wish to stop, progress.
const LOOK: Duration = Duration::from_millis(50);

/// Bytes that are read from a file at once.
const CHUNK: usize = 256 << 10;

/// What a file of an experiment is.
#[derive(FromPyObject)]
pub(crate) enum Input {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// Where it lies.
    Path(PathBuf),
}

impl Input {
    fn open(&self) -> io::Result<Box<dyn BufRead>> {
        match self {
            Self::Bytes(bytes) => Ok(Box::new(Cursor::new(bytes.clone()))),
            Self::Path(path) => {
                let file = File::open(path)?;
                if file.metadata()?.is_dir() {
                    return Err(io::Error::other("it is a folder; expected a file"));
                }
                Ok(Box::new(BufReader::with_capacity(CHUNK, file)))
            }
        }
    }
}

/// Everything that a run is given besides its experiment.
pub(crate) struct Given {
    folders: Vec<PathBuf>,
    inputs: BTreeMap<String, Input>,
    destroy: Vec<String>,
    threads: usize,
    budget: Option<Duration>,
    store: Option<PathBuf>,
}

/// An experiment from JSON, completed as the command completes it.
fn experiment(text: &str, catalog: &Catalog) -> Result<Experiment, CallError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut experiment = Experiment::from_json(text)?;
    let written = serde_json::from_str::<Value>(text).unwrap_or_default();
    let stated = |field: &str| wordline_lab::states(&written, field);
    wordline_lab::complete(&mut experiment, catalog, &stated)?;
    Ok(experiment)
}

impl Given {
    /// Refuses inputs that the experiment does not read, so that a slip is not a silent one.
    fn check(&self, experiment: &mut Experiment) -> Result<(), CallError> {
        let read = experiment.workload.inputs_mut();
        let read: Vec<String> = read.iter().map(|input| input.name.clone()).collect();
        for name in self.inputs.keys() {
            if !read.contains(name) {
                let allowed = match read.as_slice() {
                    [] => "it reads none".to_owned(),
                    names => format!("allowed: {}", names.join(", ")),
                };
                let message = format!("inputs: the experiment reads no file {name:?}; {allowed}");
                return Err(CallError::Input {
                    name: name.clone(),
                    message,
                });
            }
        }
        Ok(())
    }

    /// What is written over is named by the caller as well.
    fn spare(&self, experiment: &Experiment, catalog: &Catalog) -> Result<(), CallError> {
        if !matches!(experiment.workload, Workload::Kv(_)) {
            return Ok(());
        }
        for name in &experiment.targets {
            if let Some(path) = catalog.target(name)?.path()
                && !self.destroy.iter().any(|named| named == path)
            {
                return Err(CallError::Value {
                    place: "destroy".to_owned(),
                    message: format!(
                        "the experiment writes into {path}; name it as well: destroy=[{path:?}]"
                    ),
                });
            }
        }
        Ok(())
    }

    /// What a test of storage measures: only the caller may name it.
    fn storage(&self, experiment: &Experiment) -> Result<Option<PathBuf>, CallError> {
        let Workload::Host(host) = &experiment.workload else {
            return Ok(None);
        };
        let HostTest::Storage(test) = &host.test else {
            return Ok(None);
        };
        match self.inputs.get(&test.file) {
            Some(Input::Path(path)) => Ok(Some(path.clone())),
            _ => Err(CallError::Input {
                name: test.file.clone(),
                message: format!(
                    "the experiment measures the file or device {name}; say where it lies: inputs={{{name:?}: PATH}}",
                    name = test.file
                ),
            }),
        }
    }
}

/// Looks at the interpreter now and then, on the thread that started the run.
struct Watcher {
    progress: Option<Py<PyAny>>,
    stop: Option<Py<PyAny>>,
    stopped: Arc<AtomicBool>,
    last: Cell<Option<Instant>>,
    /// What ended the run: an interrupt, or an exception of the caller's own functions.
    raised: RefCell<Option<PyErr>>,
}

impl Watcher {
    fn look(&self, at: &Progress<'_>) {
        let now = Instant::now();
        let is_due = self.last.get().is_none_or(|last| now - last >= LOOK);
        if !is_due || self.raised.borrow().is_some() {
            return;
        }
        self.last.set(Some(now));
        let asked = Python::attach(|py| self.ask(py, at));
        match asked {
            Ok(false) => {}
            Ok(true) => self.stopped.store(true, Ordering::Relaxed),
            Err(error) => {
                self.stopped.store(true, Ordering::Relaxed);
                *self.raised.borrow_mut() = Some(error);
            }
        }
    }

    /// Whether the caller wants the run to stop.
    fn ask(&self, py: Python<'_>, at: &Progress<'_>) -> PyResult<bool> {
        py.check_signals()?;
        if let Some(progress) = &self.progress {
            progress.call1(py, (at.step, at.done_bytes, at.total_bytes))?;
        }
        match &self.stop {
            Some(stop) => stop.call0(py)?.is_truthy(py),
            None => Ok(false),
        }
    }
}

/// Runs an experiment. With it comes the exception that ended it early, if one did: the rows that are finished stay.
#[pyfunction]
#[pyo3(signature = (text, *, progress, stop, inputs, folders, threads, budget_s, destroy, store))]
#[expect(clippy::too_many_arguments, reason = "the package names them all")]
pub(crate) fn run(
    py: Python<'_>,
    text: &str,
    progress: Option<Py<PyAny>>,
    stop: Option<Py<PyAny>>,
    inputs: BTreeMap<String, Input>,
    folders: Vec<PathBuf>,
    threads: usize,
    budget_s: Option<f64>,
    destroy: Vec<String>,
    store: Option<PathBuf>,
) -> PyResult<(ResultDocument, Option<PyErr>)> {
    let budget = match budget_s.map(Duration::try_from_secs_f64).transpose() {
        Ok(budget) => budget,
        Err(error) => {
            let message = format!("budget_s is out of range ({error}); allowed: 0 s and more");
            let place = "budget_s".to_owned();
            return Err(CallError::Value { place, message }.raised(py));
        }
    };
    let given = Given {
        folders,
        inputs,
        destroy,
        threads,
        budget,
        store,
    };
    apart(py, move || {
        let started = Instant::now();
        let catalog = Catalog::shared(&given.folders)?;
        let mut experiment = experiment(text, &catalog)?;
        given.check(&mut experiment)?;
        given.spare(&experiment, &catalog)?;
        let storage = given.storage(&experiment)?;
        let watcher = Watcher {
            progress,
            stop,
            stopped: Arc::default(),
            last: Cell::new(None),
            raised: RefCell::default(),
        };
        let stopped = Arc::clone(&watcher.stopped);
        let look = |at: Progress<'_>| {
            watcher.look(&at);
            if given
                .budget
                .is_some_and(|budget| started.elapsed() >= budget)
            {
                watcher.stopped.store(true, Ordering::Relaxed);
            }
        };
        let open = |name: &str| match given.inputs.get(name) {
            Some(input) => input.open(),
            None => Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("no input of that name was given: inputs={{{name:?}: PATH}}"),
            )),
        };
        let control = Control {
            open: Some(&open),
            stop: Some(&*stopped),
            progress: Some(&look),
            threads: given.threads,
            budget: given.budget,
            storage: storage.as_deref(),
            destroy: &given.destroy,
            ..Control::default()
        };
        let document = match &given.store {
            Some(folder) => {
                let store = Store::open(folder).map_err(LabError::from)?;
                store.run(&catalog, &experiment, &control)?.document
            }
            None => wordline_lab::run(&catalog, &experiment, &control)?,
        };
        let raised = watcher.raised.take();
        Ok((ResultDocument::new(document), raised))
    })
}

/// The experiment with everything that it leaves out, as JSON.
#[pyfunction]
pub(crate) fn complete(py: Python<'_>, text: &str, folders: Vec<PathBuf>) -> PyResult<String> {
    apart(py, || {
        let catalog = Catalog::shared(&folders)?;
        Ok(experiment(text, &catalog)?.to_json())
    })
}

/// The version of the program, as documents state it.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Panics, so that a test can see what becomes of it.
#[pyfunction]
pub(crate) fn provoke_panic(py: Python<'_>) -> PyResult<()> {
    apart(py, || panic!("provoked by a test"))
}
