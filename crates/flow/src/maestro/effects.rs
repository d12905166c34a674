//! Effects of Maestro commands on the screen.

use super::MaestroCommand;

impl MaestroCommand {
    /// Returns true if the command itself may change the screen, so that the wait of the next one starts
    /// anew. Assertions, screenshots, recordings, the clipboard and permissions do not. Neither do `runFlow`,
    /// `repeat` and `retry`: their inner commands count.
    pub fn acts(&self) -> bool {
        !self.is_assertion()
            && !matches!(
                self,
                Self::CopyTextFrom(_)
                    | Self::SetClipboard(_)
                    | Self::SetPermissions { .. }
                    | Self::ClearKeychain
                    | Self::TakeScreenshot { .. }
                    | Self::StartRecording(_)
                    | Self::StopRecording
                    | Self::RunFlow { .. }
                    | Self::Repeat { .. }
                    | Self::Retry { .. }
            )
    }

    /// Returns true if the screen may be in motion after the command: for all that act, except scripts and
    /// `waitForAnimationToEnd`.
    pub fn moves(&self) -> bool {
        self.acts()
            && !matches!(
                self,
                Self::EvalScript(_) | Self::RunScript { .. } | Self::WaitForAnimationToEnd { .. }
            )
    }

    /// Returns true for `tapOn`, `doubleTapOn` and `longPressOn`, also with a point alone. They wait until the screen
    /// is still.
    pub fn touches(&self) -> bool {
        matches!(
            self,
            Self::TapOn(_) | Self::DoubleTapOn(_) | Self::LongPressOn(_)
        )
    }

    /// Returns true for a command that sends keys, text or a swipe to the screen without looking for an
    /// element first. Taps and `scrollUntilVisible` do look.
    pub fn sends_input(&self) -> bool {
        matches!(
            self,
            Self::Back
                | Self::PressKey(_)
                | Self::InputText(_)
                | Self::InputRandom { .. }
                | Self::PasteText
                | Self::EraseText(_)
                | Self::HideKeyboard
                | Self::Scroll
                | Self::Swipe(_)
        )
    }

    /// Returns true if what the command taps, asserts, copies, waits for or scrolls to has `optional: true`
    /// in its selector, so that it may be missing. Selectors within that one, such as `below`, do not
    /// count, nor do the start of a swipe, `within` of a scroll, and `optional` of the command itself. All
    /// other commands give false.
    pub fn is_optional(&self) -> bool {
        let selectors = match self {
            Self::TapOn(tap) | Self::DoubleTapOn(tap) | Self::LongPressOn(tap) => {
                [tap.selector.as_ref(), None]
            }
            Self::AssertVisible(selector)
            | Self::AssertNotVisible(selector)
            | Self::CopyTextFrom(selector) => [Some(selector), None],
            Self::ExtendedWaitUntil {
                visible,
                not_visible,
                ..
            } => [visible.as_ref(), not_visible.as_ref()],
            Self::ScrollUntilVisible(scroll) => [Some(&scroll.element), None],
            _ => [None, None],
        };
        selectors.into_iter().flatten().any(|one| one.optional)
    }
}
