//! Accessibility actions on views, such as a click or a scroll without a finger.

use serde_json::Value;

use super::VirtualPhone;
use super::edit::accepted_text;
use crate::AccessibilityAction;
use crate::apps::ui::{Element, TouchAction};
use runner_screen::Rect;

impl VirtualPhone {
    /// Performs an action on the enabled element with exactly these visible bounds in a window. A text is cut to what
    /// the field accepts, and does not focus the field. A number is limited to the range and rounded; NaN is the lower
    /// bound. Returns false if there is no such element. In a window of an app host, the action is only queued for the
    /// host, which may refuse it later.
    pub(super) fn take_accessibility_action(
        &mut self,
        window: i32,
        bounds: Rect,
        action: &AccessibilityAction,
    ) -> bool {
        if let Some(done) = self.act_hosted(window, bounds, action) {
            return done;
        }
        let Some(element) = self.enabled_element(window, bounds, action) else {
            return false;
        };
        match (action, &element.field, &element.on_tap) {
            (AccessibilityAction::SetText(text), Some(field), _) => {
                let letters: Vec<char> = accepted_text(field, text).chars().collect();
                let has_focus = self
                    .focused_field()
                    .is_some_and(|(focus, _)| focus.key == element.key);
                if has_focus {
                    let end = letters.len();
                    self.write_field(&element.key, field, letters, end);
                } else {
                    // As on Android, the field does not get the focus.
                    self.mark_edited(&element.key);
                    self.put(&field.target, Value::String(letters.into_iter().collect()));
                }
            }
            (
                AccessibilityAction::SetProgress(number),
                _,
                Some(TouchAction::Slide { target, min, max }),
            ) => {
                let number = f64::from(*number);
                let number = if number.is_nan() { *min } else { number };
                let value = number.max(*min).min(*max).round();
                self.put(target, Value::from(value));
            }
            _ => return false,
        }
        self.changed();
        true
    }

    /// Finds the enabled element with exactly these visible bounds that can do the action, the last in document
    /// order.
    fn enabled_element(
        &self,
        window: i32,
        bounds: Rect,
        action: &AccessibilityAction,
    ) -> Option<Element> {
        let mut found = None;
        let mut windows = self.scene().windows.iter();
        windows
            .find(|shown| shown.id() == window)?
            .placed
            .walk(&mut |placed| {
                let element = &placed.element;
                let does = match action {
                    AccessibilityAction::SetText(_) => element.field.is_some(),
                    AccessibilityAction::SetProgress(_) => {
                        matches!(element.on_tap, Some(TouchAction::Slide { .. }))
                    }
                };
                if does && element.node.enabled && placed.visible() == Some(bounds) {
                    found = Some(element.clone());
                }
            });
        found
    }
}
