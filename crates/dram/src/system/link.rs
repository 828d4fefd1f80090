//! Links between cores and controllers: messages wait for the one in front of them, each way by itself.

use super::core::{Return, sender};
use crate::config::{LinkConfig, SystemConfig};
use crate::request::RequestKind;

/// One link, each way.
#[derive(Clone, Debug, Default)]
struct LinkWay {
    /// When it has carried the last message there, and back.
    free_ps: [u64; 2],
    /// Answers that have not been carried back, with the time at which the controller has them.
    answers: Vec<Return>,
}

/// All links of a system.
#[derive(Clone, Debug)]
pub(super) struct Links {
    link: LinkConfig,
    /// Time that messages of reads and of writes take of a link, there and back.
    service_ps: [[u64; 2]; 2],
    ways: Vec<LinkWay>,
    /// Socket of each core; empty where every channel stands behind a link.
    sockets: Vec<u32>,
    /// Channels of a socket, or of a link.
    channels: u32,
    /// What links have added to reads, in picoseconds.
    added_ps: u128,
}

impl Links {
    /// The links of a system; `nodes` are the parts of the memory that cores belong to, by number.
    pub(super) fn new(config: &SystemConfig, nodes: &[u32]) -> Option<Self> {
        let topology = &config.topology;
        let link = topology.link?;
        let between = topology.sockets > 1;
        let count = if between {
            topology.sockets
        } else {
            topology.links.max(1)
        };
        let clusters = topology.clusters.max(1);
        let socket = |node: &u32| node / clusters;
        Some(Self {
            link,
            service_ps: [link.request_bytes, link.return_bytes].map(|bytes| link.service_ps(bytes)),
            ways: vec![LinkWay::default(); count as usize],
            sockets: if between {
                nodes.iter().map(socket).collect()
            } else {
                Vec::new()
            },
            channels: (config.channels / count).max(1),
            added_ps: 0,
        })
    }

    /// The link between the sender of a request and a channel, if there is one: of two sockets the one that the sender's
    /// cores have.
    #[inline]
    pub(super) fn between(&self, id: u64, channel: u32) -> Option<usize> {
        let part = channel / self.channels;
        match self.sockets.get(sender(id)) {
            Some(&socket) => (socket != part).then_some(socket as usize),
            None => Some(part as usize),
        }
    }

    /// Carries a request to the other end and returns when it is there. Requests come in the order of their times.
    pub(super) fn carry(&mut self, link: usize, kind: RequestKind, from_ps: u64) -> u64 {
        let there_ps = self.message(link, 0, kind, from_ps);
        if kind == RequestKind::Read {
            self.added_ps += u128::from(there_ps - from_ps);
        }
        there_ps
    }

    fn message(&mut self, link: usize, way: usize, kind: RequestKind, from_ps: u64) -> u64 {
        let free = &mut self.ways[link].free_ps[way];
        *free = from_ps.max(*free) + self.service_ps[way][kind as usize];
        *free + self.link.delay_ps
    }

    /// Takes an answer, at the time when its controller has it.
    pub(super) fn answer(&mut self, link: usize, answer: Return) {
        self.ways[link].answers.push(answer);
    }

    /// Carries back the answers that controllers had before a time, all of which are known by now.
    pub(super) fn carry_back(&mut self, before_ps: u64, mut deliver: impl FnMut(Return)) {
        for link in 0..self.ways.len() {
            let answers = &mut self.ways[link].answers;
            answers.sort_unstable_by_key(|answer| (answer.time_ps, answer.id));
            let known = answers.partition_point(|answer| answer.time_ps < before_ps);
            let known: Vec<Return> = answers.drain(..known).collect();
            for answer in known {
                let time_ps = self.message(link, 1, answer.kind, answer.time_ps);
                if answer.kind == RequestKind::Read {
                    self.added_ps += u128::from(time_ps - answer.time_ps);
                }
                deliver(Return { time_ps, ..answer });
            }
        }
    }

    /// The measured part begins.
    pub(super) fn begin(&mut self) {
        self.added_ps = 0;
    }

    /// What links have added to reads since then, in picoseconds.
    pub(super) fn added_ps(&self) -> f64 {
        self.added_ps as f64
    }
}
