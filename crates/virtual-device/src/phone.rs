//! The seam inside the virtual device: the shell drives a [`Phone`], the phone knows apps and pixels.
//!
//! The shell side (adbd, commands, storage) calls these; the app side (A2UI, layout, drawing, system UI) implements them.
//! Synchronous and without I/O beyond reading app folders; time is virtual.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;

use super::hosted::{HostFailure, HostIntent, HostReply, HostRequest, HostedApp, PointerEvent};
use super::{ApkManifest, AppError, Frame, HostCall, MessageError, Quirk, StackedWindow};
use runner_screen::{Display, Point, Rect};
use runner_text::diagnostic::{Diagnostic, Source};
use serde_json::Value;

/// How a phone begins.
#[derive(Debug, Clone)]
pub struct PhoneOptions {
    /// Folders of apps, each with an `app.yaml`.
    pub apps: Vec<Utf8PathBuf>,
    /// Apps whose own code runs in a host.
    pub hosted: Vec<HostedApp>,
    /// Pixels and density; 1080×2400 at 420 dpi by default.
    pub display: Display,
    /// Holds `app.yaml` against its schema.
    pub schema_check: SchemaCheck,
    /// What it does as some phones do; those that it does not know are the shell's.
    pub quirks: Vec<Quirk>,
}

/// Holds a YAML file against a JSON Schema: what is wrong, with places. Whoever reads flows has one.
pub type SchemaCheck = fn(&Arc<Source>, &Value) -> Vec<Diagnostic>;

impl Default for PhoneOptions {
    fn default() -> Self {
        Self {
            apps: Vec::new(),
            hosted: Vec::new(),
            display: Display {
                width: 1080,
                height: 2400,
                density: 420,
                rotation: 0,
            },
            schema_check: |_, _| Vec::new(),
            quirks: Vec::new(),
        }
    }
}

/// A setting of the system that shows on the screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// A switch is on.
    Switch(Switch, bool),
    /// How much larger letters are; 1 is as designed.
    FontScale(f32),
    /// The language, such as `de-DE`.
    Locale(String),
    /// Quarter turns to the left.
    Rotation(u8),
    /// The display's pixels before it is turned.
    Size {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// Dots an inch.
    Density(u32),
}

/// What quick settings switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Switch {
    /// Airplane mode.
    Airplane,
    /// The place may be known.
    Location,
    /// The dark theme.
    Dark,
    /// The screen turns with the device.
    AutoRotate,
}

/// One touch of one finger: where and when it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Touch {
    /// Points with the time since the finger came down; the first is the touch-down, the last the lift-off.
    pub path: Vec<(Point, Duration)>,
}

/// A key, by its Android name without `KEYCODE_`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyPress {
    /// Such as `ENTER`.
    pub name: String,
    /// Held long.
    pub long: bool,
    /// While CTRL is held.
    pub ctrl: bool,
    /// While SHIFT is held.
    pub shift: bool,
}

impl KeyPress {
    /// A short press of a key.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// A short press of a key while CTRL is held.
    pub fn with_ctrl(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ctrl: true,
            ..Self::default()
        }
    }
}

/// What an accessibility service has a view do.
#[derive(Debug, Clone, PartialEq)]
pub enum AccessibilityAction {
    /// A field's text becomes this, of any script, without keys.
    SetText(String),
    /// A bar's number becomes this, or the nearest that it takes.
    SetProgress(f32),
}

/// A window of `uiautomator dump --windows` and `dumpsys window`.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowDump {
    /// Id.
    pub id: i32,
    /// `APPLICATION`, `INPUT_METHOD`, `SYSTEM`.
    pub kind: &'static str,
    /// Title.
    pub title: String,
    /// Package.
    pub package: String,
    /// Activity, of application windows.
    pub activity: Option<String>,
    /// Layer.
    pub layer: i32,
    /// Focused.
    pub focused: bool,
    /// Bounds.
    pub bounds: Rect,
    /// Its root node; `None` is a null root.
    pub root: Option<NodeDump>,
}

/// A node of a dump, which has visible nodes only.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the dump's attributes are independent booleans"
)]
pub struct NodeDump {
    /// `text`.
    pub text: String,
    /// `resource-id`.
    pub resource_id: String,
    /// `class`.
    pub class: String,
    /// The number of a view with a range, such as a slider's. A dump of `uiautomator` lacks it: of nine seek bars that
    /// were recorded on phones, eight have an empty text.
    pub range: Option<f64>,
    /// `content-desc`.
    pub desc: String,
    /// `hint`.
    pub hint: String,
    /// `checkable`.
    pub checkable: bool,
    /// `checked`.
    pub checked: bool,
    /// `clickable`.
    pub clickable: bool,
    /// `enabled`.
    pub enabled: bool,
    /// `focusable`.
    pub focusable: bool,
    /// `focused`.
    pub focused: bool,
    /// `scrollable`.
    pub scrollable: bool,
    /// `long-clickable`.
    pub long_clickable: bool,
    /// `password`.
    pub password: bool,
    /// `selected`.
    pub selected: bool,
    /// `bounds`, clipped to what is visible.
    pub bounds: Rect,
    /// Its place among all children and its `drawing-order`, where they are not its place here.
    pub order: Option<NodeOrder>,
    /// Children.
    pub children: Vec<NodeDump>,
}

/// The place of a node where children that are not seen count too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeOrder {
    /// `index`.
    pub index: u32,
    /// `drawing-order`.
    pub drawing: u32,
}

/// Why a phone refuses, in the words that Android's commands print.
#[derive(Debug, thiserror::Error)]
pub enum PhoneError {
    /// `am start` of what is not there.
    #[error("Error type 3\nError: Activity class {{{package}/{activity}}} does not exist.")]
    NoActivity {
        /// Package.
        package: String,
        /// Activity; empty where none was named.
        activity: String,
    },
    /// `am start` of an intent that nothing takes.
    #[error("Error: Activity not started, unable to resolve {0}")]
    Unresolved(String),
    /// `pm install` of a folder that is no app.
    #[error("INSTALL_PARSE_FAILED_NOT_APK: {0}")]
    InvalidApp(#[from] AppError),
    /// `pm install` of a package that the system has.
    #[error(
        "INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package {0} signatures do not match newer version; ignoring!"
    )]
    SystemPackage(String),
    /// `pm grant` to a package that is not there.
    #[error("java.lang.IllegalArgumentException: Unknown package: {0}")]
    UnknownPackage(String),
    /// `pm grant` of what the package does not ask for.
    #[error(
        "java.lang.SecurityException: Package {package} has not requested permission {permission}"
    )]
    NotRequested {
        /// Package.
        package: String,
        /// Permission.
        permission: String,
    },
    /// An A2UI message that does not read.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// An A2UI message, and no app to take it.
    #[error("no app is in front; start one first")]
    NoAppInFront,
    /// An A2UI message to a surface that is not there.
    #[error("there is no surface `{name}`; the one in front is `{front}`")]
    NoSurface {
        /// Its name.
        name: String,
        /// The surface in front.
        front: String,
    },
    /// An A2UI message that shows a surface with nothing on it.
    #[error("the surface `{0}` has no components; send them with `surfaceUpdate` first")]
    NoComponents(String),
}

/// Whether anything is wanted of hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostDemand {
    /// Nothing is.
    Nothing,
    /// That time passes, that settings are told, that its windows are read: who is asking a host now does it next.
    Upkeep,
    /// Answers.
    Answers,
}

/// What the phone shows and does. The shell side holds it in one mutex.
pub trait Phone: Send {
    /// Windows on the screen, the device's order (front to back as `--windows` prints them).
    fn windows(&self) -> Vec<WindowDump>;
    /// All windows of the display, front to back, also those that accessibility does not have.
    fn window_stack(&self) -> Vec<StackedWindow> {
        let windows = self.windows().into_iter();
        windows.map(StackedWindow::from_dump).collect()
    }
    /// The screen's pixels as RGBA, width and height after rotation.
    fn draw(&mut self) -> Arc<Frame>;
    /// The number of what [`Phone::draw`] gives: another after each change.
    fn drawing(&self) -> u64;
    /// The display after rotation.
    fn display(&self) -> Display;
    /// Fingers whose ways are known as a whole, their times since the first came down.
    fn fingers(&mut self, fingers: &[Touch]);
    /// An event of fingers that are on the screen now.
    fn pointer(&mut self, event: &PointerEvent) {
        let _ = event;
    }
    /// The time until nothing moves any more by itself.
    fn rest_time(&self) -> Duration {
        Duration::ZERO
    }
    /// A key.
    fn key(&mut self, key: &KeyPress);
    /// Text into what has focus. `Err` names the first character without a key (anything but ASCII), nothing is typed then.
    fn input_text(&mut self, text: &str) -> Result<(), char>;
    /// Text of any script into what has focus, as a keyboard that takes broadcasts does. `false` without a focused field.
    fn commit_text(&mut self, text: &str) -> bool;
    /// Performs an accessibility action on a view, by its window's id and its bounds in the dump. `false` where no view
    /// there supports it.
    fn accessibility_action(
        &mut self,
        window: i32,
        bounds: Rect,
        action: &AccessibilityAction,
    ) -> bool;
    /// The text of the toast that is shown. No dump has it.
    fn toast(&self) -> Option<String> {
        None
    }
    /// Installed packages with their label, whether they are system apps, and their launchable activity.
    fn packages(&self) -> Vec<PackageDump>;
    /// Starts an activity (default: the launchable one).
    fn start(
        &mut self,
        package: &str,
        activity: Option<&str>,
        extras: &BTreeMap<String, String>,
    ) -> Result<(), PhoneError>;
    /// Opens a link.
    fn open_link(&mut self, uri: &str, package: Option<&str>) -> Result<(), PhoneError>;
    /// Ends an app and its state on the screen, as `am force-stop`.
    fn force_stop(&mut self, package: &str);
    /// Forgets an app's data, as `pm clear`. `false` for an unknown package.
    fn clear(&mut self, package: &str) -> bool;
    /// Installs an app folder that was pushed to the device's storage (host path).
    fn install(&mut self, folder: &camino::Utf8Path) -> Result<String, PhoneError>;
    /// Installs an APK's package: its activities are there and show nothing. Run-time permissions are granted where
    /// `granted` says so.
    fn install_apk(&mut self, manifest: Arc<ApkManifest>, granted: bool) -> Result<(), PhoneError>;
    /// Removes an app. `false` for an unknown package.
    fn uninstall(&mut self, package: &str) -> bool;
    /// Grants or revokes a run-time permission.
    fn set_permission(
        &mut self,
        package: &str,
        permission: &str,
        granted: bool,
    ) -> Result<(), PhoneError>;
    /// A setting of the system that shows on the screen changed.
    fn set(&mut self, setting: Setting);
    /// Whether a switch is on.
    fn is_on(&self, switch: Switch) -> bool;
    /// The language, such as `de-DE`.
    fn locale(&self) -> String;
    /// Running packages with their process id.
    fn processes(&self) -> Vec<(u32, String)>;
    /// Lines the apps and the system have logged since the last call: priority letter, tag, message, pid.
    fn take_log(&mut self) -> Vec<(char, String, String, u32)>;
    /// What the app that hung last was doing, as the system keeps it.
    fn anr_trace(&self) -> Option<String> {
        None
    }
    /// The clipboard.
    fn clipboard(&self) -> Option<String>;
    /// Sets the clipboard.
    fn set_clipboard(&mut self, text: &str);
    /// Opens the notification shade, quick settings, or closes both: `notifications`, `settings`, `collapse`.
    fn status_bar(&mut self, panel: &str);
    /// An A2UI message as JSON, to the app in front. The answer is JSON.
    fn a2ui(&mut self, message: &str) -> Result<String, PhoneError>;
    /// The A2UI surfaces that are shown, as JSON: `surface_id`, `root_widget_type`, `widget_count` of each.
    fn a2ui_surfaces(&self) -> String;
    /// Lets virtual time pass: animations, timers of apps.
    fn advance(&mut self, by: Duration);
    /// Whether a keyboard is shown.
    fn keyboard_shown(&self) -> bool;
    /// Starts an activity of an app that runs in a host. `false` where the package is no such app.
    fn start_hosted(&mut self, package: &str, intent: HostIntent) -> Result<bool, PhoneError> {
        let _ = (package, intent);
        Ok(false)
    }
    /// Whether anything is wanted of hosts now.
    fn wants_hosts(&self) -> HostDemand {
        HostDemand::Nothing
    }
    /// What is wanted of hosts now. The answers go to [`Phone::answer_host`], and may lead to further calls.
    fn take_host_calls(&mut self) -> Vec<HostCall> {
        Vec::new()
    }
    /// What came of a call. Returns the time that has passed by it.
    fn answer_host(
        &mut self,
        package: &str,
        request: Option<&HostRequest>,
        reply: Result<HostReply, HostFailure>,
    ) -> Duration {
        let _ = (package, request, reply);
        Duration::ZERO
    }
    /// Wants of hosts the pictures that [`Phone::draw`] lacks.
    fn want_pictures(&mut self) {}
    /// Wants of the host in front that its app comes to rest, within a time. `false` where no host is in front.
    fn want_rest(&mut self, limit: Duration) -> bool {
        let _ = limit;
        false
    }
    /// A fault of a host, or of what it is made of, since the last call: the app is not to blame.
    fn take_host_fault(&mut self) -> Option<String> {
        None
    }
}

/// One installed package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageDump {
    /// Package.
    pub package: String,
    /// Label.
    pub label: String,
    /// Part of the system.
    pub system: bool,
    /// Activity that the launcher starts, `.Main`.
    pub launchable: Option<String>,
    /// Version name.
    pub version: String,
    /// Version code.
    pub version_code: u64,
    /// Run-time permissions with whether they are granted.
    pub permissions: Vec<(String, bool)>,
    /// The manifest of its APK; an app of a folder and the system's packages have none.
    pub apk: Option<Arc<ApkManifest>>,
}
