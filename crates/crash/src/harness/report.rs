//! What a person reads about a failure.

use std::fmt::{self, Write as _};

use super::check::Harness;
use super::medium::Medium;
use super::run::{Failure, RecordedRun, Violation};
use super::subject::Subject;

/// A failure in words: the calls, the cuts, what was found, and what may be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report(String);

impl Report {
    /// What each power cut interrupted, and what it left.
    pub fn cuts(&self) -> impl Iterator<Item = &str> {
        let lines = self.0.lines();
        lines.filter_map(|line| line.strip_prefix("cut").map(str::trim_start))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<T: Medium> Harness<T> {
    /// Describes what happens in a failure of a workload.
    pub fn report<S: Subject<Medium = T>>(
        &self,
        subject: &S,
        calls: &[S::Call],
        failure: &Failure,
    ) -> Report {
        let mut text = String::new();
        // Writing to a String does not fail.
        let _ = self.tell(&mut text, subject, calls, failure);
        Report(text)
    }

    fn tell<S: Subject<Medium = T>>(
        &self,
        text: &mut String,
        subject: &S,
        calls: &[S::Call],
        failure: &Failure,
    ) -> fmt::Result {
        writeln!(text, "{}", failure.violation.headline())?;
        writeln!(text, "case      {}", failure.case)?;
        let mut run = self.record(subject, calls).ok();
        if failure.case.cuts.is_empty() {
            for (number, call) in calls.iter().enumerate() {
                writeln!(text, "call {:<4} {call:?}", number + 1)?;
            }
        }
        for (number, cut) in failure.case.cuts.iter().enumerate() {
            let Some(before) = run else { break };
            let calls = if number == 0 { calls } else { &subject.after() };
            tell_calls(text, &before, calls, cut.operation, number > 0)?;
            let operation = before.recording.operations().get(cut.operation);
            match operation {
                Some(timed) => {
                    let words = T::describe(&timed.operation);
                    write!(text, "cut       in operation {}: {words}", cut.operation)?;
                }
                None => write!(text, "cut       after the last operation")?,
            }
            let Some(mut image) = before.recording.image(*cut) else {
                return writeln!(text, "; there is no such image");
            };
            writeln!(text, "; {}", T::describe_cut(&image))?;
            let flip = failure
                .case
                .flip
                .filter(|_| number + 1 == failure.case.cuts.len());
            if let Some(bit) = flip {
                T::flip(&mut image, bit);
                writeln!(text, "flipped   bit {bit} of the image")?;
            }
            let allowed = before.allowed(before.moment(cut.operation));
            run = self.reopen(subject, image, allowed, &subject.after()).ok();
        }
        match &failure.violation {
            Violation::State { found, allowed, .. } => {
                writeln!(text, "found     {found}")?;
                for (number, state) in allowed.iter().enumerate() {
                    let label = if number == 0 { "allowed" } else { "or" };
                    writeln!(text, "{label:<9} {state}")?;
                }
                Ok(())
            }
            Violation::Call { call, why } => writeln!(text, "call      {call}: {why}"),
            Violation::Open(why) | Violation::Read(why) | Violation::Panic(why) => {
                writeln!(text, "says      {why}")
            }
            Violation::Endless => writeln!(text, "after     {} accesses", self.accesses),
        }
    }
}

/// The calls that had begun at a cut, with the operations that each took.
fn tell_calls<S: Subject>(
    text: &mut String,
    run: &RecordedRun<S>,
    calls: &[S::Call],
    cut: usize,
    again: bool,
) -> fmt::Result {
    let opened = run.moments.get(1).map_or(0, |moment| moment.operations);
    let word = if again { "reopened" } else { "opened" };
    writeln!(text, "{word:<9} operations 0..{opened}")?;
    let shown = run.moments[run.moment(cut)].begun;
    for (number, call) in calls.iter().enumerate().take(shown) {
        let at = |reached: fn(&super::run::Moment) -> usize| {
            let moment = run
                .moments
                .iter()
                .find(|moment| reached(moment) == number + 1);
            moment.map_or(0, |moment| moment.operations)
        };
        let (from, to) = (at(|moment| moment.begun), at(|moment| moment.returned));
        let state = if to <= cut { "" } else { ", not returned" };
        writeln!(
            text,
            "call {:<4} {call:?}: operations {from}..{to}{state}",
            number + 1
        )?;
    }
    Ok(())
}
