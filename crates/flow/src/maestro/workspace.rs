//! Maestro workspaces: a folder of flows with a `config.yaml`.

use std::collections::HashMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use regex::Regex;
use walkdir::WalkDir;

use super::super::ast::Spanned;
use super::super::discover::{MAX_ENTRIES, is_flow};
use super::super::files;
use super::super::report::{SourceRange, error, nearest};
use super::super::yaml::{self, Key, Node, NodeKind, Scalar};
use super::glob;
use super::reader::is_header;
use runner_text::diagnostic::{self, Code, Diagnostic, Source};

/// Keys of Maestro's `config.yaml`. A file with only these is not a flow.
const KNOWN: [&str; 9] = [
    "flows",
    "includeTags",
    "excludeTags",
    "executionOrder",
    "baselineBranch",
    "notifications",
    "disableRetries",
    "platform",
    "testOutputDir",
];

#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// `config.yaml` has errors. Holds the rendered diagnostics.
    #[error("a workspace's configuration does not read\n{0}")]
    Config(String),
    #[error("`{pattern}` in `flows` of {config} is not a pattern: {reason}")]
    Pattern {
        pattern: String,
        config: Utf8PathBuf,
        /// Reason from the parser of patterns.
        reason: String,
    },
    /// `flows` has only patterns that exclude files.
    #[error(
        "`flows` of {0} only leaves out, so that nothing is left; add a pattern that takes: `\"*\"`"
    )]
    OnlyNegations(Utf8PathBuf),
    /// `flows` matches no file.
    #[error("no flow matches `flows` of {config}: {patterns}")]
    NoMatch {
        config: Utf8PathBuf,
        /// Patterns of `flows`.
        patterns: String,
    },
    /// All flows are in subfolders, which the default pattern does not match.
    #[error(
        "`{0}` itself holds no flow, and without `flows` in its config.yaml nothing below is taken: write `flows: [\"**\"]` there"
    )]
    NotBelow(Utf8PathBuf),
    /// No flow that runs has the first name of `executionOrder`, but one has a later name.
    #[error("`executionOrder` of {config} begins with `{name}`, which no flow that runs is called")]
    Order {
        config: Utf8PathBuf,
        /// Name that no flow has.
        name: String,
    },
    #[error("cannot look through the workspace: {0}")]
    Folder(#[from] std::io::Error),
    #[error("`{0}` holds more than {MAX_ENTRIES} files and folders; name a smaller one")]
    TooMany(Utf8PathBuf),
}

#[derive(Debug, Clone)]
pub struct Workspace {
    pub folder: Utf8PathBuf,
    /// Paths of the YAML files that `flows` takes, sorted; absolute if `folder` is. They need not be flows.
    pub files: Vec<Utf8PathBuf>,
    /// Tags of which a flow must have one; empty for no such rule.
    pub include_tags: Vec<Spanned<String>>,
    /// Tags of which a flow must have none.
    pub exclude_tags: Vec<Spanned<String>>,
    /// Names of flows that run first, one after another.
    pub order: Vec<Spanned<String>>,
    /// True if the next flow of `order` runs after a failure.
    pub continue_on_failure: bool,
    /// `config.yaml`, if there is one.
    pub config: Option<Arc<Source>>,
    /// Warnings about settings without effect here.
    pub warnings: Vec<Diagnostic>,
    patterns: Patterns,
}

/// Patterns of `flows`.
#[derive(Debug, Clone, Default)]
struct Patterns {
    takes: Vec<Regex>,
    leaves: Vec<Regex>,
}

impl Patterns {
    /// Returns true if a pattern takes the path below the folder and none leaves it out. Without patterns that take
    /// it is false.
    fn take(&self, below: &Utf8Path) -> bool {
        let below = below.as_str().replace('\\', "/");
        self.takes.iter().any(|pattern| pattern.is_match(&below))
            && !self.leaves.iter().any(|pattern| pattern.is_match(&below))
    }

    /// Returns the patterns that match none of `files`. `flows` are the patterns as written, in the order in which
    /// they were compiled. Excluding patterns are left out, because files for them may come later. `files` are below
    /// `folder`.
    fn unused<'a>(
        &self,
        folder: &Utf8Path,
        files: &[Utf8PathBuf],
        flows: &'a [Spanned<String>],
    ) -> impl Iterator<Item = &'a Spanned<String>> {
        let below: Vec<String> = files
            .iter()
            .map(|path| path.strip_prefix(folder).unwrap_or(path))
            .map(|path| path.as_str().replace('\\', "/"))
            .collect();
        let written = flows.iter().filter(|flow| !flow.value.starts_with('!'));
        let pairs = written.zip(&self.takes);
        let unused = pairs.filter(|(_, taking)| !below.iter().any(|path| taking.is_match(path)));
        let unused: Vec<_> = unused.map(|(written, _)| written).collect();
        unused.into_iter()
    }
}

/// Contents of `config.yaml`.
#[derive(Debug, Default)]
struct Settings {
    flows: Vec<Spanned<String>>,
    include_tags: Vec<Spanned<String>>,
    exclude_tags: Vec<Spanned<String>>,
    order: Vec<Spanned<String>>,
    continue_on_failure: bool,
    warnings: Vec<Diagnostic>,
}

impl Workspace {
    /// Reads the workspace in a folder, and lists its flows without reading them as flows; `None` if it is none: it
    /// has no `config.yaml`, and flows below it are missing or not all Maestro's. `config` replaces its
    /// `config.yaml`, may lie anywhere, and makes any folder a workspace but one with flows of our own alone. Does
    /// not apply tags or `executionOrder`.
    ///
    /// # Errors
    /// [`WorkspaceError`] if the configuration is invalid or its own one leads out of the root, if a pattern or all
    /// of them match nothing, or if the folder cannot be read.
    pub fn open(
        folder: &Utf8Path,
        config: Option<&Utf8Path>,
    ) -> Result<Option<Self>, WorkspaceError> {
        let own = own_config(folder);
        let own = own.as_deref();
        let mut kinds = FileKinds::default();
        let is_one = match config {
            Some(_) => !holds_only_own(folder, own, &mut kinds),
            None => is_workspace(folder, own, &mut kinds),
        };
        if !is_one {
            return Ok(None);
        }
        let path = config.or(own);
        // A configuration that a person named may lie anywhere.
        let leads_out = config.is_none()
            && own.is_some_and(|own| files::inside(own, &root_of(folder)).is_err());
        let source = path.map(|path| files::load(path, path)).transpose();
        let source = source.map_err(|wrong| WorkspaceError::Config(rendered(&[*wrong])))?;
        if let (true, Some(source)) = (leads_out, &source) {
            let message = "a link leads out of the project's root".to_owned();
            let wrong = error(&SourceRange::new(source, 0..0), Code::Unreadable, message);
            return Err(WorkspaceError::Config(rendered(&[wrong])));
        }
        let settings = match &source {
            Some(source) => Settings::read(source)?,
            None => Settings::none(),
        };
        let (files, patterns) = matched_flows(folder, path, &settings.flows, &mut kinds)?;
        if let Some(source) = &source {
            let unused = patterns.unused(folder, &files, &settings.flows);
            let unused: Vec<Diagnostic> = unused
                .map(|pattern| {
                    let message = format!(
                        "no flow matches `{}`; correct it, or take it out",
                        pattern.value
                    );
                    let place = SourceRange::new(source, pattern.span.clone());
                    error(&place, Code::Unreadable, message)
                })
                .collect();
            if !unused.is_empty() {
                return Err(WorkspaceError::Config(rendered(&unused)));
            }
        }
        Ok(Some(Self {
            folder: folder.to_owned(),
            files,
            include_tags: settings.include_tags,
            exclude_tags: settings.exclude_tags,
            order: settings.order,
            continue_on_failure: settings.continue_on_failure,
            config: source,
            warnings: settings.warnings,
            patterns,
        }))
    }

    /// Returns true if a folder is a workspace, valid or not: it has a `config.yaml` of one, or only Maestro
    /// flows.
    pub(crate) fn is_one(folder: &Utf8Path) -> bool {
        let own = own_config(folder);
        is_workspace(folder, own.as_deref(), &mut FileKinds::default())
    }

    /// Returns true if a pattern of `flows` takes a path relative to the folder, and none excludes it. The file need
    /// not exist.
    pub(super) fn takes(&self, below: &Utf8Path) -> bool {
        self.patterns.take(below)
    }
}

/// Returns a pattern that matches exactly this file, with its signs escaped. Backslashes become `/`.
pub(super) fn pattern_of(below: &Utf8Path) -> String {
    let mut pattern = String::new();
    for letter in below.as_str().replace('\\', "/").chars() {
        if matches!(letter, '*' | '?' | '[' | ']' | '{' | '}') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

fn rendered(diagnostics: &[Diagnostic]) -> String {
    diagnostic::render(diagnostics, false, 100)
}

/// Returns the folder that files of a workspace must not leave: the project's root, else the nearest folder
/// with `.maestro` or `.git`, else the folder itself.
fn root_of(folder: &Utf8Path) -> Utf8PathBuf {
    let has = |folder: &&Utf8Path| folder.join(".maestro").is_dir() || folder.join(".git").exists();
    let around = || folder.ancestors().find(has).unwrap_or(folder).to_owned();
    crate::find_root(folder).unwrap_or_else(around)
}

/// Returns the YAML files in a folder that a pattern takes and none excludes, sorted, and the compiled patterns.
/// `config` itself and settings files are left out; other files need not be flows. With the pattern `*` alone it does
/// not look into folders below.
///
/// # Errors
/// An invalid pattern, only excluding patterns, no match, and a folder that cannot be read or is too large.
fn matched_flows(
    folder: &Utf8Path,
    config: Option<&Utf8Path>,
    flows: &[Spanned<String>],
    kinds: &mut FileKinds,
) -> Result<(Vec<Utf8PathBuf>, Patterns), WorkspaceError> {
    let displayed = config.unwrap_or(folder).to_owned();
    let compile = |pattern: &str| {
        glob::compile(pattern).map_err(|reason| WorkspaceError::Pattern {
            pattern: pattern.to_owned(),
            config: displayed.clone(),
            reason: reason.to_string(),
        })
    };
    let mut patterns = Patterns::default();
    for pattern in flows {
        match pattern.value.strip_prefix('!') {
            Some(pattern) => patterns.leaves.push(compile(pattern)?),
            None => patterns.takes.push(compile(&pattern.value)?),
        }
    }
    if patterns.takes.is_empty() && !patterns.leaves.is_empty() {
        return Err(WorkspaceError::OnlyNegations(displayed));
    }
    let is_flat = flows.iter().all(|pattern| pattern.value == "*");
    let found = yaml_files(folder, if is_flat { 1 } else { usize::MAX })?;
    let mut is_taken = |path: &Utf8PathBuf| {
        let below = path.strip_prefix(folder).unwrap_or(path);
        patterns.take(below)
            && config != Some(path.as_path())
            && kinds.kind(path) != FileKind::Settings
    };
    let files: Vec<Utf8PathBuf> = found.into_iter().filter(&mut is_taken).collect();
    if files.is_empty() && is_flat {
        return Err(WorkspaceError::NotBelow(folder.to_owned()));
    }
    if files.is_empty() {
        let shown_patterns: Vec<String> = flows
            .iter()
            .map(|pattern| format!("`{}`", pattern.value))
            .collect();
        return Err(WorkspaceError::NoMatch {
            config: displayed,
            patterns: shown_patterns.join(", "),
        });
    }
    Ok((files, patterns))
}

/// Returns all YAML files down to `depth` levels except `config.yaml`, sorted. The first error of [`walk`] ends it.
fn yaml_files(folder: &Utf8Path, depth: usize) -> Result<Vec<Utf8PathBuf>, WorkspaceError> {
    walk(folder, depth).collect()
}

/// Iterates over the YAML files in a folder down to `depth` levels, sorted by name in each folder, without
/// `config.yaml` and `config.yml` of any folder. An entry that cannot be read, and each after [`MAX_ENTRIES`], is an
/// error; it goes on behind errors. Paths that are not UTF-8 are skipped. Links to folders are not followed.
fn walk(
    folder: &Utf8Path,
    depth: usize,
) -> impl Iterator<Item = Result<Utf8PathBuf, WorkspaceError>> {
    let walk = WalkDir::new(folder).max_depth(depth).sort_by_file_name();
    let folder = folder.to_owned();
    walk.into_iter()
        .enumerate()
        .filter_map(move |(number, entry)| {
            let entry = match entry {
                _ if number >= MAX_ENTRIES => {
                    return Some(Err(WorkspaceError::TooMany(folder.clone())));
                }
                Err(error) => return Some(Err(WorkspaceError::Folder(error.into()))),
                Ok(entry) => entry,
            };
            let path = Utf8Path::from_path(entry.path())?;
            let is_yaml = matches!(path.extension(), Some("yaml" | "yml"));
            let is_wanted = is_yaml && path.file_stem() != Some("config") && path.is_file();
            is_wanted.then(|| Ok(path.to_owned()))
        })
}

/// Returns all Maestro flows in these paths: files themselves, whatever they hold, and for folders the Maestro flows
/// below and the files of the workspace. Sorted, without duplicates; empty if there is none.
///
/// # Errors
/// [`WorkspaceError`] for a folder that does not exist, cannot be read or is too large. A workspace that cannot be
/// opened is none.
pub fn all_files(paths: &[Utf8PathBuf]) -> Result<Vec<Utf8PathBuf>, WorkspaceError> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_file() {
            files.push(path.clone());
            continue;
        }
        // A workspace whose patterns match nothing is an error elsewhere; its files are listed all the same.
        if let Ok(Some(workspace)) = Workspace::open(path, None) {
            files.extend(workspace.files);
        }
        let below = yaml_files(path, usize::MAX)?;
        files.extend(below.into_iter().filter(|path| is_maestro_file(path)));
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// Returns the YAML files at any depth below a folder, flows or not, for which `is_known` is false, sorted, without
/// `config.yaml`. Entries that cannot be read, and those after `MAX_ENTRIES`, are skipped.
pub fn other_flows(folder: &Utf8Path, is_known: impl Fn(&Utf8Path) -> bool) -> Vec<Utf8PathBuf> {
    let below = walk(folder, usize::MAX).filter_map(Result::ok);
    below.filter(|path| !is_known(path)).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Flow,
    /// A file with only keys of a `config.yaml`.
    Settings,
    Other,
}

/// Cache of the kinds of files.
#[derive(Debug, Default)]
struct FileKinds(HashMap<Utf8PathBuf, FileKind>);

impl FileKinds {
    /// Returns the kind of a file, which is read once and then remembered. A file that cannot be read and a flow of our
    /// own are [`FileKind::Other`].
    fn kind(&mut self, path: &Utf8Path) -> FileKind {
        if let Some(known) = self.0.get(path) {
            return *known;
        }
        let kind = match files::load(path, path) {
            Ok(source) if has_maestro_header(&source) => FileKind::Flow,
            Ok(source) if is_settings(&source) => FileKind::Settings,
            _ => FileKind::Other,
        };
        self.0.insert(path.to_owned(), kind);
        kind
    }
}

/// Returns the `config.yaml` of a folder, or else its `config.yml`; `None` if neither is a file.
fn own_config(folder: &Utf8Path) -> Option<Utf8PathBuf> {
    let own = ["config.yaml", "config.yml"].map(|name| folder.join(name));
    own.into_iter().find(|path| path.is_file())
}

/// Returns true if a folder has a workspace's `config.yaml`, or if it has flows and all of them are Maestro
/// flows.
fn is_workspace(folder: &Utf8Path, config: Option<&Utf8Path>, kinds: &mut FileKinds) -> bool {
    config.is_some_and(is_config) || holds_only_maestro(folder, kinds)
}

/// Returns true if there are YAML files at any depth below a folder and all of them are Maestro flows; settings files
/// and `config.yaml` do not count. Stops at the first other file. A folder that cannot be read or is too large is
/// false.
fn holds_only_maestro(folder: &Utf8Path, kinds: &mut FileKinds) -> bool {
    let mut some = false;
    for path in walk(folder, usize::MAX) {
        // A folder that is too large or unreadable is reported elsewhere.
        let Ok(path) = path else { return false };
        match kinds.kind(&path) {
            FileKind::Flow => some = true,
            FileKind::Settings => {}
            FileKind::Other => return false,
        }
    }
    some
}

/// Returns true if there are flows of our own at any depth below a folder, none of Maestro's, and if `config`, the
/// folder's `config.yaml`, is none of a workspace. A folder that cannot be read or is too large is false.
fn holds_only_own(folder: &Utf8Path, config: Option<&Utf8Path>, kinds: &mut FileKinds) -> bool {
    if config.is_some_and(is_config) {
        return false;
    }
    let mut some = false;
    for path in walk(folder, usize::MAX) {
        let Ok(path) = path else { return false };
        match kinds.kind(&path) {
            FileKind::Flow => return false,
            FileKind::Other => some |= is_flow(&path),
            FileKind::Settings => {}
        }
    }
    some
}

/// Returns the tags in the header of a Maestro flow, as written, even if its commands are wrong; an empty list
/// without `tags`. Returns `None` if it is no Maestro flow, if the file cannot be read or is no YAML, and if the tags
/// are no list of scalars. Nothing is reported.
pub fn written_tags(path: &Utf8Path) -> Option<Vec<String>> {
    if !is_maestro_file(path) {
        return None;
    }
    let source = files::load(path, path).ok()?;
    let documents = yaml::read_documents(&source, &mut Vec::new())?;
    let NodeKind::Map(header) = &documents.first()?.node.kind else {
        return None;
    };
    let Some((_, node)) = header.iter().find(|(key, _)| key.text == "tags") else {
        return Some(Vec::new());
    };
    match &node.kind {
        NodeKind::Sequence(tags) => {
            let tags = tags.iter().map(|tag| Some(tag.scalar()?.text.clone()));
            tags.collect()
        }
        _ => None,
    }
}

/// Returns true if a file has the header of a Maestro flow and a line `---` behind it. Its commands may have errors.
/// False if it cannot be read.
pub fn is_maestro_file(path: &Utf8Path) -> bool {
    files::load(path, path).is_ok_and(|source| has_maestro_header(&source))
}

/// Returns true if the first document is the header of a Maestro flow, perhaps an invalid one, and a line `---`
/// follows it. A header without that line is false.
fn has_maestro_header(source: &Source) -> bool {
    let text = source.text.trim_start_matches('\u{feff}');
    let begin = text.strip_prefix("---").unwrap_or(text);
    let Some((header, _)) = begin.split_once("\n---") else {
        return false;
    };
    let header = Arc::new(Source {
        path: source.path.clone(),
        text: header.to_owned(),
    });
    match yaml::read(&header, &mut Vec::new()) {
        Some(header) => is_header(&header),
        // An invalid header with `appId` counts as one of Maestro, so that its error is reported.
        None => header.text.lines().any(|line| line.starts_with("appId")),
    }
}

/// Returns true if a `config.yaml` belongs to a workspace, and is not a flow of the own language, which has `steps:`
/// in the first column. Its keys are not checked. A file that cannot be read is true, so that its error is reported.
fn is_config(path: &Utf8Path) -> bool {
    let Ok(source) = files::load(path, path) else {
        return true;
    };
    !source.text.lines().any(|line| line.starts_with("steps:"))
}

/// Returns true if a file is one map with only keys of a `config.yaml`. An empty map `{}` is true; several documents,
/// and text that is no YAML, are false.
fn is_settings(source: &Arc<Source>) -> bool {
    if source.text.contains("\n---") {
        return false;
    }
    let Some(Node {
        kind: NodeKind::Map(entries),
        ..
    }) = yaml::read(source, &mut Vec::new())
    else {
        return false;
    };
    entries
        .iter()
        .all(|(key, _)| KNOWN.contains(&key.text.as_str()))
}

impl Settings {
    /// Returns the settings of a folder without `config.yaml`: all flows directly in it, in any order, and
    /// all run after a failure.
    fn none() -> Self {
        Self {
            flows: vec![Spanned {
                value: "*".to_owned(),
                span: 0..0,
            }],
            continue_on_failure: true,
            ..Self::default()
        }
    }

    /// Reads the settings over those of [`Self::none`], which an empty file gives. All errors are returned together,
    /// with the warnings; warnings alone are kept.
    fn read(source: &Arc<Source>) -> Result<Self, WorkspaceError> {
        let mut diagnostics = Vec::new();
        let node = yaml::read(source, &mut diagnostics);
        let mut settings = Self::none();
        if let Some(node) = node.filter(|node| !node.is_missing()) {
            match &node.kind {
                NodeKind::Map(entries) => {
                    let mut reader = SettingsReader {
                        source,
                        diagnostics: &mut diagnostics,
                    };
                    settings.take(&mut reader, entries);
                }
                _ => diagnostics.push(wrong(source, &node, "a map is expected here")),
            }
        }
        let is_error = |it: &&Diagnostic| it.severity == diagnostic::Severity::Error;
        if diagnostics.iter().any(|it| is_error(&it)) {
            return Err(WorkspaceError::Config(rendered(&diagnostics)));
        }
        settings.warnings = diagnostics;
        Ok(settings)
    }

    /// Reads the entries over the present settings, and reports wrong values: lists are empty then, all else stays.
    /// Warns of unknown keys and of those without effect here. Keys of Maestro's cloud and keys without a value are
    /// ignored.
    fn take(&mut self, reader: &mut SettingsReader<'_>, entries: &[(Key, Node)]) {
        for (key, node) in entries.iter().filter(|(_, node)| !node.is_missing()) {
            match key.text.as_str() {
                "flows" => self.flows = reader.texts(node),
                "includeTags" => self.include_tags = reader.texts(node),
                "excludeTags" => self.exclude_tags = reader.texts(node),
                "executionOrder" => {
                    let NodeKind::Map(entries) = &node.kind else {
                        reader.fail(node, "a map is expected here");
                        continue;
                    };
                    for (key, node) in entries.iter().filter(|(_, node)| !node.is_missing()) {
                        match key.text.as_str() {
                            "flowsOrder" => self.order = reader.texts(node),
                            "continueOnFailure" => {
                                let flag = node.scalar().and_then(Scalar::boolean);
                                match flag {
                                    Some(flag) => self.continue_on_failure = flag,
                                    None => reader.fail(node, "`true` or `false` is expected here"),
                                }
                            }
                            _ => reader.unknown(key, &["flowsOrder", "continueOnFailure"]),
                        }
                    }
                }
                "testOutputDir" => reader.ignored(
                    key,
                    "`testOutputDir` changes nothing here",
                    "say it with --test-output-dir, or as `reports: { artifacts: … }` in runner.yaml",
                ),
                name if KNOWN.contains(&name) => {}
                _ => reader.unknown(key, &KNOWN),
            }
        }
    }
}

struct SettingsReader<'a> {
    source: &'a Arc<Source>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl SettingsReader<'_> {
    /// Reads a text, as a list of one, or a list of texts. Reports other kinds of values, and returns an empty list
    /// then, also if only one item is wrong.
    fn texts(&mut self, node: &Node) -> Vec<Spanned<String>> {
        let text = |node: &Node| {
            node.scalar().map(|scalar| Spanned {
                value: scalar.text.clone(),
                span: node.span.clone(),
            })
        };
        let items = match &node.kind {
            NodeKind::Sequence(items) => items.iter().collect(),
            _ => vec![node],
        };
        let texts: Option<Vec<Spanned<String>>> = items.into_iter().map(text).collect();
        if texts.is_none() {
            self.fail(node, "a list of texts is expected here");
        }
        texts.unwrap_or_default()
    }

    /// Warns of a key that has no effect here.
    fn ignored(&mut self, key: &Key, message: &str, help: &str) {
        let place = SourceRange::new(self.source, key.span.clone());
        let mut diagnostic = error(&place, Code::Ignored, message);
        diagnostic.help = Some(help.to_owned());
        self.diagnostics.push(diagnostic);
    }

    /// Warns of a key that is not among `known`, with the most similar one or all.
    fn unknown(&mut self, key: &Key, known: &[&str]) {
        let message = format!("`{}` changes nothing: no key here has this name", key.text);
        let help = nearest(&key.text, known.iter().copied());
        let help = help.map_or_else(
            || format!("there are {}", known.join(", ")),
            |suggestion| format!("did you mean `{suggestion}`?"),
        );
        self.ignored(key, &message, &help);
    }

    fn fail(&mut self, node: &Node, message: &str) {
        self.diagnostics.push(wrong(self.source, node, message));
    }
}

/// Returns the error about a value of the wrong type.
fn wrong(source: &Arc<Source>, node: &Node, message: &str) -> Diagnostic {
    error(
        &SourceRange::new(source, node.span.clone()),
        Code::WrongType,
        message,
    )
}
