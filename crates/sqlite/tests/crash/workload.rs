//! The fixed workload: transactions of one to eight rows on two tables.

use wordline_engines::crash::StoredBytes;
use wordline_sqlite::crash::{RowChange, SqlCall};

/// A value of so many bytes, none of them zero.
fn value(byte: u8, bytes: usize) -> StoredBytes {
    let at = |place: usize| byte.wrapping_add((place as u8).wrapping_mul(29)) | 1;
    StoredBytes((0..bytes).map(at).collect())
}

fn put(key: i64, byte: u8, bytes: usize) -> RowChange {
    RowChange::Put("t", key, value(byte, bytes))
}

/// Rows in several pages.
pub(crate) fn before() -> Vec<SqlCall> {
    let rows = (0..8).map(|key| put(key, key as u8, 200));
    vec![SqlCall::CreateTable("t"), SqlCall::Change(rows.collect())]
}

/// Inserts, updates and deletes, a row of two pages that makes the file longer, tables that come and go, a checkpoint, and a
/// rollback after pages have left the cache.
pub(crate) fn workload() -> Vec<SqlCall> {
    let remove = |key| RowChange::Remove("t", key);
    vec![
        SqlCall::Change(vec![put(20, 40, 60), put(21, 41, 60)]),
        SqlCall::Change(vec![put(0, 50, 150), put(22, 51, 1100), remove(3)]),
        SqlCall::CreateTable("u"),
        SqlCall::Change(vec![RowChange::Put("u", 1, value(60, 20)), put(0, 61, 700)]),
        SqlCall::Checkpoint,
        SqlCall::Rollback((0..8).map(|key| put(key, 80 + key as u8, 400)).collect()),
        SqlCall::Change((0..6).map(remove).collect()),
        SqlCall::DropTable("u"),
        SqlCall::Change(vec![put(5, 70, 30)]),
    ]
}

/// What every database that was opened again is used for.
pub(crate) fn after() -> Vec<SqlCall> {
    vec![SqlCall::Change(vec![put(99, 9, 9)])]
}
