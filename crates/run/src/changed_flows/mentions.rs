//! Finds the changed files that a flow mentions, itself or through files that it mentions.
//!
//! It searches the text and does not parse it as a flow: a flow that cannot be parsed names its files all the
//! same. A text that looks like the path of a changed file counts, in a comment too. So a mention only adds
//! flows and never leaves any out.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use regex::Regex;

use super::git_names::GitNames;
use runner_text::diagnostic::Source;
use runner_text::input_file::read_text;
use runner_text::source_file::normalise;
use runner_text::yaml::{self, Node};

/// Chosen: far above a flow written by hand. Larger files are data and are not searched.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Chosen: bounds the search where a script generates files that name each other.
const MAX_FILES: usize = 5000;
/// Chosen: longer texts are no paths that people write.
const MAX_PATH_BYTES: usize = 300;
/// Extensions of files that may name others: flows, tables, scripts.
const NAMING_EXTENSIONS: [&str; 6] = ["yaml", "yml", "csv", "tsv", "json", "js"];
/// Sections of `runner.yaml` whose paths are places, not files that flows use.
const PLACE_SECTIONS: [&str; 5] = ["impact", "flows", "snapshots", "apps", "reports"];

/// Searches files for mentions of changed files, each file once.
pub(super) struct MentionScanner<'a> {
    root: &'a Utf8Path,
    changed: &'a BTreeSet<Utf8PathBuf>,
    known: HashMap<Utf8PathBuf, Arc<FileMentions>>,
    names: GitNames,
}

/// Paths that one file mentions.
#[derive(Default)]
struct FileMentions {
    changed: BTreeSet<Utf8PathBuf>,
    /// Files to search in turn.
    further: BTreeSet<Utf8PathBuf>,
}

impl<'a> MentionScanner<'a> {
    /// Creates a scanner that looks for the files `changed`, which are relative to `root`. Reads nothing yet.
    pub fn new(root: &'a Utf8Path, changed: &'a BTreeSet<Utf8PathBuf>) -> Self {
        Self {
            root,
            changed,
            known: HashMap::new(),
            names: GitNames::new(root),
        }
    }

    /// Returns the changed files that a flow mentions, directly or through files that it mentions, and the flow
    /// itself if it changed. Paths are relative to the root. A flow that cannot be read mentions nothing.
    pub fn find_in_flow(&mut self, flow: &Utf8Path) -> BTreeSet<Utf8PathBuf> {
        self.through(BTreeSet::from([flow.to_owned()]))
    }

    /// Returns the changed files that `runner.yaml` mentions for all flows, directly or through files that it
    /// names. Sections that only name places (`impact`, `flows`, `snapshots`, `apps`, `reports`) are left
    /// out. Empty if the file cannot be parsed.
    pub fn find_in_project(&mut self, source: &Arc<Source>) -> BTreeSet<Utf8PathBuf> {
        let mut named = FileMentions::default();
        let Some(node) = yaml::read(source, &mut Vec::new()) else {
            return BTreeSet::new();
        };
        let entries = node.entries().iter();
        for (_, value) in entries.filter(|(key, _)| !PLACE_SECTIONS.contains(&key.text.as_str())) {
            self.add_values(value, Utf8Path::new(""), &mut named);
        }
        let mut all = self.through(named.further);
        all.extend(named.changed);
        all
    }

    /// Returns the changed files among `files` and among all that these mention, directly or through other files.
    /// After `MAX_FILES` files it follows no further ones.
    fn through(&mut self, files: BTreeSet<Utf8PathBuf>) -> BTreeSet<Utf8PathBuf> {
        let mut found = self.names.find_all(files.iter().cloned());
        found.retain(|file| self.changed.contains(file));
        let mut reached = files.clone();
        let mut open: Vec<Utf8PathBuf> = files.into_iter().collect();
        while let Some(file) = open.pop() {
            let named = self.scan_file(&file);
            found.extend(named.changed.iter().cloned());
            for further in &named.further {
                if reached.len() < MAX_FILES && reached.insert(further.clone()) {
                    open.push(further.clone());
                }
            }
        }
        found
    }

    /// Returns the mentions in a file of any extension, read once and cached. Empty if it cannot be read, is no text
    /// or is too large.
    fn scan_file(&mut self, file: &Utf8Path) -> Arc<FileMentions> {
        if let Some(named) = self.known.get(file) {
            return Arc::clone(named);
        }
        let named = Arc::new(self.look_through(file).unwrap_or_default());
        self.known.insert(file.to_owned(), Arc::clone(&named));
        named
    }

    /// Reads a file for mentions: its words with a dot, and of YAML all values too. `None` if it cannot be read, is
    /// no text or too large.
    fn look_through(&mut self, file: &Utf8Path) -> Option<FileMentions> {
        let path = self.root.join(file);
        let text = read_text(&path, MAX_FILE_BYTES).ok()?;
        let folder = file.parent().unwrap_or(Utf8Path::new(""));
        let mut named = FileMentions::default();
        let is_edge = |c: char| c.is_whitespace() || "\"',[]{}#=()".contains(c);
        for word in text.split(is_edge).filter(|word| word.contains('.')) {
            self.add(word, folder, &mut named);
        }
        let is_yaml = file.extension().is_some_and(|it| it.starts_with('y'));
        let source = Arc::new(Source {
            path: file.to_owned(),
            text,
        });
        let documents = is_yaml.then(|| yaml::read_documents(&source, &mut Vec::new()));
        for document in documents.flatten().unwrap_or_default() {
            self.add_values(&document.node, folder, &mut named);
        }
        Some(named)
    }

    /// Adds the values of a YAML node, with escapes resolved and folded lines joined.
    fn add_values(&mut self, node: &Node, folder: &Utf8Path, named: &mut FileMentions) {
        for value in node.nodes().filter_map(Node::scalar) {
            self.add(value.text.trim(), folder, named);
        }
    }

    /// Adds what `text` may name as a path, relative to `folder` or to the root, both if both exist: the changed file
    /// of this name, or changed files below it if it has a `/`, and an existing file that may mention others. URLs,
    /// paths out of the root, and texts that are empty, too long or of several lines, add nothing. Expressions stand
    /// for any text.
    fn add(&mut self, text: &str, folder: &Utf8Path, named: &mut FileMentions) {
        let is_path = !text.is_empty() && text.len() <= MAX_PATH_BYTES && !text.contains("://");
        if !is_path || text.contains(['\0', '\n']) {
            return;
        }
        if text.contains("${") {
            self.add_pattern(text, folder, named);
            return;
        }
        for base in [folder, Utf8Path::new("")] {
            let Some(path) = self.below_root(&base.join(text)) else {
                continue;
            };
            for name in self.names.find(&path) {
                if self.changed.contains(&name) {
                    named.changed.insert(name);
                } else if text.contains('/') || name != path {
                    let below = self.changed.range(name.join("")..);
                    let below = below.take_while(|file| file.starts_with(&name));
                    named.changed.extend(below.cloned());
                }
            }
            if may_name(&path) && self.root.join(&path).is_file() {
                named.further.insert(path);
            }
        }
    }

    /// Adds the changed files that a path with expressions may become: each expression stands for any text, also with
    /// `/`. The path may be relative to the root or to `folder`. A path that [`literal_parts`] refuses adds nothing.
    /// Files that it may name are not followed.
    fn add_pattern(&self, text: &str, folder: &Utf8Path, named: &mut FileMentions) {
        let Some(parts) = literal_parts(text) else {
            return;
        };
        let pattern: Vec<String> = parts.iter().map(|part| regex::escape(part)).collect();
        let Ok(pattern) = Regex::new(&format!("^{}$", pattern.join(".*"))) else {
            return;
        };
        for file in self.changed {
            let of_folder = file.strip_prefix(folder).unwrap_or(file);
            if pattern.is_match(file.as_str()) || pattern.is_match(of_folder.as_str()) {
                named.changed.insert(file.clone());
            }
        }
    }

    /// Returns a path, relative to the root or absolute, as one relative to the root without `.` and `..`; `None` for
    /// the root itself and for a path outside. Links are not resolved.
    fn below_root(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let path = path.strip_prefix(self.root).unwrap_or(path);
        normalise(path).filter(|path| path.is_relative() && !path.as_str().is_empty())
    }
}

/// Returns true if the extension, in any letter case, is of a kind of file that is looked through for mentions: a
/// flow, a table or a script. False without an extension.
fn may_name(file: &Utf8Path) -> bool {
    let ending = file.extension().unwrap_or_default();
    NAMING_EXTENSIONS
        .iter()
        .any(|it| ending.eq_ignore_ascii_case(it))
}

/// Returns the parts of a path around its expressions (`${…}`), without leading `./` and `../`; parts may be empty.
/// `None` if no part of two bytes or more holds a `.` or `/`: such a pattern would match too much. An expression that
/// is not closed takes the rest.
fn literal_parts(text: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, expression)) = rest.split_once("${") {
        parts.push(before);
        rest = expression.split_once('}').map_or("", |(_, after)| after);
    }
    parts.push(rest);
    if let Some(first) = parts.first_mut() {
        while let Some(after) = first.strip_prefix("./").or(first.strip_prefix("../")) {
            *first = after;
        }
    }
    let says = |part: &&str| part.contains(['.', '/']) && part.len() > 1;
    parts.iter().any(says).then_some(parts)
}
