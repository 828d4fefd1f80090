//! The integration tests, as one program.

#[path = "redb/mod.rs"]
mod redb;
