//! Branches that a core would foresee.

use super::operation::Branch;

/// Counters of conditional branches.
const COUNTERS: usize = 1 << 15;

/// Places where indirect branches went.
const TARGETS: usize = 1 << 12;

/// Outcomes that a prediction looks back on.
const HISTORY: u32 = 12;

/// A predictor of branches: a counter of two bits for each branch and the outcomes before it (gshare, McFarling, 1993), beside
/// one for the branch alone, of which a third says which is right (the same report's combination). Indirect branches go where
/// they went after the same outcomes.
#[derive(Clone, Debug)]
pub struct BranchHistory {
    shared: Vec<u8>,
    alone: Vec<u8>,
    chooser: Vec<u8>,
    targets: Vec<u64>,
    outcomes: u32,
}

impl Default for BranchHistory {
    fn default() -> Self {
        Self {
            shared: vec![1; COUNTERS],
            alone: vec![1; COUNTERS],
            chooser: vec![1; COUNTERS],
            targets: vec![0; TARGETS],
            outcomes: 0,
        }
    }
}

fn moved(counter: u8, up: bool) -> u8 {
    if up {
        (counter + 1).min(3)
    } else {
        counter.saturating_sub(1)
    }
}

impl BranchHistory {
    /// Learns where the branch at `from` went, and returns whether that was foreseen. `next` is the address behind it.
    pub fn resolve(&mut self, branch: Branch, from: u64, next: u64, to: u64) -> bool {
        match branch {
            Branch::None => true,
            Branch::Conditional => self.conditional(from, to != next),
            Branch::Indirect => self.indirect(from, to),
        }
    }

    fn conditional(&mut self, from: u64, taken: bool) -> bool {
        let own = (from ^ (from >> 15)) as usize & (COUNTERS - 1);
        let shared = own ^ (self.outcomes as usize & ((1 << HISTORY) - 1));
        let says = |counter: u8| counter >= 2;
        let (by_shared, by_own) = (says(self.shared[shared]), says(self.alone[own]));
        let foreseen = match says(self.chooser[own]) {
            true => by_shared,
            false => by_own,
        };
        if by_shared != by_own {
            self.chooser[own] = moved(self.chooser[own], by_shared == taken);
        }
        self.shared[shared] = moved(self.shared[shared], taken);
        self.alone[own] = moved(self.alone[own], taken);
        self.outcomes = self.outcomes << 1 | u32::from(taken);
        foreseen == taken
    }

    fn indirect(&mut self, from: u64, to: u64) -> bool {
        let place =
            (from ^ (from >> 12) ^ u64::from(self.outcomes & 0xFF)) as usize & (TARGETS - 1);
        let known = std::mem::replace(&mut self.targets[place], to);
        self.outcomes = self.outcomes << 2 | (to >> 4) as u32 & 3;
        known == to
    }
}
