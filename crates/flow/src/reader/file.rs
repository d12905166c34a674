//! Reader of one file: its names, its checks of values and its reports.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::Utf8PathBuf;
use indexmap::IndexMap;
use serde_json::Value;

use super::project::Project;
use crate::ast::{Argument, Spanned};
use crate::check::{Checker, literal};
use crate::foreign::suggestion;
use crate::interpolate::{check_name, plain_name};
use crate::names::Names;
use crate::report::{SourceRange, error};
use crate::yaml::{Key, Node};
use runner_text::diagnostic::{Code, Diagnostic, Source};

pub(crate) struct Reader<'a> {
    pub(crate) project: &'a Project<'a>,
    pub(crate) source: Arc<Source>,
    /// Names of variables, which a sub-flow inherits.
    pub(crate) env: Names,
    /// Names of variables and of the results kept so far.
    pub(crate) names: Names,
    /// Names of results kept in this file.
    pub(crate) stored_names: BTreeSet<String>,
    /// Names of snapshots in lower case, with their places.
    pub(crate) snapshots: BTreeMap<String, std::ops::Range<usize>>,
    /// Those of them with `each: true`, whose goldens are `name.1`, `name.2`, ….
    pub(crate) numbered: BTreeSet<String>,
    /// Nesting of `repeat`, with those of the callers.
    pub(crate) repeats: usize,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Files that are being read, outermost first, this one last.
    pub(crate) chain: Vec<Utf8PathBuf>,
}

impl<'a> Reader<'a> {
    /// Creates a reader for the file `source`. `env` are the variables that it may use. `chain` are the files that
    /// run it, outermost first, without itself. Reads nothing yet.
    pub(super) fn new(
        project: &'a Project<'a>,
        source: Arc<Source>,
        env: Names,
        chain: &[Utf8PathBuf],
    ) -> Self {
        let mut chain = chain.to_vec();
        chain.push(source.path.clone());
        Self {
            project,
            source,
            names: env.clone(),
            env,
            stored_names: BTreeSet::new(),
            snapshots: BTreeMap::new(),
            numbered: BTreeSet::new(),
            repeats: 0,
            diagnostics: Vec::new(),
            chain,
        }
    }

    /// Reports as an error a name that cannot be given to a variable or a result, with a similar valid one if there
    /// is any. Does nothing for a valid name, also if it is taken.
    pub(crate) fn check_name(&mut self, key: &Key) {
        if let Err(wrong) = check_name(&key.text) {
            let help = plain_name(&key.text).map(|plain| format!("write `{plain}`"));
            self.fail_at(key.span.clone(), Code::Name, wrong.to_string(), help);
        }
    }

    /// Checks a value against a schema, and converts it to an argument. Expressions are possible; they may use the
    /// names that are known so far. Problems are added to the diagnostics, and it returns an argument all the same.
    pub(crate) fn checked(&mut self, node: &Node, schema: &Value) -> Spanned<Argument> {
        let mut checker = Checker {
            source: &self.source,
            vocabulary: self.project.vocabulary,
            names: Some(&self.names),
            diagnostics: Vec::new(),
        };
        let argument = checker.value(node, schema);
        self.diagnostics.extend(checker.diagnostics);
        argument
    }

    /// Checks a value against a schema, without expressions, and returns it: `${…}` is an ordinary text. Problems are
    /// added to the diagnostics, and then it returns `None`, also for warnings alone.
    pub(crate) fn literal(&mut self, node: &Node, schema: &Value) -> Option<Value> {
        let mut checker = Checker {
            source: &self.source,
            vocabulary: self.project.vocabulary,
            names: None,
            diagnostics: Vec::new(),
        };
        let argument = checker.value(node, schema);
        let good = checker.diagnostics.is_empty();
        self.diagnostics.extend(checker.diagnostics);
        literal(&argument.value).filter(|_| good)
    }

    /// Reports as an error that a key is unknown, with the nearest of `names` as help. The caller decides that it is.
    pub(crate) fn unknown_key<'n>(&mut self, key: &Key, names: impl IntoIterator<Item = &'n str>) {
        let help = suggestion(&key.text, names);
        let message = format!("`{}` is not known here", key.text);
        self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
    }

    /// Reports a problem at a node, as [`Self::fail_at`] does.
    pub(crate) fn fail(
        &mut self,
        node: &Node,
        code: Code,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        self.fail_at(node.span.clone(), code, message, help);
    }

    /// Reports a problem at a range of this file: adds it to `diagnostics`, as an error or, if `code` says so, a
    /// warning.
    pub(crate) fn fail_at(
        &mut self,
        span: std::ops::Range<usize>,
        code: Code,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let mut diagnostic = error(&SourceRange::new(&self.source, span), code, message);
        diagnostic.help = help;
        self.diagnostics.push(diagnostic);
    }
}

/// Returns the first entry with this key, case included; `None` if there is none.
pub(crate) fn find<'n>(entries: &'n [(Key, Node)], name: &str) -> Option<&'n (Key, Node)> {
    entries.iter().find(|(key, _)| key.text == name)
}

/// Returns the texts of the list under `name`; none if it is missing or no list. Items that are no texts are left
/// out.
pub(super) fn strings(values: &IndexMap<String, Value>, name: &str) -> Vec<String> {
    values
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}
