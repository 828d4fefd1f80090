//! Compiled costs, cuts that come later and faults elsewhere change nothing: held against the model of the chip, which
//! runs every operation by itself.

use proptest::prelude::*;
use wordline_core::quantity::Time;
use wordline_nvm::Memory;

use super::abi::Cut;
use super::block_faults::InjectedFault;
use super::device::{MemoryDevice, Power, Wanted};
use super::fault::MemoryFault;

const PARTS: [&str; 6] = [
    "mt25ql128",
    "mt29f1g01",
    "em064lx",
    "mx25uw51245g@stm32h7s78-xspi",
    "w25n01gv",
    "at25m02",
];

fn device(target: &str, timing: &str, compiled: bool) -> MemoryDevice {
    let wanted = Wanted {
        target,
        catalog: None,
        timing: Some(timing),
        seed: 7,
        age: 0.0,
        is_of_one_thread: false,
        ageing: None,
        factory_bad: 0,
        strict: 0,
        erase_bytes: 0,
        host_ecc: false,
    };
    let mut device = MemoryDevice::new(&wanted).expect("embedded");
    match &mut device.cells.memory {
        Memory::Flash(flash) => flash.compile_costs(compiled),
        Memory::Bytes(bytes) => bytes.compile_costs(compiled),
    }
    device
}

/// A step of a program; numbers are taken into range.
#[derive(Clone, Debug)]
enum Step {
    Read(u64, usize),
    Write(u64, usize, u8),
    Erase(u32),
    Pause(u64),
    Flip(u32, u32),
    Fault(u32, u64),
    Cut(u64, u64, u64),
    PowerUp,
    Fork,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let length = prop_oneof![
        Just(16usize),
        Just(256),
        Just(2048),
        Just(4096),
        1usize..6000
    ];
    let at = prop_oneof![
        (0u64..64).prop_map(|page| page * 256),
        (0u64..16).prop_map(|page| page * 2048),
        0u64..40_000
    ];
    let step = prop_oneof![
        6 => (at.clone(), length.clone()).prop_map(|(at, bytes)| Step::Read(at, bytes)),
        8 => (at, length, any::<u8>()).prop_map(|(at, bytes, fill)| Step::Write(at, bytes, fill)),
        3 => (0u32..6).prop_map(Step::Erase),
        1 => (0u64..3_000_000).prop_map(Step::Pause),
        1 => (0u32..40, 0u32..256).prop_map(|(page, column)| Step::Flip(page, column)),
        1 => (0u32..9, 0u64..7).prop_map(|(block, fault)| Step::Fault(block, fault)),
        1 => (0u64..30, 0u64..4_000_000_000, 0u64..3)
            .prop_map(|(count, time, tear)| Step::Cut(count, time, tear)),
        2 => Just(Step::PowerUp),
        1 => Just(Step::Fork),
    ];
    // Runs of the same step are what costs are compiled for.
    let run = (step, 1usize..5).prop_map(|(step, times)| vec![step; times]);
    prop::collection::vec(run, 1..40).prop_map(|runs| runs.concat())
}

/// Does a step; what it returns and what it leaves is compared.
fn run(device: &mut MemoryDevice, step: &Step) -> String {
    let is_flash = device.info().kind == 1;
    let shown = |done: Result<(), MemoryFault>| match done {
        Ok(()) => "ok".to_owned(),
        Err(fault) => fault.to_string(),
    };
    match *step {
        Step::Read(at, bytes) => {
            let mut out = vec![0; bytes];
            let done = shown(device.read(at, &mut out));
            // What an error leaves is unspecified.
            let sum: u64 = out.iter().map(|byte| u64::from(*byte)).sum();
            match done.as_str() {
                "ok" => format!("{sum}"),
                _ => done,
            }
        }
        Step::Write(at, bytes, fill) => {
            let data = vec![fill; bytes];
            let unit = device.info().write_bytes;
            let at = at - at % unit;
            let data = &data[..bytes - bytes % unit as usize];
            match is_flash {
                true => shown(device.program(at, data)),
                false => shown(device.write(at, data)),
            }
        }
        Step::Erase(block) if is_flash => shown(device.erase(block)),
        Step::Erase(_) => shown(device.sync()),
        Step::Pause(ps) => shown(device.advance(Time::from_ps(ps))),
        Step::Flip(page, column) if is_flash => shown(device.flip(page, column, 3)),
        Step::Fault(block, fault) if is_flash => {
            let fault = InjectedFault::of(fault).expect("one of the header's");
            shown(device.set_fault(block, fault))
        }
        Step::Flip(..) | Step::Fault(..) => String::new(),
        Step::Cut(operations, after, tear) => shown(device.cut_power(&Cut {
            operations: operations + 1,
            time_ps: if after % 2 == 0 {
                0
            } else {
                device.now().ps() + after
            },
            tear,
            seed: after,
            ..Cut::default()
        })),
        Step::PowerUp => shown(device.power_up()),
        Step::Fork => {
            let fork = device.fork();
            *device = fork;
            String::new()
        }
    }
}

/// Everything that can be seen of a memory beside its bytes.
fn seen(device: &mut MemoryDevice) -> String {
    let accounts = device.cells.accounts();
    let (cost, residence, wear) = (*accounts.last_cost(), accounts.residence(), accounts.wear());
    let cycles = [device.cycles(0).ok(), device.cycles(3).ok()];
    format!(
        "{} {} {:?} {:x} {cost:?} {residence:?} {wear:?} {cycles:?}",
        device.now().ps(),
        device.last().ps(),
        device.stats(),
        device.energy_j().to_bits(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// One device compiles costs, and forks where a cut may come; the other runs the model, and forks before everything
    /// while a cut is due. Looking at the accounts adds up what is counted, on the side; a step in `look` does.
    #[test]
    fn compiled_costs_are_those_of_the_model(
        part in 0usize..PARTS.len(),
        timing in prop::sample::select(vec!["typ", "max", "sampled"]),
        steps in steps(),
        look in 1usize..9,
    ) {
        let mut compiled = device(PARTS[part], timing, true);
        let mut model = device(PARTS[part], timing, false);
        for (index, step) in steps.iter().enumerate() {
            let (one, other) = (run(&mut compiled, step), run(&mut model, step));
            if let Power::Due(due) = &mut model.power {
                due.is_thorough = true;
            }
            prop_assert_eq!(one, other, "{} step {}: {:?}", PARTS[part], index, step);
            prop_assert_eq!(compiled.now(), model.now(), "{} step {}: {:?}", PARTS[part], index, step);
            if index % look == 0 {
                prop_assert_eq!(seen(&mut compiled), seen(&mut model), "{} step {}: {:?}", PARTS[part], index, step);
            }
        }
        prop_assert_eq!(seen(&mut compiled), seen(&mut model));
        let mut bytes = [vec![0; 40_000], vec![0; 40_000]];
        let results = [
            compiled.read(0, &mut bytes[0]).is_ok(),
            model.read(0, &mut bytes[1]).is_ok(),
        ];
        prop_assert_eq!(results[0], results[1]);
        if results[0] {
            prop_assert!(bytes[0] == bytes[1]);
        }
    }

    /// Reads and writes of more lengths than are counted at a time, with nothing in between that adds them up.
    #[test]
    fn many_lengths_in_turn_cost_what_the_model_says(
        part in 0usize..PARTS.len(),
        turns in prop::collection::vec((0usize..24, any::<bool>()), 40..120),
    ) {
        let (mut compiled, mut model) = (device(PARTS[part], "typ", true), device(PARTS[part], "typ", false));
        // Once in order, so that all of them are compiled before they come in turn.
        let first = (0..24).map(|length| (length, false)).chain((0..24).map(|length| (length, true)));
        for (index, (length, writes)) in first.chain(turns).enumerate() {
            let bytes = 4 * (length + 1);
            let step = match writes {
                true => Step::Write(2048 * (index as u64 % 64), bytes, 0xA5),
                false => Step::Read(512, bytes),
            };
            prop_assert_eq!(run(&mut compiled, &step), run(&mut model, &step), "{} {:?}", PARTS[part], step);
            prop_assert_eq!(compiled.now(), model.now(), "{} {:?}", PARTS[part], step);
        }
        prop_assert_eq!(seen(&mut compiled), seen(&mut model), "{}", PARTS[part]);
    }

    /// A cut that never comes and a fault in a block that nothing touches change nothing.
    #[test]
    fn what_lies_elsewhere_changes_nothing(
        part in 0usize..PARTS.len(),
        steps in steps(),
        tear in 0u64..3,
    ) {
        let is_plain = |step: &Step| !matches!(step, Step::Cut(..) | Step::PowerUp | Step::Fault(..));
        let (mut risky, mut plain) = (device(PARTS[part], "typ", true), device(PARTS[part], "typ", true));
        let far = Cut { operations: 1 << 40, time_ps: 1 << 60, tear, ..Cut::default() };
        risky.cut_power(&far).expect("there is power");
        if risky.info().kind == 1 {
            let fault = InjectedFault::of(1).expect("one of the header's");
            risky.set_fault(200, fault).expect("a block");
        }
        for step in steps.iter().filter(|step| is_plain(step)) {
            let (one, other) = (run(&mut risky, step), run(&mut plain, step));
            prop_assert_eq!(one, other, "{} {:?}", PARTS[part], step);
        }
        prop_assert_eq!(seen(&mut risky), seen(&mut plain));
    }
}
