//! The selectors of the project's flows, as their files are now.

use camino::{Utf8Path, Utf8PathBuf};
use runner_flow::{Flow, SelectorUse, selectors};

/// The selectors of the flows of a project.
#[derive(Debug, Clone, Default)]
pub struct Project {
    flows: Vec<FlowSelectors>,
}

/// The selectors of one flow and its sub-flows.
#[derive(Debug, Clone)]
pub struct FlowSelectors {
    /// The flow's file, below the root.
    pub file: Utf8PathBuf,
    /// Its app.
    pub app: Option<String>,
    /// In the order of the steps, each place once.
    pub uses: Vec<SelectorUse>,
}

impl FlowSelectors {
    /// Finds the selectors of a flow.
    pub fn new(flow: &Flow) -> Self {
        Self {
            file: flow.source.path.clone(),
            app: flow.app.clone(),
            uses: selectors(flow),
        }
    }
}

impl Project {
    /// A project of these flows.
    pub fn new(flows: impl IntoIterator<Item = FlowSelectors>) -> Self {
        Self {
            flows: flows.into_iter().collect(),
        }
    }

    /// Returns a flow by its file. A path from elsewhere is only compared, never opened.
    pub fn flow(&self, file: &Utf8Path) -> Option<&FlowSelectors> {
        self.flows.iter().find(|flow| flow.file == file)
    }

    /// Returns all flows.
    pub fn flows(&self) -> impl Iterator<Item = &FlowSelectors> {
        self.flows.iter()
    }
}
