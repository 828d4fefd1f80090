//! Every module in every system: it connects, its numbers are those of the standard, and whatever is plausible can
//! be set.

mod idle;
mod mapping;
mod numbers;
mod settings;

use wordline_catalog::{Catalog, ModuleInSystem};
use wordline_dram::sheet::{SettingError, Settings, Standard};
use wordline_dram::{AddressField, Refresh, SystemConfig, Timing};

fn catalog() -> Catalog {
    Catalog::load(&[]).expect("the embedded sheets are sound")
}

fn config(target: &str, settings: &[(&str, &str)]) -> SystemConfig {
    let catalog = catalog();
    let target = catalog.module_in_system(target).expect("it exists");
    target.connect(&set(settings)).expect("it connects").config
}

fn timing(target: &str, bin: &str) -> Timing {
    config(target, &[("speed_bin", bin)]).sub_channel.timing
}

fn set(settings: &[(&str, &str)]) -> Settings {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    settings.iter().map(owned).collect()
}

fn targets(catalog: &Catalog) -> Vec<ModuleInSystem<'_>> {
    let names = catalog.modules().flat_map(|module| {
        let id = |system: &wordline_catalog::System| {
            format!("{}@{}", module.header.id, system.header.id)
        };
        let takes = |system: &&wordline_catalog::System| {
            let slots = system.sheet.modules.as_ref().map(|slots| slots.value());
            slots.is_none_or(|slots| slots.contains(module.sheet.kind.value()))
        };
        let taking = catalog.systems().filter(takes);
        taking.map(id).collect::<Vec<_>>()
    });
    let target = |name: String| catalog.module_in_system(&name).expect("both exist");
    names.map(target).collect()
}

#[test]
fn every_module_connects_to_every_system_with_every_plausible_value() {
    let catalog = catalog();
    let targets = targets(&catalog);
    assert!(targets.len() >= 80, "{}", targets.len());
    for target in &targets {
        let ddr4 = *target.die.sheet.standard.value() == Standard::Ddr4;
        match target.connect(&Settings::new()) {
            Ok(connected) => sound(target, &connected.config),
            // DDR4 cannot refresh single banks, as systems with LPDDR and HBM want it.
            Err(SettingError::Unfit { what, .. }) if what == "refresh" && ddr4 => continue,
            Err(error) => panic!("{}: {error}", target.name),
        }
        for choice in target.choices() {
            assert!(!choice.reason.is_empty());
            for value in &choice.alternatives {
                let one = set(&[(choice.name, value)]);
                match target.connect(&one) {
                    Ok(connected) => sound(target, &connected.config),
                    Err(SettingError::Unfit { what, .. }) if what == "refresh" && ddr4 => {}
                    Err(error) => panic!("{}, {} = {value}: {error}", target.name, choice.name),
                }
            }
        }
    }
}

/// What every configuration must be, whatever is set.
fn sound(target: &ModuleInSystem<'_>, config: &SystemConfig) {
    let name = &target.name;
    let (geometry, timing) = (&config.sub_channel.geometry, &config.sub_channel.timing);
    let policy = &config.sub_channel.policy;
    let capacity = target.module.sheet.capacity.nominal().bytes();
    assert_eq!(
        config.bytes(),
        capacity * u64::from(config.channels),
        "{name}: capacity"
    );
    for field in [
        (AddressField::Channel, u64::from(config.channels)),
        (AddressField::SubChannel, u64::from(config.sub_channels)),
        (
            AddressField::PseudoChannel,
            u64::from(geometry.pseudo_channels),
        ),
        (AddressField::Rank, u64::from(geometry.ranks)),
        (AddressField::Group, u64::from(geometry.groups)),
        (AddressField::Bank, u64::from(geometry.banks)),
        (AddressField::Row, u64::from(geometry.rows)),
        (AddressField::Column, u64::from(geometry.columns)),
    ] {
        let digits = config
            .mapping
            .digits
            .iter()
            .filter(|digit| digit.field == field.0);
        let product: u64 = digits.map(|digit| u64::from(digit.radix)).product();
        assert_eq!(product, field.1, "{name}: {:?}", field.0);
    }
    assert_eq!(
        policy.refresh_phase.len(),
        usize::from(geometry.pseudo_channels * geometry.ranks)
    );
    let interval = if policy.refresh == Refresh::SameBank {
        timing.refi_sb
    } else {
        timing.refi
    };
    assert!(
        policy.refresh_phase.iter().all(|phase| *phase < interval),
        "{name}"
    );
    assert!(
        timing.rc == timing.ras + timing.rp && timing.cwl < timing.cl && timing.rfc < timing.refi,
        "{name}"
    );
    assert!(
        timing.ccd_s >= timing.burst
            && timing.ccd_l >= timing.ccd_s
            && timing.rrd_l >= timing.rrd_s,
        "{name}"
    );
    assert!(
        timing.faw >= timing.rrd_s && timing.wtr_l >= timing.wtr_s && timing.rtw >= timing.burst,
        "{name}"
    );
    assert!(policy.drain_low < policy.drain_high && policy.drain_high <= policy.write_queue);
}
