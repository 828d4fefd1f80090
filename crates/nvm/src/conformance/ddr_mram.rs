//! The rules of memories behind banks with row buffers.
//!
//! The rules between commands are checked on a list of commands, from the list alone: a controller
//! that has forgotten one of them gives commands that break it.

use wordline_core::Figure;
use wordline_core::quantity::{Frequency, Time};

use super::{BareChip, Check, RuledSheet, before, done, refused, same};
use crate::bus::BusCommand;
use crate::chip::ddr_mram::DdrMramSheet;
use crate::error::Misuse;
use crate::rules::Rule;
use crate::wired::Chip as _;

type DdrMrams = BareChip<DdrMramSheet>;

impl DdrMrams {
    fn clock(&self) -> Frequency {
        let command = self.link.commands().first();
        command.map_or(Frequency::ZERO, BusCommand::clock)
    }

    /// Clocks that last for a time of the sheet.
    fn clocks(&self, time: &Figure<Time>) -> u64 {
        // By the period in whole picoseconds, as data sheets count: 135 ns are 90 clocks of 1.5 ns.
        let period = self.clock().duration_of(1).ps().max(1);
        time.most().ps().div_ceil(period)
    }

    fn audit(&mut self) -> Result<(), String> {
        let broken = |rule: Rule| format!("commands break the rule {}", rule.name());
        self.chip.audit().map_err(broken)
    }
}

fn always(_: &DdrMrams) -> bool {
    true
}

impl RuledSheet for DdrMramSheet {
    const CHECKS: &'static [Check<BareChip<Self>>] = CHECKS;
}

const CHECKS: &[Check<DdrMrams>] = &[
    Check {
        rule: Rule::Ready,
        applies: |bench| bench.chip.ready() > Time::ZERO,
        run: |bench| {
            let early = before(bench.chip.ready());
            let early = bench.chip.read(early, 0, &mut [0]);
            refused(early, |misuse| matches!(misuse, Misuse::NotReady { .. }))
        },
    },
    Check {
        rule: Rule::Content,
        applies: always,
        run: |bench| {
            done(bench.chip.write(bench.chip.ready(), 8, &[1, 2, 3]))?;
            let mut out = [9; 5];
            done(bench.chip.read(bench.chip.ready(), 7, &mut out))?;
            same("bytes", &out, &[0, 1, 2, 3, 0])
        },
    },
    Check {
        rule: Rule::Wear,
        applies: always,
        run: |bench| {
            for _ in 0..2 {
                done(bench.chip.write(bench.chip.ready(), 0, &[1]))?;
                done(bench.chip.store(bench.chip.ready()))?;
            }
            let wear = bench.chip.wear();
            same("cycles", &(wear.most, wear.units), &(2, 1))?;
            let promised = bench.sheet.endurance.least().count();
            same("endurance", &wear.endurance, &promised)
        },
    },
    Check {
        rule: Rule::RowOpen,
        applies: always,
        run: BareChip::audit,
    },
    Check {
        rule: Rule::RowToColumn,
        applies: |bench| bench.sheet.t_rcd.most() > Time::ZERO,
        run: |bench| {
            bench.audit()?;
            // The first byte of a closed bank: one activate, one read, one burst.
            let sheet = &bench.sheet;
            let clocks = bench.clocks(&sheet.t_rcd)
                + bench.clocks(&sheet.t_cl)
                + u64::from(*sheet.burst_length.value() / 2);
            let cost = done(bench.chip.read(bench.chip.ready(), 0, &mut [0]))?;
            // The bus waits for its next clock edge first.
            let clock = bench.clock();
            let range = clock.duration_of(clocks)..=clock.duration_of(clocks + 1);
            if !range.contains(&cost.total()) {
                return Err(format!("a read took {} instead of {range:?}", cost.total()));
            }
            Ok(())
        },
    },
    Check {
        rule: Rule::RowActive,
        applies: |bench| {
            let sheet = &bench.sheet;
            let other = bench.clocks(&sheet.t_rcd) + bench.clocks(&sheet.t_rtp);
            bench.clocks(&sheet.t_ras) > other
        },
        run: BareChip::audit,
    },
    Check {
        rule: Rule::Precharge,
        applies: always,
        run: BareChip::audit,
    },
    Check {
        rule: Rule::RowToRow,
        applies: always,
        run: BareChip::audit,
    },
    Check {
        rule: Rule::FourRows,
        applies: |bench| bench.clocks(&bench.sheet.t_faw) > 4 * bench.clocks(&bench.sheet.t_rrd),
        run: BareChip::audit,
    },
    Check {
        rule: Rule::WriteRecovery,
        applies: always,
        run: BareChip::audit,
    },
    Check {
        rule: Rule::ReadToPrecharge,
        applies: always,
        run: BareChip::audit,
    },
    Check {
        rule: Rule::WriteToRead,
        applies: always,
        run: BareChip::audit,
    },
    Check {
        rule: Rule::ReadToWrite,
        applies: always,
        run: BareChip::audit,
    },
    Check {
        rule: Rule::DataBus,
        applies: always,
        run: BareChip::audit,
    },
    Check {
        rule: Rule::Store,
        applies: always,
        run: BareChip::audit,
    },
];
