//! Makes a screen of a parsed dump and of what the device reports beside it.

use std::sync::OnceLock;

use super::parse::{Document, parse};
use super::tree::WindowScope;
use super::{Display, DisplayContext, Rect, Screen, ScreenError, Window, uia2};

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

    /// Merges a parsed dump with what the device reports beside it. If the device does not report its display, or
    /// one without a size, the roots give the size and the dump the rotation; the density is 0. Windows without
    /// nodes are removed, but a keyboard among them counts as shown. Fails with [`ScreenError::Empty`] without
    /// nodes.
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
            rows: OnceLock::new(),
        })
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

/// Completes the dump's windows with what the device reports about them. Package and bounds that are missing come
/// from the root node. A title `unknown`, and without windows in the dump type and layer, come from the device's
/// list. The activity is set only for the focused window of the app in front, and removed from all others.
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

/// Returns the device's entry for `window`: of those with the same package the one with the same id, else the first
/// with the same focus, else the first. Returns `None` if no entry has this package.
fn known_window<'a>(window: &Window, known: &'a [Window]) -> Option<&'a Window> {
    let same_package = || known.iter().filter(|other| other.package == window.package);
    known
        .iter()
        .find(|other| other.id == window.id && other.package == window.package)
        .or_else(|| same_package().find(|other| other.focused == window.focused))
        .or_else(|| same_package().next())
}
