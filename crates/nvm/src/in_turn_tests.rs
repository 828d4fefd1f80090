//! Two chips in turn, held against plain RAM and against a single chip.

use proptest::prelude::*;
use wordline_core::Timing;

use super::*;
use crate::device::FlashDevice;
use crate::fixture::{TYPICAL, board, connect_nand, nand, nor, wired};
use crate::power::PowerState;
use crate::raw_flash::RawFlash;
use crate::{Conditions, Nand, Wired};

const AT_MAX: Conditions = Conditions {
    timing: Timing::Max,
    ..TYPICAL
};

/// A NAND whose blocks take longer to fill than to erase, with bad blocks.
fn large(conditions: Conditions) -> Wired<Nand> {
    let text = include_str!("../tests/data/nand.toml");
    let large = text.replace(
        "pages_per_block = { value = 8",
        "pages_per_block = { value = 64",
    );
    let sheet = toml::from_str(&large).expect("a well-formed sheet");
    connect_nand(&sheet, &board(), conditions)
}

fn raw<F: FlashDevice>(flash: F) -> Box<dyn Device> {
    Box::new(RawFlash::new(flash).expect("it answers"))
}

fn seeded(seed: u64) -> Conditions {
    Conditions { seed, ..TYPICAL }
}

fn nands() -> Box<dyn Device> {
    in_turn(raw(large(seeded(1))), raw(large(seeded(2)))).expect("equal")
}

fn nors(conditions: Conditions) -> Box<dyn Device> {
    in_turn(raw(nor(conditions)), raw(nor(conditions))).expect("equal")
}

fn total(residence: &Residence) -> Time {
    let states = PowerState::ALL.iter().map(|state| residence.of(*state));
    states.fold(Time::ZERO, Time::plus)
}

/// An access whose time must be its cost, within its bound, and twice in the residence.
fn access(
    memory: &mut dyn Device,
    bound: Time,
    run: impl FnOnce(&mut dyn Device) -> Result<(), NvmError>,
) -> AccessCost {
    let before = memory.clock().now();
    run(memory).expect("inside");
    let cost = *memory.last_cost();
    assert_eq!(memory.clock().now(), before.plus(cost.total()));
    assert!(cost.total() <= bound, "{} of {bound}", cost.total());
    let twice = memory.clock().now().plus(memory.clock().now());
    assert_eq!(total(&memory.residence()), twice);
    cost
}

fn write(memory: &mut dyn Device, at: u64, data: &[u8]) -> AccessCost {
    let bound = memory.write_bound(at, data.len() as u64).expect("inside");
    access(memory, bound, |memory| memory.write(at, data))
}

fn read(memory: &mut dyn Device, at: u64, bytes: usize) -> (Vec<u8>, AccessCost) {
    let bound = memory.read_bound(at, bytes as u64).expect("inside");
    let mut out = vec![0; bytes];
    let cost = access(memory, bound, |memory| memory.read(at, &mut out));
    (out, cost)
}

/// The bytes of a record of a log.
fn record(index: u64, bytes: usize) -> Vec<u8> {
    let byte = |at: usize| (index as usize * 31 + at * 7 + at / 256) as u8;
    (0..bytes).map(byte).collect()
}

/// Fills the memory `passes` times with records of `bytes` bytes, which go round together, and returns
/// what each cost. The memory's content is compared with RAM at each begin of a block.
fn log(memory: &mut dyn Device, passes: u64, bytes: usize) -> Vec<AccessCost> {
    let (len, unit) = (memory.len(), memory.overwrite_bytes());
    let mut mirror = vec![0xff; len as usize];
    let (mut costs, mut at, mut index) = (Vec::new(), 0, 0);
    while at < passes * len {
        let place = at % len;
        let here = (bytes as u64).min(len - place) as usize;
        let data = record(index, here);
        let cost = write(memory, place, &data);
        mirror[place as usize..][..here].copy_from_slice(&data);
        let (first, last) = (place.div_ceil(unit), (place + here as u64 - 1) / unit);
        for begun in first..=last {
            let next = (begun + 1) * unit % len;
            // The end of this record may lie there already.
            if !(first..=last).contains(&(begun + 1)) {
                mirror[next as usize..][..unit as usize].fill(0xff);
            }
        }
        costs.push(cost);
        (at, index) = (at + here as u64, index + 1);
    }
    let stored = read(memory, 0, len as usize).0;
    assert!(stored == mirror, "it holds what was written last");
    costs
}

#[test]
fn a_log_on_nand_waits_for_its_first_erase_alone() {
    let single = raw(large(seeded(1)));
    let mut memory = nands();
    assert!(memory.len() > single.len() && memory.len() <= 32 * memory.overwrite_bytes());
    // Three pages, so that records lie across blocks.
    let costs = log(&mut *memory, 2, 1536);
    assert!(costs[0].of(Cause::Erase) > Time::ZERO);
    let waits = costs[1..].iter().map(|cost| cost.of(Cause::Erase));
    assert_eq!(waits.max(), Some(Time::ZERO));
    // Each block once a pass, and the first one ahead of a third.
    let blocks = memory.len() / memory.overwrite_bytes();
    let wear = memory.wear();
    assert_eq!((wear.units, wear.most), (blocks, 3));
    assert_eq!((wear.mean * blocks as f64).round() as u64, 2 * blocks + 1);
}

#[test]
fn a_log_on_nor_waits_for_what_is_left_of_an_erase() {
    let mut memory = nors(TYPICAL);
    let costs = log(&mut *memory, 2, 256);
    let erase = costs[0].of(Cause::Erase);
    assert_eq!(erase, Time::from_ps(150_000_000_000));
    let waits = costs[1..].iter().map(|cost| cost.of(Cause::Erase));
    // 256 pages of 100 us, and what the driver adds.
    let wait = waits.max().expect("there are records");
    assert!(wait > Time::ZERO && wait < Time::from_ps(125_000_000_000));
    // Block 1 was erased while block 0 was, for which the first access waited.
    let blocks = memory.len() / memory.overwrite_bytes();
    let waits = costs
        .iter()
        .filter(|cost| cost.of(Cause::Erase) > Time::ZERO);
    assert_eq!(waits.count() as u64, 2 * blocks - 1);
}

/// A record that is longer than a block, and one that ends in the middle of the next.
#[test]
fn records_across_blocks_are_split() {
    for bytes in [100 * 512, 64 * 512, 130 * 512] {
        log(&mut *nands(), 2, bytes);
    }
    log(&mut *nors(TYPICAL), 2, 100_000);
}

#[test]
fn a_jump_erases_in_the_access_and_wastes_what_was_erased() {
    let mut memory = nors(TYPICAL);
    let unit = memory.overwrite_bytes();
    let wear = |memory: &dyn Device| (memory.wear().mean * memory.wear().units as f64) as u64;
    // Units of wear are sectors of 4 KiB.
    let erases = unit / 4096;
    write(&mut *memory, 0, &[1; 256]);
    assert_eq!(wear(&*memory), 2 * erases);
    let jump = write(&mut *memory, 4 * unit, &[2; 256]);
    assert!(jump.of(Cause::Erase) > Time::ZERO);
    assert_eq!(wear(&*memory), 4 * erases);
    // Block 1 was erased and has not been used.
    let back = write(&mut *memory, unit, &[3; 256]);
    assert_eq!(back.of(Cause::Erase), Time::ZERO);
    assert_eq!(wear(&*memory), 5 * erases);
    // And block 2 is neither erased twice.
    let again = write(&mut *memory, unit, &[4; 256]);
    assert!(again.of(Cause::Erase) > Time::ZERO);
    assert_eq!(wear(&*memory), 6 * erases);
    assert_eq!(read(&mut *memory, unit, 256).0, [4; 256]);
}

#[test]
fn a_read_waits_for_the_chip_that_erases_and_for_no_other() {
    let mut memory = nors(TYPICAL);
    let unit = memory.overwrite_bytes();
    memory.preload(3 * unit, &[9; 16]).expect("inside");
    write(&mut *memory, 0, &[1; 256]);
    let (stored, cost) = read(&mut *memory, 0, 256);
    assert_eq!((stored, cost.of(Cause::Erase)), (vec![1; 256], Time::ZERO));
    write(&mut *memory, unit, &[1; 256]);
    write(&mut *memory, 2 * unit, &[1; 256]);
    let (stored, cost) = read(&mut *memory, 3 * unit, 16);
    assert_eq!(stored, [0xff; 16], "it was given up");
    assert!(cost.of(Cause::Erase) > Time::ZERO);
    let (_, cost) = read(&mut *memory, 3 * unit, 16);
    assert_eq!(cost.of(Cause::Erase), Time::ZERO);
}

#[test]
fn what_is_preloaded_behind_an_erase_is_erased_again() {
    let mut memory = nors(TYPICAL);
    let unit = memory.overwrite_bytes();
    write(&mut *memory, 0, &[1; 256]);
    memory.preload(unit, &[0; 256]).expect("inside");
    memory.clock().advance(Time::from_ps(500_000_000_000));
    let cost = write(&mut *memory, unit, &[1; 256]);
    assert!(cost.of(Cause::Erase) > Time::ZERO);
    assert_eq!(read(&mut *memory, unit, 256).0, [1; 256]);
}

/// The other chip erases while the host does nothing as well.
#[test]
fn idle_time_passes_for_both_chips() {
    let mut memory = nors(TYPICAL);
    let unit = memory.overwrite_bytes();
    write(&mut *memory, 0, &[1; 256]);
    let before = memory.residence();
    let ms = |ms: u64| Time::from_ps(ms * 1_000_000_000);
    // The erase ahead began as long as the one of block 0 and a program ago.
    memory.clock().advance(ms(1000));
    let idle = memory.residence().since(&before);
    assert_eq!(total(&idle), ms(2000));
    assert!(idle.of(PowerState::Erase) < ms(1));
    assert_eq!(memory.residence().of(PowerState::Erase), ms(300));
    let energy = memory.residence().energy_j(memory.power_draw());
    let cost = write(&mut *memory, unit, &[1; 256]);
    assert_eq!(cost.of(Cause::Erase), Time::ZERO);
    assert!(energy.is_some_and(|joules| joules > 0.3 * 0.025 * 3.3));
}

#[test]
fn an_erase_ahead_that_fails_is_reported_by_the_write_of_its_block() {
    let mut broken = nand(TYPICAL);
    broken.chip_mut().fail_block(0).expect("inside");
    let mut memory = in_turn(raw(nand(TYPICAL)), raw(broken)).expect("equal");
    let unit = memory.overwrite_bytes();
    for _ in 0..2 {
        write(&mut *memory, 0, &[1; 512]);
        let failed = memory.write(unit, &[1; 512]);
        assert_eq!(failed, Err(NvmError::EraseFailed { block: 0 }));
    }
    // Block 0 is erased ahead, so that its write leaves the other chip's erase running.
    let last = memory.len() - unit;
    write(&mut *memory, last, &[1; 512]);
    memory.clock().advance(Time::from_ps(10_000_000_000));
    write(&mut *memory, 0, &[1; 512]);
    // Whoever waits for it without a use for that block does not mind.
    let (_, cost) = read(&mut *memory, 5 * unit, 512);
    assert!(cost.of(Cause::Erase) > Time::ZERO);
    write(&mut *memory, 3 * unit, &[1; 512]);
    assert_eq!(read(&mut *memory, 3 * unit, 512).0, [1; 512]);
}

#[test]
fn forks_go_their_own_ways() {
    let mut memory = nors(TYPICAL);
    let unit = memory.overwrite_bytes();
    write(&mut *memory, 0, &[1; 256]);
    let mut fork = memory.fork_device();
    assert_eq!(fork.clock().now(), memory.clock().now());
    let (now, wear) = (memory.clock().now(), memory.wear());
    let in_fork = write(&mut *fork, unit, &[2; 256]);
    assert_eq!((memory.clock().now(), memory.wear()), (now, wear));
    assert_eq!(write(&mut *memory, unit, &[2; 256]), in_fork);
    assert_eq!(memory.residence(), fork.residence());
    write(&mut *fork, unit + 256, &[3; 256]);
    assert_eq!(read(&mut *memory, unit + 256, 256).0, [0xff; 256]);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let refused = in_turn(Box::new(wired(TYPICAL)), raw(nor(TYPICAL))).err();
    assert_eq!(refused, Some(NvmError::NoBackground));
    let refused = in_turn(raw(nor(TYPICAL)), raw(nand(TYPICAL))).err();
    assert_eq!(refused, Some(NvmError::UnequalChips("their erase blocks")));
}

#[test]
fn pipelines_are_used_by_both_chips_or_neither() {
    let mut memory = nands();
    let unit = memory.overwrite_bytes();
    let plain = memory.read_bound(0, 2 * unit).expect("inside");
    assert!(memory.use_pipeline(Pipeline::CacheRead));
    assert!(memory.read_bound(0, 2 * unit).expect("inside") < plain);
    read(&mut *memory, 0, 2 * unit as usize);
    assert!(!memory.use_pipeline(Pipeline::CacheProgram), "it has none");
    assert!(!memory.use_pipeline(Pipeline::MultiPlane));
    assert!(memory.background().is_none());
}

/// The longest write: it waits for an erase of no use, and erases.
#[test]
fn a_write_bound_is_reached_and_misses_no_part() {
    let mut memory = nors(AT_MAX);
    let (unit, len) = (memory.overwrite_bytes(), memory.len());
    // Block 0 is erased ahead, so that nothing lies between the start of block 1's and the jump.
    write(&mut *memory, len - unit, &[1; 256]);
    memory.clock().advance(Time::from_ps(2_000_000_000_000));
    assert_eq!(
        write(&mut *memory, 0, &[1; 256]).of(Cause::Erase),
        Time::ZERO
    );
    let bound = memory.write_bound(3 * unit, 256).expect("inside");
    let taken = write(&mut *memory, 3 * unit, &[1; 256]).total();
    assert!(taken.ps() * 1005 > bound.ps() * 1000, "{taken} of {bound}");
    let mut flash = RawFlash::new(nor(AT_MAX)).expect("it answers");
    let finish = background(&mut flash).and_then(|chip| chip.bounds(BackgroundWork::Erase));
    assert!(taken.plus(finish.expect("a time").finish) > bound);
    assert_eq!(memory.write_bound(len, 0), Ok(Time::ZERO));
    assert_eq!(memory.read_bound(7, 0), Ok(Time::ZERO));
    assert!(memory.write_bound(len, 1).is_err() && memory.read_bound(len, 1).is_err());
    assert_eq!(memory.persist_bound(), Ok(Time::ZERO));
    memory.persist().expect("nothing to do");
}

/// What a program does with the memory.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Goes on with the log, over this many pages.
    Append(u64),
    /// Begins anew at a block.
    Jump(u64),
    /// Reads from a page on.
    Read(u64, usize),
    /// Does nothing for some microseconds.
    Pause(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1..20u64).prop_map(Step::Append),
        1 => any::<u64>().prop_map(Step::Jump),
        2 => (any::<u64>(), 1..5000usize).prop_map(|(page, bytes)| Step::Read(page, bytes)),
        1 => (0..4000u64).prop_map(Step::Pause),
    ];
    prop::collection::vec(step, 1..60)
}

/// Runs steps on a memory and in RAM, and returns what they cost.
fn run(memory: &mut dyn Device, page: u64, steps: &[Step]) -> Vec<AccessCost> {
    let (len, unit) = (memory.len(), memory.overwrite_bytes());
    let mut mirror = vec![0xff; len as usize];
    let (mut at, mut costs) = (0, Vec::new());
    for (index, step) in steps.iter().enumerate() {
        match *step {
            Step::Jump(block) => at = block % (len / unit) * unit,
            Step::Pause(us) => memory.clock().advance(Time::from_ps(us * 1_000_000)),
            Step::Read(first, bytes) => {
                let first = first % (len / page) * page;
                let bytes = bytes.min((len - first) as usize);
                let (stored, cost) = read(memory, first, bytes);
                assert!(stored == mirror[first as usize..][..bytes]);
                costs.push(cost);
            }
            Step::Append(pages) => {
                let bytes = (pages * page).min(len - at);
                let data = record(index as u64, bytes as usize);
                costs.push(write(memory, at, &data));
                for (offset, byte) in (at..).zip(&data) {
                    if offset % unit == 0 {
                        let next = ((offset + unit) % len) as usize;
                        mirror[offset as usize..][..unit as usize].fill(0xff);
                        mirror[next..][..unit as usize].fill(0xff);
                    }
                    mirror[offset as usize] = *byte;
                }
                at = (at + bytes) % len;
            }
        }
    }
    costs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Content, costs, bounds and residence of whatever goes through blocks in order; twice the same.
    #[test]
    fn it_is_plain_memory_that_gives_up_the_next_block(steps in steps(), timing in
        prop::sample::select(&Timing::ALL[..]), kind in 0..3)
    {
        let conditions = |seed| Conditions { timing, age: 0.0, seed };
        let (memory, page) = match kind {
            0 => (in_turn(raw(nor(conditions(1))), raw(nor(conditions(2)))), 256),
            1 => (in_turn(raw(nand(conditions(1))), raw(nand(conditions(2)))), 512),
            _ => (in_turn(raw(large(conditions(1))), raw(large(conditions(2)))), 512),
        };
        let mut memory = memory.expect("equal");
        let mut fork = memory.fork_device();
        let costs = run(&mut *memory, page, &steps);
        prop_assert_eq!(costs, run(&mut *fork, page, &steps));
        prop_assert_eq!(memory.residence(), fork.residence());
        prop_assert_eq!(memory.wear(), fork.wear());
    }
}
