//! Types text into fields. It verifies by reading back that the text arrived, or fails.

use std::time::Duration;

use super::expected_content::ExpectedContent;
use super::field::Field;
use super::field_keys::{CaretPosition, press, presses};
use super::step_clock::DeviceRequest;
use super::typing::{Focus, Insertion, TypedField, Typing};
use super::{EngineError, InputGuard, Session};
use runner_device::{DeviceError, INPUT_LIMIT, Input, text};

/// Limit for characters typed with pauses in one round trip. Chosen: with usual pauses it takes a few
/// seconds, within the time limit of an input.
const CHARACTERS_AT_ONCE: usize = 20;

impl Session {
    /// Types at the end of a field, or in place of its content if `typing.clear` is set, and reads it back. Text that
    /// does not arrive is typed once more; then it is an error. Line feeds at the end become ENTER keys after the
    /// check, as the app decides what they do; without a field that can be read, or if a character has no key, they are
    /// typed as the rest. Waits for the field at most `timeout`, and holds the input lock all the while.
    pub async fn type_text(
        &self,
        focus: Focus<'_>,
        text: &str,
        typing: Typing,
        timeout: Duration,
    ) -> Result<TypedField, EngineError> {
        let turn = self.lock_input().await;
        let field = Field::locate(self, &turn, &focus, timeout).await?;
        // The app decides what ENTER does, so the text is read back before.
        let body = text.trim_end_matches('\n');
        let enters = if field.at.is_some() && text::has_keys(text) {
            text.len() - body.len()
        } else {
            0
        };
        let text = &text[..text.len() - enters];
        let typed = self.type_line(&turn, field, text, typing, timeout).await?;
        let enters: Vec<Input> = presses("ENTER", enters).collect();
        turn.send(&enters).await?;
        Ok(typed)
    }

    /// Types into the field, after or in place of its content, and reads it back until it arrives. Where the device
    /// can, the whole content is put in at once; else it is typed by keys.
    async fn type_line(
        &self,
        turn: &InputGuard<'_>,
        mut field: Field,
        text: &str,
        typing: Typing,
        timeout: Duration,
    ) -> Result<TypedField, EngineError> {
        let old = if typing.clear { "" } else { &field.content };
        let whole = format!("{old}{text}");
        let wanted = ExpectedContent {
            text,
            whole: &whole,
            dots: if typing.clear { Some(0) } else { field.masked },
            secret: typing.secret,
            timeout,
        };
        let known = typing.clear || !field.secret || field.masked == Some(0);
        if known && self.put_in(turn, &mut field, text, &whole, typing).await? {
            return self.verify(turn, field, wanted).await;
        }
        let mut prelude = field.focusing()?;
        prelude.extend(if typing.clear {
            field.clearing()
        } else {
            field.to_end()?
        });
        self.enter(turn, prelude, text, typing).await?;
        self.verify(turn, field, wanted).await
    }

    /// Types before the character at `offset`, counted in UTF-16 units, or in dots for a password field, and reads the
    /// field back. An offset within a surrogate pair counts as behind it. Nothing is typed if it lies behind the end:
    /// [`Insertion::BeyondEnd`] with the length, which is 0 for a password field without dots.
    pub async fn insert_text(
        &self,
        focus: Focus<'_>,
        offset: usize,
        text: &str,
        typing: Typing,
        timeout: Duration,
    ) -> Result<Insertion, EngineError> {
        let turn = self.lock_input().await;
        let field = Field::locate(self, &turn, &focus, timeout).await?;
        let length = match field.masked.filter(|_| field.secret) {
            // The content cannot be read, but its length is visible.
            Some(characters) => characters,
            None => field.content.encode_utf16().count(),
        };
        if offset > length {
            return Ok(Insertion::BeyondEnd { length });
        }
        let at = byte_at_utf16(&field.content, offset);
        let (head, tail) = field.content.split_at(at);
        let whole = format!("{head}{text}{tail}");
        let before = if field.secret {
            offset
        } else {
            head.chars().count()
        };
        let place = CaretPosition {
            caret: before,
            delete: 0,
        };
        let wanted = ExpectedContent {
            text,
            whole: &whole,
            dots: field.masked,
            secret: typing.secret,
            timeout,
        };
        self.rewrite(&turn, field, place, wanted, typing)
            .await
            .map(Insertion::Typed)
    }

    /// Replaces the first occurrence of `search`, by letter case, and reads the field back. An empty one is found at
    /// the beginning. Returns `None`, with nothing typed, if there is none; password fields have no readable content,
    /// so there is none but the empty one.
    pub async fn replace_text(
        &self,
        focus: Focus<'_>,
        search: &str,
        new_text: &str,
        typing: Typing,
        timeout: Duration,
    ) -> Result<Option<TypedField>, EngineError> {
        let turn = self.lock_input().await;
        let field = Field::locate(self, &turn, &focus, timeout).await?;
        let Some((head, tail)) = field.content.split_once(search) else {
            return Ok(None);
        };
        let whole = format!("{head}{new_text}{tail}");
        let place = CaretPosition {
            caret: head.chars().count() + search.chars().count(),
            delete: search.chars().count(),
        };
        let wanted = ExpectedContent {
            text: new_text,
            whole: &whole,
            dots: None,
            secret: typing.secret,
            timeout,
        };
        self.rewrite(&turn, field, place, wanted, typing)
            .await
            .map(Some)
    }

    /// Sets the text of a field to `whole` at once, if the device can; `text` is the new part of it. Trailing
    /// line feeds become ENTER, as in typed text. Returns `false` if keys or a typing speed are asked for, if
    /// `text` has a line feed or tab inside that must be a key, or if the field or device cannot; then
    /// nothing but a touch was sent. Does not read back.
    async fn put_in(
        &self,
        turn: &InputGuard<'_>,
        field: &mut Field,
        text: &str,
        whole: &str,
        typing: Typing,
    ) -> Result<bool, EngineError> {
        let enters = if whole.ends_with(text) {
            text.len() - text.trim_end_matches('\n').len()
        } else {
            0
        };
        let (body, start) = (&whole[..whole.len() - enters], &text[..text.len() - enters]);
        // A key within the text may do anything, such as going to the next field.
        let presses_keys = start.contains(['\n', '\t']) && text::has_keys(start);
        if typing.keys
            || typing.speed.is_some()
            || presses_keys
            || field.at.is_none()
            || !self.device().sets_text()
        {
            return Ok(false);
        }
        turn.send(&field.focusing()?).await?;
        field.focused = true;
        // Not by keys, so there is no input to report.
        self.notify_input(&[]).await;
        let watch = self.clock.watch(DeviceRequest::Input, Duration::ZERO);
        let limit = self.clock.bound(INPUT_LIMIT);
        self.note_typing();
        let put = self.device().set_text(body, limit).await;
        watch.done();
        if !put? {
            return Ok(false);
        }
        let enters: Vec<Input> = presses("ENTER", enters).collect();
        turn.send(&enters).await?;
        Ok(true)
    }

    /// Empties a field, or deletes at most `count` characters before its end, and reads it back. A field that holds the
    /// wanted content already is left alone; one that shows its hint may hold the same text, so keys are sent to it and
    /// the result is not confirmed. At most 10 000 characters are deleted by keys. Waits for the field at most
    /// `timeout`.
    pub async fn erase(
        &self,
        focus: Focus<'_>,
        count: Option<usize>,
        timeout: Duration,
    ) -> Result<TypedField, EngineError> {
        let turn = self.lock_input().await;
        let mut field = Field::locate(self, &turn, &focus, timeout).await?;
        let keep = match count {
            Some(count) => {
                let length = field.content.chars().count();
                field
                    .content
                    .chars()
                    .take(length.saturating_sub(count))
                    .collect()
            }
            None => String::new(),
        };
        if field.shows_hint() && !field.secret {
            return self.erase_hint(&turn, field, count, timeout).await;
        }
        // A password field reads as empty, whatever it holds.
        if field.content == keep && (!field.secret || field.masked == Some(0)) {
            return Ok(field.typed(Some(keep)));
        }
        let typing = Typing::default();
        let wanted = ExpectedContent {
            text: "",
            whole: &keep,
            dots: match count {
                Some(count) => field.masked.map(|dots| dots.saturating_sub(count)),
                None => Some(0),
            },
            secret: false,
            timeout,
        };
        let known = count.is_none() || !field.secret;
        if known && self.put_in(&turn, &mut field, "", &keep, typing).await? {
            return self.verify(&turn, field, wanted).await;
        }
        turn.send(&field.erasing(count)?).await?;
        self.verify(&turn, field, wanted).await
    }

    /// Returns `•` for each character of a password field, found again on a new look. For a field that does
    /// not declare itself a password field, it is one for each character of its text. Empty if the field
    /// disappeared or was none.
    pub async fn dots_in(&self, typed: &TypedField) -> Result<String, EngineError> {
        let Some((before, index)) = &typed.field else {
            return Ok(String::new());
        };
        let screen = self.look().await?;
        let index = self.find_again(before, *index, &screen);
        let dots = index.map_or(0, |index| {
            let node = screen.node(index);
            if node.flags().password {
                node.masked_characters()
            } else {
                node.text().chars().count()
            }
        });
        Ok("•".repeat(dots))
    }

    /// Types at a place in the field's content, deletes what the place says, and reads the field back. Where the device
    /// can, the whole content is put in at once, but not into a password field; else keys are sent, and
    /// [`EngineError::NoCaret`] if they cannot reach the place.
    async fn rewrite(
        &self,
        turn: &InputGuard<'_>,
        mut field: Field,
        place: CaretPosition,
        wanted: ExpectedContent<'_>,
        typing: Typing,
    ) -> Result<TypedField, EngineError> {
        let (text, whole) = (wanted.text, wanted.whole);
        let at_end = whole.ends_with(text);
        if !field.secret
            && (at_end || !text.ends_with('\n'))
            && self.put_in(turn, &mut field, text, whole, typing).await?
        {
            return self.verify(turn, field, wanted).await;
        }
        let mut prelude = field.focusing()?;
        prelude.extend(field.caret_to(place)?);
        self.enter(turn, prelude, text, typing).await?;
        self.verify(turn, field, wanted).await
    }

    /// Sends preparatory inputs and the text, in one round trip if every character has a key; otherwise the whole text
    /// is committed by the input method. A line feed is the key ENTER, a tab TAB. With a typing speed the characters go
    /// in groups of 20 with a pause after each, and only those without a key are committed. Does not read back.
    pub(super) async fn enter(
        &self,
        turn: &InputGuard<'_>,
        mut prelude: Vec<Input>,
        characters: &str,
        typing: Typing,
    ) -> Result<(), EngineError> {
        let Some((pause, variance)) = typing.speed else {
            if let Some(keys) = text::inputs(characters) {
                prelude.extend(keys);
                return turn.send(&prelude).await;
            }
            turn.send(&prelude).await?;
            return self.commit(characters).await;
        };
        let mut inputs = prelude;
        for (count, character) in characters.chars().enumerate() {
            if count > 0 && count % CHARACTERS_AT_ONCE == 0 {
                turn.send(&std::mem::take(&mut inputs)).await?;
            }
            let character = character.to_string();
            match text::inputs(&character) {
                Some(keys) => inputs.extend(keys),
                // Keys and broadcasts take different ways to the field, so they are sent one after the other.
                None => {
                    turn.send(&std::mem::take(&mut inputs)).await?;
                    self.commit(&character).await?;
                }
            }
            inputs.push(Input::Pause(varied(pause, variance)));
        }
        turn.send(&inputs).await
    }

    /// Enters text that has characters without a key, by the device's input method, into whatever has the focus. Fails
    /// with [`DeviceError::Unsupported`], and nothing typed, if the device has no such input method; any other failure
    /// may leave a part of the text typed. Does not take the input lock.
    pub(super) async fn commit(&self, characters: &str) -> Result<(), EngineError> {
        let watch = self.clock.watch(DeviceRequest::Input, Duration::ZERO);
        let bound = |usual| self.clock.bound(usual);
        self.note_typing();
        let committed = text::commit(self.device(), characters, &bound).await;
        watch.done();
        Ok(committed?)
    }
}

/// Converts an offset in UTF-16 units to one in bytes. Within a character it is the next one's; beyond the end, the
/// end.
fn byte_at_utf16(text: &str, offset: usize) -> usize {
    let mut units = 0;
    for (at, character) in text.char_indices() {
        if units >= offset {
            return at;
        }
        units += character.len_utf16();
    }
    text.len()
}

/// Returns a random duration from `pause - variance` to `pause + variance`, in whole milliseconds and never
/// negative.
fn varied(pause: Duration, variance: Duration) -> Duration {
    // The variation may exceed the pause.
    let variance = variance.min(pause).as_millis() as u64;
    let base = pause.as_millis() as u64;
    Duration::from_millis(fastrand::u64(base - variance..=base + variance))
}

impl Session {
    /// Enters a character whose key may have another meaning: as text if the device can do that without keys,
    /// else by the key. Any other error of the first way is returned. Takes the input lock.
    pub async fn commit_or_press(&self, text: &str, key: &'static str) -> Result<(), EngineError> {
        let turn = self.lock_input().await;
        match self.commit(text).await {
            Err(EngineError::Device(DeviceError::Unsupported { .. })) => {
                turn.send(&[press(key)]).await
            }
            result => result,
        }
    }

    /// Presses one key, and takes the input lock for it. What it does is not checked.
    pub async fn press(&self, name: &'static str) -> Result<(), EngineError> {
        self.input(&[press(name)]).await
    }
}
