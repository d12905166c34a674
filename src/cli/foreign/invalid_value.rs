//! Value that an option refused.

use runner_text::suggest::nearest;

pub(super) struct InvalidValue<'a> {
    /// The option as clap shows it: `--retries <N>`, `--trace[=<MODE>]`, or an argument, `<SHELL>`.
    pub option: &'a str,
    /// Empty if there was none.
    pub value: &'a str,
    /// Values that the option has; empty if it has others too.
    pub known: &'a [String],
    /// Message of the option's parser.
    pub reason: &'a str,
}

impl InvalidValue<'_> {
    /// Returns true if the value may be a slip of a known one, or a part of it: only then clap's own suggestion is
    /// more than a word that shares some letters.
    pub(super) fn is_slip(&self) -> bool {
        let is_part = |it: &String| self.value.len() > 2 && it.contains(self.value);
        nearest(self.value, self.known.iter().map(String::as_str)).is_some()
            || self.known.iter().any(is_part)
    }

    /// Returns what is told of a `KEY=VALUE` that does not read: its name, if it begins with the name of a
    /// variable, and `…` for the value, which may be a secret. `None` for another option's value and for an empty
    /// one.
    pub(super) fn shown_pair(&self) -> Option<String> {
        if !self.option.ends_with("<KEY=VALUE>") || self.value.is_empty() {
            return None;
        }
        let is_end = |c: char| "=:".contains(c) || c.is_whitespace();
        let name = self.value.split_once(is_end).map(|(name, _)| name);
        let name = name.filter(|name| {
            let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
            !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(is_letter)
        });
        Some(format!("{}…", name.unwrap_or_default()))
    }

    /// Returns the name of the option, or the argument, without its placeholder.
    pub(super) fn name(&self) -> &str {
        let name = self.option.split([' ', '=']).next().unwrap_or_default();
        name.strip_suffix('[').unwrap_or(name)
    }

    pub(super) fn has(&self, value: &str) -> bool {
        self.known.iter().any(|it| it == value)
    }
}
