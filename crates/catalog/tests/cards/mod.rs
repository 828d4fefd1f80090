//! What the sheets of cards say of their figures. What the cards give is held against published figures in
//! `wordline-lab`: `tests/published.rs`, and `tests/calibration` for the parameters that were searched.

use wordline_catalog::Catalog;
use wordline_core::Basis;
use wordline_nvm::MemoryClass;

/// What a published speed or size of buffer decided is marked, and nothing else is.
#[test]
fn only_what_was_fitted_is_marked_as_calibrated() {
    let catalog = Catalog::load(&[]).expect("sound");
    let mut marked = Vec::new();
    for part in catalog
        .parts()
        .filter(|part| part.model.class() == MemoryClass::ManagedFlash)
    {
        for figure in part
            .figures
            .iter()
            .filter(|figure| figure.basis == Basis::Calibrated)
        {
            marked.push(format!("{} {}", part.header.id, figure.figure));
        }
    }
    assert_eq!(
        marked,
        [
            "apacer-slc-4g card.array.page_program",
            "kingston-sdc4-4g card.command_time",
            "kingston-sdc4-4g card.array.page_program",
            "kingston-sdc4-4g card.array.transfer",
            "kingston-sdc4-4g card.controller.mapping",
            "kingston-sdc4-4g card.controller.log_blocks",
            "micron-emmc50-8g card.array.planes",
            "micron-emmc50-8g card.array.page_program",
            "micron-emmc50-8g card.array.transfer",
            "samsung-emmc51-64g card.array.page_program",
            "samsung-emmc51-64g card.array.transfer",
            "sandisk-extreme-32g card.command_time",
            "sandisk-extreme-32g card.array.transfer",
            "sandisk-extreme-32g card.controller.idle_after",
            "sandisk-extreme-32g card.controller.write_time",
            "sandisk-extreme-32g card.controller.housekeeping",
            "sandisk-extreme-32g card.controller.housekeeping_every",
            "sandisk-ultra-16g card.command_time",
            "sandisk-ultra-16g card.array.planes",
            "sandisk-ultra-16g card.controller.mapping",
            "sandisk-ultra-16g card.controller.clean_until",
            "sandisk-ultra-16g card.controller.write_time",
            "sandisk-ultra-16g card.controller.housekeeping",
            "sandisk-ultra-16g card.controller.housekeeping_every",
            "swissbit-g4000-4g card.controller.spare_blocks",
            "swissbit-g4000-4g card.controller.clean_until",
            "swissbit-g4000-4g card.controller.journal_pages",
        ]
    );
}
