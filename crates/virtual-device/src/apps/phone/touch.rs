//! A finger: taps, long presses, drags that scroll, flings.

use std::time::Duration;

use super::{VirtualPhone, WindowName};
use crate::apps::ui::{Axis, Element, LayoutNode, TouchAction};
use crate::{Touch, touch_panel};
use runner_screen::{Point, Rect};

/// A finger that moves less is still, in dp.
const SLOP: f32 = 8.0;
/// A finger that stays this long presses long.
const LONG: Duration = Duration::from_millis(500);
/// A finger that leaves slower does not fling, in dp a second.
const FLING: f32 = 250.0;

/// What a finger came down on.
struct HitTarget {
    element: Element,
    rect: Rect,
}

impl VirtualPhone {
    pub(super) fn take_touch(&mut self, touch: &Touch) {
        let (Some((down, _)), Some((up, lasted))) =
            (touch.path.first().copied(), touch.path.last().copied())
        else {
            return;
        };
        let window = self.scene().window_at(down).map(|window| window.name);
        if self.is_hung(window) || self.touch_hosted(std::slice::from_ref(touch)) {
            return;
        }
        let slop = (SLOP * self.settings.metrics().scale) as i32;
        let is_still = |at: Point| (at.x - down.x).abs() <= slop && (at.y - down.y).abs() <= slop;
        let still = touch.path.iter().take_while(|(at, _)| is_still(*at));
        let held = still.last().map_or(Duration::ZERO, |(_, at)| *at);
        if touch.path.iter().all(|(at, _)| is_still(*at)) {
            if lasted >= LONG {
                self.long_press(down);
            } else {
                self.tap(down);
            }
        } else if held < LONG || !self.long_press(down) {
            // What took the long press has the finger until it leaves: nothing scrolls then.
            self.drag(touch, down, up);
        }
    }

    /// Several fingers: side by side they scroll as one does; a pinch finds nothing here that zooms.
    pub(super) fn take_fingers(&mut self, fingers: &[Touch]) {
        if self.touch_hosted(fingers) {
            return;
        }
        let side_by_side =
            touch_panel::scale(fingers).is_some_and(|scale| (0.9..1.1).contains(&scale));
        let Some(first) = fingers.first().filter(|_| side_by_side) else {
            return;
        };
        let (Some((down, _)), Some((up, _))) = (first.path.first(), first.path.last()) else {
            return;
        };
        if (down.x - up.x).abs().max((down.y - up.y).abs())
            > (SLOP * self.settings.metrics().scale) as i32
        {
            self.drag(first, *down, *up);
        }
    }

    fn tap(&mut self, at: Point) {
        if let Some(hit) = self.hit(at, |element| element.on_tap.is_some())
            && let Some(reaction) = &hit.element.on_tap
        {
            let caret = self.caret_near(&hit.element.key, at);
            self.react(reaction, &hit.element, hit.rect, at);
            if let (TouchAction::Focus, Some(caret)) = (reaction, caret) {
                self.focus(&hit.element.key, Some(caret));
            }
        }
    }

    /// A long press selects nothing here; it focuses a field, and otherwise does what a tap does not: nothing. Says whether
    /// something took it.
    fn long_press(&mut self, at: Point) -> bool {
        let hit = self.hit(at, |element| element.on_tap.is_some());
        let field = hit.filter(|hit| hit.element.on_tap == Some(TouchAction::Focus));
        if let Some(field) = &field {
            self.focus(&field.element.key, None);
        }
        field.is_some()
    }

    /// The innermost element below a point that is wanted; disabled ones swallow the touch.
    fn hit(&self, at: Point, wanted: impl Fn(&Element) -> bool) -> Option<HitTarget> {
        let window = self.scene().window_at(at)?;
        let mut found = None;
        window.placed.walk(&mut |placed| {
            if placed
                .visible()
                .is_some_and(|observed| observed.contains(at))
            {
                let node = &placed.element.node;
                if wanted(&placed.element) {
                    // Parents come first, so the last one found is the innermost.
                    found = Some(placed);
                } else if node.clickable && !node.enabled {
                    found = None;
                }
            }
        });
        found.map(|placed| HitTarget {
            element: Element {
                children: Vec::new(),
                ..placed.element.clone()
            },
            rect: placed.rect,
        })
    }

    fn drag(&mut self, touch: &Touch, down: Point, up: Point) {
        if self.drag_system(down, up) {
            return;
        }
        let across = up.x.abs_diff(down.x) > up.y.abs_diff(down.y);
        let axis = if across {
            Axis::Horizontal
        } else {
            Axis::Vertical
        };
        let along = |at: Point| if across { at.x } else { at.y };
        let scrolling = self.scrolling_at(down, axis);
        // As on Android a slider leaves a path up or down to what scrolls around it.
        if (across || scrolling.is_none())
            && let Some(hit) = self.hit(down, |element| {
                matches!(element.on_tap, Some(TouchAction::Slide { .. }))
            })
            && let Some(reaction) = &hit.element.on_tap
        {
            self.react(reaction, &hit.element, hit.rect, up);
            return;
        }
        let Some((name, key, range)) = scrolling else {
            return;
        };
        let by = along(down).saturating_sub(along(up));
        let fling = self.fling(touch, along);
        self.scroll(name, &key, by.saturating_add(fling), range);
    }

    /// Drags from the edge of the screen: the shade from above, closing it upwards.
    fn drag_system(&mut self, down: Point, up: Point) -> bool {
        let from = self.scene().window_at(down).map(|window| window.name);
        let moved = self.overlay.drag(from, up.y > down.y);
        if moved {
            self.changed();
        }
        moved
    }

    /// The innermost view below a point that scrolls along an axis: its window, key and range.
    fn scrolling_at(&self, at: Point, axis: Axis) -> Option<(WindowName, String, i32)> {
        let window = self.scene().window_at(at)?;
        let mut found = None;
        window.placed.walk(&mut |placed| {
            if placed.scroll_range > 0
                && placed.element.layout.scroll == Some(axis)
                && placed
                    .visible()
                    .is_some_and(|observed| observed.contains(at))
            {
                found = Some((window.name, placed.element.key.clone(), placed.scroll_range));
            }
        });
        found
    }

    fn scroll(&mut self, name: WindowName, key: &str, by: i32, range: i32) {
        let offsets = match name {
            WindowName::App | WindowName::Dialog | WindowName::Menu => {
                self.tasks.front_mut().map(|screen| &mut screen.view.scroll)
            }
            _ => Some(&mut self.overlay.scroll),
        };
        if let Some(offsets) = offsets {
            let offset = offsets.entry(key.to_owned()).or_insert(0);
            // Since it was scrolled, its contents may have become shorter.
            *offset = (offset.clamp(&mut 0, &mut range.clone()).saturating_add(by)).clamp(0, range);
        }
        self.changed();
    }

    /// How far the view rolls on after the finger has left, as Android's overscroller has it. 0 for a slow finger.
    fn fling(&self, touch: &Touch, along: impl Fn(Point) -> i32) -> i32 {
        let Some((last, end)) = touch.path.last().copied() else {
            return 0;
        };
        // As long as Android's velocity tracker looks back.
        let window = Duration::from_millis(100);
        let early = touch
            .path
            .iter()
            .rfind(|(_, at)| *at + window < end)
            .or_else(|| touch.path.first());
        let Some((first, begin)) = early.copied() else {
            return 0;
        };
        let seconds = (end.saturating_sub(begin)).as_secs_f64();
        if seconds <= 0.0 {
            return 0;
        }
        let speed = f64::from(along(first) - along(last)) / seconds;
        let threshold = f64::from(FLING * self.settings.metrics().scale);
        if speed.abs() < threshold {
            return 0;
        }
        // OverScroller's numbers: friction, gravity in inches, a density-dependent coefficient, the spline's decay.
        let coefficient = 9.806_65 * 39.37 * f64::from(self.settings.density()) * 0.84 * 0.015;
        let decay = 0.78_f64.ln() / 0.9_f64.ln();
        let power = (0.35 * speed.abs() / coefficient).ln() * decay / (decay - 1.0);
        let distance = coefficient * power.exp();
        (distance * speed.signum()).round() as i32
    }

    /// Scrolls so that the element with a key is seen.
    pub(super) fn show_key(&mut self, key: &str) {
        let mut way = Vec::new();
        let Some(window) = self.scene().focused() else {
            return;
        };
        let name = window.name;
        if !path_to(&window.placed, key, &mut way) {
            return;
        }
        let Some(target) = way.last().map(|placed| placed.rect) else {
            return;
        };
        let Some(view) = way.iter().rev().find(|placed| {
            placed.scroll_range > 0 && placed.element.layout.scroll == Some(Axis::Vertical)
        }) else {
            return;
        };
        let room = view.rect;
        let (view_key, range) = (view.element.key.clone(), view.scroll_range);
        let by = if target.bottom > room.bottom {
            target.bottom - room.bottom + 20
        } else if target.top < room.top {
            target.top - room.top - 20
        } else {
            return;
        };
        self.scroll(name, &view_key, by, range);
    }
}

fn path_to<'a>(placed: &'a LayoutNode, key: &str, way: &mut Vec<&'a LayoutNode>) -> bool {
    way.push(placed);
    if placed.element.key == key || placed.children.iter().any(|child| path_to(child, key, way)) {
        return true;
    }
    way.pop();
    false
}
