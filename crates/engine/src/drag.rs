//! Finds both ends of a drag on one screen.

use std::sync::Arc;
use std::time::Duration;

use super::act::{Aim, Readiness, Starts};
use super::{EngineError, InputGuard, Session};
use runner_screen::{Display, NodeIndex, Point, Rect, Screen, Selector};

/// Start and end areas of a drag. No other input is sent while it exists.
pub struct DragAreas<'a> {
    /// Lock through which the drag is sent.
    pub guard: InputGuard<'a>,
    /// The display, in whose pixels the areas are.
    pub display: Display,
    /// Visible part of the first element, or the whole display.
    pub from: Rect,
    /// Middle of `from`, or the nearest point that nothing is known to cover.
    pub free: Point,
    /// Visible part of the other element, or the whole display.
    pub to: Rect,
    /// The dragged element and its screen; `None` if the drag starts on the display.
    pub element: Option<(Arc<Screen>, NodeIndex)>,
}

/// Start of a drag.
#[derive(Clone, Copy)]
pub struct DragSource<'a> {
    /// The element; by default the display.
    pub selector: Option<&'a Selector>,
    pub readiness: Readiness,
    /// Points where the fingers come down; by default [`DragAreas::free`].
    pub starts: Option<Starts<'a>>,
}

impl Session {
    /// Waits for both elements and returns their visible parts; without an element it is the display's. Both are taken
    /// from one screen if possible: if the end appears later, the start is found again, as it may have moved. The end
    /// may be covered or disabled. Before a start without an element, the dialogs that rules find are answered, unless
    /// it is forced. Each search has `timeout` of its own, and fails as [`Session::area`] does; the result holds the
    /// input lock.
    pub async fn drag_areas(
        &self,
        from: DragSource<'_>,
        to: Option<&Selector>,
        timeout: Duration,
    ) -> Result<DragAreas<'_>, EngineError> {
        let guard = self.lock_input().await;
        if from.selector.is_none() && from.readiness != Readiness::Forced {
            self.answer_dialogs().await?;
        }
        let mut source = self.drag_end(from, timeout).await?;
        let mut target = None;
        if let Some(selector) = to {
            // The look that found the source usually shows the target too.
            let seen = source
                .as_ref()
                .and_then(|(screen, _)| Some((Arc::clone(screen), self.only(selector, screen)?)));
            target = match seen {
                Some(both) => Some(both),
                None => {
                    let end = DragSource {
                        selector: Some(selector),
                        readiness: Readiness::Forced,
                        starts: None,
                    };
                    let late = self.drag_end(end, timeout).await?;
                    if let (Some(selector), Some((screen, _))) = (from.selector, &late) {
                        source = match self.only(selector, screen) {
                            Some(node) => Some((Arc::clone(screen), node)),
                            None => self.drag_end(from, Duration::ZERO).await?,
                        };
                    }
                    late
                }
            };
        }
        let display = match source.as_ref().or(target.as_ref()) {
            Some((screen, _)) => screen.display(),
            None => self.display().await?,
        };
        let area = part(display, from.selector, source.as_ref())?;
        let place = source.as_ref().and_then(|(screen, node)| {
            let node = screen.node(*node);
            from.readiness.place(node, node)
        });
        Ok(DragAreas {
            from: area,
            free: place.map_or_else(|| area.center(), |place| place.point()),
            to: part(display, to, target.as_ref())?,
            guard,
            display,
            element: source,
        })
    }

    /// Waits for the element at one end of a drag, until it is as its `readiness` demands. `None` if that end has no
    /// selector.
    async fn drag_end(
        &self,
        end: DragSource<'_>,
        timeout: Duration,
    ) -> Result<Option<(Arc<Screen>, NodeIndex)>, EngineError> {
        let Some(selector) = end.selector else {
            return Ok(None);
        };
        let aim = Aim {
            selector,
            readiness: end.readiness,
            target: |node| node,
            starts: end.starts,
        };
        self.find_to_act(aim, timeout).await.map(Some)
    }

    /// Returns the match of the selector on this screen if there is exactly one, else `None`. Matches below a dialog
    /// that a rule answers do not count.
    fn only(&self, selector: &Selector, screen: &Arc<Screen>) -> Option<NodeIndex> {
        match *self.uncovered(selector, screen) {
            [node] => Some(node),
            _ => None,
        }
    }
}

/// Returns the visible part of an element, or the display's bounds without one. [`EngineError::Hidden`] if no part is
/// visible.
fn part(
    display: Display,
    selector: Option<&Selector>,
    found: Option<&(Arc<Screen>, NodeIndex)>,
) -> Result<Rect, EngineError> {
    match (selector, found) {
        (Some(selector), Some((screen, node))) => {
            let hidden = || EngineError::Hidden {
                element: selector.to_string(),
            };
            screen.node(*node).part_on_display().ok_or_else(hidden)
        }
        _ => Ok(display.bounds()),
    }
}
