//! A hash made ready for a system: one matrix over the bits of all fields, and its inverse.
//!
//! Of a field with `odd × 2ⁿ` values the low `n` bits are *free*: they can be any, whatever the rest of the value is. Of
//! channels that clusters share, so are those of a share, so that no line leaves the channels of its cluster.
//! Free bits alone are hashed, so that no value leaves its range. Bits above them can be XORed into others, but stay.
//! The matrix is square over all bits, with a row of its own bit alone for each that stays: a place is one to one with
//! its hash exactly where the matrix can be inverted.

use super::{AddressField, AddressHash, HashBit, HashRule};

const FIELDS: usize = AddressField::ALL.len();

/// The matrix and its inverse, as what they change.
#[derive(Clone, Debug, Default)]
pub(super) struct HashMatrix {
    forth: XorSteps,
    back: XorSteps,
}

/// What a matrix changes, as the fewest steps.
#[derive(Clone, Debug, Default)]
struct XorSteps {
    moves: Vec<XorMove>,
    parities: Vec<XorParity>,
}

/// Bits of one field XORed into another, all by the same distance.
#[derive(Clone, Copy, Debug)]
struct XorMove {
    from: usize,
    to: usize,
    /// One of both is 0.
    left: u32,
    right: u32,
    /// The bits that are changed.
    mask: u32,
}

/// The parity of some bits of one field, XORed into one bit of another.
#[derive(Clone, Copy, Debug)]
struct XorParity {
    from: usize,
    to: usize,
    /// The bits that are summed.
    mask: u32,
    /// The bit that is changed.
    bit: u32,
}

/// Fields with their values, and what the bits of an address are.
pub(super) struct HashGround<'a> {
    /// Values of each field, in the order of [`AddressField::ALL`].
    pub(super) extents: &'a [u64; FIELDS],
    /// Field and bit of each address bit from the 6th; none where the bit is none of a single field.
    pub(super) address_bits: Vec<Option<(usize, u32)>>,
    /// Clusters of all sockets, which have equal shares of the channels, one behind the other.
    pub(super) nodes: u64,
}

/// Bits of a field's values.
pub(super) const fn width(extent: u64) -> u32 {
    u64::BITS - (extent - 1).leading_zeros()
}

/// Lowest bit of an address that is one of a line's number.
const LINE_BITS: u32 = 6;

impl HashMatrix {
    /// The matrix of a hash.
    ///
    /// # Errors
    /// With what is wrong: another number of bits than a field has, a bit that does not exist or stands twice, or bits
    /// that depend on each other.
    pub(super) fn new(hash: &AddressHash, ground: &HashGround<'_>) -> Result<Self, String> {
        if hash.rules.is_empty() {
            return Ok(Self::default());
        }
        let layout = BitLayout::new(ground);
        let mut rows: Vec<u128> = (0..layout.bits()).map(|bit| 1 << bit).collect();
        for rule in &hash.rules {
            match rule {
                HashRule::Low(fields) => layout.spread(&mut rows, fields, false),
                HashRule::Fold(fields) => layout.spread(&mut rows, fields, true),
                HashRule::Bits(field, bits) => layout.assign(&mut rows, *field, bits, ground)?,
            }
        }
        let inverse = inverse(&rows).map_err(|zero| {
            let names: Vec<_> = layout.names(zero).collect();
            format!(
                "the matrix is singular: the XOR of {} is always 0, so that they depend on each other",
                names.join(", ")
            )
        })?;
        Ok(Self {
            forth: layout.steps(&rows),
            back: layout.steps(&inverse),
        })
    }

    /// The hashed place of a plain one.
    #[inline]
    pub(super) fn hashed(&self, values: [u32; FIELDS]) -> [u32; FIELDS] {
        self.forth.apply(values)
    }

    /// The plain place of a hashed one.
    pub(super) fn plain(&self, values: [u32; FIELDS]) -> [u32; FIELDS] {
        self.back.apply(values)
    }
}

impl XorSteps {
    #[inline]
    fn apply(&self, values: [u32; FIELDS]) -> [u32; FIELDS] {
        let mut changed = values;
        for one in &self.moves {
            changed[one.to] ^= ((values[one.from] << one.left) >> one.right) & one.mask;
        }
        for one in &self.parities {
            changed[one.to] ^= ((values[one.from] & one.mask).count_ones() & 1) << one.bit;
        }
        changed
    }

    /// Adds what bits of one field change in another: pairs of a source and a target. A parity counts for two moves.
    fn add(&mut self, from: usize, to: usize, pairs: &[(u32, u32)]) {
        let mut moves: Vec<XorMove> = Vec::new();
        let mut parities: Vec<XorParity> = Vec::new();
        for &(old, bit) in pairs {
            let (left, right) = (bit.saturating_sub(old), old.saturating_sub(bit));
            match moves
                .iter_mut()
                .find(|one| (one.left, one.right) == (left, right))
            {
                Some(one) => one.mask |= 1 << bit,
                None => moves.push(XorMove {
                    from,
                    to,
                    left,
                    right,
                    mask: 1 << bit,
                }),
            }
            match parities.iter_mut().find(|one| one.bit == bit) {
                Some(one) => one.mask |= 1 << old,
                None => parities.push(XorParity {
                    from,
                    to,
                    mask: 1 << old,
                    bit,
                }),
            }
        }
        if 2 * parities.len() < moves.len() {
            self.parities.append(&mut parities);
        } else {
            self.moves.append(&mut moves);
        }
    }
}

/// Where the bits of the fields lie in a row of the matrix.
struct BitLayout {
    /// First bit of each field.
    first: [u32; FIELDS],
    /// Bits of its values.
    width: [u32; FIELDS],
    /// How many of them are free.
    free: [u32; FIELDS],
    /// Values among which the bits that are not free stay as they are: of channels those of a cluster.
    shares: [u64; FIELDS],
}

impl BitLayout {
    fn new(ground: &HashGround<'_>) -> Self {
        let width = ground.extents.map(width);
        let mut shares = *ground.extents;
        let channels = &mut shares[AddressField::Channel as usize];
        if channels.is_multiple_of(ground.nodes) {
            *channels /= ground.nodes;
        }
        let mut first = [0; FIELDS];
        for field in 1..FIELDS {
            first[field] = first[field - 1] + width[field - 1];
        }
        Self {
            first,
            width,
            free: shares.map(u64::trailing_zeros),
            shares,
        }
    }

    /// At most 66: the product of the extents fits 58 bits, and each field adds less than one.
    fn bits(&self) -> u32 {
        self.width.iter().sum()
    }

    fn field_of(&self, bit: u32) -> usize {
        let starts = |&field: &usize| self.first[field] <= bit && self.width[field] > 0;
        (0..FIELDS).rev().find(starts).unwrap_or(0)
    }

    /// Names of the bits of a row.
    fn names(&self, row: u128) -> impl Iterator<Item = String> {
        let bits = (0..self.bits()).filter(move |bit| row >> bit & 1 == 1);
        bits.map(|bit| {
            let field = self.field_of(bit);
            format!(
                "{}{}",
                AddressField::ALL[field].word(),
                bit - self.first[field]
            )
        })
    }

    /// XORs row bits into those of fields: one each, or folded all of them.
    fn spread(&self, rows: &mut [u128], fields: &[AddressField], fold: bool) {
        let row = AddressField::Row as usize;
        let targets: Vec<_> = fields
            .iter()
            .flat_map(|&field| {
                let first = self.first[field as usize];
                first..first + self.free[field as usize]
            })
            .collect();
        let taken = if fold {
            self.width[row] as usize
        } else {
            targets.len()
        };
        for (source, target) in (0..self.width[row]).zip(targets.iter().cycle()).take(taken) {
            rows[*target as usize] |= 1 << (self.first[row] + source);
        }
    }

    /// Replaces the bits of a field.
    fn assign(
        &self,
        rows: &mut [u128],
        field: AddressField,
        bits: &[Vec<HashBit>],
        ground: &HashGround<'_>,
    ) -> Result<(), String> {
        let (word, index) = (field.word(), field as usize);
        let free = self.free[index];
        if bits.len() != free as usize {
            return Err(format!(
                "{word}: bits given: {}; needed: {free}, as {} has {} values{}",
                bits.len(),
                if self.shares[index] < ground.extents[index] {
                    "a cluster"
                } else {
                    "it"
                },
                self.shares[index],
                if width(self.shares[index]) > free {
                    ", whose odd part is not hashed"
                } else {
                    ""
                },
            ));
        }
        for (target, terms) in bits.iter().enumerate() {
            let mut row = 0;
            for term in terms {
                let source = self
                    .source(*term, ground)
                    .map_err(|problem| format!("{word} bit {target}: {problem}"))?;
                if row >> source & 1 == 1 {
                    return Err(format!("{word} bit {target}: {term} stands there twice"));
                }
                row |= 1 << source;
            }
            rows[self.first[index] as usize + target] = row;
        }
        Ok(())
    }

    fn source(&self, bit: HashBit, ground: &HashGround<'_>) -> Result<u32, String> {
        match bit {
            HashBit::Field(field, index) => {
                let at = field as usize;
                let (width, word) = (self.width[at], field.word());
                match width {
                    _ if index < width => Ok(self.first[at] + index),
                    0 => Err(format!("{bit} does not exist; {word} has one value alone")),
                    _ => Err(format!(
                        "{bit} does not exist; allowed: {word}0 to {word}{}",
                        width - 1
                    )),
                }
            }
            HashBit::Address(index) => {
                let bits = &ground.address_bits;
                let place = index
                    .checked_sub(LINE_BITS)
                    .and_then(|line| bits.get(line as usize));
                match place {
                    Some(Some((field, bit))) => Ok(self.first[*field] + bit),
                    Some(None) => Err(format!(
                        "address bit {index} is none of a single field; name bits of fields, such as row0"
                    )),
                    None => Err(format!(
                        "address bit {index} does not exist; allowed: {LINE_BITS} to {}",
                        bits.len() as u32 + LINE_BITS - 1
                    )),
                }
            }
        }
    }

    /// What rows change, one field from another at a time.
    fn steps(&self, rows: &[u128]) -> XorSteps {
        let mut steps = XorSteps::default();
        let bits = |field: usize| self.first[field]..self.first[field] + self.width[field];
        for (to, from) in (0..FIELDS).flat_map(|to| (0..FIELDS).map(move |from| (to, from))) {
            let changes = |&(source, target): &(u32, u32)| {
                (rows[target as usize] ^ 1 << target) >> source & 1 == 1
            };
            let pairs = bits(to).flat_map(|target| bits(from).map(move |source| (source, target)));
            let within = |(source, target)| (source - self.first[from], target - self.first[to]);
            let pairs: Vec<_> = pairs.filter(changes).map(within).collect();
            steps.add(from, to, &pairs);
        }
        steps
    }
}

/// The inverse of a matrix by Gaussian elimination, or rows whose XOR is zero.
fn inverse(rows: &[u128]) -> Result<Vec<u128>, u128> {
    let mut left = rows.to_vec();
    let mut right: Vec<u128> = (0..rows.len()).map(|bit| 1 << bit).collect();
    let mut done = 0;
    for column in 0..rows.len() {
        let Some(pivot) = (done..rows.len()).find(|&row| left[row] >> column & 1 == 1) else {
            continue;
        };
        left.swap(done, pivot);
        right.swap(done, pivot);
        for row in 0..rows.len() {
            if row != done && left[row] >> column & 1 == 1 {
                left[row] ^= left[done];
                right[row] ^= right[done];
            }
        }
        done += 1;
    }
    // A row that is left without a pivot is zero, and `right` says of which rows it is the XOR.
    right.get(done).map_or(Ok(right.clone()), |zero| Err(*zero))
}
