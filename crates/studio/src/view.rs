//! Converts a screen to what the page draws.

use serde::Serialize;
use serde_json::Value;

use super::StudioError;
use super::frames::{Completeness, Frame};
use super::messages::to_value;
use runner_screen::{Node, Profile, RowFilter, Screen};

/// Rows sent to a page; the rest is counted. Chosen: more make the page slow.
const MAX_ROWS: usize = 3000;

/// Screen of a picture.
#[expect(
    clippy::struct_excessive_bools,
    reason = "fields of the page's JSON, each read on its own"
)]
#[derive(Serialize)]
struct LookView<'a> {
    seq: u64,
    size: (u32, u32),
    /// Dots per inch; 0 if unknown.
    density: u32,
    taken: u64,
    took: u64,
    moving: bool,
    recorded: bool,
    rows_only: bool,
    app: Option<&'a str>,
    activity: Option<&'a str>,
    keyboard: bool,
    degraded: bool,
    windows: Vec<WindowView<'a>>,
    rows: Vec<RowView<'a>>,
    /// Number of rows that are left out.
    more: usize,
}

#[derive(Serialize)]
struct WindowView<'a> {
    id: i32,
    kind: &'a str,
    package: &'a str,
    title: &'a str,
    layer: i32,
    focused: bool,
}

#[derive(Serialize)]
struct RowView<'a> {
    #[serde(rename = "n")]
    number: u32,
    #[serde(rename = "w")]
    window: usize,
    #[serde(rename = "d")]
    depth: u32,
    class: &'a str,
    text: &'a str,
    desc: &'a str,
    hint: &'a str,
    id: &'a str,
    bounds: [i32; 4],
    states: Vec<&'static str>,
}

/// Number of screens on which a selector selects one element, and several.
#[derive(Serialize)]
pub(super) struct ScreenCounts {
    screens: usize,
    one: usize,
    several: usize,
}

/// Returns the elements of a picture as JSON for the page, at most [`MAX_ROWS`] of them, the number of the others,
/// and its windows, with size, time and app in front. The rows are those of a golden. Secrets are not masked.
/// Returns the reason if the elements are not read.
pub(super) fn look(frame: &Frame) -> Result<Value, StudioError> {
    let look = frame.known()?;
    let screen = &look.screen;
    let all = screen.rows_with(Profile::Golden, &RowFilter::default());
    let rows = all
        .iter()
        .take(MAX_ROWS)
        .map(|displayed| row(screen.node(displayed.node), displayed.window))
        .collect();
    let windows = screen
        .windows()
        .iter()
        .map(|window| WindowView {
            id: window.id,
            kind: &window.kind,
            package: &window.package,
            title: &window.title,
            layer: window.layer,
            focused: window.focused,
        })
        .collect();
    let front = screen.foreground();
    Ok(to_value(LookView {
        seq: frame.seq,
        size: frame.picture.size,
        density: screen.display().density,
        taken: frame.captured_ms,
        took: look.took,
        moving: look.moving,
        recorded: frame.completeness().is_some(),
        rows_only: matches!(frame.completeness(), Some(Completeness::Rows)),
        app: front.map(|(package, _)| package),
        activity: front.map(|(_, activity)| activity),
        keyboard: screen.keyboard_shown(),
        degraded: screen.is_degraded(),
        windows,
        rows,
        more: all.len().saturating_sub(MAX_ROWS),
    }))
}

/// Converts a node for the page. Only states that hold are listed; `unchecked` (of what can be checked), `disabled`
/// and `off-screen` are the negative ones. `window` is passed on; bounds are left, top, right and bottom.
fn row(node: Node<'_>, window: usize) -> RowView<'_> {
    let bounds = node.bounds();
    let flags = node.flags();
    let states = [
        ("clickable", flags.clickable),
        ("long-clickable", flags.long_clickable),
        ("scrollable", flags.scrollable),
        ("editable", node.is_editable()),
        ("checked", flags.checkable && flags.checked),
        ("unchecked", flags.checkable && !flags.checked),
        ("selected", flags.selected),
        ("focused", flags.focused),
        ("password", flags.password),
        ("disabled", !flags.enabled),
        ("off-screen", !node.is_on_screen()),
    ]
    .into_iter()
    .filter_map(|(name, holds)| holds.then_some(name))
    .collect();
    RowView {
        number: node.index().0,
        window,
        depth: node.depth(),
        class: node.short_class(),
        text: node.display_text(),
        desc: node.desc(),
        hint: node.hint(),
        id: node.resource_name(),
        bounds: [bounds.left, bounds.top, bounds.right, bounds.bottom],
        states,
    }
}

/// Counts all screens, those on which a selector selects one element, and those with several. `find` returns
/// the number of elements.
pub(super) fn count_screens<'a>(
    find: impl Fn(&Screen) -> usize,
    screens: impl Iterator<Item = &'a Screen>,
) -> ScreenCounts {
    let (mut all, mut one, mut several) = (0, 0, 0);
    for screen in screens {
        all += 1;
        match find(screen) {
            0 => {}
            1 => one += 1,
            _ => several += 1,
        }
    }
    ScreenCounts {
        screens: all,
        one,
        several,
    }
}
