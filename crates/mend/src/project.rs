//! Selectors of the project's flows, read from the current files.

use camino::{Utf8Path, Utf8PathBuf};
use runner_flow::{Flow, SelectorUse, selectors};

/// Selectors of the flows of a project.
#[derive(Debug, Clone, Default)]
pub struct Project {
    flows: Vec<FlowSelectors>,
}

/// Selectors of one flow and its sub-flows.
#[derive(Debug, Clone)]
pub struct FlowSelectors {
    /// File of the flow, relative to the root.
    pub file: Utf8PathBuf,
    pub app: Option<String>,
    /// Selectors in the order of the steps, each place once.
    pub uses: Vec<SelectorUse>,
}

impl FlowSelectors {
    /// Collects the selectors of a parsed flow and of the sub-flows that it includes, in the order of the steps. A
    /// place that runs twice is listed once. Reads no file.
    pub fn new(flow: &Flow) -> Self {
        Self {
            file: flow.source.path.clone(),
            app: flow.app.clone(),
            uses: selectors(flow),
        }
    }
}

impl Project {
    pub fn new(flows: impl IntoIterator<Item = FlowSelectors>) -> Self {
        Self {
            flows: flows.into_iter().collect(),
        }
    }

    /// Returns the flow of this file, or `None` if the project has none. The path may come from an archive: it is
    /// compared, never opened.
    pub fn flow(&self, file: &Utf8Path) -> Option<&FlowSelectors> {
        self.flows.iter().find(|flow| flow.file == file)
    }

    pub fn flows(&self) -> impl Iterator<Item = &FlowSelectors> {
        self.flows.iter()
    }
}
