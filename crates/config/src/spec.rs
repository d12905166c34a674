//! Specification of one setting: its names, texts and default; and the [`Kind`] that defines the syntax of its
//! values.

use std::fmt::Debug;

use camino::Utf8Path;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::ConfigError;
use super::layers::{Layers, SourceContext};
use super::value_error::ValueError;
use super::{Origin, Setting};

pub struct Spec<K: Kind> {
    default: fn(&Utf8Path) -> K::Value,
    in_ci: Option<K::Value>,
    key: Option<&'static str>,
    about: &'static str,
    variable: Option<&'static str>,
    flag: Option<Flag>,
    docs: &'static str,
    docs_default: Option<&'static str>,
    is_listed: bool,
}

/// Option of the command line.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Group in `--help`.
    pub group: FlagGroup,
    /// Name without the dashes.
    pub name: &'static str,
    /// Placeholder of the value in `--help`.
    pub value_name: &'static str,
    /// Description in `--help`.
    pub about: &'static str,
    /// Value if the option is given without one.
    pub implied_value: Option<&'static str>,
}

/// Group of options in the help of a subcommand, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum FlagGroup {
    /// Options for the device, in all subcommands that use one.
    Device,
    /// Options that decide which goldens are written.
    Goldens,
    /// JUnit XML, which has a further option outside of the table.
    Junit,
    /// Other reports.
    Reports,
    /// Folders into which every run writes.
    Folders,
    /// Options that decide how flows are run. A new option of `runner test` belongs here.
    Run,
    /// No group: several subcommands declare the option themselves.
    Ungrouped,
}

/// Description of a setting for tables and the command line.
#[derive(Debug, Clone)]
pub struct Row {
    /// Name of its field in the table.
    pub name: &'static str,
    /// Key in `runner.yaml`, with dots.
    pub key: Option<&'static str>,
    pub variable: Option<&'static str>,
    pub flag: Option<Flag>,
    /// Named values, each with its help; empty if other values are valid too.
    pub choices: Vec<(&'static str, &'static str)>,
    /// JSON Schema for `runner.yaml`.
    pub(super) schema: Value,
    /// Text for `docs/reference/config.md`.
    pub(super) docs: &'static str,
    /// Default for `docs/reference/config.md`.
    pub(super) default: String,
}

impl<K: Kind> Spec<K> {
    /// Creates a specification without key, variable, option and words for the documentation. `default` gets
    /// the project's root, since some defaults depend on its files.
    pub fn new(default: fn(&Utf8Path) -> K::Value) -> Self {
        Self {
            default,
            in_ci: None,
            key: None,
            about: "",
            variable: None,
            flag: None,
            docs: "",
            docs_default: None,
            is_listed: true,
        }
    }

    /// Sets another default for CI systems.
    pub fn in_ci(mut self, value: K::Value) -> Self {
        self.in_ci = Some(value);
        self
    }

    /// Sets the key of `runner.yaml` and the description in its schema.
    pub fn key(mut self, key: &'static str, about: &'static str) -> Self {
        (self.key, self.about) = (Some(key), about);
        self
    }

    /// Sets the environment variable.
    pub fn variable(mut self, variable: &'static str) -> Self {
        self.variable = Some(variable);
        self
    }

    /// Sets the option with its group, name (without `--`), placeholder of the value and description. It
    /// needs a value until [`Self::implied_value`] is called.
    pub fn flag(
        mut self,
        group: FlagGroup,
        name: &'static str,
        value_name: &'static str,
        about: &'static str,
    ) -> Self {
        let implied_value = None;
        self.flag = Some(Flag {
            group,
            name,
            value_name,
            about,
            implied_value,
        });
        self
    }

    /// Sets the option's value for when it is given without one. Does nothing without an option, so call
    /// [`Self::flag`] first.
    pub fn implied_value(mut self, value: &'static str) -> Self {
        self.flag = self.flag.map(|flag| Flag {
            implied_value: Some(value),
            ..flag
        });
        self
    }

    /// Sets the text for `docs/reference/config.md`.
    pub fn docs(mut self, docs: &'static str) -> Self {
        self.docs = docs;
        self
    }

    /// Sets the text for the default in `docs/reference/config.md`, if the value alone says too little.
    pub fn docs_default(mut self, default: &'static str) -> Self {
        self.docs_default = Some(default);
        self
    }

    /// Leaves the setting out of `runner config`.
    pub fn unlisted(mut self) -> Self {
        self.is_listed = false;
        self
    }

    /// Returns what the documentation tells of this setting. The default is shown as for an empty root; none is a
    /// dash.
    pub(super) fn row(&self, name: &'static str) -> Row {
        let display = || match K::show(&(self.default)(Utf8Path::new(""))) {
            Some(value) if value != "none" => format!("`{value}`"),
            _ => "–".to_owned(),
        };
        Row {
            name,
            key: self.key,
            variable: self.variable,
            flag: self.flag,
            choices: K::choices(),
            schema: K::schema(self.about),
            docs: self.docs,
            default: self.docs_default.map_or_else(display, str::to_owned),
        }
    }

    /// Reads the setting's value from the parsed `runner.yaml`. Returns `None` if the setting has no key or
    /// the file does not have it. Fails if the value is not of the right form.
    pub(super) fn given(&self, document: &Value) -> serde_json::Result<Option<K::RawValue>> {
        let Some(key) = self.key else {
            return Ok(None);
        };
        let pointer = format!("/{}", key.replace('.', "/"));
        let value = document.pointer(&pointer).cloned();
        value.map(serde_json::from_value).transpose()
    }

    /// Returns problems of the file's value that the schema does not find: dotted path from the top of
    /// `runner.yaml`, and message. Returns none without a value.
    pub(super) fn problems(&self, given: Option<&K::RawValue>) -> Vec<(String, String)> {
        let key = self.key.unwrap_or_default();
        let wrong = given.map(K::problems).unwrap_or_default().into_iter();
        let path = |below: String| format!("{key}.{below}").trim_end_matches('.').to_owned();
        wrong
            .map(|(below, message)| (path(below), message))
            .collect()
    }

    /// Returns name, value and origin for `runner config`. Returns `None` if the setting is not listed there
    /// or has nothing to show.
    pub(super) fn describe(
        &self,
        name: &str,
        setting: &Setting<K::Value>,
    ) -> Option<(String, String, String)> {
        let display = K::show(&setting.value).filter(|_| self.is_listed)?;
        Some((name.to_owned(), display, setting.origin.to_string()))
    }

    /// Merges all sources: command line beats environment beats file beats the default in CI beats default. A source
    /// whose value counts as not set ([`Kind::value`]), such as an empty list of devices, is skipped. The origin of
    /// the default in CI is the variable `CI`.
    ///
    /// # Errors
    /// An environment variable that cannot be read, even if the command line replaces it.
    pub(super) fn resolve(
        &self,
        layers: &Layers,
        of_file: Option<&K::RawValue>,
        of_flag: Option<&K::RawValue>,
    ) -> Result<Setting<K::Value>, ConfigError> {
        let folder = &layers.context.working_folder;
        let in_ci = self.in_ci.clone().filter(|_| layers.context.is_ci());
        let parsed = |given: Option<&K::RawValue>, folder, origin: Origin| {
            let value = K::value(
                given?,
                &SourceContext {
                    layers,
                    folder,
                    origin: &origin,
                },
            )?;
            Some((value, origin))
        };
        let of_variable = match self
            .variable
            .and_then(|name| Some((name, layers.context.variable(name)?)))
        {
            Some((name, text)) => {
                let given = K::read(text).map_err(|_| K::unreadable(name, text))?;
                parsed(Some(&given), folder, Origin::Environment(name))
            }
            None => None,
        };
        let of_file = parsed(
            of_file,
            layers.root,
            layers.origin(self.key.unwrap_or_default()),
        );
        Ok(Setting::default((self.default)(layers.root))
            .or_higher(in_ci.map(|value| (value, Origin::Environment("CI"))))
            .or_higher(of_file)
            .or_higher(of_variable)
            .or_higher(parsed(of_flag, folder, Origin::CommandLine)))
    }
}

/// Kind of values of a setting.
pub trait Kind: Sized {
    /// Value as written in `runner.yaml`, a variable or an option.
    type RawValue: Clone + Debug + DeserializeOwned;
    /// Value as the program uses it.
    type Value: Clone + Debug;

    /// Returns the JSON Schema for `runner.yaml`, with `about` as its description.
    fn schema(about: &str) -> Value;

    /// Parses the text of an option or a variable. By default an error: only `runner.yaml` has the setting.
    fn read(_text: &str) -> Result<Self::RawValue, ValueError> {
        Err(ValueError::OnlyInFile)
    }

    /// Describes valid texts, for the error about a variable; empty by default.
    fn expected(_text: &str) -> String {
        String::new()
    }

    /// Returns the named values, each with its help; none if any other value is valid.
    fn choices() -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// Returns problems that the schema cannot find: path below the setting's key, and a message.
    fn problems(_given: &Self::RawValue) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Converts a written value; `None` if it counts as not set.
    fn value(given: &Self::RawValue, source: &SourceContext) -> Option<Self::Value>;

    /// Formats the value for people; `None` if there is nothing to show.
    fn show(value: &Self::Value) -> Option<String>;

    /// Merges the values of all sources. `of_file` is from `runner.yaml`, `of_flag` from the command line.
    fn resolve(
        spec: &Spec<Self>,
        layers: &Layers,
        of_file: Option<&Self::RawValue>,
        of_flag: Option<&Self::RawValue>,
    ) -> Result<Setting<Self::Value>, ConfigError> {
        spec.resolve(layers, of_file, of_flag)
    }

    /// Returns the error for a variable whose text [`Kind::read`] refuses. It quotes the text and says what
    /// is expected.
    fn unreadable(variable: &'static str, text: &str) -> ConfigError {
        ConfigError::Variable {
            variable,
            value: text.to_owned(),
            expected: format!("must be {}", Self::expected(text)),
        }
    }
}
