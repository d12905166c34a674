//! Scripts with the data of flows, as the summary links them.

use indexmap::IndexMap;

use runner_event::ResultKey;

/// Scripts that were written already, by result.
pub(super) type WrittenScripts = IndexMap<ResultKey, Script>;

/// Script of a flow: its link, and that of the picture that represents the flow.
#[derive(Debug, Clone)]
pub(super) struct Script {
    pub href: String,
    pub picture: Option<String>,
}
