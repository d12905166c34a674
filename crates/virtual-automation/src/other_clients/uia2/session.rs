//! Routes that describe a session.

#![expect(
    clippy::unnecessary_wraps,
    reason = "all handlers share one signature, and most may fail"
)]

use serde_json::{Value, json};

use crate::uia2::call::Call;
use crate::uia2::error::WireError;
use crate::uia2::settings::{SETTINGS, SettingValue};

pub(super) fn details(_call: &Call<'_>) -> Result<Value, WireError> {
    Ok(json!({ "lastScrollData": null }))
}

/// Returns all settings with their present values.
pub(super) fn settings(call: &Call<'_>) -> Result<Value, WireError> {
    let settings = call.server.settings();
    let all = SETTINGS.iter().map(|(name, value)| {
        let value = match value {
            SettingValue::Flag(_) => Value::from(settings.is_on(name)),
            SettingValue::Number(_) => Value::from(settings.number(name)),
            SettingValue::Text(_) => Value::from(settings.text(name)),
        };
        ((*name).to_owned(), value)
    });
    Ok(Value::Object(all.collect()))
}
