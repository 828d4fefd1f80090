//! Mixes of operations: YCSB's core workloads, and two pools of a production cache.

use wordline_core::KvWork;
use wordline_core::draw::{Purpose, draw, unit_interval};

use super::zipf::{Zipfian, fnv};

/// What a mix does next, with a record by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Read(u64),
    Update(u64),
    /// A record that is new.
    Insert,
    ReadModifyWrite(u64),
}

/// The shares of a mix.
struct Shares {
    read: f64,
    /// What the others do.
    other: Other,
    /// Whether the newest records are the popular ones.
    latest: bool,
}

#[derive(Clone, Copy)]
enum Other {
    Update,
    Insert,
    ReadModifyWrite,
}

/// The operations of a mix, one after the other.
pub(super) struct Mix {
    shares: Shares,
    zipfian: Zipfian,
    seed: u64,
}

/// The shares of a mix; `None` for the sweep, which is none, and for scans, which a hash table cannot do.
///
/// YCSB A to F: the workload files of the reference implementation. ETC: 30 gets for each set, and USR: 0.2 % sets (Atikoglu
/// et al., "Workload analysis of a large-scale key-value store", SIGMETRICS 2012, sections 3.1 and 6). Which records these
/// two ask for is taken to be zipfian as in YCSB: an assumption.
fn shares(work: KvWork) -> Option<Shares> {
    let (read, other, latest) = match work {
        KvWork::Sweep | KvWork::YcsbE => return None,
        KvWork::YcsbA => (0.5, Other::Update, false),
        KvWork::YcsbB => (0.95, Other::Update, false),
        KvWork::YcsbC => (1.0, Other::Update, false),
        KvWork::YcsbD => (0.95, Other::Insert, true),
        KvWork::YcsbF => (0.5, Other::ReadModifyWrite, false),
        KvWork::Etc => (30.0 / 31.0, Other::Update, false),
        KvWork::Usr => (0.998, Other::Update, false),
    };
    Some(Shares {
        read,
        other,
        latest,
    })
}

impl Mix {
    /// A mix over so many records; `None` for what is no mix of single records.
    pub(super) fn new(work: KvWork, records: u64, seed: u64) -> Option<Self> {
        let shares = shares(work)?;
        let zipfian = if shares.latest {
            Zipfian::of(records)
        } else {
            Zipfian::scrambled()
        };
        Some(Self {
            shares,
            zipfian,
            seed,
        })
    }

    /// The operation of a number, where there are so many records.
    pub(super) fn step(&self, number: u64, records: u64) -> Step {
        let uniform = |purpose| unit_interval(draw(self.seed, 0, number, purpose));
        let rank = self.zipfian.rank(uniform(Purpose::Address));
        let record = if self.shares.latest {
            records - 1 - rank.min(records - 1)
        } else {
            fnv(rank) % records
        };
        if uniform(Purpose::Mix) < self.shares.read {
            return Step::Read(record);
        }
        match self.shares.other {
            Other::Update => Step::Update(record),
            Other::Insert => Step::Insert,
            Other::ReadModifyWrite => Step::ReadModifyWrite(record),
        }
    }

    /// Takes notice of a new record.
    pub(super) fn grow(&mut self) {
        if self.shares.latest {
            self.zipfian = self.zipfian.grown();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(work: KvWork) -> (u64, u64, u64, u64) {
        let mix = Mix::new(work, 500, 1).expect("a mix");
        let (mut read, mut update, mut insert, mut modify) = (0, 0, 0, 0);
        for number in 0..20_000 {
            match mix.step(number, 500) {
                Step::Read(record) => {
                    assert!(record < 500);
                    read += 1;
                }
                Step::Update(_) => update += 1,
                Step::Insert => insert += 1,
                Step::ReadModifyWrite(_) => modify += 1,
            }
        }
        (read, update, insert, modify)
    }

    #[test]
    fn shares_are_those_of_the_workload_files() {
        let near = |found: u64, share: f64| (found as f64 - share * 20_000.0).abs() < 400.0;
        let (read, update, insert, modify) = counted(KvWork::YcsbA);
        assert!(near(read, 0.5) && near(update, 0.5) && insert == 0 && modify == 0);
        let (read, update, ..) = counted(KvWork::YcsbB);
        assert!(near(read, 0.95) && near(update, 0.05));
        assert_eq!(counted(KvWork::YcsbC), (20_000, 0, 0, 0));
        let (read, _, insert, _) = counted(KvWork::YcsbD);
        assert!(near(read, 0.95) && near(insert, 0.05));
        let (read, _, _, modify) = counted(KvWork::YcsbF);
        assert!(near(read, 0.5) && near(modify, 0.5));
        let (_, update, ..) = counted(KvWork::Usr);
        assert!((20..=60).contains(&update), "{update}");
        assert!(Mix::new(KvWork::YcsbE, 5, 0).is_none());
    }

    #[test]
    fn the_newest_records_are_the_popular_ones_of_d_alone() {
        let newest = |work| {
            let mix = Mix::new(work, 500, 1).expect("a mix");
            let steps = (0..5000).map(|number| mix.step(number, 500));
            steps.filter(|step| *step == Step::Read(499)).count()
        };
        // 1/ζ(500, 0.99) of the reads.
        assert!(newest(KvWork::YcsbD) > 500, "{}", newest(KvWork::YcsbD));
        assert!(newest(KvWork::YcsbC) < 300, "{}", newest(KvWork::YcsbC));
    }
}
