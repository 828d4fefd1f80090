//! One run of the software: from an image, through its recovery, to the end of its calls; and what is wrong with it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::case::Case;
use super::recorded::Recorded;
use super::subject::Subject;
use crate::{Recording, Tearing};

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// It cannot be opened, for the reason that it gives.
    Open(String),
    /// It cannot be read, for the reason that it gives.
    Read(String),
    /// A call fails.
    Call {
        /// The call.
        call: String,
        /// The reason that it gives.
        why: String,
    },
    /// It holds what it may not hold.
    State {
        /// What is wrong with it, by [`Subject::judge`].
        what: String,
        /// What it holds.
        found: String,
        /// What it may hold, the oldest first.
        allowed: Vec<String>,
    },
    /// It panics.
    Panic(String),
    /// It takes more accesses than [`Harness::accesses`](super::Harness::accesses).
    Endless,
}

impl Violation {
    /// The kind of failure, in words.
    #[must_use]
    pub fn headline(&self) -> &str {
        match self {
            Self::Open(_) => "the store cannot be opened",
            Self::Read(_) => "the store cannot be read",
            Self::Call { .. } => "a call fails",
            Self::State { what, .. } => what,
            Self::Panic(_) => "the software panics",
            Self::Endless => "the software does not come to an end",
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.headline())?;
        match self {
            Self::Open(why) | Self::Read(why) | Self::Panic(why) => write!(f, ": {why}"),
            Self::Call { call, why } => write!(f, ": {call}: {why}"),
            Self::State { found, .. } => write!(f, ": {found}"),
            Self::Endless => Ok(()),
        }
    }
}

/// A failure, and the case that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// How to find it again.
    pub case: Case,
    /// What is wrong.
    pub violation: Violation,
}

/// How far a run had come when the memory had so many operations behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) operations: usize,
    /// The first of the states that may be found, and the one after the last.
    first: usize,
    end: usize,
    /// Calls that had begun and returned.
    pub(super) begun: usize,
    pub(super) returned: usize,
}

/// A run that was recorded.
pub(super) struct RecordedRun<S: Subject> {
    pub(super) recording: Recording<S::Medium>,
    states: Vec<S::State>,
    pub(super) moments: Vec<Moment>,
}

impl<S: Subject> RecordedRun<S> {
    /// Which moment an image shows whose cut lies within an operation.
    pub(super) fn moment(&self, operation: usize) -> usize {
        let after = self
            .moments
            .partition_point(|moment| moment.operations <= operation);
        after.saturating_sub(1)
    }

    /// What was found when it was opened, or what the last call made of it.
    pub(super) fn last_state(&self) -> Option<&S::State> {
        self.states.last()
    }

    /// What may be found after a cut at a moment.
    pub(super) fn allowed(&self, moment: usize) -> &[S::State] {
        self.moments
            .get(moment)
            .map_or(&[], |moment| &self.states[moment.first..moment.end])
    }
}

/// Opens a memory in which so much may be found, or whatever there is, and runs calls on it.
pub(super) fn run<S: Subject>(
    subject: &S,
    memory: &Recorded<S::Medium>,
    allowed: Option<&[S::State]>,
    calls: &[S::Call],
    accesses: u64,
) -> Result<RecordedRun<S>, Violation> {
    caught(|| {
        let mut runner = Runner {
            subject,
            memory,
            accesses,
            allowed,
            states: allowed.unwrap_or_default().to_vec(),
            moments: Vec::new(),
        };
        let (store, result) = runner.open_and_go(calls);
        // Before the store is dropped, which must not count as work of its own.
        let recording = memory.switch_off();
        drop(store);
        result.map(|()| RecordedRun {
            recording,
            states: runner.states,
            moments: runner.moments,
        })
    })
}

/// Runs the software under test, whose panics are failures.
pub(super) fn caught<V>(run: impl FnOnce() -> Result<V, Violation>) -> Result<V, Violation> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Violation::Panic(text.unwrap_or("without words").to_owned()))
    })
}

struct Runner<'a, S: Subject> {
    subject: &'a S,
    memory: &'a Recorded<S::Medium>,
    accesses: u64,
    allowed: Option<&'a [S::State]>,
    states: Vec<S::State>,
    moments: Vec<Moment>,
}

impl<S: Subject> Runner<'_, S> {
    fn open_and_go(&mut self, calls: &[S::Call]) -> (Option<S::Store>, Result<(), Violation>) {
        self.note(0, 0, 0);
        self.memory.allow(self.accesses);
        match self.subject.open(self.memory.clone()) {
            Ok(mut store) => {
                let result = self.go(&mut store, calls);
                (Some(store), result)
            }
            Err(error) => (None, Err(self.failed(Violation::Open(error.to_string())))),
        }
    }

    fn go(&mut self, store: &mut S::Store, calls: &[S::Call]) -> Result<(), Violation> {
        let found = self.read(store)?;
        if let Some(allowed) = self.allowed {
            let verdict = self.subject.judge(&found, allowed);
            verdict.map_err(|what| violation(what, &found, allowed))?;
        }
        let mut first = self.states.len();
        self.states.push(found);
        self.note(first, 0, 0);
        for (number, call) in calls.iter().enumerate() {
            let last = &self.states[self.states.len() - 1];
            let next = self.subject.next(last, call);
            self.states.push(next);
            self.note(first, number + 1, number);
            self.memory.allow(self.accesses);
            let result = self.subject.apply(store, call);
            result.map_err(|error| {
                self.failed(Violation::Call {
                    call: format!("{call:?}"),
                    why: error.to_string(),
                })
            })?;
            if self.subject.lasts(call) {
                first = self.states.len() - 1;
            }
            self.note(first, number + 1, number + 1);
        }
        if !calls.is_empty() {
            let found = self.read(store)?;
            let last = self.states.len() - 1;
            if found != self.states[last] {
                let what = "without a power cut the store holds something else than was stored";
                return Err(violation(what.to_owned(), &found, &self.states[last..]));
            }
        }
        Ok(())
    }

    fn read(&self, store: &mut S::Store) -> Result<S::State, Violation> {
        self.memory.allow(self.accesses);
        let found = self.subject.read(store);
        found.map_err(|error| self.failed(Violation::Read(error.to_string())))
    }

    fn failed(&self, violation: Violation) -> Violation {
        if self.memory.is_off() {
            Violation::Endless
        } else {
            violation
        }
    }

    fn note(&mut self, first: usize, begun: usize, returned: usize) {
        self.moments.push(Moment {
            operations: self.memory.operations(),
            first,
            end: self.states.len(),
            begun,
            returned,
        });
    }
}

fn violation<V: fmt::Debug>(what: String, found: &V, allowed: &[V]) -> Violation {
    Violation::State {
        what,
        found: clipped(found),
        allowed: allowed.iter().map(clipped).collect(),
    }
}

/// A state in words, as many as a person reads.
fn clipped(state: &impl fmt::Debug) -> String {
    const CHARS: usize = 400;
    let text = format!("{state:?}");
    match text.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The image of a content that no cut made.
pub(super) fn whole<T: Tearing>(content: T::Content, tearing: T) -> Option<T::Image> {
    let recording = Recording::new(content, tearing);
    recording.images(crate::Mode::Linear, 0).next()
}
