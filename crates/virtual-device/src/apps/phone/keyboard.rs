//! State of the drawn keyboard.

/// Visibility and shift state of the drawn keyboard, and Android's touch mode.
#[derive(Default)]
pub(super) struct Keyboard {
    /// BACK has hidden it while a field has the focus.
    hidden: bool,
    shift: bool,
    /// Keys are used: Android's touch mode is off.
    by_keys: bool,
}

impl Keyboard {
    pub fn is_hidden(&self) -> bool {
        self.hidden
    }

    pub fn hide(&mut self) {
        self.hidden = true;
    }

    /// Lets the keyboard show again, as a new focus does.
    pub fn allow(&mut self) {
        self.hidden = false;
    }

    /// Returns true in Android's touch mode: the person touches and does not use keys.
    pub fn is_in_touch_mode(&self) -> bool {
        !self.by_keys
    }

    pub fn set_touch_mode(&mut self, on: bool) {
        self.by_keys = !on;
    }

    pub fn shift(&self) -> bool {
        self.shift
    }

    pub fn press_shift(&mut self) {
        self.shift = !self.shift;
    }

    /// Releases shift, which holds for one letter.
    pub fn release_shift(&mut self) {
        self.shift = false;
    }
}
