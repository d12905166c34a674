//! Commands of a server in place of a device's shell: apps, settings, the clipboard, the log, recordings.
//!
//! A device without such a server does all of it by its shell; see the modules that call
//! [`super::Device::system`].

use std::path::Path;
use std::time::Duration;

use super::DeviceError;
use super::settings::Setting;
use runner_screen::Display;

/// Panel of the system to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panel {
    /// Notification shade.
    Notifications,
    QuickSettings,
    /// Closes both panels.
    None,
}

/// Installed app as a server reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerApp {
    pub package: String,
    /// `versionCode`, if the server reports it.
    pub version_code: Option<u64>,
}

/// Ability of a device, for `runner doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ability {
    /// Short name of the ability.
    pub what: &'static str,
    /// Missing part; `None` if the device has the ability.
    pub missing: Option<String>,
}

/// Commands of a server that controls a device. The caller has checked packages and permissions; an error
/// says what cannot be done.
#[async_trait::async_trait]
pub trait ServerSystem: Send + Sync {
    /// Returns true if the device's shell can be used too, for what the server has no commands for.
    fn has_shell(&self) -> bool;

    /// Lists the abilities that the server reports, present and missing.
    fn abilities(&self) -> Vec<Ability>;

    /// Launches an app: the activity of `component`, or else the one that the launcher starts. `extras` are
    /// arguments of `am start`, such as `--es name text`.
    async fn launch(
        &self,
        package: &str,
        component: Option<&str>,
        extras: &[String],
    ) -> Result<(), DeviceError>;

    /// Ends an app, and does not wait until its processes are gone.
    async fn stop(&self, package: &str) -> Result<(), DeviceError>;

    /// Clears an app's data.
    async fn clear(&self, package: &str) -> Result<(), DeviceError>;

    /// Grants all run-time permissions that the app requests.
    async fn grant_all(&self, package: &str) -> Result<(), DeviceError>;

    /// Grants or revokes a run-time permission, by its full name.
    async fn set_permission(
        &self,
        package: &str,
        permission: &str,
        granted: bool,
    ) -> Result<(), DeviceError>;

    /// Opens a link; with a package, in that app.
    async fn open_link(&self, link: &str, package: Option<&str>) -> Result<(), DeviceError>;

    /// Installs an APK, a file of this computer.
    async fn install(&self, source: &Path) -> Result<(), DeviceError>;

    /// Uninstalls an app with its data.
    async fn uninstall(&self, package: &str) -> Result<(), DeviceError>;

    /// Lists all installed apps, those of the system among them.
    async fn apps(&self) -> Result<Vec<ServerApp>, DeviceError>;

    /// Returns true if the app runs, in front or in the background; false if it is not installed.
    async fn is_running(&self, package: &str) -> Result<bool, DeviceError>;

    /// Returns package and activity in front. An activity in the package is without it, such as `.Main`;
    /// any other is the whole class. `None` if the server does not name both.
    async fn foreground(&self) -> Result<Option<(String, String)>, DeviceError>;

    /// Returns the display in its present rotation; `None` if the server did not report its size.
    async fn display(&self) -> Result<Option<Display>, DeviceError>;

    /// Opens or closes a panel of the system.
    async fn panel(&self, panel: Panel) -> Result<(), DeviceError>;

    /// Returns the clipboard's text; `None` if it holds none.
    async fn clipboard(&self) -> Result<Option<String>, DeviceError>;

    async fn set_clipboard(&self, text: &str) -> Result<(), DeviceError>;

    /// Types text of any script at the cursor.
    async fn type_text(&self, text: &str, limit: Duration) -> Result<(), DeviceError>;

    /// Returns the device's log since it was last cleared, in the format of `logcat -v threadtime`.
    async fn log(&self, limit: Duration) -> Result<String, DeviceError>;

    async fn clear_log(&self) -> Result<(), DeviceError>;

    /// Returns the device's time in ISO 8601 with its offset from UTC.
    async fn clock(&self) -> Result<String, DeviceError>;

    /// Begins a video of the screen that lasts at most `longest`.
    async fn start_recording(&self, longest: Duration) -> Result<(), DeviceError>;

    /// Ends the video and returns it (MP4).
    async fn stop_recording(&self, limit: Duration) -> Result<Vec<u8>, DeviceError>;

    /// Returns the present value of the same kind of setting as `wanted`; `None` if only the shell can tell.
    async fn setting(&self, wanted: &Setting) -> Result<Option<Setting>, DeviceError>;

    /// Changes a setting. Returns false if only the shell can, and nothing was sent.
    async fn set(&self, setting: &Setting) -> Result<bool, DeviceError>;

    /// Lets time pass on the device.
    async fn pause(&self, time: Duration) -> Result<(), DeviceError>;
}
