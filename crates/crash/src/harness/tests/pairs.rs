//! A store of numbers under keys in a flash memory, made to be broken.
//!
//! A block begins with a header, and goes on with records, one a page; the last record of a key counts. What is full,
//! or was opened, moves to another block, whose header comes last. The block that is left and the one before it stay
//! as they are, because the header that a cut interrupted may read well once and never again.

use std::collections::BTreeMap;

use wordline_core::draw::{Purpose, draw};
use wordline_memory::{Flash, FlashError, FlashErrorKind, Geometry};

use super::super::{Outcome, Recorded, Subject};
use crate::FlashTearing;
use wordline_nvm::NvmError;

/// One part of the store that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mutant {
    None,
    /// Records are taken as they read.
    NoChecksum,
    /// Headers are taken as they read.
    NoHeaderChecksum,
    /// The header comes before the records.
    HeaderFirst,
    /// The block before the last may be erased at once.
    KeepsOneBlock,
    /// A block that reads as erased is not erased.
    TrustsErased,
    /// What was opened stays in its block, and goes on after the last page that is not erased.
    StaysAfterOpening,
    /// A call returns before its record is stored.
    PromisesEarly,
    /// An erase or a program that failed counts as done.
    IgnoresFailures,
    /// The older of two blocks wins.
    OldestWins,
}

pub(super) type Values = BTreeMap<u32, u32>;

const MAGIC: u32 = 0x5041_4952;
const WORDS: usize = 4;

pub(super) const GEOMETRY: Geometry = Geometry {
    page_bytes: 4 * WORDS as u32,
    spare_bytes: 0,
    pages_per_block: 8,
    blocks: 5,
    program_bytes: 1,
    programs_per_page: None,
    once_bytes: None,
    in_order: false,
};

fn checksum([first, second, third]: [u32; 3]) -> u32 {
    let pair = u64::from(first) << 32 | u64::from(second);
    draw(pair, third.into(), 0, Purpose::Payload) as u32
}

#[derive(Debug)]
pub(super) struct Pairs<F> {
    flash: F,
    mutant: Mutant,
    block: u32,
    /// The block that was left last.
    before: u32,
    generation: u32,
    /// The next free page of the block.
    next: u32,
    values: Values,
    /// What was promised and not stored.
    owed: Option<(u32, u32)>,
}

impl<F: Flash<Error = NvmError>> Pairs<F> {
    pub(super) fn format(flash: F, mutant: Mutant) -> Outcome<()> {
        let mut store = Self {
            flash,
            mutant,
            block: 0,
            before: 0,
            generation: 0,
            next: 0,
            values: Values::new(),
            owed: None,
        };
        store.fill(1)?;
        Ok(())
    }

    pub(super) fn open(flash: F, mutant: Mutant) -> Outcome<Self> {
        let mut store = Self {
            flash,
            mutant,
            block: 0,
            before: 0,
            generation: 0,
            next: 1,
            values: Values::new(),
            owed: None,
        };
        let mut found = Vec::new();
        for block in 0..store.flash.geometry().blocks {
            if let Some(generation) = store.header(block)? {
                found.push((generation, block));
            }
        }
        found.sort_unstable();
        if mutant == Mutant::OldestWins {
            found.reverse();
        }
        let (generation, block) = found.pop().ok_or("no block has a header")?;
        store.generation = generation;
        store.block = block;
        store.before = found.pop().map_or(block, |(_, before)| before);
        store.load()?;
        if mutant != Mutant::StaysAfterOpening {
            store.move_on()?;
        }
        Ok(store)
    }

    pub(super) fn values(&self) -> Values {
        self.values.clone()
    }

    pub(super) fn put(&mut self, key: u32, value: u32) -> Outcome<()> {
        self.values.insert(key, value);
        let (key, value) = if self.mutant == Mutant::PromisesEarly {
            let Some(owed) = self.owed.replace((key, value)) else {
                return Ok(());
            };
            owed
        } else {
            (key, value)
        };
        if self.next == self.flash.geometry().pages_per_block {
            return self.move_on();
        }
        let page = self.page(self.block, self.next);
        self.next += 1;
        if self.store(page, [key, value, self.generation])? {
            Ok(())
        } else {
            self.move_on()
        }
    }

    fn page(&self, block: u32, page: u32) -> u32 {
        block * self.flash.geometry().pages_per_block + page
    }

    fn words(&mut self, page: u32) -> Outcome<[u32; WORDS]> {
        let mut bytes = [0; 4 * WORDS];
        match self.flash.read(page, 0, &mut bytes) {
            // What was torn counts for nothing, whatever it reads.
            Err(error) if error.kind() == FlashErrorKind::Uncorrectable => bytes = [0; 4 * WORDS],
            result => _ = result?,
        }
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes(bytes.try_into()?);
        }
        Ok(words)
    }

    /// Programs a page; whether that went well.
    fn store(&mut self, page: u32, words: [u32; 3]) -> Outcome<bool> {
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(checksum(words).to_le_bytes());
        let result = self.flash.program(page, 0, &bytes);
        went_well(result).map(|well| well || self.mutant == Mutant::IgnoresFailures)
    }

    fn header(&mut self, block: u32) -> Outcome<Option<u32>> {
        let [magic, generation, count, sum] = self.words(self.page(block, 0))?;
        let is_whole =
            self.mutant == Mutant::NoHeaderChecksum || sum == checksum([magic, generation, count]);
        Ok((magic == MAGIC && is_whole).then_some(generation))
    }

    /// Reads the records of the block.
    fn load(&mut self) -> Outcome<()> {
        for page in 1..self.flash.geometry().pages_per_block {
            let [key, value, generation, sum] = self.words(self.page(self.block, page))?;
            let is_whole =
                self.mutant == Mutant::NoChecksum || sum == checksum([key, value, generation]);
            if [key, value, generation, sum] == [u32::MAX; WORDS] {
                continue;
            }
            self.next = page + 1;
            if is_whole {
                self.values.insert(key, value);
            }
        }
        Ok(())
    }

    /// Moves all values to another block.
    fn move_on(&mut self) -> Outcome<()> {
        let blocks = self.flash.geometry().blocks;
        for block in 0..blocks {
            let is_left = block == self.before && self.mutant != Mutant::KeepsOneBlock;
            if block != self.block && !is_left && self.fill(block)? {
                return Ok(());
            }
        }
        Err("every block fails".into())
    }

    /// Fills a block with all values; whether that went well.
    fn fill(&mut self, block: u32) -> Outcome<bool> {
        let generation = self.generation.wrapping_add(1);
        let header = [MAGIC, generation, self.values.len() as u32];
        let ignores = self.mutant == Mutant::IgnoresFailures;
        if !self.is_erased(block)? && !went_well(self.flash.erase(block))? && !ignores {
            return Ok(false);
        }
        let is_first = self.mutant == Mutant::HeaderFirst;
        if is_first && !self.store(self.page(block, 0), header)? {
            return Ok(false);
        }
        let mut next = 1;
        for (key, value) in self.values.clone() {
            if !self.store(self.page(block, next), [key, value, generation])? {
                return Ok(false);
            }
            next += 1;
        }
        if !is_first && !self.store(self.page(block, 0), header)? {
            return Ok(false);
        }
        self.before = self.block;
        self.block = block;
        self.generation = generation;
        self.next = next;
        Ok(true)
    }

    /// Whether a block needs no erase, which reading alone cannot show.
    fn is_erased(&mut self, block: u32) -> Outcome<bool> {
        if self.mutant != Mutant::TrustsErased {
            return Ok(false);
        }
        for page in 0..self.flash.geometry().pages_per_block {
            if self.words(self.page(block, page))? != [u32::MAX; WORDS] {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether an operation went well, or failed as blocks do that go bad.
fn went_well(result: Result<(), NvmError>) -> Outcome<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error) => match error.kind() {
            FlashErrorKind::ProgramFailed
            | FlashErrorKind::EraseFailed
            | FlashErrorKind::BadBlock => Ok(false),
            _ => Err(error.into()),
        },
    }
}

/// The store under test.
pub(super) struct PairsTest(pub(super) Mutant);

impl Subject for PairsTest {
    type Medium = FlashTearing;
    type Store = Pairs<Recorded<FlashTearing>>;
    type Call = (u32, u32);
    type State = Values;

    fn prepare(&self, memory: Recorded<FlashTearing>) -> Outcome<()> {
        Pairs::format(memory, self.0)
    }

    fn open(&self, memory: Recorded<FlashTearing>) -> Outcome<Self::Store> {
        Pairs::open(memory, self.0)
    }

    fn apply(&self, store: &mut Self::Store, (key, value): &(u32, u32)) -> Outcome<()> {
        store.put(*key, *value)
    }

    fn read(&self, store: &mut Self::Store) -> Outcome<Values> {
        Ok(store.values())
    }

    fn next(&self, state: &Values, (key, value): &(u32, u32)) -> Values {
        let mut state = state.clone();
        state.insert(*key, *value);
        state
    }

    fn after(&self) -> Vec<(u32, u32)> {
        vec![(1, 0x0F0F_0F0F)]
    }

    fn simpler(&self, (key, value): &(u32, u32)) -> Vec<(u32, u32)> {
        if *value == 0 {
            return Vec::new();
        }
        vec![(*key, 0)]
    }
}
