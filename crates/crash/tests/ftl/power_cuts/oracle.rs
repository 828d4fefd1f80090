//! What may be found after a power cut, sector by sector.

use wordline_core::draw::{Purpose, draw};

use super::setups::SECTOR;

/// The versions of a sector that may be found. Version 0 is a sector that was never written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Allowed {
    versions: Vec<u32>,
    /// Any version up to the last: the sector was trimmed, with all of its page.
    any: bool,
    /// The last version that was begun.
    last: u32,
}

impl Allowed {
    const NEVER_WRITTEN: Self = Self {
        versions: Vec::new(),
        any: false,
        last: 0,
    };

    fn exactly(version: u32, last: u32) -> Self {
        Self {
            versions: vec![version],
            any: false,
            last,
        }
    }

    pub(super) fn permits(&self, version: u32) -> bool {
        let never = self.versions.is_empty() && version == 0;
        never || self.versions.contains(&version) || (self.any && version <= self.last)
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Write { sector: usize, version: u32 },
    Trim { sector: usize },
}

/// What a run did, and how far its flash had come when it did.
#[derive(Clone, Debug)]
pub(super) struct Oracle {
    /// What may be found before the layer was formatted or mounted.
    start: Vec<Allowed>,
    /// What was found then.
    settled: Vec<Allowed>,
    /// Operations that formatting or mounting took.
    ready: usize,
    /// Operations before the call.
    events: Vec<(usize, Event)>,
    /// Operations before the return of each flush, and events before its call.
    flushes: Vec<(usize, usize)>,
    last: Vec<u32>,
}

impl Oracle {
    /// A run that formats: no sector was written.
    pub(super) fn of_format(sectors: usize, ready: usize) -> Self {
        let start = vec![Allowed::NEVER_WRITTEN; sectors];
        Self {
            settled: vec![Allowed::exactly(0, 0); sectors],
            start,
            ready,
            events: Vec::new(),
            flushes: Vec::new(),
            last: vec![0; sectors],
        }
    }

    /// A run that mounts a flash in which so much may be found, and finds these versions.
    pub(super) fn of_mount(start: Vec<Allowed>, found: &[u32], ready: usize) -> Self {
        let last: Vec<u32> = start.iter().map(|allowed| allowed.last).collect();
        let exact = found.iter().zip(&last);
        Self {
            settled: exact
                .map(|(version, last)| Allowed::exactly(*version, *last))
                .collect(),
            start,
            ready,
            events: Vec::new(),
            flushes: Vec::new(),
            last,
        }
    }

    /// Operations that formatting or mounting took.
    pub(super) const fn ready(&self) -> usize {
        self.ready
    }

    /// Whether a flash that was cut there need not be formatted yet.
    pub(super) fn may_be_unformatted(&self, operation: usize) -> bool {
        operation < self.ready
            && self
                .start
                .iter()
                .all(|allowed| *allowed == Allowed::NEVER_WRITTEN)
    }

    /// A write begins; its bytes.
    pub(super) fn write(&mut self, operations: usize, sector: usize) -> [u8; SECTOR] {
        self.last[sector] += 1;
        let version = self.last[sector];
        self.events
            .push((operations, Event::Write { sector, version }));
        content(sector, version)
    }

    pub(super) fn trim(&mut self, operations: usize, sector: usize) {
        self.events.push((operations, Event::Trim { sector }));
    }

    /// A flush returned.
    pub(super) fn flush(&mut self, operations: usize) {
        self.flushes.push((operations, self.events.len()));
    }

    /// What may be found after a cut within an operation.
    pub(super) fn allowed(&self, operation: usize) -> Vec<Allowed> {
        if operation < self.ready {
            return self.start.clone();
        }
        let mut allowed = self.settled.clone();
        let flushed = self.flushes.iter().rev().find(|(by, _)| *by <= operation);
        let flushed = flushed.map_or(0, |(_, events)| *events);
        for (index, (begun, event)) in self.events.iter().enumerate() {
            if *begun > operation {
                break;
            }
            match *event {
                Event::Write { sector, version } => {
                    let of = &mut allowed[sector];
                    if index < flushed {
                        *of = Allowed::exactly(version, version);
                    } else {
                        of.versions.push(version);
                        of.last = version;
                    }
                }
                Event::Trim { sector } => allowed[sector].any = true,
            }
        }
        allowed
    }
}

/// The bytes of a version of a sector.
pub(super) fn content(sector: usize, version: u32) -> [u8; SECTOR] {
    let mut bytes = [0; SECTOR];
    if version > 0 {
        bytes[..4].copy_from_slice(&(sector as u32 + 1).to_le_bytes());
        bytes[4..8].copy_from_slice(&version.to_le_bytes());
        for (word, place) in (0..).zip(bytes[8..].chunks_mut(8)) {
            let key = (sector as u64) << 32 | u64::from(version);
            place.copy_from_slice(&draw(7, key, word, Purpose::Payload).to_le_bytes());
        }
    }
    bytes
}

/// Which version of a sector some bytes are; `None` where they are none of it.
pub(super) fn version_of(sector: usize, bytes: &[u8]) -> Option<u32> {
    let version = u32::from_le_bytes(bytes.get(4..8)?.try_into().ok()?);
    (bytes == content(sector, version)).then_some(version)
}

#[test]
fn a_version_is_known_by_its_bytes_and_a_mixture_is_not() {
    assert_eq!(version_of(3, &content(3, 9)), Some(9));
    assert_eq!(version_of(4, &content(3, 9)), None);
    assert_eq!(version_of(3, &[0; SECTOR]), Some(0));
    let mut mixed = content(3, 9);
    mixed[SECTOR - 1] = content(3, 8)[SECTOR - 1];
    assert_eq!(version_of(3, &mixed), None);
}

#[test]
fn a_flush_leaves_one_version_and_what_came_after_it_is_old_or_new() {
    let mut oracle = Oracle::of_format(2, 5);
    oracle.write(5, 0);
    oracle.write(6, 0);
    oracle.flush(8);
    oracle.write(8, 0);
    oracle.trim(9, 1);
    let versions = |operation| -> Vec<u32> {
        let allowed = oracle.allowed(operation);
        (0..5)
            .filter(|version| allowed[0].permits(*version))
            .collect()
    };
    assert_eq!(versions(5), [0, 1]);
    assert_eq!(versions(7), [0, 1, 2]);
    assert_eq!(versions(8), [2, 3]);
    assert!(oracle.may_be_unformatted(4) && !oracle.may_be_unformatted(5));
}
