//! Mixes of operations: YCSB's core workloads, and pools of production stores.

use wordline_core::KvWork;
use wordline_core::draw::{Purpose, draw, unit_interval};

use super::pools::pool;
use super::ranges::KeyRanges;
use super::zipf::{Zipfian, fnv};

/// What a mix does next, with a record by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MixStep {
    Read(u64),
    Update(u64),
    /// A record that is new.
    Insert,
    ReadModifyWrite(u64),
}

/// What operations other than reads do.
#[derive(Clone, Copy, Debug)]
pub(super) enum Other {
    Update,
    Insert,
    ReadModifyWrite,
}

/// Which records are asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Popularity {
    /// Zipfian, scattered over all records.
    Scrambled(Zipfian),
    /// Zipfian, the newest records first.
    Latest(Zipfian),
    /// By ranges of keys.
    Ranges(KeyRanges),
}

impl Popularity {
    /// That of most of YCSB.
    pub(super) fn scrambled() -> Self {
        Self::Scrambled(Zipfian::scrambled())
    }

    /// The record that two uniform numbers from 0 to 1 stand for, where there are so many.
    fn record(&self, one: f64, other: f64, records: u64) -> u64 {
        match self {
            Self::Scrambled(zipfian) => fnv(zipfian.rank(one)) % records,
            Self::Latest(zipfian) => records - 1 - zipfian.rank(one).min(records - 1),
            Self::Ranges(ranges) => ranges.record(one, other, records),
        }
    }
}

/// The operations of a mix, one after the other.
pub(super) struct OperationMix {
    /// Share of the operations that read.
    read: f64,
    other: Other,
    popularity: Popularity,
    seed: u64,
}

impl OperationMix {
    /// A mix over a number of records; `None` for the sweep, which is not a mix, and for scans, which a hash table cannot do. The
    /// shares of YCSB A to F are those of the workload files of the reference implementation.
    pub(super) fn new(work: KvWork, records: u64, seed: u64) -> Option<Self> {
        if let Some(pool) = pool(work) {
            return Some(Self {
                read: pool.read,
                other: pool.other,
                popularity: (pool.popularity)(),
                seed,
            });
        }
        let (read, other) = match work {
            KvWork::YcsbA => (0.5, Other::Update),
            KvWork::YcsbB => (0.95, Other::Update),
            KvWork::YcsbC => (1.0, Other::Update),
            KvWork::YcsbD => (0.95, Other::Insert),
            KvWork::YcsbF => (0.5, Other::ReadModifyWrite),
            _ => return None,
        };
        let popularity = match work {
            KvWork::YcsbD => Popularity::Latest(Zipfian::of(records)),
            _ => Popularity::scrambled(),
        };
        Some(Self {
            read,
            other,
            popularity,
            seed,
        })
    }

    /// The operation of a number, where there are so many records.
    pub(super) fn step(&self, number: u64, records: u64) -> MixStep {
        let uniform = |place, purpose| unit_interval(draw(self.seed, place, number, purpose));
        let of_key = uniform(0, Purpose::Address);
        let record = self
            .popularity
            .record(of_key, uniform(1, Purpose::Address), records);
        if uniform(0, Purpose::Mix) < self.read {
            return MixStep::Read(record);
        }
        match self.other {
            Other::Update => MixStep::Update(record),
            Other::Insert => MixStep::Insert,
            Other::ReadModifyWrite => MixStep::ReadModifyWrite(record),
        }
    }

    /// Counts a new record.
    pub(super) fn grow(&mut self) {
        if let Popularity::Latest(zipfian) = &mut self.popularity {
            *zipfian = zipfian.grown();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(work: KvWork) -> (u64, u64, u64, u64) {
        let mix = OperationMix::new(work, 500, 1).expect("a mix");
        let (mut read, mut update, mut insert, mut modify) = (0, 0, 0, 0);
        for number in 0..20_000 {
            match mix.step(number, 500) {
                MixStep::Read(record) => {
                    assert!(record < 500);
                    read += 1;
                }
                MixStep::Update(_) => update += 1,
                MixStep::Insert => insert += 1,
                MixStep::ReadModifyWrite(_) => modify += 1,
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
        assert!(OperationMix::new(KvWork::Sweep, 5, 0).is_none());
        assert!(OperationMix::new(KvWork::YcsbE, 5, 0).is_none());
    }

    /// 20,000 operations: 0.2 % sets of USR; 20 of 95 of UDB and 13 of 91 of ZippyDB, where scans and deletes are left out;
    /// 92.53 of 99.99 merges of UP2X.
    #[test]
    fn shares_of_the_pools_are_those_of_their_traces() {
        for (work, updates, merges) in [
            (KvWork::Usr, 20..=60, 0..=0),
            (KvWork::Udb, 4000..=4420, 0..=0),
            (KvWork::ZippyDb, 2680..=3040, 0..=0),
            (KvWork::Up2x, 0..=0, 18_350..=18_660),
        ] {
            let (read, update, insert, merge) = counted(work);
            assert!(updates.contains(&update), "{work:?}: {update}");
            assert!(merges.contains(&merge), "{work:?}: {merge}");
            assert_eq!((insert, read + update + merge), (0, 20_000));
        }
    }

    #[test]
    fn the_newest_records_are_the_popular_ones_of_d_alone() {
        let newest = |work| {
            let mix = OperationMix::new(work, 500, 1).expect("a mix");
            let steps = (0..5000).map(|number| mix.step(number, 500));
            steps.filter(|step| *step == MixStep::Read(499)).count()
        };
        // 1/ζ(500, 0.99) of the reads.
        assert!(newest(KvWork::YcsbD) > 500, "{}", newest(KvWork::YcsbD));
        assert!(newest(KvWork::YcsbC) < 300, "{}", newest(KvWork::YcsbC));
    }
}
