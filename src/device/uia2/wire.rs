//! What the server is asked and what it answers, as JSON.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::error::Uia2Error;
use super::http::{Answer, Request};
use super::owner::{CAPABILITY, Owner};
use crate::screen::{Rect, Window};
use crate::secret::Excerpt;

/// The settings of a session.
fn settings() -> Value {
    json!({ "settings": {
        // Ten seconds by default, which every look of a restless screen would take.
        "waitForIdleTimeout": 0,
        "waitForSelectorTimeout": 0,
        "actionAcknowledgmentTimeout": 0,
        "enableMultiWindows": true,
        // A wobbly cable would end the server.
        "shutdownOnPowerDisconnect": false,
        // 70 by default, which cuts deep screens.
        "snapshotMaxDepth": 500,
        // Else bounds are cut where an ancestor scrolls, which those of a dump are not.
        "simpleBoundsCalculation": true,
        // Else the screen is kept on for a day.
        "wakeLockTimeout": 0,
    }})
}

/// Begins a session.
pub(super) fn begin(owner: &Owner) -> Request {
    let mut always = serde_json::Map::new();
    always.insert("platformName".to_owned(), "Android".into());
    always.insert(CAPABILITY.to_owned(), owner.to_string().into());
    let capabilities = json!({ "capabilities": { "firstMatch": [{}], "alwaysMatch": always } });
    Request::post("/session", &capabilities)
}

/// What is asked and done in one session.
#[derive(Debug, Clone)]
pub(super) struct SessionPath(String);

impl SessionPath {
    /// `None` where it is no id that a path can hold.
    pub(super) fn new(id: &str) -> Option<Self> {
        let is_plain = (1..=128).contains(&id.len())
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        is_plain.then(|| Self(format!("/session/{id}")))
    }

    pub(super) fn settings(&self) -> Request {
        Request::post(format!("{}/appium/settings", self.0), &settings())
    }

    /// The two halves of a look.
    pub(super) fn look(&self) -> [Request; 2] {
        let windows = format!("{}/appium/list_windows", self.0);
        [
            Request::get(format!("{}/source", self.0)),
            Request::post(windows, &json!({ "skipScreenshots": true })).repeatable(),
        ]
    }

    pub(super) fn actions(&self, sources: Vec<Value>) -> Request {
        Request::post(
            format!("{}/actions", self.0),
            &json!({ "actions": sources }),
        )
    }

    pub(super) fn key(&self, code: u32, meta: u32, long: bool) -> Request {
        let name = if long {
            "long_press_keycode"
        } else {
            "press_keycode"
        };
        let mut body = json!({ "keycode": code });
        if meta != 0 {
            body["metastate"] = meta.into();
        }
        Request::post(format!("{}/appium/device/{name}", self.0), &body)
    }

    /// Into the element that has the focus.
    pub(super) fn text(&self, text: &str) -> Request {
        let body = json!({ "text": text, "replace": true });
        Request::post(format!("{}/keys", self.0), &body)
    }

    pub(super) fn end(&self) -> Request {
        Request::delete(self.0.clone())
    }
}

#[derive(Deserialize)]
struct Envelope<T> {
    value: T,
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    error: String,
    #[serde(default)]
    message: String,
}

/// The value of an answer.
pub(super) fn value<T: DeserializeOwned>(answer: &Answer) -> Result<T, Uia2Error> {
    if answer.status >= 400 {
        return Err(refusal(answer));
    }
    let envelope: Envelope<T> = serde_json::from_slice(&answer.body).map_err(no_json)?;
    Ok(envelope.value)
}

/// Whether the server did it.
pub(super) fn done(answer: &Answer) -> Result<(), Uia2Error> {
    if answer.status >= 400 {
        return Err(refusal(answer));
    }
    Ok(())
}

fn refusal(answer: &Answer) -> Uia2Error {
    let said: Result<Envelope<Refusal>, _> = serde_json::from_slice(&answer.body);
    match said {
        Ok(Envelope { value }) => Uia2Error::Said {
            error: Excerpt::new(&value.error, 60).to_string(),
            message: Excerpt::new(value.message.lines().next().unwrap_or(""), 200).to_string(),
        },
        Err(_) => Uia2Error::Strange {
            why: format!("it answers with HTTP {}", answer.status),
        },
    }
}

fn no_json(why: serde_json::Error) -> Uia2Error {
    // Its words may quote what the screen shows.
    Uia2Error::Strange {
        why: format!("its answer is not as expected (column {})", why.column()),
    }
}

/// The new session.
pub(super) fn begun(answer: &Answer) -> Result<SessionPath, Uia2Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Begun {
        session_id: Option<String>,
    }
    if answer.status >= 400 {
        return Err(refusal(answer));
    }
    let begun: Begun = serde_json::from_slice(&answer.body).map_err(no_json)?;
    let id = begun.session_id.unwrap_or_default();
    SessionPath::new(&id).ok_or_else(|| Uia2Error::Strange {
        why: "it began a session without an id".to_owned(),
    })
}

/// A session of a server.
#[derive(Debug)]
pub(super) struct SessionModel {
    pub(super) id: Option<String>,
    pub(super) capabilities: Value,
}

/// The sessions of a server: one, or none.
pub(super) fn sessions(answer: &Answer) -> Result<Vec<Value>, Uia2Error> {
    value(answer)
}

/// One of them.
pub(super) fn session(value: &Value) -> SessionModel {
    let id = ["id", "sessionId"]
        .iter()
        .find_map(|key| value.get(key).and_then(Value::as_str));
    SessionModel {
        id: id.map(str::to_owned),
        capabilities: value.get("capabilities").cloned().unwrap_or_default(),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WindowModel {
    window_id: Option<i32>,
    #[serde(default)]
    display_id: i32,
    #[serde(default)]
    rect: RectModel,
    #[serde(default, rename = "type")]
    kind: i32,
    title: Option<String>,
    #[serde(default)]
    layer: i32,
    #[serde(default)]
    is_focused: bool,
}

#[derive(Deserialize, Default)]
struct RectModel {
    x: i32,
    y: i32,
    width: i32,
    height: i32,
}

/// The windows of the main display, in the device's order.
pub(super) fn windows(answer: &Answer) -> Result<Vec<Window>, Uia2Error> {
    let models: Vec<WindowModel> = value(answer)?;
    let models = models.into_iter().filter(|model| model.display_id == 0);
    Ok(models
        .filter_map(|model| {
            let RectModel {
                x,
                y,
                width,
                height,
            } = model.rect;
            Some(Window {
                id: model.window_id?,
                kind: kind(model.kind).to_owned(),
                package: String::new(),
                title: model
                    .title
                    .filter(|title| !title.trim().is_empty())
                    .unwrap_or_else(|| "unknown".to_owned()),
                activity: None,
                layer: model.layer,
                focused: model.is_focused,
                bounds: Rect::new(x, y, x.saturating_add(width), y.saturating_add(height)),
            })
        })
        .collect())
}

/// `AccessibilityWindowInfo.TYPE_…`.
fn kind(number: i32) -> &'static str {
    match number {
        1 => "APPLICATION",
        2 => "INPUT_METHOD",
        4 => "ACCESSIBILITY_OVERLAY",
        5 => "SPLIT_SCREEN_DIVIDER",
        6 => "MAGNIFICATION_OVERLAY",
        _ => "SYSTEM",
    }
}
