//! The functions of the catalogue with their arguments.

use super::entry::{Function, ValueKind, function, may, must};

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
