//! What is said of one setting: its names, its texts and its default. How its value is written is its [`Kind`]'s.

use camino::Utf8Path;
use serde_json::Value;

use super::kind::Kind;
use super::resolve::{ConfigError, Overrides};
use super::{Origin, Setting};
use runner_base::context::Context;
use runner_text::diagnostic::{self, Source};

/// All that is said of a setting.
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

/// An option of the command line.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Where help has it.
    pub place: Place,
    /// Without the dashes.
    pub name: &'static str,
    /// What help calls its value.
    pub value_name: &'static str,
    /// What help says of it.
    pub about: &'static str,
    /// Its value where it is named without one.
    pub alone: Option<&'static str>,
}

/// Options that stand together in the help of a subcommand, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Place {
    /// With the device; of every subcommand that uses one.
    Device,
    /// What is done to goldens.
    Goldens,
    /// The JUnit XML, which has an option more.
    Junit,
    /// The other reports.
    Reports,
    /// Folders that a run writes into in any case.
    Folders,
    /// How flows are run. A new option of `runner test` stands here.
    Run,
    /// Nowhere: several subcommands declare it, each in its own way.
    Apart,
}

/// A setting as tables and the command line want to know it.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name among the settings.
    pub name: &'static str,
    /// Its key in `runner.yaml`, with dots.
    pub key: Option<&'static str>,
    /// Its variable.
    pub variable: Option<&'static str>,
    /// Its option.
    pub flag: Option<Flag>,
    /// The values it may have and what help says of each; none where they cannot be counted.
    pub choices: Vec<(&'static str, &'static str)>,
    /// Its JSON Schema in `runner.yaml`.
    pub(super) schema: Value,
    /// What `docs/config.md` says of it.
    pub(super) docs: &'static str,
    /// Its default in `docs/config.md`.
    pub(super) default: String,
}

impl<K: Kind> Spec<K> {
    /// A setting with this default, which may go by what is in the project's root.
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

    /// Another default where a CI system runs this.
    pub fn in_ci(mut self, value: K::Value) -> Self {
        self.in_ci = Some(value);
        self
    }

    /// The key of `runner.yaml`, and what the schema says of it.
    pub fn key(mut self, key: &'static str, about: &'static str) -> Self {
        (self.key, self.about) = (Some(key), about);
        self
    }

    /// The variable.
    pub fn variable(mut self, variable: &'static str) -> Self {
        self.variable = Some(variable);
        self
    }

    /// The option, what help calls its value, and what help says of it.
    pub fn flag(
        mut self,
        place: Place,
        name: &'static str,
        value_name: &'static str,
        about: &'static str,
    ) -> Self {
        let alone = None;
        self.flag = Some(Flag {
            place,
            name,
            value_name,
            about,
            alone,
        });
        self
    }

    /// The option's value where it is named without one.
    pub fn alone(mut self, value: &'static str) -> Self {
        self.flag = self.flag.map(|flag| Flag {
            alone: Some(value),
            ..flag
        });
        self
    }

    /// What `docs/config.md` says of it.
    pub fn docs(mut self, docs: &'static str) -> Self {
        self.docs = docs;
        self
    }

    /// Its default in `docs/config.md`, where that is more than a value.
    pub fn docs_default(mut self, default: &'static str) -> Self {
        self.docs_default = Some(default);
        self
    }

    /// `runner config` does not list it.
    pub fn unlisted(mut self) -> Self {
        self.is_listed = false;
        self
    }

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

    /// What the file says, from its text as JSON.
    pub(super) fn given(&self, document: &Value) -> serde_json::Result<Option<K::Given>> {
        let Some(key) = self.key else {
            return Ok(None);
        };
        let pointer = format!("/{}", key.replace('.', "/"));
        let value = document.pointer(&pointer).cloned();
        value.map(serde_json::from_value).transpose()
    }

    /// What cannot be used of what the file says, by its path.
    pub(super) fn wrong(&self, given: Option<&K::Given>) -> Vec<(String, String)> {
        let key = self.key.unwrap_or_default();
        let wrong = given.map(K::wrong).unwrap_or_default().into_iter();
        let path = |below: String| format!("{key}.{below}").trim_end_matches('.').to_owned();
        wrong
            .map(|(below, message)| (path(below), message))
            .collect()
    }

    /// Its line in `runner config`.
    pub(super) fn describe(
        &self,
        name: &str,
        setting: &Setting<K::Value>,
    ) -> Option<(String, String, String)> {
        let display = K::show(&setting.value).filter(|_| self.is_listed)?;
        Some((name.to_owned(), display, setting.origin.to_string()))
    }

    /// Command line beats environment beats file beats default.
    pub(super) fn resolve(
        &self,
        layers: &Layers,
        of_file: Option<&K::Given>,
        of_flag: Option<&K::Given>,
    ) -> Result<Setting<K::Value>, ConfigError> {
        let folder = &layers.context.working_folder;
        let in_ci = self.in_ci.clone().filter(|_| layers.context.is_ci());
        let parsed = |given: Option<&K::Given>, folder, origin: Origin| {
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

/// A value's surroundings.
pub struct SourceContext<'a> {
    /// All sources.
    pub layers: &'a Layers<'a>,
    /// What a relative path is of: the root for `runner.yaml`, else the folder this was started in.
    pub folder: &'a Utf8Path,
    /// Who says it.
    pub origin: &'a Origin,
}

/// The sources of settings.
pub struct Layers<'a> {
    pub context: &'a Context,
    pub overrides: &'a Overrides,
    pub root: &'a Utf8Path,
    /// `runner.yaml`, where there is one, and where its keys stand.
    pub source: Option<&'a Source>,
    pub places: &'a std::collections::BTreeMap<String, std::ops::Range<usize>>,
}

impl Layers<'_> {
    /// The line of a key of `runner.yaml`.
    fn origin(&self, key: &str) -> Origin {
        let offset = self.places.get(key).map_or(0, |range| range.start);
        match self.source {
            Some(source) => Origin::File {
                path: source.path.clone(),
                line: diagnostic::line_column(&source.text, offset).0,
            },
            None => Origin::Default,
        }
    }
}
