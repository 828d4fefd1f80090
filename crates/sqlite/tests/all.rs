//! SQLite on the file systems.

mod crash;
mod sqlite;
