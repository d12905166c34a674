//! Edits of the focused field: selection, clipboard, filters, undo.
//!
//! The rules are those of AOSP's `TextView`, `Editor` and `BaseKeyListener`.

use std::time::Duration;

use serde_json::Value;

use super::VirtualPhone;
use super::text::{MAX_LINE, word_around};
use crate::apps::a2ui::{Edit, Focus, History, Revision, TypedLetter};
use crate::apps::ui::Field;

/// Time for which a password shows the letter that was typed last (AOSP, `PasswordTransformationMethod`).
const LETTER_SHOWN: Duration = Duration::from_millis(1500);
/// Edits of a field that can be undone. Chosen: a test undoes a few.
const MAX_UNDO: usize = 50;
/// Bytes of earlier texts that are kept for a field; the latest is always kept. Chosen: without it, large
/// fields would take 50 times their size.
const MAX_UNDO_BYTES: usize = 1 << 20;

impl VirtualPhone {
    /// Returns the focused field and its focus, or `None` if no field has the focus or the focused one is not on the
    /// screen.
    pub(super) fn focused_field(&self) -> Option<(Focus, Field)> {
        let focus = self.tasks.front()?.1.view.focus.clone()?;
        let field = self.scene().field(&focus.key)?.clone();
        Some((focus, field))
    }

    /// Selects from `anchor` to `caret` in the focused field; equal places only move the caret. Forgets the column of
    /// movements. Without a focused field nothing happens. Places are characters from the start, and are not checked.
    pub(super) fn select(&mut self, caret: usize, anchor: usize) {
        if let Some((focus, _)) = self.focused_field() {
            self.set_focus(Focus {
                anchor,
                ..Focus::new(&focus.key, caret)
            });
        }
    }

    /// Sets the caret to a place that is one line up or down. With `selects` the other end of the selection
    /// stays, else nothing is selected. The focus keeps the column in which the movement began.
    pub(super) fn move_line(&mut self, focus: &Focus, caret: usize, selects: bool) {
        self.set_focus(Focus {
            key: focus.key.clone(),
            caret,
            anchor: if selects { focus.anchor } else { caret },
            column: focus.column.or(Some(focus.caret)),
        });
    }

    /// Selects the word at the caret of the focused field, if there is one. In numbers and passwords that is
    /// the whole text (AOSP, `Editor.selectCurrentWord`).
    pub(super) fn select_word(&mut self) {
        let Some((focus, field)) = self.focused_field() else {
            return;
        };
        let letters: Vec<char> = field.text.chars().collect();
        let (begin, end) = if field.number || field.secret {
            (0, letters.len())
        } else {
            word_around(&letters, focus.caret.min(letters.len()))
        };
        self.select(end, begin);
    }

    /// Returns the selected text of `field`, which must be the focused one. Returns `None` if nothing is selected,
    /// and for passwords.
    fn selected(&self, field: &Field) -> Option<String> {
        let (focus, _) = self.focused_field()?;
        let (first, last) = focus.selection(field.text.chars().count());
        let text = field.text.chars().skip(first).take(last - first).collect();
        (first < last && !field.secret).then_some(text)
    }

    pub(super) fn copy(&mut self, field: &Field) {
        if let Some(text) = self.selected(field) {
            self.clipboard = Some(text);
        }
    }

    /// Cuts the selection out to the clipboard. Without a selection, and in passwords, nothing happens.
    pub(super) fn cut(&mut self, field: &Field) {
        if let Some(text) = self.selected(field) {
            self.clipboard = Some(text);
            self.insert("");
        }
    }

    pub(super) fn paste(&mut self) {
        if let Some(text) = self.clipboard.clone() {
            self.insert(&text);
        }
    }

    /// Replaces the selection of the focused field by the characters of a text that the field accepts, up to
    /// [`MAX_LINE`] in a field of one line. An empty text deletes the selection; one that is refused altogether
    /// changes nothing. In a password, the last letter is shown for a moment. Returns false only if no field has
    /// the focus.
    pub(super) fn insert(&mut self, text: &str) -> bool {
        let Some((focus, field)) = self.focused_field() else {
            return false;
        };
        let letters: Vec<char> = field.text.chars().collect();
        let (first, last) = focus.selection(letters.len());
        let mut clean: Vec<char> = accepted_text(&field, text).chars().collect();
        if !field.multiline {
            clean.truncate(MAX_LINE.saturating_sub(letters.len() - (last - first)));
        }
        // Text that a field refuses does not delete the selection.
        if clean.is_empty() && (first == last || !text.is_empty()) {
            return true;
        }
        let caret = first + clean.len();
        let edit = (first == last).then_some(Edit::Typed(caret));
        self.replace(&focus, &field, (first, last), &clean, edit);
        if field.secret && !clean.is_empty() {
            let letter = TypedLetter {
                key: focus.key,
                at: caret - 1,
                until: self.clock.now() + LETTER_SHOWN,
            };
            self.view(|view| view.typed_letter = Some(letter));
        }
        true
    }

    /// Deletes the characters from place `first` up to `last` of the focused field. Nothing happens if no field has
    /// the focus or the range is empty. `last` must not be beyond the text.
    pub(super) fn delete(&mut self, first: usize, last: usize) {
        if let Some((focus, field)) = self.focused_field().filter(|_| first < last) {
            let is_backward = focus.anchor == focus.caret && last == focus.caret;
            let edit = is_backward.then_some(Edit::Deleted(first));
            self.replace(&focus, &field, (first, last), &[], edit);
        }
    }

    /// Replaces characters `first` up to `last` of a field by others, puts the caret behind them, and notes the
    /// text before for undoing. The new text is stored in the field's target, and the field counts as edited.
    fn replace(
        &mut self,
        focus: &Focus,
        field: &Field,
        (first, last): (usize, usize),
        new: &[char],
        edit: Option<Edit>,
    ) {
        let mut letters: Vec<char> = field.text.chars().collect();
        let caret = focus.selection(letters.len()).0;
        letters.splice(first..last, new.iter().copied());
        let revision = Revision {
            text: field.text.clone(),
            caret,
            edit,
        };
        self.view(|view| {
            view.typed_letter = None;
            let history = view.history.entry(focus.key.clone()).or_default();
            history.record(revision, last);
        });
        self.write_field(&focus.key, field, letters, first + new.len());
    }

    /// Shows the text of the focused field before its last edit again. Without such a field or edit nothing
    /// happens.
    pub(super) fn undo(&mut self) {
        self.change_history(|history, now| {
            let revision = history.done.pop()?;
            history.undone.push(now);
            Some(revision)
        });
    }

    /// Shows the text of the focused field that was undone last. Without such a text nothing happens; every new edit
    /// forgets all undone ones.
    pub(super) fn redo(&mut self) {
        self.change_history(|history, now| {
            let revision = history.undone.pop()?;
            history.done.push(now);
            Some(revision)
        });
    }

    /// Replaces the field's text by another one of its history, if there is one. `step` gets the present text and
    /// returns the one to show. That text gets its own caret, and is stored as an edit is.
    fn change_history(&mut self, step: impl FnOnce(&mut History, Revision) -> Option<Revision>) {
        let Some((focus, field)) = self.focused_field() else {
            return;
        };
        let now = Revision {
            text: field.text.clone(),
            caret: focus.caret,
            edit: None,
        };
        let mut revision = None;
        self.view(|view| {
            let history = view.history.get_mut(&focus.key);
            revision = history.and_then(|history| step(history, now));
        });
        if let Some(revision) = revision {
            let letters = revision.text.chars().collect();
            self.write_field(&focus.key, &field, letters, revision.caret);
        }
    }

    pub(super) fn write_field(
        &mut self,
        key: &str,
        field: &Field,
        letters: Vec<char>,
        caret: usize,
    ) {
        self.mark_edited(key);
        self.set_focus(Focus::new(key, caret));
        self.put(&field.target, Value::String(letters.into_iter().collect()));
    }
}

impl History {
    /// Adds the text before an edit to the history. `end` is the end of the characters that the edit replaced, in the
    /// text before. Typing on or deleting on belongs to the edit before; undone texts are lost. The latest text is
    /// always kept; the oldest go beyond [`MAX_UNDO`] or [`MAX_UNDO_BYTES`].
    fn record(&mut self, revision: Revision, end: usize) {
        self.undone.clear();
        let goes_on = |last: &Revision| match (last.edit, revision.edit) {
            (Some(Edit::Typed(to)), Some(Edit::Typed(_)))
            | (Some(Edit::Deleted(to)), Some(Edit::Deleted(_))) => to == end,
            _ => false,
        };
        match self.done.last_mut().filter(|last| goes_on(last)) {
            Some(last) => last.edit = revision.edit,
            None => self.done.push(revision),
        }
        let size = |done: &[Revision]| done.iter().map(|it| it.text.len()).sum::<usize>();
        while self.done.len() > MAX_UNDO || self.done.len() > 1 && size(&self.done) > MAX_UNDO_BYTES
        {
            self.done.remove(0);
        }
    }
}

/// Returns the digit on the key that types a character with SHIFT, or the character itself. A number field
/// takes the digit for the character (AOSP, `NumberKeyListener`, and the first key with the character in
/// `Virtual.kcm`).
pub(super) fn digit_of_key(letter: char) -> char {
    let shifted = ")!@#$%^&*(".chars().position(|sign| sign == letter);
    let digit = shifted.and_then(|digit| char::from_digit(digit as u32, 10));
    digit.unwrap_or(letter)
}

/// Returns the characters of a text that a field accepts. A number takes ASCII digits only. Control
/// characters are dropped except tabs, and line feeds if the field has several lines. The length is not
/// checked.
pub(super) fn accepted_text(field: &Field, text: &str) -> String {
    text.chars()
        .filter(|letter| match letter {
            '\n' => field.multiline,
            letter if field.number => letter.is_ascii_digit(),
            letter => *letter == '\t' || !letter.is_control(),
        })
        .collect()
}
