//! What a command of Maestro's does to the screen.

use super::MaestroCommand;

impl MaestroCommand {
    /// Whether time counts anew after it: it may have changed what is on the screen.
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

    /// Whether the screen may be in motion after it.
    pub fn moves(&self) -> bool {
        self.acts()
            && !matches!(
                self,
                Self::EvalScript(_) | Self::RunScript { .. } | Self::WaitForAnimationToEnd { .. }
            )
    }

    /// Returns true for a command that finds an element and touches it, once the screen rests.
    pub fn touches(&self) -> bool {
        matches!(
            self,
            Self::TapOn(_) | Self::DoubleTapOn(_) | Self::LongPressOn(_)
        )
    }

    /// Returns true for a command that sends keys, text or a swipe to the screen as it was last seen.
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

    /// Whether what it looks for may be missing, as its selector says.
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
