//! What the system shows over apps and launcher: the shade, a permission's question, a toast.

use std::collections::BTreeMap;
use std::time::Duration;

use super::WindowName;
use super::errors::AppErrorDialog;
use crate::apps::app::Step;

/// How long a toast is shown.
const TOAST: Duration = Duration::from_secs(2);

/// What hangs from the top of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shade {
    Notifications,
    QuickSettings,
}

/// A question for a run-time permission.
pub(crate) struct Question {
    pub package: String,
    pub permission: String,
    pub granted: Vec<Step>,
    pub denied: Vec<Step>,
}

/// What lies over apps and launcher.
#[derive(Default)]
pub(super) struct Overlay {
    pub shade: Option<Shade>,
    pub question: Option<Question>,
    /// What is said of an app that crashed or hangs.
    pub error: Option<AppErrorDialog>,
    /// What the app that hung last was doing, as the system keeps it.
    pub anr_trace: Option<String>,
    /// When apps crashed last.
    pub last_crash: BTreeMap<String, Duration>,
    /// The toast's text, and when it goes.
    toast: Option<(String, Duration)>,
    /// Scroll positions of the system's windows.
    pub scroll: BTreeMap<String, i32>,
}

impl Overlay {
    pub fn toast(&self) -> Option<&str> {
        self.toast.as_ref().map(|(text, _)| text.as_str())
    }

    pub fn show_toast(&mut self, text: String, now: Duration) {
        self.toast = Some((text, now + TOAST));
    }

    /// Takes the toast away when its time is over, and says whether it went.
    pub fn end_toast(&mut self, now: Duration) -> bool {
        let over = self.toast.as_ref().is_some_and(|(_, due)| *due <= now);
        if over {
            self.toast = None;
        }
        over
    }

    /// Takes back what an app has asked.
    pub fn forget(&mut self, package: &str) {
        self.question
            .take_if(|question| question.package == package);
        self.error.take_if(|error| error.package == package);
    }

    /// A drag that begins in a window: from the status bar it opens the shade, upwards it closes it. Says whether it
    /// did either.
    pub fn drag(&mut self, from: Option<WindowName>, downwards: bool) -> bool {
        match (from, self.shade) {
            (Some(WindowName::StatusBar), None) if downwards => {
                self.shade = Some(Shade::Notifications);
            }
            (_, Some(Shade::Notifications)) if downwards => {
                self.shade = Some(Shade::QuickSettings);
            }
            (_, Some(_)) if !downwards => self.shade = None,
            _ => return false,
        }
        true
    }
}
