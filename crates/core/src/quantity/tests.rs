use proptest::prelude::*;

use super::*;

fn time(text: &str) -> Result<Time, QuantityError> {
    text.parse()
}

#[test]
fn times_are_exact_picoseconds() {
    assert_eq!(time("1.5 us"), Ok(Time::from_ps(1_500_000)));
    assert_eq!(time("1.5us"), Ok(Time::from_ps(1_500_000)));
    assert_eq!(time(" 17.91 µs "), Ok(Time::from_ps(17_910_000)));
    assert_eq!(time("0.001 ns"), Ok(Time::from_ps(1)));
    assert_eq!(time("2e3 ps"), Ok(Time::from_ps(2_000)));
    assert_eq!(time("1 h"), Ok(Time::from_ps(3_600_000_000_000_000)));
}

#[test]
fn decimal_and_binary_prefixes_differ() {
    let size = |text: &str| text.parse::<ByteCount>().map(ByteCount::bytes);
    assert_eq!(size("4KiB"), Ok(4096));
    assert_eq!(size("4 KB"), Ok(4000));
    assert_eq!(size("4 kB"), Ok(4000));
    assert_eq!(size("64 Mibit"), Ok(8 << 20));
    assert_eq!(size("0.5 KiB"), Ok(512));
}

#[test]
fn real_quantities_round_correctly() {
    assert_eq!("59 mA".parse::<Current>().map(Current::si), Ok(0.059));
    assert_eq!("1.8 V".parse::<Voltage>().map(Voltage::si), Ok(1.8));
    assert_eq!(
        "0.7 nJ/B".parse::<EnergyPerByte>().map(|e| e.si()),
        Ok(0.7e-9)
    );
    assert_eq!("500 KB/s".parse::<DataRate>().map(DataRate::si), Ok(500e3));
    assert_eq!("2 KiB/s".parse::<DataRate>().map(DataRate::si), Ok(2048.0));
}

/// Each wrong text with the kind of its error and the part that is at fault.
#[test]
fn errors_point_at_the_fault() {
    use QuantityErrorKind as Kind;
    let cases = [
        ("", Kind::Empty, ""),
        ("   ", Kind::Empty, "   "),
        ("fast", Kind::NotANumber, "fast"),
        (".5 us", Kind::NotANumber, ".5"),
        ("-3 us", Kind::Negative, "-3 us"),
        ("12", Kind::MissingUnit, "12"),
        ("3 MHz", Kind::UnknownUnit, "MHz"),
        ("3 US", Kind::UnknownUnit, "US"),
        ("1,5 us", Kind::UnknownUnit, ",5 us"),
        ("0.5 ps", Kind::NotWhole, "0.5"),
        ("1e30 s", Kind::TooLarge, "1e30"),
        ("300 d", Kind::TooLarge, "300"),
        ("1e99999999999 s", Kind::TooLarge, "1e99999999999"),
        (
            "99999999999999999999999999999999999999999 s",
            Kind::TooLarge,
            "99999999999999999999999999999999999999999",
        ),
    ];
    for (text, kind, fault) in cases {
        let error = time(text).expect_err(text);
        assert_eq!(error.kind, kind, "{text}");
        assert_eq!(&text[error.span.clone()], fault, "{text}");
    }
    let message = time("3 MHz").expect_err("no time").to_string();
    assert_eq!(
        message,
        "\"3 MHz\" is not a time: unknown unit \"MHz\"; write \"1.5 us\", in one of \
         ps, ns, us, µs, μs, ms, s, min, h, d"
    );
}

#[test]
fn printing_prefers_exact_binary_units_for_sizes() {
    let print = |bytes| ByteCount::from_bytes(bytes).to_string();
    assert_eq!(print(8 << 20), "8 MiB");
    assert_eq!(print(65_536), "64 KiB");
    assert_eq!(print(500_000), "500 KB");
    assert_eq!(print(1000), "1 KB");
    assert_eq!(print(0), "0 B");
    assert_eq!(Time::from_ps(17_750_000).to_string(), "17.75 us");
    assert_eq!(Current::from_si(0.059).to_string(), "59 mA");
    assert_eq!(Voltage::from_si(1.8).to_string(), "1.8 V");
    assert_eq!(Voltage::from_si(0.0).to_string(), "0 V");
}

#[test]
fn one_letter_is_a_power_of_1024_and_units_in_full_mean_what_they_did() {
    let bytes = |text: &str| text.parse().map(ByteCount::bytes);
    for (text, each) in [
        ("k", 1 << 10),
        ("m", 1 << 20),
        ("g", 1 << 30),
        ("t", 1 << 40),
    ] {
        assert_eq!(bytes(&format!("4{text}")), Ok(4 * each));
        assert_eq!(bytes(&format!("4 {}", text.to_uppercase())), Ok(4 * each));
    }
    for (text, value) in [("4kB", 4000), ("4KB", 4000), ("4KiB", 4096), ("0.5k", 512)] {
        assert_eq!(bytes(text), Ok(value), "{text}");
    }
    assert!(bytes("4").is_err() && bytes("0.3k").is_err());
    let rate = |text: &str| text.parse().map(DataRate::si);
    for (text, value) in [
        ("500k", 512_000.0),
        ("500K", 512_000.0),
        ("20M", 20.0 * 1_048_576.0),
        ("500kB/s", 500_000.0),
        ("500KB/s", 500_000.0),
        ("500KiB/s", 512_000.0),
    ] {
        assert_eq!(rate(text), Ok(value), "{text}");
    }
}

#[test]
fn people_read_a_few_digits() {
    assert_eq!(human(5.2e-5, "s", 3), "52.0 us");
    assert_eq!(human(8_388_608.0, "B", 3), "8 MiB");
    assert_eq!(human_rounded(8_388_608.0, "B", 3), "8.39 MB");
    assert_eq!(human_rounded(0.0, "B", 3), "0 B");
    assert_eq!(human_rounded(5.2e-5, "s", 3), "52.0 us");
    assert_eq!(human(9.999e-5, "s", 3), "100 us");
    assert_eq!(human(59.03e6, "B/s", 4), "59.03 MB/s");
    assert_eq!(human(0.0982, "B/s", 3), "0.0982 B/s");
    assert_eq!(human(1.77e-9, "J/B", 3), "1.77 nJ/B");
    assert_eq!(human(8_388_608.0, "B", 3), "8 MiB");
    assert_eq!(human(0.345, "1", 3), "0.345");
    assert_eq!(human(126e3, "s", 3), "35.0 h");
    assert_eq!(human(985.0, "s", 3), "16.4 min");
    assert_eq!(human(19_000.0, "1/s", 3), "19.0 k/s");
    assert_eq!(human(450e3 * 365.25 * 86_400.0, "s", 2), "450000 years");
}

#[test]
fn periods_and_fractions_read_as_people_write_them() {
    let life: Period = "10y".parse().expect("a period");
    assert_eq!(life.si(), 10.0 * 365.25 * 86_400.0);
    assert_eq!(life.to_string(), "10 y");
    assert_eq!(Period::from_si(90.0).to_string(), "90 s");
    assert_eq!(Period::from_si(5400.0).to_string(), "90 min");
    for (text, value) in [
        ("10%", 0.1),
        ("10 %", 0.1),
        ("0.1", 0.1),
        ("1", 1.0),
        ("2.5e-3", 0.0025),
    ] {
        assert_eq!(text.parse().map(Fraction::si), Ok(value), "{text}");
    }
    for text in ["", "%", "-1", "1/2", "ten", "1e999"] {
        assert!(text.parse::<Fraction>().is_err(), "{text:?}");
    }
}

#[test]
fn clock_cycles_become_picoseconds_once() {
    let bus = Frequency::from_hz(120_000_000);
    assert_eq!(bus.duration_of(4096), Time::from_ps(34_133_333));
    assert_eq!(bus.duration_of(1), Time::from_ps(8_333));
    assert_eq!(
        bus.duration_of(120_000_000),
        Time::from_ps(1_000_000_000_000)
    );
    assert_eq!(
        Frequency::from_hz(1).duration_of(u64::MAX),
        Time::from_ps(u64::MAX)
    );
}

proptest! {
    #[test]
    fn whole_quantities_round_trip(value in any::<u64>()) {
        prop_assert_eq!(Time::from_ps(value).to_string().parse(), Ok(Time::from_ps(value)));
        prop_assert_eq!(ByteCount::from_bytes(value).to_string().parse(), Ok(ByteCount::from_bytes(value)));
        prop_assert_eq!(Frequency::from_hz(value).to_string().parse(), Ok(Frequency::from_hz(value)));
    }

    #[test]
    fn real_quantities_round_trip(value in 0.0..1e12_f64) {
        let current = Current::from_si(value * 1e-12);
        prop_assert_eq!(current.to_string().parse(), Ok(current));
        let rate = DataRate::from_si(value);
        prop_assert_eq!(rate.to_string().parse(), Ok(rate));
        let period = Period::from_si(value);
        prop_assert_eq!(period.to_string().parse(), Ok(period));
        let whole = Period::from_si(value.round());
        prop_assert_eq!(whole.to_string().parse(), Ok(whole));
    }

    #[test]
    fn any_text_is_refused_or_parsed_without_panic(text in ".{0,24}") {
        let _ = time(&text).map_err(|error| error.to_string());
        let _ = text.parse::<Current>().map_err(|error| error.to_string());
    }

    #[test]
    fn numbers_with_units_never_panic(number in "[0-9.eE+-]{1,30}", unit in "(us|s|KiB|GB/s|mA| )") {
        let text = format!("{number}{unit}");
        let _ = time(&text);
        let _ = text.parse::<ByteCount>();
        let _ = text.parse::<DataRate>();
    }
}

#[test]
fn a_number_and_its_unit_come_apart() {
    for (text, number, unit) in [
        ("1.5 ms", "1.5", "ms"),
        ("1e14 cycles", "1e14", "cycles"),
        ("15ns", "15", "ns"),
        (" 1e-07 ", "1e-07", ""),
        ("12 EUR", "12", "EUR"),
        ("5e", "5", "e"),
    ] {
        assert_eq!(number_and_unit(text), Some((number, unit)), "{text}");
    }
    assert_eq!(number_and_unit("sd"), None);
    assert_eq!(number_and_unit("-3 ms"), None);
}
