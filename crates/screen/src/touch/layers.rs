//! Windows as Android's input dispatcher knows them, which show what window takes a touch.

use crate::{Point, Rect, Window};

/// Region in which a window takes touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TouchableRegion {
    /// The window lets all touches through.
    Nowhere,
    /// The window takes touches in these parts, in pixels of the display.
    Parts(Vec<Rect>),
    /// The window takes all touches, even beside it: a modal window.
    Everywhere,
}

impl TouchableRegion {
    /// Returns the parts of `area` in which the window takes touches. [`Self::Everywhere`] takes them in all of
    /// it, even outside of the window.
    pub fn parts_in(&self, area: Rect) -> Vec<Rect> {
        match self {
            Self::Nowhere => Vec::new(),
            Self::Everywhere => vec![area],
            Self::Parts(parts) => parts
                .iter()
                .filter_map(|part| part.intersection(&area))
                .collect(),
        }
    }

    /// Returns true if the window takes a touch at `point`.
    pub fn contains(&self, point: Point) -> bool {
        match self {
            Self::Nowhere => false,
            Self::Everywhere => true,
            Self::Parts(parts) => parts.iter().any(|part| part.contains(point)),
        }
    }
}

/// Visible window of the main display, as the window manager reports it. Lists of layers are ordered by
/// depth, the nearest to the person first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowLayer {
    /// Title, empty where there is none.
    pub title: String,
    /// Package of the app that owns the window.
    pub package: String,
    /// Type of the window; see [`Window::kind`].
    pub kind: String,
    /// True if the window has the input focus.
    pub focused: bool,
    /// Frame in pixels of the display.
    pub frame: Rect,
    /// Region that takes touches; `None` where the device does not report the window's flags.
    pub region: Option<TouchableRegion>,
}

impl WindowLayer {
    /// Returns the window's name for messages: `the keyboard`, else `` the window `…` `` with its title, or its
    /// package if it has no title.
    pub fn name(&self) -> String {
        if self.kind == "INPUT_METHOD" {
            return "the keyboard".to_owned();
        }
        let name = if self.title.is_empty() {
            &self.package
        } else {
            &self.title
        };
        format!("the window `{name}`")
    }
}

/// Returns the index of the layer of a dump's window among those of the same package. A focused window has
/// the focused layer; others have the one with the same title and frame, else frame, else title. Returns
/// `None` where several or no layers fit.
pub(super) fn layer_of(window: &Window, layers: &[WindowLayer]) -> Option<usize> {
    let only = |test: &dyn Fn(&WindowLayer) -> bool| {
        let mut found = layers
            .iter()
            .enumerate()
            .filter(|(_, layer)| layer.package == window.package && test(layer));
        let first = found.next()?.0;
        found.next().is_none().then_some(first)
    };
    // Both the dump and the window manager mark one window as focused.
    if window.focused {
        return only(&|layer| layer.focused);
    }
    only(&|layer| layer.title == window.title && layer.frame == window.bounds)
        .or_else(|| only(&|layer| layer.frame == window.bounds))
        .or_else(|| only(&|layer| layer.title == window.title))
}
