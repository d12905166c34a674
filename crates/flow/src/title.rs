//! A step on one line, for reports.

use super::ast::{Argument, Spanned};
use super::expression::{self, TemplatePart};
use super::interpolate::{self, Scope};
use super::yaml::{Kind, Node};
use runner_text::secret::Excerpt;

/// Longest title that is shown, in characters.
const LONGEST: usize = 120;

/// `click: Sign in`; of a secret step no text is shown but what locates the element.
pub(crate) fn of(name: &str, value: &Node, secret: bool) -> String {
    let mut title = name.to_owned();
    if !value.is_missing() {
        title.push_str(": ");
        write(&mut title, value, secret);
    }
    cut(title)
}

/// No longer than titles are.
pub fn cut(title: String) -> String {
    if title.chars().count() <= LONGEST {
        return title;
    }
    Excerpt::new(&title, LONGEST - 1).to_string()
}

/// A title with what its expressions come to, however long. `None` where it has none, where one cannot be evaluated, and
/// where one reads the environment: what is in it may be a secret that nobody has named yet.
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
    let resolved = interpolate::resolve(&title, scope).ok()?;
    Some(resolved.as_str()?.replace(['\n', '\r'], " "))
}

fn write(title: &mut String, node: &Node, secret: bool) {
    match &node.kind {
        Kind::Scalar(scalar) => title.push_str(&scalar.text.replace(['\n', '\r'], " ")),
        Kind::Sequence(items) => {
            title.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    title.push_str(", ");
                }
                write(title, item, secret);
            }
            title.push(']');
        }
        Kind::Map(entries) => {
            // A step inside a group says itself that it is secret.
            let secret = secret || entries.iter().any(|(key, _)| key.text == "secret");
            title.push_str("{ ");
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    title.push_str(", ");
                }
                title.push_str(&key.text);
                title.push_str(": ");
                // An expression is shown as written where it holds no text of its own: it names the secret.
                let plain = value.scalar().is_some_and(|scalar| {
                    let pieces = expression::pieces(&scalar.text);
                    !matches!(pieces.as_deref(), Ok([TemplatePart::Expression(_)]))
                        || scalar.text.contains(['"', '\''])
                });
                if secret && key.text == "text" && plain {
                    title.push_str("***");
                } else {
                    // Which field it goes into is not a secret.
                    write(title, value, secret && key.text != "into");
                }
            }
            title.push_str(" }");
        }
    }
}
