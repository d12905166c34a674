//! Builds the windows of apps and of the launcher, and lays all windows out.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::frame::{content, frame};
use super::measures::{NAVIGATION, STATUS, keyboard_dp, keyboard_is_wanted};
use super::stack::Scene;
use super::window::{Window, WindowName};
use crate::apps::a2ui::{Builder, ByteBudget};
use crate::apps::phone::hosted_apps::HostedAppState;
use crate::apps::phone::{Foreground, KEYBOARD, LAUNCHER, VirtualPhone, bare_node};
use crate::apps::system::{self, HomeApp};
use crate::apps::ui::{Axis, Element, LayoutNode, Metrics, Theme, place};
use crate::{Quirk, Switch};
use runner_screen::Rect;

pub(super) struct SceneBuilder<'a> {
    pub(super) phone: &'a VirtualPhone,
    pub(super) metrics: Metrics,
    pub(super) theme: Theme,
    pub(super) bounds: Rect,
    pub(super) windows: Vec<Window>,
}

/// Builds and lays out all windows, back to front: the app in front or the launcher, then the system's.
pub(in super::super) fn build(phone: &VirtualPhone) -> Scene {
    let display = phone.settings.display();
    let colour = phone.front_package().and_then(|package| {
        let app = phone.packages.get(&package)?;
        let screen = phone.tasks.front()?.1;
        screen.surface.primary.or(app.colour)
    });
    let mut builder = SceneBuilder {
        phone,
        metrics: phone.settings.metrics(),
        theme: Theme::new(phone.settings.is_on(Switch::Dark), colour),
        bounds: display.bounds(),
        windows: Vec::new(),
    };
    if phone.tasks.showing() == Foreground::App {
        builder.app();
    } else {
        builder.home();
    }
    builder.system_windows();
    Scene {
        windows: builder.windows,
        width: display.width,
        height: display.height,
    }
}

impl SceneBuilder<'_> {
    pub(super) fn px(&self, dp: f32) -> i32 {
        (dp * self.metrics.scale).round() as i32
    }

    /// Adds a window on top, laid out in `bounds`, with names for its elements, and the focus by keys marked in
    /// windows of the screen. A popup's bounds become those of its contents. Scroll positions are the screen's, or
    /// for windows of the system the overlay's.
    pub(super) fn add(
        &mut self,
        name: WindowName,
        title: String,
        package: &str,
        activity: Option<String>,
        bounds: Rect,
        mut root: Element,
    ) {
        // A root without a class is no node, and its window would have a null root. A popup's root is its contents.
        if root.node.class.is_empty() && !name.is_popup() {
            root.node = bare_node("android.widget.FrameLayout");
        }
        let front = self.phone.tasks.front().filter(|_| name.is_of_screen());
        let focus = front.and_then(|(_, screen)| screen.view.key_focus.as_deref());
        name_focusables(&mut root, &mut BTreeMap::new(), focus);
        let empty = BTreeMap::new();
        let offsets = if name.is_of_screen() {
            front.map_or(&empty, |(_, screen)| &screen.view.scroll)
        } else {
            &self.phone.overlay.scroll
        };
        let placed = place(
            root,
            bounds,
            self.metrics,
            &self.phone.drawing.fonts,
            offsets,
        );
        let content = if name.is_popup() {
            first_node(&placed).and_then(LayoutNode::visible)
        } else {
            None
        };
        self.windows.push(Window {
            name,
            title,
            package: package.to_owned(),
            activity,
            bounds: content.unwrap_or(bounds),
            frame: None,
            placed,
            hosted: None,
        });
    }

    /// Adds the windows of an app in a host, and the keyboard above them if the app asks for it. Their contents are the
    /// host's, so they have no elements.
    fn hosted(&mut self, package: &str, hosted: &HostedAppState) {
        for window in hosted.windows() {
            let about = Arc::clone(&window.window);
            let activity = about.component.as_deref().map(short_activity);
            self.add(
                WindowName::Hosted,
                about.title.clone(),
                package,
                activity,
                about.bounds(),
                Element::group(Axis::Vertical, Vec::new()),
            );
            if let Some(last) = self.windows.last_mut() {
                last.hosted = Some(window);
            }
        }
        if keyboard_is_wanted(self.phone) {
            self.keyboard();
        }
    }

    /// Adds the keyboard in any case. Its window reaches down to the edge of the display, and the keys are above
    /// the navigation bar. A quirk makes its frame, but not its keys, reach up to the status bar.
    fn keyboard(&mut self) {
        let keys = keyboard_dp(self.bounds) + NAVIGATION;
        let top = self.bounds.bottom - self.px(keys);
        let bounds = Rect::new(0, top, self.bounds.right, self.bounds.bottom);
        let root = system::keyboard(&self.theme, self.phone.keyboard.shift(), NAVIGATION);
        self.add(
            WindowName::Keyboard,
            "InputMethod".into(),
            KEYBOARD,
            None,
            bounds,
            root,
        );
        if self.phone.has(Quirk::TallKeyboard)
            && let Some(window) = self.windows.last_mut()
        {
            let top = (STATUS * self.metrics.scale).round() as i32;
            window.frame = Some(Rect { top, ..self.bounds });
        }
    }

    /// Adds the windows of the app in front, or the launcher if there is none: the screen, its dialog, its
    /// calendar or else its drop-down, then the keyboard. A package from an APK has an empty screen.
    fn app(&mut self) {
        let phone = self.phone;
        let Some((task, screen)) = phone.tasks.front() else {
            return self.home();
        };
        let Some(app) = phone.packages.get(&task.package) else {
            return;
        };
        if let Some(hosted) = &app.hosted {
            return self.hosted(&task.package, hosted);
        }
        let theme = self.theme.clone();
        let builder = Builder {
            package: &task.package,
            surface: &screen.surface,
            model: &app.model,
            view: &screen.view,
            hides_caret: phone.blink.is_off,
            theme: &theme,
            problems: &phone.log.problems,
            built: std::cell::Cell::new(0),
            work: ByteBudget::default(),
        };
        let title = app
            .manifest
            .activities
            .get(&screen.activity)
            .and_then(|activity| activity.title.clone());
        let keys = keyboard_is_wanted(phone);
        let bottom = NAVIGATION + if keys { keyboard_dp(self.bounds) } else { 0.0 };
        let root = frame(
            &task.package,
            &theme,
            title.as_deref(),
            task.stack.len() > 1,
            if app.apk.is_some() {
                Element::group(Axis::Vertical, Vec::new())
            } else {
                content(&builder)
            },
            bottom,
        );
        let name = app.manifest.label.clone();
        let activity = Some(screen.activity.clone());
        self.add(
            WindowName::App,
            name.clone(),
            &task.package,
            activity.clone(),
            self.bounds,
            root,
        );
        if let Some((content, base)) = &screen.view.modal {
            let mut root = system::dialog(&theme, builder.component(content, base, 0));
            if keys {
                root.layout.padding[3] += bottom;
            }
            self.add(
                WindowName::Dialog,
                name.clone(),
                &task.package,
                activity.clone(),
                self.bounds,
                root,
            );
        }
        if let Some(dialog) = &screen.view.date {
            let dp = |px: u32| px as f32 / self.metrics.scale;
            let room = system::Room {
                width: dp(self.bounds.width()),
                height: dp(self.bounds.height()) - STATUS - NAVIGATION,
                bars: [STATUS, NAVIGATION],
                font_scale: self.metrics.font_scale,
            };
            let root = system::date_dialog(&theme, dialog, room);
            self.add(
                WindowName::Date,
                name,
                &task.package,
                activity,
                self.bounds,
                root,
            );
        } else if let Some(menu) = &screen.view.menu {
            let high = self.bounds.height() as f32 / self.metrics.scale;
            let root = system::menu(&theme, menu, self.metrics.scale, high);
            let name = "PopupWindow:4f1c2a7".to_owned();
            self.add(
                WindowName::Menu,
                name,
                &task.package,
                activity,
                self.bounds,
                root,
            );
        }
        if keys {
            self.keyboard();
        }
    }

    /// Adds the recent apps, most recent first, if they are shown. Else adds the launcher, by package: all apps of
    /// folders, and those of APKs and of the system that a person can start.
    fn home(&mut self) {
        let phone = self.phone;
        let about = |package: &String| {
            let manifest = &phone.packages.get(package)?.manifest;
            Some(HomeApp {
                package: package.clone(),
                label: manifest.label.clone(),
                icon: manifest.icon.clone().unwrap_or_else(|| "star".into()),
                colour: phone.packages.get(package)?.colour,
            })
        };
        let root = if phone.tasks.showing() == Foreground::Recents {
            let open: Vec<HomeApp> = phone.tasks.recent().filter_map(about).collect();
            system::recents(&self.theme, &open, STATUS, NAVIGATION)
        } else {
            let all: Vec<HomeApp> = phone
                .packages
                .iter()
                // Of APKs and of the system, only those that a person can start.
                .filter(|(_, app)| {
                    app.apk.is_none() && !app.system || app.manifest.launchable().is_some()
                })
                .filter_map(|(package, _)| about(package))
                .collect();
            system::launcher(&self.theme, &all, STATUS, NAVIGATION)
        };
        self.add(
            WindowName::Home,
            format!("{LAUNCHER}/{LAUNCHER}.Home"),
            LAUNCHER,
            Some(".Home".into()),
            self.bounds,
            root,
        );
    }
}

/// Returns the activity of `PACKAGE/ACTIVITY` without the package, as dumps of windows write it. A class is not
/// shortened. A name without `/` stays whole.
fn short_activity(component: &str) -> String {
    let activity = component
        .split_once('/')
        .map_or(component, |(_, activity)| activity);
    activity.to_owned()
}

/// Returns the first element with a class, which has a node in dumps: this one, or the first below it.
fn first_node(placed: &LayoutNode) -> Option<&LayoutNode> {
    if !placed.element.node.class.is_empty() {
        return Some(placed);
    }
    placed.children.iter().find_map(first_node)
}

/// Gives each focusable element without a key one that stays the same in each layout: its id and class with a
/// number. Marks the element whose key is `focus` as focused. `seen` counts the names so far.
fn name_focusables(element: &mut Element, seen: &mut BTreeMap<String, usize>, focus: Option<&str>) {
    if element.node.focusable && element.key.is_empty() {
        let name = format!("{}{}", element.node.resource_id, element.node.class);
        let number = seen.entry(name.clone()).or_default();
        *number += 1;
        element.key = format!("{name}#{number}");
    }
    if focus.is_some_and(|focus| focus == element.key) {
        element.node.focused = true;
    }
    for child in &mut element.children {
        name_focusables(child, seen, focus);
    }
}
