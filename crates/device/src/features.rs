//! Features of a device that not every phone has, so that nothing asks what a device is.

use super::DeviceInfo;

/// A feature that not every phone has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Its time passes with looks and commands only: waits count looks, and real time brings nothing new.
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
    /// All scripts have one process id, so a process is named by its tool.
    SharedProcessId,
    /// It renders A2UI messages.
    A2ui,
}

impl DeviceInfo {
    /// Whether the device has a feature.
    pub fn offers(&self, feature: Feature) -> bool {
        match feature {
            Feature::VirtualClock
            | Feature::ImmediateLog
            | Feature::ShellClipboard
            | Feature::AppLabels
            | Feature::SystemLocale
            | Feature::Places
            | Feature::SharedProcessId
            | Feature::A2ui => self.virtual_device,
        }
    }
}
