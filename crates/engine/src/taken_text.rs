//! Finds out what became of a text that its field does not show.
//!
//! An app may take a text as soon as it is whole: it checks a code and empties the field, or moves the focus
//! on. Typed again, such a text would reach the app twice. Lost keys leave an empty field too, so only a sign of
//! the text itself, or of its field, shows that the app took it.

use std::sync::Arc;

use super::expected_content::{ExpectedContent, SHOW_LIMIT, is_masked};
use super::field::{Field, content, dots, focused_field};
use super::{EngineError, Session};
use runner_screen::{Node, Screen};

/// Fate of a text that its field does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextFate {
    /// The app took it: the field was switched off, went away, or is empty while the focus went on to a like
    /// field.
    Taken,
    /// It did not arrive whole, and the field may be typed into again.
    Lost,
    /// It must not be typed again: keys would go to another field, or the field is empty, and the app may have
    /// taken the text out of it.
    Unknown,
}

impl Session {
    /// Judges by a new look what became of a text that the field does not show: taken by the app, lost, or unknown.
    /// Without a field or a typed text it is lost. If the field is merely empty, it is unknown. Words that appear
    /// beside the field are no sign. If no look succeeds within 2 s, its error is returned.
    pub(super) async fn text_fate(
        &self,
        field: &Field,
        wanted: &ExpectedContent<'_>,
    ) -> Result<TextFate, EngineError> {
        let Some((before, index)) = field.at.as_ref().filter(|_| !wanted.text.is_empty()) else {
            return Ok(TextFate::Lost);
        };
        let Some(screen) = self.any_look(wanted).await? else {
            return Ok(TextFate::Unknown);
        };
        let old = before.node(*index);
        let same = self.find_again(before, *index, &screen);
        let other = focused_field(&screen).filter(|focus| same != Some(focus.index()));
        let is_emptied = same.is_none_or(|same| shows_nothing(screen.node(same)));
        if let Some(focus) = other {
            return Ok(self.fate_by_focus(field, old, focus, is_emptied));
        }
        let Some(same) = same else {
            return Ok(TextFate::Taken);
        };
        if !is_emptied || field.is_hint(wanted.whole) {
            return Ok(TextFate::Lost);
        }
        let is_switched_off = screen.node(same).is_disabled() && !old.is_disabled();
        Ok(if is_switched_off {
            TextFate::Taken
        } else {
            TextFate::Unknown
        })
    }

    /// Judges by another field, `focus`, that has the focus now. The text is lost if the touch before it opened that
    /// field, as a search bar does, and `focus` is alike or shows something. It was taken if the old field is empty and
    /// an empty field of the same class has got the focus. Else its fate is unknown.
    fn fate_by_focus(
        &self,
        field: &Field,
        old: Node<'_>,
        focus: Node<'_>,
        is_emptied: bool,
    ) -> TextFate {
        let before = old.screen();
        let earlier = self.find_again(focus.screen(), focus.index(), before);
        let is_opened = !field.focused && earlier.is_none();
        if is_opened && (is_alike(old, focus) || !shows_nothing(focus)) {
            return TextFate::Lost;
        }
        let had_focus = earlier.is_some_and(|earlier| before.node(earlier).flags().focused);
        let is_like = focus.class() == old.class();
        if is_emptied && is_like && !had_focus && shows_nothing(focus) {
            TextFate::Taken
        } else {
            TextFate::Unknown
        }
    }

    /// Takes a look that can be read, which is repeated for at most 2 s, less if the step's timeout is shorter. An
    /// error if none succeeds; the result is never `None`.
    async fn any_look(
        &self,
        wanted: &ExpectedContent<'_>,
    ) -> Result<Option<Arc<Screen>>, EngineError> {
        let limit = SHOW_LIMIT.min(wanted.timeout);
        let waited = self
            .wait_until(limit, |screen| Some(Arc::clone(screen)))
            .await?;
        Ok(waited.found)
    }
}

/// Returns the text of a field and the fields after it, up to `length` characters or a field's text more: a code with a
/// field for each character. Characters of password fields are `•`. `None` if the field shows nothing or still has the
/// focus.
pub(super) fn spread_text(field: Node<'_>, length: usize) -> Option<String> {
    let screen = field.screen();
    let is_left = focused_field(screen).is_none_or(|focus| focus.index() != field.index());
    if !is_left || shows_nothing(field) {
        return None;
    }
    let mut text = String::new();
    let fields = screen
        .nodes()
        .filter(|node| node.index() >= field.index() && node.is_editable());
    for node in fields {
        if text.chars().count() >= length {
            break;
        }
        match node.masked_characters() {
            0 => text.push_str(content(node)),
            dots => text.push_str(&"•".repeat(dots)),
        }
    }
    Some(text)
}

fn shows_nothing(field: Node<'_>) -> bool {
    field.masked_characters() == 0 && content(field).is_empty()
}

/// Returns true if two fields have the same resource name, the same hint or the same description. Empty ones do not
/// count.
fn is_alike(one: Node<'_>, other: Node<'_>) -> bool {
    let is_same = |a: &str, b: &str| !a.is_empty() && a == b;
    is_same(one.resource_name(), other.resource_name())
        || is_same(one.hint(), other.hint())
        || is_same(one.desc(), other.desc())
}

impl Field {
    /// Returns true if the node, this field on a later look, shows the beginning of the expected content; a password
    /// field, more dots than before. What deletions leave of the former content is no part of it. False if no text was
    /// typed.
    pub(super) fn shows_part(&self, node: Node<'_>, wanted: &ExpectedContent<'_>) -> bool {
        if wanted.text.is_empty() {
            return false;
        }
        if self.secret || node.flags().password {
            return self
                .masked
                .zip(dots(node))
                .is_some_and(|(before, now)| now > before);
        }
        let shown = content(node);
        let begun: String = wanted.whole.chars().take(shown.chars().count()).collect();
        if self.before.is_empty() && is_masked(&begun, shown) {
            return true;
        }
        let part = letters(shown);
        !part.is_empty()
            && letters(wanted.whole).starts_with(&part)
            && !letters(&self.before).starts_with(&part)
    }
}

/// Returns the letters and digits in one letter case, without what a field puts between them.
fn letters(text: &str) -> String {
    let letters = text.chars().filter(|character| character.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
