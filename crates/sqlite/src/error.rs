//! What can go wrong beside SQLite's own errors.

use wordline_engines::FsError;

/// What can go wrong with a database on a file system.
#[derive(Debug, thiserror::Error)]
pub enum SqliteError {
    /// SQLite was in use before the first VFS of this crate, which has to configure it.
    #[error("SQLite was started before its first VFS of a file system; make that first (code {0})")]
    Started(i32),
    /// SQLite refused a VFS.
    #[error("SQLite refused the file system (code {0})")]
    Refused(i32),
    /// A setting is outside of its values.
    #[error("{name}={found}; allowed: {allowed}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// Its value.
        found: u64,
        /// The values that are allowed.
        allowed: &'static str,
    },
    /// SQLite was compiled without something that a setting needs.
    #[error("{setting} needs SQLite compiled with {flags}, as LIBSQLITE3_FLAGS says")]
    NotCompiled {
        /// The setting.
        setting: &'static str,
        /// What SQLite has to be compiled with.
        flags: &'static str,
    },
    /// Connections are open that use the file system.
    #[error("connections to the file system are still open")]
    ConnectionsOpen,
    /// The file system refused.
    #[error(transparent)]
    Files(#[from] FsError),
    /// SQLite failed, of itself or for what the file system said.
    #[error("{}{}", words(error), beneath.as_ref().map(|said| format!(": {said}")).unwrap_or_default())]
    Sql {
        /// What SQLite says.
        error: rusqlite::Error,
        /// What the file system said last, where it failed.
        beneath: Option<FsError>,
    },
}

impl From<rusqlite::Error> for SqliteError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql {
            error,
            beneath: None,
        }
    }
}

impl SqliteError {
    /// The byte of a statement at which SQLite found what is wrong with it, where it says so.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        match self {
            Self::Sql {
                error: rusqlite::Error::SqlInputError { offset, .. },
                ..
            } => usize::try_from(*offset).ok(),
            _ => None,
        }
    }
}

/// Longest text of SQLite's that is shown: it may quote a word of the statement, of any length.
const CHARS_MAX: usize = 200;

/// What SQLite says, without the statement.
fn words(error: &rusqlite::Error) -> String {
    let text = match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
