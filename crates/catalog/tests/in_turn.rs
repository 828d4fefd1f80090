//! Two chips of the catalogue in turn. Run with `--nocapture` to see a log's worst access.

use wordline_catalog::{Catalog, PartOnBoard};
use wordline_core::Timing;
use wordline_core::draw::{Purpose, draw};
use wordline_core::quantity::Time;
use wordline_nvm::{
    AccessCost, Cause, Conditions, Device, MemoryClass, NvmError, Pipeline, in_turn,
};

fn connect(target: &PartOnBoard<'_>, timing: Timing, seed: u64) -> Box<dyn Device> {
    let conditions = Conditions {
        timing,
        age: 0.0,
        seed,
    };
    target.connect(conditions).expect("the default board fits")
}

fn pair(target: &PartOnBoard<'_>, timing: Timing) -> Box<dyn Device> {
    let [one, other] = [1, 2].map(|seed| connect(target, timing, seed));
    in_turn(one, other).expect("they are equal")
}

/// The access that takes longest when `blocks` blocks are filled with records, the first left out; with a
/// pause behind each.
fn worst(memory: &mut dyn Device, blocks: u64, record: u64, pause: Time) -> AccessCost {
    let data = vec![0x5a; record as usize];
    let mut worst = AccessCost::NONE;
    for at in (0..blocks * memory.overwrite_bytes()).step_by(record as usize) {
        let bound = memory.write_bound(at, record).expect("inside");
        memory.write(at, &data).expect("it is in order");
        let cost = *memory.last_cost();
        assert!(cost.total() <= bound);
        memory.clock().advance(pause);
        if at > 0 && cost.total() > worst.total() {
            worst = cost;
        }
    }
    worst
}

fn worst_of_both(id: &str, timing: Timing, blocks: u64, record: u64) -> [AccessCost; 2] {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let target = catalog.part_on_board(id).expect("it names a board");
    let alone = worst(
        &mut *connect(&target, timing, 1),
        blocks,
        record,
        Time::ZERO,
    );
    let turned = worst(&mut *pair(&target, timing), blocks, record, Time::ZERO);
    [alone, turned]
}

/// A line about the worst access.
fn line(id: &str, timing: Timing, [alone, turned]: &[AccessCost; 2]) -> String {
    let of = |cost: &AccessCost| format!("{} with {} erase", cost.total(), cost.of(Cause::Erase));
    format!(
        "{id} {timing}: one chip {}, two in turn {}",
        of(alone),
        of(turned)
    )
}

#[test]
fn a_log_on_mt29f1g01_waits_for_no_erase() {
    for timing in [Timing::Typ, Timing::Max] {
        let both = worst_of_both("mt29f1g01", timing, 8, 2048);
        println!("{}", line("mt29f1g01", timing, &both));
        let [alone, turned] = both;
        assert!(alone.of(Cause::Erase) > Time::ZERO);
        assert_eq!(turned.of(Cause::Erase), Time::ZERO);
        assert!(turned.total().ps() * 2 < alone.total().ps());
    }
}

#[test]
fn a_log_on_mt25ql128_waits_for_the_rest_of_an_erase() {
    for timing in [Timing::Typ, Timing::Max] {
        let both = worst_of_both("mt25ql128", timing, 8, 256);
        println!("{}", line("mt25ql128", timing, &both));
        let [alone, turned] = both;
        let erase = turned.of(Cause::Erase);
        assert!(erase > Time::ZERO && erase < alone.of(Cause::Erase));
        assert!(turned.total() < alone.total());
    }
}

/// A log that fills a block in more time than an erase takes waits for none.
#[test]
fn pauses_of_a_log_hide_the_erases_of_mt25ql128() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let target = catalog
        .part_on_board("mt25ql128")
        .expect("it names a board");
    for (timing, pause_us) in [(Timing::Typ, 500), (Timing::Max, 2200)] {
        let pause = Time::from_ps(pause_us * 1_000_000);
        let alone = worst(&mut *connect(&target, timing, 1), 6, 256, pause);
        let turned = worst(&mut *pair(&target, timing), 6, 256, pause);
        println!(
            "{}",
            line("mt25ql128 with pauses", timing, &[alone, turned])
        );
        assert!(alone.of(Cause::Erase) > Time::ZERO);
        assert_eq!(turned.of(Cause::Erase), Time::ZERO);
    }
}

/// Every flash memory of the catalogue, each way of working, at random places and sizes.
#[test]
fn no_access_exceeds_its_bound() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    for part in catalog.parts() {
        if part.model.class() != MemoryClass::RawFlash {
            continue;
        }
        let target = catalog
            .part_on_board(&part.header.id)
            .expect("every part names a board");
        for timing in Timing::ALL {
            for pipelines in [&[][..], &[Pipeline::CacheRead, Pipeline::CacheProgram]] {
                let mut memory = pair(&target, timing);
                for pipeline in pipelines {
                    memory.use_pipeline(*pipeline);
                }
                random_accesses(&mut *memory, &part.header.id);
            }
        }
    }
}

fn random_accesses(memory: &mut dyn Device, id: &str) {
    let (len, unit) = (memory.len(), memory.overwrite_bytes());
    let atom = memory.atom() as u64;
    for step in 0..30 {
        let random = |what| draw(7, step, what, Purpose::Address);
        let bytes = 1 + random(0) % ((3 * unit) >> (random(1) % 16)).max(1);
        // Among few blocks, so that accesses meet the erases of others.
        let at = random(2) % (len - bytes).min(6 * unit);
        let before = memory.clock().now();
        let (bound, done) = match random(3) % 3 {
            0 => {
                let bound = memory.read_bound(at, bytes);
                (bound, memory.read(at, &mut vec![0; bytes as usize]))
            }
            kind => {
                let start = if kind == 1 { unit } else { atom };
                let at = at / start * start;
                let bytes = bytes.next_multiple_of(atom).min(len - at);
                let bound = memory.write_bound(at, bytes);
                (bound, memory.write(at, &vec![0x5a; bytes as usize]))
            }
        };
        let taken = memory.clock().now().since(before);
        assert_eq!(memory.last_cost().total(), taken, "{id}");
        match done {
            Ok(()) => assert!(taken <= bound.expect("inside"), "{id}: {taken}"),
            Err(NvmError::Misuse(_)) => {}
            Err(error) => panic!("{id}: {error}"),
        }
    }
}
