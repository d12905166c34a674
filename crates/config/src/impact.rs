//! The map `impact` of `runner.yaml`: files of a project's code, and the flows that test them.

use std::collections::BTreeMap;
use std::ops::Range;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Value, json};

use super::small_schemas::{map, names};
use runner_flow::{PathPattern, PatternError};

/// Entry as written in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImpactEntry {
    tags: Option<Names>,
    flows: Option<Names>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Several(Vec<String>),
}

impl Names {
    /// Returns the names; a single one is a list of one.
    fn list(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

/// Map from files to flows.
#[derive(Debug, Clone, Default)]
pub struct ImpactMap {
    /// Rules in the order of the file.
    pub rules: Vec<ImpactRule>,
}

/// Files, and the flows that test them.
#[derive(Debug, Clone)]
pub struct ImpactRule {
    /// Pattern for files, relative to the root. Files outside of it begin with `../`.
    pub files: PathPattern,
    /// Tags; a flow with any of them is tested.
    pub tags: Vec<String>,
    /// Patterns for paths of flows, relative to the root, in addition to `tags`.
    pub flows: Vec<PathPattern>,
    /// Range of bytes in `runner.yaml`.
    pub span: Range<usize>,
}

impl ImpactRule {
    /// Returns true if the entry says that its files affect no flow.
    pub fn concerns_nothing(&self) -> bool {
        self.tags.is_empty() && self.flows.is_empty()
    }

    /// Returns true if the files affect a flow: it has one of the rule's tags, or a pattern of the rule
    /// matches its path, relative to the root.
    pub fn concerns(&self, flow: &str, tags: &[String]) -> bool {
        self.tags.iter().any(|tag| tags.contains(tag))
            || self.flows.iter().any(|pattern| pattern.is_match(flow))
    }
}

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

/// Dotted path of a wrong value, and a message.
type KeyProblem = (String, String);

impl ImpactMap {
    /// Compiles the entries in their order. `places` has the ranges of values by their paths.
    ///
    /// # Errors
    /// The path of each entry that cannot be used, such as `impact.PATTERN`, and a message.
    pub(super) fn from_entries(
        entries: &IndexMap<String, ImpactEntry>,
        places: &BTreeMap<String, Range<usize>>,
    ) -> Result<Self, Vec<KeyProblem>> {
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

    /// Returns for each rule, in order, its pattern of files and the affected flows in words: first the tags,
    /// then the paths, or `no flow`. For `runner config`.
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

/// Checks and compiles one entry. Its pattern must be relative, without `\`, and it must name tags or flows; an empty
/// list of flows is allowed. A `./` before a pattern is dropped. Without a place the span is empty.
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

/// Returns the schema of `impact`.
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
