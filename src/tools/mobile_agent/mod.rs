//! Catalogue B: the mobile-agent tools, `mobile_agent.…` as steps. Results are dictionaries with `success`; a call that
//! could not be carried out is an answer with `success: false`, which fails a step.

use super::Entry;

/// The catalogue's tools, in the order of the docs.
pub(super) fn entries() -> Vec<Entry> {
    Vec::new()
}
