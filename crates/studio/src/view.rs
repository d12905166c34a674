//! A screen as the page draws it.

use serde_json::{Value, json};

use super::StudioError;
use super::frames::{Frame, Stored};
use runner_screen::{Node, Profile, RowFilter, Screen};

/// More rows help nobody; the rest is counted.
const MOST_ROWS: usize = 3000;

/// The rows of a picture.
pub(super) fn look(frame: &Frame) -> Result<Value, StudioError> {
    let look = frame.known()?;
    let screen = &look.screen;
    let all = screen.rows_with(Profile::Golden, &RowFilter::default());
    let rows: Vec<Value> = all
        .iter()
        .take(MOST_ROWS)
        .map(|displayed| row(screen.node(displayed.node), displayed.window))
        .collect();
    let windows: Vec<Value> = screen
        .windows()
        .iter()
        .map(|window| json!({ "id": window.id, "kind": window.kind, "package": window.package, "title": window.title, "layer": window.layer, "focused": window.focused }))
        .collect();
    let front = screen.foreground();
    Ok(json!({
        "seq": frame.seq,
        "size": frame.picture.size,
        "taken": frame.captured_ms,
        "took": look.took,
        "moving": look.moving,
        "recorded": frame.stored().is_some(),
        "rows_only": matches!(frame.stored(), Some(Stored::Rows)),
        "app": front.map(|(package, _)| package),
        "activity": front.map(|(_, activity)| activity),
        "keyboard": screen.keyboard_shown(),
        "degraded": screen.is_degraded(),
        "windows": windows,
        "rows": rows,
        "more": all.len().saturating_sub(MOST_ROWS),
    }))
}

fn row(node: Node<'_>, window: usize) -> Value {
    let bounds = node.bounds();
    let flags = node.flags();
    let id = node.resource_id();
    let states: Vec<&str> = [
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
    json!({
        "n": node.index().0,
        "w": window,
        "d": node.depth(),
        "class": node.short_class(),
        "text": node.display_text(),
        "desc": node.desc(),
        "hint": node.hint(),
        "id": id.rsplit_once('/').map_or(id, |(_, short)| short),
        "bounds": [bounds.left, bounds.top, bounds.right, bounds.bottom],
        "states": states,
    })
}

/// How many elements a selector selects on each of these screens, counted.
pub(super) fn counted<'a>(
    find: impl Fn(&Screen) -> usize,
    screens: impl Iterator<Item = &'a Screen>,
) -> Value {
    let (mut all, mut one, mut several) = (0, 0, 0);
    for screen in screens {
        all += 1;
        match find(screen) {
            0 => {}
            1 => one += 1,
            _ => several += 1,
        }
    }
    json!({ "screens": all, "one": one, "several": several })
}
