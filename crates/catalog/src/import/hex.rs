//! From a file to the bytes of a dump: binary as it is, hex text in the forms that tools print.

use super::{DUMP_BYTES_MAX, ImportError};

/// The bytes of a dump. Text of hex digits is decoded: plain (`xxd -p`), bytes with or without `0x`
/// and commas, and the output of `xxd` and `hexdump -C` with offsets, characters and `*` for repeated
/// lines. Anything else is taken as binary.
///
/// # Errors
/// When the file is empty or too large, or a text holds something other than hex digits.
pub fn dump_bytes(file: &[u8]) -> Result<Vec<u8>, ImportError> {
    if file.len() > 8 * DUMP_BYTES_MAX {
        return Err(too_large(file.len()));
    }
    let text = std::str::from_utf8(file).ok();
    let text = text.map(|text| text.strip_prefix('\u{feff}').unwrap_or(text));
    let printable = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    let bytes = match text.filter(|text| text.chars().all(printable)) {
        Some(text) => decode(text, file.len() - text.len())?,
        None => file.to_vec(),
    };
    if bytes.len() > DUMP_BYTES_MAX {
        return Err(too_large(bytes.len()));
    }
    if bytes.is_empty() {
        let allowed = "a dump, binary or as hex digits";
        return Err(ImportError::new(
            0,
            "the file holds no bytes",
            "nothing",
            allowed,
        ));
    }
    Ok(bytes)
}

fn too_large(bytes: usize) -> ImportError {
    ImportError::new(
        DUMP_BYTES_MAX,
        "the dump is too large for a parameter page",
        format!("{bytes} bytes"),
        "up to 1 MiB",
    )
}

fn decode(text: &str, mut at: usize) -> Result<Vec<u8>, ImportError> {
    let mut decoder = Decoder::default();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        decoder.line(HexLine {
            number: index + 1,
            at,
            text: line.trim_end(),
        })?;
        at += line.len();
    }
    if decoder.repeat {
        let allowed = "a line with the offset at which the dump ends after \"*\"";
        return Err(ImportError::new(
            at,
            "the text ends in \"*\"",
            "\"*\"",
            allowed,
        ));
    }
    Ok(decoder.bytes)
}

/// A line of a hex text.
struct HexLine<'a> {
    number: usize,
    /// Byte of the text at which it begins.
    at: usize,
    text: &'a str,
}

impl HexLine<'_> {
    fn error(&self, token: &str, fault: &str, found: String, allowed: &str) -> ImportError {
        // Tokens are slices of the line.
        let within = token
            .as_ptr()
            .addr()
            .saturating_sub(self.text.as_ptr().addr());
        let fault = format!("line {} of the hex text: {fault}", self.number);
        ImportError::new(self.at + within.min(self.text.len()), fault, found, allowed)
    }
}

#[derive(Default)]
struct Decoder {
    bytes: Vec<u8>,
    /// Where the bytes of the last line begin, for lines that `*` repeats.
    last: usize,
    /// Lines begin with their offsets.
    offsets: bool,
    /// A `*` was seen: the next offset says up to where the last line is repeated.
    repeat: bool,
}

impl Decoder {
    fn line(&mut self, line: HexLine<'_>) -> Result<(), ImportError> {
        // The gutter of `hexdump -C` shows the bytes as characters.
        let data = line.text.split('|').next().unwrap_or("").trim();
        if data.starts_with('#') || data.starts_with("//") {
            return Ok(());
        }
        if data == "*" {
            self.repeat = true;
            return Ok(());
        }
        let (offset, data) = split_offset(data, self.offsets);
        if let Some(offset) = offset {
            self.offsets = true;
            self.offset(&line, offset)?;
        }
        let start = self.bytes.len();
        for token in data.split(|c: char| c.is_whitespace() || ",;{}[]()".contains(c)) {
            if !token.is_empty() {
                self.token(&line, token)?;
            }
        }
        if self.bytes.len() > start {
            if self.repeat {
                let found = "bytes without an offset".to_owned();
                let allowed = "after \"*\", a line that begins with its offset";
                return Err(line.error(data, "it follows \"*\"", found, allowed));
            }
            self.last = start;
        }
        if self.bytes.len() > DUMP_BYTES_MAX {
            return Err(too_large(self.bytes.len()));
        }
        Ok(())
    }

    /// The offset at which a line says that its bytes begin.
    fn offset(&mut self, line: &HexLine<'_>, token: &str) -> Result<(), ImportError> {
        let stated = usize::from_str_radix(token, 16).unwrap_or(usize::MAX);
        if stated > DUMP_BYTES_MAX {
            let found = format!("offset {token}");
            return Err(line.error(token, "the dump is too large", found, "up to 1 MiB"));
        }
        if self.repeat && self.last < self.bytes.len() {
            let period = self.bytes.len() - self.last;
            while self.bytes.len() < stated {
                self.bytes.push(self.bytes[self.bytes.len() - period]);
            }
            self.repeat = false;
        }
        if stated != self.bytes.len() {
            let found = format!("offset {token}");
            let allowed = format!("{:x}, where the bytes before end", self.bytes.len());
            let fault = "its offset does not follow the bytes before it";
            return Err(line.error(token, fault, found, &allowed));
        }
        Ok(())
    }

    fn token(&mut self, line: &HexLine<'_>, token: &str) -> Result<(), ImportError> {
        let allowed = "hex digits in pairs, such as 53 46 44 50, 0x53 or 53464450";
        let prefixed = token.strip_prefix("0x").or(token.strip_prefix("0X"));
        let digits = prefixed.unwrap_or(token);
        let bad = digits.chars().find(|c| !c.is_ascii_hexdigit());
        if let Some(bad) = bad {
            let found = format!("{bad:?} in {:?}", shortened(token));
            return Err(line.error(token, "no hex digit", found, allowed));
        }
        match (prefixed, digits.len()) {
            (Some(_), 1 | 2) => {
                self.bytes.extend(u8::from_str_radix(digits, 16).ok());
                Ok(())
            }
            (None, length) if length % 2 == 0 => {
                let pairs = digits.as_bytes().chunks_exact(2);
                let bytes = pairs.filter_map(|pair| std::str::from_utf8(pair).ok());
                self.bytes
                    .extend(bytes.filter_map(|pair| u8::from_str_radix(pair, 16).ok()));
                Ok(())
            }
            (Some(_), _) => {
                let fault = "a number of more than one byte says not which comes first";
                Err(line.error(token, fault, format!("{:?}", shortened(token)), allowed))
            }
            (None, length) => {
                let found = format!("{length} digits in {:?}", shortened(token));
                Err(line.error(token, "half a byte", found, allowed))
            }
        }
    }
}

/// Parts a line of `xxd` or `hexdump -C` into its offset and its bytes.
fn split_offset(data: &str, offsets: bool) -> (Option<&str>, &str) {
    let is_hex = |text: &str| {
        (4..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    if let Some((offset, rest)) = data.split_once(':')
        && is_hex(offset)
    {
        // xxd sets the characters apart with two spaces.
        let rest = rest.trim_start();
        return (Some(offset), rest.split("  ").next().unwrap_or(""));
    }
    let (first, rest) = data.split_once(char::is_whitespace).unwrap_or((data, ""));
    let pairs = rest.split_whitespace().all(|token| token.len() == 2);
    // An offset has its leading zeros; alone on a line it says where the dump ends.
    let padded = (7..=8).contains(&first.len()) && first.starts_with('0') && is_hex(first);
    if padded && pairs && (offsets || !rest.trim().is_empty()) {
        (Some(first), rest)
    } else {
        (None, data)
    }
}

fn shortened(token: &str) -> String {
    token.chars().take(20).collect()
}
