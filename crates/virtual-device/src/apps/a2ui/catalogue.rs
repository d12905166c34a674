//! The basic catalogue as this device supports it: components with their properties, functions with their
//! arguments.
//!
//! App files are checked against these tables, and `docs/reference/a2ui.md` is written from them.

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
const fn must(name: &'static str, takes: ValueKind, about: &'static str) -> Property {
    Property {
        name,
        takes,
        required: true,
        about,
    }
}

/// Describes a property that may be left out.
const fn may(name: &'static str, takes: ValueKind, about: &'static str) -> Property {
    Property {
        name,
        takes,
        required: false,
        about,
    }
}

/// Describes a component that is drawn.
const fn component(
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
const fn function(
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

const CHECKS: Property = may(
    "checks",
    ValueKind::Checks,
    "the message of the first condition that is not true; a Button is disabled by it",
);
/// Places of a child in a Stack.
const PLACE: ValueKind = ValueKind::OneOf(&[
    "fill",
    "top",
    "bottom",
    "topStart",
    "topEnd",
    "bottomStart",
    "bottomEnd",
]);
const ALIGN: ValueKind = ValueKind::OneOf(&["start", "center", "end", "stretch"]);
const JUSTIFY: ValueKind = ValueKind::OneOf(&[
    "start",
    "center",
    "end",
    "spaceBetween",
    "spaceAround",
    "spaceEvenly",
    "stretch",
]);

/// Properties of every component, beside `id` and `component`.
pub(crate) const COMMON: &[Property] = &[
    may(
        "weight",
        ValueKind::Number,
        "share of the room that is left in a Row or Column",
    ),
    may(
        "accessibility",
        ValueKind::Accessibility,
        "its `label` becomes the content description",
    ),
    may(
        "elevation",
        ValueKind::Number,
        "its height over its neighbours: what is higher is drawn later and touched first; 0",
    ),
    may("place", PLACE, "where it lies in a Stack; `topStart`"),
];

pub(crate) const COMPONENTS: &[Component] = &[
    component(
        "Text",
        "text; the marks of Markdown for headings, emphasis, code and links are left out",
        &[
            must("text", ValueKind::Text, "the text"),
            may(
                "variant",
                ValueKind::OneOf(&["h1", "h2", "h3", "h4", "h5", "caption", "body"]),
                "size and weight; `body`",
            ),
        ],
    ),
    component(
        "Image",
        "a stand-in that is drawn from the address: the same address, the same picture",
        &[
            must("url", ValueKind::Text, "the address"),
            may("description", ValueKind::Text, "the content description"),
            may(
                "fit",
                ValueKind::OneOf(&["contain", "cover", "fill", "none", "scaleDown"]),
                "nothing here",
            ),
            may(
                "variant",
                ValueKind::OneOf(&[
                    "icon",
                    "avatar",
                    "smallFeature",
                    "mediumFeature",
                    "largeFeature",
                    "header",
                ]),
                "its size; `mediumFeature`. In a Row the larger ones are as wide as high, and shrink first",
            ),
        ],
    ),
    component(
        "Icon",
        "an icon; one that is not in the list is a crossed-out frame",
        &[must("name", ValueKind::Icon, "which")],
    ),
    Component {
        drawn: false,
        ..component(
            "Video",
            "not drawn: its place says so",
            &[must("url", ValueKind::Text, "the address")],
        )
    },
    Component {
        drawn: false,
        ..component(
            "AudioPlayer",
            "not drawn: its place says so",
            &[
                must("url", ValueKind::Text, "the address"),
                may("description", ValueKind::Text, "a title"),
            ],
        )
    },
    component(
        "Row",
        "components side by side; those without a size of their own shrink where there is no room",
        &[
            must("children", ValueKind::Children, "what is in it"),
            may("justify", JUSTIFY, "where they stand across; `start`"),
            may(
                "align",
                ALIGN,
                "where they stand from top to bottom; `stretch`",
            ),
        ],
    ),
    component(
        "Column",
        "components one below the other",
        &[
            must("children", ValueKind::Children, "what is in it"),
            may(
                "justify",
                JUSTIFY,
                "where they stand from top to bottom; `start`",
            ),
            may("align", ALIGN, "where they stand across; `stretch`"),
        ],
    ),
    component(
        "List",
        "components that scroll",
        &[
            must("children", ValueKind::Children, "what is in it"),
            may(
                "direction",
                ValueKind::OneOf(&["vertical", "horizontal"]),
                "where it scrolls; `vertical`",
            ),
            may(
                "align",
                ALIGN,
                "where they stand beside the direction; `stretch`",
            ),
        ],
    ),
    component(
        "Stack",
        "components over one another, which A2UI's catalogue lacks: the first one fills it, each other one lies over those before it, at its `place`",
        &[must("children", ValueKind::Children, "what is in it")],
    ),
    component(
        "Card",
        "a framed box",
        &[must("child", ValueKind::Component, "what is in it")],
    ),
    component(
        "Tabs",
        "pages with their titles above",
        &[must("tabs", ValueKind::Tabs, "the pages")],
    ),
    component(
        "Modal",
        "a dialog that a tap opens",
        &[
            must("trigger", ValueKind::Component, "what is tapped"),
            must("content", ValueKind::Component, "what is in the dialog"),
        ],
    ),
    component(
        "Divider",
        "a thin line",
        &[may(
            "axis",
            ValueKind::OneOf(&["horizontal", "vertical"]),
            "its direction; `horizontal`",
        )],
    ),
    component(
        "Button",
        "what is tapped",
        &[
            must(
                "child",
                ValueKind::Component,
                "a Text, an Icon, or anything else",
            ),
            may("action", ValueKind::Action, "what a tap does"),
            may(
                "variant",
                ValueKind::OneOf(&["default", "primary", "borderless"]),
                "its looks",
            ),
            CHECKS,
        ],
    ),
    component(
        "TextField",
        "a field for text",
        &[
            must(
                "label",
                ValueKind::Text,
                "the hint, and the label above the text",
            ),
            may("value", ValueKind::Text, "where its text is kept"),
            may(
                "variant",
                ValueKind::OneOf(&["shortText", "longText", "number", "obscured"]),
                "what is typed; `shortText`. `obscured` is a password",
            ),
            may(
                "validationRegexp",
                ValueKind::Pattern,
                "what the text must match",
            ),
            CHECKS,
        ],
    ),
    component(
        "CheckBox",
        "a box with a tick",
        &[
            must("label", ValueKind::Text, "the text beside it"),
            must("value", ValueKind::Boolean, "where it is kept"),
            CHECKS,
        ],
    ),
    component(
        "ChoicePicker",
        "one or several of some options: radio buttons up to three, a drop-down beyond, check boxes for several",
        &[
            must("options", ValueKind::Options, "what there is to choose"),
            must(
                "value",
                ValueKind::Texts,
                "where the chosen values are kept",
            ),
            may("label", ValueKind::Text, "the text above it"),
            may(
                "variant",
                ValueKind::OneOf(&["mutuallyExclusive", "multipleSelection"]),
                "one or several; `mutuallyExclusive`",
            ),
            may(
                "displayStyle",
                ValueKind::OneOf(&["checkbox", "chips"]),
                "boxes or chips; `checkbox`",
            ),
            may("filterable", ValueKind::Boolean, "nothing here"),
            CHECKS,
        ],
    ),
    component(
        "Slider",
        "a number on a line",
        &[
            must("value", ValueKind::Number, "where it is kept"),
            must(
                "max",
                ValueKind::Number,
                "the number at the right end, written out; 100",
            ),
            may(
                "min",
                ValueKind::Number,
                "the number at the left end, written out; 0",
            ),
            may("label", ValueKind::Text, "the text above it"),
            CHECKS,
        ],
    ),
    component(
        "DateTimeInput",
        "a date, a time or both; a tap opens a dialog",
        &[
            must("value", ValueKind::Text, "where it is kept, as ISO 8601"),
            may("enableDate", ValueKind::Boolean, "a date is chosen"),
            may("enableTime", ValueKind::Boolean, "a time is chosen"),
            may("min", ValueKind::Text, "nothing here"),
            may("max", ValueKind::Text, "nothing here"),
            may(
                "label",
                ValueKind::Text,
                "the hint, and the label above the date",
            ),
            CHECKS,
        ],
    ),
];

pub(crate) const FUNCTIONS: &[Function] = &[
    function(
        "required",
        "whether there is a value: no empty text, no empty list",
        &[must("value", ValueKind::Any, "the value")],
    ),
    function(
        "regex",
        "whether the text matches",
        &[
            must("value", ValueKind::Text, "the text"),
            must("pattern", ValueKind::Pattern, "a regular expression"),
        ],
    ),
    function(
        "length",
        "whether the text is long enough, and not too long",
        &[
            must("value", ValueKind::Text, "the text"),
            may("min", ValueKind::Number, "characters at least"),
            may("max", ValueKind::Number, "characters at most"),
        ],
    ),
    function(
        "numeric",
        "whether it is a number in a range",
        &[
            must("value", ValueKind::Number, "the number, also as text"),
            may("min", ValueKind::Number, "the least"),
            may("max", ValueKind::Number, "the greatest"),
        ],
    ),
    function(
        "email",
        "whether it looks like an e-mail address",
        &[must("value", ValueKind::Text, "the text")],
    ),
    function(
        "formatString",
        "a text with `${/path}`, `${path}` and `${function(name: value)}` replaced; `\\${` is a plain `${`",
        &[must("value", ValueKind::Text, "the text")],
    ),
    function(
        "formatNumber",
        "a number as English writes it",
        &[
            must("value", ValueKind::Number, "the number"),
            may("decimals", ValueKind::Number, "digits after the point; 0"),
            may(
                "grouping",
                ValueKind::Boolean,
                "commas between thousands; `true`",
            ),
        ],
    ),
    function(
        "formatCurrency",
        "an amount as English writes it",
        &[
            must("value", ValueKind::Number, "the amount"),
            must("currency", ValueKind::Text, "such as `EUR`"),
            may("decimals", ValueKind::Number, "digits after the point; 2"),
            may(
                "grouping",
                ValueKind::Boolean,
                "commas between thousands; `true`",
            ),
        ],
    ),
    function(
        "formatDate",
        "a date in English",
        &[
            must("value", ValueKind::Any, "the date, as ISO 8601"),
            must(
                "format",
                ValueKind::Text,
                "a Unicode pattern such as `EEEE, d MMMM yyyy h:mm a`",
            ),
        ],
    ),
    function(
        "pluralize",
        "the text for a number: `zero`, `one` and `two` for just these, else `other`",
        &[
            must("value", ValueKind::Number, "the number"),
            may("zero", ValueKind::Text, "for 0"),
            may("one", ValueKind::Text, "for 1"),
            may("two", ValueKind::Text, "for 2"),
            may("few", ValueKind::Text, "not used in English"),
            may("many", ValueKind::Text, "not used in English"),
            must("other", ValueKind::Text, "for all others"),
        ],
    ),
    function(
        "capitalize",
        "the text with its first letter in upper case (minimal catalogue)",
        &[must("value", ValueKind::Text, "the text")],
    ),
    function(
        "and",
        "whether all are true",
        &[must("values", ValueKind::Booleans, "the values")],
    ),
    function(
        "or",
        "whether one is true",
        &[must("values", ValueKind::Booleans, "the values")],
    ),
    function(
        "not",
        "the opposite",
        &[must("value", ValueKind::Boolean, "the value")],
    ),
    Function {
        known: false,
        ..function(
            "openUrl",
            "not done here: the log says so",
            &[must("url", ValueKind::Text, "the address")],
        )
    },
];

pub(crate) fn find_component(name: &str) -> Option<&'static Component> {
    COMPONENTS.iter().find(|component| component.name == name)
}

pub(crate) fn find_function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

impl Component {
    /// Returns its own properties, then the common ones.
    pub(crate) fn all_properties(&self) -> impl Iterator<Item = &'static Property> {
        self.properties.iter().chain(COMMON)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    /// Returns the names of the entries in a published catalogue, each with all its properties or arguments
    /// and the required ones.
    fn published(
        catalogue: &Value,
        kind: &str,
    ) -> Vec<(String, BTreeSet<String>, BTreeSet<String>)> {
        let parts = |about: &Value| -> Vec<Value> {
            match about.get("allOf").and_then(Value::as_array) {
                Some(parts) => parts.clone(),
                None => vec![about.clone()],
            }
        };
        let mut all = Vec::new();
        for (name, about) in catalogue.get(kind).and_then(Value::as_object).unwrap() {
            let (mut names, mut required) = (BTreeSet::new(), BTreeSet::new());
            for part in parts(about) {
                let args = part.pointer("/properties/args").unwrap_or(&part);
                for name in args
                    .get("properties")
                    .and_then(Value::as_object)
                    .into_iter()
                    .flat_map(serde_json::Map::keys)
                {
                    names.insert(name.clone());
                }
                let list = args.get("required").and_then(Value::as_array);
                for name in list.into_iter().flatten().filter_map(Value::as_str) {
                    required.insert(name.to_owned());
                }
            }
            names.remove("component");
            required.remove("component");
            all.push((name.clone(), names, required));
        }
        all
    }

    fn named(properties: &[Property], required: bool) -> BTreeSet<String> {
        properties
            .iter()
            .filter(|property| property.required || !required)
            .map(|property| property.name.to_owned())
            .filter(|name| name != "checks")
            .collect()
    }

    // The tables are those of the published catalogue.
    #[test]
    fn the_tables_are_the_published_catalogue() {
        let file = "a2ui/v0_9_1/catalogs/basic/catalog.json";
        let Some(text) = runner_testing::recorded_text(file) else {
            return;
        };
        let catalogue: Value = serde_json::from_str(&text).unwrap();
        for (name, names, mut required) in published(&catalogue, "components") {
            // A button that opens a Modal needs none here.
            required.remove("action");
            let here = find_component(&name).unwrap_or_else(|| panic!("no {name}"));
            assert_eq!(named(here.properties, false), names, "{name}");
            assert_eq!(named(here.properties, true), required, "{name}");
        }
        for (name, names, required) in published(&catalogue, "functions") {
            let here = find_function(&name).unwrap_or_else(|| panic!("no {name}"));
            assert_eq!(named(here.arguments, false), names, "{name}");
            assert_eq!(named(here.arguments, true), required, "{name}");
        }
    }
}
