//! Selects a value of a drop-down: opens it, scrolls its list as needed, and touches the option.

use std::sync::Arc;

use super::element::{FoundElement, again, tap};
use super::kind::ElementKind;
use super::model;
use super::selection::{Selection, best};
use crate::Failure;
use runner_engine::{Course, Direction, Look, Seek, SeekState, Turn, drag, free_part, seek};
use runner_screen::{Node, NodeIndex, Rect, Screen};

/// Limit for scrolls of the list. Chosen: hundreds of options.
const MAX_SCROLLS: u32 = 20;

/// Selects the value: opens the list, scrolls to the option, taps it and waits until the drop-down shows it. A value
/// that is shown already, in the same letter case, is not touched. Fails if the list does not open in time, has no such
/// option, or the drop-down does not show the option in time. A list without such an option is closed with BACK.
pub(super) async fn select(selecting: &Selection<'_>, found: &FoundElement) -> Result<(), Failure> {
    let session = selecting.session;
    let spinner = found.node();
    let displayed = |node: Node<'_>| model::value(node, ElementKind::Dropdown).unwrap_or_default();
    if displayed(spinner) == selecting.value {
        return Ok(());
    }
    tap(session, selecting.id, spinner, spinner).await?;
    let opened = session
        .wait_until(selecting.limit, |screen| {
            (!options(selecting, found, screen).is_empty()).then(|| Arc::clone(screen))
        })
        .await?;
    let Some(screen) = opened.found else {
        // Without an open list BACK would leave the page: the tap may have led elsewhere, or the label may have changed.
        let covered = |screen: Arc<Screen>| {
            list_window(selecting, found, &screen).is_some_and(|front| {
                let mut nodes = screen.nodes();
                nodes.any(|node| {
                    node.window().id == front
                        && matches!(
                            ElementKind::from_node(node),
                            ElementKind::List | ElementKind::Scroll
                        )
                })
            })
        };
        // An open list without options would block all further actions.
        if opened.screen.is_some_and(covered) {
            session.press("BACK").await?;
        }
        return Err(selecting.no_option(&[]));
    };
    let (screen, option) = scroll_to_option(selecting, found, screen).await?;
    let label = says(screen.node(option));
    let option = screen.node(option);
    tap(session, selecting.id, option, option).await?;
    let waited = session
        .wait_until(selecting.limit, |screen| {
            let index = again(session, selecting.id, found, screen).filter(|index| {
                ElementKind::from_node(screen.node(*index)) == ElementKind::Dropdown
            })?;
            (displayed(screen.node(index)) == label).then_some(())
        })
        .await?;
    waited.found.ok_or_else(|| selecting.not_applied())
}

/// Scrolls the open list down to its end, then up, at most 20 times, until the option is visible. Returns it with its
/// screen. If there is none, closes the list with BACK and fails with the options seen.
async fn scroll_to_option(
    selecting: &Selection<'_>,
    found: &FoundElement,
    screen: Arc<Screen>,
) -> Result<(Arc<Screen>, NodeIndex), Failure> {
    let mut seeker = OptionSeek {
        selecting,
        found,
        screen,
        displayed: Vec::new(),
        observed: Vec::new(),
    };
    let first = seeker.sight();
    // Down to the end, then up: a list opens where its value is.
    let course = Course {
        direction: Direction::Down,
        turn: Turn::AtEnd,
        max: MAX_SCROLLS,
    };
    if let Some(option) = seek(&mut seeker, first, course).await?.found {
        return Ok((seeker.screen, option));
    }
    selecting.session.press("BACK").await?;
    Err(selecting.no_option(&seeker.observed))
}

/// Search for the option in the open list, whose last look is `screen`.
struct OptionSeek<'a> {
    selecting: &'a Selection<'a>,
    found: &'a FoundElement,
    screen: Arc<Screen>,
    /// Visible options with their bounds.
    displayed: Vec<(String, Rect)>,
    /// All options seen so far.
    observed: Vec<String>,
}

impl OptionSeek<'_> {
    /// Judges the present options: `Reached` with the one that the value means, else `Missing`. Notes those that were
    /// not seen before, for the failure.
    fn sight(&mut self) -> SeekState<NodeIndex> {
        let here = options(self.selecting, self.found, &self.screen);
        let labels: Vec<String> = here.iter().map(|node| says(*node)).collect();
        let bounds = here.iter().map(|node| node.bounds());
        self.displayed = labels.iter().cloned().zip(bounds).collect();
        let option = best(self.selecting.value, &labels).and_then(|place| here.get(place));
        let sight = option.map_or(SeekState::Missing, |node| SeekState::Reached(node.index()));
        let is_fresh = |label: &String| !self.observed.contains(label);
        let fresh: Vec<String> = labels.into_iter().filter(is_fresh).collect();
        self.observed.extend(fresh);
        sight
    }

    /// Returns the nearest scrolling element around the first option. `None` if there is no option, or nothing
    /// around it scrolls.
    fn list(&self) -> Option<Node<'_>> {
        let here = options(self.selecting, self.found, &self.screen);
        let mut above = here.first()?.ancestors();
        above.find(|node| node.flags().scrollable && node.part_on_display().is_some())
    }
}

impl Seek for OptionSeek<'_> {
    type Found = NodeIndex;
    type Error = Failure;

    /// Drags the list once and looks. `None`, with nothing sent, if there is no list or the finger would click
    /// something. Fails if something covers all of the list.
    async fn scroll(&mut self, to: Direction) -> Result<Option<Look<NodeIndex>>, Failure> {
        let Some(list) = self.list() else {
            return Ok(None);
        };
        let area = free_part(list, to, self.selecting.id)?;
        let session = self.selecting.session;
        let turn = session.lock_input().await;
        let is_clicked = drag(&turn, to, area, &self.screen).await?.is_some();
        drop(turn);
        if is_clicked {
            return Ok(None);
        }
        self.screen = session.look().await?;
        let before = std::mem::take(&mut self.displayed);
        let sight = self.sight();
        let moved = self.displayed != before;
        Ok(Some(Look { sight, moved }))
    }
}

/// Returns the options of the open list that are on the screen: enabled nodes with words that can be touched
/// or checked or lie in a list, but do not scroll themselves. Only those in the list's window count; while no
/// list is open, there are none.
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
        .filter(|node| {
            !matches!(
                ElementKind::from_node(*node),
                ElementKind::List | ElementKind::Scroll | ElementKind::Container
            )
        })
        .collect()
}

/// Returns the id of the front window of an app if the drop-down is in another window or gone: such a window is taken
/// for the open list. `None` if the drop-down is in the front window, or no app has a window.
fn list_window(selecting: &Selection<'_>, found: &FoundElement, screen: &Screen) -> Option<i32> {
    let front = window_in_front(screen)?;
    let spinner = again(selecting.session, selecting.id, found, screen);
    let is_covered = spinner.is_none_or(|index| screen.node(index).window().id != front);
    is_covered.then_some(front)
}

/// Returns the id of the app's window with the focus, else of the highest one. `None` if no app has a window.
fn window_in_front(screen: &Screen) -> Option<i32> {
    screen
        .windows()
        .iter()
        .filter(|window| window.kind == "APPLICATION")
        .max_by_key(|window| (window.focused, window.layer))
        .map(|window| window.id)
}

/// Returns true for a child of a list. Rows can be chosen, though not every list declares it.
fn in_list(node: Node<'_>) -> bool {
    node.parent()
        .is_some_and(|parent| ElementKind::from_node(parent) == ElementKind::List)
}

fn says(node: Node<'_>) -> String {
    model::label(node, ElementKind::Button)
}
