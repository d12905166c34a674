//! The phone: apps, windows, touches, keys, settings.
//!
//! `interface` is the phone as the device uses it. `scene` builds the windows on the screen, `touch` and `keys` handle
//! input, `react` performs its effects with `popups`, `act` runs the actions of apps, `lifecycle` starts and ends apps.
//! Each part of the phone's state is a type in its own file: `packages`, `tasks`, `overlay`, `keyboard`, `clock`,
//! `settings`, `log`, `budget`, `drawing`.

mod accessibility;
mod act;
mod budget;
mod caret;
mod clock;
mod drawing;
mod edit;
mod errors;
mod focus;
mod hosted_apps;
mod interface;
mod keyboard;
mod keys;
mod lifecycle;
mod log;
mod overlay;
mod packages;
mod popups;
mod react;
mod scene;
mod settings;
mod tasks;
mod text;
mod touch;

use self::budget::Budget;
use self::caret::Blink;
use self::clock::Clock;
use self::drawing::Drawing;
use self::hosted_apps::Outbox;
use self::keyboard::Keyboard;
use self::log::PhoneLog;
use self::overlay::{Overlay, Question, Shade};
use self::packages::Packages;
use self::scene::{Scene, WindowName};
use self::settings::Settings;
use self::tasks::{Foreground, Screen, Tasks};
use self::touch::Touches;
use super::app::{App, AppError};
use super::system;
use crate::{NodeDump, PhoneOptions, Quirk};
pub(crate) use errors::{AppErrorAnswer, AppErrorKind, Hang};
pub use hosted_apps::HostCall;
pub(crate) use hosted_apps::HostedAppState;

pub(crate) const LAUNCHER: &str = "com.android.launcher";
/// Package of system bars and shade.
pub(crate) const SYSTEM_UI: &str = "com.android.systemui";
pub(crate) const KEYBOARD: &str = "com.android.inputmethod.latin";
/// Package of the permission dialog.
pub(crate) const PERMISSIONS: &str = "com.android.permissioncontroller";
/// Wall clock at the device's start, in milliseconds since 1970: 1 January 2026, noon. The clock in the
/// status bar begins there.
pub(crate) const WALL_CLOCK: i64 = 1_767_268_800_000;
/// Package of the system's own dialogs.
pub(crate) const SYSTEM: &str = "android";
/// Package of the app of [`Quirk::Overlay`], whose bubble lies over others.
pub(crate) const BUBBLE: &str = "com.example.bubble";
/// Package of the app of [`Quirk::Veil`], which tints the display.
pub(crate) const VEIL: &str = "com.example.veil";

/// An Android phone in memory: apps from folders, their screens, input and settings.
pub struct VirtualPhone {
    packages: Packages,
    tasks: Tasks,
    overlay: Overlay,
    keyboard: Keyboard,
    touches: Touches,
    clipboard: Option<String>,
    clock: Clock,
    settings: Settings,
    log: PhoneLog,
    budget: Budget,
    drawing: Drawing,
    /// Calls to app hosts.
    outbox: Outbox,
    /// Latest fault of a host that was not reported yet.
    host_fault: Option<String>,
    quirks: Vec<Quirk>,
    blink: Blink,
}

impl VirtualPhone {
    /// Makes a phone with the built-in browser, the apps of some folders, and those in hosts. It shows the
    /// launcher. Of several apps with one package the last one counts. Fails at the first app that cannot be
    /// loaded.
    pub fn new(options: &PhoneOptions) -> Result<Self, AppError> {
        let mut packages = Packages::new(options.schema_check);
        packages.add(system::browser()?);
        for folder in &options.apps {
            packages.add(packages.load(folder)?);
        }
        for app in &options.hosted {
            packages.add(App::hosted(app.clone()));
        }
        Ok(Self {
            packages,
            tasks: Tasks::new(),
            overlay: Overlay::default(),
            keyboard: Keyboard::default(),
            touches: Touches::default(),
            clipboard: None,
            clock: Clock::default(),
            settings: Settings::new(options.display),
            log: PhoneLog::default(),
            budget: Budget::default(),
            drawing: Drawing::new(),
            outbox: Outbox::default(),
            host_fault: None,
            quirks: options.quirks.clone(),
            blink: Blink::default(),
        })
    }

    fn has(&self, quirk: Quirk) -> bool {
        self.quirks.contains(&quirk)
    }

    /// Drops the cached scene after a change, and rotates the display as the host in front asks.
    fn changed(&mut self) {
        let orientation = self
            .hosted_in_front()
            .and_then(|(_, hosted)| hosted.state().orientation);
        self.settings.orient(orientation);
        self.drawing.invalidate();
    }

    fn scene(&self) -> &Scene {
        self.drawing.scene(|| scene::build(self))
    }

    fn front_package(&self) -> Option<String> {
        self.tasks.front().map(|(task, _)| task.package.clone())
    }

    fn write_log(&mut self, level: char, tag: &str, message: impl Into<String>, package: &str) {
        let pid = self.packages.pid(package);
        self.log.write(level, tag, message.into(), pid);
    }

    /// Logs each new problem of building the screen once in the phone's life, and refills the budget of steps for
    /// the next event.
    fn report_problems(&mut self) {
        // This event is over; the next one has all of it.
        self.budget.refill();
        // Problems are found while the scene is built.
        let _ = self.scene();
        let problems = self.log.take_problems();
        let package = self.front_package().unwrap_or_default();
        for problem in problems {
            if self.log.is_new(&problem) {
                self.write_log('E', "A2UI", problem, &package);
            }
        }
    }
}

/// Returns an enabled node without bounds and texts, the root of a window without content.
pub(crate) fn bare_node(class: &str) -> NodeDump {
    NodeDump {
        class: class.into(),
        enabled: true,
        ..NodeDump::default()
    }
}

#[cfg(test)]
mod apks;
#[cfg(test)]
mod calendar;
#[cfg(test)]
mod components;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod hostile_app_tests;
#[cfg(test)]
mod stacking_tests;
#[cfg(test)]
mod tests;
