//! A whole screen: windows, nodes, and what the device says around them.

use super::{Display, Node, NodeIndex, Rect};

/// One window on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The device's id; 0 where the dump has no windows.
    pub id: i32,
    /// `APPLICATION`, `INPUT_METHOD`, `SYSTEM`, `ACCESSIBILITY_OVERLAY`, `SPLIT_SCREEN_DIVIDER`, `MAGNIFICATION_OVERLAY`.
    pub kind: String,
    /// Package of the app that owns it.
    pub package: String,
    /// Title, `unknown` where there is none.
    pub title: String,
    /// Activity, only of the focused application window.
    pub activity: Option<String>,
    /// Layer; higher is nearer to the person.
    pub layer: i32,
    /// Whether it has the input focus.
    pub focused: bool,
    /// Bounds on the display.
    pub bounds: Rect,
}

/// What the device says beside the dump, asked in the same round trip. All of it may be missing for a saved dump.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The display after rotation.
    pub display: Option<Display>,
    /// Package and activity in front (`com.example/.Main` → `com.example`, `.Main`).
    pub foreground: Option<(String, String)>,
    /// Windows the device names, in its order; empty where unknown.
    pub windows: Vec<Window>,
    /// Whether a keyboard is shown.
    pub keyboard_shown: bool,
}

/// A dump that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScreenError {
    /// No hierarchy in the bytes.
    #[error("the dump holds no <hierarchy>; it begins with {begins:?}")]
    NotADump {
        /// The first characters, to recognise what came instead.
        begins: String,
    },
    /// The dump ends before `</hierarchy>`.
    #[error("the dump is cut off after {bytes} bytes; take it again")]
    Truncated {
        /// Bytes there are.
        bytes: usize,
    },
    /// Deeper or larger than any real screen.
    #[error("the dump has more than {limit} {what}")]
    TooLarge {
        /// `nodes` or `levels`.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}

/// What is on a screen at one moment.
#[derive(Debug)]
pub struct Screen {}

impl Screen {
    /// Reads a dump (`uiautomator dump`, plain or `--windows`, UTF-8 or UTF-16, with whatever devices add around it).
    ///
    /// # Errors
    /// [`ScreenError`]; never panics.
    pub fn parse(dump: &[u8], surroundings: &Surroundings) -> Result<Self, ScreenError> {
        let _ = (dump, surroundings);
        todo!()
    }

    /// The display.
    pub fn display(&self) -> Display {
        todo!()
    }

    /// Windows in the device's order.
    pub fn windows(&self) -> &[Window] {
        todo!()
    }

    /// Whether only one window could be seen.
    pub fn is_degraded(&self) -> bool {
        todo!()
    }

    /// Whether a keyboard is shown.
    pub fn keyboard_shown(&self) -> bool {
        todo!()
    }

    /// Package and activity in front.
    pub fn foreground(&self) -> Option<(&str, &str)> {
        todo!()
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        todo!()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The node at `index`, which must come from this screen.
    pub fn node(&self, index: NodeIndex) -> Node<'_> {
        Node {
            screen: self,
            index,
        }
    }

    /// All nodes in document order.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.len() as u32).map(|index| self.node(NodeIndex(index)))
    }

    /// The node with this id, with or without the window's suffix; the first in document order when two collide.
    pub fn node_by_id(&self, id: &str) -> Option<Node<'_>> {
        let _ = id;
        todo!()
    }
}
