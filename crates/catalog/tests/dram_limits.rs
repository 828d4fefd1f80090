//! Limits of modules worked out by hand in `docs/evidence/ddr5-limits.md`, which the engine must reach to the clock with
//! the numbers of the sheets.

use wordline_catalog::Catalog;
use wordline_dram::sheet::Settings;
use wordline_dram::{
    Command, Issued, Location, Observer, Request, RequestKind, SubChannel, SubChannelConfig,
};

#[derive(Default)]
struct Recorder(Vec<Issued>);

impl Observer for Recorder {
    fn command(&mut self, issued: &Issued) {
        self.0.push(*issued);
    }
}

/// A module's sub-channel on the large system, without refresh.
fn config(module: &str) -> SubChannelConfig {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let target = catalog.module_in_system(&format!("{module}@xeon6-1s"));
    let settings = [("refresh", "off"), ("drain_high", "1"), ("drain_low", "0")];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let connected = target
        .expect("it exists")
        .connect(&Settings::from(settings));
    connected.expect("it connects").config.sub_channel
}

/// Clocks of some commands among all that requests lead to.
fn clocks(config: &SubChannelConfig, requests: &[Request], commands: &[Command]) -> Vec<u64> {
    let mut channel = SubChannel::new(config, Recorder::default()).expect("a configuration");
    for &request in requests {
        channel.push(request).expect("in place and time");
    }
    channel.flush();
    let issued = channel.observer().0.iter();
    let wanted = issued.filter(|issued| commands.contains(&issued.command));
    wanted.map(|issued| issued.at).collect()
}

fn request(id: u64, kind: RequestKind, location: Location, arrival: u64) -> Request {
    Request {
        id,
        kind,
        location,
        arrival,
    }
}

/// MRDIMM-8800, whose DRAM runs at 4400. RD to WR, to either pseudo-channel: CL + burst - CWL = 10 clocks, 4 ns through
/// the buffers are 8.8 and so 9, and 4 clocks of the host are 2: 21. WR to RD of the other pseudo-channel: nothing, as
/// the delays work the other way; within a pseudo-channel CWL + burst + tWTR_S = 34 + 8 + 6.
#[test]
fn the_hosts_bus_of_an_mrdimm_turns_in_21_clocks() {
    let config = config("mrdimm-8800-2rx4-64g");
    let own = Location::default();
    let beside = Location { group: 1, ..own };
    let other = Location {
        pseudo_channel: 1,
        ..own
    };
    let opening = [(0, own), (1, beside), (2, other)]
        .map(|(id, place)| request(id, RequestKind::Read, place, 0));
    let gap = |first: (RequestKind, Location), second: (RequestKind, Location)| {
        let mut requests = opening.to_vec();
        requests.push(request(3, first.0, first.1, 1000));
        requests.push(request(4, second.0, second.1, 1001));
        let issued = clocks(&config, &requests, &[Command::Rd, Command::Wr]);
        assert_eq!(issued[3], 1000);
        issued[4] - issued[3]
    };
    let (read, write) = (RequestKind::Read, RequestKind::Write);
    assert_eq!(gap((read, own), (write, beside)), 2 + 8 + 9 + 2);
    assert_eq!(gap((read, own), (write, other)), 2 + 8 + 9 + 2);
    assert_eq!(gap((write, own), (read, beside)), 34 + 8 + 6);
    // A clock for the second to arrive; the bus has none to ask for.
    assert_eq!(gap((write, own), (read, other)), 1);
}

/// A stack of two dies at 6400: ACTs of either die are tRRD_S = 8 apart, but those of different dies only tRRD_dlr = 4,
/// and only four of the whole stack may fall into tFAW_dlr = 16, which is the same pace. One die alone keeps to 8, a
/// row for every burst; with both, rows are opened twice as fast as the bus can carry them. ACT takes two clocks of the
/// command bus, so nothing else bounds it.
#[test]
fn the_dies_of_a_stack_open_rows_twice_as_fast_as_one() {
    let config = config("rdimm-6400-3ds-2rx4-256g");
    assert_eq!((config.geometry.ranks, config.geometry.slices), (4, 2));
    let activates = |ranks: u8| {
        let requests: Vec<_> = (0..8)
            .map(|number: u8| {
                let place = Location {
                    rank: number % ranks,
                    group: number / ranks,
                    ..Location::default()
                };
                request(number.into(), RequestKind::Read, place, 0)
            })
            .collect();
        clocks(&config, &requests, &[Command::Act])
    };
    assert_eq!(activates(1), [0, 8, 16, 24, 32, 40, 48, 56]);
    assert_eq!(activates(2), [0, 4, 8, 12, 16, 20, 24, 28]);
}
