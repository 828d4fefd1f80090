//! The decoder on streams that were cut, damaged and mixed with text.

use proptest::prelude::*;
use wordline_trace::recorder::RecorderReader;
use wordline_trace::{AccessStream, LoggedAccess, Oddity, TraceError};

use crate::recorder::encoder::{Access, Encoder};
use crate::recorder::framed::framed;
use crate::recorder::{decoded, logged};

const HZ: u32 = 480_000_000;

fn accesses(count: u64) -> Vec<Access> {
    let of = |at: u64| Access {
        is_write: at.is_multiple_of(3),
        end: at * 1000 + at % 7,
        duration: 100 + at * at % 800,
        bytes: 256,
        offset: at.is_multiple_of(2).then_some(at * 256),
    };
    (1..=count).map(of).collect()
}

fn encoded(accesses: &[Access]) -> Vec<u8> {
    let mut encoder = Encoder::new(HZ, 32);
    for &access in accesses {
        encoder.access(access);
    }
    encoder.bytes
}

/// Every access told is one that was recorded, in its order, and its end is right or not told.
fn are_true(told: &[LoggedAccess], recorded: &[Access]) -> usize {
    let mut rest = recorded.iter();
    let mut without_end = 0;
    for access in told {
        let found = rest.any(|&candidate| {
            let expected = logged(candidate, access.line, HZ);
            without_end += usize::from(access.end.is_none());
            let end = access.end.and(expected.end);
            *access == LoggedAccess { end, ..expected }
        });
        assert!(found, "{access:?} was not recorded");
    }
    without_end
}

fn lost(oddities: &[Oddity]) -> u64 {
    let counts = oddities.iter().map(|oddity| match oddity {
        Oddity::Lost { count, .. } => *count,
        _ => 0,
    });
    counts.sum()
}

#[test]
fn a_capture_may_begin_anywhere_and_ends_are_counted_back_from_the_next_header() {
    let recorded = accesses(200);
    let stream = encoded(&recorded);
    for start in 0..stream.len() {
        match decoded(&stream[start..]) {
            Ok((told, summary)) => {
                are_true(&told, &recorded);
                assert!(
                    told.iter().all(|access| access.end.is_some()),
                    "from {start}"
                );
                assert_eq!(lost(&summary.oddities), 0, "from {start}");
                let before = summary.oddities.iter().find_map(|oddity| match oddity {
                    Oddity::StartsLate { count } => Some(*count),
                    _ => None,
                });
                assert_eq!(told.len() as u64 + before.unwrap_or(0), 200, "from {start}");
            }
            Err(error) => {
                // The last header stands behind 192 accesses.
                assert!(matches!(error, TraceError::Unknown { .. }), "{error}");
                assert!(start > stream.len() * 9 / 10, "from {start}: {error}");
            }
        }
    }
}

#[test]
fn ends_are_not_counted_back_across_a_gap_even_ahead_of_the_first_header() {
    let recorded = accesses(200);
    let stream = encoded(&recorded);
    let frames: Vec<&[u8]> = stream.split_inclusive(|&byte| byte == 0).collect();
    let frames: Vec<Vec<u8>> = frames.chunks(2).map(<[&[u8]]>::concat).collect();
    // From the 20th access on, and of the rest any one or two frames are missing.
    let late = &frames[20..];
    for first in 1..late.len() {
        for width in 1..=2 {
            let mut kept = late.to_vec();
            kept.drain(first..(first + width).min(late.len()));
            let (told, summary) = decoded(&kept.concat()).expect("a header is left");
            are_true(&told, &recorded);
            let headers = kept.iter().filter(|frame| frame[2..6] == *b"WLR1").count();
            let missing = 181 - (kept.len() - headers) as u64;
            let at_the_end = first + width >= late.len();
            let counted = lost(&summary.oddities);
            assert!(
                counted == missing || at_the_end,
                "{first}: {counted} of {missing}"
            );
        }
    }
}

#[test]
fn a_gap_that_ends_with_no_access_is_not_counted_across() {
    let recorded = accesses(66);
    let mut encoder = Encoder::new(HZ, 32);
    let mut places = Vec::new();
    for (at, &access) in recorded.iter().enumerate() {
        if at == 40 {
            encoder.lost(7);
        }
        places.push(encoder.bytes.len());
        encoder.access(access);
    }
    // From the 31st access on, without the 40th, behind which a loss is told.
    let stream = encoder.bytes;
    let lost_frame = places[40] - 12..places[40];
    let lost_frame = lost_frame.start
        + stream[lost_frame]
            .iter()
            .rposition(|&b| b == 0x20)
            .expect("told")
        - 2;
    let capture = [&stream[places[30]..places[39]], &stream[lost_frame..]].concat();
    let (told, summary) = decoded(&capture).expect("sound");
    assert!(are_true(&told, &recorded) >= 9);
    assert_eq!(lost(&summary.oddities), 8);
}

#[test]
fn a_capture_may_end_anywhere() {
    let recorded = accesses(70);
    let stream = encoded(&recorded);
    let header_end = 2 + stream[1..]
        .iter()
        .position(|&byte| byte == 0)
        .expect("a frame");
    for end in 0..stream.len() {
        match decoded(&stream[..end]) {
            Ok((told, summary)) => {
                assert_eq!(are_true(&told, &recorded), 0);
                assert_eq!(lost(&summary.oddities), 0);
                let is_cut = summary
                    .oddities
                    .iter()
                    .any(|o| matches!(o, Oddity::TruncatedEnd { .. }));
                let may_be_cut = stream[end - 1] != 0;
                assert!(may_be_cut || !is_cut, "to {end}");
            }
            Err(TraceError::Unknown { .. }) => assert!(end < header_end, "to {end}"),
            Err(TraceError::Empty) => assert!(end >= header_end - 1, "to {end}"),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn any_flipped_bit_costs_one_access_and_is_told() {
    let recorded = accesses(70);
    let stream = encoded(&recorded);
    for at in 0..stream.len() * 8 {
        let mut damaged = stream.clone();
        damaged[at / 8] ^= 1 << (at % 8);
        let (told, summary) = decoded(&damaged).expect("there is a second header");
        are_true(&told, &recorded);
        let missing = (70 - told.len()) as u64;
        // A delimiter that is damaged, or one that appears, may take both neighbours along.
        assert!(missing <= 2, "bit {at}: {missing} missing");
        // Only a loss at the very end, behind which nothing comes, cannot be counted.
        let counted = lost(&summary.oddities);
        assert!(
            counted == missing || at / 8 > stream.len() - 20,
            "bit {at}: {counted} of {missing}"
        );
        assert!(
            missing == 0
                || summary
                    .oddities
                    .iter()
                    .any(|o| !matches!(o, Oddity::Lost { .. })),
            "bit {at}"
        );
    }
}

#[test]
fn text_between_frames_is_skipped() {
    let recorded = accesses(100);
    let stream = encoded(&recorded);
    let mut noisy = b"\r\n\r\nROM boot v1.2\r\n".to_vec();
    let mut noise = 19;
    for frame in stream.split_inclusive(|&byte| byte == 0) {
        noisy.extend(frame);
        // Behind each delimiter that ends a frame, and so ahead of the one that begins the next.
        if frame.len() > 1 {
            noisy.extend(b"[I] tick\r\n");
            noise += 10;
        }
    }
    noisy.extend(
        "a line that is longer than any frame, and then some more of it, and again\r\n".bytes(),
    );
    noise += 75;
    let (told, summary) = decoded(&noisy).expect("sound");
    assert_eq!(told, decoded(&stream).expect("sound").0);
    match summary.oddities[..] {
        [
            Oddity::Skipped {
                line: 1,
                count,
                what: "bytes outside frames",
            },
        ] => assert_eq!(count, noise),
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn many_lost_frames_are_counted_by_the_next_header() {
    let recorded = accesses(1000);
    let stream = encoded(&recorded);
    let frames: Vec<&[u8]> = stream.split_inclusive(|&byte| byte == 0).collect();
    // A frame is its first delimiter and the rest.
    let at = |frame: usize| frames[..2 * frame].concat().len();
    let damaged = [&stream[..at(50)], &stream[at(700)..]].concat();
    let (told, summary) = decoded(&damaged).expect("sound");
    are_true(&told, &recorded);
    assert_eq!(told.len() as u64 + lost(&summary.oddities), 1000);
}

#[test]
fn a_loss_whose_frame_was_lost_is_counted_by_the_next_header() {
    let recorded = accesses(100);
    let mut encoder = Encoder::new(HZ, 32);
    let mut cut = (0, 0);
    for (at, &access) in recorded.iter().enumerate() {
        if at == 30 {
            cut.0 = encoder.bytes.len();
            encoder.lost(1000);
            cut.1 = encoder.bytes.len();
        }
        encoder.access(access);
    }
    let mut stream = encoder.bytes;
    stream.drain(cut.0..cut.1);
    let (told, summary) = decoded(&stream).expect("sound");
    assert_eq!(told.len(), 100);
    assert_eq!(lost(&summary.oddities), 1001);
}

#[test]
fn a_recorder_that_starts_again_is_told() {
    let recorded = accesses(10);
    let stream = encoded(&recorded);
    let (told, summary) = decoded(&[&stream[..], &stream[..]].concat()).expect("sound");
    assert_eq!(told.len(), 20);
    assert_eq!(summary.oddities, [Oddity::Restarted { line: 11, count: 1 }]);
    assert_eq!(told[0].end, told[10].end);
}

#[test]
fn a_capture_without_a_header_is_refused() {
    let stream = encoded(&accesses(10));
    let behind = 2 + stream[1..]
        .iter()
        .position(|&byte| byte == 0)
        .expect("a frame");
    let error = decoded(&stream[behind..])
        .expect_err("no header")
        .to_string();
    assert!(error.contains("no header in 10 records"), "{error}");
    assert!(error.contains("wlr_announce"), "{error}");
    for nothing in [&b""[..], b"no capture at all\n", &[0; 1000], &[0xFF; 1000]] {
        assert!(matches!(decoded(nothing), Err(TraceError::Unknown { .. })));
    }
}

#[test]
fn a_header_of_another_version_is_refused() {
    let error = decoded(&framed(b"WLR1\x02whatever it says")).expect_err("another version");
    assert!(error.to_string().contains("version 2"), "{error}");
}

#[test]
fn a_header_alone_has_no_access() {
    assert!(matches!(
        decoded(&Encoder::new(HZ, 32).bytes),
        Err(TraceError::Empty)
    ));
}

#[test]
fn an_access_of_213_days_is_refused_and_nothing_comes_after_it() {
    let mut encoder = Encoder::new(1, 64);
    for end in [100, 100 + (1 << 40), (1 << 40) + 200] {
        let duration = end - 100;
        encoder.access(Access {
            is_write: false,
            end,
            duration,
            bytes: 1,
            offset: None,
        });
    }
    let told: Vec<_> = AccessStream::new(RecorderReader::new(&encoder.bytes[..])).collect();
    assert_eq!(told.len(), 2);
    assert!(
        matches!(told[1], Err(TraceError::Malformed { line: 2, .. })),
        "{told:?}"
    );
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(
        hz in 1_000_000_u32..,
        bits in 8_u8..=64,
        parts in prop::collection::vec((0_u64..1 << 40, 0_u64..1 << 40, any::<bool>(), any::<u64>(),
            prop::option::of(any::<u64>())), 1..300),
        chunk in 1_usize..50,
    ) {
        let mut encoder = Encoder::new(hz, bits);
        let mut expected = Vec::new();
        let mut end = 0;
        for (at, (apart, duration, is_write, bytes, offset)) in (1..).zip(parts) {
            end += apart;
            let access = Access { is_write, end, duration, bytes, offset };
            encoder.access(access);
            expected.push(logged(access, at, hz));
        }
        // However little the source gives at a time.
        let reader = std::io::BufReader::with_capacity(chunk, &encoder.bytes[..]);
        let told: Vec<_> = AccessStream::new(RecorderReader::new(reader))
            .map(|access| access.expect("sound"))
            .collect();
        prop_assert_eq!(told, expected);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        let _ = decoded(&bytes);
    }
}
