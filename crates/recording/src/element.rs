//! Words about an element of a recorded screen, for messages.

use runner_screen::Node;
use runner_text::secret::Excerpt;

/// Characters of a title or of an element's text in a message. Chosen: a line of a terminal holds two of them.
pub(crate) const MAX_SHOWN_CHARS: usize = 60;

/// Returns the trimmed text of an element, else its description, in quotes, with quotes and control characters escaped,
/// and marked to be cut after `MAX_SHOWN_CHARS`. `None` if both are blank.
pub(crate) fn quoted_words(node: Node<'_>) -> Option<String> {
    let words = [node.text(), node.desc()];
    let words = words.into_iter().find(|words| !words.trim().is_empty())?;
    let words = Excerpt::new(words.trim(), MAX_SHOWN_CHARS).in_quotes();
    Some(words.to_string())
}
