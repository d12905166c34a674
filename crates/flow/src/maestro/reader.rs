//! Reads a Maestro file into a flow: its header, its commands, and the files that they name.

use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;

use super::super::ast::{Dialect, Flow, Step};
use super::super::files::{inside, load, near_path, normalise};
use super::super::foreign;
use super::super::reader::{MAX_CHAIN, MAX_RUNS, Project, add, finish};
use super::super::report::{SourceRange, error, nearest, suggest};
use super::super::yaml::{self, Document, Node, NodeKind};
use super::advice;
use super::options::Options;
use super::tree::{Body, EnvEntries, Header, RawText};
use super::vocabulary::HEADER;
use runner_base::files::normal_parts;
use runner_text::diagnostic::{Code, Diagnostic, Severity, Source};
use runner_tools::file_in_other_form;

/// Returns true if the documents of a file look like a Maestro flow: the first is a map without `steps`, and
/// it has `appId` or `url` or is not the only document.
pub(crate) fn is_maestro(documents: &[Document]) -> bool {
    let Some(header) = documents.first().map(|document| &document.node) else {
        return false;
    };
    let may_be = matches!(header.kind, NodeKind::Map(_)) && header.entry("steps").is_none();
    may_be && (is_header(header) || documents.len() > 1)
}

/// Returns true if a document is the header of a Maestro flow: it has `appId` or `url`, and no `steps`.
pub(super) fn is_header(node: &Node) -> bool {
    let has = |name: &str| node.entry(name).is_some();
    !has("steps") && (has("appId") || has("url"))
}

pub(crate) struct Reader<'a> {
    pub(super) project: &'a Project<'a>,
    pub(super) source: Arc<Source>,
    /// Files that are being read, outermost first, this one last.
    chain: Vec<Utf8PathBuf>,
    /// Variables of the header with literal values, for file names, which are resolved before a run.
    constants: EnvEntries,
    /// False inside of commands that the flow itself restricts to another platform.
    pub(super) on_android: bool,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    /// Creates a reader for the file `source`. `chain` are the files that run it, outermost first, without itself; it
    /// is empty for a started flow. Reads nothing yet.
    pub(crate) fn new(
        project: &'a Project<'a>,
        source: Arc<Source>,
        chain: &[Utf8PathBuf],
    ) -> Self {
        let mut chain = chain.to_vec();
        chain.push(source.path.clone());
        Self {
            project,
            source,
            chain,
            constants: EnvEntries::new(),
            on_android: true,
            diagnostics: Vec::new(),
        }
    }

    /// Reads the documents as a flow: the first is the header, the second the commands. Also reads the files that it
    /// runs. Reports errors in `diagnostics`; returns `None` if there is no header, if it is invalid, or if the file
    /// is a flow of ours with a line `---`. A flow without commands, or without its wrong ones, is returned all the
    /// same. Further documents are ignored with a warning.
    pub(crate) fn flow(&mut self, documents: &[Document]) -> Option<Flow> {
        let Some(first) = documents.first() else {
            return self.no_header(0..0);
        };
        let NodeKind::Map(entries) = &first.node.kind else {
            return self.no_header(first.node.span.clone());
        };
        let second = documents.get(1);
        if let (false, Some(_), Some(second)) =
            (is_header(&first.node), first.node.entry("app"), second)
        {
            let message = "only a flow of Maestro's has a line `---`, and its header has `appId`";
            let help = if second.node.entry("steps").is_some() {
                "leave the line `---` out"
            } else {
                "write `steps:` in place of `---`"
            };
            let help = help.to_owned();
            self.fail_at(
                second.start.clone(),
                Code::SeveralDocuments,
                message,
                Some(help),
            );
            return None;
        }
        let options = Options::from_map(&first.node, entries);
        let header = self.header(&options, second);
        let env = header.iter().flat_map(|header| &header.env);
        let constants = env.filter(|(_, value)| !value.has_script());
        self.constants = constants.cloned().collect();
        let setup = self.hook(&options, "onFlowStart");
        let on_failure = self.hook(&options, "onFlowFailure");
        let teardown = self.hook(&options, "onFlowComplete");
        let steps = match second {
            Some(document) => self.commands_of(document),
            None => {
                self.no_commands(first.node.span.start..first.node.span.start);
                Vec::new()
            }
        };
        for more in documents.iter().skip(2) {
            if !more.node.is_missing() {
                let message = "what stands after the commands is never read";
                let help = Some("remove it, or move it to a file of its own".to_owned());
                self.fail_at(more.start.clone(), Code::Ignored, message, help);
            }
        }
        let header = header?;
        let key = self.key();
        let name = self.option_text(&options, "name").map(|name| name.text);
        let app = &header.app_id;
        Some(Flow {
            source: Arc::clone(&self.source),
            name: name.unwrap_or_else(|| key.file_name().unwrap_or("flow").to_owned()),
            key,
            app: (!app.has_script()).then(|| app.text.clone()),
            app_value: None,
            tags: self.tags(&options),
            dialect: Dialect::Maestro(Box::new(header)),
            env: IndexMap::new(),
            secrets: Vec::new(),
            timeout: None,
            step_timeout: None,
            teardown_timeout: None,
            retries: None,
            quarantine: None,
            needs: None,
            skip: None,
            cases: Vec::new(),
            table: None,
            outputs: Vec::new(),
            setup,
            steps,
            on_failure,
            teardown,
        })
    }

    /// Returns the flow's key: its path without extension, and without dots at the start of folder and file names. If
    /// both `x.yaml` and `x.yml` exist, the second keeps its extension. Asks the file system for that.
    fn key(&self) -> Utf8PathBuf {
        let path = &self.source.path;
        let other = path.with_extension("yaml");
        let is_second = other != *path && self.project.options.root.join(other).is_file();
        if is_second {
            key_of(path)
        } else {
            key_of(&path.with_extension(""))
        }
    }

    /// Reports that the file is no flow of Maestro's, and returns `None`.
    fn no_header(&mut self, span: Range<usize>) -> Option<Flow> {
        let help = "begin it with `appId: com.example.app` and a line `---`".to_owned();
        let message = "a flow of Maestro's begins with a map that has `appId`";
        self.fail_at(span, Code::NotAFlow, message, Some(help));
        None
    }

    /// Reports as an error that the flow has no list of commands.
    fn no_commands(&mut self, span: Range<usize>) {
        let help = "after the header write a line `---`, then commands: `- launchApp`".to_owned();
        let message = "this flow has no list of commands";
        self.fail_at(span, Code::NotAFlow, message, Some(help));
    }

    /// Reads the commands of a document. A document that is no list, and an empty list, are reported and have none.
    /// Wrong commands are reported and left out.
    fn commands_of(&mut self, document: &Document) -> Vec<Step> {
        match &document.node.kind {
            NodeKind::Sequence(_) => self.commands(&document.node),
            _ => {
                if let Some(help) = advice::without_dash(&document.node) {
                    let message = "the commands of a flow are a list";
                    self.fail(&document.node, Code::WrongType, message, Some(help));
                    return Vec::new();
                }
                let is_nothing = document.node.is_missing();
                let span = if is_nothing {
                    document.start.clone()
                } else {
                    document.node.span.clone()
                };
                self.no_commands(span);
                Vec::new()
            }
        }
    }

    /// Reads the commands of a hook; a missing hook has none. An empty list is reported, and wrong commands are
    /// reported and left out.
    fn hook(&mut self, options: &Options<'_>, name: &str) -> Vec<Step> {
        match options.get(name) {
            Some(node) => self.commands(node),
            None => Vec::new(),
        }
    }

    /// Reads `appId`, `env` and `properties` of the header, and reports unknown keys. Returns `None` after a report
    /// without `appId` or with one that is no text; `url` is reported and taken in its place. Wrong variables are
    /// reported and left out. `second` is the place of a missing `appId`.
    fn header(&mut self, options: &Options<'_>, second: Option<&Document>) -> Option<Header> {
        self.header_keys(options);
        let page = options.key("url");
        if let Some(key) = page {
            self.unsupported(key, "opens a web page; flows here test apps");
        }
        let app_id = match options.get("appId").or_else(|| options.get("url")) {
            Some(node) => self.text(node)?,
            None => {
                let span = second.map_or(0..0, |document| document.start.clone());
                let help = Some("add `appId: com.example.app` before `---`".to_owned());
                self.fail_at(span, Code::MissingKey, "this header has no `appId`", help);
                return None;
            }
        };
        let texts = |reader: &mut Self, name: &str| {
            let node = options.get(name);
            node.map(|node| reader.env(node)).unwrap_or_default()
        };
        Some(Header {
            app_id,
            env: texts(self, "env"),
            properties: texts(self, "properties")
                .into_iter()
                .map(|(name, value)| (name, value.text))
                .collect(),
        })
    }

    /// Reports unknown keys of the header: as an error if one resembles a known key, else as a warning. Maestro
    /// ignores all unknown keys. Also warns of a `jsEngine` other than `graaljs`.
    fn header_keys(&mut self, options: &Options<'_>) {
        for (key, value) in self.entries(options.node) {
            let name = key.text.as_str();
            let is_graal = || value.scalar().is_some_and(|it| it.text == "graaljs");
            if name == "jsEngine" && !is_graal() {
                // Scripts run as in Maestro's newer engine, so only the older one is missing.
                self.ignored(key, "all scripts run as with `graaljs`");
            }
            if HEADER.contains(&name) {
                continue;
            }
            match nearest(name, HEADER.iter().copied()) {
                Some(suggestion) => {
                    let message = format!("a header has no key `{name}`");
                    let help = Some(format!("did you mean `{suggestion}`?"));
                    self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
                }
                None => {
                    let message =
                        format!("`{name}` changes nothing: no key of a header has this name");
                    let help = foreign::maestro::header_key(name);
                    self.fail_at(key.span.clone(), Code::Ignored, message, help);
                }
            }
        }
    }

    /// Reads the tags as they are written, with duplicates; none if the key is missing. Items that are no text, and a
    /// value that is no list, are reported and left out.
    fn tags(&mut self, options: &Options<'_>) -> Vec<String> {
        let Some(node) = options.get("tags") else {
            return Vec::new();
        };
        let items = self.items(node);
        items
            .iter()
            .filter_map(|item| self.text(item))
            .map(|tag| tag.text)
            .collect()
    }

    /// Reads the body of `runFlow` and `retry`: either `file`, whose flow is read, or `commands`. Both, neither and a
    /// file that cannot be read are reported and return `None`. Wrong commands are reported and left out.
    pub(super) fn body(&mut self, name: &str, options: &Options<'_>) -> Option<Body> {
        match (options.get("file"), options.get("commands")) {
            (Some(_), Some(_)) => {
                let message = format!("`{name}` takes `file` or `commands`, not both");
                self.fail(options.node, Code::Step, message, None);
                None
            }
            (Some(file), None) => self.sub_flow(file).map(Body::File),
            (None, Some(commands)) => Some(Body::Commands(self.commands(commands))),
            (None, None) => {
                let message = format!("`{name}` says neither `file` nor `commands`");
                self.fail(options.node, Code::MissingKey, message, None);
                None
            }
        }
    }

    pub(super) fn option_env(&mut self, options: &Options<'_>) -> EnvEntries {
        let node = options.get("env");
        node.map(|node| self.env(node)).unwrap_or_default()
    }

    /// Reads a Maestro flow of another file, or takes the one that was read before; flows for other platforms are
    /// read apart. Its diagnostics are added once. A file that cannot be read, circles and too many files are
    /// reported and return `None`. A flow with errors returns `None` too, and is reported only when it is read first.
    fn sub_flow(&mut self, node: &Node) -> Option<Arc<Flow>> {
        let text = self.text(node)?;
        let (path, absolute) = self.file(&text, Code::SubFlow)?;
        if let Some(at) = self.chain.iter().position(|file| *file == path) {
            let mut chain: Vec<&str> = self.chain[at..].iter().map(|file| file.as_str()).collect();
            chain.push(path.as_str());
            let message = format!("flows run in a circle: {}", chain.join(" -> "));
            self.fail(node, Code::SubFlowCycle, message, None);
            return None;
        }
        let known = (path.clone(), self.on_android);
        if let Some(flow) = self.project.maestro_flows.borrow().get(&known) {
            return flow.clone();
        }
        let runs = self.project.count_run();
        if self.chain.len() >= MAX_CHAIN || runs > MAX_RUNS {
            let message = format!(
                "too many files: at most {MAX_CHAIN} one inside another, {MAX_RUNS} in all"
            );
            self.fail(node, Code::TooLarge, message, None);
            return None;
        }
        let source = self.load(&text, &path, &absolute, Code::SubFlow)?;
        let mut reader = Reader::new(self.project, source, &self.chain);
        reader.on_android = self.on_android;
        let documents = yaml::read_documents(&reader.source, &mut reader.diagnostics);
        let flow = documents.and_then(|documents| reader.flow(&documents));
        let (flow, found) = finish(flow, reader.diagnostics);
        add(&mut self.diagnostics, found);
        let flow = flow.map(Arc::new);
        let mut flows = self.project.maestro_flows.borrow_mut();
        flows.insert(known, flow.clone());
        flow
    }

    /// Loads a script at a path in this file. Reports one that is missing, outside of the root or not
    /// readable, and returns `None`.
    pub(super) fn script(&mut self, text: &RawText) -> Option<Arc<Source>> {
        let (path, absolute) = self.file(text, Code::Unreadable)?;
        self.load(text, &path, &absolute, Code::Unreadable)
    }

    /// Loads a file. A problem is reported with `code` at the place that names it, and returns `None`.
    fn load(
        &mut self,
        text: &RawText,
        path: &Utf8Path,
        absolute: &Utf8Path,
        code: Code,
    ) -> Option<Arc<Source>> {
        match load(absolute, path) {
            Ok(source) => Some(source),
            Err(diagnostic) => {
                let message = format!("`{}`: {}", text.text, diagnostic.message);
                self.fail_at(text.span.clone(), code, message, None);
                None
            }
        }
    }

    /// Resolves a path in this file to one relative to the root and an absolute one. It is relative to the file's
    /// folder, or absolute. Variables of the header with literal values are replaced in it first. A missing file, and
    /// one outside of the root, also by a link, are reported with `code` and return `None`. Does not read the file.
    pub(super) fn file(
        &mut self,
        text: &RawText,
        code: Code,
    ) -> Option<(Utf8PathBuf, Utf8PathBuf)> {
        let written = &self.with_constants(&text.text);
        let root = &self.project.options.root;
        let folder = self.source.path.parent().unwrap_or(Utf8Path::new(""));
        let requested = Utf8Path::new(written);
        let below = match requested.strip_prefix(root) {
            Ok(below) => normalise(below),
            Err(_) if requested.is_absolute() => None,
            Err(_) => normalise(&folder.join(requested)),
        };
        let Some(path) = below else {
            let message = format!("`{written}` leaves the project's root `{root}`");
            let help =
                "the root is the nearest folder above with runner.yaml, `.maestro` or `.git`";
            self.fail_at(text.span.clone(), code, message, Some(help.to_owned()));
            return None;
        };
        let absolute = root.join(&path);
        if let Err(message) = inside(&absolute, root) {
            let help = if written.contains("${") {
                Some(
                    "files are read before anything runs: only a name whose value stands in `env` of this header may be in `${}` here"
                        .to_owned(),
                )
            } else {
                let near = near_path(written, &absolute);
                file_in_other_form(&absolute)
                    .or_else(|| near.map(|near| format!("did you mean `{near}`?")))
            };
            self.fail_at(
                text.span.clone(),
                code,
                format!("`{written}`: {message}"),
                help,
            );
            return None;
        }
        Some((path, absolute))
    }

    /// Replaces `${NAME}`, without blanks, in a file name by the literal value that the header gives to the variable.
    /// Other expressions stay.
    fn with_constants(&self, text: &str) -> String {
        let constants = self.constants.iter();
        constants.fold(text.to_owned(), |text, (name, value)| {
            text.replace(&format!("${{{name}}}"), &value.text)
        })
    }

    /// Returns true if no error was added since there were `before` diagnostics.
    pub(super) fn is_good_since(&self, before: usize) -> bool {
        let found = &self.diagnostics[before..];
        found.iter().all(|it| it.severity == Severity::Warning)
    }

    /// Reports a problem at a node, as [`Self::fail_at`] does.
    pub(super) fn fail(
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
    pub(super) fn fail_at(
        &mut self,
        span: Range<usize>,
        code: Code,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let mut diagnostic = error(&SourceRange::new(&self.source, span), code, message);
        diagnostic.help = help;
        self.diagnostics.push(diagnostic);
    }

    /// Reports as an error a word that is none of the known ones, with the nearest or all of them as help. The caller
    /// decides that it is none.
    pub(super) fn unknown_value<'n>(
        &mut self,
        node: &Node,
        message: String,
        known: impl IntoIterator<Item = &'n str>,
    ) {
        let word = node.scalar().map(|scalar| scalar.text.as_str());
        let help = suggest(word.unwrap_or_default(), known);
        self.fail(node, Code::UnknownValue, message, help);
    }
}

/// Returns the key of a file: its path, without dots at the start of its parts. The caller removes the
/// extension.
fn key_of(path: &Utf8Path) -> Utf8PathBuf {
    let path = normal_parts(path);
    let parts = path.components().map(|part| {
        let part = part.as_str();
        let plain = part.trim_start_matches('.');
        if plain.is_empty() { part } else { plain }
    });
    parts.collect()
}
