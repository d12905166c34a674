//! Types of the catalogue's entries, and short ways to write them.

/// Type of a property or an argument. All but ids, words and lists may be a literal, `{path: …}` or `{call:
/// …}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Text,
    Number,
    Boolean,
    /// A list of texts.
    Texts,
    Booleans,
    Any,
    /// One of these words, as a literal.
    OneOf(&'static [&'static str]),
    /// A regular expression, as a literal.
    Pattern,
    /// An icon's name, or `{svgPath: …}`.
    Icon,
    /// The id of a component.
    Component,
    /// Ids of components, or a template: `{componentId: …, path: …}`.
    Children,
    /// A list of `{title: …, child: …}`.
    Tabs,
    /// A list of `{label: …, value: …}`.
    Options,
    /// Action of a tap: `{event: {name: …, context: …}}`.
    Action,
    /// A list of `{condition: …, message: …}`.
    Checks,
    /// `{label: …, description: …}`.
    Accessibility,
}

/// A property of a component, or an argument of a function.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: &'static str,
    pub(crate) takes: ValueKind,
    pub(crate) required: bool,
    /// Effect on this device, as part of a sentence in the documentation.
    pub(crate) about: &'static str,
}

#[derive(Debug)]
pub(crate) struct Component {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) properties: &'static [Property],
    /// False if this device shows a message in its place.
    pub(crate) drawn: bool,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) arguments: &'static [Property],
    /// False if this device only knows its name and cannot call it.
    pub(crate) known: bool,
}

/// Describes a property that is required.
pub(super) const fn must(name: &'static str, takes: ValueKind, about: &'static str) -> Property {
    Property {
        name,
        takes,
        required: true,
        about,
    }
}

/// Describes a property that may be left out.
pub(super) const fn may(name: &'static str, takes: ValueKind, about: &'static str) -> Property {
    Property {
        name,
        takes,
        required: false,
        about,
    }
}

/// Describes a component that is drawn.
pub(super) const fn component(
    name: &'static str,
    about: &'static str,
    properties: &'static [Property],
) -> Component {
    Component {
        name,
        about,
        properties,
        drawn: true,
    }
}

/// Describes a function that is carried out.
pub(super) const fn function(
    name: &'static str,
    about: &'static str,
    arguments: &'static [Property],
) -> Function {
    Function {
        name,
        about,
        arguments,
        known: true,
    }
}
