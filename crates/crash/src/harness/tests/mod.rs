//! The harness proves itself: a small store passes, and each of its parts, when taken away, is caught.

mod cells;
mod mutants;
mod pairs;
