//! The whole phone: apps, windows, fingers, keys, settings.
//!
//! `scene` builds what is on the screen, `touch` and `keys` take what a person does, `act` does what that means,
//! `lifecycle` starts and ends apps.

mod act;
mod budget;
mod keys;
mod lifecycle;
mod scene;
mod touch;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;
use serde_json::{Map, Value};

use super::a2ui::{self, Message, SURFACE_IN_FRONT, Surface, ViewState, read_any_version};
use super::app::{App, AppError, Step};
use super::ui::{Fonts, Metrics};
use crate::{KeyPress, NodeDump, PackageDump, Phone, PhoneOptions, SchemaCheck, Touch, WindowDump};
use runner_screen::Display;

pub(crate) use scene::{Scene, WindowName};

/// The launcher's package.
pub(crate) const LAUNCHER: &str = "com.android.launcher";
/// The package of bars and shade.
pub(crate) const SYSTEM_UI: &str = "com.android.systemui";
/// The keyboard's package.
pub(crate) const KEYBOARD: &str = "com.android.inputmethod.latin";
/// The permission dialog's package.
pub(crate) const PERMISSIONS: &str = "com.android.permissioncontroller";
/// How long a toast is shown.
const TOAST: Duration = Duration::from_secs(2);

/// A screen of an app that is open.
pub(crate) struct Screen {
    pub activity: String,
    pub surface: Surface,
    /// Surfaces whose components have come and which are not shown yet.
    pub coming: BTreeMap<String, Surface>,
    pub view: ViewState,
}

/// The open screens of an app; the last is in front.
pub(crate) struct Task {
    pub package: String,
    pub stack: Vec<Screen>,
}

/// What fills the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foreground {
    Home,
    Recents,
    /// The last task.
    App,
}

/// What hangs from the top of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shade {
    Notifications,
    QuickSettings,
}

/// A question for a run-time permission.
pub(crate) struct Question {
    pub package: String,
    pub permission: String,
    pub granted: Vec<Step>,
    pub denied: Vec<Step>,
}

/// Steps that wait for their time.
struct Timer {
    due: Duration,
    package: String,
    steps: Vec<Step>,
    context: Map<String, Value>,
}

/// A phone without a phone: apps from folders, drawn and driven in memory.
pub struct VirtualPhone {
    schema_check: SchemaCheck,
    natural: Display,
    apps: BTreeMap<String, App>,
    /// Back to front.
    tasks: Vec<Task>,
    showing: Foreground,
    shade: Option<Shade>,
    question: Option<Question>,
    toast: Option<(String, Duration)>,
    timers: Vec<Timer>,
    clock: Duration,
    settings: BTreeMap<String, String>,
    /// BACK has hidden the keyboard while a field has focus.
    keyboard_hidden: bool,
    /// Shift of the drawn keyboard.
    shift: bool,
    clipboard: Option<String>,
    log: Vec<(char, String, String, u32)>,
    next_pid: u32,
    /// Scroll positions of system windows.
    system_scroll: BTreeMap<String, i32>,
    problems: RefCell<BTreeSet<String>>,
    told: BTreeSet<String>,
    budget: budget::Budget,
    fonts: Fonts,
    scene: OnceCell<Scene>,
    frame: Option<Arc<image::RgbaImage>>,
}

impl VirtualPhone {
    /// A phone with the apps of some folders, showing its launcher.
    pub fn new(options: &PhoneOptions) -> Result<Self, AppError> {
        let mut phone = Self {
            schema_check: options.schema_check,
            natural: Display {
                rotation: 0,
                ..options.display
            },
            apps: BTreeMap::new(),
            tasks: Vec::new(),
            showing: Foreground::Home,
            shade: None,
            question: None,
            toast: None,
            timers: Vec::new(),
            clock: Duration::ZERO,
            settings: BTreeMap::new(),
            keyboard_hidden: false,
            shift: false,
            clipboard: None,
            log: Vec::new(),
            next_pid: 2001,
            system_scroll: BTreeMap::new(),
            problems: RefCell::default(),
            told: BTreeSet::new(),
            budget: budget::Budget::default(),
            fonts: Fonts::new(),
            scene: OnceCell::new(),
            frame: None,
        };
        for folder in &options.apps {
            let app = App::load(folder, options.schema_check)?;
            phone.apps.insert(app.manifest.package.clone(), app);
        }
        Ok(phone)
    }

    /// What is drawn is no longer true.
    fn changed(&mut self) {
        self.scene.take();
        self.frame = None;
    }

    fn scene(&self) -> &Scene {
        self.scene.get_or_init(|| scene::build(self))
    }

    /// The display before rotation: as made, unless the settings `size` (`WIDTHxHEIGHT`) and `density` say otherwise.
    fn natural(&self) -> Display {
        let size = self.settings.get("size").and_then(|size| {
            let (width, height) = size.split_once('x')?;
            Some((width.parse().ok()?, height.parse().ok()?))
        });
        let (width, height) = size
            .filter(|(width, height)| (1..=8192).contains(width) && (1..=8192).contains(height))
            .unwrap_or((self.natural.width, self.natural.height));
        let density = self
            .settings
            .get("density")
            .and_then(|dpi| dpi.parse().ok());
        Display {
            width,
            height,
            density: density
                .filter(|dpi| (60..=1000).contains(dpi))
                .unwrap_or(self.natural.density),
            rotation: 0,
        }
    }

    fn metrics(&self) -> Metrics {
        Metrics {
            scale: self.natural().density.max(1) as f32 / 160.0,
            font_scale: self
                .setting("font_scale")
                .parse()
                .unwrap_or(1.0_f32)
                .clamp(0.5, 3.0),
        }
    }

    fn setting(&self, name: &str) -> &str {
        self.settings
            .get(name)
            .map_or_else(|| default_setting(name), String::as_str)
    }

    fn setting_on(&self, name: &str) -> bool {
        matches!(self.setting(name), "yes" | "true" | "on" | "1")
    }

    /// The screen in front, if an app is.
    fn front(&self) -> Option<(&Task, &Screen)> {
        let task = self
            .tasks
            .last()
            .filter(|_| self.showing == Foreground::App)?;
        Some((task, task.stack.last()?))
    }

    fn front_mut(&mut self) -> Option<(&str, &mut Screen)> {
        let task = self
            .tasks
            .last_mut()
            .filter(|_| self.showing == Foreground::App)?;
        Some((&task.package, task.stack.last_mut()?))
    }

    fn front_package(&self) -> Option<String> {
        self.front().map(|(task, _)| task.package.clone())
    }

    fn write_log(&mut self, level: char, tag: &str, message: impl Into<String>, package: &str) {
        let pid = self.apps.get(package).and_then(|app| app.pid);
        self.log
            .push((level, tag.to_owned(), message.into(), pid.unwrap_or(1000)));
    }

    /// Logs what could not be shown, once.
    fn tell_problems(&mut self) {
        // This event is over; the next one has all of it.
        self.budget.refill();
        // Problems are found while the scene is built.
        let _ = self.scene();
        let problems = std::mem::take(&mut *self.problems.borrow_mut());
        let package = self.front_package().unwrap_or_default();
        for problem in problems {
            if self.told.insert(problem.clone()) {
                self.write_log('E', "A2UI", problem, &package);
            }
        }
    }
}

fn default_setting(name: &str) -> &'static str {
    match name {
        "dark" => "no",
        "font_scale" => "1.0",
        "locale" => "en",
        "location" => "1",
        _ => "0",
    }
}

impl Phone for VirtualPhone {
    fn windows(&self) -> Vec<WindowDump> {
        self.scene().dump()
    }

    fn draw(&mut self) -> Arc<image::RgbaImage> {
        if let Some(frame) = &self.frame {
            return Arc::clone(frame);
        }
        let frame = self.scene().draw(&self.fonts, self.metrics());
        let frame = Arc::new(frame.unwrap_or_default());
        self.frame = Some(Arc::clone(&frame));
        frame
    }

    fn display(&self) -> Display {
        let natural = self.natural();
        let rotation = self.setting("rotation").parse().unwrap_or(0_u8) % 4;
        let (width, height) = if rotation.is_multiple_of(2) {
            (natural.width, natural.height)
        } else {
            (natural.height, natural.width)
        };
        Display {
            width,
            height,
            density: natural.density,
            rotation,
        }
    }

    fn touch(&mut self, touch: &Touch) {
        self.take_touch(touch);
        self.tell_problems();
    }

    fn fingers(&mut self, fingers: &[Touch]) {
        self.take_fingers(fingers);
        self.tell_problems();
    }

    fn key(&mut self, key: &KeyPress) {
        self.take_key(&key.name, key.long);
        self.tell_problems();
    }

    fn input_text(&mut self, text: &str) -> Result<(), char> {
        if let Some(bad) = text
            .chars()
            .find(|letter| !(' '..='~').contains(letter) && *letter != '\n' && *letter != '\t')
        {
            return Err(bad);
        }
        self.type_text(text);
        self.budget.refill();
        Ok(())
    }

    fn commit_text(&mut self, text: &str) -> bool {
        let typed = self.type_text(text);
        self.budget.refill();
        typed
    }

    fn packages(&self) -> Vec<PackageDump> {
        let system = [
            (LAUNCHER, "Launcher", Some(".Home")),
            (KEYBOARD, "Keyboard", None),
            (PERMISSIONS, "Permissions", None),
            (SYSTEM_UI, "System UI", None),
        ];
        let mut all: Vec<PackageDump> = system
            .into_iter()
            .map(|(package, label, activity)| PackageDump {
                package: package.into(),
                label: label.into(),
                system: true,
                launchable: activity.map(Into::into),
                version: "14".into(),
                version_code: 34,
                permissions: Vec::new(),
            })
            .collect();
        all.extend(self.apps.iter().map(|(package, app)| {
            PackageDump {
                package: package.clone(),
                label: app.manifest.label.clone(),
                system: false,
                launchable: app.manifest.launchable().map(Into::into),
                version: app.manifest.version.clone(),
                version_code: app.manifest.version_code,
                permissions: app
                    .permissions
                    .iter()
                    .map(|(name, granted)| (name.clone(), *granted))
                    .collect(),
            }
        }));
        all.sort_by(|a, b| a.package.cmp(&b.package));
        all
    }

    fn start(
        &mut self,
        package: &str,
        activity: Option<&str>,
        extras: &BTreeMap<String, String>,
    ) -> Result<(), String> {
        self.start_activity(package, activity, extras)?;
        self.tell_problems();
        Ok(())
    }

    fn open_link(&mut self, uri: &str, package: Option<&str>) -> Result<(), String> {
        self.follow_link(uri, package)?;
        self.tell_problems();
        Ok(())
    }

    fn force_stop(&mut self, package: &str) {
        self.end_app(package);
    }

    fn clear(&mut self, package: &str) -> bool {
        self.end_app(package);
        if let Some(app) = self.apps.get_mut(package) {
            app.clear();
            return true;
        }
        false
    }

    fn install(&mut self, folder: &Utf8Path) -> Result<String, String> {
        let app = App::load(folder, self.schema_check)
            .map_err(|error| format!("INSTALL_PARSE_FAILED_NOT_APK: {error}"))?;
        let package = app.manifest.package.clone();
        // As on phones, an app that runs ends when another version is installed.
        self.end_app(&package);
        self.apps.insert(package.clone(), app);
        self.changed();
        Ok(package)
    }

    fn uninstall(&mut self, package: &str) -> bool {
        self.end_app(package);
        self.changed();
        self.apps.remove(package).is_some()
    }

    fn set_permission(
        &mut self,
        package: &str,
        permission: &str,
        granted: bool,
    ) -> Result<(), String> {
        let app = self.apps.get_mut(package).ok_or_else(|| {
            format!("java.lang.IllegalArgumentException: Unknown package: {package}")
        })?;
        let state = app.permissions.get_mut(permission).ok_or_else(|| {
            format!(
                "java.lang.SecurityException: Package {package} has not requested permission {permission}"
            )
        })?;
        *state = granted;
        Ok(())
    }

    fn set(&mut self, setting: &str, value: &str) {
        self.settings.insert(setting.into(), value.into());
        self.changed();
    }

    fn get(&self, setting: &str) -> String {
        self.setting(setting).to_owned()
    }

    fn processes(&self) -> Vec<(u32, String)> {
        let mut all = vec![
            (812, SYSTEM_UI.to_owned()),
            (934, KEYBOARD.to_owned()),
            (1101, LAUNCHER.to_owned()),
        ];
        all.extend(
            self.apps
                .iter()
                .filter_map(|(package, app)| Some((app.pid?, package.clone()))),
        );
        all.sort_unstable();
        all
    }

    fn take_log(&mut self) -> Vec<(char, String, String, u32)> {
        std::mem::take(&mut self.log)
    }

    fn clipboard(&self) -> Option<String> {
        self.clipboard.clone()
    }

    fn set_clipboard(&mut self, text: &str) {
        self.clipboard = Some(text.to_owned());
    }

    fn status_bar(&mut self, panel: &str) {
        self.shade = match panel {
            "notifications" => Some(Shade::Notifications),
            "settings" => Some(Shade::QuickSettings),
            _ => None,
        };
        self.changed();
    }

    fn a2ui(&mut self, message: &str) -> Result<String, String> {
        let messages = read_any_version(message).map_err(|error| error.to_string())?;
        let Some(package) = self.front_package() else {
            return Err("no app is in front; start one first".into());
        };
        for message in &messages {
            self.take_message(&package, message)?;
        }
        self.changed();
        self.tell_problems();
        Ok(format!("{{\"messages\":{}}}", messages.len()))
    }

    fn a2ui_surfaces(&self) -> String {
        let front = self.front().map(|(_, screen)| &screen.surface);
        let shown: Vec<Value> = front
            .filter(|surface| !surface.components.is_empty())
            .map(|surface| {
                let root = surface.components.get(surface.root());
                serde_json::json!({
                    "surface_id": surface.id,
                    "root_widget_type": root.and_then(|root| root.get("component")),
                    "widget_count": surface.components.len(),
                })
            })
            .into_iter()
            .collect();
        Value::from(shown).to_string()
    }

    fn advance(&mut self, by: Duration) {
        self.pass_time(by);
        self.tell_problems();
    }

    fn keyboard_shown(&self) -> bool {
        self.scene().has(WindowName::Keyboard)
    }
}

impl VirtualPhone {
    fn take_message(&mut self, package: &str, message: &Message) -> Result<(), String> {
        if let Message::UpdateDataModel { path, value, .. } = message {
            if let Some(app) = self.apps.get_mut(package) {
                a2ui::set(&mut app.model, path, value.clone());
            }
            return Ok(());
        }
        let Some((_, screen)) = self.front_mut() else {
            return Err("no app is in front; start one first".into());
        };
        screen.take_message(message)
    }
}

impl Screen {
    fn take_message(&mut self, message: &Message) -> Result<(), String> {
        match message {
            Message::CreateSurface { .. } => {
                self.view = ViewState::default();
                self.surface = Surface::default();
            }
            Message::UpdateComponents { surface, early, .. } if *surface != self.surface.id => {
                if *early {
                    let coming = self.coming.entry(surface.clone()).or_default();
                    coming.apply(message);
                    return Ok(());
                }
                if surface != SURFACE_IN_FRONT {
                    return Err(self.no_surface(surface));
                }
            }
            Message::BeginRendering { surface, .. } => {
                if let Some(coming) = self.coming.remove(surface) {
                    self.surface = coming;
                    self.view = ViewState::default();
                } else if *surface != self.surface.id {
                    return Err(format!(
                        "the surface `{surface}` has no components; send them with `surfaceUpdate` first"
                    ));
                }
            }
            Message::DeleteSurface { surface } if *surface != self.surface.id => {
                let coming = self.coming.remove(surface);
                return coming.map(drop).ok_or_else(|| self.no_surface(surface));
            }
            _ => {}
        }
        self.surface.apply(message);
        Ok(())
    }

    fn no_surface(&self, named: &str) -> String {
        format!(
            "there is no surface `{named}`; the one in front is `{}`",
            self.surface.id
        )
    }
}

/// An empty root for a window that has nothing to tell.
pub(crate) fn bare_node(class: &str) -> NodeDump {
    NodeDump {
        class: class.into(),
        enabled: true,
        ..NodeDump::default()
    }
}

#[cfg(test)]
mod components;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;
