//! What the plugin is told: `key=value` arguments.

use wordline_apps::record::{CacheSetting, CoreShape, RecordedCaches};

/// How to record.
#[derive(Clone, Debug, PartialEq)]
pub struct PluginSettings {
    /// File that the recording is written to.
    pub out: String,
    /// Caches of the target system.
    pub caches: RecordedCaches,
    /// Core of the target system.
    pub core: CoreShape,
    /// Sets of 64 that are followed.
    pub sets_of_64: u32,
}

/// An argument that the plugin does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PluginSettingsError {
    /// It is of no known key.
    #[error("unknown argument {0:?}; allowed: out, l1, l2, l3, sets, memory")]
    Unknown(String),
    /// Its value is not of its kind.
    #[error("{key}={value}: allowed: {allowed}")]
    Value {
        /// The key.
        key: &'static str,
        /// What was given.
        value: String,
        /// What may be given.
        allowed: &'static str,
    },
    /// Nothing says where the recording goes.
    #[error("out=FILE is missing")]
    NoOutput,
}

const CACHE: &str = "BYTES:WAYS, with :hashed where the place of a line is hashed";

impl PluginSettings {
    /// The settings as arguments that [`from_arguments`](Self::from_arguments) reads.
    #[must_use]
    pub fn to_arguments(&self) -> String {
        let cache = |of: &CacheSetting| {
            let hashed = if of.hashed { ":hashed" } else { "" };
            format!("{}:{}{hashed}", of.bytes, of.ways)
        };
        let second = self.caches.second.as_ref();
        let second = second.map_or("0".to_owned(), cache);
        format!(
            "out={},l1={},l2={second},l3={},sets={},memory={}",
            self.out,
            cache(&self.caches.first),
            cache(&self.caches.last),
            self.sets_of_64,
            self.core.memory
        )
    }

    /// Reads arguments of the form `key=value`.
    ///
    /// # Errors
    /// When one is not known, or has another form.
    pub fn from_arguments<'a>(
        arguments: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, PluginSettingsError> {
        let mut settings = Self {
            out: String::new(),
            caches: RecordedCaches::usual(1),
            core: CoreShape::performance_core(330),
            sets_of_64: 64,
        };
        for argument in arguments {
            let (key, value) = argument.split_once('=').unwrap_or((argument, ""));
            match key {
                "out" => value.clone_into(&mut settings.out),
                "l1" => settings.caches.first = cache("l1", value)?,
                "l2" if value == "0" => settings.caches.second = None,
                "l2" => settings.caches.second = Some(cache("l2", value)?),
                "l3" => settings.caches.last = cache("l3", value)?,
                "sets" => settings.sets_of_64 = number("sets", value, "2, 4, 8, 16 or 64")?,
                "memory" => settings.core.memory = number("memory", value, "cycles")?,
                _ => return Err(PluginSettingsError::Unknown(argument.to_owned())),
            }
        }
        if settings.out.is_empty() {
            return Err(PluginSettingsError::NoOutput);
        }
        Ok(settings)
    }
}

fn refused(key: &'static str, value: &str, allowed: &'static str) -> PluginSettingsError {
    PluginSettingsError::Value {
        key,
        value: value.to_owned(),
        allowed,
    }
}

fn number(
    key: &'static str,
    value: &str,
    allowed: &'static str,
) -> Result<u32, PluginSettingsError> {
    value.parse().map_err(|_| refused(key, value, allowed))
}

fn cache(key: &'static str, value: &str) -> Result<CacheSetting, PluginSettingsError> {
    let wrong = || refused(key, value, CACHE);
    let mut parts = value.split(':');
    let mut next = || parts.next().unwrap_or("");
    let bytes = next().parse().map_err(|_| wrong())?;
    let ways = next().parse().map_err(|_| wrong())?;
    let hashed = match next() {
        "" => false,
        "hashed" => true,
        _ => return Err(wrong()),
    };
    Ok(CacheSetting {
        bytes,
        ways,
        hashed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_as_they_are_written() {
        let settings = PluginSettings {
            out: "/a/file".into(),
            caches: RecordedCaches {
                second: None,
                ..RecordedCaches::usual(3)
            },
            core: CoreShape::performance_core(77),
            sets_of_64: 4,
        };
        let text = settings.to_arguments();
        assert_eq!(
            PluginSettings::from_arguments(text.split(',')),
            Ok(settings)
        );
    }

    #[test]
    fn what_is_not_known_is_named() {
        for (text, said) in [
            ("", "unknown argument \"\""),
            ("l1=3", "l1=3: allowed: BYTES:WAYS"),
            ("l3=1:2:x", "l3=1:2:x: allowed"),
            ("sets=4", "out=FILE is missing"),
            ("memory=much,out=a", "memory=much"),
        ] {
            let error = PluginSettings::from_arguments(text.split(',')).expect_err(text);
            assert!(error.to_string().contains(said), "{error}");
        }
    }
}
