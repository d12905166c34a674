//! Drivers: ways to read a device's screen, to touch it and to type on it.

/// How a device is looked at and touched.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DriverKind {
    /// Android's own commands: `uiautomator dump`, `input`.
    Stock,
    /// Appium's UiAutomator2 server on the device.
    Uia2,
    /// A WebDriver server that has the device: Appium, Selenium Grid, a device cloud.
    Webdriver,
}

impl DriverKind {
    /// Name in settings and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Uia2 => "uia2",
            Self::Webdriver => "webdriver",
        }
    }
}

impl std::fmt::Display for DriverKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Driver as a person chose it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriverChoice {
    /// `uia2` if its server is installed, else `stock`. Installs nothing.
    #[default]
    Auto,
    Stock,
    /// `uia2`; installs its server if it is missing.
    Uia2,
}

impl DriverChoice {
    /// All choices, the default first.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Stock, Self::Uia2];

    /// Name in settings and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Stock => "stock",
            Self::Uia2 => "uia2",
        }
    }
}
