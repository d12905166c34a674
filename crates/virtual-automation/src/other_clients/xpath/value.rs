//! Values of expressions: texts, numbers, booleans and sets of nodes.

/// A node of the document. Variants and indices are in document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    Document,
    /// Root element, the parent of all windows' roots.
    Hierarchy,
    Element(usize),
}

#[derive(Debug, Clone)]
pub(super) enum Value {
    Text(String),
    Number(f64),
    Truth(bool),
    /// Nodes and values of attributes. Texts of nodes are empty, as elements here have none of their own.
    Set(NodeSet),
}

/// Elements, or values of attributes.
#[derive(Debug, Clone)]
pub(super) struct NodeSet {
    pub nodes: Vec<Node>,
    pub attributes: Vec<String>,
}

impl NodeSet {
    pub(super) fn len(&self) -> usize {
        self.nodes.len() + self.attributes.len()
    }

    /// Returns the values of the nodes as texts: the values of attributes, and an empty text for each
    /// element, as elements hold no text.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let elements = self.nodes.iter().map(|_| "");
        elements.chain(self.attributes.iter().map(String::as_str))
    }
}

impl Value {
    /// Returns the value as text: of a set that of its first node, empty without one.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Truth(truth) => truth.to_string(),
            Self::Set(set) => set.texts().next().unwrap_or_default().to_owned(),
        }
    }

    /// Returns the value as a number: NaN for a text that is none.
    pub(super) fn number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Truth(truth) => f64::from(u8::from(*truth)),
            _ => self.text().trim().parse().unwrap_or(f64::NAN),
        }
    }

    /// Returns the value as a truth: false for an empty text or set, 0 and NaN.
    pub(super) fn truth(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_empty(),
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Truth(truth) => *truth,
            Self::Set(set) => set.len() > 0,
        }
    }
}
