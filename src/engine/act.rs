//! Touching elements: where a touch goes, and the touches themselves.

use std::sync::Arc;
use std::time::Duration;

use super::{EngineError, InputGuard, Session};
use crate::device::Input;
use crate::screen::{Node, NodeIndex, Point, Rect, Screen, Selector};

/// An element that was touched.
#[derive(Debug, Clone)]
pub struct TouchedElement {
    /// The screen on which it was found, before the touch.
    pub screen: Arc<Screen>,
    /// The element that matched.
    pub node: NodeIndex,
    /// Where the touch went.
    pub point: Point,
}

/// What takes the touch: the element itself where it is clickable, else the nearest clickable element around it, else
/// the element itself.
pub fn click_target(node: Node<'_>) -> Node<'_> {
    // A text in a button is not clickable itself: the device hands its touch up to the button.
    ancestor_or_self(node, |node| node.flags().clickable).unwrap_or(node)
}

/// As [`click_target`] for a long touch.
pub fn long_click_target(node: Node<'_>) -> Node<'_> {
    ancestor_or_self(node, |node| node.flags().long_clickable).unwrap_or_else(|| click_target(node))
}

pub(super) fn ancestor_or_self(
    node: Node<'_>,
    test: impl Fn(Node<'_>) -> bool,
) -> Option<Node<'_>> {
    let mut current = Some(node);
    while let Some(node) = current {
        if test(node) {
            return Some(node);
        }
        current = node.parent();
    }
    None
}

/// Where a touch that is meant for `node` goes so that `target` takes it: the middle of the element's visible part
/// where that lies in the target, for beside it the target may hold other buttons; else the middle of the target's.
pub(super) fn touch_point(node: Node<'_>, target: Node<'_>) -> Option<Point> {
    let target_part = target.part_on_display();
    let common = match (node.part_on_display(), target_part) {
        (Some(own), Some(target)) => own.intersection(&target),
        _ => None,
    };
    common.or(target_part).map(|part| part.center())
}

/// Where a gesture goes: an element's part on the display, or the whole display. Nothing else touches it meanwhile.
pub struct TouchArea<'a> {
    /// By which the gesture is sent.
    pub turn: InputGuard<'a>,
    /// In pixels of the display.
    pub bounds: Rect,
    /// The screen with the element; nothing for the whole display.
    pub element: Option<(Arc<Screen>, NodeIndex)>,
}

impl Session {
    /// Waits for the element whose area is wanted; without one it is the display's.
    pub async fn area(
        &self,
        selector: Option<&Selector>,
        timeout: Duration,
    ) -> Result<TouchArea<'_>, EngineError> {
        // The turn comes first, as for a touch.
        let turn = self.turn().await;
        let Some(selector) = selector else {
            let bounds = self.display().await?.bounds();
            return Ok(TouchArea {
                turn,
                bounds,
                element: None,
            });
        };
        let (screen, index) = self.find(selector, timeout).await?;
        let hidden = || EngineError::Hidden {
            element: selector.to_string(),
        };
        let bounds = screen.node(index).part_on_display().ok_or_else(hidden)?;
        Ok(TouchArea {
            turn,
            bounds,
            element: Some((screen, index)),
        })
    }

    /// Waits for the element and touches it shortly.
    pub async fn click(
        &self,
        selector: &Selector,
        timeout: Duration,
    ) -> Result<TouchedElement, EngineError> {
        self.touch(selector, timeout, click_target, Input::Tap)
            .await
    }

    /// Waits for the element and touches it twice.
    pub async fn double_click(
        &self,
        selector: &Selector,
        timeout: Duration,
    ) -> Result<TouchedElement, EngineError> {
        self.touch(selector, timeout, click_target, Input::DoubleTap)
            .await
    }

    /// Waits for the element and touches it for `duration`.
    pub async fn long_click(
        &self,
        selector: &Selector,
        duration: Duration,
        timeout: Duration,
    ) -> Result<TouchedElement, EngineError> {
        self.touch(selector, timeout, long_click_target, |point| {
            Input::LongPress(point, duration)
        })
        .await
    }

    /// Touches an element that was just found. The caller holds no turn.
    pub async fn touch_node(
        &self,
        node: Node<'_>,
        target: Node<'_>,
        input: impl FnOnce(Point) -> Input,
    ) -> Result<Point, EngineError> {
        let point = touch_point(node, target).ok_or_else(|| EngineError::Hidden {
            element: super::wait::describe(node),
        })?;
        self.input(&[input(point)]).await?;
        Ok(point)
    }

    async fn touch(
        &self,
        selector: &Selector,
        timeout: Duration,
        target: impl Fn(Node<'_>) -> Node<'_> + Send,
        input: impl FnOnce(Point) -> Input + Send,
    ) -> Result<TouchedElement, EngineError> {
        // The turn comes first: an input in between could move what was found.
        let turn = self.turn().await;
        let (screen, index) = self.find(selector, timeout).await?;
        let point = {
            let node = screen.node(index);
            touch_point(node, target(node)).ok_or_else(|| EngineError::Hidden {
                element: selector.to_string(),
            })?
        };
        turn.send(&[input(point)]).await?;
        Ok(TouchedElement {
            screen,
            node: index,
            point,
        })
    }
}
