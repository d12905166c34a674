//! System state beside apps: properties, settings, input methods.

use std::collections::{BTreeMap, BTreeSet};

use super::PackageDump;

/// Keyboard that types keys only.
pub(crate) const LATIN_IME: &str = "com.android.inputmethod.latin/.LatinIME";
/// Keyboard that takes text of any script by broadcast, as the well-known `ADBKeyBoard` does.
pub(crate) const BROADCAST_IME: &str = "com.android.adbkeyboard/.AdbIME";

/// Permission that marks a service as a keyboard.
const BIND_INPUT_METHOD: &str = "android.permission.BIND_INPUT_METHOD";

/// Properties, settings and other system state of a running device.
#[derive(Debug)]
pub(crate) struct System {
    /// `getprop`.
    pub(crate) properties: BTreeMap<String, String>,
    /// `settings`, by namespace and key.
    pub(crate) settings: BTreeMap<(String, String), String>,
    /// Input methods; true if enabled.
    pub(crate) input_methods: Vec<(String, bool)>,
    /// Override of `wm size`.
    pub(crate) size_override: Option<(u32, u32)>,
    /// Override of `wm density`.
    pub(crate) density_override: Option<u32>,
    /// The screen is on.
    pub(crate) awake: bool,
    /// `appops`: modes by package and operation.
    pub(crate) operations: BTreeMap<(String, String), String>,
    /// Latitude, longitude and altitude that a test has set.
    pub(crate) location: Option<[f64; 3]>,
    /// Test providers of locations, with the latitude and longitude that each reports.
    pub(crate) test_providers: BTreeMap<String, Option<[f64; 2]>>,
    /// Packages that are exempt from the power saver.
    pub(crate) idle_exceptions: BTreeSet<String>,
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
const SETTINGS: [(&str, &str, &str); 22] = [
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
    ("system", "screen_brightness", "102"),
    ("system", "screen_brightness_mode", "0"),
    ("system", "screen_off_timeout", "60000"),
    ("system", "user_rotation", "0"),
];

/// Properties of a device with app hosts, as its framework reports them.
const HOSTED: [(&str, &str); 4] = [
    (
        "ro.build.fingerprint",
        "runner/virtual/virtual:15/RUNNER/1:user/release-keys",
    ),
    ("ro.build.version.release", "15"),
    ("ro.build.version.sdk", "35"),
    ("ro.product.model", HOSTED_MODEL),
];

/// Model of a device with app hosts. Reports show it.
pub const HOSTED_MODEL: &str = "Android 15's framework on this computer, not a phone";

impl System {
    /// Sets the properties of a device with app hosts.
    pub(crate) fn set_hosted(&mut self) {
        let hosted = HOSTED.map(|(name, value)| (name.to_owned(), value.to_owned()));
        self.properties.extend(hosted);
    }

    /// Returns a phone's first properties and settings, booted and awake, with the program's two keyboards
    /// enabled.
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
            input_methods: vec![
                (LATIN_IME.to_owned(), true),
                (BROADCAST_IME.to_owned(), true),
            ],
            size_override: None,
            density_override: None,
            awake: true,
            operations: BTreeMap::new(),
            location: None,
            test_providers: BTreeMap::new(),
            idle_exceptions: BTreeSet::new(),
        }
    }

    /// Returns a setting's value, or `None` if it was never set.
    pub(crate) fn setting(&self, space: &str, key: &str) -> Option<&str> {
        self.settings
            .get(&(space.to_owned(), key.to_owned()))
            .map(String::as_str)
    }

    /// Stores a setting without any effect on the phone.
    pub(crate) fn put(&mut self, space: &str, key: &str, value: &str) {
        self.settings
            .insert((space.to_owned(), key.to_owned()), value.to_owned());
    }

    /// Updates the list of keyboards after packages were installed or removed: the program's two, then those of APKs.
    /// Ones that were enabled stay enabled; new ones are not. A current keyboard that is gone is replaced as
    /// [`Self::settle_input_method`] does. Operations and idle exceptions of packages that are gone are removed.
    pub(crate) fn settle_packages(&mut self, packages: &[PackageDump]) {
        let is_keyboard =
            |permission: &Option<String>| permission.as_deref() == Some(BIND_INPUT_METHOD);
        let mut methods = vec![LATIN_IME.to_owned(), BROADCAST_IME.to_owned()];
        for package in packages {
            let services = package.apk.iter().flat_map(|apk| &apk.services);
            for service in services.filter(|service| is_keyboard(&service.permission)) {
                let short = service
                    .class
                    .strip_prefix(&package.package)
                    .filter(|rest| rest.starts_with('.'));
                let class = short.unwrap_or(&service.class);
                methods.push(format!("{}/{class}", package.package));
            }
        }
        let before = std::mem::take(&mut self.input_methods);
        self.input_methods = methods
            .into_iter()
            .map(|id| {
                let enabled = before
                    .iter()
                    .any(|(known, enabled)| *known == id && *enabled);
                (id, enabled)
            })
            .collect();
        self.settle_input_method();
        let is_there = |name: &String| packages.iter().any(|package| package.package == *name);
        self.operations.retain(|(package, _), _| is_there(package));
        self.idle_exceptions.retain(is_there);
    }

    /// Falls back to [`LATIN_IME`] if the current keyboard is not enabled or not installed.
    pub(crate) fn settle_input_method(&mut self) {
        let current = self.input_method().to_owned();
        let enabled = self
            .input_methods
            .iter()
            .any(|(id, enabled)| *id == current && *enabled);
        if !enabled {
            self.put("secure", "default_input_method", LATIN_IME);
        }
    }

    /// Returns the keyboard in use, as the setting names it. The default is [`LATIN_IME`].
    pub(crate) fn input_method(&self) -> &str {
        self.setting("secure", "default_input_method")
            .unwrap_or(LATIN_IME)
    }
}
