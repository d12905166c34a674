//! Finds selectors for waits and assertions of tools that search by a part of a text, in the app's own letter
//! case.

use serde_json::json;

use runner_screen::{Node, Screen, Selector};

/// Property that a search compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Property {
    Text,
    Desc,
    Id,
    Class,
}

impl Property {
    /// Parses the argument `by` of `wait_for_element`, such as `content_desc`. `None` for all else.
    pub(super) fn from_by(by: &str) -> Option<Self> {
        match by {
            "text" => Some(Self::Text),
            "content_desc" => Some(Self::Desc),
            "resource_id" => Some(Self::Id),
            "class_name" => Some(Self::Class),
            _ => None,
        }
    }

    /// Returns the properties for the scenario tools' `selectorType`, in the order in which they are
    /// compared. A type that is unknown or missing means text, description and id.
    pub(super) fn from_selector_type(name: &str) -> &'static [Self] {
        match name {
            "text" => &[Self::Text],
            "content-desc" => &[Self::Desc],
            "resource-id" => &[Self::Id],
            _ => &[Self::Text, Self::Desc, Self::Id],
        }
    }

    /// Returns the selector's key for the property.
    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Desc => "desc",
            Self::Id => "id",
            Self::Class => "class",
        }
    }

    /// Returns the node's words: for `Text` the hint of a field that shows it, and `<password>` for a password. Empty
    /// if it has none.
    fn value(self, node: Node<'_>) -> &str {
        match self {
            Self::Text => node.display_text(),
            Self::Desc => node.desc(),
            Self::Id => node.resource_id(),
            Self::Class => node.class(),
        }
    }
}

/// Returns a selector for the first element on the screen whose property contains `value` in any letter case. All
/// elements are tried with one property before the next. `None` if there is none, or no selector finds it.
pub(super) fn found(screen: &Screen, properties: &[Property], value: &str) -> Option<Selector> {
    properties.iter().find_map(|property| {
        let mut nodes = screen.nodes().filter(|node| node.is_on_screen());
        nodes.find_map(|node| node_selector(node, *property, value))
    })
}

/// Returns the selector for the node's property if it contains `value` in any letter case. For text and
/// description it is the part in the node's own letters; for id and class, the whole. `None` also if the
/// selector does not find the node.
fn node_selector(node: Node<'_>, property: Property, value: &str) -> Option<Selector> {
    let actual = property.value(node);
    let part = part_like(actual, value)?;
    let selector = match property {
        Property::Id => Selector::from_id(node.resource_name()),
        Property::Class => Selector::from_value(&json!({ "class": node.short_class() })).ok()?,
        _ if part.trim() == actual.trim() => Selector::from_words(actual),
        _ => Selector::containing(property.name(), part)?,
    };
    let nodes = selector.find(node.screen());
    nodes.contains(&node.index()).then_some(selector)
}

/// Returns selectors that must all find nothing if a search for `value` found nothing: the text and the
/// description that contain the value, and the whole id, as no selector finds a part of one. An id among other
/// properties is left out for a value that is plainly none, such as a sentence.
pub(super) fn absent(properties: &[Property], value: &str) -> Vec<Selector> {
    let selector = |property: &Property| match property {
        Property::Id if properties.len() == 1 || may_be_id(value) => Some(Selector::from_id(value)),
        _ => Selector::containing(property.name(), value),
    };
    properties.iter().filter_map(selector).collect()
}

/// Returns true if an id may be this: ASCII letters, digits and what stands between them in ids.
fn may_be_id(value: &str) -> bool {
    let is_of_id = |letter: char| letter.is_ascii_alphanumeric() || "_-.:/".contains(letter);
    !value.is_empty() && value.chars().all(is_of_id)
}

/// Returns the first part of `actual` that equals `value` but for letter case. `None` for an empty value.
fn part_like<'a>(actual: &'a str, value: &str) -> Option<&'a str> {
    let wanted = value.to_lowercase();
    if wanted.is_empty() || !actual.to_lowercase().contains(&wanted) {
        return None;
    }
    let starts = actual.char_indices().map(|(at, _)| at);
    starts
        // Searched in the original text, as lower-casing may change the number of bytes.
        .filter(|start| actual[*start..].to_lowercase().starts_with(&wanted))
        .find_map(|start| {
            let rest = &actual[start..];
            let mut ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
            let end = ends.find(|end| rest[..*end].to_lowercase() == wanted)?;
            Some(&rest[..end])
        })
}

#[cfg(test)]
mod tests {
    use runner_screen::Selector;

    use super::{Property, absent, part_like};

    #[test]
    fn what_no_property_had_is_asserted_of_each() {
        let words = |name, value| Selector::containing(name, value).unwrap();
        for (kind, value, expected) in [
            (
                "any",
                "error_text",
                vec![
                    words("text", "error_text"),
                    words("desc", "error_text"),
                    Selector::from_id("error_text"),
                ],
            ),
            // No id is a sentence.
            (
                "any",
                "Wrong word",
                vec![words("text", "Wrong word"), words("desc", "Wrong word")],
            ),
            ("text", "error", vec![words("text", "error")]),
            ("resource-id", "my tag", vec![Selector::from_id("my tag")]),
        ] {
            let properties = Property::from_selector_type(kind);
            assert_eq!(absent(properties, value), expected, "{kind}: {value}");
        }
    }

    #[test]
    fn the_part_is_as_the_app_writes_it() {
        assert_eq!(part_like("Welcome, Ada", "welcome"), Some("Welcome"));
        assert_eq!(part_like("GRÖSSE Äpfel", "äpfel"), Some("Äpfel"));
        assert_eq!(part_like("Add", "remove"), None);
        assert_eq!(part_like("Add", ""), None);
    }
}
