//! A whole screen: its windows and nodes, and what the device reports beside them.

use std::sync::OnceLock;

use super::id::NodeId;
use super::node::NodeData;
use super::parse::{Document, parse};
use super::selector::NameIndex;
use super::{Display, Front, Node, NodeIndex, Rect, WindowLayer, uia2};

/// Window on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The device's id; 0 where the dump has no windows.
    pub id: i32,
    /// Type: `APPLICATION`, `INPUT_METHOD`, `SYSTEM`, `ACCESSIBILITY_OVERLAY`, `SPLIT_SCREEN_DIVIDER`,
    /// `MAGNIFICATION_OVERLAY`.
    pub kind: String,
    /// Package of the app that owns the window.
    pub package: String,
    /// Title, `unknown` where there is none.
    pub title: String,
    /// Activity; only the focused application window has it.
    pub activity: Option<String>,
    /// Layer; a higher one is nearer to the person.
    pub layer: i32,
    /// True if the window has the input focus.
    pub focused: bool,
    /// Bounds in pixels of the display.
    pub bounds: Rect,
}

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

/// Error of parsing a dump.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScreenError {
    /// The bytes hold no hierarchy.
    #[error("the dump holds no <hierarchy>; it begins with {begins}")]
    NotADump {
        /// First characters in quotes, to recognise what came instead.
        begins: String,
    },
    /// The dump ends before `</hierarchy>`.
    #[error("the dump is cut off after {bytes} bytes; take it again")]
    Truncated {
        /// Number of bytes received.
        bytes: usize,
    },
    /// A root belongs to a window that the device did not list: the window came or went meanwhile.
    #[error("the window {id} came or went while the screen was read; look again")]
    UnknownWindow { id: i32 },
    /// The roots do not name their windows.
    #[error("the source names no windows (`window-id`); it needs a newer server")]
    NoWindowIds,
    /// No window has a node. The app may show much in a moment, so nothing can be said about the screen.
    #[error("no window has content yet; the app may still be starting, or the screen may be off")]
    Empty,
    /// The dump is deeper or larger than any real screen.
    #[error("the dump has more than {limit} {what}")]
    TooLarge {
        /// Counted things: `nodes`, `levels` or `bytes`.
        what: &'static str,
        /// Largest number allowed.
        limit: usize,
    },
}

/// Set of the device's windows that a look has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WindowScope {
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
    windows: Vec<Window>,
    display: Display,
    scope: WindowScope,
    keyboard_shown: bool,
    bars: Vec<Rect>,
    layers: Vec<WindowLayer>,
    foreground: Option<(String, String)>,
    front: Front,
    without_elements: bool,
    toasts: Vec<String>,
    names: OnceLock<NameIndex>,
}

impl Screen {
    /// Parses a dump (`uiautomator dump`, plain or `--windows`, UTF-8 or UTF-16, with whatever devices add
    /// around it). The display comes from `context`, else from the bounds of the roots.
    ///
    /// Of several displays only the one with id 0 is kept, since touches go there. Windows without nodes are
    /// left out.
    ///
    /// # Errors
    /// [`ScreenError`], also for a dump without nodes; never panics.
    pub fn parse(dump: &[u8], context: &DisplayContext) -> Result<Self, ScreenError> {
        Self::assemble(parse(dump)?, context)
    }

    /// Parses the source of Appium's UiAutomator2 server into the same screen as a dump of that moment.
    /// `windows` are all windows of the main display, in the device's order.
    ///
    /// # Errors
    /// [`ScreenError`]; never panics. [`ScreenError::UnknownWindow`] where windows came or went between the
    /// two answers.
    pub fn parse_uia2(
        source: &str,
        windows: &[Window],
        context: &DisplayContext,
    ) -> Result<Self, ScreenError> {
        Self::assemble(uia2::parse(source, windows)?, context)
    }

    /// Merges a parsed dump with what the device reports beside it. If the device does not report its
    /// display, the roots give its size. Windows without nodes are removed, but a keyboard among them counts
    /// as shown. Fails with [`ScreenError::Empty`] without nodes.
    fn assemble(mut document: Document, context: &DisplayContext) -> Result<Self, ScreenError> {
        if document.nodes.is_empty() {
            return Err(ScreenError::Empty);
        }
        // Computed before windows without nodes are removed, since a keyboard may have no node.
        let keyboard_shown = context.keyboard_shown
            || document
                .windows
                .iter()
                .any(|window| window.kind == "INPUT_METHOD");
        drop_empty_windows(&mut document);
        // A device that cannot report its display may report one without a size.
        let known = context.display;
        let known = known.filter(|display| !display.bounds().is_empty());
        let area = known.map_or_else(|| union_of_roots(&document), |display| display.bounds());
        let display = known.unwrap_or_else(|| Display {
            // A display begins at 0 even if its first root does not: an app below a status bar begins under
            // it.
            width: u32::try_from(area.right).unwrap_or(0),
            height: u32::try_from(area.bottom).unwrap_or(0),
            density: 0,
            rotation: document.rotation,
        });
        merge_windows(&mut document, context);
        Ok(Self {
            text: document.text,
            nodes: document.nodes,
            area,
            windows: document.windows,
            display,
            scope: match (document.has_windows, context.lacks_windows) {
                (true, _) => WindowScope::All,
                (false, true) => WindowScope::OneOfAll,
                (false, false) => WindowScope::InFront,
            },
            keyboard_shown,
            bars: context.bars.clone(),
            layers: context.layers.clone(),
            foreground: context.foreground.clone(),
            front: context.front.clone(),
            without_elements: false,
            toasts: document.toasts,
            names: OnceLock::new(),
        })
    }

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

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the node at `index`, which must come from this screen.
    pub fn node(&self, index: NodeIndex) -> Node<'_> {
        Node {
            screen: self,
            index,
        }
    }

    /// Iterates over all nodes in document order.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.len() as u32).map(|index| self.node(NodeIndex(index)))
    }

    /// Iterates over the nodes of the window at this index in [`Screen::windows`], in document order. An
    /// index beyond them has no nodes.
    pub fn window_nodes(&self, window: usize) -> impl Iterator<Item = Node<'_>> {
        self.nodes()
            .filter(move |node| self.data(node.index).window as usize == window)
    }

    /// Returns the node with this id, with or without the window's suffix. If two nodes have the id, it is
    /// the first in document order. Returns `None` for a text that is no id.
    pub fn node_by_id(&self, id: &str) -> Option<Node<'_>> {
        let id = NodeId::parse(id)?;
        let is_it = |data: &NodeData| {
            let window = id.window.unwrap_or(self.window_of(data).id);
            data.hash == id.hash && self.window_of(data).id == window
        };
        let index = self.nodes.iter().position(is_it)?;
        Some(self.node(NodeIndex(index as u32)))
    }

    /// Returns the index of nodes by name, built at the first call.
    pub(super) fn names(&self) -> &NameIndex {
        self.names.get_or_init(|| NameIndex::new(self))
    }

    pub(super) fn data(&self, index: NodeIndex) -> &NodeData {
        &self.nodes[index.0 as usize]
    }

    pub(super) fn window_of(&self, node: &NodeData) -> &Window {
        &self.windows[node.window as usize]
    }
}

/// Removes windows without nodes, if the dump names windows, and corrects the windows of the nodes. Otherwise
/// all stay.
fn drop_empty_windows(document: &mut Document) {
    let mut used = vec![false; document.windows.len()];
    for node in &document.nodes {
        used[node.window as usize] = true;
    }
    if !document.has_windows || used.iter().all(|used| *used) {
        return;
    }
    let mut places = Vec::with_capacity(used.len());
    let mut stored = 0;
    for used in &used {
        places.push(stored);
        stored += u32::from(*used);
    }
    for node in &mut document.nodes {
        node.window = places[node.window as usize];
    }
    let mut used = used.into_iter();
    document.windows.retain(|_| used.next().unwrap_or(true));
}

/// Returns the smallest rectangle around all roots that have an area; it is empty if none has.
fn union_of_roots(document: &Document) -> Rect {
    let roots = document.nodes.iter().filter(|node| node.parent.is_none());
    let areas = roots
        .map(|node| node.bounds)
        .filter(|bounds| !bounds.is_empty());
    areas
        .reduce(|all, bounds| all.union(&bounds))
        .unwrap_or_default()
}

/// Completes the dump's windows with what the device reports about them. Package and bounds that are missing
/// come from the root node. Title, and without windows in the dump type and layer, come from the device's
/// list. The activity is set only for the focused window of the app in front.
fn merge_windows(document: &mut Document, context: &DisplayContext) {
    let Document {
        text,
        nodes,
        windows,
        has_windows,
        ..
    } = document;
    for node in nodes.iter().filter(|node| node.parent.is_none()) {
        let window = &mut windows[node.window as usize];
        if window.package.is_empty() {
            node.package.slice(text).clone_into(&mut window.package);
        }
        if window.bounds.is_empty() {
            window.bounds = node.bounds;
        }
    }
    for window in windows.iter_mut() {
        if let Some(known) = known_window(window, &context.windows) {
            if window.title == "unknown" {
                known.title.clone_into(&mut window.title);
            }
            if !*has_windows {
                known.kind.clone_into(&mut window.kind);
                window.layer = known.layer;
            }
        }
        let foreground = context.foreground.as_ref();
        window.activity = foreground
            .filter(|(package, _)| {
                window.focused && window.kind == "APPLICATION" && window.package == *package
            })
            .map(|(_, activity)| activity.clone());
    }
}

/// Returns the device's entry for `window`, which always has the same package: the one with the same id, else
/// the first with the same focus, else the first.
fn known_window<'a>(window: &Window, known: &'a [Window]) -> Option<&'a Window> {
    let same_package = || known.iter().filter(|other| other.package == window.package);
    known
        .iter()
        .find(|other| other.id == window.id && other.package == window.package)
        .or_else(|| same_package().find(|other| other.focused == window.focused))
        .or_else(|| same_package().next())
}
