//! The drawn keyboard.

/// Whether the drawn keyboard may show, and its shift.
#[derive(Default)]
pub(super) struct Keyboard {
    /// BACK has hidden it while a field has focus.
    hidden: bool,
    shift: bool,
    /// The last that a person did was by a key and not by a finger.
    by_keys: bool,
}

impl Keyboard {
    pub fn is_hidden(&self) -> bool {
        self.hidden
    }

    pub fn hide(&mut self) {
        self.hidden = true;
    }

    /// Lets it show again, as at a new focus.
    pub fn allow(&mut self) {
        self.hidden = false;
    }

    /// Whether the person touches, and does not go by keys.
    pub fn is_touched(&self) -> bool {
        !self.by_keys
    }

    pub fn touch(&mut self, touched: bool) {
        self.by_keys = !touched;
    }

    pub fn shift(&self) -> bool {
        self.shift
    }

    pub fn press_shift(&mut self) {
        self.shift = !self.shift;
    }

    /// Shift holds for one letter.
    pub fn release_shift(&mut self) {
        self.shift = false;
    }
}
