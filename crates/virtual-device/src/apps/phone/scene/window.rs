//! One window: its kind, its place, and what Android tells of both.

use xxhash_rust::xxh3::xxh3_64;

use crate::apps::phone::hosted_apps::{HostedWindow, windows as hosted_windows};
use crate::apps::ui::{LayoutNode, dump};
use crate::{NodeDump, WindowTouch};
use runner_screen::Rect;

/// Kind of a window of the phone. At most one window of each kind but `Hosted` is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WindowName {
    App,
    /// Window of an app in a host: an activity, a dialog, a popup.
    Hosted,
    Home,
    Dialog,
    Menu,
    Date,
    Keyboard,
    Permission,
    AppError,
    StatusBar,
    NavigationBar,
    Shade,
    Toast,
    /// Window of another app: a bubble over the app.
    Bubble,
    /// Window of another app: a tint over everything.
    Veil,
}

/// A window, laid out.
pub(crate) struct Window {
    pub name: WindowName,
    pub title: String,
    pub package: String,
    pub activity: Option<String>,
    /// Part of the display that it draws on. [`Window::touch`] tells which touches it takes.
    pub bounds: Rect,
    /// Its whole frame, if larger than `bounds`.
    pub(super) frame: Option<Rect>,
    pub placed: LayoutNode,
    /// Contents of a host's window.
    pub hosted: Option<HostedWindow>,
}

impl Window {
    /// Returns a positive number that stays the same as long as the window is open. As on Android, windows of two
    /// activities have two ids (12 bits are a hash of the activity). Two screens of one activity have the same.
    pub fn id(&self) -> i32 {
        if let Some(hosted) = &self.hosted {
            return hosted_windows::id(&self.package, hosted.window.id);
        }
        let name = self.name as i32 + 1;
        let Some(activity) = &self.activity else {
            return name;
        };
        let component = format!("{}/{activity}", self.package);
        (xxh3_64(component.as_bytes()) >> 52) as i32 * 16 + name
    }

    /// Returns true if the window can have the input focus.
    pub(super) fn takes_focus(&self) -> bool {
        match &self.hosted {
            Some(hosted) => hosted.window.focusable,
            None => self.name.takes_focus(),
        }
    }

    /// Returns the touches that the window takes. A host's window tells them itself. Of the others only the
    /// keyboard and windows smaller than their frame have a region; the rest take touches in all their bounds.
    pub(super) fn touch(&self) -> WindowTouch {
        if let Some(hosted) = &self.hosted {
            return hosted.touch();
        }
        let gives_region = self.frame.is_some() || self.name == WindowName::Keyboard;
        WindowTouch {
            focusable: self.name.takes_focus(),
            touchable: self.name.is_touchable(),
            touch_modal: true,
            region: gives_region.then_some(self.bounds),
        }
    }

    pub(super) fn frame(&self) -> Rect {
        self.frame.unwrap_or(self.bounds)
    }

    pub(super) fn layout_type(&self) -> &'static str {
        let of_host = self.hosted.as_ref().map(HostedWindow::layout_type);
        of_host.unwrap_or_else(|| self.name.layout_type())
    }

    /// Returns the window's nodes, or `None` if it has none.
    pub(super) fn root(&self) -> Option<NodeDump> {
        match &self.hosted {
            Some(hosted) => hosted.root(),
            None => dump(&self.placed),
        }
    }
}

impl WindowName {
    /// Returns true if windows of this kind can have the input focus.
    pub(super) fn takes_focus(self) -> bool {
        !matches!(
            self,
            Self::Keyboard
                | Self::StatusBar
                | Self::NavigationBar
                | Self::Toast
                | Self::Bubble
                | Self::Veil
        )
    }

    pub(super) fn is_touchable(self) -> bool {
        !matches!(self, Self::Toast | Self::Veil)
    }

    /// Returns true for a window above the screen that is as large as its contents and keeps all touches from
    /// the windows below.
    pub(super) fn is_popup(self) -> bool {
        matches!(
            self,
            Self::Dialog | Self::Menu | Self::Date | Self::Permission | Self::AppError
        )
    }

    /// Returns true for a window that the screen in front has opened.
    pub fn is_of_screen(self) -> bool {
        matches!(self, Self::App | Self::Dialog | Self::Menu | Self::Date)
    }

    /// Returns the kind of window that dumps name: `INPUT_METHOD`, `SYSTEM` or `APPLICATION`.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Keyboard => "INPUT_METHOD",
            Self::AppError
            | Self::StatusBar
            | Self::NavigationBar
            | Self::Shade
            | Self::Toast
            | Self::Bubble
            | Self::Veil => "SYSTEM",
            _ => "APPLICATION",
        }
    }

    /// Returns Android's name for the window's type.
    pub(super) fn layout_type(self) -> &'static str {
        match self {
            Self::App | Self::Hosted | Self::Home | Self::Permission => "BASE_APPLICATION",
            Self::Dialog | Self::Date => "APPLICATION",
            Self::Menu => "APPLICATION_PANEL",
            Self::Keyboard => "INPUT_METHOD",
            Self::AppError => "SYSTEM_ALERT",
            Self::StatusBar => "STATUS_BAR",
            Self::NavigationBar => "NAVIGATION_BAR",
            Self::Shade => "NOTIFICATION_SHADE",
            Self::Toast => "TOAST",
            Self::Bubble | Self::Veil => "APPLICATION_OVERLAY",
        }
    }
}
