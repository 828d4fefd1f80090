//! The list of ids: makers by their JEDEC code, capacity codes by the rule of each maker, and series by the names
//! of their parts.
//!
//! Makers and codes are those of JEP106 as public lists of flash chips have them (Linux, `drivers/mtd/spi-nor/`;
//! flashrom, `include/flashchips.h`). Several makers share a code where companies were sold, or where a maker did
//! not state its bank.

/// Codes of makers, with the names that this catalogue has for them.
const MAKERS: [(u8, &[&str]); 15] = [
    (0x01, &["Infineon"]),
    (0x0B, &["XTX"]),
    (0x1F, &["Renesas"]),
    (0x20, &["Micron", "STMicroelectronics", "XMC"]),
    (0x25, &["SiliconKaiser"]),
    (0x2C, &["Micron"]),
    (0x34, &["Infineon"]),
    (0x68, &["Boya", "BoHong"]),
    (0x85, &["Puya"]),
    (0x9D, &["ISSI"]),
    (0xBA, &["Zetta"]),
    (0xBF, &["Microchip"]),
    (0xC2, &["Macronix"]),
    (0xC8, &["GigaDevice"]),
    (0xEF, &["Winbond"]),
];

/// The makers of a code; none where the list has none.
pub(super) fn makers(code: u8) -> &'static [&'static str] {
    let found = MAKERS.iter().find(|(known, _)| *known == code);
    found.map_or(&[], |(_, names)| *names)
}

/// The capacity of a chip in bytes by the third byte of its id, where its maker has a rule.
///
/// Most count in powers of two, from 11h, 128 KiB. Micron and Winbond go on with 20h after 19h, Macronix marks
/// its 1.8 V parts with 20h and Microchip numbers the sizes of the SST26 (Linux, `drivers/mtd/spi-nor/`:
/// `micron-st.c`, `winbond.c`, `macronix.c`, `sst.c`).
pub(super) fn capacity_bytes(maker: u8, code: u8) -> Option<u64> {
    const MICRON: u8 = 0x20;
    const MICROCHIP: u8 = 0xBF;
    const MACRONIX: u8 = 0xC2;
    const WINBOND: u8 = 0xEF;
    match (maker, code) {
        (MICROCHIP, 0x41..=0x43) => Some(1 << (code - 0x41 + 21)),
        (MICROCHIP, _) => None,
        (MICRON | WINBOND, 0x20..=0x23) => Some(1 << (code - 0x20 + 26)),
        (MACRONIX, 0x31..=0x3F) => Some(1 << (code - 0x20)),
        (_, 0x11..=0x1F) => Some(1 << code),
        _ => None,
    }
}

/// The series of a part, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChipSeries {
    pub(super) maker: &'static str,
    pub(super) family: String,
    /// Bytes that the name states.
    pub(super) capacity_bytes: Option<u64>,
}

/// How names begin, the family of such parts, and their maker. MX66 parts are the MX25 series at larger sizes;
/// the letters M and W of Macronix's octal parts, and H of Winbond's, tell variants of one design.
const SERIES: [(&str, &str, &str); 38] = [
    ("at25s", "AT25S", "Renesas"),
    ("bh25q", "BH25Q", "BoHong"),
    ("by25q", "BY25Q", "Boya"),
    ("gd25lb", "GD25L", "GigaDevice"),
    ("gd25le", "GD25L", "GigaDevice"),
    ("gd25lq", "GD25L", "GigaDevice"),
    ("gd25q", "GD25Q", "GigaDevice"),
    ("gd25wb", "GD25W", "GigaDevice"),
    ("gd25wq", "GD25W", "GigaDevice"),
    ("is25lp", "IS25LP", "ISSI"),
    ("is25lx", "IS25LX", "ISSI"),
    ("is25wp", "IS25WP", "ISSI"),
    ("is25wx", "IS25WX", "ISSI"),
    ("m95p", "M95P", "STMicroelectronics"),
    ("mt25q", "MT25Q", "Micron"),
    ("mt35x", "MT35X", "Micron"),
    ("mx25l", "MX25L", "Macronix"),
    ("mx25lm", "MX25LM", "Macronix"),
    ("mx25lw", "MX25LM", "Macronix"),
    ("mx25r", "MX25R", "Macronix"),
    ("mx25u", "MX25U", "Macronix"),
    ("mx25um", "MX25UM", "Macronix"),
    ("mx25uw", "MX25UM", "Macronix"),
    ("mx66l", "MX25L", "Macronix"),
    ("mx66lm", "MX25LM", "Macronix"),
    ("mx66u", "MX25U", "Macronix"),
    ("mx66um", "MX25UM", "Macronix"),
    ("mx66uw", "MX25UM", "Macronix"),
    ("mx77l", "MX77L", "Macronix"),
    ("n25q", "N25Q", "Micron"),
    ("p25d", "P25Q", "Puya"),
    ("p25q", "P25Q", "Puya"),
    ("py25q", "PY25Q", "Puya"),
    ("s25fs", "S25FS", "Infineon"),
    ("s28h", "S28H", "Infineon"),
    ("sk25lp", "SK25LP", "SiliconKaiser"),
    ("sst26vf", "SST26VF", "Microchip"),
    ("xt25f", "XT25F", "XTX"),
];
/// Winbond's letters for design and voltage follow the capacity, and tell the series.
const WINBOND: [&str; 2] = ["w25h", "w25q"];
/// Zetta's parts have names as Winbond's.
const ZETTA: &str = "zd25q";

/// How the capacity stands in a name, in Mbit. Macronix tells variants of one size apart by its last digit.
const CAPACITIES: [(&str, u64); 24] = [
    ("00", 1024),
    ("01", 1024),
    ("01g", 1024),
    ("02", 2048),
    ("02g", 2048),
    ("032", 32),
    ("064", 64),
    ("10", 1),
    ("123", 128),
    ("128", 128),
    ("16", 16),
    ("1g", 1024),
    ("20", 2),
    ("253", 256),
    ("255", 256),
    ("256", 256),
    ("2g", 2048),
    ("32", 32),
    ("40", 4),
    ("512", 512),
    ("513", 512),
    ("63", 64),
    ("64", 64),
    ("80", 8),
];

/// The series of a part's name, in whatever letter case.
pub(super) fn series(name: &str) -> Option<ChipSeries> {
    let name = name.to_ascii_lowercase();
    let winbond = WINBOND.iter().find_map(|prefix| name.strip_prefix(prefix));
    if let Some(rest) = winbond {
        let (capacity_bytes, rest) = capacity(rest);
        let letters = rest.chars().take_while(char::is_ascii_alphabetic);
        let letters: String = letters.take(2).collect();
        let family = match letters.as_str() {
            "" => "W25Q".to_owned(),
            letters => format!("W25Q-{}", letters.to_ascii_uppercase()),
        };
        return Some(ChipSeries {
            maker: "Winbond",
            family,
            capacity_bytes,
        });
    }
    let zetta = [(ZETTA, "ZD25Q", "Zetta")];
    let known = SERIES.iter().chain(&zetta);
    let begins = known.filter(|(prefix, ..)| name.starts_with(prefix));
    let (prefix, family, maker) = *begins.max_by_key(|(prefix, ..)| prefix.len())?;
    let rest = &name[prefix.len()..];
    // Letters of voltage and package stand before the size in some series.
    let digits = rest.find(|c: char| c.is_ascii_digit());
    let rest = digits.filter(|at| *at <= 2).map_or("", |at| &rest[at..]);
    Some(ChipSeries {
        maker,
        family: family.to_owned(),
        capacity_bytes: capacity(rest).0,
    })
}

/// The capacity at the start of a text, in bytes, and what follows it.
fn capacity(text: &str) -> (Option<u64>, &str) {
    let begins = CAPACITIES
        .iter()
        .filter(|(token, _)| text.starts_with(token));
    match begins.max_by_key(|(token, _)| token.len()) {
        Some((token, mbit)) => (Some(mbit << 17), &text[token.len()..]),
        None => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::{capacity_bytes, series};

    #[test]
    fn capacity_codes_follow_the_rules_of_their_makers() {
        for (maker, code, mbit) in [
            (0xEF, 0x18, 128),
            (0xEF, 0x20, 512),
            (0xEF, 0x22, 2048),
            (0x20, 0x21, 1024),
            (0xC2, 0x3A, 512),
            (0xC2, 0x1C, 2048),
            (0xC8, 0x1A, 512),
            (0xBF, 0x42, 32),
            (0x85, 0x13, 4),
        ] {
            assert_eq!(
                capacity_bytes(maker, code),
                Some(mbit << 17),
                "{maker:X} {code:X}"
            );
        }
        assert_eq!(capacity_bytes(0xC8, 0x20), None);
        assert_eq!(capacity_bytes(0xEF, 0x00), None);
    }

    #[test]
    fn names_state_maker_family_and_capacity() {
        for (name, maker, family, mbit) in [
            ("W25Q128JV", "Winbond", "W25Q-JV", 128),
            ("w25q01nw-im", "Winbond", "W25Q-NW", 1024),
            ("w25h02nw-am", "Winbond", "W25Q-NW", 2048),
            ("W25Q80BL", "Winbond", "W25Q-BL", 8),
            ("mx25l1606e", "Macronix", "MX25L", 16),
            ("MX25L12833F", "Macronix", "MX25L", 128),
            ("mx25uw6345g", "Macronix", "MX25UM", 64),
            ("mx66uw2g345gx0", "Macronix", "MX25UM", 2048),
            ("mx25r8035f", "Macronix", "MX25R", 8),
            ("mt25qu01g", "Micron", "MT25Q", 1024),
            ("mt35xu02gbba", "Micron", "MT35X", 2048),
            ("n25q064a", "Micron", "N25Q", 64),
            ("s28hs02gt", "Infineon", "S28H", 2048),
            ("sst26vf032b", "Microchip", "SST26VF", 32),
            ("gd25lb512me", "GigaDevice", "GD25L", 512),
            ("p25d40sh", "Puya", "P25Q", 4),
            ("zd25q128c", "Zetta", "ZD25Q", 128),
        ] {
            let found = series(name).expect(name);
            assert_eq!(
                (found.maker, found.family.as_str()),
                (maker, family),
                "{name}"
            );
            assert_eq!(found.capacity_bytes, Some(mbit << 17), "{name}");
        }
        assert_eq!(series("no-such-chip"), None);
    }
}
