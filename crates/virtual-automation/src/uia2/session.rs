//! Sessions, their capabilities, and the elements found in them.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::found_element::FoundElement;

/// Limit for remembered elements. Chosen: the least recently used ones are forgotten.
const MAX_ELEMENTS: usize = 500;
/// Key of an element's id in the W3C protocol.
const W3C_ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// Key of an element's id in the older JSON wire protocol.
const OLD_ELEMENT: &str = "ELEMENT";

/// The only session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) capabilities: Map<String, Value>,
    pub(crate) elements: Elements,
}

impl Session {
    /// Creates a session with a random id and no elements.
    pub(super) fn new(capabilities: Map<String, Value>) -> Self {
        let random = fastrand::u128(..);
        let id = uuid((random >> 64) as u64, random as u64);
        Self {
            id,
            capabilities,
            elements: Elements::default(),
        }
    }
}

/// Formats two numbers as a UUID; no version bits are set.
fn uuid(high: u64, low: u64) -> String {
    let text = format!("{high:016x}{low:016x}");
    format!(
        "{}-{}-{}-{}-{}",
        &text[..8],
        &text[8..12],
        &text[12..16],
        &text[16..20],
        &text[20..]
    )
}

/// Elements by their ids, the most recently used last.
#[derive(Debug, Default)]
pub(crate) struct Elements {
    keys: IndexMap<String, u64>,
}

impl Elements {
    /// Registers an element, and returns its reference for the client, under the old and the new key. The
    /// same view has the same id again. Beyond 500 elements, the one not found or used for longest is forgotten.
    pub(crate) fn add(&mut self, found: &FoundElement) -> Value {
        // As the server's: the window, and the view in it.
        let id = uuid(u64::from(found.window.unsigned_abs()), found.key);
        self.keys.shift_remove(&id);
        self.keys.insert(id.clone(), found.key);
        if self.keys.len() > MAX_ELEMENTS {
            self.keys.shift_remove_index(0);
        }
        json!({ OLD_ELEMENT: id, W3C_ELEMENT: id })
    }

    pub(crate) fn key(&mut self, id: &str) -> Option<u64> {
        let key = self.keys.shift_remove(id)?;
        self.keys.insert(id.to_owned(), key);
        Some(key)
    }
}

/// Reference to an element in either protocol.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ElementReference {
    #[serde(rename = "element-6066-11e4-a52e-4f735466cecf")]
    w3c: Option<String>,
    #[serde(rename = "ELEMENT", alias = "element")]
    old: Option<String>,
}

impl ElementReference {
    pub(crate) fn id(&self) -> Option<&str> {
        self.old.as_deref().or(self.w3c.as_deref())
    }
}
