//! Tests of RocksDB on file systems in RAM.

#[cfg(feature = "rocksdb")]
mod rocksdb;
