//! A loaded app: its manifest, its surfaces, its data.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value};

use super::manifest::Manifest;
use crate::virtual_device::apps::a2ui::{self, Message, MessageError};
use crate::virtual_device::apps::ui::Colour;

/// Why an app folder cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// A file cannot be read.
    #[error(
        "{path}: cannot be read: {source}; an app is a folder with an `app.yaml` and the files it names"
    )]
    Read {
        /// The file.
        path: Utf8PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// `app.yaml` is not as it should be.
    #[error("{path}:{line}:{column}: {message}")]
    Manifest {
        /// The file.
        path: Utf8PathBuf,
        /// Line, from 1; 0 where it is not known.
        line: u64,
        /// Column, from 1.
        column: u64,
        /// What is wrong.
        message: String,
    },
    /// A file of messages is not as it should be.
    #[error("{path}:{source}")]
    Messages {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong.
        source: MessageError,
    },
    /// Something names what does not exist.
    #[error("{path}: {message}")]
    Name {
        /// The file.
        path: Utf8PathBuf,
        /// What names what, and what there is.
        message: String,
    },
}

/// An installed app.
#[derive(Debug, Clone)]
pub(crate) struct App {
    pub manifest: Arc<Manifest>,
    pub colour: Option<Colour>,
    /// The messages of each activity's surface.
    pub surfaces: BTreeMap<String, Arc<Vec<Message>>>,
    /// Its data as its files have it.
    fresh: Value,
    /// Its data now.
    pub model: Value,
    /// Process id while it runs.
    pub pid: Option<u32>,
    /// Run-time permissions, and whether they are granted.
    pub permissions: BTreeMap<String, bool>,
}

impl App {
    /// Reads an app's folder.
    pub fn load(folder: &Utf8Path) -> Result<Self, AppError> {
        let path = folder.join("app.yaml");
        let text = read(&path)?;
        let manifest: Manifest = serde_yaml::from_str(&text).map_err(|error| {
            let (line, column) = error
                .location()
                .map_or((0, 0), |at| (at.line(), at.column()));
            AppError::Manifest {
                path: path.clone(),
                line,
                column,
                message: error.without_snippet().to_string(),
            }
        })?;
        check(&manifest).map_err(|message| AppError::Name {
            path: path.clone(),
            message,
        })?;
        let mut fresh = Value::Object(Map::new());
        let mut surfaces = BTreeMap::new();
        for (name, activity) in &manifest.activities {
            let file = inside(folder, &activity.surface).ok_or_else(|| AppError::Name {
                path: path.clone(),
                message: format!(
                    "activity `{name}`: `surface: {}` must be a file inside the app's folder",
                    activity.surface
                ),
            })?;
            let messages = a2ui::read_messages(&activity.surface, &read(&file)?)
                .map_err(|source| AppError::Messages { path: file, source })?;
            for message in &messages {
                if let Message::UpdateDataModel { path, value, .. } = message {
                    fill(&mut fresh, path, value.clone());
                }
            }
            surfaces.insert(name.clone(), Arc::new(messages));
        }
        Ok(Self {
            colour: manifest.colour.as_deref().and_then(Colour::parse),
            permissions: manifest
                .permissions
                .iter()
                .map(|name| (name.clone(), false))
                .collect(),
            manifest: Arc::new(manifest),
            surfaces,
            model: fresh.clone(),
            fresh,
            pid: None,
        })
    }

    /// Its data after its process ended: as its files have it, but for what it keeps.
    pub fn restart_data(&mut self) {
        let mut model = self.fresh.clone();
        for pointer in &self.manifest.keep {
            if let Some(kept) = a2ui::get(&self.model, pointer) {
                a2ui::set(&mut model, pointer, Some(kept.clone()));
            }
        }
        self.model = model;
    }

    /// Its data and permissions as after the installation.
    pub fn clear(&mut self) {
        self.model = self.fresh.clone();
        for granted in self.permissions.values_mut() {
            *granted = false;
        }
    }
}

/// Puts a file's data into the app's: objects at the top are joined, as every surface brings its part.
fn fill(model: &mut Value, path: &str, value: Option<Value>) {
    if let (true, Some(Value::Object(fields))) = (path.is_empty(), &value) {
        for (key, value) in fields {
            if let Value::Object(all) = model {
                all.insert(key.clone(), value.clone());
            }
        }
        return;
    }
    a2ui::set(model, path, value);
}

fn read(path: &Utf8Path) -> Result<String, AppError> {
    fs_err::read_to_string(path).map_err(|source| AppError::Read {
        path: path.to_owned(),
        source,
    })
}

/// The file, unless its name leads out of the folder.
fn inside(folder: &Utf8Path, name: &str) -> Option<Utf8PathBuf> {
    let name = Utf8Path::new(name);
    name.components()
        .all(|part| matches!(part, camino::Utf8Component::Normal(_)))
        .then(|| folder.join(name))
}

fn check(manifest: &Manifest) -> Result<(), String> {
    if manifest.package.split('.').count() < 2
        || !manifest
            .package
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_')
    {
        return Err(format!(
            "`package: {}` is no package name; write one such as com.example.notes",
            manifest.package
        ));
    }
    if let Some(colour) = &manifest.colour
        && Colour::parse(colour).is_none()
    {
        return Err(format!("`colour: {colour}` must look like \"#3F6DB5\""));
    }
    if manifest.launchable().is_none() {
        return Err("no activity is `launchable: true`; the launcher needs one".into());
    }
    let known = |kind: &str, name: &str| match kind {
        "activity" => manifest.activities.contains_key(name),
        "action" => manifest.actions.contains_key(name),
        _ => manifest.permissions.iter().any(|known| known == name),
    };
    let named = |place: String, kind: &str, name: &str| {
        if known(kind, name) {
            return Ok(());
        }
        let there: Vec<&str> = match kind {
            "activity" => manifest.activities.keys().map(String::as_str).collect(),
            "action" => manifest.actions.keys().map(String::as_str).collect(),
            _ => manifest.permissions.iter().map(String::as_str).collect(),
        };
        Err(format!(
            "{place} names the {kind} `{name}`, which is not there; there are: {}",
            there.join(", ")
        ))
    };
    for (action, steps) in &manifest.actions {
        for (kind, name) in steps.iter().flat_map(super::Step::names) {
            named(format!("action `{action}`"), kind, name)?;
        }
    }
    for (path, action) in &manifest.watch {
        named(format!("`watch: {path}`"), "action", action)?;
    }
    for (activity, about) in &manifest.activities {
        if let Some(action) = &about.on_start {
            named(format!("activity `{activity}`"), "action", action)?;
        }
    }
    Ok(())
}
