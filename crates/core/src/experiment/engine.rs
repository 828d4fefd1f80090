//! The name of a storage engine.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A storage engine by its name: lowercase letters, digits and hyphens. The engines that exist are listed in
/// `crates/engines`; a run refuses other names and lists the allowed ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct EngineName(String);

impl EngineName {
    /// The name as rows and the command line spell it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }

    pub(super) fn flat() -> Self {
        Self("flat".to_owned())
    }
}

impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for EngineName {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if text.is_empty() || !text.bytes().all(fits) {
            return Err(format!(
                "`{}` is not the name of an engine; allowed: lowercase letters, digits and hyphens",
                text.escape_debug()
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for EngineName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_words_and_others_are_refused() {
        for name in ["littlefs", "f2fs", "wordline-kv"] {
            assert_eq!(name.parse::<EngineName>().expect(name).name(), name);
        }
        for name in ["", "FAT", "a b", "../x", "ü"] {
            let error = name.parse::<EngineName>().expect_err(name);
            assert!(error.contains("allowed: lowercase"), "{error}");
        }
    }
}
