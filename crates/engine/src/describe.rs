//! Description of an element for people.

use runner_screen::Node;
use runner_text::secret::Excerpt;

/// Describes an element for people by class, name and bounds: `Button "Sign in" at 50,800,270,1000`. The name is the
/// first that is not blank among displayed text, description, hint and resource id, escaped in quotes; `""` if there is
/// none. The string holds the whole name; only a scrubber cuts it to 60 characters.
pub fn describe(node: Node<'_>) -> String {
    let name = [
        node.display_text(),
        node.desc(),
        node.hint(),
        node.resource_id(),
    ]
    .into_iter()
    .find(|name| !name.trim().is_empty())
    .unwrap_or_default();
    let name = Excerpt::new(name, 60).in_quotes();
    format!("{} {name} at {}", node.short_class(), node.bounds())
}
