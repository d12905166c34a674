//! Effect of a tool's call on the app in front.

use super::Effect;
use runner_device::Key;

/// Effect of a tool's call on the app in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontEffect {
    /// None: the call only looks.
    Nothing,
    /// Brings an app to the front.
    Launches,
    /// May bring an app to the front, as any command may.
    MayLaunch,
    /// Goes back, by which an app may be left.
    GoesBack,
    /// Goes to the home screen.
    GoesHome,
    /// Ends the flow's app.
    Ends,
    /// Ends an app that the call names.
    EndsNamed,
    /// Presses ENTER, which may send what was typed.
    PressesEnter,
    /// Changes the screen in another way.
    Other,
}

impl FrontEffect {
    /// Returns the effect of a tool that states none: nothing if it only reads, else [`Self::Other`].
    pub const fn from_effect(effect: Effect) -> Self {
        match effect {
            Effect::Reads => Self::Nothing,
            Effect::Acts | Effect::Sets | Effect::Destroys => Self::Other,
        }
    }

    /// Returns the effect of a key that is pressed alone, by its name or number as [`Key`] parses it. Several keys
    /// together count as any other key.
    pub fn from_key(name: &str) -> Self {
        let key = name.parse::<Key>().ok();
        match key.as_ref().map(Key::name) {
            // The numbers are Android's `KeyEvent.KEYCODE_BACK`, `KEYCODE_HOME` and `KEYCODE_ENTER`.
            Some("BACK" | "4") => Self::GoesBack,
            Some("HOME" | "3") => Self::GoesHome,
            Some("ENTER" | "66") => Self::PressesEnter,
            _ => Self::Other,
        }
    }

    /// Returns the effect of ending this app, or the flow's if there is none.
    pub const fn from_stopped_app(app: Option<&str>) -> Self {
        match app {
            Some(_) => Self::EndsNamed,
            None => Self::Ends,
        }
    }
}
