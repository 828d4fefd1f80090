//! The rules of NAND flash.

use wordline_core::quantity::Time;
use wordline_memory::{Ecc, FlashMisuse};

use super::{BareChip, Check, RuledSheet, before, done, refused, same, stated};
use crate::bus::Action;
use crate::chip::nand::{EccVerdict, NandSheet};
use crate::device::Pipeline;
use crate::error::{Misuse, NvmError};
use crate::rules::Rule;
use crate::wired::Chip as _;

type Nands = BareChip<NandSheet>;

impl Nands {
    /// The first instant at which the chip takes any command.
    fn now(&self) -> Time {
        self.chip.ready().later(self.chip.array_until())
    }

    /// The first instant at which the host may go on, whatever the array does.
    fn soon(&self) -> Time {
        self.chip.ready().later(self.chip.busy_until())
    }

    /// Two good blocks of the same plane; the first twice where there is no second.
    fn blocks(&self) -> (u32, u32) {
        let step = self.chip.planes();
        let good = |block: &u32| !self.chip.is_marked(*block);
        let blocks = self.chip.geometry().blocks;
        let first = (0..blocks).find(good).unwrap_or(0);
        let mut behind = (first..blocks).step_by(step as usize).skip(1);
        (first, behind.find(good).unwrap_or(first))
    }

    /// A page of the first good block.
    fn page(&self, index: u32) -> u32 {
        self.blocks().0 * self.chip.geometry().pages_per_block + index
    }

    fn enable(&mut self) -> Result<(), String> {
        if self.chip.needs_write_enable() {
            let bus = self.bus(Action::WriteEnable, 0)?;
            done(self.chip.write_enable(self.soon(), &bus))?;
        }
        Ok(())
    }

    fn load(&mut self, page: u32, column: u32, data: &[u8]) -> Result<(), String> {
        let bus = self.bus(Action::Write, data.len() as u64)?;
        let plane = self.chip.plane_of(page);
        done(self.chip.load(self.soon(), &bus, plane, column, data)).map(|_| ())
    }

    /// Enables, loads and executes.
    fn program(
        &mut self,
        page: u32,
        column: u32,
        data: &[u8],
    ) -> Result<Result<Time, NvmError>, String> {
        self.enable()?;
        self.load(page, column, data)?;
        let bus = self.bus(Action::Execute, 0)?;
        Ok(self.chip.execute(self.now(), &bus, page))
    }

    fn programmed(&mut self, page: u32, column: u32, data: &[u8]) -> Result<Time, String> {
        done(self.program(page, column, data)?)
    }

    fn erase(&mut self, block: u32) -> Result<Result<Time, NvmError>, String> {
        let bus = self.bus(Action::Erase, 0)?;
        Ok(self.chip.erase(self.now(), &bus, block))
    }

    fn erased(&mut self, block: u32) -> Result<Time, String> {
        self.enable()?;
        done(self.erase(block)?)
    }

    fn fetch(&mut self, page: u32) -> Result<Time, String> {
        let bus = self.bus(Action::PageRead, 0)?;
        done(self.chip.page_read(self.now(), &bus, page))
    }

    fn read(
        &mut self,
        page: u32,
        column: u32,
        bytes: usize,
    ) -> Result<(Vec<u8>, EccVerdict), String> {
        self.fetch(page)?;
        let bus = self.bus(Action::Read, bytes as u64)?;
        let plane = self.chip.plane_of(page);
        let mut out = vec![0; bytes];
        done(
            self.chip
                .read_register(self.soon(), &bus, plane, column, &mut out),
        )?;
        Ok((out, self.chip.verdict(plane)))
    }

    /// Columns at which programs of one byte fall into different sectors, where there are enough.
    fn columns(&self) -> impl Iterator<Item = u32> + use<> {
        let geometry = self.chip.geometry();
        let sector = geometry.once_bytes.unwrap_or(1);
        (0..).map(move |index| index * sector % geometry.page_bytes)
    }

    fn sector_bits(&self) -> u32 {
        self.sheet.ecc.as_ref().map_or(0, |ecc| *ecc.bits.value())
    }

    fn spoil(&mut self, page: u32, bits: u32) -> Result<(), String> {
        for bit in 0..bits {
            done(self.chip.flip_bit(page, bit / 8, (bit % 8) as u8))?;
        }
        Ok(())
    }

    fn programs(&self) -> u32 {
        *self.sheet.programs_per_page.value()
    }
}

fn always(_: &Nands) -> bool {
    true
}

fn has_two_blocks(bench: &Nands) -> bool {
    let (first, second) = bench.blocks();
    first != second
}

fn on_serial(bench: &Nands) -> bool {
    bench.chip.needs_write_enable()
}

fn has_ecc(bench: &Nands) -> bool {
    bench.sheet.ecc.is_some()
}

impl RuledSheet for NandSheet {
    const CHECKS: &'static [Check<BareChip<Self>>] = CHECKS;
}

const CHECKS: &[Check<Nands>] = &[
    Check {
        rule: Rule::Ready,
        applies: |bench| bench.sheet.wake_up.nominal() > Time::ZERO,
        run: |bench| {
            let bus = bench.bus(Action::PageRead, 0)?;
            let early = before(bench.chip.ready());
            let early = bench.chip.page_read(early, &bus, 0);
            refused(early, |misuse| matches!(misuse, Misuse::NotReady { .. }))
        },
    },
    Check {
        rule: Rule::Busy,
        applies: always,
        run: |bench| {
            bench.fetch(0)?;
            let bus = bench.bus(Action::Read, 1)?;
            let early = before(bench.chip.busy_until());
            let early = bench.chip.read_register(early, &bus, 0, 0, &mut [0]);
            refused(early, |misuse| matches!(misuse, Misuse::Busy { .. }))
        },
    },
    Check {
        rule: Rule::WriteEnable,
        applies: on_serial,
        run: |bench| {
            let erase = bench.erase(bench.blocks().0)?;
            refused(erase, |misuse| matches!(misuse, Misuse::WriteNotEnabled))
        },
    },
    Check {
        rule: Rule::WriteEnableSpent,
        applies: on_serial,
        run: |bench| {
            let block = bench.blocks().0;
            bench.erased(block)?;
            let again = bench.erase(block)?;
            refused(again, |misuse| matches!(misuse, Misuse::WriteNotEnabled))
        },
    },
    Check {
        rule: Rule::Range,
        applies: always,
        run: |bench| {
            bench.enable()?;
            let beyond = bench.chip.geometry().blocks;
            let erase = bench.erase(beyond)?;
            let flash =
                |misuse: &Misuse| matches!(misuse, Misuse::Flash(FlashMisuse::NoSuchBlock { .. }));
            refused(erase, flash)
        },
    },
    Check {
        rule: Rule::Content,
        applies: always,
        run: |bench| {
            let page = bench.page(1);
            bench.programmed(page, 3, &[1, 2, 3])?;
            let (bytes, verdict) = bench.read(page, 2, 5)?;
            same("bytes", &bytes, &vec![0xff, 1, 2, 3, 0xff])?;
            same("verdict", &verdict, &EccVerdict::Good(Ecc::Clean))
        },
    },
    Check {
        rule: Rule::Wear,
        applies: has_two_blocks,
        run: |bench| {
            let (first, second) = bench.blocks();
            bench.erased(first)?;
            bench.erased(first)?;
            let cycles = (bench.chip.cycles_of(first), bench.chip.cycles_of(second));
            same("cycles", &cycles, &(Some(2), Some(0)))
        },
    },
    Check {
        rule: Rule::ReadTime,
        applies: always,
        run: |bench| {
            let end = bench.fetch(0)?;
            let took = bench.chip.busy_until().since(end);
            same("tR", &took, &stated(&bench.sheet.page_read, bench.timing))
        },
    },
    Check {
        rule: Rule::ProgramTime,
        applies: always,
        run: |bench| {
            let end = bench.programmed(bench.page(0), 0, &[0])?;
            let took = bench.chip.busy_until().since(end);
            same(
                "tPROG",
                &took,
                &stated(&bench.sheet.page_program, bench.timing),
            )
        },
    },
    Check {
        rule: Rule::EraseTime,
        applies: always,
        run: |bench| {
            let end = bench.erased(bench.blocks().0)?;
            let took = bench.chip.busy_until().since(end);
            same(
                "tBERS",
                &took,
                &stated(&bench.sheet.block_erase, bench.timing),
            )
        },
    },
    Check {
        rule: Rule::ClearsOnly,
        applies: |bench| bench.programs() > 1,
        run: |bench| {
            bench.chip.set_ecc(false);
            let page = bench.page(0);
            bench.programmed(page, 0, &[0x0f])?;
            bench.programmed(page, 0, &[0xf5])?;
            same("bytes", &bench.read(page, 0, 1)?.0, &vec![0x05])
        },
    },
    Check {
        rule: Rule::EraseSets,
        applies: has_two_blocks,
        run: |bench| {
            let (first, second) = bench.blocks();
            let pages = bench.chip.geometry().pages_per_block;
            bench.programmed(first * pages, 0, &[0])?;
            bench.programmed(second * pages, 0, &[0])?;
            bench.erased(first)?;
            let erased = bench.read(first * pages, 0, 1)?.0;
            let other = bench.read(second * pages, 0, 1)?.0;
            same("bytes", &(erased, other), &(vec![0xff], vec![0]))
        },
    },
    Check {
        rule: Rule::EraseRenews,
        applies: always,
        run: |bench| {
            let page = bench.page(1);
            for column in bench.columns().take(bench.programs() as usize) {
                bench.chip.set_ecc(false);
                bench.programmed(page, column, &[0])?;
            }
            bench.erased(bench.blocks().0)?;
            bench.programmed(page - 1, 0, &[0])?;
            bench.programmed(page, 0, &[0]).map(|_| ())
        },
    },
    Check {
        rule: Rule::Once,
        applies: |bench| has_ecc(bench) && bench.programs() > 1,
        run: |bench| {
            let page = bench.page(0);
            bench.programmed(page, 0, &[0])?;
            let again = bench.program(page, 1, &[0])?;
            refused(again, |misuse| {
                matches!(misuse, Misuse::Flash(FlashMisuse::Reprogram { .. }))
            })
        },
    },
    Check {
        rule: Rule::InOrder,
        applies: |bench| *bench.sheet.in_order.value(),
        run: |bench| {
            let page = bench.page(1);
            bench.programmed(page, 0, &[0])?;
            let earlier = bench.program(page - 1, 0, &[0])?;
            refused(earlier, |misuse| {
                matches!(misuse, Misuse::Flash(FlashMisuse::OutOfOrder { .. }))
            })
        },
    },
    Check {
        rule: Rule::ProgramsPerPage,
        applies: always,
        run: |bench| {
            bench.chip.set_ecc(false);
            let page = bench.page(0);
            for column in bench.columns().take(bench.programs() as usize) {
                bench.programmed(page, column, &[0])?;
            }
            let more = bench.program(page, 1, &[0])?;
            refused(more, |misuse| {
                matches!(misuse, Misuse::Flash(FlashMisuse::TooManyPrograms { .. }))
            })
        },
    },
    Check {
        rule: Rule::Parity,
        applies: has_ecc,
        run: |bench| {
            let ecc = bench.sheet.ecc.as_ref();
            let first = ecc.and_then(|ecc| ecc.parity.value().first().copied());
            let first = first.ok_or("no parity")?;
            let column = bench.chip.geometry().page_bytes + first.start;
            let program = bench.program(bench.page(0), column, &[0])?;
            refused(program, |misuse| matches!(misuse, Misuse::EccParity { .. }))
        },
    },
    Check {
        rule: Rule::Corrects,
        applies: has_ecc,
        run: |bench| {
            let page = bench.page(0);
            bench.programmed(page, 0, &[0x5a; 4])?;
            bench.spoil(page, bench.sector_bits())?;
            let (bytes, verdict) = bench.read(page, 0, 4)?;
            same("bytes", &bytes, &vec![0x5a; 4])?;
            match verdict {
                EccVerdict::Good(Ecc::Corrected { refresh: true, .. }) => Ok(()),
                other => Err(format!("verdict: {other:?}")),
            }
        },
    },
    Check {
        rule: Rule::GivesUp,
        applies: has_ecc,
        run: |bench| {
            let page = bench.page(0);
            bench.programmed(page, 0, &[0x5a; 4])?;
            bench.spoil(page, bench.sector_bits() + 1)?;
            let (_, verdict) = bench.read(page, 0, 4)?;
            same("verdict", &verdict, &EccVerdict::Lost)
        },
    },
    Check {
        rule: Rule::Register,
        applies: always,
        run: |bench| {
            let bus = bench.bus(Action::Read, 1)?;
            let now = bench.now();
            let read = bench.chip.read_register(now, &bus, 0, 0, &mut [0]);
            refused(read, |misuse| matches!(misuse, Misuse::RegisterEmpty))
        },
    },
    Check {
        rule: Rule::RegisterKept,
        applies: |bench| bench.chip.can_move(0, 0) && has_two_blocks(bench),
        run: |bench| {
            let (from, bytes) = (bench.page(0), vec![0x5a; 8]);
            let to = bench.blocks().1 * bench.chip.geometry().pages_per_block;
            bench.programmed(from, 0, &bytes)?;
            bench.spoil(from, bench.sector_bits())?;
            bench.fetch(from)?;
            bench.enable()?;
            let bus = bench.bus(Action::WriteMore, 1)?;
            let (plane, now) = (bench.chip.plane_of(from), bench.soon());
            done(bench.chip.load_more(now, &bus, plane, 4, &[0xa5]))?;
            let bus = bench.bus(Action::Execute, 0)?;
            let now = bench.now();
            done(bench.chip.execute(now, &bus, to))?;
            let (moved, verdict) = bench.read(to, 0, bytes.len())?;
            let clean = EccVerdict::Good(Ecc::Clean);
            same("verdict", &verdict, &clean)?;
            let mut expected = bytes;
            expected[4] = 0xa5;
            same("bytes", &moved, &expected)
        },
    },
    Check {
        rule: Rule::CacheRead,
        applies: |bench| bench.chip.can(Pipeline::CacheRead),
        run: |bench| {
            let (cache, last) = (
                bench.bus(Action::PageReadCache, 0)?,
                bench.bus(Action::PageReadLast, 0)?,
            );
            let now = bench.now();
            let alone = bench.chip.page_read_last(now, &last);
            refused(alone, |misuse| matches!(misuse, Misuse::NoPageRead))?;
            bench.fetch(0)?;
            let now = bench.soon();
            done(bench.chip.page_read_cache(now, &cache, 1))?;
            let (array, now) = (bench.chip.array_until(), bench.soon());
            done(bench.chip.page_read_last(now, &last))?;
            let busy = bench.sheet.cache_busy.as_ref();
            let moved = busy.map(|busy| stated(busy, bench.timing));
            let moved = array.plus(moved.ok_or("no cache_busy")?);
            same("end of the move", &bench.chip.busy_until(), &moved)
        },
    },
    Check {
        rule: Rule::CacheReadOrder,
        applies: |bench| {
            let sequential = bench.sheet.cache_read_sequential.as_ref();
            let sequential = sequential.is_some_and(|sequential| *sequential.value());
            sequential && bench.chip.can(Pipeline::CacheRead)
        },
        run: |bench| {
            let cache = bench.bus(Action::PageReadCache, 0)?;
            bench.fetch(0)?;
            let now = bench.soon();
            let skipping = bench.chip.page_read_cache(now, &cache, 2);
            refused(skipping, |misuse| {
                matches!(misuse, Misuse::CacheReadOrder { .. })
            })
        },
    },
    Check {
        rule: Rule::ArrayBusy,
        applies: |bench| bench.chip.can(Pipeline::CacheRead),
        run: |bench| {
            let cache = bench.bus(Action::PageReadCache, 0)?;
            bench.fetch(0)?;
            let now = bench.soon();
            done(bench.chip.page_read_cache(now, &cache, 1))?;
            let (bus, now) = (bench.bus(Action::PageRead, 0)?, bench.soon());
            let other = bench.chip.page_read(now, &bus, 2);
            refused(other, |misuse| matches!(misuse, Misuse::Busy { .. }))
        },
    },
    Check {
        rule: Rule::CacheProgram,
        applies: |bench| bench.chip.can(Pipeline::CacheProgram),
        run: |bench| {
            let bus = bench.bus(Action::ExecuteCache, 0)?;
            for index in 0..2 {
                bench.enable()?;
                let page = bench.page(index);
                bench.load(page, 0, &[0])?;
                let (array, now) = (bench.chip.array_until(), bench.soon());
                done(bench.chip.execute_cache(now, &bus, page))?;
                if index == 1 && bench.chip.busy_until() < array {
                    let until = bench.chip.busy_until();
                    return Err(format!("ready at {until}, before the array at {array}"));
                }
            }
            Ok(())
        },
    },
    Check {
        rule: Rule::Planes,
        applies: |bench| bench.chip.can(Pipeline::MultiPlane) && has_two_blocks(bench),
        run: |bench| {
            let bus = bench.bus(Action::ExecutePlane, 0)?;
            let (first, second) = bench.blocks();
            let pages = bench.chip.geometry().pages_per_block;
            bench.enable()?;
            bench.load(first * pages, 0, &[0])?;
            let now = bench.now();
            done(bench.chip.execute_plane(now, &bus, first * pages))?;
            let kept = bench.clone();
            let wrong = |misuse: &Misuse| matches!(misuse, Misuse::Planes { .. });
            refused(bench.program(second * pages, 0, &[0])?, wrong)?;
            // Another plane, but another place in the block; and another kind of work.
            *bench = kept.clone();
            refused(bench.program((first + 1) * pages + 1, 0, &[0])?, wrong)?;
            *bench = kept;
            bench.enable()?;
            refused(bench.erase(first + 1)?, wrong)
        },
    },
    Check {
        rule: Rule::FailedBlock,
        applies: always,
        run: |bench| {
            let block = bench.blocks().0;
            done(bench.chip.fail_block(block))?;
            bench.programmed(bench.page(0), 0, &[0])?;
            let program = bench.chip.failed();
            bench.erased(block)?;
            same("failures", &(program, bench.chip.failed()), &(true, true))
        },
    },
];
