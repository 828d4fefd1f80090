//! One level of a cache: sets of lines, least recently used out first.

use serde::{Deserialize, Serialize};

/// Bytes of a line.
const LINE: u64 = 64;

/// Sets that differ in the lowest bits of a line's number.
const LOW_SETS: u64 = 64;

/// Most lines of a set: so many fill a line of the host.
const WAYS_MAX: u32 = 16;

/// No line.
const EMPTY: u32 = u32::MAX;

/// A cache: its size and the lines of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheSetting {
    /// Bytes.
    pub bytes: u64,
    /// Lines of a set.
    pub ways: u32,
    /// Whether the place of a line is hashed, as last caches of servers do; others take its lowest bits.
    pub hashed: bool,
}

/// A cache that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CacheSettingError {
    /// Lines of a set.
    #[error("sets of {0} lines; allowed: 1 to {WAYS_MAX}")]
    Ways(u32),
    /// Size.
    #[error(
        "a cache of {bytes} bytes with {ways} lines in a set; allowed: one set of 64-byte lines to 1 GiB"
    )]
    Size {
        /// What was given.
        bytes: u64,
        /// Lines of a set.
        ways: u32,
    },
}

impl CacheSetting {
    /// A cache whose place of a line is its lowest bits.
    #[must_use]
    pub const fn plain(bytes: u64, ways: u32) -> Self {
        Self {
            bytes,
            ways,
            hashed: false,
        }
    }

    /// A cache that hashes the places of its lines.
    #[must_use]
    pub const fn hashed(bytes: u64, ways: u32) -> Self {
        Self {
            bytes,
            ways,
            hashed: true,
        }
    }

    /// Sets: a power of two below 64, else a multiple of 64; what does not fit is left out.
    ///
    /// # Errors
    /// When no such cache can be.
    pub fn sets(&self) -> Result<u64, CacheSettingError> {
        if !(1..=WAYS_MAX).contains(&self.ways) {
            return Err(CacheSettingError::Ways(self.ways));
        }
        let (bytes, ways) = (self.bytes, self.ways);
        let sets = bytes / LINE / u64::from(ways);
        match sets {
            0 => Err(CacheSettingError::Size { bytes, ways }),
            _ if bytes > 1 << 30 => Err(CacheSettingError::Size { bytes, ways }),
            1..LOW_SETS => Ok(1 << sets.ilog2()),
            _ => Ok(sets / LOW_SETS * LOW_SETS),
        }
    }
}

/// Places of a set, used or not.
const LANES: usize = WAYS_MAX as usize;

/// A set: its lines with their dirty bits, the last used one first.
type LineSet = [u32; LANES];

/// The lines of a cache.
#[derive(Clone, Debug)]
pub struct LineCache {
    sets: Vec<LineSet>,
    /// A bit for each lane that is used.
    lanes: u32,
    last_lane: usize,
    low_mask: u32,
    low_bits: u32,
    groups: u32,
    /// Whether groups are a power of two and places are not hashed.
    plain: bool,
}

/// A bit for each lane that has a line, dirty or not. All lanes are compared at once: the loop has no exit, so that it
/// becomes vectors.
#[inline]
fn lanes_with(set: &LineSet, line: u32) -> u32 {
    let mut same = [0_u8; LANES];
    for (same, here) in same.iter_mut().zip(set) {
        *same = u8::from(here & !1 == line << 1);
    }
    // A product gathers the lowest bits of eight bytes in its highest byte.
    let gathered = |bytes: u64| (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32;
    let all = u128::from_le_bytes(same);
    gathered(all as u64) | gathered((all >> 64) as u64) << 8
}

/// What an access found, and what it put out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CacheAnswer {
    pub(super) hit: bool,
    /// The line that left, and whether it was dirty.
    pub(super) victim: Option<(u32, bool)>,
}

impl LineCache {
    /// An empty cache.
    ///
    /// # Errors
    /// When no such cache can be.
    pub fn new(setting: CacheSetting) -> Result<Self, CacheSettingError> {
        let sets = setting.sets()?;
        let low = sets.min(LOW_SETS);
        let groups = (sets / low) as u32;
        Ok(Self {
            sets: vec![[EMPTY; LANES]; sets as usize],
            lanes: u32::MAX >> (32 - setting.ways),
            last_lane: setting.ways as usize - 1,
            low_mask: low as u32 - 1,
            low_bits: low.ilog2(),
            groups,
            plain: groups.is_power_of_two() && !setting.hashed,
        })
    }

    /// The number of a line's set.
    #[inline]
    pub(super) fn place(&self, line: u32) -> usize {
        let low = line & self.low_mask;
        let high = line >> self.low_bits;
        let group = if self.plain {
            high & (self.groups - 1)
        } else {
            // The upper bits of a product spread neighbours evenly over any number of groups.
            let mixed = high.wrapping_mul(0x9E37_79B1);
            ((u64::from(mixed) * u64::from(self.groups)) >> 32) as u32
        };
        ((group << self.low_bits) | low) as usize
    }

    /// The line that was used last in a set; reading it brings the set into the host's caches.
    #[inline]
    pub(super) fn first(&self, place: usize) -> u32 {
        self.sets[place][0]
    }

    /// Looks for a line; one that is not there comes in.
    #[inline]
    pub(super) fn access(&mut self, line: u32, dirty: bool) -> CacheAnswer {
        let place = self.place(line);
        let set = &mut self.sets[place];
        if set[0] >> 1 == line {
            set[0] |= u32::from(dirty);
            return CacheAnswer {
                hit: true,
                victim: None,
            };
        }
        let found = lanes_with(set, line) & self.lanes;
        if found == 0 {
            let out = set[self.last_lane % LANES];
            // What moves beyond the last way is not looked at.
            set.copy_within(0..LANES - 1, 1);
            set[0] = line << 1 | u32::from(dirty);
            return CacheAnswer {
                hit: false,
                victim: (out != EMPTY).then_some((out >> 1, out & 1 == 1)),
            };
        }
        let lane = found.trailing_zeros() as usize % LANES;
        let here = set[lane];
        for at in (1..=lane).rev() {
            set[at] = set[at - 1];
        }
        set[0] = here | u32::from(dirty);
        CacheAnswer {
            hit: true,
            victim: None,
        }
    }

    /// Marks a line dirty where it is, without using it; a line that is not there comes in.
    #[inline]
    pub(super) fn write_back(&mut self, line: u32) -> CacheAnswer {
        let place = self.place(line);
        let set = &mut self.sets[place];
        let found = lanes_with(set, line) & self.lanes;
        if found != 0 {
            set[found.trailing_zeros() as usize % LANES] |= 1;
            return CacheAnswer {
                hit: true,
                victim: None,
            };
        }
        self.access(line, true)
    }
}
