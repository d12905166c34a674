//! The phone as the device uses it: the functions of [`Phone`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;
use serde_json::Value;

use super::{HostCall, Shade, VirtualPhone, WindowName, lifecycle};
use crate::app_host::{HostFailure, HostIntent, HostReply, HostRequest, PointerEvent, TextMode};
use crate::apps::a2ui::{self, Message, read_any_version};
use crate::apps::app::App;
use crate::{
    AccessibilityAction, ApkManifest, Frame, HostDemand, KeyPress, PackageDump, Phone, PhoneError,
    Setting, StackedWindow, Switch, Touch, WindowDump,
};
use runner_screen::{Display, Rect};

impl Phone for VirtualPhone {
    fn windows(&self) -> Vec<WindowDump> {
        self.scene().dump()
    }

    fn window_stack(&self) -> Vec<StackedWindow> {
        self.scene().stack()
    }

    fn draw(&mut self) -> Arc<Frame> {
        let _ = self.scene();
        self.drawing.frame(self.settings.metrics())
    }

    fn drawing(&self) -> u64 {
        self.drawing.number()
    }

    fn display(&self) -> Display {
        self.settings.display()
    }

    fn fingers(&mut self, fingers: &[Touch]) {
        self.take_fingers(fingers);
        self.report_problems();
    }

    fn fingers_beside(&mut self, fingers: &[Touch]) {
        self.take_fingers_beside(fingers);
        self.report_problems();
    }

    /// Gives an event to the host under the finger, else to the app.
    fn pointer(&mut self, event: &PointerEvent) {
        if !self.point_hosted(event) {
            self.take_pointer(event);
        }
        self.report_problems();
    }

    fn rest_time(&self) -> Duration {
        self.fling_time().max(self.clock.click_time())
    }

    fn key(&mut self, key: &KeyPress) {
        self.take_key(key);
        self.report_problems();
    }

    /// Types characters that keys have: printable ASCII, line feeds and tabs. Returns the first other one as an
    /// error, and types nothing then. Without a focused field the result is `Ok` too.
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
        let typed = self.put_text(text, TextMode::Commit);
        self.budget.refill();
        typed
    }

    fn accessibility_action(
        &mut self,
        window: i32,
        bounds: Rect,
        action: &AccessibilityAction,
    ) -> bool {
        let done = self.take_accessibility_action(window, bounds, action);
        self.report_problems();
        done
    }

    fn toast(&self) -> Option<String> {
        self.overlay.toast().map(str::to_owned)
    }

    fn packages(&self) -> Vec<PackageDump> {
        self.packages.dump()
    }

    fn start(
        &mut self,
        package: &str,
        activity: Option<&str>,
        extras: &BTreeMap<String, String>,
    ) -> Result<(), PhoneError> {
        self.start_activity(package, activity, extras)?;
        self.report_problems();
        Ok(())
    }

    fn open_link(&mut self, uri: &str, package: Option<&str>) -> Result<(), PhoneError> {
        self.follow_link(uri, package)?;
        self.report_problems();
        Ok(())
    }

    fn force_stop(&mut self, package: &str) {
        self.end_app(package);
    }

    /// Ends an app and resets its data and permissions. Returns false for an unknown package. An app in a host is
    /// told to remove its data.
    fn clear(&mut self, package: &str) -> bool {
        self.end_app(package);
        let Some(app) = self.packages.get_mut(package) else {
            return false;
        };
        app.clear();
        if app.hosted.is_some() {
            self.outbox.push(HostCall::End {
                package: package.to_owned(),
                clears: true,
            });
        }
        true
    }

    /// Installs the app of a folder, and ends the one it replaces. Its data begin anew. A package of the system is
    /// refused, and so is a folder that cannot be loaded; then nothing changes. Returns the package.
    fn install(&mut self, folder: &Utf8Path) -> Result<String, PhoneError> {
        let app = self.packages.load(folder)?;
        let package = app.manifest.package.clone();
        if self.packages.is_system(&package) {
            return Err(PhoneError::SystemPackage(package));
        }
        // As on phones, an app that runs ends when another version is installed.
        self.end_app(&package);
        self.packages.add(app);
        self.changed();
        Ok(package)
    }

    /// Installs or updates an APK, and ends its app. With `granted`, all run-time permissions are granted.
    /// Permissions that were granted stay so; other data begin anew. An app in a host keeps the APK of the options,
    /// and only gets permissions. A package of the system is refused; then nothing changes.
    fn install_apk(&mut self, manifest: Arc<ApkManifest>, granted: bool) -> Result<(), PhoneError> {
        let package = manifest.package.clone();
        if self.packages.is_system(&package) {
            return Err(PhoneError::SystemPackage(package));
        }
        let before = self
            .packages
            .get(&package)
            .map(|app| app.permissions.clone());
        // A package whose own code runs keeps the APK that the person named. Its process ends, as with any update.
        if let Some(app) = self.packages.get_mut(&package)
            && app.hosted.is_some()
        {
            if granted {
                app.permissions.values_mut().for_each(|state| *state = true);
            }
            self.end_app(&package);
            return Ok(());
        }
        self.end_app(&package);
        let mut app = App::from_apk(manifest, granted);
        // An update keeps what a person granted.
        for (name, granted) in before.into_iter().flatten() {
            if let Some(state) = app.permissions.get_mut(&name) {
                *state |= granted;
            }
        }
        self.packages.add(app);
        self.changed();
        Ok(())
    }

    fn uninstall(&mut self, package: &str) -> bool {
        // What is refused ends nothing.
        if self.packages.is_system(package) {
            return false;
        }
        self.end_app(package);
        self.changed();
        self.packages.remove(package)
    }

    fn set_permission(
        &mut self,
        package: &str,
        permission: &str,
        granted: bool,
    ) -> Result<(), PhoneError> {
        self.packages.set_permission(package, permission, granted)?;
        self.permit_hosted(package, permission, granted);
        Ok(())
    }

    fn set(&mut self, setting: Setting) {
        self.settings.set(setting);
        self.changed();
    }

    fn is_on(&self, switch: Switch) -> bool {
        self.settings.is_on(switch)
    }

    fn locale(&self) -> String {
        self.settings.locale().to_owned()
    }

    fn processes(&self) -> Vec<(u32, String)> {
        self.packages.processes()
    }

    fn take_log(&mut self) -> Vec<(char, String, String, u32)> {
        self.log.take()
    }

    fn clipboard(&self) -> Option<String> {
        self.clipboard.clone()
    }

    fn set_clipboard(&mut self, text: &str) {
        self.clipboard = Some(text.to_owned());
        self.share_clipboard(text);
    }

    /// Opens the panel `notifications` or `settings`; any other word closes the shade.
    fn status_bar(&mut self, panel: &str) {
        self.overlay.shade = match panel {
            "notifications" => Some(Shade::Notifications),
            "settings" => Some(Shade::QuickSettings),
            _ => None,
        };
        self.changed();
    }

    fn anr_trace(&self) -> Option<String> {
        self.overlay.anr_trace.clone()
    }

    /// Applies A2UI messages to the app in front, of any version, in order. The first error ends it; messages
    /// before it stay applied. A text that is malformed anywhere applies none. Returns the number of messages as
    /// JSON. Fails if no app is in front.
    fn a2ui(&mut self, message: &str) -> Result<String, PhoneError> {
        let messages = read_any_version(message)?;
        let Some(package) = self.front_package() else {
            return Err(PhoneError::NoAppInFront);
        };
        for message in &messages {
            self.take_message(&package, message)?;
        }
        self.changed();
        self.report_problems();
        Ok(format!("{{\"messages\":{}}}", messages.len()))
    }

    /// Lists the surface in front as JSON, or an empty list if it has no components.
    fn a2ui_surfaces(&self) -> String {
        let front = self.tasks.front().map(|(_, screen)| &screen.surface);
        let displayed: Vec<Value> = front
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
        Value::from(displayed).to_string()
    }

    /// Advances the time, and tells the hosts. Time by which gestures have run ahead is taken off first.
    fn advance(&mut self, by: Duration) {
        let by = self.time_left(by);
        self.pass_time(by);
        self.advance_hosts();
        self.report_problems();
    }

    fn keyboard_shown(&self) -> bool {
        self.scene().has(WindowName::Keyboard)
    }

    /// Queues the start of an app in a host with an intent, and brings the app to the front. Returns false if the
    /// package has no host. Fails for an unknown activity of its component.
    fn start_hosted(&mut self, package: &str, intent: HostIntent) -> Result<bool, PhoneError> {
        let app = self
            .packages
            .get(package)
            .filter(|app| app.hosted.is_some());
        let Some(app) = app else {
            return Ok(false);
        };
        if let Some((_, activity)) = intent
            .component
            .as_deref()
            .and_then(|component| component.split_once('/'))
        {
            lifecycle::activity_named(package, app, activity).ok_or_else(|| {
                PhoneError::NoActivity {
                    package: package.to_owned(),
                    activity: activity.to_owned(),
                }
            })?;
        }
        VirtualPhone::start_hosted(self, package, intent);
        Ok(true)
    }

    fn wants_hosts(&self) -> HostDemand {
        self.host_demand()
    }

    fn take_host_calls(&mut self) -> Vec<HostCall> {
        self.next_host_calls()
    }

    /// Takes a host's answer or failure. Returns the time by which the host has moved by itself; it is zero after a
    /// failure. An answer without a request is ignored.
    fn answer_host(
        &mut self,
        package: &str,
        request: Option<&HostRequest>,
        reply: Result<HostReply, HostFailure>,
    ) -> Duration {
        match (request, reply) {
            (Some(request), Ok(reply)) => self.take_reply(package, request, reply),
            (_, Err(failure)) => {
                self.take_failure(package, failure);
                Duration::ZERO
            }
            (None, Ok(_)) => Duration::ZERO,
        }
    }

    fn request_pictures(&mut self) {
        self.draw_hosted();
    }

    fn request_rest(&mut self, limit: Duration) -> bool {
        self.settle_hosted(limit)
    }

    fn take_host_fault(&mut self) -> Option<String> {
        self.host_fault.take()
    }
}

impl VirtualPhone {
    /// Applies a message to the screen in front. A value of the data model goes to the app's data; removing an item
    /// of a list leaves `null` in its place. Fails without an app in front, and if the surface is unknown there.
    fn take_message(&mut self, package: &str, message: &Message) -> Result<(), PhoneError> {
        let Some(screen) = self.tasks.front_mut() else {
            return Err(PhoneError::NoAppInFront);
        };
        let Message::UpdateDataModel {
            surface,
            path,
            value,
        } = message
        else {
            return screen.take_message(message);
        };
        screen.has_surface(surface)?;
        if let Some(app) = self.packages.get_mut(package) {
            // An item of a list that is removed leaves its place empty, so that those behind it keep their
            // pointers (A2UI 0.9, "Server to client updates").
            let is_item = || a2ui::is_item(&app.model, path).then_some(Value::Null);
            let value = value.clone().or_else(is_item);
            a2ui::set(&mut app.model, path, value);
        }
        Ok(())
    }
}
