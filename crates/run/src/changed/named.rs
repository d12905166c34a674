//! Which of the changed files a flow mentions, itself or through the files that it mentions.
//!
//! Texts are looked through, not parsed as flows: what does not read names its files all the same. More is found than is
//! used: a text that looks like the path of a changed file counts, in a comment too. So what is found here only adds flows,
//! and never says that other flows have nothing to do with a file.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use regex::Regex;

use runner_text::diagnostic::Source;
use runner_text::input_file::read_text;
use runner_text::source_file::normalise;
use runner_text::yaml::{self, Node};

/// The most bytes of a file that are looked through.
const MOST_BYTES: u64 = 1024 * 1024;
/// The most files that one flow names, and that these name.
const MOST_FILES: usize = 5000;
/// The longest path, in bytes.
const LONGEST: usize = 300;
/// Files that may name others: flows, tables, scripts.
const NAMING: [&str; 6] = ["yaml", "yml", "csv", "tsv", "json", "js"];
/// What `runner.yaml` says of places, and not of what a flow uses.
const NOT_NAMED: [&str; 5] = ["impact", "flows", "snapshots", "apps", "reports"];

/// Looks through files, each once.
pub(super) struct Naming<'a> {
    root: &'a Utf8Path,
    changed: &'a BTreeSet<Utf8PathBuf>,
    known: HashMap<Utf8PathBuf, Arc<Named>>,
}

/// What one file names.
#[derive(Default)]
struct Named {
    /// Files that changed.
    changed: BTreeSet<Utf8PathBuf>,
    /// Files that may name others.
    further: BTreeSet<Utf8PathBuf>,
}

impl<'a> Naming<'a> {
    pub fn new(root: &'a Utf8Path, changed: &'a BTreeSet<Utf8PathBuf>) -> Self {
        Self {
            root,
            changed,
            known: HashMap::new(),
        }
    }

    /// The changed files that a flow mentions, the flow's own among them. Paths are relative to the root.
    pub fn of_flow(&mut self, flow: &Utf8Path) -> BTreeSet<Utf8PathBuf> {
        self.through(BTreeSet::from([flow.to_owned()]))
    }

    /// The changed files that `runner.yaml` names, for all flows.
    pub fn of_project(&mut self, source: &Arc<Source>) -> BTreeSet<Utf8PathBuf> {
        let mut named = Named::default();
        let Some(node) = yaml::read(source, &mut Vec::new()) else {
            return BTreeSet::new();
        };
        let entries = node.entries().iter();
        for (_, value) in entries.filter(|(key, _)| !NOT_NAMED.contains(&key.text.as_str())) {
            self.add_values(value, Utf8Path::new(""), &mut named);
        }
        let mut all = self.through(named.further);
        all.extend(named.changed);
        all
    }

    fn through(&mut self, files: BTreeSet<Utf8PathBuf>) -> BTreeSet<Utf8PathBuf> {
        let mut found: BTreeSet<Utf8PathBuf> = files
            .iter()
            .filter(|file| self.changed.contains(*file))
            .cloned()
            .collect();
        let mut reached = files.clone();
        let mut open: Vec<Utf8PathBuf> = files.into_iter().collect();
        while let Some(file) = open.pop() {
            let named = self.of_file(&file);
            found.extend(named.changed.iter().cloned());
            for further in &named.further {
                if reached.len() < MOST_FILES && reached.insert(further.clone()) {
                    open.push(further.clone());
                }
            }
        }
        found
    }

    fn of_file(&mut self, file: &Utf8Path) -> Arc<Named> {
        if let Some(named) = self.known.get(file) {
            return Arc::clone(named);
        }
        let named = Arc::new(self.look_through(file).unwrap_or_default());
        self.known.insert(file.to_owned(), Arc::clone(&named));
        named
    }

    fn look_through(&self, file: &Utf8Path) -> Option<Named> {
        let path = self.root.join(file);
        let text = read_text(&path, MOST_BYTES).ok()?;
        let folder = file.parent().unwrap_or(Utf8Path::new(""));
        let mut named = Named::default();
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

    /// Values as YAML means them: with blanks, escapes and folded lines.
    fn add_values(&self, node: &Node, folder: &Utf8Path, named: &mut Named) {
        for value in node.nodes().filter_map(Node::scalar) {
            self.add(value.text.trim(), folder, named);
        }
    }

    fn add(&self, text: &str, folder: &Utf8Path, named: &mut Named) {
        let is_path = !text.is_empty() && text.len() <= LONGEST && !text.contains("://");
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
            if self.changed.contains(&path) {
                named.changed.insert(path.clone());
            } else if text.contains('/') {
                let below = self.changed.range(path.join("")..);
                let below = below.take_while(|file| file.starts_with(&path));
                named.changed.extend(below.cloned());
            }
            if may_name(&path) && self.root.join(&path).is_file() {
                named.further.insert(path);
            }
        }
    }

    /// A path that is known at the step alone: any changed file that it may become.
    fn add_pattern(&self, text: &str, folder: &Utf8Path, named: &mut Named) {
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

    fn below_root(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let path = path.strip_prefix(self.root).unwrap_or(path);
        normalise(path).filter(|path| path.is_relative() && !path.as_str().is_empty())
    }
}

fn may_name(file: &Utf8Path) -> bool {
    let ending = file.extension().unwrap_or_default();
    NAMING.iter().any(|it| ending.eq_ignore_ascii_case(it))
}

/// What stands between the expressions of a path, leading `./` and `../` left out; none where that says nothing.
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
