//! The two ends of a drag, both on one screen.

use std::sync::Arc;
use std::time::Duration;

use super::act::{Aim, Readiness};
use super::{EngineError, InputGuard, Session};
use runner_screen::{Display, NodeIndex, Rect, Screen, Selector};

/// Where a drag may begin and end. Nothing else touches the device meanwhile.
pub struct DragAreas<'a> {
    /// By which the drag is sent.
    pub guard: InputGuard<'a>,
    /// The display whose pixels the areas are.
    pub display: Display,
    /// The part of the first element on the display, or the whole display.
    pub from: Rect,
    /// The part of the other element on the display, or the whole display.
    pub to: Rect,
    /// The screen with the element that is dragged.
    pub element: Option<(Arc<Screen>, NodeIndex)>,
}

impl Session {
    /// Waits for the elements between which is dragged; without an element it is the display. Both are found on one
    /// screen: what was found earlier may have moved.
    pub async fn drag_areas(
        &self,
        from: Option<&Selector>,
        readiness: Readiness,
        to: Option<&Selector>,
        timeout: Duration,
    ) -> Result<DragAreas<'_>, EngineError> {
        let guard = self.lock_input().await;
        let mut source = self.drag_end(from, readiness, timeout).await?;
        let mut target = None;
        if let Some(selector) = to {
            // The look that found the one mostly shows the other too.
            let seen = source
                .as_ref()
                .and_then(|(screen, _)| Some((Arc::clone(screen), self.only(selector, screen)?)));
            target = match seen {
                Some(both) => Some(both),
                None => {
                    let late = self
                        .drag_end(Some(selector), Readiness::Forced, timeout)
                        .await?;
                    if let (Some(selector), Some((screen, _))) = (from, &late) {
                        source = match self.only(selector, screen) {
                            Some(node) => Some((Arc::clone(screen), node)),
                            None => self.drag_end(from, readiness, Duration::ZERO).await?,
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
        Ok(DragAreas {
            from: part(display, from, source.as_ref())?,
            to: part(display, to, target.as_ref())?,
            guard,
            display,
            element: source,
        })
    }

    async fn drag_end(
        &self,
        selector: Option<&Selector>,
        readiness: Readiness,
        timeout: Duration,
    ) -> Result<Option<(Arc<Screen>, NodeIndex)>, EngineError> {
        let Some(selector) = selector else {
            return Ok(None);
        };
        let aim = Aim {
            selector,
            readiness,
            target: |node| node,
        };
        self.find_to_act(aim, timeout).await.map(Some)
    }

    /// The only element of a screen that is meant.
    fn only(&self, selector: &Selector, screen: &Arc<Screen>) -> Option<NodeIndex> {
        match *self.uncovered(selector, screen) {
            [node] => Some(node),
            _ => None,
        }
    }
}

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
