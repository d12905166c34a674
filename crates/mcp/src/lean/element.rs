//! Reads how the arguments of a lean tool name an element.

use serde_json::{Value, json};

use runner_engine::short_ids;
use runner_tools::Failure;

/// Element as the arguments name it.
pub(super) enum Element {
    /// Id of an earlier look, such as `@e12`.
    Observed(String),
    /// Selector: words or a resource id.
    Selected(Value),
}

impl Element {
    /// Reads the arguments `on` and `id`. `None` if both are left out. An `on` such as `@e12` is an id of a
    /// look; any other is the element's words. `id` is a resource id.
    ///
    /// # Errors
    /// Both are given.
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

    /// Returns the element in the form of a step's argument: the id of a look or the words as a text, a resource id as
    /// an object.
    pub fn into_value(self) -> Value {
        match self {
            Self::Observed(id) => id.into(),
            Self::Selected(on) => on,
        }
    }

    /// Reads the arguments `on` and `id` of a tool that needs exactly one of them. `tool` is its name in the
    /// failure.
    ///
    /// # Errors
    /// Both or none are given.
    pub fn required(on: Option<String>, id: Option<String>, tool: &str) -> Result<Self, Failure> {
        Self::read(on, id)?.ok_or_else(|| {
            Failure::usage(format!(
                "`{tool}`: say which element: `on` with its id from runner_look or its words, or `id` with its \
                 resource id"
            ))
        })
    }
}
