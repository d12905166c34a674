//! Selectors of Maestro's flows: what they select on a screen, by Maestro's rules.
//!
//! The rules are those of Maestro's own filters (mobile-dev-inc/Maestro at 487407f, `Filters.kt`, `Orchestra.kt`,
//! `ViewHierarchy.kt`). They differ from [`crate::selector`] in almost everything: words are Java's regular
//! expressions, looked for in text, hint and description at once; of several matches the first is taken; what is off
//! the screen is not there. `cases.yaml` holds cases of each rule.
//!
//! All texts are final: whoever makes a [`MaestroSelector`] has put the values of `${…}` in.

mod change;
mod expression;
mod find;
mod java;
mod java_pattern;
mod near;
#[cfg(test)]
mod tests;
mod visibility;

pub use expression::{Expression, ExpressionError};
pub use find::Match;
pub use java_pattern::{JavaPattern, JavaPatternError};
pub use near::NearMiss;
pub use visibility::visible_share;

/// What a selector of Maestro's asks for. All of it must hold.
#[derive(Debug, Clone, Default)]
pub struct MaestroSelector {
    /// All of the text, hint or description.
    pub text: Option<Expression>,
    /// All of the resource id, or of its part after the last `/`.
    pub id: Option<Expression>,
    /// Width and height.
    pub size: Option<Size>,
    /// Whether it is enabled.
    pub enabled: Option<bool>,
    /// Whether it is checked.
    pub checked: Option<bool>,
    /// Whether it has the focus.
    pub focused: Option<bool>,
    /// Whether it is selected.
    pub selected: Option<bool>,
    /// What it looks like.
    pub traits: Vec<Trait>,
    /// Where it is, by others.
    pub relations: Vec<(Relation, MaestroSelector)>,
    /// Each of these must match something below it; asked only where there is a list, even an empty one.
    pub contains_descendants: Option<Vec<MaestroSelector>>,
    /// It is looked for in what this selects, and that itself.
    pub child_of: Option<Box<MaestroSelector>>,
    /// Which of several, from the top and the left; from the end where it is negative.
    pub index: Option<i64>,
}

/// A size in pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Pixels across.
    pub width: Option<i64>,
    /// Pixels down.
    pub height: Option<i64>,
    /// How much each may differ.
    pub tolerance: i64,
}

/// What an element looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trait {
    /// It has a text.
    Text,
    /// It has more than 200 characters.
    LongText,
    /// It is as wide as high, within 3 %.
    Square,
}

/// Where an element is, by others. Only the top left corners of the two are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Its top edge is lower.
    Below,
    /// Its top edge is higher.
    Above,
    /// Its left edge is further left.
    LeftOf,
    /// Its left edge is further right.
    RightOf,
    /// It is the parent.
    ContainsChild,
}

impl Trait {
    /// As it is written in a flow.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::LongText => "long-text",
            Self::Square => "square",
        }
    }
}

impl Relation {
    /// As it is written in a flow.
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
    /// Selects by text, hint or description.
    pub fn of_text(text: Expression) -> Self {
        Self {
            text: Some(text),
            ..Self::default()
        }
    }

    /// The states it asks for, by name.
    fn states(&self) -> [(&'static str, Option<bool>); 4] {
        [
            ("enabled", self.enabled),
            ("checked", self.checked),
            ("focused", self.focused),
            ("selected", self.selected),
        ]
    }

    /// Whether it asks for nothing but words.
    fn is_text_alone(&self) -> bool {
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

/// As a person would write it on one line: the text alone, or `{ id: ok, below: Name }`.
impl std::fmt::Display for MaestroSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = |expression: &Expression| format!("{:?}", expression.source());
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
