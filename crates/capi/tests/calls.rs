//! Calls in any order: what was found by fuzzing, and what is drawn here.

#[path = "../../../fuzz/checks/calls.rs"]
mod checks;

use proptest::prelude::*;

use crate::corpus::replay;

#[test]
fn the_corpus_of_calls_passes() {
    replay("calls", checks::check);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_calls_keep_the_promises(data in prop::collection::vec(any::<u8>(), 0..400)) {
        checks::check(&data);
    }

    /// Calls whose addresses are few, so that they meet.
    #[test]
    fn calls_that_meet_keep_the_promises(
        kind in 0u8..3,
        steps in prop::collection::vec((0u8..16, 0u8..4, 0u8..24, 0u8..40, any::<u8>(), any::<[u8; 4]>()), 1..60),
    ) {
        let mut data = vec![kind];
        for (call, slot, at, bytes, fill, more) in steps {
            data.extend([call, slot, at.wrapping_mul(16), at % 2, bytes, fill]);
            data.extend(&more[..match call { 9 => 3, 8 => 2, 7 | 11 | 13 | 15 => 1, _ => 0 }]);
        }
        checks::check(&data);
    }
}
