//! The harness proves itself: a write-ahead log passes every image, and each of its barriers,
//! orders and checks, when removed, is caught.

use wordline_memory::{ByteMemory, RamMemory};

use super::{ByteTearing, ImageId, Mode, Recorder};

/// One part of the log that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mutant {
    None,
    NoPersistAfterRecord,
    NoPersistAfterApply,
    ApplyBeforeRecord,
    NoChecksum,
    ChecksumMissesLastWord,
    PromiseBeforePersist,
    NoRecovery,
    RecoveryWithoutPersist,
    /// Cells that share an error-correction word with cells that the record does not hold.
    SharedWord,
}

const CELLS: u64 = 6;
const RECORD: u64 = 0;
const WORDS: usize = 6;

/// Cells that change two at a time, by a log of one record: sequence number, two cells with their
/// values, checksum.
struct Log<M> {
    memory: M,
    mutant: Mutant,
}

type Found = Result<[u32; CELLS as usize], String>;

impl<M: ByteMemory<Error: std::fmt::Debug>> Log<M> {
    fn cell_at(&self, cell: u64) -> u64 {
        let pitch = if self.mutant == Mutant::SharedWord {
            4
        } else {
            8
        };
        64 + cell * pitch
    }

    fn store(&mut self, at: u64, data: &[u8]) {
        self.memory.write(at, data).expect("inside");
    }

    fn persist(&mut self, without: Mutant) {
        if self.mutant != without {
            self.memory.persist().expect("the memory works");
        }
    }

    fn checksum(&self, words: &[u64; WORDS]) -> u64 {
        let covered = match self.mutant {
            Mutant::NoChecksum => return 7,
            Mutant::ChecksumMissesLastWord => WORDS - 2,
            _ => WORDS - 1,
        };
        let mix = |sum: u64, word: &u64| {
            (sum ^ word)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29)
        };
        words[..covered].iter().fold(0xcbf2_9ce4_8422_2325, mix)
    }

    fn apply(&mut self, changes: [(u64, u32); 2]) {
        for (cell, value) in changes {
            self.store(self.cell_at(cell), &value.to_le_bytes());
        }
    }

    fn commit(&mut self, sequence: u64, changes: [(u64, u32); 2], promise: impl FnOnce(&M)) {
        let [(a, x), (b, y)] = changes;
        let mut words = [sequence, a, u64::from(x), b, u64::from(y), 0];
        words[WORDS - 1] = self.checksum(&words);
        if self.mutant == Mutant::ApplyBeforeRecord {
            self.apply(changes);
            self.persist(Mutant::None);
        }
        let record: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.store(RECORD, &record);
        if self.mutant == Mutant::PromiseBeforePersist {
            promise(&self.memory);
            self.persist(Mutant::None);
        } else {
            self.persist(Mutant::NoPersistAfterRecord);
            promise(&self.memory);
        }
        self.apply(changes);
        self.persist(Mutant::NoPersistAfterApply);
    }

    /// Does again what the record says, then clears it. Returns the cells.
    fn recover(&mut self) -> Found {
        let mut words = [0; WORDS];
        for (index, word) in words.iter_mut().enumerate() {
            let mut bytes = [0; 8];
            self.memory
                .read(RECORD + 8 * index as u64, &mut bytes)
                .expect("inside");
            *word = u64::from_le_bytes(bytes);
        }
        let [_, a, x, b, y, sum] = words;
        if sum == self.checksum(&words) && self.mutant != Mutant::NoRecovery {
            if a >= CELLS || b >= CELLS {
                return Err(format!("the record names cells {a} and {b}"));
            }
            self.apply([(a, x as u32), (b, y as u32)]);
            self.persist(Mutant::RecoveryWithoutPersist);
            self.store(RECORD, &[0; 8 * WORDS]);
            self.persist(Mutant::None);
        }
        let mut cells = [0; CELLS as usize];
        for (cell, found) in (0..).zip(&mut cells) {
            let mut bytes = [0; 4];
            self.memory
                .read(self.cell_at(cell), &mut bytes)
                .expect("inside");
            *found = u32::from_le_bytes(bytes);
        }
        Ok(cells)
    }
}

/// What the check of a log counted and found.
#[derive(Debug, Default)]
struct Verdict {
    images: usize,
    within_recovery: usize,
    failure: Option<(ImageId, Option<ImageId>)>,
}

/// Commits, then opens every image, and every image of a cut within the recovery of every one. The
/// cells must be those after the last promised commit, or after the one that had begun.
fn check(mutant: Mutant, tearing: ByteTearing, again: bool) -> Verdict {
    let memory = RamMemory::<128>::new();
    let recorder = Recorder::bytes(memory, tearing).expect("plain RAM");
    let mut log = Log {
        memory: recorder,
        mutant,
    };
    let mut state = [0u32; CELLS as usize];
    // After each commit: the cells, and the number of operations at its promise and its end.
    let mut history = vec![(state, 0)];
    for commit in 0..5u64 {
        let value = 0x0101_0101 * (commit as u32 + 1);
        let changes = [(commit % CELLS, value), ((3 * commit + 1) % CELLS, !value)];
        let mut promised = 0;
        log.commit(commit + 1, changes, |recorder| {
            promised = recorder.operations()
        });
        for (cell, value) in changes {
            state[cell as usize] = value;
        }
        history.push((state, promised));
    }
    let (_, recording) = log.memory.finish();
    let mut verdict = Verdict::default();
    for image in recording.images(Mode::Exhaustive, 9) {
        verdict.images += 1;
        let id = image.id();
        let kept = history.partition_point(|(_, promised)| *promised <= id.operation) - 1;
        let allowed = &history[kept..(kept + 2).min(history.len())];
        let fits = |found: &Found| {
            let cells = found.as_ref().ok();
            cells.is_some_and(|cells| allowed.iter().any(|(state, _)| state == cells))
        };
        let mut log = Log {
            memory: image.record(tearing),
            mutant,
        };
        let found = log.recover();
        if !fits(&found) {
            verdict.failure = Some((id, None));
            return verdict;
        }
        let (_, recovery) = log.memory.finish();
        let cuts = again.then(|| recovery.images(Mode::Exhaustive, 10));
        for image in cuts.into_iter().flatten() {
            verdict.within_recovery += 1;
            let second = image.id();
            if !fits(
                &Log {
                    memory: image,
                    mutant,
                }
                .recover(),
            ) {
                verdict.failure = Some((id, Some(second)));
                return verdict;
            }
        }
    }
    verdict
}

/// What the memory's contract allows with atoms of eight bytes, few enough pending stores for all
/// subsets; and a bus of 16 bits in front of error correction over 64.
fn classes() -> [ByteTearing; 2] {
    let words = ByteTearing {
        unit: Some(8),
        ..ByteTearing::contract()
    };
    [words, ByteTearing::bus(2).spoiling(8)]
}

#[test]
fn the_log_survives_every_image_and_every_cut_within_recovery() {
    for tearing in classes() {
        let verdict = check(Mutant::None, tearing, true);
        assert_eq!(verdict.failure, None, "{verdict:?}");
        assert!(verdict.images > 200, "{verdict:?}");
        assert!(verdict.within_recovery > 1000, "{verdict:?}");
    }
}

#[test]
fn every_mutant_is_caught() {
    use Mutant::*;
    let [contract, bus] = classes();
    for (mutant, tearing) in [
        (NoPersistAfterRecord, contract),
        (NoPersistAfterApply, contract),
        (ApplyBeforeRecord, contract),
        (ApplyBeforeRecord, bus),
        (NoChecksum, contract),
        (NoChecksum, bus),
        (ChecksumMissesLastWord, contract),
        (PromiseBeforePersist, contract),
        (NoRecovery, contract),
        (NoRecovery, bus),
        (SharedWord, bus),
    ] {
        let verdict = check(mutant, tearing, false);
        assert!(verdict.failure.is_some(), "{mutant:?} survives {tearing:?}");
    }
}

/// What only a cut within recovery shows.
#[test]
fn a_recovery_without_a_barrier_is_caught_by_a_second_cut_alone() {
    let [contract, _] = classes();
    let once = check(Mutant::RecoveryWithoutPersist, contract, false);
    assert_eq!(once.failure, None);
    let twice = check(Mutant::RecoveryWithoutPersist, contract, true);
    assert!(matches!(twice.failure, Some((_, Some(_)))), "{twice:?}");
}

/// A memory that stores in the order of its writes needs no barrier, and the check knows.
#[test]
fn what_a_device_makes_harmless_is_not_reported() {
    let [contract, bus] = classes();
    for mutant in [Mutant::NoPersistAfterRecord, Mutant::ChecksumMissesLastWord] {
        assert_eq!(check(mutant, bus, true).failure, None);
    }
    assert_eq!(
        check(
            Mutant::SharedWord,
            ByteTearing {
                unit: Some(4),
                ..contract
            },
            false
        )
        .failure,
        None
    );
}

/// A failure is found again by its id alone.
#[test]
fn a_failure_replays_from_its_id() {
    let [contract, _] = classes();
    let verdict = check(Mutant::NoChecksum, contract, false);
    let (id, _) = verdict.failure.expect("caught");
    let replayed: ImageId = id.to_string().parse().expect("an id");
    assert_eq!(replayed, id);
    let again = check(Mutant::NoChecksum, contract, false);
    assert_eq!(again.failure, Some((replayed, None)));
}
