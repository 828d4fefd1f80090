//! What a program would move to and from its storage, were its memory smaller or larger.
//!
//! The reuse distance of an access is how many other pages were touched since its page was touched last. A memory of so many
//! pages that keeps those used last has the page if the distance is less (Mattson, Gecsei, Slutz and Traiger, "Evaluation
//! Techniques for Storage Hierarchies", 1970). One pass over a trace gives the distances, and so every capacity at once.
//!
//! Distances cost time and room for each page. SHARDS follows only pages whose hash lies below a threshold and scales what it
//! finds (Waldspurger, Park, Garthwaite and Ahmad, "Efficient MRC Construction with SHARDS", FAST 2015). At a rate of 1 every
//! page is followed, and the distances are exact.
//!
//! ```
//! use wordline_apps::capacity::{PageAccess, PageSampling, ReuseProfile, ReuseSampler};
//!
//! let mut sampler = ReuseSampler::new(PageSampling::ALL, 0);
//! for round in 0..4 {
//!     for page in 0..100 {
//!         sampler.access(PageAccess { page, is_written: round == 0 });
//!     }
//! }
//! let profile: ReuseProfile = sampler.finish();
//! // Too small by one: every access but the first to each page misses. What was written goes out once.
//! let spilt = profile.spilt(99.0);
//! assert_eq!((spilt.fetched_pages, spilt.written_pages), (300.0, 100.0));
//! assert_eq!(profile.spilt(100.0).pages(), 0.0);
//! ```

mod profile;
mod shards;
mod spill;
mod stack;
#[cfg(test)]
mod tests;

pub use profile::{ReuseProfile, SpiltPages};
pub use shards::{PageAccess, PageSampling, ReuseSampler};
pub use spill::{SpillModel, SpillModelError, SpilledBytes};
