//! A value of a drop-down: it is opened, its list is scrolled where it must be, and an option is touched.

use std::sync::Arc;

use super::element::{FoundElement, again};
use super::kind::Kind;
use super::model;
use super::scroll::drag;
use super::select::{Selection, best};
use crate::Failure;
use runner_device::Input;
use runner_engine::{Direction, Session};
use runner_screen::{Node, NodeIndex, Screen};

/// How often a list is scrolled at most.
const SCROLLS: u32 = 20;
/// Part of the list that one scroll moves.
const STEP_PERCENT: u32 = 60;

pub(super) async fn select(selecting: &Selection<'_>, found: &FoundElement) -> Result<(), Failure> {
    let session = selecting.session;
    let spinner = found.node();
    let displayed = |node: Node<'_>| model::value(node, Kind::Dropdown).unwrap_or_default();
    if displayed(spinner) == selecting.value {
        return Ok(());
    }
    session.touch_node(spinner, spinner, Input::Tap).await?;
    let opened = session
        .wait_until(selecting.limit, |screen| {
            (!options(selecting, found, screen).is_empty()).then(|| Arc::clone(screen))
        })
        .await?;
    let Some(screen) = opened.found else {
        // Elsewhere BACK would leave the page: the tap may have led on, or the label may have changed.
        let covered = |screen: Arc<Screen>| {
            list_window(selecting, found, &screen).is_some_and(|front| {
                let mut nodes = screen.nodes();
                nodes.any(|node| {
                    node.window().id == front && matches!(Kind::of(node), Kind::List | Kind::Scroll)
                })
            })
        };
        // A list that offers nothing is in the way of all that comes after.
        if opened.screen.is_some_and(covered) {
            session.press("BACK").await?;
        }
        return Err(selecting.no_option(&[]));
    };
    let (screen, option) = scroll_to_option(selecting, found, screen).await?;
    let label = says(screen.node(option));
    let option = screen.node(option);
    session.touch_node(option, option, Input::Tap).await?;
    let waited = session
        .wait_until(selecting.limit, |screen| {
            let index = again(session, selecting.id, found, screen)
                .filter(|index| Kind::of(screen.node(*index)) == Kind::Dropdown)?;
            (displayed(screen.node(index)) == label).then_some(())
        })
        .await?;
    waited.found.ok_or_else(|| selecting.not_applied())
}

/// The option that is meant, scrolled to. The list is closed again where it has none.
async fn scroll_to_option(
    selecting: &Selection<'_>,
    found: &FoundElement,
    mut screen: Arc<Screen>,
) -> Result<(Arc<Screen>, NodeIndex), Failure> {
    let session = selecting.session;
    let mut observed: Vec<String> = Vec::new();
    let mut direction = Direction::Down;
    for _ in 0..SCROLLS {
        let here = options(selecting, found, &screen);
        let labels: Vec<String> = here.iter().map(|node| says(*node)).collect();
        if let Some(place) = best(selecting.value, &labels)
            && let Some(option) = here.get(place)
        {
            let index = option.index();
            return Ok((screen, index));
        }
        let fresh: Vec<String> = labels
            .into_iter()
            .filter(|label| !observed.contains(label))
            .collect();
        // The same words again: the list does not go further this way.
        if fresh.is_empty() {
            // Down to the end, then up: a list opens where its value is.
            if direction == Direction::Up {
                break;
            }
            direction = Direction::Up;
        }
        observed.extend(fresh);
        let Some(next) = scroll(session, &here, direction).await? else {
            break;
        };
        screen = next;
    }
    session.press("BACK").await?;
    Err(selecting.no_option(&observed))
}

/// Scrolls the list that holds the options; nothing where it does not scroll.
async fn scroll(
    session: &Session,
    options: &[Node<'_>],
    direction: Direction,
) -> Result<Option<Arc<Screen>>, Failure> {
    let list = options
        .first()
        .and_then(|option| option.ancestors().find(|node| node.flags().scrollable));
    let Some(list) = list else {
        return Ok(None);
    };
    let Some(area) = list.part_on_display() else {
        return Ok(None);
    };
    let turn = session.lock_input().await;
    drag(&turn, area, direction, area.height() * STEP_PERCENT / 100).await?;
    drop(turn);
    Ok(Some(session.look().await?))
}

/// What the open list offers: what has words and can be chosen in the window in front, once that is another one than
/// the drop-down's.
fn options<'a>(
    selecting: &Selection<'_>,
    found: &FoundElement,
    screen: &'a Screen,
) -> Vec<Node<'a>> {
    let Some(front) = list_window(selecting, found, screen) else {
        return Vec::new();
    };
    screen
        .nodes()
        .filter(|node| node.window().id == front)
        .filter(|node| {
            let flags = node.flags();
            let choosable = flags.clickable || flags.checkable || in_list(*node);
            choosable && flags.enabled && !flags.scrollable && !says(*node).is_empty()
        })
        .filter(|node| !matches!(Kind::of(*node), Kind::List | Kind::Scroll | Kind::Container))
        .collect()
}

/// The window in front, where it is another one than the drop-down's.
fn list_window(selecting: &Selection<'_>, found: &FoundElement, screen: &Screen) -> Option<i32> {
    let front = window_in_front(screen)?;
    let spinner = again(selecting.session, selecting.id, found, screen);
    let is_covered = spinner.is_none_or(|index| screen.node(index).window().id != front);
    is_covered.then_some(front)
}

fn window_in_front(screen: &Screen) -> Option<i32> {
    screen
        .windows()
        .iter()
        .filter(|window| window.kind == "APPLICATION")
        .max_by_key(|window| (window.focused, window.layer))
        .map(|window| window.id)
}

/// The rows of a list are choosable though not every list says so of its rows.
fn in_list(node: Node<'_>) -> bool {
    node.parent()
        .is_some_and(|parent| Kind::of(parent) == Kind::List)
}

fn says(node: Node<'_>) -> String {
    model::label(node, Kind::Button)
}
