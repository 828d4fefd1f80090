//! Byte images against a plain reference: whole copies of the memory.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use wordline_core::quantity::Time;
use wordline_memory::{ByteMemory, RamMemory};

use super::{ByteImage, ByteTearing, Content, Cut, ImageId, Mode, Recorder, Recording, Spoilt};
use crate::fixture::{TYPICAL, wired};
use wordline_nvm::Accounts;

const SIZE: usize = 32;

type Plain = [u8; SIZE];

/// An address and the bytes that go there.
type Store = (usize, Vec<u8>);

/// One step of a run: a write, or a persist.
type Step = Option<(u8, Vec<u8>)>;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let write = (0u8..24, prop::collection::vec(any::<u8>(), 1..8));
    prop::collection::vec(prop::option::weighted(0.8, write), 0..8)
}

fn record(steps: &[Step], tearing: ByteTearing) -> Recording<ByteTearing> {
    let mut memory = RamMemory::<SIZE>::new();
    memory.write(0, &[0x55; SIZE]).expect("inside");
    let mut recorder = Recorder::bytes(memory, tearing).expect("plain RAM");
    for step in steps {
        match step {
            Some((at, data)) => recorder.write(u64::from(*at), data).expect("inside"),
            None => recorder.persist().expect("plain RAM"),
        }
    }
    recorder.finish().1
}

fn bytes(image: &mut ByteImage) -> Plain {
    let mut all = [0; SIZE];
    image.read(0, &mut all).expect("inside");
    all
}

/// The plain reference: stores as (address, bytes) with whole copies of the memory, for each cut
/// the lasting bytes, the pending stores, and how many of these belong to the interrupted write.
fn plain_cuts(steps: &[Step], tearing: ByteTearing) -> Vec<(Plain, Vec<Store>, usize)> {
    let unit = tearing.unit.unwrap_or(1);
    let mut lasting = [0x55; SIZE];
    let mut pending: Vec<Store> = Vec::new();
    let mut cuts = Vec::new();
    for step in steps {
        let mut fresh = 0;
        if let Some((at, data)) = step {
            let mut last_unit = usize::MAX;
            for (place, byte) in (usize::from(*at)..).zip(data) {
                if place / unit == last_unit {
                    let (_, store) = pending.last_mut().expect("a store was begun");
                    store.push(*byte);
                } else {
                    pending.push((place, vec![*byte]));
                    fresh += 1;
                }
                last_unit = place / unit;
            }
        }
        cuts.push((lasting, pending.clone(), fresh));
        if step.is_none() || !tearing.buffered {
            for (at, store) in pending.drain(..) {
                lasting[at..at + store.len()].copy_from_slice(&store);
            }
        }
    }
    cuts.push((lasting, pending, 0));
    cuts
}

fn apply<'a>(base: &Plain, stores: impl Iterator<Item = &'a Store>) -> Plain {
    let mut all = *base;
    for (at, store) in stores {
        all[*at..at + store.len()].copy_from_slice(store);
    }
    all
}

/// Everything that the reference finds at one cut.
fn plain_images(base: &Plain, pending: &[Store], ordered: bool) -> BTreeSet<Plain> {
    if ordered {
        (0..=pending.len())
            .map(|count| apply(base, pending[..count].iter()))
            .collect()
    } else {
        (0..1usize << pending.len())
            .map(|mask| {
                let landed = pending.iter().enumerate();
                let landed = landed.filter(|(index, _)| mask >> index & 1 == 1);
                apply(base, landed.map(|(_, store)| store))
            })
            .collect()
    }
}

fn tearings() -> impl Strategy<Value = ByteTearing> {
    let unit = prop::sample::select(vec![None, Some(1), Some(2), Some(4), Some(8)]);
    (unit, any::<bool>(), any::<bool>()).prop_map(|(unit, buffered, ordered)| ByteTearing {
        unit,
        buffered,
        ordered,
        ..ByteTearing::contract()
    })
}

/// The images of one operation, as bytes.
fn found(recording: &Recording<ByteTearing>, operation: usize) -> BTreeSet<Plain> {
    recording
        .images(Mode::Exhaustive, 1)
        .filter(|image| image.id().operation == operation)
        .map(|mut image| bytes(&mut image))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Where all subsets are derived, the images of a cut are exactly those of the reference. An
    /// ordered, unfinished write may leave out the image in which it landed whole: the next cut has it.
    #[test]
    fn every_cut_gives_the_images_of_the_reference(steps in steps(), tearing in tearings()) {
        let recording = record(&steps, tearing);
        for (operation, (base, pending, fresh)) in plain_cuts(&steps, tearing).iter().enumerate() {
            if !tearing.ordered && pending.len() > tearing.subsets_up_to {
                continue;
            }
            let mut expected = plain_images(base, pending, tearing.ordered);
            let mut found = found(&recording, operation);
            if tearing.ordered && *fresh > 0 {
                let whole = apply(base, pending.iter());
                expected.insert(whole);
                found.insert(whole);
            }
            prop_assert_eq!(found, expected, "operation {}", operation);
        }
    }

    /// Of more pending stores than that, every image has some set of them, each pair is seen alone
    /// and missing alone, and all prefixes are there.
    #[test]
    fn many_pending_stores_are_cut_in_pairs_and_samples(steps in steps()) {
        let tearing = ByteTearing { subsets_up_to: 3, samples: 20, ..ByteTearing::contract() };
        let recording = record(&steps, tearing);
        for (operation, (base, pending, _)) in plain_cuts(&steps, tearing).iter().enumerate() {
            if pending.len() <= 3 {
                continue;
            }
            let found = found(&recording, operation);
            for count in 0..pending.len() {
                prop_assert!(found.contains(&apply(base, pending[..count].iter())));
            }
            for one in 0..pending.len() {
                for other in one..pending.len() {
                    let among = |index: usize| index == one || index == other;
                    let stores = || pending.iter().enumerate();
                    let only = stores().filter(|(index, _)| among(*index));
                    prop_assert!(found.contains(&apply(base, only.map(|(_, store)| store))));
                    let without = stores().filter(|(index, _)| !among(*index));
                    prop_assert!(found.contains(&apply(base, without.map(|(_, store)| store))));
                }
            }
            // Each byte is one that some store or the base holds there.
            for image in &found {
                for (place, byte) in image.iter().enumerate() {
                    let stored = pending.iter().any(|(at, store)| {
                        place.checked_sub(*at).and_then(|inside| store.get(inside)) == Some(byte)
                    });
                    prop_assert!(stored || base[place] == *byte);
                }
            }
        }
    }

    /// Equal bytes have equal hashes and different bytes different ones; an id gives its image again;
    /// the linear images are those in which whole operations landed.
    #[test]
    fn hashes_and_ids_name_images(steps in steps(), tearing in tearings(), seed in any::<u64>()) {
        let tearing = ByteTearing { samples: 20, ..tearing.spoiling(8) };
        let recording = record(&steps, tearing);
        let mut by_bytes = HashMap::new();
        let mut by_hash = HashMap::new();
        for mut image in recording.images(Mode::Exhaustive, seed) {
            let all = bytes(&mut image);
            prop_assert_eq!(*by_bytes.entry(all).or_insert(image.hash()), image.hash());
            prop_assert_eq!(*by_hash.entry(image.hash()).or_insert(all), all);
            let mut again = recording.image(image.id()).expect("it was derived");
            prop_assert_eq!(again.cut(), image.cut());
            prop_assert_eq!(bytes(&mut again), all);
        }
        let mut whole = [0x55; SIZE];
        for (index, mut image) in recording.images(Mode::Linear, seed).enumerate() {
            prop_assert_eq!(image.id(), ImageId { operation: index, variant: 0, seed });
            prop_assert_eq!(bytes(&mut image), whole);
            if let Some(Some((at, data))) = steps.get(index) {
                whole[usize::from(*at)..][..data.len()].copy_from_slice(data);
            }
        }
        for image in recording.images(Mode::Sample(30), seed) {
            prop_assert!(recording.image(image.id()).is_some());
        }
        prop_assert_eq!(recording.images(Mode::Sample(30), seed).count(), 30);
    }

    /// A spoilt word takes its neighbours and no other byte.
    #[test]
    fn a_spoilt_word_harms_its_neighbours_alone(steps in steps()) {
        let tearing = ByteTearing::bus(2).spoiling(8);
        let recording = record(&steps, tearing);
        let cuts = plain_cuts(&steps, tearing);
        let mut spoilt = 0;
        for mut image in recording.images(Mode::Exhaustive, 5) {
            let Cut::Spoilt { store, kind } = image.cut() else { continue };
            spoilt += 1;
            let (base, pending, _) = &cuts[image.id().operation];
            let before = apply(base, pending[..store].iter());
            let all = bytes(&mut image);
            let (at, data) = &pending[store];
            let word = at / 8 * 8..(at + data.len()).next_multiple_of(8);
            for place in 0..SIZE {
                match kind {
                    _ if !word.contains(&place) => prop_assert_eq!(all[place], before[place]),
                    Spoilt::Zeros => prop_assert_eq!(all[place], 0),
                    Spoilt::Ones => prop_assert_eq!(all[place], 0xFF),
                    Spoilt::Noise => {}
                }
            }
        }
        let stores: usize = cuts.iter().map(|(_, pending, _)| pending.len()).sum();
        prop_assert_eq!(spoilt, 3 * stores);
    }
}

#[test]
fn an_image_can_be_recorded_and_cut_again() {
    let recording = record(
        &[Some((0, vec![1; 4])), None, Some((8, vec![2; 4]))],
        ByteTearing::bus(4),
    );
    let image = recording
        .images(Mode::Linear, 0)
        .nth(2)
        .expect("a cut before the second write");
    let mut recorder = image.record(ByteTearing::bus(4));
    recorder.write(16, &[3; 4]).expect("inside");
    recorder.write(20, &[4; 4]).expect("inside");
    let (_, second) = recorder.finish();
    let mut found = [0; 24];
    let mut image = second
        .images(Mode::Linear, 0)
        .nth(1)
        .expect("a cut between");
    image.read(0, &mut found).expect("inside");
    let (old, one, three) = ([0x55; 4], [1; 4], [3; 4]);
    assert_eq!(found, *[one, old, old, old, three, old].as_flattened());
}

#[test]
fn a_simulated_device_is_recorded_with_its_times() {
    let memory = wired(TYPICAL);
    let clock = memory.clock().clone();
    // A fork is read, so that no time passes on the device itself.
    let content = Content::of(&mut memory.fork()).expect("all of it");
    assert_eq!(content.atom(), memory.atom());
    let before = clock.now();
    let mut recorder = Recorder::new(memory, content, ByteTearing::contract()).watching(clock);
    recorder.write(0, &[1; 32]).expect("inside");
    assert!(recorder.write(u64::MAX, &[1]).is_err());
    recorder.write(0, &[]).expect("nothing");
    recorder.write(32, &[2; 32]).expect("inside");
    assert_eq!(recorder.operations(), 2);
    assert_eq!(recorder.len(), recorder.device().len());
    let (memory, recording) = recorder.finish();
    let [first, second] = recording.operations() else {
        panic!("two writes");
    };
    assert_eq!(first.start, before);
    assert_eq!(first.end, second.start);
    assert_eq!(second.end, memory.clock().now());
    assert_eq!(recording.operation_at(Time::ZERO), 0);
    assert_eq!(recording.operation_at(first.end), 1);
    assert_eq!(recording.operation_at(second.end), 2);
}

#[test]
fn ids_that_name_nothing_are_refused() {
    let recording = record(&[Some((0, vec![1]))], ByteTearing::bus(1));
    let id = |operation, variant| ImageId {
        operation,
        variant,
        seed: 0,
    };
    assert!(recording.image(id(1, 0)).is_some());
    assert!(recording.image(id(2, 0)).is_none());
    assert!(recording.image(id(0, 1_000_000)).is_none());
    for text in ["", "1", "1.2", "1@2", "1.2@", "-1.2@3", "1.2@3 "] {
        let error = text.parse::<ImageId>().expect_err(text).to_string();
        assert!(error.contains("expected OPERATION.VARIANT@SEED"), "{error}");
    }
}
