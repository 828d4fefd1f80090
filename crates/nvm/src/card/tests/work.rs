//! What the controller does, and that accesses say so.

use wordline_core::draw::{Purpose, draw};
use wordline_memory::ByteMemory;

use super::*;
use crate::cost::{AccessCost, Cause};
use crate::device::Device;
use crate::power::PowerState;

/// Random writes of 4 KiB over the card, with a pause before each: their total cost.
fn scatter(card: &mut Card, count: u64, pause: Time) -> AccessCost {
    let mut sum = AccessCost::NONE;
    let slots = card.len() / 4096;
    for step in 0..count {
        card.clock().advance(pause);
        let at = draw(3, 0, step, Purpose::Address) % slots * 4096;
        card.write(at, &[step as u8; 4096]).expect("inside");
        sum.add_all(card.last_cost());
    }
    sum
}

fn full(changes: &[(&str, &str)]) -> Card {
    let mut card = card_with(changes);
    card.preload(0, &vec![9; 16 << 20]).expect("inside");
    card
}

fn written(card: &Card) -> u64 {
    card.translation().expect("a card has a layer").work.written
}

fn cleaned(card: &Card) -> u64 {
    card.translation().expect("a card has a layer").work.cleaned
}

#[test]
fn content_that_was_there_counts_as_no_work() {
    let mut card = full(&[]);
    let report = card.translation().expect("a card has a layer");
    assert_eq!(report.work, crate::ftl::LayerWork::default());
    assert_eq!((card.clock().now(), report.erases_most), (Time::ZERO, 0));
    card.write(0, &[1; 8192]).expect("inside");
    let report = card.translation().expect("a card has a layer");
    assert_eq!(
        (report.work.written, report.work.write_amplification()),
        (1, Some(1.0))
    );
    // A table of 64 blocks of 32 pages, four bytes each.
    assert_eq!(report.mapping_bytes, 64 * 32 * 4);
    // Zeros are content like any other.
    let mut zeros = card_with(&[]);
    zeros.write(4096, &[1; 4096]).expect("inside");
    zeros.preload_zeros(0, 16 << 20).expect("inside");
    let mut out = [7; 8192];
    zeros.read(0, &mut out).expect("inside");
    assert_eq!(out, [0; 8192]);
    assert!(zeros.last_cost().of(Cause::ArrayRead) > Time::ZERO);
}

/// Two open pages and one on its way into each of two dies; none where each write is programmed before it ends.
#[test]
fn what_a_power_cut_may_take_is_bounded() {
    assert_eq!(card_with(&[]).volatile_bytes(), 0);
    let lazy = card_with(&[("open_pages", "value = 2")]);
    assert_eq!(lazy.volatile_bytes(), 4 * 8192);
}

/// A full card cleans, a fresh one has nothing to clean: the difference is what cleaning cost.
#[test]
fn a_fresh_card_is_faster_than_a_full_one() {
    let (mut fresh, mut full) = (card_with(&[]), full(&[]));
    let new = scatter(&mut fresh, 400, Time::ZERO);
    let old = scatter(&mut full, 400, Time::ZERO);
    assert_eq!((cleaned(&fresh), new.of(Cause::Cleaning)), (0, Time::ZERO));
    let old_later = scatter(&mut full, 4000, Time::ZERO);
    assert!(cleaned(&full) > 1000);
    assert!(
        old_later.of(Cause::Cleaning) > ms(500),
        "{}",
        old_later.of(Cause::Cleaning)
    );
    // Reading the rest of pages that exist is the other difference.
    assert!(old.of(Cause::ArrayRead).ps() > 2 * new.of(Cause::ArrayRead).ps());
    assert!(old_later.total().ps() / 10 > new.total().ps() * 12 / 10);
}

/// The same bytes in a row overwrite whole pages: nothing is read first, and cleaned blocks are empty.
#[test]
fn sequential_writes_are_faster_than_random_ones() {
    let mut random = full(&[("open_pages", "value = 2")]);
    let mut sequential = random.fork();
    let scattered = scatter(&mut random, 4096, Time::ZERO);
    let mut row = AccessCost::NONE;
    for step in 0..4096u64 {
        sequential.write(step * 4096, &[5; 4096]).expect("inside");
        row.add_all(sequential.last_cost());
    }
    assert_eq!(row.of(Cause::ArrayRead), Time::ZERO);
    assert!(scattered.of(Cause::ArrayRead) > ms(100));
    assert!(cleaned(&sequential) < cleaned(&random) / 10);
    let ratio = scattered.total().ps() as f64 / row.total().ps() as f64;
    assert!(ratio > 2.0, "{ratio}");
}

/// Open loop: pauses are used for cleaning, so that writes need not wait for it.
#[test]
fn idle_gaps_take_cleaning_out_of_the_way() {
    let cost = |idle: &str, pause: Time| {
        let mut card = full(&[("idle_until", idle), ("clean_until", "value = 4")]);
        scatter(&mut card, 1000, Time::ZERO);
        let cost = scatter(&mut card, 1000, pause);
        (cost.of(Cause::Cleaning), cleaned(&card))
    };
    let (busy, _) = cost("value = 6", Time::ZERO);
    let (rested, done) = cost("value = 6", ms(40));
    let (lazy, _) = cost("value = 0", ms(40));
    assert!(busy > ms(200), "{busy}");
    assert!(rested.ps() < busy.ps() / 4, "{rested} of {busy}");
    // Without it pauses help as well: dies are done when the next write comes.
    assert!(rested.ps() < lazy.ps() / 4, "{rested} of {lazy}");
    assert!(done > 500, "{done} pages were moved all the same");
}

/// An access that arrives within a step waits for its end, and no longer.
#[test]
fn idle_work_delays_by_one_step_at_most() {
    let mut card = full(&[]);
    scatter(&mut card, 1000, Time::ZERO);
    let mut delayed = 0;
    for step in 0..300 {
        card.clock()
            .advance(Time::from_ps(10_000_000_000 + step * 97_000_000));
        let mut out = [0; 512];
        card.read(0, &mut out).expect("inside");
        let waited = card.last_cost().of(Cause::Cleaning);
        delayed += u32::from(waited > Time::ZERO);
        // A copy: two programs that were behind, a read, three moves over the channel.
        assert!(waited < ms(5), "{waited}");
    }
    assert!(delayed > 10, "{delayed}");
}

/// One page of the journal for 64 changes.
#[test]
fn the_journal_takes_its_share() {
    let mapping = |changes: &str| {
        let mut card = card_with(&[
            ("journal_changes", changes),
            ("command_time", "typ = '0 us'"),
        ]);
        scatter(&mut card, 640, Time::ZERO).of(Cause::Mapping)
    };
    assert_eq!(mapping("value = 100000"), Time::ZERO);
    let (some, many) = (mapping("value = 64"), mapping("value = 4"));
    assert!(
        some > Time::ZERO && many.ps() > 8 * some.ps(),
        "{some} {many}"
    );
}

/// The table of 64 blocks of 32 pages, four bytes each, is one page: after two pages of the journal it makes
/// a third. A larger one takes the dies for as long as its pages take.
#[test]
fn a_full_journal_writes_the_table() {
    let slowest = |changes: &[(&str, &str)]| {
        let mut card = card_with(changes);
        let mut slowest = Time::ZERO;
        // 16 pages of the journal and 8 of the table are less than a block, so that none is erased.
        for step in 0..256u64 {
            card.write(step * 8192, &[1; 8192]).expect("inside");
            slowest = slowest.later(card.last_cost().of(Cause::Mapping));
        }
        slowest
    };
    let often = ("journal_changes", "value = 16");
    let (never, always) = (
        slowest(&[often]),
        slowest(&[often, ("journal_pages", "value = 2")]),
    );
    // Each is moved to its die in 102.4 us, and programmed behind the controller's back.
    assert_eq!((never.ps(), always.ps()), (102_400_000, 204_800_000));
}

/// A page of the journal for 16 changes, and a page of the table behind every second one: 3 pages for 32 pages that
/// were written. Of the firmware's blocks of 32 pages one is erased for each that is full.
#[test]
fn the_mapping_counts_as_work_and_wear() {
    let mut card = card_with(&[
        ("journal_changes", "value = 16"),
        ("journal_pages", "value = 2"),
    ]);
    for step in 0..2048u64 {
        card.write(step * 8192, &[1; 8192]).expect("inside");
    }
    let work = card.translation().expect("a card has a layer").work;
    assert_eq!((work.written, work.overhead), (2048, 192));
    assert_eq!(work.write_amplification(), Some(2240.0 / 2048.0));
    let blocks = 2048 / 32;
    assert_eq!(work.erased, blocks + 192 / 32);
    // All of them were written once, and the firmware has two, which it erased three times each.
    assert_eq!((card.wear().most, card.wear().units), (3, blocks + 2));
    // Content that is there from the start leaves the count as it is.
    card.preload(0, &[2; 8192]).expect("inside");
    assert_eq!(card.translation().expect("a card has a layer").work, work);
}

/// A page that fills up in the controller's memory is programmed once; others are closed to make room.
#[test]
fn open_pages_wait_to_be_filled() {
    let mut card = card_with(&[("open_pages", "value = 2")]);
    card.write(0, &[1; 4096]).expect("inside");
    assert_eq!(card.last_cost().of(Cause::Program), Time::ZERO);
    card.write(4096, &[1; 4096]).expect("inside");
    assert_eq!(written(&card), 1);
    for page in 10..13 {
        card.write(page * 8192, &[1; 512]).expect("inside");
    }
    assert_eq!(written(&card), 2);
    // After an idle time they are programmed.
    card.clock().advance(ms(50));
    card.read(0, &mut [0; 512]).expect("inside");
    assert_eq!(written(&card), 4);
}

fn emmc(changes: &[(&str, &str)]) -> Card {
    let text = text_with(
        CARD,
        &[("interface", "value = 'emmc'"), ("spi", "value = false")],
    );
    let text = text_with(&text, changes);
    let text = format!("flush_busy = {{ max = '30 s', source = 'test' }}\n{text}");
    let sheet: CardSheet = toml::from_str(&text).expect("well-formed");
    connect(
        &sheet,
        &board_with(&[("width_bits", "value = 8")]),
        Timing::Typ,
        0,
    )
}

#[test]
fn a_flush_programs_what_the_cache_of_an_emmc_holds() {
    let mut card = emmc(&[("open_pages", "value = 8")]);
    card.persist().expect("nothing fails");
    assert!(took(&card) < us(10));
    for page in 0..4 {
        card.write(page * 8192, &[1; 4096]).expect("inside");
        assert_eq!(card.last_cost().of(Cause::Program), Time::ZERO);
    }
    card.persist().expect("nothing fails");
    // Four pages on two dies, and two more on their way there.
    assert!(
        took(&card) > Time::from_ps(2 * 902_400_000),
        "{}",
        took(&card)
    );
    assert!(took(&card) <= card.persist_bound().expect("short"));
}

/// No command has a card without a flush program what it holds: the host leaves it alone for the 10 ms after which
/// it does so by itself, and for the program.
#[test]
fn a_card_without_a_flush_is_left_alone_until_it_has_programmed_what_it_holds() {
    let mut card = card_with(&[("open_pages", "value = 8")]);
    card.persist().expect("nothing fails");
    assert_eq!(took(&card), Time::ZERO);
    for page in 0..4 {
        card.write(page * 8192, &[1; 4096]).expect("inside");
    }
    card.clock().advance(ms(4));
    card.persist().expect("nothing fails");
    assert_eq!(card.last_cost().of(Cause::Firmware), ms(6));
    // The first block is erased, and two pages go to each of two dies.
    assert!(
        took(&card) > Time::from_ps(9_000_000_000 + 2 * 800_000_000),
        "{}",
        took(&card)
    );
    assert_eq!(written(&card), 4);
    card.persist().expect("nothing fails");
    assert_eq!(took(&card), Time::ZERO, "all is programmed");
    assert!(
        card.persist_bound().is_err(),
        "nothing bounds what it has to clean first"
    );
    let through = card_with(&[]);
    assert_eq!(through.persist_bound(), Ok(Time::ZERO));
}

/// An access that was cut leaves the card work; what it does by itself begins no sooner after it than after another.
#[test]
fn idle_work_begins_no_sooner_after_an_access_that_was_cut() {
    let mut card = full(&[
        ("steps_per_write", "value = 1000"),
        ("clean_until", "value = 10"),
        ("idle_until", "value = 14"),
        ("write_busy", "max = '3 ms'"),
    ]);
    let mut cut = 0;
    for step in 0..3000u64 {
        let at = draw(3, 0, step, Purpose::Address) % (card.len() / 512) * 512;
        card.write(at, &[1; 512]).expect("inside");
        if card.longest_busy() == ms(3) && took(&card) > ms(3) {
            let mut early = card.fork();
            early.clock().advance(ms(9));
            early.read(0, &mut [0; 512]).expect("inside");
            // What is owed is cleaning, and done; of idle work there is none yet.
            cut += 1;
            assert!(cleaned(&early) == cleaned(&card), "step {step}");
        }
    }
    assert!(cut > 3, "{cut} accesses were cut");
}

/// One command announces the write, one begins it, and none stops it: two at 20 ns a clock, and 10 us and 1 us of
/// driver.
#[test]
fn a_reliable_write_goes_past_the_cache() {
    let mut card = emmc(&[("open_pages", "value = 8")]);
    card.write_reliably(0, &[1; 4096]).expect("it is an eMMC");
    assert!(card.last_cost().of(Cause::Program) > us(800));
    assert_eq!(card.last_cost().of(Cause::Driver), us(11));
    let clocks = Time::from_ps((112 + 114) * 20_000);
    assert_eq!(card.last_cost().of(Cause::BusCommand), clocks);
    card.persist().expect("nothing fails");
    assert!(took(&card) < us(10), "nothing was left to flush");
}

/// Any command between the announcement and the write would cancel it: the sectors at odd ends are read first, each
/// with a command of 112 clocks.
#[test]
fn odd_ends_of_a_reliable_write_are_read_before_it_is_announced() {
    let mut card = emmc(&[("open_pages", "value = 8")]);
    card.write_reliably(513, &[1; 1022]).expect("it is an eMMC");
    assert_eq!(card.last_cost().of(Cause::Driver), us(10 + 10 + 11));
    let clocks = Time::from_ps((2 * 112 + 112 + 114) * 20_000);
    assert_eq!(card.last_cost().of(Cause::BusCommand), clocks);
    let mut out = [0; 1024];
    card.read(512, &mut out).expect("inside");
    assert_eq!((out[0], out[1], out[1022], out[1023]), (0, 1, 1, 0));
}

/// Wear is that of blocks, and energy that of the time in each state.
#[test]
fn accounts_follow_the_work() {
    let mut card = full(&[]);
    scatter(&mut card, 6000, Time::ZERO);
    let (wear, report) = (card.wear(), card.translation().expect("a card has a layer"));
    assert_eq!((wear.endurance, wear.unit_bytes), (3000, 32 * 8192));
    assert_eq!(wear.most, u64::from(report.erases_most));
    assert!(report.erases_mean > 1.0 && report.erases_least <= wear.most as u32);
    let residence = card.residence();
    assert!(residence.of(PowerState::Write).ps() > card.clock().now().ps() / 2);
    assert!(residence.energy_j(card.power_draw()).is_some());
    assert_eq!(card.notes().power_up, Some(ms(250)));
    assert!(
        card.notes()
            .part
            .figures
            .iter()
            .any(|name| name == "array.page_program")
    );
}

/// With copy-back a moved page does not pass the channel: it costs its read and its program.
#[test]
fn copy_back_leaves_the_channel_out_of_copies() {
    let cleaning = |changes: &[(&str, &str)]| {
        let mut card = full(changes);
        let sum = scatter(&mut card, 2000, Time::ZERO);
        (cleaned(&card), sum.of(Cause::Cleaning))
    };
    let channel = ("transfer", "typ = \"4 MB/s\"");
    let copy_back = ("copy_back", "value = true");
    // One die, so that no copy leaves it.
    let one_die = [
        ("dies", "value = 1"),
        ("pages_per_block", "value = 32"),
        channel,
    ];
    let through = cleaning(&one_die);
    let within = cleaning(&[&one_die[..], &[copy_back]].concat());
    assert_eq!(through.0, within.0);
    assert!(within.1.ps() * 3 < through.1.ps(), "{through:?} {within:?}");
}

const HOUSEKEEPING: [(&str, &str); 2] = [
    ("housekeeping", "typ = '30 ms', max = '200 ms'"),
    ("housekeeping_every", "value = 100"),
];

/// What each of so many sequential writes of a sector cost.
fn row(card: &mut Card, count: u64) -> Vec<AccessCost> {
    (0..count)
        .map(|step| {
            card.write(step * 512, &[1; 512]).expect("inside");
            *card.last_cost()
        })
        .collect()
}

/// Every hundredth write command waits for it, under a cause of its own, and is longer by just that.
#[test]
fn the_controller_works_for_itself_at_intervals() {
    let (mut plain, mut keeping) = (card_with(&[]), card_with(&HOUSEKEEPING));
    let (without, with) = (row(&mut plain, 1000), row(&mut keeping, 1000));
    for (index, (without, with)) in without.iter().zip(&with).enumerate() {
        let due = (index + 1) % 100 == 0;
        let own = if due { ms(30) } else { Time::ZERO };
        let booked = with.of(Cause::Housekeeping);
        // A program under way goes on meanwhile, and may end first.
        assert_eq!(booked > ms(28) && booked <= own, due, "{index}: {booked}");
        assert!(with.total() <= without.total().plus(own), "{index}");
        assert_eq!(with.total() > ms(29), due, "{index}");
    }
    // Content that was there is no command.
    let mut full = full(&HOUSEKEEPING);
    let first = row(&mut full, 99);
    assert!(
        first
            .iter()
            .all(|cost| cost.of(Cause::Housekeeping) == Time::ZERO)
    );
}

/// In the timing class `sampled` each time has a draw of its own, and the same one for the same seed.
#[test]
fn how_long_it_works_for_itself_is_drawn() {
    let sheet = sheet_with(&HOUSEKEEPING);
    let run = |seed| {
        let mut card = connect(&sheet, &board_with(&[]), Timing::Sampled, seed);
        let costs = row(&mut card, 3000).into_iter();
        let own = costs.map(|cost| cost.of(Cause::Housekeeping));
        own.filter(|own| *own > Time::ZERO).collect::<Vec<_>>()
    };
    let (one, other) = (run(1), run(2));
    assert_eq!(one, run(1));
    assert_ne!(one, other);
    assert_eq!(one.len(), 30);
    let (least, most) = (one.iter().min(), one.iter().max());
    assert!(*least.expect("thirty") < ms(20) && *most.expect("thirty") > ms(50));
    assert!(*most.expect("thirty") <= ms(200));
}

/// The firmware's time for a write holds up the host, and dies program meanwhile.
#[test]
fn the_firmware_ends_each_write() {
    let slow = [("write_time", "typ = '2 ms'")];
    let (mut plain, mut slow) = (card_with(&[]), card_with(&slow));
    let (without, with) = (row(&mut plain, 100), row(&mut slow, 100));
    for (without, with) in without.iter().zip(&with) {
        assert!(with.of(Cause::Firmware) >= ms(2));
        let longer = Time::from_ps(with.total().ps() - without.total().ps());
        // A program of 800 us, which this card waits for, is over by then.
        assert!((us(1100)..=ms(2)).contains(&longer), "{longer}");
    }
    let (mut lazy, mut both) = (
        card_with(&[("open_pages", "value = 2")]),
        card_with(&[("open_pages", "value = 2"), ("write_time", "typ = '2 ms'")]),
    );
    let (without, with) = (row(&mut lazy, 8), row(&mut both, 8));
    for (without, with) in without.iter().zip(&with) {
        assert_eq!(with.total(), without.total().plus(ms(2)));
    }
}

/// A card that took other figures goes on as one does that had them from the start: what it did before left the same
/// content and the same mapping.
#[test]
fn figures_that_are_taken_over_act_as_if_they_had_been_there() {
    let slow = [
        ("command_time", "typ = '400 us', max = '500 us'"),
        ("page_program", "typ = '1.1 ms', max = '2 ms'"),
        ("block_erase", "typ = '5 ms', max = '12 ms'"),
        ("write_current", "typ = '93 mA', max = '120 mA'"),
        ("housekeeping", "typ = '3 ms', max = '9 ms'"),
        ("housekeeping_every", "value = 50"),
    ];
    let fast = [
        ("housekeeping", "typ = '1 ms', max = '2 ms'"),
        ("housekeeping_every", "value = 50"),
    ];
    let mut taken = full(&fast);
    scatter(&mut taken, 3000, Time::ZERO);
    let mut there = full(&slow);
    scatter(&mut there, 3000, Time::ZERO);
    assert!(taken.clock().now() < there.clock().now());
    assert!(taken.take_figures(&there));
    // Long enough for what the dies still do.
    for card in [&mut taken, &mut there] {
        card.clock().advance(us(900_000));
    }
    let before = [taken.residence(), there.residence()];
    for step in 0..500 {
        let at = draw(5, 0, step, Purpose::Address) % (taken.len() / 4096) * 4096;
        for card in [&mut taken, &mut there] {
            card.write(at, &[step as u8; 4096]).expect("inside");
        }
        assert_eq!(taken.last_cost(), there.last_cost(), "write {step}");
    }
    assert_ne!(before[0], taken.residence());
    assert_eq!(taken.power_draw(), there.power_draw());
    let work = |card: &Card| card.translation().expect("a card has a layer").work;
    assert_eq!(work(&taken), work(&there));
    let other = crate::Synced::every(Box::new(card_with(&[])), 4096);
    assert!(!taken.take_figures(&other));
}
