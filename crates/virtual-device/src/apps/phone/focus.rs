//! Focus of elements, and its movement by keys.
//!
//! The rules are those of AOSP's `FocusFinder` and `ViewRootImpl`. TAB goes through all focusable views in
//! reading order and starts again at the end. Arrows go to the nearest view in their direction. The first key
//! that would move the focus only shows it.

use super::VirtualPhone;
use super::touch::HitTarget;
use crate::apps::a2ui::Focus;
use crate::apps::ui::{LayoutNode, TouchAction};
use runner_screen::Rect;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Left,
    Up,
    Right,
    Down,
    Forward,
    Backward,
}

impl VirtualPhone {
    /// Enters touch mode, in which buttons have no focus, because a finger is on the screen. A focused field keeps its
    /// focus. If the phone is in touch mode already, nothing changes.
    pub(super) fn enter_touch_mode(&mut self) {
        if !self.keyboard.is_in_touch_mode() {
            self.keyboard.set_touch_mode(true);
            self.view(|view| view.key_focus = None);
        }
    }

    /// Leaves touch mode because of a key. Returns true if this gave something the focus and so used up the
    /// key.
    pub(super) fn leave_touch_mode(&mut self) -> bool {
        let was_touched = self.keyboard.is_in_touch_mode();
        self.keyboard.set_touch_mode(false);
        was_touched && self.give_first_focus()
    }

    /// Focuses the first focusable element if nothing has the focus. Returns true if it did, false also if
    /// there is none.
    pub(super) fn give_first_focus(&mut self) -> bool {
        self.focus_key().is_none() && self.move_focus(Direction::Forward)
    }

    /// Removes the focus of the screen in front, of a field too. The next key that moves the focus starts at the first
    /// element.
    pub(super) fn drop_focus(&mut self) {
        self.view(|view| (view.focus, view.key_focus) = (None, None));
    }

    /// Puts the focus aside because a window of the app opens above, which has none yet. Without an app in front
    /// nothing happens.
    pub(super) fn open_window(&mut self) {
        self.view(|view| {
            let focus = (view.focus.take(), view.key_focus.take());
            view.focus_behind.push(focus);
        });
    }

    /// Restores the focus of the window behind the one that closed, and hides the keyboard. In touch mode only a
    /// field gets its focus back. Otherwise the first focusable element gets it if none else did.
    pub(super) fn close_window(&mut self) {
        self.keyboard.hide();
        let is_in_touch_mode = self.keyboard.is_in_touch_mode();
        self.view(|view| {
            let (focus, key_focus) = view.focus_behind.pop().unwrap_or_default();
            view.focus = focus;
            view.key_focus = key_focus.filter(|_| !is_in_touch_mode);
        });
        // All windows leave touch mode together, so a window without a focus gets one.
        if !is_in_touch_mode {
            self.give_first_focus();
        }
    }

    /// Returns the key of the element that has the focus, if it is in the window with the input focus. A
    /// field comes before an element focused by keys.
    pub(super) fn focus_key(&self) -> Option<String> {
        let view = &self.tasks.front()?.1.view;
        let field = view.focus.as_ref().map(|focus| &focus.key);
        let key = field.or(view.key_focus.as_ref())?;
        let scene = self.scene();
        let window = scene.focused()?;
        window.placed.find(key).map(|_| key.clone())
    }

    /// Returns the element that has the focus, with its bounds. `None` if it is not in the window with the input focus.
    pub(super) fn focused_element(&self) -> Option<HitTarget> {
        let key = self.focus_key()?;
        let placed = self.scene().focused()?.placed.find(&key)?;
        Some(HitTarget::new(placed))
    }

    /// Returns the focusable elements of the window in front, from top to bottom, then from left to right.
    fn focusables(&self) -> Vec<(String, Rect)> {
        let window = self.scene().focused();
        window.map_or_else(Vec::new, |window| focusables_in(&window.placed))
    }

    /// Moves the focus within the window that has the input focus. Without a focus, the first element gets it, or
    /// the last one if it moves backward. Forward and backward wrap around at the ends; the other directions take
    /// the nearest element. Returns false if nothing is in that direction, or the window has nothing to focus.
    pub(super) fn move_focus(&mut self, direction: Direction) -> bool {
        let all = self.focusables();
        let now = self.focus_key();
        let index = now.and_then(|key| all.iter().position(|(other, _)| *other == key));
        let Some(index) = index else {
            let first = if direction == Direction::Backward {
                all.last()
            } else {
                all.first()
            };
            return first.is_some_and(|(key, _)| {
                self.give_focus(key, direction);
                true
            });
        };
        let next = match direction {
            Direction::Forward => all.get(index + 1).or_else(|| all.first()),
            Direction::Backward => index
                .checked_sub(1)
                .map_or(all.last(), |index| all.get(index)),
            _ => nearest(&all, all[index].1, direction),
        };
        let Some((key, _)) = next else {
            return false;
        };
        self.give_focus(&key.clone(), direction);
        true
    }

    /// Focuses the first focusable element in a container, or the last one. Only elements whose top and bottom are
    /// within the container count, and not the container itself. Without such an element the focus stays.
    pub(super) fn focus_in(&mut self, container: &str, is_last: bool) {
        let Some(window) = self.scene().focused() else {
            return;
        };
        let Some(placed) = window.placed.find(container) else {
            return;
        };
        let (room, mut found) = (placed.rect, focusables_in(placed));
        found.retain(|(key, rect)| {
            key != container && rect.top >= room.top && rect.bottom <= room.bottom
        });
        let (next, direction) = if is_last {
            (found.last(), Direction::Down)
        } else {
            (found.first(), Direction::Up)
        };
        if let Some((key, _)) = next {
            self.give_focus(key, direction);
        }
    }

    /// Focuses the next text field, as ENTER of the drawn keyboard does, and allows the keyboard to come. Elements of
    /// other kinds are skipped. Returns false at the last field, and if nothing has the focus; it does not start again
    /// at the first field.
    pub(super) fn next_field(&mut self) -> bool {
        let all = self.focusables();
        let Some(now) = self.focus_key() else {
            return false;
        };
        let mut behind = all.iter().skip_while(|(key, _)| *key != now).skip(1);
        let scene = self.scene();
        let next = behind.find(|(key, _)| scene.field(key).is_some());
        next.is_some_and(|(key, _)| {
            self.focus(key, None);
            true
        })
    }

    /// Focuses an element, and scrolls to it. In a field the caret is at its last place if the focus comes
    /// forwards, down or to the right, else at the end; the keyboard stays as it is if a field had the focus
    /// before, and else goes.
    fn give_focus(&mut self, key: &str, direction: Direction) {
        if self.scene().field(key).is_some() {
            // AOSP, `ArrowKeyMovementMethod.onTakeFocus`: only forwards and downwards the caret stays.
            let keeps = matches!(
                direction,
                Direction::Forward | Direction::Down | Direction::Right
            );
            // A touch brings the keyboard, and a key does not; one that is there stays.
            if self.focused_field().is_none() {
                self.keyboard.hide();
            }
            self.enter_field(key, (!keeps).then_some(usize::MAX));
            return;
        }
        let key = key.to_owned();
        self.view(|view| {
            view.focus = None;
            view.key_focus = Some(key.clone());
        });
        self.show_key(&key);
    }

    /// Focuses a field and shows the keyboard. Without `caret`, the caret is at its last place there.
    pub(super) fn focus(&mut self, key: &str, caret: Option<usize>) {
        self.keyboard.allow();
        self.enter_field(key, caret);
    }

    /// Focuses a field and scrolls to it. The keyboard stays as it is. The caret is at `caret`, else at its last
    /// place in this field, else at the start, but never beyond the text.
    fn enter_field(&mut self, key: &str, caret: Option<usize>) {
        let field = self.scene().field(key);
        let end = field.map_or(0, |field| field.text.chars().count());
        let last = self
            .tasks
            .front()
            .and_then(|(_, it)| it.view.carets.get(key));
        let caret = caret.or(last.copied()).unwrap_or(0).min(end);
        self.set_focus(Focus::new(key, caret));
        self.show_key(key);
    }

    /// Sets the focus to a field, and stores its caret for the next time. An element focused by keys loses its
    /// focus, and the caret becomes visible. Nothing is checked. Redraws.
    pub(super) fn set_focus(&mut self, focus: Focus) {
        self.show_caret();
        self.view(|view| {
            view.key_focus = None;
            view.carets.insert(focus.key.clone(), focus.caret);
            view.focus = Some(focus);
        });
    }

    /// Clicks the centre of the focused element. Returns false if it is a field, nothing has the focus, or the element
    /// does nothing when tapped. A slider is not clicked, and the result is true.
    pub(super) fn press_focused(&mut self) -> bool {
        let focused = self.focused_element();
        let Some(hit) = focused.filter(|hit| hit.element.field.is_none()) else {
            return false;
        };
        let is_slider = matches!(hit.element.on_tap, Some(TouchAction::Slide { .. }));
        if !is_slider {
            self.click_now(&hit, hit.rect.center());
        }
        hit.element.on_tap.is_some()
    }
}

/// Returns the focusable elements in and below `placed`, from top to bottom, then from left to right.
fn focusables_in(placed: &LayoutNode) -> Vec<(String, Rect)> {
    let mut found = Vec::new();
    add_focusables(placed, &mut found);
    found.sort_by_key(|(_, rect)| (rect.top, rect.left));
    found
}

/// Adds the keys and bounds of the focusable elements in and below `placed`, parents first. Disabled elements
/// and those without a key are left out. A scrolling container is focusable only if nothing in it is.
fn add_focusables(placed: &LayoutNode, found: &mut Vec<(String, Rect)>) {
    let before = found.len();
    for child in &placed.children {
        add_focusables(child, found);
    }
    let element = &placed.element;
    let is_container = element.layout.scroll.is_some();
    let takes = element.node.focusable && element.node.enabled && !element.key.is_empty();
    if takes && (!is_container || found.len() == before) {
        found.insert(before, (element.key.clone(), placed.rect));
    }
}

/// Returns the candidate to which an arrow key moves the focus from a rectangle. One straight ahead,
/// which overlaps it across the direction, comes before any beside, then the one with the smallest
/// [`weight`], then the first in `all`. Returns `None` if none is ahead; the rectangle itself never is.
fn nearest(all: &[(String, Rect)], from: Rect, direction: Direction) -> Option<&(String, Rect)> {
    let from = turned(from, direction);
    let ahead = all
        .iter()
        .filter(|(_, rect)| is_ahead(from, turned(*rect, direction)));
    ahead.min_by(|(_, one), (_, two)| {
        let (one, two) = (turned(*one, direction), turned(*two, direction));
        // An element straight ahead comes before one beside.
        let beam = is_in_way(from, two).cmp(&is_in_way(from, one));
        beam.then_with(|| weight(from, one).cmp(&weight(from, two)))
    })
}

/// Turns a rectangle so that the direction is down. Forward and backward leave it as it is.
fn turned(rect: Rect, direction: Direction) -> Rect {
    match direction {
        Direction::Up => Rect::new(rect.left, -rect.bottom, rect.right, -rect.top),
        Direction::Left => Rect::new(rect.top, -rect.right, rect.bottom, -rect.left),
        Direction::Right => Rect::new(rect.top, rect.left, rect.bottom, rect.right),
        _ => rect,
    }
}

fn is_ahead(from: Rect, to: Rect) -> bool {
    (from.top < to.top || from.bottom <= to.top) && from.bottom < to.bottom
}

fn is_in_way(from: Rect, to: Rect) -> bool {
    to.right > from.left && to.left < from.right
}

/// Returns the weight of the way between two rectangles that [`turned`] has turned: 13 times the square of the
/// distance ahead, and the square of the distance of the centres aside (AOSP, `getWeightedDistanceFor`).
fn weight(from: Rect, to: Rect) -> i64 {
    let ahead = i64::from((to.top - from.bottom).max(0));
    let middle = |rect: Rect| i64::from(rect.left) + i64::from(rect.right);
    let beside = (middle(from) - middle(to)).abs() / 2;
    13 * ahead * ahead + beside * beside
}
