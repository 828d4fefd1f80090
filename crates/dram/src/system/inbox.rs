//! Requests on their way from cores to controllers.

use crate::config::ClockDomain;
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
}

/// The requests of one window.
#[derive(Clone, Debug)]
pub(super) struct Inbox {
    map: AddressMap,
    sub_channels: u32,
    window_ps: u64,
    posts: Vec<Post>,
}

impl Inbox {
    pub(super) fn new(map: AddressMap, channels: u32, sub_channels: u32) -> Self {
        let count = channels as usize * sub_channels as usize;
        Self {
            map,
            sub_channels,
            window_ps: 0,
            posts: vec![Post::default(); count],
        }
    }

    /// A window begins at a time.
    pub(super) fn begin(&mut self, window_ps: u64) {
        self.window_ps = window_ps;
    }

    /// Takes a request for a line of physical memory, issued within the window. Each core posts in the order of its
    /// times, cores in the order of their numbers.
    #[inline]
    pub(super) fn post(&mut self, id: u64, kind: RequestKind, line: u64, issued_ps: u64) {
        let place = self.map.place(line);
        let post =
            &mut self.posts[(place.channel * self.sub_channels + place.sub_channel) as usize];
        let number = post.letters.len() as u64;
        post.order.push((issued_ps - self.window_ps) << 32 | number);
        post.letters.push(Letter {
            id,
            kind,
            location: place.location,
        });
    }

    /// Whether anything is there for a sub-channel.
    #[inline]
    pub(super) fn is_empty(&self, part: usize) -> bool {
        self.posts[part].letters.is_empty()
    }

    /// Hands a sub-channel its requests in the order of time, core and sequence.
    pub(super) fn deliver<O: Observer>(
        &mut self,
        part: usize,
        to: &mut ScheduledSubChannel<O>,
        clock: ClockDomain,
        path_ps: u64,
    ) -> Result<(), PushError> {
        let post = &mut self.posts[part];
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
