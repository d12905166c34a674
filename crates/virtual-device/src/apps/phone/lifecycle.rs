//! Starting and ending apps, screens above screens, home and back.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{Foreground, LAUNCHER, Screen, Task, VirtualPhone};
use crate::apps::a2ui::{Surface, ViewState};

/// Most screens of an app above each other.
const MOST_SCREENS: usize = 50;

impl VirtualPhone {
    pub(super) fn start_activity(
        &mut self,
        package: &str,
        activity: Option<&str>,
        extras: &BTreeMap<String, String>,
    ) -> Result<(), String> {
        if package == LAUNCHER {
            self.go_home();
            return Ok(());
        }
        let asked = activity.unwrap_or_default();
        let missing =
            || format!("Error type 3\nError: Activity class {{{package}/{asked}}} does not exist.");
        let app = self.apps.get(package).ok_or_else(missing)?;
        let name = match activity {
            Some(name) => {
                let short = name.strip_prefix(package).unwrap_or(name);
                let short = short.strip_prefix('.').unwrap_or(short);
                app.manifest
                    .activities
                    .keys()
                    .find(|known| known.trim_start_matches('.') == short)
                    .cloned()
                    .ok_or_else(missing)?
            }
            None => app
                .manifest
                .launchable()
                .map(Into::into)
                .ok_or_else(missing)?,
        };
        self.log.push((
            'I',
            "ActivityTaskManager".into(),
            format!("START u0 {{act=android.intent.action.MAIN cmp={package}/{name}}}"),
            1000,
        ));
        let launch = activity.is_none()
            || self
                .apps
                .get(package)
                .and_then(|app| app.manifest.launchable())
                == Some(name.as_str());
        let context: Map<String, Value> = extras
            .iter()
            .map(|(key, value)| (key.clone(), Value::String(value.clone())))
            .collect();
        // Only a new screen is told what came with the start.
        if launch && self.tasks.iter().any(|task| task.package == package) && context.is_empty() {
            self.bring_forward(package);
        } else {
            self.open_screen(package, &name, &context);
        }
        Ok(())
    }

    /// Brings an app that is open to the front.
    pub(super) fn bring_forward(&mut self, package: &str) {
        if let Some(index) = self.tasks.iter().position(|task| task.package == package) {
            let task = self.tasks.remove(index);
            self.tasks.push(task);
        }
        self.showing = Foreground::App;
        self.leave_system();
    }

    fn leave_system(&mut self) {
        self.shade = None;
        self.keyboard_hidden = true;
        self.changed();
    }

    /// Opens an activity above what its app has open.
    pub(super) fn open_screen(&mut self, package: &str, name: &str, context: &Map<String, Value>) {
        let open = self.tasks.iter().find(|task| task.package == package);
        if open.is_some_and(|task| task.stack.len() >= MOST_SCREENS) {
            let message = format!("{MOST_SCREENS} screens of {package} are open; close some");
            self.write_log('E', "A2UI", message, package);
            return;
        }
        let next = self.next_pid;
        let Some(app) = self.apps.get_mut(package) else {
            return;
        };
        let born = app.pid.is_none();
        if born {
            app.pid = Some(next);
            self.next_pid += 17;
        }
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
        if born {
            self.log.push((
                'I',
                "ActivityManager".into(),
                format!("Start proc {next}:{package}/u0a101 for activity {{{package}/{name}}}"),
                1000,
            ));
        }
        let screen = Screen {
            activity: name.to_owned(),
            surface,
            coming: BTreeMap::new(),
            view: ViewState::default(),
        };
        match self.tasks.iter().position(|task| task.package == package) {
            Some(index) => {
                let mut task = self.tasks.remove(index);
                task.stack.push(screen);
                self.tasks.push(task);
            }
            None => self.tasks.push(Task {
                package: package.to_owned(),
                stack: vec![screen],
            }),
        }
        self.showing = Foreground::App;
        self.leave_system();
        if let Some(action) = on_start {
            self.run_action(package, &action, context, 0);
        }
        self.log.push((
            'I',
            "ActivityTaskManager".into(),
            format!("Displayed {package}/{name} for user 0: +120ms"),
            1000,
        ));
    }

    pub(super) fn follow_link(&mut self, uri: &str, package: Option<&str>) -> Result<(), String> {
        let found = self
            .apps
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
        let Some((package, activity, context)) = found else {
            return Err(format!(
                "Error: Activity not started, unable to resolve Intent {{ act=android.intent.action.VIEW dat={uri} flg=0x10000000 }}"
            ));
        };
        self.log.push((
            'I',
            "ActivityTaskManager".into(),
            format!(
                "START u0 {{act=android.intent.action.VIEW dat={uri} cmp={package}/{activity}}}"
            ),
            1000,
        ));
        self.open_screen(&package, &activity, &context);
        Ok(())
    }

    /// Ends an app's process and all it shows.
    pub(super) fn end_app(&mut self, package: &str) {
        let was_front = self.front_package().as_deref() == Some(package);
        self.tasks.retain(|task| task.package != package);
        self.timers.retain(|timer| timer.package != package);
        if self
            .question
            .as_ref()
            .is_some_and(|question| question.package == package)
        {
            self.question = None;
        }
        if let Some(app) = self.apps.get_mut(package) {
            if app.pid.take().is_some() {
                self.log.push((
                    'I',
                    "ActivityManager".into(),
                    format!("Force stopping {package} appid=10101 user=0: from pid 1000"),
                    1000,
                ));
            }
            app.restart_data();
        }
        if was_front {
            self.showing = Foreground::Home;
        }
        self.changed();
    }

    pub(super) fn go_home(&mut self) {
        self.showing = Foreground::Home;
        self.question = None;
        self.leave_system();
    }

    /// What BACK does when nothing lies above the screen: one screen less, or home.
    pub(super) fn close_screen(&mut self) {
        self.keyboard_hidden = true;
        if self.showing != Foreground::App {
            self.showing = Foreground::Home;
        } else if let Some(task) = self.tasks.last_mut() {
            task.stack.pop();
            if task.stack.is_empty() {
                self.tasks.pop();
                self.showing = Foreground::Home;
            }
        }
        self.changed();
    }

    /// Lets virtual time pass, timers in their order.
    pub(super) fn pass_time(&mut self, by: Duration) {
        let until = self.clock.saturating_add(by);
        self.budget.refill_for_time();
        while let Some(index) = self
            .timers
            .iter()
            .enumerate()
            .filter(|(_, timer)| timer.due <= until)
            // Of timers that are due together, the one that was set first.
            .min_by_key(|(index, timer)| (timer.due, *index))
            .map(|(index, _)| index)
        {
            let timer = self.timers.remove(index);
            // Never back, nor without moving: a timer that sets itself again at once would not end.
            self.clock = self.clock.max(timer.due);
            self.run_steps(&timer.package, &timer.steps, &timer.context, "", 0);
            self.changed();
        }
        self.clock = until;
        if self.toast.as_ref().is_some_and(|(_, due)| *due <= until) {
            self.toast = None;
            self.changed();
        }
    }
}

/// The named parts of a link that matches a pattern such as `notes://note/{id}`.
fn captures(pattern: &str, uri: &str) -> Option<Map<String, Value>> {
    let bare = uri.split(['?', '#']).next().unwrap_or(uri);
    let (mut wanted, mut given) = (pattern.split('/'), bare.split('/'));
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
