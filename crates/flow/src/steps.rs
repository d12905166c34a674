//! Parses one step: its form, its modifiers and its action.

use indexmap::IndexMap;
use serde_json::Value;

use super::assertion_words::{asserted, compared};
use super::ast::{
    Argument, Assert, Condition, Control, ElementCondition, Modifiers, Spanned, Step, StepAction,
};
use super::check_advice::{is_list, is_poor};
use super::expression::{self, TemplatePart};
use super::key_owner;
use super::names::Text;
use super::reader::{Reader, find};
use super::report::{nearest, suggest};
use super::run_advice;
use super::step_forms;
use super::step_warnings;
use super::step_words::scrolled;
use super::title;
use super::vocabulary::Vocabulary;
use super::yaml::{Key, Node, NodeKind, Scalar};
use super::{foreign, keys};
use runner_text::diagnostic::{Code, Label};
use runner_text::units::HumanDuration;
use runner_tools::StepSyntax;

const ONE_CONDITION: &str = "a condition is one thing";
const NO_CONDITION: &str = "a condition is one `${…}` that comes to true or false";

impl Reader<'_> {
    /// Parses a list of steps that must not be empty, with the sub-flows that they run. An empty list, a missing
    /// value and other kinds of values are reported and return none. A wrong step is reported and left out.
    pub(crate) fn steps(&mut self, node: &Node) -> Vec<Step> {
        if matches!(&node.kind, NodeKind::Sequence(items) if items.is_empty()) || node.is_missing()
        {
            let help = Some("write at least one step: `- click: Sign in`".to_owned());
            self.fail(node, Code::MissingValue, "there are no steps here", help);
            return Vec::new();
        }
        self.steps_or_none(node)
    }

    /// Parses a list of steps, which may be empty or missing. Other kinds of values are reported and return
    /// none. A wrong step is reported and left out.
    pub(crate) fn steps_or_none(&mut self, node: &Node) -> Vec<Step> {
        match &node.kind {
            NodeKind::Sequence(items) => items.iter().filter_map(|item| self.step(item)).collect(),
            _ if node.is_missing() => Vec::new(),
            _ => {
                let help = match &node.kind {
                    NodeKind::Map(entries) if self.named_lists(entries).is_some() => {
                        self.named_lists(entries)
                    }
                    NodeKind::Map(entries) if self.is_in_braces(node) => in_brackets(entries),
                    NodeKind::Map(entries) => entries.first().map(|(key, value)| {
                        // YAML takes a dash without a space for a part of the key.
                        if let Some(step) = key.text.strip_prefix('-') {
                            let step = step.trim_start_matches(['-', ' ']);
                            let value = value.scalar().map_or("…", |value| value.text.as_str());
                            return format!("put a space after each dash: `- {step}: {value}`");
                        }
                        if !key.text.is_empty() && key.text.bytes().all(|b| b.is_ascii_digit()) {
                            let step = value.scalar().map_or("…", |step| step.text.as_str());
                            return format!(
                                "begin each step with `- ` in place of its number: write `- {step}`"
                            );
                        }
                        let given = match value.entries() {
                            [] => "…".to_owned(),
                            inside => {
                                let keys = inside.iter().map(|(key, _)| format!("{}: …", key.text));
                                format!("{{ {} }}", keys.collect::<Vec<_>>().join(", "))
                            }
                        };
                        format!("begin each step with `- `: write `- {}: {given}`", key.text)
                    }),
                    _ => Some(self.list_of(node)),
                };
                let message = format!("a list of steps is expected here, not {}", node.what());
                self.fail(node, Code::WrongType, message, help);
                Vec::new()
            }
        }
    }

    /// Returns true if the value begins with `{`. Inside of braces a list has brackets, and no dashes.
    fn is_in_braces(&self, node: &Node) -> bool {
        let text = self.source.text.get(node.span.clone());
        text.is_some_and(|text| text.starts_with('{'))
    }

    /// Returns advice for a text in place of a list of steps: for steps in it, the path of a YAML file, a step's
    /// name, or else how a list begins. For other kinds of values it is the last.
    fn list_of(&self, node: &Node) -> String {
        let text = node.scalar().map_or("", |scalar| scalar.text.as_str());
        if let Some(help) = self.text_of_steps(node, text) {
            return help;
        }
        let is_step = keys::step_names(self.project.vocabulary).any(|name| name == text);
        if text.ends_with(".yaml") || text.ends_with(".yml") {
            format!("write `[ run: {text} ]`")
        } else if is_step {
            format!("write `[ {text} ]`, or `- {text}` on a line of its own")
        } else {
            "begin each step with `- ` on a line of its own: write `- back`".to_owned()
        }
    }

    /// Parses a step, with those inside of it. A wrong one is reported and returns `None`. Later steps, but not the
    /// step itself, know the name that it keeps (`as`), and so does `outputs`.
    fn step(&mut self, node: &Node) -> Option<Step> {
        let (action, modifiers, title) = match &node.kind {
            NodeKind::Scalar(scalar) => {
                let action = self.bare_word(node, &scalar.text)?;
                (action, Modifiers::default(), scalar.text.clone())
            }
            NodeKind::Map(entries) => self.map_step(node, entries)?,
            NodeKind::Sequence(_) => {
                let help = Some(
                    "begin each step with `- `, without brackets; `group:` puts steps together"
                        .to_owned(),
                );
                self.fail(node, Code::Step, "a step is not a list", help);
                return None;
            }
        };
        // Only later steps know the name.
        if let Some(name) = &modifiers.keep_as {
            let is_new = !self.names.has_value(name);
            if action.gives_element() {
                self.names.add_element(name);
            } else {
                self.names.add(name);
            }
            if is_new {
                self.names.add_fields(name, action.fields());
            }
            self.stored_names.insert(name.clone());
        }
        Some(Step {
            source: std::sync::Arc::clone(&self.source),
            span: node.span.clone(),
            title,
            action,
            modifiers,
        })
    }

    /// Parses a step that is a word alone: `pause`, or a tool that needs no value. Anything else, also no word, is
    /// reported, with help by what it begins with, and returns `None`.
    fn bare_word(&mut self, node: &Node, word: &str) -> Option<StepAction> {
        if node.is_missing() {
            let start = node.span.start.min(self.source.text.len());
            let line = self.source.text[..start].lines().next_back();
            let is_comment = line.is_some_and(|line| line.contains("- #"));
            let help = if is_comment {
                "a comment stands on a line of its own, without `- `"
            } else {
                "take the line out, or write a step: `- click: Sign in`"
            };
            self.fail(
                node,
                Code::Step,
                "this step is empty",
                Some(help.to_owned()),
            );
            return None;
        }
        if word == "pause" {
            let control = Control::Pause { message: None };
            return Some(StepAction::Control(Box::new(control)));
        }
        let vocabulary = self.project.vocabulary;
        if let Some(tool) = vocabulary.tool(word) {
            if !tool.entry.value_optional {
                let message = format!("`{word}` needs a value");
                let ours = foreign::everyday(word).unwrap_or_else(|| format!("{word}: …"));
                let help = Some(match word {
                    "rotate" => "write such as `rotate: landscape`".to_owned(),
                    "record" => "write `record: start`, and later `record: stop`".to_owned(),
                    _ => format!("write `{ours}`"),
                });
                self.fail(node, Code::MissingValue, message, help);
                return None;
            }
            return Some(StepAction::Call {
                entry: tool.entry,
                arguments: Spanned {
                    value: Argument::Map(IndexMap::new()),
                    span: node.span.clone(),
                },
            });
        }
        let is_foreign = foreign::is_step(word)
            || foreign::adb::command(word).is_some()
            || foreign::comment(word).is_some()
            || foreign::chain(word).is_some()
            || foreign::wait(word).is_some()
            || foreign::unreadable_fact(word).is_some();
        if is_foreign {
            self.unknown_step(node.span.clone(), word, None, &[]);
            return None;
        }
        if let Some(step) = first_word(word) {
            self.unknown_step(node.span.clone(), step, None, &[]);
            return None;
        }
        let first = keys::step_names(vocabulary)
            .filter(|name| {
                word.strip_prefix(name).is_some_and(|rest| {
                    let signs = [' ', ':', '=', '(', ';', ',', '#', '\u{a0}'];
                    rest.is_empty() || rest.starts_with(signs)
                })
            })
            // Prefers `assert visible` to `assert`.
            .max_by_key(|name| name.len());
        match first {
            Some(name) => {
                let rest = word[name.len()..].trim();
                let arrow = rest.strip_prefix("=>").or(rest.strip_prefix("->"));
                let rest = arrow.unwrap_or(rest).trim_end_matches([';', ',']);
                let value = rest.trim_matches([':', '=', '(', ')', ' ', '\u{a0}']);
                let fillers = ["on ", "to ", "the "].into_iter();
                let value = fillers.fold(value, |value, filler| {
                    value.strip_prefix(filler).unwrap_or(value)
                });
                let (message, help) = self.bare_form(node, name, value);
                self.fail(node, Code::Step, message, Some(help));
            }
            None => self.unknown_step(node.span.clone(), word, None, &[]),
        }
        None
    }

    /// Returns message and help for a text that begins with the step `name` and goes on with `value`, which may be
    /// empty: `back()`, `click(Save)`, a comment, a second step, or a step with the dash of the next one. Reports
    /// nothing.
    fn bare_form(&self, node: &Node, name: &str, value: &str) -> (String, String) {
        let tool = self.project.vocabulary.tool(name);
        let options = tool.map(|tool| self.project.vocabulary.properties(&tool.schema));
        let takes_none = options.as_ref().is_some_and(Vec::is_empty);
        let is_word = name == "pause" || tool.is_some_and(|tool| tool.entry.value_optional);
        let written = self.source.text.get(node.span.clone()).unwrap_or_default();
        if written
            .lines()
            .skip(1)
            .any(|line| line.trim_start().starts_with("- "))
        {
            let message = format!("`{name}` goes on with the `-` of the next line");
            let help = "begin each `-` in the same column as the `-` above it";
            return (message, help.to_owned());
        }
        if let Some(comment) = value.strip_prefix('#') {
            let message = format!("`{name}` needs a space before the comment behind it");
            return (message, format!("write `- {name} # {}`", comment.trim()));
        }
        if let Some(comment) = foreign::comment(value) {
            let message = format!("`{name}` goes on with a comment of another language");
            let comment = comment
                .rsplit_once("write `# ")
                .map_or("", |(_, rest)| rest);
            let comment = comment.trim_end_matches('`');
            return (
                message,
                format!("a comment begins with `#`: write `- {name} # {comment}`"),
            );
        }
        let next = value.trim_start_matches([';', ',', ' ']);
        let mut steps = keys::step_names(self.project.vocabulary);
        let is_second = steps.any(|step| {
            let rest = next.strip_prefix(step);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':', ';']))
        });
        // `launch clear` means an option.
        let is_option = options.is_some_and(|options| options.contains(&next));
        if is_second && !is_option && (value.starts_with([';', ',']) || is_word) {
            let message = format!("`{name}` goes on with a second step");
            let help = "write each step on a line of its own, behind a `- `; inside of brackets a comma stands between them";
            return (message, help.to_owned());
        }
        if takes_none || is_word && value.is_empty() {
            let message = format!("`{name}` is written as a word alone");
            return (message, format!("write `- {name}` alone"));
        }
        let message = format!("`{name}` needs a colon, a space and its value");
        let value = value.trim_start_matches([',', ' ']);
        if let Some(help) = self.sentence_advice(node, name, value) {
            return (message, help);
        }
        if let ("type", Some((field, _))) = (name, value.split_once(',')) {
            let field = foreign::yaml(field.trim_matches(['"', '\'', ' ']));
            return (
                message,
                format!("write `type: {{ into: {field}, text: … }}`"),
            );
        }
        let value = if value.is_empty() { "…" } else { value };
        (message, format!("write `{name}: {value}`"))
    }

    /// Returns the advice for the text `value` of the step `name`, which would be no better behind a colon: `drag Milk
    /// to Bread`. Returns `None` if the advice writes no step, for an empty text, and for steps of two fingers.
    fn sentence_advice(&self, node: &Node, name: &str, value: &str) -> Option<String> {
        let given = Node {
            span: node.span.clone(),
            kind: NodeKind::Scalar(Scalar {
                text: value.to_owned(),
                plain: true,
            }),
        };
        // An agents' tool takes no text.
        let everyday = foreign::everyday(name);
        let step = everyday.as_deref().and_then(|step| step.split_once(':'));
        let step = step.map_or(name, |(step, _)| step);
        if value.is_empty() || step == "two_fingers" {
            return None;
        }
        let told = step_warnings::check(step, &given).map(|found| found.help);
        let told = told.filter(|help| {
            let code = help.strip_prefix("write `").unwrap_or_default();
            let mut steps = keys::step_names(self.project.vocabulary);
            let is_step = steps.any(|step| {
                let rest = code.strip_prefix(step);
                rest.is_some_and(|rest| rest.starts_with(": "))
            });
            is_step || code.starts_with("- ")
        });
        let bare = value.trim_matches(['"', '\'']);
        let own = || match name {
            "assert" => asserted(value),
            "scroll" => scrolled(value).or_else(|| foreign::on_element(name, bare)),
            _ => foreign::on_element(name, bare),
        };
        told.or_else(own)
    }

    /// Reports as an error that there is no step `word`, with the best help: its equivalent with value and keys
    /// beside it, the nearest name, or else how a step looks. The caller decides that there is none. `value` is
    /// `None` for a word alone; `beside` are the other keys of its map that are no modifiers.
    fn unknown_step(
        &mut self,
        span: std::ops::Range<usize>,
        word: &str,
        value: Option<&Node>,
        beside: &[&(Key, Node)],
    ) {
        let names: Vec<&str> = keys::step_names(self.project.vocabulary).collect();
        let told = value.and_then(|value| {
            // YAML reads a colon in a chain of calls as the end of a key.
            let rest = value.scalar().filter(|_| word.contains('('));
            rest.and_then(|rest| foreign::chain(&format!("{word}: {}", rest.text)))
                .or_else(|| foreign::located(word, value, beside))
                .or_else(|| foreign::named_list(word, value, beside))
                .or_else(|| foreign::step_with(word, value, names.iter().copied()))
        });
        let alone = || {
            foreign::typed_into(word)
                .or_else(|| foreign::key_alone(word))
                .or_else(|| foreign::spoken(word))
        };
        let told = told.or_else(|| value.is_none().then(alone).flatten());
        let option = word.split_once(' ').and_then(|(step, option)| {
            let tool = self.project.vocabulary.tool(step)?;
            let known = self.project.vocabulary.properties(&tool.schema);
            known
                .contains(&option)
                .then(|| format!("write `{step}: {{ {option}: … }}`"))
        });
        let told = told.or(option);
        let known = told.or_else(|| foreign::step(word, names.iter().copied()));
        let known = match (known, value) {
            (Some(help), Some(value)) => Some(foreign::with_element(help, value)),
            (known, _) => known,
        };
        let help = known
            .or_else(|| foreign::under_name(word, value?, &names))
            .or_else(|| {
                nearest(word, names.iter().copied()).map(|it| format!("did you mean `{it}`?"))
            })
            .or_else(|| foreign::prose(word))
            .or_else(|| key_owner::in_header(word))
            .unwrap_or_else(|| foreign::no_step(word, &names));
        self.fail_at(
            span,
            Code::UnknownStep,
            format!("there is no step `{word}`"),
            Some(help),
        );
    }

    /// Parses a step with its modifiers, and its title, which hides a secret text. Errors are reported, also in the
    /// modifiers of a wrong step. Returns `None` if the step itself is wrong; wrong modifiers are left out.
    fn map_step(
        &mut self,
        node: &Node,
        entries: &[(Key, Node)],
    ) -> Option<(StepAction, Modifiers, String)> {
        let (key, value) = self.step_key(node, entries)?;
        let mut modifiers = self.modifiers(key, entries);
        let action = self.action(key, value, entries, &mut modifiers);
        // After the action, which tells if the text is secret.
        let title = title::for_step(&key.text, value, modifiers.secret);
        if let (Some(action), true) = (&action, modifiers.soft) {
            self.check_soft(action, entries);
        }
        Some((action?, modifiers, title))
    }

    /// Reports `soft` at a step that is no assertion, because others change the device, at a snapshot, and beside
    /// `optional`. The modifiers stay as they are. Does nothing without the key `soft`; the caller knows that it is
    /// true.
    fn check_soft(&mut self, action: &StepAction, entries: &[(Key, Node)]) {
        let Some((soft, _)) = find(entries, "soft") else {
            return;
        };
        let (message, help) = match action {
            StepAction::Snapshot(_) => (
                "`soft` belongs to an assertion",
                "leave it out: a flow goes on after a snapshot that differs",
            ),
            _ if !action.is_assertion() => (
                "`soft` belongs to an assertion",
                "write `optional: true` where a failure is not a failure of the flow",
            ),
            _ if find(entries, "optional").is_some() => (
                "`soft` does not go together with `optional`",
                "an optional step fails nothing; leave out one of both",
            ),
            _ => return,
        };
        self.fail_at(
            soft.span.clone(),
            Code::Step,
            message,
            Some(help.to_owned()),
        );
    }

    /// Returns the one entry whose key names the step. Modifiers do not count, and `retry` is the step only if there
    /// is no other key but modifiers. Reports other keys, except `then` and `else` beside `if`; two steps, an unknown
    /// step and no step are reported and return `None`.
    fn step_key<'n>(&mut self, node: &Node, entries: &'n [(Key, Node)]) -> Option<&'n (Key, Node)> {
        let vocabulary = self.project.vocabulary;
        let known = |key: &Key| keys::step_names(vocabulary).any(|name| name == key.text);
        let modifier = |key: &Key| keys::MODIFIERS.contains(&key.text.as_str());
        let actions: Vec<&(Key, Node)> = entries
            .iter()
            .filter(|(key, _)| known(key) && !modifier(key))
            .collect();
        let others: Vec<&(Key, Node)> = entries
            .iter()
            .filter(|(key, _)| !known(key) && !modifier(key))
            .filter(|(key, _)| {
                find(entries, "if").is_none() || !["then", "else"].contains(&key.text.as_str())
            })
            .collect();
        // `retry` is a step and a modifier. It is the step if the map has no other.
        let retry = find(entries, "retry").filter(|_| others.is_empty());
        match (actions.as_slice(), retry) {
            ([only], _) => {
                for (key, given) in others {
                    self.sibling_key(&only.0, &only.1, key, given);
                }
                Some(only)
            }
            ([], Some(retry)) => Some(retry),
            ([], None) => {
                let given = find(entries, "retry").filter(|_| others.len() == 1);
                if let (Some((_, times)), [(key, _)]) = (given, others.as_slice())
                    && key.text == "steps"
                {
                    let times = times.scalar().map_or("2", |times| times.text.as_str());
                    let message = "`steps` belongs to the map of `retry`";
                    let help = format!("write `retry: {{ times: {times}, steps: […] }}`");
                    self.fail_at(key.span.clone(), Code::UnknownKey, message, Some(help));
                } else if let Some((key, named)) = named_step(&others, vocabulary) {
                    let message = format!("a step is written by its name, not as `{}`", key.text);
                    // One more key is probably the step's value.
                    let value = match others.as_slice() {
                        [one, other] => [one, other].into_iter().find(|it| it.0.span != key.span),
                        _ => None,
                    };
                    let value = value.and_then(|(key, value)| {
                        let text = &value.scalar().filter(|_| !value.is_missing())?.text;
                        let is_element =
                            ["id", "desc", "hint", "class"].contains(&key.text.as_str());
                        Some(if is_element {
                            format!("{{ {}: {} }}", key.text, foreign::yaml(text))
                        } else {
                            text.clone()
                        })
                    });
                    let value = value.as_deref().unwrap_or("…");
                    let help = Some(format!("write `{named}: {value}`"));
                    self.fail_at(key.span.clone(), Code::UnknownStep, message, help);
                } else if let Some((key, help)) = foreign_name(&others, vocabulary) {
                    let message = format!("a step is written by its name, not as `{}`", key.text);
                    self.fail_at(key.span.clone(), Code::UnknownStep, message, Some(help));
                } else if let Some(((key, value), beside)) = others.split_first() {
                    self.unknown_step(key.span.clone(), &key.text, Some(value), beside);
                } else {
                    let message = "this step has modifiers only and does nothing";
                    let mut said = entries.iter();
                    let said = said.find_map(|(key, value)| {
                        foreign::step_with(&key.text, value, keys::step_names(vocabulary))
                    });
                    let usual = "put them beside a step: `- click: Save`, and a modifier below it";
                    let help = said.unwrap_or_else(|| usual.to_owned());
                    self.fail(node, Code::Step, message, Some(help));
                }
                None
            }
            ([first, second, ..], _) => {
                self.two_steps(first, second, entries);
                None
            }
        }
    }

    /// Reports as an error, at the second, a map that names two steps: by the help the second is an option of the
    /// first, a condition, or a step of its own. `entries` are all of the map.
    fn two_steps(&mut self, first: &(Key, Node), second: &(Key, Node), entries: &[(Key, Node)]) {
        let message = format!(
            "a step does one thing; `{}` and `{}` are two",
            first.0.text, second.0.text
        );
        let is_branch = find(entries, "then").is_none();
        let option = self.with_option(&first.0, &first.1, &second.0);
        let is_answer = second.1.scalar().and_then(Scalar::boolean).is_some();
        let option = option.filter(|_| is_answer);
        let is_number = second.1.scalar().is_some_and(|it| it.number().is_some());
        let again = (second.0.text == "repeat" && is_number)
            .then(|| foreign::rounds((&first.0.text, &first.1), ("times", &second.1)))
            .flatten();
        let help = Some(if let Some(help) = option.or(again) {
            help
        } else if second.0.text == "if" && is_branch {
            "write `when: …` for the condition of one step".to_owned()
        } else if first.0.text == "if" && is_branch {
            let value = second.1.scalar().map_or("…", |value| value.text.as_str());
            let value = if value.is_empty() { "…" } else { value };
            let value = if value == "…" {
                value.to_owned()
            } else {
                foreign::yaml(value)
            };
            format!(
                "write `then: [ {}: {value} ]` in place of `{}: …`",
                second.0.text, second.0.text
            )
        } else {
            "begin the second with `- ` on a line of its own".to_owned()
        });
        self.fail_at(second.0.span.clone(), Code::Step, message, help);
        if let Some(last) = self.diagnostics.last_mut() {
            last.labels.push(Label {
                span: first.0.span.clone(),
                text: "the first".to_owned(),
            });
        }
    }

    /// Reports as an error `key` with its value `given`, which is beside the step's own and neither a step nor a
    /// modifier. The help says where it belongs: to a modifier of another name, into the step's map, to another step
    /// or the header, or, if nothing fits, it lists the modifiers.
    fn sibling_key(&mut self, step: &Key, value: &Node, key: &Key, given: &Node) {
        let vocabulary = self.project.vocabulary;
        if let Some(help) = step_forms::typed_step(step, value, key, given, vocabulary) {
            let message = "a step is written by its name, not as `type`";
            self.fail_at(step.span.clone(), Code::UnknownStep, message, Some(help));
            return;
        }
        let of_control = keys::inside_control(&step.text);
        let mut inside = of_control.to_vec();
        if let Some(tool) = vocabulary.tool(&step.text) {
            inside.extend(vocabulary.properties(&tool.schema));
            inside.extend(vocabulary.properties(&vocabulary.selector));
        }
        let belongs = inside.contains(&key.text.as_str());
        // Another tool's word for a modifier, if the step is complete without it.
        let modifier = foreign::modifier(&key.text)
            .filter(|_| !belongs || of_control.is_empty() && !value.is_missing());
        let branch = (step.text == "if").then(|| foreign::key(&key.text, &["then", "else"]));
        let rounds = || foreign::rounds((&step.text, value), (&key.text, given));
        let branch = branch.flatten();
        let branch = branch.or_else(|| rounds().filter(|_| !belongs));
        let option = || {
            self.with_option(step, value, key)
                .filter(|_| !value.is_missing())
        };
        let branch = branch.or_else(option);
        let branch =
            branch.or_else(|| sibling_advice(step, value, key, given).filter(|_| !belongs));
        let help = match (branch, modifier) {
            (Some(branch), _) => Some(branch),
            (None, Some(name)) => Some(format!("write `{name}: …`")),
            (None, None) if belongs || value.is_missing() => {
                let first = of_control.first().filter(|_| !value.is_missing());
                let first = first.map_or_else(String::new, |first| {
                    let given = value.scalar().map_or("…", |given| given.text.as_str());
                    format!("{first}: {given}, ")
                });
                Some(format!(
                    "if it belongs to `{}`, indent it deeper, or write `{}: {{ {first}{}: … }}`",
                    step.text, step.text, key.text
                ))
            }
            (None, None) if foreign::key(&key.text, &["on"]).is_some() => {
                let ours =
                    foreign::everyday(&step.text).unwrap_or_else(|| format!("{}: …", step.text));
                let ours = ours.split(':').next().unwrap_or_default();
                Some(format!(
                    "which element is meant stands in the step: write `{ours}: {{ id: … }}`"
                ))
            }
            (None, None) => {
                let help = suggest(&key.text, keys::MODIFIERS);
                let is_list = is_list(help.as_deref());
                let owner = || key_owner::owner(vocabulary, &key.text);
                is_list.then(owner).flatten().or(help)
            }
        };
        let message = format!("`{}` is not a modifier of a step", key.text);
        self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
    }

    /// Returns advice for an option of a step that stands beside it: the map with the step's value and the option,
    /// both as `…`. Returns `None` for other keys, also for those of a selector, for a value that is no scalar, and
    /// for a step without a short form.
    fn with_option(&self, step: &Key, value: &Node, key: &Key) -> Option<String> {
        let vocabulary = self.project.vocabulary;
        let (known, main) = match vocabulary.tool(&step.text) {
            Some(tool) => {
                let main = match tool.entry.writing {
                    StepSyntax::Element => "text",
                    StepSyntax::Scalar(name) | StepSyntax::Sequence(name) => name,
                    StepSyntax::Map => return None,
                };
                (vocabulary.properties(&tool.schema), main)
            }
            None if step.text == "snapshot" => {
                (vocabulary.properties(&vocabulary.snapshot), "name")
            }
            None => return None,
        };
        if !known.contains(&key.text.as_str()) || value.scalar().is_none() {
            return None;
        }
        let main = if value.is_missing() {
            String::new()
        } else {
            format!("{main}: …, ")
        };
        Some(format!(
            "write `{}: {{ {main}{}: … }}`",
            step.text, key.text
        ))
    }

    /// Reads the modifiers beside a step. Wrong values are reported and count as missing, except a wrong `message`
    /// and name; other keys are not looked at. A `timeout` of zero is an error for steps with steps inside. Whether
    /// they fit the step is not checked.
    fn modifiers(&mut self, step: &Key, entries: &[(Key, Node)]) -> Modifiers {
        let schema = keys::modifiers();
        let mut modifiers = Modifiers::default();
        for (key, node) in entries {
            // The step's own key: `retry` may be the step.
            if key.span == step.span {
                continue;
            }
            if key.text == "when" {
                modifiers.when = self.condition(node);
                continue;
            }
            let Some(schema) = schema
                .get("properties")
                .and_then(|properties| properties.get(&key.text))
            else {
                continue;
            };
            if key.text == "message" {
                let before = self.diagnostics.len();
                modifiers.message = Some(self.checked(node, schema));
                if let (NodeKind::Sequence(_), Some(wrong)) =
                    (&node.kind, self.diagnostics[before..].last_mut())
                {
                    wrong.help = Some("write one text, without brackets".to_owned());
                }
                continue;
            }
            let of_block = matches!(
                step.text.as_str(),
                "run" | "repeat" | "retry" | "if" | "group"
            );
            let limit = (of_block && key.text == "timeout").then(|| keys::limit(""));
            let Some(value) = self.literal(node, limit.as_ref().unwrap_or(schema)) else {
                continue;
            };
            let text = || value.as_str().map(str::to_owned);
            match key.text.as_str() {
                "label" => modifiers.label = text(),
                "timeout" => {
                    modifiers.timeout = text().and_then(|text| text.parse::<HumanDuration>().ok());
                }
                "optional" => modifiers.optional = value.as_bool().unwrap_or_default(),
                "soft" => modifiers.soft = value.as_bool().unwrap_or_default(),
                "as" => {
                    let name = Key {
                        text: text().unwrap_or_default(),
                        span: node.span.clone(),
                    };
                    self.check_name(&name);
                    modifiers.keep_as = Some(name.text);
                }
                _ => {
                    let count = value.as_u64().unwrap_or_default();
                    modifiers.retry = u32::try_from(count).unwrap_or(u32::MAX);
                }
            }
        }
        modifiers
    }

    /// Parses what a step does, by its key, which is that of a known step. Returns `None` after a report if nothing
    /// can be made of it; lesser errors are reported and it is returned. `modifiers` gets to know whether its text is
    /// secret.
    fn action(
        &mut self,
        key: &Key,
        value: &Node,
        entries: &[(Key, Node)],
        modifiers: &mut Modifiers,
    ) -> Option<StepAction> {
        match key.text.as_str() {
            "assert" => self
                .assert(value)
                .map(|assert| StepAction::Assert(Box::new(assert))),
            "snapshot" => self
                .snapshot(key, value)
                .map(|snapshot| StepAction::Snapshot(Box::new(snapshot))),
            "run" | "repeat" | "retry" | "if" | "group" | "set" | "pause" => self
                .control(key, value, entries)
                .map(|control| StepAction::Control(Box::new(control))),
            name => {
                let tool = self.project.vocabulary.tool(name)?;
                let arguments = self.tool_arguments(tool, key, value, modifiers)?;
                Some(StepAction::Call {
                    entry: tool.entry,
                    arguments,
                })
            }
        }
    }

    /// Parses an assertion by its keys: `that`, else `on`, else `count`, or else a selector. Comparisons and
    /// assertions of other tools are reported, and may return `None`. Keys beside `that` are reported, and it is
    /// returned. A selector with errors is returned too.
    fn assert(&mut self, node: &Node) -> Option<Assert> {
        if let NodeKind::Map(entries) = &node.kind
            && let Some((_, that)) = find(entries, "that")
        {
            for (key, _) in entries.iter().filter(|(key, _)| key.text != "that") {
                let message = format!("`{}` does not go together with `that`", key.text);
                let help = modifier_beside(&key.text);
                let help =
                    help.or_else(|| Some("`that` stands alone; use a second `assert`".to_owned()));
                self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
            }
            return self.boolean_expression(that).map(Assert::That);
        }
        if let NodeKind::Map(entries) = &node.kind
            && let Some((_, on)) = find(entries, "on")
        {
            return self.assert_on(entries, on);
        }
        if let NodeKind::Map(entries) = &node.kind
            && let Some((_, count)) = find(entries, "count")
        {
            return self.assert_count(node, entries, count);
        }
        if let NodeKind::Map(entries) = &node.kind {
            if self.foreign_assertion(entries) {
                return None;
            }
            if self.warn_of_comparison(entries) {
                return None;
            }
        }
        // The step stays: a warning must not take an assertion out of a flow.
        if let Some((message, help)) = node
            .scalar()
            .and_then(|text| compared(text, |name| self.names.has_value(name)))
        {
            self.fail(node, Code::Doubtful, message, Some(help));
        }
        Some(Assert::Element(
            self.selector(node, &["on", "that", "count"]),
        ))
    }

    /// Parses the long form of an assertion, with the selector under `on` and perhaps `count`. The first other key
    /// and a `count` that is no scalar are reported and return `None`. A wrong selector or number is reported, and it
    /// is returned.
    fn assert_on(&mut self, entries: &[(Key, Node)], on: &Node) -> Option<Assert> {
        if let Some((_, count)) = find(entries, "count")
            && self.count_is_no_scalar(count)
        {
            return None;
        }
        for (key, _) in entries {
            if !["on", "count"].contains(&key.text.as_str()) {
                let message = format!("`{}` does not stand beside `on`", key.text);
                let help = modifier_beside(&key.text);
                let help = help.or_else(|| Some(format!("write `on: {{ {}: … }}`", key.text)));
                self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
                return None;
            }
        }
        let selector = self.selector(on, &[]);
        Some(match find(entries, "count") {
            Some((_, count)) => Assert::Count {
                selector,
                count: self.count_condition(count),
            },
            None => Assert::Element(selector),
        })
    }

    /// Parses the short form of a number of elements: `count` among the keys of the selector, which must have others.
    /// No other key, and a `count` that is no scalar, are reported and return `None`.
    fn assert_count(
        &mut self,
        node: &Node,
        entries: &[(Key, Node)],
        count: &Node,
    ) -> Option<Assert> {
        let others = entries.iter().filter(|(key, _)| key.text != "count");
        let others: Vec<_> = others.cloned().collect();
        if others.is_empty() {
            let help = Some("write `assert: { id: row, count: 3 }`".to_owned());
            self.fail(node, Code::MissingKey, "nothing says what is counted", help);
            return None;
        }
        if self.count_is_no_scalar(count) {
            return None;
        }
        let selector = Node {
            span: node.span.clone(),
            kind: NodeKind::Map(others),
        };
        Some(Assert::Count {
            selector: self.selector(&selector, &[]),
            count: self.count_condition(count),
        })
    }

    /// Parses a selector, and reports errors. `also` lists other keys that may have been meant; the first unknown key
    /// is then reported with them, and the result is null. An argument is returned in any case.
    pub(crate) fn selector(&mut self, node: &Node, also: &[&str]) -> Spanned<Argument> {
        let vocabulary = self.project.vocabulary;
        let mut keys = vocabulary.properties(&vocabulary.selector);
        if let Some((key, help)) = foreign::strategy(node.entries()) {
            let message = format!("`{}` is not known here", key.text);
            self.fail_at(key.span.clone(), Code::UnknownKey, message, Some(help));
            return Spanned {
                value: Argument::Literal(Value::Null),
                span: node.span.clone(),
            };
        }
        if let NodeKind::Map(entries) = &node.kind
            && !also.is_empty()
            && let Some((key, value)) = entries
                .iter()
                .find(|(key, _)| !keys.is_empty() && !keys.contains(&key.text.as_str()))
        {
            keys.extend(also);
            self.unknown_in_step(key, value, keys);
            let name = format!("assert {}", key.text);
            let is_step = keys::step_names(vocabulary).any(|step| step == name);
            let told = is_step.then(|| format!("write `{name}: …`"));
            let told = told.or_else(|| foreign::unreadable_fact(&name));
            if let (Some(told), Some(wrong)) = (told, self.diagnostics.last_mut())
                && is_poor(wrong.help.as_deref())
            {
                wrong.help = Some(told);
            }
            return Spanned {
                value: Argument::Literal(Value::Null),
                span: node.span.clone(),
            };
        }
        self.checked(node, &vocabulary.selector)
    }

    /// Parses a condition: one `${…}` or boolean, or a map with either `visible` or `not_visible` and perhaps
    /// `timeout`. Reports anything else, and returns `None`. Faults inside the expression, the selector or the
    /// timeout are reported too, but the condition is returned, so that the rest of the flow is checked.
    pub(crate) fn condition(&mut self, node: &Node) -> Option<Condition> {
        let NodeKind::Map(entries) = &node.kind else {
            let words = node.scalar().filter(|words| {
                words.boolean().is_none() && !words.text.contains("${") && !node.is_missing()
            });
            if let Some(words) = words {
                let help = self.condition_advice(&words.text);
                self.fail(node, Code::Condition, NO_CONDITION, Some(help));
                return None;
            }
            return self.boolean_expression(node).map(Condition::Expression);
        };
        let is_timeout = |(key, _): &&(Key, Node)| key.text == "timeout";
        let timeout = entries.iter().find(is_timeout);
        let mut others = entries.iter().filter(|entry| !is_timeout(entry));
        let is_known = |key: &Key| ["visible", "not_visible"].contains(&key.text.as_str());
        let (key, value) = match (others.next(), others.next()) {
            (Some((key, value)), None) => (key, value),
            (Some((first, _)), Some((second, _))) if is_known(first) && is_known(second) => {
                let help = format!(
                    "write one `if` inside the other: `if: {{ {}: … }}`, and beside it `then: [ {{ if: {{ {}: … }}, then: […] }} ]`",
                    first.text, second.text
                );
                self.fail(node, Code::Condition, ONE_CONDITION, Some(help));
                return None;
            }
            (Some((first, _)), Some((second, _))) => {
                let (known, key) = if is_known(first) {
                    (Some(first), second)
                } else {
                    (None, first)
                };
                self.unknown_in_condition(key, known, entries);
                return None;
            }
            (None, _) => {
                let help = "write `{ visible: … }`, `{ not_visible: … }` or \"${…}\"";
                self.fail(node, Code::Condition, ONE_CONDITION, Some(help.to_owned()));
                return None;
            }
        };
        let condition = match key.text.as_str() {
            "visible" => Condition::Visible,
            "not_visible" => Condition::NotVisible,
            _ => {
                self.unknown_in_condition(key, None, entries);
                return None;
            }
        };
        if let NodeKind::Map(inside) = &value.kind
            && let Some((within, limit)) = inside
                .iter()
                .find(|(key, _)| foreign::modifier(&key.text) == Some("timeout"))
        {
            let limit = limit.scalar().map_or("…", |limit| limit.text.as_str());
            let message = format!("`{}` says nothing of an element", within.text);
            let help = format!("write it beside: `{{ {}: …, timeout: {limit} }}`", key.text);
            self.fail_at(within.span.clone(), Code::UnknownKey, message, Some(help));
            return None;
        }
        let selector = self.selector(value, &[]);
        let limit = keys::duration("How long it may take to hold.");
        let timeout = timeout
            .and_then(|(_, node)| self.literal(node, &limit))
            .and_then(|value| value.as_str()?.parse().ok());
        Some(condition(ElementCondition { selector, timeout }))
    }

    /// Reports as an error a key that no condition has. The help says that a name is compared in an expression, that
    /// a key of a selector belongs into the map of `visible` or of `not_visible`, which is `known` if it is there, or
    /// which key is near.
    fn unknown_in_condition(&mut self, key: &Key, known: Option<&Key>, entries: &[(Key, Node)]) {
        let vocabulary = self.project.vocabulary;
        let selector = vocabulary.properties(&vocabulary.selector);
        if self.names.has_value(&key.text) && !selector.contains(&key.text.as_str()) {
            let message = format!("`{}` is a name, and no part of a condition", key.text);
            let help = Some(format!("write \"${{{} == '…'}}\"", key.text));
            self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
            return;
        }
        if let Some(help) = self.selector_as_condition(entries) {
            let message = format!("`{}` is not known here", key.text);
            self.fail_at(key.span.clone(), Code::UnknownKey, message, Some(help));
            return;
        }
        if !selector.contains(&key.text.as_str()) {
            self.unknown_key(key, ["visible", "not_visible", "timeout"]);
            return;
        }
        let outer = known.map_or("visible", |known| known.text.as_str());
        let is_text = known
            .and_then(|known| find(entries, &known.text))
            .is_some_and(|(_, value)| value.scalar().is_some());
        if is_text && key.text == "text" {
            let message = format!("`{outer}` has its text already");
            let help = format!(
                "write one `if` inside the other, each with `{{ {outer}: … }}`, where both are to hold"
            );
            self.fail_at(key.span.clone(), Code::UnknownKey, message, Some(help));
            return;
        }
        let given = known.and_then(|known| find(entries, &known.text));
        let text = given
            .and_then(|(_, value)| value.scalar())
            .map(|text| format!("text: {}, ", foreign::yaml(&text.text)));
        let more = if given.is_some() && text.is_none() {
            "…, "
        } else {
            ""
        };
        let help = format!(
            "write `{outer}: {{ {}{more}{}: … }}`",
            text.unwrap_or_default(),
            key.text
        );
        let message = format!("`{}` is not known here", key.text);
        self.fail_at(key.span.clone(), Code::UnknownKey, message, Some(help));
    }

    /// Parses a text that is one expression with a boolean as its result, or a boolean. Returns it without `${}`,
    /// with its place. Other texts, kinds and a missing value are reported and return `None`; problems inside of the
    /// expression, also a result that is never a boolean, are reported, but it is returned.
    pub(crate) fn boolean_expression(&mut self, node: &Node) -> Option<Spanned<String>> {
        let Some(scalar) = node.scalar().filter(|_| !node.is_missing()) else {
            let help = match &node.kind {
                NodeKind::Sequence(_) => {
                    "write one `if` inside the other, or one expression: \"${… and …}\""
                }
                NodeKind::Map(_) => "write `assert visible: …` for an element, or \"${…}\"",
                NodeKind::Scalar(_) => "write \"${…}\"",
            };
            let message = format!("an expression is expected here, not {}", node.what());
            self.fail(node, Code::Condition, message, Some(help.to_owned()));
            return None;
        };
        if scalar.boolean().is_some() {
            return Some(Spanned {
                value: scalar.text.clone(),
                span: node.span.clone(),
            });
        }
        let text = Text {
            source: &self.source,
            span: node.span.clone(),
            text: &scalar.text,
        };
        match expression::pieces(&scalar.text).as_deref() {
            Ok([TemplatePart::Expression(range)]) => {
                let before = self.diagnostics.len();
                text.check(range, &self.names, &mut self.diagnostics);
                let wrong = text.non_boolean(range, &self.names);
                let place = text.place(range);
                if let Some((message, help)) = wrong.filter(|_| self.diagnostics.len() == before) {
                    self.fail(node, Code::Condition, message, Some(help));
                }
                Some(Spanned {
                    value: scalar.text[range.clone()].to_owned(),
                    span: place,
                })
            }
            Err(_) => {
                text.argument(&self.names, &mut self.diagnostics);
                None
            }
            Ok(_) => {
                let help = if scalar.text.contains("${") {
                    "put the whole condition inside one \"${…}\"".to_owned()
                } else {
                    self.expression_advice(&scalar.text)
                };
                self.fail(node, Code::Condition, NO_CONDITION, Some(help));
                None
            }
        }
    }
}

/// Returns advice for a key beside a step that is no modifier in other words but has its place elsewhere: values of a
/// sub-flow, arguments under `with`, the steps of a group. Returns `None` for other keys.
fn sibling_advice(step: &Key, value: &Node, key: &Key, given: &Node) -> Option<String> {
    // `with` gives a sub-flow its values in other tools.
    if step.text == "run" && foreign::key(&key.text, &["env"]).is_some() {
        let file = value.scalar().filter(|_| !value.is_missing());
        let file = file.map_or("FILE", |file| file.text.as_str());
        return Some(format!("write `run: {{ flow: {file}, env: {{ … }} }}`"));
    }
    let of_sub_flow = || run_advice::sub_flow_value(key, Some(value));
    if let Some(help) = (step.text == "run").then(of_sub_flow).flatten()
        && foreign::key(&key.text, &["beside a step"]).is_none()
    {
        return Some(help);
    }
    if let (NodeKind::Map(inside), "with" | "args" | "options" | "params") =
        (&given.kind, key.text.as_str())
    {
        let keys: Vec<String> = inside
            .iter()
            .map(|(key, _)| format!("{}: …", key.text))
            .collect();
        let keys = keys.join(", ");
        return Some(format!(
            "what a step takes stands in its own map: write `{}: {{ …, {keys} }}`",
            step.text
        ));
    }
    if step.text == "group" && key.text == "steps" {
        let help = "write `group: […]`, and `label: …` beside it for its name";
        return Some(help.to_owned());
    }
    foreign::key(&key.text, &["beside a step"])
}

/// Returns advice for steps that are written as a map in braces: a list in brackets, with `…` for values. A map with
/// a modifier, or with `then` or `else`, becomes one step, any other a step for each key. Returns `None` for an empty
/// map.
fn in_brackets(entries: &[(Key, Node)]) -> Option<String> {
    let names = entries.iter().map(|(key, _)| format!("{}: …", key.text));
    let names: Vec<String> = names.collect();
    let belongs = |key: &Key| {
        let word = key.text.as_str();
        ["then", "else"].contains(&word) || keys::MODIFIERS.contains(&word)
    };
    let is_one = entries.iter().any(|(key, _)| belongs(key));
    (!names.is_empty()).then(|| match (names.join(", "), is_one) {
        (names, true) => format!("write a list: `[ {{ {names} }} ]`"),
        (names, false) => format!("write a list: `[ {names} ]`"),
    })
}

/// Returns the first key such as `command` whose value is a step of another tool, with advice; `None` if there is
/// none, or no second entry, such as a target: a command of a shell stands alone.
fn foreign_name<'n>(
    entries: &[&'n (Key, Node)],
    vocabulary: &Vocabulary,
) -> Option<(&'n Key, String)> {
    if entries.len() < 2 {
        return None;
    }
    entries.iter().find_map(|(key, value)| {
        let name = value.scalar().filter(|_| is_label(key))?;
        let help = foreign::step(&name.text, keys::step_names(vocabulary))?;
        Some((key, help))
    })
}

/// Returns advice for a modifier in the map of a step: its place beside the step. Returns `None` for other keys.
fn modifier_beside(key: &str) -> Option<String> {
    keys::MODIFIERS
        .contains(&key)
        .then(|| keys::beside_step(key))
}

/// Returns the first word of a line of a keyword-driven tool, such as `Sleep    2s`: words with several blanks
/// between them, of which the first is a step there. Returns `None` for other texts.
fn first_word(text: &str) -> Option<&str> {
    let (word, _) = text.trim_start_matches("* ").split_once("  ")?;
    foreign::is_step(word).then_some(word)
}

/// Returns true for a key whose value is the name of a step in other tools.
fn is_label(key: &Key) -> bool {
    const LABELS: [&str; 6] = ["step", "action", "command", "keyword", "cmd", "event"];
    LABELS.contains(&key.text.to_lowercase().as_str())
}

/// Returns the first key such as `step` or `action` whose value is the name of a step here, `step: click`, and that
/// name. Returns `None` if there is none.
fn named_step<'n>(
    entries: &[&'n (Key, Node)],
    vocabulary: &'n Vocabulary,
) -> Option<(&'n Key, &'n str)> {
    entries.iter().find_map(|(key, value)| {
        let name = value.scalar().filter(|_| is_label(key))?;
        let mut steps = keys::step_names(vocabulary);
        steps
            .find(|step| *step == name.text)
            .map(|step| (key, step))
    })
}
