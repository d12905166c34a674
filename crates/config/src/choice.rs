//! Settings whose value is one of several named values.

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::layers::SourceContext;
use super::record_mode::RecordMode;
use super::screenshot_use::ScreenshotUse;
use super::spec::Kind;
use super::value_error::ValueError;
use runner_device::DriverChoice;
use runner_snapshot::UpdateMode;

/// Enumeration of named values of a setting.
pub trait Choice: Copy + Debug + DeserializeOwned + 'static {
    const ALL: &'static [Self];

    /// Returns the name as people write it.
    fn name(self) -> &'static str;

    /// Returns the description for `--help`.
    fn help(self) -> &'static str;

    /// Finds a value by its name. By default case is ignored.
    fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|choice| choice.name().eq_ignore_ascii_case(name))
    }

    /// Builds the schema: a text that is one of `names`, case included, with `about` as its description.
    fn schema_of(names: &[&str], about: &str) -> Value {
        // With a type, because `on` and `off` are booleans in older YAML.
        json!({ "type": "string", "enum": names, "description": about })
    }
}

impl<T: Choice> Kind for T {
    type RawValue = T;
    type Value = T;

    fn schema(about: &str) -> Value {
        let names: Vec<&str> = T::ALL.iter().map(|choice| choice.name()).collect();
        T::schema_of(&names, about)
    }

    fn read(text: &str) -> Result<T, ValueError> {
        T::named(text).ok_or_else(|| ValueError::NotNamed(Self::expected(text)))
    }

    fn expected(_: &str) -> String {
        let names: Vec<&str> = T::ALL.iter().map(|choice| choice.name()).collect();
        let (last, others) = names.split_last().unwrap_or((&"", &[]));
        format!("{} or {last}", others.join(", "))
    }

    fn choices() -> Vec<(&'static str, &'static str)> {
        let all = T::ALL.iter();
        all.map(|choice| (choice.name(), choice.help())).collect()
    }

    fn value(given: &T, _: &SourceContext) -> Option<T> {
        Some(*given)
    }

    fn show(value: &T) -> Option<String> {
        Some(value.name().to_owned())
    }
}

impl Choice for DriverChoice {
    const ALL: &'static [Self] = &Self::ALL;

    fn name(self) -> &'static str {
        self.name()
    }

    fn help(self) -> &'static str {
        match self {
            Self::Auto => "`uia2` where its server is installed, else `stock`",
            Self::Stock => "Android's own commands; nothing on the device",
            Self::Uia2 => "Appium's UiAutomator2 server; installed where it is missing",
        }
    }
}

impl Choice for RecordMode {
    const ALL: &'static [Self] = &Self::ALL;

    fn name(self) -> &'static str {
        self.name()
    }

    fn help(self) -> &'static str {
        match self {
            Self::On => "Of every attempt",
            Self::OnFirstRetry => "Of the second attempt at a flow, after the first failed",
            Self::RetainOnFailure => "Record every attempt; keep failures",
            Self::Off => "Never; the default",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::named(name)
    }
}

impl Choice for UpdateMode {
    const ALL: &'static [Self] = &Self::ALL;

    fn name(self) -> &'static str {
        self.name()
    }

    fn help(self) -> &'static str {
        match self {
            Self::Pending => {
                "What differs or is new goes beside the goldens, to be reviewed; the test fails"
            }
            Self::None => {
                "Nothing is written but artifacts; the test fails. The default where `CI` is set"
            }
            Self::New => "Goldens that do not exist yet are written and pass",
            Self::Changed => "Goldens that differ are written and pass",
            Self::All => "Both",
        }
    }
}

impl Choice for ScreenshotUse {
    const ALL: &'static [Self] = &[Self::Artifacts, Self::Goldens];

    fn name(self) -> &'static str {
        match self {
            Self::Artifacts => "artifacts",
            Self::Goldens => "goldens",
        }
    }

    fn help(self) -> &'static str {
        ""
    }

    fn schema_of(names: &[&str], about: &str) -> Value {
        json!({ "enum": names, "description": about })
    }
}
