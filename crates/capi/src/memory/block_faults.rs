//! What goes wrong on purpose: faults of blocks of flash, and of ranges of memories that are overwritten.
//!
//! A place may have several faults. Each counts the operations of its kind by itself, so that one can let the third
//! program be lost while another one lets every erase fail.

use std::collections::{BTreeMap, BTreeSet};

use wordline_core::draw::{Purpose, draw};

use super::abi::Fault;
use super::fault::{FaultReason, MemoryFault};

/// How a block goes bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InjectedFault {
    ProgramError,
    EraseError,
    ReadError,
    ProgramNoop,
    EraseNoop,
    /// As `EraseNoop`, and programs do nothing either, until an erase really erases.
    EraseStale,
}

/// What a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Struck {
    Read,
    Program,
    Erase,
}

impl InjectedFault {
    pub(super) const ALL: [Self; 6] = [
        Self::ProgramError,
        Self::EraseError,
        Self::ReadError,
        Self::ProgramNoop,
        Self::EraseNoop,
        Self::EraseStale,
    ];

    /// By the header's number; none for a good block.
    pub(super) fn of(number: u64) -> Result<Option<Self>, MemoryFault> {
        let Some(index) = number.checked_sub(1) else {
            return Ok(None);
        };
        let known = usize::try_from(index)
            .ok()
            .and_then(|index| Self::ALL.get(index));
        Ok(Some(*known.ok_or(FaultReason::Value {
            what: "fault",
            found: number,
            allowed: "WL_MEMORY_GOOD to WL_MEMORY_ERASE_STALE, 0 to 6",
        })?))
    }

    /// The header's number.
    pub(super) const fn number(self) -> u32 {
        self as u32 + 1
    }

    pub(super) const fn strikes(self) -> Struck {
        match self {
            Self::ReadError => Struck::Read,
            Self::ProgramError | Self::ProgramNoop => Struck::Program,
            Self::EraseError | Self::EraseNoop | Self::EraseStale => Struck::Erase,
        }
    }

    /// Whether the operation is reported as failed: that goes before all that is hidden.
    const fn is_reported(self) -> bool {
        matches!(
            self,
            Self::ProgramError | Self::EraseError | Self::ReadError
        )
    }

    /// Which of two faults of one operation shows.
    fn worse(self, other: Self) -> Self {
        let rank = |fault: Self| (fault.is_reported(), fault == Self::EraseStale);
        if rank(other) > rank(self) {
            other
        } else {
            self
        }
    }
}

/// One fault, and how often it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FaultRule {
    pub(super) kind: InjectedFault,
    /// Operations that go well first.
    pub(super) after: u64,
    /// Operations that fail then; 0 for all.
    pub(super) times: u64,
    /// The chance of each is 1 in so many.
    pub(super) one_in: u64,
    pub(super) seed: u64,
    /// Operations of its kind so far.
    pub(super) seen: u64,
    /// Those that failed.
    pub(super) struck: u64,
}

impl FaultRule {
    /// A fault that strikes always.
    pub(super) const fn always(kind: InjectedFault) -> Self {
        Self {
            kind,
            after: 0,
            times: 0,
            one_in: 1,
            seed: 0,
            seen: 0,
            struck: 0,
        }
    }

    /// A fault as C asks for it.
    pub(super) fn of(fault: &Fault) -> Result<Self, MemoryFault> {
        let kind = InjectedFault::of(fault.kind).ok().flatten();
        let kind = kind.ok_or(FaultReason::Value {
            what: "fault.kind",
            found: fault.kind,
            allowed: "WL_MEMORY_PROGRAM_ERROR to WL_MEMORY_ERASE_STALE, 1 to 6; wl_memory_clear_faults mends",
        })?;
        if fault.bytes == 0 {
            return Err(FaultReason::Value {
                what: "fault.bytes",
                found: 0,
                allowed: "1 or more: a fault of no bytes would strike nothing",
            }
            .into());
        }
        Ok(Self {
            after: fault.after,
            times: fault.times,
            one_in: fault.one_in.max(1),
            seed: fault.seed,
            ..Self::always(kind)
        })
    }

    /// The same for one of several blocks: chance strikes each of them by itself.
    pub(super) fn of_block(&self, block: u32) -> Self {
        match self.one_in > 1 {
            true => Self {
                seed: self.seed.wrapping_add(u64::from(block)),
                ..*self
            },
            false => *self,
        }
    }

    /// Whether it is one that the first version of images has a place for.
    pub(super) fn is_plain(&self) -> bool {
        let fresh = Self::always(self.kind);
        let unlike = Self {
            seen: 0,
            struck: 0,
            ..*self
        };
        unlike == fresh && self.kind != InjectedFault::EraseStale
    }

    /// Whether it can strike yet.
    const fn is_spent(&self) -> bool {
        self.times > 0 && self.struck >= self.times
    }

    /// Lets an operation of its kind come; whether the fault strikes it.
    fn strike(&mut self) -> bool {
        let index = self.seen;
        self.seen = self.seen.saturating_add(1);
        let strikes = index >= self.after
            && !self.is_spent()
            && (self.one_in <= 1
                || draw(
                    self.seed,
                    index,
                    u64::from(self.kind.number()),
                    Purpose::InjectedFault,
                )
                .is_multiple_of(self.one_in));
        self.struck = self.struck.saturating_add(u64::from(strikes));
        strikes
    }
}

/// The faults of a memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FaultSet {
    /// Of flash, by block.
    blocks: BTreeMap<u32, Vec<FaultRule>>,
    /// Of other memories: first byte, byte behind the last, fault.
    ranges: Vec<(u64, u64, FaultRule)>,
    /// Blocks whose erase did nothing under [`InjectedFault::EraseStale`]: their programs do nothing either.
    stale: BTreeSet<u32>,
    /// Faults of blocks that strike reads: most memories have none, and a read then looks no further.
    of_reads: usize,
}

impl FaultSet {
    /// Whether nothing goes wrong anywhere.
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.ranges.is_empty() && self.stale.is_empty()
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds a fault to a block of flash.
    pub(super) fn add_to_block(&mut self, block: u32, rule: FaultRule) {
        self.of_reads += usize::from(rule.kind.strikes() == Struck::Read);
        self.blocks.entry(block).or_default().push(rule);
    }

    /// Adds a fault to a range of another memory.
    pub(super) fn add_to_range(&mut self, at: u64, end: u64, rule: FaultRule) {
        self.ranges.push((at, end, rule));
    }

    /// Takes all faults from a block.
    pub(super) fn mend_block(&mut self, block: u32) {
        let mended = self.blocks.remove(&block).unwrap_or_default();
        let of_reads = |rule: &&FaultRule| rule.kind.strikes() == Struck::Read;
        self.of_reads -= mended.iter().filter(of_reads).count();
    }

    /// Takes all faults from what touches a range.
    pub(super) fn mend_range(&mut self, at: u64, end: u64) {
        self.ranges
            .retain(|(start, stop, _)| *start >= end || *stop <= at);
    }

    /// The faults of each block, ascending.
    pub(super) fn of_blocks(&self) -> impl Iterator<Item = (u32, &[FaultRule])> {
        self.blocks
            .iter()
            .map(|(block, rules)| (*block, rules.as_slice()))
    }

    /// The faults of one block.
    pub(super) fn of_block(&self, block: u32) -> &[FaultRule] {
        self.blocks.get(&block).map_or(&[], Vec::as_slice)
    }

    /// The faults of ranges.
    pub(super) fn of_ranges(&self) -> &[(u64, u64, FaultRule)] {
        &self.ranges
    }

    /// Blocks whose programs do nothing.
    pub(super) const fn stale(&self) -> &BTreeSet<u32> {
        &self.stale
    }

    pub(super) fn set_stale(&mut self, block: u32, stale: bool) {
        if stale {
            self.stale.insert(block);
        } else {
            self.stale.remove(&block);
        }
    }

    /// Whether an operation on a block may come to nothing.
    #[inline]
    pub(super) fn threatens(&self, block: u32, struck: Struck) -> bool {
        let rules = self.of_block(block);
        rules.iter().any(|rule| rule.kind.strikes() == struck)
            || struck == Struck::Program && self.stale.contains(&block)
    }

    /// Whether no block of flash has a fault that strikes reads.
    #[inline(always)]
    pub(super) const fn spares_reads(&self) -> bool {
        self.of_reads == 0
    }

    /// Whether some block of several has a fault.
    #[inline]
    pub(super) fn touches(&self, blocks: std::ops::RangeInclusive<u32>) -> bool {
        self.blocks.range(blocks.clone()).next().is_some()
            || !self.stale.is_empty() && self.stale.range(blocks).next().is_some()
    }

    /// Whether an operation on a range of another memory may come to nothing.
    #[inline]
    pub(super) fn threatens_range(&self, at: u64, bytes: u64, struck: Struck) -> bool {
        self.ranges.iter().any(|(start, end, rule)| {
            rule.kind.strikes() == struck && *start < at + bytes && at < *end
        })
    }

    /// Lets an operation on a block come; what strikes it.
    pub(super) fn strike_block(&mut self, block: u32, struck: Struck) -> Option<InjectedFault> {
        let rules = self.blocks.get_mut(&block).into_iter().flatten();
        let found = struck_by(rules, struck);
        match struck {
            Struck::Program if self.stale.contains(&block) => {
                Some(found.map_or(InjectedFault::ProgramNoop, |found| {
                    found.worse(InjectedFault::ProgramNoop)
                }))
            }
            _ => found,
        }
    }

    /// Whether a fault let an operation on a block come to nothing, which was done since `before`.
    pub(super) fn struck_since(&self, before: &Self, block: u32, struck: Struck) -> bool {
        let mut rules = before.of_block(block).iter().zip(self.of_block(block));
        rules.any(|(was, is)| is.kind.strikes() == struck && is.struck != was.struck)
            || struck == Struck::Program && before.stale.contains(&block)
    }

    /// Lets an operation on a range of another memory come; what strikes it.
    pub(super) fn strike_range(
        &mut self,
        at: u64,
        bytes: u64,
        struck: Struck,
    ) -> Option<InjectedFault> {
        let touches =
            |(start, end, _): &&mut (u64, u64, FaultRule)| *start < at + bytes && at < *end;
        let rules = self.ranges.iter_mut().filter(touches);
        struck_by(rules.map(|(_, _, rule)| rule), struck)
    }
}

fn struck_by<'a>(
    rules: impl Iterator<Item = &'a mut FaultRule>,
    struck: Struck,
) -> Option<InjectedFault> {
    let rules = rules.filter(|rule| rule.kind.strikes() == struck);
    // Each is asked, whichever shows: they count by themselves.
    rules
        .filter_map(|rule| rule.strike().then_some(rule.kind))
        .reduce(InjectedFault::worse)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(kind: InjectedFault, after: u64, times: u64) -> FaultRule {
        FaultRule {
            after,
            times,
            ..FaultRule::always(kind)
        }
    }

    #[test]
    fn faults_of_a_block_count_by_themselves() {
        let mut faults = FaultSet::default();
        faults.add_to_block(3, rule(InjectedFault::ProgramNoop, 0, 0));
        faults.add_to_block(3, rule(InjectedFault::ProgramError, 1, 2));
        faults.add_to_block(3, rule(InjectedFault::EraseError, 1, 0));
        let programs: Vec<_> = (0..5)
            .map(|_| faults.strike_block(3, Struck::Program))
            .collect();
        let (noop, error) = (
            Some(InjectedFault::ProgramNoop),
            Some(InjectedFault::ProgramError),
        );
        assert_eq!(programs, [noop, error, error, noop, noop]);
        assert_eq!(faults.strike_block(3, Struck::Erase), None);
        assert_eq!(
            faults.strike_block(3, Struck::Erase),
            Some(InjectedFault::EraseError)
        );
        assert_eq!(faults.strike_block(3, Struck::Read), None);
        assert_eq!(faults.strike_block(4, Struck::Program), None);
        faults.mend_block(3);
        assert!(faults.is_empty());
    }

    #[test]
    fn reads_are_spared_until_a_fault_strikes_them() {
        let mut faults = FaultSet::default();
        faults.add_to_block(3, rule(InjectedFault::ProgramError, 0, 0));
        assert!(faults.spares_reads());
        for block in [3, 4] {
            faults.add_to_block(block, rule(InjectedFault::ReadError, 0, 0));
        }
        faults.mend_block(3);
        assert!(!faults.spares_reads());
        faults.mend_block(5);
        faults.mend_block(4);
        assert!(faults.spares_reads() && faults.is_empty());
    }

    #[test]
    fn a_chance_is_drawn_from_the_seed() {
        let drawn = |seed| {
            let mut faults = FaultSet::default();
            faults.add_to_block(
                0,
                FaultRule {
                    one_in: 4,
                    seed,
                    ..FaultRule::always(InjectedFault::ReadError)
                },
            );
            let strikes = (0..4000).map(|_| faults.strike_block(0, Struck::Read).is_some());
            strikes.collect::<Vec<_>>()
        };
        let count = drawn(1).iter().filter(|struck| **struck).count();
        assert!((900..1100).contains(&count), "{count} of 4000");
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }

    /// A chip of the same seed draws failures of its own: which ones faults strike has nothing to do with them.
    #[test]
    fn a_chance_is_drawn_for_faults_alone() {
        let kind = InjectedFault::ProgramError;
        let mut fault = FaultRule {
            one_in: 4,
            seed: 1,
            ..FaultRule::always(kind)
        };
        let struck: Vec<_> = (0..64).map(|_| fault.strike()).collect();
        let drawn = |purpose| -> Vec<bool> {
            let kind = u64::from(kind.number());
            let all = (0..64).map(|index| draw(1, index, kind, purpose).is_multiple_of(4));
            all.collect()
        };
        assert_eq!(struck, drawn(Purpose::InjectedFault));
        for purpose in [
            Purpose::ProgramFailure,
            Purpose::EraseFailure,
            Purpose::Tear,
        ] {
            assert_ne!(struck, drawn(purpose), "{purpose:?}");
        }
    }

    #[test]
    fn ranges_are_struck_where_they_are_touched() {
        let mut faults = FaultSet::default();
        faults.add_to_range(100, 200, rule(InjectedFault::ReadError, 0, 0));
        for (at, bytes, struck) in [
            (0, 100, false),
            (0, 101, true),
            (199, 1, true),
            (200, 9, false),
        ] {
            let found = faults.strike_range(at, bytes, Struck::Read);
            assert_eq!(found.is_some(), struck, "{bytes} bytes at {at}");
        }
        assert_eq!(faults.strike_range(150, 1, Struck::Program), None);
        faults.mend_range(199, 300);
        assert!(faults.is_empty());
    }
}
