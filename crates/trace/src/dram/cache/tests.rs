//! The filter against a plain reference, and what a hand can follow.

use proptest::prelude::*;
use wordline_core::Operation::{self, Read, Write};

use super::*;

/// A cache as one writes it first: lines with the moment of their last use, searched from end to end.
struct PlainCache {
    sets: u64,
    ways: usize,
    /// Line, moment of the last use, whether it was written.
    held: Vec<(u64, u64, bool)>,
    accesses: u64,
    misses: u64,
}

struct PlainCaches {
    levels: Vec<PlainCache>,
    line_bytes: u64,
    moment: u64,
    sent: Vec<(Operation, u64)>,
}

impl PlainCaches {
    fn new(caches: &CoreCaches) -> Self {
        let levels = caches.levels.iter().flatten();
        let level = |level: &CacheLevel| PlainCache {
            sets: level.bytes / caches.line_bytes / u64::from(level.ways),
            ways: level.ways as usize,
            held: Vec::new(),
            accesses: 0,
            misses: 0,
        };
        Self {
            levels: levels.map(level).collect(),
            line_bytes: caches.line_bytes,
            moment: 0,
            sent: Vec::new(),
        }
    }

    fn has(&self, level: usize, line: u64) -> bool {
        self.levels[level].held.iter().any(|held| held.0 == line)
    }

    fn use_line(&mut self, level: usize, line: u64, is_written: bool) {
        self.moment += 1;
        for held in &mut self.levels[level].held {
            if held.0 == line {
                held.1 = self.moment;
                held.2 |= is_written;
            }
        }
    }

    /// A load or a store of one line.
    fn access(&mut self, operation: Operation, line: u64) {
        if self.levels.is_empty() {
            return self.send(operation, line);
        }
        // The levels above the first that has it miss.
        let depth = self.levels.len();
        let found = (0..depth)
            .find(|level| self.has(*level, line))
            .unwrap_or(depth);
        for level in 0..depth.min(found + 1) {
            self.levels[level].accesses += 1;
            self.levels[level].misses += u64::from(level < found);
        }
        if found < depth {
            self.use_line(found, line, false);
        } else {
            self.send(Read, line);
        }
        for level in (0..found).rev() {
            self.put(level, line, false);
        }
        if operation == Write {
            self.use_line(0, line, true);
        }
    }

    fn put(&mut self, level: usize, line: u64, is_written: bool) {
        let cache = &self.levels[level];
        let set = line % cache.sets;
        let same_set: Vec<_> = cache
            .held
            .iter()
            .filter(|held| held.0 % cache.sets == set)
            .copied()
            .collect();
        let oldest = same_set.iter().min_by_key(|held| held.1).copied();
        let evicted = oldest.filter(|_| same_set.len() == cache.ways);
        self.moment += 1;
        let moment = self.moment;
        let held = &mut self.levels[level].held;
        held.retain(|held| Some(*held) != evicted);
        held.push((line, moment, is_written));
        if let Some((line, _, true)) = evicted {
            self.write(level + 1, line);
        }
    }

    fn write(&mut self, level: usize, line: u64) {
        if level == self.levels.len() {
            self.send(Write, line);
        } else if self.has(level, line) {
            self.use_line(level, line, true);
        } else {
            self.put(level, line, true);
        }
    }

    fn send(&mut self, operation: Operation, line: u64) {
        for part in 0..self.line_bytes / 64 {
            self.sent
                .push((operation, line * self.line_bytes + part * 64));
        }
    }
}

fn caches(levels: [Option<(u64, u32)>; 3], line_bytes: u64) -> CoreCaches {
    let level = |(sets, ways): (u64, u32)| CacheLevel {
        bytes: sets * u64::from(ways) * line_bytes,
        ways,
    };
    CoreCaches {
        levels: levels.map(|shape| shape.map(level)),
        line_bytes,
    }
}

fn drained(filter: &mut CacheFilter) -> Vec<(Operation, u64)> {
    std::iter::from_fn(|| filter.request()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn the_filter_is_the_plain_reference(
        shapes in prop::array::uniform3(proptest::option::weighted(0.8, (1u64..5, 1u32..4))),
        line in prop::sample::select(vec![64u64, 128]),
        // Loads, stores, and lines from above, of few lines.
        accesses in proptest::collection::vec((0u8..3, 0u64..40), 1..300),
    ) {
        let caches = caches(shapes, line);
        let mut filter = CacheFilter::new(&caches);
        let mut plain = PlainCaches::new(&caches);
        let mut sent = Vec::new();
        for (kind, at) in accesses {
            match kind {
                0 => {
                    filter.access(Read, at * line + 1, 8);
                    plain.access(Read, at);
                }
                1 => {
                    filter.access(Write, at * line, 4);
                    plain.access(Write, at);
                }
                _ => {
                    filter.write_back(at * line);
                    plain.write(0, at);
                }
            }
            sent.extend(drained(&mut filter));
            prop_assert_eq!(&sent, &plain.sent);
        }
        let counts = filter.counts();
        let found: Vec<_> = counts.levels.iter().flatten().map(|level| (level.accesses, level.misses)).collect();
        let expected: Vec<_> = plain.levels.iter().map(|level| (level.accesses, level.misses)).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn a_written_line_comes_back_when_its_place_is_needed() {
    // One level of one set of two lines.
    let mut filter = CacheFilter::new(&caches([Some((1, 2)), None, None], 64));
    filter.access(Write, 0, 8);
    filter.access(Read, 64, 8);
    filter.access(Read, 8, 8);
    // The line of 64 was used longest ago, and is clean.
    filter.access(Read, 128, 8);
    assert_eq!(drained(&mut filter), [(Read, 0), (Read, 64), (Read, 128)]);
    filter.access(Read, 192, 8);
    assert_eq!(drained(&mut filter), [(Read, 192), (Write, 0)]);
    let counts = filter.counts().levels[0].expect("it is there");
    assert_eq!((counts.accesses, counts.misses), (5, 4));
}

#[test]
fn an_access_across_lines_is_of_each() {
    let mut filter = CacheFilter::new(&caches([None; 3], 64));
    filter.access(Write, 60, 8);
    filter.access(Read, 64, 64);
    filter.access(Read, u64::MAX, 1);
    let last = u64::MAX - 63;
    assert_eq!(
        drained(&mut filter),
        [(Write, 0), (Write, 64), (Read, 64), (Read, last)]
    );
}

#[test]
fn misses_are_told_of_a_thousand_instructions() {
    let mut filter = CacheFilter::new(&caches([Some((4, 2)), None, Some((8, 2))], 64));
    assert_eq!(filter.counts().mpki(0), None);
    filter.instructions(4000);
    for line in 0..2 {
        filter.access(Read, line * 64, 8);
    }
    let counts = filter.counts();
    assert_eq!(
        [0, 1, 2, 3].map(|level| counts.mpki(level)),
        [Some(0.5), None, Some(0.5), None]
    );
}

#[test]
fn caches_are_as_usual_unless_they_are_said() {
    let usual = CacheChoices::default()
        .caches(DramFormat::Lackey)
        .expect("sound");
    assert_eq!(usual.levels, CacheLevel::USUAL.map(Some));
    assert_eq!(usual.line_bytes, 64);
    let filtered = CacheChoices::default()
        .caches(DramFormat::RamulatorCpu)
        .expect("sound");
    assert_eq!(filtered.levels, [None, None, Some(CacheLevel::USUAL[2])]);
    let said = CacheChoices {
        bytes: [Some(12 << 10), Some(0), None],
        ways: [None, Some(3), Some(8)],
        line_bytes: Some(128),
    };
    let found = said.caches(DramFormat::RamulatorCpu).expect("sound").levels;
    let level = |bytes, ways| Some(CacheLevel { bytes, ways });
    assert_eq!(found, [level(12 << 10, 12), None, level(4 << 20, 8)]);
}

#[test]
fn caches_that_cannot_be_are_refused_with_the_option() {
    let refused = |choices: CacheChoices, words: &[&str]| {
        let error = choices
            .caches(DramFormat::Lackey)
            .expect_err("refused")
            .to_string();
        for word in words {
            assert!(error.contains(word), "{word} is not in: {error}");
        }
    };
    let usual = CacheChoices::default();
    for line_bytes in [0, 32, 96, 8192, 1 << 63] {
        let line_bytes = Some(line_bytes);
        refused(
            CacheChoices {
                line_bytes,
                ..usual
            },
            &["--cache-line", "64 to 4096"],
        );
    }
    for ways in [0, 1025, u32::MAX] {
        let ways = [None, Some(ways), None];
        refused(
            CacheChoices { ways, ..usual },
            &["level 2", "1 to 1024", "--l2-ways"],
        );
    }
    for bytes in [1000, 1 << 31, u64::MAX] {
        let bytes = [None, None, Some(bytes)];
        refused(
            CacheChoices { bytes, ..usual },
            &["level 3", "multiples of 1024", "--l3"],
        );
    }
}
