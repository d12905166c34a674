//! Features of a device that not every phone has, so that nothing asks what a device is. The device names them itself.

use std::collections::BTreeSet;

use super::{Clock, DeviceInfo};

/// A feature that not every phone has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// Its time is its own: it passes with looks and commands only, and each answer reports it.
    VirtualClock,
    /// The log holds everything that a step caused once the step's command has ended.
    ImmediateLog,
    /// The shell reads and sets the clipboard: `cmd runner clipboard`.
    ShellClipboard,
    /// The shell lists the names of apps that people see: `cmd runner labels`.
    AppLabels,
    /// The shell sets the language of the system.
    SystemLocale,
    /// The shell sets the place at any release.
    Places,
    /// It renders A2UI messages.
    A2ui,
}

/// The features, by the names that `ro.runner.offers` has.
const NAMES: [(&str, Feature); 7] = [
    ("virtual-clock", Feature::VirtualClock),
    ("immediate-log", Feature::ImmediateLog),
    ("clipboard", Feature::ShellClipboard),
    ("labels", Feature::AppLabels),
    ("locale", Feature::SystemLocale),
    ("places", Feature::Places),
    ("a2ui", Feature::A2ui),
];

/// What a device offers beside what phones do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Features(BTreeSet<Feature>);

impl Features {
    /// All of them, as the built-in virtual device offers them.
    pub fn all() -> Self {
        Self(NAMES.iter().map(|(_, feature)| *feature).collect())
    }

    /// Reads `ro.runner.offers`: names with commas between them. Another version's names are left out.
    pub(crate) fn read(property: &str) -> Self {
        let named = |name: &str| NAMES.iter().find(|(known, _)| *known == name);
        let found = property.split(',').filter_map(|name| named(name.trim()));
        Self(found.map(|(_, feature)| *feature).collect())
    }

    /// Takes a feature away.
    pub(crate) fn remove(&mut self, feature: Feature) {
        self.0.remove(&feature);
    }
}

impl DeviceInfo {
    /// Whether the device has a feature.
    pub fn offers(&self, feature: Feature) -> bool {
        self.features.0.contains(&feature)
    }

    /// A clock as the device needs it.
    pub fn clock(&self) -> Clock {
        if self.offers(Feature::VirtualClock) {
            Clock::reported()
        } else {
            Clock::host()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_offers_what_it_names() {
        let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
        assert_eq!(Features::read(&names.join(",")), Features::all());
        assert_eq!(Features::read(""), Features::default());
        assert_eq!(
            Features::read("a2ui, of-tomorrow"),
            Features([Feature::A2ui].into())
        );
    }
}
