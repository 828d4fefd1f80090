//! The sheets of a kind by their ids. Those that come along are parsed when somebody asks for them, once for all catalogues.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, OnceLock};

use crate::packed::{SHEETS, index};
use crate::{Board, CatalogError, Counters, Die, Module, Part, Sheet, SheetError, System, sheet};

/// The embedded sheets that were asked for.
static PARSED: [OnceLock<Sheet>; SHEETS] = [const { OnceLock::new() }; SHEETS];

/// An embedded sheet. That it is sound is checked by [`check_embedded`].
fn embedded(number: usize) -> &'static Sheet {
    PARSED[number].get_or_init(|| match parse_embedded(number) {
        Ok(sheet) => sheet,
        Err(errors) => panic!("{}", CatalogError::Sheets(errors)),
    })
}

fn parse_embedded(number: usize) -> Result<Sheet, Vec<SheetError>> {
    let sheet = &index()[number];
    sheet::parse_embedded(sheet.file, &sheet.text())
}

/// Everything that is wrong with single embedded sheets.
pub(crate) fn check_embedded() -> Vec<SheetError> {
    let all = (0..SHEETS).filter_map(|number| parse_embedded(number).err());
    all.flatten().collect()
}

/// A kind of sheet.
pub(crate) trait SheetKind: Sized + 'static {
    /// The key of its id, which says what a file describes.
    const KEY: &'static str;

    /// The sheet, where it is of this kind.
    fn of(sheet: &Sheet) -> Option<&Self>;
}

macro_rules! kind {
    ($($kind:ident $key:literal),*) => {$(
        impl SheetKind for $kind {
            const KEY: &'static str = $key;

            fn of(sheet: &Sheet) -> Option<&Self> {
                match sheet {
                    Sheet::$kind(sheet) => Some(sheet),
                    _ => None,
                }
            }
        }
    )*};
}

kind!(Part "part", Board "board", Die "die", Module "module", System "system", Counters "counters");

/// Sheets of a kind by id, ascending.
#[derive(Clone, Debug)]
pub(crate) struct Shelf<T>(BTreeMap<String, ShelvedSheet<T>>);

/// A sheet that comes along, by its number, or one of the user's.
#[derive(Clone, Debug)]
enum ShelvedSheet<T> {
    Embedded(usize),
    Own(Arc<T>),
}

impl<T: SheetKind> ShelvedSheet<T> {
    fn sheet(&self) -> &T {
        match self {
            Self::Embedded(number) => match T::of(embedded(*number)) {
                Some(sheet) => sheet,
                None => unreachable!("the index says what the sheet describes"),
            },
            Self::Own(sheet) => sheet,
        }
    }
}

impl<T: SheetKind> Shelf<T> {
    /// The sheets that come along.
    pub(crate) fn embedded() -> Self {
        let all = index().iter().enumerate();
        let of_kind = all.filter(|(_, sheet)| sheet.kind == T::KEY);
        let named =
            of_kind.map(|(number, sheet)| (sheet.id.to_owned(), ShelvedSheet::Embedded(number)));
        Self(named.collect())
    }

    /// The ids of all sheets.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// Whether there is a sheet of an id.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// The sheet of an id.
    pub(crate) fn get(&self, id: &str) -> Option<&T> {
        self.0.get(id).map(ShelvedSheet::sheet)
    }

    /// All sheets.
    pub(crate) fn sheets(&self) -> impl Iterator<Item = &T> {
        self.0.values().map(ShelvedSheet::sheet)
    }

    /// The sheets that were put here, without those that come along.
    pub(crate) fn own(&self) -> impl Iterator<Item = &T> {
        self.0.values().filter_map(|entry| match entry {
            ShelvedSheet::Own(sheet) => Some(&**sheet),
            ShelvedSheet::Embedded(_) => None,
        })
    }

    /// Puts a sheet under an id and calls what it replaces.
    pub(crate) fn put<R>(&mut self, id: String, sheet: T, replaced: impl Fn(&T) -> R) -> Option<R> {
        let old = self.0.insert(id, ShelvedSheet::Own(Arc::new(sheet)));
        old.map(|old| replaced(old.sheet()))
    }

    /// Puts a sheet under an id that has none.
    pub(crate) fn put_if_new(&mut self, id: String, sheet: T) {
        if let Entry::Vacant(entry) = self.0.entry(id) {
            entry.insert(ShelvedSheet::Own(Arc::new(sheet)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::UNPACKED;

    /// A program that opens one part waits for no other.
    #[test]
    fn a_sheet_is_parsed_of_its_own_pack_alone() {
        for number in 0..SHEETS {
            let before = UNPACKED.get();
            parse_embedded(number).expect("sound");
            assert_eq!(UNPACKED.get() - before, 1, "{}", index()[number].file);
        }
    }
}
