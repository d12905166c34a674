//! Touches and the gestures they make: taps, scrolls, slides, drags.
//!
//! The rules are those of AOSP's `View.onTouchEvent`, `ScrollView`, `AbsListView` and `AbsSeekBar`;
//! `tests/android/rows/touch.yaml` and `scroll.yaml` compare each with Android's framework.

mod beside;
mod fling;
mod gesture;
mod page;
mod scroll;

use std::collections::BTreeMap;
use std::time::Duration;

use super::clock::Task;
use super::{VirtualPhone, WindowName};
use crate::Touch;
use crate::app_host::{FingerPath, PointerAction, PointerEvent};
use crate::apps::ui::{Element, LayoutNode, TouchAction};
use beside::FirstTap;
use gesture::{Gesture, GestureState};
use runner_screen::{Point, Rect};
use scroll::{ActiveFling, Scroller};

/// Distance that a finger may move and still tap, in dp (`ViewConfiguration.TOUCH_SLOP`).
const SLOP: f32 = 8.0;
/// Time after which a finger that stays makes a long press (`ViewConfiguration.DEFAULT_LONG_PRESS_TIMEOUT`).
const LONG_PRESS: Duration = Duration::from_millis(400);
/// Longest time between the two taps of a double tap (`ViewConfiguration.DOUBLE_TAP_TIMEOUT`).
const DOUBLE_TAP: Duration = Duration::from_millis(300);
/// Longest distance between the two taps of a double tap, in dp (`ViewConfiguration.DOUBLE_TAP_SLOP`).
const DOUBLE_TAP_SLOP: f32 = 100.0;
/// Time for which a row of a list looks pressed before it clicks
/// (`ViewConfiguration.PRESSED_STATE_DURATION`).
const PRESSED: Duration = Duration::from_millis(64);

/// Fingers that are down, and flings that continue after them.
#[derive(Default)]
pub(super) struct Touches {
    /// Gestures by the finger's number.
    gestures: BTreeMap<usize, Gesture>,
    flings: Vec<ActiveFling>,
    /// Time by which the phone's clock is ahead of the device's, because whole gestures have advanced it.
    lead: Duration,
    /// The last tap in a field: time, place, and the field's key.
    tap: Option<(Duration, Point, String)>,
    /// The last gesture, if others are sent beside it.
    beside: Option<FirstTap>,
    /// Path of the first finger on a host's window, until the last one leaves.
    pub(super) hosted: Option<FingerPath>,
}

/// An element below a finger, with its bounds.
#[derive(Clone)]
pub(super) struct HitTarget {
    pub element: Element,
    pub rect: Rect,
}

impl HitTarget {
    pub fn new(placed: &LayoutNode) -> Self {
        Self {
            element: placed.element.clone(),
            rect: placed.rect,
        }
    }

    /// Returns true for the area beside a popup.
    pub fn closes_popup(&self) -> bool {
        self.element.on_tap == Some(TouchAction::ClosePopup(false))
            && self.element.node.class.is_empty()
    }
}

/// A click that happens some time after its finger has left.
pub(super) struct LateClick {
    hit: HitTarget,
    at: Point,
    front: Option<FrontScreen>,
}

/// Identity of the front screen: its package, and the numbers of its screens and of windows above the last
/// one.
pub(super) type FrontScreen = (String, usize, usize);

impl VirtualPhone {
    /// Performs gestures of fingers that are known as a whole. They advance the phone's clock by their duration, which
    /// later advances take off, except on a host's window: the host gets them on its own time. The second tap of a
    /// double tap is lost if the first has opened a screen.
    pub(super) fn take_fingers(&mut self, fingers: &[Touch]) {
        if self.touch_hosted(fingers) || self.is_for_last_screen(fingers) {
            return;
        }
        let begin = self.clock.now();
        for event in PointerEvent::stream(fingers) {
            let at = begin + Duration::from_millis(event.t);
            let wait = at.saturating_sub(self.clock.now());
            if !wait.is_zero() {
                self.pass_time(wait);
                self.touches.lead += wait;
            }
            self.take_pointer(&event);
        }
    }

    /// Returns the part of `by` that must still pass: gestures may have advanced the clock already. The time
    /// that they took is used up by this.
    pub(super) fn time_left(&mut self, by: Duration) -> Duration {
        let taken = by.min(self.touches.lead);
        self.touches.lead = self.touches.lead.saturating_sub(taken);
        by.saturating_sub(taken)
    }

    /// Handles one pointer event as it arrives. A cancelled gesture is dropped for all fingers, without a click. An
    /// event whose `index` names no pointer is ignored.
    pub(super) fn take_pointer(&mut self, event: &PointerEvent) {
        if event.action == PointerAction::Cancel {
            self.touches.gestures.clear();
            return;
        }
        let Some(pointer) = event.pointers.get(event.index) else {
            return;
        };
        let (id, place) = (pointer.id as usize, pointer.place());
        match event.action {
            PointerAction::Down | PointerAction::PointerDown => self.finger_down(id, place),
            PointerAction::Move => {
                for pointer in &event.pointers {
                    self.finger_move(pointer.id as usize, pointer.place());
                }
            }
            PointerAction::Up | PointerAction::PointerUp => self.finger_up(id, place),
            PointerAction::Cancel => {}
        }
    }

    fn slop(&self) -> i32 {
        (SLOP * self.settings.metrics().scale) as i32
    }

    /// Begins a gesture at the window under the finger, except in an app that hangs. Enters touch mode, cancels
    /// clicks that wait, and stops a fling there. A slider that no view around scrolls moves at once. A drop-down
    /// beside which it comes down closes, without a gesture.
    fn finger_down(&mut self, id: usize, at: Point) {
        let window = self.scene().window_at(at).map(|window| window.name);
        if self.is_hung(window) {
            return;
        }
        self.enter_touch_mode();
        // A list that is touched again forgets the click that it has still to make (AOSP, `AbsListView.onTouchDown`).
        self.clock.cancel_clicks();
        let mut gesture = Gesture::new(at, self.clock.now());
        gesture.window = window;
        self.hit(&mut gesture);
        // A drop-down closes as soon as a finger comes down beside it, a dialog once it leaves.
        if window == Some(WindowName::Menu) && gesture.closes_popup() {
            self.close_popup(false);
            return;
        }
        // A touch on content that flings stops it and is not a click.
        let stopped = self.stop_fling(&gesture.scrollers);
        if let Some(scroll) = stopped {
            gesture.state = GestureState::Scrolling(scroll, at);
        } else if gesture.is_slider() && gesture.scrollers.is_empty() {
            gesture.state = GestureState::Sliding;
            self.slide(&gesture, at);
        }
        self.share(&mut gesture, at);
        self.touches.gestures.insert(id, gesture);
    }

    /// Handles a further finger. In a scrolling view it takes over; on a button the first finger stays in
    /// charge. A finger on the view of the first, or beside one that no view handles, is ignored.
    fn share(&mut self, gesture: &mut Gesture, at: Point) {
        for other in self.touches.gestures.values_mut() {
            if let GestureState::Scrolling(scroll, _) = &other.state {
                gesture.state = GestureState::Scrolling(scroll.clone(), at);
                other.state = GestureState::Ignored;
            } else if !other.has_target() || other.is_same(gesture) {
                // A gesture that no view handles stays unhandled, and a view follows its first finger only.
                gesture.target = None;
                gesture.state = GestureState::Ignored;
            } else if other.scrollers == gesture.scrollers {
                if other.is_direct() {
                    other.state = GestureState::Ignored;
                } else {
                    gesture.scrollers.clear();
                }
            }
        }
    }

    /// Moves a finger: goes on with its scroll or slide, or begins one. A finger that is not down is ignored.
    fn finger_move(&mut self, id: usize, at: Point) {
        let Some(mut gesture) = self.touches.gestures.remove(&id) else {
            return;
        };
        self.press_long(&mut gesture);
        gesture.sample(at, self.clock.now());
        match &mut gesture.state {
            GestureState::Pending => self.first_move(&mut gesture, at),
            GestureState::Scrolling(scroll, last) => {
                let by = scroll.along(*last).saturating_sub(scroll.along(at));
                *last = at;
                let scroll = scroll.clone();
                self.scroll(&scroll, by);
            }
            GestureState::Sliding => self.slide(&gesture, at),
            GestureState::Ignored => {}
        }
        self.touches.gestures.insert(id, gesture);
    }

    /// Starts a scroll or a slide once a pending finger has moved by more than the slop; a slider is moved sideways
    /// only. The outermost view that can scroll that way is scrolled; the slop is lost, and on a button all of the way
    /// so far unless it is in a list. Otherwise it records that the finger has left its target. After a long press only
    /// a slider moves.
    fn first_move(&mut self, gesture: &mut Gesture, at: Point) {
        let slop = self.slop();
        if gesture.is_slider() && at.x.abs_diff(gesture.down.x) > slop.unsigned_abs() {
            gesture.state = GestureState::Sliding;
            self.slide(gesture, at);
            return;
        }
        if gesture.has_long_pressed {
            return;
        }
        let taking = gesture.scrollers.iter();
        let taking = taking.filter(|scroll| scroll.range > 0);
        let taking = taking.map(|scroll| {
            (
                scroll,
                scroll.along(gesture.down).saturating_sub(scroll.along(at)),
            )
        });
        if let Some((scroll, way)) = taking
            .clone()
            .find(|(_, way)| way.unsigned_abs() > slop.unsigned_abs())
        {
            let by = if scroll.loses_start && !gesture.is_direct() {
                0
            } else {
                way.saturating_sub(slop * way.signum())
            };
            let scroll = scroll.clone();
            gesture.state = GestureState::Scrolling(scroll.clone(), at);
            self.scroll(&scroll, by);
            return;
        }
        gesture.leave(at, slop);
    }

    /// Ends a finger's gesture: a drag of the system, a fling, a slide, or a click if it has stayed on its target.
    /// If it scrolled, another finger that is down goes on.
    fn finger_up(&mut self, id: usize, at: Point) {
        let now = self.clock.now();
        let Some(mut gesture) = self.touches.gestures.remove(&id) else {
            return;
        };
        self.press_long(&mut gesture);
        if self.drag_system(&gesture, at) {
            return;
        }
        match gesture.state.clone() {
            GestureState::Scrolling(scroll, _) => {
                // The remaining finger takes over.
                if let Some(other) = self.touches.gestures.values_mut().next() {
                    let place = other.samples.last().map_or(other.down, |(place, _)| *place);
                    other.state = GestureState::Scrolling(scroll, place);
                } else {
                    self.start_fling(scroll, &gesture.samples);
                }
            }
            GestureState::Sliding => self.slide(&gesture, at),
            GestureState::Pending if gesture.is_slider() => self.slide(&gesture, at),
            GestureState::Pending if !gesture.has_left && !gesture.has_long_pressed => {
                // A dialog closes where the finger leaves outside of it as well.
                let is_back_inside =
                    gesture.closes_popup() && !self.closes_popup_at(gesture.window, at);
                if let Some(hit) = gesture.target.take().filter(|_| !is_back_inside) {
                    self.click(hit, at, now);
                }
            }
            GestureState::Pending | GestureState::Ignored => {}
        }
    }

    /// Clicks an element. A row of a list is clicked a moment later by a timer, if its screen is still in front. A
    /// field gets the focus at once.
    fn click(&mut self, hit: HitTarget, at: Point, now: Duration) {
        if hit.element.clicks_late {
            let front = self.front_screen();
            let click = LateClick { hit, at, front };
            let package = self.front_package().unwrap_or_default();
            self.clock
                .after(PRESSED, &package, Task::Click(Box::new(click)));
        } else if hit.element.field.is_some() {
            self.tap_field(&hit, at, now);
        } else {
            self.click_now(&hit, at);
        }
    }

    pub(super) fn click_now(&mut self, hit: &HitTarget, at: Point) {
        if let Some(action) = &hit.element.on_tap {
            self.react(action, &hit.element, hit.rect, at);
        }
    }

    /// Performs a click whose time has come, if its screen is still in front.
    pub(super) fn click_late(&mut self, click: &LateClick) {
        if click.front == self.front_screen() {
            self.click_now(&click.hit, click.at);
        }
    }

    pub(super) fn front_screen(&self) -> Option<FrontScreen> {
        let (task, screen) = self.tasks.front()?;
        let above = screen.view.focus_behind.len();
        Some((task.package.clone(), task.stack.len(), above))
    }

    /// Handles a tap in a field: it sets the focus and the caret, and lets the keyboard come. The second of two
    /// within [`DOUBLE_TAP`] and [`DOUBLE_TAP_SLOP`] selects the word, but not to the right of its line's text.
    fn tap_field(&mut self, hit: &HitTarget, at: Point, now: Duration) {
        let key = &hit.element.key;
        let slop = (DOUBLE_TAP_SLOP * self.settings.metrics().scale) as u32;
        let is_second = self.touches.tap.take().is_some_and(|(time, place, field)| {
            let (across, down) = (place.x.abs_diff(at.x), place.y.abs_diff(at.y));
            field == *key && now.saturating_sub(time) <= DOUBLE_TAP && across.max(down) < slop
        });
        let caret = self.caret_near(key, at);
        self.focus(key, caret);
        if is_second && !self.is_right_of_text(key, at) {
            self.select_word();
        } else {
            self.touches.tap = Some((now, at, key.clone()));
        }
    }

    /// Selects the word below a finger that has stayed in a field for [`LONG_PRESS`], once a gesture. To the right
    /// of its line's text it only sets the caret. It is called when the finger moves or leaves, not when the time
    /// is over. Other elements have no long press: they click when the finger leaves.
    fn press_long(&mut self, gesture: &mut Gesture) {
        let held = self.clock.now().saturating_sub(gesture.began);
        let is_still = matches!(gesture.state, GestureState::Pending) && !gesture.has_left;
        if !is_still || gesture.has_long_pressed || held < LONG_PRESS {
            return;
        }
        let Some(field) = gesture
            .target
            .as_ref()
            .filter(|hit| hit.element.field.is_some())
        else {
            return;
        };
        let key = field.element.key.clone();
        let caret = self.caret_near(&key, gesture.down);
        gesture.has_long_pressed = true;
        self.focus(&key, caret);
        if !self.is_right_of_text(&key, gesture.down) {
            self.select_word();
        }
    }

    fn slide(&mut self, gesture: &Gesture, at: Point) {
        if let Some(hit) = &gesture.target {
            self.click_now(hit, at);
        }
    }

    /// Finds the target and the scrolling views, from outside to inside, of a finger that comes down in the
    /// gesture's window. There is no target if the innermost element does nothing when tapped; unless it scrolls,
    /// it swallows the touch.
    fn hit(&self, gesture: &mut Gesture) {
        let at = gesture.down;
        let window = gesture.window.and_then(|name| self.scene().window(name));
        let Some((window, path)) = window.and_then(|it| Some((it, it.placed.touch_path(at)?)))
        else {
            return;
        };
        let scrollers = path.iter();
        let scrollers = scrollers.filter_map(|placed| Scroller::new(window.name, placed));
        gesture.scrollers = scrollers.collect();
        let Some(last) = path.last() else {
            return;
        };
        gesture.target = last.element.on_tap.as_ref().map(|_| HitTarget::new(last));
        let is_scroller = last.element.layout.scroll.is_some();
        gesture.is_swallowed = gesture.target.is_none() && !is_scroller;
    }

    /// Returns true if a finger at a point is beside the contents of a popup.
    fn closes_popup_at(&self, window: Option<WindowName>, at: Point) -> bool {
        let mut there = Gesture::new(at, self.clock.now());
        there.window = window;
        self.hit(&mut there);
        there.closes_popup()
    }

    /// Handles a drag from the edge of the screen: down from the top opens the shade, up closes it. Returns true if
    /// the shade changes, so that the finger does nothing else, and false if the drag is short, more across than
    /// down, or changes nothing.
    fn drag_system(&mut self, gesture: &Gesture, up: Point) -> bool {
        let across = up.x.abs_diff(gesture.down.x);
        let down = up.y.abs_diff(gesture.down.y);
        if across.max(down) <= self.slop().unsigned_abs() || across > down {
            return false;
        }
        let moved = self.overlay.drag(gesture.window, up.y > gesture.down.y);
        if moved {
            self.changed();
        }
        moved
    }
}
