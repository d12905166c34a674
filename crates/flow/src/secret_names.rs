//! Names that are secret, and the masking of all their values.

mod json_numbers;

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use super::ast::{Control, Flow, Step, StepAction};
use super::interpolate::is_well_formed;
use super::maestro::MaestroCommand;
use json_numbers::other_numbers;
use runner_text::diagnostic::Source;
use runner_text::secret::{MIN_PART, Scrubber, SecretParts};

/// Secrets that an expression reads.
#[derive(Debug, Default)]
pub(crate) struct SecretReads {
    /// True if the whole value of a secret name is among them.
    pub(crate) has_name: bool,
    /// Parts of secrets in other values, in lower case.
    parts: SecretParts,
}

impl SecretReads {
    pub(crate) fn is_some(&self) -> bool {
        self.has_name || !self.parts.is_empty()
    }

    /// Returns true if a computed text may contain a part of a secret: always once the value of a secret name
    /// or a short secret was read. In another value with a secret in one place, such as an address with a key,
    /// all other parts are ordinary words.
    fn may_be_in(&self, text: &str) -> bool {
        self.has_name || self.parts.stand_in(&text.to_lowercase())
    }
}

/// Names whose values are secret, and the scrubber that masks these.
#[derive(Debug, Clone, Default)]
pub(crate) struct SecretNames {
    names: BTreeSet<String>,
    scrubber: Scrubber,
}

impl SecretNames {
    /// Creates an empty list of names, whose values go to this scrubber.
    pub(crate) fn new(scrubber: Scrubber) -> Self {
        Self {
            names: BTreeSet::new(),
            scrubber,
        }
    }

    pub(crate) fn add(&mut self, names: impl IntoIterator<Item = String>) {
        self.names.extend(names);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Adds the secrets known to the scrubber that the texts of a value contain to `read`. Short secrets are only
    /// found as a whole value, and then count as a secret name. Numbers are searched as texts, keys of maps are not.
    /// Masks nothing.
    pub(crate) fn collect_from(&self, value: &Value, read: &mut SecretReads) {
        for text in texts(value) {
            let places = self.scrubber.find(&text);
            // A short secret is masked only as a whole value.
            read.has_name |= places.is_empty() && self.scrubber.scrub(&text) != text;
            for part in places.into_iter().filter_map(|place| text.get(place)) {
                read.parts.add(&part.to_lowercase());
            }
        }
    }

    /// Masks from now on the texts of a value that was computed from the secrets in `read`, keys of maps included.
    /// Skips texts of less than `MIN_PART` characters, which would be masked in ordinary words too, those that can
    /// hold none of these secrets, and numbers. The value itself is not changed.
    pub(crate) fn hide_computed(&self, value: &Value, read: &SecretReads) {
        let hide = |text: &str| {
            if text.chars().count() >= MIN_PART && read.may_be_in(text) {
                self.scrubber.add(text);
            }
        };
        match value {
            Value::String(text) => hide(text),
            Value::Array(items) => items.iter().for_each(|item| self.hide_computed(item, read)),
            Value::Object(map) => {
                for (key, item) in map {
                    hide(key);
                    self.hide_computed(item, read);
                }
            }
            Value::Number(_) | Value::Null | Value::Bool(_) => {}
        }
    }

    /// Masks a text from now on if `name` is a secret name; does nothing else.
    pub(crate) fn hide(&self, name: &str, text: &str) {
        if self.names.contains(name) {
            self.scrubber.add(text);
        }
    }

    /// Masks from now on the strings and numbers of a value, at any depth, if `name` is a secret name; does nothing
    /// else. Keys of maps are not masked. Numbers in a string of JSON are masked as they stand there.
    pub(crate) fn hide_value(&self, name: &str, value: &Value) {
        if self.names.contains(name) {
            for text in texts(value) {
                self.scrubber.add(&text);
                for number in other_numbers(&text) {
                    self.scrubber.add(number);
                }
            }
        }
    }
}

/// Returns the texts of a value to mask: its strings and its numbers, at any depth, without keys of maps. A
/// boolean reveals nothing, and would be masked everywhere.
pub fn texts(value: &Value) -> Vec<Cow<'_, str>> {
    match value {
        Value::String(text) => vec![text.into()],
        Value::Number(number) => vec![number.to_string().into()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(map) => map.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) => Vec::new(),
    }
}

/// Returns true if a flow or one of its sub-flows gives the name a value, in `env`, a table, a step (`set`, `as`) or
/// a run, or reads it in an expression, also in a cell of its table. Looks at texts and parsed steps, and reads no
/// files.
pub fn mentions(flow: &Flow, name: &str) -> bool {
    let is_given = flow.env.contains_key(name)
        || flow
            .maestro()
            .is_some_and(|header| header.env.iter().any(|(given, _)| given == name))
        || flow
            .cases
            .iter()
            .filter_map(|case| case.row.as_ref())
            .any(|row| row.value(name).is_some());
    let is_read = |source: &Source| reads(&source.text, name);
    is_given
        || is_read(&flow.source)
        || flow.table.as_deref().is_some_and(is_read)
        || mentions_in(flow.step_lists(), name)
}

/// Returns true if a step in these lists, or one inside or in a sub-flow, gives the name a value (`set`, `as`,
/// `env`), or a sub-flow mentions it. Expressions of these lists themselves do not count.
fn mentions_in<'a>(lists: impl IntoIterator<Item = &'a [Step]>, name: &str) -> bool {
    let mut steps = lists.into_iter().flatten();
    steps.any(|step| {
        let is_given = step.modifiers.keep_as.as_deref() == Some(name)
            || match &step.action {
                StepAction::Control(control) => match &**control {
                    Control::Set { values } => values.contains_key(name),
                    Control::Run { env, .. } => env.contains_key(name),
                    _ => false,
                },
                StepAction::Maestro(command) => match &**command {
                    MaestroCommand::RunFlow { env, .. }
                    | MaestroCommand::Retry { env, .. }
                    | MaestroCommand::RunScript { env, .. } => {
                        env.iter().any(|(given, _)| given == name)
                    }
                    _ => false,
                },
                _ => false,
            };
        is_given
            || step
                .action
                .sub_flow()
                .is_some_and(|flow| mentions(flow, name))
            || mentions_in(step.action.lists(), name)
    })
}

/// Returns true if an expression in a text of YAML reads the name: `${NAME}`, `${os.NAME}` or `${os['NAME']}`. A
/// field of another value, a filter and a comment line do not count. Does not parse the expressions. False for a name
/// that is not well formed.
pub fn reads(text: &str, name: &str) -> bool {
    is_well_formed(name)
        && text.match_indices(name).any(|(at, _)| {
            let (before, behind) = (&text[..at], &text[at + name.len()..]);
            let line = before.rfind('\n').map_or(before, |end| &before[end + 1..]);
            let is_comment = line.trim_start().starts_with('#');
            let is_word = !before.ends_with(is_part) && !behind.starts_with(is_part);
            let opened = before.rfind("${");
            let is_within = opened.is_some_and(|opened| !is_closed(&before[opened + 2..]));
            !is_comment && is_word && is_within && is_variable(before.trim_end())
        })
}

/// Returns true if the expression that begins here is over before the end of the text: at a `}` that closes no bracket
/// and is in no string. Quotes may have a backslash before them, as in quotes of YAML.
fn is_closed(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut string = None;
    let mut before = ' ';
    for sign in text.chars() {
        let quote = (sign, before == '\\');
        match (string, sign) {
            (Some(begin), _) => string = Some(begin).filter(|begin| *begin != quote),
            (None, '\'' | '"') => string = Some(quote),
            (None, '{') => depth += 1,
            (None, '}') if depth == 0 => return true,
            (None, '}') => depth -= 1,
            (None, _) => {}
        }
        before = sign;
    }
    false
}

/// Returns true if a name after this text of an expression is a variable or one of `os`, and no field, key or filter.
/// The text has no blanks at its end, and may begin before the expression.
fn is_variable(before: &str) -> bool {
    let of_os = |text: &str| {
        let text = text.trim_end();
        text.strip_suffix("os")
            .is_some_and(|rest| !rest.ends_with(|it: char| is_part(it) || it == '.'))
    };
    if let Some(owner) = before.strip_suffix('.') {
        return of_os(owner);
    }
    if let Some(quoted) = before.strip_suffix(['\'', '"']) {
        let quoted = quoted.strip_suffix('\\').unwrap_or(quoted);
        return quoted.trim_end().strip_suffix('[').is_some_and(of_os);
    }
    !before.ends_with('|')
}

fn is_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// Returns the plain name of a secret that is declared in the form in which it is read, or with its value: `NAME` for
/// `os.NAME`, `${NAME}`, `NAME=value` or `NAME: value`. Returns `None` for a name that is plain already or cannot be
/// made so.
pub fn bare_name(name: &str) -> Option<&str> {
    let bare = name.trim_start_matches("${").trim_end_matches('}').trim();
    let bare = bare.strip_prefix("os.").unwrap_or(bare);
    let bare = if is_well_formed(bare) {
        bare
    } else {
        declared_name(bare)
    };
    (bare != name && is_well_formed(bare)).then_some(bare)
}

/// Returns the name in a declared secret, which may be shown: the text before `=`, `:` or a space. What
/// follows may be the secret itself.
pub fn declared_name(declared: &str) -> &str {
    declared.split(['=', ':', ' ']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_written_as_it_is_read_has_a_better_one() {
        for (name, bare) in [
            ("os.PIN", Some("PIN")),
            ("${PIN}", Some("PIN")),
            ("${os.PIN}", Some("PIN")),
            ("${ PIN }", Some("PIN")),
            ("PIN=1234", Some("PIN")),
            ("os.PIN: 1234", Some("PIN")),
            ("PIN", None),
            ("user.PIN", None),
            ("a-b=1234", None),
        ] {
            assert_eq!(bare_name(name), bare, "{name}");
        }
    }

    #[test]
    fn a_name_may_be_read_in_a_table() {
        let project = crate::tests::Project::new();
        project.file("rows.csv", "user,password\nada,${os.PIN}\n");
        let flow = |secret: &str| {
            let text = format!("each: rows.csv\nsecrets: [ {secret} ]\nsteps: [ back ]\n");
            project.file("flow.yaml", text).read("flow.yaml")
        };
        let (read, found) = flow("PIN");
        assert!(read.is_some() && found.is_empty(), "{found:?}");
        assert!(flow("PINN").0.is_none());
    }

    #[test]
    fn a_name_is_read_where_it_is_a_word_in_an_expression() {
        for text in [
            "${PIN}",
            "a ${ os.PIN } b",
            "${'x' ~ PIN}",
            "${A} ${PIN | upper}",
            "${os['PIN']}",
            "\"${os[\\\"PIN\\\"]}\"",
            "${attr(os, PIN)}",
            "${'}' ~ PIN}",
            "${ {'a': 1} | length ~ PIN}",
            "\"${os[\\\"A}\\\"] ~ PIN}\"",
        ] {
            assert!(reads(text, "PIN"), "{text}");
        }
        for text in [
            "PIN",
            "${PIN_2}",
            "${MY_PIN}",
            "${A} PIN",
            "secrets: [PIN] # ${A}",
            "$PIN",
            "${user.PIN}",
            "${user.os.PIN}",
            "${A | PIN}",
            "${'PIN'}",
            "${'}'} PIN",
            "${'it\\'s'} PIN",
            "\"${os[\\\"A\\\"]} PIN\"",
            "'${os[''A'']} PIN'",
            "  # reads ${os.PIN}",
        ] {
            assert!(!reads(text, "PIN"), "{text}");
        }
    }
}
