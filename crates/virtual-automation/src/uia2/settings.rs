//! The server's settings.

use std::collections::BTreeMap;

use serde_json::Value;

use super::error::WireError;

/// A value. Later values must be of the same variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingValue {
    Flag(bool),
    Number(i64),
    Text(&'static str),
}

/// All settings with their initial values.
pub(crate) static SETTINGS: [(&str, SettingValue); 35] = {
    use SettingValue::{Flag, Number, Text};
    [
        ("actionAcknowledgmentTimeout", Number(3000)),
        ("allowInvisibleElements", Flag(false)),
        ("alwaysTraversableViewClasses", Text("")),
        ("currentDisplayId", Number(0)),
        ("deferAccessibilityCacheReset", Flag(false)),
        ("disableIdLocatorAutocompletion", Flag(false)),
        ("elementResponseAttributes", Text("name,text")),
        ("enableMultiWindows", Flag(false)),
        ("enableNotificationListener", Flag(true)),
        ("enableTopmostWindowFromActivePackage", Flag(false)),
        ("enforceXPath1", Flag(false)),
        ("ignoreUnimportantViews", Flag(false)),
        ("includeA11yActionsInPageSource", Flag(false)),
        ("includeExtraRenderingInfo", Flag(false)),
        ("includeExtrasInPageSource", Flag(false)),
        ("keyInjectionDelay", Number(0)),
        ("limitXPathContextScope", Flag(true)),
        ("mapTestTagToResourceId", Flag(false)),
        ("mjpegBilinearFiltering", Flag(false)),
        ("mjpegScalingFactor", Number(50)),
        ("mjpegServerFramerate", Number(10)),
        ("mjpegServerPort", Number(7810)),
        ("mjpegServerScreenshotQuality", Number(50)),
        ("normalizeTagNames", Flag(false)),
        ("scrollAcknowledgmentTimeout", Number(200)),
        ("serverPort", Number(6790)),
        ("shouldUseCompactResponses", Flag(true)),
        ("shutdownOnPowerDisconnect", Flag(true)),
        ("simpleBoundsCalculation", Flag(false)),
        ("snapshotMaxDepth", Number(70)),
        ("trackScrollEvents", Flag(true)),
        ("useResourcesForOrientationDetection", Flag(false)),
        ("waitForIdleTimeout", Number(10_000)),
        ("waitForSelectorTimeout", Number(10_000)),
        ("wakeLockTimeout", Number(86_400_000)),
    ]
};

/// Values changed by the client.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    set: BTreeMap<&'static str, Value>,
}

impl Settings {
    /// Returns the spelling of a setting by a name that ignores case, as capabilities may be written either
    /// way. `None` if it is unknown.
    pub(crate) fn known(name: &str) -> Option<&'static str> {
        SETTINGS
            .iter()
            .map(|(known, _)| *known)
            .find(|known| known.eq_ignore_ascii_case(name))
    }

    /// Returns the default of a setting by its exact name; `None` for any other.
    fn first(name: &str) -> Option<&'static SettingValue> {
        SETTINGS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// Returns true if the flag is set, or on by default. False for an unknown name or another kind of value.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        match self.set.get(name) {
            Some(value) => value.as_bool().unwrap_or(false),
            None => Self::first(name) == Some(&SettingValue::Flag(true)),
        }
    }

    /// Returns the number that is set, or the default; 0 for an unknown name or another kind of value.
    pub(crate) fn number(&self, name: &str) -> i64 {
        match (self.set.get(name), Self::first(name)) {
            (Some(value), _) => value.as_i64().unwrap_or(0),
            (None, Some(SettingValue::Number(number))) => *number,
            _ => 0,
        }
    }

    /// Returns the text that is set, or the default; empty for an unknown name or another kind of value.
    pub(crate) fn text(&self, name: &str) -> String {
        match (self.set.get(name), Self::first(name)) {
            (Some(value), _) => value.as_str().unwrap_or_default().to_owned(),
            (None, Some(SettingValue::Text(text))) => (*text).to_owned(),
            _ => String::new(),
        }
    }

    /// Sets a value. A value of another type is an error. A number is cut to a whole one. An unsupported value,
    /// another display or a depth outside of 1 to 500, changes nothing, as on phones.
    pub(crate) fn set(&mut self, name: &'static str, value: &Value) -> Result<(), WireError> {
        let fits = match Self::first(name) {
            Some(SettingValue::Flag(_)) => value.is_boolean(),
            Some(SettingValue::Number(_)) => value.is_number(),
            Some(SettingValue::Text(_)) => value.is_string(),
            None => false,
        };
        if !fits {
            return Err(WireError::argument(format!(
                "Invalid '{name}' setting value type. Got: {value}. Expected: {}.",
                match Self::first(name) {
                    Some(SettingValue::Flag(_)) => "java.lang.Boolean",
                    Some(SettingValue::Text(_)) => "java.lang.String",
                    _ => "java.lang.Integer",
                }
            )));
        }
        let value = match value.as_f64() {
            Some(number) => Value::from(number as i64),
            None => value.clone(),
        };
        let possible = match name {
            "snapshotMaxDepth" => (1..=500).contains(&value.as_i64().unwrap_or(0)),
            "currentDisplayId" => value.as_i64() == Some(0),
            _ => true,
        };
        if possible {
            self.set.insert(name, value);
        }
        Ok(())
    }
}
