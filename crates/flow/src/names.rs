//! Knows the names of a flow while it is read: which there are, and what is known of their values.

mod text;
mod undefined;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::ast::Argument;
use super::expression::{self, Kind};
use super::foreign;
use super::interpolate::BUILT_IN_NAMES;
use super::report::{nearest, suggest};

pub(crate) use text::Text;

/// Fields of `device`; those of `flow` and of an element's `bounds` follow.
const DEVICE: [&str; 11] = [
    "serial", "label", "model", "sdk", "release", "width", "height", "density", "locale",
    "emulator", "virtual",
];
const FLOW: [&str; 5] = ["name", "path", "attempt", "case", "repeat"];
const BOUNDS: [&str; 4] = ["left", "top", "right", "bottom"];

/// Names that are known at a point of a flow.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    known: BTreeSet<String>,
    /// Pieces of names with a `-` or `.`, which are reported. An expression reads each piece as a name.
    pieces: BTreeSet<String>,
    columns: Vec<String>,
    /// Names whose value is always a text, and names whose value is always an element.
    texts: BTreeSet<String>,
    elements: BTreeSet<String>,
    /// Kinds of values that one `set` alone gives so far.
    constants: BTreeMap<String, Kind>,
    /// Names to which one `set` alone gives a map that looks like a selector.
    selectors: BTreeSet<String>,
    /// Nesting of steps that run in several rounds.
    rounds: usize,
    /// Fields of results of steps.
    results: BTreeMap<String, Vec<&'static str>>,
    /// Names that `set: { name: …, value: … }` was probably meant to set.
    pairs: BTreeSet<String>,
    /// Names that only sub-flows know, with advice for each.
    inner: BTreeMap<String, String>,
    /// True if the value is given a name, so that functions with a new value at each call are allowed.
    pub(crate) allows_volatile: bool,
    /// True if some names are unknown because their source could not be read.
    is_open: bool,
}

impl Names {
    /// Creates names whose values are all texts, such as those of `env`.
    pub(crate) fn new(known: impl IntoIterator<Item = String>) -> Self {
        let known: BTreeSet<String> = known.into_iter().collect();
        Self {
            texts: known.clone(),
            known,
            ..Self::default()
        }
    }

    /// Adds a name with a value of any kind. What was known of its earlier value is forgotten. The parts of a name
    /// with `-` or `.`, which is an error elsewhere, count as defined too.
    pub(crate) fn add(&mut self, name: &str) {
        self.known.insert(name.to_owned());
        if name.contains(['-', '.']) {
            self.pieces
                .extend(name.split(['-', '.']).map(str::to_owned));
        }
        self.texts.remove(name);
        self.elements.remove(name);
        self.constants.remove(name);
        self.selectors.remove(name);
        self.results.remove(name);
    }

    /// Adds a name of `env`, whose value is always a text, whatever it was before.
    pub(crate) fn add_text(&mut self, name: &str) {
        self.add(name);
        self.texts.insert(name.to_owned());
    }

    /// Notes a name that a map with a name and a value was probably meant to set, for advice. It stays undefined.
    pub(crate) fn add_pair(&mut self, name: &str) {
        self.pairs.insert(name.to_owned());
    }

    /// Notes a name that only a sub-flow knows, with advice for its use outside. It stays undefined.
    pub(crate) fn add_inner(&mut self, name: &str, advice: String) {
        self.inner.insert(name.to_owned(), advice);
    }

    /// Adds the result of a step that returns an element, so that its fields are checked. If the name exists
    /// already, its fields are no longer checked: the step may be skipped, and the name then keeps its old
    /// value.
    pub(crate) fn add_element(&mut self, name: &str) {
        // The step may be skipped, and the name then keeps its old value.
        let is_new = !self.known.contains(name);
        self.add(name);
        if is_new {
            self.elements.insert(name.to_owned());
        }
    }

    /// Adds a name that `set` gives a value. Its kind is known for a literal text, number or boolean and for a text
    /// around expressions. If the name exists already, its kind is unknown, because the step may be skipped, and the
    /// name then keeps its old value. It is also unknown in steps that run in several rounds.
    pub(crate) fn add_set(&mut self, name: &str, value: &Argument) {
        let is_new = !self.known.contains(name);
        self.add(name);
        let is_constant = is_new && self.rounds == 0;
        let words = ["id", "desc", "hint", "class", "index"];
        if let Argument::Map(entries) = value
            && is_constant
            && entries.keys().all(|key| words.contains(&key.as_str()))
        {
            self.selectors.insert(name.to_owned());
        }
        let kind = match value {
            Argument::Literal(Value::String(_)) | Argument::Template(_) => Kind::Text,
            Argument::Literal(Value::Number(_)) => Kind::Number,
            Argument::Literal(Value::Bool(_)) => Kind::Boolean,
            _ => return,
        };
        if is_constant {
            self.constants.insert(name.to_owned(), kind);
        }
    }

    /// Begins steps that run in several rounds. In a further round a step stands behind each `set` of those
    /// before, so the kinds of values that `set` gives are unknown.
    pub(crate) fn begin_rounds(&mut self) {
        self.rounds += 1;
        self.forget_constants();
    }

    /// Ends what [`Self::begin_rounds`] began. Kinds that were forgotten stay unknown.
    pub(crate) fn end_rounds(&mut self) {
        self.rounds = self.rounds.saturating_sub(1);
    }

    /// Forgets the kinds of values that `set` gave, as what is read next may run behind another `set`.
    pub(crate) fn forget_constants(&mut self) {
        self.constants.clear();
        self.selectors.clear();
    }

    /// Sets the fields of a name that was just added; an empty list means that they are unknown.
    pub(crate) fn add_fields(&mut self, name: &str, fields: Vec<&'static str>) {
        if !fields.is_empty() {
            self.results.insert(name.to_owned(), fields);
        }
    }

    /// Returns the fields of the value at a path: of `device`, `flow`, `run` and of results whose fields are known,
    /// with their `bounds`. Returns `None` for all else, as for variables and `os`.
    fn fields(&self, path: &[&str]) -> Option<Vec<&str>> {
        match path {
            ["device"] => Some(DEVICE.to_vec()),
            ["flow"] => Some(FLOW.to_vec()),
            ["run"] => Some(vec!["id"]),
            [name] => self.results.get(*name).cloned(),
            [name, "bounds"] if self.results.contains_key(*name) => Some(BOUNDS.to_vec()),
            _ => None,
        }
    }

    /// Returns message and advice for a path to a field that certainly does not exist, such as `device.colour` or a
    /// field of a text; `None` if it may exist, and for a name alone. The first wrong part counts. Does not check
    /// that the first name exists.
    fn wrong_field(&self, path: &str) -> Option<(String, String)> {
        let parts: Vec<&str> = path.split('.').collect();
        (1..parts.len()).find_map(|at| {
            let (owner, field) = (&parts[..at], parts[at]);
            let name = owner.join(".");
            if let ["os"] = owner {
                let call = ["environ", "getenv", "env"].contains(&field);
                let help = "write `os.NAME` for a variable of the environment";
                let message = format!("`os` has no `{field}`");
                return (call && parts.len() == 2).then(|| (message, help.to_owned()));
            }
            if self.kind(owner).is_some_and(|kind| kind != Kind::Map) {
                let ours = expression::method(field)
                    .map(|ours| format!("write `{}`", ours.replace('…', &name)));
                let help = ours.unwrap_or_else(|| format!("write `{name}` alone"));
                return Some((format!("`{name}` has no `{field}`"), help));
            }
            let read = ["bounds", "enabled", "checked", "selected", "focused", "text"];
            if let [sought] = owner
                && self.selectors.contains(*sought)
                && read.contains(&field)
            {
                let help = format!(
                    "`set` keeps the map itself: write `find: …`, and `as: {name}` below it, in the column of `find`"
                );
                return Some((format!("`{name}` is a map of `set`, and no element"), help));
            }
            let fields = self.fields(owner)?;
            if fields.contains(&field) {
                return None;
            }
            let ours = foreign::field(field, &fields).map(|ours| ours.replace('…', &name));
            // A row with code in it is a sentence.
            let ours = ours.map(|ours| {
                if ours.contains('`') {
                    ours
                } else {
                    format!("write `{name}.{ours}`")
                }
            });
            // What a server answered stands in its JSON.
            let answer = || {
                let is_near = nearest(field, fields.iter().copied()).is_some();
                (fields.contains(&"json") && !is_near)
                    .then(|| format!("write `{name}.json.{field}` for what was answered"))
            };
            let help = ours.or_else(answer);
            let help = help.or_else(|| suggest(field, fields.iter().copied()))?;
            Some((format!("`{name}` has no `{field}`"), help))
        })
    }

    /// Returns the kind of the value at a path, if it is always the same; else `None`. Results of steps that may
    /// differ have none, and neither have unknown names.
    fn kind(&self, path: &[&str]) -> Option<Kind> {
        match path {
            [name] if self.texts.contains(*name) => Some(Kind::Text),
            [name] if self.constants.contains_key(*name) => self.constants.get(*name).copied(),
            ["os", _]
            | ["run", "id"]
            | ["flow", "name" | "path"]
            | [
                "device",
                "model" | "release" | "locale" | "serial" | "label",
            ] => Some(Kind::Text),
            ["flow", "attempt" | "repeat"] | ["device", "sdk" | "width" | "height" | "density"] => {
                Some(Kind::Number)
            }
            ["device", "emulator" | "virtual"] => Some(Kind::Boolean),
            [name, rest @ ..] if self.elements.contains(*name) => match rest {
                [] | ["bounds"] => Some(Kind::Map),
                ["text" | "desc" | "hint" | "id" | "class"] => Some(Kind::Text),
                ["enabled" | "checked" | "selected" | "focused"] => Some(Kind::Boolean),
                ["bounds", _] => Some(Kind::Number),
                _ => None,
            },
            [name, rest @ ..] => self.kind_of_result(name, rest),
            [] => None,
        }
    }

    /// Returns the kind of what a step answered or printed, or of the field `rest` of it. Returns `None` for other
    /// results, for fields that may differ, such as `json`, and for unknown names.
    fn kind_of_result(&self, name: &str, rest: &[&str]) -> Option<Kind> {
        let fields = self.results.get(name)?;
        let is_answer = fields.contains(&"json") && fields.contains(&"status");
        let is_output = fields.contains(&"exit_code");
        match rest {
            [] if is_answer || is_output => Some(Kind::Map),
            ["status"] if is_answer => Some(Kind::Number),
            ["exit_code"] if is_output => Some(Kind::Number),
            ["stdout" | "stderr"] if is_output => Some(Kind::Text),
            _ => None,
        }
    }

    /// Returns the kind of an expression's result, if it is always the same; else `None`, also if it cannot be
    /// parsed.
    pub(crate) fn kind_of(&self, inner: &str) -> Option<Kind> {
        let tree = expression::parse(inner).ok()?;
        expression::kind(&tree, &|path| self.kind(path))
    }

    /// Returns advice for an expression that takes an element, an answer or an output for one of its fields; `None`
    /// for all others. Of several such names answers and outputs go first. `inner` need not parse.
    pub(crate) fn without_field(&self, inner: &str) -> Option<String> {
        let is_bare = |name: &&String| {
            let place = expression::find_name(inner, name);
            place.is_some_and(|at| !inner[at.end..].starts_with(['.', '[']))
        };
        let is_result = |name: &&String| self.kind_of_result(name, &[]).is_some() && is_bare(name);
        if let Some(name) = self.results.keys().find(is_result) {
            let fields = self.results.get(name)?;
            let field = if fields.contains(&"stdout") {
                "stdout"
            } else {
                "json"
            };
            return Some(format!(
                "`{name}` has several values: write `{name}.{field}`; it has {}",
                fields.join(", ")
            ));
        }
        let name = self.elements.iter().find(is_bare)?;
        Some(format!(
            "`{name}` is an element: write `{name}.text`, or `{name}.text | int` for a number"
        ))
    }

    /// Adds a column of the flow's table as a name with a value of any kind.
    pub(crate) fn add_column(&mut self, name: &str) {
        self.add(name);
        self.columns.push(name.to_owned());
    }

    /// Accepts any name from now on, because some source of names could not be read. That is reported
    /// already.
    pub(crate) fn allow_unknown(&mut self) {
        self.is_open = true;
    }

    /// Returns true if an expression may use the name: one with a value, a built-in one, or a part of a malformed
    /// one. Any name after [`Self::allow_unknown`].
    fn has(&self, name: &str) -> bool {
        let is_known = self.known.contains(name) || self.pieces.contains(name);
        self.is_open || is_known || BUILT_IN_NAMES.contains(&name)
    }

    /// Returns true if a malformed name is in the expression, which reads it as several. The name is reported already.
    fn is_split(&self, inner: &str) -> bool {
        let mut malformed = self.known.iter().filter(|name| name.contains(['-', '.']));
        malformed.any(|name| inner.contains(name.as_str()))
    }

    /// Returns true if the flow or the project gives the name a value, and for any name after
    /// [`Self::allow_unknown`].
    pub(crate) fn has_value(&self, name: &str) -> bool {
        self.is_open || self.known.contains(name)
    }

    /// Returns the name with a value that was probably meant; `None` if none is near.
    pub(crate) fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.known.iter().map(String::as_str))
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(String::as_str).chain(BUILT_IN_NAMES)
    }
}
