//! A workload that fails, made small.

use super::check::{Harness, Verdict};
use super::medium::Medium;
use super::run::Failure;
use super::subject::Subject;
use crate::Mode;

const ROUNDS_MAX: u32 = 32;

impl<T: Medium> Harness<T> {
    /// Takes calls away, and puts [simpler](Subject::simpler) ones in place of others, as long as a failure of the same
    /// kind is left; then names the plainest image that fails. What it returns may be another cut than before.
    pub fn shrink<S: Subject<Medium = T>>(
        &self,
        subject: &S,
        calls: &[S::Call],
        failure: Failure,
    ) -> (Vec<S::Call>, Failure) {
        let mut smallest = Smallest {
            harness: self,
            subject,
            calls: calls.to_vec(),
            failure,
        };
        smallest.cut_tail();
        // A subject whose simpler calls do not get simpler must not keep this going for ever.
        for _ in 0..ROUNDS_MAX {
            if !(smallest.drop_calls() | smallest.simplify_calls()) {
                break;
            }
        }
        smallest.try_calls(smallest.calls.clone());
        (smallest.calls, smallest.failure)
    }

    /// The plainest failure of a kind: between two operations before within one, one cut before two.
    fn plainest<S: Subject<Medium = T>>(
        &self,
        subject: &S,
        calls: &[S::Call],
        failure: &Failure,
    ) -> Option<Failure> {
        let wanted = failure.violation.headline();
        let once = Self {
            again: None,
            flips: 0,
            ..self.clone()
        };
        let between = Self {
            mode: Mode::Linear,
            ..once.clone()
        };
        let find = |harness: &Self| -> Verdict { harness.search(subject, calls, Some(wanted)) };
        let found = find(&between).first.or_else(|| find(&once).first);
        if found.is_some() || (failure.case.cuts.len() < 2 && failure.case.flip.is_none()) {
            return found;
        }
        find(self).first
    }
}

/// The smallest workload so far.
struct Smallest<'a, S: Subject> {
    harness: &'a Harness<S::Medium>,
    subject: &'a S,
    calls: Vec<S::Call>,
    failure: Failure,
}

impl<S: Subject> Smallest<'_, S> {
    /// Keeps a workload that still fails in the same way.
    fn try_calls(&mut self, calls: Vec<S::Call>) -> bool {
        let found = self.harness.plainest(self.subject, &calls, &self.failure);
        let Some(failure) = found else { return false };
        self.calls = calls;
        self.failure = failure;
        true
    }

    /// Without the calls that had not begun at the first cut.
    fn cut_tail(&mut self) {
        let Some(cut) = self.failure.case.cuts.first() else {
            return;
        };
        if let Ok(run) = self.harness.record(self.subject, &self.calls) {
            let begun = run.moments[run.moment(cut.operation)].begun;
            if begun < self.calls.len() {
                self.try_calls(self.calls[..begun].to_vec());
            }
        }
    }

    /// Takes ever smaller parts of the workload away.
    fn drop_calls(&mut self) -> bool {
        let mut changed = false;
        let mut part = self.calls.len().div_ceil(2);
        while part > 0 {
            let mut at = 0;
            while at < self.calls.len() {
                let mut fewer = self.calls.clone();
                fewer.drain(at..(at + part).min(fewer.len()));
                if self.try_calls(fewer) {
                    changed = true;
                } else {
                    at += part;
                }
            }
            part /= 2;
        }
        changed
    }

    fn simplify_calls(&mut self) -> bool {
        let mut changed = false;
        for at in 0..self.calls.len() {
            for simpler in self.subject.simpler(&self.calls[at]) {
                let mut calls = self.calls.clone();
                calls[at] = simpler;
                if self.try_calls(calls) {
                    changed = true;
                    break;
                }
            }
        }
        changed
    }
}
