//! Checks of `app.yaml` that its schema cannot express.

use runner_text::diagnostic::Code;
use std::collections::BTreeSet;
use std::ops::Range;

use super::value::{self, Values};
use super::{Report, advice, find};
use crate::apps::a2ui::catalogue::ValueKind;
use crate::apps::ui::Colour;
use runner_text::yaml::{Key, Node, NodeKind};

/// A word and its span in the file.
pub(super) struct Spanned {
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

impl Spanned {
    /// Returns the text of a scalar with its span, or `None` for a list or a map.
    fn from_node(node: &Node) -> Option<Self> {
        Some(Self {
            text: node.scalar()?.text.clone(),
            span: node.span.clone(),
        })
    }
}

/// Names in `app.yaml` that its own parts and the other files are checked against.
#[derive(Default)]
pub(super) struct Manifest {
    /// Each activity with its file of messages.
    pub(super) surfaces: Vec<(String, Spanned)>,
    pub(super) actions: BTreeSet<String>,
    activities: BTreeSet<String>,
    permissions: BTreeSet<String>,
    /// Permissions under a name that is not Android's, each with that of Android's.
    short_permissions: Vec<(Spanned, String)>,
    /// Names of Android's that actions ask for, of those permissions.
    asked: BTreeSet<String>,
    /// Components that steps open as dialogs.
    dialogs: Vec<Spanned>,
}

impl Manifest {
    /// Reads names and files of `app.yaml`, and reports those that are wrong or unknown, and that no activity is
    /// launchable. What has another shape is skipped: the schema reports it.
    pub(super) fn read(tree: &Node, report: &mut Report) -> Self {
        let mut manifest = Self::default();
        let NodeKind::Map(entries) = &tree.kind else {
            return manifest;
        };
        let map = |name: &str| match find(entries, name).map(|(_, node)| &node.kind) {
            Some(NodeKind::Map(entries)) => entries.as_slice(),
            _ => &[],
        };
        let word = |name: &str| find(entries, name).and_then(|(_, node)| Spanned::from_node(node));
        let (activities, actions) = (map("activities"), map("actions"));
        manifest.activities = activities.iter().map(|(key, _)| key.text.clone()).collect();
        manifest.actions = actions.iter().map(|(key, _)| key.text.clone()).collect();
        if let Some((
            _,
            Node {
                kind: NodeKind::Sequence(items),
                ..
            },
        )) = find(entries, "permissions")
        {
            let names = items.iter().filter_map(Spanned::from_node);
            for name in names {
                manifest.permissions.insert(name.text.clone());
                if let Some(long) = advice::permission(&name.text) {
                    manifest.short_permissions.push((name, long));
                }
            }
        }
        check_words(word("package"), word("colour"), word("icon"), report);
        let mut launchable = false;
        for (name, activity) in activities {
            let NodeKind::Map(about) = &activity.kind else {
                continue;
            };
            let word =
                |name: &str| find(about, name).and_then(|(_, node)| Spanned::from_node(node));
            if let Some(file) = word("surface") {
                manifest.surfaces.push((name.text.clone(), file));
            }
            launchable |= word("launchable").is_some_and(|word| word.text == "true");
            if let Some(action) = word("on_start") {
                let place = format!("activity `{}`", name.text);
                manifest.named(&place, "action", &action, report);
            }
        }
        if let Some((key, _)) = find(entries, "activities")
            && !launchable
        {
            let message = "no activity is `launchable: true`; the launcher needs one";
            report.fail(&key.span, Code::Launchable, message, None);
        }
        for (path, action) in map("watch") {
            if let Some(action) = Spanned::from_node(action) {
                let place = format!("`watch: {}`", path.text);
                manifest.named(&place, "action", &action, report);
            }
        }
        for (name, steps) in actions {
            let place = format!("action `{}`", name.text);
            manifest.steps(steps, &place, report);
        }
        manifest.check_permissions(report);
        manifest
    }

    /// Reports permissions under a name that is not Android's: an error if an action asks for one by Android's name, else
    /// a warning, as nothing grants them.
    fn check_permissions(&self, report: &mut Report) {
        for (name, long) in &self.short_permissions {
            if self.asked.contains(long) {
                let message = format!(
                    "an action asks for `{long}`, and `{}` is another name",
                    name.text
                );
                let help = Some(format!("write `{long}`"));
                report.fail(&name.span, Code::UnknownName, message, help);
            } else {
                let message = format!("Android's permissions have a longer name: write `{long}`");
                report.warn(&name.span, Code::Doubtful, message);
            }
        }
    }

    /// Checks that a permission of an action is one of the app's. One that the app names in another way is reported
    /// there, later.
    fn ask(&mut self, place: &str, name: Spanned, report: &mut Report) {
        let mut short = self.short_permissions.iter();
        if self.permissions.contains(&name.text) {
            return;
        }
        if short.any(|(_, long)| *long == name.text) {
            self.asked.insert(name.text);
            return;
        }
        let long = advice::permission(&name.text);
        match long.filter(|long| self.permissions.contains(long)) {
            Some(long) => {
                let message = format!(
                    "{place} names the permission `{}`, which is not there",
                    name.text
                );
                let help = Some(format!("write `{long}`"));
                report.fail(&name.span, Code::UnknownName, message, help);
            }
            None => self.named(place, "permission", &name, report),
        }
    }

    /// Reports a name that this file does not declare among its activities, actions or permissions, and suggests those
    /// that are like it. `kind` says which: `activity`, `action`, anything else is a permission. `place` is the part
    /// of the file that uses the name, for the message.
    fn named(&self, place: &str, kind: &str, name: &Spanned, report: &mut Report) {
        let there = match kind {
            "activity" => &self.activities,
            "action" => &self.actions,
            _ => &self.permissions,
        };
        if !there.contains(&name.text) {
            report.unknown(
                &name.span,
                Code::UnknownName,
                format!(
                    "{place} names the {kind} `{}`, which is not there",
                    name.text
                ),
                there.iter().map(String::as_str),
                &name.text,
            );
        }
    }

    /// Checks a list of steps, with those in them. Other shapes are skipped.
    fn steps(&mut self, steps: &Node, place: &str, report: &mut Report) {
        let NodeKind::Sequence(steps) = &steps.kind else {
            return;
        };
        for step in steps {
            if let NodeKind::Map(entries) = &step.kind
                && let [(name, node)] = entries.as_slice()
            {
                self.step(&name.text, node, place, report);
            }
        }
    }

    /// Checks a step: the names that it uses, its values and its paths. Dialogs are collected, to be checked once
    /// components are known.
    fn step(&mut self, name: &str, node: &Node, place: &str, report: &mut Report) {
        let kind = match name {
            "navigate" | "restart" => Some("activity"),
            "run" => Some("action"),
            _ => None,
        };
        if let (Some(kind), Some(word)) = (kind, Spanned::from_node(node)) {
            self.named(place, kind, &word, report);
        }
        if name == "open" {
            self.dialogs.extend(Spanned::from_node(node));
        }
        let mut values = Values::for_action();
        if matches!(name, "toast" | "copy") {
            value::check(node, ValueKind::Any, &mut values, report);
            check_text(name, node, report);
        }
        let NodeKind::Map(about) = &node.kind else {
            return;
        };
        for (key, inner) in about {
            match (name, key.text.as_str()) {
                ("if", "then" | "else") | ("after", "do") | ("request", "granted" | "denied") => {
                    self.steps(inner, place, report);
                }
                ("request", "permission") => {
                    if let Some(word) = Spanned::from_node(inner) {
                        self.ask(place, word, report);
                    }
                }
                (_, "value" | "equals" | "contains" | "message") => {
                    value::check(inner, ValueKind::Any, &mut values, report);
                }
                (_, "path" | "from" | "to" | "of") => check_pointer(inner, report),
                _ => {}
            }
        }
    }

    /// Reports dialogs of `open` steps that are no component in `components`.
    pub(super) fn check_dialogs(&self, components: &BTreeSet<String>, report: &mut Report) {
        for dialog in &self.dialogs {
            if !components.contains(&dialog.text) {
                report.unknown(
                    &dialog.span,
                    Code::UnknownComponent,
                    format!("there is no component `{}`", dialog.text),
                    components.iter().map(String::as_str),
                    &dialog.text,
                );
            }
        }
    }
}

/// Warns of a map in place of the text of a step, unless the map is a path, a context or a call: the device would show
/// the map.
fn check_text(step: &str, node: &Node, report: &mut Report) {
    let NodeKind::Map(entries) = &node.kind else {
        return;
    };
    let is_value =
        |(key, _): &(Key, Node)| ["path", "context", "call"].contains(&key.text.as_str());
    if !entries.iter().any(is_value) {
        let message = format!(
            "`{step}` takes the text itself: write `{step}: TEXT`, or `{step}: {{ path: /NAME }}`"
        );
        report.warn(&node.span, Code::Doubtful, message);
    }
}

/// Reports a step's path that does not begin with `/`. A node that is no scalar is not reported here.
fn check_pointer(node: &Node, report: &mut Report) {
    if let Some(scalar) = node.scalar()
        && !scalar.text.starts_with('/')
    {
        let help = Some(format!("write `/{}`", scalar.text));
        let message = "a path into the data begins with `/` here";
        report.fail(&node.span, Code::Pointer, message, help);
    }
}

/// Reports a malformed package or colour and an unknown icon. Missing keys are not reported.
fn check_words(
    package: Option<Spanned>,
    colour: Option<Spanned>,
    icon: Option<Spanned>,
    report: &mut Report,
) {
    if let Some(package) = package {
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
        let parts: Vec<&str> = package.text.split('.').collect();
        let good = parts.len() > 1
            && parts.iter().all(|part| !part.is_empty())
            && package.text.chars().all(letters);
        if !good {
            let message = format!(
                "`package: {}` is not a package name; write one such as com.example.notes",
                package.text
            );
            report.fail(&package.span, Code::Package, message, None);
        }
    }
    if let Some(colour) = colour
        && Colour::parse(&colour.text).is_none()
    {
        let message = format!("`colour: {}` must look like \"#3F6DB5\"", colour.text);
        report.fail(&colour.span, Code::Colour, message, None);
    }
    if let Some(icon) = icon {
        value::check_icon(&icon.text, &icon.span, report);
    }
}
