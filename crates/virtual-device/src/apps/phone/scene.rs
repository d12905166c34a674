//! The windows on the screen from back to front, laid out.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::errors::AppErrorKind;
use super::hosted_apps::{HostedAppState, HostedWindow, windows as hosted_windows};
use super::{
    BUBBLE, Foreground, KEYBOARD, LAUNCHER, PERMISSIONS, SYSTEM, SYSTEM_UI, Shade, VEIL,
    VirtualPhone,
};
use crate::app_host::{Bars, Insets};
use crate::apps::a2ui::{Builder, ByteBudget};
use crate::apps::system::{self, HomeApp};
use crate::apps::ui::{
    Align, Axis, Colour, Element, Field, Fonts, Justify, LayoutNode, Length, Metrics, Painter,
    Shrink, Theme, TouchAction, Weight, dump, place,
};
use crate::{NodeDump, Quirk, StackedWindow, Switch, WindowDump, WindowTouch};
use runner_screen::{Point, Rect};
use xxhash_rust::xxh3::xxh3_64;

/// Heights of the system's windows in dp. 24 and 48 are Android's bars (AOSP `dimens.xml`); the keyboard's are
/// chosen close to real ones.
const STATUS: f32 = 24.0;
const NAVIGATION: f32 = 48.0;
const KEYS: f32 = 250.0;
const KEYS_LANDSCAPE: f32 = 170.0;

/// Tiles of the quick settings.
const TILES: [(Switch, &str); 4] = [
    (Switch::Airplane, "Airplane mode"),
    (Switch::Location, "Location"),
    (Switch::Dark, "Dark theme"),
    (Switch::AutoRotate, "Auto-rotate"),
];

/// Kind of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WindowName {
    App,
    /// Window of an app in a host: an activity, a dialog, a popup.
    Hosted,
    Home,
    Dialog,
    Menu,
    Date,
    Keyboard,
    Permission,
    AppError,
    StatusBar,
    NavigationBar,
    Shade,
    Toast,
    /// Window of another app: a bubble over the app.
    Bubble,
    /// Window of another app: a tint over everything.
    Veil,
}

/// A window, laid out.
pub(crate) struct Window {
    pub name: WindowName,
    pub title: String,
    pub package: String,
    pub activity: Option<String>,
    /// Part of the display that it draws on and that takes touches.
    pub bounds: Rect,
    /// Its whole frame, if larger than `bounds`.
    frame: Option<Rect>,
    pub placed: LayoutNode,
    /// Contents of a host's window.
    pub hosted: Option<HostedWindow>,
}

impl Window {
    /// Returns a positive number that stays the same as long as the window is open. As on Android, windows of
    /// two activities have two ids.
    pub fn id(&self) -> i32 {
        if let Some(hosted) = &self.hosted {
            return hosted_windows::id(&self.package, hosted.window.id);
        }
        let name = self.name as i32 + 1;
        let Some(activity) = &self.activity else {
            return name;
        };
        let component = format!("{}/{activity}", self.package);
        (xxh3_64(component.as_bytes()) >> 52) as i32 * 16 + name
    }
}

/// All windows, back to front.
pub(crate) struct Scene {
    pub windows: Vec<Window>,
    width: u32,
    height: u32,
}

impl Window {
    /// Returns true if the window can have the input focus.
    fn takes_focus(&self) -> bool {
        match &self.hosted {
            Some(hosted) => hosted.window.focusable,
            None => self.name.takes_focus(),
        }
    }

    /// Returns the touches that the window takes. Only the keyboard and windows smaller than their frame have
    /// a region; others take touches in all their bounds.
    fn touch(&self) -> WindowTouch {
        if let Some(hosted) = &self.hosted {
            return hosted.touch();
        }
        let gives_region = self.frame.is_some() || self.name == WindowName::Keyboard;
        WindowTouch {
            focusable: self.name.takes_focus(),
            touchable: self.name.is_touchable(),
            touch_modal: true,
            region: gives_region.then_some(self.bounds),
        }
    }

    fn frame(&self) -> Rect {
        self.frame.unwrap_or(self.bounds)
    }

    fn layout_type(&self) -> &'static str {
        let of_host = self.hosted.as_ref().map(HostedWindow::layout_type);
        of_host.unwrap_or_else(|| self.name.layout_type())
    }

    /// Returns the window's nodes, or `None` if it shows none.
    fn root(&self) -> Option<NodeDump> {
        match &self.hosted {
            Some(hosted) => hosted.root(),
            None => dump(&self.placed),
        }
    }
}

impl WindowName {
    /// Returns true if windows of this kind can have the input focus.
    fn takes_focus(self) -> bool {
        !matches!(
            self,
            Self::Keyboard
                | Self::StatusBar
                | Self::NavigationBar
                | Self::Toast
                | Self::Bubble
                | Self::Veil
        )
    }

    fn is_touchable(self) -> bool {
        !matches!(self, Self::Toast | Self::Veil)
    }

    /// Returns true for a window above the screen that is as large as its contents and keeps all touches from
    /// the windows below.
    fn is_popup(self) -> bool {
        matches!(
            self,
            Self::Dialog | Self::Menu | Self::Date | Self::Permission | Self::AppError
        )
    }

    /// Returns true for a window that the screen in front has opened.
    pub fn is_of_screen(self) -> bool {
        matches!(self, Self::App | Self::Dialog | Self::Menu | Self::Date)
    }

    /// Returns the kind of window that dumps name.
    fn kind(self) -> &'static str {
        match self {
            Self::Keyboard => "INPUT_METHOD",
            Self::AppError
            | Self::StatusBar
            | Self::NavigationBar
            | Self::Shade
            | Self::Toast
            | Self::Bubble
            | Self::Veil => "SYSTEM",
            _ => "APPLICATION",
        }
    }

    /// Returns Android's name for the window's type.
    fn layout_type(self) -> &'static str {
        match self {
            Self::App | Self::Hosted | Self::Home | Self::Permission => "BASE_APPLICATION",
            Self::Dialog | Self::Date => "APPLICATION",
            Self::Menu => "APPLICATION_PANEL",
            Self::Keyboard => "INPUT_METHOD",
            Self::AppError => "SYSTEM_ALERT",
            Self::StatusBar => "STATUS_BAR",
            Self::NavigationBar => "NAVIGATION_BAR",
            Self::Shade => "NOTIFICATION_SHADE",
            Self::Toast => "TOAST",
            Self::Bubble | Self::Veil => "APPLICATION_OVERLAY",
        }
    }
}

impl Scene {
    pub fn has(&self, name: WindowName) -> bool {
        self.windows.iter().any(|window| window.name == name)
    }

    /// Returns the topmost window that takes the input focus, or `None`.
    pub fn focused(&self) -> Option<&Window> {
        self.windows
            .iter()
            .rev()
            .find(|window| window.takes_focus())
    }

    /// Returns the text field with a key. Returns `None` if there is no such element, or it is no field.
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.placed_field(key)
            .and_then(|placed| placed.element.field.as_ref())
    }

    /// Returns the element with a key, laid out, in the topmost window that can have the focus and has it.
    /// Returns `None` for an empty key.
    pub fn placed_field(&self, key: &str) -> Option<&LayoutNode> {
        self.windows
            .iter()
            .rev()
            // Elements that nobody asks for have an empty key.
            .filter(|window| !key.is_empty() && window.name.takes_focus())
            .find_map(|window| window.placed.find(key))
    }

    /// Returns the topmost window that takes a touch at a point, or `None`.
    pub fn window_at(&self, at: Point) -> Option<&Window> {
        self.windows
            .iter()
            .rev()
            .find(|window| window.touch().takes(window.frame(), at))
    }

    /// Returns the topmost window of a kind.
    pub fn window(&self, name: WindowName) -> Option<&Window> {
        self.windows.iter().rev().find(|window| window.name == name)
    }

    /// Returns the windows that accessibility sees with their nodes, front to back. Windows that take no
    /// touches, and those below one that takes all, are left out.
    pub fn dump(&self) -> Vec<WindowDump> {
        let covered = self.covered();
        self.windows
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, window)| window.hosted.is_some() || window.name.is_touchable())
            .filter(|(layer, _)| *layer >= covered)
            .map(|(layer, window)| WindowDump {
                root: window.root(),
                ..self.describe(layer, window)
            })
            .collect()
    }

    /// Returns all windows, front to back, as the window manager lists them, also covered ones, without their
    /// nodes.
    pub fn stack(&self) -> Vec<StackedWindow> {
        self.windows
            .iter()
            .enumerate()
            .rev()
            .map(|(layer, window)| StackedWindow {
                dump: self.describe(layer, window),
                layout_type: window.layout_type(),
                frame: window.frame(),
                touch: window.touch(),
            })
            .collect()
    }

    /// Returns the description of a window without its nodes. `layer` counts from 0 at the bottom.
    fn describe(&self, layer: usize, window: &Window) -> WindowDump {
        let focused = self.focused().map(Window::id);
        WindowDump {
            id: window.id(),
            kind: window.name.kind(),
            title: window.title.clone(),
            package: window.package.clone(),
            activity: window.activity.clone(),
            layer: layer as i32,
            focused: Some(window.id()) == focused,
            bounds: window.bounds,
            root: None,
        }
    }

    /// Returns the layer below which accessibility sees no windows: that of the topmost window that takes all
    /// touches, or 0.
    ///
    /// Android leaves out windows that no finger reaches (`AccessibilityWindowsPopulator`,
    /// `WindowState.isTouchModal`).
    fn covered(&self) -> usize {
        let takes_all = |window: &Window| match &window.hosted {
            Some(hosted) => hosted.touch().takes_all(),
            None => window.name.is_popup(),
        };
        self.windows.iter().rposition(takes_all).unwrap_or(0)
    }

    /// Draws all windows, back to front, on black. Returns `None` for a size that no picture can have.
    pub fn draw(&self, fonts: &Fonts, metrics: Metrics) -> Option<crate::Frame> {
        let black = Colour::rgb(0);
        let mut painter = Painter::new(self.width, self.height, black, fonts, metrics)?;
        for window in &self.windows {
            match &window.hosted {
                Some(hosted) => hosted.paint(&mut painter),
                None => painter.draw(&window.placed),
            }
        }
        painter.finish()
    }
}

/// Returns the height of the keyboard without the navigation bar, in dp.
fn keyboard_dp(display: Rect) -> f32 {
    if display.width() > display.height() {
        KEYS_LANDSCAPE
    } else {
        KEYS
    }
}

/// Returns true if the keyboard should be shown: the host in front asks for it, or a field has the focus. It
/// is not shown after it was hidden, nor below the shade and system dialogs.
fn keyboard_is_wanted(phone: &VirtualPhone) -> bool {
    let is_covered = phone.overlay.shade.is_some()
        || phone.overlay.question.is_some()
        || phone.overlay.error.is_some();
    if phone.keyboard.is_hidden() || is_covered {
        return false;
    }
    if let Some((_, hosted)) = phone.hosted_in_front() {
        return hosted.runs && hosted.state().ime.shown;
    }
    phone
        .tasks
        .front()
        .is_some_and(|(_, screen)| screen.view.focus.is_some())
}

/// Returns the heights in pixels that system windows cover: status bar, navigation bar, and the keyboard with
/// the navigation bar, or 0 without one.
pub(super) fn insets(phone: &VirtualPhone) -> Insets {
    let scale = phone.settings.metrics().scale;
    let px = |dp: f32| (dp * scale).round() as u32;
    let keys = keyboard_dp(phone.settings.display().bounds()) + NAVIGATION;
    Insets {
        status: px(STATUS),
        navigation: px(NAVIGATION),
        ime: if keyboard_is_wanted(phone) {
            px(keys)
        } else {
            0
        },
    }
}

/// Returns the activity of `PACKAGE/ACTIVITY` without the package, as dumps of windows write it. A class is
/// not shortened.
fn short_activity(component: &str) -> String {
    let activity = component
        .split_once('/')
        .map_or(component, |(_, activity)| activity);
    activity.to_owned()
}

struct SceneBuilder<'a> {
    phone: &'a VirtualPhone,
    metrics: Metrics,
    theme: Theme,
    bounds: Rect,
    windows: Vec<Window>,
}

/// Builds and lays out all windows, back to front: the app in front or the launcher, then the system's.
pub(super) fn build(phone: &VirtualPhone) -> Scene {
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
    fn px(&self, dp: f32) -> i32 {
        (dp * self.metrics.scale).round() as i32
    }

    /// Adds a window on top, laid out in `bounds`, with names and focus for its elements. A popup's bounds become
    /// those of its contents. Scroll positions are the screen's, or for windows of the system the overlay's.
    fn add(
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
            root.node = super::bare_node("android.widget.FrameLayout");
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

    /// Adds the windows of an app in a host, and the keyboard above them if one of them wants it. Their
    /// contents are the host's, so they have no elements.
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

    /// Adds the keyboard above the navigation bar. A quirk makes its frame, but not its keys, reach up to the
    /// status bar.
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

    /// Adds the recent apps if they are shown, else the launcher with all apps that a person can start.
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

    /// Adds the system's windows above apps and launcher, back to front. A bar that the app hides is left
    /// out.
    fn system_windows(&mut self) {
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

    /// Returns the look of the system's bars that an app in a host requests, or `None` if a system window is
    /// in front.
    fn app_bars(&self) -> Option<Bars> {
        let is_covered = self.phone.overlay.shade.is_some() || self.has_scrim();
        let (_, hosted) = self.phone.hosted_in_front()?;
        (!is_covered).then(|| hosted.state().bars)
    }

    /// Returns true if a dialog darkens the screen.
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

/// Returns the colour of icons on a system bar: dark on a light bar, else light.
fn bar_ink(is_light: bool) -> Colour {
    if is_light {
        Colour::rgb(0x00_2A_2D_33)
    } else {
        Colour::rgb(0x00_F1_F3_F7)
    }
}

/// Builds the surface's root in a scrolling view. It does not scroll if the root or one of its children
/// scrolls, or a child has a weight: then the screen's height is filled.
fn content(builder: &Builder<'_>) -> Element {
    let mut root = builder.component(builder.surface.root(), "", 0);
    let fills = root.layout.scroll.is_some()
        || root
            .children
            .iter()
            .any(|child| child.layout.grow > 0.0 || child.layout.scroll.is_some());
    if fills {
        root.layout.grow = 1.0;
        let mut holder = Element::group(Axis::Vertical, vec![root]).grow(1.0);
        holder.layout.padding = [16.0, 12.0, 16.0, 0.0];
        return holder;
    }
    root.layout.shrink = Shrink::Never;
    let mut scroll = Element::view("android.widget.ScrollView", Axis::Vertical, vec![root])
        .pad(16.0, 12.0)
        .grow(1.0);
    scroll.key = "content".into();
    scroll.node.focusable = true;
    scroll.layout.scroll = Some(Axis::Vertical);
    scroll
}

/// Builds an app's window: title bar, content, room for the system's bars. Without a `title` there is no
/// title bar. `up` adds a back button there. `bottom` is the height to leave free, in dp.
fn frame(
    package: &str,
    theme: &Theme,
    title: Option<&str>,
    up: bool,
    content: Element,
    bottom: f32,
) -> Element {
    let mut parts = Vec::new();
    if let Some(title) = title {
        parts.push(toolbar(package, theme, title, up));
    }
    parts.push(
        Element::view("android.widget.FrameLayout", Axis::Vertical, vec![content])
            .id("android:id/content")
            .grow(1.0),
    );
    let mut body = Element::view("android.widget.LinearLayout", Axis::Vertical, parts);
    body.layout.grow = 1.0;
    let mut root = Element::view("android.widget.FrameLayout", Axis::Vertical, vec![body])
        .fill(theme.background, 0.0);
    root.layout.padding = [0.0, STATUS, 0.0, bottom];
    root
}

/// Builds the title bar, with a button that goes up if `up`.
fn toolbar(package: &str, theme: &Theme, title: &str, up: bool) -> Element {
    let mut parts = Vec::new();
    if up {
        let glyph = Element::drawn_icon("arrowBack", 24.0, theme.text);
        parts.push(
            Element::view("android.widget.ImageButton", Axis::Vertical, vec![glyph])
                .desc("Navigate up")
                .size(Length::Dp(48.0), Length::Dp(48.0))
                .align(Justify::Center, Align::Center)
                .tap(TouchAction::SystemKey("UP".into())),
        );
    }
    parts.push(Element::text(title, 20.0, Weight::Bold, theme.text).lines(1));
    let mut bar = Element::view("android.view.ViewGroup", Axis::Horizontal, parts)
        .id(format!("{package}:id/toolbar"))
        .gap(8.0)
        .align(Justify::Start, Align::Center);
    bar.layout.padding = [if up { 4.0 } else { 16.0 }, 0.0, 16.0, 0.0];
    bar.layout.min_height = 56.0;
    bar.layout.shrink = Shrink::Never;
    bar
}
