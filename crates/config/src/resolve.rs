//! Merges arguments, environment and `runner.yaml`.

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;
use serde_json::Value;

use super::error::ConfigError;
use super::file::{ProjectFile, SnapshotDefaults};
use super::layers::Layers;
use super::table::{RawSettings, SettingValues};
use super::{Config, adb, devices, drivers, env_file, leases};
use runner_app_host::places::Places;
use runner_base::context::Context;
use runner_base::named_path::{tidy, within};
use runner_snapshot::{Redactions, Variants};
use runner_text::diagnostic;
use runner_text::input_file::{MAX_TEXT, read_named_text};

/// Values from the command line. Paths are as written.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// Flow files, folders, globs.
    pub paths: Vec<Utf8PathBuf>,
    /// `--config`.
    pub maestro_config: Option<Utf8PathBuf>,
    /// `--device`.
    pub devices: Vec<String>,
    /// `--app`.
    pub apps: Vec<Utf8PathBuf>,
    /// `--classes`.
    pub classes: Option<String>,
    /// `--adb-host`.
    pub adb_host: Option<String>,
    /// `--adb-port`.
    pub adb_port: Option<u16>,
    /// Names and values of `--env`. They override those of `--env-file`.
    pub env: Vec<(String, String)>,
    /// `--env-file`.
    pub env_file: Option<Utf8PathBuf>,
    /// Options of the table of settings.
    pub settings: RawSettings,
}

impl Config {
    /// Merges all sources into one configuration. The project is that of the first path on the command line,
    /// else that of the working folder. All spellings of a path mean the same, see [`runner_base::named_path`]. Reads
    /// `runner.yaml`, `--env-file` and variables, but no flows.
    ///
    /// # Errors
    /// An invalid `runner.yaml`, a settings file with a wrong name, an invalid `--env-file` or environment
    /// variable.
    pub fn resolve(context: &Context, overrides: &Overrides) -> Result<Self, ConfigError> {
        let here = &context.working_folder;
        // A flow given by its path belongs to the project around it, not to the working folder's.
        let home = runner_flow::find_root(here).unwrap_or_else(|| here.clone());
        let named = |path: &Utf8PathBuf| within(&home, tidy(&here.join(path)));
        let first = overrides.paths.first();
        let first = first.map_or_else(|| here.clone(), named);
        // Without a slash at its end, which the root would have too.
        let first: Utf8PathBuf = first.components().collect();
        let (root, file) = read_file(here, &first)?;
        let layers = Layers {
            context,
            devices: &overrides.devices,
            root: &root,
            source: file.source.as_deref(),
            places: &file.places,
        };
        let paths = overrides.paths.iter().map(named);
        let paths = paths.map(|path| within(&root, path)).collect();
        // Paths of the command line are relative to the working folder, those of `runner.yaml` to the root.
        let working = |path: &Utf8PathBuf| here.join(path);
        let (command_env, env_doubts) = command_env(here, overrides)?;
        Ok(Self {
            settings: SettingValues::resolve(&layers, &file.settings, &overrides.settings)?,
            project_source: file.source.clone(),
            project_warnings: file.warnings.clone(),
            dialogs: file.dialogs(),
            maestro_config: overrides.maestro_config.as_ref().map(working),
            paths,
            named_apps: overrides.apps.iter().map(working).collect(),
            classes: overrides.classes.clone(),
            places: Places::from_context(context),
            listed_devices: devices::listed(file.settings.devices.as_ref(), context),
            file_env: file.env.clone(),
            command_env,
            env_doubts,
            secrets: file.secrets.clone(),
            lease_folder: leases::folder(context),
            snapshot_defaults: snapshot_defaults(&file.snapshot),
            redactions: Redactions::new(&file.snapshot.redactions)
                .map_err(|error| ConfigError::File(error.to_string()))?,
            variants: variants(&file.snapshot)?,
            impact: file.impact(),
            homes: drivers::homes(context),
            adb: adb::server(context, overrides.adb_host.as_deref(), overrides.adb_port)?,
            host: adb::host(context)?,
            #[cfg(debug_assertions)]
            dies_after: context
                .variable("RUNNER_TEST_DIES_AFTER")
                .and_then(|steps| steps.parse().ok()),
            root,
        })
    }
}

/// Reads the nearest `runner.yaml` at or above `start`, and returns it with its folder. Without one it
/// returns an empty file with the root of a Maestro workspace around `start`, if that is not the working
/// folder `here`, or else `here`.
///
/// # Errors
/// A settings file with a wrong name, and an invalid `runner.yaml`, whose messages show it relative to
/// `here`.
fn read_file(here: &Utf8Path, start: &Utf8Path) -> Result<(Utf8PathBuf, ProjectFile), ConfigError> {
    if let Some(path) = runner_flow::find_misnamed(start) {
        let path = path.strip_prefix(here).unwrap_or(&path).to_owned();
        return Err(ConfigError::Misnamed(path));
    }
    let Some(root) = runner_flow::find_root(start) else {
        // Without paths on the command line the working folder is the project.
        let named = (start != here).then(|| runner_flow::find_maestro_root(start));
        let root = named.flatten().unwrap_or_else(|| here.to_owned());
        return Ok((root, ProjectFile::default()));
    };
    let path = root.join("runner.yaml");
    let displayed = path.strip_prefix(here).unwrap_or(&path).to_owned();
    let file = ProjectFile::read(&path, &displayed)
        .map_err(|diagnostics| ConfigError::File(diagnostic::render(&diagnostics, false, 100)))?;
    Ok((root, file))
}

/// Compiles the variants of goldens. All that is wrong with them is one error.
fn variants(defaults: &SnapshotDefaults) -> Result<Variants, ConfigError> {
    defaults.variants().map_err(|wrong| {
        let wrong: Vec<String> = wrong.into_iter().map(|(_, message)| message).collect();
        ConfigError::File(wrong.join("\n"))
    })
}

/// Builds the options of a `snapshot:` step from the project's defaults. What is not set is left out, so the object may
/// be empty. The key of the masks is `mask` there. Redactions and variants are no options.
fn snapshot_defaults(defaults: &SnapshotDefaults) -> Value {
    let mut options = serde_json::Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            options.insert(name.to_owned(), value);
        }
    };
    set("tolerance", defaults.tolerance.clone());
    set(
        "mask",
        (!defaults.masks.is_empty()).then(|| Value::Array(defaults.masks.clone())),
    );
    set("bars", defaults.bars.map(Value::Bool));
    set("windows", defaults.windows.clone().map(Value::String));
    set("image", defaults.image.clone().map(Value::String));
    Value::Object(options)
}

/// Returns the variables of the command line, those of `--env-file` overridden by `--env`; and a sentence with its
/// place for each line of the file that was probably meant in another way. An error if the file cannot be read or
/// parsed.
fn command_env(
    here: &Utf8Path,
    overrides: &Overrides,
) -> Result<(IndexMap<String, String>, Vec<String>), ConfigError> {
    let mut values = IndexMap::new();
    let mut doubts = Vec::new();
    if let Some(path) = &overrides.env_file {
        let text = read_named_text(here.join(path), MAX_TEXT)?;
        let entries = env_file::parse(&text).map_err(|bad| ConfigError::EnvFile {
            path: path.clone(),
            line: bad.line,
            column: bad.column,
            message: bad.message,
        })?;
        for (line, said) in env_file::doubts(&entries) {
            doubts.push(format!("{path}:{line}: {said}"));
        }
        values.extend(entries.into_iter().map(|entry| (entry.key, entry.value)));
    }
    // `--env` beats the file.
    values.extend(overrides.env.iter().cloned());
    Ok((values, doubts))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::table::rows;

    #[test]
    fn a_variable_of_the_command_line_is_written_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        fs_err::write(root.join("runner.yaml"), "").unwrap();
        fs_err::write(root.join("my.env"), "USER=${NAME}\nNAME=hunter2\n").unwrap();
        let context = Context::fixed(root, BTreeMap::new());
        let doubts = |env: &[(&str, &str)], env_file: Option<&str>| {
            let env = env
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            let overrides = Overrides {
                env: env.collect(),
                env_file: env_file.map(Utf8PathBuf::from),
                ..Overrides::default()
            };
            Config::resolve(&context, &overrides).unwrap().doubts()
        };
        for (said, told) in [
            (doubts(&[], Some("my.env")), "write out the value of `NAME`"),
            (
                doubts(&[("USER", "$NAME"), ("NAME", "hunter2")], None),
                "write out the value of `NAME`",
            ),
            (doubts(&[("USER", "$NAME")], None), "write `${os.NAME}`"),
            (doubts(&[("USER", "$USER")], None), "write `${os.NAME}`"),
        ] {
            assert_eq!(said.len(), 1, "{said:?}");
            assert!(said[0].contains(told), "{said:?}");
            assert!(!said[0].contains("hunter2"), "{said:?}");
        }
    }

    #[test]
    fn a_warning_of_the_file_quotes_no_secret() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        let device = "{ webdriver: localhost, user: ada, key: s3cret-99 }";
        let env = "{ MY_TOKEN: hunter2-long, A: $HOME }";
        let file = format!("devices: [ {device} ]\nenv: {env}\n");
        fs_err::write(root.join("runner.yaml"), file).unwrap();
        let context = Context::fixed(root, BTreeMap::new());
        let config = Config::resolve(&context, &Overrides::default()).unwrap();
        assert_eq!(config.project_warnings.len(), 2);
        let text = diagnostic::render(&config.project_warnings, false, 100);
        assert!(text.contains("MY_TOKEN: *"), "{text}");
        let shown = ["s3cret", "hunter2"].iter().find(|it| text.contains(**it));
        assert_eq!(shown, None, "{text}");
    }

    #[test]
    fn a_variable_means_what_its_option_means() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        fs_err::write(root.join("runner.yaml"), "").unwrap();
        let shown = |variable: Option<(&str, &str)>, overrides: &Overrides| {
            let variables = variable.map(|(name, text)| (name.to_owned(), text.to_owned()));
            let context = Context::fixed(root.clone(), variables.into_iter().collect());
            let config = Config::resolve(&context, overrides).ok()?;
            let lines = config.describe().into_iter();
            Some(
                lines
                    .map(|(name, value, _)| (name, value))
                    .collect::<Vec<_>>(),
            )
        };
        let texts = ["-", "out/a", "/a", "true", "no", "2", "10s", "all", "on"];
        for row in rows().iter().filter(|row| row.name != "devices") {
            let (Some(variable), Some(_)) = (row.variable, row.flag) else {
                continue;
            };
            for text in texts {
                let mut overrides = Overrides::default();
                let is_read = overrides.settings.set(row.name, text).is_ok();
                let by_option = is_read.then(|| shown(None, &overrides)).flatten();
                let by_variable = shown(Some((variable, text)), &Overrides::default());
                assert_eq!(by_variable, by_option, "{variable}={text}");
            }
        }
    }

    #[test]
    fn retries_of_the_environment_have_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        fs_err::write(root.join("runner.yaml"), "").unwrap();
        for (message, read) in [
            ("0", Some(0)),
            ("10", Some(10)),
            ("11", None),
            ("4294967295", None),
            ("-1", None),
            ("many", None),
        ] {
            let variables = BTreeMap::from([("RUNNER_RETRIES".to_owned(), message.to_owned())]);
            let context = Context::fixed(root.clone(), variables);
            match (Config::resolve(&context, &Overrides::default()), read) {
                (Ok(config), read) => assert_eq!(Some(config.retries.value), read, "{message}"),
                (Err(error), None) => assert_eq!(
                    error.to_string(),
                    format!("RUNNER_RETRIES={message}: must be a whole number from 0 to 10")
                ),
                (Err(error), Some(_)) => panic!("{message}: {error}"),
            }
        }
    }
}
