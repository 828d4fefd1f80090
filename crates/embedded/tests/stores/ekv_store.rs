//! `ekv`: a log-structured merge tree with a flash trait of its own.

use std::collections::BTreeMap;
use std::fmt::Debug;

use ekv::flash::PageID;
use ekv::{Config, Database, ReadError};
use embassy_sync::blocking_mutex::raw::NoopRawMutex;
use embedded_storage::nor_flash::{NorFlash, ReadNorFlash};
use wordline_crash::harness::{Again, Harness, Outcome, Recorded, Subject};
use wordline_crash::{FlashContent, FlashTearing, Mode};
use wordline_embedded::NorView;
use wordline_memory::Flash;
use wordline_nvm::Accounts;

use crate::{finish, nor, small};

const PAGE: usize = ekv::config::PAGE_SIZE;

/// All that `ekv` asks for.
struct Pages<F>(NorView<F, 1, PAGE>);

impl<F: Flash<Error: Debug>> ekv::flash::Flash for Pages<F> {
    type Error = wordline_embedded::NorError<F::Error>;

    fn page_count(&self) -> usize {
        (self.0.capacity() / PAGE).min(ekv::config::MAX_PAGE_COUNT)
    }

    async fn erase(&mut self, page: PageID) -> Result<(), Self::Error> {
        let start = page.index() * PAGE;
        self.0.erase(start as u32, (start + PAGE) as u32)
    }

    async fn read(&mut self, page: PageID, at: usize, data: &mut [u8]) -> Result<(), Self::Error> {
        self.0.read((page.index() * PAGE + at) as u32, data)
    }

    async fn write(&mut self, page: PageID, at: usize, data: &[u8]) -> Result<(), Self::Error> {
        self.0.write((page.index() * PAGE + at) as u32, data)
    }
}

type Store<F> = Database<Pages<F>, NoopRawMutex>;

fn store<F: Flash<Error: Debug>>(flash: F) -> Store<F> {
    let view = NorView::new(flash).expect("the view suits the memory");
    Database::new(Pages(view), Config::default())
}

fn put<F: Flash<Error: Debug>>(store: &Store<F>, pairs: &[(u8, u32)]) -> Outcome<()> {
    let mut pairs = pairs.to_vec();
    pairs.sort_unstable();
    finish(async {
        let mut transaction = store.write_transaction().await;
        for (key, value) in pairs {
            let written = transaction.write(&[key], &value.to_le_bytes()).await;
            written.map_err(|error| format!("{error:?}"))?;
        }
        let committed = transaction.commit().await;
        committed.map_err(|error| format!("{error:?}").into())
    })
}

fn get<F: Flash<Error: Debug>>(store: &Store<F>, key: u8) -> Outcome<Option<u32>> {
    finish(async {
        let mut value = [0; 4];
        match store
            .read_transaction()
            .await
            .read(&[key], &mut value)
            .await
        {
            Ok(4) => Ok(Some(u32::from_le_bytes(value))),
            Ok(bytes) => Err(format!("a value of {bytes} bytes").into()),
            Err(ReadError::KeyNotFound) => Ok(None),
            Err(error) => Err(format!("{error:?}").into()),
        }
    })
}

#[test]
fn a_database_runs_on_a_simulated_nor_and_costs_time_and_wear() {
    let database = store(nor());
    finish(database.format()).expect("blank");
    for number in 0..300u32 {
        let pair = |step| ((number * 2 + step) as u8 % 40, number * 7 + step);
        put(&database, &[pair(0), pair(1)]).expect("room");
    }
    for key in 0..50 {
        let last = (0..600u32).rev().find(|number| *number as u8 % 40 == key);
        let expected = last.map(|number| number / 2 * 7 + number % 2);
        assert_eq!(
            get(&database, key).expect("readable"),
            expected,
            "key {key}"
        );
    }
    let mut pages = finish(database.lock_flash());
    let flash = pages.0.flash();
    assert!(
        flash.clock().now().ps() > 100_000_000_000,
        "{}",
        flash.clock().now()
    );
    assert!(flash.wear().most > 1, "{:?}", flash.wear());
}

struct DatabaseTest;

impl Subject for DatabaseTest {
    type Medium = FlashTearing;
    type Store = Store<Recorded<FlashTearing>>;
    type Call = Vec<(u8, u32)>;
    type State = BTreeMap<u8, u32>;

    fn prepare(&self, memory: Recorded<FlashTearing>) -> Outcome<()> {
        let formatted = finish(store(memory).format());
        formatted.map_err(|error| format!("{error:?}").into())
    }

    fn open(&self, memory: Recorded<FlashTearing>) -> Outcome<Self::Store> {
        let database = store(memory);
        finish(database.mount()).map_err(|error| format!("{error:?}"))?;
        Ok(database)
    }

    fn apply(&self, database: &mut Self::Store, pairs: &Vec<(u8, u32)>) -> Outcome<()> {
        put(database, pairs)
    }

    fn read(&self, database: &mut Self::Store) -> Outcome<BTreeMap<u8, u32>> {
        let mut found = BTreeMap::new();
        for key in 0..8 {
            if let Some(value) = get(database, key)? {
                found.insert(key, value);
            }
        }
        Ok(found)
    }

    fn next(&self, state: &BTreeMap<u8, u32>, pairs: &Vec<(u8, u32)>) -> BTreeMap<u8, u32> {
        let mut state = state.clone();
        state.extend(pairs.iter().copied());
        state
    }
}

/// The guide on Rust drivers states these figures.
#[test]
fn a_database_opens_what_power_cuts_leave_unless_a_header_is_torn() {
    let content = FlashContent::erased(small(256, 16, 32));
    let mut harness = Harness::new(content, FlashTearing::raw());
    harness.again = Some(Again {
        every: 16,
        mode: Mode::Linear,
    });
    let calls: Vec<_> = (0..24u32)
        .map(|n| vec![(n as u8 % 8, n), ((n * 3 + 1) as u8 % 8, !n)])
        .collect();
    let all = harness.check(&DatabaseTest, &calls);
    assert_eq!((all.images, all.failures), (17319, 326), "{all:?}");
    let case = &all.first.as_ref().expect("a failure").case;
    let failure = harness.replay(&DatabaseTest, &calls, case).expect("a case");
    let report = harness.report(&DatabaseTest, &calls, &failure.expect("fails"));
    assert!(report.to_string().contains("the first 2 B"), "{report}");
    harness.mode = Mode::Linear;
    let between = harness.check(&DatabaseTest, &calls);
    assert_eq!(between.first, None, "{between:?}");
}
