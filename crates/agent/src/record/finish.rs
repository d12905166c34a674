//! Writes a flow from acts: its header, the first launch, its secrets, and the assertion at the end.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::act::{Act, Start, ToolStep, Touch, Typing};
use super::emit::{Document, EmittedStep, Line};
use super::gesture;
use super::launcher::is_launcher;
use super::script::MAX_ACTS;
use super::secrets::{GivenSecret, Secrets};
use runner_engine::{Direction, Readiness};
use runner_screen::Selector;
use runner_text::units::HumanDuration;
use runner_tools::registry::find;
use runner_tools::{Catalogue, StepSyntax};

/// Seconds that steps wait by default: that of the setting `step_timeout`. A shorter limit of an agent is not
/// recorded, as it would only make the flow fragile.
const DEFAULT_LIMIT_SECONDS: u64 = 10;
/// Scrolls of `scroll_to` by default: that of its key `max`.
const DEFAULT_SCROLLS: u32 = 10;

/// Acts and screens from which a flow is written.
#[derive(Debug)]
pub(super) struct FlowDraft<'a> {
    pub(super) name: &'a str,
    pub(super) acts: &'a [Act],
    /// Secrets that have a name already.
    pub(super) given: &'a [GivenSecret],
    /// Package and activity in front when the recording began.
    pub(super) begun: Option<&'a (String, String)>,
    /// Assertion to add at the end.
    pub(super) end: Option<Act>,
    /// Number of acts that were left out, beyond [`super::script::MAX_ACTS`].
    pub(super) left_out: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedFlow {
    /// Text of the file.
    pub text: String,
    /// Number of steps; comments alone do not count.
    pub steps: usize,
    /// Environment variables that a run needs.
    pub variables: Vec<String>,
    /// Remarks for a person to check.
    pub notes: Vec<String>,
}

/// Recorded steps, for a flow that somebody else writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedSteps {
    /// Steps as items of a YAML list, each with the comments above it.
    pub steps: Vec<String>,
    /// Package of the app that is tested.
    pub app: Option<String>,
    /// Step that leads to where the recording began, if none of `steps` does: for a flow that begins with
    /// them.
    pub opening: Option<String>,
    /// Environment variables that a run of all acts needs.
    pub variables: Vec<String>,
    /// Number of acts that were left out because there were too many.
    pub left_out: usize,
}

/// Writes the steps of those acts whose index `is_wanted` accepts, without what belongs to a whole flow, such as its
/// header and the assertion at the end. `opening` is the launch that a whole flow would have first. The app, the
/// variables and the number of acts left out are those of all acts.
pub(super) fn steps(draft: &FlowDraft<'_>, is_wanted: impl Fn(usize) -> bool) -> RecordedSteps {
    let app = app(draft);
    let secrets = Secrets::from_acts(draft.acts, app, draft.given);
    // Updated for all acts, as a later launch must not stop an app that an unwanted act launched.
    let mut launched = LaunchedApps::before(draft);
    let mut steps = Vec::new();
    for (place, act) in draft.acts.iter().enumerate() {
        let first = launched.is_first(act);
        if is_wanted(place) {
            let lines = step(act, app, first, &secrets);
            steps.extend(lines.iter().map(ToString::to_string));
        }
    }
    RecordedSteps {
        steps,
        app: app.map(str::to_owned),
        opening: first_launch(draft).map(|line| line.to_string()),
        variables: secrets.names(),
        left_out: draft.left_out,
    }
}

/// Returns the secret texts by the names of their variables: the present ones, and those from before the app
/// was known.
pub(super) fn secrets(draft: &FlowDraft<'_>) -> BTreeMap<String, String> {
    let of_app = |app| Secrets::from_acts(draft.acts, app, draft.given);
    let named = [None, app(draft)].map(|app| of_app(app).named());
    named.into_iter().flatten().collect()
}

/// Writes the whole flow: comments, header, the launch that leads to its start, the acts, and the assertion
/// at the end if the draft has one. Pauses just before that assertion are left out, as it waits by itself.
/// Secrets become variables.
pub(super) fn flow(draft: &FlowDraft<'_>) -> RecordedFlow {
    let app = app(draft);
    let secrets = Secrets::from_acts(draft.acts, app, draft.given);
    let mut lines = Vec::new();
    let mut launched = LaunchedApps::before(draft);
    lines.extend(first_launch(draft));
    let mut acts = draft.acts;
    if draft.end.is_some() {
        // The assertion at the end waits by itself.
        while let Some((Act::Pause(_), rest)) = acts.split_last() {
            acts = rest;
        }
    }
    for act in acts {
        let first = launched.is_first(act);
        lines.extend(step(act, app, first, &secrets));
    }
    if let Some(end) = &draft.end {
        let added = "Added when the recording ended; assert what this flow is about.".to_owned();
        let mut ending = step(end, app, false, &secrets);
        if let Some(first) = ending.first_mut() {
            first.comments.insert(0, added);
        }
        lines.extend(ending);
    }
    let variables = secrets.names();
    let mut header = vec![("name", name(draft.name, &secrets))];
    header.extend(app.map(|app| ("app", json!(app))));
    let steps = lines.iter().filter(|line| line.step.is_some()).count();
    let notes = notes(draft, &variables);
    let document = Document {
        comments: head_comments(&variables, &notes),
        header,
        lines,
    };
    RecordedFlow {
        text: document.to_string(),
        steps,
        variables,
        notes,
    }
}

/// Returns the flow's name on one line, with secrets masked; a usual one if it is empty.
fn name(name: &str, secrets: &Secrets) -> Value {
    let words: Vec<&str> = name.split_whitespace().collect();
    let name = secrets.masked(&words.join(" "));
    json!(if name.is_empty() {
        "Recorded flow"
    } else {
        &name
    })
}

/// Packages that the flow has launched so far.
struct LaunchedApps<'a>(Vec<&'a str>);

impl<'a> LaunchedApps<'a> {
    /// Returns the set at the flow's start: the app in which it begins, if any.
    fn before(draft: &FlowDraft<'a>) -> Self {
        Self(initial_app(draft).into_iter().collect())
    }

    /// Returns true if the act launches an app for the first time, and remembers it. Any other act is false.
    fn is_first(&mut self, act: &'a Act) -> bool {
        match act {
            Act::Launch { app, .. } if !self.0.contains(&app.as_str()) => {
                self.0.push(app);
                true
            }
            _ => false,
        }
    }
}

/// Returns the app that was in front when the recording began, if something was done in it before a launch.
/// Waits, pauses and `home` do not count. `None` for a launcher.
fn initial_app<'a>(draft: &FlowDraft<'a>) -> Option<&'a str> {
    let (package, _) = draft.begun.filter(|begun| !is_launcher(&begun.0))?;
    let leads_away =
        |act: &Act| matches!(act, Act::Word("home") | Act::Pause(_) | Act::Wait { .. });
    let first = draft.acts.iter().find(|act| !leads_away(act));
    let launches = |act: &Act| matches!(act, Act::Launch { .. });
    (!first.is_some_and(launches)).then_some(package.as_str())
}

/// Returns the flow's app: the one in which it began, else the first that was launched. `None` if there is
/// neither.
fn app<'a>(draft: &FlowDraft<'a>) -> Option<&'a str> {
    initial_app(draft).or_else(|| {
        draft.acts.iter().find_map(|act| match act {
            Act::Launch { app, .. } => Some(app.as_str()),
            _ => None,
        })
    })
}

/// Returns a first step that leads to the recording's start: a launch of its app without a stop, or `home` on
/// a launcher if nothing is launched later. `None` if there are no acts, or they lead there themselves.
fn first_launch(draft: &FlowDraft<'_>) -> Option<Line> {
    let (package, activity) = draft.begun?;
    if draft.acts.is_empty() {
        return None;
    }
    if initial_app(draft).is_none() {
        let launches = |act: &Act| matches!(act, Act::Launch { .. });
        let is_in_launcher = is_launcher(package) && !draft.acts.iter().any(launches);
        return is_in_launcher.then(|| line(word("home")));
    }
    Some(Line {
        comments: vec![format!(
            "Added: the recording began in {package}/{activity}. Put the steps that lead there after it."
        )],
        step: Some(EmittedStep {
            name: "launch",
            // A launch that stops the app first would lose the screen where the recording began.
            value: Some(json!({ "stop": false })),
            timeout: None,
        }),
    })
}

/// Returns the comments above the flow: where it comes from, the variables to set, and what was left out.
fn head_comments(variables: &[String], notes: &[String]) -> Vec<String> {
    let mut comments = vec!["Recorded from what an agent did; edit it freely.".to_owned()];
    if !variables.is_empty() {
        let settings: Vec<String> = variables.iter().map(|name| format!("{name}=…")).collect();
        comments.push(format!(
            "Secret texts come from the environment: {} runner test …",
            settings.join(" ")
        ));
    }
    comments.extend(
        notes
            .iter()
            .filter(|note| note.contains("left out"))
            .cloned(),
    );
    comments
}

/// Returns notes about what the flow does not say by itself: variables to set, acts left out, touches at bare
/// places, and a flow that asserts nothing.
fn notes(draft: &FlowDraft<'_>, variables: &[String]) -> Vec<String> {
    let mut notes = Vec::new();
    for name in variables {
        notes.push(format!(
            "the text itself is not in the flow: give {name} with `env` of runner_run_flow, and set this variable of the environment for `runner test`"
        ));
    }
    for act in draft.acts {
        if let Act::Unreported(what) = act {
            notes.push(format!("not in the flow: {what}"));
        }
        if let Act::Raw(raw) = act
            && raw.is_at_place()
        {
            notes.push(format!(
                "a touch at {},{} hit nothing that has a name; it stays a place of this display",
                raw.args["x"], raw.args["y"]
            ));
        }
    }
    if draft.left_out > 0 {
        notes.push(format!(
            "the last {} acts were left out: a recording holds {MAX_ACTS}",
            draft.left_out
        ));
    }
    let asserts = draft.end.is_some() || draft.acts.iter().any(Act::is_assertion);
    if !asserts && !draft.acts.is_empty() {
        notes.push("the flow asserts nothing; add an `assert visible`".to_owned());
    }
    notes
}

/// Writes an act as steps, mostly one. The first launch of the flow's app clears its data, that of another app restarts
/// it unless it was recorded as clearing; later ones stay as they were recorded. What no step can express becomes a
/// comment alone.
fn step(act: &Act, app: Option<&str>, first: bool, secrets: &Secrets) -> Vec<Line> {
    let on_element = |name, on: &Selector, options: Map<String, Value>| {
        vec![line(element_step(name, on, options, secrets))]
    };
    match act {
        Act::Touch { how, on, force, .. } => match how {
            Touch::Click => on_element("click", on, forced(*force)),
            Touch::DoubleClick => on_element("double_click", on, forced(*force)),
            Touch::LongClick(held) => {
                let mut options = forced(*force);
                if held.as_millis() != 1000 {
                    let held = HumanDuration(*held).to_string();
                    options.insert("duration".to_owned(), json!(held));
                }
                on_element("long_click", on, options)
            }
        },
        Act::Type(typing) => typed(typing, secrets),
        Act::Erase { on, force, .. } => on_element("erase", on, forced(*force)),
        Act::Key { name, times } => {
            let value = match times {
                1 => json!(name),
                times => json!({ "key": name, "times": times }),
            };
            vec![line(value_step("press", value))]
        }
        Act::Launch {
            app: package,
            start,
            options,
        } => {
            let own = app == Some(package);
            let start = match (first, own) {
                // A replay starts with the app's initial data.
                (true, true) => Start::Cleared,
                // Only the first launch restarts an app, as later ones did not stop it either.
                (true, false) if *start == Start::Resumed => Start::Restarted,
                _ => *start,
            };
            let own = own.then_some(package.as_str());
            vec![line(launch(package, start, own, options, secrets))]
        }
        Act::Raw(raw) if raw.is_at_place() => vec![Line {
            comments: vec![
                "Nothing that has a name was there; it is a place of this display.".to_owned(),
            ],
            step: Some(raw_step(raw, secrets)),
        }],
        Act::Scroll { raw, .. } | Act::Pause(raw) | Act::Raw(raw) => {
            vec![line(raw_step(raw, secrets))]
        }
        Act::ScrollTo {
            on,
            direction,
            within,
            scrolls,
        } => {
            let mut options = Map::new();
            if *direction != Direction::Down {
                options.insert("direction".to_owned(), json!(direction.word()));
            }
            if let Some(within) = within {
                options.insert("in".to_owned(), secrets.selector(within));
            }
            // The step drags, which moves less than the recorded flings.
            if scrolls.saturating_mul(4) > DEFAULT_SCROLLS {
                let max = scrolls.saturating_mul(4).min(100);
                options.insert("max".to_owned(), json!(max));
            }
            on_element("scroll_to", on, options)
        }
        Act::Wait { on, limit } => {
            let mut step = element_step("wait_for", on, Map::new(), secrets);
            step.timeout = limit
                .filter(|limit| limit.as_secs() > DEFAULT_LIMIT_SECONDS)
                .map(|limit| HumanDuration(limit).to_string());
            vec![line(step)]
        }
        Act::Drag { .. } | Act::TwoFingers { .. } => gesture::step(act, secrets)
            .map(|(name, value)| line(value_step(name, value)))
            .into_iter()
            .collect(),
        Act::Expect { on, visible: true } => on_element("assert visible", on, Map::new()),
        Act::Expect { on, .. } => on_element("assert not visible", on, Map::new()),
        Act::Word(name) => vec![line(word(name))],
        Act::Unreported(what) => vec![Line {
            comments: vec![format!("Not recorded: {}", secrets.masked(what))],
            step: None,
        }],
    }
}

/// Returns the option `force`, if the element was disabled.
fn forced(force: bool) -> Map<String, Value> {
    let option = force.then(|| ("force".to_owned(), json!(true)));
    option.into_iter().collect()
}

/// Wraps a step without comments.
fn line(step: EmittedStep) -> Line {
    Line {
        comments: Vec::new(),
        step: Some(step),
    }
}

fn word(name: &'static str) -> EmittedStep {
    EmittedStep {
        name,
        value: None,
        timeout: None,
    }
}

fn value_step(name: &'static str, value: Value) -> EmittedStep {
    EmittedStep {
        name,
        value: Some(value),
        timeout: None,
    }
}

/// Builds a step on an element. The selector is its whole value; if there are options, the key `on`, which
/// comes first.
fn element_step(
    name: &'static str,
    on: &Selector,
    mut options: Map<String, Value>,
    secrets: &Secrets,
) -> EmittedStep {
    let on = secrets.selector(on);
    if options.is_empty() {
        return value_step(name, on);
    }
    // `on` comes first, where people look for it.
    options.shift_insert(0, "on".to_owned(), on);
    value_step(name, Value::Object(options))
}

/// Builds the step `launch`. `own` is the package if it is the flow's app, which the step need not name. The
/// value is left out if it is empty, and is the package alone if nothing else is in it.
fn launch(
    package: &str,
    start: Start,
    own: Option<&str>,
    options: &Map<String, Value>,
    secrets: &Secrets,
) -> EmittedStep {
    let mut value = Map::new();
    if own.is_none() {
        value.insert("app".to_owned(), json!(package));
    }
    match start {
        Start::Resumed => value.insert("stop".to_owned(), json!(false)),
        Start::Restarted => None,
        Start::Cleared => value.insert("clear".to_owned(), json!(true)),
    };
    value.extend(
        options
            .iter()
            .map(|(name, option)| (name.clone(), secrets.to_flow_value(option))),
    );
    let value = match value.len() {
        0 => None,
        1 if own.is_none() => Some(json!(package)),
        _ => Some(Value::Object(value)),
    };
    EmittedStep {
        name: "launch",
        value,
        timeout: None,
    }
}

/// Writes typed text as the step `type`, and `hide_keyboard` after it if the tool did so. A secret becomes an
/// expression, and the step has `secret: true`. A comment names the variable, if a run must be given one.
fn typed(typing: &Typing, secrets: &Secrets) -> Vec<Line> {
    let mut value = Map::new();
    if let Some(into) = &typing.into {
        value.insert("into".to_owned(), secrets.selector(into));
    }
    let mut comments = Vec::new();
    let secret = typing
        .secret
        .then(|| secrets.expression(&typing.text))
        .flatten();
    if let Some((name, expression)) = secret {
        comments.extend(name.map(|name| format!("{name} of the environment is typed here.")));
        value.insert("text".to_owned(), json!(expression));
    } else {
        value.insert(
            "text".to_owned(),
            secrets.to_flow_value(&json!(typing.text)),
        );
    }
    if typing.secret || secrets.has_given(&typing.text) {
        value.insert("secret".to_owned(), json!(true));
    }
    if typing.clear {
        value.insert("clear".to_owned(), json!(true));
    }
    value.extend(forced(typing.readiness == Readiness::Forced));
    let mut lines = vec![Line {
        comments,
        step: Some(value_step("type", Value::Object(value))),
    }];
    if typing.hides_keyboard {
        lines.push(line(word("hide_keyboard")));
    }
    lines
}

/// Writes a tool's own step, in its shortest form. Secrets become expressions.
fn raw_step(raw: &ToolStep, secrets: &Secrets) -> EmittedStep {
    let no_args = raw.args.as_object().is_none_or(Map::is_empty);
    EmittedStep {
        name: raw.name,
        value: (!(no_args && raw.value_optional)).then(|| secrets.to_flow_value(short(raw))),
        timeout: None,
    }
}

/// Returns the arguments of an everyday step in their short form, if it has one and its text is the only
/// argument: `rotate: landscape`. Otherwise all arguments.
fn short(raw: &ToolStep) -> &Value {
    let everyday = find(raw.name).filter(|entry| entry.catalogue == Catalogue::Everyday);
    let only = match (everyday.map(|entry| entry.writing), raw.args.as_object()) {
        (Some(StepSyntax::Scalar(name)), Some(args)) if args.len() == 1 => args.get(name),
        _ => None,
    };
    only.filter(|value| value.is_string()).unwrap_or(&raw.args)
}
