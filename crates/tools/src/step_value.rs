//! What `as` keeps of a step, for the documentation.

/// Names with what each holds.
type Names = &'static [(&'static str, &'static str)];

/// What `as` keeps of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepValue {
    /// The element: [`ELEMENT`].
    pub element: bool,
    /// Further names. Where there are none and no element, a text is kept.
    pub others: Names,
}

impl StepValue {
    /// A text that says what was done.
    pub const TEXT: Self = Self::of(&[]);
    /// The element.
    pub const ELEMENT: Self = Self {
        element: true,
        others: &[],
    };

    /// Just these names.
    pub const fn of(others: Names) -> Self {
        Self {
            element: false,
            others,
        }
    }

    /// The element, and these names.
    pub const fn element_and(others: Names) -> Self {
        Self {
            element: true,
            others,
        }
    }

    /// All names.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let element = if self.element { ELEMENT } else { &[] };
        element.iter().chain(self.others).map(|(name, _)| *name)
    }
}

/// What is kept of an element.
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
