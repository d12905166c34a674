//! How a lean tool names an element.

use serde_json::{Value, json};

use runner_engine::short_ids;
use runner_tools::Failure;

/// An element, as it is named.
pub(super) enum Element {
    /// By the id of a look.
    Observed(String),
    /// By a selector.
    Selected(Value),
}

impl Element {
    /// The one that the arguments name, if any.
    pub fn read(on: Option<String>, id: Option<String>) -> Result<Option<Self>, Failure> {
        Ok(match (on, id) {
            (None, None) => None,
            (Some(observed), None) if short_ids::number(&observed).is_some() => {
                Some(Self::Observed(observed))
            }
            (Some(words), None) => Some(Self::Selected(words.into())),
            (None, Some(id)) => Some(Self::Selected(json!({ "id": id }))),
            (Some(_), Some(_)) => {
                let message = "`on` and `id` each name an element; leave one of them out";
                return Err(Failure::usage(message));
            }
        })
    }

    /// As a step has it.
    pub fn into_value(self) -> Value {
        match self {
            Self::Observed(id) => id.into(),
            Self::Selected(on) => on,
        }
    }

    /// The one that the arguments of a tool must name.
    pub fn needed(on: Option<String>, id: Option<String>, tool: &str) -> Result<Self, Failure> {
        Self::read(on, id)?.ok_or_else(|| {
            Failure::usage(format!(
                "`{tool}`: say which element: `on` with its id from runner_look or its words, or `id` with its \
                 resource id"
            ))
        })
    }
}
