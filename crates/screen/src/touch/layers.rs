//! Windows as Android's input dispatcher knows them: which one takes a touch at a place.

use crate::{Point, Rect, Window};

/// The places at which a window takes touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TouchableRegion {
    /// It lets all touches through.
    Nowhere,
    /// It takes those in these parts, in pixels of the display.
    Parts(Vec<Rect>),
    /// It takes all of them, those beside it too: a modal window.
    Everywhere,
}

impl TouchableRegion {
    /// Returns the parts of `area` in which it takes touches.
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

    /// Returns true if it takes a touch at `point`.
    pub fn contains(&self, point: Point) -> bool {
        match self {
            Self::Nowhere => false,
            Self::Everywhere => true,
            Self::Parts(parts) => parts.iter().any(|part| part.contains(point)),
        }
    }
}

/// A visible window of the main display, as the window manager reports it. A list of layers is in the order of the screen,
/// the nearest to the person first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowLayer {
    /// Title, empty where there is none.
    pub title: String,
    /// Package of the app that owns it.
    pub package: String,
    /// As [`Window::kind`].
    pub kind: String,
    /// Whether it has the input focus.
    pub focused: bool,
    /// Frame on the display.
    pub frame: Rect,
    /// Where it takes touches; `None` where the device does not report its flags.
    pub region: Option<TouchableRegion>,
}

impl WindowLayer {
    /// What messages call it.
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

/// Returns the place of a window of a dump among the layers; `None` where more than one, or none, could be it.
pub(super) fn layer_of(window: &Window, layers: &[WindowLayer]) -> Option<usize> {
    let only = |test: &dyn Fn(&WindowLayer) -> bool| {
        let mut found = layers
            .iter()
            .enumerate()
            .filter(|(_, layer)| layer.package == window.package && test(layer));
        let first = found.next()?.0;
        found.next().is_none().then_some(first)
    };
    // A dump says of one window that it has the focus, and so does the window manager.
    if window.focused {
        return only(&|layer| layer.focused);
    }
    only(&|layer| layer.title == window.title && layer.frame == window.bounds)
        .or_else(|| only(&|layer| layer.frame == window.bounds))
        .or_else(|| only(&|layer| layer.title == window.title))
}
