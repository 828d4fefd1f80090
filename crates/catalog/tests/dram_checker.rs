//! What the engine does with the numbers of a sheet is legal by the checker's own numbers for the same device: every
//! DDR5 module, speed bin and refresh mode, and page policies and systems in turn. A figure or a rounding that one side
//! has wrong on the short side shows here. With `WORDLINE_COMMANDS` set, so many commands are spread over every
//! combination of them.

use std::env;

use wordline_catalog::{Catalog, ModuleInSystem};
use wordline_core::draw::{Purpose, draw};
use wordline_dram::checker::{
    BinGrade, CheckedChannel, Checker, Density, DeviceGrade, Parameters, RuleViolation, Width,
    hbm3_6400, lpddr5x_8533,
};
use wordline_dram::sheet::{Connected, Settings};
use wordline_dram::{
    ChannelGeometry, Issued, Location, Observer, Request, RequestKind, SubChannel, SubChannelConfig,
};

/// Stops at the first violation.
struct Watch {
    checker: Checker,
    first: Option<RuleViolation>,
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
fn parameters(target: &ModuleInSystem<'_>, bin: &str, config: &SubChannelConfig) -> Parameters {
    let name = &target.module.header.id;
    match name.as_str() {
        "lpddr5x-8533-x64-32g" => return lpddr5x_8533(),
        "hbm3-6400-16g" => return hbm3_6400(),
        _ => {}
    }
    let density = match target.die.header.id.as_str() {
        "ddr5-16gb" => Density::Gb16,
        "ddr5-24gb" => Density::Gb24,
        "ddr5-32gb" => Density::Gb32,
        other => panic!("no such die: {other}"),
    };
    let part = DeviceGrade {
        data_rate_mts: config.clock.data_rate_mts,
        density,
        width: if name.contains("x4") {
            Width::X4
        } else {
            Width::X8
        },
        bin: if bin == "A" { BinGrade::A } else { BinGrade::B },
    };
    part.parameters().expect("a rate with bins")
}

/// The checker reckons every distance itself, from the part, the gaps and the delays of buffers.
fn memory(parameters: Parameters, connected: &Connected) -> CheckedChannel {
    connected.checked(parameters, 1)
}

/// Random places, rows that come back, sometimes a pause.
fn request(of: &ChannelGeometry, id: u64, arrival: u64) -> Request {
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
        RequestKind::Write
    } else {
        RequestKind::Read
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

/// How long a case runs.
#[derive(Clone, Copy)]
enum Length {
    Requests(u64),
    Commands(u64),
}

/// The first violation, and how many commands were checked.
fn violation(
    config: &SubChannelConfig,
    memory: &CheckedChannel,
    length: Length,
) -> (Option<RuleViolation>, u64) {
    let checker = Checker::new(memory).expect("a memory");
    let watch = Watch {
        checker,
        first: None,
    };
    let mut sub_channel = SubChannel::new(config, watch).expect("a configuration");
    let (mut arrival, mut id) = (0, 0);
    let more = |id, watch: &Watch| match length {
        Length::Requests(wanted) => id < wanted,
        Length::Commands(wanted) => watch.checker.commands() < wanted && watch.first.is_none(),
    };
    while more(id, sub_channel.observer()) {
        let request = request(&config.geometry, id, arrival);
        arrival = request.arrival;
        sub_channel.push(request).expect("in place and time");
        sub_channel.run(arrival);
        id += 1;
    }
    let end = sub_channel.flush();
    let mut watch = sub_channel.into_observer();
    let commands = watch.checker.commands();
    (watch.first.or(watch.checker.finish(end).err()), commands)
}

/// A choice's value and what else it may be.
fn values(target: &ModuleInSystem<'_>, name: &str) -> Vec<String> {
    let choices = target.choices();
    let choice = choices
        .into_iter()
        .find(|choice| choice.name == name)
        .expect("a choice");
    std::iter::once(choice.value)
        .chain(choice.alternatives)
        .collect()
}

/// Of what a module is run with: bin, refresh mode, page policy.
const VARIED: [&str; 3] = ["speed_bin", "refresh", "page_policy"];

/// Every module but those of DDR4 in every system that takes its kind, with every bin, refresh mode and page policy.
fn cases(catalog: &Catalog) -> Vec<(ModuleInSystem<'_>, Settings)> {
    let mut cases = Vec::new();
    for module in catalog.modules() {
        if module.header.id.starts_with("ddr4") {
            continue;
        }
        for system in catalog.systems() {
            let slots = system.sheet.modules.as_ref().map(|slots| slots.value());
            if slots.is_some_and(|slots| !slots.contains(module.sheet.kind.value())) {
                continue;
            }
            let name = format!("{}@{}", module.header.id, system.header.id);
            let target = catalog.module_in_system(&name).expect("both exist");
            let [bins, modes, pages] = VARIED.map(|choice| values(&target, choice));
            for bin in &bins {
                for mode in &modes {
                    for page in &pages {
                        let set = VARIED.into_iter().map(str::to_owned);
                        let set = set.zip([bin, mode, page].map(String::clone)).collect();
                        cases.push((target.clone(), set));
                    }
                }
            }
        }
    }
    cases
}

#[test]
fn what_sheets_say_is_legal_by_numbers_from_elsewhere() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let wanted = env::var("WORDLINE_COMMANDS").ok();
    let wanted: Option<u64> = wanted.map(|text| text.parse().expect("a number"));
    let all = cases(&catalog);
    let share = wanted.map(|wanted| wanted.div_ceil(all.len() as u64));
    let length = share.map_or(Length::Requests(6000), Length::Commands);
    // Unless all are wanted one in five, which meets every value of everything, since five divides none of the counts.
    let step = if wanted.is_some() { 1 } else { 5 };
    let (mut checked, mut commands) = (0, 0);
    for (target, settings) in all.iter().step_by(step) {
        let connected = target.connect(settings).expect("it connects");
        let config = &connected.config.sub_channel;
        let memory = memory(
            parameters(target, &settings["speed_bin"], config),
            &connected,
        );
        let (violation, count) = violation(config, &memory, length);
        if let Some(violation) = violation {
            let name = &target.name;
            panic!("{name}, {settings:?}: {violation}\n{:?}", config.timing);
        }
        (checked, commands) = (checked + 1, commands + count);
        if wanted.is_some() && checked % 50 == 0 {
            eprintln!(
                "{checked} of {} cases, {commands} commands, 0 violations",
                all.len()
            );
        }
    }
    assert!(checked >= 80, "{checked}");
}

/// Where gaps are even, rounding once or twice makes no difference, so both sides agree to the clock.
#[test]
fn the_checker_reckons_the_turnarounds_of_every_module_alike() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    for (target, settings) in cases(&catalog) {
        let connected = target.connect(&settings).expect("it connects");
        let config = &connected.config.sub_channel;
        let memory = memory(
            parameters(&target, &settings["speed_bin"], config),
            &connected,
        );
        let checker = Checker::new(&memory).expect("a memory");
        let clocks = |name| {
            let mut rules = checker.rules().iter();
            rules.find(|rule| rule.name == name).expect(name).clocks
        };
        let timing = &config.timing;
        let should = [
            ("RD to WR", timing.rtw),
            // The engine's gap between ranks is longer by the gaps between a line's bursts, which count once here.
            (
                "RD to WR, other rank",
                timing.rtw + connected.turnarounds.rank_gap,
            ),
            ("RD to RD, pair", timing.pair_burst),
            ("RD to WR, pair", timing.pair_rtw),
            ("WR to RD, pair", timing.pair_wtr),
        ];
        for (name, engine) in should {
            let without = config.geometry.pseudo_channels == 1 && name.ends_with("pair");
            assert!(without || clocks(name) == engine, "{}: {name}", target.name);
        }
    }
}
