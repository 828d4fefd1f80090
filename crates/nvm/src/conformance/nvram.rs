//! The rules of memories that are written byte by byte.

use wordline_core::quantity::Time;

use super::{BareChip, Check, RuledSheet, before, done, refused, same, stated};
use crate::bus::Action;
use crate::chip::nvram::{NvramSheet, WriteEnable};
use crate::device::Wear;
use crate::error::{Misuse, NvmError};
use crate::rules::Rule;
use crate::wired::Chip as _;

type Nvrams = BareChip<NvramSheet>;

impl Nvrams {
    fn now(&self) -> Time {
        self.chip.ready().later(self.chip.busy_until())
    }

    fn enable(&mut self) -> Result<(), String> {
        if self.has(Action::WriteEnable) {
            let bus = self.bus(Action::WriteEnable, 0)?;
            done(self.chip.write_enable(self.now(), &bus))?;
        }
        Ok(())
    }

    fn write(&mut self, at: u64, data: &[u8]) -> Result<Result<Time, NvmError>, String> {
        let bus = self.bus(Action::Write, data.len() as u64)?;
        Ok(self.chip.write(self.now(), &bus, at, data))
    }

    fn written(&mut self, at: u64, data: &[u8]) -> Result<Time, String> {
        self.enable()?;
        done(self.write(at, data)?)
    }

    fn read(&mut self, at: u64, bytes: usize) -> Result<Vec<u8>, String> {
        let bus = self.bus(Action::Read, bytes as u64)?;
        let mut out = vec![0; bytes];
        done(self.chip.read(self.now(), &bus, at, &mut out))?;
        Ok(out)
    }
}

fn always(_: &Nvrams) -> bool {
    true
}

fn has_cycle(bench: &Nvrams) -> bool {
    bench.sheet.write_cycle.is_some()
}

impl RuledSheet for NvramSheet {
    const CHECKS: &'static [Check<BareChip<Self>>] = CHECKS;
}

const CHECKS: &[Check<Nvrams>] = &[
    Check {
        rule: Rule::Ready,
        applies: |bench| bench.sheet.wake_up.nominal() > Time::ZERO,
        run: |bench| {
            let bus = bench.bus(Action::Read, 1)?;
            let early = before(bench.chip.ready());
            let early = bench.chip.read(early, &bus, 0, &mut [0]);
            refused(early, |misuse| matches!(misuse, Misuse::NotReady { .. }))
        },
    },
    Check {
        rule: Rule::Busy,
        applies: has_cycle,
        run: |bench| {
            bench.written(0, &[1])?;
            let bus = bench.bus(Action::Read, 1)?;
            let early = before(bench.chip.busy_until());
            let early = bench.chip.read(early, &bus, 0, &mut [0]);
            refused(early, |misuse| matches!(misuse, Misuse::Busy { .. }))
        },
    },
    Check {
        rule: Rule::WriteEnable,
        applies: |bench| *bench.sheet.write_enable.value() != WriteEnable::None,
        run: |bench| {
            let write = bench.write(0, &[1])?;
            refused(write, |misuse| matches!(misuse, Misuse::WriteNotEnabled))
        },
    },
    Check {
        rule: Rule::WriteEnableSpent,
        applies: |bench| *bench.sheet.write_enable.value() == WriteEnable::Each,
        run: |bench| {
            bench.written(0, &[1])?;
            let again = bench.write(0, &[2])?;
            refused(again, |misuse| matches!(misuse, Misuse::WriteNotEnabled))
        },
    },
    Check {
        rule: Rule::Range,
        applies: |bench| bench.sheet.page_bytes.is_some(),
        run: |bench| {
            bench.enable()?;
            let write = bench.write(bench.chip.page_bytes() - 1, &[1, 2])?;
            refused(write, |misuse| matches!(misuse, Misuse::LeavesPage { .. }))
        },
    },
    Check {
        rule: Rule::Sleep,
        applies: |bench| bench.has(Action::PowerDown),
        run: |bench| {
            let bus = bench.bus(Action::PowerDown, 0)?;
            let now = bench.now();
            done(bench.chip.sleep(now, &bus))?;
            let (bus, now) = (bench.bus(Action::Read, 1)?, bench.now());
            let read = bench.chip.read(now, &bus, 0, &mut [0]);
            refused(read, |misuse| matches!(misuse, Misuse::Asleep))
        },
    },
    Check {
        rule: Rule::Content,
        applies: always,
        run: |bench| {
            for (at, value) in [(1, 1), (2, 2)] {
                bench.written(at, &[value])?;
            }
            same("bytes", &bench.read(0, 4)?, &vec![0, 1, 2, 0])
        },
    },
    Check {
        rule: Rule::Wear,
        applies: always,
        run: |bench| {
            bench.written(0, &[1])?;
            bench.written(0, &[2])?;
            bench.read(0, 1)?;
            let reads = bench.sheet.reads_wear.as_ref();
            let reads = u64::from(reads.is_some_and(|wears| *wears.value()));
            let wear = bench.chip.wear();
            same("cycles", &(wear.most, wear.units), &(2 + reads, 1))?;
            let promised = bench.sheet.endurance.as_ref();
            let promised = promised.map_or(Wear::UNLIMITED, |figure| figure.least().count());
            same("endurance", &wear.endurance, &promised)
        },
    },
    Check {
        rule: Rule::ProgramTime,
        applies: has_cycle,
        run: |bench| {
            let end = bench.written(0, &[1])?;
            let took = bench.chip.busy_until().since(end);
            let cycle = bench.sheet.write_cycle.as_ref();
            let expected = cycle.map(|cycle| stated(cycle, bench.timing));
            same("write cycle", &Some(took), &expected)
        },
    },
];
