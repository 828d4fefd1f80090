//! Which branches are predicted wrongly: two bits for each place and history (McFarling, "Combining Branch Predictors",
//! 1993, gshare). A real core does better on long patterns; what depends on data alone nobody foretells.

/// Branches of the history.
const HISTORY: u32 = 12;

/// Counters and history.
#[derive(Clone, Debug)]
pub(super) struct BranchPredictor {
    counters: Vec<u8>,
    history: u32,
}

impl Default for BranchPredictor {
    fn default() -> Self {
        Self {
            counters: vec![1; 1 << HISTORY],
            history: 0,
        }
    }
}

impl BranchPredictor {
    /// Whether a branch goes as foretold; learns from it.
    #[inline]
    pub(super) fn foretells(&mut self, site: u32, taken: bool) -> bool {
        let mask = (1 << HISTORY) - 1;
        let at = ((site.wrapping_mul(0x9e37_79b1) >> (32 - HISTORY)) ^ self.history) & mask;
        let counter = &mut self.counters[at as usize];
        let is_right = (*counter >= 2) == taken;
        *counter = match taken {
            true => (*counter + 1).min(3),
            false => counter.saturating_sub(1),
        };
        self.history = ((self.history << 1) | u32::from(taken)) & mask;
        is_right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_learnt_and_chance_is_not() {
        let wrong = |outcome: &dyn Fn(u64) -> bool| {
            let mut predictor = BranchPredictor::default();
            let wrong = (0..40_000u64).filter(|at| !predictor.foretells(3, outcome(*at)));
            wrong.count()
        };
        assert!(wrong(&|_| true) < 50);
        assert!(wrong(&|at| at % 3 == 0) < 100);
        let chance = wrong(&|at| {
            wordline_core::draw::draw(1, at, 0, wordline_core::draw::Purpose::Mix) & 1 == 1
        });
        assert!((18_000..22_000).contains(&chance), "{chance}");
    }
}
