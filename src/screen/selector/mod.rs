//! Selectors: how a person points at an element. The contract is the flow language's chapter "Selector".

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{NodeIndex, Screen};

/// A selector: a string (text, desc or hint) or a map of conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct Selector {}

/// An element that almost matched, and the edit of the selector that would match it.
#[derive(Debug, Clone, PartialEq)]
pub struct NearMiss {
    /// The element.
    pub node: NodeIndex,
    /// Why it did not match, for a person: `text differs only in case`.
    pub why: String,
    /// The selector to write instead, as YAML on one line.
    pub write: String,
}

impl Selector {
    /// All matching nodes, in document order, but nearest first where a relation asks for it.
    pub fn find(&self, screen: &Screen) -> Vec<NodeIndex> {
        let _ = screen;
        todo!()
    }

    /// The nearest misses, best first, at most `limit`.
    pub fn near_misses(&self, screen: &Screen, limit: usize) -> Vec<NearMiss> {
        let _ = (screen, limit);
        todo!()
    }

    /// A stable selector that picks just this node: by id, else text, else desc, else by relation or index.
    pub fn picking(screen: &Screen, node: NodeIndex) -> Self {
        let _ = (screen, node);
        todo!()
    }

    /// Splits into what locates an element and what is expected of it, as `assert` reads it:
    /// `id`, `class`, relations, `index` and `window` locate; all else is expected. With only a text, it locates.
    pub fn split_expectations(&self) -> (Self, Vec<Expectation>) {
        todo!()
    }
}

/// One expected property of an element.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// Its name as in the selector: `text`, `enabled`.
    pub property: &'static str,
    /// What is expected, as it is shown.
    pub expected: String,
}

impl Expectation {
    /// The actual value, and whether it is as expected.
    pub fn check(&self, screen: &Screen, node: NodeIndex) -> (bool, String) {
        let _ = (screen, node);
        todo!()
    }
}

/// The selector as YAML on one line.
impl std::fmt::Display for Selector {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        todo!()
    }
}

impl<'de> Deserialize<'de> for Selector {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        todo!()
    }
}

impl Serialize for Selector {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        todo!()
    }
}

impl JsonSchema for Selector {
    fn schema_name() -> Cow<'static, str> {
        "Selector".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        todo!()
    }
}
