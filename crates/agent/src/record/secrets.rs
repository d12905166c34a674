//! Replaces secret texts by variables in a recorded flow.

use std::collections::BTreeSet;

use serde_json::Value;

use super::act::Act;
use runner_screen::Selector;
use runner_text::flow_text::escaped_text;

/// Characters from which a secret is replaced inside other texts. Chosen: a shorter one stands in too many
/// texts by chance.
const MIN_SECRET_CHARS: usize = 4;

/// Secret texts with the names of their variables.
#[derive(Default)]
pub(super) struct Secrets {
    known: Vec<(String, String)>,
}

impl Secrets {
    /// Collects the secrets of acts: typed secrets, and texts that went into a password field. Variables are
    /// named after the last part of the app's package and the field: `NOTES_PASSWORD`.
    pub(super) fn from_acts(acts: &[Act], app: Option<&str>) -> Self {
        let mut secrets = Self::default();
        let prefix = app.and_then(|app| app.rsplit('.').next()).unwrap_or("");
        for act in acts {
            match act {
                Act::Type(typing) if typing.secret => {
                    secrets.add(&typing.text, &format!("{prefix}_{}", typing.name()));
                }
                Act::Raw(raw) | Act::Pause(raw) | Act::Scroll { raw, .. } => {
                    if let Some(hidden) = &raw.hidden {
                        secrets.add(hidden, &format!("{prefix}_text"));
                    }
                }
                _ => {}
            }
        }
        secrets
    }

    fn add(&mut self, text: &str, name: &str) {
        if text.is_empty() || self.known.iter().any(|(known, _)| known == text) {
            return;
        }
        let wanted = variable(name);
        let used: BTreeSet<&str> = self.known.iter().map(|(_, name)| name.as_str()).collect();
        let mut numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let name = if used.contains(wanted.as_str()) {
            numbered.find(|name| !used.contains(name.as_str()))
        } else {
            None
        };
        let name = name.unwrap_or(wanted);
        self.known.push((text.to_owned(), name));
    }

    /// Returns the variables' names, in the order of their first use.
    pub(super) fn names(&self) -> Vec<String> {
        self.known.iter().map(|(_, name)| name.clone()).collect()
    }

    /// Returns each name with its text.
    pub(super) fn named(self) -> impl Iterator<Item = (String, String)> {
        self.known.into_iter().map(|(text, name)| (name, text))
    }

    /// Returns the variable and the expression `${os.NAME}` for a text that is a secret as a whole. `None`
    /// for one that only contains a secret.
    pub(super) fn expression(&self, text: &str) -> Option<(&str, String)> {
        let (_, name) = self.known.iter().find(|(known, _)| known == text)?;
        Some((name, format!("${{os.{name}}}")))
    }

    /// Returns a value as the flow holds it: secrets in its texts, at any depth, become expressions, and
    /// other texts are escaped so that none is one. Keys stay as they are.
    pub(super) fn to_flow_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.to_flow_value(item)).collect(),
            Value::Object(map) => map
                .iter()
                .map(|(key, value)| (key.clone(), self.to_flow_value(value)))
                .collect(),
            other => other.clone(),
        }
    }

    /// Returns a selector as the flow holds it. Its words are never cut within a secret, whose beginning
    /// would be readable.
    pub(super) fn selector(&self, on: &Selector) -> Value {
        self.to_flow_value(&on.to_value_cut(&|words, end| self.end_outside_secrets(words, end)))
    }

    /// Returns `end`, a byte index, moved behind any secret that reaches over it. Secrets of fewer than 4
    /// characters do not count.
    fn end_outside_secrets(&self, words: &str, end: usize) -> usize {
        let mut end = end;
        while let Some(further) = self.long_secrets().find_map(|(secret, _)| {
            let mut ends = words
                .match_indices(secret)
                .map(|(at, _)| at..at + secret.len());
            ends.find(|found| found.start < end && end < found.end)
        }) {
            end = further.end;
        }
        end
    }

    /// Masks the secrets in a comment or a name, which cannot hold expressions. Secrets of fewer than 4
    /// characters stay.
    pub(super) fn masked(&self, text: &str) -> String {
        self.long_secrets()
            .fold(text.to_owned(), |text, (secret, _)| {
                text.replace(secret, runner_text::secret::MASK)
            })
    }

    fn long_secrets(&self) -> impl Iterator<Item = (&str, &str)> {
        self.known
            .iter()
            .filter(|(secret, _)| secret.chars().count() >= MIN_SECRET_CHARS)
            .map(|(secret, name)| (secret.as_str(), name.as_str()))
    }

    fn text(&self, text: &str) -> String {
        if let Some((_, expression)) = self.expression(text) {
            return expression;
        }
        let Some((secret, name)) = self
            .long_secrets()
            .find(|(secret, _)| text.contains(secret))
        else {
            return escaped_text(text);
        };
        let mut written = String::new();
        for (place, part) in text.split(secret).enumerate() {
            if place > 0 {
                // A `$` before `${` would escape it.
                let plain = written.trim_end_matches('$').len();
                if plain < written.len() {
                    let dollars = written.split_off(plain);
                    written.push_str(&format!("${{'{dollars}'}}"));
                }
                written.push_str("${os.");
                written.push_str(name);
                written.push('}');
            }
            written.push_str(&self.text(part));
        }
        written
    }
}

/// Turns a name into one for an environment variable: capitals, digits, `_`. Runs of other characters become
/// one `_`, and none is at the ends. One that would begin with a digit gets a `_` before it, and one without
/// letters and digits becomes `SECRET`.
fn variable(name: &str) -> String {
    let mut variable = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            variable.push(c.to_ascii_uppercase());
        } else if !variable.is_empty() && !variable.ends_with('_') {
            variable.push('_');
        }
    }
    let variable = variable.trim_end_matches('_');
    match variable.chars().next() {
        None => "SECRET".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{variable}"),
        Some(_) => variable.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn known(pairs: &[(&str, &str)]) -> Secrets {
        let mut secrets = Secrets::default();
        for (text, name) in pairs {
            secrets.add(text, name);
        }
        secrets
    }

    #[test]
    fn each_text_has_one_variable() {
        let secrets = known(&[
            ("lovelace", "notes_password"),
            ("lovelace", "notes_again"),
            ("1234", "notes_password"),
            ("x", "..."),
            ("y", "2nd"),
        ]);
        assert_eq!(
            secrets.names(),
            ["NOTES_PASSWORD", "NOTES_PASSWORD_2", "SECRET", "_2ND"]
        );
    }

    #[test]
    fn no_value_shows_a_secret_and_no_text_is_an_expression() {
        let secrets = known(&[("lovelace", "pw"), ("x", "short")]);
        assert_eq!(
            secrets.to_flow_value(
                &json!({ "text": "lovelace", "in": ["is ${lovelace}!", "box", "x", 1] })
            ),
            json!({ "text": "${os.PW}", "in": ["is $${${os.PW}}!", "box", "${os.SHORT}", 1] })
        );
        assert_eq!(
            secrets.to_flow_value(&json!("$lovelace")),
            json!("${'$'}${os.PW}")
        );
        assert_eq!(
            secrets.to_flow_value(&json!("a $$lovelace$$$lovelace")),
            json!("a ${'$$'}${os.PW}${'$$$'}${os.PW}")
        );
        assert_eq!(secrets.masked("typed lovelace"), "typed ***");
    }
}
