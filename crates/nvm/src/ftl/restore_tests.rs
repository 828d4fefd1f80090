//! Power cuts: whatever a flush promised is found again, also after cuts within the mount.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::config::FtlConfig;
use super::fixture::{Cut, Ram, Torn};
use super::layer_tests::{Call, Layer, calls, configs, layer, shapes};
use super::translation::{FtlError, Translation};

/// What a host knows about its pages.
#[derive(Default)]
struct Known {
    /// Since the last flush or mount; 0 where nothing was.
    kept: BTreeMap<u32, u64>,
    /// Every version since.
    later: BTreeMap<u32, Vec<u64>>,
    /// Pages that were trimmed: after a power cut they may hold any version that they had.
    trimmed: BTreeSet<u32>,
    /// Every version that a page had.
    all: BTreeMap<u32, BTreeSet<u64>>,
    version: u64,
}

impl Known {
    fn flushed(&mut self) {
        for (logical, versions) in std::mem::take(&mut self.later) {
            if !versions.is_empty() {
                self.trimmed.remove(&logical);
            }
            self.kept
                .extend(versions.last().map(|last| (logical, *last)));
        }
    }

    fn call(&mut self, layer: &mut Layer, call: Call) -> Result<(), FtlError<Cut>> {
        let pages = layer.pages();
        match call {
            Call::Write(logical) | Call::Split(logical) => {
                let logical = logical % pages;
                self.version += 1;
                self.later.entry(logical).or_default().push(self.version);
                self.all.entry(logical).or_default().insert(self.version);
                layer.write(logical, &self.version)?;
            }
            Call::Trim(logical) => {
                let logical = logical % pages;
                layer.trim(logical)?;
                self.later.remove(&logical);
                self.trimmed.insert(logical);
                // Until the power is cut it reads as never written.
                let mut out = 0;
                let is_written = layer.read(logical, &mut out)?;
                assert!(!is_written, "page {logical}: {out}");
            }
            Call::Flush => {
                layer.flush()?;
                self.flushed();
            }
            Call::Idle(steps) => {
                for _ in 0..steps {
                    layer.idle_step()?;
                }
            }
            Call::Read(_) | Call::Harm(_) => {}
        }
        Ok(())
    }

    /// Compares with what a mount found, and relies on that from then on.
    fn compare(&mut self, layer: &mut Layer) {
        for logical in 0..layer.pages() {
            let mut out = 0;
            let found = match layer.read(logical, &mut out) {
                Ok(found) => found,
                Err(FtlError::Lost { .. }) if self.trimmed.contains(&logical) => false,
                Err(error) => panic!("{error}"),
            };
            let found = if found { out } else { 0 };
            let kept = self.kept.get(&logical).copied().unwrap_or(0);
            let later = self.later.get(&logical);
            let known = found == kept || later.is_some_and(|later| later.contains(&found));
            let had = |all: &BTreeSet<u64>| all.contains(&found);
            let is_own = found == 0 || self.all.get(&logical).is_some_and(had);
            let trimmed = self.trimmed.contains(&logical) && is_own;
            assert!(
                known || trimmed,
                "page {logical}: {found}, not {kept} or {later:?}"
            );
            // Whatever it is, a second read finds the same.
            let mut again = 0;
            let second = layer.read(logical, &mut again).unwrap_or(false);
            assert_eq!(if second { again } else { 0 }, found, "page {logical}");
            if found == 0 {
                self.kept.remove(&logical);
            } else {
                self.kept.insert(logical, found);
            }
        }
        self.later.clear();
    }
}

fn mount(mut ram: Ram, config: FtlConfig, cuts: &[u64]) -> Layer {
    for cut in cuts {
        ram.power_up(Some(*cut));
        let scan = ram.scan();
        let mut attempt = ram.clone();
        // The medium stays with the caller, as a chip does.
        match Translation::restore(&mut attempt, config, scan) {
            Ok(_) => {}
            Err(FtlError::Device(Cut)) => {}
            Err(error) => panic!("{error}"),
        }
        ram = attempt;
    }
    ram.power_up(None);
    let scan = ram.scan();
    Translation::restore(ram, config, scan).expect("a mount")
}

proptest! {
    #[test]
    fn a_power_cut_takes_nothing_that_was_flushed(
        (shape, pairing) in shapes(), config in configs(), calls in calls(0),
        cuts in prop::collection::vec((0_u64..400, prop::collection::vec(0_u64..40, 0..4)), 1..4),
        torn in prop_oneof![
            Just(Torn::Unreadable), Just(Torn::ReadsWell), Just(Torn::ReadsWellOnce)
        ]
    ) {
        let Some(mut layer) = layer(shape, pairing, config) else {
            return Ok(());
        };
        if shape.summary_pages == 0 {
            return Ok(());
        }
        let mut known = Known::default();
        let mut cuts = cuts.into_iter();
        let mut next = cuts.next();
        layer.media_mut().ills.torn = torn;
        layer.media_mut().power_up(next.as_ref().map(|cut| cut.0));
        for call in calls {
            match known.call(&mut layer, call) {
                Ok(()) => continue,
                Err(FtlError::Device(Cut)) => {}
                Err(error) => panic!("{error}"),
            }
            let (_, within) = next.take().unwrap_or_default();
            layer = mount(layer.into_media(), config, &within);
            known.compare(&mut layer);
            next = cuts.next();
            layer.media_mut().power_up(next.as_ref().map(|cut| cut.0));
        }
    }
}
