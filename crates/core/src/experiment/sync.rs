//! How writes are made safe from a power cut.

use crate::names::named;

named! {
    /// How each write is made safe from a power cut before it ends.
    pub enum WriteSync {
        /// By a flush behind it, which is part of the access.
        Flush = "flush",
        /// By the reliable write of an eMMC.
        Reliable = "reliable",
    }
}
