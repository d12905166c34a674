//! Starting and ending apps, opening and closing screens, home and back.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value};

use super::clock::Task;
use super::{HostCall, LAUNCHER, Screen, VirtualPhone};
use crate::PhoneError;
use crate::app_host::{HostExtra, HostIntent};
use crate::apps::a2ui::Surface;
use crate::apps::app::App;
use crate::apps::system::{BROWSER, BROWSER_ACTIVITY, is_web};

/// Most open screens of an app. Chosen: no test needs as many, and an app that opens itself must end.
const MAX_SCREENS: usize = 50;

impl VirtualPhone {
    /// Starts an activity, or without a name the one of the launcher. One of the launcher without extras only comes
    /// to the front if the app has screens; all else opens a new screen. Fails for an unknown package or activity.
    /// A new screen gets the extras as its context; an app in a host gets an intent. The launcher's package is the
    /// home screen.
    pub(super) fn start_activity(
        &mut self,
        package: &str,
        activity: Option<&str>,
        extras: &BTreeMap<String, String>,
    ) -> Result<(), PhoneError> {
        if package == LAUNCHER {
            self.go_home();
            return Ok(());
        }
        let missing = || PhoneError::NoActivity {
            package: package.to_owned(),
            activity: activity.unwrap_or_default().to_owned(),
        };
        let app = self.packages.get(package).ok_or_else(missing)?;
        let name = match activity {
            Some(name) => activity_named(package, app, name).ok_or_else(missing)?,
            None => app
                .manifest
                .launchable()
                .map(Into::into)
                .ok_or_else(missing)?,
        };
        self.log.system(
            "ActivityTaskManager",
            format!("START u0 {{act=android.intent.action.MAIN cmp={package}/{name}}}"),
        );
        if app.hosted.is_some() {
            self.launch_hosted(package, &name, extras);
            return Ok(());
        }
        self.hide_hosted();
        let launch = activity.is_none()
            || self
                .packages
                .get(package)
                .and_then(|app| app.manifest.launchable())
                == Some(name.as_str());
        let context: Map<String, Value> = extras
            .iter()
            .map(|(key, value)| (key.clone(), Value::String(value.clone())))
            .collect();
        // Only a new screen gets the extras of the start.
        if launch && context.is_empty() && self.tasks.bring_forward(package) {
            self.leave_system();
        } else {
            self.open_screen(package, &name, &context);
        }
        Ok(())
    }

    /// Starts an app in a host as the launcher and `am start` do. If the app's task is open, its main
    /// activity without extras only comes to the front unchanged. All else sends the host an intent.
    fn launch_hosted(&mut self, package: &str, name: &str, extras: &BTreeMap<String, String>) {
        let app = self.packages.get(package);
        let is_launcher = app.and_then(|app| app.manifest.launchable()) == Some(name);
        let is_open = self.tasks.depth(package) > 0;
        if is_launcher && extras.is_empty() && is_open {
            self.show_hosted(package);
            return;
        }
        let intent = HostIntent {
            component: Some(format!("{package}/{name}")),
            action: Some("android.intent.action.MAIN".to_owned()),
            extras: extras
                .iter()
                .map(|(key, value)| (key.clone(), HostExtra::text(value)))
                .collect(),
            ..HostIntent::default()
        };
        self.start_hosted(package, intent);
    }

    fn leave_system(&mut self) {
        self.overlay.shade = None;
        self.keyboard.hide();
        self.changed();
    }

    /// Opens an activity above the open ones of its app, brings the app to the front, closes the shade, hides the
    /// keyboard, starts the app's process if it has none, and runs the activity's `onStart` action. `context` goes
    /// to that action. Beyond [`MAX_SCREENS`] it only logs an error. An unknown package does nothing; an activity
    /// without a surface is empty.
    pub(super) fn open_screen(&mut self, package: &str, name: &str, context: &Map<String, Value>) {
        if self.tasks.depth(package) >= MAX_SCREENS {
            let message = format!("{MAX_SCREENS} screens of {package} are open; close some");
            self.write_log('E', "A2UI", message, package);
            return;
        }
        let born = self.packages.start_process(package);
        let Some(app) = self.packages.get(package) else {
            return;
        };
        let mut surface = Surface::default();
        for message in app
            .surfaces
            .get(name)
            .map(AsRef::as_ref)
            .into_iter()
            .flatten()
        {
            surface.apply(message);
        }
        let on_start = app
            .manifest
            .activities
            .get(name)
            .and_then(|activity| activity.on_start.clone());
        if let Some(pid) = born {
            self.log.system(
                "ActivityManager",
                format!("Start proc {pid}:{package}/u0a101 for activity {{{package}/{name}}}"),
            );
        }
        self.tasks.push(package, Screen::new(name, surface));
        self.leave_system();
        if let Some(action) = on_start {
            self.run_action(package, &action, context, 0);
        }
        self.log.system(
            "ActivityTaskManager",
            format!("Displayed {package}/{name} for user 0: +120ms"),
        );
    }

    /// Opens a link in the first app, by package, whose activity has a pattern for it, else in one in a host, else
    /// in the browser if it is a web link. `package` restricts the search. In a folder's app and in the browser it
    /// opens a new screen, with the parts of the link as context; the browser's old screen goes. Fails if none
    /// handles it.
    pub(super) fn follow_link(
        &mut self,
        uri: &str,
        package: Option<&str>,
    ) -> Result<(), PhoneError> {
        let found = self
            .packages
            .iter()
            .filter(|(name, _)| package.is_none_or(|package| package == name.as_str()))
            .find_map(|(name, app)| {
                app.manifest
                    .activities
                    .iter()
                    .find_map(|(activity, about)| {
                        about.links.iter().find_map(|pattern| {
                            Some((name.clone(), activity.clone(), captures(pattern, uri)?))
                        })
                    })
            });
        let found = found.or_else(|| self.hosted_link(uri, package));
        let found = found.or_else(|| {
            let browser = package.is_none_or(|package| package == BROWSER) && is_web(uri);
            let context = [("link".to_owned(), Value::String(uri.to_owned()))];
            browser.then(|| {
                // It has one screen, which the next link takes.
                self.tasks.close_all(BROWSER);
                let context = context.into_iter().collect();
                (BROWSER.to_owned(), BROWSER_ACTIVITY.to_owned(), context)
            })
        });
        let Some((package, activity, context)) = found else {
            return Err(PhoneError::Unresolved(format!(
                "Intent {{ act=android.intent.action.VIEW dat={uri} flg=0x10000000 }}"
            )));
        };
        self.log.system(
            "ActivityTaskManager",
            format!(
                "START u0 {{act=android.intent.action.VIEW dat={uri} cmp={package}/{activity}}}"
            ),
        );
        if self
            .packages
            .get(&package)
            .is_some_and(|app| app.hosted.is_some())
        {
            let intent = HostIntent {
                action: Some("android.intent.action.VIEW".to_owned()),
                data: Some(uri.to_owned()),
                component: Some(format!("{package}/{activity}")),
                ..HostIntent::default()
            };
            self.start_hosted(&package, intent);
            return Ok(());
        }
        self.hide_hosted();
        self.open_screen(&package, &activity, &context);
        Ok(())
    }

    /// Returns the first app in a host, by package, that handles a link, with its activity and an empty context, or
    /// `None`. `package` restricts it to one app.
    fn hosted_link(
        &self,
        uri: &str,
        package: Option<&str>,
    ) -> Option<(String, String, Map<String, Value>)> {
        let named = |name: &&String| package.is_none_or(|package| package == name.as_str());
        self.packages
            .iter()
            .filter(|(name, app)| named(name) && app.hosted.is_some())
            .find_map(|(name, app)| {
                let links = &app.apk.as_ref()?.links;
                let link = links.iter().find(|link| link.takes(uri))?;
                Some((name.clone(), link.activity.clone(), Map::new()))
            })
    }

    /// Ends an app's process and closes its screens, as a force stop does. Without a process, only the log entry is
    /// left out. Nothing checks that the package exists.
    pub(super) fn end_app(&mut self, package: &str) {
        if self.packages.pid(package).is_some() {
            self.log.system(
                "ActivityManager",
                format!("Force stopping {package} appid=10101 user=0: from pid 1000"),
            );
        }
        self.end_process(package);
    }

    /// Cleans up after an app's process has ended: closes its screens, and drops its timers, permission dialog and
    /// data that it does not keep. A host is told to end. Its open dialog about a failure goes too; permissions
    /// stay. If the app was in front, the home screen comes.
    pub(super) fn end_process(&mut self, package: &str) {
        let was_front = self.front_package().as_deref() == Some(package);
        self.tasks.close_all(package);
        self.clock.cancel_timers(package);
        self.overlay.drop_question(package);
        if let Some(app) = self.packages.get_mut(package) {
            app.pid = None;
            app.hang = None;
            app.restart_data();
            if let Some(hosted) = &mut app.hosted {
                hosted.end();
                self.outbox.drop_requests(package);
                self.outbox.push(HostCall::End {
                    package: package.to_owned(),
                    clears: false,
                });
            }
        }
        if was_front {
            self.tasks.show_home();
        }
        self.changed();
    }

    /// Shows the home screen. An open permission dialog goes without an answer. Shade and keyboard go too, and the
    /// host in front is told.
    pub(super) fn go_home(&mut self) {
        self.hide_hosted();
        self.tasks.show_home();
        self.overlay.question = None;
        self.leave_system();
    }

    /// Handles BACK when nothing lies above the screen: hides the keyboard and closes the screen, or shows
    /// home.
    pub(super) fn close_screen(&mut self) {
        self.keyboard.hide();
        self.tasks.close_screen();
        self.changed();
    }

    /// Lets virtual time pass, and runs the timers that become due in their order. Each sees the time at which it was
    /// due, and a timer that they set runs too if it is due in this time. Then apps that hang are reported, flings and
    /// the caret move on, and toasts end. Hosts are not told.
    pub(super) fn pass_time(&mut self, by: Duration) {
        let until = self.clock.now().saturating_add(by);
        self.budget.refill_for_time();
        while let Some(timer) = self.clock.next(until) {
            match &timer.task {
                Task::Steps(steps, context) => {
                    self.run_steps(&timer.package, steps, context, "", 0);
                }
                Task::Click(click) => self.click_late(click),
            }
            self.changed();
        }
        self.report_hung(until);
        self.clock.reach(until);
        self.advance_flings();
        self.hide_typed_letter();
        self.blink_caret();
        if self.overlay.end_toast(until) {
            self.changed();
        }
    }

    /// Shows the last letter of a password as a dot once its time is over.
    fn hide_typed_letter(&mut self) {
        let now = self.clock.now();
        let front = self.tasks.front();
        let typed = front.and_then(|(_, screen)| screen.view.typed_letter.as_ref());
        if typed.is_some_and(|typed| typed.until <= now) {
            self.view(|view| view.typed_letter = None);
        }
    }
}

/// Returns the key of an app's activity, found by its name or its class. `Main`, `.Main` and the class with
/// its package are the same. Returns `None` if the app has no such activity.
pub(super) fn activity_named(package: &str, app: &App, name: &str) -> Option<String> {
    let short = name.strip_prefix(package).unwrap_or(name);
    let short = short.strip_prefix('.').unwrap_or(short);
    let mut known = app.manifest.activities.keys();
    known
        .find(|known| known.trim_start_matches('.') == short)
        .cloned()
}

/// Matches a link with a pattern such as `notes://note/{id}`, part by part between slashes. Returns the named
/// parts, and the whole link as `link`. Query and fragment are ignored. A named part must not be empty.
/// Returns `None` if it does not match.
fn captures(pattern: &str, uri: &str) -> Option<Map<String, Value>> {
    let path = uri.split(['?', '#']).next().unwrap_or(uri);
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    let mut context = Map::new();
    context.insert("link".into(), Value::String(uri.to_owned()));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(context),
            (Some(want), Some(part)) => {
                let name = want
                    .strip_prefix('{')
                    .and_then(|name| name.strip_suffix('}'));
                match name {
                    Some(name) if !part.is_empty() => {
                        context.insert(name.to_owned(), Value::String(part.to_owned()));
                    }
                    None if want == part => {}
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
}
