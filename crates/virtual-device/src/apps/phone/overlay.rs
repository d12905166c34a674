//! System windows over apps and launcher: shade, permission dialog, error dialog, toast.

use std::collections::BTreeMap;
use std::time::Duration;

use super::WindowName;
use super::errors::AppErrorDialog;
use crate::apps::app::Step;

/// Time for which a toast is shown: Android's two seconds for `Toast.LENGTH_SHORT`.
const TOAST: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shade {
    Notifications,
    QuickSettings,
}

/// Request for a run-time permission that waits for a person's answer, with the steps that follow it.
pub(crate) struct Question {
    pub package: String,
    pub permission: String,
    pub granted: Vec<Step>,
    pub denied: Vec<Step>,
}

#[derive(Default)]
pub(super) struct Overlay {
    pub shade: Option<Shade>,
    pub question: Option<Question>,
    /// Dialog about an app that crashed or hangs.
    pub error: Option<AppErrorDialog>,
    /// Stack trace of the app that hung last, which Android keeps in a file.
    pub anr_trace: Option<String>,
    /// Time of each app's last crash.
    pub last_crash: BTreeMap<String, Duration>,
    /// Time at which the dialog about each app's crashes was last opened.
    pub last_crash_dialog: BTreeMap<String, Duration>,
    /// Text of the toast, and the time at which it goes.
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

    /// Removes the toast if its time is over by `now`. Returns true if it did.
    pub fn end_toast(&mut self, now: Duration) -> bool {
        let over = self.toast.as_ref().is_some_and(|(_, due)| *due <= now);
        if over {
            self.toast = None;
        }
        over
    }

    /// Drops the permission dialog and the error dialog of an app, if they are open.
    pub fn drop_question(&mut self, package: &str) {
        self.question
            .take_if(|question| question.package == package);
        self.error.take_if(|error| error.package == package);
    }

    /// Handles a vertical drag that begins in a window. Down from the status bar opens the shade. Down
    /// anywhere unfolds an open shade to the quick settings, and up anywhere closes it. Returns true if it
    /// did any of these.
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
