//! Converts a flow and its commands, or fails as a whole.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value, json};

use super::super::super::ast::{Flow, Step, StepAction};
use super::super::tree::{
    Body, Condition, Coordinate, EnvEntries, Header, LaunchApp, LaunchArgument, MaestroCommand,
    Platform, Point, RawSelector, RawText, ScrollUntilVisible, Swipe, SwipeGesture, Tap, file_name,
};
use super::comments::{self, Comment};
use super::texts::{ConversionResult, Names, UnsupportedError, cannot};
use super::write::{OutStep, indented};
use runner_device::Direction;
use runner_text::diagnostic::line_column;
use runner_text::flow_text;

/// Maestro's wait for an element: `lookupTimeoutMs` of `Orchestra.kt`.
const LOOK: &str = "17s";
/// Maestro's wait for an optional element, and in conditions: `optionalLookupTimeoutMs` of `Orchestra.kt`.
const OPTIONAL: &str = "7s";
/// Number of rounds for a loop without one. Chosen: Maestro's loop has no limit, but the own language needs
/// one.
const MAX_ROUNDS: u32 = 1000;
/// Number of swipes of a scroll that ends by its timeout. Chosen: its timeout comes first.
const MAX_SCROLLS: u32 = 100;

/// Converted flow.
pub(super) struct ParsedFlow {
    /// Path below the new folder of flows.
    pub(super) path: Utf8PathBuf,
    pub(super) text: String,
    /// Variables that a caller may set, with their defaults.
    pub(super) requested: BTreeMap<String, String>,
    app: String,
    has_hooks: bool,
}

/// Reason why a flow cannot be converted.
#[derive(Debug, Clone)]
pub(super) struct Reason {
    pub(super) line: usize,
    pub(super) why: String,
}

/// Context of a conversion: the other files of the import.
pub(super) struct ImportContext<'a> {
    /// Flows converted so far, by their paths below the root.
    pub(super) parsed: &'a BTreeMap<Utf8PathBuf, ParsedFlow>,
    /// True if another flow runs this one.
    pub(super) is_run: bool,
    /// True if `takeScreenshot` compares with goldens in this project.
    pub(super) keeps_goldens: bool,
}

/// Converts one flow, whose new path will be `path`; paths in it become relative to that. A path with a part that
/// begins with `_` makes it a sub-flow, without `step_timeout`. Flows that it runs must be converted before, in
/// `context`. Does not check that the text can be read.
///
/// # Errors
/// Line and reason of the first thing that cannot be expressed: hooks and properties first, then the header, then the
/// steps.
pub(super) fn convert_flow(
    flow: &Flow,
    header: &Header,
    path: Utf8PathBuf,
    context: &ImportContext<'_>,
) -> Result<ParsedFlow, Reason> {
    let mut writer = Writer {
        flow,
        context,
        folder: path.parent().unwrap_or(Utf8Path::new("")).to_owned(),
        is_sub_flow: path.components().any(|part| part.as_str().starts_with('_')),
        names: Names::default(),
        comments: comments::find_comments(&flow.source).into_iter().peekable(),
    };
    let (text, app) = writer.text(header)?;
    Ok(ParsedFlow {
        path,
        text,
        requested: writer.names.requested,
        app,
        has_hooks: !flow.setup.is_empty(),
    })
}

struct Writer<'a> {
    flow: &'a Flow,
    context: &'a ImportContext<'a>,
    /// New folder of the flow.
    folder: Utf8PathBuf,
    /// True if the flow is not a test of its own.
    is_sub_flow: bool,
    names: Names,
    comments: std::iter::Peekable<std::vec::IntoIter<Comment>>,
}

type Lines = Result<Vec<String>, Reason>;

impl Writer<'_> {
    /// Returns the reason with the line of this place.
    fn at(&self, place: usize, why: UnsupportedError) -> Reason {
        Reason {
            line: line_column(&self.flow.source.text, place).0,
            why: why.0,
        }
    }

    /// Returns the text of the converted flow with all its comments, and its app. `onFlowStart` becomes `setup`.
    /// `onFlowComplete`, `onFlowFailure`, properties of the header and a flow without commands are errors. To be called
    /// once: it uses up the comments.
    fn text(&mut self, header: &Header) -> Result<(String, String), Reason> {
        let flow = self.flow;
        if let Some(step) = flow.teardown.first() {
            let why = "`teardown` goes on where `onFlowComplete` stops".to_owned();
            return Err(self.at(step.span.start, UnsupportedError(why)));
        }
        if let Some(step) = flow.on_failure.first() {
            let why = "`onFlowFailure` stays Maestro's".to_owned();
            return Err(self.at(step.span.start, UnsupportedError(why)));
        }
        if let Some((name, _)) = header.properties.first() {
            let why = format!("flows here have no properties, such as `{name}`");
            return Err(self.at(0, UnsupportedError(why)));
        }
        let first = flow.setup.first().or(flow.steps.first());
        let begin = first.map_or(flow.source.text.len(), |step| step.span.start);
        let mut lines = Vec::new();
        self.comments_before(begin, &mut lines);
        let mut own = Map::new();
        for (name, value) in &header.env {
            let parsed = self.names.header_value(name, value);
            let message = parsed.map_err(|why| self.at(value.span.start, why))?;
            if let Some(output) = message {
                own.insert(name.clone(), output.into());
            }
        }
        let app = self.names.text(&header.app_id);
        let app = app.map_err(|why| self.at(header.app_id.span.start, why))?;
        let setup = if flow.setup.is_empty() {
            Vec::new()
        } else {
            self.steps(&flow.setup)?
        };
        let mut steps = self.steps(&flow.steps)?;
        self.comments_before(usize::MAX, &mut steps);
        lines.extend(self.head(&app, own));
        for (name, part) in [("setup", setup), ("steps", steps)] {
            if !part.is_empty() {
                lines.push(format!("{name}:"));
                lines.extend(part.iter().map(|line| indented(line, 2)));
            }
        }
        lines.push(String::new());
        Ok((lines.join("\n"), app))
    }

    /// Returns the lines of the header: name, app, tags, `env` and `step_timeout`. The name is left out if it is the
    /// file's. `env` has the values of `own` and the defaults of variables that a caller may set; the steps must be
    /// converted before.
    fn head(&self, app: &str, own: Map<String, Value>) -> Vec<String> {
        let mut lines = Vec::new();
        let mut say = |name: &str, value: &Value| {
            lines.push(format!("{name}: {}", flow_text::with_expressions(value)));
        };
        let flow = self.flow;
        if flow.key.file_name() != Some(flow.name.as_str()) {
            say("name", &flow_text::escaped(&flow.name.clone().into()));
        }
        say("app", &app.into());
        if !flow.tags.is_empty() {
            say("tags", &json!(flow.tags));
        }
        let requested = self.names.requested.iter();
        let mut env: Map<String, Value> = requested
            .map(|(name, default)| (name.clone(), flow_text::escaped_text(default).into()))
            .collect();
        env.extend(own);
        if !env.is_empty() {
            say("env", &Value::Object(env));
        }
        // A file that only other flows run has their timeout.
        if !self.is_sub_flow {
            say("step_timeout", &LOOK.into());
        }
        lines
    }

    /// Moves the comments that begin before the offset `at` and are not written yet to `lines`.
    fn comments_before(&mut self, at: usize, lines: &mut Vec<String>) {
        while let Some(comment) = self.comments.next_if(|comment| comment.at < at) {
            lines.push(comment.text);
        }
    }

    /// Converts steps with the comments before and beside them; one beside a step of one line stays there, others
    /// move above it. An empty list and the first step that cannot be converted are errors.
    fn steps(&mut self, steps: &[Step]) -> Lines {
        if steps.is_empty() {
            return Err(self.at(
                0,
                UnsupportedError("a list here has at least one step".to_owned()),
            ));
        }
        let mut lines = Vec::new();
        for step in steps {
            self.comments_before(step.span.start, &mut lines);
            let mut messages = self.step(step)?;
            let text = &self.flow.source.text;
            let end = step.span.end;
            let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
            // Comments beside the step, and inside of it if it contains no steps.
            let mut inner = Vec::new();
            while let Some(comment) = self.comments.next_if(|comment| comment.at < line_end) {
                match messages.as_mut_slice() {
                    [only] if comment.is_trailing && !only.contains('#') => {
                        only.push_str(&format!(" {}", comment.text));
                    }
                    _ => inner.push(comment.text),
                }
            }
            lines.extend(inner);
            lines.extend(messages);
        }
        Ok(lines)
    }

    /// Converts a command with its label, which must have no expression, and its `optional`. Returns the lines of one
    /// step; none for a step of our own.
    fn step(&mut self, step: &Step) -> Lines {
        let StepAction::Maestro(command) = &step.action else {
            return Ok(Vec::new());
        };
        let is_optional = step.modifiers.optional;
        let out = match &**command {
            MaestroCommand::RunFlow { .. }
            | MaestroCommand::Repeat { .. }
            | MaestroCommand::Retry { .. } => self.control(command, step)?,
            command => {
                let parsed = self.command(command, is_optional);
                parsed.map_err(|why| self.at(step.span.start, why))?
            }
        };
        let mut out = out;
        if let Some(label) = &step.modifiers.label {
            if label.contains("${") {
                let why = UnsupportedError("a label holds no expression here".to_owned());
                return Err(self.at(step.span.start, why));
            }
            out = out.with_modifier("label", label.clone());
        }
        if is_optional {
            out = out.with_modifier("optional", true);
        }
        Ok(out.lines())
    }

    /// Converts a command without steps; all that would act in another way is an error. `is_optional` says that the
    /// step is optional: then `optional` of its selector is dropped, and a touch waits for `OPTIONAL`. The caller
    /// adds the modifier.
    fn command(
        &mut self,
        command: &MaestroCommand,
        is_optional: bool,
    ) -> ConversionResult<OutStep> {
        use MaestroCommand as M;
        Ok(match command {
            M::TapOn(tap) => self.tap("click", tap, is_optional)?,
            M::DoubleTapOn(tap) => self.tap("double_click", tap, is_optional)?,
            M::LongPressOn(tap) => self.tap("long_click", tap, is_optional)?,
            M::AssertVisible(selector) => {
                OutStep::line("assert visible", self.found(selector, is_optional)?)
            }
            M::AssertNotVisible(selector) => {
                let selector = self
                    .names
                    .element_or_none(&required(selector, is_optional))?;
                OutStep::line("assert not visible", selector)
            }
            M::ExtendedWaitUntil {
                visible,
                not_visible,
                timeout,
            } => self.wait(visible.as_ref(), not_visible.as_ref(), timeout.as_ref())?,
            M::WaitForAnimationToEnd { timeout } => OutStep::word("wait_for_idle")
                .with_modifier("timeout", milliseconds(timeout.as_ref(), "15s")?)
                .with_modifier("optional", true),
            M::Back => OutStep::word("back"),
            M::HideKeyboard => OutStep::word("hide_keyboard"),
            M::PressKey(key) => OutStep::line("press", key.android_name()),
            M::InputText(text) => OutStep::line("type", self.names.text(text)?),
            M::EraseText(count) => {
                OutStep::line("erase", json!({ "characters": count.unwrap_or(50) }))
            }
            M::Scroll => over_display(Direction::Up, 400),
            M::Swipe(swipe) => swiped(swipe)?,
            M::ScrollUntilVisible(scroll) => self.scroll_to(scroll)?,
            M::LaunchApp(launch) => self.launch(launch)?,
            M::StopApp(app) => self.app_step("stop", app.as_ref())?,
            M::ClearState(app) => self.app_step("clear", app.as_ref())?,
            M::TakeScreenshot {
                path,
                crop_on: None,
            } if !path.has_script() && !self.context.keeps_goldens => {
                OutStep::line("screenshot", file_name(&path.text))
            }
            M::OpenLink {
                link,
                browser: false,
                auto_verify: false,
            } => OutStep::line("open_link", self.names.text(link)?),
            other => return device_step(other),
        })
    }

    /// Converts the selector of an element that must exist. Its own `optional` is an error, unless the step
    /// is optional anyway.
    fn found(&mut self, selector: &RawSelector, is_optional: bool) -> ConversionResult<Value> {
        self.names.element(&required(selector, is_optional))
    }

    /// Returns a step about an app, as a word without a value for the flow's own. Fails if the app's expression
    /// cannot be converted.
    fn app_step(&mut self, step: &'static str, app: Option<&RawText>) -> ConversionResult<OutStep> {
        Ok(match app {
            Some(app) => OutStep::line(step, self.names.text(app)?),
            None => OutStep::word(step),
        })
    }

    /// Converts a touch, of an element or of a point of the display. Options that repeat or wait, a point in an
    /// element, and one with an expression are errors. A `long_click` lasts 3 s. An optional one of an element looks
    /// for `OPTIONAL`.
    fn tap(
        &mut self,
        step: &'static str,
        tap: &Tap,
        is_optional: bool,
    ) -> ConversionResult<OutStep> {
        for (is_there, option) in [
            (tap.retry_if_no_change, "retryTapIfNoChange"),
            (tap.wait_until_visible, "waitUntilVisible"),
            (tap.wait_to_settle.is_some(), "waitToSettleTimeoutMs"),
            (tap.repeat.is_some(), "repeat"),
            (tap.delay.is_some(), "delay"),
        ] {
            if is_there {
                return cannot(format!("no step that touches has `{option}`"));
            }
        }
        let mut value = match (&tap.selector, &tap.point) {
            (Some(selector), None) => self.found(selector, is_optional)?,
            (None, Some(point)) => match Point::parse(&point.text) {
                Some(point) => json!({ "at": place(point) }),
                None => return cannot("a place holds no expression"),
            },
            _ => return cannot("a place in an element lies in its part on the screen here"),
        };
        if step == "long_click" {
            value = with(value, "duration", "3s".into()).into();
        }
        let out = OutStep::line(step, value);
        Ok(if is_optional && tap.selector.is_some() {
            out.with_modifier("timeout", OPTIONAL)
        } else {
            out
        })
    }

    /// Converts a wait for exactly one element to come or go; neither or both are errors. Without `timeout` it waits
    /// for `LOOK`.
    fn wait(
        &mut self,
        visible: Option<&RawSelector>,
        not_visible: Option<&RawSelector>,
        timeout: Option<&RawText>,
    ) -> ConversionResult<OutStep> {
        let limit = milliseconds(timeout, LOOK)?;
        let on = match (visible, not_visible) {
            (Some(visible), None) => self.names.element(visible)?,
            (None, Some(gone)) => {
                let on = self.names.element_or_none(gone)?;
                with(on, "gone", true.into()).into()
            }
            _ => return cannot("a step waits for one element"),
        };
        Ok(OutStep::line("wait_for", on).with_modifier("timeout", limit))
    }

    /// Converts scrolling up or down; sideways, `centerElement` and `waitToSettleTimeoutMs` are errors. Without
    /// `timeout` it takes 20 s. `speed` is dropped.
    fn scroll_to(&mut self, scroll: &ScrollUntilVisible) -> ConversionResult<OutStep> {
        let limit = milliseconds(scroll.timeout.as_ref(), "20s")?;
        if scroll.wait_to_settle.is_some() || scroll.center {
            return cannot("`scroll_to` has no `waitToSettleTimeoutMs`, and another middle");
        }
        let on = self.names.element(&scroll.element)?;
        let mut map = with(on, "max", MAX_SCROLLS.into());
        if let Some(within) = &scroll.within {
            map.insert("in".to_owned(), self.names.element(within)?);
        }
        match scroll.direction {
            Direction::Down => {}
            Direction::Up => {
                map.insert("direction".to_owned(), "up".into());
            }
            _ => return cannot("what scrolls sideways is another container here"),
        }
        if scroll.visibility > 0 {
            let share = format!("{}%", scroll.visibility);
            map.insert("visible".to_owned(), share.into());
        }
        Ok(OutStep::line("scroll_to", map).with_modifier("timeout", limit))
    }

    /// Converts a launch. Without `permissions` all are granted, as with Maestro. Single permissions, `all` denied
    /// without `clearState`, decimal arguments and names of arguments with an expression are errors. `clearKeychain`
    /// is dropped.
    fn launch(&mut self, launch: &LaunchApp) -> ConversionResult<OutStep> {
        let mut map = Map::new();
        if let Some(app) = &launch.app_id {
            map.insert("app".to_owned(), self.names.text(app)?.into());
        }
        if launch.clear_state {
            map.insert("clear".to_owned(), true.into());
        }
        if launch.stop_app == Some(false) {
            map.insert("stop".to_owned(), false.into());
        }
        let mut extras = Map::new();
        for (name, value) in &launch.arguments {
            if name.has_script() {
                return cannot("the name of an extra holds no expression");
            }
            let value = match value {
                LaunchArgument::Text(text) => self.names.text(text)?.into(),
                LaunchArgument::Boolean(flag) => (*flag).into(),
                LaunchArgument::Integer(number) => (*number).into(),
                LaunchArgument::Decimal(_) => {
                    return cannot("an extra is a text, a whole number or a boolean");
                }
            };
            extras.insert(name.text.clone(), value);
        }
        if !extras.is_empty() {
            map.insert("extras".to_owned(), extras.into());
        }
        let named = launch.permissions.as_ref().map(|named| {
            let texts = named
                .iter()
                .map(|(name, value)| (&*name.text, &*value.text));
            texts.collect::<Vec<_>>()
        });
        match named.as_deref() {
            None | Some([("all", "allow")]) => {
                map.insert("permissions".to_owned(), "all".into());
            }
            // An app without data has no permissions either.
            Some([("all", "deny" | "unset")]) if launch.clear_state => {}
            Some(_) => return cannot("permissions have Android's names here"),
        }
        Ok(if map.is_empty() {
            OutStep::word("launch")
        } else {
            OutStep::line("launch", map)
        })
    }

    /// Converts `runFlow`, `retry` (at most 3 times) or `repeat` with its steps; other commands are errors. Label and
    /// `optional` of `step` are left to the caller; it gives the line of errors.
    fn control(&mut self, command: &MaestroCommand, step: &Step) -> Result<OutStep, Reason> {
        let place = step.span.start;
        match command {
            MaestroCommand::RunFlow { body, when, env } => {
                let when = when.as_ref().map(|when| self.condition(when));
                let when = when.transpose().map_err(|why| self.at(place, why))?;
                let out = self.body(body, env, place)?;
                Ok(match when.flatten() {
                    Some(when) => out.with_modifier("when", when),
                    None => out,
                })
            }
            MaestroCommand::Retry {
                max_retries,
                body,
                env,
            } => {
                let times = integer(max_retries.as_ref(), 1).map_err(|why| self.at(place, why))?;
                let entries = vec![("times", times.min(3).into())];
                let steps = match body {
                    Body::Commands(steps) if env.is_empty() => self.steps(steps)?,
                    body => self.body(body, env, place)?.lines(),
                };
                Ok(OutStep::with_steps("retry", entries, steps))
            }
            MaestroCommand::Repeat {
                times,
                condition,
                steps,
            } => {
                let entries = self.turns(times.as_ref(), condition.as_ref());
                let entries = entries.map_err(|why| self.at(place, why))?;
                let steps = self.steps(steps)?;
                Ok(OutStep::with_steps("repeat", entries, steps))
            }
            _ => Err(self.at(place, UnsupportedError("no step here does this".to_owned()))),
        }
    }

    /// Returns the options of `repeat`: `times`, or `while` with `times` or `max`. A number must be literal; a
    /// missing one is `MAX_ROUNDS`. A condition that always holds is an error.
    fn turns(
        &mut self,
        times: Option<&RawText>,
        condition: Option<&Condition>,
    ) -> ConversionResult<Vec<(&'static str, Value)>> {
        let turns = integer(times, MAX_ROUNDS)?;
        let Some(condition) = condition else {
            return Ok(vec![("times", turns.into())]);
        };
        let Some(condition) = self.condition(condition)? else {
            return cannot("`while` is one condition");
        };
        // With `times`, reaching the number of rounds is no failure, as with Maestro.
        let limit = if times.is_some() { "times" } else { "max" };
        Ok(vec![("while", condition), (limit, turns.into())])
    }

    /// Converts the file of a command to a `run`, or its steps to a `group`. Steps with variables of their own are
    /// errors. `place` is the offset for errors.
    fn body(&mut self, body: &Body, env: &EnvEntries, place: usize) -> Result<OutStep, Reason> {
        match body {
            Body::File(flow) => self.run(flow, env).map_err(|why| self.at(place, why)),
            Body::Commands(_) if !env.is_empty() => {
                let why = "`env` of `commands` ends with them; `set` does not".to_owned();
                Err(self.at(place, UnsupportedError(why)))
            }
            Body::Commands(steps) => Ok(OutStep::group(self.steps(steps)?)),
        }
    }

    /// Converts a run of a file, which must be converted before, have no `onFlowStart`, and name the same app; else it
    /// is an error. Of `env` only variables that the file takes from its caller are kept. Those that the file takes and
    /// `env` lacks are passed on if this flow has them or is run by another one.
    fn run(&mut self, flow: &Flow, env: &EnvEntries) -> ConversionResult<OutStep> {
        let file = &flow.source.path;
        let Some(parsed_flow) = self.context.parsed.get(file) else {
            return cannot(format!("it runs {file}, which stays a flow of Maestro's"));
        };
        if parsed_flow.has_hooks {
            return cannot(format!(
                "it runs {file}, whose onFlowStart would not run here"
            ));
        }
        let here = self.flow.maestro().map(|header| &header.app_id);
        let there = flow.maestro().map(|header| &header.app_id);
        if here.map(|app| &app.text) != there.map(|app| &app.text) {
            return cannot(format!(
                "it runs {file} with another app, {}",
                parsed_flow.app
            ));
        }
        let mut given = Map::new();
        for (name, value) in env {
            // Other variables get their value from the header of the sub-flow, whoever runs it.
            if parsed_flow.requested.contains_key(name) {
                given.insert(name.clone(), self.names.text(value)?.into());
            }
        }
        // With Maestro the variables of a flow are also those of its sub-flows.
        for (name, default) in &parsed_flow.requested {
            let is_known =
                self.names.known.contains(name) || self.names.requested.contains_key(name);
            if given.contains_key(name) || !(is_known || self.context.is_run) {
                continue;
            }
            self.names.use_name(name, default)?;
            given.insert(name.clone(), format!("${{{name}}}").into());
        }
        let below = relative(&parsed_flow.path, &self.folder);
        Ok(if given.is_empty() {
            OutStep::line("run", below)
        } else {
            OutStep::line("run", json!({ "flow": below, "env": given }))
        })
    }

    /// Converts a condition, which then waits up to `OPTIONAL`; `None` if it always holds, as with the platform
    /// Android alone. Another platform, JavaScript, and both `visible` and `notVisible` are errors.
    fn condition(&mut self, when: &Condition) -> ConversionResult<Option<Value>> {
        if let Some(platform) = when.platform.filter(|it| *it != Platform::Android) {
            return cannot(format!("it never runs on Android, but on {platform:?}"));
        }
        if when.script.is_some() {
            return cannot("a condition with `true` is JavaScript");
        }
        let (name, selector) = match (&when.visible, &when.not_visible) {
            (None, None) => return Ok(None),
            (Some(visible), None) => ("visible", visible),
            (None, Some(not_visible)) => ("not_visible", not_visible),
            _ => return cannot("a step has one condition"),
        };
        let on = self.names.element_or_none(selector)?;
        Ok(Some(json!({ name: on, "timeout": OPTIONAL })))
    }
}

/// Returns the selector without its own `optional`, if the step is optional anyway.
fn required(selector: &RawSelector, is_optional: bool) -> RawSelector {
    let mut selector = selector.clone();
    selector.optional &= !is_optional;
    selector
}

/// Adds an option of the step to the keys of an element. An element that is no map, a plain text, becomes the key
/// `on` first. An equal key is replaced.
fn with(element: Value, option: &str, value: Value) -> Map<String, Value> {
    let mut map = match element {
        Value::Object(map) => map,
        words => Map::from_iter([("on".to_owned(), words)]),
    };
    map.insert(option.to_owned(), value);
    map
}

/// Converts `setOrientation`, `setLocation`, `setAirplaneMode` and `setDarkMode`, with literal values. All others are
/// errors with the reason why no step here does the same.
fn device_step(command: &MaestroCommand) -> ConversionResult<OutStep> {
    use MaestroCommand as M;
    Ok(match command {
        M::SetOrientation(name) => {
            let plain = name.text.to_lowercase().replace('_', "");
            let to = match plain.as_str() {
                "portrait" => "portrait",
                "landscapeleft" => "landscape",
                "landscaperight" => "reverse_landscape",
                "upsidedown" => "reverse_portrait",
                _ => return cannot("`rotate` takes no expression"),
            };
            OutStep::line("rotate", to)
        }
        M::SetLocation {
            latitude,
            longitude,
        } => {
            let place = json!({ "lat": degrees(latitude)?, "lon": degrees(longitude)? });
            OutStep::line("set_device", json!({ "location": place }))
        }
        M::SetAirplaneMode(on) => OutStep::line("set_device", json!({ "airplane": on })),
        M::SetDarkMode(on) => OutStep::line("set_device", json!({ "dark": on })),
        M::EvalScript(_) | M::RunScript { .. } => return cannot("scripts are JavaScript"),
        M::AssertTrue(text) => return cannot(format!("`{}` is JavaScript", text.text)),
        M::Unsupported { name } => return cannot(format!("`{name}` never runs on Android")),
        _ => return cannot("no step here does just this"),
    })
}

/// Returns the swipe in a direction over the whole display, with Maestro's places in percent. The finger moves in the
/// direction. `duration` is in milliseconds.
fn over_display(direction: Direction, duration: u64) -> OutStep {
    let percent = |x: u8, y: u8| Point {
        x: Coordinate::Percent(x),
        y: Coordinate::Percent(y),
    };
    let (start, end) = match direction {
        Direction::Up => (percent(50, 50), percent(50, 10)),
        Direction::Down => (percent(50, 20), percent(50, 90)),
        Direction::Right => (percent(10, 50), percent(90, 50)),
        Direction::Left => (percent(90, 50), percent(10, 50)),
    };
    from_to(start, end, duration)
}

/// Returns a swipe between two points, with a duration in milliseconds.
fn from_to(start: Point, end: Point, duration: u64) -> OutStep {
    let gesture = json!({
        "from": place(start),
        "to": place(end),
        "duration": format!("{duration}ms"),
    });
    OutStep::line("swipe_across", gesture)
}

/// Converts a swipe over the display or between two points. A swipe from an element and `waitToSettleTimeoutMs` are
/// errors.
fn swiped(swipe: &Swipe) -> ConversionResult<OutStep> {
    if swipe.wait_to_settle.is_some() {
        return cannot("`swipe_across` has no `waitToSettleTimeoutMs`");
    }
    match &swipe.gesture {
        SwipeGesture::Direction(to) => Ok(over_display(*to, swipe.duration)),
        SwipeGesture::Points { start, end } => Ok(from_to(*start, *end, swipe.duration)),
        SwipeGesture::Element { .. } => cannot("a swipe from an element stays in it here"),
    }
}

/// Returns a point as our steps write it: `{ x, y }`, with a text such as `50%` for percent and a number for pixels.
fn place(point: Point) -> Value {
    let coordinate = |at: Coordinate| match at {
        Coordinate::Percent(share) => Value::from(format!("{share}%")),
        Coordinate::Pixels(pixels) => pixels.into(),
    };
    json!({ "x": coordinate(point.x), "y": coordinate(point.y) })
}

/// Converts a literal whole number of milliseconds above 0, such as `500` or `5_000`, to a text such as
/// `500ms`. Without a time it is `default`. An expression, 0 and any other text are errors.
fn milliseconds(time: Option<&RawText>, default: &str) -> ConversionResult<Value> {
    let Some(time) = time else {
        return Ok(default.into());
    };
    match time.text.trim().replace('_', "").parse::<u64>() {
        Ok(number) if number > 0 => Ok(format!("{number}ms").into()),
        _ => cannot("a time is a whole number of milliseconds"),
    }
}

/// Parses literal degrees of a location. An expression and any other text are errors; the range is not checked.
fn degrees(text: &RawText) -> ConversionResult<f64> {
    match text.text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => cannot("a place on earth holds no expression"),
    }
}

/// Parses a literal number of rounds from 1 to [`MAX_ROUNDS`]; a missing one is `default`. An expression and any
/// other number are errors.
fn integer(number: Option<&RawText>, default: u32) -> ConversionResult<u32> {
    let Some(number) = number else {
        return Ok(default);
    };
    match number.text.trim().parse::<u32>() {
        Ok(number @ 1..=MAX_ROUNDS) => Ok(number),
        _ => cannot(format!("a number of turns is from 1 to {MAX_ROUNDS}")),
    }
}

/// Returns the relative path from a folder to `path`, with `/` and as many `../` as needed. Both must be
/// relative to the same folder or both absolute; else it returns `path` as it is.
fn relative(path: &Utf8Path, folder: &Utf8Path) -> String {
    let mut up = String::new();
    let mut base = Some(folder);
    while let Some(folder) = base {
        if let Ok(below) = path.strip_prefix(folder) {
            return format!("{up}{below}").replace('\\', "/");
        }
        up.push_str("../");
        base = folder.parent();
    }
    path.as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_parts_are_said_as_they_are_meant() {
        for (path, folder, expected) in [
            ("a.yaml", "", "a.yaml"),
            ("b/_a.yaml", "b", "_a.yaml"),
            ("b/_a.yaml", "c/d", "../../b/_a.yaml"),
        ] {
            assert_eq!(
                relative(Utf8Path::new(path), Utf8Path::new(folder)),
                expected
            );
        }
    }
}
