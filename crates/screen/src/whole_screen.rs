//! Looks that can prove that something is not there.
//!
//! A look without the app in front shows nothing of the app, and everything would seem to be gone. So absence
//! is a type: [`AbsenceProof`] comes only from a [`WholeScreen`], and a [`WholeScreen`] only from
//! [`Screen::as_whole`].

use super::{Front, Node, Screen, Window};

/// Package of the status bar and the notification shade.
const SYSTEM_UI: &str = "com.android.systemui";
/// Package of the system's own dialogs, such as those of apps that do not respond or keep stopping.
const SYSTEM: &str = "android";
/// Number of windows that a message names. Chosen: enough to recognise the screen.
const MAX_NAMED_WINDOWS: usize = 3;

/// Screen with elements of the app in front. What is not on it does not exist.
#[derive(Debug, Clone, Copy)]
pub struct WholeScreen<'a> {
    screen: &'a Screen,
}

impl<'a> WholeScreen<'a> {
    pub fn screen(self) -> &'a Screen {
        self.screen
    }

    /// Returns the proof that a search of this screen found nothing, or `None` if `found` is not empty.
    pub fn prove_absence<T>(self, found: &[T]) -> Option<AbsenceProof> {
        found.is_empty().then_some(AbsenceProof(()))
    }
}

/// Proof that a whole screen has no match of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "only this value says that something is not there"]
pub struct AbsenceProof(());

/// Result of a search of a whole screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchResult {
    /// At least one element matches.
    Found,
    /// No element matches.
    Absent(AbsenceProof),
}

/// Reason why a look cannot prove that something is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PartialScreen {
    /// No element has a size and lies on the display.
    #[error("no element of the look lies on the display")]
    NothingOnDisplay,
    /// The device was not asked which app is in front, or did not answer.
    #[error("the device did not report which app is in front")]
    FrontUnknown,
    /// The app in front is not among the windows that have elements.
    #[error("the look has no element of {package}, which is in front, only of {others}")]
    FrontMissing {
        /// Package of the app in front.
        package: String,
        /// Windows that have elements.
        others: String,
    },
    /// The window with the focus is not among the windows that have elements.
    #[error(
        "the look has no element of the window with the focus, only of other windows: {others}"
    )]
    FocusMissing {
        /// Windows that have elements.
        others: String,
    },
    /// The device lists its windows, but this look has only one, so elements in the others are missing.
    #[error("the look has one window, of {window}, but the device shows more")]
    OneWindow {
        /// Window that has elements.
        window: String,
    },
    /// No app has a window with elements, and the device cannot report which is in front.
    #[error("the look has no element of an app, only of {others}")]
    NoApp {
        /// Windows that have elements.
        others: String,
    },
    /// A dialog of the system hides the app in front.
    #[error("the system's dialog {dialog} hides {package}")]
    UnderSystemDialog {
        /// Package of the app in front.
        package: String,
        /// Title of the dialog's window.
        dialog: String,
    },
    /// No look at this app has had an element of it.
    #[error(
        "no look has shown an element of {package}, which is in front: it draws without elements, as games do, or its window came late; compare a picture of a game, `snapshot` with `windows: all`"
    )]
    WithoutElements {
        /// Package of the app in front.
        package: String,
    },
}

impl PartialScreen {
    /// Returns true if the device is at fault, false if the app is, or a dialog of the system that hides it.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::NothingOnDisplay
            | Self::FrontUnknown
            | Self::FrontMissing { .. }
            | Self::FocusMissing { .. }
            | Self::OneWindow { .. }
            | Self::NoApp { .. } => true,
            Self::UnderSystemDialog { .. } | Self::WithoutElements { .. } => false,
        }
    }
}

impl Screen {
    /// Returns this screen as one that can prove that something is not there.
    ///
    /// The app in front must have an element on the display, and one that is no empty root: such a root alone is a
    /// window whose content comes later, as Flutter's does when a tool has just connected. If the look has windows, the
    /// focused one must have such elements too, since a dialog and the activity below it belong to one app. Android
    /// always reports the window with the focus (`AccessibilityWindowManager.windowMattersToAccessibility`). A device
    /// that lists its windows must have listed them in this look.
    ///
    /// # Errors
    /// [`PartialScreen`] where nothing is on the display, the app in front is not known, the look lacks the app in
    /// front, the window with the focus, or windows that the device lists, or the app is below a dialog of the system
    /// or draws no elements.
    pub fn as_whole(&self) -> Result<WholeScreen<'_>, PartialScreen> {
        let whole = self.with_front()?;
        if self.lacks_windows() {
            return Err(PartialScreen::OneWindow {
                window: self.named_windows(),
            });
        }
        if self.is_degraded() || self.shows(|node| node.window().focused) {
            return Ok(whole);
        }
        Err(PartialScreen::FocusMissing {
            others: self.named_windows(),
        })
    }

    /// Returns this screen if it has elements of the app in front. An open notification shade counts in place of
    /// an app that only is resumed. If the device cannot say which app is in front, any app's elements count; if
    /// it was not asked or did not answer, that is an error.
    fn with_front(&self) -> Result<WholeScreen<'_>, PartialScreen> {
        let whole = WholeScreen { screen: self };
        if !self.nodes().any(Node::is_on_screen) {
            return Err(PartialScreen::NothingOnDisplay);
        }
        let package = match self.front() {
            Front::Unknown => return Err(PartialScreen::FrontUnknown),
            Front::Unavailable => {
                let is_app = |window: &Window| window.kind == "APPLICATION";
                return if self.shows(|node| is_app(node.window())) || self.shows_shade() {
                    Ok(whole)
                } else {
                    Err(PartialScreen::NoApp {
                        others: self.named_windows(),
                    })
                };
            }
            Front::Focused(package) | Front::Resumed(package) => package,
        };
        if self.shows(|node| node.package() == package || node.window().package == *package) {
            return Ok(whole);
        }
        let is_resumed = matches!(self.front(), Front::Resumed(_));
        if is_resumed && self.shows_shade() {
            return Ok(whole);
        }
        if let Some(dialog) = self.system_dialog().filter(|_| is_resumed) {
            return Err(PartialScreen::UnderSystemDialog {
                package: package.clone(),
                dialog: dialog.title.clone(),
            });
        }
        Err(if self.is_without_elements() {
            PartialScreen::WithoutElements {
                package: package.clone(),
            }
        } else {
            PartialScreen::FrontMissing {
                package: package.clone(),
                others: self.named_windows(),
            }
        })
    }

    /// Returns true if a node for which `fits` is true is more than an empty root, and such a node, perhaps
    /// another, is on the screen.
    fn shows(&self, fits: impl Fn(Node<'_>) -> bool) -> bool {
        let is_content = |node: Node<'_>| {
            node.parent().is_some() || !node.text().is_empty() || !node.desc().is_empty()
        };
        self.nodes().any(|node| is_content(node) && fits(node))
            && self.nodes().any(|node| node.is_on_screen() && fits(node))
    }

    /// Returns true if the notification shade is open: a window with content of the system UI has the focus.
    fn shows_shade(&self) -> bool {
        self.shows(|node| node.window().focused && node.package() == SYSTEM_UI)
    }

    /// Returns the first window of the system itself, such as a dialog over an app; `None` if there is none.
    fn system_dialog(&self) -> Option<&Window> {
        self.windows()
            .iter()
            .find(|window| window.package == SYSTEM)
    }

    /// Lists the packages of the windows, neighbours of the same one once, for messages: the first
    /// [`MAX_NAMED_WINDOWS`], then the number of the others. If none has a package, that is said instead.
    fn named_windows(&self) -> String {
        let mut names: Vec<&str> = self
            .windows()
            .iter()
            .map(|window| window.package.as_str())
            .filter(|package| !package.is_empty())
            .collect();
        names.dedup();
        let more = names.len().saturating_sub(MAX_NAMED_WINDOWS);
        names.truncate(MAX_NAMED_WINDOWS);
        let names = names.join(", ");
        match (names.is_empty(), more) {
            (true, _) => "windows without a name".to_owned(),
            (false, 0) => names,
            (false, more) => format!("{names} and {more} more"),
        }
    }
}
