//! What the engine does with the numbers of a sheet is legal by the checker's own numbers for the same device: every
//! DDR5 module, speed bin and refresh mode. A figure or a rounding that one side has wrong on the short side shows here.

use wordline_catalog::{Catalog, DramTarget};
use wordline_core::draw::{Purpose, draw};
use wordline_dram::checker::{
    Bin, Checker, Controller, Density, Memory, Part, RefreshMode, Shape, Violation, Width,
};
use wordline_dram::sheet::Settings;
use wordline_dram::{
    Geometry, Issued, Kind, Location, Observer, Refresh, Request, SubChannel, SubChannelConfig,
};

/// Stops at the first violation.
struct Watch {
    checker: Checker,
    first: Option<Violation>,
}

impl Observer for Watch {
    fn command(&mut self, issued: &Issued) {
        let result = self.checker.check(issued);
        if self.first.is_none() {
            self.first = result.err();
        }
    }
}

/// What the module's name says, not what its sheet does.
fn part(target: &DramTarget<'_>, bin: &str, config: &SubChannelConfig) -> Part {
    let name = &target.module.header.id;
    let density = match target.die.header.id.as_str() {
        "ddr5-16gb" => Density::Gb16,
        "ddr5-24gb" => Density::Gb24,
        "ddr5-32gb" => Density::Gb32,
        other => panic!("no such die: {other}"),
    };
    Part {
        data_rate_mts: config.clock.data_rate_mts,
        density,
        width: if name.contains("x4") {
            Width::X4
        } else {
            Width::X8
        },
        bin: if bin == "A" { Bin::A } else { Bin::B },
    }
}

fn memory(part: Part, config: &SubChannelConfig) -> Memory {
    let (of, timing, policy) = (&config.geometry, &config.timing, &config.policy);
    let parameters = part.parameters().expect("a rate with bins");
    Memory {
        data_rate_mts: part.data_rate_mts,
        shape: Shape {
            pseudo_channels: of.pseudo_channels,
            ranks: of.ranks,
            slices: of.slices,
            groups: of.groups,
            banks: of.banks,
        },
        controller: Controller {
            rank_gap: timing.rank_gap,
            read_to_write_gap: (timing.rtw + parameters.cwl)
                .saturating_sub(parameters.cl + parameters.burst),
            pair_burst: timing.pair_burst,
            pair_read_to_write: timing.pair_rtw,
            pair_write_to_read: timing.pair_wtr,
            shared_commands: policy.shared_commands,
            refresh: match policy.refresh {
                Refresh::Off => RefreshMode::Off,
                Refresh::AllBank => RefreshMode::AllBank,
                Refresh::SameBank => RefreshMode::SameBank,
            },
            postponed_max: policy.refresh_postponed_max,
            ahead_max: 0,
        },
        parameters,
    }
}

/// Random places, rows that come back, sometimes a pause.
fn request(of: &Geometry, id: u64, arrival: u64) -> Request {
    let random = |what: u64, bound: u64| draw(5, what, id, Purpose::Address) % bound;
    let location = Location {
        pseudo_channel: random(0, of.pseudo_channels.into()) as u8,
        rank: random(1, of.ranks.into()) as u8,
        group: random(2, of.groups.into()) as u8,
        bank: random(3, of.banks.into()) as u8,
        row: random(4, 3) as u32,
        column: random(5, of.columns.into()) as u16,
    };
    let kind = if random(6, 3) == 0 {
        Kind::Write
    } else {
        Kind::Read
    };
    let pause = if random(7, 500) == 0 {
        random(8, 20_000)
    } else {
        random(8, 16)
    };
    Request {
        id,
        kind,
        location,
        arrival: arrival + pause,
    }
}

fn violation(config: &SubChannelConfig, memory: &Memory) -> Option<Violation> {
    let checker = Checker::new(memory).expect("a memory");
    let watch = Watch {
        checker,
        first: None,
    };
    let mut sub_channel = SubChannel::new(config, watch).expect("a configuration");
    let mut arrival = 0;
    for id in 0..6000 {
        let request = request(&config.geometry, id, arrival);
        arrival = request.arrival;
        sub_channel.push(request).expect("in place and time");
    }
    let end = sub_channel.flush();
    let mut watch = sub_channel.into_observer();
    watch.first.or(watch.checker.finish(end).err())
}

/// A choice's value and what else it may be.
fn values(target: &DramTarget<'_>, name: &str) -> Vec<String> {
    let choices = target.choices();
    let choice = choices
        .into_iter()
        .find(|choice| choice.name == name)
        .expect("a choice");
    std::iter::once(choice.value)
        .chain(choice.alternatives)
        .collect()
}

#[test]
fn what_sheets_say_is_legal_by_numbers_from_elsewhere() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let mut checked = 0;
    for module in catalog
        .modules()
        .filter(|module| !module.header.id.starts_with("ddr4"))
    {
        let name = format!("{}@xeon6-1s", module.header.id);
        let target = catalog.dram_target(&name).expect("both exist");
        for bin in values(&target, "speed_bin") {
            for refresh in values(&target, "refresh") {
                let settings = [("speed_bin", &bin), ("refresh", &refresh)];
                let settings = settings.map(|(name, value)| (name.to_owned(), value.clone()));
                let connected = target
                    .connect(&Settings::from(settings))
                    .expect("it connects");
                let config = connected.config.sub_channel;
                let memory = memory(part(&target, &bin, &config), &config);
                if let Some(violation) = violation(&config, &memory) {
                    panic!(
                        "{name}, bin {bin}, refresh {refresh}: {violation}\n{:?}",
                        config.timing
                    );
                }
                checked += 1;
            }
        }
    }
    assert!(checked >= 80, "{checked}");
}
