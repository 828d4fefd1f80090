//! What the sheets say of voltages, of waking up and of idle memories reaches the device.

use wordline_catalog::Catalog;
use wordline_core::Timing;
use wordline_core::quantity::{Quantity, Time};
use wordline_nvm::power::PowerState;
use wordline_nvm::{Conditions, Device};

fn connect(catalog: &Catalog, target: &str) -> Box<dyn Device> {
    let conditions = Conditions {
        timing: Timing::Typ,
        age: 0.0,
        seed: 0,
    };
    let target = catalog.part_on_board(target).expect("it exists");
    target.connect(conditions).expect("it fits")
}

#[test]
fn every_part_says_what_a_failing_supply_and_a_wake_up_need() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    for part in catalog.parts() {
        let id = &part.header.id;
        let device = connect(&catalog, id);
        let notes = device.notes();
        let supply = notes.supply.expect("every board has rails");
        let lowest = supply
            .lowest
            .expect("every sheet of the catalogue states it");
        assert!(lowest.si() <= supply.rail.si(), "{id}");
        assert_eq!(supply.rail, device.power_draw().voltage);
        assert!(notes.power_up.is_some_and(|wait| wait > Time::ZERO), "{id}");
        assert!(supply.needs_level_shifter().is_some(), "{id}");
        let idle = device.power_draw().power(PowerState::Standby);
        // What no sheet states is unknown, and flash inside a microcontroller is counted in its current.
        let is_counted = part.model.name() == "onchip";
        assert!(
            idle.is_none_or(|idle| idle.si() > 0.0 || is_counted),
            "{id}"
        );
    }
}

#[test]
fn a_chip_of_another_voltage_than_the_host_needs_a_shifter_and_a_rail() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let needs = |target: &str| {
        let target = catalog.part_on_board(target).expect("it exists");
        let shifter = target.needs_level_shifter().expect("it fits");
        let link = target.link().expect("it fits");
        (shifter, link.supply.needs_second_rail())
    };
    // 1.8 V beside pins of 3.3 V, and beside a port at 1.8 V of a host at 3.3 V.
    assert_eq!(needs("em064lx@stm32h755-qspi"), (Some(true), Some(true)));
    assert_eq!(needs("em064lx@stm32h7s78-xspi"), (Some(false), Some(true)));
    assert_eq!(needs("w25n01gv"), (Some(false), Some(false)));
    assert_eq!(needs("mr4a16b"), (Some(false), Some(false)));
}

#[test]
fn an_idle_chip_draws_what_its_sheet_says() {
    let catalog = Catalog::load(&[]).expect("the embedded sheets are sound");
    let device = connect(&catalog, "em064lx");
    let asleep = device.power_draw().power(PowerState::DeepPowerDown);
    // 290 uA at 1.8 V, typically; 350 us to wake up.
    assert!(asleep.is_some_and(|power| (power.si() - 290e-6 * 1.8).abs() < 1e-9));
    assert_eq!(device.notes().power_up, Some(Time::from_ps(350_000_000)));
    assert_eq!(device.notes().wake_up, device.notes().power_up);
    let nand = connect(&catalog, "w25n01gv");
    assert_eq!(nand.notes().wake_up, None);
    assert_eq!(nand.power_draw().power(PowerState::DeepPowerDown), None);
}
