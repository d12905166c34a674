//! What a server does for a device whose shell may be out of reach: apps, settings, the clipboard, the log, recordings.
//!
//! A device without such a server does all of it by its shell; see the modules that ask [`super::Device::system`].

use std::path::Path;
use std::time::Duration;

use super::DeviceError;
use super::settings::Setting;
use runner_screen::Display;

/// Which panel of the system to open or close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panel {
    /// Opens the notification shade.
    Notifications,
    /// Opens quick settings.
    QuickSettings,
    /// Closes both.
    None,
}

/// An installed app as a server reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerApp {
    /// Package.
    pub package: String,
    /// `versionCode`, where it is reported.
    pub version_code: Option<u64>,
}

/// Something that people do with a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ability {
    /// What, in a few words.
    pub what: &'static str,
    /// What is missing for it, where it cannot be done.
    pub missing: Option<String>,
}

/// The commands of a server. Packages and permissions are as the caller checked them; an error says what cannot be done.
#[async_trait::async_trait]
pub trait ServerSystem: Send + Sync {
    /// Whether the device's shell can be used too, for what a server has no commands for.
    fn has_shell(&self) -> bool;

    /// What the server can and cannot do, as far as it reports that.
    fn abilities(&self) -> Vec<Ability>;

    /// Launches an app: the activity of `component`, else the one that the launcher starts. `extras` are words of
    /// `am start`, such as `--es name text`.
    async fn launch(
        &self,
        package: &str,
        component: Option<&str>,
        extras: &[String],
    ) -> Result<(), DeviceError>;

    /// Ends an app.
    async fn stop(&self, package: &str) -> Result<(), DeviceError>;

    /// Forgets an app's data.
    async fn clear(&self, package: &str) -> Result<(), DeviceError>;

    /// Grants each run-time permission that the app asks for.
    async fn grant_all(&self, package: &str) -> Result<(), DeviceError>;

    /// Grants or revokes a run-time permission, by its whole name.
    async fn set_permission(
        &self,
        package: &str,
        permission: &str,
        granted: bool,
    ) -> Result<(), DeviceError>;

    /// Opens a link; with a package, in that app.
    async fn open_link(&self, link: &str, package: Option<&str>) -> Result<(), DeviceError>;

    /// Installs an APK that is a file of this computer.
    async fn install(&self, source: &Path) -> Result<(), DeviceError>;

    /// Removes an app and its data.
    async fn uninstall(&self, package: &str) -> Result<(), DeviceError>;

    /// All installed apps.
    async fn apps(&self) -> Result<Vec<ServerApp>, DeviceError>;

    /// Whether the app runs.
    async fn is_running(&self, package: &str) -> Result<bool, DeviceError>;

    /// Package and activity in front.
    async fn foreground(&self) -> Result<Option<(String, String)>, DeviceError>;

    /// The display as it is turned now.
    async fn display(&self) -> Result<Option<Display>, DeviceError>;

    /// Opens or closes a panel of the system.
    async fn panel(&self, panel: Panel) -> Result<(), DeviceError>;

    /// The clipboard's text; `None` where it holds none.
    async fn clipboard(&self) -> Result<Option<String>, DeviceError>;

    /// Sets the clipboard's text.
    async fn set_clipboard(&self, text: &str) -> Result<(), DeviceError>;

    /// Types text of any script where the cursor is.
    async fn type_text(&self, text: &str, limit: Duration) -> Result<(), DeviceError>;

    /// The device's log since it was last cleared, as `logcat -v threadtime` prints it.
    async fn log(&self, limit: Duration) -> Result<String, DeviceError>;

    /// Forgets the log.
    async fn clear_log(&self) -> Result<(), DeviceError>;

    /// The device's clock, as ISO 8601 with its offset from UTC.
    async fn clock(&self) -> Result<String, DeviceError>;

    /// Begins a video of the screen, of at most `longest`.
    async fn start_recording(&self, longest: Duration) -> Result<(), DeviceError>;

    /// Ends it, and gives the video (MP4).
    async fn stop_recording(&self, limit: Duration) -> Result<Vec<u8>, DeviceError>;

    /// The present value of the kind that `wanted` is of. `None`: its shell has to be asked.
    async fn setting(&self, wanted: &Setting) -> Result<Option<Setting>, DeviceError>;

    /// Changes a setting. `false`: its shell has to do it, and nothing was sent.
    async fn set(&self, setting: &Setting) -> Result<bool, DeviceError>;

    /// Lets time pass for the device.
    async fn pause(&self, time: Duration) -> Result<(), DeviceError>;
}
