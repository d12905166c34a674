//! Keys and typing.

use serde_json::Value;

use super::edit::digit_of_key;
use super::focus::Direction;
use super::text::{
    character_after, character_before, deleted_before, paragraph_after, paragraph_before,
    word_after, word_before,
};
use super::{Shade, VirtualPhone, WindowName};
use crate::KeyPress;
use crate::app_host::TextMode;
use crate::apps::ui::{Field, TouchAction};

/// Steps of a slider that is moved by keys (AOSP, `AbsSeekBar.setMax`).
const SLIDER_STEPS: f64 = 20.0;

/// Keys that move around on the screen, and so leave touch mode (AOSP, `ViewRootImpl.isNavigationKey`).
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
    /// Handles a key: first the system's (HOME, `APP_SWITCH`, NOTIFICATION), then the host's in front, then the app's.
    /// An app that hangs, and the dialog about an app, take none but the system's. BACK does not go to a host while the
    /// keyboard is shown. UP closes the screen.
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
            // A dialog gets the key if nothing in it has the focus.
            "ESCAPE" if self.has_dialog() && self.focus_key().is_none() => self.close_popup(false),
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

    /// Handles a key for the app in front: its drop-down, its field, else the focus. In touch mode a navigation key
    /// only gives some element the focus. ESCAPE drops the focus, except that of a drop-down. A DEL that is held
    /// deletes twice, and a window that the key opens gets a focus.
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
        let is_line_feed = key.shift && key.name == "ENTER";
        if !key.ctrl && (is_line_feed || letter_of(&key.name, false).is_some()) {
            // A key that writes does not stop at the focus that it gives.
            self.leave_touch_mode();
        }
        let front = self.front_screen();
        // A key that is held comes once more, and deletes each time.
        if key.long && key.name.ends_with("DEL") {
            self.key_in_field(key);
        }
        if key.name == "ESCAPE" {
            let focused = self.focused_element();
            let is_spinner = |hit: super::touch::HitTarget| {
                matches!(hit.element.on_tap, Some(TouchAction::OpenMenu { .. }))
            };
            // A spinner uses the key up, as in Android 15's framework on a JVM (2026-11-28).
            if !focused.is_some_and(is_spinner) {
                self.drop_focus();
            }
        } else if !self.key_in_field(key) && !key.ctrl {
            self.key_for_focus(key);
        }
        // In a window that keys have opened something gets the focus. A window that was open before keeps its focus.
        let is_new = match (front, self.front_screen()) {
            (Some(before), Some(now)) => before.0 != now.0 || before.1 < now.1 || before.2 < now.2,
            _ => false,
        };
        if is_new && !self.keyboard.is_in_touch_mode() {
            self.give_first_focus();
        }
    }

    /// Handles a key that no field takes: it moves the focus, scrolls, moves a slider or clicks. Arrows try
    /// the slider before the focus, and the focus before scrolling by half a page. With SHIFT only TAB moves
    /// the focus (AOSP, `ViewRootImpl.performFocusNavigation`). Other keys do nothing.
    fn key_for_focus(&mut self, key: &KeyPress) {
        match key.name.as_str() {
            "TAB" if key.shift => {
                self.keyboard.set_touch_mode(false);
                self.move_focus(Direction::Backward)
            }
            _ if key.shift => false,
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
            "SPACE" if self.is_page_focused() => self.scroll_page(1.0),
            "ENTER" | "NUMPAD_ENTER" | "SPACE" | "DPAD_CENTER" => self.press_focused(),
            _ => false,
        };
    }

    /// Returns true if a dialog or a calendar of the app has the input focus.
    fn has_dialog(&self) -> bool {
        let front = self.scene().focused().map(|window| window.name);
        matches!(front, Some(WindowName::Dialog | WindowName::Date))
    }

    /// Handles a key while a drop-down is open, and takes every key then. The first key that navigates or writes only
    /// highlights the chosen row. Later ones move the highlight without wrapping, or choose its row and close; ESCAPE
    /// closes without a choice. Returns false if no drop-down is open.
    fn key_in_menu(&mut self, name: &str) -> bool {
        let front = self.tasks.front();
        let Some(menu) = front.and_then(|(_, screen)| screen.view.menu.clone()) else {
            return false;
        };
        let last = menu.options.len().saturating_sub(1);
        let selected = match (menu.selected, name) {
            (_, "ESCAPE") => {
                self.close_popup(false);
                return true;
            }
            // The first key only shows where the selection is.
            (None, _) if NAVIGATION.contains(&name) || letter_of(name, false).is_some() => {
                menu.chosen_row()
            }
            (Some(at), "DPAD_DOWN") => (at + 1).min(last),
            (Some(at), "DPAD_UP") => at.saturating_sub(1),
            (Some(at), "ENTER" | "NUMPAD_ENTER" | "SPACE" | "DPAD_CENTER") => {
                let value = menu.options.get(at).map(|(_, value)| vec![value.clone()]);
                self.close_popup(false);
                self.put(&menu.target, Value::from(value.unwrap_or_default()));
                return true;
            }
            _ => return true,
        };
        self.leave_touch_mode();
        self.view(|view| {
            if let Some(menu) = &mut view.menu {
                menu.selected = Some(selected);
            }
        });
        true
    }

    /// Moves the focused slider `way` times by a step, within its range. A step is a twentieth of the range as a
    /// whole number, at least 1. Returns false if no slider has the focus; at the end of the range it is true.
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

    /// Performs BACK: closes the shade, else denies a permission, else hides the keyboard, else closes a popup, else
    /// the screen.
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
            self.notify_keyboard_hidden();
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

    /// Handles a key in the focused field: a shortcut, a movement of the caret or an edit. With SHIFT a movement
    /// extends the selection; without it, left and up go to the start of a selection, right and down to its end.
    /// Arrows never leave the field: up in the first line goes to the start of the text, down in the last one to
    /// its end. Returns false if no field has the focus or it does not take the key.
    fn key_in_field(&mut self, key: &KeyPress) -> bool {
        let Some((focus, field)) = self.focused_field() else {
            return false;
        };
        let letters: Vec<char> = field.text.chars().collect();
        let at = focus.caret.min(letters.len());
        let name = key.name.as_str();
        if key.ctrl && self.shortcut(key, &field) {
            return true;
        }
        let (first, last) = focus.selection(letters.len());
        let is_collapsing = first < last && !key.shift;
        if let ("DPAD_UP" | "DPAD_DOWN", false, false) = (name, key.ctrl, is_collapsing) {
            let is_up = name == "DPAD_UP";
            let from = focus.column.unwrap_or(at).min(letters.len());
            let next = self.adjacent_line(&focus.key, (at, from), if is_up { -1 } else { 1 });
            let edge = if is_up { 0 } else { letters.len() };
            self.move_line(&focus, next.unwrap_or(edge), key.shift);
            return true;
        }
        let to = match (name, key.ctrl) {
            ("DPAD_LEFT", true) => word_before(&letters, at),
            ("DPAD_RIGHT", true) => word_after(&letters, at),
            ("MOVE_HOME", true) => 0,
            ("MOVE_END", true) => letters.len(),
            ("DPAD_LEFT" | "DPAD_UP", false) if is_collapsing => first,
            ("DPAD_RIGHT" | "DPAD_DOWN", false) if is_collapsing => last,
            // Arrows of a keyboard never leave a field (AOSP, `TextView.doKeyDown`).
            ("DPAD_LEFT", false) => character_before(&letters, at),
            ("DPAD_RIGHT", false) => character_after(&letters, at),
            ("DPAD_UP", true) => paragraph_before(&letters, at),
            ("DPAD_DOWN", true) => paragraph_after(&letters, at),
            ("PAGE_UP", _) => 0,
            ("PAGE_DOWN", _) => letters.len(),
            ("MOVE_HOME", false) => self.line_around(&focus.key, at, letters.len()).0,
            ("MOVE_END", false) => self.line_around(&focus.key, at, letters.len()).1,
            _ => return self.edit_by_key(key, &field, &letters, (first, last)),
        };
        self.select(to, if key.shift { focus.anchor } else { to });
        true
    }

    /// Handles a key that changes the text or the clipboard. `first` and `last` are the selection. ENTER in a field of
    /// one line moves the focus down, with SHIFT it is a space; with CTRL, ENTER and SPACE do nothing; `DPAD_CENTER`
    /// lets the keyboard come. Returns false for any other key that types no character, and for other characters with
    /// CTRL.
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
            // With CTRL they are no characters.
            "ENTER" | "NUMPAD_ENTER" | "SPACE" if key.ctrl => {}
            "ENTER" | "NUMPAD_ENTER" if field.multiline => {
                self.insert("\n");
            }
            // It is a line feed, which a field of one line shows as a space.
            "ENTER" | "NUMPAD_ENTER" if key.shift => {
                self.insert(" ");
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

    /// Handles CTRL and a letter in a field: A, C, V, X, Y and Z, which with SHIFT is redo. Returns false if it is
    /// not a shortcut. A shortcut that finds nothing to do gives true.
    fn shortcut(&mut self, key: &KeyPress, field: &Field) -> bool {
        match key.name.as_str() {
            "A" => self.select(field.text.chars().count(), 0),
            "C" => self.copy(field),
            "V" => self.paste(),
            "X" => self.cut(field),
            "Y" => self.redo(),
            "Z" if key.shift => self.redo(),
            "Z" => self.undo(),
            _ => return false,
        }
        true
    }

    /// Types into the focused field, key by key. Returns false as [`Self::put_text`] does.
    pub(super) fn type_text(&mut self, text: &str) -> bool {
        self.put_text(text, TextMode::Keys)
    }

    /// Puts text into the focused field by keys or at once, which apps in hosts can tell apart. The host in front
    /// is asked first. Returns false if no field has the focus or the app hangs, and for keys also if all of them
    /// were ENTER, TAB or the like. A host gets the text even if the result is false.
    pub(super) fn put_text(&mut self, text: &str, mode: TextMode) -> bool {
        if self.is_hung(Some(WindowName::App)) {
            return false;
        }
        if let Some(typed) = self.type_hosted(text, mode) {
            return typed;
        }
        match mode {
            TextMode::Keys => self.type_keys(text),
            TextMode::Commit => self.insert(text),
        }
    }

    /// Types a text key by key, since keys such as ENTER and TAB do more than write. They may move the focus, and
    /// the rest goes to the new field. Returns true if any letters reached a field, even if it refused them.
    fn type_keys(&mut self, text: &str) -> bool {
        let mut done = false;
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let name = match first {
                '\n' => Some("ENTER"),
                '\t' => Some("TAB"),
                ' ' if self.focused_field().is_none() => Some("SPACE"),
                _ => None,
            };
            let end = if let Some(name) = name {
                self.take_key(&KeyPress::named(name));
                1
            } else {
                // A key that writes does not stop at the focus that it gives.
                self.leave_touch_mode();
                let has_field = self.focused_field().is_some();
                let is_key = |letter| matches!(letter, '\n' | '\t') || letter == ' ' && !has_field;
                let end = rest.find(is_key).unwrap_or(rest.len());
                done |= self.type_letters(&rest[..end]);
                end
            };
            rest = &rest[end..];
        }
        done
    }

    /// Types letters into the focused field, or the first one into an open drop-down. In a number field letters
    /// become the digits of their keys. Returns true if a field has the focus, and false for a drop-down and
    /// without one.
    fn type_letters(&mut self, text: &str) -> bool {
        let first: String = text.chars().take(1).collect();
        if self.key_in_menu(&first.to_ascii_uppercase()) {
            return false;
        }
        match self.focused_field() {
            Some((_, field)) if field.number => {
                self.insert(&text.chars().map(digit_of_key).collect::<String>())
            }
            _ => self.insert(text),
        }
    }

    /// Handles a key of the drawn keyboard: a name, or the text that it writes. Its ENTER is the field's action: a
    /// line feed in a field of several lines, else the next field, else the keyboard goes. SHIFT lasts for one
    /// letter. An app in a host gets DEL and ENTER as keys.
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

/// Returns the character that a key types, if any. SHIFT matters for letters only, which are small without it.
/// Digits and signs of the numeric block type the same as the others.
fn letter_of(name: &str, shift: bool) -> Option<char> {
    let digit = name.strip_prefix("NUMPAD_").filter(|rest| rest.len() == 1);
    let mut letters = digit.unwrap_or(name).chars();
    match (letters.next(), letters.next()) {
        (Some(only), None) if only.is_ascii_alphabetic() && shift => Some(only),
        (Some(only), None) if only.is_ascii_alphanumeric() => Some(only.to_ascii_lowercase()),
        _ => Some(match name {
            "COMMA" | "NUMPAD_COMMA" => ',',
            "PERIOD" | "NUMPAD_DOT" => '.',
            "MINUS" | "NUMPAD_SUBTRACT" => '-',
            "EQUALS" | "NUMPAD_EQUALS" => '=',
            "SLASH" | "NUMPAD_DIVIDE" => '/',
            "AT" => '@',
            "PLUS" | "NUMPAD_ADD" => '+',
            "STAR" | "NUMPAD_MULTIPLY" => '*',
            "POUND" => '#',
            "APOSTROPHE" => '\'',
            "SEMICOLON" => ';',
            _ => return None,
        }),
    }
}
