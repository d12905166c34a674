//! The basic catalogue as this device has it: components with their properties, functions with their arguments.
//!
//! App files are checked against these tables, and `docs/a2ui.md` is written from them.

/// What a property or an argument takes. All but ids, words and lists may be a literal, `{path: …}` or `{call: …}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Text.
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A list of texts.
    Texts,
    /// A list of booleans.
    Booleans,
    /// Anything.
    Any,
    /// One of some words, written out.
    OneOf(&'static [&'static str]),
    /// A regular expression, written out.
    Pattern,
    /// An icon's name, or `{svgPath: …}`.
    Icon,
    /// The id of a component.
    Component,
    /// Ids of components, or a template: `{componentId: …, path: …}`.
    Children,
    /// `{title: …, child: …}` each.
    Tabs,
    /// `{label: …, value: …}` each.
    Options,
    /// What a tap does: `{event: {name: …, context: …}}`.
    Action,
    /// `{condition: …, message: …}` each.
    Checks,
    /// `{label: …, description: …}`.
    Accessibility,
}

/// A property of a component, or an argument of a function.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    pub(crate) required: bool,
    /// What it does here. A sentence's part for the documentation.
    pub(crate) about: &'static str,
}

/// A component.
#[derive(Debug)]
pub(crate) struct Component {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) properties: &'static [Property],
    /// This device draws it.
    pub(crate) drawn: bool,
}

/// A function.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) arguments: &'static [Property],
    /// This device knows it.
    pub(crate) known: bool,
}

const fn must(name: &'static str, takes: Takes, about: &'static str) -> Property {
    Property {
        name,
        takes,
        required: true,
        about,
    }
}

const fn may(name: &'static str, takes: Takes, about: &'static str) -> Property {
    Property {
        name,
        takes,
        required: false,
        about,
    }
}

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
    Takes::Checks,
    "the message of the first condition that is not true; a Button is disabled by it",
);
const ALIGN: Takes = Takes::OneOf(&["start", "center", "end", "stretch"]);
const JUSTIFY: Takes = Takes::OneOf(&[
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
        Takes::Number,
        "share of the room that is left in a Row or Column",
    ),
    may(
        "accessibility",
        Takes::Accessibility,
        "its `label` becomes the content description",
    ),
];

/// The components.
pub(crate) const COMPONENTS: &[Component] = &[
    component(
        "Text",
        "text; the marks of Markdown for headings, emphasis, code and links are left out",
        &[
            must("text", Takes::Text, "the text"),
            may(
                "variant",
                Takes::OneOf(&["h1", "h2", "h3", "h4", "h5", "caption", "body"]),
                "size and weight; `body`",
            ),
        ],
    ),
    component(
        "Image",
        "a stand-in that is drawn from the address: the same address, the same picture",
        &[
            must("url", Takes::Text, "the address"),
            may("description", Takes::Text, "the content description"),
            may(
                "fit",
                Takes::OneOf(&["contain", "cover", "fill", "none", "scaleDown"]),
                "nothing here",
            ),
            may(
                "variant",
                Takes::OneOf(&[
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
        &[must("name", Takes::Icon, "which")],
    ),
    Component {
        drawn: false,
        ..component(
            "Video",
            "not drawn: its place says so",
            &[must("url", Takes::Text, "the address")],
        )
    },
    Component {
        drawn: false,
        ..component(
            "AudioPlayer",
            "not drawn: its place says so",
            &[
                must("url", Takes::Text, "the address"),
                may("description", Takes::Text, "a title"),
            ],
        )
    },
    component(
        "Row",
        "components side by side; those without a size of their own shrink where there is no room",
        &[
            must("children", Takes::Children, "what is in it"),
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
            must("children", Takes::Children, "what is in it"),
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
            must("children", Takes::Children, "what is in it"),
            may(
                "direction",
                Takes::OneOf(&["vertical", "horizontal"]),
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
        "Card",
        "a framed box",
        &[must("child", Takes::Component, "what is in it")],
    ),
    component(
        "Tabs",
        "pages with their titles above",
        &[must("tabs", Takes::Tabs, "the pages")],
    ),
    component(
        "Modal",
        "a dialog that a tap opens",
        &[
            must("trigger", Takes::Component, "what is tapped"),
            must("content", Takes::Component, "what is in the dialog"),
        ],
    ),
    component(
        "Divider",
        "a thin line",
        &[may(
            "axis",
            Takes::OneOf(&["horizontal", "vertical"]),
            "its direction; `horizontal`",
        )],
    ),
    component(
        "Button",
        "what is tapped",
        &[
            must(
                "child",
                Takes::Component,
                "a Text, an Icon, or anything else",
            ),
            may("action", Takes::Action, "what a tap does"),
            may(
                "variant",
                Takes::OneOf(&["default", "primary", "borderless"]),
                "its looks; the only `primary` one is also what ENTER presses",
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
                Takes::Text,
                "the hint, and the label above the text",
            ),
            may("value", Takes::Text, "where its text is kept"),
            may(
                "variant",
                Takes::OneOf(&["shortText", "longText", "number", "obscured"]),
                "what is typed; `shortText`. `obscured` is a password",
            ),
            may(
                "validationRegexp",
                Takes::Pattern,
                "what the text must match",
            ),
            CHECKS,
        ],
    ),
    component(
        "CheckBox",
        "a box with a tick",
        &[
            must("label", Takes::Text, "the text beside it"),
            must("value", Takes::Boolean, "where it is kept"),
            CHECKS,
        ],
    ),
    component(
        "ChoicePicker",
        "one or several of some options: radio buttons up to three, a drop-down beyond, check boxes for several",
        &[
            must("options", Takes::Options, "what there is to choose"),
            must("value", Takes::Texts, "where the chosen values are kept"),
            may("label", Takes::Text, "the text above it"),
            may(
                "variant",
                Takes::OneOf(&["mutuallyExclusive", "multipleSelection"]),
                "one or several; `mutuallyExclusive`",
            ),
            may(
                "displayStyle",
                Takes::OneOf(&["checkbox", "chips"]),
                "boxes or chips; `checkbox`",
            ),
            may("filterable", Takes::Boolean, "nothing here"),
            CHECKS,
        ],
    ),
    component(
        "Slider",
        "a number on a line",
        &[
            must("value", Takes::Number, "where it is kept"),
            must(
                "max",
                Takes::Number,
                "the number at the right end, written out; 100",
            ),
            may(
                "min",
                Takes::Number,
                "the number at the left end, written out; 0",
            ),
            may("label", Takes::Text, "the text above it"),
            CHECKS,
        ],
    ),
    component(
        "DateTimeInput",
        "a date, a time or both; a tap opens a dialog",
        &[
            must("value", Takes::Text, "where it is kept, as ISO 8601"),
            may("enableDate", Takes::Boolean, "a date is chosen"),
            may("enableTime", Takes::Boolean, "a time is chosen"),
            may("min", Takes::Text, "nothing here"),
            may("max", Takes::Text, "nothing here"),
            may(
                "label",
                Takes::Text,
                "the hint, and the label above the date",
            ),
            CHECKS,
        ],
    ),
];

/// The functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    function(
        "required",
        "whether there is a value: no empty text, no empty list",
        &[must("value", Takes::Any, "the value")],
    ),
    function(
        "regex",
        "whether the text matches",
        &[
            must("value", Takes::Text, "the text"),
            must("pattern", Takes::Pattern, "a regular expression"),
        ],
    ),
    function(
        "length",
        "whether the text is long enough, and not too long",
        &[
            must("value", Takes::Text, "the text"),
            may("min", Takes::Number, "characters at least"),
            may("max", Takes::Number, "characters at most"),
        ],
    ),
    function(
        "numeric",
        "whether it is a number in a range",
        &[
            must("value", Takes::Number, "the number, also as text"),
            may("min", Takes::Number, "the least"),
            may("max", Takes::Number, "the greatest"),
        ],
    ),
    function(
        "email",
        "whether it looks like an e-mail address",
        &[must("value", Takes::Text, "the text")],
    ),
    function(
        "formatString",
        "a text with `${/path}`, `${path}` and `${function(name: value)}` replaced; `\\${` is a plain `${`",
        &[must("value", Takes::Text, "the text")],
    ),
    function(
        "formatNumber",
        "a number as English writes it",
        &[
            must("value", Takes::Number, "the number"),
            may("decimals", Takes::Number, "digits after the point; 0"),
            may(
                "grouping",
                Takes::Boolean,
                "commas between thousands; `true`",
            ),
        ],
    ),
    function(
        "formatCurrency",
        "an amount as English writes it",
        &[
            must("value", Takes::Number, "the amount"),
            must("currency", Takes::Text, "such as `EUR`"),
            may("decimals", Takes::Number, "digits after the point; 2"),
            may(
                "grouping",
                Takes::Boolean,
                "commas between thousands; `true`",
            ),
        ],
    ),
    function(
        "formatDate",
        "a date in English",
        &[
            must("value", Takes::Any, "the date, as ISO 8601"),
            must(
                "format",
                Takes::Text,
                "a Unicode pattern such as `EEEE, d MMMM yyyy h:mm a`",
            ),
        ],
    ),
    function(
        "pluralize",
        "the text for a number: `zero`, `one` and `two` for just these, else `other`",
        &[
            must("value", Takes::Number, "the number"),
            may("zero", Takes::Text, "for 0"),
            may("one", Takes::Text, "for 1"),
            may("two", Takes::Text, "for 2"),
            may("few", Takes::Text, "not used in English"),
            may("many", Takes::Text, "not used in English"),
            must("other", Takes::Text, "for all others"),
        ],
    ),
    function(
        "capitalize",
        "the text with its first letter in upper case (minimal catalogue)",
        &[must("value", Takes::Text, "the text")],
    ),
    function(
        "and",
        "whether all are true",
        &[must("values", Takes::Booleans, "the values")],
    ),
    function(
        "or",
        "whether one is true",
        &[must("values", Takes::Booleans, "the values")],
    ),
    function(
        "not",
        "the opposite",
        &[must("value", Takes::Boolean, "the value")],
    ),
    Function {
        known: false,
        ..function(
            "openUrl",
            "not done here: the log says so",
            &[must("url", Takes::Text, "the address")],
        )
    },
];

/// The component of a name.
pub(crate) fn find_component(name: &str) -> Option<&'static Component> {
    COMPONENTS.iter().find(|component| component.name == name)
}

/// The function of a name.
pub(crate) fn find_function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

impl Component {
    /// All its properties, those of every component too.
    pub(crate) fn all_properties(&self) -> impl Iterator<Item = &'static Property> {
        self.properties.iter().chain(COMMON)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    /// Names of a published catalogue's entries, each with the names of its properties or arguments.
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

    // U18: the tables are those of the published catalogue.
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
