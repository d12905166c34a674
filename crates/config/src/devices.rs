//! The setting `devices`. It is the only one whose sources are merged: the entry of `runner.yaml` for a
//! device applies even if the device was chosen by an argument.

use serde_json::{Value, json};

use super::device_spec::DeviceSpec;
use super::error::ConfigError;
use super::layers::{Layers, SourceContext};
use super::project_device::ProjectDevice;
use super::small_schemas::{map, text};
use super::spec::{Kind, Spec};
use super::value_error::ValueError;
use super::webdriver::{self, MAX_SESSIONS};
use super::{Origin, Setting};
use runner_base::context::Context;
use runner_device::DriverChoice;
use runner_flow::duration;

/// Kind of the setting `devices`.
pub struct Devices;

impl Kind for Devices {
    type RawValue = Vec<ProjectDevice>;
    type Value = Vec<DeviceSpec>;

    /// Allows one serial, or a list of serials and maps. No serial is empty.
    fn schema(about: &str) -> Value {
        json!({
            "description": about,
            "anyOf": [
                { "type": "string", "minLength": 1 },
                { "type": "array", "items": { "anyOf": [{ "type": "string", "minLength": 1 }, device_schema()] } },
            ],
        })
    }

    /// Takes a text as the serial of the only device. It is not checked, so there is no error.
    fn read(text: &str) -> Result<Self::RawValue, ValueError> {
        let serial = text.to_owned();
        Ok(vec![ProjectDevice {
            serial,
            ..ProjectDevice::default()
        }])
    }

    fn problems(given: &Self::RawValue) -> Vec<(String, String)> {
        let each = given.iter().enumerate();
        each.filter_map(|(index, device)| Some((index.to_string(), device.problem()?.to_owned())))
            .collect()
    }

    fn value(given: &Self::RawValue, source: &SourceContext) -> Option<Self::Value> {
        Some(listed(Some(given), source.layers.context)).filter(|listed| !listed.is_empty())
    }

    /// Shows the devices' names; without any it says that the only one connected is meant.
    fn show(value: &Self::Value) -> Option<String> {
        if value.is_empty() {
            return Some("the only one connected".to_owned());
        }
        let names: Vec<&str> = value.iter().map(|device| device.name.as_str()).collect();
        Some(names.join(", "))
    }

    /// Resolves the names of devices, then replaces each name by the entries of `runner.yaml` for it: the one
    /// with this serial or name, else all with this label, else only the name. Names of the command line come
    /// before the setting's own variable, that before `ANDROID_SERIAL`, and that before `runner.yaml`, whose
    /// list stays as it is.
    fn resolve(
        spec: &Spec<Self>,
        layers: &Layers,
        of_file: Option<&Self::RawValue>,
        _: Option<&Self::RawValue>,
    ) -> Result<Setting<Self::Value>, ConfigError> {
        let mut setting = spec.resolve(layers, of_file, None)?;
        let is_unsaid = !matches!(setting.origin, Origin::Environment(_));
        // The variable of adb itself.
        let serial = "ANDROID_SERIAL";
        if let Some(name) = layers.context.variable(serial).filter(|_| is_unsaid) {
            setting = Setting {
                value: vec![DeviceSpec::named(name)],
                origin: Origin::Environment(serial),
            };
        }
        let arguments = layers.devices;
        if !arguments.is_empty() {
            setting = Setting {
                value: arguments
                    .iter()
                    .map(|name| DeviceSpec::named(name))
                    .collect(),
                origin: Origin::CommandLine,
            };
        }
        // A list from the file stays as it is: it may contain `virtual` several times.
        if matches!(setting.origin, Origin::File { .. }) {
            return Ok(setting);
        }
        let entries = of_file.into_iter().flatten();
        let entries: Vec<Vec<DeviceSpec>> =
            entries.map(|entry| wanted(entry, layers.context)).collect();
        let known = |device: DeviceSpec| {
            let mut listed = entries.iter().flatten();
            if let Some(found) = listed.find(|listed| listed.name == device.name) {
                return vec![found.clone()];
            }
            let named: Vec<DeviceSpec> = entries
                .iter()
                .filter(|devices| is_called(devices, &device.name))
                .flatten()
                .cloned()
                .collect();
            if named.is_empty() {
                vec![device]
            } else {
                named
            }
        };
        Ok(Setting {
            value: setting.value.into_iter().flat_map(known).collect(),
            origin: setting.origin,
        })
    }
}

/// Converts all entries of the file, chosen or not, in their order. Empty without any.
pub(super) fn listed(given: Option<&Vec<ProjectDevice>>, context: &Context) -> Vec<DeviceSpec> {
    let wanted = |device| wanted(device, context);
    given.into_iter().flatten().flat_map(wanted).collect()
}

/// Returns true if `name` is the label of an entry with these devices: that of its only device, or what the sessions
/// `LABEL-1` and on share.
fn is_called(devices: &[DeviceSpec], name: &str) -> bool {
    match devices {
        [] => false,
        [only] => only.label.as_deref() == Some(name),
        [first, ..] => first.name.strip_suffix("-1") == Some(name),
    }
}

/// Converts an entry to a device, or, if it has `webdriver`, to one for each session of that server.
fn wanted(device: &ProjectDevice, context: &Context) -> Vec<DeviceSpec> {
    if let Some(url) = &device.webdriver {
        return webdriver::devices(device, url, context);
    }
    vec![DeviceSpec {
        name: device.serial.clone(),
        label: device.label.clone(),
        render_class: device.render_class.clone(),
        variant: device.variant.clone(),
        driver: device.driver,
        tags: device.tags.clone(),
        webdriver: None,
    }]
}

/// Returns the schema of a map in `devices`.
fn device_schema() -> Value {
    map(
        "A device with more than its serial, or one of a WebDriver server.",
        json!({
            "serial": text("Serial as adb knows it, or `virtual`."),
            "render_class": text("Class of the goldens, where it is not to be found from the device."),
            "variant": { "type": "string", "pattern": "^[A-Za-z0-9_-]{1,128}$", "description": "Variant of the goldens it uses, instead of what `snapshot.variants` says." },
            "label": text("Name in reports; the serial by default."),
            "driver": <DriverChoice as Kind>::schema("How it is looked at and touched, instead of what `driver` says."),
            "tags": { "type": "array", "items": { "type": "string", "minLength": 1 }, "description": "Words by which flows say what they need." },
            "webdriver": text("Address of the Appium server, Selenium Grid or cloud that has it, instead of a serial; `${os.NAME}` is a variable of the environment."),
            "capabilities": { "type": "object", "description": "What the server is asked for; names without a prefix are Appium's. `${os.NAME}` is a variable of the environment." },
            "app": text("The app that the server installs: a path or address as the server or cloud takes it (`appium:app`)."),
            "user": text("Whom the server knows, such as `${os.CLOUD_USER}`; secret."),
            "key": text("That user's key or password, such as `${os.CLOUD_KEY}`; secret."),
            "sessions": { "type": "integer", "minimum": 1, "maximum": MAX_SESSIONS, "description": "So many devices of the server, with the labels LABEL-1 and on; 1 by default." },
            "session": { "type": "string", "enum": ["run", "flow"], "description": "How long a session lasts: the whole run (the default), or one flow." },
            "cloud": { "type": "string", "enum": ["browserstack", "sauce", "lambdatest", "none"], "description": "Whose server it is, and so how it is told of the flows; its address tells it else." },
            "session_timeout": duration("How long a session is waited for where none is free; 2m by default."),
        }),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use camino::Utf8PathBuf;

    use super::*;
    use crate::{Config, Overrides};

    #[test]
    fn a_name_of_the_command_line_stands_for_the_entries_that_have_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        let file = "devices:\n  - { webdriver: 'http://a', label: pixel-8 }\n  - { webdriver: 'http://a', label: pixel-9 }\n  \
                    - { webdriver: 'http://b', label: farm, sessions: 2 }\n  - { webdriver: 'http://hub.example/wd', sessions: 2 }\n  \
                    - { serial: R58, label: phone }\n  - { serial: R59, label: phone }\n";
        fs_err::write(root.join("runner.yaml"), file).unwrap();
        let context = Context::fixed(root, BTreeMap::new());
        for (name, expected) in [
            ("pixel-8", &["pixel-8"][..]),
            ("farm", &["farm-1", "farm-2"]),
            ("farm-2", &["farm-2"]),
            ("hub.example", &["hub.example-1", "hub.example-2"]),
            ("phone", &["R58", "R59"]),
            ("R59", &["R59"]),
            // No entry has these.
            ("pixel", &["pixel"]),
            ("farm-3", &["farm-3"]),
            ("fa", &["fa"]),
        ] {
            let overrides = Overrides {
                devices: vec![name.to_owned()],
                ..Overrides::default()
            };
            let devices = Config::resolve(&context, &overrides)
                .unwrap()
                .settings
                .devices;
            let names: Vec<&str> = devices.value.iter().map(|it| it.name.as_str()).collect();
            assert_eq!(names, expected, "{name}");
        }
    }
}
