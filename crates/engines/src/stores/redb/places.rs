//! How many records fit.
//!
//! redb keeps records in a B-tree of pages, each a power of two times 4 KiB, and changes none in place. What is certain
//! to fit follows from three facts: a page that was split is half full at least, a database is doubled when it is full,
//! and a transaction writes new pages before those of the last one are free.

use crate::StoreOptions;

/// Bytes of its pages, which are not a choice.
const PAGE_BYTES: u64 = 4096;

/// Bytes of a leaf besides its records, and beside each record.
const LEAF: u64 = 4;
const LEAF_RECORD: u64 = 8;

/// Bytes of a branch besides its children, beside each child, and beside each key.
const BRANCH: u64 = 8;
const BRANCH_CHILD: u64 = 24;
const BRANCH_KEY: u64 = 4;

/// Pages that a transaction writes besides those of its record: redb's own trees.
const OWN_PAGES: u64 = 4;

/// Pages of an empty database: a header, and the least that redb begins with.
const FIRST_PAGES: u64 = 18;

/// Bytes of the smallest memory in which so many records fit, of a key and a value of so many bytes each, in whatever
/// order they come. Mostly redb makes do with less.
pub(super) fn memory_for(records: u64, options: &StoreOptions) -> u64 {
    let (key_bytes, value_bytes) = (options.key_bytes, options.value_bytes);
    let record = LEAF_RECORD + key_bytes + value_bytes;
    let leaf_pages = node_pages(LEAF + record);
    let branch_pages = node_pages(BRANCH + 2 * BRANCH_CHILD + BRANCH_KEY + key_bytes);
    let half = |pages: u64, head: u64, each: u64| ((pages * PAGE_BYTES - head) / each / 2).max(1);
    let fan_out = half(branch_pages, BRANCH, BRANCH_CHILD + BRANCH_KEY + key_bytes).max(2);

    let mut nodes = records.div_ceil(half(leaf_pages, LEAF, record)).max(1);
    let (mut tree, mut path) = (nodes * leaf_pages, leaf_pages);
    while nodes > 1 {
        nodes = nodes.div_ceil(fan_out);
        tree += nodes * branch_pages;
        path += branch_pages;
    }
    let database = tree + 2 * (OWN_PAGES + path);
    (2 * database + 1).max(FIRST_PAGES) * PAGE_BYTES
}

/// Records that are sure to fit a memory of some bytes, in whatever order they come; `None` where there is no room for
/// one.
pub(super) fn places(memory_bytes: u64, options: &StoreOptions) -> Option<u64> {
    let fit = |records| memory_for(records, options) <= memory_bytes;
    // A record takes eight bytes at least.
    let (mut fitting, mut above) = (0, memory_bytes / LEAF_RECORD + 1);
    while above - fitting > 1 {
        let middle = fitting + (above - fitting) / 2;
        match fit(middle) {
            true => fitting = middle,
            false => above = middle,
        }
    }
    (fitting > 0).then_some(fitting)
}

/// Pages of a node with so much in it.
fn node_pages(bytes: u64) -> u64 {
    bytes.div_ceil(PAGE_BYTES).next_power_of_two()
}
