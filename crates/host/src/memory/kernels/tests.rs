use std::ptr::NonNull;

use proptest::prelude::*;

use super::*;

/// A line of memory where lines begin.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct PlacedLine([u64; 8]);

/// What stands before and after each stream, and must be there afterwards.
const GUARD: u64 = 0xA5A5_5A5A_0FF0_F00F;

/// Random words; for a triad they are floats between 1 and 2, of which most products and sums must be rounded.
fn random(work: LineWork, seed: u64, lines: usize) -> Vec<u64> {
    let triad = matches!(work, LineWork::Triad | LineWork::TriadPast);
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let word = mixed ^ (mixed >> 31);
        match triad {
            true => (word >> 12) | 1.0f64.to_bits(),
            false => word,
        }
    };
    (0..lines * 8).map(|_| next()).collect()
}

/// A stream between two guards of four lines each.
fn guarded(words: &[u64]) -> Vec<PlacedLine> {
    let guard = [PlacedLine([GUARD; 8]); 4];
    let lines = words
        .chunks_exact(8)
        .map(|line| PlacedLine(line.try_into().expect("eight words")));
    guard.into_iter().chain(lines).chain(guard).collect()
}

fn bytes_of(lines: &mut [PlacedLine]) -> &mut [u8] {
    let inner = lines.len() - 4;
    let lines = &mut lines[4..inner];
    // SAFETY: lines are plain words without gaps, and are borrowed as long as their bytes.
    unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), size_of_val(lines)) }
}

/// What a pass leaves in the streams and returns, a word at a time, from what a mix is defined as.
fn expected(work: LineWork, streams: &[Vec<u64>]) -> (Vec<Vec<u64>>, u64) {
    let (mut after, mut sum) = (streams.to_vec(), 0u64);
    let last = streams.len() - 1;
    for at in 0..streams[0].len() {
        let read = match work {
            LineWork::Read | LineWork::Modify1 | LineWork::Modify2 | LineWork::Modify3 => streams,
            _ => &streams[..last],
        };
        let total = read
            .iter()
            .fold(0u64, |total, stream| total.wrapping_add(stream[at]));
        sum = sum.wrapping_add(total);
        let float = |stream: usize| f64::from_bits(streams[stream][at]);
        match work {
            LineWork::Read => {}
            LineWork::Copy | LineWork::CopyPast => after[last][at] = total,
            LineWork::Triad | LineWork::TriadPast => {
                let product = 3.0 * float(1);
                after[last][at] = (float(0) + product).to_bits();
            }
            _ => after[last][at] = total.wrapping_add(1),
        }
    }
    (after, sum)
}

const EVERY_WORK: [LineWork; 11] = [
    LineWork::Read,
    LineWork::Modify1,
    LineWork::Modify2,
    LineWork::Modify3,
    LineWork::Write1,
    LineWork::Write2,
    LineWork::Write3,
    LineWork::Copy,
    LineWork::CopyPast,
    LineWork::Triad,
    LineWork::TriadPast,
];

/// Runs `pass` over streams between guards, and compares all bytes and the sum.
fn compare(
    work: LineWork,
    seed: u64,
    lines: usize,
    case: &str,
    pass: impl FnOnce(&mut [&mut [u8]]) -> u64,
) {
    let words: Vec<_> = (0..work.streams())
        .map(|stream| random(work, seed ^ ((stream as u64 + 1) << 48), lines))
        .collect();
    let mut placed: Vec<_> = words.iter().map(|words| guarded(words)).collect();
    let mut streams: Vec<_> = placed.iter_mut().map(|lines| bytes_of(lines)).collect();
    let found = pass(&mut streams);
    let (after, sum) = expected(work, &words);
    assert_eq!(found, sum, "sum, {case}, {work:?}, {lines} lines");
    for (stream, (placed, after)) in placed.iter().zip(&after).enumerate() {
        let found: Vec<_> = placed.iter().flat_map(|line| line.0).collect();
        let after: Vec<_> = guarded(after).iter().flat_map(|line| line.0).collect();
        let place = found.iter().zip(&after).position(|(a, b)| a != b);
        assert_eq!(
            place, None,
            "word of stream {stream}, {case}, {work:?}, {lines} lines"
        );
    }
}

#[test]
fn every_set_reads_and_writes_what_the_definition_says() {
    for set in KernelSet::available() {
        for work in EVERY_WORK {
            for lines in (0..=20).chain([63, 64, 65, 2050]) {
                compare(work, 7, lines, set.name(), |streams| {
                    super::pass(set, work, streams, 0..lines * LINE)
                });
                super::fence();
            }
        }
    }
}

/// The sum alone: each line counts once, by the place that it has.
#[test]
fn each_line_counts_once() {
    for set in KernelSet::available() {
        for work in EVERY_WORK {
            for changed in 0..11 {
                let sum = |changed: Option<usize>| {
                    let mut placed: Vec<_> = (0..work.streams())
                        .map(|_| guarded(&[1.0f64.to_bits(); 11 * 8]))
                        .collect();
                    if let Some(line) = changed {
                        placed[0][4 + line].0[5] += 1 << line;
                    }
                    let mut streams: Vec<_> = placed.iter_mut().map(|at| bytes_of(at)).collect();
                    super::pass(set, work, &mut streams, 0..11 * LINE)
                };
                let difference = sum(Some(changed)).wrapping_sub(sum(None));
                assert_eq!(difference, 1 << changed, "{set}, {work:?}, line {changed}");
            }
        }
    }
}

/// Every kernel there can be on this machine.
fn kernels() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for set in KernelSet::available() {
        for mix in KernelMix::ALL {
            for stores in [KernelStores::Plain, KernelStores::NonTemporal] {
                match Kernel::new(set, mix, stores) {
                    Ok(kernel) => kernels.push(kernel),
                    Err(error) => {
                        assert_eq!(error, KernelError::NoStoresPastCaches { set });
                        assert_eq!(set, KernelSet::Portable);
                    }
                }
            }
        }
    }
    kernels
}

proptest! {
    #[test]
    fn a_pass_in_parts_is_a_pass(
        lines in 0usize..200, seed: u64,
        pause in proptest::option::of((0u64..5, 0u32..70)),
    ) {
        for kernel in kernels() {
            chain::WAITS.take();
            let pause = pause.map(|(cycles, lines)| LinePause { cycles, lines });
            let case = format!("{kernel:?}, {pause:?}");
            compare(kernel.work(), seed, lines, &case, |streams| kernel.run(streams, pause));
            let waits = match pause {
                Some(pause) => vec![pause.cycles; lines / pause.lines.max(1) as usize],
                None => Vec::new(),
            };
            prop_assert_eq!(chain::WAITS.take(), waits, "{}, {} lines", case, lines);
        }
    }
}

#[test]
fn bytes_are_those_of_the_table() {
    use KernelMix::{Copy, OneToOne, Reads, ThreeToOne, Triad, TwoToOne};
    use KernelStores::{NonTemporal, Plain};
    let table = [
        // Streams, lines that the program loads and stores, lines read and written over the bus.
        (Reads, Plain, 1, 1, 1, 0),
        (OneToOne, Plain, 1, 2, 1, 1),
        (TwoToOne, Plain, 2, 3, 2, 1),
        (ThreeToOne, Plain, 3, 4, 3, 1),
        (Copy, Plain, 2, 2, 2, 1),
        (Triad, Plain, 3, 3, 3, 1),
        (Reads, NonTemporal, 1, 1, 1, 0),
        (OneToOne, NonTemporal, 2, 2, 1, 1),
        (TwoToOne, NonTemporal, 3, 3, 2, 1),
        (ThreeToOne, NonTemporal, 4, 4, 3, 1),
        (Copy, NonTemporal, 2, 2, 1, 1),
        (Triad, NonTemporal, 3, 3, 2, 1),
    ];
    let kernels = kernels();
    for (mix, stores, streams, logical, read, written) in table {
        let these = kernels
            .iter()
            .filter(|kernel| (kernel.mix(), kernel.stores()) == (mix, stores));
        for kernel in these {
            let found = [
                kernel.streams() as u64,
                kernel.logical_bytes_per_step() / 64,
                kernel.bus_read_bytes_per_step() / 64,
                kernel.bus_written_bytes_per_step() / 64,
            ];
            assert_eq!(found, [streams, logical, read, written], "{kernel:?}");
        }
    }
}

#[test]
fn a_filled_stream_holds_normal_floats() {
    let kernel = Kernel::new(KernelSet::best(), KernelMix::Triad, KernelStores::Plain);
    let kernel = kernel.expect("every set has plain stores");
    let mut placed = vec![guarded(&[3; 5 * 8]); 3];
    let mut streams: Vec<_> = placed.iter_mut().map(|lines| bytes_of(lines)).collect();
    kernel.fill(&mut streams);
    kernel.run(&mut streams, None);
    let first = |lines: &[PlacedLine]| {
        lines[4..9]
            .iter()
            .flat_map(|line| line.0.map(f64::from_bits))
            .collect::<Vec<_>>()
    };
    assert_eq!(first(&placed[0]), [1.0; 40]);
    assert_eq!(first(&placed[1]), [2.0; 40]);
    assert_eq!(first(&placed[2]), [7.0; 40]);
}

#[test]
fn unfit_streams_are_errors() {
    let kernel = Kernel::new(KernelSet::best(), KernelMix::Copy, KernelStores::Plain);
    let kernel = kernel.expect("every set has plain stores");
    let mut placed = vec![guarded(&[0; 4 * 8]); 2];
    let [a, b] = &mut placed[..] else {
        panic!("two")
    };
    let (a, b) = (bytes_of(a), bytes_of(b));
    kernel.check(&[&mut *a, &mut *b]).expect("fit");
    let said = |streams: &[&mut [u8]]| kernel.check(streams).expect_err("unfit").to_string();
    assert_eq!(said(&[&mut *a]), "1 streams for a kernel that walks 2");
    assert_eq!(
        said(&[&mut *a, &mut b[..100]]),
        "stream 1 has 100 bytes, which is no multiple of a line of 64"
    );
    assert_eq!(
        said(&[&mut *a, &mut b[..128]]),
        "stream 1 has 128 bytes and stream 0 has 256; they must be equal"
    );
    let error = said(&[&mut a[8..72], &mut b[..64]]);
    assert!(error.starts_with("stream 0 is at address 0x"), "{error}");
    assert!(
        error.ends_with("8, which is no multiple of a line of 64 bytes"),
        "{error}"
    );
}

#[test]
fn names_lead_to_sets() {
    for set in KernelSet::ALL {
        assert_eq!(set.name().parse(), Ok(set));
    }
    let error = "sve"
        .parse::<KernelSet>()
        .expect_err("not built")
        .to_string();
    assert_eq!(
        error,
        "no kernel set is named 'sve'; there are portable, neon, sse2, avx2, avx512"
    );
    let foreign = match cfg!(target_arch = "aarch64") {
        true => KernelSet::Sse2,
        false => KernelSet::Neon,
    };
    let error = Kernel::new(foreign, KernelMix::Reads, KernelStores::Plain).expect_err("foreign");
    let error = error.to_string();
    assert!(
        error.starts_with(&format!(
            "this processor has no {foreign} instructions; it has portable"
        )),
        "{error}"
    );
    let expected = match KernelSet::available()[..] {
        [.., KernelSet::Avx2 | KernelSet::Avx512] => KernelSet::Avx2,
        [.., last] => last,
        [] => panic!("the portable set is always there"),
    };
    assert_eq!(KernelSet::best(), expected);
    let error = Kernel::new(
        KernelSet::Portable,
        KernelMix::Copy,
        KernelStores::NonTemporal,
    );
    let error = error.expect_err("plain Rust has none").to_string();
    assert!(
        error.starts_with("the portable kernels have no non-temporal stores"),
        "{error}"
    );
}

#[test]
fn a_chase_makes_every_load() {
    const LINKS: usize = 251;
    let mut links: Vec<ChainLink> = Vec::with_capacity(LINKS);
    let first = links.as_ptr();
    for at in 0..LINKS {
        // A step that shares no factor with the number of links reaches all of them.
        let next = first.wrapping_add((at + 97) % LINKS);
        links.push(ChainLink { next });
    }
    let start = NonNull::from(&links[0]);
    for loads in (0..70).chain([250, 251, 252, 5000]) {
        // SAFETY: the links are a cycle within the vector, which nothing writes to.
        let end = unsafe { chase(start, loads) };
        let expected = first.wrapping_add(loads as usize * 97 % LINKS);
        assert_eq!(end.as_ptr().cast_const(), expected, "{loads} loads");
    }
}
