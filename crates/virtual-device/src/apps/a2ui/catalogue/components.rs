//! The components of the catalogue with their properties.

use super::entry::{Component, Property, ValueKind, component, may, must};

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
