//! Parses a step that is a text: a word alone, or one that lacks its colon.

use indexmap::IndexMap;

use crate::assertion_words::asserted;
use crate::ast::{Argument, Control, Spanned, StepAction};
use crate::reader::Reader;
use crate::step_warnings;
use crate::step_words::scrolled;
use crate::yaml::{Node, NodeKind, Scalar};
use crate::{foreign, keys};
use runner_text::diagnostic::Code;

impl Reader<'_> {
    /// Parses a step that is a word alone: `pause`, or a tool that needs no value. Anything else, also no word, is
    /// reported, with help by what it begins with, and returns `None`.
    pub(super) fn bare_word(&mut self, node: &Node, word: &str) -> Option<StepAction> {
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
        let value = value.trim_start_matches([';', ',', ' ']);
        let text = node.scalar().map_or("", |scalar| scalar.text.as_str());
        // JSON has brackets around its steps, and needs the quotes.
        let before = self.source.text.get(..node.span.start);
        let is_item = before.is_some_and(|before| before.trim_end().ends_with('-'));
        let is_quoted = is_item && written.starts_with(['"', '\'']);
        if is_quoted && text.starts_with(&format!("{name}: ")) {
            let message = format!("the quotes make a text of the whole step `{name}`");
            return (
                message,
                format!("leave out the quotes around it: write `- {text}`"),
            );
        }
        let message = format!("`{name}` needs a colon, a space and its value");
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
}

/// Returns the first word of a line of a keyword-driven tool, such as `Sleep    2s`: words with several blanks
/// between them, of which the first is a step there. Returns `None` for other texts.
fn first_word(text: &str) -> Option<&str> {
    let (word, _) = text.trim_start_matches("* ").split_once("  ")?;
    foreign::is_step(word).then_some(word)
}
