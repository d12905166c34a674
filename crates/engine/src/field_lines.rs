//! Lines of a text field, which decide how its caret reaches the ends of the text.

use runner_device::Device;
use runner_screen::Node;

/// Least height of a field with several lines, in dp at font size 100 %. Chosen: below two lines with their
/// padding.
const MIN_MULTILINE_HEIGHT_DP: f64 = 60.0;
/// Width of the widest letter, in dp at font size 100 %. Chosen: an upper bound, so that a text that may wrap
/// counts as wrapped.
const MAX_LETTER_DP: f64 = 18.0;

/// Ability to move the caret to the ends of the text: `MOVE_HOME` and `MOVE_END` alone stay in their visual
/// line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    /// The text is in one line.
    One,
    /// There may be several lines. The device can hold CTRL, which makes these keys go to the ends of the
    /// text.
    Several,
    /// There may be several lines, and the device can press single keys only.
    SeveralWithoutCtrl,
}

impl Lines {
    /// Judges whether the field may have several lines. It counts as one line only if its height or its text leaves no
    /// doubt, and its content has no line break; without the display's measures it has several. For several lines it
    /// also tells whether the device can hold CTRL.
    pub(super) fn read(device: &dyn Device, node: Node<'_>, content: &str) -> Self {
        let info = device.info();
        // Without density or font scale it is unknown how much fits into a line.
        let is_one_line = info
            .display
            .value()
            .zip(info.font_scale_percent.value())
            .is_some_and(|(display, percent)| {
                let scale = f64::from(display.density.max(1)) / 160.0
                    * f64::from((*percent).max(100))
                    / 100.0;
                let bounds = node.bounds();
                let dp = |pixels: u32| f64::from(pixels) / scale;
                let is_low = dp(bounds.height()) < MIN_MULTILINE_HEIGHT_DP;
                let is_short = content.chars().count() as f64 * MAX_LETTER_DP < dp(bounds.width());
                is_low || is_short
            });
        if !content.contains('\n') && is_one_line {
            Self::One
        } else if device.holds_modifiers() {
            Self::Several
        } else {
            Self::SeveralWithoutCtrl
        }
    }
}
