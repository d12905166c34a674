//! Handles keys and the mouse. It only changes the state, so that tables of events can test it.

mod action;
mod look_around;
mod mask_choices;
mod mouse;
mod press;

use ratatui::crossterm::event::{Event, KeyEventKind};

use self::mouse::on_mouse;
use self::press::on_key;
use super::state::State;

pub use self::action::Action;

/// Applies an event of the terminal to the state. Returns the action that it asks for, which the caller executes, or
/// `None`. A new size is stored and gives [`Action::Redraw`]. The release of a key is ignored, and pasted text is
/// refused with a message, as it would be taken for keys.
pub fn update(state: &mut State, event: &Event) -> Option<Action> {
    match event {
        // Some terminals also report the release of a key, which would count twice.
        Event::Key(key) if key.kind != KeyEventKind::Release => on_key(state, *key),
        Event::Mouse(mouse) => on_mouse(state, *mouse),
        Event::Resize(width, height) => {
            state.size = (*width, *height);
            Some(Action::Redraw)
        }
        // Pasted letters would be taken for keys that decide.
        Event::Paste(_) => {
            state.show_error("pasted text decides nothing");
            None
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
