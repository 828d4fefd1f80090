//! Stores that products use, unmodified, on a simulated chip and on what power cuts left.

mod ekv_store;
mod sequential;

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use wordline_catalog::Catalog;
use wordline_core::Timing;
use wordline_memory::Geometry;
use wordline_nvm::{Conditions, FlashMemory, Memory};

/// Runs a future that has nothing to wait for.
fn finish<F: Future>(future: F) -> F::Output {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("a memory that has nothing to wait for lets a store wait"),
    }
}

/// A NOR flash of 16 MiB whose smallest erase has 4 KiB.
fn nor() -> Box<dyn FlashMemory> {
    let catalog = Catalog::load(&[]).expect("the embedded sheets");
    let target = catalog
        .part_on_board("mt25ql128@stm32h755-qspi")
        .expect("a target");
    let conditions = Conditions {
        timing: Timing::Typ,
        age: 0.0,
        seed: 0,
    };
    match target.memory(conditions).expect("the part fits the board") {
        Memory::Flash(flash) => flash,
        Memory::Bytes(_) => panic!("a NOR flash is flash"),
    }
}

/// A NOR flash of a few blocks, for power cuts.
const fn small(page_bytes: u32, pages_per_block: u32, blocks: u32) -> Geometry {
    Geometry {
        page_bytes,
        spare_bytes: 0,
        pages_per_block,
        blocks,
        program_bytes: 1,
        programs_per_page: None,
        once_bytes: None,
        in_order: false,
    }
}
