//! Touches on elements: the choice of the point, and the touches themselves.

use std::sync::Arc;
use std::time::Duration;

use super::click_target::{click_target, long_click_target};
use super::describe::describe;
use super::{EngineError, InputGuard, Session};
use runner_device::Input;
use runner_screen::{Cover, Display, Node, NodeIndex, Point, Rect, Screen, Selector, TouchPlace};

/// Target of an action that a selector names. Every action finds its element through this, so that obstacles
/// are always checked.
#[derive(Clone, Copy)]
pub(super) struct Aim<'a> {
    pub(super) selector: &'a Selector,
    /// Conditions for the element before it is touched.
    pub(super) readiness: Readiness,
    /// Returns the node that takes the touch meant for a node.
    pub(super) target: for<'n> fn(Node<'n>) -> Node<'n>,
    /// Points where the fingers come down. By default the middle, or the nearest point that nothing is known to cover.
    pub(super) starts: Option<Starts<'a>>,
}

/// Returns the points of an element's part on the display, in pixels, at which the fingers of a gesture come down.
pub type Starts<'a> = &'a (dyn Fn(Rect, Display) -> Vec<Point> + Send + Sync);

impl Aim<'_> {
    /// Returns what prevents a touch on `node`. A disabled target is reported first, and only for
    /// [`Readiness::Enabled`]. Covers do not count for forced touches; with start points, one covered point
    /// suffices, else the whole touchable area must be covered. Without a visible part or with a mere
    /// suspicion of a cover, returns `None`.
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
        Some(Obstacle::Covered(describe_cover(node.screen(), &cover?)))
    }
}

/// Describes what lies above an element, for people: an element in words, a window by its name.
pub(super) fn describe_cover(screen: &Screen, cover: &Cover) -> String {
    match cover {
        Cover::Element(index) => describe(screen.node(*index)),
        Cover::Window(name) => name.clone(),
    }
}

/// An element that was touched, and the screen it was found on.
#[derive(Debug, Clone)]
pub struct TouchedElement {
    /// The screen before the touch.
    pub screen: Arc<Screen>,
    pub node: NodeIndex,
    /// The touched point, in pixels of the display.
    pub point: Point,
    /// An element that overlaps the point, while the dump does not say which of both is on top.
    pub overlapped_by: Option<NodeIndex>,
}

impl TouchedElement {
    /// Returns a warning for people if the touch may not have reached the element: another element overlaps
    /// the point, or no node of its line of ancestors and descendants, nor any at the point in its window,
    /// reacts to touches. Judges by the screen before the touch. `None` if there is no doubt.
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
        // Touches that the upper element does not handle are passed to the one below.
        let is_at_point =
            |it: Node<'_>| it.window() == node.window() && it.bounds().contains(self.point);
        let is_around = |it: Node<'_>| it.holds(node) || node.holds(it) || is_at_point(it);
        let mut takers = self.screen.nodes().filter(|it| reacts_to_touches(*it));
        if takers.any(is_around) {
            return None;
        }
        let doubt =
            format!("nothing at {element} is clickable, so nothing may have taken the touch");
        Some(match labelled(node) {
            Some(control) => {
                let selector = Selector::picking(&self.screen, control.index());
                let control = describe(control);
                format!("{doubt}; next to it is {control}, which takes touches: {selector}")
            }
            None => doubt,
        })
    }
}

/// Returns the nearest node that reacts to touches and stands where the control of a label does: below it, not
/// further away than the label is high, or in the same row behind it. `None` if there is none.
fn labelled(label: Node<'_>) -> Option<Node<'_>> {
    let at = label.bounds();
    let height = at.bottom - at.top;
    let parent = |node: Node<'_>| node.parent().map(Node::index);
    let distance = |node: Node<'_>| {
        let it = node.bounds();
        let (below, behind) = (it.top - at.bottom, it.left - at.right);
        let is_below = it.left < at.right && at.left < it.right && (0..=height).contains(&below);
        let is_behind = it.top < at.bottom && at.top < it.bottom && behind >= 0;
        let is_in_row = is_behind && parent(node) == parent(label);
        match (is_below, is_in_row) {
            (true, _) => Some(below),
            (_, true) => Some(behind),
            _ => None,
        }
    };
    let is_control = |node: &Node<'_>| {
        let is_here = node.window() == label.window() && node.is_on_screen();
        is_here && reacts_to_touches(*node)
    };
    let controls = label.screen().nodes().filter(is_control);
    let near = controls.filter_map(|node| Some((distance(node)?, node)));
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, node)| node)
}

/// Returns true if the node reacts to touches. Fields always do, though their flags may not say so.
fn reacts_to_touches(node: Node<'_>) -> bool {
    let flags = node.flags();
    flags.clickable || flags.long_clickable || flags.checkable || node.is_editable()
}

/// Conditions for a touch, from strictest to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Readiness {
    /// Waits until the node that takes the touch is enabled and not covered.
    #[default]
    Enabled,
    /// Waits until nothing is known to cover the touched points. Disabled elements are touched.
    Uncovered,
    /// Acts at once, as a finger would. Set by `force: true`.
    Forced,
}

impl Readiness {
    /// Converts the argument `force` of steps that need an enabled element.
    pub fn from_force(force: bool) -> Self {
        if force { Self::Forced } else { Self::Enabled }
    }

    /// Converts the argument `force` of gestures that name their place. They touch disabled elements too.
    pub fn for_place(force: bool) -> Self {
        if force { Self::Forced } else { Self::Uncovered }
    }

    /// Returns true unless the node that takes the touch is disabled and must not be.
    pub(super) fn allows(self, target: Node<'_>) -> bool {
        self != Self::Enabled || !is_disabled(target)
    }

    /// Returns the point to touch. Forced touches go to the middle of the touchable area, which counts as free even if
    /// it is covered; others to a free point. A place that is covered, or of which the device does not tell what is
    /// above, is returned too, marked as such. `None` if no part can be touched.
    pub(super) fn place(self, node: Node<'_>, target: Node<'_>) -> Option<TouchPlace> {
        if self == Self::Forced {
            touch_point(node, target).map(TouchPlace::Free)
        } else {
            node.touch_place(target)
        }
    }
}

/// Reason why an element cannot be touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Obstacle {
    Disabled,
    /// Covered completely; describes by what.
    Covered(String),
}

/// Returns true if the node that takes a touch is disabled. If it is not clickable, a disabled ancestor counts too:
/// some toolkits make disabled buttons not clickable, and the text inside has no state of its own.
pub fn is_disabled(target: Node<'_>) -> bool {
    if target.flags().clickable {
        return target.is_disabled();
    }
    std::iter::successors(Some(target), |node| node.parent()).any(Node::is_disabled)
}

/// Returns the middle of the touchable area, whether covered or not. `None` if no part of it is on the display.
pub(super) fn touch_point(node: Node<'_>, target: Node<'_>) -> Option<Point> {
    node.touch_area(target).map(|area| area.center())
}

/// Returns the point of a touch meant for `node` that `target` takes: the middle, or the nearest point that nothing
/// is known to cover. `name` is the caller's name of the element.
///
/// # Errors
///
/// [`EngineError::Hidden`] if no part can be touched, and [`EngineError::Covered`] if something lies above all of it.
fn free_point(node: Node<'_>, target: Node<'_>, name: &str) -> Result<Point, EngineError> {
    match node.touch_place(target) {
        Some(TouchPlace::Free(point) | TouchPlace::Unknown { point, .. }) => Ok(point),
        Some(TouchPlace::Covered { by, .. }) => Err(EngineError::Covered {
            selector: name.to_owned(),
            element: describe(node),
            by: describe_cover(node.screen(), &by),
            waited: Duration::ZERO,
        }),
        None => Err(EngineError::Hidden {
            element: describe(node),
        }),
    }
}

/// Returns `point` if nothing is known to take a touch there before `node`, else the nearest free point of the element.
/// `name` is the caller's name of it.
///
/// # Errors
///
/// If `point` is covered: [`EngineError::Covered`] if something lies above all of the element, and
/// [`EngineError::Hidden`] if no part of it can be touched.
pub fn uncovered_point(node: Node<'_>, point: Point, name: &str) -> Result<Point, EngineError> {
    if node.cover_at(point).is_none() {
        Ok(point)
    } else {
        free_point(node, node, name)
    }
}

/// Area of a gesture: the visible part of an element, or the whole display. No other input is sent while it
/// exists.
pub struct TouchArea<'a> {
    /// Lock through which the gesture is sent.
    pub guard: InputGuard<'a>,
    pub bounds: Rect,
    /// The element and its screen; `None` for the whole display.
    pub element: Option<(Arc<Screen>, NodeIndex)>,
}

impl Session {
    /// Waits for the element until nothing is known to cover the points where fingers come down, and returns its
    /// visible part with the input lock, which was taken first. Without a selector, returns the display's bounds,
    /// after the dialogs that rules find were answered unless the touch is forced. Fails as [`Session::click`] does:
    /// [`EngineError::Covered`] or [`EngineError::Disabled`] for an obstacle that lasts, [`EngineError::Hidden`] if no
    /// part is on the display.
    pub async fn area(
        &self,
        selector: Option<&Selector>,
        readiness: Readiness,
        starts: Starts<'_>,
        timeout: Duration,
    ) -> Result<TouchArea<'_>, EngineError> {
        // The input lock is taken first, as for a touch.
        let turn = self.lock_input().await;
        let Some(selector) = selector else {
            if readiness != Readiness::Forced {
                self.answer_dialogs().await?;
            }
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

    /// Waits until exactly one element matches and meets `readiness`, and taps the node that takes its clicks
    /// ([`click_target`]). Dialogs with a rule are answered meanwhile. The input lock is held from the search to the
    /// tap. Fails if time is up with no match or an obstacle, and with several matches as soon as two looks in a row
    /// are equal; nothing is scrolled, and the effect is not checked.
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

    /// Same as [`Session::click`] with two taps. Waits for the element once, and both taps go to the same
    /// point.
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

    /// Same as [`Session::click`] with a touch of `duration`, aimed at the nearest long-clickable node around
    /// the element, or else at the one that takes its clicks.
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

    /// Touches an element that was just found, in its middle or at the nearest point that nothing is known to
    /// cover, and returns the point. `name` is the caller's name of the element. Takes the input lock itself. Does
    /// not look again, does not wait, and ignores disabled states. [`EngineError::Hidden`] if no part of it can be
    /// touched, [`EngineError::Covered`] if something lies above all of it.
    pub async fn touch_node(
        &self,
        name: &str,
        node: Node<'_>,
        target: Node<'_>,
        input: impl FnOnce(Point) -> Input,
    ) -> Result<Point, EngineError> {
        let point = free_point(node, target, name)?;
        self.input(&[input(point)]).await?;
        Ok(point)
    }

    /// Waits for the one element that `aim` describes, and touches it, with the input lock held throughout. The result
    /// names what may have taken the touch, if the device does not tell what is above. What the touch did is not
    /// checked. The errors are those of [`Session::click`].
    async fn touch(
        &self,
        aim: Aim<'_>,
        timeout: Duration,
        input: impl FnOnce(Point) -> Input + Send,
    ) -> Result<TouchedElement, EngineError> {
        // The input lock is taken first, as another input could move the element after it was found.
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
