//! Features that not every phone has. The device lists its own, so that no code depends on the kind of a
//! device.

use std::collections::BTreeSet;

/// Feature that not every phone has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// The device has its own time, which passes only with looks and commands, and which each answer reports.
    VirtualClock,
    /// The log is complete for a step once the step's command has ended. Later lines may still come.
    ImmediateLog,
    /// The shell reads and sets the clipboard: `cmd runner clipboard`.
    ShellClipboard,
    /// The shell lists the names of apps that people see: `cmd runner labels`.
    AppLabels,
    /// The shell sets the language of the system.
    SystemLocale,
    /// The shell sets the location on every API level.
    Places,
    /// The device renders A2UI messages.
    A2ui,
}

/// Names of the features in the property `ro.runner.offers`.
const NAMES: [(&str, Feature); 7] = [
    ("virtual-clock", Feature::VirtualClock),
    ("immediate-log", Feature::ImmediateLog),
    ("clipboard", Feature::ShellClipboard),
    ("labels", Feature::AppLabels),
    ("locale", Feature::SystemLocale),
    ("places", Feature::Places),
    ("a2ui", Feature::A2ui),
];

/// Set of the features that a device has beyond those of phones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Features(BTreeSet<Feature>);

impl Features {
    /// Returns all features, as the built-in virtual device has them.
    pub fn all() -> Self {
        Self(NAMES.iter().map(|(_, feature)| *feature).collect())
    }

    /// Parses `ro.runner.offers`: names with commas. Unknown names, of another version, are ignored.
    pub(crate) fn read(property: &str) -> Self {
        let named = |name: &str| NAMES.iter().find(|(known, _)| *known == name);
        let found = property.split(',').filter_map(|name| named(name.trim()));
        Self(found.map(|(_, feature)| *feature).collect())
    }

    /// Returns true if the set contains the feature.
    pub(crate) fn has(&self, feature: Feature) -> bool {
        self.0.contains(&feature)
    }

    pub(crate) fn remove(&mut self, feature: Feature) {
        self.0.remove(&feature);
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
