//! Two memories on one supply: a power cut stops both at once.

use crate::harness::{Medium, MediumRecorder};
use crate::{ImageId, Recording, Tearing};

/// A class of pairs of memories. A cut within an operation of one finds the other between two operations.
#[derive(Clone, Debug)]
pub struct PairTearing<A, B> {
    /// Of the first memory.
    pub first: A,
    /// Of the second.
    pub second: B,
}

/// An operation of one of two memories.
#[derive(Clone, Debug)]
pub enum PairOperation<A, B> {
    /// Of the first.
    First(A),
    /// Of the second.
    Second(B),
}

/// What a power cut leaves of two memories.
#[derive(Clone, Debug)]
pub struct PairImage<A, B> {
    id: ImageId,
    first: A,
    second: B,
}

/// The parts of an operation of a pair.
type Parts<'a, A, B> = (
    Option<&'a <A as Tearing>::Operation>,
    Option<&'a <B as Tearing>::Operation>,
);

impl<A: Tearing, B: Tearing> PairTearing<A, B> {
    const fn parts(
        operation: Option<&PairOperation<A::Operation, B::Operation>>,
    ) -> Parts<'_, A, B> {
        match operation {
            Some(PairOperation::First(operation)) => (Some(operation), None),
            Some(PairOperation::Second(operation)) => (None, Some(operation)),
            None => (None, None),
        }
    }
}

impl<A: Tearing, B: Tearing> Tearing for PairTearing<A, B> {
    type Operation = PairOperation<A::Operation, B::Operation>;
    type Content = (A::Content, B::Content);
    type State = (A::State, B::State);
    type Image = PairImage<A::Image, B::Image>;

    fn begin(&self, (first, second): &Self::Content) -> Self::State {
        (self.first.begin(first), self.second.begin(second))
    }

    fn start(&self, (first, second): &mut Self::State, operation: &Self::Operation) {
        match operation {
            PairOperation::First(operation) => self.first.start(first, operation),
            PairOperation::Second(operation) => self.second.start(second, operation),
        }
    }

    fn finish(&self, (first, second): &mut Self::State, operation: &Self::Operation) {
        match operation {
            PairOperation::First(operation) => self.first.finish(first, operation),
            PairOperation::Second(operation) => self.second.finish(second, operation),
        }
    }

    /// Each image of one memory with each of the other.
    fn variants(&self, state: &Self::State, operation: Option<&Self::Operation>) -> u64 {
        let (first, second) = Self::parts(operation);
        let first = self.first.variants(&state.0, first);
        first.saturating_mul(self.second.variants(&state.1, second))
    }

    fn image(
        &self,
        state: &Self::State,
        operation: Option<&Self::Operation>,
        id: ImageId,
    ) -> Self::Image {
        let (first, second) = Self::parts(operation);
        let firsts = self.first.variants(&state.0, first).max(1);
        let of = |variant| ImageId { variant, ..id };
        PairImage {
            id,
            first: self.first.image(&state.0, first, of(id.variant % firsts)),
            second: (self.second).image(&state.1, second, of(id.variant / firsts)),
        }
    }
}

impl<A: Medium, B: Medium> Medium for PairTearing<A, B> {
    type Recorder = PairRecorder<A, B>;

    fn content(image: &Self::Image) -> Self::Content {
        (A::content(&image.first), B::content(&image.second))
    }

    fn id(image: &Self::Image) -> ImageId {
        image.id
    }

    fn hash(image: &Self::Image) -> u64 {
        A::hash(&image.first).rotate_left(32) ^ B::hash(&image.second)
    }

    fn bits((first, second): &Self::Content) -> u64 {
        A::bits(first) + B::bits(second)
    }

    fn flip(image: &mut Self::Image, bit: u64) {
        let firsts = A::bits(&A::content(&image.first));
        match bit.checked_sub(firsts) {
            None => A::flip(&mut image.first, bit),
            Some(bit) => B::flip(&mut image.second, bit),
        }
    }

    fn describe(operation: &Self::Operation) -> String {
        match operation {
            PairOperation::First(operation) => format!("first memory: {}", A::describe(operation)),
            PairOperation::Second(operation) => {
                format!("second memory: {}", B::describe(operation))
            }
        }
    }

    fn describe_cut(image: &Self::Image) -> String {
        let first = A::describe_cut(&image.first);
        format!(
            "first memory, {first}; second memory, {}",
            B::describe_cut(&image.second)
        )
    }
}

/// Records the operations of two memories in one order.
#[derive(Debug)]
pub struct PairRecorder<A: Medium, B: Medium> {
    tearing: PairTearing<A, B>,
    first: A::Recorder,
    second: B::Recorder,
    /// Whether each operation so far was one of the first memory.
    order: Vec<bool>,
}

impl<A: Medium, B: Medium> PairRecorder<A, B> {
    pub(crate) fn on_first(&mut self, run: &mut dyn FnMut(&mut A::Recorder)) {
        run(&mut self.first);
        let done = self.first.operations() + self.second.operations();
        self.order.resize(done, true);
    }

    pub(crate) fn on_second(&mut self, run: &mut dyn FnMut(&mut B::Recorder)) {
        run(&mut self.second);
        let done = self.first.operations() + self.second.operations();
        self.order.resize(done, false);
    }
}

impl<A: Medium, B: Medium> MediumRecorder<PairTearing<A, B>> for PairRecorder<A, B> {
    fn of(image: PairImage<A::Image, B::Image>, tearing: PairTearing<A, B>) -> Self {
        Self {
            first: A::Recorder::of(image.first, tearing.first.clone()),
            second: B::Recorder::of(image.second, tearing.second.clone()),
            tearing,
            order: Vec::new(),
        }
    }

    fn operations(&self) -> usize {
        self.order.len()
    }

    fn content(&self) -> (A::Content, B::Content) {
        (self.first.content(), self.second.content())
    }

    fn take_recording(&mut self) -> Recording<PairTearing<A, B>> {
        let (first, second) = (self.first.take_recording(), self.second.take_recording());
        let start = (first.start().clone(), second.start().clone());
        let mut recording = Recording::new(start, self.tearing.clone());
        let mut firsts = first.into_operations().into_iter();
        let mut seconds = second.into_operations().into_iter();
        for is_first in std::mem::take(&mut self.order) {
            let next = match is_first {
                true => firsts.next().map(|timed| timed.map(PairOperation::First)),
                false => seconds.next().map(|timed| timed.map(PairOperation::Second)),
            };
            recording.extend(next);
        }
        recording
    }
}

#[cfg(test)]
mod tests {
    use wordline_memory::ByteMemory;

    use super::*;
    use crate::harness::{Harness, Outcome, Recorded, Subject};
    use crate::{ByteTearing, Content};

    type Pair = PairTearing<ByteTearing, ByteTearing>;

    /// A number on the first memory, and the number of the last call on the second, which is never ahead of it.
    struct Follower {
        second_is_first: bool,
    }

    fn number(memory: &mut Recorded<ByteTearing>) -> Outcome<u64> {
        let mut bytes = [0; 8];
        memory.read(0, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    impl Subject for Follower {
        type Medium = Pair;
        type Store = [Recorded<ByteTearing>; 2];
        type Call = u64;
        type State = u64;

        fn open(&self, memory: Recorded<Pair>) -> Outcome<Self::Store> {
            let (first, second) = memory.halves();
            let mut store = [first, second];
            let [leads, follows] = store.each_mut().map(number);
            match leads? < follows? {
                true => Err("the second memory is ahead".into()),
                false => Ok(store),
            }
        }

        fn apply(&self, store: &mut Self::Store, call: &u64) -> Outcome<()> {
            let order = if self.second_is_first { [1, 0] } else { [0, 1] };
            for side in order {
                store[side].write(0, &call.to_le_bytes())?;
                store[side].persist()?;
            }
            Ok(())
        }

        fn read(&self, store: &mut Self::Store) -> Outcome<u64> {
            number(&mut store[0])
        }

        fn next(&self, _: &u64, call: &u64) -> u64 {
            *call
        }
    }

    #[test]
    fn a_cut_stops_both_memories_at_once() {
        let content = || Content::zeros(8, 8);
        let tearing = PairTearing {
            first: ByteTearing::contract(),
            second: ByteTearing::contract(),
        };
        let harness = Harness::new((content(), content()), tearing);
        let check = |second_is_first| harness.check(&Follower { second_is_first }, &[1, 2, 3]);
        let verdict = check(false);
        assert_eq!(verdict.failures, 0, "{verdict:?}");
        // Two writes and two persists of each call.
        assert_eq!(verdict.operations, 12);
        let failure = check(true).first.expect("the second memory is ahead");
        let again = harness.replay(
            &Follower {
                second_is_first: true,
            },
            &[1, 2, 3],
            &failure.case,
        );
        assert_eq!(again, Ok(Some(failure)));
    }
}
