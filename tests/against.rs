//! Compares `lint --against` with real runs: flows are edited at random, run on the virtual device, and
//! judged on the recordings of the flows before the edit.
//!
//! The law: no step that passes in a run is reported as a break. A break in a run is found, or the judgement
//! says at an earlier step that it ends there.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use runner::config::{Config, Overrides};
use runner::context::Context;
use runner::recording::{Recording, find, read};
use runner::run::{Filter, Finding, FindingKind, Plan, rehearse};
use serde_json::Value;

use crate::common::Project;

/// Flows that are edited. Each step is one line.
pub(crate) const FLOWS: [(&str, &str); 6] = [
    (
        "sign-in",
        "setup:
  - launch: { clear: true }
steps:
  - assert visible: Welcome to Notes
  - assert: { id: sign_in, enabled: false }
  - type: { into: { id: username }, text: ada }
  - type: { into: { id: password }, text: guessed }
  - click: { id: sign_in }
  - assert visible: Wrong password
  - erase: { id: password }
  - type: { into: { id: password }, text: lovelace }
  - hide_keyboard
  - click: { id: sign_in }
  - wait_for: \"Welcome, *\"
  - assert not visible: Wrong password
  - assert: { id: inbox_count, text: \"40\" }
",
    ),
    (
        "dialog",
        "setup:
  - run: _in.yaml
steps:
  - click: Ideas for the garden
  - assert: { id: title, text: Ideas for the garden }
  - click: { id: delete }
  - assert visible: Delete this note?
  - click: Keep it
  - assert not visible: Delete this note?
  - click: { id: delete }
  - back
  - assert not visible: Delete this note?
  - click: { id: delete }
  - click: { id: confirm_delete }
  - assert: { id: inbox_count, text: \"39\" }
  - assert not visible: Ideas for the garden
",
    ),
    (
        "form",
        "setup:
  - run: _in.yaml
steps:
  - click: { desc: New note }
  - type: { into: { id: title }, text: Of mice }
  - type: { into: { id: body }, text: Written by a test. }
  - type: { into: { id: email }, text: grace }
  - assert visible: This is no e-mail address
  - hide_keyboard
  - click: Check list
  - assert: { text: Check list, checked: true }
  - click: { id: folder }
  - click: Travel
  - assert: { text: Travel, inside: { id: folder } }
  - scroll_to: { id: save }
  - click: { id: pinned }
  - assert: { id: pinned, checked: true }
  - back
",
    ),
    (
        "settings",
        "setup:
  - run: _in.yaml
steps:
  - click: Settings
  - wait_for_idle
  - assert visible: Settings
  - scroll_to: { text: \"*\", index: 3 }
  - back
  - assert visible: { id: inbox_count }
  - assert: { id: inbox_count, count: 1 }
  - click: Groceries
  - assert visible: Groceries
  - back
  - assert visible: { id: greeting }
",
    ),
    (
        "inbox",
        "setup:
  - run: _in.yaml
steps:
  - assert visible: { id: new_note }
  - scroll_to: { text: Letter to Grace, max: 20 }
  - click: Letter to Grace
  - assert: { id: title, text: Letter to Grace }
  - back
  - if: { visible: { id: greeting } }
    then:
      - click: { id: search }
  - assert visible: Notes
",
    ),
    (
        "loop",
        "setup:
  - run: _in.yaml
steps:
  - repeat:
      times: 3
      steps:
        - click: Groceries
        - assert visible: Groceries
        - back
        - wait_for: { id: inbox_count }
  - click: { id: new_note }
  - assert visible: { id: title }
  - back
",
    ),
];

pub(crate) const SIGN_IN: &str = "steps:
  - launch: { clear: true }
  - type: { into: { id: username }, text: ada }
  - type: { into: { id: password }, text: lovelace }
  - hide_keyboard
  - click: { id: sign_in }
  - assert visible: \"Welcome, *\"
";

/// Kinds of edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Misspell,
    OtherSelector,
    SameElement,
    Delete,
    Duplicate,
    Swap,
    InsertVisible,
    InsertGone,
    InsertClick,
    TypeOther,
    InsertMissing,
}

const KINDS: [Kind; 11] = [
    Kind::Misspell,
    Kind::OtherSelector,
    Kind::SameElement,
    Kind::Delete,
    Kind::Duplicate,
    Kind::Swap,
    Kind::InsertVisible,
    Kind::InsertGone,
    Kind::InsertClick,
    Kind::TypeOther,
    Kind::InsertMissing,
];

/// A flow, its steps' lines, and the words of its recorded screens.
struct Subject {
    name: &'static str,
    text: String,
    /// Indices of lines that are one step each.
    steps: Vec<usize>,
    recording: Recording,
    words: Vec<String>,
    ids: Vec<String>,
}

/// Result of an edited flow in a run, and in its rehearsal on recorded screens.
struct Outcome {
    kind: Kind,
    name: String,
    /// The line of the step that failed in the run.
    failed: Option<u64>,
    /// Lines of the steps that the rehearsal reports as breaks.
    breaks: Vec<u64>,
    /// Lines of all its other messages.
    said: Vec<u64>,
}

impl Outcome {
    /// Returns true if the first reported break is the step that failed.
    fn is_found(&self) -> bool {
        self.failed.is_some() && self.breaks.first() == self.failed.as_ref()
    }

    /// Returns true if the rehearsal did not find the break, but said at that step or an earlier one that it
    /// cannot judge or doubts.
    fn is_told(&self) -> bool {
        let failed = self.failed.unwrap_or_default();
        !self.is_found() && self.said.iter().any(|line| *line <= failed)
    }

    /// Returns true if the run failed and the rehearsal reported nothing.
    fn is_silent(&self) -> bool {
        self.failed.is_some() && !self.is_found() && !self.is_told()
    }

    /// Returns true if the first reported break is not the step that failed in the run.
    fn is_false(&self) -> bool {
        match (self.breaks.first(), self.failed) {
            (Some(_), None) => true,
            (Some(line), Some(failed)) => *line < failed,
            (None, _) => false,
        }
    }
}

fn subject(project: &Project, (name, _): (&'static str, &str)) -> Subject {
    let text = project.read(&format!("flows/{name}.yaml"));
    let history = Utf8PathBuf::from_path_buf(project.path(".runner/history")).expect("UTF-8");
    let case = Utf8PathBuf::from(format!("flows/{name}.yaml"))
        .as_path()
        .into();
    let file = find(&history, &case, true).next().expect("a recording");
    let recording = read(&file).expect("it reads");
    let (mut words, mut ids) = (Vec::new(), Vec::new());
    for look in &recording.looks {
        let screen = look.screen().expect("it reads");
        for node in screen
            .nodes()
            .filter(|node| node.package() == "com.example.notes")
        {
            if !node.text().is_empty()
                && node.text().len() < 40
                && !node.text().contains(['*', '\n', '#'])
            {
                words.push(node.text().to_owned());
            }
            if !node.resource_name().is_empty() {
                ids.push(node.resource_name().to_owned());
            }
        }
    }
    words.sort();
    words.dedup();
    ids.sort();
    ids.dedup();
    let is_step = |line: &str| {
        let step = line.trim_start();
        step.starts_with("- ")
            && !step.ends_with(':')
            && !step.starts_with("- run")
            && !step.starts_with("- launch")
            && !step.starts_with("- if")
    };
    let lines: Vec<&str> = text.lines().collect();
    let steps = (0..lines.len())
        .filter(|place| is_step(lines[*place]))
        .collect();
    Subject {
        name,
        text,
        steps,
        recording,
        words,
        ids,
    }
}

fn pick<'a, T>(random: &mut fastrand::Rng, from: &'a [T]) -> &'a T {
    &from[random.usize(..from.len())]
}

fn edit(subject: &Subject, kind: Kind, random: &mut fastrand::Rng) -> Option<String> {
    let mut lines: Vec<String> = subject.text.lines().map(str::to_owned).collect();
    let at = *pick(random, &subject.steps);
    let line = lines[at].clone();
    let indent: String = line.chars().take_while(|it| *it == ' ').collect();
    match kind {
        Kind::Misspell => {
            let value = line.find(": ")? + 2;
            let letters: Vec<usize> = line[value..]
                .char_indices()
                .filter(|(_, it)| it.is_ascii_lowercase())
                .map(|(at, _)| value + at)
                .collect();
            let at_letter = *pick(random, &letters[letters.len() / 2..]);
            let mut edited = line.clone();
            edited.replace_range(at_letter..=at_letter, "q");
            lines[at] = edited;
        }
        Kind::OtherSelector => {
            let (verb, _) = line.trim_start().split_once(": ")?;
            if verb.contains("type")
                || verb.contains("erase")
                || verb.contains("count")
                || verb == "- assert"
            {
                return None;
            }
            let id = pick(random, &subject.ids);
            lines[at] = format!("{indent}{verb}: {{ id: {id} }}");
        }
        Kind::SameElement => {
            let title = line.trim_start().trim_start_matches("- ");
            let step = subject
                .recording
                .steps
                .iter()
                .find(|step| step.title.starts_with(title))?;
            let found = step.found?;
            let (verb, _) = line.trim_start().split_once(": ")?;
            if verb.contains("type")
                || verb.contains("erase")
                || verb.contains("count")
                || verb == "- assert"
            {
                return None;
            }
            let screen = subject.recording.looks[found.look].screen().ok()?;
            let ranked = runner::screen::Selector::ranked(&screen, found.node);
            let one: Vec<_> = ranked.iter().filter(|it| it.matches == 1).collect();
            if one.is_empty() {
                return None;
            }
            let selector = pick(random, &one).selector.to_value();
            lines[at] = format!("{indent}{verb}: {selector}");
        }
        Kind::Delete => drop(lines.remove(at)),
        Kind::Duplicate => lines.insert(at, line),
        Kind::Swap => {
            let other = subject.steps.iter().find(|other| **other == at + 1)?;
            lines.swap(at, *other);
        }
        Kind::InsertVisible => {
            let words = pick(random, &subject.words);
            lines.insert(at, format!("{indent}- assert visible: {words:?}"));
        }
        Kind::InsertGone => {
            let words = pick(random, &subject.words);
            lines.insert(at, format!("{indent}- assert not visible: {words:?}"));
        }
        Kind::InsertClick => {
            let words = pick(random, &subject.words);
            lines.insert(at, format!("{indent}- click: {words:?}"));
        }
        Kind::TypeOther => {
            let at_text = line.find("text: ").filter(|_| line.contains("- type"))? + 6;
            lines[at].insert_str(at_text, "Other ");
        }
        Kind::InsertMissing => {
            lines.insert(at, format!("{indent}- assert visible: Nowhere to be seen"))
        }
    }
    Some(lines.join("\n") + "\n")
}

fn config(project: &Project, paths: Vec<Utf8PathBuf>) -> (Config, Context) {
    let root = Utf8PathBuf::from_path_buf(project.path("")).expect("UTF-8");
    let context = Context::fixed(root, BTreeMap::new());
    let overrides = Overrides {
        paths,
        ..Overrides::default()
    };
    (
        Config::resolve(&context, &overrides).expect("a configuration"),
        context,
    )
}

fn measure(edits: usize, seed: u64) -> Vec<Outcome> {
    let project = Project::with_demo_app();
    project.flow("_in", SIGN_IN);
    for (name, text) in FLOWS {
        project.flow(name, text);
    }
    project.run(&["test"]).expect(0);
    let subjects = FLOWS.map(|flow| subject(&project, flow));
    let mut random = fastrand::Rng::with_seed(seed);
    let mut edited = Vec::new();
    while edited.len() < edits {
        let of = random.usize(..subjects.len());
        let kind = KINDS[edited.len() % KINDS.len()];
        if let Some(text) = edit(&subjects[of], kind, &mut random) {
            let name = format!("flows/edits/{:04}-{}.yaml", edited.len(), subjects[of].name);
            project.write(&name, &text.replace("run: _in.yaml", "run: ../_in.yaml"));
            edited.push((name, of, kind));
        }
    }
    project.run(&["test", "flows/edits", "--json", "events.ndjson", "--quiet"]);
    let mut failed: BTreeMap<String, Option<u64>> = BTreeMap::new();
    for line in project.read("events.ndjson").lines() {
        let event: Value = serde_json::from_str(line).expect("JSON");
        if event["event"] == "flow_finished" {
            let flow = event["id"]["flow"].as_str().expect("a flow").to_owned();
            let passed = event["status"] == "passed";
            failed.insert(
                flow,
                (!passed).then(|| event["failed_at"]["line"].as_u64().unwrap_or(1)),
            );
        }
    }
    let (config, context) = config(&project, vec!["flows/edits".into()]);
    let plan = Plan::read(&config, &Filter::default()).expect("a plan");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut outcomes = Vec::new();
    for (name, of, kind) in edited {
        // An edit that does not read is lint's to tell.
        let Some(failed) = failed.get(&name) else {
            continue;
        };
        let is_it =
            |case: &&runner::run::PlannedCase| case.flow.source.path == Utf8Path::new(&name);
        let case = plan.cases.iter().find(is_it).expect("it is planned");
        let recording = subjects[of].recording.clone();
        let result = runtime
            .block_on(rehearse(&config, &context, case, recording))
            .expect("it runs");
        let lines = |wanted: &dyn Fn(FindingKind) -> bool| {
            let findings = result.findings.iter().filter(|it| wanted(it.kind));
            findings
                .map(|it: &Finding| it.place().line as u64)
                .collect()
        };
        let is_break = |kind| matches!(kind, FindingKind::Breaks | FindingKind::Several);
        outcomes.push(Outcome {
            kind,
            failed: *failed,
            breaks: lines(&is_break),
            said: lines(&|kind| !is_break(kind)),
            name: name.clone(),
        });
        if std::env::var_os("SHOW").is_some() {
            let last = outcomes.last().expect("one");
            if last.is_false() || last.is_silent() {
                println!("{name}: failed {:?}\n{}", last.failed, project.read(&name));
                for finding in &result.findings {
                    println!(
                        "  {:?} {}: {}",
                        finding.kind,
                        finding.place().line,
                        finding.message
                    );
                }
            }
        }
    }
    outcomes
}

/// Formats a line for each kind of edit: edits; passed runs, and how many of them had a reported break;
/// failed runs, and how many were found at their line, only warned of, or silent.
fn table(outcomes: &[Outcome]) -> String {
    let mut table = String::from(
        "| edit | green | said to break | red | found | told | silent |\n|---|---|---|---|---|---|---|\n",
    );
    for kind in KINDS {
        let of_kind: Vec<_> = outcomes.iter().filter(|it| it.kind == kind).collect();
        let count = |test: &dyn Fn(&Outcome) -> bool| of_kind.iter().filter(|it| test(it)).count();
        table.push_str(&format!(
            "| {kind:?} | {} | {} | {} | {} | {} | {} |\n",
            count(&|it| it.failed.is_none()),
            count(&Outcome::is_false),
            count(&|it| it.failed.is_some()),
            count(&Outcome::is_found),
            count(&|it| it.failed.is_some() && it.is_told()),
            count(&Outcome::is_silent),
        ));
    }
    table
}

#[test]
fn no_step_is_said_to_break_that_passes_in_a_run() {
    let outcomes = measure(44, 1);
    let false_breaks: Vec<_> = outcomes
        .iter()
        .filter(|it| it.is_false())
        .map(|it| &it.name)
        .collect();
    assert!(
        false_breaks.is_empty(),
        "{false_breaks:?}\n{}",
        table(&outcomes)
    );
    let silent: Vec<_> = outcomes.iter().filter(|it| it.is_silent()).collect();
    let silent: Vec<_> = silent.iter().map(|it| &it.name).collect();
    assert!(silent.is_empty(), "{silent:?}\n{}", table(&outcomes));
    let found = outcomes.iter().filter(|it| it.is_found()).count();
    assert!(found >= 4, "{}", table(&outcomes));
}

#[test]
#[ignore = "a measurement of some minutes"]
fn measure_five_hundred_edits() {
    let outcomes = measure(550, 20_261_129);
    println!("{}", table(&outcomes));
    assert!(!outcomes.iter().any(Outcome::is_false));
}
