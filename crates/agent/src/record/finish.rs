//! Writes a flow from acts: its header, the first launch, its secrets, and the assertion at the end.

mod act_steps;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use self::act_steps::{line, step, word};
use super::act::Act;
use super::emit::{Document, EmittedStep, Line};
use super::launcher::is_launcher;
use super::script::MAX_ACTS;
use super::secrets::{GivenSecret, Secrets};

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
