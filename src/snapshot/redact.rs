//! Redactions: what differs from run to run in a text is replaced by an alias, on both sides, before comparing.

use std::borrow::Cow;

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::golden::hash;
use super::row::Row;
use crate::secret::Scrubber;

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
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Redaction {
    /// Columns it holds for; all of them where none is named.
    #[serde(default)]
    pub columns: Vec<Column>,
    /// What is replaced: a regular expression, anywhere in the cell.
    pub pattern: String,
    /// What stands there instead, literally. `{n}` numbers the different values of a screen in order: `uuid_{n}`.
    pub alias: String,
}

/// All rules, ready for use.
#[derive(Debug, Clone, Default)]
pub struct Redactions {
    rules: Vec<(Redaction, Regex)>,
    secrets: Scrubber,
}

impl Redactions {
    /// Reads the patterns.
    ///
    /// # Errors
    /// Of the first pattern that is no regular expression.
    pub fn new(rules: &[Redaction]) -> Result<Self, regex::Error> {
        let rules = rules
            .iter()
            .map(|rule| Ok((rule.clone(), Regex::new(&rule.pattern)?)))
            .collect::<Result<_, regex::Error>>()?;
        Ok(Self {
            rules,
            secrets: Scrubber::default(),
        })
    }

    /// Also takes out these secrets: goldens are files, which live long and are shared.
    #[must_use]
    pub fn with_secrets(mut self, secrets: Scrubber) -> Self {
        self.secrets = secrets;
        self
    }

    /// Replaces in all rows.
    pub fn apply(&self, rows: &mut [Row]) {
        for row in &mut *rows {
            for cell in [&mut row.text, &mut row.desc, &mut row.res_id, &mut row.hint] {
                if let Cow::Owned(clean) = self.secrets.scrub(cell) {
                    *cell = clean;
                }
            }
        }
        for (rule, pattern) in &self.rules {
            let mut seen: Vec<String> = Vec::new();
            for row in &mut *rows {
                for (column, cell) in [
                    (Column::Text, &mut row.text),
                    (Column::Desc, &mut row.desc),
                    (Column::ResId, &mut row.res_id),
                    (Column::Hint, &mut row.hint),
                ] {
                    if rule.columns.is_empty() || rule.columns.contains(&column) {
                        replace(pattern, &rule.alias, cell, &mut seen);
                    }
                }
            }
        }
    }

    /// A hash of the rules, for the metadata; empty where there is none.
    pub fn hash(&self) -> String {
        if self.rules.is_empty() {
            return "none".to_owned();
        }
        let rules: Vec<&Redaction> = self.rules.iter().map(|(rule, _)| rule).collect();
        hash(format!("{rules:?}").as_bytes())
    }
}

fn replace(pattern: &Regex, alias: &str, cell: &mut String, seen: &mut Vec<String>) {
    if !pattern.is_match(cell) {
        return;
    }
    *cell = pattern
        .replace_all(cell, |found: &regex::Captures<'_>| {
            let number = seen
                .iter()
                .position(|value| *value == found[0])
                .unwrap_or_else(|| {
                    seen.push(found[0].to_owned());
                    seen.len() - 1
                });
            alias.replace("{n}", &(number + 1).to_string())
        })
        .into_owned();
}

#[cfg(test)]
mod tests {
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
}
