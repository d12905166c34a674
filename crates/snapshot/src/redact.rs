//! Redactions: text that differs between runs is replaced by an alias on both sides before they are compared.

use std::borrow::Cow;
use std::collections::HashMap;

use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::golden::hash;
use super::row::Row;
use super::tsv::Table;
use runner_text::secret::Scrubber;

/// Largest size of a compiled pattern in bytes. Chosen: a tenth of the default of the `regex` crate, and more
/// than a rule needs.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// Number of texts from which a screen's texts may not all be replaced. Chosen: a screen with a clock and a
/// name may have nothing else.
const MIN_TEXTS: usize = 3;
/// The rules must leave at least one letter in this many. Chosen: `\S{2,}`, which replaces everything, leaves
/// the `a` of "Take a photo".
const MIN_LEFT: usize = 10;

/// Texts that have nothing in common. A pattern that matches all of them completely matches everything.
const UNLIKE: [&str; 5] = ["Sign in", "7", "a@b.example", "—", "日本語 (1)"];

/// Key of a golden's metadata that holds [`Redactions::hash`].
pub(super) const METADATA: &str = "redactions";

/// A column of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Column {
    /// Text.
    Text,
    /// Content description.
    Desc,
    /// Resource id.
    ResId,
    /// Hint.
    Hint,
    /// Class.
    Class,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Redaction {
    /// Columns it holds for; text, description and hint where none is named.
    #[serde(default)]
    pub columns: Vec<Column>,
    /// What is replaced: a regular expression, anywhere in the cell.
    #[schemars(length(min = 1, max = 1000), extend("format" = "regex"))]
    pub pattern: String,
    /// What stands there instead, literally. `{n}` numbers the different values of a screen in order: `uuid_{n}`.
    #[schemars(length(min = 1, max = 100))]
    pub alias: String,
}

impl Redaction {
    /// Returns true if the rule holds for a column: those it names, else text, description and hint.
    fn holds_for(&self, column: Column) -> bool {
        if self.columns.is_empty() {
            matches!(column, Column::Text | Column::Desc | Column::Hint)
        } else {
            self.columns.contains(&column)
        }
    }

    /// Compiles the pattern.
    ///
    /// # Errors
    /// The alias holds control characters. The pattern cannot be parsed or is too large, matches the empty
    /// text or nothing within a text, as `\b\d*` does, or matches everything: a rule for texts or descriptions must
    /// leave a letter or digit of at least one of five unlike samples.
    pub fn compile(&self) -> Result<Regex, RedactionError> {
        if self.alias.chars().any(char::is_control) {
            return Err(RedactionError::Alias(self.alias.clone()));
        }
        let regex = RegexBuilder::new(&self.pattern)
            .size_limit(MAX_REGEX_BYTES)
            .build()
            .map_err(|error| RedactionError::Pattern {
                pattern: self.pattern.clone(),
                why: error.to_string(),
            })?;
        // The same five samples show a pattern that matches at a place between letters, such as `\b\d*`.
        let takes_nothing =
            |text: &&str| regex.find_iter(text).any(|found| found.as_str().is_empty());
        if regex.is_match("") || UNLIKE.iter().any(takes_nothing) {
            return Err(RedactionError::Empty(self.pattern.clone()));
        }
        // Texts that all become one alias would not be compared any more. For ids and classes alone that is
        // allowed.
        let hides_words = self.holds_for(Column::Text) || self.holds_for(Column::Desc);
        let takes_whole =
            |text: &&str| !regex.replace_all(text, "").contains(char::is_alphanumeric);
        if hides_words && UNLIKE.iter().all(takes_whole) {
            return Err(RedactionError::Everything(self.pattern.clone()));
        }
        Ok(regex)
    }
}

/// Reason why a redaction cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedactionError {
    /// The pattern is invalid, or takes too much memory.
    #[error("the pattern `{pattern}` cannot be used: {why}")]
    Pattern {
        pattern: String,
        /// Message of the `regex` crate.
        why: String,
    },
    /// The pattern matches the empty text, so the alias would be everywhere.
    #[error("the pattern `{0}` matches the empty text; write `+` instead of `*`")]
    Empty(String),
    /// The pattern matches every text, so nothing would be compared.
    #[error(
        "the pattern `{0}` replaces every text, so nothing is compared; say what differs from run to run"
    )]
    Everything(String),
    /// The alias has a control character, but a golden has one row on each line.
    #[error("the alias {0:?} holds a line break or another control character")]
    Alias(String),
}

/// Compiled rules.
#[derive(Debug, Clone, Default)]
pub struct Redactions {
    rules: Vec<(Redaction, Regex)>,
    secrets: Scrubber,
}

impl Redactions {
    /// Compiles the rules.
    ///
    /// # Errors
    /// That of the first rule that cannot be used.
    pub fn new(rules: &[Redaction]) -> Result<Self, RedactionError> {
        Self::default().and(rules)
    }

    /// Adds `more` rules after the present ones. The secrets stay.
    ///
    /// # Errors
    /// That of the first rule that cannot be used.
    pub fn and(mut self, more: &[Redaction]) -> Result<Self, RedactionError> {
        for rule in more {
            self.rules.push((rule.clone(), rule.compile()?));
        }
        Ok(self)
    }

    /// Iterates over the rules in order.
    pub fn rules(&self) -> impl Iterator<Item = &Redaction> {
        self.rules.iter().map(|(rule, _)| rule)
    }

    /// Returns the rules with these secrets, which [`Self::apply`] masks before it applies the rules, since goldens are
    /// files that live long and are shared. They replace earlier secrets.
    #[must_use]
    pub fn with_secrets(mut self, secrets: Scrubber) -> Self {
        self.secrets = secrets;
        self
    }

    /// Masks secrets in the rows of a golden, then replaces text by the rules. If its metadata says that it was taken
    /// with the same rules, only the secrets are masked, since the aliases might match a rule again. The metadata
    /// stays.
    pub(super) fn apply_to_golden(&self, table: &mut Table) {
        self.take_out_secrets(&mut table.rows);
        if table.metadata.get(METADATA) != Some(&self.hash()) {
            self.replace(&mut table.rows);
        }
    }

    /// Returns true if the rules leave less than one letter in [`MIN_LEFT`] of a screen's texts and
    /// descriptions, of which at least [`MIN_TEXTS`] have letters. Masked rows, windows and hints do not
    /// count. Next to nothing of what a person reads would be compared then.
    pub(super) fn take_all_words(&self, rows: &[Row]) -> bool {
        let letters = |text: &str| text.chars().filter(|it| it.is_alphabetic()).count();
        let (mut with_words, mut before, mut after) = (0, 0, 0);
        for row in rows
            .iter()
            .filter(|row| !row.is_masked() && !row.is_window())
        {
            for (column, cell) in [(Column::Text, &row.text), (Column::Desc, &row.desc)] {
                if !cell.contains(char::is_alphabetic) {
                    continue;
                }
                with_words += 1;
                let rules = self.rules.iter().filter(|(rule, _)| rule.holds_for(column));
                let left = rules.fold(cell.clone(), |left, (_, pattern)| {
                    pattern.replace_all(&left, "").into_owned()
                });
                before += letters(cell);
                after += letters(&left);
            }
        }
        with_words >= MIN_TEXTS && after * MIN_LEFT < before
    }

    /// Masks secrets in all rows, then replaces text by the rules in order. Masked rows keep their text otherwise.
    pub fn apply(&self, rows: &mut [Row]) {
        self.take_out_secrets(rows);
        self.replace(rows);
    }

    /// Masks declared secrets, and typed values that stand as whole words, in texts, descriptions, ids and hints.
    /// Classes stay. Masked rows are no exception.
    fn take_out_secrets(&self, rows: &mut [Row]) {
        for row in &mut *rows {
            for cell in [&mut row.text, &mut row.desc, &mut row.res_id, &mut row.hint] {
                if let Cow::Owned(clean) = self.secrets.scrub_golden(cell) {
                    *cell = clean;
                }
            }
        }
    }

    /// Applies the rules one after the other to the columns for which they hold, in rows that are not masked. The
    /// class of a window's head stays. Equal values get the same number, also across rules with the same alias.
    fn replace(&self, rows: &mut [Row]) {
        // Rules with the same alias share the numbers, so that no two values have the same one.
        let mut all: HashMap<&str, AliasValues> = HashMap::new();
        for (rule, pattern) in &self.rules {
            let observed = all.entry(rule.alias.as_str()).or_default();
            for row in rows.iter_mut().filter(|row| !row.is_masked()) {
                let is_window = row.is_window();
                for (column, cell) in [
                    (Column::Text, &mut row.text),
                    (Column::Desc, &mut row.desc),
                    (Column::ResId, &mut row.res_id),
                    (Column::Hint, &mut row.hint),
                    (Column::Class, &mut row.class),
                ] {
                    // The class of a window's head stays, because it marks the row as one.
                    let fixed = is_window && column == Column::Class;
                    if rule.holds_for(column) && !fixed {
                        replace(pattern, &rule.alias, cell, observed);
                    }
                }
            }
        }
    }

    /// Returns a hash of the rules in their order, for the metadata; `none` without rules. Secrets do not count.
    pub fn hash(&self) -> String {
        if self.rules.is_empty() {
            return "none".to_owned();
        }
        let rules: Vec<&Redaction> = self.rules.iter().map(|(rule, _)| rule).collect();
        hash(format!("{rules:?}").as_bytes())
    }
}

/// Numbers of the values that an alias stands for.
type AliasValues = HashMap<String, usize>;

/// Replaces all matches in a cell by the alias; `{n}` in it becomes the number of the value, from 1 in order of
/// appearance. The alias is literal otherwise. `observed` holds the values so far, and gets the new ones.
fn replace(pattern: &Regex, alias: &str, cell: &mut String, observed: &mut AliasValues) {
    // Most cells match nothing and need no copy.
    if !pattern.is_match(cell) {
        return;
    }
    *cell = pattern
        .replace_all(cell, |found: &regex::Captures<'_>| {
            let next = observed.len() + 1;
            let number = observed.entry(found[0].to_owned()).or_insert(next);
            alias.replace("{n}", &number.to_string())
        })
        .into_owned();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(rules: &[(&str, &str, &[Column])], rows: &[&str]) -> Vec<String> {
        let rules: Vec<_> = rules
            .iter()
            .map(|(pattern, alias, columns)| Redaction {
                columns: columns.to_vec(),
                pattern: (*pattern).to_owned(),
                alias: (*alias).to_owned(),
            })
            .collect();
        let mut rows: Vec<_> = rows
            .iter()
            .map(|text| Row {
                text: (*text).to_owned(),
                ..Row::default()
            })
            .collect();
        Redactions::new(&rules).unwrap().apply(&mut rows);
        rows.into_iter().map(|row| row.text).collect()
    }

    #[test]
    fn an_alias_is_literal_and_may_number_values() {
        assert_eq!(
            texts(&[(r"\d+:\d+", "[time]", &[])], &["at 9:41", "no"]),
            ["at [time]", "no"]
        );
        assert_eq!(
            texts(&[("[a-f]{4}", "id_{n}", &[])], &["abcd", "ffff abcd"]),
            ["id_1", "id_2 id_1"]
        );
        assert_eq!(texts(&[("(x)", "$1$0", &[])], &["x"]), ["$1$0"]);
        assert_eq!(texts(&[("x", "y", &[Column::Desc])], &["x"]), ["x"]);
    }

    #[test]
    fn patterns_that_take_every_word_are_refused_at_once_or_where_they_do() {
        let rule = |pattern: &str| Redaction {
            columns: Vec::new(),
            pattern: pattern.to_owned(),
            alias: "[x]".to_owned(),
        };
        for pattern in [
            r"\w+",
            r"\S+",
            ".+",
            r"(?s).+",
            r"[^ ]+",
            r"[\p{L}\p{N}]+",
            r"\b.+?\b",
        ] {
            let refused = rule(pattern).compile();
            assert!(
                matches!(refused, Err(RedactionError::Everything(_))),
                "{pattern}"
            );
        }
        let row = |text: &str, desc: &str| Row {
            text: text.to_owned(),
            desc: desc.to_owned(),
            ..Row::default()
        };
        let screen = [
            row("Sign in", ""),
            row("", "Ada's picture"),
            row("3 letters", ""),
        ];
        let take_all = |patterns: &[&str], rows: &[Row]| {
            let rules: Vec<Redaction> = patterns.iter().map(|it| rule(it)).collect();
            Redactions::new(&rules).unwrap().take_all_words(rows)
        };
        for patterns in [
            &[r"\p{L}+"][..],
            &["[a-z]+", "[A-Z]+"],
            &["[A-Za-z']+"],
            // These patterns leave the `s` of "Ada's", or two capital letters.
            &[r"\w{2,}"],
            &["[a-z]+"],
        ] {
            assert!(take_all(patterns, &screen), "{patterns:?}");
            // A clock and a name may be all texts of a screen.
            assert!(!take_all(patterns, &screen[..2]), "{patterns:?}");
        }
        for patterns in [&[r"\d+"][..], &["[aeiou]"], &["Sign in", "letters"], &[]] {
            assert!(!take_all(patterns, &screen), "{patterns:?}");
        }
    }

    #[test]
    fn the_same_value_has_the_same_number_in_all_columns() {
        let rules = [Redaction {
            columns: vec![Column::Text, Column::ResId, Column::Class],
            pattern: "[0-9a-f]{8}".to_owned(),
            alias: "uuid_{n}".to_owned(),
        }];
        let redactions = Redactions::new(&rules).unwrap();
        let mut rows = vec![
            Row::window("APPLICATION", "app.deadbeef"),
            Row {
                class: "View00000000".into(),
                text: "12345678".into(),
                desc: "deadbeef".into(),
                res_id: "id/deadbeef".into(),
                ..Row::default()
            },
            Row {
                text: "12345678".into(),
                ..Row::default()
            },
        ];
        rows[2].mask();
        redactions.apply(&mut rows);
        assert_eq!(rows[0].text, "app.uuid_1");
        assert_eq!(rows[0].class, "window:APPLICATION");
        assert_eq!(rows[1].text, "uuid_2");
        assert_eq!(rows[1].desc, "deadbeef", "not asked for");
        assert_eq!(rows[1].res_id, "id/uuid_1");
        assert_eq!(rows[1].class, "Viewuuid_3");
        assert!(rows[2].is_masked() && rows[2].text == "[masked]");
        let once = rows.clone();
        redactions.apply(&mut rows);
        assert_eq!(rows, once, "what a golden holds stays as it is");
    }

    #[test]
    fn rules_with_the_same_alias_count_together() {
        let rules: &[(&str, &str, &[Column])] =
            &[("[0-9]{4}", "id_{n}", &[]), ("[a-f]{4}", "id_{n}", &[])];
        assert_eq!(
            texts(rules, &["abcd 1234", "5678 abcd"]),
            ["id_3 id_1", "id_2 id_3"]
        );
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        let rule = |pattern: &str, alias: &str| Redaction {
            columns: Vec::new(),
            pattern: pattern.to_owned(),
            alias: alias.to_owned(),
        };
        for (bad, word) in [
            (rule("(", "x"), "cannot be used"),
            (rule("a*", "x"), "matches the empty text"),
            (rule(r"\b\d*", "x"), "matches the empty text"),
            (rule(r"\b[0-9a-f]*\b", "x"), "matches the empty text"),
            (rule(r"\w{1000}{1000}", "x"), "cannot be used"),
            (rule("a", "x\ty"), "control character"),
        ] {
            let error = Redactions::new(&[bad]).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    proptest! {
        /// The values themselves must not matter, only which of them are equal.
        #[test]
        fn values_that_are_renamed_one_to_one_are_redacted_alike(
            cells in prop::collection::vec("([0-4]{2,3}|[a-e]{2,3}| |x){0,5}", 0..12),
        ) {
            let rules: &[(&str, &str, &[Column])] =
                &[("[0-9]{2,}", "#{n}", &[]), ("[a-j]{2,}", "~{n}", &[]), ("x ", "#{n}", &[])];
            let renamed: Vec<String> = cells.iter().map(|cell| {
                cell.chars().map(|c| match c {
                    '0'..='4' => char::from(b'9' - (c as u8 - b'0')),
                    'a'..='e' => char::from(b'j' - (c as u8 - b'a')),
                    other => other,
                }).collect()
            }).collect();
            let of = |cells: &[String]| {
                texts(rules, &cells.iter().map(String::as_str).collect::<Vec<_>>())
            };
            let found = of(&cells);
            prop_assert_eq!(&found, &of(&renamed));
            for (one, other) in cells.iter().zip(&found).flat_map(|one| cells.iter().zip(&found).map(move |other| (one, other))) {
                prop_assert_eq!(one.0 == other.0, one.1 == other.1, "{:?} {:?}", one, other);
            }
        }
    }
}
