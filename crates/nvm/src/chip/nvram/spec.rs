//! What a chip needs of its sheet, for one timing class and one link.

use wordline_core::draw::Purpose;
use wordline_core::quantity::{Current, Time};
use wordline_core::{Figure, Resolver, Spread};

use super::sheet::{ActiveCurrent, NvramSheet, WriteEnable};
use crate::bus::Action;
use crate::bus::serial::Protocol;
use crate::device::{CurrentGap, Wear};
use crate::link::Link;
use crate::power::{PowerDraw, PowerState};

#[derive(Debug)]
pub(super) struct NvramSpec {
    pub(super) capacity: u64,
    pub(super) wear_unit: u64,
    pub(super) atom: usize,
    /// What one write can reach.
    pub(super) page: Option<u64>,
    pub(super) write_cycle: Option<Spread<Time>>,
    pub(super) write_enable: WriteEnable,
    pub(super) reads_wear: bool,
    pub(super) endurance: u64,
    pub(super) wake_up: Time,
    pub(super) sleep_entry: Time,
    pub(super) deselect_after_read: Time,
    pub(super) deselect_after_write: Time,
    pub(super) draw: PowerDraw,
}

impl NvramSpec {
    pub(super) fn new(
        sheet: &NvramSheet,
        link: &Link,
        resolver: &mut Resolver,
        gaps: &mut Vec<CurrentGap>,
    ) -> Self {
        resolver.read("supply");
        resolver.read("write_enable");
        for action in sheet.required() {
            let command = link.command(action);
            for figure in command.iter().flat_map(|command| command.figures()) {
                resolver.read(&figure);
            }
        }
        let wait = |name, figure: &Option<Figure<Time>>, resolver: &mut Resolver| {
            let figure = figure.as_ref();
            figure.map_or(Time::ZERO, |figure| resolver.wait(name, figure))
        };
        let (after_read, after_write) = match &sheet.deselect_octal {
            Some(octal) if link.protocol == Some(Protocol::OctalDtr) => {
                let pause = resolver.wait("deselect_octal", octal);
                (pause, pause)
            }
            _ => (
                wait("deselect_after_read", &sheet.deselect_after_read, resolver),
                wait(
                    "deselect_after_write",
                    &sheet.deselect_after_write,
                    resolver,
                ),
            ),
        };
        let reads_wear = sheet.reads_wear.as_ref();
        reads_wear.iter().for_each(|_| resolver.read("reads_wear"));
        Self {
            capacity: resolver.fixed("capacity", &sheet.capacity).bytes(),
            wear_unit: resolver.fixed("wear_unit", &sheet.wear_unit).bytes(),
            atom: resolver.fixed("ecc_unit", &sheet.ecc_unit).bytes() as usize,
            page: sheet
                .page_bytes
                .as_ref()
                .map(|page| resolver.fixed("page_bytes", page).bytes()),
            write_cycle: sheet
                .write_cycle
                .as_ref()
                .map(|cycle| resolver.spread("write_cycle", cycle, Purpose::ProgramTime)),
            write_enable: *sheet.write_enable.value(),
            reads_wear: reads_wear.is_some_and(|wears| *wears.value()),
            endurance: match &sheet.endurance {
                Some(endurance) => resolver.certain("endurance", endurance).count(),
                None => {
                    resolver.read("endurance_unlimited");
                    Wear::UNLIMITED
                }
            },
            wake_up: resolver.wait("wake_up", &sheet.wake_up),
            sleep_entry: wait("sleep_entry", &sheet.sleep_entry, resolver),
            deselect_after_read: after_read,
            deselect_after_write: after_write,
            draw: power_draw(sheet, link, resolver, gaps),
        }
    }
}

fn power_draw(
    sheet: &NvramSheet,
    link: &Link,
    resolver: &mut Resolver,
    gaps: &mut Vec<CurrentGap>,
) -> PowerDraw {
    let mut unknown = |action: &'static str| {
        gaps.push(CurrentGap::Unknown { action });
        None
    };
    let stated = |name, figure: &Option<Figure<Current>>, resolver: &mut Resolver| {
        let figure = figure.as_ref()?;
        Some(resolver.resolve(name, figure))
    };
    let standby =
        stated("standby", &sheet.standby, resolver).or_else(|| unknown(PowerState::Standby.name()));
    let asleep = stated("deep_power_down", &sheet.deep_power_down, resolver);
    let mut moving = |action: Action, name, figure, resolver: &mut Resolver| {
        let active = link.command(action).and_then(|command| {
            Some((command, ActiveCurrent::for_command(&sheet.active, command)?))
        });
        let Some((command, active)) = active else {
            return stated(name, figure, resolver).or_else(|| {
                gaps.push(CurrentGap::Unknown {
                    action: action.name(),
                });
                None
            });
        };
        if active.clock < command.clock() {
            gaps.push(CurrentGap::Faster {
                figure: active.label(),
                clock: command.clock().to_string(),
            });
        }
        Some(resolver.resolve(&active.label(), &active.current))
    };
    let read = moving(Action::Read, "read_current", &sheet.read_current, resolver);
    let write = moving(
        Action::Write,
        "write_current",
        &sheet.write_current,
        resolver,
    );
    PowerDraw {
        voltage: link.voltage,
        current: PowerState::ALL.map(|state| match state {
            PowerState::Standby => standby,
            PowerState::DeepPowerDown => asleep,
            PowerState::Read => read,
            PowerState::Write => write,
            PowerState::Erase | PowerState::Active | PowerState::Activate => None,
        }),
    }
}
