//! Names that rust-fatfs stores.

use crate::{FsError, FsErrorKind};

/// Checks the last part of a path. rust-fatfs checks it only when it has removed the old entry or taken a cluster.
///
/// # Errors
/// [`FsErrorKind::Name`], where rust-fatfs refuses a name: longer than 255 bytes, or with characters that FAT has not.
pub(super) fn check_name(path: &str) -> Result<(), FsError> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_stored = |c: char| {
        c.is_ascii_alphanumeric()
            || ('\u{80}'..='\u{FFFF}').contains(&c)
            || "$%'-_@~`!(){}. +,;=[]^#&".contains(c)
    };
    if !name.is_empty() && name.len() <= 255 && name.chars().all(is_stored) {
        Ok(())
    } else {
        Err(FsError::new(
            FsErrorKind::Name,
            format_args!("`{}`", name.escape_debug()),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_255_bytes_and_no_wildcards() {
        assert_eq!(check_name(&format!("/d/{}", "a".repeat(255))), Ok(()));
        for bad in [
            "a".repeat(256),
            "a?".into(),
            "a*".into(),
            "a:b".into(),
            "\u{1F600}".into(),
        ] {
            assert_eq!(
                check_name(&format!("/{bad}")).map_err(|e| e.kind),
                Err(FsErrorKind::Name)
            );
        }
    }
}
