//! Values that `as` keeps of a step, for the documentation.

/// Names, each with a description of its value.
type Names = &'static [(&'static str, &'static str)];

/// Values that `as` keeps of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepValue {
    /// True if the element is kept: [`ELEMENT`].
    pub element: bool,
    /// Further names. If there are none and no element, a text is kept.
    pub others: Names,
}

impl StepValue {
    /// A text that says what was done.
    pub const TEXT: Self = Self::new(&[]);
    /// The element.
    pub const ELEMENT: Self = Self {
        element: true,
        others: &[],
    };

    /// Builds a value with these names only.
    pub const fn new(others: Names) -> Self {
        Self {
            element: false,
            others,
        }
    }

    /// Builds a value with the element and these names.
    pub const fn element_and(others: Names) -> Self {
        Self {
            element: true,
            others,
        }
    }

    /// Returns all names, those of the element first.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let element = if self.element { ELEMENT } else { &[] };
        element.iter().chain(self.others).map(|(name, _)| *name)
    }
}

/// Names of the values kept of an element.
pub const ELEMENT: Names = &[
    ("node", "its id on that screen"),
    ("text", "its text"),
    ("desc", "its description"),
    ("id", "its resource id"),
    ("class", "its class"),
    ("hint", "its hint"),
    ("package", "its package"),
    ("bounds", "`left`, `top`, `right` and `bottom` in pixels"),
    ("enabled", "true or false"),
    ("checked", "true or false"),
    ("selected", "true or false"),
    ("focused", "true or false"),
    ("clickable", "true or false"),
    ("scrollable", "true or false"),
    ("editable", "true or false"),
];
