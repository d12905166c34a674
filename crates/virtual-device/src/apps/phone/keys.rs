//! Keys and typing.

use std::time::Duration;

use serde_json::Value;

use super::focus::Direction;
use super::text::{
    MAX_LINE, character_after, character_before, deleted_before, word_after, word_around,
    word_before,
};
use super::{Shade, VirtualPhone, WindowName};
use crate::KeyPress;
use crate::apps::a2ui::{Focus, Revision, TypedLetter};
use crate::apps::ui::{Field, TouchAction};
use crate::hosted::TextMode;

/// The time for which a password shows the letter that was typed last (AOSP, `PasswordTransformationMethod`).
const LETTER_SHOWN: Duration = Duration::from_millis(1500);
/// Edits of a field that can be undone.
const MAX_UNDO: usize = 50;
/// A slider moves in so many steps (AOSP, `AbsSeekBar.setMax`).
const SLIDER_STEPS: f64 = 20.0;

/// Keys by which a person finds the way: they leave touch mode (AOSP, `ViewRootImpl.isNavigationKey`).
const NAVIGATION: [&str; 12] = [
    "DPAD_LEFT",
    "DPAD_RIGHT",
    "DPAD_UP",
    "DPAD_DOWN",
    "DPAD_CENTER",
    "PAGE_UP",
    "PAGE_DOWN",
    "MOVE_HOME",
    "MOVE_END",
    "TAB",
    "SPACE",
    "ENTER",
];

impl VirtualPhone {
    pub(super) fn take_key(&mut self, key: &KeyPress) {
        let name = key.name.as_str();
        let is_systems = matches!(name, "HOME" | "APP_SWITCH" | "NOTIFICATION");
        // The dialog about an app takes no key; an app that hangs takes none either.
        let focused = self.scene().focused().map(|window| window.name);
        let is_kept = focused == Some(WindowName::AppError) || self.is_hung(focused);
        if is_kept && !is_systems {
            return;
        }
        let hides_keyboard = name == "BACK" && self.scene().has(WindowName::Keyboard);
        if !is_systems && !hides_keyboard && self.key_hosted(key) {
            return;
        }
        match name {
            "BACK" => self.back(),
            "ESCAPE" if self.has_dialog() => self.close_popup(false),
            "UP" => self.close_screen(),
            "HOME" => self.go_home(),
            "APP_SWITCH" => {
                self.tasks.toggle_recents();
                self.overlay.shade = None;
            }
            "NOTIFICATION" => self.overlay.shade = Some(Shade::Notifications),
            _ => self.key_in_app(key),
        }
        self.changed();
    }

    fn key_in_app(&mut self, key: &KeyPress) {
        if self.key_in_menu(&key.name) {
            return;
        }
        let is_plain = !key.ctrl && !key.shift;
        let navigates = NAVIGATION.contains(&key.name.as_str()) && is_plain;
        if navigates && self.leave_touch_mode() {
            // Its UP arrives at the element that has the focus now. A single-line field moves the focus on.
            if key.name == "ENTER" {
                self.key_in_field(key);
            }
            return;
        }
        let front = self.front_screen();
        if is_plain && letter_of(&key.name, false).is_some() {
            // A key that writes does not stop at the focus that it gives.
            self.leave_touch_mode();
        }
        if !self.key_in_field(key) && !key.ctrl {
            self.key_for_focus(key);
        }
        // A screen that keys have opened gives something the focus.
        if self.front_screen() != front && !self.keyboard.is_in_touch_mode() {
            self.leave_touch_mode();
        }
    }

    /// A key that a field does not take.
    fn key_for_focus(&mut self, key: &KeyPress) {
        match key.name.as_str() {
            "TAB" if key.shift => self.move_focus(Direction::Backward),
            "TAB" => self.move_focus(Direction::Forward),
            "DPAD_UP" => self.move_focus(Direction::Up) || self.scroll_page(-0.5),
            "DPAD_DOWN" => self.move_focus(Direction::Down) || self.scroll_page(0.5),
            "PAGE_UP" => self.scroll_page(-1.0),
            "PAGE_DOWN" => self.scroll_page(1.0),
            "MOVE_HOME" => self.scroll_page(f32::NEG_INFINITY),
            "MOVE_END" => self.scroll_page(f32::INFINITY),
            "MINUS" => self.step_slider(-1.0),
            "PLUS" | "EQUALS" => self.step_slider(1.0),
            "DPAD_LEFT" => self.step_slider(-1.0) || self.move_focus(Direction::Left),
            "DPAD_RIGHT" => self.step_slider(1.0) || self.move_focus(Direction::Right),
            "SPACE" if self.scroll_page(1.0) => true,
            "ENTER" | "NUMPAD_ENTER" | "SPACE" | "DPAD_CENTER" if !key.shift => {
                self.press_focused()
            }
            _ => false,
        };
    }

    /// Returns true if a dialog of the app is in front.
    fn has_dialog(&self) -> bool {
        let front = self.scene().focused().map(|window| window.name);
        matches!(front, Some(WindowName::Dialog | WindowName::Date))
    }

    /// A key while a drop-down is open; `false` where none is.
    fn key_in_menu(&mut self, name: &str) -> bool {
        let front = self.tasks.front();
        let Some(menu) = front.and_then(|(_, screen)| screen.view.menu.clone()) else {
            return false;
        };
        let last = menu.options.len().saturating_sub(1);
        let chosen = menu
            .options
            .iter()
            .position(|(_, value)| menu.chosen.contains(value));
        let selected = match (menu.selected, name) {
            // The first key only shows where the selection is.
            (None, _) if NAVIGATION.contains(&name) => chosen.unwrap_or(0),
            (Some(at), "DPAD_DOWN") => (at + 1).min(last),
            (Some(at), "DPAD_UP") => at.saturating_sub(1),
            (Some(at), "ENTER" | "NUMPAD_ENTER" | "SPACE" | "DPAD_CENTER") => {
                let value = menu.options.get(at).map(|(_, value)| vec![value.clone()]);
                self.view(|view| view.menu = None);
                self.put(&menu.target, Value::from(value.unwrap_or_default()));
                return true;
            }
            _ => return true,
        };
        self.keyboard.set_touch_mode(false);
        self.view(|view| {
            if let Some(menu) = &mut view.menu {
                menu.selected = Some(selected);
            }
        });
        true
    }

    fn step_slider(&mut self, way: f64) -> bool {
        let Some(hit) = self.focused_element() else {
            return false;
        };
        let Some(TouchAction::Slide { target, min, max }) = &hit.element.on_tap else {
            return false;
        };
        let step = ((max - min) / SLIDER_STEPS).round().max(1.0);
        let now = hit.element.node.range.unwrap_or(*min);
        let value = (now + way * step).clamp(*min, max.max(*min));
        self.put(target, Value::from(value));
        true
    }

    fn back(&mut self) {
        // In the order in which they lie above each other.
        if self.overlay.shade.take().is_some() {
            return;
        }
        if self.overlay.question.is_some() {
            self.answer(false);
            return;
        }
        if self.scene().has(WindowName::Keyboard) {
            self.keyboard.hide();
            self.tell_keyboard_hidden();
            return;
        }
        let popup = self.tasks.front().is_some_and(|(_, screen)| {
            let view = &screen.view;
            view.menu.is_some() || view.date.is_some() || view.modal.is_some()
        });
        if popup {
            self.close_popup(false);
        } else {
            self.close_screen();
        }
    }

    /// The field with focus.
    pub(super) fn focused_field(&self) -> Option<(Focus, Field)> {
        let focus = self.tasks.front()?.1.view.focus.clone()?;
        let field = self.scene().field(&focus.key)?.clone();
        Some((focus, field))
    }

    /// A key in the field with focus; `false` where the field does not take it.
    fn key_in_field(&mut self, key: &KeyPress) -> bool {
        let Some((focus, field)) = self.focused_field() else {
            return false;
        };
        let letters: Vec<char> = field.text.chars().collect();
        let at = focus.caret.min(letters.len());
        let name = key.name.as_str();
        if key.ctrl && self.shortcut(name, &field) {
            return true;
        }
        let (first, last) = focus.selection(letters.len());
        let is_collapsing = first < last && !key.shift;
        let to = match (name, key.ctrl) {
            ("DPAD_LEFT", true) => word_before(&letters, at),
            ("DPAD_RIGHT", true) => word_after(&letters, at),
            ("MOVE_HOME", true) => 0,
            ("MOVE_END", true) => letters.len(),
            ("DPAD_LEFT", false) if is_collapsing => first,
            ("DPAD_RIGHT", false) if is_collapsing => last,
            // Arrows of a keyboard never leave a field (AOSP, `TextView.doKeyDown`).
            ("DPAD_LEFT", false) => character_before(&letters, at),
            ("DPAD_RIGHT", false) => character_after(&letters, at),
            ("DPAD_UP", false) => self.line_beside(&focus.key, at, -1).unwrap_or(0),
            ("DPAD_DOWN", false) => self.line_beside(&focus.key, at, 1).unwrap_or(letters.len()),
            ("PAGE_UP", _) | ("DPAD_UP", true) => 0,
            ("PAGE_DOWN", _) | ("DPAD_DOWN", true) => letters.len(),
            ("MOVE_HOME", false) => self.line_around(&focus.key, at, letters.len()).0,
            ("MOVE_END", false) => self.line_around(&focus.key, at, letters.len()).1,
            _ => return self.edit_by_key(key, &field, &letters, (first, last)),
        };
        self.select(to, if key.shift { focus.anchor } else { to });
        true
    }

    /// Keys that change the text.
    fn edit_by_key(
        &mut self,
        key: &KeyPress,
        field: &Field,
        letters: &[char],
        (first, last): (usize, usize),
    ) -> bool {
        match key.name.as_str() {
            "DEL" if first == last && key.ctrl => self.delete(word_before(letters, first), last),
            "DEL" if first == last => self.delete(deleted_before(letters, first), last),
            "FORWARD_DEL" if first == last && key.ctrl => {
                self.delete(first, word_after(letters, last));
            }
            "FORWARD_DEL" if first == last => self.delete(first, character_after(letters, last)),
            "DEL" | "FORWARD_DEL" => self.delete(first, last),
            "COPY" => self.copy(field),
            "PASTE" => self.paste(),
            "CUT" => self.cut(field),
            "ENTER" | "NUMPAD_ENTER" if field.multiline => {
                self.insert("\n");
            }
            "ENTER" | "NUMPAD_ENTER" => {
                self.move_focus(Direction::Down);
            }
            "DPAD_CENTER" => self.keyboard.allow(),
            "SPACE" => {
                self.insert(" ");
            }
            name if !key.ctrl => {
                let Some(letter) = letter_of(name, key.shift) else {
                    return false;
                };
                self.insert(&letter.to_string());
            }
            _ => return false,
        }
        true
    }

    /// Handles CTRL and a letter in a field. Returns false if it is not a shortcut.
    fn shortcut(&mut self, name: &str, field: &Field) -> bool {
        match name {
            "A" => self.select(field.text.chars().count(), 0),
            "C" => self.copy(field),
            "V" => self.paste(),
            "X" => self.cut(field),
            "Z" => self.undo(),
            _ => return false,
        }
        true
    }

    fn select(&mut self, caret: usize, anchor: usize) {
        self.view(|view| {
            if let Some(focus) = &mut view.focus {
                (focus.caret, focus.anchor) = (caret, anchor);
            }
        });
    }

    /// Selects the word at the caret. Of numbers and passwords it is all there is (AOSP, `Editor.selectCurrentWord`).
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

    /// The selected text; nothing of a password.
    fn selected(&self, field: &Field) -> Option<String> {
        let (focus, _) = self.focused_field()?;
        let (first, last) = focus.selection(field.text.chars().count());
        let text = field.text.chars().skip(first).take(last - first).collect();
        (first < last && !field.secret).then_some(text)
    }

    fn copy(&mut self, field: &Field) {
        if let Some(text) = self.selected(field) {
            self.clipboard = Some(text);
        }
    }

    fn cut(&mut self, field: &Field) {
        if let Some(text) = self.selected(field) {
            self.clipboard = Some(text);
            self.insert("");
        }
    }

    fn paste(&mut self) {
        if let Some(text) = self.clipboard.clone() {
            self.insert(&text);
        }
    }

    /// Types into the field with focus; `false` without one.
    pub(super) fn type_text(&mut self, text: &str) -> bool {
        self.put_text(text, TextMode::Keys)
    }

    /// The same, and by which way it comes, which an app in a host can tell.
    pub(super) fn put_text(&mut self, text: &str, mode: TextMode) -> bool {
        if self.is_hung(Some(WindowName::App)) {
            return false;
        }
        if let Some(typed) = self.type_hosted(text, mode) {
            return typed;
        }
        let is_typed = mode == TextMode::Keys && text.contains(['\n', '\t']);
        if !is_typed {
            return self.insert(text);
        }
        // There are keys for these, which may do something else than write.
        let mut done = false;
        for part in text.split_inclusive(['\n', '\t']) {
            let plain = part.trim_end_matches(['\n', '\t']);
            done |= self.insert(plain);
            match part.chars().next_back() {
                Some('\n') => self.take_key(&KeyPress::named("ENTER")),
                Some('\t') => self.take_key(&KeyPress::named("TAB")),
                _ => {}
            }
        }
        done
    }

    /// Puts text in the place of what is selected; `false` where no field has the focus.
    fn insert(&mut self, text: &str) -> bool {
        let Some((focus, field)) = self.focused_field() else {
            return false;
        };
        let letters: Vec<char> = field.text.chars().collect();
        let (first, last) = focus.selection(letters.len());
        let mut clean: Vec<char> = accepted_text(&field, text).chars().collect();
        if !field.multiline {
            clean.truncate(MAX_LINE.saturating_sub(letters.len() - (last - first)));
        }
        if clean.is_empty() && first == last {
            return true;
        }
        let caret = first + clean.len();
        let typed = (first == last).then_some(caret);
        self.replace(&focus, &field, (first, last), &clean, typed);
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

    fn delete(&mut self, first: usize, last: usize) {
        if let Some((focus, field)) = self.focused_field().filter(|_| first < last) {
            self.replace(&focus, &field, (first, last), &[], None);
        }
    }

    fn replace(
        &mut self,
        focus: &Focus,
        field: &Field,
        (first, last): (usize, usize),
        new: &[char],
        typed_to: Option<usize>,
    ) {
        let mut letters: Vec<char> = field.text.chars().collect();
        letters.splice(first..last, new.iter().copied());
        self.remember(focus, field, first, typed_to);
        self.view(|view| view.typed_letter = None);
        self.write_field(&focus.key, field, letters, first + new.len());
    }

    /// Keeps a field's text for undo. What is typed on is one edit.
    fn remember(&mut self, focus: &Focus, field: &Field, first: usize, typed_to: Option<usize>) {
        let (key, text, caret) = (focus.key.clone(), field.text.clone(), focus.caret);
        self.view(|view| {
            let edits = view.undo.entry(key).or_default();
            match edits.last_mut() {
                Some(edit) if typed_to.is_some() && edit.typed_to == Some(first) => {
                    edit.typed_to = typed_to;
                }
                _ => edits.push(Revision {
                    text,
                    caret,
                    typed_to,
                }),
            }
            if edits.len() > MAX_UNDO {
                edits.remove(0);
            }
        });
    }

    fn undo(&mut self) {
        let Some((focus, field)) = self.focused_field() else {
            return;
        };
        let mut last = None;
        self.view(|view| last = view.undo.get_mut(&focus.key).and_then(Vec::pop));
        if let Some(edit) = last {
            let letters = edit.text.chars().collect();
            self.write_field(&focus.key, &field, letters, edit.caret);
        }
    }

    pub(super) fn write_field(
        &mut self,
        key: &str,
        field: &Field,
        letters: Vec<char>,
        caret: usize,
    ) {
        let key = key.to_owned();
        self.view(|view| {
            view.edited.insert(key.clone());
            view.focus = Some(Focus {
                key,
                caret,
                anchor: caret,
            });
        });
        self.put(&field.target, Value::String(letters.into_iter().collect()));
    }

    /// A key of the drawn keyboard. Its ENTER is the field's action: the next field, or the end of typing.
    pub(super) fn press_drawn_key(&mut self, key: &str) {
        let is_hosted = self.hosted_in_front().is_some();
        match key {
            "DEL" | "ENTER" if is_hosted => {
                self.key_hosted(&KeyPress::named(key));
            }
            "SHIFT" => self.keyboard.press_shift(),
            "DEL" => {
                self.key_in_field(&KeyPress::named("DEL"));
            }
            "ENTER" => {
                let field = self.focused_field();
                if field.is_some_and(|(_, field)| field.multiline) {
                    self.insert("\n");
                } else if !self.next_field() {
                    self.keyboard.hide();
                }
            }
            letter => {
                self.put_text(letter, TextMode::Commit);
                self.keyboard.release_shift();
            }
        }
    }
}

/// The character of a key with one.
fn letter_of(name: &str, shift: bool) -> Option<char> {
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
        (Some(only), None) if only.is_ascii_alphabetic() && shift => Some(only),
        (Some(only), None) if only.is_ascii_alphanumeric() => Some(only.to_ascii_lowercase()),
        _ => Some(match name {
            "COMMA" => ',',
            "PERIOD" | "NUMPAD_DOT" => '.',
            "MINUS" => '-',
            "EQUALS" => '=',
            "SLASH" => '/',
            "AT" => '@',
            "PLUS" => '+',
            "STAR" => '*',
            "POUND" => '#',
            "APOSTROPHE" => '\'',
            "SEMICOLON" => ';',
            _ => return None,
        }),
    }
}

/// What of a text a field takes.
pub(super) fn accepted_text(field: &Field, text: &str) -> String {
    text.chars()
        .filter(|letter| match letter {
            '\n' => field.multiline,
            letter if field.number => letter.is_ascii_digit(),
            letter => *letter == '\t' || !letter.is_control(),
        })
        .collect()
}
