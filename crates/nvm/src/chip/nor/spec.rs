//! What a chip needs of its sheet, for one timing class and one link.

use wordline_core::draw::Purpose;
use wordline_core::quantity::{Current, Time};
use wordline_core::{Figure, Resolver, Spread};
use wordline_memory::Geometry;

use super::NorWork;
use super::ageing::NorAgeingFigures;
use super::sheet::{NorSheet, SuspendSheet};
use crate::bus::{Action, BusCommand};
use crate::chip::nvram::ActiveCurrent;
use crate::device::CurrentGap;
use crate::divisor::Divisor;
use crate::link::Link;
use crate::power::{PowerDraw, PowerState};

/// A size of erase.
#[derive(Clone, Debug)]
pub(super) struct EraseSize {
    pub(super) bytes: u64,
    pub(super) code: u8,
    pub(super) duration: Spread<Time>,
    /// The column `max`, where it is stated.
    pub(super) most: Option<Time>,
}

/// Suspend and resume.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspension {
    program_latency: Time,
    erase_latency: Time,
    program_progress: Time,
    erase_progress: Time,
    pub(super) program_during_erase: bool,
}

impl Suspension {
    fn new(sheet: &SuspendSheet, resolver: &mut Resolver) -> Self {
        resolver.read("suspend.program_during_erase");
        let (program, erase) = (&sheet.program_progress, &sheet.erase_progress);
        Self {
            program_latency: resolver.resolve("suspend.program_latency", &sheet.program_latency),
            erase_latency: resolver.resolve("suspend.erase_latency", &sheet.erase_latency),
            program_progress: resolver.wait("suspend.program_progress", program),
            erase_progress: resolver.wait("suspend.erase_progress", erase),
            program_during_erase: *sheet.program_during_erase.value(),
        }
    }

    /// From the command to work that stands still.
    pub(super) const fn latency(&self, work: NorWork) -> Time {
        match work {
            NorWork::Program => self.program_latency,
            NorWork::Erase => self.erase_latency,
        }
    }

    /// How long resumed work must run before it is suspended again.
    pub(super) const fn progress(&self, work: NorWork) -> Time {
        match work {
            NorWork::Program => self.program_progress,
            NorWork::Erase => self.erase_progress,
        }
    }
}

/// Nominal times of a program of one byte, of each byte more, and of a page, in picoseconds: what a
/// part of a page takes of the time of a whole one.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartialProgram {
    pub(super) first: u64,
    pub(super) next: u64,
    pub(super) page: u64,
}

#[derive(Debug)]
pub(super) struct NorSpec {
    pub(super) capacity: u64,
    pub(super) geometry: Geometry,
    /// Granule that takes one program between two erases.
    pub(super) granule: Option<u64>,
    pub(super) endurance: u64,
    /// What the sheet says of ageing.
    pub(super) ageing: Option<NorAgeingFigures>,
    /// Ascending; the first is what wear is counted for.
    pub(super) erases: Vec<EraseSize>,
    pub(super) suspension: Option<Suspension>,
    /// Bytes of a bank that can be read while another one is busy, where there are such.
    pub(super) bank_bytes: Option<u64>,
    pub(super) power_up: Time,
    pub(super) wake_up: Time,
    pub(super) sleep_entry: Time,
    pub(super) deselect_after_read: Time,
    pub(super) deselect_after_write: Time,
    /// Whether programs and erases need a write-enable command.
    pub(super) write_enable: bool,
    pub(super) draw: PowerDraw,
    pub(super) page_program: Spread<Time>,
    /// Bytes of a page.
    page: Divisor,
    pub(super) partial: Option<PartialProgram>,
}

impl NorSpec {
    pub(super) fn new(
        sheet: &NorSheet,
        link: &Link,
        resolver: &mut Resolver,
        gaps: &mut Vec<CurrentGap>,
    ) -> Self {
        resolver.read("supply");
        for figure in link.commands().iter().flat_map(BusCommand::figures) {
            resolver.read(&figure);
        }
        let capacity = resolver.fixed("capacity", &sheet.capacity).bytes();
        let granule = sheet.program_granule.as_ref();
        let granule = granule.map(|figure| resolver.fixed("program_granule", figure).bytes());
        let erases = erase_sizes(sheet, link, resolver);
        let page_bytes = resolver.fixed("page_bytes", &sheet.page_bytes).bytes();
        let pairs = link.command(Action::Write);
        let pairs = pairs.map_or(1, |command| u64::from(command.granule()));
        let block_bytes = block_bytes(&erases, capacity);
        let wait = |name, figure: &Option<Figure<Time>>, resolver: &mut Resolver| {
            let figure = figure.as_ref();
            figure.map_or(Time::ZERO, |figure| resolver.wait(name, figure))
        };
        let program_bytes = granule.unwrap_or(1).max(pairs) as u32;
        Self {
            capacity,
            geometry: Geometry {
                page_bytes: page_bytes as u32,
                spare_bytes: 0,
                pages_per_block: (block_bytes / page_bytes) as u32,
                blocks: (capacity / block_bytes) as u32,
                program_bytes,
                programs_per_page: None,
                once_bytes: granule.map(|_| program_bytes),
                in_order: false,
            },
            granule,
            endurance: resolver.certain("endurance", &sheet.endurance).count(),
            ageing: sheet.aging.clone().map(|aging| NorAgeingFigures {
                sheet: aging,
                timing: resolver.timing(),
                key: resolver.key(),
                program_max: sheet.page_program.max(),
            }),
            erases,
            suspension: sheet
                .suspend
                .as_ref()
                .map(|suspend| Suspension::new(suspend, resolver)),
            bank_bytes: sheet
                .bank_bytes
                .as_ref()
                .map(|bank| resolver.fixed("bank_bytes", bank).bytes().max(1)),
            power_up: resolver.wait("power_up", &sheet.power_up),
            wake_up: wait("wake_up", &sheet.wake_up, resolver),
            sleep_entry: wait("sleep_entry", &sheet.sleep_entry, resolver),
            deselect_after_read: wait("deselect_after_read", &sheet.deselect_after_read, resolver),
            deselect_after_write: wait(
                "deselect_after_write",
                &sheet.deselect_after_write,
                resolver,
            ),
            write_enable: link.command(Action::WriteEnable).is_some(),
            draw: power_draw(sheet, link, resolver, gaps),
            page_program: resolver.spread(
                "page_program",
                &sheet.page_program,
                Purpose::ProgramTime,
            ),
            page: Divisor::new(page_bytes),
            partial: partial_program(sheet, resolver),
        }
    }

    /// Page and column of an address.
    #[inline(always)]
    pub(super) const fn place(&self, at: u64) -> (u32, u32) {
        let (page, column) = self.page.div_rem(at);
        (page as u32, column as u32)
    }

    /// The smallest unit of erase, in bytes.
    pub(super) fn unit_bytes(&self) -> u64 {
        self.erases
            .first()
            .map_or(self.capacity, |erase| erase.bytes)
    }

    /// The erase of a size.
    pub(super) fn erase_size(&self, bytes: u64) -> Option<&EraseSize> {
        self.erases.iter().find(|erase| erase.bytes == bytes)
    }

    /// How long a program takes in a unit that was erased `cycle` times, which only a time that is drawn depends on.
    #[inline]
    pub(super) fn program_time(&self, at: u64, bytes: usize, cycle: impl FnOnce() -> u64) -> Time {
        let (page, _) = self.place(at);
        let full = self.page_program.at_cycle(u64::from(page), cycle);
        let whole = bytes as u64 >= u64::from(self.geometry.page_bytes);
        let Some(PartialProgram { first, next, page }) = self.partial.filter(|_| !whole) else {
            return full;
        };
        let more = (bytes as u64).saturating_sub(1);
        let part = u128::from(first) + u128::from(next) * u128::from(more);
        let part = part.min(u128::from(page));
        Time::from_ps((u128::from(full.ps()) * part / u128::from(page.max(1))) as u64)
    }
}

impl EraseSize {
    /// How long the erase at an address takes when it is the `cycle`th there.
    pub(super) fn time(&self, at: u64, cycle: u64) -> Time {
        self.duration.at(at / self.bytes, cycle)
    }
}

/// The erases whose opcodes the link has, ascending.
fn erase_sizes(sheet: &NorSheet, link: &Link, resolver: &mut Resolver) -> Vec<EraseSize> {
    let mut sizes: Vec<_> = sheet
        .erase
        .iter()
        .filter(|erase| link.erase_command(erase.code).is_some())
        .map(|erase| {
            let duration = erase.label("duration");
            EraseSize {
                bytes: resolver.fixed(&erase.label("bytes"), &erase.bytes).bytes(),
                code: erase.code,
                duration: resolver.spread(&duration, &erase.duration, Purpose::EraseTime),
                most: erase.duration.max(),
            }
        })
        .collect();
    sizes.sort_by_key(|erase| erase.bytes);
    sizes
}

/// The block of the flash contract: the largest erase that leaves something.
fn block_bytes(erases: &[EraseSize], capacity: u64) -> u64 {
    let parts = erases.iter().filter(|erase| erase.bytes < capacity);
    parts.map(|erase| erase.bytes).max().unwrap_or(capacity)
}

fn partial_program(sheet: &NorSheet, resolver: &mut Resolver) -> Option<PartialProgram> {
    let (first, next) = (
        sheet.byte_program_first.as_ref()?,
        sheet.byte_program_next.as_ref()?,
    );
    Some(PartialProgram {
        first: resolver.fixed("byte_program_first", first).ps(),
        next: resolver.fixed("byte_program_next", next).ps(),
        page: sheet.page_program.nominal().ps(),
    })
}

fn power_draw(
    sheet: &NorSheet,
    link: &Link,
    resolver: &mut Resolver,
    gaps: &mut Vec<CurrentGap>,
) -> PowerDraw {
    let mut unknown = |action: Action| {
        gaps.push(CurrentGap::Unknown {
            action: action.name(),
        });
        None
    };
    let stated = |name, figure: &Option<Figure<Current>>, resolver: &mut Resolver| {
        let figure = figure.as_ref()?;
        Some(resolver.resolve(name, figure))
    };
    let program = stated("program_current", &sheet.program_current, resolver)
        .or_else(|| unknown(Action::Write));
    let erase =
        stated("erase_current", &sheet.erase_current, resolver).or_else(|| unknown(Action::Erase));
    let command = link.command(Action::Read);
    let read = command
        .and_then(|command| Some((command, ActiveCurrent::for_command(&sheet.active, command)?)));
    let read = match read {
        Some((command, active)) => {
            if active.clock < command.clock() {
                gaps.push(CurrentGap::Faster {
                    figure: active.label(),
                    clock: command.clock().to_string(),
                });
            }
            Some(resolver.resolve(&active.label(), &active.current))
        }
        None => {
            stated("read_current", &sheet.read_current, resolver).or_else(|| unknown(Action::Read))
        }
    };
    let asleep = stated("deep_power_down", &sheet.deep_power_down, resolver);
    PowerDraw {
        voltage: link.voltage,
        current: PowerState::ALL.map(|state| match state {
            PowerState::Standby => Some(resolver.resolve("standby", &sheet.standby)),
            PowerState::DeepPowerDown => asleep,
            PowerState::Read => read,
            PowerState::Write => program,
            PowerState::Erase => erase,
            PowerState::Active | PowerState::Activate => None,
        }),
    }
}
