//! A flow and its commands in our own words.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value, json};

use super::super::super::ast::{Flow, Step, StepAction};
use super::super::tree::{
    Body, Condition, Coordinate, Direction, EnvEntries, Header, LaunchApp, LaunchArgument,
    MaestroCommand, Platform, Point, RandomKind, RawText, ScrollUntilVisible, Selector, Swipe,
    SwipeGesture, Tap,
};
use super::comments::{self, Comment};
use super::script;
use super::texts::{Names, NotSaid, Outputs, Said, cannot, short};
use super::write::{OutStep, indented, is_empty};
use crate::diagnostic::line_column;
use crate::flow_text;
use runner_text::source_file::normalise;

/// How long Maestro looks for an element.
const LOOK: &str = "17s";
/// How long its conditions do.
const CONDITION: &str = "7s";
/// Most turns of a loop that says no number.
const MOST_TURNS: u32 = 1000;

/// What flows leave in `output`, by their paths: each is looked through once.
pub(super) type OutputsOfFlows = RefCell<HashMap<Utf8PathBuf, Outputs>>;

/// Takes over one file.
pub(super) struct Importer<'a> {
    flow: &'a Flow,
    header: &'a Header,
    paths: &'a HashMap<Utf8PathBuf, Utf8PathBuf>,
    root: &'a Utf8Path,
    outputs: &'a OutputsOfFlows,
    names: Names,
    comments: std::iter::Peekable<std::vec::IntoIter<Comment>>,
    made: usize,
    /// The names of its snapshots, in lower case.
    snapshots: BTreeSet<String>,
    /// What could not be said, by its line.
    pub(super) left_out: Vec<(usize, String)>,
}

impl<'a> Importer<'a> {
    pub(super) fn new(
        flow: &'a Flow,
        header: &'a Header,
        paths: &'a HashMap<Utf8PathBuf, Utf8PathBuf>,
        root: &'a Utf8Path,
        outputs: &'a OutputsOfFlows,
    ) -> Self {
        Self {
            flow,
            header,
            paths,
            root,
            outputs,
            names: Names {
                file: flow.source.path.file_stem().unwrap_or_default().to_owned(),
                ..Names::default()
            },
            comments: comments::of(&flow.source).into_iter().peekable(),
            made: 0,
            snapshots: BTreeSet::new(),
            left_out: Vec::new(),
        }
    }

    /// The whole flow.
    pub(super) fn text(&mut self) -> String {
        let first = self.flow.setup.first().or(self.flow.steps.first());
        let begin = first.map_or(self.flow.source.text.len(), |step| step.span.start);
        let mut before = Vec::new();
        self.comments_before(begin, &mut before);
        let env = self.header_env();
        // In the order of the file, so that each comment finds its step.
        let is_early = |steps: &[Step]| {
            let first = steps.first().map(|step| step.span.start);
            first < self.flow.steps.first().map(|step| step.span.start)
        };
        let teardown_first = is_early(&self.flow.teardown);
        let mut setup = self.steps(&self.flow.setup);
        let mut teardown = Vec::new();
        if teardown_first {
            teardown = self.steps(&self.flow.teardown);
        }
        let mut steps = self.steps(&self.flow.steps);
        if !teardown_first {
            teardown = self.steps(&self.flow.teardown);
        }
        self.comments_before(usize::MAX, &mut steps);
        let is_sub_flow = self
            .paths
            .get(&self.flow.source.path)
            .is_some_and(|path| !is_started(path));
        if is_sub_flow {
            // Only the flow that is started has `setup` and `teardown`.
            setup.append(&mut steps);
            steps = std::mem::take(&mut setup);
            if !is_empty(&teardown) {
                steps.push(
                    "# onFlowComplete: here these run only if nothing before fails.".to_owned(),
                );
                steps.append(&mut teardown);
            }
        }
        let mut lines = before;
        lines.extend(self.head(env));
        for (name, part) in [("setup", setup), ("steps", steps), ("teardown", teardown)] {
            match (name, !is_empty(&part)) {
                ("steps", false) => {
                    lines.push("steps:".to_owned());
                    lines.extend(part.iter().map(|line| indented(line, 2)));
                    // A flow has at least one step.
                    lines.push("  - set: { NOTHING: no step could be said }".to_owned());
                }
                (_, false) => lines.extend(part),
                (name, true) => {
                    lines.push(format!("{name}:"));
                    lines.extend(part.iter().map(|line| indented(line, 2)));
                }
            }
        }
        lines.push(String::new());
        lines.join("\n")
    }

    fn head(&mut self, env: Said<Map<String, Value>>) -> Vec<String> {
        let mut lines = Vec::new();
        let mut say = |name: &str, value: &Value| {
            lines.push(format!("{name}: {}", flow_text::with_expressions(value)));
        };
        let own_name = self.flow.key.file_name() != Some(self.flow.name.as_str());
        if own_name {
            say("name", &flow_text::escaped(&self.flow.name.clone().into()));
        }
        match self.names.text(&self.header.app_id) {
            Ok(app) => say("app", &app.into()),
            Err(why) => self.left_out.push((1, format!("appId: {}", why.0))),
        }
        if !self.flow.tags.is_empty() {
            say("tags", &json!(self.flow.tags));
        }
        let mut all = Map::new();
        for name in &self.names.given {
            let value = format!("${{os.{name} | default('')}}");
            all.insert(name.clone(), value.into());
        }
        match env {
            Ok(env) => all.extend(env),
            Err(why) => self.left_out.push((1, format!("env: {}", why.0))),
        }
        if !all.is_empty() {
            say("env", &Value::Object(all));
        }
        say("step_timeout", &LOOK.into());
        if !self.names.outputs.is_empty() {
            // All flows share `output` there.
            say(
                "outputs",
                &json!(self.names.outputs.keys().collect::<Vec<_>>()),
            );
        }
        if !self.header.properties.is_empty() {
            let names: Vec<&str> = self
                .header
                .properties
                .iter()
                .map(|(name, _)| name.as_str())
                .collect();
            lines.push(format!(
                "# properties of JUnit were not taken over: {}",
                names.join(", ")
            ));
        }
        lines
    }

    /// `env` of the header: each value may use the names before it. `NAME: ${NAME}` is what somebody else gives.
    fn header_env(&mut self) -> Said<Map<String, Value>> {
        let mut env = Map::new();
        for (name, value) in &self.header.env {
            if value.text.trim() == format!("${{{name}}}") {
                self.names.given.insert(name.clone());
            } else {
                self.names.in_header = Some(name.clone());
                env.insert(name.clone(), self.names.text(value)?.into());
            }
            self.names.in_header = None;
            self.names.known.insert(name.clone());
        }
        Ok(env)
    }

    fn env(&mut self, entries: &EnvEntries) -> Said<Map<String, Value>> {
        let mut env = Map::new();
        for (name, value) in entries {
            env.insert(name.clone(), self.names.text(value)?.into());
        }
        Ok(env)
    }

    /// The comments that stand before a place, each on its line.
    fn comments_before(&mut self, at: usize, lines: &mut Vec<String>) {
        while let Some(comment) = self.comments.next_if(|comment| comment.at < at) {
            lines.push(comment.text);
        }
    }

    fn steps(&mut self, steps: &[Step]) -> Vec<String> {
        let mut lines = Vec::new();
        for step in steps {
            self.comments_before(step.span.start, &mut lines);
            let mut said = self.step(step);
            let text = &self.flow.source.text;
            let end = step.span.end;
            let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
            // What stands beside the step, and inside it where it holds no steps.
            let mut inner = Vec::new();
            while let Some(comment) = self.comments.next_if(|comment| comment.at < line_end) {
                match said.as_mut_slice() {
                    [only] if comment.is_beside && !only.contains('#') => {
                        only.push_str(&format!(" {}", comment.text));
                    }
                    _ => inner.push(comment.text),
                }
            }
            lines.extend(inner);
            lines.extend(said);
        }
        lines
    }

    fn step(&mut self, step: &Step) -> Vec<String> {
        let StepAction::Maestro(command) = &step.action else {
            return Vec::new();
        };
        match self.command(command) {
            Ok(steps) => {
                let last = steps.len().saturating_sub(1);
                let steps = steps.into_iter().enumerate();
                steps
                    .flat_map(|(at, out)| {
                        let mut out = out;
                        if let Some(label) = step.modifiers.label.as_ref().filter(|_| at == last) {
                            out = out.and("label", flow_text::escaped(&label.clone().into()));
                        }
                        if step.modifiers.optional {
                            out = out.and("optional", true);
                        }
                        out.lines()
                    })
                    .collect()
            }
            Err(why) => self.not_said(step, &why),
        }
    }

    /// The step as a comment, with its line.
    fn not_said(&mut self, step: &Step, why: &NotSaid) -> Vec<String> {
        let source = &self.flow.source;
        let (line, _) = line_column(&source.text, step.span.start);
        self.left_out.push((line, why.0.clone()));
        let mut lines = vec![format!("# Line {line} of {}: {}", source.path, why.0)];
        let text = source.text.get(step.span.clone()).unwrap_or_default();
        lines.extend(text.lines().map(|line| format!("#   {line}")));
        lines
    }

    fn command(&mut self, command: &MaestroCommand) -> Said<Vec<OutStep>> {
        use MaestroCommand as M;
        let one = |out: OutStep| Ok(vec![out]);
        match command {
            M::TapOn(tap) => self.tap("click", tap),
            M::DoubleTapOn(tap) => self.tap("double_click", tap),
            M::LongPressOn(tap) => self.tap("long_click", tap),
            M::AssertVisible(selector) => {
                let on = self.names.selector(selector)?;
                one(OutStep::line("assert visible", short(on)))
            }
            M::AssertNotVisible(selector) => {
                let on = self.names.selector(selector)?;
                one(OutStep::line("assert not visible", short(on)))
            }
            M::ExtendedWaitUntil {
                visible,
                not_visible,
                timeout,
            } => self.wait(visible.as_ref(), not_visible.as_ref(), timeout.as_ref()),
            M::WaitForAnimationToEnd { timeout } => {
                let limit = milliseconds(timeout.as_ref(), "15s")?;
                one(OutStep::bare("wait_for_idle")
                    .and("timeout", limit)
                    .and("optional", true))
            }
            M::AssertTrue(_) | M::EvalScript(_) | M::RunScript { .. } => self.script(command),
            M::Back => one(OutStep::bare("back")),
            M::HideKeyboard => one(OutStep::bare("hide_keyboard")),
            M::Scroll => one(OutStep::line("swipe_across", "up")),
            M::ScrollUntilVisible(scroll) => self.scroll_to(scroll),
            M::Swipe(swipe) => self.swipe(swipe),
            M::RunFlow { .. } | M::Repeat { .. } | M::Retry { .. } => self.control(command),
            M::LaunchApp(launch) => self.launch(launch),
            M::StopApp(app) | M::KillApp(app) => match app {
                Some(app) => one(OutStep::line("stop", self.names.text(app)?)),
                None => one(OutStep::bare("stop")),
            },
            M::ClearState(app) => match app {
                Some(app) => one(OutStep::line("clear", self.names.text(app)?)),
                None => one(OutStep::bare("clear")),
            },
            M::ClearKeychain => cannot("Android has no keychain"),
            M::Unsupported { name } => cannot(format!("`{name}` never runs on Android")),
            _ => self.other(command),
        }
    }

    fn other(&mut self, command: &MaestroCommand) -> Said<Vec<OutStep>> {
        use MaestroCommand as M;
        let out = match command {
            M::InputText(text) => OutStep::line("type", self.names.text(text)?),
            M::InputRandom { kind, length } => return self.random(*kind, *length),
            M::EraseText(count) => {
                OutStep::line("erase", json!({ "characters": count.unwrap_or(50) }))
            }
            M::PressKey(key) => OutStep::line("press", key.android_name()),
            M::CopyTextFrom(selector) => {
                let on = self.names.selector(selector)?;
                self.names.has_copied = true;
                OutStep::line("find", short(on)).and("as", "copied")
            }
            M::PasteText if self.names.has_copied => OutStep::line("type", "${copied.text}"),
            M::OpenLink { link, browser, .. } => {
                let out = OutStep::line("open_link", self.names.text(link)?);
                if *browser {
                    out.note("it was to open in a browser")
                } else {
                    out
                }
            }
            M::AddMedia(files) => {
                let root = self.root;
                let push = |file: &Utf8PathBuf| {
                    let from = file.strip_prefix(root).unwrap_or(file).as_str();
                    let name = file.file_name().unwrap_or("media");
                    let to = format!("/sdcard/Pictures/{name}");
                    OutStep::line("push", json!({ "from": from, "to": to, "scan": true }))
                };
                return Ok(files.iter().map(push).collect());
            }
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
            M::SetClipboard(text) => {
                let text = self.names.text(text)?;
                self.names.has_copied = true;
                return Ok(vec![
                    OutStep::line("set_clipboard", text.clone()),
                    OutStep::line("set", json!({ "copied": { "text": text } })),
                ]);
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
            M::TakeScreenshot { path, crop_on } => {
                let name = file_name(&self.names.text(path)?);
                let out = OutStep::line("screenshot", name);
                match crop_on {
                    Some(_) => out.note("it showed one element only (cropOn)"),
                    None => out,
                }
            }
            M::AssertScreenshot { path, crop_on, .. } => {
                return Ok(vec![self.snapshot(path, crop_on.as_ref())?]);
            }
            M::StartRecording(_) => OutStep::line("record", "start"),
            M::StopRecording => OutStep::line("record", "stop"),
            _ => return cannot("no step here does this"),
        };
        Ok(vec![out])
    }

    fn tap(&mut self, step: &'static str, tap: &Tap) -> Said<Vec<OutStep>> {
        let mut map = match &tap.selector {
            Some(selector) => self.names.selector(selector)?,
            None => Map::new(),
        };
        if let Some(point) = &tap.point {
            let Some(point) = Point::of(&point.text) else {
                return cannot("a place holds no expression");
            };
            map.insert("at".to_owned(), place(point));
        }
        if step == "long_click" {
            map.insert("duration".to_owned(), "3s".into());
        }
        let mut out = OutStep::line(step, short(map));
        if tap.retry_if_no_change {
            out = out
                .note("it was tapped again where the screen stayed as it was (retryTapIfNoChange)");
        }
        match tap.repeat.filter(|times| *times > 1 && step == "click") {
            Some(times) => {
                let entries = vec![("times", times.into())];
                Ok(vec![OutStep::with_steps("repeat", entries, out.lines())])
            }
            None => Ok(vec![out]),
        }
    }

    /// Until somebody accepts a golden, Maestro's picture stands beside what is seen.
    fn snapshot(&mut self, path: &RawText, crop_on: Option<&Selector>) -> Said<OutStep> {
        if path.has_script() {
            return cannot("the name of a golden holds no expression");
        }
        let written = Utf8Path::new(&path.text);
        let mut map = Map::new();
        let name = self.own_name(&file_name(written.with_extension("").as_str()));
        map.insert("name".to_owned(), name.clone().into());
        if let Some(element) = crop_on {
            map.insert("of".to_owned(), short(self.names.selector(element)?));
        }
        let file = match written.extension() {
            Some(_) => written.to_owned(),
            None => Utf8PathBuf::from(format!("{written}.png")),
        };
        let folder = self.flow.source.path.parent();
        let places = [folder.unwrap_or(Utf8Path::new("")).join(&file), file];
        let baseline = places
            .iter()
            .filter_map(|place| normalise(place))
            .find(|place| self.root.join(place).is_file());
        if let Some(baseline) = baseline {
            map.insert("baseline".to_owned(), baseline.as_str().into());
        }
        Ok(if map.len() == 1 {
            OutStep::line("snapshot", name)
        } else {
            OutStep::line("snapshot", map)
        })
    }

    /// A name that no other snapshot of the flow has.
    fn own_name(&mut self, name: &str) -> String {
        let mut own = name.to_owned();
        let mut number = 1;
        while !self.snapshots.insert(own.to_lowercase()) {
            number += 1;
            let end = format!("-{number}");
            // A file's name has plain letters only.
            let most = name.len().min(64 - end.len());
            own = format!("{}{end}", name.get(..most).unwrap_or(name));
        }
        own
    }

    fn wait(
        &mut self,
        visible: Option<&Selector>,
        not_visible: Option<&Selector>,
        timeout: Option<&RawText>,
    ) -> Said<Vec<OutStep>> {
        let limit = milliseconds(timeout, LOOK)?;
        let mut steps = Vec::new();
        for (selector, gone) in [(visible, false), (not_visible, true)] {
            let Some(selector) = selector else { continue };
            let mut map = self.names.selector(selector)?;
            if gone {
                map.insert("gone".to_owned(), true.into());
            }
            steps.push(OutStep::line("wait_for", short(map)).and("timeout", limit.clone()));
        }
        Ok(steps)
    }

    fn scroll_to(&mut self, scroll: &ScrollUntilVisible) -> Said<Vec<OutStep>> {
        let limit = milliseconds(scroll.timeout.as_ref(), "20s")?;
        let mut map = self.names.selector(&scroll.element)?;
        if scroll.direction != Direction::Down {
            map.insert("direction".to_owned(), direction(scroll.direction).into());
        }
        if scroll.visibility > 0 {
            map.insert(
                "visible".to_owned(),
                format!("{}%", scroll.visibility).into(),
            );
        }
        if scroll.center {
            map.insert("center".to_owned(), true.into());
        }
        Ok(vec![
            OutStep::line("scroll_to", short(map)).and("timeout", limit),
        ])
    }

    fn swipe(&mut self, swipe: &Swipe) -> Said<Vec<OutStep>> {
        let mut map = Map::new();
        match &swipe.gesture {
            SwipeGesture::Direction(to) => {
                map.insert("direction".to_owned(), direction(*to).into());
            }
            SwipeGesture::Element {
                from,
                direction: to,
                ..
            } => {
                map.insert("on".to_owned(), short(self.names.selector(from)?));
                map.insert("direction".to_owned(), direction(*to).into());
            }
            SwipeGesture::Points { start, end } => {
                map.insert("from".to_owned(), place(*start));
                map.insert("to".to_owned(), place(*end));
            }
        }
        map.insert(
            "duration".to_owned(),
            format!("{}ms", swipe.duration).into(),
        );
        Ok(vec![OutStep::line("swipe_across", map)])
    }

    fn launch(&mut self, launch: &LaunchApp) -> Said<Vec<OutStep>> {
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
            let value = match value {
                LaunchArgument::Text(text) => self.names.text(text)?.into(),
                LaunchArgument::Boolean(flag) => (*flag).into(),
                LaunchArgument::Integer(number) => (*number).into(),
                LaunchArgument::Decimal(number) => number.to_string().into(),
            };
            extras.insert(name.text.clone(), value);
        }
        if !extras.is_empty() {
            map.insert("extras".to_owned(), extras.into());
        }
        let granted = |value: &RawText| value.text == "allow";
        let mut noted = None;
        match &launch.permissions {
            None => {
                map.insert("permissions".to_owned(), "all".into());
            }
            Some(named) => {
                let all = named.iter().find(|(name, _)| name.text == "all");
                if all.is_some_and(|(_, value)| granted(value)) {
                    map.insert("permissions".to_owned(), "all".into());
                }
                let others: Vec<String> = named
                    .iter()
                    .filter(|(name, _)| name.text != "all")
                    .map(|(name, value)| format!("{}: {}", name.text, value.text))
                    .collect();
                noted = (!others.is_empty()).then(|| others.join(", "));
            }
        }
        let out = if map.is_empty() {
            OutStep::bare("launch")
        } else {
            OutStep::line("launch", map)
        };
        Ok(vec![match noted {
            Some(names) => out.note(format!(
                "permissions have Android's names here; these were set: {names}"
            )),
            None => out,
        }])
    }

    fn random(&mut self, kind: RandomKind, length: u32) -> Said<Vec<OutStep>> {
        let value = match kind {
            RandomKind::Email => "${random_email()}".to_owned(),
            RandomKind::Text => format!("${{random_text({length})}}"),
            RandomKind::Number if (1..=15).contains(&length) => {
                let least = 10_u64.pow(length - 1);
                format!("${{random_int({least}, {})}}", least * 10 - 1)
            }
            _ => return cannot("no random name, city, country or colour is made here"),
        };
        self.made += 1;
        let name = format!("RANDOM_{}", self.made);
        let set = json!({ name.clone(): value });
        Ok(vec![
            OutStep::line("set", set),
            OutStep::line("type", format!("${{{name}}}")),
        ])
    }

    fn script(&mut self, command: &MaestroCommand) -> Said<Vec<OutStep>> {
        match command {
            MaestroCommand::AssertTrue(text) => {
                let that = self.names.condition(text)?;
                Ok(vec![OutStep::line(
                    "assert",
                    json!({ "that": format!("${{{that}}}") }),
                )])
            }
            MaestroCommand::EvalScript(text) => {
                let Some((name, value)) = script::assignment(&text.text) else {
                    return cannot("it is JavaScript");
                };
                let said = script::expression(&value, &mut self.names)?;
                self.names.output_is(&name, said.kind);
                Ok(vec![OutStep::line("set", json!({ name: said.value() }))])
            }
            _ => cannot("scripts are JavaScript; `http`, `set` and expressions do much of it"),
        }
    }

    fn control(&mut self, command: &MaestroCommand) -> Said<Vec<OutStep>> {
        match command {
            MaestroCommand::RunFlow { body, when, env } => {
                let conditions = match when {
                    Some(when) => self.conditions(when)?,
                    None => Vec::new(),
                };
                let out = self.body(body, env)?;
                Ok(vec![within(out, conditions)])
            }
            MaestroCommand::Retry {
                max_retries,
                body,
                env,
            } => {
                let times = whole(max_retries.as_ref(), 1)?.min(3);
                let out = self.body(body, env)?;
                let entries = vec![("times", times.into())];
                Ok(vec![OutStep::with_steps("retry", entries, out.lines())])
            }
            MaestroCommand::Repeat {
                times,
                condition,
                steps,
            } => {
                let mut entries = Vec::new();
                match condition {
                    Some(condition) => {
                        let mut conditions = self.conditions(condition)?;
                        let (Some(condition), true) = (conditions.pop(), conditions.is_empty())
                        else {
                            return cannot("`while` is one condition");
                        };
                        entries.push(("while", condition));
                        // With `times` beside it, so many turns are no failure, as there.
                        let limit = if times.is_some() { "times" } else { "max" };
                        entries.push((limit, whole(times.as_ref(), MOST_TURNS)?.into()));
                    }
                    None => match times {
                        Some(times) if times.has_script() => {
                            let text = self.names.text(times)?;
                            let inner = text.trim().trim_start_matches("${").trim_end_matches('}');
                            entries.push(("times", format!("${{{inner} | int}}").into()));
                        }
                        times => entries.push(("times", whole(times.as_ref(), MOST_TURNS)?.into())),
                    },
                }
                let steps = self.steps(steps);
                Ok(vec![OutStep::with_steps("repeat", entries, steps)])
            }
            _ => cannot("no step here does this"),
        }
    }

    fn body(&mut self, body: &Body, env: &EnvEntries) -> Said<OutStep> {
        let mut env = self.env(env)?;
        match body {
            Body::File(flow) => {
                // There the header of the flow that is run wins; here what it is given does.
                let header = flow.maestro().map(|header| header.env.as_slice());
                for (name, value) in header.unwrap_or_default() {
                    if value.text.trim() != format!("${{{name}}}") {
                        env.shift_remove(name);
                    }
                }
                let Some(path) = self.paths.get(&flow.source.path) else {
                    return cannot(format!(
                        "{} is not below the folder that is taken over",
                        flow.source.path
                    ));
                };
                let here = self.paths.get(&self.flow.source.path);
                let folder = here
                    .and_then(|path| path.parent())
                    .unwrap_or(Utf8Path::new(""));
                let below = relative(path, folder);
                let mut out = if env.is_empty() {
                    OutStep::line("run", below)
                } else {
                    OutStep::line("run", json!({ "flow": below, "env": env }))
                };
                if is_started(path) && !(flow.setup.is_empty() && flow.teardown.is_empty()) {
                    out = out.note("its onFlowStart and onFlowComplete do not run here: `setup` and `teardown` are of the flow that is started");
                }
                for (name, kind) in self.outputs_of(flow) {
                    self.names.output_is(&name, kind);
                }
                Ok(out)
            }
            Body::Commands(steps) => {
                let mut lines = Vec::new();
                // A group has no names of its own: what is outside comes back behind it.
                let outer: Vec<&String> = env
                    .keys()
                    .filter(|name| self.names.known.contains(*name))
                    .collect();
                let kept =
                    |name: &&String| (format!("OUTER_{name}"), format!("${{{name}}}").into());
                let keep: Map<String, Value> = outer.iter().map(kept).collect();
                let back = |name: &&String| ((*name).clone(), format!("${{OUTER_{name}}}").into());
                let give_back: Map<String, Value> = outer.iter().map(back).collect();
                for set in [keep, env.clone()] {
                    if !set.is_empty() {
                        lines.extend(OutStep::line("set", set).lines());
                    }
                }
                self.names.known.extend(env.keys().cloned());
                lines.extend(self.steps(steps));
                if !give_back.is_empty() {
                    lines.extend(OutStep::line("set", give_back).lines());
                }
                Ok(OutStep::group(lines))
            }
        }
    }

    /// What a sub-flow leaves in `output`.
    fn outputs_of(&self, flow: &Flow) -> Outputs {
        let path = &flow.source.path;
        if let Some(known) = self.outputs.borrow().get(path) {
            return known.clone();
        }
        let Some(header) = flow.maestro() else {
            return Outputs::new();
        };
        let mut importer = Importer::new(flow, header, self.paths, self.root, self.outputs);
        importer.text();
        let outputs = importer.names.outputs;
        self.outputs
            .borrow_mut()
            .insert(path.clone(), outputs.clone());
        outputs
    }

    /// The conditions that must all hold; none where it always does.
    fn conditions(&mut self, when: &Condition) -> Said<Vec<Value>> {
        let mut conditions = Vec::new();
        if let Some(platform) = when.platform.filter(|it| *it != Platform::Android) {
            return cannot(format!("it never runs on Android, but on {platform:?}"));
        }
        if let Some(script) = &when.script {
            let expression = self.names.condition(script)?;
            conditions.push(format!("${{{expression}}}").into());
        }
        for (name, selector) in [
            ("visible", &when.visible),
            ("not_visible", &when.not_visible),
        ] {
            if let Some(selector) = selector {
                let on = short(self.names.selector(selector)?);
                conditions.push(json!({ name: on, "timeout": CONDITION }));
            }
        }
        Ok(conditions)
    }
}

/// Whether a flow is one that is started, and not only run by others.
fn is_started(path: &Utf8Path) -> bool {
    !path.file_name().unwrap_or_default().starts_with('_')
}

/// A step that runs where all of it holds.
fn within(out: OutStep, mut conditions: Vec<Value>) -> OutStep {
    let Some(first) = conditions.pop() else {
        return out;
    };
    let out = out.and("when", first);
    if conditions.is_empty() {
        return out;
    }
    within(OutStep::group(out.lines()), conditions)
}

fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "up",
        Direction::Down => "down",
        Direction::Left => "left",
        Direction::Right => "right",
    }
}

fn place(point: Point) -> Value {
    let coordinate = |at: Coordinate| match at {
        Coordinate::Percent(share) => Value::from(format!("{share}%")),
        Coordinate::Pixels(pixels) => pixels.into(),
    };
    json!({ "x": coordinate(point.x), "y": coordinate(point.y) })
}

/// A time that is written out.
fn milliseconds(time: Option<&RawText>, or: &str) -> Said<Value> {
    let Some(time) = time else {
        return Ok(or.into());
    };
    match time.text.trim().replace('_', "").parse::<u64>() {
        Ok(number) => Ok(format!("{number}ms").into()),
        Err(_) => cannot("a time holds no expression"),
    }
}

/// A place on earth that is written out.
fn degrees(text: &RawText) -> Said<f64> {
    match text.text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => cannot("a place on earth holds no expression"),
    }
}

fn whole(number: Option<&RawText>, or: u32) -> Said<u32> {
    let Some(number) = number else {
        return Ok(or);
    };
    match number.text.trim().parse::<u32>() {
        Ok(number) => Ok(number),
        Err(_) => cannot("a number of turns holds no expression here"),
    }
}

/// A picture's name as Maestro files it: `a/b c` is `a-b-c`. Without expressions it is what a file may be called here.
fn file_name(name: &str) -> String {
    let has_script = name.contains("${");
    let plain = |c: char| {
        let is_fine = c.is_ascii_alphanumeric() || "._-".contains(c);
        let may_be = has_script && !c.is_whitespace() && !matches!(c, '/' | '\\');
        if is_fine || may_be { c } else { '-' }
    };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_start_matches(['.', '-']);
    if has_script {
        return name.to_owned();
    }
    // The end of a long path says more than its folders.
    let from = name.chars().count().saturating_sub(64);
    name.chars().skip(from).collect()
}

/// A path from a folder; both below the folder of flows.
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
