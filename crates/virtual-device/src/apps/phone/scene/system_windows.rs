//! Builds the windows of the system and of other apps above those of the app in front.

use super::build::SceneBuilder;
use super::measures::{NAVIGATION, STATUS};
use super::window::{Window, WindowName};
use crate::app_host::Bars;
use crate::apps::phone::errors::AppErrorKind;
use crate::apps::phone::{BUBBLE, Foreground, PERMISSIONS, SYSTEM, SYSTEM_UI, Shade, VEIL};
use crate::apps::system;
use crate::apps::ui::Colour;
use crate::{Quirk, Switch};
use runner_screen::Rect;

/// Tiles of the quick settings.
const TILES: [(Switch, &str); 4] = [
    (Switch::Airplane, "Airplane mode"),
    (Switch::Location, "Location"),
    (Switch::Dark, "Dark theme"),
    (Switch::AutoRotate, "Auto-rotate"),
];

impl SceneBuilder<'_> {
    /// Adds the system's windows above apps and launcher, back to front: permission dialog, other apps, error
    /// dialog, toast, navigation bar, shade, status bar. A bar that the app hides is left out.
    pub(super) fn system_windows(&mut self) {
        let phone = self.phone;
        let theme = self.theme.clone();
        let whole = self.bounds;
        if let Some(question) = &phone.overlay.question {
            let label = phone
                .packages
                .get(&question.package)
                .map_or("", |app| app.manifest.label.as_str());
            let root = system::permission(&theme, label, &question.permission);
            let activity = ".permission.ui.GrantPermissionsActivity";
            self.add(
                WindowName::Permission,
                format!("{PERMISSIONS}/{PERMISSIONS}{activity}"),
                PERMISSIONS,
                Some(activity.into()),
                whole,
                root,
            );
        }
        self.other_apps();
        self.app_error();
        if let Some(text) = phone.overlay.toast() {
            let root = system::toast(&theme, text);
            self.add(
                WindowName::Toast,
                "Toast".into(),
                SYSTEM_UI,
                None,
                whole,
                root,
            );
        }
        let over_dark =
            theme.dark || phone.tasks.showing() != Foreground::App || phone.overlay.shade.is_some();
        let dialog = self.has_scrim();
        let ink = bar_ink(!over_dark && !dialog);
        let bottom = Rect::new(
            0,
            whole.bottom - self.px(NAVIGATION),
            whole.right,
            whole.bottom,
        );
        let bars = self.app_bars();
        if !bars.is_some_and(|bars| bars.navigation_hidden) {
            let ink = bars.map_or(ink, |bars| bar_ink(bars.light_navigation));
            let root = system::navigation_bar(ink);
            self.add(
                WindowName::NavigationBar,
                "NavigationBar0".into(),
                SYSTEM_UI,
                None,
                bottom,
                root,
            );
        }
        if let Some(shade) = phone.overlay.shade {
            let root = match shade {
                Shade::Notifications => system::shade(&theme),
                Shade::QuickSettings => {
                    let tile = |(switch, label)| (switch, label, phone.settings.is_on(switch));
                    system::quick_settings(&theme, &TILES.map(tile))
                }
            };
            self.add(
                WindowName::Shade,
                "NotificationShade".into(),
                SYSTEM_UI,
                None,
                whole,
                root,
            );
        }
        if bars.is_some_and(|bars| bars.status_hidden) {
            return;
        }
        let ink = bars.map_or(ink, |bars| bar_ink(bars.light_status));
        let top = Rect::new(0, 0, whole.right, self.px(STATUS));
        let root = system::status_bar(ink);
        self.add(
            WindowName::StatusBar,
            "StatusBar".into(),
            SYSTEM_UI,
            None,
            top,
            root,
        );
    }

    /// Adds the windows of other apps over the front one: those that [`Quirk::Veil`] and [`Quirk::Overlay`]
    /// ask for. The keyboard is above them.
    fn other_apps(&mut self) {
        let whole = self.bounds;
        if self.phone.has(Quirk::Veil) {
            let title = VEIL.to_owned();
            let root = system::veil();
            self.add(WindowName::Veil, title, VEIL, None, whole, root);
            self.lower_below_keyboard();
        }
        if self.phone.has(Quirk::Overlay) {
            let title = BUBBLE.to_owned();
            let root = system::bubble(&self.theme, NAVIGATION);
            self.add(WindowName::Bubble, title, BUBBLE, None, whole, root);
            if let Some(window) = self.windows.last_mut() {
                let bubble = window.placed.children.first();
                window.bounds = bubble.map_or(whole, |bubble| bubble.rect);
                window.frame = Some(whole);
            }
            self.lower_below_keyboard();
        }
    }

    /// Moves the window that was added last below the keyboard. Without a keyboard it stays on top.
    fn lower_below_keyboard(&mut self) {
        let is_keyboard = |window: &Window| window.name == WindowName::Keyboard;
        if let Some(keyboard) = self.windows.iter().position(is_keyboard) {
            self.windows[keyboard..].rotate_right(1);
        }
    }

    /// Adds the dialog about an app that crashed or hangs, if there is one.
    fn app_error(&mut self) {
        let Some(error) = &self.phone.overlay.error else {
            return;
        };
        let app = self.phone.packages.get(&error.package);
        let label = app.map_or("", |app| app.manifest.label.as_str());
        let root = system::app_error(&self.theme, label, error.kind);
        let title = match error.kind {
            AppErrorKind::KeepsStopping => "Application Error",
            AppErrorKind::NotResponding => "Application Not Responding",
        };
        let title = format!("{title}: {}", error.package);
        let whole = self.bounds;
        self.add(WindowName::AppError, title, SYSTEM, None, whole, root);
    }

    /// Returns the look of the system's bars that an app in a host requests, or `None` if no such app is in front, or
    /// the shade or a dialog is above it.
    fn app_bars(&self) -> Option<Bars> {
        let is_covered = self.phone.overlay.shade.is_some() || self.has_scrim();
        let (_, hosted) = self.phone.hosted_in_front()?;
        (!is_covered).then(|| hosted.state().bars)
    }

    /// Returns true if a dialog added so far darkens the screen. Dialogs of app hosts do not count.
    fn has_scrim(&self) -> bool {
        self.windows.iter().any(|window| {
            matches!(
                window.name,
                WindowName::Dialog
                    | WindowName::Date
                    | WindowName::Permission
                    | WindowName::AppError
            )
        })
    }
}

/// Returns the colour of icons on a system bar: dark on a light bar, else light.
fn bar_ink(is_light: bool) -> Colour {
    if is_light {
        Colour::rgb(0x00_2A_2D_33)
    } else {
        Colour::rgb(0x00_F1_F3_F7)
    }
}
