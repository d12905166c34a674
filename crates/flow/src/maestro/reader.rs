//! Reads a Maestro file into a flow, and reports what is wrong in it.

use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;

use super::super::ast::{Dialect, Flow, Step};
use super::super::reader::Project;
use super::super::report::{SourceRange, error, suggest};
use super::super::yaml::{Document, Node, NodeKind};
use super::advice;
use super::options::Options;
use super::tree::{Body, EnvEntries};
use runner_base::files::normal_parts;
use runner_text::diagnostic::{Code, Diagnostic, Severity, Source};

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
    pub(super) chain: Vec<Utf8PathBuf>,
    /// Variables of the header with literal values, for file names, which are resolved before a run.
    pub(super) constants: EnvEntries,
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
