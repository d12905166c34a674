//! The app in front and its elements, over the looks of one session.

use std::sync::{Mutex, MutexGuard, PoisonError};

use runner_screen::{Node, PartialScreen, Screen};

/// The app in front that had elements at last, and the one that a look lacked.
///
/// A window that comes late is there at another try. A game has no elements at all, and asking again would cost seconds
/// at each look.
#[derive(Debug, Default)]
pub struct FrontElements(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The last package that had elements.
    with: Option<String>,
    /// What no try of a look had elements of, at last.
    missing: Option<Missing>,
}

/// What a look lacks.
#[derive(Debug, PartialEq, Eq)]
enum Missing {
    /// The app in front, by its package.
    Front(String),
    /// The window with the focus, beside another of the app in front.
    Focus,
}

impl FrontElements {
    /// Returns whether another try may show the app in front that this look lacks. `is_last`: there is no other try.
    ///
    /// Marks the screen of an app that never had an element.
    pub fn wants_another(&self, screen: &mut Screen, is_last: bool) -> bool {
        let missing = match screen.as_whole() {
            Err(PartialScreen::FrontMissing { package, .. }) => Missing::Front(package),
            Err(PartialScreen::FocusMissing { .. }) => Missing::Focus,
            Err(_) => return false,
            Ok(_) => {
                self.note_with(screen);
                return false;
            }
        };
        let mut known = self.lock();
        if known.missing.as_ref() != Some(&missing) && !is_last {
            return true;
        }
        if let Missing::Front(package) = &missing
            && known.with.as_ref() != Some(package)
        {
            screen.note_without_elements();
        }
        known.missing = Some(missing);
        false
    }

    /// Notes the app in front, where this look has elements of it.
    fn note_with(&self, screen: &Screen) {
        let Some(package) = screen.front().package() else {
            return;
        };
        let is_of_front = |node: Node<'_>| {
            node.parent().is_some() && node.is_on_screen() && node.package() == package
        };
        let mut known = self.lock();
        let was_missing = match &known.missing {
            Some(Missing::Front(missing)) => missing == package,
            Some(Missing::Focus) => true,
            None => false,
        };
        let is_known = known.with.as_deref() == Some(package) && !was_missing;
        if is_known || !screen.nodes().any(is_of_front) {
            return;
        }
        if was_missing {
            known.missing = None;
        }
        known.with = Some(package.to_owned());
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
