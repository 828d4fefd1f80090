//! The sheets that come along: packed as the build packed them, and unpacked when somebody asks for one.

use std::sync::LazyLock;

/// Where a sheet is, and what its first keys say.
pub(crate) struct PackedSheet {
    /// The key that says what it describes.
    pub(crate) kind: &'static str,
    /// Its id.
    pub(crate) id: &'static str,
    /// Its path inside this crate.
    pub(crate) file: &'static str,
    pack: usize,
    /// First byte in the pack's text, and the one behind its last.
    begin: usize,
    end: usize,
}

include!(concat!(env!("OUT_DIR"), "/sheets.rs"));

/// How many sheets come along.
pub(crate) const SHEETS: usize = INDEX.len();

/// The sheets in the order of their files.
pub(crate) fn index() -> &'static [PackedSheet] {
    &INDEX
}

impl PackedSheet {
    /// Its text. A pack is some kilobytes, which take tens of microseconds.
    pub(crate) fn text(&self) -> String {
        let text = unpacked(self.pack);
        text[self.begin..self.end].to_owned()
    }
}

/// Whether a sheet is one of those that came with the program, to the letter. No other pack is unpacked for it.
pub(crate) fn is_embedded(file: &str, text: &str) -> bool {
    let named = INDEX.iter().find(|sheet| sheet.file == file);
    named.is_some_and(|sheet| sheet.text() == text)
}

fn unpacked(pack: usize) -> String {
    #[cfg(test)]
    UNPACKED.with(|count| count.set(count.get() + 1));
    let text = miniz_oxide::inflate::decompress_to_vec(PACKS[pack]);
    match text.map(String::from_utf8) {
        Ok(Ok(text)) => text,
        _ => unreachable!("the build packed it"),
    }
}

/// The embedded sheets: path inside this crate, and text. All are unpacked when the first is asked for, which takes some
/// milliseconds.
pub static EMBEDDED: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    // Kept for the rest of the process, as every static is.
    let packs: Vec<&'static str> = (0..PACKS.len())
        .map(|pack| &*unpacked(pack).leak())
        .collect();
    let text = |sheet: &PackedSheet| (sheet.file, &packs[sheet.pack][sheet.begin..sheet.end]);
    INDEX.iter().map(text).collect()
});

#[cfg(test)]
thread_local! {
    /// Packs that this thread unpacked.
    pub(crate) static UNPACKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_sheet_comes_back_as_its_file_is() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(EMBEDDED.len(), SHEETS);
        for (sheet, (file, text)) in INDEX.iter().zip(EMBEDDED.iter()) {
            let on_disk = fs::read_to_string(root.join(file)).expect("readable");
            assert_eq!(*text, on_disk, "{file}");
            assert_eq!(sheet.text(), on_disk, "{file}");
            assert_eq!(sheet.file, *file);
            assert!(is_embedded(file, text) && !is_embedded(file, &text[1..]));
        }
    }
}
