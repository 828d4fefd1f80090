//! Enums whose values people write and read: each name stands once, beside its variant.

/// Defines an enum with the names of its values, in the order of help and tables. From this one list come `ALL`, `name`,
/// `Display`, `FromStr`, the JSON form, its schema, and the values of the command line. JSON is also read with the name
/// that a value had before, after `was`.
macro_rules! named {
    ($(#[$meta:meta])* pub enum $type:ident {
        $($(#[$about:meta])* $variant:ident = $name:literal $(was $old:literal)?,)+
    }) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
        pub enum $type {
            $(
                $(#[$about])*
                #[serde(rename = $name $(, alias = $old)?)]
                #[cfg_attr(feature = "cli", value(name = $name))]
                $variant,
            )+
        }

        impl $type {
            /// Every value, in the order of help and tables.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// As the command line, documents and result rows spell it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                let found = Self::ALL.into_iter().find(|one| one.name() == text);
                found.ok_or_else(|| {
                    format!("{text:?} is unknown; allowed: {}", Self::ALL.map(Self::name).join(", "))
                })
            }
        }
    };
}

pub(crate) use named;

#[cfg(test)]
mod tests {
    use crate::results::WarningCode;
    use crate::{Axis, Basis, FtlMapping, KvWork, Metric, Mix, RowOperation, Timing};

    #[test]
    fn names_are_what_json_says_and_parse_again() {
        fn check<T>(all: impl IntoIterator<Item = T>)
        where
            T: serde::Serialize + std::fmt::Display + std::str::FromStr<Err = String> + PartialEq,
        {
            for one in all {
                let json = serde_json::to_string(&one).expect("an enum serialises");
                assert_eq!(json, format!("\"{one}\""));
                assert!(one.to_string().parse() == Ok(one));
            }
        }
        check(Mix::ALL);
        check(KvWork::ALL);
        check(FtlMapping::ALL);
        check(Timing::ALL);
        check(Axis::ALL);
        check(Basis::ALL);
        check(Metric::ALL);
        check(RowOperation::ALL);
        check(WarningCode::ALL);
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_that_exist() {
        let error = "worst".parse::<Timing>().expect_err("no such class");
        assert_eq!(error, "\"worst\" is unknown; allowed: typ, max, sampled");
        let error = "4:1".parse::<Mix>().expect_err("no such mix");
        assert!(error.ends_with("1:0, 3:1, 2:1, 1:1, triad"), "{error}");
    }
}
