//! Titles of steps: one line for reports.

use super::ast::{Argument, Spanned};
use super::expression::{self, TemplatePart};
use super::interpolate::Scope;
use super::interpolate::resolve::resolve;
use super::yaml::{Node, NodeKind};
use runner_text::secret::Excerpt;

/// Maximum characters of a title. Chosen: one line of a wide terminal.
const MAX_TITLE_CHARS: usize = 120;

/// Builds a title in one line, such as `click: Sign in`; a step without a value has only its name. Expressions stay as
/// written. In the title of a secret step literal texts under `text` are `***`, except those that locate its element.
/// Above 120 characters it is marked to be cut, as by [`cut`].
pub(crate) fn for_step(name: &str, value: &Node, secret: bool) -> String {
    let mut title = name.to_owned();
    if !value.is_missing() {
        title.push_str(": ");
        write(&mut title, value, secret);
    }
    cut(title)
}

/// Marks a title above 120 characters to be cut to 120, the last of them `…`; returns a shorter one as it is. The part
/// behind stays in the text, between marks, until a scrubber has searched it for secrets.
pub fn cut(title: String) -> String {
    if title.chars().count() <= MAX_TITLE_CHARS {
        return title;
    }
    Excerpt::new(&title, MAX_TITLE_CHARS - 1).to_string()
}

/// Replaces the expressions in a title by their values, without a limit of its length; line ends become blanks.
/// Returns `None` if it has none, if one cannot be evaluated, or if one reads the environment, whose values may be
/// undeclared secrets. Declared secrets are not masked: the caller does so.
pub fn resolved(title: &str, scope: &Scope) -> Option<String> {
    if !expression::mentions_expression(title) {
        return None;
    }
    for piece in expression::pieces(title).ok()? {
        if let TemplatePart::Expression(range) = piece {
            let names = expression::names(&expression::parse(&title[range]).ok()?);
            if names.iter().any(|name| expression::reads_environment(name)) {
                return None;
            }
        }
    }
    let title = Spanned {
        value: Argument::Template(title.to_owned()),
        span: 0..0,
    };
    let resolved = resolve(&title, scope).ok()?;
    Some(resolved.as_str()?.replace(['\n', '\r'], " "))
}

/// Appends a value in one line, whatever its length; lists and maps in brackets. In a secret map, given by `secret`
/// or a key `secret` of its own, literal texts under `text` become `***`; those under `into` do not.
fn write(title: &mut String, node: &Node, secret: bool) {
    match &node.kind {
        NodeKind::Scalar(scalar) => title.push_str(&scalar.text.replace(['\n', '\r'], " ")),
        NodeKind::Sequence(items) => {
            title.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    title.push_str(", ");
                }
                write(title, item, secret);
            }
            title.push(']');
        }
        NodeKind::Map(entries) => {
            // Each step inside of a group has its own `secret`.
            let secret = secret || entries.iter().any(|(key, _)| key.text == "secret");
            title.push_str("{ ");
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    title.push_str(", ");
                }
                title.push_str(&key.text);
                title.push_str(": ");
                // An expression without literal text is shown as written, because it only names the secret.
                let plain = value.scalar().is_some_and(|scalar| {
                    let pieces = expression::pieces(&scalar.text);
                    !matches!(pieces.as_deref(), Ok([TemplatePart::Expression(_)]))
                        || scalar.text.contains(['"', '\''])
                });
                if secret && key.text == "text" && plain {
                    title.push_str("***");
                } else {
                    // The target field is not a secret.
                    write(title, value, secret && key.text != "into");
                }
            }
            title.push_str(" }");
        }
    }
}
