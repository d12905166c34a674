//! The line of keys at the bottom: its buttons, and the key for a click on it.

use ratatui::crossterm::event::KeyCode;

use super::state::{Popup, State};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Button {
    pub code: KeyCode,
    /// Name of the key on the button. Measured in bytes, so it must be ASCII.
    pub key: &'static str,
    pub label: &'static str,
    /// First column of the button.
    pub column: u16,
}

impl Button {
    fn width(&self) -> u16 {
        (self.key.len() + self.label.len()) as u16 + 1
    }
}

type Entry = (KeyCode, &'static str, &'static str);

/// Buttons in order of importance. If the line is too narrow, those before the last two are dropped first.
const MAIN: [Entry; 11] = [
    (KeyCode::Char('a'), "a", "accept"),
    (KeyCode::Char('r'), "r", "reject"),
    (KeyCode::Char('s'), "s", "skip"),
    (KeyCode::Char('u'), "u", "undo"),
    (KeyCode::Tab, "Tab", "change"),
    (KeyCode::Char('v'), "v", "view"),
    (KeyCode::Char('g'), "g", "group"),
    (KeyCode::Char('m'), "m", "mask"),
    (KeyCode::Char('e'), "e", "edit"),
    (KeyCode::Char('?'), "?", "help"),
    (KeyCode::Char('q'), "q", "quit"),
];
const HELP: [Entry; 1] = [(KeyCode::Esc, "Esc", "close")];
const CONFIRM: [Entry; 2] = [
    (KeyCode::Char('y'), "y", "yes"),
    (KeyCode::Char('n'), "n", "no"),
];
const MASK: [Entry; 3] = [
    (KeyCode::Enter, "Enter", "write the mask"),
    (KeyCode::Down, "j", "next"),
    (KeyCode::Esc, "Esc", "leave"),
];

/// Returns the buttons for the open popup, or for the queue without one, from left to right with their columns. If
/// they do not fit on the line, those before the last two are left out, the least important first. Two always stay,
/// even if they do not fit.
pub fn buttons(state: &State) -> Vec<Button> {
    let entries: &[Entry] = match &state.popup {
        None => &MAIN,
        Some(Popup::Help) => &HELP,
        Some(Popup::Confirm { .. }) => &CONFIRM,
        Some(Popup::Mask { .. }) => &MASK,
    };
    let mut displayed: Vec<Button> = entries
        .iter()
        .map(|(code, key, label)| Button {
            code: *code,
            key,
            label,
            column: 0,
        })
        .collect();
    let width =
        |visible: &[Button]| -> u16 { visible.iter().map(|button| button.width() + 1).sum() };
    while width(&displayed) > state.size.0 + 1 && displayed.len() > 2 {
        displayed.remove(displayed.len() - 3);
    }
    let mut column = 0;
    for button in &mut displayed {
        button.column = column;
        column += button.width() + 1;
    }
    displayed
}

/// Returns the key of the button at a column, or `None` between and beside buttons.
pub fn at(state: &State, column: u16) -> Option<KeyCode> {
    buttons(state)
        .into_iter()
        .find(|button| (button.column..button.column + button.width()).contains(&column))
        .map(|button| button.code)
}
