//! Finds the key that names a step, and says what is wrong with a step that has none or several.

use crate::key_owner;
use crate::reader::{Reader, find};
use crate::report::nearest;
use crate::vocabulary::Vocabulary;
use crate::yaml::{Key, Node, Scalar};
use crate::{foreign, keys};
use runner_text::diagnostic::{Code, Label};

impl Reader<'_> {
    /// Returns the one entry whose key names the step. Modifiers do not count, and `retry` is the step only if there
    /// is no other key but modifiers. Reports other keys, except `then` and `else` beside `if`; two steps, an unknown
    /// step and no step are reported and return `None`.
    pub(super) fn step_key<'n>(
        &mut self,
        node: &Node,
        entries: &'n [(Key, Node)],
    ) -> Option<&'n (Key, Node)> {
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

    /// Reports as an error that there is no step `word`, with the best help: its equivalent with value and keys
    /// beside it, the nearest name, or else how a step looks. The caller decides that there is none. `value` is
    /// `None` for a word alone; `beside` are the other keys of its map that are no modifiers.
    pub(super) fn unknown_step(
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
                .or_else(|| foreign::with_filler(word, value, &names))
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

/// Returns true for a key whose value is the name of a step in other tools.
fn is_label(key: &Key) -> bool {
    const LABELS: [&str; 6] = ["step", "action", "command", "keyword", "cmd", "event"];
    LABELS.contains(&key.text.to_lowercase().as_str())
}
