//! Description of a device.

use runner_screen::Display;

use super::{Clock, DriverKind, Feature, Features, KindNames, NoAnswer, Reading, VirtualMark};

/// What a device says of itself, asked once a session in one round trip; what it does not answer is asked again.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct DeviceInfo {
    /// Serial by which adb knows it; `virtual` for the built-in one.
    pub serial: String,
    /// `ro.product.model`.
    pub model: Reading<String>,
    /// `ro.product.manufacturer`.
    pub manufacturer: String,
    /// `ro.build.version.release`.
    pub release: Reading<String>,
    /// `ro.build.version.sdk`.
    pub sdk: Reading<u32>,
    /// Physical display with `Override size:` and density applied, unrotated.
    pub display: Reading<Display>,
    /// Locale tag such as `en-US`.
    pub locale: Reading<String>,
    /// Night mode on.
    pub dark: Reading<bool>,
    /// Font scale in percent; 100 is normal.
    pub font_scale_percent: Reading<u32>,
    /// Whether it is an emulator (`ro.kernel.qemu`, `ro.boot.qemu`).
    pub emulator: bool,
    /// Whether it is this program's virtual device (`ro.runner.virtual`).
    #[schemars(with = "bool")]
    pub virtual_device: VirtualMark,
    /// Features beyond those of phones (`ro.runner.offers`). They are not part of saved descriptions.
    #[serde(skip)]
    #[schemars(skip)]
    pub features: Features,
    /// How it is looked at and touched, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<DriverKind>,
}

impl DeviceInfo {
    /// Returns the questions that the device did not answer: first model, release and language, then API
    /// level and font scale, then display and dark theme. Empty if all were answered; a reported lack of a
    /// value is an answer.
    pub fn open_questions(&self) -> Vec<&NoAnswer> {
        fn open<T>(reading: &Reading<T>) -> Option<&NoAnswer> {
            match reading {
                Reading::NotAnswered(question) => Some(question),
                Reading::Said(_) | Reading::SaidNone => None,
            }
        }
        let Self {
            serial: _,
            model,
            manufacturer: _,
            release,
            sdk,
            display,
            locale,
            dark,
            font_scale_percent,
            emulator: _,
            virtual_device: _,
            features: _,
            driver: _,
        } = self;
        let texts = [model, release, locale].map(open);
        let numbers = [sdk, font_scale_percent].map(open);
        let others = [open(display), open(dark)];
        texts
            .into_iter()
            .chain(numbers)
            .chain(others)
            .flatten()
            .collect()
    }

    /// Returns true if the device reports the feature.
    pub fn offers(&self, feature: Feature) -> bool {
        self.features.has(feature)
    }

    /// Creates the clock that fits the device: one that follows its reports if it has a virtual clock, else
    /// that of this computer.
    pub fn clock(&self) -> Clock {
        if self.offers(Feature::VirtualClock) {
            Clock::reported()
        } else {
            Clock::host()
        }
    }

    /// Returns the one of `names` for the device's kind. A virtual device that calls itself an emulator counts as
    /// virtual.
    pub fn kind_name<'a>(&self, names: KindNames<'a>) -> &'a str {
        self.virtual_device.kind_name(self.emulator, names)
    }
}
