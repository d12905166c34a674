//! Apps whose own code runs in an app host: requests of the phone to their processes, and effects of the
//! answers.
//!
//! The phone puts requests into its outbox. The device empties it and brings the answers (`crate::app_host`).

mod answers;
mod outbox;
pub(super) mod windows;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::VirtualPhone;
use super::scene::{Window, WindowName};
use crate::app_host::{
    FingerPath, HostConfig, HostIntent, HostRequest, HostState, HostWindow, HostedApp, NodeAction,
    Pointer, PointerAction, PointerEvent, TextMode,
};
use crate::shell::key_code;
use crate::{AccessibilityAction, KeyPress, Touch};
use runner_picture::Frame;
use runner_screen::{Point, Rect};

pub use outbox::HostCall;
pub(super) use outbox::Outbox;

/// `KeyEvent.META_CTRL_ON` with `META_CTRL_LEFT_ON`.
const META_CTRL: u32 = 0x1000 | 0x2000;
/// `KeyEvent.META_SHIFT_ON` with `META_SHIFT_LEFT_ON`.
const META_SHIFT: u32 = 0x1 | 0x40;
/// Milliseconds for which a long press holds a key. Longer than Android's long press timeout of 400 ms.
const LONG_PRESS: u32 = 500;

pub(crate) struct HostedAppState {
    pub app: HostedApp,
    /// Its process was started, and has neither ended nor been reported as hanging.
    pub runs: bool,
    /// The settings that its host got last.
    config: Option<HostConfig>,
    state: HostState,
    /// Windows at the last look, back to front.
    windows: Vec<Arc<HostWindow>>,
    /// The windows may have changed since the last look.
    needs_look: bool,
    /// Latest picture of each window, by the window's id.
    pictures: BTreeMap<i32, Arc<Frame>>,
    /// The pictures show the windows of the last look.
    is_drawn: bool,
    /// Permissions that the app waits for.
    permission_request: Option<PermissionRequest>,
}

/// Permissions that an app has requested together.
struct PermissionRequest {
    number: i64,
    /// Permissions without an answer yet, the next one last.
    unanswered: Vec<String>,
    answers: BTreeMap<String, bool>,
}

/// A window of a host on the phone's screen.
#[derive(Clone)]
pub(crate) struct HostedWindow {
    pub window: Arc<HostWindow>,
    pub picture: Option<Arc<Frame>>,
}

impl HostedAppState {
    /// Returns an app whose host does not run yet.
    pub fn new(app: HostedApp) -> Self {
        Self {
            app,
            runs: false,
            config: None,
            state: HostState::default(),
            windows: Vec::new(),
            needs_look: false,
            pictures: BTreeMap::new(),
            is_drawn: false,
            permission_request: None,
        }
    }

    /// Returns its windows at the last look, back to front, with the pictures that came last.
    pub fn windows(&self) -> impl Iterator<Item = HostedWindow> {
        self.windows.iter().map(|window| HostedWindow {
            window: Arc::clone(window),
            picture: self.pictures.get(&window.id).cloned(),
        })
    }

    /// Returns the ids of the windows that watch for touches outside of them (`FLAG_WATCH_OUTSIDE_TOUCH`) and
    /// do not contain the point.
    fn outside(&self, at: Point) -> Vec<i32> {
        let watching = self.windows.iter();
        let watching =
            watching.filter(|window| window.watch_outside && !window.bounds().contains(at));
        watching.map(|window| window.id).collect()
    }

    /// Returns the app's state at its host's last answer. It is the default before the first one.
    pub fn state(&self) -> &HostState {
        &self.state
    }

    /// Forgets all but the app itself, because the process is gone. A waiting request for permissions gets no answer.
    pub fn end(&mut self) {
        *self = Self::new(self.app.clone());
    }
}

impl VirtualPhone {
    /// Returns the app in front with its host's state, if it is one that runs in a host. Its process need not
    /// run.
    pub(super) fn hosted_in_front(&self) -> Option<(&str, &HostedAppState)> {
        let package = self.tasks.front()?.0.package.as_str();
        Some((package, self.packages.get(package)?.hosted.as_ref()?))
    }

    /// Returns the package in front, if it is of a running host.
    fn host_in_front(&self) -> Option<String> {
        let (package, hosted) = self.hosted_in_front()?;
        hosted.runs.then(|| package.to_owned())
    }

    /// Returns the package of the host in front, if it runs and gets typed keys: its window has the focus, or no
    /// window has, as between two activities. Then the host keeps the keys until one has.
    fn host_with_focus(&self) -> Option<String> {
        let scene = self.scene();
        let is_hosted = |window: &Window| window.name == WindowName::Hosted;
        let gets_keys = scene.focused().is_none_or(is_hosted);
        self.host_in_front().filter(|_| gets_keys)
    }

    /// Starts an activity of an app in a host and brings the app to the front. If the app has no process, that and
    /// the host are started first. The requests are only queued. The activity is not checked.
    pub(super) fn start_hosted(&mut self, package: &str, intent: HostIntent) {
        let born = self.packages.start_process(package);
        if let Some(pid) = born {
            self.log.system(
                "ActivityManager",
                format!("Start proc {pid}:{package}/u0a101 for activity"),
            );
            self.begin_host(package);
        }
        self.bring_hosted(package, born.is_none());
        self.ask(package, HostRequest::Start { intent });
    }

    /// Brings the task of an app in a host to the front, as [`Self::bring_hosted`] does for an app that has a task.
    pub(super) fn show_hosted(&mut self, package: &str) {
        self.bring_hosted(package, true);
    }

    /// Brings an app in a host to the front, which hides the shade and the keyboard. An app that is there already
    /// stays. Else the host in front is told that it goes to the background, and the app's host that it comes if it
    /// `has_task`. Without a task, an empty screen stands for it.
    fn bring_hosted(&mut self, package: &str, has_task: bool) {
        if self.front_package().as_deref() != Some(package) {
            self.hide_hosted();
            if !self.tasks.bring_forward(package) {
                let screen = super::Screen::new("", crate::apps::a2ui::Surface::default());
                self.tasks.push(package, screen);
            }
            if has_task {
                self.ask(package, HostRequest::Foreground);
            }
        }
        self.overlay.shade = None;
        self.keyboard.hide();
        self.changed();
    }

    /// Tells the host in front, if one runs, that it goes to the background. The task stays where it is.
    pub(super) fn hide_hosted(&mut self) {
        if let Some(package) = self.host_in_front() {
            self.ask(&package, HostRequest::Background);
        }
    }

    /// Queues the start of an app's host, with the device's settings and the granted permissions. What is known of
    /// an earlier one is forgotten. An app without a host is left alone.
    fn begin_host(&mut self, package: &str) {
        let config = self.host_config();
        let Some(app) = self.packages.get_mut(package) else {
            return;
        };
        let permissions = app
            .permissions
            .iter()
            .filter(|(_, granted)| **granted)
            .map(|(name, _)| name.clone())
            .collect();
        let Some(hosted) = &mut app.hosted else {
            return;
        };
        hosted.end();
        hosted.runs = true;
        hosted.config = Some(config.clone());
        let app = hosted.app.clone();
        self.outbox.push(HostCall::Begin(app));
        let now = self.clock.now().as_millis() as u64;
        self.ask(
            package,
            HostRequest::Begin {
                config,
                permissions,
                now,
            },
        );
    }

    /// Queues a request to the host of an app, with the present time. It is not checked that the host runs.
    fn ask(&mut self, package: &str, request: HostRequest) {
        let at = self.clock.now();
        self.outbox.ask(package, request, at);
    }

    /// Queues a gesture of fingers that came down together for the host in front. The window is that of the
    /// first finger. Returns false if that finger is in no host's window, or there is no finger.
    pub(super) fn touch_hosted(&mut self, fingers: &[Touch]) -> bool {
        let down = fingers.first().and_then(|touch| touch.path.first());
        let Some((down, _)) = down.copied() else {
            return false;
        };
        let Some(id) = self.hosted_window_at(down) else {
            return false;
        };
        let Some((package, hosted)) = self.hosted_in_front() else {
            return false;
        };
        let package = package.to_owned();
        let outside = hosted.outside(down);
        let request = HostRequest::Pointer {
            window: Some(id),
            outside,
            events: PointerEvent::stream(fingers),
        };
        self.ask(&package, request);
        true
    }

    /// Handles a pointer event on a host's window. Returns false if the first finger came down in no host's window.
    ///
    /// The host gets the path of the first finger, whole, once the last finger has left. It works on its own time, and
    /// the effect of a click would otherwise block the command that touches. A cancelled gesture is dropped.
    pub(super) fn point_hosted(&mut self, event: &PointerEvent) -> bool {
        let down = event.pointers.first().map(Pointer::place);
        if event.action == PointerAction::Down {
            let window = down.and_then(|down| self.hosted_window_at(down));
            self.touches.hosted = window.map(|_| FingerPath::default());
        }
        let Some(path) = &mut self.touches.hosted else {
            return false;
        };
        if let Some(touch) = path.take(event, self.clock.now()) {
            self.touches.hosted = None;
            return self.touch_hosted(&[touch]);
        }
        if event.action == PointerAction::Cancel {
            self.touches.hosted = None;
        }
        true
    }

    fn hosted_window_at(&self, at: Point) -> Option<i32> {
        let window = self.scene().window_at(at)?;
        Some(window.hosted.as_ref()?.window.id)
    }

    /// Queues a key for the host that has the focus. Returns false if none has. A key that Android has no
    /// code for is dropped, and the result is true.
    pub(super) fn key_hosted(&mut self, key: &KeyPress) -> bool {
        let Some(package) = self.host_with_focus() else {
            return false;
        };
        let Some(code) = key_code(&key.name) else {
            return true;
        };
        let request = HostRequest::Key {
            code,
            meta: if key.ctrl { META_CTRL } else { 0 } | if key.shift { META_SHIFT } else { 0 },
            hold: if key.long { LONG_PRESS } else { 0 },
        };
        self.ask(&package, request);
        true
    }

    /// Queues text for the host that has the focus. Returns `None` if none has, else true if the focused view
    /// takes text. The text is sent in either case.
    pub(super) fn type_hosted(&mut self, text: &str, mode: TextMode) -> Option<bool> {
        let package = self.host_with_focus()?;
        let takes_text = self.packages.get(&package)?.hosted.as_ref()?.takes_text();
        let text = text.to_owned();
        self.ask(&package, HostRequest::Text { text, mode });
        Some(takes_text)
    }

    /// Returns the device's settings as hosts see them: display, theme, font, language, airplane mode, clock
    /// and insets.
    fn host_config(&self) -> HostConfig {
        let display = self.settings.display();
        let insets = super::scene::insets(self);
        HostConfig {
            width: display.width,
            height: display.height,
            density: display.density,
            rotation: display.rotation,
            dark: self.settings.is_on(crate::Switch::Dark),
            font_scale: self.settings.metrics().font_scale,
            locale: self.settings.locale().to_owned(),
            airplane: self.settings.is_on(crate::Switch::Airplane),
            wall_clock: super::WALL_CLOCK,
            insets,
        }
    }

    /// Queues an accessibility action for a host's view: the first enabled one with exactly these bounds that can do
    /// it. Returns `None` if the window is not a host's or not there, and false if it has no such view.
    pub(super) fn act_hosted(
        &mut self,
        window: i32,
        bounds: Rect,
        action: &AccessibilityAction,
    ) -> Option<bool> {
        let scene = self.scene();
        let displayed = scene.windows.iter().find(|shown| shown.id() == window)?;
        let hosted = displayed.hosted.as_ref()?;
        let found = hosted.window.root.as_ref().and_then(|root| {
            root.find(&|node| {
                let does = match action {
                    AccessibilityAction::SetText(_) => node.editable,
                    AccessibilityAction::SetProgress(_) => node.range.is_some(),
                };
                does && node.enabled && node.place() == bounds
            })
        });
        let (id, node) = (hosted.window.id, found.map(|node| node.id));
        let package = displayed.package.clone();
        let Some(node) = node else {
            return Some(false);
        };
        let action = match action {
            AccessibilityAction::SetText(text) => NodeAction::SetText { text: text.clone() },
            AccessibilityAction::SetProgress(number) => NodeAction::SetProgress { number: *number },
        };
        let request = HostRequest::Action {
            window: id,
            node,
            action,
        };
        self.ask(&package, request);
        Some(true)
    }

    /// Queues an advance of the clocks of all running hosts to the device's time.
    pub(super) fn advance_hosts(&mut self) {
        let now = self.clock.now();
        for (package, app) in self.packages.iter() {
            if app.hosted.as_ref().is_some_and(|hosted| hosted.runs) {
                self.outbox.advance(package, now);
            }
        }
    }

    /// Queues the news for a running host that a permission was granted or revoked. The permission itself is stored
    /// by the caller. Other packages are left alone.
    pub(super) fn permit_hosted(&mut self, package: &str, permission: &str, granted: bool) {
        let app = self.packages.get(package);
        let hosted = app.and_then(|app| app.hosted.as_ref());
        if hosted.is_some_and(|hosted| hosted.runs) {
            let name = permission.to_owned();
            self.ask(package, HostRequest::Permission { name, granted });
        }
    }

    /// Tells the host in front that the person closed the keyboard. Without a running host in front nothing happens.
    pub(super) fn notify_keyboard_hidden(&mut self) {
        if let Some(package) = self.host_in_front() {
            self.ask(&package, HostRequest::ImeHidden);
        }
    }

    /// Queues the clipboard's text for the host in front, if one runs. The phone's clipboard is left alone.
    pub(super) fn share_clipboard(&mut self, text: &str) {
        if let Some(package) = self.host_in_front() {
            let text = text.to_owned();
            self.ask(&package, HostRequest::Clipboard { text });
        }
    }

    /// Queues a request for pictures of all windows of the host in front, unless they are drawn since the
    /// last look at them or the host does not run.
    pub(super) fn draw_hosted(&mut self) {
        let Some((package, hosted)) = self.hosted_in_front() else {
            return;
        };
        if hosted.is_drawn || !hosted.runs {
            return;
        }
        let package = package.to_owned();
        let windows = hosted.windows.iter().map(|window| window.id).collect();
        self.ask(&package, HostRequest::Draw { windows });
    }

    /// Queues a request that the host in front comes to rest, within `limit` in its own time. Returns false
    /// if no running host is in front.
    pub(super) fn settle_hosted(&mut self, limit: Duration) -> bool {
        let Some(package) = self.host_in_front() else {
            return false;
        };
        let limit = limit.as_millis() as u64;
        self.ask(&package, HostRequest::Settle { limit });
        true
    }
}

impl HostedAppState {
    /// Returns true if the app takes text: the app shows the keyboard, or a window has an editor with the focus.
    pub fn takes_text(&self) -> bool {
        self.state.ime.shown || self.windows.iter().any(|window| has_editor(window))
    }
}

fn has_editor(window: &HostWindow) -> bool {
    let root = window.root.as_ref().filter(|_| window.focused);
    root.is_some_and(|root| root.find(&|node| node.focused && node.editable).is_some())
}
