//! The published schema of a profile.

use schemars::schema_for;

use super::Profile;

impl Profile {
    /// The JSON Schema of a profile, generated from its types.
    ///
    /// # Panics
    /// Never: a schema is plain data.
    #[must_use]
    pub fn published_schema() -> String {
        match serde_json::to_string_pretty(&schema_for!(Self)) {
            Ok(text) => text + "\n",
            Err(error) => unreachable!("a schema is plain JSON: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::{env, fs};

    use serde_json::Value;

    use super::Profile;

    /// `make reference` writes it again.
    #[test]
    fn the_published_schema_is_fresh() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let file = root.join("../../docs/reference/profile.schema.json");
        let expected = Profile::published_schema();
        if env::var_os("UPDATE_REFERENCE").is_some() {
            fs::write(&file, &expected).expect("the docs folder is writable");
        }
        let found = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            found == expected,
            "docs/reference/profile.schema.json is stale; run: make reference"
        );
    }

    /// Fields of the types and of the schema are the same, and so are those that may be left out.
    #[test]
    fn the_schema_names_what_a_profile_needs() {
        let schema: Value = serde_json::from_str(&Profile::published_schema()).expect("JSON");
        let required = |of: &Value| -> Vec<String> {
            let names = of["required"].as_array().expect("a list").iter();
            names
                .map(|name| name.as_str().expect("a name").to_owned())
                .collect()
        };
        assert_eq!(
            required(&schema),
            ["schema", "name", "baseline", "cores", "phases"]
        );
        let phase = &schema["$defs"]["ProfilePhase"];
        assert_eq!(
            required(phase),
            [
                "name",
                "seconds",
                "lines_read",
                "lines_written",
                "stall_share"
            ]
        );
        assert_eq!(phase["additionalProperties"], Value::Bool(false));
    }
}
