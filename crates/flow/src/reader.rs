//! Reads flow files: the header, and the sub-flows that a flow runs.

mod applicability;
mod diagnostics;
mod env;
mod file;
mod flow;
mod header;
mod project;
mod sub_flow;
mod surrounding;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::ast::Flow;
use super::files::{ContainmentError, below, inside, load};
use super::names::Names;
use super::report::{SourceRange, error};
use super::vocabulary::{self, Vocabulary};
use super::{error_hints, goldens, maestro, missing_apps, yaml};
use runner_text::diagnostic::{self, Code, Diagnostic, Source};

pub(super) use diagnostics::finish;
pub(crate) use diagnostics::{add, has_error};
pub(crate) use file::{Reader, find};
pub(crate) use project::Project;
pub use project::ReadOptions;
pub(super) use project::{MAX_CHAIN, MAX_RUNS, find_circle};
pub use surrounding::{SurroundingSteps, read_surrounding};

/// Reads a flow file of either language. `path` is absolute or relative to the root. Returns all errors and warnings
/// of the file and its sub-flows; without errors also the flow. A file that cannot be read is such an error.
pub fn read_flow(path: &Utf8Path, options: &ReadOptions) -> (Option<Flow>, Vec<Diagnostic>) {
    read_with(path, options, vocabulary::standard())
}

/// Reads the text of a flow that is not saved, as if it were the file `path` (below the root). Sub-flows and
/// tables are read from the disk. Otherwise like [`read_flow`].
pub fn read_text(
    path: &Utf8Path,
    text: String,
    options: &ReadOptions,
) -> (Option<Flow>, Vec<Diagnostic>) {
    let path = Utf8PathBuf::from(path.as_str().replace('\\', "/"));
    let source = Arc::new(Source { path, text });
    read_source(source, options, vocabulary::standard())
}

/// Reads a flow file like [`read_flow`], with another vocabulary. `path` may be outside of the root, but a link in
/// the root must not lead out of it. `runner.yaml` and the `app.yaml` of a virtual device's app are errors. Returns
/// no flow if there is an error, and all diagnostics sorted by their offset, without secrets.
pub(crate) fn read_with(
    path: &Utf8Path,
    options: &ReadOptions,
    vocabulary: &Vocabulary,
) -> (Option<Flow>, Vec<Diagnostic>) {
    let absolute = options.root.join(path);
    let displayed = below(&absolute, &options.root).unwrap_or_else(|| path.to_owned());
    // A person may name a file outside of the root, but a link must not lead there. The error quotes none of its text.
    let by_link = absolute.starts_with(&options.root);
    if matches!(displayed.file_name(), Some("runner.yaml" | "runner.yml")) {
        let unread = Source::unread(&displayed);
        let place = SourceRange::new(&unread, 0..0);
        let message = "this file has the settings of the project, and is no flow";
        let mut diagnostic = error(&place, Code::NotAFlow, message);
        let help = "`runner lint` without a path reads it with all flows; `runner config` prints the settings";
        diagnostic.help = Some(help.to_owned());
        return (None, vec![diagnostic]);
    }
    if matches!(displayed.file_name(), Some("app.yaml" | "app.yml")) && is_app(&absolute) {
        let unread = Source::unread(&displayed);
        let place = SourceRange::new(&unread, 0..0);
        let message = "this file is an app of the virtual device, and no flow";
        let folder = displayed.parent().map_or(".", Utf8Path::as_str);
        let folder = if folder.is_empty() { "." } else { folder };
        let mut diagnostic = error(&place, Code::NotAFlow, message);
        diagnostic.help = Some(format!(
            "`apps: [{folder}]` in runner.yaml, or `--app {folder}`, gives it to the device; `runner lint` without a path checks it"
        ));
        return (None, vec![diagnostic]);
    }
    let source = match inside(&absolute, &options.root) {
        Err(ContainmentError::Outside) if by_link => Err(Box::new(error(
            &SourceRange::new(&Source::unread(&displayed), 0..0),
            Code::Unreadable,
            ContainmentError::Outside.to_string(),
        ))),
        _ => load(&absolute, &displayed),
    };
    match source {
        Ok(source) => read_source(source, options, vocabulary),
        Err(diagnostic) => (None, vec![*diagnostic]),
    }
}

/// Returns true if the file has a line that begins with `package:` or `activities:`, as an app of the virtual device.
/// A file that cannot be read is none.
fn is_app(path: &Utf8Path) -> bool {
    let source = load(path, path);
    source.is_ok_and(|source| {
        let mut lines = source.text.lines();
        lines.any(|line| line.starts_with("package:") || line.starts_with("activities:"))
    })
}

/// Reads a flow of either language from its text; sub-flows and tables are read from the disk. Returns no flow if
/// there is an error, and all diagnostics sorted by their offset, without secrets. Checks of goldens and missing apps
/// are for flows of our own alone.
fn read_source(
    source: Arc<Source>,
    options: &ReadOptions,
    vocabulary: &Vocabulary,
) -> (Option<Flow>, Vec<Diagnostic>) {
    let project = Project::new(options, vocabulary);
    let mut found = Vec::new();
    let documents = yaml::read_documents(&source, &mut found);
    let (flow, read) = match documents {
        None => (None, Vec::new()),
        Some(documents) if maestro::is_maestro(&documents) => {
            let mut reader = maestro::Reader::new(&project, source, &[]);
            (reader.flow(&documents), reader.diagnostics)
        }
        Some(documents) => {
            let names = Names::new(options.env.iter().cloned());
            let mut reader = Reader::new(&project, source, names, &[]);
            let node = yaml::only(documents, &reader.source, &mut reader.diagnostics);
            let flow = node.and_then(|node| reader.flow(&node));
            if let Some(flow) = &flow {
                let repeated = goldens::repeated(flow);
                add(&mut reader.diagnostics, repeated);
                reader.diagnostics.extend(missing_apps::missing_apps(flow));
                add(&mut reader.diagnostics, missing_apps::other_apps(flow));
            }
            (flow, reader.diagnostics)
        }
    };
    found.extend(read);
    error_hints::explain(&mut found, vocabulary);
    let diagnostics = diagnostic::without_secrets(found, &options.secrets, &options.hidden);
    finish(flow, diagnostics)
}
