//! Apps, settings, clipboard, log and recordings by server commands.

use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::client::Request;
use crate::device::WebDriverDevice;
use crate::error::WebDriverError;
use crate::input;
use crate::wire::decode_base64;
use runner_device::apps;
use runner_device::files::{read_local, send_temporary};
use runner_device::record;
use runner_device::settings::Setting;
use runner_device::{
    Ability, Device, DeviceError, Panel, Script, ServerApp, ServerSystem, quote, shorten,
};
use runner_screen::Display;

/// Time limit for requests that take a moment. Chosen: generous for a cloud far away.
const QUICK: Duration = Duration::from_secs(30);
/// Time limit for an app to come to the front. Chosen: a cold start on a slow phone takes tens of seconds.
const LAUNCH_LIMIT: Duration = Duration::from_mins(1);
/// Time limit for the package manager. Chosen: it compiles large apps while it installs them.
const INSTALL_LIMIT: Duration = Duration::from_mins(5);
/// Limit for a video, in bytes of Base64, which has four for three.
const MAX_VIDEO_BYTES: u64 = record::MAX_VIDEO_BYTES / 3 * 4;
/// Limit for an APK that is sent to a server, in bytes. Chosen: it is held in memory several times, as bytes
/// and as Base64.
const MAX_APK_BYTES: u64 = 512 << 20;
/// Folder on the device where an APK is put before installation.
const STAGING: &str = "/data/local/tmp";

impl WebDriverDevice {
    pub(crate) async fn quick(
        &self,
        doing: &str,
        name: &str,
        arguments: Value,
    ) -> Result<Value, DeviceError> {
        self.mobile(doing, name, arguments, QUICK).await
    }
}

/// Checks the name of a package or permission before it goes where a shell may read it. Allows ASCII letters,
/// digits, `.`, `_` and `-`, and no empty name.
///
/// # Errors
///
/// Returns [`DeviceError::Unsupported`] for all others.
fn validate_name(name: &str) -> Result<&str, DeviceError> {
    let is_plain = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if is_plain {
        return Ok(name);
    }
    Err(DeviceError::Unsupported {
        what: format!("have an app '{name}'"),
        missing: "names are of letters, digits, `.` and `_`".to_owned(),
    })
}

/// Converts extras as words of `am start` (`--es name text`) to the server's form: `[["s", "name", "text"]]`.
/// `--esn` has no value. Names and values are quoted, as the server passes them to the device's shell
/// unquoted.
fn extras_lists(words: &[String]) -> Vec<Vec<String>> {
    let mut lists = Vec::new();
    let mut words = words.iter();
    while let Some(flag) = words.next() {
        let kind = flag.trim_start_matches("--e").to_owned();
        let take = if kind == "sn" { 1 } else { 2 };
        let values = words.by_ref().take(take).map(|word| quote(word));
        lists.push(std::iter::once(kind).chain(values).collect());
    }
    lists
}

#[async_trait::async_trait]
impl ServerSystem for WebDriverDevice {
    fn has_shell(&self) -> bool {
        self.shell.is_open()
    }

    fn abilities(&self) -> Vec<Ability> {
        self.commands.abilities(&self.shell)
    }

    /// Launches the component and waits until it is in front. Without a component it launches the package and drops the
    /// extras. An answer that tells of a refusal is an error.
    async fn launch(
        &self,
        package: &str,
        component: Option<&str>,
        extras: &[String],
    ) -> Result<(), DeviceError> {
        let doing = format!("launch {package}");
        let package = validate_name(package)?;
        let (name, arguments) = match component {
            None => ("activateApp", json!({ "appId": package })),
            Some(component) => (
                "startActivity",
                json!({ "wait": true, "component": quote(component), "extras": extras_lists(extras) }),
            ),
        };
        let value: Value = self.mobile(&doing, name, arguments, LAUNCH_LIMIT).await?;
        let message = value.as_str().unwrap_or_default();
        apps::refusal(message).map_or(Ok(()), |line| {
            Err(DeviceError::Command {
                command: doing,
                exit_code: None,
                output: line.to_owned(),
            })
        })
    }

    /// Stops the app and does not wait for its end; one that does not run is fine.
    async fn stop(&self, package: &str) -> Result<(), DeviceError> {
        // Zero, because `am force-stop` does not wait for the process's end either.
        let arguments = json!({ "appId": validate_name(package)?, "timeout": 0 });
        let doing = format!("stop {package}");
        self.quick(&doing, "terminateApp", arguments)
            .await
            .map(drop)
    }

    async fn clear(&self, package: &str) -> Result<(), DeviceError> {
        let arguments = json!({ "appId": validate_name(package)? });
        let doing = format!("clear {package}");
        self.quick(&doing, "clearApp", arguments).await.map(drop)
    }

    async fn grant_all(&self, package: &str) -> Result<(), DeviceError> {
        let arguments = json!({
            "permissions": "all",
            "appPackage": validate_name(package)?,
            "action": "grant",
        });
        self.quick("grant all permissions", "changePermissions", arguments)
            .await
            .map(drop)
    }

    async fn set_permission(
        &self,
        package: &str,
        permission: &str,
        granted: bool,
    ) -> Result<(), DeviceError> {
        let action = if granted { "grant" } else { "revoke" };
        let arguments = json!({
            "permissions": [validate_name(permission)?],
            "appPackage": validate_name(package)?,
            "action": action,
        });
        let doing = format!("{action} {permission}");
        self.quick(&doing, "changePermissions", arguments)
            .await
            .map(drop)
    }

    /// Opens the link, in the app or, without a package, in the one the device chooses.
    async fn open_link(&self, link: &str, package: Option<&str>) -> Result<(), DeviceError> {
        let mut arguments = json!({ "url": link });
        if let Some(package) = package {
            arguments["package"] = validate_name(package)?.into();
        }
        let _: Value = self
            .mobile("open the link", "deepLink", arguments, LAUNCH_LIMIT)
            .await?;
        Ok(())
    }

    /// Installs an APK over an installed one; a test-only APK is allowed. Fails first, for a server on this computer
    /// too, if it is a folder or larger than `MAX_APK_BYTES`. A server on this computer reads the file itself. Any
    /// other gets it on the device, where the shell installs and removes it; without a shell that is an error.
    async fn install(&self, source: &Path) -> Result<(), DeviceError> {
        let doing = format!("install {}", source.display());
        let failed = |output: String| DeviceError::Command {
            command: doing.clone(),
            exit_code: None,
            output,
        };
        let size = tokio::fs::metadata(source).await;
        let size = size.map_err(|cause| failed(cause.to_string()))?;
        if size.is_dir() || size.len() > MAX_APK_BYTES {
            return Err(failed(format!(
                "a server takes an APK of at most {} MB, no folder",
                MAX_APK_BYTES >> 20
            )));
        }
        // The server reads paths of its own computer, so only a local one can read the file.
        if self.session.client.is_here() {
            let path = tokio::fs::canonicalize(source).await;
            let path = path.map_err(|cause| failed(cause.to_string()))?;
            let arguments = json!({ "appPath": path, "replace": true, "allowTestPackages": true });
            let _: Value = self
                .mobile(&doing, "installApp", arguments, INSTALL_LIMIT)
                .await?;
            return Ok(());
        }
        self.shell.needed_for(|| {
            "install an APK of this computer, but an `app` that runner.yaml names for it".to_owned()
        })?;
        let bytes = read_local(source).await;
        let bytes = bytes.map_err(|cause| failed(cause.to_string()))?;
        let remote = format!(
            "{STAGING}/runner-install-{:012x}.apk",
            fastrand::u64(..1 << 48)
        );
        let device: &dyn Device = self;
        send_temporary(device, &bytes, &remote).await?;
        let script = Script::raw(install_script(&remote), doing.clone());
        let output = device.shell(&script, INSTALL_LIMIT).await?;
        if output.text().lines().any(|line| line.trim() == "Success") {
            return Ok(());
        }
        Err(failed(shorten(&output.message())))
    }

    /// Removes the app. An error if it is not installed.
    async fn uninstall(&self, package: &str) -> Result<(), DeviceError> {
        let arguments = json!({ "appId": validate_name(package)? });
        let doing = format!("uninstall {package}");
        let removed: Value = self
            .mobile(&doing, "removeApp", arguments, INSTALL_LIMIT)
            .await?;
        if removed == json!(false) {
            return Err(DeviceError::Command {
                command: doing,
                exit_code: None,
                output: format!("package '{package}' is not installed"),
            });
        }
        Ok(())
    }

    /// Lists the installed apps. An answer of another form gives none, a missing version is `None`.
    async fn apps(&self) -> Result<Vec<ServerApp>, DeviceError> {
        let listed = self.quick("list its apps", "listApps", json!({})).await?;
        let listed: Map<String, Value> = listed.as_object().cloned().unwrap_or_default();
        Ok(listed
            .into_iter()
            .map(|(package, about)| ServerApp {
                package,
                version_code: about.get("versionCode").and_then(Value::as_u64),
            })
            .collect())
    }

    /// Returns true if the app runs, in front or not. False if it is not installed or the answer is no number.
    async fn is_running(&self, package: &str) -> Result<bool, DeviceError> {
        let arguments = json!({ "appId": validate_name(package)? });
        let state = self
            .quick("tell an app's state", "queryAppState", arguments)
            .await?;
        // 0 is not installed, 1 not running, 2 to 4 in the background or in front.
        Ok(state.as_u64().is_some_and(|state| state > 1))
    }

    /// Returns package and activity in front, the activity relative to the package if it can be. `None` if the
    /// server knows either not.
    async fn foreground(&self) -> Result<Option<(String, String)>, DeviceError> {
        let asking = |name| self.quick("tell what is in front", name, json!({}));
        let (package, activity) =
            tokio::try_join!(asking("getCurrentPackage"), asking("getCurrentActivity"))?;
        let (Some(package), Some(activity)) = (package.as_str(), activity.as_str()) else {
            return Ok(None);
        };
        let short = activity.strip_prefix(package);
        let short = short.filter(|rest| rest.starts_with('.'));
        Ok(Some((
            package.to_owned(),
            short.unwrap_or(activity).to_owned(),
        )))
    }

    /// Returns the display as it is turned now, upright or by a quarter; `None` if its size is unknown.
    async fn display(&self) -> Result<Option<Display>, DeviceError> {
        let natural = self.info.display.value().copied().unwrap_or_default();
        if natural.bounds().is_empty() {
            return Ok(None);
        }
        let turned = self.orientation().await? != self.is_naturally_landscape();
        Ok(Some(natural.turned(u8::from(turned))))
    }

    async fn panel(&self, panel: Panel) -> Result<(), DeviceError> {
        let command = match panel {
            Panel::Notifications => "expandNotifications",
            Panel::QuickSettings => "expandSettings",
            Panel::None => "collapse",
        };
        let arguments = json!({ "command": command });
        self.quick("open its panels", "statusBar", arguments)
            .await
            .map(drop)
    }

    /// Returns the text of the clipboard; `None` if it is empty. Bytes that are no UTF-8 become U+FFFD.
    async fn clipboard(&self) -> Result<Option<String>, DeviceError> {
        let what = "reach the clipboard";
        let encoded = self.quick(what, "getClipboard", json!({})).await?;
        let bytes = decode_base64(encoded.as_str().unwrap_or_default());
        let bytes = bytes.map_err(|error| DeviceError::Command {
            command: what.to_owned(),
            exit_code: None,
            output: error.to_string(),
        })?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok((!text.is_empty()).then_some(text))
    }

    async fn set_clipboard(&self, text: &str) -> Result<(), DeviceError> {
        let arguments = json!({ "content": STANDARD.encode(text), "contentType": "plaintext" });
        self.quick("reach the clipboard", "setClipboard", arguments)
            .await
            .map(drop)
    }

    /// Types the text. The error of a refusal has none of the server's words, as they may repeat the text.
    async fn type_text(&self, text: &str, limit: Duration) -> Result<(), DeviceError> {
        let arguments = json!({ "text": text });
        match self.mobile::<Value>("type", "type", arguments, limit).await {
            // The error may repeat the text.
            Err(DeviceError::Command { .. }) => Err(DeviceError::Command {
                command: "type".to_owned(),
                exit_code: None,
                output: "the server could not type the text".to_owned(),
            }),
            typed => typed.map(drop),
        }
    }

    async fn log(&self, limit: Duration) -> Result<String, DeviceError> {
        self.read_log(limit).await?;
        Ok(self.log_so_far().text())
    }

    async fn clear_log(&self) -> Result<(), DeviceError> {
        self.read_log(QUICK).await?;
        self.log_so_far().clear();
        Ok(())
    }

    /// Returns the device's time as the server writes it; empty if the answer is no text.
    async fn clock(&self) -> Result<String, DeviceError> {
        let value = self
            .quick("tell the time", "getDeviceTime", json!({}))
            .await?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }

    /// Starts a video of at most `longest`, in whole seconds, and drops one that is recorded now. A refusal is
    /// `Unsupported`.
    async fn start_recording(&self, longest: Duration) -> Result<(), DeviceError> {
        // Appium passes the bit rate to `screenrecord` as it is (its `recordscreen.ts`).
        let options = json!({
            "timeLimit": longest.as_secs().to_string(),
            "bitRate": record::BIT_RATE.to_string(),
            "forceRestart": true,
        });
        let path = self.session.path("/appium/start_recording_screen");
        let request = Request::post(path, &json!({ "options": options }), QUICK);
        let started = self.send::<Value>(request.called("start_recording_screen"));
        started
            .await
            .map(drop)
            .map_err(|error| cannot_record(self, error))
    }

    /// Ends the video and returns it; empty if the answer is no text. One over `MAX_VIDEO_BYTES` is an error.
    async fn stop_recording(&self, limit: Duration) -> Result<Vec<u8>, DeviceError> {
        let path = self.session.path("/appium/stop_recording_screen");
        let request = Request::post(path, &json!({}), limit)
            .at_most(MAX_VIDEO_BYTES)
            .called("stop_recording_screen");
        let encoded: Value = self
            .send(request)
            .await
            .map_err(|error| cannot_record(self, error))?;
        decode_base64(encoded.as_str().unwrap_or_default()).map_err(|error| {
            DeviceError::Unsupported {
                what: "record its screen".to_owned(),
                missing: error.to_string(),
            }
        })
    }

    async fn setting(&self, wanted: &Setting) -> Result<Option<Setting>, DeviceError> {
        self.current_setting(wanted).await
    }

    async fn set(&self, setting: &Setting) -> Result<bool, DeviceError> {
        self.change_setting(setting).await
    }

    async fn pause(&self, time: Duration) -> Result<(), DeviceError> {
        input::pause(self, time).await
    }
}

/// Builds the script that installs the APK at `remote`, as over adb, and removes it.
pub(crate) fn install_script(remote: &str) -> String {
    // `-t` allows the test-only APKs that Android Studio builds.
    format!("pm install -r -t {remote}; rm -f {remote}")
}

/// Turns a refusal of the server into `Unsupported`. Other errors, also that of an ended session, keep their kind.
fn cannot_record(device: &WebDriverDevice, error: WebDriverError) -> DeviceError {
    match error {
        error @ WebDriverError::ServerError { .. } if !error.is_end() => DeviceError::Unsupported {
            what: "record its screen".to_owned(),
            missing: error.to_string(),
        },
        error => device.error(error),
    }
}
