//! The acts in order, tidied while they come in: what belongs together is one act.

use std::sync::Arc;

use serde_json::Map;

use super::act::{Act, Start, Touch, Typing, same_field};
use super::{arrival, launcher};
use runner_engine::{Direction, Readiness};
use runner_screen::{Screen, Selector};

/// Acts that are kept at most; a flow of more is not a test.
const MOST: usize = 5_000;

/// The acts so far.
#[derive(Debug, Default)]
pub(super) struct Script {
    acts: Vec<Act>,
    /// Acts before this one are not touched any more: a recording begins here.
    closed: usize,
    /// Scrolls and pauses at the end, of which it is not yet known what they were for.
    open: Option<Open>,
    /// What the last scrolls that were for an element brought beside it.
    brought: Option<ScrollTargets>,
    /// Acts that were left out because there were too many.
    left_out: usize,
    /// What was to be seen before the last act.
    before_last: Option<Arc<Screen>>,
    /// The act from which on the launcher has been in front.
    on_launcher: Option<usize>,
    /// A touch in the launcher of which it is not known yet whether it opened an app.
    icon: Option<usize>,
}

/// Scrolls and pauses in a row.
#[derive(Debug)]
struct Open {
    from: usize,
    /// What was to be seen before them.
    screen: Option<Arc<Screen>>,
}

/// Scrolls became `scroll_to` one element, which ends as soon as that is seen; others that came with it may not be.
#[derive(Debug)]
struct ScrollTargets {
    /// The `scroll_to`.
    at: usize,
    before: Arc<Screen>,
    after: Arc<Screen>,
    direction: Direction,
    within: Option<Box<Selector>>,
    scrolls: u32,
}

impl ScrollTargets {
    /// Whether this element, which is to be seen now, came with the scrolls.
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

    /// The acts from this one on.
    pub(super) fn since(&self, from: usize) -> &[Act] {
        self.acts.get(from..).unwrap_or_default()
    }

    pub(super) fn left_out(&self) -> usize {
        self.left_out
    }

    /// Another recording begins or ends: what comes is not merged with what was.
    pub(super) fn close(&mut self) {
        self.closed = self.acts.len();
        self.open = None;
        self.brought = None;
        self.before_last = None;
        self.on_launcher = None;
        self.icon = None;
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds an act. `before` is what was to be seen just before it.
    pub(super) fn push(&mut self, act: Act, before: Option<&Arc<Screen>>) {
        if self.acts.len() >= MOST {
            self.left_out += 1;
            return;
        }
        if let Some(before) = before {
            self.observe(before);
            self.stand(&act, before);
            self.wait_before(&act, before);
        }
        match act {
            Act::Scroll { .. } | Act::Pause(_) => {
                // What the scrolls before it brought may be gone again.
                if matches!(act, Act::Scroll { .. }) {
                    self.brought = None;
                }
                if self.open.is_none() {
                    self.open = Some(Open {
                        from: self.acts.len(),
                        screen: before.cloned(),
                    });
                }
                self.acts.push(act);
            }
            act => {
                self.settle(&act, before);
                self.bring(&act, before);
                let is_touch = matches!(&act, Act::Touch { .. })
                    || matches!(&act, Act::Raw(raw) if raw.is_at_place());
                self.merge(act);
                if is_touch && before.is_some_and(|before| launcher::is_in_front(before)) {
                    self.icon = Some(self.acts.len() - 1);
                }
            }
        }
        self.before_last = before.cloned();
    }

    /// Notes where the launcher has been in front. HOME just before leads there.
    fn stand(&mut self, act: &Act, before: &Screen) {
        if !launcher::is_in_front(before) {
            // The system may ask something before the app comes.
            if self.icon.is_none() {
                self.on_launcher = None;
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
        self.on_launcher.get_or_insert(from);
        // The touch before opened no app.
        if !matches!(act, Act::Pause(_)) {
            self.icon = None;
        }
    }

    /// Looks whether a touch in the launcher opened an app.
    pub(super) fn observe(&mut self, screen: &Screen) {
        let Some((at, app)) = self.icon.zip(launcher::app_in_front(screen)) else {
            return;
        };
        self.icon = None;
        let from = self.on_launcher.take().unwrap_or(at).max(self.closed);
        let begins = |act: &Act| matches!(act, Act::Launch { app: known, .. } if known == app);
        let again = self.acts.iter().any(begins);
        let behind = self.acts.split_off((at + 1).min(self.acts.len()));
        let led_there = self.acts.split_off(from.min(self.acts.len()));
        // An app that is open already was in the background until then.
        self.acts.extend(
            led_there
                .into_iter()
                .filter(|act| again && *act == Act::Word("home")),
        );
        self.acts.push(Act::Launch {
            app: app.to_owned(),
            start: Start::Shown,
            options: Map::new(),
        });
        self.acts.extend(behind);
        // Its place may be another.
        self.brought = None;
    }

    /// Whether it is still to be seen what a touch in the launcher did.
    pub(super) fn awaits_app(&self) -> bool {
        self.icon.is_some()
    }

    /// Waits for another screen where this act would not.
    fn wait_before(&mut self, act: &Act, before: &Screen) {
        let Some(last) = self.before_last.clone() else {
            return;
        };
        // Steps that wait, and content that only moved.
        let needs_none =
            |act: &Act| act.is_assertion() || matches!(act, Act::Scroll { .. } | Act::Pause(_));
        if self.last().is_none_or(|act| needs_none(act)) {
            return;
        }
        if let Some(on) = arrival::awaited(act, &last, before) {
            self.acts.push(Act::Wait { on, limit: None });
        }
    }

    /// Says what the scrolls and pauses before this act were for, where they brought its element.
    fn settle(&mut self, act: &Act, now: Option<&Arc<Screen>>) {
        let Some(Open {
            from,
            screen: Some(screen),
        }) = self.open.take()
        else {
            return;
        };
        // By its place alone something is found on every screen: that says nothing of what came.
        let Some(on) = act.target().filter(|on| !on.goes_by_order()) else {
            return;
        };
        // It was there before, so the scrolls were for something else.
        if is_visible(on, &screen) {
            return;
        }
        let run = self.acts.get(from..).unwrap_or_default();
        let scrolls = run.iter().filter_map(|act| match act {
            Act::Scroll {
                direction, within, ..
            } => Some((*direction, within.clone())),
            _ => None,
        });
        let scrolls: Vec<(Direction, Option<Box<Selector>>)> = scrolls.collect();
        let Some((direction, within)) = scrolls.first().cloned() else {
            // Steps wait for their element themselves.
            self.acts.truncate(from);
            return;
        };
        // Where the content went back and forth no one direction leads to the element: all stays as it was.
        if scrolls.iter().all(|scroll| scroll.0 == direction) {
            self.acts.truncate(from);
            let scrolls = u32::try_from(scrolls.len()).unwrap_or(u32::MAX);
            self.brought = now.map(|now| ScrollTargets {
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

    /// Scrolls on to this act's element, where the scrolls to an earlier one had brought it too.
    fn bring(&mut self, act: &Act, now: Option<&Arc<Screen>>) {
        let (Some(brought), Some(now), Some(on)) = (&self.brought, now, act.target()) else {
            return;
        };
        let since = self.acts.get(brought.at..).unwrap_or_default();
        let goes_there = |act: &Act| matches!(act, Act::ScrollTo { on: to, .. } if to == on);
        if on.goes_by_order() || since.iter().any(goes_there) || !brought.has(on, now) {
            return;
        }
        self.acts.push(Act::ScrollTo {
            on: on.clone(),
            direction: brought.direction,
            within: brought.within.clone(),
            scrolls: brought.scrolls,
        });
    }

    /// The last act, if it may still be changed.
    fn last(&mut self) -> Option<&mut Act> {
        self.acts.get_mut(self.closed..)?.last_mut()
    }

    fn merge(&mut self, act: Act) {
        let act = match act {
            Act::Type(typing) => match self.typed(typing) {
                Some(typing) => Act::Type(typing),
                None => return,
            },
            Act::Erase { on, field, force } => {
                // What is erased need not be typed, and erasing takes the focus.
                let of_act = (Some(&on), Some(&field));
                while self.last().is_some_and(|last| goes_to(last, of_act)) {
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
                    && *count < 100
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

    /// Text for a field: joined with what was typed there just before.
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
        // A click that only gave the focus, and a field that was emptied for the new text.
        while let Some(last) = self.last() {
            match last {
                Act::Erase { .. } if goes_to(last, wanted) => typing.clear = true,
                Act::Touch {
                    how: Touch::Click, ..
                } if goes_to(last, wanted) => {}
                _ => break,
            }
            self.acts.pop();
        }
        Some(typing)
    }
}

/// Whether the act only prepared this field for text.
fn goes_to(act: &Act, wanted: (Option<&Selector>, Option<&super::act::Field>)) -> bool {
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

/// Whether the selector finds something that is on the screen.
pub(super) fn is_visible(on: &Selector, screen: &Screen) -> bool {
    !on.find(screen).is_empty()
}
