//! Kinds of words that an element has.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementWords {
    Text,
    Desc,
    Hint,
}

impl ElementWords {
    /// All kinds in the order in which the string form tries them.
    pub(crate) const ALL: [Self; 3] = [Self::Text, Self::Desc, Self::Hint];

    /// Returns the key in a selector, such as `desc`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Desc => "desc",
            Self::Hint => "hint",
        }
    }
}
