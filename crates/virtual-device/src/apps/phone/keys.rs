//! Keys and typing.

use serde_json::Value;

use super::{Shade, VirtualPhone, WindowName};
use crate::KeyPress;
use crate::apps::a2ui::Focus;
use crate::apps::ui::{Field, TouchAction};
use crate::hosted::TextMode;

/// The name here of CTRL with `MOVE_HOME`.
const TEXT_START: &str = "TEXT_START";
/// The name here of CTRL with `MOVE_END`.
const TEXT_END: &str = "TEXT_END";

/// What a key does in apps of files; `None` where they do nothing at it. Selections and undo are not there.
fn meaning(key: &KeyPress) -> Option<&str> {
    match key.name.as_str() {
        name if !key.ctrl => Some(name),
        "C" => Some("COPY"),
        "V" => Some("PASTE"),
        "X" => Some("CUT"),
        "MOVE_HOME" => Some(TEXT_START),
        "MOVE_END" => Some(TEXT_END),
        letter if letter.len() == 1 => None,
        other => Some(other),
    }
}

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
        let Some(name) = meaning(key) else {
            return;
        };
        match name {
            "BACK" | "ESCAPE" => self.back(),
            "UP" => self.close_screen(),
            "HOME" => self.go_home(),
            "APP_SWITCH" => {
                self.tasks.toggle_recents();
                self.overlay.shade = None;
            }
            "ENTER" | "NUMPAD_ENTER" => self.enter(),
            "DPAD_UP" => self.next_field(-1),
            "TAB" | "DPAD_DOWN" => self.next_field(1),
            "DEL" | "FORWARD_DEL" => self.delete(name == "DEL"),
            "DPAD_LEFT" => self.move_caret(|caret, _| caret.saturating_sub(1)),
            "DPAD_RIGHT" => self.move_caret(|caret, end| (caret + 1).min(end)),
            "MOVE_HOME" => self.move_in_line(|(start, _)| start),
            "MOVE_END" => self.move_in_line(|(_, end)| end),
            TEXT_START => self.move_caret(|_, _| 0),
            TEXT_END => self.move_caret(|_, end| end),
            "PASTE" => {
                if let Some(text) = self.clipboard.clone() {
                    self.type_text(&text);
                }
            }
            "NOTIFICATION" => self.overlay.shade = Some(Shade::Notifications),
            "SPACE" => {
                self.type_text(" ");
            }
            _ => {
                if let Some(letter) = letter_of(name) {
                    self.type_text(&letter.to_string());
                }
            }
        }
        self.changed();
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
        let Some((focus, field)) = self.focused_field() else {
            return false;
        };
        let clean = accepted_text(&field, text);
        let mut letters: Vec<char> = field.text.chars().collect();
        let at = focus.caret.min(letters.len());
        letters.splice(at..at, clean.chars());
        let caret = at + clean.chars().count();
        self.write_field(&focus.key, &field, letters, caret);
        true
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
            view.focus = Some(Focus { key, caret });
        });
        self.put(&field.target, Value::String(letters.into_iter().collect()));
    }

    fn delete(&mut self, before: bool) {
        let Some((focus, field)) = self.focused_field() else {
            return;
        };
        let mut letters: Vec<char> = field.text.chars().collect();
        let at = focus.caret.min(letters.len());
        let index = if before { at.checked_sub(1) } else { Some(at) };
        if let Some(index) = index.filter(|index| *index < letters.len()) {
            letters.remove(index);
            self.write_field(&focus.key, &field, letters, index);
        }
    }

    fn move_in_line(&mut self, to: impl FnOnce((usize, usize)) -> usize) {
        let Some((focus, field)) = self.focused_field() else {
            return;
        };
        let end = field.text.chars().count();
        let place = to(self.line_around(&focus.key, focus.caret, end));
        self.move_caret(|_, _| place);
    }

    fn move_caret(&mut self, to: impl FnOnce(usize, usize) -> usize) {
        let Some((focus, field)) = self.focused_field() else {
            return;
        };
        let caret = to(focus.caret, field.text.chars().count());
        self.view(|view| {
            view.focus = Some(Focus {
                key: focus.key,
                caret,
            });
        });
    }

    /// A new line in a long text, the next field, or after the last one the keyboard goes and the only primary button acts.
    fn enter(&mut self) {
        let Some((focus, field)) = self.focused_field() else {
            return;
        };
        if field.multiline {
            self.type_text("\n");
            return;
        }
        let last = self
            .scene()
            .fields()
            .last()
            .map(|(key, _)| (*key).to_owned());
        if last.as_deref() != Some(focus.key.as_str()) {
            self.next_field(1);
            return;
        }
        self.keyboard.hide();
        let key = focus.key.clone();
        self.view(|view| {
            view.edited.insert(key);
            view.focus = None;
        });
        if let Some((action, base)) = self.submit_button() {
            self.act(&action, &base);
        }
    }

    /// The action of the only primary button of the screen in front, if it is enabled.
    fn submit_button(&self) -> Option<(Value, String)> {
        let (_, screen) = self.tasks.front()?;
        let primary: Vec<&String> = screen
            .surface
            .components
            .iter()
            .filter(|(_, fields)| fields.get("variant").and_then(Value::as_str) == Some("primary"))
            .map(|(id, _)| id)
            .collect();
        let mut displayed = Vec::new();
        self.scene().focused()?.placed.walk(&mut |placed| {
            if let Some(TouchAction::Act { action, base }) = &placed.element.on_tap
                && primary.iter().any(|id| **id == placed.element.key)
            {
                displayed.push((action.clone(), base.clone()));
            }
        });
        (displayed.len() == 1).then(|| displayed.remove(0))
    }

    fn next_field(&mut self, by: i32) {
        let now = self
            .tasks
            .front()
            .and_then(|(_, screen)| screen.view.focus.clone());
        let keys: Vec<String> = self
            .scene()
            .fields()
            .iter()
            .map(|(key, _)| (*key).to_owned())
            .collect();
        let at = now.and_then(|focus| keys.iter().position(|key| *key == focus.key));
        let next = match at {
            Some(at) => usize::try_from(at as i32 + by).ok(),
            None => Some(0),
        };
        if let Some(key) = next.and_then(|next| keys.get(next)) {
            self.focus(key, None);
        }
    }

    /// A key of the drawn keyboard.
    pub(super) fn press_drawn_key(&mut self, key: &str) {
        let is_hosted = self.hosted_in_front().is_some();
        match key {
            "DEL" | "ENTER" if is_hosted => {
                self.key_hosted(&KeyPress::named(key));
            }
            "SHIFT" => self.keyboard.press_shift(),
            "DEL" => self.delete(true),
            "ENTER" => self.enter(),
            letter => {
                self.put_text(letter, TextMode::Commit);
                self.keyboard.release_shift();
            }
        }
    }
}

/// The character of a key with one.
fn letter_of(name: &str) -> Option<char> {
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
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
            letter if field.number => letter.is_ascii_digit() || ".-,".contains(*letter),
            letter => *letter == '\t' || !letter.is_control(),
        })
        .collect()
}
