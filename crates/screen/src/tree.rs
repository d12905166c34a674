//! A whole screen: its windows and nodes, and what the device reports beside them.

use std::sync::OnceLock;

use super::name_index::NameIndex;
use super::node_data::{NodeData, NodeIndex};
use super::row_index::RowIndex;
use super::{Display, Front, Rect, Window, WindowLayer};

/// State of the device beside the dump, read in the same round trip. A saved dump may have none of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DisplayContext {
    /// Display after rotation.
    pub display: Option<Display>,
    /// Package and activity in front (`com.example/.Main` → `com.example`, `.Main`).
    pub foreground: Option<(String, String)>,
    /// App in front, which must be on the screen for it to count as whole.
    pub front: Front,
    /// Windows that the device lists, in its order; empty where unknown.
    pub windows: Vec<Window>,
    /// True if a keyboard is shown.
    pub keyboard_shown: bool,
    /// Bounds of the status and navigation bars.
    pub bars: Vec<Rect>,
    /// Visible windows as the window manager lists them, the nearest to the person first; empty where
    /// unknown.
    pub layers: Vec<WindowLayer>,
    /// True if the device lists its windows, but this look has only one.
    pub lacks_windows: bool,
}

/// Set of the device's windows that a look has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WindowScope {
    /// All windows.
    All,
    /// The window in front, of a device that cannot list its windows.
    InFront,
    /// One window, of a device that can list its windows.
    OneOfAll,
}

/// State of a screen at one moment.
#[derive(Debug)]
pub struct Screen {
    /// Strings of all nodes, one after the other.
    pub(super) text: String,
    pub(super) nodes: Vec<NodeData>,
    /// Area that counts as on the screen.
    pub(super) area: Rect,
    pub(super) windows: Vec<Window>,
    pub(super) display: Display,
    pub(super) scope: WindowScope,
    pub(super) keyboard_shown: bool,
    pub(super) bars: Vec<Rect>,
    pub(super) layers: Vec<WindowLayer>,
    pub(super) foreground: Option<(String, String)>,
    pub(super) front: Front,
    pub(super) without_elements: bool,
    pub(super) toasts: Vec<String>,
    pub(super) names: OnceLock<NameIndex>,
    pub(super) rows: OnceLock<RowIndex>,
}

impl Screen {
    pub fn display(&self) -> Display {
        self.display
    }

    /// Returns the windows in the device's order.
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// Returns true if only one window could be read, so that others may be missing.
    pub fn is_degraded(&self) -> bool {
        self.scope != WindowScope::All
    }

    /// Returns true if the device lists its windows, but this look has only one.
    pub fn lacks_windows(&self) -> bool {
        self.scope == WindowScope::OneOfAll
    }

    /// Returns true if a keyboard is shown.
    pub fn keyboard_shown(&self) -> bool {
        self.keyboard_shown
    }

    /// Returns the bounds of the status and navigation bars; empty where unknown.
    pub fn bars(&self) -> &[Rect] {
        &self.bars
    }

    /// Returns the visible windows as the window manager lists them, the nearest to the person first; empty
    /// where unknown.
    pub fn layers(&self) -> &[WindowLayer] {
        &self.layers
    }

    /// Returns package and activity in front.
    pub fn foreground(&self) -> Option<(&str, &str)> {
        self.foreground
            .as_ref()
            .map(|(package, activity)| (package.as_str(), activity.as_str()))
    }

    /// Returns the app in front, as far as the device reports it.
    pub fn front(&self) -> &Front {
        &self.front
    }

    /// Returns true if no look of the device has had an element of the app in front, as with a game.
    pub fn is_without_elements(&self) -> bool {
        self.without_elements
    }

    /// Records that no look of the device has had an element of the app in front. It cannot be taken back.
    pub fn note_without_elements(&mut self) {
        self.without_elements = true;
    }

    /// Returns the texts of the visible toasts, oldest first; empty where the device does not report them.
    pub fn toasts(&self) -> &[String] {
        &self.toasts
    }

    /// Returns true if a toast is shown, also if the device does not report its text.
    pub fn shows_toast(&self) -> bool {
        // The title of each toast's window (AOSP `ToastPresenter.java`).
        let is_toast = |layer: &WindowLayer| layer.title == "Toast" && layer.kind == "SYSTEM";
        !self.toasts.is_empty() || self.layers.iter().any(is_toast)
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn data(&self, index: NodeIndex) -> &NodeData {
        &self.nodes[index.0 as usize]
    }

    pub(super) fn window_of(&self, node: &NodeData) -> &Window {
        &self.windows[node.window as usize]
    }
}
