//! What keeps the chip busy, and how it is suspended and resumed.

use wordline_core::quantity::Time;

use super::{Nor, Slot};
use crate::bus::{Action, Transaction};
use crate::cost::Cause;
use crate::error::{Misuse, NvmError, after};
use crate::power::PowerState;
use crate::rules::Rule;

/// What keeps the chip busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NorWork {
    /// A page is programmed.
    Program,
    /// A sector is erased.
    Erase,
}

impl NorWork {
    /// As messages spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Erase => "erase",
        }
    }

    pub(super) const fn state(self) -> PowerState {
        match self {
            Self::Program => PowerState::Write,
            Self::Erase => PowerState::Erase,
        }
    }

    /// The cause that waiting for it has.
    #[must_use]
    pub const fn cause(self) -> Cause {
        match self {
            Self::Program => Cause::Program,
            Self::Erase => Cause::Erase,
        }
    }
}

/// Work on a range of the array.
#[derive(Clone, Copy, Debug)]
pub(super) struct NorJob {
    pub(super) work: NorWork,
    pub(super) at: u64,
    pub(super) bytes: u64,
}

impl NorJob {
    const fn overlaps(&self, at: u64, bytes: u64) -> bool {
        at < self.at + self.bytes && self.at < at + bytes
    }
}

/// A job that keeps the chip busy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    pub(super) job: NorJob,
    /// Up to here its time is in the account.
    pub(super) from: Time,
    pub(super) until: Time,
    /// When it may be suspended.
    pub(super) suspendable: Time,
    /// What is left of it when `until` is the end of a suspend latency.
    pub(super) remaining: Option<Time>,
}

/// A job that stands still.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspended {
    pub(super) job: NorJob,
    pub(super) remaining: Time,
}

/// What the status registers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NorStatus {
    /// A program or an erase runs, or has yet to stand still.
    pub busy: bool,
    /// The next program or erase is permitted.
    pub write_enabled: bool,
    /// What is suspended.
    pub suspended: Option<NorWork>,
}

impl Nor {
    /// What the status registers say at an instant.
    #[must_use]
    pub fn status(&self, instant: Time) -> NorStatus {
        let mut then = self.clone();
        then.settle(instant);
        NorStatus {
            busy: then.running.is_some(),
            write_enabled: then.write_enabled,
            suspended: then.suspended.map(|suspended| suspended.job.work),
        }
    }

    /// The last program or erase, and when it ends or stands still, until a later command or status
    /// finds it done.
    #[must_use]
    pub fn running(&self) -> Option<(NorWork, Time)> {
        self.running
            .map(|running| (running.job.work, running.until))
    }

    /// The instant from which what runs may be suspended.
    #[must_use]
    pub fn suspendable(&self) -> Time {
        self.running
            .map_or(Time::ZERO, |running| running.suspendable)
    }

    /// Whether something is suspended, as far as the last status said.
    pub(crate) const fn stands_still(&self) -> bool {
        self.suspended.is_some()
    }

    /// Whether a program may come while an erase is suspended.
    pub(crate) fn programs_during_erase(&self) -> bool {
        let suspension = self.spec.suspension;
        suspension.is_some_and(|suspension| suspension.program_during_erase)
    }

    /// Whether the sheet states how work is suspended.
    #[must_use]
    pub fn has_suspend(&self) -> bool {
        self.spec.suspension.is_some()
    }

    /// Interrupts what runs. The command is on the bus from `start`; returns when it has ended. The
    /// chip stays [busy](Self::running) for the latency, and [`status`](Self::status) then says what
    /// is suspended. What would have been done by then is done, and nothing is suspended; so it is
    /// when nothing runs, because a host cannot know.
    ///
    /// # Errors
    /// When the chip has no suspend, is not ready or asleep, something is suspended already, or what
    /// was resumed has not run for long enough.
    pub fn suspend(&mut self, start: Time, bus: &Transaction) -> Result<Time, NvmError> {
        let Some(suspension) = self.spec.suspension else {
            return Err(NvmError::Unsupported(Action::Suspend));
        };
        let slot = self.admit(start, bus, self.spec.deselect_after_write)?;
        self.check_nested()?;
        let Some(running) = self.running else {
            return Ok(self.take(slot));
        };
        if running.remaining.is_some() {
            return Ok(self.take(slot));
        }
        let work = running.job.work;
        let early = start < running.suspendable;
        if self.rules.broken(Rule::SuspendProgress, early) {
            return Err(Misuse::SuspendTooSoon {
                start,
                allowed: running.suspendable,
                work: work.name(),
            }
            .into());
        }
        let latency = match self.rules.keep(Rule::SuspendLatency) {
            true => suspension.latency(work),
            false => Time::ZERO,
        };
        let still = after(slot.end, latency)?;
        if running.until > still {
            self.meter.book(work.state(), running.from, slot.end);
            self.running = Some(Running {
                from: slot.end,
                until: still,
                remaining: Some(running.until.since(slot.end)),
                ..running
            });
        }
        Ok(self.take(slot))
    }

    /// Goes on with what is suspended. The command is on the bus from `start`; returns when it has
    /// ended, from when on the chip is [busy](Self::running) for the rest of it.
    ///
    /// # Errors
    /// When the chip has no resume, is not ready, busy or asleep, or nothing is suspended.
    pub fn resume(&mut self, start: Time, bus: &Transaction) -> Result<Time, NvmError> {
        let Some(suspension) = self.spec.suspension else {
            return Err(NvmError::Unsupported(Action::Resume));
        };
        let slot = self.admit_idle(start, bus, self.spec.deselect_after_write)?;
        let Some(Suspended { job, remaining }) = self.suspended else {
            return match self.rules.keep(Rule::Resume) {
                true => Err(Misuse::NothingSuspended.into()),
                false => Ok(self.take(slot)),
            };
        };
        let suspendable = after(slot.end, suspension.progress(job.work))?;
        self.run(job, slot.end, remaining, suspendable)?;
        self.suspended = None;
        Ok(self.take(slot))
    }

    /// Whether a range can be read while something runs: the chip has banks, and the range touches none in which
    /// work goes on. While nothing runs it is not the question.
    #[must_use]
    #[inline]
    pub fn reads_beside(&self, at: u64, bytes: u64) -> bool {
        let Some(running) = &self.running else {
            return false;
        };
        let Some(bank) = self.spec.bank_bytes else {
            return false;
        };
        let job = running.job;
        let banks = |at: u64, bytes: u64| (at / bank, (at + bytes.max(1) - 1) / bank);
        let ((first, last), (busy_first, busy_last)) = (banks(at, bytes), banks(job.at, job.bytes));
        running.remaining.is_none() && (last < busy_first || busy_last < first)
    }

    /// The power goes: what runs or stands still is gone.
    pub(crate) fn lose_power(&mut self, instant: Time) {
        self.settle(instant);
        if let Some(running) = self.running.take()
            && instant > running.from
        {
            self.meter
                .book(running.job.work.state(), running.from, instant);
        }
        self.suspended = None;
        self.failed = None;
        self.write_enabled = false;
    }

    /// Banks of which one can be read while another one is busy.
    pub(crate) fn banks(&self) -> u32 {
        let bank = self.spec.bank_bytes.unwrap_or(self.spec.capacity);
        (self.spec.capacity / bank.max(1)) as u32
    }

    /// When the work on an address ends; `None` where nothing runs there.
    pub(crate) fn running_at(&self, at: u64) -> Option<Time> {
        let running = self.running.filter(|running| running.job.overlaps(at, 1))?;
        Some(running.until)
    }

    /// Accounts for work in another bank, up to a read.
    pub(super) fn account_beside(&mut self, slot: &Slot) {
        let Some(running) = &mut self.running else {
            return;
        };
        if slot.start > running.from {
            self.meter
                .book(running.job.work.state(), running.from, slot.start);
        }
        running.from = slot.end;
    }

    /// Keeps the chip busy with a job from `from` on.
    #[inline(always)]
    pub(super) fn run(
        &mut self,
        job: NorJob,
        from: Time,
        duration: Time,
        suspendable: Time,
    ) -> Result<(), NvmError> {
        self.running = Some(Running {
            job,
            from,
            until: after(from, duration)?,
            suspendable,
            remaining: None,
        });
        Ok(())
    }

    /// While something is suspended there is no erase, and a program only where the chip allows it.
    pub(super) fn check_suspended(&self, action: Action) -> Result<(), Misuse> {
        let Some(Suspended { job, .. }) = self.suspended else {
            return Ok(());
        };
        let allowed = action == Action::Write
            && job.work == NorWork::Erase
            && self
                .spec
                .suspension
                .is_some_and(|suspension| suspension.program_during_erase);
        if allowed || !self.rules.keep(Rule::SuspendedWork) {
            return Ok(());
        }
        Err(Misuse::WhileSuspended {
            suspended: job.work.name(),
            action,
        })
    }

    /// One thing is suspended at a time.
    fn check_nested(&self) -> Result<(), Misuse> {
        match (&self.suspended, &self.running) {
            (Some(suspended), Some(_)) if self.rules.keep(Rule::OneSuspend) => {
                Err(Misuse::WhileSuspended {
                    suspended: suspended.job.work.name(),
                    action: Action::Suspend,
                })
            }
            _ => Ok(()),
        }
    }

    /// What is suspended leaves its range unspecified.
    pub(super) fn check_apart(&self, at: u64, bytes: u64) -> Result<(), Misuse> {
        match &self.suspended {
            Some(Suspended { job, .. })
                if self
                    .rules
                    .broken(Rule::SuspendedRange, job.overlaps(at, bytes)) =>
            {
                Err(Misuse::InSuspended {
                    at,
                    work: job.work.name(),
                })
            }
            _ => Ok(()),
        }
    }

    /// Whether a program keeps what is suspended: what a driver checks before it puts one on the bus.
    ///
    /// # Errors
    /// When it touches that, or the chip takes no programs meanwhile.
    #[inline]
    pub(crate) fn check_program_beside(&self, at: u64, bytes: usize) -> Result<(), Misuse> {
        if self.suspended.is_none() {
            return Ok(());
        }
        self.check_suspended(Action::Write)?;
        self.check_apart(at, bytes as u64)
    }

    /// Whether a read would still be apart from what runs at `instant` if that were suspended for it.
    ///
    /// # Errors
    /// When it would touch that.
    pub(crate) fn check_read_suspending(
        &self,
        instant: Time,
        at: u64,
        bytes: u64,
    ) -> Result<(), Misuse> {
        self.check_apart(at, bytes)?;
        match &self.running {
            Some(Running { job, until, .. })
                if *until > instant
                    && self
                        .rules
                        .broken(Rule::SuspendedRange, job.overlaps(at, bytes)) =>
            {
                Err(Misuse::InSuspended {
                    at,
                    work: job.work.name(),
                })
            }
            _ => Ok(()),
        }
    }

    /// Lets what runs end, or stand still, if it does so by `instant`.
    #[inline]
    pub(super) fn settle(&mut self, instant: Time) {
        let Some(running) = &self.running else { return };
        if running.until > instant {
            return;
        }
        let Running {
            job,
            from,
            until,
            remaining,
            ..
        } = *running;
        if until > from {
            self.meter.book(job.work.state(), from, until);
        }
        self.running = None;
        // A suspended chip wants a write-enable command before a program as well.
        self.write_enabled &= !self.rules.keep(Rule::WriteEnableSpent);
        if let Some(remaining) = remaining {
            self.suspended = Some(Suspended { job, remaining });
        }
    }
}
