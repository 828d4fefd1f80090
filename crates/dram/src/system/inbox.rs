//! Requests on their way from cores to controllers.

use super::link::Links;
use crate::config::{ClockDomain, SystemConfig};
use crate::engine::{PushError, ScheduledSubChannel};
use crate::mapping::AddressMap;
use crate::observer::Observer;
use crate::request::{Location, Request, RequestKind};

/// Longest window: offsets within one are kept in 32 bits.
pub(super) const WINDOW_MAX_PS: u64 = 1 << 31;

#[derive(Clone, Copy, Debug)]
struct Letter {
    id: u64,
    kind: RequestKind,
    location: Location,
}

/// The requests of one window for one sub-channel.
#[derive(Clone, Debug, Default)]
struct Post {
    letters: Vec<Letter>,
    /// Offset within the window and number of each letter, to be sorted.
    order: Vec<u64>,
    /// Where there are links: letters of this window and earlier ones, with the times at which they reach the controller.
    later: Vec<(u64, Letter)>,
}

/// A request that has to cross a link.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    link: usize,
    part: usize,
    issued_ps: u64,
    letter: Letter,
}

/// The requests of one window.
#[derive(Clone, Debug)]
pub(super) struct Inbox {
    map: AddressMap,
    sub_channels: u32,
    /// Channels that a core uses: those of a node.
    of_node: u32,
    window_ps: u64,
    posts: Vec<Post>,
    links: Option<Links>,
    crossings: Vec<Crossing>,
}

impl Inbox {
    pub(super) fn new(map: AddressMap, config: &SystemConfig, links: Option<Links>) -> Self {
        let (channels, sub_channels) = (config.channels, config.sub_channels);
        let count = channels as usize * sub_channels as usize;
        Self {
            map,
            sub_channels,
            of_node: (channels / config.topology.nodes()).max(1),
            window_ps: 0,
            posts: vec![Post::default(); count],
            links,
            crossings: Vec::new(),
        }
    }

    /// The links that requests and answers cross.
    pub(super) fn links(&mut self) -> Option<&mut Links> {
        self.links.as_mut()
    }

    /// The link between a core and one of its answers' sub-channels.
    #[inline]
    pub(super) fn link_of(&self, id: u64, part: usize) -> Option<usize> {
        let links = self.links.as_ref()?;
        links.between(id, part as u32 / self.sub_channels)
    }

    /// A window begins at a time.
    pub(super) fn begin(&mut self, window_ps: u64) {
        self.window_ps = window_ps;
    }

    /// Takes a request for a line of physical memory, issued within the window. Each core posts in the order of its
    /// times, cores in the order of their numbers. A line that is `moved` lies at its place in the first channel of its
    /// node, whichever channel it belongs to.
    #[inline]
    pub(super) fn post(
        &mut self,
        id: u64,
        kind: RequestKind,
        line: u64,
        moved: bool,
        issued_ps: u64,
    ) {
        let mut place = self.map.place(line);
        if moved {
            place.channel -= place.channel % self.of_node;
        }
        let part = (place.channel * self.sub_channels + place.sub_channel) as usize;
        let letter = Letter {
            id,
            kind,
            location: place.location,
        };
        if let Some(link) = self.link_of(id, part) {
            self.crossings.push(Crossing {
                link,
                part,
                issued_ps,
                letter,
            });
            return;
        }
        let post = &mut self.posts[part];
        let number = post.letters.len() as u64;
        post.order.push((issued_ps - self.window_ps) << 32 | number);
        post.letters.push(letter);
    }

    /// Carries the requests of the window over their links, in the order of time and core. Those that cross none join
    /// them, since they may overtake others.
    pub(super) fn cross(&mut self, path_ps: u64) {
        let Some(links) = &mut self.links else { return };
        let crossings = &mut self.crossings;
        crossings.sort_unstable_by_key(|crossing| (crossing.issued_ps, crossing.letter.id));
        for crossing in crossings.drain(..) {
            let there_ps = links.carry(crossing.link, crossing.letter.kind, crossing.issued_ps);
            let post = &mut self.posts[crossing.part];
            post.later.push((there_ps + path_ps, crossing.letter));
        }
        for post in &mut self.posts {
            for key in post.order.drain(..) {
                let letter = post.letters[(key & 0xFFFF_FFFF) as usize];
                let issued_ps = self.window_ps + (key >> 32);
                post.later.push((issued_ps + path_ps, letter));
            }
            post.letters.clear();
        }
    }

    /// Whether anything is there for a sub-channel.
    #[inline]
    pub(super) fn is_empty(&self, part: usize) -> bool {
        let post = &self.posts[part];
        post.letters.is_empty() && post.later.is_empty()
    }

    /// Hands a sub-channel its requests in the order of time, core and sequence; of those that crossed links the ones that
    /// reach the controller before a time.
    pub(super) fn deliver<O: Observer>(
        &mut self,
        part: usize,
        to: &mut ScheduledSubChannel<O>,
        clock: ClockDomain,
        path_ps: u64,
        before_ps: u64,
    ) -> Result<(), PushError> {
        let post = &mut self.posts[part];
        if !post.later.is_empty() {
            post.later
                .sort_unstable_by_key(|(time_ps, letter)| (*time_ps, letter.id));
            let due = post
                .later
                .partition_point(|(time_ps, _)| *time_ps < before_ps);
            for (time_ps, letter) in post.later.drain(..due) {
                to.push(Request {
                    id: letter.id,
                    kind: letter.kind,
                    location: letter.location,
                    arrival: clock.edge_at_or_after(time_ps),
                })?;
            }
        }
        post.order.sort_unstable();
        for key in post.order.drain(..) {
            let letter = &post.letters[(key & 0xFFFF_FFFF) as usize];
            let issued_ps = self.window_ps + (key >> 32);
            to.push(Request {
                id: letter.id,
                kind: letter.kind,
                location: letter.location,
                arrival: clock.edge_at_or_after(issued_ps + path_ps),
            })?;
        }
        post.letters.clear();
        Ok(())
    }
}
