//! Loads an app's folder: its manifest, its surfaces, its data.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::check::{check, has_errors, inside};
use super::manifest::{Activity, Manifest};
use crate::app_host::HostedApp;
use crate::apps::a2ui::{self, Message};
use crate::apps::phone::HostedAppState;
use crate::apps::ui::Colour;
use crate::{ApkManifest, SchemaCheck};
use runner_text::diagnostic::{Diagnostic, Severity, render_line};
use runner_text::input_file::{MAX_TEXT, read_text};

#[derive(Debug, thiserror::Error)]
pub enum AppError {
    #[error(
        "{path}: cannot be read: {source}; an app is a folder with an `app.yaml` and the files it names"
    )]
    Read {
        path: Utf8PathBuf,
        source: std::io::Error,
    },
    /// The files have problems.
    #[error("{}", lines(.0))]
    Wrong(Vec<Diagnostic>),
    /// A file passed the checks and could still not be read.
    #[error("{path}: {message}")]
    Unread { path: Utf8PathBuf, message: String },
}

pub(crate) struct App {
    pub manifest: Arc<Manifest>,
    pub colour: Option<Colour>,
    /// The messages of each activity's surface.
    pub surfaces: BTreeMap<String, Arc<Vec<Message>>>,
    /// Initial data from the app's files.
    fresh: Value,
    /// Current data.
    pub model: Value,
    /// Upper bound of the bytes by which the data has grown since it was last measured.
    pub grown: usize,
    /// Process id while it runs.
    pub pid: Option<u32>,
    /// Set while its main thread hangs.
    pub hang: Option<crate::apps::phone::Hang>,
    /// Permissions by name; true if granted. For an APK, only those that a person grants at run time.
    pub permissions: BTreeMap<String, bool>,
    /// A system app: it cannot be removed or replaced.
    pub system: bool,
    /// Manifest of a package that was installed as an APK. Its activities show nothing.
    pub apk: Option<Arc<ApkManifest>>,
    /// State of an APK whose own code runs in an app host.
    pub hosted: Option<HostedAppState>,
}

/// Permissions of Android 14's `android.permission` that a person grants. All others are granted by the
/// installation.
const RUN_TIME: [&str; 37] = [
    "ACCEPT_HANDOVER",
    "ACCESS_BACKGROUND_LOCATION",
    "ACCESS_COARSE_LOCATION",
    "ACCESS_FINE_LOCATION",
    "ACCESS_MEDIA_LOCATION",
    "ACTIVITY_RECOGNITION",
    "ANSWER_PHONE_CALLS",
    "BLUETOOTH_ADVERTISE",
    "BLUETOOTH_CONNECT",
    "BLUETOOTH_SCAN",
    "BODY_SENSORS",
    "BODY_SENSORS_BACKGROUND",
    "CALL_PHONE",
    "CAMERA",
    "GET_ACCOUNTS",
    "NEARBY_WIFI_DEVICES",
    "POST_NOTIFICATIONS",
    "PROCESS_OUTGOING_CALLS",
    "READ_CALENDAR",
    "READ_CALL_LOG",
    "READ_CONTACTS",
    "READ_EXTERNAL_STORAGE",
    "READ_MEDIA_AUDIO",
    "READ_MEDIA_IMAGES",
    "READ_MEDIA_VIDEO",
    "READ_MEDIA_VISUAL_USER_SELECTED",
    "READ_PHONE_NUMBERS",
    "READ_PHONE_STATE",
    "READ_SMS",
    "RECEIVE_MMS",
    "RECEIVE_SMS",
    "RECORD_AUDIO",
    "SEND_SMS",
    "USE_SIP",
    "WRITE_CALENDAR",
    "WRITE_CONTACTS",
    "WRITE_EXTERNAL_STORAGE",
];

impl App {
    /// Loads an app's folder. Fails with the problems if the check finds any error; warnings do not count. The initial
    /// data is made of the data messages of all surfaces, in the order of the activities; of two values for one field
    /// the later one counts.
    pub fn load(folder: &Utf8Path, schema_check: SchemaCheck) -> Result<Self, AppError> {
        let found = check(folder, folder, schema_check);
        if has_errors(&found) {
            return Err(AppError::Wrong(found));
        }
        let path = folder.join("app.yaml");
        let unread = |path: &Utf8Path, message: String| AppError::Unread {
            path: path.to_owned(),
            message,
        };
        let manifest: Manifest = serde_yaml::from_str(&read(&path)?)
            .map_err(|error| unread(&path, error.without_snippet().to_string()))?;
        let mut fresh = Value::Object(Map::new());
        let mut surfaces = BTreeMap::new();
        for (name, activity) in &manifest.activities {
            let file = inside(&activity.surface)
                .map(|file| folder.join(file))
                .ok_or_else(|| unread(&path, format!("activity `{name}` has no file")))?;
            let messages = a2ui::read_messages(&activity.surface, &read(&file)?)
                .map_err(|error| unread(&file, error.to_string()))?;
            for message in &messages {
                if let Message::UpdateDataModel { path, value, .. } = message {
                    fill(&mut fresh, path, value.clone());
                }
            }
            surfaces.insert(name.clone(), Arc::new(messages));
        }
        Ok(Self::from_parts(manifest, surfaces, fresh))
    }

    /// Loads a system app from the texts of its manifest and of its only screen, which all its activities
    /// show. The texts are not checked as those of a folder are.
    pub fn built_in(manifest: &str, surface: &str) -> Result<Self, AppError> {
        let unread = |message: String| AppError::Unread {
            path: "a built-in app".into(),
            message,
        };
        let manifest: Manifest =
            serde_yaml::from_str(manifest).map_err(|error| unread(error.to_string()))?;
        let messages =
            a2ui::read_messages("main.yaml", surface).map_err(|error| unread(error.to_string()))?;
        let mut fresh = Value::Object(Map::new());
        for message in &messages {
            if let Message::UpdateDataModel { path, value, .. } = message {
                fill(&mut fresh, path, value.clone());
            }
        }
        let messages = Arc::new(messages);
        let surfaces = manifest
            .activities
            .keys()
            .map(|name| (name.clone(), Arc::clone(&messages)))
            .collect();
        Ok(Self {
            system: true,
            ..Self::from_parts(manifest, surfaces, fresh)
        })
    }

    /// Returns an app as it is after its installation: it does not run, no permission is granted, and it is not of
    /// the system. A malformed colour is none.
    fn from_parts(
        manifest: Manifest,
        surfaces: BTreeMap<String, Arc<Vec<Message>>>,
        fresh: Value,
    ) -> Self {
        Self {
            colour: manifest.colour.as_deref().and_then(Colour::parse),
            permissions: manifest
                .permissions
                .iter()
                .map(|name| (name.clone(), false))
                .collect(),
            manifest: Arc::new(manifest),
            surfaces,
            model: fresh.clone(),
            grown: 0,
            fresh,
            pid: None,
            hang: None,
            system: false,
            apk: None,
            hosted: None,
        }
    }

    /// Returns a package of which only the manifest is known. It has no screens and no data. An activity
    /// inside the package is named `.Name`. Only permissions that a person grants at run time are listed, all
    /// `granted` or all not.
    pub fn from_apk(apk: Arc<ApkManifest>, granted: bool) -> Self {
        let label = apk.label.clone().unwrap_or_else(|| apk.package.clone());
        let of_package = format!("{}.", apk.package);
        let activities: IndexMap<String, Activity> = apk
            .activities
            .iter()
            .map(|class| {
                let short = class.strip_prefix(&of_package);
                let name = short.map_or_else(|| class.clone(), |short| format!(".{short}"));
                let activity = Activity {
                    surface: String::new(),
                    launchable: apk.launchable.as_ref() == Some(class),
                    title: Some(label.clone()),
                    links: Vec::new(),
                    on_start: None,
                };
                (name, activity)
            })
            .collect();
        let is_run_time = |name: &&String| {
            name.strip_prefix("android.permission.")
                .is_some_and(|name| RUN_TIME.contains(&name))
        };
        let permissions: BTreeMap<String, bool> = apk
            .permissions
            .iter()
            .filter(is_run_time)
            .map(|name| (name.clone(), granted))
            .collect();
        let manifest = Manifest {
            package: apk.package.clone(),
            label,
            version: apk.version_name.clone(),
            version_code: apk.version_code,
            icon: None,
            colour: None,
            permissions: permissions.keys().cloned().collect(),
            keep: Vec::new(),
            activities,
            watch: IndexMap::new(),
            actions: IndexMap::new(),
        };
        Self {
            manifest: Arc::new(manifest),
            colour: None,
            surfaces: BTreeMap::new(),
            fresh: Value::Object(Map::new()),
            model: Value::Object(Map::new()),
            grown: 0,
            pid: None,
            hang: None,
            permissions,
            system: false,
            apk: Some(apk),
            hosted: None,
        }
    }

    /// Returns a package whose own code runs in an app host. Its run-time permissions are not granted.
    pub fn hosted(app: HostedApp) -> Self {
        Self {
            hosted: Some(HostedAppState::new(app.clone())),
            ..Self::from_apk(app.manifest, false)
        }
    }

    /// Resets the data after the process ended to those of a new installation, except at the pointers in `keep` that
    /// have a value now. Permissions stay.
    pub fn restart_data(&mut self) {
        let mut model = self.fresh.clone();
        for pointer in &self.manifest.keep {
            if let Some(stored) = a2ui::get(&self.model, pointer) {
                a2ui::set(&mut model, pointer, Some(stored.clone()));
            }
        }
        self.model = model;
    }

    /// Resets the data to those after the installation, also what `keep` names, and revokes all permissions, even those
    /// granted at the installation.
    pub fn clear(&mut self) {
        self.model = self.fresh.clone();
        for granted in self.permissions.values_mut() {
            *granted = false;
        }
    }
}

/// Puts the data of a file into the app's. Fields of an object at the root are put in one by one, each replacing
/// its former value, since every surface brings a part; another value replaces what is at `path`, and `None`
/// removes it. `path` is empty for the root.
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

/// Reads a text of the app's folder, of [`MAX_TEXT`] at most.
fn read(path: &Utf8Path) -> Result<String, AppError> {
    read_text(path, MAX_TEXT).map_err(|error| AppError::Read {
        path: path.to_owned(),
        source: error.into(),
    })
}

/// Formats at most 20 errors, each with its suggestion, then how many more there are. Warnings are left out.
fn lines(found: &[Diagnostic]) -> String {
    // Chosen: one screen of a terminal; an app with more errors usually has one cause.
    const MAX_REPORTED: usize = 20;
    let errors: Vec<String> = found
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| match &diagnostic.help {
            Some(help) => format!("{}; {help}", render_line(diagnostic)),
            None => render_line(diagnostic),
        })
        .collect();
    let mut text = errors[..errors.len().min(MAX_REPORTED)].join("\n");
    if errors.len() > MAX_REPORTED {
        text.push_str(&format!("\nand {} more", errors.len() - MAX_REPORTED));
    }
    text
}
