//! Reads a whole flow of our own language.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::file::{Reader, find, strings};
use crate::ast::{Dialect, Flow, Step};
use crate::header_advice::{lists_flows, wraps_flow};
use crate::report::suggest;
use crate::yaml::{self, Key, Node, NodeKind};
use crate::{foreign, maestro};
use runner_base::files::normal_parts;
use runner_text::diagnostic::{Code, Diagnostic, Severity};
use runner_text::units::HumanDuration;

impl Reader<'_> {
    /// Reads a flow of our own from its map: header, tables, then the lists of steps in the order of execution, with
    /// their sub-flows. Reports all problems; returns `None` only if it is no map. A flow with errors is returned all
    /// the same, without its wrong parts. Names that `on_failure` keeps are unknown in `teardown`.
    pub(super) fn flow(&mut self, node: &Node) -> Option<Flow> {
        let NodeKind::Map(entries) = &node.kind else {
            let message = if node.is_missing() {
                "this file is empty; a flow needs `steps`"
            } else {
                "a flow is a map with `steps`"
            };
            let space = node.scalar().and_then(|it| yaml::missing_space(&it.text));
            let surface = is_surface(node).then(|| {
                "it is a surface, which the `app.yaml` of an app names; `runner lint` without a path checks the apps of runner.yaml"
                    .to_owned()
            });
            let list = matches!(node.kind, NodeKind::Sequence(_)).then(|| {
                "put the list under `steps:`; in a flow of Maestro's it stands after `appId: …` and a line `---`"
                    .to_owned()
            });
            let step = node.scalar().and_then(|it| foreign::chain(&it.text));
            let step = step.map(|step| format!("{step} as an item below `steps:`; a flow is YAML"));
            let usual = || {
                "write `app: …`, and `steps:` with a list below it; `runner init` makes a first flow"
                    .to_owned()
            };
            let help = surface.or(list).or(step).or(space);
            let help = help.unwrap_or_else(usual);
            self.fail(node, Code::NotAFlow, message, Some(help));
            return None;
        };
        let header = self.header(entries);
        self.warn_of_keys_without_effect(entries);
        let secrets = strings(&header, "secrets");
        // Before `env`, because its values may use the columns.
        let rows = self.each(entries, &secrets);
        let matrix = self.matrix(entries);
        let cases = self.cases(entries, rows.as_ref(), matrix.as_ref());
        let env = self.env(entries);
        // After `env`, which it may use.
        let app_value = find(entries, "app").and_then(|(_, node)| self.app_value(node));
        let needs = find(entries, "needs").and_then(|(_, node)| self.needs(node));
        let quarantine = find(entries, "quarantine").and_then(|(_, node)| self.quarantine(node));
        let skip = find(entries, "skip").and_then(|(_, node)| self.skip(node));
        let (setup, steps, kept) = self.setup_and_steps(entries);
        let holds_flow = |node: &Node| wraps_flow(node) || lists_flows(node);
        let is_wrapped = entries.iter().any(|(_, node)| holds_flow(node));
        if find(entries, "steps").is_none() && !is_wrapped {
            let help = Some("add `steps:` with a list".to_owned());
            let start = node.span.start;
            let first = entries
                .first()
                .map_or(start..start, |(key, _)| key.span.clone());
            self.fail_at(first, Code::MissingKey, "this flow has no `steps`", help);
        }
        // Its names are unknown in teardown, because it runs only after a failure.
        let before = self.names.clone();
        let on_failure = self.section(entries, "on_failure");
        self.names = before;
        let teardown = self.section(entries, "teardown");
        self.check_outputs(entries, &kept);
        if self.is_sub_flow() {
            self.stored_names = kept;
        }
        let list = |name: &str| strings(&header, name);
        let text = |name: &str| header.get(name).and_then(Value::as_str).map(str::to_owned);
        let key = normal_parts(&self.source.path.with_extension(""));
        let flow = Flow {
            source: Arc::clone(&self.source),
            dialect: Dialect::Own,
            name: text("name").unwrap_or_else(|| key.file_name().unwrap_or("flow").to_owned()),
            key,
            app: text("app"),
            app_value,
            tags: list("tags"),
            env,
            secrets,
            timeout: text("timeout").and_then(|text| text.parse::<HumanDuration>().ok()),
            step_timeout: text("step_timeout").and_then(|text| text.parse::<HumanDuration>().ok()),
            teardown_timeout: text("teardown_timeout")
                .and_then(|text| text.parse::<HumanDuration>().ok()),
            retries: header
                .get("retries")
                .and_then(Value::as_u64)
                .and_then(|count| u32::try_from(count).ok()),
            quarantine,
            needs,
            skip,
            cases,
            table: rows.and_then(|rows| rows.file),
            outputs: list("outputs"),
            setup,
            steps,
            on_failure,
            teardown,
        };
        self.check_secrets(entries, &flow);
        Some(flow)
    }

    /// Returns true if another flow runs this one: its `steps` alone run then.
    fn is_sub_flow(&self) -> bool {
        self.chain.len() > 1
    }

    /// Reads `setup`, then `steps`, which may use the names kept before them. Returns both, and the names that `steps`
    /// keep. Where another flow runs this one, its setup does not run, so its steps do not know the names of it.
    fn setup_and_steps(
        &mut self,
        entries: &[(Key, Node)],
    ) -> (Vec<Step>, Vec<Step>, BTreeSet<String>) {
        let before = self.names.clone();
        let setup = self.section(entries, "setup");
        if self.is_sub_flow() {
            self.names = before;
        }
        let of_setup = std::mem::take(&mut self.stored_names);
        let steps = self.section(entries, "steps");
        let kept = self.stored_names.clone();
        // `teardown` runs with `setup`, or neither does.
        for name in of_setup {
            if !self.names.has_value(&name) {
                self.names.add(&name);
            }
            self.stored_names.insert(name);
        }
        (setup, steps, kept)
    }

    /// Reports each of the flow's `secrets` that neither the project, the flow nor a sub-flow gives a value or reads:
    /// a misspelt name would leave the real value unmasked. Does nothing if the flow has other errors, because an
    /// unreadable part may give the value. Quotes no part of a name that may be a value.
    fn check_secrets(&mut self, entries: &[(Key, Node)], flow: &Flow) {
        let Some((_, list)) = find(entries, "secrets") else {
            return;
        };
        let NodeKind::Sequence(items) = &list.kind else {
            return;
        };
        // An unreadable part may be what gives the name its value.
        let is_wrong = |it: &Diagnostic| it.severity == Severity::Error;
        if self.diagnostics.iter().any(is_wrong) {
            return;
        }
        for item in items {
            let Some(name) = item.scalar().map(|scalar| scalar.text.as_str()) else {
                continue;
            };
            if self.names.has_value(name) || crate::secret_names::mentions(flow, name) {
                continue;
            }
            let bare = crate::secret_names::bare_name(name);
            let help = match (bare, self.names.nearest(name)) {
                (Some(bare), _) => format!("write the name alone: `{bare}`"),
                (None, Some(known)) => format!("did you mean `{known}`?"),
                (None, None) if name.contains(['=', ' ']) => {
                    "write the name of a value alone, never the value".to_owned()
                }
                (None, None) => format!(
                    "give it a value in `env`, read it as `${{os.{name}}}`, or take it out of `secrets`"
                ),
            };
            let shown = crate::secret_names::declared_name(name);
            let message = format!("the secret `{shown}` names no value");
            self.fail(item, Code::UndefinedName, message, Some(help));
        }
    }

    /// Reads the file as a flow of our own language, for `run`. A Maestro flow, several documents, text that is no
    /// YAML and one that is no map are reported, and return `None`. A flow with other errors is returned all the
    /// same.
    pub(super) fn own_flow(&mut self) -> Option<Flow> {
        let documents = yaml::read_documents(&self.source, &mut self.diagnostics)?;
        if maestro::is_maestro(&documents) {
            let help =
                Some("run it on its own, or take it over: `runner import maestro`".to_owned());
            let message =
                "this is a flow of Maestro's, which only another one of Maestro's can run";
            self.fail_at(0..0, Code::SubFlow, message, help);
            return None;
        }
        let node = yaml::only(documents, &self.source, &mut self.diagnostics)?;
        self.flow(&node)
    }

    /// Reads the list of steps under `name`; none if the key is missing, which is not reported. Only an empty `steps`
    /// is an error. Names that its steps keep are known to what is read next.
    pub(super) fn section(&mut self, entries: &[(Key, Node)], name: &str) -> Vec<Step> {
        match find(entries, name) {
            Some((_, node)) if name == "steps" => self.steps(node),
            Some((_, node)) => self.steps_or_none(node),
            None => Vec::new(),
        }
    }

    /// Reports each name in `outputs` that is not among `kept`, the names that `steps` keep: the other lists do not run
    /// where another flow runs this one. Wrong kinds of values are skipped; they are reported elsewhere.
    fn check_outputs(&mut self, entries: &[(Key, Node)], kept: &BTreeSet<String>) {
        let Some((_, node)) = find(entries, "outputs") else {
            return;
        };
        let NodeKind::Sequence(items) = &node.kind else {
            return;
        };
        for item in items {
            let Some(scalar) = item.scalar() else {
                continue;
            };
            if kept.contains(&scalar.text) {
                continue;
            }
            let name = &scalar.text;
            let (message, help) = if self.stored_names.contains(name) {
                let message = format!(
                    "`steps` alone run where another flow runs this one, and none of them keeps a result as `{name}`"
                );
                (message, Some(format!("keep `{name}` in a step of `steps`")))
            } else {
                let message = format!("no step of this flow keeps a result as `{name}`");
                let near = suggest(name, kept.iter().map(String::as_str));
                let usual = || Some(format!("keep a result with `as: {name}`"));
                (message, near.or_else(usual))
            };
            self.fail(item, Code::UndefinedName, message, help);
        }
    }
}

/// Returns true for a list with a message of A2UI, as the surfaces of the virtual device's apps are. One item is
/// enough.
fn is_surface(node: &Node) -> bool {
    const MESSAGES: [&str; 4] = [
        "createSurface",
        "updateComponents",
        "updateDataModel",
        "deleteSurface",
    ];
    let NodeKind::Sequence(items) = &node.kind else {
        return false;
    };
    let has_message = |item: &Node| MESSAGES.iter().any(|key| item.entry(key).is_some());
    items.iter().any(has_message)
}
