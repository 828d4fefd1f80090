//! SD cards and eMMC: a front end, a controller with a translation layer, and a NAND array behind it.
//!
//! A [`Card`] is made of mechanism, not of a table of access times. Its front end
//! ([`bus::sd`](crate::bus::sd)) costs clocks; its controller keeps pages that are not full yet, asks
//! the [translation layer](crate::ftl) where pages go, and cleans when it must or when it is idle;
//! its array programs on several dies side by side. Long accesses come out of that, and say what they
//! were [spent on](crate::Cause). The bytes lie apart, in a store by logical sector: the array takes
//! time alone.
//!
//! `docs/concepts/cards.md` says what is modelled, and what is not.

mod array;
mod bound;
mod check;
mod contracts;
mod controller;
mod device;
mod line;
mod model;
mod sheet;
mod store;

pub use array::CardArray;
pub use device::Card;
pub use sheet::{
    ArraySheet, CardInterface, CardSheet, ControllerSheet, MappingKind, SlcSheet, VictimKind,
};

#[cfg(test)]
mod tests;
