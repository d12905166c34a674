//! `impact` of `runner.yaml`: which flows the files of a project's code concern.

use std::collections::BTreeMap;
use std::ops::Range;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Value, json};

use super::schema::{map, names};
use runner_flow::{PathPattern, PatternError};

/// What an entry says, as it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImpactEntry {
    tags: Option<Names>,
    flows: Option<Names>,
}

/// One text, or several.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Several(Vec<String>),
}

impl Names {
    fn list(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

/// The map: which files concern which flows.
#[derive(Debug, Clone, Default)]
pub struct ImpactMap {
    /// In the order of the file.
    pub rules: Vec<ImpactRule>,
}

/// Files, and the flows that they concern.
#[derive(Debug, Clone)]
pub struct ImpactRule {
    /// The files, relative to the root; those outside it begin with `../`.
    pub files: PathPattern,
    /// Flows with any of these tags.
    pub tags: Vec<String>,
    /// And flows with these paths, relative to the root.
    pub flows: Vec<PathPattern>,
    /// Where it stands in `runner.yaml`.
    pub span: Range<usize>,
}

impl ImpactRule {
    /// Whether its files concern no flow at all, as it says.
    pub fn is_of_none(&self) -> bool {
        self.tags.is_empty() && self.flows.is_empty()
    }

    /// Whether its files concern a flow.
    pub fn concerns(&self, flow: &str, tags: &[String]) -> bool {
        self.tags.iter().any(|tag| tags.contains(tag))
            || self.flows.iter().any(|pattern| pattern.is_match(flow))
    }
}

/// Why an entry cannot be used.
#[derive(Debug, thiserror::Error)]
enum EntryError {
    #[error(
        "`{0}` is not relative to runner.yaml; write it with `/` between folders, and `../` where it leaves the root"
    )]
    NotRelative(String),
    #[error(
        "`{0}` names no flows; write `tags: [ … ]`, `flows: [ … ]`, or `flows: []` if no flow depends on these files"
    )]
    NamesNothing(String),
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

/// What is wrong with a value, with its dotted path.
type Wrong = (String, String);

impl ImpactMap {
    /// Reads the entries. What is wrong comes with its path.
    pub(super) fn of(
        entries: &IndexMap<String, ImpactEntry>,
        places: &BTreeMap<String, Range<usize>>,
    ) -> Result<Self, Vec<Wrong>> {
        let mut read = Self::default();
        let mut wrong = Vec::new();
        for (pattern, entry) in entries {
            let path = format!("impact.{pattern}");
            match rule(pattern, entry, places.get(&path)) {
                Ok(rule) => read.rules.push(rule),
                Err(error) => wrong.push((path, error.to_string())),
            }
        }
        if wrong.is_empty() {
            Ok(read)
        } else {
            Err(wrong)
        }
    }

    /// For `runner config`: the files, and what they concern.
    pub fn describe(&self) -> impl Iterator<Item = (&str, String)> {
        self.rules.iter().map(|rule| {
            let flows = rule.flows.iter().map(|flow| flow.as_str().to_owned());
            let tags = rule.tags.iter().map(|tag| format!("tag {tag}"));
            let concerned: Vec<String> = tags.chain(flows).collect();
            let concerned = match concerned.as_slice() {
                [] => "no flow".to_owned(),
                some => some.join(", "),
            };
            (rule.files.as_str(), concerned)
        })
    }
}

fn rule(
    pattern: &str,
    entry: &ImpactEntry,
    place: Option<&Range<usize>>,
) -> Result<ImpactRule, EntryError> {
    if pattern.starts_with('/') || pattern.contains('\\') {
        return Err(EntryError::NotRelative(pattern.to_owned()));
    }
    if entry.tags.is_none() && entry.flows.is_none() {
        return Err(EntryError::NamesNothing(pattern.to_owned()));
    }
    let compiled = |pattern: &str| PathPattern::new(pattern.strip_prefix("./").unwrap_or(pattern));
    let list = |names: &Option<Names>| names.as_ref().map(Names::list).unwrap_or_default().to_vec();
    let flows = list(&entry.flows);
    Ok(ImpactRule {
        files: compiled(pattern)?,
        tags: list(&entry.tags),
        flows: flows
            .iter()
            .map(|flow| compiled(flow))
            .collect::<Result<_, _>>()?,
        span: place.cloned().unwrap_or(0..0),
    })
}

/// The schema of `impact`.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "examples": [{ "app/login/**": { "tags": ["login"] } }],
        "description": "Which flows the project's files concern, for `--changed-since`: patterns of files, each with tags or paths of flows.",
        "additionalProperties": map(
            "The flows that these files concern; `flows: []` for none.",
            json!({
                "tags": names("Flows with any of these tags."),
                "flows": names("Flows with these paths, relative to runner.yaml; patterns are possible."),
            }),
        ),
    })
}
