//! Every image of a workload, opened and judged.

use std::collections::{BTreeMap, HashSet};

use wordline_core::draw::{Purpose, draw};

use super::case::Case;
use super::medium::Medium;
use super::recorded::Recorded;
use super::run::{Failure, RecordedRun, Violation, caught, run, whole};
use super::subject::Subject;
use crate::{ImageId, Mode};

/// How a workload is cut.
#[derive(Clone, Debug)]
pub struct Harness<T: Medium> {
    /// What the memory holds before it is prepared; its blocks may be bad or weak.
    pub start: T::Content,
    /// What a power cut does.
    pub tearing: T,
    /// Which images of the workload are opened.
    pub mode: Mode,
    /// Seed of everything that is drawn.
    pub seed: u64,
    /// Cuts within the recovery of these images; `None` for no second cut.
    pub again: Option<Again>,
    /// How many single bits flip, each in an image of a cut between two operations. What is found then must be right,
    /// or an error. 0 for software that leaves bit errors to the memory below.
    pub flips: u64,
    /// The most accesses of the memory that opening, reading everything, or a call may take.
    pub accesses: u64,
    /// The search ends after so many failures.
    pub failures_max: u64,
}

/// Which recoveries are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again {
    /// One image in so many; 0 counts as 1.
    pub every: u64,
    /// Which images of its recovery, and of the calls [after](Subject::after) it, are opened.
    pub mode: Mode,
}

/// What was looked at, and what is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Operations of the workload that change the memory: a cut can fall within each, and after the last.
    pub operations: u64,
    /// Images of the workload.
    pub images: u64,
    /// Images of recoveries.
    pub images_again: u64,
    /// Images with a flipped bit.
    pub flips: u64,
    /// How many of all these differ, by a hash of 64 bits.
    pub distinct: u64,
    /// Images that failed.
    pub failures: u64,
    /// The same by [kind](Violation::headline).
    pub kinds: BTreeMap<String, u64>,
    /// The first of them.
    pub first: Option<Failure>,
    /// The first of each kind.
    pub examples: BTreeMap<String, Failure>,
}

/// A case that names an image which the workload does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this workload has no image {0}; was it recorded with another workload, memory or version?"
)]
pub struct NoSuchCase(pub ImageId);

impl<T: Medium> Harness<T> {
    /// Every image, and every image of every recovery; no bit flips.
    #[must_use]
    pub const fn new(start: T::Content, tearing: T) -> Self {
        Self {
            start,
            tearing,
            mode: Mode::Exhaustive,
            seed: 0,
            again: Some(Again {
                every: 1,
                mode: Mode::Exhaustive,
            }),
            flips: 0,
            accesses: 1 << 20,
            failures_max: u64::MAX,
        }
    }

    /// Records a workload, and opens what its power cuts leave.
    pub fn check<S: Subject<Medium = T>>(&self, subject: &S, calls: &[S::Call]) -> Verdict {
        self.search(subject, calls, None)
    }

    /// As [`check`](Self::check), and ends with the first failure of a kind.
    pub(super) fn search<S: Subject<Medium = T>>(
        &self,
        subject: &S,
        calls: &[S::Call],
        wanted: Option<&str>,
    ) -> Verdict {
        let mut search = ShrinkSearch {
            harness: self,
            subject,
            after: subject.after(),
            wanted,
            verdict: Verdict::default(),
            distinct: HashSet::new(),
            is_done: false,
        };
        match self.record(subject, calls) {
            Ok(run) => {
                search.verdict.operations = run.recording.operations().len() as u64;
                search.cuts(&run, self.mode, &Case::default());
                search.flips(&run);
            }
            Err(violation) => search.fail(Case::default(), violation),
        }
        search.verdict.distinct = search.distinct.len() as u64;
        search.verdict
    }

    /// Runs the workload to its end.
    pub(super) fn record<S: Subject<Medium = T>>(
        &self,
        subject: &S,
        calls: &[S::Call],
    ) -> Result<RecordedRun<S>, Violation> {
        let memory = |content| {
            let image = whole(content, self.tearing.clone());
            let image = image.ok_or_else(|| Violation::Open("no image at all".to_owned()))?;
            Ok(Recorded::new(image, self.tearing.clone(), self.accesses))
        };
        let blank = memory(self.start.clone())?;
        caught(|| {
            let prepared = subject.prepare(blank.clone());
            prepared.map_err(|error| Violation::Open(error.to_string()))
        })?;
        let prepared = blank.content();
        blank.switch_off();
        // What it holds at first is what opening a copy finds.
        let copy = memory(prepared.clone())?;
        let first = run(subject, &copy, None, &[], self.accesses)?;
        let first = first.last_state().map(std::slice::from_ref);
        run(subject, &memory(prepared)?, first, calls, self.accesses)
    }

    /// Opens an image in which so much may be found.
    pub(super) fn reopen<S: Subject<Medium = T>>(
        &self,
        subject: &S,
        image: T::Image,
        allowed: &[S::State],
        after: &[S::Call],
    ) -> Result<RecordedRun<S>, Violation> {
        let memory = Recorded::new(image, self.tearing.clone(), self.accesses);
        run(subject, &memory, Some(allowed), after, self.accesses)
    }

    /// Looks at one case again: what is wrong there, if anything.
    ///
    /// # Errors
    /// When the workload has no such case.
    pub fn replay<S: Subject<Medium = T>>(
        &self,
        subject: &S,
        calls: &[S::Call],
        case: &Case,
    ) -> Result<Option<Failure>, NoSuchCase> {
        let failed = |violation| {
            Some(Failure {
                case: case.clone(),
                violation,
            })
        };
        let mut found = self.record(subject, calls);
        for (number, cut) in case.cuts.iter().enumerate() {
            let Ok(run) = &found else { break };
            let image = run.recording.image(*cut);
            let mut image = image.ok_or(NoSuchCase(*cut))?;
            let allowed = run.allowed(run.moment(cut.operation));
            let flip = case.flip.filter(|_| number + 1 == case.cuts.len());
            if let Some(bit) = flip {
                T::flip(&mut image, bit);
            }
            let after = if flip.is_some() {
                Vec::new()
            } else {
                subject.after()
            };
            found = self.reopen(subject, image, allowed, &after);
            if flip.is_some() && found.as_ref().is_err_and(is_detected) {
                return Ok(None);
            }
        }
        Ok(found.err().and_then(failed))
    }
}

/// Whether software that met a flipped bit said so.
const fn is_detected(violation: &Violation) -> bool {
    matches!(violation, Violation::Open(_) | Violation::Read(_))
}

struct ShrinkSearch<'a, S: Subject> {
    harness: &'a Harness<S::Medium>,
    subject: &'a S,
    after: Vec<S::Call>,
    wanted: Option<&'a str>,
    verdict: Verdict,
    distinct: HashSet<u64>,
    is_done: bool,
}

impl<S: Subject> ShrinkSearch<'_, S> {
    /// Opens the images of a run: of the workload where the case has no cut yet, of a recovery where it has one.
    fn cuts(&mut self, run: &RecordedRun<S>, mode: Mode, case: &Case) {
        let is_first = case.cuts.is_empty();
        // Equal images at one moment end alike.
        let mut seen = HashSet::new();
        for image in run.recording.images(mode, self.harness.seed) {
            if self.is_done || self.subject.stopped() {
                return;
            }
            let (id, hash) = (S::Medium::id(&image), S::Medium::hash(&image));
            self.distinct.insert(hash);
            if is_first {
                self.verdict.images += 1;
            } else {
                self.verdict.images_again += 1;
            }
            let moment = run.moment(id.operation);
            if !seen.insert((hash, moment)) {
                continue;
            }
            let case = case.then(id);
            let allowed = run.allowed(moment);
            let opened = self
                .harness
                .reopen(self.subject, image, allowed, &self.after);
            match (opened, self.harness.again) {
                (Err(violation), _) => self.fail(case, violation),
                (Ok(next), Some(again)) if is_first => {
                    if (seen.len() as u64 - 1).is_multiple_of(again.every.max(1)) {
                        self.cuts(&next, again.mode, &case);
                    }
                }
                (Ok(_), _) => {}
            }
        }
    }

    /// Flips bits of images between two operations.
    fn flips(&mut self, run: &RecordedRun<S>) {
        let (harness, operations) = (self.harness, run.recording.operations().len() as u64);
        for number in 0..harness.flips {
            let drawn = |what| draw(harness.seed, number, what, Purpose::Tear);
            let cut = ImageId {
                operation: (drawn(0) % (operations + 1)) as usize,
                variant: 0,
                seed: harness.seed,
            };
            let Some(mut image) = run.recording.image(cut).filter(|_| !self.is_done) else {
                continue;
            };
            let bit = drawn(1) % S::Medium::bits(&S::Medium::content(&image)).max(1);
            S::Medium::flip(&mut image, bit);
            self.distinct.insert(S::Medium::hash(&image));
            self.verdict.flips += 1;
            let allowed = run.allowed(run.moment(cut.operation));
            let opened = harness.reopen(self.subject, image, allowed, &[]);
            if let Some(violation) = opened.err().filter(|violation| !is_detected(violation)) {
                let case = Case {
                    cuts: vec![cut],
                    flip: Some(bit),
                };
                self.fail(case, violation);
            }
        }
    }

    fn fail(&mut self, case: Case, violation: Violation) {
        if self
            .wanted
            .is_some_and(|wanted| wanted != violation.headline())
        {
            return;
        }
        let verdict = &mut self.verdict;
        let kind = violation.headline().to_owned();
        let failure = Failure { case, violation };
        verdict.failures += 1;
        *verdict.kinds.entry(kind.clone()).or_default() += 1;
        verdict.first.get_or_insert_with(|| failure.clone());
        verdict.examples.entry(kind).or_insert(failure);
        self.is_done = self.wanted.is_some() || verdict.failures >= self.harness.failures_max;
    }
}
