//! Finds out what became of a text that its field does not show.
//!
//! An app may take a text as soon as it is whole: it checks a code and empties the field, or moves the focus
//! on. Typed again, such a text would reach the app twice.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use super::field::{Field, content, focused_field};
use super::read_back::{ExpectedContent, SHOW_LIMIT};
use super::{EngineError, Session};
use runner_screen::{Node, NodeIndex, Screen};

/// Pause between two looks for new words. Chosen: more than a second, so that a countdown says something else
/// after it.
const COUNTDOWN_PAUSE: Duration = Duration::from_millis(1_100);

/// Fate of a text that its field does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextFate {
    /// The app took it: the field is empty, and the app moved the focus on or shows new words.
    Taken,
    /// It did not arrive whole, and the field may be typed into again.
    Lost,
    /// It did not arrive whole, and keys would go to another field.
    FocusLeft,
}

impl Session {
    /// Compares the screen with the one before the text was typed. An empty field alone is no sign that the
    /// app took the text, as lost keys leave the same. New words are one if they are still there after a
    /// second, so that a countdown is none.
    pub(super) async fn text_fate(
        &self,
        field: &Field,
        wanted: &ExpectedContent<'_>,
    ) -> Result<TextFate, EngineError> {
        let Some((before, index)) = field.at.as_ref().filter(|_| !wanted.text.is_empty()) else {
            return Ok(TextFate::Lost);
        };
        let Some(screen) = self.any_look(wanted).await? else {
            return Ok(TextFate::Lost);
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
        if !is_emptied {
            return Ok(TextFate::Lost);
        }
        let is_switched_off = screen.node(same).is_disabled() && !old.is_disabled();
        if wanted.keeps_content() || is_switched_off {
            return Ok(TextFate::Taken);
        }
        let known = words(before, *index);
        let mut new = words(&screen, same);
        new.retain(|word| !known.contains(word));
        if new.is_empty() {
            return Ok(TextFate::Lost);
        }
        self.pause(COUNTDOWN_PAUSE).await?;
        let Some(later) = self.any_look(wanted).await? else {
            return Ok(TextFate::Lost);
        };
        let stays = match self.find_again(before, *index, &later) {
            Some(same) => !words(&later, same).is_disjoint(&new),
            None => true,
        };
        Ok(if stays {
            TextFate::Taken
        } else {
            TextFate::Lost
        })
    }

    /// Judges by another field, `focus`, that has the focus now. A field that the touch before the text opened,
    /// such as that of a search bar, may have missed the text. One that had the focus all along shows that the
    /// touch did not move it.
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
        if is_emptied && !had_focus && shows_nothing(focus) {
            TextFate::Taken
        } else {
            TextFate::FocusLeft
        }
    }

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

/// Returns the text of a field and the fields after it, if the focus left it for one of them: a code with a
/// field for each character. Characters of password fields are `•`. `None` if the field shows nothing.
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

/// Compares two fields by resource name, and by hint or description where they have one.
fn is_alike(one: Node<'_>, other: Node<'_>) -> bool {
    let is_same = |a: &str, b: &str| !a.is_empty() && a == b;
    is_same(one.resource_name(), other.resource_name())
        || is_same(one.hint(), other.hint())
        || is_same(one.desc(), other.desc())
}

/// Returns the texts and descriptions of the field's app beside the field, each with the state of its check
/// mark.
fn words(screen: &Screen, field: NodeIndex) -> HashSet<(&str, bool)> {
    let package = screen.node(field).package();
    screen
        .nodes()
        .filter(|node| node.index() != field && node.package() == package && node.is_on_screen())
        .flat_map(|node| [node.text(), node.desc()].map(|word| (word, node.flags().checked)))
        .filter(|(word, _)| !word.is_empty())
        .collect()
}
