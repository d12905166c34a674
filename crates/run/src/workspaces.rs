//! Applies Maestro's workspace configurations to a plan: tags, execution order, and what a failure ends.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::filter::Filter;
use runner_event::FlowId;
use runner_event::FlowStatus;
use runner_flow::maestro::{Workspace, WorkspaceError};
use runner_flow::{Discovery, Flow, Spanned};
use runner_text::diagnostic::{Code, Diagnostic, Source};

/// Flows that run one after another. A failed flow ends those after it.
#[derive(Debug, Clone)]
pub struct Sequence {
    /// Files of the flows, relative to the root.
    flows: Vec<Utf8PathBuf>,
}

impl Sequence {
    /// Returns true if a flow belongs to the sequence.
    pub(super) fn has(&self, flow: &Utf8Path) -> bool {
        self.flows.iter().any(|path| path == flow)
    }

    /// Returns an earlier flow of the sequence that did not pass on this device. `None` if there is none, or the
    /// flow is not in the sequence.
    pub(super) fn broken_by<'a>(
        &self,
        flow: &Utf8Path,
        device: &str,
        not_passed: &'a [(FlowId, FlowStatus)],
    ) -> Option<&'a Utf8Path> {
        let at = self.flows.iter().position(|file| file == flow)?;
        let before = &self.flows[..at];
        let failed = not_passed
            .iter()
            .find(|(id, _)| id.device == device && before.contains(&id.flow));
        failed.map(|(id, _)| id.flow.as_path())
    }
}

/// Workspaces of a plan.
pub(super) struct Workspaces<'a> {
    all: &'a [Workspace],
    of_file: HashMap<&'a Utf8Path, &'a Workspace>,
}

impl<'a> Workspaces<'a> {
    pub(super) fn new(discovery: &'a Discovery) -> Self {
        let mut of_file = HashMap::new();
        for workspace in &discovery.workspaces {
            for file in &workspace.files {
                of_file.insert(file.as_path(), workspace);
            }
        }
        Self {
            all: &discovery.workspaces,
            of_file,
        }
    }

    /// Returns warnings about keys of the configurations that have no effect here.
    pub(super) fn warnings(&self) -> impl Iterator<Item = &'a Diagnostic> {
        self.all.iter().flat_map(|workspace| &workspace.warnings)
    }

    /// Returns the filter for a file: the command line's tags and those of its workspace, included and
    /// excluded ones added to it. Without a workspace it is the command line's.
    pub(super) fn filter(&self, file: &Utf8Path, filter: &Filter) -> Filter {
        let mut filter = filter.clone();
        if let Some(workspace) = self.of_file.get(file) {
            let values = |tags: &[Spanned<String>]| -> Vec<String> {
                tags.iter().map(|tag| tag.value.clone()).collect()
            };
            filter.tags.extend(values(&workspace.include_tags));
            filter.excluded.extend(values(&workspace.exclude_tags));
        }
        filter
    }

    /// Returns warnings for tags of the workspaces' files that no flow has, included and excluded ones, each at its
    /// place. A workspace without a file has none.
    pub(super) fn unknown_tags(&self, known: &HashSet<String>) -> Vec<Diagnostic> {
        let of = |workspace: &'a Workspace| {
            let tags = workspace.include_tags.iter().chain(&workspace.exclude_tags);
            let unknown = tags.filter(|tag| !known.contains(&tag.value));
            unknown.filter_map(|tag| {
                let message = format!("no flow has the tag `{}`", tag.value);
                Some(diagnostic(
                    workspace.config.as_ref()?,
                    tag,
                    Code::UnknownTag,
                    message,
                ))
            })
        };
        self.all.iter().flat_map(of).collect()
    }

    /// Moves the flows that `executionOrder` names to the front, workspace by workspace; the others keep their order. A
    /// name without a flow ends its workspace's order, with a warning; it is an error if no flow came before it but a
    /// later name has one. Returns the sequences of which a failure ends the rest, one, maybe empty, for each workspace
    /// that does not continue on failure.
    pub(super) fn order(
        &self,
        flows: &mut Vec<Arc<Flow>>,
        root: &Utf8Path,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<Vec<Sequence>, WorkspaceError> {
        let mut sequences = Vec::new();
        let mut first: Vec<Arc<Flow>> = Vec::new();
        for workspace in self.all {
            let files: HashSet<&Utf8Path> =
                workspace.files.iter().map(Utf8PathBuf::as_path).collect();
            let is_its = |flow: &&Arc<Flow>| files.contains(root.join(&flow.source.path).as_path());
            let of_it: Vec<&Arc<Flow>> = flows.iter().filter(is_its).collect();
            let named = in_order(&of_it, workspace, warnings)?;
            if !workspace.continue_on_failure {
                sequences.push(Sequence {
                    flows: named.iter().map(|it| it.source.path.clone()).collect(),
                });
            }
            first.extend(named);
        }
        let is_first = |flow: &Arc<Flow>| first.iter().any(|it| Arc::ptr_eq(it, flow));
        let rest: Vec<Arc<Flow>> = flows.iter().filter(|it| !is_first(it)).cloned().collect();
        first.extend(rest);
        *flows = first;
        Ok(sequences)
    }
}

/// Returns the flows that the names of `executionOrder` begin with, each once. Of flows of the same name the last
/// counts. Like in Maestro, a name without a flow ends the sequence, with a warning. It is an error if no flow came
/// before it but a later name has one.
fn in_order(
    flows: &[&Arc<Flow>],
    workspace: &Workspace,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<Arc<Flow>>, WorkspaceError> {
    // A flow without a name is called after its file, as in its key.
    let by_name: HashMap<&str, &Arc<Flow>> = flows
        .iter()
        .map(|flow| (flow.name.as_str(), *flow))
        .collect();
    let mut named: Vec<Arc<Flow>> = Vec::new();
    for name in &workspace.order {
        match by_name.get(name.value.as_str()) {
            Some(flow) if named.iter().any(|it| Arc::ptr_eq(it, flow)) => {}
            Some(flow) => named.push(Arc::clone(flow)),
            None => {
                let others = workspace.order.iter();
                let is_some = others
                    .into_iter()
                    .any(|it| by_name.contains_key(it.value.as_str()));
                if named.is_empty() && is_some {
                    return Err(WorkspaceError::Order {
                        config: workspace
                            .config
                            .as_ref()
                            .map(|config| config.path.clone())
                            .unwrap_or_default(),
                        name: name.value.clone(),
                    });
                }
                if let Some(config) = &workspace.config {
                    warnings.push(no_such_flow(config, name));
                }
                break;
            }
        }
    }
    Ok(named)
}

/// Returns the warning that the order ends before a name that no flow has.
fn no_such_flow(config: &Arc<Source>, name: &Spanned<String>) -> Diagnostic {
    let message = format!(
        "no flow that runs is called `{}`: the order ends before it",
        name.value
    );
    diagnostic(config, name, Code::Ignored, message)
}

fn diagnostic(
    config: &Arc<Source>,
    at: &Spanned<String>,
    code: Code,
    message: String,
) -> Diagnostic {
    Diagnostic {
        code,
        severity: code.severity(),
        message,
        source: Arc::clone(config),
        span: at.span.clone(),
        labels: Vec::new(),
        help: None,
    }
}
