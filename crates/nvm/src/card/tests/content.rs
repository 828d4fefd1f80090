//! What is written is what is read, whatever the controller does meanwhile.

use proptest::prelude::*;
use wordline_memory::ByteMemory;

use super::*;
use crate::device::Device;
use crate::error::{Misuse, NvmError};

const BYTES: usize = 16 << 20;

#[derive(Clone, Debug)]
enum Step {
    Write(u64, Vec<u8>),
    Preload(u64, Vec<u8>),
    Read(u64, usize),
    Persist,
    Fork,
    Pause(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let at = || {
        prop_oneof![
            0u64..BYTES as u64,
            0u64..100_000,
            Just(0),
            (0u64..500).prop_map(|s| s * 512)
        ]
    };
    let data = || {
        prop_oneof![
            prop::collection::vec(any::<u8>(), 1..3000),
            (any::<u8>(), 1usize..60_000).prop_map(|(byte, bytes)| vec![byte; bytes]),
        ]
    };
    prop_oneof![
        6 => (at(), data()).prop_map(|(at, data)| Step::Write(at, data)),
        1 => (at(), data()).prop_map(|(at, data)| Step::Preload(at, data)),
        3 => (at(), 1usize..40_000).prop_map(|(at, bytes)| Step::Read(at, bytes)),
        1 => Just(Step::Persist),
        1 => Just(Step::Fork),
        1 => (0u64..200).prop_map(Step::Pause),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The plain reference: an array of bytes. Each access keeps its bound, and the clock moves by what
    /// it cost. A card that keeps no content takes the same times, and wears and draws the same.
    #[test]
    fn a_card_holds_what_plain_memory_holds(
        steps in prop::collection::vec(step(), 1..80),
        open_pages in prop::sample::select(vec!["value = 0", "value = 3"]),
        seed in any::<u64>(),
    ) {
        let sheet = sheet_with(&[("open_pages", open_pages)]);
        let mut card = connect(&sheet, &board_with(&[]), Timing::Sampled, seed);
        let mut plain = vec![0u8; BYTES];
        let mut empty = card.fork();
        prop_assert!(card.keeps_content() && empty.drop_content() && !empty.keeps_content());
        for step in steps {
            match &step {
                Step::Write(at, data) => {
                    let data = &data[..data.len().min(BYTES - *at as usize)];
                    empty.write(*at, data).expect("inside");
                }
                Step::Preload(at, data) => {
                    let data = &data[..data.len().min(BYTES - *at as usize)];
                    empty.preload(*at, data).expect("inside");
                }
                Step::Read(at, bytes) => {
                    let mut out = vec![0xee; (*bytes).min(BYTES - *at as usize)];
                    empty.read(*at, &mut out).expect("inside");
                    prop_assert!(out.iter().all(|byte| *byte == 0));
                }
                Step::Persist => empty.persist().expect("nothing fails"),
                Step::Fork => empty = empty.fork(),
                Step::Pause(time) => empty.clock().advance(ms(*time)),
            }
            let before = card.clock().now();
            match step {
                Step::Write(at, data) => {
                    let data = &data[..data.len().min(BYTES - at as usize)];
                    let bound = card.write_bound(at, data.len() as u64).expect("inside");
                    card.write(at, data).expect("inside");
                    plain[at as usize..at as usize + data.len()].copy_from_slice(data);
                    prop_assert!(took(&card) <= bound);
                    prop_assert_eq!(card.clock().now(), before.plus(took(&card)));
                }
                Step::Preload(at, data) => {
                    let data = &data[..data.len().min(BYTES - at as usize)];
                    card.preload(at, data).expect("inside");
                    plain[at as usize..at as usize + data.len()].copy_from_slice(data);
                    prop_assert_eq!(card.clock().now(), before);
                }
                Step::Read(at, bytes) => {
                    let mut out = vec![0xee; bytes.min(BYTES - at as usize)];
                    let bound = card.read_bound(at, out.len() as u64).expect("inside");
                    card.read(at, &mut out).expect("inside");
                    prop_assert_eq!(&out[..], &plain[at as usize..at as usize + out.len()]);
                    prop_assert!(took(&card) <= bound);
                    prop_assert_eq!(card.clock().now(), before.plus(took(&card)));
                }
                Step::Persist => card.persist().expect("nothing fails"),
                // The old one goes on by itself and must not be seen.
                Step::Fork => {
                    let fork = card.fork();
                    card.write(0, &[0xff; 5000]).expect("inside");
                    card = fork;
                }
                Step::Pause(time) => card.clock().advance(ms(time)),
            }
            prop_assert_eq!(empty.clock().now(), card.clock().now());
            prop_assert_eq!(empty.last_cost(), card.last_cost());
        }
        prop_assert_eq!(empty.wear(), card.wear());
        prop_assert_eq!(empty.residence(), card.residence());
        prop_assert_eq!(empty.translation(), card.translation());
        let mut out = vec![0xee; BYTES];
        card.read(0, &mut out).expect("inside");
        prop_assert!(out == plain);
        let residence = card.residence();
        let all: u64 = crate::power::PowerState::ALL.iter().map(|state| residence.of(*state).ps()).sum();
        prop_assert_eq!(all, card.clock().now().ps());
    }
}

#[test]
fn accesses_beyond_the_end_are_refused_and_cost_nothing() {
    let mut card = card_with(&[]);
    let end = card.len();
    assert_eq!(
        (end, card.atom(), card.overwrite_bytes()),
        (BYTES as u64, 512, 512)
    );
    let outside = |result: Result<(), NvmError>| matches!(result, Err(NvmError::OutOfRange(_)));
    assert!(outside(card.write(end - 511, &[0; 512])));
    assert!(outside(card.read(end, &mut [0])));
    assert!(outside(card.read(u64::MAX, &mut [0; 2])));
    assert!(outside(card.preload(end, &[0])));
    assert!(card.write_bound(end, 1).is_err() && card.read_bound(u64::MAX, 2).is_err());
    card.write(end, &[]).expect("nothing is inside");
    assert_eq!(card.clock().now(), Time::ZERO);
    assert_eq!(card.write_bound(0, 0), Ok(Time::ZERO));
}

#[test]
fn an_sd_card_has_no_reliable_write() {
    let refused = card_with(&[]).write_reliably(0, &[0; 512]);
    assert_eq!(refused, Err(Misuse::NoReliableWrite.into()));
}

#[test]
fn time_does_not_end_within_an_access() {
    let mut card = card_with(&[]);
    card.clock()
        .advance(Time::from_ps(u64::MAX - 1_000_000_000));
    assert_eq!(card.write(0, &[0; 512]), Err(NvmError::TimeExhausted));
    assert_eq!(card.read(0, &mut [0; 512]), Err(NvmError::TimeExhausted));
}
