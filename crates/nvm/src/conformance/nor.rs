//! The rules of NOR flash.

use wordline_core::quantity::Time;
use wordline_memory::FlashMisuse;

use super::{BareChip, Check, RuledSheet, before, done, refused, same, stated};
use crate::bus::Action;
use crate::chip::nor::NorSheet;
use crate::error::{Misuse, NvmError};
use crate::rules::Rule;
use crate::wired::Chip as _;

type Nors = BareChip<NorSheet>;

impl Nors {
    /// The first instant at which the chip takes any command.
    fn now(&self) -> Time {
        let idle = self.chip.running().map_or(Time::ZERO, |(_, until)| until);
        self.chip.ready().later(idle)
    }

    /// The smallest erase.
    fn unit(&self) -> u64 {
        self.chip.erase_sizes().next().map_or(0, |(bytes, _)| bytes)
    }

    /// What one program consists of at least.
    fn granule(&self) -> usize {
        self.chip.geometry().program_bytes as usize
    }

    fn enable(&mut self) -> Result<(), String> {
        if self.has(Action::WriteEnable) {
            let bus = self.bus(Action::WriteEnable, 0)?;
            done(self.chip.write_enable(self.now(), &bus))?;
        }
        Ok(())
    }

    fn program(&mut self, at: u64, data: &[u8]) -> Result<Result<Time, NvmError>, String> {
        let bus = self.bus(Action::Write, data.len() as u64)?;
        Ok(self.chip.program(self.now(), &bus, at, data))
    }

    /// Programs a whole granule of one value.
    fn programmed(&mut self, at: u64, value: u8) -> Result<Time, String> {
        self.enable()?;
        done(self.program(at, &vec![value; self.granule()])?)
    }

    fn erase(&mut self, at: u64, bytes: u64) -> Result<Result<Time, NvmError>, String> {
        let bus = self.bus(Action::Erase, 0)?;
        Ok(self.chip.erase(self.now(), &bus, at, bytes))
    }

    fn erased(&mut self, at: u64) -> Result<Time, String> {
        self.enable()?;
        done(self.erase(at, self.unit())?)
    }

    fn read(&mut self, at: u64) -> Result<u8, String> {
        let bus = self.bus(Action::Read, 1)?;
        let mut out = [0];
        done(self.chip.read(self.now(), &bus, at, &mut out))?;
        Ok(out[0])
    }

    /// Begins an erase at 0 and suspends it; returns when the suspend command ends.
    fn suspended(&mut self) -> Result<Time, String> {
        self.erased(0)?;
        self.suspend_at(self.chip.ready().later(self.chip.suspendable()))
    }

    fn suspend_at(&mut self, instant: Time) -> Result<Time, String> {
        let bus = self.bus(Action::Suspend, 0)?;
        done(self.chip.suspend(instant, &bus))
    }
}

fn always(_: &Nors) -> bool {
    true
}

/// Whether there is a unit beside the one that a check erases.
fn has_units(bench: &Nors) -> bool {
    bench.chip.capacity() >= 2 * bench.unit()
}

fn on_serial(bench: &Nors) -> bool {
    bench.has(Action::WriteEnable)
}

/// Whether an erase can be suspended, and stands still before it would have ended.
fn suspends(bench: &Nors) -> bool {
    let unit = bench.unit();
    let mut sizes = bench.sheet.erase.iter();
    let size = sizes.find(|size| size.bytes.nominal().bytes() == unit);
    let slower = size
        .zip(bench.sheet.suspend.as_ref())
        .is_some_and(|(size, suspend)| {
            let latency = stated(&suspend.erase_latency, bench.timing);
            let erase = stated(&size.duration, bench.timing).ps();
            latency > Time::ZERO && latency.ps() < erase / 4
        });
    slower && has_units(bench) && bench.has(Action::Suspend) && bench.has(Action::Resume)
}

fn has_granule(bench: &Nors) -> bool {
    bench.sheet.program_granule.is_some()
}

impl RuledSheet for NorSheet {
    const CHECKS: &'static [Check<BareChip<Self>>] = CHECKS;
}

const CHECKS: &[Check<Nors>] = &[
    Check {
        rule: Rule::Ready,
        applies: |bench| bench.chip.ready() > Time::ZERO,
        run: |bench| {
            let bus = bench.bus(Action::Read, 1)?;
            let early = before(bench.chip.ready());
            let early = bench.chip.read(early, &bus, 0, &mut [0]);
            refused(early, |misuse| matches!(misuse, Misuse::NotReady { .. }))
        },
    },
    Check {
        rule: Rule::Busy,
        applies: has_units,
        run: |bench| {
            bench.erased(0)?;
            let bus = bench.bus(Action::Read, 1)?;
            let early = before(bench.now());
            let early = bench.chip.read(early, &bus, bench.unit(), &mut [0]);
            refused(early, |misuse| matches!(misuse, Misuse::Busy { .. }))
        },
    },
    Check {
        rule: Rule::WriteEnable,
        applies: on_serial,
        run: |bench| {
            let erase = bench.erase(0, bench.unit())?;
            refused(erase, |misuse| matches!(misuse, Misuse::WriteNotEnabled))
        },
    },
    Check {
        rule: Rule::WriteEnableSpent,
        applies: on_serial,
        run: |bench| {
            bench.erased(0)?;
            let again = bench.erase(0, bench.unit())?;
            refused(again, |misuse| matches!(misuse, Misuse::WriteNotEnabled))
        },
    },
    Check {
        rule: Rule::Range,
        applies: always,
        run: |bench| {
            bench.enable()?;
            let (page, granule) = (bench.chip.geometry().page_bytes, bench.granule());
            let last = u64::from(page) - granule as u64;
            let program = bench.program(last, &vec![0; 2 * granule])?;
            refused(program, |misuse| {
                matches!(misuse, Misuse::Flash(FlashMisuse::LeavesPage { .. }))
            })
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
            bench.programmed(0, 0x5a)?;
            let after = bench.granule() as u64;
            let bytes = (bench.read(0)?, bench.read(after)?);
            same("bytes", &bytes, &(0x5a, 0xff))
        },
    },
    Check {
        rule: Rule::Wear,
        applies: has_units,
        run: |bench| {
            bench.erased(0)?;
            bench.erased(0)?;
            let cycles = (bench.chip.cycles_at(0), bench.chip.cycles_at(bench.unit()));
            same("cycles", &cycles, &(Some(2), Some(0)))
        },
    },
    Check {
        rule: Rule::ProgramTime,
        applies: always,
        run: |bench| {
            bench.enable()?;
            let page = bench.chip.geometry().page_bytes as usize;
            let end = done(bench.program(0, &vec![0; page])?)?;
            let took = bench.now().since(end);
            same(
                "tPP",
                &took,
                &stated(&bench.sheet.page_program, bench.timing),
            )
        },
    },
    Check {
        rule: Rule::EraseTime,
        applies: always,
        run: |bench| {
            let end = bench.erased(0)?;
            let took = bench.now().since(end);
            let unit = bench.unit();
            let sizes = bench.sheet.erase.iter();
            let mut sizes = sizes.filter(|size| size.bytes.nominal().bytes() == unit);
            let expected = sizes
                .next()
                .map(|size| stated(&size.duration, bench.timing));
            same("tSE", &Some(took), &expected)
        },
    },
    Check {
        rule: Rule::ClearsOnly,
        applies: |bench| !has_granule(bench),
        run: |bench| {
            bench.programmed(0, 0x0f)?;
            bench.programmed(0, 0xf5)?;
            same("byte", &bench.read(0)?, &0x05)
        },
    },
    Check {
        rule: Rule::EraseSets,
        applies: has_units,
        run: |bench| {
            let unit = bench.unit();
            for at in [0, unit - bench.granule() as u64, unit] {
                bench.programmed(at, 0)?;
            }
            bench.erased(0)?;
            let bytes = [bench.read(0)?, bench.read(unit - 1)?, bench.read(unit)?];
            same("bytes", &bytes, &[0xff, 0xff, 0])
        },
    },
    Check {
        rule: Rule::EraseRenews,
        applies: has_granule,
        run: |bench| {
            bench.programmed(0, 0)?;
            bench.erased(0)?;
            bench.programmed(0, 0).map(|_| ())
        },
    },
    Check {
        rule: Rule::EraseSize,
        applies: has_units,
        run: |bench| {
            bench.enable()?;
            let half = bench.unit() / 2;
            let erase = bench.erase(half, bench.unit())?;
            refused(erase, |misuse| matches!(misuse, Misuse::NoSuchErase { .. }))
        },
    },
    Check {
        rule: Rule::Once,
        applies: has_granule,
        run: |bench| {
            bench.programmed(0, 0xf0)?;
            bench.enable()?;
            let again = bench.program(0, &vec![0; bench.granule()])?;
            refused(again, |misuse| {
                matches!(misuse, Misuse::Flash(FlashMisuse::Reprogram { .. }))
            })
        },
    },
    Check {
        rule: Rule::SuspendLatency,
        applies: suspends,
        run: |bench| {
            let end = bench.suspended()?;
            let took = bench.now().since(end);
            let resumed = (bench.bus(Action::Resume, 0)?, bench.now());
            done(bench.chip.resume(resumed.1, &resumed.0))?;
            let suspend = bench.sheet.suspend.as_ref();
            let expected = suspend.map(|one| stated(&one.erase_latency, bench.timing));
            same("suspend latency", &Some(took), &expected)
        },
    },
    Check {
        rule: Rule::SuspendedRange,
        applies: suspends,
        run: |bench| {
            bench.suspended()?;
            same("a byte elsewhere", &bench.read(bench.unit())?, &0xff)?;
            let (bus, now) = (bench.bus(Action::Read, 1)?, bench.now());
            let inside = bench.chip.read(now, &bus, 0, &mut [0]);
            refused(inside, |misuse| {
                matches!(misuse, Misuse::InSuspended { .. })
            })
        },
    },
    Check {
        rule: Rule::SuspendedWork,
        applies: suspends,
        run: |bench| {
            bench.suspended()?;
            bench.enable()?;
            let unit = bench.unit();
            let erase = bench.erase(unit, unit)?;
            refused(erase, |misuse| {
                matches!(misuse, Misuse::WhileSuspended { .. })
            })
        },
    },
    Check {
        rule: Rule::SuspendProgress,
        applies: |bench| {
            // Where chip select keeps the host away for longer, the rule never comes into play.
            let pause = bench.sheet.deselect_after_write.as_ref();
            let pause = pause.map_or(Time::ZERO, |pause| pause.most());
            let suspend = bench.sheet.suspend.as_ref();
            suspends(bench) && suspend.is_some_and(|one| one.erase_progress.most() > pause)
        },
        run: |bench| {
            bench.suspended()?;
            let bus = bench.bus(Action::Resume, 0)?;
            let now = bench.now();
            done(bench.chip.resume(now, &bus))?;
            let early = before(bench.chip.suspendable());
            let bus = bench.bus(Action::Suspend, 0)?;
            let again = bench.chip.suspend(early, &bus);
            refused(again, |misuse| {
                matches!(misuse, Misuse::SuspendTooSoon { .. })
            })
        },
    },
    Check {
        rule: Rule::OneSuspend,
        applies: |bench| {
            let suspend = bench.sheet.suspend.as_ref();
            suspends(bench) && suspend.is_some_and(|one| *one.program_during_erase.value())
        },
        run: |bench| {
            bench.suspended()?;
            bench.programmed(bench.unit(), 0)?;
            let (bus, now) = (bench.bus(Action::Suspend, 0)?, bench.chip.ready());
            let nested = bench.chip.suspend(now, &bus);
            refused(nested, |misuse| {
                matches!(misuse, Misuse::WhileSuspended { .. })
            })
        },
    },
    Check {
        rule: Rule::Resume,
        applies: suspends,
        run: |bench| {
            let (bus, now) = (bench.bus(Action::Resume, 0)?, bench.now());
            let resume = bench.chip.resume(now, &bus);
            refused(resume, |misuse| matches!(misuse, Misuse::NothingSuspended))
        },
    },
];
