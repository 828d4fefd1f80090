//! Known cards give their figures back, and the fitted card predicts what it was not fitted to.

use wordline_core::Durations;
use wordline_core::draw::{Purpose, draw, unit_interval};
use wordline_core::quantity::Time;
use wordline_core::results::WarningCode;

use crate::fit::support::{Cards, RECORD, figure, fitted, number, ratios, workload};

/// What the card that writes the log has otherwise than the base.
const TRUE_CARD: &[(&str, &str)] = &[
    ("command_time", "typ = \"320 us\""),
    ("page_program", "typ = \"1.3 ms\""),
    ("steps_per_write", "value = 12"),
    ("clean_until", "value = 9"),
];

/// The figures of [`TRUE_CARD`] in seconds or as counts, with the share that a fit may be off.
const TRUE_FIGURES: [(&str, f64, f64); 4] = [
    ("card.command_time", 320e-6, 0.1),
    ("card.array.page_program", 1.3e-3, 0.05),
    ("card.controller.steps_per_write", 12.0, 0.1),
    ("card.controller.clean_until", 9.0, 0.12),
];

const fn no_pause(_: u64) -> Time {
    Time::ZERO
}

#[test]
fn a_known_card_gives_its_figures_back_and_predicts_the_other_half() {
    // Another card's own work, which the fitted one must not take over.
    let base = [
        ("write_time", "typ = \"5 ms\""),
        ("housekeeping", "typ = \"40 ms\""),
        ("housekeeping_every", "value = 50"),
    ];
    let cards = Cards::of(&[("true-card", TRUE_CARD), ("base-card", &base)]);
    let log = cards.log("true-card", 16_000, 0.03, no_pause);
    let fit = fitted(&cards, "base-card", &log, workload("mine")).expect("a fit");
    for (path, true_one, within) in TRUE_FIGURES {
        let found = number(figure(&fit.document, path).expect("a fitted figure"));
        assert!(
            (found / true_one - 1.0).abs() < within,
            "{path}: {found} against {true_one}"
        );
    }
    // The base has the same spare blocks, and no pauses.
    let spare = figure(&fit.document, "card.controller.spare_blocks").map_or(24.0, number);
    assert!((spare / 24.0 - 1.0).abs() < 0.15, "{spare}");
    assert_eq!(figure(&fit.document, "card.controller.idle_until"), None);
    let held_out = ratios(&fit.document, "second");
    assert!(held_out.len() > 10, "{held_out:?}");
    for (name, ratio) in held_out {
        assert!((0.8..1.25).contains(&ratio), "{name}: {ratio}");
    }
    let sheet = fit.sheet.as_deref().expect("a sheet");
    assert!(!sheet.contains("housekeeping =") && !sheet.contains("write_time ="));
    // The sheet is one that simulations can use at once.
    cards.add("mine", sheet);
    let mut twin = cards.full("mine");
    twin.write(0, &[0; RECORD as usize])
        .expect("it lies inside");
}

#[test]
fn a_full_card_is_told_from_a_file_on_an_empty_one() {
    let cards = Cards::of(&[("true-card", TRUE_CARD), ("base-card", &[])]);
    // 8 MiB of a full card of 32 MiB: an empty one would have room for all of it.
    let log = cards.log_within("true-card", 8 << 20, 4_400, 0.0, no_pause);
    let mut quick = workload("mine");
    quick.simulations = 60;
    let fit = fitted(&cards, "base-card", &log, quick.clone()).expect("a fit");
    let full = |fit: &wordline_lab::Fitted| {
        let mut warnings = fit.document.warnings.iter();
        warnings.any(|one| {
            one.code == WarningCode::Default.name() && one.advice.contains("full before")
        })
    };
    assert!(full(&fit), "{:?}", fit.document.warnings);
    quick.fill = "100 %".parse().ok();
    let told = fitted(&cards, "base-card", &log, quick).expect("a fit");
    assert!(!full(&told));
    assert_eq!(fit.sheet, told.sheet);
}

#[test]
fn pauses_show_what_the_card_does_when_it_is_idle() {
    let lazy: &[(&str, &str)] = &[
        ("idle_until", "value = 0"),
        ("command_time", "typ = \"200 us\""),
    ];
    let busy: &[(&str, &str)] = &[
        ("idle_until", "value = 20"),
        ("idle_after", "typ = \"2 ms\""),
    ];
    let cards = Cards::of(&[("true-card", lazy), ("base-card", busy)]);
    // 0.4 s each 50 writes: enough for a card that cleans meanwhile.
    let pause = |index: u64| {
        Time::from_ps(if index.is_multiple_of(50) {
            400_000_000_000
        } else {
            30_000_000
        })
    };
    let log = cards.log("true-card", 5_000, 0.0, pause);
    let mut paced = workload("mine");
    let refused =
        fitted(&cards, "base-card", &log, paced.clone()).expect_err("nobody spoke of pauses");
    assert!(
        refused.to_string().contains("--durations paced"),
        "{refused}"
    );
    paced.source.durations = Durations::Paced;
    let fit = fitted(&cards, "base-card", &log, paced).expect("a fit");
    // It never cleans when idle: it wants no more blocks than writes leave, or begins after every pause.
    let found = |path| figure(&fit.document, path).map(number);
    let wants_none = found("card.controller.idle_until").is_some_and(|blocks| blocks <= 6.0);
    let too_late = found("card.controller.idle_after").is_some_and(|time| time > 0.35);
    let fitted = fit
        .document
        .figures
        .iter()
        .filter(|one| one.basis == wordline_core::Basis::Calibrated);
    let fitted: Vec<_> = fitted
        .map(|one| format!("{} {} {}\n", one.figure, one.value, one.source))
        .collect();
    assert!(
        wants_none || too_late,
        "{} {:#?} {:#?}",
        fitted.concat(),
        ratios(&fit.document, "first"),
        fit.document.warnings
    );
}

#[test]
fn what_is_no_card_is_no_base() {
    let cards = Cards::of(&[("base-card", &[])]);
    let log = cards.log("base-card", 100, 0.0, no_pause);
    let refused = |base: &str| {
        fitted(&cards, base, &log, workload("mine"))
            .expect_err(base)
            .to_string()
    };
    assert!(refused("em064lx").contains("template sd fits parts of the model [card]"));
    assert!(refused("base-card").contains("100 writes, and at least 2000 are needed"));
    let cache = (0..2500).map(|index| {
        format!(
            "write,{},{},{},4096\n",
            index * 60,
            index * 60 + 46 + index % 7,
            index * 4096
        )
    });
    let cache = "operation,start_us,end_us,offset_bytes,size_bytes\n".to_owned()
        + &cache.collect::<String>();
    let mut paced = workload("mine");
    paced.source.durations = Durations::Paced;
    let said = fitted(&cards, "base-card", &cache, paced)
        .expect_err("a cache")
        .to_string();
    assert!(said.contains("ended in a cache of the host"), "{said}");
    let mut other = workload("mine");
    other.template = "hdd".to_owned();
    let refused = fitted(&cards, "base-card", &log, other).expect_err("no template");
    assert!(refused.to_string().contains("allowed: sd"));
}

/// Cards whose figures are drawn: what a fit is worth on average, and not on one lucky card.
#[test]
#[ignore = "takes minutes"]
fn cards_that_nobody_chose_are_predicted() {
    let mut good = 0;
    for card in 0..8_u64 {
        let share = |place| unit_interval(draw(77, card, place, Purpose::Mix));
        let between = |place, least: f64, most: f64| least * (most / least).powf(share(place));
        let figures = [
            (
                "command_time",
                format!("typ = \"{:.0} us\"", between(0, 80.0, 900.0)),
            ),
            (
                "page_program",
                format!("typ = \"{:.0} us\"", between(1, 300.0, 2500.0)),
            ),
            (
                "block_erase",
                format!("typ = \"{:.2} ms\"", between(2, 1.5, 12.0)),
            ),
            (
                "steps_per_write",
                format!("value = {:.0}", between(3, 2.0, 64.0)),
            ),
            (
                "clean_until",
                format!("value = {:.0}", between(4, 6.0, 14.0)),
            ),
            (
                "spare_blocks",
                format!("value = {:.0}", between(5, 24.0, 60.0)),
            ),
        ];
        let figures: Vec<(&str, &str)> = figures
            .iter()
            .map(|(key, columns)| (*key, columns.as_str()))
            .collect();
        let cards = Cards::of(&[("true-card", &figures), ("base-card", &[])]);
        let log = cards.log("true-card", 16_000, 0.03, no_pause);
        let fit = match fitted(&cards, "base-card", &log, workload("mine")) {
            Ok(fit) => fit,
            Err(error) => {
                println!("{figures:?}: {error}");
                continue;
            }
        };
        let mean = |half| {
            let ratios = ratios(&fit.document, half);
            (ratios
                .iter()
                .map(|(_, ratio)| ratio.ln().abs())
                .sum::<f64>()
                / ratios.len() as f64)
                .exp()
        };
        let found = figures.iter().map(|(key, _)| {
            let mut all = fit.document.figures.iter();
            let figure =
                all.find(|one| one.sheet == "mine" && one.figure.ends_with(&format!(".{key}")));
            figure.map_or(String::new(), |one| one.value.clone())
        });
        let (fit, held_out) = (mean("first"), mean("second"));
        println!(
            "{figures:?} found {:?}: {fit:.3}, held out {held_out:.3}",
            found.collect::<Vec<_>>()
        );
        good += usize::from(held_out < 1.25);
    }
    assert!(good >= 6, "{good} of 8");
}
