//! SQLite on the file systems.

mod sqlite;
