//! Requests of every sort in turn, and a sub-channel whose commands are checked as they come.

use std::collections::BTreeMap;

use wordline_dram::checker::{CheckedChannel, Checker, RuleViolation};
use wordline_dram::{
    ChannelGeometry, Issued, Location, Observer, Request, RequestKind, SubChannel, SubChannelConfig,
};

/// SplitMix64 as a sequence.
#[derive(Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    pub(crate) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

#[derive(Clone, Copy)]
enum Pattern {
    /// Anywhere.
    Random,
    /// Line after line, over all groups and banks.
    Stream,
    /// Few rows of few banks.
    Hot,
    /// Rows of one bank.
    OneBank,
    /// Lines of one row of one bank.
    OneRow,
    /// Any bank of one group.
    OneGroup,
    /// One row of one bank of every group of every rank: column commands follow one another.
    Hits,
}

/// One sort of traffic; the next one is drawn when it ends.
struct Epoch {
    left: u64,
    pattern: Pattern,
    reads_percent: u64,
    /// Mean clocks from one arrival to the next.
    gap: u64,
    base: Location,
    one_rank: bool,
}

/// An endless source of requests.
pub(crate) struct Traffic {
    random: Random,
    geometry: ChannelGeometry,
    epoch: Epoch,
    arrival: u64,
    line: u64,
    id: u64,
    /// Longest pause between two sorts, in clocks.
    idle_max: u64,
}

impl Traffic {
    pub(crate) fn new(config: &SubChannelConfig, seed: u64) -> Self {
        Self {
            random: Random(seed),
            geometry: config.geometry.clone(),
            epoch: Epoch {
                left: 0,
                pattern: Pattern::Random,
                reads_percent: 0,
                gap: 0,
                base: Location::default(),
                one_rank: false,
            },
            arrival: 0,
            line: 0,
            id: 0,
            idle_max: u64::from(config.timing.refi),
        }
    }

    fn turn(&mut self) {
        use Pattern::{Hits, Hot, OneBank, OneGroup, OneRow, Random, Stream};
        let patterns = [
            Random, Random, Stream, Hot, OneBank, OneRow, OneRow, OneGroup, Hits,
        ];
        let pattern = self.random.of(&patterns);
        let gap = match pattern {
            // A bank does a row in some hundred clocks: more would only fill the queue.
            OneBank => self.random.of(&[50, 150, 400]),
            _ => self.random.of(&[0, 2, 4, 8, 20, 100, 400]),
        };
        self.line = self.random.next();
        self.epoch = Epoch {
            left: self.random.of(&[20, 50, 50, 100, 200, 1000]),
            pattern,
            reads_percent: self.random.of(&[100, 100, 67, 50, 33, 0]),
            gap,
            base: self.anywhere(),
            one_rank: self.random.below(3) == 0,
        };
        if self.random.below(3) == 0 {
            self.arrival += self.random.below(self.idle_max);
        }
    }

    fn anywhere(&mut self) -> Location {
        let (of, random) = (&self.geometry, &mut self.random);
        let mut byte = |bound: u8| random.below(bound.into()) as u8;
        Location {
            pseudo_channel: byte(of.pseudo_channels),
            rank: byte(of.ranks),
            group: byte(of.groups),
            bank: byte(of.banks),
            row: random.below(of.rows.into()) as u32,
            column: random.below(of.columns.into()) as u16,
        }
    }

    fn streamed(&mut self) -> Location {
        self.line = self.line.wrapping_add(1);
        let (of, mut rest) = (&self.geometry, self.line);
        let mut digit = |radix: u64| {
            let digit = rest % radix;
            rest /= radix;
            digit
        };
        Location {
            pseudo_channel: digit(of.pseudo_channels.into()) as u8,
            group: digit(of.groups.into()) as u8,
            column: digit(of.columns.into()) as u16,
            bank: digit(of.banks.into()) as u8,
            rank: digit(of.ranks.into()) as u8,
            row: digit(of.rows.into()) as u32,
        }
    }

    fn location(&mut self) -> Location {
        let base = self.epoch.base;
        let mut location = match self.epoch.pattern {
            Pattern::Random => self.anywhere(),
            Pattern::Stream => self.streamed(),
            Pattern::Hot => Location {
                group: base.group ^ (self.random.below(2) as u8 & (self.geometry.groups - 1)),
                bank: base.bank,
                row: self.random.below(3.min(self.geometry.rows.into())) as u32,
                ..self.anywhere()
            },
            Pattern::OneBank => Location {
                row: self.anywhere().row,
                ..base
            },
            Pattern::OneRow => Location {
                column: self.anywhere().column,
                ..base
            },
            Pattern::Hits => Location {
                bank: base.bank,
                row: base.row,
                ..self.anywhere()
            },
            Pattern::OneGroup => Location {
                bank: self.anywhere().bank,
                column: self.anywhere().column,
                ..base
            },
        };
        if self.epoch.one_rank {
            location.rank = base.rank;
        }
        location
    }

    pub(crate) fn next(&mut self) -> Request {
        if self.epoch.left == 0 {
            self.turn();
        }
        self.epoch.left -= 1;
        self.arrival += self.random.below(2 * self.epoch.gap + 1);
        self.id += 1;
        let reads = self.random.below(100) < self.epoch.reads_percent;
        Request {
            id: self.id,
            kind: if reads {
                RequestKind::Read
            } else {
                RequestKind::Write
            },
            location: self.location(),
            arrival: self.arrival,
        }
    }

    /// Lets what is served catch up with what is asked.
    fn not_before(&mut self, clock: u64) {
        self.arrival = self.arrival.max(clock);
    }
}

/// A checker that watches, and counts violations by rule.
pub(crate) struct Watch {
    pub(crate) checker: Checker,
    pub(crate) violated: BTreeMap<&'static str, u64>,
    pub(crate) first: Option<RuleViolation>,
}

impl Watch {
    pub(crate) fn new(memory: &CheckedChannel) -> Self {
        Self {
            checker: Checker::new(memory).expect("a memory"),
            violated: BTreeMap::new(),
            first: None,
        }
    }

    fn note(&mut self, result: Result<(), RuleViolation>) {
        if let Err(violation) = result {
            *self.violated.entry(violation.fault.rule()).or_default() += 1;
            self.first.get_or_insert(violation);
        }
    }
}

impl Observer for Watch {
    fn command(&mut self, issued: &Issued) {
        let result = self.checker.check(issued);
        self.note(result);
    }
}

/// A sub-channel under traffic.
pub(crate) struct Bench {
    sub_channel: SubChannel<Watch>,
    traffic: Traffic,
}

impl Bench {
    pub(crate) fn new(config: &SubChannelConfig, watch: Watch, seed: u64) -> Self {
        Self {
            sub_channel: SubChannel::new(config, watch).expect("a configuration"),
            traffic: Traffic::new(config, seed),
        }
    }

    pub(crate) fn watch(&self) -> &Watch {
        self.sub_channel.observer()
    }

    /// Runs some requests, and as much of them as keeps the backlog short. A spoilt engine may never be done with them.
    pub(crate) fn run(&mut self, requests: u64) {
        for _ in 0..requests {
            let request = self.traffic.next();
            self.sub_channel
                .push(request)
                .expect("a request in place and time");
        }
        self.sub_channel.run(self.traffic.arrival);
        let patience = self.sub_channel.now() + 200 * requests;
        while self.sub_channel.waiting() > 300 && self.sub_channel.now() < patience {
            self.sub_channel.run(self.sub_channel.now() + 500);
        }
        self.traffic.not_before(self.sub_channel.now());
    }

    /// Closes the books with requests waiting.
    pub(crate) fn stop(self) -> Watch {
        let end = self.sub_channel.now();
        let mut watch = self.sub_channel.into_observer();
        let result = watch.checker.finish(end);
        watch.note(result);
        watch
    }

    /// Serves what waits, and closes the books.
    pub(crate) fn finish(mut self) -> Watch {
        let end = self.sub_channel.flush();
        let mut watch = self.sub_channel.into_observer();
        let result = watch.checker.finish(end);
        watch.note(result);
        watch
    }
}
