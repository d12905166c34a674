//! Replaces secret texts by variables in a recorded flow.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde_json::Value;

use super::act::Act;
use runner_screen::Selector;
use runner_text::flow_text::escaped_text;

/// Characters from which a secret is replaced inside other texts. Chosen: a shorter one stands in too many
/// texts by chance.
pub(super) const MIN_SECRET_CHARS: usize = 4;

/// Secret that the project or the environment gives to a name, by which a flow reads it.
#[derive(Clone)]
pub(crate) struct GivenSecret {
    pub(crate) text: String,
    /// Expression with the name, such as `${PW}`.
    pub(crate) expression: String,
}

/// Prints the expression, never the text.
impl std::fmt::Debug for GivenSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.expression)
    }
}

/// Secret texts with their expressions.
#[derive(Default)]
pub(super) struct Secrets {
    known: Vec<KnownSecret>,
}

struct KnownSecret {
    text: String,
    /// Variable of the environment that a run must be given. `None` for a secret that is given already.
    variable: Option<String>,
    expression: String,
}

impl Secrets {
    /// Collects given secrets, which get no variable, and those of acts: typed secrets, and texts that went
    /// into a password field. Both kinds get a variable named after the last part of the app's package and the
    /// field: `NOTES_PASSWORD`. For a tool call in place of `type` the second word is `TEXT`. Blank given
    /// secrets are left out, and of equal texts the first counts.
    pub(super) fn from_acts(acts: &[Act], app: Option<&str>, given: &[GivenSecret]) -> Self {
        let mut secrets = Self::default();
        for GivenSecret { text, expression } in given {
            if !text.trim().is_empty() && secrets.is_new(text) {
                secrets.known.push(KnownSecret {
                    text: text.clone(),
                    variable: None,
                    expression: expression.clone(),
                });
            }
        }
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

    fn is_new(&self, text: &str) -> bool {
        !text.is_empty() && self.known.iter().all(|known| known.text != text)
    }

    /// Notes a secret with a variable named after `name`, with a number if that is used. A text that is empty or
    /// known changes nothing.
    fn add(&mut self, text: &str, name: &str) {
        if !self.is_new(text) {
            return;
        }
        let wanted = variable(name);
        let used: BTreeSet<&str> = self.variables().collect();
        let mut numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let name = if used.contains(wanted.as_str()) {
            numbered.find(|name| !used.contains(name.as_str()))
        } else {
            None
        };
        let name = name.unwrap_or(wanted);
        self.known.push(KnownSecret {
            text: text.to_owned(),
            expression: format!("${{os.{name}}}"),
            variable: Some(name),
        });
    }

    fn variables(&self) -> impl Iterator<Item = &str> {
        let variables = self.known.iter().map(|known| known.variable.as_deref());
        variables.flatten()
    }

    /// Returns the names of the variables that a run must be given, in the order of their first use.
    pub(super) fn names(&self) -> Vec<String> {
        self.variables().map(str::to_owned).collect()
    }

    /// Returns each of these names with its text.
    pub(super) fn named(self) -> impl Iterator<Item = (String, String)> {
        let known = self.known.into_iter();
        known.filter_map(|known| Some((known.variable?, known.text)))
    }

    /// Returns the variable that a run must be given, if any, and the expression for a text that is a secret as
    /// a whole. `None` for one that only contains a secret.
    pub(super) fn expression(&self, text: &str) -> Option<(Option<&str>, &str)> {
        let known = self.known.iter().find(|known| known.text == text)?;
        Some((known.variable.as_deref(), known.expression.as_str()))
    }

    /// Returns true if a typed text is a given secret or contains one.
    pub(super) fn has_given(&self, text: &str) -> bool {
        let long = |known: &KnownSecret| known.text.chars().count() >= MIN_SECRET_CHARS;
        let mut given = self.known.iter().filter(|known| known.variable.is_none());
        given.any(|known| known.text == text || long(known) && text.contains(&known.text))
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

    /// Returns the secrets that are replaced inside other texts, with their expressions. The longest is first, as
    /// it may contain others.
    fn long_secrets(&self) -> impl Iterator<Item = (&str, &str)> {
        let known = self.known.iter();
        let mut long: Vec<(&str, &str)> = known
            .filter(|known| known.text.chars().count() >= MIN_SECRET_CHARS)
            .map(|known| (known.text.as_str(), known.expression.as_str()))
            .collect();
        long.sort_by_key(|(secret, _)| Reverse(secret.len()));
        long.into_iter()
    }

    /// Returns a text as the flow holds it: secrets become expressions, and the rest is escaped so that nothing else is
    /// one. A secret of fewer than 4 characters counts only as the whole text.
    fn text(&self, text: &str) -> String {
        if let Some((_, expression)) = self.expression(text) {
            return expression.to_owned();
        }
        let Some((secret, expression)) = self
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
                written.push_str(expression);
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
    fn a_given_secret_is_read_by_its_name_and_needs_no_variable() {
        let given = [
            ("lovelace", "${PW}"),
            ("12", "${os.PIN}"),
            ("ada-lovelace-1", "${LONG}"),
        ];
        let given = given.map(|(text, expression)| GivenSecret {
            text: text.to_owned(),
            expression: expression.to_owned(),
        });
        let mut secrets = Secrets::from_acts(&[], None, &given);
        secrets.add("lovelace", "notes_password");
        secrets.add("other", "notes_password");
        assert_eq!(secrets.names(), ["NOTES_PASSWORD"]);
        for (text, written, has_given) in [
            ("lovelace", "${PW}", true),
            ("I am lovelace!", "I am ${PW}!", true),
            ("$lovelace", "${'$'}${PW}", true),
            ("of ada-lovelace-1", "of ${LONG}", true),
            ("12", "${os.PIN}", true),
            ("128", "128", false),
            ("other", "${os.NOTES_PASSWORD}", false),
            ("love", "love", false),
        ] {
            assert_eq!(secrets.to_flow_value(&json!(text)), json!(written));
            assert_eq!(secrets.has_given(text), has_given, "{text}");
        }
        assert_eq!(secrets.masked("typed lovelace"), "typed ***");
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
