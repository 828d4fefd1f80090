//! `sequential-storage`: a map in a few erase blocks.

use std::collections::BTreeMap;
use std::fmt::Debug;

use sequential_storage::cache::{Cache, Uncached};
use sequential_storage::map::{MapConfig, MapStorage};
use wordline_crash::harness::{Harness, Outcome, Recorded, Subject};
use wordline_crash::{FlashContent, FlashTearing, Mode};
use wordline_embedded::{MultiwriteNorView, NorView};
use wordline_memory::Flash;
use wordline_nvm::Accounts;

use crate::{finish, nor, small};

type Map<F, const WRITE: usize, const ERASE: usize> =
    MapStorage<u8, MultiwriteNorView<F, WRITE, ERASE>, Cache<Uncached, Uncached, Uncached, u8>>;

fn map<F: Flash<Error: Debug>, const WRITE: usize, const ERASE: usize>(
    flash: F,
    bytes: u32,
) -> Map<F, WRITE, ERASE> {
    let view = NorView::new(flash).expect("the view suits the memory");
    let config = MapConfig::try_new(0..bytes).expect("whole blocks");
    MapStorage::new(view, config, Cache::new_uncached())
}

#[test]
fn a_map_runs_on_a_simulated_nor_and_costs_time_and_wear() {
    let mut storage = map::<_, 4, 4096>(nor(), 4 * 4096);
    let mut buffer = [0; 64];
    let mut expected = BTreeMap::new();
    for number in 0..2_000u32 {
        let (key, value) = ((number % 23) as u8, number * number);
        finish(storage.store_item(&mut buffer, &key, &value)).expect("room");
        expected.insert(key, value);
    }
    finish(storage.remove_item(&mut buffer, &7)).expect("there is one");
    expected.remove(&7);
    let (view, _) = storage.destroy();
    let flash = view.into_flash();
    assert!(
        flash.clock().now().ps() > 100_000_000_000,
        "{}",
        flash.clock().now()
    );
    assert!(flash.wear().most > 1, "{:?}", flash.wear());
    let mut storage = map::<_, 4, 4096>(flash, 4 * 4096);
    for key in 0..=30 {
        let found = finish(storage.fetch_item::<u32>(&mut buffer, &key)).expect("readable");
        assert_eq!(found, expected.get(&key).copied(), "key {key}");
    }
}

/// Three keys in four blocks of 256 bytes.
struct MapTest;

const KEYS: std::ops::Range<u8> = 0..3;

impl Subject for MapTest {
    type Medium = FlashTearing;
    type Store = Map<Recorded<FlashTearing>, 4, 256>;
    type Call = (u8, u32);
    type State = BTreeMap<u8, u32>;

    fn open(&self, memory: Recorded<FlashTearing>) -> Outcome<Self::Store> {
        Ok(map(memory, 4 * 256))
    }

    fn apply(&self, storage: &mut Self::Store, (key, value): &(u8, u32)) -> Outcome<()> {
        finish(storage.store_item(&mut [0; 64], key, value))
            .map_err(|error| format!("{error:?}").into())
    }

    fn read(&self, storage: &mut Self::Store) -> Outcome<BTreeMap<u8, u32>> {
        let mut found = BTreeMap::new();
        for key in KEYS {
            let value = finish(storage.fetch_item(&mut [0; 64], &key));
            if let Some(value) = value.map_err(|error| format!("{error:?}"))? {
                found.insert(key, value);
            }
        }
        Ok(found)
    }

    fn next(&self, state: &BTreeMap<u8, u32>, (key, value): &(u8, u32)) -> BTreeMap<u8, u32> {
        let mut state = state.clone();
        state.insert(*key, *value);
        state
    }
}

/// The guide on Rust drivers states these figures.
#[test]
fn a_map_opens_what_power_cuts_leave_unless_bits_are_unstable() {
    let content = FlashContent::erased(small(64, 4, 4));
    let mut harness = Harness::new(content, FlashTearing::raw());
    let calls: Vec<_> = (0..70u32)
        .map(|number| ((number * 5 % 3) as u8, number ^ 0x5555))
        .collect();
    let all = harness.check(&MapTest, &calls);
    assert_eq!((all.images, all.failures), (4697, 47), "{all:?}");
    let first = all.first.expect("a failure").case;
    let run = harness.report(
        &MapTest,
        &calls,
        &harness
            .replay(&MapTest, &calls, &first)
            .expect("a case")
            .expect("fails"),
    );
    assert!(
        run.to_string().contains("read differently every time"),
        "{run}"
    );
    harness.mode = Mode::Linear;
    let between = harness.check(&MapTest, &calls);
    assert_eq!(between.first, None, "{between:?}");
}
