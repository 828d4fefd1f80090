//! The newer calls in any order: what was found by fuzzing, and what is drawn here.

#[path = "../../../fuzz/checks/commands.rs"]
mod checks;

use proptest::prelude::*;

use crate::corpus::replay;

#[test]
fn the_corpus_of_commands_passes() {
    replay("commands", checks::check);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_commands_keep_the_promises(data in prop::collection::vec(any::<u8>(), 0..400)) {
        checks::check(&data);
    }

    /// Calls whose addresses are few, so that they meet.
    #[test]
    fn commands_that_meet_keep_the_promises(
        which in 0u8..7,
        steps in prop::collection::vec((0u8..20, 0u8..9, any::<u8>(), 0u8..40, any::<[u8; 8]>()), 1..60),
    ) {
        let mut data = vec![which];
        for (call, length, fill, page, more) in steps {
            data.extend([call, length, fill, page]);
            data.extend(match call {
                0 => vec![more[0] % 7, 0, more[1] % 3, 1, more[2], more[3], more[4]],
                1..=4 | 9 | 10 | 13 | 16 => vec![0, more[0] % 6, more[1]],
                7 | 8 => vec![0, more[0] % 6, more[1], more[2]],
                17 => vec![more[0], more[1], more[2], more[3], more[4], more[5]],
                _ => vec![more[0], more[1]],
            });
        }
        checks::check(&data);
    }
}
