//! Finds and reads the files that a Maestro file names: flows that it runs, and scripts.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::super::ast::Flow;
use super::super::files::{inside, load, normalise};
use super::super::missing_file::meant_file;
use super::super::reader::{MAX_CHAIN, MAX_RUNS, add, find_circle, finish};
use super::super::yaml::{self, Node};
use super::reader::Reader;
use super::tree::RawText;
use runner_text::diagnostic::{Code, Source};

impl Reader<'_> {
    /// Reads a Maestro flow of another file, or takes the one that was read before; flows for other platforms are
    /// read apart. Its diagnostics are added once. A file that cannot be read, circles and too many files are
    /// reported and return `None`. A flow with errors returns `None` too, and is reported only when it is read first.
    pub(super) fn sub_flow(&mut self, node: &Node) -> Option<Arc<Flow>> {
        let text = self.text(node)?;
        let (path, absolute) = self.file(&text, Code::SubFlow)?;
        if let Some(circle) = find_circle(&self.chain, &path) {
            let message = format!("flows run in a circle: {circle}");
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
                meant_file(written, &absolute)
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
}
