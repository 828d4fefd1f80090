//! What a chip needs of its sheet, for one timing class and one link.

use std::sync::Arc;

use wordline_core::draw::Purpose;
use wordline_core::quantity::{Current, Time};
use wordline_core::{Figure, Resolver, Spread};
use wordline_memory::Geometry;

use super::ageing::NandAgeingFigures;
use super::ecc::Code;
use super::sheet::NandSheet;
use crate::bus::Action;
use crate::device::CurrentGap;
use crate::link::Link;
use crate::power::{PowerDraw, PowerState};

#[derive(Debug)]
pub(super) struct NandSpec {
    pub(super) geometry: Geometry,
    /// What an erased page reads as, its spare area included.
    pub(super) erased: Arc<[u8]>,
    /// The error correction on the die, where there is one.
    pub(super) code: Option<Code>,
    /// The error correction that the sheet asks of the host.
    pub(super) host_code: Option<Code>,
    pub(super) planes: u32,
    /// The column of the bad-block mark.
    pub(super) mark_column: u32,
    /// Whether a cache read goes on with the next page alone.
    pub(super) cache_read_sequential: bool,
    page_read: [Time; 2],
    page_program: [Spread<Time>; 2],
    pub(super) erase: Spread<Time>,
    pub(super) cache_busy: Option<Time>,
    pub(super) cache_program_busy: Option<Time>,
    pub(super) plane_busy: Option<Time>,
    /// Whether pages can be moved within a plane, on this link.
    pub(super) internal_move: bool,
    /// Whether programs and erases need a write-enable command.
    pub(super) write_enable: bool,
    pub(super) endurance: u64,
    /// What the sheet says of ageing.
    pub(super) ageing: Option<NandAgeingFigures>,
    pub(super) wake_up: Time,
    pub(super) deselect: Time,
    pub(super) draw: PowerDraw,
    /// Keys everything that is drawn for this chip.
    pub(super) key: u64,
}

impl NandSpec {
    pub(super) fn new(
        sheet: &NandSheet,
        link: &Link,
        resolver: &mut Resolver,
        key: u64,
        gaps: &mut Vec<CurrentGap>,
    ) -> Self {
        note_what_is_no_figure(link, resolver);
        resolver.fixed("page_bytes", &sheet.page_bytes);
        resolver.fixed("spare_bytes", &sheet.spare_bytes);
        let read = resolver.resolve("page_read", &sheet.page_read);
        let program = resolver.spread("page_program", &sheet.page_program, Purpose::ProgramTime);
        // The ECC is on after power-up: what holds without it is no figure that results rest on.
        let mut unnoted = resolver.clone();
        let bare_read = sheet
            .page_read_without_ecc
            .as_ref()
            .map(|figure| unnoted.resolve("page_read_without_ecc", figure));
        let bare_program = sheet
            .page_program_without_ecc
            .as_ref()
            .map(|figure| unnoted.spread("page_program_without_ecc", figure, Purpose::ProgramTime));
        // A way of working that the board does not drive is none.
        let pipeline =
            |name, figure: &Option<Figure<Time>>, actions: &[Action], resolver: &mut Resolver| {
                let driven = actions.iter().all(|one| link.command(*one).is_some());
                let figure = figure.as_ref().filter(|_| driven)?;
                Some(resolver.resolve(name, figure))
            };
        let deselect = sheet.deselect.as_ref();
        if sheet.internal_move.is_some() {
            resolver.read("internal_move");
        }
        Self {
            geometry: sheet.geometry(),
            erased: vec![0xff; sheet.geometry().columns() as usize].into(),
            code: Code::new(sheet, resolver),
            host_code: Code::of_host(sheet),
            page_read: [bare_read.unwrap_or(read), read],
            page_program: [bare_program.unwrap_or(program), program],
            erase: resolver.spread("block_erase", &sheet.block_erase, Purpose::EraseTime),
            cache_busy: pipeline("cache_busy", &sheet.cache_busy, &NandSheet::CACHE, resolver),
            cache_program_busy: pipeline(
                "cache_program_busy",
                &sheet.cache_program_busy,
                &[Action::ExecuteCache],
                resolver,
            ),
            plane_busy: pipeline(
                "plane_busy",
                &sheet.plane_busy,
                &NandSheet::PLANES,
                resolver,
            ),
            planes: *sheet.planes.value(),
            mark_column: sheet.geometry().page_bytes + sheet.mark(),
            cache_read_sequential: sheet
                .cache_read_sequential
                .as_ref()
                .is_some_and(|sequential| *sequential.value()),
            internal_move: sheet.moves_pages() && link.command(Action::WriteMore).is_some(),
            write_enable: link.command(Action::WriteEnable).is_some(),
            endurance: resolver.certain("endurance", &sheet.endurance).count(),
            ageing: NandAgeingFigures::new(sheet, resolver.timing()),
            wake_up: resolver.wait("wake_up", &sheet.wake_up),
            deselect: deselect.map_or(Time::ZERO, |figure| resolver.wait("deselect", figure)),
            draw: power_draw(sheet, link, resolver, gaps),
            key,
        }
    }

    /// From a page-read command until the page is in the register.
    pub(super) const fn page_read(&self, ecc: bool) -> Time {
        self.page_read[ecc as usize]
    }

    /// From an execute command until the page is programmed.
    pub(super) const fn page_program(&self, ecc: bool) -> &Spread<Time> {
        &self.page_program[ecc as usize]
    }
}

fn note_what_is_no_figure(link: &Link, resolver: &mut Resolver) {
    for name in [
        "pages_per_block",
        "blocks",
        "programs_per_page",
        "in_order",
        "bad_blocks_max",
        "good_blocks_first",
        "supply",
        "planes",
    ] {
        resolver.read(name);
    }
    for command in link.commands() {
        for figure in command.figures() {
            resolver.read(&figure);
        }
    }
}

fn power_draw(
    sheet: &NandSheet,
    link: &Link,
    resolver: &mut Resolver,
    gaps: &mut Vec<CurrentGap>,
) -> PowerDraw {
    let mut current = |action, name, figure: &Option<Figure<Current>>| {
        let Some(figure) = figure else {
            gaps.push(CurrentGap::Unknown { action });
            return None;
        };
        Some(resolver.resolve(name, figure))
    };
    PowerDraw {
        voltage: link.voltage,
        current: PowerState::ALL.map(|state| match state {
            PowerState::Standby => current(state.name(), "standby", &sheet.standby),
            PowerState::DeepPowerDown | PowerState::Active | PowerState::Activate => None,
            PowerState::Read => current(state.name(), "read_current", &sheet.read_current),
            PowerState::Write => current(state.name(), "program_current", &sheet.program_current),
            PowerState::Erase => current(state.name(), "erase_current", &sheet.erase_current),
        }),
    }
}
