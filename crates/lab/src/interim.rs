//! Stands in until the theory has these.
use crate::backlog::{BacklogError, Demand, Rate};
use wordline_core::quantity::{ByteCount, Time};
use wordline_trace::CountedDurations;
#[derive(Clone, Debug)]
pub(crate) struct Longest {
    lengths: Vec<u64>,
    all: Vec<u64>,
    sum: u64,
}
impl Longest {
    pub(crate) fn new(lengths: &[u64]) -> Self {
        Self {
            lengths: lengths.to_vec(),
            all: vec![0],
            sum: 0,
        }
    }
    pub(crate) fn push(&mut self, duration: Time) {
        self.sum += duration.ps();
        self.all.push(self.sum);
    }
    pub(crate) fn finish(self) -> Vec<(u64, Time)> {
        self.lengths
            .iter()
            .filter(|n| (**n as usize) < self.all.len())
            .map(|n| {
                let n = *n as usize;
                (
                    n as u64,
                    Time::from_ps(
                        (n..self.all.len())
                            .map(|i| self.all[i] - self.all[i - n])
                            .max()
                            .unwrap_or(0),
                    ),
                )
            })
            .collect()
    }
}
pub(crate) struct Unordered;
impl Unordered {
    pub(crate) fn new(_: &[CountedDurations], _: ByteCount) -> Result<Self, BacklogError> {
        Ok(Self)
    }
    pub(crate) fn limits(&self) -> (Option<Rate>, Option<Rate>) {
        (None, None)
    }
    pub(crate) fn least(&self, _: Rate) -> Demand {
        todo!()
    }
    pub(crate) fn most(&self, _: Rate) -> Demand {
        todo!()
    }
}
