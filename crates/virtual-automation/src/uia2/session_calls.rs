//! Begins, lists and ends sessions, and changes their settings.

#![expect(
    clippy::unnecessary_wraps,
    reason = "all handlers share one signature, and most may fail"
)]

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::call::Call;
use super::error::{ErrorKind, WireError};
use super::session::Session;
use super::settings::Settings;

/// Version reported by `/status`.
const VERSION: &str = "10.6.6";
/// The same version as a number.
const VERSION_CODE: u32 = 278;
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

/// Returns that the server is ready, which it always is.
pub(super) fn status(_call: &Call<'_>) -> Result<Value, WireError> {
    Ok(json!({
        "ready": true,
        "message": "UiAutomator2 Server is ready to accept commands",
        "build": { "version": VERSION, "versionCode": VERSION_CODE },
    }))
}

/// Returns the present session in a list, or an empty list.
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

/// Begins a session, in place of an earlier one, with default settings and those among the capabilities. Bad or
/// missing capabilities are `session not created` and leave the earlier session. The answer has the capabilities as
/// they were sent.
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

/// Removes the prefix `appium:` from names; an error for a standard capability that has it.
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

/// Sets values. Unknown names, also in other case, are logged and skipped. A bad value is an error, and those before
/// it stay set.
pub(super) fn update_settings(call: &Call<'_>) -> Result<Value, WireError> {
    #[derive(Deserialize)]
    struct Body {
        settings: Map<String, Value>,
    }
    let body: Body = call.model()?;
    for (name, value) in &body.settings {
        match Settings::known(name).filter(|known| known == name) {
            Some(known) => call.server.settings().set(known, value)?,
            None => call.log(&format!("Setting '{name}' is not known -> skipped")),
        }
    }
    Ok(Value::Null)
}
