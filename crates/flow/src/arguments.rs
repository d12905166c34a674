//! Parses the arguments of a tool's step, in each of its forms.

mod element_advice;
mod form_advice;

use indexmap::IndexMap;
use runner_text::diagnostic::{Code, Diagnostic, Severity};
use serde_json::json;

use super::ast::{Argument, Modifiers, Spanned};
use super::check::{Checker, literal};
use super::check_advice::{is_poor, missing_keys};
use super::choice_advice::choice_as_key;
use super::foreign;
use super::key_words;
use super::map_parts;
use super::reader::{Reader, find, has_error};
use super::step_warnings;
use super::step_words::{field_named, scrolled};
use super::vocabulary::ToolSchema;
use super::yaml::{Key, Node, NodeKind, Scalar};
use element_advice::{beside_on, other_step, pinched_on, placed};
use form_advice::{again, in_other_form, several_keys};
use runner_tools::{Catalogue, StepSyntax};

/// Name of the step that runs commands in the device's shell. A project must allow it.
const SHELL: &str = "shell";

impl Reader<'_> {
    /// Parses the value of a tool's step into a map of arguments, and reports errors. Returns `None` if the value is
    /// missing but required, has the wrong form, or is a known slip. `secret` of `type` goes into `modifiers`, and so
    /// does the time of `wait_for_idle: 5s`, unless a timeout is there already; that step then has no arguments.
    /// `shell` in a project without `allow_shell` is an error, but its arguments are read all the same.
    pub(crate) fn tool_arguments(
        &mut self,
        tool: &ToolSchema,
        key: &Key,
        value: &Node,
        modifiers: &mut Modifiers,
    ) -> Option<Spanned<Argument>> {
        if tool.entry.name == SHELL && !self.project.options.allow_shell {
            let help = Some("`allow_shell: true` in runner.yaml allows it".to_owned());
            let message = "`shell` is not allowed in this project";
            self.fail_at(key.span.clone(), Code::Shell, message, help);
        }
        if value.is_missing() {
            if tool.entry.value_optional {
                return Some(Spanned {
                    value: Argument::Map(IndexMap::new()),
                    span: key.span.clone(),
                });
            }
            let any = match tool.entry.writing {
                StepSyntax::Map => json!({ "type": "object" }),
                _ => json!({ "type": ["string", "object"] }),
            };
            self.checked(value, &any);
            if let (Some(last), true) = (self.diagnostics.last_mut(), value.span.is_empty())
                && last
                    .help
                    .as_ref()
                    .is_some_and(|help| help.starts_with("write it behind"))
            {
                let example = tool.entry.example.lines().next().unwrap_or("…");
                last.help = Some(format!(
                    "write such as `{}`",
                    example.trim_start_matches("- ")
                ));
            }
            return None;
        }
        if let Some(limited) = self.idle_limit(tool, value, modifiers) {
            return Some(limited);
        }
        if let Some(finding) = step_warnings::check(tool.entry.name, value) {
            self.fail(
                finding.place,
                finding.code,
                finding.message,
                Some(finding.help),
            );
            if finding.code != Code::Doubtful {
                return None;
            }
        }
        if tool.entry.name == "wait_for" {
            self.warn_of_time(key, value, "it waits for an element with this text");
        }
        let arguments = match (tool.entry.writing, &value.kind) {
            (_, NodeKind::Map(entries)) => self.map_arguments(tool, value, entries, modifiers),
            (StepSyntax::Element, _) => self.single_argument(tool, "on", value),
            (StepSyntax::Scalar(name) | StepSyntax::Sequence(name), _) => {
                self.single_argument(tool, name, value)
            }
            (StepSyntax::Map, _) => {
                let vocabulary = self.project.vocabulary;
                let properties = vocabulary.properties(&tool.schema);
                let required = missing_keys(vocabulary.resolve(&tool.schema), &[]).len();
                let example: Vec<String> = properties
                    .iter()
                    .take(required.max(3))
                    .map(|name| format!("{name}: …"))
                    .collect();
                let is_plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == ' ');
                let text = value.scalar().map(|scalar| match scalar.text.as_str() {
                    text if text.len() <= 40 && is_plain(text) => text,
                    _ => "…",
                });
                let other = || text.and_then(|text| foreign::on_element(&key.text, text));
                let help = in_other_form(tool, &key.text, value).or_else(other);
                let help = if let Some(help) = help {
                    help
                } else if example.is_empty() {
                    format!("write `- {}` alone", key.text)
                } else {
                    format!("write `{}: {{ {} }}`", key.text, example.join(", "))
                };
                let takes = if example.is_empty() {
                    "nothing"
                } else {
                    "a map"
                };
                let message = format!("`{}` takes {takes}, not {}", key.text, value.what());
                self.fail(value, Code::WrongType, message, Some(help));
                return None;
            }
        };
        Some(Spanned {
            value: Argument::Map(arguments),
            span: value.span.clone(),
        })
    }

    /// Takes the time of `wait_for_idle: 5s` for the step's timeout, and returns the step's arguments, which are none. A
    /// timeout that is there already stays, with a warning. Returns `None` for other steps and values.
    fn idle_limit(
        &mut self,
        tool: &ToolSchema,
        value: &Node,
        modifiers: &mut Modifiers,
    ) -> Option<Spanned<Argument>> {
        // People write only this option. The one in milliseconds is for agents.
        let limit = value.scalar()?.text.parse().ok()?;
        if tool.entry.name != "wait_for_idle" {
            return None;
        }
        if modifiers.timeout.is_some() {
            let message = "the `timeout` of this step counts, and not this time";
            let help = Some("write one of both".to_owned());
            self.fail(value, Code::Doubtful, message, help);
        }
        modifiers.timeout.get_or_insert(limit);
        Some(Spanned {
            value: Argument::Map(IndexMap::new()),
            span: value.span.clone(),
        })
    }

    /// Returns a map with `value` as the only argument, `name`. Errors of its check are reported at `value`.
    fn single_argument(
        &mut self,
        tool: &ToolSchema,
        name: &str,
        value: &Node,
    ) -> IndexMap<String, Spanned<Argument>> {
        let key = Key {
            text: name.to_owned(),
            span: value.span.clone(),
        };
        self.check_entries(tool, value, &[(key, value.clone())])
    }

    /// Reads the arguments of a step from its map. For a step on an element, keys of a selector become the argument
    /// `on`, unless `on` is there, and other keys that the tool does not have are reported; a key that is both is the
    /// tool's own. `secret` of `type` becomes a modifier. Errors are reported. A map for a step that takes nothing, a
    /// wrong `secret`, and unknown keys alone leave no arguments.
    fn map_arguments(
        &mut self,
        tool: &ToolSchema,
        node: &Node,
        entries: &[(Key, Node)],
        modifiers: &mut Modifiers,
    ) -> IndexMap<String, Spanned<Argument>> {
        let vocabulary = self.project.vocabulary;
        let options = vocabulary.properties(&tool.schema);
        let name = tool.entry.name;
        if options.is_empty() && !entries.is_empty() && tool.entry.writing != StepSyntax::Element {
            let message = format!("`{name}` takes nothing, not a map");
            let times = entries.iter().find_map(|(_, times)| again(name, times));
            let help = times.or_else(|| Some(format!("write `- {name}` alone")));
            self.fail(node, Code::WrongType, message, help);
            return IndexMap::new();
        }
        let of_element = Some(entries).filter(|_| tool.entry.writing == StepSyntax::Element);
        if let Some((key, help)) = of_element.and_then(foreign::strategy) {
            let message = format!("`{}` is not known here", key.text);
            self.fail_at(key.span.clone(), Code::UnknownKey, message, Some(help));
            return IndexMap::new();
        }
        if let Some((value, help)) = map_parts::without_brackets(entries) {
            self.fail(value, Code::WrongType, map_parts::NO_LIST, Some(help));
            return IndexMap::new();
        }
        let mut entries = entries.to_vec();
        if tool.entry.name == "type"
            && let Some((_, secret)) = find(&entries, "secret")
        {
            let given = secret.scalar().and_then(Scalar::boolean);
            if given.is_none() {
                let message = "`secret` says that the text is one: `true` or `false` is expected";
                let help = Some("write `text: …, secret: true`".to_owned());
                self.fail(secret, Code::WrongType, message, help);
                return IndexMap::new();
            }
            modifiers.secret = given == Some(true);
            if !options.contains(&"secret") {
                entries.retain(|(key, _)| key.text != "secret");
            }
        }
        if tool.entry.writing != StepSyntax::Element || find(&entries, "on").is_some() {
            return self.check_entries(tool, node, &entries);
        }
        let selector = vocabulary.properties(&vocabulary.selector);
        let before = self.diagnostics.len();
        let mut on = Vec::new();
        let mut own = Vec::new();
        for (key, value) in entries {
            // A key that is both is the tool's own option.
            if options.contains(&key.text.as_str()) {
                own.push((key, value));
            } else if selector.contains(&key.text.as_str()) {
                on.push((key, value));
            } else {
                let names = selector.iter().chain(&options).copied();
                self.unknown_in_step(&key, &value, names);
                let forms = vocabulary.alternatives(&tool.schema).into_iter();
                let choice = forms
                    .filter_map(|form| form.get("properties")?.as_object())
                    .find_map(|known| choice_as_key(vocabulary, &key, &value, known));
                if let (Some(choice), Some(wrong)) = (choice, self.diagnostics.last_mut())
                    && is_poor(wrong.help.as_deref())
                {
                    wrong.help = Some(choice);
                }
            }
        }
        if on.is_empty() && self.diagnostics.len() > before {
            // The wrong key was probably meant as a selector, so one error is enough.
            return IndexMap::new();
        }
        // Without a selector the tool's own `required` reports it, if it has one.
        if let Some((first, _)) = on.first() {
            let span = first.span.start..on.last().map_or(node.span.end, |(_, last)| last.span.end);
            let key = Key {
                text: "on".to_owned(),
                span: first.span.clone(),
            };
            let kind = NodeKind::Map(on);
            own.insert(0, (key, Node { span, kind }));
        }
        self.check_entries(tool, node, &own)
    }

    /// Adds help to errors of the arguments since the diagnostic number `before`. The help names what was
    /// probably meant, the first that fits: all conditions in `on`, `type` with `into`, another step such as
    /// `erase` instead of `clear` for a field, or an everyday step instead of an agents' tool. With such help
    /// only the first of these errors stays; so it does after a word in braces, which has its help already. Warnings
    /// stay in any case.
    fn explain_arguments(&mut self, tool: &ToolSchema, entries: &[(Key, Node)], before: usize) {
        if !has_error(&self.diagnostics[before..]) {
            return;
        }
        let name = tool.entry.name;
        let selector = self
            .project
            .vocabulary
            .properties(&self.project.vocabulary.selector);
        let names_element = entries
            .iter()
            .any(|(key, _)| selector.contains(&key.text.as_str()));
        // An error in one of the tool's own arguments already has its help.
        let is_foreign = self.diagnostics[before..].iter().any(|it| {
            let is_slip = it
                .help
                .as_ref()
                .is_some_and(|help| help.starts_with("did you mean"));
            it.code == Code::UnknownKey && !is_slip
        });
        // A word in braces has its help already, and lacks nothing else.
        if let [(_, value)] = entries
            && value.is_missing()
            && is_foreign
            && tool.entry.catalogue == Catalogue::Everyday
        {
            self.only_first_error(before);
            return;
        }
        let field = match entries {
            [(field, text)] if name == "type" && is_foreign => {
                let text = text.scalar().map_or("…", |text| text.text.as_str());
                Some(format!(
                    "write `type: {{ into: {{ id: {} }}, text: {text} }}`",
                    field.text
                ))
            }
            _ => None,
        };
        let other = other_step(tool, entries, &selector).filter(|_| names_element);
        let options = self.project.vocabulary.properties(&tool.schema);
        let beside = beside_on(entries, &selector, &options).filter(|_| is_foreign);
        let help = if beside.is_some() {
            beside
        } else if field.is_some() {
            field
        } else if other.is_some() {
            other
        } else if let Some(place) = placed(tool, entries) {
            Some(place)
        } else if tool.entry.catalogue == Catalogue::Everyday || !is_foreign {
            None
        } else {
            let ours = pinched_on(name, entries, &selector);
            ours.or_else(|| foreign::everyday(name)).map(|ours| {
                format!("`{name}` is a tool of agents with arguments of its own; write `{ours}`")
            })
        };
        if let Some(help) = help
            && let Some(first) = self.only_first_error(before)
        {
            first.help = Some(help);
        }
    }

    /// Drops all errors since the diagnostic number `before` except the first, and returns that. Warnings stay.
    fn only_first_error(&mut self, before: usize) -> Option<&mut Diagnostic> {
        let is_error = |it: &Diagnostic| it.severity == Severity::Error;
        let first = before + self.diagnostics[before..].iter().position(is_error)?;
        let behind = self.diagnostics.split_off(first + 1);
        let warnings = behind.into_iter().filter(|it| !is_error(it));
        self.diagnostics.extend(warnings);
        self.diagnostics.get_mut(first)
    }

    /// Reports a key in the map of a step as not known, always, with the nearest of `names` as help. For a modifier the
    /// help says that it stands beside the step.
    pub(crate) fn unknown_in_step<'n>(
        &mut self,
        key: &Key,
        value: &Node,
        names: impl IntoIterator<Item = &'n str>,
    ) {
        let mut checker = Checker {
            source: &self.source,
            vocabulary: self.project.vocabulary,
            names: Some(&self.names),
            diagnostics: Vec::new(),
        };
        checker.unknown_key(key, value, names);
        self.diagnostics.extend(checker.diagnostics);
    }

    /// Checks entries against the tool's schema, and returns them as arguments, also if errors were reported; wrong
    /// values are null then. If the schema accepts them and no argument is an expression, the tool's own check runs
    /// too.
    fn check_entries(
        &mut self,
        tool: &ToolSchema,
        node: &Node,
        entries: &[(Key, Node)],
    ) -> IndexMap<String, Spanned<Argument>> {
        let whole = Node {
            span: node.span.clone(),
            kind: NodeKind::Map(entries.to_vec()),
        };
        let before = self.diagnostics.len();
        let argument = self.checked(&whole, &tool.schema).value;
        self.explain_arguments(tool, entries, before);
        // Checked only if the schema accepted it, so that a mistake makes one error.
        if !has_error(&self.diagnostics[before..])
            && let Some(arguments) = literal(&argument)
            && let Err(failure) = tool
                .entry
                .arguments(arguments)
                .and_then(|arguments| tool.entry.check(&arguments))
        {
            // Of several keys the message names only one.
            let is_near = failure.message.contains("did you mean");
            let text = node.scalar().map(|text| text.text.as_str());
            let help = text.and_then(|text| match tool.entry.name {
                "press" => several_keys(tool, text).or_else(|| {
                    let meant = key_words::meant(tool, text);
                    let is_told = is_near && !meant.as_ref().is_some_and(|keys| keys.contains('+'));
                    let help = match meant {
                        Some(keys) => format!("write `press: {keys}`"),
                        None => format!("for a button on the screen write `click: {text}`"),
                    };
                    (!is_told).then_some(help)
                }),
                "clear" if !text.contains(['.', '/', ' ']) => Some(format!(
                    "`clear` is for the app's data; to empty a field write `erase: {}`",
                    field_named(text)
                )),
                "scroll" => scrolled(text).or_else(|| foreign::on_element("scroll", text)),
                _ => None,
            });
            self.fail(node, Code::Argument, failure.message, help);
        }
        match argument {
            Argument::Map(arguments) => arguments,
            _ => IndexMap::new(),
        }
    }
}
