//! What the system remembers beside apps: properties, settings, input methods.

use std::collections::BTreeMap;

/// The keyboard that types keys only.
pub(crate) const LATIN_IME: &str = "com.android.inputmethod.latin/.LatinIME";
/// A keyboard that takes text of any script by broadcast, as the well-known `ADBKeyBoard` does.
pub(crate) const BROADCAST_IME: &str = "com.android.adbkeyboard/.AdbIME";

/// Properties and settings of a running device.
#[derive(Debug)]
pub(crate) struct System {
    /// `getprop`.
    pub(crate) properties: BTreeMap<String, String>,
    /// `settings`, by namespace and key.
    pub(crate) settings: BTreeMap<(String, String), String>,
    /// Input methods with whether they are enabled.
    pub(crate) input_methods: Vec<(&'static str, bool)>,
    /// `wm size`'s override.
    pub(crate) size_override: Option<(u32, u32)>,
    /// `wm density`'s override.
    pub(crate) density_override: Option<u32>,
}

/// Properties of every virtual device.
const PROPERTIES: [(&str, &str); 28] = [
    ("dev.bootcomplete", "1"),
    ("init.svc.adbd", "running"),
    ("init.svc.bootanim", "stopped"),
    ("persist.sys.timezone", "UTC"),
    ("persist.sys.locale", "en"),
    ("ro.board.platform", "virtual"),
    ("ro.boot.hardware", "virtual"),
    ("ro.build.characteristics", "default"),
    ("ro.build.date.utc", "1700000000"),
    (
        "ro.build.fingerprint",
        "runner/virtual/virtual:14/RUNNER/1:user/release-keys",
    ),
    ("ro.build.id", "RUNNER"),
    ("ro.build.tags", "release-keys"),
    ("ro.build.type", "user"),
    ("ro.build.version.codename", "REL"),
    ("ro.build.version.incremental", "1"),
    ("ro.build.version.release", "14"),
    ("ro.build.version.sdk", "34"),
    ("ro.build.version.security_patch", "2023-11-05"),
    ("ro.debuggable", "0"),
    ("ro.hardware", "virtual"),
    ("ro.product.brand", "runner"),
    ("ro.product.cpu.abi", "arm64-v8a"),
    ("ro.product.cpu.abilist", "arm64-v8a"),
    ("ro.product.device", "virtual"),
    ("ro.product.manufacturer", "runner"),
    ("ro.product.model", "virtual1"),
    ("ro.product.name", "virtual"),
    ("ro.runner.virtual", "1"),
];

/// Settings of every virtual device.
const SETTINGS: [(&str, &str, &str); 19] = [
    ("global", "adb_enabled", "1"),
    ("global", "airplane_mode_on", "0"),
    ("global", "animator_duration_scale", "1.0"),
    ("global", "bluetooth_on", "0"),
    ("global", "device_provisioned", "1"),
    ("global", "mobile_data", "1"),
    ("global", "stay_on_while_plugged_in", "0"),
    ("global", "transition_animation_scale", "1.0"),
    ("global", "wifi_on", "1"),
    ("global", "window_animation_scale", "1.0"),
    ("secure", "android_id", "9774d56d682e549c"),
    ("secure", "default_input_method", LATIN_IME),
    ("secure", "location_mode", "3"),
    ("secure", "show_ime_with_hard_keyboard", "0"),
    ("secure", "ui_night_mode", "1"),
    ("secure", "user_setup_complete", "1"),
    ("system", "accelerometer_rotation", "0"),
    ("system", "font_scale", "1.0"),
    ("system", "user_rotation", "0"),
];

impl System {
    pub(crate) fn new(serial: &str, density: u32) -> Self {
        let mut properties: BTreeMap<String, String> = PROPERTIES
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        properties.insert("ro.serialno".to_owned(), serial.to_owned());
        properties.insert("ro.boot.serialno".to_owned(), serial.to_owned());
        properties.insert("ro.sf.lcd_density".to_owned(), density.to_string());
        for name in ["sys.boot_completed", "ro.adb.secure"] {
            properties.insert(name.to_owned(), "1".to_owned());
        }
        let settings = SETTINGS
            .iter()
            .map(|(space, key, value)| {
                (
                    ((*space).to_owned(), (*key).to_owned()),
                    (*value).to_owned(),
                )
            })
            .collect();
        Self {
            properties,
            settings,
            input_methods: vec![(LATIN_IME, true), (BROADCAST_IME, true)],
            size_override: None,
            density_override: None,
        }
    }

    /// A setting's value.
    pub(crate) fn setting(&self, space: &str, key: &str) -> Option<&str> {
        self.settings
            .get(&(space.to_owned(), key.to_owned()))
            .map(String::as_str)
    }

    /// Keeps a setting.
    pub(crate) fn put(&mut self, space: &str, key: &str, value: &str) {
        self.settings
            .insert((space.to_owned(), key.to_owned()), value.to_owned());
    }

    /// The input method in use.
    pub(crate) fn input_method(&self) -> &str {
        self.setting("secure", "default_input_method")
            .unwrap_or(LATIN_IME)
    }
}
