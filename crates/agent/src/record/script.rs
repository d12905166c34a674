//! Keeps the acts in order, and merges those that belong together as they come in.

use std::sync::Arc;

use serde_json::Map;

use super::act::{Act, Start, Touch, Typing, same_field};
use super::landmark::is_visible;
use super::{arrival, launcher, scrolling};
use runner_engine::{Direction, Readiness};
use runner_screen::{Screen, Selector};

/// Acts that are kept. Chosen: a flow of more is not a test.
pub(super) const MAX_ACTS: usize = 5_000;

/// Acts so far, with what is needed to merge the next one.
#[derive(Debug, Default)]
pub(super) struct Script {
    acts: Vec<Act>,
    /// Index of the first act that may still change: the running recording begins here.
    closed: usize,
    /// Scrolls and pauses at the end, whose goal is not known yet.
    pending_scrolls: Option<PendingScrolls>,
    /// Screens around the last scrolls with a known goal, as they may have brought further elements.
    scroll_targets: Option<ScrollTargets>,
    /// Number of acts beyond [`MAX_ACTS`].
    left_out: usize,
    /// Screen before the last act.
    before_last: Option<Arc<Screen>>,
    /// Index of the act from which on the launcher has been in front.
    launcher_start: Option<usize>,
    /// Index of a touch in the launcher that may still open an app.
    icon_touch: Option<usize>,
}

/// Scrolls and pauses in a row, whose goal is not known yet.
#[derive(Debug)]
struct PendingScrolls {
    from: usize,
    /// Screen before them.
    screen: Option<Arc<Screen>>,
}

/// Scrolls that became `scroll_to` one element. That step ends as soon as its element is visible, so others
/// that the scrolls brought may need a `scroll_to` of their own.
#[derive(Debug)]
struct ScrollTargets {
    /// Index of the `scroll_to`.
    at: usize,
    before: Arc<Screen>,
    after: Arc<Screen>,
    direction: Direction,
    within: Option<Box<Selector>>,
    scrolls: u32,
}

impl ScrollTargets {
    /// Returns true if the scrolls brought this element too, and it is still visible: the same activity is in
    /// front, and the element was not visible before them.
    fn has(&self, on: &Selector, now: &Screen) -> bool {
        now.foreground() == self.after.foreground()
            && is_visible(on, now)
            && is_visible(on, &self.after)
            && !is_visible(on, &self.before)
    }
}

impl Script {
    pub(super) fn len(&self) -> usize {
        self.acts.len()
    }

    /// Returns the acts from an index on.
    pub(super) fn since(&self, from: usize) -> &[Act] {
        self.acts.get(from..).unwrap_or_default()
    }

    pub(super) fn left_out(&self) -> usize {
        self.left_out
    }

    /// Ends the merging with earlier acts, when a recording begins or ends. Later acts change none of them.
    pub(super) fn close(&mut self) {
        self.closed = self.acts.len();
        self.pending_scrolls = None;
        self.scroll_targets = None;
        self.before_last = None;
        self.launcher_start = None;
        self.icon_touch = None;
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds an act, merged with the last ones if it belongs to them. `before` is the screen just before it.
    /// It may add a wait or a `scroll_to` before the act, or turn earlier touches into a launch. Beyond 5,000
    /// acts it is only counted as left out.
    pub(super) fn push(&mut self, act: Act, before: Option<&Arc<Screen>>) {
        if self.acts.len() >= MAX_ACTS {
            self.left_out += 1;
            return;
        }
        if let Some(before) = before {
            self.observe(before);
            self.track_launcher(&act, before);
            self.wait_before(&act, before);
        }
        match act {
            Act::Scroll { .. } | Act::Pause(_) => {
                // The elements that the earlier scrolls brought may be gone again.
                if matches!(act, Act::Scroll { .. }) {
                    self.scroll_targets = None;
                }
                if self.pending_scrolls.is_none() {
                    self.pending_scrolls = Some(PendingScrolls {
                        from: self.acts.len(),
                        screen: before.cloned(),
                    });
                }
                self.acts.push(act);
            }
            act => {
                self.resolve_scrolls(&act, before);
                self.add_second_scroll(&act, before);
                let is_touch = matches!(&act, Act::Touch { .. })
                    || matches!(&act, Act::Raw(raw) if raw.is_at_place());
                self.merge(act);
                if is_touch && before.is_some_and(|before| launcher::is_in_front(before)) {
                    self.icon_touch = Some(self.acts.len() - 1);
                }
            }
        }
        self.before_last = before.cloned();
    }

    /// Updates the index of the act since which the launcher has been in front. A `home` or `press_recents`
    /// just before leads there, so it counts.
    fn track_launcher(&mut self, act: &Act, before: &Screen) {
        if !launcher::is_in_front(before) {
            // A dialog of the system may come before the app.
            if self.icon_touch.is_none() {
                self.launcher_start = None;
            }
            return;
        }
        let last = self.acts.len().saturating_sub(1);
        let leads_there = |act: &Act| match act {
            Act::Word(word) => *word == "home",
            Act::Raw(raw) => raw.name == "press_recents",
            _ => false,
        };
        let went_home = self.last().is_some_and(|act| leads_there(act));
        let from = if went_home { last } else { self.acts.len() };
        self.launcher_start.get_or_insert(from);
        // The launcher is still in front, so the touch opened no app.
        if !matches!(act, Act::Pause(_)) {
            self.icon_touch = None;
        }
    }

    /// Replaces a touch in the launcher, and the acts in the launcher before it, by a launch without a stop,
    /// if its app is in front on this screen now. Does nothing while the launcher or a system dialog is in
    /// front.
    pub(super) fn observe(&mut self, screen: &Screen) {
        let Some((at, app)) = self.icon_touch.zip(launcher::app_in_front(screen)) else {
            return;
        };
        self.icon_touch = None;
        let from = self.launcher_start.take().unwrap_or(at).max(self.closed);
        let begins = |act: &Act| matches!(act, Act::Launch { app: known, .. } if known == app);
        let again = self.acts.iter().any(begins);
        let behind = self.acts.split_off((at + 1).min(self.acts.len()));
        let first_behind = self.acts.len();
        let led_there = self.acts.split_off(from.min(self.acts.len()));
        // For an app that was launched before, HOME stays: it sent that app to the background.
        self.acts.extend(
            led_there
                .into_iter()
                .filter(|act| again && *act == Act::Word("home")),
        );
        self.acts.push(Act::Launch {
            app: app.to_owned(),
            start: Start::Resumed,
            options: Map::new(),
        });
        // Scrolls and pauses since the touch begin at another index now.
        if let Some(pending) = &mut self.pending_scrolls {
            pending.from = (pending.from + self.acts.len()).saturating_sub(first_behind);
        }
        self.acts.extend(behind);
        // The index in it may have changed.
        self.scroll_targets = None;
    }

    /// Returns true if it is not known yet which app a touch in the launcher opened.
    pub(super) fn awaits_app(&self) -> bool {
        self.icon_touch.is_some()
    }

    /// Adds a wait for the new screen, if the last act led to one and this act does not wait by itself. The
    /// last act leads to none if it is an assertion, a scroll or a pause.
    fn wait_before(&mut self, act: &Act, before: &Screen) {
        let Some(last) = self.before_last.clone() else {
            return;
        };
        // Assertions wait by themselves, and scrolls and pauses lead to no other screen.
        let needs_none =
            |act: &Act| act.is_assertion() || matches!(act, Act::Scroll { .. } | Act::Pause(_));
        if self.last().is_none_or(|act| needs_none(act)) {
            return;
        }
        if let Some(on) = arrival::selector_to_await(act, &last, before) {
            self.acts.push(Act::Wait { on, limit: None });
        }
    }

    /// Turns the scrolls and pauses before this act into one `scroll_to` its element, if that was not visible before
    /// them, all went in one direction, and it is in what they may have scrolled. Pauses without a scroll before such
    /// an element are dropped. All stay as they were if the act has no element or one found by its order, or if the
    /// screen before them is unknown.
    fn resolve_scrolls(&mut self, act: &Act, now: Option<&Arc<Screen>>) {
        let Some(PendingScrolls {
            from,
            screen: Some(screen),
        }) = self.pending_scrolls.take()
        else {
            return;
        };
        // A selector by order finds something on every screen, so it does not show that the scrolls brought it.
        let Some(on) = act.target().filter(|on| !on.goes_by_order()) else {
            return;
        };
        // The element was visible before, so the scrolls had another goal.
        if is_visible(on, &screen) {
            return;
        }
        let is_brought = now.is_none_or(|now| scrolling::may_have_brought(on, &screen, now));
        let run = self.acts.get(from..).unwrap_or_default();
        let scrolls = run.iter().filter_map(|act| match act {
            Act::Scroll {
                direction, within, ..
            } => Some((*direction, within.clone())),
            _ => None,
        });
        let scrolls: Vec<(Direction, Option<Box<Selector>>)> = scrolls.collect();
        let Some((direction, within)) = scrolls.first().cloned() else {
            // Only pauses, which are not needed: steps wait for their element.
            self.acts.truncate(from);
            return;
        };
        // After scrolls in several directions no single one leads to the element, so they stay as they were.
        if is_brought && scrolls.iter().all(|scroll| scroll.0 == direction) {
            self.acts.truncate(from);
            let scrolls = u32::try_from(scrolls.len()).unwrap_or(u32::MAX);
            self.scroll_targets = now.map(|now| ScrollTargets {
                at: from,
                before: screen,
                after: Arc::clone(now),
                direction,
                within: within.clone(),
                scrolls,
            });
            self.acts.push(Act::ScrollTo {
                on: on.clone(),
                direction,
                within,
                scrolls,
            });
        }
    }

    /// Adds a `scroll_to` for this act's element, if the scrolls to an earlier element had brought it too.
    /// Does nothing if the acts since then scroll to it already.
    fn add_second_scroll(&mut self, act: &Act, now: Option<&Arc<Screen>>) {
        let (Some(scroll_targets), Some(now), Some(on)) = (&self.scroll_targets, now, act.target())
        else {
            return;
        };
        let since = self.acts.get(scroll_targets.at..).unwrap_or_default();
        let goes_there = |act: &Act| matches!(act, Act::ScrollTo { on: to, .. } if to == on);
        if on.goes_by_order() || since.iter().any(goes_there) || !scroll_targets.has(on, now) {
            return;
        }
        self.acts.push(Act::ScrollTo {
            on: on.clone(),
            direction: scroll_targets.direction,
            within: scroll_targets.within.clone(),
            scrolls: scroll_targets.scrolls,
        });
    }

    /// Returns the last act, if it may still change.
    fn last(&mut self) -> Option<&mut Act> {
        self.acts.get_mut(self.closed..)?.last_mut()
    }

    /// Adds an act, merged with the last one where both are one step: text into one field, or a key repeated
    /// up to 100 times. An erase removes what only prepared its field or typed into it.
    fn merge(&mut self, act: Act) {
        let act = match act {
            Act::Type(typing) => match self.typed(typing) {
                Some(typing) => Act::Type(typing),
                None => return,
            },
            Act::Erase { on, field, force } => {
                // Text that is erased need not be typed, nor the field clicked, as erasing focuses it.
                let of_act = (Some(&on), Some(&field));
                while self.last().is_some_and(|last| prepares_field(last, of_act)) {
                    self.acts.pop();
                }
                Act::Erase { on, field, force }
            }
            Act::Key { name, times } => {
                if let Some(Act::Key {
                    name: last,
                    times: count,
                }) = self.last()
                    && *last == name
                    // `press` repeats a key no more than 100 times.
                    && *count + times <= 100
                {
                    *count += times;
                    return;
                }
                Act::Key { name, times }
            }
            act => act,
        };
        self.acts.push(act);
    }

    /// Merges typed text with what was typed into the same field just before, and drops a click or erase that
    /// only prepared the field; an erase becomes `clear`. `None` if the last act took the text.
    fn typed(&mut self, mut typing: Typing) -> Option<Typing> {
        let of_typing = |typing: &Typing| (typing.into.clone(), typing.field.clone());
        let (into, field) = of_typing(&typing);
        let wanted = (into.as_ref(), field.as_ref());
        if matches!(self.last(), Some(Act::Type(last)) if same_field(
            (last.into.as_ref(), last.field.as_ref()), wanted,
        )) {
            if let Some(Act::Type(last)) = self.last() {
                if typing.clear {
                    last.text = typing.text;
                    last.clear = true;
                } else {
                    last.text.push_str(&typing.text);
                }
                last.secret |= typing.secret;
                if typing.readiness == Readiness::Forced {
                    last.readiness = Readiness::Forced;
                }
                last.hides_keyboard |= typing.hides_keyboard;
            }
            return None;
        }
        // Drops a click that only focused the field, and turns an erase before the text into `clear`.
        while let Some(last) = self.last() {
            match last {
                Act::Erase { .. } if prepares_field(last, wanted) => typing.clear = true,
                Act::Touch {
                    how: Touch::Click, ..
                } if prepares_field(last, wanted) => {}
                _ => break,
            }
            self.acts.pop();
        }
        Some(typing)
    }
}

/// Returns true if the act only prepared this field for text, by a click or erase, or typed into it. Other
/// touches, and clicks outside a field, do not.
fn prepares_field(act: &Act, wanted: (Option<&Selector>, Option<&super::act::Field>)) -> bool {
    match act {
        Act::Touch {
            how: Touch::Click,
            on,
            field: Some(field),
            ..
        } => same_field((Some(on), Some(field)), wanted),
        Act::Erase { on, field, .. } => same_field((Some(on), Some(field)), wanted),
        Act::Type(typing) => same_field((typing.into.as_ref(), typing.field.as_ref()), wanted),
        _ => false,
    }
}
