//! The longest total duration of `n` consecutive accesses, for a list of `n`.

use std::collections::VecDeque;

use wordline_core::quantity::Time;

use super::BacklogError;

/// Accesses in a chunk.
const CHUNK: usize = 4096;
/// Accesses in a group, which is looked at only when its bound allows a new longest sequence.
const GROUP: usize = 64;
/// Up to here doubles hold integers exactly.
const EXACT: u64 = 1 << 53;

/// Takes durations one by one and finds, for each length of a list, the longest sequence.
///
/// Memory is 8 bytes for each access of the longest length, and never for more accesses than the
/// log has. No method that reads the log once can do with less: until the end is known, any of the
/// last `n` accesses may turn out to begin the longest sequence of length `n`. [`Self::within`]
/// therefore holds the history to a number of accesses; longer lengths then come as bounds, from
/// sums of 4096 accesses, that differ by the duration of fewer than 12 288 accesses.
///
/// Work is `O(1)` for an access and a length at worst, a fifth of a nanosecond each; groups of 64
/// accesses whose outer bound does not exceed the longest sequence so far cost a sixty-fourth of
/// that.
///
/// ```
/// use wordline_core::quantity::Time;
/// use wordline_lab::backlog::Longest;
/// let mut longest = Longest::of(&[1, 2]);
/// for us in [1, 5, 2, 4, 4] {
///     longest.push(Time::from_ps(us * 1_000_000));
/// }
/// let found = longest.finish()?;
/// assert_eq!((found[0].most.ps(), found[0].first), (5_000_000, Some(1)));
/// assert_eq!((found[1].most.ps(), found[1].first), (8_000_000, Some(3)));
/// # Ok::<(), wordline_lab::backlog::BacklogError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Longest {
    lengths: Vec<Length>,
    /// Time at the start of the chunk that is being filled.
    origin: u64,
    /// Accesses before that chunk.
    before: u64,
    /// Time before each access of that chunk, since `origin`: exact while below 2⁵³.
    sums: Vec<f64>,
    sum: u64,
    /// Full chunks before it, as many as the lengths need.
    history: VecDeque<Chunk>,
    keep: usize,
    /// Time at the start of every chunk, when some lengths are beyond the history.
    origins: Option<Vec<u64>>,
    too_much: bool,
}

#[derive(Clone, Debug)]
struct Chunk {
    origin: u64,
    sums: Box<[f64]>,
}

#[derive(Clone, Debug)]
struct Length {
    accesses: u64,
    /// Longest so far, and where it begins.
    found: Option<(u64, u64)>,
    /// Whether the history reaches back far enough.
    exact: bool,
}

/// The longest sequence of one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Its number of accesses.
    pub accesses: u64,
    /// The longest sequence lasts at least this.
    pub least: Time,
    /// And at most this; the same, unless the length is beyond the history.
    pub most: Time,
    /// The number of its first access, from 0, when it is known: the first of several.
    pub first: Option<u64>,
}

impl Longest {
    /// Looks for sequences of `lengths` accesses, exactly. Lengths of zero are left out; the order
    /// is kept.
    #[must_use]
    pub fn of(lengths: &[u64]) -> Self {
        Self::within(lengths, u64::MAX)
    }

    /// The same, with a history of about `history` accesses at most, 8 bytes each. Lengths beyond
    /// it come as bounds.
    #[must_use]
    pub fn within(lengths: &[u64], history: u64) -> Self {
        let lengths = lengths.iter().filter(|&&accesses| accesses > 0);
        let lengths: Vec<Length> = lengths
            .map(|&accesses| Length {
                accesses,
                found: None,
                exact: accesses <= history,
            })
            .collect();
        let exact = lengths.iter().filter(|length| length.exact);
        let reach = exact.map(|length| length.accesses).max().unwrap_or(0);
        let bounded = lengths.iter().any(|length| !length.exact);
        Self {
            lengths,
            origin: 0,
            before: 0,
            sums: Vec::with_capacity(CHUNK + 1),
            sum: 0,
            history: VecDeque::new(),
            keep: usize::try_from(reach.div_ceil(CHUNK as u64)).unwrap_or(usize::MAX),
            origins: bounded.then(Vec::new),
            too_much: false,
        }
    }

    /// Adds an access.
    #[inline]
    pub fn push(&mut self, duration: Time) {
        self.sums.push(self.sum as f64);
        match self.sum.checked_add(duration.ps()) {
            Some(sum) => self.sum = sum,
            None => self.too_much = true,
        }
        if self.sums.len() == CHUNK {
            self.close();
        }
    }

    /// Looks at all sequences that end in the chunk, and makes it history.
    fn close(&mut self) {
        let count = self.sums.len();
        let Some(end) = self.origin.checked_add(self.sum) else {
            self.too_much = true;
            return;
        };
        if let Some(origins) = &mut self.origins {
            origins.push(self.origin);
        }
        // Point `i` of the chunk is the time before its access `i`. The end of its last access is
        // the first point of the next chunk, and here a last one.
        let mut sums = std::mem::take(&mut self.sums);
        sums.push(self.sum as f64);
        let exact = self.sum < EXACT;
        let chunk = Chunk {
            origin: self.origin,
            sums: sums.into_boxed_slice(),
        };
        self.history.push_back(chunk);
        if exact {
            self.look(count);
        } else {
            // A chunk of hours cannot be held in doubles.
            self.too_much = true;
        }
        while self.history.len() > self.keep {
            self.history.pop_front();
        }
        self.before += count as u64;
        self.origin = end;
        self.sum = 0;
        self.sums = Vec::with_capacity(CHUNK + 1);
    }

    /// Tries every length at the points 1 to `count` of the last chunk.
    fn look(&mut self, count: usize) {
        let (Some(last), index) = (self.history.back(), self.history.len() - 1) else {
            return;
        };
        for length in self.lengths.iter_mut().filter(|length| length.exact) {
            // Points that end a sequence of this length.
            let mut point = 1.max(length.accesses.saturating_sub(self.before)) as usize;
            while point <= count {
                // Where the sequence that ends at `point` begins: the chunk and the point in it.
                let back = length.accesses as usize;
                let (chunk, from) = if point >= back {
                    (index, point - back)
                } else {
                    let behind = back - point;
                    let chunks = behind.div_ceil(CHUNK);
                    (index - chunks, chunks * CHUNK - behind)
                };
                let run = (CHUNK - from).min(count + 1 - point);
                let begun = &self.history[chunk];
                length.compare(
                    &last.sums[point..point + run],
                    &begun.sums[from..from + run],
                    last.origin - begun.origin,
                    self.before + point as u64,
                );
                point += run;
            }
        }
    }

    /// The longest sequence of each length, in the order of the lengths; lengths beyond the log are
    /// left out.
    ///
    /// # Errors
    /// [`BacklogError::TooMuch`] when the log exceeds 213 days, or 4096 accesses 2.5 hours.
    pub fn finish(mut self) -> Result<Vec<Sequence>, BacklogError> {
        if !self.sums.is_empty() {
            self.close();
        }
        if self.too_much {
            return Err(BacklogError::TooMuch);
        }
        let mut origins = self.origins.take().unwrap_or_default();
        origins.push(self.origin);
        let count = self.before;
        let lengths = self.lengths.iter();
        Ok(lengths
            .filter(|length| length.accesses <= count)
            .map(|length| match length.found {
                Some((most, first)) => Sequence {
                    accesses: length.accesses,
                    least: Time::from_ps(most),
                    most: Time::from_ps(most),
                    first: Some(first),
                },
                None => bounds(&origins, count, length.accesses),
            })
            .collect())
    }
}

impl Length {
    /// Tries the sequences from each of `begun` to its like in `ended`, which lie `apart` beyond
    /// their sums. `end` is the number of accesses before the first of `ended`.
    fn compare(&mut self, ended: &[f64], begun: &[f64], apart: u64, end: u64) {
        let (mut most, mut best) = match self.found {
            // In terms of this pair; negative when the distance alone exceeds it.
            Some((most, _)) => (signed(most, apart), None),
            None => (f64::NEG_INFINITY, None),
        };
        for (group, (ended, begun)) in ended.chunks(GROUP).zip(begun.chunks(GROUP)).enumerate() {
            // Both rise, so no pair exceeds the last end and the first start.
            let (Some(latest), Some(earliest)) = (ended.last(), begun.first()) else {
                continue;
            };
            if latest - earliest > most {
                let highest = highest(ended, begun);
                if highest > most {
                    most = highest;
                    best = Some(group * GROUP);
                }
            }
        }
        if let Some(from) = best {
            let pairs = ended[from..].iter().zip(&begun[from..]);
            let offset = pairs.map(|(ended, begun)| ended - begun);
            let offset = from + offset.take_while(|&lasts| lasts < most).count();
            let lasts = (i128::from(apart) + most as i128) as u64;
            self.found = Some((lasts, end + offset as u64 - self.accesses));
        }
    }
}

/// `most - apart`, rounded down where doubles are too coarse: then nothing is passed over.
fn signed(most: u64, apart: u64) -> f64 {
    let difference = i128::from(most) - i128::from(apart);
    let rounded = difference as f64;
    if rounded as i128 > difference {
        rounded.next_down()
    } else {
        rounded
    }
}

/// The greatest difference of like elements, in lanes that run beside each other.
fn highest(ended: &[f64], begun: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut most = [f64::NEG_INFINITY; LANES];
    let (ended, begun) = (ended.chunks_exact(LANES), begun.chunks_exact(LANES));
    let mut rest = f64::NEG_INFINITY;
    for (ended, begun) in ended.remainder().iter().zip(begun.remainder()) {
        rest = rest.max(ended - begun);
    }
    for (ended, begun) in ended.zip(begun) {
        for lane in 0..LANES {
            let lasts = ended[lane] - begun[lane];
            most[lane] = if lasts > most[lane] {
                lasts
            } else {
                most[lane]
            };
        }
    }
    most.into_iter().fold(rest, f64::max)
}

/// Bounds from the times at the starts of chunks, the last being the end of the log.
fn bounds(origins: &[u64], count: u64, accesses: u64) -> Sequence {
    let chunk = CHUNK as u64;
    let at = |index: u64| origins[(index as usize).min(origins.len() - 1)];
    let (mut least, mut most) = (0, 0);
    for first in 0..=(count - accesses) / chunk {
        // Sequences that begin in chunk `first`.
        let end = first * chunk + accesses;
        least = least.max(at(end / chunk) - at(first));
        let latest = (end + chunk - 1).min(count);
        most = most.max(at(latest.div_ceil(chunk)) - at(first));
    }
    Sequence {
        accesses,
        least: Time::from_ps(least),
        most: Time::from_ps(most),
        first: None,
    }
}
