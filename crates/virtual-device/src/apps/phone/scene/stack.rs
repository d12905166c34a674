//! All windows, one above the other: focus, touches, dumps and the picture.

use super::window::{Window, WindowName};
use crate::apps::ui::{Colour, Field, Fonts, LayoutNode, Metrics, Painter};
use crate::{StackedWindow, WindowDump};
use runner_screen::Point;

pub(crate) struct Scene {
    pub windows: Vec<Window>,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Scene {
    pub fn has(&self, name: WindowName) -> bool {
        self.windows.iter().any(|window| window.name == name)
    }

    /// Returns the topmost window that takes the input focus, or `None`.
    pub fn focused(&self) -> Option<&Window> {
        self.windows
            .iter()
            .rev()
            .find(|window| window.takes_focus())
    }

    /// Returns the text field with a key. Returns `None` if there is no such element, or it is no field.
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.placed_field(key)
            .and_then(|placed| placed.element.field.as_ref())
    }

    /// Returns the element with a key, laid out, be it a field or not. Only windows that can have the input focus
    /// are searched, the topmost first. Returns `None` for an empty key.
    pub fn placed_field(&self, key: &str) -> Option<&LayoutNode> {
        self.windows
            .iter()
            .rev()
            // Elements that nobody asks for have an empty key.
            .filter(|window| !key.is_empty() && window.name.takes_focus())
            .find_map(|window| window.placed.find(key))
    }

    /// Returns the topmost window that takes a touch at a point, or `None`. Toasts and veils let touches through.
    pub fn window_at(&self, at: Point) -> Option<&Window> {
        self.windows
            .iter()
            .rev()
            .find(|window| window.touch().takes(window.frame(), at))
    }

    /// Returns the topmost window of a kind.
    pub fn window(&self, name: WindowName) -> Option<&Window> {
        self.windows.iter().rev().find(|window| window.name == name)
    }

    /// Returns the windows that accessibility sees with their nodes, front to back. Toasts and veils of the phone,
    /// which take no touches, and windows below one that takes all, are left out.
    pub fn dump(&self) -> Vec<WindowDump> {
        let covered = self.covered();
        self.windows
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, window)| window.hosted.is_some() || window.name.is_touchable())
            .filter(|(layer, _)| *layer >= covered)
            .map(|(layer, window)| WindowDump {
                root: window.root(),
                ..self.describe(layer, window)
            })
            .collect()
    }

    /// Returns all windows, front to back, as the window manager lists them, also covered ones, without their
    /// nodes.
    pub fn stack(&self) -> Vec<StackedWindow> {
        self.windows
            .iter()
            .enumerate()
            .rev()
            .map(|(layer, window)| StackedWindow {
                dump: self.describe(layer, window),
                layout_type: window.layout_type(),
                frame: window.frame(),
                touch: window.touch(),
            })
            .collect()
    }

    /// Returns the description of a window without its nodes. `layer` counts from 0 at the bottom.
    fn describe(&self, layer: usize, window: &Window) -> WindowDump {
        let focused = self.focused().map(Window::id);
        WindowDump {
            id: window.id(),
            kind: window.name.kind(),
            title: window.title.clone(),
            package: window.package.clone(),
            activity: window.activity.clone(),
            layer: layer as i32,
            focused: Some(window.id()) == focused,
            bounds: window.bounds,
            root: None,
        }
    }

    /// Returns the layer below which accessibility sees no windows: that of the topmost window that takes all
    /// touches, as a host tells or a popup does, or 0.
    ///
    /// Android leaves out windows that no finger reaches (`AccessibilityWindowsPopulator`,
    /// `WindowState.isTouchModal`).
    fn covered(&self) -> usize {
        let takes_all = |window: &Window| match &window.hosted {
            Some(hosted) => hosted.touch().takes_all(),
            None => window.name.is_popup(),
        };
        self.windows.iter().rposition(takes_all).unwrap_or(0)
    }

    /// Draws all windows, back to front, on black. Returns `None` for a size that no picture can have.
    pub fn draw(&self, fonts: &Fonts, metrics: Metrics) -> Option<crate::Frame> {
        let black = Colour::rgb(0);
        let mut painter = Painter::new(self.width, self.height, black, fonts, metrics)?;
        for window in &self.windows {
            match &window.hosted {
                Some(hosted) => hosted.paint(&mut painter),
                None => painter.draw(&window.placed),
            }
        }
        painter.finish()
    }
}
