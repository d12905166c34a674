//! Interface between the two sides of the virtual device: the shell drives a [`Phone`], which knows apps and
//! pixels.
//!
//! The shell side (adbd, commands, storage) calls it. The app side (A2UI, layout, drawing, system UI)
//! implements it. All methods are synchronous and, except for reading app folders, without I/O. Time is
//! virtual.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;

use super::app_host::{HostFailure, HostIntent, HostReply, HostRequest, HostedApp, PointerEvent};
use super::{ApkManifest, AppError, Frame, HostCall, MessageError, Quirk, StackedWindow};
use runner_screen::{Display, Point, Rect};
use runner_text::diagnostic::{Diagnostic, Source};
use serde_json::Value;

#[derive(Debug, Clone)]
pub struct PhoneOptions {
    /// Folders of apps, each with an `app.yaml`.
    pub apps: Vec<Utf8PathBuf>,
    /// Apps whose own code runs in app hosts.
    pub hosted: Vec<HostedApp>,
    /// Pixels and density; 1080×2400 at 420 dpi by default.
    pub display: Display,
    /// Checks `app.yaml` against its schema.
    pub schema_check: SchemaCheck,
    /// Peculiarities of some phones. Those that concern the shell have no effect here.
    pub quirks: Vec<Quirk>,
}

/// Function that checks a YAML file against a JSON Schema and returns diagnostics. The crates that read flows
/// have one.
pub type SchemaCheck = fn(&Arc<Source>, &Value) -> Vec<Diagnostic>;

impl Default for PhoneOptions {
    /// Returns options without apps and quirks, for 1080×2400 pixels at 420 dpi. Nothing is checked against a
    /// schema.
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

/// A system setting that affects the screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// Switch, and true for on.
    Switch(Switch, bool),
    /// Factor of the font size; 1 is the default.
    FontScale(f32),
    /// Locale, such as `de-DE`.
    Locale(String),
    /// Quarter turns to the left.
    Rotation(u8),
    /// The display's pixels before rotation.
    Size { width: u32, height: u32 },
    /// Dots per inch.
    Density(u32),
}

/// A switch of the quick settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Switch {
    Airplane,
    Location,
    /// Dark theme.
    Dark,
    AutoRotate,
}

/// Path of one finger from touch-down to lift-off.
#[derive(Debug, Clone, PartialEq)]
pub struct Touch {
    /// Points with the time since the touch-down. The first is the touch-down, the last the lift-off.
    pub path: Vec<(Point, Duration)>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyPress {
    /// Android's name without `KEYCODE_`, such as `ENTER`.
    pub name: String,
    pub long: bool,
    pub ctrl: bool,
    pub shift: bool,
}

impl KeyPress {
    /// Returns a short press of a key, without CTRL and SHIFT.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Returns a short press of CTRL and a key.
    pub fn with_ctrl(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ctrl: true,
            ..Self::default()
        }
    }
}

/// Accessibility action on a view.
#[derive(Debug, Clone, PartialEq)]
pub enum AccessibilityAction {
    /// Replaces the text of a field. The text may be of any script.
    SetText(String),
    /// Sets the value of a range, to the nearest that it accepts.
    SetProgress(f32),
}

/// A window in `uiautomator dump --windows` and `dumpsys window`.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowDump {
    pub id: i32,
    /// `APPLICATION`, `INPUT_METHOD`, `SYSTEM`.
    pub kind: &'static str,
    pub title: String,
    pub package: String,
    /// Activity of an application window.
    pub activity: Option<String>,
    pub layer: i32,
    pub focused: bool,
    pub bounds: Rect,
    /// Root node. `None` is a null root.
    pub root: Option<NodeDump>,
}

/// A node of a dump. Dumps have visible nodes only.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the dump's attributes are independent booleans"
)]
pub struct NodeDump {
    pub text: String,
    pub resource_id: String,
    pub class: String,
    /// Value of a range, such as a slider. A dump of `uiautomator` lacks it: of nine seek bars that were
    /// recorded on phones, eight have an empty text.
    pub range: Option<f64>,
    /// `content-desc`.
    pub desc: String,
    pub hint: String,
    pub checkable: bool,
    pub checked: bool,
    pub clickable: bool,
    pub enabled: bool,
    pub focusable: bool,
    pub focused: bool,
    pub scrollable: bool,
    pub long_clickable: bool,
    pub password: bool,
    pub selected: bool,
    /// `bounds`, clipped to what is visible.
    pub bounds: Rect,
    /// `index` and `drawing-order`, if they differ from its place among the visible children.
    pub order: Option<NodeOrder>,
    pub children: Vec<NodeDump>,
}

/// Place of a node among all children of its parent, with those that are invisible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeOrder {
    pub index: u32,
    /// `drawing-order`.
    pub drawing: u32,
}

/// Error of a phone, in the words that Android's commands print.
#[derive(Debug, thiserror::Error)]
pub enum PhoneError {
    /// `am start` of an unknown activity.
    #[error("Error type 3\nError: Activity class {{{package}/{activity}}} does not exist.")]
    NoActivity {
        package: String,
        /// Activity, or empty if none was named.
        activity: String,
    },
    /// `am start` of an intent that no activity handles.
    #[error("Error: Activity not started, unable to resolve {0}")]
    Unresolved(String),
    /// `pm install` of a folder that is no app.
    #[error("INSTALL_PARSE_FAILED_NOT_APK: {0}")]
    InvalidApp(#[from] AppError),
    /// `pm install` of a system package.
    #[error(
        "INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package {0} signatures do not match newer version; ignoring!"
    )]
    SystemPackage(String),
    /// `pm grant` to an unknown package.
    #[error("java.lang.IllegalArgumentException: Unknown package: {0}")]
    UnknownPackage(String),
    /// `pm grant` of a permission that the package does not request.
    #[error(
        "java.lang.SecurityException: Package {package} has not requested permission {permission}"
    )]
    NotRequested { package: String, permission: String },
    /// An A2UI message is malformed.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// An A2UI message came while no app was in front.
    #[error("no app is in front; start one first")]
    NoAppInFront,
    /// An A2UI message is for an unknown surface.
    #[error("there is no surface `{name}`; the one in front is `{front}`")]
    NoSurface {
        name: String,
        /// The surface in front.
        front: String,
    },
    /// An A2UI message shows a surface without components.
    #[error("the surface `{0}` has no components; send them with `surfaceUpdate` first")]
    NoComponents(String),
}

/// Urgency of the phone's calls to app hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostDemand {
    Nothing,
    /// Upkeep: clocks, settings, reading windows. It can be done before the next answer is needed.
    Upkeep,
    /// Calls whose effects are needed.
    Answers,
}

/// A phone: its screen, input, apps and settings. The shell side keeps it in a mutex.
pub trait Phone: Send {
    /// Returns the windows that accessibility lists, with their nodes, front to back as in `--windows`.
    fn windows(&self) -> Vec<WindowDump>;
    /// Returns all windows of the display, front to back, also those that accessibility does not list. By
    /// default these are those of [`Phone::windows`].
    fn window_stack(&self) -> Vec<StackedWindow> {
        let windows = self.windows().into_iter();
        windows.map(StackedWindow::from_dump).collect()
    }
    /// Returns the screen's pixels as RGBA, after rotation. Apps in hosts have the pictures that came last; nothing
    /// is requested.
    fn draw(&mut self) -> Arc<Frame>;
    /// Returns a number that changes whenever the picture of [`Phone::draw`] may have changed. As long as the number
    /// stays, the picture stays too.
    fn drawing(&self) -> u64;
    /// Returns the display after the rotation of the settings, or that which the app in front requests. Width and
    /// height are exchanged after an odd number of quarter turns.
    fn display(&self) -> Display;
    /// Performs gestures that are known as a whole. Their times count from the first touch-down.
    fn fingers(&mut self, fingers: &[Touch]);
    /// Performs gestures that are sent beside others, which follow before anything that they open takes touches. By
    /// default as [`Phone::fingers`].
    fn fingers_beside(&mut self, fingers: &[Touch]) {
        self.fingers(fingers);
    }
    /// Handles one pointer event of fingers that are on the screen now. By default it does nothing.
    fn pointer(&mut self, event: &PointerEvent) {
        let _ = event;
    }
    /// Returns the time until nothing moves by itself any more. By default it is zero.
    fn rest_time(&self) -> Duration {
        Duration::ZERO
    }
    /// Handles a key press: first the system, then the app in front. A key that nobody takes does nothing.
    fn key(&mut self, key: &KeyPress);
    /// Types text into the focused view. Without one the result is `Ok` too.
    ///
    /// # Errors
    /// Returns the first character without a key (anything but printable ASCII, line feeds and tabs); then nothing
    /// is typed.
    fn input_text(&mut self, text: &str) -> Result<(), char>;
    /// Puts text of any script into the focused field, as a keyboard that takes broadcasts does. Returns
    /// false if no field has the focus, or the app hangs.
    fn commit_text(&mut self, text: &str) -> bool;
    /// Performs an accessibility action on a view, named by its window's id and its bounds in the dump.
    /// Returns false if no view there supports it.
    fn accessibility_action(
        &mut self,
        window: i32,
        bounds: Rect,
        action: &AccessibilityAction,
    ) -> bool;
    /// Returns the text of the toast that is shown, or `None`. No dump has it.
    fn toast(&self) -> Option<String> {
        None
    }
    /// Returns the installed packages by name, with those of the system.
    fn packages(&self) -> Vec<PackageDump>;
    /// Starts an activity, by default the launchable one, and brings the app to the front. The launchable one without
    /// extras opens a screen only if the app has none; any other start opens a new screen, which gets the extras.
    /// Fails for an unknown package or activity.
    fn start(
        &mut self,
        package: &str,
        activity: Option<&str>,
        extras: &BTreeMap<String, String>,
    ) -> Result<(), PhoneError>;
    /// Opens a link in the first app, by package, that handles it, else in the browser if it is a web link. `package`
    /// restricts it to that app. Fails if none handles it.
    fn open_link(&mut self, uri: &str, package: Option<&str>) -> Result<(), PhoneError>;
    /// Ends an app and closes its screens, as `am force-stop`. An app that does not run is no error.
    fn force_stop(&mut self, package: &str);
    /// Ends an app and resets its data and permissions, as `pm clear`. Returns false for an unknown package.
    fn clear(&mut self, package: &str) -> bool;
    /// Installs an app's folder, given by its path on the host, and returns its package. An app with the same package
    /// ends first, and its data are lost. Fails for a folder that is no app, and for a package of the system.
    fn install(&mut self, folder: &camino::Utf8Path) -> Result<String, PhoneError>;
    /// Installs an APK's package, and ends an app that has it. Its activities exist and show nothing, unless a host
    /// runs the app, which then keeps its own APK. `granted` grants its run-time permissions; those that were granted
    /// before stay so. Fails for a package of the system.
    fn install_apk(&mut self, manifest: Arc<ApkManifest>, granted: bool) -> Result<(), PhoneError>;
    /// Ends and removes an app. Returns false for an unknown package and for one of the system, which stays.
    fn uninstall(&mut self, package: &str) -> bool;
    /// Grants or revokes a run-time permission. Fails for an unknown package, and for a permission that it does not
    /// ask for.
    fn set_permission(
        &mut self,
        package: &str,
        permission: &str,
        granted: bool,
    ) -> Result<(), PhoneError>;
    /// Applies a system setting that affects the screen. A size or density beyond the limits restores the display's
    /// own.
    fn set(&mut self, setting: Setting);
    /// Returns true if a switch is on.
    fn is_on(&self, switch: Switch) -> bool;
    /// Returns the locale, such as `de-DE`.
    fn locale(&self) -> String;
    /// Returns the running packages with their process ids, by id, with those of the system.
    fn processes(&self) -> Vec<(u32, String)>;
    /// Returns the lines that apps and the system have logged since the last call: priority letter, tag,
    /// message, process id.
    fn take_log(&mut self) -> Vec<(char, String, String, u32)>;
    /// Returns the stack trace of the app that hung last, which Android keeps in a file, or `None`.
    fn anr_trace(&self) -> Option<String> {
        None
    }
    /// Returns the text of the clipboard, or `None` if nothing was copied yet.
    fn clipboard(&self) -> Option<String>;
    /// Puts a text into the clipboard, and tells the host in front.
    fn set_clipboard(&mut self, text: &str);
    /// Opens the notification shade for `notifications` and the quick settings for `settings`. Any other word, such
    /// as `collapse`, closes both.
    fn status_bar(&mut self, panel: &str);
    /// Applies one or more A2UI messages, as JSON, to the app in front, in order. Returns `{"messages":N}`. A text that
    /// is malformed anywhere applies none. Fails without an app in front and at the first wrong message; those before
    /// it stay applied.
    fn a2ui(&mut self, message: &str) -> Result<String, PhoneError>;
    /// Returns a JSON list of the A2UI surface in front, with its `surface_id`, `root_widget_type` and
    /// `widget_count`. The list is empty without an app or components in front.
    fn a2ui_surfaces(&self) -> String;
    /// Advances virtual time, with animations and apps' timers. Time that whole gestures have taken already is
    /// taken off.
    fn advance(&mut self, by: Duration);
    /// Returns true if a keyboard is shown.
    fn keyboard_shown(&self) -> bool;
    /// Starts an activity of an app in a host. Returns false, as by default, if the package is no such app.
    fn start_hosted(&mut self, package: &str, intent: HostIntent) -> Result<bool, PhoneError> {
        let _ = (package, intent);
        Ok(false)
    }
    /// Returns the urgency of calls to app hosts. By default there are none.
    fn wants_hosts(&self) -> HostDemand {
        HostDemand::Nothing
    }
    /// Removes and returns the next calls to app hosts. The answers go to [`Phone::answer_host`], and may
    /// lead to further calls.
    fn take_host_calls(&mut self) -> Vec<HostCall> {
        Vec::new()
    }
    /// Handles the result of a call. `request` is the call, or `None` if the host could not be started or
    /// cleared. Returns the time that has passed in the host.
    fn answer_host(
        &mut self,
        package: &str,
        request: Option<&HostRequest>,
        reply: Result<HostReply, HostFailure>,
    ) -> Duration {
        let _ = (package, request, reply);
        Duration::ZERO
    }
    /// Requests from hosts the pictures that [`Phone::draw`] lacks. They come with the next calls.
    fn request_pictures(&mut self) {}
    /// Asks the host in front to come to rest, within a time. The request comes with the next calls. Returns
    /// false, as by default, if no host is in front.
    fn request_rest(&mut self, limit: Duration) -> bool {
        let _ = limit;
        false
    }
    /// Removes and returns a fault of a host since the last call, or `None`. The app is not at fault.
    fn take_host_fault(&mut self) -> Option<String> {
        None
    }
}

/// An activity of an app, with the links that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityDump {
    /// Name such as `.Main`.
    pub name: String,
    /// Schemes of its links, such as `https`, each once.
    pub schemes: Vec<String>,
    /// Its intent filters for links.
    pub links: Vec<LinkDump>,
}

/// Intent filter for links of an activity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkDump {
    pub schemes: Vec<String>,
    /// Hosts, perhaps with a port; one that begins with `*` is for all with this end. An empty list matches all.
    pub hosts: Vec<String>,
    /// Patterns of paths with their kind, such as `PREFIX: /a`, as Android prints them. An empty list matches all.
    pub paths: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageDump {
    pub package: String,
    /// Name for people.
    pub label: String,
    /// True for system packages.
    pub system: bool,
    /// Activity that the launcher starts, such as `.Main`.
    pub launchable: Option<String>,
    /// Activities that others may start. Empty if only the one of the launcher is known.
    pub activities: Vec<ActivityDump>,
    pub version: String,
    pub version_code: u64,
    /// Run-time permissions; true if granted.
    pub permissions: Vec<(String, bool)>,
    /// Manifest of its APK. Apps from folders and system packages have none.
    pub apk: Option<Arc<ApkManifest>>,
}
