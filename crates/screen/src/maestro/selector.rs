//! Selector of Maestro as a value: its conditions, and its form in words.

use super::expression::Expression;

/// Selector of Maestro. All its conditions must hold.
#[derive(Debug, Clone, Default)]
pub struct MaestroSelector {
    /// Pattern for the whole text, hint or description.
    pub text: Option<Expression>,
    /// Pattern for the whole resource id, or for its part after the last `/`.
    pub id: Option<Expression>,
    /// Width and height of the element.
    pub size: Option<Size>,
    pub enabled: Option<bool>,
    pub checked: Option<bool>,
    pub focused: Option<bool>,
    pub selected: Option<bool>,
    /// Looks that the element must have.
    pub traits: Vec<Trait>,
    /// Positions relative to other elements.
    pub relations: Vec<(Relation, MaestroSelector)>,
    /// Selectors that must each match something below the element. An empty list also limits the search to
    /// the scope.
    pub contains_descendants: Option<Vec<MaestroSelector>>,
    /// Selector of the container to search, which is searched itself too.
    pub child_of: Option<Box<MaestroSelector>>,
    /// Index among several matches, counted from the top and the left; a negative one counts from the end.
    pub index: Option<i64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Width in pixels; any if `None`.
    pub width: Option<i64>,
    /// Height in pixels; any if `None`.
    pub height: Option<i64>,
    /// Largest difference in pixels, for each of the two.
    pub tolerance: i64,
}

/// Look of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trait {
    /// The element has a text, or shows its hint.
    Text,
    /// The text has more than 200 UTF-16 units.
    LongText,
    /// The element is as wide as high, within 3 %.
    Square,
}

/// Position of an element relative to another. Only the top left corners of the two are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The top edge is lower.
    Below,
    /// The top edge is higher.
    Above,
    /// The left edge is further left.
    LeftOf,
    /// The left edge is further right.
    RightOf,
    /// The element is the parent of the other.
    ContainsChild,
}

impl Trait {
    /// Returns the trait's name in a flow.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::LongText => "long-text",
            Self::Square => "square",
        }
    }
}

impl Relation {
    /// Returns the relation's key in a flow.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Below => "below",
            Self::Above => "above",
            Self::LeftOf => "leftOf",
            Self::RightOf => "rightOf",
            Self::ContainsChild => "containsChild",
        }
    }
}

impl MaestroSelector {
    /// Returns a selector by text, hint or description.
    pub fn from_text(text: Expression) -> Self {
        Self {
            text: Some(text),
            ..Self::default()
        }
    }

    /// Returns the states with their names; `None` where a state does not matter.
    pub(super) fn states(&self) -> [(&'static str, Option<bool>); 4] {
        [
            ("enabled", self.enabled),
            ("checked", self.checked),
            ("focused", self.focused),
            ("selected", self.selected),
        ]
    }

    /// Returns true if the selector has no condition but words; `index` may be set.
    pub(super) fn is_text_alone(&self) -> bool {
        self.text.is_some()
            && self.id.is_none()
            && self.size.is_none()
            && self.states().iter().all(|(_, wanted)| wanted.is_none())
            && self.traits.is_empty()
            && self.relations.is_empty()
            && self.contains_descendants.is_none()
            && self.child_of.is_none()
    }
}

/// Formats the selector on one line as a person would write it: the text alone, or `{ id: ok, below: Name }`.
impl std::fmt::Display for MaestroSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // JSON's quotes are YAML's too; those of `{:?}` are not: `\u{200b}`.
        let words =
            |expression: &Expression| serde_json::Value::from(expression.source()).to_string();
        if let Some(text) = &self.text
            && self.is_text_alone()
            && self.index.is_none()
        {
            return f.write_str(&words(text));
        }
        let mut parts = Vec::new();
        parts.extend(
            self.text
                .as_ref()
                .map(|text| format!("text: {}", words(text))),
        );
        parts.extend(self.id.as_ref().map(|id| format!("id: {}", words(id))));
        if let Some(size) = self.size {
            parts.extend(size.width.map(|width| format!("width: {width}")));
            parts.extend(size.height.map(|height| format!("height: {height}")));
            if size.tolerance != 0 {
                parts.push(format!("tolerance: {}", size.tolerance));
            }
        }
        for (name, wanted) in self.states() {
            parts.extend(wanted.map(|wanted| format!("{name}: {wanted}")));
        }
        if !self.traits.is_empty() {
            let traits: Vec<_> = self.traits.iter().map(|one| one.name()).collect();
            parts.push(format!("traits: {}", traits.join(" ")));
        }
        for (relation, other) in &self.relations {
            parts.push(format!("{}: {other}", relation.name()));
        }
        if let Some(descendants) = &self.contains_descendants {
            let each: Vec<_> = descendants.iter().map(Self::to_string).collect();
            parts.push(format!("containsDescendants: [{}]", each.join(", ")));
        }
        parts.extend(
            self.child_of
                .as_ref()
                .map(|parent| format!("childOf: {parent}")),
        );
        parts.extend(self.index.map(|index| format!("index: {index}")));
        write!(f, "{{ {} }}", parts.join(", "))
    }
}
