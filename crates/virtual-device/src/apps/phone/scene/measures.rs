//! Heights of the system's windows, and whether the keyboard is shown.

use crate::app_host::Insets;
use crate::apps::phone::VirtualPhone;
use runner_screen::Rect;

/// Heights of the system's windows in dp. 24 and 48 are Android's bars (AOSP `dimens.xml`); the keyboard's are
/// chosen close to real ones.
pub(super) const STATUS: f32 = 24.0;
pub(super) const NAVIGATION: f32 = 48.0;
const KEYS: f32 = 250.0;
const KEYS_LANDSCAPE: f32 = 170.0;

/// Returns the height of the keyboard without the navigation bar, in dp. It is lower on a display that is wider
/// than high.
pub(super) fn keyboard_dp(display: Rect) -> f32 {
    if display.width() > display.height() {
        KEYS_LANDSCAPE
    } else {
        KEYS
    }
}

/// Returns true if the keyboard should be shown: a running host in front asks for it, or, in an app without a host, a
/// field has the focus. It is not shown after it was hidden, nor below the shade and system dialogs.
pub(super) fn keyboard_is_wanted(phone: &VirtualPhone) -> bool {
    let is_covered = phone.overlay.shade.is_some()
        || phone.overlay.question.is_some()
        || phone.overlay.error.is_some();
    if phone.keyboard.is_hidden() || is_covered {
        return false;
    }
    if let Some((_, hosted)) = phone.hosted_in_front() {
        return hosted.runs && hosted.state().ime.shown;
    }
    phone
        .tasks
        .front()
        .is_some_and(|(_, screen)| screen.view.focus.is_some())
}

/// Returns the heights in pixels that system windows cover: status bar, navigation bar, and the keyboard with the
/// navigation bar, or 0 without one. Bars that the app hides count too.
pub(in super::super) fn insets(phone: &VirtualPhone) -> Insets {
    let scale = phone.settings.metrics().scale;
    let px = |dp: f32| (dp * scale).round() as u32;
    let keys = keyboard_dp(phone.settings.display().bounds()) + NAVIGATION;
    Insets {
        status: px(STATUS),
        navigation: px(NAVIGATION),
        ime: if keyboard_is_wanted(phone) {
            px(keys)
        } else {
            0
        },
    }
}
