//! What a pseudo-channel remembers: the earliest clocks of everything, in flat arrays.

use crate::config::{ChannelGeometry, Policy, Refresh};
use crate::engine::choose::CommandChoice;
use crate::engine::queue::{ListEnds, NONE, QueueEntry};
use crate::engine::stamp::Stamp;
use crate::request::Location;

/// The row of a bank that is closed.
pub(super) const CLOSED: u32 = u32::MAX;

/// Kinds of commands that have earliest clocks of their own in groups and ranks. The first two are the indices of the
/// kinds of requests.
pub(super) const ACT: usize = 2;
pub(super) const PRE: usize = 3;

/// Earliest clocks by kind of command.
pub(super) type Slots = [Stamp; 4];

/// Set in the order of candidates that open or close rows: they come after column commands.
pub(super) const ROW_COMMAND: u64 = 1 << 40;

/// Added to that of candidates that open or close rows for the other direction: they come after all others for requests.
pub(super) const AHEAD: u64 = 1 << 41;

/// Kinds of candidates, which are kept apart: those that move data, and those that open or close rows.
pub(super) const COLUMNS: usize = 0;
pub(super) const ROWS: usize = 1;

/// Where a candidate is: its kind and its number among those of the kind. That of a bank without one is in no list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CandidatePlace(u16);

impl CandidatePlace {
    pub(super) const NONE: Self = Self(NONE);
    const ROW: u16 = 1 << 15;

    #[inline]
    pub(super) const fn new(kind: usize, number: usize) -> Self {
        Self(number as u16 | (kind as u16) << 15)
    }

    /// As a word, and back.
    #[inline]
    pub(super) const fn word(self) -> u64 {
        self.0 as u64
    }

    #[inline]
    pub(super) const fn of_word(word: u64) -> Self {
        Self(word as u16)
    }

    #[inline]
    pub(super) const fn kind(self) -> usize {
        (self.0 >> 15) as usize
    }

    #[inline]
    pub(super) const fn number(self) -> usize {
        (self.0 & !Self::ROW) as usize
    }
}

/// The candidates of a pseudo-channel by kind, in no order: at most one for a bank.
#[derive(Clone, Debug)]
pub(super) struct Candidates(pub(super) [Vec<BankCandidate>; 2]);

impl Candidates {
    #[inline]
    pub(super) fn get(&self, place: CandidatePlace) -> Option<&BankCandidate> {
        self.0[place.kind()].get(place.number())
    }

    #[inline]
    pub(super) fn get_mut(&mut self, place: CandidatePlace) -> Option<&mut BankCandidate> {
        self.0[place.kind()].get_mut(place.number())
    }
}

/// What a bank would do for its requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct BankCandidate {
    /// When the bank by itself allows it.
    pub(super) bank_ok: Stamp,
    /// Class and age of the entry that it serves: lower goes first. The greatest there is where the bank is withheld or
    /// its rank powered down.
    pub(super) order: u64,
    pub(super) bank: u16,
    pub(super) entry: u16,
    pub(super) group: u16,
    pub(super) rank: u8,
    /// [`ACT`], [`PRE`], or the index of a kind for a column command.
    pub(super) slot: u8,
    /// A column command closes the row.
    pub(super) closes: bool,
}

impl BankCandidate {
    /// Whether it moves data.
    pub(super) fn is_column(&self) -> bool {
        usize::from(self.slot) < ACT
    }
}

/// A logical rank.
#[derive(Clone, Debug)]
pub(super) struct Rank {
    /// Refreshes that fell due less those that were done, and when the next one falls due. Where nothing is queued, one
    /// is done as long as more is owed than `ahead`.
    pub(super) owed: i64,
    pub(super) ahead: i64,
    pub(super) due: u64,
    /// Sets of banks that REFsb has refreshed in this round: a bit for each.
    pub(super) round: u64,
    /// The set that is next.
    pub(super) next: u8,
    /// Whether it is forced to refresh, so that what is next stays so.
    pub(super) forced: bool,
    /// Whether it must refresh or manage, whether it is the latter, and the set of banks that this takes.
    pub(super) must: bool,
    pub(super) manages: bool,
    pub(super) target: u8,
    /// Whether it is forced to that.
    pub(super) pressed: bool,
    /// Entries of either kind.
    pub(super) queued: u32,
    /// Banks that are open: a bit for each, group by group.
    pub(super) open_banks: u64,
    /// Sets of banks that requests may not use: a bit for each.
    pub(super) off: u64,
    /// Whether it is forced and REFsb or RFMsb is its candidate, which ACTs of any bank would put off.
    pub(super) awaits_same_bank: bool,
    /// When it was powered down, if it is.
    pub(super) powered_down: Option<u64>,
    pub(super) last_command: u64,
    /// Earliest REFab or REFsb, the same for REFsb alone, and earliest power-down entry.
    pub(super) ref_ok: u64,
    pub(super) refsb_ok: u64,
    pub(super) pde_ok: u64,
    /// When the last four ACTs cease to count for tFAW; the oldest is at `faw_next`.
    pub(super) faw: [u64; 4],
    pub(super) faw_next: u8,
}

/// A stack of logical ranks, at the place of its first one: the last four ACTs, as in [`Rank`].
#[derive(Clone, Debug, Default)]
pub(super) struct StackState {
    pub(super) faw: [u64; 4],
    pub(super) faw_next: u8,
}

/// For how long a bank was withheld from requests or refreshed. Where REFab refreshes, the banks of a rank have one in
/// common.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Withheld {
    /// The last stretch of such clocks; while the bank is withheld its end is the last clock of all.
    since: u64,
    until: u64,
    /// When its last refresh is over.
    refreshed: u64,
    /// Clocks in all before that stretch.
    total: u64,
}

impl Withheld {
    /// Clocks before a clock.
    #[inline]
    pub(super) fn before(&self, now: u64) -> u64 {
        self.total + now.min(self.until).saturating_sub(self.since)
    }

    /// A stretch begins, or goes on.
    fn begin(&mut self, from: u64) {
        if from > self.until {
            self.total += self.until - self.since;
            (self.since, self.until) = (from, from);
        }
    }

    /// Whether it is withheld from a clock on.
    pub(super) fn set(&mut self, withheld: bool, from: u64) {
        if withheld {
            self.hold(from);
        } else {
            self.release(from);
        }
    }

    /// From a clock on it is withheld, if it was not before.
    fn hold(&mut self, from: u64) {
        self.begin(from);
        self.until = u64::MAX;
    }

    /// From a clock on it is not withheld, if it was.
    fn release(&mut self, from: u64) {
        if self.until == u64::MAX {
            self.until = from.max(self.refreshed);
        }
    }

    /// It is refreshed, or waits for the refresh of others.
    pub(super) fn refresh(&mut self, from: u64, until: u64) {
        self.begin(from);
        self.refreshed = self.refreshed.max(until);
        self.until = self.until.max(until);
    }
}

/// A bank of a pseudo-channel.
#[derive(Clone, Debug)]
pub(super) struct BankState {
    pub(super) act_ok: Stamp,
    pub(super) pre_ok: Stamp,
    pub(super) column_ok: [Stamp; 2],
    /// Last ACT or column command.
    pub(super) touched: u64,
    /// ACTs that refresh management counts.
    pub(super) raa: u32,
    /// Earliest RDA after a WR.
    pub(super) rda_ok: Stamp,
    /// When tRCD has passed since the last ACT.
    pub(super) row_ready: u64,
    /// The open row, or [`CLOSED`].
    pub(super) open: u32,
    /// Its entries by kind, oldest first.
    pub(super) lists: [ListEnds; 2],
    /// Where its candidate is.
    pub(super) candidate: CandidatePlace,
    /// Its group among those of the pseudo-channel.
    pub(super) group: u16,
    /// Where it is; row and column are 0.
    pub(super) location: Location,
    /// Number of its set of banks that REFsb refreshes together.
    pub(super) set: u8,
    /// Place of rank and set among those of the pseudo-channel.
    pub(super) place: u16,
    /// Place of its [`Withheld`] and of the end of its refresh: its number, or that of its rank where REFab refreshes.
    pub(super) withheld: u16,
    /// Its bit in [`Rank::open_banks`].
    pub(super) bit: u8,
}

impl BankState {
    #[inline]
    pub(super) fn rank(&self) -> usize {
        usize::from(self.location.rank)
    }

    /// A column command was issued, and its entry has gone: mostly the next entry of the bank wants the same row, and the
    /// bank's candidate is one for that entry. Whether it is so.
    #[inline(always)]
    pub(super) fn is_followed(
        &self,
        candidates: &mut Candidates,
        entries: &[QueueEntry],
        kind: usize,
    ) -> bool {
        let first = self.lists[kind].first;
        if let Some(entry) = entries.get(usize::from(first))
            && let Some(candidate) = candidates.get_mut(self.candidate)
            && entry.request.row == self.open
            // An overdue entry may have passed the bank's candidate, which then is no column command.
            && candidate.order < ROW_COMMAND
        {
            candidate.entry = first;
            candidate.order = entry.age;
            candidate.bank_ok = self.column_ok[kind];
            return true;
        }
        false
    }

    /// Whether no request of either kind is queued for it.
    pub(super) fn is_idle(&self) -> bool {
        self.lists.iter().all(|list| list.first == NONE)
    }
}

/// Banks are numbered rank by rank, group by group.
#[derive(Clone, Debug)]
pub(super) struct PseudoChannel {
    pub(super) banks: Vec<BankState>,
    /// Earliest clocks by group and kind of command, and by rank and kind of command.
    pub(super) group_ok: Vec<Slots>,
    pub(super) rank_ok: Vec<Slots>,
    /// The least of all ranks for column commands: no bank can have one before.
    pub(super) any_rank_ok: [Stamp; 2],
    /// By rank and set of banks: when all such banks are precharged, and refreshed.
    pub(super) idle_ok: Vec<u64>,
    /// See [`BankState::withheld`]; and, by the same places, when their last refreshes are over.
    pub(super) withheld: Vec<Withheld>,
    pub(super) refreshed: Vec<u64>,
    pub(super) ranks: Vec<Rank>,
    pub(super) stacks: Vec<StackState>,
    /// Entries of all banks by kind, oldest first.
    pub(super) by_age: [ListEnds; 2],
    /// Those of the direction.
    pub(super) candidates: Candidates,
    /// What it does next: the choice that was found last, as long as nothing has changed that could make it another.
    pub(super) next: Option<CommandChoice>,
    /// Column commands issued.
    pub(super) columns: u64,
    /// What they have added up to of slots that are lost, in parts of a clock that the loss defines.
    pub(super) lost: u64,
    /// A burst after the last of them.
    pub(super) bus_taken_until: u64,
    /// Ranks that must refresh or are powered down.
    pub(super) duties: u32,
}

impl PseudoChannel {
    /// Whether requests may not use a bank.
    #[inline]
    pub(super) fn is_off(&self, bank: usize) -> bool {
        let bank = &self.banks[bank];
        self.ranks[bank.rank()].off >> bank.set & 1 != 0
    }

    /// Clocks before a clock for which a bank was withheld or refreshed.
    #[inline]
    pub(super) fn withheld_before(&self, bank: usize, now: u64) -> u64 {
        self.withheld[usize::from(self.banks[bank].withheld)].before(now)
    }

    /// `number` is its own.
    pub(super) fn new(geometry: &ChannelGeometry, policy: &Policy, number: u8) -> Self {
        let ranks = usize::from(geometry.ranks);
        let (groups, per_group) = (usize::from(geometry.groups), usize::from(geometry.banks));
        let sets = usize::from(geometry.refresh_sets);
        let banks = geometry.banks_of_pseudo_channel();
        let first = usize::from(number) * ranks;
        let byte = |value: usize| value.to_le_bytes()[0];
        let small = |value: usize| u16::try_from(value).unwrap_or(NONE);
        let rank = |rank: usize| Rank {
            owed: 0,
            ahead: match policy.refresh {
                Refresh::Off => 0,
                Refresh::AllBank | Refresh::SameBank => -i64::from(policy.refresh_pulled_in_max),
            },
            due: policy
                .refresh_phase
                .get(first + rank)
                .map_or(u64::MAX, |&phase| u64::from(phase)),
            round: 0,
            next: 0,
            forced: false,
            must: false,
            manages: false,
            target: 0,
            pressed: false,
            queued: 0,
            open_banks: 0,
            off: 0,
            awaits_same_bank: false,
            powered_down: None,
            last_command: 0,
            ref_ok: 0,
            refsb_ok: 0,
            pde_ok: 0,
            faw: [0; 4],
            faw_next: 0,
        };
        let bank = |bank: usize| BankState {
            act_ok: 0,
            pre_ok: 0,
            column_ok: [0; 2],
            touched: 0,
            raa: 0,
            rda_ok: 0,
            row_ready: 0,
            open: CLOSED,
            lists: [ListEnds::EMPTY; 2],
            candidate: CandidatePlace::NONE,
            group: small(bank / per_group),
            location: Location {
                pseudo_channel: number,
                rank: byte(bank / (groups * per_group)),
                group: byte(bank / per_group % groups),
                bank: byte(bank % per_group),
                row: 0,
                column: 0,
            },
            withheld: small(match policy.refresh {
                Refresh::SameBank => bank,
                Refresh::AllBank | Refresh::Off => bank / (groups * per_group),
            }),
            bit: byte(bank % (groups * per_group)),
            set: byte(bank % (groups * per_group) % sets),
            place: small(bank / (groups * per_group) * sets + bank % (groups * per_group) % sets),
        };
        Self {
            candidates: Candidates([Vec::with_capacity(banks), Vec::with_capacity(banks)]),
            next: None,
            banks: (0..banks).map(bank).collect(),
            group_ok: vec![[0; 4]; ranks * groups],
            rank_ok: vec![[0; 4]; ranks],
            any_rank_ok: [0; 2],
            idle_ok: vec![0; ranks * sets],
            withheld: vec![Withheld::default(); banks],
            refreshed: vec![0; banks],
            ranks: (0..ranks).map(rank).collect(),
            stacks: vec![StackState::default(); ranks],
            by_age: [ListEnds::EMPTY; 2],
            columns: 0,
            lost: 0,
            bus_taken_until: 0,
            duties: 0,
        }
    }
}
