//! Shows and changes the device's settings, apps and clipboard. Changes are calls of tools, and so become
//! steps. Values are read from the device when a page asks.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::Uri;
use axum::routing::{post, put};
use axum::{Json, Router};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::act::{self, Act, ActRequest};
use super::answer::{self, Answer, SharedStudio};
use super::upload;
use super::{Studio, StudioError};
use runner_device::settings::{Rotation, Setting, current};
use runner_device::{Device, DeviceError, permissions};
use runner_screen::Orientation;
use runner_tools::registry::find;
use runner_tools::{Failure, FailureKind};

/// Time for reading all settings. Chosen: some ten commands on a slow phone.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Characters of a value, such as a link or a text for the clipboard. Chosen: far more than people enter.
const MAX_VALUE_CHARS: usize = 4000;

/// Permissions of an app that are shown. Chosen: apps have some dozen at most.
const MAX_PERMISSIONS: usize = 200;

/// Change of the device, as a page sends it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Control {
    Rotate {
        to: String,
    },
    Dark {
        on: bool,
    },
    Locale {
        tag: String,
        /// App whose language is set if the device's own cannot be.
        app: Option<String>,
    },
    FontScale {
        scale: f64,
    },
    Airplane {
        on: bool,
    },
    Stop {
        app: String,
    },
    Clear {
        app: String,
    },
    Grant {
        app: String,
        permission: String,
    },
    Revoke {
        app: String,
        permission: String,
    },
    OpenLink {
        link: String,
    },
    SetClipboard {
        text: String,
    },
    /// Installs a file that this server wrote below the project. Pages cannot name a file.
    #[serde(skip_deserializing)]
    Install {
        path: String,
    },
}

impl Control {
    /// Returns the tool, its arguments and a description for the history. The app of a language is not in the
    /// arguments; see [`Self::app`]. The text of the clipboard is not in the description, as it may be secret.
    pub(super) fn call(&self) -> (&'static str, Value, String) {
        let set = |key: &str, value: Value| {
            let what = format!("set {key} to {value}");
            ("set_device", json!({ key: value }), what)
        };
        let of_app = |name: &'static str, app: &str| {
            let what = format!("{name} {app}");
            (name, json!({ "app": app }), what)
        };
        let permission = |name: &'static str, app: &str, permission: &str| {
            let args = json!({ "permission": permission, "app": app });
            (name, args, format!("{name} {permission}"))
        };
        match self {
            Self::Rotate { to } => ("rotate", json!({ "to": to }), format!("rotate to {to}")),
            Self::Dark { on } => set("dark", json!(on)),
            Self::Locale { tag, .. } => set("locale", json!(tag)),
            Self::FontScale { scale } => set("font_scale", json!(scale)),
            Self::Airplane { on } => set("airplane", json!(on)),
            Self::Stop { app } => of_app("stop", app),
            Self::Clear { app } => of_app("clear", app),
            Self::Grant {
                app,
                permission: of,
            } => permission("grant", app, of),
            Self::Revoke {
                app,
                permission: of,
            } => permission("revoke", app, of),
            Self::OpenLink { link } => {
                let args = json!({ "link": link });
                ("open_link", args, format!("open {link}"))
            }
            // The text may be secret.
            Self::SetClipboard { text } => {
                let args = json!({ "text": text });
                ("set_clipboard", args, "set the clipboard".to_owned())
            }
            Self::Install { path } => (
                "install",
                json!({ "path": path }),
                format!("install {path}"),
            ),
        }
    }

    /// Returns an error for a text longer than `MAX_VALUE_CHARS`, a blank app where one is needed, or a blank link.
    /// Other values are left to the tool.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let (_, args, _) = self.call();
        let mut texts = args.as_object().into_iter().flatten();
        let too_long = |value: &Value| {
            let text = value.as_str().unwrap_or_default();
            text.chars().count() > MAX_VALUE_CHARS
        };
        if texts.any(|(_, value)| too_long(value)) {
            let message = format!("it is longer than {MAX_VALUE_CHARS} characters");
            return Err(Failure::usage(message));
        }
        match self {
            Self::Stop { app } | Self::Clear { app } if app.trim().is_empty() => Err(no_app()),
            Self::Grant { app, .. } | Self::Revoke { app, .. } if app.trim().is_empty() => {
                Err(no_app())
            }
            Self::OpenLink { link } if link.trim().is_empty() => {
                Err(Failure::usage("name a link, such as notes://note/7"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the app whose language is set; `None` for all other settings, for the language of the device, and
    /// for an empty name.
    pub(super) fn app(&self) -> Option<&str> {
        match self {
            Self::Locale { app, .. } => app.as_deref().filter(|app| !app.is_empty()),
            _ => None,
        }
    }
}

fn no_app() -> Failure {
    Failure::usage("name the app's package, such as com.example.notes")
}

/// Returns the routes to read settings and clipboard and to install an app.
pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/device/state", post(state))
        .route("/device/clipboard", post(clipboard))
        .route("/device/app", put(install))
}

/// Request about an app.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AppRequest {
    app: Option<String>,
}

#[derive(Serialize)]
struct SettingsAnswer {
    settings: IndexMap<&'static str, SettingAnswer>,
    app: Option<String>,
    permissions: PermissionsAnswer,
}

/// Value of a setting, or the reason why it cannot be changed.
#[derive(Serialize)]
#[serde(untagged)]
enum SettingAnswer {
    Read { value: Value },
    Refused { error: String },
}

/// Run-time permissions of an app, or the reason why they are unknown.
#[derive(Serialize)]
#[serde(untagged)]
enum PermissionsAnswer {
    Read(Vec<Grant>),
    Refused { error: String },
}

#[derive(Serialize)]
struct Grant {
    name: String,
    granted: bool,
}

/// Reads the settings of the device, and the permissions and language of an app if one is named. An empty name
/// counts as none. Refuses while a run is active. Changes nothing on the device. An error if the device does not
/// answer within [`READ_TIMEOUT`].
async fn state(State(studio): SharedStudio, Json(requested): Json<AppRequest>) -> Answer {
    let app = requested.app.filter(|app| !app.is_empty());
    let read = read(&studio, app.as_deref());
    let state = timeout(READ_TIMEOUT, read).await.map_err(|_| too_slow());
    let state = state
        .and_then(|state| state)
        .map_err(|error| answer::to_problem(&studio, error))?;
    Ok(Json(studio.scrubbed(state)))
}

/// Returns the error for a device that did not answer within `READ_TIMEOUT`.
fn too_slow() -> StudioError {
    let message = format!(
        "the device did not say within {} s; try again",
        READ_TIMEOUT.as_secs()
    );
    Failure::device(message).into()
}

/// Reads the settings, and the permissions of `app`, at most `MAX_PERMISSIONS`. A setting or permissions that
/// cannot be read have their error in the answer, but a device that cannot be reached, or an active run, ends it
/// with an error. Opens the device if need be. Without `app` there are no permissions.
async fn read(studio: &Studio, app: Option<&str>) -> Result<SettingsAnswer, StudioError> {
    if studio.run.is_active() {
        return Err(StudioError::Running);
    }
    let _beside = studio.workspace.connection.lock_shared().await;
    let opened = studio.workspace.connection.opened().await;
    let opened = opened.map_err(Failure::from)?;
    let device = opened.device().as_ref();
    let locale = Setting::Locale {
        tag: "en-US".to_owned(),
        app: app.map(str::to_owned),
    };
    let mut settings = IndexMap::new();
    for (name, wanted) in [
        ("rotation", Setting::Rotation(Rotation::Sensor)),
        ("dark", Setting::dark(true)),
        ("locale", locale),
        ("font_scale", Setting::FontScale(100)),
        ("airplane", Setting::Airplane(true)),
    ] {
        settings.insert(name, setting(device, current(device, &wanted).await)?);
    }
    let requested = match app {
        Some(app) => permissions::run_time(device, app).await,
        None => Ok(Vec::new()),
    };
    let permissions = match requested {
        Ok(grants) => {
            let grants = grants.into_iter().take(MAX_PERMISSIONS);
            let grants = grants.map(|(name, granted)| Grant { name, granted });
            PermissionsAnswer::Read(grants.collect())
        }
        Err(error) if error.is_unreachable() => return Err(Failure::from(error).into()),
        Err(error) => PermissionsAnswer::Refused {
            error: error.to_string(),
        },
    };
    Ok(SettingsAnswer {
        settings,
        app: app.map(str::to_owned),
        permissions,
    })
}

/// Converts a setting for the page; reads nothing but the display's orientation, portrait if unknown. A setting
/// that the device refuses to tell becomes an answer with the reason. The font scale is a factor, not percent; the
/// rotation is a word of the step `rotate`.
///
/// # Errors
/// Returns an error if the device cannot be reached.
fn setting(
    device: &dyn Device,
    current: Result<Setting, DeviceError>,
) -> Result<SettingAnswer, StudioError> {
    let display = device.info().display.value().copied();
    let upright = display.unwrap_or_default().orientation();
    let value = match current {
        Ok(Setting::Night(mode)) => Value::from(mode == "yes"),
        Ok(Setting::FontScale(percent)) => Value::from(f64::from(percent) / 100.0),
        Ok(Setting::Locale { tag, .. }) => Value::from(tag),
        Ok(Setting::Airplane(on)) => Value::from(on),
        Ok(Setting::Rotation(rotation)) => Value::from(direction(rotation, upright)),
        Ok(_) => Value::Null,
        Err(error) if error.is_unreachable() => return Err(Failure::from(error).into()),
        Err(error) => {
            let error = error.to_string();
            return Ok(SettingAnswer::Refused { error });
        }
    };
    Ok(SettingAnswer::Read { value })
}

/// Returns the word that the step `rotate` has for a rotation. `upright` is the device's natural orientation.
/// Quarter turns of four and more begin again.
fn direction(rotation: Rotation, upright: Orientation) -> &'static str {
    let turned = [
        "portrait",
        "landscape",
        "reverse_portrait",
        "reverse_landscape",
    ];
    match (rotation, upright) {
        (Rotation::Sensor, _) => "sensor",
        (Rotation::Fixed(turns), Orientation::Portrait) => turned[usize::from(turns % 4)],
        // The natural orientation of a tablet is landscape.
        (Rotation::Fixed(turns), Orientation::Landscape) => {
            turned[[1, 0, 3, 2][usize::from(turns % 4)]]
        }
    }
}

/// Returns the content of the clipboard, with secrets masked. Refuses while a run is active. Nothing is recorded.
/// An error if the device does not answer within [`READ_TIMEOUT`].
async fn clipboard(State(studio): SharedStudio, Json(_): Json<Value>) -> Answer {
    let text = async {
        if studio.run.is_active() {
            return Err(StudioError::Running);
        }
        let _beside = studio.workspace.connection.lock_shared().await;
        let opened = studio.workspace.connection.opened().await;
        let opened = opened.map_err(Failure::from)?;
        let name = "get_clipboard";
        let entry = find(name).ok_or_else(|| Failure::usage(format!("there is no `{name}`")))?;
        let call = act::call(&studio, None);
        let outcome = entry
            .call(&opened.session, entry.arguments(json!({}))?, &call)
            .await?;
        Ok(outcome.value)
    };
    let mut value = match timeout(READ_TIMEOUT, text).await {
        Ok(value) => value.map_err(|error| answer::to_problem(&studio, error))?,
        Err(_) => return Err(answer::to_problem(&studio, too_slow())),
    };
    studio.scrub(&mut value);
    Ok(Json(value))
}

/// Installs an app that was dropped on the page, and records the step. The file is stored in the project's
/// artifacts first, and stays there if the install fails. `name` and `block` are in the address's query. An error
/// if the file is no APK or too large, or the act fails (see [`act::perform`]). The answer has the steps from
/// `block` on.
async fn install(State(studio): SharedStudio, address: Uri, body: axum::body::Body) -> Answer {
    let query = address.query().unwrap_or_default();
    let part = |name: &str| {
        let mut parts = query.split('&').filter_map(|part| part.split_once('='));
        parts.find_map(|(own, value)| (own == name).then_some(value))
    };
    let block = part("block").and_then(|block| block.parse().ok());
    let block = answer::block(&studio, block);
    let done = async {
        let config = &studio.workspace.config;
        let path = upload::receive(config, part("name").unwrap_or_default(), body).await?;
        let request = ActRequest {
            act: Act::Device {
                control: Control::Install { path },
            },
            seq: None,
        };
        act::perform(&studio, &request).await
    };
    done.await.map_err(|failure: Failure| {
        // The name of the device does not help here, but what it said about the file does.
        let failure = if failure.kind == FailureKind::Infrastructure {
            failure
        } else {
            failure.with_details(["the app was not installed"])
        };
        answer::to_problem(&studio, failure.into())
    })?;
    Ok(Json(answer::recorded(&studio, block)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_a_tools_call() {
        for (control, tool, args) in [
            (
                json!({ "dark": { "on": true } }),
                "set_device",
                json!({ "dark": true }),
            ),
            (
                json!({ "rotate": { "to": "landscape" } }),
                "rotate",
                json!({ "to": "landscape" }),
            ),
            (
                json!({ "stop": { "app": "a.b" } }),
                "stop",
                json!({ "app": "a.b" }),
            ),
            (
                json!({ "grant": { "app": "a.b", "permission": "CAMERA" } }),
                "grant",
                json!({ "app": "a.b", "permission": "CAMERA" }),
            ),
        ] {
            let control: Control = serde_json::from_value(control).unwrap();
            let (name, given, _) = control.call();
            assert_eq!((name, given), (tool, args));
            assert!(find(name).is_some() && control.check().is_ok(), "{name}");
        }
        for wrong in [
            json!({ "install": { "path": "/etc/passwd" } }),
            json!({ "shell": { "argv": ["id"] } }),
        ] {
            assert!(serde_json::from_value::<Control>(wrong).is_err());
        }
        let nobody = Control::Clear { app: String::new() };
        assert!(nobody.check().is_err());
    }

    #[test]
    fn a_rotation_is_told_in_the_steps_words() {
        assert_eq!(
            direction(Rotation::Fixed(1), Orientation::Portrait),
            "landscape"
        );
        assert_eq!(
            direction(Rotation::Fixed(1), Orientation::Landscape),
            "portrait"
        );
        assert_eq!(
            direction(Rotation::Sensor, Orientation::Landscape),
            "sensor"
        );
    }
}
