//! Writes `docs/reference/a2ui.md` from the catalogue's tables.

use std::fmt::Write as _;

use super::catalogue::{COMMON, COMPONENTS, FUNCTIONS, Property, ValueKind};
use crate::apps::ui::icon_names;

/// Returns the whole text of `docs/reference/a2ui.md`: components, functions and icons.
pub fn docs() -> String {
    let mut text = String::from(
        "# A2UI on the virtual device\n\n\
         Made from the tables that app files are checked against; do not edit. What an app is, and what a dump says of each component, \
         is in [the virtual device](../guide/virtual-device.md).\n\n\
         The components, functions and icons are those of A2UI's basic catalogue, version 0.9.1; `Stack`, `elevation` and `place` \
         are this device's own. \
         A value is a literal, `{ path: /pointer }` into the app's data (relative in a template), or `{ call: function, args: … }`. \
         Ids, words and patterns are written out.\n\n\
         ## Components\n\n\
         Every component has `id` and `component`, and may have these:\n\n",
    );
    table(&mut text, "property", COMMON);
    for component in COMPONENTS {
        let _ = write!(
            text,
            "\n### {}\n\n{}.\n\n",
            component.name,
            first_upper(component.about)
        );
        table(&mut text, "property", component.properties);
    }
    text.push_str("\n## Functions\n");
    for function in FUNCTIONS {
        let _ = write!(
            text,
            "\n### `{}`\n\n{}.\n\n",
            function.name,
            first_upper(function.about)
        );
        table(&mut text, "argument", function.arguments);
    }
    let icons: Vec<String> = icon_names().map(|name| format!("`{name}`")).collect();
    let _ = write!(
        text,
        "\n## Icons\n\n{}.\n\nAny other shape: `name: {{ svgPath: \"M4 4h16v16H4z\" }}`, in a box of 24 × 24.\n",
        icons.join(", ")
    );
    text
}

fn first_upper(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters.as_str().chars()).collect()
}

/// Writes a table of properties. `what` is the head of its first column.
fn table(text: &mut String, what: &str, properties: &[Property]) {
    let _ = write!(text, "| {what} | takes | meaning |\n|---|---|---|\n");
    for property in properties {
        let _ = writeln!(
            text,
            "| `{}`{} | {} | {} |",
            property.name,
            if property.required { " (required)" } else { "" },
            takes(property.takes),
            property.about
        );
    }
}

/// Returns the words for the values that a property takes.
fn takes(takes: ValueKind) -> String {
    match takes {
        ValueKind::Text => "text",
        ValueKind::Number => "number",
        ValueKind::Boolean => "true or false",
        ValueKind::Texts => "list of texts",
        ValueKind::Booleans => "list of true or false",
        ValueKind::Any => "any value",
        ValueKind::OneOf(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            return words.join(", ");
        }
        ValueKind::Pattern => "regular expression",
        ValueKind::Icon => "icon, or `{ svgPath: … }`",
        ValueKind::Component => "id of a component",
        ValueKind::Children => "list of ids, or `{ componentId: …, path: … }`",
        ValueKind::Tabs => "list of `{ title: …, child: … }`",
        ValueKind::Options => "list of `{ label: …, value: … }`",
        ValueKind::Action => "`{ event: { name: …, context: { … } } }`",
        ValueKind::Checks => "list of `{ condition: …, message: … }`",
        ValueKind::Accessibility => "`{ label: …, description: … }`",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::docs;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/a2ui.md");

    // The document must be up to date with the tables.
    #[test]
    fn the_document_is_current() {
        let stored = fs_err::read_to_string(FILE).unwrap_or_default();
        assert!(
            stored.replace("\r\n", "\n") == docs(),
            "docs/reference/a2ui.md is out of date; make it again with \
         `cargo test --lib a2ui::docs::tests::write_the_document -- --ignored`"
        );
    }

    #[test]
    #[ignore = "writes docs/reference/a2ui.md"]
    fn write_the_document() {
        fs_err::write(FILE, docs()).unwrap();
    }
}
