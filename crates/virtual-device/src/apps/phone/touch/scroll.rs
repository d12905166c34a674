//! What scrolls: by a finger, and by itself after that.

use std::time::Duration;

use super::fling::{Fling, Sample, speed};
use crate::apps::phone::{VirtualPhone, WindowName};
use crate::apps::ui::{Axis, LayoutNode};
use runner_screen::Point;

/// A finger that has rested so long before it leaves has no speed (`VelocityTracker`, `ASSUME_POINTER_STOPPED_TIME`).
const STOPPED: Duration = Duration::from_millis(40);

/// A view that scrolls.
#[derive(Clone, PartialEq)]
pub(super) struct Scroll {
    window: WindowName,
    key: String,
    axis: Axis,
    /// How far it scrolls, in pixels.
    pub range: i32,
    /// When it takes a finger from a button, it begins where the finger then is: what was moved before is lost. A list view
    /// goes after it but for the slop.
    pub loses_start: bool,
}

/// A view that scrolls by itself.
pub(super) struct Rolling {
    scroll: Scroll,
    from: i32,
    began: Duration,
    fling: Fling,
}

impl Scroll {
    /// The view at a place of a window; `None` for one that never scrolls.
    pub fn of(window: WindowName, placed: &LayoutNode) -> Option<Self> {
        Some(Self {
            window,
            key: placed.element.key.clone(),
            axis: placed.element.layout.scroll?,
            range: placed.scroll_range,
            loses_start: !placed.element.node.class.ends_with("ListView"),
        })
    }

    /// The part of a place that counts for it.
    pub fn along(&self, at: Point) -> i32 {
        match self.axis {
            Axis::Horizontal => at.x,
            Axis::Vertical => at.y,
        }
    }
}

impl VirtualPhone {
    /// The views below a point that scroll, outermost first.
    pub(super) fn scrolls_at(&self, at: Point) -> Vec<Scroll> {
        let mut found = Vec::new();
        if let Some(window) = self.scene().window_at(at) {
            window.placed.walk(&mut |placed| {
                if placed.visible().is_some_and(|part| part.contains(at)) {
                    found.extend(Scroll::of(window.name, placed));
                }
            });
        }
        found
    }

    fn offset(&mut self, scroll: &Scroll) -> Option<&mut i32> {
        let offsets = match scroll.window {
            WindowName::App | WindowName::Dialog | WindowName::Menu => {
                &mut self.tasks.front_mut()?.view.scroll
            }
            _ => &mut self.overlay.scroll,
        };
        Some(offsets.entry(scroll.key.clone()).or_insert(0))
    }

    /// Scrolls by some pixels, as far as there is something.
    pub(super) fn scroll(&mut self, scroll: &Scroll, by: i32) {
        if let Some(offset) = self.offset(scroll) {
            // Since it was scrolled, its contents may have become shorter.
            let now = (*offset).clamp(0, scroll.range);
            *offset = now.saturating_add(by).clamp(0, scroll.range);
        }
        self.changed();
    }

    /// Lets it roll on, where the finger was quick enough.
    pub(super) fn roll(&mut self, scroll: Scroll, samples: &[Sample], now: Duration) {
        let last = samples.last().map_or(now, |(_, at)| *at);
        if now.saturating_sub(last) > STOPPED {
            return;
        }
        let (across, down) = speed(samples);
        let speed = match scroll.axis {
            Axis::Horizontal => -across,
            Axis::Vertical => -down,
        };
        let Some(fling) = Fling::new(speed, self.settings.density()) else {
            return;
        };
        let began = self.clock.now();
        let Some(from) = self.offset(&scroll).map(|offset| *offset) else {
            return;
        };
        self.touches.rolling.push(Rolling {
            scroll,
            from,
            began,
            fling,
        });
    }

    /// Moves what rolls to where it is now.
    pub(in crate::apps::phone) fn roll_on(&mut self) {
        let now = self.clock.now();
        for rolling in std::mem::take(&mut self.touches.rolling) {
            let time = now.saturating_sub(rolling.began);
            let range = rolling.scroll.range;
            let place = rolling.from.saturating_add(rolling.fling.at(time));
            if let Some(offset) = self.offset(&rolling.scroll) {
                *offset = place.clamp(0, range);
            }
            self.changed();
            if time < rolling.fling.duration() && (0..=range).contains(&place) {
                self.touches.rolling.push(rolling);
            }
        }
    }

    /// Stops the innermost of these views that rolls.
    pub(super) fn stop_rolling(&mut self, scrolls: &[Scroll]) -> Option<Scroll> {
        self.roll_on();
        let rolling = &mut self.touches.rolling;
        let is_one = |rolling: &Rolling| {
            let same = |scroll: &Scroll| {
                scroll.key == rolling.scroll.key && scroll.window == rolling.scroll.window
            };
            scrolls.iter().any(same)
        };
        let index = rolling.iter().rposition(is_one)?;
        Some(rolling.remove(index).scroll)
    }

    /// The time until nothing rolls any more.
    pub(in crate::apps::phone) fn rolling_time(&self) -> Duration {
        let now = self.clock.now();
        let left = self.touches.rolling.iter();
        left.map(|rolling| (rolling.began + rolling.fling.duration()).saturating_sub(now))
            .max()
            .unwrap_or_default()
    }
}
