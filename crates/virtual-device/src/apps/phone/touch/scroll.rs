//! Views that scroll: by a finger, and in a fling after it.

use std::time::Duration;

use super::fling::{Fling, Sample, speed};
use crate::apps::phone::{VirtualPhone, WindowName};
use crate::apps::ui::{Axis, LayoutNode};
use runner_screen::Point;

/// Time after which a finger that rested before it left has no speed (`VelocityTracker`,
/// `ASSUME_POINTER_STOPPED_TIME`).
const STOPPED: Duration = Duration::from_millis(40);

#[derive(Clone, PartialEq)]
pub(super) struct Scroller {
    window: WindowName,
    key: String,
    axis: Axis,
    /// Greatest scroll offset, in pixels.
    pub range: i32,
    /// Scrolling begins at the finger's place when it is taken from a button, so the movement before is lost.
    /// A list view is different: it loses only the slop.
    pub loses_start: bool,
}

pub(super) struct ActiveFling {
    scroll: Scroller,
    /// Screen that was in front as it began: its app, and its place in the app's stack.
    screen: Option<(String, usize)>,
    from: i32,
    began: Duration,
    fling: Fling,
}

impl Scroller {
    /// Returns the scrolling view at `placed`, or `None` if it is of a kind that never scrolls. One whose
    /// contents fit has a range of 0.
    pub fn new(window: WindowName, placed: &LayoutNode) -> Option<Self> {
        Some(Self {
            window,
            key: placed.element.key.clone(),
            axis: placed.element.layout.scroll?,
            range: placed.scroll_range,
            loses_start: !placed.element.node.class.ends_with("ListView"),
        })
    }

    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the coordinate of a point along the axis.
    pub fn along(&self, at: Point) -> i32 {
        match self.axis {
            Axis::Horizontal => at.x,
            Axis::Vertical => at.y,
        }
    }
}

impl VirtualPhone {
    /// Returns the stored scroll position of a view, which begins at 0. A view of an app is looked up by its key in
    /// the screen that is in front now; returns `None` if none is.
    fn offset(&mut self, scroll: &Scroller) -> Option<&mut i32> {
        let offsets = if scroll.window.is_of_screen() {
            &mut self.tasks.front_mut()?.view.scroll
        } else {
            &mut self.overlay.scroll
        };
        Some(offsets.entry(scroll.key.clone()).or_insert(0))
    }

    /// Scrolls by some pixels, negative to the start, as far as the content goes. Redraws in any case.
    pub(super) fn scroll(&mut self, scroll: &Scroller, by: i32) {
        if let Some(offset) = self.offset(scroll) {
            // Since it was scrolled, its contents may have become shorter.
            let now = (*offset).clamp(0, scroll.range);
            *offset = now.saturating_add(by).clamp(0, scroll.range);
        }
        self.changed();
    }

    /// Starts a fling if the finger was fast enough along the view's axis when it left. A finger that rested for more
    /// than [`STOPPED`] first starts none.
    pub(super) fn start_fling(&mut self, scroll: Scroller, samples: &[Sample]) {
        let now = self.clock.now();
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
        let Some(from) = self.offset(&scroll).map(|offset| *offset) else {
            return;
        };
        let screen = self.screen_in_front();
        self.touches.flings.push(ActiveFling {
            scroll,
            screen,
            from,
            began: now,
            fling,
        });
    }

    /// Returns the app of the screen in front, and the screen's place in its stack.
    fn screen_in_front(&self) -> Option<(String, usize)> {
        let (task, _) = self.tasks.front()?;
        Some((task.package.clone(), task.stack.len()))
    }

    /// Moves flinging views to their offset now. Flings that are over or have reached an end are removed, and those of
    /// a screen that is not in front any more: a view of another screen may have the same key.
    pub(in crate::apps::phone) fn advance_flings(&mut self) {
        let now = self.clock.now();
        for active in std::mem::take(&mut self.touches.flings) {
            let is_of_screen = active.scroll.window.is_of_screen();
            if is_of_screen && active.screen != self.screen_in_front() {
                continue;
            }
            let time = now.saturating_sub(active.began);
            let range = active.scroll.range;
            let place = active.from.saturating_add(active.fling.at(time));
            if let Some(offset) = self.offset(&active.scroll) {
                *offset = place.clamp(0, range);
            }
            self.changed();
            if time < active.fling.duration() && (0..=range).contains(&place) {
                self.touches.flings.push(active);
            }
        }
    }

    /// Stops the fling of one of these views, the one that began last, and returns that view. All flings move
    /// on to their place now first. Returns `None` if none of them flings.
    pub(super) fn stop_fling(&mut self, scrolls: &[Scroller]) -> Option<Scroller> {
        self.advance_flings();
        let active = &mut self.touches.flings;
        let is_one = |active: &ActiveFling| {
            let same = |scroll: &Scroller| {
                scroll.key == active.scroll.key && scroll.window == active.scroll.window
            };
            scrolls.iter().any(same)
        };
        let index = active.iter().rposition(is_one)?;
        Some(active.remove(index).scroll)
    }

    /// Returns the time until the last fling is over, or zero if nothing flings. A fling that reaches an end of the
    /// content earlier counts in full.
    pub(in crate::apps::phone) fn fling_time(&self) -> Duration {
        let now = self.clock.now();
        let left = self.touches.flings.iter();
        left.map(|active| (active.began + active.fling.duration()).saturating_sub(now))
            .max()
            .unwrap_or_default()
    }
}
