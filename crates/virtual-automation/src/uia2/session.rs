//! Sessions, their capabilities, and the elements found in them.

#![expect(
    clippy::unnecessary_wraps,
    reason = "all handlers share one signature, and most may fail"
)]

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::call::{Call, FoundElement};
use super::error::{ErrorKind, WireError};
use super::settings::Settings;
use super::{VERSION, VERSION_CODE};

/// Limit for remembered elements. Chosen: the least recently used ones are forgotten.
const MAX_ELEMENTS: usize = 500;
/// Key of an element's id in the W3C protocol.
const W3C_ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// Key of an element's id in the older JSON wire protocol.
const OLD_ELEMENT: &str = "ELEMENT";
/// Capabilities without prefix.
const STANDARD: [&str; 9] = [
    "browserName",
    "browserVersion",
    "platformName",
    "acceptInsecureCerts",
    "pageLoadStrategy",
    "proxy",
    "setWindowRect",
    "timeouts",
    "unhandledPromptBehavior",
];

/// The only session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) capabilities: Map<String, Value>,
    pub(crate) elements: Elements,
}

impl Session {
    pub(super) fn new(capabilities: Map<String, Value>) -> Self {
        let random = fastrand::u128(..);
        let id = uuid((random >> 64) as u64, random as u64);
        Self {
            id,
            capabilities,
            elements: Elements::default(),
        }
    }
}

fn uuid(high: u64, low: u64) -> String {
    let text = format!("{high:016x}{low:016x}");
    format!(
        "{}-{}-{}-{}-{}",
        &text[..8],
        &text[8..12],
        &text[12..16],
        &text[16..20],
        &text[20..]
    )
}

/// Elements by their ids, the most recently used last.
#[derive(Debug, Default)]
pub(crate) struct Elements {
    keys: IndexMap<String, u64>,
}

impl Elements {
    /// Registers an element, and returns its reference for the client, under the old and the new key. The
    /// same view has the same id again. Beyond 500 elements, the one not found for longest is forgotten.
    pub(crate) fn add(&mut self, found: &FoundElement) -> Value {
        // As the server's: the window, and the view in it.
        let id = uuid(u64::from(found.window.unsigned_abs()), found.key);
        self.keys.shift_remove(&id);
        self.keys.insert(id.clone(), found.key);
        if self.keys.len() > MAX_ELEMENTS {
            self.keys.shift_remove_index(0);
        }
        json!({ OLD_ELEMENT: id, W3C_ELEMENT: id })
    }

    pub(crate) fn key(&mut self, id: &str) -> Option<u64> {
        let key = self.keys.shift_remove(id)?;
        self.keys.insert(id.to_owned(), key);
        Some(key)
    }
}

/// Reference to an element in either protocol.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ElementReference {
    #[serde(rename = "element-6066-11e4-a52e-4f735466cecf")]
    w3c: Option<String>,
    #[serde(rename = "ELEMENT", alias = "element")]
    old: Option<String>,
}

impl ElementReference {
    pub(crate) fn id(&self) -> Option<&str> {
        self.old.as_deref().or(self.w3c.as_deref())
    }
}

pub(super) fn status(_call: &Call<'_>) -> Result<Value, WireError> {
    Ok(json!({
        "ready": true,
        "message": "UiAutomator2 Server is ready to accept commands",
        "build": { "version": VERSION, "versionCode": VERSION_CODE },
    }))
}

pub(super) fn list(call: &Call<'_>) -> Result<Value, WireError> {
    Ok(match &*call.server.session() {
        None => json!([]),
        Some(session) => json!([{
            "id": session.id,
            "sessionId": session.id,
            "capabilities": session.capabilities,
        }]),
    })
}

pub(super) fn create(call: &Call<'_>) -> Result<Value, WireError> {
    let made = |error: WireError| WireError::new(ErrorKind::SESSION_NOT_CREATED, error.message);
    let body: Map<String, Value> = call.model().map_err(made)?;
    let Some(given) = body.get("capabilities") else {
        return Err(made(WireError::argument(
            "'capabilities' are mandatory for session creation",
        )));
    };
    let capabilities = merge_capabilities(given).map_err(made)?;
    let mut settings = Settings::default();
    let mut stored = Map::new();
    for (name, value) in capabilities {
        if let Some(known) = Settings::known(&name) {
            settings.set(known, &value).map_err(made)?;
        } else {
            stored.insert(name, value);
        }
    }
    let session = Session::new(stored);
    let answer = json!({ "sessionId": session.id, "capabilities": given });
    *call.server.settings() = settings;
    *call.server.session() = Some(session);
    // Its first search has waited for nothing.
    *call.server.last_miss() = None;
    Ok(answer)
}

/// Merges `alwaysMatch` with the first entry of `firstMatch` that has none of its keys. The prefix `appium:`
/// is removed. Fails if there is no such entry, or if a standard capability has the prefix.
fn merge_capabilities(given: &Value) -> Result<Map<String, Value>, WireError> {
    let object = |value: Option<&Value>| value.and_then(Value::as_object).cloned();
    let always = stripped(object(given.get("alwaysMatch")).unwrap_or_default())?;
    let first = given.get("firstMatch").and_then(Value::as_array);
    let none = vec![Value::Object(Map::new())];
    let first = first.filter(|list| !list.is_empty()).unwrap_or(&none);
    for candidate in first {
        let candidate = stripped(object(Some(candidate)).unwrap_or_default())?;
        if candidate.keys().any(|name| always.contains_key(name)) {
            continue;
        }
        let mut merged = always;
        merged.extend(candidate);
        return Ok(merged);
    }
    Err(WireError::argument(format!(
        "Could not find matching capabilities from {given}"
    )))
}

fn stripped(capabilities: Map<String, Value>) -> Result<Map<String, Value>, WireError> {
    let mut stripped = Map::new();
    for (name, value) in capabilities {
        let Some(short) = name.strip_prefix("appium:") else {
            stripped.insert(name, value);
            continue;
        };
        if STANDARD
            .iter()
            .any(|known| known.eq_ignore_ascii_case(short))
        {
            return Err(WireError::argument(format!(
                "The capabilities [{short}] are standard capabilities and should not have the 'appium' prefix"
            )));
        }
        stripped.insert(short.to_owned(), value);
    }
    Ok(stripped)
}

pub(super) fn delete(_call: &Call<'_>) -> Result<Value, WireError> {
    Ok(Value::Null)
}
