//! Remembers over the looks of one session whether the app in front has elements.

use std::sync::{Mutex, MutexGuard, PoisonError};

use runner_screen::{Node, PartialScreen, Screen};

/// Record of the app that last had elements in front, and of what the last incomplete look lacked.
///
/// A window that comes late is there at the next try. A game has no elements at all, and asking again would
/// cost seconds at each look.
#[derive(Debug, Default)]
pub struct FrontElements(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Last package that had elements in front.
    with: Option<String>,
    /// Part that the last accepted look lacked; `None` once a look shows it.
    missing: Option<MissingPart>,
}

/// Missing part of a look.
#[derive(Debug, PartialEq, Eq)]
enum MissingPart {
    /// Elements of the app in front, by its package.
    Front(String),
    /// Elements of the window with the focus, while another window of the app has some.
    Focus,
}

impl FrontElements {
    /// Returns true if another try may show the elements that this look lacks: those of the app in front, or of
    /// the window with the focus. False if the look lacks nothing or something else, if `is_last` (there is no
    /// other try), or if the last accepted look lacked the same part, as another try did not help then.
    ///
    /// If a look without elements of the app in front is accepted, and that app had none in any look before, the
    /// screen is marked as one without elements. It remembers the part that an accepted look lacks, and the app
    /// that a whole look shows.
    pub fn wants_another(&self, screen: &mut Screen, is_last: bool) -> bool {
        let missing = match screen.as_whole() {
            Err(PartialScreen::FrontMissing { package, .. }) => MissingPart::Front(package),
            Err(PartialScreen::FocusMissing { .. }) => MissingPart::Focus,
            Err(_) => return false,
            Ok(_) => {
                self.record(screen);
                return false;
            }
        };
        let mut known = self.lock();
        if known.missing.as_ref() != Some(&missing) && !is_last {
            return true;
        }
        if let MissingPart::Front(package) = &missing
            && known.with.as_ref() != Some(package)
        {
            screen.note_without_elements();
        }
        known.missing = Some(missing);
        false
    }

    /// Records the app in front if this look has an element of it on the screen, other than the root. Forgets the
    /// missing part if it was the focus or this app. Does nothing without an app in front.
    fn record(&self, screen: &Screen) {
        let Some(package) = screen.front().package() else {
            return;
        };
        let is_of_front = |node: Node<'_>| {
            node.parent().is_some() && node.is_on_screen() && node.package() == package
        };
        let mut known = self.lock();
        let was_missing = match &known.missing {
            Some(MissingPart::Front(missing)) => missing == package,
            Some(MissingPart::Focus) => true,
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

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
