//! Touching elements: where a touch goes, and the touches themselves.

use std::sync::Arc;
use std::time::Duration;

use super::wait::describe;
use super::{EngineError, InputGuard, Session};
use runner_device::Input;
use runner_screen::{Cover, Display, Node, NodeIndex, Point, Rect, Screen, Selector, TouchPlace};

/// An element that something is to be done to. Whatever acts on an element that a selector names finds it by this, so that
/// it asks whether it can.
#[derive(Clone, Copy)]
pub(super) struct Aim<'a> {
    /// The element.
    pub(super) selector: &'a Selector,
    /// Whether it has to be enabled.
    pub(super) readiness: Readiness,
    /// What takes the touch that is meant for it.
    pub(super) target: for<'n> fn(Node<'n>) -> Node<'n>,
    /// Where the fingers come down; without it at the free point next to the middle.
    pub(super) starts: Option<Starts<'a>>,
}

/// Returns the points of an element's part on the display, in pixels, at which the fingers of a gesture come down.
pub type Starts<'a> = &'a (dyn Fn(Rect, Display) -> Vec<Point> + Send + Sync);

impl Aim<'_> {
    /// Returns what is in the way of the touch on `node`.
    pub(super) fn obstacle(self, node: Node<'_>) -> Option<Obstacle> {
        let target = (self.target)(node);
        if self.readiness == Readiness::Enabled && is_disabled(target) {
            return Some(Obstacle::Disabled);
        }
        let cover = match (self.readiness, self.starts) {
            (Readiness::Forced, _) => None,
            (_, Some(starts)) => {
                let points = starts(node.part_on_display()?, node.screen().display());
                points.into_iter().find_map(|point| node.cover_at(point))
            }
            (_, None) => match node.touch_place(target)? {
                TouchPlace::Covered { by, .. } => Some(by),
                TouchPlace::Free(_) | TouchPlace::Unknown { .. } => None,
            },
        };
        Some(Obstacle::Covered(match cover? {
            Cover::Element(index) => describe(node.screen().node(index)),
            Cover::Window(name) => name,
        }))
    }
}

/// An element that was touched.
#[derive(Debug, Clone)]
pub struct TouchedElement {
    /// The screen on which it was found, before the touch.
    pub screen: Arc<Screen>,
    /// The element that matched.
    pub node: NodeIndex,
    /// Where the touch went.
    pub point: Point,
    /// An element that overlaps it there, of which nothing says whether it lies above.
    pub overlapped_by: Option<NodeIndex>,
}

impl TouchedElement {
    /// What a person should know of a touch that may not have come to the element.
    pub fn doubt(&self) -> Option<String> {
        let node = self.screen.node(self.node);
        let element = describe(node);
        if let Some(other) = self.overlapped_by {
            let inner = self.screen.node(other);
            let other = describe(inner);
            if node.holds(inner) {
                return Some(format!(
                    "{element} is filled by {other}, which has taken the touch"
                ));
            }
            return Some(format!(
                "{element} is overlapped by {other}, which may have taken the touch: the device does not tell which is above"
            ));
        }
        // A touch that what is above does not take goes on to what is below.
        let is_at_point =
            |it: Node<'_>| it.window() == node.window() && it.bounds().contains(self.point);
        let is_around = |it: Node<'_>| it.holds(node) || node.holds(it) || is_at_point(it);
        let mut takers = self.screen.nodes().filter(|it| reacts_to_touches(*it));
        (!takers.any(is_around)).then(|| {
            format!("nothing at {element} is clickable, so nothing may have taken the touch")
        })
    }
}

/// Returns true for what does something with a touch. A field takes it though it may not say so.
fn reacts_to_touches(node: Node<'_>) -> bool {
    let flags = node.flags();
    flags.clickable || flags.long_clickable || flags.checkable || node.is_editable()
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

fn ancestor_or_self(node: Node<'_>, test: impl Fn(Node<'_>) -> bool) -> Option<Node<'_>> {
    let mut current = Some(node);
    while let Some(node) = current {
        if test(node) {
            return Some(node);
        }
        current = node.parent();
    }
    None
}

/// What acts on an element: whether a person insists where the element is disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Readiness {
    /// It waits until what takes the touch is enabled.
    #[default]
    Enabled,
    /// It waits until nothing is known to lie above the places that are touched, and touches what is disabled.
    Uncovered,
    /// It acts at once, as a finger would: `force: true`.
    Forced,
}

impl Readiness {
    /// What `force` says.
    pub fn of_force(force: bool) -> Self {
        if force { Self::Forced } else { Self::Enabled }
    }

    /// Returns the readiness of a gesture that names its place: it touches disabled elements too.
    pub fn for_place(force: bool) -> Self {
        if force { Self::Forced } else { Self::Uncovered }
    }

    /// Whether the touch may be sent, which `target` takes.
    pub(super) fn allows(self, target: Node<'_>) -> bool {
        self != Self::Enabled || !is_disabled(target)
    }

    /// Returns where the touch goes: a person who insists touches the middle.
    pub(super) fn place(self, node: Node<'_>, target: Node<'_>) -> Option<TouchPlace> {
        if self == Self::Forced {
            touch_point(node, target).map(TouchPlace::Free)
        } else {
            node.touch_place(target)
        }
    }
}

/// What keeps an element from being touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// It is disabled.
    Disabled,
    /// All of it lies below this.
    Covered(String),
}

/// Whether what takes a touch says that it is disabled. Where nothing around is clickable, anything around may say so:
/// a disabled button of some toolkits is not clickable, and the text in it says nothing.
pub fn is_disabled(target: Node<'_>) -> bool {
    if target.flags().clickable {
        return target.is_disabled();
    }
    std::iter::successors(Some(target), |node| node.parent()).any(Node::is_disabled)
}

/// Returns the middle of the touch's area, whatever lies above it.
pub(super) fn touch_point(node: Node<'_>, target: Node<'_>) -> Option<Point> {
    node.touch_area(target).map(|area| area.center())
}

/// Where a gesture goes: an element's part on the display, or the whole display. Nothing else touches it meanwhile.
pub struct TouchArea<'a> {
    /// By which the gesture is sent.
    pub guard: InputGuard<'a>,
    /// In pixels of the display.
    pub bounds: Rect,
    /// The screen with the element; nothing for the whole display.
    pub element: Option<(Arc<Screen>, NodeIndex)>,
}

impl Session {
    /// Waits for the element whose area is wanted, until nothing is known to lie above the places where fingers come down in
    /// it; without an element it is the display's.
    pub async fn area(
        &self,
        selector: Option<&Selector>,
        readiness: Readiness,
        starts: Starts<'_>,
        timeout: Duration,
    ) -> Result<TouchArea<'_>, EngineError> {
        // The turn comes first, as for a touch.
        let turn = self.lock_input().await;
        let Some(selector) = selector else {
            let bounds = self.display().await?.bounds();
            return Ok(TouchArea {
                guard: turn,
                bounds,
                element: None,
            });
        };
        let aim = Aim {
            selector,
            readiness,
            target: |node| node,
            starts: Some(starts),
        };
        let (screen, index) = self.find_to_act(aim, timeout).await?;
        let hidden = || EngineError::Hidden {
            element: selector.to_string(),
        };
        let bounds = screen.node(index).part_on_display().ok_or_else(hidden)?;
        Ok(TouchArea {
            guard: turn,
            bounds,
            element: Some((screen, index)),
        })
    }

    /// Waits for the element and touches it shortly.
    pub async fn click(
        &self,
        selector: &Selector,
        readiness: Readiness,
        timeout: Duration,
    ) -> Result<TouchedElement, EngineError> {
        let aim = Aim {
            selector,
            readiness,
            target: click_target,
            starts: None,
        };
        self.touch(aim, timeout, Input::Tap).await
    }

    /// Waits for the element and touches it twice.
    pub async fn double_click(
        &self,
        selector: &Selector,
        readiness: Readiness,
        timeout: Duration,
    ) -> Result<TouchedElement, EngineError> {
        let aim = Aim {
            selector,
            readiness,
            target: click_target,
            starts: None,
        };
        self.touch(aim, timeout, Input::DoubleTap).await
    }

    /// Waits for the element and touches it for `duration`.
    pub async fn long_click(
        &self,
        selector: &Selector,
        readiness: Readiness,
        duration: Duration,
        timeout: Duration,
    ) -> Result<TouchedElement, EngineError> {
        let aim = Aim {
            selector,
            readiness,
            target: long_click_target,
            starts: None,
        };
        let input = |point| Input::LongPress(point, duration);
        self.touch(aim, timeout, input).await
    }

    /// Touches an element that was just found. The caller holds no turn.
    pub async fn touch_node(
        &self,
        node: Node<'_>,
        target: Node<'_>,
        input: impl FnOnce(Point) -> Input,
    ) -> Result<Point, EngineError> {
        let point = touch_point(node, target).ok_or_else(|| EngineError::Hidden {
            element: describe(node),
        })?;
        self.input(&[input(point)]).await?;
        Ok(point)
    }

    async fn touch(
        &self,
        aim: Aim<'_>,
        timeout: Duration,
        input: impl FnOnce(Point) -> Input + Send,
    ) -> Result<TouchedElement, EngineError> {
        // The turn comes first: an input in between could move what was found.
        let turn = self.lock_input().await;
        let (screen, index) = self.find_to_act(aim, timeout).await?;
        let place = {
            let node = screen.node(index);
            let place = aim.readiness.place(node, (aim.target)(node));
            place.ok_or_else(|| EngineError::Hidden {
                element: aim.selector.to_string(),
            })?
        };
        let point = place.point();
        turn.send(&[input(point)]).await?;
        let overlapped_by = match place {
            TouchPlace::Unknown { by, .. } => Some(by),
            TouchPlace::Free(_) | TouchPlace::Covered { .. } => None,
        };
        Ok(TouchedElement {
            screen,
            node: index,
            point,
            overlapped_by,
        })
    }
}
