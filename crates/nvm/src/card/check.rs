//! What the sheet of a card must not say: contradictions that its types cannot rule out.

use wordline_core::quantity::{ByteCount, Quantity, Time};

use super::sheet::{ArraySheet, CardInterface, CardSheet, MappingKind};
use crate::bus::sd::BLOCK_BYTES;
use crate::problem::Problems;

/// The most pages that a model keeps a table of.
const PAGES_MAX: u64 = 1 << 28;
/// The largest page of the translation layer, whose sectors are bits of a mask.
const PAGE_BYTES_MAX: u64 = 64 << 10;

/// Where SDXC begins.
const SDHC_BYTES_MAX: u64 = 32 << 30;

impl ArraySheet {
    pub(super) fn check(&self, problems: &mut Problems) {
        let page = self.page_bytes.nominal().bytes();
        let layer = self.layer_page_bytes();
        if !page.is_power_of_two()
            || page < BLOCK_BYTES
            || !layer.is_power_of_two()
            || layer > PAGE_BYTES_MAX
        {
            problems.add(
                "array.page_bytes",
                format!(
                    "allowed: a power of two from {BLOCK_BYTES} B, and with all planes up to {} (now {})",
                    ByteCount::from_bytes(PAGE_BYTES_MAX),
                    ByteCount::from_bytes(layer)
                ),
            );
        }
        for (key, value, most) in [
            ("array.planes", &self.planes, 16),
            ("array.dies", &self.dies, 64),
            ("array.pages_per_block", &self.pages_per_block, 1 << 14),
            ("array.blocks", &self.blocks, 1 << 22),
        ] {
            if !(1..=most).contains(value.value()) {
                problems.add(key, format!("allowed: 1 to {most}"));
            }
        }
        for (key, figure) in [
            ("array.page_read", &self.page_read),
            ("array.page_program", &self.page_program),
            ("array.block_erase", &self.block_erase),
        ] {
            problems.positive(key, figure);
        }
        problems.positive("array.transfer", &self.transfer);
        if let Some(slc) = &self.slc {
            problems.positive("array.slc.page_read", &slc.page_read);
            problems.positive("array.slc.page_program", &slc.page_program);
            let native = *self.pages_per_block.value();
            if !(1..=native).contains(slc.pages_per_block.value()) {
                problems.add(
                    "array.slc.pages_per_block",
                    format!("allowed: 1 to {native}"),
                );
            }
        }
    }
}

impl CardSheet {
    pub(super) fn check_interface(&self, problems: &mut Problems) {
        if *self.interface.value() == CardInterface::Emmc {
            if self.spi.as_ref().is_some_and(|spi| *spi.value()) {
                problems.add("spi", "an eMMC has no SPI mode; allowed: false");
            }
            return;
        }
        if self.flush_busy.is_some() {
            problems.add("flush_busy", "only an eMMC has a flush; leave it out");
        }
        // SD Physical Layer Specification, section 4.6.2.2: 250 ms up to SDHC, 500 ms for SDXC (the latter as remembered, and as
        // drivers of hosts quote it).
        let large = self.capacity.nominal().bytes() > SDHC_BYTES_MAX;
        let most = Time::from_ps(if large {
            500_000_000_000
        } else {
            250_000_000_000
        });
        if self.write_busy.most() > most {
            problems.add(
                "write_busy",
                format!("allowed: up to {most}, the limit of its class"),
            );
        }
    }

    pub(super) fn check_sizes(&self, problems: &mut Problems) {
        let of = &self.controller;
        let (data, spare) = (self.data_blocks(), u64::from(*of.spare_blocks.value()));
        let blocks = u64::from(*self.array.blocks.value());
        if data > blocks {
            let per_block =
                u64::from(self.array.shape().pages_per_block) * self.array.layer_page_bytes();
            let array = ByteCount::from_bytes(per_block.saturating_mul(blocks));
            problems.add("capacity", format!("exceeds the array of {array}"));
        } else if data + spare > blocks {
            problems.add(
                "controller.spare_blocks",
                format!(
                    "the array has {blocks} blocks, of which {data} hold data; allowed: up to {}",
                    blocks - data
                ),
            );
        }
        let pages = (data + spare) * u64::from(self.array.shape().pages_per_block);
        if pages > PAGES_MAX {
            problems.add(
                "array.blocks",
                format!("{pages} pages; allowed: up to {PAGES_MAX}"),
            );
        }
        if matches!(of.mapping.value(), MappingKind::Page)
            && (of.log_blocks.is_some() || of.shared_by.is_some())
        {
            problems.add(
                "controller.mapping",
                "log_blocks and shared_by belong to the mapping log-block",
            );
        }
        if matches!(of.mapping.value(), MappingKind::LogBlock) && of.log_blocks.is_none() {
            problems.add(
                "controller.mapping",
                "the mapping log-block needs log_blocks",
            );
        }
        if of.slc_blocks.is_some() && self.array.slc.is_none() {
            problems.add("controller.slc_blocks", "state [card.array.slc] as well");
        }
        for (key, value) in [
            ("controller.steps_per_write", &of.steps_per_write),
            ("controller.log_blocks", &of.log_blocks),
            ("controller.shared_by", &of.shared_by),
            ("controller.slc_blocks", &of.slc_blocks),
            ("controller.journal_pages", &of.journal_pages),
            ("controller.housekeeping_every", &of.housekeeping_every),
            (
                "controller.journal_changes",
                &Some(of.journal_changes.clone()),
            ),
        ] {
            if value.as_ref().is_some_and(|value| *value.value() == 0) {
                problems.add(key, "allowed: 1 or more");
            }
        }
        if u64::from(*of.idle_until.value()) > spare {
            problems.add(
                "controller.idle_until",
                format!("more blocks are never free; allowed: up to the {spare} spare ones"),
            );
        }
        if *of.open_pages.value() > 1024 {
            problems.add("controller.open_pages", "allowed: 0 to 1024");
        }
        self.check_housekeeping(problems);
        self.check_spare(problems);
    }

    fn check_housekeeping(&self, problems: &mut Problems) {
        let of = &self.controller;
        for (key, figure) in [
            ("controller.write_time", &of.write_time),
            ("controller.housekeeping", &of.housekeeping),
        ] {
            let Some(figure) = figure else {
                continue;
            };
            problems.positive(key, figure);
            let (time, limit) = (figure.nominal(), self.write_busy.nominal());
            if time > limit {
                problems.add(
                    key,
                    format!(
                        "longer than a card may be busy; allowed: up to the {limit} of write_busy"
                    ),
                );
            }
        }
        if of.housekeeping.is_some() != of.housekeeping_every.is_some() {
            problems.add(
                "controller.housekeeping",
                "housekeeping and housekeeping_every belong together: state both, or leave both out",
            );
        }
    }

    /// What the translation layer says of its choices.
    fn check_spare(&self, problems: &mut Problems) {
        if let Err(error) = self.config().logical_pages(self.layer_shape(), 0) {
            let key = match error.what {
                "start_below" => "controller.clean_below",
                "stop_at" => "controller.clean_until",
                "slc.blocks" => "controller.slc_blocks",
                "spare_blocks" => "controller.spare_blocks",
                _ => "controller",
            };
            problems.add(key, format!("the translation layer refuses {error}"));
        }
    }

    /// A block that takes longer to program than the card may be busy could never be answered for.
    pub(super) fn check_times(&self, problems: &mut Problems) {
        let rate = self.array.transfer.least().si();
        let page = self.array.layer_page_bytes() as f64 / rate;
        let one = self.array.page_program.most().si() + page;
        let limit = self.write_busy.nominal();
        if one > limit.si() {
            problems.add(
                "write_busy",
                format!(
                    "{limit} is less than one program takes, {}",
                    Time::from_si(one)
                ),
            );
        }
        let read = self.array.page_read.most().si() + page;
        if read > self.read_wait.nominal().si() {
            let limit = self.read_wait.nominal();
            problems.add(
                "read_wait",
                format!(
                    "{limit} is less than one page takes, {}",
                    Time::from_si(read)
                ),
            );
        }
    }
}
