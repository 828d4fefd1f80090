//! Logs of a running sub-channel: what is written is what happened, and no two slices of a track overlap.

use std::collections::BTreeMap;

use wordline_core::draw::{Purpose, draw};

use super::chrome_tests::{config, slices};
use super::{ChromeLog, CommandLog, CommandReader};
use crate::command::{Command, Issued};
use crate::config::{PagePolicy, Refresh, SubChannelConfig};
use crate::engine::SubChannel;
use crate::observer::Observer;
use crate::request::{Location, Request, RequestKind};

/// Keeps the commands.
#[derive(Default)]
struct Kept(Vec<Issued>);

impl Observer for Kept {
    fn command(&mut self, issued: &Issued) {
        self.0.push(*issued);
    }
}

const REQUESTS: u64 = 2_000;

/// Text, slices and the commands themselves of requests at random, in bursts with pauses between.
fn run(config: &SubChannelConfig) -> (Vec<u8>, Vec<u8>, Vec<Issued>) {
    let text = CommandLog::new(Vec::new(), config.clock);
    let time_line = ChromeLog::new(Vec::new(), config);
    let logs = (text.sub_channel(2, 1), time_line.sub_channel(2, 1));
    let mut memory = SubChannel::new(config, (logs, Kept::default())).expect("sound");
    let mut arrival = 0;
    for id in 0..REQUESTS {
        let bits = draw(1, 0, id, Purpose::Address);
        let below = |shift: u32, bound: u64| (bits >> shift & 0xFF) % bound;
        arrival += if below(0, 100) == 0 { 700 } else { below(0, 8) };
        let geometry = &config.geometry;
        let location = Location {
            pseudo_channel: below(8, u64::from(geometry.pseudo_channels)) as u8,
            rank: 0,
            group: below(16, 2) as u8,
            bank: below(24, 2) as u8,
            row: below(32, 3) as u32,
            column: below(40, 128) as u16,
        };
        let kind = if below(48, 3) == 0 {
            RequestKind::Write
        } else {
            RequestKind::Read
        };
        let request = Request {
            id,
            kind,
            location,
            arrival,
        };
        memory.push(request).expect("in range and in order");
    }
    memory.flush();
    let (_, kept) = memory.into_observer();
    let text = text.finish().expect("a vector takes all");
    let time_line = time_line.finish().expect("a vector takes all");
    (text, time_line, kept.0)
}

fn configs() -> Vec<SubChannelConfig> {
    let mut configs = Vec::new();
    for (pseudo_channels, page, refresh, power_down) in [
        (1, PagePolicy::Open, Refresh::AllBank, None),
        (1, PagePolicy::Closed, Refresh::SameBank, Some(30)),
        (2, PagePolicy::Timeout(100), Refresh::AllBank, Some(10)),
        (2, PagePolicy::Closed, Refresh::SameBank, None),
    ] {
        let mut config = config(pseudo_channels);
        config.policy.page = page;
        config.policy.refresh = refresh;
        config.policy.power_down = power_down;
        configs.push(config);
    }
    configs
}

#[test]
fn the_text_tells_every_command() {
    for config in configs() {
        let (text, _, kept) = run(&config);
        let reader = CommandReader::new(&text[..]).expect("sound");
        let read: Vec<_> = reader.collect::<Result<_, _>>().expect("sound");
        assert!(
            read.iter()
                .all(|found| (found.channel, found.sub_channel) == (2, 1))
        );
        let read: Vec<Issued> = read.iter().map(|found| found.issued).collect();
        assert_eq!(read, kept);
    }
}

#[test]
fn slices_of_a_track_come_one_after_the_other() {
    for config in configs() {
        let (_, time_line, kept) = run(&config);
        let mut tracks: BTreeMap<(u64, u64), Vec<(f64, f64)>> = BTreeMap::new();
        let mut rows = 0;
        let mut data = 0;
        for (name, process, track, from, length) in slices(&time_line) {
            rows += usize::from(name.starts_with("row "));
            data += usize::from(name.starts_with("RD") || name.starts_with("WR"));
            tracks
                .entry((process, track))
                .or_default()
                .push((from, from + length));
        }
        let count = |wanted: fn(Command) -> bool| {
            kept.iter().filter(|issued| wanted(issued.command)).count()
        };
        assert_eq!(rows, count(|command| command == Command::Act));
        assert_eq!(data, count(Command::is_column));
        for (track, slices) in &mut tracks {
            slices.sort_by(|a, b| a.0.total_cmp(&b.0));
            for pair in slices.windows(2) {
                assert!(pair[0].1 <= pair[1].0 + 1e-6, "{track:?}: {pair:?}");
            }
        }
    }
}
