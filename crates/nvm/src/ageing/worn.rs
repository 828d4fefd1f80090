//! The state of one block that ages.

use super::oxide::CYCLE;
use super::{Oxide, Stress};
use crate::content::BlockCharge;

/// What a block has been through.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OxideWear {
    /// What the weakest cell of each page stands.
    strengths: Vec<u64>,
    /// What the erases did to every page.
    erased: u64,
    /// What the programs did to each page besides.
    programmed: Vec<u64>,
    /// Erase steps that the neediest page has taken.
    taken: usize,
    /// What the bits have gone through since the last erase.
    pub(super) charge: BlockCharge,
}

impl OxideWear {
    /// A block that went through `cycles` cycles in which all of its pages were programmed, at 25 °C.
    pub(crate) fn new(oxide: &Oxide, block: u32, cycles: u64) -> Self {
        let strengths = oxide.strengths(block);
        let mut worn = Self {
            programmed: vec![0; strengths.len()],
            erased: cycles.saturating_mul(CYCLE),
            charge: BlockCharge {
                cycle: None,
                reads: 0,
                programs: 0,
                stored: vec![None; strengths.len()],
            },
            strengths,
            taken: 0,
        };
        worn.settle(oxide);
        worn
    }

    /// Stress of a page.
    pub(super) fn stress(&self, page: u32) -> u64 {
        self.erased.saturating_add(self.programmed[page as usize])
    }

    /// Pulses that the next program of a page takes.
    pub(crate) fn program_pulses(&self, oxide: &Oxide, page: u32) -> u32 {
        oxide.program_pulses(self.stress(page), self.strengths[page as usize])
    }

    /// Loops that the next erase takes.
    pub(crate) fn erase_loops(&self, oxide: &Oxide) -> u32 {
        oxide.erase_loops(self.taken)
    }

    /// Programs a page, at an instant of the chip's retention clock; returns whether that took one of its cells past
    /// its strength. Of programs in parts, the first moves the charge of the page.
    pub(crate) fn program(&mut self, oxide: &Oxide, page: u32, stress: Stress, now: f64) -> bool {
        let index = page as usize;
        let charge = &mut self.charge;
        charge.programs += 1;
        if charge.stored[index].is_some() {
            return false;
        }
        charge.stored[index] = Some((now, charge.programs));
        self.programmed[index] = self.programmed[index].saturating_add(stress.program);
        self.settle_page(oxide, index);
        self.stress(page) >= self.strengths[index]
    }

    /// Erases the block; returns whether that took a cell past its strength.
    pub(crate) fn erase(&mut self, oxide: &Oxide, stress: Stress) -> bool {
        self.erased = self.erased.saturating_add(stress.erase);
        self.forget();
        self.settle(oxide);
        self.is_spent()
    }

    /// Goes through cycles in which the first `pages` pages are programmed.
    pub(crate) fn cycle(&mut self, oxide: &Oxide, pages: u32, stress: Stress, cycles: u64) {
        let more = |one: u64, by: u64| one.saturating_add(by.saturating_mul(cycles));
        self.erased = more(self.erased, stress.erase);
        for programmed in &mut self.programmed[..pages as usize] {
            *programmed = more(*programmed, stress.program);
        }
        if cycles > 0 {
            self.forget();
        }
        self.settle(oxide);
    }

    /// How many such cycles, up to `most`, go alike: with the pulses and loops of the next one, and without a failure.
    pub(crate) fn alike(&self, oxide: &Oxide, pages: u32, stress: Stress, most: u64) -> u64 {
        // What the erase of the next cycle takes, after its programs.
        let at_erase = |page: usize| {
            let program = if page < pages as usize {
                stress.program
            } else {
                0
            };
            (self.stress(page as u32).saturating_add(program), program)
        };
        let steps = oxide.erase_steps();
        let taken = (0..self.strengths.len())
            .map(|page| steps.late_taken(at_erase(page).0, self.strengths[page]))
            .max()
            .unwrap_or(0);
        let mut count = most.min(self.stands(pages, stress));
        for (page, &strength) in self.strengths.iter().enumerate() {
            let (before_erase, program) = at_erase(page);
            let cycle = program.saturating_add(stress.erase).max(1);
            let before = self.stress(page as u32);
            if let Some(border) = steps.late_border(taken, strength) {
                count = count.min(cycles_below(border, before_erase, cycle));
            }
            if page < pages as usize
                && let Some(border) = oxide.program_steps().next(before, strength)
            {
                count = count.min(cycles_below(border, before, cycle));
            }
        }
        count
    }

    /// How many such cycles the block stands.
    pub(crate) fn stands(&self, pages: u32, stress: Stress) -> u64 {
        let cycles = self.strengths.iter().enumerate().map(|(page, strength)| {
            let program = if page < pages as usize {
                stress.program
            } else {
                0
            };
            let cycle = program.saturating_add(stress.erase).max(1);
            // The last stress after a cycle that the page stands.
            (strength - 1).saturating_sub(self.stress(page as u32)) / cycle
        });
        cycles.min().unwrap_or(u64::MAX)
    }

    /// Counts reads of the block's pages.
    pub(crate) fn add_reads(&mut self, reads: u64) {
        self.charge.reads = self.charge.reads.saturating_add(reads);
    }

    /// Whether a cell is past its strength.
    pub(crate) fn is_spent(&self) -> bool {
        (0..self.strengths.len()).any(|page| self.stress(page as u32) >= self.strengths[page])
    }

    /// Forgets what an erase renews.
    pub(crate) fn forget(&mut self) {
        self.charge.cycle = None;
        self.charge.reads = 0;
        self.charge.programs = 0;
        self.charge.stored.fill(None);
    }

    /// What the bits have gone through.
    pub(crate) const fn charge(&self) -> &BlockCharge {
        &self.charge
    }

    /// The same, to be put back whatever erases come until then; the unit is in `cycle`.
    pub(crate) fn kept_charge(&self, cycle: u64) -> BlockCharge {
        let charge = self.charge.clone();
        BlockCharge {
            cycle: charge.cycle.or(Some(cycle)),
            ..charge
        }
    }

    /// The cycle that wrong bits are drawn by, of a unit that is in `cycle`.
    pub(crate) fn drawn_by(&self, cycle: u64) -> u64 {
        self.charge.cycle.unwrap_or(cycle)
    }

    /// Lets the bits have gone through what others have, of a block of as many pages.
    pub(crate) fn set_charge(&mut self, charge: &BlockCharge) {
        self.charge.clone_from(charge);
    }

    /// Forgets how old the charge of a page is.
    pub(crate) fn forget_page(&mut self, page: u32) {
        self.charge.stored[page as usize] = None;
    }

    fn settle(&mut self, oxide: &Oxide) {
        for page in 0..self.strengths.len() {
            self.settle_page(oxide, page);
        }
    }

    /// Notes the erase steps that a page has taken. Stress never falls, so that the most is the last.
    fn settle_page(&mut self, oxide: &Oxide, page: usize) {
        let (stress, strength) = (self.stress(page as u32), self.strengths[page]);
        let steps = oxide.erase_steps();
        while steps
            .late_border(self.taken, strength)
            .is_some_and(|border| stress >= border)
        {
            self.taken += 1;
        }
    }
}

/// Cycles, from one at stress `now` on, that begin below a border which lies above it.
fn cycles_below(border: u64, now: u64, cycle: u64) -> u64 {
    border.saturating_sub(1).saturating_sub(now) / cycle + 1
}
