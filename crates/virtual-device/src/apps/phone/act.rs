//! Apps' actions and their steps.

use std::time::Duration;

use serde_json::{Map, Value};

use super::budget::{MAX_DATA_BYTES, size, size_of_all};
use super::clock::Task;
use super::{Question, VirtualPhone};
use crate::apps::a2ui::{self, ByteBudget, Scope, as_text, is_true};
use crate::apps::app::{IfStep, Step};

/// Deepest nesting of actions that run actions. Chosen: people write two or three levels, and recursion must
/// end.
const MAX_ACTION_DEPTH: usize = 16;

impl VirtualPhone {
    /// Performs an A2UI action in the app in front; without one nothing happens. An `event` runs the action of its
    /// name in `app.yaml`; its context is resolved first, and a value that fails is `null`. A `functionCall` is
    /// not carried out and is logged as an error.
    pub(super) fn act(&mut self, action: &Value, base: &str) {
        let Some(package) = self.front_package() else {
            return;
        };
        let Some(event) = action.get("event") else {
            if let Some(call) = action.get("functionCall") {
                let name = as_text(call.get("call").unwrap_or(&Value::Null));
                let message = format!("the function `{name}` as an action is not supported yet");
                self.write_log('E', "A2UI", message, &package);
            }
            return;
        };
        let name = as_text(event.get("name").unwrap_or(&Value::Null));
        let model = self.packages.get(&package).map(|app| app.model.clone());
        let model = model.unwrap_or_default();
        let work = ByteBudget::default();
        let scope = Scope::new(&model, base, &work);
        let mut context = Map::new();
        if let Some(Value::Object(fields)) = event.get("context") {
            for (key, value) in fields {
                context.insert(key.clone(), scope.resolve(value).unwrap_or_default());
            }
        }
        self.run_action(&package, &name, &context, 0);
    }

    /// Runs a named action of an app. `depth` counts actions that called each other. An unknown action, or one
    /// beyond [`MAX_ACTION_DEPTH`], only writes to the log. An unknown app does nothing.
    pub(super) fn run_action(
        &mut self,
        package: &str,
        name: &str,
        context: &Map<String, Value>,
        depth: usize,
    ) {
        let Some(manifest) = self.packages.get(package).map(|app| app.manifest.clone()) else {
            return;
        };
        match manifest.actions.get(name) {
            Some(steps) if depth < MAX_ACTION_DEPTH => {
                self.run_steps(package, steps, context, "", depth);
            }
            Some(_) => {
                let message = format!("action `{name}` calls itself without end");
                self.write_log('E', "A2UI", message, package);
            }
            None => {
                let message = format!("app.yaml has no action `{name}`; the event did nothing");
                self.write_log('W', "A2UI", message, package);
            }
        }
    }

    /// Runs steps in order, within the budget of one event. Beyond it the rest is left out, and a list that is
    /// nested too deep is not run at all; the log says so once. Redraws at the end. A step that fails does not stop
    /// the next ones.
    pub(super) fn run_steps(
        &mut self,
        package: &str,
        steps: &[Step],
        context: &Map<String, Value>,
        base: &str,
        depth: usize,
    ) {
        if !self.budget.enter() {
            self.report_excess(package, "its actions run each other without end");
            return;
        }
        for step in steps {
            if !self.budget.step() {
                self.report_excess(
                    package,
                    "one event runs too many steps, or moves too much data",
                );
                break;
            }
            self.run_step(package, step, context, base, depth);
        }
        self.budget.leave();
        self.changed();
    }

    /// Logs that an app exceeds a limit, once for each message and app in the phone's life.
    fn report_excess(&mut self, package: &str, what: &str) {
        let message = format!("{package}: {what}; the rest is not done");
        if self.log.is_new(&message) {
            self.write_log('E', "A2UI", message, package);
        }
    }

    /// Resolves a value in the app's data and the event's context. A value that fails is logged and becomes `null`. An
    /// unknown app gives `null` too. The budget is charged with the size.
    fn step_value(&mut self, package: &str, value: &Value, context: &Map<String, Value>) -> Value {
        let work = ByteBudget::default();
        let resolved = self.packages.get(package).map(|app| {
            Scope {
                context: Some(context),
                ..Scope::new(&app.model, "", &work)
            }
            .resolve(value)
        });
        match resolved {
            Some(Ok(value)) => {
                self.budget.charge(size_of_all(&value));
                value
            }
            Some(Err(problem)) => {
                self.write_log('E', "A2UI", problem.to_string(), package);
                Value::Null
            }
            None => Value::Null,
        }
    }

    /// Sets or, with `None`, removes a value of an app's data. A value that is nested too deep, or would make the data
    /// exceed [`MAX_DATA_BYTES`], is not set, and the log says so once. An unknown app is left alone. It does not
    /// redraw, and runs no watching action.
    fn set_data(&mut self, package: &str, path: &str, value: Option<Value>) {
        let Some(app) = self.packages.get_mut(package) else {
            return;
        };
        let added = value.as_ref().map_or(Some(0), size);
        app.grown = app.grown.saturating_add(added.unwrap_or(0));
        if app.grown > MAX_DATA_BYTES {
            // Measuring visits all of the data, so it is done only once the sum of the additions is too large.
            app.grown = size_of_all(&app.model).saturating_add(added.unwrap_or(0));
        }
        if added.is_none() || app.grown > MAX_DATA_BYTES {
            self.report_excess(package, "its data grows without end");
            return;
        }
        a2ui::set(&mut app.model, path, value);
    }

    /// Returns a copy of an app's value, `null` if it or the app is missing, and charges the budget with its size.
    fn data(&self, package: &str, path: &str) -> Value {
        let value = self
            .packages
            .get(package)
            .and_then(|app| a2ui::get(&app.model, path).cloned())
            .unwrap_or(Value::Null);
        self.budget.charge(size_of_all(&value));
        value
    }

    /// Runs a step. `remove` by a field and `filter` leave data as they are if they find no list; `append` puts a new
    /// list in its place, and `count` gives 0. `set` with a value that fails sets `null`. A permission that is not
    /// granted opens its dialog in place of an open one, and its answer runs the steps; a timer runs its steps later,
    /// after at least 1 ms.
    fn run_step(
        &mut self,
        package: &str,
        step: &Step,
        context: &Map<String, Value>,
        base: &str,
        depth: usize,
    ) {
        match step {
            Step::Set(step) => {
                let value = self.step_value(package, &step.value, context);
                self.set_data(package, &step.path, Some(value));
            }
            Step::Append(step) => {
                let value = self.step_value(package, &step.value, context);
                if !self.data(package, &step.path).is_array() {
                    self.set_data(package, &step.path, Some(Value::Array(Vec::new())));
                }
                self.set_data(package, &format!("{}/-", step.path), Some(value));
            }
            Step::Remove(step) => match (&step.field, &step.equals) {
                (Some(field), Some(equals)) => {
                    let wanted = self.step_value(package, equals, context);
                    if let Value::Array(mut items) = self.data(package, &step.path) {
                        items.retain(|item| item.get(field) != Some(&wanted));
                        self.set_data(package, &step.path, Some(Value::Array(items)));
                    }
                }
                _ => self.set_data(package, &step.path, None),
            },
            Step::Filter(step) => {
                let wanted = as_text(&self.step_value(package, &step.contains, context));
                let wanted = wanted.to_lowercase();
                if let Value::Array(mut items) = self.data(package, &step.from) {
                    items.retain(|item| {
                        step.fields.iter().any(|field| {
                            let text = as_text(item.get(field).unwrap_or(&Value::Null));
                            text.to_lowercase().contains(&wanted)
                        })
                    });
                    self.set_data(package, &step.to, Some(Value::Array(items)));
                }
            }
            Step::Count(step) => {
                let count = self.data(package, &step.of).as_array().map_or(0, Vec::len);
                self.set_data(package, &step.to, Some(Value::from(count)));
            }
            Step::If(step) => {
                let holds = self.holds(package, step, context);
                let steps = if holds { &step.then } else { &step.otherwise };
                self.run_steps(package, steps, context, base, depth);
            }
            Step::Run(name) => self.run_action(package, name, context, depth + 1),
            Step::After(step) => {
                // A timer without any time, set by itself, would be due for ever.
                let wait = Duration::from_millis(step.ms.max(1));
                self.clock.after(
                    wait,
                    package,
                    Task::Steps(step.steps.clone(), context.clone()),
                );
            }
            Step::Log(step) => {
                let message = as_text(&self.step_value(package, &step.message, context));
                self.write_log(step.level, &step.tag, message, package);
            }
            Step::Copy(value) => {
                self.clipboard = Some(as_text(&self.step_value(package, value, context)));
            }
            Step::Toast(value) => {
                let text = as_text(&self.step_value(package, value, context));
                self.overlay.show_toast(text, self.clock.now());
            }
            Step::Request(step) => {
                let granted = self
                    .packages
                    .get(package)
                    .and_then(|app| app.permissions.get(&step.permission).copied());
                if granted == Some(true) {
                    self.run_steps(package, &step.granted, context, base, depth);
                } else {
                    self.overlay.question = Some(Question {
                        package: package.to_owned(),
                        permission: step.permission.clone(),
                        granted: step.granted.clone(),
                        denied: step.denied.clone(),
                    });
                }
            }
            Step::Navigate(_)
            | Step::Restart(_)
            | Step::Back
            | Step::Open(_)
            | Step::Close
            | Step::Crash(_)
            | Step::NativeCrash(_) => self.move_screens(package, step, context),
            Step::Anr(reason) => self.hang(package, reason),
        }
    }

    /// Performs a step that opens or closes a screen, or that crashes the app. Going back, and opening and closing
    /// dialogs, does nothing if the app is not in front. Any other step does nothing. Navigation and crashes work
    /// from the background too, and a restart closes all of the app's screens first.
    fn move_screens(&mut self, package: &str, step: &Step, context: &Map<String, Value>) {
        match step {
            Step::Navigate(activity) => self.open_screen(package, activity, context),
            Step::Restart(activity) => {
                self.tasks.close_all(package);
                self.open_screen(package, activity, context);
            }
            Step::Back if self.front_package().as_deref() == Some(package) => self.close_screen(),
            // An app in the background does not open or close another app's windows either.
            Step::Open(dialog) if self.front_package().as_deref() == Some(package) => {
                self.open_modal(dialog, "");
            }
            Step::Close if self.front_package().as_deref() == Some(package) => self.close_modal(),
            Step::Crash(message) => self.crash(package, message),
            Step::NativeCrash(message) => self.native_crash(package, message),
            _ => {}
        }
    }

    /// Tests the condition of an `if`. Only the first that is given counts: `equals`, as values or as texts;
    /// `contains`, an equal item of a list or a part of a text; `empty`, which holds if blankness is as it says.
    /// Without any, the value must be true.
    fn holds(&mut self, package: &str, step: &IfStep, context: &Map<String, Value>) -> bool {
        let value = self.step_value(package, &step.value, context);
        if let Some(equals) = &step.equals {
            // A field stores `5` as text, which must equal the number.
            return value == self.step_value(package, equals, context)
                || as_text(&value) == as_text(&self.step_value(package, equals, context));
        }
        if let Some(contains) = &step.contains {
            let wanted = self.step_value(package, contains, context);
            return match &value {
                Value::Array(items) => items.contains(&wanted),
                other => as_text(other).contains(&as_text(&wanted)),
            };
        }
        if let Some(empty) = step.empty {
            return as_text(&value).trim().is_empty() == empty;
        }
        is_true(&value)
    }

    /// Answers the permission dialog: stores the answer, runs the steps that the app has for it, and tells the app's
    /// host. Without a dialog it does nothing.
    pub(super) fn answer(&mut self, granted: bool) {
        let Some(question) = self.overlay.question.take() else {
            return;
        };
        if let Some(app) = self.packages.get_mut(&question.package) {
            app.permissions.insert(question.permission.clone(), granted);
        }
        let steps = if granted {
            question.granted
        } else {
            question.denied
        };
        self.run_steps(&question.package, &steps, &Map::new(), "", 0);
        self.answer_hosted(&question.package, &question.permission, granted);
    }
}
