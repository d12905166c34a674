//! Verifies typed text by reading the field back.

use std::time::Duration;

use super::arrival::holds;
use super::expected_content::{ExpectedContent, SHOW_LIMIT, is_masked};
use super::field::{Field, content, dots, focused_field};
use super::field_keys::press;
use super::taken_text::{TextFate, spread_text};
use super::typing::{TypedField, Typing};
use super::{EngineError, InputGuard, Session};
use runner_screen::{Node, Screen};

/// Content of the field on a look.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FieldContent {
    /// The expected text, as the field formats it.
    Text(String),
    /// The expected number of dots, or marks in place of the text.
    Dots,
    /// A password field that shows nothing of its content.
    Nothing,
    /// Nothing, after a look showed a part of the text: the app took it.
    Taken,
    /// The field is not on the screen.
    Gone,
    /// Content that is not the expected one, perhaps empty. For a password field, as many dots as it shows.
    Other(String),
}

impl Session {
    /// Reads the field back until it holds the expected content, for at most 2 s. A field without an element, one that
    /// is gone, a password field that shows nothing, and one out of which the app surely took the text are returned
    /// unconfirmed. If another content stays, erases it and types the whole content once more, by keys and at full
    /// speed; password fields are not tried again unless they should be empty. If that fails too, or if the app may
    /// have taken the text or the focus went elsewhere, the error says what the field holds.
    pub(super) async fn verify(
        &self,
        turn: &InputGuard<'_>,
        mut field: Field,
        wanted: ExpectedContent<'_>,
    ) -> Result<TypedField, EngineError> {
        if field.at.is_none() {
            return Ok(field.typed(None));
        }
        let other = match self.read_back(&field, wanted).await? {
            FieldContent::Other(other) => other,
            shown => return Ok(field.showing(shown)),
        };
        field.content = other;
        match self.text_fate(&field, &wanted).await? {
            TextFate::Taken => return Ok(field.typed(None)),
            TextFate::Unknown => return Err(field.not_typed(&wanted)),
            TextFate::Lost => {}
        }
        let mut again = field;
        // A password field cannot be read, so a second attempt could not be verified.
        if again.secret && wanted.dots != Some(0) {
            return Err(again.not_typed(&wanted));
        }
        let left = again.content.clone();
        let mut shown = FieldContent::Other(String::new());
        let is_hint = again.is_hint(wanted.whole);
        if !is_hint || !left.is_empty() {
            self.erase_again(turn, &mut again, wanted).await?;
            self.enter(turn, Vec::new(), wanted.whole, Typing::default())
                .await?;
            shown = self.read_back(&again, wanted).await?;
        }
        if is_hint && shown == FieldContent::Other(String::new()) {
            shown = self.retype_last(turn, &again, wanted).await?;
        }
        match shown {
            // An old release: what stands there once all is deleted, and cannot be deleted, is the hint.
            FieldContent::Other(hint)
                if wanted.whole.is_empty()
                    && hint == left
                    && !again.marks_hints()
                    && !again.secret
                    && !again.before.contains(&hint) =>
            {
                Ok(again.showing(FieldContent::Text(String::new())))
            }
            FieldContent::Other(other) => {
                again.content = other;
                Err(again.not_typed(&wanted))
            }
            shown => Ok(again.showing(shown)),
        }
    }

    /// Erases a field before its text is typed again. If the former content looks like the text, the field is read
    /// back: an error if that content stayed, as then nothing could show that the text arrived; else the field is
    /// treated as empty before.
    async fn erase_again(
        &self,
        turn: &InputGuard<'_>,
        field: &mut Field,
        wanted: ExpectedContent<'_>,
    ) -> Result<(), EngineError> {
        // The text may still arrive, or be anywhere in the field.
        turn.send(&field.clearing_after(wanted.whole)).await?;
        if !holds(wanted.whole, &field.before) {
            return Ok(());
        }
        let nothing = ExpectedContent {
            text: "",
            whole: "",
            ..wanted
        };
        match self.read_back(field, nothing).await? {
            FieldContent::Other(unmoved) if unmoved == field.before => {
                field.content = unmoved;
                Err(field.clone().not_typed(&wanted))
            }
            _ => {
                field.before.clear();
                Ok(())
            }
        }
    }

    /// Confirms a text that equals the field's hint, which the dump shows as an empty field: deletes its last
    /// character, looks for the rest, and types the character again. Returns what the field shows in the end; it is the
    /// text only if each look was as it should be. A text of one character is never confirmed, and nothing is sent for
    /// it.
    async fn retype_last(
        &self,
        turn: &InputGuard<'_>,
        field: &Field,
        wanted: ExpectedContent<'_>,
    ) -> Result<FieldContent, EngineError> {
        let last = wanted.whole.char_indices().next_back();
        let (head, last) = wanted.whole.split_at(last.map_or(0, |(at, _)| at));
        if head.is_empty() {
            return Ok(FieldContent::Other(String::new()));
        }
        turn.send(&[press("MOVE_END"), press("DEL")]).await?;
        let begun = ExpectedContent {
            text: head,
            whole: head,
            ..wanted
        };
        let shown = self.read_back(field, begun).await?;
        if !matches!(shown, FieldContent::Text(_)) {
            return Ok(shown);
        }
        self.enter(turn, Vec::new(), last, Typing::default())
            .await?;
        let mut shown = FieldContent::Gone;
        self.wait_until(SHOW_LIMIT.min(wanted.timeout), |screen| {
            let node = self.field_on(field, screen)?;
            shown = if node.display_text() == wanted.whole {
                FieldContent::Text(wanted.whole.to_owned())
            } else {
                FieldContent::Other(content(node).to_owned())
            };
            matches!(shown, FieldContent::Text(_)).then_some(())
        })
        .await?;
        Ok(shown)
    }

    /// Deletes in a field that shows its hint: it is empty, or holds a text equal to the hint, and a dump
    /// shows both alike. The result is not confirmed. An error if the field did not take the focus, as then
    /// it did not take the keys.
    pub(super) async fn erase_hint(
        &self,
        turn: &InputGuard<'_>,
        mut field: Field,
        count: Option<usize>,
        timeout: Duration,
    ) -> Result<TypedField, EngineError> {
        field.content = field.hint().to_owned();
        turn.send(&field.erasing(count)?).await?;
        let mut left = None;
        let waited = self
            .wait_until(SHOW_LIMIT.min(timeout), |screen| {
                let node = self.field_on(&field, screen);
                left = node.map(|node| content(node).to_owned());
                node.is_none_or(|node| node.flags().focused).then_some(())
            })
            .await?;
        if waited.found.is_none() {
            return Err(EngineError::NotTyped {
                element: field.name,
                expected: Some(String::new()),
                actual: Some(field.content),
                before: None,
                may_be_taken: false,
            });
        }
        Ok(TypedField {
            is_confirmed: false,
            ..field.typed(left)
        })
    }

    /// Returns true if the driver reports, without a look, that a field of the same class, at the same left
    /// and right edge, has the focus and exactly the expected content. Only a look shows dots, a hint, or a
    /// field that another one opened. False without a request for passwords, empty content, and content equal
    /// to the hint or to the former text.
    async fn is_confirmed_by_focus(
        &self,
        field: &Field,
        wanted: ExpectedContent<'_>,
    ) -> Result<bool, EngineError> {
        let Some((screen, index)) = field.at.as_ref() else {
            return Ok(false);
        };
        let node = screen.node(*index);
        let says_nothing = field.secret
            || wanted.whole.is_empty()
            || [node.hint(), node.text(), &field.before].contains(&wanted.whole);
        if says_nothing {
            return Ok(false);
        }
        let limit = SHOW_LIMIT.min(wanted.timeout);
        let asked = self.device().focused_element(limit).await?;
        Ok(asked.is_some_and(|focused| {
            let (old, now) = (node.bounds(), focused.bounds);
            // A keyboard moves a field up and down.
            let is_same = old.left == now.left && old.right == now.right;
            let is_same = is_same && focused.class == node.class();
            is_same && !focused.is_password && focused.text == wanted.whole
        }))
    }

    /// Looks until the field holds the expected content, or 2 s (less if the step's timeout is shorter) are up. Takes
    /// no look if the driver reports the content of the focused field. A hint, dots and formatting count as described
    /// at [`holds`]. Returns the last content if it never does: another text, nothing after a part of the text, or the
    /// field is gone.
    async fn read_back(
        &self,
        field: &Field,
        wanted: ExpectedContent<'_>,
    ) -> Result<FieldContent, EngineError> {
        let limit = SHOW_LIMIT.min(wanted.timeout);
        if self.is_confirmed_by_focus(field, wanted).await? {
            return Ok(FieldContent::Text(wanted.whole.to_owned()));
        }
        let mut last = FieldContent::Gone;
        let mut has_begun = false;
        let waited = self
            .wait_until(limit, |screen| {
                has_begun |= self
                    .field_on(field, screen)
                    .is_some_and(|node| field.shows_part(node, &wanted));
                last = self.read_field(field, screen, &wanted);
                let is_open = matches!(last, FieldContent::Other(_) | FieldContent::Gone);
                (!is_open).then(|| last.clone())
            })
            .await?;
        let shown = waited.found.unwrap_or(last);
        let is_taken = has_begun && shown == FieldContent::Other(String::new());
        Ok(if is_taken { FieldContent::Taken } else { shown })
    }

    /// Compares what the field shows on a look with what was typed. Dots count as the content of a password field, and
    /// text spread over several fields as one. Content that was there before is no proof, unless it is exactly the
    /// whole. If it is not as expected, the result is what the field shows instead, or that it is gone.
    fn read_field(
        &self,
        field: &Field,
        screen: &Screen,
        wanted: &ExpectedContent<'_>,
    ) -> FieldContent {
        let Some(node) = self.field_on(field, screen) else {
            return FieldContent::Gone;
        };
        if field.secret || node.flags().password {
            let now = dots(node);
            return match wanted.shows_in_dots(field.masked, now) {
                None => FieldContent::Nothing,
                Some(true) => FieldContent::Dots,
                Some(false) => field
                    .spread_content(node, wanted)
                    .unwrap_or_else(|| FieldContent::Other("•".repeat(now.unwrap_or(0)))),
            };
        }
        let shown = content(node);
        if is_masked(wanted.whole, shown) {
            return FieldContent::Dots;
        }
        let changed = shown != field.before;
        // What was read before may have been the hint of a release that does not mark hints.
        let was_hint =
            || !wanted.text.is_empty() && !field.marks_hints() && holds(wanted.text, shown);
        if shown == wanted.whole || changed && (holds(wanted.whole, shown) || was_hint()) {
            FieldContent::Text(shown.to_owned())
        } else {
            field
                .spread_content(node, wanted)
                .unwrap_or_else(|| FieldContent::Other(shown.to_owned()))
        }
    }

    /// Finds the field on a later screen. A focused field that was not on the earlier screen comes first, as search
    /// bars open another one, then the old field, then any focused field. `None` if there is none of these.
    fn field_on<'a>(&self, field: &Field, screen: &'a Screen) -> Option<Node<'a>> {
        let (old, index) = field.at.as_ref()?;
        let same = self.find_again(old, *index, screen);
        let opened = focused_field(screen)
            .map(Node::index)
            .filter(|focused| same.is_none() || self.find_again(screen, *focused, old).is_none());
        opened.or(same).map(|index| screen.node(index))
    }
}

impl Field {
    /// Returns the field as it was found, with its present content. `None` as content means that it could not
    /// be read, so the result is not confirmed.
    pub(super) fn typed(self, content: Option<String>) -> TypedField {
        TypedField {
            is_password: self.secret,
            is_confirmed: content.is_some(),
            content,
            before: self.before,
            field: self.at,
        }
    }

    /// Returns the expected text, or dots in its place, if the field and those after it hold it together, and did not
    /// before. `None` otherwise, and for a password field that should not be empty.
    fn spread_content(&self, node: Node<'_>, wanted: &ExpectedContent<'_>) -> Option<FieldContent> {
        if self.secret && wanted.dots != Some(0) {
            return None;
        }
        let length = wanted.whole.chars().count();
        let (old, index) = self.at.as_ref()?;
        let text = spread_text(node, length)?;
        if spread_text(old.node(*index), length).as_ref() == Some(&text) {
            None
        } else if text == wanted.whole {
            Some(FieldContent::Text(text))
        } else {
            is_masked(wanted.whole, &text).then_some(FieldContent::Dots)
        }
    }

    /// Returns the field with what it showed. Dots confirm it without a content; anything that is not the text
    /// leaves it unconfirmed.
    fn showing(self, shown: FieldContent) -> TypedField {
        match shown {
            FieldContent::Text(content) => self.typed(Some(content)),
            FieldContent::Dots => TypedField {
                is_password: true,
                is_confirmed: true,
                ..self.typed(None)
            },
            FieldContent::Nothing
            | FieldContent::Taken
            | FieldContent::Gone
            | FieldContent::Other(_) => self.typed(None),
        }
    }

    /// Builds the error that another text arrived. Texts of secrets and password fields are left out. It says that the
    /// app may have taken the text if one was typed and the field is empty.
    fn not_typed(self, wanted: &ExpectedContent<'_>) -> EngineError {
        let is_hidden = wanted.secret || self.secret;
        let displayed = |text: String| (!is_hidden).then_some(text);
        let before = wanted.whole.strip_suffix(wanted.text);
        let before = before.filter(|before| !before.is_empty() && !wanted.text.is_empty());
        EngineError::NotTyped {
            element: self.name,
            may_be_taken: !wanted.text.is_empty() && self.content.is_empty(),
            expected: displayed(wanted.whole.to_owned()),
            before: before.map(str::to_owned).and_then(displayed),
            actual: displayed(self.content),
        }
    }
}
