//! Handles the answers of app hosts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::{HostCall, PermissionRequest};
use crate::HostDemand;
use crate::app_host::{HostEvent, HostFailure, HostRefusal, HostReply, HostRequest};
use crate::apps::phone::VirtualPhone;
use crate::apps::phone::overlay::Question;

impl VirtualPhone {
    /// Removes and returns the next calls to hosts: the queued ones; if there are none, changed settings; if there
    /// are none either, a look at the windows of the one in front. The result is empty if all of it is known.
    pub(in crate::apps::phone) fn next_host_calls(&mut self) -> Vec<HostCall> {
        if self.outbox.is_empty() {
            self.configure_hosts();
        }
        if self.outbox.is_empty() {
            self.look_at_hosts();
        }
        self.outbox.take()
    }

    /// Returns the urgency of calls to hosts: `Answers` if a queued call does more than advance a clock,
    /// `Upkeep` if only clocks, settings or windows are out of date, `Nothing` if all is known or no host
    /// runs.
    pub(in crate::apps::phone) fn host_demand(&self) -> HostDemand {
        if self.outbox.wants_answers() {
            return HostDemand::Answers;
        }
        let mut running = self
            .packages
            .iter()
            .filter_map(|(_, app)| app.hosted.as_ref())
            .filter(|hosted| hosted.runs)
            .peekable();
        if running.peek().is_none() {
            return HostDemand::Nothing;
        }
        let config = Some(self.host_config());
        let is_told = running.all(|hosted| hosted.config == config);
        let front = self.hosted_in_front();
        let is_known = front.is_none_or(|(_, hosted)| !hosted.runs || !hosted.needs_look);
        if is_told && is_known && self.outbox.is_empty() {
            HostDemand::Nothing
        } else {
            HostDemand::Upkeep
        }
    }

    /// Queues the settings for each running host that has not got exactly these yet.
    fn configure_hosts(&mut self) {
        let config = self.host_config();
        let mut told = Vec::new();
        for (package, app) in self.packages.iter_mut() {
            if let Some(hosted) = app.hosted.as_mut().filter(|hosted| hosted.runs)
                && hosted.config.as_ref() != Some(&config)
            {
                hosted.config = Some(config.clone());
                told.push(package.clone());
            }
        }
        for package in told {
            let config = config.clone();
            self.ask(&package, HostRequest::Configure { config });
        }
    }

    /// Queues a look at the windows of the host in front, if they may have changed.
    fn look_at_hosts(&mut self) {
        let Some(package) = self.front_package() else {
            return;
        };
        let app = self.packages.get_mut(&package);
        let Some(hosted) = app.and_then(|app| app.hosted.as_mut()) else {
            return;
        };
        if hosted.runs && hosted.needs_look {
            hosted.needs_look = false;
            self.ask(&package, HostRequest::Look);
        }
    }

    /// Handles a host's answer to `request`: takes over its state, windows or pictures, then its events in order.
    /// Returns the time that has passed in the host by itself, by which the phone's clock was advanced too. A refused
    /// request takes over state and events only, and is logged; a fault in the state becomes the phone's. An answer for
    /// an app that is gone is ignored.
    pub(in crate::apps::phone) fn take_reply(
        &mut self,
        package: &str,
        request: &HostRequest,
        reply: HostReply,
    ) -> Duration {
        let app = self.packages.get_mut(package);
        let Some(hosted) = app.and_then(|app| app.hosted.as_mut()) else {
            return Duration::ZERO;
        };
        let is_look = matches!(request, HostRequest::Look);
        let is_picture = matches!(request, HostRequest::Draw { .. });
        let asks_again = reply.state.ime.requests != hosted.state.ime.requests
            || reply.state.ime.shown && !hosted.state.ime.shown;
        // A host that does not report changes may have changed.
        let is_dirty = reply.state.dirty.is_none() || reply.state.dirty != hosted.state.dirty;
        let front = reply.state.front.clone();
        // Before its first activity has started, an app has none in front and has not closed them either.
        let may_close =
            hosted.state.front.is_some() || matches!(request, HostRequest::Start { .. });
        hosted.state = reply.state;
        let refusal = reply.refusal;
        let fault = hosted.state.fault.clone();
        if refusal.is_some() {
            hosted.needs_look = !is_look;
        } else if is_look {
            let windows = reply.answer.windows.unwrap_or_default();
            hosted.windows = windows.into_iter().map(Arc::new).collect();
            hosted.is_drawn = false;
        } else if is_picture {
            hosted.pictures = reply
                .pictures
                .into_iter()
                .map(|drawn| (drawn.window, drawn.picture))
                .collect();
            hosted.is_drawn = true;
        } else if is_dirty {
            hosted.needs_look = true;
        }
        if asks_again {
            self.keyboard.allow();
        }
        if front.is_some() || may_close {
            self.take_front(package, front.as_deref());
        }
        for event in reply.events {
            self.take_event(package, event);
        }
        if let Some(refusal) = refusal {
            self.take_refusal(package, refusal);
        }
        if let Some(fault) = fault {
            self.host_fault = Some(format!("{package}: {fault}"));
        }
        self.changed();
        let moved = Duration::from_millis(reply.answer.moved);
        if !moved.is_zero() {
            self.pass_time(moved);
        }
        moved
    }

    /// Logs that a host refused a request; a refusal that is a fault of this computer becomes the phone's fault, in
    /// place of an older one.
    fn take_refusal(&mut self, package: &str, refusal: HostRefusal) {
        let HostRefusal { kind, message, .. } = refusal;
        self.write_log('W', "runner", message.clone(), package);
        if kind.is_fault() {
            self.host_fault = Some(format!(
                "{package} does not run as on a phone here: {message}"
            ));
        }
    }

    /// Takes over the activity `PACKAGE/ACTIVITY` that the app shows in front. `None` means that it has
    /// closed all its activities, and the home screen comes. An app that is not in front on the phone is left
    /// alone.
    fn take_front(&mut self, package: &str, front: Option<&str>) {
        if self.front_package().as_deref() != Some(package) {
            return;
        }
        let Some(front) = front else {
            self.tasks.close_all(package);
            self.tasks.show_home();
            return;
        };
        let activity = front
            .split_once('/')
            .map_or(front, |(_, activity)| activity);
        if let Some(screen) = self.tasks.front_mut()
            && screen.activity != activity
        {
            activity.clone_into(&mut screen.activity);
            self.log.system(
                "ActivityTaskManager",
                format!("Displayed {package}/{activity} for user 0: +120ms"),
            );
        }
    }

    /// Handles one event of a host: log, toast, clipboard, requests for permissions, intent, crash, exit. A crash
    /// by native code is the phone's fault too. What the host does not support is logged. Unknown events are
    /// ignored.
    fn take_event(&mut self, package: &str, event: HostEvent) {
        match event {
            HostEvent::Log {
                priority,
                tag,
                message,
            } => self.write_log(priority, &tag, message, package),
            HostEvent::Toast { text } => self.overlay.show_toast(text, self.clock.now()),
            HostEvent::Clipboard { text } => self.clipboard = Some(text),
            HostEvent::Permissions { request, names } => {
                self.ask_for_permissions(package, request, names);
            }
            HostEvent::Intent {
                action,
                data,
                package: wanted,
                component,
            } => self.leave_for(package, action, data, wanted, component),
            HostEvent::Unsupported { what } => {
                let message = format!("not supported without a phone: {what}");
                self.write_log('W', "runner", message, package);
            }
            HostEvent::Crash {
                exception,
                message,
                trace,
                thread,
                native,
            } => {
                if let Some(native) = native {
                    self.host_fault = Some(format!(
                        "{package} needs the native code of {native}, which no JVM runs; take a phone or an emulator"
                    ));
                }
                let thread = thread.unwrap_or_else(|| "main".to_owned());
                self.crash_hosted(
                    package,
                    &thread,
                    &exception,
                    &message.unwrap_or_default(),
                    &trace,
                );
            }
            HostEvent::Exit { code } => {
                if let Some(pid) = self.packages.pid(package) {
                    let exited = format!("Process {pid} exited cleanly ({code})");
                    self.log.system("Zygote", exited);
                    let died = format!("Process {package} (pid {pid}) has died: fg  TOP");
                    self.log.system("ActivityManager", died);
                }
                self.end_process(package);
            }
            HostEvent::Unknown => {}
        }
    }

    /// Starts an activity for the app: the `component` if it has a `/`, else the one for the link `data`, only in the
    /// package `wanted` if given, else the main activity of `wanted`. No extras go along, and only a link gets the
    /// data. Without any of these, or if the activity cannot be started, only the log says so.
    fn leave_for(
        &mut self,
        package: &str,
        action: Option<String>,
        data: Option<String>,
        wanted: Option<String>,
        component: Option<String>,
    ) {
        let named = component
            .as_deref()
            .and_then(|component| component.split_once('/'));
        let started = match (named, &data) {
            (Some((package, activity)), _) => {
                self.start_activity(package, Some(activity), &BTreeMap::new())
            }
            (None, Some(uri)) => self.follow_link(uri, wanted.as_deref()),
            (None, None) => match wanted {
                Some(wanted) => self.start_activity(&wanted, None, &BTreeMap::new()),
                None => {
                    let action = action.unwrap_or_default();
                    let message = format!("no app of this device takes the intent {action}");
                    self.write_log('W', "runner", message, package);
                    return;
                }
            },
        };
        if let Err(error) = started {
            self.write_log('W', "ActivityTaskManager", error.to_string(), package);
        }
    }

    /// Asks the person for the permissions that are not granted yet, one after the other in the order of `names`. All
    /// others get their answer without a dialog: granted if they are granted already, or if a person cannot grant them
    /// and the manifest asks for them. An earlier request of the app is forgotten without an answer.
    fn ask_for_permissions(&mut self, package: &str, number: i64, names: Vec<String>) {
        let Some(app) = self.packages.get_mut(package) else {
            return;
        };
        let mut request = PermissionRequest {
            number,
            unanswered: Vec::new(),
            answers: BTreeMap::new(),
        };
        for name in names.into_iter().rev() {
            match app.permissions.get(&name) {
                Some(false) => request.unanswered.push(name),
                // One that is not a person's to give is had by those that ask for it in their manifest.
                None => {
                    let is_had = app
                        .apk
                        .as_ref()
                        .is_some_and(|apk| apk.permissions.contains(&name));
                    request.answers.insert(name, is_had);
                }
                Some(true) => {
                    request.answers.insert(name, true);
                }
            }
        }
        if let Some(hosted) = &mut app.hosted {
            hosted.permission_request = Some(request);
        }
        self.ask_next_permission(package);
    }

    /// Opens the dialog for the next permission of a host's request; after the last one sends the host all
    /// answers. Without a request it does nothing.
    fn ask_next_permission(&mut self, package: &str) {
        let app = self.packages.get_mut(package);
        let Some(hosted) = app.and_then(|app| app.hosted.as_mut()) else {
            return;
        };
        let Some(request) = &hosted.permission_request else {
            return;
        };
        if let Some(permission) = request.unanswered.last() {
            self.overlay.question = Some(Question {
                package: package.to_owned(),
                permission: permission.clone(),
                granted: Vec::new(),
                denied: Vec::new(),
            });
            self.changed();
        } else if let Some(PermissionRequest {
            number, answers, ..
        }) = hosted.permission_request.take()
        {
            let request = HostRequest::Permissions {
                request: number,
                granted: answers,
            };
            self.ask(package, request);
        }
    }

    /// Stores a person's answer to the permission dialog for the host that asked, and asks for its next
    /// permission, or sends it all answers after the last. Does not change the app's permissions, which the
    /// caller has done. Without a request of a host it does nothing.
    pub(in crate::apps::phone) fn answer_hosted(
        &mut self,
        package: &str,
        permission: &str,
        granted: bool,
    ) {
        let app = self.packages.get_mut(package);
        let hosted = app.and_then(|app| app.hosted.as_mut());
        if let Some(request) = hosted.and_then(|hosted| hosted.permission_request.as_mut()) {
            request.unanswered.pop();
            request.answers.insert(permission.to_owned(), granted);
            self.ask_next_permission(package);
        }
    }

    /// Handles a host that gave no answer. One that hangs gets the dialog of an app that does not answer. One
    /// that is broken is logged, becomes the phone's fault, and its process ends.
    pub(in crate::apps::phone) fn take_failure(&mut self, package: &str, failure: HostFailure) {
        match failure {
            HostFailure::NotResponding { stack, .. } => self.hang_hosted(package, &stack),
            HostFailure::Broken(message) => {
                let message = format!("{package} cannot run on this computer: {message}");
                self.write_log('E', "runner", message.clone(), package);
                self.host_fault = Some(message);
                self.end_process(package);
            }
        }
    }
}
