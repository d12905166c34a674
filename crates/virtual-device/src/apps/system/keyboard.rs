//! The drawn keyboard: one node in a dump, its keys only pixels.

use crate::apps::ui::{Align, Axis, Element, Justify, Length, Theme, TouchAction, Weight};

/// The rows of letters.
const ROWS: [&str; 4] = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// Builds the keyboard, with capital letters if `shift`: digits, letters, a few signs, shift, delete, space and enter.
/// No key hides it. `bottom` is the height of the navigation bar in dp.
pub(crate) fn keyboard(theme: &Theme, shift: bool, bottom: f32) -> Element {
    let mut rows: Vec<Element> = ROWS
        .iter()
        .enumerate()
        .map(|(index, letters)| {
            let mut keys: Vec<Element> = letters
                .chars()
                .map(|letter| {
                    let letter = if shift {
                        letter.to_ascii_uppercase()
                    } else {
                        letter
                    };
                    key(theme, &letter.to_string(), &letter.to_string(), 1.0)
                })
                .collect();
            if index == 3 {
                keys.insert(0, key(theme, if shift { "⇩" } else { "⇧" }, "SHIFT", 1.5));
                keys.push(key(theme, "⌫", "DEL", 1.5));
            }
            row(keys, if index == 2 { 16.0 } else { 0.0 })
        })
        .collect();
    rows.push(row(
        vec![
            key(theme, "@", "@", 1.2),
            key(theme, ",", ",", 1.0),
            key(theme, "", " ", 4.8),
            key(theme, ".", ".", 1.0),
            key(theme, "↵", "ENTER", 1.8),
        ],
        0.0,
    ));
    let mut root = Element::view("android.widget.FrameLayout", Axis::Vertical, rows)
        .id("com.android.inputmethod.latin:id/keyboard_view")
        .desc("Keyboard")
        .fill(theme.chip.mix(theme.line, 120), 0.0)
        .gap(5.0);
    root.layout.padding = [4.0, 6.0, 4.0, 6.0 + bottom];
    root
}

/// Builds a row of keys with room of `side` dp at both ends. Rows share the height.
fn row(keys: Vec<Element>, side: f32) -> Element {
    Element::group(Axis::Horizontal, keys)
        .pad(side, 0.0)
        .gap(4.0)
        .grow(1.0)
}

/// Builds a key, which is drawn and in no dump. `share` is its part of the row; a tap presses the key `name`.
/// SHIFT, DEL and ENTER show icons in place of the label.
fn key(theme: &Theme, label: &str, name: &str, share: f32) -> Element {
    let special = name.len() > 1;
    let mark = match name {
        "SHIFT" => Element::drawn_icon("upload", 20.0, theme.text),
        "DEL" => Element::drawn_icon("arrowBack", 20.0, theme.text),
        "ENTER" => Element::drawn_icon("check", 22.0, theme.on_primary),
        _ => Element::drawn_text(label, 18.0, Weight::Regular, theme.text).centred(),
    };
    let fill = match name {
        "ENTER" => theme.primary,
        _ if special => theme.line,
        _ => theme.surface,
    };
    let mut key = Element::group(Axis::Vertical, vec![mark])
        .fill(fill, 6.0)
        .grow(share)
        .align(Justify::Center, Align::Center);
    key.layout.height = Length::Fill;
    key.on_tap = Some(TouchAction::Key(name.into()));
    key
}
